//! Bits that the text of an instruction does not name, and their usual values.

use super::fields::*;
use super::operand::{self, ARCHITECTURE, IMMEDIATE};
use super::table::names;
use super::table::{Format, OPS};

/// Codes of types.
const D: u64 = 1;
const W: u64 = 3;
const F: u64 = 7;

/// Flag register and subregister of a format.
pub fn flag(format: Format) -> [crate::set::Field; 2] {
    match format {
        Format::Three => [three::FLAG, three::FLAG_SUB],
        _ => [FLAG, FLAG_SUB],
    }
}

/// True where the text has the condition and its flag: `sel` writes none.
pub fn writes_flag(row: usize, bits: u128) -> bool {
    let op = &OPS[row];
    let function = matches!(op.format, Format::Send | Format::Math);
    !function && CONDITION.get(bits) != 0 && op.name != "sel"
}

/// Native bits that the text does not name.
pub fn free(row: usize, bits: u128) -> u128 {
    let format = OPS[row].format;
    let mut free = DEBUG.mask();
    if format == Format::Bare {
        return if OPS[row].opcode == 0 { 0 } else { free };
    }
    let align16 = ALIGN16.get(bits) == 1;
    let predicated = PREDICATE.get(bits) != 0;
    if !predicated {
        free |= INVERT.mask();
    }
    if !predicated && !writes_flag(row, bits) {
        free |= flag(format).iter().fold(0, |m, f| m | f.mask());
    }
    free |= match EXEC.get(bits) {
        0..=2 => 0,
        3 => NIBBLE.mask(),
        _ => NIBBLE.mask() | 1 << 12,
    };
    if format == Format::Three {
        return free | super::three_source::free(bits);
    }
    free |= match format.destination() {
        true => operand::free_destination(bits, align16),
        false => DST_FILE.mask() | DST_TYPE.mask() | 0xffff << 48,
    };
    let [src0, src1] = SOURCES;
    free |= match format.source(0) {
        _ if src0.file.get(bits) == IMMEDIATE && format == Format::One => {
            src0.all.mask() | operand::free_source(&src0, bits, align16)
        }
        true => operand::free_source(&src0, bits, align16),
        false => src0.file.mask() | src0.kind.mask() | src0.all.mask(),
    };
    let immediate = src1.file.get(bits) == IMMEDIATE;
    free | match format {
        Format::Send if immediate => src1.kind.mask(),
        Format::Send => operand::free_source(&src1, bits, align16) & src1.kind.mask(),
        f if f.source(1) => operand::free_source(&src1, bits, align16),
        f if f.branches() => src1.kind.mask(),
        _ if src0.file.get(bits) == IMMEDIATE && format == Format::One => src1.kind.mask(),
        _ => src1.kind.mask() | super::fields::IMMEDIATE.mask(),
    }
}

/// The first source as a null register, its group read as it is or one component for all.
fn null(vector: bool, align16: bool) -> u64 {
    match (vector, align16) {
        (true, false) => 0x8d_0000,
        (true, true) => 0x6e_0004,
        (false, false) => 0,
        (false, true) => 0x0e_0004,
    }
}

/// The bits that the text does not name as public assemblers write them; the others are in `bits`.
pub fn usual(row: usize, bits: u128) -> u128 {
    let op = &OPS[row];
    let align16 = ALIGN16.get(bits) == 1;
    let [src0, src1] = SOURCES;
    let nowhere = |reg: u64, kind: u64| {
        let mut b = DST_FILE.put(DST_TYPE.put(bits, kind), ARCHITECTURE);
        b = DST_REG.put(DST_STRIDE.put(b, 1), reg);
        b = src0.file.put(src0.kind.put(b, kind), ARCHITECTURE);
        if align16 {
            b = DST_CHANNELS.put(b, 15);
        }
        b
    };
    match op.format {
        Format::One if src0.file.get(bits) == IMMEDIATE => src1.kind.put(bits, src0.kind.get(bits)),
        Format::Jip | Format::JipUip => {
            let leaves = matches!(op.name, "break" | "cont" | "halt");
            let b = src0.all.put(nowhere(names::NULL, D), null(op.name != "if", align16));
            src1.kind.put(src1.file.put(b, IMMEDIATE), if leaves { D } else { W })
        }
        Format::Jump => {
            let b = src0.all.put(nowhere(names::IP, 0), null(false, align16));
            src0.reg.put(b, names::IP)
        }
        Format::Call => {
            let b = src0.all.put(bits, null(false, align16));
            src0.reg.put(src0.file.put(b, ARCHITECTURE), names::IP)
        }
        Format::Wait => {
            let mut b = src0.reg.put(bits, DST_REG.get(bits));
            b = src0.kind.put(b, DST_TYPE.get(bits));
            if align16 {
                let one = DST_CHANNELS.get(bits);
                let lone = one.is_power_of_two().then(|| one.trailing_zeros().into());
                for (n, field) in src0.swizzle.iter().enumerate() {
                    b = field.put(b, lone.unwrap_or(n as u64));
                }
                b = src0.half.put(b, DST_HALF.get(bits));
            } else {
                b = src0.sub.put(b, DST_SUB.get(bits));
            }
            src1.all.put(src1.kind.put(b, F), null(true, align16))
        }
        _ => bits,
    }
}
