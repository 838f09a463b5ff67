//! A parsed statement against the rows of the table.

use super::manual;
use super::operand::Builder;
use super::parse::{Body, Stmt};
use super::suffix::{suffixes, Suffixes};
use crate::set::diag::{Diag, Span};
use crate::sm10::codes::Code;
use crate::sm10::decode::{decode_in, operation};
use crate::sm10::doc::suggest;
use crate::sm10::encode::encode_in;
use crate::sm10::instr::*;
use crate::sm10::op::Op;
use crate::sm10::operand::{Dst, Src};
use crate::sm10::semantics::Semantics;
use crate::sm10::spelling::{entries, Entry};
use crate::sm10::table::{Form, Role, FORMS};

/// Why a row does not take a statement; the row that came furthest gives the message.
pub(super) struct Miss {
    score: usize,
    diag: Diag,
}

impl Miss {
    pub fn new(score: usize, span: Span, message: String) -> Miss {
        Miss { score, diag: Diag { span, message } }
    }
}

/// A bound instruction and the label its target still needs.
pub(super) struct Bound {
    pub instr: Instr,
    pub label: Option<(String, Span)>,
}

/// Binds a statement to the first row that takes it.
pub(super) fn bind(semantics: Semantics, s: &Stmt) -> Result<Bound, Diag> {
    let mut best: Option<Miss> = None;
    let spelled;
    let s = match semantics {
        Semantics::G80 => s,
        Semantics::FlexGripPlus => {
            spelled = manual::spelled(s.clone());
            &spelled
        }
    };
    for (n, f) in semantics.rows().filter(|(_, f)| f.base() == s.base) {
        match try_form(semantics, n, f, s) {
            Ok(b) => return Ok(b),
            Err(m) => {
                if best.as_ref().is_none_or(|b| m.score > b.score) {
                    best = Some(m);
                }
            }
        }
    }
    Err(best.map_or_else(|| unknown(semantics, s), |m| m.diag))
}

fn unknown(semantics: Semantics, s: &Stmt) -> Diag {
    let hint = match suggest(semantics, &s.base) {
        Some(name) => format!("did you mean {name}?"),
        None => "`warpsmith isa list` prints all".into(),
    };
    Diag { span: s.base_span, message: format!("{} is no instruction of SM 1.0, {hint}", s.base) }
}

/// Score of an operand-count mismatch; operand k scores above it.
const COUNT: usize = 3;
const OPERANDS: usize = 4;
const ENCODE: usize = 20;

