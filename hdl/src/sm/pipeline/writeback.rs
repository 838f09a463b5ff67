//! Stage W: registers, flags and address registers are written; results that come later use what is left
//! of the write port.

use super::bundles::{BeatTag, Completion, DeferredWrite, InitialWord, Loaded, RegisterWrite, RetiredBeat};
use super::execute::lane::Lane;
use super::execute::special::{Special, To};
use super::execute::uop::UopLane;
use super::execute::{in_quad, ResultRegisters};
use super::forward::Written;
use super::predicates;
use super::registers::Registers;
use super::timing::PATIENCE;
use crate::rtl::prelude::*;
use crate::sm::dims::Dims;
use crate::sm::divergence::g13::MaskBeat;
use crate::sm::mem::shared::SharedMemory;
use warpsmith_contract::trace::Destination;

/// What the stage reads and drives.
pub struct WriteBackStage<'a> {
    pub d: &'a Dims,
    pub x: &'a ResultRegisters,
    /// Lanes of SM 1.0, or of micro-operations.
    pub lanes: &'a [Lane],
    pub uop_lanes: &'a [UopLane],
    pub file: &'a Registers,
    /// Flags and address registers of SM 1.0.
    pub flags: Option<&'a Ram>,
    pub aregs: Option<&'a Ram>,
    pub predicates: Option<&'a Ram>,
    pub special: Option<&'a Special>,
    pub load: &'a Loaded<Sink>,
    pub done: &'a Completion<Source>,
    pub deferred: &'a DeferredWrite<Source>,
    /// Registers of a starting warp, and the warp, whose predicates become 0.
    pub init: &'a RegisterWrite<Sink>,
    pub init_warp: Option<&'a Input>,
    pub share: &'a InitialWord<Sink>,
    pub shared: &'a SharedMemory,
    /// Cycles that something has waited for a gap.
    pub waited: &'a Reg,
    /// Issue has to leave a gap,
    pub hold: &'a Output,
    /// and does.
    pub gap: &'a Input,
    pub retired: &'a RetiredBeat<Source>,
    /// New execution masks, of G13.
    pub mask: Option<&'a MaskBeat<Source>>,
}

