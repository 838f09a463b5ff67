//! Fetch of SM 1.0: lines of 8 bytes, one for each warp, and whether they are part of the program.

use super::tiny;
use crate::support::{dut::Dut, mutants::tells, Random};
use warpsmith_hdl::config::GpuConfig;
use warpsmith_hdl::sm::dims::Dims;
use warpsmith_hdl::sm::pipeline::fetch::Fetch;

#[test]
fn every_warp_reads_the_line_it_asked_for_last() {
    let cfg = GpuConfig { program_bytes: 512, ..tiny() };
    let d = Dims::of(&cfg);
    tells(&Fetch::new(&cfg), 90, |dut| check(dut, &cfg, &d));
}

fn check(dut: &mut Dut, cfg: &GpuConfig, d: &Dims) {
    let mut r = Random(0x5EED_0201);
    let words: Vec<u32> = (0..cfg.program_bytes / 4).map(|_| r.word()).collect();
    dut.load_program(&words);
    // Address and size of the program when the warp asked last.
    let mut asked: Vec<Option<(u32, u32)>> = vec![None; d.warps];
    let mut filling: Option<(usize, (u32, u32))> = None;
    for program_bytes in [512u32, 508, 256, 12, 4, 0] {
        dut.set("program_bytes", program_bytes);
        for _ in 0..400 {
            let asks = r.chance(70);
            let warp = r.index(d.warps);
            let pc = match r.chance(50) {
                true => program_bytes.saturating_sub(4 * r.below(4)),
                false => 4 * r.below(1 << (d.pc - 2)),
            };
            dut.set("fetch_valid", asks);
            dut.set("fetch_warp", warp as u64);
            dut.set("fetch_pc", pc);
            let seen = r.index(d.warps);
            dut.set("sel_warp", seen as u64);
            // Without `prog_we` the port writes nothing.
            dut.set("prog_address", r.below(cfg.program_bytes as u32 / 4));
            dut.set("prog_data", r.word());
            dut.eval();
            if let Some((pc, program)) = asked[seen] {
                assert_eq!(dut.is("sel_inside"), pc < program, "{pc:#x} of {program}");
                let line = pc as usize / 8 * 2;
                if line < words.len() {
                    let want = u64::from(words[line + 1]) << 32 | u64::from(words[line]);
                    assert_eq!(dut.get("sel_line"), want, "{pc:#x}");
                }
            }
            if let Some((warp, what)) = filling.take() {
                asked[warp] = Some(what);
            }
            if asks {
                filling = Some((warp, (pc, program_bytes)));
            }
            dut.tick();
        }
    }
}
