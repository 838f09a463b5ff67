//! What Ivy Bridge makes of structured control flow, and where channels leave it.

use super::super::skeleton::{self, Flow, Loop, Place, Program, Turns};
use super::super::words::Label;
use super::state::{reserved, Gen, State};
use super::words::{bytes, Exec};
use rand::Rng;

/// Bytes that a branch distance counts.
const STEP: i64 = 8;

/// The beginning of a branch or loop.
pub enum Open {
    /// The `else`, what is behind it, the `endif`.
    Branch([Label; 3]),
    /// The top, the end of a turn, the `while`; the turns are counted at the top.
    Loop([Label; 3], bool),
}

impl Flow for State {
    type Open = Open;

    const FUNCTION: [u32; 2] = [0, 0];
    const SPARE: Option<u32> = None;
    const BRANCH: u32 = 0;
    const CALLS: bool = false;
    const LOOPS: &'static [Loop] = &[Loop::Continue, Loop::Continue, Loop::Back];

    fn open_branch(g: &mut Gen, _: &mut Place, two: bool) -> Open {
        let labels = [(); 3].map(|()| g.code.label());
        let [other, behind, end] = labels;
        let predicate = g.decision();
        g.part(&predicate, "if", &[if two { behind } else { end }, end]);
        g.own.joins.push(if two { other } else { end });
        Open::Branch(labels)
    }

    fn other_side(g: &mut Gen, open: &Open) {
        let Open::Branch([other, behind, end]) = *open else { return };
        g.code.place(other);
        g.part("", "else", &[end]);
        g.code.place(behind);
        g.own.joins.pop();
        g.own.joins.push(end);
    }

    fn close_branch(g: &mut Gen, open: Open, two: bool) {
        let Open::Branch([other, behind, end]) = open else { return };
        if !two {
            g.code.place(other);
            g.code.place(behind);
        }
        g.code.place(end);
        g.own.joins.pop();
        let hop = g.hop();
        g.part("", "endif", &[hop]);
    }

    fn count(g: &mut Gen, counter: u8, turns: Turns) -> u64 {
        let (k, exec) = (g.r(reserved::LOOP + u64::from(counter)), g.active());
        match turns {
            Turns::Fixed(n) => g.operate("mov", exec, k, &format!("{n:#010x}UD")),
            Turns::Masked { thread, mask } => {
                let from = if thread { g.r(reserved::NUMBER) } else { g.data(2) };
                g.operate("and", exec, k, &format!("g{from}<8,8,1>UD {mask:#010x}UD"));
                g.operate("add", exec, k, &format!("g{k}<8,8,1>UD 0x00000001UD"));
            }
        }
        k
    }

    fn open_loop(g: &mut Gen, kind: Loop, k: u64) -> Open {
        let labels = [(); 3].map(|()| g.code.label());
        let [top, turn, end] = labels;
        let at_top = kind == Loop::Continue && g.rng.gen();
        g.code.place(top);
        g.own.joins.push(turn);
        g.own.loops.push([turn, end]);
        if at_top {
            let flag = g.count_down(k, "l");
            let all = g.active();
            g.part_of(all, &format!("(+{flag}) "), "break", &[turn, end]);
        }
        Open::Loop(labels, at_top)
    }

    fn leave_loop(g: &mut Gen, _: Place, _: Loop) {
        g.leave_turn();
    }

    fn close_loop(g: &mut Gen, _: Loop, k: u64, open: Open) {
        let Open::Loop([top, turn, end], at_top) = open else { return };
        g.code.place(turn);
        let predicate = match at_top {
            true => String::new(),
            false if g.rng.gen() => format!("(+{}) ", g.count_down(k, "g")),
            false => format!("(-{}) ", g.count_down(k, "le")),
        };
        g.code.place(end);
        g.part(&predicate, "while", &[top]);
        g.own.joins.pop();
        g.own.loops.pop();
    }

    /// Some channels leave a loop or its turn, halt, or wait behind the next instructions.
    fn leave(g: &mut Gen, at: Place) {
        if at.breaks && g.rng.gen() {
            g.leave_turn();
            return g.piece(at, 1, 3);
        }
        match g.rng.gen_range(0..12) {
            0 => {
                let (hop, predicate) = (g.hop(), g.decision());
                if let Some(exit) = g.own.exit {
                    g.part(&predicate, "halt", &[hop, exit]);
                }
                g.piece(at, 1, 3);
            }
            n => g.over(at, ["brd", "brc", "jmpi"][n % 3]),
        }
    }

