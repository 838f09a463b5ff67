//! The database of results.

use crate::support;
use std::time::Duration;
use support::{campaign, control, go, meta, whole, Dummy, Trouble};
use warpsmith_fault::{Campaign, Fault, FaultKind, FaultOutcome, Meta, Store};

const FAST: Duration = Duration::ZERO;

#[test]
fn records_come_back_as_they_were() {
    let dir = tempfile::tempdir().unwrap();
    let c = campaign(500);
    let store = whole(&c, &dir.path().join("r.db"));
    let records = store.records().unwrap();
    assert_eq!(records.len(), 500);
    let mut dummy = Dummy { trouble: Trouble::None, time: FAST };
    for row in &c.rows {
        assert_eq!(records[&row.row], dummy.run_one(&row.fault).unwrap(), "{row:?}");
    }
    for o in FaultOutcome::ALL {
        assert!(records.values().any(|r| r.outcome == *o), "{o} is tested");
    }
    assert_eq!(store.control().unwrap(), Some(control()));
    store.finish().unwrap();
    let read = Store::open_read(&dir.path().join("r.db")).unwrap();
    assert_eq!(read.meta(), &meta(&c));
    assert_eq!(read.records().unwrap(), records);
    assert!(!dir.path().join("r.db-wal").exists(), "one file is left");
}

#[test]
fn another_campaign_chip_or_option_is_refused_and_nothing_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r.db");
    let c = campaign(50);
    drop(whole(&c, &path));
    let before = std::fs::read(&path).unwrap();
    let refused = |meta: Meta, what: &str| {
        let e = Store::open(&path, &meta).unwrap_err().to_string();
        assert!(e.contains(what) && e.contains("--results"), "{e}");
        assert_eq!(std::fs::read(&path).unwrap(), before, "unchanged");
    };
    let mut edited = c.clone();
    edited.rows[7].fault.bits = vec![3];
    refused(meta(&edited), "faults of the campaign there ");
    let mut m = meta(&c);
    m.chip = "decaf".into();
    refused(m.clone(), "chip there c0ffee, here decaf");
    m = meta(&c);
    m.options = "hang 3".into();
    refused(m, "options there none, here hang 3");
    assert_eq!(Store::open_read(&path).unwrap().records().unwrap().len(), 50);
}

#[test]
fn other_files_and_versions_are_refused_and_nothing_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    let c = campaign(50);
    let path = dir.path().join("r.db");
    let refused = |what: &str| {
        let before = std::fs::read(&path).unwrap();
        for e in [Store::open(&path, &meta(&c)).unwrap_err(), Store::open_read(&path).unwrap_err()] {
            let e = e.to_string();
            assert!(e.contains(what) && e.contains("--results"), "{e}");
        }
        assert_eq!(std::fs::read(&path).unwrap(), before, "unchanged");
    };
    std::fs::write(&path, "row,outcome\n0,masked\n".repeat(100)).unwrap();
    refused("is no database of results");
    std::fs::remove_file(&path).unwrap();
    let sql = |text: &str| {
        let db = rusqlite::Connection::open(&path).unwrap();
        db.execute_batch(text).unwrap();
    };
    sql("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine');");
    refused("is a database of something else");
    std::fs::remove_file(&path).unwrap();
    whole(&c, &path).finish().unwrap();
    sql("UPDATE campaign SET format = 99");
    refused("is of format 99");
    sql("UPDATE campaign SET format = 1, program = '9.9.9'");
    let e = Store::open(&path, &meta(&c)).unwrap_err().to_string();
    assert!(e.contains("9.9.9") && e.contains("--results"), "{e}");
    assert_eq!(Store::open_read(&path).unwrap().done().unwrap().len(), 50);
    sql("UPDATE campaign SET program = '0.1.0'; UPDATE result SET outcome = 'lost' WHERE row = 3");
    let e = Store::open_read(&path).unwrap().records().unwrap_err();
    assert!(e.to_string().contains("lost"), "{e}");
    let e = Store::open_read(&dir.path().join("none.db")).unwrap_err();
    assert!(e.to_string().contains("no results"), "{e}");
}

