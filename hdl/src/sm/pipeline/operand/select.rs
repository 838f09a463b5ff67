//! Operand selection of one lane: what came from registers and memories to the values a, b, c.
//!
//! | port      | width  | meaning                                                          |
//! |-----------|--------|------------------------------------------------------------------|
//! | `choice`  | Choice | which source each operand has, which half, which size            |
//! | `r1` … `r3` | 32   | registers                                                        |
//! | `shared`  | 32     | shared word, addressed byte lowest                               |
//! | `constant`| 32     | constant word, addressed byte lowest                             |
//! | `address` | 16     | address register                                                 |
//! | `flags`   | 4      | flag register                                                    |
//! | `clock_count` | 32 | cycle counter                                                    |
//! | `a` `b` `c` | 32   | operands; 16-bit ones zero-extended                              |
//!
//! Timing: combinational. Reset: none. Errors: none.
//! Source: docs/semantics.md, Encoding and Operands in memory.

use crate::config::WARP;
use crate::rtl::prelude::*;
use crate::sm::control::g13::SourceControl;
use crate::sm::control::ivb::{constants, ChannelControl};
use crate::sm::control::uop::UopControl;
use crate::sm::control::{source1, source23, Control};
use crate::sm::dims::Dims;

packed! {
    /// The part of the control word that operand selection needs.
    pub struct Choice(d: &Dims) {
        s1_kind: 3 => source1,
        s1_half: 1,
        s1_hi: 1,
        s1_size: d.operand_size(),
        s2_kind: 2 => source23,
        s2_half: 1,
        s2_hi: 1,
        s3_kind: 1,
        s3_half: 1,
        s3_hi: 1,
        c_size: d.operand_size(),
        imm: 32,
        /// What [`source1::LANE`] gives, as `control::lanes` has it; not of SM 1.0.
        lane: d.has.uops.bits(3),
        /// [`Extras`]; of G13 alone.
        extras: d.has.sources.bits(Extras::width(())),
        /// [`Changes`]; of Ivy Bridge alone.
        changes: d.has.channels.bits(Changes::width(())),
    }
}

packed! {
    /// What G13 has on top: fields of `SourceControl`.
    pub struct Extras(_d: ()) {
        extend1: 1,
        extend2: 1,
        extend3: 1,
        half4: 1,
        hi4: 1,
        field: 6,
    }
}

impl Extras {
    fn of(s: SourceControl) -> Self {
        Self { extend1: s.extend1, extend2: s.extend2, extend3: s.extend3, half4: s.half4, hi4: s.hi4, field: s.field }
    }
}

packed! {
    /// What Ivy Bridge does to operands, in this order: fields of `ChannelControl`. They are registers, shared words and
    /// immediates; operand d is b, of `constants::TRUTH` 0.
    pub struct Changes(_d: ()) {
        extend1: 1,
        extend2: 1,
        extend3: 1,
        reverse: 1,
        field: 1,
        merge: 1,
        /// One of [`constants`].
        constants: 2,
    }
}

impl Changes {
    fn of(c: ChannelControl) -> Self {
        Self {
            extend1: c.extend1,
            extend2: c.extend2,
            extend3: c.extend3,
            reverse: c.reverse,
            field: c.field,
            merge: c.merge,
            constants: c.constants,
        }
    }

    /// Operands a to d of the three that were selected.
    fn apply(&self, [a, b, c]: [Expr; 3]) -> [Expr; 4] {
        let [a, b, c] = [(a, &self.extend1), (b, &self.extend2), (c, &self.extend3)].map(|(x, on)| extended(&x, on));
        let [a, b, c] = [("a_whole", a), ("b_whole", b), ("c_whole", c)].map(|(name, x)| wire(name, x));
        let bits = a.each_bit();
        let a = wire("a_turned", self.reverse.mux(&pack(bits.iter().rev()), &a));
        let place = cat([&c.bits(0, 5), &zero(3), &b.bits(0, 5)]).zext(32);
        let b = wire("b_field", self.field.mux(&place, &b));
        let merged = (&a & &b) | (!&a & &c);
        let b = wire("b_merged", self.merge.mux(&merged, &b));
        let [truth, same, mask] =
            [constants::TRUTH, constants::SAME, constants::MASK].map(|code| self.constants.is(code).repeat(32));
        let third = same.bit(0).mux(&a, &((c | &truth) & !&mask));
        [a | mask, b.clone(), third, b & !truth]
    }
}

