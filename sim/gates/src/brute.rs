//! The slow simulator that the fast one is compared with: one fault, one pattern, every cell anew.

use crate::circuit::{Circuit, NetId, FIRST, ONE, ZERO};
use crate::fault::{Fault, Model, Place};
use crate::gate::Gate;

/// The outputs, by number, at which a pattern shows a fault. `pattern` and `before` hold the inputs as
/// [`Patterns`](crate::Patterns) do; `before`, the cycle before, decides on transition faults, which do not act without.
pub fn shows(circuit: &Circuit, model: Model, fault: Fault, pattern: &[u64], before: Option<&[u64]>) -> Vec<usize> {
    let good = values(circuit, pattern, None);
    if model == Model::Transition {
        let net = circuit.net_at(fault.pin) as usize;
        let was = before.map(|b| values(circuit, b, None)[net]);
        if was != Some(fault.value) {
            return vec![];
        }
    }
    let bad = values(circuit, pattern, Some(fault));
    let outputs = circuit.observed.iter().enumerate();
    outputs.filter(|(_, o)| good[o.net as usize] != bad[o.net as usize]).map(|(i, _)| i).collect()
}

/// Value of every net.
pub fn values(circuit: &Circuit, pattern: &[u64], fault: Option<Fault>) -> Vec<bool> {
    let mut v = vec![false; circuit.nets.len()];
    v[ZERO as usize] = false;
    v[ONE as usize] = true;
    for bit in 0..circuit.bits() {
        v[FIRST as usize + bit] = pattern[bit / 64] >> (bit % 64) & 1 != 0;
    }
    let forced = fault.map(|f| (&circuit.pins()[f.pin.0 as usize], f.value));
    for (i, cell) in circuit.cells.iter().enumerate() {
        let at = |pin: u8, net: NetId| match forced {
            Some((p, value)) if p.cell as usize == i && p.place == Place::Input(pin) => value,
            _ => v[net as usize],
        };
        let [a, b, s] = [0, 1, 2].map(|pin: u8| at(pin, cell.inputs[pin as usize]));
        let y = match cell.gate {
            Gate::Buf => a,
            Gate::Not => !a,
            Gate::And => a && b,
            Gate::Nand => !(a && b),
            Gate::Or => a || b,
            Gate::Nor => !(a || b),
            Gate::Xor => a != b,
            Gate::Xnor => a == b,
            Gate::Mux => {
                if s {
                    b
                } else {
                    a
                }
            }
        };
        v[cell.output as usize] = match forced {
            Some((p, value)) if p.cell as usize == i && p.place == Place::Output => value,
            _ => y,
        };
    }
    v
}
