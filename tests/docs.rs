//! The docs keep step with the source: headers shown on the block pages, links, machine paths.
//!
//! `WARPSMITH_BLESS=1 cargo test --test docs` renews what is generated.

mod support;

use std::path::{Path, PathBuf};

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

/// A page with every shown header as it stands in the source.
fn renewed(page: &str) -> String {
    let mut out = String::new();
    let mut rest = page;
    while let Some(at) = rest.find(BEGIN) {
        let line_end = at + rest[at..].find('\n').expect("the marker is a line");
        let path = rest[at + BEGIN.len()..line_end].trim_end_matches(" -->");
        let end = at
            + rest[at..]
                .find(END)
                .unwrap_or_else(|| panic!("no '{END}' after {path}"));
        out += &rest[..line_end];
        out += &format!("\n{}\n", header(&read(&support::root().join(path))));
        rest = &rest[end..];
    }
    out + rest
}

#[test]
fn block_pages_show_the_headers_of_the_source() {
    let pages = pages("docs/blocks");
    assert!(pages.len() > 15, "the pages of the blocks");
    for page in pages {
        let text = read(&page);
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
