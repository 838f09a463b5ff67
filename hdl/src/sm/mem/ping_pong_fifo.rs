//! FIFO that ends in two registers which take turns: who takes a word moves no other word.
//!
//! | port        | width | meaning                                         |
//! |-------------|-------|-------------------------------------------------|
//! | `in_valid`  | 1     | a word to enter                                 |
//! | `in_data`   | width | the word                                        |
//! | `in_ready`  | 1     | there is room; a register                       |
//! | `out_valid` | 1     | the queue holds a word; from registers only     |
//! | `out_data`  | width | the oldest word, from registers only, undefined when there is none |
//! | `out_ready` | 1     | take the oldest word; may come late             |
//!
//! Timing: a word that enters can leave in the next cycle; one in and one out a cycle. A register that is
//!   empty in a cycle is filled in it, of the queue, or of what enters where that is empty.
//! Reset: empty. Errors: none; entering without room and taking from an empty queue do nothing.

use super::fifo::{is_lap, within_depth};
use crate::rtl::prelude::*;

block! {
    /// See the module.
    /// It holds `depth` words, a power of two and at least 2, of `width` bits, and two more.
    pub struct PingPongFifo(depth: usize, width: usize) {
        in in_valid(1),
        in in_data(width),
        out in_ready(1),
        out out_valid(1),
        out out_data(width),
        in out_ready(1),
        /// The two registers; which is the older one, and which is filled next.
        data front([2] width),
        reg valid([2] 1),
        reg oldest(1),
        reg next(1),
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

impl Rtl for PingPongFifo {
    fn rtl(&self) {
        // Pointers carry one bit more than an address: it tells full from empty.
        let (head, tail) = (get(&self.head), get(&self.tail));
        let n = head.width() - 1;
        let room = wire("room", !get(&self.full));
        let queued = wire("queued", head.ne(&tail));
        let enter = wire("enter", &get(&self.in_valid) & &room);
        let valid = get_all(&self.valid);
        let (oldest, next) = (get(&self.oldest), get(&self.next));
        let there = wire("there", oldest.mux(&valid[1], &valid[0]));
        let takes = wire("takes", &there & &get(&self.out_ready));
        let empty = wire("empty", !next.mux(&valid[1], &valid[0]));
        let fills = wire("fills", &empty & &(&queued | &enter));
        let word = queued.mux(&self.words.read(0, &head.bits(0, n)), &get(&self.in_data));
        let word = wire("word", word);
        for (i, (front, valid)) in self.front.iter().zip(&self.valid).enumerate() {
            let [is_next, is_oldest] = [&next, &oldest].map(|r| if i == 0 { !r } else { r.clone() });
            // Whether or not a word comes: it is not valid then.
            when(&(&is_next & &empty), || set(front, &word));
            set(valid, (&fills & &is_next) | (get(valid) & !(&takes & &is_oldest)));
        }
        set(&self.next, &next ^ &fills);
        set(&self.oldest, &oldest ^ &takes);
        let leave = wire("leave", &empty & &queued);
        when(&leave, || set(&self.head, &head + &lit(n + 1, 1)));
        let after = wire("next_tail", &tail + &lit(n + 1, 1));
        let last = wire("last_place", is_lap(&head, &after));
        let stays = wire("stays", &enter & &(&queued | &!&empty));
        when(&stays, || set(&self.tail, &after));
        set(&self.full, (!&room | (&stays & &last)) & !&leave);
        // Whether something enters comes late and is not asked: what does not leaves a free place as it is.
        self.words.write(&tail.bits(0, n), &get(&self.in_data), &room);
        set(&self.in_ready, room);
        set(&self.out_valid, there);
        set(&self.out_data, oldest.mux(&get(&self.front[1]), &get(&self.front[0])));
        assertion("The words inside are as many as there are places, or fewer.", &within_depth(&head, &tail));
        assertion("`full` says that every place is taken.", &get(&self.full).eq(&is_lap(&head, &tail)));
        let both = &valid[0] & &valid[1];
        let turns = oldest.eq(&next).eq(&(both | !any_of(&valid)));
        assertion("The registers take turns.", &turns);
        let in_turn = oldest.mux(&(&valid[1] | &!&valid[0]), &(&valid[0] | &!&valid[1]));
        assertion("The oldest word is there while another is.", &in_turn);
        assertion("No word is inside while both registers are empty.", &(any_of(&valid) | head.eq(&tail)));
    }
}

rtl_block!(PingPongFifo, "ping_pong_fifo");
