//! What a bit of the configuration memory turns into when it is inverted.

mod fabric;
mod mux;
mod setting;

pub use fabric::Fabric;

use crate::routed::{CellId, NetId, Pin};

/// Kinds of what an upset turns into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A wire of a net loses its driver.
    Open,
    /// A wire of a net gets a second driver.
    Short,
    /// A wire of a net gets another driver.
    Switched,
    /// A wrong entry of a table.
    Table,
    /// A setting of a cell.
    Setting,
    /// A clock.
    Clock,
    /// A bit of a distributed RAM's contents: an upset of the design's state.
    Contents,
    /// What the design uses, but nothing that it does changes: a net drives one wire more, an entry that no input
    /// addresses.
    Harmless,
    /// Something around the chip: the shift registers at its ports.
    Harness,
    /// Nothing that the design uses.
    Unused,
}

impl Kind {
    /// Name in reports and files.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Open => "open",
            Kind::Short => "short",
            Kind::Switched => "switched",
            Kind::Table => "table",
            Kind::Setting => "setting",
            Kind::Clock => "clock",
            Kind::Contents => "contents",
            Kind::Harmless => "harmless",
            Kind::Harness => "harness",
            Kind::Unused => "unused",
        }
    }

    /// Whether the design does something else with it: the essential bits.
    pub const fn is_essential(self) -> bool {
        matches!(self, Kind::Open | Kind::Short | Kind::Switched | Kind::Table | Kind::Setting | Kind::Clock)
    }
}

/// What two drivers of a wire make of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contention {
    /// 0 wins: transistors of n type pass it better.
    #[default]
    Low,
    /// 1 wins.
    High,
}

/// What drives a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// A constant; 1 too is what a wire without a driver reads as.
    Constant(bool),
    /// A net.
    Net(NetId),
}

/// What an input pin reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// What drives its wire.
    pub driver: Driver,
    /// A second driver, and the value that wins.
    pub second: Option<(Driver, bool)>,
    /// Whether an inverter stands behind the wire.
    pub inverted: bool,
}

impl Value {
    /// One driver.
    pub(crate) fn of(driver: Driver) -> Self {
        Value { driver, second: None, inverted: false }
    }

    /// Two drivers, where `wins` wins.
    pub(crate) fn both(a: Driver, b: Driver, wins: bool) -> Self {
        match (a, b) {
            (Driver::Constant(c), other) | (other, Driver::Constant(c)) => match c == wins {
                true => Value::of(Driver::Constant(wins)),
                false => Value::of(other),
            },
            _ => Value { driver: a, second: Some((b, wins)), inverted: false },
        }
    }

    /// The inverse.
    pub(crate) fn not(self) -> Self {
        match self.driver {
            Driver::Constant(c) => Value::of(Driver::Constant(!c)),
            Driver::Net(_) => Value { inverted: !self.inverted, ..self },
        }
    }

    /// Nets that it reads.
    pub(crate) fn nets(self) -> impl Iterator<Item = NetId> {
        [Some(self.driver), self.second.map(|s| s.0)].into_iter().flatten().filter_map(|d| match d {
            Driver::Net(net) => Some(net),
            Driver::Constant(_) => None,
        })
    }
}

/// A change of what a placed cell does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// An input pin reads something else.
    Pin {
        /// The cell.
        cell: CellId,
        /// The pin.
        pin: Pin,
        /// What it reads.
        value: Value,
    },
    /// A table has a wrong entry.
    Entry {
        /// The cell.
        cell: CellId,
        /// Inputs by number and the values at which the table gives the entry; none where no input addresses it.
        table: Option<Vec<(usize, bool)>>,
        /// The same of an adder's product of its first two inputs, which is the first four entries.
        product: Option<Vec<(usize, bool)>>,
    },
    /// Half of an adder lets its carry through where it did not, or the other way.
    Inject {
        /// The cell.
        cell: CellId,
    },
    /// A flip-flop's set/reset gives the other value, at power-on too.
    Stored {
        /// The cell.
        cell: CellId,
    },
    /// A flip-flop takes its data from its other input.
    Data {
        /// The cell.
        cell: CellId,
    },
    /// A flip-flop's set/reset gives what its pin `M` reads.
    Preload {
        /// The cell.
        cell: CellId,
    },
    /// A cell has no clock.
    Stopped {
        /// The cell.
        cell: CellId,
    },
}

/// What an inverted bit turns into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upset {
    /// Its kind; with several changes that of the first.
    pub kind: Kind,
    /// What it belongs to, for people: a wire and its net, a cell and its setting.
    pub what: String,
    /// Changes of cells.
    pub changes: Vec<Change>,
    /// Why it cannot be simulated, if it cannot.
    pub unmodelled: Option<&'static str>,
}

impl Upset {
    fn new(kind: Kind, what: String) -> Self {
        Upset { kind, what, changes: vec![], unmodelled: None }
    }
}

impl Change {
    /// The cell that it changes.
    pub fn cell(&self) -> CellId {
        match self {
            Change::Pin { cell, .. }
            | Change::Entry { cell, .. }
            | Change::Inject { cell }
            | Change::Stored { cell }
            | Change::Data { cell }
            | Change::Preload { cell }
            | Change::Stopped { cell } => *cell,
        }
    }
}
