//! The ports of a memory around which a pass puts a module with the same ports.

use super::build::Build;
use crate::id::{ExprId, SignalId};
use crate::module::Module;

/// Ports of the module outside, which are the first of its ports.
pub struct Outside(Vec<SignalId>);

impl Outside {
    /// Adds the ports of a memory's module to a module around it.
    pub fn new(b: &mut Build, memory: &Module) -> Self {
        Outside(memory.body.ports().map(|(_, s)| b.signal(&s.name, s.width, s.kind)).collect())
    }

    /// With the memory within, which is child 0: `memory` or one with the same ports of other widths.
    pub fn around(self, b: &mut Build, memory: &Module, within: &Module) -> Ports {
        let inside = b.nets(0, "words", within);
        let numbers = memory.body.ports().map(|(id, _)| id);
        Ports(numbers.zip(self.0).zip(inside).map(|((number, outside), inside)| (number, outside, inside)).collect())
    }
}

/// Ports of the memory: their numbers in its module, outside, and at the memory within.
pub struct Ports(Vec<(SignalId, SignalId, SignalId)>);

impl Ports {
    /// A port outside and within, by its number in the memory's module.
    ///
    /// # Panics
    /// There is no such port.
    pub fn port(&self, number: SignalId) -> (SignalId, SignalId) {
        let (_, outside, inside) = self.0.iter().find(|p| p.0 == number).expect("a port");
        (*outside, *inside)
    }

    /// The value of an input.
    pub fn input(&self, b: &mut Build, number: SignalId) -> ExprId {
        b.get(self.port(number).0)
    }
}
