//! The memory behind the chip's port, as a faulty machine has it: what differs from the fault-free run's.
//!
//! The memory of a campaign is ideal: it takes a request in every cycle and answers a read in the next.

use super::graph::Graph;
use crate::golden::Golden;
use crate::resumable::MemoryDifferences;
use std::collections::{BTreeMap, HashMap};
use warpsmith_contract::ports::{self, ChipPort};
use warpsmith_model::launch::GlobalSection;
use warpsmith_netlist::flat::Flat;

/// The port's signals by their nodes.
#[derive(Debug)]
pub struct Signals {
    valid: u32,
    write: u32,
    address: u32,
    data: Vec<u32>,
    mask: Vec<u32>,
    /// Inputs that nothing reads have no node.
    answered: Option<u32>,
    answer: Vec<Option<u32>>,
    /// 32-bit words of a line.
    words: u32,
}

/// The nodes of an output of the chip, 64 bits each.
pub fn output(flat: &Flat, port: ChipPort) -> Option<Vec<u32>> {
    let number = flat.ports.iter().position(|p| p.name == port.name)?;
    let found = flat.outputs.iter().find(|o| o.0 as usize == number)?;
    Some(found.1.iter().map(|n| n.0).collect())
}

impl Signals {
    /// `None`: a chip without them.
    pub fn of(flat: &Flat, graph: &Graph) -> Option<Self> {
        let one = |port| output(flat, port)?.first().copied();
        let input = |port: ChipPort| {
            let number = flat.ports.iter().position(|p| p.name == port.name)?;
            let width = flat.ports[number].width;
            let node = |piece: usize| {
                let same = |i: &&(u32, u32, u32)| (i.1 as usize, i.2 as usize) == (number, piece);
                graph.inputs.iter().find(same).map(|i| i.0)
            };
            Some((width, (0..width.div_ceil(64)).map(node).collect::<Vec<_>>()))
        };
        let (width, answer) = input(ports::MEM_RDATA)?;
        Some(Signals {
            valid: one(ports::MEM_VALID)?,
            write: one(ports::MEM_WRITE)?,
            address: one(ports::MEM_ADDRESS)?,
            data: output(flat, ports::MEM_WDATA)?,
            mask: output(flat, ports::MEM_WMASK)?,
            answered: input(ports::MEM_RVALID)?.1[0],
            answer,
            words: (width / 32).max(1) as u32,
        })
    }

    /// The nodes that a request is made of.
    pub fn request_nodes(&self) -> impl Iterator<Item = u32> + '_ {
        let one = [self.valid, self.write, self.address];
        one.into_iter().chain(self.data.iter().chain(&self.mask).copied())
    }

    /// The request that the values of a cycle make.
    pub fn request(&self, v: &[u64]) -> Request {
        let on = |node: u32| v[node as usize] != 0;
        if !on(self.valid) {
            return Request::None;
        }
        let line = v[self.address as usize] as u32 & !(4 * self.words - 1);
        if !on(self.write) {
            return Request::Read(line);
        }
        let bits = |nodes: &[u32], lo: u32| v[nodes[lo as usize / 64] as usize] >> (lo % 64);
        let word = |w: u32| {
            let mask = bits(&self.mask, 4 * w) as u32 & 15;
            let data = bits(&self.data, 32 * w) as u32;
            (mask != 0).then(|| (line.wrapping_add(4 * w), bytes(mask), data))
        };
        Request::Write((0..self.words).filter_map(word).collect())
    }
}

/// The bits of the bytes of a mask.
fn bytes(mask: u32) -> u32 {
    let set = (0..4).filter(|b| mask >> b & 1 != 0);
    set.fold(0, |all, b| all | 0xff << (8 * b))
}

/// What the chip asks of the memory in a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Request {
    /// Nothing.
    #[default]
    None,
    /// The line at a byte address.
    Read(u32),
    /// Words: byte address, bits written, data.
    Write(Vec<(u32, u32, u32)>),
}

/// The memory of the fault-free run.
#[derive(Debug)]
pub struct Memory<'a> {
    launch: &'a [GlobalSection],
    written: HashMap<u32, u32>,
    /// Line that is answered in this cycle.
    pub pending: Option<Vec<u32>>,
    /// The line at the inputs.
    pub shown: Vec<u32>,
    words: u32,
}

impl<'a> Memory<'a> {
    /// At the start of the kernel, with a line at the inputs.
    pub fn new(golden: &'a Golden, signals: &Signals, shown: Vec<u32>) -> Self {
        Memory { launch: &golden.launch().globals, written: HashMap::new(), pending: None, shown, words: signals.words }
    }

