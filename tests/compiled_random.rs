//! Random C programs in lockstep: compiled by us, Verilog and model compared at every warp instruction,
//! results compared with the host's compiler.

use crate::support::{self, sim};

use warpsmith_compiler::clang::find;
use warpsmith_testkit::random_c::program::{Program, BLOCKS, RESULTS, THREADS};
use warpsmith_testkit::random_c::{device, generate, host, run};

/// Programs of a call of both compilers.
const BATCH: usize = 10;

fn agree(config: &str, count: u64) {
    let Some(clang) = support::found(find::find(None)) else { return };
    let Some(chip) = sim::chip(config, &[]) else { return };
    let first = sim::seed() & 0xffff_ffff;
    println!("WARPSMITH_SEED={first}: {count} programs from this seed on");
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let seeds: Vec<u64> = (first..first + count).collect();
    let target = run::target(chip.info().stack_depth);
    let mut left_out = 0;
    for part in seeds.chunks(BATCH) {
        let programs: Vec<Program> = part.iter().map(|s| generate::program(*s)).collect();
        let list: Vec<&Program> = programs.iter().collect();
        let expected = host::run(&list, folder.path()).unwrap_or_else(|e| panic!("{e}"));
        for way in run::WAYS {
            let ptx = device::ptx(&clang, &list, way.level, folder.path()).unwrap_or_else(|e| panic!("{e}"));
            for (n, p) in list.iter().enumerate() {
                let compiled = device::compile(&ptx, n, way, &target);
                let (unit, kernel) = match compiled {
                    Ok(compiled) => compiled,
                    Err(e) if run::refused(&e) => {
                        println!("left out: seed {}, {way:?}: {e}", p.seed);
                        left_out += 1;
                        continue;
                    }
                    Err(e) => panic!("seed {}, {way:?}: {e}", p.seed),
                };
                let mut launch = device::launch(p, &unit, &kernel);
                // What the chip cannot hold is no result.
                if let Err(e) = launch.check_fits(chip.info()) {
                    println!("left out: seed {}, {way:?}: {e}", p.seed);
                    left_out += 1;
                    continue;
                }
                // The run ends with what the host has computed.
                let bytes: Vec<u8> = expected[n].iter().flat_map(|w| w.to_le_bytes()).collect();
                assert_eq!(bytes.len(), (BLOCKS * THREADS) as usize * RESULTS * 8);
                launch.expects = vec![device::results(bytes)];
                sim::agree_on(&chip, &launch);
            }
        }
    }
    let all = seeds.len() * run::WAYS.len();
    println!("{all} programs, {left_out} left out");
    assert!(run::few(left_out, all), "{left_out} of {all} left out");
}

#[test]
fn random_programs_agree_in_lockstep_on_default() {
    let count = support::cases(20, 200);
    agree("default", count);
}

#[test]
fn random_programs_agree_in_lockstep_on_wide() {
    let count = support::cases(10, 100);
    agree("wide", count);
}
