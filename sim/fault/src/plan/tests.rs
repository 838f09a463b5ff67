use super::*;
use crate::fault::{Fault, FaultKind};
use std::collections::{BTreeMap, HashSet};

fn sites() -> Sites {
    let site = crate::site::made_up;
    Sites::new(vec![
        site("u_a.big", "a", SiteKind::Reg, 40, 1),
        site("u_a.flag", "a", SiteKind::Reg, 1, 1),
        site("u_b.small", "b", SiteKind::Reg, 3, 1),
        site("u_m.mem", "m", SiteKind::Ram, 8, 16),
        site("u_b.next", "b", SiteKind::Out, 5, 1),
    ])
}

/// Bits of registers, of memories.
const REG: u64 = 44;
const RAM: u64 = 128;

fn request(models: &[Model], strategy: Strategy, count: u64) -> Request {
    Request {
        models: models.to_vec(),
        strategy,
        filter: Filter::default(),
        count: Some(count),
        precision: Precision { confidence: 0.95, margin: 0.02, proportion: 0.5 },
        seed: 7,
    }
}

#[track_caller]
fn refuses(request: &Request, cycles: u64, fragments: &[&str]) {
    let e = draw(request, &sites(), cycles, None).expect_err("refused");
    for f in fragments {
        assert!(e.to_string().contains(f), "'{f}' is missing in: {e}");
    }
}

fn weights(plan: &Plan) -> f64 {
    plan.rows.iter().map(|r| r.weight).sum()
}

fn different(plan: &Plan) -> usize {
    plan.rows.iter().map(|r| &r.fault).collect::<HashSet<_>>().len()
}

fn mbu(pattern: &str) -> Model {
    Model::Mbu(pattern.parse().expect("a pattern"))
}

const TRANSIENT: Model = Model::Transient { duration: 4 };
const INTERMITTENT: Model = Model::Intermittent { duration: 0, period: 8, active: 2 };

#[test]
fn every_model_has_its_population() {
    for (model, population) in [
        (Model::Seu, (REG + RAM) * 100),
        // 39 positions of 40 bits, 2 of 3, 7 of 8 in 16 words; the flag has none.
        (mbu("adjacent-2"), (39 + 2 + 7 * 16) * 100),
        (mbu("0+1+4"), (36 + 4 * 16) * 100),
        (Model::STUCK, 2 * REG),
        (Model::StuckAt(&[FaultKind::StuckAt1]), REG),
        (TRANSIENT, REG * 100),
        (INTERMITTENT, 2 * REG * 100),
    ] {
        for strategy in [Strategy::Uniform, Strategy::Stratified] {
            let plan = draw(&request(std::slice::from_ref(&model), strategy, 30), &sites(), 100, None).expect("drawn");
            assert_eq!(plan.population(), population, "{model:?}");
            assert_eq!(plan.rows.len(), 30);
            assert!((weights(&plan) - population as f64).abs() < 1e-6, "{model:?}");
            assert_eq!(different(&plan), 30, "without replacement");
            for (i, r) in plan.rows.iter().enumerate() {
                assert_eq!(r.row, i as u64);
                assert!(model.kinds().contains(&r.fault.kind));
                assert!(r.fault.kind.is_stuck() == (model.name().starts_with("stuck")));
                assert!(!r.fault.kind.is_stuck() || r.fault.cycle == 0);
            }
        }
    }
}

#[test]
fn exhaustive_lists_everything_once() {
    let mut r = request(&[Model::Seu, Model::STUCK], Strategy::Exhaustive, 1);
    r.count = None;
    let plan = draw(&r, &sites(), 5, None).expect("drawn");
    assert_eq!(plan.rows.len() as u64, (REG + RAM) * 5 + 2 * REG);
    assert_eq!(different(&plan), plan.rows.len());
    assert!(plan.rows.iter().all(|r| r.weight == 1.0));
    // A sample as large as the population is the same set.
    let sampled = draw(&request(&[Model::Seu], Strategy::Uniform, 1 << 40), &sites(), 5, None).expect("drawn");
    assert_eq!(different(&sampled) as u64, (REG + RAM) * 5);
    r.models = vec![Model::Seu];
    refuses(&r, 1 << 30, &["--count", "more than a campaign holds"]);
}

