//! What a kernel printed, read from the memory that it left.

mod format;

use crate::launch::{ConstantSection, Launch};
use crate::memory::GlobalMemory;
use format::{Argument, Text};
use warpsmith_isa::print::{BUFFER, BYTES, CONSTANT, HEAD, REGION_BYTES, REGION_HEAD};

/// Bytes of one string at most: what is longer has no end.
const MOST: u32 = 1 << 16;

/// What a launch printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// The text.
    pub text: String,
    /// Some of it was left out, because there was no room in the buffer.
    pub cut: bool,
}

impl Printed {
    /// Whether the kernel of a launch can print.
    pub fn is_possible(launch: &Launch) -> bool {
        buffer(launch).is_some()
    }

    /// What the kernel of a launch printed, from global memory as it left it; nothing where it cannot print.
    ///
    /// Threads come warp by warp where the chip has no atomic accesses, else in the order in which they printed. What
    /// one thread printed is in its order.
    pub fn of(launch: &Launch, memory: &GlobalMemory) -> Printed {
        let Some(at) = buffer(launch) else { return Printed::default() };
        // Never written: zeros.
        let region = memory.word(at).min(REGION_BYTES);
        let mut printed = Printed { text: String::new(), cut: memory.word(at + 4) != 0 };
        if region <= REGION_HEAD {
            return printed;
        }
        let strings = Strings { launch, memory };
        for first in (0..REGION_BYTES).step_by(region as usize) {
            // The last one may be cut off where a kernel has written another size.
            let room = region.min(REGION_BYTES - first);
            if room > REGION_HEAD {
                let start = at + HEAD + first;
                let bytes = memory.word(start).min(room - REGION_HEAD);
                strings.records(start + REGION_HEAD, bytes, &mut printed.text);
            }
        }
        printed
    }
}

/// Address of the buffer, all of which is there: a launch file may give its name to less.
fn buffer(launch: &Launch) -> Option<u32> {
    launch.buffers.iter().find(|b| b.name == BUFFER && b.bytes >= u64::from(BYTES)).map(|b| b.address)
}

/// Memories that hold formats and strings.
struct Strings<'a> {
    launch: &'a Launch,
    memory: &'a GlobalMemory,
}

impl Strings<'_> {
    /// The texts of all records in a range of bytes.
    fn records(&self, start: u32, bytes: u32, out: &mut String) {
        let mut at = 0;
        // What is no record was taken by a thread that found no room.
        while at + 8 <= bytes {
            let head = self.memory.word(start + at);
            let (length, constant) = (head & !CONSTANT, head & CONSTANT != 0);
            if length < 8 || length > bytes - at || length % 4 != 0 {
                return;
            }
            let format = self.string(self.memory.word(start + at + 4), constant);
            let arguments = self.arguments(start + at + 8, length - 8);
            out.push_str(&format::text(&format, &arguments, &|address| self.string(address, constant)));
            at += length;
        }
    }

    fn arguments(&self, start: u32, bytes: u32) -> Vec<Argument> {
        let mut list = Vec::new();
        let mut at = 0;
        while at + 4 <= bytes {
            let length = self.memory.word(start + at).min(bytes - at - 4);
            list.push(Argument(self.memory.read(u64::from(start + at + 4), length as usize)));
            at += 4 + length.next_multiple_of(4);
        }
        list
    }

    /// The bytes of a string in front of its zero.
    fn string(&self, address: u32, constant: bool) -> Text {
        let byte = |n: u32| match constant {
            true => self.constant(address.wrapping_add(n)),
            false => self.memory.byte(address.wrapping_add(n)),
        };
        (0..MOST).map(byte).take_while(|b| *b != 0).collect()
    }

    /// A byte of constant bank 0.
    fn constant(&self, address: u32) -> u8 {
        let sections = self.launch.constants.iter().filter(|c| c.bank == 0);
        let of = |c: &ConstantSection| c.bytes.get(address.checked_sub(c.offset)? as usize).copied();
        sections.filter_map(of).next_back().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests;
