//! Fault injection in hardware: a saboteur at every register and memory of chosen blocks, addressed by a scan chain.
//!
//! Each bit of a register has a mask bit beside it; each memory has a mask for a word, the address of that word, and a mask
//! for the words read last. All mask and address bits are one shift register through the chip. The controller at the
//! top ([`mod@control`]) shifts a fault's place into it, counts cycles from the start of a kernel, and says in each cycle whether the
//! bits under the mask are changed at the coming edge, and to what. What is in the chip stays as it is: a saboteur is
//! between a register and its next value, and at the ports of a memory.

mod build;
mod chain;
mod control;
mod memory;
mod register;

pub use chain::{Chain, Place};

use super::lift::lift;
use crate::design::Tree;
use crate::expr::{Binary, Kind, Pool};
use crate::id::{ExprId, SignalId};
use crate::module::{Body, Signal, SignalKind};
use crate::print::instance_label;
use build::{CHANGED, CONTROL, CONTROL_BITS, IN, OUT};
use std::collections::BTreeSet;
use warpsmith_contract::ports;

/// Why saboteurs cannot be put into a chip.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InjectError {
    /// No block with registers or memories has the name.
    #[error("no block with registers or memories is called `{name}`; there are {}", .blocks.join(", "))]
    NoBlock {
        /// The name.
        name: String,
        /// Names that there are.
        blocks: Vec<String>,
    },
}

/// Puts saboteurs into the blocks of a chip that are named, and what is below them, and the controller beside its bus. Blocks
/// are named as their instances are, without the number of one of several. Says where in the chain each site is.
///
/// # Errors
/// [`InjectError`].
pub fn inject(mut top: Tree, blocks: &[String]) -> Result<(Tree, Chain), InjectError> {
    let mut walk = Walk { wanted: blocks, found: BTreeSet::new(), all: BTreeSet::new(), chain: Chain::default() };
    walk.node(&mut top, String::new(), false);
    if let Some(name) = blocks.iter().find(|b| !walk.found.contains(b.as_str())) {
        return Err(InjectError::NoBlock { name: name.clone(), blocks: walk.all.into_iter().collect() });
    }
    let chain = walk.chain;
    control(&mut top, &chain);
    Ok((top, chain))
}

struct Walk<'a> {
    wanted: &'a [String],
    /// Names of blocks in which something got a saboteur.
    found: BTreeSet<String>,
    /// Names of blocks in which something could.
    all: BTreeSet<String>,
    chain: Chain,
}

impl Walk<'_> {
    /// Puts saboteurs into a node and what is below, and leads chain and control through its ports, but for the top, whose path
    /// is empty. `path` begins names of its sites; `inside`: a block above is wanted.
    fn node(&mut self, node: &mut Tree, path: String, inside: bool) {
        let own = node.block().to_string();
        let inside = inside || self.wanted.contains(&own);
        let before = self.chain.length;
        let is_memory = node.module.body.memory.is_some();
        let has_state = is_memory || node.module.body.registers().next().is_some();
        if is_memory && inside {
            let empty = Tree { instance: String::new(), module: node.module.clone(), children: vec![] };
            *node = memory::sabotaged(std::mem::replace(node, empty), &path, &mut self.chain);
        } else {
            for child in &mut node.children {
                let below = format!("{path}{}.", instance_label(&child.instance));
                self.node(child, below, inside);
            }
            if inside {
                lift(
                    node,
                    |_| true,
                    |name, width, reset| {
                        self.chain.register(format!("{path}{name}"), width);
                        register::saboteur(name, width, reset)
                    },
                );
            }
            if self.chain.length > before {
                connect(node, path.is_empty());
            }
        }
        if has_state || node.children.iter().any(|c| c.module.body.memory.is_some()) {
            self.all.insert(own.clone());
        }
        if self.chain.length > before && self.wanted.contains(&own) {
            self.found.insert(own);
        }
    }
}

/// Nets of a block at the ports of its children that the chain goes through.
struct Net {
    control: SignalId,
    input: SignalId,
    output: SignalId,
    changed: SignalId,
}

/// Adds the nets at ports that children got, and lists those of the chain.
fn nets(node: &mut Tree) -> Vec<Net> {
    node.add_nets();
    let body = &node.module.body;
    let mut list = vec![];
    for (i, child) in node.children.iter().enumerate() {
        let at = |name: &str| {
            let port = child.module.body.ports().position(|(_, s)| s.name == name)?;
            body.child_nets(i).nth(port).map(|(id, _)| id)
        };
        if let (Some(control), Some(input), Some(output), Some(changed)) = (at(CONTROL), at(IN), at(OUT), at(CHANGED)) {
            list.push(Net { control, input, output, changed });
        }
    }
    list
}

