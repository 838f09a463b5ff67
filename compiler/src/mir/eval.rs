//! Execution of machine instructions on virtual registers, thread by thread, for tests.
//!
//! Knows the integer operations that random programs use, whose arithmetic is the golden model's; anything else is an
//! error.

use super::{Dst, Function, Guard, Inst, MemRef, Reg, Src, Term, Word};
use std::collections::HashMap;
use warpsmith_isa::{pred_holds, IntType, MemSize, MulKind, Op, Width};
use warpsmith_model::num::int;

/// Memory of a thread and what it shares with others.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Global memory, by byte address of words.
    pub global: HashMap<u32, u32>,
    /// Shared memory, bytes.
    pub shared: Vec<u8>,
    /// Constant bank 0, bytes.
    pub constants: Vec<u8>,
}

struct Thread<'a> {
    words: Vec<[u32; 4]>,
    local: Vec<u8>,
    memory: &'a mut Memory,
}

/// Runs one thread; `r0` is what its R0 holds at the start.
pub fn run(f: &Function, r0: u32, memory: &mut Memory, most: usize) -> Result<(), String> {
    let mut t = Thread { words: vec![[0; 4]; f.regs.len()], local: vec![0; f.local_bytes as usize], memory };
    t.words[f.entry.0 as usize][0] = r0;
    let mut b = 0;
    for _ in 0..most {
        let block = &f.blocks[b];
        for i in &block.insts {
            t.step(i)?;
        }
        b = match block.term {
            Term::Jump(to) => to.0 as usize,
            Term::Branch { guard, then, other, .. } | Term::Any { guard, then, other } => {
                if t.holds(guard)? { then } else { other }.0 as usize
            }
            Term::ReturnIf { guard, other, .. } => {
                if t.holds(guard)? {
                    return Ok(());
                }
                other.0 as usize
            }
            Term::Return => return Ok(()),
            Term::Trap => return Err("trap".into()),
        };
    }
    Err("the thread does not end".into())
}

fn bytes(list: &[u8], at: usize, size: MemSize) -> Result<u32, String> {
    let n = size.bytes() as usize;
    let found = list.get(at..at + n).ok_or(format!("address {at:#x}"))?;
    let mut word = [0; 4];
    word[..n].copy_from_slice(found);
    let v = u32::from_le_bytes(word);
    Ok(match size {
        MemSize::S8 => v as u8 as i8 as u32,
        MemSize::S16 => v as u16 as i16 as u32,
        _ => v,
    })
}

