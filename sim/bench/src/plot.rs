//! The plots of the benchmarks.

use crate::{BenchError, Row, Suite};
use std::collections::BTreeMap;
use warpsmith_cosim::figures::{colour, thousands, ISSUED, OTHERS};
use warpsmith_cosim::StallCause;
use warpsmith_plot::prelude::*;
use warpsmith_plot::{drawn, failed, fill, font, line, text, Area, HPos, GRID, TEXT};

/// Colours that differ for colour-blind readers too (Okabe and Ito).
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
    RGBColor(240, 228, 66),
    RGBColor(120, 120, 120),
];
const FRAME: RGBColor = RGBColor(200, 200, 200);
/// What a viewer in the dark shows instead of the constants above and of white.
const STYLE: &str = "<style>@media (prefers-color-scheme: dark) { [fill=\"#FFFFFF\"] { fill: #14181f } \
    [fill=\"#1D2433\"] { fill: #e3e7ee } [stroke=\"#1D2433\"] { stroke: #e3e7ee } [stroke=\"#DDE2EA\"] { stroke: #343c4a } \
    [stroke=\"#C8C8C8\"] { stroke: #5f6b80 } }</style>";
/// Left margin for kernel names, height of a bar group's line, in pixels.
const NAME_WIDTH: i32 = 190;
const LINE: i32 = 12;
/// Width of the bars' area and space above it.
const BARS: i32 = 560;
const TOP: i32 = 64;

/// File names of the plots.
pub const NAMES: [&str; 4] = ["issue.svg", "stalls.svg", "size.svg", "scale.svg"];

/// File name and content of every plot that the rows give.
///
/// # Errors
/// The drawing fails: a bug.
pub fn plots(rows: &[Row]) -> Result<BTreeMap<String, String>, BenchError> {
    let mut out = BTreeMap::new();
    let mut put = |name: &str, svg: Result<Option<String>, String>| match svg {
        Ok(Some(svg)) => {
            // Behind the opening tag.
            let at = svg.find("<svg").and_then(|s| svg[s..].find('>').map(|e| s + e + 1));
            let (head, rest) = svg.split_at(at.unwrap_or(0));
            out.insert(name.to_string(), format!("{head}{STYLE}{rest}"));
            Ok(())
        }
        Ok(None) => Ok(()),
        Err(what) => Err(BenchError::Plot { name: name.to_string(), what }),
    };
    let [issues, causes, sizes, scales] = NAMES;
    put(issues, issue(rows))?;
    put(causes, stalls(rows))?;
    put(sizes, size(rows))?;
    put(scales, scale(rows))?;
    Ok(out)
}

/// Names and numbers.
const SMALL: (i32, RGBColor) = (11, TEXT);

/// Rows of the suites that horizontal bars show: one bar a kernel, the largest size of each.
fn bars(rows: &[Row]) -> Vec<&Row> {
    let mut largest: Vec<&Row> = vec![];
    for r in rows {
        if !matches!(r.suite, Suite::Kernels | Suite::Flexgrip | Suite::Micro) || r.sms > 1 {
            continue;
        }
        let same = |o: &&Row| o.suite == r.suite && o.kernel == r.kernel && o.config == r.config;
        match largest.iter().position(same) {
            Some(i) if largest[i].size < r.size => largest[i] = r,
            Some(_) => {}
            None => largest.push(r),
        }
    }
    largest
}

fn label(r: &Row) -> String {
    match r.size {
        Some(n) => format!("{} {n}", r.kernel),
        None => r.kernel.clone(),
    }
}

/// Grid lines at tenths from 0 to 1, legend, titles of chart and axes; gives back the x of a fraction.
fn frame(
    area: &Area<'_>, [title, axis]: [&str; 2], legend: &[(String, RGBColor)], bottom: i32,
) -> Result<impl Fn(f64) -> i32, String> {
    let x = |v: f64| NAME_WIDTH + (v.clamp(0.0, 1.0) * f64::from(BARS)) as i32;
    area.fill(&WHITE).map_err(failed)?;
    text(area, title, (10, 16), (16, TEXT), HPos::Left)?;
    for (i, (name, colour)) in legend.iter().enumerate() {
        let at = (10 + 122 * (i % 6) as i32, 36 + 14 * (i / 6) as i32);
        fill(area, [(at.0, at.1 - 5), (at.0 + 10, at.1 + 5)], *colour)?;
        text(area, name, (at.0 + 14, at.1), SMALL, HPos::Left)?;
    }
    for tenth in 0..=10 {
        let at = x(f64::from(tenth) / 10.0);
        line(area, (at, TOP), (at, bottom), GRID)?;
        if tenth % 2 == 0 {
            text(area, &format!("{:.1}", f64::from(tenth) / 10.0), (at - 8, bottom + 10), SMALL, HPos::Left)?;
        }
    }
    text(area, "kernel", (NAME_WIDTH - 24, bottom + 10), SMALL, HPos::Right)?;
    text(area, axis, (NAME_WIDTH + BARS / 2 - 60, bottom + 26), SMALL, HPos::Left)?;
    Ok(x)
}

