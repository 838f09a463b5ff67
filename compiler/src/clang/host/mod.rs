//! The host part of a `.cu` file: what does not parse there is left out, so that it refuses no kernel.
//!
//! clang reads the whole file, and one error in it is the end. Where that happens, the file is preprocessed with
//! headers that are not found taken as empty, and clang names all errors of that text at once. An error in a
//! function of the host takes the statement that holds it out, one in another declaration the declaration, and clang
//! reads again what is left. Kernels that such a statement launched stay named, so that instances of templates are
//! compiled. Then an error in a function of the device takes its body out, which refuses the kernels that need it; other
//! errors of the device are errors of the file, and no class loses a member that counts for its size.

mod aligned;
mod cut;
mod device;
mod extent;
mod launches;
mod lex;
mod lines;
mod outline;
mod problem;
mod statement;

use super::diagnose;
use crate::error::CompileError;
use crate::ptx::left::{LeftOut, What};
use cut::Cut;
use device::Part;
use extent::Effort;
use lex::Tokens;
use lines::Lines;
use problem::{Place, Problem};
use std::path::{Path, PathBuf};

/// Times that clang reads a text at most.
const PASSES: usize = 24;

/// Passes with an effort; those behind them take more.
const EFFORTS: [(usize, Effort); 2] = [(10, Effort::Statement), (17, Effort::Body)];

/// Errors of the host side that a message about the device shows.
const SHOWN: usize = 8;

/// A file as the preprocessor wrote it.
pub(super) struct Preprocessed {
    /// Its text with line markers.
    pub text: String,
    /// Headers that were not found, as they are named in the files.
    pub missing: Vec<String>,
}

/// What a file is without the part that does not parse.
pub(super) struct Device {
    /// Preprocessed text that parses.
    pub text: String,
    /// What was left out of the host's part, in one line; nothing where all was understood.
    pub note: String,
    /// What was left out of the device's part.
    pub left: Vec<LeftOut>,
    /// The error of the file where no kernel can do without that.
    pub error: CompileError,
}

/// Leaves out what does not parse, first of the host, then of the device.
///
/// `printed` gives what clang prints of a text whose lines are numbered.
///
/// # Errors
/// An error of the device that is not one of a function alone, with its line; `first`, clang's error for the file as it is,
/// where nothing but it is wrong or where the errors have no places.
pub(super) fn without(
    source: &Path, file: Preprocessed, first: CompileError, printed: impl Fn(&str) -> Result<String, CompileError>,
) -> Result<Device, CompileError> {
    let lines = Lines::new(&file.text);
    let mut recovery = Recovery { lines, text: file.text, left: Vec::new(), device: Vec::new() };
    let joined = recovery.prepare();
    let mut error = None;
    for pass in 0..PASSES {
        let Some(list) = problem::problems(&printed(&lines::numbered(&recovery.text))?) else { break };
        if list.is_empty() {
            let note = recovery.note(source, &file.missing);
            return Ok(Device { text: recovery.text, note, left: recovery.device, error: error.unwrap_or(first) });
        }
        if recovery.host(&list, pass) {
            continue;
        }
        let clean = recovery.left.is_empty() && recovery.device.is_empty() && file.missing.is_empty() && !joined;
        error.get_or_insert_with(|| match clean {
            // Nothing but it is wrong: clang's own message has the better place.
            true => first.clone(),
            false => recovery.error(&list, &file.missing),
        });
        if !recovery.device(&list) {
            break;
        }
    }
    Err(error.unwrap_or(first))
}

/// A text on its way to one that parses.
struct Recovery {
    lines: Lines,
    text: String,
    /// The errors of what was left out of the host's part.
    left: Vec<Problem>,
    /// What was left out of the device's part.
    device: Vec<LeftOut>,
}

impl Recovery {
    /// Puts torn launches together and alignments in front of marks, and ends functions whose closing brace is missing; true
    /// where a launch or an alignment was.
    fn prepare(&mut self) -> bool {
        let mut found = false;
        for rewritten in [launches::joined, aligned::in_front] {
            if let Some(text) = rewritten(&self.text, &Tokens::new(&self.text)) {
                self.text = text;
                found = true;
            }
        }
        let tokens = Tokens::new(&self.text);
        let mut cuts = Vec::new();
        extent::open_functions(&tokens, &outline::outline(&tokens), &mut cuts);
        self.text = cut::apply(&self.text, &tokens, cuts);
        found
    }

    /// Cuts what does not parse on the host side; false where nothing is wrong there.
    fn host(&mut self, list: &[Problem], pass: usize) -> bool {
        let effort = EFFORTS.iter().find(|(until, _)| pass < *until).map_or(Effort::Function, |e| e.1);
        let tokens = Tokens::new(&self.text);
        let items = outline::outline(&tokens);
        let starts = starts(&self.text);
        let mut cuts = Vec::new();
        for problem in list {
            let place = self.place(problem);
            if let Some(cut) = token(&tokens, &starts, place).and_then(|t| extent::of_error(&tokens, &items, t, effort))
            {
                self.left.push(Problem { place, ..problem.clone() });
                cuts.push(cut);
            }
        }
        let found = !cuts.is_empty();
        self.text = cut::apply(&self.text, &tokens, cuts);
        found
    }

