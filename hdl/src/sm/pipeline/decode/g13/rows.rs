//! What each row of G13's table asks of the lane, of the execution mask and of control flow.

use super::fields::RowFields;
use super::memory::{device, group};
use super::operands::{combined, field, is_wide};
use super::row::Row;
use super::special::special;
use crate::rtl::prelude::*;
use crate::sm::control::g13::mask;
use crate::sm::control::uop::op;
use crate::sm::control::{flow, function, int_format, round, source1, source23};
use warpsmith_isa::g13::operand::Kind;

/// Outcomes of a condition code of integers that are true, see `uop::cond`; whether it is signed.
fn int_condition(cc: &Expr) -> (Expr, Expr) {
    let holds = cat([&zero(2), &cc.bit(1), &!cc.bits(0, 2).any(), &cc.bits(0, 2).is(1)]);
    (inverted(holds, cc), cc.bit(2))
}

/// The same of floats.
fn float_condition(cc: &Expr) -> Expr {
    let is = |codes: &[u64]| {
        let each: Vec<Expr> = codes.iter().map(|c| cc.bits(0, 3).is(*c)).collect();
        any_of(&each)
    };
    let holds = cat([&is(&[3, 7]), &zero(1), &is(&[2, 5, 7]), &is(&[0, 5, 6]), &is(&[1, 3, 6])]);
    inverted(holds, cc)
}

/// The opposite where bit 3 of the code says so.
fn inverted(holds: Expr, cc: &Expr) -> Expr {
    match cc.width() {
        4 => holds ^ cc.bit(3).repeat(5),
        _ => holds,
    }
}

/// The comparison that operand `n` names.
fn comparison(f: &mut RowFields, r: &Row, n: usize) {
    let o = &r.form.operands[n];
    let cc = combined(r.w, o);
    if o.kind == Kind::FloatCond {
        f.cond.add(r.hit, float_condition(&cc));
        f.float.flag(r.hit);
        f.halves.flag(r.hit);
        return;
    }
    let (cond, signed) = int_condition(&cc);
    f.cond.add(r.hit, cond);
    for field in [&mut f.signed_a, &mut f.extend1, &mut f.extend2] {
        field.add(r.hit, signed.clone());
    }
}

/// Sums: shift, sign and saturation of their last source; `wide`: operands that must have 32 bits at most to saturate.
fn sum(f: &mut RowFields, r: &Row, wide: &[usize]) {
    let pair = |n: &usize| {
        let o = &r.form.operands[*n];
        match o.kind {
            Kind::AddSrc => field(r.w, o.fields[1]).bits(2, 2).is(3),
            _ => zero(1),
        }
    };
    let pairs: Vec<Expr> = wide.iter().map(pair).collect();
    let saturates = r.field("S") & !r.field("s").any() & !any_of(&pairs);
    let dst = &r.form.operands[0];
    let to_pair = is_wide(r.w, dst) & field(r.w, dst.fields[0]).bit(0);
    f.missing.add(r.hit, saturates | to_pair);
}

/// The bits of a bit field's mask, all 32 for 0.
fn field_width(r: &Row) -> Expr {
    let m = r.field("m");
    cat([&!m.any(), &m])
}

/// A float operation; `single`: of 32 bits.
fn float(f: &mut RowFields, r: &Row, single: bool) {
    f.halves.flag(r.hit);
    if single {
        f.single.flag(r.hit);
    } else {
        f.once.flag(r.hit);
    }
}

