//! The docs keep step with the source: headers that the block pages link to, tables of the contract,
//! links, names of files, the book's summary, machine paths.
//!
//! `WARPSMITH_BLESS=1 cargo test docs::` renews what is generated.

use crate::support;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use warpsmith_contract::registers::{self, Register};
use warpsmith_contract::trace::{Destination, MemoryAccess, Width, GROUPS};
use warpsmith_contract::{ports, Counter, Stage, TrapCause};

const TABLE: &str = "<!-- contract: ";
const TABLE_END: &str = "<!-- end of contract -->";
const HEADER: &str = "<!-- header: ";

fn pages(dir: &str) -> Vec<PathBuf> {
    let mut found = vec![];
    for entry in std::fs::read_dir(support::root().join(dir)).expect("a folder of the docs") {
        let path = entry.expect("readable").path();
        if path.extension().is_some_and(|e| e == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A page with every table of the contract as it is today.
fn renewed(page: &str) -> String {
    let mut out = String::new();
    let mut rest = page;
    while let Some(at) = rest.find(TABLE) {
        let line_end = at + rest[at..].find('\n').expect("the marker is a line");
        let name = rest[at + TABLE.len()..line_end].trim_end_matches(" -->");
        let close = at + rest[at..].find(TABLE_END).unwrap_or_else(|| panic!("no '{TABLE_END}' after {name}"));
        out += &rest[..line_end];
        out += &format!("\n{}\n", table(name));
        rest = &rest[close..];
    }
    out + rest
}

fn rows(head: &str, rows: impl IntoIterator<Item = String>) -> String {
    let columns = head.matches('|').count() - 1;
    let rows: Vec<String> = rows.into_iter().collect();
    format!("{head}\n|{}\n{}", "---|".repeat(columns), rows.join("\n"))
}

fn register(r: &Register) -> String {
    let (step, number) = match r.count {
        1 => (String::new(), ""),
        _ => (format!(" + {}i", 4 * r.words), " i"),
    };
    format!("| 0x{:02x}{step} | {}{number} | {} | {} |", r.address, r.name, r.access.letters(), r.contents())
}

fn width(w: Width) -> String {
    match w {
        Width::Bits(n) => n.to_string(),
        Width::PerLane(1) => "lanes".into(),
        Width::PerLane(n) => format!("{n} × lanes"),
        Width::Beat => "3; 4 on two lanes".into(),
    }
}

fn port(p: &ports::ChipPort) -> String {
    let width = match p.width {
        ports::PortWidth::Bits(n) => n.to_string(),
        ports::PortWidth::Line => "line".into(),
        ports::PortWidth::LineBytes => "line / 8".into(),
    };
    let direction = p.direction.name();
    format!("| `{}` | {direction} | {width} | {} |", p.name, p.meaning)
}

fn codes<T: std::fmt::Debug>(list: &[T]) -> String {
    let code = |(i, c)| format!("| {i} | {c:?} |");
    rows("| value | name |", list.iter().enumerate().map(code))
}

/// A table of the contract.
fn table(name: &str) -> String {
    const REGISTERS: &str = "| address | name | access | contents |";
    const PORTS: &str = "| port | direction | width | meaning |";
    match name {
        "registers" => {
            let all = registers::CHIP.iter().chain(registers::MEMORIES);
            rows(REGISTERS, all.map(register))
        }
        "injector registers" => rows(REGISTERS, registers::INJECT.iter().map(register)),
        "AXI registers" => rows(REGISTERS, registers::AXI.iter().map(register)),
        "counters" => rows(
            "| number | name | counts |",
            Counter::ALL.map(|c| format!("| {} | `{}` | {} |", c.number(), c.name(), c.meaning())),
        ),
        "trap causes" => rows(
            "| number | name | cause |",
            TrapCause::ALL.map(|c| format!("| {} | {} | {} |", c.number(), c.name(), c.explain())),
        ),
        "bus" => rows(PORTS, ports::BUS.iter().map(port)),
        "memory port" => rows(PORTS, ports::MEMORY.iter().map(port)),
        "trace events" => rows(
            "| event | number | valid signal | meaning |",
            GROUPS.iter().map(|g| {
                let valid = g.valid.map_or(String::new(), |v| format!("`{}`", v.name()));
                let number = g.kind as u8;
                format!("| {} | {number} | {valid} | {} |", g.kind.name(), g.meaning)
            }),
        ),
        "trace signals" => rows(
            "| signal | width | event | meaning |",
            GROUPS.iter().flat_map(|g| {
                g.valid.iter().chain(g.fields).map(|f| {
                    let s = f.signal();
                    let event = g.kind.name();
                    format!("| `{}` | {} | {event} | {} |", s.name, width(s.width), s.meaning)
                })
            }),
        ),
        "destinations" => codes(Destination::ALL),
        "memory accesses" => codes(MemoryAccess::ALL),
        "stages" => rows("| stage | holds |", Stage::ALL.map(|s| format!("| {} | {} |", s.name(), s.holds()))),
        _ => panic!("no table of the contract is called {name}"),
    }
}

/// What `docs/book` relies on: below each marker stands the link to a file that begins with a header of several lines.
#[test]
fn pages_of_the_blocks_link_to_the_headers_of_the_source() {
    let mut seen = 0;
    for page in pages("docs/blocks") {
        let text = read(&page);
        for rest in text.split(HEADER).skip(1) {
            let (path, rest) = rest.split_once(" -->\n").expect("the marker is a line");
            let source = read(&support::root().join(path));
            let header = source.lines().take_while(|l| l.starts_with("//!")).count();
            assert!(header > 3, "{}: {path} has no header", page.display());
            assert!(
                rest.starts_with(&format!("[Ports, timing, reset and errors](../../{path})")),
                "{}",
                page.display()
            );
            seen += 1;
        }
    }
    assert!(seen > 40, "{seen} headers");
}

#[test]
fn pages_show_the_tables_of_the_contract() {
    let mut tables = 0;
    for page in pages("docs/blocks").into_iter().chain(pages("docs")) {
        let text = read(&page);
        tables += text.matches(TABLE).count();
        let new = renewed(&text);
        if std::env::var_os("WARPSMITH_BLESS").is_some() {
            std::fs::write(&page, &new).expect("written");
        } else {
            assert!(text == new, "{} is stale: WARPSMITH_BLESS=1 cargo test docs::", page.display());
        }
    }
    assert!(tables >= 11, "{tables} tables of the contract");
}

#[test]
fn every_block_of_the_chip_has_a_page() {
    let all: String = pages("docs/blocks").iter().map(|p| read(p)).collect();
    let mut folders = vec![support::root().join("hdl/src")];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("readable") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") && read(&path).contains("\nrtl_block!(") {
                let name = path.strip_prefix(support::root()).expect("below the root").display().to_string();
                if !name.contains("/rtl/") {
                    assert!(all.contains(&name), "no page of docs/blocks/ names {name}");
                    seen += 1;
                }
            }
        }
    }
    assert!(seen >= 15, "{seen} blocks");
}

/// Every page of `docs/` and its folders.
fn all_pages() -> Vec<PathBuf> {
    let mut folders = vec![support::root().join("docs")];
    let mut found = vec![];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("readable") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "md") {
                found.push(path);
            }
        }
    }
    // Generated by `warpsmith isa doc`, not committed.
    found.retain(|p| !p.ends_with("docs/isa.md"));
    found.sort();
    found
}

