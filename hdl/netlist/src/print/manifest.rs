//! What the manifest says of a design.

use super::verilog;
use crate::design::Design;
use crate::module::SignalKind;
use std::collections::BTreeMap;
use warpsmith_contract::{Direction, ModuleInfo, Port};

/// Ports of the top module; `clock` and `reset`, where it has them, come first.
pub fn ports(design: &Design) -> Vec<Port> {
    let top = design.top();
    let threaded = [("clock", top.clock), ("reset", top.reset)];
    let threaded = threaded.iter().filter(|(_, there)| *there);
    let mut ports: Vec<Port> = threaded.map(|(name, _)| Port::input(name, 1)).collect();
    ports.extend(top.body.ports().map(|(_, s)| {
        let direction = match s.kind {
            SignalKind::Input => Direction::Input,
            _ => Direction::Output,
        };
        Port::new(&s.name, s.width as usize, direction)
    }));
    ports
}

/// All modules of the Verilog by name.
pub fn modules(design: &Design) -> BTreeMap<String, ModuleInfo> {
    let info = |m: verilog::Printed| {
        let (source, instances, lines) = (m.source.into(), m.instances as usize, m.text.lines().count());
        (m.name.to_string(), ModuleInfo { source, instances, lines })
    };
    verilog::modules(design, info).into_iter().collect()
}
