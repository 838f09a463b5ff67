//! Addresses, access checks and operand selection of one lane against exact functions.

use crate::support;
use support::{Random, Simulation};
use warpsmith_hdl::config::{GpuConfig, Isa};
use warpsmith_hdl::emit::emit_leaf;
use warpsmith_hdl::sm::control::{ivb::constants, lanes, source1, source23};
use warpsmith_hdl::sm::dims::Dims;
use warpsmith_hdl::sm::pipeline::access_check::AccessCheck;
use warpsmith_hdl::sm::pipeline::address::channel_lane::ChannelAddressLane;
use warpsmith_hdl::sm::pipeline::address::g13_lane::G13AddressLane;
use warpsmith_hdl::sm::pipeline::address::lane::AddressLane;
use warpsmith_hdl::sm::pipeline::address::uop_lane::UopAddressLane;
use warpsmith_hdl::sm::pipeline::operand::select::{Changes, Choice, OperandSelect};

const VECTORS: usize = 200_000;

/// Bits of an address in shared memory.
const SHARED: usize = 14;

/// Runs all rows and compares; `expected` gives what each output must be, `None` where it is not
/// looked at.
fn compare(s: &Simulation, rows: &[Vec<u32>], expected: impl Fn(&[u32]) -> Vec<Option<u32>>) {
    let mut wrong = vec![];
    for (row, got) in rows.iter().zip(s.run(rows)) {
        let want = expected(row);
        assert_eq!(want.len(), got.len(), "words of a row of outputs");
        if want.iter().zip(&got).any(|(w, g)| w.is_some_and(|w| w != *g)) {
            wrong.push(format!("{row:x?}: got {got:x?}, expected {want:x?}"));
        }
    }
    let first: Vec<&String> = wrong.iter().take(5).collect();
    assert!(wrong.is_empty(), "{} of {} differ:\n{first:#?}", wrong.len(), rows.len());
}

/// A word of `bits` bits, often at an edge of its range.
fn value(r: &mut Random, bits: u32) -> u32 {
    let top = u32::MAX >> (32 - bits);
    let near = r.below(20);
    match r.below(4) {
        0 => near & top,
        1 => top - (near & top),
        _ => r.word() & top,
    }
}

#[test]
fn addresses_wrap_at_64_kibibytes_and_post_increment_uses_the_register_alone() {
    let Some(s) = Simulation::build(&emit_leaf(&AddressLane::new(SHARED))) else { return };
    let mut r = Random(0x5EED_0020);
    let rows: Vec<Vec<u32>> = (0..VECTORS)
        .map(|_| {
            let (areg, r1) = (value(&mut r, 16), value(&mut r, 32));
            let (near, constant) = (value(&mut r, 16), value(&mut r, 16));
            let (uses, post) = (r.below(3), r.below(2));
            let global = r.below(2);
            let block = value(&mut r, 14);
            vec![areg, r1, near, constant, uses, post, global, block]
        })
        .collect();
    compare(&s, &rows, |row| {
        let [areg, r1, near, constant, uses, post, global, block] = row[..] else {
            panic!("a row of inputs");
        };
        let address = |through_areg: bool, offset: u32| match (through_areg, post) {
            (false, _) => offset,
            (true, 0) => (areg + offset) % 0x1_0000,
            (true, _) => areg,
        };
        let base = match global {
            0 => address(uses == 1, near),
            _ => r1,
        };
        let step = if uses == 2 { constant } else { near };
        let next = (areg + step) % 0x1_0000;
        vec![
            Some(base),
            Some((block + if uses == 1 { areg } else { 0 }) % 0x4000),
            Some(address(uses == 2, constant)),
            (post == 1 && uses != 0).then_some(next),
        ]
    });
}

/// 0 none, 1 misaligned, 2 out of range, 3 in the guarded page.
fn judge(address: u64, size: u64, limit: u64, guarded: bool) -> u32 {
    if address % size != 0 {
        1
    } else if guarded && address < 4096 {
        3
    } else if address + size > limit {
        2
    } else {
        0
    }
}

