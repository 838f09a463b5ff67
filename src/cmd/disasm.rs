//! `warpsmith disasm`: words or a cubin to SASS text.

use super::interleave::Interleaved;
use super::output::{ending, print, read_text};
use crate::cli::Disasm;
use anyhow::{bail, Context, Result};
use std::fmt::Write as _;
use warpsmith_isa::cubin;
use warpsmith_isa::program::{parse_bin, parse_hex};

pub fn run(args: &Disasm) -> Result<u8> {
    let path = &args.file;
    let format = ending(path);
    let file = path.display().to_string();
    if args.kernel.is_some() && format != "cubin" {
        bail!(
            "--kernel goes with a .cubin; {} holds one program",
            path.display()
        );
    }
    if args.source && format != "cubin" {
        bail!(
            "{}: only a .cubin of `warpsmith cc` carries source lines",
            path.display()
        );
    }
    let mut text = String::new();
    match format.as_str() {
        "hex" => program(
            &mut text,
            &parse_hex(&read_text(path)?, &file)?,
            args.words,
            None,
        )?,
        "bin" => {
            let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
            program(&mut text, &parse_bin(&bytes, &file)?, args.words, None)?;
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
                    bail!("{file}: kernel {} carries no source lines; `warpsmith cc -o FILE.cubin` writes them", kernel.name);
                }
                program(&mut text, &kernel.words, args.words, listed.as_mut())?;
            }
            if let (Some(wanted), true) = (&args.kernel, text.is_empty()) {
                let names: Vec<&str> = cubin.kernels.iter().map(|k| k.name.as_str()).collect();
                bail!(
                    "{file}: no kernel '{wanted}'; it holds {}",
                    names.join(", ")
                );
            }
        }
        other => bail!(
            "{}: a .hex, .bin or .cubin file is needed, found .{other}",
            path.display()
        ),
    }
    print(&text)?;
    Ok(super::AGREED)
}

/// Source lines of a kernel.
fn interleaved(kernel: &cubin::Kernel) -> Interleaved {
    let entries = kernel.sources.iter().enumerate();
    Interleaved::new(
        kernel.sources.iter().map(|s| s.file.clone()).collect(),
        entries
            .flat_map(|(n, s)| s.lines.iter().map(move |l| (l.0, n, l.1)))
            .collect(),
    )
}

/// One instruction a line, as text that assembles to the same words.
fn program(
    text: &mut String,
    words: &[u32],
    show_words: bool,
    mut source: Option<&mut Interleaved>,
) -> Result<()> {
    for line in warpsmith_isa::disassemble(words) {
        if let Some(s) = &mut source {
            text.push_str(&s.above(line.addr));
        }
        if show_words {
            let words: Vec<String> = line.words.iter().map(|w| format!("{w:08x}")).collect();
            writeln!(
                text,
                "/* {:04x}  {:<17} */ {};",
                line.addr,
                words.join(" "),
                line.text
            )?;
        } else {
            writeln!(text, "{};", line.text)?;
        }
    }
    Ok(())
}
