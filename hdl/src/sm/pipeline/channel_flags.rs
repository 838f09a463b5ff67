//! Flags of Ivy Bridge: f0.0, f0.1, f1.0, f1.1 of every warp, a bit a channel each, and the predicate made of them.
//!
//! | port       | width | meaning                                                                  |
//! |------------|-------|--------------------------------------------------------------------------|
//! | `warp`     | warp  | whose flags the beat reads                                               |
//! | `number`   | 2     | which flag: f0.0, f0.1, f1.0, f1.1                                       |
//! | `pick`     | 4     | the bits of it that make that of a channel: one of [`pick`]              |
//! | `pick_not` | 1     | … inverted, but with NONE                                                |
//! | `beat`     | beat  | which channels                                                           |
//! | `guard`    | lanes | the bit of each lane's channel; lanes beyond the last channel have 0     |
//! | `write_*`  |       | flags that W writes                                                      |
//!
//! Timing: reads are combinational; what is written can be read in the next cycle.
//! Reset: none, flags are undefined. Errors: none.
//! Source: docs/instruction-sets.md, Ivy Bridge.

use super::bundles::{BeatTag, ConditionWrite};
use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::control::ivb::{condition, pick};
use crate::sm::control::Control;
use crate::sm::dims::Dims;

/// Flags of a warp.
const FLAGS: usize = 4;

block! {
    /// See the module.
    pub struct ChannelFlags(cfg: &GpuConfig) {
        in warp(d.warp),
        in number(2),
        in pick(4),
        in pick_not(1),
        in beat(d.beat),
        out guard(d.lanes),
        part write(ConditionWrite<Sink> = written_to(&d)),
        /// A row a warp, every bit with an enable of its own.
        part memory(Ram = Ram::with_granule(RamKind::Lut, d.warps, FLAGS * d.threads, 1, 1)),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
    }
}

/// In place of each bit of a flag: whether some, or every one, of its aligned group of `size` is set.
fn grouped(flag: &Expr, size: usize, every: bool) -> Expr {
    let group = |bits: &Expr| (if every { bits.all() } else { bits.any() }).repeat(size);
    let groups: Vec<Expr> = flag.each_word(size).iter().map(group).collect();
    pack(groups.iter())
}

impl Rtl for ChannelFlags {
    fn rtl(&self) {
        let d = &self._d;
        let number = get(&self.number);
        let flags = wire("row", self.memory.read(0, &get(&self.warp))).each_word(d.threads);
        // The flag with even number and the next one.
        let both = [0, 1].map(|i| number.bit(1).mux(&flags[2 + i], &flags[i]));
        let own = wire("own", number.bit(0).mux(&both[1], &both[0]));
        let mut picks = vec![ones(d.threads), own.clone(), &both[0] | &both[1], &both[0] & &both[1]];
        for size in [2, 4, 8, 16] {
            picks.extend([false, true].map(|every| grouped(&own, size, every)));
        }
        let code = get(&self.pick);
        let inverts = get(&self.pick_not) & !code.is(pick::NONE);
        let picked = wire("picked", select(&code, &picks) ^ inverts.repeat(d.threads));
        let lanes = match d.lanes > d.threads {
            true => picked.zext(d.lanes),
            false => picked.word_at(&get(&self.beat), d.lanes),
        };
        set(&self.guard, lanes);
        self.memory.write(&get(&self.write.row), &get(&self.write.data), &get(&self.write.enable));
    }
}

rtl_block!(ChannelFlags, "channel_flags");

impl ChannelFlags {
    /// What a beat of an instruction reads: the bit of each lane's channel; and whether the instruction chooses an
    /// operand by it, 1 bit.
    pub fn pick(&self, warp: &Expr, c: &Control, beat: &Expr) -> (Expr, Expr) {
        let channels = c.channels(&self._d, "flags").expect("a chip of Ivy Bridge");
        set(&self.warp, warp);
        set(&self.number, &c.cc);
        set(&self.pick, channels.pick);
        set(&self.pick_not, channels.pick_not);
        set(&self.beat, beat);
        (get(&self.guard), channels.chooses)
    }
}

/// The ports through which W writes: a warp's row, an enable a bit.
pub fn written_to<S: Side>(d: &Dims) -> ConditionWrite<S> {
    ConditionWrite::new(d.warp, FLAGS * d.threads, FLAGS * d.threads)
}

/// Writes those of a beat in W: `found`, a bit a lane.
pub fn write(d: &Dims, to: &ConditionWrite<Source>, (valid, tag): (&Expr, &BeatTag), found: &Expr) {
    let lanes = d.threads / d.beats;
    let writes = wire("writes_flags", valid & &tag.flags_we);
    let channels = wire("flag_channels", pack(tag.in_warp(d, &writes).iter()));
    let enables: Vec<Expr> = (0..FLAGS as u64).map(|flag| &channels & &tag.cdst.is(flag).repeat(d.threads)).collect();
    set(&to.row, &tag.warp);
    set(&to.data, found.bits(0, lanes).repeat(d.beats * FLAGS));
    set(&to.enable, pack(enables.iter()));
}

/// The flag of a lane's result `y`, 32 bits, compared with 0 by [`mod@condition`]: 1 bit. `half`: an integer is the low
/// half of it. A float with exponent 0 is 0.
pub fn condition(condition: &Expr, is_float: &Expr, is_signed: &Expr, half: &Expr, y: &Expr) -> Expr {
    use condition::{GREATER, LESS, NOT_GREATER, NOT_LESS, NOT_ZERO, UNORDERED, ZERO};
    let y = y.called("compared");
    let (exponent, low, high) = (y.bits(23, 8), y.bits(0, 16), y.bits(16, 16));
    let no_number = is_float & exponent.all() & y.bits(0, 23).any();
    let short = half & !is_float;
    let some = is_float.mux(&exponent.any(), &(low.any() | (high.any() & !&short)));
    let negative = short.mux(&y.bit(15), &y.bit(31)) & (is_float | is_signed);
    // Whether it holds, by a table over all conditions for each outcome.
    let when_it_is = |outcome: &str, holds: &[u64]| {
        let table = holds.iter().fold(0, |table, condition| table | 1 << condition);
        lit(16, table).called(&format!("{outcome}_table")).bit_at(condition).called(outcome)
    };
    let unordered = when_it_is("holds_unordered", &[NOT_ZERO, UNORDERED]);
    let zero = when_it_is("holds_zero", &[ZERO, NOT_LESS, NOT_GREATER]);
    let less = when_it_is("holds_less", &[NOT_ZERO, LESS, NOT_GREATER]);
    let greater = when_it_is("holds_greater", &[NOT_ZERO, GREATER, NOT_LESS]);
    no_number.mux(&unordered, &some.mux(&negative.mux(&less, &greater), &zero))
}
