//! Decoder: an instruction word to the control word of the pipeline.
//!
//! Made from the rows of the instruction table, the same the assembler and the golden model
//! read: one hit line a row, and every control field the or of its rows' values.
//!
//! | port        | width            | meaning                                              |
//! |-------------|------------------|------------------------------------------------------|
//! | `word`      | 64               | word 1, word 0; word 1 is not looked at when short   |
//! | `registers` | 8                | registers a thread owns                              |
//! | `control`   | Control::width   | the decoded instruction                              |
//! | `numbers`   | Numbers::width   | its registers as the word numbers them: known earlier |
//!
//! Timing: combinational. Reset: none.
//! What an instruction that traps does beside is undefined: with a trap cause nothing of it is done.
//! Errors: `control.trap` holds 1 for undefined words, conditions, modifiers and operand
//! selections, 2 for what this chip lacks, 8 for TRAP, 9 for a destination beyond the allocation.
//! Source: isa/src/table; sm10-isa.md §1.1–1.3.

mod fields;
mod rows;

use super::control::{cause, destination, source1, source23, AluControl, Control, Numbers};
use super::dims::Dims;
use crate::config::{Floats, GpuConfig};
use crate::rtl::prelude::*;
use fields::{field, half_register, offset, place, scaled, Fields};
use rows::{destination_of, kind_again, memory_operand, operation, source};
use warpsmith_isa::table::{Class, Field, Flags, Form, OpFamily as Kind, SrcSlot, FORMS};
use warpsmith_isa::{SfuFn, Width};

/// See the module.
#[derive(LogicBlock)]
pub struct Decode {
    pub word: Input,
    pub registers: Input,
    pub control: Output,
    pub numbers: Output,
    _d: Dims,
}

impl Decode {
    /// The decoder of a configuration.
    pub fn new(cfg: &GpuConfig) -> Self {
        let d = Dims::of(cfg);
        Self {
            word: Input::new(64),
            registers: Input::new(8),
            control: Output::new(Control::width(&d)),
            numbers: Output::new(Numbers::width(())),
            _d: d,
        }
    }
}

/// Whether a chip with these float instructions executes a form; the others trap as unimplemented.
/// Exhaustive on purpose: a new operation without hardware does not compile.
pub fn implemented(f: &Form, floats: Floats) -> bool {
    let float = floats == Floats::All;
    match f.kind {
        Kind::Mov(_)
        | Kind::IAdd(_)
        | Kind::IMul16
        | Kind::IMul24
        | Kind::IMad(..)
        | Kind::ISad(_)
        | Kind::ISet(_) => true,
        Kind::IMin(_)
        | Kind::IMax(_)
        | Kind::Shl(_)
        | Kind::Shr(_)
        | Kind::Logic(_)
        | Kind::LogicImm(_)
        | Kind::I2I(_) => true,
        Kind::C2R | Kind::R2C | Kind::A2R | Kind::S2R | Kind::R2A | Kind::AddA => true,
        Kind::StShared
        | Kind::LdConst
        | Kind::LdGlobal
        | Kind::StGlobal
        | Kind::LdLocal
        | Kind::StLocal => true,
        Kind::Bra | Kind::Cal | Kind::Ret | Kind::Pbk | Kind::Brk | Kind::Ssy | Kind::Bar(_) => {
            true
        }
        Kind::Trap | Kind::Bpt | Kind::Nop | Kind::PmTrig => true,
        Kind::FMul | Kind::I2F(_) | Kind::F2I(..) | Kind::Sfu(SfuFn::Rcp) => floats != Floats::None,
        Kind::FAdd | Kind::FMad | Kind::FMin | Kind::FMax | Kind::FSet | Kind::FSlct => float,
        Kind::F2F(..) | Kind::Sfu(_) | Kind::Rro(_) => float,
        // SM 1.1 and later, texture, quads, fragments.
        Kind::LdShared | Kind::Unsupported => false,
    }
}

fn name_of(f: &Form, index: usize) -> String {
    let n: String = f
        .mnemonic
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '_'
            }
        })
        .collect();
    format!("h{index}_{n}")
}