fn try_form(semantics: Semantics, n: usize, f: &'static Form, s: &Stmt) -> Result<Bound, Miss> {
    let sfx = suffixes(f, s)?;
    if f.op == Op::Unsupported {
        return raw(semantics, n, f, s);
    }
    let mut want = entries(f);
    if sfx.reduction {
        want.pop();
    }
    let optional = usize::from(match want.last() {
        Some(Entry::Shift) => true,
        Some(Entry::Src(n)) => f.src[*n].is_optional(),
        _ => false,
    });
    let got = s.operands.len();
    if got > want.len() || got + optional < want.len() {
        let span = s.operands.get(want.len()).map_or(s.end, |o| o.span);
        return Err(Miss::new(COUNT, span, format!("{} takes {} operands, found {got}", f.mnemonic, want.len())));
    }
    let mut b = Builder { f, roles: sfx.roles.clone(), dst: Dst::None, src: [Src::None; 3], at: None, label: None };
    for (value, slot) in b.src.iter_mut().zip(f.src) {
        *value = if slot.is_optional() { Src::Imm(0) } else { Src::None };
    }
    for (k, (w, o)) in want.iter().zip(&s.operands).enumerate() {
        b.operand(*w, o, &sfx).map_err(|m| Miss::new(OPERANDS + k, o.span, m))?;
    }
    let pred = guard(f, s, &sfx, &b)?;
    if let Some(c) = sfx.carry {
        if b.roles.iter().any(|r| r.0 == Role::AddKind) {
            let what = format!("{}: an addition with carry cannot subtract", f.mnemonic);
            return Err(Miss::new(ENCODE, s.base_span, what));
        }
        if f.class != crate::sm10::table::Class::Long && c != 0 {
            let what = format!("{} takes its carry from C0, write .CARRY0", f.mnemonic);
            return Err(Miss::new(ENCODE, s.base_span, what));
        }
        match f.field(Role::CarryIn) {
            Some(_) if b.role(Role::CarryIn) != 0 => {}
            Some(field) => {
                b.roles.retain(|r| r.0 != Role::CarryIn);
                b.roles.push((Role::CarryIn, (1 << field.width()) - 1));
            }
            None => b.roles.push((Role::AddKind, AddKind::Addc.code())),
        }
    } else if b.role(Role::CarryIn) != 0 {
        let what = format!("{}: say which carry, .CARRY0 to .CARRY3", f.mnemonic);
        return Err(Miss::new(ENCODE, s.base_span, what));
    }
    let late = |m: String| Miss::new(ENCODE, s.base_span, m);
    let mut w = f.match_;
    for (role, v) in &b.roles {
        if let Some(m) = f.mods.iter().find(|m| m.role == *role) {
            if u64::from(*v) >> m.field.width() != 0 {
                return Err(late(format!("{v:#x} is too large, the field has {} bits", m.field.width())));
            }
            let fixed = m.field.get(f.match_);
            if m.field.bits() & !f.mask == 0 && *v != fixed {
                return Err(late(format!("{} is {fixed:#x} in this form, not {v:#x}", role.meaning())));
            }
            w |= m.field.put(*v);
        }
    }
    let mut op = operation(f, w).map_err(|e| late(e.to_string()))?;
    if let (Some(m), Some(at)) = (b.at, op.memory_mut()) {
        *at = m;
    }
    let instr = Instr {
        form: n as u8,
        op,
        long: f.class.is_long(),
        marker: sfx.marker,
        pred,
        dst: b.dst,
        cdst: sfx.cdst,
        src: b.src,
    };
    encode_in(semantics, &instr).map_err(|e| late(e.to_string()))?;
    Ok(Bound { instr, label: b.label })
}

/// Instructions this machine does not execute are written with their raw words.
fn raw(semantics: Semantics, n: usize, f: &Form, s: &Stmt) -> Result<Bound, Miss> {
    let mut words = Vec::new();
    for o in &s.operands {
        match o.body {
            Body::Num(v) if !o.neg => words.push(v),
            _ => {
                let what = format!("{} is written with its raw words, found {}", f.mnemonic, o.text);
                return Err(Miss::new(OPERANDS, o.span, what));
            }
        }
    }
    let need = if f.class.is_long() { 2 } else { 1 };
    if words.len() != need {
        let what = format!("{} takes its {need} raw words as operands", f.mnemonic);
        return Err(Miss::new(COUNT, s.end, what));
    }
    let (w0, w1) = (words[0], words.get(1).copied().unwrap_or(0));
    match decode_in(semantics, w0, w1) {
        Ok(instr) if usize::from(instr.form) == n => Ok(Bound { instr, label: None }),
        _ => {
            let what = format!("these words are no {}", f.mnemonic);
            Err(Miss::new(OPERANDS, s.base_span, what))
        }
    }
}

fn guard(f: &Form, s: &Stmt, sfx: &Suffixes, b: &Builder) -> Result<Pred, Miss> {
    // The flag register a carry or C2R reads shares the field of the guard.
    let operand = match (sfx.carry, b.src[0]) {
        (Some(c), _) => Some(c),
        (_, Src::Cc(c)) => Some(c),
        _ => None,
    };
    let Some((p, span)) = s.guard else {
        let code = if f.op == Op::Nop { 0 } else { 15 };
        let creg = operand.filter(|_| f.predicated).unwrap_or(0);
        return Ok(Pred { code, creg });
    };
    if !f.predicated {
        let what = format!(
            "{} takes no guard{}",
            f.mnemonic,
            match f.base().strip_suffix("32") {
                Some(long) if FORMS.iter().any(|g| g.base() == long) => format!(", use {long}"),
                _ => String::new(),
            }
        );
        return Err(Miss::new(ENCODE, span, what));
    }
    match operand {
        Some(c) if c != p.creg => {
            let what = format!("the guard reads C{} and the operation C{c}; the word has one field for both", p.creg);
            Err(Miss::new(ENCODE, span, what))
        }
        _ => Ok(p),
    }
}
