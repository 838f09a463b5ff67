//! The fault-free run with the value of every node in each cycle.
//!
//! Its inputs are recorded once, on the engine; then it runs as often as it is needed, and computes only what
//! changes from cycle to cycle.

use super::graph::{self, Dirty, Graph, Piece};
use super::mutant::Mutant;
use super::port::{output, Memory, Request, Signals};
use super::trace::{Each, Trace};
use crate::error::FaultError;
use crate::golden::{Golden, DRAIN};
use crate::plan::Accesses;
use warpsmith_contract::{ports, registers as map, SiteKind};
use warpsmith_cosim::{Host, MemoryOptions, Stop};

/// Cycles from one look at all registers to the next. It is odd: a register that is inverted in every cycle is right
/// in every second one.
const LOOK: u64 = 7;

/// What all fault-free runs of a campaign share.
pub struct Reference<'a> {
    pub(super) golden: &'a Golden,
    pub(super) graph: Graph,
    pub(super) mutant: Option<Mutant>,
    pub(super) signals: Signals,
    /// The output `done`, a bit of the state.
    pub(super) done: u32,
    /// The output on which the host reads registers, state too.
    pub(super) bus: Vec<u32>,
    /// Registers by node and memory pieces in cycle 0.
    registers: Vec<(u32, u64)>,
    words: Vec<u64>,
    /// Inputs before cycle 0, in cycle 0, and so on, each as long as the graph's list of them.
    inputs: Vec<u64>,
    /// The line at the inputs before cycle 0.
    shown: Vec<u32>,
}

impl<'a> Reference<'a> {
    /// Records the run. After it the host reads the status register, as it does after every run.
    ///
    /// # Errors
    /// [`FaultError::Ask`]: the chip or the run is none that this simulator can do.
    pub fn new(golden: &'a Golden) -> Result<Self, FaultError> {
        Self::with(golden, None, (&[], &mut |_, _| {}))
    }

    /// Hands over the values of registers and outputs of blocks in every cycle, from cycle 0 until the chip has drained:
    /// the cycle, and 64 bits an element, the sites in their order, least significant element first. They are the values
    /// before the clock edge that ends the cycle.
    ///
    /// # Errors
    /// As [`Reference::new`]; [`FaultError::Ask`] too where a site is a memory.
    pub fn traced(golden: &'a Golden, sites: &[usize], each: &mut Each<'_>) -> Result<Self, FaultError> {
        Self::with(golden, None, (sites, each))
    }

    /// With a deliberate error, for tests.
    ///
    /// # Errors
    /// As [`Reference::new`]; [`FaultError::Control`] when the fault-free run shows the error.
    pub fn mutant(golden: &'a Golden, mutant: Mutant) -> Result<Self, FaultError> {
        Self::with(golden, Some(mutant), (&[], &mut |_, _| {}))
    }

