//! A gate in machine code: its flag, what it computes, and the gates that it opens for what it changed.

use super::{flags, Emit, Source};
use crate::code::plan::Gate;
use crate::layout::Place;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I8;
use cranelift_codegen::ir::{InstBuilder, Value};
use std::collections::BTreeMap;
use std::ops::Range;
use warpsmith_netlist::flat::{MemId, NodeId, RegId};

/// Values that the same gates read are compared together: one branch is less often mistaken than many.
#[derive(Default)]
struct Changes(BTreeMap<Vec<u32>, Group>);

#[derive(Default)]
struct Group {
    /// Values.
    count: u32,
    /// Bits that changed in any of them.
    other: Option<Value>,
}

impl Changes {
    /// A value will be put that these gates read.
    fn expect(&mut self, readers: &[u32]) {
        self.0.entry(readers.to_vec()).or_default().count += 1;
    }
}

impl Emit<'_, '_> {
    /// Gates of the plan, one after another.
    pub fn gates(&mut self, gates: Range<usize>) {
        for g in gates {
            let flag = self.source.plan.flag(g as u32);
            let on = self.b.ins().load(I8, flags(), self.base, flag.at as i32);
            let [open, done] = [(); 2].map(|()| self.b.create_block());
            self.b.ins().brif(on, open, &[], done, &[]);
            self.b.switch_to_block(open);
            let off = self.b.ins().iconst(I8, 0);
            self.b.ins().store(flags(), off, self.base, flag.at as i32);
            self.gate(&self.source.plan.gates[g]);
            self.b.ins().jump(done, &[]);
            self.b.switch_to_block(done);
            self.forget(0);
        }
    }

    fn gate(&mut self, gate: &Gate) {
        let Source { flat, layout, plan } = self.source;
        let own = |own: &mut Vec<bool>, is: bool| gate.nodes.iter().for_each(|n| own[n.0 as usize] = is);
        own(&mut self.own, true);
        let regs = gate.regs.iter().chain(gate.groups.iter().flatten()).chain(&gate.copies);
        let places = regs.flat_map(|r| [Some(layout.reg(RegId(*r))), plan.next[*r as usize]]);
        let nodes = gate.nodes.iter().map(|n| plan.slots[n.0 as usize]);
        self.written = places.chain(nodes).flatten().map(|p| p.at).collect();
        for mem in &gate.mems {
            let words = layout.mem(MemId(*mem));
            self.written.extend((0..words.width.div_ceil(64)).map(|w| words.first(w).at));
        }
        let mut changes = Changes::default();
        for node in &gate.nodes {
            if plan.slots[node.0 as usize].is_some() {
                changes.expect(&plan.readers.nodes[node.0 as usize]);
            }
        }
        for node in &gate.nodes {
            self.get(*node);
            if let Some(place) = plan.slots[node.0 as usize] {
                let readers = &plan.readers.nodes[node.0 as usize];
                self.change(*node, place, readers, &mut changes);
            }
        }
        self.tell(changes);
        for (node, place) in &gate.outputs {
            let known = self.get(*node);
            self.put(*node, known, *place);
        }
        // All are read before one is written.
        for r in &gate.regs {
            self.get(flat.regs[*r as usize].next);
        }
        for group in &gate.groups {
            let next = |r: &u32| (*r, flat.regs[*r as usize].next);
            let group: Vec<_> = group.iter().map(next).collect();
            self.statements(&group);
        }
        let regs = gate.regs.iter();
        let regs: Vec<_> = regs.map(|r| (*r, flat.regs[*r as usize].next)).collect();
        self.put_next(&regs);
        for mem in &gate.mems {
            self.writes(&flat.mems[*mem as usize], *mem as usize);
        }
        let mut changes = Changes::default();
        for r in &gate.copies {
            changes.expect(&plan.readers.regs[*r as usize]);
        }
        for r in gate.copies.iter().map(|r| *r as usize) {
            let from = plan.next[r].expect("it waits");
            let width = flat.regs[r].width;
            let value = self.load(self.base, from, width);
            let (to, readers) = (layout.regs[r], &plan.readers.regs[r]);
            self.replace(value, width, to, readers, &mut changes);
        }
        self.tell(changes);
        if let Some(copy) = gate.copy {
            self.open(&[copy]);
        }
        own(&mut self.own, false);
    }

    /// Next values of registers: put there at once, or where they wait.
    pub(super) fn put_next(&mut self, list: &[(u32, NodeId)]) {
        let Source { layout, plan, .. } = self.source;
        let mut changes = Changes::default();
        for (r, _) in list {
            if plan.next[*r as usize].is_none() {
                changes.expect(&plan.readers.regs[*r as usize]);
            }
        }
        for &(r, next) in list {
            let r = r as usize;
            match plan.next[r] {
                Some(place) => {
                    let known = self.get(next);
                    self.put(next, known, place);
                }
                None => self.change(next, layout.regs[r], &plan.readers.regs[r], &mut changes),
            }
        }
        self.tell(changes);
    }

    /// Puts the value of a node somewhere, and opens gates if it is another than before.
    fn change(&mut self, node: NodeId, place: Place, readers: &[u32], changes: &mut Changes) {
        let value = self.clean(node);
        let width = self.source.flat.graph.width(node);
        self.replace(value, width, place, readers, changes);
    }

    fn replace(&mut self, value: Value, width: u8, place: Place, readers: &[u32], changes: &mut Changes) {
        if readers.is_empty() {
            return self.store(self.base, place, value, width);
        }
        let old = self.load(self.base, place, width);
        let group = changes.0.get_mut(readers).expect("it was expected");
        if group.count > 1 {
            self.store(self.base, place, value, width);
            let other = self.b.ins().bxor(value, old);
            let other = self.extended(other, width, 64);
            group.other = Some(match group.other {
                None => other,
                Some(before) => self.b.ins().bor(before, other),
            });
            return;
        }
        let other = self.b.ins().icmp(IntCC::NotEqual, value, old);
        let [changed, done] = [(); 2].map(|()| self.b.create_block());
        self.b.set_cold_block(changed);
        self.b.ins().brif(other, changed, &[], done, &[]);
        self.b.switch_to_block(changed);
        self.store(self.base, place, value, width);
        self.open(readers);
        self.b.ins().jump(done, &[]);
        self.b.switch_to_block(done);
    }

    /// Opens the gates that read values of which any changed.
    fn tell(&mut self, changes: Changes) {
        for (readers, group) in changes.0 {
            let Some(other) = group.other else { continue };
            let [changed, done] = [(); 2].map(|()| self.b.create_block());
            self.b.ins().brif(other, changed, &[], done, &[]);
            self.b.switch_to_block(changed);
            self.open(&readers);
            self.b.ins().jump(done, &[]);
            self.b.switch_to_block(done);
        }
    }

    /// Opens gates.
    pub(super) fn open(&mut self, gates: &[u32]) {
        let on = self.b.ins().iconst(I8, 1);
        for g in gates {
            let flag = self.source.plan.flag(*g);
            self.b.ins().store(flags(), on, self.base, flag.at as i32);
        }
    }
}
