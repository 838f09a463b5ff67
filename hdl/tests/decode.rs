//! The decoder gives the control word that the decoded instruction asks for.

use crate::support::{self, control_word::Layout, decode_reference};
use decode_reference::expected;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;
use support::{Random, Simulation};
use warpsmith_conformance as conformance;
use warpsmith_contract::TrapCause;
use warpsmith_hdl::config::{Floats, GpuConfig, Level};
use warpsmith_hdl::emit::emit_leaf;
use warpsmith_hdl::sm::dims::Dims;
use warpsmith_hdl::sm::pipeline::decode::row_lines::RowLines;
use warpsmith_hdl::sm::pipeline::decode::Decode;
use warpsmith_isa::table::{place, Class, Since};
use warpsmith_isa::{decode, doc, text, Form, Op, Semantics, FORMS};

/// A word pair and the registers a thread owns.
type Work = (u32, u32, u32);

struct Bench {
    /// Of a word, the lines of its rows.
    rows: Simulation,
    /// Of a word, these lines and the registers of a thread, the control word.
    decoder: Simulation,
    layout: Layout,
    pc: usize,
    floats: Floats,
    level: Level,
}

impl Bench {
    fn new(config: &str) -> Option<Self> {
        Self::of(&GpuConfig::named(config).expect("a known configuration"))
    }

    fn of(cfg: &GpuConfig) -> Option<Self> {
        let d = Dims::of(cfg);
        let layout = Layout::new(&d);
        let rows = Simulation::build(&emit_leaf(&RowLines::new(cfg)))?;
        let decoder = Simulation::build(&emit_leaf(&Decode::new(cfg)))?;
        Some(Self { rows, decoder, layout, pc: d.pc, floats: d.floats, level: d.level })
    }

    /// Compares every field that matters; returns how many words each form and trap cause had.
    fn check(&self, work: &[Work]) -> BTreeMap<(Option<u8>, u64), usize> {
        let words: Vec<Vec<u32>> = work.iter().map(|w| vec![w.0, w.1]).collect();
        let hits = self.rows.run(&words);
        let rows = work.iter().zip(&hits).map(|(w, hits)| [&[w.0, w.1], &hits[..], &[w.2]].concat());
        let got = self.decoder.run(&rows.collect::<Vec<_>>());
        let mut seen = BTreeMap::new();
        // One example and a count for each field of each form that is wrong.
        let mut wrong: BTreeMap<(Option<u8>, &str), (usize, String)> = BTreeMap::new();
        for ((w0, w1, registers), got) in work.iter().zip(got) {
            let want = match expected(*w0, *w1, *registers, self.pc, self.level) {
                want if self.floats == Floats::All => want,
                want => want.with_floats(self.floats, *w0, *w1),
            };
            let form = decode(*w0, *w1).ok().map(|i| i.form);
            let trap = want.get("trap").expect("a trap cause");
            *seen.entry((form, trap)).or_insert(0) += 1;
            for (field, value) in want.fields {
                let rtl = self.layout.get(&got, field);
                if rtl != value {
                    let words = format!("{w0:08x} {w1:08x}, {registers} registers");
                    let example = || {
                        let said = match decode(*w0, *w1) {
                            Ok(i) => text(&i),
                            Err(e) => e.to_string(),
                        };
                        format!("{words}: {said}: {field} is {rtl:#x}, expected {value:#x}")
                    };
                    wrong.entry((form, field)).or_insert_with(|| (0, example())).0 += 1;
                }
            }
        }
        let lines: Vec<String> = wrong.values().map(|(n, s)| format!("{n} times: {s}")).collect();
        assert!(lines.is_empty(), "decoder differs:\n{}", lines.join("\n"));
        seen
    }
}

/// The decoder of the default configuration, built once for all tests.
fn default_bench() -> Option<&'static Bench> {
    static BENCH: OnceLock<Option<Bench>> = OnceLock::new();
    BENCH.get_or_init(|| Bench::new("default")).as_ref()
}

