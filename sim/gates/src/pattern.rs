//! Patterns: what the inputs of a circuit held in the cycles of a run, each distinct one once.

use std::collections::HashMap;

/// Distinct patterns with the cycle of their first occurrence and the number of occurrences.
#[derive(Clone, Debug, Default)]
pub struct Patterns {
    bits: usize,
    pairs: bool,
    /// `words()` elements a pattern, bit `i` of the circuit's inputs in bit `i % 64` of element `i / 64`; with pairs the
    /// cycle before stands behind it in as many elements.
    rows: Vec<u64>,
    cycles: Vec<u64>,
    counts: Vec<u64>,
}

impl Patterns {
    /// Input bits of a pattern.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// Elements of 64 bits of a pattern.
    pub fn words(&self) -> usize {
        self.bits.div_ceil(64)
    }

    /// Whether each is a pair of patterns in consecutive cycles, as transition faults need.
    pub fn pairs(&self) -> bool {
        self.pairs
    }

    /// How many are distinct.
    pub fn len(&self) -> usize {
        self.cycles.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.cycles.is_empty()
    }

    fn row(&self, i: usize) -> &[u64] {
        let width = self.words() * if self.pairs { 2 } else { 1 };
        &self.rows[i * width..][..width]
    }

    /// Pattern `i`, [`Patterns::words`] elements.
    pub fn pattern(&self, i: usize) -> &[u64] {
        &self.row(i)[..self.words()]
    }

    /// The pattern of the cycle before pattern `i`; none without pairs.
    pub fn before(&self, i: usize) -> Option<&[u64]> {
        self.pairs.then(|| &self.row(i)[self.words()..])
    }

    /// Cycle in which pattern `i` occurs first.
    pub fn cycle(&self, i: usize) -> u64 {
        self.cycles[i]
    }

    /// Cycles in which pattern `i` occurs.
    pub fn count(&self, i: usize) -> u64 {
        self.counts[i]
    }

    /// Cycles recorded.
    pub fn cycles(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Whether an input bit has both values among the patterns.
    pub fn toggles(&self, bit: usize) -> bool {
        let of = |i: usize| self.pattern(i)[bit / 64] >> (bit % 64) & 1;
        (1..self.len()).any(|i| of(i) != of(0))
    }
}

/// Side by side, least significant first: parts of so many bits, 64 an element; a missing part is zero.
pub fn joined<'a>(parts: impl IntoIterator<Item = (u32, Option<&'a [u64]>)>) -> Vec<u64> {
    let (mut out, mut at) = (vec![], 0usize);
    for (width, part) in parts {
        out.resize((at + width as usize).div_ceil(64), 0);
        for (i, x) in part.into_iter().flatten().enumerate() {
            let to = at + 64 * i;
            let left = (width as usize).saturating_sub(64 * i).min(64);
            let x = if left == 64 { *x } else { x & ((1 << left) - 1) };
            if left > 0 {
                out[to / 64] |= x << (to % 64);
            }
            if to % 64 + left > 64 {
                out[to / 64 + 1] |= x >> (64 - to % 64);
            }
        }
        at += width as usize;
    }
    out
}

/// Makes [`Patterns`] of the cycles of a run.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    patterns: Patterns,
    known: HashMap<Box<[u64]>, usize>,
    last: Option<Vec<u64>>,
}

impl Recorder {
    /// For patterns of so many bits; `pairs`: of this cycle and the one before.
    pub fn new(bits: usize, pairs: bool) -> Self {
        Recorder { patterns: Patterns { bits, pairs, ..Patterns::default() }, ..Recorder::default() }
    }

    /// Takes the inputs of a cycle, [`Patterns::words`] elements. Of pairs, the first cycle is the first half of one.
    ///
    /// # Panics
    /// With another number of elements.
    pub fn add(&mut self, cycle: u64, inputs: &[u64]) {
        assert_eq!(inputs.len(), self.patterns.words(), "elements of a pattern");
        let mut row = inputs.to_vec();
        if self.patterns.pairs {
            let Some(last) = self.last.replace(inputs.to_vec()) else { return };
            row.extend(last);
        }
        let p = &mut self.patterns;
        match self.known.get(&row[..]) {
            Some(i) => p.counts[*i] += 1,
            None => {
                p.rows.extend(&row);
                p.cycles.push(cycle);
                p.counts.push(1);
                self.known.insert(row.into(), p.cycles.len() - 1);
            }
        }
    }

    /// What was recorded.
    pub fn finish(self) -> Patterns {
        self.patterns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stand_side_by_side() {
        let whole = [u64::MAX, 5];
        assert_eq!(
            joined([(3, Some(&[13][..])), (67, Some(&whole)), (2, None), (1, Some(&[1]))]),
            [u64::MAX - 2, 7 | 5 << 3 | 1 << (72 - 64),]
        );
        assert_eq!(joined([(64, Some(&[9][..])), (64, Some(&[8]))]), [9, 8]);
        assert_eq!(joined([]), [0; 0]);
    }

    #[test]
    fn equal_patterns_are_one() {
        let mut r = Recorder::new(3, false);
        for (cycle, x) in [5, 1, 5, 1, 1].into_iter().enumerate() {
            r.add(cycle as u64, &[x]);
        }
        let p = r.finish();
        let of = |i| (p.pattern(i), p.cycle(i), p.count(i));
        assert_eq!((p.len(), of(0), of(1)), (2, (&[5][..], 0, 2), (&[1][..], 1, 3)));
        assert_eq!((p.cycles(), p.before(0)), (5, None));
        assert_eq!([0, 1, 2].map(|bit| p.toggles(bit)), [false, false, true]);
    }

    #[test]
    fn pairs_are_of_consecutive_cycles() {
        let mut r = Recorder::new(70, true);
        for (cycle, x) in [5, 1, 5, 1, 1].into_iter().enumerate() {
            r.add(cycle as u64, &[x, x]);
        }
        let p = r.finish();
        let of = |i| (p.before(i).expect("pairs")[1], p.pattern(i)[1], p.cycle(i), p.count(i));
        assert_eq!((p.len(), of(0), of(1), of(2)), (3, (5, 1, 1, 2), (1, 5, 2, 1), (1, 1, 4, 1)));
    }
}
