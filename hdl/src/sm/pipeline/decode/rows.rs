//! What each row of the instruction table asks for: operation, destination, sources, memory.

use super::fields::{bits_of, Operand, RowFields};
use super::lane_operation::arithmetic;
use super::row_field::RowField;
use crate::rtl::prelude::*;
use crate::sm::control::{flow, source1, unit, vote};
use crate::sm::mem::operation::Operation;
use warpsmith_contract::trace::MemoryAccess;
use warpsmith_isa::table::{place, Class, DstSlot, Form, MemSlot, Role, SrcSlot};
use warpsmith_isa::{Family, Level, Marker, Op, Semantics};

/// Addition kind of the word: the rows keep it in two places.
pub(super) fn kind_again(w: &Expr, hits: &[(&Form, Expr)]) -> Expr {
    let mut kind = RowField::new("alu_kind", 2);
    for (form, hit) in hits {
        if let Some(signs) = signs(form, w) {
            kind.add(hit, signs.kind);
        }
        if let Some(m) = form.mods.iter().find(|m| m.role == Role::AddKind) {
            kind.add(hit, bits_of(w, m.field));
        }
    }
    kind.value()
}

/// Signs and carry of a sum of FlexGripPlus.
struct Signs {
    /// The addition kind.
    kind: Expr,
    /// The last source is negated before it is added.
    negated: Expr,
    /// A carry may be added.
    carries: bool,
}

fn signs(form: &Form, w: &Expr) -> Option<Signs> {
    let of = |role: Role| form.field(role).map(|field| bits_of(w, field));
    let (negated, kind, carries) = match form.op {
        Op::ISum { .. } => {
            let (minus, carry) = (of(Role::NegB)?, of(Role::CarryIn)?.any());
            (&carry & &minus, carry.repeat(2) | minus.zext(2), true)
        }
        Op::IMadSigned { .. } => {
            let (product, addend) = (of(Role::NegA)?, of(Role::NegC)?);
            (&product & &addend, cat([&product, &(&addend & !&product)]), false)
        }
        _ => return None,
    };
    Some(Signs { kind, negated, carries })
}

/// What the row asks for beside its operands; modifiers come from their fields.
pub(super) fn operation(
    f: &mut RowFields, hit: &Expr, (semantics, level): (Semantics, Level), form: &Form, w: &Expr,
    illegal: &mut Vec<Expr>,
) {
    let of = |role: Role| form.field(role).map(|field| bits_of(w, field));
    let pass_a = |f: &mut RowFields| {
        f.unit.constant(hit, unit::LOGIC);
        f.logic.constant(hit, 1);
        f.b_imm.flag(hit);
    };
    let memory = |f: &mut RowFields, m: MemoryAccess| f.mem.constant(hit, m as u64);
    let flow = |f: &mut RowFields, v: u64| f.flow.constant(hit, v);
    if of(Role::AddKind).is_some() {
        f.may_carry.flag(hit);
    }
    if let Some(signs) = signs(form, w) {
        f.alu_kind.add(hit, signs.kind);
        f.not_b.add(hit, signs.negated);
        if signs.carries {
            f.may_carry.flag(hit);
        }
    }
    if let Some(code) = form.condition().and_then(of).filter(|code| code.width() == 5) {
        illegal.push(undefined_condition(hit, &code));
    }
    if let Some(v) = of(Role::RoundNZ) {
        illegal.push(hit & &(v.bit(0) ^ v.bit(1)));
    }
    if let Some(v) = of(Role::MemSize) {
        f.mem_size.add(hit, v);
        f.sized.flag(hit);
    }
    if let Some(v) = of(Role::Lanes) {
        f.quad.add(hit, v);
        f.has_quad.flag(hit);
    }
    if form.op.family() == Family::Double {
        f.double.flag(hit);
    }
    match form.op {
        Op::C2R => {
            pass_a(f);
            f.s1_kind.constant(hit, source1::CC);
            f.cc_is_44.flag(hit);
        }
        Op::A2R => {
            pass_a(f);
            f.s1_kind.constant(hit, source1::AREG);
        }
        Op::S2R => {
            pass_a(f);
            let clock = w.bits(46, 4).is(1);
            f.s1_kind.add(hit, clock.mux(&lit(3, source1::CLOCK), &lit(3, source1::ZERO)));
        }
        Op::R2C => {
            pass_a(f);
            f.flags_from_y.flag(hit);
            f.r2c.flag(hit);
        }
        Op::R2A { .. } => {
            f.unit.constant(hit, unit::SHIFT);
            f.b_imm.flag(hit);
            if let Some(v) = of(Role::Shift4) {
                f.imm.add(hit, v.zext(32));
            }
        }
        Op::AddA => {
            f.unit.constant(hit, unit::ADD);
            if form.src[0] == SrcSlot::Addr {
                f.s1_kind.constant(hit, source1::AREG);
            }
        }
        Op::LdConst => {
            f.unit.constant(hit, unit::LOGIC);
            f.logic.constant(hit, 3);
        }
        Op::Vote { all } => {
            pass_a(f);
            f.s1_kind.constant(hit, source1::CC);
            f.cc_is_44.flag(hit);
            f.flags_from_y.flag(hit);
            f.r2c.flag(hit);
            f.vote.constant(hit, if all { vote::ALL } else { vote::ANY });
        }
        Op::StShared { unlock, .. } => {
            if unlock {
                f.lock.flag(hit);
            }
            memory(f, MemoryAccess::SharedStore);
            let size = match form.mem {
                MemSlot::SharedU8 => 0,
                MemSlot::SharedU16 | MemSlot::SharedS16 => 2,
                _ => 6,
            };
            f.mem_size.constant(hit, size);
        }
        Op::LdGlobal { .. } => memory(f, MemoryAccess::GlobalLoad),
        Op::StGlobal { .. } => memory(f, MemoryAccess::GlobalStore),
        Op::LdLocal { .. } => memory(f, MemoryAccess::LocalLoad),
        Op::StLocal { .. } => memory(f, MemoryAccess::LocalStore),
        Op::Bra { .. } => flow(f, flow::BRA),
        Op::Cal { .. } => flow(f, flow::CAL),
        Op::Ret => flow(f, flow::RET),
        Op::Pbk { .. } => flow(f, flow::PBK),
        Op::Brk => flow(f, flow::BRK),
        Op::Ssy { .. } => flow(f, flow::SSY),
        Op::Bar { .. } => f.bar.flag(hit),
        Op::Trap => f.stop.flag(hit),
        Op::Bpt => f.breakpoint.flag(hit),
        Op::Nop | Op::PmTrig { .. } => {}
        Op::Atomic { .. } => {
            memory(f, if form.dst == DstSlot::No { MemoryAccess::GlobalReduction } else { MemoryAccess::GlobalAtomic });
            f.mem_size.constant(hit, 6);
            let operation =
                Operation { code: bits_of(w, place::ATOMIC), signed: bits_of(w, place::ATOMIC_SIGNED), on: lit(1, 0) };
            f.imm.add(hit, operation.pack().zext(32));
            if form.src[2] != SrcSlot::No {
                // The lane shows what is compared.
                f.unit.constant(hit, unit::LOGIC);
                f.logic.constant(hit, 3);
            }
        }
        Op::LdShared { lock, .. } if level >= Level::Sm11 => {
            if lock {
                f.lock.flag(hit);
            }
            pass_a(f);
            f.s1_kind.constant(hit, source1::SHARED);
        }
        // Not in this chip: the word only traps.
        Op::LdShared { .. } | Op::Unsupported => {}
        Op::Mov { .. } if form.src[0] != SrcSlot::Imm32 => {
            arithmetic(f, hit, semantics, form, w);
            f.b_imm.flag(hit);
        }
        _ => arithmetic(f, hit, semantics, form, w),
    }
}

