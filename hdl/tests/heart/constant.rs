//! Constant memory: one cycle for each distinct word of a beat, and every lane gets its own.

use super::tiny;
use crate::support::{dut::Dut, mutants::tells, Random};
use std::collections::BTreeSet;
use warpsmith_hdl::config::GpuConfig;
use warpsmith_hdl::sm::constant::ConstantMemory;
use warpsmith_hdl::sm::dims::Dims;

#[test]
fn a_beat_takes_a_cycle_for_each_distinct_word() {
    let cfg = tiny();
    tells(&ConstantMemory::new(&cfg), 80, |dut| check(dut, &cfg));
}

/// A beat: lanes that read constants, first word of the bank, word of each lane.
struct Beat {
    mask: u32,
    base: u32,
    words: Vec<u32>,
}

impl Beat {
    fn random(r: &mut Random, lanes: usize, size: u32) -> Beat {
        let base = r.below(size / 2);
        let near = r.below(size / 2);
        let mask = match r.below(4) {
            0 => u32::MAX,
            1 => 1 << r.index(lanes),
            2 => 0,
            _ => r.word(),
        };
        let one = r.chance(30);
        let word = |r: &mut Random| match r.below(3) {
            _ if one => near,
            0 => near ^ 1 << r.below(4),
            _ => r.below(size / 2),
        };
        Beat { mask: mask & ((1 << lanes) - 1), base, words: (0..lanes).map(|_| word(r)).collect() }
    }

    fn lanes(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.words.len()).filter(|l| self.mask >> l & 1 == 1)
    }

    fn show(&self, dut: &mut Dut) {
        dut.set("mask", self.mask);
        dut.set("base", self.base);
        for (l, word) in self.words.iter().enumerate() {
            dut.set(&format!("word_{l}"), *word);
        }
    }
}

fn check(dut: &mut Dut, cfg: &GpuConfig) {
    let (lanes, size) = (Dims::of(cfg).lanes, cfg.constant_bytes as u32 / 4);
    let mut r = Random(0x5EED_0203);
    let memory: Vec<u32> = (0..size).map(|_| r.word()).collect();
    for (i, word) in memory.iter().enumerate() {
        dut.set("const_we", true);
        dut.set("const_address", i as u64);
        dut.set("const_data", *word);
        dut.eval();
        dut.tick();
    }
    dut.set("const_we", false);
    // A write that is not enabled.
    dut.set("const_data", 0u32);
    let mut in_d: Option<Beat> = None;
    let mut longest = 0;
    for _ in 0..250 {
        let next = Beat::random(&mut r, lanes, size);
        // The beat in D has its words now, and stays for something else now and then.
        for hold in [true, false] {
            for _ in 0..if hold { r.below(3) } else { 1 } {
                next.show(dut);
                dut.set("hold", hold);
                dut.set("leaves", !hold);
                dut.eval();
                assert!(!dut.is("busy"));
                if let Some(beat) = &in_d {
                    for l in beat.lanes() {
                        let want = memory[(beat.base + beat.words[l]) as usize];
                        assert_eq!(dut.word(&format!("data_{l}")), want, "lane {l}");
                    }
                }
                if hold {
                    dut.tick();
                }
            }
        }
        let distinct: BTreeSet<u32> = next.lanes().map(|l| next.words[l]).collect();
        let more = distinct.len().saturating_sub(1);
        longest = longest.max(more);
        for left in (0..=more).rev() {
            assert_eq!(dut.is("next_busy"), left > 0, "{left} of {more} left");
            dut.tick();
            // What comes behind is of no interest while lanes are left.
            Beat::random(&mut r, lanes, size).show(dut);
            dut.set("leaves", false);
            dut.set("hold", left == 0);
            dut.eval();
            assert_eq!(dut.is("busy"), left > 0, "{left} of {more} left");
        }
        in_d = Some(next);
    }
    assert!(longest + 1 == lanes, "{longest}");
}
