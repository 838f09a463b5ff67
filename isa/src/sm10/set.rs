//! SM 1.0 behind [`InstructionSet`]: bytes, fields and the text of single instructions.
//!
//! Programs with directives, aligned to 8 bytes, are read by [`assemble`](crate::sm10::assemble); the
//! assembler of all sets takes labels and words only and aligns nothing.

use std::sync::OnceLock;

use crate::set::{self, values, Code, EncodeError, Evidence, Fields, InstructionSet, Place, Row, Status, TextError};
use crate::sm10::semantics::Semantics;
use crate::sm10::table::{Form, Owner, FORM_COUNT, ROWS};
use crate::sm10::{asm, decode_in, doc, lower, text, DecodeError, Instr};
use crate::uop::{Lowered, Unimplemented};
use crate::Isa;

/// The set in a reading of its words. Rows are counted in the order of [`Semantics::rows`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Sm10(pub Semantics);

/// The set as the hardware reads it, and as FlexGripPlus's manual does.
static READINGS: [Sm10; 2] = [Sm10(Semantics::G80), Sm10(Semantics::FlexGripPlus)];

impl Semantics {
    /// The set in this reading.
    pub fn set(self) -> &'static dyn InstructionSet {
        &READINGS[self as usize]
    }
}

/// Fields of a row.
struct Layout {
    /// Spelling, with the row where several rows share it.
    name: &'static str,
    fields: Vec<set::Field>,
    /// Bits that are ignored, or kept as they are.
    ignored: u128,
}

/// The layouts of all rows.
fn layouts() -> &'static [Layout] {
    static LAYOUTS: OnceLock<Vec<Layout>> = OnceLock::new();
    LAYOUTS.get_or_init(|| (0..ROWS.len()).map(layout).collect())
}

fn layout(row: usize) -> Layout {
    let f = &ROWS[row];
    let semantics = if row < FORM_COUNT { Semantics::G80 } else { Semantics::FlexGripPlus };
    let mut owners: Vec<(String, Vec<(u8, u8)>)> = Vec::new();
    for bit in 0..8 * f.bytes() as u8 {
        let Some(name) = field_name(f.owner(bit.into())) else {
            continue;
        };
        match owners.iter_mut().find(|o| o.0 == name) {
            Some((_, parts)) => match parts.last_mut() {
                Some(last) if last.0 + last.1 == bit => last.1 += 1,
                _ => parts.push((bit, 1)),
            },
            None => owners.push((name, vec![(bit, 1)])),
        }
    }
    let twins = semantics.rows().filter(|(_, g)| g.mnemonic == f.mnemonic).count();
    let name = match twins {
        1 => f.mnemonic,
        _ => format!("{} (row {row})", f.mnemonic).leak(),
    };
    let fields = owners.into_iter().map(|(name, parts)| set::Field::new(name.leak(), parts.leak()));
    Layout { name, fields: fields.collect(), ignored: f.ignored.into() }
}

/// Name of the field of an owner; `None` for bits of no field.
fn field_name(owner: Owner) -> Option<String> {
    Some(match owner {
        Owner::Fixed(_) | Owner::Ignored => return None,
        Owner::Modifier(role) => format!("{role:?}"),
        Owner::Source(n) => format!("Source{}", n + 1),
        Owner::AregHigh => format!("{:?}", Owner::Areg),
        other => format!("{other:?}"),
    })
}

/// Word 0 and word 1 of a code; word 1 of a short one is 0.
fn words(code: Code) -> (u32, u32) {
    (code.bits() as u32, (code.bits() >> 32) as u32)
}

/// The error of the decoder in the terms of all sets.
fn refused(code: Code, e: &DecodeError) -> set::DecodeError {
    let row = |mnemonic: &str| ROWS.iter().position(|f| f.mnemonic == mnemonic);
    match *e {
        DecodeError::Undefined { .. } => set::DecodeError::Unknown(code),
        DecodeError::Condition { mnemonic, code } => {
            set::DecodeError::Value { form: mnemonic, field: "Condition", value: code.into() }
        }
        DecodeError::Modifier { mnemonic, role, value } => {
            let name = format!("{role:?}");
            let fields = row(mnemonic).map_or(&[][..], |n| &layouts()[n].fields);
            set::DecodeError::Value {
                form: mnemonic,
                field: fields.iter().find(|f| f.name == name).map_or("", |f| f.name),
                value: value.into(),
            }
        }
        DecodeError::Selector { mnemonic } => {
            set::DecodeError::Combination { form: mnemonic, reason: "no such combination of s[] and c[] sources" }
        }
    }
}

