//! The figures of the project: emission, cycles and utilisation, speed of simulation and model, area.
//!
//! `cargo bench --bench figures`, or with names of sections: `-- emit compile model cycles speed engine lockstep fault differential build area`.
//! Figures are printed, never asserted: tests do not depend on the machine's mood.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use warpsmith_cache::cache_dir;
use warpsmith_compiler::kernel_names;
use warpsmith_cosim::{cosim, run_rtl, BuildOptions, Chip, CosimOptions, Ending, RunOptions};
use warpsmith_fault::{
    DifferentialSimulator, Engine, Fault, FaultKind, FaultSimulator, Golden, Record, Reference, SerialSimulator,
    SimulatorOptions, Site, SiteKind,
};
use warpsmith_fpga::synth::{synth, Options, Target};
use warpsmith_hdl::config::{GpuConfig, NAMES};
use warpsmith_hdl::emit::Emitted;
use warpsmith_model::{Launch, Machine, ModelConfig};
use warpsmith_netlist::flat::{self, Flat};

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let asked = |section: &str| wanted.is_empty() || wanted.iter().any(|w| w == section);
    if asked("emit") {
        emission();
    }
    if asked("compile") {
        compile();
    }
    if asked("model") {
        model_speed();
    }
    if asked("cycles") {
        cycles("tiny", true);
        cycles("default", true);
    }
    if asked("speed") {
        cycles("default", false);
    }
    if asked("engine") {
        engines("tiny");
        engines("default");
    }
    if asked("lockstep") {
        lockstep();
    }
    if asked("fault") {
        faults();
    }
    if asked("differential") {
        differential();
    }
    if asked("build") {
        build("default");
    }
    if asked("area") {
        area("tiny");
        area("default");
    }
}

fn emit(name: &str, trace: bool) -> Emitted {
    let mut config = GpuConfig::named(name).expect("a named configuration");
    config.trace = trace;
    warpsmith_hdl::chip(&config, name)
}

fn folder(emitted: &Emitted) -> PathBuf {
    emitted.cached().expect("the cache can be written")
}

