//! Stages O and E1 to E4: operands stand before the lanes, the lanes and the special-function units compute.
//!
//! | port        | width | meaning                                                           |
//! |-------------|-------|-------------------------------------------------------------------|
//! | `clear`     | 1     | special functions forget everything                               |
//! | `d_*`       |       | the beat with its operands, from D                                |
//! | `place_*`   |       | places in the queue of special functions, for M                   |
//! | `w_*`       |       | the beat with its results, to W                                   |
//! | `results_*` |       | results of special functions, to W                                |
//! | `busy`      | 1     | a beat or a special function is here                              |
//!
//! Timing: `timing::depth` cycles from `d` to `w`; nothing stands still. Special functions take the operands as the lanes
//! have them and go their own time. Reset: no beat. Errors: none.
//! Source: docs/architecture.md, The chip.

pub mod double;
pub mod float;
pub mod int;
pub mod lane;
pub mod queue;
pub mod sfu;
pub mod special;
pub mod uop;

use super::bundles::{BeatTag, OperandBeat, Operands, ResultBeat, SpecialPlace, SpecialResults};
use super::timing::depth;
use crate::config::GpuConfig;
use crate::front::lane::FrontLane;
use crate::rtl::prelude::*;
use crate::sm::control::uop::{op, UopControl};
use crate::sm::control::{alu_width, AluControl};
use crate::sm::dims::Dims;
use double::compare::DoubleCompare;
use double::unit::How;
use double::Double;
use queue::To;
use special::Special;
use warpsmith_contract::trace::Destination;

group! {
    /// The beat in O; not there with forwarding.
    pub struct LaneRegisters(d: &Dims) as "o" {
        /// [`Operands`] of each lane.
        data operands([d.lanes * usize::from(!d.forward)] Operands::width(d) => "o"),
        data alu(if !d.forward; alu_width(d)),
    }
}

group! {
    /// What stands beside the lanes: the stages behind D, the last of them W.
    pub struct ResultRegisters(d: &Dims) as "x" {
        /// A beat stands in the stage.
        reg valid([depth(d)] 1),
        data tag([depth(d)] BeatTag::width(d)),
        /// Address registers after post-increment.
        data next([depth(d)] 16 * d.lanes),
        /// Addresses and store data, for the trace port.
        data addr([depth(d)] d.traced()),
        data data([depth(d)] d.traced()),
        /// The beat in W writes registers: who else writes them waits for it.
        reg writes(1),
    }
}

/// What travels beside the lanes.
#[derive(Clone)]
pub struct Beside {
    pub valid: Expr,
    pub tag: Expr,
    pub next: Expr,
    pub addr: Expr,
    pub data: Expr,
}

impl ResultRegisters {
    /// The beat that leaves D follows the others.
    pub fn follow(&self, first: Beside) {
        let mut stage = first;
        for i in 0..self.valid.len() {
            set(&self.valid[i], stage.valid);
            set(&self.tag[i], stage.tag);
            set(&self.next[i], stage.next);
            set(&self.addr[i], stage.addr);
            set(&self.data[i], stage.data);
            stage = self.stage(i);
        }
    }

    /// What stands in stage `i` behind D.
    fn stage(&self, i: usize) -> Beside {
        Beside {
            valid: get(&self.valid[i]),
            tag: get(&self.tag[i]),
            next: get(&self.next[i]),
            addr: get(&self.addr[i]),
            data: get(&self.data[i]),
        }
    }

    /// What stands in the stage before W.
    fn before_last(&self) -> Beside {
        self.stage(self.valid.len() - 2)
    }

    /// What stands in W.
    pub fn last(&self) -> Beside {
        self.stage(self.valid.len() - 1)
    }
}

/// The result of a beat goes to general registers.
pub fn to_gpr(d: &Dims, tag: &BeatTag) -> Expr {
    let to_gpr = tag.dst_kind.is(Destination::Gpr as u64);
    match d.has.exchange {
        true => to_gpr & !&tag.first_of_two,
        false => to_gpr,
    }
}

/// A beat that is `valid` writes registers, or what Ivy Bridge keeps beside them.
fn writes_registers(d: &Dims, tag: &BeatTag, valid: &Expr) -> Expr {
    let to_gpr = to_gpr(d, tag);
    let writes = match tag.channels(d, "next") {
        Some(channels) => to_gpr | (channels.keeps.any() & !&tag.special),
        None => to_gpr,
    };
    valid & writes
}

/// Threads of a beat that write their result: those that execute, in the quad places that write.
pub fn in_quad(tag: &BeatTag) -> Expr {
    // Two lanes are the lower or the upper half of a quad.
    let places = match tag.exec.width() {
        2 => tag.quad.word_at(&tag.beat.bit(0), 2).named(),
        _ => tag.quad.clone(),
    };
    let quad: Vec<Expr> = (0..tag.exec.width()).map(|i| places.bit(i % places.width())).collect();
    &tag.exec & &pack(quad.iter())
}

