//! What an instruction's accesses may reach: known in stage A from the instruction alone.

use crate::rtl::prelude::*;
use crate::sm::control::uop::AddressControl;
use crate::sm::control::{last_pass, source1, source23, Control, HEADER_BYTES};
use crate::sm::dims::Dims;
use crate::sm::pipeline::bundles::{Limits, MemorySizes};

impl MemorySizes<Sink> {
    /// Stage A: what the access checks of M compare with, known from the instruction alone.
    pub fn limits(&self, d: &Dims, c: &Control, first_pass: &Expr) -> Limits {
        let local = c.accesses_local();
        let outside = &local | c.accesses_global(d);
        let size = |operand: &Expr| c.mem.any().mux(&size_of_access(&c.mem_size), &size_of(operand));
        // Banks that the chip does not have are empty.
        let of_bank = |values: &[Input]| {
            let mut banks = get_all(values);
            banks.resize(1 << c.c_bank.width(), zero(values[0].as_ref().width()));
            select(&c.c_bank, &banks)
        };
        let banks = || {
            [("bank_words_here", &self.bank_words), ("bank_base_here", &self.bank_base)]
                .map(|(name, values)| wire(name, of_bank(values)))
        };
        let shared = c.s1_kind.is(source1::SHARED);
        let constant = || c.s2_kind.is(source23::CONST) | c.s3_kind.is(source23::CONST);
        let beyond = local.mux(&get(&self.local_bytes).zext(33), &(get(&self.global_last).zext(33) + lit(33, 1)));
        let limit = |inside: &Expr| wire("main_limit", outside.mux(&beyond, inside));
        let guarded = c.accesses_global(d) & get(&self.global_guard);
        let limits = match d.has.wide_addresses.then(|| AddressControl::unpack((), "limited", &c.address)) {
            None => {
                let main_size = wire("main_size", size(&c.s1_size));
                let constant_size = wire("constant_size", size_of(&c.c_size).bits(0, 2));
                let main = limit(&get(&self.shared_bytes).zext(33));
                let [words, base] = banks();
                let [main_on, constant_on] = [shared | c.mem.any(), constant()].map(|on| first_pass & on);
                let indexed = nothing();
                Limits { main_size, main_on, main, guarded, constant_size, constant_on, indexed, words, base }
            }
            // Every operand in memory may be wide, and of constant memory indexed.
            Some(how) => {
                let indexed = wire("is_indexed", how.indexed);
                let narrow = size(&indexed.mux(&c.c_size, &c.s1_size));
                let main_size = match d.has.whole_accesses {
                    // Each pass is an access of its own, aligned to an element.
                    false => narrow,
                    true => select(&c.passes, &[narrow, lit(4, 7), lit(4, 15)]),
                };
                let main_size = wire("main_size", main_size);
                let [words, base] = banks();
                let in_shared = get(&self.shared_bytes) - lit(d.shared_size(), HEADER_BYTES);
                let limit = limit(&indexed.mux(&cat([&words, &zero(2)]).zext(33), &in_shared.zext(33)));
                let main = match c.sources(d, "limited_sources") {
                    // The first pass is checked for all of them.
                    Some(sources) => {
                        let more = elements(&main_size, &sources.place(&last_pass(d, &c.passes))).zext(33);
                        let less = wire("limit_of_first", &limit - &more);
                        less & (!limit.lt(&more)).repeat(33)
                    }
                    None => limit,
                };
                let main_on = any_of(&[shared & !how.header, c.mem.any(), indexed.clone()]);
                let constant_on = first_pass & &constant() & !&indexed;
                let words = match c.double(d, "limited") {
                    // The first of two words is checked for both.
                    Some(double) => {
                        let less = wire("words_of_pairs", &words - &lit(15, 1));
                        wire("words_for_first", (double.wide & words.any()).mux(&less, &words))
                    }
                    None => words,
                };
                Limits {
                    main_size,
                    // Of channels each pass is checked.
                    main_on: if d.has.channels { main_on } else { first_pass & main_on },
                    main,
                    guarded,
                    constant_size: lit(2, 3),
                    constant_on,
                    indexed,
                    words,
                    base,
                }
            }
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
