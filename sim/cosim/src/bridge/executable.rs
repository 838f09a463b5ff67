//! Builds a simulation that is a program of its own: Verilog around a chip, and a C++ main.

use super::build::{cached, compiler, make, verilator, verilator_version, MAKE, SCALAR, WAIVERS};
use super::cache_dir;
use super::manifest::hex;
use crate::error::CosimError;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// What Verilator is told: unknown bits take a value that depends on the seed.
const FLAGS: &str = "--cc -O3 --x-assign unique --x-initial unique --noassert -Wall -Wno-fatal \
    --output-split 15000 --output-split-cfuncs 2000 --prefix Vtop --Mdir obj --exe main.cpp -o program \
    --top-module";

/// A program to build.
#[derive(Clone, Copy, Debug)]
pub struct Executable<'a> {
    /// Verilog files: name, text.
    pub sources: &'a [(String, String)],
    /// Top module; the class of the model is `Vtop`.
    pub top: &'a str,
    /// Parameters of the top module.
    pub parameters: &'a [(&'a str, u64)],
    /// C++ with `main`.
    pub main: &'a str,
}

/// Path of the program: from the cache, or built now.
///
/// # Errors
/// A missing tool, Verilog or C++ that does not compile, a cache that cannot be written.
pub fn executable(what: &Executable<'_>) -> Result<PathBuf, CosimError> {
    let mut digest = Sha256::new();
    let version = verilator_version()?;
    let settings = format!("{FLAGS} {SCALAR:?} {} {:?}", what.top, what.parameters);
    let texts = what.sources.iter().flat_map(|(n, t)| [n, t]);
    for part in texts
        .map(String::as_str)
        .chain([version.as_str(), &settings, what.main, WAIVERS])
    {
        digest.update(part.as_bytes());
        digest.update([0]);
    }
    let key = hex(&digest.finalize())[..32].to_string();
    cached(&cache_dir(), &key, "program", |work| build(work, what))
}

fn build(work: &Path, what: &Executable<'_>) -> Result<(), CosimError> {
    let put = |name: &str, text: &str| {
        let path = work.join(name);
        std::fs::write(&path, text).map_err(|source| CosimError::Cache { path, source })
    };
    for (name, text) in what.sources {
        put(name, text)?;
    }
    put("waivers.vlt", WAIVERS)?;
    put("main.cpp", what.main)?;
    let mut log = String::new();
    let steps = compile(work, what, &mut log);
    put("log.txt", &log)?;
    steps
}

fn compile(work: &Path, what: &Executable<'_>, log: &mut String) -> Result<(), CosimError> {
    let mut args: Vec<String> = SCALAR.map(String::from).to_vec();
    args.extend(FLAGS.split_whitespace().map(String::from));
    args.push(what.top.into());
    args.extend(what.parameters.iter().map(|(k, v)| format!("-G{k}={v}")));
    args.push("waivers.vlt".into());
    args.extend(what.sources.iter().map(|(n, _)| n.clone()));
    verilator().run(work, &args, log)?;
    let mut args = MAKE.map(String::from).to_vec();
    args.push("OPT_SLOW=-O1".into());
    args.push(format!("CXX={}", compiler().program));
    args.push(format!("LINK={}", compiler().program));
    args.push("program".into());
    make().run(work, &args, log)?;
    let (from, path) = (work.join("obj/program"), work.join("program"));
    std::fs::rename(from, &path).map_err(|source| CosimError::Cache { path, source })
}
