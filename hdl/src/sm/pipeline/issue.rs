//! Issue stages Q and I: an instruction waits, then goes on as beats; a token tells when its results can be read.
//!
//! An instruction stays 32 / lanes cycles, times the passes of a wide access (2, 4); beat b carries
//! threads b·lanes … . The next one waits in front of it, so that decode need not know whether the
//! pipeline moves. A token travels beside the first beat of the last pass. It frees the scoreboard slot as
//! soon as an instruction that enters this stage reads the new result.
//!
//! | port         | width | meaning                                                          |
//! |--------------|-------|------------------------------------------------------------------|
//! | `issue_*`    |       | from decode, when there is `room`                                |
//! | `room`       | 1     | the next instruction can be taken                                |
//! | `advance`    | 1     | the front of the pipeline moves                                  |
//! | `hold`       | 1     | leave a gap: begin no instruction                                |
//! | `ready`      | 1     | an instruction may begin                                         |
//! | `begins`     | 1     | one does                                                         |
//! | `valid`      | 1     | a beat stands in this stage                                      |
//! | `out`        | Issue | its instruction                                                  |
//! | `beat`, `pass` | beat, 2 | which one                                                    |
//! | `first`, `last` | 1  | of the whole instruction                                         |
//! | `waking_*`   |       | the warp may be selected again                                   |
//! | `free_*`     |       | the slot is free, [`AHEAD`] moves after `waking_*`               |
//! | `near_*`     |       | completions between the two: their warps have been woken already |
//! | `busy`       | 1     | a token or a beat is under way                                   |
//!
//! Timing: the token counts moves of the front, so a stall delays reader and writer alike;
//! a dependent instruction follows [`latency`] moves behind at the earliest.
//! Reset, `clear` or `halt`: nothing waits; reset or `clear`: empty. Errors: none.
//! Source: docs/architecture.md, The chip.

use super::bundles::{Completion, Issue, WarpEvent, WarpEvents};
use super::timing::token_stages;
pub use super::timing::{latency, AHEAD};
use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::control::{last_pass, Control, MAX_PASSES};
use crate::sm::dims::Dims;
use warpsmith_contract::trace::MemoryAccess;

group! {
    /// The token's events, told a cycle after it passes: they go far, and the stall comes late.
    pub struct Events(d: &Dims) as "" {
        /// The warp is woken, and the token that says which.
        reg waking(1),
        data waking_token(d.warp + 2),
        /// The slot is freed.
        reg free(1),
        data free_token(d.warp + 2),
    }
}

block! {
    /// See the module.
    pub struct IssueStage(cfg: &GpuConfig) {
        in clear(1),
        in halt(1),
        in advance(1),
        in hold(1),
        in issue_valid(1),
        in issue(Issue::width(&d)),
        out room(1),
        out ready(1),
        out begins(1),
        out valid(1),
        out out(Issue::width(&d)),
        out beat(d.beat),
        out pass(MAX_PASSES),
        out first(1),
        out last(1),
        part waking(WarpEvent<Source>: &d),
        part free(Completion<Source>: &d),
        part near(WarpEvents<Source>: AHEAD + 1, &d),
        out busy(1),
        data next(Issue::width(&d)),
        reg next_valid(1),
        data held(Issue::width(&d)),
        reg held_valid(1),
        /// Moves that a vote has waited; with votes, where an instruction is several beats.
        reg waited(if d.has.votes && d.beats > 1; d.beat),
        reg beat_q(d.beat),
        reg pass_q(MAX_PASSES),
        reg token_valid([token_stages(&d)] 1),
        data token([token_stages(&d)] d.warp + 2),
        part events(Events: &d),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
    }
}

impl IssueStage {
    /// What waits may begin as far as it is a vote. A vote reads the conditions of all threads with its first
    /// beat, when an instruction before it has written those of its own first beat: it waits for the others.
    fn vote_may(&self, waited: &Reg, advance: &Expr) -> Expr {
        let d = &self._d;
        let next = Issue::unpack(d, "n", &get(&self.next));
        let control = Control::unpack(d, "nc", &next.control);
        let votes = control.votes(d, "np").unwrap_or_else(|| zero(1));
        let now = get(waited);
        let enough = now.all();
        let waits = get(&self.next_valid) & advance & !&enough;
        set(waited, get(&self.next_valid).mux(&(&now + &waits.zext(d.beat)), &zero(d.beat)));
        wire("vote_may", !votes | enough)
    }
}

