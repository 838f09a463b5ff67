//! Memories that a warp sees, and numbers that the machine knows.

use super::cause::{Cause, Fault};
use crate::memory::{Constants, Global};
use crate::undefined::Tracking;
use crate::watch::{self, Access as Touched, Accesses, Touch};
use warpsmith_isa::uop::{Access, Axis, Builtin, LaneMask, Space, Type};

/// Grid and block of a launch, in `x, y, z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Threads of a warp.
    pub lanes: u32,
}

impl Geometry {
    /// Threads of a block.
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// Warps of a block.
    pub fn warps(&self) -> u32 {
        self.threads().div_ceil(self.lanes)
    }

    /// Index in the block of a thread by its linear index, x fastest.
    pub fn thread(&self, linear: u32) -> [u32; 3] {
        let [x, y, _] = self.block;
        [linear % x, linear / x % y, linear / x / y]
    }

    /// Lanes of a warp that have a thread.
    pub fn present(&self, warp: u32) -> u32 {
        let n = self.threads().saturating_sub(warp * self.lanes);
        ((1u64 << n.min(self.lanes)) - 1) as u32
    }
}

/// What a warp sees of its block and the grid while it executes one instruction.
pub struct Env<'a> {
    /// Grid and block.
    pub geometry: Geometry,
    /// The block.
    pub block: [u32; 3],
    /// The warp in it.
    pub warp: u32,
    /// Instructions executed so far.
    pub clock: u64,
    /// Global memory.
    pub global: &'a mut dyn Global,
    /// Shared memory of the block.
    pub shared: &'a mut [u8],
    /// Constant banks.
    pub constants: &'a Constants,
    /// Start and bytes of the launch's buffers in global memory.
    pub buffers: &'a [(u64, u64)],
    /// Where undefined bits are tracked.
    pub tracking: Option<Tracking<'a>>,
}

fn axis(v: [u32; 3], axis: Axis) -> u32 {
    match axis {
        Axis::X => v[0],
        Axis::Y => v[1],
        Axis::Z => v[2],
    }
}

