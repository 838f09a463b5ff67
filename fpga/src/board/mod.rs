//! A board without a board: `warpsmith_uart` simulated behind a pseudo-terminal.
//!
//! `line`: the wires, bit by bit; `noise`: disturbs bytes on them; `terminal`: what a host opens. The
//! module runs in the simulation that every chip runs in (`warpsmith_cosim::simulation`).

mod line;
mod noise;
mod terminal;

pub use noise::Disturbances;
pub use terminal::Terminal;

use crate::chip::{ChipError, ChipManifest};
use crate::wrap::uart::{render, top_ports, UartOptions};
use crate::wrap::WrapError;
use line::{bit, Receiver, Sender};
use noise::Noise;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::Duration;
use warpsmith_contract::{Manifest, Port};
use warpsmith_cosim::{BuildOptions, CosimError, Design};
use warpsmith_engine_verilator::{Module, Verilator};

/// Fewest cycles of a bit the receiver works with.
pub const LEAST_DIVISOR: u64 = 4;
/// Bit times without a byte after which the board sleeps; the bridge forgets half a frame before.
const REST_BITS: u64 = 5000;
/// Cycles of a reset.
const RESET_CYCLES: u64 = 16;
/// Longest sleep between two looks at the switches.
const SLEEP: Duration = Duration::from_millis(200);
/// Bytes that wait for a host that does not read, at most.
const UNREAD: usize = 4032;

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
    /// Too fast a line.
    #[error("divisor = {0}: a bit takes {LEAST_DIVISOR} to 65535 cycles")]
    Divisor(u64),
    /// The port.
    #[error("no pseudo-terminal{}: {source}", link.as_ref().map_or(String::new(), |l| format!(" with a link {}", l.display())))]
    Terminal {
        /// Link to it.
        link: Option<PathBuf>,
        /// What the system says.
        source: std::io::Error,
    },
}

/// What happens on the simulated line and to the board.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faults {
    /// Share of the bytes, both ways, that are lost, get a wrong bit, or another byte in front.
    pub noise: f64,
    /// The host's bits are longer than the board's by this share; shorter where it is negative.
    pub skew: f64,
    /// Bytes from the host after which the board's reset is pressed, once.
    pub reset_after: Option<u64>,
    /// Seed of both, and of the power-on state.
    pub seed: u64,
}

/// Switches of a board that runs.
#[derive(Clone, Debug, Default)]
pub struct Switches {
    /// Power: the board ends soon after it is set.
    pub off: Arc<AtomicBool>,
    /// The reset button: the board clears it when it has seen it.
    pub reset: Arc<AtomicBool>,
}

/// What went over the line of a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bytes the host sent.
    pub received: u64,
    /// Bytes the board sent.
    pub sent: u64,
    /// Disturbed bytes, both ways.
    pub disturbances: Disturbances,
    /// Cycles simulated.
    pub cycles: u64,
}

/// A built board.
#[derive(Clone)]
pub struct Board {
    design: Design,
    divisor: u64,
}

/// Ports of the board by index.
struct Pins {
    reset: usize,
    rx: usize,
    tx: usize,
    status: usize,
}

impl Board {
    /// Builds the board of an emitted chip, or takes it from the cache. `divisor`: cycles of a bit.
    ///
    /// # Errors
    /// A folder that is no chip, options that cannot be, missing tools.
    pub fn build(folder: &Path, options: &UartOptions, divisor: u64) -> Result<Self, BoardError> {
        Board::build_altered(folder, options, divisor, |module| module)
    }

    /// The same with the Verilog around the chip changed: a deliberate error in the board, for checks that it is found.
    ///
    /// # Errors
    /// As [`Board::build`].
    pub fn build_altered(
        folder: &Path, options: &UartOptions, divisor: u64, alter: impl FnOnce(String) -> String,
    ) -> Result<Self, BoardError> {
        if !(LEAST_DIVISOR..=65535).contains(&divisor) {
            return Err(BoardError::Divisor(divisor));
        }
        let read = |name: &str| {
            let path = folder.join(name);
            std::fs::read_to_string(&path).map_err(|source| BoardError::File { path, source })
        };
        let chip = ChipManifest::from_manifest(&read("manifest.json")?)?;
        let sources = [
            ("warpsmith_uart.v".to_string(), alter(render(&chip, options)?).into_bytes()),
            ("warpsmith.v".to_string(), read("warpsmith.v")?.into_bytes()),
        ];
        let manifest = Manifest {
            top: "warpsmith_uart".into(),
            ports: top_ports().iter().map(Port::from).collect(),
            ..Manifest::clone(&chip)
        };
        let module = Module { sources: &sources, top: &manifest.top, ports: &manifest.ports };
        let options = BuildOptions { verilator_args: vec![format!("-GDIVISOR={divisor}")], ..BuildOptions::default() };
        let engine = Verilator::build(&module, &[], &options).map_err(CosimError::from)?;
        Ok(Board { design: Design::on(Arc::new(engine), manifest), divisor })
    }

