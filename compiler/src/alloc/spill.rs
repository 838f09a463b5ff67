//! Spilling: registers that found no place are kept in local memory, in a 32-bit register
//! (addresses and flags) or computed again.

use super::remat::Defs;
use super::rewrite::{store, to_flag, Rewrite};
use super::web::Group;
use super::{too_few, Limits};
use crate::error::CompileError;
use crate::mir::{Class, Function, Inst, Reg, Src, Term, Word};
use std::collections::HashMap;
use warpsmith_isa::MemSize;

/// State of spilling.
#[derive(Clone, Debug, Default)]
pub struct Spills {
    /// Registers that live for one instruction only: spilling them again would change nothing.
    short: Vec<bool>,
    /// Words of local memory.
    pub words: u32,
}

/// Where a spilled register's value is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Home {
    /// Local memory from this byte on.
    Local(u32),
    /// A 32-bit register (of an address or flag register).
    Gpr(Word),
    /// Computed again.
    Again(Inst),
}

impl Spills {
    /// True for registers made by spilling.
    pub fn is_short(&self, r: Reg) -> bool {
        self.short.get(r.0 as usize).copied().unwrap_or(false)
    }

    /// A register for one instruction.
    pub(super) fn temporary(&mut self, f: &mut Function, class: Class) -> Reg {
        let r = f.reg(class);
        self.keep(r);
        r
    }

    fn keep(&mut self, r: Reg) {
        let i = r.0 as usize;
        self.short.resize(self.short.len().max(i + 1), false);
        self.short[i] = true;
    }

    /// Gives the groups a home outside their registers and rewrites the function.
    ///
    /// # Errors
    /// Where nothing is left to spill, or local memory is full.
    pub fn insert(&mut self, f: &mut Function, groups: &[Group], limits: Limits) -> Result<(), CompileError> {
        let defs = Defs::new(f);
        let mut homes: HashMap<Reg, Home> = HashMap::new();
        for g in groups {
            if g.regs.iter().any(|(r, _)| self.is_short(*r)) {
                continue;
            }
            let class = g.regs.first().map_or(Class::Gpr(1), |r| f.regs[r.0 .0 as usize]);
            let home = match (class, defs.again(g)) {
                (Class::Gpr(_), Some(i)) => Home::Again(i),
                (Class::Gpr(_), None) => Home::Local(self.local(f, g.size)?),
                _ => Home::Gpr(Word { reg: f.reg(Class::Gpr(1)), part: 0 }),
            };
            for &(r, offset) in &g.regs {
                let home = match home {
                    Home::Local(at) => Home::Local(at + 4 * u32::from(offset)),
                    h => h,
                };
                homes.insert(r, home);
            }
        }
        if homes.is_empty() {
            return Err(too_few(f, limits));
        }
        for b in 0..f.blocks.len() {
            let old = std::mem::take(&mut f.blocks[b].insts);
            let mut new = Vec::with_capacity(old.len() * 2);
            if let (0, Some(&Home::Local(at))) = (b, homes.get(&f.entry)) {
                let from = Word { reg: f.entry, part: 0 };
                new.push(store(at, Src::Word(from), MemSize::B32, f.blocks[b].loc));
                self.keep(f.entry);
            }
            for inst in old {
                Rewrite { f, spills: self, homes: &homes, out: &mut new }.instruction(inst);
            }
            let loc = f.blocks[b].loc;
            let mut term = f.blocks[b].term;
            if let Term::Branch { guard, .. } | Term::ReturnIf { guard, .. } | Term::Any { guard, .. } = &mut term {
                if let Some(&Home::Gpr(home)) = homes.get(&guard.flag) {
                    let flag = self.temporary(f, Class::Flag);
                    new.push(to_flag(flag, home, loc));
                    guard.flag = flag;
                }
            }
            f.blocks[b].term = term;
            f.blocks[b].insts = new;
        }
        Ok(())
    }

    /// A place in local memory for `words` words.
    fn local(&mut self, f: &mut Function, words: u8) -> Result<u32, CompileError> {
        let bytes = 4 * u32::from(words);
        let at = f.local_bytes.next_multiple_of(bytes);
        if at + bytes > 1 << 16 {
            return Err(CompileError {
                file: f.name.clone(),
                line: None,
                message: format!(
                    "local arrays and spilled registers need more than the 65536 bytes of local memory a thread can address ({} are in use)",
                    f.local_bytes
                ),
            });
        }
        f.local_bytes = at + bytes;
        self.words += u32::from(words);
        Ok(at)
    }
}
