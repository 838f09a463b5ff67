//! Ivy Bridge's decoder gives the control word that the instruction asks for as a chip executes it.

use crate::support::decoder::{Decoder, Seen, Work};
use crate::support::Random;
use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;
use warpsmith_contract::TrapCause;
use warpsmith_hdl::config::{GpuConfig, Isa};
use warpsmith_hdl::sm::control::encode::ivb;
use warpsmith_hdl::sm::pipeline::decode::ivb::IvbDecode;
use warpsmith_isa::ivb::chip::{on_chip, Action, OnChip, EXECUTED};
use warpsmith_isa::ivb::fields::*;
use warpsmith_isa::ivb::table::{Format, Op, OPS};
use warpsmith_isa::ivb::{compacted, Ivb};
use warpsmith_isa::set::{assemble, Field, InstructionSet};
use warpsmith_isa::uop::Space;

fn config(name: &str) -> GpuConfig {
    GpuConfig { isa: Isa::Ivb, ..GpuConfig::named(name).expect("a known configuration") }
}

fn decoder_of(name: &str) -> Decoder {
    let cfg = config(name);
    let decode = |w: &Work, launch: &_| ivb::decode(w.code, w.pc, launch);
    Decoder::new(&Ivb, 4, &cfg, &IvbDecode::new(&cfg), decode)
}

/// The decoder of the default configuration, built once for all tests.
fn decoder() -> &'static Decoder {
    static DECODER: OnceLock<Decoder> = OnceLock::new();
    DECODER.get_or_init(|| decoder_of("default"))
}

fn wide(r: &mut Random) -> u128 {
    (0..4).fold(0, |bits, _| bits << 32 | u128::from(r.word()))
}

fn pick<T: Copy>(r: &mut Random, of: &[T]) -> T {
    of[r.below(of.len() as u32) as usize]
}

/// One of `often`, or some value.
fn mostly(r: &mut Random, often: &[u64], width: u32) -> u64 {
    match r.below(20) {
        0 => u64::from(r.below(1 << width)),
        _ => pick(r, often),
    }
}

/// A general register, often one of the last; few that there are not.
fn register(r: &mut Random) -> u64 {
    let any = r.below(128).into();
    mostly(r, &[126, 127, any, any, any], 8)
}

/// Types that meet: of integers, or of floats.
struct Types {
    float: bool,
    dwords: bool,
}

impl Types {
    fn one(&self, r: &mut Random) -> u64 {
        match (self.float, self.dwords) {
            (true, _) => mostly(r, &[7], 3),
            (_, true) => mostly(r, &[0, 0, 1], 3),
            _ => mostly(r, &[0, 1, 2, 3], 3),
        }
    }
}

/// The fields of a source of an execution size, mostly a region that chips have.
fn source(r: &mut Random, s: &Source, kind: u64, exec: u64) -> Vec<(Field, u64)> {
    let word = matches!(kind, 2 | 3);
    // Vertical stride, width, horizontal stride, byte.
    let scalar = (0, 0, 0, if word { 2 * r.below(16) } else { 4 * r.below(8) });
    let row = match (word, r.below(2)) {
        (false, _) => (4, 3, 1, 0),
        (true, 0) => (5, 3, 2, 2 * r.below(2)),
        _ if exec == 4 && r.below(2) == 0 => (5, 4, 1, 0),
        _ => (4, 3, 1, 16 * r.below(2)),
    };
    let region = if exec == 0 || r.below(4) == 0 { scalar } else { row };
    let mut fields = vec![
        (s.file, mostly(r, &[1], 2)),
        (s.kind, kind),
        (s.reg, register(r)),
        (s.vertical, region.0),
        (s.width, region.1),
        (s.horizontal, region.2),
        (s.sub, region.3.into()),
        (s.neg, (r.below(5) == 0).into()),
        (s.abs, (r.below(9) == 0).into()),
    ];
    if r.below(25) == 0 {
        let n = r.below(fields.len() as u32) as usize;
        fields[n].1 = r.word().into();
    }
    fields
}

