//! From the trace port's events to whole-warp retire records.

use crate::chip::Chip;
use crate::instruction;
use std::fmt::Write as _;
use warpsmith_contract::trace::{layouts, Field, GroupKind, Layout, STATUS};
pub use warpsmith_contract::trace::{Destination, MemoryAccess};
use warpsmith_contract::StallCause;
use warpsmith_isa::WARP_SIZE;
use warpsmith_model::{Lanes, Launch};

/// One retired warp instruction as the chip traced it. Lanes outside `exec` hold leftovers.
#[derive(Clone, Debug, PartialEq)]
pub struct RtlRecord {
    /// Cycle of the last beat.
    pub cycle: u64,
    /// Warp slot of the SM.
    pub warp: u32,
    /// Load slot, with `warp` the key of load, done and performed events.
    pub slot: u32,
    /// Block slot.
    pub block: u32,
    /// Byte address.
    pub pc: u32,
    /// Words 0 and 1.
    pub word: [u32; 2],
    /// Active mask.
    pub active: u32,
    /// Execution mask.
    pub exec: u32,
    /// Beats it took.
    pub beats: u32,
    /// 32-bit passes, 1 to 4.
    pub passes: usize,
    /// Destination kind.
    pub dst: Destination,
    /// Register number of the first pass.
    pub reg: u32,
    /// Write enables of the halves, bit 0 low.
    pub half: u32,
    /// Values written, by pass.
    pub y: [Lanes; 4],
    /// Flags written.
    pub flags_we: bool,
    /// Flag register.
    pub cc: u32,
    /// Predicate of the first result, in sets that have predicates.
    pub predicate: u32,
    /// Flag values; bits 0 and 1 are the predicates' in sets that have them.
    pub flags: [u8; WARP_SIZE],
    /// Address register post-incremented (0: none).
    pub post_increment: u32,
    /// Its new values.
    pub post_increment_values: Lanes,
    /// Memory access.
    pub mem: MemoryAccess,
    /// Byte addresses, by pass.
    pub address: [Lanes; 4],
    /// Store data, by pass.
    pub data: [Lanes; 4],
    /// Entries on the divergence stack when the instruction issued.
    pub depth: u32,
}

impl RtlRecord {
    /// Whether a unit beside the pipeline completes it, so that a done event follows: loads,
    /// stores, special functions.
    pub fn is_completed_later(&self) -> bool {
        self.mem.is_external() || self.dst == Destination::Pending
    }
}

impl Default for RtlRecord {
    fn default() -> Self {
        RtlRecord {
            cycle: 0,
            warp: 0,
            slot: 0,
            block: 0,
            pc: 0,
            word: [0; 2],
            active: 0,
            exec: 0,
            beats: 0,
            passes: 1,
            dst: Destination::None,
            reg: 0,
            half: 0,
            y: [[0; WARP_SIZE]; 4],
            flags_we: false,
            cc: 0,
            predicate: 0,
            flags: [0; WARP_SIZE],
            post_increment: 0,
            post_increment_values: [0; WARP_SIZE],
            mem: MemoryAccess::None,
            address: [[0; WARP_SIZE]; 4],
            data: [[0; WARP_SIZE]; 4],
            depth: 0,
        }
    }
}

/// A warp begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// Cycle.
    pub cycle: u64,
    /// Warp slot.
    pub warp: u32,
    /// Block slot.
    pub block: u32,
    /// Threads that exist.
    pub mask: u32,
    /// Block index in the grid, `x, y`.
    pub ctaid: [u32; 2],
    /// Warp within its block.
    pub index: u32,
    /// Register file entry of R0.
    pub rf: u32,
}

