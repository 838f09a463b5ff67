//! Ivy Bridge's divergence unit against the words of its header: every channel has an address, the thread a pointer.

use crate::support::dut::{lint, Dut};
use crate::support::{mutants::tells, Random};
use warpsmith_hdl::config::{GpuConfig, Isa};
use warpsmith_hdl::emit::emit_leaf;
use warpsmith_hdl::sm::control::ivb::flow;
use warpsmith_hdl::sm::dims::Dims;
use warpsmith_hdl::sm::divergence::ivb::ChannelUnit;
use warpsmith_hdl::sm::divergence::marker;

const CHANNELS: usize = 16;

/// A thread: its pointer, and where each of its channels is.
struct Thread {
    pointer: u64,
    /// `None`: the channel does not exist.
    at: [Option<u64>; CHANNELS],
    /// Addresses of its program.
    program: Vec<u64>,
    /// The bit of an address that says that it is beyond the program.
    beyond: u64,
}

/// An operation, as the ports have it.
#[derive(Clone, Copy, Debug)]
struct Op {
    op: u64,
    exec: u64,
    target: u64,
    next: u64,
    hop: u64,
}

/// What comes of it.
#[derive(Debug, PartialEq)]
struct Outcome {
    warp: usize,
    mask: u64,
    /// The pointer, and who waits where; with END they mean nothing.
    after: Option<(u64, u64)>,
}

/// What a run has met.
#[derive(Debug, Default)]
struct Met {
    /// Channels that waited came in at the address after an instruction without flow.
    joins: usize,
    /// Nobody is at the pointer.
    nobody: usize,
    /// … and somebody waits.
    elsewhere: usize,
    /// The pointer went to the other address.
    hops: usize,
    /// A jump because a channel executes that is not active.
    jumps: usize,
    ends: usize,
    starts: usize,
    beyond: usize,
}

impl Thread {
    /// Some channels begin; few addresses, so that channels meet.
    fn new(r: &mut Random, d: &Dims) -> Self {
        let beyond = 1 << (d.pc - 1);
        let mut address = || {
            let low = u64::from(r.below(1 << (d.pc - 4))) * 8;
            low | if r.chance(25) { beyond } else { 0 }
        };
        let mut program: Vec<u64> = (0..4).map(|_| address()).collect();
        // Addresses that differ in one bit alone, high or low.
        program.extend([program[0] ^ beyond, program[1] ^ 8, program[2] ^ 256, program[3] ^ beyond >> 1]);
        let mask = if r.chance(50) { 0xffff } else { r.word() & 0xffff };
        let pointer = r.pick(&program);
        let at = std::array::from_fn(|c| (mask >> c & 1 == 1).then_some(pointer));
        Self { pointer, at, program, beyond }
    }

    fn there(&self, address: u64) -> u64 {
        (0..CHANNELS).filter(|c| self.at[*c] == Some(address)).fold(0, |mask, c| mask | 1 << c)
    }

    fn active(&self) -> u64 {
        self.there(self.pointer)
    }

    fn next(&self, r: &mut Random) -> Op {
        let op = if r.chance(2) { flow::END } else { r.below_wide(8) };
        let mut some = || {
            let any = r.bits() & 0xffff;
            r.pick(&[0, 0xffff, any, any, any & 0x1111])
        };
        // Most often those that are active.
        let (exec, all) = (some(), some());
        let exec = if r.chance(60) { exec & self.active() } else { exec | all };
        let mut address = || r.pick(&self.program);
        Op { op, exec, target: address(), next: address(), hop: address() }
    }

    /// Executes an operation: what comes of it, and whether the pointer went to the other address than the first that
    /// it may go to.
    fn step(&mut self, o: &Op, warp: usize, met: &mut Met) -> (Outcome, bool) {
        if o.op == flow::END {
            met.ends += 1;
            return (Outcome { warp, mask: 0, after: None }, false);
        }
        let (active, waiting) = (self.active(), self.there(o.next));
        let taken = active & o.exec;
        let to_target = match o.op {
            flow::IF => active & !taken,
            flow::ELSE => active,
            flow::LEAVE | flow::WHILE | flow::DIVERGE => taken,
            flow::JUMP if o.exec != 0 => active,
            _ => 0,
        };
        for c in (0..CHANNELS).filter(|c| active >> c & 1 == 1) {
            self.at[c] = Some(if to_target >> c & 1 == 1 { o.target } else { o.next });
        }
        let else_to = match o.op {
            flow::IF | flow::ELSE | flow::DIVERGE => Some(o.target),
            flow::ENDIF | flow::LEAVE => Some(o.hop),
            _ => None,
        };
        let (pointer, other) = match (o.op, else_to) {
            (flow::WHILE, _) if taken != 0 => (o.target, false),
            (flow::JUMP, _) if o.exec != 0 => (o.target, false),
            (_, Some(address)) if self.there(o.next) == 0 => (address, true),
            _ => (o.next, false),
        };
        self.pointer = pointer;
        let mask = self.active();
        let waits = self.at.iter().flatten().filter(|a| **a != pointer).fold(0, |waits, a| waits | 1 << (a / 8 % 32));
        met.joins += usize::from(o.op == flow::NONE && active != 0 && waiting & !active != 0);
        met.nobody += usize::from(mask == 0);
        met.elsewhere += usize::from(mask == 0 && waits != 0);
        met.hops += usize::from(other);
        met.jumps += usize::from(o.op == flow::JUMP && taken == 0 && o.exec != 0);
        met.beyond += usize::from(pointer & self.beyond != 0);
        (Outcome { warp, mask, after: Some((pointer, waits)) }, other)
    }
}

