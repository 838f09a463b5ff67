//! The report for a terminal, and every row for other programs.

use super::figures::{Group, Report, Shares, HOW};
use super::stats::{Share, Spread};
use crate::campaign::Campaign;
use crate::record::Record;
use crate::site::Sites;
use crate::store::columns::{shown, values, RECORD};
use rusqlite::types::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use warpsmith_contract::stage;
use warpsmith_cosim::thousands;

/// Columns of [`csv()`] about the fault, in their order; those of [`RECORD`] follow.
#[rustfmt::skip]
const FAULT: [&str; 13] = [
    "row", "site", "block", "stage", "site_kind", "word", "bits", "cycle", "kind", "duration", "period", "active", "weight",
];

/// Columns of [`csv()`], in their order.
pub fn columns() -> impl Iterator<Item = &'static str> {
    FAULT.into_iter().chain(RECORD.iter().map(|c| c.0))
}

/// Percent with two digits.
pub fn percent(x: f64) -> String {
    format!("{:.2}", 100.0 * x)
}

/// An interval in percent.
pub fn interval(s: &Share) -> String {
    format!("{}–{}", percent(s.low), percent(s.high))
}

/// Half the width of an interval, in percent.
pub fn margin(s: &Share) -> String {
    percent((s.high - s.low) / 2.0)
}

/// Quantiles of a spread in words.
pub fn quantiles(s: &Spread, unit: &str) -> String {
    let value = |x: Option<f64>| match x {
        None => "not finite".to_string(),
        Some(v) if v == 0.0 || (v.fract() == 0.0 && v.abs() < 1e15) => thousands(v as u64),
        Some(v) => format!("{v:.1e}"),
    };
    format!("median {}, nine tenths up to {}, greatest {}{unit}", value(s.median), value(s.p90), value(s.max))
}

fn shares(s: &mut String, title: &str, of: u64, list: &Shares, note: impl Fn(&str) -> &'static str) {
    if list.0.iter().all(|x| x.1.count == 0) {
        return;
    }
    let _ = writeln!(s, "\n{title}, % of {}", thousands(of));
    for (name, x) in &list.0 {
        let line = format!("  {name:<18} {:>7} {:>7}  {:<13}  {}", x.count, percent(x.rate), interval(x), note(name));
        let _ = writeln!(s, "{}", line.trim_end());
    }
}

fn spread(s: &mut String, title: &str, d: &Spread, unit: &str) {
    if d.rows > 0 {
        let _ = writeln!(s, "  {title:<18} {:>7} {}", d.rows, quantiles(d, unit));
    }
}

fn groups(s: &mut String, title: &str, list: &[Group], places: bool) {
    let width = list.iter().map(|g| g.name.chars().count()).max();
    let width = width.unwrap_or(0).max(title.chars().count());
    let bits = list.iter().any(|g| g.bits.is_some());
    let head = format!(
        "\n{title:<width$} {:>8} {:>6} {:>6} {:<13} {:>6} {:>6} {:>6} {:>6} {:>6}{}",
        if bits { "bits" } else { "" },
        "rows",
        "AVF",
        "interval",
        "SDC",
        "DUE",
        "hang",
        "timing",
        if bits { "part" } else { "" },
        if places { "  where" } else { "" }
    );
    let _ = writeln!(s, "{}", head.trim_end());
    for g in list {
        let rate = |name| percent(g.outcomes.of(name).rate);
        let mut line = format!("{:<width$} {:>8} ", g.name, text(g.bits));
        if g.done == 0 {
            let _ = write!(line, "{:>6}  nothing run yet", g.done);
        } else {
            let _ = write!(
                line,
                "{:>6} {:>6} {:<13} {:>6} {:>6} {:>6} {:>6} {:>6}",
                g.done,
                percent(g.avf.rate),
                interval(&g.avf),
                rate("sdc"),
                percent(g.outcomes.due()),
                rate("hang"),
                rate("timing"),
                g.contribution_share.map_or(String::new(), percent)
            );
            if let (true, Some(first)) = (places, g.places.first()) {
                let more = match g.places.len() {
                    1 => String::new(),
                    n => format!(" and {} more", n - 1),
                };
                let _ = write!(line, "  {first}{more}");
            }
        }
        let _ = writeln!(s, "{}", line.trim_end());
    }
}

fn text<T: ToString>(x: Option<T>) -> String {
    x.map_or(String::new(), |x| x.to_string())
}

