//! The registers of Ivy Bridge against the bytes of a file: every region, every writer, every beat.

use crate::support::{dut::Dut, Random};
use std::collections::HashSet;
use warpsmith_hdl::config::{GpuConfig, Isa};
use warpsmith_hdl::sm::control::ivb::{kept, region};
use warpsmith_hdl::sm::dims::Dims;
use warpsmith_hdl::sm::pipeline::channel_registers::ChannelRegisters;

/// Bytes of a register.
const REGISTER: usize = 32;
/// Channels of a thread.
const CHANNELS: usize = 16;

/// What an operand is asked to read.
#[derive(Clone, Copy)]
struct Asked {
    at: usize,
    region: u64,
    sub: usize,
    /// T or U instead: 0 or 1.
    kept: Option<usize>,
}

/// What comes to registers in a cycle.
struct Write {
    register: usize,
    mask: u32,
    halves: u32,
    data: Vec<u32>,
    /// The dword that lane 0 alone writes.
    scalar: Option<usize>,
}

impl Write {
    fn random(r: &mut Random, lanes: usize, registers: usize) -> Self {
        Self {
            register: r.below(registers as u32) as usize,
            mask: r.word() & (u32::MAX >> (32 - lanes)),
            halves: 3,
            data: (0..lanes).map(|_| r.word()).collect(),
            scalar: None,
        }
    }

    fn drive(&self, dut: &mut Dut, port: &str, valid: bool) {
        dut.set(&format!("{port}_valid"), valid);
        dut.set(&format!("{port}_entry"), self.register as u64);
        dut.set(&format!("{port}_mask"), self.mask);
        for (l, data) in self.data.iter().enumerate() {
            dut.set(&format!("{port}_data_{l}"), *data);
        }
    }

    /// Writes into the file; the dwords that it touches.
    fn apply(&self, file: &mut [u8]) -> HashSet<usize> {
        let mut touched = HashSet::new();
        for (l, data) in self.data.iter().enumerate().filter(|(l, _)| self.mask >> l & 1 == 1) {
            let dword = match self.scalar {
                Some(_) if l > 0 => continue,
                Some(to) => to,
                None => l,
            };
            let byte = (self.register * REGISTER + 4 * dword) % file.len();
            let bytes = match self.halves {
                0 => continue,
                3 => data.to_le_bytes().to_vec(),
                _ => data.to_le_bytes()[..2].to_vec(),
            };
            let byte_in = byte + if self.halves == 2 { 2 } else { 0 };
            file[byte_in..byte_in + bytes.len()].copy_from_slice(&bytes);
            touched.insert(byte / 4);
        }
        touched
    }
}

/// The bytes that channel `i` of an instruction reads: the first, and how many.
fn place(a: &Asked, i: usize) -> (usize, usize) {
    let start = a.at * REGISTER;
    match a.region {
        region::ROW => (start + 4 * i, 4),
        region::PACKED => (start + 2 * (i + if a.sub & 4 == 0 { 0 } else { 8 }), 2),
        _ => (start + 4 * a.sub, 4),
    }
}

