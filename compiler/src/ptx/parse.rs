//! The module: directives, variables and functions.

use super::ast::{Body, Function, LabelId, Module, RegId, Space, Statement, Ty};
use super::body;
use super::cursor::{shorten, Cursor};
use super::declare;
use super::left::LeftOut;
use super::lex::{self, TokenKind};
use crate::error::CompileError;

/// Reads a PTX module; `file` is its name for messages.
///
/// Refuses what is no PTX, is cut off, or is made for 64-bit addresses.
pub fn parse(text: &str, file: &str) -> Result<Module, CompileError> {
    let tokens =
        lex::tokens(text).map_err(|e| CompileError { file: file.into(), line: Some(e.line), message: e.message })?;
    let mut c = Cursor::new(tokens, file);
    let mut m = Module { file: file.into(), ..Module::default() };
    if c.peek() == TokenKind::End {
        return Err(CompileError {
            file: file.into(),
            line: None,
            message: "the file holds no PTX: it is empty but for comments".into(),
        });
    }
    if !matches!(c.peek(), TokenKind::Word(".version")) {
        return Err(c.expected("`.version` as the first statement of PTX"));
    }
    while c.peek() != TokenKind::End {
        statement(&mut c, &mut m)?;
    }
    Ok(m)
}

fn statement<'a>(c: &mut Cursor<'a>, m: &mut Module) -> Result<(), CompileError> {
    let line = c.line();
    if c.eat(';') {
        return Ok(());
    }
    let mut external = false;
    loop {
        if matches!(c.peek(), TokenKind::Word(w) if !w.starts_with('.')) {
            // A label of a DWARF section that is closed already.
            c.take();
            return c.expect(':');
        }
        let Some(word) = c.dotted() else {
            return Err(c.expected("a statement of a module (`.entry`, `.func`, `.global` …)"));
        };
        match word {
            "visible" | "weak" | "common" => continue,
            "extern" => {
                external = true;
                continue;
            }
            "version" => m.version = version(c)?,
            "target" => target(c, m)?,
            "address_size" => address_size(c)?,
            "file" => file_statement(c, m, line)?,
            "loc" => c.skip_line(line),
            "section" => section(c, line)?,
            "pragma" => m.left.extend(LeftOut::parse(c)),
            "alias" => {
                let name = c.word("the new name")?.to_string();
                c.expect(',')?;
                let of = c.word("the name of a function")?.to_string();
                c.expect(';')?;
                m.aliases.push((name, of));
            }
            "entry" => m.functions.push(function(c, true)?),
            "func" => m.functions.push(function(c, false)?),
            // Contents of DWARF sections that stand outside braces.
            "b8" | "b16" | "b32" | "b64" => c.skip_line(line),
            _ => match Space::parse(word) {
                Some(space) if space != Space::Param => {
                    declare::variables(c, space, external, &mut m.vars)?;
                }
                _ => return Err(c.error_at(line, format!("`.{}` is not known as a statement of PTX", shorten(word)))),
            },
        }
        return Ok(());
    }
}

fn version(c: &mut Cursor) -> Result<u32, CompileError> {
    let TokenKind::Number(text) = c.peek() else {
        return Err(c.expected("a version such as 7.1"));
    };
    let parts = text
        .split_once('.')
        .and_then(|(major, minor)| Some(major.parse::<u16>().ok()? as u32 * 10 + u32::from(minor.parse::<u8>().ok()?)));
    let Some(version) = parts else {
        return Err(c.expected("a version such as 7.1"));
    };
    c.take();
    Ok(version)
}

fn target(c: &mut Cursor, m: &mut Module) -> Result<(), CompileError> {
    let name = c.word("a target such as sm_20")?;
    if !name.starts_with("sm_") {
        return Err(c.error(format!("target `{}` is no GPU: compile with --cuda-gpu-arch=sm_20", shorten(name))));
    }
    m.target = name.into();
    while c.eat(',') {
        c.word("a property of the target")?;
    }
    Ok(())
}

