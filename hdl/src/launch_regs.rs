//! Launch registers: the host's view of the chip, 32-bit words at byte addresses.
//!
//! docs/registers.md lists registers and counters.
//!
//! | port                               | width | meaning                                    |
//! |------------------------------------|-------|--------------------------------------------|
//! | `bus_*`                            |       | address 20 bits, data 32                   |
//! | `grid_*` … `bank_words_k`          |       | registers that the host writes             |
//! | `start`                            | 1     | one cycle: begin                           |
//! | `busy`, `done`, `trapped`, `trap_*`|       | what STATUS and TRAP show                  |
//! | `param_we`, `const_we`, `prog_we`  | 1     | this cycle's write is for that memory      |
//! | `write_word`                       | 16    | word address within that memory            |
//! | `write_data`                       | 32    | the word                                   |
//! | `count_*`                          |       | events of this cycle, summed over the SMs; |
//! |                                    |       | `count_stall_i`: the i-th stall cause      |
//!
//! Timing: a write takes effect at the clock edge; read data comes in the next cycle. `start` comes
//! in the cycle after the write. Reset: registers 0. Errors: an address of no register reads 0 and
//! writes nothing; the low two address bits are ignored; while `busy`, the host must not write.
//! Source: ours; takes the place of FlexGripPlus' configuration through the testbench.

use crate::config::GpuConfig;
use crate::fault_counters::FaultCounters;
use crate::perf_counters::{count_width, PerfCounters};
use crate::rtl::prelude::*;
use crate::sm::dims::Dims;
use warpsmith_contract::ports::BUS_ADDRESS_BITS;
use warpsmith_contract::registers::{
    self as map, bank, block_xy, control, grid, status, trap, trap_block, BitField, Register,
};
use warpsmith_contract::{Counter, StallCause};

pub use warpsmith_contract::registers::BANKS;

/// Stall causes counted.
pub const STALLS: usize = StallCause::COUNT;

/// The bits of a field.
fn field(word: &Expr, f: BitField) -> Expr {
    word.bits(f.low as usize, f.width() as usize)
}

/// A word of 32 bits from its fields, the highest first; what lies between them is 0.
fn word_of(fields: &[(BitField, Expr)]) -> Expr {
    let mut parts = vec![];
    let mut above = 32;
    for (f, value) in fields {
        if above > f.high + 1 {
            parts.push(zero((above - f.high - 1) as usize));
        }
        parts.push(value.clone());
        above = f.low;
    }
    if above > 0 {
        parts.push(zero(above as usize));
    }
    cat(&parts)
}

block! {
    /// See the module.
    pub struct LaunchRegs(cfg: &GpuConfig) {
        in bus_valid(1),
        in bus_write(1),
        in bus_address(BUS_ADDRESS_BITS),
        in bus_wdata(32),
        out bus_rdata(32),
        out start(1),
        out grid_x(16),
        out grid_y(16),
        out block_x(16),
        out block_y(16),
        out block_z(16),
        out block_threads(11),
        out registers(8),
        out shared_bytes(d.shared_size()),
        out program_bytes(d.pc),
        out start_pc(d.pc),
        out global_last(32),
        out global_guard(1),
        out local_base(32),
        out local_bytes(17),
        out param_count(7),
        out bank_base([BANKS] d.constant),
        out bank_words([BANKS] 15),
        out param_we(1),
        out const_we(1),
        out prog_we(1),
        out write_word(16),
        out write_data(32),
        in busy(1),
        in done(1),
        in trapped(1),
        in trap_cause(trap::CAUSE.width() as usize),
        in trap_lane(trap::LANE.width() as usize),
        in trap_warp(trap::WARP.width() as usize),
        in trap_sm(trap::SM.width() as usize),
        in trap_pc(d.pc),
        in trap_x(16),
        in trap_y(16),
        in count_warp_instructions(count_width(cfg, Counter::WarpInstructions)),
        in count_thread_instructions(count_width(cfg, Counter::ThreadInstructions)),
        in count_stall([STALLS] count_width(cfg, Counter::Stall(StallCause::Launch))),
        in count_global_requests(count_width(cfg, Counter::GlobalRequests)),
        /// A bit for each scheme of hardening: something was corrected, or detected.
        in chip_corrected(if schemes > 0; schemes),
        in chip_detected(if schemes > 0; schemes),
        /// Something was detected: the kernel stops.
        out fault(if schemes > 0; 1),
        reg corrected_now(if schemes > 0; schemes),
        reg detected_now(if schemes > 0; schemes),
        part faults(if schemes > 0; FaultCounters: schemes),
        reg go(1),
        reg grid(32),
        reg block_xy(32),
        reg block_depth(16),
        reg thread_count(11),
        reg thread_registers(8),
        reg block_shared(d.shared_size()),
        reg program_size(d.pc),
        reg entry_pc(d.pc),
        reg global_end(32),
        reg guarded(1),
        reg local_start(32),
        reg local_size(17),
        reg params(7),
        reg base([BANKS] d.constant),
        reg words([BANKS] 15),
        part counters(PerfCounters: cfg),
    } where {
        let d = Dims::of(cfg);
        let schemes = cfg.harden.len();
    }
}