/// Descriptor and shared function of a message with so many channels, mostly one that chips have.
fn message(r: &mut Random, sixteen: bool) -> (u64, u64) {
    let each = if sixteen { 2 } else { 1 };
    let surface = mostly(r, &[254, 255], 8);
    let write = r.below(2);
    let header = u64::from(r.below(2));
    let (kind, control, addresses, moved, header) = match r.below(8) {
        0..=2 => {
            let n = 1 + u64::from(r.below(4));
            let out = 15 & !((1 << n) - 1);
            (5, if sixteen { 1 } else { 2 } << 4 | out, each, n * each, header)
        }
        3 => (3, if sixteen { 3 } else { 2 }, each, each, 1),
        4 => (4, u64::from(sixteen) | u64::from(r.below(3)) << 2, each, each, 1),
        5 => {
            let (code, n) = pick(r, &[(0, 1), (2, 1), (3, 2), (1, 1), (4, 4)]);
            (0, code, 0, n, 1)
        }
        6 => return (mostly(r, &[0x0200_0014, 0x0200_0004, 0x0219_e000], 29), pick(r, &[3, 10, 7])),
        _ => return (0x0200_0010, 7),
    };
    let (sent, back) = if write == 1 { (addresses + moved, 0) } else { (addresses, moved) };
    let kind = kind | u64::from(write) << 3;
    let bits = surface | control << 8 | kind << 14 | header << 19 | back << 20 | (sent + header) << 25;
    let bits = if r.below(12) == 0 { bits ^ 1 << r.below(29) } else { bits };
    (bits, mostly(r, &[10], 4))
}

