//! Which encodings are reserved, and regions that leave the registers they begin in.

use super::compact::expand;
use super::fields::*;
use super::layout::{self, COMPACT};
use super::operand::{ARCHITECTURE, GENERAL, IMMEDIATE, REGISTER, REGISTERS};
use super::rules;
use super::table::names::{self, size, unit};
use super::table::{self, Format, Op, OPS};
use crate::set::{run, DecodeError, Field};

/// Registers that one region may touch.
const SPAN: u32 = 2;
/// Message length, response length of a descriptor.
const LENGTHS: [Field; 2] = [Field::new("mlen", &[(121, 4)]), Field::new("rlen", &[(116, 5)])];

/// Checks the bits of a row, compact or native.
///
/// # Errors
/// What is reserved.
pub fn check(row: usize, bits: u128) -> Result<(), DecodeError> {
    let op = &OPS[row];
    reserved(row, bits)?;
    if bits & COMPACT == 0 {
        native(row, bits)?;
        return rules(row, bits);
    }
    if !op.format.compacts() {
        return fault(op, "this opcode has no compact encoding");
    }
    let bits = expand(bits);
    reserved(row, bits)?;
    native(row, bits)?;
    rules(row, bits)
}

fn rules(row: usize, bits: u128) -> Result<(), DecodeError> {
    rules::check(row, bits).or_else(|b| broken(&OPS[row], b.reason, b.section))
}

/// A rule of the manual that the instruction breaks.
fn broken<T>(op: &Op, reason: &'static str, section: &'static str) -> Result<T, DecodeError> {
    Err(DecodeError::Rule { form: op.name, reason, section })
}

fn reserved(row: usize, bits: u128) -> Result<(), DecodeError> {
    let reserved = layout::of(row, bits).reserved.iter();
    zero(&OPS[row], bits & reserved.fold(0, |m, r| m | run(*r)))
}

fn zero(op: &Op, bits: u128) -> Result<(), DecodeError> {
    match bits {
        0 => Ok(()),
        bits => Err(DecodeError::Reserved { form: op.name, bits }),
    }
}

fn fault<T>(op: &Op, reason: &'static str) -> Result<T, DecodeError> {
    let form = op.name;
    Err(DecodeError::Combination { form, reason })
}

/// A value of a field that `is` one with a meaning.
fn value(op: &Op, field: Field, bits: u128, is: impl Fn(u64) -> bool) -> Result<(), DecodeError> {
    match field.get(bits) {
        v if is(v) => Ok(()),
        value => Err(DecodeError::Value { form: op.name, field: field.name, value }),
    }
}

fn native(row: usize, bits: u128) -> Result<(), DecodeError> {
    let op = &OPS[row];
    if op.format == Format::Bare {
        return Ok(());
    }
    let align16 = ALIGN16.get(bits) == 1;
    let known = |names: &'static [&'static str]| move |v| names::name(names, v).is_some();
    value(op, EXEC, bits, |v| v <= names::LONGEST)?;
    value(op, THREAD, bits, known(&names::THREADS))?;
    let predicates: &'static [&'static str] = match align16 {
        true => &names::PREDICATES16,
        false => &names::PREDICATES,
    };
    value(op, PREDICATE, bits, known(predicates))?;
    let conditions: &'static [&'static str] = match op.format {
        Format::Send => &names::TARGETS,
        Format::Math => &names::FUNCTIONS,
        _ => &names::CONDITIONS,
    };
    value(op, CONDITION, bits, known(conditions))?;
    let takes = |what, field: Field| op.takes & what != 0 || field.get(bits) == 0;
    if !takes(table::PREDICATE, PREDICATE) {
        return broken(op, "it takes no predicate", op.section);
    }
    if !takes(table::SATURATE, SATURATE) {
        return broken(op, "it does not saturate", op.section);
    }
    let conditional = !matches!(op.format, Format::Send | Format::Math);
    if conditional && !takes(table::CONDITION, CONDITION) {
        return broken(op, "it has no condition modifier", op.section);
    }
    if op.format == Format::Three {
        return three_sources(op, bits, align16);
    }
    files(op, bits)?;
    if op.format == Format::Jip {
        zero(op, bits & UIP.mask())?;
    }
    if op.format.destination() {
        destination(op, bits, align16)?;
    }
    for (n, s) in SOURCES.iter().enumerate() {
        if op.format.source(n) && s.file.get(bits) != IMMEDIATE {
            source(op, s, bits, align16)?;
        }
    }
    if op.format == Format::Wait && DST_REG.get(bits) >> 4 != 9 {
        return fault(op, "it waits for a notification register, n0 to n2");
    }
    if op.format == Format::Send && SOURCES[1].file.get(bits) == IMMEDIATE {
        message(op, bits)?;
    }
    Ok(())
}

