//! Steps of instructions that the lane computes one after the other, as `warpsmith_isa::ivb::chip` has them.

use super::word::Word;
use crate::rtl::prelude::*;
use warpsmith_isa::ivb::table::names::FUNCTIONS;

/// Those instructions, and how many steps each has.
const SEQUENCES: [(&str, u64); 7] =
    [("sqrt", 7), ("fdiv", 2), ("pow", 6), ("frc", 2), ("lrp", 4), ("avg", 4), ("best", 3)];

/// Which step of which instruction there is.
pub(super) struct Steps {
    hits: Vec<(&'static str, Vec<Expr>)>,
    /// Another one follows.
    pub goes_on: Expr,
}

impl Steps {
    /// Of an instruction with a function or condition; `best`: it is `sel` of floats by one. `step`: which.
    pub fn of(w: &Word, function: &Expr, best: Expr, step: &Expr) -> Self {
        let whole = |name: &str| match FUNCTIONS.iter().position(|f| *f == name) {
            Some(code) => w.is("math") & function.is(code as u64),
            None if name == "best" => best.clone(),
            None => w.is(name),
        };
        let of = |(name, count): (&'static str, u64)| {
            let whole = wire(&format!("sequence_{name}"), whole(name));
            let at = |n: u64| wire(&format!("step_{name}_{n}"), &whole & &step.is(n));
            (name, (0..count).map(at).collect::<Vec<_>>())
        };
        let hits: Vec<(&str, Vec<Expr>)> = SEQUENCES.into_iter().map(of).collect();
        let others = hits.iter().flat_map(|(_, at)| &at[..at.len() - 1]);
        Self { goes_on: wire("goes_on", any_of(&others.cloned().collect::<Vec<_>>())), hits }
    }

    /// The step is one of these, each the name of an instruction and numbers of its steps.
    pub fn any(&self, those: &[(&str, &[usize])]) -> Expr {
        let hits = those.iter().flat_map(|(name, numbers)| {
            let (_, at) = self.hits.iter().find(|h| h.0 == *name).unwrap_or_else(|| panic!("no steps of {name}"));
            numbers.iter().map(|n| at[*n].clone())
        });
        any_of(&hits.collect::<Vec<_>>())
    }

    /// Operand a is what an earlier step has kept, U.
    pub fn a_is_kept(&self) -> Expr {
        let those = [("sqrt", &[2, 3, 5, 6][..]), ("pow", &[2, 5]), ("lrp", &[1, 3]), ("avg", &[1, 3]), ("best", &[2])];
        wire("a_is_kept", self.any(&those))
    }

    /// The instruction is none that has steps.
    pub fn none(&self) -> Expr {
        !any_of(&self.hits.iter().flat_map(|(_, at)| at.clone()).collect::<Vec<_>>())
    }
}
