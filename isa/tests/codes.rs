//! Codes of modifier values: both directions agree, and no code beyond the table has a meaning.
use warpsmith_isa::codes::{shared_mode, Code, SHARED_MODES};
use warpsmith_isa::table::CONVERSIONS;
use warpsmith_isa::*;

fn count<T: Code + PartialEq + std::fmt::Debug>() -> u32 {
    let mut n = 0;
    while let Some(v) = T::from_code(n) {
        assert_eq!(v.code(), n, "{v:?}");
        n += 1;
    }
    assert!((n..300).all(|c| T::from_code(c).is_none()));
    n
}

#[test]
fn every_code_has_one_value_and_every_value_one_code() {
    assert_eq!(count::<bool>(), 2);
    assert_eq!(count::<AddKind>(), 4);
    assert_eq!(count::<LogicOp>(), 4);
    assert_eq!(count::<Round>(), 4);
    assert_eq!(count::<MemSize>(), 7);
    assert_eq!(count::<u8>(), 256);
}

#[test]
fn modes_and_conversions_are_in_the_order_of_their_codes() {
    for (n, size) in SHARED_MODES.into_iter().enumerate() {
        assert_eq!(shared_mode(size), Some(n as u32));
    }
    assert_eq!(shared_mode(MemSize::B64), None);
    // Bit 2 is the sign, bit 1 says 8 bits.
    for (n, (from, slot)) in CONVERSIONS.into_iter().enumerate() {
        assert_eq!(from.is_signed(), n & 4 != 0);
        assert_eq!(from.bits() == 8, n & 2 != 0);
        assert_eq!(slot.is_half(), n & 1 == 0);
    }
}
