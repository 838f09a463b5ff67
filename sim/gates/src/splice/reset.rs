//! What flip-flops hold after a reset, read off their gates.

use super::RESET;
use crate::circuit::{Circuit, NetId, ObservedKind, SourceKind, FIRST, ONE, ZERO};
use crate::gate::Gate;
use std::collections::HashMap;
use warpsmith_netlist::SignalId;

/// The value of each flip-flop after an edge under reset, where it does not depend on anything else.
pub fn values(circuit: &Circuit) -> HashMap<SignalId, bool> {
    let mut v: Vec<Option<bool>> = vec![None; circuit.nets.len()];
    v[ZERO as usize] = Some(false);
    v[ONE as usize] = Some(true);
    let ports = circuit.sources.iter().filter(|s| s.kind == SourceKind::Port);
    let Some(reset) = ports.clone().find(|s| s.name == RESET) else { return HashMap::new() };
    v[reset.first as usize] = Some(true);
    debug_assert!(reset.first >= FIRST);
    for cell in &circuit.cells {
        let at = |n: NetId| v[n as usize];
        v[cell.output as usize] = known(cell.gate, cell.inputs.map(at));
    }
    let next = circuit.observed.iter().filter(|o| o.kind == ObservedKind::Next);
    next.filter_map(|o| Some((o.signal, v[o.net as usize]?))).collect()
}

/// The output of a gate of which some inputs are known.
fn known(gate: Gate, [a, b, s]: [Option<bool>; 3]) -> Option<bool> {
    let and = |a: Option<bool>, b: Option<bool>| match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    };
    let not = |x: Option<bool>| x.map(|x| !x);
    let xor = |a: Option<bool>, b: Option<bool>| Some(a? != b?);
    match gate {
        Gate::Buf => a,
        Gate::Not => not(a),
        Gate::And => and(a, b),
        Gate::Nand => not(and(a, b)),
        Gate::Or => not(and(not(a), not(b))),
        Gate::Nor => and(not(a), not(b)),
        Gate::Xor => xor(a, b),
        Gate::Xnor => not(xor(a, b)),
        Gate::Mux => match s {
            Some(true) => b,
            Some(false) => a,
            None if a == b => a,
            None => None,
        },
    }
}