fn registers_are_bytes_of_a_file(lanes: usize, cycles: usize) {
    let tiny = GpuConfig::named("tiny").expect("a configuration");
    let cfg = GpuConfig { isa: Isa::Ivb, lanes, registers: 1024, ..tiny };
    let d = Dims::of(&cfg);
    let registers = cfg.registers / 8;
    let mut dut = Dut::native(&ChannelRegisters::new(&cfg));
    let mut r = Random(0x5EED_0140 + lanes as u64);
    let mut file = vec![0; registers * REGISTER];
    for register in (0..registers).step_by(d.rows()) {
        let all = Write { register, mask: u32::MAX >> (32 - lanes), ..Write::random(&mut r, lanes, registers) };
        all.drive(&mut dut, "init", true);
        dut.eval();
        assert!(dut.is("init_ready"));
        dut.tick();
        all.apply(&mut file);
    }
    // What steps have kept, by place, T and U, lane; and which of it the operands read.
    let channels = lanes.min(CHANNELS);
    let places = d.warps * d.beats;
    let mut words: Vec<[Vec<Option<u32>>; 2]> = vec![[vec![None; channels], vec![None; channels]]; places];
    let mut reads_kept: [Option<(usize, usize)>; 3] = [None; 3];
    // Of each operand and lane: the value and its mask.
    let mut expected = vec![(0, 0); 3 * lanes];
    let mut compared = 0;
    for _ in 0..cycles {
        let read = r.chance(70);
        let (second, beat) = (r.chance(40), r.below(d.beats as u32) as usize);
        let mut asked: [Asked; 3] = std::array::from_fn(|_| Asked {
            at: r.below(registers as u32) as usize,
            region: u64::from(r.below(3)),
            sub: r.below(8) as usize,
            kept: r.chance(30).then(|| r.below(2) as usize),
        });
        // Operand 0 reads U or none.
        asked[0].kept = asked[0].kept.map(|_| 1);
        let from = r.below(places as u32) as usize;
        dut.set("kept_at", from as u64);
        dut.set("read", read);
        dut.set("second", second);
        dut.set("beat", beat as u64);
        for (p, a) in asked.iter().enumerate() {
            dut.set(&format!("at_{p}"), a.at as u64);
            dut.set(&format!("region_{p}"), a.region);
            dut.set(&format!("sub_{p}"), a.sub as u64);
            let code = a.kept.map_or(kept::NONE, |word| [kept::T, kept::U][word]);
            dut.set(&format!("kept_{p}"), code);
        }
        let before = file.clone();
        let [mut alu, late, init] = std::array::from_fn(|_| Write::random(&mut r, lanes, registers));
        alu.halves = r.below(4);
        alu.scalar = r.chance(30).then(|| r.below(8) as usize);
        let [by_lanes, by_late, by_init] = [r.chance(50), r.chance(50), r.chance(70)];
        alu.drive(&mut dut, "alu", by_lanes);
        late.drive(&mut dut, "late", by_late);
        init.drive(&mut dut, "init", by_init);
        // Whole results may be kept instead.
        let [alu_keeps, late_keeps] = [r.below(4), r.below(4)].map(|code| if r.chance(40) { code } else { 0 });
        if alu_keeps != 0 {
            (alu.halves, alu.scalar) = (3, None);
        }
        let to = [r.below(places as u32) as usize, r.below(places as u32) as usize];
        dut.set("alu_keeps", alu_keeps);
        dut.set("alu_kept_at", to[0] as u64);
        dut.set("late_keeps", late_keeps);
        dut.set("late_kept_at", to[1] as u64);
        dut.set("alu_halves", alu.halves);
        dut.set("alu_scalar", alu.scalar.is_some());
        dut.set("alu_to", alu.scalar.unwrap_or(r.below(8) as usize) as u64);
        dut.eval();
        assert_eq!(dut.is("late_ready"), !by_lanes);
        assert_eq!(dut.is("init_ready"), !by_lanes && !by_late);
        let keeps = match (by_lanes, by_late) {
            (true, _) => Some((alu_keeps, to[0], &alu)),
            (_, true) => Some((late_keeps, to[1], &late)),
            _ => None,
        };
        let keeps = keeps.filter(|k| k.0 != 0);
        if let Some((code, place, write)) = keeps {
            for word in (0..2).filter(|word| code >> word & 1 == 1) {
                words[place][word] = write.data[..channels].iter().copied().map(Some).collect();
            }
        }
        let touched = match (by_lanes, by_late, by_init) {
            _ if keeps.is_some() => HashSet::new(),
            (true, _, _) => alu.apply(&mut file),
            (_, true, _) => late.apply(&mut file),
            (_, _, true) => init.apply(&mut file),
            _ => HashSet::new(),
        };
        dut.tick();
        if read {
            reads_kept = std::array::from_fn(|p| asked[p].kept.map(|word| (from, word)));
            for (at, (value, mask)) in expected.iter_mut().enumerate() {
                let (p, l) = (at / lanes, at % lanes);
                (*value, *mask) = (0, u32::MAX);
                if l >= CHANNELS {
                    continue;
                }
                let first = if second { 8 } else { 0 };
                let Some(i) = (beat * lanes + l).checked_sub(first) else {
                    *mask = 0;
                    continue;
                };
                let (byte, bytes) = place(&asked[p], i);
                let byte = byte % before.len();
                *value = before[byte..byte + bytes].iter().rev().fold(0, |v, b| v << 8 | u32::from(*b));
                *mask = match bytes {
                    _ if touched.contains(&(byte / 4)) => 0,
                    2 => 0xffff,
                    _ => u32::MAX,
                };
            }
        }
        for (at, (value, mask)) in expected.iter().enumerate() {
            let (p, l) = (at / lanes, at % lanes);
            let got = dut.word(&format!("d{}_{l}", p + 1));
            let kept = reads_kept[p].filter(|_| l < channels).map(|(place, word)| words[place][word][l]);
            let (value, mask) = match kept {
                Some(Some(word)) => (word, u32::MAX),
                Some(None) => (0, 0),
                None => (*value, *mask),
            };
            assert_eq!(got & mask, value & mask, "operand {p} of lane {l}, cycle {}", dut.cycle);
            compared += usize::from(mask != 0);
        }
    }
    assert!(compared > cycles * lanes, "{compared} values compared");
}

#[test]
fn registers_of_8_lanes_are_bytes_of_a_file() {
    registers_are_bytes_of_a_file(8, 20_000);
}

#[test]
fn registers_of_16_lanes_are_bytes_of_a_file() {
    registers_are_bytes_of_a_file(16, 10_000);
}

#[test]
fn registers_of_32_lanes_are_bytes_of_a_file() {
    registers_are_bytes_of_a_file(32, 5_000);
}