    /// There are no functions.
    fn call(_: &mut Gen, _: Option<skeleton::Label<Self>>) {}

    fn ret(_: &mut Gen, _: u32, _: bool) {}
}

impl Gen<'_> {
    /// Where the thread goes on when no channel is at the next instruction.
    fn hop(&self) -> Label {
        let open = self.own.joins.last().copied();
        match open.or(self.own.exit) {
            Some(label) => label,
            None => panic!("a branch before the end of the program has a label"),
        }
    }

    /// Appends a branch with the distances to its labels, JIP first; now and then only half of the channels decide.
    fn part(&mut self, predicate: &str, name: &'static str, labels: &[Label]) {
        let mut exec = self.active();
        let decides = matches!(name, "if" | "break" | "cont" | "halt" | "brd" | "brc");
        if exec.size == 16 && decides && self.rng.gen_bool(0.1) {
            exec = Exec { size: 8, second: self.rng.gen(), ..exec };
        }
        self.part_of(exec, predicate, name, labels);
    }

    fn part_of(&mut self, exec: Exec, predicate: &str, name: &'static str, labels: &[Label]) {
        self.cost += 1.0;
        let options = exec.options(1, if matches!(name, "brd" | "brc") { "switch" } else { "" });
        let head = format!("{predicate}{name}({})", exec.size);
        let ways = ["JIP", "UIP"];
        self.code.later_all(labels, move |at, to| {
            let distance = |to: &usize| (*to as i64 - at as i64) / STEP;
            let named: Vec<String> = ways.iter().zip(to).map(|(n, to)| format!("{n}: {}", distance(to))).collect();
            bytes(&format!("{head} {} {options}", named.join(" ")), false)
        });
    }

    /// The predicate of a branch: that of a comparison before it, or any.
    fn decision(&mut self) -> String {
        match self.rng.gen_range(0..20) {
            0 => return String::new(),
            1..=8 => return self.predicate(),
            _ => {}
        }
        let (exec, flag) = (self.active(), self.flag());
        let [a, b] = [(); 2].map(|()| self.data(2));
        let cond = self.one(&["z", "nz", "g", "ge", "l", "le"]);
        let kind = self.one(&["D", "UD", "F"]);
        let options = exec.options(1, "switch");
        self.put(&format!(
            "cmp.{cond}.{flag}({}) null<1>{kind} g{a}<8,8,1>{kind} g{b}<8,8,1>{kind} {options}",
            exec.size
        ));
        format!("({}{flag}) ", if self.rng.gen() { '+' } else { '-' })
    }

    /// Counts down, and compares with 0: the flag.
    fn count_down(&mut self, k: u64, cond: &str) -> String {
        let (exec, flag) = (self.active(), self.flag());
        let (size, options) = (exec.size, exec.options(1, ""));
        self.put(&format!("add({size}) g{k}<1>D g{k}<8,8,1>D -1D {options}"));
        let switch = exec.options(1, "switch");
        self.put(&format!("cmp.{cond}.{flag}({size}) null<1>D g{k}<8,8,1>D 0D {switch}"));
        flag
    }

    /// Some channels leave the innermost loop, or its turn.
    fn leave_turn(&mut self) {
        let Some([turn, end]) = self.own.loops.last().copied() else { return };
        let (hop, predicate) = (self.hop(), self.decision());
        match self.rng.gen() {
            true => self.part(&predicate, "break", &[hop, end]),
            false => self.part(&predicate, "cont", &[hop, turn]),
        }
    }

    /// Channels, or all of them, go over the next instructions.
    fn over(&mut self, at: Place, name: &'static str) {
        let to = self.code.label();
        let predicate = self.decision();
        match name {
            "brc" => self.part(&predicate, name, &[to, to]),
            "brd" => self.part(&predicate, name, &[to]),
            _ => self.jump(to),
        }
        self.piece(at, 1, 4);
        self.code.place(to);
    }

    /// All channels go where channel 0 has its flag.
    fn jump(&mut self, to: Label) {
        self.cost += 1.0;
        let flag = self.flag();
        let predicate = match self.rng.gen_range(0..10) {
            0 => String::new(),
            n => format!("({}{flag}) ", if n % 2 == 0 { '+' } else { '-' }),
        };
        self.code.later(to, move |at, to| {
            let distance = (to as i64 - at as i64 - 16) / STEP;
            bytes(&format!("{predicate}jmpi(1) {distance}D {{ align1 WE_all 1N }}"), false)
        });
    }
}
