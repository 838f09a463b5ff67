//! What Fermi makes of structured control flow, and where it ends.

use super::super::skeleton::{self, Flow, Loop, Place, Program, Turns};
use super::super::words::Label;
use super::state::{reserved, Gen, State};
use super::words::{Word, TRUE};
use rand::Rng;

impl Flow for State {
    /// The second side of a branch or the top of a loop, the end of a loop's turn, and where all threads go.
    type Open = [Label; 3];

    const FUNCTION: [u32; 2] = [6, 3];
    const SPARE: Option<u32> = Some(0);
    // One is for threads that skip a part of a side.
    const BRANCH: u32 = 3;
    const LOOPS: &'static [Loop] = &[Loop::Break, Loop::Break, Loop::Continue, Loop::Continue, Loop::Back];

    /// SSY, and a branch or some threads that wait for the others.
    fn open_branch(g: &mut Gen, _: &mut Place, two: bool) -> Self::Open {
        let [taken, join] = [(); 2].map(|()| g.code.label());
        let guard = g.fresh_predicate();
        g.jump(Word::of("SSY"), join);
        if two || g.rng.gen() {
            g.branch_to(guard, taken);
        } else {
            g.marked(guard);
        }
        [taken, taken, join]
    }

    fn other_side(g: &mut Gen, [taken, ..]: &Self::Open) {
        g.join();
        g.code.place(*taken);
    }

    fn close_branch(g: &mut Gen, [taken, _, join]: Self::Open, two: bool) {
        if !two {
            g.code.place(taken);
        }
        g.join();
        g.code.place(join);
    }

    /// Now and then some threads skip a part of a side and do not rejoin before its end.
    fn side(g: &mut Gen, at: Place) {
        g.item(at);
        if g.rng.gen_bool(0.1) && !g.full() {
            let over = g.code.label();
            let guard = g.divergent_guard();
            g.branch_to(guard, over);
            g.piece(at, 1, 3);
            g.code.place(over);
            g.piece(at, 1, 2);
        }
    }

    fn count(g: &mut Gen, counter: u8, turns: Turns) -> u64 {
        let k = g.r(reserved::LOOP + u64::from(counter));
        match turns {
            Turns::Fixed(n) => g.set(k, n),
            Turns::Masked { thread, mask } => {
                let from = if thread { g.r(reserved::THREAD) } else { g.rng.gen_range(0..g.layout.pool) };
                g.and(k, from, mask);
                g.add(k, k, 1);
            }
        }
        k
    }

    /// PBK, and PCNT in each turn; or SSY, for threads to wait on the stack.
    fn open_loop(g: &mut Gen, kind: Loop, _: u64) -> Self::Open {
        let [top, next, out] = [(); 3].map(|()| g.code.label());
        g.jump(Word::of(if kind == Loop::Back { "SSY" } else { "PBK" }), out);
        g.code.place(top);
        if kind == Loop::Continue {
            g.jump(Word::of("PCNT"), next);
        }
        [top, next, out]
    }

    fn leave_loop(g: &mut Gen, _: Place, kind: Loop) {
        let name = if kind == Loop::Continue && g.rng.gen_bool(0.7) { "CONT" } else { "BRK" };
        let guard = g.divergent_guard();
        g.put(Word::of(name).guard(guard));
    }

    fn close_loop(g: &mut Gen, kind: Loop, k: u64, [top, next, out]: Self::Open) {
        if kind == Loop::Continue {
            // `.S` leaves to the topmost entry, which is that of the turn.
            match g.rng.gen_bool(0.2) {
                true => g.join(),
                false => g.put(Word::of("CONT")),
            }
            g.code.place(next);
        }
        let p = g.rng.gen_range(0..TRUE);
        g.add(k, k, u32::MAX);
        let equal = g.rng.gen();
        g.test(p, k, if equal { 2 } else { 5 }, 0);
        if kind == Loop::Back {
            g.branch_to((p, equal), top);
            g.join();
        } else {
            g.put(Word::of("BRK").guard((p, !equal)));
            g.branch_to((TRUE, false), top);
        }
        g.code.place(out);
    }

