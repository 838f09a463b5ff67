//! Machine instructions with allocated registers: operands, and the forms that encode them.

use super::literals::{LiteralPlace, Literals, BANK, NEAR_WORDS};
use crate::alloc::assignment::Assignment;
use crate::mir::{self, Guard, Inst, MemRef, Reg, Word};
use std::collections::HashMap;
use warpsmith_isa::build::{long, shortest};
use warpsmith_isa::{self as isa, Draft, Marker, MemSize, Op, Pred, Width};

/// A register that reads 0 because it is never allocated.
const ZERO: u8 = 124;
/// Its like for 16-bit operands, the low half of R63.
const ZERO_HALF: u8 = 2 * 63;

/// An instruction with its registers, and a literal behind the others that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The instruction; the offset of a far literal is still missing.
    pub draft: Draft,
    /// The far literal it loads.
    pub far: Option<LiteralPlace>,
}

/// Puts the registers of an assignment into instructions.
pub struct Operands<'a> {
    /// The assignment.
    pub places: &'a Assignment,
    /// Literals used so far.
    pub literals: Literals,
}

/// The literals that operands take from constant bank 1, and how many instructions do.
pub fn pooled(f: &mir::Function, places: &Assignment) -> HashMap<mir::Src, usize> {
    let operands = Operands { places, literals: Literals::default() };
    let mut all = HashMap::new();
    for i in f.blocks.iter().flat_map(|b| &b.insts) {
        for s in operands.pooled_operands(i) {
            *all.entry(s).or_insert(0) += 1;
        }
    }
    all
}

/// Reason why an operand has no encoding.
type Reason = String;

