//! Netlists of Yosys: every gate and flip-flop by its truth table, memories, and what is refused.

use rand::Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::{json, Map, Value};
use std::path::Path;
use warpsmith_netlist::flat::{Evaluator, Flat, Options};
use warpsmith_netlist::{print, read, Design};

fn read(file: &Value) -> Result<Design, read::ReadError> {
    read::yosys(&file.to_string(), Path::new("gates.json"))
}

/// A module with ports of the bits given and cells of type, parameters and connections.
fn file(ports: &[(&str, &str, Value)], cells: &[(&str, Value, Value)]) -> Value {
    // Ports are in the order of the alphabet here.
    let port = |(name, direction, bits): &(&str, &str, Value)| {
        (name.to_string(), json!({"direction": direction, "bits": bits}))
    };
    let cell = |(i, (kind, parameters, connections)): (usize, &(&str, Value, Value))| {
        let cell = json!({"type": kind, "parameters": parameters, "connections": connections});
        (format!("$cell${i}"), cell)
    };
    let ports: Map<String, Value> = ports.iter().map(port).collect();
    let cells: Map<String, Value> = cells.iter().enumerate().map(cell).collect();
    json!({"creator": "test", "modules": {"top": {"ports": ports, "cells": cells, "netnames": {}}}})
}

