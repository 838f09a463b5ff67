//! Fermi's decoder gives the control word that the micro-operations of the instruction ask for.

use crate::support::control_word::Layout;
use crate::support::{self, Random, Simulation};
use std::collections::BTreeMap;
use std::sync::OnceLock;
use warpsmith_contract::TrapCause;
use warpsmith_hdl::config::{GpuConfig, Isa};
use warpsmith_hdl::sm::control::encode::{fermi, ControlWord, Launch};
use warpsmith_hdl::sm::dims::Dims;
use warpsmith_hdl::sm::pipeline::decode::fermi::FermiDecode;
use warpsmith_isa::fermi::operand::Operand;
use warpsmith_isa::fermi::table::fields::{A, B, C, DST, SPECIAL};
use warpsmith_isa::fermi::table::TABLE;
use warpsmith_isa::fermi::Fermi;
use warpsmith_isa::set::{Form, InstructionSet, Modifier};

/// A word, its address, and the value of the launch register REGISTERS.
#[derive(Clone, Copy, Debug)]
struct Work {
    word: u64,
    pc: u32,
    registers: u32,
}

struct Bench {
    simulation: Simulation,
    layout: Layout,
    /// Bits of a pc.
    pc: usize,
}

/// Words of each row and trap cause.
type Seen = BTreeMap<(Option<usize>, u8), usize>;

impl Bench {
    fn of(name: &str) -> Self {
        let named = GpuConfig::named(name).expect("a known configuration");
        let cfg = GpuConfig { isa: Isa::Fermi, ..named };
        let d = Dims::of(&cfg);
        Self { simulation: Simulation::native(&FermiDecode::new(&cfg)), layout: Layout::new(&d), pc: d.pc }
    }

    /// What the decoder gives.
    fn run(&self, work: &[Work]) -> Vec<Vec<u32>> {
        Self::run_on(&self.simulation, work)
    }

    fn run_on(simulation: &Simulation, work: &[Work]) -> Vec<Vec<u32>> {
        let row = |w: &Work| vec![w.word as u32, (w.word >> 32) as u32, w.pc, w.registers];
        let rows: Vec<Vec<u32>> = work.iter().map(row).collect();
        simulation.run(&rows)
    }

    /// What it must give.
    fn want(&self, w: &Work) -> Result<ControlWord, TrapCause> {
        fermi::decode(w.word, w.pc, &Launch { pc: self.pc, registers: w.registers })
    }

    /// Compares every field that matters.
    fn check(&self, work: &[Work]) -> Seen {
        let mut seen = Seen::new();
        // One example and a count for each field of each row that is wrong.
        let mut wrong: BTreeMap<(Option<usize>, &str), (usize, String)> = BTreeMap::new();
        for (w, got) in work.iter().zip(self.run(work)) {
            let instr = Fermi.decode(&w.word.to_le_bytes());
            let row = instr.as_ref().ok().map(|i| i.row);
            let want = self.want(w);
            let trap = want.as_ref().err().map_or(0, |cause| cause.number());
            *seen.entry((row, trap)).or_insert(0) += 1;
            for (field, is, must) in self.layout.differences(&want, &got) {
                let text = || match &instr {
                    Ok(i) => Fermi.print(i, w.pc.into()),
                    Err(e) => e.to_string(),
                };
                let example = || format!("{w:x?}: {}: {field} is {is:#x}, not {must:#x}", text());
                let entry = wrong.entry((row, field));
                entry.or_insert_with(|| (0, example())).0 += 1;
            }
        }
        let lines: Vec<String> = wrong.values().map(|(n, s)| format!("{n} times: {s}")).collect();
        assert!(lines.is_empty(), "decoder differs:\n{}", lines.join("\n"));
        seen
    }

    /// An instruction of the word somewhere in the program.
    fn at(&self, word: u64, r: &mut Random) -> Work {
        let program = 1u32 << (self.pc - 1);
        Work { word, pc: r.below(program) & !7, registers: 65 }
    }
}

