//! Colouring: a place for every group, or the groups that have to go to memory.
//!
//! Groups leave the graph in the order of the slack they have, most first, and come back in
//! reverse order, each to the lowest place no neighbour has (Chaitin and Briggs; the order keeps
//! the number of registers small, which decides how many warps an SM holds).

use super::web::{Group, Web};
use crate::mir::Class;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Registers of each class that may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// 32-bit registers, from R0.
    pub gprs: u32,
    /// Address registers, from A1.
    pub addrs: u32,
    /// Flag registers, from C0.
    pub flags: u32,
}

impl Limits {
    /// First place behind those a group may have.
    pub fn of(&self, class: Class, group: &Group) -> u32 {
        match class {
            Class::Gpr(_) if group.half => self.gprs.min(64),
            Class::Gpr(_) => self.gprs,
            Class::Addr => self.addrs,
            Class::Flag => self.flags,
        }
    }
}

/// Result of an attempt.
#[derive(Clone, Debug, Default)]
pub struct Coloring {
    /// First place of every group, from 0 in its class.
    pub place: Vec<Option<u8>>,
    /// Groups without a place.
    pub spilled: Vec<u32>,
}

/// A neighbour: number, and registers it may keep from the group at most.
type Edge = (u32, u32);

struct Node {
    edges: Vec<Edge>,
    /// Registers the neighbours still in the graph may block, and the own size.
    load: u32,
    limit: u32,
    gone: bool,
}

/// Colours all groups. `keep` are groups that must not go to memory.
pub fn color(web: &Web, limits: Limits, keep: &[bool]) -> Coloring {
    let mut nodes = nodes(web, limits);
    let order = order(web, &mut nodes, keep);
    let friends = web.friends();
    let mut out = Coloring { place: vec![None; web.groups.len()], spilled: Vec::new() };
    for (id, g) in web.groups.iter().enumerate() {
        out.place[id] = g.as_ref().and_then(|g| g.fixed);
    }
    for &id in order.iter().rev() {
        let Some(g) = &web.groups[id as usize] else { continue };
        if g.fixed.is_some() {
            continue;
        }
        let limit = nodes[id as usize].limit;
        match place(web, g, &out.place, &friends[id as usize], limit) {
            Some(p) => out.place[id as usize] = Some(p),
            None => out.spilled.push(id),
        }
    }
    out
}

fn nodes(web: &Web, limits: Limits) -> Vec<Node> {
    let mut nodes = Vec::with_capacity(web.groups.len());
    let mut seen = vec![u32::MAX; web.groups.len()];
    for (id, g) in (0..).zip(&web.groups) {
        let Some(g) = g else {
            nodes.push(Node { edges: Vec::new(), load: 0, limit: 0, gone: true });
            continue;
        };
        seen[id as usize] = id;
        let mut edges = Vec::new();
        for (_, other, _) in web.clashes(g) {
            if std::mem::replace(&mut seen[other as usize], id) != id {
                let size = web.groups[other as usize].as_ref().map_or(1, |o| o.size);
                edges.push((other, u32::from(size.max(g.size))));
            }
        }
        let load = u32::from(g.size) + edges.iter().map(|e| e.1).sum::<u32>();
        // A wide group can only use whole multiples of its size.
        let limit = limits.of(web.kind(id), g) / u32::from(g.size) * u32::from(g.size);
        nodes.push(Node { edges, load, limit, gone: false });
    }
    nodes
}

/// The order in which groups leave the graph.
fn order(web: &Web, nodes: &mut [Node], keep: &[bool]) -> Vec<u32> {
    let slack = |n: &Node| i64::from(n.load) - i64::from(n.limit);
    let mut heap = BinaryHeap::new();
    for (id, n) in (0u32..).zip(nodes.iter()) {
        if !n.gone {
            heap.push(Reverse((slack(n), id)));
        }
    }
    let mut order = Vec::new();
    while let Some(Reverse((key, id))) = heap.pop() {
        let n = &nodes[id as usize];
        if n.gone || slack(n) != key {
            continue;
        }
        let mut id = id;
        if key > 0 {
            // None is sure to get a place: the cheapest leaves, in the hope that it does anyway.
            let price = |i: u32| {
                let n = &nodes[i as usize];
                let fixed = web.groups[i as usize].as_ref().is_some_and(|g| g.fixed.is_some());
                let high = keep[i as usize] || fixed;
                let cost = web.cost[i as usize] / n.load.max(1) as f32;
                if high {
                    cost + 1e30
                } else {
                    cost
                }
            };
            let left = (0..nodes.len() as u32).filter(|&i| !nodes[i as usize].gone);
            if let Some(best) = left.min_by(|&a, &b| price(a).total_cmp(&price(b))) {
                if best != id {
                    heap.push(Reverse((key, id)));
                }
                id = best;
            }
        }
        let n = &mut nodes[id as usize];
        n.gone = true;
        order.push(id);
        for (other, _) in std::mem::take(&mut n.edges) {
            let size = web.groups[id as usize].as_ref().map_or(1, |g| g.size);
            let mine = web.groups[other as usize].as_ref().map_or(1, |g| g.size);
            let o = &mut nodes[other as usize];
            if !o.gone {
                o.load = o.load.saturating_sub(u32::from(size.max(mine)));
                heap.push(Reverse((slack(o), other)));
            }
        }
    }
    order
}

/// The lowest place free for a group; the place next to a copy's other side when that is free.
fn place(web: &Web, g: &Group, places: &[Option<u8>], friends: &[(u8, u32, u8)], limit: u32) -> Option<u8> {
    let mut blocked = 0u128;
    for (mine, other, theirs) in web.clashes(g) {
        if let Some(p) = places[other as usize] {
            let at = u32::from(p) + u32::from(theirs);
            if let Some(start) = at.checked_sub(u32::from(mine)).filter(|&s| s < 128) {
                blocked |= 1 << start;
            }
        }
    }
    let size = u32::from(g.size);
    let free = |p: u32| p % size == 0 && p + size <= limit && blocked >> p & 1 == 0;
    let lowest = (0..limit).step_by(g.size.into()).find(|&p| free(p))?;
    // Registers used already cost nothing.
    let used = places.iter().zip(&web.groups).filter_map(|(p, g)| {
        let (p, g) = ((*p)?, g.as_ref()?);
        Some(u32::from(p) + u32::from(g.size))
    });
    let friend = friends.iter().find_map(|&(mine, other, theirs)| {
        let at = u32::from(places[other as usize]?) + u32::from(theirs);
        at.checked_sub(u32::from(mine)).filter(|&p| free(p))
    });
    let friend = match friend {
        Some(p) if p > lowest && p + size > used.max().unwrap_or(0) => None,
        p => p,
    };
    Some(friend.unwrap_or(lowest) as u8)
}
