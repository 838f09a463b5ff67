//! What differs behind a net that is inverted in some patterns.

use crate::circuit::{Cell, Circuit, NetId};
use crate::gate::Gate;
use crate::word::Word;

/// A cell as it is computed.
#[derive(Clone, Copy)]
struct Step {
    inputs: [NetId; 3],
    output: NetId,
    gate: Gate,
}

/// Follows differences through the cells that read them, level by level: a cell is computed once, after all that it
/// reads.
pub struct Cone {
    cells: Vec<Step>,
    /// Cells that read each net, and outputs that it is: ranges of `readers` and `observers`.
    reader_start: Vec<u32>,
    readers: Vec<u32>,
    observer_start: Vec<u32>,
    observers: Vec<u32>,
    /// Level of each cell: more than that of every cell it reads.
    level: Vec<u32>,
    /// Cells to be computed, by level, and the levels between which there are any.
    open: Vec<Vec<u32>>,
    from: usize,
    to: usize,
    /// Run in which each cell was put there.
    asked: Vec<u32>,
    run: u32,
    /// Values of all nets: the fault-free ones but for those of `changed`, which differ in this run.
    values: Vec<Word>,
    changed: Vec<NetId>,
    /// Outputs that differ, and in which patterns.
    seen: Vec<(u32, Word)>,
    shown: Word,
}

fn ranges(lists: impl Iterator<Item = Vec<u32>>) -> (Vec<u32>, Vec<u32>) {
    let (mut start, mut all) = (vec![0], vec![]);
    for list in lists {
        all.extend(list);
        start.push(all.len() as u32);
    }
    (start, all)
}

impl Cone {
    /// For a circuit.
    pub fn new(circuit: &Circuit) -> Self {
        let mut of_net = vec![0u32; circuit.nets.len()];
        let mut level = vec![];
        for cell in &circuit.cells {
            let deepest = cell.inputs.iter().map(|n| of_net[*n as usize]).max().unwrap_or(0);
            level.push(deepest);
            of_net[cell.output as usize] = deepest + 1;
        }
        let levels = level.iter().max().map_or(0, |l| *l as usize + 1);
        let readers = circuit.readers().into_iter().map(|list| {
            let mut cells: Vec<u32> = list.into_iter().map(|(c, _)| c).collect();
            cells.dedup();
            cells
        });
        let (reader_start, readers) = ranges(readers);
        let (observer_start, observers) = ranges(circuit.observers().into_iter());
        let step = |c: &Cell| Step { inputs: c.inputs, output: c.output, gate: c.gate };
        Cone {
            cells: circuit.cells.iter().map(step).collect(),
            reader_start,
            readers,
            observer_start,
            observers,
            level,
            open: vec![vec![]; levels],
            from: 0,
            to: 0,
            asked: vec![0; circuit.cells.len()],
            run: 0,
            values: vec![Word::ZERO; circuit.nets.len()],
            changed: vec![],
            seen: vec![],
            shown: Word::ZERO,
        }
    }

    /// Begins anew with fault-free values.
    pub fn begin(&mut self, values: &[Word]) {
        self.changed.clear();
        self.values.copy_from_slice(values);
    }

    /// Inverts a net in some patterns; returns those in which an output differs. With `enough` it may end once that is all
    /// of them, and [`Cone::outputs`] is not to be asked. `values` are those that it began with.
    pub fn follow(&mut self, values: &[Word], net: NetId, patterns: Word, enough: bool) -> Word {
        if self.run == u32::MAX {
            self.asked.fill(0);
            self.run = 0;
        }
        self.run += 1;
        for net in self.changed.drain(..) {
            self.values[net as usize] = values[net as usize];
        }
        self.seen.clear();
        self.shown = Word::ZERO;
        (self.from, self.to) = (usize::MAX, 0);
        self.change(net, values[net as usize] ^ patterns, patterns);
        let mut at = self.from;
        while at < self.open.len() && at <= self.to {
            let mut cells = std::mem::take(&mut self.open[at]);
            if !(enough && self.shown == patterns) {
                for &c in &cells {
                    let cell = self.cells[c as usize];
                    let value = cell.gate.value(cell.inputs.map(|n| self.values[n as usize]));
                    let differs = value ^ values[cell.output as usize];
                    if !differs.is_zero() {
                        self.change(cell.output, value, differs);
                    }
                }
            }
            cells.clear();
            self.open[at] = cells;
            at += 1;
        }
        self.shown
    }

    #[inline(always)]
    fn change(&mut self, net: NetId, value: Word, differs: Word) {
        let n = net as usize;
        self.values[n] = value;
        self.changed.push(net);
        for o in &self.observers[self.observer_start[n] as usize..self.observer_start[n + 1] as usize] {
            self.seen.push((*o, differs));
            self.shown = self.shown | differs;
        }
        for c in &self.readers[self.reader_start[n] as usize..self.reader_start[n + 1] as usize] {
            if self.asked[*c as usize] != self.run {
                self.asked[*c as usize] = self.run;
                let level = self.level[*c as usize] as usize;
                self.open[level].push(*c);
                self.from = self.from.min(level);
                self.to = self.to.max(level);
            }
        }
    }

    /// Outputs at which a pattern showed the last difference, by number.
    pub fn outputs(&self, pattern: usize) -> Vec<u32> {
        let mut list: Vec<u32> = self.seen.iter().filter(|(_, w)| w.has(pattern)).map(|(o, _)| *o).collect();
        list.sort_unstable();
        list
    }
}
