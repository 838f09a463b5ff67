//! OpenCL C to machine code for a device: clang, then the compiler for each kernel.

pub mod binary;
pub mod options;

use crate::build::binary::Part;
pub use crate::build::binary::{Declared, Front};
use crate::build::options::BuildOptions;
use crate::image::Kind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use warpsmith_compiler::clang::names::readable;
use warpsmith_compiler::clang::signature::{signatures, Argument, Signature};
use warpsmith_compiler::{compile_all, link, CompileError, Compiled, OptLevel, Source, Target};

/// OpenCL C with the headers it includes by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// The program.
    pub source: String,
    /// Name in `#include` and text.
    pub headers: Vec<(String, String)>,
}

/// A program for a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// Its kernels by name.
    pub kernels: BTreeMap<String, Arc<Compiled>>,
    /// What the source says of them.
    pub declared: BTreeMap<String, Declared>,
}

/// Name of a program in messages and in the tables of source lines.
const NAME: &str = "program.cl";

/// Folder of a text in the cache: the same text lies in the same place, so that its PTX is found again.
fn folder_of(text: &Text) -> PathBuf {
    let parts = text.headers.iter().flat_map(|(n, t)| [n, t]);
    let key = warpsmith_cache::key([&text.source].into_iter().chain(parts));
    warpsmith_cache::cache_dir().join("opencl").join(key)
}

/// Type of a sampler in OpenCL C.
pub const SAMPLER: &str = "sampler_t";

/// Folder of a text's headers in that of the text.
const HEADERS: &str = "headers";

/// Writes the text where clang can read it.
fn written(text: &Text) -> std::io::Result<PathBuf> {
    let folder = folder_of(text);
    let write = |path: PathBuf, content: &str| {
        if std::fs::read(&path).is_ok_and(|old| old == content.as_bytes()) {
            return Ok(());
        }
        std::fs::create_dir_all(path.parent().unwrap_or(&folder))?;
        warpsmith_cache::whole::write(&path, content.as_bytes())
    };
    write(folder.join(NAME), &text.source)?;
    for (name, header) in &text.headers {
        write(folder.join(HEADERS).join(name), header)?;
    }
    Ok(folder)
}

/// A header's name that stays in its folder.
pub fn is_plain_name(name: &str) -> bool {
    let parts = Path::new(name).components();
    !name.is_empty() && parts.into_iter().all(|c| matches!(c, std::path::Component::Normal(_)))
}

/// The text as clang's source, with what takes the folders of the cache out of its messages.
fn prepared(text: &Text, options: &BuildOptions) -> Result<(Source, impl Fn(String) -> String), String> {
    let folder = written(text).map_err(|e| {
        format!("the program cannot be written for clang: {e}; set WARPSMITH_CACHE to a folder that can be written")
    })?;
    let headers = folder.join(HEADERS);
    let mut source = Source::new(folder.join(NAME));
    if !text.headers.is_empty() {
        source.arguments.push(format!("-I{}", headers.display()));
    }
    source.arguments.extend(options.arguments.iter().cloned());
    if let Ok(here) = std::env::current_dir() {
        // Host programs name headers from where they run.
        source.arguments.push(format!("-I{}", here.display()));
    }
    source.options = options.compiler.clone();
    let short = move |s: String| {
        s.replace(&format!("{}/", headers.display()), "").replace(&format!("{}/", folder.display()), "")
    };
    Ok((source, short))
}

/// Runs clang.
///
/// # Errors
/// The build log.
pub fn front(text: &Text, options: &BuildOptions) -> Result<Front, String> {
    let (source, short) = prepared(text, options)?;
    let ptx = source.ptx().map_err(|e| short(e.to_string()))?;
    Ok(Front { ptx: ptx.text, log: short(ptx.warnings), declared: declarations(ptx.declared, options) })
}

