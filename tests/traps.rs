//! Every cause of a trap on the chip: model and Verilog name the same cause, pc, block, warp and
//! lane; a chip that trapped runs the next kernel without a reset; a silent chip is explained.

use crate::support::{self, sim};
use warpsmith_contract::Port;
use warpsmith_cosim::{
    cosim, folder, run_in_turn, run_rtl, BuildOptions, Chip, Collect, CosimOptions, Design, Ending, Host,
    MemoryOptions, MemoryTiming, Outcome, RunOptions,
};
use warpsmith_isa::{assemble, Op, FORMS};
use warpsmith_model::launch::ConstantSection;
use warpsmith_model::{Launch, TrapCause};

/// Eight and sixteen lanes: a faulting thread sits in another beat.
const CHIPS: [&[&str]; 2] = [&[], &["lanes=16", "port_words=16"]];

/// Cause numbers.
const ILLEGAL: u8 = 1;
const UNIMPLEMENTED: u8 = 2;
const MISALIGNED_LONG: u8 = 3;
const MISALIGNED: u8 = 4;
const RANGE: u8 = 5;
const OVERFLOW: u8 = 6;
const UNDERFLOW: u8 = 7;
const STOP: u8 = 8;
const REGISTER: u8 = 9;
const FETCH: u8 = 10;
const DEADLOCK: u8 = 11;
const MEMORY: u8 = 12;
const NULL: u8 = 13;

/// A trap: cause, pc, lane, warp, block index x.
type Place = (u8, u32, u32, u32, u32);

/// A launch of one warp: 80 shared bytes, 16 local bytes a thread, 100 global bytes, bank 1 of 64
/// bytes, 16 registers; R0 is the thread's number.
fn launch(name: &str, source: &str) -> Launch {
    let program = assemble(source, name).unwrap_or_else(|e| panic!("{e}"));
    let mut l = Launch::from_words(name, program.words);
    l.shared_bytes = 80;
    l.local_bytes = 16;
    l.global_bytes = 100;
    l.constants = vec![ConstantSection::new(1, 0, vec![1; 64])];
    l
}

/// Runs in lockstep with slow memory; fails unless both sides trap at `place`.
#[track_caller]
fn traps(chip: &Chip, launch: &Launch, place: Place) {
    let run = RunOptions {
        seed: 3,
        memory: MemoryOptions { timing: MemoryTiming::Latency(1, 40), ready_of_256: 128, seed: 5 },
        ..RunOptions::default()
    };
    let options = CosimOptions { run, ..CosimOptions::default() };
    let report = cosim(chip, launch, &options).unwrap_or_else(|e| panic!("{e}"));
    let Outcome::Trap(t) = report.outcome else { panic!("{}: no trap: {}", launch.name, report.outcome) };
    let found = (t.cause.number(), t.pc, t.lane, t.warp, t.ctaid[0]);
    assert_eq!(found, place, "{}: {t}", launch.name);
}

/// Runs `cases` (name, source, cause, pc, lane) of one warp on every chip.
fn all_trap(cases: &[(&str, &str, u8, u32, u32)]) {
    for set in CHIPS {
        let Some(chip) = sim::chip("tiny", set) else { return };
        for (name, source, cause, pc, lane) in cases {
            traps(&chip, &launch(name, source), (*cause, *pc, *lane, 0, 0));
        }
    }
}

