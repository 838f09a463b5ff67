//! Random programs of SM 1.0 on the model.

use crate::random::tests::{programs, run, small, tell_every_mutant, Order};
use crate::random::{directed_lanes, directed_rows, directed_words, generate, Limits, Steer, Wish};
use std::collections::BTreeSet;
use warpsmith_isa::table::place;
use warpsmith_isa::{Dst, Isa, Level, Op, Src, Tier, ROWS};
use warpsmith_model::num::float::exponent;
use warpsmith_model::ModelConfig;

#[test]
fn random_programs_end_without_traps_and_depend_on_nothing_undefined() {
    for tier in [Tier::integer(), Tier::full()] {
        let (coverage, _) = programs(150, &Limits { tier, ..Limits::tiny() });
        let float: u64 = coverage.forms.iter().filter(|f| ROWS[usize::from(*f.0)].op.is_float()).map(|f| f.1).sum();
        println!("{float} float instructions of {}", coverage.instructions);
        let (hit, all) = coverage.forms_hit(tier);
        assert!(hit * 100 >= all * 95, "{hit} of {all}");
        assert_eq!(coverage.conditions.len(), 23);
        assert_eq!(coverage.never_met(tier), [""; 0]);
        assert!(coverage.conflicts.keys().max() >= Some(&8), "{:?}", coverage.conflicts);
    }
}

/// In any order of the warps, with any filling of what is undefined; every row is met, with all registers and with results
/// that reach memory.
#[test]
fn directed_programs_depend_on_nothing_undefined() {
    for tier in [Tier::integer(), Tier::full(), Tier::full().at(Level::Sm13)] {
        let limits = Limits { tier, ..Limits::tiny() };
        let rows = directed_rows(&limits);
        let (mut met, mut registers) = (BTreeSet::new(), BTreeSet::new());
        for seed in 0..60 {
            let steer = Steer { sets: vec![[0x1234_5678, 1, 0]], lanes: 8, ..Steer::default() };
            let launch = directed_words(seed, &limits, &steer);
            assert!(launch.program.len() <= limits.program_bytes);
            let (count, first) =
                run(seed, &launch, ModelConfig { tier, ..ModelConfig::default() }, Order::Turns, |r, _| {
                    let i = tier.decode(r.word[0], r.word[1]).unwrap();
                    met.insert(usize::from(i.form));
                    registers.extend(match i.dst {
                        Dst::Reg(r) => Some(r),
                        _ => None,
                    });
                });
            assert!(count > 60, "seed {seed}: {count} instructions");
            let filled = ModelConfig { fill: Some(seed + 1), tier, ..ModelConfig::default() };
            assert!((count, first) == run(seed, &launch, filled.clone(), Order::Last, |_, _| {}), "seed {seed}");
            let lanes = directed_lanes(seed, &limits, &steer);
            assert!(lanes.program.len() <= limits.program_bytes);
            let plain = ModelConfig { tier, ..ModelConfig::default() };
            let first = run(seed, &lanes, plain, Order::Turns, |_, _| {});
            assert!(first == run(seed, &lanes, filled, Order::Last, |_, _| {}), "seed {seed}");
        }
        let missing: Vec<&str> = rows.iter().filter(|r| !met.contains(r)).map(|r| ROWS[*r].mnemonic).collect();
        assert!(20 * missing.len() < rows.len(), "{missing:?}");
        assert_eq!(registers.len(), 64, "{registers:?}");
    }
}