impl Rtl for Decode {
    fn rtl(&self) {
        let d = &self._d;
        let w = get(&self.word);
        let long = wire("long", w.bit(0));
        let control = wire("is_control", w.bit(1));
        let imm = wire("is_imm", &long & !&control & w.bits(32, 2).is(3));
        let class = |c: Class| match c {
            Class::Short => !&long & !&control,
            Class::ShortControl => !&long & &control,
            Class::Immediate => imm.clone(),
            Class::Long => &long & !&control & !&imm,
            Class::Control => &long & &control,
        };
        let mut f = Fields::default();
        let mut hits = vec![];
        let post = wire("post", w.bit(25));
        let (c2, c3) = (wire("c2", w.bit(23)), wire("c3", w.bit(24)));
        let shared_long = wire("shared_long", w.bit(53));
        let mut illegal = vec![];

        for (index, form) in FORMS.iter().enumerate() {
            // Word 0 bits 1:0 and the immediate marker are the class's business.
            let mask = form.mask
                & !3
                & if form.class == Class::Immediate {
                    !(3 << 32)
                } else {
                    !0
                };
            let picked: Vec<usize> = (0..64).filter(|i| mask >> i & 1 == 1).collect();
            let word: Vec<Ex> = picked.iter().map(|i| w.bit(*i)).collect();
            let value = picked
                .iter()
                .enumerate()
                .fold(0u64, |v, (n, i)| v | (form.match_ >> i & 1) << n);
            let hit = class(form.class) & pack(word.iter()).eq(&lit(picked.len(), value));
            let hit = wire(&name_of(form, index), hit);
            hits.push(hit.clone());
            if form.predicated {
                f.flag("predicated", &hit);
            }
            if form.class == Class::Long {
                f.add("marker", &hit, w.bits(32, 2));
            }
            if !implemented(form, d.floats) {
                f.flag("unimplemented", &hit);
                if matches!(form.kind, Kind::Unsupported) {
                    continue;
                }
            }
            if form.flags != Flags::No {
                f.flag("has_cdst", &hit);
            }
            operation(&mut f, &hit, form, &w, &mut illegal);
            destination_of(&mut f, &hit, form);
            let sixteen =
                matches!(form.src[0], SrcSlot::I1H) || matches!(form.kind, Kind::Mov(Width::W16));
            for (i, slot) in form.src.iter().enumerate() {
                if let Some(at) = place(i, *slot) {
                    source(&mut f, &hit, *slot, at, sixteen, &w);
                }
            }
            memory_operand(&mut f, &hit, form);
        }

        // Address register and operand selection, once a class.
        let short_areg = w.bits(26, 2).zext(3);
        let long_areg = cat([&w.bit(34), &w.bits(26, 2)]);
        let areg = wire(
            "areg",
            imm.mux(&short_areg, &long.mux(&long_areg, &short_areg)),
        );
        let s1_short = f.take("s1_short", 1);
        let s1_exclusive = f.take("s1_exclusive", 1);
        let s1_long = f.take("s1_long", 1);
        let cvt = f.take("cvt", 1);
        let cvt_byte = wire("cvt_byte", &cvt & &w.bits(46, 2).is(3));
        let s1_long = wire("s1_any_long", s1_long | (&cvt & !&cvt_byte));
        let s1_shared = wire("s1_shared", (&s1_short & &c3) | (&s1_long & &shared_long));
        illegal.push(&s1_exclusive & &c2 & &c3);
        illegal.push((&s1_long | &f.take("l23", 1)) & &c2 & &c3);
        let mode = wire(
            "s1_mode",
            long.mux(&imm.mux(&w.bits(13, 2), &w.bits(14, 2)), &w.bits(13, 2)),
        );
        let is_long_class = wire("is_long_class", class(Class::Long));
        let near_short = scaled(&w.bits(9, 4), &mode, &post);
        let near_long = scaled(&w.bits(9, 5), &mode, &post);
        let far = f.take("far", 3);
        let far_mode = wire("far_mode", far.bits(0, 2));
        let is_far = wire("is_far", far.bit(2));
        let far_offset = far_mode.is(3).mux(
            &offset(&w.bits(9, 14), 2, &zero(1)),
            &(far_mode.is(1) | far_mode.is(2))
                .mux(&offset(&w.bits(9, 15), 1, &zero(1)), &w.bits(9, 16)),
        );
        let s_offset = is_far.mux(&far_offset, &is_long_class.mux(&near_long, &near_short));

        // Constant operand: second (short, long), third, or far.
        let b_s2 = f.take("b_s2", 2);
        let b_l2 = f.take("b_l2", 2);
        let b_count = f.take("b_count", 1);
        let l3 = f.take("l3", 2);
        let l3_is_b = f.take("l3_is_b", 1);
        let const_far = f.take("const_far", 1);
        let count_imm = wire("count_imm", &b_count & &w.bit(52));
        let s2_const = wire("s2_const", b_s2.bit(0) & &c2 & !&c3);
        let l2_const = wire("l2_const", b_l2.bit(0) & &c2 & !&count_imm);
        let l3_const = wire("l3_const", l3.bit(0) & &c3);
        let any_const = wire("any_const", &s2_const | &l2_const | &l3_const | &const_far);
        let c_half = wire(
            "c_half",
            (&s2_const & &b_s2.bit(1)) | (&l2_const & &b_l2.bit(1)) | (&l3_const & &l3.bit(1)),
        );
        let near = |raw: &Ex| c_half.mux(&offset(raw, 1, &post), &offset(raw, 2, &post));
        let l_near_signed = wire("l_post", &post & !&shared_long);
        let l_near = |raw: &Ex| {
            c_half.mux(
                &offset(raw, 1, &l_near_signed),
                &offset(raw, 2, &l_near_signed),
            )
        };
        let far_c = w.bits(46, 2);
        let far_c_offset = far_c.is(3).mux(
            &offset(&w.bits(9, 14), 2, &zero(1)),
            &(far_c.is(1) | far_c.is(2)).mux(&offset(&w.bits(9, 15), 1, &zero(1)), &w.bits(9, 16)),
        );
        let c_offset = const_far.mux(
            &far_c_offset,
            &s2_const.mux(
                &near(&w.bits(16, 5)),
                &l3_const.mux(&l_near(&w.bits(46, 7)), &l_near(&w.bits(16, 7))),
            ),
        );
        let c_size = const_far.mux(&far_c, &cat([&!&c_half, &lit(1, 1)]));
        let c_bank = s2_const.mux(&w.bit(21).zext(4), &w.bits(54, 4));

        let store_local = f.take("address_memory", 1);
        let a_memory = wire("a_memory", &s1_shared | &store_local);
        let c_memory = wire("c_memory", &any_const & !(&s1_shared & &is_long_class));
        let s1_fixed = f.take("s1_kind", 3);
        let areg_operand = wire("areg_operand", s1_fixed.is(source1::AREG));
        let areg_use = cat([&(&c_memory & !&a_memory), &a_memory]);
        let memory_any = wire("memory_any", &a_memory | &c_memory);
        let post_inc = wire("post_inc", &post & &memory_any);

        // Registers of the three operands.
        let s1_half_slot = f.take("s1_half", 1);
        let cvt_half = wire("cvt_half", &cvt & !w.bit(46));
        let s1_half = wire("s1_is_half", s1_half_slot | &cvt_half);
        let raw1 = is_long_class.mux(&w.bits(9, 7), &w.bits(9, 6).zext(7));
        let raw1 = wire("raw1", raw1);
        let pick = |raw: &Ex, half: &Ex| {
            let (h, hi) = half_register(raw);
            (half.mux(&h, raw), half & &hi)
        };
        let (r1, hi1) = pick(&raw1, &s1_half);
        let s2_half = wire("s2_is_half", f.take("s2_half", 1));
        let raw2 = l3_is_b.mux(
            &w.bits(46, 7),
            &long.mux(
                &is_long_class.mux(&w.bits(16, 7), &w.bits(16, 6).zext(7)),
                &w.bits(16, 6).zext(7),
            ),
        );
        let raw2 = wire("raw2", raw2);
        let (r2, hi2) = pick(&raw2, &s2_half);
        let acc = f.take("acc", 1);
        let sized = f.take("store_sized", 1);
        let store_sel = f.take("store_sel", 1);
        let s3_half = wire(
            "s3_is_half",
            (&store_sel & !&shared_long) | f.take("s3_half", 1),
        );
        let raw3 = acc.mux(
            &w.bits(2, 6).zext(7),
            &sized.mux(&w.bits(2, 7), &w.bits(46, 7)),
        );
        let raw3 = wire("raw3", raw3);
        let (r3, hi3) = pick(&raw3, &s3_half);

        let b_imm = wire("b_imm", f.take("b_imm", 1) | &count_imm);
        let imm32 = cat([&w.bits(34, 26), &w.bits(16, 6)]);
        let imm_small = f.take("imm", 32);
        let imm_value = count_imm.mux(
            &w.bits(16, 7).zext(32),
            &f.take("imm_full", 1).mux(&imm32, &imm_small),
        );
        let b_const = &s2_const | &l2_const | &const_far | (&l3_const & &l3_is_b);
        let s2_kind = wire(
            "s2_source",
            b_imm.mux(
                &lit(2, source23::IMM),
                &b_const.mux(&lit(2, source23::CONST), &lit(2, source23::GPR)),
            ),
        );
        let s3_kind = &l3_const & !&l3_is_b;
        let uses = |n: &str, f: &mut Fields| f.take(n, 1);
        let (has_a, has_b, has_c) = (
            uses("has_a", &mut f),
            uses("has_b", &mut f),
            uses("has_c", &mut f),
        );
        let s1_kind = wire(
            "s1_source",
            s1_shared.mux(&lit(3, source1::SHARED), &s1_fixed),
        );

        // Destination.
        let wide = f.take("d_sel", 1);
        let dst_half = wire("dst_half", f.take("d_half", 1) | (&wide & !w.bit(58)));
        let six = !&long | (&imm & !f.take("d_seven", 1));
        let raw_dst = six.mux(&w.bits(2, 6).zext(7), &w.bits(2, 7));
        let raw_dst = wire("raw_dst", raw_dst);
        let (dst, dst_hi) = pick(&raw_dst, &dst_half);
        let out = wire("out", f.take("d_out", 1) & w.bit(35));
        let discard = wire("discard", &out & &w.bits(2, 7).all());
        illegal.push(&out & !&discard);
        let gpr = f.take("d_gpr", 1);
        let d_areg = f.take("d_areg", 1);
        let size = f.take("mem_size", 3);
        let mem = f.take("mem", 3);
        let multi = wire("multi", mem.any() & &f.take("sized", 1));
        illegal.push(&multi & &size.is(7));
        // A chip without floats asks no float unit, not even for what traps.
        let (sfu, unit) = (f.take("sfu", 1), f.take("unit", 4));
        let (sfu, unit) = match d.floats {
            Floats::None => (zero(1), unit.bits(0, 3).zext(4)),
            _ => (sfu, unit),
        };
        // Registers of a wide access.
        let (two, four) = (&multi & &size.is(4), &multi & &size.is(5));
        let passes = wire(
            "passes",
            four.mux(
                &lit(2, 2),
                &(&two | (&d_areg & &post_inc)).mux(&lit(2, 1), &lit(2, 0)),
            ),
        );
        let dst_kind = (&gpr & !&discard).mux(
            &lit(2, destination::GPR),
            &d_areg.mux(&lit(2, destination::AREG), &lit(2, destination::NONE)),
        );
        let dst_kind = wire("dst_kind", dst_kind);
        // Its last register lies beyond the allocation: held against the number as it is, which of
        // the comparisons counts comes late.
        let owned = get(&self.registers).zext(10);
        let from = |number: &Ex, more: u64| {
            let number = number.zext(10);
            wire("beyond_from", !(number - (&owned - &lit(10, more))).msb())
        };
        let beyond = dst_half.mux(
            &from(&raw_dst.bits(1, 6), 0),
            &four.mux(
                &from(&raw_dst, 3),
                &two.mux(&from(&raw_dst, 1), &from(&raw_dst, 0)),
            ),
        );
        let beyond = wire("beyond", dst_kind.is(destination::GPR) & beyond);

        // Guard.
        let predicated = f.take("predicated", 1);
        let code = w.bits(39, 5);
        illegal.push(&predicated & code.ge(&lit(5, 0x14)) & code.le(&lit(5, 0x1b)));
        let pred = predicated.mux(&code, &lit(5, 15));
        let flags_cc = f.take("cc_is_44", 1);
        let carry = wire(
            "carry_in",
            f.take("alu_kind", 2).is(3) & f.take("may_carry", 1),
        );
        let cc_long = wire("cc_long", &is_long_class | &class(Class::Control));
        let cc = cc_long.mux(&w.bits(44, 2), &lit(2, 0));
        let guard = wire("guard", &predicated & !code.is(15));

        let alu_kind = Ex::clone(&wire("alu_kind", kind_again(&w, &hits)));
        let alu = AluControl {
            unit,
            w16: f.take("w16", 1),
            kind: alu_kind,
            sat: f.take("sat", 1),
            signed_a: f.take("signed_a", 1),
            signed_b: f.take("signed_b", 1),
            mul24: f.take("mul24", 1),
            high: f.take("high", 1),
            accumulate: f.take("accumulate", 1),
            cond: f.take("cond", 3),
            right: f.take("right", 1),
            logic: f.take("logic", 2),
            not_a: f.take("not_a", 1),
            not_b: f.take("not_b", 1),
            from: f.take("from", 3),
            to: f.take("to", 3),
            neg: f.take("neg", 1),
            abs: f.take("abs", 1),
            neg_b: f.take("neg_b", 1),
            round: f.take("round", 2),
            real: f.take("real", 1),
            unordered: f.take("unordered", 1),
            abs_b: f.take("abs_b", 1),
        };
        alu.check(());

        let target = field(&w, Field::two((11, 16), (46, 6)));
        let target = cat([&target, &zero(2)]).resize(24);
        // An address beyond what a pc can say is beyond the program all the same.
        let target = target
            .bits(d.pc - 1, 24 - (d.pc - 1))
            .any()
            .mux(&lit(d.pc, 1 << (d.pc - 1)), &target.bits(0, d.pc));

        let hit_any = wire("hit_any", any_of(&hits));
        let bad = wire("bad", !&hit_any | any_of(&illegal));
        let unimplemented = f.take("unimplemented", 1);
        let stop = f.take("stop", 1);
        let c4 = |v| lit(4, v);
        let trap = bad.mux(
            &c4(cause::ILLEGAL),
            &unimplemented.mux(
                &c4(cause::UNIMPLEMENTED),
                &beyond.mux(
                    &c4(cause::REGISTER),
                    &stop.mux(&c4(cause::BREAKPOINT), &c4(cause::NONE)),
                ),
            ),
        );
        let c = Control {
            alu: alu.pack(),
            // Without a destination nothing is asked of the units.
            sfu: &sfu & &gpr & !&discard,
            s1_kind,
            s1_half: s1_half.clone(),
            s1_hi: hi1,
            r1,
            s1_size: mode,
            s2_kind: s2_kind.clone(),
            s2_half,
            s2_hi: hi2,
            r2,
            s3_kind: s3_kind.clone(),
            s3_half,
            s3_hi: hi3,
            r3,
            c_size,
            c_bank,
            c_offset,
            s_offset,
            areg: areg.clone(),
            areg_use,
            post_inc,
            imm: imm_value,
            dst_kind,
            dst_half,
            dst_hi,
            dst: d_areg.mux(&w.bits(2, 3).zext(7), &dst),
            flags_we: (f.take("has_cdst", 1) & w.bit(38)) | f.take("r2c", 1),
            flags_from_y: f.take("flags_from_y", 1),
            cdst: w.bits(36, 2),
            cc,
            pred,
            quad: f.take("quad", 4) | (!f.take("has_quad", 1)).repeat(4),
            mem,
            mem_size: size,
            passes,
            flow: f.take("flow", 3),
            marker: f.take("marker", 2),
            target,
            bar: f.take("bar", 1),
            bar_id: w.bits(21, 4),
            bar_arrive: w.bit(25),
            bar_wait: w.bit(26),
            breakpoint: f.take("breakpoint", 1),
            long: long.clone(),
            trap,
            use1: has_a & !&s1_shared & s1_fixed.is(source1::GPR),
            use2: has_b & s2_kind.is(source23::GPR),
            use3: has_c & !&s3_kind,
            use_cc: guard | carry | flags_cc,
            use_areg: (&memory_any | areg_operand) & areg.any(),
        };
        c.check(d);
        set(&self.control, c.pack());
        let numbers = Numbers {
            r1: raw1,
            r2: raw2,
            r3: raw3,
            dst: raw_dst,
        };
        numbers.check(());
        set(&self.numbers, numbers.pack());
    }
}

rtl_block!(Decode, "decode");
