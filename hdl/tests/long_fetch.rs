//! Fetch of G13 and Ivy Bridge: the bytes of the longest instruction at any address that one may have, and how many
//! units of 2 or 8 of them are part of the program.

use crate::support::{dut::Dut, Random};
use warpsmith_hdl::config::{GpuConfig, Isa};
use warpsmith_hdl::sm::dims::Dims;
use warpsmith_hdl::sm::pipeline::channel_fetch::ChannelFetch;
use warpsmith_hdl::sm::pipeline::g13_fetch::G13Fetch;

/// `tiny` with programs of 512 bytes.
fn chip(isa: Isa) -> GpuConfig {
    GpuConfig { isa, program_bytes: 512, ..GpuConfig::named("tiny").expect("a known configuration") }
}

#[test]
fn g13_fetch_gives_twelve_bytes_at_any_address() {
    let cfg = chip(Isa::G13);
    gives(Dut::native(&G13Fetch::new(&cfg)), &cfg, (2, 12), &[512, 510, 256, 14, 2, 0]);
}

#[test]
fn channel_fetch_gives_sixteen_bytes_at_any_multiple_of_eight() {
    let cfg = chip(Isa::Ivb);
    gives(Dut::native(&ChannelFetch::new(&cfg)), &cfg, (8, 16), &[512, 504, 508, 256, 24, 16, 8, 4, 0]);
}

/// Instructions begin at multiples of `unit` bytes and have `most` at the most; programs of some lengths.
fn gives(mut dut: Dut, cfg: &GpuConfig, (unit, most): (u32, u32), programs: &[u32]) {
    let d = Dims::of(cfg);
    let mut r = Random(0x5EED_0131);
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
            let near = program_bytes.saturating_sub(r.below(40));
            let pc = match r.below(3) {
                0 => near,
                _ => r.below(1 << d.pc),
            };
            let pc = if r.chance(5) { pc | (1 + r.below(unit - 1)) } else { pc & !(unit - 1) };
            dut.set("fetch_valid", asks);
            dut.set("fetch_warp", warp);
            dut.set("fetch_pc", pc);
            let seen = r.below(d.warps as u32) as usize;
            dut.set("sel_warp", seen as u64);
            dut.eval();
            if let Some((pc, program)) = asked[seen] {
                let left = if pc % unit != 0 { 0 } else { program.saturating_sub(pc) };
                let inside = (left / unit).min(most / unit);
                assert_eq!(dut.get("sel_inside"), u64::from(inside), "{pc:#x} of {program}");
                let line = (0..most as usize / 4).flat_map(|i| dut.word_of("sel_line", i).to_le_bytes());
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
