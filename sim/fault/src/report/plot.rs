//! The plots of a report.

use super::classes::harms;
use super::stats::Share;
use super::{Group, Point, Shares, Slice};
use crate::record::FaultOutcome;
use warpsmith_plot::prelude::*;
use warpsmith_plot::{drawn, failed, fill, font, line, text, HPos, DIM, GRID, TEXT};

/// Blue of the palette, for what is no class.
const PLAIN: RGBColor = RGBColor(0, 114, 178);
const SDC: RGBColor = RGBColor(213, 94, 0);

/// Classes from left to right: what harms first. Colours of Okabe and Ito, which differ for
/// colour-blind readers too, greys for what does no harm.
pub const CLASSES: [(FaultOutcome, RGBColor); FaultOutcome::ALL.len()] = [
    (FaultOutcome::Sdc, SDC),
    (FaultOutcome::Due, RGBColor(86, 180, 233)),
    (FaultOutcome::Detected, RGBColor(0, 158, 115)),
    (FaultOutcome::Hang, RGBColor(204, 121, 167)),
    (FaultOutcome::Timing, RGBColor(240, 200, 66)),
    (FaultOutcome::Corrected, RGBColor(160, 205, 190)),
    (FaultOutcome::Masked, RGBColor(184, 192, 204)),
    (FaultOutcome::NotActivated, RGBColor(227, 231, 237)),
];

/// Whether a class is one of those that a kernel's host could notice.
fn is_noticed(o: FaultOutcome) -> bool {
    harms(o) || o == FaultOutcome::Timing
}

/// A class in the legend of a page.
pub struct Colour {
    pub name: &'static str,
    pub meaning: &'static str,
    pub noticed: bool,
}

/// The classes that any of the shares list, in the order of a bar's parts.
pub fn legend<'a>(shares: impl IntoIterator<Item = &'a Shares> + Clone) -> Vec<Colour> {
    let listed = |o: FaultOutcome| shares.clone().into_iter().any(|s| s.lists(o));
    let classes = CLASSES.into_iter().map(|(o, _)| o).filter(|o| listed(*o));
    classes.map(|o| Colour { name: o.name(), meaning: o.meaning(), noticed: is_noticed(o) }).collect()
}

/// Width of a plot, of the names before its bars and of the text after them, in pixels.
const WIDTH: i32 = 660;
const NAMES: i32 = 170;
const AFTER: i32 = 200;
/// Distance from bar to bar, and height of one.
const LINE: i32 = 22;
const BAR: i32 = 14;
const FONT: i32 = 13;
/// Rows from which on a group's shares decide on the length of the axis.
pub const ENOUGH: u64 = 10;

/// A bar's parts, coloured, from left to right; its interval; what is said after it.
struct Line {
    name: String,
    parts: Vec<(RGBColor, f64)>,
    interval: Option<(f64, f64)>,
    after: String,
}

/// Horizontal bars over an axis from 0 to `most`, in percent; titles of the names and of the axis.
fn bars(lines: &[Line], most: f64, titles: [&str; 2]) -> Result<String, String> {
    let end = WIDTH - AFTER;
    let x = |v: f64| NAMES + ((v / most).clamp(0.0, 1.0) * f64::from(end - NAMES)).round() as i32;
    let bottom = 8 + LINE * lines.len() as i32;
    drawn((WIDTH, bottom + 44), |area| {
        for k in 0..=5 {
            let v = most * f64::from(k) / 5.0;
            line(area, (x(v), 4), (x(v), bottom), GRID)?;
            let label = format!("{} %", short(100.0 * v));
            text(area, &label, (x(v), bottom + 13), (FONT, DIM), HPos::Center)?;
        }
        let [names, axis] = titles;
        text(area, names, (NAMES - 26, bottom + 13), (FONT, TEXT), HPos::Right)?;
        let middle = (NAMES + end) / 2;
        text(area, axis, (middle, bottom + 32), (FONT, TEXT), HPos::Center)?;
        for (i, l) in lines.iter().enumerate() {
            let y = 8 + LINE * i as i32;
            let middle = y + BAR / 2;
            text(area, &l.name, (NAMES - 8, middle), (FONT, TEXT), HPos::Right)?;
            let mut sum = 0.0;
            for (colour, part) in l.parts.iter().filter(|p| p.1 > 0.0) {
                fill(area, [(x(sum), y), (x(sum + part), y + BAR)], *colour)?;
                sum += part;
            }
            if let Some((low, high)) = l.interval {
                line(area, (x(low), middle), (x(high), middle), TEXT)?;
                // A whisker that ends beyond the axis has no cap.
                for v in [low, high].into_iter().filter(|v| *v <= most) {
                    line(area, (x(v), middle - 4), (x(v), middle + 4), TEXT)?;
                }
            }
            text(area, &l.after, (end + 12, middle), (FONT, DIM), HPos::Left)?;
        }
        Ok(())
    })
}