/// What the trace port of one SM says.
#[derive(Clone, Debug, PartialEq)]
pub enum TraceEvent {
    /// An instruction retired.
    Retire(Box<RtlRecord>),
    /// Values of a load or a special function reached the register file.
    Load {
        /// Warp slot and load slot.
        key: (u32, u32),
        /// Register file entry.
        entry: u32,
        /// Lanes of the beat.
        mask: u32,
        /// Data of lane 0 and up.
        data: [u32; WARP_SIZE],
    },
    /// The load/store unit finished an instruction.
    Done((u32, u32)),
    /// Its last request was accepted at the SM's port.
    Performed((u32, u32)),
    /// A warp begins.
    Start(Start),
    /// A warp finished.
    Exit(u32),
    /// The stall cause changed.
    Stall(Option<StallCause>),
    /// An instruction left decode; as the events below only when observed.
    Issue {
        /// Warp slot and scoreboard slot.
        key: (u32, u32),
        /// Byte address.
        pc: u32,
    },
    /// The SM's port took a request of the load/store unit.
    Request,
    /// Warps or the stall changed.
    Status(Status),
    /// The chip's memory port was used.
    Port {
        /// A request was taken.
        taken: bool,
        /// It was a store.
        write: bool,
        /// A line was answered.
        answered: bool,
    },
}

/// Where the warps of an SM stand, a bit a slot, and why nothing was issued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// The warp exists.
    pub live: u32,
    /// A control operation is under way.
    pub blocked: u32,
    /// The next instruction waits for an earlier one.
    pub hazard: u32,
    /// Of these: for a load.
    pub load: u32,
    /// Of these: for a special function.
    pub sfu: u32,
    /// No instruction fetched.
    pub unfetched: u32,
    /// Waits at a barrier.
    pub waiting: u32,
    /// Why nothing was issued.
    pub stall: Option<StallCause>,
    /// Byte address of the instruction in stage M.
    pub held_pc: u32,
}

/// Turns raw events into [`TraceEvent`]s, joining the beats of a record.
#[derive(Clone)]
pub struct Collector {
    lanes: usize,
    layouts: Vec<Layout>,
    open: Vec<Option<Box<RtlRecord>>>,
}

/// Fields of one raw event.
struct Fields<'a> {
    layout: &'a Layout,
    words: &'a [u32],
}

impl Fields<'_> {
    fn word(&self, field: Field) -> u32 {
        self.many(field).first().copied().unwrap_or(0)
    }

    fn flag(&self, field: Field) -> bool {
        self.word(field) != 0
    }

    fn many(&self, field: Field) -> &[u32] {
        let place = self.layout.place(field);
        &self.words[place.at..place.at + place.words]
    }
}

impl Collector {
    /// A collector for a chip's trace port.
    pub fn new(lanes: usize, sms: usize, layouts: Vec<Layout>) -> Self {
        Collector { lanes, layouts, open: vec![None; sms] }
    }

    /// A collector for `chip`.
    pub(crate) fn of(chip: &Chip) -> Self {
        Self::new(chip.info.lanes as usize, chip.info.sms as usize, layouts(chip.design.manifest()))
    }

