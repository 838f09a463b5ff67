//! Integer unit of a lane: every integer operation, in three stages.
//!
//! | port       | width | meaning                                                            |
//! |------------|-------|--------------------------------------------------------------------|
//! | `ctl`      | 35    | operation, `AluControl`; same for every lane                       |
//! | `a`        | 32    | first operand; 16-bit operations use the low half only             |
//! | `b`        | 32    | second operand, shift count                                        |
//! | `c`        | 32    | addend of MUL with accumulate, SAD, FMAD; the float that chooses   |
//! | `cin`      | 1     | carry flag for kind 3 (a + b + carry)                              |
//! | `product`  | 48    | stage E2: product of the factors of a and b; but for MUL 0         |
//! | `negative` | 1     | with a, to the float unit: a is below zero in its format           |
//! | `addend`   | 32    | stage E1, to the float unit: FADD b, FMAD c, other floats 0        |
//! | `magnitude`| 32    | stage E2, to the float unit: I2F: absolute value of a              |
//! | `y`        | 32    | stage E3: result; of a 16-bit operation in the low half, upper 0   |
//! | `flags`    | 4     | stage E3: bit 0 Z, 1 S (of the result at its width), 2 C, 3 O      |
//!
//! ```text
//!  inputs | E1: extended a, b | E2: x, y, product | E3: sum, limit | to the lane's
//!  extend | compare, shift,   | x | product + y,  | clamp, flags   | result
//!  decode | logic -> x        | limit             |                |
//! ```
//! Everything ends in the one adder: units without a sum leave their result in x with y = 0. MUL
//! leaves x zero, every other unit the product; so x and product meet in an or.
//! `w16` narrows the operands of ADD, SET, MINMAX, SHIFT and SAD and the result of all but MUL and
//! SAD, whose results have 32 bits (a conversion to 32 bits has no `w16` form). `sat` acts in ADD
//! and in MUL with accumulate, `kind` likewise. For a float unit's operation the result means nothing.
//! SET and MINMAX of floats (`real`) compare keys, integers in the order of the floats (`order`).
//!
//! Timing: inputs of cycle t are registered at its end; `y` and `flags` are combinational in cycle
//! t + 3; `product` is expected in cycle t + 2. Free running.
//! Reset: none, results mean nothing until inputs did. Errors: none; format size 3 reads as 32 bits.
//! Source: docs/integers.md; the flags are those of envytools' tests of the hardware.

// In the reading of FlexGripPlus `not_b` negates the addend of a kind, and `accumulate` lets the flags of the difference
// decide SET.

pub mod add;
pub mod compare;
pub mod convert;
pub mod logic;
pub mod multiplier;
pub mod order;
pub mod shift;

use crate::config::{Floats, Semantics};
use crate::rtl::prelude::*;
use crate::sm::control::{unit, AluControl};
use convert::{pick, spread, Range, LIMIT};

packed! {
    /// Control in stage E1, decoded from [`AluControl`] beside the operands.
    pub struct IntE1(semantics: Semantics) {
        /// What makes x (`logic`); MINMAX turns pass b into pass a.
        code: 3,
        minmax: 1,
        /// MINMAX: the greater.
        maximum: 1,
        /// MINMAX: a, whatever the relation says.
        choose: 1,
        /// … does not say.
        chosen: 1,
        /// SET of floats: an operand is no number, and whether that is a hit.
        unordered: 1,
        unordered_hit: 1,
        /// MINMAX of floats: a, b are zero as results; neither is a number.
        a_zero: 1,
        b_zero: 1,
        nan: 1,
        set: 1,
        cond: 3,
        sad: 1,
        /// SHIFT: right.
        right: 1,
        /// `shift::Amount`.
        places: 6,
        carries: 1,
        one: 1,
        /// x is inverted on its way to the adder: a difference or a negation.
        invert: 1,
        cin: 1,
        /// FlexGripPlus: SET by flags of the difference, whether of floats.
        flagged: usize::from(semantics == Semantics::FlexGripPlus),
        flagged_real: usize::from(semantics == Semantics::FlexGripPlus),
        /// Fields that E1 only hands on.
        last: IntE2::width(()),
    }
}

packed! {
    /// Control in stage E2 that follows from the instruction and not from its operands.
    pub struct IntE2(_d: ()) {
        high: 1,
        sat: 1,
        convert: 1,
        set: 1,
        /// The result has 16 bits.
        narrow: 1,
        limit_signed: 1,
        limit_size: 2,
        /// MINMAX of floats: flags of its own.
        real: 1,
        /// MINMAX of floats: the key is to be turned back.
        keyed: 1,
    }
}

