//! Messages: what a shared function and a descriptor ask for.

use crate::uop::Unimplemented;

/// A message, its lengths checked against what it asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// What it asks for.
    pub request: Request,
    /// A header register comes first.
    pub header: bool,
    /// Registers of the payload, header included.
    pub payload: u32,
    /// Registers of the response.
    pub response: u32,
}

/// What a message asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Dwords of a surface, up to four a slot at consecutive addresses; the payload has a byte offset a
    /// slot, then the dwords to write, each component for all slots.
    Untyped {
        /// Binding table index.
        surface: u8,
        /// Write instead of read.
        write: bool,
        /// Slots, 8 or 16.
        slots: u32,
        /// Bit n: component n is transferred.
        components: u8,
    },
    /// Atomic operation on a dword a slot.
    Atomic {
        /// Binding table index.
        surface: u8,
        /// Operation.
        op: Atomic,
        /// Slots, 8 or 16.
        slots: u32,
        /// The value before it is returned.
        returns: bool,
    },
    /// Bytes, words or dwords, one a slot, each in a dword of the payload.
    Scattered {
        /// Binding table index.
        surface: u8,
        /// Write instead of read.
        write: bool,
        /// Slots, 8 or 16.
        slots: u32,
        /// Bytes of an element: 1, 2 or 4.
        bytes: u32,
        /// Bytes that an offset counts: 4 for dwords by index, else 1.
        unit: u32,
    },
    /// A block of 16-byte units at the offset in the header.
    Block {
        /// Binding table index.
        surface: u8,
        /// Write instead of read.
        write: bool,
        /// Units: 1, 2, 4 or 8.
        units: u32,
        /// A single unit in the upper half of its register.
        high: bool,
    },
    /// Rectangle of bytes of a surface with a pitch; place and size in the header.
    Media {
        /// Binding table index.
        surface: u8,
    },
    /// Order of memory accesses: no effect here.
    Fence,
    /// Signal to the barrier of the group.
    Barrier,
    /// Nothing but the end of the thread.
    End,
}

/// Operation of an atomic message; `a` is the value in memory, `b` and `c` the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atomic {
    /// a and b.
    And,
    /// a or b.
    Or,
    /// a exclusive or b.
    Xor,
    /// b.
    Move,
    /// a + 1.
    Increment,
    /// a - 1.
    Decrement,
    /// a + b.
    Add,
    /// a - b.
    Subtract,
    /// b - a.
    Reverse,
    /// Larger, signed.
    SignedMax,
    /// Smaller, signed.
    SignedMin,
    /// Larger, unsigned.
    Max,
    /// Smaller, unsigned.
    Min,
    /// c where a = b, else a.
    CompareWrite,
}

impl Atomic {
    /// Operands in the payload.
    pub fn operands(self) -> u32 {
        match self {
            Atomic::Increment | Atomic::Decrement => 0,
            Atomic::CompareWrite => 2,
            _ => 1,
        }
    }

    /// Operation of a code.
    fn of(code: u32) -> Result<Atomic, Unimplemented> {
        use Atomic::*;
        Ok(match code {
            1 => And,
            2 => Or,
            3 => Xor,
            4 => Move,
            5 => Increment,
            6 => Decrement,
            7 => Add,
            8 => Subtract,
            9 => Reverse,
            10 => SignedMax,
            11 => SignedMin,
            12 => Max,
            13 => Min,
            14 => CompareWrite,
            _ => return Err(Unimplemented("atomic operation without meaning")),
        })
    }
}

/// Codes of shared functions.
const GATEWAY: u64 = 3;
const RENDER: u64 = 5;
const SPAWNER: u64 = 7;
const DATA: u64 = 10;

