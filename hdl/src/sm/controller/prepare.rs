//! What a block finds when its warps begin: header and parameters in shared memory, R0.
//!
//! Of another set than SM 1.0 every register is 0 but for the last two: tid.x | tid.y << 16 and tid.z |
//! number of the warp in the block << 16. Of Ivy Bridge see `channels`.

use super::{Controller, BEGIN, FILL, HEADER, READY};
use crate::config::WARP;
use crate::rtl::prelude::*;

impl Controller {
    /// Header and parameters, beside them R0 of every thread; the warps' start after both.
    /// Returns "R0 of a row of lanes is written" and "the last warp of the block begins".
    pub(super) fn prepare(&self) -> (Expr, Expr) {
        let d = &self._d;
        let (word, remaining) = (get(&self.word), get(&self.remaining));
        let (x, y, register) = (get(&self.x), get(&self.y), get(&self.register));

        let initing = get(&self.initing);
        let param = match d.has.channels {
            true => None,
            false => {
                let param = self.params.read(0, &(word.bits(0, 6) - &lit(6, HEADER)));
                self.params.write(&get(&self.param_address), &get(&self.param_data), &get(&self.param_we));
                Some(param)
            }
        };
        let header = [
            cat([&get(&self.block_x), &zero(16)]),
            cat([&get(&self.block_z), &get(&self.block_y)]),
            cat([&get(&self.grid_y), &get(&self.grid_x)]),
            cat([&y, &x]),
        ];
        let in_header = word.bits(2, 5).is(0);
        let (preparing, at) = self.free_locks(&initing, get(&self.word_at));
        set(&self.init.valid, &preparing);
        set(&self.init.addr, at);
        let of_header = select(&word.bits(0, 2), &header);
        set(&self.init.data, param.as_ref().map_or(of_header.clone(), |param| in_header.mux(&of_header, param)));
        when(&(&initing & &get(&self.init.ready)), || {
            set(&self.word, &word + lit(7, 1));
            set(&self.word_at, get(&self.word_at) + lit(d.shared, 4));
            let last = match param {
                Some(_) => get(&self.param_count) + lit(7, HEADER - 1),
                None => lit(7, HEADER - 1),
            };
            when(&word.eq(&last), || set(&self.initing, zero(1)));
        });

        let (threads, size) = match d.has.channels {
            true => (self.channels(&remaining), get(&self.registers).zext(11)),
            false => (self.threads(&remaining), lit(11, WARP as u64)),
        };
        let mask = wire("warp_mask", pack(threads.iter()));
        let filling = wire("filling", get(&self.state).is(FILL) & get(&self.primed));
        set(&self.rf_valid, &filling);
        let written = match d.has.channels {
            true => self.fill_channels(&filling),
            false => self.fill_threads(&filling, &mask),
        };

        let may = !preparing & get(&self.warp_start_ready);
        let beginning = wire("beginning", get(&self.state).is(BEGIN) & may);
        let more = wire("more_warps", remaining.gt(&size));
        when(&beginning, || {
            set(&self.warp, get(&self.warp) + lit(d.warp, 1));
            set(&self.index, get(&self.index) + lit(d.warp, 1));
            set(&self.register, &register + &self.warp_entries(d.entry));
            set(&self.remaining, &remaining - &size);
            set(&self.state, more.mux(&lit(2, FILL), &lit(2, READY)));
        });
        set(&self.warp_start_valid, &beginning & &!get(&self.halt));
        set(&self.warp_start, get(&self.warp));
        set(&self.warp_start_mask, mask);
        set(&self.warp_start_block, get(&self.block));
        set(&self.warp_start_index, get(&self.index));
        set(&self.warp_start_x, x);
        set(&self.warp_start_y, y);
        set(&self.warp_start_regbase, register);
        set(&self.warp_start_sharedbase, get(&self.shared));
        (written, beginning & !more)
    }

    /// A block is taken whose shared memory begins at `shared`: its locks are to be freed.
    pub(super) fn begin_to_free(&self, shared: &Expr) {
        let (Some(freeing), Some(at), Some(left)) = (self.freeing.get(), self.free_at.get(), self.free_left.get())
        else {
            return;
        };
        set(freeing, lit(1, 1));
        set(at, shared);
        let words = cat([&get(&self.rounded), &zero(2)]);
        let width = words.width();
        set(left, words.bits(self._freed, width - self._freed).zext(width));
    }

