//! Operand selection of one lane: what came from registers and memories to the values a, b, c.
//!
//! | port      | width  | meaning                                                          |
//! |-----------|--------|------------------------------------------------------------------|
//! | `choice`  | Choice | which source each operand has, which half, which size            |
//! | `r1` … `r3` | 32   | registers                                                        |
//! | `shared`  | 32     | shared word, addressed byte lowest                               |
//! | `constant`| 32     | constant word, addressed byte lowest                             |
//! | `address` | 16     | address register                                                 |
//! | `flags`   | 4      | flag register                                                    |
//! | `clock_count` | 32 | cycle counter                                                    |
//! | `a` `b` `c` | 32   | operands; 16-bit ones zero-extended                              |
//!
//! Timing: combinational. Reset: none. Errors: none.
//! Source: operand forms, sm10-isa.md §1.3.

use super::control::{source1, source23};
use crate::rtl::prelude::*;

packed! {
    /// The part of the control word that operand selection needs.
    pub struct Choice(_d: ()) {
        s1_kind: 3,
        s1_half: 1,
        s1_hi: 1,
        s1_size: 2,
        s2_kind: 2,
        s2_half: 1,
        s2_hi: 1,
        s3_kind: 1,
        s3_half: 1,
        s3_hi: 1,
        c_size: 2,
        imm: 32,
    }
}

/// See the module.
#[derive(LogicBlock)]
pub struct OperandSelect {
    pub choice: Input,
    pub r1: Input,
    pub r2: Input,
    pub r3: Input,
    pub shared: Input,
    pub constant: Input,
    pub address: Input,
    pub flags: Input,
    pub clock_count: Input,
    pub a: Output,
    pub b: Output,
    pub c: Output,
}

impl Default for OperandSelect {
    fn default() -> Self {
        Self {
            choice: Input::new(Choice::width(())),
            r1: Input::new(32),
            r2: Input::new(32),
            r3: Input::new(32),
            shared: Input::new(32),
            constant: Input::new(32),
            address: Input::new(16),
            flags: Input::new(4),
            clock_count: Input::new(32),
            a: Output::new(32),
            b: Output::new(32),
            c: Output::new(32),
        }
    }
}

/// A loaded word extended by its size: 0 u8, 1 u16, 2 s16, 3 32 bits.
fn extend(word: &Ex, size: &Ex) -> Ex {
    let low = word.bits(0, 16);
    let sign = size.is(2) & word.bit(15);
    let byte = size.is(0);
    let upper = size.is(3).mux(&word.bits(16, 16), &sign.repeat(16));
    cat([
        &upper,
        &byte.mux(&zero(8), &low.bits(8, 8)),
        &low.bits(0, 8),
    ])
}

/// A register or its chosen half.
fn halved(word: &Ex, half: &Ex, hi: &Ex) -> Ex {
    half.mux(
        &hi.mux(&word.bits(16, 16), &word.bits(0, 16)).zext(32),
        word,
    )
}

impl Rtl for OperandSelect {
    fn rtl(&self) {
        let c = Choice::unpack((), "s", &get(&self.choice));
        let low = |e: &Ex, half: &Ex| cat([&(e.bits(16, 16) & (!half).repeat(16)), &e.bits(0, 16)]);
        let shared = wire(
            "from_shared",
            low(&extend(&get(&self.shared), &c.s1_size).named(), &c.s1_half),
        );
        let constant = wire("from_constant", extend(&get(&self.constant), &c.c_size));
        let is = |k| c.s1_kind.is(k);
        let other = is(source1::AREG).mux(
            &get(&self.address).zext(32),
            &is(source1::CC).mux(
                &get(&self.flags).zext(32),
                &is(source1::CLOCK).mux(&get(&self.clock_count), &zero(32)),
            ),
        );
        let gpr = halved(&get(&self.r1), &c.s1_half, &c.s1_hi);
        set(
            &self.a,
            is(source1::GPR).mux(&gpr, &is(source1::SHARED).mux(&shared, &other)),
        );
        let gpr = halved(&get(&self.r2), &c.s2_half, &c.s2_hi);
        let imm = low(&c.imm, &c.s2_half);
        let b = c
            .s2_kind
            .is(source23::GPR)
            .mux(&gpr, &c.s2_kind.is(source23::CONST).mux(&constant, &imm));
        set(&self.b, b);
        let gpr = halved(&get(&self.r3), &c.s3_half, &c.s3_hi);
        set(&self.c, c.s3_kind.is(source23::GPR).mux(&gpr, &constant));
    }
}

rtl_block!(OperandSelect, "operand_select");