/// The decoder of the default configuration, built once for all tests.
fn bench() -> &'static Bench {
    static BENCH: OnceLock<Bench> = OnceLock::new();
    BENCH.get_or_init(|| Bench::of("default"))
}

fn word(r: &mut Random) -> u64 {
    u64::from(r.word()) | u64::from(r.word()) << 32
}

/// A word of a form, random where the form leaves it free; mostly legal.
fn word_of(form: &Form<Operand>, r: &mut Random) -> u64 {
    let mut bits = u128::from(word(r));
    // RZ, and registers that begin a group.
    for f in [DST, A, B, C] {
        match r.below(12) {
            0 => bits = f.put(bits, 63),
            1..=3 => bits = f.put(bits, f.get(bits) & !3),
            _ => {}
        }
    }
    if form.operands.iter().any(|o| o.fields == [SPECIAL]) && r.below(8) != 0 {
        bits = SPECIAL.put(bits, r.below(0x58).into());
    }
    if r.below(16) != 0 {
        bits &= !form.reserved_mask();
    }
    for m in form.modifiers {
        if let (Modifier::Names(f, names), true) = (m, r.below(8) != 0) {
            if f.width() > 1 {
                let (value, _) = names[r.below(names.len() as u32) as usize];
                bits = f.put(bits, value.into());
            } else if f.name == "fmz" && r.below(4) != 0 {
                bits = f.put(bits, 0);
            }
        }
    }
    if form.mnemonic == "BAR" && r.below(4) != 0 {
        bits &= !(0xfff << 26);
    }
    if r.below(8) == 0 {
        // A backward branch.
        bits |= 0xf << 46;
    }
    (bits & !form.mask | form.match_) as u64
}

/// Mostly all registers that a program can name, sometimes as many as end about where the destination is.
fn registers(word: u64, r: &mut Random) -> u32 {
    match r.below(6) {
        0 => 2 + r.below(254),
        1 => DST.get(word.into()) as u32 + r.below(7) + 2,
        _ => 65,
    }
}

fn every_form(bench: &Bench, words: usize, seed: u64) -> Seen {
    let mut r = Random(seed);
    let mut all = Seen::new();
    for form in TABLE.forms() {
        let work: Vec<Work> = (0..words)
            .map(|_| {
                let word = word_of(form, &mut r);
                Work { registers: registers(word, &mut r), ..bench.at(word, &mut r) }
            })
            .collect();
        all.extend(bench.check(&work).into_iter().filter(|s| s.0 .0.is_some()));
    }
    all
}

#[test]
fn every_form_decodes_to_what_its_micro_operations_ask_for() {
    let seen = every_form(bench(), 3000, 0x5EED_0F01);
    for (row, form) in TABLE.forms().iter().enumerate() {
        let of = |cause: u8| *seen.get(&(Some(row), cause)).unwrap_or(&0);
        let most = of(0).max(of(TrapCause::Unimplemented.number()));
        assert!(most >= 500, "{}: {most} words that are valid", form.name);
    }
    let total = |cause: u8| -> usize { seen.iter().filter(|s| s.0 .1 == cause).map(|s| s.1).sum() };
    let [sound, missing, register] = [0, TrapCause::Unimplemented.number(), TrapCause::Register.number()].map(total);
    println!("{sound} sound, {missing} unimplemented, {register} beyond the registers");
    assert!(register > 1000);
}

#[test]
fn every_form_decodes_where_the_program_memory_is_small() {
    every_form(&Bench::of("tiny"), 300, 0x5EED_0F02);
}

#[test]
fn random_words_are_illegal_where_the_table_says_so() {
    let bench = bench();
    let mut r = Random(0x5EED_0F03);
    let (mut illegal, mut all) = (0, 0);
    for _ in 0..20 {
        let work: Vec<Work> = (0..50_000).map(|_| bench.at(word(&mut r), &mut r)).collect();
        for ((_, cause), n) in bench.check(&work) {
            all += n;
            illegal += n * usize::from(cause == TrapCause::Illegal.number());
        }
    }
    println!("{illegal} of {all} words are illegal");
    assert!(all == 1_000_000 && illegal > all / 2 && illegal < all);
}