fn address_size(c: &mut Cursor) -> Result<(), CompileError> {
    let line = c.line();
    match c.int("32")? {
        32 => Ok(()),
        n => Err(c.error_at(
            line,
            format!(
                "addresses of {n} bits: SM 1.0 has 32; compile CUDA C with -m32, OpenCL C with -target nvptx-unknown-nvcl"
            ),
        )),
    }
}

fn file_statement(c: &mut Cursor, m: &mut Module, line: u32) -> Result<(), CompileError> {
    let number = c.int32("the number of a file")?;
    let TokenKind::Text(first) = c.take() else {
        return Err(c.error_at(line, "expected the name of a file in quotes"));
    };
    // Two texts are folder and name.
    let name = match c.peek() {
        TokenKind::Text(name) if c.line() == line => {
            if name.starts_with('/') {
                name.to_string()
            } else {
                format!("{first}/{}", name.trim_start_matches("./"))
            }
        }
        _ => first.to_string(),
    };
    c.skip_line(line);
    m.files.push((number, name));
    Ok(())
}

fn section(c: &mut Cursor, line: u32) -> Result<(), CompileError> {
    c.word("the name of a section")?;
    if c.peek() == TokenKind::Punct('{') {
        c.skip_braces()
    } else {
        c.skip_line(line);
        Ok(())
    }
}

fn function<'a>(c: &mut Cursor<'a>, entry: bool) -> Result<Function, CompileError> {
    let mut scopes = body::Scopes::new();
    let mut parsed = Body::default();
    let mut reg = |name: &'a str, ty: Ty| -> RegId { scopes.declare_reg(&mut parsed, name, ty) };
    let mut results = Vec::new();
    if !entry && c.peek() == TokenKind::Punct('(') {
        results = declare::params(c, &mut reg)?;
    }
    let line = c.line();
    let name = c.word("the name of a function")?.to_string();
    let mut params = Vec::new();
    if c.peek() == TokenKind::Punct('(') {
        params = declare::params(c, &mut reg)?;
    }
    let mut f = Function { name, line, entry, results, params, required_block: None, max_threads: None, body: None };
    while let Some(word) = c.dotted() {
        match word {
            "maxntid" => {
                let [x, y, z] = triple(c)?;
                f.max_threads = Some(x.saturating_mul(y).saturating_mul(z));
            }
            "reqntid" => f.required_block = Some(triple(c)?),
            "minnctapersm" | "maxnctapersm" | "maxnreg" | "maxclusterrank" => {
                c.int32("a number")?;
            }
            "reqnctapercluster" | "blocksareclusters" | "explicitcluster" => {
                return Err(c.error("clusters of blocks do not exist on SM 1.0"));
            }
            "noreturn" => {}
            "attribute" => {
                c.expect('(')?;
                while !c.eat(')') {
                    if c.take() == TokenKind::End {
                        return Err(c.expected("`)`"));
                    }
                }
            }
            "pragma" => c.skip_statement(),
            _ => return Err(c.error(format!("`.{}` behind a function's head", shorten(word)))),
        }
    }
    if !c.eat(';') {
        body::parse(c, &f, &mut scopes, &mut parsed)?;
        f.body = Some(parsed);
    }
    Ok(f)
}

fn triple(c: &mut Cursor) -> Result<[u32; 3], CompileError> {
    let mut out = [1; 3];
    for (i, n) in out.iter_mut().enumerate() {
        if i == 0 || c.eat(',') {
            *n = c.int32("a number of threads")?;
        }
    }
    Ok(out)
}

/// Every label that is used stands somewhere.
pub(super) fn check_labels(c: &Cursor, name: &str, body: &Body, used: &[(LabelId, u32)]) -> Result<(), CompileError> {
    let mut placed = vec![false; body.labels.len()];
    for s in &body.code {
        if let Statement::Label(l) | Statement::Targets(l, _) = s {
            if let Some(p) = placed.get_mut(l.0 as usize) {
                *p = true;
            }
        }
    }
    for (l, line) in used {
        let at = l.0 as usize;
        if !placed.get(at).copied().unwrap_or(false) {
            let label = body.labels.get(at).map_or("", String::as_str);
            return Err(c.error_at(*line, format!("label `{}` is not in function `{name}`", shorten(label))));
        }
    }
    Ok(())
}
