//! Control state of a warp: pc, active mask, thread states and the divergence stack.
//!
//! Rules: docs/semantics.md, Control flow; where the hardware is unknown, docs/decisions.md. The taken
//! side of a branch runs first, `.S` executes its instruction and then pops, and unwinding to a
//! joinat entry resumes after the `.S` instruction. Masks have one bit a thread.

use warpsmith_isa::WARP_SIZE;

/// Type of a stack entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// The other side of a divergent branch.
    Branch,
    /// Return address of a CAL.
    Call,
    /// Break address of a PBK.
    Prebreak,
    /// Reconvergence point of an SSY.
    Joinat,
}

/// One stack entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Instruction that pushed it.
    pub kind: EntryKind,
    /// Byte address.
    pub pc: u32,
    /// Threads it concerns.
    pub mask: u32,
}

/// Control state of one warp.
#[derive(Clone, Debug)]
pub struct Control {
    /// Byte address of the next instruction.
    pub pc: u32,
    /// Threads that execute it.
    pub active: u32,
    broken: u32,
    returned: u32,
    exited: u32,
    stack: Vec<Entry>,
    depth: usize,
    finished: bool,
}

impl Control {
    /// A warp about to execute address 0 with the threads of `threads`; the others do not exist.
    pub fn new(threads: u32, depth: usize) -> Self {
        Control {
            pc: 0,
            active: threads,
            broken: 0,
            returned: 0,
            exited: !threads,
            stack: Vec::with_capacity(depth.min(1024)),
            depth,
            finished: threads == 0,
        }
    }

    /// Threads in state run or waiting on the other side of a branch.
    pub fn running(&self) -> u32 {
        !(self.broken | self.returned | self.exited)
    }

    /// State of a thread: 0 run, 1 brk, 2 ret, 3 exit.
    pub fn thread_state(&self, lane: usize) -> u8 {
        let bit = 1u32 << (lane % WARP_SIZE);
        if self.exited & bit != 0 {
            3
        } else if self.returned & bit != 0 {
            2
        } else {
            (self.broken & bit != 0) as u8
        }
    }

    /// Stack entries, bottom first.
    pub fn stack(&self) -> &[Entry] {
        &self.stack
    }

    /// Whether a push would overflow.
    pub fn is_full(&self) -> bool {
        self.stack.len() >= self.depth
    }

    /// Whether every thread has ended.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// SSY and PBK: remembers `target` for the active threads. The caller has checked
    /// [`is_full`](Self::is_full).
    pub fn push(&mut self, kind: EntryKind, target: u32) {
        self.stack.push(Entry { kind, pc: target, mask: self.active });
    }

    /// BRA: threads of `taken` go to `target`, the others to `next`. True if the warp split, which
    /// needs room for one entry.
    pub fn branch(&mut self, taken: u32, target: u32, next: u32) {
        let not_taken = self.active & !taken;
        if taken == 0 {
            self.pc = next;
        } else {
            if not_taken != 0 {
                self.stack.push(Entry { kind: EntryKind::Branch, pc: next, mask: not_taken });
            }
            self.active = taken;
            self.pc = target;
        }
    }

    /// CAL: every active thread goes to `target`.
    pub fn call(&mut self, target: u32, next: u32) {
        self.push(EntryKind::Call, next);
        self.pc = target;
    }

    /// BRK by the threads of `leaving`.
    pub fn brk(&mut self, leaving: u32, next: u32) {
        self.broken |= leaving;
        self.leave(leaving, next);
    }

    /// RET by the threads of `leaving`.
    pub fn ret(&mut self, leaving: u32, next: u32) {
        self.returned |= leaving;
        self.leave(leaving, next);
    }

    /// Exit marker: the active threads end.
    pub fn exit(&mut self, next: u32) {
        self.exited |= self.active;
        let leaving = self.active;
        self.leave(leaving, next);
    }

    fn leave(&mut self, leaving: u32, next: u32) {
        self.active &= !leaving;
        self.pc = next;
        self.unwind();
    }

    /// `.S`: pops, after its instruction. A branch entry runs the other side, a joinat entry
    /// reconverges at `next`; other entries resume as when unwinding. The caller has checked that
    /// the stack is not empty.
    pub fn join(&mut self, next: u32) {
        self.pc = next;
        if let Some(e) = self.stack.pop() {
            if e.kind == EntryKind::Joinat {
                self.active = e.mask & self.running();
            } else {
                self.resume(e);
            }
        }
        self.unwind();
    }

