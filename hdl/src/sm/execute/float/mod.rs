//! Float unit of a lane: products, and conversions between integers and floats.
//!
//! | port       | width | meaning                                                              |
//! |------------|-------|----------------------------------------------------------------------|
//! | `ctl`      | 32    | operation, `AluControl`; same for every lane                         |
//! | `a`        | 32    | first operand; half precision in the low half                        |
//! | `b`        | 32    | second operand of a product                                          |
//! | `extended` | 33    | stage D: a as an integer of its format, from the integer unit        |
//! | `product`  | 48    | stage E2: product of the significands, from the lane's multiplier    |
//! | `y`        | 32    | stage E2: result; of a 16-bit format in the low half, upper half 0   |
//! | `flags`    | 4     | stage E2: bit 0 Z (zero, NaN), 1 S (negative, NaN); C and O are 0    |
//!
//! ```text
//!  inputs     | E1: value, exponent  | E2: body, lost bits  | to the lane's result register
//!  unpack     | turn, split          | product or body,     |
//!  kinds      |                      | round, clamp, pack   |
//! ```
//! Every operation is an unpacking, a raw result with the bits that stand for what it lost, and the
//! one rounding; denormals are zeros on the way in and out of single precision. NaN is 0x7fffffff,
//! or 0x7fff, and 0 as an integer.
//!
//! Timing: inputs of cycle t are registered at its end; `y` and `flags` are combinational in cycle
//! t + 2, where `product` is expected. Free running.
//! Reset: none, results mean nothing until inputs did. Errors: none.
//! Source: numerics.md, Single precision and Conversions.

pub mod convert;
pub mod multiply;
pub mod round;
pub mod unpack;

use super::int::convert::Range;
use super::int::multiply::PRODUCT;
use crate::rtl::prelude::*;
use crate::sm::control::{unit, AluControl};
use round::{Pack, Raw, BODY};

/// Bits of an exponent in two's complement, wide enough for a product's.
const EXPONENT: usize = 10;

packed! {
    /// Control behind stage D.
    pub struct Step(_d: ()) {
        fmul: 1,
        f2i: 1,
        /// The result has 16 bits.
        half: 1,
        /// F2I: to a signed integer.
        signed: 1,
        sat: 1,
        mode: 2,
    }
}

packed! {
    /// What else is known of a result.
    pub struct Status(_d: ()) {
        negative: 1,
        nan: 1,
        /// Infinite, or beyond every integer.
        over: 1,
        zero: 1,
    }
}

/// See the module.
#[derive(LogicBlock)]
pub struct FloatUnit {
    pub ctl: Input,
    pub a: Input,
    pub b: Input,
    pub extended: Input,
    pub product: Input,
    pub y: Output,
    pub flags: Output,
    e1_step: Reg,
    e1_status: Reg,
    e1_exponent: Reg,
    e1_value: Reg,
    e1_keep: Reg,
    e2_step: Reg,
    e2_status: Reg,
    e2_body: Reg,
    e2_guard: Reg,
    e2_sticky: Reg,
}

impl FloatUnit {
    /// The same in every configuration.
    pub fn new() -> Self {
        Self {
            ctl: Input::new(AluControl::width(())),
            a: Input::new(32),
            b: Input::new(32),
            extended: Input::new(33),
            product: Input::new(PRODUCT),
            y: Output::new(32),
            flags: Output::new(4),
            e1_step: Reg::data(Step::width(())),
            e1_status: Reg::data(Status::width(())),
            e1_exponent: Reg::data(EXPONENT),
            e1_value: Reg::data(32),
            e1_keep: Reg::data(6),
            e2_step: Reg::data(Step::width(())),
            e2_status: Reg::data(Status::width(())),
            e2_body: Reg::data(BODY),
            e2_guard: Reg::data(1),
            e2_sticky: Reg::data(1),
        }
    }

    /// Takes the operands apart, up to the registers of E1.
    fn accept(&self) {
        let op = AluControl::unpack((), "op", &get(&self.ctl));
        let (a, b) = (get(&self.a), get(&self.b));
        let fmul = wire("is_fmul", op.unit.is(unit::FMUL));
        let f2i = wire("is_f2i", op.unit.is(unit::F2I));

        let half = wire("from_half", &f2i & &op.from.bit(0));
        let x = unpack::either(&a, &half);
        let factor = unpack::single(&b);
        let product = multiply::prepare(&x, &factor);
        set(&self.e1_exponent, &product.exponent);

        let float = convert::from_float(&x, &half, &op.neg, &op.abs);
        let extended = get(&self.extended);
        let negative = convert::integer_sign(&extended, &op.neg, &op.abs);
        set(
            &self.e1_value,
            convert::magnitude(&extended, &float.value, &f2i),
        );
        set(&self.e1_keep, &float.keep);

        let product_negative = any_xor(&[&x.negative, &factor.negative, &op.neg, &op.neg_b]);
        let negative = fmul.mux(&product_negative, &f2i.mux(&float.negative, &negative));
        let status = Status {
            negative,
            nan: &fmul & &product.nan,
            over: (&fmul & &product.infinite) | (&f2i & &float.over),
            zero: &fmul & &product.zero,
        };
        status.check(());
        set(&self.e1_status, status.pack());
        let step = Step {
            half: !&fmul & op.to.bit(0),
            fmul,
            f2i,
            signed: op.to.bit(2),
            sat: op.sat,
            mode: op.round,
        };
        step.check(());
        set(&self.e1_step, step.pack());
    }

