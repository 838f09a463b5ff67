//! Lockstep: every instruction the chip retires, the model's warp executes too, and both are compared.
//!
//! Within an SM the model follows the chip's order of retirement. Between SMs global memory decides:
//! a global access at the head of an SM's queue waits until the chip has performed it, so that the
//! model's accesses happen in the chip's order and races raise no false alarm.

pub mod collect;
pub mod compare;
mod later;
pub mod report;

use crate::coverage::Coverage;
use crate::instruction::{self, ADDRESSES, CONDITIONS, WRITERS};
use collect::{Destination, RtlRecord, Start, TraceEvent};
use compare::{compare, Field, Mismatch, Origin};
use later::{Expected, Geometry, Load};
use report::{Difference, RetireDifference, Subject, Writer};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use warpsmith_check::{Check, Findings};
use warpsmith_isa::{decode_in, Instr, Isa, Options};
use warpsmith_model::undefined::{Beside, Places};
use warpsmith_model::uop::{Program, Rules};
use warpsmith_model::watch::{Accesses, Watch};
use warpsmith_model::{half_of, BlockId, Launch, Model, ModelConfig, Retired, RetiredDst, StepError, Trap, TrapCause};

/// A warp slot's present tenant.
#[derive(Clone, Copy, Debug)]
struct Tenant {
    block: BlockId,
    ctaid: [u32; 2],
    index: u32,
    rf: u32,
    /// Number in `Lockstep::warps`.
    number: usize,
}

/// What the report needs of a warp.
#[derive(Clone)]
struct WarpLog {
    writers: Vec<Option<Writer>>,
    exited: bool,
    tenant: Tenant,
}

#[derive(Clone)]
struct Queued {
    record: Box<RtlRecord>,
    tenant: Tenant,
}

/// A load or store between the pipeline and its completion.
#[derive(Clone, Default)]
struct Outstanding {
    retired: bool,
    stepped: bool,
    performed: bool,
    done: bool,
    loads: Vec<Load>,
    expected: Option<Awaited>,
}

/// What a load must deliver, and whose it is.
#[derive(Clone)]
struct Awaited {
    expected: Expected,
    record: Box<RtlRecord>,
    tenant: Tenant,
    retire: u64,
}

#[derive(Clone, Default)]
struct Sm {
    tenants: Vec<Option<Tenant>>,
    blocks: HashMap<u32, ([u32; 2], BlockId, u32)>,
    queue: VecDeque<Queued>,
    outstanding: HashMap<(u32, u32), VecDeque<Outstanding>>,
}

/// The lockstep of one launch. A clone goes on from where it is.
#[derive(Clone)]
pub struct Lockstep<'a> {
    launch: &'a Launch,
    options: Options,
    machine: Model,
    /// The instructions of a set beside SM 1.0.
    program: Option<Arc<Program>>,
    lanes: usize,
    /// Warps of a block.
    per_block: u32,
    sms: Vec<Sm>,
    warps: Vec<WarpLog>,
    started: HashSet<[u32; 2]>,
    retired: u64,
    model: Retired,
    decoded: Vec<Option<Option<Instr>>>,
    replay: String,
    /// What the chip reports some cycles after the instruction has retired: deadlocks, and traps of the
    /// divergence stack. Until the chip has stopped, all blocks but theirs go on.
    traps: Vec<Trap>,
    /// Looks for what is wrong with the program.
    check: Option<Check>,
    /// Coverage of what was compared.
    pub coverage: Coverage,
}

