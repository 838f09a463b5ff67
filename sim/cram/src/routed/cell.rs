//! Cells of the ECP5: what they compute, and the wires at their pins.

use super::NetId;
use crate::trellis::Place;
use std::collections::BTreeMap;

/// A pin: its letters and its number, as in `A`, `DIA17`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pin {
    letters: [u8; 8],
    number: u8,
}

const NO_NUMBER: u8 = u8::MAX;

impl Pin {
    /// A pin without a number.
    pub(crate) const fn of(name: &str) -> Self {
        let (mut letters, bytes, mut i) = ([0; 8], name.as_bytes(), 0);
        while i < bytes.len() {
            letters[i] = bytes[i];
            i += 1;
        }
        Pin { letters, number: NO_NUMBER }
    }

    /// Bit `number` of a bus.
    pub(crate) const fn bit(bus: &str, number: u32) -> Self {
        Pin { number: number as u8, ..Pin::of(bus) }
    }

    /// The pin of a name; none of one that is too long.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
        if letters.is_empty() || letters.len() > 8 {
            return None;
        }
        match &name[letters.len()..] {
            "" => Some(Pin::of(letters)),
            digits => Some(Pin::bit(letters, digits.parse().ok().filter(|n| *n < u32::from(NO_NUMBER))?)),
        }
    }
}

impl std::fmt::Display for Pin {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        for letter in self.letters.iter().take_while(|l| **l != 0) {
            write!(f, "{}", char::from(*letter))?;
        }
        match self.number {
            NO_NUMBER => Ok(()),
            n => write!(f, "{n}"),
        }
    }
}

/// What a cell computes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Function {
    /// A table of four inputs, entry 0 first; `carry`: the table of half an adder.
    Table {
        entries: u16,
        carry: Option<Carry>,
    },
    /// A bit of a distributed RAM of 16 words.
    RamBit,
    /// Its write port.
    RamWrite,
    FlipFlop(FlipFlop),
    BlockRam(BlockRam),
    Multiplier,
    /// A buffer of a clock.
    Clock,
    /// A pin of the device.
    Pad,
    /// A place that another cell takes.
    Nothing,
}

/// Half of an adder cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Carry {
    /// Whether the carry is kept out of the sum and the first two inputs out of the carry.
    pub(crate) apart: bool,
}

/// A flip-flop with a rising edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FlipFlop {
    /// Its enable.
    pub(crate) enable: Enable,
    /// Value that the set/reset gives.
    pub(crate) set: bool,
    /// Whether data come from the table beside it, and not from the pin `M`.
    pub(crate) table: bool,
}

/// An enable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Enable {
    Always,
    Never,
    High,
    Low,
}

/// A block RAM with ports of one width: A writes and B reads, or both read constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockRam {
    /// Bits of a word: 36, 18, 9, 4, 2 or 1.
    pub(crate) width: u32,
    /// Whether port A writes.
    pub(crate) writes: bool,
    /// Whether anything takes what ports A and B read.
    pub(crate) reads: [bool; 2],
}

impl BlockRam {
    /// Bits of an address.
    pub(crate) fn address(self) -> u32 {
        14 - self.skipped()
    }

    /// Address pins below the first that is one.
    pub(crate) fn skipped(self) -> u32 {
        match self.width {
            36 => 5,
            18 => 4,
            9 => 3,
            4 => 2,
            2 => 1,
            _ => 0,
        }
    }

    /// Bits that one write enable covers.
    pub(crate) fn granule(self) -> u32 {
        self.width.min(9)
    }

    /// Pin of a bit of the word that is written.
    pub(crate) fn written(self, bit: u32) -> Pin {
        match bit / 18 {
            0 => Pin::bit("DIA", bit),
            _ => Pin::bit("DIB", bit - 18),
        }
    }

    /// Pin of a bit of the word that a port reads; the widest words are read by B and come out of both.
    pub(crate) fn read(self, port: usize, bit: u32) -> Pin {
        let out = if self.width > 18 { bit as usize / 18 } else { port };
        Pin::bit(["DOA", "DOB"][out], bit % 18)
    }

