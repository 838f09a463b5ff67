//! Blocks in a row: control flow that needs two entries of the divergence stack, however deep it is nested.
//!
//! Every thread keeps the number of the block it goes to next in a register. The blocks of a region
//! stand in the order of the graph, each under the condition that the number is its own: branches
//! become writes of that register. A loop is a row of its own, passed again as long as any thread has
//! the number of a block of the loop ([`Term::Any`]), so that no thread is ahead of the others.
//! Behind the region threads part again where it has several exits.

use super::bits::BitSet;
use super::graph::{Graph, Loops};
use super::simplify::targets;
use super::structure::part;
use crate::alloc::live::graph;
use crate::error::Loc;
use crate::mir::{Block, BlockId, Class, Dst, Function, Guard, Inst, Src, Term, Word};
use std::collections::HashMap;
use warpsmith_isa::{AddKind, Op, Width};

/// Condition code: result not zero.
const NE: u8 = 5;

/// A part of a row.
enum Step {
    /// A block of the region.
    Block(u32),
    /// A loop: its blocks have the numbers from the first on, and so many.
    Loop(u32, u32, Vec<Step>),
}

/// Lines up the blocks of a region, which are any that can be reached; the entry stays in front.
pub fn line_up(f: &mut Function, region: &BitSet) {
    let mut set = region.clone();
    set.remove(0);
    let g = graph(f);
    let outside = |b: &u32| !set.contains(*b);
    let entries: Vec<u32> = set.iter().filter(|&b| g.pred[b as usize].iter().any(outside)).collect();
    if entries.is_empty() {
        return;
    }
    let mut row = Row { which: Word { reg: f.reg(Class::Gpr(1)), part: 0 }, number: HashMap::new(), f };
    let steps = row.order(&g, &set, &entries);
    let first = match &steps[..] {
        [Step::Block(b), ..] if entries == [*b] => Some(*b),
        _ => None,
    };
    let (exits, returns) = row.exits(&g, &set);
    for b in set.iter() {
        row.note_term(b, returns);
    }
    let end = row.part_again(&exits);
    let start = row.write(&steps, end, first);
    // Ways in note where they lead, unless that is the one place where the row begins.
    let loc = row.f.blocks[entries[0] as usize].loc;
    let notes = row.f.blocks.len() as u32;
    if first.is_none() {
        for &e in &entries {
            let note = row.note(e, loc);
            row.block(vec![note], Term::Jump(BlockId(start)), e);
        }
        for b in (0..g.len() as u32).filter(outside) {
            targets(&mut row.f.blocks[b as usize].term, |t| {
                if let Some(k) = entries.iter().position(|e| e == t) {
                    *t = notes + k as u32;
                }
            });
        }
    }
}

struct Row<'a> {
    f: &'a mut Function,
    /// Where the thread goes next.
    which: Word,
    /// Numbers of the region's blocks in the order of the row, then of its exits.
    number: HashMap<u32, u32>,
}