impl<'a> Lockstep<'a> {
    /// A lockstep for `launch` on a chip of `sms` SMs with `lanes` lanes; `replay` is the command
    /// that reports print.
    pub fn new(launch: &'a Launch, config: ModelConfig, lanes: usize, sms: usize, replay: String) -> Self {
        let sms = (0..sms).map(|_| Sm { tenants: vec![None; 32], ..Sm::default() }).collect();
        Lockstep {
            program: match launch.isa() {
                Isa::Sm10 => None,
                isa => {
                    let rules = Rules { mutant: config.mutant, chip: Some(config.options), ..Rules::default() };
                    Some(Arc::new(Program::with(isa.set(), &launch.program.bytes, rules)))
                }
            },
            machine: Model::new(launch, ModelConfig { tracked: true, chip: true, ..config }),
            launch,
            options: config.options,
            lanes,
            per_block: launch.warps_per_block(),
            sms,
            warps: vec![],
            started: HashSet::new(),
            retired: 0,
            model: Retired::default(),
            decoded: match launch.isa() {
                Isa::Sm10 => vec![None; launch.program.len() as usize / 4],
                _ => vec![],
            },
            replay,
            traps: vec![],
            check: None,
            coverage: Coverage::default(),
        }
    }

    /// A lockstep that also looks for what is wrong with the program, in the order in which the chip executes it.
    #[must_use]
    pub fn checked(self, check: Option<Check>) -> Self {
        let accesses = if check.is_some() { Accesses::wanted() } else { Accesses::default() };
        Lockstep { model: Retired { accesses, ..self.model }, check, ..self }
    }

    /// What is wrong with the program, where that was looked for; nothing more is looked for.
    pub fn findings(&mut self) -> Option<Findings> {
        let check = self.check.take()?;
        let state = self.machine.state();
        Some(check.finish(&state.undefined, state.trap.as_ref()))
    }

    /// Instructions compared so far.
    pub fn retired(&self) -> u64 {
        self.retired
    }

    /// The model.
    pub fn machine(&self) -> &Model {
        &self.machine
    }

    /// Places of the program that depend on undefined values.
    pub fn undefined(&self) -> Places {
        self.machine.state().undefined
    }

    /// Takes one trace event.
    ///
    /// # Errors
    /// The first difference.
    pub fn take(&mut self, sm: usize, cycle: u64, event: TraceEvent) -> Result<(), Difference> {
        match event {
            TraceEvent::Start(s) => self.start(sm, &s)?,
            TraceEvent::Retire(record) => {
                let Some(tenant) = self.tenant(sm, record.warp) else {
                    return Err(self.other(Subject::Warps, format!("rtl retires pc 0x{:x} from warp slot {} of SM {sm} (cycle {cycle}), where no warp was started", record.pc, record.warp)));
                };
                if record.is_completed_later() {
                    let q = self.sms[sm].outstanding.entry((record.warp, record.slot)).or_default();
                    entry(q, |o| !o.retired).retired = true;
                }
                self.sms[sm].queue.push_back(Queued { record, tenant });
            }
            TraceEvent::Performed(key) => {
                entry(self.sms[sm].outstanding.entry(key).or_default(), |o| !o.performed).performed = true
            }
            TraceEvent::Load { key, entry: rf, mask, data } => {
                entry(self.sms[sm].outstanding.entry(key).or_default(), |o| !o.done).loads.push((rf, mask, data))
            }
            TraceEvent::Done(key) => {
                let o = entry(self.sms[sm].outstanding.entry(key).or_default(), |o| !o.done);
                (o.done, o.performed) = (true, true);
                self.settle(sm, key)?;
            }
            TraceEvent::Exit(warp) => {
                if let Some(t) = self.tenant(sm, warp) {
                    self.warps[t.number].exited = true;
                }
            }
            TraceEvent::Stall(_)
            | TraceEvent::Issue { .. }
            | TraceEvent::Request
            | TraceEvent::Status(_)
            | TraceEvent::Port { .. } => return Ok(()),
        }
        self.advance(sm, false)
    }

    fn tenant(&self, sm: usize, warp: u32) -> Option<Tenant> {
        *self.sms[sm].tenants.get(warp as usize)?
    }

    fn other(&self, subject: Subject, what: String) -> Difference {
        Difference::Other(subject, format!("cosim: {what}\n  replay: {}", self.replay))
    }

