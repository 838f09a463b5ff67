//! One cycle of one faulty machine: its differences are laid over the values of the fault-free run, what they
//! reach is computed by rank, its next differences are read off, and the values are put back.

use super::fault_free::{FaultFree, Reference};
use super::graph::Graph;
use super::machine::{Machine, Place, Rest, Word};
use super::port::{Request, Surroundings};
use warpsmith_netlist::flat::Kind;

/// Nodes computed in a cycle above which a machine that repeats itself is not looked at closely.
const SUPPORT: usize = 150;

/// Room that all machines share.
#[derive(Debug, Default)]
pub struct Evaluator {
    /// Nodes that differ, and their fault-free values.
    log: Vec<(u32, u64)>,
    evaluated: Vec<u32>,
    before: Vec<(u32, u64)>,
    words_before: Vec<Word>,
    /// Memories that are written otherwise than in the fault-free run, perhaps.
    written: Vec<u32>,
    writes: Vec<Written>,
    /// A node is part of a request to the memory.
    asks: Vec<bool>,
    /// For [`Support`].
    stamps: Vec<u64>,
    stamp: u64,
}

/// A write of a faulty machine.
#[derive(Clone, Copy, Debug)]
struct Written {
    memory: u32,
    address: u32,
    piece: u32,
    mask: u64,
    data: u64,
}

/// What was seen of a machine in a cycle.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// The output `done` differs where that is watched: the machine has stayed in the cycle.
    pub leaves: bool,
    /// What the host reads on the bus.
    pub bus: u64,
    /// Nodes computed.
    pub computed: usize,
}

impl Evaluator {
    /// For the machines of a reference.
    pub fn new(reference: &Reference) -> Self {
        let mut asks = vec![false; reference.graph.nodes.len()];
        for node in reference.signals.request_nodes() {
            asks[node as usize] = true;
        }
        Evaluator { stamps: vec![0; asks.len()], asks, ..Evaluator::default() }
    }

    /// Takes a machine through the cycle of `run` to the next one, unless `watched` and its `done` differs from the
    /// fault-free run's. `open`: no saboteur acts any more; nor does any fault in the next cycle if `last`.
    pub fn cycle(
        &mut self, reference: &Reference, run: &mut FaultFree, m: &mut Machine, watched: bool, open: bool, last: bool,
    ) -> Seen {
        let graph = &reference.graph;
        let cycle = run.cycle;
        self.log.clear();
        self.evaluated.clear();
        self.before.clear();
        self.before.extend(&m.registers);
        self.words_before.clear();
        self.words_before.extend(&m.words);
        for i in 0..m.registers.len() {
            let (node, value) = m.registers[i];
            self.lay(run, graph, node, value);
        }
        if let Some(port) = &mut m.port {
            port.drive(&reference.signals, |node, value| {
                self.lay(run, graph, node, value);
            });
        }
        for w in &m.words {
            for r in &graph.memories[w.memory as usize].reads {
                if r.piece == w.piece && run.v[r.address as usize] == u64::from(w.address) {
                    run.dirty.mark(r.node);
                }
            }
        }
        let sabotaged = !open && m.own.is_none() && m.fault.acts(cycle);
        if sabotaged {
            for t in &m.targets {
                if let Place::Tap(node) = t.place {
                    run.dirty.mark(node);
                }
            }
        }
        self.compute(graph, run, m, sabotaged);
        let bus = reference.bus.first().map_or(0, |n| run.v[*n as usize]);
        let done = run.v[reference.done as usize] != 0;
        let otherwise = done != (cycle >= reference.golden.cycles());
        let seen = Seen { leaves: watched && otherwise, bus, computed: self.evaluated.len() };
        if seen.leaves {
            self.put_back(run);
            return seen;
        }
        let asks = m.port.is_some() || self.log.iter().any(|(n, _)| self.asks[*n as usize]);
        let request = asks.then(|| reference.signals.request(&run.v));
        self.next(graph, run, m);
        // From here on the values are those of the fault-free run again.
        let touched = self.store(graph, run, m);
        let asked = self.ask(run, m, request.as_ref());
        if request.is_some() && !asked {
            // The same request, as long as none of what makes it changes.
            let nodes = reference.signals.request_nodes();
            self.evaluated.extend(nodes.filter(|n| graph.nodes[*n as usize].kind != Kind::Leaf));
        }
        if !last {
            let right = |place| right_next(graph, run, place);
            m.force(cycle + 1, right);
        }
        self.rest(graph, run, m, touched || asked || otherwise);
        seen
    }

