//! Proofs with Yosys' yosys-smtbmc and Z3.

use crate::support::{command, tools};
use std::path::{Path, PathBuf};

/// Whether the programs are there; the test is skipped by name, or fails, as [`tools`] says.
pub fn ready() -> bool {
    tools(&["yosys", "yosys-smtbmc", "z3"])
}

/// How a property is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// From reset, so many cycles.
    Bounded,
    /// After so many good cycles the next is good.
    Induction,
    /// What the covers name happens within so many cycles.
    Cover,
}

/// What is to be proved, in SMT-LIB.
pub struct Problem(PathBuf);

impl Problem {
    /// Made of the Verilog in `folder` by Yosys commands that leave out the last, `write_smt2`.
    pub fn new(folder: &Path, script: &str) -> Self {
        let script = format!("{script}; write_smt2 -wires problem.smt2");
        let out = command("yosys").args(["-q", "-p", &script]).current_dir(folder).output().expect("yosys starts");
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        Self(folder.join("problem.smt2"))
    }

    /// Whether it holds; what the solver said when it does not.
    pub fn prove(&self, mode: Mode, cycles: usize) -> Result<(), String> {
        let mode: &[&str] = match mode {
            Mode::Bounded => &[],
            Mode::Induction => &["-i"],
            Mode::Cover => &["-c"],
        };
        let out = command("yosys-smtbmc")
            .args(["-s", "z3", "-t", &cycles.to_string()])
            .args(mode)
            .arg(&self.0)
            .output()
            .expect("yosys-smtbmc starts");
        let said = String::from_utf8_lossy(&out.stdout).into_owned();
        match said.lines().last() {
            Some(line) if out.status.success() && line.ends_with("Status: PASSED") => Ok(()),
            _ => Err(said),
        }
    }
}
