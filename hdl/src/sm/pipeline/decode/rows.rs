//! What each row of the instruction table asks for: operation, destination, sources, memory.

use super::fields::{bits_of, Operand, RowFields};
use super::implemented::implemented;
use super::row_field::RowField;
use crate::config::Floats;
use crate::rtl::prelude::*;
use crate::sm::control::{float_format, flow, function, int_format, source1, unit};
use warpsmith_contract::trace::MemoryAccess;
use warpsmith_isa::table::{Class, DstSlot, Form, MemSlot, OpFamily, Role, Since, SrcSlot, FORMS};
use warpsmith_isa::{FloatType, IntType, LogicOp, MulKind, SfuFn, Width};

/// Addition kind of the word: the rows keep it in two places.
pub(super) fn kind_again(w: &Expr, hits: &[Expr]) -> Expr {
    let mut kind = RowField::new("alu_kind", 2);
    for (hit, form) in hits.iter().zip(FORMS.iter()) {
        if let Some(m) = form.mods.iter().find(|m| m.role == Role::AddKind) {
            kind.add(hit, bits_of(w, m.field));
        }
    }
    kind.value()
}

fn int_code(t: IntType) -> u64 {
    match t {
        IntType::U8 => int_format::code(false, 8),
        IntType::S8 => int_format::code(true, 8),
        IntType::U16 => int_format::code(false, 16),
        IntType::S16 => int_format::code(true, 16),
        IntType::U32 => int_format::code(false, 32),
        IntType::S32 => int_format::code(true, 32),
    }
}

fn float_code(t: FloatType) -> u64 {
    match t {
        FloatType::F16 => float_format::F16,
        FloatType::F32 => float_format::F32,
    }
}

fn function_code(f: SfuFn) -> u64 {
    match f {
        SfuFn::Rcp => function::RCP,
        SfuFn::Rsq => function::RSQ,
        SfuFn::Lg2 => function::LG2,
        SfuFn::Sin => function::SIN,
        SfuFn::Cos => function::COS,
        SfuFn::Ex2 => function::EX2,
    }
}