    fn with(
        golden: &'a Golden, mutant: Option<Mutant>, (sites, each): (&[usize], &mut Each<'_>),
    ) -> Result<Self, FaultError> {
        let no = |what: &str| {
            FaultError::Ask(format!("the differential fault simulator cannot run this chip: {what}; run the campaign with --engine verilator"))
        };
        let flat = golden.flat().ok_or_else(|| no("it is not on the native engine"))?;
        if golden.options.memory != MemoryOptions::default() {
            return Err(no("its memory is not ideal"));
        }
        let graph = match mutant {
            Some(mutant) => mutant.graph(flat),
            None => Graph::of(flat),
        };
        let missing = || no("a port is missing");
        let signals = Signals::of(flat, &graph).ok_or_else(missing)?;
        let done = output(flat, ports::DONE).ok_or_else(missing)?[0];
        let bus = output(flat, ports::BUS_RDATA).ok_or_else(missing)?;
        if [&[done], &bus[..]].concat().iter().any(|n| graph.depends_on_inputs(*n)) {
            return Err(no("`done` or `bus_rdata` depends on its inputs"));
        }
        let mut out = Reference {
            golden,
            graph,
            mutant,
            signals,
            done,
            bus,
            registers: vec![],
            words: vec![],
            inputs: vec![],
            shown: vec![],
        };
        let mut host = golden.start(golden.quick_chip())?;
        out.take_state(&host);
        out.take_inputs(&host);
        let rdata = golden.chip().design().manifest().port(ports::MEM_RDATA.name).ok_or_else(missing)?;
        out.shown = (0..golden.chip().info().port_words as usize).map(|w| host.sim.get(rdata, w)).collect();
        let mut looks = vec![];
        for cycle in 1..=golden.cycles() + DRAIN {
            let ended = host.sim.run(1, true, u64::MAX) == Stop::Done;
            if ended != (cycle >= golden.cycles()) {
                return Err(FaultError::Control(format!(
                    "recorded again, the chip is {} in cycle {cycle}",
                    if ended { "done" } else { "not done" }
                )));
            }
            out.take_inputs(&host);
            if cycle % LOOK == 0 {
                let values = |site, p: &Piece| Self::piece(&host, site, 0, p.lo / 64);
                looks.push(out.digest(values));
            }
        }
        let manifest = golden.chip().design().manifest();
        let mut set = |port: ports::ChipPort, value: u32| -> Result<(), FaultError> {
            host.sim.set(manifest.port(port.name).ok_or_else(missing)?, 0, value);
            Ok(())
        };
        set(ports::BUS_VALID, 1)?;
        set(ports::BUS_WRITE, 0)?;
        set(ports::BUS_ADDRESS, map::STATUS.address)?;
        host.sim.run(1, false, u64::MAX);
        out.take_inputs(&host);
        host.sim.set(manifest.port(ports::BUS_VALID.name).ok_or_else(missing)?, 0, 0);
        host.sim.run(1, false, u64::MAX);
        out.take_inputs(&host);
        out.check(&host, &looks, Trace::new(golden.sites(), &out.graph, sites, each)?)?;
        Ok(out)
    }

    /// Last cycle of which the inputs are known: the one behind the host's reading.
    pub fn last(&self) -> u64 {
        self.golden.cycles() + DRAIN + 1
    }

    /// When the run reads and writes memories, by site; of what is none, nothing.
    pub fn accesses(&self) -> Vec<Option<Accesses>> {
        let mut all: Vec<Option<Accesses>> = vec![None; self.golden.sites().list().len()];
        let memories: Vec<(usize, &graph::Memory)> =
            self.graph.memories.iter().filter_map(|m| Some((m.site? as usize, m))).collect();
        for (site, memory) in &memories {
            all[*site] = Some(Accesses::new(memory.depth, memory.pieces));
        }
        let mut run = FaultFree::new(self);
        run.take_inputs();
        loop {
            for (site, memory) in &memories {
                let accesses = all[*site].as_mut().expect("made above");
                for a in run.accesses(memory) {
                    accesses.add(a.address as u32, a.piece, run.cycle, a.written);
                }
            }
            if run.cycle == self.last() {
                return all;
            }
            run.advance(false);
        }
    }

    /// 64 bits of a word of a site.
    fn piece(host: &Host, site: usize, word: u32, piece: u32) -> u64 {
        let words = host.sim.site_word(site, word);
        let at = |i: u32| words.get(i as usize).copied().unwrap_or(0);
        u64::from(at(2 * piece + 1)) << 32 | u64::from(at(2 * piece))
    }

    fn take_state(&mut self, host: &Host) {
        let sites = self.golden.sites().list().iter().enumerate();
        for (site, _) in sites.filter(|(_, s)| s.kind == SiteKind::Reg) {
            for p in &self.graph.pieces[site] {
                self.registers.push((p.node, Self::piece(host, site, 0, p.lo / 64)));
            }
        }
        self.words = vec![0; self.graph.words];
        let flat = self.golden.flat().expect("asked for before");
        for (memory, mem) in self.graph.memories.iter().zip(&flat.mems) {
            for address in 0..memory.depth {
                for piece in 0..memory.pieces {
                    let at = memory.at(address.into(), piece).expect("below the depth");
                    self.words[at] = match memory.site {
                        Some(site) => Self::piece(host, site as usize, address, piece),
                        None => mem.words.get(address as usize).copied().unwrap_or(0),
                    };
                }
            }
        }
    }

    fn take_inputs(&mut self, host: &Host) {
        for &(_, port, word) in &self.graph.inputs {
            let at = |w: u32| u64::from(host.sim.get(port as usize, w as usize));
            self.inputs.push(at(2 * word + 1) << 32 | at(2 * word));
        }
    }

    /// Inputs of cycle `cycle - 1`, so that 0 is what stood there before.
    fn inputs(&self, behind: u64) -> impl Iterator<Item = (u32, u64)> + '_ {
        let n = self.graph.inputs.len();
        let values = &self.inputs[behind as usize * n..][..n];
        self.graph.inputs.iter().map(|i| i.0).zip(values.iter().copied())
    }

    /// A number for the values of all registers.
    fn digest(&self, value: impl Fn(usize, &Piece) -> u64) -> u64 {
        let sites = self.golden.sites().list().iter().enumerate();
        let registers = sites.filter(|(_, s)| s.kind == SiteKind::Reg);
        let pieces = registers.flat_map(|(site, _)| self.graph.pieces[site].iter().map(move |p| (site, p)));
        pieces.fold(0, |all: u64, (site, p)| (all.rotate_left(5) ^ value(site, p)).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// Runs to the end and compares with the engine's run: the answers of the memory in every cycle, all registers
    /// by their digests `looks`, all state at the end.
    fn check(&self, host: &Host, looks: &[u64], mut trace: Trace) -> Result<(), FaultError> {
        let mut run = FaultFree::new(self);
        run.take_inputs();
        let bad =
            |what: String| Err(FaultError::Control(format!("the fault-free run of the differential simulator {what}")));
        while run.cycle <= self.last() {
            trace.show(run.cycle, &run.v);
            let done = run.v[self.done as usize] != 0;
            if done != (run.cycle >= self.golden.cycles()) {
                return bad(format!("is wrong about `done` in cycle {}", run.cycle));
            }
            let mut wrong = false;
            super::port::Surroundings::of(&run.memory).drive(&self.signals, |node, value| {
                wrong |= run.v[node as usize] != value;
            });
            if wrong {
                return bad(format!("has other inputs in cycle {}", run.cycle));
            }
            let look = (run.cycle / LOOK) as usize;
            if run.cycle % LOOK == 0 && look > 0 {
                let values = |_, p: &Piece| run.v[p.node as usize];
                if looks.get(look - 1).is_some_and(|l| *l != self.digest(values)) {
                    return bad(format!("has other registers in cycle {}", run.cycle));
                }
            }
            run.advance(run.cycle == self.last());
        }
        let sites = self.golden.sites().list().iter().enumerate();
        for (site, s) in sites {
            let same = match s.kind {
                SiteKind::Out => true,
                SiteKind::Reg => self.graph.pieces[site]
                    .iter()
                    .all(|p| run.v[p.node as usize] == Self::piece(host, site, 0, p.lo / 64)),
                SiteKind::Ram => {
                    let memory = &self.graph.memories[self.graph.memory_of[site].expect("a memory") as usize];
                    (0..s.depth).all(|a| {
                        (0..memory.pieces).all(|p| {
                            run.words[memory.at(a.into(), p).expect("below the depth")] == Self::piece(host, site, a, p)
                        })
                    })
                }
            };
            if !same {
                return bad(format!("differs at its end at {}", s.path));
            }
        }
        Ok(())
    }
}

/// 64 bits of a memory word that are read, or written where a bit is set.
pub struct Access {
    pub address: u64,
    pub piece: u32,
    pub written: Option<u64>,
}

/// A fault-free run in one of its cycles, everything computed.
pub struct FaultFree<'r> {
    reference: &'r Reference<'r>,
    pub cycle: u64,
    /// Values by node.
    pub v: Vec<u64>,
    /// Memory pieces.
    pub words: Vec<u64>,
    pub memory: Memory<'r>,
    /// The request of this cycle.
    pub request: Request,
    /// Nodes whose values are not those of the cycle before, a bit each.
    changed: Vec<u64>,
    pub dirty: Dirty,
    next: Vec<(u32, u64)>,
}

