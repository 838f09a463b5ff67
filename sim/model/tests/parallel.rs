//! Kernels on the quick path and on several threads leave exactly what they leave on the plain one, block after block. Programs that race on
//! purpose are in the crate's own tests.

use std::path::PathBuf;
use warpsmith_model::{Launch, Machine, ModelConfig, RunError, Stats};

/// Launch files of `folder`, in order.
fn launches(folder: PathBuf) -> Vec<Launch> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.expect("a folder entry").path().join("launch.toml"))
        .filter(|f| f.is_file())
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{}", folder.display());
    let load = |f: &PathBuf| warpsmith_launch_file::load(f).unwrap_or_else(|e| panic!("{e}"));
    files.iter().map(load).collect()
}

/// How a run ended, its counts, and all memory it wrote.
type Left = (Result<Stats, RunError>, Stats, Vec<(u32, Vec<u8>)>);

fn left_by(plain: bool, launch: &Launch, run: impl Fn(&mut Machine) -> Result<Stats, RunError>) -> Left {
    let mut m = Machine::new(launch, ModelConfig { plain, ..ModelConfig::default() });
    let ended = run(&mut m);
    let pages = m.global().pages().map(|(a, b)| (a, b.to_vec())).collect();
    (ended, m.stats(), pages)
}

fn compare(folder: PathBuf) {
    for launch in launches(folder) {
        // The whole run, and one that stops in the middle.
        let whole = left_by(true, &launch, |m| m.run(10_000_000));
        assert!(whole.0.is_ok(), "{}: {:?}", launch.name, whole.0);
        let half = whole.1.warp_instructions / 2;
        for (max, plain) in [(10_000_000, whole), (half, left_by(true, &launch, |m| m.run(half)))] {
            let quick = left_by(false, &launch, |m| m.run(max));
            assert!(quick == plain, "{}, at most {max} instructions: {:?}, not {:?}", launch.name, quick.0, plain.0);
            for threads in [1, 2, 3, 8] {
                let waves = left_by(false, &launch, |m| m.run_parallel(max, threads));
                // Not assert_eq: nobody reads pages of bytes.
                assert!(
                    waves == plain,
                    "{}, {threads} threads, at most {max} instructions: {:?}, not {:?}",
                    launch.name,
                    waves.0,
                    plain.0
                );
            }
        }
    }
}

#[test]
fn our_kernels_do_not_depend_on_the_number_of_threads() {
    compare(PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels")));
}

#[test]
fn nvidias_programs_do_not_depend_on_the_number_of_threads() {
    if let Some(folder) = warpsmith_testkit::shared() {
        compare(folder.join("kernels"));
    }
}
