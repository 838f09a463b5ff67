//! Operations over the lanes of a warp.

use super::cause::Cause;
use super::eval::{eval, holds};
use super::read::bits;
use warpsmith_isa::uop::{AtomicOp, CrossOp, Op, Place, Shuffle, Src, Type, Uop};

/// Bits of the sources, by source and lane, those of inactive lanes, too.
pub type Gathered = Vec<[u64; 32]>;

/// Results of an operation: destination 0 and 1 of each lane.
///
/// # Errors
/// An operation that is not there.
pub fn apply(op: CrossOp, uop: &Uop, raw: &Gathered, executing: u32) -> Result<[[u64; 2]; 32], Cause> {
    let column = |l: usize| raw.iter().map(|s| s[l]).collect::<Vec<u64>>();
    let mask = |f: &dyn Fn(usize) -> bool| lanes_of(executing).filter(|l| f(*l)).fold(0u32, |m, l| m | 1 << l);
    let mut out = [[0; 2]; 32];
    match op {
        CrossOp::Ballot(cond) | CrossOp::QuadBallot(cond) => {
            let w = mask(&|l| holds(uop, &column(l), cond));
            for (l, o) in out.iter_mut().enumerate() {
                let quad = matches!(op, CrossOp::QuadBallot(_));
                o[0] = u64::from(if quad { w >> (l & 28) } else { w });
            }
        }
        CrossOp::VoteAll | CrossOp::VoteAny | CrossOp::VoteSame => {
            let not = uop.src.first().is_some_and(|s| s.not);
            let w = mask(&|l| (raw[0][l] & 1 == 1) != not);
            let vote = match op {
                CrossOp::VoteAll => w == executing,
                CrossOp::VoteAny => w != 0,
                _ => w == executing || w == 0,
            };
            out = [[w.into(), vote.into()]; 32];
        }
        CrossOp::Shuffle(s) => {
            let (a, b) = (sources(uop, raw, 0)?, sources(uop, raw, 1)?);
            for (l, o) in out.iter_mut().enumerate() {
                o[0] = shuffled(s, &a, &b, l);
            }
        }
        CrossOp::QuadShuffle(s) => {
            let (a, b) = (sources(uop, raw, 0)?, sources(uop, raw, 1)?);
            for (l, o) in out.iter_mut().enumerate() {
                o[0] = a[in_quad(s, l, b[l])];
            }
        }
        CrossOp::Reduce { op, lanes, exclusive } => {
            let a = sources(uop, raw, 0)?;
            for first in (0..32).step_by(usize::from(lanes.max(1))) {
                let group = ((1u64 << lanes.min(32)) - 1) << first;
                fold(op, uop, &a, executing & group as u32, exclusive, &mut out);
            }
        }
        CrossOp::QuadDifference { with } => {
            let a = sources(uop, raw, 0)?;
            let with = usize::from(with & 3);
            let src = Src::new(Place::None, uop.src.first().map_or(uop.ty, |s| s.ty));
            let minus = Src { neg: true, ..src };
            let difference = binary(uop, Op::Add, vec![src, minus]).saturating(uop.saturate);
            for (l, o) in out.iter_mut().enumerate() {
                o[0] = eval(&difference, &[a[l | with], a[l & !with]])[0];
            }
        }
    }
    Ok(out)
}

/// Lanes of a mask, ascending.
fn lanes_of(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |l| mask >> l & 1 == 1)
}

/// Bits of source `n` in each lane, with its modifiers.
fn sources(uop: &Uop, raw: &Gathered, n: usize) -> Result<[u64; 32], Cause> {
    match (uop.src.get(n), raw.get(n)) {
        (Some(src), Some(raw)) => Ok(raw.map(|v| bits(src, v))),
        _ => Err(Cause::Operand("an operation over lanes without its sources")),
    }
}

