//! What each row of the instruction table asks for: operation, destination, sources, memory.

use super::fields::{field, Choice, Fields, Place};
use super::implemented;
use crate::config::Floats;
use crate::rtl::prelude::*;
use crate::sm::control::{float_format, flow, function, int_format, memory, source1, unit};
use warpsmith_isa::table::{
    Class, DstSlot, Form, MemSlot, OpFamily as Kind, Role, Since, SrcSlot, FORMS,
};
use warpsmith_isa::{FloatType, IntType, LogicOp, MulKind, SfuFn, Width};

/// Addition kind of the word: the rows keep it in two places.
pub(super) fn kind_again(w: &Ex, hits: &[Ex]) -> Ex {
    let mut c = Choice::default();
    for (hit, form) in hits.iter().zip(FORMS.iter()) {
        if let Some(m) = form.mods.iter().find(|m| m.role == Role::AddKind) {
            c.add(hit, field(w, m.field));
        }
    }
    c.value(2)
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
pub(super) fn operation(f: &mut Fields, hit: &Ex, form: &Form, w: &Ex, illegal: &mut Vec<Ex>) {
    let of = |role: Role| {
        form.mods
            .iter()
            .find(|m| m.role == role)
            .map(|m| field(w, m.field))
    };
    let bit = |f: &mut Fields, name: &'static str, role: Role| {
        if let Some(v) = of(role) {
            f.add(name, hit, v);
        }
    };
    let unit = |f: &mut Fields, u: u64| f.add("unit", hit, lit(4, u));
    let w16 = |f: &mut Fields, width: Width| {
        if width == Width::W16 {
            f.flag("w16", hit);
        }
    };
    let pass_a = |f: &mut Fields| {
        f.add("unit", hit, lit(4, unit::LOGIC));
        f.add("logic", hit, lit(2, 1));
        f.flag("b_imm", hit);
    };
    let pass_b = |f: &mut Fields| {
        f.add("unit", hit, lit(4, unit::LOGIC));
        f.add("logic", hit, lit(2, 3));
    };
    let convert_from = |f: &mut Fields| {
        if let Some(v) = of(Role::CvtSrc) {
            // 0 u16, 1 u32, 2 and 3 u8, then the same signed.
            let size = v.bit(1).mux(&lit(2, 0), &cat([&v.bit(0), &!v.bit(0)]));
            f.add("from", hit, cat([&v.bit(2), &size]));
        }
    };
    // What a form lacks stays 0: no sign changes, rounded to nearest, not saturated.
    let float_modifiers = |f: &mut Fields| {
        bit(f, "neg", Role::NegA);
        bit(f, "abs", Role::AbsA);
        bit(f, "neg_b", Role::NegB);
        bit(f, "neg_b", Role::NegC);
        bit(f, "abs_b", Role::AbsB);
        bit(f, "sat", Role::Sat);
        bit(f, "round", Role::Round);
        bit(f, "round", Role::RoundNZ);
    };
    let memory = |f: &mut Fields, m: u64| f.add("mem", hit, lit(3, m));
    let flow = |f: &mut Fields, v: u64| f.add("flow", hit, lit(3, v));
    if let Some(v) = of(Role::AddKind) {
        f.add("alu_kind", hit, v);
        f.flag("may_carry", hit);
    }
    if let Some(v) = of(Role::RoundNZ) {
        illegal.push(hit & &(v.bit(0) ^ v.bit(1)));
    }
    if let Some(v) = of(Role::MemSize) {
        f.add("mem_size", hit, v);
        f.flag("sized", hit);
    }
    match form.kind {
        Kind::Mov(width) => {
            if form.src[0] == SrcSlot::Imm32 {
                pass_b(f);
            } else {
                pass_a(f);
            }
            w16(f, width);
            if let Some(v) = of(Role::Lanes) {
                f.add("quad", hit, v);
                f.flag("has_quad", hit);
            }
        }
        Kind::IAdd(width) => {
            unit(f, unit::ADD);
            w16(f, width);
            bit(f, "sat", Role::Sat);
        }
        Kind::IMul16 => {
            unit(f, unit::MUL);
            bit(f, "signed_a", Role::SignedA);
            bit(f, "signed_b", Role::SignedB);
        }
        Kind::IMul24 => {
            unit(f, unit::MUL);
            f.flag("mul24", hit);
            bit(f, "signed_a", Role::Signed);
            bit(f, "signed_b", Role::Signed);
            bit(f, "high", Role::High);
        }
        Kind::IMad(mul, sat) => {
            unit(f, unit::MUL);
            f.flag("accumulate", hit);
            if sat {
                f.flag("sat", hit);
            }
            if matches!(mul, MulKind::S16 | MulKind::S24 | MulKind::HiS24) {
                f.flag("signed_a", hit);
                f.flag("signed_b", hit);
            }
            if !matches!(mul, MulKind::U16 | MulKind::S16) {
                f.flag("mul24", hit);
            }
            if matches!(mul, MulKind::HiU24 | MulKind::HiS24) {
                f.flag("high", hit);
            }
        }
        Kind::ISad(width) => {
            unit(f, unit::SAD);
            w16(f, width);
            bit(f, "signed_a", Role::Signed);
        }
        Kind::ISet(width) => {
            unit(f, unit::SET);
            w16(f, width);
            bit(f, "signed_a", Role::Signed);
            bit(f, "cond", Role::CondI);
        }
        Kind::IMin(width) | Kind::IMax(width) => {
            unit(f, unit::MINMAX);
            w16(f, width);
            bit(f, "signed_a", Role::Signed);
            if matches!(form.kind, Kind::IMax(_)) {
                f.flag("right", hit);
            }
        }
        Kind::Shl(width) | Kind::Shr(width) => {
            unit(f, unit::SHIFT);
            w16(f, width);
            bit(f, "signed_a", Role::Signed);
            if matches!(form.kind, Kind::Shr(_)) {
                f.flag("right", hit);
            }
        }
        Kind::Logic(width) => {
            unit(f, unit::LOGIC);
            w16(f, width);
            bit(f, "logic", Role::Logic);
            bit(f, "not_a", Role::NotA);
            bit(f, "not_b", Role::NotB);
        }
        Kind::LogicImm(op) => {
            unit(f, unit::LOGIC);
            let code = match op {
                LogicOp::And => 0,
                LogicOp::Or => 1,
                LogicOp::Xor => 2,
                LogicOp::PassB => 3,
            };
            f.add("logic", hit, lit(2, code));
            bit(f, "not_a", Role::NotA);
        }
        Kind::I2I(to) => {
            unit(f, unit::CONVERT);
            f.add("to", hit, lit(3, int_code(to)));
            if form.dst == DstSlot::Long16 {
                f.flag("w16", hit);
            }
            convert_from(f);
            bit(f, "neg", Role::NegA);
            bit(f, "abs", Role::AbsA);
        }
        Kind::C2R => {
            pass_a(f);
            f.add("s1_kind", hit, lit(3, source1::CC));
            f.flag("cc_is_44", hit);
        }
        Kind::A2R => {
            pass_a(f);
            f.add("s1_kind", hit, lit(3, source1::AREG));
        }
        Kind::S2R => {
            pass_a(f);
            let clock = w.bits(46, 4).is(1);
            f.add(
                "s1_kind",
                hit,
                clock.mux(&lit(3, source1::CLOCK), &lit(3, source1::ZERO)),
            );
        }
        Kind::R2C => {
            pass_a(f);
            f.flag("flags_from_y", hit);
            f.flag("r2c", hit);
        }
        Kind::R2A => {
            unit(f, unit::SHIFT);
            f.flag("b_imm", hit);
            if let Some(v) = of(Role::Shift4) {
                f.add("imm", hit, v.zext(32));
            }
        }
        Kind::AddA => {
            unit(f, unit::ADD);
            f.add("s1_kind", hit, lit(3, source1::AREG));
        }
        Kind::LdConst => pass_b(f),
        Kind::StShared => {
            memory(f, memory::SHARED_STORE);
            f.add(
                "mem_size",
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
        Kind::LdGlobal => memory(f, memory::GLOBAL_LOAD),
        Kind::StGlobal => memory(f, memory::GLOBAL_STORE),
        Kind::LdLocal => memory(f, memory::LOCAL_LOAD),
        Kind::StLocal => memory(f, memory::LOCAL_STORE),
        Kind::Bra => flow(f, flow::BRA),
        Kind::Cal => flow(f, flow::CAL),
        Kind::Ret => flow(f, flow::RET),
        Kind::Pbk => flow(f, flow::PBK),
        Kind::Brk => flow(f, flow::BRK),
        Kind::Ssy => flow(f, flow::SSY),
        Kind::Bar(_) => f.flag("bar", hit),
        Kind::Trap => f.flag("stop", hit),
        Kind::Bpt => f.flag("breakpoint", hit),
        Kind::Nop | Kind::PmTrig => {}
        Kind::FAdd | Kind::FMul | Kind::FMad => {
            unit(
                f,
                match form.kind {
                    Kind::FAdd => unit::FADD,
                    Kind::FMul => unit::FMUL,
                    _ => unit::FMAD,
                },
            );
            float_modifiers(f);
        }
        Kind::FSet => {
            unit(f, unit::SET);
            f.flag("real", hit);
            if let Some(v) = of(Role::CondF) {
                f.add("cond", hit, v.bits(0, 3));
                f.add("unordered", hit, v.bit(3));
            }
            float_modifiers(f);
        }
        Kind::FMin | Kind::FMax | Kind::FSlct => {
            unit(f, unit::MINMAX);
            f.flag("real", hit);
            match form.kind {
                Kind::FMax => f.flag("right", hit),
                Kind::FSlct => f.flag("accumulate", hit),
                _ => {}
            }
            float_modifiers(f);
        }
        Kind::F2F(to, from, to_int) => {
            unit(f, unit::F2F);
            f.add("to", hit, lit(3, float_code(to)));
            f.add("from", hit, lit(3, float_code(from)));
            if to_int {
                f.flag("high", hit);
            }
            float_modifiers(f);
        }
        Kind::I2F(to) => {
            unit(f, unit::I2F);
            f.add("to", hit, lit(3, float_code(to)));
            convert_from(f);
            float_modifiers(f);
        }
        Kind::F2I(to, from) => {
            unit(f, unit::F2I);
            f.add("to", hit, lit(3, int_code(to)));
            f.add("from", hit, lit(3, float_code(from)));
            float_modifiers(f);
        }
        Kind::Rro(ex2) => {
            unit(f, if ex2 { unit::RRO_EX2 } else { unit::RRO_SIN });
            float_modifiers(f);
        }
        Kind::Sfu(function) => {
            f.flag("sfu", hit);
            f.add("cond", hit, lit(3, function_code(function)));
            float_modifiers(f);
        }
        // Not in this chip: the word only traps.
        Kind::LdShared | Kind::Unsupported => {}
    }
    debug_assert!(
        form.since == Since::Sm10 || !implemented(form, Floats::All) || form.kind == Kind::Bpt
    );
}

pub(super) fn destination_of(f: &mut Fields, hit: &Ex, form: &Form) {
    let mut on = |names: &[&'static str]| names.iter().for_each(|n| f.flag(n, hit));
    // The class says how wide the number is, of immediate instructions with few exceptions.
    let short = matches!(form.dst, DstSlot::Short32 | DstSlot::Short16);
    match form.class {
        _ if form.dst == DstSlot::No => {}
        Class::Short => assert!(short, "{} has 6 bits of a destination", form.mnemonic),
        Class::Immediate if short => {}
        Class::Immediate => on(&["d_seven"]),
        _ => assert!(!short, "{} has 7 bits of a destination", form.mnemonic),
    }
    match form.dst {
        DstSlot::No | DstSlot::Cc => {}
        DstSlot::Short32 | DstSlot::Reg32 | DstSlot::Sized => on(&["d_gpr"]),
        DstSlot::Short16 | DstSlot::Reg16 => on(&["d_gpr", "d_half"]),
        DstSlot::Long32 => on(&["d_gpr", "d_out"]),
        DstSlot::Long16 => on(&["d_gpr", "d_half", "d_out"]),
        DstSlot::LongSel => on(&["d_gpr", "d_sel", "d_out"]),
        DstSlot::Addr => on(&["d_areg"]),
    }
}

pub(super) fn source(f: &mut Fields, hit: &Ex, slot: SrcSlot, at: Place, sixteen: bool, w: &Ex) {
    let has = match at {
        Place::A => "has_a",
        Place::B => "has_b",
        Place::C => "has_c",
    };
    f.flag(has, hit);
    let half = |f: &mut Fields| {
        f.flag(
            match at {
                Place::A => "s1_half",
                Place::B => "s2_half",
                Place::C => "s3_half",
            },
            hit,
        )
    };
    let two =
        |f: &mut Fields, name: &'static str, h: bool| f.add(name, hit, lit(2, 1 | (h as u64) << 1));
    match slot {
        SrcSlot::No => {}
        SrcSlot::S1W | SrcSlot::S1H => {
            f.flag("s1_short", hit);
            f.flag("s1_exclusive", hit);
        }
        SrcSlot::I1W | SrcSlot::I1H => f.flag("s1_short", hit),
        SrcSlot::S2W => two(f, "b_s2", false),
        SrcSlot::S2H => two(f, "b_s2", true),
        SrcSlot::SReg1W | SrcSlot::SReg1H | SrcSlot::SReg2W | SrcSlot::SReg2H | SrcSlot::LReg1W => {
        }
        SrcSlot::Acc => f.flag("acc", hit),
        SrcSlot::L1W | SrcSlot::L1H => f.flag("s1_long", hit),
        SrcSlot::L2W => two(f, "b_l2", false),
        SrcSlot::L2H => two(f, "b_l2", true),
        SrcSlot::L3W => two(f, "l3", false),
        SrcSlot::L3H => two(f, "l3", true),
        SrcSlot::CountW => {
            two(f, "b_l2", false);
            f.flag("b_count", hit);
        }
        SrcSlot::CountH => {
            two(f, "b_l2", true);
            f.flag("b_count", hit);
        }
        SrcSlot::Cvt => f.flag("cvt", hit),
        SrcSlot::Imm32 => {
            f.flag("b_imm", hit);
            f.flag("imm_full", hit);
        }
        SrcSlot::Imm16 => {
            f.flag("b_imm", hit);
            f.add("imm", hit, w.bits(9, 16).zext(32));
        }
        SrcSlot::Addr | SrcSlot::Special | SrcSlot::Cc => {}
        SrcSlot::ConstFar => f.flag("const_far", hit),
        SrcSlot::StoreSel => f.flag("store_sel", hit),
        SrcSlot::StoreSized => f.flag("store_sized", hit),
    }
    if matches!(
        slot,
        SrcSlot::L2W | SrcSlot::L2H | SrcSlot::L3W | SrcSlot::L3H
    ) {
        f.flag("l23", hit);
    }
    if matches!(slot, SrcSlot::L3W | SrcSlot::L3H) && at == Place::B {
        f.flag("l3_is_b", hit);
    }
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
        half(f);
    }
}

pub(super) fn memory_operand(f: &mut Fields, hit: &Ex, form: &Form) {
    let far = match form.mem {
        MemSlot::No => return,
        MemSlot::SharedU8 | MemSlot::Local => 0,
        MemSlot::SharedU16 => 1,
        MemSlot::SharedS16 => 2,
        MemSlot::Shared32 => 3,
    };
    f.add("far", hit, lit(3, 4 | far));
    f.flag("address_memory", hit);
}
