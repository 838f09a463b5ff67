//! Stage W: registers, flags and address registers are written; results that come later use what is left
//! of the write port.
//!
//! | port           | width | meaning                                                          |
//! |----------------|-------|------------------------------------------------------------------|
//! | `e_*`          |       | the beat with its results, from the lanes                        |
//! | `results_*`    |       | results of special functions                                     |
//! | `load_*`       |       | loads' results                                                   |
//! | `init_*`       |       | R0 of a starting warp; of micro-operations all its registers     |
//! | `share_waits`  | 1     | a word of a starting block's header waits for shared memory      |
//! | `read`, `entry_i` |    | the front moves: registers that the beat in I reads              |
//! | `d1_l`, `d2_l`, `d3_l` | 32 | what it has read, in the next cycle                         |
//! | `result_*`     |       | registers that the lanes write, for forwarding                   |
//! | `condition_*`  |       | flags or predicates that are written                             |
//! | `areg_*`       |       | address registers that are written                               |
//! | `done_*`       |       | a special function is complete                                   |
//! | `late_*`       |       | what loads and special functions write, for the trace port       |
//! | `hold`, `gap`  | 1     | issue has to leave a gap of a cycle; it is made                  |
//! | `tr_*`         |       | the beat with what it writes, for the trace port                 |
//! | `mask_*`       |       | new execution masks, of G13                                      |
//!
//! Timing: combinational but for the registers; what is written is read in the next cycle. What comes later is written
//! in a cycle in which no beat writes; after `timing::PATIENCE` cycles it asks for one.
//! Reset: nothing waits. Errors: none.
//! Source: docs/architecture.md, The chip.

mod g13;

use super::bundles::{
    AddressRegisterWrite, BeatTag, Completion, ConditionWrite, DeferredWrite, LaneWrite, Loaded, ReadRegions,
    RegisterOperands, RegisterWrite, ResultBeat, RetiredBeat, SpecialResults, UniformWrite,
};
use super::execute::queue::To;
use super::execute::{in_quad, to_gpr};
use super::flags::LateFlags;
use super::timing::PATIENCE;
use crate::config::{GpuConfig, WARP};
use crate::front::conditions::{self, written_to};
use crate::front::lane;
use crate::front::registers::FrontRegisters;
use crate::rtl::prelude::*;
use crate::sm::dims::Dims;
use crate::sm::divergence::g13::MaskBeat;
use warpsmith_contract::trace::Destination;

block! {
    /// See the module.
    pub struct WriteBackStage(cfg: &GpuConfig) {
        part e(ResultBeat<Sink>: &d),
        part results(if d.sfus > 0; SpecialResults<Sink>: &d),
        part load(Loaded<Sink>: &d),
        part init(RegisterWrite<Sink>: &d),
        /// The starting warp, whose predicates become 0.
        in init_warp(if d.has.predicates; d.warp),
        in share_waits(1),
        in read(1),
        in entry([3] d.entry),
        part operands(RegisterOperands<Source>: &d),
        part result(if d.forward; LaneWrite<Source>: &d),
        part condition(if d.has.conditions; ConditionWrite<Source> = written_to(&d)),
        part areg(if d.has.address_registers; AddressRegisterWrite<Source>: &d),
        part done(Completion<Source>: &d),
        part deferred(DeferredWrite<Source>: &d),
        /// What is complete is an instruction, and no step of one; of Ivy Bridge.
        out done_shown(if d.has.channels && d.sfus > 0; 1),
        out hold(1),
        in gap(1),
        part retired(RetiredBeat<Source>: &d),
        part mask([d.has.execution_mask.bits(1)] MaskBeat<Source>: &d),
        part uniform(if d.has.sources; UniformWrite<Source>:),
        /// How the beat in I reads its registers, of Ivy Bridge.
        part regions(if d.has.channels; ReadRegions<Sink>: &d),
        part file(FrontRegisters: cfg),
        /// Cycles that something has waited for a gap.
        reg waited(4),
        /// Threads that a ballot has found; of G13 alone.
        data ballot(if d.has.exchange; WARP),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
    }
}

