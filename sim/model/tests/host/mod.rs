//! The compiler's float functions on the host: the headers compiled by clang around C code of the chip's operations
//! (`chip.h`), beside exact values in double precision (`reference.c`). It evaluates tens of millions of operands a
//! second, which the model cannot; `opencl_accuracy.rs` holds it to the model bit for bit.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use warpsmith_compiler::clang::{find, Clang};
use warpsmith_isa::numbers;

/// Files of the program, by name.
const FILES: [(&str, &str); 8] = [
    ("sweep.c", include_str!("sweep.c")),
    ("reference.c", include_str!("reference.c")),
    ("chip.h", include_str!("chip.h")),
    ("block.h", include_str!("block.h")),
    ("calls.h", include_str!("calls.h")),
    ("functions.h", include_str!("functions.h")),
    ("pairs.h", include_str!("pairs.h")),
    ("warpsmith_cl_math.h", include_str!("../../../../compiler/include/warpsmith_cl_math.h")),
];
const FLOAT: &str = include_str!("../../../../compiler/include/warpsmith_float.h");

/// What the second operand of a function is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// There is none.
    One,
    /// Floats.
    Float,
    /// A whole number.
    Whole,
}

/// A row of `functions.h` or `pairs.h`.
pub struct Function {
    pub name: String,
    /// In OpenCL C, of `x`, `y`, `z` and `n`.
    pub call: String,
    /// Allowed error in units in the last place.
    pub ulp: f64,
    pub kind: Kind,
    /// Largest magnitude of the operand that the row is about.
    pub limit: f32,
}

/// Rows of both files in their order.
pub fn functions() -> Vec<Function> {
    let lines = FILES[5].1.lines().chain(FILES[6].1.lines());
    lines
        .filter_map(|line| {
            let row = line.strip_prefix("UNARY(").or_else(|| line.strip_prefix("PAIR("))?;
            let parts = arguments(row.strip_suffix(')').expect("a row's end"));
            let [name, call, _, ulp, last] = parts[..] else {
                panic!("{line}: five parts");
            };
            Some(Function {
                name: name.into(),
                call: call.into(),
                ulp: ulp.parse().expect("units"),
                kind: match last {
                    "FLOAT" => Kind::Float,
                    "WHOLE" => Kind::Whole,
                    _ => Kind::One,
                },
                limit: last.parse().unwrap_or(f32::INFINITY),
            })
        })
        .collect()
}

/// Parts between the commas outside of parentheses.
fn arguments(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut parts) = (0, 0, vec![]);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[from..].trim());
    parts
}

/// The clang of this machine; without one a test ends, unless tools are required.
pub fn clang() -> Option<Clang> {
    warpsmith_testkit::found(find::find(None))
}

/// The compiled program, kept in the target folder under its digest.
pub struct Host {
    program: PathBuf,
    /// Changes with everything that results depend on.
    pub digest: u64,
}

impl Host {
    /// Compiles the program; nothing where clang or a host of its kind is missing.
    pub fn build() -> Option<Self> {
        Self::build_with(false)
    }

    /// The program with exact values of the library's functions of one operand alone.
    pub fn plain() -> Option<Self> {
        Self::build_with(true)
    }

    fn build_with(plain: bool) -> Option<Self> {
        let clang = clang().filter(|_| cfg!(target_arch = "x86_64"))?;
        let mut text = String::from("#include <stdint.h>\nextern uint32_t SQUARE[1 << 17];\n");
        text += &table("RCP", &numbers::RCP);
        text += &table("RSQ", &numbers::RSQ);
        text += &table("LG2", &numbers::LG2);
        text += &table("SIN", &numbers::SIN);
        text += &table("EX2", &numbers::EX2);
        let own = [("tables.h", text.as_str()), ("warpsmith_float.h", FLOAT)];
        let files: Vec<(&str, &str)> = FILES.iter().copied().chain(own).collect();
        let mut digest = 0xcbf2_9ce4_8422_2325;
        for b in files.iter().flat_map(|(_, text)| text.bytes()) {
            digest = (digest ^ u64::from(b)).wrapping_mul(0x100_0000_01b3);
        }
        let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let kept = target.join(format!("accuracy-{digest:016x}-{plain}"));
        let program = kept.join("sweep");
        if program.exists() {
            return Some(Self { program, digest });
        }
        let dir = tempfile::tempdir_in(target).expect("a folder");
        for (name, text) in files {
            std::fs::write(dir.path().join(name), text).expect("a file");
        }
        for part in ["sweep", "reference"] {
            let mut c = Command::new(&clang.path);
            c.args(["-O2", "-march=native", "-mprefer-vector-width=512"])
                .args(["-ffp-contract=off", "-fno-math-errno"])
                .arg("-fdenormal-fp-math=preserve-sign,preserve-sign")
                .args(["-c", "-o", &format!("{part}.o"), &format!("{part}.c")]);
            // The names of the standard's functions are the headers' own there.
            c.args((part == "sweep").then_some("-fno-builtin"));
            c.args(plain.then_some("-DPLAIN"));
            done(c.current_dir(dir.path()));
        }
        let mut c = Command::new(&clang.path);
        c.args(["sweep.o", "reference.o", "-o", "sweep", "-lmvec", "-lm"]);
        done(c.current_dir(dir.path()));
        // Another test may have been first.
        let made = dir.keep();
        if std::fs::rename(&made, &kept).is_err() {
            std::fs::remove_dir_all(made).expect("a folder of our own");
        }
        Some(Self { program, digest })
    }

    /// What the program writes.
    pub fn run(&self, arguments: &[&str], input: &[u8]) -> Vec<u8> {
        let mut child = Command::new(&self.program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let mut to = child.stdin.take().expect("a pipe");
        let output = std::thread::scope(|s| {
            s.spawn(move || to.write_all(input).expect("the program reads"));
            child.wait_with_output().expect("the program ends")
        });
        assert!(output.status.success(), "{arguments:?}: {}", output.status);
        output.stdout
    }

    /// Largest error of a line that the program writes, and the line.
    pub fn worst(&self, arguments: &[&str]) -> (f64, String) {
        let text = String::from_utf8(self.run(arguments, &[])).expect("text");
        let error = text.split_whitespace().nth(1).expect("an error");
        (error.parse().expect("a number"), text.trim().into())
    }
}

fn done(c: &mut Command) {
    let output = c.output().expect("clang runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{c:?}: {said}");
}

/// A table of the special function unit in C, by coefficient.
fn table<const N: usize>(name: &str, rows: &[[i32; 3]; N]) -> String {
    let column = |k: usize| -> String {
        let words: Vec<String> = rows.iter().map(|r| r[k].to_string()).collect();
        format!("{{{}}}", words.join(", "))
    };
    let columns: Vec<String> = (0..3).map(column).collect();
    format!("static const int32_t TABLE_{name}[3][{N}] = {{{}}};\n", columns.join(", "))
}
