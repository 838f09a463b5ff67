use super::super::state::Limits;
use super::generate;
use crate::random::tests::sets::{run, Order};
use warpsmith_model::g13::G13;
use warpsmith_model::uop::Machine;

fn tiny() -> Limits {
    Limits {
        isa: "g13",
        ..Limits::tiny()
    }
}

fn programs(count: u64, limits: &Limits) {
    let mut instructions = 0;
    let mut forms = std::collections::BTreeMap::new();
    for seed in 0..count {
        let launch = generate(seed, limits, 300 + (seed as u32 % 10) * 300);
        assert!(
            launch.code.len() as u32 <= limits.program_bytes,
            "seed {seed}"
        );
        let machine = || Machine::new(&G13, &launch, 16);
        let first = run(seed, &launch, machine(), Order::Turns, &mut |slot, _, _| {
            *forms.entry(slot.instr.row).or_insert(0u64) += 1;
        });
        for order in [Order::First, Order::Last] {
            let again = run(seed, &launch, machine(), order, &mut |_, _, _| {});
            assert!(
                first == again,
                "seed {seed}: depends on the order of the groups"
            );
        }
        instructions += first.0;
    }
    println!(
        "{count} programs, {instructions} instructions, {} forms",
        forms.len()
    );
    let rows = super::rows().0;
    for row in rows.iter().filter(|r| !forms.contains_key(r)) {
        println!("    never met: {}", super::words::form(*row).name);
    }
    let met = rows.iter().filter(|r| forms.contains_key(r)).count();
    assert!(met * 100 >= rows.len() * 95, "{met} of {}", rows.len());
}

#[test]
fn random_programs_end_without_traps_whatever_the_order_of_the_groups() {
    programs(100, &tiny());
}

#[test]
#[ignore = "soak: WARPSMITH_SEEDS programs (3000), minutes"]
fn many_random_programs_end_without_traps() {
    let count = std::env::var("WARPSMITH_SEEDS")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(3000);
    programs(count, &tiny());
}
