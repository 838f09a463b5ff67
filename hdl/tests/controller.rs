//! The controller: what blocks and warps begin with, where they are put, and when places are free.

use crate::support;
use std::collections::{BTreeMap, BTreeSet};
use support::dut::Dut;
use support::Random;
use warpsmith_hdl::config::{GpuConfig, Isa};
use warpsmith_hdl::sm::controller::Controller;
use warpsmith_hdl::sm::dims::Dims;
use warpsmith_hdl::sm::pipeline::timing::drain;

/// What a register holds when its warp begins.
#[derive(Clone, Copy)]
enum What {
    /// SM 1.0: the thread's index, packed.
    R0,
    Zero,
    /// The thread's index x and y, and z with the number of the warp.
    First,
    Second,
}

/// A kernel: grid, block size, registers (of Ivy Bridge threads that a warp covers), shared bytes, parameters.
struct Kernel {
    grid: (usize, usize),
    size: (usize, usize, usize),
    registers: usize,
    shared: usize,
    params: usize,
    /// Whether the receivers of writes hold back at times.
    stalls: bool,
}

impl Kernel {
    fn threads(&self) -> usize {
        self.size.0 * self.size.1 * self.size.2
    }

    /// Threads that a warp covers.
    fn of_warp(&self, cfg: &GpuConfig) -> usize {
        match cfg.isa {
            Isa::Ivb => self.registers,
            _ => 32,
        }
    }

    fn warps(&self, cfg: &GpuConfig) -> usize {
        self.threads().div_ceil(self.of_warp(cfg))
    }

    /// Entries of the register file that a warp takes.
    fn entries(&self, cfg: &GpuConfig) -> usize {
        match cfg.isa {
            Isa::Ivb => 128,
            _ => self.registers * cfg.beats(),
        }
    }

    fn r0(&self, t: usize) -> u32 {
        let (x, y, _) = self.size;
        (t % x + ((t / x % y) << 16) + ((t / x / y) << 26)) as u32
    }

    /// Writes of registers a warp begins with.
    fn writes(&self, cfg: &GpuConfig) -> usize {
        match cfg.isa {
            Isa::Sm10 => cfg.beats(),
            // 8 lanes write the indices of 16 threads in halves.
            Isa::Ivb => 4 + self.params.div_ceil(8) + if cfg.lanes < self.registers { 3 } else { 0 },
            _ => self.registers * cfg.beats(),
        }
    }

    /// Register, beat and meaning of write `n` of a warp.
    fn written(&self, cfg: &GpuConfig, n: usize) -> (usize, usize, What) {
        let beats = cfg.beats();
        if cfg.isa == Isa::Sm10 {
            return (0, n, What::R0);
        }
        let zeros = self.registers - 2;
        match n.checked_sub(zeros * beats) {
            None => (n / beats, n % beats, What::Zero),
            Some(n) if n % 2 == 0 => (zeros, n / 2, What::First),
            Some(n) => (zeros + 1, n / 2, What::Second),
        }
    }

    /// What thread `t` of warp `warp` of the block finds in a register.
    fn initial(&self, what: What, t: usize, warp: usize) -> u32 {
        let (x, y, _) = self.size;
        let (x, y, z) = (t % x, t / x % y, t / x / y);
        match what {
            What::R0 => self.r0(t),
            What::Zero => 0,
            What::First => (x | y << 16) as u32,
            What::Second => (z | warp << 16) as u32,
        }
    }

    /// Dwords that warp `warp` of block `ctaid` finds on a chip of Ivy Bridge, by their number from r0.0 on.
    fn dwords(&self, ctaid: (usize, usize), warp: usize) -> BTreeMap<usize, u32> {
        let mut found: BTreeMap<usize, u32> = (0..32).map(|n| (n, 0)).collect();
        found.extend([(1, ctaid.0 as u32), (2, warp as u32), (6, ctaid.1 as u32)]);
        let (x, y, _) = self.size;
        for c in 0..self.registers {
            let t = warp * self.registers + c;
            for (axis, i) in [t % x, t / x % y, t / x / y].into_iter().enumerate() {
                *found.entry(8 * (1 + axis) + c / 2).or_default() |= (i as u32) << (16 * (c % 2));
            }
        }
        found.extend((0..self.params).map(|n| (32 + n, Self::param(n))));
        found
    }