#[test]
fn places_are_within_their_sites() {
    let s = sites();
    for model in [Model::Seu, mbu("every-other-3"), Model::STUCK, TRANSIENT, INTERMITTENT] {
        let mut r = request(&[model], Strategy::Exhaustive, 1);
        r.count = None;
        for Row { fault, .. } in draw(&r, &s, 3, None).expect("drawn").rows {
            let site = s.site(fault.site);
            assert!(fault.word < site.depth && fault.cycle < 3, "{fault:?}");
            assert!(fault.bits.iter().all(|b| *b < site.width), "{fault:?}");
        }
    }
}

#[test]
fn a_seed_decides_the_draw() {
    let of = |seed| {
        let mut r = request(&[Model::Seu], Strategy::Uniform, 50);
        r.seed = seed;
        draw(&r, &sites(), 1000, None).expect("drawn").rows
    };
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
    // The same on every platform, and tomorrow.
    let first = &of(1)[0].fault;
    assert_eq!((first.site, first.word, first.bits[0], first.cycle), PINNED);
}

/// First row of seed 1: site, word, bit, cycle.
const PINNED: (usize, u32, u32, u64) = (0, 0, 8, 412);

/// Chi-square of counts that are expected to be alike.
fn chi_square(counts: &[u64]) -> f64 {
    let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    counts.iter().map(|c| (*c as f64 - expected).powi(2) / expected).sum()
}

#[test]
fn draws_are_uniform_in_bits_cycles_and_order() {
    let n = 20_000;
    let plan = draw(&request(&[Model::Seu], Strategy::Uniform, n), &sites(), 1_000_000, None).expect("drawn");
    let mut bits: BTreeMap<(usize, u32, u32), u64> = BTreeMap::new();
    let mut cycles = vec![0; 100];
    for Row { fault: f, .. } in &plan.rows {
        *bits.entry((f.site, f.word, f.bits[0])).or_default() += 1;
        cycles[(f.cycle / 10_000) as usize] += 1;
    }
    let bits: Vec<u64> = bits.into_values().collect();
    assert_eq!(bits.len() as u64, REG + RAM);
    // Limits of probability 0.001: 171 and 99 degrees of freedom.
    assert!(chi_square(&bits) < 233.0, "{}", chi_square(&bits));
    assert!(chi_square(&cycles) < 149.0, "{}", chi_square(&cycles));
    // The first rows are a sample of their own: half the registers among the first half.
    let reg = |rows: &[Row]| rows.iter().filter(|r| r.fault.site < 3).count() as f64;
    let half = reg(&plan.rows[..n as usize / 2]) / reg(&plan.rows);
    assert!((0.47..0.53).contains(&half), "{half}");
}

#[test]
fn small_sets_are_drawn_alike() {
    // Every pair of four, from many seeds: 6 sets, 5 degrees of freedom, probability 0.001.
    let mut sets: BTreeMap<Vec<u64>, u64> = BTreeMap::new();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..6000 {
        let mut set = floyd(&mut rng, 4, 2);
        set.sort_unstable();
        *sets.entry(set).or_default() += 1;
    }
    let counts: Vec<u64> = sets.into_values().collect();
    assert_eq!(counts.len(), 6);
    assert!(chi_square(&counts) < 20.5, "{counts:?}");
}

fn by_block(plan: &Plan) -> BTreeMap<String, u64> {
    let s = sites();
    let mut counts = BTreeMap::new();
    for r in &plan.rows {
        *counts.entry(s.site(r.fault.site).block.clone()).or_default() += 1;
    }
    counts
}

#[test]
fn stratified_takes_the_same_share_of_every_block() {
    let plan = draw(&request(&[Model::Seu], Strategy::Stratified, 172), &sites(), 1000, None).expect("drawn");
    let expected = [("a", 41), ("b", 3), ("m", 128)].map(|(b, n)| (b.to_string(), n));
    assert_eq!(by_block(&plan), expected.into());
    // However few: one of each.
    let plan = draw(&request(&[Model::Seu], Strategy::Stratified, 3), &sites(), 1000, None).expect("drawn");
    assert_eq!(by_block(&plan).into_values().collect::<Vec<_>>(), [1, 1, 1]);
    refuses(&request(&[Model::Seu], Strategy::Stratified, 2), 1000, &["2 faults", "3 parts", "--count"]);
}

fn weighted(list: &[(&str, f64)]) -> Strategy {
    Strategy::Weighted(list.iter().map(|(b, w)| (b.to_string(), *w)).collect())
}

