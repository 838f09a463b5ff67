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
//! | `warp_start_valid`     | 1      | warp slot `warp_start` begins                                |
//! | `warp_start_mask`      | 32     | its threads                                                  |
//! | `warp_start_block`     | block  | its block slot                                               |
//! | `warp_start_index`     | warp   | its number in the block                                      |
//! | `warp_start_x`, `_y`   | 16     | ctaid of its block                                           |
//! | `warp_start_regbase`   | entry  | its first register entry, a multiple of the beats            |
//! | `warp_start_sharedbase`| shared | byte address of its block's shared memory, a multiple of 16  |
//! | `finish_*`             |        | a warp has ended                                             |
//! | `warp_busy`            | warps  | operations of the warp are in flight                         |
//! | `block_done`           | 1      | one cycle: a block is complete and its slot is free          |
//! | `idle`                 | 1      | no block is resident                                         |
//! | `slot_x_s`, `slot_y_s` | 16     | ctaid of the latest block of slot s                          |
//!
//! Timing: blocks are taken from lanes + warps + blocks + 2 cycles (at most) after `start`. A block
//! takes 4 + parameters cycles, then beats + 1 cycles a warp, when nothing holds the handshakes. A
//! slot is free when all its warps have ended, none is busy, and `advance` has then been set in at
//! least 32 cycles, so that nothing of it is left in the pipeline.
//! Reset: no kernel, no block is taken. Errors: none. A block that cannot fit is never taken, and
//! shared memory smaller than header and parameters runs into the next slot: the host refuses both.
//! Source: sm10-isa.md §4 (header, R0); FlexGripPlus starts all warps of a block together.

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

const NONE: u64 = 0;
const COUNT: u64 = 1;
const SLOTS: u64 = 2;
const READY: u64 = 3;
const INIT: u64 = 4;
const FILL: u64 = 5;
const BEGIN: u64 = 6;

