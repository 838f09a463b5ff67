//! Decode (D) and hazard check (H): one selected instruction in each, until it may go or is refused.
//!
//! The word is decoded in one cycle and held against the scoreboard in the next. An instruction that
//! has to wait for an earlier one leaves H at once and its warp sleeps until something of it
//! completes, so another warp can use the slot. It stays while nobody comes and what it waits for is
//! about to complete.
//!
//! | port           | width  | meaning                                                        |
//! |----------------|--------|----------------------------------------------------------------|
//! | `sel_*`        |        | the selected warp's line, address, threads, stack depth         |
//! | `take`         | 1      | it enters decode                                                |
//! | `room`         | 1      | the issue stage can take an instruction                         |
//! | `dec_*`        |        | H holds an instruction of this warp                             |
//! | `occupied`     | 1      | D or H holds one                                                |
//! | `issue_valid`  | 1      | the instruction in H goes                                       |
//! | `issue`        | Issue  | it, with all it needs later                                     |
//! | `issue_next`   | pc     | address of the next instruction in sequence                     |
//! | `issue_refetch`| 1      | the line is used up                                             |
//! | `issue_block`  | 1      | the warp must not go on before control says where               |
//! | `clashes`      | 1      | the instruction in H has to wait                                |
//! | `refused`      | 1      | … and leaves                                                    |
//! | `hazard_set`   | 1      | … and its warp sleeps                                           |
//! | `waits_for`    | 2      | what it waits for: scoreboard `kind`                            |
//! | `place_*`      |        | where a starting warp lives: block slot, registers, shared      |
//! | `free_*`, `done_*`, `waking_*`, `near_*` | | completions: pipeline, load/store unit; warps to wake ahead of the first, warps woken already |
//!
//! Timing: two cycles at least; nothing here asks whether the pipeline moves. Reset or `clear`: empty.
//! Errors: traps found in the word (see decode), a long instruction at an odd word (3) and an address
//! outside the program (10) travel on as `control.trap` and are taken in order, in the memory stage.
//! Source: DESIGN §4.

use super::control::{cause, Control};
use super::decode::Decode;
use super::dims::Dims;
use super::issue::AHEAD;
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
    pub room: Input,
    pub dec_valid: Output,
    pub dec_warp: Output,
    pub occupied: Output,
    pub issue_valid: Output,
    pub issue: Output,
    pub issue_next: Output,
    pub issue_refetch: Output,
    pub issue_block: Output,
    pub hazard_set: Output,
    pub clashes: Output,
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
    pub near_valid: Vec<Input>,
    pub near_warp: Vec<Input>,
    pub done_valid: Input,
    pub done_warp: Input,
    pub done_slot: Input,
    valid: Reg,
    warp: Reg,
    mask: Reg,
    pc: Reg,
    depth: Reg,
    word: Reg,
    beyond: Reg,
    h_valid: Reg,
    h_warp: Reg,
    h_control: Reg,
    h_mask: Reg,
    h_pc: Reg,
    h_next: Reg,
    h_used: Reg,
    /// For the trace port.
    h_depth: Maybe<Reg>,
    h_word: Maybe<Reg>,
    h_place: Reg,
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
            room: Input::new(1),
            dec_valid: Output::new(1),
            dec_warp: Output::new(d.warp),
            occupied: Output::new(1),
            issue_valid: Output::new(1),
            issue: Output::new(Issue::width(&d)),
            issue_next: Output::new(d.pc),
            issue_refetch: Output::new(1),
            issue_block: Output::new(1),
            hazard_set: Output::new(1),
            clashes: Output::new(1),
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
            near_valid: Input::array(AHEAD + 1, 1),
            near_warp: Input::array(AHEAD + 1, d.warp),
            done_valid: Input::new(1),
            done_warp: Input::new(d.warp),
            done_slot: Input::new(2),
            valid: Reg::new(1),
            warp: Reg::data(d.warp),
            mask: Reg::data(WARP),
            pc: Reg::data(d.pc),
            depth: Reg::data(DEPTH),
            word: Reg::data(64),
            beyond: Reg::data(1),
            h_valid: Reg::new(1),
            h_warp: Reg::data(d.warp),
            h_control: Reg::data(Control::width(&d)),
            h_mask: Reg::data(WARP),
            h_pc: Reg::data(d.pc),
            h_next: Reg::data(d.pc),
            h_used: Reg::data(1),
            h_depth: Maybe::when(d.trace, || Reg::data(DEPTH)),
            h_word: Maybe::when(d.trace, || Reg::data(64)),
            h_place: Reg::data(d.block + d.entry + d.shared),
            decode: Decode::new(cfg),
            scoreboard: Scoreboard::new(cfg),
            places: Ram::new(RamKind::Lut, d.warps, d.block + d.entry + d.shared, 1),
            _d: d,
        }
    }
}

impl Dispatch {
    /// The instruction of a fetched line at an address: 64 bits, the upper half zero of a short one.
    fn instruction(line: &Ex, pc: &Ex) -> Ex {
        let upper = pc.bit(2);
        let first = wire(
            "first_word",
            upper.mux(&line.bits(32, 32), &line.bits(0, 32)),
        );
        let second = first.bit(0).repeat(32) & line.bits(32, 32);
        cat([&second, &first])
    }

