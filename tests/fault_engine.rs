//! Fault simulation on an injecting chip: images are complete, records depend neither on the way a
//! fault is run nor on the faults before it, control runs fail when they should.

use crate::support::{self, fault, sim};
use fault::{collatz, delay, golden, launch, mixed, records, reduction, result};
use std::collections::BTreeMap;
use warpsmith_cosim::simulation::{Becomes, Force};
use warpsmith_cosim::{BuildOptions, Chip};
use warpsmith_fault::{Fault, FaultError, FaultKind, FaultOutcome, Golden, How, SerialSimulator, SimulatorOptions};
use warpsmith_model::Launch;
use warpsmith_testkit::Random;

fn serial<'a>(golden: &'a Golden, checkpoints: bool, early_stop: bool) -> SerialSimulator<'a> {
    let options = SimulatorOptions { checkpoints, early_stop, ..SimulatorOptions::default() };
    SerialSimulator::new(golden, options).unwrap_or_else(|e| panic!("{e}"))
}

/// From every image the fault-free run meets all later ones.
fn complete(launch: Launch, interval: u64) {
    let Some(golden) = golden(launch, Some(interval)) else { return };
    let mut simulator = serial(&golden, true, true);
    let (images, bytes) = golden.images();
    println!(
        "{}: {} cycles, {images} images every {interval} cycles, {bytes} bytes",
        golden.launch().name,
        golden.cycles()
    );
    assert!(images as u64 > golden.cycles() / interval);
    // Backwards and forwards: memory is brought to the image's both ways.
    for from in (0..images).rev().chain(0..images) {
        let r = simulator.fault_free(from).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((r.outcome, r.cycles), (FaultOutcome::NotActivated, golden.cycles()));
        assert_eq!((r.wrong_words, r.words_outside), (0, 0));
    }
}

#[test]
fn images_of_reduction_are_complete() {
    complete(reduction(), 8);
}

#[test]
fn images_of_collatz_are_complete() {
    complete(collatz(), 5);
}

/// Outcomes of the same faults, run in all four ways.
fn ways_agree(launch: Launch, seed: u64, each: usize) {
    let Some(golden) = golden(launch, None) else { return };
    let faults = mixed(&golden, seed, each);
    let plain = records(&mut serial(&golden, false, false), &faults);
    let mut simulated = vec![plain.iter().map(|r| r.simulated).sum::<u64>()];
    for (checkpoints, early_stop) in [(true, false), (false, true), (true, true)] {
        let other = records(&mut serial(&golden, checkpoints, early_stop), &faults);
        for ((f, a), b) in faults.iter().zip(&plain).zip(&other) {
            let path = &golden.sites().site(f.site).path;
            assert_eq!(result(a), result(b), "{path} {f:?}: checkpoints {checkpoints}, early stop {early_stop}");
        }
        simulated.push(other.iter().map(|r| r.simulated).sum());
    }
    let mut classes: BTreeMap<_, u64> = BTreeMap::new();
    for r in &plain {
        *classes.entry((r.outcome, r.how)).or_default() += 1;
    }
    println!("{} faults in {} cycles, cycles simulated {simulated:?}: {classes:?}", faults.len(), golden.cycles());
    // The list is a test of something: all classes are there, and both short cuts are taken.
    for o in FaultOutcome::ALL.iter().filter(|o| !o.is_of_hardened()) {
        assert!(classes.keys().any(|(c, _)| c == o), "no {o}: {classes:?}");
    }
    assert!(simulated[1] < simulated[0] && simulated[2] < simulated[0] && simulated[3] < simulated[1]);
}

#[test]
fn short_cuts_do_not_change_outcomes_of_reduction() {
    ways_agree(reduction(), 2, 8);
}

#[test]
fn short_cuts_do_not_change_outcomes_of_collatz() {
    ways_agree(collatz(), 3, 20);
}

#[test]
fn faults_before_do_not_matter() {
    let Some(golden) = golden(reduction(), None) else { return };
    let mut faults = mixed(&golden, 0xfeed_beef, 4);
    let (mut one, mut two) = (serial(&golden, true, true), serial(&golden, true, true));
    let forward = records(&mut one, &faults);
    let again = records(&mut one, &faults);
    assert_eq!(forward, again);
    faults.reverse();
    let mut backward = records(&mut two, &faults);
    backward.reverse();
    assert_eq!(forward, backward);
    for o in [FaultOutcome::Sdc, FaultOutcome::Due, FaultOutcome::Hang] {
        assert!(forward.iter().any(|r| r.outcome == o), "no {o} in between");
    }
}