packed! {
    /// Bits in stage E2 that depend on operands.
    pub struct IntE2Status(_d: ()) {
        cin: 1,
        /// x is inverted.
        invert: 1,
        /// Sign of x, so inverted, as a 33-bit number.
        x_top: 1,
        /// `compare::Relation::flip`, for SAD.
        flip: 1,
        /// SET: the relation holds.
        hit: 1,
        /// SHIFT: C.
        shift_carry: 1,
        /// SHIFT: O says whether the sign differs from `a_negative`.
        sign_check: 1,
        a_negative: 1,
        /// MINMAX of floats: the key is that of a negative number.
        real_negative: 1,
        real_zero: 1,
        real_nan: 1,
    }
}

packed! {
    /// Stage E3: what the sum does not say of result and flags.
    pub struct IntE3(_d: ()) {
        /// The result is the limit instead.
        clamp: 1,
        narrow: 1,
        /// MINMAX of floats: Z is set and S clear; it is no number.
        zero: 1,
        nan: 1,
        carry: 1,
        /// O …
        overflow: 1,
        /// … is to be inverted by S.
        sign_check: 1,
    }
}

block! {
    /// See the module.
    /// Floats are compared where there are all of them; without any it helps no float unit.
    pub struct IntUnit(floats: Floats, semantics: Semantics) {
        in ctl(AluControl::width(())),
        in a(32),
        in b(32),
        in c(32),
        in cin(1),
        in product(multiplier::PRODUCT),
        out negative(1),
        out addend(32),
        out magnitude(32),
        out y(32),
        out flags(4),
        data e1_control(IntE1::width(semantics)),
        data e1_a(33),
        data e1_b(33),
        data e1_addend(32),
        data e2_control(IntE2::width(())),
        data e2_status(IntE2Status::width(())),
        data e2_x(32),
        data e2_addend(32),
        data e3_sum(32),
        data e3_limit(LIMIT.len()),
        data e3_outcome(IntE3::width(())),
        keep _floats(Floats = floats),
        keep _semantics(Semantics = semantics),
    }
}

