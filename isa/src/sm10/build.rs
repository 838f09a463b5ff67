//! Building instructions: the forms of the table that encode an operation with its operands.
//!
//! A [`Draft`] is an operation with operands and without a form. [`shortest`] gives the
//! 4-byte form where one fits, else the first 8-byte form in table order (immediate before long);
//! [`long`] gives 8 bytes always. Every result has been encoded and decoded back.

use std::collections::HashMap;
use std::mem::{discriminant, Discriminant};
use std::sync::OnceLock;

use crate::sm10::decode::operation;
use crate::sm10::encode::{encode, EncodeError};
use crate::sm10::instr::*;
use crate::sm10::modifiers::field_value;
use crate::sm10::op::Op;
use crate::sm10::operand::{Dst, Src};
use crate::sm10::table::{Form, FORMS};

/// An instruction whose form is not chosen yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Draft {
    /// Operation and modifiers.
    pub op: Op,
    /// Destination.
    pub dst: Dst,
    /// Flag register written, 0..=3.
    pub cdst: Option<u8>,
    /// Sources, in the order of the operation's formula.
    pub src: [Src; 3],
    /// Guard. Its flag register is also the one a carry or C2R reads.
    pub pred: Pred,
    /// Marker.
    pub marker: Marker,
}

impl Draft {
    /// An instruction without guard, flags and marker; C2R gets its flag register into the guard's field.
    pub fn new(op: Op, dst: Dst, src: [Src; 3]) -> Draft {
        let mut pred = Pred::ALWAYS;
        if let Src::Cc(c) = src[0] {
            pred.creg = c;
        }
        Draft { op, dst, cdst: None, src, pred, marker: Marker::None }
    }

    /// An operation without operands (control, NOP).
    pub fn bare(op: Op) -> Draft {
        Draft::new(op, Dst::None, [Src::None; 3])
    }

    /// The same under a guard.
    #[must_use]
    pub fn guard(self, pred: Pred) -> Draft {
        Draft { pred, ..self }
    }

    /// The same with the carry of [`AddKind::Addc`] taken from flag register `c`.
    #[must_use]
    pub fn carry(mut self, c: u8) -> Draft {
        self.pred.creg = c;
        self
    }

    /// The same, its flags written to flag register `c`.
    #[must_use]
    pub fn flags(self, c: u8) -> Draft {
        Draft { cdst: Some(c), ..self }
    }

    /// The same with a marker.
    #[must_use]
    pub fn marker(self, marker: Marker) -> Draft {
        Draft { marker, ..self }
    }

    /// The draft as an instruction of row `form`, fitting or not.
    fn in_form(&self, form: u8) -> Instr {
        Instr {
            form,
            op: self.op,
            long: FORMS[usize::from(form)].class.is_long(),
            marker: self.marker,
            pred: self.pred,
            dst: self.dst,
            cdst: self.cdst,
            src: self.src,
        }
    }
}

impl From<&Instr> for Draft {
    fn from(i: &Instr) -> Draft {
        Draft { op: i.op, dst: i.dst, cdst: i.cdst, src: i.src, pred: i.pred, marker: i.marker }
    }
}

/// Why no form of the table encodes a draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError {
    /// Operation asked for.
    pub op: Op,
    /// Bytes asked for: `Some(8)` when only long forms were considered.
    pub bytes: Option<u32>,
    /// The obstacle in each form that has the operation and its modifiers.
    pub reasons: Vec<EncodeError>,
}

impl std::error::Error for BuildError {}

impl std::fmt::Display for BuildError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let size = match self.bytes {
            Some(n) => format!("no {n}-byte form"),
            None => "no form".into(),
        };
        if self.op == Op::Unsupported {
            return f.write_str("instructions this machine does not execute are written as words");
        }
        if self.reasons.is_empty() {
            let names = names(rows(self.op));
            return write!(f, "{size} has the modifiers {:?}; the forms are {names}", self.op);
        }
        write!(f, "{size} fits")?;
        for (n, r) in self.reasons.iter().enumerate() {
            write!(f, "{} {r}", if n == 0 { ":" } else { ";" })?;
        }
        Ok(())
    }
}

/// Spellings of rows, each once.
fn names(rows: &[u8]) -> String {
    let mut names: Vec<&str> = rows.iter().map(|&n| FORMS[usize::from(n)].mnemonic).collect();
    names.dedup();
    names.join(", ")
}

/// The rows of an operation, short forms first.
fn rows(op: Op) -> &'static [u8] {
    static INDEX: OnceLock<HashMap<Discriminant<Op>, Vec<u8>>> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        let mut map: HashMap<_, Vec<u8>> = HashMap::new();
        for (n, f) in FORMS.iter().enumerate().filter(|(_, f)| f.op != Op::Unsupported) {
            map.entry(discriminant(&f.op)).or_default().push(n as u8);
        }
        for list in map.values_mut() {
            list.sort_by_key(|&n| FORMS[usize::from(n)].class.is_long());
        }
        map
    });
    index.get(&discriminant(&op)).map_or(&[], Vec::as_slice)
}

/// Whether the row has the operation with its modifiers; operands are ignored.
fn has_modifiers(f: &Form, i: &Instr) -> bool {
    let mut w = f.match_;
    for m in f.mods {
        w |= m.field.put(field_value(i, m.role));
    }
    let Ok(mut op) = operation(f, w) else {
        return false;
    };
    if let (Some(at), Some(wanted)) = (op.memory_mut(), i.op.memory()) {
        *at = wanted;
    }
    op == i.op
}

/// The draft in each row that has its operation and modifiers, short rows first.
fn candidates(d: &Draft) -> impl Iterator<Item = Instr> + '_ {
    rows(d.op).iter().map(|&n| d.in_form(n)).filter(|i| has_modifiers(i.row(), i))
}

/// All forms that can say the draft, shortest first, then in table order.
pub fn forms(d: &Draft) -> impl Iterator<Item = Instr> + '_ {
    candidates(d).filter(|i| encode(i).is_ok())
}

/// The draft in its shortest form.
///
/// # Errors
/// A [`BuildError`] with the obstacle in each form.
pub fn shortest(d: &Draft) -> Result<Instr, BuildError> {
    first(d, None)
}

/// The draft in 8 bytes.
///
/// # Errors
/// A [`BuildError`] with the obstacle in each 8-byte form.
pub fn long(d: &Draft) -> Result<Instr, BuildError> {
    first(d, Some(8))
}

fn first(d: &Draft, bytes: Option<u32>) -> Result<Instr, BuildError> {
    let mut reasons = Vec::new();
    for i in candidates(d).filter(|i| bytes.is_none_or(|b| i.bytes() == b)) {
        match encode(&i) {
            Ok(_) => return Ok(i),
            Err(e) => reasons.push(e),
        }
    }
    Err(BuildError { op: d.op, bytes, reasons })
}
