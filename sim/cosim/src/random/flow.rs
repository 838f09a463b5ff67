//! Structured control flow: branches that rejoin, loops, calls, exits, barriers.

use super::code::long;
use super::state::{reserved, Gen, Points};
use rand::Rng;
use warpsmith_isa::table::place::MARKER;
use warpsmith_isa::table::OpFamily;
use warpsmith_isa::{codes::Code, Draft, Dst, Marker, Op, Pred, Src, FORMS};

/// Condition codes: Z, and its opposite.
const ZERO: u8 = 0x0a;
const NOT_ZERO: u8 = 0x05;

/// Jumps to labels.
const BRA: Op = Op::Bra { target: 0 };
const SSY: Op = Op::Ssy { target: 0 };
const PBK: Op = Op::Pbk { target: 0 };

fn when(op: Op, code: u8, creg: u8) -> Draft {
    Draft::bare(op).guard(Pred { code, creg })
}

/// Where code is being generated.
#[derive(Clone, Copy)]
struct Place {
    /// Stack entries that may be in use.
    stack: u32,
    /// Nesting of structures.
    nest: u32,
    /// Next free loop counter, 0 to 3 (3: none).
    counter: u8,
    /// Call level: 0 main.
    level: u32,
    /// Times the code runs, roughly.
    times: f64,
}

