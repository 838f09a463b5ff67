//! A small campaign computed by hand.

mod compare;
mod page;
mod protections;

use super::*;
use crate::campaign::{Header, Row};
use crate::fault::{Fault, FaultKind};
use crate::record::{How, Pattern};
use crate::site::SiteKind;
use std::path::Path;

fn sites() -> Sites {
    let site = crate::site::made_up;
    Sites::new(vec![
        site("u_sm_0.u_warps.live", "warps", SiteKind::Reg, 32, 1),
        site("u_sm_0.u_fetch.u_store.mem", "bram_4x8_1r", SiteKind::Ram, 8, 4),
        site("u_sm_0.u_warps.held", "warps", SiteKind::Reg, 8, 1),
        site("u_launch.go", "launch_regs", SiteKind::Reg, 1, 1),
        site("u_sm_0.u_warps.sel_valid", "warps", SiteKind::Out, 1, 1),
    ])
}

fn control() -> Record {
    Record::of(FaultOutcome::NotActivated, 100)
}

/// Eleven rows, ten of them with a result:
///
/// | block       | bits | results                                       | AVF | contribution |
/// |-------------|------|-----------------------------------------------|-----|--------------|
/// | warps       | 40   | sdc, masked, hang, timing; sdc, masked; –      | 3/6 | 20           |
/// | bram_4x8_1r | 32   | due, not activated, masked, masked            | 1/4 | 8            |
fn small() -> (Campaign, BTreeMap<u64, Record>) {
    let done = |outcome, activated| Record { activated, ..Record::of(outcome, 100) };
    let masked =
        |how, from: u64, to| Record { how: Some(how), converged: Some(to), ..done(FaultOutcome::Masked, Some(from)) };
    let sdc = |words, bits, pattern, error| Record {
        wrong_words: words,
        wrong_bits: bits,
        first_wrong: Some(0x600),
        pattern: Some(pattern),
        relative_error: Some(error),
        ..done(FaultOutcome::Sdc, Some(10))
    };
    let all = [
        (0, FaultKind::Seu, sdc(1, 1, Pattern::Single, 0.5)),
        (0, FaultKind::Seu, masked(How::Overwritten, 10, 16)),
        (0, FaultKind::Seu, done(FaultOutcome::Hang, Some(30))),
        (0, FaultKind::Seu, done(FaultOutcome::Timing, Some(40))),
        (1, FaultKind::StuckAt0, Record { cause: Some(5), ..done(FaultOutcome::Due, Some(0)) }),
        (1, FaultKind::StuckAt0, done(FaultOutcome::NotActivated, None)),
        (1, FaultKind::StuckAt1, masked(How::Unused, 0, 64)),
        (1, FaultKind::StuckAt1, masked(How::Logical, 7, 8)),
        (2, FaultKind::Seu, Record { spread: Some((48, 0)), ..sdc(4, 60, Pattern::Run, f64::INFINITY) }),
        (2, FaultKind::Seu, masked(How::Overwritten, 90, 92)),
    ];
    let mut campaign = Campaign {
        header: Header {
            config: "tiny".into(),
            launch: "vector_add.toml".into(),
            cycles: 100,
            population: 7200,
            seed: 3,
            ..Header::default()
        },
        rows: vec![],
    };
    let mut records = BTreeMap::new();
    for (i, (site, kind, record)) in all.into_iter().enumerate() {
        let i = i as u64;
        campaign.rows.push(Row {
            row: i,
            fault: Fault::simple(site, 0, vec![i as u32 % 8], 10 * i, kind),
            weight: 1.0,
        });
        records.insert(i, record);
    }
    campaign.rows.push(Row { row: 10, fault: Fault::simple(2, 0, vec![3, 4], 99, FaultKind::Mbu), weight: 1.0 });
    (campaign, records)
}

fn report() -> Report {
    let (campaign, records) = small();
    Report::new(&campaign, &sites(), &records, Some(&control()), &BTreeSet::new(), 0.95).expect("a report")
}

fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-9, "{a} {b}");
}

#[test]
fn the_small_campaign_by_hand() {
    let r = report();
    assert_eq!((r.rows.planned, r.rows.done, r.rows.activated), (11, 10, 9));
    assert!(!r.complete() && !r.rows.weighted);
    near(r.rows.effective, 10.0);
    for (class, count) in [("masked", 4), ("sdc", 2), ("due", 1), ("hang", 1), ("timing", 1), ("not-activated", 1)] {
        assert_eq!(r.outcomes.of(class).count, count, "{class}");
        near(r.outcomes.of(class).rate, count as f64 / 10.0);
    }
    near(r.avf.rate, 0.4);
    // Wilson, 4 of 10 at 95 %.
    assert!((r.avf.low - 0.1682).abs() < 1e-4 && (r.avf.high - 0.6873).abs() < 1e-4);
    near(r.masked.of("overwritten").rate, 0.5);
    near(r.masked.of("outside").rate, 0.0);
    assert_eq!(r.causes.0.len(), 1);
    near(r.causes.of("out-of-range").rate, 1.0);

    let names: Vec<&str> = r.blocks.iter().map(|g| g.name.as_str()).collect();
    assert_eq!(names, ["warps", "bram_4x8_1r"]);
    let (warps, store) = (&r.blocks[0], &r.blocks[1]);
    // Outputs have no fault in this campaign: their bits do not count.
    assert_eq!((warps.bits, warps.planned, warps.done), (Some(40), 7, 6));
    near(warps.avf.rate, 0.5);
    near(warps.contribution.unwrap(), 20.0);
    near(warps.contribution_share.unwrap(), 20.0 / 28.0);
    near(warps.outcomes.of("timing").rate, 1.0 / 6.0);
    assert_eq!(warps.places, ["warps"]);
    assert_eq!((store.bits, store.done), (Some(32), 4));
    near(store.avf.rate, 0.25);
    near(store.contribution.unwrap(), 8.0);
    assert_eq!(store.places, ["fetch.store"]);

    // A memory is its block's.
    let keys: Vec<(&str, Option<u64>)> = r.keys.iter().map(|g| (g.name.as_str(), g.bits)).collect();
    assert_eq!(keys, [("warps, registers", Some(40)), ("fetch, memories", Some(32))]);
    let stages: Vec<(&str, u64)> = r.stages.iter().map(|g| (g.name.as_str(), g.done)).collect();
    assert_eq!(stages, [("scheduler", 6), ("fetch", 4)]);
    let models: Vec<(&str, u64, u64)> = r.models.iter().map(|g| (g.name.as_str(), g.planned, g.done)).collect();
    assert_eq!(models, [("seu", 6, 6), ("mbu", 1, 0), ("stuck-at-0", 2, 2), ("stuck-at-1", 2, 2)]);
    assert_eq!(r.models[0].bits, None);
    let kinds: Vec<(&str, Option<u64>)> = r.kinds.iter().map(|g| (g.name.as_str(), g.bits)).collect();
    assert_eq!(kinds, [("reg", Some(41)), ("ram", Some(32))]);

    near(r.sdc.patterns.of("single").rate, 0.5);
    assert_eq!((r.sdc.wrong_words.rows, r.sdc.wrong_words.max), (2, Some(4.0)));
    assert_eq!(r.sdc.wrong_bits.median, Some(1.0));
    assert_eq!(r.sdc.relative_error.max, None);
    // 6, 64, 1, 2 cycles.
    assert_eq!((r.latency.rows, r.latency.median, r.latency.max), (4, Some(2.0), Some(64.0)));
}

#[test]
fn time_is_cut_into_bins_without_gaps() {
    let r = report();
    assert_eq!(r.time.len(), 20);
    assert_eq!((r.time[0].from, r.time[19].to), (0, 100));
    assert!(r.time.windows(2).all(|w| w[0].to == w[1].from));
    // Row 8 in cycle 80; stuck-at faults are left out.
    let at_80 = &r.time[16];
    assert_eq!((at_80.from, at_80.to, at_80.done), (80, 85, 1));
    near(at_80.avf.rate, 1.0);
    assert_eq!(r.time.iter().map(|s| s.done).sum::<u64>(), 6);
}

