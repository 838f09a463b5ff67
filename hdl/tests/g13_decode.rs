//! G13's decoder gives the control word that the micro-operations of the instruction ask for.

use crate::support::{dut::Dut, g13_reference, Random};
use g13_reference::{expected, name, Layout, Work};
use std::collections::BTreeMap;
use warpsmith_contract::TrapCause;
use warpsmith_hdl::config::{GpuConfig, Isa};
use warpsmith_hdl::sm::control::Control;
use warpsmith_hdl::sm::dims::Dims;
use warpsmith_hdl::sm::pipeline::decode::g13::G13Decode;
use warpsmith_isa::g13::table::TABLE;
use warpsmith_isa::g13::G13;
use warpsmith_isa::set::{assemble, InstructionSet, Status};

struct Bench {
    dut: Dut,
    layout: Layout,
    d: Dims,
}

/// Instructions of each form and trap cause.
type Seen = BTreeMap<(&'static str, u8), usize>;

impl Bench {
    fn new() -> Self {
        let named = GpuConfig::named("default").expect("a known configuration");
        let cfg = GpuConfig { isa: Isa::G13, ..named };
        let d = Dims::of(&cfg);
        Self { dut: Dut::native(&G13Decode::new(&cfg)), layout: Layout::new(&d), d }
    }

    /// Compares every field that matters.
    fn check(&mut self, work: &[Work]) -> Seen {
        let mut seen = Seen::new();
        // One example and a count for each field of each form that is wrong.
        let mut wrong: BTreeMap<(&str, String), (usize, String)> = BTreeMap::new();
        for w in work {
            let dut = &mut self.dut;
            for (i, word) in w.bytes.chunks(4).enumerate() {
                let word = u32::from_le_bytes(word.try_into().expect("four bytes"));
                dut.set_word("bytes", i, word);
            }
            dut.set("pc", w.pc);
            dut.set("registers", w.registers);
            dut.eval();
            let words = Control::width(&self.d).div_ceil(32);
            let got: Vec<u32> = (0..words).map(|i| dut.word_of("control", i)).collect();
            let instr = G13.decode(&w.bytes);
            let form = instr.as_ref().map_or("none", name);
            let wanted = expected(w, self.d.pc);
            *seen.entry((form, wanted.trap)).or_insert(0) += 1;
            let mut differences = wanted.differences(&self.layout, &got);
            if let Ok(instr) = &instr {
                let (is, must) = (dut.get("length"), instr.code.len() as u64 / 2);
                if is != must {
                    differences.push(("length".into(), is, must));
                }
            }
            for (field, is, must) in differences {
                let text = || match &instr {
                    Ok(i) => G13.print(i, w.pc.into()),
                    Err(e) => e.to_string(),
                };
                let example = || format!("{w:x?}: {}: {field} is {is:#x}, expected {must:#x}", text());
                wrong.entry((form, field.clone())).or_insert_with(|| (0, example())).0 += 1;
            }
        }
        let lines = wrong.iter().map(|((form, _), (n, s))| format!("{form}, {n} times: {s}"));
        let lines: Vec<String> = lines.collect();
        assert!(lines.is_empty(), "decoder differs:\n{}", lines.join("\n"));
        seen
    }

    fn work(&self, bits: u128, r: &mut Random) -> Work {
        let bytes = bits.to_le_bytes();
        Work {
            bytes: bytes[..12].try_into().expect("twelve bytes"),
            pc: r.below(1 << (self.d.pc - 1)) & !1,
            registers: match r.below(4) {
                0 => 3 + r.below(126),
                _ => 128,
            },
        }
    }
}

fn random_bits(r: &mut Random) -> u128 {
    (0..4).fold(0, |bits, _| bits << 32 | u128::from(r.word()))
}

#[test]
fn every_form_decodes_to_what_its_micro_operations_ask_for() {
    let mut bench = Bench::new();
    let mut r = Random(0x5EED_0132);
    let mut work = vec![];
    for form in TABLE.forms() {
        let n = match form.status {
            Status::Specified | Status::Decided => 1500,
            _ => 50,
        };
        for _ in 0..n {
            let mut bits = random_bits(&mut r);
            // Few modes are legal where all bits are random.
            if form.name == "convert" {
                let modes = [0, 1, 4, 5, 6, 7, 8, 9, 10, 11];
                let mode = modes[r.below(10) as usize];
                bits = bits & !(0x3f << 16 | 3 << 26) | mode << 16 | u128::from(r.below(2)) << 26;
            }
            // The chip puts a field into the number 0 alone.
            if form.name == "bfeil" && r.below(2) == 0 {
                let into = form.operands[1].fields;
                bits = into.iter().fold(bits, |bits, f| f.put(bits, 0));
            }
            // Rows of low registers over base and index, which are registers: few are where all bits are random.
            if form.name == "threadgroup_load" && r.below(2) == 0 {
                let high = [(11, 4), (18, 4), (22, 2), (24, 4), (30, 3), (34, 1), (36, 4), (48, 14)];
                bits = high.into_iter().fold(bits, |bits, (at, n)| bits & !(((1 << n) - 1) << at));
                bits |= 1 << 8 | u128::from(r.below(3)) << 24 | 0xf << 36;
            }
            let bits = bits & !form.mask | form.match_;
            work.push(bench.work(bits, &mut r));
        }
    }
    let seen = bench.check(&work);
    let executed: Vec<&str> = seen.iter().filter(|s| s.0 .1 == 0).map(|s| s.0 .0).collect();
    println!("{} instructions, {} forms on the chip: {executed:?}", work.len(), executed.len());
    let lacks = |form| seen.get(&(form, TrapCause::Unimplemented.number()));
    let refused = lacks("threadgroup_load").copied().unwrap_or_default();
    println!("{refused} loads of threadgroup memory that the chip lacks");
    assert!(refused > 100, "{seen:?}");
    for form in ["icmpsel", "fcmpsel", "imadd", "bfi", "bfeil", "device_load", "threadgroup_store"] {
        assert!(seen.get(&(form, 0)).is_some_and(|n| *n > 5), "{form}: {seen:?}");
    }
}

#[test]
fn random_bytes_decode_or_trap_as_the_table_says() {
    let mut bench = Bench::new();
    let mut r = Random(0x5EED_0133);
    let work: Vec<Work> = (0..100_000)
        .map(|_| {
            let bits = random_bits(&mut r);
            bench.work(bits, &mut r)
        })
        .collect();
    let seen = bench.check(&work);
    for cause in [TrapCause::Illegal, TrapCause::Unimplemented, TrapCause::Register] {
        assert!(seen.keys().any(|k| k.1 == cause.number()), "{cause:?}");
    }
}

#[test]
fn every_instruction_of_the_kernels_is_on_the_chip() {
    let mut bench = Bench::new();
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
            let mut bytes = [0xff; 12];
            let rest = &program.bytes[at..];
            let n = rest.len().min(12);
            bytes[..n].copy_from_slice(&rest[..n]);
            let length = G13.decode(rest).expect("an instruction").code.len();
            work.push(Work { bytes, pc: at as u32, registers: 128 });
            at += length;
        }
    }
    let seen = bench.check(&work);
    println!("{} instructions: {seen:?}", work.len());
    assert!(seen.keys().all(|k| k.1 == 0), "{seen:?}");
}
