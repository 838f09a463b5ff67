//! Hardened blocks: without upsets they are the plain ones; a single upset is corrected or detected, a double one of a
//! word is detected; the chip's registers are all covered.

use crate::support::Random;
use rust_hdl_core::block::Block;
use warpsmith_contract::SiteKind;
use warpsmith_engine::{Device, Engine as _, Storage};
use warpsmith_engine_native::{BuildOptions, Native, Sites};
use warpsmith_hdl::config::GpuConfig;
use warpsmith_hdl::emit::tree;
use warpsmith_hdl::rtl::{Ram, RamKind};
use warpsmith_hdl::sm::mem::fifo::Fifo;
use warpsmith_hdl::{chip, gpu, harden as hardening, netlist};
use warpsmith_netlist::pass::harden::{harden, Plan, PlanError, Scheme, Sinks};
use warpsmith_netlist::{check, Design};

/// Nets that no block has: events are outputs of the top.
const NOWHERE: Sinks = Sinks { corrected: "-", detected: "-" };

fn scheme(text: &str) -> Scheme {
    text.parse().expect("a scheme")
}

/// A block alone, hardened, on the native engine with its state open.
fn device(block: &dyn Block, text: &str) -> Box<dyn Device> {
    let mut top = tree("leaf", block);
    if !text.is_empty() {
        let plan = Plan::from([("leaf".to_string(), scheme(text))]);
        top = harden(top, &plan, &NOWHERE).expect("something to protect");
    }
    let design = Design::new(top);
    check::design(&design).expect("a sound design");
    let engine = Native::of_design(&design, BuildOptions { sites: Sites::State, ..BuildOptions::default() });
    let mut device = engine.expect("a block without loops").device(3);
    if let Some(reset) = port(&*device, "reset") {
        device.set(reset, 0, 1);
        for _ in 0..2 {
            device.eval();
            device.edge();
        }
        device.set(reset, 0, 0);
    }
    device
}

fn port(device: &dyn Device, name: &str) -> Option<usize> {
    device.ports().iter().position(|p| p.name == name)
}

fn is_set(device: &dyn Device, name: &str) -> bool {
    port(device, name).is_some_and(|p| device.get(p, 0) != 0)
}

/// Inverts a bit of a word of a site.
fn flip(device: &mut dyn Device, site: usize, word: u32, bit: u32) {
    let at = device.sites()[site].range(word).start + bit as usize / 8;
    device.site_mut(site)[at] ^= 1 << (bit % 8);
    device.settle();
}

fn state(device: &dyn Device) -> Vec<(usize, Storage)> {
    let sites = device.sites().iter().cloned().enumerate();
    sites.filter(|(_, s)| s.site.kind != SiteKind::Out).collect()
}

/// Drives the inputs of `plain`, and those of `hard` alike, and compares the outputs of `plain`.
struct Pair {
    plain: Box<dyn Device>,
    hard: Box<dyn Device>,
}

impl Pair {
    fn of(block: &dyn Block, scheme: &str) -> Self {
        Pair { plain: device(block, ""), hard: device(block, scheme) }
    }

    /// Sets an input by its name.
    fn set(&mut self, name: &str, value: u64) {
        for device in [&mut self.plain, &mut self.hard] {
            let at = port(&**device, name).expect("an input");
            let words = device.ports()[at].words();
            for word in 0..words.min(2) {
                device.set(at, word, (value >> (32 * word)) as u32);
            }
        }
    }

    fn eval(&mut self) {
        self.plain.eval();
        self.hard.eval();
    }

    /// Whether every output of the plain block has the same value in the other.
    fn agree(&self) -> bool {
        let outputs = self.plain.ports().iter().enumerate().filter(|(_, p)| !p.is_input());
        outputs.into_iter().all(|(i, p)| {
            let other = port(&*self.hard, &p.name).expect("the same port");
            (0..p.words()).all(|w| self.plain.get(i, w) == self.hard.get(other, w))
        })
    }

    fn edge(&mut self) {
        self.plain.edge();
        self.hard.edge();
    }
}

const RAMS: [(RamKind, usize, usize, usize); 4] =
    [(RamKind::Block, 32, 8, 2), (RamKind::Block, 23, 23, 1), (RamKind::Lut, 40, 40, 1), (RamKind::Lut, 4, 1, 2)];

/// A cycle of a memory of 16 words: a random write, and reads of the words in `reads`.
fn access(pair: &mut Pair, random: &mut Random, (width, granule): (usize, usize), reads: &[u32]) {
    let enable = if random.below(3) == 0 { random.word() } else { 0 };
    pair.set("waddr", random.below(16).into());
    pair.set("wdata", (u64::from(random.word()) << 32 | u64::from(random.word())) & (u64::MAX >> (64 - width)));
    pair.set("wen", u64::from(enable) & ((1 << (width / granule)) - 1));
    for (i, word) in reads.iter().enumerate() {
        pair.set(&format!("raddr_{i}"), (*word).into());
        if port(&*pair.plain, &format!("ren_{i}")).is_some() {
            pair.set(&format!("ren_{i}"), 1);
        }
    }
}

