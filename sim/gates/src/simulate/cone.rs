//! What differs behind a net that is inverted in some patterns.

use crate::circuit::{Circuit, NetId};
use crate::word::Word;

/// Follows differences through the cells that read them, level by level: a cell is computed once, after all that it
/// reads.
pub struct Cone {
    /// Cells that read each net, and outputs that it is: ranges of `readers` and `observers`.
    reader_start: Vec<u32>,
    readers: Vec<u32>,
    observer_start: Vec<u32>,
    observers: Vec<u32>,
    /// Level of each cell: more than that of every cell it reads.
    level: Vec<u32>,
    /// Cells to be computed, by level.
    open: Vec<Vec<u32>>,
    /// Run in which each cell was put there, and each net took its differing value.
    asked: Vec<u32>,
    changed: Vec<u32>,
    faulty: Vec<Word>,
    run: u32,
    /// Outputs that differ, and in which patterns.
    seen: Vec<(u32, Word)>,
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
        Cone {
            reader_start,
            readers,
            observer_start,
            observers,
            level,
            open: vec![vec![]; levels],
            asked: vec![0; circuit.cells.len()],
            changed: vec![0; circuit.nets.len()],
            faulty: vec![Word::ZERO; circuit.nets.len()],
            run: 0,
            seen: vec![],
        }
    }

    /// Inverts a net in some patterns; returns those in which an output differs.
    pub fn follow(&mut self, circuit: &Circuit, values: &[Word], net: NetId, patterns: Word) -> Word {
        if self.run == u32::MAX {
            self.asked.fill(0);
            self.changed.fill(0);
            self.run = 0;
        }
        self.run += 1;
        self.seen.clear();
        let mut shown = Word::ZERO;
        let (mut from, mut to) = (usize::MAX, 0);
        self.change(net, values[net as usize] ^ patterns, patterns, &mut shown, &mut from, &mut to);
        let mut at = from;
        while at < self.open.len() && at <= to {
            let mut cells = std::mem::take(&mut self.open[at]);
            for c in cells.drain(..) {
                let cell = &circuit.cells[c as usize];
                let inputs = cell.inputs.map(|n| {
                    let n = n as usize;
                    if self.changed[n] == self.run {
                        self.faulty[n]
                    } else {
                        values[n]
                    }
                });
                let value = cell.gate.value(inputs);
                let differs = value ^ values[cell.output as usize];
                if !differs.is_zero() {
                    self.change(cell.output, value, differs, &mut shown, &mut from, &mut to);
                }
            }
            self.open[at] = cells;
            at += 1;
        }
        shown
    }

    #[inline(always)]
    fn change(&mut self, net: NetId, value: Word, differs: Word, shown: &mut Word, from: &mut usize, to: &mut usize) {
        let n = net as usize;
        self.faulty[n] = value;
        self.changed[n] = self.run;
        for o in &self.observers[self.observer_start[n] as usize..self.observer_start[n + 1] as usize] {
            self.seen.push((*o, differs));
            *shown = *shown | differs;
        }
        for c in &self.readers[self.reader_start[n] as usize..self.reader_start[n + 1] as usize] {
            if self.asked[*c as usize] != self.run {
                self.asked[*c as usize] = self.run;
                let level = self.level[*c as usize] as usize;
                self.open[level].push(*c);
                *from = (*from).min(level);
                *to = (*to).max(level);
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
