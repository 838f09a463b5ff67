//! Hand-made faults whose outcome is known: each says why.
//!
//! One warp runs a few lines on the injecting `tiny` (8 lanes, 4 beats a warp). Where a value stands,
//! and when, is found by its bits in the fault-free run; no layout is assumed.

use crate::support::fault;
use fault::{delay, first, golden, launch, register, run};
use warpsmith_fault::{Fault, FaultKind, FaultOutcome, Golden, How, Pattern, Record};
use warpsmith_isa::assemble;

/// Words of the 32 threads.
fn each(word: impl Fn(u32) -> u32) -> Vec<u32> {
    (0..32).map(word).collect()
}

/// The fault-free run of a program whose threads leave these words.
fn chip(source: &str, expect: &[u32]) -> Option<Golden> {
    golden(launch(source, expect), None)
}

/// R2 is a marker plus the thread's number, waits in its register, and is stored by every thread.
fn store_late() -> Option<Golden> {
    let d = delay(12);
    let source = format!(
        "SHL R1, R0, 0x2; IADD32I R3, R0, 0x34567800; IADD32I R2, R0, 0x12345600; {d} \
         GST.U32 global14[R1], R2; RET"
    );
    chip(&source, &each(|t| 0x1234_5600 + t))
}

fn site(golden: &Golden, path: &str) -> usize {
    golden.sites().find(path).unwrap_or_else(|e| panic!("{e}"))
}

/// A wrong result in these words and bits, nothing else.
#[track_caller]
fn sdc(r: &Record, words: u64, bits: u64, at: u32, pattern: Pattern) {
    let found = (r.outcome, r.wrong_words, r.wrong_bits, r.first_wrong);
    assert_eq!(found, (FaultOutcome::Sdc, words, bits, Some(at)), "{r:?}");
    assert_eq!((r.pattern, r.words_outside), (Some(pattern), 0), "{r:?}");
}

#[track_caller]
fn masked(r: &Record, how: How) {
    assert_eq!((r.outcome, r.how), (FaultOutcome::Masked, Some(how)), "{r:?}");
    assert_eq!((r.wrong_words, r.wrong_bits), (0, 0), "{r:?}");
}

#[track_caller]
fn due(r: &Record, cause: u8) {
    assert_eq!((r.outcome, r.cause), (FaultOutcome::Due, Some(cause)), "{r:?}");
}

#[test]
fn a_register_read_later_spoils_its_word() {
    let Some(golden) = store_late() else { return };
    // Thread 5 stores the register with bit 7 inverted: one word, one bit.
    let place = register(&golden, 0x1234_5605);
    let r = run(&golden, &place.fault(&[7], FaultKind::Seu));
    sdc(&r, 1, 1, 20, Pattern::Single);
    assert_eq!(r.activated, Some(place.cycle));
}

#[test]
fn two_neighbouring_bits_of_a_register_spoil_two_bits() {
    let Some(golden) = store_late() else { return };
    let place = register(&golden, 0x1234_561f);
    let r = run(&golden, &place.fault(&[30, 31], FaultKind::Mbu));
    sdc(&r, 1, 2, 124, Pattern::Single);
}

#[test]
fn a_stuck_bit_that_already_is_so_is_never_active() {
    let Some(golden) = store_late() else { return };
    // Bit 9 of the marker is 1, bit 11 is 0; the register is not written again.
    let place = register(&golden, 0x1234_5605);
    for (bit, kind) in [(9, FaultKind::StuckAt1), (11, FaultKind::StuckAt0)] {
        let r = run(&golden, &place.fault(&[bit], kind));
        assert_eq!((r.outcome, r.activated), (FaultOutcome::NotActivated, None), "{r:?}");
    }
    let r = run(&golden, &place.fault(&[9], FaultKind::StuckAt0));
    sdc(&r, 1, 1, 20, Pattern::Single);
}

#[test]
fn a_register_never_read_is_unused() {
    let Some(golden) = store_late() else { return };
    // R3 is written once and read by nobody: the inverted bit stays to the end, alone.
    let place = register(&golden, 0x3456_7805);
    for kind in [FaultKind::Seu, FaultKind::StuckAt1] {
        let r = run(&golden, &place.fault(&[3], kind));
        masked(&r, How::Unused);
        assert_eq!((r.activated, r.spread), (Some(place.cycle), None));
    }
}

