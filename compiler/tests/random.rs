//! Random C programs: our machine code on the golden model gives what the host's compiler computes.

use crate::random_c;
use random_c::{print, reduce, run};
use std::time::Duration;
use warpsmith_compiler::clang::find;

/// Programs of a batch share the calls of both compilers.
const BATCH: usize = 20;

#[test]
fn random_programs_compute_what_the_host_computes() {
    let Ok(clang) = find::find(None) else {
        assert!(
            std::env::var_os("WARPSMITH_REQUIRE_TOOLS").is_none(),
            "clang is missing: `warpsmith doctor` says how to install it"
        );
        println!("skipped: random_programs_compute_what_the_host_computes: clang not found");
        return;
    };
    let count = if std::env::var_os("WARPSMITH_SOAK").is_some() {
        2000
    } else {
        60
    };
    let first: u64 = std::env::var("WARPSMITH_SEED")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(1);
    println!("WARPSMITH_SEED={first}: {count} programs from this seed on");
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let seeds: Vec<u64> = (first..first + count).collect();
    let mut all = run::Batch::default();
    for part in seeds.chunks(BATCH) {
        all.add(
            run::seeds(&clang, part, folder.path())
                .unwrap_or_else(|e| panic!("seed {}: {e}", part[0])),
        );
    }
    println!(
        "{} programs, {} warp instructions, stack depth {}, {} words spilled at most",
        all.programs, all.instructions, all.stack_depth, all.spilled
    );
    // A refusal that docs/compiler.md names is no wrong result.
    all.failures
        .retain(|(_, f)| !f.detail.contains("may point to more than one of"));
    if let Some((p, f)) = all.failures.first() {
        let list: Vec<String> = all
            .failures
            .iter()
            .map(|(p, f)| format!("seed {}, {:?}: {}", p.seed, f.way, f.detail))
            .collect();
        let (small, f) = reduce::reduce(&clang, p, f, folder.path(), Duration::from_secs(120));
        panic!(
            "{} of {count} programs fail:\n{}\nthe first of them, reduced ({:?}: {}):\n{}",
            all.failures.len(),
            list.join("\n"),
            f.way,
            f.detail,
            print::program(&small, 0)
        );
    }
    assert!(all.stack_depth <= 16, "stack depth {}", all.stack_depth);
}
