//! Launch registers, performance counters and block scheduler, each against a plain account of it.

use crate::support;
use support::dut::Dut;
use support::Random;
use warpsmith_contract::TrapCause;
use warpsmith_hdl::block_scheduler::BlockScheduler;
use warpsmith_hdl::config::GpuConfig;
use warpsmith_hdl::launch_regs::{LaunchRegs, STALLS};

/// A host on the bus.
struct Host(Dut);

impl Host {
    fn access(&mut self, address: u32, write: Option<u32>) {
        self.0.set("bus_valid", true);
        self.0.set("bus_write", write.is_some());
        self.0.set("bus_address", address);
        self.0.set("bus_wdata", write.unwrap_or(0));
    }

    fn end(&mut self) {
        self.0.tick();
        self.0.set("bus_valid", false);
        self.0.set("bus_write", false);
        self.0.eval();
    }

    fn put(&mut self, address: u32, value: u32) {
        self.access(address, Some(value));
        self.end();
    }

    fn look(&mut self, address: u32) -> u32 {
        self.access(address, None);
        self.end();
        self.0.word("bus_rdata")
    }

    fn set(&mut self, values: &[(&str, u32)]) {
        for (port, value) in values {
            self.0.set(port, *value);
        }
    }

    fn is(&self, values: &[(&str, u32)]) {
        for (port, value) in values {
            assert_eq!(self.0.word(port), *value, "{port}");
        }
    }
}

#[test]
fn launch_registers_hold_what_the_host_writes() {
    for sms in [1, 4, 16] {
        let cfg = GpuConfig { sms, ..GpuConfig::named("quad").unwrap() };
        let Some(dut) = Dut::new(&LaunchRegs::new(&cfg)) else { return };
        let mut host = Host(dut);
        registers(&mut host);
        counters(&mut host, sms as u32);
    }
}

fn registers(host: &mut Host) {
    for (address, value) in [
        (0x20, 0x0003_0002),
        (0x24, 0x0005_0004),
        (0x28, 6),
        (0x2c, 1024),
        (0x30, 128),
        (0x34, 16384),
        (0x38, 16384),
        (0x3c, 8),
        (0x40, 0xffff_ffff),
        (0x44, 0x1234_5680),
        (0x48, 65536),
        (0x4c, 64),
        (0x80, 16384 << 16 | 5),
        (0xbc, 7 << 16 | 9),
    ] {
        host.put(address, value);
    }
    host.is(&[
        ("grid_x", 2),
        ("grid_y", 3),
        ("block_x", 4),
        ("block_y", 5),
        ("block_z", 6),
        ("block_threads", 1024),
        ("registers", 128),
        ("shared_bytes", 16384),
        ("program_bytes", 16384),
        ("start_pc", 8),
        ("global_last", 0xffff_ffff),
        ("local_base", 0x1234_5680),
        ("local_bytes", 65536),
        ("param_count", 64),
        ("bank_base_0", 5),
        ("bank_words_0", 16384),
        ("bank_base_15", 9),
        ("bank_words_15", 7),
        ("bank_words_14", 0),
    ]);
    // The memories behind the map: byte address, word, which of them takes it.
    for (address, word, strobe) in [
        (0x100 + 4 * 63, 63, Some("param_we")),
        (0x40000 + 0x1ffc, 0x7ff, Some("const_we")),
        (0x80000 + 0x3ffc, 0xfff, Some("prog_we")),
        (0x20, 8, None),
    ] {
        host.access(address, Some(0xabcd));
        host.0.eval();
        let strobes = ["param_we", "const_we", "prog_we"];
        for s in strobes {
            assert_eq!(host.0.is(s), strobe == Some(s), "{s} at {address:#x}");
        }
        // Parameters have 64 words; the rest of the word's number is not theirs.
        let bits = if strobe == Some("param_we") { 63 } else { u32::MAX };
        assert_eq!(host.0.word("write_word") & bits, word);
        host.is(&[("write_data", 0xabcd)]);
        host.0.set("bus_write", false);
        host.0.eval();
        assert!(!strobes.iter().any(|s| host.0.is(s)), "a read writes");
    }
    host.0.set("bus_valid", false);
    assert_eq!(host.look(0), 0x5741_5250, "ID");
    host.set(&[("busy", 1), ("done", 0), ("trapped", 1)]);
    assert_eq!(host.look(8), 5, "STATUS");
    host.set(&[("trap_cause", 9), ("trap_lane", 31), ("trap_warp", 30), ("trap_sm", 3)]);
    assert_eq!(host.look(0xc), 0x031e_1f09, "TRAP");
    host.set(&[("trap_pc", 0x1238), ("trap_x", 0x11), ("trap_y", 0x22)]);
    assert_eq!(host.look(0x10), 0x1238, "TRAP_PC");
    assert_eq!(host.look(0x14), 0x0022_0011, "TRAP_BLOCK");
    assert_eq!(host.look(0x18), 0, "no register");
    assert_eq!(host.look(0x20), 0, "GRID is for writing only");
    host.is(&[("start", 0)]);
    // The guard changes with a start alone, which reads 0.
    for (word, start, guard) in [(3, 1, 1), (0, 0, 1), (2, 0, 1), (1, 1, 0), (2, 0, 0)] {
        host.put(4, word);
        host.is(&[("start", start), ("global_guard", guard)]);
        host.0.tick();
        assert_eq!(host.look(4), 2 * guard, "CONTROL after {word}");
    }
}

