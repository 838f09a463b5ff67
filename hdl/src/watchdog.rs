//! Watchdog: says when a kernel has made no progress for too long.
//!
//! | port      | width | meaning                                                      |
//! |-----------|-------|--------------------------------------------------------------|
//! | `running` | 1     | a kernel runs                                                |
//! | `retired` | 1     | an instruction retires in this cycle                         |
//! | `expired` | 1     | one cycle: N cycles of a kernel have passed without any      |
//!
//! The block scheduler makes it trap 15; when it expires once more without an end, the grid is over as it is.
//! N is the key `watchdog` of the configuration. It is longer than any wait of a program that is right: for memory, for
//! an SM that has the port to itself.
//!
//! Timing: `expired` comes N cycles after the last retirement, and again every N cycles while there is none. Reset: a
//! count of 0. Errors: none.
//! Source: ours; FlexGripPlus waits for ever.

use crate::rtl::prelude::*;

block! {
    /// See the module.
    pub struct Watchdog(cycles: usize) {
        in running(1),
        in retired(1),
        out expired(1),
        reg count(clog2(cycles)),
        keep _cycles(usize = cycles),
    }
}

impl Rtl for Watchdog {
    fn rtl(&self) {
        let count = get(&self.count);
        let waits = wire("waits", get(&self.running) & !get(&self.retired));
        let last = wire("last", count.is(self._cycles as u64 - 1));
        set(&self.expired, &waits & &last);
        set(&self.count, (&waits & !&last).mux(&(&count + lit(count.width(), 1)), &zero(count.width())));
    }
}

rtl_block!(Watchdog, "watchdog");
