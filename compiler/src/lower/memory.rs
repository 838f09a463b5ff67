//! Loads and stores: spaces resolved, vectors and sub-words cut into accesses of the chip.

use super::build::{Lower, ZERO};
use super::calls;
use super::space::One;
use super::vars::SymbolPlace;
use crate::error::CompileError;
use crate::ir::{MemTy, Op, Operand, Space, Ty, Value};
use crate::ptx::ast::{self, Base, Inst, Symbol, VarId};

type Result<T> = std::result::Result<T, CompileError>;

/// Where an access goes.
pub(super) enum At {
    /// Memory: space, address and bytes added.
    Memory(Space, Operand, i32),
    /// Words of a call's parameter or result, from a byte on.
    Cells(VarId, i64),
}

/// Type of an access.
pub(super) struct Access {
    /// State space as written.
    space: Option<Space>,
    pub ty: ast::Ty,
    count: u32,
    volatile: bool,
}

impl Lower<'_> {
    pub(super) fn access(&self, inst: &Inst) -> Result<Access> {
        let mut a =
            Access { space: None, ty: ast::Ty { kind: ast::TypeKind::Bits, bits: 0 }, count: 1, volatile: false };
        for part in inst.op.split('.').skip(1) {
            match part {
                "v2" => a.count = 2,
                "v4" => a.count = 4,
                "volatile" | "relaxed" | "acquire" | "release" | "mmio" => a.volatile = true,
                _ => {
                    if let Some(space) = Space::parse(part.split("::").next().unwrap_or("")) {
                        a.space = Some(space);
                    } else if let Some(ty) = ast::Ty::parse(part) {
                        a.ty = ty;
                    }
                }
            }
        }
        if !(8..=64).contains(&a.ty.bits) {
            return Err(self.error(inst, format!("`{}`: SM 1.0 loads and stores 8 to 64 bits an element", inst.op)));
        }
        Ok(a)
    }

    pub(super) fn place_of(&mut self, inst: &Inst, a: &Access, at: usize) -> Result<At> {
        let ast::Operand::Address(base, offset) = self.arg(inst, at)? else {
            return Err(self.error(inst, format!("`{}` needs an address in brackets", inst.op)));
        };
        if let Base::Symbol(Symbol::Local(v)) = base {
            let call = self.layout.place(&Symbol::Local(*v)) == Some(SymbolPlace::Call);
            if call && self.calls.memory(*v).is_none() {
                return Ok(At::Cells(*v, *offset));
            }
        }
        let fact = self.trace.address(base, *offset, self.layout);
        let space = self.space(inst, a, fact.target())?;
        Ok(match base {
            Base::Reg(r) => {
                let address = self.word_of(inst, &ast::Operand::Reg(*r))?;
                At::Memory(space, address, *offset as i32)
            }
            Base::Symbol(s) => At::Memory(space, self.address_of(inst, s, *offset)?, 0),
            Base::None => At::Memory(space, Operand::Imm(*offset as u32), 0),
        })
    }

    /// The space of an access: as written where that is certain, else as traced, else global.
    fn space(&self, inst: &Inst, a: &Access, traced: One<Space>) -> Result<Space> {
        Ok(match (a.space, traced) {
            (Some(Space::Param), One::Just(Space::Local)) => Space::Local,
            (Some(Space::Param), _) => self.layout.param_space(),
            (Some(Space::Const), One::Mixed) => Space::Const,
            (Some(space), _) if space != Space::Const => space,
            (_, One::Mixed) => {
                return Err(self.error(
                    inst,
                    "this address may point to more than one of shared, local, constant and global memory, which SM 1.0 accesses with different instructions: keep addresses of one space in such a variable",
                ))
            }
            (_, One::Just(space)) => space,
            (_, One::None) => Space::Global,
        })
    }

    pub(super) fn cell(&mut self, var: VarId, at: i64) -> Value {
        if let Some(v) = self.cells.get(&(var.0, at)) {
            return *v;
        }
        let v = self.f.value(Ty::Word);
        self.cells.insert((var.0, at), v);
        v
    }

    /// `ld` and `ldu`.
    pub(super) fn load(&mut self, inst: &Inst) -> Result<()> {
        let a = self.access(inst)?;
        let at = self.place_of(inst, &a, 1)?;
        let to: Vec<ast::Operand> = match self.arg(inst, 0)? {
            ast::Operand::Vector(l) => l.clone(),
            one => vec![one.clone()],
        };
        if to.len() != a.count as usize {
            return Err(self.error(inst, format!("`{}`: wrong number of registers", inst.op)));
        }
        let words = match at {
            At::Memory(space, address, offset) if self.is_byte_pair(inst, &a)? => {
                vec![self.load_byte_pair(a.volatile, space, address, offset)]
            }
            At::Memory(space, address, offset) => self.load_words(&a, space, address, offset),
            At::Cells(var, offset) => {
                let (size, count) = calls::elements(&inst.op);
                let mut words = Vec::new();
                for n in 0..i64::from(count) {
                    let cell = Operand::Value(self.cell(var, offset + n * i64::from(size)));
                    // Cells hold what a store of their size would have left in memory.
                    words.push(match mem_ty(a.ty) {
                        MemTy::B32 => cell,
                        ty => self.ext(ty, cell),
                    });
                }
                words
            }
        };
        let mut words = words.into_iter();
        for to in &to {
            let low = words.next().unwrap_or(ZERO);
            if a.ty.bits == 64 {
                let high = words.next().unwrap_or(ZERO);
                self.set_pair_of(inst, to, (low, high))?;
            } else if a.ty.signed() && matches!(to, ast::Operand::Reg(r) if self.reg_bits(*r) == 64) {
                let high = self.sign(low);
                self.set_pair_of(inst, to, (low, high))?;
            } else {
                self.set_of(inst, to, low)?;
            }
        }
        Ok(())
    }

    /// Whether an access is clang's to a parameter of two bytes (`char2`): it takes a word, and a byte of
    /// the parameter from each half of it.
    fn is_byte_pair(&self, inst: &Inst, a: &Access) -> Result<bool> {
        let ast::Operand::Address(Base::Symbol(s), 0) = self.arg(inst, 1)? else {
            return Ok(false);
        };
        let Some(SymbolPlace::Param(index)) = self.layout.place(s) else {
            return Ok(false);
        };
        let bytes = self.layout.params.get(index).map_or(0, |p| p.bytes);
        Ok(bytes == 2 && a.count == 1 && a.ty.bits == 32)
    }

    /// Two bytes, each in a half of a word.
    fn load_byte_pair(&mut self, volatile: bool, space: Space, address: Operand, offset: i32) -> Operand {
        let [low, high] = [0, 1].map(|n| {
            let (address, offset) = moved(address, offset, n);
            self.load_run(space, MemTy::U8, volatile, address, offset, 1)[0]
        });
        let high = self.shl(high, Operand::Imm(16));
        self.or(low, high)
    }

    /// All words of an access, elements extended to words, 64-bit ones as two.
    fn load_words(&mut self, a: &Access, space: Space, address: Operand, offset: i32) -> Vec<Operand> {
        let bytes = a.ty.bytes() * a.count;
        if a.ty.bits < 32 && a.count > 1 {
            return self.load_packed(a, space, address, offset, bytes);
        }
        let ty = mem_ty(a.ty);
        let words = bytes.div_ceil(4);
        if a.ty.bits < 32 {
            return self.load_run(space, ty, a.volatile, address, offset, 1);
        }
        let run = match space {
            Space::Global | Space::Local => words.min(4),
            _ => 1,
        };
        let mut out = Vec::new();
        for n in (0..words).step_by(run as usize) {
            let (address, offset) = moved(address, offset, 4 * n);
            out.extend(self.load_run(space, ty, a.volatile, address, offset, run));
        }
        out
    }

    fn load_run(
        &mut self, space: Space, ty: MemTy, volatile: bool, address: Operand, offset: i32, words: u32,
    ) -> Vec<Operand> {
        let dst: Vec<Value> = (0..words).map(|_| self.f.value(Ty::Word)).collect();
        let op = Op::Load { space, ty, offset, volatile };
        self.push(op, dst.clone(), vec![address]);
        dst.into_iter().map(Operand::Value).collect()
    }

    /// A vector of bytes or halves: whole words, cut up in registers.
    fn load_packed(&mut self, a: &Access, space: Space, address: Operand, offset: i32, bytes: u32) -> Vec<Operand> {
        let (unit, unit_bytes) = if bytes == 2 { (MemTy::U16, 2) } else { (MemTy::B32, 4) };
        let ty = mem_ty(a.ty);
        let mut out = Vec::new();
        for n in (0..bytes).step_by(unit_bytes as usize) {
            let (address, offset) = moved(address, offset, n);
            let word = self.load_run(space, unit, a.volatile, address, offset, 1)[0];
            for bit in (0..8 * unit_bytes).step_by(a.ty.bits as usize) {
                let last = bit + a.ty.bits == 32;
                out.push(if last {
                    self.shr(word, Operand::Imm(bit), a.ty.signed())
                } else {
                    let shifted = self.shr(word, Operand::Imm(bit), false);
                    self.ext(ty, shifted)
                });
            }
        }
        out
    }

    /// `st`.
    pub(super) fn store(&mut self, inst: &Inst) -> Result<()> {
        let a = self.access(inst)?;
        let at = self.place_of(inst, &a, 0)?;
        let from: Vec<ast::Operand> = match self.arg(inst, 1)? {
            ast::Operand::Vector(l) => l.clone(),
            one => vec![one.clone()],
        };
        if from.len() != a.count as usize {
            return Err(self.error(inst, format!("`{}`: wrong number of registers", inst.op)));
        }
        let mut words = Vec::new();
        for from in &from {
            if a.ty.bits == 64 {
                let (low, high) = self.pair_of(inst, from)?;
                words.extend([low, high]);
            } else {
                words.push(self.word_of(inst, from)?);
            }
        }
        match at {
            At::Cells(var, offset) => {
                let (size, _) = calls::elements(&inst.op);
                for (n, word) in (0i64..).zip(words) {
                    let cell = self.cell(var, offset + n * i64::from(size));
                    self.assign(cell, word);
                }
                Ok(())
            }
            At::Memory(Space::Param | Space::Const, ..) => Err(self.error(
                inst,
                "store to constant memory or to a parameter: both are read-only; use a buffer or a local copy",
            )),
            At::Memory(space, address, offset) => {
                self.store_words(&a, space, address, offset, words);
                Ok(())
            }
        }
    }

    fn store_words(&mut self, a: &Access, space: Space, address: Operand, offset: i32, mut words: Vec<Operand>) {
        let mut ty = mem_ty(a.ty);
        // One store of a packed word costs less than several transactions of global memory.
        if space == Space::Global && a.ty.bits < 32 && a.count > 1 {
            let per_word = (32 / a.ty.bits).min(a.count) as usize;
            let packed: Vec<Operand> = words.chunks(per_word).map(|elements| self.pack(elements, a.ty.bits)).collect();
            ty = if a.ty.bytes() * a.count == 2 { MemTy::U16 } else { MemTy::B32 };
            words = packed;
        }
        let run = match space {
            Space::Global | Space::Local if ty == MemTy::B32 => words.len().clamp(1, 4),
            _ => 1,
        };
        for (n, run_words) in words.chunks(run).enumerate() {
            let (address, offset) = moved(address, offset, ty.bytes() * (n * run) as u32);
            let op = Op::Store { space, ty, offset, volatile: a.volatile };
            let mut src = vec![address];
            src.extend(run_words);
            self.push(op, Vec::new(), src);
        }
    }

    /// Elements of a word, the first lowest.
    pub(super) fn pack(&mut self, elements: &[Operand], bits: u32) -> Operand {
        let mut word = ZERO;
        for (at, e) in (0..).step_by(bits as usize).zip(elements) {
            // The topmost element loses its upper bits in the shift.
            let part = if at + bits == 32 {
                *e
            } else if bits == 8 {
                self.ext(MemTy::U8, *e)
            } else {
                self.ext(MemTy::U16, *e)
            };
            let part = self.shl(part, Operand::Imm(at));
            word = self.or(word, part);
        }
        word
    }
}

/// Element of memory of a type; 64 bits are words.
fn mem_ty(ty: ast::Ty) -> MemTy {
    match (ty.bits, ty.signed()) {
        (8, false) => MemTy::U8,
        (8, true) => MemTy::S8,
        (16, false) => MemTy::U16,
        (16, true) => MemTy::S16,
        _ => MemTy::B32,
    }
}

/// An address some bytes on; constant addresses stay without offset.
fn moved(address: Operand, offset: i32, bytes: u32) -> (Operand, i32) {
    match address {
        Operand::Imm(a) => (Operand::Imm(a.wrapping_add(bytes)), offset),
        _ => (address, offset.wrapping_add(bytes as i32)),
    }
}
