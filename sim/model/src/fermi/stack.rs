//! Divergence: active lanes and a stack of lanes that wait.

use crate::uop::{Cause, Divergence};
use warpsmith_isa::uop::{Entry, Flow, Op, StackFlow, Uop};

/// An entry: lanes that wait, and where they go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Waiting {
    /// `None`: lanes that did not take a branch.
    entry: Option<Entry>,
    pc: u32,
    mask: u32,
}

/// Program counter, active lanes and stack of a warp.
#[derive(Clone, Debug)]
pub struct Stack {
    pc: u32,
    active: u32,
    entries: Vec<Waiting>,
    depth: usize,
}

impl Stack {
    /// A warp at address 0 with these lanes; a stack of `depth` entries.
    pub fn new(active: u32, depth: usize) -> Stack {
        Stack { pc: 0, active, entries: vec![], depth }
    }

    /// Entries on the stack.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True without entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn push(&mut self, entry: Option<Entry>, pc: u32, mask: u32) -> Result<(), Cause> {
        if self.entries.len() >= self.depth {
            return Err(Cause::StackOverflow(self.depth));
        }
        self.entries.push(Waiting { entry, pc, mask });
        Ok(())
    }

    /// Lanes end: nothing waits for them.
    fn exit(&mut self, lanes: u32) {
        self.active &= !lanes;
        self.entries.iter_mut().for_each(|e| e.mask &= !lanes);
    }

    /// Lanes wait at the nearest entry of a kind.
    fn leave(&mut self, kind: Entry, lanes: u32) -> Result<(), Cause> {
        if lanes == 0 {
            return Ok(());
        }
        let nearest = self.entries.iter().rposition(|e| e.entry == Some(kind));
        let Some(n) = nearest else {
            return match kind {
                Entry::Return => {
                    self.exit(lanes);
                    Ok(())
                }
                Entry::Break => Err(Cause::Flow("BRK without a PBK that is open")),
                _ => Err(Cause::Flow("CONT without a PCNT that is open")),
            };
        };
        self.active &= !lanes;
        let above = self.entries.iter_mut().skip(n + 1);
        above.for_each(|e| e.mask &= !lanes);
        Ok(())
    }

    fn flow(&mut self, flow: StackFlow, lanes: u32, next: u32) -> Result<(), Cause> {
        match flow {
            StackFlow::Branch { .. } if lanes == 0 => {}
            StackFlow::Branch { target } => {
                let others = self.active & !lanes;
                if others != 0 {
                    self.push(None, next, others)?;
                }
                self.active = lanes;
                self.pc = target;
            }
            StackFlow::Push { entry, target } => self.push(Some(entry), target, self.active)?,
            StackFlow::Call { target } => {
                self.push(Some(Entry::Return), next, self.active)?;
                self.pc = target;
            }
            StackFlow::Leave(kind) => self.leave(kind, lanes)?,
            StackFlow::Join => self.active &= !lanes,
        }
        Ok(())
    }
}

impl<R> Divergence<R> for Stack {
    fn pc(&self) -> u32 {
        self.pc
    }

    fn active(&self) -> u32 {
        self.active
    }

    fn is_finished(&self) -> bool {
        self.active == 0
    }

    fn depth(&self) -> usize {
        self.len()
    }

    fn step(&mut self, flow: Option<&Uop>, executing: u32, next: u32, _registers: &mut R) -> Result<(), Cause> {
        self.pc = next;
        match flow.map(|u| u.op) {
            None => {}
            Some(Op::Flow(Flow::Stack(f))) => self.flow(f, executing, next)?,
            Some(Op::Flow(Flow::Exit)) => self.exit(executing),
            Some(_) => return Err(Cause::Flow("control flow of another instruction set")),
        }
        while self.active == 0 {
            let Some(top) = self.entries.pop() else { break };
            self.active = top.mask;
            self.pc = top.pc;
        }
        Ok(())
    }
}
