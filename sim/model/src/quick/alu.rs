//! Arithmetic of the quick path: loops of their own for what programs do most, whose cases are decided outside of them.

use super::float;
use crate::exec::{self, Sink};
use crate::num::float::saturate;
use crate::num::{int, S, Z};
use crate::record::Lanes;
use warpsmith_isa::{AddKind, Dst, Family, Instr, LogicOp, MulKind, Op, Round, Src, Width, WARP_SIZE};

/// Results of an instruction, and its flags where it writes them.
#[derive(Default)]
#[repr(C)]
pub(crate) struct Results {
    pub values: Lanes,
    pub flags: [u8; WARP_SIZE],
}

/// Whether an operation is arithmetic or a move of one thread, on registers of 32 bits.
pub(super) fn knows(op: &Op) -> bool {
    match op.family() {
        Family::Integer | Family::Float | Family::Conversion | Family::Special => true,
        Family::Move => !matches!(op, Op::Vote { .. }),
        Family::Memory => *op == Op::LdConst,
        Family::Control => matches!(op, Op::Nop | Op::PmTrig { .. }),
        Family::Double => false,
    }
}

/// Computes; whether the operation sets flags.
#[inline(always)]
pub(super) fn compute(instr: &Instr, x: [&Lanes; 3], carry: &[u8; WARP_SIZE], out: &mut Results) -> bool {
    let [a, b, _] = x;
    let flags = instr.cdst.is_some();
    match instr.op {
        Op::Mov { .. } | Op::LdConst | Op::A2R | Op::C2R | Op::R2C | Op::S2R => {
            out.values = *a;
            return false;
        }
        Op::FMad { neg_ab, neg_c, sat } => {
            float::mad(x, (neg_ab, neg_c), &mut out.values);
            return floats(out, flags, sat);
        }
        Op::FAdd { neg_a, neg_b, round: Round::Nearest, sat } => {
            float::add(a, b, (neg_a, neg_b), &mut out.values);
            return floats(out, flags, sat);
        }
        Op::FMul { neg_a, neg_b, round: Round::Nearest } => {
            float::mul(a, b, (neg_a, neg_b), &mut out.values);
            return floats(out, flags, false);
        }
        Op::IAdd { kind: AddKind::Add, width: Width::W32, sat: false } => {
            add(AddKind::Add, a, b, flags, out);
            return true;
        }
        Op::IAdd { kind: AddKind::Sub, width: Width::W32, sat: false } => {
            add(AddKind::Sub, a, b, flags, out);
            return true;
        }
        Op::IMad { kind: AddKind::Add, mul: MulKind::U16, sat: false } if !flags => {
            for l in 0..WARP_SIZE {
                out.values[l] = int::mul16(false, false, a[l], b[l]).wrapping_add(x[2][l]);
            }
            return true;
        }
        Op::IMul16 { signed_a: false, signed_b: false } if !flags => {
            for l in 0..WARP_SIZE {
                out.values[l] = int::mul16(false, false, a[l], b[l]);
            }
            return true;
        }
        // An address register takes the low half.
        Op::R2A { shift } => {
            for l in 0..WARP_SIZE {
                out.values[l] = a[l] << (shift & 31);
            }
            return false;
        }
        Op::AddA if matches!(instr.dst, Dst::Addr(_)) => {
            for l in 0..WARP_SIZE {
                out.values[l] = a[l].wrapping_add(b[l]);
            }
            return false;
        }
        Op::ISet { cond: cond @ 0..0x10, width: Width::W32, signed } => {
            set(cond, signed, a, b, out);
            return true;
        }
        Op::Logic { op, not_a, not_b, width: Width::W32 } if !flags => {
            let values = &mut out.values;
            let (na, nb) = ((not_a as u32).wrapping_neg(), (not_b as u32).wrapping_neg());
            match op {
                LogicOp::And => (0..WARP_SIZE).for_each(|l| values[l] = (a[l] ^ na) & (b[l] ^ nb)),
                LogicOp::Or => (0..WARP_SIZE).for_each(|l| values[l] = (a[l] ^ na) | (b[l] ^ nb)),
                LogicOp::Xor => (0..WARP_SIZE).for_each(|l| values[l] = a[l] ^ na ^ b[l] ^ nb),
                LogicOp::PassB => (0..WARP_SIZE).for_each(|l| values[l] = b[l] ^ nb),
            }
            return true;
        }
        Op::Shift { right, signed, width: Width::W32 } if !flags => {
            if let Src::Imm(count @ 0..32) = instr.src[1] {
                let values = &mut out.values;
                match (right, signed) {
                    (false, _) => (0..WARP_SIZE).for_each(|l| values[l] = a[l] << count),
                    (true, false) => (0..WARP_SIZE).for_each(|l| values[l] = a[l] >> count),
                    (true, true) => (0..WARP_SIZE).for_each(|l| values[l] = (a[l] as i32 >> count) as u32),
                }
                return true;
            }
        }
        _ => {}
    }
    let sink = Sink::<true> { values: &mut out.values, flags: &mut out.flags, want_flags: flags };
    exec::compute(instr, x, carry, sink)
}

/// Ends an operation on floats.
#[inline(always)]
fn floats(out: &mut Results, flags: bool, sat: bool) -> bool {
    if sat {
        out.values.iter_mut().for_each(|v| *v = saturate(*v));
    }
    if flags {
        for l in 0..WARP_SIZE {
            out.flags[l] = crate::num::float::flags(out.values[l]);
        }
    }
    true
}

/// Sums or differences, without a carry in.
#[inline(always)]
pub(super) fn add(kind: AddKind, a: &Lanes, b: &Lanes, flags: bool, out: &mut Results) {
    for l in 0..WARP_SIZE {
        out.values[l] = int::add32(kind, a[l], b[l], false, false).0;
    }
    if flags {
        for l in 0..WARP_SIZE {
            out.flags[l] = int::add32(kind, a[l], b[l], false, false).1;
        }
    }
}

/// A comparison of words: all ones where it holds.
#[inline(always)]
fn set(cond: u8, signed: bool, a: &Lanes, b: &Lanes, out: &mut Results) {
    let wanted = |bit: u8| u32::from(cond >> bit & 1).wrapping_neg();
    let (less, equal, greater) = (wanted(0), wanted(1), wanted(2));
    // Unsigned numbers are ordered as signed ones with the other sign.
    let other = if signed { 0 } else { 1 << 31 };
    for l in 0..WARP_SIZE {
        let (x, y) = ((a[l] ^ other) as i32, (b[l] ^ other) as i32);
        let mask = |holds: bool| u32::from(holds).wrapping_neg();
        out.values[l] = mask(x < y) & less | mask(x == y) & equal | mask(x > y) & greater;
    }
    for l in 0..WARP_SIZE {
        out.flags[l] = if out.values[l] != 0 { S } else { Z };
    }
}
