//! The bus writes of a host before it starts a grid: the same from a simulation and from behind a
//! serial line.

use crate::chip::Placement;
use warpsmith_contract::registers::{self as map, bank, block_xy, control, grid, Register};
use warpsmith_model::Launch;

/// What is written to CONTROL to start a launch.
pub fn start_word(launch: &Launch) -> u32 {
    control::START.put(1) | control::GUARD.put(launch.guard.into())
}

/// The bus writes that load a launch, in their order; the start is not among them.
pub fn launch_sequence(launch: &Launch, placement: &Placement) -> Vec<(u32, u32)> {
    let l = launch;
    let (program, params) = (l.program.words(), l.chip_params());
    let [gx, gy] = l.grid;
    let [bx, by, bz] = l.block;
    let global_last = u32::try_from(l.global_bytes.saturating_sub(1)).unwrap_or(u32::MAX);
    let mut writes: Vec<(u32, u32)> = [
        (map::GRID, grid::Y.put(gy) | grid::X.put(gx)),
        (map::BLOCK_XY, block_xy::Y.put(by) | block_xy::X.put(bx)),
        (map::BLOCK_Z, bz),
        (map::THREADS, bx * by * bz),
        (map::REGISTERS, l.registers_value()),
        (map::SHARED_BYTES, l.chip_shared_bytes()),
        (map::PROGRAM_BYTES, l.program.len()),
        (map::START_PC, 0),
        (map::GLOBAL_LAST, global_last),
        (map::LOCAL_BASE, placement.local_base),
        (map::LOCAL_BYTES, l.local_bytes),
        (map::PARAM_COUNT, params.len() as u32),
    ]
    .map(|(register, value)| (register.address, value))
    .into();
    let banks = placement.banks.map(|(first, words)| bank::WORDS.put(words) | bank::FIRST.put(first));
    let lists: [(Register, &[u32]); 4] = [
        (map::BANK, &banks),
        (map::PARAM, params),
        (map::CONSTANT_RAM, &placement.constants),
        (map::PROGRAM_RAM, &program),
    ];
    for (register, words) in lists {
        writes.extend((0..).map(|i| register.at(i)).zip(words.iter().copied()));
    }
    writes
}
