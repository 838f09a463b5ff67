//! `warpsmith cc`: a kernel of a C or PTX file to SASS, words or a cubin.

use super::chip::Chip;
use super::interleave::Interleaved;
use super::launch::with_remedy;
use super::output::{ending, print, write_all};
use super::outputs::{Files, Form};
use crate::cli::cc::{Cc, Emit};
use anyhow::{bail, Result};
use std::fmt::Write as _;
use warpsmith_compiler::clang::names::readable;
use warpsmith_compiler::{compile, compile_with_ir, Compiled, Kernel, OptLevel, Source, Target, Unit};
use warpsmith_isa::cubin::{ConstSegment, Cubin, Global, Kernel as CubinKernel, SourceLines};

pub fn run(args: &Cc) -> Result<u8> {
    let emit = format(args)?;
    let mut files = Files::default();
    files.reads("the source", &args.file).chip(&args.chip);
    files.writes("-o", args.output.as_ref(), Form::Any);
    let _ = files.check()?;
    let chip = args.chip.or_compute();
    let target = Chip::resolve(&chip)?.info();
    let source = source(args);
    let ptx = source.ptx()?;
    eprint!("{}", ptx.warnings);
    for header in &ptx.files {
        files.reads("a file that the source includes", header);
    }
    files.check()?.open()?;
    if emit == Emit::Ptx {
        return write(args, &ptx.text, "");
    }
    let symbol = source.symbol(&ptx)?;
    let file = args.file.display().to_string();
    let compiles =
        |target: &Target| compile(&ptx.text, &source.ptx_name(), Some(&symbol), target, &source.options).is_ok();
    if emit == Emit::Ir {
        let (_, kernel, text) = compile_with_ir(&ptx.text, &source.ptx_name(), Some(&symbol), &target, &source.options)
            .map_err(|e| with_remedy(source.named(e).into(), &chip, compiles))?;
        return write(args, &text, &summary(&readable(&symbol), &kernel, &target));
    }
    let (unit, kernel) = compile(&ptx.text, &source.ptx_name(), Some(&symbol), &target, &source.options)
        .map_err(|e| with_remedy(source.named(e).into(), &chip, compiles))?;
    let compiled = Compiled { unit, kernel, name: readable(&symbol), warnings: String::new() };
    if let Some((_, variable, _)) = compiled.kernel.address_words.first() {
        let name = compiled.unit.globals.get(*variable as usize);
        eprintln!(
            "warpsmith: {file}: the address of `{}` is known to a launch alone: this output has 0 in its place; name the source in the launch file instead",
            name.map_or(String::new(), |v| readable(&v.name))
        );
    }
    if let Some(p) = compiled.kernel.constant_params {
        eprintln!(
            "warpsmith: {file}: {} takes its parameters from constant bank 0, byte {} on: this output has 0 in their place; name the source in the launch file instead",
            compiled.name, p.offset
        );
    }
    let text = match emit {
        Emit::Hex => compiled.kernel.words.iter().map(|w| format!("{w:08x}\n")).collect(),
        Emit::Cubin => cubin(&compiled),
        _ => sass(&compiled)?,
    };
    let summary = summary(&compiled.name, &compiled.kernel, &target);
    write(args, &text, &summary)
}

/// Output format: as requested, or by the ending of the output.
fn format(args: &Cc) -> Result<Emit> {
    let Some(path) = &args.output else { return Ok(args.emit.unwrap_or(Emit::Sass)) };
    let by_ending = match ending(path).as_str() {
        "ptx" => Some(Emit::Ptx),
        "ir" => Some(Emit::Ir),
        "sass" => Some(Emit::Sass),
        "cubin" => Some(Emit::Cubin),
        "hex" => Some(Emit::Hex),
        _ => None,
    };
    match args.emit.or(by_ending) {
        Some(emit) => Ok(emit),
        None => bail!(
            "{}: the output ends in .sass, .cubin, .hex, .ptx or .ir, or --emit says what to write",
            path.display()
        ),
    }
}

/// The source with the options of the command line.
fn source(args: &Cc) -> Source {
    let mut source = Source::new(&args.file);
    source.kernel = args.kernel.clone();
    source.clang = args.clang.clone();
    source.arguments = clang_options(args);
    source.options.level = match args.level {
        0 => OptLevel::O0,
        1 => OptLevel::O1,
        _ => OptLevel::O2,
    };
    source.options.strict_fp = args.fp == "strict";
    source.options.max_registers = args.max_registers;
    source
}

/// The options that clang gets, each in one piece.
fn clang_options(args: &Cc) -> Vec<String> {
    let texts = [("-D", &args.define), ("-U", &args.undefine), ("-W", &args.warning)];
    let paths = [("-I", &args.folder), ("-include", &args.include)];
    let single = [("-std=", &args.std), ("-cl-std=", &args.cl_std), ("-m", &args.machine), ("-f", &args.feature)];
    let texts = texts.into_iter().flat_map(|(option, list)| list.iter().map(move |t| format!("{option}{t}")));
    let paths =
        paths.into_iter().flat_map(|(option, list)| list.iter().map(move |p| format!("{option}{}", p.display())));
    let single = single.into_iter().filter_map(|(option, value)| Some(format!("{option}{}", value.as_ref()?)));
    texts.chain(paths).chain(single).collect()
}

/// The text to its place, the summary beside it.
fn write(args: &Cc, text: &str, summary: &str) -> Result<u8> {
    match &args.output {
        None => {
            eprint!("{summary}");
            print(text)?;
        }
        Some(path) => {
            write_all(path, text)?;
            print(&format!("{summary}{}: written\n", path.display()))?;
        }
    }
    Ok(super::AGREED)
}

