//! Thread indices: {x, y, z} of the threads whose R0 is written next.
//!
//! Kernel start counts through the first threads, one a cycle: they give where each group of four
//! lanes begins and the step of `lanes` threads. A row of lanes is one step a beat; the lanes of a
//! group count on from its first one.

use super::{Controller, Tid, GROUP, SIZE, TID, TID_Z};
use crate::rtl::prelude::*;

impl Controller {
    /// The index of the thread after `at`.
    fn following(&self, at: &Tid) -> Tid {
        let last = |size: &Input| get(size).bits(0, TID) - lit(TID, 1);
        let edge_x = at.x.eq(&last(&self.block_x)).named();
        let both = (&edge_x & &at.y.eq(&last(&self.block_y))).named();
        Tid {
            x: edge_x.mux(&zero(TID), &(&at.x + lit(TID, 1))),
            y: both.mux(&zero(TID), &(&at.y + edge_x.zext(TID))),
            z: &at.z + both.zext(TID_Z),
        }
    }

    /// Kernel start: counts through the first threads.
    pub(super) fn count_threads(&self) {
        let lanes = self._d.lanes;
        let counting = get(&self.counting);
        let count = get(&self.count);
        let at = Tid::unpack((), "tid", &get(&self.tid));
        let size = |size: &Input| get(size).bits(0, SIZE);
        let begins = count.bits(0, clog2(GROUP)).is(0);
        when(&counting, || {
            set(&self.tid, self.following(&at).pack());
            set(&self.count, &count + lit(6, 1));
            when_else(
                &count.is(lanes as u64),
                || {
                    set(&self.step, get(&self.tid));
                    set(&self.step_x_wrapped, at.x.zext(SIZE) - &size(&self.block_x));
                    set(&self.step_y_wrapped, at.y.zext(SIZE) - &size(&self.block_y));
                    set(&self.counting, zero(1));
                },
                || {
                    let from = self.first.iter().skip(1).chain([&self.tid]);
                    when(&begins, || {
                        for (first, from) in self.first.iter().zip(from) {
                            set(first, get(from));
                        }
                    });
                },
            );
        });
    }

    /// The thread index `lanes` threads on. Both candidates of x and y are added side by side;
    /// the sign of the wrapped one chooses.
    fn advanced(&self, at: &Tid, step: &Tid) -> Tid {
        let add = |at: &Ex, step: &Ex, wrapped: &Ex, carry: &Ex| {
            // The carry enters through a bit below.
            let at = cat([&at.zext(SIZE), &lit(1, 1)]);
            let sum = |step: &Ex| (&at + cat([step, carry])).bits(1, SIZE);
            let wrapped = sum(wrapped);
            let straight = sum(&step.zext(SIZE));
            let wraps = !wrapped.msb();
            (
                wraps.mux(&wrapped.bits(0, TID), &straight.bits(0, TID)),
                wraps,
            )
        };
        let (x, carry) = add(&at.x, &step.x, &get(&self.step_x_wrapped), &zero(1));
        let (y, carry) = add(&at.y, &step.y, &get(&self.step_y_wrapped), &carry);
        Tid {
            x,
            y,
            z: &at.z + &step.z + carry.zext(TID_Z),
        }
    }

    /// The row of lanes whose R0 is written: `accept` takes it to the block's first threads, a beat
    /// one step on. A block taken while the first threads are still counted waits for them.
    pub(super) fn step_threads(&self, accept: &Ex, written: &Ex) {
        let counting = get(&self.counting);
        let step = Tid::unpack((), "step", &get(&self.step));
        let firsts = [zero(Tid::width(()))].into_iter();
        let firsts = firsts.chain(get_all(&self.first));
        for (g, (own, first)) in self.group.iter().zip(firsts).enumerate() {
            let base = Tid::unpack((), &format!("group{g}"), &get(own));
            when(written, || set(own, self.advanced(&base, &step).pack()));
            when(&(accept | &counting), || set(own, &first));
            let mut at = base;
            for (k, data) in self.rf_data.iter().skip(GROUP * g).take(GROUP).enumerate() {
                if k > 0 {
                    let lane = GROUP * g + k;
                    at = Tid::unpack((), &format!("lane{lane}"), &self.following(&at).pack());
                }
                set(data, cat([&at.z, &at.y, &zero(16 - TID), &at.x]));
            }
        }
    }
}