block! {
    /// See the module.
    pub struct ExecuteStage(cfg: &GpuConfig) {
        in clear(1),
        part d(OperandBeat<Sink>: &d),
        part place(if d.sfus > 0; SpecialPlace<Sink>:),
        part double_place(if d.double; SpecialPlace<Sink>:),
        part w(ResultBeat<Source>: &d),
        part results(if d.sfus > 0; SpecialResults<Source>: &d),
        out busy(1),
        part o(LaneRegisters: &d),
        part x(ResultRegisters: &d),
        part lane([d.lanes] FrontLane: &d),
        part special(if d.sfus > 0; Special: cfg),
        part double(if d.double; Double: cfg),
        part compare([d.double(d.lanes) * usize::from(!d.has.late_flags)] DoubleCompare: &d),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
    }
}

impl ExecuteStage {
    /// What the lanes do: `alu` of the beat in D, or what O holds of it.
    fn control(&self, alu: Expr) -> Expr {
        match self.o.alu.get() {
            Some(o) => {
                set(o, alu);
                get(o)
            }
            None => alu,
        }
    }

    /// Operands of lane `i` from D, through O. Returns them as the lane gets them.
    fn operands(&self, i: usize, alu: &Expr) -> Operands {
        let operands = get(&self.d.operands[i]);
        let operands = match self.o.operands.get(i) {
            Some(o) => {
                set(o, operands);
                get(o)
            }
            None => operands,
        };
        let operands = Operands::unpack(&self._d, &format!("o{i}"), &operands);
        self.lane[i].compute(alu, operands.clone());
        operands
    }

    /// The beat that stands before the lanes, in D or O: it is there, its tag.
    fn before_lanes(&self, name: &str) -> (Expr, BeatTag) {
        let (valid, tag) = match self._d.forward {
            true => (get(&self.d.valid), get(&self.d.tag)),
            false => (get(&self.x.valid[0]), get(&self.x.tag[0])),
        };
        (valid, BeatTag::unpack(&self._d, name, &tag))
    }

    /// Operands of special functions into their queue, from where the lanes have them; results out of it.
    fn special_functions(&self, s: &Special, operands: &[Operands]) {
        let d = &self._d;
        let (valid, tag) = match d.has.special_behind {
            // The units take what the lanes have computed.
            true => {
                let last = self.x.last();
                (last.valid, BeatTag::unpack(d, "s", &last.tag))
            }
            false => self.before_lanes("s"),
        };
        let how = self.lane[0].special(d, &tag.alu);
        how.check(d);
        let double = tag.double(d, "s");
        let halves = match d.has.late_halves {
            true => {
                let low = !(&tag.dst_half & &tag.dst_hi);
                cat([&(!&tag.dst_half | &tag.dst_hi), &low])
            }
            false => nothing(),
        };
        let [keeps, kept_at] = match tag.channels(d, "s") {
            Some(channels) => [channels.keeps, d.with_beat(&tag.warp, &tag.beat)],
            None => [nothing(), nothing()],
        };
        let mask = in_quad(&tag);
        let [flags, cdst, beat] = To::no_flags(d);
        let (warp, slot, entry, last) = (tag.warp, tag.slot, tag.entry, tag.last);
        let to = To { mask, warp, slot, entry, last, halves, flags, cdst, beat, keeps, kept_at };
        to.check(d);
        set(&s.clear, get(&self.clear));
        set(
            &s.in_valid,
            match &double {
                Some(double) => all_of(&[valid.clone(), tag.special.clone(), !&double.is_double]),
                None => &valid & &tag.special,
            },
        );
        set(&s.in_how, how.pack());
        set(&s.in_to, to.pack());
        for ((to, x), lane) in s.in_x.iter().zip(operands).zip(&self.lane) {
            match d.has.special_behind {
                true => set(to, get(lane.result())),
                false => set(to, &x.a),
            }
        }
        if let (Some(place), Some(results)) = (self.place.get(), self.results.get()) {
            set(&s.reserve, get(&place.reserve));
            set(&place.ready, get(&s.ready));
            if let Some(double) = self.double.get() {
                return self.both(s, double, results);
            }
            set(&results.valid, get(&s.out_valid));
            set(&s.out_ready, get(&results.ready));
            set(&results.to, get(&s.out_to));
            for (to, from) in results.data.iter().zip(&s.out_data) {
                set(to, get(from));
            }
        }
    }

    /// Results of special functions and of floats of 64 bits; the first go first.
    fn both(&self, s: &Special, double: &Double, results: &SpecialResults<Source>) {
        let (special, ready) = (get(&s.out_valid), get(&results.ready));
        set(&results.valid, &special | &get(&double.out_valid));
        set(&s.out_ready, &ready);
        set(&double.out_ready, &ready & &!&special);
        set(&results.to, special.mux(&get(&s.out_to), &get(&double.out_to)));
        for (to, (own, other)) in results.data.iter().zip(s.out_data.iter().zip(&double.out_data)) {
            set(to, special.mux(&get(own), &get(other)));
        }
    }

