//! Undefined bits of a block of SM 1.0, beside its shared memory and its warps.

mod facts;
mod state;

pub(crate) use facts::Facts;
pub(crate) use state::WarpBits;

use super::{Beside, Found, MemoryBits, Origin, Places, Use};
use crate::exec::{addresses, blend, double, ignores_predicate, operand, predicate_mask, Env};
use crate::num::C;
use crate::record::{Lanes, Retired, RetiredDst};
use crate::uop::registers::each;
use crate::warp::Warp;
use state::{touched, NONE};
use warpsmith_isa::uop::AtomicOp;
use warpsmith_isa::{Dst, Instr, MemRef, MemSize, Op, Src, WARP_SIZE};

/// Undefined bits of a block.
#[derive(Clone, Debug)]
pub struct BlockBits {
    pub places: Places,
    warps: Vec<WarpBits>,
    shared: MemoryBits,
    /// Nobody knows any more which words are locked.
    locks_unknown: bool,
    now: Box<Now>,
}

/// Undefined flags of a truth that nobody knows: zero and sign.
const TRUTH: u8 = 3;

/// The instruction that is executed.
#[derive(Clone, Debug)]
struct Now {
    /// Some bit that it reads in an active lane is undefined.
    touched: bool,
    /// Active lanes whose guard is undefined.
    guard: u32,
    /// Lanes of which nobody knows where in memory they read.
    unknown: u32,
    /// A vote may end either way.
    vote: bool,
    values: [Lanes; 3],
    undefined: [Lanes; 3],
    /// Undefined bits of the data of a store, by pass.
    data: [Lanes; 4],
    carry: u32,
    /// Where the undefined bits of the result come from.
    origin: Origin,
    out: [Lanes; 4],
}

/// Bits of a register that an access of this size moves.
fn moved_bits(size: MemSize) -> u32 {
    match size.bytes() {
        1 => 0xff,
        2 => 0xffff,
        _ => u32::MAX,
    }
}

/// Bits that replace undefined ones.
fn replace(value: u32, undefined: u32, with: u32) -> u32 {
    value & !undefined | with & undefined
}

/// What a step of a warp is about.
#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
    pub facts: &'a Facts,
    pub instr: &'a Instr,
    /// Its guard as a truth table over the flags.
    pub guard: u16,
    pub ctaid: [u32; 2],
    pub warp: u32,
    pub beside: Option<&'a Beside<'a>>,
}

impl BlockBits {
    /// A block at its start, of whose shared memory the first bytes are defined. Threads that do not exist
    /// have nothing that is undefined.
    pub fn new(warps: &[Warp], shared: usize, defined: usize) -> Self {
        let mut bits = MemoryBits::new(shared);
        bits.define(defined);
        BlockBits {
            places: Places::default(),
            warps: warps.iter().map(WarpBits::new).collect(),
            shared: bits,
            locks_unknown: false,
            now: Box::new(Now {
                touched: false,
                guard: 0,
                unknown: 0,
                vote: false,
                values: [NONE; 3],
                undefined: [NONE; 3],
                data: [NONE; 4],
                carry: 0,
                origin: Origin::Unknown,
                out: [NONE; 4],
            }),
        }
    }

    /// Drops the memory of a finished block; what was found stays.
    pub fn clear(&mut self) {
        self.warps = vec![];
        self.shared = MemoryBits::new(0);
    }

    /// Before the instruction: looks at what it reads, says where that matters, and makes undefined bits
    /// that decide what it does the chip's.
    pub(crate) fn before(&mut self, at: At<'_>, warp: &mut Warp, env: &Env<'_>) {
        let unknown_lock = self.locks_unknown && matches!(at.instr.op, Op::LdShared { lock: true, .. });
        self.now.touched = unknown_lock || !self.is_clean(at, warp, env);
        if !self.now.touched {
            return;
        }
        let active = warp.control.active;
        self.guard(at, warp);
        self.now.vote = self.votes_either_way(at, warp);
        let executing = match ignores_predicate(&at.instr.op) {
            true => active,
            false => active & predicate_mask(at.guard, &warp.flags[usize::from(at.instr.pred.creg & 3)]),
        };
        let unknown = self.address_registers(at, warp, executing);
        let locks = matches!(at.instr.op, Op::LdShared { lock: true, .. } | Op::StShared { unlock: true, .. });
        self.locks_unknown |= locks && (unknown | self.now.guard) != 0;
        self.global_address(at, warp, executing);
        self.now.unknown = unknown;
        self.operands(at, warp, env, executing, unknown);
        self.stored(at, warp, executing);
    }

