//! Lockstep on synthetic beats: the chip is played by a second model.

mod fermi;
mod g13;
mod ivb;

use super::collect::{Collector, Destination, MemoryAccess};
use super::*;
use crate::random::{generate, Limits};
use warpsmith_contract::trace::{layouts, Field, GroupKind, Layout};
use warpsmith_contract::Direction;
use warpsmith_contract::{Manifest, Port};
use warpsmith_isa::WARP_SIZE;
use warpsmith_model::launch::GlobalSection;
use warpsmith_model::{half_of, AccessKind, Mutant, Space};

const LANES: usize = 8;

/// Beats of a warp instruction of a launch.
fn beats_of(launch: &Launch) -> usize {
    launch.isa().beats(LANES as u32) as usize
}

fn manifest() -> Manifest {
    let ports =
        Field::ALL.iter().map(|f| Port::new(&f.port(0), f.signal().width.bits(LANES), Direction::Output)).collect();
    Manifest {
        inject: false,
        modules: Default::default(),
        name: "t".into(),
        top: "chip".into(),
        config: Default::default(),
        ports,
        files: Default::default(),
        forms: vec![],
    }
}

/// Writes raw events as the shim does.
struct Raw {
    layouts: Vec<Layout>,
    words: Vec<u32>,
    cycle: u32,
    beats: usize,
}

impl Raw {
    fn event(&mut self, kind: GroupKind, fields: &[(Field, &[u32])]) {
        self.cycle += 1;
        let l = self.layouts.iter().find(|l| l.kind == kind).unwrap();
        let mut body = vec![0; l.words];
        for (f, v) in fields {
            let place = l.place(*f);
            body[place.at..place.at + place.words].copy_from_slice(&v[..place.words]);
        }
        self.words.extend([kind as u32, self.cycle, 0]);
        self.words.extend(body);
    }

    fn retire(&mut self, r: &RtlRecord) {
        for pass in 0..r.passes {
            for beat in 0..self.beats {
                let lane = |v: &[u32; WARP_SIZE]| v[beat * LANES..][..LANES].to_vec();
                let first = u32::from(pass + beat == 0);
                let last = u32::from(pass + 1 == r.passes && beat + 1 == self.beats);
                let flags = (0..LANES).fold(0, |f, l| f | u32::from(r.flags[beat * LANES + l]) << (4 * l));
                let values: Vec<u32> = (0..LANES / 2)
                    .map(|i| {
                        r.post_increment_values[beat * LANES + 2 * i]
                            | r.post_increment_values[beat * LANES + 2 * i + 1] << 16
                    })
                    .collect();
                let scalars = [
                    (Field::First, first),
                    (Field::Last, last),
                    (Field::Warp, r.warp),
                    (Field::Slot, r.slot),
                    (Field::Block, r.block),
                    (Field::Pc, r.pc),
                    (Field::Active, r.active),
                    (Field::Exec, r.exec >> (beat * LANES) & 0xff),
                    (Field::BeatNumber, beat as u32),
                    (Field::Pass, pass as u32),
                    (Field::Dst, r.dst as u32),
                    (Field::Reg, r.reg),
                    (Field::Half, r.half),
                    (Field::FlagsWe, r.flags_we.into()),
                    (Field::Cc, r.cc),
                    (Field::Flags, flags),
                    (Field::PostInc, u32::from(r.post_increment != 0)),
                    (Field::AReg, r.post_increment | r.predicate),
                    (Field::Mem, r.mem as u32),
                    (Field::Depth, r.depth),
                ];
                let (y, a, d) = (lane(&r.y[pass]), lane(&r.address[pass]), lane(&r.data[pass]));
                let mut fields: Vec<(Field, &[u32])> = vec![
                    (Field::Word, &r.word),
                    (Field::ARegValue, &values),
                    (Field::Y, &y),
                    (Field::Addr, &a),
                    (Field::Data, &d),
                ];
                fields.extend(scalars.iter().map(|(f, v)| (*f, std::slice::from_ref(v))));
                self.event(GroupKind::Retire, &fields);
            }
        }
    }
}

