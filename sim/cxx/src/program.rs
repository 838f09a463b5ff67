//! A simulation that is a program of its own: a model of Verilator and a C++ main.

use crate::cache::{cached, put};
use crate::checks::Checks;
use crate::error::CxxError;
use crate::flags::GENERATED;
use crate::ports::model;
use crate::tool::{compiler, verilator_include, verilator_version};
use crate::verilated::{Model, Runtime};
use std::path::{Path, PathBuf};
use warpsmith_cache::{cache_dir, key};
use warpsmith_contract::Port;

/// A program to build.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// Files for Verilator: name, text.
    pub sources: &'a [(&'a str, &'a str)],
    /// Top module.
    pub top: &'a str,
    /// Parameters of the top module.
    pub parameters: &'a [(&'a str, u64)],
    /// Ports of the top module.
    pub ports: &'a [Port],
    /// Further arguments of Verilator.
    pub verilator: &'a [&'a str],
    /// Optimisation of the model: code that runs often, code that does not.
    pub optimise: (&'a str, &'a str),
    /// C++ with `main`; `model.h` has the class `Model` ([`crate::ports::model`]).
    pub main: &'a str,
}

/// Path of the program: from the cache, or built now.
///
/// # Errors
/// A missing tool, Verilog or C++ that does not compile, a cache that cannot be written.
pub fn program(what: &Program<'_>) -> Result<PathBuf, CxxError> {
    checked_program(what, Checks::chosen()?)
}

/// As [`program`], with other checks than those of this process.
///
/// # Errors
/// As [`program`].
pub fn checked_program(what: &Program<'_>, checks: Checks) -> Result<PathBuf, CxxError> {
    let flags = checks.flags()?;
    let versions = [verilator_version()?, compiler().version()?];
    let settings =
        format!("{flags:?} {GENERATED:?} {} {:?} {:?} {:?}", what.top, what.parameters, what.verilator, what.optimise);
    let header = model(what.ports);
    let texts = what.sources.iter().flat_map(|(n, t)| [*n, *t]);
    let key = key(texts.chain(versions.iter().map(String::as_str)).chain([settings.as_str(), &header, what.main]));
    let cache = cache_dir();
    cached(&cache, &key, "program", |work, log| {
        put(work, "model.h", &header)?;
        put(work, "main.cpp", what.main)?;
        compile(work, &cache, what, &flags, log)
    })
}

fn compile(work: &Path, cache: &Path, what: &Program<'_>, flags: &[&str], log: &mut String) -> Result<(), CxxError> {
    let mut args: Vec<String> = ["--cc", "--prefix", "Vtop", "--top-module", what.top].map(String::from).to_vec();
    args.extend(GENERATED.map(String::from));
    args.extend(what.verilator.iter().map(|a| a.to_string()));
    args.extend(what.parameters.iter().map(|(k, v)| format!("-G{k}={v}")));
    let bytes = what.sources.iter().map(|(n, t)| (*n, t.as_bytes()));
    let sources: Vec<_> = bytes.collect();
    let archive = Model { sources: &sources, args: &args, optimise: what.optimise }.build(cache)?;
    let mut args: Vec<String> = flags.iter().map(|f| f.to_string()).collect();
    args.extend(includes(&archive, work, log)?);
    args.extend(["-o", "program", "main.cpp"].map(String::from));
    args.push(archive.display().to_string());
    let runtime = Runtime::new(cache, false)?.objects;
    args.extend(runtime.iter().map(|o| o.display().to_string()));
    args.push("-pthread".into());
    compiler().run(work, &args, log).map(drop)
}

/// Where headers are: ours are warned about, those beside the archive of a model and of Verilator not.
///
/// # Errors
/// Those of asking Verilator.
pub fn includes(archive: &Path, work: &Path, log: &mut String) -> Result<Vec<String>, CxxError> {
    let include = verilator_include(work, log)?;
    let model = archive.parent().unwrap_or(work).to_path_buf();
    let folders = [model, include.clone(), include.join("vltstd")];
    Ok(folders.iter().flat_map(|f| ["-isystem".to_string(), f.display().to_string()]).collect())
}
