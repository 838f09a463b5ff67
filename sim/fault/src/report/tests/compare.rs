//! Campaigns side by side.

use super::*;
use crate::report::compare::{By, Compare, Line};
use crate::report::stats::wilson;

/// The small campaign, and it again as if another kernel had all its upsets masked.
fn two() -> Vec<Report> {
    let (mut campaign, mut records) = small();
    campaign.header.launch = "kernels/reduction/launch.toml".into();
    campaign.header.seed = 4;
    for r in records.values_mut() {
        if r.outcome == FaultOutcome::Sdc {
            *r = Record::of(FaultOutcome::Masked, 100);
            r.how = Some(How::Logical);
            r.activated = Some(10);
        }
    }
    let none = BTreeSet::new();
    let second = Report::new(&campaign, &sites(), &records, Some(&control()), &none, 0.95);
    vec![report(), second.expect("a report")]
}

fn line<'a>(c: &'a Compare, name: &str) -> &'a Line {
    let found = c.rows.iter().find(|l| l.name == name);
    found.unwrap_or_else(|| panic!("no line {name}"))
}

#[test]
fn stages_side_by_side_by_hand() {
    let c = Compare::new(&two(), By::Stage, "avf").expect("a table");
    let labels: Vec<&str> = c.columns.iter().map(|c| c.label.as_str()).collect();
    assert_eq!(labels, ["vector_add", "reduction"]);
    assert_eq!(c.columns[0].model, "seu+mbu+stuck-at");
    // In the order of the stages; rows, AVF and mean of 3/6 and 1/6.
    let names: Vec<&str> = c.rows.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names, ["scheduler", "fetch"]);
    let l = line(&c, "scheduler");
    let cell = |k: usize| l.cells[k].as_ref().expect("rows");
    assert_eq!((cell(0).done, cell(1).done), (6, 6));
    near(cell(0).share.rate, 0.5);
    near(cell(1).share.rate, 1.0 / 6.0);
    let mean = l.mean.as_ref().expect("a mean");
    near(mean.share.rate, 1.0 / 3.0);
    // MOVER: each end is off by the root of the squared distances, over the number of campaigns.
    let z = crate::report::stats::quantile(0.95);
    let ((a, b), (c0, d)) = (wilson(0.5, 6.0, z), wilson(1.0 / 6.0, 6.0, z));
    near(mean.share.low, 1.0 / 3.0 - (0.5 - a).hypot(1.0 / 6.0 - c0) / 2.0);
    near(mean.share.high, 1.0 / 3.0 + (b - 0.5).hypot(d - 1.0 / 6.0) / 2.0);
    // 40 bits × 1/3 and 32 bits × 1/4.
    near(l.part.expect("a part"), (40.0 / 3.0) / (40.0 / 3.0 + 8.0));
    // Two silent corruptions with one and four wrong words; none in the other campaign.
    let e = l.extents[0].expect("corruptions");
    assert_eq!((e.rows, e.median, e.p90), (2, Some(1.0), Some(4.0)));
    near(e.single.rate, 0.5);
    assert_eq!(l.extents[1], None);
}

#[test]
fn a_cell_weighs_what_its_faults_are() {
    let mut reports = two();
    let mean = |reports: &[Report]| {
        let c = Compare::new(reports, By::Stage, "avf").expect("a table");
        line(&c, "scheduler").mean.clone().expect("a mean")
    };
    // Weights 6 and 4 of 10 in both; then 0.75 and 0.25 in one: 0.6 × 1/2 + 0.75 × 1/6 of 1.35.
    near(mean(&reports).weight, 0.6);
    reports[1].stages[0].weight = 12.0;
    let m = mean(&reports);
    near(m.share.rate, (0.6 / 2.0 + 0.75 / 6.0) / 1.35);
    near(m.weight, 0.675);
    // A campaign ten times as large counts no more.
    reports[1].stages[0].weight = 60.0;
    reports[1].stages[1].weight = 40.0;
    near(mean(&reports).share.rate, 1.0 / 3.0);
    // Of the traps: one of ten rows each.
    let c = Compare::new(&reports, By::Class, "avf").expect("a table");
    let traps = line(&c, "due: out-of-range").mean.clone().expect("a mean");
    near(traps.weight, 0.1);
    near(traps.share.rate, 1.0);
}

