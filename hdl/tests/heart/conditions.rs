//! Flags of SM 1.0 and predicates of Fermi: what was written is read, guards and votes are those of their rules.

use super::{set_fields, tiny};
use crate::support::{dut::Dut, mutants::tells, Random};
use warpsmith_hdl::config::{GpuConfig, Isa, Level};
use warpsmith_hdl::sm::control::uop::{self, PredicateControl};
use warpsmith_hdl::sm::control::vote;
use warpsmith_hdl::sm::dims::Dims;
use warpsmith_hdl::sm::pipeline::flags::Flags;
use warpsmith_hdl::sm::pipeline::predicates::Predicates;

/// Threads of a warp.
const WARP: usize = 32;
/// Predicates that are stored, and the number of the one that is always true.
const TRUE: usize = 7;

/// Sets an input of several words.
fn set_words(dut: &mut Dut, port: &str, words: &[u32]) {
    words.iter().enumerate().for_each(|(i, word)| dut.set_word(port, i, *word));
}

/// Of chips that read flags a stage ahead, that forward, and that vote.
#[test]
fn flags_are_read_as_written_and_guards_are_those_of_the_conditions() {
    let chips = [tiny(), GpuConfig { lanes: 32, ..tiny() }, GpuConfig { level: Level::Sm12, ..tiny() }];
    for cfg in chips {
        let d = Dims::of(&cfg);
        tells(&Flags::new(&cfg), 90, |dut| check_flags(dut, &d));
    }
}

fn check_flags(dut: &mut Dut, d: &Dims) {
    let mut r = Random(0x5EED_0210);
    // Four bits a thread of each register of each warp.
    let mut rows = vec![[0u32; WARP / 8]; 4 * d.warps];
    let mut met = [[false; 16]; 32];
    // Those of the beat in A, a lane each.
    let mut held: Option<Vec<u8>> = None;
    let ahead = !d.forward && !d.has.votes;
    let mut found = None;
    for n in 0..6000 {
        // The first writes fill the memory.
        let row = if n < rows.len() { n } else { r.index(rows.len()) };
        let enable = if n < rows.len() { u32::MAX } else { r.word() & r.word() };
        let data = [0; WARP / 8].map(|_| r.word());
        dut.set("write_row", row as u64);
        set_words(dut, "write_data", &data);
        dut.set("write_enable", enable);
        let (register, beat, code) = (r.index(rows.len()), r.index(d.beats), r.below(32));
        dut.set("register", register as u64);
        if d.beats > 1 {
            dut.set("beat", beat as u64);
        }
        dut.set("condition", code);
        let advance = r.chance(75);
        if ahead {
            dut.set("advance", advance);
        }
        let of = |thread: usize| (rows[register][thread / 8] >> (4 * (thread % 8)) & 15) as u8;
        let (kind, first, active) = ([0, vote::ALL, vote::ANY][r.index(3)], r.chance(50), r.word() | r.word());
        if d.has.votes {
            dut.set("vote", kind);
            dut.set("first", first);
            dut.set("active", active);
        }
        dut.eval();
        let filled = n >= rows.len();
        let of_beat = || (0..d.lanes).map(|lane| of(beat * d.lanes + lane)).collect::<Vec<u8>>();
        if filled && !ahead {
            held = Some(of_beat());
        }
        let defined = warpsmith_isa::pred_holds(code as u8, 0).is_some();
        let holds = |thread: usize| warpsmith_isa::pred_holds(code as u8, of(thread)) == Some(true);
        let mut voters = (0..WARP).filter(|t| active >> t & 1 == 1);
        if first {
            found = (defined && filled).then(|| if kind == vote::ALL { voters.all(holds) } else { voters.any(holds) });
        }
        if d.has.votes && kind != 0 {
            // What the first beat has found, in that one and in those behind it.
            if let Some(found) = found {
                let truth = if found { 2 } else { 1 };
                for lane in 0..d.lanes {
                    assert_eq!(dut.word_of("flags", lane / 8) >> (4 * (lane % 8)) & 15, truth, "vote, lane {lane}");
                }
                assert_eq!(dut.get("guard"), (1 << d.lanes) - 1, "vote {kind}");
            }
        } else if let Some(held) = &held {
            for (lane, &flags) in held.iter().enumerate() {
                let seen = dut.word_of("flags", lane / 8) >> (4 * (lane % 8)) & 15;
                assert_eq!(seen, u32::from(flags), "lane {lane}");
                if let Some(holds) = warpsmith_isa::pred_holds(code as u8, flags) {
                    assert_eq!(dut.get("guard") >> lane & 1 == 1, holds, "condition {code} of {flags:04b}");
                    met[code as usize][usize::from(flags)] = true;
                }
            }
        }
        // What is written in this cycle is not read in it.
        if filled && ahead && advance {
            held = Some(of_beat());
        }
        for thread in (0..WARP).filter(|t| enable >> t & 1 == 1) {
            let mask = 15 << (4 * (thread % 8));
            let word = &mut rows[row][thread / 8];
            *word = *word & !mask | data[thread / 8] & mask;
        }
        dut.tick();
    }
    for (code, flags) in (0..32).flat_map(|c| (0..16).map(move |f| (c, f))) {
        let defined = warpsmith_isa::pred_holds(code, flags).is_some();
        assert!(met[usize::from(code)][usize::from(flags)] == defined, "condition {code} of {flags:04b}");
    }
}

