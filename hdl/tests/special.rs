//! The special-function units of an SM against a model of their queue: every output in every cycle,
//! values by the documented formulas.

use crate::support::{self, area, float_numbers, sfu_reference};
use area::{fits, lints};
use float_numbers::{flag, number};
use sfu_reference::{expected, Op, FUNCTIONS};
use std::collections::VecDeque;
use support::{Random, Simulation};
use warpsmith_hdl::config::GpuConfig;
use warpsmith_hdl::emit::emit_leaf;
use warpsmith_hdl::sm::dims::Dims;
use warpsmith_hdl::sm::pipeline::execute::queue::{To, QUEUE};
use warpsmith_hdl::sm::pipeline::execute::special::{How, Special};

/// Cycles of one run.
const CYCLES: usize = 30_000;

/// What goes in with `in_valid`, and what must come of it.
#[derive(Clone)]
struct Beat {
    how: u32,
    x: Vec<u32>,
    to: Vec<u32>,
    mask: u32,
    y: Vec<u32>,
}

/// Inputs of one cycle.
struct Cycle {
    clear: bool,
    reserve: bool,
    beat: Option<Beat>,
    out_ready: bool,
}

/// What the header says; the must-fail test says something else.
#[derive(Clone)]
struct Rules {
    /// Beats there is room for.
    places: usize,
    /// Cycles from the last pass to the results.
    stages: usize,
    /// `clear` forgets.
    clears: bool,
    /// The first beat that came leaves first.
    in_order: bool,
    /// Changed bits of the destination.
    other_to: u32,
    /// How far the results stand from their lanes.
    lane: usize,
}

const RULES: Rules = Rules { places: QUEUE, stages: 5, clears: true, in_order: true, other_to: 0, lane: 0 };

/// The block as its header tells it.
struct Model {
    rules: Rules,
    passes: usize,
    cycle: usize,
    taken: usize,
    /// The units are free from this cycle on.
    free: usize,
    /// Beats inside, and the first cycle of their results.
    inside: VecDeque<(usize, Beat)>,
}

impl Model {
    fn new(rules: &Rules, passes: usize) -> Self {
        Self { rules: rules.clone(), passes, cycle: 0, taken: 0, free: 0, inside: VecDeque::new() }
    }

    fn ready(&self) -> bool {
        self.taken < self.rules.places
    }

    /// Which of the beats inside stands at `out`.
    fn out(&self) -> Option<usize> {
        let complete = self.inside.iter().take_while(|(at, _)| *at <= self.cycle);
        let last = complete.count().checked_sub(1)?;
        Some(if self.rules.in_order { 0 } else { last })
    }

    /// The clock edge that ends a cycle.
    fn step(&mut self, c: &Cycle) {
        self.taken += usize::from(c.reserve);
        if let Some(at) = self.out().filter(|_| c.out_ready) {
            self.inside.remove(at);
            self.taken -= 1;
        }
        if let Some(beat) = &c.beat {
            let begins = self.free.max(self.cycle + 1);
            self.free = begins + self.passes;
            let done = self.free + self.rules.stages;
            self.inside.push_back((done, beat.clone()));
        }
        self.cycle += 1;
        if c.clear && self.rules.clears {
            self.inside.clear();
            (self.taken, self.free) = (0, self.cycle);
        }
    }
}

/// How often a run met what it has to meet.
#[derive(Debug, Default)]
struct Seen {
    beats: usize,
    /// Cycles without a place.
    full: usize,
    /// Results that had to wait.
    held: usize,
    /// Every place holds finished results.
    brim: usize,
    /// A place taken while the last but one is given back.
    exchanged: usize,
    /// `clear` with beats inside.
    cleared: usize,
    /// `clear` in the cycle in which a beat comes.
    lost: usize,
}

fn chip(lanes: usize, sfus: usize) -> GpuConfig {
    GpuConfig { lanes, sfus, ..GpuConfig::named("default").expect("a built-in configuration") }
}

struct Bench {
    cfg: GpuConfig,
    simulation: Simulation,
}

impl Bench {
    fn build(lanes: usize, units: usize) -> Option<Self> {
        let cfg = chip(lanes, units);
        let leaf = emit_leaf(&Special::new(&cfg));
        let simulation = Simulation::build(&leaf)?;
        Some(Self { cfg, simulation })
    }

    fn passes(&self) -> usize {
        self.cfg.lanes / self.cfg.sfus
    }

