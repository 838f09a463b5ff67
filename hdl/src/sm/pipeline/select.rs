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
        /// The same, one bit a warp, that of slot 0 inverted: after reset it is the last one selected.
        reg hot(d.warps => "picked_hot"),
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
        let width = self.warp.as_ref().width();
        let last = wire("last_hot", get(&self.hot) ^ slot_0(ready.width()));
        // Both classes side by side, to the number of the warp: whether there is a sure one is known before.
        let some = sure.any();
        let [first, other] = [sure, ready].map(|class| round_robin(class, &last));
        let number = |of: &Expr| one_hot_index(of, width);
        let best = wire("sel_hot", some.mux(&first, &other));
        let number = wire("sel_number", some.mux(&number(&first), &number(&other)));
        let taken = wire("picks", !get(&self.valid) | take);
        let any = wire("any_ready", ready.any());
        when(&taken, || set(&self.valid, &any));
        when(&(&taken & &any), || {
            set(&self.warp, number);
            set(&self.hot, &best ^ slot_0(ready.width()));
        });
        when(drop, || set(&self.valid, lit(1, 0)));
        Pick { best, taken }
    }
}

fn slot_0(warps: usize) -> Expr {
    lit(warps, 1)
}

/// A set bit of `ready`, one-hot: the first behind that of `last`, else the first of all. Of all bits twice, one behind the other, the
/// difference to the place behind `last` inverts the first that follows and those between: one carry chain.
pub fn round_robin(ready: &Expr, last: &Expr) -> Expr {
    let w = ready.width();
    let twice = cat([ready, ready]);
    let behind = cat([last, &zero(1)]).resize(2 * w);
    let left = wire("left_over", twice - behind);
    ready & &!(left.bits(0, w) & left.bits(w, w))
}
