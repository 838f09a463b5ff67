//! From the text of a launch file to a [`Launch`]: program, memories, parameters, checks.

use crate::placed::Placed;
use crate::raw::{dimensions, RawLaunch, Source};
use crate::{args, buffers, compiled, files};
use std::path::Path;
use toml::Spanned;
use warpsmith_contract::registers::{GUARD_BYTES, PARAMS};
use warpsmith_isa::set::{no_set, InstructionSet};
use warpsmith_isa::{ChipInfo, Isa, Level, Semantics};
use warpsmith_launch::{Buffer, ConstantSection, GlobalSection, KeyLines, Launch, LaunchError};

/// Whether the first page of global memory is guarded: as the file says; else where the program places
/// every address that the kernel gets, so that none can be below the first buffer's.
fn guarded(raw: &RawLaunch, compiled: bool) -> bool {
    let own = raw.params.is_some() || !raw.global.is_empty() || !raw.expect.is_empty();
    let placed = compiled || raw.args.is_some();
    raw.guard.as_ref().map_or(placed && !own, |g| *g.as_ref())
}

/// [`load`](crate::load) on text already read; other files are found relative to `path`.
///
/// # Errors
/// As [`load`](crate::load).
pub fn parse(path: &Path, text: &str) -> Result<Launch, LaunchError> {
    parse_for(path, text, &ChipInfo::unlimited())
}

/// [`load_for`](crate::load_for) on text already read; other files are found relative to `path`.
///
/// # Errors
/// As [`load_for`](crate::load_for).
pub fn parse_for(path: &Path, text: &str, chip: &ChipInfo) -> Result<Launch, LaunchError> {
    parse_spaced(path, text, chip, false)
}

