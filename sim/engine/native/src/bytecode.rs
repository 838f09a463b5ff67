//! The interpreter: nodes sorted by level and kind, one loop for each run of equal operations.
//!
//! Values are 64 bits each, those of a node in the order in which they are computed, so that an operation writes
//! where the one before it has written. Operands stand before.

use crate::layout::{Layout, Place, Tap};
use warpsmith_netlist::flat::{mask, Flat, Kind, NodeId, Op, Packed, PartList};

/// Operations of one kind. The result of each stands in the slot of the first plus its position.
#[derive(Clone, Copy, Debug)]
struct Run {
    kind: Kind,
    first: u32,
    /// Slot of the first result.
    slot: u32,
    count: u32,
}

/// A word of a memory.
#[derive(Clone, Copy, Debug)]
struct Read {
    first: Place,
    stride: u32,
    depth: u32,
}

/// What happens to a memory at an edge.
#[derive(Clone, Copy, Debug)]
struct Write {
    enable: u32,
    address: u32,
    data: u32,
    mask: u64,
    to: Read,
}

/// Values that a program is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Roots {
    /// All: outputs, taps, next values of registers, writes of memories.
    All,
    /// One output port.
    Output(u32),
}

/// A program: what it computes, and what becomes of it.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Slots and their values that never change.
    constants: Vec<(u32, u64)>,
    /// Slots taken from the bytes before all operations.
    loads: Vec<(u32, Place)>,
    runs: Vec<Run>,
    /// Operands are slots; `b` of a read is a number in `reads`, of a tap in `taps`.
    instrs: Vec<Packed>,
    parts: PartList,
    reads: Vec<Read>,
    /// Taps by their numbers, and the slots of their values before the saboteur.
    taps: Vec<(u32, Tap)>,
    /// Pieces of output ports.
    outputs: Vec<(u32, Place)>,
    writes: Vec<Write>,
    regs: Vec<(u32, Place)>,
    slots: usize,
}

/// Slots of a device's values.
#[derive(Clone, Debug, Default)]
pub struct Values {
    slots: Vec<u64>,
    /// `keep` and `flip` of each tap.
    masks: Vec<(u64, u64)>,
}

/// Nodes that the roots need.
fn live(flat: &Flat, roots: Roots) -> Vec<bool> {
    let mut live = vec![false; flat.graph.nodes().len()];
    let mut open: Vec<NodeId> = vec![];
    for (port, nodes) in &flat.outputs {
        if roots == Roots::All || roots == Roots::Output(*port) {
            open.extend(nodes);
        }
    }
    if roots == Roots::All {
        open.extend(flat.regs.iter().map(|r| r.next));
        for write in flat.mems.iter().flat_map(|m| &m.writes) {
            open.extend([write.enable, write.address, write.data]);
        }
        let taps = (0..).map(NodeId).zip(flat.graph.nodes());
        open.extend(taps.filter_map(|(id, n)| matches!(n.op, Op::Tap { .. }).then_some(id)));
    }
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut live[node.0 as usize], true) {
            let op = flat.graph.node(node).op;
            flat.graph.operands(op, |o| open.push(o));
        }
    }
    live
}

impl Program {
    /// The program that computes the roots.
    pub fn new(flat: &Flat, layout: &Layout, roots: Roots) -> Self {
        let mut out = Program::default();
        let live = live(flat, roots);
        let mut level = vec![0u32; live.len()];
        let mut order: Vec<(u32, Kind, NodeId)> = vec![];
        let mut slot = vec![u32::MAX; live.len()];
        for (i, node) in flat.graph.nodes().iter().enumerate().filter(|(i, _)| live[*i]) {
            let id = NodeId(i as u32);
            let kind = Packed::of(&flat.graph, id, &mut vec![], |_| 0).kind;
            if kind != Kind::Leaf {
                let mut below = 0;
                flat.graph.operands(node.op, |o| below = below.max(level[o.0 as usize]));
                level[i] = below + 1;
                order.push((below + 1, kind, id));
                continue;
            }
            slot[i] = out.slots as u32;
            out.slots += 1;
            match node.op {
                Op::Const(v) => out.constants.push((slot[i], v)),
                Op::Input { port, word } => {
                    out.loads.push((slot[i], layout.port(flat, port, word)));
                }
                Op::Reg(reg) => out.loads.push((slot[i], layout.reg(reg))),
                _ => unreachable!("the others are computed"),
            }
        }
        order.sort_unstable();
        // Operands of a run stand before it: all are of lower levels.
        for run in order.chunk_by(|(l, k, _), (m, n, _)| (l, k) == (m, n)) {
            out.runs.push(Run {
                kind: run[0].1,
                first: out.instrs.len() as u32,
                slot: out.slots as u32,
                count: run.len() as u32,
            });
            for &(_, _, id) in run {
                let instr = out.instr(flat, layout, &slot, id);
                out.instrs.push(instr);
                slot[id.0 as usize] = out.slots as u32;
                out.slots += 1;
            }
        }
        for tap in &layout.taps {
            if roots == Roots::All {
                out.taps.push((slot[tap.of.0 as usize], *tap));
            }
        }
        for (port, nodes) in &flat.outputs {
            if roots == Roots::All || roots == Roots::Output(*port) {
                for (word, node) in (0..).zip(nodes) {
                    let place = layout.port(flat, *port, word);
                    out.outputs.push((slot[node.0 as usize], place));
                }
            }
        }
        if roots == Roots::All {
            for (reg, place) in flat.regs.iter().zip(&layout.regs) {
                out.regs.push((slot[reg.next.0 as usize], *place));
            }
            for (mem, words) in flat.mems.iter().zip(&layout.mems) {
                out.writes.extend(mem.writes.iter().map(|w| Write {
                    enable: slot[w.enable.0 as usize],
                    address: slot[w.address.0 as usize],
                    data: slot[w.data.0 as usize],
                    mask: w.mask,
                    to: Read { first: words.first(w.word), stride: words.stride, depth: words.depth },
                }));
            }
        }
        out
    }

