//! Every instruction set with a model: kernels, forms of the table, programs without sense.

use crate::common::reference::cases;
use std::collections::BTreeMap;
use std::path::Path;
use warpsmith_isa::set::{Instr, InstructionSet, Row};
use warpsmith_isa::Isa;
use warpsmith_model::sets::{of, sets};
use warpsmith_model::uop::{Cause, Ended, Machine};
use warpsmith_model::{Launch, Model, ModelConfig};
use warpsmith_testkit::Random;

/// Launch files of the kernels of a set.
fn kernels(set: &str) -> Vec<std::path::PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels");
    let Ok(entries) = std::fs::read_dir(folder.join(set)) else { return vec![] };
    let files = entries.map(|e| e.expect("readable").path().join("launch.toml"));
    let mut files: Vec<_> = files.filter(|f| f.exists()).collect();
    files.sort();
    files
}

#[test]
fn the_kernels_of_every_set_meet_their_expectations() {
    for set in sets() {
        let name = set.instructions().name();
        let files = kernels(name);
        let mut instructions = 0;
        for file in &files {
            let launch = warpsmith_launch_file::load(file).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(launch.isa().name(), name, "{}", file.display());
            assert!(!launch.expects.is_empty(), "{}", file.display());
            let set = of(launch.isa()).expect("the set has a model");
            let mut m = Machine::new(set, &launch, 32);
            let stats = m.run(10_000_000);
            let stats = stats.unwrap_or_else(|e| panic!("{}: {e}", file.display()));
            // Blocks side by side and beside a trace, through the interface that every set shares.
            for threads in [1, 3] {
                let mut model = Model::new(&launch, ModelConfig::default());
                assert_eq!(model.run(10_000_000, threads, None), Ok(stats), "{}", file.display());
                assert_eq!(launch.compare(model.state().global), [], "{}", file.display());
            }
            let (mut model, mut seen) = (Model::new(&launch, ModelConfig::default()), 0);
            let traced = model.run(10_000_000, 1, Some(&mut |_| seen += 1));
            assert_eq!((traced, seen), (Ok(stats), stats.warp_instructions), "{}", file.display());
            let differences = launch.compare(m.global());
            assert!(
                differences.is_empty(),
                "{}: {} words differ, first {}",
                file.display(),
                differences.len(),
                differences[0]
            );
            instructions += stats.warp_instructions;
        }
        println!("{name}: {} kernels, {instructions} warp instructions", files.len());
        assert!(files.len() >= 6, "{name}: {} kernels", files.len());
    }
}

/// A random legal instruction of a row; reserved bits are 0.
fn random(set: &dyn InstructionSet, forms: &[(Row, Option<Instr>)], row: usize, r: &mut Random) -> Option<Vec<u8>> {
    let (form, sample) = &forms[row];
    let reserved = form.layout.iter().filter(|l| l.2 == "reserved").fold(0, |m, l| m | ((1u128 << l.1) - 1) << l.0);
    let noise = u128::from(r.bits()) | u128::from(r.bits()) << 64;
    // Small numbers in most fields: registers near each other, short offsets.
    let noise = match r.below(3) {
        0 => noise,
        1 => noise & u128::from(r.bits()) | noise & u128::from(r.bits()) << 64,
        _ => noise & (u128::from(r.bits()) | u128::from(r.bits()) << 64),
    };
    let free = !form.mask & !reserved;
    // Where few bits make a legal instruction, one of those with some bits changed.
    let bits = match sample {
        Some(i) if r.below(2) == 0 => {
            let few = noise & u128::from(r.bits() & r.bits()) << (64 * r.below(2));
            i.code.bits() ^ few & free
        }
        _ => form.match_ | noise & free,
    };
    let instr = set.decode(&bits.to_le_bytes()).ok()?;
    (instr.row == row).then(|| instr.code.to_vec())
}

/// The rows of a set, an instruction of each.
fn forms(set: &dyn InstructionSet) -> Vec<(Row, Option<Instr>)> {
    let rows = set.rows().into_iter().enumerate();
    rows.map(|(n, row)| (row, set.sample(n))).collect()
}

fn launch(isa: Isa, code: Vec<u8>) -> Launch {
    Launch {
        block: [40, 1, 1],
        params: vec![0x100, 0x200, 0x300, 4],
        global_bytes: 1 << 16,
        shared_bytes: 1 << 12,
        local_bytes: 256,
        ..Launch::from_code(isa, code)
    }
}

#[test]
fn every_form_executes_or_says_why_not() {
    for set in sets() {
        let table = set.instructions();
        let (mut executed, mut trapping, mut silent) = (0, BTreeMap::new(), vec![]);
        let rows = forms(table);
        for (row, (form, _)) in rows.iter().enumerate() {
            let mut r = Random(row as u64);
            let (mut runs, mut refused, mut other) = (0, None, 0);
            for _ in 0..300 {
                let Some(code) = random(table, &rows, row, &mut r) else { continue };
                let mut m = Machine::new(*set, &launch(table.isa(), code), 32);
                match m.run(1) {
                    Err(Ended::Trap(t)) if t.pc == 0 => match t.cause {
                        Cause::Unimplemented { reason, .. } => refused = Some(reason),
                        _ => other += 1,
                    },
                    _ => runs += 1,
                }
            }
            match (runs, refused) {
                (0, Some(reason)) => {
                    *trapping.entry(reason).or_insert(0) += 1;
                }
                (0, None) if other == 0 => silent.push(form.name),
                _ => executed += 1,
            }
        }
        println!("{}: {executed} forms execute", table.name());
        for (reason, n) in &trapping {
            println!("  {n} trap: {reason}");
        }
        println!("  {} had no random instruction: {silent:?}", silent.len());
        assert!(executed > 0);
    }
}

#[test]
fn programs_without_sense_end_in_a_trap_or_at_the_limit() {
    for set in sets() {
        let table = set.instructions();
        let rows = forms(table);
        let (mut traps, mut ends, mut limits) = (0, 0, 0);
        for seed in 0..u64::from(cases(400)) {
            let mut r = Random(seed << 8);
            let mut code = vec![];
            for _ in 0..24 {
                if r.below(40) == 0 {
                    code.extend(&r.bits().to_le_bytes()[..table.unit()]);
                }
                code.extend(random(table, &rows, r.below(rows.len() as u32) as usize, &mut r).unwrap_or_default());
            }
            let mut m = Machine::new(*set, &launch(table.isa(), code), 8);
            match m.run(2_000) {
                Ok(_) => ends += 1,
                Err(Ended::Trap(_)) => traps += 1,
                Err(Ended::InstructionLimit { .. }) => limits += 1,
            }
        }
        println!("{}: {traps} traps, {ends} ends, {limits} at the limit", table.name());
    }
}
