//! The controller: what blocks and warps begin with, where they are put, and when places are free.

mod support_player;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use warpsmith_hdl::config::GpuConfig;
use warpsmith_hdl::sm::controller::Controller;

/// A kernel: grid, block size, registers, shared bytes, parameters.
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

    fn warps(&self) -> usize {
        self.threads().div_ceil(32)
    }

    fn r0(&self, t: usize) -> u32 {
        let (x, y, _) = self.size;
        (t % x + ((t / x % y) << 16) + ((t / x / y) << 26)) as u32
    }

    fn param(i: usize) -> u32 {
        (i as u32 + 1).wrapping_mul(0x9e37_79b9)
    }

    /// Block slots that fit.
    fn slots(&self, cfg: &GpuConfig) -> usize {
        let entries = self.warps() * self.registers * cfg.beats();
        let shared = self.shared.next_multiple_of(16);
        cfg.blocks
            .min(cfg.warps / self.warps())
            .min(cfg.registers / cfg.lanes / entries)
            .min(cfg.shared_bytes / shared)
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

/// Offers the blocks of each grid; ends warps some time after their start; prints what happens.
const PLAYER: &str = r#"
static unsigned rnd() { static uint64_t s = 88172645463325252ull; s ^= s << 13; s ^= s >> 7; s ^= s << 17; return (unsigned)(s >> 11); }
int main(int, char** argv) {
    Dut d; reset(d);
    FILE* f = fopen(argv[1], "r");
    char line[256];
    while (fgets(line, sizeof line, f)) {
        unsigned gx, gy, bx, by, bz, threads, regs, shared, params, stalls;
        sscanf(line, "%u %u %u %u %u %u %u %u %u %u", &gx, &gy, &bx, &by, &bz, &threads, &regs, &shared, &params, &stalls);
        printf("kernel\n");
        for (unsigned i = 0; i < params; i++) {
            d.param_we = 1; d.param_address = i; d.param_data = (i + 1) * 0x9e3779b9u; tick(d);
        }
        d.param_we = 0;
        d.grid_x = gx; d.grid_y = gy; d.block_x = bx; d.block_y = by; d.block_z = bz; d.block_threads = threads;
        d.registers = regs; d.shared_bytes = shared; d.param_count = params;
        d.start = 1; tick(d); d.start = 0;
        unsigned x = 0, y = 0, done = 0, total = gx * gy, given = 0;
        long ends[32]; long quiet[32]; memset(ends, 0, sizeof ends); memset(quiet, 0, sizeof quiet);
        long advances = 0;
        while (done < total) {
            d.block_valid = given < total && (!stalls || rnd() % 4 != 0); d.ctaid_x = x; d.ctaid_y = y;
            d.init_ready = !stalls || rnd() % 3 != 0;
            d.warp_start_ready = !stalls || rnd() % 3 != 0;
            d.rf_ready = !stalls || rnd() % 3 != 0;
            d.advance = !stalls || rnd() % 4 != 0;
            d.finish_valid = 0; unsigned busy = 0;
            for (int w = 0; w < 32; w++) {
                if (ends[w] && cycle >= ends[w] && !d.finish_valid) { d.finish_valid = 1; d.finish_warp = w; ends[w] = 0; printf("finish %d %ld\n", w, advances); }
                if (quiet[w] && cycle < quiet[w]) busy |= 1u << w;
                else if (quiet[w]) { printf("quiet %d %ld\n", w, advances); quiet[w] = 0; }
            }
            d.warp_busy = busy;
            d.eval();
            if (d.block_done) { done++; printf("done %ld\n", advances); }
            if (d.block_valid && d.block_ready) {
                printf("block %u %u %u %x\n", d.block_start_slot, x, y, (unsigned)d.block_start_warps);
                given++; if (++x == gx) { x = 0; y++; }
            }
            if (d.init_valid && d.init_ready) printf("init %u %x\n", d.init_addr, d.init_data);
            if (d.rf_valid && d.rf_ready) {
                printf("rf %u %x", d.rf_addr, (unsigned)d.rf_mask);
                const IData* lanes[] = {@LANES@};
                for (const IData* l : lanes) printf(" %x", *l);
                printf("\n");
            }
            if (d.warp_start_valid) {
                printf("warp %u %x %u %u %u %u %u %u %ld\n", d.warp_start, d.warp_start_mask, d.warp_start_block, d.warp_start_index,
                       d.warp_start_x, d.warp_start_y, d.warp_start_regbase, d.warp_start_sharedbase, cycle);
                ends[d.warp_start] = cycle + 1 + rnd() % @LIFE@;
                quiet[d.warp_start] = ends[d.warp_start] + rnd() % 60;
            }
            if (d.advance) advances++;
            tick(d);
        }
        for (int i = 0; i < 100; i++) { if (!d.idle || d.block_done) return 1; tick(d); }
    }
    return 0;
}
"#;

#[derive(Default)]
struct Seen {
    /// Resident blocks: slot to (ctaid, warps not ended, words written, warps begun).
    resident: BTreeMap<usize, Resident>,
    blocks: usize,
    complete: usize,
    /// Advances counted when the slot's last warp became quiet, for slots that are to be free.
    drained: Vec<(usize, i64)>,
    full: usize,
}

struct Resident {
    x: usize,
    y: usize,
    running: BTreeSet<usize>,
    busy: BTreeSet<usize>,
    words: usize,
    begun: usize,
    beats: usize,
}

fn check(cfg: &GpuConfig, k: &Kernel, events: &[&str]) {
    let (beats, slots, n) = (cfg.beats(), k.slots(cfg), k.warps());
    assert!(slots > 0, "a kernel that fits");
    let shared_step = k.shared.next_multiple_of(16);
    let mut seen = Seen::default();
    let mut current = 0;
    let mut last_start = None;
    for event in events {
        let (what, rest) = event.split_once(' ').unwrap();
        let fields: Vec<&str> = rest.split(' ').collect();
        let int = |i: usize| fields[i].parse::<i64>().unwrap();
        let at = |i: usize| int(i) as usize;
        let hex = |i: usize| u32::from_str_radix(fields[i], 16).unwrap();
        match what {
            "block" => {
                current = at(0);
                assert!(current < slots, "slot {current} of {slots}");
                let (x, y) = (seen.blocks % k.grid.0, seen.blocks / k.grid.0);
                assert_eq!((at(1), at(2)), (x, y));
                let warps: BTreeSet<usize> = (current * n..(current + 1) * n).collect();
                assert_eq!(
                    hex(3),
                    warps.iter().fold(0, |m, w| m | 1 << w),
                    "warps of slot {current}"
                );
                let new = Resident {
                    x,
                    y,
                    running: warps.clone(),
                    busy: warps,
                    words: 0,
                    begun: 0,
                    beats: 0,
                };
                assert!(
                    seen.resident.insert(current, new).is_none(),
                    "slot {current} is in use"
                );
                seen.blocks += 1;
                seen.full = seen.full.max(seen.resident.len());
                last_start = None;
            }
            "init" => {
                let r = seen.resident.get_mut(&current).unwrap();
                assert_eq!(
                    at(0),
                    current * shared_step + 4 * r.words,
                    "address of word {}",
                    r.words
                );
                assert_eq!(hex(1), k.shared_word(r.words, r.x, r.y), "word {}", r.words);
                r.words += 1;
            }
            "rf" => {
                let r = seen.resident.get_mut(&current).unwrap();
                let warp = current * n + r.begun;
                assert_eq!(
                    at(0),
                    warp * k.registers * beats + r.beats,
                    "entry of beat {} of warp {warp}",
                    r.beats
                );
                for lane in 0..cfg.lanes {
                    let t = r.begun * 32 + r.beats * cfg.lanes + lane;
                    let live = t < k.threads();
                    assert_eq!(hex(1) >> lane & 1 == 1, live, "thread {t}");
                    if live {
                        assert_eq!(hex(2 + lane), k.r0(t), "R0 of thread {t}");
                    }
                }
                r.beats += 1;
            }
            "warp" => {
                let r = seen.resident.get_mut(&current).unwrap();
                assert_eq!(r.words, 4 + k.params, "header and parameters are written");
                assert_eq!(r.beats, beats, "R0 of the whole warp is written");
                let left = k.threads() - r.begun * 32;
                let mask = if left >= 32 {
                    u32::MAX
                } else {
                    (1 << left) - 1
                };
                let warp = current * n + r.begun;
                let got = (at(0), hex(1), at(2), at(3), at(4), at(5), at(6), at(7));
                let want = (
                    warp,
                    mask,
                    current,
                    r.begun,
                    r.x,
                    r.y,
                    warp * k.registers * beats,
                    current * shared_step,
                );
                assert_eq!(
                    got, want,
                    "warp, threads, slot, index, ctaid, register and shared base"
                );
                if let (Some(last), false) = (last_start, k.stalls) {
                    assert_eq!(int(8) - last, beats as i64 + 1, "cycles between two warps");
                }
                last_start = Some(int(8));
                r.begun += 1;
                r.beats = 0;
            }
            "finish" | "quiet" => {
                let warp = at(0);
                let slot = warp / n;
                let r = seen.resident.get_mut(&slot).unwrap();
                assert!(if what == "finish" {
                    r.running.remove(&warp)
                } else {
                    r.busy.remove(&warp)
                });
                if r.running.is_empty() && r.busy.is_empty() {
                    assert_eq!(r.begun, n);
                    seen.resident.remove(&slot);
                    seen.drained.push((slot, int(1)));
                }
            }
            "done" => {
                // Which slot it was shows in its reuse; some slot has drained for long enough.
                let i = (0..seen.drained.len())
                    .min_by_key(|&i| seen.drained[i].1)
                    .expect("a drained block");
                let (slot, since) = seen.drained.remove(i);
                assert!(
                    int(0) - since >= 32,
                    "slot {slot} was free after {} advances",
                    int(0) - since
                );
                assert!(
                    int(0) - since < 64,
                    "slot {slot} was free only after {} advances",
                    int(0) - since
                );
                seen.complete += 1;
            }
            _ => panic!("{event}"),
        }
    }
    let blocks = k.grid.0 * k.grid.1;
    assert_eq!((seen.blocks, seen.complete), (blocks, blocks));
    if blocks >= 2 * slots && n > 1 {
        assert_eq!(seen.full, slots, "all slots get used");
    }
}

fn blocks_begin_as_launched(lanes: usize) {
    let mut cfg = GpuConfig::named("default").unwrap();
    cfg.lanes = lanes;
    cfg.port_words = lanes;
    cfg.shared_banks = cfg.shared_banks.min(lanes);
    cfg.check().unwrap();
    let kernel = |grid, size, registers, shared, params, stalls| Kernel {
        grid,
        size,
        registers,
        shared,
        params,
        stalls,
    };
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
            kernels.push(kernel(
                (2, 1),
                size,
                i % 15 + 1,
                16 * i + 16,
                i % 8,
                i % 2 == 0,
            ));
        }
    }
    let mut vectors = String::new();
    for k in &kernels {
        let ((gx, gy), (x, y, z)) = (k.grid, k.size);
        let (threads, registers, shared, params) = (k.threads(), k.registers, k.shared, k.params);
        let stalls = k.stalls as u8;
        writeln!(
            vectors,
            "{gx} {gy} {x} {y} {z} {threads} {registers} {shared} {params} {stalls}"
        )
        .unwrap();
    }
    let names: Vec<String> = (0..lanes).map(|i| format!("&d.rf_data_{i}")).collect();
    // Where a warp takes long to begin, the first ones live until all slots are used.
    let life = (50 * cfg.beats()).max(200);
    let player = PLAYER
        .replace("@LANES@", &names.join(", "))
        .replace("@LIFE@", &life.to_string());
    let Some(text) =
        support_player::simulate("controller", &Controller::new(&cfg), &player, &vectors)
    else {
        return;
    };
    let lines: Vec<&str> = text.lines().collect();
    let runs: Vec<&[&str]> = lines.split(|l| *l == "kernel").skip(1).collect();
    assert_eq!(runs.len(), kernels.len());
    for (k, events) in kernels.iter().zip(runs) {
        println!(
            "{lanes} lanes: grid {:?}, block {:?}, {} registers, {} shared bytes",
            k.grid, k.size, k.registers, k.shared
        );
        check(&cfg, k, events);
    }
}

#[test]
fn blocks_begin_as_launched_with_2_lanes() {
    blocks_begin_as_launched(2);
}

#[test]
fn blocks_begin_as_launched_with_8_lanes() {
    blocks_begin_as_launched(8);
}

#[test]
fn blocks_begin_as_launched_with_16_lanes() {
    blocks_begin_as_launched(16);
}

#[test]
fn blocks_begin_as_launched_with_32_lanes() {
    blocks_begin_as_launched(32);
}
