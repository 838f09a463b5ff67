//! Tables of [`Compare`] as text, Markdown and a page.

use super::classes::harms;
use super::compare::{By, Cell, Compare, Extent, Line, OF};
use super::plot;
use super::stats::Share;
use super::table::{interval, percent};
use super::{Group, Shares};
use crate::error::FaultError;
use crate::record::FaultOutcome;
use askama::Template;
use std::fmt::Write as _;
use warpsmith_cosim::thousands;

/// A table: cells hold lines of text.
struct Grid {
    title: String,
    note: String,
    head: Vec<Vec<String>>,
    rows: Vec<Vec<Entry>>,
}

/// A cell's lines, and for a page how strongly it is coloured, 0 to 1.
#[derive(Clone, Default)]
struct Entry {
    lines: Vec<String>,
    heat: Option<String>,
}

impl Entry {
    fn new(lines: impl IntoIterator<Item = String>) -> Self {
        Entry { lines: lines.into_iter().collect(), heat: None }
    }
}

pub(super) fn with_interval(s: &Share) -> String {
    format!("{} ({})", percent(s.rate), interval(s))
}

/// SDC, DUE with what a hardened chip detected, hang, timing.
fn harm(o: &Shares) -> String {
    let rate = |c: FaultOutcome| o.of(c.name()).rate;
    let each = [rate(FaultOutcome::Sdc), o.due(), rate(FaultOutcome::Hang), rate(FaultOutcome::Timing)];
    let each = each.map(|rate| format!("{:.1}", 100.0 * rate));
    each.join(" / ")
}

fn entry(cell: Option<&Cell>, most: f64) -> Entry {
    let Some(c) = cell else { return Entry::new(["–".into()]) };
    let mut e = Entry::new([with_interval(&c.share)]);
    e.lines.extend(c.outcomes.as_ref().map(harm));
    e.heat = (most > 0.0).then(|| format!("{:.3}", (c.share.rate / most).min(1.0)));
    e
}

fn extent(e: Option<&Extent>) -> Entry {
    let Some(e) = e else { return Entry::new(["–".into()]) };
    let words = |x: Option<f64>| x.map_or("?".into(), |x| thousands(x as u64));
    Entry::new([
        format!("{} / {}", words(e.median), words(e.p90)),
        format!("{:.0} % of {}", 100.0 * e.single.rate, thousands(e.rows)),
    ])
}

impl Compare {
    fn name(&self, l: &Line) -> Entry {
        let mut e = Entry::new([l.name.clone()]);
        let more = if l.places.len() > 1 { " …" } else { "" };
        e.lines.extend(l.places.first().map(|p| format!("{p}{more}")));
        e
    }

