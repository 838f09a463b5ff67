//! Shared memory against a model with rounds counted word by word.

mod support_mem;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use support_mem::{chip, each, hex, spread, Bench, Random};
use warpsmith_hdl::config::GpuConfig;
use warpsmith_hdl::sm::mem::shared::SharedMemory;

struct Beat {
    write: bool,
    sound: bool,
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
    Idle,
    Beat(Beat),
}

fn main_cpp(cfg: &GpuConfig) -> String {
    let n = cfg.lanes;
    format!(
        r#"
int main(int, char** argv) {{
    FILE* f = fopen(argv[1], "r");
    d = new Model; d->clock = 0; d->reset = 1; d->eval(); edge(); edge(); d->reset = 0;
    u32 a[L], w[L]; bool due = false, stores = false, stored = false; u32 n = 0, held = 0; int ops = in(f);
    for (int k = 0; k <= ops; k++) {{
        u32 kind = k == ops ? 0 : in(f);
        u32 stay = 0, hold = 0, at = 0, word = 0; bool late = false; d->valid = 0;
        if (kind == 1) {{ at = in(f); word = in(f); }}
        if (kind == 2) {{
            d->valid = 1; d->write = in(f); d->sound = in(f); d->size = in(f); d->mask = in(f); stay = in(f); hold = in(f);
            for (int i = 0; i < L; i++) a[i] = in(f);
            for (int i = 0; i < L; i++) w[i] = in(f);
            {}
        }} else {{ d->mask = 0; d->write = rnd() & 1; d->sound = rnd() & 1; d->size = rnd() % 3; }}
        // The beat before is in D: as long as it has lanes left, then as long as something else holds it.
        for (;;) {{
            d->hold = 0; d->eval();
            bool busy = d->busy;
            if (busy && !due) printf("busy\n");
            bool waits = busy || (due && held > 0);
            d->hold = busy ? rnd() & 1 : waits;
            bool mine = kind == 1 && !busy;
            d->init_valid = mine || ((busy || d->valid) && chance(30));
            d->init_addr = mine ? at : rnd() % {} & ~3; d->init_data = mine ? word : rnd();
            d->leaves = d->valid && !waits && stay == 0; d->eval();
            if (d->init_ready != !(d->valid || busy)) printf("init_ready\n");
            if (!busy && due) {{ printf("r"); {} printf("\n"); }}
            if (!busy && due && !waits) {{ printf("n %x\n", n); due = false; }}
            bool goes = kind == 1 ? mine : !waits && stay == 0;
            // The round of this cycle: that of a store is written in the next, no load is served then.
            bool of_m = !busy && d->valid && !d->hold && d->mask;
            bool store = busy ? stores : of_m ? d->write : !d->valid && d->init_valid;
            bool blocked = stored && !store && (busy || of_m);
            stored = store;
            edge();
            if (busy) n++; else if (waits) held--; else if (stay > 0) stay--;
            if (goes) {{ late = blocked; stores = d->write; break; }}
        }}
        if (kind == 2) {{ due = true; n = late ? 0 : 1; held = hold; }}
    }}
    return 0;
}}
"#,
        each(n, "d->addr_$i = a[$i]; d->wdata_$i = w[$i];"),
        cfg.shared_bytes,
        each(n, "printf(\" %x\", d->rdata_$i);"),
    )
}

