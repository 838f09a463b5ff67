//! Builds the simulation of an emitted folder into a shared library, once for each digest.
//!
//! The cache holds one folder a digest (`chip.so`, `log.txt`). A build happens in a folder of its own
//! and is renamed when complete; a lock file lets a second process wait instead of building too.

use super::manifest::{hex, InjectionSite, Manifest, Sources};
use super::{cache_dir, shim, BuildOptions};
use crate::error::CosimError;
use fs2::FileExt;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Waivers handed to Verilator with every design.
pub(super) const WAIVERS: &str = include_str!("../../../verilator/waivers.vlt");
/// Only the shim's functions leave the library: its copy of the Verilator runtime stays inside.
const EXPORTS: &str = "{ global: ws_*; local: *; };\n";
/// Oldest Verilator the generated code compiles against.
const OLDEST: (u32, u32) = (5, 6);

/// A tool from outside, with what to say when it is missing.
pub(super) struct Tool {
    pub(super) program: String,
    variable: &'static str,
    install: &'static str,
}

pub(super) fn verilator() -> Tool {
    let program = std::env::var("WARPSMITH_VERILATOR").unwrap_or_else(|_| "verilator".into());
    Tool {
        program,
        variable: "WARPSMITH_VERILATOR",
        install: "apt install verilator",
    }
}

pub(super) fn compiler() -> Tool {
    let program = std::env::var("WARPSMITH_CXX").unwrap_or_else(|_| "g++".into());
    Tool {
        program,
        variable: "WARPSMITH_CXX",
        install: "apt install g++ zlib1g-dev",
    }
}

pub(super) fn make() -> Tool {
    Tool {
        program: std::env::var("WARPSMITH_MAKE").unwrap_or_else(|_| "make".into()),
        variable: "WARPSMITH_MAKE",
        install: "apt install make",
    }
}

impl Tool {
    /// Runs it; the output is kept for the log.
    pub(super) fn run(
        &self,
        dir: &Path,
        args: &[String],
        log: &mut String,
    ) -> Result<String, CosimError> {
        // Flags meant for the crate `verilated` would redefine names of the installed runtime.
        let out = Command::new(&self.program)
            .args(args)
            .current_dir(dir)
            .env_remove("CXXFLAGS")
            .env_remove("MAKEFLAGS")
            .output();
        let out = out.map_err(|e| CosimError::Tool {
            tool: self.program.clone(),
            why: e.to_string(),
            variable: self.variable,
            install: self.install,
        })?;
        let text = format!(
            "{}{}",
            String::from_utf8_lossy(&out.stdout),
            String::from_utf8_lossy(&out.stderr)
        );
        log.push_str(&format!("$ {} {}\n{text}", self.program, args.join(" ")));
        if out.status.success() {
            Ok(text)
        } else {
            let tail: Vec<&str> = text
                .lines()
                .filter(|l| l.contains("rror"))
                .take(8)
                .collect();
            Err(CosimError::Build {
                tool: self.program.clone(),
                dir: dir.to_path_buf(),
                lines: if tail.is_empty() {
                    text
                } else {
                    tail.join("\n  ")
                },
            })
        }
    }
}

/// Version text of the Verilator that would be used, e.g. `Verilator 5.006 2023-01-22 …`.
///
/// # Errors
/// [`CosimError::Tool`] when it is missing or older than 5.006.
pub fn verilator_version() -> Result<String, CosimError> {
    let tool = verilator();
    let text = tool
        .run(Path::new("."), &["--version".into()], &mut String::new())?
        .lines()
        .next()
        .unwrap_or_default()
        .trim()
        .to_string();
    let mut number = text
        .split_whitespace()
        .nth(1)
        .unwrap_or("")
        .split('.')
        .map(|n| n.parse::<u32>().unwrap_or(0));
    let version = (number.next().unwrap_or(0), number.next().unwrap_or(0));
    if version < OLDEST {
        return Err(CosimError::Tool {
            tool: tool.program,
            why: format!("it says `{text}`"),
            variable: tool.variable,
            install: tool.install,
        });
    }
    Ok(text)
}

