//! What kernels print, on the model: with and without atomic accesses, assertions, a buffer that is full.

use std::path::Path;
use warpsmith_compiler::clang::find;
use warpsmith_isa::{ChipInfo, Level};
use warpsmith_launch_file::parse_for;
use warpsmith_model::launch::Printed;
use warpsmith_model::{Launch, Machine, ModelConfig, RunError};

/// Runs a launch: how it ended, and what it printed.
fn run(launch: &Launch, level: Level) -> (Result<(), String>, Printed) {
    let config = ModelConfig { tier: ChipInfo::unlimited().tier.at(level), ..ModelConfig::default() };
    let mut machine = Machine::new(launch, config);
    let ended = machine.run(10_000_000).map(|_| ()).map_err(|e| e.to_string());
    (ended, Printed::of(launch, machine.global()))
}

/// A launch of a source with one buffer of 64 words.
fn launch(dir: &Path, source: &str, keys: &str, level: Level) -> Launch {
    std::fs::write(dir.join("k.cu"), source).expect("a file");
    let level = if level == Level::Sm10 { "sm10" } else { "sm11" };
    let text = format!(
        "program = \"k.cu\"\nlevel = \"{level}\"\n{keys}\nargs = [\"a\"]\n[[buffer]]\nname = \"a\"\nbytes = 256\n"
    );
    parse_for(&dir.join("l.toml"), &text, &ChipInfo::unlimited()).unwrap_or_else(|e| panic!("{e}"))
}

fn found() -> bool {
    warpsmith_testkit::found(find::find(None)).is_some()
}

const LEVELS: [Level; 2] = [Level::Sm10, Level::Sm11];

/// The lines that `kernels/printing` says it prints.
fn told() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels");
    let words = std::fs::read_to_string(folder.join("reduction/in.hex")).expect("the data");
    let words = words.lines().map(|l| u32::from_str_radix(l, 16).expect("a word"));
    let line = |(i, w): (usize, u32)| {
        let told = format!("word {i:3} of block {}: {w:#010x}, {}\n", i / 90, w as i32);
        (w % 16 == 0).then_some(told)
    };
    words.enumerate().filter_map(line).collect()
}

