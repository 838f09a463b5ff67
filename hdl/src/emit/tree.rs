//! The block tree as the rust-hdl visitor sees it: instances, ports, registers, bodies.

use crate::rtl::{leaf_kind, LeafKind};
use rust_hdl_core::ast::Verilog;
use rust_hdl_core::atom::Atom;
use rust_hdl_core::block::Block;
use rust_hdl_core::probe::Probe;

/// A port or register of a node.
#[derive(Clone, Debug)]
pub struct Wire {
    pub name: String,
    pub width: usize,
    pub kind: LeafKind,
}

/// One instance.
#[derive(Clone, Debug, Default)]
pub struct Node {
    pub instance: String,
    /// Text of the body with the marks of [`crate::rtl`].
    pub body: String,
    pub wires: Vec<Wire>,
    pub children: Vec<Node>,
}

/// Walks `top` and everything below it.
pub fn of(name: &str, top: &dyn Block) -> Node {
    let mut walk = Walk::default();
    top.accept(name, &mut walk);
    walk.done.expect("a block")
}

#[derive(Default)]
struct Walk {
    stack: Vec<Node>,
    done: Option<Node>,
}

impl Probe for Walk {
    fn visit_start_scope(&mut self, name: &str, node: &dyn Block) {
        let body = match node.hdl() {
            Verilog::Custom(text) => text,
            other => panic!("{name}: a body written with rtl_block!, found {other:?}"),
        };
        self.stack.push(Node {
            instance: name.replace('$', "_"),
            body,
            ..Default::default()
        });
    }
    fn visit_atom(&mut self, name: &str, a: &dyn Atom) {
        let kind = leaf_kind(a).expect("checked when the body was built");
        let node = self.stack.last_mut().expect("a leaf stands in a block");
        node.wires.push(Wire {
            name: name.replace('$', "_"),
            width: a.bits(),
            kind,
        });
    }
    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        let node = self.stack.pop().expect("opened above");
        match self.stack.last_mut() {
            Some(up) => up.children.push(node),
            None => self.done = Some(node),
        }
    }
}
