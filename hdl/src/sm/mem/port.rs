//! The memory port: lines requested and read.

use crate::rtl::prelude::*;

bundle! {
    /// Requests for lines, one a cycle, and the lines read in their order.
    pub struct MemoryPort(words: usize) as "mem" {
        /// A request.
        out valid(1),
        /// It is taken.
        in ready(1),
        /// Store, else load.
        out write(1),
        /// Byte address of the line.
        out address(32),
        /// Line to store.
        out wdata(32 * words),
        /// Bytes of it that are stored.
        out wmask(4 * words),
        /// A line has been read.
        in rvalid(1),
        /// The line.
        in rdata(32 * words),
    }
}
