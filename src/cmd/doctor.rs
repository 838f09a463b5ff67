//! `warpsmith doctor`: external tools, and how to install missing ones.

use super::output::print;
use anyhow::Result;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::process::Command;
use warpsmith_compiler::clang::find;
use warpsmith_fpga::synth;

/// A program this project calls.
struct Tool {
    /// Program, and the environment variable that names another one.
    program: &'static str,
    variable: Option<&'static str>,
    version: &'static str,
    needed_for: &'static str,
    package: &'static str,
    required: bool,
}

const TOOLS: [Tool; 6] = [
    Tool {
        program: "verilator",
        variable: Some("WARPSMITH_VERILATOR"),
        version: "--version",
        needed_for: "run --on rtl, cosim",
        package: "verilator",
        required: true,
    },
    Tool {
        program: "g++",
        variable: Some("CXX"),
        version: "--version",
        needed_for: "run --on rtl, cosim",
        package: "g++",
        required: true,
    },
    Tool {
        program: "make",
        variable: None,
        version: "--version",
        needed_for: "run --on rtl, cosim",
        package: "make",
        required: true,
    },
    Tool {
        program: "iverilog",
        variable: None,
        version: "-V",
        needed_for: "second opinion on the Verilog (make test)",
        package: "iverilog",
        required: false,
    },
    Tool {
        program: "gtkwave",
        variable: None,
        version: "--version",
        needed_for: "looking at --wave files",
        package: "gtkwave",
        required: false,
    },
    Tool {
        program: "sbatch",
        variable: Some("WARPSMITH_SBATCH"),
        version: "--version",
        needed_for: "fault run --engine slurm",
        package: "slurm-client",
        required: false,
    },
];

pub fn run() -> Result<u8> {
    let mut text = String::new();
    let mut missing_required = false;
    for tool in &TOOLS {
        let program = tool
            .variable
            .and_then(std::env::var_os)
            .unwrap_or_else(|| OsString::from(tool.program));
        match version(&program, tool.version) {
            Some(v) => writeln!(text, "ok        {:<14} {v}", tool.program)?,
            None => {
                missing_required |= tool.required;
                let state = if tool.required { "MISSING" } else { "optional" };
                writeln!(
                    text,
                    "{state:<9} {:<14} for {}; install: sudo apt-get install {}",
                    tool.program, tool.needed_for, tool.package
                )?;
            }
        }
    }
    match find::find(None) {
        Ok(clang) => writeln!(
            text,
            "ok        {:<14} {}, {}",
            "clang",
            clang.version,
            clang.path.display()
        )?,
        Err(why) => writeln!(
            text,
            "optional  {:<14} for cc and launch files of C programs: {why}",
            "clang"
        )?,
    }
    // Those of `synth` know themselves where they are.
    for tool in synth::tools::Tool::ALL {
        match tool.find() {
            Ok(found) => writeln!(text, "ok        {:<14} {}", tool.name(), found.version)?,
            Err(missing) => writeln!(
                text,
                "optional  {:<14} for synth: {}; install: {}",
                missing.name, missing.needed_for, missing.install
            )?,
        }
    }
    print(&text)?;
    if missing_required {
        anyhow::bail!("a tool is missing; the lines marked MISSING say how to install it");
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
    let line = String::from_utf8_lossy(&text)
        .lines()
        .next()
        .unwrap_or("")
        .trim()
        .to_string();
    Some(if line.is_empty() {
        "present".into()
    } else {
        line
    })
}