/// Writes every word, so that nothing depends on what the plain memory held before.
fn filled(block: &Ram, scheme: &str, width: usize, granule: usize, random: &mut Random) -> Pair {
    let mut pair = Pair::of(block, scheme);
    for word in 0..16 {
        access(&mut pair, random, (width, granule), &[]);
        pair.set("waddr", word);
        pair.set("wen", (1 << (width / granule)) - 1);
        pair.eval();
        pair.edge();
    }
    // What block RAM gives before its first read is undefined, too.
    let reads = (0..4).filter(|i| port(&*pair.plain, &format!("raddr_{i}")).is_some()).count();
    for _ in 0..2 {
        access(&mut pair, random, (width, granule), &vec![0; reads]);
        pair.set("wen", 0);
        pair.eval();
        pair.edge();
    }
    pair
}

fn memory_of(device: &dyn Device) -> (usize, Storage) {
    state(device).into_iter().find(|(_, s)| s.site.kind == SiteKind::Ram).expect("a memory")
}

#[test]
fn memories_without_upsets_are_the_plain_ones() {
    for (kind, width, granule, reads) in RAMS {
        for scheme in ["parity", "secded"] {
            let mut random = Random(5);
            let block = Ram::with_granule(kind, 16, width, granule, reads);
            let mut pair = filled(&block, scheme, width, granule, &mut random);
            for cycle in 0..500 {
                let words: Vec<u32> = (0..reads).map(|_| random.below(16)).collect();
                access(&mut pair, &mut random, (width, granule), &words);
                pair.eval();
                assert!(pair.agree(), "{kind:?} {width} {scheme}: cycle {cycle}");
                assert!(
                    !is_set(&*pair.hard, "corrected") && !is_set(&*pair.hard, "detected"),
                    "{scheme}: cycle {cycle}"
                );
                pair.edge();
            }
        }
    }
}

/// Every bit of every word and every register, one at a time: what is read stays right, the event is told, and the word
/// is written back.
#[test]
fn single_upsets_are_corrected_and_written_back() {
    for (kind, width, granule, reads) in RAMS {
        let mut random = Random(6);
        let block = Ram::with_granule(kind, 16, width, granule, reads);
        let mut pair = filled(&block, "secded", width, granule, &mut random);
        for (site, storage) in state(&*pair.hard) {
            // The register behind the read port of block RAM holds a word, too: it is not stored again.
            let is_memory = storage.site.kind == SiteKind::Ram;
            for word in 0..storage.site.depth {
                for bit in 0..storage.site.width {
                    flip(&mut *pair.hard, site, word, bit);
                    let mut told = is_set(&*pair.hard, "corrected");
                    for _ in 0..6 {
                        access(&mut pair, &mut random, (width, granule), &vec![word.min(15); reads]);
                        pair.set("wen", 0);
                        pair.eval();
                        told |= is_set(&*pair.hard, "corrected");
                        let place = format!("{kind:?} {width}: {} word {word} bit {bit}", storage.site.path);
                        assert!(pair.agree() && !is_set(&*pair.hard, "detected"), "{place}");
                        pair.edge();
                    }
                    assert!(told || !is_memory, "{kind:?} {width}: word {word} bit {bit} is not told");
                    access(&mut pair, &mut random, (width, granule), &vec![word.min(15); reads]);
                    pair.set("wen", 0);
                    pair.eval();
                    assert!(!is_set(&*pair.hard, "corrected"), "{kind:?} {width}: word {word} bit {bit} stays wrong");
                    pair.edge();
                }
            }
        }
    }
}

/// Upsets while random words are read and written: each is in a word that is read in the next cycle.
#[test]
fn upsets_between_reads_and_writes_do_no_harm() {
    for (kind, width, granule, reads) in RAMS {
        let mut random = Random(7);
        let block = Ram::with_granule(kind, 16, width, granule, reads);
        let mut pair = filled(&block, "secded", width, granule, &mut random);
        let (site, storage) = memory_of(&*pair.hard);
        for round in 0..2_000 {
            // The corrected word waits until no other is written: the next upset comes after it is.
            let word = random.below(16);
            flip(&mut *pair.hard, site, word, random.below(storage.site.width));
            for cycle in 0..4 {
                let words: Vec<u32> = (0..reads).map(|_| if cycle == 0 { word } else { random.below(16) }).collect();
                access(&mut pair, &mut random, (width, granule), &words);
                if cycle == 3 {
                    pair.set("wen", 0);
                }
                pair.eval();
                assert!(pair.agree() && !is_set(&*pair.hard, "detected"), "{kind:?} {width}: round {round}");
                pair.edge();
            }
            // A write in the cycle of the read may have kept it from being noticed.
            for _ in 0..3 {
                access(&mut pair, &mut random, (width, granule), &vec![word; reads]);
                pair.set("wen", 0);
                pair.eval();
                assert!(pair.agree(), "{kind:?} {width}: round {round}");
                pair.edge();
            }
        }
    }
}