    fn param(i: usize) -> u32 {
        (i as u32 + 1).wrapping_mul(0x9e37_79b9)
    }

    /// Block slots that fit.
    fn slots(&self, cfg: &GpuConfig) -> usize {
        let (warps, shared) = (self.warps(cfg), self.shared.next_multiple_of(16));
        // A register of Ivy Bridge is an entry of 8 lanes.
        let lanes = if cfg.isa == Isa::Ivb { 8 } else { cfg.lanes };
        let of_registers = cfg.registers / lanes / (warps * self.entries(cfg));
        cfg.blocks.min(cfg.warps / warps).min(of_registers).min(cfg.shared_bytes / shared)
    }

    /// Word `i` that block (x, y) finds in shared memory.
    fn shared_word(&self, i: usize, x: usize, y: usize) -> u32 {
        let pair = |low: usize, high: usize| (low | high << 16) as u32;
        match i {
            0 => pair(0, self.size.0),
            1 => pair(self.size.1, self.size.2),
            2 => pair(self.grid.0, self.grid.1),
            3 => pair(x, y),
            _ => Self::param(i - 4),
        }
    }
}

/// What the controller does, in its order. Times count `advance`s, except the start's.
#[derive(Debug)]
enum Event {
    /// A block begins in a slot: slot, block index x, y, warps.
    Block(usize, usize, usize, u32),
    /// A word of shared memory: byte address, word.
    Init(usize, u32),
    /// A beat of R0: entry, lanes, words.
    Rf(usize, u32, Vec<u32>),
    /// A warp begins.
    Warp(Begin),
    /// A warp ends.
    Finish(usize, i64),
    /// Its last access is over.
    Quiet(usize, i64),
    /// A block slot is free again.
    Done(i64),
}

/// What a warp begins with.
#[derive(Debug, PartialEq)]
struct Begin {
    warp: usize,
    mask: u32,
    slot: usize,
    index: usize,
    ctaid: (usize, usize),
    /// Entry of R0.
    registers: usize,
    /// Byte address.
    shared: usize,
    cycle: u64,
}

/// Offers the blocks of a grid; ends warps some time after their start, at most `life` cycles.
fn play(dut: &mut Dut, random: &mut Random, k: &Kernel, lanes: usize, life: u32) -> Vec<Event> {
    for i in 0..k.params {
        dut.set("param_we", true);
        dut.set("param_address", i as u32);
        dut.set("param_data", Kernel::param(i));
        dut.tick();
    }
    dut.set("param_we", false);
    let ((gx, gy), (x, y, z)) = (k.grid, k.size);
    for (port, value) in [
        ("grid_x", gx),
        ("grid_y", gy),
        ("block_x", x),
        ("block_y", y),
        ("block_z", z),
        ("block_threads", k.threads()),
        ("registers", k.registers),
        ("shared_bytes", k.shared),
        ("param_count", k.params),
    ] {
        dut.set(port, value as u64);
    }
    dut.set("start", true);
    dut.tick();
    dut.set("start", false);
    let data: Vec<String> = (0..lanes).map(|i| format!("rf_data_{i}")).collect();
    let mut events = vec![];
    let (mut given, mut done, mut advances) = (0, 0, 0);
    // Cycles in which warps end, and in which their last access is over.
    let (mut ends, mut quiet) = ([0u64; 32], [0u64; 32]);
    while done < gx * gy {
        let mut holds = |of: u32| k.stalls && random.below(of) == 0;
        let (block, advance) = (given < gx * gy && !holds(4), !holds(4));
        dut.set("block_valid", block);
        dut.set("ctaid_x", (given % gx) as u32);
        dut.set("ctaid_y", (given / gx) as u32);
        for port in ["init_ready", "warp_start_ready", "rf_ready"] {
            dut.set(port, !holds(3));
        }
        dut.set("advance", advance);
        dut.set("finish_valid", false);
        let (mut finished, mut busy) = (false, 0u32);
        for w in 0..32 {
            if ends[w] > 0 && dut.cycle >= ends[w] && !finished {
                finished = true;
                dut.set("finish_valid", true);
                dut.set("finish_warp", w as u32);
                ends[w] = 0;
                events.push(Event::Finish(w, advances));
            }
            if quiet[w] > 0 && dut.cycle < quiet[w] {
                busy |= 1 << w;
            } else if quiet[w] > 0 {
                quiet[w] = 0;
                events.push(Event::Quiet(w, advances));
            }
        }
        dut.set("warp_busy", busy);
        dut.eval();
        let at = |port: &str| dut.get(port) as usize;
        if dut.is("block_done") {
            done += 1;
            events.push(Event::Done(advances));
        }
        if block && dut.is("block_ready") {
            let (slot, warps) = (at("block_start_slot"), dut.word("block_start_warps"));
            events.push(Event::Block(slot, given % gx, given / gx, warps));
            given += 1;
        }
        if dut.is("init_valid") && dut.is("init_ready") {
            events.push(Event::Init(at("init_addr"), dut.word("init_data")));
        }
        if dut.is("rf_valid") && dut.is("rf_ready") {
            let words = data.iter().map(|port| dut.word(port)).collect();
            events.push(Event::Rf(at("rf_addr"), dut.word("rf_mask"), words));
        }
        if dut.is("warp_start_valid") {
            let begin = Begin {
                warp: at("warp_start"),
                mask: dut.word("warp_start_mask"),
                slot: at("warp_start_block"),
                index: at("warp_start_index"),
                ctaid: (at("warp_start_x"), at("warp_start_y")),
                registers: at("warp_start_regbase"),
                shared: at("warp_start_sharedbase"),
                cycle: dut.cycle,
            };
            let end = dut.cycle + 1 + u64::from(random.below(life));
            ends[begin.warp] = end;
            quiet[begin.warp] = end + u64::from(random.below(60));
            events.push(Event::Warp(begin));
        }
        advances += i64::from(advance);
        dut.tick();
    }
    for _ in 0..100 {
        assert!(dut.is("idle") && !dut.is("block_done"), "idle at the end");
        dut.tick();
    }
    events
}