/// Register files.
fn files(op: &Op, bits: u128) -> Result<(), DecodeError> {
    let register = |v| v == ARCHITECTURE || v == GENERAL;
    if op.format == Format::Wait {
        value(op, DST_FILE, bits, |v| v == ARCHITECTURE)?;
    } else if op.format.destination() {
        value(op, DST_FILE, bits, register)?;
    }
    let [src0, src1] = SOURCES;
    if op.format.source(0) {
        let last = op.format == Format::One;
        value(op, src0.file, bits, |v| register(v) || last && v == IMMEDIATE)?;
    }
    value(op, src1.file, bits, |v| match op.format {
        f if f.source(1) => register(v) || v == IMMEDIATE,
        f if f.branches() => v == IMMEDIATE,
        _ => v == ARCHITECTURE,
    })
}

/// A direct architecture register that exists; an indirect register is a general one.
fn exists(op: &Op, bits: u128, file: Field, reg: Field, indirect: Field) -> Result<(), DecodeError> {
    match (file.get(bits), indirect.get(bits)) {
        (GENERAL, 1) => Ok(()),
        (_, 1) => fault(op, "only general registers are addressed by a0"),
        (GENERAL, _) => value(op, reg, bits, |v| v < REGISTERS),
        _ => value(op, reg, bits, |v| {
            let mut known = names::ARCHITECTURE.iter();
            known.any(|a| (a.0..a.0 + a.1).contains(&(v as u8)))
        }),
    }
}

fn destination(op: &Op, bits: u128, align16: bool) -> Result<(), DecodeError> {
    exists(op, bits, DST_FILE, DST_REG, DST_INDIRECT)?;
    let kind = names::TYPES[DST_TYPE.get(bits) as usize];
    if DST_INDIRECT.get(bits) == 1 {
        return Ok(());
    }
    let sub = match align16 {
        true => DST_HALF.get(bits) as u32 * 16,
        false => DST_SUB.get(bits) as u32,
    };
    let nothing = DST_FILE.get(bits) == ARCHITECTURE && matches!(DST_REG.get(bits), names::NULL | names::IP);
    if nothing {
        return Ok(());
    }
    aligned(op, sub, size(kind))?;
    let bytes = unit(kind);
    let channels = 1u32 << EXEC.get(bits);
    let stride = names::HORIZONTAL[DST_STRIDE.get(bits) as usize];
    if DST_FILE.get(bits) == GENERAL && op.format != Format::Send {
        let end = sub + (channels - 1) * stride * bytes + bytes;
        return inside(op, DST_REG.get(bits), end);
    }
    Ok(())
}

