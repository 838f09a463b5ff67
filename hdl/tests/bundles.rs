//! The page of what travels between the stages is printed from the declarations.
//!
//! `WARPSMITH_BLESS=1 cargo test -p warpsmith-hdl bundles::` renews it.

use std::fmt::Write;
use std::path::Path;
use warpsmith_hdl::rtl::Table;
use warpsmith_hdl::sm::pipeline::bundles;

const HEAD: &str = "\
# What travels between the stages

`hdl/src/sm/pipeline/bundles/`, `hdl/src/sm/control.rs`

This page is printed from the declarations. Widths are in bits, in the words of the source: `d.lanes`, `d.warps`, `d.blocks` are numbers of
the configuration, `d.warp`, `d.block`, `d.beat`, `d.entry`, `d.pc` the bits of a warp slot, a block slot, a beat, a register-file entry and a
byte address of the program, `TRAP_CAUSE` those of a trap cause.
";

/// The text of a doc comment: links of rustdoc mean nothing here.
fn plain(doc: &str) -> String {
    let words: Vec<&str> = doc.split_whitespace().collect();
    words.join(" ").replace("[`", "`").replace("`]", "`").replace("crate::sm::", "")
}

fn section(page: &mut String, title: &str, about: &str, tables: &[Table]) {
    write!(page, "\n## {title}\n\n{about}\n").expect("a string takes text");
    for table in tables {
        let back = table.rows.iter().any(|r| r.back);
        write!(page, "\n### {}\n\n{}\n\n", table.name, plain(table.about)).expect("a string takes text");
        *page += if back {
            "| signal | | width | meaning |\n|---|---|---|---|\n"
        } else {
            "| signal | width | meaning |\n|---|---|---|\n"
        };
        for row in &table.rows {
            let way = match (back, row.back) {
                (false, _) => "",
                (true, false) => " → |",
                (true, true) => " ← |",
            };
            writeln!(page, "| `{}` |{way} `{}` | {} |", row.name, plain(row.width), plain(row.meaning))
                .expect("a string takes text");
        }
    }
}

#[test]
fn the_page_shows_the_declarations() {
    let mut page = HEAD.to_string();
    let [ports, words] = bundles::tables();
    section(&mut page, "Ports", "Signals between two blocks; → goes with the data, ← back.", &ports);
    section(&mut page, "Words", "Fields of one word, the first in the least significant place.", &words);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/blocks/bundles.md");
    if std::env::var_os("WARPSMITH_BLESS").is_some() {
        std::fs::write(&path, &page).expect("written");
    }
    let shown = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(shown == page, "docs/blocks/bundles.md is stale: WARPSMITH_BLESS=1 cargo test -p warpsmith-hdl bundles::");
}
