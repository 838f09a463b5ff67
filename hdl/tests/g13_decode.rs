//! G13's decoder gives the control word that the micro-operations of the instruction ask for.

use crate::support::decoder::{Decoder, Seen, Work};
use crate::support::Random;
use std::sync::OnceLock;
use warpsmith_contract::TrapCause;
use warpsmith_hdl::config::{GpuConfig, Isa};
use warpsmith_hdl::sm::control::encode::g13;
use warpsmith_hdl::sm::pipeline::decode::g13::G13Decode;
use warpsmith_isa::g13::operand::{Kind, Operand};
use warpsmith_isa::g13::table::TABLE;
use warpsmith_isa::g13::G13;
use warpsmith_isa::set::{assemble, low_bits, Form, InstructionSet, Status};

/// Bits of the longest instruction.
const LONGEST: u32 = 96;

fn config(name: &str) -> GpuConfig {
    GpuConfig { isa: Isa::G13, ..GpuConfig::named(name).expect("a known configuration") }
}

fn decoder_of(cfg: &GpuConfig) -> Decoder {
    let decode = |w: &Work, launch: &_| g13::decode(&w.code.to_le_bytes()[..12], w.pc, launch);
    Decoder::new(&G13, 3, cfg, &G13Decode::new(cfg), decode)
}

/// The decoder of the default configuration, built once for all tests.
fn decoder() -> &'static Decoder {
    static DECODER: OnceLock<Decoder> = OnceLock::new();
    DECODER.get_or_init(|| decoder_of(&config("default")))
}

fn bytes(r: &mut Random) -> u128 {
    (0..4).fold(0, |bits, _| bits << 32 | u128::from(r.word())) & low_bits(LONGEST)
}

/// An instruction of a form, random where the form leaves it free; many legal.
fn bytes_of(form: &Form<Operand>, r: &mut Random) -> u128 {
    let field = |name: &str| *form.all_fields().iter().find(|f| f.name == name).expect("a field");
    let mut bits = bytes(r);
    for o in form.operands {
        // Few of the registers that stand for 32 bits are even.
        if r.below(2) == 0 {
            bits &= !(1 << o.fields[0].parts[0].0);
        }
    }
    // Few modes are legal where all bits are random.
    if form.name == "convert" {
        let modes = [0, 1, 4, 5, 6, 7, 8, 9, 10, 11];
        let mode = modes[r.below(10) as usize];
        bits = bits & !(0x3f << 16 | 3 << 26) | mode << 16 | u128::from(r.below(2)) << 26;
    }
    // The last register, which no pair begins with.
    if form.name.ends_with("add") && r.below(4) == 0 {
        let sources = form.operands.iter().filter(|o| o.kind == Kind::AddSrc);
        bits = sources.fold(bits, |bits, o| o.fields[1].put(o.fields[0].put(bits, 254), 13));
    }
    // Special registers that have a meaning.
    if form.name == "get_sr" && r.below(2) == 0 {
        bits = form.operands[1].fields[0].put(bits, r.below(84).into());
    }
    // Few registers, of which some are the same.
    if form.name.ends_with("cmpsel") && r.below(2) == 0 {
        bits = form.operands[2..].iter().fold(bits, |bits, o| o.fields[0].put(bits, r.below(4).into()));
    }
    // Rows of low registers over base and index, which are registers: few are where all bits are random.
    if form.name == "threadgroup_load" && r.below(2) == 0 {
        let high = [(11, 4), (18, 4), (22, 2), (24, 4), (30, 3), (34, 1), (36, 4), (48, 14)];
        bits = high.into_iter().fold(bits, |bits, (at, n)| bits & !(((1 << n) - 1) << at));
        bits |= 1 << 8 | u128::from(r.below(3)) << 24 | 0xf << 36;
    }
    if form.name == "uniform_store" && r.below(4) != 0 {
        // A uniform that there is, in halves.
        bits = field("F").put(field("Ot").put(bits, 1), (1 + 2 * r.below(2)).into());
        bits = field("O").put(bits, r.below(520).into());
    }
    let accesses = ["device_load", "device_store", "stack_load", "stack_store"].contains(&form.name);
    if accesses && r.below(2) == 0 {
        // One element of a format that is not converted, mostly by a number.
        bits = field("F").put(field("mask").put(bits, 1), r.below(4).into());
    }
    if form.name == "atomic" && r.below(2) == 0 {
        // Operations that have a meaning are few, of registers with even numbers.
        bits = field("op").put(bits, r.below(11).into());
        bits &= !(1 << 48);
    }
    bits & !form.mask | form.match_
}

fn registers(r: &mut Random) -> u32 {
    match r.below(4) {
        0 => 3 + r.below(126),
        _ => 130,
    }
}

fn every_form(decoder: &Decoder, most: usize, seed: u64) -> (usize, Seen) {
    let mut r = Random(seed);
    let (mut n, mut all) = (0, Seen::new());
    for form in TABLE.forms() {
        let words = match form.status {
            Status::Specified | Status::Decided => most,
            _ => most / 30,
        };
        let work = (0..words).map(|_| decoder.at(bytes_of(form, &mut r), registers(&mut r), &mut r));
        let work: Vec<Work> = work.collect();
        n += work.len();
        for (key, count) in decoder.check(&work) {
            *all.entry(key).or_insert(0) += count;
        }
    }
    (n, all)
}

/// Instructions of a form that ended with a trap cause.
fn count(seen: &Seen, form: &str, cause: u8) -> usize {
    let of_form = seen.iter().filter(|s| s.0 .1 == cause && s.0 .0.is_some_and(|row| TABLE.forms()[row].name == form));
    of_form.map(|s| s.1).sum()
}

