//! Fetch of instructions that begin at any multiple of a unit: as many units as the longest has, and how many of them are
//! part of the program.

use super::{dut::Dut, Random};
use rust_hdl_core::block::Block;
use warpsmith_hdl::config::{GpuConfig, Isa};
use warpsmith_hdl::sm::dims::Dims;

/// A smallest chip of `isa` with a program of 512 bytes.
pub fn chip(isa: Isa) -> GpuConfig {
    GpuConfig { isa, program_bytes: 512, ..GpuConfig::named("tiny").expect("a known configuration") }
}

/// Every warp reads what it asked for last, of programs of so many bytes: `most` units of `unit` bytes.
pub fn check(block: &dyn Block, cfg: &GpuConfig, seed: u64, programs: &[u32], (unit, most): (u32, u32)) {
    let d = Dims::of(cfg);
    let mut dut = Dut::native(block);
    let mut r = Random(seed);
    let words: Vec<u32> = (0..cfg.program_bytes / 4).map(|_| r.word()).collect();
    let memory: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    dut.load_program(&words);
    // What each warp has asked for last.
    let mut asked: Vec<Option<(u32, u32)>> = vec![None; d.warps];
    let mut filling: Option<(usize, (u32, u32))> = None;
    for &program_bytes in programs {
        dut.set("program_bytes", program_bytes);
        for _ in 0..3000 {
            let asks = r.chance(70);
            let warp = r.below(d.warps as u32);
            let near = program_bytes.saturating_sub(r.below(3 * unit * most));
            let pc = match r.below(3) {
                0 => near,
                _ => r.below(1 << d.pc),
            };
            let pc = if r.chance(10) { pc } else { pc & !(unit - 1) };
            dut.set("fetch_valid", asks);
            dut.set("fetch_warp", warp);
            dut.set("fetch_pc", pc);
            let seen = r.below(d.warps as u32) as usize;
            dut.set("sel_warp", seen as u64);
            dut.eval();
            assert_eq!(dut.is("fill_valid"), filling.is_some());
            if let Some((warp, _)) = filling {
                assert_eq!(dut.get("fill_warp"), warp as u64);
            }
            if let Some((pc, program)) = asked[seen] {
                let left = if pc % unit != 0 { 0 } else { program.saturating_sub(pc) };
                let inside = (left / unit).min(most);
                assert_eq!(dut.get("sel_inside"), u64::from(inside), "{pc:#x} of {program}");
                let line = (0..unit * most / 4).flat_map(|i| dut.word_of("sel_line", i as usize).to_le_bytes());
                for (i, byte) in line.enumerate().take((unit * inside) as usize) {
                    assert_eq!(byte, memory[pc as usize + i], "byte {i} at {pc:#x}");
                }
            }
            if let Some((warp, what)) = filling.take() {
                asked[warp] = Some(what);
            }
            if asks {
                filling = Some((warp as usize, (pc, program_bytes)));
            }
            dut.tick();
        }
    }
}
