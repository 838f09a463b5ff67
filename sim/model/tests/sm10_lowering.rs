//! SM 1.0's arithmetic as micro-operations against the model of the chip, lane by lane.

use crate::common::reference::{cases_times, Operands};
use std::collections::BTreeMap;
use std::fmt::Write;
use warpsmith_isa::sm10::lower;
use warpsmith_isa::uop::{Place, Src as Source, Uop};
use warpsmith_isa::{assemble, decode_in, encode_in, Dst, Instr, Marker, Pred, Semantics, Src, Tier, ROWS};
use warpsmith_model::uop::eval;
use warpsmith_model::RetiredDst;
use warpsmith_model::{Launch, Machine, ModelConfig, Retired};
use warpsmith_testkit::Random;

/// A random instruction of a row with a result: always executed, no flags written, no marker.
fn random(semantics: Semantics, row: usize, r: &mut Random) -> Option<(Instr, [u32; 2])> {
    let form = &ROWS[row];
    let bits = form.match_ | r.bits() & !form.mask;
    let mut i = decode_in(semantics, bits as u32, (bits >> 32) as u32).ok()?;
    (i.pred, i.cdst, i.marker) = (Pred::ALWAYS, None, Marker::None);
    if !matches!(i.dst, Dst::Reg(_) | Dst::Half(_)) {
        return None;
    }
    let (w0, w1) = encode_in(semantics, &i).ok()?;
    // What decodes again is what runs: some forms have no bits for what was taken away.
    let again = decode_in(semantics, w0, w1).ok()?;
    let plain = again.pred.is_always() && again.cdst.is_none() && again.marker == Marker::None;
    plain.then_some((again, [w0, w1]))
}

/// Moves of interesting words into the registers an instruction reads.
fn prologue(i: &Instr, r: &mut Random) -> String {
    let mut text = String::new();
    for s in i.src {
        let register = match s {
            Src::Reg(n) => n,
            Src::Half(h) => h >> 1,
            _ => continue,
        };
        let word = match r.below(3) {
            0 => r.below(70),
            1 => (r.bits() >> r.below(40)) as u32,
            _ => r.any(),
        };
        let _ = writeln!(text, "MVI R{register}, {word:#x};");
    }
    text
}

/// The value that micro-operations give in a lane.
fn value(uops: &[Uop], register: impl Fn(usize) -> u32) -> u64 {
    let mut kept = [0; 16];
    let mut last = 0;
    for u in uops {
        let raw = |s: &Source| match s.place {
            Place::Immediate(v) => v,
            Place::Temporary(n) => kept[usize::from(n)],
            Place::Register { index, byte } => u64::from(register(index.into()) >> (8 * byte)),
            other => panic!("{other:?}"),
        };
        let raw: Vec<u64> = u.src.iter().map(raw).collect();
        last = eval(u, &raw)[0];
        if let Place::Temporary(n) = u.dst[0] {
            kept[usize::from(n)] = last;
        }
    }
    last
}

#[test]
fn lowered_arithmetic_gives_what_the_chips_model_gives() {
    let (mut rows, mut instructions, mut lanes) = (0, 0u64, 0u64);
    let mut refused: BTreeMap<String, u64> = BTreeMap::new();
    for row in 0..ROWS.len() {
        let semantics = if Semantics::G80.has(row) { Semantics::G80 } else { Semantics::FlexGripPlus };
        let tier = Tier::full().read_as(semantics);
        let mut r = Random(row as u64 + 1000);
        let mut compared = 0;
        for n in 0..cases_times(1500, 5) {
            let Some((i, words)) = random(semantics, row, &mut r) else { continue };
            let uops = match lower::result(&i) {
                Ok(uops) => uops,
                Err(reason) => {
                    *refused.entry(reason.to_string()).or_default() += 1;
                    continue;
                }
            };
            let mut code = assemble(&prologue(&i, &mut r), "prologue").expect("moves").words;
            if n % 3 == 0 {
                // Registers as they come: other words in every lane.
                code.clear();
            }
            let before = code.len() / 2;
            code.extend(words);
            let launch = Launch { registers: 128, ..Launch::from_words("lowered", code) };
            let config = ModelConfig { fill: Some(r.bits()), tier, ..ModelConfig::default() };
            let mut m = Machine::new(&launch, config);
            let block = m.start_block([0, 0]);
            let mut record = Retired::default();
            for _ in 0..before {
                m.step(block, 0, &mut record).expect("a move");
            }
            let warp = m.warp(block, 0).expect("the warp").clone();
            m.step(block, 0, &mut record).expect("arithmetic");
            let mask = match record.dst {
                RetiredDst::Gpr { .. } => u32::MAX,
                _ => 0xffff,
            };
            for lane in 0..32 {
                let got = value(&uops, |n| warp.registers[n][lane]) as u32;
                let want = record.values[0][lane] & mask;
                assert_eq!(
                    got,
                    want,
                    "{} in lane {lane}: sources {:x?}\n{uops:#x?}",
                    warpsmith_isa::text(&i),
                    i.src.map(|s| match s {
                        Src::Reg(n) => warp.registers[usize::from(n)][lane],
                        Src::Half(h) => warp.registers[usize::from(h >> 1)][lane],
                        _ => 0,
                    })
                );
                lanes += 1;
            }
            compared += 1;
        }
        rows += u32::from(compared > 0);
        instructions += compared;
    }
    println!("{rows} rows, {instructions} instructions, {lanes} lanes");
    for (reason, n) in &refused {
        println!("  {n} refused: {reason}");
    }
    assert!(rows >= 95, "{rows} rows");
}