/// An instruction of an opcode; many legal and of the profile.
fn word_of(op: &Op, r: &mut Random) -> u128 {
    let mut bits = u128::from(op.opcode);
    if op.format == Format::Bare {
        return bits | u128::from(r.below(2)) << 30;
    }
    let three = op.format == Format::Three;
    let takes = |what: u8| op.takes & what != 0;
    let alone = matches!(op.format, Format::Jump | Format::Wait);
    let flows = op.format.branches() || matches!(op.format, Format::Send | Format::Math);
    let exec = match r.below(8) {
        _ if alone => 0,
        0..=1 if !flows => 0,
        2..=4 => 3,
        _ if three => 3,
        _ => mostly(r, &[3, 4], 3),
    };
    let one = exec == 0;
    let mut put = |field: Field, value: u64| bits = field.put(bits, value);
    put(EXEC, exec);
    put(ALIGN16, three.into());
    put(NO_MASK, u64::from(one) | u64::from(r.below(2)));
    put(THREAD, mostly(r, &[0, 2, 2, 2], 2));
    put(QUARTER, if exec == 3 { mostly(r, &[0, 1], 2) } else { 0 });
    put(NO_CLEAR, r.below(2).into());
    put(NO_CHECK, r.below(2).into());
    put(DEBUG, r.below(2).into());
    put(INVERT, r.below(2).into());
    let groups: &[u64] = if three { &[0, 1, 6, 7] } else { &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] };
    if takes(1) && r.below(2) == 0 || op.name == "sel" {
        put(PREDICATE, if one { 1 } else { mostly(r, groups, 4) });
    }
    if takes(2) && r.below(6) == 0 {
        put(SATURATE, 1);
    }
    let compares = op.name.starts_with("cmp");
    if takes(4) && (compares || r.below(3) == 0) {
        put(CONDITION, mostly(r, &[1, 2, 3, 4, 5, 6, 1, 2, 9], 4));
        if op.name == "sel" {
            put(PREDICATE, 0);
        }
    }
    if r.below(60) == 0 {
        put(ACC_WRITE, 1);
    }
    let [flag, sub] = if three { [three::FLAG, three::FLAG_SUB] } else { [FLAG, FLAG_SUB] };
    put(flag, r.below(2).into());
    put(sub, r.below(2).into());

    let float = match op.sources {
        "F" | "F DF" => true,
        "W UW" | "int" | "UD D" | "D UD" | "UD" | "*D *W *B" | "UB UW UD" => false,
        _ => op.format == Format::Math || r.below(2) == 0,
    };
    let types = Types { float, dwords: matches!(op.sources, "UD D" | "D UD" | "UD") || r.below(3) == 0 };
    if three {
        let code = |r: &mut Random| if matches!(op.name, "mad" | "lrp") { 0 } else { 1 + u64::from(r.below(2)) };
        put(three::SRC_TYPE, code(r));
        put(three::DST_TYPE, code(r));
        put(three::CHANNELS, mostly(r, &[15], 4));
        put(three::SUB, if one { r.below(8).into() } else { 0 });
        put(three::REG, register(r));
        for s in THIRDS {
            let scalar = one || r.below(4) == 0;
            put(s.replicate, scalar.into());
            put(s.swizzle, if scalar { r.below(256).into() } else { mostly(r, &[0xe4], 8) });
            put(s.sub, if scalar { r.below(8).into() } else { 0 });
            put(s.reg, register(r));
            if matches!(op.name, "mad" | "lrp") || r.below(20) == 0 {
                put(s.neg, r.below(2).into());
                put(s.abs, r.below(2).into());
            }
        }
        return bits;
    }
    // The destination.
    let to = match op.name {
        "f32to16" => 3,
        "f16to32" => 7,
        "lzd" | "fbh" | "fbl" | "cbit" | "bfrev" => 0,
        "mov" => pick(r, &[0, 1, 2, 3, 7]),
        _ => types.one(r),
    };
    let word = matches!(to, 2 | 3);
    let null = r.below(if op.format == Format::Send { 2 } else { 6 }) == 0;
    let sub = match (one, word) {
        (true, true) => 2 * r.below(16),
        (true, false) => 4 * r.below(8),
        (false, true) => 2 * r.below(2),
        _ => 0,
    };
    put(DST_TYPE, to);
    put(DST_FILE, (!null).into());
    put(DST_REG, if null { 0 } else { register(r) });
    put(DST_SUB, if op.format == Format::Send { 0 } else { sub.into() });
    put(DST_STRIDE, if word || op.name == "f32to16" { 2 } else { mostly(r, &[1], 2) });
    match op.format {
        Format::Wait => {
            put(DST_FILE, 0);
            put(DST_REG, 0x90);
            put(DST_SUB, 0);
            put(SOURCES[0].file, 0);
            return bits;
        }
        Format::Jip | Format::JipUip => {
            put(SOURCES[1].file, 3);
            put(JIP, r.word().into());
            put(UIP, if op.format == Format::Jip { 0 } else { r.word().into() });
            if r.below(2) == 0 {
                put(JIP, r.below(64).into());
            }
            return bits;
        }
        Format::Jump => {
            put(SOURCES[1].file, 3);
            put(SOURCES[1].kind, 1);
            let near = r.word() as i32 >> pick(r, &[0, 16, 20, 24]);
            put(IMMEDIATE, near as u32 as u64);
            return bits;
        }
        _ => {}
    }
    let kind = match op.name {
        "mov" => pick(r, &[0, 1, 2, 3, 7]),
        "f16to32" => pick(r, &[2, 3]),
        "cbit" => pick(r, &[0, 2]),
        "lzd" | "bfrev" | "fbl" => 0,
        "sel" if r.below(2) == 0 => to,
        _ => types.one(r),
    };
    for (field, value) in source(r, &SOURCES[0], kind, exec) {
        put(field, value);
    }
    let [a, b] = SOURCES;
    match op.format {
        Format::One if r.below(3) == 0 => {
            put(a.file, 3);
            put(IMMEDIATE, r.word().into());
        }
        Format::One => {}
        Format::Send => {
            let (descriptor, target) = message(r, exec == 4);
            put(a.sub, 0);
            put(b.file, 3);
            put(IMMEDIATE, descriptor);
            put(CONDITION, target);
            if target == 7 {
                put(END, 1);
                put(PREDICATE, 0);
                put(DST_FILE, 0);
                put(DST_REG, 0);
            }
        }
        Format::Math => {
            let function = mostly(r, &[1, 2, 3, 4, 5, 6, 7, 9, 9, 10, 10], 4);
            put(CONDITION, function);
            put(a.neg, 0);
            put(a.abs, 0);
            if matches!(function, 9 | 10) {
                for (field, value) in source(r, &b, kind, exec) {
                    put(field, if field == b.neg || field == b.abs { 0 } else { value });
                }
            } else {
                put(b.vertical, r.below(7).into());
                put(b.width, r.below(5).into());
            }
        }
        _ => {
            let kind = if r.below(3) == 0 {
                kind
            } else if op.name == "sel" {
                to
            } else {
                types.one(r)
            };
            match r.below(3) {
                0 => {
                    put(b.file, 3);
                    put(b.kind, kind);
                    put(IMMEDIATE, (r.word() >> pick(r, &[0, 1, 20])).into());
                }
                _ => {
                    for (field, value) in source(r, &b, kind, exec) {
                        put(field, value);
                    }
                }
            }
        }
    }
    bits
}

