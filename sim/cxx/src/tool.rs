//! The tools from outside: Verilator, a C++ compiler, make.

use crate::error::CxxError;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Oldest Verilator the generated code compiles against.
const OLDEST: (u32, u32) = (5, 6);

/// A tool from outside, with what to say when it is missing.
pub struct Tool {
    /// Name or path.
    pub program: String,
    variable: &'static str,
    install: &'static str,
}

fn tool(variable: &'static str, program: &str, install: &'static str) -> Tool {
    Tool {
        program: std::env::var(variable).unwrap_or_else(|_| program.into()),
        variable,
        install,
    }
}

/// Verilator: `WARPSMITH_VERILATOR`, or that of `PATH`.
pub fn verilator() -> Tool {
    tool("WARPSMITH_VERILATOR", "verilator", "apt install verilator")
}

/// The C++ compiler: `WARPSMITH_CXX`, or `g++`.
pub fn compiler() -> Tool {
    tool("WARPSMITH_CXX", "g++", "apt install g++ zlib1g-dev")
}

/// Make: `WARPSMITH_MAKE`, or that of `PATH`.
pub fn make() -> Tool {
    tool("WARPSMITH_MAKE", "make", "apt install make")
}

impl Tool {
    /// The command in a folder, without variables that are meant for others.
    pub fn command(&self, dir: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(dir);
        // Flags meant for the crate `verilated` would redefine names of the installed runtime; a
        // make around this one has job slots of its own; a preloaded library is for the tests.
        for theirs in [
            "CXXFLAGS",
            "CPPFLAGS",
            "LDFLAGS",
            "MAKEFLAGS",
            "MFLAGS",
            "MAKELEVEL",
            "LD_PRELOAD",
        ] {
            command.env_remove(theirs);
        }
        // Messages are searched for words.
        command.env("LC_ALL", "C");
        command
    }

    /// What is said when it cannot be used.
    pub fn missing(&self, why: String) -> CxxError {
        CxxError::Tool {
            tool: self.program.clone(),
            why,
            variable: self.variable,
            install: self.install,
        }
    }

    /// Runs it; the output is kept for the log.
    ///
    /// # Errors
    /// [`CxxError::Tool`] when it cannot be started, [`CxxError::Build`] when it fails.
    pub fn run<S: AsRef<str>>(
        &self,
        dir: &Path,
        args: &[S],
        log: &mut String,
    ) -> Result<String, CxxError> {
        let args: Vec<&str> = args.iter().map(AsRef::as_ref).collect();
        let out = warpsmith_cache::tools::output(self.command(dir).args(&args));
        let out = out.map_err(|e| self.missing(e.to_string()))?;
        let text = format!(
            "{}{}",
            String::from_utf8_lossy(&out.stdout),
            String::from_utf8_lossy(&out.stderr)
        );
        log.push_str(&format!("$ {} {}\n{text}", self.program, args.join(" ")));
        if out.status.success() {
            return Ok(text);
        }
        let tail: Vec<&str> = text
            .lines()
            .filter(|l| l.contains("rror"))
            .take(8)
            .collect();
        Err(CxxError::Build {
            tool: self.program.clone(),
            dir: dir.to_path_buf(),
            lines: match tail.is_empty() {
                true => text,
                false => tail.join("\n  "),
            },
        })
    }

    /// First line of what it says about itself.
    ///
    /// # Errors
    /// As [`Tool::run`].
    pub fn version(&self) -> Result<String, CxxError> {
        let text = self.run(Path::new("."), &["--version"], &mut String::new())?;
        Ok(text.lines().next().unwrap_or_default().trim().to_string())
    }
}

/// Version text of the Verilator that would be used, e.g. `Verilator 5.006 2023-01-22 …`.
///
/// # Errors
/// [`CxxError::Tool`] when it is missing or older than 5.006.
pub fn verilator_version() -> Result<String, CxxError> {
    let tool = verilator();
    let text = tool.version()?;
    let mut number = text
        .split_whitespace()
        .nth(1)
        .unwrap_or("")
        .split('.')
        .map(|n| n.parse::<u32>().unwrap_or(0));
    let version = (number.next().unwrap_or(0), number.next().unwrap_or(0));
    match version < OLDEST {
        true => Err(tool.missing(format!("it says `{text}`"))),
        false => Ok(text),
    }
}

/// Folder of Verilator's headers and runtime.
///
/// # Errors
/// As [`Tool::run`].
pub fn verilator_include(dir: &Path, log: &mut String) -> Result<PathBuf, CxxError> {
    let root = verilator().run(dir, &["--getenv", "VERILATOR_ROOT"], log)?;
    Ok(Path::new(root.lines().next().unwrap_or_default().trim()).join("include"))
}

/// Yosys hands names below the temporary folder to another program in a line of text: a folder with
/// spaces in its name is replaced by `/tmp`.
pub fn plain_temporary(command: &mut Command) {
    let folder = std::env::temp_dir();
    if folder.to_string_lossy().contains(char::is_whitespace) {
        command.env("TMPDIR", "/tmp");
    }
}
