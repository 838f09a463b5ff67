//! Addresses, access checks and operand selection of one lane against exact functions.

use crate::support;
use support::{Random, Simulation};
use warpsmith_hdl::emit::emit_leaf;
use warpsmith_hdl::sm::control::{source1, source23};
use warpsmith_hdl::sm::pipeline::address::lane::{AccessCheck, AddressLane};
use warpsmith_hdl::sm::pipeline::operand::select::OperandSelect;

const VECTORS: usize = 200_000;

/// Runs all rows and compares; `expected` gives what each output must be, `None` where it is not
/// looked at.
fn compare(s: &Simulation, rows: &[Vec<u32>], expected: impl Fn(&[u32]) -> Vec<Option<u32>>) {
    let mut wrong = vec![];
    for (row, got) in rows.iter().zip(s.run(rows)) {
        let want = expected(row);
        assert_eq!(want.len(), got.len(), "words of a row of outputs");
        if want
            .iter()
            .zip(&got)
            .any(|(w, g)| w.is_some_and(|w| w != *g))
        {
            wrong.push(format!("{row:x?}: got {got:x?}, expected {want:x?}"));
        }
    }
    let first: Vec<&String> = wrong.iter().take(5).collect();
    assert!(
        wrong.is_empty(),
        "{} of {} differ:\n{first:#?}",
        wrong.len(),
        rows.len()
    );
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
    let Some(s) = Simulation::build(&emit_leaf(&AddressLane::new())) else {
        return;
    };
    let mut r = Random(0x5EED_0020);
    let rows: Vec<Vec<u32>> = (0..VECTORS)
        .map(|_| {
            let (areg, r1) = (value(&mut r, 16), value(&mut r, 32));
            let (near, constant) = (value(&mut r, 16), value(&mut r, 16));
            let (uses, post) = (r.below(3), r.below(2));
            // Passes but the first are those of 64 and 128 bits, which are aligned.
            let (global, pass) = (r.below(2), r.below(4));
            let aligned = [0, 7, 15, 15].map(|low: u32| !low)[pass as usize];
            let [areg, r1, near] = [areg, r1, near].map(|x| x & aligned);
            let block = value(&mut r, 14);
            vec![areg, r1, near, constant, uses, post, global, block, pass]
        })
        .collect();
    compare(&s, &rows, |row| {
        let [areg, r1, near, constant, uses, post, global, block, pass] = row[..] else {
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
            Some(base.wrapping_add(4 * pass)),
            Some((block + if uses == 1 { areg } else { 0 }) % 0x4000),
            Some(address(uses == 2, constant)),
            (post == 1 && uses != 0).then_some(next),
        ]
    });
}

/// 0 none, 1 misaligned, 2 out of range.
fn judge(address: u64, size: u64, limit: u64) -> u32 {
    if address % size != 0 {
        1
    } else if address + size > limit {
        2
    } else {
        0
    }
}

#[test]
fn accesses_must_be_aligned_and_end_inside_their_memory() {
    let Some(s) = Simulation::build(&emit_leaf(&AccessCheck::new())) else {
        return;
    };
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
            // Around the limit, mostly aligned.
            let mut main = match r.below(3) {
                0 => value(&mut r, 32),
                _ => (limit as u32)
                    .wrapping_add(r.below(64))
                    .wrapping_sub(r.below(64)),
            };
            if r.below(4) != 0 {
                main &= !(size - 1);
            }
            let constant_size = 1 << r.below(3);
            let words = r.below(16385);
            let mut constant = match r.below(3) {
                0 => value(&mut r, 16),
                _ => {
                    (4 * words)
                        .wrapping_add(r.below(16))
                        .wrapping_sub(r.below(16))
                        & 0xffff
                }
            };
            if r.below(4) != 0 {
                constant &= !(constant_size - 1);
            }
            let on = |r: &mut Random| u32::from(r.below(4) != 0);
            let (active, main_on, constant_on) = (on(&mut r), on(&mut r), on(&mut r));
            let (low, high) = (limit as u32, (limit >> 32) as u32);
            let mut row = vec![active, main_on, main, size - 1, low, high];
            row.extend([constant_on, constant, constant_size - 1, words]);
            row
        })
        .collect();
    compare(&s, &rows, |row| {
        let [active, main_on, main, size, low, high, constant_on, constant, constant_size, words] =
            row[..]
        else {
            panic!("a row of inputs");
        };
        let limit = u64::from(low) | u64::from(high) << 32;
        let first = main_on * judge(main.into(), u64::from(size) + 1, limit);
        let bank = 4 * u64::from(words);
        let second = constant_on * judge(constant.into(), u64::from(constant_size) + 1, bank);
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
        let s1 = [
            source1::GPR,
            source1::SHARED,
            source1::AREG,
            source1::CC,
            source1::CLOCK,
            source1::ZERO,
        ];
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
        let (word, width) = fields.iter().fold((0u64, 0), |(word, at), (value, width)| {
            (word | value << at, at + width)
        });
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

#[test]
fn operands_are_selected_halved_and_extended() {
    let Some(s) = Simulation::build(&emit_leaf(&OperandSelect::new())) else {
        return;
    };
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
