//! Performance counters: sixteen 64-bit sums in one memory.
//!
//! Each counter collects in a few bits of its own; once in 16 cycles that is added to its word in
//! memory. A read adds both, so it is exact at any moment. The events of a cycle are registered
//! before they are collected: a visit takes them along and the counter begins again at 0.
//!
//! | port         | width | meaning                                                          |
//! |--------------|-------|------------------------------------------------------------------|
//! | `start`      | 1     | all counters become 0; the events of this cycle are not counted  |
//! | `count_i`    | own   | added to counter i in this cycle                                 |
//! | `read_index` | 4     | counter to read                                                  |
//! | `read_high`  | 1     | bits 63:32 of it, otherwise bits 31:0                            |
//! | `read_on`    | 1     | read a counter, otherwise `read_other`                           |
//! | `read_other` | 32    | what is read instead                                             |
//! | `read_value` | 32    | the value, without the events of the cycle of its index          |
//!
//! Timing: a read comes in the next cycle; what is added then stands in registers. Reset: all counters 0. Errors: none; 2^64 wraps.
//! Source: ours; FlexGripPlus counts in its testbench.

use crate::config::{GpuConfig, WARP};
use crate::rtl::prelude::*;
use warpsmith_contract::Counter;

/// Cycles between two visits of a counter: one is visited a cycle.
const ROUND: usize = Counter::COUNT;

block! {
    /// See the module.
    pub struct PerfCounters(cfg: &GpuConfig) {
        in start(1),
        part count(Vec<Input> = widths.iter().map(|&w| Input::new(w)).collect()),
        in read_index(4),
        in read_high(1),
        in read_on(1),
        in read_other(32),
        out read_value(32),
        part events(Vec<Reg> = widths.iter().map(|&w| Reg::new(w)).collect()),
        /// A visit takes all 16 cycles along, at most 15 are left.
        part collected(Vec<Reg> = Counter::ALL.map(|c| Reg::new(bits(c, ROUND - 1))).into()),
        reg turn(clog2(ROUND)),
        /// The first round of a run: counters from `turn` on hold words of an earlier run.
        part first_round(Reg = Reg::reset_to(1, 1)),
        part sums(Ram: RamKind::Lut, ROUND, 64, 2),
        /// What is read: a half of the word, what is below the upper half, and what is added to each.
        reg half(32),
        reg below(width + 1),
        reg more(width),
        data more_below(width),
        /// Bits of what counter i may have beyond its word.
        keep _most(Vec<usize> = beyond),
    } where {
        let widths = Counter::ALL.map(|c| count_width(cfg, c));
        let bits = |c: Counter, cycles: usize| clog2(most(cfg, c) * cycles + 1);
        let beyond: Vec<usize> = Counter::ALL.map(|c| bits(c, ROUND)).into();
        let width = beyond.iter().copied().max().unwrap_or(1);
    }
}

/// The most events a cycle may bring to a counter, all SMs together.
fn most(cfg: &GpuConfig, counter: Counter) -> usize {
    match counter {
        Counter::Cycles => 1,
        Counter::ThreadInstructions => cfg.sms * WARP,
        Counter::WarpInstructions | Counter::Stall(_) | Counter::GlobalRequests => cfg.sms,
    }
}

/// Width in bits of the events a cycle may bring to a counter.
pub fn count_width(cfg: &GpuConfig, counter: Counter) -> usize {
    clog2(most(cfg, counter) + 1)
}

impl Rtl for PerfCounters {
    fn rtl(&self) {
        let start = get(&self.start);
        let turn = get(&self.turn);
        let first_round = get(&self.first_round);
        let width = self._most.iter().copied().max().unwrap_or(1);

        // What each counter has beyond its word, with the events of the cycle before.
        let mut beyond: Vec<Expr> = vec![];
        let visited = wire("visited", turn.one_hot(ROUND));
        for (i, own) in self.collected.iter().enumerate() {
            let sum = get(own).zext(self._most[i]) + get(&self.events[i]).zext(self._most[i]);
            let sum = wire(&format!("sum_{i}"), sum);
            let w = own.as_ref().width();
            set(own, (&visited.bit(i) | &start).mux(&zero(w), &sum.bits(0, w)));
            let count = get(&self.count[i]);
            set(&self.events[i], start.mux(&zero(count.width()), &count));
            beyond.push(sum.zext(width));
        }
        beyond.resize(ROUND, zero(width));

        // The visit.
        let kept = |word: Expr, stale: &Expr| (word & (!stale).repeat(64)).called("kept");
        let word = kept(self.sums.read(0, &turn), &first_round);
        let visit = select(&turn, &beyond).zext(64) + word;
        self.sums.write(&turn, &visit, &lit(1, 1));
        set(&self.turn, start.mux(&zero(clog2(ROUND)), &(&turn + lit(clog2(ROUND), 1))));
        set(&self.first_round, &start | &(&first_round & !turn.is(ROUND as u64 - 1)));

        // The read: what is beyond the word may carry into its upper half. The bits of the lower
        // half that can only hand a carry on are one bit of the sum.
        let index = get(&self.read_index);
        let stale = wire("stale", &first_round & index.ge(&turn));
        let word = kept(self.sums.read(1, &index), &stale);
        let beyond = select(&index, &beyond).called("beyond");
        let on = get(&self.read_on);
        let high = get(&self.read_high);
        let upper = wire("upper", &on & &high);
        let lower = wire("lower", &on & &!&high);
        let half = high.mux(&word.bits(32, 32), &word.bits(0, 32));
        set(&self.half, on.mux(&half, &get(&self.read_other)));
        let hands_on = word.bits(width, 32 - width).all();
        let below = cat([&hands_on, &word.bits(0, width)]);
        set(&self.below, below & upper.repeat(width + 1));
        set(&self.more, &beyond & &lower.repeat(width));
        set(&self.more_below, beyond);
        let value = cat([&get(&self.half), &get(&self.below)])
            + cat([&get(&self.more).zext(32), &get(&self.more_below).zext(width + 1)]);
        set(&self.read_value, value.bits(width + 1, 32));
    }
}

rtl_block!(PerfCounters, "perf_counters");