fn flat(file: &Value) -> Flat {
    let design = read(file).unwrap_or_else(|e| panic!("{e}"));
    let text = print::netlist::file(&design);
    let again = read::netlist(&text, Path::new("netlist.json"));
    assert_eq!(again.as_ref(), Ok(&design));
    Flat::new(&design, Options::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn port(flat: &Flat, name: &str) -> usize {
    let position = flat.ports.iter().position(|p| p.name == name);
    position.unwrap_or_else(|| panic!("no port {name}"))
}

/// What a gate computes from the bits of its inputs.
type Truth = fn(u64) -> bool;

#[test]
fn every_gate_has_its_truth_table() {
    let bit = |x: u64, i: u32| x >> i & 1 != 0;
    let gates: [(&str, &str, Truth); 21] = [
        ("$_BUF_", "A", |x| x & 1 != 0),
        ("$_NOT_", "A", |x| x & 1 == 0),
        ("$_AND_", "AB", |x| x == 3),
        ("$_NAND_", "AB", |x| x != 3),
        ("$_OR_", "AB", |x| x != 0),
        ("$_NOR_", "AB", |x| x == 0),
        ("$_XOR_", "AB", |x| x == 1 || x == 2),
        ("$_XNOR_", "AB", |x| x == 0 || x == 3),
        ("$_ANDNOT_", "AB", |x| x == 1),
        ("$_ORNOT_", "AB", |x| x != 2),
        ("$_MUX_", "ABS", |x| if x & 4 != 0 { x & 2 != 0 } else { x & 1 != 0 }),
        ("$_NMUX_", "ABS", |x| if x & 4 != 0 { x & 2 == 0 } else { x & 1 == 0 }),
        ("$_AOI3_", "ABC", |x| !(x & 3 == 3 || x & 4 != 0)),
        ("$_OAI3_", "ABC", |x| !(x & 3 != 0 && x & 4 != 0)),
        ("$_AOI4_", "ABCD", |x| !(x & 3 == 3 || x & 12 == 12)),
        ("$_OAI4_", "ABCD", |x| !(x & 3 != 0 && x & 12 != 0)),
        ("$_MUX4_", "ABCDST", |x| x >> (x >> 4 & 3) & 1 != 0),
        ("$_MUX8_", "ABCDEFGHSTU", |x| x >> (x >> 8 & 7) & 1 != 0),
        ("$_MUX16_", "ABCDEFGHIJKLMNOPSTUV", |x| x >> (x >> 16 & 15) & 1 != 0),
        // Constants at the inputs.
        ("$_AND_", "A1", |x| x == 1),
        ("$_OR_", "Ax", |x| x == 1),
    ];
    for (kind, pins, truth) in gates {
        let mut connections = Map::new();
        let mut inputs = vec![];
        for (i, pin) in pins.chars().enumerate() {
            let value = match pin {
                '1' | 'x' => json!([pin.to_string()]),
                _ => {
                    inputs.push(json!(10 + i));
                    json!([10 + i])
                }
            };
            let name = if pin.is_ascii_uppercase() { pin } else { 'B' };
            connections.insert(name.into(), value);
        }
        connections.insert("Y".into(), json!([9]));
        let count = inputs.len();
        let ports = [("x", "input", json!(inputs)), ("y", "output", json!([9]))];
        let flat = flat(&file(&ports, &[(kind, json!({}), Value::Object(connections))]));
        let mut machine = Evaluator::new(&flat);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for i in 0..1u64 << count.min(11) {
            let x = if count > 11 { rng.gen::<u64>() & ((1 << count) - 1) } else { i };
            machine.drive(port(&flat, "x"), 0, x);
            machine.settle();
            let y = bit(machine.value(flat.outputs[0].1[0]), 0);
            assert_eq!(y, truth(x), "{kind} of {x:b}");
        }
    }
}

#[test]
fn every_flip_flop_steps_as_its_name_says() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut kinds: Vec<String> = vec!["$_DFF_P_".into()];
    for level in ["P", "N"] {
        kinds.push(format!("$_DFFE_P{level}_"));
        for reset in ["P0", "P1", "N0", "N1"] {
            kinds.push(format!("$_SDFF_P{reset}_"));
            kinds.push(format!("$_SDFFE_P{reset}{level}_"));
            kinds.push(format!("$_SDFFCE_P{reset}{level}_"));
        }
    }
    for kind in kinds {
        let connections = json!({"C": [2], "D": [3], "E": [4], "R": [5], "Q": [6]});
        let ports = [("clock", "input", json!([2])), ("x", "input", json!([3, 4, 5])), ("y", "output", json!([6]))];
        let flat = flat(&file(&ports, &[(&kind, json!({}), connections)]));
        assert_eq!(flat.ports[0].name, "clock");
        let mut machine = Evaluator::new(&flat);
        let (family, letters) = kind[2..kind.len() - 1].split_once('_').expect("two parts");
        let letters = letters.as_bytes();
        let mut q = false;
        for _ in 0..200 {
            let x: u64 = rng.gen_range(0..8);
            machine.drive(port(&flat, "x"), 0, x);
            machine.settle();
            assert_eq!(machine.value(flat.outputs[0].1[0]) != 0, q, "{kind}");
            machine.edge();
            let (d, e, r) = (x & 1 != 0, x & 2 != 0, x & 4 != 0);
            let on = |pin: bool, letter: u8| pin == (letter == b'P');
            q = match family {
                "DFF" => d,
                "DFFE" if on(e, letters[1]) => d,
                "SDFF" if !on(r, letters[1]) => d,
                "SDFF" => letters[2] == b'1',
                "SDFFE" if on(r, letters[1]) => letters[2] == b'1',
                "SDFFE" if on(e, letters[3]) => d,
                "SDFFCE" if on(e, letters[3]) && on(r, letters[1]) => letters[2] == b'1',
                "SDFFCE" if on(e, letters[3]) => d,
                _ => q,
            };
        }
    }
}

/// A memory of four words of six bits, one read port.
fn memory(clocked: u32, transparent: u32) -> Value {
    let parameters = json!({
        "SIZE": 4, "WIDTH": 6, "ABITS": 2, "OFFSET": 0, "INIT": "x", "RD_PORTS": 1, "WR_PORTS": 1,
        "RD_CLK_ENABLE": clocked, "RD_CLK_POLARITY": 1, "RD_TRANSPARENCY_MASK": transparent,
        "RD_CE_OVER_SRST": 0, "RD_SRST_VALUE": "xxxxxx", "RD_INIT_VALUE": "xxxxxx",
        "RD_WIDE_CONTINUATION": 0, "WR_WIDE_CONTINUATION": 0,
        "WR_CLK_ENABLE": 1, "WR_CLK_POLARITY": 1,
    });
    let connections = json!({
        "RD_CLK": [2], "RD_ADDR": [10, 11], "RD_DATA": [20, 21, 22, 23, 24, 25], "RD_EN": ["1"],
        "RD_SRST": ["0"], "RD_ARST": ["0"],
        "WR_CLK": [2], "WR_ADDR": [12, 13], "WR_DATA": [30, 31, 32, 33, 34, 35],
        "WR_EN": [40, 40, 40, 41, 41, 41],
    });
    let ports = [
        ("clock", "input", json!([2])),
        ("data", "input", json!([30, 31, 32, 33, 34, 35])),
        ("enable", "input", json!([40, 41])),
        ("read", "input", json!([10, 11])),
        ("word", "output", json!([20, 21, 22, 23, 24, 25])),
        ("write", "input", json!([12, 13])),
    ];
    file(&ports, &[("$mem_v2", parameters, connections)])
}

#[test]
fn memories_read_and_write() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for (clocked, transparent) in [(0, 0), (1, 0), (1, 1)] {
        let flat = flat(&memory(clocked, transparent));
        // A granule of three bits, as the enables say.
        assert_eq!(flat.mems[0].writes.len(), 2);
        let mut machine = Evaluator::new(&flat);
        let (mut words, mut held) = ([0u64; 4], 0);
        for _ in 0..500 {
            let [data, enable, read, write] = [64, 4, 4, 4].map(|n| rng.gen_range(0..n));
            for (name, value) in [("data", data), ("enable", enable), ("read", read), ("write", write)] {
                machine.drive(port(&flat, name), 0, value);
            }
            machine.settle();
            let word = machine.value(flat.outputs[0].1[0]);
            let expected = if clocked == 1 { held } else { words[read as usize] };
            assert_eq!(word, expected, "clocked {clocked}, transparent {transparent}");
            machine.edge();
            let before = words[read as usize];
            let mask = [0, 7, 56, 63][enable as usize];
            let word = &mut words[write as usize];
            *word = *word & !mask | data & mask;
            held = if transparent == 1 { words[read as usize] } else { before };
        }
    }
}

