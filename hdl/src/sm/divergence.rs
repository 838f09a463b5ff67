//! Divergence unit: which threads of a warp run next, and where.
//!
//! Everything that parts or joins the threads of a warp ends in one pair {active mask, next pc}.
//! Each warp has a stack of {kind, pc, mask} entries (kinds in [`kind`]) and a state for each
//! thread: run, left a loop (brk), returned (ret), ended (exit). When no thread of a warp is left
//! active, entries are popped until one has surviving threads; an empty stack ends the warp.
//!
//! | port              | width | meaning                                                     |
//! |-------------------|-------|-------------------------------------------------------------|
//! | `valid`           | 1     | an operation; taken when `ready`                            |
//! | `op`              | 3     | one of [`op`]; NONE for an instruction with a marker        |
//! | `marker`          | 2     | one of [`marker`]; only with op NONE                        |
//! | `warp`            | warp  | warp slot                                                   |
//! | `active`, `exec`  | 32    | threads active, and those of them whose predicate holds     |
//! | `target`, `next`  | pc    | target address; address after the instruction               |
//! | `ready`           | 1     | an operation can be taken                                   |
//! | `start_valid`     | 1     | warp `start_warp` begins: empty stack, all threads run      |
//! | `result_valid`    | 1     | one cycle: the operation is complete                        |
//! | `result_warp`     | warp  | its warp                                                    |
//! | `result_mask`     | 32    | threads active from now on                                  |
//! | `result_pc`       | pc    | address they go on at                                       |
//! | `result_finished` | 1     | no thread is left: the warp has ended, mask is 0            |
//! | `result_trap`     | 1     | see Errors                                                  |
//! | `result_cause`    | 4     | trap cause                                                  |
//! | `result_depth`    | 7     | stack entries of the warp from now on                       |
//! | `busy`            | 1     | an operation is under way, or its result is being given     |
//!
//! Timing: taken in cycle 0, the result in cycle 2; in cycle 3 when an entry is popped, one more
//! for each further entry. Operations that never pop (BRA, CAL, PBK, SSY, none) can be taken every
//! cycle; after another the next is taken in the cycle of its result. `start_*` may come in any
//! cycle, but not while an operation of that warp is under way.
//! Reset: no operation; stacks are empty after `start_*` only.
//! Errors: a push onto a full stack gives trap cause 6, a `.S` on an empty one cause 7; the stack
//! and the thread states stay as they were, mask and pc of the result mean nothing then.
//! Source: docs/semantics.md, Control flow; docs/decisions.md where the hardware is unknown. Differs
//! from FlexGripPlus `branch_exec_unit.vhd`: there RET pops any entry whatever the predicate, and
//! returned threads revive at the join.

pub mod fermi;
pub mod g13;
pub mod ivb;

use super::control::{trap_cause, TRAP_CAUSE};
use super::dims::{Dims, DEPTH};
use crate::config::{GpuConfig, WARP};
use crate::rtl::prelude::*;
use warpsmith_contract::TrapCause;

/// Operations (`op`, 3 bits; 4 where the set is not SM 1.0): those of the control word.
pub use super::control::flow as op;

codes! { "MARKER":
/// Instruction markers (`marker`, 2 bits).
pub mod marker {
    /// None: the result is {active, next}.
    pub const NONE: u64 = 0;
    /// The active threads end.
    pub const EXIT: u64 = 1;
    /// `.S`: pops.
    pub const JOIN: u64 = 2;
}
}

codes! { "KIND":
/// Kinds of a stack entry (2 bits).
pub mod kind {
    /// The side of a branch that has not run yet; Fermi: or the threads that meet where SSY says.
    pub const BRANCH: u64 = 0;
    /// Return address of a call.
    pub const CALL: u64 = 1;
    /// Where BRK goes.
    pub const PREBREAK: u64 = 2;
    /// Address of the instruction with `.S`. Not of Fermi.
    pub const JOINAT: u64 = 3;
    /// Where CONT goes. Fermi only.
    pub const PRECONTINUE: u64 = 3;
}
}

