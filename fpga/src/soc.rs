//! Systems of LiteX around the chip, on boards and in simulation. `litex/warpsmith_litex`, a Python package, describes
//! them; here it is put beside a packaged chip and run. docs/soc.md is the user's page.

mod bitstream;

use crate::package::{Package, PackageError};
use crate::synth::flow::{self, Step, SynthError, Workshop};
use crate::synth::tools::{Missing, Program, Tool};
use crate::synth::Report;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::LazyLock;
use warpsmith_cache::tools;
use warpsmith_cxx::tool::THEIRS;

macro_rules! sources {
    ($($name:literal),*) => {
        [$((concat!("warpsmith_litex/", $name), include_str!(concat!("../../litex/warpsmith_litex/", $name)))),*]
    };
}
/// The Python package, which goes into the folder of a SoC.
const PYTHON: [(&str, &str); 5] = sources!["__init__.py", "boards.toml", "core.py", "serve.py", "soc.py"];
/// The board that is simulated.
pub const SIMULATION: &str = "sim";
/// The folder of the Verilog that LiteX writes, and of what is made of it.
pub const GATEWARE: &str = "gateware";
/// What a finished build was made from: the same need not be built again.
const INPUTS: &str = "inputs";

/// A board, as `boards.toml` has it; what is Python's is left out.
#[derive(Clone, Debug, Deserialize)]
pub struct Board {
    /// Its name for a reader.
    pub title: String,
    /// Its memory.
    pub memory: String,
    /// Clock unless another one is asked for.
    pub clock_mhz: f64,
    /// Ways to the host.
    pub links: Vec<String>,
    /// LiteX's BIOS, which needs a CPU, makes the memory work.
    #[serde(default)]
    pub trained: bool,
}

/// All boards by name.
pub static BOARDS: LazyLock<BTreeMap<String, Board>> = LazyLock::new(|| {
    let [_, (_, text), ..] = PYTHON;
    toml::from_str(text).expect("a table of boards")
});

/// What is built.
#[derive(Clone, Debug)]
pub struct Options {
    /// Name of the board.
    pub board: String,
    /// LiteX's name of the CPU.
    pub cpu: Option<String>,
    /// Way to the host.
    pub link: String,
    /// Clock instead of the board's.
    pub clock_mhz: Option<f64>,
    /// A bitstream or a simulation too, not Verilog and constraints alone.
    pub build: bool,
    /// First seed of place and route; of boards with an ECP5.
    pub seed: u64,
    /// How many seeds are tried, from the first on; the one with the fastest clock counts.
    pub seeds: u64,
}

/// A SoC that was built.
#[derive(Debug)]
pub struct Built {
    /// There was something to do.
    pub anew: bool,
    /// Area and clock, of a bitstream for an ECP5.
    pub report: Option<Report>,
}

