//! The result of a run or of a lockstep comparison, as text and as the JSON object of the contract.

use crate::cli::Undefined;
use serde_json::{json, Map, Value};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use warpsmith_check::Findings;
use warpsmith_cosim::observe::profile::Profile;
use warpsmith_cosim::{thousands, undefined_line, ChipInfo, PortLines, StallCause};
use warpsmith_model::launch::Printed;
use warpsmith_model::undefined::Places;
use warpsmith_model::Launch;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    Pass,
    Fail,
    Trap,
    Error,
}

impl Outcome {
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Pass => "pass",
            Outcome::Fail => "fail",
            Outcome::Trap => "trap",
            Outcome::Error => "error",
        }
    }

    pub fn exit_code(self) -> u8 {
        match self {
            Outcome::Pass => super::AGREED,
            Outcome::Fail | Outcome::Trap => super::DIFFERED,
            Outcome::Error => 2,
        }
    }
}

/// Counters of the chip; absent for the model, which has no cycles.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    /// From start to done.
    pub cycles: u64,
    /// Lanes of the whole chip.
    pub lanes: u64,
    /// Cycles of lanes that a warp instruction takes.
    pub warp_slots: u64,
    /// Cycles in which nothing issued, by cause.
    pub stalls: BTreeMap<String, u64>,
    /// Requests of the load/store units.
    pub requests: u64,
    /// Lines through the memory port; of no board.
    pub lines: Option<PortLines>,
}

/// One finished run.
pub struct Report {
    /// `vector_add on the model`.
    pub title: String,
    pub outcome: Outcome,
    pub warp_instructions: u64,
    pub thread_instructions: u64,
    /// Host time.
    pub seconds: f64,
    pub counters: Option<Counters>,
    /// Cost of each instruction, if requested.
    pub profile: Option<Box<Profile>>,
    /// Trap, differences, mismatch: lines for a reader.
    pub details: Vec<String>,
    /// Places of the program that depend on values which it never wrote.
    pub undefined: usize,
    /// What is wrong with the program, where that was looked for.
    pub check: Option<Findings>,
    /// What the kernel printed.
    pub printed: Printed,
}

impl Report {
    /// Of a run that counted; `info` is the chip, which alone has cycles.
    pub fn new(
        title: String, outcome: Outcome, counted: &warpsmith_cosim::Counters, info: Option<&ChipInfo>,
        details: Vec<String>,
    ) -> Self {
        let counters = info.map(|info| Counters {
            cycles: counted.cycles,
            lanes: u64::from(info.lanes) * u64::from(info.sms),
            warp_slots: info.warp_slots().into(),
            stalls: StallCause::NAMES.iter().zip(counted.stalls).map(|(name, n)| (name.to_string(), n)).collect(),
            requests: counted.global_requests,
            lines: counted.lines,
        });
        Report {
            warp_instructions: counted.warp_instructions,
            thread_instructions: counted.thread_instructions,
            seconds: counted.seconds,
            counters,
            details,
            ..Report::empty(title, outcome)
        }
    }

    /// Without counts.
    fn empty(title: String, outcome: Outcome) -> Self {
        Report {
            title,
            outcome,
            warp_instructions: 0,
            thread_instructions: 0,
            seconds: 0.0,
            counters: None,
            profile: None,
            details: vec![],
            undefined: 0,
            check: None,
            printed: Printed::default(),
        }
    }

    /// With what the kernel printed; says where some of it was left out.
    pub fn with_printed(mut self, printed: Printed) -> Self {
        if printed.cut {
            self.details.push("printf: text was left out, its buffer was full".into());
        }
        Report { printed, ..self }
    }