/// Every number of special registers.
#[test]
fn special_registers_are_where_the_launch_puts_them() {
    let bench = bench();
    let mut r = Random(0x5EED_0F04);
    let s2r = 0x2c00_0000_0000_1c04u64;
    let work: Vec<Work> = (0..256)
        .flat_map(|n| (3..=66).map(move |registers| (n, registers)))
        .map(|(n, registers)| Work { registers, ..bench.at(s2r | n << 26, &mut r) })
        .collect();
    bench.check(&work);
}

/// Every value of the modifiers of each form where they have few bits, with registers as they come.
#[test]
fn every_modifier_decodes_to_what_its_micro_operations_ask_for() {
    let bench = bench();
    let mut r = Random(0x5EED_0F06);
    let mut all = 0;
    for form in TABLE.forms() {
        let fields = form.modifiers.iter().filter_map(|m| match m {
            Modifier::Names(field, _) => Some(*field),
            Modifier::Fixed(_) => None,
        });
        let fields: Vec<_> = fields.collect();
        let bits: u32 = fields.iter().map(|f| f.width()).sum();
        assert!(bits <= 12, "{}: {bits} bits of modifiers", form.name);
        let work = (0..1u64 << bits).map(|n| {
            let mut left = n;
            let free = u128::from(word_of(form, &mut r));
            let word = fields.iter().fold(free, |word, f| {
                let value = left & ((1 << f.width()) - 1);
                left >>= f.width();
                f.put(word, value)
            });
            bench.at(word as u64, &mut r)
        });
        let work: Vec<Work> = work.collect();
        all += work.len();
        bench.check(&work);
    }
    println!("{all} instructions");
}

/// Each wrong bit that an instruction asks for is noticed, and the control word of another instruction.
#[test]
fn a_wrong_control_word_is_noticed() {
    let bench = bench();
    let mut r = Random(0x5EED_0F05);
    for form in TABLE.forms() {
        let work = bench.at(word_of(form, &mut r), &mut r);
        let got = bench.run(&[work]).remove(0);
        let want = bench.want(&work);
        assert_eq!(bench.layout.differences(&want, &got), []);
        for (field, mask, _) in bench.layout.wanted(&want) {
            let (at, width) = bench.layout.place(field);
            for bit in (0..width).filter(|bit| mask >> bit & 1 == 1) {
                let mut mutated = got.clone();
                mutated[(at + bit) / 32] ^= 1 << ((at + bit) % 32);
                let wrong = bench.layout.differences(&want, &mutated);
                assert!(wrong.iter().any(|d| d.0 == field), "{field} of {work:x?}");
            }
        }
        let other = bench.want(&Work { word: work.word ^ 1 << 3, ..work });
        let illegal = matches!(want, Err(TrapCause::Illegal));
        assert_eq!(bench.layout.differences(&other, &got).is_empty(), illegal, "{}", form.name);
    }
}

/// A decoder of which one field of the control word is inverted is noticed, whichever field it is.
#[test]
fn a_mutated_decoder_is_noticed() {
    let bench = bench();
    let mut r = Random(0x5EED_0F07);
    let forms = TABLE.forms().iter().flat_map(|form| [form; 4]);
    let work: Vec<Work> = forms
        .map(|form| {
            let word = word_of(form, &mut r);
            bench.at(word, &mut r)
        })
        .collect();
    let cfg = GpuConfig { isa: Isa::Fermi, ..GpuConfig::named("default").expect("a known configuration") };
    let mutants = support::mutants(&FermiDecode::new(&cfg), "f_");
    assert!(mutants.len() > 40, "{} fields", mutants.len());
    for (field, mutant) in mutants {
        let got = Bench::run_on(&mutant, &work);
        let noticed = work.iter().zip(got).any(|(w, got)| !bench.layout.differences(&bench.want(w), &got).is_empty());
        assert!(noticed, "{field}");
    }
}
