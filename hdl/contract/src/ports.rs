//! Ports of the chip: clock, bus, memory port and state. The trace port has its own table.

use crate::manifest::Direction;
use serde::Serialize;

/// Width of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PortWidth {
    /// Bits.
    Bits(usize),
    /// A line of the memory port; its width is a parameter of the chip.
    Line,
    /// A bit for each byte of a line.
    LineBytes,
}

impl PortWidth {
    /// Bits on a chip with lines of `line` bits.
    pub const fn bits(self, line: usize) -> usize {
        match self {
            PortWidth::Bits(n) => n,
            PortWidth::Line => line,
            PortWidth::LineBytes => line / 8,
        }
    }
}

/// A port of the chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ChipPort {
    /// Verilog name.
    pub name: &'static str,
    /// Direction, seen from the chip.
    pub direction: Direction,
    /// Width.
    pub width: PortWidth,
    /// What it carries.
    pub meaning: &'static str,
}

macro_rules! ports {
    ($(#[$doc:meta])* $list:ident: $($port:ident $name:literal $direction:ident $width:expr, $meaning:literal;)*) => {
        $(
            #[doc = concat!("`", $name, "`: ", $meaning, ".")]
            pub const $port: ChipPort = ChipPort {
                name: $name,
                direction: Direction::$direction,
                width: $width,
                meaning: $meaning,
            };
        )*
        $(#[$doc])*
        pub const $list: &[ChipPort] = &[$($port),*];
    };
}

use PortWidth::{Bits, Line, LineBytes};

/// Width of the bus' byte addresses in bits.
pub const BUS_ADDRESS_BITS: usize = 20;

ports! {
    /// Clock and reset.
    CLOCKING:
    CLOCK "clock" Input Bits(1), "the one clock, rising edge";
    RESET "reset" Input Bits(1), "synchronous, active high";
}

ports! {
    /// Bus of the host.
    BUS:
    BUS_VALID "bus_valid" Input Bits(1), "an access in this cycle";
    BUS_WRITE "bus_write" Input Bits(1), "it is a write";
    BUS_ADDRESS "bus_address" Input Bits(BUS_ADDRESS_BITS), "byte address; the low two bits are ignored";
    BUS_WDATA "bus_wdata" Input Bits(32), "word to write";
    BUS_RDATA "bus_rdata" Output Bits(32), "word read, the cycle after";
}

ports! {
    /// Memory port.
    MEMORY:
    MEM_VALID "mem_valid" Output Bits(1), "a request";
    MEM_READY "mem_ready" Input Bits(1), "it is taken in this cycle";
    MEM_WRITE "mem_write" Output Bits(1), "it is a store";
    MEM_ADDRESS "mem_address" Output Bits(32), "byte address, a multiple of the line";
    MEM_WDATA "mem_wdata" Output Line, "line to store";
    MEM_WMASK "mem_wmask" Output LineBytes, "bytes of it that are stored, a bit a byte";
    MEM_RVALID "mem_rvalid" Input Bits(1), "the answer to the oldest read under way";
    MEM_RDATA "mem_rdata" Input Line, "line read";
    MEM_ERROR "mem_error" Input Bits(1), "an access has failed; for a cycle, any time before the kernel ends";
    MEM_PENDING "mem_pending" Input Bits(1), "stores that were taken are not complete";
}

ports! {
    /// State of the chip, as in STATUS.
    STATE:
    BUSY "busy" Output Bits(1), "a kernel runs";
    DONE "done" Output Bits(1), "the kernel has ended";
    TRAPPED "trapped" Output Bits(1), "by a trap";
}

/// All ports in the order of the Verilog module, where those of the trace port follow.
pub fn all() -> impl Iterator<Item = &'static ChipPort> {
    [CLOCKING, BUS, MEMORY, STATE].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Field;
    use crate::{Manifest, Port};

    #[test]
    fn the_committed_chip_has_these_ports() {
        let text = include_str!("../../../rtl-out/default/manifest.json");
        let chip: Manifest = serde_json::from_str(text).expect("a manifest");
        let line = chip.port(MEM_RDATA.name).map(|i| chip.ports[i].width);
        let line = line.expect("a memory port");
        let lanes = chip.number("lanes").expect("lanes") as usize;
        let mut ours: Vec<Port> = all().map(|p| Port::new(p.name, p.width.bits(line), p.direction)).collect();
        ours.extend(Field::ALL.iter().map(|f| {
            let width = f.signal().width.bits(lanes);
            Port::new(&f.port(0), width, Direction::Output)
        }));
        let theirs = chip.ports;
        assert_eq!(ours, theirs);
    }
}
