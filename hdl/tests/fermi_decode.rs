//! Fermi's decoder gives the control word that the micro-operations of the instruction ask for.

use crate::support::{fermi_reference, Random, Simulation};
use fermi_reference::{check, Layout, Work};
use std::collections::BTreeMap;
use std::sync::OnceLock;
use warpsmith_contract::TrapCause;
use warpsmith_hdl::config::{GpuConfig, Isa};
use warpsmith_hdl::sm::dims::Dims;
use warpsmith_hdl::sm::pipeline::decode::fermi::FermiDecode;
use warpsmith_isa::fermi::operand::Operand;
use warpsmith_isa::fermi::table::fields::{A, B, C, DST, SPECIAL};
use warpsmith_isa::fermi::table::TABLE;
use warpsmith_isa::fermi::Fermi;
use warpsmith_isa::set::{Form, InstructionSet, Modifier};

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
        let row = |w: &Work| vec![w.word as u32, (w.word >> 32) as u32, w.pc, w.registers];
        let rows: Vec<Vec<u32>> = work.iter().map(row).collect();
        self.simulation.run(&rows)
    }

    /// Compares every field that matters.
    fn check(&self, work: &[Work]) -> Seen {
        let mut seen = Seen::new();
        // One example and a count for each field of each row that is wrong.
        let mut wrong: BTreeMap<(Option<usize>, &str), (usize, String)> = BTreeMap::new();
        for (w, got) in work.iter().zip(self.run(work)) {
            let instr = Fermi.decode(&w.word.to_le_bytes());
            let row = instr.as_ref().ok().map(|i| i.row);
            let (differences, trap) = check(&self.layout, w, &got);
            *seen.entry((row, trap)).or_insert(0) += 1;
            for (field, is, must) in differences {
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

/// The reference notices each flipped bit of the fields that matter to an instruction.
#[test]
fn a_wrong_control_word_is_noticed() {
    let bench = bench();
    let mut r = Random(0x5EED_0F05);
    let notices = |word: u64, fields: &[&str]| {
        let work = bench.at(word, &mut Random(1));
        let got = bench.run(&[work]).remove(0);
        assert_eq!(check(&bench.layout, &work, &got).0, []);
        for field in fields {
            let (at, width) = bench.layout.place(field);
            for bit in at..at + width {
                let mut mutated = got.clone();
                mutated[bit / 32] ^= 1 << (bit % 32);
                let (wrong, _) = check(&bench.layout, &work, &mutated);
                assert!(!wrong.is_empty(), "{field} of {word:016x}");
            }
        }
    };
    // FADD R1, R2, R3; ISETP P0, P1, R2, R3, P2; LD.E.64 R4, [R6+0x10]; BRA; S2R R1, SR_Tid_X.
    let (unguarded, lane) = (0x1c00u64, ["op", "neg_a", "flush", "trap", "guard"]);
    let fadd = 0x5000_0000_0000_0000 | unguarded | 1 << 14 | 2 << 20 | 3 << 26;
    notices(fadd, &lane);
    notices(fadd, &["r1", "r2", "s1_kind", "s2_kind", "dst", "dst_kind", "sat"]);
    let all = ["round", "tiny", "use1", "use2", "use3", "q1", "q2", "flags_we", "mem", "flow"];
    notices(fadd, &all);
    let isetp = 0x1800_0000_0000_0003 | unguarded | 1 << 14 | 2 << 20 | 3 << 26 | 2 << 49;
    notices(isetp, &["q1", "q2", "p1", "p1_not", "table", "signed_a", "flags_we"]);
    let load = 0x8400_0000_0000_00a5 | unguarded | 4 << 14 | 6 << 20 | 0x10 << 26;
    notices(load, &["mem", "mem_size", "passes", "r1", "r2", "imm", "base", "far", "use2"]);
    let bra = 0x4000_0000_0000_01e7 | unguarded | 0x40 << 26;
    notices(bra, &["flow", "target", "marker", "bar"]);
    let s2r = 0x2c00_0000_0000_0004 | unguarded | 1 << 14 | 0x21 << 26;
    notices(s2r, &["r1", "s1_kind", "s1_half", "s1_hi", "header"]);
    // An expectation of another word.
    for form in TABLE.forms() {
        let work = bench.at(word_of(form, &mut r), &mut r);
        let got = bench.run(&[work]).remove(0);
        let other = Work { word: work.word ^ 1 << 3, ..work };
        let (_, trap) = check(&bench.layout, &work, &got);
        let (wrong, _) = check(&bench.layout, &other, &got);
        let illegal = trap == TrapCause::Illegal.number();
        assert_eq!(wrong.is_empty(), illegal, "{}", form.name);
    }
}
