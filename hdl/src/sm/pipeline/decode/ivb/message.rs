//! Messages: loads and stores, the end of a thread, what does nothing.

use super::region::{Channels, Source, Target};
use super::word::Word;
use crate::rtl::prelude::*;
use crate::sm::control::ivb::size;
use warpsmith_contract::trace::MemoryAccess;
use warpsmith_isa::ivb::fields::{CONDITION, DESCRIPTOR, END, PREDICATE};

/// Shared functions.
const GATEWAY: u64 = 3;
const SPAWNER: u64 = 7;
const DATA: u64 = 10;

/// What the descriptor of a message asks for; `Control` and `ChannelControl` say what the fields mean.
pub(super) struct Message {
    /// A chip has it.
    pub sound: Expr,
    /// It ends the thread.
    pub ends: Expr,
    /// A block message; [`mod@size`] of it.
    pub block: Expr,
    pub size: Expr,
    /// It loads to registers, or stores.
    pub loads: Expr,
    pub stores: Expr,
    /// A load of shared memory.
    pub shared_load: Expr,
    pub s1_size: Expr,
    pub mem: Expr,
    pub mem_size: Expr,
    pub passes: Expr,
    /// Register of the address, of what is stored.
    pub address: Expr,
    pub data: Expr,
    /// Registers of what is loaded or stored, less one.
    pub more: Expr,
    pub scale: Expr,
}

