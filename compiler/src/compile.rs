//! All passes from PTX to machine code.

use crate::callees::{Routines, Settings};
use crate::clang::names::readable;
use crate::error::{CompileError, NO_KERNEL};
use crate::kept::{self, Kept};
use crate::layout::Part;
use crate::program::{Kernel, Options, Unit};
use crate::ptx::left::{LeftOut, What};
use crate::{alloc, flow, ir, layout, lower, mir, opt, ptx, select};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::Path;
use warpsmith_isa::ChipInfo as Target;

/// Registers a thread can name.
const MOST_REGISTERS: u32 = warpsmith_isa::arch::MAX_REGISTERS;

/// Names of the kernels of a PTX file, in its order.
///
/// # Errors
/// A [`CompileError`] with the line when the text is no PTX.
pub fn kernel_names(ptx: &str, file: &str) -> Result<Vec<String>, CompileError> {
    let module = ptx::parse(ptx, file)?;
    Ok(module.kernels().map(String::from).collect())
}

/// The kernels of a PTX file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kernels {
    /// Symbols of those that need nothing that clang refuses, in the order of the file.
    pub sound: Vec<String>,
    /// Symbols of the others, each with the error of clang.
    pub left_out: Vec<(String, CompileError)>,
    /// Names in the source of those of which nothing is there, each with the error of clang.
    pub missing: Vec<(String, CompileError)>,
}

/// The kernels of a PTX file, by what clang has refused of its source.
///
/// # Errors
/// A [`CompileError`] with the line when the text is no PTX.
pub fn kernels(ptx: &str, file: &str) -> Result<Kernels, CompileError> {
    let mut module = ptx::parse(ptx, file)?;
    lower::number_functions(&mut module);
    let mut found = Kernels::default();
    for name in module.kernels() {
        match lower::left_out(&module, name) {
            Some(left) => found.left_out.push((name.into(), left.error.clone())),
            None => found.sound.push(name.into()),
        }
    }
    let gone = |l: &LeftOut| match &l.what {
        What::Kernel(name) => Some((name.clone(), l.error.clone())),
        What::Body(_) => None,
    };
    found.missing = module.left.iter().filter_map(gone).collect();
    Ok(found)
}

/// The error of a kernel that is left out.
pub(crate) fn refused(symbol: &str, error: &CompileError) -> CompileError {
    let message = format!("kernel {} is left out: {}", readable(symbol), error.message);
    CompileError { message, ..error.clone() }
}

/// Compiles one kernel; with `None` the only one of the file.
///
/// # Errors
/// A [`CompileError`] with file and line: text that is no PTX, an unknown kernel, what the chip
/// cannot do, or more than it holds.
pub fn compile(
    ptx: &str, file: &str, kernel: Option<&str>, target: &Target, options: &Options,
) -> Result<(Unit, Kernel), CompileError> {
    let mut nothing = |_: &str, _: String| {};
    stages(ptx, file, kernel, target, options, false, &mut nothing)
}

/// Machine code of several kernels of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Code {
    /// What they share.
    pub unit: Unit,
    /// Symbol and code of each.
    pub kernels: Vec<(String, Kernel)>,
}

impl kept::Result for Code {}

/// Place in the cache folder `folder` of machine code for a chip. `parts`: PTX, the file's name, and which kernels are
/// meant.
pub fn kept<T: AsRef<str>>(folder: &Path, parts: [T; 3], target: &Target, options: &Options) -> Kept {
    // Its name is for messages alone.
    let target = Target { name: String::new(), ..target.clone() };
    let how = format!("{target:?} {options:?}");
    Kept::new(folder, "code", parts.iter().map(AsRef::as_ref).chain([how.as_str()]))
}

/// [`compile`] of all kernels of a file, or what an earlier run of it left in the cache folder `folder`.
///
/// # Errors
/// Those of [`compile`], of every kernel that has one.
pub fn compile_all(
    folder: &Path, ptx: &str, file: &str, target: &Target, options: &Options,
) -> Result<Code, Vec<CompileError>> {
    kept(folder, [ptx, file, "all"], target, options).or(|| {
        let mut code = Code::default();
        let mut wrong = Vec::new();
        for symbol in kernel_names(ptx, file).map_err(|e| vec![e])? {
            match compile(ptx, file, Some(&symbol), target, options) {
                Ok((unit, kernel)) => {
                    // Parameters of a kernel may lie in the bank too: it holds those of each.
                    let constant_bytes = code.unit.constant_bytes.max(unit.constant_bytes);
                    code.unit = Unit { constant_bytes, ..unit };
                    code.kernels.push((symbol, kernel));
                }
                Err(e) => wrong.push(e),
            }
        }
        match wrong.is_empty() {
            true => Ok(code),
            false => Err(wrong),
        }
    })
}

/// [`compile`], and the text of the program after every stage.
///
/// # Errors
/// As [`compile`].
pub fn compile_with_ir(
    ptx: &str, file: &str, kernel: Option<&str>, target: &Target, options: &Options,
) -> Result<(Unit, Kernel, String), CompileError> {
    let mut text = String::new();
    let mut show = |title: &str, body: String| {
        text.push_str(&format!("== {title}\n{body}\n"));
    };
    let (unit, kernel) = stages(ptx, file, kernel, target, options, true, &mut show)?;
    Ok((unit, kernel, text))
}

