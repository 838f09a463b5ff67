//! What a warp of Ivy Bridge finds: r0 its block and number, r1 to r3 the indices of its threads, the parameters.
//!
//! r0.1 and r0.6 are ctaid.x and .y, r0.2 is the number of the warp in the block, the other dwords 0. r1, r2 and r3
//! hold tid.x, .y and .z of a channel in a word each; a warp that covers 8 threads has 0 in words 8 to 15. Indices go on
//! behind the last thread of a block. Parameter n is dword n from r4.0 on. No other register is written.
//!
//! The launch value `registers` is the number of threads that a warp covers, 8 or 16. A warp has 128 registers of 8
//! dwords, and an entry of `rf_addr` and `warp_start_regbase` is one of them. In shared memory a block finds its header
//! alone.
//!
//! Timing: one register is written a cycle, in lanes 0 to 7, and the warp begins in the next one. 8 lanes have the
//! indices of 8 threads: a warp of 16 writes r1 to r3 twice, a half each time.
//! Errors: a launch value beside 8 and 16, and more parameters than there is memory for, the host refuses.

use super::{Controller, RowTid, BEGIN, GROUP, TID_Z};
use crate::rtl::prelude::*;
use crate::sm::control::ivb::DWORDS;

/// Registers of the indices of threads are those from 1 to this one; parameters begin behind it.
const INDICES: u64 = 3;

impl Controller {
    /// A warp covers 16 threads, and not 8.
    fn wide(&self) -> Expr {
        get(&self.registers).bit(4)
    }

    /// A step is 8 threads and not the whole row, which is longer.
    pub(super) fn steps_of_8(&self) -> Option<Expr> {
        let longer = self._d.has.channels && self.row.len() > DWORDS;
        longer.then(|| !self.wide())
    }

    /// Warps of a block, 9 bits.
    pub(super) fn channel_warps(&self) -> Expr {
        let (threads, wide) = (get(&self.block_threads).zext(12), self.wide());
        let sixteens = (&threads + lit(12, 15)).bits(4, 8).zext(9);
        wide.mux(&sixteens, &(threads + lit(12, 7)).bits(3, 9))
    }

    /// Threads of the warp that begins next, 32 bits.
    pub(super) fn channels(&self, remaining: &Expr) -> Vec<Expr> {
        let (d, wide) = (&self._d, self.wide());
        // Whole warps less, the threads of the last one stay as many.
        let left_over = wire("left_over", get(&self.block_threads).bits(0, 4) & cat([&wide, &ones(3)]));
        let partial: Vec<Expr> = (0..d.threads as u64 - 1).map(|t| left_over.gt(&lit(4, t))).collect();
        set(&self.partial, pack(partial.iter()));
        let full = wide.mux(&remaining.bits(4, 7).any(), &remaining.bits(3, 8).any()).called("full");
        let upper = &full & &wide;
        let partial = get(&self.partial).each_bit();
        let there = (0..d.threads).map(|c| {
            let full = if c < DWORDS { &full } else { &upper };
            partial.get(c).map_or(full.clone(), |p| full | p)
        });
        there.chain(std::iter::repeat_with(|| zero(1))).take(self.warp_start_mask.as_ref().width()).collect()
    }

    /// Writes the registers of a warp in their order; then it may begin. Returns "the indices of a row are written".
    pub(super) fn fill_channels(&self, filling: &Expr) -> Expr {
        let d = &self._d;
        let Some(fill) = self.fill.get() else {
            return zero(1);
        };
        let (number, wide) = (get(fill), self.wide());
        let bits = number.width();
        let base = get(&self.register);
        // A warp's registers begin at a multiple of 128.
        set(&self.rf_addr, &base | &number.zext(d.entry));

        // Parameters in the register: all, or in the last one as many as are left.
        let count = get(&self.param_count);
        let of_params = number.bits(2, bits - 2).any().called("of_params");
        let row = &number - &lit(bits, INDICES + 1);
        let whole = row.lt(&count.bits(3, 4)).called("whole");
        let inside = |j: u64| match j + 1 {
            8 => whole.clone(),
            _ => &whole | &count.bits(0, 3).gt(&lit(3, j)),
        };
        let params = (0..DWORDS as u64).map(inside);
        let params = pack(params.collect::<Vec<_>>().iter());
        let at_indices = wire("at_indices", number.bits(0, 2).any() & !&of_params);
        let halves = d.beats > 1;
        let beat = get(&self.beat);
        let of_half = match halves {
            true => {
                let half = beat.mux(&lit(DWORDS, 0xf0), &lit(DWORDS, 0x0f));
                half | (!(&at_indices & &wide)).repeat(DWORDS)
            }
            false => ones(DWORDS),
        };
        set(&self.rf_mask, of_params.mux(&params, &of_half).zext(d.lanes));

        let goes = wire("fills", filling & get(&self.rf_ready));
        let written = wire("written", &goes & &at_indices & number.bits(0, 2).is(INDICES));
        let again = match halves {
            true => wire("again", &written & &wide & !&beat),
            false => zero(1),
        };
        let registers = (&count + lit(7, 7)).bits(3, 4);
        let last = wire("last_register", registers + lit(4, INDICES));
        let filled = wire("filled", &goes & number.eq(&last) & !&again);
        when(&goes, || set(fill, &number + lit(bits, 1)));
        if halves {
            when(&again, || {
                set(fill, lit(bits, 1));
                set(&self.beat, lit(1, 1));
            });
        }
        when(&filled, || {
            set(fill, zero(bits));
            set(&self.beat, zero(d.beat));
            self.goto(BEGIN);
        });
        written
    }

    /// The dwords of the register that is written next.
    pub(super) fn channel_data(&self) {
        let Some(fill) = self.fill.get() else {
            return;
        };
        let (number, wide) = (get(fill), self.wide());
        let (address, data) = (get(&self.param_address), get(&self.param_data));
        let enable = address.bits(0, 3).one_hot(DWORDS) & get(&self.param_we).repeat(DWORDS);
        self.params.write(&address.bits(3, 3), &data.repeat(DWORDS), &enable);
        let at = number.bits(0, 3) ^ lit(3, INDICES + 1);
        let params = wire("params_here", self.params.read(0, &at)).each_word(32);
        let of_params = number.bits(2, number.width() - 2).any();

        let index = |(i, row): (usize, Expr)| {
            let at = RowTid::unpack((), &format!("row{i}"), &row);
            let z = get(&self.row_z[i / GROUP]) + at.rounds.zext(TID_Z);
            [at.x, at.y, z].map(|i| i.zext(16))
        };
        let threads: Vec<[Expr; 3]> = get_all(&self.row).into_iter().enumerate().map(index).collect();
        let place = [(1, get(&self.x)), (2, get(&self.index)), (6, get(&self.y))];
        for (j, to) in self.rf_data.iter().enumerate() {
            let Some(param) = params.get(j) else {
                set(to, zero(32));
                continue;
            };
            let of_place = place.iter().find(|p| p.0 == j);
            let of_place = of_place.map_or(zero(32), |p| p.1.zext(32));
            // On 8 lanes the upper half of a register has the threads of the lower one, a step later.
            let first = 2 * j % threads.len();
            let pair = |axis: usize| cat([&threads[first + 1][axis], &threads[first][axis]]);
            let there = if j < DWORDS / 2 { ones(32) } else { wide.repeat(32) };
            let indices = [0, 1, 2].map(|axis| pair(axis) & &there);
            let own = select(&number.bits(0, 2), &[&[of_place][..], &indices[..]].concat());
            set(to, of_params.mux(param, &own));
        }
    }
}
