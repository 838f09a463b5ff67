//! A sanitizer for kernels: sees every instruction of the golden model and finds what is wrong with a run whose
//! results may be right.
//!
//! | finding   | rule |
//! |-----------|------|
//! | race      | two accesses to a byte, one of which writes, and no order binds them: threads of a warp are ordered by their instructions, warps of a block by barriers, all warps by atomic accesses to the same word |
//! | bounds    | a byte outside the launch's buffers, or the program's variables in shared memory |
//! | barrier   | not all threads of the block come to it |
//! | undefined | a value that the program never wrote decides a branch, an address, or what is stored |
//!
//! [`Check`] watches a [`Model`](warpsmith_model::Model), alone or beside a chip; [`Check::finish`] gives the
//! [`Findings`].

#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod barrier;
mod clock;
mod finding;
mod place;
mod shadow;

pub use finding::{At, Finding, Findings, Kind, Side, Unexecuted};
pub use place::{Part, Thread};

use barrier::Barriers;
use clock::{Stamp, Time};
use place::Map;
use shadow::{Act, Clash, Earlier, Me, Shadow, Told};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use warpsmith_isa::uop::Op as Uop;
use warpsmith_isa::{decode_in, Isa, Op};
use warpsmith_model::undefined::Places;
use warpsmith_model::watch::{Access, Observed, Shared, Touch, Watch};
use warpsmith_model::{Launch, Trap, TrapCause};

/// A block that runs.
#[derive(Clone, Debug)]
struct Block {
    /// What each of its warps knows.
    times: Vec<Time>,
    shared: Shadow,
    barriers: Barriers,
}

/// What makes a finding another one: kind, instructions, memory.
type Key = (Kind, u32, u32, Shared);

/// The sanitizer of one launch. A clone goes on from where it is.
#[derive(Clone, Debug)]
pub struct Check {
    launch: Arc<Launch>,
    map: Map,
    blocks: HashMap<u32, Block>,
    global: Shadow,
    /// Where in the maps of shared and global memory the last access was.
    hints: [usize; 2],
    found: Vec<Finding>,
    known: BTreeMap<Key, usize>,
    /// By byte address.
    executed: Vec<bool>,
}

/// Findings of a launch at most; more are not kept.
const MOST: usize = 1000;

impl Check {
    /// Of a launch that is about to start.
    pub fn new(launch: &Launch) -> Self {
        Check {
            map: Map::new(launch),
            blocks: HashMap::new(),
            global: Shadow::new(has_atomics(launch)),
            hints: [0; 2],
            found: Vec::new(),
            known: BTreeMap::new(),
            executed: vec![false; launch.program.bytes.len()],
            launch: Arc::new(launch.clone()),
        }
    }

    /// What was found, with the places that depend on undefined values, and the trap that ended the run.
    pub fn finish(mut self, undefined: &Places, trap: Option<&Trap>) -> Findings {
        for f in undefined.list() {
            let thread = self.map.thread(self.map.number(f.ctaid), f.warp, f.lane);
            let text = f.text(self.launch.isa());
            // Block and lane are said in another way.
            let why = text.rsplit_once(" (block").map_or(text.as_str(), |t| t.0).to_string();
            let side = Side { at: self.at(f.pc), does: "uses it", thread };
            self.add((Kind::Undefined, f.pc, f.used as u32, Shared::Global), None, vec![side], why);
        }
        if let Some(t) = trap {
            self.trapped(t);
        }
        Findings { unexecuted: self.unexecuted(), list: self.found }
    }

    fn trapped(&mut self, t: &Trap) {
        let kind = match t.cause {
            TrapCause::OutOfRange => Kind::OutOfBounds,
            TrapCause::MisalignedAccess => Kind::Misaligned,
            TrapCause::Null => Kind::Null,
            TrapCause::BarrierDeadlock => Kind::BarrierDivergence,
            _ => return,
        };
        let memory = t.access.map(|a| (a.space, a.address)).and_then(|(space, address)| match space {
            warpsmith_model::Space::Shared => Some((Shared::Block, address)),
            warpsmith_model::Space::Global => Some((Shared::Global, address)),
            _ => None,
        });
        let part = memory.filter(|_| kind != Kind::Null).map(|(m, a)| self.map.part(m, a));
        let thread = self.map.thread(self.map.number(t.ctaid), t.warp, t.lane);
        let does = if kind == Kind::BarrierDivergence { "waits" } else { "stops" };
        let side = Side { at: self.at(t.pc), does, thread };
        let why = match t.access {
            Some(a) => {
                format!("an access of {} bytes at {:#x} of {}: {}", a.bytes, a.address, a.space, t.cause.explain())
            }
            None => t.cause.explain().to_string(),
        };
        self.add((kind, t.pc, 0, Shared::Global), part, vec![side], why);
    }