#[test]
fn accesses_must_be_aligned_and_end_inside_their_memory() {
    let Some(s) = Simulation::build(&emit_leaf(&AccessCheck::new())) else { return };
    let mut r = Random(0x5EED_0021);
    let rows: Vec<Vec<u32>> = (0..VECTORS)
        .map(|_| {
            let size = 1 << r.below(5);
            let small = r.below(2) == 0;
            let limit = match r.below(4) {
                0 => 1 << 32,
                _ if small => u64::from(value(&mut r, 16)),
                _ => u64::from(value(&mut r, 32)),
            };
            // Around the limit or the end of the guarded page, mostly aligned.
            let mut main = match r.below(4) {
                0 => value(&mut r, 32),
                1 => 4096 + r.below(64) - r.below(64),
                _ => (limit as u32).wrapping_add(r.below(64)).wrapping_sub(r.below(64)),
            };
            if r.below(4) != 0 {
                main &= !(size - 1);
            }
            let constant_size = 1 << r.below(3);
            let words = r.below(16385);
            let mut constant = match r.below(3) {
                0 => value(&mut r, 16),
                _ => (4 * words).wrapping_add(r.below(16)).wrapping_sub(r.below(16)) & 0xffff,
            };
            if r.below(4) != 0 {
                constant &= !(constant_size - 1);
            }
            let on = |r: &mut Random| u32::from(r.below(4) != 0);
            let (active, main_on, constant_on) = (on(&mut r), on(&mut r), on(&mut r));
            let (low, high) = (limit as u32, (limit >> 32) as u32);
            let guarded = r.below(2);
            let mut row = vec![active, main_on, main, size - 1, low, high, guarded];
            row.extend([constant_on, constant, constant_size - 1, words]);
            row
        })
        .collect();
    compare(&s, &rows, |row| {
        let [active, main_on, main, size, low, high, guarded, constant_on, constant, constant_size, words] = row[..]
        else {
            panic!("a row of inputs");
        };
        let limit = u64::from(low) | u64::from(high) << 32;
        let first = main_on * judge(main.into(), u64::from(size) + 1, limit, guarded == 1);
        let bank = 4 * u64::from(words);
        let size = u64::from(constant_size) + 1;
        let second = constant_on * judge(constant.into(), size, bank, false);
        vec![Some(active * if first != 0 { first } else { second })]
    });
}

/// What operand selection is asked: the fields of `operand::select::Choice`.
#[derive(Clone, Copy)]
struct Asked {
    s1_kind: u64,
    s1_half: bool,
    s1_hi: bool,
    s1_size: u32,
    s2_kind: u64,
    s2_half: bool,
    s2_hi: bool,
    s3_kind: u64,
    s3_half: bool,
    s3_hi: bool,
    c_size: u32,
    imm: u32,
}

impl Asked {
    fn random(r: &mut Random) -> Self {
        let s1 = [source1::GPR, source1::SHARED, source1::AREG, source1::CC, source1::CLOCK, source1::ZERO];
        let s2 = [source23::GPR, source23::CONST, source23::IMM];
        let mut flag = || r.below(2) == 1;
        let [s1_half, s1_hi, s2_half, s2_hi, s3_half, s3_hi] = std::array::from_fn(|_| flag());
        Self {
            s1_kind: s1[r.below(6) as usize],
            s1_half,
            s1_hi,
            s1_size: r.below(4),
            s2_kind: s2[r.below(3) as usize],
            s2_half,
            s2_hi,
            s3_kind: s2[r.below(2) as usize],
            s3_half,
            s3_hi,
            c_size: r.below(4),
            imm: r.word(),
        }
    }

    /// The packed choice, first field lowest.
    fn words(&self) -> [u32; 2] {
        let fields = [
            (self.s1_kind, 3),
            (self.s1_half.into(), 1),
            (self.s1_hi.into(), 1),
            (self.s1_size.into(), 2),
            (self.s2_kind, 2),
            (self.s2_half.into(), 1),
            (self.s2_hi.into(), 1),
            (self.s3_kind, 1),
            (self.s3_half.into(), 1),
            (self.s3_hi.into(), 1),
            (self.c_size.into(), 2),
            (self.imm.into(), 32),
        ];
        let (word, width) =
            fields.iter().fold((0u64, 0), |(word, at), (value, width)| (word | value << at, at + width));
        assert_eq!(width, 48, "width of the choice");
        [word as u32, (word >> 32) as u32]
    }
}

