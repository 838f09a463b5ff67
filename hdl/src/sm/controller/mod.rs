//! Controller: takes blocks into the SM, prepares them, and gives their place back.
//!
//! Block slot s has the warp slots s*n .. s*n+n-1 (n = warps of a block), their registers from entry
//! warp * registers * beats of each lane's memory, and shared memory from s * the block's shared
//! bytes rounded up to 16. A block gets its header (halfwords 0, ntid.x, .y, .z, nctaid.x, .y,
//! ctaid.x, .y) and its parameters in shared memory and R0 = tid.x | tid.y << 16 | tid.z << 26 in
//! every thread.
//!
//! | port                   | width  | meaning                                                     |
//! |------------------------|--------|-------------------------------------------------------------|
//! | `start`                | 1      | kernel start: forget all blocks, work out the slots          |
//! | `halt`                 | 1      | the kernel has trapped: forget all blocks, take none         |
//! | `advance`              | 1      | the pipeline moves                                           |
//! | `block_threads` … `param_count` |        | launch registers, steady while the kernel runs               |
//! | `param_we`, `_address`, `_data` |  | host writes parameter word 0..63                          |
//! | `block_valid`, `_ready`, `ctaid_*` | | a block is offered, and taken when both are set          |
//! | `block_start_valid`    | 1      | it has been taken: all its warps are live for barriers       |
//! | `block_start_warps`    | warps  | its warp slots                                               |
//! | `block_start_slot`     | block  | its block slot                                               |
//! | `init_*`               |        | shared-memory write: byte address of the SM, word; handshake |
//! | `rf_*`                 |        | register write: entry, lane mask, a word a lane; handshake   |
//! | `warp_start_ready`     | 1      | a warp may begin                                             |
//! | `warp_start_valid`     | 1      | warp slot `warp_start` begins                                |
//! | `warp_start_mask`      | 32     | its threads                                                  |
//! | `warp_start_block`     | block  | its block slot                                               |
//! | `warp_start_index`     | warp   | its number in the block                                      |
//! | `warp_start_x`, `_y`   | 16     | ctaid of its block                                           |
//! | `warp_start_regbase`   | entry  | its first register entry, a multiple of the beats            |
//! | `warp_start_sharedbase`| shared | byte address of its block's shared memory, a multiple of 16  |
//! | `finish_*`             |        | a warp has ended                                             |
//! | `finishing`            | warps  | the same, one bit a warp                                     |
//! | `running`              | warps  | warps of resident blocks that have not ended                 |
//! | `warp_busy`            | warps  | operations of the warp are in flight                         |
//! | `block_done`           | 1      | one cycle: a block is complete and its slot is free          |
//! | `idle`                 | 1      | no block is resident                                         |
//! | `asked_slot`           | block  | a block slot                                                 |
//! | `asked_x`, `asked_y`   | 16     | ctaid of its latest block                                    |
//!
//! Timing: slots are worked out one warp a cycle; a block is taken from warps of a block + 2 cycles
//! after `start`. A block takes 4 + parameters cycles, the first beats + 1 cycles of its first warp
//! beside them, then beats + 1 cycles a warp, when nothing holds the handshakes; registers are not
//! written in the first lanes + 1 cycles after `start`. Blocks are prepared while others run. A
//! slot is free when all its warps have ended, none is busy, and `advance` has then been set in at
//! least 32 cycles, so that nothing of it is left in the pipeline.
//! Reset: no kernel, no block is taken. Errors: none. A block that cannot fit is never taken, and
//! shared memory smaller than header and parameters runs into the next slot: the host refuses both.
//! Source: sm10-isa.md §4 (header, R0); FlexGripPlus starts all warps of a block together.

mod prepare;
mod slots;
mod threads;

use super::dims::Dims;
use crate::config::{GpuConfig, WARP};
use crate::rtl::prelude::*;

/// Parameter words.
pub const PARAMS: usize = 64;
/// Bits of the block sizes x and y; of tid.x and tid.y one less.
const SIZE: usize = 11;
const TID: usize = SIZE - 1;
const TID_Z: usize = 6;
/// Header words of a block.
const HEADER: u64 = 4;
/// Advances waited for before a slot is free: bit 5 of the difference of two 6-bit times.
const TIME: usize = 6;

/// Neighbouring lanes of which one has a register for its thread index: the others count on from it.
const GROUP: usize = 4;

const NONE: u64 = 0;
const READY: u64 = 1;
const FILL: u64 = 2;
const BEGIN: u64 = 3;

packed! {
    /// Thread index in the block.
    pub struct Tid(_d: ()) {
        x: TID,
        y: TID,
        z: TID_Z,
    }
}

