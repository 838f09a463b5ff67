//! The report as one self-contained HTML page.

use super::figures::{Group, Report, Shares, HOW};
use super::plot::{self, Colour, CLASSES};
use super::stats::Spread;
use super::table::{interval, percent, quantiles};
use crate::error::FaultError;
use crate::record::FaultOutcome;
use askama::Template;
use warpsmith_contract::TrapCause;
use warpsmith_cosim::thousands;

/// Blocks a plot shows.
const BLOCKS: usize = 20;

/// A plot, what it is, and what to read from it.
struct Plot {
    title: String,
    explanation: &'static str,
    /// Whether the colours of the classes need a legend: all of them, those that harm, or
    /// the two curves of the convergence.
    legend: &'static str,
    svg: String,
}

/// A row of a table of shares.
struct Cells {
    name: &'static str,
    class: String,
    count: String,
    rate: String,
    interval: String,
    note: &'static str,
    /// Length of the bar, 0 to 1.
    bar: String,
    /// Folded: nothing is counted.
    zero: bool,
}

struct Table {
    title: &'static str,
    of: String,
    rows: Vec<Cells>,
    folded: usize,
}

struct GroupCells {
    name: String,
    places: String,
    bits: String,
    rows: String,
    avf: String,
    interval: String,
    bar: String,
    sdc: String,
    due: String,
    hang: String,
    timing: String,
    masked: String,
    idle: String,
    contribution: String,
    part: String,
    /// Folded: no fault did harm.
    zero: bool,
}

struct GroupTable {
    title: &'static str,
    explanation: &'static str,
    places: bool,
    bits: bool,
    rows: Vec<GroupCells>,
    folded: usize,
}

/// Rows that are folded: those of zeros, where others are left.
fn folded(zeros: impl Iterator<Item = bool>) -> usize {
    let zeros: Vec<bool> = zeros.collect();
    let n = zeros.iter().filter(|z| **z).count();
    if n < zeros.len() {
        n
    } else {
        0
    }
}

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    report: &'a Report,
    title: String,
    confidence: String,
    avf: String,
    facts: Vec<(String, String, String)>,
    heading: Vec<(&'static str, String)>,
    /// Fault-free cycles.
    cycles: String,
    planned: String,
    done: String,
    complete: bool,
    legend: Vec<Colour>,
    plots: Vec<Plot>,
    tables: Vec<Table>,
    groups: Vec<GroupTable>,
    spreads: Vec<(&'static str, String, String)>,
}

fn class_meaning(name: &str) -> &'static str {
    name.parse().map_or("", FaultOutcome::meaning)
}

fn how_meaning(name: &str) -> &'static str {
    HOW.iter().find(|h| h.0.name() == name).map_or("", |h| h.1)
}

fn trap_meaning(name: &str) -> &'static str {
    TrapCause::from_name(name).map_or("", TrapCause::explain)
}

fn pattern_meaning(name: &str) -> &'static str {
    match name {
        "single" => "one wrong word",
        "run" => "neighbouring words",
        "stride" => "words at one distance of more than a word",
        _ => "anything else",
    }
}

fn table(title: &'static str, of: u64, list: &Shares, classes: bool, note: fn(&str) -> &'static str) -> Option<Table> {
    if list.0.iter().all(|s| s.1.count == 0) {
        return None;
    }
    let row = |(name, s): &(&'static str, super::stats::Share)| Cells {
        name,
        class: if classes { name.to_string() } else { "plain".into() },
        count: thousands(s.count),
        rate: percent(s.rate),
        interval: interval(s),
        note: note(name),
        bar: format!("{:.4}", s.rate),
        zero: s.count == 0,
    };
    Some(Table {
        title,
        of: thousands(of),
        rows: list.0.iter().map(row).collect(),
        folded: folded(list.0.iter().map(|(_, s)| s.count == 0)),
    })
}

/// Bits on average: whole when there are many.
fn bits(x: f64) -> String {
    match x < 100.0 {
        true => format!("{x:.1}"),
        false => thousands(x.round() as u64),
    }
}

fn group(g: &Group, widest: f64) -> GroupCells {
    let rate = |name| match g.done {
        0 => String::new(),
        _ => percent(g.outcomes.of(name).rate),
    };
    let some = |text: String| if g.done > 0 { text } else { String::new() };
    GroupCells {
        name: g.name.clone(),
        places: g.places.join(", "),
        bits: g.bits.map_or(String::new(), thousands),
        rows: thousands(g.done),
        avf: some(percent(g.avf.rate)),
        interval: some(interval(&g.avf)),
        bar: format!("{:.4}", if widest > 0.0 { g.avf.rate / widest } else { 0.0 }),
        sdc: rate("sdc"),
        due: some(percent(g.outcomes.due())),
        hang: rate("hang"),
        timing: rate("timing"),
        masked: some(percent(g.outcomes.masked())),
        idle: rate("not-activated"),
        contribution: g.contribution.map_or(String::new(), |c| some(bits(c))),
        part: g.contribution_share.map_or(String::new(), percent),
        zero: harmless(g),
    }
}

/// Whether no fault of a group changed results, cycles or the end of the kernel.
fn harmless(g: &Group) -> bool {
    g.avf.count == 0 && g.outcomes.of(FaultOutcome::Timing.name()).count == 0
}

fn group_table(title: &'static str, explanation: &'static str, list: &[Group]) -> GroupTable {
    let widest = list.iter().map(|g| g.avf.rate).fold(0.0, f64::max);
    GroupTable {
        title,
        explanation,
        places: list.iter().any(|g| !g.places.is_empty()),
        bits: list.iter().any(|g| g.bits.is_some()),
        rows: list.iter().map(|g| group(g, widest)).collect(),
        folded: folded(list.iter().map(harmless)),
    }
}