#[test]
fn the_running_estimate_ends_at_the_estimate() {
    let r = report();
    let last = r.running.last().expect("points");
    assert_eq!(r.running.len(), 10);
    assert_eq!((last.rows, last.avf), (10, r.avf));
    assert_eq!(last.sdc, r.outcomes.of("sdc"));
}

#[test]
fn weights_change_rates_and_widen_intervals() {
    let (mut campaign, records) = small();
    // The sdc of row 8 stands for 11 faults, the others for 1: 20 in all, 11 + 3 of them harmful.
    campaign.rows[8].weight = 11.0;
    let r = Report::new(&campaign, &sites(), &records, Some(&control()), &BTreeSet::new(), 0.95).expect("a report");
    assert!(r.rows.weighted);
    near(r.avf.rate, 14.0 / 20.0);
    assert_eq!(r.avf.count, 4);
    near(r.rows.effective, 400.0 / 130.0);
    let (low, high) = stats::wilson(0.7, 400.0 / 130.0, stats::quantile(0.95));
    near(r.avf.low, low);
    near(r.avf.high, high);
    near(r.blocks[0].avf.rate, 13.0 / 16.0);
}

#[test]
fn certain_rows_are_known_or_stand_for_themselves() {
    let (mut campaign, mut records) = small();
    // Row 5 stands for 90 faults that provably change nothing.
    campaign.rows[5].weight = 90.0;
    let given = BTreeSet::from([5]);
    let report = |campaign: &Campaign, records: &BTreeMap<u64, Record>| {
        Report::new(campaign, &sites(), records, Some(&control()), &given, 0.95).expect("a report")
    };
    let r = report(&campaign, &records);
    assert_eq!((r.rows.certain, r.rows.weighted), (1, false));
    near(r.rows.effective, 9.0);
    // Ten sampled rows, nine of them run: 4 of 9 harmful.
    near(r.avf.rate, 10.0 * 4.0 / 9.0 / 100.0);
    let (low, high) = stats::wilson(4.0 / 9.0, 9.0, stats::quantile(0.95));
    near(r.avf.low, low / 10.0);
    near(r.avf.high, high / 10.0);
    near(r.running.last().expect("points").avf.rate, r.avf.rate);
    // All faults there are, and all of them run: nothing is left to chance.
    campaign.header.population = 100;
    records.insert(10, Record::of(FaultOutcome::Masked, 100));
    let r = report(&campaign, &records);
    assert_eq!((r.rows.certain, r.avf.rate), (11, 0.04));
    assert_eq!((r.avf.low, r.avf.high), (0.04, 0.04));
    assert!(r.running.is_empty() && r.html().is_ok());
}

#[test]
fn a_report_is_refused() {
    let (campaign, mut records) = small();
    let ask = |records: &BTreeMap<u64, Record>, control: Option<&Record>, confidence| {
        Report::new(&campaign, &sites(), records, control, &BTreeSet::new(), confidence).map_err(|e| (e.to_string(), e))
    };
    let fine = control();
    let is_control = |c: Option<&Record>, text: &str| {
        let (said, e) = ask(&records, c, 0.95).unwrap_err();
        assert!(matches!(e, FaultError::Control(_)) && said.contains(text), "{said}");
    };
    is_control(None, "hold none");
    is_control(Some(&Record::of(FaultOutcome::Sdc, 100)), "ended as sdc");
    is_control(Some(&Record::of(FaultOutcome::Masked, 101)), "101 cycles");
    let mut wrong = control();
    wrong.words_outside = 2;
    is_control(Some(&wrong), "2 words");
    let mut changed = control();
    changed.activated = Some(5);
    is_control(Some(&changed), "cycle 5");

    let is_ask = |records: &BTreeMap<u64, Record>, confidence, text: &str| {
        let (said, e) = ask(records, Some(&fine), confidence).unwrap_err();
        assert!(matches!(e, FaultError::Ask(_)) && said.contains(text), "{said}");
    };
    is_ask(&records, 95.0, "0.95");
    is_ask(&BTreeMap::new(), 0.95, "no row has been run");
    let none = records.keys().map(|k| (*k, Record::of(FaultOutcome::NotActivated, 100)));
    is_ask(&none.collect(), 0.95, "none of the 10 faults changed a bit");
    records.insert(11, control());
    is_ask(&records, 0.95, "row 11");
}

