//! Grids of many blocks, for chips of many SMs.

use super::case::{Case, Suite, Target};
use super::launch::{expect, launch};
use super::micro::{copy, index};

/// One case of arithmetic, one that only copies.
pub fn cases() -> Vec<Case> {
    vec![
        Case {
            suite: Suite::Scale,
            name: "compute".into(),
            size: None,
            launch: compute(),
            target: Some(Target::SpeedUp(0.9)),
            long: false,
        },
        Case {
            suite: Suite::Scale,
            name: "copy_128".into(),
            size: None,
            // The port is the limit: nothing is wanted but that it stays busy.
            launch: copy("scale_copy_128", 128, 4),
            target: Some(Target::Bound(0.8)),
            long: false,
        },
    ]
}

/// 256 blocks of 256 threads, 64 times what an SM of 32 warps holds; some 150 instructions each.
fn compute() -> warpsmith_model::Launch {
    const BLOCKS: u32 = 256;
    let mut text = index();
    text += "MVI R2, 0x0;\nMVI R3, 0x1;\nMVI R4, 0x4;\nMVI R5, 0xffffffff;\nloop:\n";
    text += &"IMAD32.U16 R2, R3L, R3L, R2;\nIADD32 R3, R3, R0;\n".repeat(16);
    text += "IADD.C0 R4, R4, R5;\nBRA C0.NEU, loop;\nIADD R2, R2, R3;\n";
    text += "SHL R1, R0, 0x2;\nIADD R1, g [0x4], R1;\nGST.U32 global14[R1], R2;\nRET;\n";
    let mut l = launch("scale_compute", &text, [BLOCKS, 1], [256, 1, 1], 6, &[0]);
    let results: Vec<u32> = (0..BLOCKS * 256)
        .map(|i| {
            let (mut sum, mut x) = (0u32, 1u32);
            for _ in 0..64 {
                sum = sum.wrapping_add((x & 0xffff) * (x & 0xffff));
                x = x.wrapping_add(i);
            }
            sum.wrapping_add(x)
        })
        .collect();
    expect(&mut l, 0, &results);
    l
}
