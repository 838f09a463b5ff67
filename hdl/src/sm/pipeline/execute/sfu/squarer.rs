//! Truncated squarer: `sq(x) = floor(Σ over set bits k of floor(x / 2^(18-k)) / 2)`, x of 17 bits.
//!
//! The product of bits i and j stands at place i + j - 18 in row i and in row j alike and is
//! dropped below place 0. So the square folds: each pair counts once, and the bits of the diagonal
//! once at half their place. Nothing more is lost by the halving, for a pair counts twice before it.
//! Source: docs/numerics.md, Special functions.

use crate::rtl::prelude::*;

/// Bits of the operand.
pub const OPERAND: usize = 17;
/// Bits of the result.
pub const SQUARE: usize = 15;
/// The place that has the weight 1 before the halving.
const CUT: usize = 18;

/// The truncated square of `x`.
pub fn square(x: &Expr) -> Expr {
    assert_eq!(x.width(), OPERAND);
    let x = x.named();
    let mut rows = vec![];
    let mut diagonal = vec![zero(1); SQUARE];
    for i in 0..OPERAND {
        // Pairs of i with the bits below it that are not dropped.
        let from = CUT.saturating_sub(i);
        if from < i {
            rows.push((x.bits(from, i - from) & x.bit(i).repeat(i - from)).zext(SQUARE));
        }
        if 2 * i > CUT {
            diagonal[2 * i - CUT - 1] = x.bit(i);
        }
    }
    rows.push(pack(diagonal.iter()));
    sum(&rows)
}

fn sum(rows: &[Expr]) -> Expr {
    match rows {
        [one] => one.clone(),
        _ => {
            let (a, b) = rows.split_at(rows.len() / 2);
            wire("square_part", sum(a) + sum(b))
        }
    }
}
