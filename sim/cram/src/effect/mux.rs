//! Multiplexers of wires.

use super::fabric::Fabric;
use super::{Change, Contention, Driver, Kind, Upset, Value};
use crate::routed::{CellId, Function, Pin, TIED};
use crate::trellis::{Bit, Mux, TileId};
use std::collections::HashSet;

/// Clock pins.
const CLOCKS: [Pin; 4] = [Pin::of("CLK"), Pin::of("WCK"), Pin::of("CLKA"), Pin::of("CLKB")];

/// Outputs of tables of five and six inputs, and the table whose value they have while the last input, which nothing drives,
/// is 1.
const WIDE: [(&str, u32); 8] = [
    ("F5A_SLICE", 1),
    ("F5B_SLICE", 3),
    ("F5C_SLICE", 5),
    ("F5D_SLICE", 7),
    ("FXA_SLICE", 0),
    ("FXB_SLICE", 1),
    ("FXC_SLICE", 4),
    ("FXD_SLICE", 3),
];

/// The number of a table whose output a wire is: `F3`.
pub(super) fn output_of(wire: &str) -> Option<u32> {
    wire.strip_prefix('F').filter(|n| n.len() == 1)?.parse().ok()
}

/// What a pin reads, inverted.
pub(super) fn inverse(_: CellId, _: Pin, driver: Driver) -> Value {
    Value::of(driver).not()
}

impl Fabric {
    /// What an inverted bit of a multiplexer turns into.
    pub(super) fn of_mux(&self, tile: TileId, mux: &Mux, bit: Bit) -> Upset {
        let unused = || Upset::new(Kind::Unused, mux.sink.clone());
        let output = output_of(&mux.sink);
        if output.and_then(|n| self.table_at(tile, n)).is_some_and(|id| self.is_adder(id)) {
            // The bit is that of the adder's carry, a setting.
            return unused();
        }
        let Some(sink) = self.device.wire(tile, &mux.sink) else { return unused() };
        let flipped = |b: Bit| self.bit(tile, b) != (b == bit);
        let before = self.drivers(tile, mux, |b| self.bit(tile, b));
        let after = self.drivers(tile, mux, flipped);
        let what = format!("{}: {} to {}", self.routed.names.shown(sink), self.listed(&before), self.listed(&after));
        let readers = self.readers(sink);
        if before == after {
            // An inverter behind it is the affair of its setting.
            return Upset::new(if readers.is_empty() { Kind::Unused } else { Kind::Harmless }, what);
        }
        if readers.is_empty() {
            let nets = |d: &[Driver]| d.iter().any(|d| matches!(d, Driver::Net(_)));
            let kind = if nets(&before) || nets(&after) { Kind::Harmless } else { Kind::Unused };
            return Upset::new(kind, what);
        }
        let value = match after[..] {
            // The set/reset of a flip-flop that has none is idle, as nextpnr leaves it.
            [] => Value::of(Driver::Constant(!mux.sink.contains("LSR"))),
            [one] => Value::of(one),
            [a, b, ..] => Value::both(a, b, self.contention == Contention::High),
        };
        let kind = match after.len() {
            0 => Kind::Open,
            1 => Kind::Switched,
            _ => Kind::Short,
        };
        if output.is_some_and(|n| self.selects(tile, n)) {
            let cells = readers.into_iter().map(|r| r.0).collect();
            return self.unmodelled(Kind::Switched, what, cells, "a table of five or six inputs");
        }
        let tied_low = mux.tie.zero.as_ref().is_some_and(|code| code.holds(|b| self.bit(tile, b)));
        self.of_readers(kind, what, readers, |cell, pin, _| {
            match self.routed.cell(cell).low.contains(&pin) && !tied_low {
                // A pin that is tied to 0 has an inverter behind a wire that is 1.
                true => value.not(),
                false => value,
            }
        })
    }