impl Rtl for WriteBackStage {
    fn rtl(&self) {
        let (d, e) = (&self._d, &self.e);
        let valid = get(&e.valid);
        let tag = BeatTag::unpack(d, "w", &get(&e.tag));
        let ys = get_all(&e.y);
        let ys = match self.ballot.get() {
            Some(register) => self.ballots(register, (&valid, &tag), &ys),
            None => lane::results(d, &tag, ys),
        };
        self.registers(&valid, &tag, &ys);

        let by_lanes = get_all(&e.conditions);
        let flags = conditions::found(d, &tag, &ys, &by_lanes);
        if let Some(to) = self.areg.get() {
            self.address_registers(to, (&valid, &tag), &ys);
        }
        let busy = &valid & &tag.flags_we;
        let (waits, late) = self.deferred_results(&busy);
        let starting = (&get(&self.init.valid), self.init_warp.get().map(get));
        let to = self.condition.get();
        let held_up =
            to.and_then(|to| conditions::write(to, starting, d, (&valid, &tag), (&flags, &by_lanes), late.as_ref()));
        self.starting_warp(held_up.as_ref());
        self.gaps(&waits, held_up);
        if let Some(to) = self.uniform.get() {
            self.uniform(to, (&valid, &tag), &ys);
        }
        if let Some(mask) = self.mask.first() {
            self.mask_beat(mask, (&valid, &tag), &ys);
        }

        let shown = match tag.channels(d, "shown") {
            // Of several steps the last.
            Some(channels) => &valid & !channels.goes_on,
            None => valid.clone(),
        };
        set(&self.retired.valid, shown);
        set(&self.retired.tag, get(&e.tag));
        set(&self.retired.y, pack(ys.iter()));
        set(&self.retired.flags, flags);
        set(&self.retired.next, get(&e.next));
        set(&self.retired.addr, get(&e.addr));
        set(&self.retired.data, get(&e.data));
    }
}

impl WriteBackStage {
    /// Registers that the lanes write, and those that stage I reads.
    fn registers(&self, valid: &Expr, tag: &BeatTag, ys: &[Expr]) {
        let file = self.file.ports();
        let to_gpr = wire("to_gpr", valid & to_gpr(&self._d, tag));
        let channels = tag.channels(&self._d, "w");
        let mask = wire("written", in_quad(tag));
        let halves = tag.dst_half.mux(&cat([&tag.dst_hi, &!&tag.dst_hi]), &lit(2, 3));
        let halves = wire("halves_written", halves);
        set(&file.alu.valid, get(&self.e.writes));
        set(&file.alu.entry, &tag.entry);
        set(&file.alu.mask, &mask);
        set(&file.alu.halves, &halves);
        for (y, port) in ys.iter().zip(&file.alu.data) {
            set(port, y);
        }
        if let Some(to) = self.result.get() {
            set(&to.valid, to_gpr);
            set(&to.entry, &tag.entry);
            set(&to.mask, mask);
            set(&to.halves, halves);
            for (y, port) in ys.iter().zip(&to.data) {
                set(port, y);
            }
        }
        self.file.of_channels(channels.as_ref(), &self._d.with_beat(&tag.warp, &tag.beat));
        self.file.read(&get(&self.read), &self.entry, self.regions.get());
        file.operands.pass_up(&self.operands);
    }

    /// Address registers: a destination, or a stepped one.
    fn address_registers(&self, to: &AddressRegisterWrite<Source>, (valid, tag): (&Expr, &BeatTag), ys: &[Expr]) {
        let d = &self._d;
        let to_areg = wire("to_areg", tag.dst_kind.is(Destination::Addr as u64));
        let number = to_areg.mux(&tag.dst.bits(0, 3), &tag.areg);
        let stepped = get(&self.e.next);
        for (i, (y, to)) in ys.iter().zip(&to.values).enumerate() {
            set(to, to_areg.mux(&y.bits(0, 16), &stepped.bits(16 * i, 16)));
        }
        let any = valid & (&to_areg | &tag.post_inc) & number.any();
        set(&to.number, d.with_beat(&cat([&tag.warp, &number]), &tag.beat));
        set(&to.enable, &tag.exec & &any.repeat(d.lanes));
    }

    /// Registers of a starting warp; `held_up`: not in this cycle.
    fn starting_warp(&self, held_up: Option<&Expr>) {
        let Some(held_up) = held_up else {
            return self.init.pass(self.file.ports().init);
        };
        let file = self.file.ports().init;
        set(&file.valid, get(&self.init.valid) & !held_up);
        set(&file.entry, get(&self.init.entry));
        set(&file.mask, get(&self.init.mask));
        for (to, from) in file.data.iter().zip(&self.init.data) {
            set(to, get(from));
        }
        set(&self.init.ready, get(&file.ready) & !held_up);
    }

