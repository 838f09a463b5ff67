//! Parameters and results of inlined calls: words of their own where every access names a constant
//! place, else local memory.

use std::collections::{HashMap, HashSet};

use super::inline::Flat;
use super::vars::{check_local, mention, Layout};
use crate::error::CompileError;
use crate::ptx::ast::{Base, Inst, Module, Operand, RegId, Space, Statement, Symbol, Ty, VarId};
use warpsmith_isa::ChipInfo as Target;

/// Where the storage of every call variable is.
pub(super) struct Calls {
    /// Local byte address of those in memory.
    memory: HashMap<VarId, u32>,
}

impl Calls {
    /// Byte address in local memory; `None` where the variable lives in words.
    pub(super) fn memory(&self, v: VarId) -> Option<u32> {
        self.memory.get(&v).copied()
    }
}

/// Elements of an access: their bytes (64-bit ones as two words) and number.
pub(super) fn elements(op: &str) -> (u32, u32) {
    let mut count = 1;
    let mut bytes = 4;
    for part in op.split('.') {
        match part {
            "v2" => count = 2,
            "v4" => count = 4,
            _ => bytes = Ty::parse(part).map_or(bytes, |t| t.bytes()),
        }
    }
    if bytes > 4 {
        (4, count * bytes / 4)
    } else {
        (bytes, count)
    }
}

/// Decides for every call variable; those in memory extend the kernel's local bytes.
pub(super) fn place(module: &Module, flat: &Flat, layout: &mut Layout, target: &Target) -> Result<Calls, CompileError> {
    let mut read = HashSet::new();
    for s in &flat.code {
        if let Statement::Inst(inst) = s {
            registers_read(inst, &mut read);
        }
    }
    let mut bytes: HashMap<VarId, HashMap<i64, u32>> = HashMap::new();
    let mut in_memory: HashSet<VarId> = HashSet::new();
    for s in &flat.code {
        let Statement::Inst(inst) = s else { continue };
        for (i, arg) in inst.args.iter().enumerate() {
            match arg {
                Operand::Address(Base::Symbol(Symbol::Local(v)), offset) => {
                    let (size, count) = elements(&inst.op);
                    let cells = bytes.entry(*v).or_default();
                    for n in 0..i64::from(count) {
                        let at = offset + n * i64::from(size);
                        if *cells.entry(at).or_insert(size) != size {
                            in_memory.insert(*v);
                        }
                    }
                }
                // Only unoptimised code writes an address that is never read.
                Operand::Symbol(Symbol::Local(v), _) => {
                    let dead = i == 1
                        && inst.name() == "mov"
                        && matches!(inst.args.first(), Some(Operand::Reg(r)) if !read.contains(r));
                    if !dead {
                        in_memory.insert(*v);
                    }
                }
                _ => {}
            }
        }
    }
    for (v, cells) in &bytes {
        let mut sorted: Vec<(i64, u32)> = cells.iter().map(|(a, n)| (*a, *n)).collect();
        sorted.sort_unstable();
        if sorted.windows(2).any(|w| w[0].0 + i64::from(w[0].1) > w[1].0) {
            in_memory.insert(*v);
        }
    }
    let mut memory = HashMap::new();
    let mut at = layout.local_bytes;
    for (i, v) in flat.vars.iter().enumerate() {
        let id = VarId(i as u32);
        if v.space == Space::Param && in_memory.contains(&id) {
            at = at.next_multiple_of(v.align.max(8));
            memory.insert(id, at);
            at += v.bytes() as u32;
            let source = mention(flat, &Symbol::Local(id));
            check_local(module, v, source, at, target)?;
        }
    }
    layout.local_bytes = at.next_multiple_of(4);
    Ok(Calls { memory })
}

fn registers_read(inst: &Inst, out: &mut HashSet<RegId>) {
    fn visit(a: &Operand, out: &mut HashSet<RegId>) {
        match a {
            Operand::Reg(r) | Operand::Address(Base::Reg(r), _) => {
                out.insert(*r);
            }
            Operand::Vector(l) => l.iter().for_each(|a| visit(a, out)),
            _ => {}
        }
    }
    for (i, a) in inst.args.iter().enumerate() {
        // A plain register in front is a result; stores begin with an address.
        if !(i == 0 && matches!(a, Operand::Reg(_))) {
            visit(a, out);
        }
    }
}
