//! The instruction set of SM 1.0: one table, and the decoder, encoder, assembler and disassembler built on it.

pub mod access;
pub mod arch;
pub mod asm;
pub mod build;
pub mod codes;
pub mod cubin;
pub mod decode;
pub mod disasm;
pub mod doc;
pub mod encode;
pub mod instr;
pub mod link;
pub mod lower;
pub mod op;
pub mod operand;
pub mod program;
mod set;
mod spelling;
pub mod table;
pub mod tier;

pub use access::{Resource, Write};
pub use arch::pred_holds;
pub use asm::{assemble, AsmError, Assembled};
pub use build::{BuildError, Draft};
pub use decode::{decode, DecodeError};
pub use disasm::{disassemble, listing, text, text_in, Style};
pub use doc::forms_of;
pub use encode::{encode, EncodeError};
pub use instr::*;
pub use link::{link, Item, Label, LinkError, Linked};
pub use op::{Family, Op};
pub use operand::*;
pub use set::Sm10;
pub use table::{Class, Form, FORMS};
pub use tier::Tier;
