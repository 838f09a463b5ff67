//! Gates: their inputs and their values.

use crate::expr::{Binary, Kind, Pool};
use crate::id::ExprId;

/// Inputs of a gate; none for other cells.
pub(super) fn inputs(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "$_BUF_" | "$_NOT_" => "A",
        "$_AND_" | "$_NAND_" | "$_OR_" | "$_NOR_" | "$_XOR_" | "$_XNOR_" => "AB",
        "$_ANDNOT_" | "$_ORNOT_" => "AB",
        "$_MUX_" | "$_NMUX_" => "ABS",
        "$_AOI3_" | "$_OAI3_" => "ABC",
        "$_AOI4_" | "$_OAI4_" => "ABCD",
        "$_MUX4_" => "ABCDST",
        "$_MUX8_" => "ABCDEFGHSTU",
        "$_MUX16_" => "ABCDEFGHIJKLMNOPSTUV",
        _ => return None,
    })
}

/// The value of a gate, from those of its inputs in the order of [`inputs`].
pub(super) fn value(pool: &mut Pool, kind: &str, x: &[ExprId]) -> ExprId {
    let not = |pool: &mut Pool, a| pool.intern(Kind::Not(a), 1);
    let two = |pool: &mut Pool, op, a, b| pool.intern(Kind::Binary(op, a, b), 1);
    use Binary::{And, Or, Xor};
    match kind {
        "$_BUF_" => x[0],
        "$_NOT_" => not(pool, x[0]),
        "$_AND_" => two(pool, And, x[0], x[1]),
        "$_OR_" => two(pool, Or, x[0], x[1]),
        "$_XOR_" => two(pool, Xor, x[0], x[1]),
        "$_NAND_" | "$_NOR_" | "$_XNOR_" => {
            let op = match kind {
                "$_NAND_" => And,
                "$_NOR_" => Or,
                _ => Xor,
            };
            let y = two(pool, op, x[0], x[1]);
            not(pool, y)
        }
        "$_ANDNOT_" | "$_ORNOT_" => {
            let b = not(pool, x[1]);
            let op = if kind == "$_ANDNOT_" { And } else { Or };
            two(pool, op, x[0], b)
        }
        "$_AOI3_" | "$_OAI3_" | "$_AOI4_" | "$_OAI4_" => {
            let (inner, outer) = match kind.starts_with("$_AOI") {
                true => (And, Or),
                false => (Or, And),
            };
            let first = two(pool, inner, x[0], x[1]);
            let second = match x {
                [_, _, c, d] => two(pool, inner, *c, *d),
                _ => x[2],
            };
            let y = two(pool, outer, first, second);
            not(pool, y)
        }
        _ => {
            // A choice: 2, 4, 8 or 16 values, then the bits of the choice, the lowest first.
            let choices = match x.len() {
                3 => 2,
                6 => 4,
                11 => 8,
                _ => 16,
            };
            let (values, select) = x.split_at(choices);
            let mut values = values.to_vec();
            for s in select {
                let pairs = values.chunks(2);
                let pairs = pairs.map(|p| pool.intern(Kind::Mux(*s, p[1], p[0]), 1));
                values = pairs.collect();
            }
            match kind {
                "$_NMUX_" => not(pool, values[0]),
                _ => values[0],
            }
        }
    }
}