/// [`parse_for`]; `apart` with room between the buffers, as [`load_apart`](crate::load_apart).
pub(crate) fn parse_spaced(path: &Path, text: &str, chip: &ChipInfo, apart: bool) -> Result<Launch, LaunchError> {
    let source = Source { file: path, text };
    let raw: RawLaunch = toml::from_str(text).map_err(|e| {
        let line = e.span().map(|s| source.line(s.start));
        LaunchError::new(path, line, format!("launch file: {}", e.message().trim()))
    })?;
    let isa = instruction_set(&source, &raw)?;
    let (set, other) = (isa.set(), isa != Isa::Sm10);
    let level = level(&source, &raw, isa)?;
    // A program is compiled for the level that it says it needs.
    let chip = &ChipInfo { tier: chip.tier.at(level), ..chip.clone() };
    let simd = simd(&source, &raw, isa)?;
    let sip = sip(&source, &raw, isa)?;
    let program_file = source.resolve(raw.program.as_ref());
    let program_line = source.line_of(&raw.program);
    limits(&source, &raw)?;
    files::check_program(&program_file, path, program_line)?;
    let compiled = match compiled::is_source(&program_file) {
        true if other => {
            return Err(LaunchError::new(
                path,
                program_line,
                format!("the compiler writes {}; a program of {isa} is text or words of {isa}", Isa::Sm10),
            ))
        }
        true if chip.tier.semantics() != Semantics::G80 => {
            let reads = chip.tier.semantics();
            let why = format!(
                "the compiler writes words as the hardware reads them, configuration {} reads them as {reads}: leave semantics out",
                chip.name
            );
            return Err(LaunchError::new(path, program_line, why));
        }
        true => Some(compiled::compile(&source, &raw, &program_file, chip)?),
        false => {
            compiled::refuse_keys(&source, &raw)?;
            None
        }
    };
    let loaded = match &compiled {
        Some(c) => compiled::program(c, &program_file),
        None if other => files::of_set(isa, &program_file, path, program_line)?,
        None => {
            let kernel = raw.kernel.as_ref().map(|k| k.as_ref().as_str());
            files::program(&program_file, kernel, path, program_line, chip.tier.semantics())?
        }
    };
    let globals = globals(&source, &raw)?;
    let expects = expects(&source, &raw)?;
    let guard = guarded(&raw, compiled.is_some());
    // Buffers lie behind what is placed by hand.
    let by_hand = globals.iter().chain(&expects);
    let mut start = by_hand.map(|s| s.offset.saturating_add(s.bytes.len() as u64)).max().unwrap_or(0);
    let given = raw.global_bytes.as_ref().map(|g| *g.as_ref());
    if raw.buffer.is_empty() {
        start = start.max(given.unwrap_or(0));
    }
    if guard {
        start = start.max(GUARD_BYTES.into());
    }
    let placed = buffers::place(&source, &raw, compiled.as_ref(), start, apart)?;
    if let Some(g) = raw.global_bytes.as_ref().filter(|g| !raw.buffer.is_empty() && *g.as_ref() < placed.end) {
        return Err(source.error(
            g,
            format!(
                "global_bytes is {}; the buffers end at byte {}{}: raise it or leave it out",
                g.as_ref(),
                placed.end,
                match guard {
                    true => format!(" behind the guarded first {GUARD_BYTES} (guard = false: no guard)"),
                    false => String::new(),
                }
            ),
        ));
    }
    let (params, local_arguments) = parameters(&source, &raw, set, compiled.as_ref(), &placed)?;
    let (params, of_bank) = match &compiled {
        Some(c) => c.kernel.passed(&params),
        None => (params, None),
    };
    room_for(&source, &raw, set, compiled.is_some(), &params)?;
    let Some(registers) =
        raw.registers.as_ref().map(|r| *r.as_ref()).or(loaded.registers).or(other.then(|| set.registers()))
    else {
        return Err(LaunchError::new(
            path,
            program_line,
            "registers is missing: say registers = N, the registers a thread uses (a .cubin brings its own, a .sass file may say .registers N)",
        ));
    };
    let dynamic = dynamic_shared(&source, &raw, compiled.as_ref(), local_arguments)?;
    let fixed = loaded.shared_bytes.unwrap_or(0);
    let header = match other {
        true => 0,
        false => 16 + 4 * params.len() as u64,
    };
    let needed = header.max(match compiled {
        Some(_) => u64::from(fixed) + u64::from(dynamic),
        None => 0,
    });
    let shared_bytes = match &raw.shared_bytes {
        Some(s) => *s.as_ref(),
        None => u32::try_from(needed.max(u64::from(fixed))).unwrap_or(u32::MAX),
    };
    if let Some(key) = raw.sip.as_ref().filter(|at| *at.as_ref() >= loaded.program.len()) {
        let (at, bytes) = (key.as_ref(), loaded.program.len());
        let what = format!("sip is {at}; the program has {bytes} bytes: name the System Routine's first instruction");
        return Err(source.error(key, what));
    }
    let mut launch = Launch {
        file: path.to_path_buf(),
        name: raw
            .name
            .clone()
            .unwrap_or_else(|| path.file_stem().map_or(String::new(), |s| s.to_string_lossy().into_owned())),
        program_file,
        compiled: compiled.is_some(),
        program: loaded.program,
        level,
        grid: dimensions(&source, &raw.grid, "grid", ["x", "y"], [65535, 65535])?,
        block: dimensions(&source, &raw.block, "block", ["x", "y", "z"], [65535, 1024, 64])?,
        registers,
        simd,
        sip,
        shared_bytes,
        local_bytes: raw
            .local_bytes
            .as_ref()
            .map(|l| *l.as_ref())
            .or(loaded.local_bytes)
            .unwrap_or(0)
            .min(65536)
            .next_multiple_of(4),
        params,
        global_bytes: given.unwrap_or(0).max(placed.end_with_room()),
        guard,
        constants: loaded.constants,
        before: None,
        globals,
        expects,
        lines: KeyLines {
            program: program_line,
            block: source.line_of(&raw.block),
            registers: raw.registers.as_ref().map(|r| source.line_of(r)),
            shared_bytes: raw.shared_bytes.as_ref().map(|r| source.line_of(r)),
            dynamic_shared_bytes: raw.dynamic_shared_bytes.as_ref().map(|r| source.line_of(r)),
            local_bytes: raw.local_bytes.as_ref().map(|r| source.line_of(r)),
            sip: raw.sip.as_ref().map(|r| source.line_of(r)),
        },
        buffers: placed.buffers,
        shared: compiled.as_ref().map_or(vec![], |c| compiled::shared(c, dynamic)),
        source: loaded.lines,
    };
    if u64::from(launch.shared_bytes) < needed {
        let why = match &compiled {
            Some(c) => format!("kernel {} needs {needed}", c.name),
            None => format!("the 16-byte header and {} parameters need {needed}", launch.params.len()),
        };
        return Err(LaunchError::new(
            path,
            launch.lines.shared_bytes,
            format!("shared_bytes is {}; {why}: raise it or leave it out", launch.shared_bytes),
        ));
    }
    if let Some(c) = &compiled {
        compiled::check_block(&source, &raw, c, launch.block)?;
    }
    launch.buffers.extend(named(&source, &raw, &launch.globals)?);
    launch.constants.extend(placed.constants);
    launch.constants.extend(of_bank.map(|(offset, bytes)| ConstantSection::new(0, offset, bytes)));
    launch.constants.extend(constants(&source, &raw, if other { 31 } else { 15 })?);
    launch.globals.extend(placed.globals);
    launch.expects.extend(placed.expects);
    launch.check()?;
    Ok(launch)
}