    fn start(&mut self, sm: usize, s: &Start) -> Result<(), Difference> {
        let [x, y] = s.ctaid;
        let place = format!("warp {} of block ({x}, {y}) in slot {} of SM {sm} (cycle {})", s.index, s.warp, s.cycle);
        if x >= self.launch.grid[0] || y >= self.launch.grid[1] {
            return Err(self.other(Subject::Blocks, format!("rtl starts {place}, outside the grid")));
        }
        if s.index >= self.per_block || s.warp as usize >= self.sms[sm].tenants.len() {
            return Err(self.other(Subject::Warps, format!("rtl starts {place}; a block has {} warps", self.per_block)));
        }
        let known =
            self.sms[sm].blocks.get(&s.block).copied().filter(|(c, _, seen)| *c == s.ctaid && seen >> s.index & 1 == 0);
        let id = match known {
            Some((_, id, seen)) => {
                self.sms[sm].blocks.insert(s.block, (s.ctaid, id, seen | 1 << s.index));
                id
            }
            None if self.started.insert(s.ctaid) => {
                let id = self.machine.start_block(s.ctaid);
                self.sms[sm].blocks.insert(s.block, (s.ctaid, id, 1 << s.index));
                id
            }
            None => {
                // A warp again in a block that still runs, or the whole block again.
                let running =
                    self.sms[sm].blocks.get(&s.block).is_some_and(|(c, id, _)| *c == s.ctaid && self.runs(*id));
                let subject = if running { Subject::Warps } else { Subject::Blocks };
                return Err(self.other(subject, format!("rtl starts {place} a second time")));
            }
        };
        let mask = self.machine.warp(id, s.index).map_or(0, |w| w.active);
        if mask != s.mask {
            return Err(self.other(
                Subject::Threads,
                format!("rtl starts {place} with threads {}, model {}", report::bits(s.mask), report::bits(mask)),
            ));
        }
        let tenant = Tenant { block: id, ctaid: s.ctaid, index: s.index, rf: s.rf, number: self.warps.len() };
        self.warps.push(WarpLog { writers: vec![None; WRITERS], exited: false, tenant });
        self.sms[sm].tenants[s.warp as usize] = Some(tenant);
        Ok(())
    }

    /// Steps the model through an SM's queue. `all`: without waiting for performed events, as after
    /// a trap, when the chip performs nothing more.
    fn advance(&mut self, sm: usize, all: bool) -> Result<(), Difference> {
        let several = self.sms.len() > 1;
        loop {
            let s = &mut self.sms[sm];
            let Some(head) = s.queue.front() else { return Ok(()) };
            if head.record.mem.is_global() && several && !all {
                let key = (head.record.warp, head.record.slot);
                let waiting = s.outstanding.get(&key).and_then(|q| q.iter().find(|o| o.retired && !o.stepped));
                if waiting.is_some_and(|o| !o.performed) {
                    return Ok(());
                }
            }
            let Some(q) = s.queue.pop_front() else { return Ok(()) };
            self.step(sm, q)?;
        }
    }