/// What the row's operation asks of the units; modifiers come from their fields.
pub(super) fn operation(
    f: &mut RowFields,
    hit: &Expr,
    form: &Form,
    w: &Expr,
    illegal: &mut Vec<Expr>,
) {
    let of = |role: Role| {
        form.mods
            .iter()
            .find(|m| m.role == role)
            .map(|m| bits_of(w, m.field))
    };
    let bit = |field: &mut RowField, role: Role| {
        if let Some(v) = of(role) {
            field.add(hit, v);
        }
    };
    let unit = |f: &mut RowFields, u: u64| f.unit.add(hit, lit(4, u));
    let w16 = |f: &mut RowFields, width: Width| {
        if width == Width::W16 {
            f.w16.flag(hit);
        }
    };
    let pass_a = |f: &mut RowFields| {
        f.unit.add(hit, lit(4, unit::LOGIC));
        f.logic.add(hit, lit(2, 1));
        f.b_imm.flag(hit);
    };
    let pass_b = |f: &mut RowFields| {
        f.unit.add(hit, lit(4, unit::LOGIC));
        f.logic.add(hit, lit(2, 3));
    };
    let convert_from = |f: &mut RowFields| {
        if let Some(v) = of(Role::CvtSrc) {
            // 0 u16, 1 u32, 2 and 3 u8, then the same signed.
            let size = v.bit(1).mux(&lit(2, 0), &cat([&v.bit(0), &!v.bit(0)]));
            f.from.add(hit, cat([&v.bit(2), &size]));
        }
    };
    // What a form lacks stays 0: no sign changes, rounded to nearest, not saturated.
    let float_modifiers = |f: &mut RowFields| {
        bit(&mut f.neg, Role::NegA);
        bit(&mut f.abs, Role::AbsA);
        bit(&mut f.neg_b, Role::NegB);
        bit(&mut f.neg_b, Role::NegC);
        bit(&mut f.abs_b, Role::AbsB);
        bit(&mut f.sat, Role::Sat);
        bit(&mut f.round, Role::Round);
        bit(&mut f.round, Role::RoundNZ);
    };
    let memory = |f: &mut RowFields, m: MemoryAccess| f.mem.add(hit, lit(3, m as u64));
    let flow = |f: &mut RowFields, v: u64| f.flow.add(hit, lit(3, v));
    if let Some(v) = of(Role::AddKind) {
        f.alu_kind.add(hit, v);
        f.may_carry.flag(hit);
    }
    if let Some(v) = of(Role::RoundNZ) {
        illegal.push(hit & &(v.bit(0) ^ v.bit(1)));
    }
    if let Some(v) = of(Role::MemSize) {
        f.mem_size.add(hit, v);
        f.sized.flag(hit);
    }
    match form.kind {
        OpFamily::Mov(width) => {
            if form.src[0] == SrcSlot::Imm32 {
                pass_b(f);
            } else {
                pass_a(f);
            }
            w16(f, width);
            if let Some(v) = of(Role::Lanes) {
                f.quad.add(hit, v);
                f.has_quad.flag(hit);
            }
        }
        OpFamily::IAdd(width) => {
            unit(f, unit::ADD);
            w16(f, width);
            bit(&mut f.sat, Role::Sat);
        }
        OpFamily::IMul16 => {
            unit(f, unit::MUL);
            bit(&mut f.signed_a, Role::SignedA);
            bit(&mut f.signed_b, Role::SignedB);
        }
        OpFamily::IMul24 => {
            unit(f, unit::MUL);
            f.mul24.flag(hit);
            bit(&mut f.signed_a, Role::Signed);
            bit(&mut f.signed_b, Role::Signed);
            bit(&mut f.high, Role::High);
        }
        OpFamily::IMad(mul, sat) => {
            unit(f, unit::MUL);
            f.accumulate.flag(hit);
            if sat {
                f.sat.flag(hit);
            }
            if matches!(mul, MulKind::S16 | MulKind::S24 | MulKind::HiS24) {
                f.signed_a.flag(hit);
                f.signed_b.flag(hit);
            }
            if !matches!(mul, MulKind::U16 | MulKind::S16) {
                f.mul24.flag(hit);
            }
            if matches!(mul, MulKind::HiU24 | MulKind::HiS24) {
                f.high.flag(hit);
            }
        }
        OpFamily::ISad(width) => {
            unit(f, unit::SAD);
            w16(f, width);
            bit(&mut f.signed_a, Role::Signed);
        }
        OpFamily::ISet(width) => {
            unit(f, unit::SET);
            w16(f, width);
            bit(&mut f.signed_a, Role::Signed);
            bit(&mut f.cond, Role::CondI);
        }
        OpFamily::IMin(width) | OpFamily::IMax(width) => {
            unit(f, unit::MINMAX);
            w16(f, width);
            bit(&mut f.signed_a, Role::Signed);
            if matches!(form.kind, OpFamily::IMax(_)) {
                f.right.flag(hit);
            }
        }
        OpFamily::Shl(width) | OpFamily::Shr(width) => {
            unit(f, unit::SHIFT);
            w16(f, width);
            bit(&mut f.signed_a, Role::Signed);
            if matches!(form.kind, OpFamily::Shr(_)) {
                f.right.flag(hit);
            }
        }
        OpFamily::Logic(width) => {
            unit(f, unit::LOGIC);
            w16(f, width);
            bit(&mut f.logic, Role::Logic);
            bit(&mut f.not_a, Role::NotA);
            bit(&mut f.not_b, Role::NotB);
        }
        OpFamily::LogicImm(op) => {
            unit(f, unit::LOGIC);
            let code = match op {
                LogicOp::And => 0,
                LogicOp::Or => 1,
                LogicOp::Xor => 2,
                LogicOp::PassB => 3,
            };
            f.logic.add(hit, lit(2, code));
            bit(&mut f.not_a, Role::NotA);
        }
        OpFamily::I2I(to) => {
            unit(f, unit::CONVERT);
            f.to.add(hit, lit(3, int_code(to)));
            if form.dst == DstSlot::Long16 {
                f.w16.flag(hit);
            }
            convert_from(f);
            bit(&mut f.neg, Role::NegA);
            bit(&mut f.abs, Role::AbsA);
        }
        OpFamily::C2R => {
            pass_a(f);
            f.s1_kind.add(hit, lit(3, source1::CC));
            f.cc_is_44.flag(hit);
        }
        OpFamily::A2R => {
            pass_a(f);
            f.s1_kind.add(hit, lit(3, source1::AREG));
        }
        OpFamily::S2R => {
            pass_a(f);
            let clock = w.bits(46, 4).is(1);
            f.s1_kind.add(
                hit,
                clock.mux(&lit(3, source1::CLOCK), &lit(3, source1::ZERO)),
            );
        }
        OpFamily::R2C => {
            pass_a(f);
            f.flags_from_y.flag(hit);
            f.r2c.flag(hit);
        }
        OpFamily::R2A => {
            unit(f, unit::SHIFT);
            f.b_imm.flag(hit);
            if let Some(v) = of(Role::Shift4) {
                f.imm.add(hit, v.zext(32));
            }
        }
        OpFamily::AddA => {
            unit(f, unit::ADD);
            f.s1_kind.add(hit, lit(3, source1::AREG));
        }
        OpFamily::LdConst => pass_b(f),
        OpFamily::StShared => {
            memory(f, MemoryAccess::SharedStore);
            f.mem_size.add(
                hit,
                lit(
                    3,
                    match form.mem {
                        MemSlot::SharedU8 => 0,
                        MemSlot::SharedU16 | MemSlot::SharedS16 => 2,
                        _ => 6,
                    },
                ),
            );
        }
        OpFamily::LdGlobal => memory(f, MemoryAccess::GlobalLoad),
        OpFamily::StGlobal => memory(f, MemoryAccess::GlobalStore),
        OpFamily::LdLocal => memory(f, MemoryAccess::LocalLoad),
        OpFamily::StLocal => memory(f, MemoryAccess::LocalStore),
        OpFamily::Bra => flow(f, flow::BRA),
        OpFamily::Cal => flow(f, flow::CAL),
        OpFamily::Ret => flow(f, flow::RET),
        OpFamily::Pbk => flow(f, flow::PBK),
        OpFamily::Brk => flow(f, flow::BRK),
        OpFamily::Ssy => flow(f, flow::SSY),
        OpFamily::Bar(_) => f.bar.flag(hit),
        OpFamily::Trap => f.stop.flag(hit),
        OpFamily::Bpt => f.breakpoint.flag(hit),
        OpFamily::Nop | OpFamily::PmTrig => {}
        OpFamily::FAdd | OpFamily::FMul | OpFamily::FMad => {
            unit(
                f,
                match form.kind {
                    OpFamily::FAdd => unit::FADD,
                    OpFamily::FMul => unit::FMUL,
                    _ => unit::FMAD,
                },
            );
            float_modifiers(f);
        }
        OpFamily::FSet => {
            unit(f, unit::SET);
            f.real.flag(hit);
            if let Some(v) = of(Role::CondF) {
                f.cond.add(hit, v.bits(0, 3));
                f.unordered.add(hit, v.bit(3));
            }
            float_modifiers(f);
        }
        OpFamily::FMin | OpFamily::FMax | OpFamily::FSlct => {
            unit(f, unit::MINMAX);
            f.real.flag(hit);
            match form.kind {
                OpFamily::FMax => f.right.flag(hit),
                OpFamily::FSlct => f.accumulate.flag(hit),
                _ => {}
            }
            float_modifiers(f);
        }
        OpFamily::F2F(to, from, to_int) => {
            unit(f, unit::F2F);
            f.to.add(hit, lit(3, float_code(to)));
            f.from.add(hit, lit(3, float_code(from)));
            if to_int {
                f.high.flag(hit);
            }
            float_modifiers(f);
        }
        OpFamily::I2F(to) => {
            unit(f, unit::I2F);
            f.to.add(hit, lit(3, float_code(to)));
            convert_from(f);
            float_modifiers(f);
        }
        OpFamily::F2I(to, from) => {
            unit(f, unit::F2I);
            f.to.add(hit, lit(3, int_code(to)));
            f.from.add(hit, lit(3, float_code(from)));
            float_modifiers(f);
        }
        OpFamily::Rro(ex2) => {
            unit(f, if ex2 { unit::RRO_EX2 } else { unit::RRO_SIN });
            float_modifiers(f);
        }
        OpFamily::Sfu(function) => {
            f.sfu.flag(hit);
            f.cond.add(hit, lit(3, function_code(function)));
            float_modifiers(f);
        }
        // Not in this chip: the word only traps.
        OpFamily::LdShared | OpFamily::Unsupported => {}
    }
    debug_assert!(
        form.since == Since::Sm10 || !implemented(form, Floats::All) || form.kind == OpFamily::Bpt
    );
}

