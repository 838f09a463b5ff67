//! Text cubins of sm_10: `keyword {value}` and `keyword { key = value ... nested sections }`.
//!
//! Format: docs/cubin.md. Unknown keys are kept by name in [`Cubin::unknown`]; a wrong architecture is
//! an error.

use crate::set::words::hex_word;

/// Initialised or reserved constant memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConstSegment {
    /// Symbol, empty for the literals of a kernel.
    pub name: String,
    /// Bank 0..=15.
    pub bank: u8,
    /// Byte offset in the bank.
    pub offset: u32,
    /// Size in bytes.
    pub bytes: u32,
    /// Contents; `None` when the host sets them.
    pub words: Option<Vec<u32>>,
}

/// A module global: a name and its place in global memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Global {
    /// Symbol.
    pub name: String,
    /// Space number (14 in all known files).
    pub space: u8,
    /// Byte offset.
    pub offset: u32,
    /// Size in bytes.
    pub bytes: u32,
}

/// Lines of one source file, in a section of our own that other readers skip.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceLines {
    /// The file, as the compiler was told it.
    pub file: String,
    /// (byte address of an instruction, line from 1 or 0 for unknown); holds up to the next address
    /// that any file names.
    pub lines: Vec<(u32, u32)>,
}

/// One kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kernel {
    /// Name.
    pub name: String,
    /// Local bytes a thread.
    pub lmem: u32,
    /// Shared bytes a block, header and parameters included.
    pub smem: u32,
    /// Registers a thread.
    pub reg: u32,
    /// Barriers used.
    pub bar: u32,
    /// Program, 32-bit words in memory order.
    pub words: Vec<u32>,
    /// Literals of the kernel.
    pub consts: Vec<ConstSegment>,
    /// Source lines, where the compiler wrote them.
    pub sources: Vec<SourceLines>,
}

/// A file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cubin {
    /// `modname`.
    pub modname: String,
    /// Kernels in file order.
    pub kernels: Vec<Kernel>,
    /// Module constants.
    pub consts: Vec<ConstSegment>,
    /// Module globals.
    pub globals: Vec<Global>,
    /// (line, key) of everything not understood.
    pub unknown: Vec<(usize, String)>,
}

/// Why a file is no cubin for this machine: `file:line: message`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct CubinError {
    /// Name given by the caller.
    pub file: String,
    /// Line from 1.
    pub line: usize,
    /// Expected and found.
    pub message: String,
}

type Fail = (usize, String);

struct Reader<'a> {
    tokens: Vec<(usize, &'a str)>,
    n: usize,
    last: usize,
    unknown: Vec<(usize, String)>,
}

/// Reads a text cubin; `file` names it in errors.
///
/// # Errors
/// A [`CubinError`] for a truncated or foreign file and for an architecture other than sm_10.
pub fn parse(source: &str, file: &str) -> Result<Cubin, CubinError> {
    read(source).map_err(|(line, message)| CubinError { file: file.into(), line, message })
}

fn read(source: &str) -> Result<Cubin, Fail> {
    let tokens = tokenize(source);
    let last = source.lines().count().max(1);
    let mut r = Reader { tokens, n: 0, last, unknown: Vec::new() };
    let mut out = Cubin::default();
    let mut arch = false;
    while let Some((line, key)) = r.next() {
        if r.next().map(|t| t.1) != Some("{") {
            return Err((line, format!("expected a text cubin (`architecture {{sm_10}}` ...), found {key:?}")));
        }
        match key {
            "architecture" => {
                let (at, a) = r.value()?;
                if a != "sm_10" {
                    return Err((at, format!("expected architecture sm_10, found {a}; compile with -arch=sm_10")));
                }
                arch = true;
                r.close()?;
            }
            "modname" => {
                out.modname = r.value()?.1.into();
                r.close()?;
            }
            "consts" => out.consts.push(r.segment()?),
            "reloc" => out.globals.push(r.global()?),
            "code" => out.kernels.push(r.kernel()?),
            "abiversion" => r.skip()?,
            _ => {
                r.unknown.push((line, key.into()));
                r.skip()?;
            }
        }
    }
    if !arch {
        return Err((1, "expected `architecture {sm_10}`, found none; is this a text cubin?".into()));
    }
    if out.kernels.is_empty() {
        return Err((last, "expected at least one `code { ... }`, found none; the file may be truncated".into()));
    }
    out.unknown = r.unknown;
    Ok(out)
}