    /// The word at a byte address.
    pub fn word(&self, address: u32) -> u32 {
        if let Some(word) = self.written.get(&address) {
            return *word;
        }
        let byte = |at: u64| {
            // What is loaded last stands.
            let holds = |g: &&GlobalSection| (g.offset..g.offset + g.bytes.len() as u64).contains(&at);
            let section = self.launch.iter().rev().find(holds);
            section.map_or(0, |g| g.bytes[(at - g.offset) as usize])
        };
        let at = u64::from(address);
        u32::from_le_bytes([byte(at), byte(at + 1), byte(at + 2), byte(at + 3)])
    }

    /// The next cycle: answers what waits, and takes a request.
    pub fn take(&mut self, request: &Request) {
        let next = self.answer(request, |a| self.word(a));
        if let Some(line) = std::mem::replace(&mut self.pending, next) {
            self.shown = line;
        }
        if let Request::Write(words) = request {
            for &(address, mask, data) in words {
                let old = self.word(address);
                self.written.insert(address, old & !mask | data & mask);
            }
        }
    }

    fn answer(&self, request: &Request, word: impl Fn(u32) -> u32) -> Option<Vec<u32>> {
        match request {
            Request::Read(line) => Some((0..self.words).map(|w| word(line.wrapping_add(4 * w))).collect()),
            _ => None,
        }
    }
}

/// The memory of a faulty machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surroundings {
    /// Line that is answered in this cycle.
    pub pending: Option<Vec<u32>>,
    shown: Vec<u32>,
    /// Words that differ from the fault-free run's, by byte address.
    pub words: BTreeMap<u32, u32>,
}

impl Surroundings {
    /// As the fault-free run has them once the inputs of a cycle are set.
    pub fn of(memory: &Memory) -> Self {
        Surroundings { pending: memory.pending.clone(), shown: memory.shown_next().to_vec(), words: BTreeMap::new() }
    }

    /// The inputs of this cycle, node and value.
    pub fn drive(&mut self, signals: &Signals, mut set: impl FnMut(u32, u64)) {
        if let Some(line) = &self.pending {
            self.shown.clone_from(line);
        }
        if let Some(node) = signals.answered {
            set(node, self.pending.is_some().into());
        }
        for (node, words) in signals.answer.iter().zip(self.shown.chunks(2)) {
            if let Some(node) = node {
                let high = words.get(1).copied().unwrap_or(0);
                set(*node, u64::from(high) << 32 | u64::from(words[0]));
            }
        }
    }

    /// What differs in this cycle, for serial simulation.
    pub fn differences(&self) -> MemoryDifferences {
        MemoryDifferences {
            words: self.words.iter().map(|(a, w)| (*a, *w)).collect(),
            waits: self.pending.clone(),
            shown: self.shown.clone(),
        }
    }

    /// The word at a byte address, `right` being the fault-free run's memory.
    fn word(&self, right: &Memory, address: u32) -> u32 {
        let own = self.words.get(&address).copied();
        own.unwrap_or_else(|| right.word(address))
    }

    /// The next cycle: `mine` is the machine's request, `other` that of the fault-free run, whose memory `right`
    /// has not taken it yet. Says whether anything still differs.
    pub fn take(&mut self, mine: &Request, other: &Request, right: &Memory) -> bool {
        self.pending = right.answer(mine, |a| self.word(right, a));
        let writes = |r: &Request| match r {
            Request::Write(words) => words.clone(),
            _ => vec![],
        };
        let (mine, theirs) = (writes(mine), writes(other));
        let new = |list: &[(u32, u32, u32)], address: u32, old: u32| {
            let at = list.iter().find(|w| w.0 == address);
            at.map_or(old, |(_, mask, data)| old & !mask | data & mask)
        };
        // Both values of every word that either writes, before any is changed.
        let both = |&(address, _, _): &(u32, u32, u32)| {
            let faulty = new(&mine, address, self.word(right, address));
            (address, faulty, new(&theirs, address, right.word(address)))
        };
        let after: Vec<_> = mine.iter().chain(&theirs).map(both).collect();
        for (address, faulty, fault_free) in after {
            if faulty == fault_free {
                self.words.remove(&address);
            } else {
                self.words.insert(address, faulty);
            }
        }
        let answered = right.answer(other, |a| right.word(a));
        let same_inputs = self.pending == answered && (self.pending.is_some() || self.shown == right.shown_next());
        !(self.words.is_empty() && same_inputs)
    }
}

impl Memory<'_> {
    /// The line at the inputs once this cycle is over.
    fn shown_next(&self) -> &[u32] {
        self.pending.as_deref().unwrap_or(&self.shown)
    }
}
