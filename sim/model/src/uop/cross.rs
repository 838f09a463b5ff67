//! Operations over the lanes of a warp.

use super::cause::Cause;
use super::eval::holds;
use warpsmith_isa::uop::{CrossOp, Uop};

/// Bits of the sources, by source and lane, those of inactive lanes, too.
pub type Gathered = Vec<[u64; 32]>;

/// Results of an operation: destination 0 and 1 of each lane.
///
/// # Errors
/// An operation that is not there.
pub fn apply(
    op: CrossOp,
    uop: &Uop,
    raw: &Gathered,
    executing: u32,
) -> Result<[[u64; 2]; 32], Cause> {
    let lanes = || (0..32).filter(|l| executing >> l & 1 == 1);
    let column = |l: usize| raw.iter().map(|s| s[l]).collect::<Vec<u64>>();
    let mask = |f: &dyn Fn(usize) -> bool| lanes().filter(|l| f(*l)).fold(0u32, |m, l| m | 1 << l);
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
        _ => return Err(Cause::Operand("the operation over lanes is not there")),
    }
    Ok(out)
}
