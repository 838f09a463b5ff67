//! A profile for readers: text, and one HTML page without anything from outside.

use super::profile::{by_cause, main_cause, ByCause, Profile, Row};
use super::remarks::{is_scattered, short};
use crate::error::CosimError;
use crate::figures::{colour, thousands, ISSUED};
use askama::Template;
use std::fmt::Write as _;
use warpsmith_check::Findings;
use warpsmith_contract::StallCause;

/// Percent with one digit.
fn percent(part: u64, whole: u64) -> String {
    format!("{:.1}", 100.0 * part as f64 / whole.max(1) as f64)
}

/// Length of a bar.
fn length(part: u64, whole: u64) -> String {
    format!("{:.3}", part as f64 / whole.max(1) as f64)
}

/// Causes with cycles, most first.
fn causes(cycles: &ByCause) -> Vec<(StallCause, u64)> {
    let mut named: Vec<(StallCause, u64)> = by_cause(cycles).collect();
    named.sort_by_key(|c| std::cmp::Reverse(c.1));
    named
}

/// A colour in a style sheet.
fn css([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// One row of the tables, as text; empty where there is nothing to say.
struct Cells {
    place: String,
    pc: String,
    text: String,
    executions: String,
    threads: String,
    slots: String,
    lost: String,
    why: &'static str,
    /// Colour of `why`.
    colour: String,
    wait: String,
    wait_why: &'static str,
    conflicts: String,
    requests: String,
    splits: String,
    scattered: bool,
    conflicting: bool,
    divergent: bool,
    /// Lengths of the bars, 0 to 1.
    slots_bar: String,
    lost_bar: String,
}

struct Stall {
    name: &'static str,
    colour: String,
    cycles: String,
    percent: String,
    /// Length of the bar, 0 to 1.
    bar: String,
}

struct Spot {
    place: String,
    text: String,
    source: Option<String>,
    percent: String,
    remarks: Vec<String>,
}

#[derive(Template)]
#[template(path = "profile.html")]
struct Page<'a> {
    title: &'a str,
    file: &'a str,
    facts: Vec<(&'static str, String)>,
    stalls: Vec<Stall>,
    spots: Vec<Spot>,
    rows: Vec<Cells>,
    /// What the longest bars of the instructions stand for, in percent of the cycles: issue, lost.
    longest: [String; 2],
    outside: String,
    source: bool,
    /// What is wrong with the program, by lines; `None`: nobody looked for it.
    mistakes: Option<Vec<Vec<String>>>,
}

/// The lines of each finding, then what never ran.
fn mistakes(found: &Findings) -> Vec<Vec<String>> {
    let lines = |text: String| text.lines().map(|l| l.trim_start().to_string()).collect();
    let all = found.list.iter().map(|f| f.text()).chain(found.unexecuted.text());
    all.map(lines).collect()
}

impl Profile {
    /// The most cycles that an instruction issued and lost.
    fn most(&self) -> [u64; 2] {
        let most = |f: fn(&Row) -> u64| self.rows.values().map(f).max().unwrap_or(0);
        [most(|r| r.slots), most(Row::lost_all)]
    }

    fn cells(&self) -> Vec<Cells> {
        let [most_slots, most_lost] = self.most();
        let one = |(pc, r): (&u32, &Row)| {
            let some = |n: u64, text: String| if n > 0 { text } else { String::new() };
            let conflicts =
                Row::by(&r.lost, StallCause::SharedConflict) + Row::by(&r.lost, StallCause::ConstantConflict);
            let waited: u64 = r.waited.iter().sum();
            let splits = format!("{:.0} %", 100.0 * r.each(r.splits));
            let of_ideal = format!("{}/{}", short(r.each(r.requests)), short(r.each(r.ideal)));
            Cells {
                place: self.listing.number(*pc),
                pc: format!("{pc:04x}"),
                text: self.listing.text(*pc).to_string(),
                executions: thousands(r.executions),
                threads: short(r.each(r.active)),
                slots: percent(r.slots, self.sm_cycles),
                lost: some(r.lost_all(), percent(r.lost_all(), self.sm_cycles)),
                why: main_cause(&r.lost).map_or("", |c| c.0.name()),
                colour: main_cause(&r.lost).map_or(String::new(), |c| css(colour(c.0))),
                wait: some(waited, short(r.each(waited))),
                wait_why: main_cause(&r.waited).map_or("", |c| c.0.name()),
                conflicts: some(conflicts, short(r.each(conflicts))),
                requests: some(r.requests + r.ideal, of_ideal),
                splits: some(r.splits, splits),
                scattered: is_scattered(r),
                conflicting: conflicts > 0,
                divergent: r.splits > 0,
                slots_bar: length(r.slots, most_slots),
                lost_bar: length(r.lost_all(), most_lost),
            }
        };
        self.rows.iter().map(one).collect()
    }

    /// Figures of the whole kernel, name and value.
    fn facts(&self) -> Vec<(&'static str, String)> {
        let c = &self.counters;
        let t = self.total();
        let mut facts = vec![
            ("cycles", thousands(c.cycles)),
            ("warp instructions", thousands(c.warp_instructions)),
            ("issue utilisation", format!("{:.3}", c.issue_utilisation)),
            ("lane utilisation", format!("{:.3}", c.lane_utilisation)),
            ("threads an instruction", short(t.each(t.active))),
            ("memory port used", format!("{} % of cycles", percent(self.port_used, c.cycles))),
        ];
        if t.requests > 0 {
            let words = format!("{} requests, {} would do", thousands(t.requests), thousands(t.ideal));
            facts.push(("global and local memory", words));
        }
        facts
    }

    fn spots(&self) -> Vec<Spot> {
        let spot = |h: super::remarks::HotSpot| Spot {
            place: self.listing.place(h.pc),
            text: self.listing.text(h.pc).to_string(),
            source: self.listing.source(h.pc).map(String::from),
            percent: format!("{:.1}", 100.0 * h.share),
            remarks: h.remarks,
        };
        self.hot_spots().into_iter().map(spot).collect()
    }

    /// The report for a terminal.
    pub fn text(&self) -> String {
        let mut s = format!("profile of {}\n", self.title);
        for (name, value) in self.facts() {
            let _ = writeln!(s, "  {name:<24} {value}");
        }
        for (cause, n) in causes(&self.counters.stalls) {
            let (of, n, name) = (percent(n, self.sm_cycles), thousands(n), cause.name());
            let _ = writeln!(s, "  lost: {name:<18} {n} cycles, {of} %");
        }
        let _ = writeln!(s, "hot spots, share of the cycles (issued, lost, or of the memory port):");
        for spot in self.spots() {
            let _ = writeln!(s, "  {:>5} %  {}  {}", spot.percent, spot.place, spot.text);
            if let Some(source) = spot.source {
                let _ = writeln!(s, "           in: {source}");
            }
            for r in spot.remarks {
                let _ = writeln!(s, "           {r}");
            }
        }
        let rows = self.cells();
        let width = rows.iter().map(|r| r.text.len()).max().unwrap_or(0).min(48);
        let _ = writeln!(
            s,
            "{:>5} {:>5} {:<width$} {:>8} {:>7} {:>6} {:>6} {:<17} {:>8} {:<17} {:>8} {:>9} {:>6}",
            "line",
            "pc",
            "instruction",
            "executed",
            "threads",
            "slots%",
            "lost%",
            "because of",
            "waited",
            "for",
            "conflict",
            "requests",
            "splits"
        );
        for r in rows {
            let text: String = r.text.chars().take(width).collect();
            let line = format!(
                "{:>5} {:>5} {text:<width$} {:>8} {:>7} {:>6} {:>6} {:<17} {:>8} {:<17} {:>8} {:>9} {:>6}",
                r.place,
                r.pc,
                r.executions,
                r.threads,
                r.slots,
                r.lost,
                r.why,
                r.wait,
                r.wait_why,
                r.conflicts,
                r.requests,
                r.splits
            );
            let _ = writeln!(s, "{}", line.trim_end());
        }
        let _ = writeln!(s, "slots%, lost%: of the cycles of all SMs; waited, conflict: cycles an execution; requests: an execution, taken/needed");
        s
    }

    /// The page.
    ///
    /// # Errors
    /// [`CosimError::Page`].
    pub fn html(&self) -> Result<String, CosimError> {
        let stall = |(name, rgb, cycles)| Stall {
            name,
            colour: css(rgb),
            cycles: thousands(cycles),
            percent: percent(cycles, self.sm_cycles),
            bar: length(cycles, self.sm_cycles),
        };
        let lost: u64 = self.counters.stalls.iter().sum();
        let issuing = ("issuing", ISSUED, self.sm_cycles.saturating_sub(lost));
        let outside: Vec<String> =
            causes(&self.outside).into_iter().map(|(cause, n)| format!("{} {}", cause.name(), thousands(n))).collect();
        let stalls = std::iter::once(issuing)
            .chain(causes(&self.counters.stalls).into_iter().map(|(c, n)| (c.name(), colour(c), n)))
            .map(stall)
            .collect();
        Page {
            title: &self.title,
            file: &self.listing.file,
            facts: self.facts(),
            stalls,
            spots: self.spots(),
            rows: self.cells(),
            longest: self.most().map(|n| percent(n, self.sm_cycles)),
            outside: outside.join(", "),
            source: self.listing.lines.values().any(|l| l.number.is_some()),
            mistakes: self.check.as_ref().map(mistakes),
        }
        .render()
        .map_err(|e| CosimError::Page(e.to_string()))
    }
}