    /// Some threads leave a structure before its end, or end.
    fn leave(g: &mut Gen, at: Place) {
        // A number of threads expects all warps, whenever a function is called.
        if g.rng.gen_bool(0.2) && (at.level == 0 || !g.own.counted) {
            g.own.exited = true;
            let guard = g.divergent_guard();
            return g.put(Word::of("EXIT").guard(guard));
        }
        let ways = [(at.nest > 0, "NOP"), (at.breaks, "BRK"), (at.continues, "CONT"), (at.level > 0, "RET")];
        let ways: Vec<&str> = ways.iter().filter(|w| w.0).map(|w| w.1).collect();
        if ways.is_empty() {
            return;
        }
        let guard = g.fresh_predicate();
        match g.one(&ways) {
            "NOP" => g.marked(guard),
            name => g.put(Word::of(name).guard(guard)),
        }
        g.piece(at, 1, 3);
    }

    /// CAL, or PRET and a jump.
    fn call(g: &mut Gen, to: Option<skeleton::Label<Self>>) {
        let Some(to) = to else { return };
        let ni = g.rng.gen_range(0..2);
        if g.rng.gen_bool(0.7) {
            g.jump(Word::of("CAL").with("ni", ni), to);
        } else {
            let back = g.code.label();
            g.jump(Word::of("PRET").with("ni", ni), back);
            g.branch_to((TRUE, false), to);
            g.code.place(back);
        }
    }

    fn ret(g: &mut Gen, _: u32, some: bool) {
        if some {
            let guard = g.guard();
            return g.put(Word::of("RET").guard(guard));
        }
        // `.S` leaves to the topmost entry, which is that of the call.
        match g.rng.gen_bool(0.3) {
            true => g.join(),
            false => g.put(Word::of("RET")),
        }
    }
}

impl Gen<'_> {
    /// Appends an instruction of any row with `.S`, and guard.
    fn marked(&mut self, guard: (u64, bool)) {
        let word = match self.rng.gen_range(0..10) {
            0..=1 => Some(self.memory_access()),
            2..=6 => {
                let row = self.plain[self.rng.gen_range(0..self.plain.len())];
                self.instruction(row)
            }
            _ => None,
        };
        self.put(word.unwrap_or(Word::of("NOP")).guard(guard).join());
    }

    /// All threads go to the topmost entry: some before the others, now and then.
    pub fn join(&mut self) {
        if self.rng.gen_bool(0.3) {
            let g = self.divergent_guard();
            self.marked(g);
        }
        self.marked((TRUE, false));
    }

    /// Predicate that differs between threads, most of the time.
    fn fresh_predicate(&mut self) -> (u64, bool) {
        let p = self.rng.gen_range(0..TRUE);
        let (r, k) = (self.rng.gen_range(0..self.layout.pool), self.rng.gen_range(0..8));
        match self.rng.gen_range(0..4) {
            0 => self.test(p, r, 1, 0),
            1 => self.test(p, r, 2, 0),
            2 => {
                let (temp, thread) = (self.r(reserved::TEMP), self.r(reserved::THREAD));
                self.and(temp, thread, 1 << (k % 5));
                self.test(p, temp, 5, 0);
            }
            _ => return self.divergent_guard(),
        }
        (p, self.rng.gen())
    }

    /// Appends an instruction whose target is a label.
    pub fn jump(&mut self, word: Word, to: Label) {
        self.cost += 1.0;
        self.code.later(to, move |at, to| word.to(at, to).code());
    }

    /// Appends a branch with its suffixes, which have no effect.
    fn branch_to(&mut self, guard: (u64, bool), to: Label) {
        let (u, lmt) = (self.rng.gen_bool(0.2), self.rng.gen_bool(0.2));
        self.jump(Word::of("BRA").with("u", u.into()).with("lmt", lmt.into()).guard(guard), to);
    }
}
