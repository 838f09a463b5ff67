//! Facts of the instruction sets and the arithmetic, for tests to compare with: the files of this crate's
//! folder as rows. `README.md` beside them says what each holds and where it comes from.
//!
//! A file is text. Lines with `#` say what it holds and where its facts come from. A row has columns with
//! tabs between them; a row that begins with a tab is a case of the row above.

use std::path::PathBuf;

/// A row of a file.
#[derive(Debug)]
pub struct Row {
    columns: Vec<String>,
    /// The rows below it that begin with a tab, each without its empty first column.
    pub cases: Vec<Case>,
}

/// Columns of a row below another one.
#[derive(Debug)]
pub struct Case(Vec<String>);

impl Row {
    /// Column `n`, empty where the row ends before it.
    pub fn column(&self, n: usize) -> &str {
        self.columns.get(n).map_or("", String::as_str)
    }
}

impl Case {
    /// Column `n`, empty where the row ends before it.
    pub fn column(&self, n: usize) -> &str {
        self.0.get(n).map_or("", String::as_str)
    }
}

/// The rows of a file of this folder, such as `fermi/pairs.txt`.
///
/// # Panics
/// When the file cannot be read, or begins with a case: both are mistakes of a test.
pub fn rows(file: &str) -> Vec<Row> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("conformance/{file}: {e}"));
    let mut rows: Vec<Row> = vec![];
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let columns = |l: &str| l.split('\t').map(String::from).collect();
        match line.strip_prefix('\t') {
            None => rows.push(Row { columns: columns(line), cases: vec![] }),
            Some(case) => match rows.last_mut() {
                Some(row) => row.cases.push(Case(columns(case))),
                None => panic!("conformance/{file}: begins with a case"),
            },
        }
    }
    rows
}

/// The bytes of hexadecimal digits, the first byte first.
///
/// # Panics
/// When they are no pairs of hexadecimal digits.
pub fn bytes(hex: &str) -> Vec<u8> {
    let byte = |n| hex.get(n..n + 2).and_then(|h| u8::from_str_radix(h, 16).ok());
    let all: Option<_> = (0..hex.len()).step_by(2).map(byte).collect();
    all.unwrap_or_else(|| panic!("{hex}: bytes in hexadecimal digits expected"))
}

/// The number of hexadecimal digits.
///
/// # Panics
/// When it is none of 64 bits.
pub fn number(hex: &str) -> u64 {
    u64::from_str_radix(hex, 16).unwrap_or_else(|_| panic!("{hex}: hexadecimal digits expected"))
}

/// Words of 32 bits with blanks between them.
///
/// # Panics
/// When one is no hexadecimal number of 32 bits.
pub fn words(hex: &str) -> Vec<u32> {
    let word = |w| u32::from_str_radix(w, 16).unwrap_or_else(|_| panic!("{hex}: words expected"));
    hex.split_whitespace().map(word).collect()
}

/// `R2=12 P0=1` as names and hexadecimal digits.
///
/// # Panics
/// When a part has no `=`.
pub fn values(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let pair = |p| str::split_once(p, '=').unwrap_or_else(|| panic!("{p}: name=value expected"));
    text.split(' ').filter(|p| !p.is_empty()).map(pair)
}

/// The bytes of a program of a set: the codes below its name in `SET/programs.txt`, in order, each made
/// bytes by `code`.
///
/// # Panics
/// When the set has no such program.
pub fn program(set: &str, name: &str, code: impl Fn(&str) -> Vec<u8>) -> Vec<u8> {
    let rows = rows(&format!("{set}/programs.txt"));
    let program = rows.iter().find(|r| r.column(0) == name);
    let program = program.unwrap_or_else(|| panic!("{set}/programs.txt has no {name}"));
    program.cases.iter().flat_map(|c| code(c.column(0))).collect()
}

/// An operation of the G80 and its results.
pub struct Operation {
    /// Such as `FADD.rz` and `IADD.U16.sub.sat`.
    pub name: String,
    /// Three hundred of them.
    pub results: Vec<Outcome>,
}

/// Operands of an operation and what it gives.
pub struct Outcome {
    /// One to three.
    pub operands: Vec<u32>,
    /// Its result; for `FSET.relation` 0 greater, 1 equal, 2 less, 3 unordered.
    pub result: u32,
    /// Z 1, S 2, C 4, O 8; 0 where it sets none; absent in `FSET.relation`.
    pub flags: Option<u32>,
}

/// `sm10/arithmetic.txt`: 300 results of each of 84 operations.
pub fn arithmetic() -> Vec<Operation> {
    let outcome = |c: &Case| {
        let found = words(c.column(1));
        Outcome { operands: words(c.column(0)), result: found[0], flags: found.get(1).copied() }
    };
    let operation = |r: &Row| Operation { name: r.column(0).into(), results: r.cases.iter().map(outcome).collect() };
    rows("sm10/arithmetic.txt").iter().map(operation).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// Files below a folder that end in `.txt`, as paths from this folder.
    fn files(folder: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                files(&path, found);
            } else if path.extension().is_some_and(|e| e == "txt") {
                let name = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).expect("below");
                found.push(name.display().to_string());
            }
        }
    }

    #[test]
    fn every_file_says_what_it_holds_and_where_it_comes_from() {
        let home = Path::new(env!("CARGO_MANIFEST_DIR"));
        let page = std::fs::read_to_string(home.join("README.md")).expect("the page");
        let mut all = vec![];
        files(home, &mut all);
        assert_eq!(all.len(), 18);
        for file in all {
            assert!(page.contains(&format!("`{file}`")), "README.md lacks {file}");
            let text = std::fs::read_to_string(home.join(&file)).expect("a text");
            let header: Vec<&str> = text.lines().take_while(|l| l.starts_with("# ")).collect();
            assert!(header.len() > 1 && header.iter().any(|l| l.starts_with("# Facts: ")), "{file}");
            assert!(!rows(&file).is_empty(), "{file}");
            assert!(text.is_ascii() && text.ends_with('\n'), "{file}");
        }
    }

    #[test]
    fn the_arithmetic_has_every_operation() {
        let all = arithmetic();
        assert_eq!(all.len(), 84);
        assert!(all.iter().all(|o| o.results.len() == 300));
    }
}
