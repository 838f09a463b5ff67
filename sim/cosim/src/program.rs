//! What a host writes to a chip's bus before it starts a grid: the same from a simulation and from
//! behind a serial line.

use crate::chip::Placement;
use warpsmith_model::Launch;

/// Byte addresses of the register map (docs/registers.md).
#[allow(missing_docs)] // names of the page
pub mod map {
    pub const ID: u32 = 0x00;
    pub const CONTROL: u32 = 0x04;
    pub const STATUS: u32 = 0x08;
    pub const TRAP: u32 = 0x0c;
    pub const TRAP_PC: u32 = 0x10;
    pub const TRAP_BLOCK: u32 = 0x14;
    pub const GRID: u32 = 0x20;
    pub const BLOCK_XY: u32 = 0x24;
    pub const BLOCK_Z: u32 = 0x28;
    pub const THREADS: u32 = 0x2c;
    pub const REGISTERS: u32 = 0x30;
    pub const SHARED_BYTES: u32 = 0x34;
    pub const PROGRAM_BYTES: u32 = 0x38;
    pub const START_PC: u32 = 0x3c;
    pub const GLOBAL_LAST: u32 = 0x40;
    pub const LOCAL_BASE: u32 = 0x44;
    pub const LOCAL_BYTES: u32 = 0x48;
    pub const PARAM_COUNT: u32 = 0x4c;
    pub const BANK: u32 = 0x80;
    pub const PARAM: u32 = 0x100;
    pub const COUNTER: u32 = 0x200;
    pub const CONSTANT_RAM: u32 = 0x40000;
    pub const PROGRAM_RAM: u32 = 0x80000;
    /// What ID reads.
    pub const ID_VALUE: u32 = 0x5741_5250;
}

/// The bus writes that load a launch, in their order; the start is not among them.
pub fn program(launch: &Launch, placement: &Placement) -> Vec<(u32, u32)> {
    let l = launch;
    let [gx, gy] = l.grid;
    let [bx, by, bz] = l.block;
    let global_last = u32::try_from(l.global_bytes.saturating_sub(1)).unwrap_or(u32::MAX);
    let mut writes = vec![
        (map::GRID, gy << 16 | gx),
        (map::BLOCK_XY, by << 16 | bx),
        (map::BLOCK_Z, bz),
        (map::THREADS, bx * by * bz),
        (map::REGISTERS, l.registers),
        (map::SHARED_BYTES, l.shared_bytes),
        (map::PROGRAM_BYTES, 4 * l.program.len() as u32),
        (map::START_PC, 0),
        (map::GLOBAL_LAST, global_last),
        (map::LOCAL_BASE, placement.local_base),
        (map::LOCAL_BYTES, l.local_bytes),
        (map::PARAM_COUNT, l.params.len() as u32),
    ];
    let banks = placement.banks.map(|(base, size)| size << 16 | base);
    for (first, words) in [
        (map::BANK, &banks[..]),
        (map::PARAM, &l.params),
        (map::CONSTANT_RAM, &placement.constants),
        (map::PROGRAM_RAM, &l.program),
    ] {
        writes.extend((first..).step_by(4).zip(words.iter().copied()));
    }
    writes
}
