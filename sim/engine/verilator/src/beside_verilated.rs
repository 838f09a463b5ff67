//! The integer unit through the crate `verilated` beside this crate's own bridge: every port in every cycle.

use crate::int_unit::IntUnit;
use crate::{BuildOptions, Module, Verilator};
use warpsmith_contract::{Direction, Port};
use warpsmith_engine::{Device, Engine};

const CYCLES: usize = 10_000;
/// Cycles until every register has been given by inputs.
const DEPTH: usize = 3;

/// Ports of the unit: name and width. `clock` comes first.
const INPUTS: [(&str, usize); 6] = [("ctl", 35), ("a", 32), ("b", 32), ("c", 32), ("cin", 1), ("product", 48)];
const OUTPUTS: [(&str, usize); 5] = [("negative", 1), ("addend", 32), ("magnitude", 32), ("y", 32), ("flags", 4)];

fn chip() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../rtl-out/default/warpsmith.v");
    std::fs::read_to_string(path).expect("the committed chip")
}

/// Header of the unit in the Verilog.
fn header(verilog: &str) -> &str {
    let module = verilog.split("\nmodule int_unit (").nth(1);
    let header = module.and_then(|m| m.split(");").next());
    header.expect("the chip has an integer unit")
}

fn bridge(verilog: String) -> Box<dyn Device> {
    let mut ports = vec![Port::input("clock", 1)];
    ports.extend(INPUTS.map(|(n, w)| Port::input(n, w)));
    ports.extend(OUTPUTS.map(|(n, w)| Port::new(n, w, Direction::Output)));
    let module = Module { sources: &[("warpsmith.v".into(), verilog.into_bytes())], top: "int_unit", ports: &ports };
    let options = BuildOptions { quick: true, ..BuildOptions::default() };
    let engine = Verilator::build(&module, &[], &options).unwrap_or_else(|e| panic!("{e}"));
    engine.device(1)
}

/// Random inputs of a cycle, every third a small number.
fn inputs(state: &mut u64) -> [u64; 6] {
    INPUTS.map(|(_, width)| {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        let small = if *state % 3 == 0 { 60 } else { 0 };
        state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> (64 - width).max(small.min(63))
    })
}

fn outputs_of(device: &dyn Device) -> [u64; 5] {
    let first = 1 + INPUTS.len();
    [0, 1, 2, 3, 4].map(|i| device.get(first + i, 0).into())
}

/// Drives both for a while and returns the first cycle and port that differ, and how many values were seen.
fn compare(device: &mut dyn Device) -> (Option<(usize, &'static str)>, [usize; 5]) {
    let mut unit = IntUnit::default();
    let mut seen = [(); 5].map(|()| std::collections::BTreeSet::new());
    let mut state = 0x5EED_0117;
    let mut differs = None;
    for cycle in 0..DEPTH + CYCLES {
        let row = inputs(&mut state);
        let [ctl, a, b, c, cin, product] = row;
        unit.set_ctl(ctl);
        unit.set_a(a as u32);
        unit.set_b(b as u32);
        unit.set_c(c as u32);
        unit.set_cin(cin as u8);
        unit.set_product(product);
        unit.eval();
        for (i, ((_, width), value)) in INPUTS.iter().zip(row).enumerate() {
            for word in 0..width.div_ceil(32) {
                device.set(1 + i, word, (value >> (32 * word)) as u32);
            }
        }
        device.eval();
        if cycle >= DEPTH {
            let ours = outputs_of(device);
            let theirs: [u64; 5] = [
                unit.negative().into(),
                unit.addend().into(),
                unit.magnitude().into(),
                unit.y().into(),
                unit.flags().into(),
            ];
            for (i, (name, _)) in OUTPUTS.iter().enumerate() {
                seen[i].insert(theirs[i]);
                if ours[i] != theirs[i] && differs.is_none() {
                    differs = Some((cycle, *name));
                }
            }
        }
        for _ in 0..2 {
            unit.clock_toggle();
            unit.eval();
        }
        device.edge();
    }
    unit.finish();
    (differs, seen.map(|s| s.len()))
}

#[test]
fn the_ports_declared_are_those_of_the_verilog() {
    let verilog = chip();
    let wanted: Vec<String> = header(&verilog)
        .lines()
        .map(|l| l.split_whitespace().collect::<Vec<_>>().join(" "))
        .map(|l| l.trim_end_matches(',').to_string())
        .filter(|l| !l.is_empty())
        .collect();
    let line = |direction: &str, name: &str, width: usize| match width {
        1 => format!("{direction} wire {name}"),
        n => format!("{direction} wire [{}:0] {name}", n - 1),
    };
    let mut ours = vec![line("input", "clock", 1)];
    ours.extend(INPUTS.map(|(n, w)| line("input", n, w)));
    ours.extend(OUTPUTS.map(|(n, w)| line("output", n, w)));
    assert_eq!(ours, wanted);
}

#[test]
fn the_integer_unit_does_in_verilated_what_it_does_in_our_bridge() {
    let (differs, seen) = compare(&mut *bridge(chip()));
    assert_eq!(differs, None);
    println!("{CYCLES} cycles, distinct values of each output: {seen:?}");
    let [negative, addend, magnitude, y, flags] = seen;
    assert!(negative == 2 && flags >= 8, "{seen:?}");
    assert!(addend.min(magnitude).min(y) > 1000, "{seen:?}");
}

#[test]
fn a_unit_with_one_wrong_operator_is_noticed() {
    let verilog = chip();
    let begin = verilog.find("\nmodule int_unit (").expect("the unit");
    let end = begin + verilog[begin..].find("endmodule").expect("its end");
    let last = begin + verilog[begin..end].rfind(" ^ ").expect("an exclusive or");
    let mut wrong = verilog;
    wrong.replace_range(last..last + 3, " | ");
    assert!(compare(&mut *bridge(wrong)).0.is_some());
}
