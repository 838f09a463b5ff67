//! The flat netlist as differences travel through it: what each node computes, who reads it, what follows from it.

use warpsmith_netlist::flat::{Flat, Kind, NodeId, Op, Packed, PartList};

/// A list of numbers for each node.
#[derive(Debug)]
pub struct Lists {
    start: Vec<u32>,
    to: Vec<u32>,
}

impl Lists {
    fn of(nodes: usize, mut pairs: Vec<(u32, u32)>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let mut start = vec![0; nodes + 1];
        for (from, _) in &pairs {
            start[*from as usize + 1] += 1;
        }
        for i in 0..nodes {
            start[i + 1] += start[i];
        }
        let to = pairs.into_iter().map(|p| p.1).collect();
        Lists { start, to }
    }

    /// Removes the entries of a node.
    pub fn forget(&mut self, node: u32) {
        let n = node as usize;
        let gone = self.start[n]..self.start[n + 1];
        self.to.drain(gone.start as usize..gone.end as usize);
        let after = self.start[n + 1..].iter_mut();
        after.for_each(|s| *s -= gone.end - gone.start);
    }

    /// The entries of a node.
    #[inline(always)]
    pub fn of_node(&self, node: u32) -> &[u32] {
        let n = node as usize;
        &self.to[self.start[n] as usize..self.start[n + 1] as usize]
    }
}

/// A piece of a register.
#[derive(Clone, Copy, Debug)]
pub struct Register {
    /// The node that is its value.
    pub node: u32,
    /// The node that is its next value.
    pub next: u32,
}

/// A place where a memory is read, 64 bits wide at most.
#[derive(Clone, Copy, Debug)]
pub struct ReadPort {
    pub node: u32,
    pub address: u32,
    pub piece: u32,
}

/// A place where a memory is written.
#[derive(Clone, Copy, Debug)]
pub struct WritePort {
    pub enable: u32,
    pub address: u32,
    pub data: u32,
    pub mask: u64,
    pub piece: u32,
}

/// A memory.
#[derive(Debug)]
pub struct Memory {
    /// Its site; none for constants.
    pub site: Option<u32>,
    pub depth: u32,
    /// 64-bit pieces of a word.
    pub pieces: u32,
    /// Its first piece among those of all memories.
    first: u32,
    pub reads: Vec<ReadPort>,
    pub writes: Vec<WritePort>,
}

impl Memory {
    /// A piece of a word among those of all memories; none beyond the depth.
    #[inline(always)]
    pub fn at(&self, address: u64, piece: u32) -> Option<usize> {
        let at = |a: u32| (self.first + a * self.pieces + piece) as usize;
        (address < self.depth.into()).then(|| at(address as u32))
    }
}

/// 64 bits of a site: where its bits stand.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// Register or tap.
    pub node: u32,
    /// First bit in the site.
    pub lo: u32,
    pub width: u8,
}

/// The netlist.
#[derive(Debug)]
pub struct Graph {
    /// By rank: the number of a node, and operands have smaller ones. Of a register `b` is the site, `c` the node of
    /// its next value.
    pub nodes: Vec<Packed>,
    parts: PartList,
    pub constants: Vec<(u32, u64)>,
    /// Inputs: node, port, which 64 bits.
    pub inputs: Vec<(u32, u32, u32)>,
    /// Computed nodes that read a node.
    pub readers: Lists,
    /// Registers (their nodes) that take a node's value next.
    pub feeds: Lists,
    /// Memories whose writes a node decides on.
    pub writes: Lists,
    pub registers: Vec<Register>,
    pub memories: Vec<Memory>,
    /// Pieces of registers and outputs of blocks, by site.
    pub pieces: Vec<Vec<Piece>>,
    /// Memory of a site.
    pub memory_of: Vec<Option<u32>>,
    /// 64-bit pieces of all memories.
    pub words: usize,
}