    /// Operands of floats of 64 bits into their queue, and to the comparisons in the lanes.
    fn doubles(&self, unit: &Double, alu: &Expr, operands: &[Operands]) {
        let d = &self._d;
        let (valid, tag) = self.before_lanes("double");
        let Some(double) = tag.double(d, "double") else { return };
        let how = match d.has.late_flags {
            true => How::of_sm13(&AluControl::unpack((), "double", alu), &double),
            false => How::of(&UopControl::unpack((), "double", alu), &double),
        };
        let high = tag.pass.bit(0);
        // A beat without a destination only ends its instruction.
        let to = To {
            mask: tag.exec.clone(),
            warp: tag.warp.clone(),
            slot: tag.slot.clone(),
            entry: tag.entry.clone(),
            last: if d.beats == 1 { lit(1, 1) } else { tag.beat.is(d.beats as u64 - 1) },
            halves: nothing(),
            flags: double.flags.clone(),
            cdst: if d.has.late_flags { tag.cdst.clone() } else { nothing() },
            beat: if d.has.late_flags { tag.beat.clone() } else { nothing() },
            keeps: nothing(),
            kept_at: nothing(),
        };
        to.check(d);
        set(&unit.clear, get(&self.clear));
        set(&unit.in_valid, all_of(&[valid.clone(), tag.special.clone(), double.is_double.clone()]));
        set(&unit.in_high, &high);
        set(&unit.in_how, how.pack());
        set(&unit.in_to, to.pack());
        if let Some(writes) = unit.in_writes.get() {
            set(writes, &double.writes);
        }
        for (i, x) in operands.iter().enumerate() {
            set(&unit.in_a[i], &x.a);
            set(&unit.in_b[i], &x.b);
            set(&unit.in_c[i], &x.c);
        }
        if let Some(place) = self.double_place.get() {
            set(&unit.reserve, get(&place.reserve));
            set(&place.ready, get(&unit.ready));
        }
        let store = all_of(&[valid, double.is_double, !&tag.special, !&high]);
        let store = wire("keeps_low_words", store);
        for (c, x) in self.compare.iter().zip(operands) {
            set(&c.ctl, alu);
            set(&c.high, &high);
            set(&c.beat, &tag.beat);
            set(&c.store, &store);
            set(&c.a, &x.a);
            set(&c.b, &x.b);
            set(&c.p, x.p.bit(0));
        }
    }

    /// What lane `i` finds for the beat in W; `compares`: it is a comparison of floats of 64 bits.
    fn found(&self, i: usize, compares: Option<&Expr>) -> Expr {
        let own = get(self.lane[i].conditions());
        match (self.compare.get(i), compares) {
            (Some(compare), Some(compares)) => compares.mux(&get(&compare.q), &own),
            _ => own,
        }
    }
}

impl Rtl for ExecuteStage {
    fn rtl(&self) {
        let (d, beat, w) = (&self._d, &self.d, &self.w);
        let tag = get(&beat.tag);
        let alu = BeatTag::unpack(d, "d", &tag).alu;
        let alu = match d.has.wide_sums {
            // The lanes keep carries of beats that are there.
            true => {
                let alu = UopControl::unpack((), "lanes", &alu);
                UopControl { reverse: &alu.reverse & &get(&beat.valid), ..alu }.pack()
            }
            false => alu,
        };
        let alu = self.control(alu);
        let operands: Vec<Operands> = (0..d.lanes).map(|i| self.operands(i, &alu)).collect();
        let mut busy = get_all(&self.x.valid);
        if let Some(special) = self.special.get() {
            self.special_functions(special, &operands);
            busy.push(get(&special.busy));
        }
        if let Some(double) = self.double.get() {
            self.doubles(double, &alu, &operands);
            busy.push(get(&double.busy));
        }
        set(&self.busy, any_of(&busy));
        self.x.follow(Beside {
            valid: get(&beat.valid),
            tag,
            next: get(&beat.next),
            addr: get(&beat.addr),
            data: get(&beat.data),
        });
        let next = self.x.before_last();
        let tag = BeatTag::unpack(d, "next", &next.tag);
        set(&self.x.writes, wire("writes_next", writes_registers(d, &tag, &next.valid)));
        let last = self.x.last();
        set(&w.valid, last.valid);
        set(&w.writes, get(&self.x.writes));
        set(&w.tag, last.tag);
        set(&w.next, last.next);
        set(&w.addr, last.addr);
        set(&w.data, last.data);
        let compares = (d.double && !d.has.late_flags).then(|| {
            let tag = BeatTag::unpack(d, "last", &self.x.last().tag);
            let compare = UopControl::unpack((), "last", &tag.alu).op.is(op::COMPARE);
            wire("compares", tag.double(d, "last").map_or(zero(1), |double| double.is_double & compare))
        });
        for (i, (y, conditions)) in w.y.iter().zip(&w.conditions).enumerate() {
            set(y, get(self.lane[i].result()));
            set(conditions, self.found(i, compares.as_ref()));
        }
    }
}

rtl_block!(ExecuteStage, "execute_stage");
