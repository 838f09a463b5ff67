//! Operands: which part of its registers a channel reads and writes, and whether a chip has such a one.

use super::word::Word;
use crate::rtl::prelude::*;
use warpsmith_isa::ivb::fields::{
    three, Source as Coded, Third, DST_FILE, DST_INDIRECT, DST_REG, DST_STRIDE, DST_SUB, DST_TYPE, IMMEDIATE,
};

/// Register file codes.
const ARCHITECTURE: u64 = 0;
const GENERAL: u64 = 1;
const IMMEDIATE_FILE: u64 = 3;
/// Components in their order.
const IN_ORDER: u64 = 0b11_10_01_00;
/// Codes of types of three sources.
const D: u64 = 1;

/// How many channels an instruction has.
pub(super) struct Channels {
    pub one: Expr,
    pub eight: Expr,
    pub sixteen: Expr,
}

/// A type of three bits: UD, D, UW, W, F.
pub(super) struct Kind {
    pub code: Expr,
    /// 16 bits.
    pub word: Expr,
    pub float: Expr,
    /// An integer with a sign.
    pub signed: Expr,
    /// It is one that chips have.
    pub known: Expr,
}

impl Kind {
    fn of(name: &str, code: &Expr) -> Self {
        let code = wire(&format!("{name}_type"), code);
        let integer = !code.bit(2);
        let float = wire(&format!("{name}_is_float"), code.is(7));
        Self {
            word: wire(&format!("{name}_is_word"), &integer & &code.bit(1)),
            signed: wire(&format!("{name}_is_signed"), &integer & &code.bit(0)),
            known: integer | &float,
            float,
            code,
        }
    }

    /// It is UD.
    pub fn is_ud(&self) -> Expr {
        self.code.is(0)
    }

    /// It is UD or D.
    pub fn is_dword(&self) -> Expr {
        !self.code.bits(1, 2).any()
    }
}

/// What an operand of the lane reads.
pub(super) struct Read {
    /// Register, 7 bits.
    pub register: Expr,
    pub region: Expr,
    pub sub: Expr,
    pub half: Expr,
    pub hi: Expr,
    pub extend: Expr,
    /// It takes two registers.
    pub two: Expr,
}

impl Read {
    /// This one where `on`, else nothing.
    pub fn gated(&self, on: &Expr) -> Self {
        let of = |x: &Expr| x & &on.repeat(x.width());
        Self {
            register: of(&self.register),
            region: of(&self.region),
            sub: of(&self.sub),
            half: of(&self.half),
            hi: of(&self.hi),
            extend: of(&self.extend),
            two: of(&self.two),
        }
    }

    /// One of two of which one at most is something.
    pub fn or(&self, o: &Self) -> Self {
        Self {
            register: &self.register | &o.register,
            region: &self.region | &o.region,
            sub: &self.sub | &o.sub,
            half: &self.half | &o.half,
            hi: &self.hi | &o.hi,
            extend: &self.extend | &o.extend,
            two: &self.two | &o.two,
        }
    }
}

/// A source of an instruction with one or two.
pub(super) struct Source {
    pub kind: Kind,
    pub neg: Expr,
    pub abs: Expr,
    /// It is the immediate.
    pub number: Expr,
    /// It is no register and no immediate; of `math` the second.
    pub null: Expr,
    /// It is a register, or with `null` none, in a way that decodes.
    pub shaped: Expr,
    /// A chip reads it: a region of a general register.
    pub read: Expr,
    pub packed: Expr,
    pub from: Read,
}

impl Source {
    /// A source by its fields; `name` is s0 or s1.
    pub fn of(w: &Word, name: &str, s: &Coded, channels: &Channels) -> Self {
        let named = |what: &str, x: Expr| wire(&format!("{name}_{what}"), x);
        let kind = Kind::of(name, &w.field(s.kind));
        let file = w.field(s.file);
        let number = named("is_number", file.is(IMMEDIATE_FILE));
        let (vertical, width, horizontal) = (w.field(s.vertical), w.field(s.width), w.field(s.horizontal));
        let (sub, register) = (w.field(s.sub), w.field(s.reg));
        let is = |v: u64, w: u64, h: u64| all_of(&[vertical.is(v), width.is(w), horizontal.is(h)]);
        let dword = named("is_dword", &kind.known & &!&kind.word);
        // Codes: a vertical stride of 2^(v - 1), a width of 2^w, a horizontal stride of 2^(h - 1) elements, 0 for none.
        let even = |h: u64| {
            let rows = (1..=3).map(|w| is(w + h, w, h));
            any_of(&rows.chain([is(h, 0, 0)]).collect::<Vec<_>>())
        };
        let dense = named("is_dense", even(1));
        // A row of sixteen fits in a register where it is of words.
        let sixteens = &channels.sixteen & is(5, 4, 1);
        let start = named("at_start", !sub.bits(0, 4).any());
        let row = &dword & &dense & &start & !sub.bit(4);
        let half_row = &kind.word & &even(2) & !(sub.bits(2, 3).any() | sub.bit(0));
        let packed = &kind.word & &(&dense | sixteens) & &start & !(sub.bit(4) & &channels.sixteen);
        let packed = named("is_packed", packed & !&channels.one);
        let rows = named("is_row", (row | half_row) & !&channels.one);
        let aligned = !(sub.bit(0) | (&dword & sub.bit(1)));
        let scalar = named("is_scalar", is(0, 0, 0) & aligned);
        let two = named("takes_two", &rows & &channels.sixteen);
        let direct = named("is_direct", !w.field(s.indirect));
        let inside = !register.bit(7) & !(&two & register.bits(0, 7).all());
        let read = all_of(&[
            file.is(GENERAL),
            direct.clone(),
            kind.known.clone(),
            any_of(&[rows, packed.clone(), scalar.clone()]),
            inside,
        ]);
        // Strides and width have a meaning.
        let shaped = !vertical.bit(3) & !vertical.bits(0, 3).all() & !(width.bit(2) & width.bits(0, 2).any());
        // ROW is 0, PACKED 1, SCALAR 2.
        let region = cat([&scalar, &packed]);
        Self {
            neg: named("neg", w.field(s.neg) & !&number),
            abs: named("abs", w.field(s.abs) & !&number),
            null: named("is_null", file.is(ARCHITECTURE) & &direct & !register.any()),
            shaped: named("is_shaped", shaped & direct),
            read: named("is_read", read),
            from: Read {
                register: register.bits(0, 7),
                region,
                sub: sub.bits(2, 3),
                half: kind.word.clone(),
                hi: &kind.word & &sub.bit(1),
                extend: &kind.word & &kind.signed,
                two,
            },
            packed,
            number,
            kind,
        }
    }
}