    /// Behind the words of a block its locks are freed. Whether something is left to do, and its byte address.
    fn free_locks(&self, initing: &Expr, word_at: Expr) -> (Expr, Expr) {
        let (Some(freeing), Some(free_at), Some(left)) = (self.freeing.get(), self.free_at.get(), self.free_left.get())
        else {
            return (initing.clone(), word_at);
        };
        let at = get(free_at);
        let frees = wire("frees", get(freeing) & !initing);
        if let Some(to) = self.init.frees.get() {
            set(to, &frees);
        }
        when(&(&frees & &get(&self.init.ready)), || {
            set(free_at, &at + lit(at.width(), 4 << self._freed));
            let now = get(left);
            set(left, &now - &lit(now.width(), 1));
            when(&now.is(1), || set(freeing, zero(1)));
        });
        (wire("preparing", initing | get(freeing)), frees.mux(&at, &word_at))
    }

    /// Threads of the warp that begins next, a bit each.
    fn threads(&self, remaining: &Expr) -> Vec<Expr> {
        // Whole warps less, the threads of the last one stay as many.
        let left_over = get(&self.block_threads).bits(0, 5);
        let partial = (0..WARP as u64 - 1).map(|t| left_over.gt(&lit(5, t)));
        let partial: Vec<Expr> = partial.collect();
        set(&self.partial, pack(partial.iter()));
        let full = remaining.bits(5, 6).any();
        let partial = get(&self.partial).each_bit();
        let threads: Vec<Expr> = partial.iter().map(|t| &full | t).collect();
        threads.into_iter().chain([full]).collect()
    }

    /// R0 of the threads of `mask`, or all registers of them, beat by beat; then the warp may begin. Returns "the index
    /// of a row of lanes is written".
    fn fill_threads(&self, filling: &Expr, mask: &Expr) -> Expr {
        let d = &self._d;
        let (register, beat) = (get(&self.register), get(&self.beat));
        // A warp's registers begin at a multiple of the beats.
        let of_beat = match d.beats > 1 {
            true => &register | &beat.zext(d.entry),
            false => register,
        };
        let filled = match d.has.exchange {
            // Threads read registers of those that do not exist: 0.
            true => ones(d.lanes),
            false => select(&beat, &mask.each_word(d.lanes)),
        };
        set(&self.rf_mask, filled);
        let written = match self.fill.get() {
            Some(_) => self.fill_registers(filling, &of_beat),
            None => {
                set(&self.rf_addr, of_beat);
                filling & &get(&self.rf_ready)
            }
        };
        let written = wire("written", written);
        when(&written, || {
            if d.beats > 1 {
                set(&self.beat, &beat + lit(d.beat, 1));
                when(&beat.all(), || self.goto(BEGIN));
            } else {
                self.goto(BEGIN);
            }
        });
        written
    }

    /// The register that is written next is the first of a thread's index; all before it become 0.
    pub(super) fn at_index(&self) -> Expr {
        match self.fill.get() {
            Some(fill) => get(fill).eq(&(get(&self.registers) - lit(8, 2))),
            None => lit(1, 1),
        }
    }

    /// All registers of a warp that starts: zeros, beat by beat; then both words of the index of each row of
    /// lanes. `of_beat`: entry of the warp's first register in this beat. Returns "the index of a row is written".
    fn fill_registers(&self, filling: &Expr, of_beat: &Expr) -> Expr {
        let d = &self._d;
        let (Some(fill), Some(second)) = (self.fill.get(), self.second.get()) else {
            return zero(1);
        };
        if let Some(warp) = self.rf_warp.get() {
            set(warp, get(&self.warp));
        }
        let (number, upper, beat) = (get(fill), get(second), get(&self.beat));
        let entries = cat([&(&number + &upper.zext(8)), &zero(d.beats.trailing_zeros() as usize + 1)]);
        let entries = entries.bits(1, entries.width() - 1).resize(d.entry);
        set(&self.rf_addr, of_beat + &entries);
        let goes = wire("fills", filling & get(&self.rf_ready));
        let index = wire("at_index", self.at_index());
        let zeros = wire("fills_zero", &goes & &!&index);
        let last_beat = match d.beats {
            1 => lit(1, 1),
            _ => beat.all(),
        };
        when(&zeros, || {
            if d.beats > 1 {
                set(&self.beat, &beat + lit(d.beat, 1));
            }
            when(&last_beat, || set(fill, &number + lit(8, 1)));
        });
        let indexed = wire("fills_index", &goes & &index);
        when(&indexed, || set(second, !&upper));
        let written = indexed & upper;
        // The next warp begins at its first register.
        when(&(&written & &last_beat), || set(fill, zero(8)));
        written
    }
}