impl Choice {
    /// Of a control word.
    pub fn of(d: &Dims, c: &Control) -> Self {
        let lane = match d.has.uops {
            true => {
                let alu = UopControl::unpack((), "choice", &c.alu);
                alu.table.bits(0, 3)
            }
            false => nothing(),
        };
        let choice = Self {
            s1_kind: c.s1_kind.clone(),
            s1_half: c.s1_half.clone(),
            s1_hi: c.s1_hi.clone(),
            s1_size: c.s1_size.clone(),
            s2_kind: c.s2_kind.clone(),
            s2_half: c.s2_half.clone(),
            s2_hi: c.s2_hi.clone(),
            s3_kind: c.s3_kind.clone(),
            s3_half: c.s3_half.clone(),
            s3_hi: c.s3_hi.clone(),
            c_size: c.c_size.clone(),
            imm: c.imm.clone(),
            lane,
            extras: c.sources(d, "choice").map_or(nothing(), |s| Extras::of(s).pack()),
            changes: c.channels(d, "choice").map_or(nothing(), |c| Changes::of(c).pack()),
        };
        choice.check(d);
        choice
    }
}

block! {
    /// See the module.
    pub struct OperandSelect(d: &Dims) {
        in choice(Choice::width(d)),
        in r1(32),
        in r2(32),
        in r3(32),
        in r4(if d.has.sources; 32),
        in shared(32),
        in constant(32),
        in address(16),
        in flags(4),
        in clock_count(32),
        in thread(if d.has.uops; 5),
        out a(32),
        out b(32),
        out c(32),
        out d(if d.has.fourth_operand; 32),
        keep _d(Dims = *d),
    }
}

/// A 32-bit source in the parts that are chosen alike: bits 7:0, 15:8, 31:16.
fn parts(word: &Expr) -> [Expr; 3] {
    let word = word.called("word");
    [word.bits(0, 8), word.bits(8, 8), word.bits(16, 16)]
}

/// `on ? x : 0`.
fn gate(x: &Expr, on: &Expr) -> Expr {
    x & &on.repeat(x.width())
}

/// What a register gives an operand: itself or its chosen half.
fn halved(word: &Expr, on: &Expr, half: &Expr, hi: &Expr) -> [Expr; 3] {
    let high = wire("high_half", on & half & hi);
    let (low, whole) = (on & !&high, on & !half);
    let [b0, b1, b2] = parts(word);
    [gate(&b0, &low) | gate(&b2.bits(0, 8), &high), gate(&b1, &low) | gate(&b2.bits(8, 8), &high), gate(&b2, &whole)]
}

/// A loaded word extended by its size: 0 u8, 1 u16, 2 s16, 3 32 bits, 4 s8; `half` of it is 16 bits.
fn loaded(word: &Expr, on: &Expr, size: &Expr, half: &Expr) -> [Expr; 3] {
    let [b0, b1, b2] = parts(word);
    let whole = on & !half;
    if size.width() > 2 {
        let byte = on & !size.bits(0, 2).any();
        let of_byte = &byte & &size.is(4) & b0.bit(7);
        let of_half = &whole & &size.is(2) & b1.bit(7);
        let signs = (of_byte.clone() | of_half).called("signs");
        return [
            gate(&b0, on),
            gate(&b1, &(on & !&byte)) | of_byte.repeat(8),
            gate(&b2, &(&whole & &size.is(3))) | signs.repeat(16),
        ];
    }
    let sign = &whole & &size.is(2) & b1.bit(7);
    [gate(&b0, on), gate(&b1, &(on & size.any())), gate(&b2, &(&whole & &size.is(3))) | sign.called("sign").repeat(16)]
}

/// The low half extended by its sign, where `on`.
fn extended(x: &Expr, on: &Expr) -> Expr {
    let x = x.named();
    let sign = (on & &x.bit(15)).repeat(16);
    cat([&(x.bits(16, 16) | sign), &x.bits(0, 16)])
}

/// The place in the low 7 bits of `x` and the length `field`, unless that is 0.
fn with_field(x: &Expr, field: &Expr) -> Expr {
    let x = x.named();
    let on = wire("has_field", field.any());
    let place = cat([&field.zext(24), &zero(1), &x.bits(0, 7)]);
    on.mux(&place, &x)
}

/// The number of a thread in its warp, or a mask of threads in relation to it.
fn of_lane(d: &Dims, thread: &Expr, what: &Expr) -> Expr {
    let equal = thread.one_hot(WARP).called("equal");
    // No thread is below the first: bit 31 is never set.
    let below = (0..WARP as u64 - 1).map(|t| thread.gt(&lit(5, t)));
    let below: Vec<Expr> = below.chain([zero(1)]).collect();
    let less = pack(below.iter()).called("less");
    let or_equal = (&less | &equal).called("or_equal");
    let mut by_what = vec![thread.zext(WARP), equal, less.clone(), or_equal.clone(), !&or_equal, !&less];
    if d.has.exchange {
        let quads = thread.bits(2, 3).one_hot(WARP / 4);
        let quad: Vec<Expr> = quads.each_bit().iter().map(|q| q.repeat(4)).collect();
        let quad = pack(quad.iter()).called("quad");
        by_what.extend([quad.clone(), quad & &less]);
    }
    wire("from_lane", select(what, &by_what))
}

