//! An instruction in parts, as the readers of both syntaxes give it, and its encoding.

use super::canonical::{flag, free, usual, writes_flag};
use super::compact::compress;
use super::fields::*;
use super::operand::{free_source, Operand, Value, IMMEDIATE};
use super::options::Options;
use super::table::names;
use super::table::{row_of, Format, OPS};
use super::{legal, three_source, Ivb, NATIVE};
use crate::set::{Code, Instr, Place, Scanner, TextError};

/// Branch distances count so many bytes.
const STEP: i64 = 8;

/// Register and subregister of a flag, and its place in the text.
pub type Flag = (u64, u64, usize);

/// A predicate.
#[derive(Clone, Copy, Debug)]
pub struct Predicate<'a> {
    inverted: bool,
    flag: Flag,
    /// How the flags of the channels make it, and the place of that.
    how: &'a str,
    column: usize,
    behind: Scanner<'a>,
}

/// Descriptor and shared function of a message.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// Place of the descriptor.
    pub column: usize,
    /// The text behind it.
    pub behind: Scanner<'a>,
    /// Descriptor.
    pub descriptor: u64,
    /// Code of the shared function.
    pub target: u64,
}

/// An instruction in parts.
#[derive(Clone, Debug, Default)]
pub struct Parts<'a> {
    /// Row of the table.
    pub row: usize,
    /// Predicate.
    pub predicate: Option<Predicate<'a>>,
    /// Saturation.
    pub saturate: bool,
    /// Code of the condition, or of the function of `math`; 0 is none.
    pub condition: u64,
    /// Flag that the condition writes.
    pub flag: Option<Flag>,
    /// The execution size is 1 << exec channels.
    pub exec: u64,
    /// Destination and sources, as far as the format has them.
    pub operands: Vec<Operand<'a>>,
    /// JIP and UIP of a branch.
    pub distances: [u64; 2],
    /// Message of a send; a register for its descriptor is the last operand.
    pub message: Option<Message<'a>>,
    /// Options.
    pub options: Options,
}

/// The legal instruction of these parts, compact where the options ask for it; `s` is behind the operands.
///
/// # Errors
/// Parts that do not fit each other, no legal or no compact instruction.
pub fn encode(p: &Parts, s: &Scanner) -> Result<Instr, TextError> {
    let format = OPS[p.row].format;
    let align16 = p.options.align16();
    let mut bits = u128::from(OPS[p.row].opcode) | p.options.bits;
    bits = SATURATE.put(bits, p.saturate.into());
    bits = EXEC.put(CONDITION.put(bits, p.condition), p.exec);
    if let Some(predicate) = &p.predicate {
        bits = PREDICATE.put(bits, predicate.code(align16)?);
        bits = INVERT.put(bits, predicate.inverted.into());
        if p.flag.is_some_and(|w| (w.0, w.1) != (predicate.flag.0, predicate.flag.1)) {
            return predicate.behind.fault(predicate.flag.2, "predicate and condition have one flag register");
        }
    }
    if let Some((f, sub, _)) = p.predicate.map(|p| p.flag).or(p.flag) {
        let fields = flag(format);
        bits = fields[1].put(fields[0].put(bits, f), sub);
    }
    bits = operands(p, bits, align16)?;
    if p.options.end {
        bits = END.put(bits, 1);
    }
    finish(p, usual(p.row, bits), s)
}

fn operands(p: &Parts, bits: u128, align16: bool) -> Result<u128, TextError> {
    let format = OPS[p.row].format;
    let mut bits = bits;
    match format {
        Format::Three => return three_source::put(&p.operands, bits),
        Format::Jip => return Ok(JIP.put(bits, p.distances[0])),
        Format::JipUip => return Ok(UIP.put(JIP.put(bits, p.distances[0]), p.distances[1])),
        _ => {}
    }
    let mut from = &p.operands[..];
    if let Some((to, rest)) = from.split_first().filter(|_| format.destination()) {
        bits = to.put_destination(bits, align16)?;
        from = rest;
    }
    let sources = (0..2).filter(|n| format.source(*n));
    for (n, from) in sources.zip(from) {
        let last = n == usize::from(format != Format::One) && format != Format::Send;
        bits = from.put_source(&SOURCES[n], bits, align16, last)?;
    }
    let Some(m) = &p.message else { return Ok(bits) };
    bits = CONDITION.put(bits, m.target);
    let all = super::fields::IMMEDIATE.put(bits, m.descriptor);
    if from.len() < 2 {
        return Ok(SOURCES[1].file.put(all, IMMEDIATE));
    }
    // The number has the bits of the operand and those that the operand does not name.
    let loose = free_source(&SOURCES[1], bits, align16) | END.mask();
    if (all ^ bits) & !loose != 0 {
        let own = super::fields::IMMEDIATE.get(bits);
        return m.behind.fault(m.column, format!("the bits of this descriptor in a register are {own:#010x}"));
    }
    Ok(all)
}

/// The legal instruction of these bits.
fn finish(p: &Parts, bits: u128, s: &Scanner) -> Result<Instr, TextError> {
    let row = p.row;
    let legal = |bits| match legal::check(row, bits) {
        Ok(()) => Ok(()),
        Err(e) => s.fault(0, e.to_string()),
    };
    legal(bits)?;
    let Some(column) = p.options.compacted else {
        return Ok(Instr { row, code: Code::new(bits, NATIVE) });
    };
    let short = OPS[row].format.compacts();
    match compress(bits, free(row, bits)).filter(|_| short) {
        Some(code) => {
            legal(code)?;
            let code = Code::new(code, NATIVE / 2);
            Ok(Instr { row, code })
        }
        None => Err(TextError {
            column,
            length: "compacted".len(),
            read: column,
            message: "this instruction has no compact encoding, leave out `compacted`".into(),
        }),
    }
}