/// The instruction as a chip executes it.
fn chip(bits: u128) -> Option<OnChip> {
    on_chip(&Ivb.decode(&bits.to_le_bytes()).ok()?, 0).ok()
}

fn opcode(name: &str) -> &'static Op {
    OPS.iter().find(|op| op.name == name).expect("an opcode")
}

/// Words of every opcode of the profile, and with a few bits changed.
fn words(each: usize, r: &mut Random) -> Vec<u128> {
    let mut out = vec![];
    for name in EXECUTED {
        for _ in 0..each {
            let bits = word_of(opcode(name), r);
            out.push(bits);
            // Every bit by turns, and several.
            let flips = 1 + r.below(8) / 7;
            out.push((0..flips).fold(bits, |bits, _| bits ^ 1 << r.below(128)));
            let short = Ivb.decode(&bits.to_le_bytes()).ok().and_then(|i| compacted(&i));
            if let Some(short) = short {
                let behind = wide(r) << 64;
                out.push(short.code.bits() | behind);
                out.push((short.code.bits() | behind) ^ 1 << r.below(64));
            }
        }
    }
    out
}

/// The steps of an instruction somewhere in the program.
fn steps(decoder: &Decoder, bits: u128, r: &mut Random) -> Vec<Work> {
    let first = decoder.at(bits, 0, r);
    let count = chip(bits).map_or(1, |c| c.steps()) as u32;
    (0..count).map(|n| Work { pc: first.pc + n, ..first }).collect()
}

fn check(decoder: &Decoder, words: &[u128], r: &mut Random) -> Seen {
    let work: Vec<Work> = words.iter().flat_map(|bits| steps(decoder, *bits, r)).collect();
    decoder.check(&work)
}

/// Instructions of an opcode that ended with a trap cause.
fn count(seen: &Seen, name: &str, cause: u8) -> usize {
    let of_name = seen.iter().filter(|s| s.0 .1 == cause && s.0 .0.is_some_and(|row| OPS[row].name == name));
    of_name.map(|s| s.1).sum()
}

#[test]
fn every_opcode_decodes_to_what_a_chip_executes() {
    let mut r = Random(0x5EED_0140);
    let words = words(3000, &mut r);
    let seen = check(decoder(), &words, &mut r);
    let sound: usize = seen.iter().filter(|s| s.0 .1 == 0).map(|s| s.1).sum();
    println!("{} words, {sound} executed", words.len());
    for name in EXECUTED.iter().filter(|n| **n != "illegal") {
        let sound = count(&seen, name, 0);
        println!("{name}: {sound}");
        assert!(sound > 500, "{name}: {sound} instructions that the chip has");
    }
    assert!(count(&seen, "illegal", 0) > 100, "{seen:?}");
}

/// Messages of every kind are among the words.
#[test]
fn words_of_the_test_have_every_message_and_branch() {
    let mut r = Random(0x5EED_0141);
    let chips: Vec<OnChip> = words(1500, &mut r).into_iter().filter_map(chip).collect();
    let mut messages = BTreeMap::new();
    let mut branches = HashMap::new();
    let mut barriers = 0;
    for c in &chips {
        match &c.action {
            Action::Transfer(t) => {
                let shared = t.space == Space::Shared;
                *messages.entry((t.block, t.bytes, t.components, t.write, shared)).or_insert(0) += 1;
            }
            Action::Branch(f) => *branches.entry(std::mem::discriminant(f)).or_insert(0) += 1,
            Action::Barrier => barriers += 1,
            _ => {}
        }
    }
    let kinds =
        [(false, 1, 1), (false, 2, 1), (false, 4, 1), (false, 4, 2), (false, 4, 3), (false, 4, 4), (true, 4, 1)];
    for (block, bytes, components) in kinds {
        for (write, shared) in [(false, false), (false, true), (true, false), (true, true)] {
            let n = messages.get(&(block, bytes, components, write, shared)).copied().unwrap_or(0);
            assert!(n > 5, "block {block}, {bytes} bytes, {components}, write {write}, shared {shared}: {n}");
        }
    }
    // if, else, endif, break, cont, halt, while, brd, brc, jmpi.
    assert!(branches.len() == 10 && branches.values().all(|n| *n > 50), "{branches:?}");
    assert!(barriers > 50, "{barriers}");
    let ends = chips.iter().filter(|c| c.action == Action::End).count();
    let nothing = chips.iter().filter(|c| c.action == Action::Nothing && c.predicate.is_some()).count();
    println!("{} on the chip, {ends} end, {nothing} do nothing", chips.len());
    assert!(ends > 50 && nothing > 10, "{ends} {nothing}");
}