impl LaunchRegs {
    /// Collects the events of hardened blocks: what CORRECTED and FAULTS show.
    fn collect(&self, start: &Expr) -> Option<[Expr; 2]> {
        let (corrected, detected) = (get(self.chip_corrected.get()?), get(self.chip_detected.get()?));
        let (now, found) = (self.corrected_now.get()?, self.detected_now.get()?);
        set(now, corrected);
        set(found, detected);
        let (now, found) = (get(now), get(found));
        let faults = self.faults.get()?;
        set(&faults.start, start);
        set(&faults.corrections, now);
        set(&faults.detections, &found);
        set(self.fault.get()?, found.any());
        Some([get(&faults.cycles), get(&faults.schemes).zext(32)])
    }

    /// What the chip sees of the registers.
    fn parameters(&self) {
        let (blocks, threads) = (get(&self.grid), get(&self.block_xy));
        set(&self.grid_x, field(&blocks, grid::X));
        set(&self.grid_y, field(&blocks, grid::Y));
        set(&self.block_x, field(&threads, block_xy::X));
        set(&self.block_y, field(&threads, block_xy::Y));
        set(&self.block_z, get(&self.block_depth));
        set(&self.block_threads, get(&self.thread_count));
        set(&self.registers, get(&self.thread_registers));
        set(&self.shared_bytes, get(&self.block_shared));
        set(&self.program_bytes, get(&self.program_size));
        set(&self.start_pc, get(&self.entry_pc));
        set(&self.global_last, get(&self.global_end));
        set(&self.global_guard, get(&self.guarded));
        set(&self.local_base, get(&self.local_start));
        set(&self.local_bytes, get(&self.local_size));
        set(&self.param_count, get(&self.params));
        for k in 0..BANKS {
            set(&self.bank_base[k], get(&self.base[k]));
            set(&self.bank_words[k], get(&self.words[k]));
        }
    }
}

