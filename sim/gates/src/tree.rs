//! A design as the tree of its instances again.

use warpsmith_netlist::{Design, ModuleId, Tree};

/// The tree of a design; the top's instance bears the name of its module.
pub(crate) fn of(design: &Design) -> Tree {
    let top = ModuleId(design.modules.len() as u32 - 1);
    grown(design, top, design.top().name.clone(), design.top().name.clone())
}

fn grown(design: &Design, id: ModuleId, instance: String, block: String) -> Tree {
    let mut module = design.module(id).clone();
    let below = std::mem::take(&mut module.body.children);
    module.name = block;
    module.instances = 1;
    let children = below.into_iter().map(|c| grown(design, c.module, c.instance, c.block)).collect();
    Tree { instance, module, children }
}