#[test]
fn weighted_draws_more_of_heavy_blocks_and_weighs_them_back() {
    let strategy = weighted(&[("b", 41.0 / 3.0), ("m", 41.0 / 128.0)]);
    let plan = draw(&request(&[Model::Seu], strategy, 90), &sites(), 1000, None).expect("drawn");
    assert_eq!(by_block(&plan).into_values().collect::<Vec<_>>(), [30, 30, 30]);
    assert!((weights(&plan) - 172_000.0).abs() < 1e-6);
    // A weight of 0 leaves a block out of the population.
    let plan = draw(&request(&[Model::Seu], weighted(&[("m*", 0.0)]), 90), &sites(), 1000, None).expect("drawn");
    assert_eq!(plan.population(), 44_000);
    assert_eq!(by_block(&plan).len(), 2);
    // A block drawn completely gives the rest to the others.
    let plan = draw(&request(&[Model::STUCK], weighted(&[("b", 1e6)]), 20), &sites(), 1, None).expect("drawn");
    assert_eq!(by_block(&plan).into_values().collect::<Vec<_>>(), [14, 6]);
}

#[test]
fn weighted_shares_are_unbiased() {
    // A made-up outcome that depends on block, word and cycle.
    let s = sites();
    let fails = |f: &Fault| match s.site(f.site).block.as_str() {
        "a" => f.cycle % 4 == 0,
        "b" => true,
        _ => f.cycle % 4 == 1 && f.word != 3,
    };
    let truth = (41.0 * 250.0 + 3.0 * 1000.0 + 120.0 * 250.0) / 172_000.0;
    for strategy in [Strategy::Uniform, Strategy::Stratified, weighted(&[("b", 30.0), ("a", 2.0)])] {
        let mut sum = 0.0;
        let seeds = 400;
        for seed in 0..seeds {
            let mut r = request(&[Model::Seu], strategy.clone(), 100);
            r.seed = seed;
            let plan = draw(&r, &s, 1000, None).expect("drawn");
            let hit: f64 = plan.rows.iter().filter(|r| fails(&r.fault)).map(|r| r.weight).sum();
            sum += hit / weights(&plan);
        }
        // One estimate scatters by less than 0.05, the mean of 400 by less than 0.0025.
        let mean = sum / seeds as f64;
        assert!((mean - truth).abs() < 0.0075, "{strategy:?}: {mean} for {truth}");
    }
}

/// The registers of block a were only ever 0 in bits 4 to 39, bit 0 only ever 1.
fn activity() -> Activity {
    Activity {
        ever0: vec![vec![0xffff_fffe, 0xff], vec![1], vec![7], vec![], vec![]],
        ever1: vec![vec![0x0000_000f, 0], vec![1], vec![7], vec![], vec![]],
        accesses: vec![],
    }
}

#[test]
fn stuck_bits_that_never_differ_are_one_row_a_block_and_value() {
    let never = |f: &Fault| {
        let b = f.bits[0];
        f.site == 0 && (b >= 4 && f.kind == FaultKind::StuckAt0 || b == 0 && f.kind == FaultKind::StuckAt1)
    };
    for strategy in [Strategy::Uniform, Strategy::Stratified, Strategy::Exhaustive] {
        let mut r = request(&[Model::STUCK], strategy.clone(), 30);
        if strategy == Strategy::Exhaustive {
            r.count = None;
        }
        let plan = draw(&r, &sites(), 1000, Some(&activity())).expect("drawn");
        let class = |row, faults| Collapsed { rule: NEVER_DIFFERS.into(), row, faults };
        assert_eq!(plan.collapsed, [class(0, 36), class(1, 1)]);
        assert_eq!((plan.rows[0].weight, plan.rows[1].weight), (36.0, 1.0));
        assert!(plan.rows[..2].iter().all(|r| never(&r.fault)));
        assert!(plan.rows[2..].iter().all(|r| !never(&r.fault)));
        assert!((weights(&plan) - 2.0 * REG as f64).abs() < 1e-9);
        assert_eq!((plan.parts[0].population, plan.parts[0].collapsed, plan.parts[0].classes), (88, 37, 2));
        let drawn = if strategy == Strategy::Exhaustive { 88 - 37 } else { 30 };
        assert_eq!(plan.rows.len(), 2 + drawn);
    }
    let intermittent =
        draw(&request(&[INTERMITTENT], Strategy::Uniform, 30), &sites(), 10, Some(&activity())).expect("drawn");
    assert_eq!(intermittent.parts[0].collapsed, 370);
    let seu = draw(&request(&[Model::Seu], Strategy::Uniform, 30), &sites(), 10, Some(&activity())).expect("drawn");
    assert!(seu.collapsed.is_empty());
}

