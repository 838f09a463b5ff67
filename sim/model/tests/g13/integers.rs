//! Integer forms with random operands against the formulas of the table, written out on unbounded
//! numbers and fed by the printed text.

use super::forms::instruction;
use super::{register, Bench};
use warpsmith_isa::g13::{table::TABLE, G13};
use warpsmith_isa::set::{Instr, InstructionSet};
use warpsmith_testkit::{cases, Random};

/// A source as the text names it.
struct Source {
    value: u64,
    bits: u32,
    extend: bool,
    number: bool,
}

impl Source {
    fn read(text: &str, bench: &Bench) -> Source {
        if let Ok(value) = text.parse() {
            return Source { value, bits: 16, extend: false, number: true };
        }
        let name = text.split('.').next().unwrap_or(text);
        Source { value: bench.get(name, 0), bits: register(name).1.bits(), extend: text.contains(".sx"), number: false }
    }

    fn signed(&self) -> i128 {
        let v = i128::from(self.value);
        let sign = 1i128 << (self.bits - 1);
        if v & sign != 0 && !self.number {
            v - 2 * sign
        } else {
            v
        }
    }

    fn unsigned(&self) -> i128 {
        self.value.into()
    }

    /// As its flag says.
    fn extended(&self) -> i128 {
        if self.extend {
            self.signed()
        } else {
            self.unsigned()
        }
    }
}

/// The result of a form before it is cut to the destination; `None` for forms that are not checked here.
fn formula(form: &str, field: &dyn Fn(&str) -> u64, s: &[Source], bits: u32) -> Option<i128> {
    let u = |n: usize| s[n].unsigned();
    let word = 0xffff_ffffi128;
    let mask = match field("m") {
        0 => word,
        m => (1 << m) - 1,
    };
    let count = |n: usize| (s[n].value & 0x7f) as u32;
    // Shifts of up to 127 places of 64 bits: by steps, so that nothing is lost.
    let left = |v: i128, n: u32| if n > 64 { 0 } else { v << n };
    let sum = |product: i128, last: usize, widths: &[usize], signs: &[&str]| {
        let addend = s[last].extended() * if field("N") == 1 { -1 } else { 1 };
        let addend = if field("s") > 4 { 0 } else { addend << field("s") };
        let sum = product + addend;
        let narrow = bits <= 32 && widths.iter().all(|n| s[*n].bits <= 32);
        if field("S") == 0 || field("s") != 0 || !narrow {
            return sum;
        }
        match signs.iter().any(|n| field(n) == 1) {
            true => sum.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            false => sum.clamp(0, (1 << bits) - 1),
        }
    };
    Some(match form {
        "iadd" => sum(s[0].extended(), 1, &[0, 1], &["As", "Bs"]),
        "imadd" => {
            let product = s[0].extended() * s[1].extended();
            sum(product, 2, &[2], &["As", "Bs", "Cs"])
        }
        "bfi" => {
            let (m, v) = (left(mask, count(2)), left(u(1) & mask, count(2)));
            u(0) & !m | v
        }
        "bfeil" => u(0) & !mask | u(1) >> count(2) & mask,
        "extr" => (u(1) << 32 | u(0)) >> count(2) & mask,
        "shlhi" => {
            let t = left(mask, count(2).saturating_sub(32));
            let high = match count(2) {
                n @ 0..=64 => (u(1) << n) >> 32,
                _ => 0,
            };
            high & t | u(0) & !t
        }
        "shrhi" => {
            let t = (mask << 32) >> count(2).min(32);
            ((u(1) << 32) >> count(2)) & t | u(0) & !t
        }
        "asr" => s[0].signed() >> count(1),
        "asrh" => (s[0].signed() << 32) >> count(1),
        "bitop" => {
            let table = [field("tt0"), field("tt1"), field("tt2"), field("tt3")];
            if table == [0, 0, 1, 1] || table == [1, 1, 0, 0] {
                return Some(u(0));
            }
            let bit = |i: u32| table[(u(0) >> i & 1 | (u(1) >> i & 1) << 1) as usize];
            (0..32).map(|i| i128::from(bit(i)) << i).sum()
        }
        "bitrev" => (u(0) as u32).reverse_bits().into(),
        "popcount" => u(0).count_ones().into(),
        "ffs" if u(0) == 0 => -1,
        "ffs" => (127 - u(0).leading_zeros()).into(),
        "intl" => (0..16).map(|i| (u(0) >> i & 1) << (2 * i) | (u(1) >> i & 1) << (2 * i + 1)).sum(),
        "icmpsel" => {
            let signed = field("cc") & 4 != 0;
            let value = |n: usize| if signed { s[n].signed() } else { u(n) };
            let (a, b) = (value(0), value(1));
            let holds = match field("cc") & 3 {
                0 => a == b,
                1 => a < b,
                _ => a > b,
            };
            u(if holds { 2 } else { 3 })
        }
        _ => return None,
    })
}

