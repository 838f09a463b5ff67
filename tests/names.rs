//! The chip has one set of names: those of the picture, of the Verilog's modules, of the source files, of a waveform.

use crate::support::set_chip::native;
use crate::support::{self, sim};
use fst_reader::{FstHierarchyEntry, FstReader};
use std::collections::BTreeSet;
use std::path::Path;
use warpsmith_cosim::{run_rtl, RunOptions};
use warpsmith_netlist::print::instance_label;
use warpsmith_netlist::{read, Design, Module};

/// The netlist of a configuration.
fn design(config: &str, set: &[&str]) -> Design {
    let text = std::fs::read_to_string(sim::emitted(config, set).join("netlist.json")).expect("emitted");
    read::netlist(&text, Path::new("netlist.json")).unwrap_or_else(|e| panic!("{e}"))
}

/// Blocks within a module, memories left out.
fn blocks<'a>(design: &'a Design, module: &'a Module) -> BTreeSet<&'a str> {
    let children = module.body.children.iter().map(|c| design.module(c.module));
    children.filter(|m| m.body.memory.is_none()).map(|m| m.name.as_str()).collect()
}

/// A box that is drawn open shows every block in it, and no box is called otherwise than its module.
#[test]
fn the_picture_shows_the_modules() {
    let path = support::root().join("docs/chip.svg");
    let text = std::fs::read_to_string(&path).expect("the picture");
    let picture = roxmltree::Document::parse(&text).expect("an SVG file");
    let shown = picture.descendants().filter(|n| n.attribute("class") == Some("module"));
    let shown: BTreeSet<&str> = shown.filter_map(|n| n.text()).collect();
    let design = design("default", &[]);
    let mut expected: BTreeSet<&str> = blocks(&design, design.top());
    for module in &design.modules {
        let inside = blocks(&design, module);
        if shown.contains(&*module.name) && !inside.is_disjoint(&shown) {
            expected.extend(inside);
        }
    }
    assert_eq!(shown, expected, "names in {} against the modules of `default`", path.display());
    for open in ["sm", "datapath", "memory_stage"] {
        let module = design.modules.iter().find(|m| m.name == open).expect("a module");
        assert!(!blocks(&design, module).is_disjoint(&shown), "{open} is drawn closed");
    }
}

/// Every word of a module's name is in the path of its source file, but for what kind of block it is.
#[test]
fn a_module_is_in_a_file_of_its_name() {
    const KINDS: [&str; 4] = ["stage", "unit", "memory", "lane"];
    let mut seen = BTreeSet::new();
    for set in [&[][..], &["isa=fermi"], &["isa=g13"]] {
        let design = design("default", set);
        let top = design.top().name.clone();
        let described = design.modules.iter().filter(|m| m.body.memory.is_none() && m.name != top);
        for module in described {
            // Modules that differ in sizes have numbers.
            let name = module.name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
            let path = module.source.strip_suffix(".rs").expect("a Rust file");
            let path: BTreeSet<&str> = path.split(['/', '_']).collect();
            for word in name.split('_').filter(|w| !KINDS.contains(w)) {
                assert!(path.contains(word), "{name} is described in {}", module.source);
            }
            seen.insert(name.to_string());
        }
    }
    assert!(seen.len() > 30, "{seen:?}");
}

/// Scopes of a waveform are the instances of the Verilog, with a variable for every port and register.
#[test]
fn a_waveform_has_the_instances_of_the_verilog() {
    let design = design("tiny", &[]);
    let mut expected = BTreeSet::new();
    instances(&design, design.top(), "TOP", &mut expected);
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join("run.fst");
    let chip = native("tiny", &[]);
    let launch = support::load("vector_add");
    let options = RunOptions { wave: Some(path.clone()), ..RunOptions::default() };
    run_rtl(&chip, &launch, &options).unwrap_or_else(|e| panic!("{e}"));

    let file = std::io::BufReader::new(std::fs::File::open(&path).expect("written"));
    let mut found = BTreeSet::new();
    let mut scopes: Vec<String> = vec![];
    let mut reader = FstReader::open(file).expect("an FST file");
    let read = reader.read_hierarchy(|entry| match entry {
        FstHierarchyEntry::Scope { name, .. } => scopes.push(name),
        FstHierarchyEntry::UpScope => {
            scopes.pop();
        }
        FstHierarchyEntry::Var { name, .. } => {
            let name = name.split([' ', '[']).next().unwrap_or_default();
            found.insert(format!("{}.{name}", scopes.join(".")));
        }
        _ => {}
    });
    read.expect("a hierarchy");
    let missing: Vec<_> = expected.difference(&found).take(5).collect();
    assert!(
        missing.is_empty(),
        "not in the waveform: {missing:?}; there are {:?}",
        found.iter().take(5).collect::<Vec<_>>()
    );
    assert!(expected.len() > 500, "{}", expected.len());
}

/// Registers of an instance and of all below it, by path.
fn instances(design: &Design, module: &Module, path: &str, all: &mut BTreeSet<String>) {
    all.extend(module.body.registers().map(|(_, s)| format!("{path}.{}", s.name)));
    for child in &module.body.children {
        let path = format!("{path}.{}", instance_label(&child.instance));
        instances(design, design.module(child.module), &path, all);
    }
}