    /// Reads raw events and hands each to `sink` as (SM, cycle, event); false from it stops.
    ///
    /// # Errors
    /// Text saying how the chip broke the trace protocol.
    pub fn take(
        &mut self, mut raw: &[u32], mut sink: impl FnMut(usize, u64, TraceEvent) -> bool,
    ) -> Result<bool, String> {
        while raw.len() >= 3 {
            let kind = GroupKind::from_number(raw[0] as u8);
            let sm = (raw[0] >> 8) as usize;
            let cycle = u64::from(raw[2]) << 32 | u64::from(raw[1]);
            raw = &raw[3..];
            let simple = match kind {
                Some(GroupKind::Stall) => Some((TraceEvent::Stall(stall(raw[0])), 1)),
                Some(GroupKind::Status) => Some((status(raw), STATUS.len())),
                Some(GroupKind::Port) => Some((port(raw[0]), 1)),
                _ => None,
            };
            if let Some((event, words)) = simple {
                raw = &raw[words..];
                if !sink(sm, cycle, event) {
                    return Ok(false);
                }
                continue;
            }
            let Some(index) = self.layouts.iter().position(|l| Some(l.kind) == kind && l.sm == sm) else {
                return Err("the simulation reports an event the trace port does not have".into());
            };
            let n = self.layouts[index].words;
            let event = self.event(index, sm, cycle, &raw[..n])?;
            raw = &raw[n..];
            if let Some(event) = event {
                if !sink(sm, cycle, event) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn event(&mut self, index: usize, sm: usize, cycle: u64, words: &[u32]) -> Result<Option<TraceEvent>, String> {
        let f = Fields { layout: &self.layouts[index], words };
        let key = |warp: Field, slot: Field| (f.word(warp), f.word(slot));
        Ok(Some(match f.layout.kind {
            GroupKind::Retire => {
                return retire(&f, self.lanes, cycle, &mut self.open[sm]).map(|r| r.map(TraceEvent::Retire))
            }
            GroupKind::Load => {
                let mut data = [0; WARP_SIZE];
                let from = f.many(Field::LdData);
                data[..from.len().min(WARP_SIZE)].copy_from_slice(&from[..from.len().min(WARP_SIZE)]);
                TraceEvent::Load {
                    key: key(Field::LdWarp, Field::LdSlot),
                    entry: f.word(Field::LdRf),
                    mask: f.word(Field::LdMask),
                    data,
                }
            }
            GroupKind::Done => TraceEvent::Done(key(Field::DoneWarp, Field::DoneSlot)),
            GroupKind::Performed => TraceEvent::Performed(key(Field::PerfWarp, Field::PerfSlot)),
            GroupKind::Start => TraceEvent::Start(Start {
                cycle,
                warp: f.word(Field::StartWarp),
                block: f.word(Field::StartBlock),
                mask: f.word(Field::StartMask),
                ctaid: [f.word(Field::StartX), f.word(Field::StartY)],
                index: f.word(Field::StartIndex),
                rf: f.word(Field::StartRf),
            }),
            GroupKind::Exit => TraceEvent::Exit(f.word(Field::ExitWarp)),
            GroupKind::Issue => {
                TraceEvent::Issue { key: key(Field::IssueWarp, Field::IssueSlot), pc: f.word(Field::IssuePc) }
            }
            GroupKind::Request => TraceEvent::Request,
            GroupKind::Stall | GroupKind::Status | GroupKind::Port => {
                unreachable!("they have no layout")
            }
        }))
    }
}

/// The cause of a stall by the number of its counter.
fn stall(counter: u32) -> Option<StallCause> {
    StallCause::from_number(u8::try_from(counter).ok()?)
}

fn status(raw: &[u32]) -> TraceEvent {
    let mut status = Status::default();
    for (field, word) in STATUS.into_iter().zip(raw) {
        match field {
            Field::AtLive => status.live = *word,
            Field::AtBlocked => status.blocked = *word,
            Field::AtHazard => status.hazard = *word,
            Field::AtHazardLoad => status.load = *word,
            Field::AtHazardSfu => status.sfu = *word,
            Field::AtUnfetched => status.unfetched = *word,
            Field::AtWaiting => status.waiting = *word,
            Field::StallCounter => status.stall = stall(*word),
            Field::HeldPc => status.held_pc = *word,
            _ => {}
        }
    }
    TraceEvent::Status(status)
}

fn port(used: u32) -> TraceEvent {
    let bit = |n: u32| used >> n & 1 == 1;
    TraceEvent::Port { taken: bit(0), write: bit(1), answered: bit(2) }
}

/// Adds one beat; gives the record when it is the last.
fn retire(
    f: &Fields<'_>, lanes: usize, cycle: u64, open: &mut Option<Box<RtlRecord>>,
) -> Result<Option<Box<RtlRecord>>, String> {
    let (first, last) = (f.flag(Field::First), f.flag(Field::Last));
    let (warp, pc) = (f.word(Field::Warp), f.word(Field::Pc));
    let pass = f.word(Field::Pass) as usize & 3;
    if first {
        if let Some(r) = open.take() {
            return Err(format!(
                "a record begins (warp {warp}, pc 0x{pc:x}) before the one of warp {}, pc 0x{:x} has ended",
                r.warp, r.pc
            ));
        }
        let word = f.many(Field::Word);
        *open = Some(Box::new(RtlRecord {
            warp,
            slot: f.word(Field::Slot),
            block: f.word(Field::Block),
            pc,
            word: [word.first().copied().unwrap_or(0), word.get(1).copied().unwrap_or(0)],
            active: f.word(Field::Active),
            dst: Destination::from_number(f.word(Field::Dst) & 3),
            reg: f.word(Field::Reg),
            half: f.word(Field::Half),
            flags_we: f.flag(Field::FlagsWe),
            cc: f.word(Field::Cc),
            predicate: f.word(Field::AReg),
            mem: MemoryAccess::from_number(f.word(Field::Mem)),
            depth: f.word(Field::Depth),
            ..RtlRecord::default()
        }));
    }
    let Some(r) = open.as_mut() else { return Err(format!("a beat of warp {warp}, pc 0x{pc:x} belongs to no record")) };
    if (r.warp, r.pc) != (warp, pc) {
        return Err(format!(
            "a beat of warp {warp}, pc 0x{pc:x} lies inside the record of warp {}, pc 0x{:x}",
            r.warp, r.pc
        ));
    }
    let at = (f.word(Field::BeatNumber) as usize * lanes).min(WARP_SIZE - lanes);
    let exec = f.word(Field::Exec);
    r.cycle = cycle;
    r.beats += 1;
    r.passes = r.passes.max(pass + 1);
    if pass == 0 {
        r.exec |= exec << at;
    }
    // Predicates of a comparison of pairs come with the last pass.
    r.flags_we |= f.flag(Field::FlagsWe);
    if pass == 0 || f.flag(Field::FlagsWe) {
        let flags = f.many(Field::Flags);
        for l in 0..lanes {
            r.flags[at + l] = (flags.get(l / 8).copied().unwrap_or(0) >> (4 * (l % 8))) as u8 & 15;
        }
    }
    // The step of an address register comes with the last pass.
    if f.flag(Field::PostInc) {
        r.post_increment = f.word(Field::AReg);
        let values = f.many(Field::ARegValue);
        for l in 0..lanes {
            r.post_increment_values[at + l] = values.get(l / 2).copied().unwrap_or(0) >> (16 * (l % 2)) & 0xffff;
        }
    }
    for (to, field) in
        [(&mut r.y[pass], Field::Y), (&mut r.address[pass], Field::Addr), (&mut r.data[pass], Field::Data)]
    {
        // Lanes that do not execute mean nothing; those of a special function come in several beats.
        for (l, value) in f.many(field).iter().enumerate().take(lanes) {
            if exec >> l & 1 == 1 {
                to[at + l] = *value;
            }
        }
    }
    Ok(if last { open.take() } else { None })
}

/// Last known state of one warp slot.
#[derive(Clone, Debug)]
struct Seen {
    start: Start,
    last: Option<(u64, u32, [u32; 2], u32)>,
    outstanding: Vec<u32>,
    finished: bool,
}

/// Follows the trace port without a model: where each warp is.
pub struct Watch {
    collector: Collector,
    warps: Vec<Vec<Option<Seen>>>,
    stall: Vec<Option<StallCause>>,
    fault: Option<String>,
}

impl Watch {
    /// A watch for a chip.
    pub(crate) fn new(chip: &Chip) -> Self {
        let (sms, warps) = (chip.info.sms as usize, chip.info.warps as usize);
        Watch {
            collector: Collector::of(chip),
            warps: vec![vec![None; warps]; sms],
            stall: vec![None; sms],
            fault: None,
        }
    }

    /// Takes raw events.
    pub fn take(&mut self, raw: &[u32]) {
        let Watch { collector, warps, stall, fault } = self;
        let result = collector.take(raw, |sm, cycle, event| {
            watch(&mut warps[sm], &mut stall[sm], cycle, &event);
            true
        });
        if let Err(e) = result {
            fault.get_or_insert(e);
        }
    }

    /// Says which warps are where after nothing retired in `cycles` cycles.
    pub fn explain(&self, cycles: u64, launch: &Launch) -> String {
        let mut out = String::new();
        let per_block = launch.warps_per_block();
        let mut any = false;
        for (sm, warps) in self.warps.iter().enumerate() {
            let live: Vec<_> = warps
                .iter()
                .enumerate()
                .filter_map(|(slot, w)| Some((slot, w.as_ref().filter(|w| !w.finished)?)))
                .collect();
            for (slot, w) in &live {
                any = true;
                let _ = write!(
                    out,
                    "cosim: no retire from warp {} of block ({}, {}) in {cycles} cycles; ",
                    w.start.index, w.start.ctaid[0], w.start.ctaid[1]
                );
                let bar = |w: &Seen| {
                    w.last
                        .filter(|(_, pc, word, _)| instruction::of(launch, *pc, *word).is_some_and(|i| i.barrier))
                        .map(|(_, pc, ..)| pc)
                };
                match w.last {
                    None => out.push_str("started and has retired nothing"),
                    Some((cycle, pc, word, active)) => {
                        let what = instruction::text(launch, pc, word);
                        if bar(w).is_some() {
                            let mates: Vec<_> = live.iter().filter(|(_, m)| m.start.block == w.start.block).collect();
                            let there = mates.iter().filter(|(_, m)| bar(m).is_some()).count();
                            let _ = write!(
                                out,
                                "waiting at pc 0x{pc:x} ({what}), {there} of {} warps arrived",
                                mates.len()
                            );
                            if mates.len() < per_block as usize {
                                let _ = write!(out, " ({} finished)", per_block as usize - mates.len());
                            }
                        } else {
                            let _ = write!(
                                out,
                                "last retired pc 0x{pc:x} ({what}) at cycle {cycle}, active mask 0x{active:08x}"
                            );
                        }
                        if !w.outstanding.is_empty() {
                            let _ = write!(out, "; {} memory instructions outstanding", w.outstanding.len());
                        }
                    }
                }
                let _ = writeln!(out, " (SM {sm}, slot {slot})");
            }
            if let (Some(cause), false) = (self.stall[sm], live.is_empty()) {
                let _ = writeln!(out, "cosim: SM {sm} stalls because of: {}", cause.name());
            }
        }
        if !any {
            let _ = writeln!(out, "cosim: no retire in {cycles} cycles and no warp is live: the chip does not finish or does not start blocks");
        }
        if let Some(f) = &self.fault {
            let _ = writeln!(out, "cosim: the trace port is inconsistent: {f}");
        }
        out.pop();
        out
    }
}

fn watch(warps: &mut [Option<Seen>], stall: &mut Option<StallCause>, cycle: u64, event: &TraceEvent) {
    let number = match event {
        TraceEvent::Start(s) => s.warp,
        TraceEvent::Retire(r) => r.warp,
        TraceEvent::Done((w, _)) | TraceEvent::Exit(w) => *w,
        TraceEvent::Stall(s) => {
            *stall = *s;
            return;
        }
        _ => return,
    };
    let Some(place) = warps.get_mut(number as usize) else { return };
    if let TraceEvent::Start(s) = event {
        *place = Some(Seen { start: *s, last: None, outstanding: vec![], finished: false });
        return;
    }
    let Some(w) = place else { return };
    match event {
        TraceEvent::Retire(r) => {
            w.last = Some((cycle, r.pc, r.word, r.active));
            if r.is_completed_later() {
                w.outstanding.push(r.slot);
            }
        }
        TraceEvent::Done((_, slot)) => {
            if let Some(i) = w.outstanding.iter().position(|s| s == slot) {
                w.outstanding.remove(i);
            }
        }
        TraceEvent::Exit(_) => w.finished = true,
        _ => {}
    }
}