fn source(op: &Op, s: &Source, bits: u128, align16: bool) -> Result<(), DecodeError> {
    exists(op, bits, s.file, s.reg, s.indirect)?;
    let nowhere = s.file.get(bits) == ARCHITECTURE && s.reg.get(bits) == names::IP;
    if align16 {
        zero(op, bits & s.reserved.mask())?;
    }
    if nowhere && s.indirect.get(bits) == 0 {
        return Ok(());
    }
    let each = s.vertical.get(bits) == names::EACH;
    let vertical = names::VERTICAL.get(s.vertical.get(bits) as usize);
    value(op, s.vertical, bits, |_| each || vertical.is_some())?;
    if !align16 {
        value(op, s.width, bits, |v| v <= names::WIDEST)?;
    }
    if s.indirect.get(bits) == 1 {
        return Ok(());
    }
    if each {
        return fault(op, "only an indirect source has the vertical stride VxH");
    }
    if s.file.get(bits) == ARCHITECTURE && s.reg.get(bits) == names::NULL {
        return Ok(());
    }
    let kind = names::TYPES[s.kind.get(bits) as usize];
    let sub = match align16 {
        true => s.half.get(bits) as u32 * 16,
        false => s.sub.get(bits) as u32,
    };
    aligned(op, sub, size(kind))?;
    let bytes = unit(kind);
    if s.file.get(bits) != GENERAL || op.format == Format::Send {
        return Ok(());
    }
    let (width, stride) = match align16 {
        true => (4, 1),
        false => (1 << s.width.get(bits), names::HORIZONTAL[s.horizontal.get(bits) as usize]),
    };
    let vertical = vertical.copied().unwrap_or(0);
    let offset = |i: u32| (i / width * vertical + i % width * stride) * bytes;
    let channels = 1u32 << EXEC.get(bits);
    let last = (0..channels).map(offset).max().unwrap_or(0);
    inside(op, s.reg.get(bits), sub + last + bytes)
}

fn aligned(op: &Op, sub: u32, bytes: u32) -> Result<(), DecodeError> {
    match sub % bytes {
        0 => Ok(()),
        _ => fault(op, "the subregister is not a multiple of the type's size"),
    }
}

/// A region whose last byte is before byte `end` of register `reg`.
fn inside(op: &Op, reg: u64, end: u32) -> Result<(), DecodeError> {
    if end > SPAN * REGISTER {
        return broken(op, "the region crosses into a third register", "3.3.9 3A, 3B");
    }
    if reg * u64::from(REGISTER) + u64::from(end) > REGISTERS * u64::from(REGISTER) {
        return fault(op, "the region goes on behind the last register, g127");
    }
    Ok(())
}

/// Payload and response of a message.
fn message(op: &Op, bits: u128) -> Result<(), DecodeError> {
    let s = &SOURCES[0];
    let places = [(s.file, s.indirect, s.reg), (DST_FILE, DST_INDIRECT, DST_REG)];
    for ((file, indirect, reg), length) in places.into_iter().zip(LENGTHS) {
        let direct = file.get(bits) == GENERAL && indirect.get(bits) == 0;
        if direct && reg.get(bits) + length.get(bits) > REGISTERS {
            return fault(op, "the message goes on behind the last register, g127");
        }
    }
    Ok(())
}

fn three_sources(op: &Op, bits: u128, align16: bool) -> Result<(), DecodeError> {
    if !align16 {
        return fault(op, "three sources are align16 only");
    }
    let channels = 1u32 << EXEC.get(bits);
    let kind = super::three_source::kind_of(three::DST_TYPE, bits);
    value(op, three::REG, bits, |v| v < REGISTERS)?;
    let sub = three::SUB.get(bits) as u32 * 4;
    aligned(op, sub, size(kind))?;
    inside(op, three::REG.get(bits), sub + channels * unit(kind))?;
    let kind = super::three_source::kind_of(three::SRC_TYPE, bits);
    for s in &THIRDS {
        value(op, s.reg, bits, |v| v < REGISTERS)?;
        let sub = s.sub.get(bits) as u32 * 4;
        aligned(op, sub, size(kind))?;
        let read = match s.replicate.get(bits) {
            1 => size(kind),
            _ => channels.max(4) * unit(kind),
        };
        inside(op, s.reg.get(bits), sub + read)?;
    }
    Ok(())
}
