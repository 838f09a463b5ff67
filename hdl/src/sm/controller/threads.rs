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

    /// Kernel start: the register of the first group counts through the first threads.
    fn count_threads(&self, at: &Tid, following: &Tid) {
        let own = get(&self.group[0]);
        let count = get(&self.count);
        let size = |size: &Input| get(size).bits(0, SIZE);
        set(&self.group[0], following.pack());
        set(&self.count, &count + lit(6, 1));
        let begins = count.bits(0, clog2(GROUP)).is(0);
        when_else(
            &count.is(self._d.lanes as u64),
            || {
                set(&self.step, &own);
                set(&self.step_x_wrapped, at.x.zext(SIZE) - &size(&self.block_x));
                set(&self.step_y_wrapped, at.y.zext(SIZE) - &size(&self.block_y));
                set(&self.group[0], zero(Tid::width(())));
                set(&self.counting, zero(1));
            },
            || {
                let from: Vec<Ex> = self.first.iter().skip(1).map(get).collect();
                when(&begins, || {
                    for (first, from) in self.first.iter().zip(from.iter().chain([&own])) {
                        set(first, from);
                    }
                });
            },
        );
    }

    /// The row of lanes whose R0 is written: `accept` takes it to the block's first threads, a beat
    /// one step on. A block taken while the first threads are still counted waits for them.
    pub(super) fn step_threads(&self, accept: &Ex, written: &Ex) {
        let counting = get(&self.counting);
        let step = Tid::unpack((), "step", &get(&self.step));
        let firsts = [zero(Tid::width(()))].into_iter();
        let firsts = firsts.chain(get_all(&self.first));
        for (g, (own, first)) in self.group.iter().zip(firsts).enumerate() {
            let mut at = Tid::unpack((), &format!("group{g}"), &get(own));
            when(written, || set(own, self.advanced(&at, &step).pack()));
            when(&(accept | &counting), || set(own, &first));
            for (k, data) in self.rf_data[GROUP * g..].iter().take(GROUP).enumerate() {
                set(data, cat([&at.z, &at.y, &zero(16 - TID), &at.x]));
                let following = self.following(&at).pack();
                let following = Tid::unpack((), &format!("after{}", GROUP * g + k), &following);
                if g == 0 && k == 0 {
                    when(&counting, || self.count_threads(&at, &following));
                }
                at = following;
            }
        }
        when(&get(&self.start), || {
            set(&self.group[0], zero(Tid::width(())))
        });
    }
}