    /// An instruction for a reader.
    fn at(&self, pc: u32) -> At {
        let text = self.launch.program.at(pc);
        let text = text.map(|i| self.launch.program.set().print(&i, pc.into()));
        let line = self.launch.source.at(pc).map(|(file, line)| {
            let name = file.file_name().map_or_else(|| file.to_string_lossy(), |n| n.to_string_lossy());
            (name.into_owned(), line)
        });
        At { pc, line, text: text.unwrap_or_else(|| "no instruction".into()) }
    }

    fn side(&self, s: &Stamp, does: &'static str) -> Side {
        Side { at: self.at(s.pc), does, thread: self.map.thread(s.block, s.warp.into(), s.lane.into()) }
    }

    fn add(&mut self, key: Key, part: Option<Part>, sides: Vec<Side>, why: String) {
        if let Some(n) = self.known.get(&key) {
            self.found[*n].count += 1;
        } else if self.found.len() < MOST {
            self.known.insert(key, self.found.len());
            self.found.push(Finding { kind: key.0, sides, part, why, count: 1 });
        }
    }

    /// Counts a finding that is already there.
    fn again(&mut self, key: Key) -> bool {
        match self.known.get(&key) {
            Some(n) => {
                self.found[*n].count += 1;
                true
            }
            None => self.found.len() >= MOST,
        }
    }

    /// Takes a block into hand when its first instruction comes.
    fn begin(&mut self, number: u32) {
        let warps = self.map.warps() as usize;
        self.blocks.entry(number).or_insert_with(|| Block {
            times: (0..warps).map(|w| Time::start(warps, w)).collect(),
            // Only warps of one block share it: they meet at barriers and locks.
            shared: Shadow::new(true),
            barriers: Barriers::new(warps),
        });
    }

    fn access(&mut self, number: u32, i: &Observed<'_>, access: &Access) {
        self.bounds(number, i, access);
        self.within_instruction(number, i, access);
        let Some(block) = self.blocks.get_mut(&number) else { return };
        let (warp, memory) = (i.warp as usize, access.memory);
        let shadow = match memory {
            Shared::Block => &mut block.shared,
            Shared::Global => &mut self.global,
        };
        let acquires = matches!(access.touch, Touch::Atomic | Touch::Lock);
        if acquires {
            learn(shadow, number, &mut block.times[warp], access);
        }
        let time = &block.times[warp];
        let mut stamp = Stamp { clock: time.now(warp), block: number, pc: i.pc, warp: i.warp as u16, lane: 0 };
        let mut clashes: Vec<(Stamp, Clash)> = Vec::new();
        for l in lanes(access.lanes) {
            stamp.lane = l as u8;
            let act = match access.touch {
                Touch::Load => Act::Read,
                Touch::Store => Act::Write(access.values[l]),
                _ => Act::Atomic,
            };
            let found = shadow.access(&Me { stamp, time }, act, access.addresses[l], access.bytes);
            clashes.extend(found.map(|c| (stamp, c)));
        }
        let releases = matches!(access.touch, Touch::Atomic | Touch::Reduction | Touch::Unlock);
        if releases {
            let told = Arc::new(time.clone());
            for l in lanes(access.lanes) {
                stamp.lane = l as u8;
                shadow.tell(&Me { stamp, time }, &told, access.addresses[l]);
            }
            block.times[warp].tick(warp);
        }
        for (stamp, clash) in clashes {
            self.race(access, &stamp, &clash);
        }
    }