impl IntUnit {
    /// Decodes, extends the operands and picks the addend, up to the registers of E1.
    fn accept(&self) {
        let op = AluControl::unpack((), "op", &get(&self.ctl));
        let (a, b, c) = (get(&self.a), get(&self.b), get(&self.c));
        let is = |u: u64, name: &str| wire(&format!("is_{name}"), op.unit.is(u));
        let (is_add, is_mul) = (is(unit::ADD, "add"), is(unit::MUL, "mul"));
        let (is_sad, is_set) = (is(unit::SAD, "sad"), is(unit::SET, "set"));
        let (is_minmax, is_shift) = (is(unit::MINMAX, "minmax"), is(unit::SHIFT, "shift"));
        let (is_logic, is_convert) = (is(unit::LOGIC, "logic"), is(unit::CONVERT, "convert"));

        let float = |u: u64, name: &str| match self._floats {
            Floats::None => zero(1),
            _ => is(u, name),
        };
        let (is_i2f, is_fadd) = (float(unit::I2F, "i2f"), float(unit::FADD, "fadd"));
        let is_fmad = float(unit::FMAD, "fmad");
        let has_format = &is_convert | &is_i2f;
        let from_size = op.from.bits(0, 2);
        let is8 = &has_format & &from_size.is(0);
        let is16 = has_format.mux(&from_size.is(1), &op.w16);
        let a_signed = has_format.mux(&op.from.bit(2), &op.signed_a);
        // Floats are compared as integers in their order.
        let real = if self._floats == Floats::All { &op.real & &(&is_set | &is_minmax) } else { zero(1) };
        let real = wire("compares_floats", real);
        let picks = wire("picks", &real & &is_minmax & &op.accumulate);
        let how = order::How { keyed: &real & &!&picks, equal_zeros: is_set.clone(), nan_low: op.right.clone() };
        let not_a = wire("inverts_a", &is_logic & &op.not_a);
        let not_b = wire("inverts_b", &is_logic & &op.not_b);
        let a_key = order::key(&a, &op.abs, &op.neg, &not_a, &how);
        let b_key = order::key(&b, &op.abs_b, &op.neg_b, &not_b, &how);
        set(&self.e1_a, convert::extend(&a, &is8, &is16, &(&a_signed | &real), &not_a, &a_key));
        let b_signed = &op.signed_a | &real;
        set(&self.e1_b, convert::extend(&b, &zero(1), &op.w16, &b_signed, &not_b, &b_key));
        // The sign of what is converted: neither a key nor inverted.
        let top = is8.mux(&a.bit(7), &is16.mux(&a.bit(15), &a.bit(31)));
        let below = wire("below_zero", &a_signed & &top);
        set(&self.negative, &below);

        // A sum of a kind: the other units add nothing.
        let kinds = wire("has_kind", &is_add | &(&is_mul & &op.accumulate));
        let inverts_addend = &kinds & &op.kind.is(1);
        let inverts_x = wire("inverts_x", &kinds & &op.kind.is(2));
        let carry = op.kind.is(3).mux(&get(&self.cin), &op.kind.any());
        let has_addend = any_of(&[kinds.clone(), is_sad.clone(), is_fadd.clone(), is_fmad]);
        let addend = (&is_add | &is_fadd).mux(&b, &c) & has_addend.repeat(32);
        let addend = match self._semantics {
            Semantics::G80 => addend,
            Semantics::FlexGripPlus => {
                let negates = wire("negates_addend", &kinds & &op.not_b);
                negates.mux(&(lit(32, 0) - &addend), &addend)
            }
        };
        set(&self.e1_addend, addend ^ inverts_addend.repeat(32));
        set(&self.addend, get(&self.e1_addend));

        // I2F: what is negative is negated, and the modifiers are the sign's business.
        let negate = &op.neg ^ &(&op.abs & &below);
        let negate = wire("negate", (&is_convert & &negate) | (&is_i2f & &below));
        let passes_a = any_of(&[is_add, is_shift.clone(), is_convert.clone(), is_i2f]);
        let codes = [
            (&is_sad, lit(3, logic::DIFFERENCE)),
            (&passes_a, lit(3, logic::PASS_A)),
            (&is_minmax, lit(3, logic::PASS_B)),
            (&is_logic, logic::code(&op.logic)),
        ];
        let code = codes.iter().fold(lit(3, logic::NONE), |other, (on, code)| other | (code & &on.repeat(3)));
        let to_right = wire("to_right", &is_shift & &op.right);
        let amount = shift::amount(&b, &is_shift, &op.right, &op.w16);

        let narrow = wire("narrow", &op.w16 & &!(&is_mul | &is_sad));
        let sum_size = narrow.mux(&lit(2, 1), &lit(2, 2));
        let last = IntE2 {
            high: op.high,
            sat: &op.sat & &kinds,
            convert: is_convert.clone(),
            set: is_set.clone(),
            narrow,
            limit_signed: &!&is_convert | &op.to.bit(2),
            limit_size: is_convert.mux(&op.to.bits(0, 2), &sum_size),
            real: &real & &is_minmax,
            keyed: how.keyed.clone(),
        };
        last.check(());
        let first = IntE1 {
            code,
            minmax: is_minmax,
            maximum: op.right.clone(),
            choose: &picks & &order::at_least_zero(&c, &op.neg_b),
            chosen: picks,
            unordered: &real & &(&a_key.nan | &b_key.nan),
            unordered_hit: op.unordered.clone(),
            a_zero: a_key.zero,
            b_zero: b_key.zero,
            nan: &how.keyed & &(&a_key.nan & &b_key.nan),
            set: is_set.clone(),
            cond: op.cond,
            sad: is_sad,
            right: to_right,
            places: amount.places,
            carries: amount.carries,
            one: amount.one,
            flagged: self.of_manual(|| &is_set & &op.accumulate),
            flagged_real: self.of_manual(|| &is_set & &real),
            cin: (&kinds & &carry) | &negate,
            invert: inverts_x | negate,
            last: last.pack(),
        };
        first.check(self._semantics);
        set(&self.e1_control, first.pack());
    }

    /// A bit that only chips of FlexGripPlus have.
    fn of_manual(&self, bit: impl FnOnce() -> Expr) -> Expr {
        match self._semantics {
            Semantics::G80 => nothing(),
            Semantics::FlexGripPlus => bit(),
        }
    }

    /// Whether a SET hits, in stage E1.
    fn hit(&self, e1: &IntE1, narrow: &Expr, a: &Expr, b: &Expr, relation: &compare::Relation) -> Expr {
        let by_relation = e1.unordered.mux(&e1.unordered_hit, &relation.holds(&e1.cond));
        match self._semantics {
            Semantics::G80 => by_relation,
            Semantics::FlexGripPlus => {
                let real = compare::Float { real: &e1.flagged_real, nan: &e1.unordered };
                let by_flags = relation.flags(a, b, narrow, &real).hold(&e1.cond);
                e1.flagged.mux(&by_flags, &by_relation)
            }
        }
    }

