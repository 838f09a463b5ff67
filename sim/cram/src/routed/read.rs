//! Reads nextpnr's JSON.

use super::cell::{BlockRam, Carry, Cell, Enable, FlipFlop, Function, Pin, TABLE, TIED};
use super::{CellId, Net, NetId, Routed, Used};
use crate::error::{text, CramError};
use crate::trellis::{word, Names, Place};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

#[derive(Deserialize)]
struct RawFile {
    modules: BTreeMap<String, RawModule>,
}

#[derive(Deserialize)]
struct RawModule {
    cells: BTreeMap<String, RawCell>,
    netnames: BTreeMap<String, RawNet>,
}

#[derive(Deserialize)]
struct RawCell {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    parameters: BTreeMap<String, String>,
    #[serde(default)]
    attributes: BTreeMap<String, String>,
    #[serde(default)]
    connections: BTreeMap<String, Vec<u64>>,
}

#[derive(Deserialize)]
struct RawNet {
    bits: Vec<u64>,
    #[serde(default)]
    attributes: BTreeMap<String, String>,
}

impl Routed {
    /// Reads a netlist that is placed and routed.
    ///
    /// # Errors
    /// The file cannot be read, is no JSON of nextpnr-ecp5, or has a cell that is not known: the error names it.
    pub fn read(path: &Path) -> Result<Self, CramError> {
        let file: RawFile = serde_json::from_str(&text(path)?)
            .map_err(|e| CramError::new(path, format!("JSON of nextpnr-ecp5 --write was expected ({e})")))?;
        let module = match file.modules.len() {
            1 => file.modules.into_values().next(),
            _ => None,
        };
        let module = module.ok_or_else(|| CramError::new(path, "one module was expected, as nextpnr writes it"))?;
        Routed::of(module).map_err(|what| CramError::new(path, what))
    }

    fn of(module: RawModule) -> Result<Self, String> {
        let mut routed = Routed {
            cells: vec![],
            nets: vec![],
            names: Names::default(),
            used: HashMap::new(),
            below: HashMap::new(),
            pins: HashMap::new(),
            by_name: HashMap::new(),
        };
        let mut nets = HashMap::new();
        for (name, raw) in &module.netnames {
            let id = NetId(routed.nets.len() as u32);
            nets.extend(raw.bits.iter().map(|bit| (*bit, id)));
            routed.nets.push(Net { name: name.clone(), driver: None });
            let routing = raw.attributes.get("ROUTING").map_or("", |r| r.trim());
            routed.route(id, routing).ok_or_else(|| format!("net {name}: a list of wires was expected in ROUTING"))?;
        }
        for (name, raw) in module.cells {
            let cell = cell(&name, raw, &nets).map_err(|e| format!("cell {name}: {e}"))?;
            routed.by_name.insert(name, CellId(routed.cells.len() as u32));
            routed.cells.push(cell);
        }
        routed.join()?;
        Ok(routed)
    }

    /// Wires of a net: `WIRE;PIP;STRENGTH` again and again, where a source has no pip.
    fn route(&mut self, net: NetId, routing: &str) -> Option<()> {
        let items: Vec<&str> = routing.split(';').collect();
        if routing.is_empty() {
            return Some(());
        }
        for part in items.chunks(3) {
            let [wire, pip, _] = part[..] else { return None };
            let (place, name) = wire_name(wire)?;
            let wire = self.names.wire(place, name);
            let from = match pip {
                "" => None,
                pip => {
                    let (place, arc) = wire_name(pip)?;
                    let (source, _) = arc.split_once("->")?;
                    let mut items = source.splitn(3, '_');
                    let x: i16 = items.next()?.parse().ok()?;
                    let y: i16 = items.next()?.parse().ok()?;
                    let place = Place { x: place.x + x, y: place.y + y };
                    Some(self.names.wire(place, items.next()?))
                }
            };
            self.used.insert(wire, Used { net, from });
            if let Some(from) = from {
                self.below.entry(from).or_default().push(wire);
            }
        }
        Some(())
    }

    /// Drivers of nets, pins at wires, orders of tables' pins, ports of block RAMs that read.
    fn join(&mut self) -> Result<(), String> {
        let taken: HashSet<NetId> = self
            .cells
            .iter()
            .flat_map(|c| c.inputs().into_iter().filter_map(|pin| c.nets.get(&pin).copied()))
            .collect();
        for cell in &mut self.cells {
            let Function::BlockRam(ram) = &mut cell.function else { continue };
            for port in 0..2 {
                let pins = (0..ram.width).map(|bit| ram.read(port, bit));
                ram.reads[port] = pins.filter_map(|p| cell.nets.get(&p)).any(|net| taken.contains(net));
            }
            if ram.width > 18 {
                ram.reads = [false, ram.reads[1]];
            }
            if ram.writes && ram.reads[0] {
                return Err(format!(
                    "cell {}: a port that writes and reads; one write port and one read port can be read",
                    cell.name
                ));
            }
        }
        for (id, cell) in (0..).map(CellId).zip(&self.cells) {
            let inputs = cell.inputs();
            for (pin, net) in cell.nets.iter().filter(|(pin, _)| !inputs.contains(pin)) {
                let net = &mut self.nets[net.0 as usize];
                if is_output(*pin, &cell.function) {
                    net.driver = Some((id, *pin));
                }
            }
            for pin in inputs {
                if let Some(name) = cell.wire_at(pin) {
                    let wire = self.names.wire(cell.place, &name);
                    self.pins.entry(wire).or_default().push((id, pin));
                }
            }
        }
        let orders: Vec<_> = self.cells.iter().map(|c| self.order(c)).collect();
        for (cell, order) in self.cells.iter_mut().zip(orders) {
            cell.order = order;
        }
        Ok(())
    }

