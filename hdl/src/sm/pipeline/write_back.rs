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

use super::bundles::{
    AddressRegisterWrite, BeatTag, Completion, ConditionWrite, DeferredWrite, LaneWrite, Loaded, ReadRegions,
    RegisterOperands, RegisterWrite, ResultBeat, RetiredBeat, SpecialResults, UniformWrite,
};
use super::channel_flags;
use super::execute::in_quad;
use super::execute::queue::To;
use super::flags;
use super::predicates;
use super::timing::PATIENCE;
use crate::config::{GpuConfig, WARP};
use crate::front::conditions::written_to;
use crate::front::registers::FrontRegisters;
use crate::rtl::prelude::*;
use crate::sm::control::g13::exchange;
use crate::sm::control::uop::{op, UopControl};
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
        in init_warp(if d.has_predicates(); d.warp),
        in share_waits(1),
        in read(1),
        in entry([3] d.entry),
        part operands(RegisterOperands<Source>: &d),
        part result(if d.forward; LaneWrite<Source>: &d),
        part condition(if !d.is_g13(); ConditionWrite<Source> = written_to(&d)),
        part areg(if !d.has_uops(); AddressRegisterWrite<Source>: &d),
        part done(Completion<Source>: &d),
        part deferred(DeferredWrite<Source>: &d),
        /// What is complete is an instruction, and no step of one; of Ivy Bridge.
        out done_shown(if d.is_ivb() && d.sfus > 0; 1),
        out hold(1),
        in gap(1),
        part retired(RetiredBeat<Source>: &d),
        part mask([d.g13(1)] MaskBeat<Source>: &d),
        part uniform(if d.is_g13(); UniformWrite<Source>:),
        /// How the beat in I reads its registers, of Ivy Bridge.
        part regions(if d.is_ivb(); ReadRegions<Sink>: &d),
        part file(FrontRegisters: cfg),
        /// Cycles that something has waited for a gap.
        reg waited(4),
        /// Threads that a ballot has found; of G13 alone.
        data ballot(if d.is_g13(); WARP),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
    }
}

