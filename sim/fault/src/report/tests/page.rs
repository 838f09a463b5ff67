//! The page of a campaign over all sites of the default chip.

use super::*;
use rand::{Rng, SeedableRng};

/// Rows over all sites of the default chip, with outcomes by chance that depend on block and cycle.
fn great(rows: u64) -> (Campaign, Sites, BTreeMap<u64, Record>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rtl-out/default");
    let sites = Sites::load(&folder).expect("the committed chip");
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(7);
    let (mut campaign, _) = small();
    campaign.rows.clear();
    campaign.header.cycles = 3127;
    campaign.header.plan = "fault plan a.toml --count 9 <seed>".into();
    let mut records = BTreeMap::new();
    for row in 0..rows {
        // Every site once, then by chance.
        let site = match row as usize {
            site if site < sites.list().len() => site,
            _ => rng.gen_range(0..sites.list().len()),
        };
        let s = sites.site(site);
        let cycle = rng.gen_range(0..3127);
        let fault = Fault::simple(site, 0, vec![rng.gen_range(0..s.width)], cycle, FaultKind::Seu);
        campaign.rows.push(Row { row, fault, weight: 1.0 });
        let harm = (s.block.len() % 7) as f64 / 14.0 + cycle as f64 / 12000.0;
        let outcome = match rng.gen::<f64>() / harm {
            x if x < 0.4 => FaultOutcome::Sdc,
            x if x < 0.6 => FaultOutcome::Due,
            x if x < 0.8 => FaultOutcome::Hang,
            x if x < 1.0 => FaultOutcome::Timing,
            _ if rng.gen_bool(0.1) => FaultOutcome::NotActivated,
            _ => FaultOutcome::Masked,
        };
        let mut r = Record::of(outcome, 3127);
        r.activated = (outcome != FaultOutcome::NotActivated).then_some(cycle);
        match outcome {
            FaultOutcome::Masked => {
                r.how = Some(How::ALL[rng.gen_range(0..How::ALL.len())]);
                r.converged = Some(cycle + (2f64.powf(rng.gen::<f64>() * 10.0)) as u64);
            }
            FaultOutcome::Due => r.cause = Some(rng.gen_range(1..=11)),
            FaultOutcome::Sdc => {
                r.wrong_words = 1 << rng.gen_range(0..6);
                r.wrong_bits = r.wrong_words * rng.gen_range(1..9);
                r.pattern = Some(Pattern::ALL[rng.gen_range(0..4)]);
                r.relative_error = Some(10f64.powf(rng.gen::<f64>() * 12.0 - 8.0));
            }
            _ => {}
        }
        records.insert(row, r);
    }
    (campaign, sites, records)
}

#[test]
fn the_page_is_well_formed_and_holds_every_block() {
    let (campaign, sites, records) = great(3000);
    let mut control = control();
    control.cycles = 3127;
    let report = Report::new(&campaign, &sites, &records, Some(&control), &BTreeSet::new(), 0.95).expect("a report");
    let html = report.html().expect("a page");
    let body = html.strip_prefix("<!DOCTYPE html>").expect("a document type");
    let page = roxmltree::Document::parse(body).expect("well-formed");
    let of = |tag: &str| page.descendants().filter(|n| n.has_tag_name(tag)).count();
    let cells: BTreeMap<&str, ()> =
        page.descendants().filter(|n| n.has_tag_name("td")).filter_map(|n| Some((n.text()?, ()))).collect();
    let blocks: BTreeSet<&str> = sites.list().iter().map(|s| s.block.as_str()).collect();
    assert!(report.blocks.len() == blocks.len() && blocks.len() > 40);
    for block in blocks {
        assert!(cells.contains_key(block), "{block} is missing");
    }
    let svg = ("http://www.w3.org/2000/svg", "svg");
    let plots: Vec<roxmltree::Node> = page.descendants().filter(|n| n.has_tag_name(svg)).collect();
    assert_eq!(plots.len(), 9);
    assert_eq!(of("link") + of("img"), 0);
    let scripts = page.descendants().filter(|n| n.has_tag_name("script"));
    assert!(scripts.clone().count() == 1 && scripts.clone().all(|s| s.attributes().len() == 0));
    // What a citation needs.
    let digest = crate::store::digest(&campaign.rows, &sites);
    for what in [env!("CARGO_PKG_VERSION"), &digest] {
        assert!(html.contains(what), "{what}");
    }
    // What a block adds stands beside its name; rows of zeros are folded, none else.
    let tables = || page.descendants().filter(|n| n.has_tag_name("table"));
    let heads = |t: roxmltree::Node| -> Vec<String> {
        let cells = t.descendants().filter(|n| n.has_tag_name("th"));
        cells.map(|c| c.descendants().filter(|n| n.is_text()).filter_map(|n| n.text()).collect()).collect()
    };
    let blocks_table = tables().map(heads).find(|h| h.len() > 10).expect("blocks");
    assert!(blocks_table[1].starts_with("contribution") && blocks_table[2].starts_with("part"));
    let harmless = |g: &&Group| g.avf.count == 0 && g.outcomes.of("timing").count == 0;
    let folded = |list: &[Group]| match list.iter().filter(harmless).count() {
        n if n < list.len() => n,
        _ => 0,
    };
    let groups = [&report.blocks, &report.stages, &report.models, &report.kinds];
    let shares = [&report.outcomes, &report.masked, &report.causes, &report.sdc.patterns];
    let mut wanted: usize = groups.iter().map(|list| folded(list)).sum();
    wanted += shares.iter().flat_map(|s| &s.0).filter(|s| s.1.count == 0).count();
    let zeros = page.descendants().filter(|n| n.attribute("class") == Some("zero"));
    assert_eq!(zeros.count(), wanted);
    assert!(wanted > 0, "the test folds something");
    assert!(tables().all(|t| t.attribute("class").unwrap_or_default().contains("sort") || heads(t)[2] == "values"));
    assert!(html.contains("fault plan a.toml --count 9 &#60;seed&#62;") || html.contains("&lt;seed&gt;"));
    // Both axes of every plot have a title.
    for plot in &plots {
        let texts: Vec<&str> =
            plot.descendants().filter(|n| n.is_text()).filter_map(|n| n.text()).map(str::trim).collect();
        let titled = texts.iter().filter(|t| ["part of", "estimate"].iter().any(|a| t.starts_with(a)));
        let of = [
            "stage", "block type", "cycle of the injection", "faults counted, in random order", "pattern", "words",
            "bits", "relative error", "cycles",
        ];
        assert!(titled.count() == 1 && texts.iter().any(|t| of.contains(t)), "{texts:?}");
    }
    // The style sheet exchanges colours by name: every colour of the plots has an entry.
    for node in plots.iter().flat_map(|p| p.descendants()) {
        for colour in [node.attribute("fill"), node.attribute("stroke")].into_iter().flatten() {
            assert!(
                colour == "none" || html.contains(&format!("=\"{colour}\"] {{")),
                "{colour} has no colour in the dark"
            );
        }
    }
}
