//! Random machine functions that end and whose values are all defined.

use crate::error::Loc;
use crate::mir::{Block, BlockId, Class, Dst, Function, Guard, Inst, MemRef, Reg, Src, Term, Word};
use rand::Rng;
use warpsmith_isa::{self as isa, AddKind, IntType, LogicOp, MemSize, MulKind, Op, Width};

/// Parameters of the launch.
pub const PARAMS: [u32; 4] = [0x1000, 0x8765_4321, 0x0000_00ff, 77];

/// Shared memory as a thread finds it: header, parameters, room.
pub fn shared() -> Vec<u8> {
    let header: [u16; 8] = [0, super::THREADS as u16, 1, 1, 1, 1, 0, 0];
    let mut all: Vec<u8> = header.iter().flat_map(|h| h.to_le_bytes()).collect();
    all.extend(PARAMS.iter().flat_map(|p| p.to_le_bytes()));
    all.resize(128, 0);
    all
}

/// Size of a function.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub blocks: u32,
    pub insts: usize,
    pub words: usize,
}

/// Bytes of global memory of a thread.
const ROOM: u32 = 256;

struct Maker<'a, R> {
    rng: &'a mut R,
    f: Function,
    words: Vec<Word>,
    wides: Vec<Reg>,
    addrs: Vec<Reg>,
    flags: Vec<Reg>,
    out: Vec<Inst>,
    home: Word,
    fuel: Word,
}

const MOV: Op = Op::Mov { width: Width::W32, lanes: 15 };
const AND: Op = Op::Logic { op: LogicOp::And, not_a: false, not_b: false, width: Width::W32 };
const ADD: Op = Op::IAdd { kind: AddKind::Add, width: Width::W32, sat: false };

fn w(reg: Reg) -> Word {
    Word { reg, part: 0 }
}

fn at(base: Option<Reg>, offset: i32, size: MemSize) -> MemRef {
    MemRef { base, offset, post_inc: false, size }
}

/// A function of about the shape.
pub fn function<R: Rng>(rng: &mut R, shape: Shape) -> Function {
    let f = Function {
        name: "random".into(),
        regs: vec![Class::Gpr(1)],
        entry: Reg(0),
        blocks: Vec::new(),
        local_bytes: 16,
        param_end: 0x20,
        fixed: None,
        signature: None,
    };
    let zero = w(Reg(0));
    let mut m = Maker {
        rng,
        f,
        words: Vec::new(),
        wides: Vec::new(),
        addrs: Vec::new(),
        flags: Vec::new(),
        out: Vec::new(),
        home: zero,
        fuel: zero,
    };
    m.start(shape);
    let n = shape.blocks.max(1);
    for b in 0..n {
        let first = std::mem::take(&mut m.out);
        m.out = first;
        if b > 0 {
            let fuel = m.fuel;
            m.put(ADD, Dst::Word(fuel), [Src::Word(fuel), Src::Imm(u32::MAX)]);
        }
        for _ in 0..m.rng.gen_range(0..=shape.insts) {
            m.inst();
        }
        let term = m.term(b, n);
        if matches!(term, Term::Return | Term::ReturnIf { .. }) || m.rng.gen_bool(0.3) {
            m.store_some();
        }
        let insts = std::mem::take(&mut m.out);
        m.f.blocks.push(Block { insts, term, loc: Loc::default(), loop_depth: 0 });
    }
    m.f
}