impl Row<'_> {
    /// Gives a block the next number.
    fn count(&mut self, b: u32) {
        self.number.insert(b, self.number.len() as u32);
    }

    /// The blocks in reverse postorder, those of a loop together.
    fn order(&mut self, g: &Graph, set: &BitSet, entries: &[u32]) -> Vec<Step> {
        // The graph of the region alone; block 0 leads to its entries.
        let inner = Graph::new(g.len(), |b| match b {
            0 => entries.to_vec(),
            _ if set.contains(b) => {
                let all = g.succ[b as usize].iter().copied();
                all.filter(|&s| set.contains(s)).collect()
            }
            _ => Vec::new(),
        });
        let order: Vec<u32> = inner.rpo().into_iter().skip(1).collect();
        let loops = inner.loops();
        self.steps(&order, &loops, None)
    }

    fn steps(&mut self, order: &[u32], loops: &Loops, around: Option<u32>) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut done = Vec::new();
        for &b in order {
            let mut child = None;
            let mut at = loops.of(b);
            while at != around {
                let Some(l) = at else { break };
                child = at;
                at = loops.list[l as usize].parent;
            }
            match child {
                _ if at != around => {}
                None => {
                    self.count(b);
                    steps.push(Step::Block(b));
                }
                Some(l) if done.contains(&l) => {}
                Some(l) => {
                    done.push(l);
                    let from = self.number.len() as u32;
                    let inner = self.steps(order, loops, child);
                    steps.push(Step::Loop(from, self.number.len() as u32 - from, inner));
                }
            }
        }
        steps
    }

    /// The blocks the region leads to, numbered, and the one at which threads end that do so in it.
    fn exits(&mut self, g: &Graph, set: &BitSet) -> (Vec<u32>, u32) {
        let all = set.iter().flat_map(|b| &g.succ[b as usize]).copied();
        let mut list: Vec<u32> = all.filter(|&s| !set.contains(s)).collect();
        list.sort_unstable();
        list.dedup();
        let ends = |b: u32| {
            let term = self.f.blocks[b as usize].term;
            matches!(term, Term::Return | Term::ReturnIf { .. }).then_some(b)
        };
        let mut returns = 0;
        if let Some(like) = set.iter().find_map(ends) {
            returns = self.block(Vec::new(), Term::Return, like);
            self.f.blocks[returns as usize].loop_depth = 0;
            list.push(returns);
        }
        for &e in &list {
            self.count(e);
        }
        (list, returns)
    }

    /// An instruction that notes a block as the next.
    fn note(&self, to: u32, loc: Loc) -> Inst {
        let mov = Op::Mov { width: Width::W32, lanes: 15 };
        let src = [self.constant(to), Src::None, Src::None];
        Inst::new(mov, Dst::Word(self.which), src, loc)
    }

    fn constant(&self, b: u32) -> Src {
        match self.number[&b] {
            0 => Src::Zero,
            n => Src::Imm(n),
        }
    }

    /// Notes what the end of a block says; its place in the row comes with [`Row::write`].
    fn note_term(&mut self, b: u32, returns: u32) {
        let block = &self.f.blocks[b as usize];
        let (term, loc) = (block.term, block.loc);
        let (to, under) = match term {
            Term::Jump(to) => (to.0, None),
            Term::Branch { guard, then, other, .. } | Term::Any { guard, then, other } => {
                (other.0, Some((guard, then.0)))
            }
            Term::ReturnIf { guard, other, .. } => (other.0, Some((guard, returns))),
            Term::Return => (returns, None),
            Term::Trap => return,
        };
        let mut notes = vec![self.note(to, loc)];
        notes.extend(under.map(|(guard, then)| Inst { guard: Some(guard), ..self.note(then, loc) }));
        self.f.blocks[b as usize].insts.extend(notes);
    }

    /// The first block of what follows the row: threads go to the exits they noted.
    fn part_again(&mut self, exits: &[u32]) -> u32 {
        let Some((&last, rest)) = exits.split_last() else {
            // All threads trap in the region, or go round in it.
            return self.block(Vec::new(), Term::Return, 0);
        };
        rest.iter().rev().fold(last, |other, &e| {
            let flag = self.f.reg(Class::Flag);
            let like = &self.f.blocks[e as usize];
            let (loc, loop_depth) = (like.loc, like.loop_depth);
            let number = self.number[&e];
            let block = part(self.which, number, flag, BlockId(e), BlockId(other), loc);
            self.f.blocks.push(Block { loop_depth, ..block });
            self.f.blocks.len() as u32 - 1
        })
    }

    /// Writes the steps in front of block `next`; returns the first block.
    fn write(&mut self, steps: &[Step], next: u32, first: Option<u32>) -> u32 {
        steps.iter().rev().fold(next, |next, step| match step {
            Step::Block(b) => {
                let block = &mut self.f.blocks[*b as usize];
                if block.term != Term::Trap {
                    block.term = Term::Jump(BlockId(next));
                }
                let (loc, loop_depth) = (block.loc, block.loop_depth);
                if first == Some(*b) {
                    return *b;
                }
                let flag = self.f.reg(Class::Flag);
                let number = self.number[b];
                let test = part(self.which, number, flag, BlockId(*b), BlockId(next), loc);
                self.f.blocks.push(Block { loop_depth, ..test });
                self.f.blocks.len() as u32 - 1
            }
            Step::Loop(from, count, inner) => {
                let head = self.block(Vec::new(), Term::Return, next);
                let start = self.write(inner, head, None);
                let loc = self.f.blocks[start as usize].loc;
                let (insts, guard) = self.within(*from, *count, loc);
                self.f.blocks[head as usize] = Block {
                    insts,
                    term: Term::Any { guard, then: BlockId(start), other: BlockId(next) },
                    loc,
                    loop_depth: self.f.blocks[start as usize].loop_depth,
                };
                head
            }
        })
    }

    /// Instructions whose flags say whether the number of the thread is one of `count` from `from` on.
    fn within(&mut self, from: u32, count: u32, loc: Loc) -> (Vec<Inst>, Guard) {
        let mut insts = Vec::new();
        let mut word = self.which;
        if from > 0 {
            word.reg = self.f.reg(Class::Gpr(1));
            let add = Op::IAdd { kind: AddKind::Add, width: Width::W32, sat: false };
            let src = [Src::Word(self.which), Src::Imm(from.wrapping_neg()), Src::None];
            insts.push(Inst::new(add, Dst::Word(word), src, loc));
        }
        let below = Op::ISet { cond: 1, width: Width::W32, signed: false };
        let flag = self.f.reg(Class::Flag);
        let src = [Src::Word(word), Src::Imm(count), Src::None];
        let mut set = Inst::new(below, Dst::Discard, src, loc);
        set.cdst = Some(flag);
        insts.push(set);
        (insts, Guard { flag, code: NE })
    }

    /// A new block at the place of another.
    fn block(&mut self, insts: Vec<Inst>, term: Term, like: u32) -> u32 {
        let like = &self.f.blocks[like as usize];
        let (loc, loop_depth) = (like.loc, like.loop_depth);
        self.f.blocks.push(Block { insts, term, loc, loop_depth });
        self.f.blocks.len() as u32 - 1
    }
}