impl Operands<'_> {
    /// The instruction in registers, in a form that carries the marker.
    ///
    /// # Errors
    /// Where no form can say it.
    pub fn place(&mut self, i: &Inst, marker: Marker) -> Result<Placed, Reason> {
        let draft = self.draft(i)?.marker(marker);
        let plain = i.src.iter().all(|s| !matches!(s, mir::Src::GlobalAddr(..)));
        if plain && shortest(&draft).is_ok() {
            return Ok(Placed { draft, far: None });
        }
        // An immediate beside a register beyond R63, as third operand or with a marker.
        if let Some(load) = self.load(i, &draft)? {
            return Ok(load);
        }
        let pooled = self.pooled(i, draft)?;
        match shortest(&pooled) {
            Ok(_) => Ok(Placed { draft: pooled, far: None }),
            Err(e) => Err(e.to_string()),
        }
    }

    /// The operands of an instruction that no form holds beside its registers, so that they come
    /// from the near part of the pool.
    pub fn pooled_operands(&self, i: &Inst) -> Vec<mir::Src> {
        let literal = |s: &&mir::Src| match **s {
            mir::Src::Imm(v) => !has_own_field(i, v),
            s => matches!(s, mir::Src::Imm16(_) | mir::Src::GlobalAddr(..)),
        };
        let found: Vec<mir::Src> = i.src.iter().filter(literal).copied().collect();
        let whole = found.iter().any(|s| matches!(s, mir::Src::GlobalAddr(..)));
        let fits = || self.draft(i).is_ok_and(|d| shortest(&d).is_ok());
        if found.is_empty() || is_move(i) || !whole && fits() {
            return Vec::new();
        }
        found
    }

    /// True where some long form says the instruction with a marker. A literal it would need is
    /// taken into the pool.
    pub fn carries(&self, i: &Inst, marker: Marker) -> bool {
        let control = matches!(i.op, Op::Bar { .. } | Op::Nop | Op::PmTrig { .. } | Op::Cal { .. });
        if control {
            return false;
        }
        let mut trial = Operands { places: self.places, literals: self.literals.clone() };
        trial.place(i, marker).is_ok_and(|p| long(&p.draft).is_ok())
    }

    /// A copy of a constant as a load from the pool.
    fn load(&mut self, i: &Inst, draft: &Draft) -> Result<Option<Placed>, Reason> {
        if !is_move(i) {
            return Ok(None);
        }
        let far = match i.src[0] {
            mir::Src::Imm(v) => self.literals.word(v, true),
            mir::Src::GlobalAddr(v, bytes) => self.literals.address(v, bytes, true),
            mir::Src::Const(bank, m) => {
                let at = self.memory(m)?;
                let draft = Draft {
                    op: Op::LdConst,
                    src: [isa::Src::Const { bank, at }, isa::Src::None, isa::Src::None],
                    ..*draft
                };
                return Ok(Some(Placed { draft, far: None }));
            }
            _ => return Ok(None),
        };
        let at = constant(0, MemSize::B32);
        let draft = Draft {
            op: Op::LdConst,
            src: [isa::Src::Const { bank: BANK, at }, isa::Src::None, isa::Src::None],
            ..*draft
        };
        Ok(Some(Placed { draft, far: Some(far) }))
    }

    /// The draft with its immediates and addresses as operands in bank 1.
    fn pooled(&mut self, i: &Inst, mut draft: Draft) -> Result<Draft, Reason> {
        for (s, d) in i.src.iter().zip(&mut draft.src) {
            let (at, size) = match *s {
                mir::Src::Imm(v) if !has_own_field(i, v) => (self.literals.word(v, false), MemSize::B32),
                mir::Src::Imm16(v) => (LiteralPlace::Near(self.literals.half(v)), MemSize::U16),
                mir::Src::GlobalAddr(v, bytes) => (self.literals.address(v, bytes, false), MemSize::B32),
                _ => continue,
            };
            let at = self.literals.address_of(at);
            if at as usize >= 4 * NEAR_WORDS {
                return Err(format!(
                    "more than {NEAR_WORDS} different constants stand where only bank 1 can hold them"
                ));
            }
            *d = isa::Src::Const { bank: BANK, at: constant(at, size) };
        }
        Ok(draft)
    }

    /// The instruction as it is, immediates as immediates.
    fn draft(&self, i: &Inst) -> Result<Draft, Reason> {
        let mut op = i.op;
        if let (Some(at), Some(m)) = (op.memory_mut(), i.at) {
            *at = self.memory(m)?;
        }
        let [a, b, c] = i.src;
        let src = [self.src(a)?, self.src(b)?, self.src(c)?];
        let mut draft = Draft::new(op, self.dst(i.dst)?, src);
        if let Some(c) = i.cdst {
            draft = draft.flags(self.reg(c)?);
        }
        if let Some(c) = i.carry {
            draft = draft.carry(self.reg(c)?);
        }
        if let Some(g) = i.guard {
            draft = draft.guard(self.guard(g)?);
        }
        Ok(draft)
    }

    /// A guard on its flag register.
    pub fn guard(&self, g: Guard) -> Result<Pred, Reason> {
        Ok(Pred { code: g.code, creg: self.reg(g.flag)? })
    }

    fn reg(&self, r: Reg) -> Result<u8, Reason> {
        self.places.place(r).ok_or_else(|| format!("register {} has no place", r.0))
    }

    fn word(&self, w: Word) -> Result<u8, Reason> {
        Ok(self.reg(w.reg)? + w.part)
    }

    fn half(&self, w: Word, high: bool) -> Result<u8, Reason> {
        match self.word(w)? {
            r @ 0..=63 => Ok(2 * r + u8::from(high)),
            r => Err(format!("R{r} has no halves")),
        }
    }

    fn memory(&self, m: MemRef) -> Result<isa::MemRef, Reason> {
        Ok(isa::MemRef {
            areg: match m.base {
                Some(base) => self.reg(base)?,
                None => 0,
            },
            offset: m.offset,
            post_inc: m.post_inc,
            size: m.size,
        })
    }

    fn dst(&self, d: mir::Dst) -> Result<isa::Dst, Reason> {
        Ok(match d {
            mir::Dst::None => isa::Dst::None,
            mir::Dst::Discard => isa::Dst::Discard,
            mir::Dst::Word(w) => isa::Dst::Reg(self.word(w)?),
            mir::Dst::Half(w, high) => isa::Dst::Half(self.half(w, high)?),
            mir::Dst::Wide(r) => match self.places.words(r) {
                4 => isa::Dst::Quad(self.reg(r)?),
                _ => isa::Dst::Pair(self.reg(r)?),
            },
            mir::Dst::Addr(r) => isa::Dst::Addr(self.reg(r)?),
            mir::Dst::Flag(r) => isa::Dst::Cc(self.reg(r)?),
        })
    }

    fn src(&self, s: mir::Src) -> Result<isa::Src, Reason> {
        Ok(match s {
            mir::Src::None => isa::Src::None,
            mir::Src::Word(w) => isa::Src::Reg(self.word(w)?),
            mir::Src::Half(w, high) => isa::Src::Half(self.half(w, high)?),
            mir::Src::Wide(r) => isa::Src::Reg(self.reg(r)?),
            mir::Src::Zero => isa::Src::Reg(ZERO),
            mir::Src::ZeroHalf => isa::Src::Half(ZERO_HALF),
            mir::Src::Imm(v) => isa::Src::Imm(v),
            mir::Src::Imm16(v) => isa::Src::Imm(v.into()),
            mir::Src::GlobalAddr(..) => isa::Src::None,
            mir::Src::Shared(m) => isa::Src::Shared(self.memory(m)?),
            mir::Src::Const(bank, m) => isa::Src::Const { bank, at: self.memory(m)? },
            mir::Src::Addr(r) => isa::Src::Addr(self.reg(r)?),
            mir::Src::AddrZero => isa::Src::Addr(0),
            mir::Src::Flag(r) => isa::Src::Cc(self.reg(r)?),
            mir::Src::Special(n) => isa::Src::Special(n),
        })
    }
}

/// True for a constant that every form of an instruction holds: a distance of shifts, what is added to an address.
fn has_own_field(i: &Inst, v: u32) -> bool {
    matches!(i.op, Op::Shift { .. } | Op::AddA) && v <= 127
}

/// True for a copy of a whole word in all threads.
fn is_move(i: &Inst) -> bool {
    matches!(i.op, Op::Mov { width: Width::W32, lanes: 15 })
}

/// A place in a constant bank without an address register.
pub fn constant(at: u32, size: MemSize) -> isa::MemRef {
    isa::MemRef { areg: 0, offset: at as i32, post_inc: false, size }
}
