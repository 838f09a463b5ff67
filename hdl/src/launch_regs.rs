//! Launch registers: the host's view of the chip, 32-bit words at byte addresses.
//!
//! | address      | access | content                                                          |
//! |--------------|--------|------------------------------------------------------------------|
//! | 0x00         | r      | ID, 0x57415250                                                   |
//! | 0x04         | w      | CONTROL: bit 0 start                                             |
//! | 0x08         | r      | STATUS: bit 0 busy, 1 done, 2 trapped                            |
//! | 0x0c         | r      | TRAP: cause [3:0], lane [12:8], warp slot [20:16], SM [27:24]    |
//! | 0x10, 0x14   | r      | TRAP_PC; TRAP_BLOCK: ctaid y [31:16], x [15:0]                   |
//! | 0x20         | w      | GRID: y [31:16], x [15:0]                                        |
//! | 0x24, 0x28   | w      | BLOCK_XY: y [31:16], x [15:0]; BLOCK_Z                           |
//! | 0x2c         | w      | THREADS of a block                                               |
//! | 0x30         | w      | REGISTERS of a thread                                            |
//! | 0x34         | w      | SHARED_BYTES of a block                                          |
//! | 0x38, 0x3c   | w      | PROGRAM_BYTES; START_PC                                          |
//! | 0x40         | w      | GLOBAL_LAST: bytes of global memory - 1                          |
//! | 0x44, 0x48   | w      | LOCAL_BASE, byte address; LOCAL_BYTES of a thread                |
//! | 0x4c         | w      | PARAM_COUNT, words                                               |
//! | 0x80 + 4k    | w      | constant bank k = 0..15: words [31:16], first word [15:0]        |
//! | 0x100 + 4i   | w      | parameter word i = 0..63                                         |
//! | 0x200 + 8i   | r      | performance counter i = 0..12, low word; high word at + 4        |
//! | 0x40000..    | w      | constant memory                                                  |
//! | 0x80000..    | w      | program memory                                                   |
//!
//! | port                               | width | meaning                                    |
//! |------------------------------------|-------|--------------------------------------------|
//! | `bus_*`                            |       | address 20 bits, data 32                   |
//! | `grid_*` … `bank_words_k`          |       | the registers above                        |
//! | `start`                            | 1     | one cycle: begin                           |
//! | `busy`, `done`, `trapped`, `trap_*`|       | what STATUS and TRAP show                  |
//! | `param_we`, `const_we`, `prog_we`  | 1     | this cycle's write is for that memory      |
//! | `write_word`                       | 16    | word address within that memory            |
//! | `write_data`                       | 32    | the word                                   |
//! | `count_*`                          |       | events of this cycle, summed over the SMs; |
//! |                                    |       | `count_stall_i`: see [`stall_counter`]     |
//!
//! Timing: a write takes effect at the clock edge; read data comes in the next cycle. `start` comes
//! in the cycle after the write. Reset: registers 0. Errors: an address of no register reads 0 and
//! writes nothing; the low two address bits are ignored; while `busy`, the host must not write.
//! Source: ours; takes the place of FlexGripPlus' configuration through the testbench.

use crate::config::GpuConfig;
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

/// Counter of stall cause `k`.
pub fn stall_counter(k: usize) -> usize {
    Counter::Stall(StallCause::ALL[k]).number()
}

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

/// See the module.
#[derive(LogicBlock)]
pub struct LaunchRegs {
    pub bus_valid: Input,
    pub bus_write: Input,
    pub bus_address: Input,
    pub bus_wdata: Input,
    pub bus_rdata: Output,
    pub start: Output,
    pub grid_x: Output,
    pub grid_y: Output,
    pub block_x: Output,
    pub block_y: Output,
    pub block_z: Output,
    pub block_threads: Output,
    pub registers: Output,
    pub shared_bytes: Output,
    pub program_bytes: Output,
    pub start_pc: Output,
    pub global_last: Output,
    pub local_base: Output,
    pub local_bytes: Output,
    pub param_count: Output,
    pub bank_base: Vec<Output>,
    pub bank_words: Vec<Output>,
    pub param_we: Output,
    pub const_we: Output,
    pub prog_we: Output,
    pub write_word: Output,
    pub write_data: Output,
    pub busy: Input,
    pub done: Input,
    pub trapped: Input,
    pub trap_cause: Input,
    pub trap_lane: Input,
    pub trap_warp: Input,
    pub trap_sm: Input,
    pub trap_pc: Input,
    pub trap_x: Input,
    pub trap_y: Input,
    pub count_warp_instructions: Input,
    pub count_thread_instructions: Input,
    pub count_stall: Vec<Input>,
    pub count_global_requests: Input,
    go: Reg,
    grid: Reg,
    block_xy: Reg,
    block_depth: Reg,
    thread_count: Reg,
    thread_registers: Reg,
    block_shared: Reg,
    program_size: Reg,
    entry_pc: Reg,
    global_end: Reg,
    local_start: Reg,
    local_size: Reg,
    params: Reg,
    base: Vec<Reg>,
    words: Vec<Reg>,
    counters: PerfCounters,
}

