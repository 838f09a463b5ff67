//! Definedness: which bits of a run the program, or the launch, has written.
//!
//! Beside every bit of registers, flags, address registers, predicates, shared and local memory stands one
//! that says "undefined". At the start of a warp all of them are, but for what the launch defines; global
//! memory and constants are defined. An operation's undefined operands spread into its result ([`result`]).
//! Values are computed as ever: a run in which nothing is tracked does not know of any of this.
//!
//! Where an undefined value steers the program or leaves it, that is [`Found`]: a branch, an address, a store to
//! global memory. What follows counts as defined, so that one mistake is not told again and again.
//!
//! A model beside a chip ([`Beside`]) takes the chip's values for its undefined bits, before an instruction
//! where they decide what it does (guards, addresses, stored data), after it in what it wrote. So both go on
//! with the same values, and every defined bit is compared.

pub mod result;
pub(crate) mod sm10;

use crate::record::Lanes;
use std::fmt;
use warpsmith_isa::{Isa, WARP_SIZE};

/// What a chip did in the instruction that the model executes next.
#[derive(Clone, Copy, Debug)]
pub struct Beside<'a> {
    /// Lanes that executed it.
    pub exec: u32,
    /// Byte addresses of its load or store.
    pub address: &'a Lanes,
    /// Data it stored, by pass.
    pub data: &'a [Lanes; 4],
    /// Values it wrote, by pass; `None` where they come later.
    pub values: Option<&'a [Lanes; 4]>,
    /// What its lanes computed in the first pass, whether or not it was written.
    pub lane: &'a Lanes,
    /// Flags it wrote; bits 0 and 1 are the predicates' in sets that have them.
    pub flags: &'a [u8; WARP_SIZE],
    /// The address register it stepped.
    pub post_increment: &'a Lanes,
}

/// Where undefined bits come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Nobody knows.
    #[default]
    Unknown,
    /// A general register: its number; of 16 bits, its byte.
    Register(u16, Option<u8>),
    /// A general register that an instruction gave up: its number.
    Discarded(u16),
    /// A flag register.
    Flags(u8),
    /// An address register.
    Address(u8),
    /// A predicate.
    Predicate(u8),
    /// An accumulator.
    Accumulator,
    /// Shared memory at a byte address.
    Shared(u32),
    /// Local memory at a byte address.
    Local(u32),
}

impl Origin {
    /// As a program of an instruction set names it.
    pub fn name(self, isa: Isa) -> String {
        let (general, flag) = match isa {
            Isa::Ivb => ("g", "f"),
            Isa::G13 => ("r", "f"),
            Isa::Sm10 | Isa::Fermi => ("R", "C"),
        };
        match self {
            Origin::Unknown => "a register".into(),
            Origin::Register(n, None) | Origin::Discarded(n) => format!("{general}{n}"),
            Origin::Register(n, Some(byte)) => {
                format!("{general}{n}{}", if byte & 2 == 0 { 'l' } else { 'h' })
            }
            Origin::Flags(n) => format!("{flag}{n}"),
            Origin::Address(n) if isa == Isa::Ivb => format!("a{n}"),
            Origin::Address(n) => format!("A{n}"),
            Origin::Predicate(n) => format!("P{n}"),
            Origin::Accumulator => "the accumulator".into(),
            Origin::Shared(at) => format!("byte 0x{at:x} of shared memory"),
            Origin::Local(at) => format!("byte 0x{at:x} of local memory"),
        }
    }
}

/// What an undefined value is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Use {
    /// Whether, or where, threads branch.
    Branch,
    /// The address of a load, a store or an operand.
    Address,
    /// What is stored to global memory, or whether it is.
    Store,
}

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Use::Branch => "branch",
            Use::Address => "address",
            Use::Store => "store to global memory",
        })
    }
}

/// A place in a program that depends on a value which the program never wrote, and where it was seen first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Byte address of the instruction.
    pub pc: u32,
    /// What for.
    pub used: Use,
    /// Where the value comes from.
    pub origin: Origin,
    /// The instruction reads that itself.
    pub direct: bool,
    /// Block index in the grid, `x, y`.
    pub ctaid: [u32; 2],
    /// Warp within the block.
    pub warp: u32,
    /// Thread of the warp.
    pub lane: u32,
}

impl Found {
    /// `the branch reads R6, which the program never wrote`, with block, warp and lane.
    pub fn text(&self, isa: Isa) -> String {
        let [x, y] = self.ctaid;
        format!(
            "the {} {} {}, which the program {} (block ({x}, {y}), warp {}, lane {})",
            self.used,
            if self.direct { "reads" } else { "depends on" },
            self.origin.name(isa),
            match self.origin {
                Origin::Discarded(_) => "has discarded",
                _ => "never wrote",
            },
            self.warp,
            self.lane
        )
    }
}

/// Places found, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places(Vec<Found>);

impl Places {
    /// Adds a place that is not yet there.
    pub fn add(&mut self, found: Found) {
        let known = |f: &Found| (f.pc, f.used) == (found.pc, found.used);
        if !self.0.iter().any(known) {
            self.0.push(found);
        }
    }

    /// Adds those of another run, or block.
    pub fn merge(&mut self, other: &Places) {
        other.0.iter().for_each(|f| self.add(*f));
    }

    /// All of them, in the order they were found.
    pub fn list(&self) -> &[Found] {
        &self.0
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Undefined bits of a memory.
#[derive(Clone, Debug)]
pub(crate) struct MemoryBits {
    bytes: Vec<u8>,
    /// Where undefined bits that a program stored come from, by the byte address of their word.
    stored: std::collections::BTreeMap<u32, Origin>,
}

impl MemoryBits {
    /// Nothing of it is defined.
    pub fn new(bytes: usize) -> Self {
        MemoryBits { bytes: vec![u8::MAX; bytes], stored: Default::default() }
    }

    /// The first bytes are defined.
    pub fn define(&mut self, bytes: usize) {
        let end = bytes.min(self.bytes.len());
        self.bytes[..end].fill(0);
    }

    /// Undefined bits of `size` bytes (at most 8); bytes outside are defined.
    pub fn load(&self, at: usize, size: usize) -> u64 {
        match self.bytes.get(at..at.saturating_add(size)) {
            Some(b) => b.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b)),
            None => 0,
        }
    }

    /// Stores undefined bits of `size` bytes; `origin`: where they come from.
    pub fn store(&mut self, at: usize, size: usize, bits: u64, origin: Origin) {
        if let Some(to) = self.bytes.get_mut(at..at.saturating_add(size)) {
            to.copy_from_slice(&bits.to_le_bytes()[..size]);
            if bits != 0 && origin != Origin::Unknown {
                self.stored.insert(at as u32 & !3, origin);
            }
        }
    }

    /// Where undefined bits at an address come from; `here`: the memory itself.
    pub fn origin(&self, at: usize, here: Origin) -> Origin {
        let stored = self.stored.get(&(at as u32 & !3));
        stored.copied().unwrap_or(here)
    }
}

/// What a step needs to follow undefined bits.
pub struct Tracking<'a> {
    /// Undefined bits of shared memory.
    pub(crate) shared: &'a mut MemoryBits,
    /// What was found.
    pub(crate) places: &'a mut Places,
    /// What a chip did.
    pub(crate) beside: Option<&'a Beside<'a>>,
}
