//! What is known of a kernel's assertions that fail while it is put into one list.

use crate::ptx::ast::{Inst, LabelId, Operand};
use warpsmith_isa::print;

/// Words that a failed assertion tells: condition, file, line, function.
pub(super) const WORDS: usize = 4;

/// Where assertions that fail go.
pub(super) struct Failed {
    /// The end for all of them.
    pub label: LabelId,
    /// Registers with the words.
    pub words: Vec<Operand>,
    /// Register with the place of the assertion in `calls`.
    pub number: Operand,
    /// A call of each line that asserts.
    pub calls: Vec<Inst>,
}

/// Whether a function is called for an assertion that fails: that of our headers, or that of CUDA's.
pub(super) fn is_failed(function: &str) -> bool {
    [print::ASSERT, "__assertfail"].contains(&function)
}
