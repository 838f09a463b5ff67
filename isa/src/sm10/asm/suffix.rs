//! The dotted modifiers of a mnemonic against one row of the table.

use super::bind::Miss;
use super::parse::Stmt;
use crate::set::diag::Span;
use crate::sm10::codes::{Code, ACCESS_NAMES, CONVERSIONS, LOGIC_NAMES, ROUND_NAMES};
use crate::sm10::disasm::lane_name;
use crate::sm10::instr::{Marker, Round, Width};
use crate::sm10::operand::MemSize;
use crate::sm10::table::{Class, Flags, Form, OpFamily, Role};

/// Modifiers read from the suffixes.
#[derive(Clone, Debug, Default)]
pub(super) struct Suffixes {
    pub roles: Vec<(Role, u32)>,
    pub cdst: Option<u8>,
    pub marker: Marker,
    /// Flag register of `.CARRYn`.
    pub carry: Option<u8>,
    /// `.U16` on MVC or G2R: the destination is a half register.
    pub half: bool,
    /// `RRO.SIN R0, R1` for `RRO R0, R1, SIN`: the last operand stands behind the mnemonic.
    pub reduction: bool,
}

struct Bag<'a> {
    left: Vec<&'a (String, Span)>,
}

impl Bag<'_> {
    /// Takes the first suffix equal to one of `names`; gives its index.
    fn take(&mut self, names: &[&str]) -> Option<usize> {
        let (at, which) =
            self.left.iter().enumerate().find_map(|(at, t)| names.iter().position(|n| *n == t.0).map(|w| (at, w)))?;
        self.left.remove(at);
        Some(which)
    }
}

impl Bag<'_> {
    /// As `take`, but looks only at the first type among the suffixes: conversions name the
    /// destination type before the source type.
    fn take_type(&mut self, names: &[&str]) -> Option<usize> {
        let is_type = |t: &str| TYPES.contains(&t);
        let first = self.left.iter().position(|t| is_type(&t.0))?;
        let which = names.iter().position(|n| *n == self.left[first].0)?;
        self.left.remove(first);
        Some(which)
    }
}

const TYPES: [&str; 8] = ["U8", "S8", "U16", "S16", "U32", "S32", "F16", "F32"];
const FLAG_REGS: [&str; 4] = ["C0", "C1", "C2", "C3"];

