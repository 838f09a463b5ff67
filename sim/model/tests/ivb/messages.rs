//! Messages: every kind of the subset, masks, surfaces, lengths, addresses that trap.

use super::bench::{code, Bench};
use warpsmith_model::uop::Geometry;

/// Types, controls and lengths as a descriptor.
fn data(kind: u32, control: u32, surface: u32, header: bool, mlen: u32, rlen: u32) -> String {
    let header = u32::from(header) << 19;
    let all = mlen << 25 | rlen << 20 | header | kind << 14 | control << 8 | surface;
    format!("{all:#010x} data")
}

/// A thread with numbers in memory: dword n of flat memory is 1000 + n, buffer 0 begins at byte 0x400 and
/// has 256 bytes, shared memory is 0.
fn bench(text: &str, channels: u32) -> Bench {
    let mut bench = Bench::new(channels, &code(text));
    for n in 0..1024u32 {
        bench.global.write(u64::from(4 * n), &(1000 + n).to_le_bytes());
    }
    bench.buffers = vec![(0x400, 0x100)];
    bench
}

fn word(bench: &Bench, byte: u32) -> u32 {
    bench.global.word(byte)
}

#[test]
fn untyped_messages_move_the_enabled_components_of_the_enabled_channels() {
    // Components 0 and 2 of eight slots from buffer 0.
    let text =
        format!("(+f0.0) send(8) g20<1>UD g2<8,8,1>UD {} {{ align1 1Q }}", data(5, 2 << 4 | 0b1010, 0, false, 1, 2));
    let mut b = bench(&text, 8);
    for n in 0..8 {
        b.set_dword(16 + n, 16 * n as u32);
        b.set_dword(160 + n, 7);
        b.set_dword(168 + n, 7);
    }
    b.set_flag(0, 0x7f);
    b.step().expect("a read");
    for n in 0..8u32 {
        let (x, z) = (b.dword(160 + n as usize), b.dword(168 + n as usize));
        let want = match n {
            7 => (7, 7),
            n => (1256 + 4 * n, 1258 + 4 * n),
        };
        assert_eq!((x, z), want, "{n}");
    }
    // Two components of sixteen slots to flat memory.
    let text =
        format!("send(16) null<1>UW g2<8,8,1>UD {} {{ align1 1H }}", data(13, 1 << 4 | 0b1100, 255, false, 6, 0));
    let mut b = bench(&text, 13);
    for n in 0..16 {
        b.set_dword(16 + n, 0x800 + 8 * n as u32);
        b.set_dword(32 + n, 100 + n as u32);
        b.set_dword(48 + n, 200 + n as u32);
    }
    b.step().expect("a write");
    for n in 0..16u32 {
        let want = match n {
            13.. => (1512 + 2 * n, 1513 + 2 * n),
            n => (100 + n, 200 + n),
        };
        let at = 0x800 + 8 * n;
        assert_eq!((word(&b, at), word(&b, at + 4)), want, "{n}");
    }
}

#[test]
fn a_response_may_replace_its_payload() {
    let text = format!("send(8) g2<1>UD g2<8,8,1>UD {}", data(5, 2 << 4 | 0b1000, 255, false, 1, 3));
    let mut b = bench(&text, 8);
    (0..8).for_each(|n| b.set_dword(16 + n, 64 * n as u32));
    b.step().expect("a read");
    for n in 0..8 {
        let found = [b.dword(16 + n), b.dword(24 + n), b.dword(32 + n)];
        let first = 1000 + 16 * n as u32;
        assert_eq!(found, [first, first + 1, first + 2]);
    }
}

