//! Findings as text, as JSON and as a table of all faults.

use super::findings::{Findings, Open, Origin, Status};
use super::folder::name;
use super::subject::Subject;
use crate::cmd::fault::gates::faults::Count;
use crate::cmd::fault::gates::report::{fault_columns, FAULT_COLUMNS};
use serde_json::{json, Value};
use std::fmt::Write as _;
use warpsmith_cosim::thousands;
use warpsmith_gates::{Fault, Nearest};

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
        let mut count = Count::default();
        for (class, status) in self.findings.status.iter().enumerate() {
            if self.findings.wanted[class] && which(class, *status) {
                count.add(self.subject.faults.size(class));
            }
        }
        count
    }

    fn rows(&self) -> [(&'static str, &'static str, Count); 9] {
        let f = self.findings;
        let detected = |s: Status| matches!(s, Status::Detected { .. });
        let open = |which: Open| self.count(|c, s| s == Status::Open(which) && !f.late[c]);
        [
            ("detected by the suite", "suite", self.count(|c, s| detected(s) && f.by_suite[c])),
            ("by generated programs alone", "generated", self.count(|c, s| detected(s) && !f.by_suite[c])),
            ("untestable", "untestable", self.count(|_, s| s == Status::Untestable)),
            ("functionally untestable", "functionally_untestable", self.count(|_, s| s == Status::Functional)),
            ("in words that trap alone", "trap_only", self.count(|_, s| s == Status::TrapOnly)),
            (
                "open, in the number of cycles",
                "open_cycles",
                self.count(|c, s| matches!(s, Status::Open(_)) && f.late[c]),
            ),
            ("open, the solver has a pattern", "open_pattern", open(Open::Pattern)),
            ("open, the solver gave up", "open_unknown", open(Open::Unknown)),
            ("open, not tried", "open_untried", open(Open::Untried)),
        ]
    }

    fn all(&self) -> Count {
        self.count(|_, _| true)
    }

    /// Detected, and all but those proved untestable or in words that trap alone.
    fn testable(&self) -> (Count, Count) {
        let detected = self.count(|_, s| matches!(s, Status::Detected { .. }));
        let proved = |s: Status| matches!(s, Status::Untestable | Status::Functional | Status::TrapOnly);
        (detected, self.count(|_, s| !proved(s)))
    }

    /// Shares of faults and of classes that are detected, of those that are not proved untestable; all, if none is left.
    fn coverage(&self) -> (f64, f64) {
        match self.testable() {
            (_, testable) if testable.classes == 0 => (1.0, 1.0),
            (detected, testable) => detected.of(testable),
        }
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
            let (faults, classes) = count.of(all);
            let _ = writeln!(
                t,
                "  {name:<32}{:>9}{:>8.2}{:>10}{:>8.2}",
                thousands(count.faults),
                100.0 * faults,
                thousands(count.classes),
                100.0 * classes
            );
        }
        let (faults, classes) = self.coverage();
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
            let (cycles, first) = (thousands(p.cycles), n(p.first));
            let _ = writeln!(t, "  {:<6}{:<24}{from:<11}{cycles:>8}{first:>10}", name(i), p.launch.name);
        }
        t
    }

    /// One object.
    pub fn json(&self) -> Value {
        let (s, f) = (self.subject, self.findings);
        let (detected, testable) = self.testable();
        let (faults, classes) = self.coverage();
        let of = |c: Count| json!({ "faults": c.faults, "classes": c.classes });
        let mut rows = serde_json::Map::new();
        for (_, key, count) in self.rows() {
            rows.insert(key.into(), of(count));
        }
        let tests: Vec<Value> = f
            .programs
            .iter()
            .enumerate()
            .map(|(i, p)| {
                json!({ "test": name(i), "program": p.launch.name, "generated": p.origin == Origin::Generated, "cycles": p.cycles, "classes": p.first })
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
            "detected": of(detected),
            "testable": of(testable),
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
        let mut t = format!("{FAULT_COLUMNS},verdict,test,outcome\n");
        let nearest = Nearest::new(c);
        for number in 0..s.faults.faults() as u32 {
            let fault = Fault::of(number);
            let class = s.faults.class(fault);
            if !self.findings.wanted[class] {
                continue;
            }
            let (verdict, test, outcome) = match self.findings.status[class] {
                Status::Detected { program, outcome } => ("detected", name(program), outcome.name()),
                Status::Untestable => ("untestable", String::new(), ""),
                Status::Functional => ("functionally-untestable", String::new(), ""),
                Status::TrapOnly => ("trap-only", String::new(), ""),
                Status::Open(_) if self.findings.late[class] => ("open-cycles", String::new(), "timing"),
                Status::Open(Open::Pattern) => ("open-pattern", String::new(), ""),
                Status::Open(Open::Unknown) => ("open-unknown", String::new(), ""),
                Status::Open(Open::Untried) => ("open-untried", String::new(), ""),
            };
            let _ = writeln!(t, "{},{verdict},{test},{outcome}", fault_columns(c, &s.faults, &nearest, fault));
        }
        t
    }
}