impl<'a> Predicate<'a> {
    /// Reads what follows the flag of a predicate.
    ///
    /// # Errors
    /// The predicate does not end.
    pub fn read(s: &mut Scanner<'a>, inverted: bool, flag: Flag) -> Result<Predicate<'a>, TextError> {
        let column = s.column();
        let how = if s.eat_here(".") { s.word() } else { "" };
        s.need(")")?;
        Ok(Predicate { inverted, flag, how, column, behind: *s })
    }

    fn code(&self, align16: bool) -> Result<u64, TextError> {
        let names = predicates(align16);
        let how = self.how;
        match if how.is_empty() { Some(1) } else { names::value(names, how) } {
            Some(code) => Ok(code),
            None => {
                let all = names[2..].join(" ");
                self.behind.fault(self.column, format!("{how} is no predicate here, one of {all}"))
            }
        }
    }
}

/// Names of predicates.
pub fn predicates(align16: bool) -> &'static [&'static str] {
    match align16 {
        true => &names::PREDICATES16,
        false => &names::PREDICATES,
    }
}

/// Reads a mnemonic: the row of the table.
///
/// # Errors
/// No mnemonic.
pub fn mnemonic(s: &mut Scanner) -> Result<usize, TextError> {
    let column = s.column();
    let mnemonic = s.word();
    let row = OPS.iter().find(|op| op.name == mnemonic);
    if let Some(row) = row.and_then(|op| row_of(op.opcode.into())) {
        return Ok(row);
    }
    if mnemonic.is_empty() {
        return s.expected("a mnemonic");
    }
    let near = crate::set::suggest(&Ivb, mnemonic);
    let near = near.map_or(String::new(), |n| format!(", did you mean {n}?"));
    s.fault(column, format!("Ivy Bridge has no instruction {mnemonic}{near}"))
}

/// Reads a name of a list: its place there.
///
/// # Errors
/// Another name.
pub fn named(s: &mut Scanner, names: &[&str], what: &str) -> Result<u64, TextError> {
    let mut ahead = *s;
    match names::value(names, ahead.word()) {
        Some(v) => {
            *s = ahead;
            Ok(v)
        }
        None => {
            let all = names.iter().filter(|n| !matches!(**n, "" | "?"));
            let all: Vec<&str> = all.copied().collect();
            s.expected(&format!("{what}, one of {}", all.join(" ")))
        }
    }
}

/// Reads an execution size, `(8)`: the exponent of 2.
///
/// # Errors
/// No size.
pub fn exec(s: &mut Scanner) -> Result<u64, TextError> {
    s.need("(")?;
    let column = s.column();
    let n = s.number(6)?;
    if !n.is_power_of_two() {
        return s.fault(column, "the execution size is one of 1 2 4 8 16 32");
    }
    s.need(")")?;
    Ok(n.trailing_zeros().into())
}

/// True where the options or the end come next.
pub fn ends(s: &mut Scanner) -> bool {
    s.done() || s.rest().starts_with('{')
}

/// True where a name comes next that no operand begins with.
pub fn is_label(s: &Scanner) -> bool {
    let mut ahead = *s;
    let word = ahead.word();
    let label = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$');
    label && !ahead.rest().starts_with(['<', '.', '[', ':']) && word != "ip"
}

/// Reads a distance in steps of 8 bytes: a number, or a label `from` which it counts.
///
/// # Errors
/// No distance of so many bits, or a label that is not defined.
pub fn distance(s: &mut Scanner, place: &Place, from: u64, bits: u32) -> Result<u64, TextError> {
    let column = s.column();
    if !is_label(s) {
        return Ok(s.signed(bits)? as u64);
    }
    let word = s.word();
    let Some(target) = (place.label)(word) else {
        return s.fault(column, format!("the label {word} is not defined, define it with `{word}:`"));
    };
    let bytes = target.wrapping_sub(from) as i64;
    if bytes % STEP != 0 {
        return s.fault(column, "the label is not at a multiple of 8 bytes");
    }
    let limit = 1i64 << (bits - 1);
    match bytes / STEP {
        n if (-limit..limit).contains(&n) => Ok(n as u64),
        _ => s.fault(column, format!("the label is too far away for {bits} bits")),
    }
}

/// Reads the label of a jump or a call as its last source.
///
/// # Errors
/// As [`distance`].
pub fn landing<'a>(s: &mut Scanner<'a>, format: Format, place: &Place) -> Result<Operand<'a>, TextError> {
    let column = s.column();
    let from = match format {
        Format::Jump => place.pc.wrapping_add(NATIVE as u64),
        _ => place.pc,
    };
    let value = distance(s, place, from, 32)? as u32;
    Ok(Operand { kind: Some(("D", column)), ..Operand::new(column, *s, Value::Immediate(value)) })
}

/// True where the text of a condition has the flag that it writes.
pub fn writes(row: usize, condition: u64) -> bool {
    writes_flag(row, CONDITION.put(0, condition))
}
