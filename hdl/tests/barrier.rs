//! The barrier unit against its rules, warp by warp.

use crate::support;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use support::dut::Dut;
use warpsmith_hdl::config::{GpuConfig, Isa};
use warpsmith_hdl::sm::barrier::Barrier;

#[derive(Clone, Default)]
struct Warp {
    block: usize,
    arrived: [bool; 16],
    /// … without waiting, and said how many warps it expects.
    said: [bool; 16],
    /// Barrier, and warps expected there, 0 for all live ones.
    waits: Option<(usize, usize)>,
    /// It has ended, others of its block have not.
    ended: bool,
}

impl Warp {
    fn waits_at(&self, k: usize) -> bool {
        self.waits.is_some_and(|(id, _)| id == k)
    }

    fn is_at(&self, k: usize) -> bool {
        self.arrived[k] || self.waits_at(k)
    }
}

/// Warps by slot.
struct Model {
    warps: Vec<Option<Warp>>,
    /// Barriers expect numbers of warps: the rules of the sets beside SM 1.0.
    counted: bool,
    /// Waiters released so far.
    released: usize,
    /// … by a number.
    by_number: usize,
}

impl Model {
    fn of(&self, w: usize) -> &Warp {
        self.warps[w].as_ref().expect("a warp")
    }

    /// Warps of a block, ended ones too.
    fn block(&self, b: usize) -> Vec<usize> {
        (0..self.warps.len()).filter(|&w| self.warps[w].as_ref().is_some_and(|x| x.block == b)).collect()
    }

    fn live(&self, b: usize) -> Vec<usize> {
        let mut block = self.block(b);
        block.retain(|w| !self.of(*w).ended);
        block
    }

    fn releases(&self, b: usize, k: usize) -> bool {
        let all = self.live(b).iter().all(|w| self.of(*w).is_at(k));
        if !self.counted {
            return all;
        }
        let block = self.block(b);
        let came = block.iter().filter(|w| self.of(**w).is_at(k)).count();
        let waits = |w: &usize| self.of(*w).waits.filter(|(id, _)| *id == k);
        let numbers: Vec<usize> = block.iter().filter_map(waits).map(|w| w.1).collect();
        match numbers.is_empty() {
            true => all && !block.iter().any(|w| self.of(*w).said[k]),
            false => numbers.iter().any(|n| if *n == 0 { all } else { came >= *n }),
        }
    }

    fn evaluate(&mut self, b: usize) {
        for k in 0..16 {
            if !self.releases(b, k) {
                continue;
            }
            for w in self.block(b) {
                let x = self.warps[w].as_mut().expect("a warp");
                x.arrived[k] = false;
                x.said[k] = false;
                if x.waits_at(k) {
                    self.by_number += usize::from(x.waits != Some((k, 0)));
                    x.waits = None;
                    self.released += 1;
                }
            }
        }
    }

    fn bar(&mut self, w: usize, bar: Bar) {
        let x = self.warps[w].as_mut().expect("a warp");
        x.arrived[bar.id] |= bar.arrive;
        x.said[bar.id] |= bar.arrive && !bar.wait && bar.number > 0;
        if bar.wait {
            x.waits = Some((bar.id, bar.number));
        }
        let b = x.block;
        self.evaluate(b);
    }

    fn exit(&mut self, w: usize) {
        let counted = self.counted;
        let x = self.warps[w].as_mut().expect("a warp");
        x.ended = true;
        if !counted {
            x.arrived = [false; 16];
        }
        let b = x.block;
        if self.live(b).is_empty() {
            self.block(b).into_iter().for_each(|w| self.warps[w] = None);
        }
        self.evaluate(b);
    }

    fn waiting(&self) -> u32 {
        (0..self.warps.len())
            .filter(|&w| self.warps[w].as_ref().is_some_and(|x| x.waits.is_some()))
            .fold(0, |m, w| m | 1 << w)
    }

