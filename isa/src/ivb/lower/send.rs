//! Messages as loads, stores and atomics of one element a channel.

use super::build::{file, Build};
use super::message::{Atomic, Message, Request};
use super::operand::{From, Special, Start};
use super::Parts;
use crate::ivb::fields::{DESCRIPTOR, END, SOURCES};
use crate::ivb::operand::{IMMEDIATE, REGISTER};
use crate::uop::{Access, AtomicOp, Builtin, Flow, Op, Place, Space, Src, Type, Unimplemented};

/// Binding table index of shared local memory.
const SHARED: u8 = 254;
/// Binding table index of memory without a surface.
const FLAT: u8 = 255;

fn space(surface: u8) -> Space {
    match surface {
        SHARED => Space::Shared,
        FLAT => Space::Global,
        n => Space::Buffer(n),
    }
}

/// Accesses of one element a channel, aligned to it.
fn access(surface: u8, element: Type) -> Access {
    Access::row(space(surface), element, 1)
}

/// Writes the micro-operations; the number of lanes of a block, where the message is one, which takes no
/// notice of the mask of channels.
pub fn lower(p: &Parts, b: &mut Build) -> Result<Option<u32>, Unimplemented> {
    if SOURCES[1].file.get(p.bits) != IMMEDIATE {
        // The machine puts the descriptor in its place when it comes here; nobody executes this.
        b.effect(Op::Trap, &[]);
        return Ok(None);
    }
    let message = Message::of(p.code, DESCRIPTOR.get(p.bits) as u32)?;
    let payload = match p.source(0)?.from {
        From::Region(Start::General(byte), _) => byte / REGISTER * REGISTER,
        From::Region(Start::Special(Special::Null, _), _) if message.payload == 0 => 0,
        _ => return Err(Unimplemented("payload that is not in g registers")),
    };
    let response = match p.destination()?.start {
        Start::General(byte) => Some(byte / REGISTER * REGISTER),
        Start::Special(Special::Null, _) => None,
        _ if message.response == 0 => None,
        _ => return Err(Unimplemented("response that is not in g registers")),
    };
    let message =
        Ends { m: message, header: payload, data: payload + if message.header { REGISTER } else { 0 }, response };
    let block = message.write(p, b)?;
    if END.get(p.bits) == 1 {
        b.effect(Op::Flow(Flow::End), &[]);
    }
    Ok(block)
}

/// A message and the bytes in the general registers where its parts lie.
struct Ends {
    m: Message,
    header: u32,
    data: u32,
    response: Option<u32>,
}

