//! Decode stage: holds one selected instruction until it may go, or refuses it.
//!
//! The word is decoded and held against the scoreboard in one cycle. An instruction that has to
//! wait for an earlier one leaves the stage at once and its warp sleeps until something of it
//! completes, so another warp can use the slot.
//!
//! | port           | width  | meaning                                                        |
//! |----------------|--------|----------------------------------------------------------------|
//! | `sel_*`        |        | the selected warp's line, address, threads, stack depth         |
//! | `take`         | 1      | it enters decode                                                |
//! | `advance`      | 1      | the front of the pipeline moves in this cycle                   |
//! | `issue_ready`  | 1      | the issue stage can take an instruction                         |
//! | `hold`         | 1      | leave a gap, write-back of loads needs the register file        |
//! | `issue_valid`  | 1      | the instruction goes                                            |
//! | `issue`        | Issue  | it, with all it needs later                                     |
//! | `issue_next`   | pc     | address of the next instruction in sequence                     |
//! | `issue_refetch`| 1      | the line is used up                                             |
//! | `issue_block`  | 1      | the warp must not go on before control says where               |
//! | `refused`      | 1      | the instruction in decode has to wait                           |
//! | `hazard_set`   | 1      | … and its warp sleeps                                           |
//! | `waits_for`    | 2      | what it waits for: scoreboard `kind`                            |
//! | `place_*`      |        | where a starting warp lives: block slot, registers, shared      |
//! | `free_*`, `done_*`, `waking_*` | | completions: pipeline, load/store unit; the warp to wake for the first, a cycle ahead |
//!
//! Timing: one cycle at least. Reset or `clear`: empty. Errors: traps found in the word (see
//! decode), a long instruction at an odd word (3) and an address outside the program (10) travel
//! on as `control.trap` and are taken in order, in the memory stage.
//! Source: DESIGN §4.

use super::control::{cause, Control};
use super::decode::Decode;
use super::dims::Dims;
use super::scoreboard::Scoreboard;
use super::warps::DEPTH;
use crate::config::{GpuConfig, WARP};
use crate::rtl::prelude::*;

packed! {
    /// An instruction of a warp on its way down the pipeline.
    pub struct Issue(d: &Dims) {
        control: Control::width(d),
        warp: d.warp,
        /// Scoreboard slot.
        slot: 2,
        /// Block slot.
        block: d.block,
        /// Register-file entry of the warp's R0, beat 0.
        reg_base: d.entry,
        /// Byte address of the block's shared memory.
        shared_base: d.shared,
        /// Active mask.
        mask: WARP,
        pc: d.pc,
        /// The instruction word, for the trace port.
        word: if d.trace { 64 } else { 1 },
        /// Divergence stack depth, for the trace port.
        depth: if d.trace { DEPTH } else { 1 },
    }
}

/// See the module.
#[derive(LogicBlock)]
pub struct Dispatch {
    pub clear: Input,
    pub halt: Input,
    pub registers: Input,
    pub sel_valid: Input,
    pub sel_warp: Input,
    pub sel_mask: Input,
    pub sel_pc: Input,
    pub sel_depth: Input,
    pub sel_line: Input,
    pub sel_beyond: Input,
    pub take: Output,
    pub advance: Input,
    pub issue_ready: Input,
    pub hold: Input,
    pub dec_valid: Output,
    pub dec_warp: Output,
    pub issue_valid: Output,
    pub issue: Output,
    pub issue_next: Output,
    pub issue_refetch: Output,
    pub issue_block: Output,
    pub hazard_set: Output,
    pub refused: Output,
    pub waits_for: Output,
    pub wake: Output,
    pub busy: Output,
    pub place_valid: Input,
    pub place_warp: Input,
    pub place_block: Input,
    pub place_reg_base: Input,
    pub place_shared_base: Input,
    pub free_valid: Input,
    pub free_warp: Input,
    pub free_slot: Input,
    pub waking_valid: Input,
    pub waking_warp: Input,
    pub done_valid: Input,
    pub done_warp: Input,
    pub done_slot: Input,
    valid: Reg,
    warp: Reg,
    mask: Reg,
    pc: Reg,
    depth: Reg,
    line: Reg,
    beyond: Reg,
    decode: Decode,
    scoreboard: Scoreboard,
    places: Ram,
    _d: Dims,
}

impl Dispatch {
    /// The decode stage of a configuration.
    pub fn new(cfg: &GpuConfig) -> Self {
        let d = Dims::of(cfg);
        Self {
            clear: Input::new(1),
            halt: Input::new(1),
            registers: Input::new(8),
            sel_valid: Input::new(1),
            sel_warp: Input::new(d.warp),
            sel_mask: Input::new(WARP),
            sel_pc: Input::new(d.pc),
            sel_depth: Input::new(DEPTH),
            sel_line: Input::new(64),
            sel_beyond: Input::new(1),
            take: Output::new(1),
            advance: Input::new(1),
            issue_ready: Input::new(1),
            hold: Input::new(1),
            dec_valid: Output::new(1),
            dec_warp: Output::new(d.warp),
            issue_valid: Output::new(1),
            issue: Output::new(Issue::width(&d)),
            issue_next: Output::new(d.pc),
            issue_refetch: Output::new(1),
            issue_block: Output::new(1),
            hazard_set: Output::new(1),
            refused: Output::new(1),
            waits_for: Output::new(2),
            wake: Output::new(d.warps),
            busy: Output::new(d.warps),
            place_valid: Input::new(1),
            place_warp: Input::new(d.warp),
            place_block: Input::new(d.block),
            place_reg_base: Input::new(d.entry),
            place_shared_base: Input::new(d.shared),
            free_valid: Input::new(1),
            free_warp: Input::new(d.warp),
            free_slot: Input::new(2),
            waking_valid: Input::new(1),
            waking_warp: Input::new(d.warp),
            done_valid: Input::new(1),
            done_warp: Input::new(d.warp),
            done_slot: Input::new(2),
            valid: Reg::new(1),
            warp: Reg::data(d.warp),
            mask: Reg::data(WARP),
            pc: Reg::data(d.pc),
            depth: Reg::data(DEPTH),
            line: Reg::data(64),
            beyond: Reg::data(1),
            decode: Decode::new(cfg),
            scoreboard: Scoreboard::new(cfg),
            places: Ram::new(RamKind::Lut, d.warps, d.block + d.entry + d.shared, 1),
            _d: d,
        }
    }
}

