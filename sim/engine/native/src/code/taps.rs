//! Taps as plain logic: masks of a saboteur are registers that nothing writes, the value in front of it is an output port.

use super::fold::rebuilt;
use crate::layout::{bytes, Layout, Place};
use std::collections::{BTreeMap, HashMap};
use warpsmith_contract::{Direction, Port};
use warpsmith_netlist::flat::{Flat, Graph, NodeId, Op, Reg, RegId};

/// Registers for the masks of saboteurs, pieces of 64 bits.
struct Masks<'a> {
    flat: &'a Flat,
    layout: &'a Layout,
    known: HashMap<(u32, u32, u32), NodeId>,
    regs: Vec<Reg>,
    places: Vec<Place>,
}

impl Masks<'_> {
    /// `width` bits from `lo` on of the mask of a site: `keep` (1) or `flip` (2).
    fn bits(&mut self, graph: &mut Graph, site: u32, which: u32, lo: u32, width: u8) -> NodeId {
        let end = lo + u32::from(width);
        let parts: Vec<NodeId> = (lo / 64..end.div_ceil(64))
            .map(|piece| {
                let reg = self.piece(graph, site, which, piece);
                let (from, to) = (lo.max(64 * piece), end.min(64 * piece + 64));
                graph.slice(reg, (from - 64 * piece) as u8, (to - from) as u8)
            })
            .collect();
        graph.cat(&parts)
    }

    fn piece(&mut self, graph: &mut Graph, site: u32, which: u32, piece: u32) -> NodeId {
        if let Some(node) = self.known.get(&(site, which, piece)) {
            return *node;
        }
        let all = self.flat.sites[site as usize].width;
        let width = (all - 64 * piece).min(64) as u8;
        let number = RegId((self.flat.regs.len() + self.regs.len()) as u32);
        let node = graph.put(Op::Reg(number), width);
        let at = self.layout.sites[site as usize] as usize + which as usize * bytes(all as usize);
        self.regs.push(Reg { site, lo: 64 * piece, width, next: node });
        self.places.push(Place::piece(at, all as usize, piece as usize));
        self.known.insert((site, which, piece), node);
        node
    }
}

/// The same chip without taps, and where it stands: the same bytes. Registers and ports are added behind the others.
pub fn opened(flat: &Flat, layout: &Layout) -> (Flat, Layout) {
    let mut masks = Masks { flat, layout, known: HashMap::new(), regs: vec![], places: vec![] };
    let mut raw: BTreeMap<u32, Vec<(u32, NodeId)>> = BTreeMap::new();
    let mut out = rebuilt(flat, |graph, node, at| {
        let Op::Tap { site, lo, of } = node.op else { return None };
        let of = at(of);
        raw.entry(site).or_default().push((lo, of));
        let [keep, flip] = [1, 2].map(|which| masks.bits(graph, site, which, lo, node.width));
        let kept = graph.and(of, keep);
        Some(graph.xor(kept, flip))
    });
    let mut layout = Layout { taps: vec![], ..layout.clone() };
    for (site, list) in raw {
        let width = flat.sites[site as usize].width;
        let nodes = (0..width.div_ceil(64)).map(|piece| value(&mut out.graph, &list, width, piece)).collect();
        out.outputs.push((out.ports.len() as u32, nodes));
        out.ports.push(Port::new(&flat.sites[site as usize].path, width as usize, Direction::Output));
        layout.ports.push(layout.sites[site as usize]);
    }
    out.regs.extend(masks.regs);
    layout.regs.extend(masks.places);
    (out, layout)
}

/// A piece of 64 bits of a site `width` bits wide, of the nodes that hold its bits: first bit and node, in order.
fn value(graph: &mut Graph, list: &[(u32, NodeId)], width: u32, piece: u32) -> NodeId {
    let (first, end) = (64 * piece, width.min(64 * piece + 64));
    let part = |&(lo, node): &(u32, NodeId)| {
        let (from, to) = (lo.max(first), end.min(lo + u32::from(graph.width(node))));
        (from < to).then(|| graph.slice(node, (from - lo) as u8, (to - from) as u8))
    };
    let parts: Vec<NodeId> = list.iter().filter_map(part).collect();
    graph.cat(&parts)
}
