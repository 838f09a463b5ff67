//! Thread indices: {x, y, z} of the threads whose R0 is written next.
//!
//! Kernel start counts through the first threads, one a cycle: they give where each group of four
//! lanes begins and the step of `lanes` threads; of Ivy Bridge of as many as a warp covers, if that is less. A row of lanes is one step a beat; the lanes of a
//! group count on from its first one.
//!
//! Timing: the row stands in registers, so the groups are a step ahead of it. A block's last warp
//! takes them back to the first threads; a cycle later, when the next block may be taken, the row
//! follows. After the count of a kernel start likewise.

use super::{Controller, RowTid, Tid, GROUP, SIZE, TID, TID_Z};
use crate::rtl::prelude::*;

/// An index 0 to 3 steps on that begins again at 0 behind `last`, and how often it has by then.
struct Ahead {
    at: Vec<Expr>,
    /// Step k passed the edge.
    edge: Vec<Expr>,
}

impl Ahead {
    /// From `at`. All sums stand side by side; which of them passed an edge chooses, and that is
    /// known without the sums of the others.
    ///
    /// `before[k]` is the index k before the last.
    fn of(name: &str, at: &Expr, before: &[Expr]) -> Self {
        let last = &before[0];
        let plus: Vec<Expr> = (0..GROUP as u64).map(|k| wire(&format!("{name}_plus_{k}"), at + &lit(TID, k))).collect();
        let mut edge: Vec<Expr> = vec![];
        let mut ahead = vec![at.clone()];
        for k in 0..GROUP - 1 {
            // The latest edge before says where it is: `since` steps behind 0.
            let passes = (0..k).fold(at.eq(&before[k]), |passes, e| edge[e].mux(&last.is((k - 1 - e) as u64), &passes));
            edge.push(wire(&format!("{name}_edge_{k}"), passes));
            let next = (0..=k).fold(plus[k + 1].clone(), |next, e| edge[e].mux(&lit(TID, (k - e) as u64), &next));
            ahead.push(wire(&format!("{name}_ahead_{}", k + 1), next));
        }
        Self { at: ahead, edge }
    }

    /// How many of the first `k` steps passed the edge (2 bits).
    fn edges(&self, k: usize) -> Expr {
        let e = |i: usize| self.edge[i].clone();
        match k {
            0 => zero(2),
            1 => e(0).zext(2),
            2 => cat([&(e(0) & e(1)), &(e(0) ^ e(1))]),
            _ => cat([&((e(0) & e(1)) | (e(2) & (e(0) | e(1)))), &(e(0) ^ e(1) ^ e(2))]),
        }
    }
}

impl Controller {
    /// Thread `at` and the three after it: y moves on with the edges of x, z with those of y.
    fn following(&self, name: &str, at: &Tid) -> Vec<RowTid> {
        let x = Ahead::of(&format!("{name}_x"), &at.x, &get_all(&self.last_x));
        let y = Ahead::of(&format!("{name}_y"), &at.y, &get_all(&self.last_y));
        let rounds: Vec<Expr> = (0..GROUP).map(|k| y.edges(k)).collect();
        (0..GROUP)
            .map(|k| {
                let moved = wire(&format!("{name}_moved_{k}"), x.edges(k));
                let rounds = wire(&format!("{name}_rounds_{k}"), select(&moved, &rounds));
                RowTid { x: x.at[k].clone(), y: select(&moved, &y.at), rounds }
            })
            .collect()
    }

    /// The thread index `lanes` threads on. Both candidates of x and y are added side by side;
    /// the sign of the wrapped one chooses.
    fn advanced(&self, at: &Tid, step: &Tid) -> Tid {
        let add = |at: &Expr, step: &Expr, wrapped: &Expr, carry: &Expr| {
            // The carry enters through a bit below.
            let at = cat([&at.zext(SIZE), &lit(1, 1)]);
            let sum = |name: &str, step: &Expr| wire(name, &at + cat([step, carry])).bits(1, SIZE);
            let wrapped = sum("wrapped", wrapped);
            let straight = sum("straight", &step.zext(SIZE));
            let wraps = !wrapped.msb();
            (wraps.mux(&wrapped.bits(0, TID), &straight.bits(0, TID)), wraps)
        };
        let (x, carry) = add(&at.x, &step.x, &get(&self.step_x_wrapped), &zero(1));
        let (y, carry) = add(&at.y, &step.y, &get(&self.step_y_wrapped), &carry);
        Tid { x, y, z: &at.z + &step.z + carry.zext(TID_Z) }
    }