    /// Gives a node another value.
    fn lay(&mut self, run: &mut FaultFree, graph: &Graph, node: u32, value: u64) {
        let right = std::mem::replace(&mut run.v[node as usize], value);
        if right != value {
            self.log.push((node, right));
            for &reader in graph.readers.of_node(node) {
                run.dirty.mark(reader);
            }
        }
    }

    fn compute(&mut self, graph: &Graph, run: &mut FaultFree, m: &mut Machine, sabotaged: bool) {
        while let Some(n) = run.dirty.take() {
            self.evaluated.push(n);
            let read = |mem: u32, address: u64, piece: u32| {
                let own = m.words.iter();
                let mut own = own.filter(|w| (w.memory, w.piece) == (mem, piece));
                if let Some(w) = own.find(|w| u64::from(w.address) == address) {
                    return w.value;
                }
                let at = graph.memories[mem as usize].at(address, piece);
                at.map_or(0, |at| run.words[at])
            };
            let mut value = graph.value(n, &run.v, read);
            if sabotaged && graph.nodes[n as usize].kind == Kind::Tap {
                for t in m.targets.iter().filter(|t| t.place == Place::Tap(n)) {
                    let forced = value & !t.mask | t.value;
                    if forced != value {
                        m.activated = m.activated.or(Some(run.cycle));
                    }
                    value = forced;
                }
            }
            self.lay(run, graph, n, value);
        }
    }

    /// Reads off the next registers and the writes of memories, and puts the values back.
    fn next(&mut self, graph: &Graph, run: &mut FaultFree, m: &mut Machine) {
        m.registers.clear();
        self.written.clear();
        self.writes.clear();
        for &(node, _) in &self.log {
            let value = run.v[node as usize];
            let feeds = graph.feeds.of_node(node).iter();
            m.registers.extend(feeds.map(|r| (*r, value)));
            for memory in graph.writes.of_node(node) {
                if !self.written.contains(memory) {
                    self.written.push(*memory);
                }
            }
        }
        for &memory in &self.written {
            for w in &graph.memories[memory as usize].writes {
                let address = run.v[w.address as usize];
                let depth = graph.memories[memory as usize].depth;
                if run.v[w.enable as usize] != 0 && address < depth.into() {
                    self.writes.push(Written {
                        memory,
                        address: address as u32,
                        piece: w.piece,
                        mask: w.mask,
                        data: run.v[w.data as usize],
                    });
                }
            }
        }
        self.put_back(run);
    }

    /// Makes the values those of the fault-free run again.
    fn put_back(&self, run: &mut FaultFree) {
        for &(node, right) in &self.log {
            run.v[node as usize] = right;
        }
    }

    /// Performs the writes of both machines on the words that either writes; says whether there are any.
    fn store(&mut self, graph: &Graph, run: &FaultFree, m: &mut Machine) -> bool {
        // The writes of the fault-free run hit words that differ, too.
        let fault_free = |memory: u32| {
            let writes = graph.memories[memory as usize].writes.iter();
            writes.filter_map(move |w| {
                let address = run.v[w.address as usize];
                let depth = graph.memories[memory as usize].depth;
                let on = run.v[w.enable as usize] != 0 && address < depth.into();
                on.then(|| Written {
                    memory,
                    address: address as u32,
                    piece: w.piece,
                    mask: w.mask,
                    data: run.v[w.data as usize],
                })
            })
        };
        let log_says = self.written.len();
        for w in &self.words_before {
            if !self.written.contains(&w.memory) && fault_free(w.memory).any(|f| w.is(f.memory, f.address, f.piece)) {
                self.written.push(w.memory);
                self.writes.extend(fault_free(w.memory));
            }
        }
        debug_assert!(log_says <= self.written.len());
        for &memory in &self.written {
            let mine: Vec<Written> = self.writes.iter().copied().filter(|w| w.memory == memory).collect();
            let theirs: Vec<Written> = fault_free(memory).collect();
            let mut places: Vec<(u32, u32)> = mine.iter().chain(&theirs).map(|w| (w.address, w.piece)).collect();
            places.sort_unstable();
            places.dedup();
            for (address, piece) in places {
                let at = graph.memories[memory as usize].at(address.into(), piece);
                let right = at.map_or(0, |at| run.words[at]);
                let known = m.words.iter().position(|w| w.is(memory, address, piece));
                let faulty = known.map_or(right, |k| m.words[k].value);
                let after = |list: &[Written], old: u64| {
                    let here = list.iter().filter(|w| (w.address, w.piece) == (address, piece));
                    here.fold(old, |x, w| x & !w.mask | w.data & w.mask)
                };
                let value = after(&mine, faulty);
                match (known, value == after(&theirs, right)) {
                    (Some(k), true) => drop(m.words.swap_remove(k)),
                    (Some(k), false) => m.words[k].value = value,
                    (None, false) => m.words.push(Word { memory, address, piece, value }),
                    (None, true) => {}
                }
            }
        }
        !self.written.is_empty()
    }

