//! Queue in distributed RAM: words leave in the order they entered.
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

/// See the module.
#[derive(LogicBlock)]
pub struct Fifo {
    pub in_valid: Input,
    pub in_data: Input,
    pub in_ready: Output,
    pub out_valid: Output,
    pub out_data: Output,
    pub out_ready: Input,
    head: Reg,
    tail: Reg,
    /// There is no room: who enters asks it late.
    full: Reg,
    words: Ram,
}

impl Fifo {
    /// A queue of `depth` words (a power of two, at least 2) of `width` bits.
    pub fn new(depth: usize, width: usize) -> Self {
        assert!(
            depth >= 2 && depth.is_power_of_two(),
            "the depth of a queue is a power of two"
        );
        let pointer = clog2(depth) + 1;
        Self {
            in_valid: Input::new(1),
            in_data: Input::new(width),
            in_ready: Output::new(1),
            out_valid: Output::new(1),
            out_data: Output::new(width),
            out_ready: Input::new(1),
            head: Reg::new(pointer),
            tail: Reg::new(pointer),
            full: Reg::new(1),
            words: Ram::new(RamKind::Lut, depth, width, 1),
        }
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
        let last = &next.bits(0, n).eq(&head.bits(0, n)) & &next.msb().ne(&head.msb());
        let last = wire("last_place", last);
        set(&self.full, (!&room | (&enter & &last)) & !&leave);
        when(&enter, || set(&self.tail, &next));
        when(&leave, || set(&self.head, &head + &lit(n + 1, 1)));
        self.words
            .write(&tail.bits(0, n), &get(&self.in_data), &enter);
        set(&self.out_data, self.words.read(0, &head.bits(0, n)));
        set(&self.in_ready, room);
        set(&self.out_valid, some);
    }
}
rtl_block!(Fifo, "fifo");
