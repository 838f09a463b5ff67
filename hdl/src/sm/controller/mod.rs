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
//! slot is free when all its warps have ended, `advance` has then been set in as many cycles as [`drain`]
//! says, so that nothing of it is left in the pipeline, and none is busy. One slot is looked at a cycle;
//! the only one with a block in every cycle.
//! Reset: no kernel, no block is taken. Errors: none. A block that cannot fit is never taken, and
//! shared memory smaller than header and parameters runs into the next slot: the host refuses both.
//! Source: docs/semantics.md, Start of a block; FlexGripPlus starts all warps of a block together.

// The header, which the Verilog shows, is that of the other sets; `channels` says what Ivy Bridge has in its place.
mod channels;
mod prepare;
mod slots;
mod threads;

use super::dims::Dims;
use super::pipeline::bundles::InitialWord;
use super::pipeline::timing::drain;
use crate::config::{GpuConfig, WARP};
use crate::rtl::prelude::*;
use crate::sm::control::ivb::DWORDS;
use crate::sm::mem::locks::FREED;
use warpsmith_contract::registers::PARAMS;

/// Bits of the block sizes x and y; of tid.x and tid.y one less.
const SIZE: usize = 11;
const TID: usize = SIZE - 1;
const TID_Z: usize = 6;
/// Header words of a block.
const HEADER: u64 = 4;
/// Bits of the count of advances. A slot is free when the highest one of a difference is set.
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

block! {
    /// See the module.
    pub struct Controller(cfg: &GpuConfig) {
        in start(1),
        in halt(1),
        in advance(1),
        in block_threads(11),
        in block_x(16),
        in block_y(16),
        in block_z(16),
        in registers(8),
        in shared_bytes(d.shared_size()),
        in grid_x(16),
        in grid_y(16),
        in param_count(7),
        in param_we(1),
        in param_address(clog2(PARAMS)),
        in param_data(32),
        in block_valid(1),
        out block_ready(1),
        in ctaid_x(16),
        in ctaid_y(16),
        out block_start_valid(1),
        out block_start_warps(w),
        out block_start_slot(d.block),
        part init(InitialWord<Source>: &d),
        /// The warp whose registers are written; not of SM 1.0.
        out rf_warp(if d.has.predicates; d.warp),
        out rf_valid(1),
        in rf_ready(1),
        out rf_addr(d.entry),
        out rf_mask(d.lanes),
        out rf_data([d.lanes] 32),
        in warp_start_ready(1),
        out warp_start_valid(1),
        out warp_start(d.warp),
        out warp_start_mask(WARP),
        out warp_start_block(d.block),
        out warp_start_index(d.warp),
        out warp_start_x(16),
        out warp_start_y(16),
        out warp_start_regbase(d.entry),
        out warp_start_sharedbase(d.shared),
        in finish_valid(1),
        in finish_warp(d.warp),
        out finishing(w),
        out running(w),
        in warp_busy(w),
        out block_done(1),
        out idle(1),
        in asked_slot(d.block),
        out asked_x(16),
        out asked_y(16),
        reg state(2),
        // Thread indices: the first of each group of lanes but the first group, where it is 0; the step
        // of `lanes` threads; where each group is, one step ahead of the row of lanes to be written.
        reg counting(1),
        data count(6),
        data step(tid),
        /// Step less the block size, x and y: what is added when the index passes the edge.
        data step_x_wrapped(SIZE),
        data step_y_wrapped(SIZE),
        /// Last index of a block in x and y, that before it and so on; steady while the kernel runs.
        data last_x([GROUP - 1] TID),
        data last_y([GROUP - 1] TID),
        /// Threads of the block's last warp, unless that is full; steady while the kernel runs.
        data partial(d.threads - 1),
        data first([groups - 1] tid),
        data group([groups] tid),
        /// Of each lane, [`RowTid`]; of each group the z of its first lane.
        data row([row] RowTid::width(())),
        data row_z([groups] TID_Z),
        /// `row` holds the threads to be written next.
        reg primed(1),
        // Slots while they are being worked out; shared memory and warps of a block, steady while the
        // kernel runs.
        reg working(1),
        data rounded(d.shared_size() - 3),
        data needed(6 + d.has.channels.bits(3)),
        data next_slot(d.block),
        data next_warp(d.warp + 1),
        data next_register(d.entry + 1),
        data next_shared(d.shared_size() + 1),
        data slot_count(6),
        data slot_warp(d.warp),
        data slot_register(d.entry),
        /// Warp slots given out, a bit each; those of the slots before.
        data given(w),
        data given_before(w),
        reg usable(n),
        part slots(Ram: RamKind::Lut, n, Slot::width(&d), 2),
        // The block being prepared; its header and parameters are being written.
        reg initing(1),
        /// Locks on its shared memory are being freed, behind the words, [`FREED`] a cycle: the byte address, and cycles that
        /// are left; of SM 1.2 and later.
        reg freeing(if d.has.locks; 1),
        data free_at(if d.has.locks; d.shared),
        data free_left(if d.has.locks; d.shared_size() - 1),
        data block(d.block),
        data warp(d.warp),
        data index(d.warp),
        data register(d.entry),
        data shared(d.shared),
        data remaining(11),
        data word(7),
        /// Its byte address.
        data word_at(d.shared),
        data beat(d.beat),
        /// The next register that is written, and the second word of a thread's index is; not of SM 1.0.
        data fill(if d.has.register_fill; 8 - d.has.channels.bits(4)),
        data second(if d.has.register_fill && !d.has.channels; 1),
        data x(16),
        data y(16),
        part params(Ram = params_of(&d)),
        // Resident blocks.
        reg occupied(n),
        reg draining(n),
        reg resident(w),
        reg scan(d.block),
        reg advances(TIME),
        part drained_at(Ram: RamKind::Lut, n, TIME, 1),
        reg completed(1),
        part ctaids(Ram: RamKind::Lut, n, 32, 1),
        keep _d(Dims = d),
        keep _entries(usize = 1 << d.entry),
        keep _shared_bytes(usize = cfg.shared_bytes),
        /// Log2 of the words that are unlocked in a cycle.
        keep _freed(usize = FREED.min(cfg.shared_banks).ilog2() as usize),
    } where {
        let d = Dims::of(cfg);
        let (w, n) = (d.warps, d.blocks);
        let tid = Tid::width(());
        // Threads whose indices stand side by side.
        let row = d.lanes.min(d.threads);
        let groups = row.div_ceil(GROUP);
    }
}

