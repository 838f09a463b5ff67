//! Fault sites of a chip: its registers and memories by instance, then, in a build for fault
//! injection, latched outputs of memories and outputs of blocks.

use super::instance_label;
use crate::design::Design;
use crate::module::{Module, Tap};
use warpsmith_contract::{Site, SiteKind};

/// All sites; the order is part of the contract: a site's number is its position.
pub fn sites(design: &Design) -> Vec<Site> {
    let mut list = vec![];
    let top = design.top();
    walk(design, top, &top.name, "", &mut |module, block, path| {
        state(module, block, path, &mut list);
    });
    walk(design, top, &top.name, "", &mut |module, block, path| {
        taps(module, block, path, &mut list);
    });
    list
}

/// Calls `f` with every instance's module, block and path, parents before children.
fn walk(design: &Design, module: &Module, block: &str, path: &str, f: &mut impl FnMut(&Module, &str, &str)) {
    f(module, block, path);
    for child in &module.body.children {
        let path = format!("{path}{}.", instance_label(&child.instance));
        walk(design, design.module(child.module), &child.block, &path, f);
    }
}

fn state(module: &Module, block: &str, path: &str, list: &mut Vec<Site>) {
    let constant = |m: &crate::module::Memory| m.write.is_none();
    if let Some(memory) = module.body.memory.as_ref().filter(|m| !constant(m)) {
        list.push(Site {
            path: format!("{path}mem"),
            block: block.into(),
            kind: SiteKind::Ram,
            width: memory.width,
            depth: memory.depth,
            zeroed: memory.zeroed,
        });
    }
    for (_, register) in module.body.registers() {
        list.push(Site {
            path: format!("{path}{}", register.name),
            block: block.into(),
            kind: SiteKind::Reg,
            width: register.width,
            depth: 1,
            zeroed: module.body.kept,
        });
    }
}

fn taps(module: &Module, block: &str, path: &str, list: &mut Vec<Site>) {
    for tap in &module.body.taps {
        let (signal, kind) = match *tap {
            Tap::Held { held, .. } => (held, SiteKind::Reg),
            Tap::Saboteur { output, .. } => (output, SiteKind::Out),
        };
        let signal = module.body.signal(signal);
        list.push(Site {
            path: format!("{path}{}", signal.name),
            block: block.into(),
            kind,
            width: signal.width,
            depth: 1,
            zeroed: false,
        });
    }
}