#[test]
fn double_upsets_and_wrong_parity_are_detected() {
    for (kind, width, granule, reads) in RAMS {
        for (scheme, bits) in [("parity", 1), ("secded", 2)] {
            let mut random = Random(8);
            let block = Ram::with_granule(kind, 16, width, granule, reads);
            let mut pair = filled(&block, scheme, width, granule, &mut random);
            let (site, storage) = memory_of(&*pair.hard);
            let coded = storage.site.width / (width / granule) as u32;
            for word in 0..16 {
                for first in 0..storage.site.width {
                    let others = if bits == 2 { first + 1..(first / coded + 1) * coded } else { first..first + 1 };
                    for second in others {
                        let upsets = &[first, second][..bits];
                        upsets.iter().for_each(|bit| flip(&mut *pair.hard, site, word, *bit));
                        let mut told = false;
                        for _ in 0..2 {
                            access(&mut pair, &mut random, (width, granule), &vec![word; reads]);
                            pair.set("wen", 0);
                            pair.eval();
                            told |= is_set(&*pair.hard, "detected");
                            pair.edge();
                        }
                        assert!(told, "{kind:?} {width} {scheme}: word {word} bits {first} {second}");
                        upsets.iter().for_each(|bit| flip(&mut *pair.hard, site, word, *bit));
                    }
                }
            }
        }
    }
}

/// A queue of 4 words with its registers in copies, under random traffic.
fn traffic(scheme: &str, mut cycle: impl FnMut(&mut Pair, u32)) {
    let mut random = Random(9);
    let mut pair = Pair::of(&Fifo::new(4, 12), scheme);
    for n in 0..3_000 {
        pair.set("in_valid", random.below(2).into());
        pair.set("in_data", random.below(1 << 12).into());
        pair.set("out_ready", random.below(2).into());
        pair.eval();
        cycle(&mut pair, n);
        pair.edge();
    }
}

/// What is undefined is not compared: the word of an empty queue.
fn queues_agree(pair: &Pair) -> bool {
    let same = |name: &str| {
        let at = |d: &dyn Device| d.get(port(d, name).expect("an output"), 0);
        at(&*pair.plain) == at(&*pair.hard)
    };
    same("in_ready") && same("out_valid") && (!is_set(&*pair.plain, "out_valid") || same("out_data"))
}

#[test]
fn three_copies_survive_every_upset_of_one_and_mend_it() {
    let mut last = None;
    traffic("tmr", |pair, n| {
        assert!(queues_agree(pair), "cycle {n}: after an upset of {last:?}");
        assert!(!is_set(&*pair.hard, "harden_corrected"), "cycle {n}: {last:?} stays wrong");
        if n % 3 == 0 && n > 0 {
            let sites: Vec<_> = state(&*pair.hard).into_iter().filter(|(_, s)| s.site.kind == SiteKind::Reg).collect();
            let (site, storage) = sites[n as usize / 3 % sites.len()].clone();
            pair.hard.edge();
            pair.plain.edge();
            flip(&mut *pair.hard, site, 0, n / 7 % storage.site.width);
            last = Some(storage.site.path);
            pair.eval();
            assert!(queues_agree(pair) && is_set(&*pair.hard, "harden_corrected"), "cycle {n}: {last:?}");
        }
    });
}

#[test]
fn two_copies_tell_every_upset_of_one() {
    let mut pair = Pair::of(&Fifo::new(4, 12), "dmr");
    pair.eval();
    for (site, storage) in state(&*pair.hard).into_iter().filter(|(_, s)| s.site.kind == SiteKind::Reg) {
        for bit in 0..storage.site.width {
            assert!(!is_set(&*pair.hard, "harden_detected"));
            flip(&mut *pair.hard, site, 0, bit);
            pair.hard.eval();
            assert!(is_set(&*pair.hard, "harden_detected"), "{} bit {bit}", storage.site.path);
            flip(&mut *pair.hard, site, 0, bit);
            pair.hard.eval();
        }
    }
}

#[test]
fn without_a_scheme_a_chip_is_the_plain_one() {
    let tiny = GpuConfig::named("tiny").expect("a built-in configuration");
    let plain = Design::new(tree("warpsmith", &gpu::Gpu::new(&tiny)));
    assert_eq!(netlist(&tiny), plain);
    assert!(!chip(&tiny, "tiny").files["warpsmith.v"].contains("keep_hierarchy"));
}

