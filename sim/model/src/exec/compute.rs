//! Arithmetic: every operation with operands and a result, for 32 threads at once.

use crate::num::{convert, float, int, rro, sfu};
use crate::record::Lanes;
use warpsmith_isa::{AddKind, Dst, Instr, MulKind, Op, Width, WARP_SIZE};

/// Results of one operation, with flags when they are wanted. `APART`: they have a loop of their own, so that both
/// vectorise where the operation does.
pub(crate) struct Sink<'a, const APART: bool> {
    pub values: &'a mut Lanes,
    pub flags: &'a mut [u8; WARP_SIZE],
    pub want_flags: bool,
}

impl<const APART: bool> Sink<'_, APART> {
    /// Runs `f(thread)` for all 32; the loop without flags lets the compiler drop their work.
    #[inline(always)]
    fn each(&mut self, f: impl Fn(usize) -> (u32, u8)) -> bool {
        if self.want_flags && APART {
            for l in 0..WARP_SIZE {
                self.values[l] = f(l).0;
            }
            for l in 0..WARP_SIZE {
                self.flags[l] = f(l).1;
            }
        } else if self.want_flags {
            for l in 0..WARP_SIZE {
                (self.values[l], self.flags[l]) = f(l);
            }
        } else {
            for l in 0..WARP_SIZE {
                self.values[l] = f(l).0;
            }
        }
        true
    }
}

