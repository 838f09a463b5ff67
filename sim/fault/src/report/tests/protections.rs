//! Chips with other protection side by side.

use super::*;
use crate::report::protections::{Chip, Protections, Size};

fn size(luts: u64) -> Option<Size> {
    Some(Size { luts, ffs: 10, brams: 2.5, fmax_mhz: None })
}

fn chip(name: &str, luts: Option<u64>, harmless: bool) -> Chip {
    let (campaign, mut records) = small();
    for r in records.values_mut().filter(|r| harmless && r.outcome == FaultOutcome::Sdc) {
        *r = Record { activated: Some(10), ..Record::of(FaultOutcome::Corrected, 100) };
    }
    let report = Report::new(&campaign, &sites(), &records, Some(&control()), &BTreeSet::new(), 0.95);
    Chip { name: name.into(), size: luts.and_then(size), reports: vec![report.expect("a report")] }
}

#[test]
fn what_is_left_counts_neither_what_is_corrected_nor_what_is_detected() {
    let chips = vec![chip("plain", Some(100), false), chip("dear", Some(130), true), chip("unmeasured", None, true)];
    let mut more = chip("dearer", Some(150), true);
    more.reports[0].kinds[0].bits = more.reports[0].kinds[0].bits.map(|b| 2 * b);
    let p = Protections::new(chips.into_iter().chain([more]).collect()).expect("chips");
    let (plain, dear) = (&p.chips[0], &p.chips[1]);
    // Of ten rows two are silent corruptions, one is a trap, one a hang.
    near(plain.harm.rate, 0.4);
    near(dear.harm.rate, 0.2);
    near(dear.outcomes.of("corrected").rate, 0.2);
    assert_eq!(plain.bits, 73);
    near(plain.left, 1.0);
    near(dear.left, 0.5);
    // 41 bits more with the same shares.
    near(p.chips[3].left, 0.5 * 114.0 / 73.0);
    let front: Vec<bool> = p.chips.iter().map(|l| l.front).collect();
    assert_eq!(front, [true, true, false, false]);
    let page = p.markdown();
    for told in [
        "mean of vector_add",
        "| dear | tiny | 130 | 1.30 | 10 | 2.5 | not routed | 73 |",
        "| 50.0 ◆ |",
        "| unmeasured | tiny | – | – | – |",
    ] {
        assert!(page.contains(told), "{told}: {page}");
    }
    let svg = p.svg().expect("a plot");
    assert!(svg.contains("dearer") && !svg.contains("unmeasured") && svg.contains("</svg>"), "{svg}");
}

#[test]
fn chips_that_cannot_be_compared_are_refused() {
    let refused = |chips: Vec<Chip>, told: &str| {
        let error = Protections::new(chips).map(|_| ()).expect_err("refused").to_string();
        assert!(error.contains(told), "{error}");
    };
    refused(vec![], "no chip");
    refused(
        vec![Chip { reports: vec![], ..chip("empty", None, false) }],
        "empty: a campaign with results was expected",
    );
    let mut other = chip("other", None, false);
    other.reports[0].campaign.launch = "kernels/saxpy/launch.toml".into();
    refused(
        vec![chip("plain", None, false), other],
        "other: campaigns of vector_add were expected, as of the first chip, not of saxpy",
    );
    let unmeasured = Protections::new(vec![chip("plain", None, false)]).expect("a chip");
    assert!(unmeasured.svg().expect_err("no size").to_string().contains("report.json"));
}
