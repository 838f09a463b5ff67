//! Fermi's decoder gives the control word that the micro-operations of the instruction ask for.

use crate::support::decoder::{Decoder, Seen, Work};
use crate::support::Random;
use std::sync::OnceLock;
use warpsmith_contract::TrapCause;
use warpsmith_hdl::config::{GpuConfig, Isa};
use warpsmith_hdl::sm::control::encode::fermi;
use warpsmith_hdl::sm::pipeline::decode::fermi::FermiDecode;
use warpsmith_isa::fermi::operand::Operand;
use warpsmith_isa::fermi::table::fields::{A, B, C, DST, DST2, SPECIAL};
use warpsmith_isa::fermi::table::TABLE;
use warpsmith_isa::fermi::Fermi;
use warpsmith_isa::set::{Form, InstructionSet, Modifier};

/// Registers of a thread: all that a program can name, and the machine's.
const ALL: u32 = 65;

fn config(name: &str) -> GpuConfig {
    GpuConfig { isa: Isa::Fermi, ..GpuConfig::named(name).expect("a known configuration") }
}

/// The default configuration with floats of 64 bits.
fn with_doubles() -> GpuConfig {
    GpuConfig { double: true, ..config("default") }
}

/// The same with atomic accesses alone.
fn with_atomics() -> GpuConfig {
    GpuConfig { atomics: true, ..config("default") }
}

fn decoder_of(cfg: &GpuConfig) -> Decoder {
    let decode = |w: &Work, launch: &_| fermi::decode(w.code as u64, w.pc, launch);
    Decoder::new(&Fermi, 2, cfg, &FermiDecode::new(cfg), decode)
}