/// Arithmetic of every operation with three operands and a result. Returns whether the operation
/// sets flags.
pub(crate) fn compute<const APART: bool>(
    instr: &Instr, x: [&Lanes; 3], carry: &[u8; WARP_SIZE], mut out: Sink<'_, APART>,
) -> bool {
    let [a, b, c] = x;
    let cy = |l: usize| carry[l] & crate::num::C != 0;
    match instr.op {
        Op::IAdd { kind, width, sat } => match (width, kind, sat) {
            // The common adds have loops of their own, which vectorise.
            (Width::W32, AddKind::Add, false) => out.each(|l| int::add32(AddKind::Add, a[l], b[l], false, false)),
            (Width::W32, AddKind::Sub, false) => out.each(|l| int::add32(AddKind::Sub, a[l], b[l], false, false)),
            (Width::W32, _, _) => out.each(|l| int::add32(kind, a[l], b[l], cy(l), sat)),
            (Width::W16, _, _) => out.each(|l| int::add16(kind, a[l], b[l], cy(l), sat)),
        },
        Op::IMul16 { signed_a, signed_b } => out.each(|l| {
            let r = int::mul16(signed_a, signed_b, a[l], b[l]);
            (r, int::flags32(r))
        }),
        Op::IMul24 { signed, high } => out.each(|l| {
            let r = int::mul24(signed, high, a[l], b[l]);
            (r, int::flags32(r))
        }),
        Op::IMad { kind, mul, sat } => match (kind, mul, sat) {
            (AddKind::Add, MulKind::U16, false) => out.each(|l| {
                let m = int::mul16(false, false, a[l], b[l]);
                int::add32(AddKind::Add, m, c[l], false, false)
            }),
            _ => out.each(|l| int::add32(kind, int::mul_kind(mul, a[l], b[l]), c[l], cy(l), sat)),
        },
        Op::ISum { carry, neg_b, width } => {
            out.each(|l| int::sum(width, a[l], b[l], neg_b, (carry != 0).then(|| cy(l))))
        }
        Op::IMadSigned { neg_ab, neg_c, mul, sat } => {
            out.each(|l| int::signed_sum(int::mul_kind(mul, a[l], b[l]), c[l], neg_ab, neg_c, sat))
        }
        Op::ISad { width, signed } => out.each(|l| int::sad(width, signed, a[l], b[l], c[l])),
        Op::ISet { cond, width, signed } => out.each(|l| int::set(cond, width, signed, a[l], b[l])),
        Op::IMinMax { max, width, signed } => out.each(|l| int::min_max(max, width, signed, a[l], b[l])),
        Op::Shift { right, signed, width } => out.each(|l| int::shift(right, signed, width, a[l], b[l])),
        Op::Logic { op, not_a, not_b, width } => out.each(|l| int::logic(op, not_a, not_b, width, a[l], b[l])),
        Op::I2I { dst, src, neg, abs } => out.each(|l| {
            let r = convert::i2i(a[l], src, dst, neg, abs);
            (r, int::flags_int(dst, r))
        }),
        Op::I2F { dst, src, round, neg, abs, sat } => out.each(|l| {
            let r = convert::i2f(a[l], src, dst, round, neg, abs, sat);
            (r, convert::flags(dst, r))
        }),
        Op::F2I { dst, src, round, neg, abs } => out.each(|l| {
            let r = convert::f2i(a[l], src, dst, round, neg, abs);
            (r, int::flags_int(dst, r))
        }),
        Op::F2F { dst, src, round, to_int, neg, abs, sat } => out.each(|l| {
            let r = convert::f2f(a[l], src, dst, round, to_int, neg, abs, sat);
            (r, convert::flags(dst, r))
        }),
        Op::FAdd { neg_a, neg_b, round, sat } => out.each(|l| {
            let x = float::modify(a[l], false, neg_a);
            let y = float::modify(b[l], false, neg_b);
            with_float_flags(float::add(x, y, round), sat)
        }),
        Op::FMul { neg_a, neg_b, round } => out.each(|l| {
            let x = float::modify(a[l], false, neg_a);
            let y = float::modify(b[l], false, neg_b);
            with_float_flags(float::mul(x, y, round), false)
        }),
        Op::FMad { neg_ab, neg_c, sat } => out.each(|l| {
            let x = float::modify(a[l], false, neg_ab);
            let z = float::modify(c[l], false, neg_c);
            with_float_flags(float::mad(x, b[l], z), sat)
        }),
        Op::FMinMax { max, neg_a, abs_a, neg_b, abs_b } => out.each(|l| {
            let x = float::modify(a[l], abs_a, neg_a);
            let y = float::modify(b[l], abs_b, neg_b);
            with_float_flags(float::min_max(max, x, y), false)
        }),
        Op::FSet { cond, neg_a, abs_a, neg_b, abs_b } => out.each(|l| {
            let x = float::modify(a[l], abs_a, neg_a);
            let y = float::modify(b[l], abs_b, neg_b);
            float::set(cond, x, y)
        }),
        Op::FSlct { neg_c } => out.each(|l| float::select(a[l], b[l], float::modify(c[l], false, neg_c))),
        Op::Sfu { func, neg, abs, sat } => {
            for l in 0..WARP_SIZE {
                let r = sfu::apply(func, float::modify(a[l], abs, neg));
                out.values[l] = if sat { float::saturate(r) } else { r };
            }
            false
        }
        Op::Rro { ex2, neg, abs } => {
            for l in 0..WARP_SIZE {
                let x = float::modify(a[l], abs, neg);
                out.values[l] = if ex2 { rro::ex2(x) } else { rro::sin(x) };
            }
            false
        }
        Op::Mov { .. } | Op::LdConst | Op::C2R | Op::R2C | Op::A2R | Op::S2R => {
            *out.values = *a;
            false
        }
        Op::R2A { shift } => {
            for l in 0..WARP_SIZE {
                out.values[l] = (a[l] << (shift & 31)) & 0xffff;
            }
            false
        }
        Op::AddA => {
            let mask = if matches!(instr.dst, Dst::Addr(_)) { 0xffff } else { u32::MAX };
            for l in 0..WARP_SIZE {
                out.values[l] = a[l].wrapping_add(b[l]) & mask;
            }
            false
        }
        Op::DFma { .. }
        | Op::DAdd { .. }
        | Op::DMul { .. }
        | Op::DMinMax { .. }
        | Op::DSet { .. }
        | Op::DConvert { .. }
        | Op::Vote { .. }
        | Op::StShared { .. }
        | Op::LdShared { .. }
        | Op::LdGlobal { .. }
        | Op::StGlobal { .. }
        | Op::Atomic { .. }
        | Op::LdLocal { .. }
        | Op::StLocal { .. }
        | Op::Bra { .. }
        | Op::Cal { .. }
        | Op::Ret
        | Op::Pbk { .. }
        | Op::Brk
        | Op::Ssy { .. }
        | Op::Bar { .. }
        | Op::Trap
        | Op::Bpt
        | Op::Nop
        | Op::PmTrig { .. }
        | Op::Unsupported => false,
    }
}

#[inline(always)]
fn with_float_flags(r: u32, sat: bool) -> (u32, u8) {
    let r = if sat { float::saturate(r) } else { r };
    (r, float::flags(r))
}
