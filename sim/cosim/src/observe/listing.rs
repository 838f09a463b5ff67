//! A launch's program for a reader: each instruction's text, and its line of the source.

use std::collections::BTreeMap;
use warpsmith_isa::disassemble;
use warpsmith_model::Launch;

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// As the source has it without comments, else disassembled.
    pub text: String,
    /// Line of the `.sass` file, from 1.
    pub number: Option<usize>,
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
    /// The program of a launch. A `.sass` file is assembled again for its lines; when it no longer
    /// gives the words of the launch, the program is disassembled as any other.
    pub fn of(launch: &Launch) -> Self {
        let file = launch.program_file.file_name().map_or_else(
            || launch.program_file.display().to_string(),
            |n| n.to_string_lossy().into_owned(),
        );
        let mut lines: BTreeMap<u32, Line> = disassemble(&launch.program)
            .into_iter()
            .map(|l| {
                let line = Line {
                    text: l.text,
                    number: None,
                };
                (l.addr, line)
            })
            .collect();
        let is_source = launch.program_file.extension().is_some_and(|e| e == "sass");
        let source = is_source
            .then(|| std::fs::read_to_string(&launch.program_file).ok())
            .flatten();
        let assembled = source
            .as_deref()
            .and_then(|s| warpsmith_isa::assemble(s, &file).ok())
            .filter(|a| a.words == launch.program);
        if let (Some(source), Some(a)) = (source, assembled) {
            let source: Vec<&str> = source.lines().collect();
            for (address, number) in a.lines {
                let Some(line) = lines.get_mut(&address) else {
                    continue;
                };
                line.number = Some(number);
                let text = source.get(number - 1).map_or("", |t| code(t));
                // A line of several statements stays disassembled.
                if !text.is_empty() && !text.contains(';') {
                    line.text = text.to_string();
                }
            }
        }
        Listing { lines, file }
    }

    /// Text of the instruction at an address.
    pub fn text(&self, pc: u32) -> &str {
        self.lines
            .get(&pc)
            .map_or("outside the program", |l| &l.text)
    }

    /// `line 12`, or the address when there is no source.
    pub fn place(&self, pc: u32) -> String {
        match self.lines.get(&pc).and_then(|l| l.number) {
            Some(n) => format!("line {n}"),
            None => format!("0x{pc:04x}"),
        }
    }
}

/// A source line without comment, label and the last semicolon.
fn code(line: &str) -> &str {
    let cut = ["//", "#", "/*"]
        .iter()
        .filter_map(|c| line.find(c))
        .min()
        .unwrap_or(line.len());
    let line = line[..cut].trim();
    let line = line.split_once(':').map_or(line, |(_, rest)| rest.trim());
    line.trim_end_matches(';').trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_what_the_assembler_reads_of_a_line() {
        assert_eq!(
            code("    SHL R2, R0, 0x2;   // times four"),
            "SHL R2, R0, 0x2"
        );
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
