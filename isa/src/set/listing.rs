//! Programs as listings that assemble to the same bytes.

use super::asm::print_exact;
use super::{Code, DecodeError, Instr, InstructionSet};

/// One line: an instruction, or a unit of bytes that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Byte address.
    pub offset: u64,
    /// The bytes.
    pub code: Code,
    /// The instruction, or why there is none.
    pub instr: Result<Instr, DecodeError>,
    /// Text for the assembler, without `;`.
    pub text: String,
}

/// The lines of a program from address 0. Where no instruction begins, one unit is a `.word`; fewer
/// bytes than a unit at the end are `.byte`.
pub fn disassemble(set: &dyn InstructionSet, bytes: &[u8]) -> Vec<Line> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let instr = set.decode(rest);
        let (code, text) = match &instr {
            Ok(i) => (i.code, print_exact(set, i, at as u64)),
            Err(_) => data(rest, set.unit()),
        };
        out.push(Line { offset: at as u64, code, instr, text });
        at += code.len();
    }
    out
}

/// The next unit as data.
fn data(rest: &[u8], unit: usize) -> (Code, String) {
    if rest.len() >= unit {
        let code = Code::read(&rest[..unit]);
        let text = format!(".word {:#0width$x}", code.bits(), width = 2 * unit + 2);
        return (code, text);
    }
    let bytes: Vec<String> = rest.iter().map(|b| format!("{b:#04x}")).collect();
    (Code::read(rest), format!(".byte {}", bytes.join(", ")))
}
