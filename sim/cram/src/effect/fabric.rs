//! Device, configuration memory and routed netlist together.

use super::mux::output_of;
use super::{Change, Contention, Driver, Kind, Upset};
use crate::build::{live, Boundary, DATA};
use crate::error::CramError;
use crate::routed::{Cell, CellId, Function, NetId, Pin, Routed, TABLE};
use crate::trellis::{Bit, Device, Image, Mux, Place, Setting, TileId, Wire};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// A placed and routed chip in its device.
pub struct Fabric {
    /// The device.
    pub device: Device,
    /// The netlist.
    pub routed: Routed,
    pub(super) image: Image,
    /// What two drivers of a wire make of it.
    pub(super) contention: Contention,
    /// Wires that a wire drives for good.
    fixed: HashMap<Wire, Vec<Wire>>,
    /// Cells of tiles' slices: tables and flip-flops by place and number.
    tables: HashMap<(Place, u32), CellId>,
    flip_flops: HashMap<(Place, u32), CellId>,
    /// Block RAMs and multipliers.
    pub(super) blocks: Vec<CellId>,
    /// Whether a cell belongs to the chip, and not to what is around it.
    live: Vec<bool>,
    /// Flip-flops that take the chip's outputs.
    outputs: HashSet<CellId>,
}

impl Fabric {
    /// Joins what was read of a design; `boundary` says which of it is the chip, `file` is the configuration's.
    ///
    /// # Errors
    /// The configuration is not that of the netlist: the error names a wire or a table.
    pub fn new(
        mut device: Device, image: Image, mut routed: Routed, boundary: &Boundary, contention: Contention, file: &Path,
    ) -> Result<Self, CramError> {
        device.name_all(&mut routed.names);
        let live = live(&routed, boundary);
        let outputs = boundary.cells(&routed, &boundary.outputs).collect();
        let mut fabric = Fabric {
            fixed: HashMap::new(),
            tables: HashMap::new(),
            flip_flops: HashMap::new(),
            blocks: vec![],
            device,
            routed,
            image,
            contention,
            live,
            outputs,
        };
        for tile in fabric.device.tiles() {
            for (sink, source) in &fabric.device.kind(tile).fixed {
                let wire = |name| fabric.device.wire(tile, name);
                if let (Some(sink), Some(source)) = (wire(sink), wire(source)) {
                    fabric.fixed.entry(source).or_default().push(sink);
                }
            }
        }
        fabric.join_clocks();
        for (id, cell) in fabric.routed.cells() {
            let slices = match cell.function {
                Function::Table { .. } | Function::RamBit => &mut fabric.tables,
                Function::FlipFlop(_) => &mut fabric.flip_flops,
                Function::BlockRam(_) | Function::Multiplier => {
                    fabric.blocks.push(id);
                    continue;
                }
                _ => continue,
            };
            slices.insert((cell.place, cell.number), id);
        }
        fabric.check().map_err(|what| {
            CramError::new(file, format!("{what}: it is not the configuration of this netlist; place and route anew"))
        })?;
        Ok(fabric)
    }

    /// Adds the branches of clock networks, which nextpnr leaves out.
    fn join_clocks(&mut self) {
        let mut branches = vec![];
        for (wire, used) in &self.routed.used {
            let begin = match used.from {
                None => Some(*wire),
                Some(from) => Some(from).filter(|f| !self.routed.used.contains_key(f)),
            };
            branches.extend(begin.and_then(|b| Some((self.device.above(&self.routed.names, b)?, *wire))));
        }
        for (above, wire) in branches {
            self.routed.below.entry(above).or_default().push(wire);
        }
    }

