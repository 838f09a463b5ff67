//! Why a cycle issued nothing: one cause each, by number of its performance counter.

use super::Sm;
use crate::launch_regs::stall_counter;
use crate::rtl::prelude::*;

packed! {
    /// What tells why a cycle issued nothing; causes are numbers of the performance counters.
    pub struct Stall(_d: ()) {
        running: 1,
        /// The front of the pipeline moves; else why not.
        moves: 1,
        stopped: 4,
        /// The issue stage could begin an instruction.
        free: 1,
        /// It waits for late results.
        hold: 1,
        /// The instruction in stage H has to wait, and for what.
        clashes: 1,
        waits_for: 2,
        /// One is on its way through decode.
        coming: 1,
        /// Why none is.
        empty: 4,
    }
}

impl Stall {
    /// Number of the cause, 4 bits; 0 for none.
    fn cause(&self) -> Expr {
        let is = |n: u64| lit(4, n);
        let kind = &self.waits_for;
        let hazard = kind.bit(0).mux(&is(13), &kind.bit(1).mux(&is(14), &is(5)));
        // An instruction on its way through decode, or the gap for late results.
        let front = self
            .clashes
            .mux(&hazard, &self.coming.mux(&is(15), &self.empty));
        let front = self.hold.mux(&is(11), &front);
        let cause = self
            .moves
            .mux(&self.free.mux(&front, &is(0)), &self.stopped);
        cause & self.running.repeat(4)
    }
}

impl Sm {
    /// Counts the cause of the cycle before; returns that of this one.
    pub(super) fn stalls(&self) -> Expr {
        let (w, x, i, p) = (&self.warps, &self.dispatch, &self.issue, &self.datapath);
        let is = |n: u64| lit(4, n);
        let any = |o: &Output| get(o).any();
        let live = get(&w.state_live);
        let unfetched = (&live & !get(&w.state_blocked) & !get(&w.state_filled)).any();
        // Of the warps that keep decode empty those that wait longest give the cause.
        let empty = [
            (any(&w.state_memory), 13),
            (any(&w.state_special), 14),
            (any(&w.state_hazard), 5),
            (unfetched, 4),
            (any(&w.state_blocked), 6),
            (any(&w.state_ready), 15),
            (live.any(), 7),
        ];
        let empty = empty
            .iter()
            .rev()
            .fold(is(3), |rest, (on, n)| on.mux(&is(*n), &rest));
        let stopped = [
            (get(&p.stall_lsu), 8),
            (get(&p.stall_special), 14),
            (get(&p.stall_shared), 9),
            (get(&p.stall_constant), 10),
        ];
        let stopped = stopped
            .iter()
            .rev()
            .fold(is(6), |rest, (on, n)| on.mux(&is(*n), &rest));
        let now = Stall {
            running: get(&self.running),
            moves: get(&p.advance),
            stopped,
            free: get(&i.ready) & !get(&i.begins),
            hold: get(&p.hold),
            clashes: get(&x.clashes),
            waits_for: get(&x.waits_for),
            coming: get(&x.occupied) | get(&w.sel.valid),
            empty,
        };
        now.check(());
        // Counted a cycle later: it comes late.
        set(&self.stall_seen, now.pack());
        let seen = Stall::unpack((), "seen", &get(&self.stall_seen));
        let counted = wire("stall_counted", seen.cause());
        for (k, out) in self.count_stall.iter().enumerate() {
            set(out, counted.is(stall_counter(k) as u64));
        }
        wire("stall", now.cause())
    }
}