impl Env<'_> {
    /// A number that the machine knows, as `lane` reads it while the lanes of `active` run.
    pub fn builtin(&self, b: Builtin, lane: usize, active: u32) -> u32 {
        let linear = self.warp * self.geometry.lanes + lane as u32;
        let thread = || self.geometry.thread(linear);
        let quad = 15u32 << (lane & 28);
        let below = (1u32 << lane) - 1;
        match b {
            Builtin::Thread(a) => axis(thread(), a),
            Builtin::Block(a) => axis(self.block, a),
            Builtin::BlockSize(a) => axis(self.geometry.block, a),
            Builtin::GridSize(a) => axis(self.geometry.grid, a),
            Builtin::GridThread(a) => {
                axis(self.block, a).wrapping_mul(axis(self.geometry.block, a)).wrapping_add(axis(thread(), a))
            }
            Builtin::LinearThread => linear,
            Builtin::Lane => lane as u32,
            Builtin::Warp => self.warp,
            Builtin::Mask(LaneMask::Equal) => 1 << lane,
            Builtin::Mask(LaneMask::Less) => below,
            Builtin::Mask(LaneMask::LessEqual) => below | 1 << lane,
            Builtin::Mask(LaneMask::Greater) => !(below | 1 << lane),
            Builtin::Mask(LaneMask::GreaterEqual) => !below,
            Builtin::ClockLow => self.clock as u32,
            Builtin::ClockHigh => (self.clock >> 32) as u32,
            Builtin::ActiveInQuad => (active & quad).count_ones(),
            Builtin::ActiveInWarp => active.count_ones(),
            Builtin::RankInQuad => (active & quad & below).count_ones(),
            Builtin::RankInWarp => (active & below).count_ones(),
            Builtin::IsActive => active >> lane & 1,
            // The warp answers for its stack pointer.
            Builtin::StackPointer | Builtin::Zero => 0,
        }
    }

    /// A value in constant memory.
    ///
    /// # Errors
    /// Bytes beyond the end of the bank.
    pub fn constant(&self, bank: u8, offset: u32, ty: Type) -> Result<u64, Cause> {
        let bytes = self.constants.bank_bytes(bank);
        let at = offset as usize;
        match bytes.get(at..at + ty.bytes() as usize) {
            Some(b) => Ok(little_endian(b)),
            None => Err(Cause::OutOfRange {
                space: Space::Constant(bank),
                address: offset.into(),
                bytes: ty.bytes(),
                limit: bytes.len() as u64,
            }),
        }
    }

    /// Size of a memory; `local` is that of the lane.
    fn limit(&self, space: Space, local: &[u8]) -> u64 {
        match space {
            Space::Global => self.global.usable().end,
            Space::Shared => self.shared.len() as u64,
            Space::Local => local.len() as u64,
            Space::Constant(bank) => self.constants.bank_bytes(bank).len() as u64,
            Space::Buffer(n) => self.buffers.get(usize::from(n)).map_or(0, |b| b.1),
        }
    }

    /// Whether a lane's access is aligned and inside.
    ///
    /// # Errors
    /// It is not.
    pub fn check(&self, access: &Access, address: u64, lane: usize, local: &[u8]) -> Result<(), Fault> {
        let size = access.element.bytes();
        let last = 8 - access.elements.leading_zeros();
        let bytes = size * last;
        let space = access.space;
        if address % u64::from(access.align.max(1)) != 0 {
            let fault = Cause::Misaligned { space, address, bytes };
            return Err(fault.in_lane(lane));
        }
        let limit = self.limit(space, local);
        if space == Space::Global && address < self.global.usable().start {
            let fault = Cause::Null { address, bytes, limit };
            return Err(fault.in_lane(lane));
        }
        if address.checked_add(bytes.into()).is_none_or(|end| end > limit) {
            let fault = Cause::OutOfRange { space, address, bytes, limit };
            return Err(fault.in_lane(lane));
        }
        Ok(())
    }

    /// Bits of an element whose address was checked.
    pub fn load(&mut self, space: Space, address: u64, ty: Type, local: &[u8]) -> u64 {
        let n = ty.bytes() as usize;
        let slice = |m: &[u8]| {
            let at = address as usize;
            m.get(at..at + n).map_or(0, little_endian)
        };
        match space {
            Space::Global => self.global.number(address, n),
            Space::Buffer(b) => self.global.number(self.base(b) + address, n),
            Space::Shared => slice(self.shared),
            Space::Local => slice(local),
            Space::Constant(bank) => slice(self.constants.bank_bytes(bank)),
        }
    }

    /// Stores the low bits of an element whose address was checked.
    pub fn store(&mut self, space: Space, address: u64, ty: Type, bits: u64, local: &mut [u8]) {
        let n = ty.bytes() as usize;
        let bytes = &bits.to_le_bytes()[..n];
        let at = address as usize;
        let memory = match space {
            Space::Global => return self.global.put(address, bytes),
            Space::Buffer(b) => return self.global.put(self.base(b) + address, bytes),
            Space::Constant(_) => return,
            Space::Shared => &mut *self.shared,
            Space::Local => local,
        };
        if let Some(to) = memory.get_mut(at..at + n) {
            to.copy_from_slice(bytes);
        }
    }

    /// Notes an access of `bytes` bytes by each of `lanes` to a memory that threads share, where that is asked for.
    pub fn touched(
        &self, to: &mut Accesses, (space, touch): (Space, Touch), lanes: u32, bytes: u32, addresses: &[u64; 32],
        values: &[u64; 32],
    ) {
        if !to.are_wanted() {
            return;
        }
        let (memory, base) = match space {
            Space::Shared => (watch::Shared::Block, 0),
            Space::Global => (watch::Shared::Global, 0),
            Space::Buffer(n) => (watch::Shared::Global, self.base(n)),
            Space::Local | Space::Constant(_) => return,
        };
        let addresses = addresses.map(|a| (base + a) as u32);
        to.add(Touched { memory, touch, lanes, bytes, addresses, values: *values });
    }

    fn base(&self, buffer: u8) -> u64 {
        self.buffers.get(usize::from(buffer)).map_or(0, |b| b.0)
    }
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b))
}
