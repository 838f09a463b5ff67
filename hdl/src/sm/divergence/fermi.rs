//! Divergence unit of Fermi: which threads of a warp run next, and where.
//!
//! Each warp has a stack of {kind, pc, mask} entries (kinds in [`kind`]): threads that wait, and where
//! they go on. Threads that leave by BRK, CONT, RET or EXIT are taken out of the masks of all entries
//! above the one where they go on. When no thread of a warp is left active, entries are popped until
//! one has threads; an empty stack ends the warp.
//!
//! | port              | width | meaning                                                     |
//! |-------------------|-------|-------------------------------------------------------------|
//! | `valid`           | 1     | an operation; taken when `ready`                            |
//! | `op`              | 4     | one of [`op`]                                               |
//! | `marker`          | 2     | JOIN: `.S`, which replaces `op`; else NONE                  |
//! | `warp`            | warp  | warp slot                                                   |
//! | `active`, `exec`  | 32    | threads active, at least one; those of them that execute    |
//! | `target`, `next`  | pc    | target address; address after the instruction               |
//! | `ready`           | 1     | an operation can be taken                                   |
//! | `start_valid`     | 1     | warp `start_warp` begins: empty stack                       |
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
//! | operation            | e: threads that execute it, a: active threads                       |
//! |----------------------|---------------------------------------------------------------------|
//! | NONE                 | a go on at `next`                                                   |
//! | BRA                  | a without e are pushed with `next`, e go on at `target`; no e: NONE |
//! | SSY, PBK, PCNT, PRET | a are pushed with `target`                                          |
//! | CAL                  | a are pushed with `next` and go on at `target`                      |
//! | BRK, CONT            | e wait in the nearest entry of PBK; of PCNT                         |
//! | RET                  | e wait in the nearest entry of CAL or PRET; without one they end    |
//! | EXIT                 | e end                                                               |
//! | `.S`                 | e wait in the entries that have them                                |
//!
//! Timing: taken in cycle 0, the result in cycle 2, one cycle later for each entry that is looked at.
//! From the top, EXIT looks at all entries, BRK, CONT and RET at those down to the nearest of the
//! kind, each when some thread executes it; when no thread is left active, these and `.S` look for
//! the first entry with threads. The others look at none and can be taken every cycle; after one that
//! may look, the next is taken in the cycle of its result. `start_*` may come in any cycle, but not
//! while an operation of that warp is under way.
//! Reset: no operation; stacks are empty after `start_*` only.
//! Errors: a push onto a full stack gives trap cause 6, the stack stays as it was. BRK or CONT without
//! an entry of its kind, executed by some thread, gives cause 7, the stack means nothing then. Mask
//! and pc of the result mean nothing with a trap.
//! Source: docs/instruction-sets.md, Fermi; its rules follow from the code that public compilers emit.

use super::{kind, marker, op, written, Ports};
use crate::config::{GpuConfig, WARP};
use crate::rtl::prelude::*;
use crate::sm::control::trap_cause;
use crate::sm::dims::{Dims, DEPTH};
use warpsmith_contract::TrapCause;

/// Operations: [`op`] has so many.
const OPS: usize = op::EXIT as usize + 1;

block! {
    /// See the module.
    pub struct FermiDivergence(cfg: &GpuConfig) {
        part ports(Ports<Sink>: &d),
        reg executing(1),
        /// Entries are looked at, one a cycle.
        reg walking(1),
        /// The operation, one bit each.
        data held_op(OPS),
        data held_join(1),
        data held_warp(d.warp),
        /// Active threads.
        data held_active(WARP),
        data held_exec(WARP),
        data held_target(d.pc),
        /// Address after the instruction.
        data held_next(d.pc),
        /// The operation may look at entries.
        data held_may_walk(1),
        /// Entries of the warp.
        data held_depth(DEPTH),
        /// Number of the entry that is looked at.
        data index(index),
        /// No thread is active yet: the entry is popped.
        data popping(1),
        /// The result.
        reg given(1),
        data warp_of(d.warp),
        data mask(WARP),
        data pc(d.pc),
        data depth(DEPTH),
        data finished(1),
        data trap(1),
        data underflow(1),
        /// Warps that have begun and executed no control operation: their depth is stale.
        reg fresh(d.warps),
        part depths(Ram: RamKind::Lut, d.warps, DEPTH, 1),
        part stack(Ram: RamKind::Block, d.warps * cfg.stack_depth, 2 + d.pc + WARP, 1),
        keep _d(Dims = d),
        keep _entries(usize = cfg.stack_depth),
    } where {
        let d = Dims::of(cfg);
        let index = clog2(cfg.stack_depth);
    }
}

impl FermiDivergence {
    /// Number of an entry, from a depth.
    fn entry(&self, depth: Expr) -> Expr {
        depth.resize(clog2(self._entries))
    }
}

