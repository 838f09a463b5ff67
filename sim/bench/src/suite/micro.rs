//! Small programs, each of one property of the chip.
//!
//! Register use: R0 thread number in the grid, R1 address, R2… results. Loops count R14 down by R15.

use super::case::{Case, Suite, Target};
use super::launch::{constant, data, expect, launch, put};
use warpsmith_model::Launch;

/// Iterations of a loop, and instructions of its body.
const ITERATIONS: u32 = 32;
const BODY: usize = 32;

/// R0 = ctaid.x * ntid.x + tid.x, R1 = tid.x.
pub fn index() -> String {
    "MOV.U16 R0H, g [0x1].U16;\nI2I.U32.U16 R1, R0L;\nIMAD.U16 R0, g [0x6].U16, R0H, R1;\n".into()
}

/// Stores R2 at the word of the thread behind the first parameter.
const STORE: &str = "SHL R1, R0, 0x2;\nIADD R1, g [0x4], R1;\nGST.U32 global14[R1], R2;\nRET;\n";

/// A body `iterations` times, between what sets up registers and what makes R2 of them.
fn looped(before: &str, iterations: u32, body: &str, after: &str) -> String {
    format!(
        "{}{before}MVI R14, {iterations:#x};\nMVI R15, 0xffffffff;\nloop:\n{body}IADD.C0 R14, R14, R15;\nBRA C0.NEU, loop;\n{after}{STORE}",
        index()
    )
}

/// `text` for k = 0 … BODY-1, `#` standing for 2 + k mod `registers`.
fn body(text: &str, registers: usize) -> String {
    (0..BODY).map(|k| text.replace('#', &(2 + k % registers).to_string()) + "\n").collect()
}

fn case(name: &str, mut l: Launch, target: Option<Target>, result: impl Fn(u32) -> u32) -> Case {
    l.name = name.to_string();
    let threads = l.grid[0] * l.block[0];
    let words: Vec<u32> = (0..threads).map(result).collect();
    let out = l.params[0];
    expect(&mut l, out, &words);
    Case { suite: Suite::Micro, name: name.to_string(), size: None, launch: l, target, long: false }
}

/// All of them.
pub fn cases() -> Vec<Case> {
    let mut all = arithmetic();
    all.extend(special());
    all.extend(shared());
    all.extend(control());
    all.extend(streams());
    all
}

/// Chains and independent additions, short and long words.
fn arithmetic() -> Vec<Case> {
    let chain = |word: &str| {
        let text = looped("MOV R2, R0;\nIADD32I R3, R0, 0x1;\n", ITERATIONS, &body(word, 1), "");
        move |threads: u32| launch("chain", &text, [1, 1], [threads, 1, 1], 16, &[0])
    };
    let added = |i: u32| i + ITERATIONS * BODY as u32 * (i + 1);
    let eight: String = (2..10).map(|r| format!("MVI R{r}, {r:#x};\n")).collect();
    let sum: String = (3..10).map(|r| format!("IADD R2, R2, R{r};\n")).collect();
    let independent = |word: &str| {
        let text = looped(&format!("{eight}IADD32I R10, R0, 0x1;\n"), ITERATIONS, &body(word, 8), &sum);
        move |threads: u32| launch("independent", &text, [1, 1], [threads, 1, 1], 16, &[0])
    };
    let summed = |i: u32| (2..10).sum::<u32>() + ITERATIONS * BODY as u32 * (i + 1);
    let short = independent("IADD32 R#, R#, R10;");
    let long = independent("IADD R#, R#, R10;");
    let constants = {
        let text =
            looped(&format!("{eight}IADD32I R10, R0, 0x1;\n"), ITERATIONS, &body("IADD R#, R#, c[0x1][0x1];", 8), &sum);
        let mut l = launch("constant", &text, [1, 1], [256, 1, 1], 16, &[0]);
        constant(&mut l, 1, &[99, 5]);
        l
    };
    vec![
        case("chain_1_warp", chain("IADD32 R2, R2, R3;")(32), Some(Target::Chain(10.0)), added),
        case("chain_long_1_warp", chain("IADD R2, R2, R3;")(32), Some(Target::Chain(10.0)), added),
        case("chain_8_warps", chain("IADD32 R2, R2, R3;")(256), Some(Target::Issue(0.9)), added),
        case("independent_1_warp", short(32), None, summed),
        case("independent_8_warps", short(256), Some(Target::Issue(0.9)), summed),
        case("independent_long_8_warps", long(256), Some(Target::Issue(0.9)), summed),
        case("constant_8_warps", constants, Some(Target::Issue(0.9)), move |_| {
            (2..10).sum::<u32>() + ITERATIONS * BODY as u32 * 5
        }),
    ]
}

