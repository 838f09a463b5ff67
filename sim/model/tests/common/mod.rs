//! Helpers of the tests of this crate.

pub mod accuracy;
pub mod build;
pub mod kernels;
pub mod reference;
pub mod structured;

use warpsmith_model::{uop, Constants, GlobalMemory, Launch};

/// A warp of a set that executed the first instruction of a launch's program, after `prepare`.
pub fn one_step(
    set: &'static dyn uop::Set, launch: &Launch, constants: &Constants, prepare: impl Fn(&mut dyn uop::Warp),
) -> Result<Box<dyn uop::Warp>, String> {
    let geometry = uop::Geometry { grid: [1, 1, 1], block: [32, 1, 1], lanes: launch.warp_threads() };
    let program = uop::Program::new(set.instructions(), &launch.program.bytes);
    let mut warp = set.start(launch, &geometry, [0; 3], 0, 32);
    prepare(&mut *warp);
    let mut env = uop::Env {
        geometry,
        block: [0; 3],
        warp: 0,
        clock: 0,
        global: &mut GlobalMemory::new(1 << 16),
        shared: &mut vec![0; 1 << 12],
        constants,
        buffers: &[],
        tracking: None,
    };
    warp.step(&program, &mut env, &mut uop::Step::default()).map_err(|f| format!("lane {}: {}", f.lane, f.cause))?;
    Ok(warp)
}