impl Rtl for FermiDivergence {
    fn rtl(&self) {
        let (d, p) = (&self._d, &self.ports);
        let (executing, walking) = (get(&self.executing), get(&self.walking));
        let warp = get(&self.held_warp);
        let (active, exec, next, target) =
            (get(&self.held_active), get(&self.held_exec), get(&self.held_next), get(&self.held_target));
        let (depth, index) = (get(&self.held_depth), get(&self.index));
        let ready = wire("free", !(&walking | &(&executing & &get(&self.held_may_walk))));

        // The operation.
        let held_op = get(&self.held_op);
        let is = |code: u64| held_op.bit(code as usize);
        let join = get(&self.held_join);
        let remain = wire("remain", &active & !&exec);
        let (some, rest) = (wire("some", exec.any()), wire("rest", remain.any()));
        let taken = wire("taken", is(op::BRA) & &some);
        let to_next = wire("to_next", is(op::BRA) | is(op::CAL));
        let to_target = [op::SSY, op::PBK, op::PCNT, op::PRET].map(is);
        let push = any_of(&[&taken & &rest, is(op::CAL), any_of(&to_target)]);
        let push = wire("push", push);
        let full = depth.is(self._entries as u64);
        let empty = wire("empty", depth.is(0));
        let pushed = wire("pushed", &push & !&full);
        // BRK and CONT ask for an entry, RET looks for one, EXIT for none.
        let asks = wire("asks", is(op::BRK) | is(op::CONT));
        let leave = wire("leave", any_of(&[asks.clone(), is(op::RET), is(op::EXIT)]));
        let shed = wire("shed", &leave | &join);
        let walk = wire("walk", !&empty & ((&leave & &some) | (&join & !&rest)));
        let depth_pushed = pushed.mux(&(&depth + lit(DEPTH, 1)), &depth);

        // The entry that is looked at, of which the address was given one cycle before.
        let below = executing.mux(&self.entry(depth.clone()), &index);
        let below = wire("below", below - lit(clog2(self._entries), 1));
        let place = |index: &Expr| cat([&warp, index]);
        let entry = self.stack.read(0, &place(&below)).called("entry");
        let (entry_mask, entry_pc, entry_kind) =
            (entry.bits(0, WARP), entry.bits(WARP, d.pc), entry.bits(WARP + d.pc, 2));
        let kinds = [(op::BRK, kind::PREBREAK), (op::CONT, kind::PRECONTINUE), (op::RET, kind::CALL)];
        let nearest = kinds.map(|(code, kind)| is(code) & entry_kind.is(kind));
        // The nearest entry has all the threads that leave: no entry below it is looked at.
        let above = wire("above", &leave & !any_of(&nearest));
        let popping = get(&self.popping);
        let survive = wire("survive", &entry_mask & !(&exec & &above.repeat(WARP)));
        let none = wire("none", &popping & !survive.any());
        let bottom = wire("bottom", index.is(0));
        let over = wire("over", &bottom | &!(&none | &above));
        let pop = wire("pop", &walking & &popping);
        let keep = &walking & &above & !&popping;

        // A push, or the entry with fewer threads.
        let new_kind = cat([&(is(op::PBK) | is(op::PCNT)), &any_of(&[is(op::CAL), is(op::PRET), is(op::PCNT)])]);
        let pushed_pc = to_next.mux(&next, &target);
        let pushed_mask = is(op::BRA).mux(&remain, &active);
        self.stack.write(
            &place(&executing.mux(&self.entry(depth.clone()), &index)),
            &executing.mux(&cat([&new_kind, &pushed_pc, &pushed_mask]), &cat([&entry_kind, &entry_pc, &survive])),
            &wire("write", (&executing & &pushed) | keep),
        );

        let depth_new = wire("depth_new", executing.mux(&depth_pushed, &index.zext(DEPTH)));
        let update = wire("update", &executing | &pop);
        self.depths.write(&warp, &depth_new, &update);
        when(&update, || set(&self.depth, &depth_new));
        set(&self.index, &below);

        when(&executing, || {
            set(&self.warp_of, &warp);
            set(&self.popping, !&rest);
            set(&self.finished, all_of(&[shed.clone(), empty.clone(), !&rest, !&asks]));
            set(&self.trap, (&push & &full) | all_of(&[asks.clone(), some.clone(), empty.clone()]));
            set(&self.underflow, &asks);
            set(&self.mask, shed.mux(&remain, &taken.mux(&exec, &active)));
            set(&self.pc, (&taken | &is(op::CAL)).mux(&target, &next));
        });
        when(&walking, || {
            set(&self.popping, &none);
            let unfound = wire("unfound", all_of(&[bottom.clone(), above.clone(), asks.clone()]));
            set(&self.finished, &bottom & &none & !&unfound);
            set(&self.trap, &unfound);
            when(&popping, || {
                set(&self.mask, &survive);
                set(&self.pc, &entry_pc);
            });
        });
        set(&self.walking, (&executing & &walk) | (&walking & !&over));
        set(&self.given, (&executing & !&walk) | (&walking & &over));

        // Taking an operation: it may take the place of one that is just executed.
        let accept = wire("accept", &ready & &get(&p.valid));
        set(&self.executing, &accept);
        let asked = get(&p.warp);
        let kept = written(&self.fresh, (&get(&p.start_warp), &get(&p.start_valid)), (&asked, &accept), &asked);
        let old_depth = self.depths.read(0, &asked);
        when(&accept, || {
            let asked_op = get(&p.op);
            let join = wire("join_marker", get(&p.marker).is(marker::JOIN));
            let leaves = [op::RET, op::BRK, op::CONT, op::EXIT].map(|code| asked_op.is(code));
            set(&self.held_op, asked_op.one_hot(OPS) & (!&join).repeat(OPS));
            set(&self.held_may_walk, any_of(&leaves) | &join);
            set(&self.held_join, join);
            set(&self.held_warp, &asked);
            set(&self.held_active, get(&p.active));
            set(&self.held_exec, get(&p.exec));
            set(&self.held_target, get(&p.target));
            set(&self.held_next, get(&p.next));
            set(&self.held_depth, old_depth & kept.repeat(DEPTH));
        });

        let given = get(&self.given);
        set(&p.ready, &ready);
        set(&p.busy, any_of(&[executing, walking, given.clone()]));
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

rtl_block!(FermiDivergence, "fermi_divergence");
