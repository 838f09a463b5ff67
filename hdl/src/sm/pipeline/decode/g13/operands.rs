//! Operands of G13's rows: which of the lane's, where they come from, and which values are illegal.

use super::super::row_field::gather;
use super::fields::RowFields;
use crate::rtl::prelude::*;
use warpsmith_isa::g13::operand::{Kind, Operand};
use warpsmith_isa::set::Field;

/// What an operand of a form is to the lane.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    /// The register written.
    Dst,
    /// Operands a to d.
    A,
    B,
    C,
    D,
    /// Not an operand of the lane.
    Other,
}

/// What the operands of a form are, in assembler order.
pub(super) fn slots(name: &str) -> &'static [Slot] {
    use Slot::*;
    match name {
        // The lane shifts and negates its first operand.
        "iadd" => &[Dst, B, A],
        "imadd" | "extr" | "fmadd32" | "fmadd16" => &[Dst, A, B, C],
        "convert" => &[Other, Dst, A],
        "bfi" => &[Dst, C, A, B],
        "bfeil" => &[Dst, Other, A, B],
        "bitop" => &[Other, Dst, A, B],
        "icmpsel" | "fcmpsel" => &[Other, Dst, A, B, C, D],
        "asr" | "intl" | "fadd32" | "fadd16" | "fmul32" | "fmul16" => &[Dst, A, B],
        "mov_imm16" | "mov_imm32" | "get_sr" => &[Dst],
        "if_icmp" | "if_fcmp" | "while_icmp" | "while_fcmp" | "else_icmp" | "else_fcmp" => &[Other, Other, A, B],
        "bitrev" | "popcount" | "ffs" | "floor" | "ceil" | "trunc" | "rint" | "rcp" | "rsqrt" | "log2" => &[Dst, A],
        _ => &[],
    }
}

/// A field of the instruction.
pub(super) fn field(w: &Expr, f: Field) -> Expr {
    gather(w, f.parts)
}

/// The values of all fields as one, the first lowest.
pub(super) fn combined(w: &Expr, o: &Operand) -> Expr {
    let fields: Vec<Expr> = o.fields.iter().map(|f| field(w, *f)).collect();
    pack(fields.iter())
}

/// A destination of 32 bits, one bit.
pub(super) fn is_wide(w: &Expr, o: &Operand) -> Expr {
    match o.kind {
        Kind::DstHalf | Kind::FloatDst16 => zero(1),
        Kind::DstWord => lit(1, 1),
        _ => field(w, o.fields[1]).bit(1),
    }
}

/// The mode of a source in the 4 bits of the widest kind.
pub(super) fn mode(w: &Expr, o: &Operand) -> Expr {
    let t = field(w, o.fields[1]);
    match o.kind {
        Kind::SelectSrc => {
            let wide = field(w, o.fields[2]).bit(1);
            let uniform = &t.bit(2) & &t.bit(1);
            let register = !t.bit(2);
            cat([
                &(&register & &wide),
                &uniform,
                &uniform.mux(&wide, &(&register & &t.bit(1))),
                &(&t.bit(0) & &(&register | &uniform)),
            ])
        }
        Kind::FloatSrc16 => t.zext(4),
        _ => t,
    }
}

/// A source that is a float.
fn is_float(o: &Operand) -> bool {
    matches!(o.kind, Kind::FloatSrc | Kind::FloatSrc16)
}

/// What the row of `hit` has as an operand.
pub(super) fn operand(f: &mut RowFields, hit: &Expr, slot: Slot, o: &Operand, w: &Expr) {
    let first = || field(w, o.fields[0]);
    let (v, t, mini, extend) = match slot {
        Slot::Other => return,
        Slot::Dst => {
            f.d.add(hit, first());
            f.d_gpr.flag(hit);
            f.d_wide.add(hit, is_wide(w, o));
            if let Some(saturation) = o.saturation() {
                f.sat.add(hit, field(w, saturation));
            }
            return;
        }
        Slot::A => (&mut f.v1, &mut f.t1, Some(&mut f.mini1), Some(&mut f.extend1)),
        Slot::B => (&mut f.v2, &mut f.t2, Some(&mut f.mini2), Some(&mut f.extend2)),
        Slot::C => (&mut f.v3, &mut f.t3, Some(&mut f.mini3), Some(&mut f.extend3)),
        Slot::D => (&mut f.v4, &mut f.t4, None, None),
    };
    v.add(hit, first());
    t.add(hit, mode(w, o));
    if is_float(o) {
        if let Some(mini) = mini {
            mini.flag(hit);
        }
        let signs = field(w, o.fields[2]);
        let (abs, neg) = match slot {
            Slot::A => (&mut f.abs_a, &mut f.neg_a),
            Slot::B => (&mut f.abs_b, &mut f.neg_b),
            _ => (&mut f.abs_c, &mut f.neg_c),
        };
        abs.add(hit, signs.bit(0));
        neg.add(hit, signs.bit(1));
    }
    if matches!(o.kind, Kind::MulSrc | Kind::AddSrc) {
        if let Some(extend) = extend {
            extend.add(hit, field(w, o.fields[2]));
        }
    }
}

/// The operand has a value without meaning: the answer of the instruction table for every value of the few bits that
/// it looks at. `None`: it never has.
pub(super) fn illegal(w: &Expr, o: &Operand) -> Option<Expr> {
    // The third field matters where it is the mode of the destination.
    let fields = match o.kind {
        Kind::SelectSrc => o.fields,
        _ => &o.fields[..o.fields.len().min(2)],
    };
    let bits: Vec<u8> = fields.iter().flat_map(looked_at).collect();
    let is_illegal = |n: u128| {
        let word = bits.iter().zip(0..);
        let word = word.fold(0, |w, (at, i)| w | (n >> i & 1) << at);
        o.illegal(word).is_some()
    };
    let values: Vec<u128> = (0..1 << bits.len()).filter(|n| is_illegal(*n)).collect();
    if values.is_empty() {
        return None;
    }
    assert!(bits.len() <= 6, "{:?} looks at {} bits", o.kind, bits.len());
    let answers = values.iter().fold(0, |t, n| t | 1u64 << n);
    let index: Vec<Expr> = bits.iter().map(|b| w.bit((*b).into())).collect();
    let table = lit(1 << bits.len(), answers).named();
    Some(table.bit_at(&pack(index.iter())))
}

/// The bits of a field that its legality may depend on: a register counts by its lowest, which says whether it is odd.
fn looked_at(f: &Field) -> Vec<u8> {
    let all: Vec<u8> = f.parts.iter().flat_map(|p| p.0..p.0 + p.1).collect();
    match all.len() {
        // Modes of a conversion among them.
        0..=6 => all,
        _ => all[..1].to_vec(),
    }
}
