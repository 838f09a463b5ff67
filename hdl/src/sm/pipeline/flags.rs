//! Flags of SM 1.0: four registers of zero, sign, carry and overflow a thread, and the guard.
//!
//! | port        | width   | meaning                                                              |
//! |-------------|---------|----------------------------------------------------------------------|
//! | `register`  | warp, 2 | the flag register that the beat reads: warp slot and number          |
//! | `beat`      | beat    | which threads                                                        |
//! | `condition` | 5       | the guard                                                            |
//! | `flags`     | 4 × l   | what the lanes read                                                  |
//! | `guard`     | l       | lanes whose flags meet the condition                                 |
//! | `write_*`   |         | flags that W writes                                                  |
//!
//! Timing: reads are combinational; what is written can be read in the next cycle.
//! Reset: none, flags are undefined. Errors: none.
//! Source: docs/semantics.md, Condition codes.

use super::bundles::{BeatTag, ConditionWrite};
use crate::config::{GpuConfig, WARP};
use crate::rtl::prelude::*;
use crate::sm::dims::Dims;

block! {
    /// See the module.
    pub struct Flags(cfg: &GpuConfig) {
        in register(d.warp + 2),
        in beat(d.beat),
        in condition(5),
        out flags(4 * d.lanes),
        out guard(d.lanes),
        part write(ConditionWrite<Sink> = written_to(&d)),
        /// A row a register, 4 bits a thread.
        part memory(Ram = Ram::with_granule(RamKind::Lut, d.warps * 4, WARP * 4, 4, 1)),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
    }
}

/// Lanes whose flags meet the guard condition; `row`: 4 bits a lane.
///
/// Where Z is known, a condition is an exclusive or of some of S, O or C, and 1.
fn guard(code: &Expr, row: &Expr) -> Expr {
    const Z: u8 = 1;
    const S: u8 = 2;
    const C: u8 = 4;
    const O: u8 = 8;
    let holds = |code: u8, flags: u8| warpsmith_isa::pred_holds(code, flags) == Some(true);
    // Whether `on` is true of the condition, by a table over all of them.
    let codes = |name: &str, on: &dyn Fn(u8) -> bool| {
        let set = (0..32u8).filter(|c| on(*c)).fold(0u64, |m, c| m | 1 << c);
        lit(32, set).called(&format!("{name}_table")).bit_at(code).called(name)
    };
    // Conditions that change with a flag, by Z; of O and C no condition takes both.
    let changes =
        |name: &str, flag: u8| [0, Z].map(|z| codes(&format!("{name}_z{z}"), &|c| holds(c, z) != holds(c, z | flag)));
    let holds = [0, Z].map(|z| codes(&format!("holds_z{z}"), &|c| holds(c, z)));
    let (sign, overflow, carry) = (changes("by_sign", S), changes("by_overflow", O), changes("by_carry", C));
    let other = [0, 1].map(|z: usize| (&overflow[z] | &carry[z]).called(&format!("by_other_z{z}")));
    let lane = |f: &Expr| {
        let [z, s, c, o] = [0, 1, 2, 3].map(|i| f.bit(i));
        let sign = (&s & &z.mux(&sign[1], &sign[0])) ^ z.mux(&holds[1], &holds[0]);
        (sign ^ (z.mux(&other[1], &other[0]) & carry[0].mux(&c, &o))).called("passes")
    };
    let lanes: Vec<Expr> = row.each_word(4).iter().map(lane).collect();
    pack(lanes.iter())
}

impl Rtl for Flags {
    fn rtl(&self) {
        let row = wire("row", self.memory.read(0, &get(&self.register)));
        let flags = wire("of_beat", row.word_at(&get(&self.beat), 4 * self._d.lanes));
        set(&self.guard, guard(&get(&self.condition), &flags));
        set(&self.flags, flags);
        self.memory.write(&get(&self.write.row), &get(&self.write.data), &get(&self.write.enable));
    }
}

rtl_block!(Flags, "flags");

/// The ports through which W writes: a register of a warp's threads, an enable a thread.
pub fn written_to<S: Side>(d: &Dims) -> ConditionWrite<S> {
    ConditionWrite::new(d.warp + 2, 4 * WARP, WARP)
}

/// Writes those of a beat in W: `flags`, 4 bits a lane.
pub fn write(d: &Dims, to: &ConditionWrite<Source>, (valid, tag): (&Expr, &BeatTag), flags: &Expr) {
    let mut enable = vec![];
    for b in 0..d.beats {
        let here = if d.beats == 1 { valid.clone() } else { valid & tag.beat.is(b as u64) };
        enable.push(&tag.exec & &(here & &tag.flags_we).repeat(d.lanes));
    }
    set(&to.row, cat([&tag.warp, &tag.cdst]));
    set(&to.data, flags.repeat(d.beats));
    set(&to.enable, pack(enable.iter()));
}