#[test]
fn misaligned_accesses_name_the_lowest_thread() {
    // R1 is 0 in the first 16 threads and 1 in the others.
    all_trap(&[
        ("shared load", "SHR R1, R0, 0x4; R2A A1, R1, 0x0; MOV R2, g[A1+0x1]", MISALIGNED, 16, 16),
        ("shared load of all threads", "R2A A1, R0, 0x0; MOV R2, g[A1+0x1]", MISALIGNED, 8, 1),
        ("shared store", "SHR R1, R0, 0x4; R2A A1, R1, 0x0; R2G.U32.U32 g[A1+0x1], R2", MISALIGNED, 16, 16),
        (
            "constant as second source",
            "SHR R1, R0, 0x4; R2A A1, R1, 0x0; IADD R2, R2, c[0x1][A1+0x1]",
            MISALIGNED,
            16,
            16,
        ),
        ("constant load", "SHR R1, R0, 0x4; R2A A1, R1, 0x0; MVC R2, c[0x1][A1+0x1]", MISALIGNED, 16, 16),
        ("global load", "SHR R1, R0, 0x4; GLD.U32 R2, global14[R1]", MISALIGNED, 8, 16),
        ("global store", "SHR R1, R0, 0x4; GST.U32 global14[R1], R2", MISALIGNED, 8, 16),
        ("global load of 16 bits", "SHR R1, R0, 0x4; GLD.U16 R2, global14[R1]", MISALIGNED, 8, 16),
        ("global load of 64 bits", "SHR R1, R0, 0x4; SHL R1, R1, 0x2; GLD.U64 R2, global14[R1]", MISALIGNED, 16, 16),
        ("global load of 128 bits", "SHR R1, R0, 0x3; SHL R1, R1, 0x3; GLD.S128 R4, global14[R1]", MISALIGNED, 16, 8),
        ("global store of 128 bits", "SHR R1, R0, 0x3; SHL R1, R1, 0x3; GST.S128 global14[R1], R4", MISALIGNED, 16, 8),
        ("local load", "SHR R1, R0, 0x4; R2A A1, R1, 0x0; LLD.U32 R2, local[A1+0x4]", MISALIGNED, 16, 16),
        ("local store", "SHR R1, R0, 0x4; R2A A1, R1, 0x0; LST.U32 local[A1+0x4], R2", MISALIGNED, 16, 16),
    ]);
}

#[test]
fn accesses_out_of_range_name_the_lowest_thread() {
    all_trap(&[
            ("shared load", "R2A A1, R0, 0x2; MOV R2, g[A1+0x0]", RANGE, 8, 20),
            ("shared store", "R2A A1, R0, 0x2; R2G.U32.U32 g[A1+0x0], R2", RANGE, 8, 20),
            ("shared load without index", "MOV R2, g[0x14]", RANGE, 0, 0),
            ("constant as second source", "R2A A1, R0, 0x2; IADD R2, R2, c[0x1][A1+0x0]", RANGE, 8, 16),
            ("bank that is not there", "IADD R2, R2, c[0x2][0x0]", RANGE, 0, 0),
            ("constant of a lower thread than shared", "R2A A1, R0, 0x2; IADD R2, g[A1+0x8], c[0x1][0x10]", RANGE, 8, 0),
            ("global load", "SHL R1, R0, 0x2; GLD.U32 R2, global14[R1]", RANGE, 8, 25),
            ("global store", "SHL R1, R0, 0x2; GST.U32 global14[R1], R2", RANGE, 8, 25),
            ("global load of 8 bits", "SHL R1, R0, 0x2; IADD32I R1, R1, 0x3; GLD.U8 R2, global14[R1]", RANGE, 16, 25),
            ("global load of 64 bits", "SHL R1, R0, 0x3; GLD.U64 R2, global14[R1]", RANGE, 8, 12),
            ("global load of 128 bits", "SHL R1, R0, 0x4; GLD.S128 R4, global14[R1]", RANGE, 8, 6),
            ("global store of 128 bits", "SHL R1, R0, 0x4; GST.S128 global14[R1], R4", RANGE, 8, 6),
            ("end of the address space", "MVI R1, 0xfffffffc; GLD.U32 R2, global14[R1]", RANGE, 8, 0),
            ("local load", "R2A A1, R0, 0x2; LLD.U32 R2, local[A1+0x0]", RANGE, 8, 4),
            ("local store", "R2A A1, R0, 0x2; LST.U32 local[A1+0x0], R2", RANGE, 8, 4),
            ("local load of 64 bits", "R2A A1, R0, 0x3; LLD.U64 R2, local[A1+0x0]", RANGE, 8, 2),
            // A load is on its way when the next one traps.
            ("load behind a load", "SHL R1, R0, 0x1; MVI R3, 0x0; GLD.U32 R2, global14[R3]; GLD.U16 R4, global14[R3]; GST.U32 global14[R3], R0; MVI R5, 0x80; GLD.U32 R6, global14[R5]", RANGE, 48, 0),
        ],
    );
}