#[test]
fn a_register_written_before_it_is_read_is_overwritten() {
    let d = delay(12);
    let source = format!(
        "SHL R1, R0, 0x2; IADD32I R2, R0, 0x12345600; {d} MVI R2, 0x7; {d} \
         GST.U32 global14[R1], R2; RET"
    );
    let Some(golden) = chip(&source, &each(|_| 7)) else { return };
    // MVI puts 7 there whatever it held; the run is over at the comparison after that.
    let r = run(&golden, &register(&golden, 0x1234_5605).fault(&[7], FaultKind::Seu));
    masked(&r, How::Overwritten);
    assert!(r.converged.is_some_and(|c| c < golden.cycles()), "{r:?}");
}

#[test]
fn a_pc_beyond_the_program_traps() {
    let Some(golden) = store_late() else { return };
    // The address of the warp's next instruction, right after it was written: whoever reads it goes
    // 2,048 bytes too far, where no program is (trap 10, fetch).
    let marked = register(&golden, 0x1234_5605).cycle;
    let mut host = fault::started(&golden);
    host.sim.run(marked, false, u64::MAX);
    let live = host.sim.site_word(site(&golden, "u_sm_0.u_warps.live"), 0)[0];
    assert_eq!(live.count_ones(), 1);
    let pc = "u_sm_0.u_warps.u_sequential.mem";
    let (number, word) = (site(&golden, pc), live.trailing_zeros());
    let now = host.sim.site_word(number, word)[0];
    drop(host);
    let next = first(&golden, pc, marked, |w| w[0] == now + 8);
    assert_eq!(next.word, word);
    due(&run(&golden, &next.fault(&[11], FaultKind::Seu)), 10);
    due(&run(&golden, &next.fault(&[11], FaultKind::StuckAt1)), 10);
}

/// Threads below 11 go to `low` and store 0x300 plus their number, the others 0x200 plus theirs.
fn parted() -> Option<Golden> {
    let d = delay(8);
    let source = format!(
        "SHL R1, R0, 0x2; MVI R2, 0xb; ISET.S32.C0 o[0x7f], R0, R2, LT; {d} SSY join; \
         BRA C0.NE, low; IADD32I R3, R0, 0x200; GST.U32 global14[R1], R3; BRA join; \
         low: IADD32I R3, R0, 0x300; {d} GST.U32 global14[R1], R3; \
         join: NOP.S; RET"
    );
    let word = |t| if t < 11 { 0x300 + t } else { 0x200 + t };
    chip(&source, &each(word))
}

#[test]
fn a_thread_lost_from_a_stack_entry_does_not_store() {
    let Some(golden) = parted() else { return };
    // While the threads below 11 run, the others wait in an entry {branch, pc, mask}. Without thread
    // 20 in the mask its word stays 0 instead of 0x214 (3 bits).
    let stack = "u_sm_0.u_divergence.u_stack.mem";
    let entry = first(&golden, stack, 0, |w| w[0] == 0xffff_f800 && w[1] >> 13 == 0);
    sdc(&run(&golden, &entry.fault(&[20], FaultKind::Seu)), 1, 3, 80, Pattern::Single);
    // A thread below 11 in the mask runs both ways; the other side runs last: 0x303 becomes 0x203.
    sdc(&run(&golden, &entry.fault(&[3], FaultKind::Seu)), 1, 1, 12, Pattern::Single);
}

#[test]
fn a_flag_before_a_branch_sends_its_thread_the_other_way() {
    let Some(golden) = parted() else { return };
    // Zero flags (bit 0 of each thread's four) are 1 from thread 11 on; thread 20 without it meets
    // NE, goes to `low` and stores 0x314 instead of 0x214.
    let flags = "u_sm_0.u_datapath.u_address.u_conditions.u_memory.mem";
    let zero = |w: &[u32], t: usize| w[t / 8] >> (4 * (t % 8)) & 1 == 1;
    let row = first(&golden, flags, 0, |w| (0..32).all(|t| zero(w, t) == (t >= 11)));
    sdc(&run(&golden, &row.fault(&[80], FaultKind::Seu)), 1, 1, 80, Pattern::Single);
}