/// What the chip would trace for a step of the model.
fn record(m: &Retired, special: bool, depth: u32, warp: u32, slot: u32) -> RtlRecord {
    let load = special || m.mem.is_some_and(|a| a.kind.loads());
    let (dst, reg, half) = match m.dst {
        RetiredDst::None => (Destination::None, 0, 0),
        RetiredDst::Gpr { first, .. } if load => (Destination::Pending, first.into(), 3),
        RetiredDst::Gpr { first, .. } => (Destination::Gpr, first.into(), 3),
        RetiredDst::Half { reg, high, .. } => {
            let kind = if load { Destination::Pending } else { Destination::Gpr };
            (kind, reg.into(), 1 << u32::from(high))
        }
        RetiredDst::Addr { index } => (Destination::Addr, index.into(), 3),
    };
    let mem = m.mem.map_or(MemoryAccess::None, |a| match (a.space, a.kind) {
        (Space::Shared, _) => MemoryAccess::SharedStore,
        (Space::Global, AccessKind::Load) => MemoryAccess::GlobalLoad,
        (Space::Global, AccessKind::Store) => MemoryAccess::GlobalStore,
        (_, AccessKind::Load) => MemoryAccess::LocalLoad,
        (_, AccessKind::Store) => MemoryAccess::LocalStore,
        (_, AccessKind::Atomic) => MemoryAccess::GlobalAtomic,
        (_, AccessKind::Reduction) => MemoryAccess::GlobalReduction,
    });
    let passes = match (m.mem, m.dst) {
        (Some(a), _) => a.passes(),
        (None, RetiredDst::Gpr { count, .. } | RetiredDst::Half { count, .. }) => count.into(),
        _ => 1,
    };
    let predicates = m.predicates.unwrap_or_default();
    let bits = |l: usize| (0..2).map(move |q| (predicates.value[q] >> l & 1) << q);
    let mut flags = m.flag_values;
    if m.predicates.is_some() {
        flags = std::array::from_fn(|l| bits(l).sum::<u32>() as u8);
    }
    let numbers = predicates.number.map(|n| n.map_or(7, u32::from));
    let offset = |p: usize| m.mem.map_or(4 * p as u32, |a| a.offset(p));
    let address = [0, 1, 2, 3].map(offset).map(|offset| m.address.map(|a| a.wrapping_add(offset)));
    RtlRecord {
        cycle: 0,
        warp,
        slot,
        block: 0,
        pc: m.pc,
        word: m.word,
        active: m.active_mask,
        exec: m.exec_mask,
        beats: 4 * passes as u32,
        passes,
        dst,
        reg,
        half,
        y: m.values,
        flags_we: m.flags.is_some() || numbers != [7, 7],
        cc: m.flags.map_or(0, u32::from),
        predicate: m.predicates.map_or(0, |_| numbers[0]),
        flags,
        post_increment: m.post_increment.unwrap_or(0).into(),
        post_increment_values: m.post_increment_values,
        mem,
        address,
        data: m.data,
        depth,
    }
}

/// Where a beat of a pass goes that comes later, from the start of the warp's registers on.
fn entry_of(launch: &Launch, r: &Retired, first: u8, pass: usize, beat: usize) -> u32 {
    let (first, pass, beat) = (u32::from(first), pass as u32, beat as u32);
    match launch.isa() {
        // A register is an entry of 8 lanes.
        Isa::Ivb => (first + pass * u32::from(r.spread.step) + beat).wrapping_sub(u32::from(r.spread.first) / 8),
        _ => (first + pass) * beats_of(launch) as u32 + beat,
    }
}

