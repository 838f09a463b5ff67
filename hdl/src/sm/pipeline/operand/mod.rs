//! Stage D: operands are selected; words of shared and constant memory that took no turn in M come.

pub mod select;

use super::bundles::{BeatTag, Operands, Values};
use crate::rtl::prelude::*;
use crate::sm::constant::ConstantMemory;
use crate::sm::dims::Dims;
use crate::sm::mem::bytes::aligned;
use crate::sm::mem::shared::SharedMemory;
use select::{Choice, OperandSelect};

group! {
    /// The beat in D.
    pub struct OperandRegisters(d: &Dims) as "d" {
        /// D holds a beat.
        reg valid(1),
        /// It has words to come from shared or constant memory: it stays, and so does all before it.
        reg waits(1),
        data tag(BeatTag::width(d)),
        data choice(Choice::width(d)),
        /// [lanes][2] byte of the constant word.
        data c_low(2 * d.lanes),
        data cc(4 * d.lanes),
        /// [`Values`] of each lane.
        data values([d.lanes] Values::width(d) => "dl"),
    }
}

/// What the stage reads and drives.
pub struct OperandStage<'a> {
    pub d: &'a Dims,
    /// The beat in the stage.
    pub beat: &'a OperandRegisters,
    pub select: &'a [OperandSelect],
    pub shared: &'a SharedMemory,
    pub constants: &'a ConstantMemory,
    pub clock_count: &'a Input,
}

impl OperandStage<'_> {
    /// Each lane's values.
    pub fn values(&self) -> Vec<Values> {
        let lanes = self.beat.values.iter().enumerate();
        lanes.map(|(i, r)| Values::unpack(self.d, &format!("d{i}"), &get(r))).collect()
    }

    /// Operands of lane `i`.
    pub fn lane(&self, i: usize, r: &Values) -> Operands {
        let s = &self.select[i];
        set(&s.choice, get(&self.beat.choice));
        set(&s.r1, &r.r1);
        set(&s.r2, &r.r2);
        set(&s.r3, &r.r3);
        if let Some(r4) = s.r4.get() {
            set(r4, &r.r4);
        }
        set(&s.shared, get(&self.shared.rdata[i]));
        let constant = get(&self.constants.data[i]);
        let [upper, lowest] = aligned(&constant, &get(&self.beat.c_low).bits(2 * i, 2));
        let [b3, b2] = [24, 16].map(|b| constant.bits(b, 8));
        set(&s.constant, cat([&b3, &b2, &upper, &lowest]));
        set(&s.address, &r.areg);
        let flags = get(&self.beat.cc).bits(4 * i, 4);
        set(&s.flags, &flags);
        set(&s.clock_count, get(self.clock_count));
        if let Some(thread) = s.thread.get() {
            let beat = BeatTag::unpack(self.d, "sel", &get(&self.beat.tag)).beat;
            let lane = lit(clog2(self.d.lanes), i as u64);
            set(thread, self.d.with_beat_high(&beat, &lane));
        }
        let operands = Operands {
            a: get(&s.a),
            b: get(&s.b),
            c: get(&s.c),
            fourth: s.d.get().map_or(nothing(), get),
            carry: flags.bit(2),
            p: match self.d.has_uops() {
                true => flags.bits(0, 3),
                false => nothing(),
            },
        };
        operands.check(self.d);
        operands
    }
}