    fn step(&mut self, sm: usize, q: Queued) -> Result<(), Difference> {
        let Queued { record, tenant } = q;
        let depth = self.machine.warp(tenant.block, tenant.index).map_or(0, |w| w.depth);
        let mut model = std::mem::take(&mut self.model);
        let beside = beside(&record);
        let step = (self.machine).step(tenant.block, tenant.index, &mut model, Some(&beside));
        self.retired += 1;
        if let (Ok(()), Some(check)) = (&step, &mut self.check) {
            self.machine.observed(&model).iter().for_each(|o| check.see(o));
        }
        let found = match step {
            Ok(()) => {
                let instr = self.decoded(record.pc, record.word);
                let origin = self.origin(record.pc, instr.as_ref());
                compare(&record, &model, depth, origin, self.launch.isa())
            }
            // The divergence unit finds these beside the pipeline, so the instruction retires, and so
            // may others of its block until the chip stops. Whether it stops is checked at the end.
            Err(StepError::Trap(t))
                if matches!(t.cause, TrapCause::StackOverflow | TrapCause::StackUnderflow)
                    && (self.traps.contains(&t) || t.pc == record.pc) =>
            {
                if !self.traps.contains(&t) {
                    self.traps.push(t);
                }
                self.model = model;
                return Ok(());
            }
            Err(e) => {
                let at = self.machine.warp(tenant.block, tenant.index).map_or(0, |w| w.pc);
                let why = match e {
                    StepError::Trap(t) => format!("model: {t}"),
                    other => format!("model: {other}"),
                };
                return Err(self.retire_difference(
                    sm,
                    &record,
                    tenant,
                    Mismatch::warp(Field::Order, format!("({why}) pc"), at, record.pc),
                    None,
                    self.retired,
                ));
            }
        };
        if let Some(m) = found {
            return Err(self.retire_difference(sm, &record, tenant, m, Some(&model), self.retired));
        }
        self.traps.extend(model.deadlock);
        if let Some(i) = self.decoded(record.pc, record.word) {
            self.coverage.add(&i, &model, depth);
        }
        if let Some(slot) = self.program.as_ref().and_then(|p| p.at(record.pc).ok()) {
            (self.coverage).add_of_set((self.launch.isa(), self.options), slot, &model, depth);
        }
        self.log_writes(tenant, &model);
        if record.is_completed_later() {
            let key = (record.warp, record.slot);
            let retire = self.retired;
            let queue = self.sms[sm].outstanding.entry(key).or_default();
            let o = entry(queue, |o| !o.stepped);
            o.stepped = true;
            if let Some(expected) = Expected::of(&mut model, tenant.rf) {
                o.expected = Some(Awaited { expected, record, tenant, retire });
            }
            self.settle(sm, key)?;
        }
        if model.finished && !self.runs(tenant.block) {
            self.machine.retire_block(tenant.block);
        }
        self.model = model;
        Ok(())
    }

    /// Whether a block has a warp that has not ended.
    fn runs(&self, block: BlockId) -> bool {
        let warps = 0..self.launch.block.iter().product();
        warps.map_while(|w| self.machine.warp(block, w)).any(|w| !w.finished)
    }

    /// Where the value of the instruction comes from that was executed at `pc`; `instr`: it, in SM 1.0.
    fn origin(&self, pc: u32, instr: Option<&Instr>) -> Origin {
        match (instr, &self.program) {
            (Some(instr), _) => Origin::of(instr),
            (None, Some(program)) => program.at(pc).map_or(Origin::Pipeline, |slot| {
                let i = instruction::of_uops(self.launch.isa(), &slot.lowered);
                Origin::from_facts(i.special, i.clock)
            }),
            (None, None) => Origin::Pipeline,
        }
    }

    /// The instruction of SM 1.0; none of another set.
    fn decoded(&mut self, pc: u32, word: [u32; 2]) -> Option<Instr> {
        if self.launch.isa() != Isa::Sm10 {
            return None;
        }
        match self.decoded.get_mut(pc as usize / 4) {
            Some(slot) => *slot.get_or_insert_with(|| decode_in(self.launch.program.semantics, word[0], word[1]).ok()),
            None => decode_in(self.launch.program.semantics, word[0], word[1]).ok(),
        }
    }

    fn log_writes(&mut self, tenant: Tenant, model: &Retired) {
        if model.exec_mask == 0 {
            return;
        }
        let w = Some(Writer { retire: self.retired, pc: model.pc });
        let log = &mut self.warps[tenant.number].writers;
        match model.dst {
            RetiredDst::None => {}
            RetiredDst::Gpr { first, count } => {
                // Lanes of Ivy Bridge may share several registers a pass.
                let registers = count.saturating_mul(model.spread.step);
                (0..registers).for_each(|p| log[usize::from(first.saturating_add(p)).min(127)] = w)
            }
            RetiredDst::Half { reg, high, count } => {
                // Lanes of Ivy Bridge may share several registers.
                let last = half_of(reg + model.spread.step - 1, high, usize::from(count) - 1).0;
                (reg..=last).for_each(|r| log[usize::from(r).min(127)] = w);
            }
            RetiredDst::Addr { index } => log[ADDRESSES + usize::from(index & 7)] = w,
        }
        if let Some(c) = model.flags {
            log[CONDITIONS + usize::from(c & 3)] = w;
        }
        if let Some(a) = model.post_increment {
            log[ADDRESSES + usize::from(a & 7)] = w;
        }
        for p in model.predicates.iter().flat_map(|p| p.number).flatten() {
            log[CONDITIONS + usize::from(p & 7)] = w;
        }
    }

