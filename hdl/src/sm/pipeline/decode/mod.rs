//! Decoder: an instruction word to the control word of the pipeline.
//!
//! Made from the rows of the instruction table, the same the assembler and the golden model
//! read: one hit line a row, and every control field the or of its rows' values. The lines stand in registers
//! beside the word: the stage in front of DEC has time for them.
//!
//! | port        | width            | meaning                                              |
//! |-------------|------------------|------------------------------------------------------|
//! | `word`      | 64               | word 1, word 0; word 1 is not looked at when short   |
//! | `hits`      | rows             | its row, a line each: of [`row_lines`]               |
//! | `registers` | 8                | registers a thread owns                              |
//! | `control`   | Control::width   | the decoded instruction                              |
//! | `numbers`   | Numbers::width   | its registers as the word numbers them: known earlier |
//!
//! Timing: combinational. Reset: none.
//! With a trap cause the other fields mean nothing: the instruction has no effect.
//! Errors: `control.trap` holds 1 for undefined words, conditions, modifiers and operand
//! selections, 2 for what this chip lacks, 8 for TRAP, 9 for a destination beyond the allocation.
//! Source: isa/src/sm10/table; docs/semantics.md, Encoding, Operands in memory, Condition codes.

mod derive;
pub mod fermi;
mod fields;
pub mod g13;
pub mod ivb;
mod lane_operation;
mod row_field;
pub mod row_lines;
mod rows;
pub mod stage;

use crate::config::{Floats, GpuConfig, Level};
use crate::rtl::prelude::*;
use crate::sm::control::double::DoubleControl;
use crate::sm::control::{source1, source23, trap_cause, AluControl, Control, Numbers, TRAP_CAUSE};
use crate::sm::dims::Dims;
use fields::{bits_of, half_register, offset, operand_of, scaled, RowFields};
use row_lines::Classes;
use rows::{destination_of, kind_again, marker, memory_operand, operation, source, undefined_condition};
use warpsmith_contract::trace::Destination;
use warpsmith_contract::TrapCause;
use warpsmith_isa::table::{place, Class, Flags, SrcSlot};
use warpsmith_isa::{Family, Op, Semantics, Width};

block! {
    /// See the module.
    pub struct Decode(cfg: &GpuConfig) {
        in word(64),
        in hits(row_lines::count(&d)),
        in registers(8),
        out control(Control::width(&d)),
        out numbers(Numbers::width(())),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
    }
}