    /// Whether all that the instruction reads in active lanes is defined.
    fn is_clean(&self, at: At<'_>, warp: &Warp, env: &Env<'_>) -> bool {
        let active = warp.control.active;
        let bits = &self.warps[at.warp as usize];
        if !bits.is_clean(at.facts, active) {
            return false;
        }
        let mut address = NONE;
        let at_lanes = |m: &MemRef, to: &mut Lanes| addresses(m, warp, to);
        for src in &at.instr.src {
            let Src::Shared(m) = src else { continue };
            if m.areg == 0 {
                let a = if m.post_inc { 0 } else { m.offset as u32 & 0xffff };
                if self.shared.load(a as usize, m.size.bytes() as usize) != 0 {
                    return false;
                }
                continue;
            }
            at_lanes(m, &mut address);
            let undefined = |l| self.shared.load(address[l] as usize, m.size.bytes() as usize) != 0;
            if each(active).any(undefined) {
                return false;
            }
        }
        if let Op::LdShared { at: m, .. } = at.instr.op {
            at_lanes(&m, &mut address);
            if each(active).any(|l| self.shared.load(address[l] as usize, m.size.bytes() as usize) != 0) {
                return false;
            }
        }
        if let Op::LdLocal { at: m } = at.instr.op {
            at_lanes(&m, &mut address);
            for p in 0..usize::from(m.size.regs()) {
                let undefined = |l| bits.local(env.local_bytes, l, address[l], p, m.size) != 0;
                if each(active).any(undefined) {
                    return false;
                }
            }
        }
        true
    }

    fn found(&mut self, at: At<'_>, pc: u32, used: Use, lanes: u32, origin: Origin, direct: bool) {
        if lanes == 0 {
            return;
        }
        self.places.add(Found {
            pc,
            used,
            origin,
            direct,
            ctaid: at.ctaid,
            warp: at.warp,
            lane: lanes.trailing_zeros(),
        });
    }

    /// Guards that may go either way.
    fn guard(&mut self, at: At<'_>, warp: &mut Warp) {
        self.now.guard = 0;
        let Instr { pred, op, .. } = at.instr;
        let bits = &self.warps[at.warp as usize];
        self.now.origin = Origin::Unknown;
        if at.guard == u16::MAX || ignores_predicate(op) {
            return;
        }
        let c = usize::from(pred.creg & 3);
        for l in each(warp.control.active) {
            let [no, yes] = possible(at.guard, warp.flags[c][l], bits.flags[c][l]);
            let (Some(yes), Some(no)) = (yes, no) else { continue };
            self.now.guard |= 1 << l;
            if let Some(b) = at.beside {
                warp.flags[c][l] = if b.exec >> l & 1 == 1 { yes } else { no };
            }
        }
        let origin = bits.flag_origins[c];
        self.now.origin = origin;
        let used = match op {
            Op::Bra { .. } | Op::Ret | Op::Brk | Op::Bpt => Use::Branch,
            Op::StGlobal { .. } | Op::Atomic { .. } => Use::Store,
            _ => return,
        };
        let direct = origin == Origin::Flags(c as u8);
        self.found(at, warp.control.pc, used, self.now.guard, origin, direct);
    }

    /// Whether the instruction is a vote that may end either way.
    fn votes_either_way(&mut self, at: At<'_>, warp: &Warp) -> bool {
        let Op::Vote { all } = at.instr.op else { return false };
        let c = usize::from(at.instr.pred.creg & 3);
        let bits = &self.warps[at.warp as usize];
        self.now.origin = bits.flag_origins[c];
        let of_lane = |l: usize| possible(at.guard, warp.flags[c][l], bits.flags[c][l]).map(|f| f.is_some());
        let lanes: Vec<[bool; 2]> = each(warp.control.active).map(of_lane).collect();
        // A lane that surely decides it, and one that may.
        let decides = |of: [bool; 2]| of[usize::from(!all)] && !of[usize::from(all)];
        let may = |of: [bool; 2]| of[usize::from(!all)];
        !lanes.iter().any(|l| decides(*l)) && lanes.iter().any(|l| may(*l))
    }