    /// Refuses a configuration in which a multiplexer joins different nets or a table differs from its cell.
    fn check(&self) -> Result<(), String> {
        for tile in self.device.tiles() {
            for mux in &self.device.kind(tile).muxes {
                self.drives(tile, mux)?;
            }
        }
        for tile in self.device.tiles() {
            for word in &self.device.kind(tile).words {
                let Some((id, cell, entries)) = self.table_of(tile, &word.name) else { continue };
                for (entry, code) in word.bits.iter().enumerate() {
                    let expected = entries >> self.logical(cell, entry) & 1 != 0;
                    if code.holds(|b| self.image.at(&self.device, tile, b)) != expected {
                        let tile = self.device.name_of(tile);
                        return Err(format!("{tile}: {} differs from table {}", word.name, self.routed.cell(id).name));
                    }
                }
            }
        }
        Ok(())
    }

    /// Refuses a multiplexer that does not drive a wire with the net that the netlist leads through it.
    fn drives(&self, tile: TileId, mux: &Mux) -> Result<(), String> {
        let wire = |name: &str| self.device.wire(tile, name);
        let Some((sink, used)) = wire(&mux.sink).and_then(|w| Some((w, self.routed.used.get(&w)?))) else {
            return Ok(());
        };
        let drivers = self.drivers(tile, mux, |b| self.bit(tile, b));
        let through = mux.sources.iter().any(|(source, _)| used.from.is_some() && wire(source) == used.from);
        let adder = output_of(&mux.sink).and_then(|n| self.table_at(tile, n)).is_some_and(|id| self.is_adder(id));
        if adder || drivers == [Driver::Net(used.net)] || !through && drivers.is_empty() {
            return Ok(());
        }
        let (tile, net, found) = (self.device.name_of(tile), self.net_name(used.net), self.listed(&drivers));
        Err(format!("{tile}: {found} drives {}, which carries {net}", self.routed.names.shown(sink)))
    }

    /// The table whose entries a word of a tile's database is.
    pub(super) fn table_of(&self, tile: TileId, word: &str) -> Option<(CellId, &Cell, u16)> {
        let id = *self.tables.get(&(self.device.tile(tile).place, slot(word)?.0))?;
        let cell = self.routed.cell(id);
        match cell.function {
            Function::Table { entries, .. } => Some((id, cell, entries)),
            _ => None,
        }
    }

    /// The entry of a cell's table that an entry of the device's table is: routing may permute inputs.
    pub(super) fn logical(&self, cell: &Cell, entry: usize) -> usize {
        let ones = (0..4).filter(|i| entry >> i & 1 != 0);
        ones.flat_map(|i| &cell.order[i]).fold(0, |index, pin| index | 1 << pin)
    }

    pub(super) fn table_at(&self, tile: TileId, number: u32) -> Option<CellId> {
        self.tables.get(&(self.device.tile(tile).place, number)).copied()
    }

    pub(super) fn flip_flop_at(&self, tile: TileId, number: u32) -> Option<CellId> {
        self.flip_flops.get(&(self.device.tile(tile).place, number)).copied()
    }

    /// A bit of the configuration memory.
    pub(super) fn bit(&self, tile: TileId, bit: Bit) -> bool {
        self.image.at(&self.device, tile, bit)
    }

    /// What a bit of a tile turns into when it is inverted.
    pub fn upset(&self, tile: TileId, bit: Bit) -> Upset {
        let kind = self.device.kind(tile);
        let mut all: Option<Upset> = None;
        for setting in kind.settings(bit) {
            let upset = match *setting {
                Setting::Mux(i) => self.of_mux(tile, &kind.muxes[i], bit),
                Setting::Word(i) => self.of_word(tile, &kind.words[i], bit),
                Setting::Choice(i) => self.of_choice(tile, &kind.choices[i], bit),
            };
            all = Some(match all {
                None => upset,
                Some(before) => joined(before, upset),
            });
        }
        let all = all.unwrap_or_else(|| Upset::new(Kind::Unused, String::new()));
        self.of_the_chip(all)
    }