/// The marker of a long word: 1 exit, 2 join.
pub(super) fn marker(semantics: Semantics, form: &Form, w: &Expr) -> Expr {
    let bits = bits_of(w, place::MARKER);
    match semantics.marker(form, 1) {
        Some(Marker::Exit) => bits,
        _ => cat([&bits.bit(0), &bits.bit(1)]),
    }
}

/// Where `on`: a code of a condition that has no meaning.
pub(super) fn undefined_condition(on: &Expr, code: &Expr) -> Expr {
    on & code.ge(&lit(5, 0x14)) & code.le(&lit(5, 0x1b))
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
        DstSlot::Pair => f.d_pair.flag(hit),
        _ => {}
    }
    if matches!(form.dst, DstSlot::Long32 | DstSlot::Long16 | DstSlot::LongSel) {
        f.d_out.flag(hit);
    }
}

pub(super) fn source(f: &mut RowFields, hit: &Expr, slot: SrcSlot, at: Operand, sixteen: bool, w: &Expr) {
    let (has, half) = match at {
        Operand::A => (&mut f.has_a, &mut f.s1_half),
        Operand::B => (&mut f.has_b, &mut f.s2_half),
        Operand::C => (&mut f.has_c, &mut f.s3_half),
    };
    has.flag(hit);
    if slot.is_half() || sixteen && slot == SrcSlot::Imm32 {
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
        SrcSlot::SReg1W | SrcSlot::SReg1H | SrcSlot::SReg2W | SrcSlot::SReg2H => {}
        SrcSlot::LReg1W | SrcSlot::LReg2W | SrcSlot::LReg3W => {}
        SrcSlot::LPair1 | SrcSlot::LPair2 | SrcSlot::LPair3 => f.wide.flag(hit),
        SrcSlot::AtomicData => f.atomic_data.flag(hit),
        SrcSlot::Acc => f.acc.flag(hit),
        SrcSlot::L1W | SrcSlot::L1H => f.s1_long.flag(hit),
        SrcSlot::L2W => two(&mut f.b_l2, false),
        SrcSlot::L2H => two(&mut f.b_l2, true),
        SrcSlot::L3W => two(&mut f.l3, false),
        SrcSlot::L3H => two(&mut f.l3, true),
        SrcSlot::CountW | SrcSlot::CountH | SrcSlot::Count5W | SrcSlot::Count5H => {
            two(&mut f.b_l2, slot.is_half());
            f.b_count.flag(hit);
        }
        SrcSlot::Cvt => f.cvt.flag(hit),
        SrcSlot::Imm32 => {
            f.b_imm.flag(hit);
            f.imm_full.flag(hit);
        }
        SrcSlot::Imm16 | SrcSlot::Imm12 | SrcSlot::Imm10 => {
            f.b_imm.flag(hit);
            let field = slot.immediate().unwrap_or(place::IMM16);
            f.imm.add(hit, bits_of(w, field).zext(32));
        }
        SrcSlot::Addr | SrcSlot::Special | SrcSlot::Cc => {}
        SrcSlot::ConstFar => f.const_far.flag(hit),
        SrcSlot::ConstFarFixed => {
            f.const_far.flag(hit);
            f.fixed_address.flag(hit);
        }
        SrcSlot::StoreSel => f.store_sel.flag(hit),
        SrcSlot::StoreSized => f.store_sized.flag(hit),
    }
    if matches!(slot, SrcSlot::L2W | SrcSlot::L2H | SrcSlot::L3W | SrcSlot::L3H) {
        f.l23.flag(hit);
    }
    if matches!(slot, SrcSlot::L3W | SrcSlot::L3H | SrcSlot::LPair3) && at == Operand::B {
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