    /// Stage D. `free`: H can take what it has. Returns whether H takes an instruction.
    fn decode_stage(&self, free: &Ex) -> Ex {
        let d = &self._d;
        let (valid, warp, pc, word) = (
            get(&self.valid),
            get(&self.warp),
            get(&self.pc),
            get(&self.word),
        );
        let can = wire("decode_free", !&valid | free);
        set(&self.take, &can & get(&self.sel_valid));
        when(&can, || {
            set(&self.valid, get(&self.sel_valid));
            set(&self.warp, get(&self.sel_warp));
            set(&self.mask, get(&self.sel_mask));
            set(&self.pc, get(&self.sel_pc));
            set(&self.depth, get(&self.sel_depth));
            set(
                &self.word,
                Self::instruction(&get(&self.sel_line), &get(&self.sel_pc)),
            );
            set(&self.beyond, get(&self.sel_beyond));
        });

        let (upper, long) = (pc.bit(2), word.bit(0));
        set(&self.decode.word, &word);
        set(&self.decode.registers, get(&self.registers));
        let mut control = Control::unpack(d, "c", &get(&self.decode.control));
        let misaligned = &long & &upper;
        let trap = get(&self.beyond).mux(
            &lit(4, cause::FETCH),
            &misaligned.mux(&lit(4, cause::MISALIGNED_LONG), &control.trap),
        );
        let trap = wire("trap", trap);
        control.trap = trap;
        let control = wire("arriving", control.pack());
        set(&self.scoreboard.arriving, &control);
        set(&self.scoreboard.numbers, get(&self.decode.numbers));
        let place = cat([
            &get(&self.place_shared_base),
            &get(&self.place_reg_base),
            &get(&self.place_block),
        ]);
        self.places
            .write(&get(&self.place_warp), &place, &get(&self.place_valid));
        let place = self.places.read(0, &warp);
        let step = cat([&long, &!&long]);
        let comes = wire("comes", &valid & free);
        when(&comes, || {
            set(&self.h_warp, &warp);
            set(&self.h_control, &control);
            set(&self.h_mask, get(&self.mask));
            set(&self.h_pc, &pc);
            set(&self.h_next, &pc + &cat([&step, &zero(2)]).zext(d.pc));
            set(&self.h_used, &long | &upper);
            if let (Some(depth), Some(kept)) = (self.h_depth.get(), self.h_word.get()) {
                set(depth, get(&self.depth));
                set(kept, &word);
            }
            set(&self.h_place, &place);
        });
        when(&(get(&self.halt) | get(&self.clear)), || {
            set(&self.valid, lit(1, 0))
        });
        set(&self.scoreboard.coming, &warp);
        set(&self.scoreboard.step, &comes);
        set(&self.occupied, valid | get(&self.h_valid));
        comes
    }
}

impl Rtl for Dispatch {
    fn rtl(&self) {
        let d = &self._d;
        let (valid, warp, room) = (get(&self.h_valid), get(&self.h_warp), get(&self.room));
        // Whatever is in H leaves it when another comes and there is room: it goes, or is refused.
        let comes = self.decode_stage(&wire("hazard_free", !&valid | &room));

        set(&self.scoreboard.clear, get(&self.clear));
        set(&self.scoreboard.warp, &warp);
        set(&self.scoreboard.control, get(&self.h_control));
        let hazard = wire("hazard", get(&self.scoreboard.hazard));
        let asks = wire("asks", &valid & &room & !get(&self.halt));
        let go = wire("go", &asks & &!&hazard);
        let mine = |v: &Input, w: &Input| get(v) & get(w).eq(&warp);
        let soon: Vec<Ex> = (self.near_valid.iter().zip(&self.near_warp))
            .map(|(v, w)| mine(v, w))
            .collect();
        let soon = wire("completes_soon", any_of(&soon));
        let refuse = wire("refuse", &asks & &hazard & (&comes | &!&soon));
        let dropped = get(&self.halt) | get(&self.clear);
        set(
            &self.h_valid,
            (&comes | (&valid & !&go & !&refuse)) & !dropped,
        );
        set(&self.clashes, &valid & &hazard);
        set(&self.scoreboard.allocate, &go);
        set(&self.dec_valid, &valid);
        set(&self.dec_warp, &warp);

        let place = get(&self.h_place);
        let issue = Issue {
            control: get(&self.h_control),
            warp: warp.clone(),
            slot: get(&self.scoreboard.slot),
            block: place.bits(0, d.block),
            reg_base: place.bits(d.block, d.entry),
            shared_base: place.bits(d.block + d.entry, d.shared),
            mask: get(&self.h_mask),
            pc: get(&self.h_pc),
            word: self.h_word.get().map_or(zero(1), get),
            depth: self.h_depth.get().map_or(zero(1), get),
        };
        issue.check(d);
        set(&self.issue_valid, &go);
        set(&self.issue, issue.pack());
        set(&self.issue_next, get(&self.h_next));
        let control = Control::unpack(d, "h", &get(&self.h_control));
        let blocks = any_of(&[
            control.flow.any(),
            control.marker.any(),
            control.bar,
            control.trap.any(),
        ]);
        let blocks = wire("blocks", blocks);
        set(&self.issue_refetch, get(&self.h_used) | &blocks);
        set(&self.issue_block, blocks);

        // A refused warp sleeps until a completion of its own, unless it has been woken for one already.
        // A wake in this very cycle prevails in the table.
        let completes = |v: &Input, w: &Input| get(w).one_hot(d.warps) & get(v).repeat(d.warps);
        let wake = wire(
            "waking",
            completes(&self.waking_valid, &self.waking_warp)
                | completes(&self.done_valid, &self.done_warp),
        );
        set(&self.hazard_set, &refuse & !soon);
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