impl Graph {
    /// Of a flat chip with taps.
    pub fn of(flat: &Flat) -> Self {
        let nodes = flat.graph.nodes();
        let (mut readers, mut feeds, mut writes) = (vec![], vec![], vec![]);
        let mut memories: Vec<Memory> = vec![];
        let mut words = 0;
        let mut memory_of = vec![None; flat.sites.len()];
        for (m, mem) in (0..).zip(&flat.mems) {
            let pieces = mem.width.div_ceil(64);
            let port = |w: &warpsmith_netlist::flat::Write| WritePort {
                enable: w.enable.0,
                address: w.address.0,
                data: w.data.0,
                mask: w.mask,
                piece: w.word,
            };
            for w in &mem.writes {
                writes.extend([w.enable, w.address, w.data].map(|n| (n.0, m)));
            }
            memories.push(Memory {
                site: mem.site,
                depth: mem.depth,
                pieces,
                first: words,
                reads: vec![],
                writes: mem.writes.iter().map(port).collect(),
            });
            if let Some(site) = mem.site {
                memory_of[site as usize] = Some(m);
            }
            words += pieces * mem.depth;
        }
        let mut registers: Vec<Register> =
            flat.regs.iter().map(|r| Register { node: u32::MAX, next: r.next.0 }).collect();
        let mut out = Graph {
            nodes: vec![],
            parts: vec![],
            constants: vec![],
            inputs: vec![],
            readers: Lists::of(0, vec![]),
            feeds: Lists::of(0, vec![]),
            writes: Lists::of(nodes.len(), writes),
            registers: vec![],
            memories: vec![],
            pieces: vec![vec![]; flat.sites.len()],
            memory_of,
            words: words as usize,
        };
        for (n, node) in (0..).zip(nodes) {
            let made = out.node(flat, n, &mut registers, &mut memories);
            flat.graph.operands(node.op, |o| readers.push((o.0, n)));
            out.nodes.push(made);
        }
        for r in &registers {
            feeds.push((r.next, r.node));
        }
        out.readers = Lists::of(nodes.len(), readers);
        out.feeds = Lists::of(nodes.len(), feeds);
        (out.registers, out.memories) = (registers, memories);
        out
    }

    fn node(&mut self, flat: &Flat, n: u32, registers: &mut [Register], memories: &mut [Memory]) -> Packed {
        let node = flat.graph.node(NodeId(n));
        let mut made = Packed::of(&flat.graph, NodeId(n), &mut self.parts, |o| o.0);
        match node.op {
            Op::Const(v) => self.constants.push((n, v)),
            Op::Input { port, word } => self.inputs.push((n, port, word)),
            Op::Reg(r) => {
                let reg = &flat.regs[r.0 as usize];
                registers[r.0 as usize].node = n;
                self.pieces[reg.site as usize].push(Piece { node: n, lo: reg.lo, width: reg.width });
                (made.b, made.c) = (reg.site, reg.next.0);
            }
            Op::Read { mem, word, address } => {
                memories[mem.0 as usize].reads.push(ReadPort { node: n, address: address.0, piece: word });
            }
            Op::Tap { site, lo, .. } => {
                self.pieces[site as usize].push(Piece { node: n, lo, width: node.width });
            }
            _ => {}
        }
        made
    }

    /// Calls `f` for every operand of a node; some twice.
    pub fn operands(&self, n: u32, f: impl FnMut(u32)) {
        self.nodes[n as usize].operands(&self.parts, f);
    }

    /// The value of a computed node; `read` reads memories: number, address, which 64 bits.
    #[inline(always)]
    pub fn value(&self, n: u32, v: &[u64], read: impl FnOnce(u32, u64, u32) -> u64) -> u64 {
        let node = &self.nodes[n as usize];
        match node.kind {
            Kind::Leaf => v[n as usize],
            Kind::Read => read(node.b, v[node.a as usize], node.c),
            _ => node.value(&self.parts, |n| v[n as usize]),
        }
    }

    /// Whether an input of the chip decides on a node within the cycle.
    pub fn depends_on_inputs(&self, node: u32) -> bool {
        let mut seen = vec![false; self.nodes.len()];
        for (n, _, _) in &self.inputs {
            seen[*n as usize] = true;
        }
        for n in 0..=node {
            let mut any = seen[n as usize];
            self.operands(n, |o| any |= seen[o as usize]);
            seen[n as usize] = any;
        }
        seen[node as usize]
    }
}

/// Nodes to be computed, taken by rank.
#[derive(Debug)]
pub struct Dirty {
    bits: Vec<u64>,
    /// Which words of `bits` are not zero.
    top: Vec<u64>,
    /// No bit is set before this word of `top`.
    from: usize,
}

impl Dirty {
    /// None of so many nodes.
    pub fn new(nodes: usize) -> Self {
        let words = nodes.div_ceil(64);
        Dirty { bits: vec![0; words], top: vec![0; words.div_ceil(64)], from: 0 }
    }

    /// Marks a node; while nodes are taken, only one of a higher rank.
    #[inline(always)]
    pub fn mark(&mut self, node: u32) {
        let word = node as usize / 64;
        self.bits[word] |= 1 << (node % 64);
        self.top[word / 64] |= 1 << (word % 64);
    }

    /// Takes the node of the lowest rank.
    #[inline(always)]
    pub fn take(&mut self) -> Option<u32> {
        while let Some(top) = self.top.get_mut(self.from) {
            if *top == 0 {
                self.from += 1;
                continue;
            }
            let word = self.from * 64 + top.trailing_zeros() as usize;
            let bits = self.bits[word];
            self.bits[word] = bits & (bits - 1);
            if self.bits[word] == 0 {
                *top &= *top - 1;
            }
            return Some((word * 64) as u32 + bits.trailing_zeros());
        }
        self.from = 0;
        None
    }
}
