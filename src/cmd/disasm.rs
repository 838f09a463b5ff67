//! `warpsmith disasm`: words or a cubin to SASS text.

use super::interleave::Interleaved;
use super::output::{ending, print, read_bytes, read_text};
use super::set::Raw;
use crate::cli::Disasm;
use anyhow::{bail, Context, Result};
use std::fmt::Write as _;
use warpsmith_isa::cubin;
use warpsmith_isa::program::parse_bin;
use warpsmith_isa::set::{words, DecodeError, InstructionSet};
use warpsmith_isa::{Isa, Semantics};

pub fn run(args: &Disasm) -> Result<u8> {
    let path = &args.file;
    let format = ending(path);
    let file = path.display().to_string();
    if args.kernel.is_some() && format != "cubin" {
        bail!("--kernel goes with a .cubin; {} holds one program", path.display());
    }
    if args.source && format != "cubin" {
        bail!("{}: only a .cubin of `warpsmith cc` carries source lines", path.display());
    }
    if std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.len() == 0) {
        bail!("{file}: the file is empty: there is no program in it");
    }
    let mut text = String::new();
    let semantics = args.semantics.semantics.unwrap_or_default();
    match format.as_str() {
        "hex" => raw(&mut text, args, &Raw::Hex(read_text(path)?))?,
        "bin" => {
            let bytes = read_bytes(path)?;
            raw(&mut text, args, &Raw::Bin(bytes))?;
        }
        "cubin" if args.isa.as_ref().is_some_and(|n| *n != Isa::default().name()) => {
            bail!("{file}: a .cubin holds programs of {}: leave --isa out", Isa::default())
        }
        "cubin" => {
            let cubin = cubin::parse(&read_text(path)?, &file)?;
            for kernel in &cubin.kernels {
                if args.kernel.as_ref().is_some_and(|k| *k != kernel.name) {
                    continue;
                }
                writeln!(text, ".kernel {}", kernel.name)?;
                writeln!(text, ".registers {}", kernel.reg)?;
                writeln!(text, ".shared {}", kernel.smem)?;
                let mut listed = args.source.then(|| interleaved(kernel));
                if listed.as_ref().is_some_and(Interleaved::is_empty) {
                    bail!(
                        "{file}: kernel {} carries no source lines; `warpsmith cc -o FILE.cubin` writes them",
                        kernel.name
                    );
                }
                program(&mut text, semantics, &kernel.words, args.words, listed.as_mut())?;
            }
            if let (Some(wanted), true) = (&args.kernel, text.is_empty()) {
                let names: Vec<&str> = cubin.kernels.iter().map(|k| k.name.as_str()).collect();
                bail!("{file}: no kernel '{wanted}'; it holds {}", names.join(", "));
            }
        }
        other => bail!("{}: a .hex, .bin or .cubin file is needed, found .{other}", path.display()),
    }
    print(&text)?;
    Ok(super::AGREED)
}

/// A file of words of any set.
fn raw(text: &mut String, args: &Disasm, raw: &Raw) -> Result<()> {
    let file = args.file.display().to_string();
    let (set, bytes) = raw.program(args.isa.as_deref(), &args.file)?;
    args.semantics.fits(set)?;
    if set.isa() == Isa::default() {
        let semantics = args.semantics.semantics.unwrap_or_default();
        if semantics != Semantics::default() {
            writeln!(text, ".semantics {semantics};")?;
        }
        return program(text, semantics, &parse_bin(&bytes, &file)?, args.words, None);
    }
    listing(text, set, &bytes, args.words).with_context(|| file)
}

/// A program of a set without a listing of its own: its `.isa` line, one instruction a line, bytes that
/// are none as data with the reason.
fn listing(text: &mut String, set: &dyn InstructionSet, bytes: &[u8], show_words: bool) -> Result<()> {
    let lines = warpsmith_isa::set::disassemble(set, bytes);
    let refused = lines.iter().find_map(|l| match &l.instr {
        Err(e) => Some((l.offset, e)),
        Ok(_) => None,
    });
    if let (Some((at, e)), true) = (refused, lines.iter().all(|l| l.instr.is_err())) {
        let name = set.name();
        bail!("{at:#x}: {e}; no instruction of {name} begins in this file: is --isa right?");
    }
    if let Some((at, e @ DecodeError::Truncated { .. })) = refused {
        bail!("{at:#x}: {e}: the file has lost its end");
    }
    writeln!(text, ".isa {};", set.name())?;
    let hex = |l: &warpsmith_isa::set::Line| words::hex(set, &l.code.to_vec()).join(" ");
    let width = lines.iter().map(|l| hex(l).len()).max().unwrap_or(0);
    for line in &lines {
        if show_words {
            write!(text, "/* {:04x}  {:<width$} */ ", line.offset, hex(line))?;
        }
        match &line.instr {
            Ok(_) => writeln!(text, "{};", line.text)?,
            Err(e) => writeln!(text, "{}; // {e}", line.text)?,
        }
    }
    Ok(())
}

/// Source lines of a kernel.
fn interleaved(kernel: &cubin::Kernel) -> Interleaved {
    let entries = kernel.sources.iter().enumerate();
    Interleaved::new(
        kernel.sources.iter().map(|s| s.file.clone()).collect(),
        entries.flat_map(|(n, s)| s.lines.iter().map(move |l| (l.0, n, l.1))).collect(),
    )
}

/// One instruction a line, as text that assembles to the same words.
fn program(
    text: &mut String, semantics: Semantics, words: &[u32], show_words: bool, mut source: Option<&mut Interleaved>,
) -> Result<()> {
    for line in warpsmith_isa::disassemble_in(semantics, words) {
        if let Some(s) = &mut source {
            text.push_str(&s.above(line.addr));
        }
        if show_words {
            let words: Vec<String> = line.words.iter().map(|w| format!("{w:08x}")).collect();
            writeln!(text, "/* {:04x}  {:<17} */ {};", line.addr, words.join(" "), line.text)?;
        } else {
            writeln!(text, "{};", line.text)?;
        }
    }
    Ok(())
}
