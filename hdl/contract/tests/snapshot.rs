//! The contract as it was agreed on: `contract.json` shows every row, so that no change goes unseen.
//!
//! A change on purpose: `WARPSMITH_BLESS=1 cargo test -p warpsmith-contract`, and say in CHANGELOG.md
//! who has to follow: emitted chips, hosts, campaigns, packages.

use serde_json::{json, Value};
use std::path::Path;
use warpsmith_contract::registers::{self, Register};
use warpsmith_contract::trace::{self, Destination, Field, MemoryAccess};
use warpsmith_contract::{
    ports, stage, Counter, Direction, Manifest, ModuleInfo, Port, Site, SiteKind, Stage, StallCause, TrapCause,
};

fn rows<T: serde::Serialize>(list: &[T]) -> Vec<Value> {
    let row = |t| serde_json::to_value(t).expect("a row");
    list.iter().map(row).collect()
}

fn names(list: &[Field]) -> Vec<&'static str> {
    list.iter().map(|f| f.name()).collect()
}

fn codes<T: std::fmt::Debug + serde::Serialize>(list: &[T]) -> Vec<Value> {
    let code = |(i, c)| json!({"number": i, "name": format!("{c:?}")});
    list.iter().enumerate().map(code).collect()
}

/// Every section with its rows.
fn sections() -> Vec<(&'static str, Vec<Value>)> {
    let registers = |list: &[Register]| rows(list);
    let ports = |list| rows(list);
    let stalls = StallCause::ALL.map(|c| json!({"number": c.number(), "name": c.name(), "meaning": c.explain()}));
    let traps = TrapCause::ALL.map(|c| json!({"number": c.number(), "name": c.name(), "meaning": c.explain()}));
    let counters = Counter::ALL.map(|c| json!({"number": c.number(), "name": c.name(), "meaning": c.meaning()}));
    let groups = trace::GROUPS.iter().map(|g| {
        json!({
            "kind": g.kind as u8,
            "name": g.kind.name(),
            "meaning": g.meaning,
            "valid": g.valid.map(Field::name),
            "fields": names(g.fields),
        })
    });
    // A value of each kind shows the keys of the files.
    let manifest = Manifest {
        name: "name".into(),
        top: "top".into(),
        config: [("key".to_string(), json!(1))].into(),
        ports: vec![Port::new("port", 1, Direction::Input)],
        forms: vec![0],
        modules: [("module".to_string(), ModuleInfo { source: "file".into(), instances: 1, lines: 1 })].into(),
        inject: true,
        files: [("file".to_string(), "digest".to_string())].into(),
    };
    let site =
        |kind| Site { path: "u_block.name".into(), block: "block".into(), kind, width: 1, depth: 1, zeroed: false };
    vec![
        ("registers", registers(registers::CHIP)),
        ("memories", registers(registers::MEMORIES)),
        ("axi_registers", registers(registers::AXI)),
        ("injector_registers", registers(registers::INJECT)),
        ("id", vec![json!(registers::ID_VALUE)]),
        ("counters", counters.into()),
        ("stall_causes", stalls.into()),
        ("trap_causes", traps.into()),
        ("ports", [ports::CLOCKING, ports::BUS, ports::MEMORY, ports::STATE].into_iter().flat_map(ports).collect()),
        ("trace_groups", groups.collect()),
        ("trace_signals", rows(&trace::SIGNALS)),
        ("trace_status", rows(&names(&trace::STATUS))),
        ("destinations", codes(Destination::ALL)),
        ("memory_accesses", codes(MemoryAccess::ALL)),
        ("stages", rows(&Stage::ALL.map(|s| (s.name(), s.holds())))),
        ("stage_of_instance", stage::INSTANCES.map(|(name, s)| json!([name, s.name()])).into()),
        ("stage_of_site", stage::SITES.map(|(block, start, s)| json!([block, start, s.name()])).into()),
        ("manifest_json", rows(&[manifest])),
        ("sites_json", rows(&SiteKind::ALL.map(site))),
    ]
}

/// JSON with a line a row.
fn text() -> String {
    let sections: Vec<String> = sections()
        .iter()
        .map(|(name, rows)| {
            let rows: Vec<String> = rows.iter().map(|r| format!("    {r}")).collect();
            format!("  \"{name}\": [\n{}\n  ]", rows.join(",\n"))
        })
        .collect();
    format!("{{\n{}\n}}\n", sections.join(",\n"))
}

#[test]
fn the_contract_is_the_committed_one() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/contract.json");
    let new = text();
    serde_json::from_str::<Value>(&new).expect("JSON");
    if std::env::var_os("WARPSMITH_BLESS").is_some() {
        std::fs::write(&path, &new).expect("written");
    }
    let old = std::fs::read_to_string(&path).unwrap_or_default();
    let mut lines = old.lines().zip(new.lines()).enumerate();
    if let Some((i, (a, b))) = lines.find(|(_, (a, b))| a != b) {
        panic!(
            "hdl/contract/tests/contract.json, line {}: committed\n  {a}\nnow\n  {b}\n\
             If the change is on purpose: WARPSMITH_BLESS=1 cargo test -p warpsmith-contract, and a line in CHANGELOG.md",
            i + 1
        );
    }
    assert!(
        old == new,
        "hdl/contract/tests/contract.json has {} lines, the contract {}; if that is on purpose: \
         WARPSMITH_BLESS=1 cargo test -p warpsmith-contract, and a line in CHANGELOG.md",
        old.lines().count(),
        new.lines().count()
    );
}
