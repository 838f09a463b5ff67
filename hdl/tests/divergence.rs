//! The divergence unit against the rules of docs/decisions.md, written out thread by thread.

mod support_player;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt::Write;
use warpsmith_hdl::config::GpuConfig;
use warpsmith_hdl::sm::dims::pc_width;
use warpsmith_hdl::sm::divergence::{kind, marker, op, Divergence};

#[derive(Clone, Copy, PartialEq)]
enum State {
    Run,
    Brk,
    Ret,
    Exit,
}

#[derive(Clone)]
struct Warp {
    active: u32,
    threads: [State; 32],
    stack: Vec<(u64, u32, u32)>,
}

#[derive(Debug, PartialEq)]
struct Outcome {
    mask: u32,
    pc: u32,
    finished: bool,
    trap: u32,
    depth: usize,
    pops: usize,
}

impl Warp {
    fn new(active: u32) -> Self {
        Self {
            active,
            threads: [State::Run; 32],
            stack: vec![],
        }
    }

    fn of(mask: u32) -> impl Iterator<Item = usize> {
        (0..32).filter(move |t| mask >> t & 1 == 1)
    }

    fn run(&self) -> u32 {
        (0..32)
            .filter(|&t| self.threads[t] == State::Run)
            .fold(0, |m, t| m | 1 << t)
    }

    fn mark(&mut self, mask: u32, state: State) {
        Self::of(mask).for_each(|t| self.threads[t] = state);
    }

    fn revive(&mut self, mask: u32, from: State) {
        Self::of(mask).for_each(|t| {
            if self.threads[t] == from {
                self.threads[t] = State::Run;
            }
        });
    }

    /// Pops an entry; the address its threads go on at.
    fn resume(&mut self, (k, pc, mask): (u64, u32, u32), join_next: Option<u32>) -> u32 {
        match k {
            kind::PREBREAK => self.revive(mask, State::Brk),
            kind::CALL => self.revive(mask, State::Ret),
            _ => {}
        }
        self.active = mask & self.run();
        if k == kind::JOINAT {
            join_next.unwrap_or(pc + 8)
        } else {
            pc
        }
    }

    fn step(&mut self, o: &Op, limit: usize) -> Outcome {
        let (a, e) = (self.active, o.exec);
        let mut pc = o.next;
        let mut pops = 0;
        let push = match o.op {
            op::BRA if e != 0 && a & !e != 0 => Some((kind::BRANCH, o.next, a & !e)),
            op::CAL => Some((kind::CALL, o.next, a)),
            op::PBK => Some((kind::PREBREAK, o.target, a)),
            op::SSY => Some((kind::JOINAT, o.target, a)),
            _ => None,
        };
        let trap = |cause, depth| Outcome {
            mask: 0,
            pc: 0,
            finished: false,
            trap: cause,
            depth,
            pops: 0,
        };
        if push.is_some() && self.stack.len() == limit {
            return trap(6, limit);
        }
        if o.marker == marker::JOIN && self.stack.is_empty() {
            return trap(7, 0);
        }
        self.stack.extend(push);
        match (o.op, o.marker) {
            (op::BRA, _) if e != 0 => (self.active, pc) = (e, o.target),
            (op::CAL, _) => pc = o.target,
            (op::BRK, _) => {
                self.mark(e, State::Brk);
                self.active &= !e;
            }
            (op::RET, _) => {
                self.mark(e, State::Ret);
                self.active &= !e;
            }
            (_, marker::EXIT) => {
                self.mark(a, State::Exit);
                self.active = 0;
            }
            (_, marker::JOIN) => {
                let entry = self.stack.pop().unwrap();
                pc = self.resume(entry, Some(o.next));
                pops += 1;
            }
            _ => {}
        }
        let mut finished = false;
        while self.active == 0 && !finished {
            match self.stack.pop() {
                Some(entry) => pc = self.resume(entry, None),
                None => finished = true,
            }
            pops += 1;
        }
        Outcome {
            mask: self.active,
            pc,
            finished,
            trap: 0,
            depth: self.stack.len(),
            pops,
        }
    }
}

struct Op {
    op: u64,
    marker: u64,
    exec: u32,
    target: u32,
    next: u32,
}

fn random_op(r: &mut ChaCha8Rng, active: u32, grow: bool, pc: usize) -> Op {
    let op = if grow && r.gen_bool(0.7) {
        [op::BRA, op::CAL, op::PBK, op::SSY][r.gen_range(0..4)]
    } else {
        r.gen_range(0..7)
    };
    let marker = if op != op::NONE {
        marker::NONE
    } else if r.gen_bool(0.15) {
        marker::EXIT
    } else if r.gen_bool(0.8) {
        marker::JOIN
    } else {
        marker::NONE
    };
    let exec = active
        & match r.gen_range(0..6) {
            0 => u32::MAX,
            1 => 0,
            2 => 1 << r.gen_range(0..32),
            3 => !(1 << r.gen_range(0..32)),
            _ => r.gen(),
        };
    let mut address = || r.gen_range(0..(1u32 << (pc - 1)) / 8) * 8;
    Op {
        op,
        marker,
        exec,
        target: address(),
        next: address() + 4,
    }
}

