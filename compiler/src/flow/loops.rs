//! Loops of a graph, also those with several entries.

use super::bits::BitSet;
use super::graph::{Graph, NONE};

impl Graph {
    /// Loops, also those with several entries.
    pub fn loops(&self) -> Loops {
        let mut loops = Loops { list: Vec::new(), innermost: vec![NONE; self.len()] };
        let rpo = self.rpo();
        let mut place = vec![NONE; self.len()];
        for (i, &b) in rpo.iter().enumerate() {
            place[b as usize] = i as u32;
        }
        // A region is searched for cycles; each cycle's header is taken out and the rest is the
        // next region: that is where inner loops are found.
        let mut regions = vec![(rpo, NONE)];
        while let Some((region, parent)) = regions.pop() {
            for body in self.cycles(&region) {
                let mut inside = BitSet::new(self.len());
                body.iter().for_each(|&b| {
                    inside.insert(b);
                });
                let mut entries: Vec<u32> = body
                    .iter()
                    .copied()
                    .filter(|&b| {
                        b == 0
                            || self.pred[b as usize].iter().any(|&p| place[p as usize] != NONE && !inside.contains(p))
                    })
                    .collect();
                entries.sort_by_key(|&b| place[b as usize]);
                let header = entries.first().or(body.first()).copied().unwrap_or(0);
                let id = loops.list.len() as u32;
                let depth = match loops.list.get(parent as usize) {
                    Some(p) => p.depth + 1,
                    None => 1,
                };
                for &b in &body {
                    loops.innermost[b as usize] = id;
                }
                let rest: Vec<u32> = body.iter().copied().filter(|&b| b != header).collect();
                loops.list.push(Loop {
                    header,
                    body,
                    parent: (parent != NONE).then_some(parent),
                    depth,
                    entries: entries.len().max(1) as u32,
                });
                regions.push((rest, id));
            }
        }
        loops
    }

    /// The strongly connected components of `region` that hold a cycle, each in ascending order.
    fn cycles(&self, region: &[u32]) -> Vec<Vec<u32>> {
        let mut inside = BitSet::new(self.len());
        region.iter().for_each(|&b| {
            inside.insert(b);
        });
        let mut number = vec![NONE; self.len()];
        let mut low = vec![NONE; self.len()];
        let mut open = BitSet::new(self.len());
        let (mut stack, mut count, mut found) = (Vec::new(), 0, Vec::new());
        for &root in region {
            if number[root as usize] != NONE {
                continue;
            }
            let mut work = vec![(root, 0usize)];
            while let Some(&mut (b, ref mut next)) = work.last_mut() {
                let i = b as usize;
                if *next == 0 {
                    (number[i], low[i]) = (count, count);
                    count += 1;
                    stack.push(b);
                    open.insert(b);
                }
                if let Some(&s) = self.succ[i].get(*next) {
                    *next += 1;
                    let j = s as usize;
                    if inside.contains(s) && number[j] == NONE {
                        work.push((s, 0));
                    } else if open.contains(s) {
                        low[i] = low[i].min(number[j]);
                    }
                    continue;
                }
                work.pop();
                if let Some(&(p, _)) = work.last() {
                    low[p as usize] = low[p as usize].min(low[i]);
                }
                if low[i] == number[i] {
                    let at = stack.iter().rposition(|&x| x == b).unwrap_or(0);
                    let mut component = stack.split_off(at);
                    component.iter().for_each(|&x| open.remove(x));
                    if component.len() > 1 || self.succ[i].contains(&b) {
                        component.sort_unstable();
                        found.push(component);
                    }
                }
            }
        }
        found
    }
}

/// A loop: a cycle of blocks that no larger cycle of the same nesting level contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The entry, the first in reverse postorder where there are several.
    pub header: u32,
    /// All blocks of the loop, ascending, inner loops and header included.
    pub body: Vec<u32>,
    /// The loop around it, by index.
    pub parent: Option<u32>,
    /// 1 for an outermost loop.
    pub depth: u32,
    /// Blocks through which the loop is entered; 1 for a natural loop.
    pub entries: u32,
}

/// The loops of a graph, outer ones before inner ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loops {
    /// The loops.
    pub list: Vec<Loop>,
    innermost: Vec<u32>,
}

impl Loops {
    /// The innermost loop around a block, by index.
    pub fn of(&self, b: u32) -> Option<u32> {
        self.innermost.get(b as usize).copied().filter(|&l| l != NONE)
    }

    /// The number of loops around a block.
    pub fn depth(&self, b: u32) -> u32 {
        self.of(b).map_or(0, |l| self.list[l as usize].depth)
    }

    /// True where loop `l` contains the block.
    pub fn contains(&self, l: u32, b: u32) -> bool {
        let mut at = self.of(b);
        while let Some(i) = at {
            if i == l {
                return true;
            }
            at = self.list[i as usize].parent;
        }
        false
    }
}