#[derive(Default)]
struct Seen {
    /// Resident blocks: slot to (ctaid, warps not ended, words written, warps begun).
    resident: BTreeMap<usize, Resident>,
    blocks: usize,
    complete: usize,
    /// Slots that are to be free, with the advances counted when the last warp ended, and when all were quiet.
    drained: Vec<(usize, i64, i64)>,
    full: usize,
}

struct Resident {
    x: usize,
    y: usize,
    running: BTreeSet<usize>,
    busy: BTreeSet<usize>,
    /// Advances counted when the last warp ended.
    ended: i64,
    words: usize,
    begun: usize,
    /// Writes of registers of the warp that begins next.
    writes: usize,
    /// Dwords that they wrote, on a chip of Ivy Bridge.
    dwords: BTreeMap<usize, u32>,
}

fn check(cfg: &GpuConfig, k: &Kernel, events: &[Event]) {
    let (beats, slots, n) = (cfg.beats(), k.slots(cfg), k.warps(cfg));
    let of_warp = k.of_warp(cfg);
    let words = if cfg.isa == Isa::Ivb { 4 } else { 4 + k.params };
    assert!(slots > 0, "a kernel that fits");
    let shared_step = k.shared.next_multiple_of(16);
    let mut seen = Seen::default();
    let mut current = 0;
    let mut last_start = None;
    for event in events {
        match event {
            Event::Block(slot, x, y, warp_mask) => {
                current = *slot;
                assert!(current < slots, "slot {current} of {slots}");
                let ctaid = (seen.blocks % k.grid.0, seen.blocks / k.grid.0);
                assert_eq!((*x, *y), ctaid);
                let warps: BTreeSet<usize> = (current * n..(current + 1) * n).collect();
                assert_eq!(*warp_mask, warps.iter().fold(0, |m, w| m | 1 << w), "warps of slot {current}");
                let new = Resident {
                    x: *x,
                    y: *y,
                    running: warps.clone(),
                    busy: warps,
                    ended: 0,
                    words: 0,
                    begun: 0,
                    writes: 0,
                    dwords: BTreeMap::new(),
                };
                assert!(seen.resident.insert(current, new).is_none(), "slot {current} is in use");
                seen.blocks += 1;
                seen.full = seen.full.max(seen.resident.len());
                last_start = None;
            }
            Event::Init(address, word) => {
                let r = seen.resident.get_mut(&current).unwrap();
                let at = current * shared_step + 4 * r.words;
                assert_eq!(*address, at, "address of word {}", r.words);
                assert_eq!(*word, k.shared_word(r.words, r.x, r.y), "word {}", r.words);
                r.words += 1;
            }
            Event::Rf(entry, mask, words) if cfg.isa == Isa::Ivb => {
                let r = seen.resident.get_mut(&current).unwrap();
                let register = entry - 128 * (current * n + r.begun);
                for (lane, word) in words.iter().enumerate().filter(|(lane, _)| mask >> lane & 1 == 1) {
                    assert!(lane < 8, "row 0");
                    let twice = r.dwords.insert(8 * register + lane, *word);
                    assert_eq!(twice, None, "r{register}.{lane} is written twice");
                }
                r.writes += 1;
            }
            Event::Rf(entry, mask, words) => {
                let r = seen.resident.get_mut(&current).unwrap();
                let warp = current * n + r.begun;
                let (register, beat, what) = k.written(cfg, r.writes);
                assert_eq!(
                    *entry,
                    (warp * k.registers + register) * beats + beat,
                    "entry of write {} of warp {warp}",
                    r.writes
                );
                for (lane, word) in words.iter().enumerate() {
                    let t = r.begun * 32 + beat * cfg.lanes + lane;
                    let live = t < k.threads();
                    assert_eq!(mask >> lane & 1 == 1, live, "thread {t}");
                    let want = k.initial(what, t, r.begun);
                    assert!(!live || *word == want, "R{register} of thread {t}: {word:x}, expected {want:x}");
                }
                r.writes += 1;
            }
            Event::Warp(got) => {
                let r = seen.resident.get_mut(&current).unwrap();
                assert_eq!(r.words, words, "header and parameters are written");
                assert_eq!(r.writes, k.writes(cfg), "writes of the whole warp");
                if cfg.isa == Isa::Ivb {
                    let found = std::mem::take(&mut r.dwords);
                    assert_eq!(found, k.dwords((r.x, r.y), r.begun), "registers of warp {}", r.begun);
                }
                let left = k.threads() - r.begun * of_warp;
                let warp = current * n + r.begun;
                let want = Begin {
                    warp,
                    mask: ((1u64 << left.min(of_warp)) - 1) as u32,
                    slot: current,
                    index: r.begun,
                    ctaid: (r.x, r.y),
                    registers: warp * k.entries(cfg),
                    shared: current * shared_step,
                    cycle: got.cycle,
                };
                assert_eq!(*got, want);
                if let (Some(last), false) = (last_start, k.stalls) {
                    let cycles = got.cycle - last;
                    let writes = k.writes(cfg) as u64;
                    assert_eq!(cycles, writes + 1, "cycles between two warps");
                }
                last_start = Some(got.cycle);
                r.begun += 1;
                r.writes = 0;
            }
            Event::Finish(warp, advances) | Event::Quiet(warp, advances) => {
                let slot = warp / n;
                let r = seen.resident.get_mut(&slot).unwrap();
                assert!(match event {
                    Event::Finish(..) => {
                        r.ended = *advances;
                        r.running.remove(warp)
                    }
                    _ => r.busy.remove(warp),
                });
                if r.running.is_empty() && r.busy.is_empty() {
                    assert_eq!(r.begun, n);
                    seen.drained.push((slot, r.ended, *advances));
                    seen.resident.remove(&slot);
                }
            }
            Event::Done(advances) => {
                // Which slot it was shows in its reuse; some slot has drained for long enough, and has been looked at twice.
                let due = |&(_, ended, quiet): &(usize, i64, i64)| quiet.max(ended + drain(&Dims::of(cfg)) as i64);
                let i = (0..seen.drained.len()).min_by_key(|&i| due(&seen.drained[i])).expect("a drained block");
                let slot = seen.drained.remove(i);
                let late = advances - due(&slot);
                assert!(
                    (0..=2 * cfg.blocks as i64 + 3).contains(&late),
                    "slot {} was free {late} advances late",
                    slot.0
                );
                seen.complete += 1;
            }
        }
    }
    let blocks = k.grid.0 * k.grid.1;
    assert_eq!((seen.blocks, seen.complete), (blocks, blocks));
    if blocks >= 2 * slots && n > 1 {
        assert_eq!(seen.full, slots, "all slots get used");
    }
}