/// A conversion. Sources of 8 bits are not on the chip.
fn convert(f: &mut RowFields, r: &Row) {
    let (mode, to_nearest) = (r.part(0), r.part(3).any());
    let to_int = r.where_("float_to_int", mode.bits(2, 2).is(1) & !mode.bit(1) | mode.bits(1, 3).is(4));
    let from_int = r.where_("int_to_float", mode.bits(1, 3).is(3) | mode.bits(1, 3).is(5));
    f.missing.add(r.hit, !mode.bits(1, 3).any());
    let round = to_nearest.mux(&lit(2, round::NEAREST), &lit(2, round::ZERO));
    f.round.add(r.hit, round);
    f.op.add(&to_int, lit(5, op::F2I));
    f.halves.flag(&to_int);
    let size = mode.bit(3).mux(&lit(2, int_format::code(false, 32)), &lit(2, int_format::code(false, 16)));
    f.to.add(&to_int, cat([&mode.bit(0), &size]));
    f.op.add(&from_int, lit(5, op::I2F));
    f.from_int.flag(&from_int);
    f.from.add(&from_int, cat([&mode.bit(0), &lit(2, int_format::code(false, 32))]));
    // 16 bits of a source of 32 are its low half.
    let half = &from_int & &!mode.bit(3);
    f.low_half.flag(&wire("from_low_half", half.clone()));
    f.extend1.add(&half, mode.bit(0));
}

/// An operation on the counter of the execution mask: it is operand c and the destination.
fn mask_operation(f: &mut RowFields, r: &Row, kind: u64) {
    f.op.add(r.hit, lit(5, op::MASK));
    f.table.add(r.hit, lit(4, kind));
    f.shift.add(r.hit, r.field("n").zext(5));
    f.mask.flag(r.hit);
    f.t3.add(r.hit, lit(4, 1));
    f.d_gpr.flag(r.hit);
}

/// Bytes from the start of the instruction.
fn jump(f: &mut RowFields, r: &Row, code: u64) {
    f.flow.add(r.hit, lit(4, code));
    f.target.add(r.hit, r.part(0).sext(32));
}

/// Operand a is `value`.
fn immediate(f: &mut RowFields, r: &Row, value: Expr) {
    f.by_kind.flag(r.hit);
    f.s1_kind.add(r.hit, lit(3, source1::SECOND));
    f.s2_kind.add(r.hit, lit(2, source23::IMM));
    f.imm.add(r.hit, value);
}

