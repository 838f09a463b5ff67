//! The scoreboard of Ivy Bridge against sets of registers and flags: an instruction waits for what it meets.

use crate::support::{dut::Dut, Random};
use std::collections::HashSet;
use warpsmith_contract::trace::Destination;
use warpsmith_hdl::config::{GpuConfig, Isa};
use warpsmith_hdl::sm::control::ivb::{pick, ChannelControl};
use warpsmith_hdl::sm::control::{Control, Numbers};
use warpsmith_hdl::sm::dims::Dims;
use warpsmith_hdl::sm::pipeline::scoreboard::{Scoreboard, SLOTS};

/// Fields of an instruction and their values.
type Fields = Vec<(&'static str, u64)>;

/// The fields at their places in a word.
fn packed(layout: &[(&'static str, usize)], fields: &[(&str, u64)]) -> Vec<u32> {
    let width: usize = layout.iter().map(|f| f.1).sum();
    let mut words = vec![0; width.div_ceil(32)];
    let mut at = 0;
    for (name, width) in layout {
        let value = fields.iter().find(|f| f.0 == *name).map_or(0, |f| f.1);
        (0..*width).filter(|b| value >> b & 1 == 1).for_each(|b| words[(at + b) / 32] |= 1 << ((at + b) % 32));
        at += width;
    }
    words
}

/// What an instruction reads or writes: a register, a flag above them.
struct Touched {
    reads: HashSet<u64>,
    writes: HashSet<u64>,
    /// It keeps something for later steps.
    keeps: bool,
}

/// What a step keeps, beside registers and flags.
const KEPT: u64 = 1000;

struct Instruction {
    control: Fields,
    channels: Fields,
    touched: Touched,
}

impl Instruction {
    fn random(r: &mut Random) -> Self {
        let (mut reads, mut writes) = (HashSet::new(), HashSet::new());
        let (mut control, mut channels) = (vec![], vec![]);
        // Few registers, on both sides of the last.
        let run = |r: &mut Random| (u64::from(120 + r.below(24)) % 128, u64::from(r.below(8)));
        let of = |(first, more): (u64, u64)| (0..=more).map(move |k| (first + k) % 128);
        let names = [("r1", "more1", "use1"), ("r2", "more2", "use2"), ("r3", "more3", "use3")];
        for (number, more, used) in names {
            let (operand, uses) = (run(r), r.chance(30));
            control.extend([(number, operand.0), (used, uses.into())]);
            channels.push((more, operand.1));
            reads.extend(of(operand).filter(|_| uses));
        }
        let (to, some) = (run(r), r.chance(60));
        let kind = if some { Destination::Gpr } else { Destination::None };
        control.extend([("dst", to.0), ("dst_kind", kind as u64)]);
        channels.push(("more", to.1));
        writes.extend(of(to).filter(|_| some));
        let (flag, reads_flag) = (u64::from(r.below(4)), r.chance(20));
        let how = [pick::OWN, pick::ANY_OF_BOTH, pick::ALL_OF_BOTH, pick::ANY_2][r.below(4) as usize];
        control.extend([("cc", flag), ("use_cc", reads_flag.into())]);
        channels.push(("pick", how));
        let both = how == pick::ANY_OF_BOTH || how == pick::ALL_OF_BOTH;
        let flags = (0..4).filter(|f| *f == flag || both && f / 2 == flag / 2);
        reads.extend(flags.map(|f| 128 + f).filter(|_| reads_flag));
        let (flag, writes_flag) = (u64::from(r.below(4)), r.chance(20));
        control.extend([("cdst", flag), ("flags_we", writes_flag.into())]);
        writes.extend([128 + flag].into_iter().filter(|_| writes_flag));
        let keeps = r.chance(20);
        channels.push(("keeps", if keeps { 1 + u64::from(r.below(3)) } else { 0 }));
        if r.chance(10) {
            let (name, code) = [("kept1", 1), ("kept2", 1), ("kept2", 2), ("kept3", 2)][r.below(4) as usize];
            channels.push((name, code));
            reads.insert(KEPT);
        }
        Self { control, channels, touched: Touched { reads, writes, keeps } }
    }

    /// Its control word.
    fn word(&self, d: &Dims) -> Vec<u32> {
        let channels = ChannelControl::fields(d);
        let own: Vec<(&str, usize)> = Control::fields(d).into_iter().filter(|f| f.0 != "channels").collect();
        assert_eq!(Control::fields(d).last().map(|f| f.0), Some("channels"), "the channels are the last field");
        let all: Vec<(&str, usize)> = own.into_iter().chain(channels).collect();
        let fields: Fields = self.control.iter().chain(&self.channels).copied().collect();
        packed(&all, &fields)
    }
}

fn set_words(dut: &mut Dut, port: &str, words: &[u32]) {
    words.iter().enumerate().for_each(|(i, word)| dut.set_word(port, i, *word));
}

#[test]
fn an_instruction_waits_for_registers_and_flags_that_it_meets() {
    let tiny = GpuConfig::named("tiny").expect("a configuration");
    let cfg = GpuConfig { isa: Isa::Ivb, ..tiny };
    let d = Dims::of(&cfg);
    let mut dut = Dut::native(&Scoreboard::new(&cfg));
    let mut r = Random(0x5EED_0150);
    // Of each warp and slot.
    let mut held: Vec<[Option<HashSet<u64>>; SLOTS]> = vec![Default::default(); cfg.warps];
    let (mut waits, mut goes) = (0, 0);
    for _ in 0..20_000 {
        let warp = r.below(cfg.warps as u32) as usize;
        let instruction = Instruction::random(&mut r);
        let word = instruction.word(&d);
        dut.set("coming", warp as u64);
        set_words(&mut dut, "arriving", &word);
        set_words(&mut dut, "numbers", &packed(&Numbers::fields(()), &instruction.control));
        dut.set("step", true);
        dut.set("asks", false);
        dut.set("allocate", false);
        dut.set("free_valid", false);
        dut.eval();
        dut.tick();

        dut.set("step", false);
        dut.set("warp", warp as u64);
        set_words(&mut dut, "control", &word);
        dut.set("asks", true);
        dut.eval();
        let Touched { reads, writes, keeps } = &instruction.touched;
        let of_warp = &held[warp];
        let full = of_warp.iter().all(Option::is_some);
        let meets = of_warp.iter().flatten().any(|w| !w.is_disjoint(reads) || !w.is_disjoint(writes));
        assert_eq!(dut.is("hazard"), full || meets, "{reads:?} {writes:?} against {of_warp:?}");
        waits += usize::from(meets && !full);
        let free = (0..SLOTS).find(|s| of_warp[*s].is_none());
        if let (Some(slot), false) = (free, meets) {
            assert_eq!(dut.get("slot"), slot as u64);
            dut.set("allocate", true);
            held[warp][slot] = Some(writes.iter().copied().chain(keeps.then_some(KEPT)).collect());
            goes += 1;
        } else {
            // Something of the warp completes.
            let slot = r.below(SLOTS as u32) as usize;
            if held[warp][slot].take().is_some() {
                dut.set("free_valid", true);
                dut.set("free_warp", warp as u64);
                dut.set("free_slot", slot as u64);
            }
        }
        dut.eval();
        dut.tick();
    }
    assert!(waits > 2000 && goes > 2000, "{waits} wait, {goes} go");
}