/// Mostly the largest allocation, sometimes one that ends about where the destination of `w0` is.
fn registers(w0: u32, r: &mut Random) -> u32 {
    let number = w0 >> 2 & 0x7f;
    match r.below(6) {
        0 => r.below(256),
        1 => number + r.below(5),
        // A half register has twice the number.
        2 => (number & 0x3f) / 2 + r.below(2),
        _ => 128,
    }
}

/// A word of a form with random bits wherever it leaves them free.
fn word_of(f: &Form, r: &mut Random) -> Work {
    let mut w = u64::from(r.word()) | u64::from(r.word()) << 32;
    if r.below(2) == 0 {
        w |= place::CONDITION.bits() | place::GUARD_FLAG.bits();
        w &= !(1 << 43);
        w ^= u64::from(r.below(4)) << 44;
    }
    // Output registers trap unless they are the discard.
    if r.below(4) != 0 {
        w &= !(1 << 35);
    } else if r.below(2) == 0 {
        w |= 0x7f << 2;
    }
    if f.class == Class::Long {
        w = w & !(3 << 32) | u64::from(r.below(3)) << 32;
    }
    w = w & !f.mask | f.match_;
    (w as u32, (w >> 32) as u32, registers(w as u32, r))
}

/// What the control word has for a trap cause.
fn number(cause: TrapCause) -> u64 {
    cause.number().into()
}

fn check_every_form(bench: &Bench, seed: u64) {
    let mut r = Random(seed);
    let words = |f: &Form| (0..1000).map(|_| word_of(f, &mut r)).collect::<Vec<_>>();
    let work: Vec<Work> = FORMS.iter().flat_map(words).collect();
    let fields = work.iter().flat_map(|w| expected(w.0, w.1, w.2, bench.pc, bench.level).fields);
    let known: BTreeSet<&str> = fields.map(|f| f.0).collect();
    assert_eq!(known, bench.layout.names(), "fields that the test knows");
    let seen = bench.check(&work);
    for (i, f) in FORMS.iter().enumerate() {
        let of = |c: u64| *seen.get(&(Some(i as u8), c)).unwrap_or(&0);
        let ends = [0, number(TrapCause::Unimplemented), number(TrapCause::Trap)];
        // What a later level adds may be no row at all below it.
        let added = Level::of(f).is_some_and(|level| level > bench.level).then(|| number(TrapCause::Illegal));
        let most = ends.into_iter().chain(added).map(of).max();
        let name = f.mnemonic;
        assert!(most >= Some(200), "{name}: {most:?} words that are valid");
    }
    println!("{} words of {} forms", work.len(), FORMS.len());
}

#[test]
fn every_form_decodes_to_what_its_instruction_asks_for() {
    let Some(bench) = default_bench() else { return };
    check_every_form(bench, 0x5EED_0010);
}

#[test]
fn every_form_decodes_where_the_program_memory_is_small() {
    let Some(bench) = Bench::new("tiny") else { return };
    check_every_form(&bench, 0x5EED_0013);
}

#[test]
fn every_form_decodes_where_integers_are_divided() {
    let mut cfg = GpuConfig::named("tiny").expect("a known configuration");
    cfg.sfus = 1;
    let Some(bench) = Bench::of(&cfg) else { return };
    check_every_form(&bench, 0x5EED_0014);
}

#[test]
fn every_form_decodes_on_a_chip_of_sm_1_1() {
    let cfg = GpuConfig { level: Level::Sm11, ..GpuConfig::default() };
    let Some(bench) = Bench::of(&cfg) else { return };
    check_every_form(&bench, 0x5EED_0015);
}

#[test]
fn every_form_decodes_on_a_chip_of_sm_1_2() {
    let cfg = GpuConfig { level: Level::Sm12, ..GpuConfig::default() };
    let Some(bench) = Bench::of(&cfg) else { return };
    check_every_form(&bench, 0x5EED_0016);
}