/// A source in its parts, as one value called `name`.
fn source(name: &str, [low, middle, high]: [Expr; 3]) -> Expr {
    wire(name, cat([&high, &middle, &low]))
}

impl OperandSelect {
    /// Operands of Ivy Bridge: registers, a shared word, an immediate.
    fn of_channels(&self, c: &Choice) {
        let changes = Changes::unpack((), "s", &c.changes);
        let is = |k| c.s1_kind.is(k);
        let gpr_b = wire("b_gpr", c.s2_kind.is(source23::GPR));
        let from_r2 = source("from_r2", halved(&get(&self.r2), &gpr_b, &c.s2_half, &c.s2_hi));
        let b = wire("second", from_r2 | gate(&c.imm, &!&gpr_b));
        let from_r1 = source("from_r1", halved(&get(&self.r1), &is(source1::GPR), &c.s1_half, &c.s1_hi));
        let shared_a = wire("a_shared", is(source1::SHARED));
        let from_shared = source("from_shared", loaded(&get(&self.shared), &shared_a, &c.s1_size, &c.s1_half));
        let a = from_r1 | from_shared | gate(&b, &is(source1::SECOND));
        let third = source("from_r3", halved(&get(&self.r3), &lit(1, 1), &c.s3_half, &c.s3_hi));
        let [a, b, third, fourth] = changes.apply([a, b, third]);
        set(&self.a, a);
        set(&self.b, b);
        set(&self.c, third);
        if let Some(to) = self.d.get() {
            set(to, fourth);
        }
    }
}

impl Rtl for OperandSelect {
    fn rtl(&self) {
        let c = Choice::unpack(&self._d, "s", &get(&self.choice));
        if self._d.has.channels {
            return self.of_channels(&c);
        }
        let extras = self._d.has.sources.then(|| Extras::unpack((), "s", &c.extras));
        let is = |k| c.s1_kind.is(k);
        // The same in every lane.
        let clock = gate(&get(&self.clock_count), &is(source1::CLOCK));
        let constant_b = wire("b_constant", c.s2_kind.is(source23::CONST));
        let gpr_b = wire("b_gpr", c.s2_kind.is(source23::GPR));
        let imm = gate(&c.imm, &(!(&constant_b | &gpr_b)));
        let imm = cat([&gate(&imm.bits(16, 16), &!&c.s2_half), &imm.bits(0, 16)]);
        let gpr_c = wire("c_gpr", c.s3_kind.is(source23::GPR));

        let address = gate(&get(&self.address), &is(source1::AREG)).zext(32);
        let flags = gate(&get(&self.flags), &is(source1::CC)).zext(32);
        let gpr_a = wire("a_gpr", is(source1::GPR));
        let shared_a = wire("a_shared", is(source1::SHARED));
        let from_r1 = source("from_r1", halved(&get(&self.r1), &gpr_a, &c.s1_half, &c.s1_hi));
        let from_shared = source("from_shared", loaded(&get(&self.shared), &shared_a, &c.s1_size, &c.s1_half));
        let mut others = wire("from_address", address) | wire("from_flags", flags) | wire("from_clock", clock);
        if let Some(thread) = self.thread.get() {
            others = others | gate(&of_lane(&self._d, &get(thread), &c.lane), &is(source1::LANE));
        }
        let a = from_r1 | from_shared | wire("from_others", others);
        let constant = get(&self.constant);
        let from_r2 = source("from_r2", halved(&get(&self.r2), &gpr_b, &c.s2_half, &c.s2_hi));
        let from_constant = loaded(&constant, &constant_b, &c.c_size, &zero(1));
        let b = from_r2 | source("from_constant", from_constant) | wire("from_immediate", imm);
        match self.thread.get() {
            Some(_) => {
                let b = wire("second", b);
                let a = a | gate(&b, &is(source1::SECOND));
                match &extras {
                    Some(e) => {
                        set(&self.a, extended(&a, &e.extend1));
                        set(&self.b, with_field(&extended(&b, &e.extend2), &e.field));
                    }
                    None => {
                        set(&self.a, a);
                        set(&self.b, b);
                    }
                }
            }
            None => {
                set(&self.a, a);
                set(&self.b, b);
            }
        }
        let from_r3 = source("from_r3", halved(&get(&self.r3), &gpr_c, &c.s3_half, &c.s3_hi));
        let constant_c = loaded(&constant, &!&gpr_c, &c.c_size, &zero(1));
        let third = from_r3 | source("constant_c", constant_c);
        let third = match &extras {
            Some(e) => extended(&third, &e.extend3),
            None => third,
        };
        set(&self.c, third);
        if let (Some(to), Some(r4), Some(e)) = (self.d.get(), self.r4.get(), &extras) {
            let on = lit(1, 1);
            set(to, source("from_r4", halved(&get(r4), &on, &e.half4, &e.hi4)));
        }
    }
}

rtl_block!(OperandSelect, "operand_select");