/// The library for a folder: from the cache, or built now.
pub(crate) fn library(
    folder: &Path,
    manifest: &Manifest,
    options: &BuildOptions,
) -> Result<PathBuf, CosimError> {
    let sources = Sources::load(folder)?;
    let version = verilator_version()?;
    let sites = InjectionSite::load(folder, manifest)?;
    let text = shim::render(manifest, &sites, options.wave)
        .map_err(|e| CosimError::Manifest(format!("the shim cannot be rendered: {e}")))?;
    let mut digest = Sha256::new();
    sources.feed(&mut digest);
    for part in [
        &version,
        &text,
        WAIVERS,
        &format!("{options:?} {:?}", flags(manifest, options)),
    ] {
        digest.update(part.as_bytes());
        digest.update([0]);
    }
    let key = hex(&digest.finalize())[..32].to_string();
    let cache = options.cache.clone().unwrap_or_else(cache_dir);
    cached(&cache, &key, "chip.so", |work| {
        build(work, &sources, &text, manifest, options)
    })
}

/// `file` of the cache's folder `key`; built first, in a folder of its own, if it is not there.
pub(super) fn cached(
    cache: &Path,
    key: &str,
    file: &str,
    build: impl FnOnce(&Path) -> Result<(), CosimError>,
) -> Result<PathBuf, CosimError> {
    let home = cache.join(key);
    let ready = home.join(file);
    if ready.exists() {
        return Ok(ready);
    }
    let io = |path: &Path, e: std::io::Error| CosimError::Cache {
        path: path.to_path_buf(),
        source: e,
    };
    std::fs::create_dir_all(cache).map_err(|e| io(cache, e))?;
    let lock_path = cache.join(format!("{key}.lock"));
    let lock = std::fs::File::create(&lock_path).map_err(|e| io(&lock_path, e))?;
    lock.lock_exclusive().map_err(|e| io(&lock_path, e))?;
    if ready.exists() {
        return Ok(ready);
    }
    // Whoever built here before was killed: with the lock held nobody else does.
    let left = format!("{key}.");
    for entry in std::fs::read_dir(cache)
        .map_err(|e| io(cache, e))?
        .flatten()
    {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(&left) && entry.path() != lock_path {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
    let work = cache.join(format!("{key}.{}", std::process::id()));
    std::fs::create_dir_all(&work).map_err(|e| io(&work, e))?;
    let result = build(&work);
    if result.is_ok() {
        // Objects are only needed for the link; what stays is the library and the log.
        let _ = std::fs::remove_dir_all(work.join("obj"));
        let _ = std::fs::remove_dir_all(&home);
        std::fs::rename(&work, &home).map_err(|e| io(&home, e))?;
        let _ = std::fs::remove_file(&lock_path);
    }
    result.map(|()| ready)
}

/// The compiler makes no vectors of straight code: GCC 12 sums up sixteen comparisons wrongly that
/// way, which are the stalls of 16 SMs (`tests/bridge.rs`).
pub(super) const SCALAR: [&str; 2] = ["-CFLAGS", "-fno-tree-slp-vectorize"];

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
    args.extend(
        [
            "--prefix",
            "Vtop",
            "--top-module",
            &manifest.top,
            "-CFLAGS",
            "-fPIC -fvisibility=hidden -fno-gnu-unique",
        ]
        .map(String::from),
    );
    args.extend(SCALAR.map(String::from));
    args.extend(options.verilator_args.iter().cloned());
    args
}

fn build(
    work: &Path,
    sources: &Sources,
    text: &str,
    manifest: &Manifest,
    options: &BuildOptions,
) -> Result<(), CosimError> {
    let put = |name: &Path, bytes: &[u8]| {
        let path = work.join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|e| CosimError::Cache {
                path: parent.to_path_buf(),
                source: e,
            })?;
        }
        std::fs::write(&path, bytes).map_err(|e| CosimError::Cache { path, source: e })
    };
    for (name, bytes) in &sources.files {
        put(name, bytes)?;
    }
    put(Path::new("waivers.vlt"), WAIVERS.as_bytes())?;
    put(Path::new("shim.cpp"), text.as_bytes())?;
    put(Path::new("exports.map"), EXPORTS.as_bytes())?;
    let mut log = String::new();
    let steps = compile(work, sources, manifest, options, &mut log);
    put(Path::new("log.txt"), log.as_bytes())?;
    steps
}

