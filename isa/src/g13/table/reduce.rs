//! Reductions and prefixes over the lanes of the SIMD-group and of the quad.
//!
//! Columns: scope, kind of the row, which gives its meaning (see [`reduce`]), operation and its bits.

use super::operands::*;
use super::{fixed, row, Row};
use crate::set::{Evidence, Status};

/// Scope: all lanes; else the quad.
const GROUP: u128 = 1 << 29;
/// Exclusive prefix.
const PREFIX: u128 = 1 << 30;

// Operation: bits 39:38 which, bit 28 of floats, bit 47 of integers, bit 40 without sign.
const AND: u128 = 0;
const OR: u128 = 1 << 38;
const XOR: u128 = 2 << 38;
const IADD: u128 = 1 << 47;
const MIN_S: u128 = 1 << 47 | 2 << 38;
const MAX_S: u128 = 1 << 47 | 3 << 38;
const MIN_U: u128 = MIN_S | 1 << 40;
const MAX_U: u128 = MAX_S | 1 << 40;
const FADD: u128 = 1 << 28;
const FMUL: u128 = 1 << 28 | 1 << 38;
const MIN_F: u128 = 1 << 28 | 2 << 38;
const MAX_F: u128 = 1 << 28 | 3 << 38;

/// A row whose bits beside the opcode are `bits`.
const fn over(name: &'static str, bits: u128, sem: &'static str) -> Row {
    let operands = &[DST_D_9_44, SRC64_A_16_42];
    row(name, fixed(6), 0x83fffc00807f, 0x806f | bits, Status::Decided, Evidence::Public, &[(46, 1)], operands, sem)
}

/// A row of a kind: `bitwise`, which no order changes, `steps` in the order of the lanes, `prefix`, `bit_prefix`.
macro_rules! reduce {
    (simd bitwise $op:literal $bits:ident) => {
        over(concat!("simd_", $op), GROUP | $bits, concat!($op, " over the active lanes"))
    };
    (quad bitwise $op:literal $bits:ident) => {
        over(concat!("quad_", $op), $bits, concat!($op, " over the active lanes of the quad, result to all of them"))
    };
    (simd bit_prefix $op:literal $bits:ident) => {
        over(
            concat!("simd_prefix_", $op),
            GROUP | PREFIX | $bits,
            concat!("exclusive prefix ", $op, " over active lanes in lane order (identity in the first)"),
        )
    };
    (simd $kind:ident $op:literal $bits:ident) => {
        reduce!(@$kind "simd" GROUP $op $bits)
    };
    (quad $kind:ident $op:literal $bits:ident) => {
        reduce!(@$kind "quad" 0 $op $bits)
    };
    (@steps $scope:literal $of:tt $op:literal $bits:ident) => {
        over(
            concat!($scope, "_", $op),
            $of | $bits,
            concat!(
                $op, " over the active lanes of the ", $scope,
                " (float: ascending lane order, f32/f16 by width of A, each step rounded)"
            ),
        )
    };
    (@prefix $scope:literal $of:tt $op:literal $bits:ident) => {
        over(
            concat!($scope, "_prefix_", $op),
            $of | PREFIX | $bits,
            concat!("exclusive prefix ", $op, " over active lanes of the ", $scope, " in lane order, identity in the first"),
        )
    };
}

#[rustfmt::skip]
pub(super) const SIMD: &[Row] = &[
    reduce!(simd bitwise    "and"   AND),
    reduce!(simd bitwise    "or"    OR),
    reduce!(simd bitwise    "xor"   XOR),
    reduce!(simd steps      "iadd"  IADD),
    reduce!(simd steps      "fadd"  FADD),
    reduce!(simd steps      "fmul"  FMUL),
    reduce!(simd prefix     "iadd"  IADD),
    reduce!(simd prefix     "fadd"  FADD),
    reduce!(simd prefix     "fmul"  FMUL),
    reduce!(simd bit_prefix "and"   AND),
    reduce!(simd bit_prefix "or"    OR),
    reduce!(simd bit_prefix "xor"   XOR),
    reduce!(simd prefix     "min.s" MIN_S),
    reduce!(simd prefix     "min.u" MIN_U),
    reduce!(simd prefix     "max.s" MAX_S),
    reduce!(simd prefix     "max.u" MAX_U),
    reduce!(simd steps      "min.u" MIN_U),
    reduce!(simd steps      "max.u" MAX_U),
    reduce!(simd steps      "min.s" MIN_S),
    reduce!(simd steps      "max.s" MAX_S),
    reduce!(simd steps      "min.f" MIN_F),
    reduce!(simd steps      "max.f" MAX_F),
];

#[rustfmt::skip]
pub(super) const QUAD: &[Row] = &[
    reduce!(quad bitwise    "and"   AND),
    reduce!(quad bitwise    "or"    OR),
    reduce!(quad bitwise    "xor"   XOR),
    reduce!(quad steps      "iadd"  IADD),
    reduce!(quad steps      "fadd"  FADD),
    reduce!(quad steps      "fmul"  FMUL),
    reduce!(quad prefix     "iadd"  IADD),
    reduce!(quad prefix     "fadd"  FADD),
    reduce!(quad prefix     "fmul"  FMUL),
    reduce!(quad steps      "min.u" MIN_U),
    reduce!(quad steps      "max.u" MAX_U),
    reduce!(quad steps      "min.s" MIN_S),
    reduce!(quad steps      "max.s" MAX_S),
    reduce!(quad steps      "min.f" MIN_F),
    reduce!(quad steps      "max.f" MAX_F),
];
