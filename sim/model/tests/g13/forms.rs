//! Every form of the table executes or traps as unimplemented, as its status says.

use super::Bench;
use std::collections::{BTreeMap, BTreeSet};
use warpsmith_isa::g13::{table::TABLE, G13};
use warpsmith_isa::set::{low_bits, Instr, InstructionSet, Status};
use warpsmith_model::uop::Cause;
use warpsmith_testkit::Random;

/// A legal instruction of a row with random fields.
pub fn instruction(row: usize, random: &mut Random) -> Option<Instr> {
    let f = TABLE.forms()[row];
    (0..200).find_map(|_| {
        let raw = u128::from(random.bits()) | u128::from(random.bits()) << 64;
        // Registers are halves as often as words, and some bits are rare.
        let raw = raw & !f.mask | f.match_;
        let bytes = (raw & low_bits(8 * 12)).to_le_bytes();
        let instr = G13.decode(&bytes).ok()?;
        (instr.row == row).then_some(instr)
    })
}

#[test]
fn every_form_executes_or_is_named_as_unimplemented() {
    let mut random = Random(1);
    let mut executed = BTreeSet::new();
    let mut causes: BTreeMap<String, usize> = BTreeMap::new();
    let mut unimplemented: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let mut steps = 0;
    for (row, form) in TABLE.forms().iter().enumerate() {
        for _ in 0..100 {
            let Some(instr) = instruction(row, &mut random) else {
                panic!("{}: no legal instruction", form.name);
            };
            let mut bench = Bench::new();
            for r in 0..128 {
                let (small, same) = (random.below_wide(2) == 0, random.below_wide(2) == 0);
                let all = random.bits();
                for l in 0..32 {
                    let v = if same { all } else { random.bits() };
                    let v = if small { v & 0xff } else { v & 0xffff_ffff };
                    bench.set(&format!("r{r}"), l, v);
                }
            }
            steps += 1;
            match bench.step(&instr.code.to_vec(), random.bits() as u32) {
                Ok(_) => {
                    executed.insert(form.name);
                }
                Err(f) => match f.cause {
                    Cause::Unimplemented { reason, .. } => {
                        unimplemented.entry(form.name).or_default().insert(reason);
                    }
                    Cause::OutOfRange { .. } => *causes.entry("out of range".into()).or_default() += 1,
                    Cause::Misaligned { .. } => *causes.entry("misaligned".into()).or_default() += 1,
                    other => *causes.entry(other.to_string()).or_default() += 1,
                },
            }
        }
    }
    let never: Vec<&str> = TABLE.forms().iter().map(|f| f.name).filter(|n| !executed.contains(n)).collect();
    println!(
        "forms: {} of {} execute, {} never ({never:?}), {steps} instructions, other traps {causes:?}",
        executed.len(),
        TABLE.forms().len(),
        never.len()
    );
    for f in TABLE.forms() {
        let whole = matches!(f.status, Status::Excluded | Status::Unknown | Status::Todo);
        // The form trap always traps; that is what it does.
        let runs = executed.contains(f.name) || f.name == "trap";
        assert_eq!(runs, !whole, "{}: {:?}", f.name, unimplemented.get(f.name));
        assert!(!whole || unimplemented.contains_key(f.name), "{}", f.name);
    }
}
