//! Shifts and bit fields: a funnel of 63 bits and a mask.
//!
//! To the right the funnel is {high, low} and its amount the count; to the left {word, zeros} and the
//! complement of the count. What is a shift count and a place of a field differs by operation.

use crate::rtl::prelude::*;
use crate::sm::control::uop::count;

/// Bits of a funnel.
pub const FUNNEL: usize = 63;

/// What a count does to a word of 32 bits.
pub struct Count {
    /// Modulo 32.
    pub low: Expr,
    /// 32 or more.
    pub beyond: Expr,
    /// 64 or more.
    pub far: Expr,
}

/// A shift count with the bits that `mode`, one of [`count`], says; `byte`: its low 8 bits.
pub fn shift_count(n: &Expr, mode: &Expr, byte: &Expr, wide: bool) -> Count {
    let all = wire("count_all", mode.is(count::ALL) & !byte);
    let more = if wide { wire("count_more", mode.is(count::MOD_128) | byte) } else { byte.clone() };
    let upper = wire("count_upper", n.bits(8, 24).any() & &all);
    let some = &all | &more;
    let seven = n.bit(7) & (&all | byte);
    let far = wire("count_far", &upper | &seven | (n.bit(6) & &some));
    Count { low: n.bits(0, 5), beyond: wire("count_beyond", &far | &(n.bit(5) & &some)), far }
}

/// The low `n` bits of 32 are ones; `n` of 0 to 32, 6 bits.
pub fn low_mask(n: &Expr) -> Expr {
    !ones(32).shl(n)
}

/// A number of 0 to 32 places: 32 where a number of more bits is greater.
pub fn at_most_32(n: &Expr) -> Expr {
    let n = n.named();
    let large = wire("places_large", n.bits(5, n.width() - 5).any());
    cat([&large, &(n.bits(0, 5) & (!&large).repeat(5))])
}

/// A word with its bits in reverse order.
pub fn reversed(x: &Expr) -> Expr {
    cat(x.each_bit().iter())
}

/// Bits of a at even places, of b at odd ones, 16 of each.
pub fn interleaved(a: &Expr, b: &Expr) -> Expr {
    let (a, b) = (a.each_bit(), b.each_bit());
    let bits: Vec<Expr> = (0..32).map(|i| if i % 2 == 0 { &a[i / 2] } else { &b[i / 2] }.clone()).collect();
    pack(bits.iter())
}

/// Bit (a + 2 b) of a truth table for each bit.
pub fn logic(table: &Expr, a: &Expr, b: &Expr) -> Expr {
    let (a, b, table) = (a.each_bit(), b.each_bit(), table.named());
    let bits: Vec<Expr> = a.iter().zip(&b).map(|(a, b)| look_up(&table, a, b)).collect();
    pack(bits.iter())
}

/// Bit (a + 2 b) of a truth table.
pub fn look_up(table: &Expr, a: &Expr, b: &Expr) -> Expr {
    let table = table.named();
    b.mux(&a.mux(&table.bit(3), &table.bit(2)), &a.mux(&table.bit(1), &table.bit(0)))
}

/// The table of the function with its operands inverted.
pub fn inverted(table: &Expr, a: &Expr, b: &Expr) -> Expr {
    let t = table.named();
    let t = a.mux(&cat([&t.bit(2), &t.bit(3), &t.bit(0), &t.bit(1)]), &t);
    let t = t.named();
    b.mux(&cat([&t.bits(0, 2), &t.bits(2, 2)]), &t)
}

/// 32 bits of a funnel from bit `amount` on.
pub fn funnel(x: &Expr, amount: &Expr) -> Expr {
    let mut x = x.named();
    for step in [16, 8, 4, 2, 1usize] {
        let on = amount.bit(step.trailing_zeros() as usize);
        let width = x.width() - step;
        x = wire("funnel", on.mux(&x.bits(step, width), &x.bits(0, width)));
    }
    x.bits(0, 32)
}