    fn instr(&mut self, flat: &Flat, layout: &Layout, slot: &[u32], id: NodeId) -> Packed {
        let mut instr = Packed::of(&flat.graph, id, &mut self.parts, |n| slot[n.0 as usize]);
        match flat.graph.node(id).op {
            Op::Read { mem, word, .. } => {
                let words = layout.mem(mem);
                instr.b = self.reads.len() as u32;
                self.reads.push(Read { first: words.first(word), stride: words.stride, depth: words.depth });
            }
            Op::Tap { .. } => {
                let tap = layout.taps.binary_search_by_key(&id, |t| t.node);
                instr.b = tap.expect("every tap has a place") as u32;
            }
            _ => {}
        }
        instr
    }

    /// Room for the values.
    pub fn values(&self) -> Values {
        let mut slots = vec![0; self.slots];
        for &(slot, value) in &self.constants {
            slots[slot as usize] = value;
        }
        let all = |(_, t): &(u32, Tap)| (mask(t.width), 0);
        Values { slots, masks: self.taps.iter().map(all).collect() }
    }

    /// Takes the masks of the saboteurs from the bytes.
    pub fn masks(&self, state: &[u8], values: &mut Values) {
        for (masks, (_, tap)) in values.masks.iter_mut().zip(&self.taps) {
            *masks = (tap.load(state, 1), tap.load(state, 2));
        }
    }

    /// Computes all values.
    pub fn eval(&self, state: &[u8], values: &mut Values) {
        for &(slot, place) in &self.loads {
            values.slots[slot as usize] = place.load(state);
        }
        for run in &self.runs {
            self.run(*run, state, values);
        }
    }

    fn run(&self, run: Run, state: &[u8], values: &mut Values) {
        let instrs = &self.instrs[run.first as usize..][..run.count as usize];
        let (before, rest) = values.slots.split_at_mut(run.slot as usize);
        let out = &mut rest[..instrs.len()];
        let masks = &values.masks;
        let v = |slot: u32| before[slot as usize];
        macro_rules! each {
            (|$i:ident| $value:expr) => {
                for (to, $i) in out.iter_mut().zip(instrs) {
                    *to = $value;
                }
            };
        }
        // A loop for each kind, which is a constant in it.
        macro_rules! loops {
            ($($kind:ident)*) => {
                match run.kind {
                    Kind::Leaf => unreachable!("nothing computes it"),
                    Kind::Read => each!(|i| self.reads[i.b as usize].load(state, v(i.a))),
                    Kind::Tap => each!(|i| {
                        let (keep, flip) = masks[i.b as usize];
                        v(i.a) & keep ^ flip
                    }),
                    $(Kind::$kind => each!(|i| Packed { kind: Kind::$kind, ..*i }.value(&self.parts, v)),)*
                }
            };
        }
        loops!(Not And Or Xor Add Sub Mul Shl Shr Eq Ne Lt Le Mux Slice Repeat Join Cat);
    }

    /// Puts outputs, and outputs of blocks, into the bytes.
    pub fn show(&self, values: &Values, state: &mut [u8]) {
        for &(slot, place) in &self.outputs {
            place.store(state, values.slots[slot as usize]);
        }
        for (slot, tap) in &self.taps {
            tap.store(state, values.slots[*slot as usize]);
        }
    }

    /// The edge of the clock: memories are written, then registers take their next values.
    pub fn commit(&self, values: &Values, state: &mut [u8]) {
        let v = |slot: u32| values.slots[slot as usize];
        for w in &self.writes {
            if v(w.enable) != 0 {
                if let Some(place) = w.to.at(v(w.address)) {
                    let value = place.load(state) & !w.mask | v(w.data) & w.mask;
                    place.store(state, value);
                }
            }
        }
        for &(slot, place) in &self.regs {
            place.store(state, v(slot));
        }
    }

    /// 32 bits of the output port that the program was made for.
    pub fn output(&self, values: &Values, word: usize) -> u32 {
        let pieces = self.outputs.get(word / 2);
        pieces.map_or(0, |(slot, _)| (values.slots[*slot as usize] >> (32 * (word % 2))) as u32)
    }
}

impl Read {
    /// Where the word of an address stands; nothing beyond the depth.
    #[inline(always)]
    fn at(self, address: u64) -> Option<Place> {
        (address < self.depth.into())
            .then(|| Place { at: self.first.at + address as u32 * self.stride, size: self.first.size })
    }

    #[inline(always)]
    fn load(self, state: &[u8], address: u64) -> u64 {
        self.at(address).map_or(0, |place| place.load(state))
    }
}