    /// Checks a load when it is both delivered and stepped, and forgets it.
    fn settle(&mut self, sm: usize, key: (u32, u32)) -> Result<(), Difference> {
        loop {
            let Some(queue) = self.sms[sm].outstanding.get_mut(&key) else { return Ok(()) };
            if !queue.front().is_some_and(|o| o.done && o.stepped) {
                return Ok(());
            }
            let Some(o) = queue.pop_front() else { return Ok(()) };
            let Some(x) = o.expected else { continue };
            let geometry = Geometry { isa: self.launch.isa(), lanes: self.lanes };
            if let Some(bad) = x.expected.differs(&o.loads, geometry) {
                return Err(self.retire_difference(sm, &x.record, x.tenant, bad, None, x.retire));
            }
            let Awaited { expected, tenant, .. } = &x;
            for (register, undefined, values) in expected.adopted(&o.loads, geometry) {
                let place = (register, expected.spread);
                self.machine.adopt(tenant.block, tenant.index, place, &undefined, &values);
            }
        }
    }

    fn retire_difference(
        &self, sm: usize, record: &RtlRecord, tenant: Tenant, mismatch: Mismatch, model: Option<&Retired>, retire: u64,
    ) -> Difference {
        let active = model.map_or(0, |m| m.active_mask);
        let log = &self.warps[tenant.number].writers;
        let instr = instruction::of(self.launch, record.pc, record.word).unwrap_or_default();
        Difference::Retire(Box::new(RetireDifference {
            sm,
            warp: tenant.index,
            ctaid: tenant.ctaid,
            grid_x: self.launch.grid[0],
            retire,
            cycle: record.cycle,
            pc: record.pc,
            place: self.launch.source.place(record.pc),
            isa: self.launch.isa(),
            text: match &instr.text[..] {
                "" => "undefined".into(),
                text => text.into(),
            },
            special: instr.special,
            word: record.word,
            expected: model.map_or(record.word, |m| m.word),
            active: [if active == 0 { record.active } else { active }, record.active],
            writers: (instr.reads.into_iter()).map(|(i, name)| (name, log[i])).collect(),
            mismatch,
            replay: self.replay.clone(),
        }))
    }

    /// The chip is done: every block must have run to its end on both sides.
    ///
    /// # Errors
    /// The first difference.
    pub fn finish(&mut self) -> Result<(), Difference> {
        for sm in 0..self.sms.len() {
            self.advance(sm, false)?;
            if let Some(q) = self.sms[sm].queue.front() {
                return Err(self.other(
                    Subject::Accesses,
                    format!(
                        "rtl is done, but never performed the memory access at pc 0x{:x} of warp {} of block ({}, {})",
                        q.record.pc, q.tenant.index, q.tenant.ctaid[0], q.tenant.ctaid[1]
                    ),
                ));
            }
            if let Some((key, o)) =
                self.sms[sm].outstanding.iter().filter_map(|(k, q)| Some((k, q.front()?))).min_by_key(|(k, _)| **k)
            {
                let what = if o.retired { "completed" } else { "retired" };
                return Err(self.other(
                    Subject::Accesses,
                    format!(
                        "rtl is done, but a memory access or special function of warp slot {} of SM {sm} never {what}",
                        key.0
                    ),
                ));
            }
        }
        if let Some(w) = self
            .warps
            .iter()
            .find(|w| !w.exited || self.machine.warp(w.tenant.block, w.tenant.index).is_some_and(|m| !m.finished))
        {
            let t = w.tenant;
            let side = if w.exited { "model" } else { "rtl" };
            return Err(self.other(
                Subject::Warps,
                format!(
                    "rtl is done, but warp {} of block ({}, {}) has not finished in the {side}",
                    t.index, t.ctaid[0], t.ctaid[1]
                ),
            ));
        }
        let blocks = self.launch.grid[0] as usize * self.launch.grid[1] as usize;
        let warps = blocks * self.per_block as usize;
        if self.started.len() != blocks || self.warps.len() != warps {
            return Err(self.other(
                Subject::Blocks,
                format!(
                    "rtl is done after {} of {blocks} blocks and {} of {warps} warps",
                    self.started.len(),
                    self.warps.len()
                ),
            ));
        }
        Ok(())
    }

