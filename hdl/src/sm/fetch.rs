//! Fetch: program memory and one fetched line of 8 bytes for each warp.
//!
//! A line holds two short instructions or one long one; both reads of a line are served from the
//! warp's buffer, so program memory is asked once for 8 bytes.
//!
//! | port         | width | meaning                                                     |
//! |--------------|-------|-------------------------------------------------------------|
//! | `fetch_*`    |       | a warp asks for the line at a byte address                  |
//! | `fill_*`     |       | next cycle: the line is being written into its buffer       |
//! | `sel_warp`   | warp  | whose buffer to read                                        |
//! | `sel_line`   | 64    | its line, low word at the lower address                     |
//! | `sel_beyond` | 1     | the line lies outside the program                           |
//! | `prog_*`     |       | host writes one 32-bit word of the program                  |
//!
//! Timing: `fill_valid` one cycle after `fetch_valid`; the buffer can be read the cycle after.
//! Reset: none; a warp's buffer is valid only after a fill. Errors: an address at or beyond
//! `program_bytes` gives `sel_beyond`, which decode turns into trap 10.
//! Source: line size follows the ISA (long instructions are 8-byte aligned, sm10-isa.md §1.1).

use super::dims::Dims;
use crate::config::GpuConfig;
use crate::rtl::prelude::*;

/// See the module.
#[derive(LogicBlock)]
pub struct Fetch {
    pub program_bytes: Input,
    pub fetch_valid: Input,
    pub fetch_warp: Input,
    pub fetch_pc: Input,
    pub fill_valid: Output,
    pub fill_warp: Output,
    pub sel_warp: Input,
    pub sel_line: Output,
    pub sel_beyond: Output,
    pub prog_we: Input,
    pub prog_address: Input,
    pub prog_data: Input,
    pending: Reg,
    pending_warp: Reg,
    pending_beyond: Reg,
    store: Ram,
    buffer: Ram,
}

impl Fetch {
    /// The fetch unit of a configuration.
    pub fn new(cfg: &GpuConfig) -> Self {
        let d = Dims::of(cfg);
        let lines = cfg.program_bytes / 8;
        Self {
            program_bytes: Input::new(d.pc),
            fetch_valid: Input::new(1),
            fetch_warp: Input::new(d.warp),
            fetch_pc: Input::new(d.pc),
            fill_valid: Output::new(1),
            fill_warp: Output::new(d.warp),
            sel_warp: Input::new(d.warp),
            sel_line: Output::new(64),
            sel_beyond: Output::new(1),
            prog_we: Input::new(1),
            prog_address: Input::new(clog2(lines) + 1),
            prog_data: Input::new(32),
            pending: Reg::new(1),
            pending_warp: Reg::data(d.warp),
            pending_beyond: Reg::data(1),
            store: Ram::with_granule(RamKind::Block, lines, 64, 32, 1),
            buffer: Ram::new(RamKind::Lut, d.warps, 65, 1),
        }
    }
}

impl Rtl for Fetch {
    fn rtl(&self) {
        let pc = get(&self.fetch_pc);
        let line = self.store.read(0, &pc.bits(3, pc.width() - 3));
        set(&self.pending, get(&self.fetch_valid));
        set(&self.pending_warp, get(&self.fetch_warp));
        set(&self.pending_beyond, pc.ge(&get(&self.program_bytes)));
        let (valid, warp) = (get(&self.pending), get(&self.pending_warp));
        self.buffer
            .write(&warp, &cat([&get(&self.pending_beyond), &line]), &valid);
        set(&self.fill_valid, valid);
        set(&self.fill_warp, warp);
        let held = self.buffer.read(0, &get(&self.sel_warp)).named();
        set(&self.sel_line, held.bits(0, 64));
        set(&self.sel_beyond, held.bit(64));

        let (address, data) = (get(&self.prog_address), get(&self.prog_data));
        let half = address.bit(0);
        let we = get(&self.prog_we);
        let enable = cat([&(&we & &half), &(&we & !&half)]);
        self.store.write(
            &address.bits(1, address.width() - 1),
            &cat([&data, &data]),
            &enable,
        );
    }
}

rtl_block!(Fetch, "fetch");
