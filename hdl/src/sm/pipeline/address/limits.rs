//! What an instruction's accesses may reach: known in stage A from the instruction alone.

use crate::rtl::prelude::*;
use crate::sm::control::{source1, source23, Control};
use crate::sm::dims::Dims;
use crate::sm::pipeline::bundles::Limits;

/// Sizes of the memories, from the launch registers.
pub struct Memories<'a> {
    /// Bytes of a block's shared memory.
    pub shared_bytes: &'a Input,
    /// Last byte address of global memory.
    pub global_last: &'a Input,
    /// Bytes of a thread's local memory.
    pub local_bytes: &'a Input,
    /// First word and words of each constant bank.
    pub bank_base: &'a [Input],
    pub bank_words: &'a [Input],
}

impl Memories<'_> {
    /// Stage A: what the access checks of M compare with, known from the instruction alone.
    pub fn of(&self, d: &Dims, c: &Control, first_pass: &Expr) -> Limits {
        let local = c.accesses_local();
        let outside = &local | c.accesses_global();
        let size_of = |code: &Expr| {
            code.is(3)
                .mux(&lit(4, 3), &code.any().mux(&lit(4, 1), &lit(4, 0)))
        };
        let by_size: Vec<Expr> = [0, 0, 1, 1, 7, 15, 3, 3]
            .iter()
            .map(|v| lit(4, *v))
            .collect();
        let main_size = wire(
            "main_size",
            c.mem
                .any()
                .mux(&select(&c.mem_size, &by_size), &size_of(&c.s1_size)),
        );
        let constant_size = wire("constant_size", size_of(&c.c_size).bits(0, 2));
        let limit = outside.mux(
            &local.mux(
                &get(self.local_bytes).zext(33),
                &(get(self.global_last).zext(33) + lit(33, 1)),
            ),
            &get(self.shared_bytes).zext(33),
        );
        let limit = wire("main_limit", limit);
        let words = wire(
            "bank_words_here",
            select(&c.c_bank, &get_all(self.bank_words)),
        );
        let base = wire(
            "bank_base_here",
            select(&c.c_bank, &get_all(self.bank_base)),
        );
        let main_on = c.s1_kind.is(source1::SHARED) | c.mem.any();
        let constant_on = c.s2_kind.is(source23::CONST) | c.s3_kind.is(source23::CONST);
        let limits = Limits {
            main_size,
            main_on: first_pass & main_on,
            main: limit,
            constant_size,
            constant_on: first_pass & constant_on,
            words,
            base,
        };
        limits.check(d);
        limits
    }
}
