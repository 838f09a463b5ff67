//! Stage SEL: one of the ready warps, loose round robin.
//!
//! The search starts behind the warp selected last. Warps of which nothing has completed since they last
//! issued go last: H may well refuse them, and a refusal costs the slot.

use crate::rtl::prelude::*;
use crate::sm::dims::Dims;

group! {
    /// The selected warp, offered until DEC takes it.
    pub struct Selection(d: &Dims) as "" {
        /// A warp is offered.
        reg valid(1 => "picked_valid"),
        /// Its slot.
        reg warp(d.warp => "picked"),
    }
}

/// What selection does in this cycle.
pub struct Pick {
    /// The best of the ready warps, one bit a warp.
    pub best: Expr,
    /// It becomes the selected one.
    pub taken: Expr,
}

impl Selection {
    /// Chooses among the `ready` warps, the `sure` ones of them first, once `take` has taken the last;
    /// `drop` drops what is selected.
    pub fn choose(&self, ready: &Expr, sure: &Expr, take: &Expr, drop: &Expr) -> Pick {
        let last = get(&self.warp);
        // Both classes side by side: whether there is a sure one is known before the first of them.
        let others = round_robin(ready, &last) & (!sure.any()).repeat(ready.width());
        let best = wire("sel_hot", round_robin(sure, &last) | others);
        let taken = wire("picks", !get(&self.valid) | take);
        let any = wire("any_ready", ready.any());
        when(&taken, || set(&self.valid, &any));
        when(&(&taken & &any), || set(&self.warp, one_hot_index(&best, last.width())));
        when(drop, || set(&self.valid, lit(1, 0)));
        Pick { best, taken }
    }
}

/// A set bit of `ready`, one-hot: the first behind `last`, else the first of all. One carry chain
/// through both in the order of preference.
pub fn round_robin(ready: &Expr, last: &Expr) -> Expr {
    let w = ready.width();
    let above = |i: usize| match i {
        0 => zero(1),
        _ => last.lt(&lit(last.width(), i as u64)),
    };
    let behind: Vec<Expr> = (0..w).map(above).collect();
    let behind = wire("behind", pack(behind.iter()));
    let candidates = wire("candidates", cat([ready, &(ready & &behind)]));
    let first = wire("first_candidate", lowest_one_hot(&candidates));
    first.bits(0, w) | first.bits(w, w)
}
