//! Names of nets: which are of the register transfer level, and the nearest of those.

use crate::circuit::{Circuit, NetId, FIRST};
use crate::fault::{PinId, Place};
use std::collections::{HashSet, VecDeque};

/// Whether a name is a number that the reader of netlists gave: `n123` of a gate, `q123` of a flip-flop, with `_` behind
/// it where it was taken.
pub(crate) fn is_yosys_number(name: &str) -> bool {
    let digits = name.strip_prefix(['n', 'q']).unwrap_or("").trim_end_matches('_');
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

impl Circuit {
    /// The name of the register transfer level of the net at a pin, where synthesis keeps one.
    pub fn rtl_name(&self, pin: PinId) -> Option<&str> {
        let net = &self.nets[self.net_at(pin) as usize];
        net.named.then_some(&net.name[..])
    }
}

/// Finds the nearest named nets of pins.
pub struct Nearest<'a> {
    circuit: &'a Circuit,
    readers: Vec<Vec<(u32, u8)>>,
    observers: Vec<Vec<u32>>,
}

impl<'a> Nearest<'a> {
    /// In a circuit.
    pub fn new(circuit: &'a Circuit) -> Self {
        Nearest { circuit, readers: circuit.readers(), observers: circuit.observers() }
    }

    /// The named net, register or port that the value at a pin reaches through the fewest gates; at an input pin, from
    /// its cell on. Empty where it reaches none.
    pub fn of(&self, pin: PinId) -> String {
        let c = self.circuit;
        let p = &c.pins()[pin.0 as usize];
        let start = match p.place {
            Place::Output => c.net_at(pin),
            Place::Input(_) => c.cells[p.cell as usize].output,
        };
        let mut seen: HashSet<NetId> = [start].into();
        let mut open = VecDeque::from([start]);
        while let Some(net) = open.pop_front() {
            let n = &c.nets[net as usize];
            if n.named && net >= FIRST {
                return n.name.clone();
            }
            if let Some(o) = self.observers[net as usize].first() {
                return c.observed[*o as usize].name.clone();
            }
            for (cell, _) in &self.readers[net as usize] {
                let next = c.cells[*cell as usize].output;
                if seen.insert(next) {
                    open.push_back(next);
                }
            }
        }
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_yosys_are_known() {
        for (name, yes) in
            [("n12", true), ("n12_", true), ("q7", true), ("n", false), ("n1a", false), ("next_1", false)]
        {
            assert_eq!(is_yosys_number(name), yes, "{name}");
        }
    }
}
