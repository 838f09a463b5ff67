//! The chip with gates in place of one of its blocks, and places at which faults of the gates can be forced.
//!
//! Every input port of the block passes through an instance `in_PORT`, and every chosen pin through an instance `pin_N`;
//! their outputs are fault sites of kind `out`, as those of all blocks. A pin of the transition model has two switches,
//! `rise` and `fall`, which are stuck at 1 to make it slow.
//!
//! The chip resets its registers by itself. Gates have the reset as an input, which is 0 while a kernel runs: it is that
//! in the chip, and flip-flops that it sets or clears whatever else holds become registers with a reset.

mod body;
mod reset;
mod small;

use crate::circuit::{Circuit, ObservedKind, SourceKind};
use crate::fault::{Fault, Model, PinId};
use warpsmith_netlist::print::instance_label;
use warpsmith_netlist::{SignalKind, Tree};

/// The reset of the gates.
const RESET: &str = "reset";

/// Why gates cannot take the place of a block.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpliceError {
    /// No such instance.
    #[error("no instance {path}; `warpsmith fault gates --unit` with another name lists all")]
    Path {
        /// The path asked for.
        path: String,
    },
    /// The gates are not those of the block.
    #[error("the gates have {found}, and {path} of this chip {expected}: they are of another unit or another chip; make them anew")]
    Ports {
        /// The instance.
        path: String,
        /// What the gates have.
        found: String,
        /// What the block has.
        expected: String,
    },
}

/// An instance of a chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Path below the top, as in the paths of fault sites.
    pub path: String,
    /// The block.
    pub block: String,
}

/// All instances below the top, parents first.
pub fn instances(chip: &Tree) -> Vec<Instance> {
    fn walk(node: &Tree, path: &str, into: &mut Vec<Instance>) {
        for child in &node.children {
            let path = format!("{path}{}", instance_label(&child.instance));
            into.push(Instance { path: path.clone(), block: child.module.name.clone() });
            walk(child, &format!("{path}."), into);
        }
    }
    let mut list = vec![];
    walk(chip, "", &mut list);
    list
}

/// An instance with all below it.
///
/// # Errors
/// [`SpliceError::Path`].
pub fn instance<'a>(chip: &'a Tree, path: &str) -> Result<&'a Tree, SpliceError> {
    let mut node = chip;
    for label in path.split('.') {
        let below = node.children.iter().find(|c| instance_label(&c.instance) == label);
        node = below.ok_or_else(|| SpliceError::Path { path: path.into() })?;
    }
    Ok(node)
}

/// A chip with gates in it.
pub struct Spliced {
    /// Its instances.
    pub tree: Tree,
    /// Path of the fault site that holds each source of the circuit; none of the reset, which is 0.
    pub sources: Vec<Option<String>>,
    path: String,
    model: Model,
}

impl Spliced {
    /// The fault site that forces a fault at one of the chosen pins, and the value that it is stuck at.
    pub fn force(&self, fault: Fault) -> (String, bool) {
        let pin = format!("{}.{}", self.path, instance_label(&pin_instance(fault.pin)));
        match self.model {
            Model::StuckAt => (format!("{pin}.{}", small::OUT), fault.value),
            Model::Transition => {
                let switch = instance_label(if fault.value { small::FALL } else { small::RISE });
                (format!("{pin}.{switch}.{}", small::ON), true)
            }
        }
    }
}

fn pin_instance(pin: PinId) -> String {
    format!("pin_{}", pin.0)
}

fn input_instance(port: &str) -> String {
    format!("in_{port}")
}

/// Puts the gates of `circuit` in the place of the instance `path`, with faults of `model` possible at `pins`.
///
/// # Errors
/// [`SpliceError`]: no such instance, or one with other ports.
pub fn splice(
    mut chip: Tree, path: &str, circuit: &Circuit, model: Model, pins: &[PinId],
) -> Result<Spliced, SpliceError> {
    let unit = instance(&chip, path)?;
    same_ports(path, unit, circuit)?;
    let gates = body::gates(unit, circuit, model, pins);
    let source = |s: &crate::circuit::Source| match s.kind {
        SourceKind::Port if s.name == RESET => None,
        SourceKind::Port => Some(format!("{path}.{}.{}", instance_label(&input_instance(&s.name)), small::OUT)),
        // The name in the module of gates: people are shown that of the port it drives.
        SourceKind::Register => Some(format!("{path}.{}", circuit.module.module.body.signal(s.signal).name)),
        SourceKind::Memory => Some(format!("{path}.{}", instance_label(&s.name))),
    };
    let sources = circuit.sources.iter().map(source).collect();
    let mut node = &mut chip;
    for label in path.split('.') {
        let below = node.children.iter_mut().find(|c| instance_label(&c.instance) == label);
        node = below.ok_or_else(|| SpliceError::Path { path: path.into() })?;
    }
    *node = gates;
    Ok(Spliced { tree: chip, sources, path: path.into(), model })
}

/// Refuses gates whose ports are not those of the block.
fn same_ports(path: &str, unit: &Tree, circuit: &Circuit) -> Result<(), SpliceError> {
    let port = |name: &str, width: u32, input: bool| {
        format!("{} {name} of {width} bits", if input { "input" } else { "output" })
    };
    let ports = unit.module.body.ports();
    let mut expected: Vec<String> = ports.map(|(_, s)| port(&s.name, s.width, s.kind == SignalKind::Input)).collect();
    let sources = circuit.sources.iter().filter(|s| s.kind == SourceKind::Port && s.name != RESET);
    let mut found: Vec<String> = sources.map(|s| port(&s.name, s.width, true)).collect();
    for o in circuit.observed.iter().filter(|o| o.kind == ObservedKind::Port && o.bit == 0) {
        let signal = circuit.module.module.body.signal(o.signal);
        found.push(port(&signal.name, signal.width, false));
    }
    expected.sort();
    found.sort();
    if expected == found {
        return Ok(());
    }
    let alone = |a: &[String], b: &[String]| {
        let some: Vec<&str> = a.iter().filter(|x| !b.contains(x)).map(String::as_str).take(3).collect();
        if some.is_empty() {
            "not those".to_string()
        } else {
            some.join(", ")
        }
    };
    Err(SpliceError::Ports { path: path.into(), found: alone(&found, &expected), expected: alone(&expected, &found) })
}