/// A source of an instruction with three.
pub(super) struct ThirdSource {
    pub neg: Expr,
    pub abs: Expr,
    /// A chip reads it.
    pub read: Expr,
    pub from: Read,
}

impl ThirdSource {
    /// A source by its fields; `name` is t0, t1 or t2.
    pub fn of(w: &Word, name: &str, s: &Third, channels: &Channels) -> Self {
        let (register, sub) = (w.field(s.reg), w.field(s.sub));
        let scalar = wire(&format!("{name}_is_scalar"), w.field(s.replicate));
        let row = all_of(&[w.field(s.swizzle).is(IN_ORDER), !sub.any(), !&channels.one]);
        Self {
            neg: w.field(s.neg),
            abs: w.field(s.abs),
            read: wire(&format!("{name}_is_read"), !register.bit(7) & (&scalar | row)),
            from: Read {
                register: register.bits(0, 7),
                region: cat([&scalar, &zero(1)]),
                sub,
                half: zero(1),
                hi: zero(1),
                extend: zero(1),
                two: zero(1),
            },
        }
    }
}

/// The destination of an instruction with one or two sources.
pub(super) struct Target {
    pub kind: Kind,
    /// It is a general register.
    pub general: Expr,
    pub null: Expr,
    /// It begins at the start of its register.
    pub at_start: Expr,
    /// A chip writes it, or it is null.
    pub written: Expr,
    /// Register, 7 bits.
    pub register: Expr,
    /// Dword, 3 bits.
    pub to: Expr,
    /// High word of a dword.
    pub hi: Expr,
    /// The stride is 2.
    pub by_two: Expr,
}

impl Target {
    /// By its fields.
    pub fn of(w: &Word, channels: &Channels) -> Self {
        let kind = Kind::of("dst", &w.field(DST_TYPE));
        let (register, sub, stride) = (w.field(DST_REG), w.field(DST_SUB), w.field(DST_STRIDE));
        let (file, direct) = (w.field(DST_FILE), !w.field(DST_INDIRECT));
        let general = wire("dst_is_general", file.is(GENERAL) & &direct & !register.bit(7));
        let null = wire("dst_is_null", file.is(ARCHITECTURE) & direct & !register.any());
        let aligned = !(sub.bit(0) | (!&kind.word & sub.bit(1)));
        let rows = stride.is(1) & !&kind.word | (stride.is(2) & &kind.word);
        let rows = rows & !sub.bits(2, 3).any() & !(&channels.sixteen & register.bits(0, 7).all());
        let fits = aligned & channels.one.mux(&stride.any(), &rows);
        Self {
            written: wire("dst_is_written", &kind.known & &(&null | (&general & fits))),
            at_start: !sub.any(),
            to: sub.bits(2, 3),
            hi: &kind.word & &sub.bit(1),
            register: register.bits(0, 7),
            by_two: stride.is(2),
            kind,
            general,
            null,
        }
    }
}

/// The destination of an instruction with three sources: a chip writes it.
pub(super) fn third_written(w: &Word, channels: &Channels) -> Expr {
    let start = &channels.one | !w.field(three::SUB).any();
    wire("third_is_written", all_of(&[w.field(three::CHANNELS).all(), !w.field(three::REG).bit(7), start]))
}

/// Types of three sources and of their destination: floats, integers, integers with a sign.
pub(super) fn third_types(w: &Word) -> [Expr; 3] {
    let (from, to) = (w.field(three::SRC_TYPE), w.field(three::DST_TYPE));
    let integer = |t: &Expr| t.bit(0) ^ t.bit(1);
    let floats = !(from.any() | to.any());
    [wire("third_floats", floats), wire("third_integers", integer(&from) & integer(&to)), from.is(D)]
}

/// The immediate of a type, 32 bits.
pub(super) fn immediate(w: &Word, kind: &Kind) -> Expr {
    let all = w.field(IMMEDIATE);
    let sign = (&kind.signed & &all.bit(15)).repeat(16);
    kind.word.mux(&cat([&sign, &all.bits(0, 16)]), &all)
}
