//! Stage H: the decoded instruction is held against the scoreboard; it goes, waits or is refused.

use super::bundles::{Completion, Issue, WarpEvent, WarpEvents};
use super::decode::stage::DecodeRegisters;
use super::scoreboard::Scoreboard;
use crate::config::WARP;
use crate::front::decode::Found;
use crate::rtl::prelude::*;
use crate::sm::control::Control;
use crate::sm::dims::{Dims, DEPTH};

group! {
    /// The instruction in H.
    pub struct HazardRegisters(d: &Dims) as "h" {
        /// H holds an instruction.
        reg valid(1),
        data warp(d.warp),
        data control(Control::width(d)),
        data mask(WARP),
        data pc(d.pc),
        /// Address of the next in sequence.
        data next(d.pc),
        /// It ends its line.
        data used(1),
        /// For the trace port.
        data depth(if d.trace; DEPTH),
        data word(if d.trace; 64),
        /// Where its warp lives: block slot, registers, shared memory.
        data place(d.block + d.entry + d.shared),
    }
}

/// What becomes of the instruction in this cycle.
pub struct Verdict {
    /// Its warp has to wait for an earlier instruction.
    pub hazard: Expr,
    /// It goes.
    pub go: Expr,
    /// It leaves and has to be selected again.
    pub refuse: Expr,
    /// What it waits for is about to complete.
    pub soon: Expr,
}

impl HazardRegisters {
    /// Takes what comes from DEC.
    pub fn take(&self, d: &Dims, from: &DecodeRegisters, decoded: &Found, comes: &Expr, place: &Expr) {
        let [pc, next] = from.addresses(d, decoded);
        when(comes, || {
            set(&self.warp, get(&from.warp));
            set(&self.control, &decoded.control);
            set(&self.mask, get(&from.mask));
            set(&self.pc, &pc);
            set(&self.next, next);
            set(&self.used, &decoded.ends_line);
            if let (Some(depth), Some(word)) = (self.depth.get(), self.word.get()) {
                set(depth, get(&from.depth));
                set(word, &decoded.word);
            }
            set(&self.place, place);
        });
    }

    /// Whatever is in H leaves it when another comes and there is room: it goes, or is refused. It stays
    /// while nobody comes and what it waits for is about to complete.
    pub fn judge(
        &self, scoreboard: &Scoreboard, near: &WarpEvents<Sink>, (comes, room): (&Expr, &Expr),
        (halt, clear): (&Expr, &Expr),
    ) -> Verdict {
        let (valid, warp) = (get(&self.valid), get(&self.warp));
        set(&scoreboard.warp, &warp);
        set(&scoreboard.control, get(&self.control));
        set(&scoreboard.asks, &valid);
        let hazard = wire("hazard", get(&scoreboard.hazard));
        let asks = wire("asks", &valid & room & !halt);
        let go = wire("go", &asks & &!&hazard);
        let mine = |(v, w): (&Input, &Input)| get(v) & get(w).eq(&warp);
        let soon: Vec<Expr> = near.valid.iter().zip(&near.warp).map(mine).collect();
        let soon = wire("completes_soon", any_of(&soon));
        let refuse = wire("refuse", &asks & &hazard & (comes | &!&soon));
        let dropped = halt | clear;
        set(&self.valid, (comes | (&valid & !&go & !&refuse)) & !dropped);
        Verdict { hazard, go, refuse, soon }
    }

    /// The instruction with all it needs later.
    pub fn issue(&self, d: &Dims, slot: Expr) -> Issue {
        let place = get(&self.place);
        let issue = Issue {
            control: get(&self.control),
            warp: get(&self.warp),
            slot,
            block: place.bits(0, d.block),
            reg_base: place.bits(d.block, d.entry),
            shared_base: place.bits(d.block + d.entry, d.shared),
            mask: get(&self.mask),
            pc: get(&self.pc),
            word: self.word.get().map_or(zero(1), get),
            depth: self.depth.get().map_or(zero(1), get),
        };
        issue.check(d);
        issue
    }

    /// How its warp goes on: whether a unit has to say so first, and whether the line at the next address in sequence is
    /// needed.
    pub fn goes_on(&self, d: &Dims) -> [Expr; 2] {
        let control = Control::unpack(d, "h", &get(&self.control));
        let mut redirects = vec![control.flow.any(), control.marker.any(), control.trap.any()];
        // Stage W says who is active, or writes what the next may read.
        redirects.extend(control.sources(d, "hs").map(|s| s.mask | s.stores));
        let redirects = wire("redirects", any_of(&redirects));
        let refetches = wire("refetches", (get(&self.used) | &control.bar) & !&redirects);
        [wire("blocks", redirects | control.bar), refetches]
    }
}

/// Warps to wake: those of which something completes, one bit a warp.
pub fn woken(d: &Dims, waking: &WarpEvent<Sink>, done: &Completion<Sink>) -> Expr {
    let completes = |v: &Input, w: &Input| get(w).one_hot(d.warps) & get(v).repeat(d.warps);
    wire("waking", completes(&waking.valid, &waking.warp) | completes(&done.valid, &done.warp))
}
