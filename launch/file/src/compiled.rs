//! Programs in CUDA C, OpenCL C and PTX: compiled when the launch is loaded.

use crate::files::{beside, LoadedProgram};
use crate::raw::{RawLaunch, Source};
use std::path::Path;
use warpsmith_compiler::clang::Language;
use warpsmith_compiler::ir::SharedVariable;
use warpsmith_compiler::{Compiled, OptLevel, Options};
use warpsmith_isa::ChipInfo;
use warpsmith_launch::{Buffer, LaunchError, SourceLines};

/// Whether a program is compiled, by the ending of its name.
pub(crate) fn is_source(program: &Path) -> bool {
    Language::of(program).is_some()
}

/// Refuses keys that steer the compiler in front of a program that needs none.
pub(crate) fn refuse_keys(source: &Source<'_>, raw: &RawLaunch) -> Result<(), LaunchError> {
    let line = |key: &str, at: Option<usize>| match at {
        Some(line) => {
            Err(LaunchError::new(source.file, line, format!("{key} goes with a .cu, .cl or .ptx program: remove it")))
        }
        None => Ok(()),
    };
    line("heap_bytes", raw.heap_bytes.as_ref().map(|k| source.line_of(k)))?;
    line("options", raw.options.as_ref().map(|k| source.line_of(k)))?;
    line("opt", raw.opt.as_ref().map(|k| source.line_of(k)))?;
    line("fp", raw.fp.as_ref().map(|k| source.line_of(k)))?;
    line("max_registers", raw.max_registers.as_ref().map(|k| source.line_of(k)))?;
    line("dynamic_shared_bytes", raw.dynamic_shared_bytes.as_ref().map(|k| source.line_of(k)))?;
    line("[[texture]]", raw.texture.first().map(|t| source.line_of(t)))?;
    line("[[symbol]]", raw.symbol.first().map(|s| source.line_of(s)))
}

/// The program of a launch as the compiler takes it.
pub(crate) fn wanted(
    source: &Source<'_>, raw: &RawLaunch, program: &Path,
) -> Result<warpsmith_compiler::Source, LaunchError> {
    let mut wanted = warpsmith_compiler::Source::new(program);
    wanted.kernel = raw.kernel.as_ref().map(|k| k.as_ref().clone());
    wanted.options = options(source, raw)?;
    for option in raw.options.iter().flat_map(|o| o.as_ref()) {
        // Folders and files are relative to the launch file, as all paths in it.
        let with_path = |prefix: &str| {
            let path = option.strip_prefix(prefix).filter(|p| !p.is_empty())?;
            Some(format!("{prefix}{}", source.resolve(path).display()))
        };
        let resolved = ["-include", "-I"].into_iter().find_map(with_path);
        wanted.arguments.push(resolved.unwrap_or_else(|| option.clone()));
    }
    if let Some(options) = &raw.options {
        warpsmith_compiler::clang::check_arguments(&wanted.arguments).map_err(|e| source.error(options, e))?;
    }
    Ok(wanted)
}

/// Compiles the program of a launch for a chip.
pub(crate) fn compile(
    source: &Source<'_>, raw: &RawLaunch, program: &Path, chip: &ChipInfo,
) -> Result<Compiled, LaunchError> {
    let wanted = wanted(source, raw, program)?;
    let failed = |e: warpsmith_compiler::CompileError| {
        LaunchError::new(Path::new(&e.file), e.line.map(|l| l as usize), e.message)
    };
    let ptx = wanted.ptx().map_err(failed)?;
    // A wrong name is an error of the launch file.
    wanted.symbol(&ptx).map_err(|e| match &raw.kernel {
        Some(k) if e.line.is_none() => source.error(k, format!("{}: {}", program.display(), e.message)),
        None if e.line.is_none() => LaunchError::new(
            source.file,
            source.line_of(&raw.program),
            format!("{}: {} (kernel = \"...\")", program.display(), e.message),
        ),
        _ => failed(e),
    })?;
    wanted.compile(chip).map_err(failed)
}

/// The keys `opt`, `fp` and `max_registers`.
fn options(source: &Source<'_>, raw: &RawLaunch) -> Result<Options, LaunchError> {
    let mut o = Options::default();
    if let Some(opt) = &raw.opt {
        o.level = match opt.as_ref() {
            0 => OptLevel::O0,
            1 => OptLevel::O1,
            2 => OptLevel::O2,
            n => return Err(source.error(opt, format!("opt is {n}; it must be 0, 1 or 2"))),
        };
    }
    if let Some(fp) = &raw.fp {
        o.strict_fp = match fp.as_ref().as_str() {
            "strict" => true,
            "fused" => false,
            other => return Err(source.error(fp, format!("fp is \"{other}\"; it must be \"strict\" or \"fused\""))),
        };
    }
    if let Some(n) = &raw.max_registers {
        if !(1..=128).contains(n.as_ref()) {
            return Err(source.error(n, format!("max_registers is {}; it must be 1 to 128", n.as_ref())));
        }
        o.max_registers = Some(*n.as_ref());
    }
    Ok(o)
}

/// The kernel as a program; constants follow when memory is placed.
pub(crate) fn program(c: &Compiled, file: &Path) -> LoadedProgram {
    let ptx = Language::of(file) == Some(Language::Ptx);
    let place = |name: &String| if ptx { beside(file, name) } else { name.into() };
    let files = c.unit.files.iter().map(place).collect();
    let entries = c.kernel.lines.iter().map(|l| (l.address, usize::from(l.loc.file), l.loc.line)).collect();
    LoadedProgram {
        program: c.kernel.words.clone().into(),
        registers: Some(c.kernel.registers),
        shared_bytes: Some(c.kernel.shared_bytes),
        local_bytes: Some(c.kernel.local_bytes),
        constants: Vec::new(),
        lines: SourceLines::new(files, entries),
    }
}

/// The variables of the kernel in shared memory, and `dynamic` bytes behind them.
pub(crate) fn shared(c: &Compiled, dynamic: u32) -> Vec<Buffer> {
    let variable = |v: &SharedVariable| Buffer { name: v.name.clone(), address: v.address, bytes: v.bytes.into() };
    let behind = Buffer { name: "dynamic shared memory".into(), address: c.kernel.shared_bytes, bytes: dynamic.into() };
    c.kernel.shared.iter().map(variable).chain((dynamic > 0).then_some(behind)).collect()
}

/// Whether the kernel takes blocks of these dimensions.
pub(crate) fn check_block(
    source: &Source<'_>, raw: &RawLaunch, c: &Compiled, block: [u32; 3],
) -> Result<(), LaunchError> {
    let shown = |b: [u32; 3]| format!("[{}, {}, {}]", b[0], b[1], b[2]);
    if let Some(wanted) = c.kernel.required_block.filter(|w| *w != block) {
        return Err(source.error(
            &raw.block,
            format!("block is {}; kernel {} is written for {} threads", shown(block), c.name, shown(wanted)),
        ));
    }
    let threads = block.iter().map(|&n| u64::from(n)).product::<u64>();
    match c.kernel.max_threads.filter(|m| threads > u64::from(*m)) {
        Some(most) => Err(source.error(
            &raw.block,
            format!(
                "a block of {threads} threads; kernel {} takes at most {most}: __launch_bounds__({most}) says so, or the shared memory in which its warps exchange values",
                c.name
            ),
        )),
        None => Ok(()),
    }
}