fn blocks_begin_as_launched(isa: Isa, lanes: usize) {
    let mut cfg = GpuConfig::named("default").unwrap();
    cfg.isa = isa;
    cfg.lanes = lanes;
    cfg.port_words = lanes;
    cfg.shared_banks = cfg.shared_banks.min(lanes);
    if isa == Isa::Ivb {
        // All 32 warps.
        cfg.registers = 32 * 1024;
    }
    cfg.check().unwrap();
    let kernel =
        |grid, size, registers, shared, params, stalls| Kernel { grid, size, registers, shared, params, stalls };
    let mut kernels = vec![
        kernel((3, 2), (1, 1, 1), 1, 16, 0, false),
        kernel((2, 2), (32, 1, 1), 4, 16, 0, false),
        kernel((20, 1), (256, 1, 1), 16, 48, 5, false),
        kernel((2, 1), (1024, 1, 1), 16, 16 + 256, 64, false),
        kernel((1, 2), (1, 1024, 1), 10, 32, 1, true),
        kernel((3, 1), (16, 16, 1), 12, 2065, 3, true),
        kernel((5, 3), (7, 5, 3), 9, 100, 2, true),
        kernel((4, 4), (3, 3, 3), 128, 4000, 0, true),
        kernel((2, 3), (2, 2, 64), 8, 64, 7, false),
        kernel((1, 1), (31, 33, 1), 3, 16384, 0, true),
        kernel((9, 1), (33, 1, 1), 5, 24, 2, true),
        kernel((300, 1), (1, 1, 5), 2, 16, 0, false),
        kernel((2, 1), (512, 2, 1), 16, 16, 0, false),
    ];
    // Odd sizes of all kinds.
    for i in 1..40 {
        let size = (i * 7 % 41 + 1, i * 11 % 9 + 1, i * 5 % 4 + 1);
        if size.0 * size.1 * size.2 <= 1024 {
            kernels.push(kernel((2, 1), size, i % 15 + 1, 16 * i + 16, i % 8, i % 2 == 0));
        }
    }
    // Where a warp takes long to begin, the first ones live until all slots are used.
    let most = |k: &Kernel| k.writes(&cfg).min(400);
    let life = 50 * kernels.iter().map(most).max().unwrap_or(1);
    let life = match isa {
        Isa::Sm10 => (50 * cfg.beats()).max(200),
        Isa::Ivb => 2000,
        _ => life.max(200),
    } as u32;
    let Some(mut dut) = Dut::new(&Controller::new(&cfg)) else { return };
    let mut random = Random(0x5eed);
    match isa {
        Isa::Sm10 => {}
        Isa::Ivb => {
            for (i, k) in kernels.iter_mut().enumerate() {
                k.registers = if i % 3 == 0 { 8 } else { 16 };
            }
            kernels.push(kernel((3, 3), (23, 2, 3), 16, 160, 64, false));
            kernels.push(kernel((3, 3), (5, 13, 2), 8, 160, 63, true));
            kernels.retain(|k| k.slots(&cfg) > 0);
            assert!(kernels.len() > 40, "kernels that fit");
        }
        // One register and those of the index at least.
        _ => kernels.iter_mut().for_each(|k| k.registers = k.registers.max(3)),
    }
    for k in &kernels {
        println!(
            "{lanes} lanes: grid {:?}, block {:?}, {} registers, {} shared bytes",
            k.grid, k.size, k.registers, k.shared
        );
        let events = play(&mut dut, &mut random, k, lanes, life);
        check(&cfg, k, &events);
    }
}

#[test]
fn blocks_begin_as_launched_with_2_lanes() {
    blocks_begin_as_launched(Isa::Sm10, 2);
}

#[test]
fn blocks_begin_as_launched_with_8_lanes() {
    blocks_begin_as_launched(Isa::Sm10, 8);
}

#[test]
fn blocks_begin_as_launched_with_16_lanes() {
    blocks_begin_as_launched(Isa::Sm10, 16);
}

#[test]
fn blocks_begin_as_launched_with_32_lanes() {
    blocks_begin_as_launched(Isa::Sm10, 32);
}

#[test]
fn blocks_of_micro_operations_begin_as_launched() {
    for lanes in [8, 32] {
        blocks_begin_as_launched(Isa::Fermi, lanes);
    }
}

#[test]
fn blocks_of_channels_begin_as_launched() {
    for lanes in [8, 16, 32] {
        blocks_begin_as_launched(Isa::Ivb, lanes);
    }
}
