//! What SM 1.0 makes of structured control flow, and where it ends.

use super::super::skeleton::{Flow, Label, Loop, Place, Program, Turns};
use super::code::long;
use super::state::{reserved, Gen, Points, State};
use rand::Rng;
use warpsmith_isa::table::place::MARKER;
use warpsmith_isa::{Draft, Dst, Marker, Op, Pred, Src, ROWS};

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

impl Flow for State {
    /// The second side of a branch, or the top of a loop; and where all threads go.
    type Open = [warpsmith_isa::Label; 2];

    const FUNCTION: [u32; 2] = [8, 4];
    const SPARE: Option<u32> = Some(1);
    const BRANCH: u32 = 2;
    const LOOPS: &'static [Loop] = &[Loop::Break, Loop::Break, Loop::Back];

    /// SSY and a branch.
    fn open_branch(g: &mut Gen, _: &mut Place, two: bool) -> Self::Open {
        let [taken, join] = [(); 2].map(|()| g.code.label());
        g.fresh_flags();
        g.code.jump(Draft::bare(SSY), join);
        let guard = g.divergent_guard();
        g.code.jump(Draft::bare(BRA).guard(guard), if two { taken } else { join });
        [taken, join]
    }

    fn other_side(g: &mut Gen, [taken, join]: &Self::Open) {
        g.code.jump(Draft::bare(BRA), *join);
        g.code.place(*taken);
    }

    fn close_branch(g: &mut Gen, [_, join]: Self::Open, _: bool) {
        g.join(join);
    }

    fn count(g: &mut Gen, counter: u8, turns: Turns) -> u8 {
        let k = g.r(reserved::LOOP + counter);
        match turns {
            Turns::Fixed(n) => g.mvi(k, n),
            Turns::Masked { thread, mask } => {
                let from = if thread { g.r(reserved::THREAD) } else { g.rng.gen_range(0..g.layout.pool) };
                g.and_imm(k, from, mask);
                g.add_imm(k, k, 1);
            }
        }
        k
    }

    /// PBK, or SSY for threads to wait at the join.
    fn open_loop(g: &mut Gen, kind: Loop, _: u8) -> Self::Open {
        let [top, out] = [(); 2].map(|()| g.code.label());
        g.code.jump(Draft::bare(if kind == Loop::Back { SSY } else { PBK }), out);
        g.code.place(top);
        [top, out]
    }

    fn leave_loop(g: &mut Gen, _: Place, _: Loop) {
        let guard = g.divergent_guard();
        g.put(Draft::bare(Op::Brk).guard(guard));
    }

    fn close_loop(g: &mut Gen, kind: Loop, k: u8, [top, out]: Self::Open) {
        let c = g.rng.gen_range(0..4);
        g.add_imm(k, k, u32::MAX);
        g.test_zero(c, k);
        if kind == Loop::Back {
            g.code.jump(when(BRA, NOT_ZERO, c), top);
            return g.join(out);
        }
        g.put(when(Op::Brk, ZERO, c));
        g.code.jump(Draft::bare(BRA), top);
        g.code.place(out);
    }

    /// Some threads end, or a breakpoint that nobody takes.
    fn leave(g: &mut Gen, at: Place) {
        if g.rng.gen_bool(0.4) {
            let bpt = when(Op::Bpt, 0, g.rng.gen_range(0..4));
            return g.put(bpt);
        }
        if g.rng.gen_bool(0.4) || !g.room(at, Self::BRANCH) {
            return;
        }
        let join = g.code.label();
        g.fresh_flags();
        g.code.jump(Draft::bare(SSY), join);
        let guard = g.divergent_guard();
        g.code.jump(Draft::bare(BRA).guard(guard), join);
        g.marked(Marker::Exit);
        g.join(join);
    }

    fn call(g: &mut Gen, to: Option<Label<Self>>) {
        if let Some(to) = to {
            let lim = g.rng.gen();
            g.code.jump(Draft::bare(Op::Cal { target: 0, lim }), to);
        }
    }

    fn ret(g: &mut Gen, _: u32, some: bool) {
        let guard = if some { g.guard() } else { Pred::ALWAYS };
        g.put(Draft::bare(Op::Ret).guard(guard));
    }
}

impl Gen<'_> {
    /// Appends a random instruction that carries a marker.
    pub fn marked(&mut self, marker: Marker) {
        let w = self.with_marker(marker);
        self.word(w);
    }

    fn with_marker(&mut self, marker: Marker) -> u64 {
        if self.rng.gen_bool(0.6) {
            let form = self.own.markable[self.rng.gen_range(0..self.own.markable.len())];
            let before = self.own.pointers;
            if let Some(w) = self.instruction(form) {
                let moved = self
                    .own
                    .pointers
                    .iter()
                    .zip(&before)
                    .any(|(a, b)| (a.low, a.high) != (b.low, b.high) && a.points != Points::Free);
                self.own.pointers = before;
                if !moved {
                    return w | MARKER.put(self.limits.tier.semantics().marker_code(&ROWS[form], marker));
                }
            }
        }
        let code = if self.rng.gen() { 0 } else { 15 };
        long(&when(Op::Nop, code, 0).marker(marker))
    }

    /// The instruction at a label where threads join.
    fn join(&mut self, label: Label<State>) {
        self.code.place(label);
        self.marked(Marker::Join);
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
}