/// Why a SoC cannot be built or simulated: exit code 2.
#[derive(Debug, thiserror::Error)]
pub enum SocError {
    /// LiteX is missing.
    #[error(transparent)]
    Missing(#[from] Missing),
    /// LiteX, or what it calls, fails.
    #[error(transparent)]
    Flow(#[from] SynthError),
    /// The chip cannot be packaged.
    #[error(transparent)]
    Package(#[from] PackageError),
    /// A way to the host that the board has not.
    #[error("--link {link}: {title} has {links} alone")]
    Link {
        /// Asked for.
        link: String,
        /// The board.
        title: String,
        /// What it has.
        links: String,
    },
    /// Memory that needs a CPU.
    #[error("--board {board}: LiteX's BIOS trains its {memory}, which takes a CPU; add --cpu vexriscv")]
    Training {
        /// The board.
        board: String,
        /// Its memory.
        memory: String,
    },
    /// A folder that the makefiles of LiteX cannot name.
    #[error("--out {}: LiteX cannot build in a folder with spaces in its path; name another one", .0.display())]
    Spaces(PathBuf),
    /// The simulation does not start.
    #[error("the simulation in {folder} does not start; {log} ends:\n{tail}")]
    Start {
        /// Its folder.
        folder: PathBuf,
        /// What it said.
        log: PathBuf,
        /// The end of it.
        tail: String,
    },
    /// A file or program.
    #[error("{path}: {source}")]
    File {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// Builds a SoC around a packaged chip, of the configuration `config`, in the folder `out`.
///
/// # Errors
/// LiteX or another tool is missing or fails; the board does not have what is asked for; the SoC does not fit.
pub fn build(
    out: &Path, options: &Options, config: &str, package: &Package, say: &mut dyn FnMut(Step),
) -> Result<Built, SocError> {
    let (name, board) = (&options.board, &BOARDS[&options.board]);
    if !board.links.contains(&options.link) {
        let (title, links) = (board.title.clone(), board.links.join(", "));
        return Err(SocError::Link { link: options.link.clone(), title, links });
    }
    if board.trained && options.cpu.is_none() {
        return Err(SocError::Training { board: name.clone(), memory: board.memory.clone() });
    }
    if std::path::absolute(out).is_ok_and(|path| path.to_string_lossy().contains(char::is_whitespace)) {
        return Err(SocError::Spaces(out.into()));
    }
    let python = Tool::Litex.find()?;
    let mut shop = Workshop::new(out, say)?;
    let texts = package.files.iter().flat_map(|(n, t)| [n.as_str(), t.as_str()]);
    let asked = format!("{options:?} {}", python.version);
    let inputs = warpsmith_cache::key(texts.chain(PYTHON.iter().map(|p| p.1)).chain([asked.as_str()]));
    let gateware = out.join(GATEWARE);
    if shop.read(INPUTS).is_ok_and(|former| former == inputs) {
        let report = std::fs::read_to_string(gateware.join("report.json"))
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok());
        return Ok(Built { anew: false, report });
    }
    shop.write(INPUTS, "")?;
    bitstream::clear(&gateware, shop.say)?;
    package.write(&out.join("gpu"))?;
    let folder = out.join("warpsmith_litex");
    std::fs::create_dir_all(&folder).map_err(|source| SocError::File { path: folder, source })?;
    for (name, text) in PYTHON {
        shop.write(name, text)?;
    }
    let mhz = options.clock_mhz.unwrap_or(board.clock_mhz);
    let clock = mhz.to_string();
    let mut arguments =
        vec!["-m", "warpsmith_litex.soc", "--out", ".", "--board", name, "--clock", &clock, "--link", &options.link];
    if let Some(cpu) = &options.cpu {
        arguments.extend(["--cpu", cpu]);
    }
    if !options.build {
        arguments.push("--no-build");
    }
    shop.run("LiteX", &python, &arguments)?;
    if options.build && name == SIMULATION {
        let bash = Program { name: "bash", path: "bash".into(), first: vec![], version: String::new() };
        let script = format!("unset {}; cd gateware && bash build_sim.sh", THEIRS.join(" "));
        shop.run("Verilator", &bash, &["-c", &script])?;
    }
    let route = flow::Options { clock_mhz: None, part: None, seed: options.seed, seeds: options.seeds, route: true };
    let report = match options.build {
        true => bitstream::make(&gateware, name, config, mhz, &route, shop.say)?,
        false => None,
    };
    Workshop::new(out, shop.say)?.write(INPUTS, inputs)?;
    Ok(Built { anew: true, report })
}

/// Simulates the SoC of a folder while `work` runs, which gets host and port of LiteX's server.
///
/// # Errors
/// LiteX is missing, or the simulation does not start.
pub fn served<T>(folder: &Path, work: impl FnOnce(&str) -> T) -> Result<T, SocError> {
    let python = Tool::Litex.find()?;
    let log = folder.join("server.log");
    let file = |source| SocError::File { path: log.clone(), source };
    let mut command = python.command();
    command.args(["-m", "warpsmith_litex.serve", "."]).current_dir(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(File::create(&log).map_err(file)?);
    let result = tools::watched(&mut command, |mut child| {
        let mut port = String::new();
        let stdout = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        BufReader::new(stdout).read_line(&mut port)?;
        let result = (!port.is_empty()).then(|| work(&format!("localhost:{}", port.trim())));
        // Its input ends, and so does it.
        drop(child.stdin.take());
        child.wait()?;
        Ok(result)
    });
    let result = result.map_err(|source| SocError::File { path: python.path.clone(), source })?;
    result.ok_or_else(|| {
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        SocError::Start { folder: folder.into(), log, tail: crate::synth::flow::tail(&text) }
    })
}
