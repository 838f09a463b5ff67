//! The lane under Verilator against the reference functions of floats.

use super::float_numbers::number;
use super::float_reference::{expected, Op};
use crate::support::{Random, Simulation};
use std::sync::OnceLock;
use warpsmith_hdl::config::{Floats, Semantics};
use warpsmith_hdl::emit::emit_leaf;
use warpsmith_hdl::sm::control::unit;
use warpsmith_hdl::sm::pipeline::execute::lane::Lane;
use warpsmith_hdl::sm::pipeline::timing::STAGES;

/// Cycles from operands to result.
const LATENCY: usize = STAGES;
/// Operations issued in one run.
const BATCH: usize = 1 << 18;

/// Operation, a, b, c.
pub type Work = (Op, u32, u32, u32);

pub fn lane() -> Option<&'static Simulation> {
    static LANE: OnceLock<Option<Simulation>> = OnceLock::new();
    LANE.get_or_init(|| Simulation::build(&emit_leaf(&Lane::new(Floats::All, Semantics::G80)))).as_ref()
}

pub fn simulate(lane: &Simulation, work: &[Work]) -> Vec<(u32, u32)> {
    let row = |(op, a, b, c): &Work| {
        let [low, high] = op.words();
        vec![low, high, *a, *b, *c, op.noise >> 31]
    };
    let mut rows: Vec<Vec<u32>> = work.iter().map(row).collect();
    rows.resize(work.len() + LATENCY, vec![0; 6]);
    lane.run(&rows)[LATENCY..]
        .iter()
        .zip(work)
        .map(|(r, (op, ..))| {
            // A range reduction has no flags.
            let reduction = op.unit == unit::RRO_SIN || op.unit == unit::RRO_EX2;
            (r[0], if reduction { 0 } else { r[1] })
        })
        .collect()
}

pub fn check(lane: &Simulation, work: &[Work]) {
    let wrong: Vec<String> = work
        .iter()
        .zip(simulate(lane, work))
        .filter(|((op, a, b, c), got)| expected(op, *a, *b, *c) != *got)
        .take(5)
        .map(|((op, a, b, c), got)| {
            let want = expected(op, *a, *b, *c);
            format!("{op:?}\n  {a:08x} {b:08x} {c:08x}\n  lane {got:x?}, reference {want:x?}")
        })
        .collect();
    assert!(wrong.is_empty(), "lane differs from the reference:\n{}", wrong.join("\n"));
}

/// Runs `count` operations that `make` chooses, in batches.
pub fn check_many(count: usize, seed: u64, mut make: impl FnMut(usize, &mut Random) -> Work) {
    let Some(lane) = lane() else { return };
    let mut r = Random(seed);
    for start in (0..count).step_by(BATCH) {
        let end = count.min(start + BATCH);
        check(lane, &(start..end).map(|i| make(i, &mut r)).collect::<Vec<_>>());
    }
}

/// Fills the fields `op` does not read with anything.
pub fn noisy(op: Op, r: &mut Random) -> Op {
    let noise = r.word();
    let bit = |n: u32| noise >> n & 1 == 1;
    let op = Op { noise, ..op };
    match op.unit {
        unit::FMUL | unit::FMAD | unit::FADD => Op { from: noise & 7, to: noise >> 21 & 7, ..op },
        unit::SET | unit::MINMAX => Op { sat: bit(25), round: noise >> 9 & 3, ..op },
        unit::RRO_SIN | unit::RRO_EX2 => {
            Op { neg_b: bit(26), round: noise >> 9 & 3, from: noise & 7, to: noise >> 21 & 7, ..op }
        }
        unit::F2I => Op { sat: bit(25), neg_b: bit(26), ..op },
        _ => Op { neg_b: bit(26), ..op },
    }
}

/// A number whose exponent lies near that of `x`, or whose sum with it cancels.
pub fn near(x: u32, r: &mut Random) -> u32 {
    let e = x >> 23 & 0xff;
    let other = (e + r.below(56)).saturating_sub(28).clamp(1, 254);
    match r.below(8) {
        0 => x ^ r.below(8) ^ 1 << 31,
        1 => x.wrapping_add(r.below(9)).wrapping_sub(4) ^ 1 << 31,
        2 => r.word() & 0x807f_ffff | e << 23,
        // Few bits: ties.
        3 => r.word() & 0xffc0_0000u32.wrapping_shl(r.below(3)) & 0x807f_ffff | other << 23,
        4 => number(r),
        _ => r.word() & 0x807f_ffff | other << 23,
    }
}
