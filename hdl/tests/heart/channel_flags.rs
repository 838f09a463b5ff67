//! Flags of Ivy Bridge: what was written is read, each pick gives the bits of its rule, results are compared with 0.

use super::{set_fields, tiny};
use crate::support::dut::{lint, Dut};
use crate::support::{mutants::tells, Random};
use std::cmp::Ordering;
use warpsmith_hdl::config::{GpuConfig, Isa};
use warpsmith_hdl::emit::emit_leaf;
use warpsmith_hdl::rtl::prelude::*;
use warpsmith_hdl::sm::control::ivb::{condition, pick};
use warpsmith_hdl::sm::dims::Dims;
use warpsmith_hdl::sm::pipeline::bundles::{BeatTag, ConditionWrite};
use warpsmith_hdl::sm::pipeline::channel_flags::{self, ChannelFlags};

/// Channels of a thread, and its flags.
const CHANNELS: usize = 16;
const FLAGS: usize = 4;

fn chip(lanes: usize) -> GpuConfig {
    GpuConfig { isa: Isa::Ivb, lanes, ..tiny() }
}

/// The bit of a channel in these flags.
fn picked(flags: &[u16; FLAGS], number: usize, code: u64, not: bool, channel: usize) -> bool {
    let bit = |flag: usize, channel: usize| flags[flag] >> channel & 1 == 1;
    let pair = [number / 2 * 2, number / 2 * 2 + 1];
    let group = |size: usize| channel / size * size..channel / size * size + size;
    let is = match code {
        pick::NONE => return true,
        pick::OWN => bit(number, channel),
        pick::ANY_OF_BOTH => pair.iter().any(|f| bit(*f, channel)),
        pick::ALL_OF_BOTH => pair.iter().all(|f| bit(*f, channel)),
        code => {
            let size = 2 << ((code - pick::ANY_2) / 2);
            match code % 2 == pick::ANY_2 % 2 {
                true => group(size).any(|c| bit(number, c)),
                false => group(size).all(|c| bit(number, c)),
            }
        }
    };
    is != not
}

/// Words in which groups of all sizes are full, empty or mixed.
fn grouped(r: &mut Random) -> u16 {
    let size = r.pick(&[1, 2, 4, 8, 16]);
    let full = |r: &mut Random| if r.chance(50) { (1u32 << size) - 1 } else { 0 };
    let groups = (0..CHANNELS / size).fold(0, |word, g| word | full(r) << (g * size));
    let stray = if r.chance(50) { 1 << r.below(16) } else { 0 };
    groups as u16 ^ stray
}

#[test]
fn flags_of_channels_are_read_as_written_and_picks_are_those_of_their_rules() {
    let check = |lanes: usize| {
        let d = Dims::of(&chip(lanes));
        move |dut: &mut Dut| check_picks(dut, &d)
    };
    tells(&ChannelFlags::new(&chip(8)), 90, check(8));
    for lanes in [8, 16, 32] {
        let block = ChannelFlags::new(&chip(lanes));
        lint(&emit_leaf(&block));
        check(lanes)(&mut Dut::native(&block));
    }
}

fn check_picks(dut: &mut Dut, d: &Dims) {
    let mut r = Random(0x5EED_0212);
    let mut rows = vec![[0u16; FLAGS]; d.warps];
    for n in 0..6000 {
        // The first writes fill the memory.
        let fills = n < rows.len();
        let row = if fills { n } else { r.index(rows.len()) };
        let data = [0; FLAGS].map(|_| grouped(&mut r));
        let enable = [0; FLAGS].map(|_| if fills { u16::MAX } else { r.pick(&[0, u16::MAX, 0x0f0f, 0x8001]) });
        let word = |flags: [u16; FLAGS]| flags.iter().rev().fold(0, |word, f| word << 16 | u64::from(*f));
        dut.set("write_row", row as u64);
        dut.set("write_data", word(data));
        dut.set("write_enable", word(enable));
        let (warp, beat, number) = (r.index(rows.len()), r.index(d.beats), r.index(FLAGS));
        let (code, not) = (r.below_wide(12), r.chance(50));
        dut.set("warp", warp as u64);
        dut.set("beat", beat as u64);
        dut.set("number", number as u64);
        dut.set("pick", code);
        dut.set("pick_not", not);
        dut.eval();
        if !fills {
            let of_lane = |lane: usize| {
                let channel = beat * d.lanes + lane;
                channel < CHANNELS && picked(&rows[warp], number, code, not, channel)
            };
            let guard = (0..d.lanes).fold(0, |word, lane| word | u64::from(of_lane(lane)) << lane);
            assert_eq!(dut.get("guard"), guard, "{n}: pick {code} of flag {number} of {:04x?}", rows[warp]);
        }
        for f in 0..FLAGS {
            rows[row][f] = rows[row][f] & !enable[f] | data[f] & enable[f];
        }
        dut.tick();
    }
}

block! {
    /// What W drives.
    pub struct FlagWriter(cfg: &GpuConfig) {
        in valid(1),
        in tag(BeatTag::width(&d)),
        in found(d.lanes),
        part to(ConditionWrite<Source> = channel_flags::written_to(&d)),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
    }
}

impl Rtl for FlagWriter {
    fn rtl(&self) {
        let tag = BeatTag::unpack(&self._d, "tag_of", &get(&self.tag));
        channel_flags::write(&self._d, &self.to, (&get(&self.valid), &tag), &get(&self.found));
    }
}

