//! Stage D: operands are selected; words of shared and constant memory that took no turn in M come.
//!
//! | port          | width | meaning                                                         |
//! |---------------|-------|-----------------------------------------------------------------|
//! | `m_*`         |       | the beat from M; `m_waits`: the one here stays, `m_pc` its address |
//! | `words_*`     |       | words of shared and constant memory of the beat that stands here |
//! | `clock_count` | 32    | cycle counter                                                   |
//! | `e_*`         |       | the beat with its operands, to the lanes                        |
//! | `busy`        | 1     | a beat is here                                                  |
//!
//! Timing: one cycle, and one more for each in which `words_wait` was set in the cycle before.
//! Reset: empty. Errors: none.
//! Source: docs/semantics.md, Operands in memory.

pub mod exchange;
pub mod select;

use super::address::sources::half_of;
use super::bundles::{BeatTag, CheckedBeat, MemoryWords, OperandBeat, Operands, Values};
use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::control::g13::exchange as kinds;
use crate::sm::dims::Dims;
use crate::sm::mem::bytes::aligned;
use exchange::Exchange;
use select::{Choice, Extras, OperandSelect};

group! {
    /// The beat in D.
    pub struct OperandRegisters(d: &Dims) as "d" {
        /// D holds a beat.
        reg valid(1),
        /// It has words to come from shared or constant memory: it stays, and so does all before it.
        reg waits(1),
        /// The opposite of `waits`: a register of its own for the registers of D, the other stops the stages before it.
        part moves(Reg = Reg::reset_to(1, 1)),
        data tag(BeatTag::width(d)),
        data choice(Choice::width(d)),
        /// [lanes][2] byte of the constant word.
        data c_low(2 * d.lanes),
        data cc(4 * d.lanes),
        /// [`Values`] of each lane.
        data values([d.lanes] Values::width(d) => "dl"),
    }
}

block! {
    /// See the module.
    pub struct OperandStage(cfg: &GpuConfig) {
        part m(CheckedBeat<Sink>: &d),
        part words(MemoryWords<Sink>: &d),
        in clock_count(32),
        part e(OperandBeat<Source>: &d),
        out busy(1),
        part d(OperandRegisters: &d),
        part select([d.lanes] OperandSelect: &d),
        part exchange(if d.has.exchange; Exchange: &d),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
    }
}

impl OperandStage {
    /// A beat comes from M, if there is one.
    fn take(&self) {
        let (m, d) = (&self.m, &self.d);
        when(&get(&d.moves), || {
            set(&d.valid, get(&m.valid));
            set(&d.tag, get(&m.tag));
            set(&d.choice, get(&m.choice));
            set(&d.cc, get(&m.cc));
            set(&d.c_low, get(&m.c_low));
            for (to, from) in d.values.iter().zip(&m.values) {
                set(to, get(from));
            }
        });
        // One register for both memories: it goes far.
        set(&d.waits, get(&self.words.wait));
        set(&d.moves, !get(&self.words.wait));
        set(&m.waits, get(&d.waits));
    }

    /// Operands of lane `i`, the beat of which is `beat`.
    fn lane(&self, i: usize, r: &Values, beat: &Expr) -> Operands {
        let (d, s) = (&self._d, &self.select[i]);
        set(&s.choice, get(&self.d.choice));
        set(&s.r1, &r.r1);
        set(&s.r2, &r.r2);
        set(&s.r3, &r.r3);
        if let Some(r4) = s.r4.get() {
            set(r4, &r.r4);
        }
        set(&s.shared, get(&self.words.shared[i]));
        let constant = get(&self.words.constant[i]);
        let [upper, lowest] = aligned(&constant, &get(&self.d.c_low).bits(2 * i, 2));
        let [b3, b2] = [24, 16].map(|b| constant.bits(b, 8));
        set(&s.constant, cat([&b3, &b2, &upper, &lowest]));
        set(&s.address, &r.areg);
        let flags = get(&self.d.cc).bits(4 * i, 4);
        set(&s.flags, &flags);
        set(&s.clock_count, get(&self.clock_count));
        if let Some(thread) = s.thread.get() {
            let lane = lit(clog2(d.lanes), i as u64);
            set(thread, d.with_beat_high(beat, &lane));
        }
        let operands = Operands {
            a: get(&s.a),
            b: get(&s.b),
            c: get(&s.c),
            fourth: s.d.get().map_or(nothing(), get),
            carry: flags.bit(2),
            p: match d.has.uops {
                true => flags.bits(0, 3),
                false => nothing(),
            },
        };
        operands.check(d);
        operands
    }
}