    /// The chip trapped: the model must trap the same way. Gives the model's trap.
    ///
    /// # Errors
    /// The first difference.
    pub fn finish_trap(&mut self, trap: &crate::readout::RtlTrap) -> Result<Trap, Difference> {
        for sm in 0..self.sms.len() {
            self.advance(sm, true)?;
        }
        let tenant = self.tenant_of(trap);
        let warp = tenant.map(|t| t.index);
        let bytes = self.launch.program.bytes.len();
        let same = |model: &Trap| {
            model.cause.number() == trap.cause
                && model.ctaid == trap.ctaid
                && model.lane == trap.lane
                && (model.pc == trap.pc || stands_for(trap.pc, model, bytes))
                && Some(model.warp) == warp
        };
        if let Some(found) = self.traps.iter().find(|t| same(t)) {
            return Ok(*found);
        }
        let mut record = Retired::default();
        let stepped = tenant.map(|t| self.machine.step(t.block, t.index, &mut record, None));
        let model = match (stepped, self.traps.first()) {
            (Some(Err(StepError::Trap(found))), _) if same(&found) => return Ok(found),
            (Some(Err(StepError::Trap(found))), None) => found,
            (_, Some(found)) => *found,
            (None, None) => return Err(self.other(Subject::Trap, format!("rtl: {trap}, but no warp runs there"))),
            (Some(Err(e)), None) => return Err(self.other(Subject::Trap, format!("rtl: {trap}; model: {e}"))),
            (Some(Ok(())), None) => {
                return Err(self.other(
                    Subject::Trap,
                    format!(
                        "rtl: {trap}; model: executes pc 0x{:x} ({}) without a trap",
                        record.pc,
                        instruction::text(self.launch, record.pc, record.word)
                    ),
                ))
            }
        };
        let warp = warp.map_or("none".to_string(), |w| w.to_string());
        Err(self.other(
            Subject::Trap,
            format!("the traps differ\n  model: {model}\n  rtl:   {trap} (warp {warp} of its block)"),
        ))
    }

    fn tenant_of(&self, trap: &crate::readout::RtlTrap) -> Option<Tenant> {
        let sm = self.sms.get(trap.sm as usize)?;
        let t = (*sm.tenants.get(trap.slot as usize)?)?;
        (t.ctaid == trap.ctaid).then_some(t)
    }
}

/// The first entry that fits, or a new one at the end.
fn entry(queue: &mut VecDeque<Outstanding>, fits: impl Fn(&Outstanding) -> bool) -> &mut Outstanding {
    let i = queue.iter().position(fits).unwrap_or_else(|| {
        queue.push_back(Outstanding::default());
        queue.len() - 1
    });
    &mut queue[i]
}

/// What an instruction did on the chip, for the model that executes it.
fn beside(record: &RtlRecord) -> Beside<'_> {
    Beside {
        exec: record.exec,
        address: &record.address[0],
        data: &record.data,
        values: (record.dst != Destination::Pending).then_some(&record.y),
        lane: &record.y[0],
        flags: &record.flags,
        post_increment: &record.post_increment_values,
    }
}

/// A chip's pc of a fetch stands for the model's: the first address beyond the largest program stands for all that a pc
/// cannot hold. `bytes`: those of the program.
fn stands_for(pc: u32, model: &Trap, bytes: usize) -> bool {
    let beyond = pc.is_power_of_two() && pc as usize >= bytes;
    model.cause == TrapCause::Fetch && beyond && model.pc > pc
}

#[cfg(test)]
mod tests;
