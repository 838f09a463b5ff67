//! Runs a block under Verilator with a C++ main written by the test: vectors in, a log out.
#![allow(dead_code)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use warpsmith_hdl::config::GpuConfig;
use warpsmith_hdl::emit;

/// A small deterministic generator (xorshift64*), so that a failure names its seed.
pub struct Random(pub u64);

impl Random {
    /// The next 32 bits.
    pub fn word(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }
    /// A number below `n`.
    pub fn below(&mut self, n: u32) -> u32 {
        self.word() % n
    }
    /// True `percent` times in a hundred.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }
}

/// The default chip with `lanes` lanes, as many shared banks, and `port` words a line.
pub fn chip(lanes: usize, port: usize) -> GpuConfig {
    GpuConfig {
        lanes,
        shared_banks: lanes,
        port_words: port,
        ..GpuConfig::named("default").expect("a built-in configuration")
    }
}

/// C++ that reads words of ports of any Verilator type, drives the clock and counts cycles.
/// `TOP` stands for the model's class.
const PRELUDE: &str = r#"
#include "verilated.h"
#include "VTOP.h"
#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <deque>
typedef uint32_t u32; typedef uint64_t u64;
static u32 word(CData x, int) { return x; }
static u32 word(SData x, int) { return x; }
static u32 word(IData x, int) { return x; }
static u32 word(QData x, int i) { return (u32)(x >> (32 * i)); }
template <std::size_t N> static u32 word(const VlWide<N>& x, int i) { return x.m_storage[i]; }
static void put(IData& x, int, u32 v) { x = v; }
static void put(QData& x, int i, u32 v) { x = (x & ~((u64)0xffffffff << (32 * i))) | (u64)v << (32 * i); }
template <std::size_t N> static void put(VlWide<N>& x, int i, u32 v) { x.m_storage[i] = v; }
static VTOP* d;
static u64 cycle = 0;
static void edge() { d->clock = 1; d->eval(); d->clock = 0; d->eval(); cycle++; }
static u64 rs = 88172645463325252ull;
static u32 rnd() { rs ^= rs << 13; rs ^= rs >> 7; rs ^= rs << 17; return (u32)(rs >> 16); }
static bool chance(u32 percent) { return rnd() % 100 < percent; }
static u32 in(FILE* f) { u32 v = 0; if (fscanf(f, "%x", &v) != 1) { printf("vectors end early\n"); exit(1); } return v; }
"#;

fn run(c: &mut Command, what: &str) -> String {
    // The flags of the workspace are for the Verilator runtime crate, not for a shell of make.
    let out = c
        .env_remove("CXXFLAGS")
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|e| panic!("{what}: cannot start {:?}: {e}", c.get_program()));
    let text =
        String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    assert!(
        out.status.success(),
        "{what} failed:\n{}",
        &text[..text.len().min(4000)]
    );
    text
}

/// A block built as a program.
pub struct Bench {
    dir: PathBuf,
}

impl Bench {
    /// Emits `block`, whose module is `top`, lints it, and builds it with `main` (C++ after the
    /// prelude; `L` is defined as `lanes`, `P` as `port`). `name` is unique among all tests.
    pub fn new(
        name: &str,
        top: &str,
        cfg: &GpuConfig,
        block: &dyn rust_hdl_core::block::Block,
        main: &str,
    ) -> Self {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&dir).expect("a folder for the test");
        let emitted = emit::emit_leaf(block);
        std::fs::write(dir.join("warpsmith.v"), &emitted.files["warpsmith.v"]).expect("written");
        let mut cpp = PRELUDE.replace("TOP", "leaf");
        writeln!(
            cpp,
            "#define L {}\n#define P {}\n{main}",
            cfg.lanes, cfg.port_words
        )
        .unwrap();
        std::fs::write(dir.join("main.cpp"), cpp).expect("written");
        let lint = [
            "--lint-only",
            "-Wall",
            "-Wno-UNUSEDSIGNAL",
            "-Wno-DECLFILENAME",
            "--top-module",
            top,
            "warpsmith.v",
        ];
        let said = run(Command::new("verilator").current_dir(&dir).args(lint), top);
        assert_eq!(said.trim(), "", "{top}: the linter has something to say");
        run(
            Command::new("iverilog").current_dir(&dir).args([
                "-t",
                "null",
                "-s",
                top,
                "warpsmith.v",
            ]),
            top,
        );
        let build = [
            "--cc",
            "--exe",
            "--build",
            "-O3",
            "-CFLAGS",
            "-w",
            "-MAKEFLAGS",
            "OPT_FAST=-O1 OPT_SLOW=-O0",
            "--Mdir",
            "obj",
            "--prefix",
            "Vleaf",
            "--top-module",
            top,
            "-o",
            "bench",
            "warpsmith.v",
            "main.cpp",
        ];
        run(Command::new("verilator").current_dir(&dir).args(build), top);
        Self { dir }
    }

    /// Runs the program on `vectors` with further arguments; its log by lines of words.
    pub fn run(&self, vectors: &str, args: &[String]) -> Vec<Vec<String>> {
        let file = self.dir.join("vectors.txt");
        std::fs::write(&file, vectors).expect("written");
        let out = run(
            Command::new(self.dir.join("obj/bench"))
                .arg(&file)
                .args(args),
            "bench",
        );
        out.lines()
            .map(|l| l.split_whitespace().map(String::from).collect())
            .collect()
    }
}

/// `d->NAME_0 = EXPR(0); …` for arrays of ports; `$i` in `expr` is the number.
pub fn each(n: usize, expr: &str) -> String {
    (0..n).map(|i| expr.replace("$i", &i.to_string())).collect()
}

/// A hexadecimal word of the log.
pub fn hex(s: &str) -> u64 {
    u64::from_str_radix(s, 16).unwrap_or_else(|_| panic!("`{s}` is no hexadecimal number"))
}

/// Store data as the memories take it: the low `bytes` (1, 2 or 4) in every place of a word.
pub fn spread(data: u32, bytes: usize) -> u32 {
    match bytes {
        1 => data & 0xff | (data & 0xff) << 8 | (data & 0xff) << 16 | data << 24,
        2 => data & 0xffff | data << 16,
        _ => data,
    }
}