impl Ends {
    fn write(&self, p: &Parts, b: &mut Build) -> Result<Option<u32>, Unimplemented> {
        let dwords = |b: &Build, byte: u32| Src::new(b.row(byte, Type::U32), Type::U32);
        let addresses = dwords(b, self.data);
        // Bytes of a dword for every slot.
        let all = |slots: u32| 4 * slots;
        match self.m.request {
            Request::Untyped { surface, write, slots, components } => {
                let access = access(surface, Type::U32);
                let components: Vec<u32> = (0..4).filter(|c| components >> c & 1 == 1).collect();
                let mut read = Vec::new();
                for (n, c) in components.iter().enumerate() {
                    let behind = Src::immediate(u64::from(4 * c), Type::U32);
                    if write {
                        let at = self.data + all(slots) * (1 + n as u32);
                        let value = dwords(b, at);
                        b.effect(Op::Store(access), &[value, addresses, behind]);
                    } else {
                        read.push(b.op(Op::Load(access), Type::U32, &[addresses, behind]));
                    }
                }
                // A response may lie where the addresses are.
                for (n, value) in read.into_iter().enumerate() {
                    self.respond(b, all(slots) * n as u32, value);
                }
            }
            Request::Atomic { surface, op, slots, returns } => {
                let operand = |b: &Build, n: u32| dwords(b, self.data + all(slots) * n);
                let (function, signed) = function(op);
                let constant = |n: u64| Src::immediate(n, Type::U32);
                let mut sources = match op {
                    Atomic::Increment => vec![constant(1)],
                    Atomic::Decrement => vec![constant(0xffff_ffff)],
                    Atomic::CompareWrite => vec![operand(b, 1), operand(b, 2)],
                    _ => vec![operand(b, 1)],
                };
                sources.push(addresses);
                let access = access(surface, Type::int(32, signed));
                let ty = Type::int(32, signed);
                let sources: Vec<Src> = sources;
                let old = b.op(Op::Atomic(access, function), ty, &sources);
                if returns {
                    self.respond(b, 0, old);
                }
            }
            Request::Scattered { surface, write, slots, bytes, unit } => {
                let access = access(surface, Type::int(8 * bytes, false));
                let address = Src { shift: if unit == 4 { 2 } else { 0 }, ..addresses };
                if write {
                    let value = dwords(b, self.data + all(slots));
                    b.effect(Op::Store(access), &[value, address]);
                } else {
                    let value = b.op(Op::Load(access), Type::U32, &[address]);
                    self.respond(b, 0, value);
                }
            }
            Request::Block { surface, write, units, high } => {
                if p.guard.is_some() || p.shape.first != 0 {
                    return Err(Unimplemented("block message with a predicate or 2Q"));
                }
                let access = access(surface, Type::U32);
                let offset = Src { shift: 4, ..b.scalar(self.header + 8, Type::U32) };
                let lane = Src { shift: 2, ..Src::new(Place::Builtin(Builtin::Lane), Type::U32) };
                let half = if high { 16 } else { 0 };
                if write {
                    let value = dwords(b, self.data + half);
                    b.effect(Op::Store(access), &[value, offset, lane]);
                } else {
                    let value = b.op(Op::Load(access), Type::U32, &[offset, lane]);
                    self.respond(b, half, value);
                }
                return Ok(Some(4 * units));
            }
            Request::Media { surface } => {
                if p.guard.is_some() {
                    return Err(Unimplemented("block message with a predicate"));
                }
                let word = |b: &Build, n: u32| b.scalar(self.header + 4 * n, Type::U32);
                let rows = dwords(b, self.data);
                let limit = Src::immediate(u64::from(REGISTER * self.m.payload.saturating_sub(1)), Type::U32);
                let mut pitch = word(b, 0);
                if let Place::Region(r) = &mut pitch.place {
                    (r.file, r.byte) = (file::PITCH, 0);
                }
                let sources = [rows, word(b, 0), word(b, 1), word(b, 2), limit, pitch];
                b.effect(Op::StoreRectangle(space(surface)), &sources);
                return Ok(Some(1));
            }
            // The wait for the notification that follows a signal is the barrier.
            Request::Fence | Request::End | Request::Barrier => {}
        }
        Ok(None)
    }

    /// Writes a value a channel `at` bytes behind the start of the response.
    fn respond(&self, b: &mut Build, at: u32, value: Src) {
        if let Some(byte) = self.response {
            let place = b.row(byte + at, Type::U32);
            b.put(Op::Move, Type::U32, place, &[value]);
        }
    }
}

/// Function of an atomic message, and whether it has a sign.
fn function(op: Atomic) -> (AtomicOp, bool) {
    match op {
        Atomic::And => (AtomicOp::And, false),
        Atomic::Or => (AtomicOp::Or, false),
        Atomic::Xor => (AtomicOp::Xor, false),
        Atomic::Move => (AtomicOp::Exchange, false),
        Atomic::Increment | Atomic::Decrement | Atomic::Add => (AtomicOp::Add, false),
        Atomic::Subtract => (AtomicOp::Sub, false),
        Atomic::Reverse => (AtomicOp::ReverseSub, false),
        Atomic::SignedMax => (AtomicOp::Max, true),
        Atomic::SignedMin => (AtomicOp::Min, true),
        Atomic::Max => (AtomicOp::Max, false),
        Atomic::Min => (AtomicOp::Min, false),
        Atomic::CompareWrite => (AtomicOp::CompareExchange, false),
    }
}
