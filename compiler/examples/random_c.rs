//! Runs random C programs through host and compiler: `--count N`, `--seed S`, `--batch N`, `--reduce`;
//! `--print S` writes the program of a seed.

use std::time::{Duration, Instant};
use warpsmith_compiler::clang::find;
use warpsmith_testkit::random_c::{generate, print, reduce, run};

fn option(name: &str) -> Option<u64> {
    let mut args = std::env::args().skip_while(|a| a != name);
    args.nth(1)?.parse().ok()
}

fn main() -> Result<(), String> {
    if let Some(seed) = option("--print") {
        print!("{}{}", print::PRELUDE, print::program(&generate::program(seed), 0));
        return Ok(());
    }
    let clang = find::find(None).map_err(|e| e.to_string())?;
    let first = option("--seed").unwrap_or(1);
    let count = option("--count").unwrap_or(100);
    let size = option("--batch").unwrap_or(20);
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let start = Instant::now();
    let mut all = run::Batch::default();
    let seeds: Vec<u64> = (first..first + count).collect();
    for part in seeds.chunks(size.max(1) as usize) {
        match run::seeds(&clang, part, folder.path()) {
            Ok(batch) => {
                for (p, f) in &batch.failures {
                    println!("seed {}: {:?}: {}", p.seed, f.way, f.detail);
                }
                all.add(batch);
            }
            Err(e) => println!("seeds {} to {}: {e}", part[0], part[part.len() - 1]),
        }
    }
    println!(
        "{} programs, {} failures, {} left out, {} warp instructions, stack depth {}, {} words spilled at most, {:.1} s",
        all.programs,
        all.failures.len(),
        all.left_out,
        all.instructions,
        all.stack_depth,
        all.spilled,
        start.elapsed().as_secs_f64()
    );
    if std::env::args().any(|a| a == "--reduce") {
        let mut seen: Vec<String> = vec![];
        for (p, f) in &all.failures {
            if f.kind != "wrong result" && seen.contains(&f.kind) {
                continue;
            }
            seen.push(f.kind.clone());
            let (small, f) = reduce::reduce(&clang, p, f, folder.path(), Duration::from_secs(240));
            println!("--- {:?}: {}\n{}", f.way, f.detail, print::program(&small, 0));
        }
    }
    Ok(())
}