#[test]
fn what_cannot_be_read_is_refused() {
    let one = |kind: &str, connections: Value| {
        let ports = [("clock", "input", json!([2])), ("x", "input", json!([3])), ("y", "output", json!([9]))];
        file(&ports, &[(kind, json!({}), connections)])
    };
    let mut inout = one("$_NOT_", json!({"A": [3], "Y": [9]}));
    inout["modules"]["top"]["ports"]["x"]["direction"] = json!("inout");
    let mut initial = one("$_DFF_P_", json!({"C": [2], "D": [3], "Q": [9]}));
    initial["modules"]["top"]["netnames"] = json!({"q": {"bits": [9], "attributes": {"init": "1"}}});
    let mut twice = memory(1, 0);
    twice["modules"]["top"]["cells"]["$cell$0"]["parameters"]["WR_PORTS"] = json!(2);
    let clocked = |clock: u32| json!({"C": [clock], "D": [3], "Q": [9]});
    let ports = [("y", "output", json!([9]))];
    let gate = |a: u32, y: u32| ("$_NOT_", json!({}), json!({"A": [a], "Y": [y]}));
    for (file, words) in [
        (inout, "port x: direction `inout`"),
        (initial, "net q: an initial value"),
        (twice, "2 write ports"),
        (one("$_NOT_", json!({"A": ["z"], "Y": [9]})), "`z`"),
        (one("$_NOT_", json!({"A": [2, 3], "Y": [9]})), "one bit is needed at A"),
        (one("$_NOT_", json!({"A": [77], "Y": [9]})), "nothing drives net 77"),
        (one("$_NOT_", json!({"A": [3], "Y": [3]})), "net 3 has two drivers"),
        (one("$_NOT_", json!({"A": [9], "Y": [9]})), "depends on itself"),
        (file(&ports, &[gate(8, 9), gate(9, 8)]), "depends on itself"),
        (one("$add", json!({"A": [3], "B": [3], "Y": [9]})), "type `$add`"),
        (one("$_DLATCH_P_", json!({"E": [2], "D": [3], "Q": [9]})), "type `$_DLATCH_P_`"),
        (one("$_DFF_PP0_", clocked(2)), "type `$_DFF_PP0_`"),
        (one("$_DFF_N_", clocked(2)), "rising edge"),
        (one("$_DFF_P_", clocked(3)), "no input named `clock`"),
        (one("$_DFF_P_", json!({"C": [2], "D": [2], "Q": [9]})), "the clock is read"),
        (json!({"modules": {}}), "0 modules, none of them is the top"),
        (json!({"modules": 3}), "no netlist of Yosys"),
    ] {
        let e = read(&file).expect_err(words).to_string();
        assert!(e.starts_with("gates.json: ") && e.contains(words), "{e}");
    }
}

#[test]
fn damaged_netlists_do_not_panic() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let text = memory(1, 1).to_string();
    for _ in 0..3000 {
        let mut bytes = text.clone().into_bytes();
        for _ in 0..rng.gen_range(1..4) {
            let at = rng.gen_range(0..bytes.len());
            match rng.gen_range(0..3) {
                0 => bytes[at] = rng.gen_range(b' '..=b'~'),
                1 => bytes[at] = rng.gen_range(b'0'..=b'9'),
                _ => drop(bytes.remove(at)),
            }
        }
        if let Ok(text) = String::from_utf8(bytes) {
            let _ = read::yosys(&text, Path::new("gates.json"));
        }
    }
}