const PLAYER: &str = r#"
#include <deque>
struct Under { unsigned warp; long taken; bool free; };
int main(int, char** argv) {
    Dut d; reset(d);
    FILE* f = fopen(argv[1], "r");
    char line[256]; bool have = false; int gap = 0; std::deque<Under> under; long given = 0, wanted = 0; bool end = false;
    while (!end || given < wanted) {
        d.valid = 0; d.start_valid = 0;
        if (!have && gap == 0 && !end) {
            if (!fgets(line, sizeof line, f)) end = true; else have = true;
        }
        if (gap > 0) gap--;
        bool start = have && line[0] == 's';
        if (start) {
            unsigned w; sscanf(line, "s %u", &w);
            // The slot's former warp must be through.
            if (given == wanted) { d.start_valid = 1; d.start_warp = w; have = false; }
        } else if (have) {
            unsigned op, m, w, a, e, t, n, g;
            sscanf(line, "o %u %u %u %x %x %x %x %u", &op, &m, &w, &a, &e, &t, &n, &g);
            // Which threads are active is known when the warp's operation before is complete.
            d.valid = 1;
            for (auto& u : under) if (u.warp == w && !(d.result_valid && &u == &under.front())) d.valid = 0;
            d.op = op; d.marker = m; d.warp = w; d.active = a; d.exec = e; d.target = t; d.next = n;
            d.eval();
            if (d.valid && d.ready) { have = false; gap = g; wanted++; under.push_back({w, cycle, false}); }
        }
        d.eval();
        for (auto& u : under) if (cycle == u.taken + 1) u.free = d.ready;
        if (d.result_valid) {
            given++;
            if (under.empty()) { printf("a result of nothing\n"); return 1; }
            Under u = under.front(); under.pop_front();
            printf("%u %x %x %u %u %u %ld %u %u\n", d.result_warp, d.result_mask, d.result_pc, d.result_finished,
                   d.result_trap ? d.result_cause : 0, d.result_depth, cycle - u.taken, u.free, d.ready);
        }
        tick(d);
    }
    return d.busy;
}
"#;

fn unit_follows_the_rules(name: &str, operations: usize) {
    let seed = 0xd1f3;
    println!("seed {seed:#x}, {operations} operations, configuration {name}");
    let cfg = GpuConfig::named(name).unwrap();
    let r = &mut ChaCha8Rng::seed_from_u64(seed);
    let pc = pc_width(&cfg);
    let mut warps: Vec<Option<Warp>> = vec![None; cfg.warps];
    let mut vectors = String::new();
    let mut expected = vec![];
    let (mut overflows, mut underflows, mut ends, mut longest) = (0, 0, 0, 0);
    while expected.len() < operations {
        let w = r.gen_range(0..cfg.warps);
        let grow = expected.len() / 400 % 3 != 0;
        let warp = match &mut warps[w] {
            Some(warp) => warp,
            none => {
                let mask = if r.gen_bool(0.7) {
                    u32::MAX
                } else {
                    r.gen_range(1..=u32::MAX)
                };
                writeln!(vectors, "s {w}").unwrap();
                none.insert(Warp::new(mask))
            }
        };
        let o = random_op(r, warp.active, grow, pc);
        let gap = if r.gen_bool(0.5) {
            0
        } else {
            r.gen_range(0..4)
        };
        let Op {
            op,
            marker,
            exec,
            target,
            next,
        } = o;
        writeln!(
            vectors,
            "o {op} {marker} {w} {:x} {exec:x} {target:x} {next:x} {gap}",
            warp.active
        )
        .unwrap();
        let out = warp.step(&o, cfg.stack_depth);
        overflows += (out.trap == 6) as usize;
        underflows += (out.trap == 7) as usize;
        ends += out.finished as usize;
        longest = longest.max(out.pops);
        if out.finished {
            warps[w] = None;
        }
        let may_pop = op == op::RET || op == op::BRK || marker != marker::NONE;
        expected.push((w, out, may_pop));
    }
    assert!(
        overflows > 10 && underflows > 10 && ends > 50 && longest > 4,
        "{overflows} {underflows} {ends} {longest}"
    );
    let Some(text) =
        support_player::simulate("divergence", &Divergence::new(&cfg), PLAYER, &vectors)
    else {
        return;
    };
    assert_eq!(text.lines().count(), operations);
    for (i, (line, (w, want, may_pop))) in text.lines().zip(&expected).enumerate() {
        let f: Vec<&str> = line.split(' ').collect();
        let hex = |s: &str| u32::from_str_radix(s, 16).unwrap();
        let got = (
            f[0].parse::<usize>().unwrap(),
            f[3] == "1",
            f[4].parse::<u32>().unwrap(),
            f[5].parse::<usize>().unwrap(),
        );
        assert_eq!(
            got,
            (*w, want.finished, want.trap, want.depth),
            "operation {i}: {line}, expected {want:x?}"
        );
        if want.trap == 0 {
            assert_eq!(
                hex(f[1]),
                want.mask,
                "mask of operation {i}: expected {want:x?}"
            );
            if !want.finished {
                assert_eq!(
                    hex(f[2]),
                    want.pc,
                    "pc of operation {i}: expected {want:x?}"
                );
            }
        }
        let latency: usize = f[6].parse().unwrap();
        assert_eq!(latency, 2 + want.pops, "cycles of operation {i}: {want:x?}");
        // Ready in the next cycle, or in that of the result.
        assert_eq!(
            f[7] == "1",
            !may_pop,
            "ready behind operation {i}: {want:x?}"
        );
        assert!(!may_pop || f[8] == "1", "ready at the result of {i}");
    }
}

#[test]
fn divergence_follows_the_rules_in_a_small_sm() {
    unit_follows_the_rules("tiny", 20_000);
}

#[test]
fn divergence_follows_the_rules_in_a_large_sm() {
    unit_follows_the_rules("default", 40_000);
}