    /// Compares, shifts, combines: makes x, in stage E1.
    fn combine(&self) {
        let e1 = IntE1::unpack(self._semantics, "e1", &get(&self.e1_control));
        let last = IntE2::unpack((), "e1", &e1.last);
        let (a, b) = (get(&self.e1_a), get(&self.e1_b));
        let relation = compare::relation(&a, &b);
        let less = &relation.less;

        let by_order = &e1.minmax & &(less ^ &e1.maximum) & !&e1.chosen;
        let pick_a = wire("pick_a", by_order | &e1.choose);
        let code = wire("code", &e1.code ^ &pick_a.zext(3));
        let fill = &e1.right & &a.bit(32);
        let low = a.bits(0, 32);
        let (moved, out) = shift::shift(&low, &e1.places, &e1.right, &fill, &last.narrow);
        let x = logic::combine(&code, &moved, &b.bits(0, 32), &relation.difference);

        let status = IntE2Status {
            cin: &e1.cin | &(&e1.sad & less),
            // |a - b| of a difference below zero: its inverse, and one.
            invert: &e1.invert | &(&e1.sad & less),
            x_top: &a.bit(32) ^ &e1.invert,
            flip: &e1.sad & &relation.flip,
            hit: self.hit(&e1, &last.narrow, &a, &b, &relation),
            shift_carry: &e1.carries & &out,
            sign_check: e1.one,
            a_negative: last.narrow.mux(&a.bit(15), &a.bit(31)),
            real_negative: pick_a.mux(&a.bit(31), &b.bit(31)),
            real_zero: pick_a.mux(&e1.a_zero, &e1.b_zero) | &e1.nan,
            real_nan: e1.nan,
        };
        status.check(());
        set(&self.e2_x, x);
        set(&self.e2_addend, get(&self.e1_addend));
        set(&self.e2_control, &e1.last);
        set(&self.e2_status, status.pack());
    }

    /// Adds, and finds the limit that may take the sum's place, in stage E2.
    fn add(&self) {
        let e2 = IntE2::unpack((), "e2", &get(&self.e2_control));
        let status = IntE2Status::unpack((), "e2", &get(&self.e2_status));
        let product = multiplier::part(&get(&self.product), &e2.high);
        // One of the two is zero.
        let x = (get(&self.e2_x) | product) ^ status.invert.repeat(32);
        let addend = get(&self.e2_addend);
        let sum = add::add(&wire("x", x), &addend, &status.cin, &e2.narrow, &status.flip);
        set(&self.magnitude, &sum.value);

        let range = Range { signed: e2.limit_signed, size: e2.limit_size };
        let top = &status.x_top ^ &sum.carry_out;
        let negative = wire("negative", e2.convert.mux(&top, &sum.x_negative));
        let beyond = &e2.convert & &range.excludes(&sum.value, &top);
        let clamp = any_of(&[beyond, &e2.sat & &sum.overflow, e2.set.clone()]);
        let clamp = wire("clamp", clamp);
        // SET is a result of equal bits, whatever the sum says.
        let limit = e2.set.mux(&status.hit.repeat(32), &range.limit(&negative));
        // The key of a negative float turned back; NaN has no sign.
        let back = wire("key_back", &e2.keyed & &status.real_negative);
        let real =
            cat([&(sum.value.bit(31) & !(&e2.keyed & &status.real_nan)), &(sum.value.bits(0, 31) ^ back.repeat(31))]);
        set(&self.e3_sum, real);
        set(&self.e3_limit, pick(&wire("limit", limit), &LIMIT));

        // The carry of a negation is no carry of the instruction.
        let is_sum = !&e2.convert;
        // What is shifted does not overflow as a sum.
        let overflow = &is_sum & &sum.overflow;
        let outcome = IntE3 {
            clamp,
            zero: &e2.real & &status.real_zero,
            nan: &e2.real & &status.real_nan,
            carry: (&is_sum & &sum.carry) | &status.shift_carry,
            overflow: status.sign_check.mux(&status.a_negative, &overflow),
            sign_check: status.sign_check,
            narrow: e2.narrow,
        };
        outcome.check(());
        set(&self.e3_outcome, outcome.pack());
    }

    /// Clamps and makes the flags, in stage E3.
    fn finish(&self) {
        let e3 = IntE3::unpack((), "e3", &get(&self.e3_outcome));
        let limit = spread(&get(&self.e3_limit), &LIMIT);
        let value = wire("value", e3.clamp.mux(&limit, &get(&self.e3_sum)));
        let upper = e3.narrow.mux(&zero(16), &value.bits(16, 16));
        let y = wire("narrowed", cat([&upper, &value.bits(0, 16)]));
        let sign = wire("sign", e3.narrow.mux(&y.bit(15), &y.bit(31)));
        let s = &e3.nan | &(&sign & &!&e3.zero);
        let z = &e3.zero | &!y.any();
        let o = &e3.overflow ^ &(&e3.sign_check & &sign);
        set(&self.flags, cat([&o, &e3.carry, &s, &z]));
        set(&self.y, y);
    }
}

impl Rtl for IntUnit {
    fn rtl(&self) {
        self.accept();
        self.combine();
        self.add();
        self.finish();
    }
}

rtl_block!(IntUnit, "int_unit");
