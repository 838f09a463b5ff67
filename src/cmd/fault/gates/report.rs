//! Findings as text, as JSON and as a table of all faults.

use super::faults::{Count, Findings};
use serde_json::{json, Map, Value};
use std::fmt::Write as _;
use warpsmith_cosim::thousands;
use warpsmith_gates::{Circuit, Collapsed, Fault, Nearest};

impl Findings<'_> {
    /// Lines for a reader.
    pub fn text(&self) -> String {
        let (unit, c, all) = (self.unit, self.circuit, self.all());
        let n = |n: usize| thousands(n as u64);
        let model = self.faults.model();
        let mut t = format!(
            "{}, {}, instance {} of {}: {} gates, {} flip-flops\n",
            unit.block,
            unit.path,
            unit.number,
            unit.instances,
            n(c.gates() - c.flip_flops()),
            n(c.flip_flops())
        );
        let _ = writeln!(
            t,
            "{model} faults: {} at {} pins, {} classes of equal ones{}",
            thousands(all.faults),
            n(c.pins().len()),
            thousands(all.classes),
            match model {
                warpsmith_gates::Model::StuckAt => format!(", {} of them not dominated", n(self.faults.undominated())),
                warpsmith_gates::Model::Transition => String::new(),
            }
        );
        let _ = writeln!(
            t,
            "patterns: {} distinct{} in {} cycles",
            n(self.patterns.len()),
            if self.patterns.pairs() { " pairs" } else { "" },
            thousands(self.cycles)
        );
        let _ = writeln!(t, "\n  {:<24}{:>9}{:>8}{:>10}{:>8}", "", "faults", "%", "classes", "%");
        let detected = self.detected();
        let rest = Count { faults: all.faults - detected.faults, classes: all.classes - detected.classes };
        for (name, count) in [("show at the unit", detected), ("do not", rest)] {
            row(&mut t, name, count, all);
        }
        let _ = writeln!(
            t,
            "\n{} faults x patterns in {:.3} s, {:.0} million a second on a core{}",
            thousands(self.outcome.evaluations),
            self.seconds,
            self.rate() / 1e6,
            if self.dropped { ", each fault until it shows" } else { ", every fault over every pattern" }
        );
        if !self.records.is_empty() {
            let _ = writeln!(
                t,
                "\nin the chip, {} of {} classes that show:",
                n(self.records.len()),
                thousands(detected.classes)
            );
            let counts = self.in_chip();
            let mut sum = Count::default();
            counts.values().for_each(|c| {
                sum.faults += c.faults;
                sum.classes += c.classes;
            });
            for (outcome, count) in counts {
                row(&mut t, outcome.name(), count, sum);
            }
            let all = self.corruptions(|_| true);
            if all.classes > 0 {
                t.push_str("\nwrong results of these silent corruptions:\n");
                for (_, what, count) in self.shapes().into_iter().filter(|s| s.2.classes > 0) {
                    row(&mut t, what, count, all);
                }
            }
        }
        t
    }

    /// One object.
    pub fn json(&self) -> Value {
        let (all, detected) = (self.all(), self.detected());
        let (share_faults, share_classes) = detected.of(all);
        let chip: Map<String, Value> = self
            .in_chip()
            .into_iter()
            .map(|(o, c)| (o.name().to_string(), json!({ "faults": c.faults, "classes": c.classes })))
            .collect();
        let shapes: Map<String, Value> = self
            .shapes()
            .into_iter()
            .map(|(name, _, c)| (name.to_string(), json!({ "faults": c.faults, "classes": c.classes })))
            .collect();
        json!({
            "outcome": "pass",
            "unit": self.unit.block,
            "instance": self.unit.path,
            "instances": self.unit.instances,
            "gates": self.circuit.gates() - self.circuit.flip_flops(),
            "flip_flops": self.circuit.flip_flops(),
            "pins": self.circuit.pins().len(),
            "kind": self.faults.model().name(),
            "faults": all.faults,
            "classes": all.classes,
            "undominated": self.faults.undominated(),
            "cycles": self.cycles,
            "patterns": self.patterns.len(),
            "detected": { "faults": detected.faults, "classes": detected.classes },
            "coverage": { "faults": share_faults, "classes": share_classes },
            "evaluations": self.outcome.evaluations,
            "seconds": self.seconds,
            "evaluations_per_second": self.rate(),
            "dropped": self.dropped,
            "chip": { "classes": self.records.len(), "outcomes": chip, "sdc": shapes },
        })
    }

    /// Every fault, a line each.
    pub fn csv(&self) -> String {
        let mut t = format!("{FAULT_COLUMNS},first_cycle,first_pattern,patterns,outputs,outcome\n");
        let nearest = Nearest::new(self.circuit);
        for number in 0..self.faults.faults() as u32 {
            let fault = Fault::of(number);
            let class = self.faults.class(fault);
            let d = &self.outcome.detections[class];
            let known = |i: Option<u64>| i.map_or(String::new(), |i| i.to_string());
            let outputs = d.outputs.iter().map(|o| self.circuit.observed[*o as usize].name.as_str());
            let outcome = match d.first {
                None => "unseen",
                Some(_) => self.records.get(&class).map_or("", |r| r.outcome.name()),
            };
            let _ = writeln!(
                t,
                "{},{},{},{},{},{outcome}",
                fault_columns(self.circuit, self.faults, &nearest, fault),
                known(d.first.map(|i| self.patterns.cycle(i))),
                known(d.first.map(|i| i as u64)),
                if self.dropped { String::new() } else { d.patterns.to_string() },
                outputs.collect::<Vec<_>>().join(" "),
            );
        }
        t
    }
}

/// Names of what [`fault_columns`] gives.
pub const FAULT_COLUMNS: &str = "pin,rtl,near,fault,class,equal_to";

/// A fault in a table: its pin, the name that has in the RTL and the nearest one, the fault, its class and the fault that
/// stands for that, if it is another.
pub fn fault_columns(circuit: &Circuit, faults: &Collapsed, nearest: &Nearest, fault: Fault) -> String {
    let (class, model) = (faults.class(fault), faults.model());
    let first = faults.representatives()[class];
    let equal = match first == fault {
        true => String::new(),
        false => format!("{} {}", circuit.pin_name(first.pin), model.fault(first.value)),
    };
    format!(
        "{},{},{},{},{class},{equal}",
        circuit.pin_name(fault.pin),
        circuit.rtl_name(fault.pin).unwrap_or(""),
        nearest.of(fault.pin),
        model.fault(fault.value)
    )
}

fn row(t: &mut String, name: &str, count: Count, all: Count) {
    let (faults, classes) = count.of(all);
    let _ = writeln!(
        t,
        "  {name:<24}{:>9}{:>8.1}{:>10}{:>8.1}",
        thousands(count.faults),
        100.0 * faults,
        thousands(count.classes),
        100.0 * classes
    );
}
