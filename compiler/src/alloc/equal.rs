//! Registers that hold the same value because one was copied from the other in the same block.
//!
//! Such registers do not interfere at the copy, also when both live on.

use crate::mir::{Block, Function, How, Units};

/// For every copy of a block, by instruction: the words that hold the copied value in front of it.
pub struct Equal {
    lists: Vec<(usize, Vec<u32>)>,
}

impl Equal {
    /// Follows the copies through a block.
    pub fn new(f: &Function, units: &Units, block: &Block) -> Equal {
        let mut lists = Vec::new();
        // Sets of words with one value; a word is in one at most.
        let mut sets: Vec<Vec<u32>> = Vec::new();
        for (i, inst) in block.insts.iter().enumerate() {
            let copy = match (inst.copy(), inst.address_copy()) {
                (Some((to, from)), _) => Some((units.word(to), units.word(from))),
                (_, Some((to, from))) => Some((units.reg(to), units.reg(from))),
                _ => None,
            };
            if let Some((_, from)) = copy {
                let found = sets.iter().find(|s| s.contains(&from));
                lists.push((i, found.cloned().unwrap_or_else(|| vec![from])));
            }
            inst.accesses(|a| {
                if a.how != How::Read {
                    for u in units.access(f, a) {
                        sets.iter_mut().for_each(|s| s.retain(|&x| x != u));
                    }
                }
            });
            if let (Some((to, from)), None) = (copy, inst.guard) {
                if to == from {
                    continue;
                }
                match sets.iter_mut().find(|s| s.contains(&from)) {
                    Some(s) => s.push(to),
                    None => sets.push(vec![from, to]),
                }
                sets.retain(|s| s.len() > 1);
            }
        }
        Equal { lists }
    }

    /// The words that hold what instruction `i` copies; none where it is no copy.
    pub fn at(&self, i: usize) -> &[u32] {
        let found = self.lists.binary_search_by_key(&i, |l| l.0);
        found.map_or(&[], |k| &self.lists[k].1)
    }
}
