//! What an instruction's accesses may reach: known in stage A from the instruction alone.

use crate::rtl::prelude::*;
use crate::sm::control::g13::SourceControl;
use crate::sm::control::uop::AddressControl;
use crate::sm::control::{last_pass, source1, source23, Control, HEADER_BYTES};
use crate::sm::dims::Dims;
use crate::sm::pipeline::bundles::{Limits, MemorySizes};

impl MemorySizes<Sink> {
    /// Stage A: what the access checks of M compare with, known from the instruction alone.
    pub fn limits(&self, d: &Dims, c: &Control, first_pass: &Expr) -> Limits {
        let local = c.accesses_local();
        let outside = &local | c.accesses_global();
        if d.has_uops() {
            return self.of_uops(d, c, first_pass);
        }
        let main_size = wire("main_size", c.mem.any().mux(&size_of_access(&c.mem_size), &size_of(&c.s1_size)));
        let constant_size = wire("constant_size", size_of(&c.c_size).bits(0, 2));
        let limit = outside.mux(
            &local.mux(&get(&self.local_bytes).zext(33), &(get(&self.global_last).zext(33) + lit(33, 1))),
            &get(&self.shared_bytes).zext(33),
        );
        let limit = wire("main_limit", limit);
        let words = wire("bank_words_here", select(&c.c_bank, &get_all(&self.bank_words)));
        let base = wire("bank_base_here", select(&c.c_bank, &get_all(&self.bank_base)));
        let main_on = c.s1_kind.is(source1::SHARED) | c.mem.any();
        let constant_on = c.s2_kind.is(source23::CONST) | c.s3_kind.is(source23::CONST);
        let limits = Limits {
            main_size,
            main_on: first_pass & main_on,
            main: limit,
            guarded: c.accesses_global() & get(&self.global_guard),
            constant_size,
            constant_on: first_pass & constant_on,
            indexed: nothing(),
            words,
            base,
        };
        limits.check(d);
        limits
    }

    /// The same of micro-operations: every operand in memory may be wide, and of constant memory indexed.
    fn of_uops(&self, d: &Dims, c: &Control, first_pass: &Expr) -> Limits {
        let how = AddressControl::unpack((), "limited", &c.address);
        let local = c.accesses_local();
        let outside = &local | c.accesses_global();
        let indexed = wire("is_indexed", how.indexed);
        let operand = size_of(&indexed.mux(&c.c_size, &c.s1_size));
        let narrow = c.mem.any().mux(&size_of_access(&c.mem_size), &operand);
        let main_size = match d.has_predicates() {
            // Each pass is an access of its own, aligned to an element.
            false => narrow,
            true => select(&c.passes, &[narrow, lit(4, 7), lit(4, 15)]),
        };
        let main_size = wire("main_size", main_size);
        // Banks that the chip does not have are empty.
        let none = |width: usize| vec![zero(width); 16];
        let of_bank = |values: &[Input]| {
            let mut banks = get_all(values);
            banks.extend(none(values[0].as_ref().width()));
            select(&c.c_bank, &banks)
        };
        let words = wire("bank_words_here", of_bank(&self.bank_words));
        let base = wire("bank_base_here", of_bank(&self.bank_base));
        let shared = get(&self.shared_bytes) - lit(15, HEADER_BYTES);
        let inside = indexed.mux(&cat([&words, &zero(2)]).zext(33), &shared.zext(33));
        let beyond = local.mux(&get(&self.local_bytes).zext(33), &(get(&self.global_last).zext(33) + lit(33, 1)));
        let limit = wire("main_limit", outside.mux(&beyond, &inside));
        let limit = match d.is_g13() {
            // The first pass is checked for all of them.
            true => {
                let sources = SourceControl::unpack((), "limited_sources", &c.sources);
                let more = elements(&main_size, &sources.place(&last_pass(d, &c.passes))).zext(33);
                let less = wire("limit_of_first", &limit - &more);
                less & (!limit.lt(&more)).repeat(33)
            }
            false => limit,
        };
        let of_shared = c.s1_kind.is(source1::SHARED) & !how.header;
        let main_on = any_of(&[of_shared, c.mem.any(), indexed.clone()]);
        let constant = c.s2_kind.is(source23::CONST) | c.s3_kind.is(source23::CONST);
        let words = match c.double(d, "limited") {
            // The first of two words is checked for both.
            Some(double) => {
                let less = wire("words_of_pairs", &words - &lit(15, 1));
                wire("words_for_first", (double.wide & words.any()).mux(&less, &words))
            }
            None => words,
        };
        let limits = Limits {
            main_size,
            // Of Ivy Bridge each pass is checked.
            main_on: if d.is_ivb() { main_on } else { first_pass & main_on },
            main: limit,
            guarded: c.accesses_global() & get(&self.global_guard),
            constant_size: lit(2, 3),
            constant_on: first_pass & &constant & !&indexed,
            indexed,
            words,
            base,
        };
        limits.check(d);
        limits
    }
}

/// Bytes of so many elements of 1, 2 or 4 bytes, `size` of which is their bytes minus one; 4 bits.
pub fn elements(size: &Expr, count: &Expr) -> Expr {
    let count = count.zext(4);
    let by_size = |places: usize| cat([&count.bits(0, 4 - places), &zero(places)]);
    size.bit(1).mux(&by_size(2), &size.bit(0).mux(&by_size(1), &count))
}

/// Bytes of an operand minus one, of its size code.
fn size_of(code: &Expr) -> Expr {
    let wide = code.width() > 2;
    let half = match wide {
        // s8.
        true => code.any() & !code.is(4),
        false => code.any(),
    };
    code.is(3).mux(&lit(4, 3), &half.mux(&lit(4, 1), &lit(4, 0)))
}

/// Bytes of an access minus one, of its size code.
fn size_of_access(code: &Expr) -> Expr {
    let by_size = [0, 0, 1, 1, 7, 15, 3, 3].map(|v| lit(4, v));
    select(code, &by_size)
}
