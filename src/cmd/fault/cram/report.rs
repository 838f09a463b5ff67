//! Findings as text, as JSON and as a table of all bits.

use super::findings::{Findings, Tally};
use super::simulate::Fate;
use serde_json::{json, Map, Value};
use std::fmt::Write as _;
use warpsmith_cosim::thousands;
use warpsmith_cram::{Contention, Kind};
use warpsmith_fault::report::stats::{quantile, wilson};
use warpsmith_fault::FaultOutcome;

const CONFIDENCE: f64 = 0.95;

/// A share with its interval, in percent.
fn share(count: u64, of: u64) -> String {
    let (p, n) = (count as f64 / (of as f64).max(1.0), of as f64);
    let (low, high) = wilson(p, n, quantile(CONFIDENCE));
    format!("{:.2} % ({:.2} to {:.2})", 100.0 * p, 100.0 * low, 100.0 * high)
}

fn meaning(kind: Kind) -> &'static str {
    match kind {
        Kind::Open => "a wire loses its driver",
        Kind::Short => "a wire gets a second driver",
        Kind::Switched => "a wire gets another driver",
        Kind::Table => "wrong entry of a table",
        Kind::Setting => "setting of a cell",
        Kind::Clock => "a clock loses its driver, or worse",
        Kind::Contents => "contents of a distributed RAM",
        Kind::Harmless => "used, and nothing changes",
        Kind::Harness => "around the chip",
        Kind::Unused => "unused",
    }
}

impl Findings<'_> {
    fn wins(&self) -> &'static str {
        match self.contention {
            Contention::Low => "low",
            Contention::High => "high",
        }
    }

    /// Lines for a reader.
    pub fn text(&self) -> String {
        let (device, all) = (&self.design.fabric.device, self.drawn.len() as u64);
        let essential = self.essential();
        let mut t = format!(
            "{}: {} bits of configuration memory; {} on it, {} cycles\n",
            device.name,
            thousands(device.bits()),
            self.launch,
            thousands(self.simulated.cycles)
        );
        match self.seed {
            Some(seed) => {
                let _ = writeln!(
                    t,
                    "{} bits drawn (seed {seed}): {} essential, {}",
                    thousands(all),
                    thousands(essential.bits),
                    share(essential.bits, all)
                );
            }
            None => {
                let _ = writeln!(t, "{} bits, {} essential", thousands(all), thousands(essential.bits));
            }
        }
        let outcomes: Vec<FaultOutcome> =
            FaultOutcome::ALL.iter().copied().filter(|o| essential.outcomes.contains_key(o)).collect();
        let _ = write!(t, "\n  {:<42}{:>7}", "", "bits");
        for outcome in &outcomes {
            let _ = write!(t, "{:>10}", outcome.name());
        }
        t.push_str("  not simulated\n");
        let row = |t: &mut String, name: &str, tally: &Tally| {
            let _ = write!(t, "  {name:<42}{:>7}", thousands(tally.bits));
            for outcome in &outcomes {
                let _ = write!(t, "{:>10}", thousands(tally.outcomes.get(outcome).copied().unwrap_or(0)));
            }
            let left: u64 = tally.unmodelled.values().sum();
            let _ = writeln!(t, "{:>15}", thousands(left));
        };
        let kinds = self.by_kind();
        for (kind, tally) in kinds.iter().filter(|(k, _)| k.is_essential()) {
            row(&mut t, &format!("{}: {}", kind.name(), meaning(*kind)), tally);
        }
        row(&mut t, "essential bits", &essential);
        for (kind, tally) in kinds.iter().filter(|(k, _)| !k.is_essential()) {
            let _ = writeln!(t, "  {:<42}{:>7}", format!("{}: {}", kind.name(), meaning(*kind)), thousands(tally.bits));
        }
        let _ = writeln!(
            t,
            "\ncritical, of the essential bits that were simulated: {}",
            share(essential.critical(), essential.ran())
        );
        if self.seed.is_some() {
            let _ = writeln!(
                t,
                "critical, of all bits drawn: {} and at most {:.2} % more that were not simulated",
                share(essential.critical(), all),
                100.0 * (essential.bits - essential.ran()) as f64 / (all as f64).max(1.0)
            );
        }
        let _ = writeln!(t, "of two drivers of a wire {} wins", if self.wins() == "low" { 0 } else { 1 });
        if !essential.unmodelled.is_empty() {
            t.push_str("\nnot simulated:\n");
            for (why, count) in &essential.unmodelled {
                let _ = writeln!(t, "  {:>9}  {why}", thousands(*count));
            }
        }
        if let Some(census) = &self.census {
            let sum: u64 = census.values().sum();
            let _ = writeln!(t, "\nall bits of the device's tiles:");
            for (kind, count) in census {
                let _ = writeln!(
                    t,
                    "  {:<45}{:>12}{:>8.2} %",
                    format!("{}: {}", kind.name(), meaning(*kind)),
                    thousands(*count),
                    100.0 * *count as f64 / sum as f64
                );
            }
        }
        t
    }

    /// One object.
    pub fn json(&self) -> Value {
        let tally = |t: &Tally| {
            let outcomes: Map<String, Value> = t.outcomes.iter().map(|(o, n)| (o.name().into(), (*n).into())).collect();
            json!({
                "bits": t.bits,
                "simulated": t.ran(),
                "critical": t.critical(),
                "outcomes": outcomes,
                "not_simulated": t.unmodelled,
            })
        };
        let kinds: Map<String, Value> = self.by_kind().iter().map(|(k, t)| (k.name().into(), tally(t))).collect();
        let device = &self.design.fabric.device;
        let census = self.census.as_ref().map(|c| {
            let rows: Map<String, Value> = c.iter().map(|(k, n)| (k.name().into(), (*n).into())).collect();
            rows
        });
        json!({
            "outcome": "pass",
            "device": device.name,
            "configuration_bits": device.bits(),
            "launch": self.launch,
            "cycles": self.simulated.cycles,
            "drawn": self.drawn.len(),
            "seed": self.seed,
            "contention": self.wins(),
            "kinds": kinds,
            "essential": tally(&self.essential()),
            "census": census,
        })
    }

    /// Every bit, a line each.
    pub fn csv(&self) -> String {
        let device = &self.design.fabric.device;
        let mut t = String::from("bit,frame,bit_of_frame,kind,what,changes,outcome,not_simulated\n");
        for (drawn, fate) in self.drawn.iter().zip(&self.simulated.fates) {
            let (frame, bit) = device.address(drawn.tile, drawn.bit);
            let (outcome, why) = match fate {
                Fate::Inert => ("", ""),
                Fate::Unmodelled(why) => ("", *why),
                Fate::Ran(outcome) => (outcome.name(), ""),
            };
            let _ = writeln!(
                t,
                "{}.{},{frame},{bit},{},{},{},{outcome},{why}",
                device.name_of(drawn.tile),
                drawn.bit,
                drawn.upset.kind.name(),
                drawn.upset.what,
                drawn.upset.changes.len()
            );
        }
        t
    }
}
