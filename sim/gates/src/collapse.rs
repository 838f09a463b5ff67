//! The fault list with equal faults joined.

use crate::circuit::{Circuit, NetId};
use crate::fault::{Fault, Model, PinId, Place};
use crate::gate::Gate;

/// All faults of a circuit, two a pin, in classes of equal ones: every pattern shows all faults of a class or none.
#[derive(Clone, Debug)]
pub struct Collapsed {
    model: Model,
    /// Class of each fault, by the fault's number.
    class: Vec<u32>,
    /// First fault of each class: what is simulated.
    representatives: Vec<Fault>,
    /// Faults of each class.
    sizes: Vec<u32>,
    dominated: Vec<bool>,
}

impl Collapsed {
    /// Joins the faults of a circuit that are equal by structure.
    ///
    /// Stuck-at: an input at its controlling value equals the output at what that gives (AND, NAND, OR, NOR); both values
    /// of inverters and buffers pass; the two ends of a net with one reader are one. Transition: inverters, buffers and
    /// ends of such nets alone, since the value of the cycle before counts too.
    pub fn new(circuit: &Circuit, model: Model) -> Self {
        let mut at = vec![[None; 4]; circuit.cells.len()];
        for (i, pin) in (0..).zip(circuit.pins()) {
            at[pin.cell as usize][slot(pin.place)] = Some(PinId(i));
        }
        let mut sets = Sets((0..2 * circuit.pins().len() as u32).collect());
        let fault = |pin: PinId, value: bool| Fault { pin, value }.number();
        for (cell, pins) in circuit.cells.iter().zip(&at) {
            let Some(y) = pins[3] else { continue };
            for a in pins[..3].iter().flatten() {
                match (cell.gate, cell.gate.controlled()) {
                    (Gate::Buf | Gate::Not, _) => {
                        for value in [false, true] {
                            sets.join(fault(*a, value), fault(y, value != (cell.gate == Gate::Not)));
                        }
                    }
                    (_, Some((input, output))) if model == Model::StuckAt => {
                        sets.join(fault(*a, input), fault(y, output));
                    }
                    _ => {}
                }
            }
        }
        let observers = circuit.observers();
        for (net, readers) in circuit.readers().into_iter().enumerate() {
            let [(cell, input)] = readers[..] else { continue };
            let pin = at[cell as usize][input as usize];
            if let (Some(y), Some(a), true) = (driver(circuit, &at, net as NetId), pin, observers[net].is_empty()) {
                for value in [false, true] {
                    sets.join(fault(y, value), fault(a, value));
                }
            }
        }
        let faults = 2 * circuit.pins().len() as u32;
        let mut number = vec![u32::MAX; faults as usize];
        let mut out = Collapsed { model, class: vec![], representatives: vec![], sizes: vec![], dominated: vec![] };
        for f in 0..faults {
            let root = sets.root(f) as usize;
            if number[root] == u32::MAX {
                number[root] = out.representatives.len() as u32;
                out.representatives.push(Fault::of(f));
                out.sizes.push(0);
                out.dominated.push(false);
            }
            let class = number[root];
            out.sizes[class as usize] += 1;
            out.class.push(class);
        }
        if model == Model::StuckAt {
            for (cell, pins) in circuit.cells.iter().zip(&at) {
                if let (Some(y), Some((_, output))) = (pins[3], cell.gate.controlled()) {
                    let class = out.class[fault(y, !output) as usize];
                    out.dominated[class as usize] = true;
                }
            }
        }
        out
    }

    /// The fault model.
    pub fn model(&self) -> Model {
        self.model
    }

    /// Faults, each pin with two.
    pub fn faults(&self) -> usize {
        self.class.len()
    }

    /// Classes of equal faults.
    pub fn classes(&self) -> usize {
        self.representatives.len()
    }

    /// Classes that are left by dominance too: a class falls out that every pattern shows which shows an input of one of
    /// its gates at the other value than the controlling one.
    pub fn undominated(&self) -> usize {
        self.dominated.iter().filter(|d| !**d).count()
    }

    /// Class of a fault.
    pub fn class(&self, fault: Fault) -> usize {
        self.class[fault.number() as usize] as usize
    }

    /// The fault of each class that is simulated: the first.
    pub fn representatives(&self) -> &[Fault] {
        &self.representatives
    }

    /// Faults in a class.
    pub fn size(&self, class: usize) -> usize {
        self.sizes[class] as usize
    }
}

fn slot(place: Place) -> usize {
    match place {
        Place::Input(i) => i as usize,
        Place::Output => 3,
    }
}

/// The output pin that drives a net.
fn driver(circuit: &Circuit, at: &[[Option<PinId>; 4]], net: NetId) -> Option<PinId> {
    let first = circuit.cells.first()?.output;
    // Cells make the last nets, each one, in order.
    let cell = net.checked_sub(first)?;
    at.get(cell as usize)?[3]
}

/// Disjoint sets of numbers.
struct Sets(Vec<u32>);

impl Sets {
    fn root(&mut self, mut i: u32) -> u32 {
        while self.0[i as usize] != i {
            let up = self.0[self.0[i as usize] as usize];
            self.0[i as usize] = up;
            i = up;
        }
        i
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}
