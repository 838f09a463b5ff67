//! Shared memory against a model with rounds counted word by word.

use crate::support;
use std::collections::{BTreeMap, BTreeSet};
use support::dut::{lint, Dut};
use support::{chip, spread, Random};
use warpsmith_hdl::config::{GpuConfig, Level};
use warpsmith_hdl::emit::emit_leaf;
use warpsmith_hdl::sm::mem::shared::SharedMemory;

struct Beat {
    write: bool,
    sound: bool,
    /// A load takes locks, a store frees them.
    lock: bool,
    size: u32,
    mask: u32,
    /// Cycles it stays in M and is served all the same.
    stay: u32,
    /// Cycles it stays in D after its last round.
    hold: u32,
    addr: Vec<u32>,
    data: Vec<u32>,
}

enum Op {
    Init(u32, u32),
    /// The words of 16 bytes are unlocked, or of a row that is shorter.
    Free(u32),
    Idle,
    Beat(Beat),
}

/// What a beat gave.
#[derive(Default)]
struct Answer {
    /// Cycles in D until all its words were there.
    cycles: u32,
    /// Words of the lanes, in every cycle in D in which it has all of them.
    words: Vec<Vec<u32>>,
    /// Lanes that got their lock, in the same cycles.
    locked: Vec<u32>,
}

/// Gives the operations one after the other, the next as soon as the block takes it.
fn play(dut: &mut Dut, random: &mut Random, ops: &[Op], cfg: &GpuConfig) -> Vec<Answer> {
    let lanes = |name: &str| -> Vec<String> { (0..cfg.lanes).map(|i| format!("{name}_{i}")).collect() };
    let (addr, wdata, rdata) = (lanes("addr"), lanes("wdata"), lanes("rdata"));
    let mut answers = vec![];
    let locks = cfg.level >= Level::Sm12;
    // The beat in D, of how many cycles so far; how long something else holds it; whether it stores, or locks.
    let mut due: Option<Answer> = None;
    let (mut held, mut stores, mut stored) = (0, (false, false), false);
    for op in ops.iter().chain([&Op::Idle]) {
        let mut stay = 0;
        dut.set("valid", false);
        if let Op::Beat(b) = op {
            dut.set("valid", true);
            dut.set("write", b.write);
            dut.set("sound", b.sound);
            dut.set("size", b.size);
            dut.set("mask", b.mask);
            if locks {
                dut.set("lock", b.lock);
            }
            for i in 0..cfg.lanes {
                dut.set(&addr[i], b.addr[i]);
                dut.set(&wdata[i], spread(b.data[i], 1 << b.size));
            }
            stay = b.stay;
        } else {
            dut.set("mask", 0u32);
            dut.set("write", random.chance(50));
            dut.set("sound", random.chance(50));
            dut.set("size", random.below(3));
        }
        let valid = matches!(op, Op::Beat(_));
        let late = loop {
            // The beat before is in D: as long as it has lanes left, then as long as something else
            // holds it.
            dut.set("hold", false);
            dut.eval();
            let busy = dut.is("busy");
            assert!(!busy || due.is_some(), "busy with nothing");
            let waits = busy || due.is_some() && held > 0;
            let hold = if busy { random.chance(50) } else { waits };
            dut.set("hold", hold);
            let mine = match op {
                Op::Init(at, word) if !busy => Some((*at, *word)),
                Op::Free(at) if !busy => Some((*at, random.word())),
                _ => None,
            };
            if locks {
                dut.set("init_frees", matches!(op, Op::Free(_)));
            }
            let refused = (busy || valid) && random.chance(30);
            let init = mine.is_some() || refused;
            let bytes = cfg.shared_bytes as u32;
            let (at, word) = mine.unwrap_or_else(|| (random.below(bytes) & !3, random.word()));
            dut.set("init_valid", init);
            dut.set("init_addr", at);
            dut.set("init_data", word);
            dut.set("leaves", valid && !waits && stay == 0);
            dut.eval();
            assert_eq!(dut.is("init_ready"), !(valid || busy), "init_ready");
            if let (false, Some(answer)) = (busy, &mut due) {
                answer.words.push(rdata.iter().map(|p| dut.word(p)).collect());
                answer.locked.push(if locks { dut.word("locked") } else { 0 });
            }
            if !busy && !waits {
                answers.extend(due.take());
            }
            let goes = match op {
                Op::Init(..) | Op::Free(_) => mine.is_some(),
                _ => !waits && stay == 0,
            };
            // The round of this cycle: that of a store or of locks is written in the next, no load is served then.
            let of_m = match op {
                Op::Beat(b) => !busy && !hold && b.mask != 0,
                _ => false,
            };
            let lock = matches!(op, Op::Beat(b) if b.lock);
            let (store, takes) = if busy {
                stores
            } else if of_m {
                (dut.is("write"), lock)
            } else {
                (!valid && init, false)
            };
            let blocked = stored && !store && (busy || of_m);
            stored = store || takes && !blocked;
            dut.tick();
            if busy {
                due.as_mut().expect("a beat is in D").cycles += 1;
            } else if waits {
                held -= 1;
            } else {
                stay -= u32::from(stay > 0);
            }
            if goes {
                stores = (dut.is("write"), lock);
                break blocked;
            }
        };
        if let Op::Beat(b) = op {
            held = b.hold;
            due = Some(Answer { cycles: u32::from(!late), ..Answer::default() });
        }
    }
    answers
}

