//! Words to instructions.

mod operand;

use std::cmp::Reverse;
use std::sync::OnceLock;

use crate::sm10::arch::pred_holds;
use crate::sm10::instr::*;
use crate::sm10::modifiers::set_modifiers;
use crate::sm10::op::Op;
use crate::sm10::operand::{Dst, Src};
use crate::sm10::semantics::Semantics;
use crate::sm10::table::{place, Class, Flags, Form, Role, ADDED, ROWS};

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

/// Index of the narrowest row that matches; those that levels have [added](ADDED) count where they are `kept`.
fn find(semantics: Semantics, w0: u32, w1: u32, kept: impl Fn(u8) -> bool) -> Option<usize> {
    static BUCKETS: [OnceLock<Vec<Vec<u8>>>; 2] = [OnceLock::new(), OnceLock::new()];
    let buckets = BUCKETS[semantics as usize].get_or_init(|| {
        // One bucket for each class and opcode (31:28); a row goes into all those its mask admits.
        let mut b = vec![Vec::new(); 5 * 16];
        for (i, f) in semantics.rows() {
            for op in 0..16u64 {
                if (op << 28 ^ f.match_) & f.mask & (0xf << 28) == 0 {
                    b[bucket(f.class, op as u32)].push(i as u8);
                }
            }
        }
        // Rows within another one first.
        b.iter_mut().for_each(|rows| rows.sort_by_key(|&i| Reverse(ROWS[usize::from(i)].mask.count_ones())));
        b
    });
    let class = Class::of(w0, w1);
    let w = word(w0, w1, class);
    let matches = |i: usize| w & ROWS[i].mask == ROWS[i].match_ && (!ADDED.contains(&i) || kept(i as u8));
    buckets[bucket(class, w0 >> 28)].iter().map(|&i| usize::from(i)).find(|i| matches(*i))
}

fn bucket(class: Class, op: u32) -> usize {
    class as usize * 16 + op as usize
}

/// The 64-bit view; word 1 of a short word is zero.
fn word(w0: u32, w1: u32, class: Class) -> u64 {
    let hi = if class.is_long() { w1 } else { 0 };
    u64::from(w0) | u64::from(hi) << 32
}

/// Decodes one instruction as the hardware does; `w1` is ignored for short words.
///
/// # Errors
/// A [`DecodeError`] for undefined encodings, condition codes and modifier values.
pub fn decode(w0: u32, w1: u32) -> Result<Instr, DecodeError> {
    decode_in(Semantics::G80, w0, w1)
}

/// Decodes one instruction in a reading of the words.
///
/// # Errors
/// Those of [`decode`].
pub fn decode_in(semantics: Semantics, w0: u32, w1: u32) -> Result<Instr, DecodeError> {
    decode_kept(semantics, w0, w1, |_| true)
}

/// The same of a chip that executes the rows that are `kept`.
pub(super) fn decode_kept(
    semantics: Semantics, w0: u32, w1: u32, kept: impl Fn(u8) -> bool,
) -> Result<Instr, DecodeError> {
    let form = find(semantics, w0, w1, kept).ok_or(DecodeError::Undefined { w0, w1 })?;
    let f = &ROWS[form];
    let w = word(w0, w1, f.class);
    let pred = predicate(f, w)?;
    let mut instr = Instr {
        form: form as u8,
        op: Op::Unsupported,
        long: f.class.is_long(),
        marker: marker(semantics, f, w),
        pred,
        dst: Dst::None,
        cdst: None,
        src: [Src::None; 3],
    };
    if f.op == Op::Unsupported {
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

fn marker(semantics: Semantics, f: &Form, w: u64) -> Marker {
    let code = match f.class {
        Class::Long => place::MARKER.get(w),
        _ => 0,
    };
    semantics.marker(f, code).unwrap_or_default()
}

/// The operation of row `f` with the modifiers of word `w`.
pub(crate) fn operation(f: &Form, w: u64) -> Result<Op, DecodeError> {
    let mut op = f.op;
    let get = |role| f.field(role).map(|field| field.get(w));
    set_modifiers(&mut op, get).map_err(|(role, value)| DecodeError::Modifier { mnemonic: f.mnemonic, role, value })?;
    if let Some(at) = op.memory_mut() {
        *at = operand::mem(f, w, at.size);
    }
    Ok(op)
}
