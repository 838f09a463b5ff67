//! Builds the simulation of a module into a shared library, once for each digest: `chip.so` and
//! `log.txt` in a folder of the cache.

use crate::error::VerilatorError;
use crate::shim;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use warpsmith_contract::{Port, Site};
use warpsmith_cxx::cache::{cached, put};
use warpsmith_cxx::ports::model;
use warpsmith_cxx::tool::{compiler, make, verilator, verilator_include, verilator_version};
use warpsmith_cxx::{cache_dir, includes, key, Checks, CxxError, Model, Runtime, GENERATED, SIMULATED};

/// Waivers handed to Verilator with every design.
pub const WAIVERS: &str = include_str!("../waivers.vlt");
/// Only the shim's functions leave the library: its copy of the Verilator runtime stays inside.
const EXPORTS: &str = "{ global: ws_*; local: *; };\n";

/// How a simulation is built; part of the cache key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildOptions {
    /// With FST waveforms (`--trace-fst`): slower, needs zlib.
    pub wave: bool,
    /// More arguments for Verilator.
    pub verilator_args: Vec<String>,
    /// Build cache; [`cache_dir`] when `None`.
    pub cache: Option<PathBuf>,
    /// Compiled in less time, runs slower: for blocks and short simulations.
    pub quick: bool,
}

/// A Verilog module.
#[derive(Clone, Copy, Debug)]
pub struct Module<'a> {
    /// Verilog files in compilation order: name, text.
    pub sources: &'a [(String, Vec<u8>)],
    /// Name of the module.
    pub top: &'a str,
    /// Its ports, in the order in which a device names them.
    pub ports: &'a [Port],
}

/// The texts of our own that go into a library.
struct Ours {
    shim: String,
    model: String,
    flags: Vec<&'static str>,
}

/// Name of a library in its folder of the cache.
const LIBRARY: &str = "chip.so";

/// Whether the cache has the library for a module.
pub(crate) fn is_built(module: &Module<'_>, sites: &[Site], options: &BuildOptions) -> Result<bool, VerilatorError> {
    let (_, key, cache) = prepared(module, sites, options)?;
    Ok(cache.join(key).join(LIBRARY).exists())
}

/// Whether anything can be built: the runtime, which every simulation needs, is built now if it is not in the cache.
pub(crate) fn usable(options: &BuildOptions) -> Result<(), VerilatorError> {
    let cache = options.cache.clone().unwrap_or_else(cache_dir);
    make().version()?;
    Runtime::new(&cache, options.wave)?;
    Ok(())
}

/// Our texts, key and cache of the library for a module.
fn prepared(
    module: &Module<'_>, sites: &[Site], options: &BuildOptions,
) -> Result<(Ours, String, PathBuf), VerilatorError> {
    let versions = [verilator_version()?, compiler().version()?];
    let ours = Ours {
        shim: shim::render(module.top, module.ports, sites, options.wave)
            .map_err(|e| VerilatorError::Shim(e.to_string()))?,
        model: model(module.ports),
        flags: Checks::chosen()?.flags()?,
    };
    let settings = format!("{options:?} {:?} {:?}", flags(module.top, options), ours.flags);
    let verilog = module.sources.iter().flat_map(|(name, bytes)| [name.as_bytes(), bytes]);
    let texts = [&settings, &ours.shim, &ours.model, WAIVERS, &versions[0], &versions[1]];
    let key = key(verilog.chain(texts.map(|t| t.as_bytes())));
    let cache = options.cache.clone().unwrap_or_else(cache_dir);
    Ok((ours, key, cache))
}

/// The library for a module: from the cache, or built now.
pub(crate) fn library(module: &Module<'_>, sites: &[Site], options: &BuildOptions) -> Result<PathBuf, VerilatorError> {
    let (ours, key, cache) = prepared(module, sites, options)?;
    Ok(cached(&cache, &key, LIBRARY, |work, log| {
        put(work, "shim.cpp", &ours.shim)?;
        put(work, "model.h", &ours.model)?;
        put(work, "exports.map", EXPORTS)?;
        compile(work, &cache, module, !sites.is_empty(), options, &ours, log)
    })?)
}

fn flags(top: &str, options: &BuildOptions) -> Vec<String> {
    let mut args = vec!["--cc".to_string()];
    args.extend(SIMULATED.map(String::from));
    if options.wave {
        args.extend(["--trace-fst", "--trace-structs"].map(String::from));
    }
    args.extend(["--prefix", "Vtop", "--top-module", top].map(String::from));
    args.extend(GENERATED.map(String::from));
    args.extend(options.verilator_args.iter().cloned());
    args
}

fn compile(
    work: &Path, cache: &Path, module: &Module<'_>, inject: bool, options: &BuildOptions, ours: &Ours, log: &mut String,
) -> Result<(), CxxError> {
    let mut files = vec![("waivers.vlt", WAIVERS.as_bytes())];
    files.extend(module.sources.iter().map(|(n, t)| (n.as_str(), &t[..])));
    // What settles the logic after a fault counts as slow code there.
    let slow = if inject { "-O2" } else { "-O1" };
    let optimise = match options.quick {
        true => ("-O1", "-O0"),
        false => ("-O2", slow),
    };
    let archive = Model { sources: &files, args: &flags(module.top, options), optimise }.build(cache)?;
    let mut args: Vec<String> = ours.flags.iter().map(|f| f.to_string()).collect();
    args.extend(["-fPIC", "-fvisibility=hidden", "-fno-gnu-unique", "-shared", "-o", "chip.so"].map(String::from));
    args.extend(includes(&archive, work, log)?);
    args.push(format!("-DVM_TRACE={0}", u8::from(options.wave)));
    // The archive after the shim that refers to it, the runtime last.
    args.push("shim.cpp".into());
    args.push(archive.display().to_string());
    let runtime = Runtime::new(cache, options.wave)?.objects;
    args.extend(runtime.iter().map(|o| o.display().to_string()));
    args.extend(["-Wl,--version-script=exports.map", "-Wl,-Bsymbolic", "-pthread"].map(String::from));
    if options.wave {
        args.push("-lz".into());
        // From 5.042 on the writer of waveforms packs with LZ4.
        if verilator_include(work, log)?.join("fstcpp").is_dir() {
            args.push("-llz4".into());
        }
    }
    compiler().run(work, &args, log)?;
    Ok(())
}

/// Runs Verilator's lint over a module with every warning on; each must be fixed or waived in
/// `waivers.vlt`.
///
/// # Errors
/// [`CxxError::Build`] with the first warnings; [`CxxError::Tool`].
pub fn lint(module: &Module<'_>) -> Result<(), VerilatorError> {
    // Threads lint at the same time too.
    static LINTS: AtomicU64 = AtomicU64::new(0);
    let number = LINTS.fetch_add(1, Ordering::Relaxed);
    let work = cache_dir().join(format!("lint.{}.{number}", std::process::id()));
    put(&work, "waivers.vlt", WAIVERS)?;
    let mut args: Vec<String> = ["--lint-only", "-Wall", "--top-module", module.top].map(String::from).to_vec();
    args.push("waivers.vlt".into());
    // Copied: waivers know no file in a folder with spaces in its name.
    for (name, bytes) in module.sources {
        put(&work, name, bytes)?;
        args.push(name.clone());
    }
    let result = verilator().run(&work, &args, &mut String::new());
    let _ = std::fs::remove_dir_all(&work);
    Ok(result.map(drop)?)
}