impl Gen<'_> {
    /// Bytes that may still be used before the end and the functions.
    fn full(&self) -> bool {
        let reserve = 420 + 160 * self.functions.len() as u32;
        self.code.bytes() + reserve > self.limits.program_bytes
    }

    fn room(&self, at: Place, entries: u32) -> bool {
        at.stack + entries < self.limits.stack_depth && !self.full()
    }

    /// The main program between prologue and end.
    pub fn main(&mut self) {
        let at = Place { stack: 0, nest: 0, counter: 0, level: 0, times: 1.0 };
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
            if self.rng.gen_bool(0.05) && !self.full() {
                self.arrive();
            }
            if self.full() || self.cost >= self.aim {
                break;
            }
        }
        self.epilogue();
    }

    /// Arrives at a barrier without ever waiting; nobody waits there before the next full barrier.
    fn arrive(&mut self) {
        self.reset_pointers(false);
        let id = self.free_barrier();
        self.arrived |= 1 << id;
        self.put(Draft::bare(Op::Bar { id, arrive: true, wait: false, mask: None }));
    }

    /// The functions' bodies.
    pub fn functions_out(&mut self) {
        for i in 0..self.functions.len() {
            let (label, level) = self.functions[i];
            self.code.place(label);
            // Three entries for what calls it at most: see `call`.
            let at = Place {
                stack: self.limits.stack_depth.saturating_sub(if level == 1 { 8 } else { 4 }),
                nest: 2,
                counter: if level == 1 { 2 } else { 3 },
                level,
                times: 1.0,
            };
            self.piece(at, 2, 6);
            if level == 1 && !self.very_full() {
                self.item(at);
            }
            if self.rng.gen_bool(0.5) {
                let g = self.guard();
                self.put(Draft::bare(Op::Ret).guard(g));
                self.piece(at, 1, 4);
            }
            self.put(Draft::bare(Op::Ret));
        }
    }

    fn very_full(&self) -> bool {
        self.code.bytes() + 300 > self.limits.program_bytes
    }

    /// One structure or a straight piece.
    fn item(&mut self, at: Place) {
        self.piece(at, 2, 9);
        if self.full() || at.nest >= 4 {
            return;
        }
        match self.rng.gen_range(0..12) {
            0..=2 => self.branch(at, true),
            3..=4 => self.branch(at, false),
            5..=6 => self.loop_break(at),
            7 => self.loop_back(at),
            8..=9 => self.call(at),
            10 if self.rng.gen_bool(0.4) => self.leave(at),
            11 if self.rng.gen_bool(0.5) => {
                // A breakpoint nobody takes.
                let bpt = when(Op::Bpt, 0, self.rng.gen_range(0..4));
                self.put(bpt);
                self.cost += at.times;
            }
            _ => {}
        }
    }

    /// Straight-line code; the pointers are at home before and after.
    fn piece(&mut self, at: Place, least: u32, most: u32) {
        for _ in 0..self.rng.gen_range(least..=most) {
            let before = self.cost;
            if self.rng.gen_bool(0.12) {
                self.global_access();
            } else {
                self.straight();
            }
            self.cost = before + (self.cost - before) * at.times;
        }
        self.reset_pointers(false);
    }

    /// One instruction of any row, or a few of a float row with what they need.
    fn straight(&mut self) {
        let form = self.draw();
        let kind = FORMS[form].kind;
        let mut forms = vec![form];
        if kind.is_float() && !self.full() && self.refresh(kind) {
            let same = self.float_rows.iter().filter(|f| FORMS[**f].kind == kind);
            let same: Vec<usize> = same.copied().collect();
            forms.push(same[self.rng.gen_range(0..same.len())]);
        }
        for form in forms {
            if let Some(w) = self.instruction(form) {
                self.code.push(w);
                self.cost += 1.0;
            }
        }
        self.wanted.clear();
    }

    /// A row for straight-line code. Few rows add and multiply floats, and they have the most cases.
    fn draw(&mut self) -> usize {
        // The floats' share would leave too few shared stores for bank conflicts.
        if self.has_floats() && self.rng.gen_bool(0.06) {
            let stores = self.plain.iter().copied();
            let stores: Vec<usize> = stores.filter(|f| FORMS[*f].kind == OpFamily::StShared).collect();
            if !stores.is_empty() {
                return stores[self.rng.gen_range(0..stores.len())];
            }
        }
        let rows = match self.has_floats() && self.rng.gen_bool(0.5) {
            true if self.rng.gen_bool(0.4) && !self.arithmetic.is_empty() => &self.arithmetic,
            true => &self.float_rows,
            false => &self.plain,
        };
        rows[self.rng.gen_range(0..rows.len())]
    }

    /// A fixed instruction, not counted.
    fn put(&mut self, draft: Draft) {
        self.code.push(long(&draft));
    }

    /// A random instruction that carries a marker.
    pub fn marked(&mut self, marker: Marker) -> u64 {
        if self.rng.gen_bool(0.6) {
            let form = self.markable[self.rng.gen_range(0..self.markable.len())];
            let before = self.pointers;
            if let Some(w) = self.instruction(form) {
                let moved = self
                    .pointers
                    .iter()
                    .zip(&before)
                    .any(|(a, b)| (a.low, a.high) != (b.low, b.high) && a.points != Points::Free);
                self.pointers = before;
                if !moved {
                    return w | MARKER.put(marker.code());
                }
            }
        }
        let code = if self.rng.gen() { 0 } else { 15 };
        long(&when(Op::Nop, code, 0).marker(marker))
    }

    fn divergent_guard(&mut self) -> Pred {
        loop {
            let g = self.guard();
            if !g.is_always() || self.rng.gen_bool(0.1) {
                return g;
            }
        }
    }

    /// Flags that differ between threads, most of the time.
    fn fresh_flags(&mut self) {
        if self.rng.gen_bool(0.7) {
            let c = self.rng.gen_range(0..4);
            let r = self.rng.gen_range(0..self.layout.pool);
            if self.rng.gen() {
                self.test_zero(c, r);
            } else {
                self.put(Draft::new(Op::R2C, Dst::Cc(c), [Src::Reg(r), Src::None, Src::None]));
            }
        }
    }

    /// SSY, a branch, one or two sides, and the instruction that joins.
    fn branch(&mut self, at: Place, two: bool) {
        if !self.room(at, 2) {
            return;
        }
        let (join, taken) = (self.code.label(), self.code.label());
        let inner = Place { stack: at.stack + 2, nest: at.nest + 1, times: at.times * 0.9, ..at };
        self.fresh_flags();
        self.code.jump(Draft::bare(SSY), join);
        let g = self.divergent_guard();
        self.code.jump(Draft::bare(BRA).guard(g), if two { taken } else { join });
        self.item(inner);
        if two {
            self.code.jump(Draft::bare(BRA), join);
            self.code.place(taken);
            self.item(inner);
        }
        self.code.place(join);
        let w = self.marked(Marker::Join);
        self.code.push(w);
        self.cost += 4.0 * at.times;
    }

    /// Counter for a loop of 1 to 4 turns, the same for all threads or not.
    fn counter(&mut self, at: Place) -> u8 {
        let k = self.r(reserved::LOOP + at.counter);
        if self.rng.gen() {
            let n = self.rng.gen_range(1..4);
            self.mvi(k, n);
        } else {
            let from = if self.rng.gen() { self.r(reserved::THREAD) } else { self.rng.gen_range(0..self.layout.pool) };
            let mask = [1, 2, 3][self.rng.gen_range(0..3)];
            self.and_imm(k, from, mask);
            self.add_imm(k, k, 1);
        }
        k
    }

    fn count_down(&mut self, k: u8) -> u8 {
        let c = self.rng.gen_range(0..4);
        self.add_imm(k, k, u32::MAX);
        self.test_zero(c, k);
        c
    }

    /// PBK … BRK.
    fn loop_break(&mut self, at: Place) {
        if at.counter >= 3 || !self.room(at, 1) {
            return;
        }
        let (top, out) = (self.code.label(), self.code.label());
        let k = self.counter(at);
        self.code.jump(Draft::bare(PBK), out);
        self.code.place(top);
        let inner =
            Place { stack: at.stack + 1, nest: at.nest + 1, counter: at.counter + 1, times: at.times * 2.5, ..at };
        self.item(inner);
        if self.rng.gen_bool(0.3) {
            // Some leave early.
            let g = self.divergent_guard();
            self.put(Draft::bare(Op::Brk).guard(g));
            self.piece(inner, 1, 3);
        }
        let c = self.count_down(k);
        self.put(when(Op::Brk, ZERO, c));
        self.code.jump(Draft::bare(BRA), top);
        self.code.place(out);
        self.cost += 12.0 * at.times;
    }

    /// SSY and a branch back: threads that leave the loop wait at the join.
    fn loop_back(&mut self, at: Place) {
        if at.counter >= 3 || !self.room(at, 5) {
            return;
        }
        let (top, join) = (self.code.label(), self.code.label());
        let k = self.counter(at);
        self.code.jump(Draft::bare(SSY), join);
        self.code.place(top);
        let inner =
            Place { stack: at.stack + 5, nest: at.nest + 1, counter: at.counter + 1, times: at.times * 2.5, ..at };
        self.item(inner);
        let c = self.count_down(k);
        self.code.jump(when(BRA, NOT_ZERO, c), top);
        self.code.place(join);
        let w = self.marked(Marker::Join);
        self.code.push(w);
        self.cost += 12.0 * at.times;
    }

    /// A call of a function of the next level.
    fn call(&mut self, at: Place) {
        // What a function of level 1 may use is set aside, see `functions_out`.
        let needs = if at.level == 0 { 9 } else { 1 };
        // A function may use the last loop counter.
        if !self.room(at, needs) && at.level == 0 || at.level > 1 || at.level == 0 && at.counter > 2 {
            return;
        }
        let choice: Vec<_> = self.functions.iter().filter(|f| f.1 == at.level + 1).map(|f| f.0).collect();
        if choice.is_empty() || at.level == 1 && self.very_full() {
            return;
        }
        let to = choice[self.rng.gen_range(0..choice.len())];
        let lim = self.rng.gen();
        self.code.jump(Draft::bare(Op::Cal { target: 0, lim }), to);
        self.cost += 14.0 * at.times;
    }

    /// Some threads end.
    fn leave(&mut self, at: Place) {
        if !self.room(at, 2) {
            return;
        }
        let join = self.code.label();
        self.fresh_flags();
        self.code.jump(Draft::bare(SSY), join);
        let g = self.divergent_guard();
        self.code.jump(Draft::bare(BRA).guard(g), join);
        let w = self.marked(Marker::Exit);
        self.code.push(w);
        self.code.place(join);
        let w = self.marked(Marker::Join);
        self.code.push(w);
        self.cost += 4.0 * at.times;
    }
}