    /// Tells of places that depend on undefined values, as asked for.
    pub fn with_undefined(mut self, how: Undefined, launch: &Launch, places: &Places) -> Self {
        const SHOWN: usize = 16;
        if how == Undefined::Ignore {
            return self;
        }
        let found = places.list();
        let lines = found.iter().take(SHOWN);
        let lines = lines.map(|f| format!("undefined: {}", undefined_line(launch, f)));
        self.details.extend(lines);
        if found.len() > SHOWN {
            let more = found.len() - SHOWN;
            self.details.push(format!("undefined: and {more} more places"));
        }
        self.undefined = found.len();
        if how == Undefined::Error && !found.is_empty() {
            self.outcome = self.outcome.max(Outcome::Fail);
        }
        self
    }

    /// Tells what is wrong with the program: the run has failed then.
    pub fn with_check(mut self, found: &Findings) -> Self {
        self.details.extend(found.lines());
        if !found.list.is_empty() {
            self.outcome = self.outcome.max(Outcome::Fail);
        }
        Report { check: Some(found.clone()), ..self }
    }

    /// Cycles of warp instructions over what the lanes could do.
    fn issue_utilisation(&self, c: &Counters) -> f64 {
        ratio(self.warp_instructions * c.warp_slots, c.cycles * c.lanes)
    }

    /// Thread instructions over what the lanes could do.
    fn lane_utilisation(&self, c: &Counters) -> f64 {
        ratio(self.thread_instructions, c.cycles * c.lanes)
    }

    /// Lines for a reader.
    pub fn text(&self) -> String {
        let mut parts = vec![
            self.title.clone(),
            format!("{} warp instructions", thousands(self.warp_instructions)),
            format!("{} thread instructions", thousands(self.thread_instructions)),
        ];
        parts.extend(self.counters.iter().map(|c| format!("{} cycles", thousands(c.cycles))));
        parts.push(format!("{:.3} s", self.seconds));
        let mut s = self.printed.text.clone();
        if !s.is_empty() && !s.ends_with('\n') {
            s.push('\n');
        }
        s += &listed(&format!("{}: ", self.outcome.name()), &parts);
        if let Some(c) = &self.counters {
            let _ = writeln!(
                s,
                "  issue utilisation {:.3}, lane utilisation {:.3}",
                self.issue_utilisation(c),
                self.lane_utilisation(c)
            );
            let stalls = c.stalls.iter().filter(|(_, n)| **n > 0);
            let stalls: Vec<String> = stalls.map(|(k, n)| format!("{k} {}", thousands(*n))).collect();
            if !stalls.is_empty() {
                s += &listed("  stall cycles: ", &stalls);
            }
            // Without a cache every request is one of the port.
            if let Some(l) = c.lines.filter(|l| l.total() != c.requests) {
                let [read, written, asked] = [l.read, l.written, c.requests].map(thousands);
                let _ = writeln!(s, "  memory port: {read} lines read, {written} written, of {asked} requests");
            }
        }
        for d in &self.details {
            let _ = writeln!(s, "  {}", d.replace('\n', "\n  "));
        }
        if let Some(p) = &self.profile {
            s += &p.text();
        }
        s
    }

    /// The object of the contract, with the details beside it.
    pub fn json(&self) -> Map<String, Value> {
        let mut m = Map::new();
        m.insert("outcome".into(), self.outcome.name().into());
        m.insert("name".into(), self.title.clone().into());
        m.insert("warp_instructions".into(), self.warp_instructions.into());
        m.insert("thread_instructions".into(), self.thread_instructions.into());
        m.insert("seconds".into(), self.seconds.into());
        if let Some(c) = &self.counters {
            m.insert("cycles".into(), c.cycles.into());
            m.insert("stalls".into(), json!(c.stalls));
            m.insert("issue_utilisation".into(), self.issue_utilisation(c).into());
            m.insert("lane_utilisation".into(), self.lane_utilisation(c).into());
            if let Some(l) = c.lines {
                m.insert("memory_lines".into(), json!(l));
            }
        }
        if self.undefined > 0 {
            m.insert("undefined".into(), self.undefined.into());
        }
        if let Some(c) = &self.check {
            m.insert("check".into(), c.json());
        }
        if !self.printed.text.is_empty() {
            m.insert("printed".into(), self.printed.text.clone().into());
        }
        if !self.details.is_empty() {
            m.insert("details".into(), json!(self.details));
        }
        if let Some(p) = &self.profile {
            m.insert("profile".into(), p.json());
        }
        m
    }
}

