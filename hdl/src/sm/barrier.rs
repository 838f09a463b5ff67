//! Barriers: 16 for each resident block; a warp arrives, waits, or both.
//!
//! A barrier releases when every live warp of the block has arrived at it or waits at it: all its
//! arrivals are forgotten and its waiters run. A warp that ends is not waited for any more.
//!
//! | port            | width | meaning                                                       |
//! |-----------------|-------|---------------------------------------------------------------|
//! | `clear`         | 1     | forget everything (kernel start)                              |
//! | `start_valid`   | 1     | a block becomes resident                                      |
//! | `start_warps`   | warps | all its warp slots                                            |
//! | `start_block`   | block | its block slot                                                |
//! | `place_valid`   | 1     | warp `place_warp` of block slot `place_block` begins          |
//! | `live`          | warps | warps of resident blocks that have not ended                  |
//! | `bar_valid`     | 1     | warp `bar_warp` executes BAR; always taken                    |
//! | `bar_id`        | 4     | which barrier                                                 |
//! | `bar_arrive`    | 1     | it arrives                                                    |
//! | `bar_wait`      | 1     | it waits                                                      |
//! | `exit_warps`    | warps | warps that end, live for the last cycle; always taken         |
//! | `waiting`       | warps | the warp must not issue                                       |
//! | `exiting`       | warps | the warp's end is still being worked on                       |
//! | `busy`          | 1     | events are still being worked on                              |
//! | `deadlock`      | 1     | one cycle: every live warp of a block waits, none can go on   |
//! | `deadlock_warp` | warp  | the lowest of them                                            |
//! | `deadlock_block`| block | its block slot                                                |
//!
//! All warps of a block must become live together, in the cycle after `start_valid`: a barrier that
//! one warp reaches before another has begun would release too early. A warp must have been placed
//! before its first event.
//!
//! Timing: `waiting` is set in the cycle after `bar_valid`. Events are kept, one a warp, and worked
//! on one after the other, the lowest warp first: 2 cycles for a BAR (its warp is `waiting` until
//! then, whether it waits or not), 17 for the exits of a block (their arrivals are taken back and
//! all 16 barriers looked at). The next event is looked for a cycle ahead, so the first one after an
//! idle time takes a cycle more. A warp slot must not start again while it is `exiting`; a warp gives
//! no second event while it is `waiting`.
//! Reset or `clear`: no warp waits; events are worked on after 16 cycles. `clear` must not come
//! together with another event.
//! Errors: a deadlock is reported by `deadlock`, trap cause 11.
//! Source: docs/decisions.md, Barriers; FlexGripPlus has one barrier that counts warps and hangs when one ends.

mod counted;

use super::control::BARRIERS;
use super::dims::Dims;
use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use counted::{Counted, Visit};

const PICK: u64 = 0;
const EVALUATE: u64 = 1;
const CLEAR: u64 = 2;

block! {
    /// See the module.
    pub struct Barrier(cfg: &GpuConfig) {
        in clear(1),
        in start_valid(1),
        in start_warps(w),
        in start_block(d.block),
        in place_valid(1),
        in place_warp(d.warp),
        in place_block(d.block),
        in live(w),
        in bar_valid(1),
        in bar_warp(d.warp),
        in bar_id(4),
        in bar_arrive(1),
        in bar_wait(1),
        in exit_warps(w),
        out waiting(w),
        out exiting(w),
        out busy(1),
        out deadlock(1),
        out deadlock_warp(d.warp),
        out deadlock_block(d.block),
        part state(Reg = Reg::reset_to(2, CLEAR)),
        /// The next event, found a cycle ahead: the lowest warp that has one, its number, whether it ends.
        reg next(w),
        data next_warp(d.warp),
        data next_exits(1),
        reg pending_bar(w),
        reg pending_exit(w),
        /// Warps waiting at some barrier.
        reg waits(w),
        /// The event being worked on: its warp (several for exits) and what it does.
        data event_warps(w),
        data event_ends(1),
        data event_arrives(1),
        data event_waits(1),
        data event_block(d.block),
        /// Live warps of its block, without those that end.
        part members(Reg = Reg::reset_to(w, u64::MAX >> (64 - w))),
        reg index(4),
        reg checking(1),
        part asked(Ram: RamKind::Lut, w, 6, 1),
        /// Block slot of each warp, warps of each block slot.
        part block_of(Ram: RamKind::Lut, w, d.block, 1),
        part warps_of(Ram: RamKind::Lut, d.blocks, w, 1),
        /// For each barrier number: warps waiting at it, warps arrived at it.
        part rows(Ram: RamKind::Lut, BARRIERS, 2 * w, 1),
        /// Numbers of warps expected; not of SM 1.0.
        part counted(if d.has.barrier_counts; Counted: &d),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
        let w = d.warps;
    }
}

