//! Mutants of a block: a check that passes on the block has to fail on nearly all of them.

use super::dut::Dut;
use rust_hdl_core::block::Block;
use std::panic::{catch_unwind, AssertUnwindSafe};
use warpsmith_hdl::emit::design;
use warpsmith_netlist::{Binary, Design, ExprId, Kind};

/// Most mutants of a block.
const MOST: usize = 60;

/// An operation that differs from another in its result alone.
fn other(kind: &Kind<ExprId>) -> Option<Kind<ExprId>> {
    Some(match *kind {
        Kind::Binary(op, a, b) => {
            let op = match op {
                Binary::And => Binary::Or,
                Binary::Or => Binary::And,
                Binary::Add => Binary::Sub,
                Binary::Sub => Binary::Add,
                Binary::Eq => Binary::Ne,
                Binary::Ne => Binary::Eq,
                Binary::Lt => Binary::Ge,
                Binary::Ge => Binary::Lt,
                _ => return None,
            };
            Kind::Binary(op, a, b)
        }
        Kind::Mux(c, a, b) => Kind::Mux(c, b, a),
        Kind::Any(a) => Kind::All(a),
        Kind::All(a) => Kind::Any(a),
        _ => return None,
    })
}

/// The design with one operation of its top module replaced, for each of at most [`MOST`] operations.
fn mutants(design: &Design) -> Vec<(String, Design)> {
    let top = design.modules.len() - 1;
    let exprs = &design.modules[top].body.exprs;
    // All and any of one bit are the same.
    let width = |e: ExprId| exprs[e.0 as usize].width;
    let plain = |k: &Kind<ExprId>| !matches!(k, Kind::Any(a) | Kind::All(a) if width(*a) == 1);
    let all: Vec<(usize, Kind<ExprId>)> = exprs
        .iter()
        .enumerate()
        .filter(|(_, e)| plain(&e.kind))
        .filter_map(|(i, e)| Some((i, other(&e.kind)?)))
        .collect();
    let step = all.len().div_ceil(MOST);
    let mutant = |(i, kind): &(usize, Kind<ExprId>)| {
        let mut mutant = design.clone();
        let was = std::mem::replace(&mut mutant.modules[top].body.exprs[*i].kind, kind.clone());
        (format!("{was:?}"), mutant)
    };
    all.iter().step_by(step).map(mutant).collect()
}

/// A check passes on a block, and fails on `least` of a hundred mutants of it at least.
pub fn tells(block: &dyn Block, least: usize, check: impl Fn(&mut Dut)) {
    check(&mut Dut::native(block));
    let mutants = mutants(&design("leaf", block));
    let survives = |m: &Design| catch_unwind(AssertUnwindSafe(|| check(&mut Dut::native_of(m)))).is_ok();
    let alive: Vec<&String> = mutants.iter().filter(|(_, m)| survives(m)).map(|(was, _)| was).collect();
    let noticed = 100 * (mutants.len() - alive.len()) / mutants.len();
    println!("{noticed} % of {} mutants noticed; not: {alive:?}", mutants.len());
    assert!(!mutants.is_empty() && noticed >= least, "{noticed} % of {}: {alive:#?}", mutants.len());
}