impl Report {
    /// Lines about what was run.
    pub fn heading(&self) -> Vec<(&'static str, String)> {
        let c = &self.campaign;
        let rows = &self.rows;
        let mut chip = c.config.clone();
        c.set.iter().for_each(|s| chip += &format!(" {s}"));
        let mut run = format!("{} of {}", thousands(rows.done), thousands(rows.planned));
        if !self.complete() {
            run += ", the campaign is not complete";
        }
        let mut lines = vec![("chip", chip), ("rows", run)];
        if rows.weighted {
            let n = format!("{:.0}, weights differ", rows.effective);
            lines.push(("effective rows", n));
        }
        if rows.certain > 0 {
            let n = format!("{}, no sampling error", thousands(rows.certain));
            lines.push(("certain rows", n));
        }
        if c.population > 0 {
            lines.push(("drawn from", format!("{} faults", thousands(c.population))));
        }
        let changed = format!("{} faults changed a bit", thousands(rows.activated));
        lines.push(("activated", changed));
        lines
    }

    /// The launch by its file and folder.
    pub fn title(&self) -> String {
        let parts: Vec<&str> = self.campaign.launch.split('/').collect();
        let last = parts[parts.len().saturating_sub(2)..].join("/");
        format!("faults in {last}")
    }

    /// The report for a terminal.
    pub fn text(&self) -> String {
        let mut s = format!("{}\n", self.title());
        for (name, value) in self.heading() {
            let _ = writeln!(s, "  {name:<18} {value}");
        }
        let level = format!("Wilson intervals at {} %", 100.0 * self.confidence);
        let _ = writeln!(
            s,
            "  {:<18} {} % ± {}, {}: {}",
            "AVF",
            percent(self.avf.rate),
            margin(&self.avf),
            level,
            interval(&self.avf)
        );
        let none = |_: &str| "";
        shares(&mut s, "classes", self.rows.done, &self.outcomes, none);
        let count = |name| self.outcomes.of(name).count;
        shares(&mut s, "masked: how", count("masked"), &self.masked, |n| {
            let found = HOW.iter().find(|h| h.0.name() == n);
            found.map_or("", |h| h.1)
        });
        shares(&mut s, "due: trap", count("due"), &self.causes, none);
        shares(&mut s, "sdc: pattern", count("sdc"), &self.sdc.patterns, none);
        spread(&mut s, "wrong words", &self.sdc.wrong_words, "");
        spread(&mut s, "wrong bits", &self.sdc.wrong_bits, "");
        spread(&mut s, "relative error", &self.sdc.relative_error, "");
        if self.latency.rows > 0 {
            s.push_str("\nfrom activation until all state is as without the fault\n");
            spread(&mut s, "cycles", &self.latency, "");
        }
        groups(&mut s, "stage", &self.stages, false);
        groups(&mut s, "block", &self.blocks, true);
        groups(&mut s, "fault model", &self.models, false);
        groups(&mut s, "kind of site", &self.kinds, false);
        s.push_str("\nAVF: silent corruption (SDC), trap (DUE) or hang; % of the rows with a result. part: AVF × bits, % of all\n");
        s
    }
}

/// A line a row of the campaign, comma-separated, under a line of [`columns`]; fields of the result
/// are empty where there is none.
///
/// # Errors
/// Writing fails.
pub fn csv(
    campaign: &Campaign, sites: &Sites, records: &BTreeMap<u64, Record>, out: impl std::io::Write,
) -> std::io::Result<()> {
    let mut w = csv::Writer::from_writer(out);
    w.write_record(columns())?;
    for row in &campaign.rows {
        let f = &row.fault;
        let site = sites.site(f.site);
        let bits: Vec<String> = f.bits.iter().map(u32::to_string).collect();
        let fault = [
            row.row.to_string(),
            site.path.clone(),
            site.block.clone(),
            stage::of(site).name().to_string(),
            site.kind.name().to_string(),
            f.word.to_string(),
            bits.join("+"),
            f.cycle.to_string(),
            f.kind.name().to_string(),
            f.duration.to_string(),
            f.period.to_string(),
            f.active.to_string(),
            row.weight.to_string(),
        ];
        let result = records.get(&row.row).map(values).unwrap_or([const { Value::Null }; RECORD.len()]);
        let result = RECORD.iter().zip(result).map(|((column, _), value)| match (*column, value) {
            ("spread_site", Value::Integer(n)) => {
                sites.list().get(n as usize).map_or(String::new(), |s| s.path.clone())
            }
            ("first_wrong", Value::Integer(n)) => format!("{n:#x}"),
            (_, value) => shown(value).unwrap_or_default(),
        });
        w.write_record(fault.into_iter().chain(result))?;
    }
    w.flush()
}