fn stages(
    text: &str, file: &str, kernel: Option<&str>, target: &Target, options: &Options, print: bool,
    show: &mut dyn FnMut(&str, String),
) -> Result<(Unit, Kernel), CompileError> {
    let mut module = ptx::parse(text, file)?;
    lower::give_print_buffer(&mut module);
    lower::give_heap(&mut module);
    lower::number_functions(&mut module);
    lower::give_locks(&mut module);
    let names: Vec<&str> = module.kernels().collect();
    let name = match (kernel, &names[..]) {
        (Some(k), _) => k,
        (None, [only]) => only,
        (None, []) => return Err(whole(file, NO_KERNEL.into())),
        (None, many) => {
            return Err(whole(
                file,
                format!("this file has {} kernels, name one of them: {}", many.len(), many.join(", ")),
            ))
        }
    };
    if let Some(left) = lower::left_out(&module, name) {
        return Err(refused(name, &left.error));
    }
    let (mut f, unit) = lower::kernel(&module, name, target, options)?;
    if print {
        show("lowered", ir::print::function(&f));
    }
    opt::run(&mut f, options.level);
    if print {
        show("optimised", ir::print::function(&f));
    }
    debug_assert_eq!(ir::verify::verify(&f), Vec::<String>::new());
    let limit = options.max_registers.unwrap_or(MOST_REGISTERS);
    let settings = Settings { level: options.level, limit, stack: target.stack_depth / 2 };
    let start = begin(&f, &unit);
    let named = |e: CompileError| CompileError {
        message: format!("kernel {}: {}", readable(&f.name), e.message),
        ..start.clone().unwrap_or_else(|| whole(file, String::new()))
    };
    let routines = Routines::new(&f, settings).map_err(&named)?;
    let mut selected = select::run(&f, &routines.callees, options.level);
    selected.local_bytes = routines.local_bytes;
    if print {
        show("selected", selected.to_string());
    }
    debug_assert_eq!(mir::verify::verify(&selected), Ok(()));
    let mut stack = target.stack_depth;
    let mut loaded = HashSet::new();
    let mut again = false;
    let (m, assignment, code) = loop {
        let mut m = selected.clone();
        let assignment = alloc::allocate_beside(&mut m, limit, stack, routines.literals(), &mut loaded);
        let assignment = assignment.map_err(&named)?;
        let joins = flow::joins(&m);
        let kernel = Part { f: &m, places: &assignment, joins: &joins };
        let code = layout::write_all(kernel, &routines.parts()).map_err(&named)?;
        // What allocation removes may move a join point, and with it an entry.
        let over = code.stack_depth.saturating_sub(target.stack_depth);
        if over == 0 || stack == 0 {
            break (m, assignment, code);
        }
        // The whole kernel as one row of blocks needs least.
        stack = if again { 0 } else { stack.saturating_sub(over) };
        again = true;
    };
    if print {
        show("allocated", m.to_string() + &routines.text());
    }
    let kernel = Kernel {
        name: f.name.clone(),
        params: f.params.clone(),
        param_bytes: f.param_bytes,
        constant_params: f.constant_params,
        environment: f.environment.clone(),
        words: code.words,
        lines: code.lines,
        registers: assignment.registers.max(1),
        shared_bytes: f.shared_bytes,
        shared: f.shared.clone(),
        dynamic_shared: f.dynamic_shared,
        local_bytes: m.local_bytes,
        spilled_words: assignment.spilled_words,
        literals: code.literals,
        address_words: code.address_words,
        textures: f.textures.clone(),
        stack_depth: code.stack_depth,
        required_block: f.required_block,
        max_threads: f.max_threads,
    };
    limits(&unit, &kernel, target)
        .map_err(|message| CompileError { message, ..start.unwrap_or_else(|| whole(file, String::new())) })?;
    Ok((unit, kernel))
}

/// An error without a message at the first line of a kernel that is known.
fn begin(f: &ir::Function, unit: &Unit) -> Option<CompileError> {
    let mut insts = f.blocks.iter().flat_map(|b| &b.insts);
    let loc = insts.find(|i| i.loc.line != 0)?.loc;
    Some(CompileError {
        file: unit.files.get(usize::from(loc.file))?.clone(),
        line: Some(loc.line),
        message: String::new(),
    })
}

fn whole(file: &str, message: String) -> CompileError {
    CompileError { file: file.into(), line: None, message }
}

/// Compares a kernel with what a chip holds.
fn limits(unit: &Unit, k: &Kernel, t: &Target) -> Result<(), String> {
    let literals = 4 * k.literals.len() as u32;
    let program = "leave its loops as they are (-fno-unroll-loops), or make the kernel smaller";
    let constants = "make its __constant__ tables smaller";
    let registers = "limit them by --max-registers, or max_registers of the launch file";
    let local = "make its local arrays smaller, or allow more registers";
    let checks = [
        ("program bytes", "program_bytes", 4 * k.words.len() as u32, t.program_bytes, program),
        (
            "bytes of shared memory a block", "shared_bytes", k.shared_bytes, t.shared_bytes,
            "make its __shared__ arrays smaller",
        ),
        ("bytes of local memory a thread", "local_bytes", k.local_bytes, t.local_bytes, local),
        ("bytes of constant memory", "constant_bytes", unit.constant_bytes, t.bank_bytes(), constants),
        (
            "bytes of literals in constant bank 1",
            "constant_bytes",
            literals,
            t.bank_bytes(),
            "use fewer different constants",
        ),
        (
            "entries of the divergence stack", "stack_depth", k.stack_depth, t.stack_depth,
            "nest fewer divergent branches",
        ),
        ("registers for one warp", "registers", k.registers * 32, t.registers, registers),
    ];
    for (what, key, needed, has, help) in checks {
        if needed > has {
            let help = Target::remedy(key, needed.into(), help);
            return Err(format!("kernel {} needs {needed} {what}, {} has {has}: {help}", readable(&k.name), t.name));
        }
    }
    Ok(())
}
