//! Performance counters: sixteen 64-bit sums in one memory.
//!
//! Each counter collects in a few bits of its own; once in 16 cycles that is added to its word in
//! memory. A read adds both, so it is exact at any moment.
//!
//! | port         | width | meaning                                                          |
//! |--------------|-------|------------------------------------------------------------------|
//! | `start`      | 1     | all counters become 0; the events of this cycle are not counted  |
//! | `count_i`    | own   | added to counter i in this cycle                                 |
//! | `read_index` | 4     | counter to read                                                  |
//! | `read_value` | 64    | its value, without the events of this cycle                      |
//!
//! Timing: combinational read. Reset: all counters 0. Errors: none; 2^64 wraps.
//! Source: ours; FlexGripPlus counts in its testbench.

use crate::config::{GpuConfig, WARP};
use crate::rtl::prelude::*;

/// Counters, numbered as in the register map.
pub const COUNTERS: usize = 16;

/// Cycles between two visits of a counter.
const ROUND: usize = 16;

/// See the module.
#[derive(LogicBlock)]
pub struct PerfCounters {
    pub start: Input,
    pub count: Vec<Input>,
    pub read_index: Input,
    pub read_value: Output,
    collected: Vec<Reg>,
    turn: Reg,
    /// Counters whose word in memory is not of this run.
    stale: Reg,
    sums: Ram,
}

/// Width in bits of the events a cycle may bring to counter `i`, all SMs together.
pub fn count_width(cfg: &GpuConfig, i: usize) -> usize {
    match i {
        0 => 1,
        2 => clog2(cfg.sms * WARP + 1),
        _ => clog2(cfg.sms + 1),
    }
}

impl PerfCounters {
    /// The counters of a configuration.
    pub fn new(cfg: &GpuConfig) -> Self {
        let widths: Vec<usize> = (0..COUNTERS).map(|i| count_width(cfg, i)).collect();
        Self {
            start: Input::new(1),
            count: widths.iter().map(|&w| Input::new(w)).collect(),
            read_index: Input::new(4),
            read_value: Output::new(64),
            // What a counter may collect in a round.
            collected: widths.iter().map(|&w| Reg::new(w + clog2(ROUND))).collect(),
            turn: Reg::new(clog2(ROUND)),
            stale: Reg::reset_to(ROUND, (1 << ROUND) - 1),
            sums: Ram::new(RamKind::Lut, ROUND, 64, 2),
        }
    }
}

impl Rtl for PerfCounters {
    fn rtl(&self) {
        let start = get(&self.start);
        let turn = get(&self.turn);
        let stale = get(&self.stale);
        let width = self
            .collected
            .iter()
            .map(|r| r.as_ref().width())
            .max()
            .unwrap_or(1);
        let mut collected: Vec<Ex> = get_all(&self.collected)
            .iter()
            .map(|c| c.zext(width))
            .collect();
        collected.resize(ROUND, zero(width));
        let collected = pack(collected.iter()).named();
        let sum = |port: usize, index: &Ex| {
            let word = self.sums.read(port, index) & (!stale.bit_at(index)).repeat(64);
            word + collected.word_at(index, width).zext(64)
        };
        let visit = wire("visit", sum(0, &turn));
        self.sums.write(&turn, &visit, &!&start);
        set(&self.read_value, sum(1, &get(&self.read_index)));
        set(&self.turn, &turn + lit(clog2(ROUND), 1));
        set(
            &self.stale,
            start.mux(&ones(ROUND), &(&stale & !turn.one_hot(ROUND))),
        );
        for (i, (own, count)) in self.collected.iter().zip(&self.count).enumerate() {
            let w = own.as_ref().width();
            let keep = get(own) & (!turn.is(i as u64)).repeat(w);
            set(own, (keep + get(count).zext(w)) & (!&start).repeat(w));
        }
    }
}

rtl_block!(PerfCounters, "perf_counters");