#[test]
fn every_form_decodes_to_what_its_micro_operations_ask_for() {
    let (n, seen) = every_form(decoder(), 3000, 0x5EED_0132);
    let executed = seen.iter().filter(|s| s.0 .1 == 0).filter_map(|s| s.0 .0);
    let executed: Vec<&str> = executed.map(|row| TABLE.forms()[row].name).collect();
    println!("{n} instructions, {} forms on the chip: {executed:?}", executed.len());
    let refused = count(&seen, "threadgroup_load", TrapCause::Unimplemented.number());
    println!("{refused} loads of threadgroup memory that the chip lacks");
    assert!(refused > 200, "{seen:?}");
    for form in executed {
        let sound = count(&seen, form, 0);
        assert!(sound > 20, "{form}: {sound} instructions that the chip has");
    }
}

/// The default configuration with atomic accesses.
fn with_atomics() -> GpuConfig {
    GpuConfig { atomics: true, ..config("default") }
}

#[test]
fn every_form_decodes_where_there_are_atomics() {
    let (_, seen) = every_form(&decoder_of(&with_atomics()), 1000, 0x5EED_0138);
    let sound = count(&seen, "atomic", 0);
    let refused = count(&seen, "atomic", TrapCause::Unimplemented.number());
    assert!(sound > 100 && refused > 50, "{sound} sound, {refused} refused");
    assert_eq!(count(&seen, "threadgroup_atomic", 0), 0);
}

#[test]
fn every_form_decodes_in_a_chip_of_32_lanes() {
    every_form(&decoder_of(&config("wide")), 150, 0x5EED_0134);
}

#[test]
fn random_bytes_decode_or_trap_as_the_table_says() {
    let mut r = Random(0x5EED_0133);
    let work: Vec<Work> = (0..300_000).map(|_| decoder().at(bytes(&mut r), registers(&mut r), &mut r)).collect();
    let seen = decoder().check(&work);
    for cause in [TrapCause::Illegal, TrapCause::Unimplemented, TrapCause::Register] {
        assert!(seen.keys().any(|k| k.1 == cause.number()), "{cause:?}");
    }
}

/// Every special register, wherever the machine's registers are.
#[test]
fn special_registers_are_where_the_launch_puts_them() {
    let mut r = Random(0x5EED_0135);
    let form = TABLE.forms().iter().find(|f| f.name == "get_sr").expect("a row");
    let numbers = (0..256).flat_map(|n| [3, 4, 40, 129, 130].map(|registers| (n, registers)));
    let work = numbers.map(|(n, registers)| {
        let bits = form.operands[1].fields[0].put(bytes_of(form, &mut r), n);
        decoder().at(bits, registers, &mut r)
    });
    decoder().check(&work.collect::<Vec<_>>());
}

/// Each wrong bit that an instruction asks for is noticed, and the control word of another instruction.
#[test]
fn a_wrong_control_word_is_noticed() {
    let mut r = Random(0x5EED_0136);
    for form in TABLE.forms().iter().flat_map(|form| [form; 4]) {
        let work = decoder().at(bytes_of(form, &mut r), 130, &mut r);
        decoder().notices_wrong_bits(&work);
    }
}

/// A decoder of which one field of the control word, or what is made by hand, is inverted is noticed.
#[test]
fn a_mutated_decoder_is_noticed() {
    let mut r = Random(0x5EED_0137);
    // That of a plain chip has no wire that this one lacks.
    let decoder = decoder_of(&with_atomics());
    let forms = TABLE.forms().iter().filter(|f| matches!(f.status, Status::Specified | Status::Decided));
    let forms = forms.flat_map(|form| [form; 40]);
    let work: Vec<Work> = forms.map(|form| decoder.at(bytes_of(form, &mut r), registers(&mut r), &mut r)).collect();
    let by_hand = [
        "sum_lacks", "odd_uniform", "offset_bytes", "base_pair", "beyond", "c_as_", "d_at_", "c_at_3",
        "four_registers", "sum_sat", "sum_to", "stored_first", "stores_half", "store_lacks", "hit_alone", "neighbours",
    ];
    decoder.notices_mutants(&G13Decode::new(&with_atomics()), &[&["f_"], &by_hand[..]].concat(), &work);
}

#[test]
fn every_instruction_of_the_kernels_is_on_the_chip() {
    let kernels = [
        include_str!("../../kernels/g13/collatz/collatz.asm"),
        include_str!("../../kernels/g13/mandelbrot/mandelbrot.asm"),
        include_str!("../../kernels/g13/matmul_tiled/matmul_tiled.asm"),
        include_str!("../../kernels/g13/reduction/reduction.asm"),
        include_str!("../../kernels/g13/saxpy/saxpy.asm"),
        include_str!("../../kernels/g13/vector_add/vector_add.asm"),
    ];
    let mut work = vec![];
    for text in kernels {
        let program = assemble(&G13, text, "kernel.asm").expect("a kernel");
        let mut at = 0;
        while at < program.bytes.len() {
            let rest = &program.bytes[at..];
            let behind = rest[..rest.len().min(12)].iter().rev();
            let code = behind.fold(u128::MAX, |code, byte| code << 8 | u128::from(*byte)) & low_bits(LONGEST);
            let length = G13.decode(rest).expect("an instruction").code.len();
            work.push(Work { code, pc: at as u32, registers: 130 });
            at += length;
        }
    }
    let seen = decoder().check(&work);
    println!("{} instructions: {seen:?}", work.len());
    assert!(seen.keys().all(|k| k.1 == 0), "{seen:?}");
}