impl Rtl for Decode {
    fn rtl(&self) {
        let d = &self._d;
        let w = get(&self.word);
        let classes = Classes::of(&w);
        let class = |c: Class| classes.is(c);
        let (long, imm) = (classes.long.clone(), classes.imm.clone());
        let mut f = RowFields::default();
        let mut hits = vec![];
        let post = wire("post", w.bit(25));
        let (c2, c3) = (wire("c2", w.bit(23)), wire("c3", w.bit(24)));
        let shared_long = wire("shared_long", w.bit(53));
        let mut illegal = vec![];

        for (row, hit) in row_lines::named(d, &get(&self.hits)) {
            let (form, has) = (row.form, row.has);
            hits.push((form, hit.clone()));
            if form.predicated {
                f.predicated.flag(&hit);
            }
            if form.class == Class::Long {
                f.marker.add(&hit, marker(d.semantics, form, &w));
            }
            if !has {
                f.unimplemented.flag(&hit);
                let vague = matches!(form.op, Op::Unsupported | Op::Vote { .. }) || form.op.family() == Family::Double;
                if vague {
                    continue;
                }
            }
            if form.flags != Flags::No {
                f.has_cdst.flag(&hit);
            }
            operation(&mut f, &hit, (d.semantics, d.level), form, &w, &mut illegal);
            destination_of(&mut f, &hit, form);
            let sixteen = matches!(form.src[0], SrcSlot::I1H) || matches!(form.op, Op::Mov { width: Width::W16, .. });
            for (i, slot) in form.src.iter().enumerate() {
                if let Some(at) = operand_of(i, *slot) {
                    source(&mut f, &hit, *slot, at, sixteen, &w);
                }
            }
            memory_operand(&mut f, &hit, form);
        }

        // Address register and operand selection, once a class.
        let short_areg = w.bits(26, 2).zext(3);
        let long_areg = cat([&w.bit(34), &w.bits(26, 2)]);
        let areg = wire("areg", imm.mux(&short_areg, &long.mux(&long_areg, &short_areg)));
        let s1_short = f.s1_short.take();
        let s1_exclusive = f.s1_exclusive.take();
        let s1_long = f.s1_long.take();
        let cvt = f.cvt.take();
        let cvt_byte = wire("cvt_byte", &cvt & &w.bits(46, 2).is(3));
        let s1_long = wire("s1_any_long", s1_long | (&cvt & !&cvt_byte));
        let s1_shared = wire("s1_shared", (&s1_short & &c3) | (&s1_long & &shared_long));
        illegal.push(&s1_exclusive & &c2 & &c3);
        illegal.push((&s1_long | &f.l23.take()) & &c2 & &c3);
        let mode = wire("s1_mode", long.mux(&imm.mux(&w.bits(13, 2), &w.bits(14, 2)), &w.bits(13, 2)));
        let is_long_class = wire("is_long_class", class(Class::Long));
        let near_short = scaled(&w.bits(9, 4), &mode, &post);
        let near_long = scaled(&w.bits(9, 5), &mode, &post);
        let far = f.far.take();
        let far_mode = wire("far_mode", far.bits(0, 2));
        let is_far = wire("is_far", far.bit(2));
        let far_offset = far_mode.is(3).mux(
            &offset(&w.bits(9, 14), 2, &zero(1)),
            &(far_mode.is(1) | far_mode.is(2)).mux(&offset(&w.bits(9, 15), 1, &zero(1)), &w.bits(9, 16)),
        );
        let s_offset = is_far.mux(&far_offset, &is_long_class.mux(&near_long, &near_short));

        // Constant operand: second (short, long), third, or far.
        let b_s2 = f.b_s2.take();
        let b_l2 = f.b_l2.take();
        let b_count = f.b_count.take();
        let l3 = f.l3.take();
        let l3_is_b = f.l3_is_b.take();
        let const_far = f.const_far.take();
        let count_imm = wire("count_imm", &b_count & &w.bit(52));
        // An operand without an address register, of FlexGripPlus alone.
        let (areg, post) = match d.semantics {
            Semantics::G80 => (areg, post),
            Semantics::FlexGripPlus => {
                let may = wire("may_address", !f.fixed_address.take());
                (wire("areg_of_row", areg & may.repeat(3)), wire("post_of_row", &post & &may))
            }
        };
        let s2_const = wire("s2_const", b_s2.bit(0) & &c2 & !&c3);
        let l2_const = wire("l2_const", b_l2.bit(0) & &c2 & !&count_imm);
        let l3_const = wire("l3_const", l3.bit(0) & &c3);
        let any_const = wire("any_const", &s2_const | &l2_const | &l3_const | &const_far);
        let c_half = wire("c_half", (&s2_const & &b_s2.bit(1)) | (&l2_const & &b_l2.bit(1)) | (&l3_const & &l3.bit(1)));
        let near = |raw: &Expr| c_half.mux(&offset(raw, 1, &post), &offset(raw, 2, &post));
        let l_near_signed = wire("l_post", &post & !&shared_long);
        let l_near = |raw: &Expr| c_half.mux(&offset(raw, 1, &l_near_signed), &offset(raw, 2, &l_near_signed));
        let far_c = w.bits(46, 2);
        let far_c_offset = far_c.is(3).mux(
            &offset(&w.bits(9, 14), 2, &zero(1)),
            &(far_c.is(1) | far_c.is(2)).mux(&offset(&w.bits(9, 15), 1, &zero(1)), &w.bits(9, 16)),
        );
        let c_offset = const_far.mux(
            &far_c_offset,
            &s2_const.mux(&near(&w.bits(16, 5)), &l3_const.mux(&l_near(&w.bits(46, 7)), &l_near(&w.bits(16, 7)))),
        );
        let c_size = const_far.mux(&far_c, &cat([&!&c_half, &lit(1, 1)]));
        let c_bank = s2_const.mux(&w.bit(21).zext(4), &w.bits(54, 4));

        let store_local = f.address_memory.take();
        let a_memory = wire("a_memory", &s1_shared | &store_local);
        let c_memory = wire("c_memory", &any_const & !(&s1_shared & &is_long_class));
        let s1_fixed = f.s1_kind.take();
        let areg_operand = wire("areg_operand", s1_fixed.is(source1::AREG));
        let areg_use = cat([&(&c_memory & !&a_memory), &a_memory]);
        let memory_any = wire("memory_any", &a_memory | &c_memory);
        let post_inc = wire("post_inc", &post & &memory_any);

        // Registers of the three operands.
        let s1_half_slot = f.s1_half.take();
        let cvt_half = wire("cvt_half", &cvt & !w.bit(46));
        let s1_half = wire("s1_is_half", s1_half_slot | &cvt_half);
        let raw1 = is_long_class.mux(&w.bits(9, 7), &w.bits(9, 6).zext(7));
        let raw1 = wire("raw1", raw1);
        let pick = |raw: &Expr, half: &Expr| {
            let (h, hi) = half_register(raw);
            (half.mux(&h, raw), half & &hi)
        };
        let (r1, hi1) = pick(&raw1, &s1_half);
        let s2_half = wire("s2_is_half", f.s2_half.take());
        let raw2 = l3_is_b.mux(
            &w.bits(46, 7),
            &long.mux(&is_long_class.mux(&w.bits(16, 7), &w.bits(16, 6).zext(7)), &w.bits(16, 6).zext(7)),
        );
        let raw2 = wire("raw2", raw2);
        let (r2, hi2) = pick(&raw2, &s2_half);
        let acc = f.acc.take();
        let sized = f.store_sized.take();
        let store_sel = f.store_sel.take();
        let s3_half = wire("s3_is_half", (&store_sel & !&shared_long) | f.s3_half.take());
        let third = match d.has.atomics {
            true => f.atomic_data.take().mux(&w.bits(16, 7), &w.bits(46, 7)),
            false => w.bits(46, 7),
        };
        let raw3 = acc.mux(&w.bits(2, 6).zext(7), &sized.mux(&w.bits(2, 7), &third));
        let raw3 = wire("raw3", raw3);
        let (r3, hi3) = pick(&raw3, &s3_half);

        let b_imm = wire("b_imm", f.b_imm.take() | &count_imm);
        let imm32 = cat([&w.bits(34, 26), &w.bits(16, 6)]);
        let imm_small = f.imm.take();
        let count = match d.semantics {
            Semantics::G80 => place::LONG_SRC2,
            Semantics::FlexGripPlus => place::COUNT5,
        };
        let imm_value = count_imm.mux(&bits_of(&w, count).zext(32), &f.imm_full.take().mux(&imm32, &imm_small));
        let b_const = &s2_const | &l2_const | &const_far | (&l3_const & &l3_is_b);
        let s2_kind = wire(
            "s2_source",
            b_imm.mux(&lit(2, source23::IMM), &b_const.mux(&lit(2, source23::CONST), &lit(2, source23::GPR))),
        );
        let s3_kind = &l3_const & !&l3_is_b;
        let (has_a, has_b, has_c) = (f.has_a.take(), f.has_b.take(), f.has_c.take());
        let s1_kind = wire("s1_source", s1_shared.mux(&lit(3, source1::SHARED), &s1_fixed));
        let s1_size = match d.level {
            Level::Sm10 => mode,
            _ => wire("s1_access", s1_fixed.is(source1::SHARED)).mux(&far_mode, &mode),
        };

        // Destination.
        let wide = f.d_sel.take();
        let dst_half = wire("dst_half", f.d_half.take() | (&wide & !w.bit(58)));
        let six = !&long | (&imm & !f.d_seven.take());
        let raw_dst = six.mux(&w.bits(2, 6).zext(7), &w.bits(2, 7));
        let raw_dst = wire("raw_dst", raw_dst);
        let (dst, dst_hi) = pick(&raw_dst, &dst_half);
        let out = wire("out", f.d_out.take() & w.bit(35));
        let discard = wire("discard", &out & &w.bits(2, 7).all());
        illegal.push(&out & !&discard);
        let gpr = f.d_gpr.take();
        let d_areg = f.d_areg.take();
        let size = f.mem_size.take();
        let mem = f.mem.take();
        let multi = wire("multi", mem.any() & &f.sized.take());
        illegal.push(&multi & &size.is(7));
        // A chip without floats asks no float unit, not even for what traps.
        let (sfu, unit) = (f.sfu.take(), f.unit.take());
        let (sfu, unit) = match d.floats {
            Floats::None => (zero(1), unit.bits(0, 3).zext(4)),
            _ => (sfu, unit),
        };
        // Registers of a wide access.
        let (two, four) = (&multi & &size.is(4), &multi & &size.is(5));
        let (wide, pair) = match d.has.late_flags {
            true => (f.wide.take(), f.d_pair.take()),
            false => (nothing(), nothing()),
        };
        let twice = &two | (&d_areg & &post_inc);
        let twice = if d.has.late_flags { twice | &wide } else { twice };
        let passes = wire("passes", four.mux(&lit(2, 2), &twice.mux(&lit(2, 1), &lit(2, 0))));
        let two = if d.has.late_flags { two | &pair } else { two };
        let to = |kind: Destination| lit(2, kind as u64);
        let dst_kind =
            (&gpr & !&discard).mux(&to(Destination::Gpr), &d_areg.mux(&to(Destination::Addr), &to(Destination::None)));
        let dst_kind = wire("dst_kind", dst_kind);
        // Its last register lies beyond the allocation: held against the number as it is, which of
        // the comparisons counts comes late.
        let owned = get(&self.registers).zext(10);
        let from = |number: &Expr, more: u64| {
            let number = number.zext(10);
            wire("beyond_from", !(number - (&owned - &lit(10, more))).msb())
        };
        let beyond = dst_half.mux(
            &from(&raw_dst.bits(1, 6), 0),
            &four.mux(&from(&raw_dst, 3), &two.mux(&from(&raw_dst, 1), &from(&raw_dst, 0))),
        );
        let beyond = wire("beyond", dst_kind.is(Destination::Gpr as u64) & beyond);

        // Guard.
        let predicated = f.predicated.take();
        let code = w.bits(39, 5);
        illegal.push(undefined_condition(&predicated, &code));
        let pred = predicated.mux(&code, &lit(5, 15));
        let flags_cc = f.cc_is_44.take();
        let carry = wire("carry_in", f.alu_kind.take().is(3) & f.may_carry.take());
        let cc_long = wire("cc_long", &is_long_class | &class(Class::Control));
        let cc = cc_long.mux(&w.bits(44, 2), &lit(2, 0));
        let guard = wire("guard", &predicated & !code.is(15));

        let alu_kind = Expr::clone(&wire("alu_kind", kind_again(&w, &hits)));
        let alu = AluControl {
            unit,
            w16: f.w16.take(),
            kind: alu_kind,
            sat: f.sat.take(),
            signed_a: f.signed_a.take(),
            signed_b: f.signed_b.take(),
            mul24: f.mul24.take(),
            high: f.high.take(),
            accumulate: f.accumulate.take(),
            cond: f.cond.take(),
            right: f.right.take(),
            logic: f.logic.take(),
            not_a: f.not_a.take(),
            not_b: f.not_b.take(),
            from: f.from.take(),
            to: f.to.take(),
            neg: f.neg.take(),
            abs: f.abs.take(),
            neg_b: f.neg_b.take(),
            round: f.round.take(),
            real: f.real.take(),
            unordered: f.unordered.take(),
            abs_b: f.abs_b.take(),
        };
        alu.check(());

        let target = bits_of(&w, place::TARGET);
        let target = cat([&target, &zero(2)]).resize(24);
        // An address beyond what a pc can say is beyond the program all the same.
        let target =
            target.bits(d.pc - 1, 24 - (d.pc - 1)).any().mux(&lit(d.pc, 1 << (d.pc - 1)), &target.bits(0, d.pc));

        let hits: Vec<Expr> = hits.into_iter().map(|(_, hit)| hit).collect();
        let hit_any = wire("hit_any", any_of(&hits));
        let bad = wire("bad", !&hit_any | any_of(&illegal));
        let unimplemented = f.unimplemented.take();
        let stop = f.stop.take();
        let trap = bad.mux(
            &trap_cause(TrapCause::Illegal),
            &unimplemented.mux(
                &trap_cause(TrapCause::Unimplemented),
                &beyond
                    .mux(&trap_cause(TrapCause::Register), &stop.mux(&trap_cause(TrapCause::Trap), &zero(TRAP_CAUSE))),
            ),
        );
        let flags_we = (f.has_cdst.take() & w.bit(38)) | f.r2c.take();
        // Without a destination nothing is asked of the units.
        let kept = &gpr & !&discard;
        let (sfu, double) = match d.has.late_flags {
            true => {
                let is_double = wire("is_double", f.double.take());
                let (flags, writes) = (flags_we.clone(), kept.clone());
                let double = DoubleControl { is_double, wide, wide_result: pair, flags, writes };
                double.check(true);
                (sfu & (kept | (&double.is_double & &double.flags)), double.pack())
            }
            false => (&sfu & &gpr & !&discard, nothing()),
        };
        let c = Control {
            alu: alu.pack(),
            sfu,
            s1_kind,
            s1_half: s1_half.clone(),
            s1_hi: hi1,
            r1,
            s1_size,
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
            flags_we,
            flags_from_y: f.flags_from_y.take(),
            cdst: w.bits(36, 2),
            cc,
            pred,
            quad: f.quad.take() | (!f.has_quad.take()).repeat(4),
            mem,
            atomic: nothing(),
            atomic_signed: nothing(),
            lock: if d.has.locks { f.lock.take() } else { nothing() },
            ballot: if d.has.votes { f.vote.take() } else { nothing() },
            mem_size: size,
            passes,
            flow: f.flow.take(),
            marker: f.marker.take(),
            target,
            bar: f.bar.take(),
            bar_id: w.bits(21, 4),
            bar_arrive: w.bit(25),
            bar_wait: w.bit(26),
            breakpoint: f.breakpoint.take(),
            long: long.clone(),
            trap,
            use1: has_a & !&s1_shared & s1_fixed.is(source1::GPR),
            use2: has_b & s2_kind.is(source23::GPR),
            use3: has_c & !&s3_kind,
            use_cc: guard | carry | flags_cc,
            use_areg: (&memory_any | areg_operand) & areg.any(),
            predicates: nothing(),
            address: nothing(),
            sources: nothing(),
            double,
            channels: nothing(),
        };
        c.check(d);
        set(&self.control, c.pack());
        let numbers = Numbers { r1: raw1, r2: raw2, r3: raw3, dst: raw_dst };
        numbers.check(());
        set(&self.numbers, numbers.pack());
    }
}

rtl_block!(Decode, "decode");