#[test]
fn a_word_nobody_expects_is_masked() {
    let d = delay(12);
    let source = format!(
        "SHL R1, R0, 0x2; IADD32I R5, R1, 0x80; IADD32I R3, R0, 0x34567800; {d} \
         GST.U32 global14[R1], R0; GST.U32 global14[R5], R3; RET"
    );
    let Some(golden) = chip(&source, &each(|t| t)) else { return };
    // R3 goes to 128 + 4·thread; only the first 128 bytes are expected.
    let r = run(&golden, &register(&golden, 0x3456_7805).fault(&[7], FaultKind::Seu));
    masked(&r, How::Outside);
    assert_eq!(r.words_outside, 1);
}

#[test]
fn a_byte_nobody_expects_is_masked() {
    let Some(whole) = store_late() else { return };
    // The expectation ends in the middle of thread 5's word: its upper half is nobody's.
    let mut l = whole.launch().clone();
    l.expects[0].bytes.truncate(22);
    let golden = golden(l, None).expect("the tools are there");
    let place = register(&golden, 0x1234_5605);
    let r = run(&golden, &place.fault(&[20], FaultKind::Seu));
    masked(&r, How::Outside);
    assert_eq!(r.words_outside, 1);
    // Bits of both halves: the lower one is wrong.
    sdc(&run(&golden, &place.fault(&[7, 20], FaultKind::Mbu)), 1, 1, 20, Pattern::Single);
}

#[test]
fn a_warp_that_stays_blocked_hangs() {
    let Some(golden) = store_late() else { return };
    // A blocked warp is never selected, and nothing but itself can end the kernel.
    let blocked = site(&golden, "u_sm_0.u_warps.blocked");
    let bits = vec![0, 1, 2, 3];
    let r = run(&golden, &Fault::simple(blocked, 0, bits, golden.cycles() / 2, FaultKind::StuckAt1));
    assert_eq!((r.outcome, r.cause), (FaultOutcome::Hang, None), "{r:?}");
    assert!(r.cycles >= 2 * golden.cycles());
}

#[test]
fn a_warp_slot_without_a_warp_is_never_active() {
    let Some(golden) = store_late() else { return };
    // One warp of four runs: the last slot's `live` is 0 anyway.
    let live = site(&golden, "u_sm_0.u_warps.live");
    let r = run(&golden, &Fault::simple(live, 0, vec![3], 0, FaultKind::StuckAt0));
    assert_eq!((r.outcome, r.activated), (FaultOutcome::NotActivated, None), "{r:?}");
}

#[test]
fn a_scheduler_that_pauses_costs_time_only() {
    let Some(golden) = store_late() else { return };
    // For 20 cycles no warp is offered; afterwards the same ones are.
    let valid = site(&golden, "u_sm_0.u_warps.sel_valid");
    let mut f = Fault::simple(valid, 0, vec![0], golden.cycles() / 2, FaultKind::Intermittent0);
    (f.duration, f.period, f.active) = (20, 20, 20);
    let r = run(&golden, &f);
    assert_eq!((r.outcome, r.wrong_words), (FaultOutcome::Timing, 0), "{r:?}");
    assert!(r.cycles > golden.cycles() && r.cycles <= golden.cycles() + 20, "{r:?}");
}

#[test]
fn an_event_counter_is_unused() {
    let Some(golden) = store_late() else { return };
    // Counters only count; nothing of the chip reads them. The run need not go on to the end.
    let sums = site(&golden, "u_launch.u_counters.u_sums.mem");
    let r = run(&golden, &Fault::simple(sums, 3, vec![40], golden.cycles() / 4, FaultKind::Seu));
    masked(&r, How::Unused);
    assert!(r.simulated < golden.cycles() / 2, "{r:?}");
}

#[test]
fn a_pointer_beyond_memory_traps() {
    let Some(golden) = store_late() else { return };
    // Thread 5 stores at 20 + 2^20; the kernel has 256 bytes (trap 5, range). R1 of thread 5 is
    // found by its neighbours: in lanes 0 to 7 stand 0, 4, … 28 of the first beat.
    let last = register(&golden, 0x1234_5605);
    let place = first(&golden, "u_sm_0.u_datapath.u_write_back.u_file.u_bank_5.mem", last.cycle, |w| w[0] == 20);
    due(&run(&golden, &place.fault(&[20], FaultKind::Seu)), 5);
}

