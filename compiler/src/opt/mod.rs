//! Optimisation of the intermediate representation.
//!
//! clang has optimised the program; these passes optimise the results of the lowering: copies, widened
//! integers, expanded operations, and products whose operands are narrower than their type.

pub mod cfg;
pub mod dce;
pub mod divergence;
pub mod fold;
pub mod gvn;
pub mod hoist;
pub mod known;
pub mod simplify;
pub mod ssa;
#[cfg(test)]
mod tests;

use crate::ir::Function;
use crate::program::OptLevel;

/// Brings a function of the front end into single assignment and optimises it, and so its routines.
pub fn run(f: &mut Function, level: OptLevel) {
    for r in &mut f.routines {
        run(r, level);
    }
    cfg::clean(f);
    ssa::construct(f);
    dce::run(f);
    if level == OptLevel::O0 {
        return;
    }
    let rounds = if level == OptLevel::O1 { 1 } else { 4 };
    for _ in 0..rounds {
        let mut changed = simplify::run(f);
        changed |= gvn::run(f);
        changed |= cfg::clean(f);
        dce::run(f);
        if !changed {
            break;
        }
    }
    if level == OptLevel::O2 {
        hoist::run(f);
        gvn::run(f);
        dce::run(f);
    }
}