    fn race(&mut self, access: &Access, stamp: &Stamp, clash: &Clash) {
        let key = (Kind::Race, stamp.pc, clash.other.pc, access.memory);
        if self.map.is_hidden(access.memory, clash.address) || self.again(key) {
            return;
        }
        let earlier = match clash.earlier {
            Earlier::Read => "reads",
            Earlier::Write => "writes",
            Earlier::Atomic => "updates",
        };
        let sides = vec![self.side(stamp, does(access.touch)), self.side(&clash.other, earlier)];
        let why = match access.memory {
            Shared::Block => "no barrier lies between",
            Shared::Global if stamp.block == clash.other.block => "no barrier lies between",
            Shared::Global => "nothing orders the two blocks",
        };
        self.add(key, Some(self.map.part(access.memory, clash.address)), sides, why.into());
    }

    /// Lanes of one store that write different values to one byte.
    fn within_instruction(&mut self, number: u32, i: &Observed<'_>, access: &Access) {
        if access.touch != Touch::Store {
            return;
        }
        let Some((a, b, address)) = disagreement(access) else { return };
        let key = (Kind::Race, i.pc, i.pc, access.memory);
        if self.map.is_hidden(access.memory, address) || self.again(key) {
            return;
        }
        let side = |l: u32| Side { at: self.at(i.pc), does: "writes", thread: self.map.thread(number, i.warp, l) };
        let sides = vec![side(a), side(b)];
        let part = self.map.part(access.memory, address);
        self.add(key, Some(part), sides, "two threads of one store, with different values".into());
    }

    fn bounds(&mut self, number: u32, i: &Observed<'_>, access: &Access) {
        let stores = !matches!(access.touch, Touch::Load);
        let hint = &mut self.hints[usize::from(access.memory == Shared::Global)];
        let (map, memory, bytes) = (&self.map, access.memory, access.bytes);
        let outside = |l: &usize| !map.is_inside(memory, stores, access.addresses[*l], bytes, hint);
        let Some(l) = lanes(access.lanes).find(outside) else { return };
        let key = (Kind::OutOfBounds, i.pc, 0, memory);
        if self.again(key) {
            return;
        }
        let side =
            Side { at: self.at(i.pc), does: does(access.touch), thread: self.map.thread(number, i.warp, l as u32) };
        let mut part = self.map.part(memory, access.addresses[l]);
        if (part.offset as u64) < part.bytes {
            // It begins inside and ends outside.
            let over = part.offset as u64 + u64::from(bytes) - part.bytes;
            self.add(key, Some(part), vec![side], format!("an access of {bytes} bytes, {over} of them behind its end"));
            return;
        }
        if memory == Shared::Block && access.addresses[l] < self.map.given() {
            part = Part { name: None, ..part };
            self.add(key, Some(part), vec![side], "where the launch's own words and parameters lie".into());
            return;
        }
        self.add(key, Some(part), vec![side], format!("an access of {bytes} bytes"));
    }

    fn barrier(&mut self, number: u32, i: &Observed<'_>) {
        let Some(block) = self.blocks.get_mut(&number) else { return };
        let warp = i.warp as usize;
        let present = self.map.present(i.warp);
        if let Some(b) = i.barrier {
            block.barriers.come(b, i, &mut block.times[warp], number);
            let missing = present & !i.active;
            if missing != 0 && b.wait && !self.map.warps_are_threads() {
                let why = format!(
                    "{} of {} threads of warp {warp} come to the barrier",
                    (present & i.active).count_ones(),
                    present.count_ones()
                );
                self.diverged(number, (i.pc, i.warp, i.active & present), Some(missing.trailing_zeros()), why);
            }
        }
        let Some(block) = self.blocks.get_mut(&number) else { return };
        let Block { barriers, times, .. } = block;
        if i.finished {
            barriers.end(warp);
        }
        for what in barriers.release(i.released, times, number) {
            let lanes = self.map.present(what.warp);
            self.diverged(number, (what.pc, what.warp, lanes), None, what.why);
        }
    }

    /// A barrier at `pc` to which lanes `came` of a warp have come, `missing` has not.
    fn diverged(&mut self, number: u32, (pc, warp, came): (u32, u32, u32), missing: Option<u32>, why: String) {
        let key = (Kind::BarrierDivergence, pc, 0, Shared::Block);
        if self.again(key) {
            return;
        }
        let side = |lane, does| Side { at: self.at(pc), does, thread: self.map.thread(number, warp, lane) };
        let mut sides = vec![side(came.trailing_zeros().min(31), "comes to it")];
        sides.extend(missing.map(|lane| side(lane, "does not")));
        self.add(key, None, sides, why);
    }

