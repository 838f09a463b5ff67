//! What becomes of the operand before E1: the kind of result, the row of the table, the remainder
//! and the exponent.
//!
//! | function | row of the table       | remainder, 17 bits | exponent of bit 44 of the sum |
//! |----------|------------------------|--------------------|-------------------------------|
//! | RCP      | 0 + `f[22:16]`         | `f[15:0]`, 0       | 258 - e                       |
//! | RSQ      | 128 + odd, `f[22:17]`  | `f[16:0]`          | 131 - E                       |
//! | LG2      | 256 + `f[22:17]`       | `f[16:0]`          | 133, later; e - 127 here      |
//! | SIN, COS | 320 + `F[22:17]`       | `F[16:0]`          | 132                           |
//! | EX2      | 384 + `F[22:17]`       | `F[16:0]`          | 132 + q                       |
//!
//! f is the fraction of the operand, F the fraction of the fixed-point number, complemented in the
//! odd quadrants of a wave and for negative powers. RSQ of 4^n is exact, the sum of its row 0 is
//! not: it reads row 0 of RCP, which gives the power of two. EX2 that is clamped to 1 is EX2 of 0.
//! Source: docs/numerics.md, Special functions.

use crate::rtl::prelude::*;

/// Bits of the remainder.
pub const REMAINDER: usize = 17;
/// Bits of an exponent: two's complement, or up to 258 before the normaliser.
pub const EXPONENT: usize = 9;

packed! {
    /// What is known of the result from the operand.
    pub struct Kinds(_d: ()) {
        sign: 1,
        /// 0 what the sum says, 1 zero, 2 infinity, 3 no number.
        special: 2,
        exponent: EXPONENT,
    }
}

/// The functions, decoded. The reserved codes 1 and 7 are RCP and EX2.
pub struct Function {
    /// Reciprocal.
    pub rcp: Expr,
    /// Reciprocal square root.
    pub rsq: Expr,
    /// Logarithm.
    pub lg2: Expr,
    /// Sine or cosine.
    pub wave: Expr,
    cos: Expr,
    ex2: Expr,
}

impl Function {
    /// Decodes a code of [`crate::sm::control::function`]; the wires are called `prefix` and the
    /// function.
    pub fn decode(prefix: &str, func: &Expr) -> Self {
        let [b0, b1, b2] = [0, 1, 2].map(|i| func.bit(i));
        let is = |name: &str, value: Expr| wire(&format!("{prefix}{name}"), value);
        let wave = is("wave", &b2 & !&b1);
        Self {
            rcp: is("rcp", !&b2 & !&b1),
            rsq: is("rsq", !&b2 & &b1 & !&b0),
            lg2: is("lg2", !&b2 & &b1 & &b0),
            cos: is("cos", &wave & &b0),
            ex2: is("ex2", &b2 & &b1),
            wave,
        }
    }
}

/// What leaves for E1.
pub struct Index {
    pub kinds: Kinds,
    /// Row of the table, 9 bits.
    pub row: Expr,
    pub remainder: Expr,
}