#[test]
fn atomics_go_channel_by_channel() {
    // All channels at one dword of shared memory; its value before each comes back.
    type Function = fn(u32, u32) -> u32;
    let rows: [(u32, u32, u32, Function); 11] = [
        (1, 0xfff0, 2, |a, b| a & b),
        (2, 1, 2, |a, b| a | b),
        (3, 5, 2, |a, b| a ^ b),
        (4, 9, 2, |_, b| b),
        (5, 3, 1, |a, _| a.wrapping_add(1)),
        (6, 3, 1, |a, _| a.wrapping_sub(1)),
        (7, 3, 2, |a, b| a.wrapping_add(b)),
        (8, 3, 2, |a, b| a.wrapping_sub(b)),
        (9, 3, 2, |a, b| b.wrapping_sub(a)),
        (10, 0, 2, |a, b| (a as i32).max(b as i32) as u32),
        (13, 77, 2, |a, b| a.min(b)),
    ];
    for (op, start, registers, f) in rows {
        let text = format!("send(8) g20<1>UD g2<8,8,1>UD {}", data(6, 1 << 5 | 1 << 4 | op, 254, false, registers, 1));
        let mut b = bench(&text, 8);
        b.shared[64..68].copy_from_slice(&u32::to_le_bytes(start));
        let operand = |n: u32| if n % 2 == 0 { n * 3 } else { u32::MAX - n };
        for n in 0..8 {
            b.set_dword(16 + n, 64);
            b.set_dword(24 + n, operand(n as u32));
        }
        b.step().expect("an atomic");
        let mut now = start;
        for n in 0..8 {
            assert_eq!(b.dword(160 + n), now, "operation {op}, channel {n}");
            now = f(now, operand(n as u32));
        }
        assert_eq!(b.shared[64..68], now.to_le_bytes(), "operation {op}");
    }
    let text = format!("send(8) g20<1>UD g2<8,8,1>UD {}", data(6, 1 << 5 | 1 << 4 | 14, 254, false, 3, 1));
    let mut b = bench(&text, 8);
    for n in 0..8 {
        b.set_dword(16 + n, 64);
        b.set_dword(24 + n, n as u32);
        b.set_dword(32 + n, n as u32 + 1);
    }
    b.step().expect("a compare and write");
    assert_eq!(b.shared[64], 8);
}

#[test]
fn scattered_messages_take_bytes_words_and_indices() {
    for (size, bytes) in [(0, 1u32), (1, 2), (2, 4)] {
        let text = format!(
            "send(8) g20<1>UD g2<8,8,1>UD {}\nsend(8) null<1>UW g10<8,8,1>UD {}",
            data(4, size << 2, 255, true, 2, 1),
            data(12, size << 2, 254, true, 3, 0)
        );
        let mut b = bench(&text, 8);
        for n in 0..8 {
            b.set_dword(24 + n, 0x100 + 4 * n as u32);
            b.set_dword(88 + n, bytes * n as u32);
            b.set_dword(96 + n, 0xa1b2_c3d4 + n as u32);
        }
        b.step().expect("a read");
        b.step().expect("a write");
        let mask = u32::MAX >> (32 - 8 * bytes);
        for n in 0..8u32 {
            assert_eq!(b.dword(160 + n as usize), (1064 + n) & mask);
            let at = (bytes * n) as usize;
            let stored = (0xa1b2_c3d4 + n).to_le_bytes();
            assert_eq!(b.shared[at..at + bytes as usize], stored[..bytes as usize]);
        }
    }
    let text = format!("send(16) g20<1>UD g2<8,8,1>UD {} {{ align1 1H }}", data(3, 3, 255, true, 3, 2));
    let mut b = bench(&text, 16);
    (0..16).for_each(|n| b.set_dword(24 + n, 3 * n as u32));
    b.step().expect("dwords by index");
    (0..16).for_each(|n| assert_eq!(b.dword(160 + n), 1000 + 3 * n as u32));
}

#[test]
fn blocks_take_no_notice_of_the_mask() {
    for (control, dwords, at) in [(0, 4, 0), (1, 4, 4), (2, 8, 0), (3, 16, 0), (4, 32, 0)] {
        let registers = u32::max(dwords / 8, 1);
        let text = format!(
            "send(8) g20<1>UD g2<8,8,1>UD {}\nsend(8) null<1>UW g10<8,8,1>UD {}",
            data(0, control, 255, true, 1, registers),
            data(8, control, 254, true, 1 + registers, 0)
        );
        let mut b = bench(&text, 1);
        b.set_dword(18, 5);
        b.set_dword(82, 2);
        (0..64).for_each(|n| b.set_dword(160 + n, 7));
        (0..64).for_each(|n| b.set_dword(88 + n, 300 + n as u32));
        b.step().expect("a read");
        b.step().expect("a write");
        for n in 0..40 {
            let inside = (at..at + dwords).contains(&n);
            let want = if inside { 1020 + n - at } else { 7 };
            assert_eq!(b.dword(160 + n as usize), want, "{control} {n}");
        }
        for n in 0..dwords {
            let byte = 32 + 4 * n as usize;
            let want = (300 + at + n).to_le_bytes();
            assert_eq!(b.shared[byte..byte + 4], want, "{control} {n}");
        }
    }
}

