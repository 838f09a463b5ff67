//! Messages of chips: loads and stores of shared and global memory, what ends a thread, what does nothing.

use crate::ivb::fields::DESCRIPTOR;
use crate::ivb::lower::message::{Message, Request};
use crate::ivb::lower::operand::{From, Special, Start};
use crate::ivb::lower::Parts;
use crate::ivb::operand::REGISTER;
use crate::uop::Space;

/// Binding table index of shared memory.
const SHARED: u8 = 254;
/// Binding table index of memory without a surface.
const FLAT: u8 = 255;
/// Units of the longest block.
const UNITS: u32 = 4;

/// A load or store of one element, or up to four, a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Shared or global memory.
    pub space: Space,
    /// A store.
    pub write: bool,
    /// Bytes of an element: 1, 2 or 4; what is loaded is extended by zeros.
    pub bytes: u32,
    /// Elements behind each other of a channel: 1 to 4.
    pub components: u8,
    /// Register of the addresses, a dword a channel; of a block its header, whose third dword is the address.
    pub address: u8,
    /// Places that the address is shifted to the left: 0, 2, of a block 4.
    pub scale: u8,
    /// Channel i has dword i behind the one address.
    pub block: bool,
    /// Registers of an element of every channel: 1 or 2.
    pub each: u8,
    /// First register of what is stored or loaded.
    pub data: u8,
}

/// What a message is to a chip.
pub(super) enum Sent {
    Nothing,
    End,
    Channels(Transfer),
    /// A block of so many units.
    Block(Transfer, u32),
}

type Refused = &'static str;

fn memory(surface: u8) -> Result<Space, Refused> {
    match surface {
        SHARED => Ok(Space::Shared),
        FLAT => Ok(Space::Global),
        _ => Err("surfaces of chips are 254 and 255"),
    }
}

/// A register of an operand of a message, `None` for null.
fn register(start: Start) -> Result<Option<u8>, Refused> {
    match start {
        Start::General(byte) if byte % REGISTER == 0 => Ok(Some((byte / REGISTER) as u8)),
        Start::Special(Special::Null, _) => Ok(None),
        _ => Err("payload and response of chips begin with a general register"),
    }
}

/// The message of an instruction with 8 or 16 channels that `ends` the thread, or does not.
///
/// # Errors
/// What chips lack.
pub(super) fn sent(p: &Parts, sixteen: bool, ends: bool) -> Result<Sent, Refused> {
    let message = Message::of(p.code, DESCRIPTOR.get(p.bits) as u32).map_err(|u| u.0)?;
    let From::Region(start, _) = p.source(0).map_err(|u| u.0)?.from else {
        return Err("payload and response of chips begin with a general register");
    };
    let payload = register(start)?.ok_or("payload and response of chips begin with a general register")?;
    let response = register(p.destination().map_err(|u| u.0)?.start)?;
    if matches!(message.request, Request::End) != ends {
        return Err("threads of chips end with a message to the thread spawner");
    }
    if ends {
        return match p.guard {
            None => Ok(Sent::End),
            Some(_) => Err("the end of a thread has no predicate on chips"),
        };
    }
    let channels = if sixteen { 16 } else { 8 };
    let begin = payload + u8::from(message.header);
    let each = channels / 8;
    let data = |write: bool, stored: u8| match (write, response) {
        (true, _) => Ok(stored),
        (false, Some(response)) => Ok(response),
        (false, None) => Err("chips do not load into null"),
    };
    match message.request {
        Request::Fence | Request::Barrier => Ok(Sent::Nothing),
        Request::Untyped { slots, .. } | Request::Scattered { slots, .. } if slots != channels => {
            Err("messages of chips have as many slots as the instruction channels")
        }
        Request::Untyped { surface, write, components, .. } => {
            let count = match components {
                0b0001 => 1,
                0b0011 => 2,
                0b0111 => 3,
                0b1111 => 4,
                _ => return Err("elements of chips are x, xy, xyz or xyzw"),
            };
            let each = each as u8;
            let t = Transfer {
                space: memory(surface)?,
                write,
                bytes: 4,
                components: count,
                address: begin,
                scale: 0,
                block: false,
                each,
                data: data(write, begin.wrapping_add(each))?,
            };
            // All elements but the last come before the last address is read.
            let before = t.data..t.data + (count - 1) * each;
            let lost = !write && (begin..begin + each).any(|r| before.contains(&r));
            match lost {
                true => Err("chips load over the addresses with the last element alone"),
                false => Ok(Sent::Channels(t)),
            }
        }
        Request::Scattered { surface, write, bytes, unit, .. } => Ok(Sent::Channels(Transfer {
            space: memory(surface)?,
            write,
            bytes,
            components: 1,
            address: begin,
            scale: if unit == 4 { 2 } else { 0 },
            block: false,
            each: each as u8,
            data: data(write, begin.wrapping_add(each as u8))?,
        })),
        Request::Block { units, high, .. } if units > UNITS || high => {
            Err("blocks of chips are 1, 2 or 4 units from the low half on")
        }
        Request::Block { .. } if p.guard.is_some() || p.shape.first != 0 => Err("block message with a predicate or 2Q"),
        Request::Block { surface, write, units, .. } => {
            let t = Transfer {
                space: memory(surface)?,
                write,
                bytes: 4,
                components: 1,
                address: payload,
                scale: 4,
                block: true,
                each: units.div_ceil(2) as u8,
                data: data(write, begin)?,
            };
            Ok(Sent::Block(t, units))
        }
        Request::Atomic { .. } => Err("chips have no atomics"),
        Request::Media { .. } => Err("chips have no media blocks"),
        Request::End => Err("threads of chips end with a message to the thread spawner"),
    }
}