#[test]
fn simulations_end_in_any_order() {
    let Some(golden) = golden(copy(), None) else { return };
    // Verilator's scopes once left the context of the wrong simulation, one that was freed already.
    for first in [0, 1] {
        let mut both = vec![serial(&golden, true, true), serial(&golden, true, true)];
        drop(both.remove(first));
        both[0].control().unwrap_or_else(|e| panic!("{e}"));
    }
}

/// Every thread copies a word from 128 + 4·thread, plus 1, to 4·thread.
fn copy() -> Launch {
    let d = delay(8);
    let source = format!("SHL R1, R0, 0x2; IADD32I R5, R1, 0x80; GLD.U32 R2, global14[R5]; IADD32I R2, R2, 0x1; {d} GST.U32 global14[R1], R2; RET");
    let words: Vec<u32> = (0..32).map(|t| 0x0101_0000 + t).collect();
    let right: Vec<u32> = words.iter().map(|w| w + 1).collect();
    let mut l = launch(&source, &right);
    l.globals = vec![fault::section(128, &words)];
    l
}

#[test]
fn wild_writes_do_not_reach_the_next_fault() {
    let Some(golden) = golden(copy(), None) else { return };
    let mut simulator = serial(&golden, true, true);
    let mut random = Random(0x5eed);
    let mut spoilt = 0;
    let paths = golden.sites().list().iter().enumerate();
    let stores: Vec<usize> =
        paths.filter(|(_, s)| s.path.contains("u_lsu.") && s.width > 100).map(|(i, _)| i).collect();
    for n in 0..200 {
        // Several bits of what the load/store unit holds, for good: wrong addresses, data and masks.
        let site = stores[random.index(stores.len())];
        let at = golden.sites().site(site);
        let mut bits: Vec<u32> = (0..4).map(|_| random.below(at.width)).collect();
        bits.sort_unstable();
        bits.dedup();
        let kind = [FaultKind::StuckAt1, FaultKind::StuckAt0][n % 2];
        let word = random.below(at.depth);
        let f = Fault::simple(site, word, bits, random.below_wide(golden.cycles()), kind);
        let r = simulator.run_one(&f).unwrap_or_else(|e| panic!("{e}"));
        spoilt += u64::from(r.words_outside + r.wrong_words > 0);
        // The kernel reads or writes every word of its memory: a word left over would show.
        let clean = simulator.fault_free(0).unwrap_or_else(|e| panic!("after {f:?}: {e}"));
        assert_eq!((clean.wrong_words, clean.words_outside), (0, 0), "{f:?}");
    }
    assert!(spoilt >= 20, "only {spoilt} runs spoilt memory");
}

#[test]
fn masks_change_exactly_their_bits() {
    let Some(golden) = golden(copy(), None) else { return };
    let mut host = fault::started(&golden);
    host.sim.run(golden.cycles() / 2, false, u64::MAX);
    for (path, word, bits) in [
        ("u_sm_0.u_lsu.u_queue.u_words.mem", 3, &[0, 31, 32, 63, 64, 65, 200, 270][..]),
        ("u_sm_0.u_lsu.u_places.u_words.mem", 15, &[268]),
        ("u_sm_0.u_datapath.u_address.u_conditions.u_memory.mem", 2, &[5, 64, 127]),
        ("u_sm_0.u_datapath.u_execute.u_special.u_operands.mem", 31, &[0, 128, 261]),
        ("u_sm_0.u_fetch.u_buffer.mem", 1, &[0, 63, 64]),
        ("u_sm_0.u_lsu.u_bytes.chosen", 0, &[31, 32, 127, 512, 539]),
        ("u_sm_0.u_fetch.u_store.rdata_0_held", 0, &[7, 33]),
        ("u_sm_0.u_warps.live", 0, &[0, 3]),
    ] {
        let site = golden.sites().find(path).unwrap_or_else(|e| panic!("{e}"));
        let depth = golden.sites().site(site).depth;
        let mask = Fault::simple(site, word, bits.to_vec(), 0, FaultKind::Mbu).mask();
        for becomes in [Becomes::Zero, Becomes::One, Becomes::Inverse, Becomes::Flip] {
            let before: Vec<Vec<u32>> = (0..depth).map(|w| host.sim.site_word(site, w)).collect();
            host.sim.force(&Force {
                site,
                word,
                mask: mask.clone(),
                becomes,
                from: host.sim.cycle(),
                to: u64::MAX,
                period: 0,
                active: 0,
            });
            for w in 0..depth {
                let mut right = before[w as usize].clone();
                for (b, m) in right.iter_mut().zip(&mask).filter(|_| w == word) {
                    *b = match becomes {
                        Becomes::Zero => *b & !m,
                        Becomes::One => *b | m,
                        Becomes::Inverse | Becomes::Flip => *b ^ m,
                    };
                }
                assert_eq!(host.sim.site_word(site, w), right, "{path}[{w}] {becomes:?}");
            }
            host.sim.clear_forces();
            host.sim.set_site_word(site, word, &before[word as usize]);
        }
    }
}