#[test]
fn upsets_of_memories_stand_for_those_up_to_the_next_access() {
    let mut accesses = Accesses::new(16, 1);
    accesses.add(2, 0, 3, Some(0xff));
    accesses.add(2, 0, 7, None);
    let activity = Activity { accesses: vec![None, None, None, Some(accesses), None], ..Activity::default() };
    let r = Request { count: None, ..request(&[Model::Seu], Strategy::Exhaustive, 1) };
    let plan = draw(&r, &sites(), 10, Some(&activity)).expect("drawn");
    // Of word 2 the read of cycle 7 ends an interval of four cycles; nobody reads the rest.
    let dead = RAM * 10 - 8 * 4;
    assert_eq!(plan.collapsed, [Collapsed { rule: NEVER_READ.into(), row: 0, faults: dead }]);
    assert!(plan.pruned && plan.population() == (REG + RAM) * 10 && weights(&plan) == plan.population() as f64);
    let read: Vec<&Row> = plan.rows.iter().filter(|r| r.weight == 4.0).collect();
    assert!(read.len() == 8 && read.iter().all(|r| (r.fault.site, r.fault.word, r.fault.cycle) == (3, 2, 7)));
    assert_eq!(plan.rows.len() as u64, 1 + 8 + REG * 10);
    // One row for every fault otherwise.
    let all = draw(&r, &sites(), 10, None).expect("drawn");
    assert!(!all.pruned && all.rows.len() as u64 == all.population());
}

#[test]
fn precision_decides_without_a_count_and_models_share_one() {
    let mut r = request(&[Model::Seu, TRANSIENT], Strategy::Uniform, 101);
    let plan = draw(&r, &sites(), 1_000_000, None).expect("drawn");
    assert_eq!(plan.parts.iter().map(|p| p.drawn).collect::<Vec<_>>(), [51, 50]);
    r.count = None;
    let plan = draw(&r, &sites(), 1_000_000, None).expect("drawn");
    assert_eq!(plan.parts.iter().map(|p| p.drawn).collect::<Vec<_>>(), [2401, 2401]);
}

#[test]
fn impossible_requests_say_what_is_possible() {
    let seu = || request(&[Model::Seu], Strategy::Uniform, 10);
    let mut r = seu();
    r.filter.kinds = vec![SiteKind::Out];
    refuses(&r, 10, &["outputs of blocks", "transient", "stuck-at"]);
    r.models = vec![TRANSIENT];
    assert_eq!(draw(&r, &sites(), 10, None).expect("drawn").population(), 50);
    let mut r = seu();
    r.filter.names = vec!["*.nothing".into()];
    refuses(&r, 10, &["no fault site", "--name", "fault sites"]);
    refuses(&request(&[mbu("adjacent-64")], Strategy::Uniform, 10), 10, &["64 bits", "--pattern"]);
    refuses(&request(&[Model::Seu], weighted(&[("q", 2.0)]), 10), 10, &["--weight q", "a, b, m"]);
    refuses(&request(&[Model::Seu], weighted(&[("*", 0.0)]), 10), 10, &["every selected block"]);
    refuses(&request(&[Model::Seu], weighted(&[("a", f64::NAN)]), 10), 10, &["from 0 up"]);
    refuses(&request(&[Model::Seu], Strategy::Exhaustive, 10), 10, &["leave out --count"]);
    refuses(&request(&[Model::Seu], Strategy::Uniform, 0), 10, &["--count"]);
    refuses(&seu(), 0, &["no cycles"]);
    refuses(&seu(), u64::MAX, &["2^64"]);
    refuses(&request(&[Model::Transient { duration: 0 }], Strategy::Uniform, 1), 10, &["--duration"]);
    let bursts = Model::Intermittent { duration: 0, period: 4, active: 5 };
    refuses(&request(&[bursts], Strategy::Uniform, 1), 10, &["--active", "4"]);
}
