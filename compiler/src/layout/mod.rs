//! Layout: blocks in order, branches, divergence stack, forms of instructions, words.

pub mod check;
pub mod fit;
mod literals;
pub(crate) mod operand;
mod order;
mod plan;
mod stack;

use crate::alloc::Assignment;
use crate::error::{CompileError, Loc};
use crate::flow::{Entry, Joins};
use crate::mir::{Function, Guard, Inst, Src, Term};
use crate::program::LineEntry;
use literals::{LiteralPlace, Literals};
use operand::{Operands, Placed};
use plan::{Edge, End, Join, Plan};
use std::collections::BTreeSet;
use warpsmith_isa::{link, Draft, Item, Label, Marker, Op, Pred};

/// Machine code of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// Program, 32-bit words in memory order.
    pub words: Vec<u32>,
    /// Source lines, ascending addresses.
    pub lines: Vec<LineEntry>,
    /// Words of constant bank 1 from byte 0.
    pub literals: Vec<u32>,
    /// Words of bank 1 that the launch fills: (index, variable, bytes added).
    pub address_words: Vec<(u32, u32, i32)>,
    /// Entries of the divergence stack needed at most.
    pub stack_depth: u32,
}

/// Writes the code of a function whose registers have places.
///
/// # Errors
/// A [`CompileError`] where an instruction has no form or the code does not fit.
pub fn write(f: &Function, places: &Assignment, joins: &Joins) -> Result<Code, CompileError> {
    write_all(Part { f, places, joins }, &[])
}

/// A function whose registers have places.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    /// The function.
    pub f: &'a Function,
    /// Its registers' places.
    pub places: &'a Assignment,
    /// Its join points.
    pub joins: &'a Joins,
}

/// Writes a kernel and, behind it, the routines by their numbers.
///
/// # Errors
/// As [`write()`].
pub fn write_all(kernel: Part, routines: &[Part]) -> Result<Code, CompileError> {
    let mut text = Text::default();
    let parts = || routines.iter().chain([&kernel]);
    let pooled: BTreeSet<PoolKey> = parts().flat_map(|p| operand::pooled(p.f, p.places)).map(|(s, _)| key(s)).collect();
    let crowded = pooled.len() > FREE_WORDS;
    if crowded || !routines.is_empty() {
        // Operands of 16 bits reach the front of the bank alone.
        for p in &pooled {
            match *p {
                PoolKey::Half(v) => {
                    text.literals.half(v);
                }
                // What no form holds goes in front of what a marker only makes so.
                PoolKey::Word(v) if crowded => {
                    text.literals.word(v, false);
                }
                PoolKey::Address(v, bytes) if crowded => {
                    text.literals.address(v, bytes, false);
                }
                _ => {}
            }
        }
    }
    let stack_depth = part(kernel, &mut text)?;
    for (n, p) in (0u32..).zip(routines) {
        text.items.push(Item::Label(routine(n)));
        text.locs.push(Loc::default());
        part(*p, &mut text)?;
    }
    finish(kernel.f, text, stack_depth)
}

/// Literals of a program beside which every marker finds room in constant bank 1.
const FREE_WORDS: usize = 48;

/// A literal of the pool, halves first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PoolKey {
    Half(u16),
    Word(u32),
    Address(u32, i32),
    Other,
}

fn key(s: Src) -> PoolKey {
    match s {
        Src::Imm16(v) => PoolKey::Half(v),
        Src::Imm(v) => PoolKey::Word(v),
        Src::GlobalAddr(v, bytes) => PoolKey::Address(v, bytes),
        _ => PoolKey::Other,
    }
}

/// Appends a function; the entries of the divergence stack it needs at most.
fn part(p: Part, text: &mut Text) -> Result<u32, CompileError> {
    let operands = Operands { places: p.places, literals: std::mem::take(&mut text.literals) };
    let plan = Plan::new(p.f, p.joins, |i| operands.carries(i, Marker::Join));
    let base = text.labels;
    let mut w = Writer {
        f: p.f,
        operands,
        plan,
        text,
        base,
        pads: Vec::new(),
        outs: vec![None; p.joins.scopes.len()],
        loc: Loc::default(),
    };
    for at in 0..w.plan.order.len() {
        w.block(w.plan.order[at])?;
    }
    w.write_pads();
    w.text.labels += 3 * p.f.blocks.len() as u32 + w.pads.len() as u32;
    w.text.literals = std::mem::take(&mut w.operands.literals);
    Ok(stack::depth(p.f, &w.plan))
}

/// Entries of the divergence stack that a function needs at most.
pub fn stack_depth(p: Part) -> u32 {
    let operands = Operands { places: p.places, literals: Literals::default() };
    stack::depth(p.f, &Plan::new(p.f, p.joins, |i| operands.carries(i, Marker::Join)))
}

/// Where a routine begins.
fn routine(n: u32) -> Label {
    Label(u32::MAX - n)
}