impl Rtl for IssueStage {
    fn rtl(&self) {
        let d = &self._d;
        let (valid, held) = (get(&self.held_valid), get(&self.held));
        let (beat, pass) = (get(&self.beat_q), get(&self.pass_q));
        let issue = Issue::unpack(d, "i", &held);
        let control = Control::unpack(d, "c", &issue.control);
        let advance = get(&self.advance);
        let last_beat = wire("last_beat", beat.is(d.beats as u64 - 1));
        let last_pass = wire("last_pass", pass.eq(&last_pass(d, &control.passes)));
        let last = wire("last_of_all", &last_beat & &last_pass);
        let ready = !&valid | &last;
        let next_valid = get(&self.next_valid);
        let may = &ready & !get(&self.hold);
        let may = match self.waited.get() {
            Some(waited) => may & self.vote_may(waited, &advance),
            None => may,
        };
        let begins = wire("begins", &advance & &may & &next_valid);
        // With several beats it is empty again in time; with one it is refilled while it empties.
        let room = match d.beats {
            1 => !&next_valid | &begins,
            _ => !&next_valid,
        };
        when(&room, || set(&self.next, get(&self.issue)));
        set(&self.next_valid, (get(&self.issue_valid) | (&next_valid & !&begins)) & !get(&self.halt));
        set(&self.room, room);
        set(&self.ready, &ready);
        set(&self.begins, &begins);
        // Both passes of a beat of a sum of 64 bits come before its next beat: results of the first beats replace what
        // the second pass reads of the last ones no sooner.
        let by_beat = control.wide_sums(d, "by_beat").map(|s| s.sum_of_two);
        let (next_beat, next_pass) = match &by_beat {
            Some(by_beat) => (&valid & &(!by_beat | &last_pass), &last_beat | by_beat),
            None => (valid.clone(), last_beat.clone()),
        };
        when(&advance, || {
            set(&self.held_valid, &begins | &(&valid & !&last));
            set(&self.beat_q, if d.beats == 1 { zero(1) } else { &beat + &next_beat.zext(d.beat) });
            when(&(&valid & &next_pass), || {
                set(&self.pass_q, last_pass.mux(&zero(MAX_PASSES), &(&pass + &lit(MAX_PASSES, 1))))
            });
        });
        // Whether or not something waits: it is not valid then, and what waits comes late.
        when(&(&advance & &ready), || set(&self.held, get(&self.next)));
        set(&self.valid, &valid);
        set(&self.out, &held);
        set(&self.beat, &beat);
        set(&self.pass, &pass);
        set(&self.first, !beat.any() & !pass.any());
        set(&self.last, &last);

        // Loads, stores and special functions are completed by their own units.
        let by_unit = control.mem.bits(1, 2).any() | &control.sfu;
        // A beat of Ivy Bridge may read what another beat of an earlier instruction has written; beats of a sum of 64
        // bits come two moves apart.
        let counted = match by_beat {
            _ if d.has.channels => last_beat,
            Some(by_beat) => by_beat.mux(&last_beat, &!beat.any()),
            None => !beat.any(),
        };
        let enters = &valid & counted & &last_pass & !&by_unit;
        const { assert!(MemoryAccess::SharedStore as u8 == 1, "only the shared store completes in the pipeline") };
        when(&advance, || {
            for (i, (v, t)) in self.token_valid.iter().zip(&self.token).enumerate() {
                let (from_v, from) = match i {
                    0 => (enters.clone(), cat([&issue.warp, &issue.slot])),
                    _ => (get(&self.token_valid[i - 1]), get(&self.token[i - 1])),
                };
                set(v, from_v);
                set(t, from);
            }
        });
        let told = &self.events;
        let n = self.token.len();
        for (i, valid, event) in
            [(n - 1 - AHEAD, &told.waking, &told.waking_token), (n - 1, &told.free, &told.free_token)]
        {
            set(valid, get(&self.token_valid[i]) & &advance);
            set(event, get(&self.token[i]));
        }
        let warp = |token: &Reg| get(token).bits(2, d.warp);
        set(&self.waking.valid, get(&told.waking));
        set(&self.waking.warp, warp(&told.waking_token));
        set(&self.free.valid, get(&told.free));
        set(&self.free.warp, warp(&told.free_token));
        set(&self.free.slot, get(&told.free_token).bits(0, 2));
        for i in 0..AHEAD {
            set(&self.near.valid[i], get(&self.token_valid[n - AHEAD + i]));
            set(&self.near.warp[i], warp(&self.token[n - AHEAD + i]));
        }
        set(&self.near.valid[AHEAD], get(&told.free));
        set(&self.near.warp[AHEAD], warp(&told.free_token));
        let tokens: Vec<Expr> = get_all(&self.token_valid);
        set(&self.busy, any_of(&tokens) | get(&told.free) | &next_valid | &valid);
        when(&get(&self.clear), || {
            set(&self.next_valid, lit(1, 0));
            set(&self.held_valid, lit(1, 0));
            set(&self.beat_q, zero(d.beat));
            set(&self.pass_q, zero(MAX_PASSES));
            self.token_valid.iter().for_each(|v| set(v, lit(1, 0)));
            set(&told.waking, lit(1, 0));
            set(&told.free, lit(1, 0));
        });
    }
}

rtl_block!(IssueStage, "issue_stage");
