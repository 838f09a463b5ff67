//! Structured control flow: if and else, loops with break and continue, calls, barriers.

use super::state::{reserved, Gen};
use super::words::{row, Label, Source, Word};
use rand::Rng;

/// Condition code of integers.
const GREATER: u64 = 2;

/// Where code is being generated.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Nesting of structures.
    nest: u32,
    /// Levels of the mask that structures inside the innermost loop add; `None` outside loops.
    levels: Option<u64>,
    /// Next free loop counter, 0 to 3 (3: none).
    counter: u64,
    /// Call level: 0 main.
    call: u32,
    /// Times the code runs, roughly.
    times: f64,
}

impl Gen<'_> {
    /// Bytes that may still be used before the end and the functions.
    fn full(&self) -> bool {
        let reserve = 480 + 260 * self.functions.len() as u32 + 180 * self.calls.len() as u32;
        self.code.bytes() + reserve > self.limits.program_bytes
    }

    /// The main program between prologue and end.
    pub fn main(&mut self) {
        let at = Place { nest: 0, levels: None, counter: 0, call: 0, times: 1.0 };
        if !self.full() && !self.limits.chip {
            for call in [1, 1, 2] {
                if self.rng.gen() {
                    let label = self.code.label();
                    self.functions.push((label, call));
                }
            }
        }
        loop {
            self.item(at);
            if self.rng.gen_bool(0.12) && !self.full() {
                self.exchange();
            }
            if self.full() || self.cost >= self.aim {
                break;
            }
        }
        self.epilogue();
    }

    /// The functions' bodies. One that calls keeps its link.
    pub fn functions_out(&mut self) {
        for i in 0..self.functions.len() {
            let (label, call) = self.functions[i];
            let link = self.r(reserved::LINK);
            self.code.place(label);
            let at = Place { nest: 2, levels: None, counter: 1 + u64::from(call), call, times: 1.0 };
            if call == 1 {
                self.add(link, 1, Source::Imm(0));
                self.item(at);
                self.put(Word::of("ret").with("reg32", link));
            } else {
                self.piece(at, 2, 6);
                self.put(Word::of("ret").with("reg32", 1));
            }
        }
    }

    /// The code that calls of chips run: it jumps back.
    pub fn calls_out(&mut self) {
        let at = Place { nest: 4, levels: None, counter: 3, call: 1, times: 1.0 };
        for [label, back] in std::mem::take(&mut self.calls) {
            self.code.place(label);
            self.piece(at, 2, 6);
            self.jump(back);
        }
    }

    /// A jump as far as it must be, whichever threads are left.
    fn jump(&mut self, to: Label) {
        if self.rng.gen() {
            return self.code.jump("call", to);
        }
        self.code.jump("jmp_exec_any", to);
        self.code.jump("jmp_exec_none", to);
    }

    /// Short jumps to and fro around one instruction or more.
    fn hop(&mut self) {
        let [start, middle, end] = [(); 3].map(|()| self.code.label());
        self.code.jump("jmp_incomplete", middle);
        self.code.place(start);
        for _ in 0..self.rng.gen_range(1..4) {
            let row = self.plain[self.rng.gen_range(0..self.plain.len())];
            if let Some(w) = self.instruction(row) {
                self.put(w);
            }
        }
        self.code.jump("jmp_incomplete", end);
        self.code.place(middle);
        self.code.jump("jmp_incomplete", start);
        self.code.place(end);
        self.cost += 3.0;
    }

    fn item(&mut self, at: Place) {
        self.piece(at, 2, 9);
        if self.full() || at.nest >= 4 {
            return;
        }
        match self.rng.gen_range(0..11) {
            10 => self.hop(),
            0..=1 => self.branch(at, false),
            2..=4 => self.branch(at, true),
            5..=6 => self.repeat(at),
            7..=8 => self.call(at),
            _ => self.leave(at),
        }
    }

    fn piece(&mut self, at: Place, least: u32, most: u32) {
        let reserve = if at.call == 0 { 440 } else { 160 };
        for _ in 0..self.rng.gen_range(least..=most) {
            if self.code.bytes() + reserve > self.limits.program_bytes {
                return;
            }
            let before = self.cost;
            match self.rng.gen_bool(0.17) {
                true => self.access(),
                false => self.straight(),
            }
            self.cost = before + (self.cost - before) * at.times;
        }
    }

    fn straight(&mut self) {
        let rows = match self.rng.gen_bool(0.4) {
            true => &self.floats,
            false => &self.plain,
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

    /// A comparison of any kind that forms the mask, `n` levels deep.
    fn compare(&mut self, kind: &str, n: u64) {
        let of = if self.rng.gen() { "icmp" } else { "fcmp" };
        let name = format!("{kind}_{of}");
        if let Some(word) = self.comparison(row(&name), n) {
            self.put(word);
        } else {
            let (a, b) = (self.read(), self.read());
            let word = Word::of(&name).with("n", n);
            self.put(word.from("A", Source::Reg(a)).from("B", Source::Reg(b)));
        }
    }

    fn pop(&mut self, n: u64) {
        self.put(Word::of("pop_exec").with("n", n));
    }

    /// Now and then a jump where no thread is left.
    fn skip(&mut self, to: Label) {
        if self.rng.gen() {
            self.code.jump("jmp_exec_none", to);
            self.cost += 1.0;
        }
    }

    fn branch(&mut self, at: Place, two: bool) {
        let n = self.rng.gen_range(1..4);
        let inner = Place { nest: at.nest + 1, levels: at.levels.map(|l| l + n), times: 0.9 * at.times, ..at };
        let (other, end) = (self.code.label(), self.code.label());
        self.compare("if", n);
        self.skip(other);
        self.item(inner);
        self.code.place(other);
        if two {
            self.compare("else", n);
            self.skip(end);
            self.item(inner);
        }
        self.code.place(end);
        self.pop(n);
    }

    /// A loop of 1 to 4 turns, as many for all threads or not.
    fn repeat(&mut self, at: Place) {
        if at.counter >= 3 {
            return;
        }
        let k = self.r(reserved::LOOP + at.counter);
        match self.rng.gen() {
            true => {
                let n = self.rng.gen_range(1..4);
                self.set(k, n);
            }
            false => {
                let from = match self.rng.gen() {
                    true => self.r(reserved::THREAD),
                    false => self.data(),
                };
                let mask = [1, 2, 3][self.rng.gen_range(0..3)];
                self.and(k, from, Source::Imm(mask));
                self.add(k, k, Source::Imm(1));
            }
        }
        // 0.0 equals 0.0: a level for threads that break, one for those that continue.
        self.put(Word::of("if_fcmp").with("n", 2));
        let top = self.code.label();
        self.code.place(top);
        self.decrement(k);
        let inner = Place { nest: at.nest + 1, levels: Some(0), counter: at.counter + 1, times: 2.5 * at.times, ..at };
        self.item(inner);
        if self.rng.gen() {
            self.leave(inner);
        }
        // Before, some threads may leave.
        if self.rng.gen_bool(0.4) {
            self.compare("while", 2);
        }
        let word = Word::of("while_icmp").with("cc", GREATER).with("n", 2);
        self.put(word.from("A", Source::Reg(k)).from("B", Source::Imm(0)));
        self.code.jump("jmp_exec_any", top);
        self.pop(2);
        self.cost += 6.0 * at.times;
    }

    /// Some threads break from the innermost loop, or go to its end.
    fn leave(&mut self, at: Place) {
        let Some(levels) = at.levels else { return };
        let (a, b) = (self.read(), self.read());
        let levels = levels + self.rng.gen_range(1..3);
        let word = Word::of("icmpsel").with("cc", self.rng.gen_range(0..3));
        let word = word.from("A", Source::Reg(a)).from("B", Source::Reg(b));
        // To r0l.
        let word = word.with("D", 0).with("Dt", 0).with("X", levels);
        self.put(word.with("Xt", 0b100).with("Y", 0).with("Yt", 0b100));
        self.pop(0);
        self.piece(at, 1, 3);
    }

    /// A call of a function of the next level, where a thread is left.
    fn call(&mut self, at: Place) {
        if self.limits.chip {
            return self.call_and_jump_back(at);
        }
        let callable = self.functions.iter().filter(|f| f.1 == at.call + 1);
        let callable: Vec<Label> = callable.map(|f| f.0).collect();
        let loops = at.call > 0 || at.counter <= 2;
        if callable.is_empty() || !loops || self.code.bytes() + 360 > self.limits.program_bytes {
            return;
        }
        let (to, over) = (callable[self.rng.gen_range(0..callable.len())], self.code.label());
        self.code.jump("jmp_exec_none", over);
        if self.rng.gen() {
            self.code.jump("call", to);
        } else {
            let temp = self.r(reserved::TEMP);
            let word = Word::of("mov_imm32").to(temp);
            self.code.address(word, "imm32", to);
            self.put(Word::of_row(row("call_reg")).with("reg32", temp));
        }
        self.code.place(over);
        self.cost += 14.0 * at.times;
    }

    /// A call of code of its own, now and then where no thread is left.
    fn call_and_jump_back(&mut self, at: Place) {
        if self.calls.len() >= 4 || self.full() {
            return;
        }
        let labels = [self.code.label(), self.code.label()];
        let over = self.code.label();
        if self.rng.gen_bool(0.7) {
            self.code.jump("jmp_exec_none", over);
        }
        self.code.jump("call", labels[0]);
        self.code.place(labels[1]);
        self.code.place(over);
        self.calls.push(labels);
        self.cost += 10.0 * at.times;
    }
}