/// Targets of the links of a page.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|t| t.split(')').next());
    targets.filter(|t| !t.starts_with("http") && !t.contains(' '))
}

/// `folder/target` without `..` and `.`.
fn resolved(folder: &Path, target: &str) -> PathBuf {
    let mut path = folder.to_path_buf();
    for part in Path::new(target).components() {
        match part {
            std::path::Component::ParentDir => {
                path.pop();
            }
            std::path::Component::CurDir => {}
            part => path.push(part),
        }
    }
    path
}

/// Anchors of a page's headings, as mdBook and Git hosts make them.
fn anchors(text: &str) -> Vec<String> {
    let mut code = false;
    let mut found = vec![];
    for line in text.lines() {
        code ^= line.starts_with("```");
        if !code && line.starts_with('#') {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            let keep = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            found.push(keep.map(|c| if c == ' ' { '-' } else { c }).collect());
        }
    }
    found
}

/// The pages of the book, in its order, see `docs/book`.
fn book() -> Vec<PathBuf> {
    let docs = support::root().join("docs");
    let summary = read(&docs.join("SUMMARY.md"));
    links(&summary).map(|t| resolved(&docs, t)).collect()
}

#[test]
fn the_book_has_every_page_of_the_docs_once() {
    let docs = support::root().join("docs");
    let book = book();
    let mut pages = all_pages();
    pages.retain(|p| !p.ends_with("docs/SUMMARY.md"));
    for page in &pages {
        let times = book.iter().filter(|p| *p == page).count();
        let page = page.display();
        assert_eq!(times, 1, "{page}: links in docs/SUMMARY.md");
    }
    let generated = docs.join("isa.md");
    for page in book.iter().filter(|p| **p != generated) {
        let name = page.display();
        assert!(page.is_file(), "docs/SUMMARY.md: there is no {name}");
    }
}