/// Cycles of a beat: one a round, of which a load that locks takes two but for the last.
fn cycles(beat: &Beat, lanes: usize, banks: usize) -> u32 {
    let rounds = rounds(beat, lanes, banks);
    if beat.lock && !beat.write {
        2 * rounds - 1
    } else {
        rounds
    }
}

/// One round a distinct word of the fullest bank; the cycle a load waits behind a store is not counted.
fn rounds(beat: &Beat, lanes: usize, banks: usize) -> u32 {
    let mut words: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for i in (0..lanes).filter(|i| beat.mask >> i & 1 == 1) {
        words.entry(beat.addr[i] / 4 % banks as u32).or_default().insert(beat.addr[i] / 4);
    }
    words.values().map(|w| w.len() as u32).max().unwrap_or(1)
}

fn random_beat(r: &mut Random, cfg: &GpuConfig) -> Beat {
    let n = cfg.lanes;
    let size = r.below(3);
    let bytes = 1 << size;
    let window = [4, 16, 4 * n as u32, cfg.shared_bytes as u32][r.below(4) as usize];
    let base = r.below(cfg.shared_bytes as u32 / window) * window;
    let stride = [0, 1, 2, n as u32, n as u32 + 1, 5][r.below(6) as usize] * bytes;
    let random = r.chance(60);
    let lock = size == 2 && cfg.level >= Level::Sm12 && r.chance(50);
    let addr = (0..n as u32).map(|i| {
        let at = if random { base + r.below(window) } else { base + i * stride };
        (at % cfg.shared_bytes as u32) & !(bytes - 1)
    });
    Beat {
        addr: addr.collect(),
        write: r.chance(50),
        sound: !r.chance(10),
        lock,
        size,
        mask: if r.chance(40) { u32::MAX >> (32 - n) } else { r.word() & (u32::MAX >> (32 - n)) },
        stay: if r.chance(15) { r.below(4) } else { 0 },
        hold: if r.chance(15) { r.below(4) } else { 0 },
        data: (0..n).map(|_| r.word()).collect(),
    }
}

/// For each beat its cycles, the words its lanes read, and the lanes that got a lock.
fn expected(ops: &[Op], cfg: &GpuConfig) -> Vec<(u32, Vec<u32>, u32)> {
    let mut memory = vec![0u8; cfg.shared_bytes];
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    let mut out = vec![];
    for op in ops {
        match op {
            Op::Idle => {}
            Op::Init(a, v) => memory[*a as usize..*a as usize + 4].copy_from_slice(&v.to_le_bytes()),
            Op::Free(a) => (0..freed(cfg)).for_each(|n| _ = taken.remove(&(*a as usize + 4 * n))),
            Op::Beat(b) => {
                let (mut read, mut locked) = (vec![0; cfg.lanes], 0);
                for i in (0..cfg.lanes).filter(|i| b.mask >> i & 1 == 1) {
                    let (a, word) = (b.addr[i] as usize, b.addr[i] as usize & !3);
                    if b.write && !b.sound {
                        // Beats that trap write nothing.
                    } else if b.write {
                        let n = 1 << b.size;
                        memory[a..a + n].copy_from_slice(&b.data[i].to_le_bytes()[..n]);
                        if b.lock {
                            taken.remove(&word);
                        }
                    } else {
                        if b.lock && b.sound && taken.insert(word) {
                            locked |= 1 << i;
                        }
                        let w =
                            u32::from_le_bytes([memory[word], memory[word + 1], memory[word + 2], memory[word + 3]]);
                        read[i] = (w >> (8 * (a % 4))) & (u32::MAX >> (32 - (8 << b.size)));
                    }
                }
                out.push((cycles(b, cfg.lanes, cfg.shared_banks), read, locked));
            }
        }
    }
    out
}

/// Words that are unlocked at once.
fn freed(cfg: &GpuConfig) -> usize {
    cfg.shared_banks.min(4)
}

fn check(lanes: usize, banks: usize, seed: u64) {
    check_at(Level::Sm10, lanes, banks, seed);
}

