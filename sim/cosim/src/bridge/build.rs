//! Builds the simulation of an emitted folder into a shared library, once for each digest: `chip.so`
//! and `log.txt` in a folder of the cache.

use super::manifest::{self, Sources};
use super::{shim, BuildOptions};
use crate::error::CosimError;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use warpsmith_contract::{Manifest, Site};
use warpsmith_cxx::cache::{cached, put};
use warpsmith_cxx::ports::model;
use warpsmith_cxx::tool::{compiler, verilator, verilator_version};
use warpsmith_cxx::{cache_dir, includes, key, Checks, CxxError, Model, Runtime, GENERATED};

/// Waivers handed to Verilator with every design.
pub(super) const WAIVERS: &str = include_str!("../../../verilator/waivers.vlt");
/// Only the shim's functions leave the library: its copy of the Verilator runtime stays inside.
const EXPORTS: &str = "{ global: ws_*; local: *; };\n";

/// The texts of our own that go into a library.
struct Ours {
    shim: String,
    model: String,
    flags: Vec<&'static str>,
}

/// The library for a folder: from the cache, or built now.
pub(crate) fn library(
    folder: &Path,
    manifest: &Manifest,
    sites: &[Site],
    options: &BuildOptions,
) -> Result<PathBuf, CosimError> {
    let sources = Sources::load(folder)?;
    let versions = [verilator_version()?, compiler().version()?];
    let ours = Ours {
        shim: shim::render(manifest, sites, options.wave)
            .map_err(|e| CosimError::Manifest(format!("the shim cannot be rendered: {e}")))?,
        model: model(&manifest.ports),
        flags: Checks::chosen()?.flags()?,
    };
    let settings = format!(
        "{options:?} {:?} {:?}",
        flags(manifest, options),
        ours.flags
    );
    let verilog = sources
        .files
        .iter()
        .flat_map(|(name, bytes)| [name.as_os_str().as_encoded_bytes(), bytes]);
    let texts = [
        &settings,
        &ours.shim,
        &ours.model,
        WAIVERS,
        &versions[0],
        &versions[1],
    ];
    let key = key(verilog.chain(texts.map(|t| t.as_bytes())));
    let cache = options.cache.clone().unwrap_or_else(cache_dir);
    Ok(cached(&cache, &key, "chip.so", |work| {
        put(work, "shim.cpp", &ours.shim)?;
        put(work, "model.h", &ours.model)?;
        put(work, "exports.map", EXPORTS)?;
        let mut log = String::new();
        let steps = compile(work, &cache, &sources, manifest, options, &ours, &mut log);
        put(work, "log.txt", &log)?;
        steps
    })?)
}

fn flags(manifest: &Manifest, options: &BuildOptions) -> Vec<String> {
    // Unknown bits take a value that depends on the seed, at power-on and where the Verilog says x.
    let mut args: Vec<String> = [
        "--cc",
        "-O3",
        "--x-assign",
        "unique",
        "--x-initial",
        "unique",
        "--noassert",
        "-Wall",
        "-Wno-fatal",
        "--output-split",
        "15000",
        "--output-split-cfuncs",
        "2000",
    ]
    .map(String::from)
    .to_vec();
    if options.wave {
        args.extend(["--trace-fst", "--trace-structs"].map(String::from));
    }
    args.extend(["--prefix", "Vtop", "--top-module", &manifest.top].map(String::from));
    args.extend(GENERATED.map(String::from));
    args.extend(options.verilator_args.iter().cloned());
    args
}

fn compile(
    work: &Path,
    cache: &Path,
    sources: &Sources,
    manifest: &Manifest,
    options: &BuildOptions,
    ours: &Ours,
    log: &mut String,
) -> Result<(), CxxError> {
    let mut files = vec![("waivers.vlt", WAIVERS.as_bytes())];
    for (name, bytes) in &sources.files {
        // A name that is no text cannot be in files.f.
        files.push((name.to_str().unwrap_or_default(), bytes));
    }
    // What settles the logic after a fault counts as slow code there.
    let slow = if manifest.inject { "-O2" } else { "-O1" };
    let archive = Model {
        sources: &files,
        args: &flags(manifest, options),
        optimise: ("-O2", slow),
    }
    .build(cache)?;
    let mut args: Vec<String> = ours.flags.iter().map(|f| f.to_string()).collect();
    args.extend(
        [
            "-fPIC",
            "-fvisibility=hidden",
            "-fno-gnu-unique",
            "-shared",
            "-o",
            "chip.so",
        ]
        .map(String::from),
    );
    args.extend(includes(&archive, work, log)?);
    args.push(format!("-DVM_TRACE={0}", u8::from(options.wave)));
    // The archive after the shim that refers to it, the runtime last.
    args.push("shim.cpp".into());
    args.push(archive.display().to_string());
    let runtime = Runtime::new(cache, options.wave)?.objects;
    args.extend(runtime.iter().map(|o| o.display().to_string()));
    args.extend(
        [
            "-Wl,--version-script=exports.map",
            "-Wl,-Bsymbolic",
            "-pthread",
        ]
        .map(String::from),
    );
    if options.wave {
        args.push("-lz".into());
    }
    compiler().run(work, &args, log)?;
    Ok(())
}

/// Runs Verilator's lint over a folder with every warning on; each must be fixed or waived in
/// `sim/verilator/waivers.vlt`.
///
/// # Errors
/// [`CxxError::Build`] with the first warnings; [`CxxError::Tool`].
pub fn lint(folder: &Path) -> Result<(), CosimError> {
    let manifest = manifest::load(folder)?;
    let sources = Sources::load(folder)?;
    // Threads lint at the same time too.
    static LINTS: AtomicU64 = AtomicU64::new(0);
    let number = LINTS.fetch_add(1, Ordering::Relaxed);
    let work = cache_dir().join(format!("lint.{}.{number}", std::process::id()));
    put(&work, "waivers.vlt", WAIVERS)?;
    let mut args: Vec<String> = ["--lint-only", "-Wall", "--top-module", &manifest.top]
        .map(String::from)
        .to_vec();
    args.push("waivers.vlt".into());
    // Copied: waivers know no file in a folder with spaces in its name.
    for (name, bytes) in &sources.files {
        put(&work, name, bytes)?;
        args.push(name.display().to_string());
    }
    let result = verilator().run(&work, &args, &mut String::new());
    let _ = std::fs::remove_dir_all(&work);
    Ok(result.map(drop)?)
}
