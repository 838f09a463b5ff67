//! Campaign files: written and read back; every mistake names its line.

use proptest::prelude::*;
use std::path::Path;
use warpsmith_fault::campaign::{launch_digest, relative};
use warpsmith_fault::{Campaign, Collapsed, Fault, FaultKind, Header, Row, Site, SiteKind, Sites};

fn sites() -> Sites {
    let site = |path: &str, kind, width, depth| Site {
        path: path.into(),
        block: "warps".into(),
        kind,
        width,
        depth,
        zeroed: false,
    };
    Sites::new(vec![
        site("u_sm_0.u_warps.live", SiteKind::Reg, 40, 1),
        site("u_sm_0.u_file.mem", SiteKind::Ram, 32, 64),
        site("u_sm_0.u_warps.sel_valid", SiteKind::Out, 1, 1),
    ])
}

const FILE: &str = "c.csv";

fn read(text: &str) -> Result<Campaign, String> {
    Campaign::parse(Path::new(FILE), text, &sites()).map_err(|e| e.to_string())
}

/// A hand-made file; its rows begin in line 5.
fn hand(rows: &str) -> String {
    format!("# warpsmith campaign 1\n# config = tiny\n# launch = launch.toml\nsite,word,bit,cycle,kind,duration,period,active\n{rows}\n")
}

#[track_caller]
fn refuses(text: &str, place: &str, fragments: &[&str]) {
    let e = read(text).expect_err("refused");
    assert!(e.starts_with(&format!("{place}: ")), "{place} is missing in: {e}");
    for f in fragments {
        assert!(e.contains(f), "'{f}' is missing in: {e}");
    }
}

#[track_caller]
fn refuses_row(row: &str, fragments: &[&str]) {
    refuses(&hand(row), "c.csv:5", fragments);
    // The line is right behind other rows, comments and blank lines too.
    let good = "u_sm_0.u_warps.live,0,3,7,seu,,,";
    let text = hand(&format!("{good}\n# a remark\n\n{row}\n{good}"));
    refuses(&text, "c.csv:8", fragments);
}

#[test]
fn a_hand_made_list_needs_little() {
    let rows = "u_sm_0.u_warps.live,,3,7,seu,,,\n# why not\nu_sm_0.u_file.mem,63,4+3,8,mbu,,,";
    let c = read(&hand(rows)).expect("read");
    assert_eq!(c.header.config, "tiny");
    let numbers: Vec<_> = c.rows.iter().map(|r| (r.row, r.weight)).collect();
    assert_eq!(numbers, [(0, 1.0), (1, 1.0)]);
    assert_eq!(c.rows[0].fault, Fault::simple(0, 0, vec![3], 7, FaultKind::Seu));
    assert_eq!(c.rows[1].fault, Fault::simple(1, 63, vec![3, 4], 8, FaultKind::Mbu));
    // Columns in any order; what is not needed may be missing; rows need not be in order.
    let text = "# warpsmith campaign 1\n# a remark: 1 = 1\n#config=tiny\n# set = lanes=16\n# set = sfus=2\n# launch = a/l.toml\n\nkind,bit,site,row\nstuck-at-1,39,u_sm_0.u_warps.live,5\nstuck-at-0,0,u_sm_0.u_warps.sel_valid,2\n";
    for text in [text.to_string(), text.replace('\n', "\r\n")] {
        let c = read(&text).expect("read");
        assert_eq!(c.header.set, ["lanes=16", "sfus=2"]);
        assert_eq!(c.header.launch, Path::new("a/l.toml"));
        assert_eq!(c.rows.iter().map(|r| r.row).collect::<Vec<_>>(), [2, 5]);
    }
}

#[test]
fn mistakes_in_rows_are_named_with_their_line() {
    let live = "u_sm_0.u_warps.live";
    refuses_row("u_sm_0.u_warps.life,0,3,7,seu,,,", &["no fault site", live]);
    for (row, fragments) in [
        ("0,3,7,sue,,,", ["`sue`", "seu, mbu"]),
        ("0,40,7,seu,,,", ["bit 40", "bits 0 to 39"]),
        ("1,3,7,seu,,,", ["word 1", "words 0 to 0"]),
        ("0,3+,7,mbu,,,", ["`bit`", "3+4+5"]),
        ("0,,7,seu,,,", ["`bit`", "3+4+5"]),
        ("0,3+3,7,mbu,,,", ["bit 3", "twice"]),
        ("0,3+4,7,seu,,,", ["one bit", "mbu"]),
        ("0,3,7,mbu,,,", ["several", "seu"]),
        ("0,3,,seu,,,", ["`cycle` is missing", "seu"]),
        ("0,3,-1,seu,,,", ["`cycle`", "-1"]),
        ("0,3,7,seu,1,,", ["`duration` must be empty", "seu"]),
        ("0,3,7,stuck-at-0,,4,", ["`period` must be empty", "4"]),
        ("0,3,7,transient,,,", ["`duration`", "1 or more"]),
        ("0,3,7,transient,0,,", ["`duration`", "1 or more"]),
        ("0,3,7,transient,1,,2", ["`active` must be empty", "2"]),
        ("0,3,7,intermittent-0,0,,1", ["`period`", "1 or more"]),
        ("0,3,7,intermittent-1,0,4,0", ["`active`", "period of 4"]),
        ("0,3,7,intermittent-1,0,4,5", ["`active`", "found 5"]),
        ("0,3,7,seu", ["8 cells", "found 5"]),
    ] {
        refuses_row(&format!("{live},{row}"), &fragments);
    }
    let out = "u_sm_0.u_warps.sel_valid,0,0,7";
    refuses_row(&format!("{out},seu,,,"), &["output", "transient or stuck-at"]);
    assert!(read(&hand(&format!("{out},transient,1,,"))).is_ok());
}

