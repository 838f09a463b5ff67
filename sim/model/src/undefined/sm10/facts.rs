//! What is asked of an instruction of SM 1.0 once.

use crate::exec::double;
use crate::num::{C, O, S, Z};
use crate::undefined::result;
use crate::uop::eval::eval;
use std::sync::OnceLock;
use warpsmith_isa::sm10::lower;
use warpsmith_isa::table::Flags;
use warpsmith_isa::uop::{Place, Uop};
use warpsmith_isa::{AddKind, Dst, Instr, Op, Resource, Src, Width};

/// What an instruction reads, and how undefined operands spread.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    instr: Instr,
    /// General registers it reads, a bit each.
    pub registers: [u64; 2],
    /// Flag registers.
    pub flags: u8,
    /// Address registers.
    pub address: u8,
    /// Its arithmetic on operands in registers 0 to 2; `None` where that is not lowered.
    uops: OnceLock<Option<Vec<Uop>>>,
}

/// A value and its undefined bits.
type Bits = (u32, u32);

impl Facts {
    pub fn new(instr: &Instr) -> Self {
        let mut facts = Facts { instr: *instr, registers: [0; 2], flags: 0, address: 0, uops: OnceLock::new() };
        for r in instr.reads() {
            match r {
                Resource::Reg(n @ 0..=127) => {
                    facts.registers[usize::from(n >> 6)] |= 1 << (n & 63);
                }
                Resource::Reg(_) => {}
                Resource::Flag(c) => facts.flags |= 1 << (c & 3),
                Resource::Addr(a) => facts.address |= 1 << (a & 7),
            }
        }
        facts
    }

    /// Undefined bits of the result in one lane, of operands that were read and extended.
    pub fn result(&self, operands: [Bits; 3], carry: bool) -> u32 {
        let undefined = operands.map(|o| o.1);
        let any = undefined[0] | undefined[1] | undefined[2];
        if any == 0 && !carry {
            return 0;
        }
        match self.instr.op {
            Op::Mov { .. } | Op::LdConst | Op::C2R | Op::R2C | Op::A2R | Op::S2R => undefined[0],
            Op::R2A { shift } => (undefined[0] << (shift & 31)) & 0xffff,
            Op::AddA => match self.instr.dst {
                Dst::Addr(_) => upward(any) & 0xffff,
                _ => upward(any),
            },
            Op::IAdd { kind: AddKind::Addc, width, sat: false } | Op::ISum { carry: 1.., width, .. } => {
                let bits = upward(any | u32::from(carry));
                match width {
                    Width::W16 => bits & 0xffff,
                    Width::W32 => bits,
                }
            }
            op if double::is_double(&op) || op.is_float() && !matches!(op, Op::FSlct { .. }) => u32::MAX,
            _ => match self.uops.get_or_init(|| lowered(&self.instr)) {
                Some(uops) => sequence(uops, operands),
                None => u32::MAX,
            },
        }
    }

    /// Undefined flags beside a result; `operands`: some operand has undefined bits.
    pub fn flags(&self, value: u32, undefined: u32, operands: bool) -> u8 {
        let set = value & !undefined != 0;
        let z = if undefined != 0 && !set { Z } else { 0 };
        // The sign of 16 bits, or of 32.
        let s = if undefined & 0x8000_8000 != 0 { S } else { 0 };
        let plain = self.instr.row().flags == Flags::ZS;
        match operands {
            // Of floats Z also says NaN.
            true if self.instr.op.is_float() || double::is_double(&self.instr.op) => Z | S | C | O,
            true if plain => z | s,
            true => z | s | C | O,
            false => z | s,
        }
    }
}

/// All bits from the lowest one on.
fn upward(bits: u32) -> u32 {
    match bits {
        0 => 0,
        b => u32::MAX << b.trailing_zeros(),
    }
}

/// The arithmetic of an instruction whose operand `n` lies in register `n`.
fn lowered(instr: &Instr) -> Option<Vec<Uop>> {
    let mut i = *instr;
    for (n, s) in i.src.iter_mut().enumerate() {
        if !matches!(s, Src::None | Src::Imm(_)) {
            *s = Src::Reg(n as u8);
        }
    }
    i.dst = match i.dst {
        Dst::Half(_) => Dst::Half(0),
        _ => Dst::Reg(0),
    };
    lower::result(&i).ok()
}

/// Undefined bits that are left of operands behind all micro-operations.
fn sequence(uops: &[Uop], operands: [Bits; 3]) -> u32 {
    const KEPT: usize = 16;
    let mut kept = [(0u64, 0u64); KEPT];
    let mut last = 0;
    for u in uops {
        let (mut raw, mut undefined) = ([0; 8], [0; 8]);
        let n = u.src.len().min(8);
        for (k, s) in u.src.iter().enumerate().take(n) {
            (raw[k], undefined[k]) = match s.place {
                Place::Immediate(v) => (v, 0),
                Place::Temporary(t) => kept[usize::from(t) % KEPT],
                Place::Register { index, byte } => {
                    let (v, m) = operands[usize::from(index) % 3];
                    let shift = 8 * u32::from(byte & 3);
                    (u64::from(v >> shift), u64::from(m >> shift))
                }
                _ => (0, u64::MAX),
            };
        }
        last = result::of(u, &raw[..n], &undefined[..n])[0] & u.ty.mask();
        if let Place::Temporary(t) = u.dst[0] {
            kept[usize::from(t) % KEPT] = (eval(u, &raw[..n])[0], last);
        }
    }
    last as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsmith_isa::{assemble, decode};

    fn facts(text: &str) -> Facts {
        let words = assemble(text, "test").expect("assembles").words;
        let word = |n: usize| words.get(n).copied().unwrap_or(0);
        Facts::new(&decode(word(0), word(1)).expect("decodes"))
    }

    #[test]
    fn masks_moves_and_sums_are_followed_bit_by_bit() {
        let and = facts("LOP.AND R1, R2, R3;");
        assert_eq!(and.result([(5, u32::MAX), (0xff, 0), (0, 0)], false), 0xff);
        let add = facts("IADD R1, R2, R3;");
        assert_eq!(add.result([(5, 0xff00), (1, 0), (0, 0)], false), 0xffff_ff00);
        assert_eq!(add.registers, [0b1100, 0]);
        let float = facts("FADD R1, R2, R3;");
        assert_eq!(float.result([(5, 0x3f00), (1, 0), (0, 0)], false), u32::MAX);
    }

    #[test]
    fn flags_follow_the_result() {
        let and = facts("LOP.AND R1, R2, R3;");
        assert_eq!(and.flags(0x10, 0xf, true), 0, "not zero anyway");
        assert_eq!(and.flags(0x10, 0x1f, true), Z);
        assert_eq!(and.flags(0, 0x8000_0000, true), Z | S);
        let add = facts("IADD R1, R2, R3;");
        assert_eq!(add.flags(0x10, 0, true), C | O);
    }
}