/// Name of the destination, texts of the sources.
fn operands(instr: &Instr) -> (String, Vec<String>) {
    let text = G13.print(instr, 0);
    let (mnemonic, rest) = text.split_once(' ').unwrap_or((&text, ""));
    let mut all: Vec<String> =
        rest.split(", ").filter(|o| !o.starts_with("lsl") && !o.starts_with("mask")).map(str::to_string).collect();
    // A condition or a table comes before the destination.
    if matches!(mnemonic, "icmpsel" | "bitop" | "bitop_mov_a") {
        all.remove(0);
    }
    let dst = all.remove(0);
    let dst = dst.split('.').next().unwrap_or(&dst).to_string();
    // The short forms leave source B out, which is 0.
    if matches!(mnemonic, "mov" | "not") {
        all.push("0".into());
    }
    (dst, all)
}

#[test]
fn integer_forms_follow_their_formulas() {
    let rounds = cases(1_500, 50_000);
    let mut random = Random(11);
    let (mut compared, mut forms) = (0, 0);
    const CORNERS: [u64; 8] = [0, 1, 31, 32, 0x7fff, 0x8000, 0x7fff_ffff, 0xffff_ffff];
    for (row, form) in TABLE.forms().iter().enumerate() {
        let before = compared;
        for _ in 0..rounds {
            let Some(instr) = instruction(row, &mut random) else { break };
            let fields = G13.fields(&instr).values;
            let field = |name: &str| fields.iter().find(|f| f.0 == name).map_or(0, |f| f.1);
            // Forms of other kinds, before their operands are looked at.
            let one = || Source { value: 1, bits: 16, extend: false, number: true };
            let ones = [one(), one(), one(), one()];
            if formula(form.name, &field, &ones, 32).is_none() {
                break;
            }
            let (dst, sources) = operands(&instr);
            let mut bench = Bench::new();
            for name in sources.iter().filter(|s| s.parse::<u64>().is_err()) {
                let name = name.split('.').next().unwrap_or(name);
                let (place, ty) = register(name);
                let value = match random.below_wide(3) {
                    0 => CORNERS[random.below_wide(8) as usize],
                    1 => random.below_wide(130),
                    _ => random.bits(),
                };
                let value = value & ty.mask();
                // Pairs beyond the file trap.
                if warpsmith_model::uop::Warp::write(&mut bench.group, &place, ty, 0, value).is_err() {
                    continue;
                }
            }
            let readable = |s: &&String| {
                let (place, ty) = register(s.split('.').next().unwrap_or(s));
                warpsmith_model::uop::Warp::read(&bench.group, &place, ty, 0).is_ok()
            };
            let names = || sources.iter().filter(|s| s.parse::<u64>().is_err());
            if names().any(|s| !readable(&s)) || !readable(&&dst) {
                continue;
            }
            let values: Vec<Source> = sources.iter().map(|s| Source::read(s, &bench)).collect();
            let ty = register(&dst).1;
            let Some(wanted) = formula(form.name, &field, &values, ty.bits()) else { continue };
            let stepped = bench.step(&instr.code.to_vec(), 1);
            let text = G13.print(&instr, 0);
            assert!(stepped.is_ok(), "{text}: {stepped:?}");
            let inputs: Vec<u64> = values.iter().map(|v| v.value).collect();
            assert_eq!(bench.get(&dst, 0), wanted as u64 & ty.mask(), "{text} of {inputs:x?}");
            compared += 1;
        }
        forms += u32::from(compared > before);
    }
    println!("integers: {compared} results of {forms} forms follow their formulas");
    assert_eq!(forms, 15);
}
