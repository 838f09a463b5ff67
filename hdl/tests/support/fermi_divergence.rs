//! Fermi's divergence, thread by thread: each thread knows the entries it waits in; there are no masks.

use super::divergence::{Op, Outcome};
use std::collections::BTreeSet;
use warpsmith_hdl::sm::divergence::{marker, op};

/// Why an entry was pushed.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Branch,
    Join,
    Break,
    Continue,
    Return,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Active,
    Waiting,
    Ended,
}

#[derive(Clone)]
struct Thread {
    state: State,
    /// Entries that it goes on with, as places in the stack from 0.
    entries: BTreeSet<usize>,
}

/// A warp.
#[derive(Clone)]
pub struct Warp {
    threads: Vec<Thread>,
    stack: Vec<(Kind, u32)>,
}

fn has(mask: u32, thread: usize) -> bool {
    mask >> thread & 1 == 1
}

impl Warp {
    /// A warp that begins with these threads.
    pub fn new(mask: u32) -> Self {
        let thread =
            |t| Thread { state: if has(mask, t) { State::Active } else { State::Ended }, entries: BTreeSet::new() };
        Self { threads: (0..32).map(thread).collect(), stack: vec![] }
    }

    /// Threads that are active.
    pub fn active(&self) -> u32 {
        let active = |t: &usize| self.threads[*t].state == State::Active;
        (0..32).filter(active).fold(0, |m, t| m | 1 << t)
    }

    /// Entries on the stack.
    pub fn depth(&self) -> usize {
        self.stack.len()
    }

    fn push(&mut self, kind: Kind, pc: u32, who: impl Fn(usize) -> bool) {
        let place = self.stack.len();
        self.stack.push((kind, pc));
        for (t, thread) in self.threads.iter_mut().enumerate() {
            if thread.state == State::Active && who(t) {
                thread.entries.insert(place);
            }
        }
    }

    fn wait(&mut self, who: impl Fn(usize) -> bool, last: Option<usize>) {
        for (t, thread) in self.threads.iter_mut().enumerate() {
            if who(t) {
                thread.state = State::Waiting;
                thread.entries.retain(|e| last.is_none_or(|last| *e <= last));
            }
        }
    }

    fn end(&mut self, who: impl Fn(usize) -> bool) {
        for (t, thread) in self.threads.iter_mut().enumerate() {
            if who(t) {
                thread.state = State::Ended;
                thread.entries.clear();
            }
        }
    }

    /// Executes an operation; the stack has room for `limit` entries.
    pub fn step(&mut self, o: &Op, limit: usize) -> Outcome {
        let who = |t| has(o.exec, t);
        let someone = (0..32).any(who);
        let everyone = (0..32).all(|t| who(t) || self.threads[t].state != State::Active);
        let full = self.stack.len() == limit;
        let mut pc = o.next;
        let mut looked = 0;
        let mut trap = None;
        let joins = o.marker == marker::JOIN;
        match o.op {
            _ if joins => self.wait(who, None),
            op::BRA if someone => {
                if !everyone && full {
                    trap = Some(6);
                } else if !everyone {
                    self.push(Kind::Branch, o.next, |t| !who(t));
                    for (t, thread) in self.threads.iter_mut().enumerate() {
                        if thread.state == State::Active && !who(t) {
                            thread.state = State::Waiting;
                        }
                    }
                }
                pc = o.target;
            }
            op::SSY | op::PBK | op::PCNT | op::PRET | op::CAL if full => trap = Some(6),
            op::SSY => self.push(Kind::Join, o.target, |_| true),
            op::PBK => self.push(Kind::Break, o.target, |_| true),
            op::PCNT => self.push(Kind::Continue, o.target, |_| true),
            op::PRET => self.push(Kind::Return, o.target, |_| true),
            op::CAL => {
                self.push(Kind::Return, o.next, |_| true);
                pc = o.target;
            }
            op::EXIT if someone => {
                looked = self.stack.len();
                self.end(who);
            }
            op::BRK | op::CONT | op::RET if someone => {
                let kind = match o.op {
                    op::BRK => Kind::Break,
                    op::CONT => Kind::Continue,
                    _ => Kind::Return,
                };
                let nearest = (0..self.stack.len()).rev().find(|e| self.stack[*e].0 == kind);
                looked = self.stack.len() - nearest.unwrap_or(0);
                match nearest {
                    Some(entry) => self.wait(who, Some(entry)),
                    None if kind == Kind::Return => self.end(who),
                    None => trap = Some(7),
                }
            }
            _ => {}
        }
        if let Some(cause) = trap {
            return Outcome {
                mask: 0,
                pc: 0,
                finished: false,
                trap: cause,
                depth: (cause == 6).then_some(self.stack.len()),
                looked,
            };
        }
        let mut popped = 0;
        while self.active() == 0 {
            let Some((_, at)) = self.stack.pop() else {
                break;
            };
            popped += 1;
            let place = self.stack.len();
            for thread in &mut self.threads {
                if thread.entries.remove(&place) {
                    thread.state = State::Active;
                    pc = at;
                }
            }
        }
        Outcome {
            mask: self.active(),
            pc,
            finished: self.active() == 0,
            trap: 0,
            depth: Some(self.stack.len()),
            looked: looked.max(popped),
        }
    }
}
