//! Address registers: the values they hold, and the address of an access as register and offset.

use super::operand::SHARED_UNITS;
use super::plan::Plan;
use super::Select;
use crate::ir::{self, Function, MemTy, Op, Operand, Space, Ty, Value};
use crate::mir::{Class, Dst, Reg, Src};
use warpsmith_isa::{self as isa, MemSize};

/// Greatest shift of R2A.
const MAX_SHIFT: u32 = 15;

/// True for spaces that are addressed through address registers.
fn is_near(space: Space) -> bool {
    matches!(space, Space::Shared | Space::Local | Space::Const | Space::Param)
}

/// Space of a load or store.
fn space_of(op: &Op) -> Option<Space> {
    match op {
        Op::Load { space, .. } | Op::Store { space, .. } => Some(*space),
        Op::Lock { .. } | Op::Unlock { .. } => Some(Space::Shared),
        _ => None,
    }
}

/// Decides which values get an address register at their definition, and which live in one alone.
pub fn plan(f: &Function, p: &mut Plan) {
    pointers_of_loops(f, p);
    // Bases of accesses: how often, and whether outside the block of their definition.
    let n = f.types.len();
    let mut count = vec![0u32; n];
    let mut far = vec![false; n];
    for b in f.ids() {
        for i in &f.block(b).insts {
            let Some(space) = space_of(&i.op).filter(|s| is_near(*s)) else { continue };
            let Operand::Value(v) = i.src[0] else { continue };
            let v = base_of(f, p, v, i, space).0 .0 as usize;
            count[v] += 1;
            far[v] |= p.place[v].is_none_or(|(at, _)| at != b);
        }
    }
    for v in 0..n {
        if (count[v] > 1 || far[v]) && !p.addr_class[v] && count[v] > 0 {
            p.wants_addr[v] = true;
            p.held[v] = false;
        }
    }
}

/// The value whose address register serves an access, and the bytes added to it.
fn base_of(f: &Function, p: &Plan, v: Value, i: &ir::Inst, space: Space) -> (Value, i32) {
    let (offset, ty) = match i.op {
        Op::Load { offset, ty, .. } | Op::Store { offset, ty, .. } => (offset, ty),
        Op::Lock { offset } | Op::Unlock { offset } => (offset, MemTy::B32),
        _ => return (v, 0),
    };
    // Those with an offset of 16 bits.
    let far = !matches!(i.op, Op::Load { .. });
    if let Some(ir::Inst { op: Op::Add, src, .. }) = p.inst(f, v) {
        if let [Operand::Value(x), Operand::Imm(c)] = src[..] {
            let total = i64::from(offset) + i64::from(c as i32);
            let fits = match space {
                Space::Local => (0..0x1_0000).contains(&total),
                Space::Shared if far => (0..0x8000).contains(&total),
                _ => {
                    let unit = i64::from(ty.bytes());
                    (0..=i64::from(SHARED_UNITS) * unit).contains(&total)
                }
            };
            if fits && f.ty(x) == Ty::Word && !p.addr_class[v.0 as usize] {
                return (x, total as i32);
            }
        }
    }
    (v, offset)
}