    /// Turns what is converted, in stage E1.
    fn turn(&self) {
        let word = get(&self.e1_step);
        let step = Step::unpack((), "e1", &word);
        let was = Status::unpack((), "e1", &get(&self.e1_status));
        let (raw, some) = convert::turn(
            &get(&self.e1_value),
            &get(&self.e1_keep),
            &step.f2i,
            &step.half,
        );
        let integer = wire("from_integer", !&step.fmul & !&step.f2i);
        let status = Status {
            // There is no negative zero among integers.
            negative: &was.negative & !(&integer & !&some),
            nan: was.nan,
            over: was.over,
            zero: &was.zero | (&integer & !&some),
        };
        status.check(());
        set(&self.e2_status, status.pack());
        let exponent = step.fmul.mux(
            &get(&self.e1_exponent),
            &raw.body.bits(BODY - EXPONENT, EXPONENT),
        );
        set(
            &self.e2_body,
            cat([&exponent, &raw.body.bits(0, BODY - EXPONENT)]),
        );
        set(&self.e2_guard, &raw.guard);
        set(&self.e2_sticky, &raw.sticky);
        set(&self.e2_step, word);
    }

    /// Rounds, clamps, packs and makes the flags, in stage E2.
    fn finish(&self) {
        let step = Step::unpack((), "e2", &get(&self.e2_step));
        let status = Status::unpack((), "e2", &get(&self.e2_status));
        let turned = get(&self.e2_body);
        let product = multiply::align(&get(&self.product), &turned.bits(BODY - EXPONENT, EXPONENT));
        let raw = Raw {
            body: wire("raw_body", step.fmul.mux(&product.body, &turned)),
            raise: &step.fmul & &product.raise,
            guard: wire("guard", step.fmul.mux(&product.guard, &get(&self.e2_guard))),
            sticky: wire(
                "sticky",
                step.fmul.mux(&product.sticky, &get(&self.e2_sticky)),
            ),
        };
        let negate = wire("negate", &step.f2i & &status.negative);
        let rounded = round::round(&raw, &step.mode, &status.negative, &negate);

        let pack = Pack {
            half: step.half.clone(),
            negative: status.negative.clone(),
            nan: status.nan,
            infinite: status.over.clone(),
            zero: status.zero,
            sat: step.sat,
            mode: step.mode,
        };
        let float = round::pack(&rounded, &pack);

        // An integer is replaced by the limit of its 16 or 32 bits, a float by what no rounding gives.
        let range = Range {
            signed: step.signed,
            size: cat([&!&step.half, &step.half]),
        };
        let value = rounded.bits(0, 32);
        let clamp = wire(
            "clamp",
            &status.over | range.excludes(&value, &rounded.bit(32)),
        );
        let limit = range.limit(&status.negative);
        let replaced = wire("replaced", step.f2i.mux(&clamp, &float.forced));
        let special = wire("special", step.f2i.mux(&limit, &float.special));
        let word = wire("word", replaced.mux(&special, &value));
        // The sign of a float stands beside what was rounded.
        let top = |at: usize| step.f2i.mux(&word.bit(at), &float.sign);
        let (low_top, top) = (step.half.mux(&top(15), &word.bit(15)), top(31));
        let upper = cat([&top, &word.bits(16, 15)]) & (!&step.half).repeat(16);
        set(&self.y, cat([&upper, &low_top, &word.bits(0, 15)]));

        let integer_z = clamp.mux(&range.limit_is_zero(&status.negative), &!value.any());
        let integer_s = step.half.mux(&word.bit(15), &word.bit(31));
        let integer_flags = cat([&integer_s, &integer_z]);
        set(
            &self.flags,
            cat([&zero(2), &step.f2i.mux(&integer_flags, &float.flags)]),
        );
    }
}

fn any_xor(bits: &[&Ex]) -> Ex {
    bits[1..].iter().fold(bits[0].clone(), |x, b| x ^ *b)
}

impl Default for FloatUnit {
    fn default() -> Self {
        Self::new()
    }
}

impl Rtl for FloatUnit {
    fn rtl(&self) {
        self.accept();
        self.turn();
        self.finish();
    }
}

rtl_block!(FloatUnit, "float_unit");
