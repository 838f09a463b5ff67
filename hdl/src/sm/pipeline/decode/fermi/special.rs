//! Where a special register is; those that are not listed read 0.

use super::fields::RowFields;
use crate::rtl::prelude::*;
use crate::sm::control::{lanes, source1, source23};

/// A place.
enum Place {
    /// Low or high half of the first or second of the machine's two registers of a thread.
    Machine(usize, bool),
    /// Halfword of the block's header: its byte.
    Header(u64),
    /// One of [`lanes`].
    Lane(u64),
    /// The cycle counter.
    Clock,
    /// It is 1.
    One,
}

/// Number of the special register and its place.
const SPECIAL: [(u64, Place); 18] = [
    (0x00, Place::Lane(lanes::NUMBER)),
    // Thread.
    (0x21, Place::Machine(0, false)),
    (0x22, Place::Machine(0, true)),
    (0x23, Place::Machine(1, false)),
    // Block; its z is 0.
    (0x25, Place::Header(12)),
    (0x26, Place::Header(14)),
    // Threads of a block.
    (0x29, Place::Header(2)),
    (0x2a, Place::Header(4)),
    (0x2b, Place::Header(6)),
    // Blocks of the grid.
    (0x2d, Place::Header(8)),
    (0x2e, Place::Header(10)),
    (0x2f, Place::One),
    (0x38, Place::Lane(lanes::EQUAL)),
    (0x39, Place::Lane(lanes::LESS)),
    (0x3a, Place::Lane(lanes::LESS_EQUAL)),
    (0x3b, Place::Lane(lanes::GREATER)),
    (0x3c, Place::Lane(lanes::GREATER_EQUAL)),
    (0x50, Place::Clock),
];

/// The first operand of the row of `hit`: special register `number`. `machine`: the numbers of the
/// machine's two registers.
pub(super) fn special(f: &mut RowFields, hit: &Expr, number: &Expr, machine: &[Expr; 2]) {
    let mut known = vec![];
    for (n, place) in &SPECIAL {
        let this = wire(&format!("sr_{n:02x}"), hit & number.is(*n));
        known.push(this.clone());
        let kind = match place {
            Place::Machine(which, hi) => {
                f.r1.add(&this, machine[*which].clone());
                f.s1_half.flag(&this);
                if *hi {
                    f.s1_hi.flag(&this);
                }
                source1::GPR
            }
            Place::Header(byte) => {
                f.header.flag(&this);
                f.s1_size.add(&this, lit(3, 1));
                f.imm.add(&this, lit(32, *byte));
                source1::SHARED
            }
            Place::Lane(mask) => {
                f.table.add(&this, lit(4, *mask));
                source1::LANE
            }
            Place::Clock => source1::CLOCK,
            Place::One => {
                f.s2_kind.add(&this, lit(2, source23::IMM));
                f.imm.add(&this, lit(32, 1));
                source1::SECOND
            }
        };
        f.s1_kind.add(&this, lit(3, kind));
    }
    let other = hit & !any_of(&known);
    f.s1_kind.add(&wire("sr_other", other), lit(3, source1::ZERO));
}