impl<'r> FaultFree<'r> {
    /// In cycle 0, before its inputs are taken.
    pub fn new(reference: &'r Reference<'r>) -> Self {
        let graph = &reference.graph;
        let nodes = graph.nodes.len();
        let mut run = FaultFree {
            reference,
            cycle: 0,
            v: vec![0; nodes],
            words: reference.words.clone(),
            memory: Memory::new(reference.golden, &reference.signals, reference.shown.clone()),
            request: Request::None,
            changed: vec![0; nodes.div_ceil(64)],
            dirty: Dirty::new(nodes),
            next: vec![],
        };
        for &(node, value) in graph.constants.iter().chain(&reference.registers) {
            run.v[node as usize] = value;
        }
        for (node, value) in reference.inputs(0) {
            run.v[node as usize] = value;
        }
        (0..nodes as u32).for_each(|n| run.dirty.mark(n));
        run.settle();
        run
    }

    /// With the inputs of this cycle; before, they are still those of the cycle before.
    pub fn take_inputs(&mut self) {
        for (node, value) in self.reference.inputs(self.cycle + 1) {
            self.set(node, value);
        }
        self.settle();
        self.request = self.reference.signals.request(&self.v);
    }

    /// What is read of a memory in this cycle, then what is written at its end.
    pub fn accesses<'m>(&'m self, memory: &'m graph::Memory) -> impl Iterator<Item = Access> + 'm {
        let v = |node: u32| self.v[node as usize];
        let reads = memory.reads.iter().map(move |r| Access { address: v(r.address), piece: r.piece, written: None });
        let writes = memory.writes.iter().filter(move |w| v(w.enable) != 0);
        let writes = writes.map(move |w| Access { address: v(w.address), piece: w.piece, written: Some(w.mask) });
        reads.chain(writes).filter(|a| a.address < memory.depth.into())
    }