/// An instruction that is wanted is there: with its operands, in registers that were loaded for it, one behind the other; or as
/// its word is.
#[test]
fn a_wish_is_met() {
    let limits = Limits::tiny();
    let row = ROWS.iter().position(|r| r.mnemonic == "IMAX" || r.mnemonic == "IMIN").expect("a row");
    let registers = place::LONG_SRC1.put(9) | place::LONG_SRC2.put(13) | place::LONG_DST.put(11);
    let word = ROWS[row].match_ | place::CONDITION.put(15) | registers;
    let steer = |operands| Steer { wishes: vec![Wish { word, operands }], lanes: 8, ..Steer::default() };
    let (mut behind, mut same) = (0, 0);
    for seed in 0..20 {
        let (mut form, mut all, mut whole) = (false, false, false);
        let lanes = directed_lanes(seed, &limits, &steer(Some([0x8000_0001, 0x7fff_fffe, 0])));
        run(seed, &lanes, ModelConfig::default(), Order::Turns, |r, _| {
            let i = warpsmith_isa::decode(r.word[0], r.word[1]).unwrap();
            let here = usize::from(i.form) == row;
            form |= here;
            all |= here && matches!(i.src, [Src::Reg(a), Src::Reg(b), _] if b == a + 1);
        });
        assert!(form, "{seed}");
        let words = directed_words(seed, &limits, &steer(None));
        run(seed, &words, ModelConfig::default(), Order::Turns, |r, _| {
            whole |= u64::from(r.word[0]) | u64::from(r.word[1]) << 32 == word;
        });
        (behind, same) = (behind + u32::from(all), same + u32::from(whole));
    }
    // Not where its destination is one of the registers that no drawn word writes, or beyond the others.
    assert!(behind >= 8 && same >= 10, "{behind} {same}");
}

#[test]
fn most_float_operands_are_numbers_near_each_other() {
    // Threads that executed FADD, FMUL, FMAD; with normal operands; and with a result that is a
    // normal number and none of the operands.
    let mut counts = [[0u64; 3]; 3];
    for seed in 0..100 {
        let launch = generate(seed, &small(Isa::Sm10), 1500);
        run(seed, &launch, ModelConfig::default(), Order::Turns, |r, _| {
            let (kind, sources) = match warpsmith_isa::decode(r.word[0], r.word[1]).unwrap().op {
                Op::FAdd { .. } => (0, 2),
                Op::FMul { .. } => (1, 2),
                Op::FMad { .. } => (2, 3),
                _ => return,
            };
            let normal = |x: u32| (1..255).contains(&exponent(x));
            for l in (0..32).filter(|l| r.exec_mask >> l & 1 == 1) {
                let x: Vec<u32> = r.sources[..sources].iter().map(|s| s[l]).collect();
                let y = r.values[0][l];
                let numbers = x.iter().all(|x| normal(*x));
                let works = normal(y) && x.iter().all(|x| (x ^ y) << 1 != 0);
                counts[kind][0] += 1;
                counts[kind][1] += u64::from(numbers);
                counts[kind][2] += u64::from(numbers && works);
            }
        });
    }
    for (name, [all, numbers, works]) in ["FADD", "FMUL", "FMAD"].iter().zip(counts) {
        println!(
            "{name}: {all} threads, operands normal {} %, result another normal number {} %",
            100 * numbers / all,
            100 * works / all
        );
        assert!(5 * numbers > 2 * all && 5 * works > all, "{name}: {counts:?}");
    }
}

#[test]
fn an_arrival_does_not_open_a_later_barrier() {
    // Of a barrier that a warp arrived at the others would go through early, and that warp would wait for ever.
    let mut arrivals = 0;
    for seed in 0..600 {
        let words = generate(seed, &Limits::tiny(), 1300).program.words();
        let (mut at, mut arrived) = (0, vec![]);
        while let Some(&first) = words.get(at) {
            let i = warpsmith_isa::decode(first, words.get(at + 1).copied().unwrap_or(0)).unwrap();
            at += 1 + usize::from(i.long);
            match i.op {
                Op::Bar { id, wait: true, .. } => {
                    assert!(!arrived.contains(&id), "seed {seed}: barrier {id} before word {at}");
                    arrived.clear();
                }
                Op::Bar { id, .. } => {
                    arrived.push(id);
                    arrivals += 1;
                }
                _ => {}
            }
        }
    }
    assert!(arrivals > 100, "{arrivals} arrivals");
}

#[test]
fn random_programs_tell_every_mutant_from_the_model() {
    tell_every_mutant(Isa::Sm10);
}