    fn labels(&self) -> impl Iterator<Item = Vec<String>> + '_ {
        self.columns.iter().map(|c| vec![c.label.clone(), c.model.clone()])
    }

    /// Class of the table, as written in text.
    fn of(&self) -> String {
        match self.of.as_str() {
            word @ ("hang" | "timing") => word.into(),
            short => short.to_uppercase(),
        }
    }

    /// Explanation of the cells of the first table.
    fn note(&self) -> String {
        let level = format!("intervals at {} %", 100.0 * self.confidence);
        let what = self.of();
        let mean = self.rows.iter().any(|l| l.mean.is_some());
        let mut s = match self.by {
            By::Class => format!(
                "%, {level}; `masked:` of the masked faults, `due:` of the traps, `sdc:` of the silent corruptions"
            ),
            _ => format!("{what} in %, {level}; below it SDC / DUE / hang / timing"),
        };
        if mean && self.by != By::Class {
            s += "; part: bits × mean, % of the sum";
            if self.by.is_ranked() {
                s += "; so far: of the lines down to this one";
            }
        }
        s
    }

    /// Part of each line in the failures of every kind: bits × mean, as parts of the sums.
    fn parts(&self) -> Option<Grid> {
        let share = |l: &Line, of: &str| {
            let mean = l.mean.as_ref()?;
            let outcomes = mean.outcomes.as_ref()?;
            let share = |class: FaultOutcome| outcomes.of(class.name()).rate;
            let rate = match of {
                "bits" => 1.0,
                "avf" => FaultOutcome::ALL.iter().filter(|o| harms(**o)).map(|o| share(*o)).sum(),
                class => outcomes.of(class).rate,
            };
            Some(rate * l.bits? as f64)
        };
        let columns: Vec<&str> = ["bits"].into_iter().chain(OF).collect();
        let sums = columns.iter().map(|of| self.rows.iter().filter_map(|l| share(l, of)).sum());
        let sums: Vec<f64> = sums.collect();
        let row = |l: &Line| {
            let parts = columns.iter().zip(&sums).map(|(of, sum)| {
                let part = share(l, of).filter(|_| *sum > 0.0).map(|x| x / sum);
                let mut e = Entry::new(part.map(percent));
                e.heat = part.filter(|_| *of != "bits").map(|p| format!("{p:.3}"));
                e
            });
            [self.name(l)].into_iter().chain(parts).collect()
        };
        let head = ["", "bits", "AVF", "SDC", "DUE", "hang", "timing"];
        (sums[0] > 0.0).then(|| Grid {
            title: "Parts".into(),
            note: "bits, and bits × mean of each class, in % of the sum of all lines".into(),
            head: head.map(|h| vec![h.to_string()]).to_vec(),
            rows: self.rows.iter().map(row).collect(),
        })
    }

    fn grids(&self) -> Vec<Grid> {
        let mean = self.rows.iter().any(|l| l.mean.is_some());
        let bits = self.by != By::Class;
        let one = |s: &str| vec![s.to_string()];
        let what = match self.by {
            By::Stage => "stage",
            By::Block => "block",
            By::Key => "key",
            By::Class => "class",
        };
        let mut head = vec![one(what)];
        if bits {
            head.push(one("bits"));
        }
        if bits && mean {
            head.push(one("part"));
            if self.by.is_ranked() {
                head.push(one("so far"));
            }
        }
        if mean {
            head.push(one("mean"));
        }
        head.extend(self.labels());
        let cells = self.rows.iter().flat_map(|l| l.cells.iter().flatten());
        let sure = cells.filter(|c| c.done >= plot::ENOUGH);
        let most = sure.map(|c| c.share.rate).fold(0.0, f64::max);
        let mut sum = 0.0;
        let rows = self.rows.iter().map(|l| {
            let mut row = vec![self.name(l)];
            if bits {
                row.push(Entry::new(l.bits.map(thousands)));
            }
            if bits && mean {
                sum += l.part.unwrap_or(0.0);
                row.push(Entry::new(l.part.map(percent)));
                if self.by.is_ranked() {
                    row.push(Entry::new([percent(sum)]));
                }
            }
            if mean {
                row.push(entry(l.mean.as_ref(), most));
            }
            row.extend(l.cells.iter().map(|c| entry(c.as_ref(), most)));
            row
        });
        let mut grids =
            vec![Grid { title: format!("{} by {what}", self.of()), note: self.note(), head, rows: rows.collect() }];
        if self.by == By::Class {
            grids[0].title = "Classes".into();
        }
        grids.extend(self.parts());
        let wrong: Vec<&Line> = self.rows.iter().filter(|l| l.extents.iter().any(Option::is_some)).collect();
        if !wrong.is_empty() {
            let mut head = vec![one(what)];
            head.extend(self.labels());
            let row = |l: &&Line| {
                let name = match self.by {
                    By::Class => Entry::new(["all".into()]),
                    _ => self.name(l),
                };
                let cells = l.extents.iter().map(|e| extent(e.as_ref()));
                [name].into_iter().chain(cells).collect()
            };
            grids.push(Grid {
                title: "Wrong words of silent corruptions".into(),
                note: "median / nine tenths up to; below it the share with one wrong word, and of how many corruptions"
                    .into(),
                head,
                rows: wrong.iter().map(row).collect(),
            });
        }
        grids
    }

    /// Tables for a terminal.
    pub fn text(&self) -> String {
        let mut s = String::new();
        for c in &self.columns {
            let _ = writeln!(s, "{}, {}: {}", c.label, c.model, c.facts());
        }
        for g in self.grids() {
            let _ = writeln!(s, "\n{}: {}", g.title, g.note.replace('`', ""));
            let mut lines: Vec<Vec<Vec<String>>> = vec![g.head];
            lines.extend(g.rows.into_iter().map(|r| r.into_iter().map(|e| e.lines).collect()));
            let length = |x: &str| x.chars().count();
            let widths: Vec<usize> = (0..lines[0].len())
                .map(|k| lines.iter().flat_map(|l| &l[k]).map(|x| length(x)).max().unwrap_or(0))
                .collect();
            for l in &lines {
                for k in 0..l.iter().map(Vec::len).max().unwrap_or(0) {
                    let mut out = String::new();
                    for (i, cell) in l.iter().enumerate() {
                        let x = cell.get(k).map_or("", String::as_str);
                        let pad = " ".repeat(widths[i] - length(x));
                        let (before, after) = if i == 0 { ("", &*pad) } else { (&*pad, "") };
                        let _ = write!(out, "{before}{x}{after}  ");
                    }
                    let _ = writeln!(s, "{}", out.trim_end());
                }
            }
        }
        s
    }

    /// Tables in Markdown.
    pub fn markdown(&self) -> String {
        let mut s = String::new();
        for (i, g) in self.grids().into_iter().enumerate() {
            if i > 0 {
                s.push('\n');
            }
            let _ = writeln!(s, "{}: {}.\n", g.title, g.note);
            let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
            s += &line(g.head.iter().map(|h| h.join("<br>")).collect());
            s +=
                &line(g.head.iter().enumerate().map(|(i, _)| if i == 0 { "---" } else { "--:" }.to_string()).collect());
            for r in &g.rows {
                s += &line(r.iter().map(|e| e.lines.join("<br>")).collect());
            }
        }
        s
    }

    /// A page with the tables and the campaigns' classes as bars.
    ///
    /// # Errors
    /// [`FaultError::Ask`]: the page cannot be drawn, a bug.
    pub fn html(&self, reports: &[super::Report]) -> Result<String, FaultError> {
        let failed = |what: String| FaultError::Ask(format!("the page cannot be made: {what}"));
        let whole = self.columns.iter().zip(reports).map(|(c, r)| Group {
            name: format!("{}, {}", c.label, c.model),
            done: r.rows.done,
            outcomes: r.outcomes.clone(),
            avf: r.avf,
            ..Group::default()
        });
        let whole: Vec<Group> = whole.collect();
        let group = |l: &Line| {
            let m = l.mean.as_ref()?;
            Some(Group {
                name: l.name.clone(),
                places: l.places.clone(),
                bits: l.bits,
                done: m.done,
                outcomes: m.outcomes.clone()?,
                avf: m.share,
                ..Group::default()
            })
        };
        // The whiskers are those of the AVF: other shares have theirs in the table.
        let means: Vec<Group> = self.rows.iter().filter(|_| self.of == "avf").filter_map(group).collect();
        let campaigns = plot::outcomes(&whole, usize::MAX, "campaign");
        let mut plots = vec![("Campaigns".to_string(), campaigns)];
        if !means.is_empty() {
            let (title, names) = match self.by {
                By::Block => ("Blocks, mean of the campaigns", "block type"),
                By::Key => ("Keys, mean of the campaigns", "key"),
                _ => ("Stages, mean of the campaigns", "stage"),
            };
            plots.push((title.into(), plot::outcomes(&means, 20, names)));
        }
        let plots: Result<Vec<_>, String> = plots.into_iter().map(|(t, p)| Ok((t, p?))).collect();
        Page {
            facts: self.columns.iter().map(|c| (format!("{}, {}", c.label, c.model), c.facts())).collect(),
            legend: plot::legend(whole.iter().map(|g| &g.outcomes)),
            plots: plots.map_err(failed)?,
            grids: self.grids(),
        }
        .render()
        .map_err(|e| failed(e.to_string()))
    }
}

#[derive(Template)]
#[template(path = "compare.html")]
struct Page {
    facts: Vec<(String, String)>,
    legend: Vec<plot::Colour>,
    plots: Vec<(String, String)>,
    grids: Vec<Grid>,
}
