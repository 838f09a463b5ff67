//! Mask unit of G13: which threads of a warp run next, and where.
//!
//! A warp has no stack: a counter a thread says whether it is active. Jumps and the end of a warp come from
//! stage A; new masks, which the lanes make, come beat by beat from stage W.
//!
//! | port              | width | meaning                                                     |
//! |-------------------|-------|-------------------------------------------------------------|
//! | `valid`           | 1     | an operation; taken when `ready`                            |
//! | `op`              | 4     | one of [`op`]; NONE goes on at `next`                       |
//! | `marker`          | 2     | bit 0, of JUMP_REGISTER: active threads name different addresses |
//! | `warp`            | warp  | warp slot                                                   |
//! | `active`          | 32    | threads active, also none; `exec` is not looked at          |
//! | `target`, `next`  | pc    | target address; address after the instruction               |
//! | `ready`           | 1     | an operation can be taken                                   |
//! | `start_*`         |       | not looked at: nothing is kept of a warp                    |
//! | `beat_valid`      | 1     | a beat of a mask operation is written                       |
//! | `beat_first`      | 1     | … the first of its instruction                              |
//! | `beat_last`       | 1     | … the last of its instruction                               |
//! | `beat_warp`       | warp  | its warp                                                    |
//! | `beat_number`     | beat  | its place in the warp                                       |
//! | `beat_active`     | lanes | threads of it that exist and whose counter is 0             |
//! | `beat_next`       | pc    | address after the instruction                               |
//! | `result_valid`    | 1     | one cycle: the operation is complete                        |
//! | `result_warp`     | warp  | its warp                                                    |
//! | `result_mask`     | 32    | threads active from now on; a warp without any goes on      |
//! | `result_pc`       | pc    | address it goes on at                                       |
//! | `result_finished` | 1     | END: the warp has ended, mask is 0                          |
//! | `result_trap`     | 1     | see Errors                                                  |
//! | `result_cause`    | 4     | trap cause                                                  |
//! | `result_depth`    | 7     | 0                                                           |
//! | `busy`            | 1     | an operation is under way, or its result is being given     |
//!
//! Timing: the result of an operation comes in the cycle after it is taken, that of a mask operation in the
//! cycle after its last beat. Beats cannot wait: where both results are due, the operation's comes a cycle later and
//! `ready` is 0. The beats of an instruction come in any cycles, none of another instruction between them.
//! Reset: no operation. Errors: cause 7, where active threads jump to different addresses.
//! Source: docs/instruction-sets.md, G13 on a chip.

use super::{op, Ports};
use crate::config::{GpuConfig, WARP};
use crate::rtl::prelude::*;
use crate::sm::control::trap_cause;
use crate::sm::dims::{Dims, DEPTH};
use warpsmith_contract::TrapCause;

bundle! {
    /// A beat of a mask operation from stage W to the mask unit.
    pub struct MaskBeat(d: &Dims) {
        /// A beat of a mask operation is offered.
        out valid(1),
        /// It is the first of its instruction.
        out first(1),
        /// It is the last of its instruction.
        out last(1),
        /// Warp slot.
        out warp(d.warp),
        /// Its place in the warp.
        out number(d.beat),
        /// Threads of it that are active from now on.
        out active(d.lanes),
        /// Address after the instruction.
        out next(d.pc),
    }
}

block! {
    /// See the module.
    pub struct MaskUnit(cfg: &GpuConfig) {
        part ports(Ports<Sink>: &d),
        part beat(MaskBeat<Sink>: &d),
        /// An operation has been taken.
        reg held(1),
        data held_warp(d.warp),
        data held_mask(WARP),
        data held_pc(d.pc),
        data held_end(1),
        data held_trap(1),
        /// A mask is complete.
        reg gathered(1),
        data gathered_warp(d.warp),
        data gathered_mask(WARP),
        data gathered_pc(d.pc),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
    }
}

impl Rtl for MaskUnit {
    fn rtl(&self) {
        let (d, p, b) = (&self._d, &self.ports, &self.beat);
        let (held, gathered) = (get(&self.held), get(&self.gathered));

        // Jumps and the end.
        let ready = wire("free", !(&held & &gathered));
        let accept = wire("accept", &ready & &get(&p.valid));
        let waits = wire("waits", &held & &gathered);
        set(&self.held, accept.clone() | waits);
        when(&accept, || {
            let (asked, active) = (get(&p.op), get(&p.active));
            let some = active.any().called("some");
            let end = wire("ends", asked.is(op::END));
            let jumps = wire(
                "jumps",
                any_of(&[
                    asked.is(op::JUMP),
                    (asked.is(op::JUMP_ANY) | asked.is(op::JUMP_REGISTER)) & &some,
                    asked.is(op::JUMP_NONE) & !&some,
                ]),
            );
            set(&self.held_trap, asked.is(op::JUMP_REGISTER) & get(&p.marker).bit(0));
            set(&self.held_warp, get(&p.warp));
            set(&self.held_mask, active & !end.repeat(WARP));
            set(&self.held_pc, jumps.mux(&get(&p.target), &get(&p.next)));
            set(&self.held_end, end);
        });

        // Masks, a beat at a time.
        let beat = get(&b.valid);
        set(&self.gathered, &beat & &get(&b.last));
        when(&beat, || {
            let kept = get(&self.gathered_mask) & !get(&b.first).repeat(WARP);
            let places = match d.beats {
                1 => get(&b.active),
                n => {
                    let part = |i: usize| {
                        let here = get(&b.number).is(i as u64);
                        get(&b.active) & here.repeat(d.lanes)
                    };
                    let parts: Vec<Expr> = (0..n).map(part).collect();
                    pack(parts.iter())
                }
            };
            set(&self.gathered_mask, kept | places);
            set(&self.gathered_warp, get(&b.warp));
            set(&self.gathered_pc, get(&b.next));
        });

        let pick = |of_beats: &Reg, of_operation: &Reg| gathered.mux(&get(of_beats), &get(of_operation));
        set(&p.ready, ready);
        set(&p.busy, &held | &gathered);
        set(&p.result_valid, &held | &gathered);
        set(&p.result_warp, pick(&self.gathered_warp, &self.held_warp));
        set(&p.result_mask, pick(&self.gathered_mask, &self.held_mask));
        set(&p.result_pc, pick(&self.gathered_pc, &self.held_pc));
        set(&p.result_finished, !&gathered & get(&self.held_end));
        set(&p.result_trap, !&gathered & get(&self.held_trap));
        set(&p.result_cause, trap_cause(TrapCause::StackUnderflow));
        set(&p.result_depth, zero(DEPTH));
    }
}

rtl_block!(MaskUnit, "g13_divergence");