    /// Addresses made of address registers. Gives the lanes whose operand in memory nobody knows: a chip
    /// does not show where it read.
    fn address_registers(&mut self, at: At<'_>, warp: &mut Warp, executing: u32) -> u32 {
        let mut unknown = 0;
        let own = at.instr.op.memory().filter(|_| !matches!(at.instr.op, Op::LdShared { .. }));
        for m in at.instr.memory().filter(|m| m.areg & 7 != 0) {
            let a = usize::from(m.areg & 7);
            let bits = &self.warps[at.warp as usize];
            let lanes = executing & touched(&bits.address[a]);
            let origin = bits.address_origins[a];
            if let Some(b) = at.beside {
                let offset = if m.post_inc { 0 } else { m.offset as u32 };
                let shown = own == Some(m);
                for l in each(lanes) {
                    let to = if shown { b.address[l] } else { 0 };
                    let to = to.wrapping_sub(offset);
                    let value = &mut warp.address.written(a)[l];
                    *value = replace(*value, bits.address[a][l], to) & 0xffff;
                }
                unknown |= if shown { 0 } else { lanes };
            }
            let direct = origin == Origin::Address(m.areg);
            self.found(at, warp.control.pc, Use::Address, lanes, origin, direct);
        }
        unknown
    }

    /// The address of a global access, which is a register.
    fn global_address(&mut self, at: At<'_>, warp: &mut Warp, executing: u32) {
        let (Op::LdGlobal { .. } | Op::StGlobal { .. } | Op::Atomic { .. }) = at.instr.op else { return };
        let Src::Reg(r) = at.instr.src[0] else { return };
        let bits = &self.warps[at.warp as usize];
        let Some(undefined) = bits.registers.get(usize::from(r)) else { return };
        let lanes = executing & touched(undefined);
        let origin = bits.register_origins[usize::from(r)];
        if let Some(b) = at.beside {
            for l in each(lanes) {
                let value = &mut warp.registers[usize::from(r)][l];
                *value = replace(*value, undefined[l], b.address[l]);
            }
        }
        let direct = origin == Origin::Register(r.into(), None);
        self.found(at, warp.control.pc, Use::Address, lanes, origin, direct);
    }

    /// Values and undefined bits of the operands.
    fn operands(&mut self, at: At<'_>, warp: &Warp, env: &Env<'_>, executing: u32, unknown: u32) {
        let bits = &self.warps[at.warp as usize];
        let now = &mut *self.now;
        now.carry = match at.instr.op.adds_carry() {
            true => {
                let flags = &bits.flags[usize::from(at.instr.pred.creg & 3)];
                each(executing).fold(0, |m, l| m | u32::from(flags[l] & C != 0) << l)
            }
            false => 0,
        };
        if now.carry != 0 {
            now.origin = bits.flag_origins[usize::from(at.instr.pred.creg & 3)];
        }
        for (n, src) in at.instr.src.iter().enumerate() {
            let mut buf = NONE;
            // A fault will be the instruction's own.
            now.values[n] = *operand(src, warp, env, executing, &mut buf).unwrap_or(&NONE);
            let mut origin = bits.operand(src, &mut now.undefined[n]);
            if let (Src::Reg(r), 2..) = (src, at.instr.op.registers(n)) {
                // Both words of a float of 64 bits count: nothing follows it bit by bit.
                let mut high = NONE;
                let of_high = bits.operand(&Src::Reg(r.saturating_add(1)), &mut high);
                if double::is_double(&at.instr.op) && executing & touched(&high) != 0 {
                    now.undefined[n].iter_mut().zip(high).for_each(|(u, h)| *u |= h);
                    origin = of_high;
                }
            }
            if let Src::Shared(m) | Src::Const { at: m, .. } = src {
                let mut address = NONE;
                addresses(m, warp, &mut address);
                for l in each(executing) {
                    now.undefined[n][l] = match src {
                        _ if unknown >> l & 1 == 1 => u32::MAX,
                        Src::Shared(_) => {
                            let size = m.size.bytes() as usize;
                            let u = self.shared.load(address[l] as usize, size) as u32;
                            crate::memory::extend(m.size, u)
                        }
                        _ => 0,
                    };
                }
                let lanes = executing & touched(&now.undefined[n]);
                if lanes != 0 {
                    let l = lanes.trailing_zeros() as usize;
                    now.origin = match unknown >> l & 1 {
                        1 => bits.address_origins[usize::from(m.areg & 7)],
                        _ => {
                            let here = Origin::Shared(address[l]);
                            self.shared.origin(address[l] as usize, here)
                        }
                    };
                }
            } else if executing & touched(&now.undefined[n]) != 0 {
                now.origin = origin;
            }
        }
    }