packed! {
    /// Thread index of a lane: its z is that of its group's first lane, and `rounds` more.
    pub struct RowTid(_d: ()) {
        x: TID,
        y: TID,
        rounds: 2,
    }
}

packed! {
    /// What belongs to a block slot.
    pub struct Slot(d: &Dims) {
        warp: d.warp,
        register: d.entry,
        shared: d.shared,
        warps: d.warps,
    }
}

/// See the module.
#[derive(LogicBlock)]
pub struct Controller {
    pub start: Input,
    pub halt: Input,
    pub advance: Input,
    pub block_threads: Input,
    pub block_x: Input,
    pub block_y: Input,
    pub block_z: Input,
    pub registers: Input,
    pub shared_bytes: Input,
    pub grid_x: Input,
    pub grid_y: Input,
    pub param_count: Input,
    pub param_we: Input,
    pub param_address: Input,
    pub param_data: Input,
    pub block_valid: Input,
    pub block_ready: Output,
    pub ctaid_x: Input,
    pub ctaid_y: Input,
    pub block_start_valid: Output,
    pub block_start_warps: Output,
    pub block_start_slot: Output,
    pub init_valid: Output,
    pub init_ready: Input,
    pub init_addr: Output,
    pub init_data: Output,
    pub rf_valid: Output,
    pub rf_ready: Input,
    pub rf_addr: Output,
    pub rf_mask: Output,
    pub rf_data: Vec<Output>,
    pub warp_start_ready: Input,
    pub warp_start_valid: Output,
    pub warp_start: Output,
    pub warp_start_mask: Output,
    pub warp_start_block: Output,
    pub warp_start_index: Output,
    pub warp_start_x: Output,
    pub warp_start_y: Output,
    pub warp_start_regbase: Output,
    pub warp_start_sharedbase: Output,
    pub finish_valid: Input,
    pub finish_warp: Input,
    pub finishing: Output,
    pub running: Output,
    pub warp_busy: Input,
    pub block_done: Output,
    pub idle: Output,
    pub asked_slot: Input,
    pub asked_x: Output,
    pub asked_y: Output,
    state: Reg,
    // Thread indices: the first of each group of lanes but the first group, where it is 0; the step
    // of `lanes` threads; where each group is, one step ahead of the row of lanes to be written.
    counting: Reg,
    count: Reg,
    step: Reg,
    /// Step less the block size, x and y: what is added when the index passes the edge.
    step_x_wrapped: Reg,
    step_y_wrapped: Reg,
    /// Last index of a block in x and y, that before it and so on; steady while the kernel runs.
    last_x: Vec<Reg>,
    last_y: Vec<Reg>,
    /// Threads of the block's last warp, unless that is full; steady while the kernel runs.
    partial: Reg,
    first: Vec<Reg>,
    group: Vec<Reg>,
    /// Of each lane, [`RowTid`]; of each group the z of its first lane.
    row: Vec<Reg>,
    row_z: Vec<Reg>,
    /// `row` holds the threads to be written next.
    primed: Reg,
    // Slots while they are being worked out; shared memory and warps of a block, steady while the
    // kernel runs.
    working: Reg,
    rounded: Reg,
    needed: Reg,
    next_slot: Reg,
    next_warp: Reg,
    next_register: Reg,
    next_shared: Reg,
    slot_count: Reg,
    slot_warp: Reg,
    slot_register: Reg,
    /// Warp slots given out, a bit each; those of the slots before.
    given: Reg,
    given_before: Reg,
    usable: Reg,
    slots: Ram,
    // The block being prepared; its header and parameters are being written.
    initing: Reg,
    block: Reg,
    warp: Reg,
    index: Reg,
    register: Reg,
    shared: Reg,
    remaining: Reg,
    word: Reg,
    /// Its byte address.
    word_at: Reg,
    beat: Reg,
    x: Reg,
    y: Reg,
    params: Ram,
    // Resident blocks.
    occupied: Reg,
    draining: Reg,
    resident: Reg,
    scan: Reg,
    advances: Reg,
    drained_at: Ram,
    completed: Reg,
    ctaids: Ram,
    _d: Dims,
    _entries: usize,
    _shared_bytes: usize,
}

