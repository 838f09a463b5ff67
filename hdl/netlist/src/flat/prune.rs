//! Dead nodes are left out.

use super::chip::{Flat, Mem, Reg, Write};
use super::graph::Graph;
use super::node::{NodeId, Op};

impl Flat {
    /// The same chip without nodes that nothing reads.
    pub(super) fn pruned(self) -> Self {
        let mut live = vec![false; self.graph.nodes().len()];
        let mut open: Vec<NodeId> = vec![];
        open.extend(self.regs.iter().map(|r| r.next));
        open.extend(self.outputs.iter().flat_map(|(_, nodes)| nodes));
        let taps = (0..).map(NodeId).zip(self.graph.nodes());
        open.extend(taps.filter_map(|(id, n)| matches!(n.op, Op::Tap { .. }).then_some(id)));
        for write in self.mems.iter().flat_map(|m| &m.writes) {
            open.extend([write.enable, write.address, write.data]);
        }
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut live[node.0 as usize], true) {
                let op = self.graph.node(node).op;
                self.graph.operands(op, |o| open.push(o));
            }
        }
        let mut graph = Graph::default();
        let mut to: Vec<Option<NodeId>> = vec![None; live.len()];
        for (i, node) in self.graph.nodes().iter().enumerate() {
            // A register's own node stays: it is how its value is named.
            if live[i] || matches!(node.op, Op::Reg(_)) {
                let id =
                    graph.copy(NodeId(i as u32), &self.graph, |n| to[n.0 as usize].expect("operands stand before"));
                to[i] = Some(id);
            }
        }
        let to = |n: NodeId| to[n.0 as usize].expect("live");
        let reg = |r: Reg| Reg { next: to(r.next), ..r };
        let mem = |m: Mem| {
            let writes = m.writes.into_iter().map(|w| Write {
                enable: to(w.enable),
                address: to(w.address),
                data: to(w.data),
                ..w
            });
            Mem { writes: writes.collect(), ..m }
        };
        let outputs = self.outputs.into_iter();
        Flat {
            graph,
            regs: self.regs.into_iter().map(reg).collect(),
            mems: self.mems.into_iter().map(mem).collect(),
            outputs: outputs.map(|(port, nodes)| (port, nodes.into_iter().map(to).collect())).collect(),
            ports: self.ports,
            sites: self.sites,
            instances: self.instances,
        }
    }
}
