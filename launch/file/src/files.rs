//! The files a launch names: programs and data.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use warpsmith_cache::input;
use warpsmith_isa::set::words;
use warpsmith_isa::{Isa, Semantics};
use warpsmith_launch::{ConstantSection, LaunchError, Program, SourceLines};

/// A program with what its file says about it.
pub(crate) struct LoadedProgram {
    pub program: Program,
    pub registers: Option<u32>,
    pub shared_bytes: Option<u32>,
    pub local_bytes: Option<u32>,
    pub constants: Vec<ConstantSection>,
    pub lines: SourceLines,
}

impl LoadedProgram {
    fn plain(program: impl Into<Program>) -> Self {
        LoadedProgram {
            program: program.into(),
            registers: None,
            shared_bytes: None,
            local_bytes: None,
            constants: Vec::new(),
            lines: SourceLines::default(),
        }
    }
}

/// A file that a program in PTX or a cubin names: beside the program where it is there, else as it is named.
pub(crate) fn beside(program: &Path, name: &str) -> PathBuf {
    let beside = program.parent().unwrap_or(Path::new("")).join(name);
    match beside.is_file() {
        true => beside,
        false => name.into(),
    }
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|e| e.to_str()).unwrap_or("")
}

/// Most bytes of a file of data: global memory as bytes, and as a word a line.
const DATA: u64 = 1 << 32;
const DATA_AS_TEXT: u64 = DATA / 4 * 12;

fn read(path: &Path, most: u64, from: &Path, line: usize) -> Result<Vec<u8>, LaunchError> {
    input::read(path, most).map_err(|e| unreadable(path, &e, from, line))
}

/// Refuses a program that is no file, or too long for one.
pub(crate) fn check_program(path: &Path, from: &Path, line: usize) -> Result<(), LaunchError> {
    input::check(path, input::TEXT).map_err(|e| unreadable(path, &e, from, line))
}

fn unreadable(path: &Path, e: &std::io::Error, from: &Path, line: usize) -> LaunchError {
    let hint = match e.kind() {
        ErrorKind::NotFound => "; paths are relative to the launch file",
        _ => "",
    };
    let message = format!("cannot read {}: {e}{hint}", path.display());
    LaunchError::new(from, line, message)
}

fn text(path: &Path, bytes: Vec<u8>) -> Result<String, LaunchError> {
    String::from_utf8(bytes).map_err(|_| LaunchError::new(path, None, "the file is not text"))
}

/// Contents of a `.hex` or `.bin` data file.
pub(crate) fn data(path: &Path, from: &Path, line: usize) -> Result<Vec<u8>, LaunchError> {
    match extension(path) {
        "hex" => {
            let text = text(path, read(path, DATA_AS_TEXT, from, line)?)?;
            Ok(hex(path, &text)?.iter().flat_map(|w| w.to_le_bytes()).collect())
        }
        "bin" => read(path, DATA, from, line),
        other => Err(LaunchError::new(from, line, format!("data files are .hex or .bin, found .{other}"))),
    }
}

/// Words of a hex file, in memory order.
fn hex(path: &Path, text: &str) -> Result<Vec<u32>, LaunchError> {
    warpsmith_isa::program::parse_hex(text, &path.to_string_lossy())
        .map_err(|e| LaunchError::new(path, e.line, e.message))
}

/// Loads a `.sass`, `.hex`, `.bin` or `.cubin` program for a chip that reads words so.
pub(crate) fn program(
    path: &Path, kernel: Option<&str>, from: &Path, line: usize, semantics: Semantics,
) -> Result<LoadedProgram, LaunchError> {
    let bytes = read(path, input::TEXT, from, line)?;
    if kernel.is_some() && extension(path) != "cubin" {
        return Err(LaunchError::new(
            from,
            line,
            "kernel = \"...\" goes with a program that can hold several: .cu, .cl, .ptx, .cubin; remove it",
        ));
    }
    let loaded = match extension(path) {
        "hex" => Ok(LoadedProgram::plain(hex(path, &text(path, bytes)?)?)),
        "sass" => sass(path, &text(path, bytes)?, semantics),
        "bin" => warpsmith_isa::program::parse_bin(&bytes, &path.to_string_lossy())
            .map(LoadedProgram::plain)
            .map_err(|e| LaunchError::new(path, e.line, e.message)),
        "cubin" => cubin(path, &text(path, bytes)?, kernel, from, line),
        other => Err(LaunchError::new(
            from,
            line,
            format!("a program is .cu, .cl, .ptx, .sass, .hex, .bin or .cubin, found .{other}"),
        )),
    }?;
    Ok(LoadedProgram { program: loaded.program.read_as(semantics), ..loaded })
}

