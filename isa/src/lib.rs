//! The instruction set of SM 1.0: one table, and the decoder, encoder, assembler and disassembler built on it.
#![warn(missing_docs)]

pub mod arch;
pub mod decode;
pub mod instr;
pub mod table;

pub use arch::{pred_holds, Trap};
pub use decode::{decode, DecodeError};
pub use instr::*;
pub use table::{Class, Form, FORMS};
