//! Small netlists as Yosys writes them, and patterns.

use rand::Rng;
use serde_json::{json, Map, Value};
use std::collections::HashMap;
use std::path::Path;
use warpsmith_gates::{Circuit, Model, Patterns, Recorder};
use warpsmith_netlist::read;

/// A circuit of cells such as `y = AND a b` or `q = DFFE_PP clock d e`, one a line, between input and output ports of
/// one bit. A flip-flop's clock is the port `clock`.
pub fn circuit(inputs: &str, outputs: &str, cells: &str) -> Circuit {
    let text = json_of(inputs, outputs, cells).to_string();
    let design = read::yosys(&text, Path::new("hand.json")).unwrap_or_else(|e| panic!("{e}"));
    Circuit::of(&design).unwrap_or_else(|e| panic!("{e}"))
}

/// The same as Yosys' file.
pub fn json_of(inputs: &str, outputs: &str, cells: &str) -> Value {
    let mut nets: HashMap<String, u64> = HashMap::new();
    let mut net = |name: &str| -> Value {
        match name {
            "0" | "1" => json!(name),
            _ => {
                let next = nets.len() as u64 + 2;
                json!(*nets.entry(name.into()).or_insert(next))
            }
        }
    };
    let mut ports = Map::new();
    for (names, direction) in [(inputs, "input"), (outputs, "output")] {
        for name in names.split_whitespace() {
            ports.insert(name.into(), json!({ "direction": direction, "bits": [net(name)] }));
        }
    }
    let mut list = Map::new();
    for line in cells.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let (y, right) = line.split_once(" = ").expect("NET = CELL NETS");
        let mut words = right.split_whitespace();
        let kind = words.next().expect("a cell");
        let flip_flop = kind.contains("DFF");
        let pins = match kind {
            _ if kind.starts_with("DFFE") => "CDE",
            _ if kind.starts_with("SDFFE") || kind.starts_with("SDFFCE") => "CDRE",
            _ if kind.starts_with("SDFF") => "CDR",
            _ if flip_flop => "CD",
            _ => "ABS",
        };
        let mut connections = Map::new();
        for (pin, word) in pins.chars().zip(words) {
            connections.insert(pin.to_string(), json!([net(word)]));
        }
        connections.insert(if flip_flop { "Q" } else { "Y" }.into(), json!([net(y)]));
        let name = format!("$cell${y}");
        list.insert(name, json!({ "type": format!("$_{kind}_"), "connections": connections }));
    }
    let mut names = Map::new();
    for (name, number) in &nets {
        names.insert(name.clone(), json!({ "hide_name": 0, "bits": [number] }));
    }
    json!({ "modules": { "hand": { "ports": ports, "cells": list, "netnames": names } } })
}

/// Random patterns for a circuit.
pub fn random(rng: &mut impl Rng, circuit: &Circuit, model: Model, count: usize) -> Patterns {
    let bits = circuit.bits();
    let mut recorder = Recorder::new(bits, model == Model::Transition);
    for cycle in 0..count {
        let mut row: Vec<u64> = (0..bits.div_ceil(64)).map(|_| rng.gen()).collect();
        if bits % 64 != 0 {
            *row.last_mut().expect("a word") &= (1 << (bits % 64)) - 1;
        }
        recorder.add(cycle as u64, &row);
    }
    recorder.finish()
}
