//! Digest of the compiler's own sources: results of another build are not to be kept.

use std::hash::{DefaultHasher, Hasher as _};
use std::path::{Path, PathBuf};

/// What the results depend on: the compiler, its headers, and the instruction set.
const SOURCES: [&str; 4] = ["src", "include", "../isa/src", "Cargo.toml"];

fn main() {
    let mut files = Vec::new();
    for source in SOURCES {
        println!("cargo::rerun-if-changed={source}");
        collect(Path::new(source), &mut files);
    }
    files.sort();
    let mut digest = DefaultHasher::new();
    for file in files {
        let text = std::fs::read(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        digest.write(file.to_string_lossy().as_bytes());
        digest.write(&text);
    }
    println!("cargo::rustc-env=WARPSMITH_COMPILER_BUILD={:016x}", digest.finish());
}

/// The files at and below a path.
fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if !path.is_dir() {
        files.push(path.to_path_buf());
        return;
    }
    let entries = std::fs::read_dir(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    for entry in entries {
        let entry = entry.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        collect(&entry.path(), files);
    }
}
