//! Whether the accesses of one lane may be made, checked in stage M.
//!
//! | port             | width | meaning                                                     |
//! |------------------|-------|-------------------------------------------------------------|
//! | `active`         | 1     | the lane is active                                          |
//! | `main_on`        | 1     | an access to shared, local or global memory                 |
//! | `main`           | 32    | its byte address                                            |
//! | `main_size`      | 4     | its size minus one, in bytes                                |
//! | `main_limit`     | 33    | first address beyond the memory                             |
//! | `main_guarded`   | 1     | the first page of the memory is guarded                     |
//! | `constant_on`    | 1     | an access to constant memory                                |
//! | `constant`       | 16    | its byte address                                            |
//! | `constant_size`  | 2     | its size minus one, in bytes                                |
//! | `constant_words` | 15    | words of the bank                                           |
//! | `fault`          | 2     | one of [`fault`]; 0: nothing is wrong                       |
//!
//! Timing: combinational. Reset: none.
//! Errors: misalignment is looked at first, then the guarded page, then the range; the access to shared, local
//! or global memory before the constant one.
//! Source: docs/semantics.md, Memory and Traps.

use crate::rtl::prelude::*;
use warpsmith_contract::registers::GUARD_BYTES;

/// What is wrong with an access; 0: nothing.
pub mod fault {
    /// Its address is not a multiple of its size.
    pub const MISALIGNED: u64 = 1;
    /// It ends beyond its memory.
    pub const OUTSIDE: u64 = 2;
    /// It lies in the guarded first page of global memory.
    pub const NULL: u64 = 3;
}

block! {
    /// See the module.
    pub struct AccessCheck() {
        in active(1),
        in main_on(1),
        in main(32),
        in main_size(4),
        in main_limit(33),
        in main_guarded(1),
        in constant_on(1),
        in constant(16),
        in constant_size(2),
        in constant_words(15),
        out fault(2),
    }
}

impl Rtl for AccessCheck {
    fn rtl(&self) {
        let (main, size) = (get(&self.main), get(&self.main_size));
        let off = wire("main_off", (main.bits(0, 4) & &size).any());
        // The last byte; an aligned access never carries into the next 16 bytes.
        let last = cat([&main.bits(4, 28), &(main.bits(0, 4) | &size)]);
        let out = wire("main_out", last.zext(33).ge(&get(&self.main_limit)));
        let (constant, size) = (get(&self.constant), get(&self.constant_size));
        let c_off = wire("constant_off", (constant.bits(0, 2) & &size).any());
        let c_out = wire("constant_out", constant.bits(2, 14).zext(15).ge(&get(&self.constant_words)));
        let page = GUARD_BYTES.trailing_zeros() as usize;
        let null = get(&self.main_guarded) & !main.bits(page, 32 - page).any();
        let null = wire("main_null", null);
        let is = |code| lit(2, code);
        let of_out = |out: &Expr| out.mux(&is(fault::OUTSIDE), &is(0));
        let of_off = |off: &Expr, other: &Expr| off.mux(&is(fault::MISALIGNED), other);
        let first = of_off(&off, &null.mux(&is(fault::NULL), &of_out(&out)));
        let first = wire("first_fault", first & get(&self.main_on).repeat(2));
        let second = of_off(&c_off, &of_out(&c_out)) & get(&self.constant_on).repeat(2);
        set(&self.fault, get(&self.active).repeat(2) & first.any().mux(&first, &second));
    }
}

rtl_block!(AccessCheck, "access_check");
