//! `--isa`: which instruction set a source or a file of words is of, and the files of sets that have
//! no format of their own.

use anyhow::{bail, Result};
use std::path::Path;
use warpsmith_isa::set::{self, words, InstructionSet};
use warpsmith_isa::sets::{self, Recognised};
use warpsmith_isa::Isa;

type Set = &'static dyn InstructionSet;

/// The set of a name of `--isa`.
///
/// # Errors
/// No set has the name.
pub fn named(name: &str) -> Result<Set> {
    sets::by_name(name).ok_or_else(|| anyhow::anyhow!(set::no_set(name)))
}

/// The set of a source: that of `--isa`, else that of its `.isa` line, else SM 1.0. A contradiction is
/// left to the assembler, which names the line.
///
/// # Errors
/// No set has the name.
pub fn of_source(asked: Option<&str>, source: &str, file: &str) -> Result<Set> {
    match (asked, set::named_set(source)) {
        (Some(name), _) => named(name),
        (None, None) => Ok(Isa::default().set()),
        (None, Some((name, at))) => sets::by_name(&name).ok_or_else(|| {
            let (line, col) = (at.line, at.col);
            anyhow::anyhow!("{file}:{line}:{col}: {}", set::no_set(&name))
        }),
    }
}

/// Another set than `tried` that assembles a source which names none, for the end of an error.
pub fn also_assembles(tried: Set, source: &str) -> String {
    if set::named_set(source).is_some() {
        return String::new();
    }
    let assembles = |s: &&Set| match s.isa() {
        Isa::Sm10 => warpsmith_isa::assemble(source, "").is_ok(),
        _ => set::assemble(**s, source, "").is_ok(),
    };
    let others = sets::sets().iter().filter(|s| s.isa() != tried.isa());
    match others.copied().find(|s| assembles(&s)) {
        Some(s) => format!("; it assembles as a program of {0}: give --isa {0}", s.name()),
        None => String::new(),
    }
}

/// A file of words or bytes as a program of a set.
pub enum Raw {
    /// The text of a `.hex` file.
    Hex(String),
    /// The contents of a `.bin` file.
    Bin(Vec<u8>),
}

impl Raw {
    /// The bytes of the program.
    ///
    /// # Errors
    /// A token that is no word of the set, a length that is no multiple of its unit.
    pub fn bytes(&self, set: &dyn InstructionSet, file: &str) -> Result<Vec<u8>> {
        match self {
            Raw::Hex(text) => Ok(words::parse_hex(set, text, file)?),
            Raw::Bin(bytes) => {
                words::check_bin(set, bytes, file)?;
                Ok(bytes.clone())
            }
        }
    }

    /// The set and the bytes of the program: of `--isa`, else of SM 1.0.
    ///
    /// # Errors
    /// As [`Raw::bytes`]; without `--isa`, a file that reads as a program of another set. With `--isa`
    /// that is a line on stderr.
    pub fn program(&self, asked: Option<&str>, file: &Path) -> Result<(Set, Vec<u8>)> {
        let name = file.display().to_string();
        let set = named(asked.unwrap_or(Isa::default().name()))?;
        let bytes = self.bytes(set, &name);
        let other = sets::recognise(set, |s| self.bytes(s, &name).ok());
        match (bytes, other) {
            (Ok(b), Some(r)) if asked.is_some() => {
                eprintln!("warpsmith: {name}: {}", reads_as(set, &r));
                Ok((set, b))
            }
            (Ok(b), None) => Ok((set, b)),
            (_, Some(r)) => {
                let (other, own) = (r.set.name(), set.name());
                let way = match asked {
                    Some(_) => format!("give --isa {other}"),
                    None => format!("give --isa {other}, or --isa {own} all the same"),
                };
                bail!("{name}: {}: {way}", reads_as(set, &r))
            }
            (Err(e), None) => Err(e),
        }
    }
}

fn reads_as(asked: Set, r: &Recognised) -> String {
    format!(
        "reads as a program of {}: {:.0} % of it are instructions there, {:.0} % are in {}",
        r.set.name(),
        100.0 * r.share,
        100.0 * r.asked,
        asked.name()
    )
}