#[test]
fn the_table_of_the_small_campaign() {
    let text = report().text();
    assert_eq!(text, include_str!("small.txt"));
    assert!(text.lines().all(|l| l.chars().count() <= 120));
}

#[test]
fn json_has_the_documented_keys() {
    let json = serde_json::to_value(report()).expect("JSON");
    let keys = |v: &serde_json::Value| -> Vec<String> { v.as_object().expect("an object").keys().cloned().collect() };
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/fault-report.md");
    let page = std::fs::read_to_string(docs).expect("the page on reports");
    let listed = |key: &str| assert!(page.contains(&format!("`{key}`")), "{key} is not documented");
    keys(&json).iter().for_each(|k| listed(k));
    for part in ["campaign", "rows", "sdc", "latency", "avf", "outcomes"] {
        keys(&json[part]).iter().for_each(|k| listed(k));
    }
    for list in ["blocks", "time", "running"] {
        keys(&json[list][0]).iter().for_each(|k| listed(k));
    }
    assert_eq!(json["outcomes"]["not-activated"]["count"], 1);
    assert_eq!(json["blocks"][0]["contribution"], 20.0);
}

#[test]
fn csv_can_be_read_back() {
    let (campaign, records) = small();
    let sites = sites();
    let mut bytes = vec![];
    table::csv(&campaign, &sites, &records, &mut bytes).expect("written");
    let mut reader = csv::Reader::from_reader(bytes.as_slice());
    assert_eq!(reader.headers().expect("a header"), table::columns().collect::<Vec<_>>());
    let lines: Vec<BTreeMap<String, String>> = reader.deserialize().map(|l| l.expect("a line")).collect();
    assert_eq!(lines.len(), campaign.rows.len());
    for (line, row) in lines.iter().zip(&campaign.rows) {
        let get = |key: &str| line[key].as_str();
        let number = |key: &str| get(key).parse::<u64>().ok();
        let fault = Fault {
            site: sites.find(get("site")).expect("a site"),
            word: get("word").parse().expect("a word"),
            bits: get("bits").split('+').map(|b| b.parse().expect("a bit")).collect(),
            cycle: number("cycle").expect("a cycle"),
            kind: get("kind").parse().expect("a kind"),
            duration: number("duration").expect("a number"),
            period: number("period").expect("a number"),
            active: number("active").expect("a number"),
        };
        assert_eq!((number("row"), &fault), (Some(row.row), &row.fault));
        assert_eq!(get("weight").parse(), Ok(row.weight));
        let record = get("outcome").parse().ok().map(|outcome| Record {
            outcome,
            how: get("how").parse().ok(),
            cause: get("cause").parse().ok(),
            cycles: number("cycles").expect("cycles"),
            activated: number("activated"),
            converged: number("converged"),
            spread: number("spread_cycle").map(|c| (c, sites.find(get("spread_site")).expect("a site"))),
            wrong_words: number("wrong_words").expect("words"),
            wrong_bits: number("wrong_bits").expect("bits"),
            first_wrong: get("first_wrong").strip_prefix("0x").map(|h| u32::from_str_radix(h, 16).expect("an address")),
            pattern: get("pattern").parse().ok(),
            relative_error: get("relative_error").parse().ok(),
            words_outside: number("words_outside").expect("words"),
            simulated: number("simulated").expect("cycles"),
        });
        assert_eq!(record.as_ref(), records.get(&row.row));
    }
}