fn counters(host: &mut Host, sms: u32) {
    let mut random = Random(0x5eed);
    let stall = |k: usize| format!("count_stall_{k}");
    let counter = |k: usize| if k < 9 { 3 + k } else { 4 + k };
    for run in 0..3 {
        let mut want = [0u64; 16];
        host.set(&[("busy", 0)]);
        host.put(4, 1);
        host.is(&[("start", 1)]);
        host.0.tick();
        host.is(&[("start", 0)]);
        // Reading between the events of a run is exact as well. In the second run all that can
        // happen does.
        for _ in 0..3000 << run {
            let mut events = |most: u32| match run {
                1 => most,
                _ => random.below(most + 1),
            };
            let retired = [events(sms), events(32 * sms), events(sms)];
            let stalls: [u32; STALLS] = std::array::from_fn(|_| events(sms));
            host.set(&[
                ("busy", 1),
                ("count_warp_instructions", retired[0]),
                ("count_thread_instructions", retired[1]),
                ("count_global_requests", retired[2]),
            ]);
            for (k, n) in stalls.iter().enumerate() {
                host.0.set(&stall(k), *n);
            }
            let k = random.below(16);
            let got = host.look(0x200 + 8 * k);
            assert_eq!(got, want[k as usize] as u32, "counter {k} while running");
            want[0] += 1;
            for (k, n) in [(1, retired[0]), (2, retired[1]), (12, retired[2])] {
                want[k] += u64::from(n);
            }
            for (k, n) in stalls.iter().enumerate() {
                want[counter(k)] += u64::from(*n);
            }
        }
        host.set(&[
            ("busy", 0),
            ("count_warp_instructions", 0),
            ("count_thread_instructions", 0),
            ("count_global_requests", 0),
        ]);
        (0..STALLS).for_each(|k| host.0.set(&stall(k), 0u32));
        for (k, want) in (0..).zip(want) {
            let low = host.look(0x200 + 8 * k);
            let high = host.look(0x204 + 8 * k);
            assert_eq!(u64::from(high) << 32 | u64::from(low), want, "counter {k}");
        }
        assert_eq!(host.look(0x280), 0, "behind the counters");
    }
}

/// How a grid ended.
#[derive(Debug, PartialEq)]
struct End {
    /// Blocks that SMs held.
    held: u32,
    /// SM, cause and ctaid.x of the trap record.
    trap: Option<(u32, u32, u32)>,
}

/// Runs a grid on SMs that hold up to two blocks each: the blocks in the order they went out. In cycle
/// `trap` (0: never) the upper half of the SMs trap at once.
fn run_grid(dut: &mut Dut, random: &mut Random, sms: usize, (gx, gy): (u32, u32), trap: u64) -> (Vec<(u32, u32)>, End) {
    let name = |port: &str, s: usize| format!("{port}_{s}");
    let mut blocks = vec![];
    for port in ["mem_error", "mem_pending"] {
        dut.set(port, false);
    }
    dut.set("grid_x", gx);
    dut.set("grid_y", gy);
    dut.set("start", true);
    dut.tick();
    dut.set("start", false);
    let mut held = vec![0u32; sms];
    let (begin, mut stopped) = (dut.cycle, false);
    let end = loop {
        let now = trap > 0 && dut.cycle - begin == trap;
        for (s, held) in held.iter_mut().enumerate() {
            let done = *held > 0 && random.below(8) == 0;
            *held -= u32::from(done);
            dut.set(&name("block_done", s), done);
            dut.set(&name("block_ready", s), *held < 2 && random.below(2) == 1);
            dut.set(&name("idle", s), *held == 0);
            dut.set(&name("trap_valid", s), now && s >= sms / 2);
            dut.set(&name("trap_cause", s), s as u32 + 3);
            dut.set(&name("trap_x", s), s as u32 + 100);
        }
        dut.eval();
        if dut.is("done") {
            assert!(!dut.is("busy"), "done and busy");
            let record = ["first_sm", "first_cause", "first_x"].map(|p| dut.word(p));
            break End {
                held: held.iter().sum(),
                trap: dut.is("trapped").then_some((record[0], record[1], record[2])),
            };
        }
        assert!(dut.is("busy"), "neither done nor busy");
        let mut offers = 0;
        for (s, held) in held.iter_mut().enumerate() {
            let offered = dut.is(&name("block_valid", s));
            offers += u32::from(offered);
            // The port shows what was set above.
            if offered && dut.is(&name("block_ready", s)) {
                assert!(!stopped, "a block goes out after a trap");
                *held += 1;
                blocks.push((dut.word("ctaid_x"), dut.word("ctaid_y")));
            }
        }
        assert!(offers <= 1, "{offers} SMs are offered a block");
        stopped |= now;
        dut.tick();
    };
    (0..sms).for_each(|s| dut.set(&name("trap_valid", s), false));
    for _ in 0..20 {
        assert!(dut.is("done"), "done stays");
        dut.tick();
    }
    (blocks, end)
}

