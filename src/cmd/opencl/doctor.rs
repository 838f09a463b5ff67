//! `warpsmith opencl doctor`: loader, driver, clang, clinfo, other drivers, variables that lead elsewhere.

use super::library::{library, vendors, OTHERS, SYSTEM, VENDORS};
use crate::cmd::output::print;
use crate::cmd::AGREED;
use anyhow::{bail, Result};
use std::path::{Path, PathBuf};
use std::process::Command;
use warpsmith_compiler::clang::find;

/// Lines of the report: state, name, what was found or what to do.
#[derive(Default)]
struct Report {
    text: String,
    missing: bool,
}

impl Report {
    fn line(&mut self, state: &str, name: &str, what: &str) {
        self.text += &format!("{state:<9} {name:<14} {what}\n");
    }

    fn ok(&mut self, name: &str, what: &str) {
        self.line("ok", name, what);
    }

    fn missing(&mut self, name: &str, what: &str) {
        self.missing = true;
        self.line("MISSING", name, what);
    }
}

pub fn run() -> Result<u8> {
    let mut report = Report::default();
    match loader() {
        Some(path) => report.ok("loader", &path.display().to_string()),
        None => report.missing(
            "loader",
            "libOpenCL.so.1 leads programs to drivers; install: sudo apt-get install ocl-icd-libopencl1",
        ),
    }
    let driver = library();
    match &driver {
        Ok(path) => report.ok("driver", &path.display().to_string()),
        Err(why) => report.missing("driver", &why.to_string()),
    }
    match find::find(None) {
        Ok(clang) => report.ok("clang", &format!("{}, {}", clang.version, clang.path.display())),
        Err(why) => report.missing("clang", &format!("compiles kernels: {why}")),
    }
    variables(&mut report);
    others(&mut report);
    if let Ok(driver) = &driver {
        platforms(&mut report, &vendors(driver)?);
    }
    print(&report.text)?;
    if report.missing {
        bail!("something is missing; the lines marked MISSING say what to do");
    }
    Ok(AGREED)
}

/// The loader that the system's linker finds.
fn loader() -> Option<PathBuf> {
    let named = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let usual = ["/lib", "/usr/lib", "/lib64", "/usr/lib64", "/usr/local/lib"].map(PathBuf::from);
    let machine = std::env::consts::ARCH;
    let debian = ["/lib", "/usr/lib"].map(|d| Path::new(d).join(format!("{machine}-linux-gnu")));
    std::env::split_paths(&named).chain(debian).chain(usual).map(|d| d.join("libOpenCL.so.1")).find(|p| p.is_file())
}

/// Variables that choose a driver for every program.
fn variables(report: &mut Report) {
    let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty());
    if let Some(value) = set(VENDORS) {
        let ours = Path::new(&value).join(super::ICD).is_file();
        let what = match ours {
            true => "programs find Warpsmith without `warpsmith opencl run`",
            false => "no warpsmith.icd is there; `warpsmith opencl run` sets its own",
        };
        report.line("set", VENDORS, &format!("{}: {what}", value.to_string_lossy()));
    }
    for name in OTHERS {
        if let Some(value) = set(name) {
            let value = value.to_string_lossy().into_owned();
            report.line(
                "CONFLICT",
                name,
                &format!("{value}: leads the loader elsewhere; `warpsmith opencl run` removes it"),
            );
        }
    }
}

/// Drivers of the system, and whether their libraries exist.
fn others(report: &mut Report) {
    let Ok(entries) = std::fs::read_dir(SYSTEM) else {
        return report.line("none", "system", &format!("no drivers in {SYSTEM}"));
    };
    let mut files: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    files.sort();
    for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "icd")) {
        let library = std::fs::read_to_string(file).unwrap_or_default();
        let library = library.trim();
        let gone = library.starts_with('/') && !Path::new(library).is_file();
        let (state, what) = match gone {
            true => ("CONFLICT", ", which is not there: `warpsmith opencl install`, or delete the file"),
            false => ("other", ""),
        };
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        report.line(state, &name, &format!("{library}{what}"));
    }
}

/// What clinfo sees through the loader.
fn platforms(report: &mut Report, vendors: &Path) {
    let mut command = Command::new("clinfo");
    command.arg("-l").env(VENDORS, vendors);
    for other in OTHERS {
        command.env_remove(other);
    }
    let Ok(out) = command.output() else {
        return report.line("optional", "clinfo", "lists platforms and devices; install: sudo apt-get install clinfo");
    };
    let text = String::from_utf8_lossy(&out.stdout);
    let devices = text.lines().filter(|l| l.contains("Device #")).count();
    if text.contains("Warpsmith") && devices > 0 {
        report.ok("clinfo", &format!("sees Warpsmith with {devices} devices"));
    } else {
        let why = String::from_utf8_lossy(&out.stderr);
        report.missing("clinfo", &format!("does not see Warpsmith: {}", why.lines().next().unwrap_or("no message")));
    }
}