/// A word read from memory, extended by its size: 0 u8, 1 u16, 2 s16, 3 32 bits.
fn extended(word: u32, size: u32) -> u32 {
    match size {
        0 => word & 0xff,
        1 => word & 0xffff,
        2 => word as u16 as i16 as u32,
        _ => word,
    }
}

fn half_of(word: u32, half: bool, hi: bool) -> u32 {
    match (half, hi) {
        (false, _) => word,
        (true, false) => word & 0xffff,
        (true, true) => word >> 16,
    }
}

/// The widths of `default` of an instruction set.
fn dims(isa: Isa) -> Dims {
    let default = GpuConfig::named("default").expect("a configuration");
    Dims::of(&GpuConfig { isa, ..default })
}

#[test]
fn operands_are_selected_halved_and_extended() {
    let Some(s) = Simulation::build(&emit_leaf(&OperandSelect::new(&dims(Isa::Sm10)))) else { return };
    let mut r = Random(0x5EED_0022);
    let asked: Vec<Asked> = (0..VECTORS).map(|_| Asked::random(&mut r)).collect();
    let rows: Vec<Vec<u32>> = asked
        .iter()
        .map(|c| {
            let mut row = c.words().to_vec();
            row.extend(std::array::from_fn::<u32, 5, _>(|_| r.word()));
            row.extend([r.word() & 0xffff, r.below(16), r.word()]);
            row
        })
        .collect();
    // The choice of a row, found again by its place.
    let choice = std::cell::Cell::new(0);
    compare(&s, &rows, |row| {
        let c = asked[choice.replace(choice.get() + 1)];
        let [_, _, r1, r2, r3, shared, constant, address, flags, clock] = row[..] else {
            panic!("a row of inputs");
        };
        let constant = extended(constant, c.c_size);
        let a = match c.s1_kind {
            source1::GPR => half_of(r1, c.s1_half, c.s1_hi),
            source1::SHARED => half_of(extended(shared, c.s1_size), c.s1_half, false),
            source1::AREG => address,
            source1::CC => flags,
            source1::CLOCK => clock,
            _ => 0,
        };
        let b = match c.s2_kind {
            source23::GPR => half_of(r2, c.s2_half, c.s2_hi),
            source23::CONST => constant,
            _ => half_of(c.imm, c.s2_half, false),
        };
        let c = match c.s3_kind {
            source23::GPR => half_of(r3, c.s3_half, c.s3_hi),
            _ => constant,
        };
        vec![Some(a), Some(b), Some(c)]
    });
}

#[test]
fn operands_of_micro_operations_know_bytes_with_signs_and_lanes() {
    let dims = dims(Isa::Fermi);
    let Some(s) = Simulation::build(&emit_leaf(&OperandSelect::new(&dims))) else { return };
    let mut r = Random(0x5EED_0023);
    let kinds = [source1::GPR, source1::SHARED, source1::LANE, source1::SECOND];
    let asked: Vec<(u64, u32, u64, u32, u32)> = (0..VECTORS)
        .map(|_| {
            let kind = kinds[r.below(4) as usize];
            (kind, r.below(5), 1, r.below(5), r.below(6))
        })
        .collect();
    let rows: Vec<Vec<u32>> = asked
        .iter()
        .map(|&(kind, s_size, b, c_size, lane)| {
            let fields = [
                (kind, 3),
                (0, 2),
                (s_size.into(), 3),
                (b, 2),
                (0, 2),
                (0, 3),
                (c_size.into(), 3),
                (0, 32),
                (lane.into(), 3),
            ];
            let (word, width) = fields.iter().fold((0u64, 0), |(word, at), (v, width)| (word | v << at, at + width));
            assert_eq!(width, 53, "width of the choice");
            let mut row = vec![word as u32, (word >> 32) as u32];
            row.extend(std::array::from_fn::<u32, 5, _>(|_| r.word()));
            row.extend([r.word() & 0xffff, r.below(16), r.word(), r.below(32)]);
            row
        })
        .collect();
    let extended = |word: u32, size: u32| match size {
        4 => word as u8 as i8 as u32,
        _ => extended(word, size),
    };
    let choice = std::cell::Cell::new(0);
    compare(&s, &rows, |row| {
        let (kind, s_size, _, c_size, what) = asked[choice.replace(choice.get() + 1)];
        let [_, _, r1, _, r3, shared, constant, _, _, _, thread] = row[..] else {
            panic!("a row of inputs");
        };
        let of_lane = || match what.into() {
            lanes::NUMBER => thread,
            lanes::EQUAL => 1 << thread,
            lanes::LESS => (1 << thread) - 1,
            lanes::LESS_EQUAL => (1 << thread) | ((1 << thread) - 1),
            lanes::GREATER => !((1 << thread) | ((1 << thread) - 1)),
            _ => !((1 << thread) - 1),
        };
        let a = match kind {
            source1::GPR => r1,
            source1::SHARED => extended(shared, s_size),
            source1::SECOND => extended(constant, c_size),
            _ => of_lane(),
        };
        vec![Some(a), Some(extended(constant, c_size)), Some(r3)]
    });
}

