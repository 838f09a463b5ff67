//! No file of the simulation's crates imports itself through others; `hdl/tests/imports.rs` says so of the
//! chip's.

#[path = "support/imports.rs"]
mod imports;

use imports::Exception;
use std::path::Path;

/// Source folders, and the edges in them that may close a circle.
const FOLDERS: &[(&str, &[Exception])] = &[
    ("sim/model/src", &[]),
    ("sim/engine/src", &[]),
    ("sim/engine/verilator/src", &[]),
    ("sim/cosim/src", &[]),
    ("sim/fault/src", &[]),
    ("sim/cxx/src", &[]),
    ("sim/bench/src", &[]),
];

#[test]
fn no_file_of_the_simulation_imports_itself_through_others() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut circles = vec![];
    let mut edges = 0;
    for (folder, exceptions) in FOLDERS {
        match imports::check(&root.join(folder), exceptions) {
            Ok(n) => edges += n,
            Err(e) => circles.push(format!("{folder}: {e}")),
        }
    }
    assert!(circles.is_empty(), "{}", circles.join("\n"));
    assert!(edges > 150, "{edges} imports");
}