    /// Cuts what the device can do without; false where an error is in something else.
    fn device(&mut self, list: &[Problem]) -> bool {
        let tokens = Tokens::new(&self.text);
        let items = outline::outline(&tokens);
        let starts = starts(&self.text);
        let mut cuts = Vec::new();
        for problem in list {
            let place = self.place(problem);
            let number = self.device.len();
            let own = Some(place).filter(|p| !self.lines.is_system(p.0));
            let part =
                own.and_then(|p| token(&tokens, &starts, p)).and_then(|t| device::of_error(&tokens, &items, t, number));
            let (cut, mark, what) = match part {
                Some(Part::Body(cut, mark)) => (cut, mark, What::Body(number)),
                Some(Part::Kernel(cut, name)) => (cut, None, What::Kernel(name)),
                None => return false,
            };
            // A second error in the same part adds nothing.
            if !cuts.iter().any(|c: &Cut| c.is_at(&cut)) {
                let (file, line, message) = self.placed(&Problem { place, ..problem.clone() });
                self.device.push(LeftOut { what, error: CompileError { file, line, message } });
                cuts.extend([cut].into_iter().chain(mark));
            }
        }
        self.text = cut::apply(&self.text, &tokens, cuts);
        true
    }

    /// File, line and text of an error.
    fn placed(&self, problem: &Problem) -> (String, Option<u32>, String) {
        let (file, line) =
            self.lines.place(problem.place.0).map_or((String::new(), None), |(f, l)| (plain(f), Some(l)));
        let advice = diagnose::advice(&problem.message).map_or_else(String::new, |a| format!(": {a}"));
        (file, line, format!("{}{advice}", problem.message))
    }

    /// Where something can be done: for an error in a template of a header, the place in the file that asked for it.
    fn place(&self, problem: &Problem) -> Place {
        let own = |p: &Place| !self.lines.is_system(p.0);
        let asked = || problem.asked.iter().find(|p| own(p)).copied();
        if own(&problem.place) {
            problem.place
        } else {
            asked().unwrap_or(problem.place)
        }
    }

    /// `FILE:LINE: `, as far as known.
    fn named(&self, place: Place) -> String {
        self.lines.place(place.0).map_or_else(String::new, |(file, line)| format!("{}:{line}: ", plain(file)))
    }

    /// One line about what was left out.
    fn note(&self, source: &Path, missing: &[String]) -> String {
        let mut parts = Vec::new();
        if !missing.is_empty() {
            parts.push(format!("headers that are not found count as empty ({})", missing.join(", ")));
        }
        if let Some(first) = self.left.first() {
            let more = match self.left.len() {
                1 => String::new(),
                n => format!(" and {} more", n - 1),
            };
            parts.push(format!(
                "what does not parse on the host side is left out ({}{}{more})",
                self.named(first.place),
                first.message
            ));
        }
        match parts.is_empty() {
            true => String::new(),
            false => format!("{}: note: {}\n", source.display(), parts.join("; ")),
        }
    }

    /// The error of a file whose device part is wrong.
    fn error(&self, list: &[Problem], missing: &[String]) -> CompileError {
        let device: Vec<Problem> = list.iter().map(|p| Problem { place: self.place(p), ..p.clone() }).collect();
        let (file, line, mut message) = device.first().map_or_else(Default::default, |p| self.placed(p));
        message += &not_found(missing);
        for p in &device {
            message += &format!("\n{}error: {}", self.named(p.place), p.message);
        }
        for p in self.left.iter().take(SHOWN) {
            message += &format!("\n{}left out, as it does not parse: {}", self.named(p.place), p.message);
        }
        CompileError { file, line, message }
    }
}

/// The token at a place.
fn token(tokens: &Tokens, starts: &[usize], place: Place) -> Option<usize> {
    tokens.at(starts.get(place.0.checked_sub(1)?)? + place.1)
}

/// What a message says of headers that were not found.
fn not_found(missing: &[String]) -> String {
    let advice = missing.first().map(|header| diagnose::missing_header(header));
    advice.map_or_else(String::new, |advice| format!("; {} was not found: {advice}", missing.join(", ")))
}

/// An error of the preprocessor, with the headers that it may have missed.
pub(super) fn preprocessor(mut e: CompileError, missing: &[String]) -> CompileError {
    let end = e.message.find('\n').unwrap_or(e.message.len());
    e.message.insert_str(end, &not_found(missing));
    e
}

/// A name as the caller gave it.
fn plain(file: &str) -> String {
    file.strip_prefix("./").unwrap_or(file).to_string()
}

/// Bytes at which the lines of a text begin.
fn starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(n, _)| n + 1)).collect()
}

/// Headers of a make rule that are not there.
pub(super) fn missing(files: &[PathBuf]) -> Vec<String> {
    files.iter().filter(|f| !f.exists()).map(|f| f.display().to_string()).collect()
}
