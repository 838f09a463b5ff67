//! Makes the divergence stack suffice, however deep conditions and loops are nested.

use super::plan::Plan;
use super::stack::{need, Need};
use crate::alloc::live::graph;
use crate::flow::bits::BitSet;
use crate::flow::{joins, linear, simplify, Joins};
use crate::mir::Function;

/// Entries that a region needs whose blocks stand in a row: SSY and the waiting side.
const ROOM: u32 = 2;
/// Regions lined up one by one at most; then the whole function is.
const MOST: usize = 64;
/// Each line-up adds tests for all its blocks: a function with so many times its blocks becomes a row too.
const GROWTH: usize = 4;

/// Lines up regions of the function until it needs at most `depth` entries of the divergence stack.
/// Each is the smallest around what is too deep in front of which [`ROOM`] entries are left; where
/// none is, the whole function becomes a row, which needs as many.
pub fn fit(f: &mut Function, depth: u32) {
    let blocks = GROWTH * f.blocks.len();
    for _ in 0..MOST {
        if f.blocks.len() > blocks {
            break;
        }
        let joins = joins(f);
        let need = need(f, &Plan::new(f, &joins, |_| true));
        if need.most <= depth {
            return;
        }
        let Some(region) = region(f, &joins, &need, depth) else { break };
        linear::line_up(f, &region);
        simplify::preheaders(f);
    }
    let mut all = BitSet::new(f.blocks.len());
    (0..f.blocks.len() as u32).for_each(|b| {
        all.insert(b);
    });
    linear::line_up(f, &all);
}

/// The region to line up next: a loop, or a branch with all between it and its join point.
fn region(f: &Function, joins: &Joins, need: &Need, depth: u32) -> Option<BitSet> {
    let g = graph(f);
    let branches = (0u32..).zip(&joins.of).filter_map(|(b, join)| {
        let mut set = g.reached(b, (*join)?);
        set.insert(b);
        Some(set)
    });
    let loops = g.loops().list;
    let loops = loops.iter().map(|l| {
        let mut set = BitSet::new(g.len());
        l.body.iter().for_each(|&b| {
            set.insert(b);
        });
        set
    });
    let fits = |set: &BitSet| {
        let deep = |b: u32| need.peak[b as usize] > depth;
        let enters = |e: &&(u32, u32)| !set.contains(e.0) && set.contains(e.1);
        let in_front = need.edges.keys().filter(enters).map(|e| need.edges[e]);
        set.iter().any(deep) && in_front.max().unwrap_or(0) + ROOM <= depth
    };
    branches.chain(loops).filter(fits).min_by_key(BitSet::len)
}
