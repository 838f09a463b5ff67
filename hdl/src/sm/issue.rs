//! Issue stage: plays an instruction as beats, and says when its results can be read.
//!
//! An instruction stays 32 / lanes cycles, times the passes of a wide access (2, 4); beat b carries
//! threads b·lanes … . A token travels beside the first beat of the last pass and frees
//! the scoreboard slot when an instruction entering this stage would just read the result.
//!
//! | port         | width | meaning                                                          |
//! |--------------|-------|------------------------------------------------------------------|
//! | `issue_*`    |       | from decode, when `ready`                                        |
//! | `advance`    | 1     | the front of the pipeline moves                                  |
//! | `valid`      | 1     | a beat stands in this stage                                      |
//! | `out`        | Issue | its instruction                                                  |
//! | `beat`, `pass` | beat, 2 | which one                                                    |
//! | `first`, `last` | 1  | of the whole instruction                                         |
//! | `waking_*`   |       | the warp may be selected again                                   |
//! | `free_*`     |       | the slot is free, one cycle after `waking_*`                     |
//! | `busy`       | 1     | a token or a beat is under way                                   |
//!
//! Timing: the token counts moves of the front, so a stall delays reader and writer alike;
//! a dependent instruction follows [`latency`] moves behind at the earliest.
//! Reset or `clear`: empty. Errors: none.
//! Source: DESIGN §4.

use super::control::{last_pass, memory, Control, MAX_PASSES};
use super::dims::Dims;
use super::dispatch::Issue;
use super::execute::STAGES;
use crate::config::GpuConfig;
use crate::rtl::prelude::*;

/// Moves from a result's first beat in this stage to the earliest reader's: address, memory,
/// operand selection, those of execution, the last of which writes back; one less with forwarding.
pub fn latency(d: &Dims) -> usize {
    STAGES + 4 - usize::from(d.forward)
}

/// See the module.
#[derive(LogicBlock)]
pub struct IssueStage {
    pub clear: Input,
    pub advance: Input,
    pub issue_valid: Input,
    pub issue: Input,
    pub ready: Output,
    pub valid: Output,
    pub out: Output,
    pub beat: Output,
    pub pass: Output,
    pub first: Output,
    pub last: Output,
    pub waking_valid: Output,
    pub waking_warp: Output,
    pub free_valid: Output,
    pub free_warp: Output,
    pub free_slot: Output,
    pub busy: Output,
    held: Reg,
    held_valid: Reg,
    beat_q: Reg,
    pass_q: Reg,
    token_valid: Vec<Reg>,
    token: Vec<Reg>,
    _d: Dims,
}

impl IssueStage {
    /// The issue stage of a configuration.
    pub fn new(cfg: &GpuConfig) -> Self {
        let d = Dims::of(cfg);
        Self {
            clear: Input::new(1),
            advance: Input::new(1),
            issue_valid: Input::new(1),
            issue: Input::new(Issue::width(&d)),
            ready: Output::new(1),
            valid: Output::new(1),
            out: Output::new(Issue::width(&d)),
            beat: Output::new(d.beat),
            pass: Output::new(MAX_PASSES),
            first: Output::new(1),
            last: Output::new(1),
            waking_valid: Output::new(1),
            waking_warp: Output::new(d.warp),
            free_valid: Output::new(1),
            free_warp: Output::new(d.warp),
            free_slot: Output::new(2),
            busy: Output::new(1),
            held: Reg::data(Issue::width(&d)),
            held_valid: Reg::new(1),
            beat_q: Reg::new(d.beat),
            pass_q: Reg::new(MAX_PASSES),
            token_valid: (0..latency(&d) - 2).map(|_| Reg::new(1)).collect(),
            token: (0..latency(&d) - 2)
                .map(|_| Reg::data(d.warp + 2))
                .collect(),
            _d: d,
        }
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
        let last_pass = wire("last_pass", pass.eq(&last_pass(&control.passes)));
        let last = wire("last_of_all", &last_beat & &last_pass);
        set(&self.ready, !&valid | &last);
        when(&advance, || {
            set(&self.held_valid, get(&self.issue_valid) | (&valid & !&last));
            set(
                &self.beat_q,
                if d.beats == 1 {
                    zero(1)
                } else {
                    &beat + &valid.zext(d.beat)
                },
            );
            when(&(&valid & &last_beat), || {
                set(
                    &self.pass_q,
                    last_pass.mux(&zero(MAX_PASSES), &(&pass + &lit(MAX_PASSES, 1))),
                )
            });
            when(&get(&self.issue_valid), || {
                set(&self.held, get(&self.issue))
            });
        });
        set(&self.valid, &valid);
        set(&self.out, &held);
        set(&self.beat, &beat);
        set(&self.pass, &pass);
        set(&self.first, !beat.any() & !pass.any());
        set(&self.last, &last);

        // Loads, stores and special functions are completed by their own units.
        let by_unit = control.mem.bits(1, 2).any() | &control.sfu;
        let enters = &valid & !beat.any() & &last_pass & !&by_unit;
        const {
            assert!(
                memory::SHARED_STORE == 1,
                "only the shared store completes in the pipeline"
            )
        };
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
        let n = self.token.len();
        let at = |i: usize| (&get(&self.token_valid[i]) & &advance, get(&self.token[i]));
        let (waking, token) = at(n - 2);
        set(&self.waking_valid, waking);
        set(&self.waking_warp, token.bits(2, d.warp));
        let (free, token) = at(n - 1);
        set(&self.free_valid, free);
        set(&self.free_warp, token.bits(2, d.warp));
        set(&self.free_slot, token.bits(0, 2));
        let tokens: Vec<Ex> = get_all(&self.token_valid);
        set(&self.busy, &valid | any_of(&tokens));
        when(&get(&self.clear), || {
            set(&self.held_valid, lit(1, 0));
            set(&self.beat_q, zero(d.beat));
            set(&self.pass_q, zero(MAX_PASSES));
            self.token_valid.iter().for_each(|v| set(v, lit(1, 0)));
        });
    }
}

rtl_block!(IssueStage, "issue_stage");