    /// The word of an address, of entries of 18 bits as the parameters hold them.
    pub(crate) fn word(self, entries: &[u32], address: usize) -> u64 {
        match self.width {
            36 => u64::from(entries[2 * address]) | u64::from(entries[2 * address + 1]) << 18,
            width => {
                // Nine bits of an entry are one of its halves; narrower words leave out the ninth.
                let (each, half) = if width >= 9 { (18 / width, width) } else { (16 / width, width) };
                let entry = entries[address / each as usize];
                let at = address as u32 % each * half;
                let bytes = if width < 9 { entry & 0xff | entry >> 1 & 0xff00 } else { entry };
                u64::from(bytes >> at & ((1 << width) - 1))
            }
        }
    }
}

/// Pins of ports A and B: clock, enable, select, address.
pub(crate) const PORTS: [[&str; 4]; 2] = [["CLKA", "CEA", "CSA", "ADA"], ["CLKB", "CEB", "CSB", "ADB"]];

/// Pins of block RAMs that are tied: the second write port, resets.
pub(crate) const TIED: [Pin; 3] = [Pin::of("WEB"), Pin::of("RSTA"), Pin::of("RSTB")];

/// A cell.
#[derive(Debug)]
pub(crate) struct Cell {
    pub(crate) name: String,
    pub(crate) function: Function,
    /// Its place; clock buffers are at that of the whole device's wires.
    pub(crate) place: Place,
    /// Its name in the tile, as in `SLICEA.K0`.
    pub(crate) bel: String,
    /// Its number in the tile.
    pub(crate) number: u32,
    /// Nets at its pins; a pin without one is not there.
    pub(crate) nets: BTreeMap<Pin, NetId>,
    /// Pins without a net that are 0, as `B17` of a multiplier; the others are 1.
    pub(crate) low: Vec<Pin>,
    /// What a block RAM holds, entries of 18 bits; none of one that is written.
    pub(crate) entries: Vec<u32>,
    /// Order of a table's pins: which of `A` to `D` the wire of each leads to.
    pub(crate) order: [Vec<usize>; 4],
}

/// Inputs of a table.
pub(crate) const TABLE: [Pin; 4] = [Pin::of("A"), Pin::of("B"), Pin::of("C"), Pin::of("D")];

/// Bits of the factors and of the product.
pub(crate) const FACTOR: u32 = 18;

impl Cell {
    /// The name of the wire at an input pin, in the cell's tile; none for pins that no wire of the fabric leads to.
    pub(crate) fn wire_at(&self, pin: Pin) -> Option<String> {
        let (n, pair) = (self.number, self.number / 2);
        let slice = char::from(b'A' + pair as u8);
        Some(match self.function {
            Function::Table { .. } | Function::RamBit => match pin.to_string().as_str() {
                p @ ("A" | "B" | "C" | "D" | "M") => format!("{p}{n}_SLICE"),
                p @ ("WAD0" | "WAD1" | "WAD2" | "WAD3") => format!("{p}{slice}_SLICE"),
                "WD" => format!("WD{}{slice}_SLICE", n % 2),
                p @ ("WRE" | "WCK") => format!("{p}{pair}_SLICE"),
                "FCI" if n == 0 => "FCI_SLICE".into(),
                "FCI" if n % 2 == 0 => format!("FCI{slice}_SLICE"),
                "FCI" => format!("FCI{slice}1_SLICE"),
                _ => return None,
            },
            Function::FlipFlop(_) => match pin.to_string().as_str() {
                p @ ("DI" | "M") => format!("{p}{n}_SLICE"),
                p @ ("CE" | "LSR" | "CLK") => format!("{p}{pair}_SLICE"),
                _ => return None,
            },
            // Inputs of both tables of slice C.
            Function::RamWrite => {
                let pin = pin.to_string();
                let (letter, half) = pin.split_at(1);
                format!("{letter}{}_SLICE", 4 + half.parse::<u32>().ok()?)
            }
            Function::BlockRam(_) => format!("J{pin}_EBR"),
            Function::Multiplier => format!("J{pin}_MULT18"),
            Function::Clock => format!("G_CLKI_{}", self.bel),
            Function::Pad | Function::Nothing => return None,
        })
    }