#[test]
fn kernels_print_in_both_languages() {
    if !found() {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels/printing");
    for file in ["printing_cu.toml", "printing_cl.toml"] {
        for level in LEVELS {
            let text = std::fs::read_to_string(folder.join(file)).expect("the launch file");
            let text = if level == Level::Sm10 { text } else { format!("level = \"sm11\"\n{text}") };
            let launch = parse_for(&folder.join(file), &text, &ChipInfo::unlimited()).unwrap_or_else(|e| panic!("{e}"));
            let (ended, printed) = run(&launch, level);
            assert_eq!(ended, Ok(()), "{file}");
            // With atomic accesses warps take turns.
            let sorted = |text: &str| {
                let mut lines: Vec<&str> = text.lines().collect();
                lines.sort_unstable();
                lines.join("\n")
            };
            assert_eq!(sorted(&printed.text), sorted(&told()), "{file}");
            assert!(level == Level::Sm11 || printed.text == told(), "{file}");
            assert!(!printed.cut);
        }
    }
}

const SOURCE: &str = "#include <stdio.h>
#include <assert.h>
enum Colour { RED, GREEN };
__global__ void k(int *a) {
  int i = threadIdx.x;
  if (i == 5) {
    a[0] = printf(\"%d %u %lld %x %c|%5s|%-5s|%p %f %.3f %e %d %d %s\\n\", -i, i, -1ll << 40, 255, 'x', \"ab\", \"cd\", (void *)16, 1.5f,
                  0.25f, 1e10f, true, GREEN, (const char *)\"end\");
    a[1] = printf(\"nothing\\n\");
  }
  for (int n = 0; n < i % 3; n++)
    if (i < 40) printf(\"thread %d, round %d\\n\", i, n);
}
";

#[test]
fn arguments_keep_their_types_and_threads_their_order() {
    if !found() {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    for level in LEVELS {
        let launch = launch(dir.path(), SOURCE, "grid = [1]\nblock = [45]", level);
        let (ended, printed) = run(&launch, level);
        assert_eq!(ended, Ok(()));
        let first = "-5 5 -1099511627776 ff x|   ab|cd   |0x10 1.500000 0.250 1.000000e+10 1 1 end\n";
        assert!(printed.text.contains(first) && printed.text.contains("nothing\n"), "{}", printed.text);
        for i in 0..40 {
            let mine: Vec<&str> = printed.text.lines().filter(|l| l.starts_with(&format!("thread {i},"))).collect();
            let wanted: Vec<String> = (0..i % 3).map(|n| format!("thread {i}, round {n}")).collect();
            assert_eq!(mine, wanted);
        }
    }
}

#[test]
fn a_failed_assertion_says_where_and_traps() {
    if !found() {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let source = "#include <assert.h>\n__global__ void k(int *a) {\n  assert(a[threadIdx.x] == 0);\n  a[threadIdx.x + 1] = 1;\n  assert(threadIdx.x + blockIdx.x != 7);\n}\n";
    for level in LEVELS {
        let launch = launch(dir.path(), source, "grid = [3]\nblock = [6]", level);
        let config = ModelConfig { tier: ChipInfo::unlimited().tier.at(level), ..ModelConfig::default() };
        let mut machine = Machine::new(&launch, config);
        let Err(RunError::Trap(trap)) = machine.run(1_000_000) else { panic!("no trap") };
        let printed = Printed::of(&launch, machine.global());
        // The second block finds what the first has written, or fails itself.
        let place = launch.source.place(trap.pc).expect("a line");
        assert!(["k.cu:3", "k.cu:5"].contains(&place.as_str()), "{place}");
        let line = printed.text.lines().next().unwrap_or_default();
        assert!(line.contains(&format!("{place}: ")) && line.ends_with("' failed."), "{place}: {}", printed.text);
        assert!(line.contains(&format!("block: [{},", trap.ctaid[0])), "{}", printed.text);
    }
    // Each at its own line.
    for (block, place, says) in [
        (8, "k.cu:5", "thread: [7,0,0] Assertion `threadIdx.x + blockIdx.x != 7' failed."),
        (6, "k.cu:3", "`a[threadIdx.x] == 0'"),
    ] {
        let grid = if block == 8 { 1 } else { 2 };
        let launch = launch(dir.path(), source, &format!("grid = [{grid}]\nblock = [{block}]"), Level::Sm10);
        let mut machine = Machine::new(&launch, ModelConfig::default());
        let Err(RunError::Trap(trap)) = machine.run(1_000_000) else { panic!("no trap") };
        assert_eq!(launch.source.place(trap.pc).as_deref(), Some(place));
        let printed = Printed::of(&launch, machine.global()).text;
        assert!(printed.contains(says) && printed.contains(&format!("{place}: ")), "{printed}");
    }
}

#[test]
fn what_does_not_fit_is_left_out_and_said() {
    if !found() {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    // 3 blocks of a warp: regions of 256 KiB; records of 20 bytes.
    let source = "#include <stdio.h>\n__global__ void k(int *a) {\n  for (int n = 0; n < 2; n++) {\n    long long v = n;\n    for (int m = 0; m < 80; m++) a[blockIdx.x * 20 + threadIdx.x] += printf(\"%lld %lld %lld %lld %lld %lld %lld %lld %lld %lld\\n\", v, v, v, v, v, v, v, v, v, v) == 10;\n  }\n}\n";
    let launch = launch(dir.path(), source, "grid = [3]\nblock = [20]", Level::Sm10);
    let (ended, printed) = run(&launch, Level::Sm10);
    assert_eq!(ended, Ok(()));
    // 128 bytes a record: 2,047 in a region, of 3,200.
    assert!(printed.cut);
    let lines = printed.text.lines().count();
    assert_eq!(lines, 3 * (((256 << 10) - 4) / 128));
}
