//! The docs keep step with the source: headers shown on the block pages, tables of the contract,
//! links, machine paths.
//!
//! `WARPSMITH_BLESS=1 cargo test --test docs` renews what is generated.

mod support;

use std::path::{Path, PathBuf};
use warpsmith_contract::registers::{self, Register};
use warpsmith_contract::trace::{Destination, MemoryAccess, Width, GROUPS};
use warpsmith_contract::{ports, Counter, Stage, TrapCause};

const TABLE: &str = "<!-- contract: ";
const TABLE_END: &str = "<!-- end of contract -->";
const BEGIN: &str = "<!-- header: ";
const END: &str = "<!-- end of header -->";

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

/// The doc comment at the top of a Rust file, without its title line.
fn header(source: &str) -> String {
    let lines: Vec<&str> = source
        .lines()
        .take_while(|l| l.starts_with("//!"))
        .map(|l| l.trim_start_matches("//!"))
        .map(|l| l.strip_prefix(' ').unwrap_or(l))
        .collect();
    // Links of rustdoc mean nothing here.
    let text = lines
        .get(1..)
        .unwrap_or_default()
        .join("\n")
        .replace("[`super::issue::LATENCY`]", "`LATENCY`");
    text.replace("[`", "`")
        .replace("`]", "`")
        .trim()
        .to_string()
}

/// A page with everything between markers as `made` makes it from what the first marker names.
fn between(page: &str, begin: &str, end: &str, made: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut rest = page;
    while let Some(at) = rest.find(begin) {
        let line_end = at + rest[at..].find('\n').expect("the marker is a line");
        let name = rest[at + begin.len()..line_end].trim_end_matches(" -->");
        let close = at
            + rest[at..]
                .find(end)
                .unwrap_or_else(|| panic!("no '{end}' after {name}"));
        out += &rest[..line_end];
        out += &format!("\n{}\n", made(name));
        rest = &rest[close..];
    }
    out + rest
}

/// A page with every shown header and table as it stands in the source.
fn renewed(page: &str) -> String {
    let page = between(page, BEGIN, END, |path| {
        header(&read(&support::root().join(path)))
    });
    between(&page, TABLE, TABLE_END, table)
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
    format!(
        "| 0x{:02x}{step} | {}{number} | {} | {} |",
        r.address,
        r.name,
        r.access.letters(),
        r.contents()
    )
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
                    format!(
                        "| `{}` | {} | {event} | {} |",
                        s.name,
                        width(s.width),
                        s.meaning
                    )
                })
            }),
        ),
        "destinations" => codes(Destination::ALL),
        "memory accesses" => codes(MemoryAccess::ALL),
        "stages" => rows(
            "| stage | holds |",
            Stage::ALL.map(|s| format!("| {} | {} |", s.name(), s.holds())),
        ),
        _ => panic!("no table of the contract is called {name}"),
    }
}

#[test]
fn pages_show_the_headers_of_the_source_and_the_tables_of_the_contract() {
    let blocks = pages("docs/blocks");
    assert!(blocks.len() > 15, "the pages of the blocks");
    let mut tables = 0;
    for page in blocks.into_iter().chain(pages("docs")) {
        let text = read(&page);
        tables += text.matches(TABLE).count();
        let new = renewed(&text);
        if std::env::var_os("WARPSMITH_BLESS").is_some() {
            std::fs::write(&page, &new).expect("written");
        } else {
            assert!(
                text == new,
                "{} is stale: WARPSMITH_BLESS=1 cargo test --test docs",
                page.display()
            );
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
            } else if path.extension().is_some_and(|e| e == "rs")
                && read(&path).contains("\nrtl_block!(")
            {
                let name = path
                    .strip_prefix(support::root())
                    .expect("below the root")
                    .display()
                    .to_string();
                if !name.contains("/rtl/") {
                    assert!(all.contains(&name), "no page of docs/blocks/ names {name}");
                    seen += 1;
                }
            }
        }
    }
    assert!(seen >= 15, "{seen} blocks");
}

#[test]
fn links_of_the_docs_lead_somewhere() {
    let mut files = vec![
        support::root().join("README.md"),
        support::root().join("tests/README.md"),
    ];
    files.extend(pages("docs"));
    files.extend(pages("docs/blocks"));
    files.extend(pages("docs/benchmarks"));
    files.extend(pages("docs/studies"));
    files.extend(pages("docs/synthesis"));
    let mut seen = 0;
    for file in files {
        let text = read(&file);
        for target in text.split("](").skip(1).filter_map(|t| t.split(')').next()) {
            if target.starts_with("http") || target.starts_with('#') || target.contains(' ') {
                continue;
            }
            let path = file
                .parent()
                .expect("a folder")
                .join(target.split('#').next().expect("a part"));
            assert!(
                path.exists(),
                "{}: the link {target} leads nowhere",
                file.display()
            );
            seen += 1;
        }
    }
    assert!(seen > 30, "{seen} links");
}

#[test]
fn no_committed_text_names_a_place_of_some_machine() {
    let out = std::process::Command::new("git")
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(support::root())
        .output();
    let Ok(out) = out.map(|o| o.stdout) else {
        println!("skipped: no_committed_text_names_a_place_of_some_machine: git not found");
        return;
    };
    for name in String::from_utf8_lossy(&out)
        .split('\0')
        .filter(|n| !n.is_empty())
    {
        let Ok(text) = std::fs::read_to_string(support::root().join(name)) else {
            continue;
        };
        for place in ["/wor\u{6b}/", "/roo\u{74}/", "/home\u{2f}", "/tm\u{70}/"] {
            assert!(!text.contains(place), "{name} names {place}");
        }
    }
}