#[test]
fn mistakes_in_numbers_of_rows_and_weights_are_named() {
    let text = |rows: &str| {
        format!("# warpsmith campaign 1\n# config = tiny\n# launch = l\n# cycles = 10\nrow,site,bit,cycle,kind,weight\n{rows}")
    };
    let row = |n: &str, cycle: u64, weight: &str| format!("{n},u_sm_0.u_warps.live,0,{cycle},seu,{weight}\n");
    assert!(read(&text(&row("1", 9, "2.5"))).is_ok());
    let twice = row("1", 0, "") + "# x\n" + &row("0", 0, "") + &row("1", 0, "");
    refuses(&text(&twice), "c.csv:9", &["row 1", "line 6"]);
    let counted = row("", 0, "") + &row("0", 0, "");
    refuses(&text(&counted), "c.csv:7", &["row 0", "line 6"]);
    refuses(&text(&row("x", 0, "")), "c.csv:6", &["`row`"]);
    refuses(&text(&row("", 10, "")), "c.csv:6", &["cycle 10", "0 to 9"]);
    for weight in ["0", "-1", "inf", "nan", "w"] {
        refuses(&text(&row("", 0, weight)), "c.csv:6", &["`weight`"]);
    }
    refuses(&text(""), "c.csv:5", &["no rows", "at least one"]);
}

#[test]
fn mistakes_in_the_header_are_named_with_their_line() {
    refuses("", "c.csv:1", &["# warpsmith campaign 1"]);
    refuses("# warpsmith campaign 2\n", "c.csv:1", &["# warpsmith campaign 1", "campaign 2"]);
    let head = "# warpsmith campaign 1\n# config = tiny\n# launch = l\n";
    let table = "site,bit,cycle,kind\nu_sm_0.u_warps.live,0,1,seu\n";
    assert!(read(&format!("{head}{table}")).is_ok());
    for (line, fragments) in [
        ("# confg = tiny", &["`confg`", "config, set, chip"][..]),
        ("# config = wide", &["`config`", "line 2"]),
        ("# seed = -4", &["`seed`", "-4"]),
        ("# set = lanes", &["KEY=VALUE"]),
        ("# chip = 12", &["`chip`", "64 digits"]),
        ("# collapsed = 3 rows", &["RULE: row N stands for M faults"]),
        ("# pruned = yes", &["`pruned` is `def-use`"]),
        ("# collapsed = never-differs: row 7 stands for 9 faults", &["no row 7"]),
    ] {
        refuses(&format!("{head}{line}\n{table}"), "c.csv:4", fragments);
    }
    refuses("# warpsmith campaign 1\n# launch = l\n", "c.csv:1", &["`config` is missing"]);
    refuses("# warpsmith campaign 1\n# config = l\n", "c.csv:1", &["`launch` is missing"]);
    refuses(head, "c.csv:4", &["`site` is missing"]);
    for (columns, fragments) in [
        ("site,bit,cycle,kin", &["\"kin\"", "kind"][..]),
        ("site,bit,site,kind", &["`site`", "twice"]),
        ("site,bit,cycle", &["`kind` is missing"]),
    ] {
        refuses(&format!("{head}{columns}\nx\n"), "c.csv:4", fragments);
    }
}

#[test]
fn a_file_that_is_no_text_or_absent_is_named() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join(FILE);
    let e = Campaign::read(&path, &sites()).expect_err("absent").to_string();
    assert!(e.contains(FILE) && e.contains("fault plan"), "{e}");
    std::fs::write(&path, b"# warpsmith campaign 1\n\n\xff\n").expect("written");
    let e = Header::read(&path).expect_err("binary").to_string();
    assert!(e.contains("c.csv:3"), "{e}");
}