/// The instruction set of the key `isa`.
fn instruction_set(source: &Source<'_>, raw: &RawLaunch) -> Result<Isa, LaunchError> {
    match &raw.isa {
        None => Ok(Isa::default()),
        Some(isa) => Isa::by_name(isa.as_ref()).ok_or_else(|| source.error(isa, no_set(isa.as_ref()))),
    }
}

/// The level of the key `level`.
fn level(source: &Source<'_>, raw: &RawLaunch, isa: Isa) -> Result<Level, LaunchError> {
    let Some(given) = &raw.level else { return Ok(Level::default()) };
    let found = Level::by_name(given.as_ref()).filter(|l| *l <= Level::HIGHEST);
    match found {
        Some(level) if isa == Isa::Sm10 || level == Level::Sm10 => Ok(level),
        Some(_) => Err(source.error(given, format!("level is of SM 1.x, a program of {isa} has none: leave it out"))),
        None => {
            let names: Vec<String> = Level::on_chips().map(|l| format!("\"{l}\"")).collect();
            let names = names.join(", ");
            Err(source.error(given, format!("level is {:?}; there are chips of {names}", given.as_ref())))
        }
    }
}

/// Threads of a warp, of the key `simd`; 0 without it.
fn simd(source: &Source<'_>, raw: &RawLaunch, isa: Isa) -> Result<u32, LaunchError> {
    match &raw.simd {
        None => Ok(0),
        Some(n) if isa != Isa::Ivb => {
            Err(source.error(n, "simd is the number of work-items of a thread of ivb: remove it"))
        }
        Some(n) if [8, 16].contains(n.as_ref()) => Ok(*n.as_ref()),
        Some(n) => Err(source.error(n, format!("simd is {}; it must be 8 or 16", n.as_ref()))),
    }
}

/// Byte address of the System Routine, of the key `sip`.
fn sip(source: &Source<'_>, raw: &RawLaunch, isa: Isa) -> Result<Option<u32>, LaunchError> {
    match &raw.sip {
        Some(at) if isa != Isa::Ivb => {
            Err(source.error(at, "sip is the address of the System Routine of ivb: remove it"))
        }
        Some(at) if at.as_ref() % 16 != 0 => {
            Err(source.error(at, format!("sip is {}; it must be a multiple of 16 bytes", at.as_ref())))
        }
        at => Ok(at.as_ref().map(|at| *at.as_ref())),
    }
}

