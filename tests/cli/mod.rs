//! The command line: help, exit codes, one error line for every mistake.

mod config;
mod files;
mod isa;
mod run;
mod tools;
mod usage;

use crate::support::refuses;
use std::path::PathBuf;

/// A folder with files, and the path of the first.
fn folder(files: &[(&str, &[u8])]) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for (name, content) in files {
        std::fs::write(dir.path().join(name), content).expect("written");
    }
    let first = dir.path().join(files[0].0);
    (dir, first)
}

/// NOP with the exit marker.
const EXIT: &[u8] = b"f0000001\ne0000001\n";

const LAUNCH: &str = r#"program = "k.hex"
grid = [1, 1]
block = [32, 1, 1]
registers = 4
global_bytes = 256
"#;
