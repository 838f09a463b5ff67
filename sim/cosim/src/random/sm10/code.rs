//! Instructions in order, alignment of long ones, and labels: what the linker gets.

use super::super::skeleton::Program;
use warpsmith_isa::table::place;
use warpsmith_isa::{build, encode, link, AddKind, Draft, Dst, Item, Label, LogicOp, Op, Pred, Src, Width};

/// The program under construction.
#[derive(Default)]
pub struct Code {
    items: Vec<Item>,
    words: usize,
    labels: u32,
}

impl Program for Code {
    type Label = Label;

    fn bytes(&self) -> u32 {
        4 * self.words as u32
    }

    fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels)
    }

    /// The next instruction is a long one.
    fn place(&mut self, label: Label) {
        self.align();
        self.items.push(Item::Label(label));
    }
}

impl Code {
    /// Appends a word or a pair; a pair is aligned to 8 bytes.
    pub fn push(&mut self, word: u64) {
        let mut words = vec![word as u32];
        if word & 1 != 0 {
            self.align();
            words.push((word >> 32) as u32);
        }
        self.words += words.len();
        self.items.push(Item::Words(words));
    }

    /// The last word or pair, if nothing follows it.
    pub fn last(&self) -> Option<u64> {
        let Some(Item::Words(words)) = self.items.last() else { return None };
        Some(words.iter().rev().fold(0, |w, x| w << 32 | u64::from(*x)))
    }

    /// Fills up to a multiple of 8 bytes.
    pub fn align(&mut self) {
        self.words = self.words.next_multiple_of(2);
        self.items.push(Item::Align);
    }

    /// A control instruction whose target is a label.
    pub fn jump(&mut self, jump: Draft, to: Label) {
        self.align();
        self.words += 2;
        self.items.push(Item::Jump(jump, to));
    }

    /// The finished words.
    ///
    /// # Panics
    /// When a label was used and never placed.
    pub fn finish(self) -> Vec<u32> {
        match link(&self.items) {
            Ok(l) => l.words,
            Err(e) => panic!("the generator made items that do not link: {e}"),
        }
    }
}

/// The 8-byte words of a draft.
///
/// # Panics
/// When it has none: the generator's fixed sequences use registers that every form takes.
pub fn long(draft: &Draft) -> u64 {
    let i = build::long(draft).unwrap_or_else(|e| panic!("the generator made {draft:?}: {e}"));
    let (w0, w1) = encode(&i).unwrap_or_else(|e| panic!("the generator made {i:?}: {e}"));
    u64::from(w0) | u64::from(w1) << 32
}

/// A move, and a sum.
pub const MOV: Op = Op::Mov { width: Width::W32, lanes: 0xf };
pub const ADD: Op = Op::IAdd { kind: AddKind::Add, width: Width::W32, sat: false };

/// An operation on up to two sources.
pub fn make(op: Op, dst: Dst, a: Src, b: Src) -> Draft {
    Draft::new(op, dst, [a, b, Src::None])
}

/// `d = v`.
pub fn mvi(d: u8, v: u32) -> Draft {
    make(MOV, Dst::Reg(d), Src::Imm(v), Src::None)
}

/// `d = a + v`.
pub fn add_imm(d: u8, a: u8, v: u32) -> Draft {
    make(ADD, Dst::Reg(d), Src::Reg(a), Src::Imm(v))
}

/// `d = a & v`.
pub fn and_imm(d: u8, a: u8, v: u32) -> Draft {
    let op = Op::Logic { op: LogicOp::And, not_a: false, not_b: false, width: Width::W32 };
    make(op, Dst::Reg(d), Src::Reg(a), Src::Imm(v))
}

/// `d = a` shifted by `n`, zeros filled in.
pub fn shift(right: bool, d: u8, a: u8, n: u32) -> Draft {
    make(Op::Shift { right, signed: false, width: Width::W32 }, Dst::Reg(d), Src::Reg(a), Src::Imm(n))
}

/// Bits of a guard.
pub fn guard(p: Pred) -> u64 {
    place::CONDITION.put(p.code.into()) | place::GUARD_FLAG.put(p.creg.into())
}