/// What lane `l` gets: a quad exchanges its values first, by the or of what its lanes ask for; then the lane
/// takes its own place of the quad it asks for.
fn shuffled(s: Shuffle, a: &[u64; 32], b: &[u64; 32], l: usize) -> u64 {
    let by = b[l] as usize;
    let from = match s {
        Shuffle::To => by,
        Shuffle::Down => by + l,
        Shuffle::Up => match l.checked_sub(by) {
            Some(from) => from,
            None => return a[l],
        },
        Shuffle::Rotate => l.wrapping_sub(by) & 31,
        Shuffle::Xor => l ^ by,
    };
    if from >= 32 {
        return a[l];
    }
    let quad = from & 28;
    let asked = (b[quad] | b[quad + 1] | b[quad + 2] | b[quad + 3]) as usize;
    // Within the quad that the value comes from, by what its own lanes ask for.
    a[quad | turned(s, l & 3, asked & 3)]
}

/// Place in its quad that place `j` takes a value from, in a quad that turns by `k`.
fn turned(s: Shuffle, j: usize, k: usize) -> usize {
    match s {
        Shuffle::To => k,
        Shuffle::Down => (j + k) & 3,
        Shuffle::Up | Shuffle::Rotate => j.wrapping_sub(k) & 3,
        Shuffle::Xor => j ^ k,
    }
}

/// Lane that lane `l` takes a value from in a shuffle of its quad.
fn in_quad(s: Shuffle, l: usize, b: u64) -> usize {
    let (quad, j, k) = (l & 28, l & 3, (b & 3) as usize);
    let beyond = match s {
        Shuffle::Down => j + k > 3,
        Shuffle::Up => k > j,
        _ => false,
    };
    quad | if beyond { j } else { turned(s, j, k) }
}

/// A micro-operation on two values of the type of another.
fn binary(uop: &Uop, op: Op, src: Vec<Src>) -> Uop {
    Uop::new(op, uop.ty, Place::None, src).with_mode(uop.mode)
}

/// Folds the values of the lanes of a group, ascending. Floats are rounded in each step; the first value
/// is brought into the type, too.
fn fold(op: AtomicOp, uop: &Uop, values: &[u64; 32], group: u32, exclusive: bool, out: &mut [[u64; 2]; 32]) {
    let ty = uop.ty;
    let src = Src::new(Place::None, ty);
    let zero = Src::immediate(0, ty);
    let step = match op {
        AtomicOp::Mul if ty.is_float() => binary(uop, Op::MulAdd, vec![src, src, zero]),
        AtomicOp::Min => binary(uop, Op::Min, vec![src, src]),
        AtomicOp::Max => binary(uop, Op::Max, vec![src, src]),
        _ => binary(uop, Op::Add, vec![src, src]),
    };
    let alone = binary(uop, Op::Convert, vec![src]);
    let mut sum = None;
    for l in lanes_of(group) {
        let v = values[l];
        out[l][0] = sum.unwrap_or_else(|| identity(op, ty));
        sum = Some(match sum {
            None if ty.is_float() => eval(&alone, &[v])[0],
            None => v & ty.mask(),
            Some(sum) if ty.is_float() => eval(&step, &[sum, v, 0])[0],
            Some(sum) => op.combine(ty, sum, v, 0),
        });
    }
    if let (false, Some(sum)) = (exclusive, sum) {
        lanes_of(group).for_each(|l| out[l][0] = sum);
    }
}

/// The value that changes nothing in a fold; of floats, +0 in a sum and 1 in a product.
fn identity(op: AtomicOp, ty: Type) -> u64 {
    let sign = 1 << (ty.bits() - 1);
    match op {
        AtomicOp::And => ty.mask(),
        AtomicOp::Min if ty.is_signed() => ty.mask() & !sign,
        AtomicOp::Min => ty.mask(),
        AtomicOp::Max if ty.is_signed() => sign,
        AtomicOp::Mul => match ty {
            Type::F16 => 0x3c00,
            Type::F32 => 0x3f80_0000,
            Type::F64 => 0x3ff0 << 48,
            _ => 1,
        },
        _ => 0,
    }
}