bundle! {
    /// Ports of a divergence unit, to the SM around; see the units for what they mean.
    pub struct Ports(d: &Dims) as "" {
        /// An operation.
        out valid(1),
        /// One of [`op`].
        out op(d.flow()),
        /// One of [`marker`].
        out marker(2),
        /// Warp slot.
        out warp(d.warp),
        /// Threads active.
        out active(WARP),
        /// Active threads whose predicate holds.
        out exec(WARP),
        /// Target address.
        out target(d.pc),
        /// Address after the instruction.
        out next(d.pc),
        /// An operation can be taken.
        in ready(1),
        /// A warp begins.
        out start_valid(1),
        /// Its slot.
        out start_warp(d.warp),
        /// An operation is complete.
        in result_valid(1),
        /// Slot of its warp.
        in result_warp(d.warp),
        /// Threads active from now on.
        in result_mask(WARP),
        /// Address they go on at.
        in result_pc(d.pc),
        /// The warp has ended.
        in result_finished(1),
        /// The operation traps.
        in result_trap(1),
        /// Trap cause.
        in result_cause(TRAP_CAUSE),
        /// Stack entries of the warp.
        in result_depth(DEPTH),
        /// An operation is under way, or its result is being given.
        in busy(1),
    }
}

/// The row of `warp` has been written since the warp began. `fresh`: the warps that have begun and not been written, a bit
/// each; one `starts`, one is `touched`: its slot, and whether.
pub fn written(fresh: &Reg, starts: (&Expr, &Expr), touched: (&Expr, &Expr), warp: &Expr) -> Expr {
    let now = get(fresh);
    let of = |(warp, valid): (&Expr, &Expr)| warp.one_hot(now.width()) & valid.repeat(now.width());
    let (begun, touched) = (of(starts), of(touched));
    set(fresh, (&now & !touched) | begun);
    !now.bit_at(warp)
}

/// Parts of a warp that are looked at one by one for threads that survive.
const QUARTERS: usize = 4;

block! {
    /// See the module.
    pub struct Divergence(cfg: &GpuConfig) {
        part ports(Ports<Sink>: &d),
        reg executing(1),
        reg popping(1),
        /// The operation, one bit each: none (marker), BRA, CAL, RET, PBK, BRK, SSY.
        data held_op(7),
        data held_exit(1),
        data held_join(1),
        data held_warp(d.warp),
        /// Active threads.
        data held_active(WARP),
        data held_exec(WARP),
        data held_target(d.pc),
        /// Address after the instruction.
        data held_next(d.pc),
        /// The operation may pop.
        data held_may_pop(1),
        /// Entries of the warp.
        data held_depth(DEPTH),
        /// The result, and what popping goes on from.
        data warp_of(d.warp),
        data mask(WARP),
        data pc(d.pc),
        data depth(DEPTH),
        /// Thread states: {high, low} = 0 run, 1 brk, 2 ret, 3 exit.
        data low(WARP),
        data high(WARP),
        /// The entry being popped is popped by `.S`.
        data joining(1),
        /// The operation is complete.
        reg given(1),
        /// An entry was popped in the cycle before, and of which quarters of a warp threads survive it.
        reg popped(1),
        data some(QUARTERS),
        data finished(1),
        data trap(1),
        data underflow(1),
        /// Warps that have begun and executed no control operation: their memories are stale.
        reg fresh(d.warps),
        part threads(Ram: RamKind::Lut, d.warps, 2 * WARP, 1),
        part depths(Ram: RamKind::Lut, d.warps, DEPTH, 1),
        part stack(Ram: RamKind::Block, d.warps * cfg.stack_depth, 2 + d.pc + WARP, 1),
        keep _d(Dims = d),
        keep _entries(usize = cfg.stack_depth),
    } where {
        let d = Dims::of(cfg);
    }
}

