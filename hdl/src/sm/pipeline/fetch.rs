//! Fetch: program memory and one fetched line of 8 bytes for each warp.
//!
//! A line holds two short instructions or one long one; both reads of a line are served from the
//! warp's buffer, so program memory is asked once for 8 bytes.
//!
//! | port         | width | meaning                                                     |
//! |--------------|-------|-------------------------------------------------------------|
//! | `fetch_*`    |       | a warp asks for the line at a byte address                  |
//! | `sel_warp`   | warp  | whose buffer to read                                        |
//! | `sel_line`   | 64    | its line, low word at the lower address                     |
//! | `sel_inside` | 1     | the line lies in the program                                |
//! | `prog_*`     |       | host writes one 32-bit word of the program                  |
//!
//! Timing: the buffer can be read two cycles after `fetch_valid`; a warp asks whenever its address is set, so that its
//! line is there when it is selected. Reset: none; a warp's buffer is valid only after a request. Errors: an address at or beyond
//! `program_bytes` is not inside: DEC traps with cause 10.
//! Source: line size follows the ISA (long instructions are 8-byte aligned: docs/semantics.md, Encoding).

use super::bundles::{FetchRequest, Line};
use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::dims::Dims;
use crate::sm::mem::fifo::Fifo;

// The ports of a fetch unit, which the module describes, and the warp whose line comes. Without a description: in the
// Verilog these are signals of the block around them.
group! {
    pub struct FetchPorts(d: &Dims, words: usize) as "" {
        in program_bytes(d.pc),
        part fetch(FetchRequest<Sink>: d),
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

/// A warp and the address from which it wants its line, if `valid`.
pub struct Asks {
    pub valid: Expr,
    pub warp: Expr,
    pub pc: Expr,
}

impl Asks {
    fn pack(&self) -> Expr {
        cat([&self.pc, &self.warp])
    }
}

group! {
    /// Requests that wait for program memory.
    pub struct Postponed(d: &Dims) as "postponed" {
        /// The latest one.
        reg valid(1),
        data request(d.warp + d.pc),
        /// Those before it: redirections come in bursts, and a chip that issues an instruction in one cycle or two has few
        /// cycles left in which the others catch up.
        part queue(if d.beats < 4; Fifo: 8 / d.beats, d.warp + d.pc),
    }
}

/// What the arbiter says to the warp table.
pub struct Arbitration {
    /// No instruction that needs a line can go in this cycle.
    pub full: Expr,
    /// Another request has program memory.
    pub busy: Expr,
    /// Warps that begin to wait, a bit each,
    pub begin: Expr,
    /// and those that are served.
    pub served: Expr,
}

impl Postponed {
    /// Gives program memory to one request a cycle: `placed` goes first, then what waits, in its order, then `issued`,
    /// which waits when it does not come through. That it comes is late: a register alone depends on it. `clear` leaves
    /// the queue, which empties a request a cycle: before the first warp of a launch has its place nothing is left in it.
    pub fn arbitrate(
        &self, d: &Dims, to: &FetchRequest<Source>, placed: &Asks, issued: &Asks, clear: &Expr,
    ) -> Arbitration {
        let (valid, request) = (get(&self.valid), get(&self.request));
        let (queued, oldest, room) = match self.queue.get() {
            Some(queue) => {
                let queued = get(&queue.out_valid);
                (queued.clone(), queued.mux(&get(&queue.out_data), &request), get(&queue.in_ready))
            }
            None => (zero(1), request.clone(), zero(1)),
        };
        let waits = wire("waits", &valid | &queued);
        let served = wire("served", &waits & !&placed.valid);
        let directly = wire("served_directly", all_of(&[valid.clone(), !&placed.valid, !&queued]));
        let leaves = wire("leaves", &directly | &room);
        if let Some(queue) = self.queue.get() {
            set(&queue.in_valid, &valid & !&directly);
            set(&queue.in_data, &request);
            set(&queue.out_ready, !&placed.valid);
        }
        let busy = wire("busy", &placed.valid | &waits);
        let postpone = wire("postpone", &issued.valid & &busy);
        let stays = wire("stays", &valid & !leaves);
        set(&self.valid, (&postpone | &stays) & !clear);
        // Whether or not it comes: it is not valid then.
        when(&!&stays, || set(&self.request, issued.pack()));
        set(&to.valid, &busy | &issued.valid);
        let asks = placed.valid.mux(&placed.pack(), &waits.mux(&oldest, &issued.pack()));
        set(&to.warp, asks.bits(0, d.warp));
        set(&to.pc, asks.bits(d.warp, d.pc));
        let of = |warp: &Expr, valid: &Expr| warp.one_hot(d.warps) & valid.repeat(d.warps);
        Arbitration {
            full: stays,
            busy,
            begin: of(&issued.warp, &postpone),
            served: of(&oldest.bits(0, d.warp), &served),
        }
    }
}