/// A percentage without needless zeros.
fn short(v: f64) -> String {
    let text = format!("{v:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// The next round number above a share: the end of an axis.
fn round_up(v: f64) -> f64 {
    let steps = [1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    let size = 10f64.powf(v.max(1e-4).log10().floor());
    let step = steps.iter().find(|s| **s * size >= v).unwrap_or(&10.0);
    (step * size).min(1.0)
}

/// Label of a bar: memories by their instance, because their type gives only the size.
fn label(g: &Group) -> String {
    let memory = g.name.starts_with("bram_") || g.name.starts_with("lutram_");
    let Some(place) = g.places.first().filter(|_| memory) else { return g.name.clone() };
    let parts: Vec<&str> = place.split('.').collect();
    let more = if g.places.len() > 1 { " …" } else { "" };
    format!("{}{more}", parts[parts.len().saturating_sub(2)..].join("."))
}

/// Shares of the classes, a bar a group; of more than `most` groups the last ones together, each
/// weighted by its bits.
pub fn outcomes(groups: &[Group], most: usize, names: &str) -> Result<String, String> {
    let done: Vec<&Group> = groups.iter().filter(|g| g.done > 0).collect();
    let parts = |g: &Group| {
        let part = |(o, colour): &(FaultOutcome, RGBColor)| (*colour, g.outcomes.of(o.name()).rate);
        CLASSES.iter().map(part).collect::<Vec<_>>()
    };
    let after = |avf: f64, done: u64, bits: Option<u64>| {
        let n = warpsmith_cosim::thousands;
        let bits = bits.map_or(" faults".into(), |b| format!(", {} bits", n(b)));
        format!("AVF {:.1} % of {}{bits}", 100.0 * avf, n(done))
    };
    let kept = if done.len() > most { most - 1 } else { most };
    let mut lines: Vec<Line> = done
        .iter()
        .take(kept)
        .map(|g| Line {
            name: label(g),
            parts: parts(g),
            interval: Some((g.avf.low, g.avf.high)),
            after: after(g.avf.rate, g.done, g.bits),
        })
        .collect();
    let rest = done.get(kept..).unwrap_or_default();
    let bits: u64 = rest.iter().filter_map(|g| g.bits).sum();
    if bits > 0 {
        let mean = |of: &dyn Fn(&Group) -> f64| {
            let sum: f64 = rest.iter().map(|g| of(g) * g.bits.unwrap_or(0) as f64).sum();
            sum / bits as f64
        };
        lines.push(Line {
            name: format!("{} others", rest.len()),
            parts: (0..CLASSES.len()).map(|k| (CLASSES[k].1, mean(&|g| parts(g)[k].1))).collect(),
            interval: None,
            after: after(mean(&|g| g.avf.rate), rest.iter().map(|g| g.done).sum(), Some(bits)),
        });
    }
    // Masked faults are the rest of a bar: the axis ends at the largest failure rate of groups with enough rows.
    let harm = |g: &&Group| g.avf.rate + g.outcomes.of(FaultOutcome::Timing.name()).rate;
    let sure = done.iter().filter(|g| g.done >= ENOUGH);
    let most = sure.map(harm).fold(0.0, f64::max);
    bars(&lines, if most > 0.0 { round_up(1.2 * most) } else { 1.0 }, [names, "part of the faults"])
}

/// Text after a bar.
fn after(share: f64, faults: u64) -> String {
    let n = warpsmith_cosim::thousands(faults);
    format!("{:.1} %, {n} faults", 100.0 * share)
}

/// Shares with their intervals.
pub fn shares(list: &Shares) -> Result<String, String> {
    let most = list.0.iter().map(|s| s.1.high).fold(0.0, f64::max);
    let one = |(name, s): &(&str, Share)| Line {
        name: name.to_string(),
        parts: vec![(PLAIN, s.rate)],
        interval: Some((s.low, s.high)),
        after: after(s.rate, s.count),
    };
    let lines: Vec<Line> = list.0.iter().map(one).collect();
    let titles = ["pattern", "part of the silent corruptions"];
    bars(&lines, round_up(most), titles)
}

/// A distribution of `what`.
pub fn spread(bins: &[super::stats::Bin], what: &str) -> Result<String, String> {
    let most = bins.iter().map(|b| b.share).fold(0.0, f64::max);
    let one = |b: &super::stats::Bin| Line {
        name: b.label.clone(),
        parts: vec![(PLAIN, b.share)],
        interval: None,
        after: after(b.share, b.count),
    };
    let lines: Vec<Line> = bins.iter().map(one).collect();
    bars(&lines, round_up(most), [what, "part of these faults"])
}

/// An empty frame over `0..right` and 0 to `top` percent, for the caller to draw into.
macro_rules! frame {
    ($area:expr, $right:expr, $top:expr, $x:expr, $y:expr) => {{
        let mut chart = ChartBuilder::on($area)
            .margin(10)
            .margin_right(28)
            .x_label_area_size(44)
            .y_label_area_size(64)
            .build_cartesian_2d(0.0..$right, 0.0..100.0 * $top)
            .map_err(failed)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_desc($x)
            .y_desc($y)
            .x_labels(7)
            .y_labels(6)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .axis_style(DIM)
            .x_label_formatter(&|v| warpsmith_cosim::thousands(*v as u64))
            .y_label_formatter(&|v| format!("{} %", short(*v)))
            .label_style(font(FONT, DIM))
            .axis_desc_style(font(FONT, TEXT))
            .draw()
            .map_err(failed)?;
        chart
    }};
}

/// Harmful classes over the cycle of the injection, with the interval of the AVF.
pub fn time(slices: &[Slice]) -> Result<String, String> {
    let end = slices.last().map_or(1, |s| s.to) as f64;
    let shown = |s: &Slice, o: FaultOutcome| s.outcomes.of(o.name()).rate;
    let top = slices
        .iter()
        .filter(|s| s.done > 0)
        .map(|s| s.avf.high.max(s.avf.rate + shown(s, FaultOutcome::Timing)))
        .fold(0.01, f64::max);
    drawn((WIDTH, 300), |area| {
        let mut chart = frame!(area, end, round_up(top), "cycle of the injection", "part of the faults");
        for s in slices.iter().filter(|s| s.done > 0) {
            let (from, to) = (s.from as f64, s.to as f64);
            let gap = (to - from) * 0.08;
            let mut sum = 0.0;
            for (o, colour) in CLASSES.iter().filter(|(o, _)| is_noticed(*o)) {
                let next = sum + 100.0 * shown(s, *o);
                let shape = Rectangle::new([(from + gap, sum), (to - gap, next)], colour.filled());
                if next > sum {
                    chart.draw_series([shape]).map_err(failed)?;
                }
                sum = next;
            }
            let middle = (from + to) / 2.0;
            let (low, high) = (100.0 * s.avf.low, 100.0 * s.avf.high);
            let cap = |v| PathElement::new(vec![(middle - gap, v), (middle + gap, v)], TEXT);
            let stem = PathElement::new(vec![(middle, low), (middle, high)], TEXT);
            chart.draw_series([stem, cap(low), cap(high)]).map_err(failed)?;
        }
        Ok(())
    })
}

/// AVF and silent corruptions as the number of rows grows, with their intervals.
pub fn running(points: &[Point]) -> Result<String, String> {
    let rows = points.last().map_or(1, |p| p.rows);
    // The first intervals are as wide as the axis; they would hide the rest.
    let top = points.iter().filter(|p| p.rows * 10 >= rows).map(|p| p.avf.high).fold(0.01, f64::max);
    let top = round_up(top);
    let at = |p: &Point, v: f64| (p.rows as f64, 100.0 * v.min(top));
    drawn((WIDTH, 300), |area| {
        let mut chart = frame!(area, rows as f64, top, "faults counted, in random order", "estimate");
        let curves = |of: fn(&Point) -> Share, colour: RGBColor| {
            let low = points.iter().map(|p| at(p, of(p).low));
            let high = points.iter().rev().map(|p| at(p, of(p).high));
            let band = Polygon::new(low.chain(high).collect::<Vec<_>>(), colour.mix(0.2));
            let curve = points.iter().map(|p| at(p, of(p).rate));
            (band, LineSeries::new(curve, colour.stroke_width(2)))
        };
        let (avf_band, avf) = curves(|p| p.avf, PLAIN);
        let (sdc_band, sdc) = curves(|p| p.sdc, SDC);
        chart.draw_series([avf_band, sdc_band]).map_err(failed)?;
        chart.draw_series(avf).map_err(failed)?;
        chart.draw_series(sdc).map_err(failed)?;
        Ok(())
    })
}
