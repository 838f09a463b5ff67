//! The plain reading of a flat chip: every node in order, every cycle.

use super::chip::{Flat, Mem};
use super::node::{mask, MemId, NodeId, Op, RegId};
use super::packed::{Packed, PartList};
use std::borrow::Borrow;

/// A machine that evaluates every node of a [`Flat`] every cycle. Slow; what engines are compared with, and what runs
/// a block in rust-hdl's simulator.
#[derive(Clone, Debug)]
pub struct Evaluator<F> {
    flat: F,
    /// Values of the input ports, 64 bits at a time.
    inputs: Vec<Vec<u64>>,
    regs: Vec<u64>,
    /// Words of the memories: 64 bits at a time, all of a word side by side.
    mems: Vec<Vec<u64>>,
    /// The nodes, their operands by number.
    nodes: Vec<Packed>,
    parts: PartList,
    values: Vec<u64>,
}

impl<F: Borrow<Flat>> Evaluator<F> {
    /// A machine with all inputs, registers and memories zero; constant memories hold their words.
    pub fn new(chip: F) -> Self {
        let flat = chip.borrow();
        let words = |width: usize| width.div_ceil(64);
        let mem = |m: &Mem| {
            let mut list = vec![0; m.depth as usize * words(m.width as usize)];
            // Constants have at most 64 bits.
            list[..m.words.len()].copy_from_slice(&m.words);
            list
        };
        let mut parts = vec![];
        let ids = (0..flat.graph.nodes().len() as u32).map(NodeId);
        Self {
            nodes: ids.map(|id| Packed::of(&flat.graph, id, &mut parts, |n| n.0)).collect(),
            parts,
            inputs: flat.ports.iter().map(|p| vec![0; words(p.width)]).collect(),
            regs: vec![0; flat.regs.len()],
            mems: flat.mems.iter().map(mem).collect(),
            values: vec![0; flat.graph.nodes().len()],
            flat: chip,
        }
    }

    /// Drives word `word` (64 bits) of an input port; bits beyond its width are dropped.
    pub fn drive(&mut self, port: usize, word: usize, value: u64) {
        let width = self.flat.borrow().ports[port].width - 64 * word;
        self.inputs[port][word] = value & mask(width.min(64) as u8);
    }

    /// Sets a piece of a register.
    pub fn set_reg(&mut self, reg: RegId, value: u64) {
        let i = reg.0 as usize;
        self.regs[i] = value & mask(self.flat.borrow().regs[i].width);
    }

    /// A piece of a register.
    pub fn reg(&self, reg: RegId) -> u64 {
        self.regs[reg.0 as usize]
    }

    /// Sets 64 bits of a memory's word.
    pub fn set_mem(&mut self, mem: MemId, address: usize, word: usize, value: u64) {
        let m = &self.flat.borrow().mems[mem.0 as usize];
        let width = m.width as usize - 64 * word;
        let at = address * (m.width as usize).div_ceil(64) + word;
        self.mems[mem.0 as usize][at] = value & mask(width.min(64) as u8);
    }

    /// 64 bits of a memory's word.
    pub fn mem(&self, mem: MemId, address: usize, word: usize) -> u64 {
        let words = (self.flat.borrow().mems[mem.0 as usize].width as usize).div_ceil(64);
        self.mems[mem.0 as usize][address * words + word]
    }

    /// The value of a node, as of the last [`Evaluator::settle`].
    pub fn value(&self, node: NodeId) -> u64 {
        self.values[node.0 as usize]
    }

    /// Computes every node from inputs, registers and memories.
    pub fn settle(&mut self) {
        let flat = self.flat.borrow();
        for (i, (packed, node)) in self.nodes.iter().zip(flat.graph.nodes()).enumerate() {
            let v = |n: u32| self.values[n as usize];
            self.values[i] = match node.op {
                Op::Const(c) => c,
                Op::Input { port, word } => self.inputs[port as usize][word as usize],
                Op::Reg(r) => self.regs[r.0 as usize],
                Op::Read { mem, word, address } => {
                    let words = (flat.mems[mem.0 as usize].width as usize).div_ceil(64);
                    let at = usize::try_from(v(address.0)).unwrap_or(usize::MAX);
                    let at = at.saturating_mul(words).saturating_add(word as usize);
                    let mem = &self.mems[mem.0 as usize];
                    mem.get(at).copied().unwrap_or(0) & mask(node.width)
                }
                _ => packed.value(&self.parts, v),
            };
        }
    }

    /// The clock edge: memories are written, then registers take their next values. [`Evaluator::settle`]
    /// comes before and after it.
    pub fn edge(&mut self) {
        let flat = self.flat.borrow();
        for (mem, state) in flat.mems.iter().zip(&mut self.mems) {
            let words = (mem.width as usize).div_ceil(64);
            for write in &mem.writes {
                let v = |n: NodeId| self.values[n.0 as usize];
                let address = v(write.address);
                if v(write.enable) != 0 && address < mem.depth.into() {
                    let word = &mut state[address as usize * words + write.word as usize];
                    *word = *word & !write.mask | v(write.data) & write.mask;
                }
            }
        }
        for (reg, state) in flat.regs.iter().zip(&mut self.regs) {
            *state = self.values[reg.next.0 as usize];
        }
    }
}
