//! `warpsmith doctor`: the cache, external tools, which commands need them, and how to install missing ones.

use super::output::print;
use anyhow::Result;
use std::ffi::OsString;
use std::process::Command;
use warpsmith_compiler::clang::find;
use warpsmith_cxx::{verilator_version, CxxError};
use warpsmith_fpga::synth;

/// A program that some commands call. None is required: the model and the native engine are in this program.
struct Tool {
    /// Program, and the environment variable that names another one.
    program: &'static str,
    variable: Option<&'static str>,
    version: &'static str,
    needed_for: &'static str,
    package: &'static str,
}

/// What runs the emitted Verilog, where the native engine is not enough.
const VERILOG: &str = "--engine verilator of run, cosim, bench, fault and opencl; board; every signal in --wave files";

const TOOLS: [Tool; 5] = [
    Tool { program: "g++", variable: Some("WARPSMITH_CXX"), version: "--version", needed_for: VERILOG, package: "g++" },
    Tool {
        program: "make",
        variable: Some("WARPSMITH_MAKE"),
        version: "--version",
        needed_for: VERILOG,
        package: "make",
    },
    Tool {
        program: "iverilog",
        variable: None,
        version: "-V",
        needed_for: "the testbenches of `package`; second opinion on the Verilog (make test)",
        package: "iverilog",
    },
    Tool {
        program: "gtkwave",
        variable: None,
        version: "--version",
        needed_for: "looking at --wave files",
        package: "gtkwave",
    },
    Tool {
        program: "sbatch",
        variable: Some("WARPSMITH_SBATCH"),
        version: "--version",
        needed_for: "fault run --engine slurm",
        package: "slurm-client",
    },
];

/// A line: state, name, text.
fn line(state: &str, name: &str, text: &str) -> String {
    format!("{state:<9} {name:<14} {text}\n")
}

pub fn run() -> Result<u8> {
    let mut text = String::new();
    let cache = warpsmith_cache::cache_dir();
    let writable = warpsmith_cache::writable(&cache);
    text += &match writable {
        true => line("ok", "cache", &cache.display().to_string()),
        false => line(
            "MISSING",
            "cache",
            &format!(
                "{} cannot be written, where every simulated chip is kept; set WARPSMITH_CACHE to a folder that can",
                cache.display()
            ),
        ),
    };
    // Of Verilator's answer more is asked than that there is one.
    text += &match verilator_version() {
        Ok(version) => line("ok", "verilator", &version),
        Err(e) => {
            let why = match e {
                CxxError::Tool { why, .. } => why,
                other => other.to_string(),
            };
            line("optional", "verilator", &format!("for {VERILOG}; install: sudo apt-get install verilator ({why})"))
        }
    };
    for tool in &TOOLS {
        let program = tool.variable.and_then(std::env::var_os).unwrap_or_else(|| OsString::from(tool.program));
        text += &match version(&program, tool.version) {
            Some(v) => line("ok", tool.program, &v),
            None => line(
                "optional",
                tool.program,
                &format!("for {}; install: sudo apt-get install {}", tool.needed_for, tool.package),
            ),
        };
    }
    match find::find(None) {
        Ok(clang) => {
            text += &line("ok", "clang", &format!("{}, {}", clang.version, clang.path.display()));
        }
        Err(why) => {
            text += &line("optional", "clang", &format!("for cc, opencl and launch files of C programs: {why}"));
        }
    }
    // Those of `synth` and `soc` know themselves where they are.
    for tool in synth::tools::Tool::ALL {
        text += &match tool.find() {
            Ok(found) => line("ok", tool.name(), &found.version),
            Err(missing) => line(
                "optional",
                missing.name,
                &format!("for {}: {}; install: {}", tool.command(), missing.needed_for, missing.install),
            ),
        };
    }
    print(&text)?;
    if !writable {
        anyhow::bail!("something is missing; the lines marked MISSING say what to do");
    }
    Ok(super::AGREED)
}

/// First line of a program's version; `None` when it cannot be started. A program that refuses is
/// installed too: `sbatch` refuses away from a cluster.
fn version(program: &OsString, flag: &str) -> Option<String> {
    let out = Command::new(program).arg(flag).output().ok()?;
    if !out.status.success() {
        return Some("present".into());
    }
    let text = [out.stdout, out.stderr].concat();
    let line = String::from_utf8_lossy(&text).lines().next().unwrap_or("").trim().to_string();
    Some(if line.is_empty() { "present".into() } else { line })
}
