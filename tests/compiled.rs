//! Programs in C: results on the model whatever state is undefined, in lockstep on every chip, and warp
//! instructions against the same kernels written by hand.

use crate::support::set_chip::native;
use crate::support::{self, sim};
use std::path::PathBuf;
use warpsmith_bench::compiled::Table;
use warpsmith_bench::suite;
use warpsmith_compiler::clang::{find, Clang};
use warpsmith_cosim::Chip;
use warpsmith_isa::ChipInfo;
use warpsmith_model::{Machine, ModelConfig};

/// The installed clang; without one the test is skipped, or fails where tools are required.
fn clang() -> Option<Clang> {
    let found = find::find(None).ok();
    if found.is_none() {
        support::absent("clang");
    }
    found
}

fn files() -> Vec<PathBuf> {
    suite::program_files(support::root()).unwrap_or_else(|e| panic!("{e}"))
}

/// A named chip.
fn target(config: &str) -> ChipInfo {
    warpsmith_hdl::info(&sim::config(config, &[]), config)
}

#[test]
fn every_kernel_is_there_in_c() {
    let files = files();
    for name in support::kernel_names() {
        let folder = support::root().join("kernels").join(&name);
        assert!(files.iter().any(|f| f.starts_with(&folder)), "{name}: no program in C");
    }
}

#[test]
fn programs_meet_their_expectations_on_the_model() {
    if clang().is_none() {
        return;
    }
    for file in files() {
        let launch = warpsmith_launch_file::load(&file).unwrap_or_else(|e| panic!("{e}"));
        assert!(!launch.expects.is_empty(), "{}: nothing is expected", file.display());
        for fill in [None, Some(1), Some(2)] {
            let config = ModelConfig { fill, stack_depth: 16, tier: Default::default(), ..ModelConfig::default() };
            let mut machine = Machine::new(&launch, config);
            machine.run(1_000_000).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
            let differences = launch.compare(machine.global());
            assert!(differences.is_empty(), "{}, fill {fill:?}: {}", file.display(), differences[0]);
        }
    }
}

/// Every other version of clang that is installed makes programs that give the same results.
#[test]
fn programs_of_every_clang_meet_their_expectations() {
    if clang().is_none() {
        return;
    }
    let mut tried = 0;
    for version in ["22", "19", "16", "14"] {
        let path = PathBuf::from(format!("/usr/bin/clang-{version}"));
        if !path.exists() {
            continue;
        }
        tried += 1;
        for file in files() {
            let status =
                support::warpsmith_with(&["run".as_ref(), file.as_os_str(), "--on".as_ref(), "model".as_ref()], |c| {
                    c.env("WARPSMITH_CLANG", &path)
                });
            let (code, out, err) = support::outcome(&status);
            assert_eq!(code, 0, "{} with clang {version}: {out}{err}", file.display());
        }
    }
    println!("{tried} versions of clang");
}

/// Every program in lockstep; those that a small chip cannot hold or execute are refused with a reason.
fn all_agree(config: &str) {
    if clang().is_none() {
        return;
    }
    let Some(chip) = sim::chip(config, &[]) else { return };
    let target = target(config);
    let (mut ran, mut refused) = (0, vec![]);
    for file in files() {
        let launch = warpsmith_launch_file::load_for(&file, &target).and_then(|l| {
            l.check_fits(chip.info())?;
            Ok(l)
        });
        match launch {
            Ok(launch) => {
                sim::agree_on(&chip, &launch);
                ran += 1;
            }
            Err(e) => refused.push(e.to_string()),
        }
    }
    println!("{config}: {ran} programs agree, {} are refused", refused.len());
    refused.iter().for_each(|r| println!("  {r}"));
    let small = config == "tiny";
    assert!(small || refused.is_empty(), "{refused:?}");
    assert!(ran >= 16, "{ran} programs");
}

#[test]
fn programs_agree_in_lockstep_on_tiny() {
    all_agree("tiny");
}

#[test]
fn programs_agree_in_lockstep_on_default() {
    all_agree("default");
}

#[test]
fn programs_agree_in_lockstep_on_wide() {
    all_agree("wide");
}

/// Four SMs take longest to build; the order of their memory accesses is what they add.
#[test]
fn programs_agree_in_lockstep_on_quad() {
    if support::only_in_soak() {
        all_agree("quad");
    }
}

/// Function pointers, virtual functions, recursion and the heap on the chip.
#[test]
fn calls_and_the_heap_agree_in_lockstep() {
    if clang().is_none() {
        return;
    }
    let folder = support::root().join("compiler/tests/sources");
    let agree = |chip: &Chip, file: &str, kernel: &str, keys: &str| {
        let text =
            format!("program = \"{file}\"\nkernel = \"{kernel}\"\n{keys}\n[[buffer]]\nname = \"a\"\nbytes = 512\n");
        let launch = warpsmith_launch_file::parse_for(&folder.join("calls.toml"), &text, chip.info());
        let launch = launch.unwrap_or_else(|e| panic!("{e}"));
        sim::agree_on(chip, &launch);
    };
    let chip = native("default", &[]);
    let grid = "grid = [1]\nblock = [64]";
    agree(&chip, "calls.cu", "pointers", &format!("{grid}\nargs = [\"a\", \"difference\"]"));
    for kernel in ["objects", "recursion"] {
        agree(&chip, "calls.cu", kernel, &format!("{grid}\nargs = [\"a\"]"));
    }
    let chip = native("compute", &[]);
    // Blocks of all threads at once have room in the first heap, in any order of the warps.
    for (kernel, heap, argument) in [("k", 65536, 2), ("full", 16384, 300)] {
        let heap = format!("heap_bytes = {heap}\nlevel = \"sm11\"\ngrid = [2]\nblock = [64]");
        agree(&chip, "heap.cu", kernel, &format!("{heap}\nargs = [\"a\", {argument}]"));
    }
}

#[test]
fn compiled_kernels_are_as_good_as_the_table_says() {
    let Some(clang) = clang() else { return };
    let table = Table::load(&support::root().join("docs/benchmarks/compiler.toml")).unwrap_or_else(|e| panic!("{e}"));
    let measured = Table::measure(support::root(), clang.major()).unwrap_or_else(|e| panic!("{e}"));
    let faults = table.faults(&measured);
    assert!(
        faults.is_empty(),
        "`warpsmith bench --suite programs --update-baseline` accepts changes, with the reason in the commit:\n{}",
        faults.join("\n")
    );
    // The page shows the table.
    let page = support::root().join("docs/benchmarks/README.md");
    let page = std::fs::read_to_string(&page).unwrap_or_else(|e| panic!("{}: {e}", page.display()));
    for row in table.markdown().lines() {
        assert!(page.contains(row), "docs/benchmarks/README.md lacks: {row}");
    }
}
