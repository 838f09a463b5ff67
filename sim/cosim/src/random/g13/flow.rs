//! What G13 makes of structured control flow, and where it ends.

use super::super::skeleton::{self, Flow, Loop, Place, Program, Set, Turns};
use super::super::words::Label;
use super::state::{reserved, Gen, State};
use super::words::{row, Source, Word};
use rand::Rng;

/// Condition code of integers.
const GREATER: u64 = 2;

impl Flow for State {
    /// Where the other side of a branch begins or the top of a loop is, where a branch ends, and levels of the mask.
    type Open = ([Label; 2], u64);

    const FUNCTION: [u32; 2] = [0, 0];
    const SPARE: Option<u32> = None;
    const BRANCH: u32 = 0;
    const LOOPS: &'static [Loop] = &[Loop::Mask];

    fn open_branch(g: &mut Gen, at: &mut Place, _: bool) -> Self::Open {
        let n = g.rng.gen_range(1..4);
        at.stack += n;
        let labels = [(); 2].map(|()| g.code.label());
        g.compare("if", n.into());
        g.skip(labels[0]);
        (labels, n.into())
    }

    fn other_side(g: &mut Gen, ([other, end], n): &Self::Open) {
        g.code.place(*other);
        g.compare("else", *n);
        g.skip(*end);
    }

    fn close_branch(g: &mut Gen, ([other, end], n): Self::Open, two: bool) {
        g.code.place(if two { end } else { other });
        g.pop(n);
    }

    fn count(g: &mut Gen, counter: u8, turns: Turns) -> u64 {
        let k = g.r(reserved::LOOP + u64::from(counter));
        match turns {
            Turns::Fixed(n) => g.set(k, n),
            Turns::Masked { thread, mask } => {
                let from = if thread { g.r(reserved::THREAD) } else { g.data() };
                g.and(k, from, Source::Imm(mask.into()));
                g.add(k, k, Source::Imm(1));
            }
        }
        k
    }

    fn open_loop(g: &mut Gen, _: Loop, k: u64) -> Self::Open {
        // 0.0 equals 0.0: a level for threads that break, one for those that continue.
        g.put(Word::of("if_fcmp").with("n", 2));
        let labels = [(); 2].map(|()| g.code.label());
        g.code.place(labels[0]);
        g.decrement(k);
        (labels, 2)
    }

    fn leave_loop(g: &mut Gen, at: Place, _: Loop) {
        g.leave_levels(at);
    }

    fn close_loop(g: &mut Gen, _: Loop, k: u64, ([top, _], n): Self::Open) {
        // Before, some threads may leave.
        if g.rng.gen_bool(0.4) {
            g.compare("while", n);
        }
        let word = Word::of("while_icmp").with("cc", GREATER).with("n", n);
        g.put(word.from("A", Source::Reg(k)).from("B", Source::Imm(0)));
        g.jump("jmp_exec_any", top);
        g.pop(n);
    }

    /// Some threads leave a loop or its turn, or short jumps to and fro around one instruction or more.
    fn leave(g: &mut Gen, at: Place) {
        if at.breaks && g.rng.gen() {
            g.leave_levels(at);
            return g.piece(at, 1, 3);
        }
        let [start, middle, end] = [(); 3].map(|()| g.code.label());
        g.jump("jmp_incomplete", middle);
        g.code.place(start);
        for _ in 0..g.rng.gen_range(1..4) {
            let row = g.plain[g.rng.gen_range(0..g.plain.len())];
            State::append(g, row);
        }
        g.jump("jmp_incomplete", end);
        g.code.place(middle);
        g.jump("jmp_incomplete", start);
        g.code.place(end);
    }

    /// A call where a thread is left.
    fn call(g: &mut Gen, to: Option<skeleton::Label<Self>>) {
        let over = g.code.label();
        let Some(to) = to else { return };
        g.jump("jmp_exec_none", over);
        if g.rng.gen() {
            g.jump("call", to);
        } else {
            let temp = g.r(reserved::TEMP);
            g.code.later(to, move |_, to| Word::of("mov_imm32").to(temp).with("imm32", to as u64).code().to_vec());
            g.put(Word::of_row(row("call_reg")).with("reg32", temp));
        }
        g.code.place(over);
    }

    /// A function that calls keeps its link.
    fn enter(g: &mut Gen, level: u32) {
        if level == 1 {
            g.add(g.r(reserved::LINK), 1, Source::Imm(0));
        }
    }

    /// All threads return together.
    fn ret(g: &mut Gen, level: u32, some: bool) {
        if !some {
            let link = if level == 1 { g.r(reserved::LINK) } else { 1 };
            g.put(Word::of("ret").with("reg32", link));
        }
    }
}

impl Gen<'_> {
    /// Appends a jump to a label.
    fn jump(&mut self, name: &'static str, to: Label) {
        self.cost += 1.0;
        self.code.later(to, move |at, to| {
            let offset = to.wrapping_sub(at) as u64;
            Word::of(name).with("off", offset).code().to_vec()
        });
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
            self.jump("jmp_exec_none", to);
        }
    }

    /// Some threads break from the innermost loop, or go to the end of its turn.
    fn leave_levels(&mut self, at: Place) {
        let (a, b) = (self.read(), self.read());
        let levels = u64::from(at.stack) + self.rng.gen_range(1..3);
        let word = Word::of("icmpsel").with("cc", self.rng.gen_range(0..3));
        let word = word.from("A", Source::Reg(a)).from("B", Source::Reg(b));
        // To r0l.
        let word = word.with("D", 0).with("Dt", 0).with("X", levels);
        self.put(word.with("Xt", 0b100).with("Y", 0).with("Yt", 0b100));
        self.pop(0);
    }
}
