//! Control words of a lane of micro-operations, and what the golden model makes of the same operations.

use warpsmith_hdl::sm::control::g13::mask;
use warpsmith_hdl::sm::control::uop::{count, format, op, tiny, UopControl};
use warpsmith_isa::uop::{self, Cond, FloatMode, Nan, Op, Place, Round, Special, Src, Tiny, Type};
use warpsmith_isa::FloatType;
use warpsmith_model::num::{convert, float, rro};
use warpsmith_model::uop::eval;

/// Which lane: the parameters of the block.
#[derive(Clone, Copy, Debug)]
pub struct Set {
    pub half: bool,
    pub quiet_nan: bool,
}

/// Control words of a block as tests choose them: the fields that they look at, and the word.
macro_rules! control_word {
    ($(#[$doc:meta])* $name:ident of $word:ident { $($field:ident: $ty:ty),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name { $(pub $field: $ty),* }

        impl $name {
            /// The control word; fields that are not named are 0.
            pub fn word(&self) -> u64 {
                $word::word((), &[$((stringify!($field), self.$field.into())),*])
            }
        }
    };
}
pub(super) use control_word;

control_word! {
    /// What a lane of micro-operations does.
    Uop of UopControl {
        op: u64, signed_a: bool, signed_b: bool, high: bool, accumulate: bool, sat: bool, neg_a: bool, abs_a: bool,
        neg_b: bool, abs_b: bool, neg_c: bool, abs_c: bool, shift: u64, count: u64, reverse: bool, table: u64,
        table_2: u64, cond: u64, float: bool, half_a: bool, half_b: bool, half_c: bool, flush: bool, tiny: u64,
        round: u64, zero_product: bool, format: u64, integral: bool, from: u64, to: u64,
    }
}

/// Operands: a, b, c, predicates.
#[derive(Clone, Copy, Debug, Default)]
pub struct Operands {
    pub a: u32,
    pub b: u32,
    pub c: u32,
    /// Where there are halves.
    pub d: u32,
    pub p: u32,
}

/// Result and predicate results, those that the operation has.
pub fn expected(set: Set, u: &Uop, x: &Operands) -> (Option<u32>, Option<u32>) {
    match u.op {
        op::COMPARE => (None, Some(compare(set, u, x, u.table as u8))),
        op::PREDICATES => {
            let logic = Op::PredicateLogic { first: u.table as u8, second: u.table_2 as u8 };
            let sources = [0, 1, 2].map(|n| (plain(Type::Bool), x.p >> n & 1));
            (None, Some(pair(run(logic, Type::Bool, FloatMode::default(), false, &sources))))
        }
        op::VOTE => (Some(x.b), Some(x.p & 1)),
        op::FADD | op::FMUL | op::FMA | op::F2F | op::F2I | op::I2F | op::SIN_FOLD => (Some(floats(set, u, x)), None),
        op::RRO_SIN | op::RRO_EX2 => (Some(reduction(set, u, x.a)), None),
        op::MASK => (Some(counter(set, u, x).into()), None),
        _ => (Some(words(set, u, x)), None),
    }
}

/// Bits of a result that count: those of `expected`.
pub fn q_mask(u: &Uop) -> u32 {
    if u.op == op::VOTE {
        1
    } else {
        3
    }
}

/// A source of a type without modifiers.
fn plain(ty: Type) -> Src {
    Src::new(Place::None, ty)
}

/// Results of one operation on sources with their bits.
fn run(op: Op, ty: Type, mode: FloatMode, saturate: bool, sources: &[(Src, u32)]) -> [u64; 2] {
    let src = sources.iter().map(|s| s.0).collect();
    let raw: Vec<u64> = sources.iter().map(|s| s.1.into()).collect();
    eval(&uop::Uop::new(op, ty, Place::None, src).with_mode(mode).saturating(saturate), &raw)
}

/// The result of one operation on integers.
fn whole(op: Op, ty: Type, saturate: bool, sources: &[(Src, u32)]) -> u32 {
    let [y, _] = run(op, ty, FloatMode::default(), saturate, sources);
    // Narrow results fill a register.
    let unused = 32 - ty.bits();
    match ty.is_signed() {
        true => ((y as i32) << unused >> unused) as u32,
        false => y as u32,
    }
}

fn pair([q1, q2]: [u64; 2]) -> u32 {
    q1 as u32 & 1 | (q2 as u32 & 1) << 1
}

fn word(signed: bool) -> Type {
    Type::int(32, signed)
}

/// The integer type of a format's code.
fn integer(code: u64) -> Type {
    Type::int(8 << (code & 3).min(2), code & 4 != 0)
}

impl Uop {
    /// The first operand as a float.
    fn float_a(&self, set: Set) -> Src {
        self.float_source(set, self.half_a, self.abs_a, self.neg_a)
    }

    /// The second operand as a float.
    fn float_b(&self, set: Set) -> Src {
        self.float_source(set, self.half_b, self.abs_b, self.neg_b)
    }

    /// The third operand as a float.
    fn float_c(&self, set: Set) -> Src {
        self.float_source(set, self.half_c, self.abs_c, self.neg_c)
    }

    fn float_source(&self, set: Set, half: bool, abs: bool, neg: bool) -> Src {
        let half = set.half && half;
        Src { abs, neg, flush: self.flush && !half, ..plain(if half { Type::F16 } else { Type::F32 }) }
    }

    /// Both operands of a comparison.
    fn compared(&self, set: Set) -> [Src; 2] {
        match self.float {
            true => [self.float_a(set), self.float_b(set)],
            false => [plain(word(self.signed_a)); 2],
        }
    }

    fn mode(&self, set: Set) -> FloatMode {
        FloatMode {
            round: [Round::Nearest, Round::Down, Round::Up, Round::Zero][self.round as usize],
            tiny: match self.tiny {
                tiny::FLUSH_ROUNDED => Tiny::FlushRounded,
                tiny::FLUSH_EXACT => Tiny::FlushExact,
                _ => Tiny::Keep,
            },
            nan: if set.quiet_nan { Nan::Quiet } else { Nan::AllOnes },
            zero_product: self.zero_product,
            ..FloatMode::default()
        }
    }

    /// The type of an integer sum of G13.
    fn clamped(&self) -> Type {
        match self.sat {
            true => integer(self.to),
            false => Type::U32,
        }
    }

    fn cond(&self) -> Cond {
        Cond(self.cond as u8)
    }
}

/// Both results of a comparison, each combined with the predicate.
fn compare(set: Set, u: &Uop, x: &Operands, combine: u8) -> u32 {
    let [a, b] = u.compared(set);
    let sources = [(a, x.a), (b, x.b), (plain(Type::Bool), x.p & 1)];
    pair(run(Op::Compare { cond: u.cond(), combine }, Type::Bool, FloatMode::default(), false, &sources))
}

/// The counter of a thread after an instruction of the execution mask.
fn counter(set: Set, u: &Uop, x: &Operands) -> u16 {
    let (v, n) = (x.c as u16, u.shift as u16);
    // The comparison alone.
    let holds = compare(set, u, x, 0b1010) & 1 == 1;
    match u.table {
        mask::POP => v.saturating_sub(n),
        mask::IF if v != 0 => v.wrapping_add(n),
        mask::IF => u16::from(!holds),
        mask::WHILE if v >= n => v,
        mask::WHILE if holds => 0,
        mask::WHILE => n,
        mask::ELSE if v == 0 => n,
        mask::ELSE if v == 1 => u16::from(!holds),
        mask::ELSE => v,
        _ => unreachable!("an operation of the mask"),
    }
}

fn floats(set: Set, u: &Uop, x: &Operands) -> u32 {
    let (a, b, c) = ((u.float_a(set), x.a), (u.float_b(set), x.b), (u.float_c(set), x.c));
    // G13 converts bytes, too.
    let bits = if set.half && u.from & 3 == 0 { 8 } else { 32 };
    let integer = Type::int(bits, u.from & 4 != 0);
    let signed = Src { abs: u.abs_a, neg: u.neg_a, ..plain(integer) };
    let mode = u.mode(set);
    let (operation, sources): (Op, Vec<(Src, u32)>) = match u.op {
        op::F2I => return whole_of(u, mode, a),
        op::FADD => (Op::Add, vec![a, b]),
        op::SIN_FOLD => {
            let single = run(Op::Convert, Type::F32, FloatMode::default(), false, &[a])[0] as u32;
            (Op::Special(Special::SinFold), vec![(plain(Type::F32), single)])
        }
        op::FMUL => (Op::Mul, vec![a, b]),
        op::FMA => (Op::MulAdd, vec![a, b, c]),
        op::I2F => (Op::Convert, vec![(signed, x.a & integer.mask() as u32)]),
        _ if u.integral => (Op::RoundToIntegral, vec![a]),
        _ => (Op::Convert, vec![a]),
    };
    match u.format {
        format::F16 => {
            let mode = FloatMode { tiny: Tiny::Keep, ..mode };
            run(operation, Type::F16, mode, u.sat, &sources)[0] as u32
        }
        // Rounded twice.
        format::F32_F16 if set.half => {
            let single = run(operation, Type::F32, mode, false, &sources)[0] as u32;
            let mode = FloatMode { nan: mode.nan, ..FloatMode::default() };
            run(Op::Convert, Type::F16, mode, u.sat, &[(plain(Type::F32), single)])[0] as u32
        }
        _ => run(operation, Type::F32, mode, u.sat, &sources)[0] as u32,
    }
}

/// A float as an integer, clamped to its format.
fn whole_of(u: &Uop, mode: FloatMode, a: (Src, u32)) -> u32 {
    let ty = integer(u.to);
    let y = run(Op::Convert, ty, mode, true, &[a])[0] as u32;
    whole(Op::Convert, ty, false, &[(plain(ty), y)])
}

/// The fixed-point codes of docs/numerics.md.
fn reduction(set: Set, u: &Uop, a: u32) -> u32 {
    let single = match set.half && u.half_a {
        true => {
            let magnitude = convert::f2f(
                a & 0x7fff,
                FloatType::F16,
                FloatType::F32,
                warpsmith_isa::Round::Nearest,
                false,
                false,
                false,
                false,
            );
            magnitude | (a >> 15 & 1) << 31
        }
        false => a,
    };
    let x = float::modify(single, u.abs_a, u.neg_a);
    if u.op == op::RRO_SIN {
        rro::sin(x)
    } else {
        rro::ex2(x)
    }
}

fn words(set: Set, u: &Uop, x: &Operands) -> u32 {
    let (a, b, c) = (x.a, x.b, x.c);
    let p = (plain(Type::Bool), x.p & 1);
    let unsigned = plain(Type::U32);
    let typed = plain(word(u.signed_a));
    let not = |src: Src, not: bool| Src { not, ..src };
    let mask = match u.count {
        count::MOD_32 => 31,
        count::MOD_128 if set.half => 127,
        _ => u32::MAX,
    };
    let one = |op: Op, sources: &[(Src, u32)]| whole(op, Type::U32, false, sources);
    match u.op {
        op::MINMAX => {
            let operation = if x.p & 1 == 1 { Op::Min } else { Op::Max };
            let [first, second] = u.compared(set);
            let (ty, nan) = if u.float { (Type::F32, u.mode(set).nan) } else { (typed.ty, Nan::AllOnes) };
            run(operation, ty, FloatMode { nan, ..FloatMode::default() }, false, &[(first, a), (second, b)])[0] as u32
        }
        op::CHOOSE => {
            let [first, second] = u.compared(set);
            one(Op::CompareSelect(u.cond()), &[(first, a), (second, b), (unsigned, c), (unsigned, x.d)])
        }
        op::ADD if set.half => {
            let both = u.neg_a && u.neg_b;
            let first = Src { neg: u.neg_a && !both, shift: u.shift as u8, ..typed };
            let second = Src { neg: u.neg_b && !both, ..plain(word(u.signed_b)) };
            whole(Op::Add, u.clamped(), u.sat, &[(first, a), (second, b), (unsigned, both.into())])
        }
        op::MUL if set.half => {
            let third = Src { neg: u.neg_c, shift: u.shift as u8, ..plain(word(u.from & 4 != 0)) };
            whole(Op::MulAdd, u.clamped(), u.sat, &[(typed, a), (plain(word(u.signed_b)), b), (third, c)])
        }
        // Both negative: a + b + 1.
        op::ADD => sum(typed.ty, u.sat, (a, u.neg_a, u.shift as u8), (b, u.neg_b)),
        op::MUL => {
            let factors = [(typed, a), (plain(word(u.signed_b)), b)];
            let part = one(if u.high { Op::MulHigh } else { Op::Mul }, &factors);
            let third = if u.accumulate { (c, u.neg_c) } else { (0, false) };
            sum(Type::S32, u.sat, (part, u.neg_a, 0), third)
        }
        op::LOGIC => one(Op::Logic(u.table as u8), &[(not(unsigned, u.neg_a), a), (not(unsigned, u.neg_b), b)]),
        op::SHIFT_LEFT => one(Op::ShiftLeft { mask }, &[(unsigned, a), (unsigned, b)]),
        op::SHIFT_RIGHT => {
            let high = set.half && u.high;
            let shifted =
                one(Op::ShiftRight { mask }, &[(Src { shift: 32 * u8::from(high), ..typed }, a), (unsigned, b)]);
            if !(set.half && u.accumulate) {
                return shifted;
            }
            let at = if high { 32u32.saturating_sub(b & mask) } else { 0 };
            one(
                Op::Insert,
                &[(unsigned, c), (unsigned, shifted >> at.min(31)), (unsigned, at), (unsigned, b >> 8 & 0xff)],
            )
        }
        op::INSERT if set.half && u.high => {
            let count = b & 0xff;
            let value = one(Op::ShiftRight { mask: 127 }, &[(unsigned, a), (unsigned, 32u32.saturating_sub(count))]);
            let at = count.saturating_sub(32);
            one(Op::Insert, &[(unsigned, c), (unsigned, value), (unsigned, at), (unsigned, b >> 8 & 0xff)])
        }
        op::EXTRACT => {
            let a = if u.reverse { one(Op::Reverse, &[(unsigned, a)]) } else { a };
            one(Op::Extract, &[(typed, a), (unsigned, b & 0xff), (unsigned, b >> 8 & 0xff)])
        }
        op::INSERT => one(Op::Insert, &[(unsigned, c), (unsigned, a), (unsigned, b & 0xff), (unsigned, b >> 8 & 0xff)]),
        op::COUNT => {
            let both = one(Op::Logic(0b1000), &[(not(unsigned, u.neg_a), a), (not(unsigned, u.neg_b), b)]);
            one(Op::CountOnes, &[(unsigned, both)])
        }
        op::FIND => one(Op::FindHigh { from_top: u.reverse }, &[(not(typed, u.neg_a), a)]),
        op::SELECT => one(Op::Select, &[(unsigned, a), (unsigned, b), p]),
        op::COMPARE_SELECT => {
            let c = (if u.float { u.float_c(set) } else { typed }, c);
            let zero = (plain(c.0.ty), 0);
            one(Op::CompareSelect(u.cond()), &[c, zero, (unsigned, a), (unsigned, b)])
        }
        op::CONVERT => {
            let from = Src { abs: u.abs_a, neg: u.neg_a, ..plain(word(u.from & 4 != 0)) };
            whole(Op::Convert, integer(u.to), u.sat, &[(from, a)])
        }
        op::INTERLEAVE => one(Op::Interleave, &[(unsigned, a), (unsigned, b)]),
        op::SHIFT_PAIR => {
            let pair = one(Op::ShiftPair { mask }, &[(unsigned, a), (unsigned, c), (unsigned, b)]);
            one(Op::Extract, &[(unsigned, pair), (unsigned, 0), (unsigned, b >> 8 & 0xff)])
        }
        _ => a,
    }
}

/// ±a·2^shift ± b; a·2^shift + b + 1 where both are negative.
fn sum(ty: Type, sat: bool, (a, neg_a, shift): (u32, bool, u8), (b, neg_b): (u32, bool)) -> u32 {
    let both = neg_a && neg_b;
    let first = Src { neg: neg_a && !both, shift, ..plain(ty) };
    let second = Src { neg: neg_b && !both, ..plain(ty) };
    whole(Op::Add, ty, sat, &[(first, a), (second, b), (plain(Type::U32), both.into())])
}