/// Sizes that no chip has.
fn limits(source: &Source<'_>, raw: &RawLaunch) -> Result<(), LaunchError> {
    // s[] and l[] addresses have 16 bits.
    for (key, given) in [
        ("shared_bytes", &raw.shared_bytes),
        ("local_bytes", &raw.local_bytes),
        ("dynamic_shared_bytes", &raw.dynamic_shared_bytes),
    ] {
        if let Some(g) = given.as_ref().filter(|g| *g.as_ref() > 65536) {
            return Err(source.error(g, format!("{key} is {}; its addresses have 16 bits: at most 65536", g.as_ref())));
        }
    }
    match raw.global_bytes.as_ref().filter(|g| *g.as_ref() > 1 << 32) {
        Some(g) => {
            Err(source
                .error(g, format!("global_bytes is {}; global memory ends at 2^32 = 4294967296 bytes", g.as_ref())))
        }
        None => Ok(()),
    }
}

/// Parameter words from `params` or `args`, and shared bytes of `__local` arguments.
fn parameters(
    source: &Source<'_>, raw: &RawLaunch, set: &dyn InstructionSet, compiled: Option<&warpsmith_compiler::Compiled>,
    placed: &Placed,
) -> Result<(Vec<u32>, u32), LaunchError> {
    let (params, shared) = match (&raw.params, &raw.args) {
        (Some(p), Some(_)) => {
            return Err(source.error(p, "params are words and args are values of the same parameters: say one of them"))
        }
        (Some(p), None) => {
            if let Some(c) = compiled {
                let words = c.kernel.parameter_words();
                if p.as_ref().len() != words {
                    return Err(source
                        .error(p, format!("params has {} words; kernel {} takes {words}", p.as_ref().len(), c.name)));
                }
            }
            (p.as_ref().clone(), 0)
        }
        (None, Some(a)) => args::words(source, a, set.pointer_bytes(), compiled, placed)?,
        (None, None) => match compiled.filter(|c| !c.kernel.params.is_empty()) {
            Some(_) => {
                let none = Spanned::new(raw.program.span(), Vec::new());
                args::words(source, &none, set.pointer_bytes(), compiled, placed)?
            }
            None => (Vec::new(), 0),
        },
    };
    Ok((params, shared))
}

/// Refuses more parameters than pass with a launch.
fn room_for(
    source: &Source<'_>, raw: &RawLaunch, set: &dyn InstructionSet, compiled: bool, params: &[u32],
) -> Result<(), LaunchError> {
    if compiled && params.len() > PARAMS {
        return Err(source.error(
            &raw.program,
            format!(
                "the kernel takes {} words of parameters; at most {PARAMS} are passed: put a struct into a buffer",
                params.len()
            ),
        ));
    }
    let room = set.parameter_words();
    if params.len() > room {
        let (file, words) = (source.file, params.len());
        let message = format!("{words} words of parameters; {} has room for {room}", set.name());
        return Err(LaunchError::new(file, None, message));
    }
    Ok(())
}

/// Shared bytes behind those the kernel declares.
fn dynamic_shared(
    source: &Source<'_>, raw: &RawLaunch, compiled: Option<&warpsmith_compiler::Compiled>, local_arguments: u32,
) -> Result<u32, LaunchError> {
    let given = raw.dynamic_shared_bytes.as_ref().map(|d| *d.as_ref());
    let Some(c) = compiled else { return Ok(0) };
    if c.kernel.dynamic_shared && given.is_none() && local_arguments == 0 && raw.shared_bytes.is_none() {
        return Err(LaunchError::new(
            source.file,
            source.line_of(&raw.program),
            format!("kernel {} has an `extern __shared__` array: say dynamic_shared_bytes = N, its size", c.name),
        ));
    }
    Ok(local_arguments + given.unwrap_or(0))
}