    /// Kernel start: the register of the first group takes thread 1, the count goes on from there.
    pub(super) fn begin_counting(&self) {
        let one = |size: &Input| get(size).bits(0, TID).is(1);
        let (flat, thin) = (one(&self.block_x), one(&self.block_y));
        let first = Tid { x: (!&flat).zext(TID), y: (&flat & !&thin).zext(TID), z: (&flat & &thin).zext(TID_Z) };
        set(&self.group[0], first.pack());
        set(&self.count, lit(6, 1));
        set(&self.counting, lit(1, 1));
        set(&self.primed, zero(1));
    }

    /// The register of the first group counts through the first threads.
    fn count_threads(&self, at: &Tid, following: &RowTid) {
        let own = get(&self.group[0]);
        let count = get(&self.count);
        let size = |size: &Input| get(size).bits(0, SIZE);
        let next = Tid { x: following.x.clone(), y: following.y.clone(), z: &at.z + following.rounds.zext(TID_Z) };
        set(&self.group[0], next.pack());
        set(&self.count, &count + lit(6, 1));
        let begins = count.bits(0, clog2(GROUP)).is(0);
        let stepped = || {
            set(&self.step, &own);
            set(&self.step_x_wrapped, at.x.zext(SIZE) - &size(&self.block_x));
            set(&self.step_y_wrapped, at.y.zext(SIZE) - &size(&self.block_y));
        };
        let row = self.row.len() as u64;
        let in_steps_of_8 = self.steps_of_8();
        if let Some(eight) = &in_steps_of_8 {
            when(&(count.is(row) & !eight | count.is(row / 2) & eight), stepped);
        }
        when_else(
            &count.is(row),
            || {
                if in_steps_of_8.is_none() {
                    stepped();
                }
                set(&self.group[0], zero(Tid::width(())));
                set(&self.counting, zero(1));
            },
            || {
                let from: Vec<Expr> = self.first.iter().skip(1).map(get).collect();
                when(&begins, || {
                    for (first, from) in self.first.iter().zip(from.iter().chain([&own])) {
                        set(first, from);
                    }
                });
            },
        );
    }

    /// The row of lanes whose R0 is written: `again` takes the groups to a block's first threads, a
    /// beat is one step. A block taken while the first threads are still counted waits for them.
    pub(super) fn step_threads(&self, again: &Expr, written: &Expr) {
        for (last, size) in [(&self.last_x, &self.block_x), (&self.last_y, &self.block_y)] {
            for (k, last) in last.iter().enumerate() {
                set(last, get(size).bits(0, TID) - lit(TID, k as u64 + 1));
            }
        }
        let counting = get(&self.counting);
        let primes = wire("primes", !(&counting | &get(&self.primed)));
        let moves = wire("row_moves", written | &primes);
        when(&primes, || set(&self.primed, lit(1, 1)));
        when(again, || set(&self.primed, zero(1)));
        let back = wire("groups_back", again | &counting);
        let step = Tid::unpack((), "step", &get(&self.step));
        let firsts = [zero(Tid::width(()))].into_iter();
        let firsts = firsts.chain(get_all(&self.first));
        for (g, (own, first)) in self.group.iter().zip(firsts).enumerate() {
            let at = Tid::unpack((), &format!("group{g}"), &get(own));
            let following = self.following(&format!("group{g}"), &at);
            when(&moves, || {
                set(own, self.advanced(&at, &step).pack());
                for (row, tid) in self.row[GROUP * g..].iter().zip(&following) {
                    set(row, tid.pack());
                }
                set(&self.row_z[g], &at.z);
            });
            when(&back, || set(own, &first));
            if g == 0 {
                when(&counting, || self.count_threads(&at, &following[1]));
            }
        }
        if self._d.has.channels {
            return self.channel_data();
        }
        for (i, (data, row)) in self.rf_data.iter().zip(&self.row).enumerate() {
            let at = RowTid::unpack((), &format!("row{i}"), &get(row));
            let z = get(&self.row_z[i / GROUP]) + at.rounds.zext(TID_Z);
            match self.second.get() {
                None => set(data, cat([&z, &at.y, &zero(16 - TID), &at.x])),
                Some(second) => {
                    let first = cat([&at.y.zext(16), &at.x.zext(16)]);
                    let more = cat([&get(&self.index).zext(16), &z.zext(16)]);
                    let index = get(second).mux(&more, &first);
                    set(data, &index & &self.at_index().repeat(32));
                }
            }
        }
    }
}
