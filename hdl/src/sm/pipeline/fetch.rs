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
//! | `sel_inside` | 1     | the line lies in the program                                |
//! | `prog_*`     |       | host writes one 32-bit word of the program                  |
//!
//! Timing: `fill_valid` one cycle after `fetch_valid`; the buffer can be read the cycle after.
//! Reset: none; a warp's buffer is valid only after a fill. Errors: an address at or beyond
//! `program_bytes` is not inside: DEC traps with cause 10.
//! Source: line size follows the ISA (long instructions are 8-byte aligned: docs/semantics.md, Encoding).

use super::bundles::{FetchRequest, Line, WarpEvent};
use super::select::round_robin;
use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::dims::Dims;

// The ports of a fetch unit, which the module describes, and the warp whose line comes. Without a description: in the
// Verilog these are signals of the block around them.
group! {
    pub struct FetchPorts(d: &Dims, words: usize) as "" {
        in program_bytes(d.pc),
        part fetch(FetchRequest<Sink>: d),
        part fill(WarpEvent<Source>: d),
        in sel_warp(d.warp),
        part sel(Line<Source>: d),
        in prog_we(1),
        in prog_address(words),
        in prog_data(32),
        reg pending(1),
        data pending_warp(d.warp),
    }
}

impl FetchPorts {
    /// Program memory is read for a warp: a cycle later `line`, of which so much is `inside` the program, goes into the
    /// warp's buffer. The selected warp's is read.
    pub fn through(&self, buffer: &Ram, inside: &Reg, line: &Expr) {
        set(&self.pending, get(&self.fetch.valid));
        set(&self.pending_warp, get(&self.fetch.warp));
        let (valid, warp) = (get(&self.pending), get(&self.pending_warp));
        buffer.write(&warp, &cat([&get(inside), line]), &valid);
        set(&self.fill.valid, valid);
        set(&self.fill.warp, warp);
        let held = buffer.read(0, &get(&self.sel_warp)).called("held");
        set(&self.sel.line, held.bits(0, line.width()));
        set(&self.sel.inside, held.bits(line.width(), inside.as_ref().width()));
    }

    /// The host writes a word of the program into the bank that the low bits of its number say.
    pub fn load(&self, banks: &[Ram]) {
        let (address, data, we) = (get(&self.prog_address), get(&self.prog_data), get(&self.prog_we));
        let low = clog2(banks.len());
        for (b, bank) in banks.iter().enumerate() {
            let here = &we & &address.bits(0, low).is(b as u64);
            bank.write(&address.bits(low, address.width() - low), &data, &here);
        }
    }

    /// Bytes from an address to the end of the program, the sign above them.
    pub fn left(&self, pc: &Expr) -> Expr {
        wire("left", &get(&self.program_bytes).zext(pc.width() + 1) - &pc.zext(pc.width() + 1))
    }
}

block! {
    /// See the module.
    pub struct Fetch(cfg: &GpuConfig) {
        part ports(FetchPorts: &d, clog2(lines) + 1),
        data pending_inside(1),
        part store(Ram = Ram::with_granule(RamKind::Block, lines, 64, 32, 1)),
        part buffer(Ram: RamKind::Lut, d.warps, 65, 1),
    } where {
        let d = Dims::of(cfg);
        let lines = cfg.program_bytes / 8;
    }
}

impl Rtl for Fetch {
    fn rtl(&self) {
        let p = &self.ports;
        let pc = get(&p.fetch.pc);
        let line = self.store.read(0, &pc.bits(3, pc.width() - 3));
        p.through(&self.buffer, &self.pending_inside, &line);
        set(&self.pending_inside, !pc.ge(&get(&p.program_bytes)));

        let (address, data) = (get(&p.prog_address), get(&p.prog_data));
        let half = address.bit(0);
        let we = get(&p.prog_we);
        let enable = cat([&(&we & &half), &(&we & !&half)]);
        self.store.write(&address.bits(1, address.width() - 1), &cat([&data, &data]), &enable);
    }
}

rtl_block!(Fetch, "fetch");

group! {
    /// What the warp table knows of fetched lines, a bit a warp.
    pub struct Lines(warps: usize) as "" {
        /// The warp's buffer holds a line it has not used up.
        reg filled(warps),
        /// Its line is under way.
        reg fetching(warps),
    }
}

group! {
    /// The warp that asks for a line.
    pub struct Requests(d: &Dims) as "" {
        /// One does in this cycle.
        reg valid(1 => "asks_valid"),
        /// Its slot.
        reg warp(d.warp => "asks"),
    }
}

impl Requests {
    /// One line a cycle for a warp of those that `need` one, asked for in the next cycle. `used`: warps
    /// whose line is used up.
    pub fn choose(&self, lines: &Lines, need: &Expr, fill: &WarpEvent<Sink>, used: &Expr, clear: &Expr) {
        let w = need.width();
        let keep = !clear.repeat(w);
        let asked = wire("fetch_hot", round_robin(need, &get(&self.warp)));
        let filled = get(&fill.warp).one_hot(w) & get(&fill.valid).repeat(w);
        let filled = wire("fill", filled);
        let fetching = (get(&lines.fetching) | &asked) & !&filled;
        set(&lines.fetching, fetching & &keep);
        set(&lines.filled, ((get(&lines.filled) | &filled) & !used) & &keep);
        let needed = wire("needed", need.any());
        set(&self.valid, &needed & !clear);
        when(&needed, || set(&self.warp, one_hot_index(&asked, self.warp.as_ref().width())));
    }
}