    /// The lowest warp of each block of which no warp can go on, with the block.
    fn deadlocks(&self, blocks: usize) -> Vec<(usize, usize)> {
        let waits = |&w: &usize| self.of(w).waits.is_some();
        let dead = |b| {
            let members = self.live(b);
            (!members.is_empty() && members.iter().all(waits)).then(|| (members[0], b))
        };
        (0..blocks).filter_map(dead).collect()
    }

    fn running(&self) -> Vec<usize> {
        let runs = |x: &Warp| !x.ended && x.waits.is_none();
        (0..self.warps.len()).filter(|&w| self.warps[w].as_ref().is_some_and(runs)).collect()
    }
}

/// A barrier instruction.
#[derive(Clone, Copy, Default)]
struct Bar {
    id: usize,
    arrive: bool,
    wait: bool,
    /// Warps expected, 0 for all live ones.
    number: usize,
}

/// One cycle of events.
#[derive(Default)]
struct Cycle {
    clear: bool,
    start: Option<(u32, usize)>,
    bar: Option<(usize, Bar)>,
    exit: Option<usize>,
    settle: bool,
}

/// The unit, and the warps that live.
struct Player {
    dut: Dut,
    counted: bool,
    live: u32,
    /// Warps of each block slot.
    placed: BTreeMap<usize, u32>,
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
        let (warp, bar) = c.bar.unwrap_or_default();
        let exits = c.exit.map_or(0, |w| 1u32 << w);
        for (port, value) in [
            ("clear", u32::from(c.clear)),
            ("start_valid", u32::from(c.start.is_some())),
            ("start_warps", warps),
            ("start_block", block as u32),
            ("bar_valid", u32::from(c.bar.is_some())),
            ("bar_warp", warp as u32),
            ("bar_id", bar.id as u32),
            ("bar_arrive", u32::from(bar.arrive)),
            ("bar_wait", u32::from(bar.wait)),
            ("exit_warps", exits),
            ("live", self.live),
        ] {
            self.dut.set(port, value);
        }
        if self.counted {
            self.dut.set("bar_count", bar.number as u32);
        }
        self.dut.eval();
        // Warp slots and block slots are given out again when their former warps are through.
        let former = warps | self.placed.get(&block).copied().unwrap_or_default();
        while c.start.is_some() && self.dut.word("exiting") & former != 0 {
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
        if c.start.is_some() {
            self.placed.insert(block, warps);
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
        assert!(c.bar.is_none() || held, "warp {warp} is not held after its BAR");
        c.settle.then(|| {
            while self.dut.is("busy") {
                self.tick();
            }
            (self.dut.word("waiting"), self.dead.take())
        })
    }
}

fn barriers_follow_the_rules(name: &str, isa: Isa, steps: usize) {
    let seed = 0xba44;
    println!("seed {seed:#x}, {steps} steps, configuration {name}, {isa:?}");
    let cfg = GpuConfig { isa, ..GpuConfig::named(name).expect("a built-in configuration") };
    let counted = isa != Isa::Sm10;
    let r = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut model = Model { warps: vec![None; cfg.warps], counted, released: 0, by_number: 0 };
    let (mut vectors, mut expected) = (vec![], vec![]);
    let (mut per_block, mut ids, mut exits) = (1, 1, 0.0);
    let mut deadlocks = 0;
    for _ in 0..steps {
        if model.warps.iter().all(Option::is_none) {
            per_block = r.gen_range(1..=cfg.warps);
            ids = [1, 1, 2, 2, 4, 16][r.gen_range(0..6)];
            exits = [0.01, 0.2][r.gen_range(0..2)];
        }
        // Every free block slot gets a block, now and then.
        for b in 0..cfg.blocks.min(cfg.warps / per_block) {
            if model.block(b).is_empty() && r.gen_bool(0.5) {
                let warps = b * per_block..(b + 1) * per_block;
                let mask = warps.clone().fold(0u32, |m, w| m | 1 << w);
                vectors.push(Cycle { start: Some((mask, b)), ..Cycle::default() });
                warps.for_each(|w| model.warps[w] = Some(Warp { block: b, ..Warp::default() }));
            }
        }
        // A whole block ends, one warp a cycle; what comes next does not wait for it.
        let b = r.gen_range(0..cfg.blocks);
        let block = model.live(b);
        if r.gen_bool(0.05) && block.iter().all(|w| model.running().contains(w)) {
            for w in block {
                vectors.push(Cycle { exit: Some(w), ..Cycle::default() });
                model.exit(w);
            }
            continue;
        }
        let mut running = model.running();
        running.shuffle(r);
        running.truncate(if r.gen_bool(0.5) { 1 } else { r.gen_range(1..=8) });
        let burst = running.len() > 1;
        let mut cycle = Cycle::default();
        // What two warps do in one burst may be worked on in either order: events of which the
        // order shows (on a barrier at which the warp is already) are left to single steps.
        // With numbers the order of two warps at one barrier shows.
        let snapshot: Vec<Option<Warp>> = model.warps.clone();
        let mut used = vec![];
        for w in running {
            if r.gen_bool(exits) {
                if cycle.exit.is_some() {
                    vectors.push(std::mem::take(&mut cycle));
                }
                cycle.exit = Some(w);
                model.exit(w);
            } else {
                let mut bar =
                    Bar { id: r.gen_range(0..ids), arrive: r.gen_bool(0.6), wait: r.gen_bool(0.5), number: 0 };
                if counted {
                    // Warps mostly agree on the number.
                    bar.number = match r.gen_range(0..4) {
                        0 => 0,
                        1 => r.gen_range(0..=per_block + 1),
                        _ => 1 + 7 * (bar.id + 1) % per_block,
                    };
                }
                let before = snapshot[w].as_ref().expect("it runs");
                let place = (before.block, bar.id);
                if burst && (before.arrived[bar.id] || counted && used.contains(&place)) {
                    continue;
                }
                used.push(place);
                if cycle.bar.is_some() {
                    vectors.push(std::mem::take(&mut cycle));
                }
                cycle.bar = Some((w, bar));
                model.bar(w, bar);
            }
        }
        cycle.settle = true;
        vectors.push(cycle);
        let dead = model.deadlocks(cfg.blocks);
        deadlocks += dead.len();
        let over = !dead.is_empty() || r.gen_bool(0.005);
        expected.push((model.waiting(), dead));
        if over {
            vectors.push(Cycle { clear: true, ..Cycle::default() });
            model.warps.fill(None);
        }
    }
    assert!(deadlocks > 10 && model.released > 1000, "{deadlocks} deadlocks, {} releases", model.released);
    println!("{deadlocks} deadlocks, {} released, {} by number", model.released, model.by_number);
    assert_eq!(counted, model.by_number > 500, "{}", model.by_number);
    let dut = match counted {
        true => Some(Dut::native(&Barrier::new(&cfg))),
        false => Dut::new(&Barrier::new(&cfg)),
    };
    let Some(dut) = dut else { return };
    let mut player = Player { dut, counted, live: 0, placed: BTreeMap::new(), dead: None };
    let settled = vectors.iter().filter_map(|c| player.play(c));
    let settled: Vec<_> = settled.collect();
    assert_eq!(settled.len(), expected.len());
    for (i, ((now, named), (waiting, dead))) in settled.iter().zip(&expected).enumerate() {
        assert_eq!(now, waiting, "after step {i}: {now:x}, expected {waiting:x}");
        // Of several blocks dead in one burst any may be named last.
        let right = named.map_or(dead.is_empty(), |n| dead.contains(&n));
        assert!(right, "deadlock after step {i}: {named:?}, expected {dead:?}");
    }
}

#[test]
fn barriers_follow_the_rules_with_four_warps() {
    barriers_follow_the_rules("tiny", Isa::Sm10, 6_000);
}

#[test]
fn barriers_follow_the_rules_with_thirty_two_warps() {
    barriers_follow_the_rules("default", Isa::Sm10, 20_000);
}

#[test]
fn barriers_with_numbers_follow_the_rules() {
    barriers_follow_the_rules("tiny", Isa::Fermi, 30_000);
    barriers_follow_the_rules("default", Isa::Fermi, 60_000);
}