/// What make is told of every simulation.
pub(super) const MAKE: [&str; 9] = [
    "-C",
    "obj",
    "-f",
    "Vtop.mk",
    "-j2",
    "OPT_FAST=-O2",
    "OPT_GLOBAL=-O2",
    "OBJCACHE=",
    "VM_PARALLEL_BUILDS=1",
];

fn compile(
    work: &Path,
    sources: &Sources,
    manifest: &Manifest,
    options: &BuildOptions,
    log: &mut String,
) -> Result<(), CosimError> {
    let tool = verilator();
    let mut args = flags(manifest, options);
    args.extend(["--Mdir".into(), "obj".into(), "waivers.vlt".into()]);
    args.extend(sources.files.iter().map(|(n, _)| n.display().to_string()));
    tool.run(work, &args, log)?;
    let cxx = compiler();
    let mut objects = vec!["Vtop__ALL.a", "verilated.o", "verilated_threads.o"];
    if options.wave {
        objects.push("verilated_fst_c.o");
    }
    let mut args = MAKE.map(String::from).to_vec();
    // What settles the logic after a fault counts as slow code there.
    args.push(format!(
        "OPT_SLOW=-O{}",
        if manifest.inject { 2 } else { 1 }
    ));
    args.push(format!("CXX={}", cxx.program));
    args.extend(objects.iter().map(|o| o.to_string()));
    make().run(work, &args, log)?;
    let root = tool.run(work, &["--getenv".into(), "VERILATOR_ROOT".into()], log)?;
    let include = Path::new(root.lines().next().unwrap_or_default().trim()).join("include");
    let mut args: Vec<String> = [
        "-std=gnu++17",
        "-O2",
        "-fPIC",
        "-fvisibility=hidden",
        "-fno-gnu-unique",
        "-shared",
        "-o",
        "chip.so",
        "-Iobj",
    ]
    .map(String::from)
    .to_vec();
    args.push(format!("-I{}", include.display()));
    args.push(format!("-I{}", include.join("vltstd").display()));
    args.push(format!("-DVM_TRACE={0}", u8::from(options.wave)));
    args.push("shim.cpp".into());
    // The archive after the shim that refers to it, the runtime last.
    args.extend(objects.iter().map(|o| format!("obj/{o}")));
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
    cxx.run(work, &args, log)?;
    Ok(())
}

/// Runs Verilator's lint over a folder with every warning on; each must be fixed or waived in
/// `sim/verilator/waivers.vlt`.
///
/// # Errors
/// [`CosimError::Build`] with the first warnings; [`CosimError::Tool`].
pub fn lint(folder: &Path) -> Result<(), CosimError> {
    let manifest = Manifest::load(folder)?;
    let sources = Sources::load(folder)?;
    let work = cache_dir().join(format!("lint.{}", std::process::id()));
    let io = |e| CosimError::Cache {
        path: work.clone(),
        source: e,
    };
    std::fs::create_dir_all(&work).map_err(io)?;
    std::fs::write(work.join("waivers.vlt"), WAIVERS).map_err(io)?;
    let mut args: Vec<String> = ["--lint-only", "-Wall", "--top-module", &manifest.top]
        .map(String::from)
        .to_vec();
    args.push("waivers.vlt".into());
    let folder = folder
        .canonicalize()
        .unwrap_or_else(|_| folder.to_path_buf());
    args.extend(
        sources
            .files
            .iter()
            .map(|(n, _)| folder.join(n).display().to_string()),
    );
    let result = verilator().run(&work, &args, &mut String::new());
    let _ = std::fs::remove_dir_all(&work);
    result.map(|_| ())
}