#[test]
fn addresses_of_micro_operations_are_sums_of_64_bits() {
    let Some(s) = Simulation::build(&emit_leaf(&UopAddressLane::new(SHARED))) else { return };
    let mut r = Random(0x5EED_0024);
    let rows: Vec<Vec<u32>> = (0..VECTORS)
        .map(|_| {
            let high = [0, 0, 1, u32::MAX, r.word()][r.below(5) as usize];
            // base, far, indexed, header.
            let control = r.below(16);
            let offset = match r.below(2) {
                0 => value(&mut r, 32),
                _ => value(&mut r, 8).wrapping_neg(),
            };
            let (c_offset, block) = (value(&mut r, 16), value(&mut r, 14));
            vec![value(&mut r, 32), high, control, offset, c_offset, block]
        })
        .collect();
    compare(&s, &rows, |row| {
        let [r1, r2, control, offset, c_offset, block] = row[..] else {
            panic!("a row of inputs");
        };
        let on = |bit: u32| control >> bit & 1 == 1;
        let low = if on(0) { r1 } else { 0 };
        let base = u64::from(low) | u64::from(r2) << 32;
        let sum = base.wrapping_add_signed(offset as i32 as i64);
        let main = low.wrapping_add(offset);
        vec![
            Some(main),
            Some((block + (main & 0x3fff)) & 0x3fff),
            Some(if on(2) { main & 0xffff } else { c_offset }),
            Some(u32::from(on(1) && sum >> 32 != 0)),
        ]
    });
}

#[test]
fn operands_of_g13_are_extended_and_know_quads_and_fields() {
    let dims = dims(Isa::G13);
    let Some(s) = Simulation::build(&emit_leaf(&OperandSelect::new(&dims))) else { return };
    let mut r = Random(0x5EED_0025);
    // Of operands a to d: half, high half, extended by its sign; the lane, the field.
    type Asked = ([(bool, bool, bool); 4], u32, u32, bool);
    let asked: Vec<Asked> = (0..VECTORS)
        .map(|_| {
            let mut flag = || r.below(2) == 1;
            let halves = std::array::from_fn(|_| (flag(), flag(), flag()));
            let of_lane = flag();
            let field = [0, 0, 32, r.below(33)][r.below(4) as usize];
            (halves, 6 + r.below(2), field, of_lane)
        })
        .collect();
    let rows: Vec<Vec<u32>> = asked
        .iter()
        .map(|&([a, b, c, d], lane, field, of_lane)| {
            let kind = if of_lane { source1::LANE } else { source1::GPR };
            let fields = [
                (kind, 3),
                (a.0.into(), 1),
                (a.1.into(), 1),
                (0, 3 + 2),
                (b.0.into(), 1),
                (b.1.into(), 1),
                (0, 1),
                (c.0.into(), 1),
                (c.1.into(), 1),
                (0, 3),
                (0, 32),
                (lane.into(), 3),
                (a.2.into(), 1),
                (b.2.into(), 1),
                (c.2.into(), 1),
                (d.0.into(), 1),
                (d.1.into(), 1),
                (field.into(), 6),
            ];
            let (word, width) = fields.iter().fold((0u64, 0), |(word, at), (v, width)| (word | v << at, at + width));
            assert_eq!(width, 64, "width of the choice");
            let mut row = vec![word as u32, (word >> 32) as u32];
            row.extend(std::array::from_fn::<u32, 6, _>(|_| r.word()));
            row.extend([r.word() & 0xffff, r.below(16), r.word(), r.below(32)]);
            row
        })
        .collect();
    let choice = std::cell::Cell::new(0);
    compare(&s, &rows, |row| {
        let ([a, b, c, d], lane, field, by_lane) = asked[choice.replace(choice.get() + 1)];
        let [_, _, r1, r2, r3, r4, _, _, _, _, _, thread] = row[..] else {
            panic!("a row of inputs");
        };
        let signed = |word: u32, (half, hi, extend): (bool, bool, bool)| {
            let word = half_of(word, half, hi);
            match extend {
                true if half => word as u16 as i16 as u32,
                // The decoder extends halves alone.
                true if word & 0x8000 != 0 => word | 0xffff_0000,
                _ => word,
            }
        };
        let quad = 0xf << (thread & !3);
        let of_lane = match u64::from(lane) {
            lanes::QUAD => quad,
            _ => quad & ((1 << thread) - 1),
        };
        let first = match by_lane {
            true => signed(of_lane, (false, false, a.2)),
            false => signed(r1, a),
        };
        let second = match (signed(r2, b), field) {
            (word, 0) => word,
            (word, field) => field << 8 | word & 0x7f,
        };
        let fourth = half_of(r4, d.0, d.1);
        vec![Some(first), Some(second), Some(signed(r3, c)), Some(fourth)]
    });
}

