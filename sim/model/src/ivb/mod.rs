//! Ivy Bridge: registers and divergence of a thread, its start.
//!
//! A thread covers 8 or 16 work-items of a group. r0.1, r0.6 and r0.7 hold the group, r0.2 the thread in it,
//! r1 to r3 the work-items in x, y and z as words, r4 and on the parameters of the launch.

mod channels;
mod registers;

use crate::record::Spread;
use crate::uop::{Core, Geometry, Set, Warp};
use channels::Channels;
use registers::File;
use warpsmith_isa::ivb::{self, lower};
use warpsmith_isa::set::InstructionSet;
use warpsmith_isa::uop::{Place, Region};
use warpsmith_launch::Launch;

/// The model.
#[derive(Clone, Copy, Debug)]
pub struct Ivb;

/// Dword in the general registers where the parameters begin, r4.0.
const PARAMETERS: usize = 32;
/// Dwords of the general registers.
const DWORDS: usize = ivb::DWORDS * ivb::REGISTERS as usize;
/// Words of a register.
const WORDS: usize = 16;

impl Set for Ivb {
    fn instructions(&self) -> &'static dyn InstructionSet {
        &ivb::Ivb
    }

    fn register(&self, number: u8, spread: Spread, lane: usize) -> Place {
        let dword = 8 * usize::from(number) + usize::from(spread.dword) + lane.saturating_sub(spread.first.into());
        Place::Region(Region {
            file: lower::file::GENERAL,
            byte: (4 * (dword % DWORDS)) as i16,
            vertical: 0,
            width: 1,
            horizontal: 0,
            indirect: None,
            each_row: false,
            components: [0, 1, 2, 3],
        })
    }

    fn start(
        &self, launch: &Launch, geometry: &Geometry, block: [u32; 3], warp: u32, _stack_depth: usize,
    ) -> Box<dyn Warp> {
        Box::new(start(launch, geometry, block, warp))
    }
}

/// A thread of a launch at its start.
fn start(launch: &Launch, geometry: &Geometry, block: [u32; 3], warp: u32) -> Core<File, Channels> {
    let dispatched = geometry.present(warp);
    let mut file = File::new(dispatched, 0);
    let [x, y, z] = block;
    for (n, value) in [(1, x), (2, warp), (6, y), (7, z)] {
        file.set_dword(n, value);
    }
    for lane in 0..geometry.lanes {
        let item = geometry.thread(warp * geometry.lanes + lane);
        for (axis, index) in item.into_iter().enumerate() {
            file.set_word((1 + axis) * WORDS + lane as usize, index as u16);
        }
    }
    let room = DWORDS - PARAMETERS;
    for (n, value) in launch.params.iter().take(room).enumerate() {
        file.set_dword(PARAMETERS + n, *value);
    }
    if let Some(address) = launch.sip {
        file.set_routine(address);
    }
    file.define(4 * (PARAMETERS + launch.params.len().min(room)));
    Core::new(file, Channels::new(dispatched), 0)
}

/// A thread for tests: so many channels, no launch behind it, surfaces of `pitch` bytes a row.
pub fn thread(channels: u32, pitch: u32) -> Box<dyn Warp> {
    let dispatched = (1u64 << channels.min(32)) as u32;
    let dispatched = dispatched.wrapping_sub(1);
    let file = File::new(dispatched, pitch);
    Box::new(Core::new(file, Channels::new(dispatched), 0))
}