packed! {
    /// Thread index in the block.
    pub struct Tid(_d: ()) {
        x: TID,
        y: TID,
        z: TID_Z,
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
    pub warp_busy: Input,
    pub block_done: Output,
    pub idle: Output,
    pub slot_x: Vec<Output>,
    pub slot_y: Vec<Output>,
    state: Reg,
    // Thread indices: the first of each lane, the step of `lanes` threads, and where each lane is.
    count: Reg,
    tid: Reg,
    step: Reg,
    /// Step less the block size, x and y: what is added when the index passes the edge.
    step_x_wrapped: Reg,
    step_y_wrapped: Reg,
    first: Vec<Reg>,
    lane: Vec<Reg>,
    // Slots while they are being worked out.
    next_slot: Reg,
    next_warp: Reg,
    next_register: Reg,
    next_shared: Reg,
    slot_count: Reg,
    slot_warp: Reg,
    slot_register: Reg,
    slot_warps: Reg,
    usable: Reg,
    slots: Ram,
    // The block being prepared.
    block: Reg,
    warp: Reg,
    index: Reg,
    register: Reg,
    shared: Reg,
    remaining: Reg,
    word: Reg,
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
    kept_x: Vec<Reg>,
    kept_y: Vec<Reg>,
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
            warp_busy: Input::new(w),
            block_done: Output::new(1),
            idle: Output::new(1),
            slot_x: Output::array(n, 16),
            slot_y: Output::array(n, 16),
            state: Reg::new(3),
            count: Reg::data(6),
            tid: Reg::data(tid),
            step: Reg::data(tid),
            step_x_wrapped: Reg::data(SIZE),
            step_y_wrapped: Reg::data(SIZE),
            first: (0..d.lanes).map(|_| Reg::data(tid)).collect(),
            lane: (0..d.lanes).map(|_| Reg::data(tid)).collect(),
            next_slot: Reg::data(d.block),
            next_warp: Reg::data(d.warp + 1),
            next_register: Reg::data(d.entry + 1),
            next_shared: Reg::data(16),
            slot_count: Reg::data(6),
            slot_warp: Reg::data(d.warp),
            slot_register: Reg::data(d.entry),
            slot_warps: Reg::data(w),
            usable: Reg::new(n),
            slots: Ram::new(RamKind::Lut, n, Slot::width(&d), 2),
            block: Reg::data(d.block),
            warp: Reg::data(d.warp),
            index: Reg::data(d.warp),
            register: Reg::data(d.entry),
            shared: Reg::data(d.shared),
            remaining: Reg::data(11),
            word: Reg::data(7),
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
            kept_x: (0..n).map(|_| Reg::data(16)).collect(),
            kept_y: (0..n).map(|_| Reg::data(16)).collect(),
            _d: d,
            _entries: cfg.registers / cfg.lanes,
            _shared_bytes: cfg.shared_bytes,
        }
    }

    fn goto(&self, state: u64) {
        set(&self.state, lit(3, state));
    }

    fn in_state(&self, name: &str, state: u64) -> Ex {
        wire(name, get(&self.state).is(state))
    }

    /// Register entries of a warp in each lane's memory.
    fn warp_entries(&self, width: usize) -> Ex {
        let shift = self._d.beats.trailing_zeros() as usize;
        let registers = get(&self.registers);
        let entries = if shift == 0 {
            registers
        } else {
            cat([&registers, &zero(shift)])
        };
        entries.resize(width)
    }

    /// Kernel start: counts through the first threads, one a cycle. The first `lanes` are where
    /// the lanes begin, the one after is the step.
    fn count_threads(&self) {
        let lanes = self._d.lanes;
        let counting = self.in_state("counting", COUNT);
        let count = get(&self.count);
        let at = Tid::unpack((), "tid", &get(&self.tid));
        let (size_x, size_y) = (
            get(&self.block_x).bits(0, SIZE),
            get(&self.block_y).bits(0, SIZE),
        );
        let edge_x = wire("edge_x", (at.x.zext(SIZE) + lit(SIZE, 1)).eq(&size_x));
        let edge_y = wire("edge_y", (at.y.zext(SIZE) + lit(SIZE, 1)).eq(&size_y));
        let both = &edge_x & &edge_y;
        let following = Tid {
            x: edge_x.mux(&zero(TID), &(&at.x + lit(TID, 1))),
            y: both.mux(&zero(TID), &(&at.y + edge_x.zext(TID))),
            z: &at.z + both.zext(TID_Z),
        };
        when(&counting, || {
            set(&self.tid, following.pack());
            set(&self.count, &count + lit(6, 1));
            when_else(
                &count.is(lanes as u64),
                || {
                    set(&self.step, get(&self.tid));
                    set(&self.step_x_wrapped, at.x.zext(SIZE) - &size_x);
                    set(&self.step_y_wrapped, at.y.zext(SIZE) - &size_y);
                    self.goto(SLOTS);
                },
                || {
                    for i in 0..lanes {
                        let next = if i + 1 < lanes {
                            get(&self.first[i + 1])
                        } else {
                            get(&self.tid)
                        };
                        set(&self.first[i], next);
                    }
                },
            );
        });
    }

    /// The thread index `lanes` threads on. Both candidates of x and y are added side by side;
    /// the sign of the wrapped one chooses.
    fn advanced(&self, at: &Tid, step: &Tid) -> Tid {
        let add = |at: &Ex, step: &Ex, wrapped: &Ex, carry: &Ex| {
            let carry = carry.zext(SIZE);
            let wrapped = (at.zext(SIZE) + wrapped + &carry).named();
            let straight = (at.zext(SIZE) + step.zext(SIZE) + &carry).named();
            let wraps = !wrapped.msb();
            (
                wraps.mux(&wrapped.bits(0, TID), &straight.bits(0, TID)),
                wraps,
            )
        };
        let (x, carry) = add(&at.x, &step.x, &get(&self.step_x_wrapped), &zero(1));
        let (y, carry) = add(&at.y, &step.y, &get(&self.step_y_wrapped), &carry);
        Tid {
            x,
            y,
            z: &at.z + &step.z + carry.zext(TID_Z),
        }
    }

    /// Kernel start: gives slots out, one warp a cycle, until something is used up.
    fn work_out_slots(&self) {
        let d = &self._d;
        let working = self.in_state("working", SLOTS);
        let (slot, warp) = (get(&self.next_slot), get(&self.next_warp));
        let (register, shared) = (get(&self.next_register), get(&self.next_shared));
        // Room for all entries and those of one warp more.
        let wide = (d.entry + 1).max(10) + 1;
        let register_end = wire(
            "register_end",
            register.zext(wide) + self.warp_entries(wide),
        );
        let rounded = wire("rounded", get(&self.shared_bytes).zext(16) + lit(16, 15));
        let rounded = cat([&rounded.bits(4, 12), &zero(4)]);
        let shared_end = wire("shared_end", &shared + &rounded);
        let fits = all_of(&[
            !warp.msb(),
            register_end.le(&lit(wide, self._entries as u64)),
            shared_end.le(&lit(16, self._shared_bytes as u64)),
        ]);
        let fits = wire("fits", fits);
        let warps = wire(
            "slot_warps_now",
            get(&self.slot_warps) | warp.bits(0, d.warp).one_hot(d.warps),
        );
        let count = wire("slot_count_now", get(&self.slot_count) + lit(6, 1));
        let needed = get(&self.block_threads) + lit(11, 31);
        let whole = count.eq(&needed.bits(5, 6));
        let complete = wire("complete", working.clone() & &fits & whole);
        when(&working, || {
            set(&self.next_warp, &warp + lit(d.warp + 1, 1));
            set(&self.next_register, register_end.bits(0, d.entry + 1));
            set(&self.slot_warps, &warps);
            set(&self.slot_count, &count);
            when(&complete, || {
                set(&self.usable, get(&self.usable) | slot.one_hot(d.blocks));
                set(&self.next_slot, &slot + lit(d.block, 1));
                set(&self.next_shared, &shared_end);
                set(&self.slot_warp, warp.bits(0, d.warp) + lit(d.warp, 1));
                set(&self.slot_register, register_end.bits(0, d.entry));
                set(&self.slot_warps, zero(d.warps));
                set(&self.slot_count, zero(6));
            });
            when(
                &(!&fits | (&complete & &slot.is(d.blocks as u64 - 1))),
                || self.goto(READY),
            );
        });
        let entry = Slot {
            warp: get(&self.slot_warp),
            register: get(&self.slot_register),
            shared: shared.bits(0, d.shared),
            warps,
        };
        self.slots.write(&slot, &entry.pack(), &complete);
    }

    /// Header, parameters, R0 of every thread, and the warps' start.
    fn prepare(&self) {
        let d = &self._d;
        let (word, beat, remaining) = (get(&self.word), get(&self.beat), get(&self.remaining));
        let (x, y, register) = (get(&self.x), get(&self.y), get(&self.register));

        let initing = self.in_state("initing", INIT);
        let param = self.params.read(0, &(word.bits(0, 6) - &lit(6, HEADER)));
        self.params.write(
            &get(&self.param_address),
            &get(&self.param_data),
            &get(&self.param_we),
        );
        let header = [
            cat([&get(&self.block_x), &zero(16)]),
            cat([&get(&self.block_z), &get(&self.block_y)]),
            cat([&get(&self.grid_y), &get(&self.grid_x)]),
            cat([&y, &x]),
        ];
        let in_header = word.bits(2, 5).is(0);
        set(&self.init_valid, &initing);
        let offset = cat([&word, &zero(2)]).resize(d.shared);
        set(&self.init_addr, get(&self.shared) + offset);
        set(
            &self.init_data,
            in_header.mux(&select(&word.bits(0, 2), &header), &param),
        );
        when(&(&initing & &get(&self.init_ready)), || {
            set(&self.word, &word + lit(7, 1));
            let last = get(&self.param_count) + lit(7, HEADER - 1);
            when(&word.eq(&last), || self.goto(FILL));
        });

        let full = remaining.bits(5, 6).any();
        let partial = (0..WARP as u64 - 1).map(|t| &full | &remaining.bits(0, 5).gt(&lit(5, t)));
        let threads: Vec<Ex> = partial.chain([full.clone()]).collect();
        let mask = wire("warp_mask", pack(threads.iter()));
        let filling = self.in_state("filling", FILL);
        set(&self.rf_valid, &filling);
        // A warp's registers begin at a multiple of the beats.
        set(
            &self.rf_addr,
            if d.beats > 1 {
                &register | &beat.zext(d.entry)
            } else {
                register.clone()
            },
        );
        set(&self.rf_mask, select(&beat, &mask.each_word(d.lanes)));
        let step = Tid::unpack((), "step", &get(&self.step));
        for i in 0..d.lanes {
            let at = Tid::unpack((), &format!("lane{i}"), &get(&self.lane[i]));
            set(
                &self.rf_data[i],
                cat([&at.z, &at.y, &zero(16 - TID), &at.x]),
            );
            when(&(&filling & &get(&self.rf_ready)), || {
                set(&self.lane[i], self.advanced(&at, &step).pack())
            });
        }
        when(&(&filling & &get(&self.rf_ready)), || {
            if d.beats > 1 {
                set(&self.beat, &beat + lit(d.beat, 1));
                when(&beat.all(), || self.goto(BEGIN));
            } else {
                self.goto(BEGIN);
            }
        });

        let beginning = self.in_state("beginning", BEGIN);
        when(&beginning, || {
            set(&self.warp, get(&self.warp) + lit(d.warp, 1));
            set(&self.index, get(&self.index) + lit(d.warp, 1));
            set(&self.register, &register + &self.warp_entries(d.entry));
            set(&self.remaining, &remaining - &lit(11, WARP as u64));
            let more = remaining.gt(&lit(11, WARP as u64));
            set(&self.state, more.mux(&lit(3, FILL), &lit(3, READY)));
        });
        set(&self.warp_start_valid, beginning & !get(&self.halt));
        set(&self.warp_start, get(&self.warp));
        set(&self.warp_start_mask, mask);
        set(&self.warp_start_block, get(&self.block));
        set(&self.warp_start_index, get(&self.index));
        set(&self.warp_start_x, x);
        set(&self.warp_start_y, y);
        set(&self.warp_start_regbase, register);
        set(&self.warp_start_sharedbase, get(&self.shared));
    }
}

