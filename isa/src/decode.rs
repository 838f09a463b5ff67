//! Words to instructions.

mod operand;

use std::sync::OnceLock;

use crate::instr::*;
use crate::table::{Class, Form, Kind, Role, FORMS};

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
    #[error(
        "{mnemonic} has the undefined condition code {code:#04x} (0x14 to 0x1b have no meaning)"
    )]
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
    buckets[bucket(class, w0 >> 28)]
        .iter()
        .map(|&i| usize::from(i))
        .find(|&i| w & FORMS[i].mask == FORMS[i].match_)
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
    if f.kind == Kind::Unsupported {
        // The words themselves are the operands, so that the text can give them back.
        instr.src[0] = Src::Imm(w0);
        if f.class.is_long() {
            instr.src[1] = Src::Imm(w1);
        }
        return Ok(instr);
    }
    if f.flags != crate::table::Flags::No && w >> 38 & 1 == 1 {
        instr.cdst = Some((w >> 36 & 3) as u8);
    }
    instr.op = operation(f, w)?;
    instr.dst = operand::dst(f, w);
    for (i, slot) in f.src.iter().enumerate() {
        instr.src[i] = operand::src(*slot, w).ok_or(DecodeError::Selector {
            mnemonic: f.mnemonic,
        })?;
    }
    Ok(instr)
}

fn predicate(f: &Form, w: u64) -> Result<Pred, DecodeError> {
    if !f.predicated {
        return Ok(Pred::ALWAYS);
    }
    let code = (w >> 39 & 31) as u8;
    if (0x14..=0x1b).contains(&code) {
        return Err(DecodeError::Condition {
            mnemonic: f.mnemonic,
            code,
        });
    }
    let creg = (w >> 44 & 3) as u8;
    Ok(Pred { code, creg })
}

fn marker(f: &Form, w: u64) -> Marker {
    match (f.class, w >> 32 & 3) {
        (Class::Long, 1) => Marker::Exit,
        (Class::Long, 2) => Marker::Join,
        _ => Marker::None,
    }
}

/// Value of the modifier `role` in word `w`, 0 when the row lacks it.
fn modifier(f: &Form, w: u64, role: Role) -> u32 {
    f.mods
        .iter()
        .find(|m| m.role == role)
        .map_or(0, |m| m.field.get(w))
}

pub(crate) fn size_of(code: u32) -> Option<MemSize> {
    Some(match code {
        0 => MemSize::U8,
        1 => MemSize::S8,
        2 => MemSize::U16,
        3 => MemSize::S16,
        4 => MemSize::B64,
        5 => MemSize::B128,
        6 => MemSize::B32,
        _ => return None,
    })
}

pub(crate) fn round_of(code: u32) -> Round {
    match code {
        0 => Round::Nearest,
        1 => Round::Down,
        2 => Round::Up,
        _ => Round::Zero,
    }
}

fn int_type(code: u32) -> IntType {
    match code {
        0 => IntType::U16,
        1 => IntType::U32,
        2 | 3 => IntType::U8,
        4 => IntType::S16,
        5 => IntType::S32,
        _ => IntType::S8,
    }
}