    /// What an input pin without a net reads.
    pub(crate) fn idle(&self, pin: Pin) -> bool {
        // The set/reset of a flip-flop without one is idle; whatever else floats is 1.
        pin != Pin::of("LSR") && !self.low.contains(&pin)
    }

    /// Its input pins, with a net or without.
    pub(crate) fn inputs(&self) -> Vec<Pin> {
        let bus = |name: &'static str, from: u32, to: u32| (from..to).map(move |i| Pin::bit(name, i));
        let named = |names: &[&str]| names.iter().map(|n| Pin::of(n)).collect::<Vec<_>>();
        let mut pins = match self.function {
            Function::Table { carry, .. } => {
                let mut pins = TABLE.to_vec();
                if carry.is_some() {
                    pins.push(Pin::of("FCI"));
                }
                return pins;
            }
            Function::RamBit => {
                let mut pins = TABLE.to_vec();
                pins.extend(bus("WAD", 0, 4));
                pins.extend(named(&["WD", "WRE", "WCK"]));
                return pins;
            }
            Function::RamWrite => {
                let half = |h: u32| ["A", "B", "C", "D"].into_iter().map(move |p| Pin::bit(p, h));
                return half(0).chain(half(1)).collect();
            }
            Function::FlipFlop(_) => return named(&["DI", "M", "CE", "LSR", "CLK"]),
            Function::BlockRam(_) => named(&["WEA", "WEB", "RSTA", "RSTB"]),
            Function::Multiplier => named(&["SIGNEDA", "SIGNEDB"]),
            Function::Clock => return named(&["CLKI"]),
            Function::Pad => return named(&["I"]),
            Function::Nothing => return vec![],
        };
        if let Function::BlockRam(ram) = self.function {
            pins.extend((0..ram.width).map(|i| ram.written(i)));
            pins.extend(bus("ADA", 0, if ram.width >= 18 { ram.width / 9 } else { 0 }));
            for [clock, enable, select, address] in PORTS {
                pins.extend(named(&[clock, enable]));
                pins.extend(bus(select, 0, 3).chain(bus(address, ram.skipped(), 14)));
            }
        } else {
            pins.extend(bus("A", 0, FACTOR).chain(bus("B", 0, FACTOR)));
        }
        pins
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pins_are_read_back() {
        for name in ["A", "DIA17", "SIGNEDA", "WADO3"] {
            assert_eq!(Pin::parse(name).map(|p| p.to_string()).as_deref(), Some(name));
        }
        for name in ["", "7", "SOURCEABC", "A999"] {
            assert_eq!(Pin::parse(name), None, "{name}");
        }
    }

    #[test]
    fn words_of_all_widths_are_the_bits_of_the_entries() {
        let ram = |width| BlockRam { width, writes: false, reads: [false, true] };
        // Two entries of 18 bits, each two bytes with a ninth bit in front: 0 1100_0011 and 1 1010_0101, 1 0101_0101 and 0 0000_1111.
        let entries = [0b11_0100_1010_1100_0011, 0b00_0001_1111_0101_0101];
        assert_eq!(ram(36).word(&entries, 0), u64::from(entries[0]) | u64::from(entries[1]) << 18);
        assert_eq!(ram(18).word(&entries, 1), u64::from(entries[1]));
        let nine = [0b0_1100_0011, 0b1_1010_0101, 0b1_0101_0101, 0b0_0000_1111];
        assert_eq!([0, 1, 2, 3].map(|a| ram(9).word(&entries, a)), nine);
        assert_eq!([0, 1, 2, 3, 4].map(|a| ram(4).word(&entries, a)), [0b0011, 0b1100, 0b0101, 0b1010, 0b0101]);
        assert_eq!((0..8).map(|a| ram(1).word(&entries, a) << a).sum::<u64>(), 0b1100_0011);
        assert_eq!([36, 18, 9, 4, 2, 1].map(|w| ram(w).address()), [9, 10, 11, 12, 13, 14]);
    }
}
