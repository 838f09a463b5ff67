//! Netlists whose faults, classes and coverage are counted by hand.

use crate::support::{circuit, json_of};
use std::path::Path;
use warpsmith_gates::simulate::{run, Options};
use warpsmith_gates::{Circuit, Collapsed, Fault, Model, Patterns, PinId, Recorder};
use warpsmith_netlist::read;

const KEEP: Options = Options { drop: false };

/// A full adder of five gates.
const ADDER: &str = "
    x = XOR a b
    s = XOR x c
    g = AND a b
    p = AND x c
    co = OR g p";

/// The fault of a pin by its name.
fn fault(c: &Circuit, name: &str, value: bool) -> Fault {
    let pin = (0..c.pins().len() as u32).map(PinId).find(|p| c.pin_name(*p) == name);
    Fault { pin: pin.unwrap_or_else(|| panic!("no pin {name}")), value }
}

/// All patterns of a small circuit.
fn all(circuit: &Circuit) -> Patterns {
    let mut recorder = Recorder::new(circuit.bits(), false);
    (0..1 << circuit.bits()).for_each(|x| recorder.add(x, &[x]));
    recorder.finish()
}

#[test]
fn a_full_adder_is_covered_by_all_patterns() {
    let c = circuit("a b c", "s co", ADDER);
    // Five gates of three pins, two faults each.
    let list = Collapsed::new(&c, Model::StuckAt);
    assert_eq!((c.gates(), c.pins().len(), list.faults()), (5, 15, 30));
    // The AND gates: their inputs at 0 and output at 0 are one, 2 × 3 to 1; the OR gate's at 1, 3 to 1; the ends of the
    // nets `g` and `p` are one for both values. XOR gates join nothing.
    // AND: sa0 of 3 pins and the OR's input sa0: one class each. Both sa1 outputs and the OR's inputs and output sa1:
    // one class. 30 - 3 - 3 - 4 = 20.
    assert_eq!(list.classes(), 20);
    let found = run(&c, &list, &all(&c), KEEP);
    // An adder has no redundant gate.
    assert!(found.detections.iter().all(|d| d.first.is_some()), "{:?}", found.detections);
    assert_eq!(found.evaluations, 20 * 8);
    // A carry-out stuck at 1 shows in the four patterns with a carry of 0, a sum stuck at 0 in the four with a sum of 1.
    for (pin, value, patterns) in [("co.Y", true, 4), ("co.Y", false, 4), ("s.Y", false, 4), ("g.Y", false, 2)] {
        let class = list.class(fault(&c, pin, value));
        assert_eq!(found.detections[class].patterns, patterns, "{pin} {value}");
    }
}

#[test]
fn few_patterns_cover_what_is_counted_by_hand() {
    let c = circuit("a b", "y", "y = AND a b");
    let list = Collapsed::new(&c, Model::StuckAt);
    assert_eq!((list.faults(), list.classes()), (6, 4));
    // The output at 1 falls out by dominance: each input at 1 stands for it.
    assert_eq!(list.undominated(), 3);
    let covered = |patterns: &[u64]| {
        let mut r = Recorder::new(2, false);
        patterns.iter().enumerate().for_each(|(i, x)| r.add(i as u64, &[*x]));
        let found = run(&c, &list, &r.finish(), KEEP);
        found.detections.iter().filter(|d| d.first.is_some()).count()
    };
    // 11 shows all at 0, one class; 00 the output at 1 alone; 01 and 10 that and an input at 1.
    for (patterns, classes) in
        [(&[3][..], 1), (&[0], 1), (&[1], 2), (&[0, 3], 2), (&[1, 2], 3), (&[1, 2, 3], 4), (&[], 0)]
    {
        assert_eq!(covered(patterns), classes, "{patterns:?}");
    }
}

#[test]
fn a_redundant_gate_is_not_covered() {
    // y = a | (a & b): the conjunction never decides at 0.
    let c = circuit("a b", "y", "g = AND a b\ny = OR a g");
    let list = Collapsed::new(&c, Model::StuckAt);
    let found = run(&c, &list, &all(&c), KEEP);
    let shown = |pin: &str, value| found.detections[list.class(fault(&c, pin, value))].first.is_some();
    assert!(!shown("g.Y", false) && !shown("g.B", true) && !shown("g.B", false));
    assert!(shown("g.Y", true) && shown("y.A", false) && !shown("g.A", false));
}

#[test]
fn reconvergent_paths_cancel() {
    // Both inputs of the XOR are the stem: its faults show nowhere, those of one branch do.
    let c = circuit("a", "y", "n = NOT a\nm = BUF n\nk = BUF n\ny = XOR m k");
    let list = Collapsed::new(&c, Model::StuckAt);
    let found = run(&c, &list, &all(&c), KEEP);
    let shown = |pin: &str, value| found.detections[list.class(fault(&c, pin, value))].first;
    assert_eq!((shown("n.Y", false), shown("n.Y", true)), (None, None));
    assert_eq!((shown("m.Y", false), shown("m.A", true)), (Some(0), Some(1)));
}