#[test]
fn a_second_run_at_once_is_refused_reading_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r.db");
    let c = campaign(50);
    let store = whole(&c, &path);
    let e = Store::open(&path, &meta(&c)).unwrap_err().to_string();
    let me = format!("process {}", std::process::id());
    assert!(e.contains("another `warpsmith fault run`") && e.contains(&me), "{e}");
    assert_eq!(Store::open_read(&path).unwrap().records().unwrap().len(), 50);
    drop(store);
    Store::open(&path, &meta(&c)).unwrap();
}

#[test]
fn databases_merge_when_equal() {
    let dir = tempfile::tempdir().unwrap();
    let c = campaign(300);
    let (a, b) = (dir.path().join("a.db"), dir.path().join("b.db"));
    let mut one = Store::open(&a, &meta(&c)).unwrap();
    go(&c.rows[..200], &mut one, 1, FAST, Trouble::None).unwrap();
    let mut two = Store::open(&b, &meta(&c)).unwrap();
    go(&c.rows[100..], &mut two, 1, FAST, Trouble::None).unwrap();
    drop(two);
    assert_eq!(one.merge(&b).unwrap(), 100);
    assert_eq!(one.merge(&b).unwrap(), 0);
    let uncut = whole(&c, &dir.path().join("uncut.db")).records().unwrap();
    assert_eq!(one.records().unwrap(), uncut);
    // One that differs: the error names the row and both values, nothing is taken.
    let mut other = Store::open(&dir.path().join("c.db"), &meta(&c)).unwrap();
    go(&c.rows[..200], &mut other, 1, FAST, Trouble::None).unwrap();
    drop(other);
    let db = rusqlite::Connection::open(dir.path().join("c.db")).unwrap();
    db.execute("UPDATE result SET simulated = 4711 WHERE row = 150", []).unwrap();
    drop(db);
    let mut third = Store::open(&dir.path().join("d.db"), &meta(&c)).unwrap();
    go(&c.rows[150..], &mut third, 1, FAST, Trouble::None).unwrap();
    let e = third.merge(&dir.path().join("c.db")).unwrap_err().to_string();
    let expected = format!("simulated 4711, not {}", uncut[&150].simulated);
    assert!(e.contains("row 150") && e.contains(&expected), "{e}");
    assert_eq!(third.done().unwrap().len(), 150);
    // One of another campaign.
    drop(whole(&campaign(20), &dir.path().join("e.db")));
    let e = third.merge(&dir.path().join("e.db")).unwrap_err().to_string();
    assert!(e.contains("another campaign"), "{e}");
}

#[test]
fn the_database_reads_without_this_program() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r.db");
    whole(&campaign(20), &path).finish().unwrap();
    let db = rusqlite::Connection::open(&path).unwrap();
    let (site, bits, kind): (String, String, String) = db
        .query_row("SELECT site, bits, kind FROM result WHERE row = 3", [], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))
        .unwrap();
    assert_eq!((site.as_str(), bits.as_str(), kind.as_str()), ("u_sm_0.u_warps.pc", "3+39", "stuck-at-1"));
    let chip: String = db.query_row("SELECT chip FROM campaign", [], |r| r.get(0)).unwrap();
    assert_eq!(chip, "c0ffee");
}

#[test]
fn digests_see_every_part_of_a_row() {
    let c = campaign(3);
    let of = |c: &Campaign| meta(c).campaign;
    let mut digests = vec![of(&c)];
    let changes: [fn(&mut Fault); 8] = [
        |f: &mut Fault| f.site = 0,
        |f: &mut Fault| f.word = 1,
        |f: &mut Fault| f.bits = vec![1],
        |f: &mut Fault| f.cycle += 1,
        |f: &mut Fault| f.kind = FaultKind::Seu,
        |f: &mut Fault| f.duration = 1,
        |f: &mut Fault| f.period = 1,
        |f: &mut Fault| f.active = 1,
    ];
    for change in changes {
        let mut c = c.clone();
        change(&mut c.rows[1].fault);
        digests.push(of(&c));
    }
    let mut weighted = c.clone();
    weighted.rows[1].weight = 2.0;
    digests.push(of(&weighted));
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), 10);
}