impl Sm10 {
    /// The instruction as the machines take it.
    ///
    /// # Errors
    /// The code is no instruction; none that [`InstructionSet::decode`] returned.
    pub fn instruction(self, instr: &set::Instr) -> Result<Instr, DecodeError> {
        let (w0, w1) = words(instr.code);
        decode_in(self.0, w0, w1)
    }

    /// The number of a row of the tables among those of this reading.
    fn row(self, form: u8) -> usize {
        let form = usize::from(form);
        match self.0 {
            Semantics::G80 => form,
            Semantics::FlexGripPlus => self.0.rows().position(|(n, _)| n == form).unwrap_or(form),
        }
    }

    /// The number in the tables of a row of this reading.
    fn form(self, row: usize) -> Option<usize> {
        self.0.rows().nth(row).map(|(n, _)| n)
    }
}

impl InstructionSet for Sm10 {
    fn isa(&self) -> Isa {
        Isa::Sm10
    }

    fn title(&self) -> &'static str {
        "Instruction set of SM 1.0"
    }

    fn unit(&self) -> usize {
        4
    }

    fn decode(&self, bytes: &[u8]) -> Result<set::Instr, set::DecodeError> {
        let long = bytes.first().is_some_and(|b| b & 1 == 1);
        let need = if long { 8 } else { 4 };
        if bytes.len() < need {
            let have = bytes.len();
            return Err(set::DecodeError::Truncated { need, have });
        }
        let code = Code::read(&bytes[..need]);
        let (w0, w1) = words(code);
        let i = decode_in(self.0, w0, w1).map_err(|e| refused(code, &e))?;
        let row = self.row(i.form);
        Ok(set::Instr { row, code })
    }

    fn fields(&self, instr: &set::Instr) -> Fields {
        let layout = self.form(instr.row).map_or(&layouts()[0], |form| &layouts()[form]);
        Fields {
            row: instr.row,
            long: false,
            values: values(&layout.fields, instr.code.bits()),
            kept: instr.code.bits() & layout.ignored,
        }
    }

    fn encode(&self, fields: &Fields) -> Result<set::Instr, EncodeError> {
        let row = fields.row;
        let number = self.form(row).ok_or(EncodeError::Row(row))?;
        let layout = &layouts()[number];
        let (form, f) = (layout.name, &ROWS[number]);
        let bits = set::put(form, &layout.fields, f.match_.into(), &fields.values)?;
        if fields.kept & !layout.ignored != 0 {
            let bits = fields.kept & !layout.ignored;
            return Err(EncodeError::Kept { form, bits });
        }
        let code = Code::new(bits | fields.kept, f.bytes());
        let instr = self.decode(&code.to_vec())?;
        if instr.row != row {
            return Err(EncodeError::Illegal(set::DecodeError::Combination {
                form,
                reason: "marker 3 names the immediate class",
            }));
        }
        Ok(instr)
    }

    fn print(&self, instr: &set::Instr, _pc: u64) -> String {
        match self.instruction(instr) {
            Ok(i) => text(&i),
            Err(e) => e.to_string(),
        }
    }

    fn parse(&self, source: &str, place: &Place) -> Result<set::Instr, TextError> {
        let (i, w0, w1) = asm::one(self.0, source, place.label).map_err(|d| {
            let column = source.char_indices().nth(d.span.col.saturating_sub(1));
            let column = column.map_or(source.len(), |(at, _)| at);
            TextError { column, length: d.span.len.max(1), read: column, message: d.message }
        })?;
        let bits = u128::from(w0) | u128::from(w1) << 32;
        let code = Code::new(bits, i.bytes() as usize);
        let row = self.row(i.form);
        Ok(set::Instr { row, code })
    }

    fn lower(&self, instr: &set::Instr, _pc: u64) -> Result<Lowered, Unimplemented> {
        match self.instruction(instr) {
            Ok(i) => lower::lower(&i),
            Err(_) => Err(Unimplemented("no instruction")),
        }
    }

    fn rows(&self) -> Vec<Row> {
        let row = |(f, layout): (&'static Form, &Layout)| Row {
            name: layout.name,
            mnemonic: f.base(),
            bytes: (f.bytes(), f.bytes()),
            mask: f.mask.into(),
            match_: f.match_.into(),
            layout: set::runs_of(8 * f.bytes() as u8, |bit| match f.owner(bit.into()) {
                Owner::Fixed(one) => u8::from(one).to_string(),
                owner => field_name(owner).unwrap_or_else(|| "reserved".into()),
            }),
            operands: doc::slots(f),
            sem: f.doc,
            status: match doc::executes(f) {
                true => Status::Specified,
                false => Status::Excluded,
            },
            evidence: match f.source.starts_with("manual") {
                true => Evidence::Seed,
                false => Evidence::Public,
            },
            note: "",
        };
        self.0.rows().map(|(n, f)| row((f, &layouts()[n]))).collect()
    }
}