impl Report {
    fn plots(&self) -> Result<Vec<Plot>, String> {
        let mut plots = vec![];
        let mut add = |title: &str, explanation, legend, svg: Result<String, String>| {
            plots.push(Plot { title: title.to_string(), explanation, legend, svg: svg? });
            Ok::<(), String>(())
        };
        add("Outcomes by stage", "Each bar is all faults of one part of the chip: a long coloured part says that a fault there is likely to matter, whatever the part's size; whiskers are the interval of the AVF. The axis ends where harm does; longer bars are cut.", "all", plot::outcomes(&self.stages, usize::MAX, "stage"))?;
        let title = match self.blocks.iter().filter(|g| g.done > 0).count() {
            n if n > BLOCKS => format!("Outcomes by block type, the {} that add most to the chip's AVF", BLOCKS - 1),
            _ => "Outcomes by block type".into(),
        };
        add(&title, "Blocks in order of AVF × bits, what each adds to the failures of the chip: protection pays at the top first. Memories are named by their place; others together are weighted by bits.", "all", plot::outcomes(&self.blocks, BLOCKS, "block type"))?;
        if !self.time.is_empty() {
            add("Vulnerability over time", "Columns are harmful shares of the faults injected in these cycles, whiskers the interval of the AVF (silent, trap and hang together): phases that stand out beyond their whiskers are when the kernel's state is live.", "harm", plot::time(&self.time))?;
        }
        if !self.running.is_empty() {
            add("Convergence of the estimate", "The estimates with their intervals as more rows count, in an order shuffled by the campaign's seed: if the curves still drift at the right end, run more faults.", "curves", plot::running(&self.running))?;
        }
        if self.sdc.wrong_words.rows > 0 {
            add("Shape of silent corruptions", "Which words were wrong, with intervals: single words are within reach of a checksum an element, runs and strides point at addresses, masks or control that went wrong.", "", plot::shares(&self.sdc.patterns))?;
            add(
                "Wrong words of a silent corruption",
                "How far one fault spreads into the results: the number of 32-bit words that differ.",
                "",
                plot::spread(&self.sdc.wrong_words.bins, "words"),
            )?;
            add("Wrong bits of a silent corruption", "All bits that differ: one bit is the fault itself carried to the results, many are the work of arithmetic or of another address.", "", plot::spread(&self.sdc.wrong_bits.bins, "bits"))?;
        }
        if self.sdc.relative_error.rows > 0 {
            add("Relative error of wrong floats", "The greatest error in the results of each fault: below an application's tolerance a silent corruption is harmless.", "", plot::spread(&self.sdc.relative_error.bins, "relative error"))?;
        }
        if self.latency.rows > 0 {
            add(
                "From activation until the state has met the fault-free run's",
                "Cycles a masked fault lives on, to the comparison that found it gone: how long errors stay latent.",
                "",
                plot::spread(&self.latency.bins, "cycles"),
            )?;
        }
        Ok(plots)
    }

    /// The page.
    ///
    /// # Errors
    /// [`FaultError::Ask`]: the page cannot be drawn, a bug.
    pub fn html(&self) -> Result<String, FaultError> {
        let failed = |what: String| FaultError::Ask(format!("the page cannot be made: {what}"));
        let count = |name| self.outcomes.of(name).count;
        let fact = |name: &str, s: &super::stats::Share| {
            let value = format!("{} %", percent(s.rate));
            (name.to_string(), value, format!("{} %", interval(s)))
        };
        let mut facts = vec![fact("AVF", &self.avf)];
        let listed = CLASSES.iter().filter(|(o, _)| self.outcomes.lists(*o));
        let classes = listed.map(|(o, _)| fact(o.name(), &self.outcomes.of(o.name())));
        facts.extend(classes);
        let tables = [
            table("Classes", self.rows.done, &self.outcomes, true, class_meaning),
            table("How faults were masked", count("masked"), &self.masked, false, how_meaning),
            table("Traps of detected errors", count("due"), &self.causes, false, trap_meaning),
            table("Patterns of silent corruptions", count("sdc"), &self.sdc.patterns, false, pattern_meaning),
        ];
        let spread = |name, d: &Spread, unit| (d.rows > 0).then(|| (name, thousands(d.rows), quantiles(d, unit)));
        let spreads = [
            spread("wrong words of a silent corruption", &self.sdc.wrong_words, " words"),
            spread("wrong bits of a silent corruption", &self.sdc.wrong_bits, " bits"),
            spread("relative error of wrong floats", &self.sdc.relative_error, ""),
            spread("from activation until all state is equal again", &self.latency, " cycles"),
        ];
        Page {
            report: self,
            title: self.title(),
            confidence: format!("{} %", 100.0 * self.confidence),
            avf: format!("{} %", percent(self.avf.rate)),
            facts,
            heading: self.heading(),
            cycles: thousands(self.campaign.cycles),
            planned: thousands(self.rows.planned),
            done: thousands(self.rows.done),
            complete: self.complete(),
            legend: plot::legend([&self.outcomes]),
            plots: self.plots().map_err(failed)?,
            tables: tables.into_iter().flatten().collect(),
            groups: vec![
                group_table("Blocks", "Block types (modules of the Verilog), greatest contribution first. Contribution: AVF × bits, the bits that matter on average; part: of the sum of all blocks with faults.", &self.blocks),
                group_table("Stages", "The same by part of the chip (docs/architecture.md).", &self.stages),
                group_table("Fault models", "", &self.models),
                group_table("Kinds of site", "Registers, memories, outputs of blocks.", &self.kinds),
            ],
            spreads: spreads.into_iter().flatten().collect(),
        }
        .render()
        .map_err(|e| failed(e.to_string()))
    }
}