/// Index of the operand `x` whose sign is `sign`; `sat` clamps EX2 to 1.
pub fn index(func: &Expr, sign: &Expr, sat: &Expr, x: &Expr) -> Index {
    let f = Function::decode("", func);
    let (e, fraction) = (x.bits(23, 8), x.bits(0, 23));
    let whole = wire("whole", !fraction.any());
    let clamp = wire("clamp", &f.ex2 & sat & &!sign);
    // q[0] is bit 23 of the operand; a cosine is a quadrant further.
    let odd_quadrant = e.bit(0) ^ &f.cos;
    let complement = (&f.wave & odd_quadrant) | (&f.ex2 & sign & &!&whole);
    let complement = wire("complement", complement);
    let fraction = wire("segment", (fraction ^ complement.repeat(23)) & (!&clamp).repeat(23));

    // Seven bits of segment and the remainder; e - 127 is odd when e is even.
    let exact = wire("exact", &f.rsq & &e.bit(0) & &whole);
    let seventh = wire("seventh", (&f.rsq & &!e.bit(0)) | &f.wave);
    let place = f.rcp.mux(&cat([&fraction, &zero(1)]), &cat([&seventh, &fraction]));
    let place = wire("place", place);
    let row = cat([&(func.bit(2) | &f.lg2), &((&f.rsq & &!&exact) | &f.ex2), &place.bits(REMAINDER, 7)]);

    let (special, negative) = kind(&f, sign, &clamp, &e, &whole);
    let kinds = Kinds {
        sign: wire("negative", negative),
        special: wire("special", special),
        exponent: wire("exponent", exponent(&f, sign, &clamp, &e, &whole)),
    };
    kinds.check(());
    Index { kinds, row: wire("table_row", row), remainder: place.bits(0, REMAINDER) }
}

/// Kind and sign of the result; a logarithm that is a number has the sign of its sum instead.
fn kind(f: &Function, sign: &Expr, clamp: &Expr, e: &Expr, whole: &Expr) -> (Expr, Expr) {
    let (full, empty) = (wire("full", e.all()), wire("empty", !e.any()));
    // Bit 30 of a fixed-point number: no number; for EX2 with bit 23 an infinity.
    let code = e.bit(7);
    let root = wire("root", &f.rsq | &f.lg2);
    let float = wire("float", &f.rcp | &root);
    let nan =
        (&float & &full & &!whole) | (&root & sign & &!&empty) | (&f.wave & &code) | (&f.ex2 & &code & &!e.bit(0));
    let nan = wire("nan", nan);
    let infinite = (&float & &empty) | (&f.lg2 & &full) | (&f.ex2 & &code & &!sign & &!clamp);
    let infinite = wire("infinite", infinite);
    let one = e.is(127) & whole;
    let zero = ((&f.rcp | &f.rsq) & &full) | (&f.lg2 & &one) | (&f.ex2 & &code & sign);
    let zero = wire("nothing", zero);
    // Roots of numbers below zero are none, so only those of zero have its sign.
    let quadrant = e.bit(1) ^ (&f.cos & &e.bit(0));
    let sign = (&f.rcp & sign) | (&f.rsq & sign) | (&f.lg2 & &empty) | (&f.wave & &(quadrant ^ (sign & &!&f.cos)));
    (cat([&(&nan | &infinite), &(&nan | &zero)]), sign & &!&nan)
}

/// Exponent, or e - 127 for a logarithm: a constant, the operand's exponent field or its
/// complement, and a carry.
fn exponent(f: &Function, sign: &Expr, clamp: &Expr, e: &Expr, whole: &Expr) -> Expr {
    // -n is the complement of n plus one; that one is missing where a fraction was complemented.
    let invert = &f.rcp | &f.rsq | (&f.ex2 & sign);
    let halved = f.rsq.mux(&cat([&zero(1), &e.bits(1, 7)]), e);
    let used = halved & (!&f.wave & !clamp).repeat(8);
    let addend = used.zext(EXPONENT) ^ wire("invert", invert).repeat(EXPONENT);
    let carry = &f.rcp | (&f.rsq & &!e.bit(0)) | (&f.ex2 & sign & whole);
    // E of RSQ is (e + 1) / 2 - 64, LG2 takes 127 off.
    let [rcp, rsq, lg2, fixed] = [258, 195, 512 - 127, 132].map(|v| lit(EXPONENT, v));
    let constant = f.rcp.mux(&rcp, &f.rsq.mux(&rsq, &f.lg2.mux(&lg2, &fixed)));
    let (addend, constant) = (wire("addend", addend), wire("bias", constant));
    // The carry enters below the sum: one adder.
    let sum = cat([&constant, &ones(1)]) + cat([&addend, &carry]);
    wire("exponent_sum", sum).bits(1, EXPONENT)
}