/// Several runs as one object: sums, the worst outcome, and every run under `runs`.
pub fn combined(reports: &[Report]) -> Map<String, Value> {
    if let [one] = reports {
        return one.json();
    }
    let worst = reports.iter().map(|r| r.outcome).max().unwrap_or(Outcome::Error);
    let mut all = Report::empty(format!("{} runs", reports.len()), worst);
    all.undefined = reports.iter().map(|r| r.undefined).sum();
    for r in reports {
        all.warp_instructions += r.warp_instructions;
        all.thread_instructions += r.thread_instructions;
        all.seconds += r.seconds;
        if let Some(c) = &r.counters {
            let sum = all.counters.get_or_insert_with(Counters::default);
            sum.cycles += c.cycles;
            (sum.lanes, sum.warp_slots) = (c.lanes, c.warp_slots);
            sum.requests += c.requests;
            sum.lines = PortLines::sum(sum.lines, c.lines);
            for (k, n) in &c.stalls {
                *sum.stalls.entry(k.clone()).or_default() += n;
            }
        }
    }
    let mut m = all.json();
    m.insert("runs".into(), reports.iter().map(|r| Value::Object(r.json())).collect());
    m
}

/// The object of a run that could not take place.
pub fn error_json(e: &anyhow::Error) -> String {
    format!("{}\n", json!({ "outcome": Outcome::Error.name(), "message": crate::message::text(e) }))
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// Columns of a line of text.
const COLUMNS: usize = 80;

/// Parts behind a head, with commas between them, on lines of at most [`COLUMNS`]; further lines are
/// indented by two more than the head.
fn listed(head: &str, parts: &[String]) -> String {
    let indent = head.len() - head.trim_start().len() + 2;
    let mut text = head.trim_end().to_string();
    let mut column = text.chars().count();
    for (i, part) in parts.iter().enumerate() {
        let comma = if i + 1 < parts.len() { "," } else { "" };
        let width = part.chars().count() + comma.len();
        if column + 1 + width > COLUMNS {
            text += &format!("\n{:indent$}{part}{comma}", "");
            column = indent + width;
        } else {
            text += &format!(" {part}{comma}");
            column += 1 + width;
        }
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_text_are_80_columns_wide_at_most() {
        let causes = ["barrier", "constant_conflict", "control", "fetch", "hazard"];
        let stalls = causes.map(|c| (c.to_string(), 1 << 40)).into();
        let counters = Counters { cycles: 1 << 40, lanes: 8, warp_slots: 32, stalls, ..Counters::default() };
        let report = Report {
            warp_instructions: 1 << 40,
            thread_instructions: 1 << 45,
            seconds: 1e6,
            counters: Some(counters),
            ..Report::empty("matmul_tiled on the emitted chip default".into(), Outcome::Pass)
        };
        let text = report.text();
        assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
        assert!(text.contains("stall cycles: barrier 1 099 511 627 776, constant_conflict"));
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("warp instructions, 35 184 372 088 832 thread instructions"));
        assert!(words.contains("control 1 099 511 627 776, fetch 1 099"));
    }

    #[test]
    fn utilisation_compares_with_what_the_lanes_could_do() {
        let counters = Counters { cycles: 100, lanes: 8, warp_slots: 32, ..Counters::default() };
        let report = Report {
            warp_instructions: 20,
            thread_instructions: 320,
            counters: Some(counters),
            ..Report::empty("k".into(), Outcome::Pass)
        };
        let json = report.json();
        assert_eq!(json["issue_utilisation"], 0.8);
        assert_eq!(json["lane_utilisation"], 0.4);
    }

    #[test]
    fn worst_outcome_stands_for_all() {
        assert!(Outcome::Pass < Outcome::Fail && Outcome::Fail < Outcome::Trap && Outcome::Trap < Outcome::Error);
    }
}
