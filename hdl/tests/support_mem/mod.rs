//! Runs a block under Verilator with a C++ main written by the test: vectors in, a log out.
#![allow(dead_code)]

#[path = "../support_cxx/mod.rs"]
mod cxx;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use warpsmith_cxx::tool;
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
const PRELUDE: &str = r#"
#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <deque>
typedef uint32_t u32; typedef uint64_t u64;
[[maybe_unused]] static u32 word(CData x, int) { return x; }
[[maybe_unused]] static u32 word(SData x, int) { return x; }
[[maybe_unused]] static u32 word(IData x, int) { return x; }
[[maybe_unused]] static u32 word(QData x, int i) { return (u32)(x >> (32 * i)); }
template <std::size_t N> [[maybe_unused]] static u32 word(const VlWide<N>& x, int i) { return x.m_storage[i]; }
[[maybe_unused]] static void put(IData& x, int, u32 v) { x = v; }
[[maybe_unused]] static void put(QData& x, int i, u32 v) { x = (x & ~((u64)0xffffffff << (32 * i))) | (u64)v << (32 * i); }
template <std::size_t N> [[maybe_unused]] static void put(VlWide<N>& x, int i, u32 v) { x.m_storage[i] = v; }
static Model* d;
static u64 cycle = 0;
static void edge() { d->clock = 1; d->eval(); d->clock = 0; d->eval(); cycle++; }
static u64 rs = 88172645463325252ull;
[[maybe_unused]] static u32 rnd() { rs ^= rs << 13; rs ^= rs >> 7; rs ^= rs << 17; return (u32)(rs >> 16); }
[[maybe_unused]] static bool chance(u32 percent) { return rnd() % 100 < percent; }
[[maybe_unused]] static u32 in(FILE* f) { u32 v = 0; if (fscanf(f, "%x", &v) != 1) { printf("vectors end early\n"); exit(1); } return v; }
"#;

fn run(c: &mut Command, what: &str) -> String {
    let out = c
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
    program: PathBuf,
}

impl Bench {
    /// Emits `block`, whose module is `top`, lints it, and builds it with `main` (C++ after the
    /// prelude; `L` is defined as `lanes`, `P` as `port`).
    pub fn new(
        top: &str,
        cfg: &GpuConfig,
        block: &dyn rust_hdl_core::block::Block,
        main: &str,
    ) -> Self {
        let dir = tempfile::tempdir().expect("a folder for the test");
        let emitted = emit::emit_leaf(block);
        std::fs::write(
            dir.path().join("warpsmith.v"),
            &emitted.files["warpsmith.v"],
        )
        .expect("written");
        let mut cpp = PRELUDE.to_string();
        writeln!(
            cpp,
            "#define L {}\n#define P {}\n{main}",
            cfg.lanes, cfg.port_words
        )
        .unwrap();
        let lint = [
            "--lint-only",
            "-Wall",
            "-Wno-UNUSEDSIGNAL",
            "-Wno-DECLFILENAME",
            "--top-module",
            top,
            "warpsmith.v",
        ];
        let said = run(tool::verilator().command(dir.path()).args(lint), top);
        assert_eq!(said.trim(), "", "{top}: the linter has something to say");
        run(
            // Icarus bears no preloaded allocator.
            Command::new("iverilog")
                .env_remove("LD_PRELOAD")
                .current_dir(dir.path())
                .args(["-t", "null", "-s", top, "warpsmith.v"]),
            top,
        );
        let program = cxx::build(&emitted, &["-O3", "-Wno-fatal"], ("-O1", "-O0"), &cpp);
        Self {
            program: program.expect("the tools were there above"),
        }
    }

    /// Runs the program on `vectors` with further arguments; its log by lines of words.
    pub fn run(&self, vectors: &str, args: &[String]) -> Vec<Vec<String>> {
        let dir = tempfile::tempdir().expect("a folder for the vectors");
        let file = dir.path().join("vectors.txt");
        std::fs::write(&file, vectors).expect("written");
        let out = run(Command::new(&self.program).arg(&file).args(args), "bench");
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