/// Constants of banks 0 to `last`.
fn constants(source: &Source<'_>, raw: &RawLaunch, last: u8) -> Result<Vec<ConstantSection>, LaunchError> {
    let mut out = Vec::new();
    for c in &raw.constant {
        let line = source.line_of(c);
        let c = c.as_ref();
        if *c.bank.as_ref() > last {
            return Err(source
                .error(&c.bank, format!("constant bank {} does not exist; banks are 0 to {last}", c.bank.as_ref())));
        }
        let bytes = source.content(line, c.words.clone(), c.floats.clone(), c.doubles.clone(), c.file.as_ref())?;
        let end = c.offset.saturating_add(bytes.len() as u64);
        if end > 1 << 16 {
            return Err(LaunchError::new(
                source.file,
                line,
                format!("constants end at byte {end} of bank {}; a bank has 65536 bytes", c.bank.as_ref()),
            ));
        }
        out.push(ConstantSection {
            bank: *c.bank.as_ref(),
            offset: c.offset as u32,
            bytes,
            reserved: false,
            line: Some(line),
        });
    }
    Ok(out)
}

fn globals(source: &Source<'_>, raw: &RawLaunch) -> Result<Vec<GlobalSection>, LaunchError> {
    let section = |g: &Spanned<crate::raw::RawGlobal>| {
        let line = source.line_of(g);
        let g = g.as_ref();
        let given = g.words.is_some() || g.floats.is_some() || g.doubles.is_some() || g.file.is_some();
        let bytes = match given || g.name.is_none() {
            true => source.content(line, g.words.clone(), g.floats.clone(), g.doubles.clone(), g.file.as_ref())?,
            false => Vec::new(),
        };
        Ok(GlobalSection { offset: g.offset, bytes, max_ulp: None, floats: false, line: Some(line) })
    };
    raw.global.iter().map(section).collect()
}

/// Parts of global memory to which `[[global]]` gives a name.
fn named(source: &Source<'_>, raw: &RawLaunch, globals: &[GlobalSection]) -> Result<Vec<Buffer>, LaunchError> {
    let mut out = Vec::new();
    for (g, section) in raw.global.iter().zip(globals) {
        let (line, g) = (source.line_of(g), g.as_ref());
        let (name, bytes) = match (&g.name, &g.bytes) {
            (Some(name), bytes) => (name, bytes.as_ref().map_or(section.bytes.len() as u64, |b| *b.as_ref())),
            (None, Some(b)) => return Err(source.error(b, "bytes is the size of a named part of memory: say name too")),
            (None, None) => continue,
        };
        let end = g.offset.saturating_add(bytes);
        if bytes < section.bytes.len() as u64 || bytes == 0 || end > 1 << 32 {
            let message = format!(
                "`{}` has {bytes} bytes from byte {} on and holds {}: say bytes = N that fits",
                name.as_ref(),
                g.offset,
                section.bytes.len()
            );
            return Err(LaunchError::new(source.file, line, message));
        }
        out.push(Buffer { name: name.as_ref().clone(), address: g.offset as u32, bytes });
    }
    Ok(out)
}

fn expects(source: &Source<'_>, raw: &RawLaunch) -> Result<Vec<GlobalSection>, LaunchError> {
    let section = |x: &Spanned<crate::raw::RawExpect>| {
        let line = source.line_of(x);
        let x = x.as_ref();
        source.exact(line, &x.doubles, x.max_ulp)?;
        Ok(GlobalSection {
            offset: x.offset,
            bytes: source.content(line, x.words.clone(), x.floats.clone(), x.doubles.clone(), x.file.as_ref())?,
            max_ulp: x.max_ulp,
            floats: x.floats.is_some() || x.max_ulp.is_some(),
            line: Some(line),
        })
    };
    raw.expect.iter().map(section).collect()
}