    /// Data of a store, and operands of an atomic access.
    fn stored(&mut self, at: At<'_>, warp: &mut Warp, executing: u32) {
        let (src, size, global) = match at.instr.op {
            Op::StGlobal { size, .. } => (at.instr.src[1], size, true),
            Op::Atomic { op: AtomicOp::CompareExchange, .. } => {
                // Passes are parts of a store; the other operand comes first, so that data are what is stored.
                let shown = at.beside.map(|b| b.lane);
                self.stored_part(at, warp, executing, (0, at.instr.src[1], MemSize::B32), shown, true);
                (at.instr.src[2], MemSize::B32, true)
            }
            Op::Atomic { .. } => (at.instr.src[1], MemSize::B32, true),
            Op::StShared { at: m, .. } | Op::StLocal { at: m } => (at.instr.src[0], m.size, false),
            _ => return,
        };
        for p in 0..size.regs() {
            let part = match src {
                Src::Reg(r) => Src::Reg(r.saturating_add(p)),
                other => other,
            };
            let shown = at.beside.map(|b| &b.data[usize::from(p)]);
            self.stored_part(at, warp, executing, (p, part, size), shown, global);
        }
    }

    /// One pass of it; `shown`: the chip's values.
    fn stored_part(
        &mut self, at: At<'_>, warp: &mut Warp, executing: u32, (p, part, size): (u8, Src, MemSize),
        shown: Option<&Lanes>, global: bool,
    ) {
        let bits = &self.warps[at.warp as usize];
        let data = &mut self.now.data[usize::from(p)];
        let origin = bits.operand(&part, data);
        data.iter_mut().for_each(|d| *d &= moved_bits(size));
        let lanes = executing & touched(data);
        if lanes == 0 {
            return;
        }
        let register = match part {
            Src::Reg(r) => Some((usize::from(r), 0)),
            Src::Half(h) => Some((usize::from(h >> 1), 16 * u32::from(h & 1))),
            _ => None,
        };
        if let (Some(shown), Some((r, shift))) = (shown, register) {
            for l in each(lanes) {
                let value = &mut warp.registers[r][l];
                *value = replace(*value, data[l] << shift, shown[l] << shift);
            }
        }
        self.now.origin = origin;
        if global {
            let direct = register.is_some_and(|(r, _)| origin == Origin::Register(r as u16, None));
            self.found(at, warp.control.pc, Use::Store, lanes, origin, direct);
        }
    }

    /// After the instruction: what it wrote is defined, or not, and the chip's where it is not.
    pub(crate) fn after(&mut self, at: At<'_>, warp: &mut Warp, env: &Env<'_>, rec: &mut Retired) {
        rec.undefined = None;
        let whole = !self.now.touched;
        match at.instr.op {
            Op::StShared { at: m, .. } => self.store(at, m.size, None, rec),
            Op::StLocal { at: m } => self.store(at, m.size, Some(env.local_bytes), rec),
            _ if whole => self.warps[at.warp as usize].define(rec),
            _ => self.write(at, warp, env, rec),
        }
        if let Some(a) = rec.post_increment {
            self.step_address(at, usize::from(a), warp, rec);
        }
    }

