//! The programs of conformance/g13 give their stated results.

use warpsmith_conformance::{bytes, program};
use warpsmith_model::g13::G13 as Model;
use warpsmith_model::launch::GlobalSection;
use warpsmith_model::uop::Machine;
use warpsmith_model::Launch;

/// Where a program writes, byte address.
const OUT: u32 = 0x1000;
const B: u32 = 0x800;

#[test]
fn the_programs_give_their_results() {
    // Three threadgroups of 45 threads: the second SIMD-group of each has 13.
    let (grid, block) = (3, 45);
    let mut checked = 0;
    let mut check = |name: &str, params: &[u32], wanted: &dyn Fn(u32) -> u32| {
        let machine = run(program("g13", name, bytes), (grid, block), params);
        for i in 0..grid * block {
            assert_eq!(machine.global().word(OUT + 4 * i), wanted(i), "{name} {i}");
        }
        assert_eq!(machine.global().word(OUT + 4 * grid * block), 0, "{name}");
        checked += 1;
    };
    check("vecadd", &[0, 0, B, 0, OUT, 0], &|i| (a(i) + b(i)).to_bits());
    check("ifelse", &[OUT, 0], &|i| {
        if i % 2 == 0 {
            2 * i
        } else {
            i + 100
        }
    });
    check("loop", &[OUT, 0], &|i| i * (i + 1) / 2);
    println!("g13/programs.txt: {checked} programs of G13");
}

/// Operands of the vector addition: from byte 0, and from [`B`].
fn a(i: u32) -> f32 {
    i as f32 * 0.1
}

fn b(i: u32) -> f32 {
    100.0 / (i + 1) as f32
}

fn run(code: Vec<u8>, (grid, block): (u32, u32), params: &[u32]) -> Machine {
    let floats = |f: fn(u32) -> f32| (0..200).flat_map(|i| f(i).to_le_bytes()).collect();
    let launch = Launch {
        grid: [grid, 1],
        block: [block, 1, 1],
        params: params.to_vec(),
        global_bytes: 1 << 16,
        globals: vec![GlobalSection::new(0, floats(a)), GlobalSection::new(B.into(), floats(b))],
        ..Launch::from_code(warpsmith_isa::Isa::G13, code)
    };
    let mut machine = Machine::new(&Model, &launch, 0);
    let ran = machine.run(100_000);
    ran.unwrap_or_else(|e| panic!("{e}"));
    machine
}
