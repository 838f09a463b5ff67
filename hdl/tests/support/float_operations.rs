//! Every operation of a kind with every option.

use super::float_numbers::flag;
use super::float_reference::Op;
use warpsmith_hdl::sm::control::{float_format, unit};

/// Every conversion from integers with every option.
pub fn from_integers() -> Vec<Op> {
    let mut ops = vec![];
    for from in [0, 1, 2, 4, 5, 6] {
        for to in [float_format::F16 as u32, float_format::F32 as u32] {
            for n in 0..32 {
                let round = n as u32 >> 3;
                ops.push(Op {
                    unit: unit::I2F,
                    from,
                    to,
                    neg: flag(n, 0),
                    abs: flag(n, 1),
                    sat: flag(n, 2),
                    round,
                    ..Op::default()
                });
            }
        }
    }
    ops
}

/// Every conversion to integers with every option.
pub fn to_integers() -> Vec<Op> {
    let mut ops = vec![];
    for from in [float_format::F16 as u32, float_format::F32 as u32] {
        for to in [1, 2, 5, 6] {
            for n in 0..16 {
                let round = n as u32 >> 2;
                ops.push(Op { unit: unit::F2I, from, to, neg: flag(n, 0), abs: flag(n, 1), round, ..Op::default() });
            }
        }
    }
    ops
}

/// Every comparison of floats with every option.
pub fn comparisons() -> Vec<Op> {
    let mut ops = vec![];
    for n in 0..16 {
        let base =
            Op { real: true, neg: flag(n, 0), abs: flag(n, 1), neg_b: flag(n, 2), abs_b: flag(n, 3), ..Op::default() };
        ops.extend((0..16).map(|cond| Op { unit: unit::SET, cond, ..base }));
        ops.extend([false, true].map(|right| Op { unit: unit::MINMAX, right, ..base }));
    }
    // The word chosen by c passes as it is.
    ops.extend([false, true].map(|neg_b| Op {
        unit: unit::MINMAX,
        real: true,
        accumulate: true,
        neg_b,
        ..Op::default()
    }));
    ops
}

/// Every conversion between floats with every option.
pub fn between_floats() -> Vec<Op> {
    let (half, single) = (float_format::F16 as u32, float_format::F32 as u32);
    let mut ops = vec![];
    for (from, to, high) in [
        (half, half, false),
        (half, half, true),
        (single, half, false),
        (single, single, false),
        (single, single, true),
        (half, single, false),
    ] {
        for n in 0..32 {
            ops.push(Op {
                unit: unit::F2F,
                from,
                to,
                high,
                neg: flag(n, 0),
                abs: flag(n, 1),
                sat: flag(n, 2),
                round: n as u32 >> 3,
                ..Op::default()
            });
        }
    }
    ops
}
