//! Launch registers, performance counters and block scheduler, each against a plain account of it.

mod support_player;

use std::fmt::Write;
use support_player::simulate;
use warpsmith_hdl::block_scheduler::BlockScheduler;
use warpsmith_hdl::config::GpuConfig;
use warpsmith_hdl::launch_regs::{LaunchRegs, STALLS};

#[test]
fn launch_registers_hold_what_the_host_writes() {
    let player = r#"
static Dut d;
enum { SMS = @SMS@, THREADS = 32 * SMS };
static void put(unsigned a, unsigned v) { d.bus_valid = 1; d.bus_write = 1; d.bus_address = a; d.bus_wdata = v; tick(d); d.bus_valid = 0; d.bus_write = 0; d.eval(); }
static unsigned look(unsigned a) { d.bus_valid = 1; d.bus_write = 0; d.bus_address = a; tick(d); d.bus_valid = 0; d.eval(); return d.bus_rdata; }
static void is(const char* what, uint64_t got, uint64_t want) { if (got != want) { fprintf(stderr, "%s: %llx, expected %llx\n", what, (unsigned long long)got, (unsigned long long)want); exit(1); } }
static unsigned rnd() { static uint64_t s = 88172645463325252ull; s ^= s << 13; s ^= s >> 7; s ^= s << 17; return (unsigned)(s >> 11); }
int main() {
    reset(d);
    put(0x20, 0x00030002); put(0x24, 0x00050004); put(0x28, 6); put(0x2c, 1024); put(0x30, 128); put(0x34, 16384);
    put(0x38, 16384); put(0x3c, 8); put(0x40, 0xffffffff); put(0x44, 0x12345680); put(0x48, 65536); put(0x4c, 64);
    is("grid", d.grid_x | d.grid_y << 16, 0x00030002); is("block", d.block_x | d.block_y << 16, 0x00050004); is("block z", d.block_z, 6);
    is("threads", d.block_threads, 1024); is("registers", d.registers, 128); is("shared", d.shared_bytes, 16384);
    is("program", d.program_bytes, 16384); is("start pc", d.start_pc, 8); is("global", d.global_last, 0xffffffff);
    is("local", d.local_base, 0x12345680); is("local bytes", d.local_bytes, 65536); is("params", d.param_count, 64);
    put(0x80, 16384u << 16 | 5); put(0xbc, 7u << 16 | 9);
    is("bank 0", d.bank_words_0 << 16 | d.bank_base_0, 16384u << 16 | 5); is("bank 15", d.bank_words_15 << 16 | d.bank_base_15, 7u << 16 | 9);
    is("bank 14", d.bank_words_14, 0);
    unsigned at[] = {0x100 + 4 * 63, 0x40000 + 0x1ffc, 0x80000 + 0x3ffc, 0x20};
    for (int i = 0; i < 4; i++) {
        d.bus_valid = 1; d.bus_write = 1; d.bus_address = at[i]; d.bus_wdata = 0xabcd; d.eval();
        is("strobes", d.param_we | d.const_we << 1 | d.prog_we << 2, i < 3 ? 1u << i : 0);
        unsigned words[] = {63, 0x7ff, 0xfff, 8};
        is("word", i ? d.write_word : d.write_word & 63, words[i]); is("data", d.write_data, 0xabcd);
        d.bus_write = 0; d.eval(); is("no strobes", d.param_we | d.const_we | d.prog_we, 0);
    }
    d.bus_valid = 0;
    is("id", look(0), 0x57415250);
    d.busy = 1; d.done = 0; d.trapped = 1; is("status", look(8), 5);
    d.trap_cause = 9; d.trap_lane = 31; d.trap_warp = 30; d.trap_sm = 3; is("trap", look(0xc), 0x031e1f09);
    d.trap_pc = 0x1238; d.trap_x = 0x11; d.trap_y = 0x22; is("trap pc", look(0x10), 0x1238); is("trap block", look(0x14), 0x00220011);
    is("no register", look(0x18), 0); is("write only", look(0x20), 0); is("no start", d.start, 0);
    CData* stalls[] = {@STALLS@};
    auto counter = [](int k) { return k < 9 ? 3 + k : 4 + k; };
    for (int run = 0; run < 3; run++) {
        uint64_t want[16]; memset(want, 0, sizeof want);
        d.busy = 0; put(4, 1); is("start", d.start, 1); tick(d); is("start ends", d.start, 0);
        // Reading between the events of a run is exact as well. In the second run all that can happen does.
        for (int c = 0; c < 3000 << run; c++) {
            auto events = [&](unsigned most) { return run == 1 ? most : rnd() % (most + 1); };
            d.busy = 1; d.count_warp_instructions = events(SMS); d.count_thread_instructions = events(THREADS); d.count_global_requests = events(SMS);
            for (CData* s : stalls) *s = events(SMS);
            unsigned k = rnd() % 16; uint64_t now = want[k];
            unsigned got = look(0x200 + 8 * k); is("counter while running", got, (uint32_t)now);
            want[0]++; want[1] += d.count_warp_instructions; want[2] += d.count_thread_instructions; want[12] += d.count_global_requests;
            for (int i = 0; i < 12; i++) want[counter(i)] += *stalls[i];
        }
        d.busy = 0; d.count_warp_instructions = d.count_thread_instructions = d.count_global_requests = 0;
        for (CData* s : stalls) *s = 0;
        for (int k = 0; k < 16; k++) { is("counter", look(0x200 + 8 * k), (uint32_t)want[k]); is("counter high", look(0x204 + 8 * k), want[k] >> 32); }
        is("behind the counters", look(0x280), 0);
    }
    return 0;
}
"#;
    let stalls: Vec<String> = (0..STALLS).map(|k| format!("&d.count_stall_{k}")).collect();
    for sms in [1, 4, 16] {
        let player = player
            .replace("@SMS@", &sms.to_string())
            .replace("@STALLS@", &stalls.join(", "));
        let cfg = GpuConfig {
            sms,
            ..GpuConfig::named("quad").unwrap()
        };
        simulate("launch_regs", &LaunchRegs::new(&cfg), &player, "");
    }
}

