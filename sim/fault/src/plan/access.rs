//! When the fault-free run reads and writes the words of memories, and which upsets are equal by it.
//!
//! Def-use pruning: an upset between two accesses of a word does what it does in the cycle of the second. Source:
//! D. Smith et al., "A method to determine equivalent faults for permanent and transient faults", RAMS 1995.

/// What happens to 64 bits of a memory word in a cycle of the fault-free run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Access {
    /// Cycle, from 0.
    cycle: u64,
    /// They are read, before they are written.
    reads: bool,
    /// Bits written.
    writes: u64,
}

/// Accesses of a memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accesses {
    pieces: u32,
    /// By word, and in it by 64 bits; cycles ascend.
    list: Vec<Vec<Access>>,
}

/// Upsets of the same bits in cycles that follow each other, of one outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The last of the cycles.
    pub last: u64,
    /// How many cycles they are.
    pub cycles: u64,
    /// The bits are not read before all of them are written.
    pub dead: bool,
}

impl Accesses {
    /// None, of a memory of `depth` words of `pieces` times 64 bits.
    pub fn new(depth: u32, pieces: u32) -> Self {
        Accesses { pieces, list: vec![vec![]; depth as usize * pieces as usize] }
    }

    /// Adds one: bits that are written, or `None` for those that are read. Cycles do not descend.
    pub fn add(&mut self, word: u32, piece: u32, cycle: u64, written: Option<u64>) {
        let list = &mut self.list[(word * self.pieces + piece) as usize];
        if list.last().is_none_or(|a| a.cycle != cycle) {
            list.push(Access { cycle, reads: false, writes: 0 });
        }
        let access = list.last_mut().expect("it has one");
        match written {
            Some(mask) => access.writes |= mask,
            None => access.reads = true,
        }
    }

    /// All upsets of some bits of a word before cycle `cycles`, in order.
    pub fn intervals(&self, word: u32, bits: &[u32], cycles: u64) -> Vec<Interval> {
        let mut pieces: Vec<(u32, u64)> = vec![];
        for bit in bits {
            let mask = 1 << (bit % 64);
            match pieces.iter_mut().find(|p| p.0 == bit / 64) {
                Some(p) => p.1 |= mask,
                None => pieces.push((bit / 64, mask)),
            }
        }
        // Whether they are read, and whether all or some are written.
        let of = |piece: u32| self.list[(word * self.pieces + piece) as usize].iter();
        let mut accesses: Vec<Access> = pieces.iter().flat_map(|p| of(p.0)).copied().collect();
        accesses.sort_unstable_by_key(|a| a.cycle);
        accesses.dedup_by(|second, first| {
            let same = first.cycle == second.cycle;
            if same {
                first.reads |= second.reads;
            }
            same
        });
        let mut found = vec![];
        let mut first = 0;
        for a in accesses {
            if first >= cycles {
                break;
            }
            let in_cycle = |piece: u32| of(piece).find(|x| x.cycle == a.cycle).map_or(0, |x| x.writes);
            let written = pieces.iter().map(|p| in_cycle(p.0) & p.1);
            let [some, all] = [written.clone().any(|w| w != 0), written.zip(&pieces).all(|(w, p)| w == p.1)];
            if !a.reads && !some {
                continue;
            }
            let last = a.cycle.min(cycles - 1);
            found.push(Interval { last, cycles: last + 1 - first, dead: !a.reads && all });
            first = last + 1;
        }
        if first < cycles {
            found.push(Interval { last: cycles - 1, cycles: cycles - first, dead: true });
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::{Accesses, Interval};

    fn interval(last: u64, cycles: u64, dead: bool) -> Interval {
        Interval { last, cycles, dead }
    }

    #[test]
    fn upsets_are_equal_up_to_the_next_access() {
        let mut a = Accesses::new(2, 2);
        a.add(1, 0, 3, Some(0xff));
        a.add(1, 0, 5, None);
        a.add(1, 0, 5, Some(0xff00));
        a.add(1, 0, 9, Some(0x0f));
        a.add(1, 1, 12, None);
        let of = |word, bits: &[u32], cycles| a.intervals(word, bits, cycles);
        assert_eq!(of(0, &[0], 20), [interval(19, 20, true)], "never accessed");
        let bit_0 = [interval(3, 4, true), interval(5, 2, false), interval(9, 4, true), interval(19, 10, true)];
        assert_eq!(of(1, &[0], 20), bit_0);
        assert_eq!(of(1, &[4], 20), [interval(3, 4, true), interval(5, 2, false), interval(19, 14, true)]);
        assert_eq!(of(1, &[8], 20), [interval(5, 6, false), interval(19, 14, true)], "read before it is written");
        assert_eq!(of(1, &[64], 20), [interval(12, 13, false), interval(19, 7, true)]);
        // A write to one of two bits leaves another fault.
        let two = [interval(3, 4, true), interval(5, 2, false), interval(9, 4, false), interval(19, 10, true)];
        assert_eq!(of(1, &[3, 4], 20), two);
        let apart = [
            interval(3, 4, false),
            interval(5, 2, false),
            interval(9, 4, false),
            interval(12, 3, false),
            interval(19, 7, true),
        ];
        assert_eq!(of(1, &[0, 64], 20), apart);
        // The run goes on behind the last cycle of a fault.
        assert_eq!(of(1, &[64], 10), [interval(9, 10, false)]);
        assert!(of(1, &[4], 4).iter().map(|i| i.cycles).sum::<u64>() == 4);
    }
}
