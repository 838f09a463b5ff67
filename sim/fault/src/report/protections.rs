//! Chips with other protection side by side: how upsets of each end, and what each costs.
//!
//! A chip with more bits is hit more often: what is *left* of the harm to the first chip is (SDC + DUE + hang) × bits over
//! that of the first. What a chip corrects or detects is no harm here.

use super::compare::{kernel, mean};
use super::grid::with_interval;
use super::stats::{quantile, wilson, Share};
use super::{Report, Shares};
use crate::error::FaultError;
use crate::record::FaultOutcome;
use serde::Serialize;
use std::fmt::Write as _;
use warpsmith_cosim::thousands;
use warpsmith_plot::prelude::*;
use warpsmith_plot::{drawn, fill, line, text, HPos, DIM, GRID, TEXT};

/// Size of a synthesized chip.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Size {
    /// Lookup tables.
    pub luts: u64,
    /// Flip-flops.
    pub ffs: u64,
    /// Block RAMs.
    pub brams: f64,
    /// Clock reached, in MHz; none without place and route.
    pub fmax_mhz: Option<f64>,
}

/// A chip: its name, its size if it was synthesized, its campaigns.
pub struct Chip {
    /// Name in tables.
    pub name: String,
    /// Of its synthesis.
    pub size: Option<Size>,
    /// Reports of its campaigns: the same kernels for all chips.
    pub reports: Vec<Report>,
}

/// What became of a chip's upsets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// The chip.
    pub name: String,
    /// Configuration and changed parameters.
    pub config: String,
    /// Its size.
    pub size: Option<Size>,
    /// Bits that can be upset.
    pub bits: u64,
    /// Rows of all campaigns.
    pub done: u64,
    /// Share of each class, mean of the campaigns.
    pub outcomes: Shares,
    /// SDC, DUE and hang, mean of the campaigns.
    pub harm: Share,
    /// Harm × bits, as a part of the first chip's.
    pub left: f64,
    /// No other chip has at most its tables and less harm left.
    pub front: bool,
}

/// All chips; the first is what others are compared with.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Protections {
    /// Confidence of all intervals.
    pub confidence: f64,
    /// Kernels of the campaigns.
    pub kernels: Vec<String>,
    /// A line a chip.
    pub chips: Vec<Line>,
}

/// Classes that are harm: neither corrected nor detected.
const HARM: [FaultOutcome; 3] = [FaultOutcome::Sdc, FaultOutcome::Due, FaultOutcome::Hang];

/// Classes of the table, in its order.
const SHOWN: [FaultOutcome; 5] =
    [FaultOutcome::Corrected, FaultOutcome::Detected, FaultOutcome::Sdc, FaultOutcome::Due, FaultOutcome::Hang];

impl Protections {
    /// Puts chips side by side.
    ///
    /// # Errors
    /// [`FaultError::Ask`]: no chip, one without campaigns, or one with other kernels than the first.
    pub fn new(chips: Vec<Chip>) -> Result<Self, FaultError> {
        let kernels = |c: &Chip| c.reports.iter().map(|r| kernel(&r.campaign.launch)).collect::<Vec<_>>();
        let first = chips.first().ok_or_else(|| FaultError::Ask("no chip to compare".into()))?;
        let expected = kernels(first);
        if expected.is_empty() {
            return Err(FaultError::Ask(format!(
                "{}: a campaign with results was expected; plan and run one",
                first.name
            )));
        }
        let confidence = first.reports[0].confidence;
        let mut lines = vec![];
        for chip in chips {
            let own = kernels(&chip);
            if own != expected {
                return Err(FaultError::Ask(format!(
                    "{}: campaigns of {} were expected, as of the first chip, not of {}; plan and run those",
                    chip.name,
                    expected.join(", "),
                    if own.is_empty() { "none".into() } else { own.join(", ") }
                )));
            }
            lines.push(line_of(chip, quantile(confidence)));
        }
        let of = |l: &Line| l.harm.rate * l.bits as f64;
        let all = of(&lines[0]);
        for l in lines.iter_mut().filter(|_| all > 0.0) {
            l.left = of(l) / all;
        }
        let points: Vec<(u64, f64)> = lines.iter().filter_map(|l| Some((l.size?.luts, l.left))).collect();
        for l in &mut lines {
            let better = |size: Size| points.iter().any(|(luts, left)| *luts <= size.luts && *left < l.left);
            l.front = l.size.is_some_and(|size| !better(size));
        }
        Ok(Protections { confidence, kernels: expected, chips: lines })
    }

    /// Tables of the first chip's size, for another one.
    fn times(&self, size: Size) -> Option<f64> {
        Some(size.luts as f64 / self.chips[0].size?.luts as f64)
    }

