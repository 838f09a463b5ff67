//! Why the host has no results.

use std::io;
use warpsmith_cosim::CosimError;

/// Why a launch could not be run on a board: exit code 2.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// The port cannot be opened.
    #[error("{path}: {why}; {what}")]
    Open {
        /// Port.
        path: String,
        /// What the system says.
        why: String,
        /// What to do.
        what: String,
    },
    /// The port failed later.
    #[error("the serial port failed while {doing} ({source}); is the board still connected?")]
    Port {
        /// What was going on.
        doing: &'static str,
        /// What the system says.
        source: io::Error,
    },
    /// No answer at all.
    #[error("no answer while {doing}, {tries} times; is the board configured and powered, is this its port, rx and tx the right way round, and the speed right (uart:PATH@BAUD)?")]
    Silent {
        /// What was going on.
        doing: &'static str,
        /// Requests sent.
        tries: u32,
    },
    /// Bytes, but no answer.
    #[error("{bytes} bytes came while {doing} but no answer was among them, {tries} times; this is no Warpsmith board, or its speed is another (uart:PATH@BAUD), or the line is bad")]
    Garbled {
        /// What was going on.
        doing: &'static str,
        /// Requests sent.
        tries: u32,
        /// Bytes received.
        bytes: usize,
    },
    /// Another version of the protocol.
    #[error("the board speaks version {board} of the protocol, this program version {ours}: build the bitstream anew with this program, or use the program it was built with")]
    Protocol {
        /// The board's.
        board: u32,
        /// Ours.
        ours: u32,
    },
    /// An answer that makes no sense.
    #[error("the board answered {what} while {doing}; this is no Warpsmith board, or its bitstream is broken")]
    Answer {
        /// What was going on.
        doing: &'static str,
        /// What is wrong.
        what: String,
    },
    /// LiteX's server cannot be reached, or says nothing.
    #[error("LiteX's server at {at} gave no answer while {doing} ({source}); start `litex_server` with the port of the board (docs/soc.md), and name it as soc:DIR@HOST:PORT")]
    Server {
        /// Host and port.
        at: String,
        /// What was going on.
        doing: &'static str,
        /// What the system says.
        source: io::Error,
    },
    /// Another SoC than that of the folder.
    #[error("the board's chip has the number 0x{board:08x}, that of {folder} 0x{ours:08x}: load the bitstream of this folder, or name the folder of the board's")]
    OtherChip {
        /// The board's.
        board: u32,
        /// The folder of the SoC.
        folder: String,
        /// Its chip's.
        ours: u32,
    },
    /// Memory that does not work yet, or not at all.
    #[error("LiteX's BIOS {what}; its console said:\n{said}")]
    Untrained {
        /// What became of it.
        what: String,
        /// All that came since.
        said: String,
    },
    /// The folder of a SoC.
    #[error("{path}: {what}; write the folder with `warpsmith soc`")]
    Soc {
        /// A file.
        path: String,
        /// What is wrong.
        what: String,
    },
    /// The board lost the session; [`run`](crate::link::Link) begins anew before it gives up.
    #[error("the board was reset while {doing}")]
    Reset {
        /// What was going on.
        doing: &'static str,
    },
    /// It did so again and again.
    #[error("the board was reset {times} times, last while {doing}: is its power supply sound?")]
    ResetAgain {
        /// Resets seen.
        times: u32,
        /// What was going on.
        doing: &'static str,
    },
    /// A chip without saboteurs, or with others.
    #[error("the board's chip {}: put a bitstream of the campaign's chip with saboteurs on it (`--set saboteurs=BLOCK,BLOCK`, warpsmith for all of the chip), and name the same blocks with --saboteurs", match .found {
        0 => "has no saboteurs".to_string(),
        found => format!("has other saboteurs, on a chain of {found} bits and not these of {wanted}"),
    })]
    Saboteurs {
        /// Bits of its chain.
        found: u32,
        /// Bits of ours.
        wanted: u32,
    },
    /// The launch does not fit the chip.
    #[error(transparent)]
    Chip(#[from] CosimError),
    /// The launch does not fit the board's memory.
    #[error("{launch}: global memory ({global} bytes) and local memory ({local} bytes for all resident threads) need {need} bytes; the board has {memory} (memory_bytes): use smaller data or a board with more block RAM")]
    Memory {
        /// Launch file.
        launch: String,
        /// Bytes of global memory.
        global: u64,
        /// Bytes of local memory.
        local: u64,
        /// Both, with the rounding between them.
        need: u64,
        /// What the board has.
        memory: u64,
    },
}
