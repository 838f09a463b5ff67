//! Where a special register is; those that are not listed read 0.

use super::fields::RowFields;
use crate::rtl::prelude::*;
use crate::sm::control::g13::from;
use crate::sm::control::uop::op;
use crate::sm::control::{lanes, source1};

/// What gives the value.
#[derive(Clone, Copy)]
enum Place {
    /// Low or high half of the first or second of the machine's two registers of a thread.
    Machine(usize, bool),
    /// Halfword of the block's header: its byte.
    Header(u64),
    /// Index in the grid along axis x or y: block * size + thread.
    Grid(u64),
    /// Index in the block: 32 * warp + lane.
    Linear,
    /// Number in the warp.
    Lane,
    /// Active threads of a mask of [`lanes`].
    Count(u64),
    /// Active threads of the warp.
    CountAll,
    /// It is 1.
    One,
}

/// Byte of the header where the block's position along an axis is.
const fn position(axis: u64) -> u64 {
    12 + 2 * axis
}

/// Number of the special register and its place. The block's z is 0.
const SPECIAL: [(u64, Place); 21] = [
    (0, Place::Header(position(0))),
    (1, Place::Header(position(1))),
    (4, Place::Header(2)),
    (5, Place::Header(4)),
    (6, Place::Header(6)),
    (8, Place::Header(2)),
    (9, Place::Header(4)),
    (10, Place::Header(6)),
    (48, Place::Machine(0, false)),
    (49, Place::Machine(0, true)),
    (50, Place::Machine(1, false)),
    (51, Place::Linear),
    (52, Place::Lane),
    (53, Place::Machine(1, true)),
    (56, Place::Count(lanes::QUAD_LESS)),
    (57, Place::Count(lanes::QUAD)),
    (58, Place::Count(lanes::LESS)),
    (59, Place::CountAll),
    (63, Place::One),
    (80, Place::Grid(0)),
    (81, Place::Grid(1)),
];
/// Position in the grid along z: that in the block.
const GRID_Z: u64 = 82;

/// A mode that is half of a register.
const HALF: u64 = 1;

/// Operand a of the row of `hit` is special register `number`. `machine`: the numbers of the machine's two
/// registers.
pub(super) fn special(f: &mut RowFields, hit: &Expr, number: &Expr, machine: &[Expr; 2]) {
    let of_machine = |which: usize, hi: bool| cat([&machine[which], &lit(1, hi.into())]);
    let z = (GRID_Z, Place::Machine(1, false));
    for (n, place) in SPECIAL.iter().chain([&z]) {
        let this = wire(&format!("sr_{n}"), hit & number.is(*n));
        let op = |f: &mut RowFields, code: u64| f.op.add(&this, lit(5, code));
        let kind = |f: &mut RowFields, kind: u64| {
            f.by_kind.flag(&this);
            f.s1_kind.add(&this, lit(3, kind));
        };
        let header = |f: &mut RowFields, byte: u64| {
            kind(f, source1::SHARED);
            f.header.flag(&this);
            f.s1_size.add(&this, lit(3, 1));
            f.imm.add(&this, lit(32, byte));
        };
        let count = |f: &mut RowFields| {
            op(f, op::COUNT);
            f.from2.add(&this, lit(3, from::ACTIVE));
        };
        match *place {
            Place::Machine(which, hi) => {
                f.machine.flag(&this);
                f.v1.add(&this, of_machine(which, hi));
                f.t1.add(&this, lit(4, HALF));
            }
            Place::Header(byte) => header(f, byte),
            Place::Grid(axis) => {
                op(f, op::MUL);
                f.accumulate.flag(&this);
                header(f, position(axis));
                f.from2.add(&this, lit(3, from::BLOCK_SIZE));
                f.v2.add(&this, lit(8, axis));
                f.machine.flag(&this);
                f.v3.add(&this, of_machine(0, axis == 1));
                f.t3.add(&this, lit(4, HALF));
            }
            Place::Linear => {
                op(f, op::ADD);
                f.machine.flag(&this);
                f.v1.add(&this, of_machine(1, true));
                f.t1.add(&this, lit(4, HALF));
                f.shift.add(&this, lit(5, 5));
                f.from2.add(&this, lit(3, from::LANE));
            }
            Place::Lane => {
                kind(f, source1::LANE);
                f.table.add(&this, lit(4, lanes::NUMBER));
            }
            Place::Count(mask) => {
                count(f);
                kind(f, source1::LANE);
                f.table.add(&this, lit(4, mask));
            }
            Place::CountAll => {
                count(f);
                // Every bit of the number 0 is inverted.
                f.neg_a.flag(&this);
            }
            Place::One => f.v1.add(&this, lit(8, 1)),
        }
    }
}