#[test]
fn a_transition_needs_two_patterns() {
    let c = circuit("a b", "y", "y = AND a b");
    let list = Collapsed::new(&c, Model::Transition);
    // Nothing is joined: each pin has its own value in the cycle before.
    assert_eq!((list.faults(), list.classes()), (6, 6));
    let shown = |before: u64, now: u64| -> Vec<String> {
        let mut r = Recorder::new(2, true);
        r.add(0, &[before]);
        r.add(1, &[now]);
        let found = run(&c, &list, &r.finish(), KEEP);
        let faults = list.representatives().iter().zip(&found.detections).filter(|(_, d)| d.first.is_some());
        faults.map(|(f, _)| format!("{} {}", c.pin_name(f.pin), Model::Transition.fault(f.value))).collect()
    };
    assert_eq!(shown(2, 3), ["y.A slow-to-rise", "y.Y slow-to-rise"]);
    assert_eq!(shown(3, 2), ["y.A slow-to-fall", "y.Y slow-to-fall"]);
    assert_eq!(shown(0, 3), ["y.A slow-to-rise", "y.B slow-to-rise", "y.Y slow-to-rise"]);
    // Both fall: neither alone shows.
    assert_eq!(shown(3, 0), ["y.Y slow-to-fall"]);
    assert_eq!(shown(3, 3), [""; 0]);
}

#[test]
fn flip_flops_are_inputs_and_outputs() {
    let c = circuit("clock d e r", "y", "q = SDFFE_PN0P clock d r e\ny = NOT q");
    // The inverter's two pins, and D, E, R and Q; the clock is none.
    let mut names: Vec<String> = (0..c.pins().len() as u32).map(|p| c.pin_name(PinId(p))).collect();
    names.sort();
    assert_eq!(names, ["q.D", "q.E", "q.Q", "q.R", "y.A", "y.Y"]);
    assert_eq!((c.gates(), c.flip_flops(), c.bits()), (2, 1, 4));
    let list = Collapsed::new(&c, Model::StuckAt);
    let found = run(&c, &list, &all(&c), KEEP);
    // Of 16 values of d, e, r and the state: D at 0 matters where the reset (low) is off, the enable on and d is 1.
    for (pin, value, patterns) in [("q.D", false, 2), ("q.E", false, 2), ("q.R", false, 4), ("q.Q", true, 8)] {
        let class = list.class(fault(&c, pin, value));
        assert_eq!(found.detections[class].patterns, patterns, "{pin} at {value}");
    }
    // The state that a disabled flip-flop holds is inside it: a fault of its pin Q does not change it.
    let q = &found.detections[list.class(fault(&c, "q.Q", true))];
    let outputs: Vec<&str> = q.outputs.iter().map(|o| c.observed[*o as usize].name.as_str()).collect();
    assert_eq!(outputs, ["y"]);
}

#[test]
fn equal_faults_are_marked_across_inverters_and_single_readers() {
    let c = circuit("a b", "y", "n = NOT a\ny = AND n b");
    let list = Collapsed::new(&c, Model::StuckAt);
    let class = |pin: &str, value| list.class(fault(&c, pin, value));
    let at_zero = class("y.Y", false);
    for (pin, value) in [("n.A", true), ("n.Y", false), ("y.A", false), ("y.B", false)] {
        assert_eq!(class(pin, value), at_zero, "{pin} at {value}");
    }
    assert_eq!(list.size(at_zero), 5);
    assert_ne!(class("y.B", true), class("y.Y", true));
}

#[test]
fn dropping_stops_at_the_first_pattern() {
    let c = circuit("a b c", "s co", ADDER);
    let list = Collapsed::new(&c, Model::StuckAt);
    let mut r = Recorder::new(3, false);
    // More than a word of patterns needs more bits than the adder has: the same eight under two numbers.
    (0..8).for_each(|x| r.add(x, &[x]));
    let (kept, dropped) =
        (run(&c, &list, &r.clone().finish(), KEEP), run(&c, &list, &r.finish(), Options { drop: true }));
    let firsts = |o: &warpsmith_gates::simulate::Outcome| o.detections.iter().map(|d| d.first).collect::<Vec<_>>();
    assert_eq!(firsts(&kept), firsts(&dropped));
}

#[test]
fn what_is_no_gate_is_refused() {
    for cells in ["y = ANDNOT a b", "y = NMUX a b a"] {
        let json = json_of("a b", "y", cells);
        let design = read::yosys(&json.to_string(), Path::new("hand.json")).unwrap_or_else(|e| panic!("{e}"));
        let error = Circuit::of(&design).expect_err(cells).to_string();
        assert!(error.contains("y is no gate") && error.contains("synth --target gates"), "{error}");
    }
}
