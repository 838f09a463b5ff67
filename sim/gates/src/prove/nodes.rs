//! Nodes of a flat chip by the names of their sites.

use super::Differing;
use warpsmith_netlist::flat::{Flat, NodeId, Op, RegId};

/// The pieces of a register or of an output of a block, from the least significant; empty where the chip has no such
/// site, or no such value any more.
pub fn of_site(flat: &Flat, path: &str) -> Vec<NodeId> {
    let Some(site) = flat.sites.iter().position(|s| s.path == path) else { return vec![] };
    let site = site as u32;
    let mut found: Vec<(u32, NodeId)> = vec![];
    for (i, node) in (0..).zip(flat.graph.nodes()) {
        match node.op {
            Op::Tap { site: s, lo, .. } if s == site => found.push((lo, NodeId(i))),
            Op::Reg(r) if flat.regs[r.0 as usize].site == site => found.push((flat.regs[r.0 as usize].lo, NodeId(i))),
            _ => {}
        }
    }
    found.sort_unstable();
    found.into_iter().map(|f| f.1).collect()
}

/// Bits of a register, from bit `lo` on; those that the chip has.
pub fn bits_of_site(flat: &Flat, path: &str, lo: u32, width: u32) -> Differing {
    let Some(site) = flat.sites.iter().position(|s| s.path == path) else { return Differing::new() };
    let mut found = Differing::new();
    for (id, reg) in (0..).zip(&flat.regs).filter(|(_, r)| r.site as usize == site) {
        for bit in 0..u32::from(reg.width) {
            if (lo..lo + width).contains(&(reg.lo + bit)) {
                *found.entry(RegId(id)).or_default() |= 1 << bit;
            }
        }
    }
    found
}