/// One round a distinct word of the fullest bank; the cycle a load waits behind a store is not counted.
fn rounds(beat: &Beat, lanes: usize, banks: usize) -> u32 {
    let mut words: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for i in (0..lanes).filter(|i| beat.mask >> i & 1 == 1) {
        words
            .entry(beat.addr[i] / 4 % banks as u32)
            .or_default()
            .insert(beat.addr[i] / 4);
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
    let addr = (0..n as u32).map(|i| {
        let at = if random {
            base + r.below(window)
        } else {
            base + i * stride
        };
        (at % cfg.shared_bytes as u32) & !(bytes - 1)
    });
    Beat {
        addr: addr.collect(),
        write: r.chance(50),
        sound: !r.chance(10),
        size,
        mask: if r.chance(40) {
            u32::MAX >> (32 - n)
        } else {
            r.word() & (u32::MAX >> (32 - n))
        },
        stay: if r.chance(15) { r.below(4) } else { 0 },
        hold: if r.chance(15) { r.below(4) } else { 0 },
        data: (0..n).map(|_| r.word()).collect(),
    }
}

fn vectors(ops: &[Op]) -> String {
    let mut text = format!("{:x}\n", ops.len());
    for op in ops {
        match op {
            Op::Idle => text += "0",
            Op::Init(a, v) => write!(text, "1 {a:x} {v:x}").unwrap(),
            Op::Beat(b) => {
                write!(
                    text,
                    "2 {:x} {:x} {:x} {:x} {:x} {:x}",
                    u32::from(b.write),
                    u32::from(b.sound),
                    b.size,
                    b.mask,
                    b.stay,
                    b.hold
                )
                .unwrap();
                b.addr
                    .iter()
                    .copied()
                    .chain(b.data.iter().map(|d| spread(*d, 1 << b.size)))
                    .for_each(|w| write!(text, " {w:x}").unwrap());
            }
        }
        text.push('\n');
    }
    text
}

/// What the log must be: for each beat its cycles, then the words its lanes read.
fn expected(ops: &[Op], cfg: &GpuConfig) -> Vec<(u32, Vec<u32>)> {
    let mut memory = vec![0u8; cfg.shared_bytes];
    let mut out = vec![];
    for op in ops {
        match op {
            Op::Idle => {}
            Op::Init(a, v) => {
                memory[*a as usize..*a as usize + 4].copy_from_slice(&v.to_le_bytes())
            }
            Op::Beat(b) => {
                let mut read = vec![0; cfg.lanes];
                for i in (0..cfg.lanes).filter(|i| b.mask >> i & 1 == 1) {
                    let (a, word) = (b.addr[i] as usize, b.addr[i] as usize & !3);
                    if b.write && !b.sound {
                        // Beats that trap write nothing.
                    } else if b.write {
                        let n = 1 << b.size;
                        memory[a..a + n].copy_from_slice(&b.data[i].to_le_bytes()[..n]);
                    } else {
                        let w = u32::from_le_bytes([
                            memory[word],
                            memory[word + 1],
                            memory[word + 2],
                            memory[word + 3],
                        ]);
                        read[i] = (w >> (8 * (a % 4))) & (u32::MAX >> (32 - (8 << b.size)));
                    }
                }
                out.push((rounds(b, cfg.lanes, cfg.shared_banks), read));
            }
        }
    }
    out
}

fn check(lanes: usize, banks: usize, seed: u64) {
    println!("seed {seed:#x}, {lanes} lanes, {banks} banks");
    let mut cfg = chip(lanes, lanes);
    cfg.shared_banks = banks;
    cfg.shared_bytes = if lanes == 8 { 16384 } else { 4096 };
    let bench = Bench::new(
        "shared_memory",
        &cfg,
        &SharedMemory::new(&cfg),
        &main_cpp(&cfg),
    );
    let mut r = Random(seed);
    let mut ops: Vec<Op> = (0..cfg.shared_bytes as u32 / 4)
        .map(|i| Op::Init(4 * i, r.word()))
        .collect();
    for _ in 0..6000 {
        ops.push(match r.below(10) {
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
    let beats: Vec<&Beat> = ops
        .iter()
        .filter_map(|o| if let Op::Beat(b) = o { Some(b) } else { None })
        .collect();
    let log = bench.run(&vectors(&ops), &[]);
    let mut log = log.iter();
    for (k, (cycles, read)) in expected.iter().enumerate() {
        let b = beats[k];
        // What a lane did not ask for is undefined.
        let wanted = |(i, w): (usize, &String)| match b.mask >> i & 1 {
            1 => hex(w) & (u64::MAX >> (64 - (8 << b.size))),
            _ => 0,
        };
        let what = format!(
            "beat {k}: write {} size {} mask {:#x} stay {} hold {} addr {:x?}",
            b.write, b.size, b.mask, b.stay, b.hold, b.addr
        );
        // Every cycle in D in which it has all its words.
        for _ in 0..=b.hold {
            let line = log.next().expect("a line");
            assert_eq!(line[0], "r", "{what}");
            let words: Vec<u64> = line[1..].iter().enumerate().map(wanted).collect();
            let read: Vec<u64> = read.iter().map(|&w| w.into()).collect();
            assert!(b.write || words == read, "data of {what}");
        }
        let line = log.next().expect("a line");
        assert_eq!(line[0], "n", "{what}");
        assert_eq!(hex(&line[1]), u64::from(*cycles), "cycles of {what}");
    }
    assert!(log.next().is_none(), "more than the beats");
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