    fn resume(&mut self, e: Entry) {
        match e.kind {
            EntryKind::Branch | EntryKind::Joinat => {}
            EntryKind::Prebreak => self.broken &= !e.mask,
            EntryKind::Call => self.returned &= !e.mask,
        }
        self.active = e.mask & self.running();
        // A joinat entry names its `.S`, which the surviving threads have executed: go past it.
        self.pc = if e.kind == EntryKind::Joinat { e.pc.wrapping_add(8) } else { e.pc };
    }

    /// Pops until some thread is active, or the warp has finished.
    fn unwind(&mut self) {
        while self.active == 0 {
            match self.stack.pop() {
                Some(e) => self.resume(e),
                None => {
                    self.finished = true;
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taken_side_runs_first_then_the_other_then_all_rejoin() {
        let mut c = Control::new(0xf, 32);
        c.push(EntryKind::Joinat, 0x40);
        c.branch(0x3, 0x20, 0x10);
        assert_eq!((c.pc, c.active), (0x20, 0x3));
        c.join(0x48);
        assert_eq!((c.pc, c.active), (0x10, 0xc));
        c.join(0x48);
        assert_eq!((c.pc, c.active), (0x48, 0xf));
        assert!(c.stack().is_empty());
    }

    #[test]
    fn uniform_branches_push_nothing() {
        let mut c = Control::new(0xf, 1);
        c.branch(0xf, 0x20, 0x8);
        assert_eq!((c.pc, c.active), (0x20, 0xf));
        c.branch(0, 0x40, 0x28);
        assert_eq!((c.pc, c.active), (0x28, 0xf));
        assert!(c.stack().is_empty());
    }

    #[test]
    fn breaking_threads_wait_at_the_break_address() {
        let mut c = Control::new(0xf, 32);
        c.push(EntryKind::Prebreak, 0x80);
        c.brk(0x1, 0x8);
        assert_eq!((c.pc, c.active), (0x8, 0xe));
        assert_eq!(c.thread_state(0), 1);
        c.brk(0xe, 0x10);
        assert_eq!((c.pc, c.active), (0x80, 0xf));
    }

    #[test]
    fn returning_threads_wait_at_the_return_address() {
        let mut c = Control::new(0xf, 32);
        c.call(0x100, 0x8);
        c.ret(0x6, 0x108);
        assert_eq!((c.pc, c.active), (0x108, 0x9));
        c.ret(0x9, 0x110);
        assert_eq!((c.pc, c.active), (0x8, 0xf));
    }

    #[test]
    fn top_level_return_of_all_threads_finishes_the_warp() {
        let mut c = Control::new(0xff, 32);
        c.ret(0xff, 0x8);
        assert!(c.is_finished());
    }

    #[test]
    fn exit_on_one_side_resumes_the_other() {
        let mut c = Control::new(0xf, 32);
        c.push(EntryKind::Joinat, 0x40);
        c.branch(0x3, 0x20, 0x10);
        c.exit(0x28);
        assert_eq!((c.pc, c.active), (0x10, 0xc));
        c.join(0x48);
        assert_eq!((c.pc, c.active), (0x48, 0xc));
    }

    #[test]
    fn unwinding_to_a_joinat_resumes_after_its_instruction() {
        let mut c = Control::new(0xf, 32);
        c.push(EntryKind::Joinat, 0x40);
        c.branch(0x3, 0x20, 0x10);
        // The taken side reaches the join first, the other side exits: nobody is left to pop.
        c.join(0x48);
        c.exit(0x18);
        assert_eq!((c.pc, c.active), (0x48, 0x3));
    }

    #[test]
    fn break_inside_a_branch_skips_dead_entries() {
        let mut c = Control::new(0xf, 32);
        c.push(EntryKind::Prebreak, 0x80);
        c.branch(0x3, 0x20, 0x10);
        c.brk(0x3, 0x28);
        assert_eq!((c.pc, c.active), (0x10, 0xc));
        c.brk(0xc, 0x18);
        assert_eq!((c.pc, c.active), (0x80, 0xf));
    }

    #[test]
    fn nested_calls_return_to_their_own_callers() {
        let mut c = Control::new(0x3, 32);
        c.call(0x100, 0x8);
        c.call(0x200, 0x108);
        c.ret(0x1, 0x208);
        c.ret(0x2, 0x210);
        assert_eq!((c.pc, c.active), (0x108, 0x3));
        c.ret(0x3, 0x110);
        assert_eq!((c.pc, c.active), (0x8, 0x3));
    }
}
