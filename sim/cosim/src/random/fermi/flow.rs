//! Structured control flow: branches that rejoin, loops, calls, exits, barriers.

use super::state::{reserved, Gen};
use super::words::{Label, Word, TRUE};
use rand::Rng;

/// Where code is being generated.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Stack entries that may be in use.
    stack: u32,
    /// Nesting of structures.
    nest: u32,
    /// Next free loop counter, 0 to 3 (3: none).
    counter: u64,
    /// Call level: 0 main.
    level: u32,
    /// A loop that BRK leaves, and one that CONT continues, are open in this function.
    breaks: bool,
    continues: bool,
    /// Times the code runs, roughly.
    times: f64,
}

impl Place {
    fn inside(self, entries: u32, times: f64) -> Place {
        Place { stack: self.stack + entries, nest: self.nest + 1, times: self.times * times, ..self }
    }
}

/// Stack entries that a function of level 1 may use, and one of level 2.
const FUNCTION: [u32; 2] = [6, 3];

impl Gen<'_> {
    /// Bytes that may still be used before the end and the functions.
    fn full(&self) -> bool {
        let reserve = 440 + 240 * self.functions.len() as u32;
        self.code.bytes() + reserve > self.limits.program_bytes
    }

    fn very_full(&self) -> bool {
        self.code.bytes() + 320 > self.limits.program_bytes
    }

    fn room(&self, at: Place, entries: u32) -> bool {
        at.stack + entries <= self.limits.stack_depth && !self.full()
    }

    /// The main program between prologue and end.
    pub fn main(&mut self) {
        let at = Place { stack: 0, nest: 0, counter: 0, level: 0, breaks: false, continues: false, times: 1.0 };
        if !self.full() {
            for level in [1, 1, 2] {
                if self.rng.gen_bool(0.5) {
                    let label = self.code.label();
                    self.functions.push((label, level));
                }
            }
        }
        loop {
            self.item(at);
            if self.rng.gen_bool(0.12) && !self.full() {
                self.exchange();
            }
            if self.rng.gen_bool(0.06) && !self.full() {
                self.mixed_barrier();
            }
            if self.rng.gen_bool(0.04) && !self.full() {
                self.group_barrier();
            }
            if self.full() || self.cost >= self.aim {
                break;
            }
        }
        self.epilogue();
    }

    /// The functions' bodies.
    pub fn functions_out(&mut self) {
        for i in 0..self.functions.len() {
            let (label, level) = self.functions[i];
            self.code.place(label);
            let own = FUNCTION[level as usize - 1];
            let at = Place {
                stack: self.limits.stack_depth.saturating_sub(own),
                nest: 2,
                counter: 1 + u64::from(level),
                level,
                breaks: false,
                continues: false,
                times: 1.0,
            };
            self.piece(at, 2, 6);
            if level == 1 && !self.very_full() {
                self.item(at);
            }
            if self.rng.gen_bool(0.5) {
                let g = self.guard();
                self.put(Word::of("RET").guard(g));
                self.piece(at, 1, 4);
            }
            // `.S` leaves to the topmost entry, which is that of the call.
            match self.rng.gen_bool(0.3) {
                true => self.join(),
                false => self.put(Word::of("RET")),
            }
        }
    }

    /// One structure or a straight piece.
    fn item(&mut self, at: Place) {
        self.piece(at, 2, 9);
        if self.full() || at.nest >= 4 {
            return;
        }
        match self.rng.gen_range(0..14) {
            0..=2 => self.branch(at, true),
            3..=4 => self.branch(at, false),
            5..=6 => self.loop_break(at),
            7..=8 => self.loop_continue(at),
            9 => self.loop_back(at),
            10..=11 => self.call(at),
            // A number of threads expects all warps, whenever a function is called.
            12 if self.rng.gen_bool(0.4) && (at.level == 0 || !self.counted) => {
                self.exited = true;
                let g = self.divergent_guard();
                self.put(Word::of("EXIT").guard(g));
            }
            _ => self.early(at),
        }
    }

    /// Straight-line code.
    fn piece(&mut self, at: Place, least: u32, most: u32) {
        let reserve = if at.level == 0 { 400 } else { 160 };
        for _ in 0..self.rng.gen_range(least..=most) {
            if self.code.bytes() + reserve > self.limits.program_bytes {
                return;
            }
            let before = self.cost;
            if self.rng.gen_bool(0.17) {
                let w = self.access();
                self.put(w);
            } else {
                self.straight();
            }
            self.cost = before + (self.cost - before) * at.times;
        }
    }

    /// One instruction of any row, or a few of float rows with what they need.
    fn straight(&mut self) {
        let rows = match self.rng.gen_range(0..10) {
            0..=2 => &self.arithmetic,
            3..=4 => &self.floats,
            _ => &self.plain,
        };
        let row = rows[self.rng.gen_range(0..rows.len())];
        let mut count = 1;
        if self.floats.contains(&row) && !self.full() && self.rng.gen_bool(0.35) {
            self.refresh();
            count = 3;
        }
        for k in 0..count {
            let row = match k {
                0 => row,
                _ => self.floats[self.rng.gen_range(0..self.floats.len())],
            };
            if let Some(w) = self.instruction(row) {
                self.put(w);
            }
        }
        self.wanted.clear();
    }

    /// An instruction of any row with `.S`, and guard.
    fn marked(&mut self, guard: (u64, bool)) {
        if self.rng.gen_bool(0.2) {
            let w = self.access();
            return self.put(w.guard(guard).join());
        }
        if self.rng.gen_bool(0.6) {
            let row = self.plain[self.rng.gen_range(0..self.plain.len())];
            if let Some(w) = self.instruction(row) {
                return self.put(w.guard(guard).join());
            }
        }
        self.put(Word::of("NOP").guard(guard).join());
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

    /// A branch with its suffixes, which have no effect.
    fn bra(&mut self) -> Word {
        let (u, lmt) = (self.rng.gen_bool(0.2), self.rng.gen_bool(0.2));
        Word::of("BRA").with("u", u.into()).with("lmt", lmt.into())
    }

    fn push(&mut self, name: &str, to: Label) {
        self.cost += 1.0;
        self.code.jump(Word::of(name), to);
    }

    fn jump(&mut self, guard: (u64, bool), to: Label) {
        let w = self.bra().guard(guard);
        self.cost += 1.0;
        self.code.jump(w, to);
    }

    /// SSY, a branch, one or two sides, each of which ends with `.S`.
    fn branch(&mut self, at: Place, two: bool) {
        if !self.room(at, 3) {
            return;
        }
        let (join, taken) = (self.code.label(), self.code.label());
        let inner = at.inside(2, 0.9);
        let g = self.fresh_predicate();
        self.push("SSY", join);
        if two {
            self.jump(g, taken);
            self.side(inner);
            self.join();
            self.code.place(taken);
            self.side(inner);
        } else if self.rng.gen() {
            self.jump(g, taken);
            self.side(inner);
            self.code.place(taken);
        } else {
            self.marked(g);
            self.side(inner);
        }
        self.join();
        self.code.place(join);
    }

    /// A side of a branch: now and then some threads skip a part and do not rejoin before its end.
    fn side(&mut self, at: Place) {
        self.item(at);
        if self.rng.gen_bool(0.1) && !self.full() {
            let over = self.code.label();
            let g = self.divergent_guard();
            self.jump(g, over);
            self.piece(at, 1, 3);
            self.code.place(over);
            self.piece(at, 1, 2);
        }
    }

    /// Some threads leave a structure before its end.
    fn early(&mut self, at: Place) {
        let mut ways = vec![];
        if at.nest > 0 {
            ways.push("NOP");
        }
        if at.breaks {
            ways.push("BRK");
        }
        if at.continues {
            ways.push("CONT");
        }
        if at.level > 0 {
            ways.push("RET");
        }
        if ways.is_empty() {
            return;
        }
        let g = self.fresh_predicate();
        match ways[self.rng.gen_range(0..ways.len())] {
            "NOP" => self.marked(g),
            name => self.put(Word::of(name).guard(g)),
        }
        self.piece(at, 1, 3);
    }

    /// Counter for a loop of 1 to 4 turns, the same for all threads or not.
    fn counter(&mut self, at: Place) -> u64 {
        let k = self.r(reserved::LOOP + at.counter);
        if self.rng.gen() {
            let n = self.rng.gen_range(1..4);
            self.set(k, n);
        } else {
            let from = match self.rng.gen() {
                true => self.r(reserved::THREAD),
                false => self.rng.gen_range(0..self.layout.pool),
            };
            let mask = [1, 2, 3][self.rng.gen_range(0..3)];
            self.and(k, from, mask);
            self.add(k, k, 1);
        }
        k
    }

    /// Counts down; a guard that is true where the counter has come to 0.
    fn count_down(&mut self, k: u64) -> (u64, bool) {
        let p = self.rng.gen_range(0..TRUE);
        self.add(k, k, u32::MAX);
        let equal = self.rng.gen();
        self.test(p, k, if equal { 2 } else { 5 }, 0);
        (p, !equal)
    }

    /// PBK, and BRK out of the loop.
    fn loop_break(&mut self, at: Place) {
        if at.counter >= 3 || !self.room(at, 1) {
            return;
        }
        let (top, out) = (self.code.label(), self.code.label());
        let k = self.counter(at);
        self.push("PBK", out);
        self.code.place(top);
        let inner = Place { counter: at.counter + 1, breaks: true, ..at.inside(1, 2.5) };
        self.item(inner);
        if self.rng.gen_bool(0.3) {
            let g = self.divergent_guard();
            self.put(Word::of("BRK").guard(g));
            self.piece(inner, 1, 3);
        }
        let zero = self.count_down(k);
        self.put(Word::of("BRK").guard(zero));
        self.jump((TRUE, false), top);
        self.code.place(out);
        self.cost += 8.0 * at.times;
    }

    /// PBK, in each turn PCNT, and CONT to the end of the turn.
    fn loop_continue(&mut self, at: Place) {
        if at.counter >= 3 || !self.room(at, 2) {
            return;
        }
        let (top, next, out) = (self.code.label(), self.code.label(), self.code.label());
        let k = self.counter(at);
        self.push("PBK", out);
        self.code.place(top);
        self.push("PCNT", next);
        let inner = Place { counter: at.counter + 1, breaks: true, continues: true, ..at.inside(2, 2.5) };
        self.item(inner);
        if self.rng.gen_bool(0.6) {
            let name = ["CONT", "BRK"][usize::from(self.rng.gen_bool(0.3))];
            let g = self.divergent_guard();
            self.put(Word::of(name).guard(g));
            self.piece(inner, 1, 3);
        }
        // `.S` leaves to the topmost entry, which is that of the turn.
        match self.rng.gen_bool(0.2) {
            true => self.join(),
            false => self.put(Word::of("CONT")),
        }
        self.code.place(next);
        let zero = self.count_down(k);
        self.put(Word::of("BRK").guard(zero));
        self.jump((TRUE, false), top);
        self.code.place(out);
        self.cost += 10.0 * at.times;
    }

    /// SSY and a branch back: threads that leave the loop wait on the stack.
    fn loop_back(&mut self, at: Place) {
        if at.counter >= 3 || !self.room(at, 5) {
            return;
        }
        let (top, join) = (self.code.label(), self.code.label());
        let k = self.counter(at);
        self.push("SSY", join);
        self.code.place(top);
        let inner = Place { counter: at.counter + 1, ..at.inside(5, 2.5) };
        self.item(inner);
        let (p, not) = self.count_down(k);
        self.jump((p, !not), top);
        self.join();
        self.code.place(join);
        self.cost += 8.0 * at.times;
    }

    /// A call of a function of the next level, or PRET and a jump to it.
    fn call(&mut self, at: Place) {
        // The function's own entries and that of its return.
        let needs = match at.level {
            0 => FUNCTION[0] + 1,
            1 => FUNCTION[1] + 1,
            _ => return,
        };
        let fits = at.stack + needs <= self.limits.stack_depth;
        let loops = at.level > 0 || at.counter <= 2;
        if !fits || !loops || self.very_full() || at.level == 0 && self.full() {
            return;
        }
        let callable = self.functions.iter().filter(|f| f.1 == at.level + 1);
        let callable: Vec<Label> = callable.map(|f| f.0).collect();
        if callable.is_empty() {
            return;
        }
        let to = callable[self.rng.gen_range(0..callable.len())];
        let ni = self.rng.gen_range(0..2);
        if self.rng.gen_bool(0.7) {
            self.code.jump(Word::of("CAL").with("ni", ni), to);
        } else {
            let back = self.code.label();
            self.code.jump(Word::of("PRET").with("ni", ni), back);
            self.jump((TRUE, false), to);
            self.code.place(back);
        }
        self.cost += 14.0 * at.times;
    }
}
