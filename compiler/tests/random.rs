//! Random C programs: our machine code on the golden model gives what the host's compiler computes.

use std::time::Duration;
use warpsmith_compiler::clang::find;
use warpsmith_testkit::random_c::{generate, print, reduce, run, typing};
use warpsmith_testkit::{cases, found};

/// Programs of a batch share the calls of both compilers.
const BATCH: usize = 20;

/// Programs that failed once: two were no C, one needed a divergence stack without end, one multiplies two constants of
/// 16 bits.
const KNOWN: [u64; 4] = [2_117_569_816, 1_183_705_557, 1_809_410_796, 3_562_956];

#[test]
fn every_program_is_c() {
    for seed in KNOWN.into_iter().chain(1..4000) {
        if let Err(e) = typing::check(&generate::program(seed)) {
            panic!("seed {seed}: {e}");
        }
    }
}

#[test]
fn random_programs_compute_what_the_host_computes() {
    let Some(clang) = found(find::find(None)) else { return };
    let count = cases(60, 2000);
    let first: u64 = std::env::var("WARPSMITH_SEED")
        .map_or(1, |s| s.parse().unwrap_or_else(|_| panic!("WARPSMITH_SEED={s}: a number is needed")));
    println!("WARPSMITH_SEED={first}: {count} programs from this seed on");
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let seeds: Vec<u64> = KNOWN.into_iter().chain(first..first + count).collect();
    let mut all = run::Batch::default();
    for part in seeds.chunks(BATCH) {
        all.add(run::seeds(&clang, part, folder.path()).unwrap_or_else(|e| panic!("seed {}: {e}", part[0])));
    }
    println!(
        "{} programs, {} left out, {} warp instructions, stack depth {}, {} words spilled at most",
        all.programs, all.left_out, all.instructions, all.stack_depth, all.spilled
    );
    assert!(run::few(all.left_out, all.programs), "{} left out", all.left_out);
    if let Some((p, f)) = all.failures.first() {
        let list: Vec<String> =
            all.failures.iter().map(|(p, f)| format!("seed {}, {:?}: {}", p.seed, f.way, f.detail)).collect();
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
    assert!(all.stack_depth <= run::TINY, "{}", all.stack_depth);
}
