//! Undefined bits of a warp of SM 1.0.

use super::facts::Facts;
use crate::record::{Lanes, Retired, RetiredDst};
use crate::undefined::{MemoryBits, Origin};
use crate::uop::registers::each;
use crate::warp::Warp;
use warpsmith_isa::{MemSize, Src, WARP_SIZE};

/// Lanes with nothing undefined.
pub(super) const NONE: Lanes = [0; WARP_SIZE];

/// Lanes in which a value has undefined bits.
pub(super) fn touched(bits: &Lanes) -> u32 {
    (0..WARP_SIZE).fold(0, |m, l| m | u32::from(bits[l] != 0) << l)
}

/// Undefined bits of the registers, flags, address registers and local memory of a warp.
#[derive(Clone, Debug)]
pub(crate) struct WarpBits {
    pub registers: Vec<Lanes>,
    pub flags: [[u8; WARP_SIZE]; 4],
    pub address: [Lanes; 8],
    pub local: MemoryBits,
    /// Registers that have undefined bits in some lane.
    dirty: [u64; 2],
    dirty_flags: u8,
    dirty_address: u8,
    pub register_origins: Vec<Origin>,
    pub flag_origins: [Origin; 4],
    pub address_origins: [Origin; 8],
}

impl WarpBits {
    /// A warp at its start: R0 and `$a0` are defined.
    pub fn new(warp: &Warp) -> Self {
        let threads = warp.control.active;
        let n = warp.registers.len();
        let all = |bits| std::array::from_fn(|l| if threads >> l & 1 == 1 { bits } else { 0 });
        let flags = std::array::from_fn(|l| if threads >> l & 1 == 1 { 15 } else { 0 });
        let mut w = WarpBits {
            registers: vec![all(u32::MAX); n],
            flags: [flags; 4],
            address: [all(0xffff); 8],
            local: MemoryBits::new(warp.local.len()),
            dirty: [0; 2],
            dirty_flags: 15,
            dirty_address: 0xfe,
            register_origins: (0..n as u16).map(|r| Origin::Register(r, None)).collect(),
            flag_origins: [0, 1, 2, 3].map(Origin::Flags),
            address_origins: [0, 1, 2, 3, 4, 5, 6, 7].map(Origin::Address),
        };
        w.address[0] = NONE;
        if let Some(r0) = w.registers.first_mut() {
            *r0 = NONE;
        }
        (1..n.min(128)).for_each(|r| w.dirty[r >> 6] |= 1 << (r & 63));
        w
    }

    /// Whether the registers that an instruction reads are defined in these lanes.
    pub fn is_clean(&self, facts: &Facts, lanes: u32) -> bool {
        let dirty = [0, 1].map(|k| facts.registers[k] & self.dirty[k]);
        let flags = facts.flags & self.dirty_flags;
        let address = facts.address & self.dirty_address;
        if dirty == [0; 2] && flags == 0 && address == 0 {
            return true;
        }
        let register = |r: usize| match dirty[r >> 6] >> (r & 63) & 1 {
            1 => touched(&self.registers[r]) & lanes != 0,
            _ => false,
        };
        let flag = |c: usize| flags >> c & 1 == 1 && each(lanes).any(|l| self.flags[c][l] != 0);
        let stepped = |a: usize| address >> a & 1 == 1 && touched(&self.address[a]) & lanes != 0;
        !((0..self.registers.len().min(128)).any(register) || (0..4).any(flag) || (0..8).any(stepped))
    }

    /// Undefined bits of an operand that lies in no memory, and where they come from.
    pub fn operand(&self, src: &Src, out: &mut Lanes) -> Origin {
        *out = NONE;
        match src {
            Src::Reg(r) => {
                if let Some(bits) = self.registers.get(usize::from(*r)) {
                    *out = *bits;
                    return self.register_origins[usize::from(*r)];
                }
            }
            Src::Half(h) => {
                let r = usize::from(h >> 1);
                if let Some(bits) = self.registers.get(r) {
                    *out = bits.map(|b| b >> (16 * (h & 1)) & 0xffff);
                    return self.register_origins[r];
                }
            }
            Src::Addr(a) => {
                *out = self.address[usize::from(a & 7)];
                return self.address_origins[usize::from(a & 7)];
            }
            Src::Cc(c) => {
                *out = self.flags[usize::from(c & 3)].map(u32::from);
                return self.flag_origins[usize::from(c & 3)];
            }
            Src::None | Src::Imm(_) | Src::Shared(_) | Src::Const { .. } | Src::Special(_) => {}
        }
        Origin::Unknown
    }