/// The operation of row `f` with the modifiers of word `w`.
pub(crate) fn operation(f: &Form, w: u64) -> Result<Op, DecodeError> {
    let get = |r| modifier(f, w, r);
    let on = |r| get(r) != 0;
    let bad = |role| {
        Err(DecodeError::Modifier {
            mnemonic: f.mnemonic,
            role,
            value: modifier(f, w, role),
        })
    };
    let kind = match get(Role::AddKind) {
        0 => AddKind::Add,
        1 => AddKind::Sub,
        2 => AddKind::Subr,
        _ => AddKind::Addc,
    };
    let (neg, abs, sat) = (on(Role::NegA), on(Role::AbsA), on(Role::Sat));
    let signed = on(Role::Signed);
    let round = round_of(get(Role::Round));
    let round_nz = match get(Role::RoundNZ) {
        0 => Round::Nearest,
        3 => Round::Zero,
        _ => return bad(Role::RoundNZ),
    };
    let Some(size) = size_of(get(Role::MemSize)) else {
        return bad(Role::MemSize);
    };
    let target = get(Role::Target) * 4;
    let space = get(Role::Space) as u8;
    let (neg_a, abs_a) = (neg, abs);
    let (neg_b, abs_b) = (on(Role::NegB), on(Role::AbsB));
    let src = int_type(get(Role::CvtSrc));
    let at = operand::mem(f, w, size);
    Ok(match f.kind {
        Kind::Mov(width) => {
            let lanes = match f.class {
                Class::Long => get(Role::Lanes) as u8,
                _ => 0xf,
            };
            Op::Mov { width, lanes }
        }
        Kind::IAdd(width) => Op::IAdd { kind, width, sat },
        Kind::IMul16 => Op::IMul16 {
            signed_a: on(Role::SignedA),
            signed_b: on(Role::SignedB),
        },
        Kind::IMul24 => Op::IMul24 {
            signed,
            high: on(Role::High),
        },
        Kind::IMad(mul, sat) => Op::IMad { kind, mul, sat },
        Kind::ISad(width) => Op::ISad { width, signed },
        Kind::ISet(width) => Op::ISet {
            cond: get(Role::CondI) as u8,
            width,
            signed,
        },
        Kind::IMin(width) | Kind::IMax(width) => Op::IMinMax {
            max: matches!(f.kind, Kind::IMax(_)),
            width,
            signed,
        },
        Kind::Shl(width) | Kind::Shr(width) => Op::Shift {
            right: matches!(f.kind, Kind::Shr(_)),
            signed,
            width,
        },
        Kind::Logic(width) => Op::Logic {
            op: match get(Role::Logic) {
                0 => LogicOp::And,
                1 => LogicOp::Or,
                2 => LogicOp::Xor,
                _ => LogicOp::PassB,
            },
            not_a: on(Role::NotA),
            not_b: on(Role::NotB),
            width,
        },
        Kind::LogicImm(op) => Op::Logic {
            op,
            not_a: on(Role::NotA),
            not_b: false,
            width: Width::W32,
        },
        Kind::I2I(dst) => Op::I2I { dst, src, neg, abs },
        Kind::I2F(dst) => Op::I2F {
            dst,
            src,
            round,
            neg,
            abs,
            sat,
        },
        Kind::F2I(dst, src) => Op::F2I {
            dst,
            src,
            round,
            neg,
            abs,
        },
        Kind::F2F(dst, src, to_int) => Op::F2F {
            dst,
            src,
            round,
            to_int,
            neg,
            abs,
            sat,
        },
        Kind::FAdd => Op::FAdd {
            neg_a,
            neg_b,
            round: round_nz,
            sat,
        },
        Kind::FMul => Op::FMul {
            neg_a,
            neg_b,
            round: round_nz,
        },
        Kind::FMad => Op::FMad {
            neg_ab: neg,
            neg_c: on(Role::NegC),
            sat,
        },
        Kind::FMin | Kind::FMax => Op::FMinMax {
            max: f.kind == Kind::FMax,
            neg_a,
            abs_a,
            neg_b,
            abs_b,
        },
        Kind::FSet => Op::FSet {
            cond: get(Role::CondF) as u8,
            neg_a,
            abs_a,
            neg_b,
            abs_b,
        },
        Kind::FSlct => Op::FSlct {
            neg_c: on(Role::NegC),
        },
        Kind::Sfu(func) => Op::Sfu {
            func,
            neg,
            abs,
            sat,
        },
        Kind::Rro(ex2) => Op::Rro { ex2, neg, abs },
        Kind::C2R => Op::C2R,
        Kind::R2C => Op::R2C,
        Kind::A2R => Op::A2R,
        Kind::S2R => Op::S2R,
        Kind::R2A => Op::R2A {
            shift: get(Role::Shift4) as u8,
        },
        Kind::AddA => Op::AddA,
        Kind::StShared => Op::StShared { at },
        Kind::LdShared => Op::LdShared { at },
        Kind::LdConst => Op::LdConst,
        Kind::LdGlobal => Op::LdGlobal { space, size },
        Kind::StGlobal => Op::StGlobal { space, size },
        Kind::LdLocal => Op::LdLocal { at },
        Kind::StLocal => Op::StLocal { at },
        Kind::Bra => Op::Bra { target },
        Kind::Cal => Op::Cal {
            target,
            lim: on(Role::Lim),
        },
        Kind::Ret => Op::Ret,
        Kind::Pbk => Op::Pbk { target },
        Kind::Brk => Op::Brk,
        Kind::Ssy => Op::Ssy { target },
        Kind::Bar(masked) => Op::Bar {
            id: get(Role::BarId) as u8,
            arrive: on(Role::Arrive),
            wait: on(Role::Wait),
            mask: masked.then(|| get(Role::BarMask) as u16),
        },
        Kind::Trap => Op::Trap,
        Kind::Bpt => Op::Bpt,
        Kind::Nop => Op::Nop,
        Kind::PmTrig => Op::PmTrig {
            id: get(Role::PmId) as u8,
        },
        Kind::Unsupported => Op::Unsupported,
    })
}