pub(super) fn suffixes(f: &Form, s: &Stmt) -> Result<Suffixes, Miss> {
    let mut bag = Bag { left: s.suffixes.iter().collect() };
    let mut out = Suffixes::default();
    let has = |r| f.mods.iter().any(|m| m.role == r);
    let conversion = matches!(f.kind, OpFamily::I2I(_) | OpFamily::I2F(_) | OpFamily::F2I(..) | OpFamily::F2F(..));
    let need = |bag: &mut Bag, names: &[&str]| {
        let typed = conversion && TYPES.contains(&names[0]);
        let got = if typed { bag.take_type(names) } else { bag.take(names) };
        got.ok_or_else(|| Miss::new(0, s.base_span, format!("{} needs the modifier {}", f.base(), names.join(" or "))))
    };
    let mut fixed: Vec<&str> = f.mnemonic.split('.').skip(1).collect();
    match f.kind {
        OpFamily::Logic(w) => {
            fixed = if w == Width::W16 { vec!["U16"] } else { vec![] };
            let op = need(&mut bag, &LOGIC_NAMES)?;
            out.roles.push((Role::Logic, op as u32));
        }
        OpFamily::IMul16 => {
            fixed.clear();
            for r in [Role::SignedA, Role::SignedB] {
                let t = need(&mut bag, &["U16", "S16"])?;
                out.roles.push((r, t as u32));
            }
        }
        OpFamily::IMul24 => {
            fixed.clear();
            let a = need(&mut bag, &["U24", "S24"])?;
            let b = need(&mut bag, &["U24", "S24"])?;
            if a != b {
                let what = format!("{}: both operands are U24 or both are S24", f.base());
                return Err(Miss::new(1, s.base_span, what));
            }
            out.roles.push((Role::Signed, a as u32));
            let high = bag.take(&["HI"]).is_some();
            out.roles.push((Role::High, u32::from(high)));
        }
        OpFamily::ISad(w) | OpFamily::ISet(w) | OpFamily::IMin(w) | OpFamily::IMax(w) | OpFamily::Shr(w) => {
            fixed.clear();
            let signed = match w {
                Width::W16 => need(&mut bag, &["U16", "S16"])?,
                Width::W32 => bag.take(&["U32", "S32"]).unwrap_or(0),
            };
            out.roles.push((Role::Signed, signed as u32));
        }
        OpFamily::F2F(_, _, true) => {
            fixed.retain(|t| *t != "ROUND");
            let r = need(&mut bag, &["ROUND", "FLOOR", "CEIL", "TRUNC"])?;
            out.roles.push((Role::Round, r as u32));
        }
        OpFamily::Rro(_) => {
            out.reduction = bag.take(&fixed).is_some();
            fixed.clear();
        }
        _ => {}
    }
    for t in fixed {
        need(&mut bag, &[t])?;
    }
    if has(Role::CvtSrc) {
        const TYPES: [&str; 6] = ["U16", "U32", "U8", "S16", "S32", "S8"];
        let mut name = TYPES[need(&mut bag, &TYPES)?].to_string();
        if bag.take(&["BEXT"]).is_some() {
            name.push_str(".BEXT");
        }
        let Some(code) = CONVERSIONS.iter().position(|c| c.2 == name) else {
            let what = "BEXT goes with U16 or S16: a byte of a half register";
            return Err(Miss::new(1, s.base_span, what.into()));
        };
        let code = code as u32;
        out.roles.push((Role::CvtSrc, code));
    }
    if has(Role::Round) && !matches!(f.kind, OpFamily::F2F(_, _, true)) {
        let r = bag.take(&ROUND_NAMES[1..]).map_or(0, |r| r as u32 + 1);
        out.roles.push((Role::Round, r));
    }
    if has(Role::RoundNZ) && bag.take(&["TRUNC"]).is_some() {
        out.roles.push((Role::RoundNZ, Round::Zero.code()));
    }
    if has(Role::Sat) && bag.take(&["SAT"]).is_some() {
        out.roles.push((Role::Sat, 1));
    }
    if has(Role::AddKind) {
        out.carry = bag.take(&["CARRY0", "CARRY1", "CARRY2", "CARRY3"]).map(|c| c as u8);
    }
    if has(Role::Lanes) {
        let names: Vec<String> = (0..15).map(lane_name).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let lanes = bag.take(&names).map_or(15, |l| l as u32);
        out.roles.push((Role::Lanes, lanes));
    }
    if has(Role::MemSize) {
        // Other spellings of 32, 64 and 128 bits.
        const OTHERS: [(&str, MemSize); 3] = [("S32", MemSize::B32), ("U64", MemSize::B64), ("U128", MemSize::B128)];
        let names: Vec<&str> = ACCESS_NAMES.into_iter().chain(OTHERS.iter().map(|o| o.0)).collect();
        let n = need(&mut bag, &names)?;
        let code = match n.checked_sub(ACCESS_NAMES.len()) {
            None => n as u32,
            Some(other) => OTHERS[other].1.code(),
        };
        out.roles.push((Role::MemSize, code));
    }
    match f.kind {
        OpFamily::LdConst | OpFamily::LdShared => out.half = bag.take(&["U16"]).is_some(),
        OpFamily::Cal => {
            let lim = bag.take(&["NOINC"]).is_none();
            out.roles.push((Role::Lim, u32::from(lim)));
        }
        OpFamily::Bar(_) => {
            for (name, role) in [("ARV", Role::Arrive), ("WAIT", Role::Wait)] {
                let on = bag.take(&[name]).is_some();
                out.roles.push((role, u32::from(on)));
            }
        }
        _ => {}
    }
    if f.flags != Flags::No {
        out.cdst = bag.take(&FLAG_REGS).map(|c| c as u8);
    }
    if f.class == Class::Long && f.kind != OpFamily::Unsupported {
        out.marker = match bag.take(&["S", "EXIT"]) {
            Some(0) => Marker::Join,
            Some(_) => Marker::Exit,
            None => Marker::None,
        };
    }
    match bag.left.first() {
        None => Ok(out),
        Some((t, span)) => Err(Miss::new(2, *span, format!("the modifier .{t} does not apply to {}", f.mnemonic))),
    }
}
