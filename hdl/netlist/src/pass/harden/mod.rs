//! Hardening: registers of chosen blocks in two or three copies, their memories with check bits, or the blocks twice.
//!
//! A block's scheme covers what is in it and below it, but for blocks below with a scheme of their own. What is corrected
//! or detected goes up through outputs `harden_corrected` and `harden_detected`, a bit for each scheme of the plan, to the
//! module at the top, which hands both to the block that counts. Nothing else of a chip changes; without a scheme, nothing.

mod code;
mod duplicate;
mod memory;
mod register;
mod scheme;

pub use scheme::{Checks, Copies, Scheme};

use crate::design::Tree;
use crate::expr::{Binary, Kind, Pool};
use crate::id::ExprId;
use crate::module::SignalKind;
use scheme::{CORRECTED, DETECTED};
use std::collections::{BTreeMap, BTreeSet};

/// Schemes by the names of blocks: those of instances, without the number of one of several.
pub type Plan = BTreeMap<String, Scheme>;

/// Where the top hands the events to: nets at inputs of one of its blocks, a bit for each scheme, which are driven
/// by zeros before.
pub struct Sinks<'a> {
    /// For what was corrected.
    pub corrected: &'a str,
    /// For what was detected.
    pub detected: &'a str,
}

/// Why a plan does not fit a chip.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// No block has the name.
    #[error("no block of this chip is called `{name}`; there are {}", .blocks.join(", "))]
    NoBlock {
        /// The name.
        name: String,
        /// Names that there are.
        blocks: Vec<String>,
    },
    /// The block has nothing of the kind.
    #[error("`{name}` has no {what} of its own to protect")]
    Nothing {
        /// The block.
        name: String,
        /// "registers" or "memories".
        what: &'static str,
    },
    /// The block is the top.
    #[error("`{0}` is the whole chip, which has nothing beside it: duplicate is for a block below")]
    Whole(String),
}

/// Protects a chip as `plan` says. A top without the nets that `sinks` names gets outputs for the events.
///
/// # Errors
/// [`PlanError`].
pub fn harden(mut top: Tree, plan: &Plan, sinks: &Sinks) -> Result<Tree, PlanError> {
    let mut walk = Walk { plan, found: BTreeMap::new(), blocks: BTreeSet::new() };
    if let Some((name, _)) = plan.get_key_value(top.block()).filter(|(_, scheme)| scheme.duplicate) {
        return Err(PlanError::Whole(name.clone()));
    }
    walk.node(&mut top, None);
    for (name, scheme) in plan {
        let Some((registers, memories)) = walk.found.get(name) else {
            let blocks = walk.blocks.iter().cloned().collect();
            return Err(PlanError::NoBlock { name: name.clone(), blocks });
        };
        for (wanted, there, what) in
            [(scheme.registers.is_some(), *registers, "registers"), (scheme.memories.is_some(), *memories, "memories")]
        {
            if wanted && !there {
                return Err(PlanError::Nothing { name: name.clone(), what });
            }
        }
    }
    let has_sinks = top.module.body.signals.iter().any(|s| s.name == sinks.detected);
    let events = walk.events(&mut top, &mut vec![], has_sinks);
    if !has_sinks {
        return Ok(top);
    }
    for (name, value) in [(sinks.corrected, events[0]), (sinks.detected, events[1])] {
        let Some(value) = value else { continue };
        let body = &mut top.module.body;
        let sink = body.numbered().find(|(_, s)| s.name == name).map(|(id, _)| id);
        let sink = sink.unwrap_or_else(|| panic!("the top has a net {name}"));
        let assign = body.assigns.iter_mut().find(|(s, _)| *s == sink);
        assign.unwrap_or_else(|| panic!("{name} has a value")).1 = value;
    }
    Ok(top)
}

struct Walk<'a> {
    plan: &'a Plan,
    /// Whether registers and memories were found, by scheme.
    found: BTreeMap<String, (bool, bool)>,
    /// Names of blocks with something to protect.
    blocks: BTreeSet<String>,
}

