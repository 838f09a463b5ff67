//! OpenCL C to machine code for a device: clang, then the compiler for each kernel.

pub mod binary;
pub mod options;

use crate::build::options::BuildOptions;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use warpsmith_compiler::clang::names::readable;
use warpsmith_compiler::clang::signature::Signature;
use warpsmith_compiler::{compile, kernel_names, Compiled, Source, Target};

/// OpenCL C with the headers it includes by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// The program.
    pub source: String,
    /// Name in `#include` and text.
    pub headers: Vec<(String, String)>,
}

/// A kernel as the source declares it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declared {
    /// Name, type and qualifiers of each argument; empty unless the build asked for them.
    pub arguments: Vec<[String; 3]>,
    /// `reqd_work_group_size`.
    pub required_block: Option<[u32; 3]>,
    /// `work_group_size_hint`.
    pub hinted_block: Option<[u32; 3]>,
}

/// A program after clang: the same for every device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Front {
    /// PTX.
    pub ptx: String,
    /// Warnings.
    pub log: String,
    /// Kernels by name, as far as there is more to say of them than PTX does.
    pub declared: BTreeMap<String, Declared>,
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

/// Writes the text where clang can read it.
fn written(text: &Text) -> std::io::Result<PathBuf> {
    let folder = folder_of(text);
    let write = |name: &str, content: &str| {
        let path = folder.join(name);
        if std::fs::read(&path).is_ok_and(|old| old == content.as_bytes()) {
            return Ok(());
        }
        std::fs::create_dir_all(path.parent().unwrap_or(&folder))?;
        warpsmith_cache::whole::write(&path, content.as_bytes())
    };
    write(NAME, &text.source)?;
    for (name, header) in &text.headers {
        write(name, header)?;
    }
    Ok(folder)
}

/// A header's name that stays in its folder.
pub fn is_plain_name(name: &str) -> bool {
    let parts = Path::new(name).components();
    !name.is_empty()
        && parts
            .into_iter()
            .all(|c| matches!(c, std::path::Component::Normal(_)))
}

/// Runs clang.
///
/// # Errors
/// The build log.
pub fn front(text: &Text, options: &BuildOptions) -> Result<Front, String> {
    let folder = written(text).map_err(|e| {
        format!("the program cannot be written for clang: {e}; set WARPSMITH_CACHE to a folder that can be written")
    })?;
    let mut source = Source::new(folder.join(NAME));
    source.arguments = options.arguments.clone();
    if let Ok(here) = std::env::current_dir() {
        // Host programs name headers from where they run.
        source.arguments.push(format!("-I{}", here.display()));
    }
    source.options = options.compiler.clone();
    let short = |s: String| s.replace(&format!("{}/", folder.display()), "");
    let ptx = source.ptx().map_err(|e| short(e.to_string()))?;
    // A second run of clang, where there is something to learn from it.
    let sized =
        |f: &PathBuf| std::fs::read_to_string(f).is_ok_and(|t| t.contains("work_group_size"));
    let declared = match options.argument_info || ptx.files.iter().any(sized) {
        true => source.signatures().map_err(|e| short(e.to_string()))?,
        false => Vec::new(),
    };
    Ok(Front {
        ptx: ptx.text,
        log: short(ptx.warnings),
        declared: declared
            .into_iter()
            .map(|s| (s.name.clone(), of_signature(s, options.argument_info)))
            .collect(),
    })
}

fn of_signature(s: Signature, with_arguments: bool) -> Declared {
    let arguments = s.arguments.into_iter().filter(|_| with_arguments);
    Declared {
        arguments: arguments.map(|a| [a.name, a.ty, a.qualifiers]).collect(),
        required_block: s.required_block,
        hinted_block: s.hinted_block,
    }
}

/// Compiles all kernels for a device.
///
/// # Errors
/// The build log.
pub fn back(front: &Front, options: &BuildOptions, target: &Target) -> Result<Module, String> {
    let symbols = kernel_names(&front.ptx, NAME).map_err(|e| e.to_string())?;
    let mut kernels = BTreeMap::new();
    let mut wrong = Vec::new();
    for symbol in symbols {
        match compile(&front.ptx, NAME, Some(&symbol), target, &options.compiler) {
            Ok((unit, mut kernel)) => {
                let name = readable(&symbol);
                let declared = front.declared.get(&name);
                kernel.required_block = declared.and_then(|d| d.required_block);
                let compiled = Compiled {
                    unit,
                    kernel,
                    name: name.clone(),
                    warnings: String::new(),
                };
                kernels.insert(name, Arc::new(compiled));
            }
            Err(e) => {
                let text = e.to_string();
                // Sources lie in the cache; programs know them by no path.
                wrong.push(match text.find(NAME) {
                    Some(at) => text[at..].to_string(),
                    None => text,
                });
            }
        }
    }
    match wrong.is_empty() {
        true => Ok(Module {
            kernels,
            declared: front.declared.clone(),
        }),
        false => Err(wrong.join("\n")),
    }
}
