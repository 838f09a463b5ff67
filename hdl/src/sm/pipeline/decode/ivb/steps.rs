//! Steps of instructions that the lane computes one after the other, as `warpsmith_isa::ivb::chip` has them.

use super::super::row_field::RowField;
use super::word::Word;
use crate::rtl::prelude::*;
use crate::sm::control::encode::ivb::of_step;
use crate::sm::control::encode::{ControlWord, Want};
use warpsmith_isa::ivb::chip::{Compute, SEQUENCES};
use warpsmith_isa::ivb::table::names::FUNCTIONS;
use warpsmith_isa::ivb::table::Format;

/// A step of an instruction.
pub(super) struct Step {
    /// Opcode or function of the instruction.
    pub name: &'static str,
    /// Format of the instruction.
    pub format: Format,
    /// The instruction goes on after it.
    goes_on: bool,
    /// Its control word, with the sources s0, s1, s2 of the instruction in registers 0, 1, 2.
    pub word: ControlWord,
    hit: Expr,
}

impl Step {
    /// The source of the instruction, 0 to 2, that operand a is; `None`: a number, what an earlier step has kept, nothing.
    pub fn a(&self) -> Option<u64> {
        let c = &self.word.control;
        (c.use1.value != 0).then_some(c.r1.value)
    }

    /// The same of operand b.
    pub fn b(&self) -> Option<u64> {
        let c = &self.word.control;
        (c.use2.value != 0).then_some(c.r2.value)
    }

    /// It is the last step of an instruction.
    pub fn is_last_of(&self, name: &str) -> bool {
        self.name == name && !self.goes_on
    }
}

/// Which step of which instruction there is.
pub(super) struct Steps {
    all: Vec<Step>,
    /// Another one follows.
    pub goes_on: Expr,
}

impl Steps {
    /// Of an instruction with a function or condition; `best`: it is `sel` of floats by one. `step`: which.
    pub fn of(w: &Word, function: &Expr, best: Expr, step: &Expr) -> Self {
        let mut all = vec![];
        for (name, operation, ty) in SEQUENCES {
            let (opcode, whole) = match FUNCTIONS.iter().position(|f| *f == name) {
                Some(code) => ("math", w.is("math") & function.is(code as u64)),
                None if name == "sel" => (name, best.clone()),
                None => (name, w.is(name)),
            };
            let format = w.format(opcode);
            let whole = wire(&format!("sequence_{name}"), whole);
            let steps = Compute::on_registers(operation, ty).steps();
            for (n, compute) in steps.iter().enumerate() {
                let hit = wire(&format!("step_{name}_{n}"), &whole & &step.is(n as u64));
                all.push(Step { name, format, goes_on: n + 1 < steps.len(), word: of_step(compute), hit });
            }
        }
        let mut steps = Self { all, goes_on: zero(1) };
        steps.goes_on = wire("goes_on", steps.that(|s| s.goes_on));
        steps
    }

    /// The step is one of those for which this holds.
    pub fn that(&self, holds: impl Fn(&Step) -> bool) -> Expr {
        any_of(&self.all.iter().filter(|s| holds(s)).map(|s| s.hit.clone()).collect::<Vec<_>>())
    }

    /// Gives a field what a step says of it.
    pub fn tell(&self, field: &mut RowField, says: impl Fn(&Step) -> Want) {
        for step in &self.all {
            let Want { value, mask } = says(step);
            if value & mask != 0 {
                field.constant(&step.hit, value & mask);
            }
        }
    }

    /// A field of `width` bits that steps alone set.
    pub fn field(&self, name: &'static str, width: usize, says: impl Fn(&Step) -> Want) -> Expr {
        let mut field = RowField::new(name, width);
        self.tell(&mut field, says);
        field.take()
    }

    /// Operand a is what an earlier step has kept, U.
    pub fn a_is_kept(&self) -> Expr {
        wire("a_is_kept", self.that(|s| s.word.channels.kept1.value != 0))
    }

    /// The instruction is none that has steps.
    pub fn none(&self) -> Expr {
        !self.that(|_| true)
    }
}
