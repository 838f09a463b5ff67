//! Rotations as clang writes them for machines without a funnel shift.
//!
//! `{ shl lhs, x, n; sub rest, 32, n; shr rhs, x, rest; add d, lhs, rhs; }`, or the shifts the other
//! way round. The count is modulo 32, but shifts of PTX give 0 beyond 31 and clang writes no
//! mask: this file adds it.

use super::ast::{Body, Inst, Operand, RegId, Statement, Ty, TypeKind};

/// Masks the count of a rotation when the statements from `from` on, a scope of their own, are one.
pub(super) fn mask(body: &mut Body, from: usize) {
    let Some([Statement::Inst(first), Statement::Inst(rest), Statement::Inst(second), Statement::Inst(sum)]) =
        body.code.get(from..)
    else {
        return;
    };
    let opposite = matches!(
        (first.op.as_str(), second.op.as_str()),
        ("shl.b32", "shr.b32" | "shr.u32") | ("shr.b32" | "shr.u32", "shl.b32")
    );
    let (Some((left, x, n)), Some((right, y, m))) = (shift(first), shift(second)) else { return };
    let [Operand::Reg(remaining), Operand::Int(32), Operand::Reg(count)] = rest.args[..] else { return };
    let added = matches!(sum.args[..], [_, Operand::Reg(a), Operand::Reg(b)] if a == left && b == right);
    let plain = [first, rest, second, sum].iter().all(|i| i.guard.is_none());
    let alike = x == y && n == count && m == remaining;
    if !(opposite && added && plain && alike && rest.name() == "sub" && sum.name() == "add") {
        return;
    }
    let masked = RegId(body.regs.len() as u32);
    let and = Inst {
        op: "and.b32".into(),
        args: vec![Operand::Reg(masked), Operand::Reg(n), Operand::Int(31)],
        ..first.clone()
    };
    body.regs.push(Ty { kind: TypeKind::Bits, bits: 32 });
    for s in &mut body.code[from..from + 2] {
        if let Statement::Inst(i) = s {
            i.args[2] = Operand::Reg(masked);
        }
    }
    body.code.insert(from, Statement::Inst(and));
}

/// Result, value and count of a shift by a register.
fn shift(i: &Inst) -> Option<(RegId, Operand, RegId)> {
    match &i.args[..] {
        [Operand::Reg(d), x, Operand::Reg(n)] => Some((*d, x.clone(), *n)),
        _ => None,
    }
}