impl<R: Rng> Maker<'_, R> {
    fn put(&mut self, op: Op, dst: Dst, src: [Src; 2]) -> &mut Inst {
        let i = Inst::new(op, dst, [src[0], src[1], Src::None], Loc::default());
        self.out.push(i);
        let last = self.out.len() - 1;
        &mut self.out[last]
    }

    /// Every register gets a value.
    fn start(&mut self, shape: Shape) {
        let tid = w(self.f.reg(Class::Gpr(1)));
        let i2i = Op::I2I { dst: IntType::U32, src: IntType::U16, neg: false, abs: false };
        let entry = w(self.f.entry);
        self.put(i2i, Dst::Word(tid), [Src::Half(entry, false), Src::None]);
        self.home = w(self.f.reg(Class::Gpr(1)));
        self.fuel = w(self.f.reg(Class::Gpr(1)));
        let (home, fuel) = (self.home, self.fuel);
        let mad = Op::IMad { kind: AddKind::Add, mul: MulKind::U16, sat: false };
        let by = w(self.f.reg(Class::Gpr(1)));
        let base = w(self.f.reg(Class::Gpr(1)));
        self.put(MOV, Dst::Word(by), [Src::Imm(ROOM), Src::None]);
        let param = at(None, 0x10, MemSize::B32);
        self.put(MOV, Dst::Word(base), [Src::Shared(param), Src::None]);
        self.put(mad, Dst::Word(home), [Src::Half(entry, false), Src::Half(by, false)]);
        let last = self.out.len() - 1;
        self.out[last].src[2] = Src::Word(base);
        self.put(AND, Dst::Word(fuel), [Src::Word(tid), Src::Imm(7)]);
        self.put(ADD, Dst::Word(fuel), [Src::Word(fuel), Src::Imm(6)]);
        self.words.push(tid);
        for _ in 0..shape.words {
            let r = w(self.f.reg(Class::Gpr(1)));
            match self.rng.gen_range(0..4) {
                0 => {
                    let v = self.rng.gen();
                    self.put(MOV, Dst::Word(r), [Src::Imm(v), Src::None]);
                }
                1 => {
                    let o = 0x10 + 4 * self.rng.gen_range(0..4);
                    let p = at(None, o, MemSize::B32);
                    self.put(MOV, Dst::Word(r), [Src::Shared(p), Src::None]);
                }
                _ => {
                    let v = self.rng.gen();
                    self.put(ADD, Dst::Word(r), [Src::Word(tid), Src::Imm(v)]);
                }
            }
            self.words.push(r);
        }
        for n in [2, 4] {
            let r = self.f.reg(Class::Gpr(n));
            for part in 0..n {
                let to = Word { reg: r, part };
                let from = self.word();
                self.put(MOV, Dst::Word(to), [Src::Word(from), Src::None]);
            }
            self.wides.push(r);
        }
        for _ in 0..3 {
            let a = self.f.reg(Class::Addr);
            let from = self.word();
            self.put(Op::R2A { shift: 1 }, Dst::Addr(a), [Src::Word(from), Src::None]);
            self.addrs.push(a);
        }
        for _ in 0..3 {
            let c = self.f.reg(Class::Flag);
            self.compare(c);
            self.flags.push(c);
        }
    }

    fn word(&mut self) -> Word {
        if !self.wides.is_empty() && self.rng.gen_ratio(1, 6) {
            let reg = self.wides[self.rng.gen_range(0..self.wides.len())];
            let part = self.rng.gen_range(0..self.f.regs[reg.0 as usize].words());
            return Word { reg, part };
        }
        self.words[self.rng.gen_range(0..self.words.len())]
    }

    fn flag(&mut self) -> Reg {
        self.flags[self.rng.gen_range(0..self.flags.len())]
    }

    fn addr(&mut self) -> Reg {
        self.addrs[self.rng.gen_range(0..self.addrs.len())]
    }

    fn code(&mut self) -> u8 {
        loop {
            let c = self.rng.gen_range(1..32);
            if c != 15 && !(0x14..=0x1b).contains(&c) {
                return c;
            }
        }
    }

    fn compare(&mut self, c: Reg) {
        let (a, b) = (self.word(), self.word());
        let cond = self.rng.gen_range(1..7);
        let signed = self.rng.gen();
        let set = Op::ISet { cond, width: Width::W32, signed };
        self.put(set, Dst::Discard, [Src::Word(a), Src::Word(b)]).cdst = Some(c);
    }

    fn operand(&mut self) -> Src {
        match self.rng.gen_range(0..5) {
            0 => Src::Imm(self.rng.gen()),
            1 => Src::Imm(self.rng.gen_range(0..100)),
            _ => Src::Word(self.word()),
        }
    }

    fn inst(&mut self) {
        let (d, a, b) = (self.word(), self.word(), self.word());
        let kind = [AddKind::Add, AddKind::Sub, AddKind::Subr, AddKind::Addc][self.rng.gen_range(0..4)];
        let from = self.out.len();
        match self.rng.gen_range(0..24) {
            0..=3 => {
                self.put(MOV, Dst::Word(d), [Src::Word(a), Src::None]);
            }
            4..=6 => {
                let op = Op::IAdd { kind, width: Width::W32, sat: false };
                let (src, c, flags) = (self.operand(), self.flag(), self.flag());
                let set = self.rng.gen_bool(0.4);
                let i = self.put(op, Dst::Word(d), [Src::Word(a), src]);
                i.carry = (kind == AddKind::Addc).then_some(c);
                i.cdst = set.then_some(flags);
            }
            7 | 8 => {
                let op = Op::Logic {
                    op: [LogicOp::And, LogicOp::Or, LogicOp::Xor][self.rng.gen_range(0..3)],
                    not_a: self.rng.gen_bool(0.2),
                    not_b: false,
                    width: Width::W32,
                };
                let src = self.operand();
                self.put(op, Dst::Word(d), [Src::Word(a), src]);
            }
            9 => {
                let op = Op::IMad {
                    kind: if kind == AddKind::Addc { AddKind::Add } else { kind },
                    mul: MulKind::U16,
                    sat: false,
                };
                let (x, y) = (self.rng.gen(), self.rng.gen());
                let c = self.word();
                let third = if self.rng.gen() { Src::Word(c) } else { Src::Imm(self.rng.gen()) };
                self.put(op, Dst::Word(d), [Src::Half(a, x), Src::Half(b, y)]).src[2] = third;
            }
            10 => {
                let op = Op::IMul16 { signed_a: false, signed_b: false };
                let high = self.rng.gen();
                let src = if self.rng.gen() { Src::Imm16(self.rng.gen()) } else { Src::Half(b, high) };
                self.put(op, Dst::Word(d), [Src::Half(a, high), src]);
            }
            11 => {
                let op = Op::Mov { width: Width::W16, lanes: 15 };
                let (x, y) = (self.rng.gen(), self.rng.gen());
                self.put(op, Dst::Half(d, x), [Src::Half(a, y), Src::None]);
            }
            12 => {
                let op = Op::Shift { right: self.rng.gen(), signed: false, width: Width::W32 };
                let n = self.rng.gen_range(0..35);
                self.put(op, Dst::Word(d), [Src::Word(a), Src::Imm(n)]);
            }
            13 | 14 => {
                let c = self.flag();
                self.compare(c);
            }
            15 => {
                let (to, a2) = (self.addr(), self.addr());
                if self.rng.gen() {
                    let shift = self.rng.gen_range(0..5);
                    self.put(Op::R2A { shift }, Dst::Addr(to), [Src::Word(a), Src::None]);
                } else {
                    let n = self.rng.gen_range(0..3) * 20;
                    self.put(Op::AddA, Dst::Addr(to), [Src::Addr(a2), Src::Imm(n)]);
                }
            }
            16 => {
                let from = self.addr();
                self.put(Op::A2R, Dst::Word(d), [Src::Addr(from), Src::None]);
            }
            17 => {
                let c = self.flag();
                if self.rng.gen() {
                    self.put(Op::C2R, Dst::Word(d), [Src::Flag(c), Src::None]);
                } else {
                    self.put(Op::R2C, Dst::Flag(c), [Src::Word(a), Src::None]);
                }
            }
            18 | 19 => {
                let (op, src) = self.global();
                let space = 14;
                if self.rng.gen() {
                    let size = MemSize::B32;
                    self.put(Op::LdGlobal { space, size }, Dst::Word(d), [op, Src::None]);
                } else {
                    let size = MemSize::B32;
                    self.put(Op::StGlobal { space, size }, Dst::None, [op, Src::Word(src)]);
                }
            }
            20 => {
                let (op, _) = self.global();
                let r = self.wides[self.rng.gen_range(0..self.wides.len())];
                let size = match self.f.regs[r.0 as usize].words() {
                    2 => MemSize::B64,
                    _ => MemSize::B128,
                };
                let space = 14;
                if self.rng.gen() {
                    self.put(Op::LdGlobal { space, size }, Dst::Wide(r), [op, Src::None]);
                } else {
                    self.put(Op::StGlobal { space, size }, Dst::None, [op, Src::Wide(r)]);
                }
            }
            21 => {
                let place = at(None, 4 * self.rng.gen_range(0..4), MemSize::B32);
                let none = isa::MemRef { areg: 0, offset: 0, post_inc: false, size: MemSize::B32 };
                let i = if self.rng.gen() {
                    self.put(Op::LdLocal { at: none }, Dst::Word(d), [Src::None; 2])
                } else {
                    self.put(Op::StLocal { at: none }, Dst::None, [Src::Word(a), Src::None])
                };
                i.at = Some(place);
            }
            22 => {
                // The parameters through an address register that moves on.
                let base = self.addr();
                self.put(Op::AddA, Dst::Addr(base), [Src::AddrZero, Src::Imm(0x10)]);
                let m = MemRef { post_inc: true, ..at(Some(base), 4, MemSize::B32) };
                self.put(MOV, Dst::Word(d), [Src::Shared(m), Src::None]);
            }
            _ => {
                let p = at(None, 0x10 + 4 * self.rng.gen_range(0..4), MemSize::B32);
                self.put(ADD, Dst::Word(d), [Src::Shared(p), Src::Word(b)]);
            }
        }
        if self.rng.gen_ratio(1, 4) {
            let (flag, code) = (self.flag(), self.code());
            for i in &mut self.out[from..] {
                if i.carry.is_none() && i.op != Op::C2R {
                    i.guard = Some(Guard { flag, code });
                }
            }
        }
    }

    /// An address in the thread's room, and a word to store.
    fn global(&mut self) -> (Src, Word) {
        let r = w(self.f.reg(Class::Gpr(1)));
        let n = 16 * self.rng.gen_range(0..ROOM / 16);
        let home = self.home;
        self.put(ADD, Dst::Word(r), [Src::Word(home), Src::Imm(n)]);
        (Src::Word(r), self.word())
    }

    fn store_some(&mut self) {
        for _ in 0..self.rng.gen_range(1..4) {
            let (op, v) = self.global();
            let store = Op::StGlobal { space: 14, size: MemSize::B32 };
            self.put(store, Dst::None, [op, Src::Word(v)]);
        }
    }

    fn term(&mut self, b: u32, n: u32) -> Term {
        if b + 1 >= n {
            return Term::Return;
        }
        let later = BlockId(self.rng.gen_range(b + 1..n.min(b + 5)));
        let next = BlockId(b + 1);
        let code = self.code();
        let flag = self.flag();
        let guard = Guard { flag, code };
        match self.rng.gen_range(0..10) {
            0 => Term::Jump(later),
            1 => Term::ReturnIf { guard, other: next, divergent: true },
            2 => {
                // Uniform: from a parameter.
                let c = self.f.reg(Class::Flag);
                let t = w(self.f.reg(Class::Gpr(1)));
                let p = at(None, 0x14, MemSize::B32);
                self.put(MOV, Dst::Word(t), [Src::Shared(p), Src::None]);
                let bit = 1 << self.rng.gen_range(0..32);
                self.put(AND, Dst::Discard, [Src::Word(t), Src::Imm(bit)]).cdst = Some(c);
                Term::Branch { guard: Guard { flag: c, code: 5 }, then: later, other: next, divergent: false }
            }
            3..=5 if b > 0 => {
                // Back, while there is fuel.
                let c = self.f.reg(Class::Flag);
                let set = Op::ISet { cond: 4, width: Width::W32, signed: true };
                let fuel = self.fuel;
                let zero = if self.rng.gen() { Src::Zero } else { Src::Imm(0) };
                self.put(set, Dst::Discard, [Src::Word(fuel), zero]).cdst = Some(c);
                let back = BlockId(self.rng.gen_range(b.saturating_sub(4).max(1)..=b));
                let (then, other, code) = match self.rng.gen() {
                    true => (back, later, 5),
                    false => (later, back, 10),
                };
                Term::Branch { guard: Guard { flag: c, code }, then, other, divergent: true }
            }
            _ => Term::Branch {
                guard,
                then: if self.rng.gen() { later } else { next },
                other: if self.rng.gen() { next } else { later },
                divergent: true,
            },
        }
    }
}