/// Code of several functions.
#[derive(Default)]
struct Text {
    items: Vec<Item>,
    /// Source of every item.
    locs: Vec<Loc>,
    /// Items that load a far literal.
    far: Vec<(usize, LiteralPlace)>,
    /// Literals of the functions that are written.
    literals: Literals,
    /// Labels of the functions that are written.
    labels: u32,
}

/// A way that pushes entries before it reaches a block, or leaves one more scope.
struct Pad {
    label: Label,
    edge: Edge,
    to: u32,
    loc: Loc,
}

struct Writer<'a> {
    f: &'a Function,
    operands: Operands<'a>,
    plan: Plan<'a>,
    text: &'a mut Text,
    /// First label of the function.
    base: u32,
    pads: Vec<Pad>,
    /// Where the threads go on that have left each scope.
    outs: Vec<Option<Label>>,
    loc: Loc,
}

impl Writer<'_> {
    fn error(&self, loc: Loc, message: String) -> CompileError {
        CompileError { file: self.f.name.clone(), line: (loc.line != 0).then_some(loc.line), message }
    }

    /// Where a jump to a block leads: to its first instruction, which may carry `.S`.
    fn arrival(&self, b: u32) -> Label {
        Label(self.base + 2 * b)
    }

    /// Behind a `.S` that stands alone.
    fn behind(&self, b: u32) -> Label {
        Label(self.base + 2 * b + 1)
    }

    fn put(&mut self, item: Item) {
        self.text.items.push(item);
        self.text.locs.push(self.loc);
    }

    fn control(&mut self, op: Op, pred: Pred) {
        self.put(Item::Free(Draft::bare(op).guard(pred)));
    }

    fn join(&mut self) {
        self.put(Item::Free(Draft::bare(Op::Nop).marker(Marker::Join)));
    }

    fn jump(&mut self, op: Op, pred: Pred, to: Label) {
        self.put(Item::Jump(Draft::bare(op).guard(pred), to));
    }

    fn block(&mut self, b: u32) -> Result<(), CompileError> {
        let f = self.f;
        let block = &f.blocks[b as usize];
        self.loc = block.insts.first().map_or(block.loc, |i| i.loc);
        self.put(Item::Label(self.arrival(b)));
        let mut marker = Marker::None;
        match self.plan.begin[b as usize] {
            Join::None => {}
            Join::Merged => marker = Marker::Join,
            Join::Nop => {
                self.join();
                self.put(Item::Label(self.behind(b)));
            }
        }
        let mut ended = false;
        for (i, inst) in block.insts.iter().enumerate() {
            // The end of a routine is none of the thread.
            let last = i + 1 == block.insts.len() && block.term == Term::Return && f.signature.is_none();
            if last && marker == Marker::None && self.operands.carries(inst, Marker::Exit) {
                marker = Marker::Exit;
                ended = true;
            }
            self.instruction(inst, marker)?;
            marker = Marker::None;
        }
        self.loc = block.loc;
        if !ended {
            self.term(b)?;
        }
        Ok(())
    }

    fn instruction(&mut self, inst: &Inst, marker: Marker) -> Result<(), CompileError> {
        self.loc = inst.loc;
        if let Some(call) = inst.call {
            self.jump(inst.op, Pred::ALWAYS, routine(call.routine));
            return Ok(());
        }
        let mut placed = self.operands.place(inst, marker);
        if placed.is_err() && marker == Marker::Join {
            // The bank has no room for a constant that stands beside the marker.
            self.join();
            placed = self.operands.place(inst, Marker::None);
        }
        let Placed { draft, far } = placed.map_err(|e| {
            let e = format!("{:?} has no machine instruction: {e}", inst.op);
            self.error(inst.loc, e)
        })?;
        if let Some(far) = far {
            self.text.far.push((self.text.items.len(), far));
        }
        self.put(Item::Free(draft));
        Ok(())
    }

    fn guard(&self, g: Guard) -> Result<Pred, CompileError> {
        self.operands.guard(g).map_err(|e| self.error(self.loc, e))
    }

    fn term(&mut self, b: u32) -> Result<(), CompileError> {
        let next = self.plan.next(b);
        match self.f.blocks[b as usize].term {
            Term::Return => self.control(Op::Ret, Pred::ALWAYS),
            Term::Trap => self.control(Op::Trap, Pred::ALWAYS),
            Term::Jump(to) => self.go(&self.plan.edge(b, to.0), to.0, next),
            Term::ReturnIf { guard, other, .. } => {
                let pred = self.guard(guard)?;
                self.control(Op::Ret, pred);
                self.go(&self.plan.edge(b, other.0), other.0, next);
            }
            Term::Any { guard, then, other } => self.any(b, guard, then.0, other.0)?,
            Term::Branch { guard, then, other, .. } => {
                self.push(&self.plan.joins.pushes(b));
                let taken = self.plan.taken(self.f, b);
                let (pred, to, rest) = if taken == Some(then.0) {
                    (self.guard(guard)?, then.0, other.0)
                } else {
                    (self.guard(guard.inverse())?, other.0, then.0)
                };
                if self.plan.breaks(b, to) {
                    self.control(Op::Brk, pred);
                } else {
                    let to = self.way(self.plan.edge(b, to), to);
                    self.jump(Op::Bra { target: 0 }, pred, to);
                }
                self.go(&self.plan.edge(b, rest), rest, next);
            }
        }
        Ok(())
    }

    /// The threads for which the guard does not hold run first, as far as the `.S` of `none`. If
    /// the others wait, it sends those on, whose own `.S` pops SSY's entry: all are together
    /// again there. If none waits, it pops that entry itself: all are together at `none`.
    fn any(&mut self, b: u32, guard: Guard, then: u32, other: u32) -> Result<(), CompileError> {
        let none = Label(self.base + 2 * self.f.blocks.len() as u32 + b);
        let pred = self.guard(guard.inverse())?;
        self.jump(Op::Ssy { target: 0 }, Pred::ALWAYS, none);
        self.jump(Op::Bra { target: 0 }, pred, none);
        self.join();
        self.go(&self.plan.edge(b, then), then, None);
        self.put(Item::Label(none));
        self.join();
        self.go(&self.plan.edge(b, other), other, self.plan.next(b));
        Ok(())
    }

    fn push(&mut self, entries: &[Entry]) {
        for &e in entries {
            match e {
                Entry::Join(l) => self.jump(Op::Ssy { target: 0 }, Pred::ALWAYS, self.arrival(l)),
                Entry::Break(s) => {
                    let out = self.out(s);
                    self.jump(Op::Pbk { target: 0 }, Pred::ALWAYS, out);
                }
            }
        }
    }

    /// Where threads go on that have left a scope.
    fn out(&mut self, scope: u32) -> Label {
        if let Some(label) = self.outs[scope as usize] {
            return label;
        }
        let exit = self.plan.joins.scopes[scope as usize].exit;
        let label = self.way(self.plan.edge_out(scope), exit);
        self.outs[scope as usize] = Some(label);
        label
    }

    /// The label of a way that starts elsewhere: the block's, or a pad's that pushes first.
    fn way(&mut self, edge: Edge, to: u32) -> Label {
        if edge.push.is_empty() && edge.end != End::Break {
            return self.entrance(to, edge.end);
        }
        let label = Label(self.base + 3 * self.f.blocks.len() as u32 + self.pads.len() as u32);
        self.pads.push(Pad { label, edge, to, loc: self.loc });
        label
    }

    fn entrance(&self, b: u32, end: End) -> Label {
        match self.plan.begin[b as usize] {
            Join::Nop if end == End::Behind => self.behind(b),
            _ => self.arrival(b),
        }
    }

    /// Goes to block `to` from here, by falling through where it comes next.
    fn go(&mut self, edge: &Edge, to: u32, next: Option<u32>) {
        if edge.end == End::Break {
            return self.control(Op::Brk, Pred::ALWAYS);
        }
        self.push(&edge.push);
        let label = self.entrance(to, edge.end);
        if next == Some(to) && label == self.arrival(to) {
            return;
        }
        self.jump(Op::Bra { target: 0 }, Pred::ALWAYS, label);
    }

    /// Writes the pads; a pad may need another for the scope it enters.
    fn write_pads(&mut self) {
        let mut at = 0;
        while at < self.pads.len() {
            let pad = &self.pads[at];
            let (label, edge, to) = (pad.label, pad.edge.clone(), pad.to);
            self.loc = pad.loc;
            self.put(Item::Label(label));
            self.go(&edge, to, None);
            at += 1;
        }
    }
}

