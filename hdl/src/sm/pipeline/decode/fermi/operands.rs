//! Operands of Fermi's rows: which of the lane's, and where it comes from.

use super::super::row_field::{gather, RowField};
use super::fields::RowFields;
use crate::rtl::prelude::*;
use crate::sm::control::{source1, source23};
use warpsmith_isa::fermi::operand::{Kind, Operand, Sign};
use warpsmith_isa::fermi::table::fields::{A, ADDR16, B, BANK, C, DST, LOAD_BANK, OFFSET};
use warpsmith_isa::set::Field;

/// What an operand of a form is to the lane.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    /// The register written.
    Dst,
    /// a: field A.
    A,
    /// b: register, constant or immediate.
    B,
    /// a, from where b comes from.
    Only,
    /// c: register or constant.
    C,
    /// p1 to p3.
    P1,
    P2,
    P3,
    /// q1 and q2.
    Q1,
    Q2,
    /// The address.
    Address,
    /// What is stored.
    Data,
    /// Not an operand of the lane.
    Other,
}

/// What the operands of a mnemonic are, in assembler order.
pub(super) fn slots(mnemonic: &str) -> &'static [Slot] {
    use Slot::*;
    match mnemonic {
        "FADD" | "FADD32I" | "FMUL" | "FMUL32I" | "IADD" | "IADD32I" | "IMUL" | "IMUL32I" | "SHL" | "SHR" | "LOP"
        | "LOP32I" | "BFE" | "POPC" => &[Dst, A, B],
        "ISCADD" => &[Dst, A, B, Other],
        "FFMA" | "FCMP" | "IMAD" | "ICMP" | "BFI" => &[Dst, A, B, C],
        "FSETP" | "ISETP" => &[Q1, Q2, A, B, P1],
        "FMNMX" | "IMNMX" | "SEL" => &[Dst, A, B, P1],
        "PSETP" => &[Q1, Q2, P1, P2, P3],
        "VOTE" => &[Dst, Q1, P1],
        "MUFU" => &[Dst, A],
        "RRO" | "FLO" | "F2I" | "I2F" | "F2F" | "I2I" => &[Dst, Only],
        "MOV" | "MOV32I" => &[Dst, B],
        "S2R" => &[Dst, Other],
        "LD" | "LDL" | "LDS" | "LDC" => &[Dst, Address],
        "ST" | "STL" | "STS" => &[Address, Data],
        _ => &[Other, Other],
    }
}

/// A field of the word.
pub(super) fn field(w: &Expr, f: Field) -> Expr {
    gather(w, f.parts)
}

/// The same of one run, sign-extended to 32 bits.
fn signed(w: &Expr, f: Field) -> Expr {
    let value = field(w, f);
    let width = value.width();
    match 32 - width {
        0 => value,
        more => cat([&value.bit(width - 1).repeat(more), &value]),
    }
}

/// What the row of `hit` has as an operand.
pub(super) fn operand(f: &mut RowFields, hit: &Expr, slot: Slot, o: &Operand, w: &Expr) {
    let first = field(w, o.fields[0]);
    match slot {
        Slot::Other => return,
        Slot::Dst => {
            assert_eq!(o.fields, [DST]);
            f.d_gpr.flag(hit);
        }
        Slot::Data => {
            assert_eq!(o.fields, [DST]);
            f.data.flag(hit);
        }
        Slot::A => {
            assert_eq!(o.fields, [A]);
            f.has_a.flag(hit);
        }
        Slot::B => second(f, hit, o, w),
        Slot::Only => {
            f.s1_kind.add(hit, lit(3, source1::SECOND));
            second(f, hit, o, w);
        }
        Slot::C => third(f, hit, o, w),
        Slot::P1 => predicate(&mut f.has_p1, &mut f.p1, hit, first),
        Slot::P2 => predicate(&mut f.has_p2, &mut f.p2, hit, first),
        Slot::P3 => predicate(&mut f.has_p3, &mut f.p3, hit, first),
        Slot::Q1 => predicate(&mut f.has_q1, &mut f.q1, hit, first),
        Slot::Q2 => predicate(&mut f.has_q2, &mut f.q2, hit, first),
        Slot::Address => address(f, hit, o, w),
    }
    for sign in o.signs {
        let field = match (slot, sign) {
            (Slot::A | Slot::Only, Sign::Abs(_)) => &mut f.abs_a,
            (Slot::A | Slot::Only, _) => &mut f.neg_a,
            (Slot::B, Sign::Abs(_)) => &mut f.abs_b,
            (Slot::B, _) => &mut f.neg_b,
            (Slot::C, Sign::Neg(_)) => &mut f.neg_c,
            (Slot::P1, Sign::Not(_)) => &mut f.p1_not,
            (Slot::P2, Sign::Not(_)) => &mut f.p2_not,
            (Slot::P3, Sign::Not(_)) => &mut f.p3_not,
            _ => panic!("a sign of {:?} that no lane has", o.kind),
        };
        field.add(hit, gather(w, sign.field().parts));
    }
}

fn predicate(has: &mut RowField, number: &mut RowField, hit: &Expr, value: Expr) {
    has.flag(hit);
    number.add(hit, value);
}

fn second(f: &mut RowFields, hit: &Expr, o: &Operand, w: &Expr) {
    let value = field(w, o.fields[0]);
    let imm = match o.kind {
        Kind::Const => {
            f.s2_kind.add(hit, lit(2, source23::CONST));
            return constant(f, hit, o, w);
        }
        Kind::ImmF32 => cat([&value, &zero(12)]),
        Kind::ImmInt => signed(w, o.fields[0]),
        Kind::Imm32 => value,
        _ => {
            f.has_b.flag(hit);
            if o.fields == [C] {
                f.b_is_c.flag(hit);
            } else {
                assert_eq!(o.fields, [B]);
            }
            return;
        }
    };
    f.s2_kind.add(hit, lit(2, source23::IMM));
    f.imm.add(hit, imm);
}

fn third(f: &mut RowFields, hit: &Expr, o: &Operand, w: &Expr) {
    if o.kind == Kind::Const {
        f.s3_kind.flag(hit);
        return constant(f, hit, o, w);
    }
    assert_eq!(o.fields, [C]);
    f.has_c.flag(hit);
}

fn constant(f: &mut RowFields, hit: &Expr, o: &Operand, w: &Expr) {
    assert_eq!(o.fields, [BANK, OFFSET]);
    f.c_bank.add(hit, field(w, BANK));
    f.c_size.add(hit, lit(3, 3));
}

fn address(f: &mut RowFields, hit: &Expr, o: &Operand, w: &Expr) {
    let (base, offset) = match *o.fields {
        [LOAD_BANK, base, ADDR16] => {
            f.c_bank.add(hit, field(w, LOAD_BANK));
            (base, ADDR16)
        }
        [base, offset] => (base, offset),
        _ => panic!("{:?} is no address", o.kind),
    };
    assert_eq!(base, A);
    f.has_a.flag(hit);
    f.base.flag(hit);
    f.imm.add(hit, signed(w, offset));
}
