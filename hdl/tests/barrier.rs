//! The barrier unit against its rules, warp by warp.

mod support_player;

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt::Write;
use warpsmith_hdl::config::GpuConfig;
use warpsmith_hdl::sm::barrier::Barrier;

#[derive(Clone, Default)]
struct Warp {
    block: usize,
    arrived: [bool; 16],
    waits: Option<usize>,
}

/// Live warps by slot; waiters released so far.
struct Model(Vec<Option<Warp>>, usize);

impl Model {
    fn block(&self, b: usize) -> Vec<usize> {
        (0..self.0.len())
            .filter(|&w| self.0[w].as_ref().is_some_and(|x| x.block == b))
            .collect()
    }

    fn evaluate(&mut self, b: usize) {
        let members = self.block(b);
        for k in 0..16 {
            let there = |x: &Warp| x.arrived[k] || x.waits == Some(k);
            if members.iter().all(|&w| there(self.0[w].as_ref().unwrap())) {
                for &w in &members {
                    let x = self.0[w].as_mut().unwrap();
                    x.arrived[k] = false;
                    if x.waits == Some(k) {
                        x.waits = None;
                        self.1 += 1;
                    }
                }
            }
        }
    }

    fn bar(&mut self, w: usize, id: usize, arrive: bool, wait: bool) {
        let x = self.0[w].as_mut().unwrap();
        x.arrived[id] |= arrive;
        if wait {
            x.waits = Some(id);
        }
        let b = x.block;
        self.evaluate(b);
    }

    fn exit(&mut self, w: usize) {
        let b = self.0[w].take().unwrap().block;
        self.evaluate(b);
    }

    fn waiting(&self) -> u32 {
        (0..self.0.len())
            .filter(|&w| self.0[w].as_ref().is_some_and(|x| x.waits.is_some()))
            .fold(0, |m, w| m | 1 << w)
    }

    /// The lowest warp of each block of which no warp can go on, with the block.
    fn deadlocks(&self, blocks: usize) -> Vec<(usize, usize)> {
        let waits = |&w: &usize| self.0[w].as_ref().unwrap().waits.is_some();
        let dead = |b| {
            let members = self.block(b);
            (!members.is_empty() && members.iter().all(waits)).then(|| (members[0], b))
        };
        (0..blocks).filter_map(dead).collect()
    }

    fn running(&self) -> Vec<usize> {
        (0..self.0.len())
            .filter(|&w| self.0[w].as_ref().is_some_and(|x| x.waits.is_none()))
            .collect()
    }
}

const PLAYER: &str = r#"
int main(int, char** argv) {
    Dut d; reset(d);
    FILE* f = fopen(argv[1], "r");
    char line[256]; int dead = -1, block = -1; unsigned live = 0;
    while (fgets(line, sizeof line, f)) {
        unsigned clear, sv, sw, sb, bv, bw, id, ar, wt, ev, ew, settle;
        sscanf(line, "%u %u %x %u %u %u %u %u %u %u %u %u", &clear, &sv, &sw, &sb, &bv, &bw, &id, &ar, &wt, &ev, &ew, &settle);
        d.clear = clear; d.start_valid = sv; d.start_warps = sw; d.start_block = sb;
        d.bar_valid = bv; d.bar_warp = bw; d.bar_id = id; d.bar_arrive = ar; d.bar_wait = wt;
        d.exit_warps = ev << ew; d.live = live;
        d.eval();
        // Warp slots are given out again when their former warps are through.
        for (unsigned on = d.start_valid; on && (d.exiting & sw);) {
            d.start_valid = 0; d.eval();
            if (d.deadlock) { dead = d.deadlock_warp; block = d.deadlock_block; }
            tick(d); d.start_valid = 1; d.eval();
        }
        if (d.deadlock) { dead = d.deadlock_warp; block = d.deadlock_block; }
        tick(d);
        d.clear = d.start_valid = d.bar_valid = d.exit_warps = 0;
        live = clear ? 0 : (live | (sv ? sw : 0)) & ~(ev << ew); d.live = live;
        d.eval();
        // Its warps begin one after the other.
        for (unsigned w = 0; sv && w < 32; w++) {
            if (!((sw >> w) & 1)) continue;
            d.place_valid = 1; d.place_warp = w; d.place_block = sb; d.eval();
            if (d.deadlock) { dead = d.deadlock_warp; block = d.deadlock_block; }
            tick(d); d.place_valid = 0; d.eval();
        }
        if (bv && !((d.waiting >> bw) & 1)) { fprintf(stderr, "warp %u is not held after its BAR\n", bw); return 1; }
        if (!settle) continue;
        while (d.busy) { if (d.deadlock) { dead = d.deadlock_warp; block = d.deadlock_block; } tick(d); }
        printf("%x %d %d\n", (unsigned)d.waiting, dead, block);
        dead = block = -1;
    }
    return 0;
}
"#;

/// One cycle of events.
#[derive(Default)]
struct Cycle {
    clear: bool,
    start: Option<(u32, usize)>,
    bar: Option<(usize, usize, bool, bool)>,
    exit: Option<usize>,
    settle: bool,
}