#[test]
fn every_block_of_a_grid_goes_out_once_and_in_order() {
    for sms in [1, 3, 4] {
        let cfg = GpuConfig { sms, ..GpuConfig::named("default").unwrap() };
        // Grid x, grid y, cycle of a trap or 0.
        let grids = [(1, 1, 0), (7, 1, 0), (1, 9, 0), (40, 25, 0), (300, 2, 60), (5, 4, 0)];
        let Some(mut dut) = Dut::new(&BlockScheduler::new(&cfg)) else { return };
        let mut random = Random(0x5eed);
        for (gx, gy, trap) in grids {
            let (blocks, end) = run_grid(&mut dut, &mut random, sms, (gx, gy), trap);
            let want: Vec<_> = (0..gx * gy).map(|i| (i % gx, i / gx)).collect();
            let record = if trap == 0 {
                assert_eq!(blocks, want, "grid {gx} x {gy} on {sms} SMs");
                None
            } else {
                assert!(blocks.len() < want.len() && blocks[..] == want[..blocks.len()]);
                let first = sms as u32 / 2;
                Some((first, first + 3, first + 100))
            };
            let wanted = End { held: 0, trap: record };
            assert_eq!(end, wanted, "grid {gx} x {gy} on {sms} SMs");
        }
    }
}

/// Cycles from the last retirement to `trapped`, and from there to `done`, of a grid of one block whose SM is idle `rests`
/// cycles after the trap, or never.
fn without_progress(dut: &mut Dut, gaps: &[u64], rests: Option<u64>) -> (u64, u64) {
    for port in ["mem_error", "mem_pending", "block_done_0", "trap_valid_0", "idle_0"] {
        dut.set(port, false);
    }
    dut.set("grid_x", 1u32);
    dut.set("grid_y", 1u32);
    dut.set("block_ready_0", true);
    dut.set("start", true);
    dut.tick();
    dut.set("start", false);
    for gap in gaps {
        for cycle in 0..*gap {
            dut.set("retired", cycle + 1 == *gap);
            dut.eval();
            assert!(!dut.is("trapped"), "in a gap of {gap} cycles");
            dut.tick();
        }
    }
    dut.set("retired", false);
    let until = |dut: &mut Dut, port: &str, rests: Option<u64>| {
        let begin = dut.cycle;
        loop {
            dut.set("idle_0", rests.is_some_and(|n| dut.cycle - begin >= n));
            dut.eval();
            if dut.is(port) {
                return dut.cycle - begin;
            }
            assert!(dut.cycle - begin < 10_000, "no {port}");
            dut.tick();
        }
    };
    let trapped = until(dut, "trapped", None);
    assert_eq!((dut.word("first_cause"), dut.word("first_sm")), (TrapCause::Watchdog.number().into(), 0));
    (trapped, until(dut, "done", rests))
}

#[test]
fn a_grid_without_progress_traps() {
    let cfg = GpuConfig { watchdog: 300, ..GpuConfig::named("tiny").unwrap() };
    let Some(mut dut) = Dut::new(&BlockScheduler::new(&cfg)) else { return };
    // The cycle after the 300th without a retirement shows it.
    assert_eq!(without_progress(&mut dut, &[1], Some(10)), (300, 11));
    assert_eq!(without_progress(&mut dut, &[299, 300, 1, 7], Some(0)), (300, 1));
    assert_eq!(without_progress(&mut dut, &[5], None), (300, 300));
}