#[test]
fn a_fence_does_nothing_and_eot_ends() {
    let text = "send(1) g2<1>UW g2<0,1,0>UW 0x0219e000 data { align1 WE_all 1N }\n\
                send(8) null<1>UW g112<8,8,1>UD 0x82000010 thread spawner { align1 WE_all 1Q EOT }";
    let mut b = bench(text, 8);
    assert_eq!(b.run(10), Ok(2));
    // A write ends the thread, too.
    let end = format!(
        "send(8) null<1>UW g2<8,8,1>UD 0x8{} {{ align1 1Q EOT }}",
        &data(13, 2 << 4 | 0b1110, 255, false, 2, 0)[3..]
    );
    let mut b = bench(&end, 8);
    (0..8).for_each(|n| b.set_dword(24 + n, 5));
    assert_eq!(b.run(10), Ok(1));
    assert_eq!(word(&b, 0), 5);
}

#[test]
fn mistakes_trap_with_their_reason() {
    let read = |surface| data(5, 2 << 4 | 0b1110, surface, false, 1, 1);
    for (text, address, why) in [
        (read(255), 2, "not aligned"),
        (read(255), 1 << 20, "has 65536 bytes"),
        (read(0), 0x100, "buffer 0"),
        (read(9), 0, "buffer 9"),
        (read(254), 1 << 12, "shared"),
        (data(5, 2 << 4 | 0b1110, 0, false, 2, 1), 0, "payload length"),
        (data(5, 2 << 4 | 0b1110, 0, false, 1, 2), 0, "response length"),
        (data(5, 0b1110, 0, false, 1, 1), 0, "4x2"),
        (data(0, 2, 0, false, 1, 1), 0, "without its header"),
        (data(2, 0, 0, false, 1, 1), 0, "dual block"),
        (data(6, 1 << 4, 0, false, 1, 0), 0, "atomic operation"),
        ("0x02420001 sampler".into(), 0, "sampler"),
        ("0x02000000 gateway".into(), 0, "gateway"),
        ("0x02000000 urb".into(), 0, "URB"),
        ("0x020a0000 vme".into(), 0, "shared function"),
    ] {
        let text = format!("send(8) g20<1>UD g2<8,8,1>UD {text}");
        let mut b = bench(&text, 8);
        (0..8).for_each(|n| b.set_dword(16 + n, address));
        let e = b.step().expect_err(&text);
        assert!(e.contains(why), "{text}: {e}");
    }
}

#[test]
fn the_launch_fills_the_header() {
    use warpsmith_model::uop::Set;
    let text = "send(8) null<1>UW g112<8,8,1>UD 0x82000010 thread spawner { align1 WE_all 1Q EOT }";
    let launch = warpsmith_model::Launch {
        block: [5, 3, 2],
        params: vec![11, 22, 33],
        simd: 8,
        ..warpsmith_model::Launch::from_code(warpsmith_isa::Isa::Ivb, code(text))
    };
    let set = &warpsmith_model::ivb::Ivb;
    let geometry = Geometry { grid: [4, 4, 1], block: launch.block, lanes: launch.warp_threads() };
    assert_eq!((geometry.lanes, geometry.warps()), (8, 4));
    let thread = set.start(&launch, &geometry, [2, 3, 0], 3, 32);
    assert_eq!(thread.active(), 0x3f, "30 work-items: the fourth thread has 6");
    let mut bench = Bench::new(8, &code(text));
    bench.thread = thread;
    let header = [1, 2, 6, 7].map(|n| bench.dword(n));
    assert_eq!(header, [2, 3, 3, 0]);
    assert_eq!([32, 33, 34].map(|n| bench.dword(n)), [11, 22, 33]);
    for lane in 0..8usize {
        let n = 24 + lane;
        let want = [n % 5, n / 5 % 3, n / 15];
        let word = |r: usize| {
            let at = 32 * r + 2 * lane;
            usize::from(bench.byte(at)) | usize::from(bench.byte(at + 1)) << 8
        };
        assert_eq!([1, 2, 3].map(word), want, "{lane}");
    }
}

#[test]
fn a_launch_names_what_it_has_no_room_for() {
    use std::path::Path;
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/ivb/vector_add/launch.toml");
    let text = std::fs::read_to_string(path).expect("the kernel is there");
    let load = |from: &str, to: &str| {
        let text = text.replace(from, to);
        let loaded = warpsmith_launch_file::parse(Path::new(path), &text);
        loaded.map(|l| l.params.len()).map_err(|e| e.to_string())
    };
    assert_eq!(load("", ""), Ok(5));
    let words = |n: usize| format!("params = [{}", "0, ".repeat(n));
    assert_eq!(load("params = [", &words(987)), Ok(992));
    let e = load("params = [", &words(988)).expect_err("one too many");
    assert!(e.contains("993 words of parameters; ivb has room for 992"), "{e}");
    let e = load("simd = 16", "simd = 12").expect_err("no such size");
    assert!(e.contains("8 or 16"), "{e}");
}
