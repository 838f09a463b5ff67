//! Words to instructions.

mod operand;

use std::sync::OnceLock;

use crate::sm10::arch::pred_holds;
use crate::sm10::codes::{set_modifiers, Code};
use crate::sm10::instr::*;
use crate::sm10::operand::{Dst, MemRef, MemSize, Src};
use crate::sm10::table::{place, Class, Flags, Form, OpFamily, Role, FORMS};

/// Why a word pair is no instruction. All of these trap as `illegal`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// No row of the table matches.
    #[error("{w0:08x} {w1:08x} is no defined instruction (class {class})", class = Class::of(*w0, *w1).name())]
    Undefined {
        /// Word 0.
        w0: u32,
        /// Word 1.
        w1: u32,
    },
    /// The guard holds one of the undefined condition codes 0x14..=0x1b.
    #[error("{mnemonic} has the undefined condition code {code:#04x} (0x14 to 0x1b have no meaning)")]
    Condition {
        /// Spelling of the row.
        mnemonic: &'static str,
        /// The code.
        code: u8,
    },
    /// A modifier field holds a value without meaning.
    #[error("{mnemonic} has the undefined value {value} in its {role:?} field")]
    Modifier {
        /// Spelling of the row.
        mnemonic: &'static str,
        /// The field.
        role: Role,
        /// Its value.
        value: u32,
    },
    /// The operand selector bits ask for a combination that does not exist.
    #[error("{mnemonic} selects its operands in a combination that does not exist (two of s[], c[] second and c[] third source)")]
    Selector {
        /// Spelling of the row.
        mnemonic: &'static str,
    },
}

/// Index of the first row that matches, by class in table order.
fn find(w0: u32, w1: u32) -> Option<usize> {
    static BUCKETS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    let buckets = BUCKETS.get_or_init(|| {
        // One bucket for each class and opcode (31:28); a row goes into all those its mask admits.
        let mut b = vec![Vec::new(); 5 * 16];
        for (i, f) in FORMS.iter().enumerate() {
            for op in 0..16u64 {
                if (op << 28 ^ f.match_) & f.mask & (0xf << 28) == 0 {
                    b[bucket(f.class, op as u32)].push(i as u8);
                }
            }
        }
        b
    });
    let class = Class::of(w0, w1);
    let w = word(w0, w1, class);
    buckets[bucket(class, w0 >> 28)].iter().map(|&i| usize::from(i)).find(|&i| w & FORMS[i].mask == FORMS[i].match_)
}

fn bucket(class: Class, op: u32) -> usize {
    class as usize * 16 + op as usize
}

/// The 64-bit view; word 1 of a short word is zero.
fn word(w0: u32, w1: u32, class: Class) -> u64 {
    let hi = if class.is_long() { w1 } else { 0 };
    u64::from(w0) | u64::from(hi) << 32
}

/// Decodes one instruction; `w1` is ignored for short words.
///
/// # Errors
/// A [`DecodeError`] for undefined encodings, condition codes and modifier values.
pub fn decode(w0: u32, w1: u32) -> Result<Instr, DecodeError> {
    let form = find(w0, w1).ok_or(DecodeError::Undefined { w0, w1 })?;
    let f = &FORMS[form];
    let w = word(w0, w1, f.class);
    let pred = predicate(f, w)?;
    let mut instr = Instr {
        form: form as u8,
        op: Op::Unsupported,
        long: f.class.is_long(),
        marker: marker(f, w),
        pred,
        dst: Dst::None,
        cdst: None,
        src: [Src::None; 3],
    };
    if f.kind == OpFamily::Unsupported {
        // The words themselves are the operands, so that the text can give them back.
        instr.src[0] = Src::Imm(w0);
        if f.class.is_long() {
            instr.src[1] = Src::Imm(w1);
        }
        return Ok(instr);
    }
    if f.flags != Flags::No && place::FLAG_WRITE.is_set(w) {
        instr.cdst = Some(place::FLAG_DST.get(w) as u8);
    }
    instr.op = operation(f, w)?;
    instr.dst = operand::dst(f, w);
    for (i, slot) in f.src.iter().enumerate() {
        instr.src[i] = operand::src(*slot, w).ok_or(DecodeError::Selector { mnemonic: f.mnemonic })?;
    }
    Ok(instr)
}

fn predicate(f: &Form, w: u64) -> Result<Pred, DecodeError> {
    if !f.predicated {
        return Ok(Pred::ALWAYS);
    }
    let code = place::CONDITION.get(w) as u8;
    if pred_holds(code, 0).is_none() {
        return Err(DecodeError::Condition { mnemonic: f.mnemonic, code });
    }
    let creg = place::GUARD_FLAG.get(w) as u8;
    Ok(Pred { code, creg })
}

fn marker(f: &Form, w: u64) -> Marker {
    let code = match f.class {
        Class::Long => place::MARKER.get(w),
        _ => 0,
    };
    Marker::from_code(code).unwrap_or_default()
}

