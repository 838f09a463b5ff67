//! A flat netlist rebuilt with other nodes in the place of some; what became constant is folded away.

use warpsmith_netlist::flat::{Flat, Graph, Mem, Node, NodeId, Op, Reg, Write};

/// The same chip with an input of one bit held at 0.
pub fn held_low(flat: &Flat, low: u32) -> Flat {
    rebuilt(flat, |graph, node, _| match node.op {
        Op::Input { port, .. } if port == low => Some(graph.lit(node.width, 0)),
        _ => None,
    })
}

/// The same chip with what `other` gives in the place of a node: it is asked with the new graph, the node, and what gives the
/// new number of one of its operands. Registers, memories, ports and sites keep their numbers.
pub fn rebuilt(
    flat: &Flat, mut other: impl FnMut(&mut Graph, Node, &dyn Fn(NodeId) -> NodeId) -> Option<NodeId>,
) -> Flat {
    let mut graph = Graph::default();
    let mut to: Vec<NodeId> = vec![];
    for node in flat.graph.nodes() {
        let at = |n: NodeId| to[n.0 as usize];
        let g = &mut graph;
        if let Some(id) = other(g, *node, &at) {
            to.push(id);
            continue;
        }
        let id = match node.op {
            Op::Const(_) | Op::Input { .. } | Op::Reg(_) => g.put(node.op, node.width),
            Op::Read { mem, word, address } => {
                let address = at(address);
                g.put(Op::Read { mem, word, address }, node.width)
            }
            Op::Tap { site, lo, of } => {
                let of = at(of);
                g.put(Op::Tap { site, lo, of }, node.width)
            }
            Op::Not(a) => g.not(at(a)),
            Op::And(a, b) => g.and(at(a), at(b)),
            Op::Or(a, b) => g.or(at(a), at(b)),
            Op::Xor(a, b) => g.xor(at(a), at(b)),
            Op::Add(a, b) => g.add(at(a), at(b)),
            Op::Sub(a, b) => g.sub(at(a), at(b)),
            Op::Mul(a, b) => g.mul(at(a), at(b)),
            Op::Shl(a, b) => g.shl(at(a), at(b)),
            Op::Shr(a, b) => g.shr(at(a), at(b)),
            Op::Eq(a, b) => g.eq(at(a), at(b)),
            Op::Ne(a, b) => g.ne(at(a), at(b)),
            Op::Lt(a, b) => g.lt(at(a), at(b)),
            Op::Le(a, b) => g.le(at(a), at(b)),
            Op::Mux { condition, yes, no } => g.mux(at(condition), at(yes), at(no)),
            Op::Slice { of, lo } => g.slice(at(of), lo, node.width),
            Op::Repeat(a) => g.repeat(at(a), node.width),
            Op::Cat(parts) => {
                let parts: Vec<NodeId> = flat.graph.parts(parts).iter().map(|p| at(*p)).collect();
                g.cat(&parts)
            }
        };
        to.push(id);
    }
    let to = |n: NodeId| to[n.0 as usize];
    let reg = |r: &Reg| Reg { next: to(r.next), ..r.clone() };
    let mem = |m: &Mem| Mem { writes: m.writes.iter().map(|w| write(w, to)).collect(), ..m.clone() };
    let outputs = flat.outputs.iter();
    let outputs = outputs.map(|(port, nodes)| (*port, nodes.iter().map(|n| to(*n)).collect()));
    Flat {
        regs: flat.regs.iter().map(reg).collect(),
        mems: flat.mems.iter().map(mem).collect(),
        outputs: outputs.collect(),
        ports: flat.ports.clone(),
        sites: flat.sites.clone(),
        instances: flat.instances.clone(),
        graph,
    }
}

fn write(w: &Write, to: impl Fn(NodeId) -> NodeId) -> Write {
    Write { enable: to(w.enable), address: to(w.address), data: to(w.data), ..*w }
}
