//! Where ports, registers, memories and saboteurs stand in the bytes of a device.

use warpsmith_contract::SiteKind;
use warpsmith_netlist::flat::{mask, Flat, MemId, NodeId, Op, RegId};

/// Bytes in which a value of so many bits is kept, as Verilator keeps it.
pub fn bytes(width: usize) -> usize {
    match width {
        0..=8 => 1,
        9..=16 => 2,
        17..=32 => 4,
        33..=64 => 8,
        _ => 4 * width.div_ceil(32),
    }
}

/// At most 64 bits in the bytes of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// First byte.
    pub at: u32,
    /// Bytes: 1, 2, 4 or 8.
    pub size: u8,
}

impl Place {
    /// Bits from `64 * piece` of something `width` bits wide that begins at byte `at`.
    pub fn piece(at: usize, width: usize, piece: usize) -> Self {
        Place { at: (at + 8 * piece) as u32, size: (bytes(width) - 8 * piece).min(8) as u8 }
    }

    /// The value there.
    #[inline(always)]
    pub fn load(self, bytes: &[u8]) -> u64 {
        let at = self.at as usize;
        match self.size {
            1 => bytes[at].into(),
            2 => u16::from_le_bytes([bytes[at], bytes[at + 1]]).into(),
            4 => u32::from_le_bytes(array(&bytes[at..at + 4])).into(),
            _ => u64::from_le_bytes(array(&bytes[at..at + 8])),
        }
    }

    /// Puts a value there.
    #[inline(always)]
    pub fn store(self, bytes: &mut [u8], value: u64) {
        let at = self.at as usize;
        match self.size {
            1 => bytes[at] = value as u8,
            2 => bytes[at..at + 2].copy_from_slice(&(value as u16).to_le_bytes()),
            4 => bytes[at..at + 4].copy_from_slice(&(value as u32).to_le_bytes()),
            _ => bytes[at..at + 8].copy_from_slice(&value.to_le_bytes()),
        }
    }
}

#[inline(always)]
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().expect("as many bytes")
}

/// A memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words {
    /// First byte.
    pub at: u32,
    /// Bytes of a word.
    pub stride: u32,
    /// Words.
    pub depth: u32,
    /// Bits of a word.
    pub width: u32,
}

impl Words {
    /// Bits from `64 * piece` of word 0; the other words follow at multiples of the stride.
    pub fn first(self, piece: u32) -> Place {
        Place::piece(self.at as usize, self.width as usize, piece as usize)
    }
}

/// A tap: bits of an output of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tap {
    /// The node.
    pub node: NodeId,
    /// The node before the saboteur.
    pub of: NodeId,
    /// First bit in the output, and bits.
    pub lo: u32,
    /// Bits.
    pub width: u8,
    /// First byte of the output's value; its masks follow it, each as long.
    pub at: u32,
    /// Bytes of the output's value.
    pub bytes: u32,
}

/// Where everything stands.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// First byte of each port.
    pub ports: Vec<u32>,
    /// Bytes of the inputs, which stand first.
    pub inputs: usize,
    /// First byte of each site; an output's masks follow it, each as long as its value.
    pub sites: Vec<u32>,
    /// Pieces of registers.
    pub regs: Vec<Place>,
    /// Memories.
    pub mems: Vec<Words>,
    /// Taps, by their numbers.
    pub taps: Vec<Tap>,
    /// Bytes in all.
    pub len: usize,
}

