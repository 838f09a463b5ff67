//! Decode and hazard check: an instruction goes with all it needs, and never before what it depends on.

use super::{field, flat, tiny};
use crate::support::{dut::Dut, mutants::tells, Random};
use warpsmith_hdl::sm::control::Control;
use warpsmith_hdl::sm::dims::Dims;
use warpsmith_hdl::sm::pipeline::bundles::Issue;
use warpsmith_hdl::sm::pipeline::dispatch::Dispatch;
use warpsmith_hdl::sm::pipeline::scoreboard::SLOTS;
use warpsmith_isa::assemble;

#[test]
fn instructions_go_with_their_places_and_wait_for_what_they_need() {
    let cfg = tiny();
    let d = Dims::of(&cfg);
    // The fields of operands that this test leaves at 0 hide the rest.
    tells(&Dispatch::new(&cfg), 50, |dut| check(dut, &d));
}

/// An instruction in DEC or H.
#[derive(Clone, Copy, Debug)]
struct Inside {
    warp: usize,
    mask: u32,
    pc: u64,
    /// Registers: written, read.
    dst: u64,
    src: [u64; 2],
    /// It is a return, behind which the warp does not go on by itself.
    returns: bool,
    /// Cycles in H.
    age: u32,
}

/// The line of an addition or a return.
fn line(i: &Inside) -> u64 {
    let text = match i.returns {
        true => "RET\n".to_string(),
        false => format!("IADD R{}, R{}, R{}\n", i.dst, i.src[0], i.src[1]),
    };
    let words = assemble(&text, "line").unwrap_or_else(|e| panic!("{text}: {e}")).words;
    u64::from(words[1]) << 32 | u64::from(words[0])
}

fn check(dut: &mut Dut, d: &Dims) {
    let fields = flat(Issue::fields(d), ("control", Control::fields(d)));
    let mut r = Random(0x5EED_0206);
    // Where each warp lives.
    let mut places = vec![];
    dut.set("registers", 16u32);
    for w in 0..d.warps {
        let place = (r.below_wide(1u64 << d.block), r.below_wide(1u64 << d.entry), r.below_wide(1u64 << d.shared));
        dut.set("place_valid", true);
        dut.set("place_warp", w as u64);
        dut.set("place_block", place.0);
        dut.set("place_reg_base", place.1);
        dut.set("place_shared_base", place.2);
        dut.eval();
        dut.tick();
        places.push(place);
    }
    dut.set("place_valid", false);
    dut.set("sel_inside", true);
    // Registers under way, by warp and slot.
    let mut flight: Vec<[Option<u64>; SLOTS]> = vec![[None; SLOTS]; d.warps];
    let (mut dec, mut h): (Option<Inside>, Option<Inside>) = (None, None);
    let (mut went, mut refused, mut full) = (0, 0, 0);
    for cycle in 0..3000 {
        // Something under way completes.
        let (w, s) = (r.index(d.warps), r.index(SLOTS));
        let frees = flight[w][s].is_some() && r.chance(30);
        dut.set("free_valid", frees);
        dut.set("free_warp", w as u64);
        dut.set("free_slot", s as u64);
        let room = r.chance(80);
        dut.set("room", room);
        let fetch_full = r.chance(20);
        dut.set("fetch_full", fetch_full);
        // A warp that is nowhere inside is offered.
        let warp = r.index(d.warps);
        let outside = [dec, h].iter().flatten().all(|i| i.warp != warp);
        let offer = (outside && r.chance(80)).then(|| Inside {
            warp,
            mask: r.word(),
            pc: 8 * r.below_wide(1u64 << (d.pc - 4)),
            dst: r.below_wide(6),
            src: [r.below_wide(6), r.below_wide(6)],
            returns: r.chance(10),
            age: 0,
        });
        dut.set("sel_valid", offer.is_some());
        if let Some(i) = &offer {
            dut.set("sel_warp", i.warp as u64);
            dut.set("sel_mask", i.mask);
            dut.set("sel_pc", i.pc);
            dut.set("sel_line", line(i));
        }
        dut.eval();
        assert_eq!(dut.is("dec_valid"), h.is_some(), "{cycle}");
        let takes = dut.is("take");
        assert!(!takes || offer.is_some(), "{cycle}");
        let (goes, leaves) = (dut.is("issue_valid"), dut.is("refused"));
        assert!(!(goes && leaves) && (h.is_some() || !goes && !leaves), "{cycle}");
        if let Some(i) = h {
            assert_eq!(dut.get("dec_warp"), i.warp as u64);
            let under_way: Vec<u64> = flight[i.warp].iter().flatten().copied().collect();
            let touches = |r: &u64| under_way.contains(r);
            let hazard = under_way.len() == SLOTS || !i.returns && (touches(&i.dst) || i.src.iter().any(touches));
            assert_eq!(dut.is("clashes"), hazard, "{cycle}: {i:?}, under way {under_way:?}");
            // A return needs no line: a redirection follows.
            let may = room && (i.returns || !fetch_full);
            assert_eq!(goes, may && !hazard, "{cycle}: {i:?}");
            assert!(!leaves || may && hazard, "{cycle}: {i:?}");
            full += u32::from(hazard && under_way.len() == SLOTS);
            if goes {
                let shown =
                    ["warp", "mask", "pc", "block", "reg_base", "shared_base"].map(|f| field(dut, "issue", &fields, f));
                let (block, registers, shared) = places[i.warp];
                assert_eq!(shown, [i.warp as u64, i.mask.into(), i.pc, block, registers, shared], "{cycle}");
                assert_eq!(dut.get("issue_next"), i.pc + 8, "{cycle}");
                assert_eq!(dut.is("issue_refetch"), !i.returns, "{cycle}: a long instruction uses up its line");
                assert_eq!(dut.is("issue_block"), i.returns, "{cycle}");
                let slot = field(dut, "issue", &fields, "slot") as usize;
                assert!(flight[i.warp][slot].is_none(), "{cycle}: slot {slot} is taken");
                // A return writes nothing; its slot is taken all the same.
                flight[i.warp][slot] = Some(if i.returns { u64::MAX } else { i.dst });
                went += 1;
            }
            refused += u32::from(leaves);
        }
        let busy: u64 = flight.iter().enumerate().map(|(w, f)| u64::from(f.iter().any(Option::is_some)) << w).sum();
        assert!(goes || dut.get("busy") == busy, "{cycle}");
        if frees {
            flight[w][s] = None;
        }
        let moves = h.is_none() || goes || leaves;
        if moves {
            h = dec.take();
        }
        h = h.map(|i| Inside { age: i.age + 1, ..i });
        assert!(h.is_none_or(|i| i.age < 400), "{cycle}: stuck in H: {h:?}");
        if takes {
            assert!(dec.is_none(), "{cycle}: DEC is full");
            dec = offer;
        }
        dut.tick();
    }
    assert!(went > 300 && refused > 100 && full > 10, "{went} {refused} {full}");
}
