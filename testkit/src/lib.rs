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

/// Name of the running test, as the test program says it.
pub fn test_name() -> String {
    std::thread::current().name().unwrap_or("a thread of a test").into()
}

/// Folder of data from outside the project: `WARPSMITH_SHARED`, or `../shared`. It need not exist.
pub fn shared_folder() -> PathBuf {
    std::env::var_os("WARPSMITH_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from)
}

/// [`shared_folder`], if it has the programs of NVIDIA's compiler in `kernels`. Absent, the test is reported as
/// skipped, even where tools are demanded.
pub fn shared() -> Option<PathBuf> {
    let dir = shared_folder();
    if dir.join("kernels").is_dir() {
        return Some(dir);
    }
    println!("skipped: {}: programs of NVIDIA's compiler absent", test_name());
    None
}

/// Whether a missing tool fails a test instead of skipping it: `WARPSMITH_REQUIRE_TOOLS` is set, as `make test` and
/// CI do.
pub fn demanded() -> bool {
    std::env::var_os("WARPSMITH_REQUIRE_TOOLS").is_some()
}

/// Something the test needs is missing: it is reported as skipped, or fails where tools are [`demanded`]. Never true.
pub fn absent(missing: impl Display) -> bool {
    let test = test_name();
    assert!(!demanded(), "{test} needs {missing}: `warpsmith doctor` says how to install it");
    println!("skipped: {test}: {missing} not found");
    false
}

/// A tool that was looked for, or its absence as [`absent`] reports it.
pub fn found<T, E: Display>(tool: Result<T, E>) -> Option<T> {
    tool.map_err(absent).ok()
}

/// Whether the long tests are asked for (`make soak`).
pub fn soak() -> bool {
    std::env::var_os("WARPSMITH_SOAK").is_some()
}

/// [`soak`], for a test that runs only then; otherwise it is reported as skipped.
pub fn only_in_soak() -> bool {
    if !soak() {
        println!("skipped: {}: only in make soak", test_name());
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