    fn random_beat(&self, r: &mut Random) -> Beat {
        let d = Dims::of(&self.cfg);
        let (func, _) = FUNCTIONS[r.below(6) as usize];
        let flags = r.below(8) as usize;
        let [neg, abs, sat] = [0, 1, 2].map(|k| flag(flags, k));
        let x: Vec<u32> = (0..d.lanes).map(|_| number(r)).collect();
        let of = |&x: &u32| expected(&Op { func, neg, abs, sat, x });
        let bits = [("func", func), ("neg", neg.into()), ("abs", abs.into()), ("sat", sat.into())];
        // Fields of the destination, the first in the lowest bits; a mask of no lanes among them.
        let mask = match r.below(3) {
            0 => u32::MAX,
            1 => r.word() & r.word() & r.word(),
            _ => r.word(),
        } >> (32 - d.lanes);
        let mut to = 0u128;
        let mut at = 0;
        for (width, value) in [(d.warp, r.word()), (2, r.word()), (d.entry, r.word()), (d.lanes, mask), (1, r.word())] {
            to |= (u128::from(value) & ((1 << width) - 1)) << at;
            at += width;
        }
        assert_eq!(at, To::width(&d), "bits of a destination");
        Beat {
            how: How::word(&d, &bits) as u32,
            y: x.iter().map(of).collect(),
            x,
            to: (0..at.div_ceil(32)).map(|k| (to >> (32 * k)) as u32).collect(),
            mask,
        }
    }

    /// Random inputs that keep to the header, in spells of different hurry.
    fn inputs(&self, r: &mut Random) -> Vec<Cycle> {
        let mut model = Model::new(&RULES, self.passes());
        let mut cycles = Vec::with_capacity(CYCLES);
        let mut comes = false;
        // The first spell fills every place with finished results, the second empties them.
        let mut spells = vec![[0, 100, 0, 300], [100, 0, 0, 400]];
        while cycles.len() < CYCLES {
            let [reserve, out, clear, length] = spells.pop().unwrap_or_else(|| {
                [
                    [0, 3, 30, 100][r.below(4) as usize],
                    [0, 10, 50, 100][r.below(4) as usize],
                    [0, 0, 1, 10][r.below(4) as usize],
                    20 + r.below(300),
                ]
            });
            for _ in 0..length {
                let cycle = Cycle {
                    clear: r.below(100) < clear,
                    reserve: model.ready() && r.below(100) < reserve,
                    beat: comes.then(|| self.random_beat(r)),
                    out_ready: r.below(100) < out,
                };
                // A reservation is forgotten like everything else.
                comes = cycle.reserve && !cycle.clear;
                model.step(&cycle);
                cycles.push(cycle);
            }
        }
        cycles
    }

    fn outputs(&self, cycles: &[Cycle]) -> Vec<Vec<u32>> {
        let (lanes, to) = (self.cfg.lanes, To::width(&Dims::of(&self.cfg)).div_ceil(32));
        // Inputs of a cycle without a beat mean nothing.
        let none = (u32::MAX >> 26, vec![0x5a5a_5a5a; lanes], vec![0; to]);
        let row = |c: &Cycle| {
            let beat = c.beat.as_ref();
            let (how, x, to) = beat.map_or(none.clone(), |b| (b.how, b.x.clone(), b.to.clone()));
            let mut row = vec![c.clear.into(), c.reserve.into(), beat.is_some().into(), how];
            row.extend(x.iter().chain(&to));
            row.push(c.out_ready.into());
            row
        };
        self.simulation.run(&cycles.iter().map(row).collect::<Vec<_>>())
    }

    /// Compares every output of every cycle with a model that follows `rules`.
    fn check(&self, rules: &Rules, cycles: &[Cycle], rows: &[Vec<u32>]) -> Result<Seen, String> {
        let mut model = Model::new(rules, self.passes());
        let mut seen = Seen::default();
        for (n, (cycle, row)) in cycles.iter().zip(rows).enumerate() {
            let same = |what: &str, got: &[u32], want: &[u32]| {
                let message = || format!("cycle {n}: {what} {got:08x?}, not {want:08x?}");
                (got == want).then_some(()).ok_or_else(message)
            };
            same("ready", &row[..1], &[model.ready().into()])?;
            same("busy", &row[row.len() - 1..], &[(model.taken > 0).into()])?;
            let out = model.out();
            same("out_valid", &row[1..2], &[out.is_some().into()])?;
            if let Some(at) = out {
                let beat = &model.inside[at].1;
                let (to, data) = row[2..row.len() - 1].split_at(beat.to.len());
                let mut want = beat.to.clone();
                want[0] ^= rules.other_to;
                same("out_to", to, &want)?;
                for i in (0..data.len()).filter(|i| beat.mask >> i & 1 == 1) {
                    let y = beat.y[(i + rules.lane) % data.len()];
                    same(&format!("lane {i}"), &data[i..=i], &[y])?;
                }
            }
            seen.beats += usize::from(cycle.beat.is_some());
            seen.full += usize::from(!model.ready());
            seen.held += usize::from(out.is_some() && !cycle.out_ready);
            let finished = |(at, _): &(usize, Beat)| *at <= n;
            seen.brim += usize::from(model.inside.iter().filter(|b| finished(b)).count() == QUEUE);
            let leaves = out.is_some() && cycle.out_ready;
            seen.exchanged += usize::from(leaves && cycle.reserve && model.taken == QUEUE - 1);
            seen.cleared += usize::from(cycle.clear && model.inside.len() > 1);
            seen.lost += usize::from(cycle.clear && cycle.beat.is_some());
            model.step(cycle);
        }
        Ok(seen)
    }
}