    /// Takes the request to the memory behind the port; says whether that differs, or did.
    fn ask(&self, run: &FaultFree, m: &mut Machine, request: Option<&Request>) -> bool {
        let Some(mine) = request else { return false };
        if m.port.is_none() && *mine == run.request {
            return false;
        }
        let mut port = m.port.take().unwrap_or_else(|| Box::new(Surroundings::of(&run.memory)));
        if port.take(mine, &run.request, &run.memory) {
            m.port = Some(port);
        }
        true
    }

    /// How the machine is advanced from now on.
    fn rest(&mut self, graph: &Graph, run: &FaultFree, m: &mut Machine, touched: bool) {
        let cycle = run.cycle;
        m.rest = Rest::Awake;
        if touched
            || m.port.is_some()
            || m.is_restless(cycle)
            || m.registers != self.before
            || m.words != self.words_before
        {
            return;
        }
        let stuck = cycle + 1 < m.over;
        if m.registers.is_empty() && self.evaluated.is_empty() && !stuck {
            m.rest = Rest::Asleep;
            return;
        }
        if self.evaluated.len() > SUPPORT {
            return;
        }
        m.support.clear();
        let mut support = Support { nodes: &mut m.support, stamps: &mut self.stamps, stamp: self.stamp + 1 };
        self.stamp += 1;
        m.registers.iter().for_each(|r| support.add(r.0));
        for &n in &self.evaluated {
            support.add(n);
            graph.operands(n, |o| support.add(o));
            // A word that the fault-free run does not read may change without any sign but its being written.
            let node = &graph.nodes[n as usize];
            if node.kind == Kind::Read && self.log.iter().any(|l| l.0 == node.a) {
                let writes = &graph.memories[node.b as usize].writes;
                if writes.iter().any(|w| run.v[w.enable as usize] != 0) {
                    return;
                }
                writes.iter().for_each(|w| support.add(w.enable));
            }
        }
        m.rest = Rest::Dozing;
        let own = |memory: u32, support: &mut Support| {
            let memory = &graph.memories[memory as usize];
            memory.reads.iter().for_each(|r| support.add(r.address));
            let writes = memory.writes.iter();
            for w in writes {
                [w.enable, w.address, w.data].into_iter().for_each(|n| support.add(n));
            }
        };
        m.words.iter().for_each(|w| own(w.memory, &mut support));
        for t in m.targets.iter().filter(|_| stuck) {
            match t.place {
                // It is forced in the cycle after its next value is known.
                Place::Register(n) => support.add(graph.nodes[n as usize].c),
                Place::Tap(n) => support.add(n),
                Place::Word(memory, ..) => own(memory, &mut support),
            }
        }
    }
}

/// Nodes, each once.
struct Support<'a> {
    nodes: &'a mut Vec<u32>,
    /// By node, the last list it was put into.
    stamps: &'a mut [u64],
    stamp: u64,
}

impl Support<'_> {
    fn add(&mut self, node: u32) {
        if std::mem::replace(&mut self.stamps[node as usize], self.stamp) != self.stamp {
            self.nodes.push(node);
        }
    }
}

/// The fault-free value that a place has in the next cycle.
fn right_next(graph: &Graph, run: &FaultFree, place: Place) -> u64 {
    match place {
        Place::Tap(_) => 0,
        Place::Register(node) => run.next_of(node),
        Place::Word(memory, address, piece) => {
            let memory = &graph.memories[memory as usize];
            let now = memory.at(address.into(), piece).map_or(0, |at| run.words[at]);
            let v = |n: u32| run.v[n as usize];
            let here = memory
                .writes
                .iter()
                .filter(|w| w.piece == piece && v(w.enable) != 0 && v(w.address) == u64::from(address));
            here.fold(now, |x, w| x & !w.mask | v(w.data) & w.mask)
        }
    }
}