    /// The table in Markdown.
    pub fn markdown(&self) -> String {
        let mut s = format!(
            "Protections: upsets in %, mean of {}, intervals at {} %; left: (SDC + DUE + hang) × bits, % of the first line's; \
             ◆ nothing here with as few LUT leaves less.\n\n\
             | chip | schemes | LUT | × | FF | BRAM | MHz | bits | corrected | detected | SDC | DUE | hang | left |\n\
             | --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n",
            self.kernels.join(", "),
            100.0 * self.confidence
        );
        for l in &self.chips {
            let size = |of: &dyn Fn(Size) -> String| l.size.map_or("–".into(), of);
            let mut cells = vec![l.name.clone(), l.config.clone()];
            cells.push(size(&|s| thousands(s.luts)));
            cells.push(size(&|s| self.times(s).map_or("–".into(), |t| format!("{t:.2}"))));
            cells.push(size(&|s| thousands(s.ffs)));
            cells.push(size(&|s| s.brams.to_string()));
            cells.push(size(&|s| s.fmax_mhz.map_or("not routed".into(), |f| format!("{f:.1}"))));
            cells.push(thousands(l.bits));
            cells.extend(SHOWN.iter().map(|o| with_interval(&l.outcomes.of(o.name()))));
            cells.push(format!("{:.1}{}", 100.0 * l.left, if l.front { " ◆" } else { "" }));
            let _ = writeln!(s, "| {} |", cells.join(" | "));
        }
        s
    }

    /// The plot: tables across, harm that is left upwards, the front as a line.
    ///
    /// # Errors
    /// [`FaultError::Ask`]: no chip was synthesized, or the plot cannot be drawn, a bug.
    pub fn svg(&self) -> Result<String, FaultError> {
        let points: Vec<(f64, &Line)> = self.chips.iter().filter_map(|l| Some((self.times(l.size?)?, l))).collect();
        if points.is_empty() {
            return Err(FaultError::Ask("a plot needs the first chip's report.json of `warpsmith synth`".into()));
        }
        drawn((660, 340), |area| plot(area, &points))
            .map_err(|what| FaultError::Ask(format!("the plot cannot be made: {what}")))
    }
}

fn line_of(chip: Chip, z: f64) -> Line {
    let reports = &chip.reports;
    let over = |of: &dyn Fn(&Report) -> Share| mean(&reports.iter().map(|r| (of(r), 1.0)).collect::<Vec<_>>());
    let harm = |r: &Report| {
        let each = HARM.map(|o| r.outcomes.of(o.name()));
        let rate = each.iter().map(|s| s.rate).sum();
        let (low, high) = wilson(rate, r.rows.effective, z);
        Share { count: each.iter().map(|s| s.count).sum(), rate, low, high }
    };
    let class = |o: FaultOutcome| {
        let none = |r: &Report| Share { high: wilson(0.0, r.rows.effective, z).1, ..Share::default() };
        let of = |r: &Report| r.outcomes.0.iter().find(|s| s.0 == o.name()).map_or_else(|| none(r), |s| s.1);
        (o.name(), over(&of))
    };
    let origin = &reports[0].campaign;
    Line {
        config: [&[origin.config.clone()][..], &origin.set].concat().join(" "),
        size: chip.size,
        bits: reports[0].kinds.iter().filter_map(|g| g.bits).sum(),
        done: reports.iter().map(|r| r.rows.done).sum(),
        outcomes: Shares(FaultOutcome::ALL.iter().map(|o| class(*o)).collect()),
        harm: over(&harm),
        left: 0.0,
        front: false,
        name: chip.name,
    }
}

/// Corners of the plot's inside, in pixels.
const INSIDE: [(i32, i32); 2] = [(60, 20), (620, 290)];

fn plot(area: &warpsmith_plot::Area<'_>, points: &[(f64, &Line)]) -> Result<(), String> {
    let [(left, top), (right, bottom)] = INSIDE;
    let most_x = points.iter().map(|p| p.0).fold(1.1, f64::max) * 1.05;
    let most_y = points.iter().map(|p| p.1.left).fold(1.0, f64::max);
    let x = |times: f64| left + ((times - 0.95) / (most_x - 0.95) * f64::from(right - left)) as i32;
    let y = |part: f64| bottom - (part / most_y * f64::from(bottom - top)) as i32;
    for tenth in 0..=10 {
        let part = f64::from(tenth) / 10.0;
        if tenth % 2 == 0 && part <= most_y {
            line(area, (left, y(part)), (right, y(part)), GRID)?;
            text(area, &format!("{} %", 10 * tenth), (left - 6, y(part)), (12, DIM), HPos::Right)?;
        }
        let times = 1.0 + part;
        if times <= most_x {
            line(area, (x(times), top), (x(times), bottom), GRID)?;
            text(area, &format!("{times:.1}"), (x(times), bottom + 12), (12, DIM), HPos::Center)?;
        }
    }
    text(area, "LUT, times those of the first chip", ((left + right) / 2, bottom + 34), (12, DIM), HPos::Center)?;
    text(area, "harm left", (left, top - 10), (12, DIM), HPos::Center)?;
    let mut front: Vec<&(f64, &Line)> = points.iter().filter(|p| p.1.front).collect();
    front.sort_by(|a, b| a.0.total_cmp(&b.0));
    for pair in front.windows(2) {
        line(area, (x(pair[0].0), y(pair[0].1.left)), (x(pair[1].0), y(pair[1].1.left)), DIM)?;
    }
    for (times, l) in points {
        let (x, y) = (x(*times), y(l.left));
        let colour = if l.front { RGBColor(0, 114, 178) } else { DIM };
        fill(area, [(x - 4, y - 4), (x + 4, y + 4)], colour)?;
        text(area, &l.name, (x + 8, y - 8), (13, TEXT), HPos::Left)?;
    }
    Ok(())
}