    /// Serves the board behind a new pseudo-terminal until it is switched off. `link`: name of a
    /// symbolic link to the terminal, made now and removed at the end; `ready` is told its path.
    ///
    /// # Errors
    /// There is no pseudo-terminal, or the link cannot be made.
    pub fn serve(
        &self, link: Option<&Path>, faults: &Faults, switches: &Switches, ready: impl FnOnce(&Path),
    ) -> Result<Traffic, BoardError> {
        let terminal = Terminal::open(link)
            .map_err(|source| BoardError::Terminal { link: link.map(Path::to_path_buf), source })?;
        ready(terminal.path());
        Ok(self.run(&terminal, faults, switches))
    }

    fn run(&self, terminal: &Terminal, faults: &Faults, switches: &Switches) -> Traffic {
        let manifest = self.design.manifest();
        let port = |name| manifest.port(name).expect("a port of warpsmith_uart");
        let pins = Pins { reset: port("reset"), rx: port("rx"), tx: port("tx"), status: port("status") };
        let mut sim = self.design.simulate(faults.seed);
        let mut noise = Noise::new(faults.noise, faults.seed);
        let bit = bit(self.divisor, faults.skew);
        let (mut sender, mut receiver) = (Sender::new(bit), Receiver::new(bit));
        let mut traffic = Traffic::default();
        // Bytes from the host, and how many of them are done with; bytes to it.
        let mut input = [0; 4096];
        let (mut filled, mut taken) = (0, 0);
        let mut output: Vec<u8> = vec![];
        let mut reset_after = faults.reset_after;
        // Cycles in which the reset ends and the line was last in use.
        let (mut reset_until, mut used) = (RESET_CYCLES, 0);
        while !switches.off.load(Ordering::Relaxed) {
            let cycle = sim.cycle();
            let due = reset_after.is_some_and(|bytes| traffic.received >= bytes);
            if switches.reset.swap(false, Ordering::Relaxed) || due {
                reset_after = reset_after.filter(|_| !due);
                reset_until = cycle + RESET_CYCLES;
            }
            while sender.is_ready() && taken < filled {
                used = cycle;
                let (frame, done) = noise.pass_to_board(input[taken]);
                taken += usize::from(done);
                traffic.received += u64::from(done);
                if let Some(frame) = frame {
                    sender.send(frame);
                }
            }
            sim.set(pins.reset, 0, (cycle < reset_until).into());
            sim.set(pins.rx, 0, sender.cycle().into());
            sim.run(1, false, u64::MAX);
            if let Some(byte) = receiver.cycle(sim.get(pins.tx, 0) != 0) {
                used = cycle;
                traffic.sent += 1;
                noise.pass_to_host(byte, &mut output);
            }
            // Bit 0: the chip is busy.
            if sim.get(pins.status, 0) & 1 != 0 {
                used = cycle;
            }
            let idle = taken == filled && sender.is_empty() && receiver.is_idle();
            let rests = idle && cycle - used > REST_BITS * self.divisor;
            // The pseudo-terminal, a few times a byte.
            if !rests && cycle % (4 * self.divisor) != 0 {
                continue;
            }
            if !output.is_empty() {
                let n = terminal.send(&output);
                output.drain(..n);
                // Nobody reads: what a wire would lose is lost here.
                if output.len() > UNREAD {
                    output.clear();
                }
            }
            if taken == filled {
                if rests {
                    terminal.wait(SLEEP);
                }
                filled = terminal.receive(&mut input);
                taken = 0;
            }
        }
        traffic.disturbances = noise.done;
        traffic.cycles = sim.cycle();
        traffic
    }
}
