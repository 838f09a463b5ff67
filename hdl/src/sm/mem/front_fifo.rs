//! FIFO with registered output: what is read of it begins no path through a RAM.
//!
//! | port        | width | meaning                                         |
//! |-------------|-------|-------------------------------------------------|
//! | `in_valid`  | 1     | a word to enter                                 |
//! | `in_data`   | width | the word                                        |
//! | `in_ready`  | 1     | there is room; a register                       |
//! | `out_valid` | 1     | the queue holds a word; from registers only     |
//! | `out_data`  | width | the oldest word, from registers only, undefined when there is none |
//! | `out_ready` | 1     | take the oldest word                            |
//! | `amend`     | 1     | it stays, with other bits                       |
//! | `amended`   | amends | its highest bits then                          |
//!
//! Timing: a word that enters can leave in the next cycle; one in and one out a cycle. A word that
//! finds the queue empty, or about to be, goes into the register at once.
//! Reset: empty. Errors: none; entering without room and taking from an empty queue do nothing.

use super::fifo::{is_lap, within_depth};
use crate::rtl::prelude::*;

block! {
    /// See the module.
    /// It holds `depth` words, a power of two and at least 2, of `width` bits; one place of the RAM stays free.
    /// The highest `amends` bits of the oldest word can be replaced.
    pub struct FrontFifo(depth: usize, width: usize, amends: usize) {
        in in_valid(1),
        in in_data(width),
        out in_ready(1),
        out out_valid(1),
        out out_data(width),
        in out_ready(1),
        in amend(if amends > 0; 1),
        in amended(if amends > 0; amends),
        data front(width),
        reg valid(1),
        reg head(pointer),
        reg tail(pointer),
        /// There is no room: who enters asks it late.
        reg full(1),
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
        let room = wire("room", !get(&self.full));
        let queued = wire("queued", !(&same_place & &same_lap));
        let valid = get(&self.valid);
        let enter = wire("enter", &get(&self.in_valid) & &room);
        let load = wire("load", !&valid | get(&self.out_ready));
        let word = self.words.read(0, &head.bits(0, n));
        if let (Some(amend), Some(amended)) = (self.amend.get(), self.amended.get()) {
            let front = get(&self.front);
            let kept = front.bits(0, front.width() - amended.as_ref().width());
            when(&get(amend), || set(&self.front, cat([&get(amended), &kept])));
        }
        when(&load, || {
            set(&self.front, queued.mux(&word, &get(&self.in_data)));
            set(&self.valid, &queued | &enter);
        });
        let leave = wire("leave", &load & &queued);
        when(&leave, || set(&self.head, &head + &lit(n + 1, 1)));
        // Written whether or not something enters, and where a word goes past, too, into a free place: who
        // enters and who takes the front come late.
        self.words.write(&tail.bits(0, n), &get(&self.in_data), &room);
        let next = wire("next_tail", &tail + &lit(n + 1, 1));
        // The word in the register takes a place, too.
        let beyond = wire("beyond_next", &tail + &lit(n + 1, 2));
        let last = wire("last_place", is_lap(&head, &beyond));
        let stays = wire("stays", &enter & &(&queued | &!&load));
        when(&stays, || set(&self.tail, &next));
        set(&self.full, (!&room | (&stays & &last)) & !&leave);
        set(&self.in_ready, room);
        set(&self.out_valid, valid);
        set(&self.out_data, get(&self.front));
        let fewer = within_depth(&head, &tail) & !is_lap(&head, &tail);
        assertion("The words inside are fewer than there are places.", &fewer);
        let reached = is_lap(&head, &wire("behind_tail", &tail + &lit(n + 1, 1)));
        assertion("`full` says that every place is taken.", &get(&self.full).eq(&reached));
        assertion("No word is inside while the register in front is empty.", &(get(&self.valid) | head.eq(&tail)));
    }
}
rtl_block!(FrontFifo, "front_fifo");
