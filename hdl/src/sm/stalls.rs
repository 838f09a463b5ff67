//! Why a cycle issued nothing: one cause each, by number of its performance counter.

use super::control::code_name;
use super::pipeline::{datapath::Datapath, dispatch::Dispatch, issue::IssueStage, warps::Warps};
use crate::rtl::prelude::*;
use warpsmith_contract::StallCause;

/// Number of a cause, 4 bits.
fn number(cause: StallCause) -> Expr {
    code(&code_name("STALL", cause.name()), 4, cause.number().into())
}

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
        /// One is on its way through DEC.
        coming: 1,
        /// Why none is.
        empty: 4,
    }
}

impl Stall {
    /// Number of the cause, 4 bits; 0 for none.
    fn cause(&self) -> Expr {
        let kind = &self.waits_for;
        let hazard = kind
            .bit(0)
            .mux(&number(StallCause::Load), &kind.bit(1).mux(&number(StallCause::Sfu), &number(StallCause::Hazard)));
        // An instruction on its way through decode, or the gap for late results.
        let front = self.clashes.mux(&hazard, &self.coming.mux(&number(StallCause::Select), &self.empty));
        let front = self.hold.mux(&number(StallCause::Operand), &front);
        let cause = self.moves.mux(&self.free.mux(&front, &zero(4)), &self.stopped);
        cause & self.running.repeat(4)
    }
}

/// The parts of an SM that tell why nothing is issued, and what counts it.
pub struct StallCauses<'a> {
    /// A kernel runs.
    pub running: &'a Input,
    pub warps: &'a Warps,
    pub dispatch: &'a Dispatch,
    pub issue: &'a IssueStage,
    pub datapath: &'a Datapath,
    /// [`Stall`] of the cycle before.
    pub seen: &'a Reg,
    /// One of each [`StallCause`]: a cycle was lost for it.
    pub counts: &'a [Output],
}

impl StallCauses<'_> {
    /// Counts the cause of the cycle before; returns the number of that of this one, 4 bits.
    pub fn rtl(&self) -> Expr {
        let (w, x, i, p) = (self.warps, self.dispatch, self.issue, self.datapath);
        let any = |o: &Output| get(o).any();
        let live = get(&w.state_live);
        let unfetched = (&live & !get(&w.state_blocked) & get(&w.state_unfetched)).any();
        // Of the warps that keep decode empty those that wait longest give the cause.
        let empty = [
            (any(&w.state_memory), StallCause::Load),
            (any(&w.state_special), StallCause::Sfu),
            (any(&w.state_hazard), StallCause::Hazard),
            (unfetched, StallCause::Fetch),
            (any(&w.state_blocked), StallCause::Control),
            (any(&w.state_ready), StallCause::Select),
            (live.any(), StallCause::Barrier),
        ];
        let empty =
            empty.iter().rev().fold(number(StallCause::Launch), |rest, (on, cause)| on.mux(&number(*cause), &rest));
        let stopped = [
            (get(&p.stall.lsu), StallCause::Memory),
            (get(&p.stall.special), StallCause::Sfu),
            (get(&p.stall.shared), StallCause::SharedConflict),
            (get(&p.stall.constant), StallCause::ConstantConflict),
        ];
        let stopped =
            stopped.iter().rev().fold(number(StallCause::Control), |rest, (on, cause)| on.mux(&number(*cause), &rest));
        let now = Stall {
            running: get(self.running),
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
        set(self.seen, now.pack());
        let seen = Stall::unpack((), "seen", &get(self.seen));
        let counted = wire("stall_counted", seen.cause());
        for (cause, out) in StallCause::ALL.into_iter().zip(self.counts) {
            set(out, counted.is(cause.number().into()));
        }
        wire("stall", now.cause())
    }
}