#[test]
fn every_opcode_decodes_in_a_chip_of_32_lanes() {
    let mut r = Random(0x5EED_0142);
    let words = words(200, &mut r);
    check(&decoder_of("wide"), &words, &mut r);
}

#[test]
fn random_bytes_decode_or_trap_as_the_set_says() {
    let mut r = Random(0x5EED_0143);
    let words: Vec<u128> = (0..200_000).map(|_| wide(&mut r)).collect();
    let seen = check(decoder(), &words, &mut r);
    for cause in [TrapCause::Illegal, TrapCause::Unimplemented] {
        assert!(seen.keys().any(|k| k.1 == cause.number()), "{cause:?}");
    }
}

/// Each wrong bit that an instruction asks for is noticed.
#[test]
fn a_wrong_control_word_is_noticed() {
    let mut r = Random(0x5EED_0144);
    for bits in words(4, &mut r) {
        steps(decoder(), bits, &mut r).iter().for_each(|work| decoder().notices_wrong_bits(work));
    }
}

/// A decoder of which a rule or a field is inverted is noticed.
#[test]
fn a_mutated_decoder_is_noticed() {
    let mut r = Random(0x5EED_0145);
    let work: Vec<Work> = words(400, &mut r).into_iter().flat_map(|bits| steps(decoder(), bits, &mut r)).collect();
    let by_hand = [
        "f_", "no_", "wrong_", "compares_", "mixed_", "reserved", "high_half", "half_of", "selects_", "needs_",
        "second_", "waits_", "writes_", "message_", "lacks", "moved", "near", "far", "loses_", "s0_", "s1_", "dst_",
        "third_", "t0_", "t1_", "t2_", "written", "number_is", "control_entry", "datatype_entry", "src0_entry",
        "src1_entry", "subreg_entry", "sequence_", "step_", "goes_on", "denormals", "signless",
    ];
    decoder().notices_mutants(&IvbDecode::new(&config("default")), &by_hand, &work);
}

#[test]
fn every_instruction_of_the_kernels_is_on_the_chip() {
    let kernels = [
        include_str!("../../kernels/ivb/collatz/collatz.asm"),
        include_str!("../../kernels/ivb/mandelbrot/mandelbrot.asm"),
        include_str!("../../kernels/ivb/matmul_float_tiled/matmul_float_tiled.asm"),
        include_str!("../../kernels/ivb/reduction/reduction.asm"),
        include_str!("../../kernels/ivb/saxpy/saxpy.asm"),
        include_str!("../../kernels/ivb/vector_add/vector_add.asm"),
    ];
    let mut work = vec![];
    for text in kernels {
        let program = assemble(&Ivb, text, "kernel.asm").expect("a kernel");
        let mut at = 0;
        while at < program.bytes.len() {
            let rest = &program.bytes[at..];
            let code = rest[..rest.len().min(16)].iter().rev().fold(0, |code, byte| code << 8 | u128::from(*byte));
            let instr = Ivb.decode(rest).expect("an instruction");
            let pc = at as u32;
            work.push(Work { code, pc, registers: 0 });
            if let Some(short) = compacted(&instr) {
                work.push(Work { code: short.code.bits(), pc, registers: 0 });
            }
            at += instr.code.len();
        }
    }
    let seen = decoder().check(&work);
    println!("{} instructions: {seen:?}", work.len());
    let refused = work.iter().filter(|w| chip(w.code).is_none());
    let refused: Vec<String> =
        refused.map(|w| Ivb.print(&Ivb.decode(&w.code.to_le_bytes()).expect("one"), 0)).collect();
    assert!(refused.is_empty(), "{refused:#?}");
}
