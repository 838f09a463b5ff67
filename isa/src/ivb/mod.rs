//! Ivy Bridge (gen7) execution unit: 62 opcodes, 16-byte native and 8-byte compact instructions.
//!
//! `(+f0.0) add.sat(8) g17<1>F -g6<8,8,1>F 0x3f800000F { align1 1Q };` in the syntax of Mesa's gen7
//! assembler, or of Intel's manual; `compacted` among the options asks for the compact format. A reserved bit or value, a
//! direct region that crosses into a third register or goes on behind g127, is illegal. Branch distances
//! count 8 bytes; a label may stand for one.

mod canonical;
pub mod chip;
pub mod compact;
pub mod fields;
mod immediate;
pub mod layout;
mod legal;
pub mod lower;
mod manual;
mod operand;
mod options;
mod parts;
mod pragmas;
mod rules;
mod sample;
pub mod table;
mod text;
mod three_source;

pub use operand::{DWORDS, REGISTERS};

use crate::set::{
    self, Code, DecodeError, EncodeError, Evidence, Fields, Instr, InstructionSet, Place, Row, Scanner, TextError,
};
use crate::uop::{Lowered, Unimplemented};
use crate::{Isa, Options};
use layout::COMPACT;
use table::{Format, Op, OPS};

/// The set.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ivb;

/// Bytes of a native instruction.
const NATIVE: usize = 16;

impl InstructionSet for Ivb {
    fn isa(&self) -> Isa {
        Isa::Ivb
    }

    fn title(&self) -> &'static str {
        "Instruction set of the Ivy Bridge (gen7) execution unit"
    }

    fn unit(&self) -> usize {
        NATIVE / 2
    }

    fn decode(&self, bytes: &[u8]) -> Result<Instr, DecodeError> {
        let all = Code::read(bytes);
        let have = all.len();
        let need = match all.bits() & COMPACT {
            0 => NATIVE,
            _ => NATIVE / 2,
        };
        let row = table::row_of(all.bits()).ok_or(DecodeError::Unknown(all))?;
        if have < need {
            return Err(DecodeError::Truncated { need, have });
        }
        let code = Code::new(all.bits(), need);
        legal::check(row, code.bits())?;
        Ok(Instr { row, code })
    }

    /// The opcode says it.
    fn row_of(&self, bytes: &[u8]) -> Option<usize> {
        table::row_of(Code::read(bytes).bits())
    }

    /// Chips know the opcodes: what breaks a rule they refuse as unimplemented, not as illegal.
    fn knows(&self, refused: &DecodeError) -> bool {
        !matches!(refused, DecodeError::Unknown(_) | DecodeError::Truncated { .. })
    }

    /// Those of the format that the instruction is in; `long` is the native one.
    fn fields(&self, instr: &Instr) -> Fields {
        let bits = instr.code.bits();
        Fields {
            row: instr.row,
            long: bits & COMPACT == 0,
            values: set::values(&layout::of(instr.row, bits).fields, bits),
            kept: 0,
        }
    }

    fn encode(&self, fields: &Fields) -> Result<Instr, EncodeError> {
        let row = fields.row;
        let op = OPS.get(row).ok_or(EncodeError::Row(row))?;
        let (form, bits) = (op.name, fields.kept);
        if bits != 0 {
            return Err(EncodeError::Kept { form, bits });
        }
        let (mark, bytes) = match fields.long {
            true => (0, NATIVE),
            false => (COMPACT, NATIVE / 2),
        };
        let start = u128::from(op.opcode) | mark;
        let all = layout::fields(row, !fields.long);
        let bits = set::put(form, all, start, &fields.values)?;
        // The modes among the values choose the layout; a field of another one has no place in it.
        let own = &layout::of(row, bits).fields;
        let stray = |v: &&(&'static str, u64)| v.1 != 0 && !own.iter().any(|f| f.name == v.0);
        if let Some((name, _)) = fields.values.iter().find(stray) {
            return Err(EncodeError::Field { form, name });
        }
        legal::check(row, bits)?;
        let code = Code::new(bits, bytes);
        Ok(Instr { row, code })
    }

    fn expand(&self, source: String) -> Result<String, crate::set::Diag> {
        pragmas::expand(&source)
    }

    fn print(&self, instr: &Instr, _pc: u64) -> String {
        text::print(instr)
    }

    fn parse(&self, text: &str, place: &Place) -> Result<Instr, TextError> {
        let mut s = Scanner::new(text);
        let parts = match manual::is(text) {
            true => manual::parse(&mut s, place)?,
            false => text::parse(&mut s, place)?,
        };
        parts::encode(&parts, &s)
    }

    fn lower(&self, instr: &Instr, pc: u64) -> Result<Lowered, Unimplemented> {
        lower::lower(instr, pc)
    }

    fn lacks(&self, instr: &Instr, _: &Lowered, _: Options) -> Option<&'static str> {
        chip::on_chip(instr, 0).err()
    }

    /// From r4 on.
    fn parameter_words(&self) -> usize {
        124 * 8
    }

    /// The first legal one of some texts that the model executes; else the first legal one.
    fn sample(&self, row: usize) -> Option<Instr> {
        let texts = sample::texts(OPS.get(row)?);
        let read = |t: &String| self.parse(t, &Place::at(0)).ok();
        let all: Vec<Instr> = texts.iter().filter_map(read).collect();
        let executed = all.iter().find(|i| self.lower(i, 0).is_ok());
        executed.or(all.first()).copied()
    }

    fn rows(&self) -> Vec<Row> {
        OPS.iter().enumerate().map(|(n, op)| page(n, op)).collect()
    }
}