impl Controller {
    /// The controller of an SM.
    pub fn new(cfg: &GpuConfig) -> Self {
        let d = Dims::of(cfg);
        let (w, n) = (d.warps, d.blocks);
        let tid = Tid::width(());
        let groups = d.lanes.div_ceil(GROUP);
        Self {
            start: Input::new(1),
            halt: Input::new(1),
            advance: Input::new(1),
            block_threads: Input::new(11),
            block_x: Input::new(16),
            block_y: Input::new(16),
            block_z: Input::new(16),
            registers: Input::new(8),
            shared_bytes: Input::new(15),
            grid_x: Input::new(16),
            grid_y: Input::new(16),
            param_count: Input::new(7),
            param_we: Input::new(1),
            param_address: Input::new(clog2(PARAMS)),
            param_data: Input::new(32),
            block_valid: Input::new(1),
            block_ready: Output::new(1),
            ctaid_x: Input::new(16),
            ctaid_y: Input::new(16),
            block_start_valid: Output::new(1),
            block_start_warps: Output::new(w),
            block_start_slot: Output::new(d.block),
            init_valid: Output::new(1),
            init_ready: Input::new(1),
            init_addr: Output::new(d.shared),
            init_data: Output::new(32),
            rf_valid: Output::new(1),
            rf_ready: Input::new(1),
            rf_addr: Output::new(d.entry),
            rf_mask: Output::new(d.lanes),
            rf_data: Output::array(d.lanes, 32),
            warp_start_ready: Input::new(1),
            warp_start_valid: Output::new(1),
            warp_start: Output::new(d.warp),
            warp_start_mask: Output::new(WARP),
            warp_start_block: Output::new(d.block),
            warp_start_index: Output::new(d.warp),
            warp_start_x: Output::new(16),
            warp_start_y: Output::new(16),
            warp_start_regbase: Output::new(d.entry),
            warp_start_sharedbase: Output::new(d.shared),
            finish_valid: Input::new(1),
            finish_warp: Input::new(d.warp),
            finishing: Output::new(w),
            running: Output::new(w),
            warp_busy: Input::new(w),
            block_done: Output::new(1),
            idle: Output::new(1),
            asked_slot: Input::new(d.block),
            asked_x: Output::new(16),
            asked_y: Output::new(16),
            state: Reg::new(2),
            counting: Reg::new(1),
            count: Reg::data(6),
            step: Reg::data(tid),
            step_x_wrapped: Reg::data(SIZE),
            step_y_wrapped: Reg::data(SIZE),
            last_x: (1..GROUP).map(|_| Reg::data(TID)).collect(),
            last_y: (1..GROUP).map(|_| Reg::data(TID)).collect(),
            partial: Reg::data(WARP - 1),
            first: (1..groups).map(|_| Reg::data(tid)).collect(),
            group: (0..groups).map(|_| Reg::data(tid)).collect(),
            row: (0..d.lanes).map(|_| Reg::data(RowTid::width(()))).collect(),
            row_z: (0..groups).map(|_| Reg::data(TID_Z)).collect(),
            primed: Reg::new(1),
            working: Reg::new(1),
            rounded: Reg::data(12),
            needed: Reg::data(6),
            next_slot: Reg::data(d.block),
            next_warp: Reg::data(d.warp + 1),
            next_register: Reg::data(d.entry + 1),
            next_shared: Reg::data(16),
            slot_count: Reg::data(6),
            slot_warp: Reg::data(d.warp),
            slot_register: Reg::data(d.entry),
            given: Reg::data(w),
            given_before: Reg::data(w),
            usable: Reg::new(n),
            slots: Ram::new(RamKind::Lut, n, Slot::width(&d), 2),
            initing: Reg::new(1),
            block: Reg::data(d.block),
            warp: Reg::data(d.warp),
            index: Reg::data(d.warp),
            register: Reg::data(d.entry),
            shared: Reg::data(d.shared),
            remaining: Reg::data(11),
            word: Reg::data(7),
            word_at: Reg::data(d.shared),
            beat: Reg::data(d.beat),
            x: Reg::data(16),
            y: Reg::data(16),
            params: Ram::new(RamKind::Lut, PARAMS, 32, 1),
            occupied: Reg::new(n),
            draining: Reg::new(n),
            resident: Reg::new(w),
            scan: Reg::new(d.block),
            advances: Reg::new(TIME),
            drained_at: Ram::new(RamKind::Lut, n, TIME, 1),
            completed: Reg::new(1),
            ctaids: Ram::new(RamKind::Lut, n, 32, 1),
            _d: d,
            _entries: cfg.registers / cfg.lanes,
            _shared_bytes: cfg.shared_bytes,
        }
    }

    fn goto(&self, state: u64) {
        set(&self.state, lit(2, state));
    }
}