/// Seconds until an engine can run a chip, and cycles a second of the native engine over those of Verilator's, taken
/// in turn within the same minute: the median of five.
fn engines(name: &str) {
    use warpsmith_cosim::Design;
    use warpsmith_engine_native::{Backend, BuildOptions as Native};
    let folder = folder(&emit(name, false));
    let verilator = Chip::open(&folder, &BuildOptions::default());
    let native = |backend| {
        let options = Native { backend, ..Native::default() };
        let started = Instant::now();
        let design = Design::native(&folder, options).unwrap_or_else(|e| panic!("{e}"));
        let seconds = started.elapsed().as_secs_f64();
        let engine = design.engine().name();
        let chip = Chip::on(&folder, design).expect("a chip");
        println!("  {engine}: ready in {seconds:.2} s");
        chip
    };
    println!("engines, {name} without trace port");
    let chips = [native(Backend::Code), native(Backend::Bytecode)];
    let verilator = match verilator {
        Ok(chip) => chip,
        Err(e) => return println!("  {e}"),
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    println!("  kernel             Verilator: cycles/s   code: times that   bytecode");
    for kernel in ["vector_add", "matmul_tiled", "black_scholes", "nbody"] {
        let launch = warpsmith_launch_file::load(root.join(kernel).join("launch.toml"));
        let launch = launch.unwrap_or_else(|e| panic!("{e}"));
        if name == "tiny" && kernel == "nbody" {
            continue;
        }
        let options = RunOptions { max_cycles: 40_000, ..RunOptions::default() };
        let rate = |chip: &Chip| {
            let mut cycles = 0;
            let started = Instant::now();
            while started.elapsed().as_secs_f64() < 0.4 {
                let ran = run_rtl(chip, &launch, &options).unwrap_or_else(|e| panic!("{e}"));
                cycles += ran.counters.cycles;
            }
            (cycles as f64, started.elapsed().as_secs_f64())
        };
        let (mut plain, mut ratios) = (vec![], [vec![], vec![]]);
        for _ in 0..5 {
            let (cycles, seconds) = rate(&verilator);
            plain.push(cycles / seconds);
            for (chip, ratios) in chips.iter().zip(&mut ratios) {
                let (c, s) = rate(chip);
                ratios.push(c / s * seconds / cycles);
            }
        }
        let median = |list: &mut Vec<f64>| {
            list.sort_by(f64::total_cmp);
            list[list.len() / 2]
        };
        println!(
            "  {kernel:<18} {:19.0} {:18.2} {:10.2}",
            median(&mut plain),
            median(&mut ratios[0]),
            median(&mut ratios[1])
        );
    }
}

fn emission() {
    println!("emission             seconds   modules     lines   bytes   flat: seconds   nodes");
    for name in NAMES {
        let started = Instant::now();
        let emitted = emit(name, true);
        let seconds = started.elapsed().as_secs_f64();
        let verilog = &emitted.files["warpsmith.v"];
        let modules = verilog.lines().filter(|l| l.starts_with("module ")).count();
        let config = GpuConfig::named(name).expect("a named configuration");
        let design = warpsmith_hdl::netlist(&config);
        let started = Instant::now();
        let flat = Flat::new(&design, flat::Options::default()).expect("our chips have a flat form");
        println!(
            "  {name:<18} {seconds:7.3} {modules:9} {:9} {:7} {:15.3} {:7}",
            verilog.lines().count(),
            verilog.len(),
            started.elapsed().as_secs_f64(),
            flat.graph.nodes().len()
        );
    }
}

/// Seconds from PTX to machine code for every kernel in C under `kernels/`, without clang: the median of five.
fn compile() {
    use warpsmith_compiler::clang::{find, names::readable, ClangOptions, Language};
    let clang = match find::find(None) {
        Ok(clang) => clang,
        Err(e) => return println!("compile: {e}"),
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    let mut files: Vec<PathBuf> = std::fs::read_dir(root)
        .expect("kernels/")
        .flatten()
        .filter(|e| e.path().is_dir())
        .flat_map(|e| std::fs::read_dir(e.path()).expect("a folder of kernels/"))
        .flatten()
        .map(|e| e.path())
        .collect();
    files.sort();
    let (target, options) = (warpsmith_compiler::Target::unlimited(), warpsmith_compiler::Options::default());
    let mut rows = Vec::new();
    for file in files {
        let name = file.display().to_string();
        let Some(language) = Language::of(&file).filter(|l| *l != Language::Ptx) else {
            continue;
        };
        let ptx = clang.compile(&file, language, &ClangOptions::default()).unwrap_or_else(|e| panic!("{e}")).text;
        for kernel in kernel_names(&ptx, &name).unwrap_or_else(|e| panic!("{e}")) {
            let mut seconds = [0.0; 5];
            let mut bytes = 0;
            for s in &mut seconds {
                let started = Instant::now();
                let (_, code) = warpsmith_compiler::compile(&ptx, &name, Some(&kernel), &target, &options)
                    .unwrap_or_else(|e| panic!("{e}"));
                *s = started.elapsed().as_secs_f64();
                bytes = 4 * code.words.len();
            }
            seconds.sort_by(f64::total_cmp);
            rows.push((seconds[2], bytes, kernel));
        }
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("compile              seconds   bytes of code, {} kernels, the slowest first", rows.len());
    for (seconds, bytes, kernel) in rows.iter().take(8) {
        println!("  {:<18} {seconds:7.4} {bytes:9}", readable(kernel));
    }
}

/// Launch files of our kernels, and of the shared integer programs when present.
fn launches() -> Vec<Launch> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shared = warpsmith_testkit::shared_folder();
    let mut files: Vec<PathBuf> = ["VectorAdd_integer", "Reduction", "Transpose_old"]
        .iter()
        .map(|n| shared.join("kernels").join(n).join("launch.toml"))
        .collect();
    let mut ours: Vec<PathBuf> = std::fs::read_dir(root.join("kernels"))
        .expect("kernels/")
        .flatten()
        .map(|e| e.path().join("launch.toml"))
        .collect();
    ours.sort();
    files.extend(ours);
    files
        .iter()
        .filter(|f| f.is_file())
        .map(|f| warpsmith_launch_file::load(f).unwrap_or_else(|e| panic!("{e}")))
        .collect()
}

/// Thread instructions a second of the model: over repetitions of all kernels on one thread, and of
/// each matrix product, block after block and in waves on 1 thread and more.
fn model_speed() {
    let launches = launches();
    let all = speed(&launches, 0);
    println!("model                {all:.1} million thread instructions a second, {} kernels", launches.len());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for launch in launches.iter().filter(|l| l.name.contains("matmul")) {
        let one = std::slice::from_ref(launch);
        let plain = speed(one, 0);
        print!("  {:<18} {plain:.1}; on threads:", launch.name);
        for threads in 1..=cores {
            let rate = speed(one, threads);
            print!(" {threads}: {rate:.1} (x {:.2})", rate / plain);
        }
        println!();
    }
}

/// Million thread instructions a second over the launches, repeated; `threads` 0: block after block.
fn speed(launches: &[Launch], threads: usize) -> f64 {
    let (started, mut instructions) = (Instant::now(), 0);
    while started.elapsed().as_secs_f64() < 2.0 {
        for launch in launches {
            let mut machine = Machine::new(launch, ModelConfig::default());
            let ended = match threads {
                0 => machine.run(u64::MAX),
                n => machine.run_parallel(u64::MAX, n),
            };
            let stats = ended.unwrap_or_else(|e| panic!("{}: {e}", launch.name));
            instructions += stats.thread_instructions;
        }
    }
    instructions as f64 / started.elapsed().as_secs_f64() / 1e6
}

/// With the trace port: what lockstep uses. Without: the speed of the bare chip.
fn cycles(name: &str, trace: bool) {
    let chip = match Chip::open(&folder(&emit(name, trace)), &BuildOptions::default()) {
        Ok(chip) => chip,
        Err(e) => return println!("{name}: {e}"),
    };
    let port = if trace { "with" } else { "without" };
    println!("{name}, {port} trace      cycles  warp instr.   issue    lanes   cycles/s of the host");
    let (mut all_cycles, mut all_seconds) = (0, 0.0);
    for launch in launches() {
        if launch.check_fits(chip.info()).is_err() {
            println!("  {:<20} does not fit", launch.name);
            continue;
        }
        let report = run_rtl(&chip, &launch, &RunOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        let c = &report.counters;
        match &report.ending {
            Ending::Done => {
                println!(
                    "  {:<20} {:8} {:12} {:7.3} {:8.3} {:10.0}",
                    launch.name,
                    c.cycles,
                    c.warp_instructions,
                    c.issue_utilisation,
                    c.lane_utilisation,
                    c.cycles as f64 / c.seconds
                );
                all_cycles += c.cycles;
                all_seconds += c.seconds;
            }
            Ending::Trap(trap) => println!("  {:<20} {trap}", launch.name),
            other => println!("  {:<20} {other:?}", launch.name),
        }
    }
    let speed = all_cycles as f64 / all_seconds;
    println!(
        "  all: {speed:.0} cycles a second; FlexGripPlus in GHDL: 700 to 1 090, {:.0} to {:.0} times fewer",
        speed / 1090.0,
        speed / 700.0
    );
}

/// What lockstep costs: seconds of the same kernels compared with the model and on the bare chip.
/// Each is the least of three runs; opening the chips is not counted.
fn lockstep() {
    let open = |trace| Chip::open(&folder(&emit("default", trace)), &BuildOptions::default());
    let (traced, plain) = match (open(true), open(false)) {
        (Ok(traced), Ok(plain)) => (traced, plain),
        (Err(e), _) | (_, Err(e)) => return println!("lockstep: {e}"),
    };
    let launches = launches();
    let least = |run: &dyn Fn(&Launch)| {
        (0..3)
            .map(|_| {
                let started = Instant::now();
                launches.iter().for_each(run);
                started.elapsed().as_secs_f64()
            })
            .fold(f64::MAX, f64::min)
    };
    let bare = least(&|launch| {
        let done = run_rtl(&plain, launch, &RunOptions::default());
        assert!(done.is_ok(), "{}", launch.name);
    });
    let compared = least(&|launch| {
        let done = cosim(&traced, launch, &CosimOptions::default());
        assert!(done.is_ok_and(|d| d.outcome.is_agreement()), "{}", launch.name);
    });
    println!("lockstep             {compared:.3} s, the bare chip {bare:.3} s: {:.2} times", compared / bare);
}

/// Fault injection on `default`: what the injecting build costs, upsets a second in all registers, and
/// the gain from checkpoints and early stop over simulating the same list from start to end.
fn faults() {
    let mut config = GpuConfig::named("default").expect("a named configuration");
    config.trace = false;
    let open = folder(&warpsmith_hdl::injecting_chip(&config, "default"));
    let chips = [folder(&emit("default", false)), open.clone()].map(|f| Chip::open(&f, &BuildOptions::default()));
    let [Ok(plain), Ok(injecting)] = chips else {
        return println!("fault: the chips cannot be built; `warpsmith doctor` says what is missing");
    };
    let long = launches().into_iter().find(|l| l.name == "matmul_tiled");
    let long = long.expect("a kernel of ours");
    let [a, b] = [&plain, &injecting].map(|chip| {
        let rate = || {
            let run = run_rtl(chip, &long, &RunOptions::default());
            let c = run.unwrap_or_else(|e| panic!("{e}")).counters;
            c.cycles as f64 / c.seconds
        };
        (0..3).map(|_| rate()).fold(0.0, f64::max)
    });
    println!("fault                {}: {a:.0} cycles/s plain, {b:.0} injecting: {:.2} times slower", long.name, a / b);

    let launch = one_warp();
    let golden = Golden::run(&open, launch, 1, None).unwrap_or_else(|e| panic!("{e}"));
    let (images, bytes) = golden.images();
    println!(
        "  {}: {} cycles, {images} checkpoints every {}, {:.1} MB",
        golden.launch().name,
        golden.cycles(),
        golden.interval(),
        bytes as f64 / 1e6
    );
    let list = upsets(&golden, &[SiteKind::Reg], 6000);
    let fast = SimulatorOptions::default();
    let (records, one) = on_threads(&golden, &list, fast, 1);
    let (again, two) = on_threads(&golden, &list, fast, 2);
    assert!(records == again, "records depend on the threads");
    println!("  upsets of registers: {one:.0} faults/s on one thread, {two:.0} on two (x {:.2})", two / one);

    let part = &list[..600];
    let ways = [(true, true), (true, false), (false, true), (false, false)];
    let runs = ways.map(|(checkpoints, early_stop)| {
        let options = SimulatorOptions { checkpoints, early_stop, ..SimulatorOptions::default() };
        let (mut records, rate) = on_threads(&golden, part, options, 1);
        let cycles: u64 = records.iter().map(|r| r.simulated).sum();
        records.iter_mut().for_each(|r| r.simulated = 0);
        (records, rate, cycles)
    });
    let slow = &runs[3];
    for ((checkpoints, early_stop), run) in ways.iter().zip(&runs) {
        assert!(run.0 == slow.0, "outcomes depend on the way they are found");
        println!(
            "  checkpoints {checkpoints:<5} early stop {early_stop:<5} {:8.0} faults/s (x {:.1}), {} cycles",
            run.1,
            run.1 / slow.1,
            run.2
        );
    }
}

/// Concurrent differential fault simulation beside serial simulation on Verilator: same lists, one thread, in turn.
fn differential() {
    let mut config = GpuConfig::named("default").expect("a named configuration");
    config.trace = false;
    let open = folder(&warpsmith_hdl::injecting_chip(&config, "default"));
    let all = launches();
    let vector_add = all.iter().find(|l| l.name == "vector_add");
    let vector_add = vector_add.expect("a kernel of ours").clone();
    let state = &[SiteKind::Reg, SiteKind::Ram];
    for (launch, kinds, n, part) in [
        (one_warp(), &[SiteKind::Reg][..], 12_000, 3000),
        (vector_add.clone(), &[SiteKind::Reg], 12_000, 1500),
        (vector_add, state, 200_000, 600),
    ] {
        let golden = |engine| Golden::run_on(engine, &open, launch.clone(), 1, None).unwrap_or_else(|e| panic!("{e}"));
        let (verilator, native) = (golden(Engine::Verilator), golden(Engine::Native));
        let reference = Reference::new(&native).unwrap_or_else(|e| panic!("{e}"));
        let list = upsets(&native, kinds, n);
        let whole: Vec<&Fault> = list.iter().collect();
        let options = SimulatorOptions::default();
        let mut ratios = vec![];
        for _ in 0..3 {
            let (expected, serial) = on_threads(&verilator, &list[..part], options, 1);
            let mut simulator = DifferentialSimulator::new(&reference, options).unwrap_or_else(|e| panic!("{e}"));
            let mut found: Vec<Option<Record>> = vec![None; n];
            let started = Instant::now();
            let take = &mut |i: usize, r| {
                found[i] = Some(r);
                true
            };
            simulator.run(&whole, take).unwrap_or_else(|e| panic!("{e}"));
            let rate = n as f64 / started.elapsed().as_secs_f64();
            let same = expected.iter().zip(&found).filter(|(a, b)| Some(*a) == b.as_ref());
            assert_eq!(same.count(), part, "records depend on the simulator");
            ratios.push((rate / serial, rate, serial, simulator.counts()));
        }
        ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (ratio, rate, serial, counts) = ratios[1];
        println!(
            "differential         {}, {} cycles, upsets of {}: {rate:.0} faults/s, serial on Verilator {serial:.0}: x {ratio:.1}; {counts:?}",
            native.launch().name,
            native.cycles(),
            if kinds.len() > 1 { "registers and memories" } else { "registers" }
        );
    }
}

/// The shared vector sum where present, else ours, as one warp.
fn one_warp() -> Launch {
    let all = launches();
    let named = |name: &str| all.iter().find(|l| l.name == name).cloned();
    let shared = all.iter().find(|l| l.name.contains("VectorAdd"));
    if let Some(l) = shared.filter(|l| l.grid == [1, 1] && l.warps_per_block() == 1) {
        return l.clone();
    }
    let mut l = named("vector_add").expect("a kernel of ours");
    (l.grid, l.block) = ([1, 1], [32, 1, 1]);
    l.expects.iter_mut().for_each(|e| e.bytes.truncate(128));
    l
}

/// Single-event upsets, uniform over bits of sites of some kinds and cycles (xorshift).
fn upsets(golden: &Golden, kinds: &[SiteKind], n: usize) -> Vec<Fault> {
    let is_asked = |s: &(usize, &Site)| kinds.contains(&s.1.kind);
    let sites = golden.sites().list().iter().enumerate().filter(is_asked);
    let bits: Vec<(usize, u32, u32)> =
        sites.flat_map(|(i, s)| (0..s.depth).flat_map(move |w| (0..s.width).map(move |b| (i, w, b)))).collect();
    let mut x = 0x9e37_79b9_7f4a_7c15u64;
    let mut below = |n: u64| {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x % n
    };
    (0..n)
        .map(|_| {
            let (site, word, bit) = bits[below(bits.len() as u64) as usize];
            Fault::simple(site, word, vec![bit], below(golden.cycles()), FaultKind::Seu)
        })
        .collect()
}

/// Runs a list on some threads, fault after fault from one counter: records in order, faults a second.
fn on_threads(golden: &Golden, list: &[Fault], options: SimulatorOptions, threads: usize) -> (Vec<Record>, f64) {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut simulator = SerialSimulator::new(golden, options).unwrap_or_else(|e| panic!("{e}"));
        let mut done = vec![];
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(fault) = list.get(i) else {
                return done;
            };
            done.push((i, simulator.run_one(fault).unwrap_or_else(|e| panic!("{e}"))));
        }
    };
    let started = Instant::now();
    let mut all: Vec<(usize, Record)> = std::thread::scope(|s| {
        let workers: Vec<_> = (0..threads).map(|_| s.spawn(worker)).collect();
        let results = workers.into_iter().map(|w| w.join().expect("a worker"));
        results.flatten().collect()
    });
    let rate = list.len() as f64 / started.elapsed().as_secs_f64();
    all.sort_unstable_by_key(|r| r.0);
    (all.into_iter().map(|r| r.1).collect(), rate)
}

/// Seconds to build the simulation without the trace port, from an empty cache.
fn build(name: &str) {
    let cache = std::env::temp_dir().join(format!("warpsmith-build.{}", std::process::id()));
    let options = BuildOptions { cache: Some(cache.clone()), ..BuildOptions::default() };
    let folder = folder(&emit(name, false));
    let started = Instant::now();
    match Chip::open(&folder, &options) {
        Ok(_) => println!(
            "build of {name:<10}  {:.1} s with Verilator and g++ on two threads",
            started.elapsed().as_secs_f64()
        ),
        Err(e) => println!("build: {e}"),
    }
    let _ = std::fs::remove_dir_all(&cache);
}

/// What `warpsmith synth --target xilinx` counts, the trace port off.
fn area(name: &str) {
    let dir = cache_dir().join("area").join(name);
    let options = Options { clock_mhz: None, part: None, seed: 1, seeds: 1, route: false };
    emit(name, false).write(&dir.join("rtl")).expect("the cache can be written");
    match synth(Target::Xilinx, &options, &dir, &mut |_| {}) {
        Ok(r) => {
            println!("{name}, synth_xilinx -nowidelut: LUT {}, FF {}, DSP {}, BRAM {}", r.luts, r.ffs, r.dsps, r.brams)
        }
        Err(e) => println!("{name}: {e}"),
    }
}