    /// A store to shared memory, or to the local one.
    fn store(&mut self, at: At<'_>, size: MemSize, local: Option<u32>, rec: &Retired) {
        let now = &self.now;
        let guard = if now.touched { now.guard } else { 0 };
        let bytes = size.bytes().min(4) as usize;
        for p in 0..usize::from(size.regs()) {
            for l in each(rec.exec_mask | guard) {
                let undefined = match (guard >> l & 1 == 1, now.touched) {
                    (true, _) => u32::MAX,
                    (false, true) => now.data[p][l],
                    _ => 0,
                };
                let address = rec.address[l] as usize + 4 * p;
                let (to, index) = match local {
                    None => (&mut self.shared, address),
                    Some(n) if address < n as usize => {
                        let bits = &mut self.warps[at.warp as usize].local;
                        (bits, l * n as usize + address)
                    }
                    Some(_) => continue,
                };
                to.store(index, bytes, undefined.into(), now.origin);
            }
        }
    }

    /// What an instruction with undefined operands wrote to registers.
    fn write(&mut self, at: At<'_>, warp: &mut Warp, env: &Env<'_>, rec: &mut Retired) {
        let bits = &mut self.warps[at.warp as usize];
        let now = &mut *self.now;
        now.out = [NONE; 4];
        match at.instr.op {
            Op::Vote { .. } => now.out[0] = [if now.vote { TRUTH.into() } else { 0 }; WARP_SIZE],
            // What lies there is defined; that the address is not was said.
            Op::LdGlobal { .. } | Op::StGlobal { .. } | Op::Atomic { .. } => {}
            Op::LdShared { at: m, lock } => {
                for l in each(rec.exec_mask) {
                    let a = rec.address[l];
                    let there =
                        crate::memory::extend(m.size, self.shared.load(a as usize, m.size.bytes() as usize) as u32);
                    let hidden = now.unknown >> l & 1 == 1;
                    now.out[0][l] = if hidden { u32::MAX } else { there };
                    if now.out[0][l] != 0 {
                        now.origin = match hidden {
                            true => bits.address_origins[usize::from(m.areg & 7)],
                            false => self.shared.origin(a as usize, Origin::Shared(a)),
                        };
                    }
                }
                if let (true, Some(c)) = (lock, at.instr.cdst) {
                    let flags = [if self.locks_unknown { TRUTH } else { 0 }; WARP_SIZE];
                    bits.put_flags(c, rec.exec_mask, now.guard, &flags, now.origin);
                    adopt_flags(at, c, warp, &flags, rec);
                }
            }
            Op::LdLocal { at: m } => {
                for p in 0..usize::from(m.size.regs()) {
                    for l in each(rec.exec_mask) {
                        let u = bits.local(env.local_bytes, l, rec.address[l], p, m.size);
                        now.out[p][l] = crate::memory::extend(m.size, u as u32);
                        if u != 0 {
                            let a = rec.address[l];
                            let index = l * env.local_bytes as usize + a as usize;
                            now.origin = bits.local.origin(index, Origin::Local(a));
                        }
                    }
                }
            }
            _ => {
                for l in each(rec.exec_mask) {
                    let operands = [0, 1, 2].map(|n| (now.values[n][l], now.undefined[n][l]));
                    now.out[0][l] = at.facts.result(operands, now.carry >> l & 1 == 1);
                    now.out[1][l] = if double::is_double(&at.instr.op) { now.out[0][l] } else { 0 };
                }
                if rec.flags.is_some() && !matches!(at.instr.dst, Dst::Cc(_)) {
                    self.write_flags(at, warp, rec);
                }
            }
        }
        let (bits, now) = (&mut self.warps[at.warp as usize], &mut *self.now);
        let values = at.beside.and_then(|b| b.values);
        match rec.dst {
            RetiredDst::Gpr { first, count } => {
                for p in 0..usize::from(count) {
                    let r = usize::from(first) + p;
                    bits.put(r, u32::MAX, rec.write_mask, now.guard, &now.out[p], now.origin);
                    if let (Some(b), Some(to)) = (values, warp.registers.get_mut(r)) {
                        for l in each(rec.write_mask) {
                            let v = replace(rec.values[p][l], now.out[p][l], b[p][l]);
                            (rec.values[p][l], to[l]) = (v, v);
                        }
                    }
                }
            }
            RetiredDst::Half { reg, high, .. } => {
                let (r, shift) = (usize::from(reg), 16 * u32::from(high));
                let mut out = now.out[0];
                out.iter_mut().for_each(|u| *u = (*u & 0xffff) << shift);
                let half = 0xffff << shift;
                bits.put(r, half, rec.write_mask, now.guard, &out, now.origin);
                if let (Some(b), Some(to)) = (values, warp.registers.get_mut(r)) {
                    for l in each(rec.write_mask) {
                        let v = replace(rec.values[0][l], now.out[0][l], b[0][l]) & 0xffff;
                        rec.values[0][l] = v;
                        to[l] = to[l] & !half | v << shift;
                    }
                }
            }
            RetiredDst::Addr { index } => {
                let a = usize::from(index & 7);
                let lanes = rec.write_mask;
                bits.put_address(a, lanes, now.guard, &now.out[0], now.origin);
                if let Some(b) = values {
                    for l in each(lanes) {
                        let v = replace(rec.values[0][l], now.out[0][l], b[0][l]) & 0xffff;
                        (rec.values[0][l], warp.address.written(a)[l]) = (v, v);
                    }
                }
            }
            RetiredDst::None => {}
        }
        if let Dst::Cc(c) = at.instr.dst {
            let flags = now.out[0].map(|u| u as u8 & 15);
            bits.put_flags(c, rec.write_mask, now.guard, &flags, now.origin);
            adopt_flags(at, c, warp, &flags, rec);
        }
        let register = matches!(rec.dst, RetiredDst::Gpr { .. } | RetiredDst::Half { .. });
        let later = (register || double::is_double(&at.instr.op)) && values.is_none() && at.beside.is_some();
        if later && now.out.iter().flatten().any(|u| *u != 0) {
            rec.undefined = Some(Box::new(now.out));
        }
    }

