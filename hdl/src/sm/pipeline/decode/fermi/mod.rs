//! Decoder of Fermi: an instruction word to the control word of the pipeline.
//!
//! Made from the rows of the instruction table: one hit line a row, and every control field the or of its
//! rows' values.
//!
//! | port        | width            | meaning                                                   |
//! |-------------|------------------|-----------------------------------------------------------|
//! | `word`      | 64               | the instruction                                           |
//! | `pc`        | d.pc             | its byte address                                          |
//! | `registers` | 8                | registers a thread owns, the two of the machine among them |
//! | `control`   | Control::width   | the decoded instruction                                   |
//! | `numbers`   | Numbers::width   | its registers                                             |
//!
//! Timing: combinational. Reset: none.
//! What an instruction that traps does beside is undefined: with a trap cause nothing of it is done.
//! Errors: `control.trap` holds 1 for words that are no instruction, 2 for what this chip lacks, 9 for a
//! destination beyond the registers of the launch.
//! Source: isa/src/fermi/table; isa/src/fermi/lower.

use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::control::{Control, Numbers};
use crate::sm::dims::Dims;

block! {
    /// See the module.
    pub struct FermiDecode(cfg: &GpuConfig) {
        in word(64),
        in pc(d.pc),
        in registers(8),
        out control(Control::width(&d)),
        out numbers(Numbers::width(())),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
    }
}

impl Rtl for FermiDecode {
    fn rtl(&self) {
        set(&self.control, zero(Control::width(&self._d)));
        set(&self.numbers, zero(Numbers::width(())));
    }
}

rtl_block!(FermiDecode, "fermi_decode");