/// Pointers that a loop moves by constants and uses for nothing but near accesses.
fn pointers_of_loops(f: &Function, p: &mut Plan) {
    let n = f.types.len();
    // Candidates: phis, and sums of a candidate and a constant.
    let mut is = vec![false; n];
    for b in f.ids() {
        let block = f.block(b);
        for phi in &block.phis {
            is[phi.dst.0 as usize] = f.ty(phi.dst) == Ty::Word;
        }
        for i in &block.insts {
            if let (Op::Add, [d], [Operand::Value(_), Operand::Imm(_)]) = (i.op, &i.dst[..], &i.src[..]) {
                is[d.0 as usize] = true;
            }
        }
    }
    loop {
        let mut changed = false;
        let mut drop = |is: &mut Vec<bool>, o: &Operand| {
            if let Operand::Value(v) = o {
                changed |= std::mem::replace(&mut is[v.0 as usize], false);
            }
        };
        for b in f.ids() {
            let block = f.block(b);
            for phi in &block.phis {
                if !is[phi.dst.0 as usize] {
                    phi.args.iter().for_each(|a| drop(&mut is, &a.1));
                }
            }
            for i in &block.insts {
                let near = space_of(&i.op).is_some_and(|s| is_near(s) && s != Space::Param);
                match i.op {
                    Op::Load { .. } | Op::Lock { .. } if near => {}
                    Op::Store { .. } | Op::Unlock { .. } if near => i.src[1..].iter().for_each(|o| drop(&mut is, o)),
                    Op::Add if i.dst.len() == 1 && is[i.dst[0].0 as usize] => {
                        // A sum whose base is no candidate is none.
                        if let Operand::Value(v) = i.src[0] {
                            if !is[v.0 as usize] {
                                drop(&mut is, &Operand::Value(i.dst[0]));
                            }
                        }
                    }
                    _ => i.src.iter().for_each(|o| drop(&mut is, o)),
                }
            }
            if let ir::Term::Branch { cond, .. } = &block.term {
                drop(&mut is, cond);
            }
        }
        if !changed {
            break;
        }
    }
    // Only what a phi keeps going around a loop: at most three registers' worth.
    let phis: Vec<Value> = f.blocks.iter().flat_map(|b| &b.phis).map(|x| x.dst).filter(|v| is[v.0 as usize]).collect();
    let bases_used = |v: Value| {
        f.blocks.iter().flat_map(|b| &b.insts).any(|i| {
            space_of(&i.op).is_some() && i.src[0] == Operand::Value(v)
                || matches!(i.op, Op::Add) && i.src[0] == Operand::Value(v)
        })
    };
    let kept: Vec<Value> = phis.into_iter().filter(|v| bases_used(*v)).take(3).collect();
    for v in kept {
        mark(f, p, &is, v);
    }
    // A sum of a kept pointer that only feeds phis which were not kept would have no word.
    loop {
        let mut bad = None;
        for b in f.ids() {
            for phi in &f.block(b).phis {
                if p.addr_class[phi.dst.0 as usize] {
                    continue;
                }
                for (_, o) in &phi.args {
                    if let Operand::Value(v) = o {
                        if p.addr_class[v.0 as usize] {
                            bad = Some(*v);
                        }
                    }
                }
            }
            for i in &f.block(b).insts {
                if matches!(i.op, Op::Add) && !p.addr_class[i.dst[0].0 as usize] {
                    for o in &i.src {
                        if let Operand::Value(v) = o {
                            if p.addr_class[v.0 as usize] {
                                bad = Some(*v);
                            }
                        }
                    }
                }
            }
        }
        match bad {
            Some(v) => unmark(f, p, v),
            None => return,
        }
    }
}

/// Puts a pointer and the sums made of it into address registers.
fn mark(f: &Function, p: &mut Plan, is: &[bool], v: Value) {
    if !is[v.0 as usize] || std::mem::replace(&mut p.addr_class[v.0 as usize], true) {
        return;
    }
    p.held[v.0 as usize] = false;
    for i in f.blocks.iter().flat_map(|b| &b.insts) {
        if matches!(i.op, Op::Add) && i.src[0] == Operand::Value(v) {
            mark(f, p, is, i.dst[0]);
        }
    }
}

/// Takes a pointer, what it is made of and what is made of it back into words.
fn unmark(f: &Function, p: &mut Plan, v: Value) {
    if !std::mem::replace(&mut p.addr_class[v.0 as usize], false) {
        return;
    }
    for b in f.ids() {
        let block = f.block(b);
        for phi in &block.phis {
            let related = phi.dst == v || phi.args.iter().any(|a| a.1 == Operand::Value(v));
            if related {
                unmark(f, p, phi.dst);
                for (_, o) in &phi.args {
                    if let Operand::Value(x) = o {
                        unmark(f, p, *x);
                    }
                }
            }
        }
        for i in &block.insts {
            if let (Op::Add, [d], [Operand::Value(x), _]) = (i.op, &i.dst[..], &i.src[..]) {
                if *d == v || *x == v {
                    unmark(f, p, *d);
                    unmark(f, p, *x);
                }
            }
        }
    }
}

impl<'a> Select<'a> {
    /// Register and offset of an operand in shared memory (first source, 31 units of its size).
    pub fn shared_address(&mut self, a: Operand, offset: i32, size: MemSize) -> (Option<Reg>, i32) {
        let unit = size.bytes() as i32;
        self.near_address(a, offset, unit, SHARED_UNITS * unit)
    }

    /// Register and offset of an access: the offset is a multiple of `unit` and at most `most` bytes.
    pub fn near_address(&mut self, a: Operand, offset: i32, unit: i32, most: i32) -> (Option<Reg>, i32) {
        let fits = |o: i32| o >= 0 && o <= most && o % unit == 0;
        match a {
            Operand::Imm(c) => {
                let total = (c as i32).wrapping_add(offset) & 0xffff;
                if fits(total) {
                    return (None, total);
                }
                self.window(None, total, &fits)
            }
            Operand::Value(v) => {
                let (v, offset) = self.peel(v, offset, &fits);
                if fits(offset) {
                    return (Some(self.address_of(v)), offset);
                }
                self.window(Some(v), offset, &fits)
            }
        }
    }