/// Reciprocals of powers of two, which are exact: an even number of them gives the first value.
fn special() -> Vec<Case> {
    // R2 … R5 = 2 to the power of 1 + tid mod 8, and up to three more.
    let powers = "MVI R6, 0x7;\nLOP.AND R6, R6, R0;\nIADD32I R2, R6, 0x80;\nIADD32I R3, R6, 0x81;\nIADD32I R4, R6, 0x82;\nIADD32I R5, R6, 0x83;\nSHL R2, R2, 0x17;\nSHL R3, R3, 0x17;\nSHL R4, R4, 0x17;\nSHL R5, R5, 0x17;\n";
    let sum = "IADD R2, R2, R3;\nIADD R2, R2, R4;\nIADD R2, R2, R5;\n";
    let result = |i: u32| (0..4).map(|k| (128 + (i & 7) + k) << 23).fold(0, u32::wrapping_add);
    let pure = looped(powers, ITERATIONS, &body("RCP R#, R#;", 4), sum);
    // One in 16 instructions is special; the others add to R7 … R13, which are dropped.
    let mut mix = String::new();
    for k in 0..64 {
        if k % 16 == 0 {
            mix += &format!("RCP R{0}, R{0};\n", 2 + k / 16);
        } else {
            mix += &format!("IADD32 R{0}, R{0}, R6;\n", 7 + k % 7);
        }
    }
    let zero: String = (7..14).map(|r| format!("MVI R{r}, 0x0;\n")).collect();
    let mixed = looped(&format!("{powers}{zero}"), ITERATIONS, &mix, sum);
    let eight = |text: &str| launch("special", text, [1, 1], [256, 1, 1], 16, &[0]);
    vec![
        case("sfu_8_warps", eight(&pure), Some(Target::Sfu(0.9)), result),
        case("sfu_mixed_8_warps", eight(&mixed), Some(Target::Issue(0.9)), result),
    ]
}

/// Reads of shared memory, `stride` words from thread to thread of a warp.
fn shared() -> Vec<Case> {
    const BASE: u32 = 0x20;
    let make = |stride: u32| {
        let before = format!(
            "MVI R3, 0x1f;\nLOP.AND R3, R3, R0;\nMVI R4, {:#x};\nIMUL.U16.U16 R4, R3L, R4L;\nR2A A1, R4, 0x0;\nR2G.U32.U32 g[A1+{:#x}], R3;\nMOV R2, R0;\n",
            4 * stride,
            BASE / 4
        );
        let text = looped(&before, ITERATIONS, &body(&format!("IADD R2, g [A1+{:#x}], R2;", BASE / 4), 1), "");
        let mut l = launch("shared", &text, [1, 1], [256, 1, 1], 16, &[0]);
        l.shared_bytes = BASE + 4 * stride * 32;
        l
    };
    let result = |i: u32| i + ITERATIONS * BODY as u32 * (i % 32);
    let conflict = |ways| {
        Some(Target::Conflict {
            free: "micro/shared_1_way",
            // Eight warps, and the store before the loop.
            instructions: 8 * (u64::from(ITERATIONS) * BODY as u64 + 1),
            ways,
            limit: 1.02,
        })
    };
    vec![
        case("shared_1_way", make(1), Some(Target::Issue(0.9)), result),
        case("shared_2_way", make(2), conflict(2), result),
        case("shared_8_way", make(8), conflict(8), result),
    ]
}

/// Branches, barriers, launches, and loads beside arithmetic.
fn control() -> Vec<Case> {
    let hops: String = (0..BODY).map(|k| format!("BRA hop{k};\nMVI R2, 0xdead;\nhop{k}:\n")).collect();
    let branches = looped("MOV R2, R0;\n", ITERATIONS, &hops, "");
    let barriers = looped("MOV R2, R0;\n", ITERATIONS, &"BAR.ARV.WAIT b0, 0xfff;\n".repeat(8), "");
    let own = format!("{}IADD32I R2, R0, 0x7;\n{STORE}", index());
    let mut million =
        case("million_threads", launch("million", &own, [4096, 1], [256, 1, 1], 3, &[0]), None, |i| i + 7);
    million.long = true;
    // A load, 32 independent additions, then its use; the same address each time.
    let mut beside = String::from("GLD.U32 R11, global14[R12];\n");
    beside += &body("IADD32 R#, R#, R10;", 8);
    let eight: String = (2..10).map(|r| format!("MVI R{r}, {r:#x};\n")).collect();
    let before = format!("{eight}IADD32I R10, R0, 0x1;\nMVI R13, 0x0;\nSHL R12, R0, 0x2;\nIADD R12, g [0x5], R12;\n");
    let sum: String = (3..10).map(|r| format!("IADD R2, R2, R{r};\n")).collect::<String>() + "IADD R2, R2, R13;\n";
    let used = looped(&before, ITERATIONS, &format!("{beside}IADD R13, R13, R11;\n"), &sum);
    let mut overlap = launch("overlap", &used, [1, 1], [32, 1, 1], 16, &[0, 0x400]);
    put(&mut overlap, 0x400, &(0..32).map(|i| 3 * i).collect::<Vec<u32>>());
    vec![
        case("branch_1_warp", launch("b", &branches, [1, 1], [32, 1, 1], 16, &[0]), None, |i| i),
        case("branch_8_warps", launch("b", &branches, [1, 1], [256, 1, 1], 16, &[0]), None, |i| i),
        case("barrier_8_warps", launch("b", &barriers, [1, 1], [256, 1, 1], 16, &[0]), None, |i| i),
        case("tiny_blocks", launch("tiny", &own, [256, 1], [32, 1, 1], 3, &[0]), None, |i| i + 7),
        million,
        case(
            "load_beside_adds_1_warp",
            overlap,
            // 34 instructions an iteration for 32, and the address.
            Some(Target::Against("micro/independent_1_warp", 1.10)),
            |i| (2..10).sum::<u32>() + ITERATIONS * BODY as u32 * (i + 1) + ITERATIONS * 3 * i,
        ),
    ]
}