/// Beats, masks, hurry and back-pressure of all kinds; then one beat alone.
fn follows_the_header(lanes: usize, units: usize, seed: u64) {
    let Some(bench) = Bench::build(lanes, units) else { return };
    println!("{lanes} lanes, {units} units, seed {seed:#x}");
    let mut r = Random(seed);
    let cycles = bench.inputs(&mut r);
    let seen = bench.check(&RULES, &cycles, &bench.outputs(&cycles)).unwrap_or_else(|e| panic!("{e}"));
    println!("{seen:?}");
    let Seen { beats, full, held, brim, exchanged, cleared, lost } = seen;
    let all = [beats, full, held, brim, exchanged, cleared, lost];
    assert!(all.iter().all(|&n| n >= 5), "the run misses something");

    // In at cycle 1, the first pass in 2, results lanes / units + 5 cycles after it.
    let alone = |n: usize| Cycle {
        clear: false,
        reserve: n == 0,
        beat: (n == 1).then(|| bench.random_beat(&mut r)),
        out_ready: true,
    };
    let rows = bench.outputs(&(0..lanes + 10).map(alone).collect::<Vec<_>>());
    let there: Vec<usize> = (0..rows.len()).filter(|&n| rows[n][1] == 1).collect();
    assert_eq!(there, [2 + lanes / units + 5], "cycles with `out_valid`");
}

#[test]
fn two_units_for_8_lanes_follow_the_header() {
    follows_the_header(8, 2, 0x5EED_0110);
}

#[test]
fn eight_units_for_8_lanes_follow_the_header() {
    follows_the_header(8, 8, 0x5EED_0111);
}

#[test]
fn one_unit_for_8_lanes_follows_the_header() {
    follows_the_header(8, 1, 0x5EED_0112);
}

#[test]
fn eight_units_for_32_lanes_follow_the_header() {
    follows_the_header(32, 8, 0x5EED_0113);
}

#[test]
fn a_wrong_expectation_is_noticed() {
    let Some(bench) = Bench::build(16, 4) else { return };
    let cycles = bench.inputs(&mut Random(0x5EED_0114));
    let rows = bench.outputs(&cycles);
    bench.check(&RULES, &cycles, &rows).expect("the header");
    let wrong = |what: &str, said_of: &str, rules: Rules| {
        let said = bench.check(&rules, &cycles, &rows).expect_err(what);
        println!("{what}: {said}");
        assert!(said.contains(said_of), "{what}: {said}");
    };
    let places = |places| Rules { places, ..RULES };
    wrong("a place fewer", "ready", places(QUEUE - 1));
    wrong("a place more", "ready", places(QUEUE + 1));
    let stages = |stages| Rules { stages, ..RULES };
    wrong("a stage fewer", "out_valid", stages(4));
    wrong("a stage more", "out_valid", stages(6));
    let lane = Rules { lane: 1, ..RULES };
    wrong("the result of the next lane", "lane", lane);
    let other_to = Rules { other_to: 1, ..RULES };
    wrong("another destination", "out_to", other_to);
    let newest = Rules { in_order: false, ..RULES };
    wrong("the newest result first", "out_to", newest);
    let kept = Rules { clears: false, ..RULES };
    wrong("`clear` without effect", "busy", kept);
}

#[test]
fn the_block_lints_clean_in_every_shape_and_fits_its_area() {
    for (lanes, units) in [(8, 8), (8, 1), (32, 8)] {
        lints(&emit_leaf(&Special::new(&chip(lanes, units))), "special");
    }
    let limits = [("LUT", 970), ("DSP48E1", 4), ("FD", 300)];
    fits(&emit_leaf(&Special::new(&chip(8, 2))), "special", limits);
}
