//! Instructions of a run as lines of text, for `run --trace`.

use std::fmt::Write;
use warpsmith_isa::set::InstructionSet;
use warpsmith_model::Traced;

/// One instruction: block, warp, address, active and executing lanes, text; below it what it wrote, lane by
/// lane.
pub fn line(set: &dyn InstructionSet, t: &Traced) -> String {
    let [x, y, _] = t.block;
    let text = match set.decode(&t.code) {
        Ok(instr) => set.print(&instr, t.pc.into()),
        Err(e) => e.to_string(),
    };
    let mut out = format!(
        "({x}, {y}) warp {} 0x{:04x} active {:08x} executing {:08x}  {text}\n",
        t.warp, t.pc, t.active, t.executing
    );
    for w in &t.writes {
        let _ = write!(out, "  {} =", w.place);
        let digits = w.bits.div_ceil(4) as usize;
        for lane in (0..32).filter(|l| w.lanes >> l & 1 == 1) {
            let _ = write!(out, " {:0digits$x}", w.values[lane]);
        }
        out.push('\n');
    }
    out
}