    /// Results that come later share a write port: special functions go first, they take it once in
    /// lanes / units cycles at most. `busy`: a beat writes flags. Returns whether one waits, and flags that are written.
    fn deferred_results(&self, busy: &Expr) -> (Expr, Option<LateFlags>) {
        let d = &self._d;
        let file = self.file.ports().deferred;
        let (free, loads) = (get(&file.ready), get(&self.load.valid));
        let special = self.results.get().map(|s| (get(&s.valid), To::unpack(d, "late", &get(&s.to)), s));
        let pick = |of: fn(&To) -> &Expr, loaded: Expr| match &special {
            Some((special, to, _)) => special.mux(of(to), &loaded),
            None => loaded,
        };
        // The halves that are loaded stand above the entry.
        let loaded = get(&self.load.entry);
        let entry = pick(|to| &to.entry, loaded.bits(0, d.entry));
        if let Some(to) = self.file.late_halves() {
            set(to, pick(|to| &to.halves, loaded.bits(d.entry, 2)));
        }
        let mask = pick(|to| &to.mask, get(&self.load.mask));
        let (writes, mask) = match &special {
            Some((special, ..)) => (wire("late_writes", special | &loads), wire("late_mask", mask)),
            None => (loads, mask),
        };
        let data: Vec<Expr> = match &special {
            Some((special, _, s)) => {
                s.data.iter().zip(&self.load.data).map(|(x, l)| special.mux(&get(x), &get(l))).collect()
            }
            None => get_all(&self.load.data),
        };
        let flags = special.as_ref().filter(|_| d.has.late_flags);
        let flags = flags.map(|(there, to, _)| wire("flags_come", there & &to.flags));
        let (port, to_registers) = match &flags {
            Some(flags) => (wire("late_port", flags.mux(&!busy, &free)), &writes & !flags),
            None => (free.clone(), writes.clone()),
        };
        set(&file.valid, to_registers);
        set(&file.entry, &entry);
        set(&file.mask, &mask);
        data.iter().zip(&file.data).for_each(|(x, to)| set(to, x));
        let [completes, load_goes] = match &special {
            Some((special, to, s)) => {
                set(&s.ready, &port);
                [wire("special_goes", special & &port) & &to.last, &free & !special]
            }
            None => [zero(1), free.clone()],
        };
        set(&self.load.ready, load_goes);
        set(&self.done.valid, completes);
        let of_special =
            |of: fn(&To) -> &Expr, width: usize| special.as_ref().map_or(zero(width), |(_, to, _)| of(to).clone());
        set(&self.done.warp, of_special(|to| &to.warp, d.warp));
        set(&self.done.slot, of_special(|to| &to.slot, 2));
        set(&self.deferred.valid, &writes & &port);
        if let (Some(shown), Some((special, to, _))) = (self.done_shown.get(), &special) {
            let kept = wire("late_kept", special & to.keeps.any());
            self.file.later(&(&to.keeps & &special.repeat(2)), &to.kept_at);
            set(&self.deferred.valid, &writes & &port & !&kept);
            set(shown, !kept);
        }
        set(&self.deferred.warp, pick(|to| &to.warp, get(&self.load.warp)));
        set(&self.deferred.slot, pick(|to| &to.slot, get(&self.load.slot)));
        let shown = match (&flags, &special) {
            (Some(flags), Some((_, to, _))) => flags.mux(&to.cdst.zext(d.entry), &entry),
            _ => entry,
        };
        set(&self.deferred.entry, shown);
        set(&self.deferred.mask, mask);
        set(&self.deferred.data, pack(data.iter()));
        let late = match (&flags, self.deferred.flags.get(), special) {
            (Some(flags), Some(shown), Some((_, to, s))) => {
                set(shown, flags);
                let data: Vec<Expr> = s.data.iter().map(|x| get(x).bits(0, 4)).collect();
                let on = wire("late_flags", flags & !busy);
                Some(LateFlags {
                    on,
                    warp: to.warp,
                    cdst: to.cdst,
                    beat: to.beat,
                    mask: to.mask,
                    data: pack(data.iter()),
                })
            }
            _ => None,
        };
        (writes & !port, late)
    }

    /// Deferred results, R0 of new warps and headers of new blocks live on cycles in which the pipeline
    /// leaves the registers or shared memory alone. One that waits long gets a gap of its own.
    fn gaps(&self, late_waits: &Expr, held_up: Option<Expr>) {
        let file = self.file.ports();
        let mut waits =
            vec![late_waits.clone(), get(&self.init.valid) & !get(&file.init.ready), get(&self.share_waits)];
        waits.extend(held_up.map(|h| get(&self.init.valid) & h));
        let waits = any_of(&waits);
        let waited = get(&self.waited);
        let long = wire("waited_long", waited.is(PATIENCE));
        let on = wire("waits_on", waits & !(&long & get(&self.gap)));
        set(&self.waited, on.mux(&(&waited + &(!&long).zext(4)), &zero(4)));
        set(&self.hold, long);
    }
}

rtl_block!(WriteBackStage, "write_back_stage");
