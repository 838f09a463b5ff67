//! Why a run could not be made. Differences between model and chip are not errors: they are results.

use std::path::PathBuf;
use thiserror::Error;
use warpsmith_engine::WaveError;
use warpsmith_engine_native::NativeError;
use warpsmith_engine_verilator::VerilatorError;
use warpsmith_model::LaunchError;

/// Something prevented the run: exit code 2 of the command line.
#[derive(Debug, Error)]
pub enum CosimError {
    /// The simulation could not be built or loaded.
    #[error(transparent)]
    Engine(#[from] VerilatorError),
    /// The native engine cannot run the chip.
    #[error(transparent)]
    Native(#[from] NativeError),
    /// A file of the emitted folder.
    #[error("{}: {what}", path.display())]
    Folder {
        /// File.
        path: PathBuf,
        /// What is wrong and what to do.
        what: String,
    },
    /// The manifest does not describe a chip this program can drive.
    #[error("manifest.json: {0}")]
    Manifest(String),
    /// The waveform file.
    #[error(transparent)]
    Wave(#[from] WaveError),
    /// The launch does not fit the chip.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// Global and local memory together.
    #[error("{launch}: global memory ({global} bytes) and local memory ({local} bytes for all resident threads) do not fit 2^32 bytes: lower global_bytes or local_bytes")]
    Memory {
        /// Launch file.
        launch: String,
        /// Bytes of global memory.
        global: u64,
        /// Bytes of local memory.
        local: u64,
    },
    /// The chip has no trace port.
    #[error("the chip in {} has no {port}; this run needs the trace port: emit it with --set trace=true", folder.display())]
    NoTrace {
        /// Emitted folder.
        folder: PathBuf,
        /// First port missing.
        port: String,
    },
    /// The trace port broke its protocol under an observer.
    #[error("the trace port is inconsistent: {0}")]
    Observe(String),
    /// A profile could not be rendered.
    #[error("the profile cannot be rendered: {0}")]
    Page(String),
    /// Nothing to compare.
    #[error("nothing to compare: {0}")]
    Empty(String),
    /// A launch folder could not be written.
    #[error("{}: {source}", path.display())]
    Write {
        /// File.
        path: PathBuf,
        /// What happened.
        source: std::io::Error,
    },
    /// A random program that the model itself cannot run: a bug of the generator.
    #[error("random program of seed {seed}: {why}; this is a bug of the generator, not of the chip")]
    Generator {
        /// Seed.
        seed: u64,
        /// What happened.
        why: String,
    },
}
