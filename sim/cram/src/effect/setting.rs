//! Words and choices of cells.

use super::fabric::{slot, Fabric};
use super::mux::inverse;
use super::{Change, Kind, Upset};
use crate::routed::{Cell, CellId, Function, Pin, TABLE};
use crate::trellis::{tied, Bit, Choice, TileId, Word};

const BLOCK: &str = "a setting of a block RAM or multiplier";

/// Which values of the first inputs of a table, by number, give an entry; none where none do.
fn addressed(cell: &Cell, entry: usize, inputs: usize) -> Option<Vec<(usize, bool)>> {
    let mut when = vec![];
    for (input, pins) in cell.order.iter().enumerate().take(inputs) {
        let value = entry >> input & 1 != 0;
        // An input without a pin, and a pin without a net, are 1.
        match pins.iter().find(|p| cell.nets.contains_key(&TABLE[**p])) {
            Some(pin) => when.push((*pin, value)),
            None if !value => return None,
            None => {}
        }
    }
    Some(when)
}

impl Fabric {
    /// What an inverted bit of a word turns into.
    pub(super) fn of_word(&self, tile: TileId, word: &Word, bit: Bit) -> Upset {
        let unused = Upset::new(Kind::Unused, word.name.clone());
        let Some((number, "INIT")) = slot(&word.name) else { return self.of_block(tile, &word.name) };
        let Some(id) = self.table_at(tile, number) else { return unused };
        let what = format!("{} of {}", word.name, self.routed.cell(id).name);
        if self.routed.cell(id).function == Function::RamBit {
            let kind = if self.is_live(id) { Kind::Contents } else { Kind::Harness };
            return Upset::new(kind, what);
        }
        let Some((_, cell, _)) = self.table_of(tile, &word.name) else { return unused };
        let entry = word.bits.iter().position(|code| code.0.iter().any(|(b, _)| *b == bit));
        let Some(entry) = entry else { return unused };
        let Function::Table { carry, .. } = cell.function else { return unused };
        let table = addressed(cell, entry, 4);
        let multiplies = carry.is_some_and(|c| !c.apart) && entry < 4;
        let product = if multiplies { addressed(cell, entry, 2) } else { None };
        match (&table, &product) {
            (None, None) => Upset::new(if self.is_live(id) { Kind::Harmless } else { Kind::Harness }, what),
            _ => Upset { changes: vec![Change::Entry { cell: id, table, product }], ..Upset::new(Kind::Table, what) },
        }
    }

    /// What an inverted bit of a choice turns into.
    pub(super) fn of_choice(&self, tile: TileId, choice: &Choice, bit: Bit) -> Upset {
        let name = &choice.name;
        if let Some(wire) = tied(name) {
            if let Some(upset) = self.of_inverter(tile, &wire, bit) {
                return upset;
            }
            // The constant is one more source of the wire's multiplexer.
            return match self.device.kind(tile).muxes.iter().find(|m| m.sink == wire) {
                Some(mux) => self.of_mux(tile, mux, bit),
                None => Upset::new(Kind::Unused, name.clone()),
            };
        }
        if let Some((number, what)) = slot(name) {
            return self.of_cell(tile, number, name, what);
        }
        if let Some((wire, what)) = name.split_once('.').filter(|n| n.0.starts_with("LSR") || n.0.starts_with("CLK")) {
            return self.of_control(tile, wire, what, name);
        }
        if let Some((slice, what)) = name.strip_prefix("SLICE").and_then(|n| n.split_once('.')) {
            return self.of_slice(tile, slice, what, name);
        }
        self.of_block(tile, name)
    }

    /// A choice of a flip-flop or of half an adder.
    fn of_cell(&self, tile: TileId, number: u32, name: &str, what: &str) -> Upset {
        let unused = Upset::new(Kind::Unused, name.into());
        let Some(id) = self.flip_flop_at(tile, number) else { return unused };
        let shown = format!("{name} of {}", self.routed.cell(id).name);
        let pins = &self.routed.cell(id).nets;
        let change = match what {
            "REGSET" => Change::Stored { cell: id },
            "SD" => Change::Data { cell: id },
            "LSRMODE" if pins.contains_key(&Pin::of("LSR")) => Change::Preload { cell: id },
            _ => return Upset::new(if self.is_live(id) { Kind::Harmless } else { Kind::Harness }, shown),
        };
        Upset { changes: vec![change], ..Upset::new(Kind::Setting, shown) }
    }

    /// A choice of a set/reset or a clock of a tile.
    fn of_control(&self, tile: TileId, wire: &str, what: &str, name: &str) -> Upset {
        let unused = || Upset::new(Kind::Unused, name.into());
        let Some(sink) = self.device.wire(tile, wire) else { return unused() };
        let readers = match self.routed.used.contains_key(&sink) {
            true => self.readers(sink),
            false => return unused(),
        };
        let net = self.name_of(self.driver(Some(sink)));
        let shown = format!("{name} of {net}");
        match what {
            "LSRMUX" | "CLKMUX" => self.of_readers(Kind::Setting, shown, readers, inverse),
            _ => {
                let is_flip_flop = |c: &CellId| matches!(self.routed.cell(*c).function, Function::FlipFlop(_));
                let cells = readers.into_iter().map(|r| r.0).filter(is_flip_flop).collect();
                self.unmodelled(Kind::Setting, shown, cells, "an asynchronous set/reset")
            }
        }
    }