impl Rtl for Dispatch {
    fn rtl(&self) {
        let d = &self._d;
        let (valid, warp, pc, line) = (
            get(&self.valid),
            get(&self.warp),
            get(&self.pc),
            get(&self.line),
        );
        let upper = pc.bit(2);
        let first = wire(
            "first_word",
            upper.mux(&line.bits(32, 32), &line.bits(0, 32)),
        );
        let long = wire("long", first.bit(0));
        let second = long.repeat(32) & line.bits(32, 32);
        let word = wire("instruction", cat([&second, &first]));
        set(&self.decode.word, &word);
        set(&self.decode.registers, get(&self.registers));
        let decoded = get(&self.decode.control);
        let mut control = Control::unpack(d, "c", &decoded);
        let misaligned = &long & &upper;
        let trap = get(&self.beyond).mux(
            &lit(4, cause::FETCH),
            &misaligned.mux(&lit(4, cause::MISALIGNED_LONG), &control.trap),
        );
        let trap = wire("trap", trap);
        let trapped = wire("trapped", trap.any());
        let blocks = wire(
            "blocks",
            control.flow.any() | control.marker.any() | &control.bar | &trapped,
        );
        control.trap = trap;

        set(&self.scoreboard.clear, get(&self.clear));
        set(&self.scoreboard.warp, &warp);
        set(&self.scoreboard.control, &decoded);
        let hazard = wire("hazard", get(&self.scoreboard.hazard));
        let may_go =
            &valid & &!&hazard & get(&self.issue_ready) & !get(&self.hold) & !get(&self.halt);
        let go = wire("go", &get(&self.advance) & &may_go);
        let refuse = wire("refuse", &get(&self.advance) & &valid & &hazard);
        set(&self.scoreboard.allocate, &go);

        let take = wire(
            "taking",
            get(&self.advance) & get(&self.sel_valid) & (!&valid | &go | &refuse),
        );
        when(&(&go | &refuse | get(&self.halt)), || {
            set(&self.valid, lit(1, 0))
        });
        when(&take, || {
            set(&self.valid, lit(1, 1));
            set(&self.warp, get(&self.sel_warp));
            set(&self.mask, get(&self.sel_mask));
            set(&self.pc, get(&self.sel_pc));
            set(&self.depth, get(&self.sel_depth));
            set(&self.line, get(&self.sel_line));
            set(&self.beyond, get(&self.sel_beyond));
        });
        when(&get(&self.clear), || set(&self.valid, lit(1, 0)));
        set(&self.take, &take);
        set(&self.dec_valid, &valid);
        set(&self.dec_warp, &warp);

        let place = cat([
            &get(&self.place_shared_base),
            &get(&self.place_reg_base),
            &get(&self.place_block),
        ]);
        self.places
            .write(&get(&self.place_warp), &place, &get(&self.place_valid));
        let place = self.places.read(0, &warp).named();
        let issue = Issue {
            control: control.pack(),
            warp: warp.clone(),
            slot: get(&self.scoreboard.slot),
            block: place.bits(0, d.block),
            reg_base: place.bits(d.block, d.entry),
            shared_base: place.bits(d.block + d.entry, d.shared),
            mask: get(&self.mask),
            pc: pc.clone(),
            word: if d.trace { word.clone() } else { zero(1) },
            depth: if d.trace { get(&self.depth) } else { zero(1) },
        };
        issue.check(d);
        set(&self.issue_valid, &go);
        set(&self.issue, issue.pack());
        let step = cat([&long, &!&long]);
        set(&self.issue_next, &pc + &cat([&step, &zero(2)]).zext(d.pc));
        set(&self.issue_refetch, &long | &upper | &blocks);
        set(&self.issue_block, blocks);

        // A refused warp sleeps until a completion of its own; one in this very cycle counts.
        let completes = |v: &Input, w: &Input| get(w).one_hot(d.warps) & get(v).repeat(d.warps);
        let done = wire("done_hot", completes(&self.done_valid, &self.done_warp));
        let wake = wire(
            "waking",
            completes(&self.waking_valid, &self.waking_warp) | &done,
        );
        let freed = wire("freed", completes(&self.free_valid, &self.free_warp));
        set(&self.hazard_set, &refuse & !(&wake | &freed).bit_at(&warp));
        set(&self.refused, &refuse);
        set(&self.waits_for, get(&self.scoreboard.waits_for));
        set(&self.wake, wake);
        set(&self.busy, get(&self.scoreboard.busy));
        set(&self.scoreboard.free_valid, get(&self.free_valid));
        set(&self.scoreboard.free_warp, get(&self.free_warp));
        set(&self.scoreboard.free_slot, get(&self.free_slot));
        set(&self.scoreboard.done_valid, get(&self.done_valid));
        set(&self.scoreboard.done_warp, get(&self.done_warp));
        set(&self.scoreboard.done_slot, get(&self.done_slot));
    }
}

rtl_block!(Dispatch, "dispatch");