/// Runs a launch on a model and traces it; `change` sees each record before it is written.
fn trace(launch: &Launch, config: ModelConfig, mut change: impl FnMut(u64, &mut RtlRecord)) -> Raw {
    let mut raw = Raw { layouts: layouts(&manifest()), words: vec![], cycle: 0, beats: beats_of(launch) };
    let mut m = Model::new(launch, ModelConfig { chip: true, ..config });
    let (mut r, mut number) = (Retired::default(), 0);
    let warps = launch.warps_per_block();
    for y in 0..launch.grid[1] {
        for x in 0..launch.grid[0] {
            let id = m.start_block([x, y]);
            for w in 0..warps {
                let mask = m.warp(id, w).unwrap().active;
                let start = [
                    (Field::StartWarp, w),
                    (Field::StartBlock, 0),
                    (Field::StartMask, mask),
                    (Field::StartX, x),
                    (Field::StartY, y),
                    (Field::StartIndex, w),
                    (Field::StartRf, 500 * w),
                ];
                let fields: Vec<(Field, &[u32])> = start.iter().map(|(f, v)| (*f, std::slice::from_ref(v))).collect();
                raw.event(GroupKind::Start, &fields);
            }
            while (0..warps).any(|w| m.warp(id, w).is_some_and(|w| !w.finished)) {
                for w in 0..warps {
                    let warp = m.warp(id, w).unwrap();
                    match m.step(id, w, &mut r, None) {
                        Ok(()) => {}
                        Err(StepError::Finished { .. } | StepError::Waiting { .. }) => continue,
                        Err(e) => panic!("{e}"),
                    }
                    let special = instruction::at(launch, r.pc).is_some_and(|i| i.special) && r.exec_mask != 0;
                    number += 1;
                    let slot = number as u32 & 3;
                    let mut rec = record(&r, special, warp.depth, w, slot);
                    change(number, &mut rec);
                    raw.retire(&rec);
                    if rec.is_completed_later() {
                        raw.event(GroupKind::Performed, &[(Field::PerfWarp, &[w]), (Field::PerfSlot, &[slot])]);
                        // Register, and pass of it.
                        let written: Vec<(u8, usize)> = match r.dst {
                            RetiredDst::Gpr { first, count } => (0..count.into()).map(|p| (first, p)).collect(),
                            RetiredDst::Half { reg, high, count } => {
                                (0..count.into()).map(|p| (half_of(reg, high, p).0, 0)).collect()
                            }
                            _ => vec![],
                        };
                        if rec.dst == Destination::Pending {
                            for (p, (first, pass)) in written.into_iter().enumerate() {
                                for beat in 0..raw.beats {
                                    let mask = r.write_mask >> (beat * LANES) & 0xff;
                                    let entry = 500 * w + entry_of(launch, &r, first, pass, beat);
                                    raw.event(
                                        GroupKind::Load,
                                        &[
                                            (Field::LdWarp, &[w]),
                                            (Field::LdSlot, &[slot]),
                                            (Field::LdRf, &[entry]),
                                            (Field::LdMask, &[mask]),
                                            (Field::LdData, &rec.y[p][beat * LANES..][..LANES]),
                                        ],
                                    );
                                }
                            }
                        }
                        raw.event(GroupKind::Done, &[(Field::DoneWarp, &[w]), (Field::DoneSlot, &[slot])]);
                    }
                    if r.finished {
                        raw.event(GroupKind::Exit, &[(Field::ExitWarp, &[w])]);
                    }
                }
            }
            m.retire_block(id);
        }
    }
    raw
}

fn plain() -> ModelConfig {
    ModelConfig::default()
}

/// The difference when the first record that `is` accepts is changed.
fn found(launch: &Launch, is: impl Fn(&RtlRecord) -> bool, change: impl Fn(&mut RtlRecord)) -> Box<RetireDifference> {
    let mut done = false;
    let raw = trace(launch, plain(), |_, r| {
        if !done && is(r) {
            change(r);
            done = true;
        }
    });
    assert!(done, "no record to change");
    match follow(launch, plain(), &raw) {
        Err(Difference::Retire(d)) => d,
        other => panic!("not found: {other:?}"),
    }
}