    /// The value that a register takes next, by its node.
    pub fn next_of(&self, register: u32) -> u64 {
        self.v[self.reference.graph.nodes[register as usize].c as usize]
    }

    /// Whether a node's value is not that of the cycle before.
    #[inline(always)]
    pub fn has_changed(&self, node: u32) -> bool {
        self.changed[node as usize / 64] >> (node % 64) & 1 != 0
    }

    #[inline(always)]
    fn set(&mut self, node: u32, value: u64) {
        if self.v[node as usize] != value {
            self.v[node as usize] = value;
            self.changed[node as usize / 64] |= 1 << (node % 64);
            for &reader in self.reference.graph.readers.of_node(node) {
                self.dirty.mark(reader);
            }
        }
    }

    fn settle(&mut self) {
        let graph = &self.reference.graph;
        while let Some(n) = self.dirty.take() {
            let read = |mem: u32, address, piece| {
                let at = graph.memories[mem as usize].at(address, piece);
                at.map_or(0, |at| self.words[at])
            };
            let value = graph.value(n, &self.v, read);
            self.set(n, value);
        }
    }

    /// Goes to the next cycle; `settle`: the logic settles before the inputs change, for those who look at it then
    /// and call [`FaultFree::take_inputs`].
    pub fn advance(&mut self, settle: bool) {
        let graph = &self.reference.graph;
        self.changed.fill(0);
        for memory in &graph.memories {
            for w in &memory.writes {
                let address = self.v[w.address as usize];
                let at = match self.v[w.enable as usize] {
                    0 => None,
                    _ => memory.at(address, w.piece),
                };
                let Some(at) = at else { continue };
                self.words[at] = self.words[at] & !w.mask | self.v[w.data as usize] & w.mask;
                for r in memory.reads.iter().filter(|r| self.v[r.address as usize] == address) {
                    self.dirty.mark(r.node);
                }
            }
        }
        let request = std::mem::take(&mut self.request);
        self.memory.take(&request);
        let mut next = std::mem::take(&mut self.next);
        let values = graph.registers.iter().map(|r| (r, self.v[r.next as usize]));
        next.extend(values.filter(|(r, x)| self.v[r.node as usize] != *x).map(|(r, x)| (r.node, x)));
        for (node, value) in next.drain(..) {
            self.set(node, value);
        }
        self.next = next;
        self.cycle += 1;
        if settle {
            self.settle();
        } else {
            self.take_inputs();
        }
    }
}