#[test]
fn addresses_of_g13_add_an_index_in_64_bits() {
    let Some(s) = Simulation::build(&emit_leaf(&G13AddressLane::new(SHARED))) else { return };
    let mut r = Random(0x5EED_0026);
    let rows: Vec<Vec<u32>> = (0..VECTORS)
        .map(|_| {
            let high = [0, 0, 1, u32::MAX, r.word()][r.below(5) as usize];
            let low_bits = [0, 1, 3][r.below(3) as usize];
            let (index, offset) = match r.below(2) {
                0 => (0, value(&mut r, 16) as i16 as u32),
                _ => (value(&mut r, 32), 0),
            };
            let block = value(&mut r, 14);
            let base = value(&mut r, 32);
            let (far, signed, scale) = (r.below(2), r.below(2), r.below(5));
            vec![base, high, low_bits, far, index, signed, scale, offset, block]
        })
        .collect();
    compare(&s, &rows, |row| {
        let [base, high, low_bits, far, index, signed, scale, offset, block] = row[..] else {
            panic!("a row of inputs");
        };
        let index = match signed {
            1 => i64::from(index as i32),
            _ => i64::from(index),
        };
        let base = u64::from(base & !low_bits) | u64::from(high) << 32;
        let sum = base.wrapping_add_signed(index << scale).wrapping_add_signed(i64::from(offset as i32));
        let main = sum as u32;
        vec![Some(main), Some((block + (main & 0x3fff)) & 0x3fff), Some(u32::from(far == 1 && sum >> 32 != 0))]
    });
}

/// What Ivy Bridge asks of operands a to c: half, high half, extended by its sign; b is an immediate, a is b; then the
/// changes.
#[derive(Clone, Copy)]
struct Changed {
    operands: [(bool, bool, bool); 3],
    immediate: Option<u32>,
    second: bool,
    reverse: bool,
    field: bool,
    merge: bool,
    constants: u64,
}

impl Changed {
    fn random(r: &mut Random) -> Self {
        let mut flag = || r.below(2) == 1;
        // The decoder extends halves alone.
        let operand = |[half, hi, extend]: [bool; 3]| (half, half && hi, half && extend);
        let operands: [_; 3] = std::array::from_fn(|_| operand(std::array::from_fn(|_| flag())));
        let (immediate, second, reverse) = (flag(), flag(), flag());
        let way = r.below(4);
        let mut changed = Self {
            operands,
            immediate: None,
            second,
            reverse,
            field: way == 1,
            merge: way == 2,
            constants: r.below(4).into(),
        };
        if immediate {
            changed.operands[1] = (false, false, false);
            changed.immediate = Some(r.word());
        }
        if second {
            changed.operands[0].2 = changed.operands[1].2;
        }
        changed
    }