/// Instructions of a launch whose chip is the model.
fn agrees(launch: &Launch) -> u64 {
    let raw = trace(launch, plain(), |_, _| {});
    follow(launch, plain(), &raw).unwrap_or_else(|d| panic!("{}: {d}", launch.name))
}

/// Some launch tells each mutant from the model.
fn tell(mut mutants: Vec<Mutant>, launches: impl IntoIterator<Item = Launch>) {
    for launch in launches {
        let raw = trace(&launch, plain(), |_, _| {});
        let config = |m: &Mutant| ModelConfig { mutant: Some(*m), ..plain() };
        mutants.retain(|m| follow(&launch, config(m), &raw).is_ok());
        if mutants.is_empty() {
            return;
        }
    }
    panic!("not found: {mutants:?}");
}

/// Words of global memory, of both signs.
fn word(n: u32) -> u32 {
    n.wrapping_mul(0x9e37_79b9) ^ (n << 3)
}

/// A launch of a source on two blocks, with [`word`]s in memory.
fn launch_of(isa: Isa, source: &str) -> Launch {
    let program = warpsmith_isa::set::assemble(isa.set(), source, "test");
    Launch {
        grid: [2, 1],
        global_bytes: 0x2000,
        globals: vec![GlobalSection::new(0, (0..400).flat_map(|n| word(n).to_le_bytes()).collect())],
        ..Launch::from_code(isa, program.unwrap_or_else(|e| panic!("{e}")).bytes)
    }
}

/// The trap of a launch's first warp on a chip, in its first instructions.
fn trap(launch: &Launch) -> Trap {
    let mut m = Model::new(launch, ModelConfig { chip: true, ..plain() });
    let (id, mut r) = (m.start_block([0, 0]), Retired::default());
    let trap = (0..3).find_map(|_| m.step(id, 0, &mut r, None).err());
    let Some(StepError::Trap(t)) = trap else { panic!("no trap: {trap:?}") };
    assert_eq!(m.state().trap, Some(t), "it stays");
    t
}

fn follow(launch: &Launch, config: ModelConfig, raw: &Raw) -> Result<u64, Difference> {
    let mut lock = Lockstep::new(launch, config, LANES, 1, "warpsmith cosim x --seed 1".into());
    let mut collector = Collector::new(LANES, 1, raw.layouts.clone());
    let mut found = Ok(());
    let go = collector.take(&raw.words, |sm, cycle, e| {
        found = lock.take(sm, cycle, e);
        found.is_ok()
    });
    found?;
    assert_eq!(go, Ok(true));
    lock.finish()?;
    Ok(lock.retired())
}

fn launch() -> Launch {
    generate(11, &Limits::tiny(), 900)
}

#[test]
fn a_chip_that_is_the_model_agrees() {
    for seed in 20..30 {
        assert!(agrees(&generate(seed, &Limits::tiny(), 600)) > 100);
    }
}

#[test]
fn one_wrong_bit_of_one_lane_is_found_where_it_happens() {
    let launch = launch();
    let mut hit = None;
    let raw = trace(&launch, plain(), |n, r| {
        if hit.is_none() && n > 200 && r.dst == Destination::Gpr && r.exec & 4 != 0 && r.half == 3 {
            r.y[0][2] ^= 1 << 9;
            hit = Some((n, r.pc));
        }
    });
    let Err(Difference::Retire(d)) = follow(&launch, plain(), &raw) else { panic!("not found") };
    assert_eq!((d.retire, d.pc), hit.unwrap());
    assert_eq!((d.mismatch.lane, d.mismatch.model ^ d.mismatch.rtl), (Some(2), 1 << 9));
    assert!(d.writers.iter().any(|w| w.1.is_some()), "{d}");
}