/// The value of a signal.
fn value(pool: &mut Pool, id: SignalId, width: u32) -> ExprId {
    pool.intern(Kind::Signal(id), width)
}

/// Leads the chain through the children of a block, control to each and their events together, from and to ports of its own; of
/// the top, whose controller is added afterwards, through its children alone.
fn connect(node: &mut Tree, top: bool) {
    let list = nets(node);
    let body = &mut node.module.body;
    let mut port = |name: &str, width, kind| body.add_signal(name.into(), width, kind);
    let ends = (!top).then(|| {
        let control = port(CONTROL, CONTROL_BITS, SignalKind::Input);
        let input = port(IN, 1, SignalKind::Input);
        (control, input, port(OUT, 1, SignalKind::Output), port(CHANGED, 1, SignalKind::Output))
    });
    let mut pool = Pool::from_list(std::mem::take(&mut body.exprs));
    let mut before = ends.map(|e| e.1);
    for net in &list {
        if let Some(before) = before {
            body.assigns.push((net.input, value(&mut pool, before, 1)));
        }
        if let Some((control, ..)) = ends {
            body.assigns.push((net.control, value(&mut pool, control, CONTROL_BITS)));
        }
        before = Some(net.output);
    }
    if let (Some((_, _, output, event)), Some(last)) = (ends, before) {
        body.assigns.push((output, value(&mut pool, last, 1)));
        let sum = any(&mut pool, &list);
        body.assigns.push((event, sum));
    }
    body.exprs = pool.into_list();
}

/// Whether any of the children tells that a bit changed.
fn any(pool: &mut Pool, list: &[Net]) -> ExprId {
    let mut values: Vec<ExprId> = list.iter().map(|n| value(pool, n.changed, 1)).collect();
    let first = values.remove(0);
    values.into_iter().fold(first, |a, b| pool.intern(Kind::Binary(Binary::Or, a, b), 1))
}

/// Puts the controller between the bus and the rest of the top.
fn control(top: &mut Tree, chain: &Chain) {
    let list = nets(top);
    let child = top.children.len() as u32;
    let controller = Tree { instance: "inject".into(), module: control::controller(chain), children: vec![] };
    let body = &mut top.module.body;
    let mut at = std::collections::BTreeMap::new();
    for (_, port) in controller.module.body.ports() {
        let net = Signal::at_port(child, &controller.instance, port);
        at.insert(port.name.clone(), (body.add_signal(net.name, net.width, net.kind), net.width));
    }
    let named = |body: &Body, name: &str| {
        let found = body.numbered().find(|(_, s)| s.name == name).map(|(id, s)| (id, s.width));
        found.unwrap_or_else(|| panic!("the top has a port {name}"))
    };
    let mut bus = vec![];
    for port in [ports::BUS_VALID, ports::BUS_WRITE, ports::BUS_ADDRESS, ports::BUS_WDATA] {
        let (id, width) = named(body, port.name);
        // Who read the port reads what the controller hands on.
        let through = at[&format!("chip_{}", port.name)].0;
        body.exprs.iter_mut().filter(|e| e.kind == Kind::Signal(id)).for_each(|e| e.kind = Kind::Signal(through));
        bus.push((at[port.name].0, id, width));
    }
    let mut pool = Pool::from_list(std::mem::take(&mut body.exprs));
    let mut assigns: Vec<_> = bus.into_iter().map(|(to, id, width)| (to, value(&mut pool, id, width))).collect();
    let driven = |name: &str| {
        let (id, _) = named(body, name);
        let found = body.assigns.iter().position(|(s, _)| *s == id);
        found.unwrap_or_else(|| panic!("{name} has one value"))
    };
    let (rdata, done) = (driven(ports::BUS_RDATA.name), driven(ports::DONE.name));
    assigns.push((at["chip_rdata"].0, body.assigns[rdata].1));
    assigns.push((at["done"].0, body.assigns[done].1));
    let (answer, width) = at["rdata"];
    body.assigns[rdata].1 = value(&mut pool, answer, width);
    let (orders, width) = at[CONTROL];
    for net in &list {
        assigns.push((net.control, value(&mut pool, orders, width)));
    }
    let ends = (list.first().expect("a chain"), list.last().expect("a chain"));
    assigns.push((ends.0.input, value(&mut pool, at[OUT].0, 1)));
    assigns.push((at[IN].0, value(&mut pool, ends.1.output, 1)));
    let changed = any(&mut pool, &list);
    assigns.push((at[CHANGED].0, changed));
    body.assigns.extend(assigns);
    body.exprs = pool.into_list();
    top.children.push(controller);
}
