//! Times of builds and launches on the model, beside those of PoCL on the host: processor time, least of some rounds.

#[path = "../tests/support.rs"]
#[allow(dead_code)]
mod support;

use std::path::{Path, PathBuf};
use support::{host_in, passes, pocl, tools, with_driver, Driver};

/// Figures of a run and their names, in the order of the program.
fn run(program: &Path, driver: Driver, cache: &Path) -> Vec<(String, f64)> {
    let mut command = with_driver(program, driver);
    command.env("WARPSMITH_CACHE", cache).env("POCL_CACHE_DIR", cache);
    let text = passes("times", &mut command);
    let line = |l: &str| {
        let (figure, name) = l.split_once(' ')?;
        Some((name.to_string(), figure.parse().ok()?))
    };
    text.lines().filter_map(line).collect()
}

fn main() {
    if !tools() || !pocl() {
        return;
    }
    let program = host_in(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("benches"), "times");
    let cache = tempfile::tempdir().expect("a folder");
    println!("{:<52} {:>10} {:>10} {:>8}", "processor time, ms", "Warpsmith", "PoCL", "ratio");
    for state in ["new", "kept"] {
        let ours = run(&program, Driver::Warpsmith("model"), cache.path());
        let theirs = run(&program, Driver::Pocl, cache.path());
        for ((name, a), (_, b)) in ours.iter().zip(&theirs) {
            // Launches are the same with a kept source.
            let is_build = name.starts_with("build");
            if is_build || state == "kept" {
                let name = if is_build { format!("{name}, {state}") } else { name.clone() };
                println!("{name:<52} {a:>10.2} {b:>10.2} {:>8.2}", a / b);
            }
        }
    }
}