    /// Instructions that nobody executed.
    fn unexecuted(&self) -> Unexecuted {
        let mut u = Unexecuted::default();
        let mut lines: BTreeMap<(String, u32), bool> = BTreeMap::new();
        let mut pc = 0u32;
        while let Some(instr) = self.launch.program.at(pc) {
            let ran = self.executed.get(pc as usize).copied().unwrap_or(false);
            u.of += 1;
            u.instructions += usize::from(!ran);
            if let Some(line) = self.at(pc).line {
                *lines.entry(line).or_default() |= ran;
            }
            pc += (instr.code.len() as u32).max(1);
        }
        for ((file, line), ran) in lines {
            match u.lines.last_mut() {
                _ if ran => {}
                Some((f, list)) if *f == file => list.push(line),
                _ => u.lines.push((file, vec![line])),
            }
        }
        u
    }
}

impl Watch for Check {
    fn see(&mut self, i: &Observed<'_>) {
        if let Some(ran) = self.executed.get_mut(i.pc as usize) {
            *ran = true;
        }
        if i.accesses.is_empty() && i.barrier.is_none() && !i.finished {
            return;
        }
        let number = self.map.number(i.ctaid);
        self.begin(number);
        for access in i.accesses {
            self.access(number, i, access);
        }
        if i.barrier.is_some() || i.finished {
            self.barrier(number, i);
            if self.blocks.get(&number).is_some_and(|b| b.barriers.all_ended()) {
                self.blocks.remove(&number);
            }
        }
    }
}

/// Whether blocks of a launch may meet at atomic accesses.
fn has_atomics(launch: &Launch) -> bool {
    let (set, mut pc) = (launch.program.set(), 0u32);
    while let Some(i) = launch.program.at(pc) {
        let atomic = match launch.isa() {
            Isa::Sm10 => {
                let bits = i.code.bits() as u64;
                let decoded = decode_in(launch.program.semantics, bits as u32, (bits >> 32) as u32);
                decoded.is_ok_and(|i| matches!(i.op, Op::Atomic { .. }))
            }
            _ => set.lower(&i, pc.into()).is_ok_and(|l| l.uops.iter().any(|u| matches!(u.op, Uop::Atomic(..)))),
        };
        if atomic {
            return true;
        }
        pc += (i.code.len() as u32).max(1);
    }
    false
}

/// A warp learns what those knew that came to the words of an access before.
fn learn(shadow: &Shadow, number: u32, time: &mut Time, access: &Access) {
    let told: Vec<Told> = lanes(access.lanes).flat_map(|l| shadow.told(number, time, access.addresses[l])).collect();
    told.iter().for_each(|t| t.learn(number, time));
}

fn does(touch: Touch) -> &'static str {
    match touch {
        Touch::Load => "reads",
        Touch::Store => "writes",
        _ => "updates",
    }
}

fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |l| mask >> l & 1 == 1)
}

/// Two lanes of a store that write different values to one byte, and that byte.
fn disagreement(access: &Access) -> Option<(u32, u32, u32)> {
    let mut list: Vec<(u32, u32)> = lanes(access.lanes).map(|l| (access.addresses[l], l as u32)).collect();
    let apart = |w: &[(u32, u32)]| u64::from(w[0].0) + u64::from(access.bytes) <= u64::from(w[1].0);
    if list.windows(2).all(apart) {
        return None;
    }
    list.sort_unstable();
    let byte =
        |(at, l): (u32, u32), address: u32| access.values[l as usize].to_le_bytes()[((address - at) & 7) as usize];
    list.windows(2).find_map(|w| {
        let end = u64::from(w[0].0) + u64::from(access.bytes);
        let both = u64::from(w[1].0)..end;
        let mut differ = both.map(|a| a as u32).filter(|a| byte(w[0], *a) != byte(w[1], *a));
        differ.next().map(|a| (w[0].1, w[1].1, a))
    })
}