impl Layout {
    /// Registers and ports first, close together; memories behind them.
    pub fn of(flat: &Flat) -> Self {
        let mut out = Layout::default();
        let mut len = 0;
        let mut take = |bytes: usize, align: usize| {
            let at = usize::next_multiple_of(len, align.clamp(1, 8));
            len = at + bytes;
            u32::try_from(at).expect("less than 4 GiB of state")
        };
        // Values of a size together: none is torn by a border of 8 bytes, and no space is lost.
        const CLASSES: [usize; 4] = [8, 4, 2, 1];
        let here = |class: usize, width: usize| bytes(width).min(8) == class;
        out.ports = vec![0; flat.ports.len()];
        out.sites = vec![0; flat.sites.len()];
        for inputs in [true, false] {
            for class in CLASSES {
                for (at, p) in out.ports.iter_mut().zip(&flat.ports) {
                    if p.is_input() == inputs && here(class, p.width) {
                        *at = take(bytes(p.width), class);
                    }
                }
            }
            if inputs {
                out.inputs = take(0, 8) as usize;
            }
        }
        for class in CLASSES {
            for (at, s) in out.sites.iter_mut().zip(&flat.sites) {
                let n = bytes(s.width as usize);
                match s.kind {
                    SiteKind::Reg if here(class, s.width as usize) => *at = take(n, class),
                    SiteKind::Out if here(class, s.width as usize) => *at = take(3 * n, class),
                    _ => {}
                }
            }
        }
        for m in &flat.mems {
            let stride = bytes(m.width as usize);
            let at = take(stride * m.depth as usize, 8);
            out.mems.push(Words { at, stride: stride as u32, depth: m.depth, width: m.width });
            if let Some(site) = m.site {
                out.sites[site as usize] = at;
            }
        }
        out.len = take(0, 8) as usize;
        let reg = |r: &warpsmith_netlist::flat::Reg| {
            let width = flat.sites[r.site as usize].width as usize;
            Place::piece(out.sites[r.site as usize] as usize, width, r.lo as usize / 64)
        };
        out.regs = flat.regs.iter().map(reg).collect();
        for (node, n) in (0..).map(NodeId).zip(flat.graph.nodes()) {
            if let Op::Tap { site, lo, of } = n.op {
                out.taps.push(Tap {
                    node,
                    of,
                    lo,
                    width: n.width,
                    at: out.sites[site as usize],
                    bytes: bytes(flat.sites[site as usize].width as usize) as u32,
                });
            }
        }
        out
    }

    /// A piece of a register.
    pub fn reg(&self, reg: RegId) -> Place {
        self.regs[reg.0 as usize]
    }

    /// A memory.
    pub fn mem(&self, mem: MemId) -> Words {
        self.mems[mem.0 as usize]
    }

    /// Bits from `64 * word` of a port.
    pub fn port(&self, flat: &Flat, port: u32, word: u32) -> Place {
        let at = self.ports[port as usize] as usize;
        Place::piece(at, flat.ports[port as usize].width, word as usize)
    }
}

impl Tap {
    /// Its bits of one of the values at the output: the output itself (0), `keep` (1), `flip` (2).
    pub fn load(&self, state: &[u8], which: u32) -> u64 {
        let at = (self.at + which * self.bytes) as usize;
        let bytes = &state[at..at + self.bytes as usize];
        let bit = |i: u32| u64::from(bytes[i as usize / 8] >> (i % 8) & 1);
        if self.lo % 8 == 0 {
            let first = self.lo as usize / 8;
            let end = (first + 8).min(bytes.len());
            let fold = |v: u64, b: &u8| v << 8 | u64::from(*b);
            return bytes[first..end].iter().rev().fold(0, fold) & mask(self.width);
        }
        (0..u32::from(self.width)).fold(0, |v, i| v | bit(self.lo + i) << i)
    }

    /// Puts its bits of the output.
    pub fn store(&self, state: &mut [u8], value: u64) {
        let at = self.at as usize;
        let bytes = &mut state[at..at + self.bytes as usize];
        // An output of a bit, as the pins of gates are.
        if bytes.len() == 1 && self.width == 1 {
            bytes[0] = value as u8;
            return;
        }
        // The first byte and the bits of others in it; the rest goes byte by byte.
        let (mut value, mut bit, mut left) = (value, self.lo, u32::from(self.width));
        while left > 0 {
            let (low, n) = (bit % 8, left.min(8 - bit % 8));
            let ones = (((1u32 << n) - 1) << low) as u8;
            let byte = &mut bytes[bit as usize / 8];
            *byte = *byte & !ones | (value << low) as u8 & ones;
            value = value.checked_shr(n).unwrap_or(0);
            bit += n;
            left -= n;
        }
    }
}