pub(super) fn destination_of(f: &mut RowFields, hit: &Expr, form: &Form) {
    // The class says how wide the number is, of immediate instructions with few exceptions.
    let short = matches!(form.dst, DstSlot::Short32 | DstSlot::Short16);
    match form.class {
        _ if form.dst == DstSlot::No => {}
        Class::Short => assert!(short, "{} has 6 bits of a destination", form.mnemonic),
        Class::Immediate if short => {}
        Class::Immediate => f.d_seven.flag(hit),
        _ => assert!(!short, "{} has 7 bits of a destination", form.mnemonic),
    }
    match form.dst {
        DstSlot::No | DstSlot::Cc => {}
        DstSlot::Addr => f.d_areg.flag(hit),
        _ => f.d_gpr.flag(hit),
    }
    match form.dst {
        DstSlot::Short16 | DstSlot::Reg16 | DstSlot::Long16 => f.d_half.flag(hit),
        DstSlot::LongSel => f.d_sel.flag(hit),
        _ => {}
    }
    if matches!(
        form.dst,
        DstSlot::Long32 | DstSlot::Long16 | DstSlot::LongSel
    ) {
        f.d_out.flag(hit);
    }
}

pub(super) fn source(
    f: &mut RowFields,
    hit: &Expr,
    slot: SrcSlot,
    at: Operand,
    sixteen: bool,
    w: &Expr,
) {
    let (has, half) = match at {
        Operand::A => (&mut f.has_a, &mut f.s1_half),
        Operand::B => (&mut f.has_b, &mut f.s2_half),
        Operand::C => (&mut f.has_c, &mut f.s3_half),
    };
    has.flag(hit);
    let is_half = matches!(
        slot,
        SrcSlot::S1H
            | SrcSlot::I1H
            | SrcSlot::S2H
            | SrcSlot::SReg1H
            | SrcSlot::SReg2H
            | SrcSlot::L1H
            | SrcSlot::L2H
            | SrcSlot::L3H
            | SrcSlot::CountH
    );
    if is_half || sixteen && slot == SrcSlot::Imm32 {
        half.flag(hit);
    }
    let two = |field: &mut RowField, half: bool| field.add(hit, lit(2, 1 | u64::from(half) << 1));
    match slot {
        SrcSlot::No => {}
        SrcSlot::S1W | SrcSlot::S1H => {
            f.s1_short.flag(hit);
            f.s1_exclusive.flag(hit);
        }
        SrcSlot::I1W | SrcSlot::I1H => f.s1_short.flag(hit),
        SrcSlot::S2W => two(&mut f.b_s2, false),
        SrcSlot::S2H => two(&mut f.b_s2, true),
        SrcSlot::SReg1W | SrcSlot::SReg1H | SrcSlot::SReg2W | SrcSlot::SReg2H | SrcSlot::LReg1W => {
        }
        SrcSlot::Acc => f.acc.flag(hit),
        SrcSlot::L1W | SrcSlot::L1H => f.s1_long.flag(hit),
        SrcSlot::L2W => two(&mut f.b_l2, false),
        SrcSlot::L2H => two(&mut f.b_l2, true),
        SrcSlot::L3W => two(&mut f.l3, false),
        SrcSlot::L3H => two(&mut f.l3, true),
        SrcSlot::CountW => {
            two(&mut f.b_l2, false);
            f.b_count.flag(hit);
        }
        SrcSlot::CountH => {
            two(&mut f.b_l2, true);
            f.b_count.flag(hit);
        }
        SrcSlot::Cvt => f.cvt.flag(hit),
        SrcSlot::Imm32 => {
            f.b_imm.flag(hit);
            f.imm_full.flag(hit);
        }
        SrcSlot::Imm16 => {
            f.b_imm.flag(hit);
            f.imm.add(hit, w.bits(9, 16).zext(32));
        }
        SrcSlot::Addr | SrcSlot::Special | SrcSlot::Cc => {}
        SrcSlot::ConstFar => f.const_far.flag(hit),
        SrcSlot::StoreSel => f.store_sel.flag(hit),
        SrcSlot::StoreSized => f.store_sized.flag(hit),
    }
    if matches!(
        slot,
        SrcSlot::L2W | SrcSlot::L2H | SrcSlot::L3W | SrcSlot::L3H
    ) {
        f.l23.flag(hit);
    }
    if matches!(slot, SrcSlot::L3W | SrcSlot::L3H) && at == Operand::B {
        f.l3_is_b.flag(hit);
    }
}

pub(super) fn memory_operand(f: &mut RowFields, hit: &Expr, form: &Form) {
    let far = match form.mem {
        MemSlot::No => return,
        MemSlot::SharedU8 | MemSlot::Local => 0,
        MemSlot::SharedU16 => 1,
        MemSlot::SharedS16 => 2,
        MemSlot::Shared32 => 3,
    };
    f.far.add(hit, lit(3, 4 | far));
    f.address_memory.flag(hit);
}
