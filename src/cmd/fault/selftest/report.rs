//! Findings as text, as JSON and as a table of all faults.

use super::findings::{Findings, Open, Origin, Status};
use super::folder::name;
use super::subject::Subject;
use serde_json::{json, Value};
use std::fmt::Write as _;
use warpsmith_cosim::thousands;
use warpsmith_gates::{Fault, Nearest};

/// A count of faults and of their classes.
#[derive(Clone, Copy, Default)]
struct Count {
    faults: u64,
    classes: u64,
}

impl Count {
    fn plus(self, other: Count) -> Count {
        Count { faults: self.faults + other.faults, classes: self.classes + other.classes }
    }

    fn share(self, of: Count) -> (f64, f64) {
        let share = |n: u64, of: u64| if of == 0 { 1.0 } else { n as f64 / of as f64 };
        (share(self.faults, of.faults), share(self.classes, of.classes))
    }

    fn json(self) -> Value {
        json!({ "faults": self.faults, "classes": self.classes })
    }
}

/// Counts of a unit's faults, by what is known of them.
pub struct Report<'a> {
    pub subject: &'a Subject<'a>,
    pub findings: &'a Findings,
    pub seconds: f64,
    pub depth: u32,
    pub conflicts: u64,
}

impl Report<'_> {
    fn count(&self, which: impl Fn(usize, Status) -> bool) -> Count {
        let f = &self.subject.faults;
        let of = self.findings.status.iter().enumerate().filter(|(c, s)| self.findings.wanted[*c] && which(*c, **s));
        of.fold(Count::default(), |n, (c, _)| n.plus(Count { faults: f.size(c) as u64, classes: 1 }))
    }

    fn rows(&self) -> [(&'static str, &'static str, Count); 7] {
        let f = self.findings;
        let detected = |s: Status| matches!(s, Status::Detected { .. });
        [
            ("detected by the suite", "suite", self.count(|c, s| detected(s) && f.by_suite[c])),
            ("by generated programs alone", "generated", self.count(|c, s| detected(s) && !f.by_suite[c])),
            ("untestable", "untestable", self.count(|_, s| s == Status::Untestable)),
            ("functionally untestable", "functionally_untestable", self.count(|_, s| s == Status::Functional)),
            ("open, the solver has a pattern", "open_pattern", self.count(|_, s| s == Status::Open(Open::Pattern))),
            ("open, the solver gave up", "open_unknown", self.count(|_, s| s == Status::Open(Open::Unknown))),
            ("open, not tried", "open_untried", self.count(|_, s| s == Status::Open(Open::Untried))),
        ]
    }

    fn all(&self) -> Count {
        self.count(|_, _| true)
    }

    /// Detected, and all but those proved untestable.
    fn testable(&self) -> (Count, Count) {
        let detected = self.count(|_, s| matches!(s, Status::Detected { .. }));
        (detected, self.count(|_, s| !matches!(s, Status::Untestable | Status::Functional)))
    }

    /// Lines for a reader.
    pub fn text(&self) -> String {
        let (s, f, c) = (self.subject, self.findings, self.subject.circuit);
        let n = |n: usize| thousands(n as u64);
        let all = self.all();
        let mut t = format!(
            "{}, {}, instance {} of {}: {} gates, {} flip-flops\n{} faults: {} in {} classes of equal ones\n",
            s.unit.block,
            s.unit.path,
            s.unit.number,
            s.unit.instances,
            n(c.gates() - c.flip_flops()),
            n(c.flip_flops()),
            s.faults.model(),
            thousands(all.faults),
            thousands(all.classes)
        );
        let _ = writeln!(
            t,
            "programs: {} of the suite and {} generated tried, {} kept\n",
            f.tried[Origin::Suite as usize],
            f.tried[Origin::Generated as usize],
            f.programs.len()
        );
        let _ = writeln!(t, "  {:<32}{:>9}{:>8}{:>10}{:>8}", "", "faults", "%", "classes", "%");
        for (name, _, count) in self.rows().into_iter().filter(|r| r.2.classes > 0) {
            let (faults, classes) = count.share(all);
            let _ = writeln!(
                t,
                "  {name:<32}{:>9}{:>8.2}{:>10}{:>8.2}",
                thousands(count.faults),
                100.0 * faults,
                thousands(count.classes),
                100.0 * classes
            );
        }
        let (detected, testable) = self.testable();
        let (faults, classes) = detected.share(testable);
        let _ = writeln!(
            t,
            "\ncoverage of what is not proved untestable: {:.2} % of faults, {:.2} % of classes\nproofs: {} registers back, {} conflicts",
            100.0 * faults,
            100.0 * classes,
            self.depth,
            thousands(self.conflicts)
        );
        let _ = writeln!(t, "\n  {:<6}{:<24}{:<11}{:>8}{:>10}", "test", "program", "from", "cycles", "classes");
        for (i, p) in f.programs.iter().enumerate() {
            let from = match p.origin {
                Origin::Suite => "suite",
                Origin::Generated => "generated",
            };
            let (cycles, first) = (thousands(p.trial.cycles()), n(p.first));
            let _ = writeln!(t, "  {:<6}{:<24}{from:<11}{cycles:>8}{first:>10}", name(i), p.launch.name);
        }
        t
    }

    /// One object.
    pub fn json(&self) -> Value {
        let (s, f) = (self.subject, self.findings);
        let (detected, testable) = self.testable();
        let (faults, classes) = detected.share(testable);
        let mut rows = serde_json::Map::new();
        for (_, key, count) in self.rows() {
            rows.insert(key.into(), count.json());
        }
        let tests: Vec<Value> = f
            .programs
            .iter()
            .enumerate()
            .map(|(i, p)| {
                json!({ "test": name(i), "program": p.launch.name, "generated": p.origin == Origin::Generated, "cycles": p.trial.cycles(), "classes": p.first })
            })
            .collect();
        json!({
            "outcome": "pass",
            "unit": s.unit.block,
            "instance": s.unit.path,
            "instances": s.unit.instances,
            "kind": s.faults.model().name(),
            "faults": self.all().faults,
            "classes": self.all().classes,
            "tried": { "suite": f.tried[0], "generated": f.tried[1] },
            "found": rows,
            "detected": detected.json(),
            "testable": testable.json(),
            "coverage": { "faults": faults, "classes": classes },
            "depth": self.depth,
            "conflicts": self.conflicts,
            "tests": tests,
            "seconds": self.seconds,
        })
    }

    /// Every fault, a line each.
    pub fn csv(&self) -> String {
        let (s, c) = (self.subject, self.subject.circuit);
        let mut t = String::from("pin,rtl,near,fault,class,equal_to,verdict,test,outcome\n");
        let (nearest, model) = (Nearest::new(c), s.faults.model());
        let shown = |f: Fault| format!("{} {}", c.pin_name(f.pin), model.fault(f.value));
        for number in 0..s.faults.faults() as u32 {
            let fault = Fault::of(number);
            let class = s.faults.class(fault);
            if !self.findings.wanted[class] {
                continue;
            }
            let first = s.faults.representatives()[class];
            let (verdict, test, outcome) = match self.findings.status[class] {
                Status::Detected { program, outcome } => ("detected", name(program), outcome.name()),
                Status::Untestable => ("untestable", String::new(), ""),
                Status::Functional => ("functionally-untestable", String::new(), ""),
                Status::Open(Open::Pattern) => ("open-pattern", String::new(), ""),
                Status::Open(Open::Unknown) => ("open-unknown", String::new(), ""),
                Status::Open(Open::Untried) => ("open-untried", String::new(), ""),
            };
            let _ = writeln!(
                t,
                "{},{},{},{},{class},{},{verdict},{test},{outcome}",
                c.pin_name(fault.pin),
                c.rtl_name(fault.pin).unwrap_or(""),
                nearest.of(fault.pin),
                model.fault(fault.value),
                if first == fault { String::new() } else { shown(first) },
            );
        }
        t
    }
}