fn drawn() -> Campaign {
    let fault = |i: u64| Fault::simple(1, i as u32 % 64, vec![i as u32 % 32], 3 * i, FaultKind::Seu);
    let row = |row| Row { row, fault: fault(row), weight: 1.0 };
    Campaign {
        header: Header { config: "tiny".into(), launch: "l.toml".into(), cycles: 1000, ..Header::default() },
        rows: (0..20).map(row).collect(),
    }
}

#[test]
fn an_edited_list_is_refused_until_its_digest_is_deleted() {
    let text = drawn().text(&sites()).expect("text");
    assert!(read(&text).is_ok());
    let line = 1 + text.lines().position(|l| l.starts_with("# rows")).expect("a digest");
    let rows: Vec<&str> = text.lines().skip(line + 1).collect();
    let edits = [
        text.replace(rows[4], &rows[4].replace("12", "13")),
        text.replace(&format!("{}\n", rows[4]), ""),
        format!("{text}{}\n", rows[4].replacen('4', "44", 1)),
        text.replace(&format!("{}\n{}", rows[4], rows[5]), &format!("{}\n{}", rows[5], rows[4])),
        text.replace(",seu,,,,1\n", ",seu,,,,2\n"),
    ];
    for edited in edits {
        assert_ne!(edited, text);
        let place = format!("c.csv:{line}");
        refuses(&edited, &place, &["edited", "fault plan", "delete this line"]);
        let unsigned = edited.lines().filter(|l| !l.starts_with("# rows"));
        let unsigned: String = unsigned.map(|l| format!("{l}\n")).collect();
        assert!(read(&unsigned).is_ok());
    }
    // Remarks and line ends are no edits.
    assert!(read(&text.replace("weight\n", "weight\n# a remark\n\n")).is_ok());
    assert!(read(&text.replace('\n', "\r\n")).is_ok());
}

#[test]
fn a_changed_chip_or_launch_is_refused_with_its_line() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join(FILE);
    let mut c = drawn();
    let (chip, program) = ("a".repeat(64), "b".repeat(64));
    (c.header.chip, c.header.program) = (chip.clone(), program.clone());
    c.write(&path, &sites()).expect("written");
    let h = Header::read(&path).expect("read");
    assert!(h.check(&path, &chip, &program).is_ok());
    let e = h.check(&path, "other", &program).expect_err("changed").to_string();
    assert!(e.contains("c.csv:3: the chip has changed"), "{e}");
    let e = h.check(&path, &chip, "other").expect_err("changed").to_string();
    assert!(e.contains("c.csv:5: the launch has changed"), "{e}");
    assert!(drawn().header.check(&path, "x", "y").is_ok(), "nothing to check");
}

#[test]
fn nothing_is_left_of_a_file_that_cannot_be_written() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join(FILE);
    std::fs::create_dir(&path).expect("made");
    let e = drawn().write(&path, &sites()).expect_err("a folder").to_string();
    assert!(e.contains(FILE), "{e}");
    assert_eq!(std::fs::read_dir(dir.path()).expect("read").count(), 1);
    let mut c = drawn();
    c.header.plan = "two\nlines".into();
    let e = c.text(&sites()).expect_err("two lines").to_string();
    assert!(e.contains("plan"), "{e}");
}

#[test]
fn paths_are_relative_to_the_campaign() {
    let dir = tempfile::tempdir().expect("a folder");
    let at = |p: &str| dir.path().join(p);
    std::fs::create_dir_all(at("k/v")).expect("made");
    std::fs::create_dir_all(at("out")).expect("made");
    std::fs::write(at("k/v/l.toml"), "").expect("written");
    let path = relative(&at("out/c.csv"), &at("out/../k/v/l.toml")).expect("relative");
    assert_eq!(path, Path::new("../k/v/l.toml"));
    let beside = relative(&at("k/v/c.csv"), &at("k/v/l.toml")).expect("relative");
    assert_eq!(beside, Path::new("l.toml"));
    assert!(relative(&at("none/c.csv"), &at("k/v/l.toml")).is_err());
    let mut h = Header { launch: path, config: "tiny".into(), ..Header::default() };
    assert!(h.launch_path(&at("out/c.csv")).is_file());
    assert_eq!(h.chip_config(&at("out/c.csv")), "tiny");
    h.config = "../k/chip.toml".into();
    assert!(h.chip_config(&at("out/c.csv")).ends_with("out/../k/chip.toml"));
}