    /// Which inputs of a table the wire of each leads to: routing may lead `A0` to `C0_SLICE`, with other entries then.
    fn order(&self, cell: &Cell) -> [Vec<usize>; 4] {
        let mut order = [(); 4].map(|()| vec![]);
        let carry = match cell.function {
            Function::Table { carry, .. } => carry.is_some(),
            _ => return order,
        };
        for (i, pin) in TABLE.iter().enumerate() {
            let wire = cell.wire_at(*pin).and_then(|n| self.names.find(cell.place, &n));
            let from = wire.and_then(|w| self.used.get(&w)).and_then(|u| u.from);
            let letter = from.map(|w| self.names.name(w).as_bytes()[0]);
            if let Some(from @ b'A'..=b'D') = letter {
                order[usize::from(from - b'A')].push(i);
            }
        }
        // nextpnr keeps the pairs of an adder apart: a free input has the free pins of its pair.
        for (i, pins) in order.iter_mut().enumerate() {
            if carry && pins.is_empty() {
                let pair = [i / 2 * 2, i / 2 * 2 + 1];
                pins.extend(pair.into_iter().filter(|p| !cell.nets.contains_key(&TABLE[*p])));
            }
        }
        order
    }
}

/// `X12/Y34/NAME`.
fn wire_name(text: &str) -> Option<(Place, &str)> {
    let (x, rest) = text.strip_prefix('X')?.split_once("/Y")?;
    let (y, name) = rest.split_once('/')?;
    Some((Place { x: x.parse().ok()?, y: y.parse().ok()? }, name))
}

fn is_output(pin: Pin, of: &Function) -> bool {
    let name = pin.to_string();
    match of {
        Function::Table { .. } | Function::RamBit => matches!(&name[..], "F" | "OFX" | "FCO"),
        Function::RamWrite => name.starts_with("WDO") || name.starts_with("WADO"),
        Function::FlipFlop(_) => name == "Q",
        Function::BlockRam(_) => name.starts_with("DO"),
        Function::Multiplier => name.starts_with('P'),
        Function::Clock => name == "CLKO",
        Function::Pad => name == "O",
        Function::Nothing => false,
    }
}

/// What a block RAM holds: 64 parameters of 16 entries of 20 bits, of which 18 count.
fn constants(raw: &RawCell) -> Result<Vec<u32>, String> {
    let mut entries = vec![];
    for number in 0..64 {
        let key = format!("INITVAL_{number:02X}");
        let bits = raw.parameters.get(&key).map_or("", |b| b.trim());
        let bits: Vec<bool> = word(bits).ok_or_else(|| format!("{key}: bits are expected"))?;
        for entry in 0..16 {
            let ones = (0..18).filter(|i| bits.get(20 * entry + i) == Some(&true));
            entries.push(ones.fold(0, |e, i| e | 1 << i));
        }
    }
    Ok(entries)
}