/// One scheme for the top covers everything: each register is a copy, but for the word that waits to be written back,
/// which has check bits, and each memory that is written has them, too.
#[test]
fn a_scheme_of_the_top_covers_every_bit() {
    for (base, isa) in
        [("tiny", "sm10"), ("default", "sm10"), ("compute", "sm10"), ("default", "fermi"), ("default", "g13")]
    {
        let mut cfg = GpuConfig::named(base).expect("a built-in configuration");
        cfg.set(&format!("isa={isa}")).expect("an instruction set");
        cfg.set("harden.warpsmith=tmr+secded").expect("a scheme");
        hardening::check(&cfg).expect("it can be built");
        let design = netlist(&cfg);
        check::design(&design).unwrap_or_else(|e| panic!("{base} {isa}: {e}"));
        for module in &design.modules {
            let body = &module.body;
            for (_, register) in body.registers() {
                assert!(body.kept || register.name == "fix_word", "{base} {isa}: {}.{}", module.name, register.name);
            }
            let is_written = body.memory.as_ref().is_some_and(|m| m.write.is_some());
            assert!(!is_written || body.memory.as_ref().is_some_and(|m| m.zeroed), "{base} {isa}: {}", module.name);
        }
    }
}

/// `hardened` is `default` with check bits in every memory that is written; those of the register file correct.
#[test]
fn the_named_chip_has_check_bits_in_every_memory() {
    let cfg = GpuConfig::named("hardened").expect("a built-in configuration");
    hardening::check(&cfg).expect("it can be built");
    assert_eq!(GpuConfig { harden: Plan::new(), ..cfg.clone() }, GpuConfig::default());
    let emitted = chip(&GpuConfig { trace: false, ..cfg }, "hardened");
    let memories = emitted.sites.iter().filter(|s| s.kind == SiteKind::Ram);
    assert!(memories.clone().count() > 30 && memories.clone().all(|s| s.zeroed));
    let file: Vec<u32> = memories.filter(|s| s.path.contains(".u_file.")).map(|s| s.width).collect();
    assert_eq!(file, [44; 8], "two halves of 16 bits with 6 check bits each, of every lane");
}

/// A block below one with a scheme has its own where it is named; others are as they were.
#[test]
fn schemes_go_to_the_blocks_they_name() {
    let mut cfg = GpuConfig::named("tiny").expect("a built-in configuration");
    for assignment in ["harden.dispatch=dmr", "harden.scoreboard=tmr", "harden.file=parity"] {
        cfg.set(assignment).expect("a scheme");
    }
    hardening::check(&cfg).expect("it can be built");
    let emitted = chip(&cfg, "mine");
    let of = |part: &str| -> Vec<&str> {
        emitted.sites.iter().filter(|s| s.path.contains(part)).map(|s| s.path.as_str()).collect()
    };
    assert!(
        of("u_scoreboard.").iter().all(|p| p.contains("_copies.u_") || p.contains(".mem")),
        "{:?}",
        of("u_scoreboard.")
    );
    assert!(of("u_scoreboard.").iter().any(|p| p.ends_with("u_c.r")) && !of("u_dispatch.").is_empty());
    let dispatch: Vec<&str> = of("u_dispatch.").into_iter().filter(|p| !p.contains("u_scoreboard")).collect();
    assert!(dispatch.iter().all(|p| !p.ends_with("u_c.r")) && dispatch.iter().any(|p| p.ends_with("u_b.r")));
    assert!(
        of("u_file.").iter().any(|p| p.ends_with("u_words.mem"))
            && !of("u_fetch.").iter().any(|p| p.contains("u_words.mem"))
    );
    assert_eq!(emitted.manifest.config["harden"]["file"], "parity");
}

#[test]
fn schemes_that_do_not_fit_are_refused() {
    let refused = |assignments: &[&str], told: &str| {
        let mut cfg = GpuConfig::named("tiny").expect("a built-in configuration");
        let e =
            assignments.iter().try_for_each(|a| cfg.set(a)).and_then(|()| hardening::check(&cfg)).expect_err("refused");
        assert!(e.to_string().contains(told), "{e}");
    };
    refused(&["harden.scorebord=tmr"], "no block of this chip is called `scorebord`; there are ");
    refused(&["harden.special=tmr"], "no block of this chip is called `special`");
    refused(&["harden.operand=secded"], "`operand` has no memories");
    refused(&["harden.scoreboard=ecc"], "dmr or tmr for registers");
    refused(&["harden=tmr"], "harden.scoreboard=tmr");
    let plan = Plan::from([("nobody".to_string(), scheme("tmr"))]);
    let error = harden(tree("leaf", &Fifo::new(4, 12)), &plan, &NOWHERE).expect_err("nobody is there");
    assert!(matches!(error, PlanError::NoBlock { .. }));
}
