//! How strictly our C++ is compiled: the one place of its flags.

use crate::error::CxxError;
use crate::tool::compiler;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::sync::OnceLock;

/// Flags of every text, checked or not.
const ALWAYS: [&str; 3] = ["-std=gnu++17", "-O2", "-fno-tree-slp-vectorize"];
/// A warning is an error, and a port refuses what it cannot hold.
const STRICT: [&str; 4] = ["-Wall", "-Wextra", "-Werror", "-DWARPSMITH_CHECK_PORTS"];
/// What nobody has written holds no zeros, on no machine.
const PATTERN: &str = "-ftrivial-auto-var-init=pattern";
/// Bad addresses and undefined behaviour end the program.
const SANITIZE: [&str; 4] =
    ["-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

/// How strictly C++ of ours is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checks {
    /// For users: warnings of a compiler that is not out yet keep nobody from work.
    None,
    /// For tests: no warnings, no memory that happens to be zero, no value wider than its port.
    Strict,
    /// The same under the sanitizers of addresses and of undefined behaviour.
    Sanitize,
}

impl Checks {
    /// What `WARPSMITH_CXX_CHECKS` says: `none`, `strict` or `sanitize`; without it strict in debug
    /// builds, as tests are.
    ///
    /// # Errors
    /// [`CxxError::Checks`] when it says something else.
    pub fn chosen() -> Result<Self, CxxError> {
        let said = std::env::var_os("WARPSMITH_CXX_CHECKS").unwrap_or_default();
        match said.to_string_lossy().as_ref() {
            "" if cfg!(debug_assertions) => Ok(Self::Strict),
            "" | "none" => Ok(Self::None),
            "strict" => Ok(Self::Strict),
            "sanitize" => Ok(Self::Sanitize),
            other => Err(CxxError::Checks(other.into())),
        }
    }

    /// Flags of the compiler that would be used. One that cannot fill memory with a pattern is told
    /// the others.
    ///
    /// # Errors
    /// [`CxxError::Tool`] when there is no compiler.
    pub fn flags(self) -> Result<Vec<&'static str>, CxxError> {
        let mut flags = ALWAYS.to_vec();
        if self != Self::None {
            flags.extend(STRICT);
            if fills_memory()? {
                flags.push(PATTERN);
            }
        }
        if self == Self::Sanitize {
            flags.extend(SANITIZE);
        }
        Ok(flags)
    }
}

/// Whether the compiler fills what nobody has written with a pattern: GCC from 12 on, clang from 8 on.
///
/// # Errors
/// [`CxxError::Tool`] when there is no compiler.
pub fn fills_memory() -> Result<bool, CxxError> {
    static KNOWN: OnceLock<bool> = OnceLock::new();
    if let Some(known) = KNOWN.get() {
        return Ok(*known);
    }
    let tool = compiler();
    let tried = tool
        .command(Path::new("."))
        .args([PATTERN, "-Werror", "-x", "c++", "-fsyntax-only", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .and_then(|mut child| {
            if let Some(mut text) = child.stdin.take() {
                // A compiler that refuses its arguments does not read.
                let _ = text.write_all(b"int main() {}\n");
            }
            child.wait()
        });
    let fills = tried.map_err(|e| tool.missing(e.to_string()))?.success();
    if !fills {
        eprintln!("{} has no {PATTERN}: uninitialised memory is not filled", tool.program);
    }
    Ok(*KNOWN.get_or_init(|| fills))
}
