//! The netlist as a file: what is written reads back equal; a damaged file is an error with its place.

use rand::Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::{json, Value};
use std::path::Path;
use warpsmith_netlist::{check, pass, print, read, Design, Expr, ExprId, Kind, SignalKind};
use warpsmith_testkit::netlist::tree;

fn back(text: &str) -> Result<Design, read::ReadError> {
    read::netlist(text, Path::new("netlist.json"))
}

#[test]
fn random_designs_are_read_back() {
    for seed in 0..120 {
        let tree = tree(seed);
        for design in [Design::new(tree.clone()), Design::new(pass::open(tree))] {
            check::design(&design).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            let text = print::netlist::file(&design);
            let again = back(&text).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
            assert_eq!(again, design, "seed {seed}");
            assert_eq!(print::netlist::file(&again), text);
            let verilog = |d: &Design| print::verilog::file(d, "Random.");
            assert_eq!(verilog(&again), verilog(&design));
        }
    }
}

#[test]
fn dead_wires_leave_alone_what_is_read() {
    for seed in 0..100 {
        let design = Design::new(pass::open(tree(seed)));
        for module in &design.modules {
            // Blocks have been through the pass.
            assert_eq!(pass::dead_wires(&module.body), module.body, "seed {seed}");
            if module.body.memory.is_some() {
                continue;
            }
            let mut body = module.body.clone();
            body.exprs.push(Expr { kind: Kind::Lit(5), width: 3 });
            let value = ExprId(body.exprs.len() as u32 - 1);
            let dead = body.add_signal("dead".into(), 3, SignalKind::Wire);
            body.wires.push((dead, value));
            assert_eq!(pass::dead_wires(&body), module.body, "seed {seed}");
        }
    }
}

/// A design with a memory, a block and statements of every kind.
fn some() -> (Design, String) {
    let rich = |d: &Design| {
        let of = |f: fn(&warpsmith_netlist::Module) -> bool| d.modules.iter().any(f);
        d.modules.len() == 3
            && of(|m| m.body.memory.as_ref().is_some_and(|m| m.write.is_some()))
            && of(|m| !m.body.wires.is_empty())
            && of(|m| !m.body.processes.is_empty() && !m.body.clocked.is_empty())
    };
    let designs = (0..).map(|seed| Design::new(tree(seed)));
    let design = designs.into_iter().find(rich).expect("some seed");
    let text = print::netlist::file(&design);
    (design, text)
}

/// The error of a file changed as JSON.
#[track_caller]
fn refused(change: impl Fn(&mut Value)) -> String {
    let mut value: Value = serde_json::from_str(&some().1).expect("JSON");
    change(&mut value);
    let e = back(&value.to_string()).expect_err("a mistake").to_string();
    assert!(e.starts_with("netlist.json: "), "{e}");
    e
}

#[test]
fn mistakes_are_named_with_their_place() {
    for (change, words) in [
        (json!({"version": 2}), "version is 2, this program reads 1"),
        (json!({"version": -1}), "version: -1"),
        (json!({"format": "netlist"}), "format is `netlist`"),
        (json!({"modules": 3}), "modules: a list is needed"),
        (json!({"modules": []}), "design: modules: there is none"),
        (json!({"modules": [{}]}), "modules[0]: key `name` is missing"),
        (json!({"headers": []}), "there is no header 0"),
    ] {
        let e = refused(|v| {
            let change = change.as_object().expect("an object").clone();
            v.as_object_mut().expect("a file").extend(change);
        });
        assert!(e.contains(words), "{e}");
    }
    assert!(back("[]").expect_err("no object").to_string().contains("an object is needed"));
    let yosys = back("{\"creator\": \"Yosys\", \"modules\": {}}").expect_err("another file");
    assert!(yosys.to_string().contains("Yosys"), "{yosys}");

    let module = |f: fn(&mut Value)| refused(move |v| f(&mut v["modules"][2]));
    let e = module(|m| m["signals"][0][1] = json!(0));
    assert!(e.contains("0 bits") || e.contains("has"), "{e}");
    let e = module(|m| m["signals"][0][1] = json!(1u64 << 40));
    assert!(e.contains("module top: signals[0]: 1099511627776 is too large"), "{e}");
    let e = module(|m| m["signals"][0][2] = json!("inout"));
    assert!(e.contains("no kind of signal: \"inout\""), "{e}");
    let e = module(|m| m["exprs"][0] = json!(["nand", [0], [0]]));
    assert!(e.contains("exprs[0]: no operation: `nand` with 2 operands"), "{e}");
    let e = module(|m| m["exprs"][0] = json!(["~", 10_000]));
    assert!(e.contains("exprs[0]: operand 10000 does not stand before it"), "{e}");
    let e = module(|m| m["exprs"][0] = json!([8, "zz"]));
    assert!(e.contains("hexadecimal"), "{e}");
    let e = module(|m| {
        let exprs = m["exprs"].as_array_mut().expect("a list");
        exprs.push(json!([8, "100"]));
    });
    assert!(e.contains("constant 0x100 does not fit 8 bits"), "{e}");
    let e = module(|m| m["clocked"] = json!([[0, 100_000]]));
    assert!(e.contains("clocked[0]: there is no expression 100000"), "{e}");
    let e = module(|m| m["clocked"] = json!([[[]]]));
    assert!(e.contains("clocked[0]: a statement is needed"), "{e}");
    let e = module(|m| m["assigns"] = json!([]));
    assert!(e.contains("nothing drives"), "{e}");
    let e = module(|m| m["children"][0][2] = json!(2));
    assert!(e.contains("module 2 of child 0 does not stand before"), "{e}");
    let e = module(|m| m["instances"] = json!(7));
    assert!(e.contains("top: instances: there are 1, not 7"), "{e}");
}

/// Truncated, overwritten, with pieces of itself elsewhere: an error or a design that can be printed again.
#[test]
fn damaged_files_are_errors() {
    let (_, text) = some();
    for end in (0..text.len() - 2).step_by(7) {
        assert!(back(&text[..end]).is_err(), "truncated at {end}");
    }
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut accepted = 0;
    for _ in 0..1500 {
        let mut bytes = text.clone().into_bytes();
        for _ in 0..rng.gen_range(1..4) {
            let at = rng.gen_range(0..bytes.len());
            match rng.gen_range(0..4) {
                0 => bytes[at] = rng.gen_range(b' '..=b'~'),
                1 => bytes[at] = rng.gen_range(b'0'..=b'9'),
                2 => drop(bytes.remove(at)),
                _ => {
                    let from = rng.gen_range(0..bytes.len());
                    let to = (from + rng.gen_range(0..40)).min(bytes.len());
                    let piece = bytes[from..to].to_vec();
                    bytes.splice(at..at, piece);
                }
            }
        }
        let Ok(text) = String::from_utf8(bytes) else {
            continue;
        };
        if let Ok(design) = back(&text) {
            accepted += 1;
            let again = back(&print::netlist::file(&design));
            assert_eq!(again.as_ref(), Ok(&design));
            print::verilog::file(&design, "Damaged.");
            print::sites::sites(&design);
            let options = warpsmith_netlist::flat::Options::default();
            if let Ok(flat) = warpsmith_netlist::flat::Flat::new(&design, options) {
                assert_eq!(flat.ports, print::manifest::ports(&design));
            }
        }
    }
    println!("{accepted} of 1500 damaged files are designs");
    for _ in 0..1000 {
        let bytes: Vec<u8> = (0..rng.gen_range(0..300)).map(|_| rng.gen()).collect();
        assert!(back(&String::from_utf8_lossy(&bytes)).is_err());
    }
}