impl Message {
    /// Of an instruction whose payload and response these are. All meaningless where it is no message.
    pub fn of(w: &Word, payload: &Source, response: &Target, channels: &Channels, second: &Expr) -> Self {
        let target = w.field(CONDITION);
        let descriptor = w.field(DESCRIPTOR);
        let (surface, control, kind) = (descriptor.bits(0, 8), descriptor.bits(8, 6), descriptor.bits(14, 4));
        let (header, back, sent) = (descriptor.bit(19), descriptor.bits(20, 5), descriptor.bits(25, 4));
        let predicated = w.field(PREDICATE).any();
        let ends = w.field(END);
        let sixteen = &channels.sixteen;

        let data = wire("to_data", target.is(DATA));
        // Bit 3 of the type is that of a store.
        let of_kind = |n: u64, name: &str| wire(name, &data & &kind.bits(0, 3).is(n));
        let untyped = of_kind(5, "is_untyped");
        let dwords = of_kind(3, "is_scattered_dword");
        let bytes = of_kind(4, "is_scattered_byte");
        let block = of_kind(0, "is_block");
        let fence = &data & &kind.is(7);
        let write = wire("is_store", kind.bit(3));
        let barrier = target.is(GATEWAY) & descriptor.bits(0, 3).is(4);
        let end = target.is(SPAWNER);

        // Components less one, of an untyped message; those that are left out are the last.
        let out = control.bits(0, 4);
        let prefix = any_of(&[out.is(0b1110), out.is(0b1100), out.is(0b1000), out.is(0)]);
        let more = cat([&!out.bit(2), &(!out.bit(3) | (out.bit(2) & !out.bit(1)))]);
        let more = wire("more_elements", more & untyped.repeat(2));
        let slots = |eight: Expr, of_sixteen: Expr| sixteen.mux(&of_sixteen, &eight);
        let units = control.bits(0, 3);
        let one_unit = wire("one_unit", !units.any());
        let four_units = wire("four_units", units.is(3));
        let sized = any_of(&[
            &untyped & &prefix & &slots(control.bits(4, 2).is(2), control.bits(4, 2).is(1)),
            &dwords & &slots(control.bits(0, 2).is(2), control.bits(0, 2).is(3)),
            &bytes & &!(control.bit(0) ^ sixteen) & !control.bits(2, 2).all(),
            &block & any_of(&[one_unit.clone(), units.is(2), four_units.clone()]) & !&predicated & !second,
        ]);
        let accesses = wire("accesses", any_of(&[untyped.clone(), dwords.clone(), bytes.clone(), block.clone()]));

        // Registers of what is moved.
        let two = wire("two_a_element", block.mux(&four_units, sixteen));
        let elements = more.zext(3) + lit(3, 1);
        let moved = wire("moved", two.mux(&cat([&elements, &zero(1)]), &elements.zext(4)));
        let addresses = wire("address_registers", cat([&(!&block & sixteen), &(!&block & !sixteen)]));
        let needed = addresses.zext(5) + (moved.zext(5) & write.repeat(5)) + header.zext(5);
        let lengths = needed.eq(&sent.zext(5)) & back.eq(&(moved.zext(5) & (!&write).repeat(5)));
        let headed = wire("is_headed", &header | &untyped);
        // Above the register before the first address: 0 of a block, whose header it is.
        let behind = wire("behind_header", payload.from.register.zext(8) + header.zext(8));
        let first = block.mux(&payload.from.register, &behind.bits(0, 7));
        let stored = behind.bits(0, 7) + addresses.zext(7);

        // An element but the last over an address.
        let last = wire("moved_last", moved.zext(9) - &lit(9, 1));
        let from = behind.zext(9) + two.zext(9) - response.register.zext(9);
        let lost = all_of(&[!&write, more.any(), from.lt(&last)]);
        let known = surface.bits(1, 7).all();
        let access = all_of(&[sized, lengths, headed, known, !wire("loses_address", lost), &write | &response.general]);

        // What lies behind the last register.
        let beyond = |from: &Expr, count: Expr| (from.zext(8) + count.zext(8)).gt(&lit(8, 128));
        let out_of = beyond(&payload.from.register, sent) | (&response.general & beyond(&response.register, back));
        let response_fits = &response.null | (&response.general & &response.at_start);
        let payload_fits = wire("payload_fits", &payload.shaped & !w.bits(69, 8).msb());
        let start = !w.bits(64, 5).any() & w.bits(37, 2).is(1);
        let places = all_of(&[payload_fits, start, response_fits, !out_of]);
        let action = any_of(&[&accesses & access, fence, barrier]) & !&ends;
        let ending = all_of(&[end, ends, !predicated, response.null.clone()]);
        let immediate = w.bits(42, 2).is(3) & !w.bits(125, 2).any();
        let sound = all_of(&[places, immediate, action | &ending, !&channels.one]);

        let shared = !surface.bit(0);
        let stores = wire("stores", &accesses & &write);
        let loads = wire("loads", &accesses & !&write);
        let shared_load = wire("loads_shared", &loads & &shared);
        let access_of = |a: MemoryAccess, on: Expr| lit(3, a as u64) & on.repeat(3);
        let mem = any_of(&[
            access_of(MemoryAccess::SharedStore, &stores & &shared),
            access_of(MemoryAccess::GlobalStore, &stores & !&shared),
            access_of(MemoryAccess::GlobalLoad, &loads & !&shared),
        ]);
        let byte = wire("byte_elements", &bytes & !control.bits(2, 2).any());
        let word = wire("word_elements", &bytes & control.bit(2));
        let whole = !(&byte | &word);
        Self {
            sound: wire("message_sound", sound),
            ends: ending,
            // Four, eight, sixteen are neighbours.
            size: four_units.mux(&lit(2, size::SIXTEEN), &one_unit.mux(&lit(2, size::FOUR), &lit(2, size::EIGHT))),
            s1_size: cat([&zero(1), &whole, &(&whole | &word)]),
            mem_size: cat([&whole, &(&whole | &word), &zero(1)]),
            // Of one to four elements 0, 1, 3, 2.
            passes: cat([&more.bit(1), &(more.bit(0) ^ more.bit(1))]),
            address: first,
            data: stored,
            more: last.bits(0, 3),
            scale: cat([&block, &dwords, &zero(1)]),
            loads,
            stores,
            shared_load,
            mem,
            block,
        }
    }
}
