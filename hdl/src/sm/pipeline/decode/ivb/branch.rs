//! Where branches go.

use super::parts::Parts;
use crate::rtl::prelude::*;
use crate::sm::control::ivb::flow;
use warpsmith_isa::ivb::fields::{IMMEDIATE, JIP, UIP};

/// Bits of an address.
const ADDRESS: usize = 32;
/// Bytes of a native instruction.
const NATIVE: u64 = 16;
/// Log2 of the bytes that a distance counts.
const STEP: usize = 3;

/// Control flow of an instruction.
pub(super) struct Branch {
    /// One of [`flow`].
    pub flow: Expr,
    pub target: Expr,
    pub hop: Expr,
}

/// An address of 32 bits as a pc. One that no pc can say is beyond the program all the same.
fn clipped(name: &str, address: Expr, width: usize) -> Expr {
    let address = wire(name, address);
    let top = width - 1;
    address.bits(top, ADDRESS - top).any().mux(&lit(width, 1 << top), &address.bits(0, width))
}

impl Branch {
    /// Of an instruction at `pc`; `ends`: it is the message that ends a thread.
    pub fn of(p: &Parts, pc: &Expr, ends: &Expr) -> Self {
        let w = &p.w;
        let steps = |distance: Expr| cat([&distance.bits(0, ADDRESS - STEP), &zero(STEP)]);
        let near = steps(w.field(JIP).sext(ADDRESS));
        let hop = clipped("near", pc.zext(ADDRESS) + near, pc.width());
        let jump = w.is("jmpi");
        let far = jump.mux(&w.field(IMMEDIATE), &w.field(UIP).sext(ADDRESS));
        // Behind the while that a break leaves; behind the jump itself.
        let skips = (w.is("break") | &jump).repeat(ADDRESS) & lit(ADDRESS, NATIVE);
        let base = wire("far_base", pc.zext(ADDRESS) + skips);
        let far = clipped("far", base + steps(far.named()), pc.width());
        let leaves = wire("leaves", w.any(&["break", "cont", "halt", "brc"]));
        let codes = [
            (w.is("if"), flow::IF),
            (w.is("else"), flow::ELSE),
            (w.is("endif"), flow::ENDIF),
            (leaves.clone(), flow::LEAVE),
            (w.is("while"), flow::WHILE),
            (w.is("brd"), flow::DIVERGE),
            (jump.clone(), flow::JUMP),
            (&p.send & ends, flow::END),
        ];
        let gated = codes.map(|(on, code)| lit(4, code) & on.repeat(4));
        Self { flow: wire("flow", any_of(&gated)), target: (leaves | jump).mux(&far, &hop), hop }
    }
}
