//! The barrier unit against its rules, warp by warp.

use crate::support;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use support::dut::Dut;
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

/// One cycle of events.
#[derive(Default)]
struct Cycle {
    clear: bool,
    start: Option<(u32, usize)>,
    bar: Option<(usize, usize, bool, bool)>,
    exit: Option<usize>,
    settle: bool,
}

/// The unit, and the warps that live.
struct Player {
    dut: Dut,
    live: u32,
    /// Warp and block of the deadlock named last.
    dead: Option<(usize, usize)>,
}

impl Player {
    fn look(&mut self) {
        if self.dut.is("deadlock") {
            let named = |p| self.dut.get(p) as usize;
            self.dead = Some((named("deadlock_warp"), named("deadlock_block")));
        }
    }

    fn tick(&mut self) {
        self.look();
        self.dut.tick();
    }

    /// Plays a cycle; after the last of a burst: who waits, and the deadlock named since the one before.
    fn play(&mut self, c: &Cycle) -> Option<(u32, Option<(usize, usize)>)> {
        let (warps, block) = c.start.unwrap_or_default();
        let (warp, id, arrive, wait) = c.bar.unwrap_or_default();
        let exits = c.exit.map_or(0, |w| 1u32 << w);
        for (port, value) in [
            ("clear", u32::from(c.clear)),
            ("start_valid", u32::from(c.start.is_some())),
            ("start_warps", warps),
            ("start_block", block as u32),
            ("bar_valid", u32::from(c.bar.is_some())),
            ("bar_warp", warp as u32),
            ("bar_id", id as u32),
            ("bar_arrive", u32::from(arrive)),
            ("bar_wait", u32::from(wait)),
            ("exit_warps", exits),
            ("live", self.live),
        ] {
            self.dut.set(port, value);
        }
        self.dut.eval();
        // Warp slots are given out again when their former warps are through.
        while c.start.is_some() && self.dut.word("exiting") & warps != 0 {
            self.dut.set("start_valid", 0u32);
            self.dut.eval();
            self.tick();
            self.dut.set("start_valid", 1u32);
            self.dut.eval();
        }
        self.tick();
        for port in ["clear", "start_valid", "bar_valid", "exit_warps"] {
            self.dut.set(port, 0u32);
        }
        self.live = match c.clear {
            true => 0,
            false => (self.live | warps) & !exits,
        };
        self.dut.set("live", self.live);
        self.dut.eval();
        // Its warps begin one after the other.
        for w in (0..32u32).filter(|w| warps >> w & 1 == 1) {
            self.dut.set("place_valid", 1u32);
            self.dut.set("place_warp", w);
            self.dut.set("place_block", block as u32);
            self.dut.eval();
            self.tick();
            self.dut.set("place_valid", 0u32);
            self.dut.eval();
        }
        let held = self.dut.word("waiting") >> warp & 1 == 1;
        assert!(
            c.bar.is_none() || held,
            "warp {warp} is not held after its BAR"
        );
        c.settle.then(|| {
            while self.dut.is("busy") {
                self.tick();
            }
            (self.dut.word("waiting"), self.dead.take())
        })
    }
}

fn barriers_follow_the_rules(name: &str, steps: usize) {
    let seed = 0xba44;
    println!("seed {seed:#x}, {steps} steps, configuration {name}");
    let cfg = GpuConfig::named(name).unwrap();
    let r = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut model = Model(vec![None; cfg.warps], 0);
    let (mut vectors, mut expected) = (vec![], vec![]);
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
                vectors.push(Cycle {
                    start: Some((mask, b)),
                    ..Cycle::default()
                });
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
                vectors.push(Cycle {
                    exit: Some(w),
                    ..Cycle::default()
                });
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
                    vectors.push(std::mem::take(&mut cycle));
                }
                cycle.exit = Some(w);
                model.exit(w);
            } else {
                let (id, arrive, wait) = (r.gen_range(0..ids), r.gen_bool(0.6), r.gen_bool(0.5));
                if burst && snapshot[w].as_ref().unwrap().arrived[id] {
                    continue;
                }
                if cycle.bar.is_some() {
                    vectors.push(std::mem::take(&mut cycle));
                }
                cycle.bar = Some((w, id, arrive, wait));
                model.bar(w, id, arrive, wait);
            }
        }
        cycle.settle = true;
        vectors.push(cycle);
        let dead = model.deadlocks(cfg.blocks);
        deadlocks += dead.len();
        let over = !dead.is_empty() || r.gen_bool(0.005);
        expected.push((model.waiting(), dead));
        if over {
            vectors.push(Cycle {
                clear: true,
                ..Cycle::default()
            });
            model.0.fill(None);
        }
    }
    assert!(
        deadlocks > 10 && model.1 > 1000,
        "{deadlocks} deadlocks, {} releases",
        model.1
    );
    let Some(dut) = Dut::new(&Barrier::new(&cfg)) else {
        return;
    };
    let mut player = Player {
        dut,
        live: 0,
        dead: None,
    };
    let settled = vectors.iter().filter_map(|c| player.play(c));
    let settled: Vec<_> = settled.collect();
    assert_eq!(settled.len(), expected.len());
    for (i, ((now, named), (waiting, dead))) in settled.iter().zip(&expected).enumerate() {
        assert_eq!(
            now, waiting,
            "after step {i}: {now:x}, expected {waiting:x}"
        );
        // Of several blocks dead in one burst any may be named last.
        let right = named.map_or(dead.is_empty(), |n| dead.contains(&n));
        assert!(
            right,
            "deadlock after step {i}: {named:?}, expected {dead:?}"
        );
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
