//! Every opcode with random operands: it executes, or names what is not implemented; nothing panics.

use super::bench::Bench;
use std::collections::BTreeMap;
use warpsmith_isa::ivb::Ivb;
use warpsmith_isa::set::{Code, Instr, InstructionSet};
use warpsmith_testkit::Random;

/// An instruction of each row.
fn samples() -> Vec<Instr> {
    let rows = 0..Ivb.rows().len();
    rows.map(|row| Ivb.sample(row).expect("a text of every opcode")).collect()
}

/// A random instruction of a sample's row: the sample with some of its bits changed.
fn random(sample: &Instr, r: &mut Random) -> Option<Vec<u8>> {
    let mut bits = sample.code.bits();
    let wide = |r: &mut Random| {
        let words = [r.word(), r.word(), r.word(), r.word()].map(u128::from);
        words[0] | words[1] << 32 | words[2] << 64 | words[3] << 96
    };
    let mut change = wide(r);
    for _ in 0..r.word() % 5 {
        change &= wide(r);
    }
    bits ^= change & !0x2000_007f;
    let code = Code::new(bits, 16).to_vec();
    let instr = Ivb.decode(&code).ok()?;
    (instr.row == sample.row).then_some(code)
}

/// A thread with random registers, all addresses near the start of memory.
fn thread(code: &[u8], r: &mut Random) -> Bench {
    let mut bench = Bench::new(1 + r.word() % 32, code);
    for n in 0..1024 {
        let value = match r.word() % 3 {
            0 => r.word() & 0xfff & !3,
            1 => r.word(),
            _ => r.word() & 0x3fff_ffff | 0x3000_0000,
        };
        bench.set_dword(n, value);
    }
    (0..4).for_each(|n| bench.set_flag(n, r.word() as u16));
    (0..8).for_each(|n| bench.set_address(n, r.word() as u16 & 0xfff));
    (0..32).for_each(|n| bench.set_accumulator(n, u64::from(r.word()) << (r.word() % 32)));
    bench.buffers = vec![(0, 4096); 16];
    bench
}

#[test]
fn every_opcode_executes_with_random_operands() {
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let (mut executed, mut trapped) = (0, 0);
    let (rows, samples) = (Ivb.rows(), samples());
    let mut opcodes = 0;
    for (row, page) in rows.iter().enumerate() {
        let mut r = Random(row as u64 + 77);
        let (mut good, mut tries) = (0, 0);
        while good < 60 && tries < 20_000 {
            tries += 1;
            let Some(code) = random(&samples[row], &mut r) else { continue };
            match thread(&code, &mut r).step() {
                Ok(()) => good += 1,
                Err(e) => {
                    // The reason without the text of the instruction.
                    let reason = e.rsplit("implemented: ").next().unwrap_or(&e);
                    let short: String = reason.chars().take(60).collect();
                    *reasons.entry(short).or_insert(0) += 1;
                    trapped += 1;
                }
            }
        }
        executed += good;
        let never = matches!(page.name, "illegal" | "case");
        assert!(good > 0 || never, "{} never executes", page.name);
        opcodes += usize::from(!never);
    }
    println!("{opcodes} opcodes execute, {executed} instructions; {trapped} trapped:");
    let unimplemented: Vec<_> = reasons.iter().filter(|r| !r.0.starts_with("access")).collect();
    for (reason, n) in unimplemented {
        println!("  {n}: {reason}");
    }
    assert_eq!(opcodes, rows.len() - 2);
}

#[test]
fn random_programs_never_panic() {
    let samples = samples();
    let (mut steps, mut ends, mut traps) = (0, 0, 0);
    let mut r = Random(99);
    for _ in 0..1000 {
        let mut code = Vec::new();
        while code.len() < 16 * 24 {
            let sample = &samples[r.word() as usize % samples.len()];
            if let Some(instr) = random(sample, &mut r) {
                code.extend(instr);
            }
        }
        let mut bench = thread(&code, &mut r);
        for _ in 0..400 {
            match bench.step() {
                Ok(()) => steps += 1,
                Err(_) => {
                    traps += 1;
                    break;
                }
            }
            if bench.thread.is_finished() {
                ends += 1;
                break;
            }
        }
    }
    println!("{steps} instructions, {ends} ends, {traps} traps");
}
