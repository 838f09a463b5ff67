//! Functions on expressions of few bits, for every input.

use crate::support::{dut::Dut, mutants::tells};
use warpsmith_hdl::rtl::prelude::*;

block! {
    /// What is known of the bits that are on.
    pub struct Ones(width: usize) {
        in x(width),
        out lowest(width),
        out two(1),
    }
}

impl Rtl for Ones {
    fn rtl(&self) {
        let x = get(&self.x);
        set(&self.lowest, lowest_one_hot(&x));
        set(&self.two, two_of(&x.each_bit()));
    }
}

rtl_block!(Ones, "ones");

#[test]
fn the_lowest_bit_and_whether_two_are_on_of_every_word() {
    for width in 1..=12 {
        let check = |dut: &mut Dut| {
            for x in 0..1u64 << width {
                dut.set("x", x);
                dut.eval();
                assert_eq!(dut.get("lowest"), x & x.wrapping_neg(), "{width} bits: {x:b}");
                assert_eq!(dut.is("two"), x.count_ones() >= 2, "{width} bits: {x:b}");
            }
        };
        if width == 1 {
            check(&mut Dut::native(&Ones::new(width)));
        } else {
            tells(&Ones::new(width), 90, check);
        }
    }
}
