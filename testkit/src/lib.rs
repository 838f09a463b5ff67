//! What the tests of all crates share: paths, tools that may be missing, long runs, random numbers, random
//! programs and designs, a cluster. No production code depends on it.

#[cfg(feature = "netlist")]
pub mod netlist;
mod random;
#[cfg(feature = "random-c")]
pub mod random_c;
pub mod slurm;

pub use random::Random;

use std::fmt::Display;
use std::path::{Path, PathBuf};

/// Root of the workspace.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder above testkit")
}

/// Folder of data from outside the project: `WARPSMITH_SHARED`, or `../shared`. It need not exist.
pub fn shared_folder() -> PathBuf {
    std::env::var_os("WARPSMITH_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from)
}

/// [`shared_folder`], if it has the programs of NVIDIA's compiler in `kernels`. Absent, the test named `what` is
/// reported as skipped, even where tools are demanded.
pub fn shared(what: &str) -> Option<PathBuf> {
    let dir = shared_folder();
    if dir.join("kernels").is_dir() {
        return Some(dir);
    }
    println!("skipped: {what}: programs of NVIDIA's compiler absent");
    None
}

/// Whether a missing tool fails a test instead of skipping it: `WARPSMITH_REQUIRE_TOOLS` is set, as `make test` and
/// CI do.
pub fn demanded() -> bool {
    std::env::var_os("WARPSMITH_REQUIRE_TOOLS").is_some()
}

/// Something the test named `what` needs is missing: the test is reported as skipped, or fails where tools are
/// [`demanded`]. Never true.
pub fn absent(what: &str, missing: impl Display) -> bool {
    assert!(!demanded(), "{what} needs {missing}: `warpsmith doctor` says how to install it");
    println!("skipped: {what}: {missing} not found");
    false
}

/// A tool that was looked for, or its absence as [`absent`] reports it.
pub fn found<T, E: Display>(what: &str, tool: Result<T, E>) -> Option<T> {
    tool.map_err(|e| absent(what, e)).ok()
}

/// Whether the long tests are asked for (`make soak`).
pub fn soak() -> bool {
    std::env::var_os("WARPSMITH_SOAK").is_some()
}

/// [`soak`], for a test that runs only then; otherwise it is reported as skipped.
pub fn only_in_soak(what: &str) -> bool {
    if !soak() {
        println!("skipped: {what}: only in make soak");
    }
    soak()
}

/// Cases of a test: `usual`, or `long` in `make soak`.
pub fn cases<T>(usual: T, long: T) -> T {
    match soak() {
        true => long,
        false => usual,
    }
}