fn check_at(level: Level, lanes: usize, banks: usize, seed: u64) {
    println!("seed {seed:#x}, {lanes} lanes, {banks} banks, {level}");
    let mut cfg = GpuConfig { level, ..chip(lanes, lanes) };
    cfg.shared_banks = banks;
    cfg.shared_bytes = if lanes == 8 { 16384 } else { 4096 };
    let leaf = emit_leaf(&SharedMemory::new(&cfg));
    lint(&leaf);
    let Some(mut dut) = Dut::of(&leaf) else { return };
    let mut r = Random(seed);
    let mut ops: Vec<Op> = (0..cfg.shared_bytes as u32 / 4).map(|i| Op::Init(4 * i, r.word())).collect();
    let step = 4 * freed(&cfg) as u32;
    let free = |n: u32| Op::Free(n * step);
    if level >= Level::Sm12 {
        ops.extend((0..cfg.shared_bytes as u32 / step).map(free));
    }
    for _ in 0..6000 {
        ops.push(match r.below(10) {
            0 if level >= Level::Sm12 && r.chance(50) => free(r.below(cfg.shared_bytes as u32 / step)),
            0 => Op::Idle,
            1 => Op::Init(r.below(cfg.shared_bytes as u32 / 4) * 4, r.word()),
            _ => Op::Beat(random_beat(&mut r, &cfg)),
        });
    }
    // Known costs: stride one a cycle for each lane of a bank, full broadcast one cycle, all lanes in
    // one bank as many as lanes.
    let all = u32::MAX >> (32 - lanes);
    for (k, stride) in [4, 0, 4 * lanes as u32].into_iter().enumerate() {
        let addr: Vec<u32> = (0..lanes as u32).map(|i| i * stride).collect();
        let beat = Beat {
            write: false,
            sound: true,
            lock: false,
            size: 2,
            mask: all,
            stay: 0,
            hold: 0,
            addr,
            data: vec![0; lanes],
        };
        let cost = [lanes / banks, 1, lanes][k] as u32;
        assert_eq!(rounds(&beat, lanes, banks), cost);
        ops.push(Op::Beat(beat));
    }
    let expected = expected(&ops, &cfg);
    let beats: Vec<&Beat> = ops.iter().filter_map(|o| if let Op::Beat(b) = o { Some(b) } else { None }).collect();
    let answers = play(&mut dut, &mut r, &ops, &cfg);
    assert_eq!(answers.len(), expected.len(), "beats");
    for (k, ((cycles, read, locked), got)) in expected.iter().zip(&answers).enumerate() {
        let b = beats[k];
        let what = format!(
            "beat {k}: write {} lock {} size {} mask {:#x} stay {} hold {} addr {:x?}",
            b.write, b.lock, b.size, b.mask, b.stay, b.hold, b.addr
        );
        // Every cycle in D in which it has all its words.
        assert_eq!(got.words.len(), b.hold as usize + 1, "{what}");
        // What a lane did not ask for is undefined.
        let wanted = |(i, w): (usize, &u32)| match b.mask >> i & 1 {
            1 => w & (u32::MAX >> (32 - (8 << b.size))),
            _ => 0,
        };
        for words in &got.words {
            let words: Vec<u32> = words.iter().enumerate().map(wanted).collect();
            assert!(b.write || words == *read, "data of {what}");
        }
        if b.lock && b.sound && !b.write {
            assert!(
                got.locked.iter().all(|l| l & b.mask == *locked),
                "{locked:#x}, not {:x?}: locks of {what}",
                got.locked
            );
        }
        assert_eq!(got.cycles, *cycles, "cycles of {what}");
    }
}

#[test]
fn shared_memory_of_8_lanes_serves_every_beat_in_its_rounds() {
    check(8, 8, 0x5eed_0008);
}

#[test]
fn shared_memory_of_16_lanes_serves_every_beat_in_its_rounds() {
    check(16, 16, 0x5eed_0016);
}

#[test]
fn shared_memory_of_32_lanes_serves_every_beat_in_its_rounds() {
    check(32, 32, 0x5eed_0032);
}

#[test]
fn shared_memory_of_fewer_banks_than_lanes_serves_every_beat_in_its_rounds() {
    for banks in [1, 2, 4] {
        check(8, banks, 0x5eed_0801 + banks as u64);
    }
    check(16, 2, 0x5eed_1602);
}

#[test]
fn locks_go_to_the_lowest_lane_at_a_free_word() {
    check_at(Level::Sm12, 8, 8, 0x5eed_1208);
    check_at(Level::Sm12, 8, 2, 0x5eed_1202);
    check_at(Level::Sm12, 2, 1, 0x5eed_1201);
}