impl Rtl for WriteBackStage {
    fn rtl(&self) {
        let (d, e) = (&self._d, &self.e);
        let l = d.lanes;
        let valid = get(&e.valid);
        let tag = BeatTag::unpack(d, "w", &get(&e.tag));
        let ys = get_all(&e.y);
        let ys = match self.ballot.get() {
            Some(register) => self.ballots(register, (&valid, &tag), &ys),
            None if d.is_ivb() => leading_zeros(&tag, ys),
            None => ys,
        };
        let found = get_all(&e.conditions);
        self.registers(&valid, &tag, &ys);

        // Flags: 4 bits a thread, the beat's place in the row of the warp. Of predicates the two results.
        let flags: Vec<Expr> = (0..l)
            .map(|i| match d.has_uops() {
                false => tag.flags_from_y.mux(&ys[i].bits(0, 4), &found[i]),
                true if d.is_ivb() => self.condition(&tag, &ys[i]).zext(4),
                true => found[i].zext(4),
            })
            .collect();
        let flags = wire("flags_written", pack(flags.iter()));
        if let Some(to) = self.areg.get() {
            self.address_registers(to, (&valid, &tag), &ys);
        }
        let waits = self.deferred_results();
        let held_up = match (self.condition.get(), self.init_warp.get()) {
            (Some(to), Some(warp)) => Some(self.predicates(to, &get(warp), (&valid, &tag), &found)),
            (Some(to), None) if d.is_ivb() => {
                let of_lane: Vec<Expr> = flags.each_word(4).iter().map(|f| f.bit(0)).collect();
                channel_flags::write(d, to, (&valid, &tag), &pack(of_lane.iter()));
                None
            }
            (Some(to), None) => {
                flags::write(d, to, (&valid, &tag), &flags);
                None
            }
            (None, _) => None,
        };
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

/// Results of Ivy Bridge: leading zeros of 0, which the lane has as all ones, are 32.
fn leading_zeros(tag: &BeatTag, ys: Vec<Expr>) -> Vec<Expr> {
    let alu = UopControl::unpack((), "w", &tag.alu);
    let on = wire("leading_zeros", alu.op.is(op::FIND) & alu.sat);
    let of_lane = |y: Expr| {
        let y = y.named();
        let count = cat([&y.bit(5), &(y.bits(0, 5) & (!y.bit(5)).repeat(5))]);
        on.mux(&count.zext(32), &y)
    };
    ys.into_iter().map(of_lane).collect()
}

impl WriteBackStage {
    /// Registers that the lanes write, and those that stage I reads.
    fn registers(&self, valid: &Expr, tag: &BeatTag, ys: &[Expr]) {
        let file = self.file.ports();
        let to_gpr = valid & tag.dst_kind.is(Destination::Gpr as u64);
        let to_gpr = match self._d.is_g13() {
            true => to_gpr & !&tag.first_of_two,
            false => to_gpr,
        };
        let to_gpr = wire("to_gpr", to_gpr);
        let channels = tag.channels(&self._d, "w");
        let mask = wire("written", in_quad(tag));
        let halves = tag.dst_half.mux(&cat([&tag.dst_hi, &!&tag.dst_hi]), &lit(2, 3));
        let halves = wire("halves_written", halves);
        let writes = match &channels {
            Some(channels) => &to_gpr | &(valid & channels.keeps.any() & !&tag.special),
            None => to_gpr.clone(),
        };
        set(&file.alu.valid, writes);
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

    /// The flag of a result, of Ivy Bridge.
    fn condition(&self, tag: &BeatTag, y: &Expr) -> Expr {
        match tag.channels(&self._d, "found") {
            Some(c) => channel_flags::condition(&c.condition, &c.is_float, &c.is_signed, &tag.dst_half, y),
            None => zero(1),
        }
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

    /// The uniform that a beat writes: what the last executing thread has. Later beats write over it.
    fn uniform(&self, to: &UniformWrite<Source>, (valid, tag): (&Expr, &BeatTag), ys: &[Expr]) {
        let last = select_last(&tag.exec, ys).called("last_thread");
        let high = tag.dst_half.mux(&last.bits(0, 16), &last.bits(16, 16));
        set(&to.number, &tag.uniform);
        set(&to.data, cat([&high, &last.bits(0, 16)]));
        let halves = cat([&(!&tag.dst_half | &tag.dst_hi), &!(&tag.dst_half & &tag.dst_hi)]);
        let writes = all_of(&[valid.clone(), tag.stores.clone(), tag.exec.any()]);
        set(&to.halves, halves & writes.repeat(2));
    }

    /// Results of a ballot: the first pass gathers a bit of each executing thread, the second gives all of them.
    fn ballots(&self, register: &Reg, (valid, tag): (&Expr, &BeatTag), ys: &[Expr]) -> Vec<Expr> {
        let d = &self._d;
        let on = wire("is_ballot", tag.exchange.bits(1, 3).is(exchange::BALLOT >> 1));
        let bits: Vec<Expr> = ys.iter().map(|y| y.bit(0)).collect();
        let here = wire("votes_here", &tag.exec & &pack(bits.iter()));
        let place = |i: usize| match d.beats {
            1 => here.clone(),
            _ => &here & &tag.beat.is(i as u64).repeat(d.lanes),
        };
        let places: Vec<Expr> = (0..d.beats).map(place).collect();
        let kept = get(register) & (!&tag.first).repeat(WARP);
        when(&all_of(&[valid.clone(), on.clone(), tag.first_of_two.clone()]), || {
            set(register, kept | pack(places.iter()));
        });
        let gives = wire("gives_ballot", &on & !&tag.first_of_two);
        let found = get(register);
        let moved: Vec<Expr> = (0..WARP / 4).map(|q| found.bits(4 * q, WARP - 4 * q).zext(WARP)).collect();
        let result = |(l, y): (usize, &Expr)| {
            let thread = d.with_beat_high(&tag.beat, &lit(clog2(d.lanes), l as u64)).called("thread");
            let first = wire("first_quad", thread.bits(2, 3) & tag.exchange.bit(0).repeat(3));
            gives.mux(&select(&first, &moved), y)
        };
        ys.iter().enumerate().map(result).collect()
    }

    /// The threads of a beat whose counter of the execution mask is 0.
    fn mask_beat(&self, to: &MaskBeat<Source>, (valid, tag): (&Expr, &BeatTag), counters: &[Expr]) {
        let counts_0: Vec<Expr> = counters.iter().map(|y| !y.bits(0, 16).any()).collect();
        set(&to.valid, valid & (&tag.mask | &tag.stores));
        set(&to.first, &tag.first);
        set(&to.last, &tag.last);
        set(&to.warp, &tag.warp);
        set(&to.number, &tag.beat);
        // The threads stay active that write a uniform.
        let active = pack(counts_0.iter()) | tag.stores.repeat(self._d.lanes);
        set(&to.active, &tag.exec & &active);
        let step = cat([&tag.length, &zero(1)]);
        set(&to.next, &tag.pc + &step.zext(self._d.pc));
    }

    /// Predicates of a beat, or those of a starting warp, whose registers are written beside. Returns whether
    /// a beat writes some.
    fn predicates(
        &self,
        to: &ConditionWrite<Source>,
        starting: &Expr,
        beat: (&Expr, &BeatTag),
        found: &[Expr],
    ) -> Expr {
        let of = |n: usize| {
            let bits: Vec<Expr> = found.iter().map(|q| q.bit(n)).collect();
            wire(&format!("q{}_written", n + 1), pack(bits.iter()))
        };
        let init = get(&self.init.valid);
        predicates::write(&self._d, to, beat, (&of(0), &of(1)), (&init, starting))
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
    /// lanes / units cycles at most. Returns whether there is one.
    fn deferred_results(&self) -> Expr {
        let d = &self._d;
        let file = self.file.ports().deferred;
        let port = get(&file.ready);
        let loaded = get_all(&self.load.data);
        let Some(s) = self.results.get() else {
            return self.deferred_loads(&port, &loaded);
        };
        let special = get(&s.valid);
        let to = To::unpack(d, "late", &get(&s.to));
        let writes = wire("late_writes", &special | &get(&self.load.valid));
        let entry = special.mux(&to.entry, &self.loaded_entry());
        self.loaded_halves(&special, &to.halves);
        let mask = wire("late_mask", special.mux(&to.mask, &get(&self.load.mask)));
        set(&s.ready, &port);
        set(&self.load.ready, &port & !&special);
        set(&file.valid, &writes);
        set(&file.entry, &entry);
        set(&file.mask, &mask);
        let data: Vec<Expr> = s.data.iter().zip(&loaded).map(|(x, load)| special.mux(&get(x), load)).collect();
        for (x, to) in data.iter().zip(&file.data) {
            set(to, x);
        }
        let goes = wire("special_goes", &special & &port);
        set(&self.done.valid, &goes & &to.last);
        set(&self.done.warp, &to.warp);
        set(&self.done.slot, &to.slot);
        set(&self.deferred.valid, &writes & &port);
        if let Some(shown) = self.done_shown.get() {
            let kept = wire("late_kept", &special & to.keeps.any());
            self.file.later(&(&to.keeps & &special.repeat(2)), &to.kept_at);
            set(&self.deferred.valid, &writes & &port & !&kept);
            set(shown, !kept);
        }
        set(&self.deferred.warp, special.mux(&to.warp, &get(&self.load.warp)));
        set(&self.deferred.slot, special.mux(&to.slot, &get(&self.load.slot)));
        set(&self.deferred.entry, entry);
        set(&self.deferred.mask, mask);
        set(&self.deferred.data, pack(data.iter()));
        writes
    }

    /// The register-file entry that is loaded.
    fn loaded_entry(&self) -> Expr {
        let loaded = get(&self.load.entry);
        match self._d.is_g13() {
            true => loaded.bits(0, self._d.entry),
            false => loaded,
        }
    }

    /// Halves that are loaded, of G13, or that special functions write.
    fn loaded_halves(&self, special: &Expr, own: &Expr) {
        if let Some(to) = self.file.late_halves() {
            let halves = get(&self.load.entry).bits(self._d.entry, 2);
            set(to, special.mux(own, &halves));
        }
    }

    /// The same without special functions.
    fn deferred_loads(&self, port: &Expr, loaded: &[Expr]) -> Expr {
        let d = &self._d;
        let writes = get(&self.load.valid);
        let (entry, mask) = (self.loaded_entry(), get(&self.load.mask));
        self.loaded_halves(&zero(1), &zero(2));
        set(&self.load.ready, port);
        let file = self.file.ports().deferred;
        set(&file.valid, &writes);
        set(&file.entry, &entry);
        set(&file.mask, &mask);
        for (x, to) in loaded.iter().zip(&file.data) {
            set(to, x);
        }
        set(&self.done.valid, zero(1));
        set(&self.done.warp, zero(d.warp));
        set(&self.done.slot, zero(2));
        set(&self.deferred.valid, &writes & port);
        set(&self.deferred.warp, get(&self.load.warp));
        set(&self.deferred.slot, get(&self.load.slot));
        set(&self.deferred.entry, entry);
        set(&self.deferred.mask, mask);
        set(&self.deferred.data, pack(loaded.iter()));
        writes
    }

    /// Deferred results, R0 of new warps and headers of new blocks live on cycles in which the pipeline
    /// leaves the registers or shared memory alone. One that waits long gets a gap of its own.
    fn gaps(&self, deferred: &Expr, held_up: Option<Expr>) {
        let file = self.file.ports();
        let mut waits = vec![
            deferred & !get(&file.deferred.ready),
            get(&self.init.valid) & !get(&file.init.ready),
            get(&self.share_waits),
        ];
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