/// Runs a grid on SMs that hold up to two blocks each; prints the blocks in order.
const GRID: &str = r#"
static unsigned rnd() { static uint64_t s = 88172645463325252ull; s ^= s << 13; s ^= s >> 7; s ^= s << 17; return (unsigned)(s >> 11); }
int main(int, char** argv) {
    Dut d; reset(d);
    FILE* f = fopen(argv[1], "r"); unsigned gx, gy, trap;
    CData* valid[] = {@VALID@}; CData* ready[] = {@READY@}; CData* done[] = {@DONE@}; CData* idle[] = {@IDLE@};
    CData* tv[] = {@TRAP@}; CData* tc[] = {@CAUSE@}; SData* tx[] = {@X@};
    const int n = sizeof valid / sizeof *valid;
    while (fscanf(f, "%u %u %u", &gx, &gy, &trap) == 3) {
        d.mem_error = 0; d.mem_pending = 0;
        d.grid_x = gx; d.grid_y = gy; d.start = 1; tick(d); d.start = 0;
        int held[16]; memset(held, 0, sizeof held); bool stopped = false; long begin = cycle;
        while (true) {
            int total = 0; bool now = trap && cycle - begin == (long)trap;
            for (int s = 0; s < n; s++) {
                *done[s] = held[s] && rnd() % 8 == 0; held[s] -= *done[s];
                *ready[s] = held[s] < 2 && rnd() % 2; *idle[s] = held[s] == 0; total += held[s];
                *tv[s] = now && s >= n / 2; *tc[s] = s + 3; *tx[s] = s + 100;
            }
            d.eval();
            if (d.done) { printf("done %d %d %u %u %u\n", total, d.trapped, d.first_sm, d.first_cause, d.first_x); if (d.busy) return 2; break; }
            if (!d.busy) return 3;
            int offers = 0;
            for (int s = 0; s < n; s++) {
                offers += *valid[s];
                if (*valid[s] && *ready[s]) { if (stopped) return 4; held[s]++; printf("%u %u\n", d.ctaid_x, d.ctaid_y); }
            }
            if (offers > 1) return 5;
            stopped |= now;
            tick(d);
        }
        for (int s = 0; s < n; s++) *tv[s] = 0;
        for (int i = 0; i < 20; i++) { if (!d.done) return 6; tick(d); }
    }
    return 0;
}
"#;

#[test]
fn every_block_of_a_grid_goes_out_once_and_in_order() {
    for sms in [1, 3, 4] {
        let cfg = GpuConfig {
            sms,
            ..GpuConfig::named("default").unwrap()
        };
        // Grid x, grid y, cycle of a trap or 0.
        let grids = [
            (1, 1, 0),
            (7, 1, 0),
            (1, 9, 0),
            (40, 25, 0),
            (300, 2, 60),
            (5, 4, 0),
        ];
        let vectors = grids.iter().fold(String::new(), |mut o, (x, y, trap)| {
            writeln!(o, "{x} {y} {trap}").unwrap();
            o
        });
        let list = |name: &str| {
            (0..sms)
                .map(|s| format!("&d.{name}_{s}"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let names = [
            ("@VALID@", "block_valid"),
            ("@READY@", "block_ready"),
            ("@DONE@", "block_done"),
            ("@IDLE@", "idle"),
            ("@TRAP@", "trap_valid"),
            ("@CAUSE@", "trap_cause"),
            ("@X@", "trap_x"),
        ];
        let player = names.iter().fold(GRID.to_string(), |text, (mark, name)| {
            text.replace(mark, &list(name))
        });
        let Some(text) = simulate(
            "block_scheduler",
            &BlockScheduler::new(&cfg),
            &player,
            &vectors,
        ) else {
            return;
        };
        let mut lines = text.lines();
        for (gx, gy, trap) in grids {
            let blocks: Vec<&str> = lines
                .by_ref()
                .take_while(|l| !l.starts_with("done"))
                .collect();
            let want: Vec<String> = (0..gx * gy)
                .map(|i| format!("{} {}", i % gx, i / gx))
                .collect();
            if trap == 0 {
                assert_eq!(blocks, want, "grid {gx} x {gy} on {sms} SMs");
            } else {
                assert!(blocks.len() < want.len() && blocks[..] == want[..blocks.len()]);
            }
        }
        let ends: Vec<&str> = text.lines().filter(|l| l.starts_with("done")).collect();
        let first = sms / 2;
        for (end, (_, _, trap)) in ends.iter().zip(grids) {
            let record = if trap == 0 {
                "done 0 0 0 0 0".into()
            } else {
                format!("done 0 1 {first} {} {}", first + 3, first + 100)
            };
            assert_eq!(
                **end, record,
                "blocks left, trapped, SM, cause and ctaid.x of the record"
            );
        }
    }
}
