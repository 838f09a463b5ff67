//! Passes of a wide access: which part of it each is about, and where that part lies in memory.

use super::limits::elements;
use crate::config::Isa;
use crate::rtl::prelude::*;
use crate::sm::control::g13::{from, SourceControl};
use crate::sm::control::uop::AddressControl;
use crate::sm::control::{last_pass, Control, MAX_PASSES};
use crate::sm::dims::Dims;
use crate::sm::pipeline::bundles::Limits;
use warpsmith_contract::trace::MemoryAccess;

/// The part of a wide access that a pass is about. The part that is written into the register of the
/// address comes last: a load may replace its own address.
pub fn part(d: &Dims, c: &Control, pass: &Expr) -> Expr {
    let last = last_pass(d, &c.passes);
    match (d.isa, c.sources(d, "part")) {
        (_, Some(sources)) => part_of_row(c, sources, pass, &last),
        (Isa::Ivb, _) => pass.clone(),
        (Isa::Sm10, _) => {
            // Registers of SM 1.0 begin anywhere: passes begin behind the part of the address and go round.
            let [address, first] = [&c.r1, &c.dst].map(|r| r.bits(0, MAX_PASSES));
            let turn = wire("turn", address - &first + lit(MAX_PASSES, 1));
            let turn = turn & &c.accesses(MemoryAccess::GlobalLoad).repeat(MAX_PASSES);
            wire("part", (pass + &turn) & last)
        }
        _ => {
            let turn = !c.r1.bits(0, MAX_PASSES) & last;
            // Pairs of registers are read low words first.
            let turn = match c.double(d, "turned") {
                Some(double) => turn & (!double.wide).repeat(MAX_PASSES),
                None => turn,
            };
            wire("part", pass ^ &turn)
        }
    }
}

/// The same of G13, whose rows of registers begin anywhere: passes begin behind the part of base or index and
/// go round. The high word of a base counts in the first pass alone.
fn part_of_row(c: &Control, s: SourceControl, pass: &Expr, last: &Expr) -> Expr {
    let how = AddressControl::unpack((), "part_how", &c.address);
    let part_of = |register: &Expr| (register - &c.dst).called("part_of");
    let inside = |part: &Expr| part.le(&last.zext(7));
    let pair = wire("part_pair", &how.far & &s.from1.is(from::KIND));
    let (base, index) = (part_of(&c.r1), part_of(&pair.mux(&c.r3, &c.r2)));
    let by_base = all_of(&[how.base, s.from1.is(from::KIND), inside(&base)]);
    let by_index = s.index & inside(&index);
    let loads = c.dst_kind.any();
    let (by_base, by_index) = (by_base & &loads, by_index & &loads);
    let row = MAX_PASSES + 1;
    let written = by_index.mux(&index.bits(0, MAX_PASSES), last);
    let written = by_base.mux(&base.bits(0, MAX_PASSES), &written);
    let sum = pass.zext(row) + written.zext(row) + lit(row, 1);
    let sum = wire("part_sum", sum);
    let count = wire("part_count", last.zext(row) + lit(row, 1));
    let part = sum.ge(&count).mux(&(&sum - &count), &sum);
    // Both passes of an exchange are about the same register.
    wire("part", part.bits(0, MAX_PASSES) & (!s.exchange.any()).repeat(MAX_PASSES))
}

/// Registers behind the first, and half of that one, of part `part` of a row of halves that begins with half `high` of a
/// register; of whole registers where `halves` is 0.
pub fn half(part: &Expr, halves: &Expr, high: &Expr) -> (Expr, Expr) {
    let at = wire("half_at", part.zext(MAX_PASSES + 1) + (halves & high).zext(MAX_PASSES + 1));
    (halves.mux(&at.bits(1, MAX_PASSES), part), halves & at.bit(0))
}

/// Where the part `pass` of a global or local access lies, counted from the first; `address`: that of its first part.
pub fn address(d: &Dims, limits: &Limits, pass: &Expr, address: Expr) -> Expr {
    match d.isa {
        // The address lane adds the pass.
        Isa::Ivb => address,
        Isa::G13 => {
            let step = elements(&limits.main_size, pass);
            address.clone() + step.zext(address.width())
        }
        // A wide access is aligned: its passes never carry.
        _ => wire("address_of_pass", &address | &cat([pass, &zero(2)]).zext(address.width())),
    }
}

/// The same of an operand in shared or constant memory, which of SM 1.0 is never wide; of G13 and Ivy Bridge stage A adds
/// the pass.
pub fn address_of_operand(d: &Dims, limits: &Limits, pass: &Expr, of_first: Expr) -> Expr {
    match d.isa {
        Isa::Fermi => address(d, limits, pass, of_first),
        _ => of_first,
    }
}