/// Links the code of a kernel.
fn finish(f: &Function, mut text: Text, stack_depth: u32) -> Result<Code, CompileError> {
    for (at, place) in std::mem::take(&mut text.far) {
        let offset = text.literals.address_of(place) as i32;
        if let Item::Free(d) = &mut text.items[at] {
            if let warpsmith_isa::Src::Const { at, .. } = &mut d.src[0] {
                at.offset = offset;
            }
        }
    }
    let linked = link(&text.items).map_err(|e| CompileError {
        file: f.name.clone(),
        line: None,
        message: format!("the code cannot be written: {e} (at most 4 MiB of code and 64 KiB of constants)"),
    })?;
    let mut lines: Vec<LineEntry> = Vec::new();
    for (item, &address) in linked.items.iter().enumerate() {
        let loc = text.locs[item];
        if matches!(text.items[item], Item::Label(_)) || loc.line == 0 {
            continue;
        }
        match lines.last_mut() {
            Some(l) if l.loc == loc => {}
            Some(l) if l.address == address => l.loc = loc,
            _ => lines.push(LineEntry { address, loc }),
        }
    }
    let (literals, address_words) = text.literals.finish();
    Ok(Code { words: linked.words, lines, literals, address_words, stack_depth })
}

#[cfg(test)]
mod tests;
