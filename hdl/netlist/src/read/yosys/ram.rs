//! A cell `$mem_v2`: its parameters and the bits at its ports.

use super::super::error::{fault, Fault};
use super::json::{number, Bit, RawCell};

/// What a cell `$mem_v2` says of itself.
pub(super) struct Ram {
    pub(super) depth: u32,
    pub(super) width: u32,
    pub(super) address: u32,
    pub(super) granule: u32,
    pub(super) reads: u32,
    pub(super) writes: bool,
    /// Its words are 0 at power-on.
    pub(super) zeroed: bool,
    pub(super) words: Vec<u64>,
    /// By read port: whether it has a clock, whether it sees the word being written, value of its reset,
    /// whether the reset needs the enable.
    pub(super) clocked: Vec<bool>,
    pub(super) transparent: Vec<bool>,
    pub(super) reset: Vec<u128>,
    pub(super) enable_first: Vec<bool>,
}

impl Ram {
    pub(super) fn of(cell: &RawCell) -> Result<Self, Fault> {
        let number = |name: &str| match cell.parameters.get(name).and_then(number) {
            Some(n) => Ok(n),
            None => fault(format!("parameter {name} is missing or no number")),
        };
        let small = |name: &str, most: u64| match number(name)? {
            n if n <= most => Ok(n as u32),
            n => fault(format!("parameter {name} is {n}, at most {most}")),
        };
        let bits = |name: &str, count: u32| cell.bits(name, count as usize);
        let (depth, width) = (small("SIZE", 1 << 28)?, small("WIDTH", 1 << 20)?);
        let (address, reads) = (small("ABITS", 64)?, small("RD_PORTS", 1024)?);
        let ports = small("WR_PORTS", 1024)?;
        if ports > 1 {
            return fault(format!("{ports} write ports; one can be read"));
        }
        if depth == 0 || width == 0 || address == 0 {
            return fault("a memory without words, bits or addresses");
        }
        if number("OFFSET")? != 0 {
            return fault("its first word is not number 0");
        }
        let writes = ports == 1;
        let set = |name: &str, count: u32| -> Result<Vec<bool>, Fault> {
            Ok(bits(name, count)?.iter().map(|b| *b == Bit::One).collect())
        };
        let init = bits("INIT", 0)?;
        if writes && init.contains(&Bit::One) {
            return fault("initial words other than 0 of a memory that can be written");
        }
        let zeroed = writes && init.contains(&Bit::Zero);
        let mut words = vec![];
        if !writes {
            if width > 64 || init.len() as u64 != u64::from(depth) * u64::from(width) {
                return fault("constants of more than 64 bits, or not as many as it has words");
            }
            for word in init.chunks(width as usize) {
                let ones = word.iter().enumerate().filter(|(_, b)| **b == Bit::One);
                words.push(ones.map(|(i, _)| 1 << i).sum());
            }
        }
        let clocked = set("RD_CLK_ENABLE", reads)?;
        let resets = bits("RD_SRST_VALUE", reads * width)?;
        let mut reset = vec![];
        for value in resets.chunks(width as usize) {
            let ones = value.iter().enumerate().filter(|(_, b)| **b == Bit::One);
            let ones: Vec<usize> = ones.map(|(i, _)| i).collect();
            if ones.iter().any(|i| *i >= 128) {
                return fault("a reset value of a read port has more than 128 bits");
            }
            reset.push(ones.iter().map(|i| 1u128 << i).sum());
        }
        for (port, clocked) in clocked.iter().enumerate() {
            let pin = |name: &str| Self::part(cell, name, port as u32, 1);
            let off = |b: &Bit| matches!(b, Bit::Zero | Bit::Undefined);
            if *clocked && !pin("RD_ARST")?.iter().all(off) {
                return fault(format!("read port {port} has an asynchronous reset"));
            }
        }
        let known = |b: &Bit| matches!(b, Bit::Zero | Bit::One);
        if bits("RD_INIT_VALUE", reads * width)?.iter().any(known) {
            return fault("an initial value of a read port");
        }
        for name in ["RD_WIDE_CONTINUATION", "WR_WIDE_CONTINUATION"] {
            if bits(name, 0)?.contains(&Bit::One) {
                return fault("ports of several words");
            }
        }
        let transparent = match writes {
            true => set("RD_TRANSPARENCY_MASK", reads)?,
            false => vec![false; reads as usize],
        };
        let mut ram = Ram {
            depth,
            width,
            address,
            granule: width,
            reads,
            writes,
            zeroed,
            words,
            clocked,
            transparent,
            reset,
            enable_first: set("RD_CE_OVER_SRST", reads)?,
        };
        if writes {
            let enables = Self::part(cell, "WR_EN", 0, width)?;
            let one_each = |g: &usize| {
                let same = |c: &[Bit]| c.iter().all(|b| *b == c[0]);
                width as usize % g == 0 && enables.chunks(*g).all(same)
            };
            let granule = (1..=width as usize).rev().find(one_each);
            ram.granule = granule.expect("a granule of one bit") as u32;
        }
        Ok(ram)
    }

    /// Connection `name` of a port, `width` bits a port.
    pub(super) fn part(cell: &RawCell, name: &str, port: u32, width: u32) -> Result<Vec<Bit>, Fault> {
        let from = port as usize * width as usize;
        let bits = cell.connections.get(name).map_or(&[][..], Vec::as_slice);
        match bits.get(from..from + width as usize) {
            Some(bits) => Ok(bits.to_vec()),
            None => fault(format!("connection {name} has {} bits, too few", bits.len())),
        }
    }
}