#[test]
fn words_that_no_machine_executes_trap() {
    all_trap(&[
        ("undefined condition code", ".word 0x10000003, 0x00000a00", ILLEGAL, 0, 0),
        (
            "long instruction at 4",
            ".word 0x10008000, 0xf0000001, 0xe0000000, 0xf0000001, 0xe0000000",
            MISALIGNED_LONG,
            4,
            0,
        ),
        ("register beyond the allocation", "MVI R1, 0x1; MVI R2, 0x2; MVI R16, 0x1", REGISTER, 16, 0),
        ("second register of a load beyond", "MVI R1, 0x0; GLD.U64 R15, global14[R1]", REGISTER, 8, 0),
        ("join on an empty stack", "MVI R1, 0x1; IADD.S R1, R1, R2", UNDERFLOW, 8, 0),
        ("push on a full stack", "top: SSY top; BRA top", OVERFLOW, 0, 0),
        ("call without end", "MVI R1, 0x1; top: CAL top", OVERFLOW, 8, 0),
        ("trap", "MVI R1, 0x1; TRAP", STOP, 8, 0),
        ("breakpoint", "MVI R1, 0x1; BPT", STOP, 8, 0),
        ("end of the program", "MVI R1, 0x1; MVI R2, 0x1", FETCH, 16, 0),
        ("branch beyond the program", "MVI R1, 0x1; .word 0x10200003, 0x00000780", FETCH, 0x1000, 0),
    ]);
}

#[test]
fn every_row_of_later_machines_traps_as_unimplemented() {
    let Some(chip) = sim::chip("tiny", &[]) else { return };
    let mut count = 0;
    for f in FORMS.iter().filter(|f| f.op == Op::Unsupported) {
        let mut l = launch(f.mnemonic, "MVI R1, 0x1");
        l.program.bytes.extend(f.match_.to_le_bytes());
        let words = l.program.words();
        // The row's other bits may make the word no instruction at all; the model decides.
        if warpsmith_isa::decode(words[2], words[3]).is_ok() {
            count += 1;
            traps(&chip, &l, (UNIMPLEMENTED, 8, 0, 0, 0));
        }
    }
    assert!(count >= 10, "{count} rows");
}