#[test]
fn blocks_come_in_the_order_of_what_they_add() {
    let c = Compare::new(&two(), By::Block, "due").expect("a table");
    assert_eq!(c.rows[0].name, "bram_4x8_1r");
    near(c.rows[0].part.expect("a part"), 1.0);
    near(c.rows[1].part.expect("a part"), 0.0);
    assert_eq!(c.rows[0].places, ["fetch.store"]);
}

#[test]
fn classes_side_by_side() {
    let c = Compare::new(&two(), By::Class, "avf").expect("a table");
    let cell = |name: &str, k: usize| line(&c, name).cells[k].clone();
    near(cell("AVF", 0).expect("rows").share.rate, 0.4);
    near(cell("masked: logical", 1).expect("rows").share.rate, 0.5);
    assert!(cell("sdc: single", 0).is_some());
    assert!(cell("sdc: single", 1).is_none(), "no corruption, no share");
    assert!(c.rows.iter().all(|l| l.name != "sdc: stride"), "empty line");
    assert_eq!(line(&c, "AVF").extents[0].expect("corruptions").rows, 2);
}

#[test]
fn no_mean_over_other_models_and_other_tables_are_refused() {
    let mut reports = two();
    reports[1].models.retain(|g| g.name == "seu");
    let c = Compare::new(&reports, By::Stage, "sdc").expect("a table");
    assert!(c.rows.iter().all(|l| l.mean.is_none() && l.part.is_none()));
    assert!(Compare::new(&[], By::Stage, "avf").is_err());
    assert!(Compare::new(&reports, By::Stage, "masked").is_err());
    assert!(Compare::new(&reports, By::Class, "sdc").is_err());
    // Twice the same: the seeds tell them apart.
    let c = Compare::new(&[report(), report()], By::Stage, "avf").expect("a table");
    assert_eq!(c.columns[1].label, "vector_add, tiny, seed 3");
}

#[test]
fn every_form_of_the_table() {
    let reports = two();
    for by in [By::Stage, By::Block, By::Class] {
        let c = Compare::new(&reports, by, "avf").expect("a table");
        let json = serde_json::to_value(&c).expect("JSON");
        assert_eq!(json["columns"][1]["label"], "reduction");
        let text = c.text();
        let markdown = c.markdown();
        let html = c.html(&reports).expect("a page");
        let body = html.strip_prefix("<!DOCTYPE html>").expect("a type");
        roxmltree::Document::parse(body).expect("well-formed");
        for l in &c.rows {
            for form in [&text, &markdown, &html] {
                assert!(form.contains(&l.name), "{} is missing", l.name);
            }
        }
        // Every line of a table has the same number of cells.
        for table in markdown.split("\n\n").filter(|t| t.starts_with('|')) {
            let cells: BTreeSet<usize> = table.lines().map(|l| l.split('|').count()).collect();
            assert_eq!(cells.len(), 1, "{table}");
        }
        let ends = text.lines().filter(|l| l.ends_with(' ')).count();
        assert_eq!(ends, 0, "spaces at the end");
    }
    let text = Compare::new(&reports, By::Stage, "avf").expect("a table");
    // Parts: 40 of 72 bits; 40 × 1/3 of that and 32 × 1/4; all corruptions, no trap.
    let part = "| scheduler | 55.56 | 62.50 | 100.00 | 0.00 | 100.00 | 100.00 |";
    assert!(text.markdown().contains(part), "{}", text.markdown());
    assert!(text.text().contains("50.00 (18.76–81.24)"), "{}", text.text());
    assert!(text.text().contains("33.3 / 0.0 / 16.7 / 16.7"), "{}", text.text());
}
