//! All modules of a chip, and the tree of its instances.

use crate::id::ModuleId;
use crate::module::{Body, Child, Module, Signal, SignalKind};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// An instance with everything below it, before equal modules are joined.
#[derive(Clone, Debug)]
pub struct Tree {
    /// Name of the instance.
    pub instance: String,
    /// Its own module; its `children` are empty.
    pub module: Module,
    /// What it holds, in the order of its nets' numbers.
    pub children: Vec<Tree>,
}

impl Tree {
    /// Adds nets at the ports that children got since theirs were added, behind those of the same child.
    pub(crate) fn add_nets(&mut self) {
        let body = &mut self.module.body;
        for (i, child) in self.children.iter().enumerate() {
            let there = body.child_nets(i).count();
            for (_, port) in child.module.body.ports().skip(there) {
                let net = Signal::at_port(i as u32, &child.instance, port);
                body.add_signal(net.name, net.width, net.kind);
            }
        }
    }

    /// Name of the block in the chip's diagram: that of the instance, without the number of one of several.
    pub fn block(&self) -> &str {
        let stem = self.instance.trim_end_matches(|c: char| c.is_ascii_digit());
        match stem.strip_suffix('_') {
            Some(stem) if stem.len() < self.instance.len() && !stem.is_empty() => stem,
            _ => &self.instance,
        }
    }
}

/// A chip: distinct modules, children before parents; the last one is the top.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Design {
    /// Modules.
    pub modules: Vec<Module>,
}

impl Design {
    /// Joins equal modules. A module bears the name of the first block that describes it; further
    /// modules of that block get a number.
    pub fn new(tree: Tree) -> Self {
        let mut join = Join::default();
        join.add(tree);
        Design { modules: join.modules }
    }

    /// The top module.
    ///
    /// # Panics
    /// Without modules; [`Design::new`] makes at least one.
    pub fn top(&self) -> &Module {
        self.modules.last().expect("a design has a top")
    }

    /// The tree of its instances again: [`Design::new`] makes an equal design of it. The top's instance bears the name of
    /// its module.
    ///
    /// # Panics
    /// Without modules.
    pub fn tree(&self) -> Tree {
        let name = &self.top().name;
        self.grown(ModuleId(self.modules.len() as u32 - 1), name.clone(), name.clone())
    }

    /// An instance of a module, with the name of the block that the module bears in it.
    fn grown(&self, id: ModuleId, instance: String, block: String) -> Tree {
        let mut module = self.module(id).clone();
        let below = std::mem::take(&mut module.body.children);
        module.name = block;
        module.instances = 1;
        let children = below.into_iter().map(|c| self.grown(c.module, c.instance, c.block)).collect();
        Tree { instance, module, children }
    }

    /// A module by number.
    pub fn module(&self, id: ModuleId) -> &Module {
        &self.modules[id.0 as usize]
    }
}

#[derive(Default)]
struct Join {
    modules: Vec<Module>,
    by_body: HashMap<Body, ModuleId>,
    names: HashSet<String>,
}

impl Join {
    fn add(&mut self, tree: Tree) -> ModuleId {
        let mut module = tree.module;
        let memory = module.body.memory.is_some();
        module.clock = memory || module.body.registers().next().is_some();
        module.reset = module.body.registers().any(|(_, s)| matches!(s.kind, SignalKind::Reg { reset: Some(_) }));
        for child in tree.children {
            let (instance, block) = (child.instance.clone(), child.module.name.clone());
            let id = self.add(child);
            let below = &self.modules[id.0 as usize];
            module.clock |= below.clock;
            module.reset |= below.reset;
            module.body.children.push(Child { instance, block, module: id });
        }
        if let Some(id) = self.by_body.get(&module.body) {
            self.modules[id.0 as usize].instances += 1;
            return *id;
        }
        let id = ModuleId(u32::try_from(self.modules.len()).expect("fewer than 2^32 modules"));
        self.by_body.insert(module.body.clone(), id);
        let block = module.name.clone();
        let mut number = 1;
        while !self.names.insert(module.name.clone()) {
            number += 1;
            module.name = format!("{block}_{number}");
        }
        self.modules.push(module);
        id
    }
}
