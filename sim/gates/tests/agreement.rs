//! The fast simulator against the slow one, fault by fault and pattern by pattern, on random circuits.

use crate::support::{circuit, random};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt::Write as _;
use warpsmith_gates::simulate::{run, Options};
use warpsmith_gates::{brute, Circuit, Collapsed, Fault, Gate, Model, Patterns, PinId};

/// Cells of a random circuit with reconvergence, chains, unread gates and flip-flops of all kinds.
pub fn random_cells(rng: &mut ChaCha8Rng, cells: usize) -> String {
    const GATES: [&str; 9] = ["AND", "NAND", "OR", "NOR", "XOR", "XNOR", "MUX", "NOT", "BUF"];
    const FLIP_FLOPS: [&str; 5] = ["DFF_P", "DFFE_PN", "SDFF_PP1", "SDFFE_PN0P", "SDFFCE_PP0N"];
    let mut nets: Vec<String> = ["a", "b", "c", "d", "1"].map(String::from).into();
    let states = rng.gen_range(0..4);
    nets.extend((0..states).map(|i| format!("q{i}")));
    let mut text = String::new();
    for i in 0..cells {
        let gate = GATES[rng.gen_range(0..GATES.len())];
        // Near nets oftener: chains and trees.
        let mut pick = || {
            let from = if rng.gen_bool(0.6) { nets.len().saturating_sub(6) } else { 0 };
            nets[rng.gen_range(from..nets.len())].clone()
        };
        let [a, b, s] = [pick(), pick(), pick()];
        writeln!(text, "w{i} = {gate} {a} {b} {s}").expect("a string takes all");
        nets.push(format!("w{i}"));
    }
    for i in 0..states {
        let kind = FLIP_FLOPS[rng.gen_range(0..FLIP_FLOPS.len())];
        let mut pick = || nets[rng.gen_range(0..nets.len())].clone();
        writeln!(text, "q{i} = {kind} clock {} {} {}", pick(), pick(), pick()).expect("a string takes all");
    }
    text
}

/// Whether the two agree on every fault and pattern; the classes too: all faults of one are shown by the same.
fn agree(circuit: &Circuit, against: &Circuit, model: Model, patterns: &Patterns) -> Result<(), String> {
    let list = Collapsed::new(circuit, model);
    let found = run(circuit, &list, patterns, Options { drop: false });
    let dropped = run(circuit, &list, patterns, Options { drop: true });
    for number in 0..list.faults() as u32 {
        let fault = Fault::of(number);
        let class = list.class(fault);
        let name = format!("{} {}", circuit.pin_name(fault.pin), model.fault(fault.value));
        let shown = |i: usize| brute::shows(against, model, fault, patterns.pattern(i), patterns.before(i));
        let all: Vec<usize> = (0..patterns.len()).filter(|i| !shown(*i).is_empty()).collect();
        let d = &found.detections[class];
        if (d.first, d.patterns as usize) != (all.first().copied(), all.len()) {
            return Err(format!("{name}: {d:?}, one by one {all:?}"));
        }
        if (dropped.detections[class].first, &dropped.detections[class].outputs) != (d.first, &d.outputs) {
            return Err(format!("{name}: with dropping {:?}", dropped.detections[class]));
        }
        if list.representatives()[class] == fault {
            let outputs = d.first.map_or(vec![], shown);
            if outputs != d.outputs.iter().map(|o| *o as usize).collect::<Vec<_>>() {
                return Err(format!("{name}: outputs {:?}, one by one {outputs:?}", d.outputs));
            }
        }
    }
    Ok(())
}

#[test]
fn fast_and_slow_agree_on_random_circuits() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for round in 0..warpsmith_testkit::cases(60, 3000) {
        let size = rng.gen_range(1..60);
        let outputs = format!("w{} w{}", size - 1, rng.gen_range(0..size));
        let outputs = if size == 1 { "w0" } else { &outputs };
        let mut seen = std::collections::BTreeSet::new();
        let outputs: Vec<&str> = outputs.split(' ').filter(|o| seen.insert(*o)).collect();
        let cells = random_cells(&mut rng, size);
        let c = circuit("clock a b c d", &outputs.join(" "), &cells);
        for model in [Model::StuckAt, Model::Transition] {
            // More than a word, and a part of one.
            let count = rng.gen_range(1..600);
            let patterns = random(&mut rng, &c, model, count);
            agree(&c, &c, model, &patterns).unwrap_or_else(|e| panic!("{round}, {model}: {e}\n{cells}"));
        }
    }
}

/// One input of one gate is another net: the comparison must fail for most such circuits, or it compares nothing.
#[test]
fn a_wrong_pin_is_noticed() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let (mut tried, mut noticed) = (0, 0);
    while tried < 20 {
        let cells = random_cells(&mut rng, 30);
        let c = circuit("clock a b c d", "w29 w28 w27 w26", &cells);
        let mut wrong = c.clone();
        let gates: Vec<usize> = (0..c.cells.len()).filter(|i| c.cells[*i].gate == Gate::And).collect();
        let Some(at) = gates.last() else { continue };
        let reads = &mut wrong.cells[*at].inputs;
        if reads[0] == 2 {
            continue;
        }
        reads[0] = 2;
        tried += 1;
        let patterns = random(&mut rng, &c, Model::StuckAt, 300);
        noticed += usize::from(agree(&wrong, &c, Model::StuckAt, &patterns).is_err());
    }
    assert!(noticed >= 10, "{noticed} of {tried}");
}

#[test]
fn pins_have_distinct_names() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let c = circuit("clock a b c d", "w39", &random_cells(&mut rng, 40));
    let names: std::collections::BTreeSet<String> = (0..c.pins().len() as u32).map(|p| c.pin_name(PinId(p))).collect();
    assert_eq!(names.len(), c.pins().len());
}
