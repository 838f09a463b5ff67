//! Finds clang: the requested one, or the best installed one.

use super::Clang;
use crate::kept::{self, Kept};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// Environment variable that names the clang to use.
pub const VARIABLE: &str = "WARPSMITH_CLANG";

/// How to install one.
pub const INSTALL: &str = "sudo apt-get install --no-install-recommends clang-19";

/// Names tried, the best first: 19 is what the flags and headers were made with and what Debian
/// offers everywhere, then newest first.
pub const NAMES: [&str; 10] = [
    "clang-19", "clang-22", "clang-21", "clang-20", "clang-18", "clang-17", "clang-16", "clang-15", "clang-14", "clang",
];

/// Finds a clang with the target nvptx: `asked`, else `WARPSMITH_CLANG`, else the first of [`NAMES`].
///
/// # Errors
/// The missing program and the command that installs it.
pub fn find(asked: Option<&Path>) -> Result<Clang, String> {
    let variable = std::env::var_os(VARIABLE).filter(|v| !v.is_empty()).map(PathBuf::from);
    if let Some(path) = asked {
        return probe(path).map_err(|why| format!("--clang {}: {why}", path.display()));
    }
    if let Some(path) = variable {
        return probe(&path).map_err(|why| format!("{VARIABLE}={}: {why}", path.display()));
    }
    let mut reasons = Vec::new();
    for path in NAMES.iter().filter_map(|name| on_path(name)) {
        match probe(&path) {
            Ok(clang) => return Ok(clang),
            Err(why) => reasons.push(format!("{}: {why}", path.display())),
        }
    }
    let tried = match reasons.is_empty() {
        true => "no clang is installed".to_string(),
        false => reasons.join("; "),
    };
    Err(format!("{tried}; install one (`{INSTALL}`, or `make tools`), or name it by --clang PATH or {VARIABLE}"))
}

/// A program by its name, in the folders of PATH.
fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// What a file is without running or reading it: path behind links, bytes, time of its last change.
pub(super) fn identity(path: &Path) -> String {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    format!("{} {}", real.display(), stamp(&real))
}

/// Bytes and time of the last change of a file or folder; empty where there is none.
fn stamp(path: &Path) -> String {
    std::fs::metadata(path).map_or(String::new(), |m| format!("{} {}.{:09}", m.len(), m.mtime(), m.mtime_nsec()))
}

/// What a clang says of itself, kept between runs.
#[derive(Serialize, Deserialize)]
struct Answer {
    version: String,
    host_headers: Vec<PathBuf>,
    /// [`stamp`]s of the folders around the headers: another compiler's headers may be installed there.
    around: Vec<String>,
}

impl kept::Result for Answer {
    fn is_valid(&self) -> bool {
        self.around == around(&self.host_headers)
    }
}

fn around(headers: &[PathBuf]) -> Vec<String> {
    headers.iter().map(|h| stamp(h.parent().unwrap_or(h))).collect()
}

/// Whether a file is a program and no script, which may run any other program.
fn is_program(path: &Path) -> bool {
    let mut magic = [0; 4];
    let read = std::fs::File::open(path).and_then(|mut f| std::io::Read::read_exact(&mut f, &mut magic));
    read.is_ok() && magic == *b"\x7fELF"
}

/// Asks a clang who it is; the answer is kept for the life of the process, and in the cache for as long as the program
/// is the same.
fn probe(path: &Path) -> Result<Clang, String> {
    static KNOWN: Mutex<Option<HashMap<PathBuf, Clang>>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(|e| e.into_inner());
    let known = known.get_or_insert_with(HashMap::new);
    if let Some(clang) = known.get(path) {
        return Ok(clang.clone());
    }
    let answer = match is_program(path) {
        true => {
            let parts = [path.to_string_lossy().into_owned(), identity(path)];
            Kept::new(&warpsmith_cache::cache_dir(), "clang", parts).or(|| answer(path))?
        }
        false => answer(path)?,
    };
    let clang = Clang { path: path.to_path_buf(), version: answer.version, host_headers: answer.host_headers };
    known.insert(path.to_path_buf(), clang.clone());
    Ok(clang)
}

/// Asks a clang who it is.
fn answer(path: &Path) -> Result<Answer, String> {
    let version = ask(path, &["--version"])?.0.lines().next().unwrap_or_default().to_string();
    if !version.contains("clang") {
        return Err(format!("it is no clang: it says `{version}`"));
    }
    let targets = ask(path, &["--print-targets"])?.0;
    if !targets.lines().any(|l| l.split_whitespace().next() == Some("nvptx")) {
        return Err("it was built without the target nvptx".to_string());
    }
    let host_headers = host_headers(path);
    Ok(Answer { version, around: around(&host_headers), host_headers })
}

/// Folders that clang searches for the host's headers, less its own.
fn host_headers(path: &Path) -> Vec<PathBuf> {
    let Ok((_, printed)) = ask(path, &["-E", "-v", "-x", "c++", "/dev/null"]) else {
        return Vec::new();
    };
    printed
        .lines()
        .skip_while(|l| !l.starts_with("#include <...>"))
        .skip(1)
        .take_while(|l| l.starts_with(' '))
        .map(|l| PathBuf::from(l.trim()))
        .filter(|p| !p.to_string_lossy().contains("/lib/clang/"))
        .collect()
}

/// Output of a program on stdout and stderr.
fn ask(path: &Path, arguments: &[&str]) -> Result<(String, String), String> {
    let mut command = Command::new(path);
    command.args(arguments).env("LC_ALL", "C");
    let output = warpsmith_cache::tools::output(&mut command).map_err(|e| format!("cannot be started: {e}"))?;
    if !output.status.success() {
        return Err(format!("`{} {}` ended with {}", path.display(), arguments.join(" "), output.status));
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok((text(&output.stdout), text(&output.stderr)))
}