/// Resources of the kernel, and the number of its warps that fit an SM.
fn summary(name: &str, k: &Kernel, t: &Target) -> String {
    let mut s = String::new();
    let dynamic = if k.dynamic_shared { " and more by the launch" } else { "" };
    let spilled = match k.spilled_words {
        0 => String::new(),
        1 => " (1 spilled word)".to_string(),
        n => format!(" ({n} spilled words)"),
    };
    let _ = writeln!(
        s,
        "{name}: {} instructions in {} bytes, {} registers",
        warpsmith_isa::disassemble(&k.words).len(),
        4 * k.words.len(),
        k.registers
    );
    let _ = writeln!(
        s,
        "  shared {} bytes{dynamic}, local {} bytes{spilled}, literals {} bytes, stack depth {}",
        k.shared_bytes,
        k.local_bytes,
        4 * k.literals.len(),
        k.stack_depth
    );
    if let Some(p) = k.constant_params {
        let _ = writeln!(s, "  parameters {} bytes in constant bank 0 from byte {}", p.bytes, p.offset);
    }
    let by_registers = t.registers / (32 * k.registers.max(1));
    let (warps, limit) = match by_registers < t.warps {
        true => (by_registers, "registers"),
        false => (t.warps, "warps of the SM"),
    };
    let blocks = (t.shared_bytes / k.shared_bytes.max(1)).min(t.blocks);
    let _ = writeln!(s, "  {}: {warps} warps fit an SM by {limit}, {blocks} blocks by shared memory", t.name);
    s
}

/// SASS text with the directives that `warpsmith asm` reads, and the source's lines as comments.
fn sass(c: &Compiled) -> Result<String> {
    let k = &c.kernel;
    let mut s = String::new();
    writeln!(s, ".kernel {}", identifier(&c.name))?;
    writeln!(s, ".registers {}", k.registers)?;
    writeln!(s, ".shared {}", k.shared_bytes)?;
    if k.local_bytes > 0 {
        writeln!(s, ".local {}", k.local_bytes)?;
    }
    for (offset, words) in constants(&c.unit, k) {
        for (i, part) in words.chunks(8).enumerate() {
            let list: Vec<String> = part.iter().map(|w| format!("{w:#x}")).collect();
            let (bank, at) = (offset.0, offset.1 + 32 * i as u32);
            writeln!(s, ".const {bank}, {at:#x}, {}", list.join(", "))?;
        }
    }
    let mut listed = Interleaved::new(
        c.unit.files.to_vec(),
        k.lines.iter().map(|l| (l.address, usize::from(l.loc.file), l.loc.line)).collect(),
    );
    for l in warpsmith_isa::disassemble(&k.words) {
        s += &listed.above(l.addr);
        writeln!(s, "{};", l.text)?;
    }
    Ok(s)
}

/// A name the assembler takes.
fn identifier(name: &str) -> String {
    let sound = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    name.chars().map(sound).collect()
}

/// Constant memory as ((bank, byte offset), words): variables, then literals.
fn constants(unit: &Unit, k: &Kernel) -> Vec<((u8, u32), Vec<u32>)> {
    let mut bank = vec![0u8; unit.constant_bytes.next_multiple_of(4) as usize];
    for v in &unit.globals {
        if let (Some(at), Some(init)) = (v.constant_offset, &v.init) {
            let place = bank.get_mut(at as usize..);
            if let Some(place) = place.and_then(|b| b.get_mut(..init.len())) {
                place.copy_from_slice(init);
            }
        }
    }
    let words: Vec<u32> = bank.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
    [((0, 0), words), ((1, 0), k.literals.clone())].into_iter().filter(|c| !c.1.is_empty()).collect()
}

/// A text cubin as NVIDIA's compiler of the time wrote them.
fn cubin(c: &Compiled) -> String {
    let segment = |name: &str, bank: u8, offset: u32, words: Vec<u32>| ConstSegment {
        name: name.to_string(),
        bank,
        offset,
        bytes: 4 * words.len() as u32,
        words: Some(words),
    };
    let consts = constants(&c.unit, &c.kernel);
    let of_bank = |bank: u8, name: &str| -> Vec<ConstSegment> {
        let found = consts.iter().filter(|s| s.0 .0 == bank);
        found.map(|((bank, at), words)| segment(name, *bank, *at, words.clone())).collect()
    };
    let globals = c.unit.globals.iter().filter(|v| v.constant_offset.is_none());
    Cubin {
        kernels: vec![CubinKernel {
            name: c.kernel.name.clone(),
            lmem: c.kernel.local_bytes,
            smem: c.kernel.shared_bytes,
            reg: c.kernel.registers,
            bar: 0,
            words: c.kernel.words.clone(),
            consts: of_bank(1, ""),
            sources: sources(c),
        }],
        consts: of_bank(0, "constants"),
        globals: globals.map(|v| Global { name: v.name.clone(), space: 14, offset: 0, bytes: v.bytes }).collect(),
        ..Cubin::default()
    }
    .write()
}

/// Lines of a kernel by files, without files that no instruction comes from.
fn sources(c: &Compiled) -> Vec<SourceLines> {
    let of = |(n, file): (usize, &String)| {
        let mine = c.kernel.lines.iter().filter(|l| usize::from(l.loc.file) == n);
        SourceLines { file: file.clone(), lines: mine.map(|l| (l.address, l.loc.line)).collect() }
    };
    let all = c.unit.files.iter().enumerate().map(of);
    all.filter(|s| !s.lines.is_empty()).collect()
}
