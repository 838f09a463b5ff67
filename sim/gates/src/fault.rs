//! Pins and faults.

use std::fmt;

/// Number of a pin in its circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PinId(pub u32);

/// Where a pin is at its cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// An input: 0, 1 or 2.
    Input(u8),
    /// The output.
    Output,
}

/// A pin of a gate or a flip-flop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Its cell.
    pub cell: u32,
    /// Where.
    pub place: Place,
    /// The pin's letter in Yosys' cell library: A, B, S, Y, D, E, R, Q.
    pub letter: char,
    /// The net that the gate or flip-flop drives, which names it.
    pub owner: String,
}

/// A fault model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Model {
    /// The pin is always 0, or always 1.
    StuckAt,
    /// The pin takes a new value a cycle late: slow to rise, slow to fall.
    Transition,
}

impl Model {
    /// Name on the command line and in results.
    pub const fn name(self) -> &'static str {
        match self {
            Model::StuckAt => "stuck-at",
            Model::Transition => "transition",
        }
    }

    /// Name of a fault of this model.
    pub const fn fault(self, value: bool) -> &'static str {
        match (self, value) {
            (Model::StuckAt, false) => "stuck-at-0",
            (Model::StuckAt, true) => "stuck-at-1",
            (Model::Transition, false) => "slow-to-rise",
            (Model::Transition, true) => "slow-to-fall",
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A fault: a pin, and the value that it has wrongly. A pin that is slow to rise has a wrong 0 in the cycle in which it
/// should rise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fault {
    /// Where.
    pub pin: PinId,
    /// The wrong value.
    pub value: bool,
}

impl Fault {
    /// Number of the fault among all of the circuit, two a pin.
    pub fn number(self) -> u32 {
        2 * self.pin.0 + u32::from(self.value)
    }

    /// The fault of a number.
    pub fn of(number: u32) -> Self {
        Fault { pin: PinId(number / 2), value: number % 2 == 1 }
    }
}