/// Compiles without linking: the module and the log.
///
/// # Errors
/// The build log.
pub fn object(text: &Text, options: &BuildOptions) -> Result<(Part, String), String> {
    let (source, short) = prepared(text, options)?;
    let module = source.module().map_err(|e| short(e.to_string()))?;
    let part = Part {
        declared: declarations(signatures(&module.text), options),
        strict_fp: options.compiler.strict_fp,
        plain: options.compiler.level == OptLevel::O0,
        module: module.text,
    };
    Ok((part, short(module.warnings)))
}

/// Links parts to a program: it with its options, as a build and as text.
///
/// # Errors
/// The build log.
pub fn linked(parts: &[Part]) -> Result<(Front, BuildOptions, String), String> {
    // Of code that several parts share the strictest counts: others allow what it does.
    let mut words = Vec::new();
    if parts.iter().all(|p| !p.strict_fp) {
        words.push("-cl-mad-enable");
    }
    if parts.iter().any(|p| p.plain) {
        words.push("-cl-opt-disable");
    }
    let words = words.join(" ");
    let options = BuildOptions::parse(&words)?;
    let modules: Vec<&str> = parts.iter().map(|p| p.module.as_str()).collect();
    let ptx = link(NAME, &modules, &options.compiler).map_err(|e| e.message)?;
    let declared = parts.iter().flat_map(|p| p.declared.clone()).collect();
    let front = Front { ptx, log: String::new(), declared };
    Ok((front, options, words))
}

/// Checks that parts may become a library.
///
/// # Errors
/// The build log: symbols that are defined twice.
pub fn check_library(parts: &[Part]) -> Result<(), String> {
    let modules: Vec<&str> = parts.iter().map(|p| p.module.as_str()).collect();
    warpsmith_compiler::clang::module::check(&modules, false)
}

fn declarations(list: Vec<Signature>, options: &BuildOptions) -> BTreeMap<String, Declared> {
    list.into_iter().map(|s| (s.name.clone(), of_signature(s, options.argument_info))).collect()
}

fn of_signature(s: Signature, with_arguments: bool) -> Declared {
    let is_object = |ty: &str| ty == SAMPLER || Kind::is_type_name(ty);
    let object = |a: &Argument| match is_object(&a.ty) {
        true => [a.ty.clone(), a.access.clone()],
        false => Default::default(),
    };
    let any = s.arguments.iter().any(|a| is_object(&a.ty));
    let objects = s.arguments.iter().filter(|_| any).map(object).collect();
    let arguments = s.arguments.into_iter().filter(|_| with_arguments);
    Declared {
        objects,
        arguments: arguments.map(|a| [a.name, a.ty, a.qualifiers]).collect(),
        required_block: s.required_block,
        hinted_block: s.hinted_block,
        hinted_type: s.hinted_type,
    }
}

/// Compiles all kernels for a device.
///
/// # Errors
/// The build log.
pub fn back(front: &Front, options: &BuildOptions, target: &Target) -> Result<Module, String> {
    let folder = warpsmith_cache::cache_dir();
    let code = compile_all(&folder, &front.ptx, NAME, target, &options.compiler).map_err(messages)?;
    let mut kernels = BTreeMap::new();
    for (symbol, mut kernel) in code.kernels {
        let name = readable(&symbol);
        kernel.required_block = front.declared.get(&name).and_then(|d| d.required_block);
        let compiled = Compiled { unit: code.unit.clone(), kernel, name: name.clone(), warnings: String::new() };
        kernels.insert(name, Arc::new(compiled));
    }
    Ok(Module { kernels, declared: front.declared.clone() })
}

/// Errors of kernels, a line each.
fn messages(errors: Vec<CompileError>) -> String {
    let of = |e: CompileError| {
        let text = e.to_string();
        // Sources lie in the cache; programs know them by no path.
        text.find(NAME).map_or(text.clone(), |at| text[at..].to_string())
    };
    errors.into_iter().map(of).collect::<Vec<_>>().join("\n")
}