impl Rtl for Controller {
    fn rtl(&self) {
        let d = &self._d;
        let (w, n) = (d.warps, d.blocks);
        let halt = get(&self.halt);
        self.count_threads();
        self.work_out_slots();
        self.prepare();

        // Taking a block into the lowest free slot.
        let (occupied, draining) = (get(&self.occupied), get(&self.draining));
        let free = wire("free", get(&self.usable) & !&occupied);
        let ready = wire(
            "ready",
            self.in_state("waiting", READY) & free.any() & !&halt,
        );
        let accept = wire("accept", &ready & &get(&self.block_valid));
        let slot_hot = wire("slot_hot", lowest_one_hot(&free) & accept.repeat(n));
        let slot_index = wire("slot_index", one_hot_index(&lowest_one_hot(&free), d.block));
        let slot = Slot::unpack(d, "slot", &self.slots.read(0, &slot_index));
        set(&self.block_ready, &ready);
        when(&accept, || {
            set(&self.block, &slot_index);
            set(&self.warp, &slot.warp);
            set(&self.index, zero(d.warp));
            set(&self.register, &slot.register);
            set(&self.shared, &slot.shared);
            set(&self.remaining, get(&self.block_threads));
            set(&self.word, zero(7));
            set(&self.beat, zero(d.beat));
            set(&self.x, get(&self.ctaid_x));
            set(&self.y, get(&self.ctaid_y));
            for (lane, first) in self.lane.iter().zip(&self.first) {
                set(lane, get(first));
            }
            self.goto(INIT);
        });
        for s in 0..n {
            when(&slot_hot.bit(s), || {
                set(&self.kept_x[s], get(&self.ctaid_x));
                set(&self.kept_y[s], get(&self.ctaid_y));
            });
            set(&self.slot_x[s], get(&self.kept_x[s]));
            set(&self.slot_y[s], get(&self.kept_y[s]));
        }
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
        let finish = get(&self.finish_warp).one_hot(w) & get(&self.finish_valid).repeat(w);
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
            self.goto(NONE);
        });
        when(&start, || {
            set(&self.count, zero(6));
            set(&self.tid, zero(Tid::width(())));
            set(&self.next_slot, zero(d.block));
            set(&self.next_warp, zero(d.warp + 1));
            set(&self.next_register, zero(d.entry + 1));
            set(&self.next_shared, zero(16));
            set(&self.slot_count, zero(6));
            set(&self.slot_warp, zero(d.warp));
            set(&self.slot_register, zero(d.entry));
            set(&self.slot_warps, zero(w));
            set(&self.usable, zero(n));
            self.goto(COUNT);
        });
    }
}

rtl_block!(Controller, "controller");
