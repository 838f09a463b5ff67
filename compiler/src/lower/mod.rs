//! Syntax tree to intermediate representation: one kernel, calls inlined, words of 32 bits.
//!
//! In order: [`inline`] puts a kernel and all it calls into one list of statements, [`vars`]
//! places variables and parameters, [`space`] traces generic addresses, [`mixed`] splits accesses
//! to one of several spaces, [`calls`] places the arguments of calls, [`control`] makes blocks, and
//! the other files lower instructions by kind.

mod assert;
mod atomic;
mod bind;
mod bits;
mod build;
mod calls;
mod contents;
mod control;
mod convert;
mod cycles;
mod divide;
mod f64;
mod failed;
mod float;
mod fold;
mod heap;
mod indirect;
mod inline;
mod inst;
mod int;
mod logic3;
mod memory;
mod mixed;
mod narrow;
mod operand;
mod permute;
mod place;
mod pointers;
mod print;
mod recursion;
mod refuse;
mod routine;
mod space;
mod special;
mod stack;
mod tidy;
mod vars;
mod vote;
mod warp;
mod wide;
mod width;

#[cfg(test)]
mod tests;

use crate::error::CompileError;
use crate::ir;
use crate::program::{Options, Unit};
use crate::ptx::ast::{Function, Module};
use crate::ptx::left::{self, LeftOut};
use warpsmith_isa::ChipInfo as Target;

pub use atomic::give_locks;
pub use contents::unit;
pub use heap::give_heap;
pub use pointers::number_functions;
pub use print::give_print_buffer;

/// One kernel as IR, and what the kernels of the module share.
pub fn kernel(
    module: &Module, name: &str, target: &Target, options: &Options,
) -> Result<(ir::Function, Unit), CompileError> {
    let entry = find(module, name)?;
    let mut unit = contents::unit(module)?;
    let flat = inline::flatten(module, target, entry)?;
    let mut called = Vec::new();
    let mut f = function(&Source { module, unit: &unit, target, options }, entry, flat, None, &mut called)?;
    f.required_block = entry.required_block;
    f.routines = f64::routines(module, &unit, target, options, called)?;
    unit.constant_bytes = f.constant_params.map_or(unit.constant_bytes, ir::ConstantParams::end);
    Ok((f, unit))
}

/// What a kernel needs and clang has refused; the functions of the module have their numbers.
pub fn left_out<'a>(module: &'a Module, name: &str) -> Option<&'a LeftOut> {
    let entry = module.functions.iter().find(|f| f.entry && f.name == name && f.body.is_some())?;
    let reached = match module.left.is_empty() {
        true => return None,
        false => pointers::reached(module, entry),
    };
    module.left.iter().find(|l| match l.what {
        left::What::Body(number) => reached.contains(left::symbol(number).as_str()),
        left::What::Kernel(_) => false,
    })
}

/// Where a function comes from, and for what it is lowered.
struct Source<'a> {
    module: &'a Module,
    unit: &'a Unit,
    target: &'a Target,
    options: &'a Options,
}

/// A function with its calls inlined as IR. `called` are the names of all routines so far.
fn function(
    s: &Source, entry: &Function, mut flat: inline::Flat, signature: Option<routine::Signature>,
    called: &mut Vec<String>,
) -> Result<ir::Function, CompileError> {
    let &Source { module, unit, target, options } = s;
    let mut layout = vars::layout(module, unit, entry, &flat, target, options)?;
    let mut trace = space::trace(&flat, &layout);
    if mixed::split(&mut flat, &trace, &layout) {
        trace = space::trace(&flat, &layout);
    }
    space::infer_pointers(&flat, &trace, &mut layout);
    let calls = calls::place(module, &flat, &mut layout, target)?;
    let mut lower = build::Lower::new(module, target, options, &flat, &layout, &trace, &calls, &entry.name);
    lower.called = std::mem::take(called);
    lower.signature = signature;
    lower.statements()?;
    *called = lower.called;
    let mut f = lower.f;
    f.max_threads = layout.max_threads;
    Ok(f)
}

/// The kernel of a name, or an error with the nearest name and the list.
fn find<'a>(module: &'a Module, name: &str) -> Result<&'a Function, CompileError> {
    if let Some(f) = module.function(name).filter(|f| f.entry) {
        return Ok(f);
    }
    let error = |message| Err(CompileError { file: module.file.clone(), line: None, message });
    let kernels: Vec<&str> = module.kernels().collect();
    if kernels.is_empty() {
        return error(format!(
            "no kernel `{name}`: the file holds none; mark a function `__global__` (CUDA C) or `__kernel` (OpenCL C)"
        ));
    }
    let nearest = kernels
        .iter()
        .map(|k| (strsim::jaro_winkler(name, k), *k))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .filter(|(similar, _)| *similar > 0.7)
        .map_or(";".into(), |(_, k)| format!(", did you mean `{k}`?"));
    error(format!("no kernel `{name}`{nearest} the file holds {}", kernels.join(", ")))
}