/// Issue utilisation, a bar a configuration.
fn issue(rows: &[Row]) -> Result<Option<String>, String> {
    let all = bars(rows);
    let mut configs: Vec<(String, String)> = vec![];
    let mut names: Vec<(Suite, String)> = vec![];
    for r in &all {
        let config = (r.config.clone(), format!("{} lanes", r.lanes));
        if !configs.contains(&config) {
            configs.push(config);
        }
        if !names.contains(&(r.suite, r.kernel.clone())) {
            names.push((r.suite, r.kernel.clone()));
        }
    }
    if all.is_empty() {
        return Ok(None);
    }
    let group = 7 * configs.len() as i32 + 6;
    let bottom = TOP + group * names.len() as i32 + 6;
    let svg = drawn((NAME_WIDTH + BARS + 30, bottom + 40), |area| {
        let legend = configs.iter().zip(COLOURS);
        let legend: Vec<_> = legend.map(|(c, colour)| (c.1.clone(), colour)).collect();
        let x = frame(area, ["Issue utilisation", "part of the issue slots"], &legend, bottom)?;
        for (i, (suite, kernel)) in names.iter().enumerate() {
            let y = TOP + 4 + group * i as i32;
            for (k, config) in configs.iter().enumerate() {
                let row = all.iter().find(|r| r.suite == *suite && r.kernel == *kernel && r.config == config.0);
                let Some(r) = row else { continue };
                if k == 0 {
                    text(area, &label(r), (NAME_WIDTH - 6, y + group / 2 - 3), SMALL, HPos::Right)?;
                }
                let y = y + 7 * k as i32;
                fill(area, [(x(0.0), y), (x(r.issue_utilisation), y + 6)], legend[k].1)?;
            }
        }
        Ok(())
    })?;
    Ok(Some(svg))
}

/// Where the cycles of the first configuration went: issue slots, then stalls by cause.
fn stalls(rows: &[Row]) -> Result<Option<String>, String> {
    let mut all = bars(rows);
    let Some(config) = all.first().map(|r| r.config.clone()) else { return Ok(None) };
    all.retain(|r| r.config == config);
    // The six causes that cost most over all rows, each row with equal weight; the others together.
    let mut weight: BTreeMap<&str, f64> = BTreeMap::new();
    for r in &all {
        for (k, n) in &r.stalls {
            *weight.entry(k).or_default() += *n as f64 / r.cycles.max(1) as f64;
        }
    }
    let mut causes: Vec<&str> = weight.keys().copied().collect();
    causes.sort_by(|a, b| weight[b].total_cmp(&weight[a]).then(a.cmp(b)));
    causes.truncate(6);
    let rgb = |[r, g, b]: [u8; 3]| RGBColor(r, g, b);
    let of = |cause: &str| StallCause::from_name(cause).map_or(OTHERS, colour);
    let mut legend = vec![("issued".to_string(), rgb(ISSUED))];
    legend.extend(causes.iter().map(|c| (c.replace('_', " "), rgb(of(c)))));
    legend.push(("other".into(), rgb(OTHERS)));
    let line = LINE + 4;
    let bottom = TOP + line * all.len() as i32 + 6;
    let svg = drawn((NAME_WIDTH + BARS + 30, bottom + 40), |area| {
        let title = format!("Where the cycles go, {config}");
        let titles = [title.as_str(), "part of the cycles"];
        let x = frame(area, titles, &legend, bottom)?;
        for (i, r) in all.iter().enumerate() {
            let y = TOP + 4 + line * i as i32;
            text(area, &label(r), (NAME_WIDTH - 6, y + LINE / 2), SMALL, HPos::Right)?;
            let part = |n: u64| n as f64 / r.cycles.max(1) as f64;
            let mut parts = vec![r.issue_utilisation];
            parts.extend(causes.iter().map(|c| part(r.stalls.get(*c).copied().unwrap_or(0))));
            let named: f64 = parts.iter().sum();
            parts.push((1.0 - named).max(0.0));
            let mut from = 0.0;
            for (k, p) in parts.iter().enumerate() {
                if *p > 0.0 {
                    fill(area, [(x(from), y), (x(from + p), y + LINE)], legend[k].1)?;
                }
                from += p;
            }
        }
        Ok(())
    })?;
    Ok(Some(svg))
}