rtl_block!(FlagWriter, "flag_writer");

#[test]
fn a_beat_writes_the_bits_of_its_channels_in_its_flag() {
    for lanes in [8, 16, 32] {
        let d = Dims::of(&chip(lanes));
        tells(&FlagWriter::new(&chip(lanes)), 90, |dut| check_writes(dut, &d));
    }
}

fn check_writes(dut: &mut Dut, d: &Dims) {
    let fields = BeatTag::fields(d);
    let mut r = Random(0x5EED_0213);
    let part = d.lanes.min(CHANNELS);
    let lanes = (1u64 << part) - 1;
    for _ in 0..2000 {
        let (valid, writes) = (r.chance(80), r.chance(80));
        let (beat, flag, warp) = (r.index(d.beats), r.index(FLAGS), r.below_wide(d.warps as u64));
        let (exec, found) = (r.bits() & lanes, r.bits() & lanes);
        dut.set("valid", valid);
        dut.set("found", found);
        let tag = [
            ("beat", beat as u64),
            ("cdst", flag as u64),
            ("warp", warp),
            ("exec", exec),
            ("flags_we", u64::from(writes)),
        ];
        set_fields(dut, "tag", &fields, &tag);
        dut.eval();
        let place = CHANNELS * flag + part * beat;
        let enable = if valid && writes { exec << place } else { 0 };
        assert_eq!(dut.get("to_enable"), enable);
        assert_eq!(dut.get("to_data") & enable, found << place & enable);
        assert!(enable == 0 || dut.get("to_row") == warp);
    }
}

block! {
    /// A comparison with 0.
    pub struct Comparer() {
        in condition(4),
        in is_float(1),
        in is_signed(1),
        in half(1),
        in y(32),
        out holds(1),
    }
}

impl Rtl for Comparer {
    fn rtl(&self) {
        let [condition, is_float, is_signed, half, y] =
            [&self.condition, &self.is_float, &self.is_signed, &self.half, &self.y].map(get);
        set(&self.holds, channel_flags::condition(&condition, &is_float, &is_signed, &half, &y));
    }
}

rtl_block!(Comparer, "comparer");

/// Kinds of a result: float, with sign, half a register.
const KINDS: [[bool; 3]; 6] = [
    [true, false, false],
    [true, true, true],
    [false, false, false],
    [false, true, false],
    [false, false, true],
    [false, true, true],
];

/// How a result compares with 0; `None`: it is no number.
fn compared([is_float, is_signed, half]: [bool; 3], y: u32) -> Option<Ordering> {
    if is_float {
        let tiny = y & 0x7f80_0000 == 0;
        return (if tiny { 0.0 } else { f32::from_bits(y) }).partial_cmp(&0.0);
    }
    let value = match (is_signed, half) {
        (false, false) => i64::from(y),
        (true, false) => i64::from(y as i32),
        (false, true) => i64::from(y as u16),
        (true, true) => i64::from(y as i16),
    };
    Some(value.cmp(&0))
}

/// All conditions of a result.
fn check_conditions(dut: &mut Dut, kind: [bool; 3], y: u32) {
    dut.set("is_float", kind[0]);
    dut.set("is_signed", kind[1]);
    dut.set("half", kind[2]);
    dut.set("y", y);
    let order = compared(kind, y);
    let is = |o: Ordering| order == Some(o);
    for (code, holds) in [
        (condition::ZERO, is(Ordering::Equal)),
        (condition::NOT_ZERO, !is(Ordering::Equal)),
        (condition::GREATER, is(Ordering::Greater)),
        (condition::NOT_LESS, is(Ordering::Greater) || is(Ordering::Equal)),
        (condition::LESS, is(Ordering::Less)),
        (condition::NOT_GREATER, is(Ordering::Less) || is(Ordering::Equal)),
        (condition::UNORDERED, order.is_none()),
    ] {
        dut.set("condition", code);
        dut.eval();
        assert_eq!(dut.is("holds"), holds, "condition {code} of {y:#010x}, {kind:?}");
    }
}

#[test]
fn conditions_of_results_are_those_of_a_comparison_with_zero() {
    tells(&Comparer::new(), 90, |dut| {
        let mut r = Random(0x5EED_0214);
        // Each bit alone, and what floats end at.
        let mut values: Vec<u32> = (0..32).map(|n| 1 << n).collect();
        values.extend([0, 0x7fff_ffff, 0x8000_0001, 0x007f_ffff, 0x0080_0000, 0x8080_0000, 0x3f80_0000, 0xbf80_0000]);
        values.extend([0x7f7f_ffff, 0x7f80_0000, 0xff80_0000, 0x7f80_0001, 0xff80_0001, 0x7fc0_0000, u32::MAX]);
        values.extend([0xffff_0000, 0x0000_ffff, 0x0001_8000, 0x0001_7fff]);
        values.extend((0..100).map(|_| r.word()));
        for (kind, y) in KINDS.iter().flat_map(|k| values.iter().map(|y| (*k, *y))) {
            check_conditions(dut, kind, y);
        }
    });
}

#[test]
fn conditions_of_all_halves() {
    let mut dut = Dut::native(&Comparer::new());
    let mut r = Random(0x5EED_0215);
    for y in 0..=u32::from(u16::MAX) {
        for is_signed in [false, true] {
            check_conditions(&mut dut, [false, is_signed, true], r.word() << 16 | y);
        }
    }
}