fn check(dut: &mut Dut, d: &Dims, cycles: u64) {
    let mut r = Random(0x5EED_0131);
    let mut met = Met::default();
    // A warp that is none has to begin.
    let mut warps: Vec<Option<Thread>> = (0..d.warps).map(|_| None).collect();
    // What is under way, and the cycle of its result.
    let mut under: Option<(Outcome, u64)> = None;
    let mut operations = 0;
    for cycle in 0..cycles {
        let warp = r.index(d.warps);
        let o = warps[warp].as_ref().map(|thread| thread.next(&mut r));
        let valid = o.is_some() && r.chance(80);
        dut.set("valid", valid);
        if let (Some(o), Some(thread)) = (&o, &warps[warp]) {
            let marks = if o.op == flow::NONE { r.pick(&[marker::JOIN, marker::NONE]) } else { marker::NONE };
            let ports = [("op", o.op), ("marker", marks), ("warp", warp as u64), ("active", thread.active())];
            let more = [("exec", o.exec), ("target", o.target), ("next", o.next), ("hop", o.hop)];
            ports.iter().chain(&more).for_each(|(port, value)| dut.set(port, *value));
        }
        // Another warp begins, also one that has not ended.
        let begins = r.index(d.warps);
        let idle = begins != warp && under.as_ref().is_none_or(|(o, _)| o.warp != begins);
        let starts = idle && (warps[begins].is_none() || r.chance(1));
        dut.set("start_valid", starts);
        dut.set("start_warp", begins as u64);
        dut.eval();

        let due = under.as_ref().is_some_and(|(_, at)| *at == cycle);
        let ready = under.is_none() || due;
        assert_eq!(dut.is("ready"), ready, "in cycle {cycle}");
        assert_eq!(dut.is("busy"), under.is_some());
        assert_eq!(dut.is("result_valid"), due, "in cycle {cycle}");
        if let Some((want, _)) = under.take_if(|_| due) {
            let finished = dut.is("result_finished");
            let after = (!finished).then(|| (dut.get("result_pc"), dut.get("result_waits")));
            let got = Outcome { warp: dut.get("result_warp") as usize, mask: dut.get("result_mask"), after };
            assert_eq!(got, want, "operation {operations}");
            assert_eq!((dut.is("result_trap"), dut.get("result_depth")), (false, 0));
            operations += 1;
        }
        if let (true, true, Some(o)) = (valid, ready, o) {
            let thread = warps[warp].as_mut().expect("it has an operation");
            let (outcome, other) = thread.step(&o, warp, &mut met);
            if outcome.after.is_none() {
                warps[warp] = None;
            }
            under = Some((outcome, cycle + 2 + u64::from(other)));
        }
        if starts {
            met.starts += 1;
            warps[begins] = Some(Thread::new(&mut r, d));
        }
        dut.tick();
    }
    println!("{met:?} of {operations}");
    let least = operations / 100;
    let counts = [met.joins, met.nobody, met.elsewhere, met.hops, met.beyond, met.ends, met.starts];
    assert!(counts.iter().all(|n| *n > least) && met.jumps > least / 2, "{met:?} of {operations}");
}

fn chip(name: &str) -> GpuConfig {
    GpuConfig { isa: Isa::Ivb, ..GpuConfig::named(name).expect("a known configuration") }
}

#[test]
fn channels_follow_the_rules_in_a_small_sm() {
    let cfg = chip("tiny");
    let d = Dims::of(&cfg);
    lint(&emit_leaf(&ChannelUnit::new(&cfg)));
    check(&mut Dut::native(&ChannelUnit::new(&cfg)), &d, 40_000);
    tells(&ChannelUnit::new(&cfg), 90, |dut| check(dut, &d, 4000));
}

#[test]
fn channels_follow_the_rules_in_a_large_sm() {
    let cfg = chip("wide");
    check(&mut Dut::native(&ChannelUnit::new(&cfg)), &Dims::of(&cfg), 40_000);
}
