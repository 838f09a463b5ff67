//! The tests of the instruction sets and of the arithmetic need nothing from outside the project.

use crate::support;
use std::path::Path;
use warpsmith_isa::set;
use warpsmith_isa::sets::sets;
use warpsmith_isa::Semantics;

/// Files that may ask for data from outside: what runs programs compiled by NVIDIA's compiler.
const OUTSIDE: [&str; 4] = ["Makefile", "src/cmd/bench.rs", "testkit/src/lib.rs", "tests/commands.rs"];

/// Tests that ask for those programs, by the calls that do.
const CALLERS: [(&str, &str); 5] = [
    ("benches/figures.rs", "testkit::shared_folder("),
    ("sim/model/tests/kernels.rs", "testkit::shared("),
    ("sim/model/tests/parallel.rs", "testkit::shared("),
    ("tests/commands.rs", "testkit::shared_folder("),
    ("tests/shared_kernels.rs", "support::shared("),
];

/// Sources of the project below a folder, as paths from the root, with their text.
fn sources(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if name != "target" && name != ".git" {
                sources(&path, found);
            }
        } else if name.ends_with(".rs") || name == "Makefile" || name == "run" {
            let text = std::fs::read_to_string(&path).expect("a text");
            let at = path.strip_prefix(support::root()).expect("below the root");
            found.push((at.to_string_lossy().into_owned(), text));
        }
    }
}

#[test]
fn only_programs_of_nvidias_compiler_come_from_outside() {
    let mut all = vec![];
    sources(support::root(), &mut all);
    all.retain(|(file, _)| file != "tests/conformance.rs");
    assert!(all.len() > 500, "{} sources", all.len());
    for (file, text) in &all {
        let asks = text.contains("WARPSMITH_SHARED") || text.contains("/shared\"");
        let may = OUTSIDE.contains(&file.as_str());
        assert_eq!(asks, may, "{file}: data of the sets and the arithmetic lie in conformance/");
        for call in ["support::shared(", "testkit::shared(", "testkit::shared_folder(", "reference/isas", "g80_vectors"]
        {
            let called = text.contains(call);
            let may = CALLERS.contains(&(file.as_str(), call));
            assert_eq!(called, may, "{file}: {call}");
        }
    }
    for (file, _) in CALLERS {
        assert!(all.iter().any(|(f, _)| f == file), "{file}");
    }
}

#[test]
fn pages_that_the_sets_name_are_in_the_project() {
    let sm10 = [warpsmith_isa::doc::list(Semantics::G80), warpsmith_isa::doc::markdown(Semantics::G80)];
    let others = sets().iter().map(|s| set::list(*s) + &set::markdown(*s));
    let texts: Vec<String> = sm10.into_iter().chain(others).collect();
    let name = regex::Regex::new(r"[\w./-]+\.(md|json|tsv|txt)\b").expect("an expression");
    let mut named = 0;
    for text in &texts {
        for page in name.find_iter(text) {
            let page = page.as_str();
            assert!(support::root().join(page).is_file(), "{page} does not exist");
            named += 1;
        }
    }
    assert!(named > 10, "{named} pages named");
}