impl Rtl for Controller {
    fn rtl(&self) {
        let d = &self._d;
        let (w, n) = (d.warps, d.blocks);
        let halt = get(&self.halt);
        self.work_out_slots();
        let (written, all_begun) = self.prepare();
        self.step_threads(&all_begun, &written);

        // Taking a block into the lowest free slot.
        let (occupied, draining) = (get(&self.occupied), get(&self.draining));
        let free = wire("free", get(&self.usable) & !&occupied);
        let waiting = get(&self.state).is(READY);
        let ready = wire("ready", waiting & free.any() & !&halt);
        set(&self.block_ready, &ready);
        let accept = wire("accept", &ready & &get(&self.block_valid));
        let slot_hot = wire("slot_hot", lowest_one_hot(&free) & accept.repeat(n));
        let slot_index = wire("slot_index", one_hot_index(&lowest_one_hot(&free), d.block));
        let slot = Slot::unpack(d, "slot", &self.slots.read(0, &slot_index));
        when(&accept, || {
            set(&self.block, &slot_index);
            set(&self.warp, &slot.warp);
            set(&self.index, zero(d.warp));
            set(&self.register, &slot.register);
            set(&self.shared, &slot.shared);
            set(&self.remaining, get(&self.block_threads));
            set(&self.word, zero(7));
            set(&self.word_at, &slot.shared);
            set(&self.beat, zero(d.beat));
            set(&self.x, get(&self.ctaid_x));
            set(&self.y, get(&self.ctaid_y));
            set(&self.initing, lit(1, 1));
            self.goto(FILL);
        });
        let ctaid = cat([&get(&self.ctaid_y), &get(&self.ctaid_x)]);
        self.ctaids.write(&slot_index, &ctaid, &accept);
        let asked = self.ctaids.read(0, &get(&self.asked_slot)).named();
        set(&self.asked_x, asked.bits(0, 16));
        set(&self.asked_y, asked.bits(16, 16));
        set(&self.block_start_valid, &accept);
        set(&self.block_start_warps, &slot.warps);
        set(&self.block_start_slot, &slot_index);

        // Giving slots back: one slot is looked at a cycle.
        let scan = get(&self.scan);
        let time = get(&self.advances);
        let scan_hot = wire("scan_hot", scan.one_hot(n));
        let scanned = Slot::unpack(d, "scanned", &self.slots.read(1, &scan));
        let resident = get(&self.resident);
        let quiet = !((&resident | &get(&self.warp_busy)) & scanned.warps).any();
        let here = wire("here", (&occupied & &scan_hot).any());
        let drains = wire("drains", (&draining & &scan_hot).any());
        let since = wire("since", &time - &self.drained_at.read(0, &scan));
        let drain = wire("drain", here.clone() & quiet & !&drains);
        let complete = wire("gone", &drains & &since.msb());
        self.drained_at.write(&scan, &time, &drain);
        set(
            &self.scan,
            scan.is(n as u64 - 1)
                .mux(&zero(d.block), &(&scan + lit(d.block, 1))),
        );
        set(&self.advances, &time + get(&self.advance).zext(TIME));
        let gone_hot = &scan_hot & &complete.repeat(n);
        let finish = wire(
            "finish",
            get(&self.finish_warp).one_hot(w) & get(&self.finish_valid).repeat(w),
        );
        set(&self.finishing, &finish);
        set(&self.running, &resident);
        let started = &slot.warps & &accept.repeat(w);
        set(&self.occupied, (&occupied & !&gone_hot) | &slot_hot);
        set(
            &self.draining,
            (&draining & !&gone_hot) | (&scan_hot & &drain.repeat(n)),
        );
        set(&self.resident, (&resident & !finish) | started);
        set(&self.completed, &complete);
        set(&self.block_done, get(&self.completed));
        set(&self.idle, !occupied.any());

        let start = get(&self.start);
        when(&(&halt | &start), || {
            set(&self.occupied, zero(n));
            set(&self.draining, zero(n));
            set(&self.resident, zero(w));
            set(&self.completed, zero(1));
            set(&self.initing, zero(1));
            self.goto(NONE);
        });
        when(&start, || {
            self.begin_counting();
            set(&self.working, lit(1, 1));
            set(&self.next_slot, zero(d.block));
            set(&self.next_warp, zero(d.warp + 1));
            set(&self.next_register, zero(d.entry + 1));
            set(&self.next_shared, zero(16));
            set(&self.slot_count, zero(6));
            set(&self.slot_warp, zero(d.warp));
            set(&self.slot_register, zero(d.entry));
            set(&self.given, zero(w));
            set(&self.given_before, zero(w));
            set(&self.usable, zero(n));
            self.goto(READY);
        });
    }
}

rtl_block!(Controller, "controller");