    /// A choice of a slice: of both its tables and flip-flops.
    fn of_slice(&self, tile: TileId, slice: &str, what: &str, name: &str) -> Upset {
        let pair = slice.bytes().next().map_or(0, |b| u32::from(b.wrapping_sub(b'A')));
        let both = [2 * pair, 2 * pair + 1];
        let tables: Vec<CellId> = both.iter().filter_map(|n| self.table_at(tile, *n)).collect();
        let harmless = |cells: &[CellId]| match cells.iter().any(|c| self.is_live(*c)) {
            true => Upset::new(Kind::Harmless, name.into()),
            false => Upset::new(Kind::Unused, name.into()),
        };
        if let Some(half) = what.strip_prefix("CCU2.INJECT1_") {
            let id = half.parse::<u32>().ok().and_then(|h| self.table_at(tile, 2 * pair + h));
            return match id.map(|id| (id, &self.routed.cell(id).function)) {
                Some((cell, Function::Table { carry: Some(_), .. })) => {
                    let shown = format!("{name} of {}", self.routed.cell(cell).name);
                    Upset { changes: vec![Change::Inject { cell }], ..Upset::new(Kind::Setting, shown) }
                }
                Some((id, _)) => harmless(&[id]),
                None => harmless(&[]),
            };
        }
        match what {
            "GSR" => {
                let cells: Vec<CellId> = both.iter().filter_map(|n| self.flip_flop_at(tile, *n)).collect();
                harmless(&cells)
            }
            "MODE" => self.unmodelled(Kind::Setting, name.into(), tables, "the mode of a slice"),
            _ => harmless(&tables),
        }
    }

    /// A setting of a block RAM, a multiplier or a pin of the device.
    fn of_block(&self, tile: TileId, name: &str) -> Upset {
        let unused = Upset::new(Kind::Unused, name.into());
        let place = self.device.tile(tile).place;
        let Some((block, _)) = name.split_once('.') else { return unused };
        let stem = block.trim_end_matches(|c: char| c.is_ascii_digit());
        let near = |x: i16| (x - 8..=x + 8).contains(&place.x);
        let Ok(number) = block[stem.len()..].parse::<i16>() else {
            let around = ["PIO", "IOLOGIC", "BANK"].iter().any(|p| stem.starts_with(p));
            // Of all multipliers of a group of columns.
            let beside = |id: &&CellId| {
                let cell = self.routed.cell(**id);
                cell.function == Function::Multiplier && cell.place.y == place.y && near(cell.place.x)
            };
            return match (around, self.blocks.iter().find(beside)) {
                (true, _) => Upset::new(Kind::Harness, name.into()),
                (false, Some(id)) if stem.starts_with("DSP_") => {
                    self.unmodelled(Kind::Setting, name.into(), vec![*id], BLOCK)
                }
                _ => unused,
            };
        };
        if let Some(side) = stem.strip_prefix("DCC_") {
            let bel = format!("{side}DCC{number}");
            let clock = self.routed.cells().find(|(_, c)| c.function == Function::Clock && c.bel == bel);
            let cells = clock.map(|(id, _)| vec![id]).unwrap_or_default();
            return self.unmodelled(Kind::Clock, name.into(), cells, "the clock's source");
        }
        // Nine columns of tiles are one group; a block's own tile is at its place in that.
        let in_group = |x: i16, column: i16| (x - column..=x - column + 8).contains(&place.x);
        let blocks = self.blocks.iter().map(|id| (*id, self.routed.cell(*id)));
        let of = blocks.filter(|(_, c)| c.place.y == place.y).find(|(_, c)| match c.function {
            Function::BlockRam(_) => stem == "EBR" && c.number == number as u32 && in_group(c.place.x, 2 * number),
            Function::Multiplier => stem == "MULT18_" && c.number == number as u32 && in_group(c.place.x, number),
            _ => false,
        });
        match of {
            Some((id, cell)) => {
                let what = format!("{name} of {}", cell.name);
                self.unmodelled(Kind::Setting, what, vec![id], BLOCK)
            }
            None => unused,
        }
    }

    /// A setting of these cells that is not simulated.
    pub(super) fn unmodelled(&self, kind: Kind, what: String, cells: Vec<CellId>, why: &'static str) -> Upset {
        match (cells.iter().any(|c| self.is_live(*c)), cells.is_empty()) {
            (true, _) => Upset { unmodelled: Some(why), ..Upset::new(kind, what) },
            (false, true) => Upset::new(Kind::Unused, what),
            (false, false) => Upset::new(Kind::Harness, what),
        }
    }
}