impl Walk<'_> {
    /// Protects a node and what is below; `above` is the scheme it is in.
    fn node(&mut self, node: &mut Tree, above: Option<&str>) {
        let own = node.block().to_string();
        let own = own.as_str();
        let name = self.plan.get_key_value(own).map(|(name, _)| name.as_str()).or(above).map(String::from);
        let name = name.as_deref();
        let has = (node.module.body.registers().next().is_some(), node.module.body.memory.is_some());
        if has.0 || node.children.iter().any(|c| c.module.body.memory.is_some()) {
            self.blocks.insert(own.to_string());
        }
        for child in &mut node.children {
            self.node(child, name);
        }
        let Some(name) = name else { return };
        let scheme = self.plan[name];
        let is_written = node.module.body.memory.as_ref().is_some_and(|m| m.write.is_some());
        let found = self.found.entry(name.to_string()).or_default();
        found.0 |= has.0;
        found.1 |= is_written;
        if let Some(checks) = scheme.memories.filter(|_| is_written) {
            change(node, |node| memory::protect_memory(node, checks));
        }
        if let Some(copies) = scheme.registers {
            register::protect(node, copies, |_| true);
        }
        if scheme.duplicate && name == own {
            change(node, duplicate::duplicate);
        }
    }

    /// Leads the events of a node and what is below up through its outputs, of the top to sinks where it has them: their
    /// values, of what is corrected and detected.
    fn events(&self, node: &mut Tree, path: &mut Vec<usize>, has_sinks: bool) -> [Option<ExprId>; 2] {
        let own = self.plan.keys().position(|k| *k == node.block());
        path.extend(own);
        let scheme = path.last().copied();
        for child in &mut node.children {
            self.events(child, path, false);
        }
        if own.is_some() {
            path.pop();
        }
        node.add_nets();
        let Tree { module, children, .. } = node;
        let body = &mut module.body;
        [(CORRECTED, "harden_corrected"), (DETECTED, "harden_detected")].map(|(one, all)| {
            let mut pool = Pool::from_list(std::mem::take(&mut body.exprs));
            let mut nets = |name: &str| -> Vec<ExprId> {
                let found = children.iter().enumerate().filter_map(|(i, child)| {
                    let at = child.module.body.ports().position(|(_, s)| s.name == name)?;
                    let (id, net) = body.child_nets(i).nth(at)?;
                    Some(pool.intern(Kind::Signal(id), net.width))
                });
                found.collect()
            };
            let (ones, vectors) = (nets(one), nets(all));
            // What is protected adds the events of its own registers to its own.
            let own = body.ports().find(|(_, s)| s.name == one).map(|(id, _)| id);
            if let Some(at) = own.and_then(|own| body.assigns.iter().position(|(s, _)| *s == own)) {
                let (id, value) = body.assigns[at];
                body.assigns[at] = (id, or(&mut pool, Some(value).into_iter().chain(ones), 1).unwrap_or(value));
                body.exprs = pool.into_list();
                return None;
            }
            let width = self.plan.len() as u32;
            let ones: Vec<ExprId> =
                ones.into_iter().map(|bit| placed(&mut pool, bit, scheme.unwrap_or(0) as u32, width)).collect();
            let sum = or(&mut pool, ones.into_iter().chain(vectors), width);
            body.exprs = pool.into_list();
            if let (Some(sum), false) = (sum, has_sinks) {
                let output = body.add_signal(all.into(), width, SignalKind::Output);
                body.assigns.push((output, sum));
            }
            sum
        })
    }
}

/// Makes another node of one.
fn change(node: &mut Tree, to: impl FnOnce(Tree) -> Tree) {
    let empty = Tree { instance: String::new(), module: node.module.clone(), children: vec![] };
    *node = to(std::mem::replace(node, empty));
}

/// Or of a list of values; `None` for an empty list.
fn or(pool: &mut Pool, values: impl IntoIterator<Item = ExprId>, width: u32) -> Option<ExprId> {
    let mut values = values.into_iter();
    let first = values.next()?;
    Some(values.fold(first, |a, b| pool.intern(Kind::Binary(Binary::Or, a, b), width)))
}

/// A bit at place `at` of `width`.
fn placed(pool: &mut Pool, bit: ExprId, at: u32, width: u32) -> ExprId {
    let mut parts = vec![];
    if at + 1 < width {
        parts.push(pool.intern(Kind::Lit(0), width - at - 1));
    }
    parts.push(bit);
    if at > 0 {
        parts.push(pool.intern(Kind::Lit(0), at));
    }
    match parts[..] {
        [one] => one,
        _ => pool.intern(Kind::Cat(parts), width),
    }
}
