//! A launch's program for a reader: each instruction's text, and its line of the source.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use warpsmith_isa::{disassemble_in, Isa};
use warpsmith_model::Launch;

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// As the source has it without comments, else disassembled.
    pub text: String,
    /// Line of the source file, from 1.
    pub number: Option<usize>,
    /// The line in C, OpenCL C or PTX that it comes from: file name and text.
    pub source: Option<(String, String)>,
}

/// The instructions of a program by byte address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// In order of their addresses.
    pub lines: BTreeMap<u32, Line>,
    /// File name of the source.
    pub file: String,
}

impl Listing {
    /// The program of a launch. Instructions of a `.sass` file read as they stand in it, others are
    /// disassembled; what was compiled carries the line of its source.
    pub fn of(launch: &Launch) -> Self {
        let name = |path: &Path| {
            path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned())
        };
        let is_sass = launch.program_file.extension().is_some_and(|e| e == "sass");
        let mut texts: HashMap<&Path, Vec<String>> = HashMap::new();
        let mut lines = BTreeMap::new();
        for (address, text) in instructions(launch) {
            let mut line = Line { text, number: None, source: None };
            if let Some((path, number)) = launch.source.at(address) {
                let text = texts.entry(path).or_insert_with(|| {
                    let text = std::fs::read_to_string(path).unwrap_or_default();
                    text.lines().map(String::from).collect()
                });
                let text = text.get(number as usize - 1).map_or("", |t| t.trim());
                line.number = Some(number as usize);
                if !is_sass {
                    line.source = Some((name(path), text.to_string()));
                } else if !code(text).is_empty() && !code(text).contains(';') {
                    // A line of several statements stays disassembled.
                    line.text = code(text).to_string();
                }
            }
            lines.insert(address, line);
        }
        Listing { lines, file: name(&launch.program_file) }
    }

    /// Text of the instruction at an address.
    pub fn text(&self, pc: u32) -> &str {
        self.lines.get(&pc).map_or("outside the program", |l| &l.text)
    }

    /// `line 12`, `saxpy.cu:12`, or the address when there is no source.
    pub fn place(&self, pc: u32) -> String {
        let line = self.lines.get(&pc);
        match line.and_then(|l| l.number.zip(Some(&l.source))) {
            Some((n, Some((file, _)))) => format!("{file}:{n}"),
            Some((n, None)) => format!("line {n}"),
            None => format!("0x{pc:04x}"),
        }
    }

    /// Source line beside an instruction in a table: its number, with the file's name if it is not
    /// the program's own; empty when there is none.
    pub fn number(&self, pc: u32) -> String {
        match self.lines.get(&pc) {
            Some(Line { number: Some(n), source: Some((file, _)), .. }) if *file != self.file => format!("{file}:{n}"),
            Some(Line { number: Some(n), .. }) => n.to_string(),
            _ => String::new(),
        }
    }

    /// Text of the line in C that an instruction comes from.
    pub fn source(&self, pc: u32) -> Option<&str> {
        let (_, text) = self.lines.get(&pc)?.source.as_ref()?;
        (!text.is_empty()).then_some(text)
    }
}

/// Address and text of each instruction.
fn instructions(launch: &Launch) -> Vec<(u32, String)> {
    match launch.isa() {
        Isa::Sm10 => disassemble_in(launch.program.semantics, &launch.program.words())
            .into_iter()
            .map(|l| (l.addr, l.text))
            .collect(),
        isa => {
            let lines = warpsmith_isa::set::disassemble(isa.set(), &launch.program.bytes);
            lines.into_iter().map(|l| (l.offset as u32, l.text)).collect()
        }
    }
}

/// A source line without comment, label and the last semicolon.
fn code(line: &str) -> &str {
    let cut = ["//", "#", "/*"].iter().filter_map(|c| line.find(c)).min().unwrap_or(line.len());
    let line = line[..cut].trim();
    let line = line.split_once(':').map_or(line, |(_, rest)| rest.trim());
    line.trim_end_matches(';').trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_what_the_assembler_reads_of_a_line() {
        assert_eq!(code("    SHL R2, R0, 0x2;   // times four"), "SHL R2, R0, 0x2");
        assert_eq!(code("read: NOP.S;"), "NOP.S");
        assert_eq!(code("// nothing"), "");
    }

    #[test]
    fn a_program_without_source_is_disassembled() {
        let launch = Launch::from_words("k", vec![0xf000_0001, 0xe000_0001]);
        let listing = Listing::of(&launch);
        assert_eq!(listing.lines.len(), 1);
        assert_eq!(listing.place(0), "0x0000");
        assert!(listing.text(0).contains("NOP"), "{}", listing.text(0));
    }
}
