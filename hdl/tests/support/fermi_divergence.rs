//! A warp of Fermi on the golden model, and the entries that the unit looks at.

use super::divergence::{Op, Outcome};
use warpsmith_hdl::sm::divergence::{marker, op};
use warpsmith_isa::uop::{self, Entry, Flow, StackFlow, Uop};
use warpsmith_model::fermi::Stack;
use warpsmith_model::uop::{Cause, Divergence};

/// A warp.
pub struct Warp {
    stack: Stack,
    /// Kinds of the entries; `None`: of a branch.
    kinds: Vec<Option<Entry>>,
}

impl Warp {
    /// A warp that begins with these threads, with a stack of so many entries.
    pub fn new(mask: u32, entries: usize) -> Self {
        Self { stack: Stack::new(mask, entries), kinds: vec![] }
    }

    /// Threads that are active.
    pub fn active(&self) -> u32 {
        Divergence::<()>::active(&self.stack)
    }

    /// Entries on the stack.
    pub fn depth(&self) -> usize {
        self.stack.len()
    }

    /// Executes an operation.
    pub fn step(&mut self, o: &Op) -> Outcome {
        let others = self.active() & !o.exec;
        let push = |entry| Some(StackFlow::Push { entry, target: o.target });
        let (flow, kind) = match o.op {
            _ if o.marker == marker::JOIN => (Some(StackFlow::Join), None),
            op::BRA if o.exec != 0 && others != 0 => (Some(StackFlow::Branch { target: o.target }), Some(None)),
            op::BRA => (Some(StackFlow::Branch { target: o.target }), None),
            op::CAL => (Some(StackFlow::Call { target: o.target }), Some(Some(Entry::Return))),
            op::SSY => (push(Entry::Join), Some(Some(Entry::Join))),
            op::PBK => (push(Entry::Break), Some(Some(Entry::Break))),
            op::PCNT => (push(Entry::Continue), Some(Some(Entry::Continue))),
            op::PRET => (push(Entry::Return), Some(Some(Entry::Return))),
            op::BRK => (Some(StackFlow::Leave(Entry::Break)), None),
            op::CONT => (Some(StackFlow::Leave(Entry::Continue)), None),
            op::RET => (Some(StackFlow::Leave(Entry::Return)), None),
            _ => (None, None),
        };
        let exits = o.op == op::EXIT && o.marker != marker::JOIN;
        // The unit looks for the nearest entry of the kind; an end takes threads out of all of them.
        let depth = self.kinds.len();
        let looked = match flow {
            _ if o.exec == 0 => 0,
            Some(StackFlow::Leave(kind)) => depth - self.kinds.iter().rposition(|k| *k == Some(kind)).unwrap_or(0),
            None if exits => depth,
            _ => 0,
        };
        let flow = flow.map_or(Flow::Exit, Flow::Stack);
        let uop = Uop::effect(uop::Op::Flow(flow), vec![]);
        let flow = (exits || flow != Flow::Exit).then_some(&uop);
        if let Err(cause) = self.stack.step(flow, o.exec, o.next, &mut ()) {
            let (trap, depth) = match cause {
                Cause::StackOverflow(_) => (6, Some(depth)),
                _ => (7, None),
            };
            return Outcome { mask: 0, pc: 0, finished: false, trap, depth, looked };
        }
        self.kinds.extend(kind);
        let popped = self.kinds.len() - self.depth();
        self.kinds.truncate(self.depth());
        Outcome {
            mask: self.active(),
            pc: Divergence::<()>::pc(&self.stack),
            finished: self.active() == 0,
            trap: 0,
            depth: Some(self.depth()),
            looked: looked.max(popped),
        }
    }
}