impl Rtl for Divergence {
    fn rtl(&self) {
        let (d, p) = (&self._d, &self.ports);
        let (executing, popping) = (get(&self.executing), get(&self.popping));
        let warp = get(&self.held_warp);
        let (active, exec, next, target) =
            (get(&self.held_active), get(&self.held_exec), get(&self.held_next), get(&self.held_target));
        let (low, high, depth) = (get(&self.low), get(&self.high), get(&self.held_depth));
        // Whether the popped entry was the last is seen a cycle later: the one below is on its way by then.
        let settled = wire("settled", get(&self.popped) & get(&self.some).any());
        let pops = wire("pops", &popping & !&settled);
        let ready = wire("free", !(&pops | &(&executing & &get(&self.held_may_pop))));

        // The operation.
        let held_op = get(&self.held_op);
        let is = |code: u64| held_op.bit(code as usize);
        let (exit, join) = (get(&self.held_exit), get(&self.held_join));
        let not_taken = wire("not_taken", &active & !&exec);
        let taken = wire("taken", is(op::BRA) & exec.any());
        let split = wire("split", &taken & &not_taken.any());
        let push = wire("push", any_of(&[split, is(op::CAL), is(op::PBK), is(op::SSY)]));
        let full = depth.is(self._entries as u64);
        let empty = wire("empty", depth.is(0));
        let leaving = wire("leaving", exit.mux(&active, &exec));
        let leave = wire("leave", any_of(&[is(op::BRK), is(op::RET), exit.clone()]));
        let remain = wire("remain", &active & !&leaving);
        let to_low = is(op::BRK) | &exit;
        let to_high = is(op::RET) | &exit;
        let low_left = &low | &(&leaving & &to_low.repeat(WARP));
        let high_left = &high | &(&leaving & &to_high.repeat(WARP));
        let must_pop = wire("must_pop", (&join & !&empty) | (&leave & !remain.any()));
        let pushed = wire("pushed", &push & !&full);
        let depth_pushed = pushed.mux(&(&depth + lit(DEPTH, 1)), &depth);

        // The entry on top, of which the address was given one cycle before.
        let below = executing.mux(&(&depth - &lit(DEPTH, 1)), &(&depth - &lit(DEPTH, 2)));
        let place = |index: &Expr| cat([&warp, &index.resize(clog2(self._entries))]);
        let top = self.stack.read(0, &place(&below)).called("top");
        let (top_mask, top_pc, top_kind) = (top.bits(0, WARP), top.bits(WARP, d.pc), top.bits(WARP + d.pc, 2));
        let joinat = wire("joinat", top_kind.is(kind::JOINAT));
        let revive_broken = top_mask.clone() & top_kind.is(kind::PREBREAK).repeat(WARP) & !&high;
        let revive_returned = top_mask.clone() & top_kind.is(kind::CALL).repeat(WARP) & !&low;
        let low_popped = wire("low_popped", &low & !revive_broken);
        let high_popped = wire("high_popped", &high & !revive_returned);
        let survive = wire("survive", top_mask & !(&low_popped | &high_popped));
        // The threads of a joinat entry have executed its `.S`: they go on behind it.
        let behind = get(&self.joining).mux(&next, &(&top_pc + lit(d.pc, 8)));
        let resumed = joinat.mux(&behind, &top_pc);

        let write = wire("write", &executing & &pushed);
        let entry_kind = cat([&(is(op::PBK) | is(op::SSY)), &(is(op::CAL) | is(op::SSY))]);
        let entry_pc = (is(op::BRA) | is(op::CAL)).mux(&next, &target);
        let entry_mask = is(op::BRA).mux(&not_taken, &active);
        self.stack.write(&place(&depth), &cat([&entry_kind, &entry_pc, &entry_mask]), &write);

        let low_new = wire("low_new", executing.mux(&low_left, &low_popped));
        let high_new = wire("high_new", executing.mux(&high_left, &high_popped));
        let depth_new = wire("depth_new", executing.mux(&depth_pushed, &(&depth - &lit(DEPTH, 1))));
        let pops_entry = wire("pops_entry", &pops & !&empty);
        let update = wire("update", &executing | &pops_entry);
        self.threads.write(&warp, &cat([&high_new, &low_new]), &update);
        self.depths.write(&warp, &depth_new, &update);
        when(&update, || {
            set(&self.low, &low_new);
            set(&self.high, &high_new);
            set(&self.held_depth, &depth_new);
            set(&self.depth, &depth_new);
        });

        when(&executing, || {
            set(&self.warp_of, &warp);
            set(&self.joining, &join);
            set(&self.finished, lit(1, 0));
            set(&self.trap, (&push & &full) | (&join & &empty));
            set(&self.underflow, &join);
            set(&self.mask, leave.mux(&remain, &taken.mux(&exec, &active)));
            set(&self.pc, (&taken | &is(op::CAL)).mux(&target, &next));
        });
        when(&pops, || {
            set(&self.joining, lit(1, 0));
            set(&self.finished, &empty);
            when(&!&empty, || {
                set(&self.mask, &survive);
                set(&self.pc, &resumed);
            });
        });
        let some: Vec<Expr> = survive.each_word(WARP / QUARTERS).iter().map(Expr::any).collect();
        set(&self.some, pack(some.iter()));
        set(&self.popped, &pops_entry);
        set(&self.popping, (&executing & &must_pop) | &pops_entry);
        set(&self.given, (&executing & !&must_pop) | (&pops & &empty));

        // Taking an operation: it may take the place of one that is just executed.
        let accept = wire("accept", &ready & &get(&p.valid));
        set(&self.executing, &accept);
        let asked = get(&p.warp);
        let kept = written(&self.fresh, (&get(&p.start_warp), &get(&p.start_valid)), (&asked, &accept), &asked);
        let threads = self.threads.read(0, &asked).called("threads");
        let old_depth = self.depths.read(0, &asked);
        when(&accept, || {
            let asked_op = get(&p.op);
            let marker = get(&p.marker);
            let bare = wire("bare", asked_op.is(op::NONE));
            let leaves = wire("leaves", asked_op.is(op::RET) | asked_op.is(op::BRK));
            let (exit, join) = (
                wire("exit_marker", &bare & &marker.is(marker::EXIT)),
                wire("join_marker", &bare & &marker.is(marker::JOIN)),
            );
            set(&self.held_op, asked_op.one_hot(7));
            set(&self.held_may_pop, any_of(&[leaves, exit.clone(), join.clone()]));
            set(&self.held_exit, exit);
            set(&self.held_join, join);
            set(&self.held_warp, &asked);
            set(&self.held_active, get(&p.active));
            set(&self.held_exec, get(&p.exec));
            set(&self.held_target, get(&p.target));
            set(&self.held_next, get(&p.next));
            set(&self.held_depth, old_depth & kept.repeat(DEPTH));
            set(&self.low, threads.bits(0, WARP) & kept.repeat(WARP));
            set(&self.high, threads.bits(WARP, WARP) & kept.repeat(WARP));
        });

        let given = wire("result_given", get(&self.given) | settled);
        set(&p.ready, &ready);
        assertion("An operation is executed before entries are popped for it.", &!(&executing & &popping));
        set(&p.busy, any_of(&[executing, popping, given.clone()]));
        set(&p.result_valid, &given);
        set(&p.result_warp, get(&self.warp_of));
        set(&p.result_mask, get(&self.mask));
        set(&p.result_pc, get(&self.pc));
        set(&p.result_finished, get(&self.finished));
        set(&p.result_trap, get(&self.trap));
        set(
            &p.result_cause,
            get(&self.underflow).mux(&trap_cause(TrapCause::StackUnderflow), &trap_cause(TrapCause::StackOverflow)),
        );
        set(&p.result_depth, get(&self.depth));
    }
}

rtl_block!(Divergence, "divergence");
