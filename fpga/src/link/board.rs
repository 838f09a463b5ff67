//! A board without a board: `warpsmith_uart` in Verilator behind a pseudo-terminal.

use crate::chip::{ChipError, ChipManifest};
use crate::wrap::uart::{render, UartOptions};
use crate::wrap::WrapError;
use askama::Template;
use std::path::{Path, PathBuf};
use std::process::Command;
use warpsmith_cosim::CosimError;
use warpsmith_engine_verilator::{executable, Executable};

/// Fewest cycles of a bit the receiver works with.
pub const LEAST_DIVISOR: u64 = 4;

/// Why a board cannot be simulated.
#[derive(Debug, thiserror::Error)]
pub enum BoardError {
    /// A file of the emitted folder.
    #[error("{}: {source}; `warpsmith emit` writes the folder", path.display())]
    File {
        /// File.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The chip.
    #[error(transparent)]
    Chip(#[from] ChipError),
    /// The module around it.
    #[error(transparent)]
    Wrap(#[from] WrapError),
    /// The tools.
    #[error(transparent)]
    Build(#[from] CosimError),
    /// The template: a bug of ours.
    #[error("the simulation cannot be rendered: {0}")]
    Template(#[from] askama::Error),
    /// Too fast a line.
    #[error("divisor = {0}: a bit takes {LEAST_DIVISOR} to 65535 cycles")]
    Divisor(u64),
}

/// What happens on the simulated line and to the board.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faults {
    /// Share of the bytes, both ways, that are lost, get a wrong bit, or another byte in front.
    pub noise: f64,
    /// Bytes from the host after which the board's reset is pressed, once.
    pub reset_after: Option<u64>,
    /// Seed of both, and of the power-on state.
    pub seed: u64,
}

#[derive(Template)]
#[template(path = "board.cpp", escape = "none")]
struct Main {
    divisor: u64,
}

/// A built board.
#[derive(Clone, Debug)]
pub struct Board {
    program: PathBuf,
}

impl Board {
    /// Builds the board of an emitted chip, or takes it from the cache.
    ///
    /// # Errors
    /// A folder that is no chip, options that cannot be, missing tools.
    pub fn build(folder: &Path, options: &UartOptions, divisor: u64) -> Result<Self, BoardError> {
        if !(LEAST_DIVISOR..=65535).contains(&divisor) {
            return Err(BoardError::Divisor(divisor));
        }
        let read = |name: &str| {
            let path = folder.join(name);
            std::fs::read_to_string(&path).map_err(|source| BoardError::File { path, source })
        };
        let chip = ChipManifest::from_manifest(&read("manifest.json")?)?;
        let sources = [
            ("warpsmith_uart.v".to_string(), render(&chip, options)?),
            ("warpsmith.v".to_string(), read("warpsmith.v")?),
        ];
        let main = Main { divisor }.render()?;
        let program = executable(&Executable {
            sources: &sources,
            top: "warpsmith_uart",
            parameters: &[("DIVISOR", divisor)],
            inputs: &[("clock", 1), ("reset", 1), ("rx", 1)],
            main: &main,
        })
        .map_err(CosimError::from)?;
        Ok(Board { program })
    }

    /// The command that serves the board until it is killed. It prints the pseudo-terminal's path,
    /// a line, and at `link` makes a symbolic link to it.
    pub fn command(&self, link: Option<&Path>, faults: &Faults) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["--seed", &faults.seed.to_string()]);
        command.args(["--noise", &faults.noise.to_string()]);
        if let Some(bytes) = faults.reset_after {
            command.args(["--reset-after", &bytes.to_string()]);
        }
        if let Some(link) = link {
            command.arg("--link").arg(link);
        }
        command
    }
}