/// Copies of `bits` a thread and access, 8 accesses a thread, `blocks` * 8 blocks of 256 threads.
pub fn copy(name: &str, bits: u32, blocks: u32) -> Launch {
    let (bytes, grid) = (bits / 8, 8 * blocks);
    let size = match bits {
        32 => "U32",
        64 => "S64",
        _ => "S128",
    };
    let step = 256 * grid * bytes;
    let n = (8 * step / 4) as usize;
    let mut text = index();
    text += &format!(
        "SHL R1, R0, {:#x};\nIADD R2, g [0x5], R1;\nIADD R1, g [0x4], R1;\nMOV R3, g [0x6];\n",
        bytes.trailing_zeros()
    );
    // Two loads, then their stores.
    for _ in 0..4 {
        text += &format!(
            "GLD.{size} R4, global14[R2];\nIADD32 R2, R2, R3;\nGLD.{size} R8, global14[R2];\nIADD32 R2, R2, R3;\nGST.{size} global14[R1], R4;\nIADD32 R1, R1, R3;\nGST.{size} global14[R1], R8;\nIADD32 R1, R1, R3;\n"
        );
    }
    text += "RET;\n";
    let input = data(bits, n, 1 << 30);
    let from = 4 * n as u32;
    let mut l = launch(name, &text, [grid, 1], [256, 1, 1], 16, &[0, from, step]);
    put(&mut l, from, &input);
    expect(&mut l, 0, &input);
    l
}

/// Memory kernels of eight and more warps.
fn streams() -> Vec<Case> {
    let stream = |name: &str, launch: Launch, target| Case {
        suite: Suite::Micro,
        name: name.into(),
        size: None,
        launch,
        target,
        long: false,
    };
    vec![
        // The address arithmetic between 32- and 64-bit accesses takes more slots than the port.
        stream("copy_32", copy("copy_32", 32, 1), Some(Target::Bound(0.8))),
        stream("copy_64", copy("copy_64", 64, 1), Some(Target::Bound(0.8))),
        stream("copy_128", copy("copy_128", 128, 1), Some(Target::Port(0.8))),
        stream("saxpy_8192", saxpy(), Some(Target::Bound(0.8))),
        strided(),
    ]
}

/// y = 2 x + y on 8,192 floats that are small integers: exact. Four elements a thread.
fn saxpy() -> Launch {
    const N: usize = 8192;
    let mut text = index();
    text += "SHL R1, R0, 0x2;\nIADD R2, g [0x5], R1;\nIADD R1, g [0x4], R1;\nMOV R3, g [0x6];\n";
    for _ in 0..4 {
        text += "GLD.U32 R4, global14[R2];\nGLD.U32 R5, global14[R1];\nIADD32 R2, R2, R3;\nFMAD32 R5, g [0x7], R4, R5;\nGST.U32 global14[R1], R5;\nIADD32 R1, R1, R3;\n";
    }
    text += "RET;\n";
    let (x, y) = (data(11, N, 1 << 16), data(12, N, 1 << 16));
    let floats = |v: &[u32]| -> Vec<u32> { v.iter().map(|w| (*w as i32 as f32).to_bits()).collect() };
    let result: Vec<u32> = x.iter().zip(&y).map(|(x, y)| ((2 * *x as i32 + *y as i32) as f32).to_bits()).collect();
    let at = 4 * N as u32;
    let mut l = launch("saxpy_8192", &text, [8, 1], [256, 1, 1], 8, &[0, at, at / 4, 2f32.to_bits()]);
    put(&mut l, 0, &floats(&y));
    put(&mut l, at, &floats(&x));
    expect(&mut l, 0, &result);
    l
}

/// A thread adds 8 words of its own row of 32: every thread of a load in another line.
fn strided() -> Case {
    const ROW: u32 = 32;
    let mut text = index();
    text += "SHL R1, R0, 0x7;\nIADD R1, g [0x5], R1;\nMVI R2, 0x0;\nMVI R3, 0x4;\n";
    for _ in 0..8 {
        text += "GLD.U32 R4, global14[R1];\nIADD32 R1, R1, R3;\nIADD R2, R2, R4;\n";
    }
    text += STORE;
    let input = data(13, (512 * ROW) as usize, 1 << 20);
    let sum = |i: u32| {
        let row = (i * ROW) as usize;
        input[row..row + 8].iter().fold(0, |s: u32, w| s.wrapping_add(*w))
    };
    let mut l = launch("strided", &text, [2, 1], [256, 1, 1], 5, &[0, 0x1000]);
    put(&mut l, 0x1000, &input);
    case("strided_load", l, None, sum)
}