fn tokenize(source: &str) -> Vec<(usize, &str)> {
    let mut out = Vec::new();
    for (n, line) in source.lines().enumerate() {
        let mut rest = line;
        loop {
            rest = rest.trim_start();
            let Some(c) = rest.chars().next() else { break };
            let special = |c: char| matches!(c, '{' | '}' | '=');
            let len =
                if special(c) { 1 } else { rest.find(|c: char| special(c) || c.is_whitespace()).unwrap_or(rest.len()) };
            out.push((n + 1, &rest[..len]));
            rest = &rest[len..];
        }
    }
    out
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<(usize, &'a str)> {
        let t = self.tokens.get(self.n).copied();
        self.n += usize::from(t.is_some());
        t
    }

    fn cut<T>(&self) -> Result<T, Fail> {
        Err((self.last, "the file ends inside a section; it is truncated".into()))
    }

    fn value(&mut self) -> Result<(usize, &'a str), Fail> {
        match self.next() {
            Some((l, t)) if matches!(t, "{" | "}" | "=") => Err((l, format!("expected a value, found {t}"))),
            Some(t) => Ok(t),
            None => self.cut(),
        }
    }

    fn expect(&mut self, what: &str) -> Result<(), Fail> {
        match self.next() {
            Some((_, t)) if t == what => Ok(()),
            Some((l, t)) => Err((l, format!("expected {what}, found {t}"))),
            None => self.cut(),
        }
    }

    fn close(&mut self) -> Result<(), Fail> {
        self.expect("}")
    }

    /// Skips to the end of a section whose `{` is read.
    fn skip(&mut self) -> Result<(), Fail> {
        let mut depth = 1;
        while depth > 0 {
            match self.next() {
                Some((_, "{")) => depth += 1,
                Some((_, "}")) => depth -= 1,
                Some(_) => {}
                None => return self.cut(),
            }
        }
        Ok(())
    }

    /// Words up to the closing brace.
    fn words(&mut self) -> Result<Vec<u32>, Fail> {
        let mut out = Vec::new();
        loop {
            match self.next() {
                Some((_, "}")) => return Ok(out),
                Some((l, t)) => match hex_word(t, 8) {
                    Some(w) => out.push(w as u32),
                    None => return Err((l, format!("expected a 32-bit hexadecimal word, found {t}"))),
                },
                None => return self.cut(),
            }
        }
    }

    /// The next `key` of a section: (line, key, true when a nested section follows), `None` at its end.
    fn key(&mut self) -> Result<Option<(usize, &'a str, bool)>, Fail> {
        match self.next() {
            None => self.cut(),
            Some((_, "}")) => Ok(None),
            Some((l, k)) if k == "{" || k == "=" => Err((l, format!("expected a key, found {k}"))),
            Some((l, k)) => match self.next() {
                Some((_, "{")) => Ok(Some((l, k, true))),
                Some((_, "=")) => Ok(Some((l, k, false))),
                Some((l, t)) => Err((l, format!("expected = or {{ after {k}, found {t}"))),
                None => self.cut(),
            },
        }
    }

    fn number(&mut self) -> Result<u32, Fail> {
        let (l, t) = self.value()?;
        let parsed = match t.strip_prefix("0x") {
            Some(h) => u32::from_str_radix(h, 16).ok(),
            None => t.parse().ok(),
        };
        parsed.ok_or_else(|| (l, format!("expected a number, found {t}")))
    }

    fn small(&mut self, what: &str) -> Result<u8, Fail> {
        let line = self.tokens.get(self.n).map_or(self.last, |t| t.0);
        let v = self.number()?;
        if v < 16 {
            Ok(v as u8)
        } else {
            Err((line, format!("expected a {what} 0 to 15, found {v}")))
        }
    }

    fn unknown_key(&mut self, line: usize, key: &str, nested: bool) -> Result<(), Fail> {
        self.unknown.push((line, key.into()));
        if nested {
            self.skip()
        } else {
            self.value().map(|_| ())
        }
    }

    fn segment(&mut self) -> Result<ConstSegment, Fail> {
        let mut s = ConstSegment::default();
        while let Some((line, k, nested)) = self.key()? {
            match (k, nested) {
                ("name", false) => s.name = self.value()?.1.into(),
                ("segname", false) => {
                    self.value()?;
                }
                ("segnum", false) => s.bank = self.small("constant bank")?,
                ("offset", false) => s.offset = self.number()?,
                ("bytes", false) => s.bytes = self.number()?,
                ("mem", true) => s.words = Some(self.words()?),
                _ => self.unknown_key(line, k, nested)?,
            }
        }
        Ok(s)
    }

    fn global(&mut self) -> Result<Global, Fail> {
        let mut g = Global::default();
        while let Some((line, k, nested)) = self.key()? {
            match (k, nested) {
                ("name", false) => g.name = self.value()?.1.into(),
                ("segname", false) => {
                    self.value()?;
                }
                ("segnum", false) => g.space = self.small("global space")?,
                ("offset", false) => g.offset = self.number()?,
                ("bytes", false) => g.bytes = self.number()?,
                _ => self.unknown_key(line, k, nested)?,
            }
        }
        Ok(g)
    }

    fn source(&mut self) -> Result<SourceLines, Fail> {
        let mut s = SourceLines::default();
        while let Some((line, k, nested)) = self.key()? {
            match (k, nested) {
                ("file", false) => s.file = decoded(self.value()?.1),
                ("lines", true) => {
                    let words = self.words()?;
                    s.lines = words.chunks_exact(2).map(|w| (w[0], w[1])).collect();
                }
                _ => self.unknown_key(line, k, nested)?,
            }
        }
        Ok(s)
    }

    fn kernel(&mut self) -> Result<Kernel, Fail> {
        let mut c = Kernel::default();
        let start = self.tokens.get(self.n).map_or(self.last, |t| t.0);
        while let Some((line, k, nested)) = self.key()? {
            match (k, nested) {
                ("name", false) => c.name = self.value()?.1.into(),
                ("lmem", false) => c.lmem = self.number()?,
                ("smem", false) => c.smem = self.number()?,
                ("reg", false) => c.reg = self.number()?,
                ("bar", false) => c.bar = self.number()?,
                ("bincode", true) => c.words = self.words()?,
                ("const", true) => c.consts.push(self.segment()?),
                ("source", true) => c.sources.push(self.source()?),
                _ => self.unknown_key(line, k, nested)?,
            }
        }
        if c.name.is_empty() || c.words.is_empty() {
            return Err((start, "a code section needs a name and a bincode".into()));
        }
        Ok(c)
    }
}