    /// The packed choice.
    fn words(&self, d: &Dims) -> [u32; 2] {
        let [a, b, c] = self.operands;
        let changes = [
            ("extend1", a.2.into()),
            ("extend2", b.2.into()),
            ("extend3", c.2.into()),
            ("reverse", self.reverse.into()),
            ("field", self.field.into()),
            ("merge", self.merge.into()),
            ("constants", self.constants),
        ];
        let fields = [
            ("s1_kind", if self.second { source1::SECOND } else { source1::GPR }),
            ("s1_half", a.0.into()),
            ("s1_hi", a.1.into()),
            ("s2_kind", if self.immediate.is_some() { source23::IMM } else { source23::GPR }),
            ("s2_half", b.0.into()),
            ("s2_hi", b.1.into()),
            ("s3_kind", source23::GPR),
            ("s3_half", c.0.into()),
            ("s3_hi", c.1.into()),
            ("imm", self.immediate.unwrap_or(0).into()),
            ("changes", Changes::word((), &changes)),
        ];
        let word = Choice::word(d, &fields);
        [word as u32, (word >> 32) as u32]
    }

    /// Operands a to d of registers.
    fn of(&self, registers: [u32; 3]) -> [u32; 4] {
        let read = |n: usize| {
            let (half, hi, extend) = self.operands[n];
            let word = half_of(registers[n], half, hi);
            if extend {
                word as u16 as i16 as u32
            } else {
                word
            }
        };
        let (c, mut b) = (read(2), self.immediate.unwrap_or_else(|| read(1)));
        let mut a = if self.second { b } else { read(0) };
        if self.reverse {
            a = a.reverse_bits();
        }
        if self.field {
            b = (c & 31) << 8 | b & 31;
        }
        if self.merge {
            b = a & b | !a & c;
        }
        match self.constants {
            constants::TRUTH => [a, b, u32::MAX, 0],
            constants::SAME => [a, b, a, b],
            constants::MASK => [u32::MAX, b, 0, b],
            _ => [a, b, c, b],
        }
    }
}

#[test]
fn operands_of_ivy_bridge_are_extended_and_changed() {
    let dims = dims(Isa::Ivb);
    let Some(s) = Simulation::build(&emit_leaf(&OperandSelect::new(&dims))) else { return };
    let mut r = Random(0x5EED_0027);
    let asked: Vec<Changed> = (0..VECTORS).map(|_| Changed::random(&mut r)).collect();
    let rows: Vec<Vec<u32>> = asked
        .iter()
        .map(|c| {
            let mut row = c.words(&dims).to_vec();
            row.extend(std::array::from_fn::<u32, 5, _>(|_| r.word()));
            row.extend([r.word() & 0xffff, r.below(16), r.word(), r.below(16)]);
            row
        })
        .collect();
    let choice = std::cell::Cell::new(0);
    compare(&s, &rows, |row| {
        let c = asked[choice.replace(choice.get() + 1)];
        let [a, b, third, fourth] = c.of([row[2], row[3], row[4]]);
        // The fourth is free where nothing asks for it.
        vec![Some(a), Some(b), Some(third), (c.constants != constants::NONE).then_some(fourth)]
    });
}

#[test]
fn addresses_of_channels_wrap_at_32_bits() {
    let Some(s) = Simulation::build(&emit_leaf(&ChannelAddressLane::new(SHARED))) else { return };
    let mut r = Random(0x5EED_0028);
    let rows: Vec<Vec<u32>> = (0..VECTORS)
        .map(|_| {
            let scale = 2 * r.below(3);
            let offset = match r.below(2) {
                0 => 0,
                _ => value(&mut r, 32),
            };
            vec![value(&mut r, 32), scale, r.below(2), r.below(32), offset, r.below(64), value(&mut r, 14)]
        })
        .collect();
    compare(&s, &rows, |row| {
        let [base, scale, block, channel, offset, pass, shared] = row[..] else {
            panic!("a row of inputs");
        };
        let sum = (u64::from(base) << scale) + u64::from(4 * channel * block) + u64::from(offset) + u64::from(pass);
        let main = sum as u32;
        vec![Some(main), Some((shared + (main & 0x3fff)) & 0x3fff)]
    });
}