/// True where an instruction has the bit of a breakpoint.
pub fn is_breakpoint(instr: &Instr) -> bool {
    let bits = instr.code.bits();
    let debug = if bits & COMPACT == 0 { fields::DEBUG } else { fields::compact::DEBUG };
    debug.get(bits) == 1
}

/// True for the instruction `illegal`.
pub fn is_illegal(instr: &Instr) -> bool {
    OPS[instr.row].opcode == 0
}

/// Channels of the threads of a program: 16 where an instruction under the mask of channels has 16, else 8. The program
/// ends at what is no instruction.
pub fn channels_of(code: &[u8]) -> u32 {
    let mut rest = code;
    while let Ok(instr) = Ivb.decode(rest) {
        let wide = lower::lower(&instr, 0).is_ok_and(|l| !l.lanes.all && l.lanes.count >= 16);
        if wide {
            return 16;
        }
        rest = &rest[instr.code.len().min(rest.len())..];
    }
    8
}

/// The native instruction that a compact one stands for; a native one itself.
pub fn native(instr: &Instr) -> Instr {
    let bits = instr.code.bits();
    match bits & COMPACT {
        0 => *instr,
        _ => Instr { row: instr.row, code: Code::new(compact::expand(bits), NATIVE) },
    }
}

/// The compact instruction that stands for every bit of a native one, if there is one.
pub fn compacted(instr: &Instr) -> Option<Instr> {
    let bits = native(instr).code.bits();
    let short = OPS[instr.row].format.compacts();
    let code = compact::compress(bits, 0).filter(|_| short)?;
    Some(Instr { row: instr.row, code: Code::new(code, NATIVE / 2) })
}

/// The row of an opcode; its layout is that of direct operands in align1.
fn page(row: usize, op: &Op) -> Row {
    let registers: u128 = if op.format.branches() { 3 << 42 } else { 0 };
    let bits = u128::from(op.opcode) | registers;
    let layout = layout::of(row, bits);
    let fixed = (0..128u8).filter(|b| layout.mask >> b & 1 == 1);
    let fixed = fixed.map(|b| (b, 1, ["0", "1"][(bits >> b & 1) as usize]));
    let fields = layout.fields.iter();
    let fields = fields.flat_map(|f| f.parts.iter().map(|p| (p.0, p.1, f.name)));
    let reserved = layout.reserved.iter().map(|r| (r.0, r.1, "reserved"));
    let mut owners: Vec<_> = fixed.chain(fields).chain(reserved).collect();
    owners.sort_unstable();
    let mut runs: Vec<(u8, u8, String)> = Vec::new();
    for (low, width, name) in owners {
        match runs.last_mut() {
            Some(last) if last.2 == name => last.1 += width,
            _ => runs.push((low, width, name.into())),
        }
    }
    let compacts = op.format.compacts();
    Row {
        name: op.name,
        mnemonic: op.name,
        bytes: (if compacts { NATIVE / 2 } else { NATIVE }, NATIVE),
        mask: layout::FIXED,
        match_: op.opcode.into(),
        layout: runs,
        operands: operands(op),
        sem: op.sem,
        status: op.status,
        evidence: Evidence::Seed,
        note: match op.format {
            Format::Bare | Format::Three => "",
            _ if compacts => {
                "bits of direct operands, align1; align16 and indirect ones divide them otherwise; \
                 the compact format stands for a native instruction"
            }
            _ => "bits of direct operands, align1; align16 and indirect ones divide them otherwise",
        },
    }
}

/// Operands in assembler order with the types of the pages.
fn operands(op: &Op) -> Vec<String> {
    let typed = |name: &str, types: &str| match types {
        "" => name.to_string(),
        types => format!("{name} ({types})"),
    };
    let destination = typed("destination", op.destinations);
    let source = |n: usize| typed(&format!("source {n}"), op.sources);
    match op.format {
        Format::Bare => vec![],
        Format::Jip => vec!["JIP".into()],
        Format::JipUip => vec!["JIP".into(), "UIP".into()],
        Format::Three => vec![destination, source(0), source(1), source(2)],
        Format::Send => vec!["destination".into(), "payload".into(), "descriptor".into(), "shared function".into()],
        f => {
            let mut out = vec![];
            if f.destination() {
                out.push(destination);
            }
            out.extend((0..2).filter(|n| f.source(*n)).map(source));
            out
        }
    }
}