#[test]
fn digests_change_with_what_matters_only() {
    let base = drawn();
    let with = |change: &fn(&mut Campaign)| {
        let mut c = base.clone();
        change(&mut c);
        c.digest()
    };
    let same: [fn(&mut Campaign); 3] = [
        |c| c.header.plan = "warpsmith fault plan".into(),
        |c| c.header.population = 9,
        |c| c.header.rows = "c".repeat(64),
    ];
    let other: [fn(&mut Campaign); 8] = [
        |c| c.header.chip = "c".repeat(64),
        |c| c.header.program = "c".repeat(64),
        |c| c.header.launch = "m.toml".into(),
        |c| c.header.power_on = 3,
        |c| c.header.set.push("lanes=16".into()),
        |c| c.rows[3].fault.cycle += 1,
        |c| c.rows[3].weight = 2.0,
        |c| drop(c.rows.pop()),
    ];
    assert!(same.iter().all(|f| with(f) == base.digest()));
    let mut digests: Vec<String> = other.iter().map(with).collect();
    digests.push(base.digest());
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), 9);
}

#[test]
fn a_launch_is_what_it_holds() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("k.hex"), "f0000001\ne0000001\n").expect("written");
    let launch = |name: &str, param: u32, expect: u32| {
        let path = dir.path().join(name);
        let text = format!("program = \"k.hex\"\ngrid = [1, 1]\nblock = [32, 1, 1]\nregisters = 4\nparams = [{param}]\nglobal_bytes = 64\n[[expect]]\noffset = 0\nwords = [{expect}]\n");
        std::fs::write(&path, text).expect("written");
        launch_digest(&warpsmith_launch_file::load(&path).expect("a launch"))
    };
    let base = launch("a.toml", 1, 0);
    assert_eq!(base, launch("b.toml", 1, 0));
    assert_ne!(base, launch("a.toml", 2, 0));
    assert_ne!(base, launch("a.toml", 1, 1));
    assert_eq!(base.len(), 64);
}

fn fault() -> impl Strategy<Value = Fault> {
    let bits = prop::collection::btree_set(0..32u32, 2..5);
    let times = (1..100u64, 1..50u64, 1..50u64);
    (0..64u32, bits, any::<u64>(), 0..FaultKind::ALL.len(), times).prop_map(
        |(word, bits, cycle, kind, (duration, period, active))| {
            let mut bits: Vec<u32> = bits.into_iter().collect();
            let kind = FaultKind::ALL[kind];
            if kind != FaultKind::Mbu {
                bits.truncate(1);
            }
            // The register, or a word of the memory.
            let (site, word) = if word % 2 == 0 { (0, 0) } else { (1, word) };
            let mut f = Fault::simple(site, word, bits, cycle, kind);
            match kind {
                FaultKind::Transient => f.duration = duration,
                FaultKind::Intermittent0 | FaultKind::Intermittent1 => {
                    (f.duration, f.period, f.active) = (duration - 1, period, active.min(period));
                }
                _ => {}
            }
            f
        },
    )
}

fn campaign() -> impl Strategy<Value = Campaign> {
    let word = "[!-~]([ -~]{0,20}[!-~])?";
    let digest = "([0-9a-f]{64})?";
    let rows = prop::collection::vec((fault(), 1e-9..1e18f64, 1..4u64), 1..30);
    let set = prop::collection::vec("[a-z]{1,5}=[0-9]{1,3}", 0..3);
    let header = (word, set, digest, word, digest, any::<[u64; 3]>());
    (header, rows, prop::option::of(word)).prop_map(|((config, set, chip, launch, program, n), faults, plan)| {
        let mut row = 0;
        let rows = faults.into_iter().map(|(fault, weight, step)| {
            row += step;
            Row { row, fault, weight }
        });
        let rows: Vec<Row> = rows.collect();
        let collapsed = Collapsed { rule: "never-differs".into(), row: rows[0].row, faults: n[1] };
        Campaign {
            header: Header {
                config,
                set,
                chip,
                launch: launch.into(),
                program,
                power_on: n[0],
                cycles: 0,
                plan: plan.unwrap_or_default(),
                seed: n[1],
                population: n[2],
                pruned: n[1] % 2 == 0,
                collapsed: vec![collapsed],
                rows: String::new(),
            },
            rows,
        }
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read(mut c in campaign()) {
        let text = c.text(&sites()).expect("text");
        let mut again = read(&text).expect("read");
        prop_assert_eq!(&again, &c);
        prop_assert_eq!(again.digest(), c.digest());
        prop_assert_eq!(again.text(&sites()).expect("text"), text);
    }

    #[test]
    fn no_text_makes_it_panic(
        head in prop::bool::ANY,
        rows in "(site,bit,kind,cycle\n)?([a-z0-9_.,+#=\" \r\n-]|seu|u_sm_0.u_warps.live){0,80}",
    ) {
        let head = if head { "# warpsmith campaign 1\n# config = a\n# launch = b\n" } else { "" };
        if let Err(e) = read(&format!("{head}{rows}")) {
            prop_assert!(e.starts_with("c.csv:"), "{}", e);
        }
    }
}
