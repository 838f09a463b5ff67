//! Join points, scopes and shapes of small graphs.

use super::*;
use crate::error::Loc;
use crate::mir::{Block, BlockId, Class, Dst, Function, Guard, Inst, Reg, Src, Term, Word};
use warpsmith_isa::{Op, Width};

const FLAG: Reg = Reg(1);

fn guard() -> Guard {
    Guard { flag: FLAG, code: 5 }
}

fn split(then: u32, other: u32) -> Term {
    Term::Branch { guard: guard(), then: BlockId(then), other: BlockId(other), divergent: true }
}

fn jump(to: u32) -> Term {
    Term::Jump(BlockId(to))
}

/// A function of these blocks, an instruction in each.
fn function(terms: &[Term]) -> Function {
    let op = Op::Mov { width: Width::W32, lanes: 15 };
    let to = Word { reg: Reg(0), part: 0 };
    let inst = |n: usize| {
        let src = [Src::Imm(n as u32), Src::None, Src::None];
        Inst::new(op, Dst::Word(to), src, Loc::default())
    };
    Function {
        name: "shape".into(),
        regs: vec![Class::Gpr(1), Class::Flag],
        entry: Reg(0),
        blocks: (0..)
            .zip(terms)
            .map(|(n, term)| Block { insts: vec![inst(n)], term: *term, loc: Loc::default(), loop_depth: 0 })
            .collect(),
        local_bytes: 0,
        param_end: 16,
        fixed: None,
        signature: None,
    }
}

fn found(f: &Function) -> Joins {
    let j = joins(f);
    assert_eq!(j.check(f), Ok(()));
    j
}

#[test]
fn the_sides_of_a_branch_join_behind_it() {
    let f = function(&[split(1, 2), jump(3), jump(3), Term::Return]);
    let j = found(&f);
    assert_eq!(j.of[0], Some(3));
    assert_eq!(j.open[1], [Entry::Join(3)]);
    assert_eq!(j.way(1, 3), Way::Arrive);
    assert_eq!(j.pushes(0), [Entry::Join(3)]);
    assert!(j.scopes.is_empty() && j.grows.is_empty());
}

#[test]
fn an_inner_join_lies_above_the_outer_one() {
    let f = function(&[split(1, 4), split(2, 3), jump(3), jump(4), Term::Return]);
    let j = found(&f);
    assert_eq!(j.open[2], [Entry::Join(4), Entry::Join(3)]);
    assert_eq!(j.way(2, 3), Way::Arrive);
    assert_eq!(j.open[3], [Entry::Join(4)]);
}

#[test]
fn a_trap_or_an_early_return_is_no_way_to_the_join() {
    let f = function(&[split(1, 2), Term::Trap, split(3, 4), Term::Return, jump(5), Term::Return]);
    let j = found(&f);
    assert_eq!((j.of[0], j.first[0]), (None, Some(true)));
    assert_eq!(j.of[2], None);
    assert!(j.first[2].is_some());
}

#[test]
fn threads_leave_a_loop_by_brk() {
    let f = function(&[jump(1), split(2, 3), jump(1), Term::Return]);
    let j = found(&f);
    assert_eq!(j.scopes.len(), 1);
    assert_eq!((j.scopes[0].header, j.scopes[0].exit), (1, 3));
    assert_eq!(j.way(0, 1), Way::Push(vec![Entry::Break(0)]));
    assert_eq!(j.way(1, 3), Way::Break);
    assert_eq!(j.way(2, 1), Way::Push(vec![]));
    assert_eq!(j.way_out(0), Way::Push(vec![]));
}

#[test]
fn a_uniform_loop_needs_nothing() {
    let mut f = function(&[jump(1), split(2, 3), jump(1), Term::Return]);
    if let Term::Branch { divergent, .. } = &mut f.blocks[1].term {
        *divergent = false;
    }
    let j = found(&f);
    assert!(j.scopes.is_empty() && j.of.iter().all(|l| l.is_none()));
}

#[test]
fn a_branch_in_a_round_joins_in_the_round() {
    // Block 2 leaves the loop, goes on to the next round, or does 3 first.
    let f = function(&[jump(1), split(2, 5), split(3, 4), jump(4), jump(1), Term::Return]);
    let j = found(&f);
    assert_eq!(j.of[2], Some(4));
    assert_eq!(j.open[3], [Entry::Break(0), Entry::Join(4)]);
}

#[test]
fn the_ways_of_a_round_meet_at_its_end() {
    // Both sides of block 2 go straight to the header.
    let f = function(&[jump(1), split(2, 5), split(3, 4), jump(1), jump(1), Term::Return]);
    let j = found(&f);
    assert_eq!(j.of[2], Some(1));
    assert_eq!(j.way(3, 1), Way::Arrive);
}

#[test]
fn breaking_two_loops_at_once_does_not_make_the_stack_grow() {
    // Block 2 is the inner header; block 3 leaves both loops, block 4 the inner one.
    let mut f = function(&[jump(1), jump(2), split(3, 5), split(6, 4), split(2, 5), split(1, 6), Term::Return]);
    simplify::preheaders(&mut f);
    assert!(found(&f).grows.is_empty());
}

#[test]
fn a_loop_left_to_different_places_gets_one_exit() {
    // The inner loop 2, 3, 4, 6 goes on to the next round of the outer one from 4 and to 5.
    let mut f = function(&[
        jump(1),
        jump(2),
        split(3, 4),
        split(6, 5),
        split(8, 3),
        split(1, 7),
        split(2, 5),
        Term::Return,
        jump(1),
    ]);
    assert!(!joins(&f).grows.is_empty());
    simplify::preheaders(&mut f);
    structure::flatten(&mut f);
    assert!(found(&f).grows.is_empty());
}

#[test]
fn a_loop_with_two_entries_gets_one() {
    // 1, 2 and 3 are a loop entered at 1 and 2; both sides of 1 come back to it.
    let mut f = function(&[split(1, 2), split(2, 3), split(1, 4), split(1, 4), Term::Return]);
    assert!(!joins(&f).grows.is_empty());
    structure::flatten(&mut f);
    assert!(f.blocks.len() < 30 && found(&f).grows.is_empty(), "{f}");
}

#[test]
fn empty_blocks_and_lone_returns_disappear() {
    let mut f = function(&[split(1, 2), jump(3), Term::Return, jump(4), Term::Return]);
    for b in [1, 2, 3] {
        f.blocks[b].insts.clear();
    }
    simplify::simplify(&mut f);
    let [first, second] = &f.blocks[..] else {
        panic!("two blocks, not\n{f}");
    };
    let Term::ReturnIf { guard, other, .. } = first.term else {
        panic!("a return under a guard, not\n{f}");
    };
    assert_eq!((guard.code, other), (10, BlockId(1)));
    assert_eq!(second.term, Term::Return);
}

#[test]
fn the_entry_is_no_loop_header() {
    let mut f = function(&[split(0, 1), Term::Return]);
    simplify::separate_entry(&mut f);
    assert_eq!(f.blocks[0].term, jump(1));
    assert_eq!(f.blocks[1].term, split(1, 2));
}