/// Why the fault-free run of a launch is refused.
fn refused(launch: Launch) -> Option<String> {
    if !support::tools(&support::SIMULATION) {
        return None;
    }
    let folder = fault::folder("tiny", &fault::PARTS);
    match Golden::run(&folder, launch, 1, None) {
        Err(FaultError::Control(what)) => Some(what),
        Err(e) => panic!("another error: {e}"),
        Ok(_) => panic!("not refused"),
    }
}

#[test]
fn a_wrong_expectation_fails_the_control() {
    let mut l = copy();
    l.expects[0].bytes[20] ^= 1;
    if let Some(what) = refused(l) {
        assert!(what.contains("expectation"), "{what}");
    }
}

#[test]
fn a_kernel_that_traps_fails_the_control() {
    let mut l = copy();
    l.global_bytes = 64;
    l.globals.clear();
    l.expects.clear();
    if let Some(what) = refused(l) {
        assert!(what.contains("trap"), "{what}");
    }
}

#[test]
fn a_chip_that_is_not_open_is_refused() {
    if !support::tools(&support::SIMULATION) {
        return;
    }
    let Err(e) = Golden::run(&sim::emitted("tiny", &[]), copy(), 1, None) else {
        panic!("not refused");
    };
    assert!(e.to_string().contains("--inject"), "{e}");
}

#[test]
fn a_fault_that_does_not_fit_is_an_error() {
    let Some(golden) = golden(copy(), None) else { return };
    let mut simulator = serial(&golden, true, true);
    let live = golden.sites().find("u_sm_0.u_warps.live").unwrap_or_else(|e| panic!("{e}"));
    let good = Fault::simple(live, 0, vec![1], 3, FaultKind::Seu);
    let with = |change: fn(&mut Fault)| {
        let mut f = good.clone();
        change(&mut f);
        f
    };
    for (f, what) in [
        (with(|f| f.site = 1 << 20), "site"),
        (with(|f| f.word = 1), "word"),
        (with(|f| f.bits = vec![4]), "bit"),
        (with(|f| f.bits = vec![]), "bit"),
        (with(|f| f.cycle = 1 << 40), "cycle"),
        (with(|f| f.kind = FaultKind::Transient), "duration"),
        (with(|f| f.kind = FaultKind::Intermittent0), "period"),
        (with(|f| (f.kind, f.period, f.active) = (FaultKind::Intermittent1, 3, 4)), "active"),
    ] {
        match simulator.run_one(&f) {
            Err(FaultError::Ask(text)) => assert!(text.contains(what), "{text}"),
            other => panic!("{f:?}: {other:?}"),
        }
    }
    let r = simulator.run_one(&good).unwrap_or_else(|e| panic!("{e}"));
    assert_ne!(r.how, Some(How::Outside));
}

/// The injecting `tiny` with its trace port.
fn traced() -> Option<Chip> {
    if !support::tools(&support::SIMULATION) {
        return None;
    }
    let folder = fault::folder("tiny", &[]);
    Some(Chip::open(&folder, &BuildOptions::default()).unwrap_or_else(|e| panic!("{e}")))
}

#[test]
fn kernels_agree_on_the_injecting_chip() {
    let Some(chip) = traced() else { return };
    for kernel in ["reduction", "nested_calls", "histogram"] {
        sim::agree(&chip, &support::kernel(kernel));
    }
}

#[test]
fn random_programs_agree_on_the_injecting_chip() {
    let Some(chip) = traced() else { return };
    sim::random_programs(&chip, sim::seed(), 20_000);
}
