//! The tree of instances, as the rust-hdl visitor sees it.

use crate::rtl::module_of;
use rust_hdl_core::atom::Atom;
use rust_hdl_core::block::Block;
use rust_hdl_core::probe::Probe;
use warpsmith_netlist::Tree;

/// Walks `top` and everything below it.
pub fn of(name: &str, top: &dyn Block) -> Tree {
    let mut walk = Walk::default();
    top.accept(name, &mut walk);
    walk.done.expect("a block")
}

#[derive(Default)]
struct Walk {
    stack: Vec<Tree>,
    done: Option<Tree>,
}

impl Probe for Walk {
    fn visit_start_scope(&mut self, name: &str, node: &dyn Block) {
        self.stack.push(Tree { instance: name.replace('$', "_"), module: module_of(name, node), children: vec![] });
    }
    fn visit_atom(&mut self, _: &str, _: &dyn Atom) {}
    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        let node = self.stack.pop().expect("opened above");
        match self.stack.last_mut() {
            Some(up) => up.children.push(node),
            None => self.done = Some(node),
        }
    }
}