    /// A register some bytes behind a base, and the rest of the offset: one that this block has
    /// already, or a new one.
    fn window(&mut self, v: Option<Value>, offset: i32, fits: &impl Fn(i32) -> bool) -> (Option<Reg>, i32) {
        let near = self
            .block_addr
            .iter()
            .filter(|((base, bytes), _)| *base == v && fits(offset - bytes))
            .map(|((_, bytes), r)| (*bytes, *r))
            .max_by_key(|(bytes, _)| *bytes);
        if let Some((bytes, r)) = near {
            return (Some(r), offset - bytes);
        }
        let from = v.map(|v| self.address_of(v));
        let r = self.step(from, offset);
        if self.optimise {
            self.block_addr.insert((v, offset), r);
        }
        (Some(r), 0)
    }

    /// Takes a constant off a base when the access can carry it.
    fn peel(&self, v: Value, offset: i32, fits: &impl Fn(i32) -> bool) -> (Value, i32) {
        if self.addr[v.0 as usize].is_some() || !self.optimise {
            return (v, offset);
        }
        if let Some(ir::Inst { op: Op::Add, src, .. }) = self.plan.inst(self.f, v) {
            if let [Operand::Value(x), Operand::Imm(c)] = src[..] {
                let total = offset.wrapping_add(c as i32);
                if fits(total) {
                    return (x, total);
                }
            }
        }
        (v, offset)
    }

    /// An address register that holds a value; made here when there is none.
    pub fn address_of(&mut self, v: Value) -> Reg {
        if let Some(r) = self.addr[v.0 as usize] {
            return r;
        }
        if let Some(r) = self.block_addr.get(&(Some(v), 0)) {
            return *r;
        }
        let r = self.make_address(v);
        if self.optimise {
            self.block_addr.insert((Some(v), 0), r);
        }
        r
    }

    /// Makes an address register for a value: by shift or sum where the value is one.
    fn make_address(&mut self, v: Value) -> Reg {
        let def = self.plan.inst(self.f, v).map(|i| (i.op, i.src.clone()));
        if let (true, Some((op, src))) = (self.optimise, def) {
            match (op, &src[..]) {
                (Op::Shl, [x @ Operand::Value(_), Operand::Imm(k)]) if *k <= MAX_SHIFT => {
                    let w = self.reg(*x);
                    let r = self.out.reg(Class::Addr);
                    self.emit(isa::Op::R2A { shift: *k as u8 }, Dst::Addr(r), [Src::Word(w), Src::None, Src::None]);
                    return r;
                }
                (Op::Add, [Operand::Value(x), Operand::Imm(c)])
                    if self.addr[x.0 as usize].is_some() || self.is_shift(*x) =>
                {
                    let from = self.address_of(*x);
                    return self.step(Some(from), *c as i32);
                }
                _ => {}
            }
        }
        let w = self.word_of(v);
        let r = self.out.reg(Class::Addr);
        self.emit(isa::Op::R2A { shift: 0 }, Dst::Addr(r), [Src::Word(w), Src::None, Src::None]);
        r
    }

    fn is_shift(&self, v: Value) -> bool {
        matches!(
            self.plan.inst(self.f, v).map(|i| (i.op, &i.src[..])),
            Some((Op::Shl, [Operand::Value(_), Operand::Imm(0..=MAX_SHIFT)]))
        )
    }

    /// The address register made at the definition of a value.
    pub fn address_at_definition(&mut self, v: Value) {
        let r = self.make_address(v);
        self.addr[v.0 as usize] = Some(r);
    }

    /// A new address register: another one (or none) plus bytes.
    pub fn step(&mut self, from: Option<Reg>, bytes: i32) -> Reg {
        let r = self.out.reg(Class::Addr);
        let from = from.map_or(Src::AddrZero, Src::Addr);
        self.emit(isa::Op::AddA, Dst::Addr(r), [from, Src::Imm(bytes as u32 & 0xffff), Src::None]);
        r
    }

    /// The sum of a pointer in an address register and a constant.
    pub fn address_step(&mut self, i: &'a ir::Inst, d: Value) {
        let (Some(Operand::Value(x)), Some(Operand::Imm(c))) = (i.src.first(), i.src.get(1)) else { return };
        let from = self.address_of(*x);
        let r = self.step(Some(from), *c as i32);
        self.addr[d.0 as usize] = Some(r);
    }
}