/// The decoder of the default configuration, built once for all tests.
fn decoder() -> &'static Decoder {
    static DECODER: OnceLock<Decoder> = OnceLock::new();
    DECODER.get_or_init(|| decoder_of(&config("default")))
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
    if form.mnemonic == "ATOM" && r.below(8) == 0 {
        // A reduction.
        bits = DST2.put(bits, 63);
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
fn registers(form: &Form<Operand>, word: u64, r: &mut Random) -> u32 {
    let dst = if form.mnemonic == "ATOM" { DST2 } else { DST };
    match r.below(6) {
        0 => 2 + r.below(254),
        1 => dst.get(word.into()) as u32 + r.below(7) + 2,
        _ => ALL,
    }
}

fn every_form(decoder: &Decoder, words: usize, seed: u64) -> Seen {
    let mut r = Random(seed);
    let mut all = Seen::new();
    for form in TABLE.forms() {
        let work = (0..words).map(|_| {
            let word = word_of(form, &mut r);
            let registers = registers(form, word, &mut r);
            decoder.at(word.into(), registers, &mut r)
        });
        let work: Vec<Work> = work.collect();
        all.extend(decoder.check(&work).into_iter().filter(|s| s.0 .0.is_some()));
    }
    all
}

#[test]
fn every_form_decodes_to_what_its_micro_operations_ask_for() {
    let seen = every_form(decoder(), 3000, 0x5EED_0F01);
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
    every_form(&decoder_of(&config("tiny")), 300, 0x5EED_0F02);
}

#[test]
fn every_form_and_modifier_decodes_where_there_are_doubles() {
    let decoder = decoder_of(&with_doubles());
    let seen = every_form(&decoder, 3000, 0x5EED_0F08);
    let row = |name: &str| TABLE.forms().iter().position(|f| f.name == name);
    for name in ["DADD_R", "DFMA_RC", "DSETP_I", "F2F_F64_F32_C", "F2I_F64_R", "I2F_F64_R"] {
        let sound = *seen.get(&(row(name), 0)).unwrap_or(&0);
        assert!(sound > 300, "{name}: {sound} sound");
    }
    every_modifier(&decoder, 0x5EED_0F09);
}

#[test]
fn every_form_and_modifier_decodes_where_there_are_atomics() {
    let row = |name: &str| TABLE.forms().iter().position(|f| f.name == name);
    for cfg in [with_atomics(), GpuConfig { double: true, ..with_atomics() }] {
        let decoder = decoder_of(&cfg);
        let seen = every_form(&decoder, 1500, 0x5EED_0F0B);
        for name in ["RED", "ATOM", "ATOM_EXCH", "ATOM_CAS"] {
            let sound = *seen.get(&(row(name), 0)).unwrap_or(&0);
            assert!(sound > 200, "{name}: {sound} sound");
        }
        let lacks = (row("ATOM_CAS"), TrapCause::Unimplemented.number());
        assert!(seen.get(&lacks).is_some_and(|n| *n > 200), "ATOM.E.CAS has four registers");
        every_modifier(&decoder, 0x5EED_0F0C);
    }
}

/// Wrong decoders of a chip are noticed.
fn notices_mutants(cfg: &GpuConfig, seed: u64) {
    let mut r = Random(seed);
    let forms = TABLE.forms().iter().flat_map(|form| [form; 4]);
    let decoder = decoder_of(cfg);
    let work: Vec<Work> = forms.map(|form| decoder.at(word_of(form, &mut r).into(), ALL, &mut r)).collect();
    decoder.notices_mutants(&FermiDecode::new(cfg), &["f_"], &work);
}

#[test]
fn a_mutated_decoder_with_atomics_is_noticed() {
    notices_mutants(&with_atomics(), 0x5EED_0F0D);
}

#[test]
fn a_mutated_decoder_with_doubles_is_noticed() {
    notices_mutants(&with_doubles(), 0x5EED_0F0A);
}

#[test]
fn random_words_are_illegal_where_the_table_says_so() {
    let mut r = Random(0x5EED_0F03);
    let (mut illegal, mut all) = (0, 0);
    for _ in 0..20 {
        let work: Vec<Work> = (0..50_000).map(|_| decoder().at(word(&mut r).into(), ALL, &mut r)).collect();
        for ((_, cause), n) in decoder().check(&work) {
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
    let mut r = Random(0x5EED_0F04);
    let s2r = 0x2c00_0000_0000_1c04u128;
    let numbers = (0..256).flat_map(|n| (3..=66).map(move |registers| (n, registers)));
    let work: Vec<Work> = numbers.map(|(n, registers)| decoder().at(s2r | n << 26, registers, &mut r)).collect();
    decoder().check(&work);
}

/// Every value of the modifiers of each form where they have few bits, with registers as they come.
#[test]
fn every_modifier_decodes_to_what_its_micro_operations_ask_for() {
    every_modifier(decoder(), 0x5EED_0F06);
}

fn every_modifier(decoder: &Decoder, seed: u64) {
    let mut r = Random(seed);
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
            decoder.at(word, ALL, &mut r)
        });
        let work: Vec<Work> = work.collect();
        all += work.len();
        decoder.check(&work);
    }
    println!("{all} instructions");
}

/// Each wrong bit that an instruction asks for is noticed, and the control word of another instruction.
#[test]
fn a_wrong_control_word_is_noticed() {
    let mut r = Random(0x5EED_0F05);
    for form in TABLE.forms() {
        let work = decoder().at(word_of(form, &mut r).into(), ALL, &mut r);
        decoder().notices_wrong_bits(&work);
        let other = Work { code: work.code ^ 1 << 3, ..work };
        let illegal = Fermi.decode(&work.code.to_le_bytes()[..8]).is_err();
        assert_ne!(decoder().tells(&work, &other), illegal, "{}", form.name);
    }
}

/// A decoder of which one field of the control word is inverted is noticed, whichever field it is.
#[test]
fn a_mutated_decoder_is_noticed() {
    let mut r = Random(0x5EED_0F07);
    let forms = TABLE.forms().iter().flat_map(|form| [form; 4]);
    let work: Vec<Work> = forms
        .map(|form| {
            let word = word_of(form, &mut r);
            decoder().at(word.into(), ALL, &mut r)
        })
        .collect();
    decoder().notices_mutants(&FermiDecode::new(&config("default")), &["f_"], &work);
}