    /// Leaves out what is around the chip.
    fn of_the_chip(&self, mut upset: Upset) -> Upset {
        let before = upset.changes.len();
        // What takes an output reads it with its data pins: those are the chip's.
        let is_output = |c: &Change| match c {
            Change::Pin { cell, pin, .. } => DATA.contains(pin) && self.outputs.contains(cell),
            _ => false,
        };
        upset.changes.retain(|c| self.live[c.cell().0 as usize] || is_output(c));
        if upset.changes.is_empty() && before > 0 {
            return Upset::new(Kind::Harness, upset.what);
        }
        upset
    }

    /// Whether a cell belongs to the chip.
    pub(super) fn is_live(&self, cell: CellId) -> bool {
        self.live[cell.0 as usize]
    }

    /// What drives a wire.
    pub(super) fn driver(&self, wire: Option<Wire>) -> Driver {
        let (names, mut above) = (&self.routed.names, wire);
        while let Some(at) = above {
            if let Some(used) = self.routed.used.get(&at) {
                return Driver::Net(used.net);
            }
            above = self.device.above(names, at);
        }
        // A set/reset without a driver is idle, as nextpnr leaves it.
        Driver::Constant(!wire.is_some_and(|w| names.name(w).contains("LSR")))
    }

    /// Input pins that a wire leads to, and what they read: on its net, or pins without a net.
    pub(super) fn readers(&self, wire: Wire) -> Vec<(CellId, Pin, Driver)> {
        if let Some(used) = self.routed.used.get(&wire) {
            let pins = self.routed.reached(wire).into_iter();
            return pins.map(|(cell, pin)| (cell, pin, Driver::Net(used.net))).collect();
        }
        let (mut found, mut open) = (vec![], vec![wire]);
        while let Some(wire) = open.pop() {
            for (cell, pin) in self.routed.pins.get(&wire).into_iter().flatten() {
                let of = self.routed.cell(*cell);
                if !of.nets.contains_key(pin) && !is_ignored(of, *pin) {
                    found.push((*cell, *pin, Driver::Constant(of.idle(*pin))));
                }
            }
            // The wire below may carry a net that enters there.
            let below = self.fixed.get(&wire).into_iter().flatten();
            open.extend(below.filter(|w| !self.routed.used.contains_key(w)));
        }
        found
    }

    pub(super) fn name_of(&self, driver: Driver) -> String {
        match driver {
            Driver::Constant(v) => u8::from(v).to_string(),
            Driver::Net(n) => self.net_name(n).into(),
        }
    }

    pub(super) fn net_name(&self, net: NetId) -> &str {
        &self.routed.net(net).name
    }
}

/// Whether no entry of a table depends on an input without a net: in half an adder on the two of a pair, elsewhere on one.
fn is_ignored(cell: &Cell, pin: Pin) -> bool {
    match (&cell.function, TABLE.iter().position(|p| *p == pin)) {
        (Function::Table { carry: None, .. }, Some(_)) => true,
        (Function::Table { carry: Some(_), .. }, Some(i)) => !cell.nets.contains_key(&TABLE[i ^ 1]),
        _ => false,
    }
}

/// Two settings that share a bit: the essential one names the kind.
fn joined(a: Upset, b: Upset) -> Upset {
    let (mut first, second) = match b.kind < a.kind {
        true => (b, a),
        false => (a, b),
    };
    for change in second.changes {
        if !first.changes.contains(&change) {
            first.changes.push(change);
        }
    }
    first.unmodelled = first.unmodelled.or(second.unmodelled);
    first
}

/// Number of a table or flip-flop in its tile, and the rest of the name: `SLICEB.K1.INIT` is 3, `INIT`.
pub(super) fn slot(name: &str) -> Option<(u32, &str)> {
    let (slice, rest) = name.strip_prefix("SLICE")?.split_once('.')?;
    let (cell, what) = rest.split_once('.')?;
    let pair = u32::from(*slice.as_bytes().first()?).checked_sub(u32::from(b'A'))?;
    let half = cell.strip_prefix("REG").or_else(|| cell.strip_prefix('K'))?.parse::<u32>().ok()?;
    Some((2 * pair + half, what))
}
