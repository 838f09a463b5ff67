//! `warpsmith asm`: text to words.

use super::output::{ending, print, read_text, write_all};
use super::outputs::{Files, Form, Outputs};
use super::set;
use crate::cli::Asm;
use anyhow::{anyhow, bail, Result};
use std::path::Path;
use warpsmith_isa::asm::AsmError;
use warpsmith_isa::cubin::{ConstSegment, Cubin, Kernel};
use warpsmith_isa::set::{words, InstructionSet};
use warpsmith_isa::Isa;
use warpsmith_isa::{program, Assembled, Semantics};

pub fn run(args: &Asm) -> Result<u8> {
    let outputs =
        Files::default().reads("the source", &args.file).writes("-o", args.output.as_ref(), Form::Any).check()?;
    let source = read_text(&args.file)?;
    let file = args.file.display().to_string();
    let set = set::of_source(args.isa.as_deref(), &source, &file)?;
    let hint = |e: AsmError| anyhow!("{e}{}", set::also_assembles(set, &source));
    args.semantics.fits(set)?;
    if set.isa() != Isa::default() {
        let program = warpsmith_isa::set::assemble(set, &source, &file).map_err(hint)?;
        say_notes(&file, &program.notes);
        return write_program(args, set, &program.bytes, &outputs);
    }
    let assembled = warpsmith_isa::assemble_in(args.semantics.semantics, &source, &file).map_err(hint)?;
    let semantics = assembled.semantics;
    if let Some(finding) = program::check(semantics, &assembled.words).first() {
        bail!("{}:{}: {finding}", args.file.display(), line_of(&assembled, finding.addr));
    }
    if let (Some(n), Some((register, addr))) =
        (assembled.registers, program::max_register_written(semantics, &assembled.words))
    {
        if u32::from(register) >= n {
            let line = line_of(&assembled, addr);
            bail!(
                "{}:{line}: R{register} is written but .registers {n} allocates R0 to R{}; raise .registers",
                args.file.display(),
                n - 1
            );
        }
    }
    say_notes(&file, &assembled.notes);
    // Bytes first: nothing is written when the program is wrong.
    let words = &assembled.words;
    let count = words.len();
    let hex = || words.iter().map(|w| format!("{w:08x}\n")).collect::<String>();
    let Some(path) = &args.output else {
        print(&hex())?;
        return Ok(super::AGREED);
    };
    let bytes = match ending(path).as_str() {
        "hex" => hex().into_bytes(),
        "bin" => words.iter().flat_map(|w| w.to_le_bytes()).collect(),
        "cubin" if semantics != Semantics::G80 => {
            bail!("{}: a cubin holds words as the hardware reads them: write a .hex or .bin", path.display())
        }
        "cubin" => cubin_text(&args.file, &assembled)?.into_bytes(),
        other => bail!("{}: the output ends in .hex, .bin or .cubin, found .{other}", path.display()),
    };
    outputs.open()?;
    write_all(path, &bytes)?;
    print(&format!("{}: {} words\n", path.display(), count))?;
    Ok(super::AGREED)
}

/// What the program does not do as it is written, by line, to stderr.
fn say_notes(file: &str, notes: &[(usize, String)]) {
    for (line, note) in notes {
        eprintln!("warpsmith: {file}:{line}: {note}");
    }
}

/// A program of a set without checks and formats of its own.
fn write_program(args: &Asm, set: &dyn InstructionSet, bytes: &[u8], outputs: &Outputs) -> Result<u8> {
    let hex = || {
        let (unit, name) = (set.unit(), set.name());
        if bytes.len() % unit != 0 {
            bail!(
                "{}: {} bytes are no whole words of {name}, {unit} bytes each: add .byte, or write a .bin",
                args.file.display(),
                bytes.len()
            );
        }
        let words = words::hex(set, bytes);
        Ok(words.iter().map(|w| format!("{w}\n")).collect::<String>())
    };
    let Some(path) = &args.output else {
        print(&hex()?)?;
        return Ok(super::AGREED);
    };
    let out = match ending(path).as_str() {
        "hex" => hex()?.into_bytes(),
        "bin" => bytes.to_vec(),
        other => bail!("{}: the output of --isa {} ends in .hex or .bin, found .{other}", path.display(), set.name()),
    };
    outputs.open()?;
    write_all(path, &out)?;
    print(&format!("{}: {} bytes\n", path.display(), bytes.len()))?;
    Ok(super::AGREED)
}

/// Source line of the instruction at a byte address.
fn line_of(assembled: &Assembled, addr: u32) -> usize {
    assembled.lines.iter().rev().find(|(a, _)| *a <= addr).map_or(1, |(_, line)| *line)
}

/// The program as a text cubin; it carries the sizes a launch needs, so the source has to name them.
fn cubin_text(file: &Path, a: &Assembled) -> Result<String> {
    let Some(registers) = a.registers else {
        bail!("{}: a cubin says how many registers a thread has: add .registers N", file.display());
    };
    let segment = |(bank, offset, words): &(u8, u32, Vec<u32>)| ConstSegment {
        name: String::new(),
        bank: *bank,
        offset: *offset,
        bytes: u32::try_from(words.len() * 4).unwrap_or(u32::MAX),
        words: Some(words.clone()),
    };
    let kernel = Kernel {
        name: a.name.clone(),
        lmem: a.local,
        smem: a.shared.unwrap_or(0x10),
        reg: registers,
        bar: 0,
        words: a.words.clone(),
        consts: a.consts.iter().map(segment).collect(),
        sources: Vec::new(),
    };
    Ok(Cubin { kernels: vec![kernel], ..Cubin::default() }.write())
}