#[test]
fn wrong_load_data_is_found_when_the_load_group_delivers_it() {
    let d = found(&launch(), |r| r.dst == Destination::Pending && r.exec & 1 != 0, |r| r.y[0][0] ^= 1);
    assert!(d.mismatch.what.contains("load"), "{d}");
}

#[test]
fn every_mutant_of_the_model_is_found() {
    let mutants = vec![Mutant::SwapSubtract, Mutant::LogicalShift, Mutant::DropCarry];
    tell(mutants, (0..20).map(|seed| generate(seed, &Limits::tiny(), 900)));
}

#[test]
fn a_chip_that_stops_early_does_not_agree() {
    let launch = launch();
    let mut raw = trace(&launch, plain(), |_, _| {});
    let exit = raw.layouts.iter().find(|l| l.kind == GroupKind::Exit).unwrap().words;
    raw.words.truncate(raw.words.len() - exit - 3);
    let text = follow(&launch, plain(), &raw).unwrap_err().to_string();
    assert!(text.contains("has not finished in the rtl"), "{text}");
}

#[test]
fn a_beat_inside_another_record_is_a_broken_trace_port() {
    let mut raw = Raw { layouts: layouts(&manifest()), words: vec![], cycle: 0, beats: 4 };
    raw.event(GroupKind::Retire, &[(Field::First, &[1]), (Field::Pc, &[8])]);
    raw.event(GroupKind::Retire, &[(Field::Last, &[1]), (Field::Pc, &[16])]);
    let mut c = Collector::new(LANES, 1, raw.layouts.clone());
    assert!(c.take(&raw.words, |_, _, _| true).unwrap_err().contains("lies inside"));
}

#[test]
fn between_sms_a_global_access_waits_until_it_is_performed() {
    // Each block stores its own number to address 0; SM 1 retires first but performs last.
    let mut launch = crate::random::empty_launch("order");
    launch.grid = [2, 1];
    launch.registers = 2;
    launch.global_bytes = 4;
    // MOV R0, s[0xc].u16 ; MVI R1, 0 ; GST.U32 [R1], R0 ; NOP with exit marker.
    let words: [u64; 4] = [
        0x0400_0000_1000_0001 | 1 << 53 | 1 << 14 | 6 << 9 | 15 << 46 | 15 << 39,
        0x3_1000_8001 | 1 << 2,
        0xa000_0000_d000_0001 | 1 << 9 | 6 << 53 | 15 << 39,
        0xe000_0000_f000_0001 | 15 << 39 | 1 << 32,
    ];
    launch.program = words.iter().flat_map(|w| [*w as u32, (*w >> 32) as u32]).collect::<Vec<_>>().into();
    let mut lock = Lockstep::new(&launch, plain(), LANES, 2, String::new());
    let mut twin = Model::new(&launch, plain());
    let blocks: Vec<_> = (0..2).map(|x| twin.start_block([x, 0])).collect();
    for sm in [1usize, 0] {
        let start = Start { cycle: 0, warp: 0, block: 0, mask: 1, ctaid: [sm as u32, 0], index: 0, rf: 0 };
        lock.take(sm, 0, TraceEvent::Start(start)).unwrap();
        let mut r = Retired::default();
        for _ in 0..4 {
            twin.step(blocks[sm], 0, &mut r, None).unwrap();
            lock.take(sm, 0, TraceEvent::Retire(Box::new(record(&r, false, 0, 0, 0)))).unwrap();
        }
        lock.take(sm, 0, TraceEvent::Exit(0)).unwrap();
    }
    assert_eq!(lock.machine().state().global.word(0), 0);
    for sm in [0, 1] {
        lock.take(sm, 1, TraceEvent::Performed((0, 0))).unwrap();
        lock.take(sm, 2, TraceEvent::Done((0, 0))).unwrap();
    }
    lock.finish().unwrap();
    assert_eq!(lock.machine().state().global.word(0), 1);
}