impl Rtl for Barrier {
    fn rtl(&self) {
        let d = &self._d;
        let w = d.warps;
        let state = get(&self.state);
        let (picking, evaluating) = (wire("picking", state.is(PICK)), wire("evaluating", state.is(EVALUATE)));
        let clearing = wire("clearing", state.is(CLEAR));
        let index = get(&self.index);
        let waits = get(&self.waits);
        let (pending_bar, pending_exit) = (get(&self.pending_bar), get(&self.pending_exit));

        // The next event.
        let pending = wire("pending", &pending_bar | &pending_exit);
        // Found a cycle ahead. What is found while one is picked may be that one: nobody takes it.
        let lowest = wire("lowest", lowest_one_hot(&pending));
        set(&self.next, &lowest & (!wire("pick_now", &picking & &get(&self.next).any())).repeat(w));
        set(&self.next_warp, one_hot_index(&lowest, d.warp));
        set(&self.next_exits, (&lowest & &pending_exit).any());
        let picked = get(&self.next);
        let pick = wire("pick", &picking & &picked.any());
        let picked_index = get(&self.next_warp);
        let exits = get(&self.next_exits);
        let asked = self.asked.read(0, &picked_index).called("asked");
        let (id, arrive, wait) = (asked.bits(0, 4), asked.bit(4), asked.bit(5));
        let block = self.block_of.read(0, &picked_index);
        let same = self.warps_of.read(0, &block);
        // All warps of the block that have ended leave together.
        let event = wire("event_now", exits.mux(&(&same & &pending_exit), &picked));
        let staying = get(&self.live) | (&pending_exit & (!&exits).repeat(w));
        when(&pick, || {
            set(&self.state, lit(2, EVALUATE));
            set(&self.event_warps, &event);
            set(&self.event_ends, &exits);
            set(&self.event_arrives, &arrive & !&exits);
            set(&self.event_waits, &wait & !&exits);
            set(&self.event_block, &block);
            set(&self.members, &same & &staying);
            set(&self.index, exits.mux(&zero(4), &id));
        });
        let counted = self.counted.get();
        if let Some(counted) = counted {
            counted.pick(&pick, &picked_index, &same);
        }

        // One barrier of its block. Clearing releases everything: all warps are members then.
        let warp = get(&self.event_warps);
        let (ends, arrives, enters) = (get(&self.event_ends), get(&self.event_arrives), get(&self.event_waits));
        let members = get(&self.members);
        let row = self.rows.read(0, &index).called("row");
        let (old_arrived, old_here) = (row.bits(0, w), row.bits(w, w));
        let stayed = match counted {
            None => &old_arrived & !(&warp & &ends.repeat(w)),
            Some(_) => old_arrived.clone(),
        };
        let arrived = stayed | (&warp & &arrives.repeat(w));
        let here = wire("here", &old_here | &(&warp & &enters.repeat(w)));
        let comes = wire("comes", &arrives | &enters);
        let there = &old_arrived | &old_here | (&warp & &comes.repeat(w));
        let missing = wire("missing", (&members & !&there).any());
        let (release, all) = match counted {
            None => (&evaluating & !&missing, members.clone()),
            Some(counted) => counted.release(&Visit {
                clearing: &clearing,
                evaluating: &evaluating,
                block: &get(&self.event_block),
                index: &index,
                arrives: &arrives,
                enters: &enters,
                old_arrived: &old_arrived,
                old_here: &old_here,
                there: &there,
                members: &members,
                missing: &missing,
            }),
        };
        let release = wire("releases", &clearing | &release);
        let gone = &all & &release.repeat(w);
        let data = cat([&(&here & !&gone), &(arrived & !&gone)]);
        self.rows.write(&index, &data, &!&picking);
        let last = wire("last", index.is(15));
        let over = wire("over", &evaluating & &(!&ends | &last));
        when(&!&picking, || {
            set(&self.index, &index + lit(4, 1));
            when(&(&over | &(&clearing & &last)), || set(&self.state, lit(2, PICK)));
        });
        set(&self.checking, &over);

        // Deadlock: nothing can release after the event, and nobody of the block runs.
        let checking = get(&self.checking);
        let stuck = members.any() & !(&members & !&waits).any();
        set(&self.deadlock, &checking & &stuck);
        set(&self.deadlock_block, get(&self.event_block));
        set(&self.deadlock_warp, one_hot_index(&lowest_one_hot(&members), d.warp));

        let (bar, bar_warp) = (get(&self.bar_valid), get(&self.bar_warp));
        let request = cat([&get(&self.bar_wait), &get(&self.bar_arrive), &get(&self.bar_id)]);
        self.asked.write(&bar_warp, &request, &bar);
        if let Some(counted) = counted {
            counted.note(&bar_warp, &bar);
        }
        self.block_of.write(&get(&self.place_warp), &get(&self.place_block), &get(&self.place_valid));
        self.warps_of.write(&get(&self.start_block), &get(&self.start_warps), &get(&self.start_valid));
        let kept = !(&event & &pick.repeat(w));
        let bar_hot = wire("bar_hot", bar_warp.one_hot(w) & bar.repeat(w));
        set(&self.pending_bar, (&pending_bar & &kept) | bar_hot);
        set(&self.pending_exit, (&pending_exit & &kept) | get(&self.exit_warps));
        let waiting = wire("waiting_now", &picking & !&exits & wait);
        let waiter = &picked & &waiting.repeat(w);
        set(&self.waits, (&waits | waiter) & !(&here & &gone));
        when(&get(&self.clear), || {
            set(&self.state, lit(2, CLEAR));
            set(&self.index, zero(4));
            set(&self.checking, zero(1));
            set(&self.members, ones(w));
            for mask in [&self.next, &self.pending_bar, &self.pending_exit, &self.waits] {
                set(mask, zero(w));
            }
        });

        // A BAR that does not wait may go on as soon as it has been picked.
        set(&self.waiting, &waits | &pending_bar);
        let leaving = wire("leaving", &ends & &evaluating);
        set(&self.exiting, &pending_exit | &(&warp & &leaving.repeat(w)));
        set(&self.busy, !&picking | pending.any() | &checking);
    }
}

rtl_block!(Barrier, "barrier");
