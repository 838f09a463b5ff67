//! FIFO in distributed RAM: words leave in the order they entered.
//!
//! | port        | width | meaning                                         |
//! |-------------|-------|-------------------------------------------------|
//! | `in_valid`  | 1     | a word to enter                                 |
//! | `in_data`   | width | the word                                        |
//! | `in_ready`  | 1     | there is room; a register                       |
//! | `out_valid` | 1     | the queue holds a word; from registers only     |
//! | `out_data`  | width | the oldest word, undefined when there is none   |
//! | `out_ready` | 1     | take the oldest word                            |
//!
//! Timing: a word that enters can leave in the next cycle; one in and one out a cycle.
//! Reset: empty. Errors: none; entering without room and taking from an empty queue do nothing.

use crate::rtl::prelude::*;

block! {
    /// See the module.
    /// It holds `depth` words, a power of two and at least 2, of `width` bits.
    pub struct Fifo(depth: usize, width: usize) {
        in in_valid(1),
        in in_data(width),
        out in_ready(1),
        out out_valid(1),
        out out_data(width),
        in out_ready(1),
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

impl Rtl for Fifo {
    fn rtl(&self) {
        // Pointers carry one bit more than an address: it tells full from empty.
        let (head, tail) = (get(&self.head), get(&self.tail));
        let n = head.width() - 1;
        let same_place = wire("same_place", head.bits(0, n).eq(&tail.bits(0, n)));
        let same_lap = head.msb().eq(&tail.msb());
        let room = wire("room", !get(&self.full));
        let some = wire("some", !(&same_place & &same_lap));
        let enter = wire("enter", &get(&self.in_valid) & &room);
        let leave = &get(&self.out_ready) & &some;
        let next = wire("next_tail", &tail + &lit(n + 1, 1));
        let last = wire("last_place", is_lap(&head, &next));
        set(&self.full, (!&room | (&enter & &last)) & !&leave);
        when(&enter, || set(&self.tail, &next));
        when(&leave, || set(&self.head, &head + &lit(n + 1, 1)));
        // Whether something enters comes late and is not asked: what does not leaves a free place as it is.
        self.words.write(&tail.bits(0, n), &get(&self.in_data), &room);
        set(&self.out_data, self.words.read(0, &head.bits(0, n)));
        set(&self.in_ready, room);
        set(&self.out_valid, some);
        assertion("The words inside are as many as there are places, or fewer.", &within_depth(&head, &tail));
        assertion("`full` says that every place is taken.", &get(&self.full).eq(&is_lap(&head, &tail)));
    }
}

/// Whether the words between two pointers are as many as there are places, or fewer; 1 bit. The first bit of a pointer
/// is its lap.
pub fn within_depth(head: &Expr, tail: &Expr) -> Expr {
    let n = head.width() - 1;
    let (from, to) = (head.bits(0, n), tail.bits(0, n));
    head.msb().eq(&tail.msb()).mux(&from.le(&to), &to.le(&from))
}

/// Whether `tail` is a whole lap ahead of `head`: every place is taken; 1 bit.
pub fn is_lap(head: &Expr, tail: &Expr) -> Expr {
    let n = head.width() - 1;
    head.bits(0, n).eq(&tail.bits(0, n)) & head.msb().ne(&tail.msb())
}

rtl_block!(Fifo, "fifo");