#[test]
fn an_address_register_beyond_shared_memory_traps() {
    let d = delay(12);
    let source = format!(
        "SHL R1, R0, 0x2; R2A A1, R0, 0x2; R2G.U32.U32 g[A1+0x4], R0; {d} MOV R2, g[A1+0x4]; \
         GST.U32 global14[R1], R2; RET"
    );
    let mut l = launch(&source, &each(|t| t));
    l.shared_bytes = 16 + 128;
    let Some(golden) = golden(l, None) else { return };
    // A1 of threads 0 to 7 is 0, 4, … 28, 16 bits each; thread 5's becomes 20 + 2^14.
    let aregs = "u_sm_0.u_datapath.u_address.u_aregs.mem";
    let beat = [0x0004_0000, 0x000c_0008, 0x0014_0010, 0x001c_0018];
    let row = first(&golden, aregs, 0, |w| w == beat);
    due(&run(&golden, &row.fault(&[5 * 16 + 14], FaultKind::Seu)), 5);
}

#[test]
fn a_bit_of_the_program_spoils_every_thread() {
    let source = |value: u32| format!("SHL R1, R0, 0x2; MVI R2, 0x{value:x}; GST.U32 global14[R1], R2; RET");
    let Some(golden) = chip(&source(0), &each(|_| 0)) else { return };
    // The bit in which the program with 0x400 differs: every thread stores it.
    let [a, b] = [0, 0x400].map(|v| assemble(&source(v), "test").unwrap_or_else(|e| panic!("{e}")).words);
    let at = (0..a.len()).find(|i| a[*i] != b[*i]).expect("another immediate");
    assert_eq!((a[at] ^ b[at]).count_ones(), 1);
    let bit = (a[at] ^ b[at]).trailing_zeros() + 32 * (at as u32 % 2);
    let store = site(&golden, "u_sm_0.u_fetch.u_store.mem");
    let f = Fault::simple(store, at as u32 / 2, vec![bit], 0, FaultKind::Seu);
    sdc(&run(&golden, &f), 32, 32, 0, Pattern::Run);
}

/// R3, a late sum of the thread's number and 0x1000, is stored.
fn add_late() -> Option<(Golden, u64)> {
    let d = delay(12);
    let source = format!(
        "SHL R1, R0, 0x2; IADD32I R2, R0, 0x12345600; {d} IADD32I R3, R0, 0x1000; {d} \
         GST.U32 global14[R1], R3; RET"
    );
    let golden = chip(&source, &each(|t| 0x1000 + t))?;
    let summed = register(&golden, 0x1000).cycle;
    // Addresses are in their registers long before; R2 and R15 are read by nobody.
    let before = summed - 10;
    assert!(before > register(&golden, 0x1234_561f).cycle);
    Some((golden, before))
}

#[test]
fn a_stuck_lane_spoils_its_threads_only() {
    let Some((golden, cycle)) = add_late() else { return };
    // Lane 3 computes threads 3, 11, 19 and 27: their words, 32 bytes apart, have bit 9 set.
    let y = site(&golden, "u_sm_0.u_datapath.u_execute.u_lane_3.y");
    let r = run(&golden, &Fault::simple(y, 0, vec![9], cycle, FaultKind::StuckAt1));
    sdc(&r, 4, 4, 12, Pattern::Stride);
}

#[test]
fn an_intermittent_lane_spoils_one_beat_of_four() {
    let Some((golden, cycle)) = add_late() else { return };
    // The four threads of lane 3 pass in four cycles; a burst of one cycle in four meets one of them,
    // and each start of the bursts another one.
    let y = site(&golden, "u_sm_0.u_datapath.u_execute.u_lane_3.y");
    let mut met = vec![];
    for phase in 0..4 {
        let mut f = Fault::simple(y, 0, vec![9], cycle + phase, FaultKind::Intermittent1);
        (f.period, f.active) = (4, 1);
        let r = run(&golden, &f);
        let at = r.first_wrong.unwrap_or_else(|| panic!("{r:?}"));
        sdc(&r, 1, 1, at, Pattern::Single);
        met.push(at);
    }
    met.sort_unstable();
    assert_eq!(met, [12, 44, 76, 108]);
}

#[test]
fn a_transient_of_a_stored_bit_lasts_until_it_is_written() {
    let Some(golden) = store_late() else { return };
    // Nothing writes R2 between the transient and the store: the bit stays inverted.
    let mut f = register(&golden, 0x1234_5605).fault(&[7], FaultKind::Transient);
    f.duration = 3;
    sdc(&run(&golden, &f), 1, 1, 20, Pattern::Single);
}