/// What the row asks for beside its operands. Returns whether the chip executes the form.
pub(super) fn operation(f: &mut RowFields, r: &Row) -> bool {
    let hit = r.hit;
    let op = |f: &mut RowFields, code: u64| f.op.add(hit, lit(5, code));
    let integral = |f: &mut RowFields, mode: u64| {
        f.op.add(hit, lit(5, op::F2F));
        f.integral.flag(hit);
        f.round.add(hit, lit(2, mode));
        float(f, r, true);
    };
    let function = |f: &mut RowFields, function: u64| {
        f.sfu.flag(hit);
        f.table.add(hit, lit(4, function));
        f.halves.flag(hit);
        // Neither sources nor destinations of 16 bits.
        let o = r.form.operands;
        let t = field(r.w, o[1].fields[1]);
        let half = t.bits(2, 2).is(0) & t.any() | t.bits(2, 2).is(1) & !t.bit(1);
        f.missing.add(hit, !is_wide(r.w, &o[0]) | half);
    };
    match r.form.name {
        "mov_imm16" => immediate(f, r, r.part(1).zext(32)),
        "mov_imm32" => immediate(f, r, r.part(1)),
        "get_sr" => special(f, hit, &r.part(1), r.machine),
        "iadd" => {
            op(f, op::ADD);
            f.neg_a.add(hit, r.field("N"));
            let s = r.field("s");
            f.shift.add(hit, s.zext(5));
            f.drop1.add(hit, s.gt(&lit(3, 4)));
            sum(f, r, &[1, 2]);
        }
        "imadd" => {
            op(f, op::MUL);
            f.accumulate.flag(hit);
            f.neg_c.add(hit, r.field("N"));
            let s = r.field("s");
            f.drop3.add(hit, s.gt(&lit(3, 4)));
            sum(f, r, &[3]);
            // The lane does not shift what it adds.
            f.missing.add(hit, s.any() & !s.gt(&lit(3, 4)));
        }
        "convert" => convert(f, r),
        "bfi" => {
            op(f, op::INSERT);
            f.field.add(hit, field_width(r));
        }
        "bfeil" => {
            op(f, op::EXTRACT);
            f.field.add(hit, field_width(r));
            // Only into the number 0.
            let a = &r.form.operands[1];
            f.missing.add(hit, field(r.w, a.fields[0]).any() | field(r.w, a.fields[1]).any());
        }
        "extr" => {
            op(f, op::SHIFT_PAIR);
            f.mod_128.flag(hit);
            f.missing.add(hit, r.field("m").any());
        }
        "asr" => {
            op(f, op::SHIFT_RIGHT);
            f.mod_128.flag(hit);
            f.signed_a.flag(hit);
            f.extend1.flag(hit);
        }
        "bitop" => {
            op(f, op::LOGIC);
            let tt = ["tt3", "tt2", "tt1", "tt0"].map(|n| r.field(n));
            let table = cat(tt.iter()).named();
            // The tables of b and of not b give a.
            let of_b = table.is(0b1100) | table.is(0b0011);
            f.table.add(hit, of_b.mux(&lit(4, 0b1010), &table));
        }
        "bitrev" => {
            op(f, op::EXTRACT);
            f.reverse.flag(hit);
            f.field.add(hit, lit(6, 32));
        }
        "popcount" => {
            op(f, op::COUNT);
            // Every bit of the number 0 is inverted.
            f.neg_b.flag(hit);
        }
        "ffs" => op(f, op::FIND),
        "intl" => op(f, op::INTERLEAVE),
        "icmpsel" | "fcmpsel" => {
            op(f, op::CHOOSE);
            comparison(f, r, 0);
        }
        "fmadd32" | "fmul32" => {
            op(f, op::FMA);
            float(f, r, true);
        }
        "fmadd16" | "fmul16" => {
            op(f, op::FMA);
            float(f, r, false);
        }
        "fadd32" => {
            op(f, op::FADD);
            float(f, r, true);
        }
        "fadd16" => {
            op(f, op::FADD);
            float(f, r, false);
        }
        "floor" => integral(f, round::DOWN),
        "ceil" => integral(f, round::UP),
        "trunc" => integral(f, round::ZERO),
        "rint" => integral(f, round::NEAREST),
        "rcp" => function(f, function::RCP),
        "rsqrt" => function(f, function::RSQ),
        "log2" => function(f, function::LG2),
        "pop_exec" => mask_operation(f, r, mask::POP),
        "if_icmp" | "if_fcmp" => {
            mask_operation(f, r, mask::IF);
            comparison(f, r, 1);
        }
        "while_icmp" | "while_fcmp" => {
            mask_operation(f, r, mask::WHILE);
            comparison(f, r, 1);
        }
        "else_icmp" | "else_fcmp" => {
            mask_operation(f, r, mask::ELSE);
            comparison(f, r, 1);
        }
        "jmp_incomplete" => jump(f, r, flow::JUMP),
        "jmp_exec_any" => jump(f, r, flow::JUMP_ANY),
        "jmp_exec_none" => jump(f, r, flow::JUMP_NONE),
        "call" => {
            jump(f, r, flow::JUMP);
            // The link register is r1.
            immediate(f, r, r.next.clone());
            f.d.add(hit, lit(8, 2));
            f.d_gpr.flag(hit);
            f.d_wide.flag(hit);
        }
        "stop" => f.flow.add(hit, lit(4, flow::END)),
        "trap" => f.stop.flag(hit),
        "threadgroup_barrier" => f.bar.flag(hit),
        // Loads are in order.
        "wait" | "memory_barrier" => {}
        "device_load" | "device_store" => device(f, r),
        "threadgroup_load" | "threadgroup_store" => group(f, r),
        _ => {
            f.missing.flag(hit);
            return false;
        }
    }
    true
}
