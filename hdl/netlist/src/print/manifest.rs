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

/// All modules by name.
pub fn modules(design: &Design) -> BTreeMap<String, ModuleInfo> {
    let info = |m: &crate::module::Module| ModuleInfo {
        source: m.source.clone(),
        instances: m.instances as usize,
        lines: verilog::module(design, m).lines().count(),
    };
    let modules = design.modules.iter();
    modules.map(|m| (m.name.clone(), info(m))).collect()
}