impl Cycle {
    fn write(&self, o: &mut String) {
        let (warps, block) = self.start.unwrap_or_default();
        let (w, id, arrive, wait) = self.bar.unwrap_or_default();
        writeln!(
            o,
            "{} {} {warps:x} {block} {} {w} {id} {} {} {} {} {}",
            self.clear as u8,
            self.start.is_some() as u8,
            self.bar.is_some() as u8,
            arrive as u8,
            wait as u8,
            self.exit.is_some() as u8,
            self.exit.unwrap_or_default(),
            self.settle as u8
        )
        .unwrap();
    }
}

fn barriers_follow_the_rules(name: &str, steps: usize) {
    let seed = 0xba44;
    println!("seed {seed:#x}, {steps} steps, configuration {name}");
    let cfg = GpuConfig::named(name).unwrap();
    let r = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut model = Model(vec![None; cfg.warps], 0);
    let (mut vectors, mut expected) = (String::new(), vec![]);
    let (mut per_block, mut ids, mut exits) = (1, 1, 0.0);
    let mut deadlocks = 0;
    for _ in 0..steps {
        if model.0.iter().all(Option::is_none) {
            per_block = r.gen_range(1..=cfg.warps);
            ids = [1, 1, 2, 2, 4, 16][r.gen_range(0..6)];
            exits = [0.01, 0.2][r.gen_range(0..2)];
        }
        // Every free block slot gets a block, now and then.
        for b in 0..cfg.blocks.min(cfg.warps / per_block) {
            if model.block(b).is_empty() && r.gen_bool(0.5) {
                let warps = b * per_block..(b + 1) * per_block;
                let mask = warps.clone().fold(0u32, |m, w| m | 1 << w);
                Cycle {
                    start: Some((mask, b)),
                    ..Cycle::default()
                }
                .write(&mut vectors);
                warps.for_each(|w| {
                    model.0[w] = Some(Warp {
                        block: b,
                        ..Warp::default()
                    })
                });
            }
        }
        // A whole block ends, one warp a cycle; what comes next does not wait for it.
        let b = r.gen_range(0..cfg.blocks);
        let block = model.block(b);
        if r.gen_bool(0.05) && block.iter().all(|w| model.running().contains(w)) {
            for w in block {
                Cycle {
                    exit: Some(w),
                    ..Cycle::default()
                }
                .write(&mut vectors);
                model.exit(w);
            }
            continue;
        }
        let mut running = model.running();
        running.shuffle(r);
        running.truncate(if r.gen_bool(0.5) {
            1
        } else {
            r.gen_range(1..=8)
        });
        let burst = running.len() > 1;
        let mut cycle = Cycle::default();
        // What two warps do in one burst may be worked on in either order: events of which the
        // order shows (on a barrier at which the warp is already) are left to single steps.
        let snapshot: Vec<Option<Warp>> = model.0.clone();
        for w in running {
            if r.gen_bool(exits) {
                if cycle.exit.is_some() {
                    std::mem::take(&mut cycle).write(&mut vectors);
                }
                cycle.exit = Some(w);
                model.exit(w);
            } else {
                let (id, arrive, wait) = (r.gen_range(0..ids), r.gen_bool(0.6), r.gen_bool(0.5));
                if burst && snapshot[w].as_ref().unwrap().arrived[id] {
                    continue;
                }
                if cycle.bar.is_some() {
                    std::mem::take(&mut cycle).write(&mut vectors);
                }
                cycle.bar = Some((w, id, arrive, wait));
                model.bar(w, id, arrive, wait);
            }
        }
        cycle.settle = true;
        cycle.write(&mut vectors);
        let dead = model.deadlocks(cfg.blocks);
        deadlocks += dead.len();
        let over = !dead.is_empty() || r.gen_bool(0.005);
        expected.push((model.waiting(), dead));
        if over {
            Cycle {
                clear: true,
                ..Cycle::default()
            }
            .write(&mut vectors);
            model.0.fill(None);
        }
    }
    assert!(
        deadlocks > 10 && model.1 > 1000,
        "{deadlocks} deadlocks, {} releases",
        model.1
    );
    let Some(text) = support_player::simulate("barrier", &Barrier::new(&cfg), PLAYER, &vectors)
    else {
        return;
    };
    assert_eq!(text.lines().count(), expected.len());
    for (i, (line, (waiting, dead))) in text.lines().zip(&expected).enumerate() {
        let f: Vec<&str> = line.split(' ').collect();
        assert_eq!(
            u32::from_str_radix(f[0], 16).unwrap(),
            *waiting,
            "after step {i}: {line}, expected {waiting:x}"
        );
        // Of several blocks dead in one burst any may be named last.
        let named: Option<(usize, usize)> = f[1].parse().ok().zip(f[2].parse().ok());
        let right = if dead.is_empty() {
            named.is_none()
        } else {
            named.is_some_and(|n| dead.contains(&n))
        };
        assert!(right, "deadlock after step {i}: {line}, expected {dead:?}");
    }
}

#[test]
fn barriers_follow_the_rules_with_four_warps() {
    barriers_follow_the_rules("tiny", 6_000);
}

#[test]
fn barriers_follow_the_rules_with_thirty_two_warps() {
    barriers_follow_the_rules("default", 20_000);
}