#[test]
fn a_store_that_traps_writes_nothing_from_its_beat_on() {
    let Some(chip) = sim::chip("tiny", &[]) else { return };
    // The last thread's store is out of range. A warp passes the check 8 threads at a time: threads
    // 0 to 23 have been let through by then, threads 24 to 31 must not store.
    for (shift, op, bytes) in [(2, "GST.U32", 124), (4, "GST.S128", 496)] {
        let source = format!("SHL R1, R0, {shift}; MVI R4, 0x7; {op} global14[R1], R4");
        let mut l = launch(op, &source);
        l.global_bytes = bytes;
        let r = run_rtl(&chip, &l, &RunOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        let Ending::Trap(t) = r.ending else { panic!("{op}: {:?}", r.ending) };
        assert_eq!((t.cause, t.lane), (RANGE, 31), "{op}");
        let beat = 24 << shift;
        let rest = r.global.read(beat, bytes as usize - beat as usize);
        assert!(rest.iter().all(|b| *b == 0), "{op}: {rest:x?}");
    }
}

#[test]
fn accesses_to_the_guarded_page_name_the_lowest_thread() {
    for set in CHIPS {
        let Some(chip) = sim::chip("tiny", set) else { return };
        // Threads 16 and up reach below 4096 bytes.
        let address = "SHL R1, R0, 0x8; MVI R2, 0x1800; LOP.XOR R1, R1, R2";
        for (guard, access, place) in [
            (true, "GLD.U32 R3, global14[R1]", Some((NULL, 24, 16, 0, 0))),
            (true, "GST.U8 global14[R1], R0", Some((NULL, 24, 16, 0, 0))),
            (true, "GLD.S128 R4, global14[R1]", Some((NULL, 24, 16, 0, 0))),
            // An address that is not aligned comes first, and local memory has no guard.
            (true, "IADD R1, R1, R0; GLD.U32 R3, global14[R1]", Some((MISALIGNED, 32, 1, 0, 0))),
            (true, "LST.U32 local[0x0], R0; RET", None),
            (false, "GLD.U32 R3, global14[R1]; RET", None),
        ] {
            let mut l = launch(access, &format!("{address}; {access}"));
            (l.guard, l.global_bytes) = (guard, 8192);
            match place {
                Some(place) => traps(&chip, &l, place),
                None => drop(sim::agree_on(&chip, &l)),
            }
        }
    }
}

#[test]
fn a_trap_names_warp_and_block() {
    let Some(chip) = sim::chip("tiny", &[]) else { return };
    // Block 2 of 5 stops; two blocks are resident at a time.
    let mut l = launch(
        "third block",
        "MVI R3, 0x0; IMAD32I.U16 R3, g[0x6].U16, 0x1, R3; MVI R4, 0x2; MVI R5, 0x0\n\
         ISET.S32.C0 o[0x7f], R3, R4, EQ; GLD.U32 R6, global14[R5]; BPT C0.NE; IADD R6, R6, R6; RET",
    );
    l.grid = [5, 1];
    traps(&chip, &l, (STOP, 48, 0, 0, 2));
    // The second warp reads beyond global memory, from its ninth thread on.
    let mut l = launch("second warp", "SHL R1, R0, 0x2; GLD.U32 R2, global14[R1]; RET");
    l.block = [64, 1, 1];
    l.global_bytes = 160;
    traps(&chip, &l, (RANGE, 8, 8, 1, 0));
    // Threads that do not execute do not fault.
    let mut l = launch(
        "guarded",
        "MVI R4, 0x1c; ISET.S32.C0 o[0x7f], R0, R4, LT; SHL R1, R0, 0x2; GLD.U32 R2 (C0.EQU), global14[R1]; RET",
    );
    l.global_bytes = 64;
    traps(&chip, &l, (RANGE, 24, 28, 0, 0));
    // Two warps wait at different barriers.
    let mut l = launch(
        "deadlock",
        "MVI R4, 0x20; ISET.S32.C0 o[0x7f], R0, R4, LT; BRA C0.NE, first\n\
         BAR.ARV.WAIT b1, 0xfff; RET\nfirst: BAR.ARV.WAIT b0, 0xfff; RET",
    );
    l.block = [64, 1, 1];
    traps(&chip, &l, (DEADLOCK, 40, 0, 0, 0));
}

#[test]
fn a_chip_that_trapped_runs_the_next_kernel_without_reset() {
    let Some(chip) = sim::chip("tiny", &[]) else { return };
    let [reduction, matmul, calls] = ["reduction", "matmul_tiled", "nested_calls"].map(support::load);
    // Stops with loads and stores of every warp under way and the stack in use.
    let mut busy = launch(
        "busy",
        "SHL R1, R0, 0x2; SSY end; SSY end; GLD.U32 R2, global14[R1]; GLD.U32 R3, global14[R1]; GST.U32 global14[R1], R1\n\
         GLD.S128 R4, global14[R8]; BAR.ARV b3, 0xfff; MVI R9, 0x20; ISET.S32.C0 o[0x7f], R0, R9, EQ; BPT C0.NE; end: BAR.ARV.WAIT b0, 0xfff",
    );
    (busy.block, busy.global_bytes, busy.registers) = ([64, 1, 1], 256, 16);
    let overflow = launch("overflow", "top: SSY top; BRA top");
    let fetch = launch("fetch", "MVI R1, 0x1");
    let mut lock = launch(
        "deadlock",
        "MVI R4, 0x20; ISET.S32.C0 o[0x7f], R0, R4, LT; BRA C0.NE, first\n\
         BAR.ARV.WAIT b1, 0xfff; RET\nfirst: BAR.ARV.WAIT b0, 0xfff; RET",
    );
    lock.block = [64, 1, 1];
    let order = [&busy, &reduction, &overflow, &matmul, &lock, &reduction, &fetch, &busy, &calls, &matmul];
    for (seed, latency, ready) in [(1, 1, 256), (2, 90, 256), (3, 30, 60)] {
        let options = RunOptions {
            seed,
            memory: MemoryOptions { timing: MemoryTiming::Latency(1, latency), ready_of_256: ready, seed },
            ..RunOptions::default()
        };
        let reports = run_in_turn(&chip, &order, &options).unwrap_or_else(|e| panic!("{e}"));
        for (l, r) in order.iter().zip(&reports) {
            if l.expects.is_empty() {
                assert!(matches!(r.ending, Ending::Trap(_)), "{}: {:?}", l.name, r.ending);
                continue;
            }
            assert_eq!(r.ending, Ending::Done, "{}", l.name);
            assert!(r.differences.is_empty(), "{}: {}", l.name, r.differences[0]);
            let alone = run_rtl(&chip, l, &options).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(
                (alone.counters.warp_instructions, alone.counters.thread_instructions, alone.counters.global_requests),
                (r.counters.warp_instructions, r.counters.thread_instructions, r.counters.global_requests),
                "{}: a kernel before it shows in the counters",
                l.name
            );
        }
        assert_eq!(reports.len(), order.len());
    }
}

#[test]
fn a_memory_that_never_answers_is_reported_with_warp_and_pc() {
    let Some(chip) = sim::chip("tiny", &[]) else { return };
    let l = support::load("vector_add");
    let run = RunOptions {
        memory: MemoryOptions { ready_of_256: 0, ..MemoryOptions::default() },
        watchdog_cycles: 2000,
        ..RunOptions::default()
    };
    let alone = run_rtl(&chip, &l, &run).unwrap_or_else(|e| panic!("{e}"));
    let both = cosim(&chip, &l, &CosimOptions { run, ..CosimOptions::default() });
    let (Ending::Watchdog(a), Outcome::Watchdog(b)) = (&alone.ending, &both.unwrap_or_else(|e| panic!("{e}")).outcome)
    else {
        panic!("not silent: {:?}", alone.ending)
    };
    for text in [a, b] {
        for part in [
            "no retire from warp 0 of block (0, 0) in 2000 cycles",
            "pc 0x",
            "GLD",
            "memory instructions outstanding",
            "stalls because of",
        ] {
            assert!(text.contains(part), "'{part}' is missing in:\n{text}");
        }
    }
}

#[test]
fn power_on_state_follows_the_seed_and_results_do_not() {
    let Some(chip) = sim::chip("tiny", &[]) else { return };
    let design = Design::open(chip.folder(), &BuildOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let manifest = folder::load(chip.folder()).unwrap_or_else(|e| panic!("{e}"));
    let outputs: Vec<_> = manifest.ports.iter().enumerate().filter(|(_, p)| !p.is_input()).collect();
    let state = |seed| {
        let mut s = design.simulate(seed);
        s.eval();
        let words = |(i, p): &(usize, &Port)| (0..p.width.div_ceil(32)).map(|w| s.get(*i, w)).collect::<Vec<_>>();
        outputs.iter().flat_map(words).collect::<Vec<u32>>()
    };
    assert_eq!(state(5), state(5));
    assert!((6..10).all(|s| state(s) != state(5)), "the power-on state is always the same");
    let l = support::load("histogram");
    let run = |seed| {
        let options = RunOptions { seed, ..RunOptions::default() };
        let r = run_rtl(&chip, &l, &options).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((r.ending, r.differences.len()), (Ending::Done, 0), "seed {seed}");
        (r.counters.cycles, r.counters.stalls, r.counters.global_requests)
    };
    assert!((6..10).all(|s| run(s) == run(5)), "the power-on state shows in the counters");
}

#[test]
fn a_waveform_is_written() {
    if !support::tools(&support::SIMULATION) {
        return;
    }
    let options = BuildOptions { wave: true, ..BuildOptions::default() };
    let chip = Chip::open(&sim::emitted("tiny", &[]), &options).unwrap_or_else(|e| panic!("{e}"));
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join("run.fst");
    let l = support::load("vector_add");
    let options = RunOptions { wave: Some(path.clone()), ..RunOptions::default() };
    let r = run_rtl(&chip, &l, &options).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(r.ending, Ending::Done);
    // An FST file begins with its header block: type 0, length 329, big-endian, and the time range.
    let bytes = std::fs::read(&path).expect("written");
    assert!(bytes.len() > 10_000, "{} bytes", bytes.len());
    assert_eq!(&bytes[..9], [0, 0, 0, 0, 0, 0, 0, 1, 0x49]);
    let end = u64::from_be_bytes(bytes[17..25].try_into().expect("eight bytes"));
    assert!(end >= 2 * r.counters.cycles, "ends at {end}, the kernel took {} cycles", r.counters.cycles);
}

#[test]
fn a_wide_store_past_the_last_register_stores_zero() {
    // R127 is the last register there is; what follows it reads 0, not R0 again.
    let Some(chip) = sim::chip("default", &[]) else { return };
    let source = "SHL R1, R0, 0x3; MVI R127, 0x1234; GST.S64 global14[R1], R127; NOP.EXIT";
    let mut l = launch("wide store", source);
    l.registers = 128;
    l.block = [32, 1, 1];
    l.global_bytes = 256;
    let report = cosim(&chip, &l, &CosimOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(report.outcome, Outcome::Agree, "{}", report.outcome);
}

#[test]
fn a_memory_that_refuses_stops_the_kernel_and_one_that_is_slow_delays_done() {
    let Some(chip) = sim::chip("default", &[]) else { return };
    let l = support::load("vector_add");
    let options = RunOptions::default();
    let mut host = Host::new(&chip, &l, &options, Collect::Off).unwrap_or_else(|e| panic!("{e}"));
    let manifest = chip.design().manifest();
    let port = |name: &str| manifest.port(name).expect("a port of every chip");
    let (error, pending) = (port("mem_error"), port("mem_pending"));
    let done = |host: &mut Host| host.read(0x08) & 0b111;

    // Stores stay on their way: the kernel does not end, and does when they arrive.
    host.sim.set(pending, 0, 1);
    host.start();
    host.sim.run(20_000, true, u64::MAX);
    assert_eq!(done(&mut host), 0b001, "busy");
    host.sim.set(pending, 0, 0);
    host.sim.run(4, false, u64::MAX);
    assert_eq!(done(&mut host), 0b010, "done");

    // An error before the start is of no kernel; one that comes while it runs stops it.
    host.sim.set(error, 0, 1);
    host.sim.run(1, false, u64::MAX);
    host.sim.set(error, 0, 0);
    host.start();
    host.sim.run(30, false, u64::MAX);
    assert_eq!(done(&mut host), 0b001, "busy");
    host.sim.set(error, 0, 1);
    host.sim.run(1, false, u64::MAX);
    host.sim.set(error, 0, 0);
    host.sim.run(20_000, true, u64::MAX);
    assert_eq!(done(&mut host), 0b110, "done and trapped");
    let trap = host.trap().expect("it trapped");
    assert_eq!((trap.cause, trap.pc, trap.lane), (MEMORY, 0, 0));
    assert_eq!(TrapCause::from_number(trap.cause), Some(TrapCause::Memory));
}