#[test]
fn predicates_are_read_as_written_and_a_vote_keeps_what_its_first_beat_found() {
    let cfg = GpuConfig { isa: Isa::Fermi, ..tiny() };
    let d = Dims::of(&cfg);
    tells(&Predicates::new(&cfg), 90, |dut| check_predicates(dut, &d));
}

fn check_predicates(dut: &mut Dut, d: &Dims) {
    let fields = PredicateControl::fields(());
    let mut r = Random(0x5EED_0211);
    // A word of 32 threads for each predicate of each warp; the last is always true.
    let mut rows = vec![[0, 0, 0, 0, 0, 0, 0, u32::MAX]; d.warps];
    let mut found = false;
    let mut kept = 0;
    for n in 0..6000 {
        let fills = n < rows.len();
        let row = if fills { n } else { r.index(rows.len()) };
        // Words of one value are frequent: votes of all and none.
        let data = [0; TRUE].map(|_| [r.word(), 0, u32::MAX][r.index(3)]);
        let enable = [0; TRUE].map(|_| if fills { u32::MAX } else { [r.word(), 0, u32::MAX][r.index(3)] });
        dut.set("write_row", row as u64);
        set_words(dut, "write_data", &data);
        set_words(dut, "write_enable", &enable);
        let (warp, beat, first) = (r.index(rows.len()), r.index(d.beats), r.chance(50));
        let active = if r.chance(30) { u32::MAX } else { r.word() };
        let numbers = [0; 4].map(|_| r.below_wide(8));
        let not = [0; 4].map(|_| r.below_wide(2));
        let kind = [uop::vote::NONE, uop::vote::ALL, uop::vote::ANY, uop::vote::SAME][r.index(4)];
        let names = [["guard", "guard_not"], ["p1", "p1_not"], ["p2", "p2_not"], ["p3", "p3_not"]];
        let mut control = vec![("vote", kind)];
        for (i, [number, inverted]) in names.into_iter().enumerate() {
            control.extend([(number, numbers[i]), (inverted, not[i])]);
        }
        set_fields(dut, "control", &fields, &control);
        dut.set("warp", warp as u64);
        dut.set("beat", beat as u64);
        dut.set("first", first);
        dut.set("active", active);
        dut.eval();
        let read = |i: usize| rows[warp][numbers[i] as usize] ^ 0u32.wrapping_sub(not[i] as u32);
        let [guard, p1, p2, p3] = [0, 1, 2, 3].map(read);
        let voters = active & guard;
        let (all, some) = (voters & !p1 == 0, voters & p1 != 0);
        if first {
            found = match kind {
                uop::vote::ALL => all,
                uop::vote::ANY => some,
                _ => all || !some,
            };
        }
        if !fills {
            let votes = kind != uop::vote::NONE;
            kept += u32::from(votes && !first);
            assert_eq!(dut.is("votes"), votes);
            assert_eq!(dut.word("vote"), voters & p1);
            for lane in 0..d.lanes {
                let of = |word: u32| word >> (beat * d.lanes + lane) & 1;
                assert_eq!(dut.word("guard") >> lane & 1, of(guard), "{n}: guard of lane {lane}");
                let first_operand = if votes { found.into() } else { of(p1) };
                let seen = dut.word_of("operands", lane / 8) >> (4 * (lane % 8)) & 15;
                assert_eq!(seen, first_operand | of(p2) << 1 | of(p3) << 2, "{n}: lane {lane}");
            }
        }
        for p in 0..TRUE {
            rows[row][p] = rows[row][p] & !enable[p] | data[p] & enable[p];
        }
        dut.tick();
    }
    assert!(kept > 1000, "{kept}");
}