impl WriteBackStage<'_> {
    /// Stage W.
    pub fn rtl(&self) -> Written {
        let d = self.d;
        section("Stage W: write-back");
        let l = d.lanes;
        let beat = self.x.last();
        let valid = beat.valid;
        let tag = BeatTag::unpack(d, "w", &beat.tag);
        let written = wire("written", in_quad(&tag));
        let ys = self.lanes.iter().map(|x| get(&x.y));
        let ys: Vec<Expr> = ys.chain(self.uop_lanes.iter().map(|x| get(&x.y))).collect();
        let to_gpr = &valid & tag.dst_kind.is(Destination::Gpr as u64);
        let halves = tag.dst_half.mux(&cat([&tag.dst_hi, &!&tag.dst_hi]), &lit(2, 3));
        set(&self.file.alu_valid, &to_gpr);
        set(&self.file.alu_entry, &tag.entry);
        set(&self.file.alu_mask, &written);
        set(&self.file.alu_halves, &halves);
        for (y, port) in ys.iter().zip(&self.file.alu_data) {
            set(port, y);
        }

        // Flags: 4 bits a thread, the beat's place in the row of the warp. Of predicates the two results.
        let flags: Vec<Expr> = (0..l)
            .map(|i| match self.lanes.get(i) {
                Some(lane) => tag.flags_from_y.mux(&ys[i].bits(0, 4), &get(&lane.flags)),
                None => get(&self.uop_lanes[i].q).zext(4),
            })
            .collect();
        let flags = wire("flags_written", pack(flags.iter()));
        let mut enable = vec![];
        for b in 0..d.beats {
            let here = if d.beats == 1 { valid.clone() } else { &valid & tag.beat.is(b as u64) };
            enable.push(&tag.exec & &(here & &tag.flags_we).repeat(l));
        }
        if let Some(to) = self.flags {
            to.write(&cat([&tag.warp, &tag.cdst]), &flags.repeat(d.beats), &pack(enable.iter()));
        }

        // Address registers: a destination, or a stepped one.
        let to_areg = wire("to_areg", tag.dst_kind.is(Destination::Addr as u64));
        let number = to_areg.mux(&tag.dst.bits(0, 3), &tag.areg);
        let at = cat([&tag.warp, &number]);
        let stepped = beat.next.called("stepped");
        let values: Vec<Expr> = (0..l).map(|i| to_areg.mux(&ys[i].bits(0, 16), &stepped.bits(16 * i, 16))).collect();
        let any = &valid & (&to_areg | &tag.post_inc) & number.any();
        if let Some(aregs) = self.aregs {
            aregs.write(&d.with_beat(&at, &tag.beat), &pack(values.iter()), &(&tag.exec & &any.repeat(l)));
        }

        let waits = self.deferred_results();
        let held_up = match (self.predicates, self.init_warp) {
            (Some(to), Some(warp)) => Some(self.predicates(to, &get(warp), (&valid, &tag))),
            _ => {
                self.init.pass(&self.file.init);
                None
            }
        };
        self.gaps(&waits, held_up);

        if let Some(mask) = self.mask {
            self.mask_beat(mask, (&valid, &tag), &ys);
        }
        set(&self.retired.valid, &valid);
        set(&self.retired.tag, beat.tag);
        set(&self.retired.y, pack(ys.iter()));
        set(&self.retired.flags, flags);
        set(&self.retired.next, stepped);
        set(&self.retired.addr, beat.addr);
        set(&self.retired.data, beat.data);
        Written {
            valid: to_gpr,
            entry: tag.entry,
            halves: (0..l).map(|i| &halves & &written.bit(i).repeat(2)).collect(),
            values: ys
                .iter()
                .map(|y| {
                    let upper = tag.dst_half.mux(&y.bits(0, 16), &y.bits(16, 16));
                    cat([&upper, &y.bits(0, 16)])
                })
                .collect(),
            number: at,
            lanes: (0..l).map(|i| tag.exec.bit(i) & &any).collect(),
            addresses: values,
        }
    }

    /// The threads of a beat whose counter of the execution mask is 0.
    fn mask_beat(&self, to: &MaskBeat<Source>, (valid, tag): (&Expr, &BeatTag), counters: &[Expr]) {
        let counts_0: Vec<Expr> = counters.iter().map(|y| !y.bits(0, 16).any()).collect();
        set(&to.valid, valid & &tag.mask);
        set(&to.first, &tag.first);
        set(&to.last, &tag.last);
        set(&to.warp, &tag.warp);
        set(&to.number, &tag.beat);
        set(&to.active, &tag.exec & &pack(counts_0.iter()));
        let step = cat([&tag.length, &zero(1)]);
        set(&to.next, &tag.pc + &step.zext(self.d.pc));
    }

    /// Predicates of a beat, or those of a starting warp, whose registers are written beside. Returns whether
    /// a beat writes some.
    fn predicates(&self, to: &Ram, starting: &Expr, beat: (&Expr, &BeatTag)) -> Expr {
        let results: Vec<Expr> = self.uop_lanes.iter().map(|x| get(&x.q)).collect();
        let of = |n: usize| {
            let bits: Vec<Expr> = results.iter().map(|q| q.bit(n)).collect();
            wire(&format!("q{}_written", n + 1), pack(bits.iter()))
        };
        let init = get(&self.init.valid);
        let writes = predicates::write(self.d, to, beat, (&of(0), &of(1)), (&init, starting));
        let file = &self.file.init;
        set(&file.valid, init & !&writes);
        set(&file.entry, get(&self.init.entry));
        set(&file.mask, get(&self.init.mask));
        for (to, from) in file.data.iter().zip(&self.init.data) {
            set(to, get(from));
        }
        set(&self.init.ready, get(&file.ready) & !&writes);
        writes
    }

    /// Results that come later share a write port: special functions go first, they take it once in
    /// lanes / units cycles at most. Returns whether there is one.
    fn deferred_results(&self) -> Expr {
        let d = self.d;
        let port = get(&self.file.deferred.ready);
        let loaded = get_all(&self.load.data);
        let Some(s) = self.special else {
            return self.deferred_loads(&port, &loaded);
        };
        let special = get(&s.out_valid);
        let to = To::unpack(d, "late", &get(&s.out_to));
        let writes = wire("late_writes", &special | &get(&self.load.valid));
        let entry = special.mux(&to.entry, &self.loaded_entry());
        self.loaded_halves(&special);
        let mask = wire("late_mask", special.mux(&to.mask, &get(&self.load.mask)));
        set(&s.out_ready, &port);
        set(&self.load.ready, &port & !&special);
        set(&self.file.deferred.valid, &writes);
        set(&self.file.deferred.entry, &entry);
        set(&self.file.deferred.mask, &mask);
        let data: Vec<Expr> = s.out_data.iter().zip(&loaded).map(|(x, load)| special.mux(&get(x), load)).collect();
        for (x, to) in data.iter().zip(&self.file.deferred.data) {
            set(to, x);
        }
        let goes = wire("special_goes", &special & &port);
        set(&self.done.valid, &goes & &to.last);
        set(&self.done.warp, &to.warp);
        set(&self.done.slot, &to.slot);
        set(&self.deferred.valid, &writes & &port);
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
        match self.d.is_g13() {
            true => loaded.bits(0, self.d.entry),
            false => loaded,
        }
    }

    /// Halves that are loaded, of G13; special functions write whole registers.
    fn loaded_halves(&self, special: &Expr) {
        if let Some(to) = self.file.late_halves.get() {
            let halves = get(&self.load.entry).bits(self.d.entry, 2);
            set(to, halves | special.repeat(2));
        }
    }

    /// The same without special functions.
    fn deferred_loads(&self, port: &Expr, loaded: &[Expr]) -> Expr {
        let d = self.d;
        let writes = get(&self.load.valid);
        let (entry, mask) = (self.loaded_entry(), get(&self.load.mask));
        self.loaded_halves(&zero(1));
        set(&self.load.ready, port);
        set(&self.file.deferred.valid, &writes);
        set(&self.file.deferred.entry, &entry);
        set(&self.file.deferred.mask, &mask);
        for (x, to) in loaded.iter().zip(&self.file.deferred.data) {
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
        let mut waits = vec![
            deferred & !get(&self.file.deferred.ready),
            get(&self.init.valid) & !get(&self.file.init.ready),
            get(&self.share.valid) & !get(&self.shared.init_ready),
        ];
        waits.extend(held_up.map(|h| get(&self.init.valid) & h));
        let waits = any_of(&waits);
        let waited = get(self.waited);
        let long = wire("waited_long", waited.is(PATIENCE));
        let on = wire("waits_on", waits & !(&long & get(self.gap)));
        set(self.waited, on.mux(&(&waited + &(!&long).zext(4)), &zero(4)));
        set(self.hold, long);
    }
}