    /// What an inverted bit of an inverter behind a multiplexer turns into.
    pub(super) fn of_inverter(&self, tile: TileId, wire: &str, bit: Bit) -> Option<Upset> {
        let mux = self.device.kind(tile).muxes.iter().find(|m| m.sink == wire)?;
        if !mux.tie.invert.as_ref()?.0.iter().any(|(b, _)| *b == bit) {
            return None;
        }
        let sink = self.device.wire(tile, wire)?;
        let readers = self.readers(sink);
        let what = format!("{}: inverted", self.routed.names.shown(sink));
        match readers.is_empty() {
            true => Some(Upset::new(Kind::Unused, what)),
            false => Some(self.of_readers(Kind::Setting, what, readers, inverse)),
        }
    }

    /// Pins that read something else.
    pub(super) fn of_readers(
        &self, kind: Kind, what: String, readers: Vec<(CellId, Pin, Driver)>,
        value: impl Fn(CellId, Pin, Driver) -> Value,
    ) -> Upset {
        let mut upset = Upset::new(kind, what);
        let mut stopped = HashSet::new();
        for (cell, pin, driver) in readers {
            let new = value(cell, pin, driver);
            if new == Value::of(driver) {
                continue;
            }
            if self.is_live(cell) && self.routed.cell(cell).function == Function::Clock {
                (upset.kind, upset.unmodelled) = (Kind::Clock, Some("the clock's source"));
                continue;
            }
            if self.is_live(cell) && TIED.contains(&pin) {
                upset.unmodelled = Some("a reset or a second write port of a block RAM");
                continue;
            }
            if CLOCKS.contains(&pin) {
                if self.is_live(cell) {
                    upset.kind = Kind::Clock;
                    if kind != Kind::Open {
                        upset.unmodelled = Some("a clock with a second driver or an inverter");
                    }
                }
                if stopped.insert(cell) {
                    upset.changes.push(Change::Stopped { cell });
                }
            } else {
                let clock = |net| {
                    self.routed.net(net).driver.is_some_and(|d| self.routed.cell(d.0).function == Function::Clock)
                };
                if new.nets().any(clock) && self.is_live(cell) {
                    upset.unmodelled = Some("the clock as data");
                }
                upset.changes.push(Change::Pin { cell, pin, value: new });
            }
        }
        if upset.changes.is_empty() && upset.unmodelled.is_none() {
            upset.kind = Kind::Harmless;
        }
        upset
    }

    /// Whether a table is half of an adder.
    pub(super) fn is_adder(&self, id: CellId) -> bool {
        matches!(self.routed.cell(id).function, Function::Table { carry: Some(_), .. })
    }

    /// Whether a net selects between the halves of a table of five inputs.
    fn selects(&self, tile: TileId, number: u32) -> bool {
        let wire = self.device.wire(tile, &format!("M{number}"));
        matches!(self.driver(wire), Driver::Net(_))
    }

    /// What drives a multiplexer's wire, each driver once.
    pub(super) fn drivers(&self, tile: TileId, mux: &Mux, at: impl Fn(Bit) -> bool) -> Vec<Driver> {
        let of = |source: &str| {
            if let Some((_, half)) = WIDE.iter().find(|w| w.0 == source) {
                let net = self.table_at(tile, *half).and_then(|id| self.routed.cell(id).nets.get(&Pin::of("F")));
                return net.map_or(Driver::Constant(true), |n| Driver::Net(*n));
            }
            self.driver(self.device.wire(tile, source))
        };
        let chosen = mux.sources.iter().filter(|(_, code)| !code.0.is_empty() && code.holds(&at));
        let mut drivers: Vec<Driver> = chosen.map(|(source, _)| of(source)).collect();
        for (code, value) in [(&mux.tie.one, true), (&mux.tie.zero, false)] {
            if code.as_ref().is_some_and(|code| code.holds(&at)) {
                drivers.push(Driver::Constant(value));
            }
        }
        if drivers.is_empty() {
            // What no bit chooses.
            let default = mux.sources.iter().find(|(_, code)| code.0.is_empty());
            drivers.extend(default.map(|(source, _)| of(source)));
        }
        let mut seen = vec![];
        drivers.retain(|d| {
            !seen.contains(d) && {
                seen.push(*d);
                true
            }
        });
        drivers
    }

    pub(super) fn listed(&self, drivers: &[Driver]) -> String {
        match drivers {
            [] => "nothing".into(),
            _ => drivers.iter().map(|d| self.name_of(*d)).collect::<Vec<_>>().join(" and "),
        }
    }
}
