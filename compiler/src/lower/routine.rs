//! Long operations as routines in PTX, chosen by operation and chip.

use std::sync::OnceLock;

use crate::error::CompileError;
use crate::ptx::{self, ast::Module};
use warpsmith_isa::ChipInfo as Target;

/// The routines as text; functions that pass registers.
const TEXT: &str = include_str!("routine.ptx");

/// How the names of routines begin.
pub(super) const PREFIX: &str = "__warpsmith_";

/// All routines, read once.
pub(super) fn module() -> Result<&'static Module, CompileError> {
    static MODULE: OnceLock<Result<Module, CompileError>> = OnceLock::new();
    MODULE.get_or_init(|| ptx::parse(TEXT, "routine.ptx")).as_ref().map_err(Clone::clone)
}

/// Name of the routine that stands for an operation; `None` where instructions are lowered directly.
pub(super) fn of(op: &str, target: &Target) -> Option<&'static str> {
    let short = !(target.float() && target.sfu());
    Some(match op {
        "div.u64" => "__warpsmith_div_u64",
        "div.s64" => "__warpsmith_div_s64",
        "rem.u64" => "__warpsmith_rem_u64",
        "rem.s64" => "__warpsmith_rem_s64",
        "div.u32" if short => "__warpsmith_div_u32",
        "div.s32" if short => "__warpsmith_div_s32",
        "rem.u32" if short => "__warpsmith_rem_u32",
        "rem.s32" if short => "__warpsmith_rem_s32",
        "div.u16" if short => "__warpsmith_div_u16",
        "div.s16" if short => "__warpsmith_div_s16",
        "rem.u16" if short => "__warpsmith_rem_u16",
        "rem.s16" if short => "__warpsmith_rem_s16",
        _ => return None,
    })
}
