//! Simulations of small hand-written Verilog.

use std::path::Path;
use warpsmith_cosim::{BuildOptions, Design, MemoryOptions, MemoryTiming, Stop};

fn folder(dir: &Path, verilog: &str, ports: &[(&str, usize, &str)]) {
    let ports: Vec<_> =
        ports.iter().map(|(n, w, d)| serde_json::json!({"name": n, "width": w, "direction": d})).collect();
    let manifest = serde_json::json!({"name": "test", "top": "chip", "config": {}, "ports": ports, "files": {}});
    std::fs::write(dir.join("manifest.json"), manifest.to_string()).unwrap();
    std::fs::write(dir.join("files.f"), "chip.v\n").unwrap();
    std::fs::write(dir.join("chip.v"), verilog).unwrap();
}

const COUNTER: &str = "
module chip(input clock, input reset, input [95:0] wide_in, output [95:0] wide_out, output done, output [7:0] power_on);
  reg [31:0] count; reg [7:0] unset;
  always @(posedge clock) begin
    if (reset) count <= 0; else count <= count + 1;
    if (count == 32'hffffffff) unset <= 0;
  end
  assign wide_out = {wide_in[63:0], count};
  assign done = count == 100;
  assign power_on = unset;
endmodule
";

#[test]
fn a_module_is_built_once_clocked_and_read_word_by_word() {
    let dir = tempfile::tempdir().unwrap();
    let cache = tempfile::tempdir().unwrap();
    folder(
        dir.path(),
        COUNTER,
        &[
            ("clock", 1, "input"),
            ("reset", 1, "input"),
            ("wide_in", 96, "input"),
            ("wide_out", 96, "output"),
            ("done", 1, "output"),
            ("power_on", 8, "output"),
        ],
    );
    let options = BuildOptions { cache: Some(cache.path().into()), ..Default::default() };
    let design = Design::open(dir.path(), &options).unwrap();
    let mut s = design.simulate(1);
    s.set(1, 0, 1);
    s.run(3, false, 1 << 20);
    s.set(1, 0, 0);
    s.set(2, 0, 0xaaaa_0001);
    s.set(2, 1, 0xbbbb_0002);
    assert_eq!(s.run(1000, true, 1 << 20), Stop::Done);
    assert_eq!([s.get(3, 0), s.get(3, 1), s.get(3, 2)], [100, 0xaaaa_0001, 0xbbbb_0002]);
    assert_eq!(s.cycle(), 103);
    // Power-on values come from the seed: some of a few seeds differ, the same seed agrees.
    let read = |seed| {
        let mut s = design.simulate(seed);
        s.eval();
        s.get(5, 0)
    };
    assert_eq!(read(5), read(5));
    assert!((0..8).any(|i| read(i) != read(5)));
    // The second opening takes the cached library. (Beside it stand the model and Verilator's runtime.)
    let built = || -> Vec<std::path::PathBuf> {
        let entries = std::fs::read_dir(cache.path()).unwrap();
        let names = entries.map(|e| e.unwrap().file_name().into_string().unwrap());
        let libraries = names.filter(|n| !n.starts_with("model-") && !n.starts_with("runtime-"));
        libraries.map(|n| cache.path().join(n)).collect()
    };
    let library = built()[0].join("chip.so");
    let made = || library.metadata().unwrap().modified().unwrap();
    let before = made();
    Design::open(dir.path(), &options).unwrap();
    assert_eq!((made(), built().len()), (before, 1));
    // A cache may be named from here.
    let up: std::path::PathBuf = std::env::current_dir().unwrap().iter().skip(1).map(|_| "..").collect();
    let relative = BuildOptions {
        cache: Some(up.join(cache.path().strip_prefix("/").unwrap()).join("a cache")),
        ..Default::default()
    };
    Design::open(dir.path(), &relative).unwrap();
    std::fs::remove_dir_all(cache.path().join("a cache")).unwrap();
    // A build that was killed leaves a folder; the next build of the chip takes it away.
    let mut left = built()[0].clone().into_os_string();
    left.push(".4000000");
    std::fs::rename(library.parent().unwrap(), &left).unwrap();
    Design::open(dir.path(), &options).unwrap();
    assert!(made() > before && built() == [library.parent().unwrap()]);
    #[cfg(feature = "verilated")]
    assert!(warpsmith_engine_verilator::runtime_version().contains("Verilator"));
}

const MEMORY: &str = "
module chip(input clock, input reset, output mem_valid, input mem_ready, output mem_write, output [31:0] mem_address,
  output [63:0] mem_wdata, output [7:0] mem_wmask, input mem_rvalid, input [63:0] mem_rdata, output done, output reg [63:0] last, output reg [31:0] answers);
  reg [2:0] step;
  always @(posedge clock) begin
    if (reset) begin step <= 0; answers <= 0; end
    else if (mem_valid & mem_ready) step <= step + 1;
    if (!reset & mem_rvalid) begin last <= mem_rdata; answers <= answers + 1; end
  end
  assign mem_valid = step < 3;
  assign mem_write = step == 1;
  assign mem_address = 32'h10008;
  assign mem_wdata = 64'h1122334455667788;
  assign mem_wmask = 8'h0f;
  assign done = answers == 2;
endmodule
";

#[test]
fn reads_see_the_memory_as_it_was_when_they_were_accepted() {
    let dir = tempfile::tempdir().unwrap();
    let cache = tempfile::tempdir().unwrap();
    let o = "output";
    folder(
        dir.path(),
        MEMORY,
        &[
            ("clock", 1, "input"),
            ("reset", 1, "input"),
            ("mem_valid", 1, o),
            ("mem_ready", 1, "input"),
            ("mem_write", 1, o),
            ("mem_address", 32, o),
            ("mem_wdata", 64, o),
            ("mem_wmask", 8, o),
            ("mem_rvalid", 1, "input"),
            ("mem_rdata", 64, "input"),
            ("done", 1, o),
            ("last", 64, o),
            ("answers", 32, o),
        ],
    );
    let design =
        Design::open(dir.path(), &BuildOptions { cache: Some(cache.path().into()), ..Default::default() }).unwrap();
    for (latency, ready) in [(1, 256), (20, 100)] {
        let mut s = design.simulate(3);
        s.write_memory(0x10008, &[9, 0, 0, 0, 7, 0, 0, 0]);
        s.configure_memory(
            &MemoryOptions { timing: MemoryTiming::Latency(latency, latency), ready_of_256: ready, seed: 2 },
            0x10010,
            0..0,
        );
        s.set(1, 0, 1);
        s.run(2, false, 1 << 20);
        s.set(1, 0, 0);
        assert_eq!(s.run(1000, true, 1 << 20), Stop::Done);
        assert_eq!([s.get(11, 0), s.get(11, 1)], [0x5566_7788, 7]);
        assert_eq!(s.read_memory(0x10008, 8), [0x88, 0x77, 0x66, 0x55, 7, 0, 0, 0]);
        assert_eq!(s.strays(), None);
    }
}

/// GCC 12 turns sums of sixteen comparisons into vectors in which true is -1, and forgets to negate.
#[test]
fn sums_of_comparisons_are_what_the_verilog_says() {
    const PARTS: usize = 16;
    let all = |part: &dyn Fn(usize) -> String, between: &str| (0..PARTS).map(part).collect::<Vec<_>>().join(between);
    // The sum of a chip's stalls: causes in registers of instances, far from each other.
    let verilog = format!(
        "module part(input clock, input [3:0] cause, output is_15);
  reg [3:0] kept; reg [63:0] between [0:15];
  always @(posedge clock) begin kept <= cause; between[cause] <= between[kept] + 1; end
  assign is_15 = kept == 4'd15;
endmodule
module chip(input clock, input reset, input [63:0] causes, output [4:0] sum, output done);
  reg [4:0] total;
  {parts}
  always @(posedge clock) if (reset) total <= 0; else total <= {sum};
  assign sum = total; assign done = 0;
endmodule
",
        parts = all(&|i| format!("wire o{i}; part p{i}(clock, causes[{}:{}], o{i});", 4 * i + 3, 4 * i), "\n  "),
        sum = all(&|i| format!("{{4'd0, o{i}}}"), " + "),
    );
    let dir = tempfile::tempdir().unwrap();
    folder(
        dir.path(),
        &verilog,
        &[
            ("clock", 1, "input"),
            ("reset", 1, "input"),
            ("causes", 64, "input"),
            ("sum", 5, "output"),
            ("done", 1, "output"),
        ],
    );
    let design = Design::open(dir.path(), &BuildOptions::default()).unwrap();
    let mut s = design.simulate(1);
    s.set(1, 0, 0);
    for causes in [0, u64::MAX, 0xf0f0_f0f0_1234_5678, 0x0000_0000_0000_00f0] {
        s.set(2, 0, causes as u32);
        s.set(2, 1, (causes >> 32) as u32);
        s.run(2, false, 1 << 20);
        let want = (0..PARTS).filter(|i| causes >> (4 * i) & 15 == 15).count();
        assert_eq!(s.get(3, 0) as usize, want, "of {causes:016x}");
    }
}

#[test]
fn a_broken_module_is_an_error_with_the_compiler_s_line() {
    let dir = tempfile::tempdir().unwrap();
    let cache = tempfile::tempdir().unwrap();
    folder(dir.path(), "module chip(input clock); assign x = nothing +; endmodule", &[("clock", 1, "input")]);
    let error = Design::open(dir.path(), &BuildOptions { cache: Some(cache.path().into()), ..Default::default() })
        .err()
        .unwrap()
        .to_string();
    assert!(error.contains("chip.v:1"), "{error}");
}
