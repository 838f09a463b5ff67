//! Single passes of the allocator; the tests of the layout run whole programs.

use super::allocate;
use crate::error::Loc;
use crate::mir::{Block, Class, Dst, Function, Guard, Inst, MemRef, Reg, Src, Term, Word};
use warpsmith_isa::{AddKind, MemSize, Op, Width};

/// The chip reads the address of a wide load again in every pass.
#[test]
fn a_wide_load_does_not_overwrite_its_address() {
    for words in [2u8, 4] {
        let mut f = Function {
            name: "wide".into(),
            regs: Vec::new(),
            entry: Reg(0),
            blocks: Vec::new(),
            local_bytes: 0,
            param_end: 16,
            fixed: None,
            signature: None,
        };
        f.entry = f.reg(Class::Gpr(1));
        let to = f.reg(Class::Gpr(words));
        let size = if words == 2 { MemSize::B64 } else { MemSize::B128 };
        let word = |reg, part| Src::Word(Word { reg, part });
        let load = Op::LdGlobal { space: 14, size };
        let store = Op::StGlobal { space: 14, size };
        let loc = Loc::default();
        f.blocks.push(Block {
            insts: vec![
                Inst::new(load, Dst::Wide(to), [word(f.entry, 0), Src::None, Src::None], loc),
                Inst::new(store, Dst::None, [word(to, 0), Src::Wide(to), Src::None], loc),
            ],
            term: Term::Return,
            loc,
            loop_depth: 0,
        });
        let places = allocate(&mut f, 128, 32).expect("registers suffice");
        assert!(places.place(to).is_some_and(|p| p >= words), "{places:?}");
    }
}

/// A function of one block.
fn straight(regs: Vec<Class>, insts: Vec<Inst>) -> Function {
    Function {
        name: "straight".into(),
        regs,
        entry: Reg(0),
        blocks: vec![Block { insts, term: Term::Return, loc: Loc::default(), loop_depth: 0 }],
        local_bytes: 0,
        param_end: 32,
        fixed: None,
        signature: None,
    }
}

fn w(reg: u32, part: u8) -> Word {
    Word { reg: Reg(reg), part }
}

fn inst(op: Op, dst: Dst, src: [Src; 2]) -> Inst {
    Inst::new(op, dst, [src[0], src[1], Src::None], Loc::default())
}

const MOV: Op = Op::Mov { width: Width::W32, lanes: 15 };
const ADD: Op = Op::IAdd { kind: AddKind::Add, width: Width::W32, sat: false };

fn word(reg: u32) -> Src {
    Src::Word(w(reg, 0))
}

fn parameter(offset: i32) -> Src {
    Src::Shared(MemRef { base: None, offset, post_inc: false, size: MemSize::B32 })
}

fn store(address: u32, value: Src) -> Inst {
    let size = match value {
        Src::Wide(_) => MemSize::B128,
        _ => MemSize::B32,
    };
    let op = Op::StGlobal { space: 14, size };
    inst(op, Dst::None, [word(address), value])
}

#[test]
fn words_are_computed_where_a_wide_store_wants_them() {
    let one = Class::Gpr(1);
    let mut insts = Vec::new();
    for k in 0..4 {
        let dst = Dst::Word(w(1 + k, 0));
        insts.push(inst(ADD, dst, [word(0), Src::Imm(k)]));
    }
    for k in 0..4 {
        let dst = Dst::Word(w(5, k));
        insts.push(inst(MOV, dst, [word(1 + u32::from(k)), Src::None]));
    }
    insts.push(store(0, Src::Wide(Reg(5))));
    let mut f = straight(vec![one, one, one, one, one, Class::Gpr(4)], insts);
    let places = allocate(&mut f, 128, 32).expect("registers suffice");
    assert_eq!(f.blocks[0].insts.len(), 5, "{f}");
    assert_eq!((places.place(Reg(5)), places.registers), (Some(4), 8));
}

#[test]
fn copies_of_one_value_share_a_register() {
    let one = Class::Gpr(1);
    let copy = |to: u32, from: u32| inst(MOV, Dst::Word(w(to, 0)), [word(from), Src::None]);
    let insts = vec![copy(1, 0), copy(2, 0), store(1, word(2)), store(2, word(1))];
    let mut f = straight(vec![one; 3], insts);
    let places = allocate(&mut f, 128, 32).expect("registers suffice");
    assert_eq!((f.blocks[0].insts.len(), places.registers), (2, 1));
}

#[test]
fn parameters_are_read_again_instead_of_spilled() {
    let n = 12;
    let mut insts = Vec::new();
    for k in 1..=n {
        let from = parameter(16 + 4 * (k as i32 % 4));
        insts.push(inst(MOV, Dst::Word(w(k, 0)), [from, Src::None]));
    }
    for k in 1..=n {
        insts.push(store(0, word(k)));
    }
    let mut f = straight(vec![Class::Gpr(1); n as usize + 1], insts);
    let places = allocate(&mut f, 4, 32).expect("registers suffice");
    assert!(places.registers <= 4);
    assert_eq!((places.spilled_words, f.local_bytes), (0, 0));
}

#[test]
fn too_few_registers_are_an_error() {
    let insts = vec![
        inst(Op::LdGlobal { space: 14, size: MemSize::B128 }, Dst::Wide(Reg(1)), [word(0), Src::None]),
        store(0, Src::Wide(Reg(1))),
    ];
    let mut f = straight(vec![Class::Gpr(1), Class::Gpr(4)], insts);
    let e = allocate(&mut f, 4, 32).expect_err("a quad and its address");
    assert!(e.message.contains("4 registers"), "{e}");
}

#[test]
fn addresses_and_flags_beyond_their_registers_wait_in_words() {
    let mut regs = vec![Class::Gpr(1)];
    let mut insts = Vec::new();
    for k in 0..9u32 {
        regs.push(Class::Addr);
        let dst = Dst::Addr(Reg(regs.len() as u32 - 1));
        insts.push(inst(Op::R2A { shift: 2 }, dst, [word(0), Src::None]));
        regs.push(Class::Flag);
        let mut add = inst(ADD, Dst::Discard, [word(0), Src::Imm(k)]);
        add.cdst = Some(Reg(regs.len() as u32 - 1));
        insts.push(add);
    }
    regs.push(Class::Gpr(1));
    let to = w(regs.len() as u32 - 1, 0);
    for k in 0..9u32 {
        let mut load = inst(MOV, Dst::Word(to), [parameter(16), Src::None]);
        if let Src::Shared(m) = &mut load.src[0] {
            m.base = Some(Reg(1 + 2 * k));
        }
        insts.push(load);
        let mut save = store(0, Src::Word(to));
        save.guard = Some(Guard { flag: Reg(2 + 2 * k), code: 5 });
        insts.push(save);
    }
    let mut f = straight(regs, insts);
    let places = allocate(&mut f, 128, 32).expect("registers suffice");
    assert_eq!(places.spilled_words, 0);
    assert!(places.registers > 6, "{f}");
}
