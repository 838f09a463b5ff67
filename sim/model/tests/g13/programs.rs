//! The complete programs of the shared data give their stated results.

use super::{hex, launch};
use crate::common;

/// Where a program writes, byte address.
const OUT: u32 = 0x1000;

#[test]
fn the_shared_programs_give_their_results() {
    let Some(path) = common::shared("reference/isas/programs.tsv") else {
        return;
    };
    let tsv = std::fs::read_to_string(path).expect("readable");
    let code = |name: &str| -> Vec<u8> {
        let rows = tsv.lines().map(|l| l.split('\t').collect::<Vec<_>>());
        rows.filter(|c| c[0] == "g13" && c[1] == name)
            .flat_map(|c| hex(c[3]))
            .collect()
    };
    // Three threadgroups of 45 threads: the second SIMD-group of each has 13.
    let (grid, block) = (3, 45);
    let mut checked = 0;
    let mut check = |name: &str, params: &[u32], wanted: &dyn Fn(u32) -> u32| {
        let machine = launch(code(name), grid, block, params).unwrap_or_else(|e| panic!("{e}"));
        for i in 0..grid * block {
            assert_eq!(machine.global().word(OUT + 4 * i), wanted(i), "{name} {i}");
        }
        assert_eq!(machine.global().word(OUT + 4 * grid * block), 0, "{name}");
        checked += 1;
    };
    check("vecadd", &[0, 0, 0x800, 0, OUT, 0], &|_| 0);
    check("ifelse", &[OUT, 0], &|i| {
        if i % 2 == 0 {
            2 * i
        } else {
            i + 100
        }
    });
    check("loop", &[OUT, 0], &|i| i * (i + 1) / 2);
    println!("programs.tsv: {checked} programs of G13");
}

#[test]
fn vecadd_adds_floats() {
    let text = "
        get_sr r2, sr80
        bfi r3, 0, r2, 2
        convert u32_to_f, r4, r2, rte
        device_store 0, i32, x, r4, u0_u1, r2, unsigned, 0
        device_load 0, i32, x, r5, u0_u1, r2, unsigned
        wait 0
        fadd32 r6, r5, 0.5
        device_store 0, i32, x, r6, u0_u1, r2, unsigned, 0
        stop";
    let machine = launch(super::code(text), 2, 40, &[OUT, 0]).unwrap_or_else(|e| panic!("{e}"));
    for i in 0..80u32 {
        let got = f32::from_bits(machine.global().word(OUT + 4 * i));
        assert_eq!(got, i as f32 + 0.5, "{i}");
    }
}