    /// Flags beside a result: Z is defined where a defined bit is set, S with the sign, C and O with all
    /// operands.
    fn write_flags(&mut self, at: At<'_>, warp: &mut Warp, rec: &mut Retired) {
        let Some(c) = rec.flags else { return };
        let now = &*self.now;
        let mut flags = [0; WARP_SIZE];
        for l in each(rec.exec_mask) {
            let undefined = now.out[0][l];
            let operands = now.undefined.iter().any(|u| u[l] != 0) || now.carry >> l & 1 == 1;
            flags[l] = at.facts.flags(rec.values[0][l], undefined, operands);
        }
        let bits = &mut self.warps[at.warp as usize];
        bits.put_flags(c, rec.exec_mask, now.guard, &flags, now.origin);
        if !double::is_double(&at.instr.op) {
            adopt_flags(at, c, warp, &flags, rec);
        }
    }

    /// The step of an address register.
    fn step_address(&mut self, at: At<'_>, a: usize, warp: &mut Warp, rec: &mut Retired) {
        let guard = if self.now.touched { self.now.guard } else { 0 };
        let bits = &mut self.warps[at.warp as usize];
        let mut out = bits.address[a];
        // Carries go up from the lowest undefined bit.
        out.iter_mut().filter(|u| **u != 0).for_each(|u| *u = (u32::MAX << u.trailing_zeros()) & 0xffff);
        let origin = bits.address_origins[a];
        bits.put_address(a, rec.exec_mask, guard, &out, origin);
        if let Some(b) = at.beside {
            for l in each(rec.exec_mask) {
                let v = replace(rec.post_increment_values[l], out[l], b.post_increment[l]);
                rec.post_increment_values[l] = v & 0xffff;
            }
            blend(warp.address.written(a), &rec.post_increment_values, rec.exec_mask);
        }
    }
}

/// Flags that do not meet the guard, and flags that do, of those that differ from `flags` in undefined bits alone.
fn possible(guard: u16, flags: u8, undefined: u8) -> [Option<u8>; 2] {
    let meets = |flags: u8| guard >> (flags & 15) & 1 == 1;
    [false, true].map(|want| (0..16u8).filter(|f| (f ^ flags) & !undefined & 15 == 0).find(|f| meets(*f) == want))
}

/// Undefined flags become the chip's.
fn adopt_flags(at: At<'_>, c: u8, warp: &mut Warp, undefined: &[u8; 32], rec: &mut Retired) {
    let Some(b) = at.beside else { return };
    for l in each(rec.exec_mask) {
        let u = undefined[l];
        let v = rec.flag_values[l] & !u | b.flags[l] & u;
        (rec.flag_values[l], warp.flags[usize::from(c & 3)][l]) = (v, v);
    }
}