/// A line a series over powers of two, both axes logarithmic.
fn lines(
    title: &str, axes: [&str; 2], series: &[(String, Vec<(f64, f64)>)], y_range: std::ops::Range<f64>,
) -> Result<Option<String>, String> {
    let xs: Vec<f64> = series.iter().flat_map(|s| s.1.iter().map(|p| p.0)).collect();
    let (Some(least), Some(most)) = (xs.iter().copied().reduce(f64::min), xs.iter().copied().reduce(f64::max)) else {
        return Ok(None);
    };
    if least == most {
        return Ok(None);
    }
    let svg = drawn((720, 440), |area| {
        area.fill(&WHITE).map_err(failed)?;
        let mut chart = ChartBuilder::on(area)
            .caption(title, font(16, TEXT))
            .margin(14)
            .margin_right(24)
            .x_label_area_size(40)
            .y_label_area_size(72)
            .build_cartesian_2d((least * 0.9..most * 1.1).log_scale().base(2.0), y_range.log_scale())
            .map_err(failed)?;
        chart
            .configure_mesh()
            .x_desc(axes[0])
            .y_desc(axes[1])
            .axis_style(TEXT)
            .bold_line_style(GRID)
            .light_line_style(GRID.mix(0.5))
            .x_label_formatter(&|v| thousands(v.round() as u64))
            .y_label_formatter(&|v| thousands(v.round() as u64))
            .label_style(font(12, TEXT))
            .axis_desc_style(font(12, TEXT))
            .draw()
            .map_err(failed)?;
        for (k, (name, points)) in series.iter().enumerate() {
            let colour = COLOURS[k % 8];
            chart
                .draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)).point_size(3))
                .map_err(failed)?
                .label(name)
                .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 16, y)], colour.stroke_width(2)));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE)
            .border_style(FRAME)
            .label_font(font(12, TEXT))
            .draw()
            .map_err(failed)?;
        Ok(())
    })?;
    Ok(Some(svg))
}

/// Cycles of the five over their size, on the first configuration.
fn size(rows: &[Row]) -> Result<Option<String>, String> {
    let five: Vec<&Row> = rows.iter().filter(|r| r.suite == Suite::Flexgrip && r.size.is_some()).collect();
    let Some(config) = five.first().map(|r| r.config.clone()) else { return Ok(None) };
    let mut series: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
    for r in five.iter().filter(|r| r.config == config) {
        let at = (f64::from(r.size.unwrap_or(0)), r.cycles as f64);
        series.entry(r.kernel.clone()).or_default().push(at);
    }
    let series: Vec<_> = series.into_iter().collect();
    let most = series.iter().flat_map(|s| s.1.iter().map(|p| p.1)).fold(1.0, f64::max);
    let title = format!("Cycles over size, {config}");
    lines(&title, ["size", "cycles"], &series, 100.0..most * 3.0)
}

/// Speed-up over one SM.
fn scale(rows: &[Row]) -> Result<Option<String>, String> {
    let many: Vec<&Row> = rows.iter().filter(|r| r.suite == Suite::Scale).collect();
    let mut series: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
    for r in &many {
        let one = many.iter().find(|o| o.sms == 1 && o.lanes == r.lanes && o.kernel == r.kernel);
        if let Some(one) = one {
            let at = (f64::from(r.sms), one.cycles as f64 / r.cycles as f64);
            let name = format!("{}, {} lanes", r.kernel, r.lanes);
            series.entry(name).or_default().push(at);
        }
    }
    let most = many.iter().map(|r| r.sms).max().unwrap_or(1);
    let mut series: Vec<_> = series.into_iter().collect();
    for s in &mut series {
        s.1.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    // First, so that the measured lines lie above it.
    series.insert(0, ("ideal".into(), vec![(1.0, 1.0), (f64::from(most), f64::from(most))]));
    lines("Speed-up over one SM", ["SMs", "speed-up"], &series, 0.8..f64::from(most) * 1.4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::row;

    #[test]
    fn plots_have_titles_colours_of_causes_and_a_dark_mode() {
        let mut rows = vec![row("a", 0.5), row("b", 0.8)];
        for size in [64, 128] {
            let mut r = row("transpose", 0.5);
            (r.suite, r.size) = (Suite::Flexgrip, Some(size));
            rows.push(r);
        }
        for sms in [1, 2] {
            let mut r = row("compute", 0.5);
            (r.suite, r.sms, r.cycles) = (Suite::Scale, sms, 1000 / u64::from(sms));
            rows.push(r);
        }
        let plots = plots(&rows).expect("drawn");
        let titles = [
            ("issue.svg", ["kernel", "part of the issue slots"]),
            ("stalls.svg", ["kernel", "part of the cycles"]),
            ("size.svg", ["size", "cycles"]),
            ("scale.svg", ["SMs", "speed-up"]),
        ];
        assert_eq!(plots.len(), titles.len());
        for (name, titles) in titles {
            let svg = &plots[name];
            for title in titles {
                let text = svg.lines().any(|l| l.trim() == title);
                assert!(text, "{name}: {title}");
            }
            assert_eq!(svg.matches(STYLE).count(), 1, "{name}");
            // Every neutral colour has another one in the dark.
            assert!(!svg.contains("fill=\"#000000\"") && !svg.contains("stroke=\"#000000\""), "{name}");
        }
        let [r, g, b] = colour(StallCause::Launch);
        assert!(plots["stalls.svg"].contains(&format!("fill=\"#{r:02X}{g:02X}{b:02X}\"")));
    }
}