impl Cubin {
    /// The file as text; [`parse`] gives the same contents back (unknown keys are not written).
    pub fn write(&self) -> String {
        let name = if self.modname.is_empty() { "cubin" } else { &self.modname };
        let mut o = format!("architecture {{sm_10}}\nabiversion {{0}}\nmodname {{{name}}}\n");
        for c in &self.consts {
            o.push_str(&segment_text(c, "consts", ""));
        }
        for g in &self.globals {
            o.push_str(&format!(
                "reloc {{\n\tname = {}\n\tsegname = reloc\n\tsegnum = {}\n\toffset = {}\n\tbytes = {}\n}}\n",
                g.name, g.space, g.offset, g.bytes
            ));
        }
        for k in &self.kernels {
            o.push_str(&format!(
                "code {{\n\tname = {}\n\tlmem = {}\n\tsmem = {}\n\treg = {}\n\tbar = {}\n\tbincode {{\n{}\t}}\n",
                k.name,
                k.lmem,
                k.smem,
                k.reg,
                k.bar,
                words_text(&k.words, "\t\t")
            ));
            for c in &k.consts {
                o.push_str(&segment_text(c, "const", "\t"));
            }
            for s in &k.sources {
                let pairs: Vec<u32> = s.lines.iter().flat_map(|l| [l.0, l.1]).collect();
                o.push_str(&format!(
                    "\tsource {{\n\t\tfile = {}\n\t\tlines {{\n{}\t\t}}\n\t}}\n",
                    encoded(&s.file),
                    words_text(&pairs, "\t\t\t")
                ));
            }
            o.push_str("}\n");
        }
        o
    }
}

/// A file name as one token: blanks, braces, `=` and `%` become `%` and their code.
fn encoded(name: &str) -> String {
    let mut o = String::new();
    for c in name.chars() {
        match c {
            '{' | '}' | '=' | '%' => o.push_str(&format!("%{:x};", u32::from(c))),
            c if c.is_whitespace() || c.is_control() => {
                o.push_str(&format!("%{:x};", u32::from(c)));
            }
            c => o.push(c),
        }
    }
    if o.is_empty() {
        o.push('-');
    }
    o
}

/// The text behind a token of [`encoded`]; other tokens stay as they are.
fn decoded(token: &str) -> String {
    let mut parts = token.split('%');
    let mut o = parts.next().unwrap_or("").to_string();
    for part in parts {
        let code = part.split_once(';').and_then(|(hex, rest)| {
            let c = char::from_u32(u32::from_str_radix(hex, 16).ok()?)?;
            Some((c, rest))
        });
        match code {
            Some((c, rest)) => {
                o.push(c);
                o.push_str(rest);
            }
            None => {
                o.push('%');
                o.push_str(part);
            }
        }
    }
    o
}

fn words_text(words: &[u32], indent: &str) -> String {
    words
        .chunks(4)
        .map(|c| {
            let row: Vec<String> = c.iter().map(|w| format!("{w:#010x}")).collect();
            format!("{indent}{}\n", row.join(" "))
        })
        .collect()
}

fn segment_text(c: &ConstSegment, key: &str, indent: &str) -> String {
    let mut o = format!("{indent}{key} {{\n");
    if !c.name.is_empty() {
        o.push_str(&format!("{indent}\tname = {}\n", c.name));
    }
    o.push_str(&format!(
        "{indent}\tsegname = const\n{indent}\tsegnum = {}\n{indent}\toffset = {}\n{indent}\tbytes = {}\n",
        c.bank, c.offset, c.bytes
    ));
    if let Some(w) = &c.words {
        let inner = format!("{indent}\t\t");
        o.push_str(&format!("{indent}\tmem {{\n{}{indent}\t}}\n", words_text(w, &inner)));
    }
    o.push_str(&format!("{indent}}}\n"));
    o
}
