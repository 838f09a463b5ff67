//! FIFO with registered output: what is read of it begins no path through a RAM.
//!
//! | port        | width | meaning                                         |
//! |-------------|-------|-------------------------------------------------|
//! | `in_valid`  | 1     | a word to enter                                 |
//! | `in_data`   | width | the word                                        |
//! | `in_ready`  | 1     | there is room; from registers only              |
//! | `out_valid` | 1     | the queue holds a word; from registers only     |
//! | `out_data`  | width | the oldest word, from registers only, undefined when there is none |
//! | `out_ready` | 1     | take the oldest word                            |
//!
//! Timing: a word that enters can leave in the next cycle; one in and one out a cycle. A word that
//! finds the queue empty, or about to be, goes into the register at once.
//! Reset: empty. Errors: none; entering without room and taking from an empty queue do nothing.

use super::fifo::within_depth;
use crate::rtl::prelude::*;

block! {
    /// See the module.
    /// It holds `depth` words, a power of two and at least 2, of `width` bits, and one more.
    pub struct FrontFifo(depth: usize, width: usize) {
        in in_valid(1),
        in in_data(width),
        out in_ready(1),
        out out_valid(1),
        out out_data(width),
        in out_ready(1),
        data front(width),
        reg valid(1),
        reg head(pointer),
        reg tail(pointer),
        part words(Ram: RamKind::Lut, depth, width, 1),
    } where {
        assert!(
            depth >= 2 && depth.is_power_of_two(),
            "the depth of a queue is a power of two"
        );
        let pointer = clog2(depth) + 1;
    }
}

impl Rtl for FrontFifo {
    fn rtl(&self) {
        // Pointers carry one bit more than an address: it tells full from empty.
        let (head, tail) = (get(&self.head), get(&self.tail));
        let n = head.width() - 1;
        let same_place = wire("same_place", head.bits(0, n).eq(&tail.bits(0, n)));
        let same_lap = head.msb().eq(&tail.msb());
        let room = wire("room", !(&same_place & &!&same_lap));
        let queued = wire("queued", !(&same_place & &same_lap));
        let valid = get(&self.valid);
        let enter = wire("enter", &get(&self.in_valid) & &room);
        let load = wire("load", !&valid | get(&self.out_ready));
        let word = self.words.read(0, &head.bits(0, n));
        when(&load, || {
            set(&self.front, queued.mux(&word, &get(&self.in_data)));
            set(&self.valid, &queued | &enter);
        });
        when(&(&load & &queued), || set(&self.head, &head + &lit(n + 1, 1)));
        // A word that goes past is written all the same, into a free place: who takes the front comes
        // late.
        self.words.write(&tail.bits(0, n), &get(&self.in_data), &enter);
        when(&(&enter & &(&queued | &!&load)), || set(&self.tail, &tail + &lit(n + 1, 1)));
        set(&self.in_ready, room);
        set(&self.out_valid, valid);
        set(&self.out_data, get(&self.front));
        assertion("The words inside are as many as there are places, or fewer.", &within_depth(&head, &tail));
        assertion("No word is inside while the register in front is empty.", &(get(&self.valid) | head.eq(&tail)));
    }
}
rtl_block!(FrontFifo, "front_fifo");