/// Loads a program of another set than SM 1.0: its text (`.sass`, `.asm`, `.s`), or its words (`.hex`) or
/// bytes (`.bin`).
pub(crate) fn of_set(isa: Isa, path: &Path, from: &Path, line: usize) -> Result<LoadedProgram, LaunchError> {
    let set = isa.set();
    let bytes = read(path, input::TEXT, from, line)?;
    let file = path.to_string_lossy();
    let wrong = |e: warpsmith_isa::program::ProgramError| LaunchError::new(path, e.line, e.message);
    let mut lines = SourceLines::default();
    let code = match extension(path) {
        "hex" => words::parse_hex(set, &text(path, bytes)?, &file).map_err(wrong)?,
        "bin" => {
            words::check_bin(set, &bytes, &file).map_err(wrong)?;
            bytes
        }
        "sass" | "asm" | "s" => {
            let source = text(path, bytes)?;
            let program = warpsmith_isa::set::assemble(set, &source, &file).map_err(|e| {
                let message = format!("column {}: {}", e.span.col, e.message);
                LaunchError::new(path, e.span.line, message)
            })?;
            let line = |n: &usize| u32::try_from(*n).unwrap_or(0);
            let entries = program.lines.iter().map(|(a, n)| (*a as u32, 0, line(n)));
            lines = SourceLines::new(vec![path.to_path_buf()], entries.collect());
            program.bytes
        }
        other => {
            let message =
                format!("a program of {} is .sass, .asm, .s (its text), .hex or .bin, found .{other}", set.name());
            return Err(LaunchError::new(from, line, message));
        }
    };
    Ok(LoadedProgram { lines, ..LoadedProgram::plain(Program::new(isa, code)) })
}

/// Assembles a program; its directives stand where the launch file says nothing.
fn sass(path: &Path, source: &str, semantics: Semantics) -> Result<LoadedProgram, LaunchError> {
    let a = warpsmith_isa::assemble_in(Some(semantics), source, &path.to_string_lossy())
        .map_err(|e| LaunchError::new(path, e.span.line, format!("column {}: {}", e.span.col, e.message)))?;
    let constants = a
        .consts
        .iter()
        .map(|(bank, offset, words)| {
            ConstantSection::new(*bank, *offset, words.iter().flat_map(|w| w.to_le_bytes()).collect())
        })
        .collect();
    Ok(LoadedProgram {
        program: a.words.into(),
        registers: a.registers,
        shared_bytes: a.shared,
        local_bytes: Some(a.local),
        constants,
        lines: SourceLines::new(
            vec![path.to_path_buf()],
            a.lines.iter().map(|(address, line)| (*address, 0, u32::try_from(*line).unwrap_or(0))).collect(),
        ),
    })
}

/// Takes one kernel out of a cubin: its code, sizes, literals and the module's constants.
fn cubin(
    path: &Path, source: &str, kernel: Option<&str>, from: &Path, line: usize,
) -> Result<LoadedProgram, LaunchError> {
    let c = warpsmith_isa::cubin::parse(source, &path.to_string_lossy())
        .map_err(|e| LaunchError::new(path, e.line, e.message))?;
    let names: Vec<&str> = c.kernels.iter().map(|k| k.name.as_str()).collect();
    let found = match kernel {
        Some(name) => c.kernels.iter().find(|k| k.name == name),
        None if c.kernels.len() == 1 => c.kernels.first(),
        None => None,
    };
    let Some(k) = found else {
        let problem = match kernel {
            Some(name) => format!("{} has no kernel {name}", path.display()),
            None => format!("{} has several kernels: say kernel = \"...\"", path.display()),
        };
        return Err(LaunchError::new(from, line, format!("{problem}; it holds: {}", names.join(", "))));
    };
    let constants = c
        .consts
        .iter()
        .chain(&k.consts)
        .map(|s| {
            // A reserved segment has a size and no contents: it still makes the bank that long.
            let mut bytes: Vec<u8> = s.words.iter().flatten().flat_map(|w| w.to_le_bytes()).collect();
            bytes.resize(bytes.len().max(s.bytes as usize), 0);
            ConstantSection { bank: s.bank, offset: s.offset, bytes, reserved: s.words.is_none(), line: None }
        })
        .collect();
    Ok(LoadedProgram {
        program: k.words.clone().into(),
        registers: Some(k.reg),
        shared_bytes: Some(k.smem),
        local_bytes: Some(k.lmem),
        constants,
        lines: SourceLines::new(
            k.sources.iter().map(|s| beside(path, &s.file)).collect(),
            k.sources.iter().enumerate().flat_map(|(n, s)| s.lines.iter().map(move |l| (l.0, n, l.1))).collect(),
        ),
    })
}
