//! Puts an emitted chip on FPGAs.
//!
//! `wrap`: modules around the chip, from templates (AXI, UART with its own memory, boards) →
//! `synth`: tools that make bitstreams and netlists of them → `link`: the host's end of the wire;
//! `board`: its other end, simulated.
//! `package`: the same files as other tools take them; `soc`: systems of LiteX around them. All read the emitted folder's manifest, none
//! knows how the chip is described.

pub mod board;
pub mod chip;
pub mod link;
pub mod package;
pub mod soc;
pub mod synth;
pub mod wrap;
