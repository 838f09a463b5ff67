//! Instances, their sites, and the registers and memories behind the sites.

use super::super::chip::{Instance, Mem, Reg};
use super::super::node::{InstanceId, MemId, Op, RegId};
use super::super::wide::{pieces, Value};
use super::{Build, Open, State};
use crate::module::{MemoryStyle, SignalKind};
use crate::print::instance_label;
use std::collections::HashMap;
use warpsmith_contract::{Site, SiteKind};

impl<'a> Build<'a> {
    /// Makes the instances below and including one.
    pub(super) fn expand(&mut self, module: usize, parent: Option<(usize, u32)>, path: String) -> usize {
        let body = &self.design.modules[module].body;
        let instance = self.open.len();
        self.open.push(Open {
            module,
            parent,
            children: vec![],
            signals: vec![State::Unknown; body.signals.len()],
            exprs: vec![None; body.exprs.len()],
            mem: None,
            held: vec![],
            taps: HashMap::new(),
        });
        self.flat.instances.push(Instance {
            path: path.clone(),
            module: module as u32,
            parent: parent.map(|(p, _)| InstanceId(p as u32)),
        });
        for (i, child) in body.children.iter().enumerate() {
            let path = format!("{path}{}.", instance_label(&child.instance));
            let below = self.expand(child.module.0 as usize, Some((instance, i as u32)), path);
            self.open[instance].children.push(below);
        }
        instance
    }

    /// Name of the block of an instance.
    fn block(&self, instance: usize) -> &'a str {
        match self.open[instance].parent {
            Some((parent, child)) => &self.body(parent).children[child as usize].block,
            None => &self.module(instance).name,
        }
    }

    fn add_site(&mut self, instance: usize, name: &str, kind: SiteKind, width: u32, depth: u32) -> u32 {
        let site = Site {
            path: format!("{}{name}", self.path(instance)),
            block: self.block(instance).into(),
            kind,
            width,
            depth,
            zeroed: false,
        };
        self.flat.sites.push(site);
        self.flat.sites.len() as u32 - 1
    }

    /// Sites in their order: memories and registers of all instances, then latched outputs of memories and
    /// outputs of blocks. Registers and memories are made on the way.
    pub(super) fn name_sites(&mut self, top: usize) {
        for instance in self.preorder(top) {
            let body = self.body(instance);
            self.own(instance);
            if let Some(memory) = &body.memory {
                let constant = memory.write.is_none();
                let site =
                    (!constant).then(|| self.add_site(instance, "mem", SiteKind::Ram, memory.width, memory.depth));
                if let Some(site) = site {
                    self.flat.sites[site as usize].zeroed = memory.zeroed;
                }
                self.open[instance].mem = Some(MemId(self.flat.mems.len() as u32));
                self.flat.mems.push(Mem {
                    site,
                    depth: memory.depth,
                    width: memory.width,
                    words: memory.words.clone(),
                    writes: vec![],
                });
            }
            for (id, register) in body.registers() {
                let site = self.add_site(instance, &register.name, SiteKind::Reg, register.width, 1);
                self.flat.sites[site as usize].zeroed = body.kept;
                let value = self.register(site, register.width);
                self.open[instance].signals[id.0 as usize] = State::Known(value);
            }
        }
        for instance in self.preorder(top) {
            let body = self.body(instance);
            let latched = body.memory.as_ref().is_some_and(|m| m.style != MemoryStyle::Lut);
            let outputs = body.ports().filter(|(_, s)| s.kind == SignalKind::Output);
            self.own(instance);
            for (id, output) in outputs {
                if latched {
                    let name = format!("{}_held", output.name);
                    let site = self.add_site(instance, &name, SiteKind::Reg, output.width, 1);
                    let value = self.register(site, output.width);
                    self.open[instance].held.push(value);
                } else if instance != top {
                    let site = self.add_site(instance, &output.name, SiteKind::Out, output.width, 1);
                    self.open[instance].taps.insert(id, site);
                }
            }
        }
    }

    fn preorder(&self, from: usize) -> Vec<usize> {
        let mut list = vec![from];
        for child in &self.open[from].children {
            list.extend(self.preorder(*child));
        }
        list
    }

    /// A new register of any width; its pieces get their next values later.
    fn register(&mut self, site: u32, width: u32) -> Value {
        let mut parts = vec![];
        for (lo, piece) in pieces(width) {
            let reg = RegId(self.flat.regs.len() as u32);
            let node = self.flat.graph.put(Op::Reg(reg), piece);
            self.flat.regs.push(Reg { site, lo, width: piece, next: node });
            parts.push(node);
        }
        Value { parts, width }
    }
}