#[test]
fn links_of_the_docs_lead_somewhere() {
    let root = support::root();
    let book = book();
    let mut files = all_pages();
    files.extend(book.iter().filter(|p| !p.starts_with(root.join("docs"))).cloned());
    files.retain(|p| !p.ends_with("docs/isa.md"));
    // Kept by `docs/book` beside the pages.
    let copied = ["LICENSE-MIT", "LICENSE-APACHE"].map(|f| root.join(f));
    let mut seen = 0;
    for file in files {
        let text = read(&file);
        for link in links(&text) {
            let mut parts = link.splitn(2, '#');
            let target = match parts.next() {
                None | Some("") => file.clone(),
                Some(target) => resolved(file.parent().expect("a folder"), target),
            };
            let place = format!("{}: the link {link}", file.display());
            if target == root.join("docs/isa.md") {
                continue;
            }
            assert!(target.exists(), "{place} leads nowhere");
            if let Some(anchor) = parts.next() {
                let there = anchors(&read(&target)).iter().any(|a| a == anchor);
                assert!(there, "{place} names no heading of that page");
            }
            let in_book = match target.extension() {
                Some(e) if e == "md" => book.contains(&target),
                // The book has the header there.
                Some(e) if e == "rs" => {
                    let path = target.strip_prefix(root).expect("below the root").display();
                    text.contains(&format!("{HEADER}{path} -->"))
                }
                _ => target.starts_with(root.join("docs")) || copied.contains(&target),
            };
            assert!(in_book, "{place} leads out of the book (docs/SUMMARY.md)");
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen} links");
}

/// Files and folders of the repository, as git knows them; `None` without git.
fn tracked() -> Option<Vec<String>> {
    let out = std::process::Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(support::root())
        .output();
    let Some(out) = out.ok().filter(|o| o.status.success()) else {
        support::absent("git");
        return None;
    };
    let mut all = std::collections::BTreeSet::new();
    for name in String::from_utf8_lossy(&out.stdout).split('\0') {
        // What was deleted and not yet committed is gone.
        if support::root().join(name).exists() {
            let folders = Path::new(name).ancestors();
            all.extend(folders.map(|f| f.display().to_string()));
        }
    }
    all.remove("");
    Some(all.into_iter().collect())
}

/// `a{b,c}d` as `abd` and `acd`.
fn spread(name: &str) -> Vec<String> {
    let parts = name.split_once('{').and_then(|(before, rest)| {
        let (choices, after) = rest.split_once('}')?;
        Some((before, choices, after))
    });
    match parts {
        None => vec![name.to_string()],
        Some((before, choices, after)) => {
            choices.split(',').flat_map(|c| spread(&format!("{before}{c}{after}"))).collect()
        }
    }
}

/// Names of files and folders in back quotes of a line: letters of paths alone, `{a,b}` and `*` among them.
fn quoted(line: &str) -> Vec<String> {
    let names = line.split('`').skip(1).step_by(2).filter(|t| {
        let of_paths = |c: char| c.is_ascii_alphanumeric() || "_.-/{},*".contains(c);
        !t.is_empty() && t.chars().all(of_paths)
    });
    let names = names.flat_map(spread);
    names.map(|n| n.trim_end_matches('/').to_string()).collect()
}

/// Names that a page gives files which are not there, with their lines. A name is one of a file when it begins with a
/// folder of the root, or ends in `.rs`. In a table's first column it lies below the folder that the text before the
/// table or its head names last, or that of the page; elsewhere it is the end of a path.
fn nowhere(page: &str, text: &str, all: &[String]) -> Vec<String> {
    let is = |name: &str| all.iter().any(|f| f == name);
    let top = |name: &str| name.split_once('/').is_some_and(|(first, _)| is(first));
    let matches = |pattern: &str| {
        let any = regex::escape(pattern).replace(r"\*", "[^/]*");
        let any = regex::Regex::new(&format!("^{any}$")).expect("an expression");
        all.iter().any(|f| any.is_match(f))
    };
    let own = page.rsplit_once('/').map_or("", |(folder, _)| folder);
    let (mut code, mut in_table) = (false, false);
    let (mut folder, mut found) = (own.to_string(), vec![]);
    for (n, line) in text.lines().enumerate() {
        code ^= line.starts_with("```");
        if code {
            continue;
        }
        let table = line.starts_with('|');
        let first = line.split('|').nth(1).filter(|_| table).map(quoted);
        for name in quoted(line) {
            let below = |f: &&String| {
                let end = f.strip_suffix(name.as_str());
                end.is_some_and(|f| f.ends_with('/') && f.starts_with(&folder))
            };
            let there = if top(&name) {
                matches(&name)
            } else if !name.ends_with(".rs") {
                true
            } else if first.as_ref().is_some_and(|f| f.contains(&name)) {
                all.iter().any(|f| below(&f))
            } else {
                let end = format!("/{name}");
                is(&name) || all.iter().any(|f| f.ends_with(&end))
            };
            if !there {
                found.push(format!("{page}:{}: `{name}`", n + 1));
            }
            let inside = format!("{name}/");
            if !(table && in_table) && all.iter().any(|f| f.starts_with(&inside)) {
                folder = name;
            }
        }
        in_table = table;
    }
    found
}

#[test]
fn files_named_in_back_quotes_exist() {
    let Some(all) = tracked() else { return };
    let mut pages = all_pages();
    pages.extend(["README.md", "tests/README.md"].map(|p| support::root().join(p)));
    let mut found = vec![];
    for page in pages {
        let name = page.strip_prefix(support::root()).expect("below the root");
        found.extend(nowhere(&name.display().to_string(), &read(&page), &all));
    }
    assert!(found.is_empty(), "name nothing:\n{}", found.join("\n"));
}

#[test]
fn must_fail_a_name_of_no_file_is_noticed() {
    let all: Vec<String> = ["a", "a/b", "a/b/x.rs", "a/c", "a/c/y.rs", "docs"].map(String::from).to_vec();
    let text = "`a/b/x.rs` `a/{b,c}/*.rs` `y.rs` `c/y.rs` `a/b/z.rs` `q.rs` `q.txt`\nin `a/c`:\n| `y.rs` | `x.rs` |\n| `x.rs` | |\n";
    let found = nowhere("docs/p.md", text, &all);
    let of = |n: usize, name: &str| format!("docs/p.md:{n}: `{name}`");
    assert_eq!(found, [of(1, "a/b/z.rs"), of(1, "q.rs"), of(4, "x.rs")]);
}

/// Every file of `tests/` is a module of the test program and has a row in the table of tests/README.md.
#[test]
fn every_file_of_tests_has_a_row() {
    let table = read(&support::root().join("tests/README.md"));
    let (table, _) = table.split_once("\n\nEach crate").expect("the first table");
    let rows: Vec<&str> = table.lines().filter_map(|l| l.strip_prefix("| `")?.split('`').next()).collect();
    for entry in std::fs::read_dir(support::root().join("tests")).expect("readable") {
        let name = entry.expect("readable").file_name();
        let name = name.to_string_lossy();
        if name.ends_with(".rs") && name != "main.rs" {
            let times = rows.iter().filter(|r| **r == name).count();
            assert_eq!(times, 1, "rows of tests/README.md for {name}");
        }
    }
}

#[test]
fn no_committed_text_names_a_place_of_some_machine_or_has_conflicts() {
    let out = std::process::Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(support::root())
        .output();
    let Ok(out) = out.map(|o| o.stdout) else {
        println!("skipped: no_committed_text_names_a_place_of_some_machine_or_has_conflicts: git not found");
        return;
    };
    for name in String::from_utf8_lossy(&out).split('\0').filter(|n| !n.is_empty()) {
        let Ok(text) = std::fs::read_to_string(support::root().join(name)) else { continue };
        for place in ["/wor\u{6b}/", "/roo\u{74}/", "/home\u{2f}", "/tm\u{70}/"] {
            assert!(!text.contains(place), "{name} names {place}");
        }
        let unmerged = |l: &&str| l.starts_with("<<<<<<< ") || l.starts_with(">>>>>>> ");
        let line = text.lines().find(unmerged);
        assert_eq!(line, None, "{name} has a conflict of a merge in it");
    }
}

/// Of all sources but those that choose instructions for a program, the ones that name an operation of SM 1.0 are the
/// places that the page lists.
#[test]
fn an_operation_of_sm10_is_said_in_the_places_that_the_page_lists() {
    let page = read(&support::root().join("docs/instruction-sets.md"));
    let (_, list) = page.split_once("## Adding an operation to SM 1.0").expect("the section");
    let item = |line: &str| Some(line.split_once(". `")?.1.split_once('`')?.0.to_string());
    let listed: BTreeSet<String> = list.lines().filter_map(item).collect();
    assert_eq!(listed.len(), 4, "{listed:?}");
    let mut found = BTreeSet::new();
    for folder in ["compiler/src", "hdl/src", "isa/src", "launch", "opencl/src", "sim", "src"] {
        let mut sources = vec![];
        support::imports::files(&support::root().join(folder), &mut sources);
        for path in sources {
            let at = path.strip_prefix(support::root()).expect("below the root").display().to_string();
            let chooses = at.starts_with("compiler/src/select/") || at.contains("/tests/");
            if !chooses && read(&path).contains("ISad") {
                let place = listed.iter().find(|place| at.starts_with(*place));
                found.insert(place.cloned().unwrap_or(at));
            }
        }
    }
    assert_eq!(found, listed, "files that name ISad, and the list of docs/instruction-sets.md");
}
