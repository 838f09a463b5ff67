//! Counts of bits: leading zeros, ones.

use crate::rtl::prelude::*;

/// Leading zeros of 16 bits, 4 bits; of zero it is 15.
pub fn leading_zeros(x: &Expr) -> Expr {
    assert_eq!(x.width(), 16, "leading zeros of 16 bits");
    let fours = x.each_word(4);
    let some: Vec<Expr> = fours.iter().map(|g| wire("four", g.any())).collect();
    // In each of the groups, beside the choice of the group.
    let inner: Vec<Expr> = fours.iter().map(first_of_four).collect();
    let high = !(&some[3] | &some[2]);
    let low = &!&some[3] & &(&some[2] | &!&some[1]);
    let group = wire("leading_group", cat([&high, &low]));
    let within = group.bit(1).mux(&group.bit(0).mux(&inner[0], &inner[1]), &group.bit(0).mux(&inner[2], &inner[3]));
    cat([&group, &within])
}

/// Leading zeros of four bits, 3 of zero.
fn first_of_four(x: &Expr) -> Expr {
    let high = !(x.bit(3) | x.bit(2));
    let low = &!x.bit(3) & &(x.bit(2) | !x.bit(1));
    wire("leading_bit", cat([&high, &low]))
}

/// Ones of a word of 32 bits, 6 bits.
pub fn ones_of(x: &Expr) -> Expr {
    let mut sums = x.each_bit();
    while sums.len() > 1 {
        let width = sums[0].width() + 1;
        sums = sums.chunks(2).map(|pair| wire("ones", pair[0].zext(width) + pair[1].zext(width))).collect();
    }
    sums[0].clone()
}