/// Memory of the parameters: a word, of Ivy Bridge the 8 dwords of a register.
fn params_of(d: &Dims) -> Ram {
    match d.has.channels {
        true => Ram::with_granule(RamKind::Lut, PARAMS / DWORDS, 32 * DWORDS, 32, 1),
        false => Ram::new(RamKind::Lut, PARAMS, 32, 1),
    }
}

impl Controller {
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
            if let Some(fill) = self.fill.get() {
                set(fill, zero(fill.as_ref().width()));
            }
            if let Some(second) = self.second.get() {
                set(second, zero(1));
            }
            set(&self.x, get(&self.ctaid_x));
            set(&self.y, get(&self.ctaid_y));
            set(&self.initing, lit(1, 1));
            self.begin_to_free(&slot.shared);
            self.goto(FILL);
        });
        let ctaid = cat([&get(&self.ctaid_y), &get(&self.ctaid_x)]);
        self.ctaids.write(&slot_index, &ctaid, &accept);
        let asked = self.ctaids.read(0, &get(&self.asked_slot)).called("asked");
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
        let ended = !(&resident & &scanned.warps).any();
        let quiet = !(get(&self.warp_busy) & scanned.warps).any();
        let here = wire("here", (&occupied & &scan_hot).any());
        let drains = wire("drains", (&draining & &scan_hot).any());
        let since = wire("since", &time - &self.drained_at.read(0, &scan));
        let drain_begins = wire("drain", here.clone() & ended & !&drains);
        // As if they had ended earlier: 32 advances later the slot is free. What is busy longer stays at these 32.
        let passed = wire("passed", &drains & &since.msb());
        let half = 1 << (TIME - 1);
        let earlier = &time - &lit(TIME, half - drain(d) as u64);
        let stays = &time ^ &lit(TIME, half);
        self.drained_at.write(&scan, &drains.mux(&stays, &earlier), &(&drain_begins | &(&passed & !&quiet)));
        let complete = wire("gone", &passed & &quiet);
        let next = scan.is(n as u64 - 1).mux(&zero(d.block), &(&scan + lit(d.block, 1)));
        set(&self.scan, occupied.eq(&scan_hot).mux(&scan, &next));
        set(&self.advances, &time + get(&self.advance).zext(TIME));
        let gone_hot = &scan_hot & &complete.repeat(n);
        let finish = wire("finish", get(&self.finish_warp).one_hot(w) & get(&self.finish_valid).repeat(w));
        set(&self.finishing, &finish);
        set(&self.running, &resident);
        let started = &slot.warps & &accept.repeat(w);
        set(&self.occupied, (&occupied & !&gone_hot) | &slot_hot);
        set(&self.draining, (&draining & !&gone_hot) | (&scan_hot & &drain_begins.repeat(n)));
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
            if let Some(freeing) = self.freeing.get() {
                set(freeing, zero(1));
            }
            self.goto(NONE);
        });
        when(&start, || {
            self.begin_counting();
            set(&self.working, lit(1, 1));
            set(&self.next_slot, zero(d.block));
            set(&self.next_warp, zero(d.warp + 1));
            set(&self.next_register, zero(d.entry + 1));
            set(&self.next_shared, zero(d.shared_size() + 1));
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
