//! Fan-out-free regions.

use crate::circuit::{Circuit, NetId};
use crate::fault::Fault;
use crate::word::Word;

/// A tree of gates that ends in one net.
#[derive(Clone, Debug)]
pub struct Region {
    /// The net: several cells read it, or it leaves the circuit.
    pub stem: NetId,
    /// Its cells, the one that drives the stem first, each before those it reads.
    cells: Vec<u32>,
}

/// All regions of a circuit.
#[derive(Clone, Debug)]
pub struct Regions {
    /// From the outputs to the inputs.
    pub list: Vec<Region>,
    /// Region of each cell.
    of_cell: Vec<u32>,
    /// The cell of the same region that drives each input of each cell.
    inner: Vec<[Option<u32>; 3]>,
}

impl Regions {
    /// Of a circuit.
    pub fn of(circuit: &Circuit) -> Self {
        let (readers, observers) = (circuit.readers(), circuit.observers());
        let first = circuit.cells.first().map_or(0, |c| c.output);
        let count = circuit.cells.len();
        let mut out = Regions { list: vec![], of_cell: vec![0; count], inner: vec![[None; 3]; count] };
        for (c, cell) in circuit.cells.iter().enumerate().rev() {
            let net = cell.output as usize;
            let region = match (&readers[net][..], observers[net].is_empty()) {
                ([(reader, input)], true) => {
                    out.inner[*reader as usize][*input as usize] = Some(net as NetId - first);
                    out.of_cell[*reader as usize]
                }
                _ => {
                    out.list.push(Region { stem: cell.output, cells: vec![] });
                    out.list.len() as u32 - 1
                }
            };
            out.of_cell[c] = region;
            out.list[region as usize].cells.push(c as u32);
        }
        out
    }

    /// Numbers of the faults of each region, of a list of faults.
    pub fn faults(&self, circuit: &Circuit, faults: &[Fault]) -> Vec<Vec<u32>> {
        let mut live = vec![vec![]; self.list.len()];
        for (i, fault) in (0..).zip(faults) {
            let cell = circuit.pins()[fault.pin.0 as usize].cell;
            live[self.of_cell[cell as usize] as usize].push(i);
        }
        live
    }

    /// Critical-path tracing: the patterns in which the output of each cell of a region reaches its stem.
    pub fn trace(&self, circuit: &Circuit, region: &Region, values: &[Word], reach: &mut [Word]) {
        let Some(root) = region.cells.first() else { return };
        reach[*root as usize] = Word::ONES;
        for &c in &region.cells {
            let cell = &circuit.cells[c as usize];
            let inputs = cell.inputs.map(|n| values[n as usize]);
            for (pin, driver) in self.inner[c as usize].iter().enumerate() {
                if let Some(driver) = driver {
                    reach[*driver as usize] = reach[c as usize] & cell.gate.follows(pin, inputs);
                }
            }
        }
    }
}