impl Message {
    /// The message of a shared function and a descriptor of 29 bits.
    ///
    /// # Errors
    /// A message outside the subset, or lengths that are not those of the message.
    pub fn of(target: u64, descriptor: u32) -> Result<Message, Unimplemented> {
        let field = |low: u32, width: u32| descriptor >> low & ((1 << width) - 1);
        let request = match (target, field(14, 4)) {
            (DATA, kind) => data(kind, field(8, 6), field(0, 8) as u8)?,
            (RENDER, 10) => Request::Media { surface: field(0, 8) as u8 },
            (GATEWAY, _) if field(0, 3) == 4 => Request::Barrier,
            (SPAWNER, _) => Request::End,
            (GATEWAY, _) => return Err(Unimplemented("message to the gateway but a barrier")),
            (RENDER, _) => return Err(Unimplemented("message to the render cache but a media block write")),
            (2, _) => return Err(Unimplemented("message to the sampler")),
            (6, _) => return Err(Unimplemented("message to the URB")),
            _ => return Err(Unimplemented("message to this shared function")),
        };
        let message = Message { request, header: field(19, 1) == 1, payload: field(25, 4), response: field(20, 5) };
        message.checked()
    }

    fn checked(self) -> Result<Message, Unimplemented> {
        let (header, payload, response) = self.lengths();
        if header == Some(!self.header) {
            return Err(Unimplemented(match self.header {
                true => "header of a message that has none",
                false => "message without its header",
            }));
        }
        if payload.is_some_and(|n| n + u32::from(self.header) != self.payload) {
            return Err(Unimplemented("payload length that is not that of the message"));
        }
        if response.is_some_and(|n| n != self.response) {
            return Err(Unimplemented("response length that is not that of the message"));
        }
        Ok(self)
    }

    /// Whether there is a header, registers of the payload behind it and of the response; `None` where
    /// the message leaves it open.
    fn lengths(&self) -> (Option<bool>, Option<u32>, Option<u32>) {
        let direction = |write: bool, n: u32| match write {
            true => (n, 0),
            false => (0, n),
        };
        match self.request {
            Request::Untyped { write, slots, components, .. } => {
                let each = slots / 8;
                let (to, back) = direction(write, components.count_ones() * each);
                (None, Some(each + to), Some(back))
            }
            Request::Atomic { op, slots, returns, .. } => {
                let each = slots / 8;
                let back = if returns { each } else { 0 };
                (None, Some(each * (1 + op.operands())), Some(back))
            }
            Request::Scattered { write, slots, .. } => {
                let each = slots / 8;
                let (to, back) = direction(write, each);
                (Some(true), Some(each + to), Some(back))
            }
            Request::Block { write, units, .. } => {
                let (to, back) = direction(write, units.div_ceil(2));
                (Some(true), Some(to), Some(back))
            }
            Request::Media { .. } => (Some(true), None, Some(0)),
            Request::Fence | Request::Barrier | Request::End => (None, None, None),
        }
    }
}

/// A message to the data cache.
fn data(kind: u32, control: u32, surface: u8) -> Result<Request, Unimplemented> {
    let two = |code: u32| match code {
        1 => Ok(16),
        2 => Ok(8),
        _ => Err(Unimplemented("surface message of 4x2 slots")),
    };
    Ok(match kind {
        5 | 13 => {
            Request::Untyped { surface, write: kind == 13, slots: two(control >> 4)?, components: !control as u8 & 15 }
        }
        6 => Request::Atomic {
            surface,
            op: Atomic::of(control & 15)?,
            slots: if control >> 4 & 1 == 1 { 8 } else { 16 },
            returns: control >> 5 & 1 == 1,
        },
        0 | 8 => Request::Block {
            surface,
            write: kind == 8,
            units: match control & 7 {
                0 | 1 => 1,
                n @ 2..=4 => 1 << (n - 1),
                _ => return Err(Unimplemented("block of this many owords")),
            },
            high: control & 7 == 1,
        },
        3 | 11 => Request::Scattered {
            surface,
            write: kind == 11,
            slots: match control & 3 {
                2 => 8,
                3 => 16,
                _ => return Err(Unimplemented("dword message of this many slots")),
            },
            bytes: 4,
            unit: 4,
        },
        4 | 12 => Request::Scattered {
            surface,
            write: kind == 12,
            slots: if control & 1 == 1 { 16 } else { 8 },
            bytes: match control >> 2 & 3 {
                n @ 0..=2 => 1 << n,
                _ => return Err(Unimplemented("byte message of this element size")),
            },
            unit: 1,
        },
        7 => Request::Fence,
        2 | 10 => return Err(Unimplemented("dual block of owords")),
        _ => return Err(Unimplemented("message to the data cache of this type")),
    })
}