fn cell(name: &str, raw: RawCell, nets: &HashMap<u64, NetId>) -> Result<Cell, String> {
    let parameter = |key: &str| raw.parameters.get(key).map(|v| v.trim());
    let bel = raw.attributes.get("NEXTPNR_BEL").ok_or("it has no place; a netlist that nextpnr placed is expected")?;
    let (place, bel) =
        wire_name(bel).ok_or_else(|| format!("`{bel}`: a place such as X12/Y34/SLICEA.K0 is expected"))?;
    let only = |key: &str, allowed: &[&str]| match parameter(key) {
        None => Ok(()),
        Some(v) if allowed.contains(&v) => Ok(()),
        Some(v) => Err(format!("parameter {key} is {v}; {} can be read", allowed.join(" or "))),
    };
    let mut pins = BTreeMap::new();
    for (pin, bits) in &raw.connections {
        let (Some(pin), Some(bit)) = (Pin::parse(pin), bits.first()) else { continue };
        pins.insert(pin, *nets.get(bit).ok_or_else(|| format!("pin {pin}: no net {bit}"))?);
    }
    let mut entries = vec![];
    let function = match raw.kind.as_str() {
        "TRELLIS_COMB" => {
            for pin in ["OFX", "FXA", "FXB", "F1"] {
                if pins.contains_key(&Pin::of(pin)) {
                    return Err(format!(
                        "its pin {pin} is used; without wide tables (synth_ecp5 -nowidelut) it can be read"
                    ));
                }
            }
            let entries = u16::from_str_radix(parameter("INITVAL").unwrap_or("0"), 2)
                .map_err(|_| "INITVAL: 16 bits are expected")?;
            match parameter("MODE").unwrap_or("LOGIC") {
                "LOGIC" => Function::Table { entries, carry: None },
                "CCU2" => {
                    let apart = parameter("CCU2_INJECT1") != Some("NO");
                    Function::Table { entries, carry: Some(Carry { apart }) }
                }
                "DPRAM" => {
                    only("WREMUX", &["WRE"])?;
                    only("WCKMUX", &["WCK"])?;
                    Function::RamBit
                }
                "RAMW_BLOCK" => Function::Nothing,
                mode => return Err(format!("mode {mode} of a table")),
            }
        }
        "TRELLIS_RAMW" => Function::RamWrite,
        "TRELLIS_FF" => {
            only("CLKMUX", &["CLK"])?;
            only("LSRMUX", &["LSR"])?;
            only("SRMODE", &["LSR_OVER_CE"])?;
            only("LSRMODE", &["LSR"])?;
            let enable = match parameter("CEMUX").unwrap_or("1") {
                "1" => Enable::Always,
                "0" => Enable::Never,
                "INV" => Enable::Low,
                _ => Enable::High,
            };
            Function::FlipFlop(FlipFlop {
                enable,
                set: parameter("REGSET") == Some("SET"),
                table: parameter("SD") == Some("1"),
            })
        }
        "DP16KD" => {
            for port in ["A", "B"] {
                only(&format!("CLK{port}MUX"), &[&format!("CLK{port}")])?;
                only(&format!("REGMODE_{port}"), &["NOREG"])?;
                only(&format!("CSDECODE_{port}"), &["0b000"])?;
            }
            entries = constants(&raw)?;
            let width = |port: &str| {
                let bits = parameter(&format!("DATA_WIDTH_{port}")).unwrap_or("");
                u32::from_str_radix(bits, 2).map_err(|_| format!("DATA_WIDTH_{port}: a number is expected"))
            };
            let (write, read) = (width("A")?, width("B")?);
            if write != read {
                return Err(format!(
                    "it is written {write} bits wide and read {read} bits wide; one width can be read"
                ));
            }
            if ![36, 18, 9, 4, 2, 1].contains(&write) {
                return Err(format!("DATA_WIDTH_A: {write} bits; 36, 18, 9, 4, 2 or 1 are expected"));
            }
            let enables: &[Pin] = match write {
                36 => &[Pin::bit("ADA", 0), Pin::bit("ADA", 1), Pin::bit("ADA", 2), Pin::bit("ADA", 3)],
                _ => &[Pin::of("WEA")],
            };
            let writes = enables.iter().any(|p| pins.contains_key(p));
            let constant = entries.iter().any(|e| *e != 0);
            if TIED.iter().any(|p| pins.contains_key(p)) || writes == constant {
                return Err(
                    "it has constants that are written over, or neither constants nor a write enable, a second write port or a reset; one write port and one read port, or two that read constants, can be read"
                        .into(),
                );
            }
            Function::BlockRam(BlockRam { width: write, writes, reads: [false; 2] })
        }
        "MULT18X18D" => {
            let registered =
                raw.parameters.iter().any(|(k, v)| k.starts_with("REG_") && k.ends_with("_CLK") && v.trim() != "NONE");
            if registered {
                return Err("its registers are used; without them it can be read".into());
            }
            Function::Multiplier
        }
        "DCCA" => Function::Clock,
        "TRELLIS_IO" => Function::Pad,
        kind => return Err(format!("type {kind}; the chip alone, as synth --target ecp5 makes it, can be read")),
    };
    let place = if function == Function::Clock { Place::WHOLE } else { place };
    let low = raw.parameters.iter().filter(|(_, v)| matches!(v.trim(), "0" | "INV"));
    let low = low.filter_map(|(k, _)| Pin::parse(k.strip_suffix("MUX")?)).filter(|p| !pins.contains_key(p)).collect();
    let number = match bel.split_once('.') {
        Some((slice, cell)) if slice.starts_with("SLICE") => {
            let pair = u32::from(slice.as_bytes().last().copied().unwrap_or(b'A')) - u32::from(b'A');
            2 * pair + u32::from(cell.ends_with('1'))
        }
        // EBR3, MULT18_5.
        _ => bel[bel.trim_end_matches(|c: char| c.is_ascii_digit()).len()..].parse().unwrap_or(0),
    };
    Ok(Cell {
        name: name.into(),
        function,
        place,
        number,
        nets: pins,
        low,
        entries,
        bel: bel.into(),
        order: Default::default(),
    })
}