impl Rtl for LaunchRegs {
    fn rtl(&self) {
        let address = get(&self.bus_address);
        let data = get(&self.bus_wdata);
        let write = wire("write", get(&self.bus_valid) & get(&self.bus_write));
        let region = address.bits(18, 2);
        let page = wire("page", address.bits(8, 12));
        let word = wire("word", address.bits(2, 6));
        let own = wire("control", &write & &page.is(0));
        let at = |word_number: u32| &own & &word.is(word_number.into());

        let go = at(map::CONTROL.word()) & field(&data, control::START);
        set(&self.go, &go);
        when(&go, || set(&self.guarded, field(&data, control::GUARD)));
        for (register, to) in [
            (map::GRID, &self.grid),
            (map::BLOCK_XY, &self.block_xy),
            (map::BLOCK_Z, &self.block_depth),
            (map::THREADS, &self.thread_count),
            (map::REGISTERS, &self.thread_registers),
            (map::SHARED_BYTES, &self.block_shared),
            (map::PROGRAM_BYTES, &self.program_size),
            (map::START_PC, &self.entry_pc),
            (map::GLOBAL_LAST, &self.global_end),
            (map::LOCAL_BASE, &self.local_start),
            (map::LOCAL_BYTES, &self.local_size),
            (map::PARAM_COUNT, &self.params),
        ] {
            when(&at(register.word()), || set(to, data.bits(0, to.as_ref().width())));
        }
        for k in 0..BANKS {
            when(&at(map::BANK.at(k as u32) / 4), || {
                let part = |to: &Reg, low: u32| {
                    set(to, data.bits(low as usize, to.as_ref().width()));
                };
                part(&self.base[k], bank::FIRST.low);
                part(&self.words[k], bank::WORDS.low);
            });
        }
        self.parameters();

        let in_page = |r: Register| page.is(u64::from(r.address >> 8));
        let in_region = |r: Register| region.is(u64::from(r.address >> 18));
        set(&self.param_we, &write & &in_page(map::PARAM));
        set(&self.const_we, &write & &in_region(map::CONSTANT_RAM));
        set(&self.prog_we, &write & &in_region(map::PROGRAM_RAM));
        // A parameter's number stands in the same place as a memory's word address, with page 1
        // above it: its memory has 64 words and takes the low bits.
        set(&self.write_word, address.bits(2, 16));
        set(&self.write_data, &data);

        let start = get(&self.go);
        set(&self.start, &start);
        let c = &self.counters;
        set(&c.start, &start);
        for (i, count) in c.count.iter().enumerate() {
            let events = match Counter::ALL[i] {
                Counter::Cycles => &self.busy,
                Counter::WarpInstructions => &self.count_warp_instructions,
                Counter::ThreadInstructions => &self.count_thread_instructions,
                Counter::Stall(cause) => &self.count_stall[cause.index()],
                Counter::GlobalRequests => &self.count_global_requests,
            };
            set(count, get(events));
        }
        set(&c.read_index, address.bits(3, 4));
        set(&c.read_high, address.bit(2));
        set(&self.bus_rdata, get(&c.read_value));

        let state = word_of(&[
            (status::TRAPPED, get(&self.trapped)),
            (status::DONE, get(&self.done)),
            (status::BUSY, get(&self.busy)),
        ]);
        let record = word_of(&[
            (trap::SM, get(&self.trap_sm)),
            (trap::WARP, get(&self.trap_warp)),
            (trap::LANE, get(&self.trap_lane)),
            (trap::CAUSE, get(&self.trap_cause)),
        ]);
        let place = word_of(&[(trap_block::Y, get(&self.trap_y)), (trap_block::X, get(&self.trap_x))]);
        let mut row: [Expr; 8] = std::array::from_fn(|_| zero(32));
        for (register, value) in [
            (map::ID, lit(32, map::ID_VALUE.into())),
            (map::STATUS, state),
            (map::TRAP, record),
            (map::TRAP_PC, get(&self.trap_pc).zext(32)),
            (map::TRAP_BLOCK, place),
            (map::CONTROL, word_of(&[(control::GUARD, get(&self.guarded))])),
        ] {
            row[register.word() as usize] = value;
        }
        if let Some(events) = self.collect(&start) {
            for (register, value) in [map::CORRECTED, map::FAULTS].into_iter().zip(events) {
                row[register.word() as usize] = value;
            }
        }
        let low = page.is(0) & word.bits(3, 3).is(0);
        let shown = wire("shown", select(&word.bits(0, 3), &row) & low.repeat(32));
        let counts = in_page(map::COUNTER) & !address.bit(7);
        set(&c.read_on, counts);
        set(&c.read_other, shown);
    }
}

rtl_block!(LaunchRegs, "launch_regs");