#[test]
fn every_form_decodes_on_a_chip_of_sm_1_3() {
    let cfg = GpuConfig { level: Level::Sm13, ..GpuConfig::default() };
    let Some(bench) = Bench::of(&cfg) else { return };
    check_every_form(&bench, 0x5EED_0017);
}

#[test]
fn random_words_of_all_classes_decode_or_trap_as_the_table_says() {
    let Some(bench) = default_bench() else { return };
    let mut r = Random(0x5EED_0011);
    let mut of_cause = BTreeMap::new();
    for _ in 0..4 {
        let work: Vec<Work> = (0..100_000)
            .map(|_| {
                let w0 = r.word();
                (w0, r.word(), registers(w0, &mut r))
            })
            .collect();
        for ((_, cause), n) in bench.check(&work) {
            *of_cause.entry(cause).or_insert(0) += n;
        }
    }
    println!("words of each trap cause: {of_cause:?}");
    for c in [
        0,
        number(TrapCause::Illegal),
        number(TrapCause::Unimplemented),
        number(TrapCause::Trap),
        number(TrapCause::Register),
    ] {
        assert!(of_cause.contains_key(&c), "no word traps with cause {c}");
    }
}

#[test]
fn word_1_of_a_short_word_does_not_matter() {
    let Some(bench) = default_bench() else { return };
    let mut r = Random(0x5EED_0012);
    let mut work = vec![];
    for f in FORMS.iter().filter(|f| !f.class.is_long()) {
        for _ in 0..100 {
            let (w0, _, registers) = word_of(f, &mut r);
            for w1 in [0, u32::MAX, r.word()] {
                work.push((w0, w1, registers));
            }
        }
    }
    bench.check(&work);
}

#[test]
fn words_of_compiled_kernels_decode() {
    let Some(bench) = default_bench() else { return };
    let work: Vec<Work> = conformance::rows("sm10/pairs.txt")
        .iter()
        .map(|row| {
            let words = conformance::words(row.column(0));
            (words[0], *words.get(1).unwrap_or(&0), 128)
        })
        .collect();
    let seen = bench.check(&work);
    let illegal: usize = seen.iter().filter(|(k, _)| k.1 == number(TrapCause::Illegal)).map(|(_, n)| n).sum();
    assert_eq!(illegal, 0, "words of compiled kernels that are refused");
    println!("{} words of compiled kernels", work.len());
}

#[test]
fn every_form_that_the_model_executes_is_in_the_chip() {
    for (row, f) in FORMS.iter().enumerate() {
        let name = f.mnemonic;
        if f.since == Since::Sm10 && f.op != Op::Unsupported {
            assert!(Floats::All.tier(Semantics::G80).has(row as u8) && doc::executes(f), "row {row}, {name}");
        }
    }
}

#[test]
fn chips_without_float_lack_floats_or_have_what_an_integer_division_needs() {
    let of = |floats: Floats| -> Vec<&str> {
        let rows = FORMS.iter().enumerate().filter(|(row, _)| floats.tier(Semantics::G80).has(*row as u8));
        rows.map(|(_, f)| f.mnemonic.split(['.', '3']).next().unwrap()).collect()
    };
    let more = |than: Floats, has: Floats| {
        let without = of(than);
        let mut more: Vec<&str> = of(has);
        more.retain(|m| !without.contains(m));
        more.sort();
        more.dedup();
        more
    };
    let left_out = ["COS", "EX2", "F2F", "FADD", "FCMP", "FMAD", "FMAX", "FMIN", "FSET", "LG2", "RRO", "RSQ", "SIN"];
    assert_eq!(more(Floats::Division, Floats::All), left_out);
    let division = ["F2I", "FMUL", "I2F", "RCP"];
    assert_eq!(more(Floats::None, Floats::Division), division);
}
