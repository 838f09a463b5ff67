//! The tools from outside: Verilator, a C++ compiler, make.

use crate::cache::put;
use crate::error::CxxError;
use crate::flags::{GENERATED, SIMULATED};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use warpsmith_cache::cache_dir;

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
    Tool { program: std::env::var(variable).unwrap_or_else(|_| program.into()), variable, install }
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

/// Variables meant for others: flags for the crate `verilated` would redefine names of the installed runtime; a make
/// around this one has job slots of its own; a preloaded library is for the tests.
pub const THEIRS: [&str; 7] = ["CXXFLAGS", "CPPFLAGS", "LDFLAGS", "MAKEFLAGS", "MFLAGS", "MAKELEVEL", "LD_PRELOAD"];

impl Tool {
    /// The command in a folder, without variables that are meant for others.
    pub fn command(&self, dir: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(dir);
        for theirs in THEIRS {
            command.env_remove(theirs);
        }
        // Messages are searched for words.
        command.env("LC_ALL", "C");
        command
    }

    /// What is said when it cannot be used.
    pub fn missing(&self, why: String) -> CxxError {
        CxxError::Tool { tool: self.program.clone(), why, variable: self.variable, install: self.install }
    }

    /// Runs it; the output is kept for the log.
    ///
    /// # Errors
    /// [`CxxError::Tool`] when it cannot be started, [`CxxError::Build`] when it fails.
    pub fn run<S: AsRef<str>>(&self, dir: &Path, args: &[S], log: &mut String) -> Result<String, CxxError> {
        let args: Vec<&str> = args.iter().map(AsRef::as_ref).collect();
        let out = warpsmith_cache::tools::output(self.command(dir).args(&args));
        let out = out.map_err(|e| self.missing(e.to_string()))?;
        let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
        log.push_str(&format!("$ {} {}\n{text}", self.program, args.join(" ")));
        if out.status.success() {
            return Ok(text);
        }
        let tail: Vec<&str> = text.lines().filter(|l| l.contains("rror")).take(8).collect();
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
    /// [`CxxError::Tool`] when it cannot be started or says nothing: a script whose interpreter is missing.
    pub fn version(&self) -> Result<String, CxxError> {
        let said = self.run(Path::new("."), &["--version"], &mut String::new());
        let text = said.map_err(|e| match e {
            CxxError::Build { lines, .. } => self.missing(lines.trim().to_string()),
            other => other,
        })?;
        Ok(text.lines().next().unwrap_or_default().trim().to_string())
    }
}

/// Version text of the Verilator that would be used, e.g. `Verilator 5.006 2023-01-22 …`. One whose text has no
/// number, as development builds and some packages have it, is tried: whether it takes the options of builds, and
/// which version its runtime says, if any.
///
/// # Errors
/// [`CxxError::Tool`] when it is missing, older than 5.006, or fails what is tried.
pub fn verilator_version() -> Result<String, CxxError> {
    let tool = verilator();
    let text = tool.version()?;
    match number(text.split_whitespace().nth(1).unwrap_or_default()) {
        Some(version) if version < OLDEST => Err(tool.missing(format!("it says `{text}`"))),
        Some(_) => Ok(text),
        None => tried(&tool, &text),
    }
}

/// `5.006` as a pair.
fn number(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once('.')?;
    let end = minor.find(|c: char| !c.is_ascii_digit());
    let minor = &minor[..end.unwrap_or(minor.len())];
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// What a Verilator without a number in its version text can do, tried once for each program and text: the text, with
/// the number of its runtime where there is one.
///
/// # Errors
/// [`CxxError::Tool`] when it refuses the options of builds or its runtime is not one of 5.006 or later.
fn tried(tool: &Tool, text: &str) -> Result<String, CxxError> {
    type Known = BTreeMap<(String, String), Result<String, String>>;
    static KNOWN: Mutex<Known> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let answer = known.entry((tool.program.clone(), text.to_string())).or_insert_with(|| abilities(tool, text));
    let why = |w: &String| tool.missing(format!("it says `{text}`, without a number, and {w}"));
    answer.as_ref().map(Clone::clone).map_err(why)
}

/// Builds nothing: Verilates a module with every option of builds and looks at the runtime.
fn abilities(tool: &Tool, text: &str) -> Result<String, String> {
    let root = cache_dir().join(format!("try.{}", std::process::id()));
    let result = (|| {
        put(&root, "top.v", TRIED).map_err(|e| e.to_string())?;
        let mut args = vec!["--cc", "--no-timing", "--trace-fst", "--trace-structs"];
        args.extend(["--prefix", "Vtop", "--Mdir", "obj", "--top-module", "top"]);
        args.extend(SIMULATED);
        args.extend(GENERATED);
        args.push("top.v");
        let mut log = String::new();
        tool.run(&root, &args, &mut log)
            .map_err(|_| format!("refuses what builds need: {}", log.lines().nth(1).unwrap_or_default()))?;
        let include = verilator_include(&root, &mut log).map_err(|e| e.to_string())?;
        for file in RUNTIME {
            if !include.join(file).is_file() {
                return Err(format!("its runtime has no {}", include.join(file).display()));
            }
        }
        let config = std::fs::read_to_string(include.join("verilated_config.h"));
        let config = config.map_err(|e| format!("{}/verilated_config.h: {e}", include.display()))?;
        let said = config
            .lines()
            .find_map(|l| l.strip_prefix("#define VERILATOR_VERSION "))
            .unwrap_or_default()
            .trim()
            .trim_matches('"');
        match number(said) {
            Some(version) if version < OLDEST => Err(format!("its runtime says `{said}`")),
            Some(_) => Ok(format!("Verilator {said}, {text}")),
            None => Ok(text.to_string()),
        }
    })();
    let _ = std::fs::remove_dir_all(&root);
    result
}

/// A module with what the emitted Verilog has: a memory, a register, a generated constant.
const TRIED: &str = "module top(input clock, input [3:0] a, output reg [31:0] q);
  reg [31:0] m [0:15];
  always @(posedge clock) begin m[a] <= q + 32'd1; q <= m[a]; end
endmodule
";

/// Files of the runtime that are compiled into simulations.
const RUNTIME: [&str; 4] = ["verilated.cpp", "verilated_threads.cpp", "verilated_fst_c.cpp", "verilated.mk"];

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
