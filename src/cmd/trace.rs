//! Instructions of a run as lines of text, for `run --trace`.

use std::fmt::Write;
use warpsmith_isa::set::{Instr, InstructionSet};
use warpsmith_isa::uop::Place;
use warpsmith_model::uop::Step;

/// One instruction: block, warp, address, active and executing lanes, text; below it what it wrote, lane by
/// lane.
pub fn line(set: &dyn InstructionSet, block: [u32; 3], warp: u32, step: &Step) -> String {
    let [x, y, _] = block;
    let text = match set.decode(&step.code.to_vec()) {
        Ok(instr) => text(set, &instr, step.pc),
        Err(e) => e.to_string(),
    };
    let mut out = format!(
        "({x}, {y}) warp {warp} 0x{:04x} active {:08x} executing {:08x}  {text}\n",
        step.pc, step.active, step.executing
    );
    for w in step.writes.iter().flatten() {
        let _ = write!(out, "  {} =", place(&w.place));
        let digits = w.ty.bits().div_ceil(4) as usize;
        for lane in (0..32).filter(|l| w.lanes >> l & 1 == 1) {
            let _ = write!(out, " {:0digits$x}", w.values[lane]);
        }
        out.push('\n');
    }
    out
}

fn text(set: &dyn InstructionSet, instr: &Instr, pc: u32) -> String {
    set.print(instr, pc.into())
}

fn place(p: &Place) -> String {
    match p {
        Place::Register { index, byte: 0 } => format!("register {index}"),
        Place::Register { index, byte } => format!("register {index} byte {byte}"),
        Place::Uniform { index, .. } => format!("uniform {index}"),
        Place::Predicate(n) => format!("predicate {n}"),
        Place::Flag(n, sub) => format!("flag {n}.{sub}"),
        Place::Accumulator(n) => format!("accumulator {n}"),
        Place::Region(r) => format!("region at byte {}", r.byte),
        other => format!("{other:?}"),
    }
}
