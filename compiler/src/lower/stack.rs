//! The stack of functions that call themselves, while they are put into a kernel.

use crate::ptx::ast::{Function, LabelId, RegId, VarId};
use std::collections::HashMap;

/// Bytes of local memory for the stack of one call from outside: as many calls are nested as fit it.
pub(super) const STACK_BYTES: u32 = 8192;

/// A group of functions that call each other, being put into a kernel.
pub(super) struct Recursion<'a> {
    pub group: usize,
    /// Register with the depth, in bytes of a stack of words.
    pub depth: RegId,
    pub members: Vec<Member<'a>>,
    /// The member whose body is being put.
    pub current: usize,
    /// Pieces of the stack: variable, and bytes of an element.
    pub pieces: Vec<(VarId, u32)>,
    /// The pieces of registers.
    pub saved: HashMap<RegId, VarId>,
    /// Arrays of the members, which are pieces too: bytes of an element.
    pub arrays: HashMap<VarId, u32>,
    /// Instructions that compare the depth with its limit.
    pub checks: Vec<usize>,
}

/// A function of the group.
pub(super) struct Member<'a> {
    pub f: &'a Function,
    pub entry: LabelId,
    /// Where its calls end.
    pub back: LabelId,
    pub args: Vec<VarId>,
    pub results: Vec<VarId>,
    /// Where calls of it go on, by number.
    pub places: Vec<LabelId>,
    /// The piece of the stack with the numbers.
    pub numbers: VarId,
    /// Registers of its body that are read behind each call, by the place of the call in the body.
    pub live: HashMap<usize, Vec<RegId>>,
    /// Its parameters that are read behind calls.
    pub late: Vec<VarId>,
    /// Its parameters whose address is taken: where they are passed, and the array that has them for each depth.
    pub kept: Vec<(VarId, VarId)>,
}