impl Thread<'_> {
    fn word(&self, w: Word) -> u32 {
        self.words[w.reg.0 as usize][usize::from(w.part)]
    }

    fn reg(&self, r: Reg) -> u32 {
        self.words[r.0 as usize][0]
    }

    fn holds(&self, g: Guard) -> Result<bool, String> {
        pred_holds(g.code, self.reg(g.flag) as u8).ok_or(format!("guard {}", g.code))
    }

    fn address(&self, m: MemRef) -> usize {
        let base = m.base.map_or(0, |b| self.reg(b));
        let offset = if m.post_inc { 0 } else { m.offset as u32 };
        usize::from(base.wrapping_add(offset) as u16)
    }

    fn src(&self, s: Src) -> Result<u32, String> {
        Ok(match s {
            Src::None | Src::Zero | Src::ZeroHalf | Src::AddrZero => 0,
            Src::Word(w) => self.word(w),
            Src::Half(w, high) => self.word(w) >> if high { 16 } else { 0 } & 0xffff,
            Src::Imm(v) => v,
            Src::Imm16(v) => v.into(),
            Src::Addr(r) | Src::Flag(r) | Src::Wide(r) => self.reg(r),
            Src::Shared(m) => bytes(&self.memory.shared, self.address(m), m.size)?,
            Src::Const(0, m) => bytes(&self.memory.constants, self.address(m), m.size)?,
            s => return Err(format!("source {s:?}")),
        })
    }

    fn step(&mut self, i: &Inst) -> Result<(), String> {
        if !i.guard.map_or(Ok(true), |g| self.holds(g))? {
            return Ok(());
        }
        let [a, b, c] = [self.src(i.src[0])?, self.src(i.src[1])?, self.src(i.src[2])?];
        let carry = i.carry.is_some_and(|r| self.reg(r) & 4 != 0);
        let (value, flags) = compute(i.op, a, b, c, carry)?;
        let mut wide = [value; 4];
        match i.op {
            Op::LdGlobal { size, .. } => {
                for (k, w) in wide.iter_mut().enumerate().take(size.regs().into()) {
                    *w = self.memory.global.get(&(a + 4 * k as u32)).copied().unwrap_or(0);
                }
            }
            Op::StGlobal { size, .. } => {
                for k in 0..u32::from(size.regs()) {
                    let v = match i.src[1] {
                        Src::Wide(r) => self.words[r.0 as usize][k as usize],
                        _ => b,
                    };
                    self.memory.global.insert(a + 4 * k, v);
                }
            }
            Op::LdLocal { .. } => {
                let at = i.at.map_or(0, |m| self.address(m));
                for (k, w) in wide.iter_mut().enumerate() {
                    *w = bytes(&self.local, at + 4 * k, MemSize::B32).unwrap_or(0);
                }
            }
            Op::StLocal { .. } => {
                let Some(m) = i.at else {
                    return Err("no memory operand".into());
                };
                let at = self.address(m);
                for k in 0..usize::from(m.size.regs()) {
                    let v = match i.src[0] {
                        Src::Wide(r) => self.words[r.0 as usize][k],
                        _ => a,
                    };
                    let place = self.local.get_mut(at + 4 * k..at + 4 * k + 4);
                    place.ok_or("local address")?.copy_from_slice(&v.to_le_bytes());
                }
            }
            _ => {}
        }
        for m in i.memory().filter(|m| m.post_inc) {
            if let Some(base) = m.base {
                let new = self.reg(base).wrapping_add(m.offset as u32) & 0xffff;
                self.words[base.0 as usize][0] = new;
            }
        }
        match i.dst {
            Dst::None | Dst::Discard => {}
            Dst::Word(w) => self.words[w.reg.0 as usize][usize::from(w.part)] = wide[0],
            Dst::Half(w, high) => {
                let old = &mut self.words[w.reg.0 as usize][usize::from(w.part)];
                *old = match high {
                    true => *old & 0xffff | wide[0] << 16,
                    false => *old & 0xffff_0000 | wide[0] & 0xffff,
                };
            }
            Dst::Wide(r) => self.words[r.0 as usize] = wide,
            Dst::Addr(r) => self.words[r.0 as usize][0] = wide[0] & 0xffff,
            Dst::Flag(r) => self.words[r.0 as usize][0] = wide[0] & 15,
        }
        if let Some(c) = i.cdst {
            self.words[c.0 as usize][0] = flags;
        }
        Ok(())
    }
}

/// Result and flags (Z bit 0, S 1, C 2, O 3).
fn compute(op: Op, a: u32, b: u32, c: u32, carry: bool) -> Result<(u32, u32), String> {
    let flagged = |(v, f): (u32, u8)| (v, u32::from(f));
    Ok(match op {
        Op::Mov { .. } | Op::LdConst | Op::C2R | Op::R2C | Op::A2R => (a, 0),
        Op::R2A { shift } => (a << shift, 0),
        Op::AddA => (a.wrapping_add(b), 0),
        Op::IAdd { kind, width: Width::W32, sat: false } => flagged(int::add32(kind, a, b, carry, false)),
        Op::IMul16 { signed_a, signed_b } => {
            let p = int::mul16(signed_a, signed_b, a, b);
            flagged((p, int::flags32(p)))
        }
        Op::IMad { kind, mul: mul @ MulKind::U16, sat: false } => {
            flagged(int::add32(kind, int::mul_kind(mul, a, b), c, carry, false))
        }
        Op::ISet { cond, width, signed } => flagged(int::set(cond, width, signed, a, b)),
        Op::Shift { right, signed, width } => flagged(int::shift(right, signed, width, a, b)),
        Op::Logic { op, not_a, not_b, width } => flagged(int::logic(op, not_a, not_b, width, a, b)),
        Op::I2I { dst: IntType::U32, src: IntType::U16, neg: false, abs: false } => (a & 0xffff, 0),
        Op::LdGlobal { .. }
        | Op::StGlobal { .. }
        | Op::LdLocal { .. }
        | Op::StLocal { .. }
        | Op::Bar { .. }
        | Op::Nop => (0, 0),
        op => return Err(format!("operation {op:?}")),
    })
}