/// The operation of row `f` with the modifiers of word `w`.
pub(crate) fn operation(f: &Form, w: u64) -> Result<Op, DecodeError> {
    let mut op = plain(f.kind);
    let get = |role| f.field(role).map(|field| field.get(w));
    set_modifiers(&mut op, get).map_err(|(role, value)| DecodeError::Modifier { mnemonic: f.mnemonic, role, value })?;
    if let Some(at) = op.memory_mut() {
        *at = operand::mem(f, w, at.size);
    }
    Ok(op)
}

/// The operation of a kind with every modifier off; a MOV moves all lanes.
fn plain(kind: OpFamily) -> Op {
    let at = MemRef::absolute(0, MemSize::B32);
    let (signed, sat, round) = (false, false, Round::Nearest);
    let (neg, abs, neg_a, abs_a, neg_b, abs_b) = (false, false, false, false, false, false);
    let src = IntType::U16;
    match kind {
        OpFamily::Mov(width) => Op::Mov { width, lanes: 0xf },
        OpFamily::IAdd(width) => Op::IAdd { kind: AddKind::Add, width, sat },
        OpFamily::IMul16 => Op::IMul16 { signed_a: false, signed_b: false },
        OpFamily::IMul24 => Op::IMul24 { signed, high: false },
        OpFamily::IMad(mul, sat) => Op::IMad { kind: AddKind::Add, mul, sat },
        OpFamily::ISad(width) => Op::ISad { width, signed },
        OpFamily::ISet(width) => Op::ISet { cond: 0, width, signed },
        OpFamily::IMin(width) | OpFamily::IMax(width) => {
            Op::IMinMax { max: matches!(kind, OpFamily::IMax(_)), width, signed }
        }
        OpFamily::Shl(width) | OpFamily::Shr(width) => {
            Op::Shift { right: matches!(kind, OpFamily::Shr(_)), signed, width }
        }
        OpFamily::Logic(width) => logic(LogicOp::And, width),
        OpFamily::LogicImm(op) => logic(op, Width::W32),
        OpFamily::I2I(dst) => Op::I2I { dst, src, neg, abs },
        OpFamily::I2F(dst) => Op::I2F { dst, src, round, neg, abs, sat },
        OpFamily::F2I(dst, src) => Op::F2I { dst, src, round, neg, abs },
        OpFamily::F2F(dst, src, to_int) => Op::F2F { dst, src, round, to_int, neg, abs, sat },
        OpFamily::FAdd => Op::FAdd { neg_a, neg_b, round, sat },
        OpFamily::FMul => Op::FMul { neg_a, neg_b, round },
        OpFamily::FMad => Op::FMad { neg_ab: false, neg_c: false, sat },
        OpFamily::FMin | OpFamily::FMax => Op::FMinMax { max: kind == OpFamily::FMax, neg_a, abs_a, neg_b, abs_b },
        OpFamily::FSet => Op::FSet { cond: 0, neg_a, abs_a, neg_b, abs_b },
        OpFamily::FSlct => Op::FSlct { neg_c: false },
        OpFamily::Sfu(func) => Op::Sfu { func, neg, abs, sat },
        OpFamily::Rro(ex2) => Op::Rro { ex2, neg, abs },
        OpFamily::C2R => Op::C2R,
        OpFamily::R2C => Op::R2C,
        OpFamily::A2R => Op::A2R,
        OpFamily::S2R => Op::S2R,
        OpFamily::R2A => Op::R2A { shift: 0 },
        OpFamily::AddA => Op::AddA,
        OpFamily::StShared => Op::StShared { at },
        OpFamily::LdShared => Op::LdShared { at },
        OpFamily::LdConst => Op::LdConst,
        OpFamily::LdGlobal => Op::LdGlobal { space: 0, size: at.size },
        OpFamily::StGlobal => Op::StGlobal { space: 0, size: at.size },
        OpFamily::LdLocal => Op::LdLocal { at },
        OpFamily::StLocal => Op::StLocal { at },
        OpFamily::Bra => Op::Bra { target: 0 },
        OpFamily::Cal => Op::Cal { target: 0, lim: false },
        OpFamily::Ret => Op::Ret,
        OpFamily::Pbk => Op::Pbk { target: 0 },
        OpFamily::Brk => Op::Brk,
        OpFamily::Ssy => Op::Ssy { target: 0 },
        OpFamily::Bar(masked) => Op::Bar { id: 0, arrive: false, wait: false, mask: masked.then_some(0) },
        OpFamily::Trap => Op::Trap,
        OpFamily::Bpt => Op::Bpt,
        OpFamily::Nop => Op::Nop,
        OpFamily::PmTrig => Op::PmTrig { id: 0 },
        OpFamily::Unsupported => Op::Unsupported,
    }
}

fn logic(op: LogicOp, width: Width) -> Op {
    Op::Logic { op, not_a: false, not_b: false, width }
}