    /// Undefined bits of a pass of an access to a lane's part of local memory, of `bytes` a lane.
    pub fn local(&self, bytes: u32, lane: usize, address: u32, pass: usize, size: MemSize) -> u64 {
        let at = address as usize + 4 * pass;
        let n = size.bytes().min(4) as usize;
        match at + n <= bytes as usize {
            true => self.local.load(lane * bytes as usize + at, n),
            false => 0,
        }
    }

    /// What an instruction wrote is defined.
    pub fn define(&mut self, rec: &Retired) {
        let lanes = rec.write_mask;
        match rec.dst {
            RetiredDst::None => {}
            RetiredDst::Gpr { first, count } => {
                for r in usize::from(first)..usize::from(first) + usize::from(count) {
                    if self.is_dirty(r) {
                        self.put(r, u32::MAX, lanes, 0, &NONE, Origin::Unknown);
                    }
                }
            }
            RetiredDst::Half { reg, high, .. } => {
                if self.is_dirty(reg.into()) {
                    let half = 0xffff << (16 * u32::from(high));
                    self.put(reg.into(), half, lanes, 0, &NONE, Origin::Unknown);
                }
            }
            RetiredDst::Addr { index } => {
                self.put_address(index.into(), lanes, 0, &NONE, Origin::Unknown);
            }
        }
        if let Some(c) = rec.flags.filter(|c| self.dirty_flags >> (c & 3) & 1 == 1) {
            // A write of the whole register counts the destination's lanes, which are the same.
            self.put_flags(c, rec.exec_mask, 0, &[0; WARP_SIZE], Origin::Unknown);
        }
    }

    fn is_dirty(&self, register: usize) -> bool {
        register < 128 && self.dirty[register >> 6] >> (register & 63) & 1 == 1
    }

    /// Undefined bits of a register's bits in `field`: those of `out` in `lanes`, all in those that perhaps
    /// did not write.
    pub fn put(&mut self, r: usize, field: u32, lanes: u32, perhaps: u32, out: &Lanes, from: Origin) {
        let Some(bits) = self.registers.get_mut(r) else { return };
        for l in each(lanes | perhaps) {
            let new = if perhaps >> l & 1 == 1 { field } else { out[l] & field };
            bits[l] = bits[l] & !field | new;
        }
        let dirty = touched(bits) != 0;
        let bit = 1 << (r & 63);
        self.dirty[r >> 6 & 1] = self.dirty[r >> 6 & 1] & !bit | u64::from(dirty) << (r & 63);
        if from != Origin::Unknown && dirty {
            self.register_origins[r] = from;
        }
    }

    /// The same of an address register.
    pub fn put_address(&mut self, a: usize, lanes: u32, perhaps: u32, out: &Lanes, from: Origin) {
        let a = a & 7;
        for l in each(lanes | perhaps) {
            self.address[a][l] = match perhaps >> l & 1 {
                1 => 0xffff,
                _ => out[l] & 0xffff,
            };
        }
        let dirty = touched(&self.address[a]) != 0;
        self.dirty_address = self.dirty_address & !(1 << a) | u8::from(dirty) << a;
        if from != Origin::Unknown && dirty {
            self.address_origins[a] = from;
        }
    }

    /// The same of a flag register.
    pub fn put_flags(&mut self, c: u8, lanes: u32, perhaps: u32, out: &[u8; 32], from: Origin) {
        let c = usize::from(c & 3);
        for l in each(lanes | perhaps) {
            self.flags[c][l] = if perhaps >> l & 1 == 1 { 15 } else { out[l] };
        }
        let dirty = self.flags[c].iter().any(|f| *f != 0);
        self.dirty_flags = self.dirty_flags & !(1 << c) | u8::from(dirty) << c;
        if from != Origin::Unknown && dirty {
            self.flag_origins[c] = from;
        }
    }
}
