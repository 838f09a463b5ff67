//! Order of the blocks: frequent successors follow their predecessor, so that few branches are
//! executed.
//!
//! Edges are taken by the executed branches they save when the target follows its source,
//! greatest first (Pettis and Hansen). A loop then ends with its test, one branch a round.

use crate::alloc::live::graph;
use crate::flow::graph::{Graph, Loops, NONE};
use crate::flow::{Joins, Way};
use crate::mir::{Function, Term};

/// How often blocks are executed, estimated: 1 for the entry.
pub fn frequencies(f: &Function) -> Vec<f32> {
    let g = graph(f);
    let loops = g.loops();
    let early = |b: u32| matches!(f.blocks[b as usize].term, Term::Trap);
    let rank = g.ways_out(early);
    let mut freq = vec![0f32; g.len()];
    let rpo = g.rpo();
    let mut place = vec![NONE; g.len()];
    for (i, &b) in rpo.iter().enumerate() {
        place[b as usize] = i as u32;
    }
    for &b in &rpo {
        let mut sum = if b == 0 { 1.0 } else { 0.0 };
        for &p in &g.pred[b as usize] {
            // Edges back to a header are in its factor.
            if place[p as usize] < place[b as usize] {
                sum += freq[p as usize] * probability(&g, &loops, &rank, p, b);
            }
        }
        let header = loops.of(b).is_some_and(|l| loops.list[l as usize].header == b);
        freq[b as usize] = if header { sum * ROUNDS } else { sum };
    }
    freq
}

/// Rounds of a loop, estimated.
const ROUNDS: f32 = 8.0;

/// Probability that block `p` continues at `b`, over all its edges there.
fn probability(g: &Graph, loops: &Loops, rank: &[u8], p: u32, b: u32) -> f32 {
    let share = |s: u32| {
        let all = &g.succ[p as usize];
        let worse = rank[s as usize] > rank[p as usize];
        let leaves = loops.of(p).is_some_and(|l| !loops.contains(l, s));
        let other = all.iter().any(|&o| o != s && loops.of(p).is_some_and(|l| loops.contains(l, o)));
        match (all.len(), worse, leaves && other) {
            (0 | 1, ..) => 1.0,
            (_, true, _) => 0.001,
            (_, _, true) => 1.0 / ROUNDS,
            _ => 0.5,
        }
    };
    let all: f32 = g.succ[p as usize].iter().map(|&s| share(s)).sum();
    let here = g.succ[p as usize].iter().filter(|&&s| s == b);
    here.map(|&s| share(s)).sum::<f32>() / all.max(f32::MIN_POSITIVE)
}

/// An edge and what it saves as a fall-through.
struct Edge {
    from: u32,
    to: u32,
    saves: f32,
}

/// The blocks in the order of the code; the entry is the first.
pub fn order(f: &Function, joins: &Joins, freq: &[f32]) -> Vec<u32> {
    let n = f.blocks.len();
    let mut edges = edges(f, joins, freq);
    edges.sort_by(|a, b| b.saves.total_cmp(&a.saves));
    let mut next = vec![NONE; n];
    let mut head: Vec<u32> = (0..n as u32).collect();
    let mut tail: Vec<u32> = (0..n as u32).collect();
    let mut followed = vec![false; n];
    for e in &edges {
        let (a, b) = (e.from as usize, e.to as usize);
        // Chains: only the end of one goes before the start of another, never the entry.
        if e.to == 0 || next[a] != NONE || followed[b] || head[a] == e.to {
            continue;
        }
        next[a] = e.to;
        followed[b] = true;
        let (start, end) = (head[a], tail[b]);
        tail[start as usize] = end;
        head[end as usize] = start;
    }
    chains(f, &next, &followed, freq)
}

/// The edges a fall-through can serve.
fn edges(f: &Function, joins: &Joins, freq: &[f32]) -> Vec<Edge> {
    let g = graph(f);
    let loops = g.loops();
    let rank = g.ways_out(|b| matches!(f.blocks[b as usize].term, Term::Trap));
    let mut edges: Vec<Edge> = Vec::new();
    for (b, block) in (0u32..).zip(&f.blocks) {
        let weight = |s: u32| freq[b as usize] * probability(&g, &loops, &rank, b, s);
        match block.term {
            Term::Jump(t) | Term::ReturnIf { other: t, .. } | Term::Any { other: t, .. } => {
                edges.push(Edge { from: b, to: t.0, saves: weight(t.0) })
            }
            Term::Branch { then, other, .. } => {
                let (x, y) = (then.0, other.0);
                // Without a fall-through the less frequent side costs a second branch.
                let least = weight(x).min(weight(y));
                let sides = match joins.first[b as usize] {
                    Some(true) => [None, Some((y, weight(y)))],
                    Some(false) => [Some((x, weight(x))), None],
                    None => [Some((x, least)), Some((y, least))],
                };
                // Of equal sides the one without other predecessors: it can fall through to the other.
                let alone = |s: u32| if g.pred[s as usize].len() == 1 { 1e-3 } else { 1e-6 };
                edges.extend(sides.into_iter().flatten().map(|(to, saves)| Edge {
                    from: b,
                    to,
                    saves: saves + alone(to) * weight(to),
                }));
            }
            Term::Return | Term::Trap => {}
        }
    }
    edges.retain(|e| joins.way(e.from, e.to) != Way::Break);
    edges
}

/// Strings the chains together: behind each the one its blocks lead to most often.
fn chains(f: &Function, next: &[u32], followed: &[bool], freq: &[f32]) -> Vec<u32> {
    let n = f.blocks.len();
    let mut order = Vec::with_capacity(n);
    let mut done = vec![false; n];
    let mut starts: Vec<u32> = (0..n as u32).filter(|&b| !followed[b as usize]).collect();
    starts.sort_by(|&a, &b| {
        let (x, y) = (freq[a as usize] < 0.01, freq[b as usize] < 0.01);
        (a != 0, x, a).cmp(&(b != 0, y, b))
    });
    for s in starts {
        let mut at = s;
        while at != NONE && !std::mem::replace(&mut done[at as usize], true) {
            order.push(at);
            at = next[at as usize];
        }
    }
    order
}