impl OperandStage {
    /// What instructions of two passes have in their second.
    fn second_pass(&self, x: &Exchange, tag: &BeatTag, values: &[Values], operands: &mut [Operands]) {
        let choice = Choice::unpack(&self._d, "second", &get(&self.d.choice));
        let extras = Extras::unpack((), "second", &choice.extras);
        set(&x.valid, get(&self.d.valid) & !get(&self.d.waits));
        set(&x.code, &tag.exchange);
        set(&x.first, &tag.first_of_two);
        set(&x.beat, &tag.beat);
        let second = wire("second_pass", tag.exchange.any() & !&tag.first_of_two);
        let is = |kind: u64| &second & &tag.exchange.is(kind);
        let fourth = wire("second_fourth", is(kinds::FOURTH));
        let neighbours = wire("second_neighbours", is(kinds::ROW) | is(kinds::COLUMN));
        let ballot = tag.exchange.bits(1, 3).is(kinds::BALLOT >> 1);
        let shuffles = wire("second_shuffles", &second & &!&fourth & !ballot);
        for (i, o) in operands.iter_mut().enumerate() {
            set(&x.fourth[i], &values[i].r1);
            set(&x.a[i], &o.a);
            set(&x.b[i], &o.b);
            let kept = half_of(&get(&x.kept[i]), &extras.half4, &extras.hi4);
            o.fourth = fourth.mux(&kept, &o.fourth);
            o.b = neighbours.mux(&get(&x.to_b[i]), &o.b);
            o.a = shuffles.mux(&get(&x.to_a[i]), &o.a);
        }
    }
}

impl Rtl for OperandStage {
    fn rtl(&self) {
        let (d, e) = (&self._d, &self.e);
        self.take();
        let tag = BeatTag::unpack(d, "d", &get(&self.d.tag));
        let values = self.d.values.iter().enumerate();
        let values: Vec<Values> = values.map(|(i, r)| Values::unpack(d, &format!("d{i}"), &get(r))).collect();
        let mut operands: Vec<Operands> =
            values.iter().enumerate().map(|(i, values)| self.lane(i, values, &tag.beat)).collect();
        if let Some(exchange) = self.exchange.get() {
            self.second_pass(exchange, &tag, &values, &mut operands);
        }
        for (operands, to) in operands.iter().zip(&e.operands) {
            set(to, operands.pack());
        }
        // Store data of a half register is what the selection made of it.
        let stored: Vec<Expr> = self.select.iter().map(|s| get(&s.c)).collect();
        let (addr, data) = match d.trace {
            true => (pack(values.iter().map(|r| &r.main)), pack(stored.iter())),
            false => (zero(1), zero(1)),
        };
        set(&e.valid, get(&self.d.valid) & !get(&self.d.waits));
        match self.words.locked.get() {
            Some(locked) => set(&e.tag, BeatTag { locked: get(locked), ..tag.clone() }.pack()),
            None => set(&e.tag, get(&self.d.tag)),
        }
        set(&e.next, pack(values.iter().map(|r| &r.next)));
        set(&e.addr, addr);
        set(&e.data, data);
        set(&self.m.pc, &tag.pc);
        set(&self.busy, get(&self.d.valid));
    }
}

rtl_block!(OperandStage, "operand_stage");