impl LaunchRegs {
    /// The registers of a configuration.
    pub fn new(cfg: &GpuConfig) -> Self {
        let d = Dims::of(cfg);
        Self {
            bus_valid: Input::new(1),
            bus_write: Input::new(1),
            bus_address: Input::new(BUS_ADDRESS_BITS),
            bus_wdata: Input::new(32),
            bus_rdata: Output::new(32),
            start: Output::new(1),
            grid_x: Output::new(16),
            grid_y: Output::new(16),
            block_x: Output::new(16),
            block_y: Output::new(16),
            block_z: Output::new(16),
            block_threads: Output::new(11),
            registers: Output::new(8),
            shared_bytes: Output::new(15),
            program_bytes: Output::new(d.pc),
            start_pc: Output::new(d.pc),
            global_last: Output::new(32),
            local_base: Output::new(32),
            local_bytes: Output::new(17),
            param_count: Output::new(7),
            bank_base: Output::array(BANKS, d.constant),
            bank_words: Output::array(BANKS, 15),
            param_we: Output::new(1),
            const_we: Output::new(1),
            prog_we: Output::new(1),
            write_word: Output::new(16),
            write_data: Output::new(32),
            busy: Input::new(1),
            done: Input::new(1),
            trapped: Input::new(1),
            trap_cause: Input::new(trap::CAUSE.width() as usize),
            trap_lane: Input::new(trap::LANE.width() as usize),
            trap_warp: Input::new(trap::WARP.width() as usize),
            trap_sm: Input::new(trap::SM.width() as usize),
            trap_pc: Input::new(d.pc),
            trap_x: Input::new(16),
            trap_y: Input::new(16),
            count_warp_instructions: Input::new(count_width(cfg, Counter::WarpInstructions)),
            count_thread_instructions: Input::new(count_width(cfg, Counter::ThreadInstructions)),
            count_stall: Input::array(STALLS, count_width(cfg, Counter::Stall(StallCause::Launch))),
            count_global_requests: Input::new(count_width(cfg, Counter::GlobalRequests)),
            go: Reg::new(1),
            grid: Reg::new(32),
            block_xy: Reg::new(32),
            block_depth: Reg::new(16),
            thread_count: Reg::new(11),
            thread_registers: Reg::new(8),
            block_shared: Reg::new(15),
            program_size: Reg::new(d.pc),
            entry_pc: Reg::new(d.pc),
            global_end: Reg::new(32),
            local_start: Reg::new(32),
            local_size: Reg::new(17),
            params: Reg::new(7),
            base: (0..BANKS).map(|_| Reg::new(d.constant)).collect(),
            words: (0..BANKS).map(|_| Reg::new(15)).collect(),
            counters: PerfCounters::new(cfg),
        }
    }

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

        set(
            &self.go,
            at(map::CONTROL.word()) & field(&data, control::START),
        );
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
            when(&at(register.word()), || {
                set(to, data.bits(0, to.as_ref().width()))
            });
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
        let place = word_of(&[
            (trap_block::Y, get(&self.trap_y)),
            (trap_block::X, get(&self.trap_x)),
        ]);
        let mut row: [Expr; 8] = std::array::from_fn(|_| zero(32));
        for (register, value) in [
            (map::ID, lit(32, map::ID_VALUE.into())),
            (map::STATUS, state),
            (map::TRAP, record),
            (map::TRAP_PC, get(&self.trap_pc).zext(32)),
            (map::TRAP_BLOCK, place),
        ] {
            row[register.word() as usize] = value;
        }
        let low = page.is(0) & word.bits(3, 3).is(0);
        let shown = wire("shown", select(&word.bits(0, 3), &row) & low.repeat(32));
        let counts = in_page(map::COUNTER) & !address.bit(7);
        set(&c.read_on, counts);
        set(&c.read_other, shown);
    }
}

rtl_block!(LaunchRegs, "launch_regs");
