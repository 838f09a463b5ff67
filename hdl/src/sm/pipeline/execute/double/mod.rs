//! Floats of 64 bits of an SM, beside the pipeline: beats wait in a queue, one unit serves their lanes one after the other,
//! results go to the registers when their write port is free.
//!
//! The operands of a beat come in two passes, low words first; those of 32 bits in one. A result of 64 bits leaves as two
//! words. Comparisons are the lanes' ([`compare`]).
//!
//! | port         | width   | meaning                                                             |
//! |--------------|---------|---------------------------------------------------------------------|
//! | `clear`      | 1       | forget everything                                                   |
//! | `reserve`    | 1       | low words in stage M will come: a place is kept                     |
//! | `ready`      | 1       | there is a place; from registers only                               |
//! | `in_valid`   | 1       | words of a beat, as they stand before the lanes                     |
//! | `in_high`    | 1       | they are high words                                                 |
//! | `in_how`     | How     | [`unit::How`]                                                       |
//! | `in_a`, `in_b`, `in_c` | [L][32] | words of the operands                                     |
//! | `in_to`      | To      | [`To`]: where the low word goes; with the low words                 |
//! | `out_valid`  | 1       | a beat of words, kept until `out_ready`                             |
//! | `out_ready`  | 1       | the register file takes it                                          |
//! | `out_to`     | To      | its destination                                                     |
//! | `out_data`   | [L][32] | words; undefined in lanes that do not write                         |
//! | `busy`       | 1       | a place is taken                                                    |
//!
//! Timing: a beat that finds the unit free begins in the cycle after its last words came; its results stand at `out`
//! L + 13 cycles later, of RCP64H and RSQ64H 25 L + 13 or more. A word leaves every other cycle at most, so that loads
//! are not kept waiting. Beats leave in the order they came.
//! Reset or `clear`: empty; operations under way are lost. Errors: none.
// The header, which the Verilog shows, has widths such as [L][32]: they are no links.
#![allow(rustdoc::broken_intra_doc_links)]

pub mod align;
pub mod compare;
pub mod multiplier;
pub mod normalise;
pub mod operand;
pub mod reciprocal;
pub mod round;
pub mod unit;

use super::queue::{next, shifted, Events, Queue, To, QUEUE};
use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::control::uop::op;
use crate::sm::dims::Dims;
use reciprocal::DoubleReciprocal;
use unit::{DoubleUnit, How, STAGES};

/// Operands of an operation.
const OPERANDS: usize = 3;

block! {
    /// See the module.
    pub struct Double(cfg: &GpuConfig) {
        in clear(1),
        in reserve(1),
        out ready(1),
        in in_valid(1),
        in in_high(1),
        in in_how(How::width(late)),
        in in_a([d.lanes] 32),
        in in_b([d.lanes] 32),
        in in_c([d.lanes] 32),
        in in_to(To::width(&d)),
        /// A register is written; of SM 1.3.
        in in_writes(if late; 1),
        out out_valid(1),
        in out_ready(1),
        out out_to(To::width(&d)),
        out out_data([d.lanes] 32),
        out busy(1),
        part queue(Queue:),
        /// Where the next high words go.
        reg tail_high(index),
        reg lane(turn),
        /// The low word of the result at `head` has left.
        reg second(1),
        /// Only its flags have not left; of SM 1.3.
        reg third(if late; 1),
        /// A word has left in the last cycle.
        reg pause(1),
        reg stage_valid([STAGES] 1),
        /// Place in the queue, lane.
        data stage([STAGES] index + turn),
        part low(Ram: RamKind::Lut, QUEUE, words, 1),
        part high(Ram: RamKind::Lut, QUEUE, words, 1),
        part hows(Ram: RamKind::Lut, QUEUE, How::width(late), 1),
        /// [`To`], whether there is a second word, and of SM 1.3 whether a register is written.
        part destinations(Ram: RamKind::Lut, QUEUE, To::width(&d) + 1 + late.bits(1), 1),
        /// One a lane.
        part results([d.lanes] Ram: RamKind::Lut, QUEUE, 64 + late.bits(4), 1),
        part unit(DoubleUnit: late),
        part reciprocal(if !late; DoubleReciprocal:),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
        let late = d.has.late_flags;
        let (index, turn, words) = (clog2(QUEUE), clog2(d.lanes), OPERANDS * 32 * d.lanes);
    }
}

impl Double {
    /// Words that come, into their places. Returns whether they are the low and the last ones of their beat.
    fn take(&self) -> [Expr; 2] {
        let (valid, high) = (get(&self.in_valid), get(&self.in_high));
        let how = How::unpack(self._d.has.late_flags, "come", &get(&self.in_how));
        // The words of a lane side by side.
        let lanes = self.in_a.iter().zip(&self.in_b).zip(&self.in_c);
        let words: Vec<Expr> = lanes.flat_map(|((a, b), c)| [get(a), get(b), get(c)]).collect();
        let words = pack(words.iter());
        let low = wire("low_comes", &valid & &!&high);
        let last = wire("last_comes", &valid & &(&high | !&how.wide));
        let tail = get(&self.queue.tail);
        self.low.write(&tail, &words, &low);
        self.high.write(&get(&self.tail_high), &words, &(&valid & &high));
        self.hows.write(&tail, &get(&self.in_how), &low);
        let to = match self.in_writes.get() {
            Some(writes) => cat([&get(writes), &how.wide_result, &get(&self.in_to)]),
            None => cat([&how.wide_result, &get(&self.in_to)]),
        };
        self.destinations.write(&tail, &to, &low);
        [low, last]
    }

    /// The beat at `serving`, one lane a cycle or, of a reciprocal, when its bits are found. Returns whether the beat is
    /// served, whether a result is complete, and of which place and lane.
    fn serve(&self, clear: &Expr) -> (Expr, Expr, Expr) {
        let d = &self._d;
        let (serving, lane) = (get(&self.queue.serving), get(&self.lane));
        let there = wire("there", get(&self.queue.waiting).any());
        let of_lane = 32 * OPERANDS;
        let [low, high] = [&self.low, &self.high].map(|ram| {
            let word = ram.read(0, &serving).called("words");
            select(&lane, &word.each_word(of_lane)).called("words_of_lane")
        });
        let how = self.hows.read(0, &serving).called("how");
        let kind = How::unpack(self._d.has.late_flags, "served", &how);
        for (i, to) in [&self.unit.a, &self.unit.b, &self.unit.c].into_iter().enumerate() {
            set(to, cat([&high.bits(32 * i, 32), &low.bits(32 * i, 32)]));
        }
        set(&self.unit.how, how);
        let reciprocal = self.reciprocal.get().zip(self.unit.exponent.get()).zip(self.unit.significand.get());
        let steps = match reciprocal {
            Some(((r, exponent), significand)) => {
                let slow = wire("is_slow", kind.is_reciprocal());
                set(&r.clear, clear);
                set(&r.go, &there & &slow);
                set(&r.x, low.bits(0, 32));
                set(&r.root, kind.op.is(op::RSQ64H));
                set(exponent, get(&r.exponent));
                set(significand, get(&r.significand));
                &there & &(!slow | get(&r.done))
            }
            None => there.clone(),
        };
        let steps = wire("steps", steps);
        let served = wire("served", &steps & &lane.is(d.lanes as u64 - 1));
        next(&self.lane, &steps, clear);
        let stages = [&self.stage_valid[..], &self.stage];
        let (valid, stage) = shifted(steps, cat([&serving, &lane]), stages, clear);
        (served, valid, stage)
    }

    /// Results of a lane into its memory. Returns whether those of a beat are complete.
    fn keep(&self, valid: &Expr, stage: &Expr) -> Expr {
        let turn = clog2(self._d.lanes);
        let (place, lane) = (stage.bits(turn, clog2(QUEUE)), stage.bits(0, turn));
        let y = match self.unit.flags.get() {
            Some(flags) => cat([&get(flags), &get(&self.unit.y)]),
            None => get(&self.unit.y),
        };
        for (i, result) in self.results.iter().enumerate() {
            result.write(&place, &y, &(valid & &lane.is(i as u64)));
        }
        wire("complete", valid & &lane.is(self._d.lanes as u64 - 1))
    }

    /// The words at `head`, low word first. Returns whether the beat leaves.
    fn leave(&self, clear: &Expr) -> Expr {
        let d = &self._d;
        let (head, second) = (get(&self.queue.head), get(&self.second));
        let destination = self.destinations.read(0, &head).called("destination");
        let to = To::unpack(d, "to", &destination.bits(0, To::width(d)));
        let wide = destination.bit(To::width(d));
        // Flags come last.
        let third = self.third.get().map(get);
        let last = match &third {
            Some(third) => any_of(&[third.clone(), !&to.flags & (&second | !&wide)]),
            None => &second | !&wide,
        };
        let last = wire("last_word", last);
        // Registers of a thread's lane lie as many entries apart as a warp has beats.
        let step = cat([&second, &zero(clog2(d.beats))]);
        let step = if d.beats == 1 { second.clone() } else { step };
        let entry = &to.entry + &step.zext(d.entry);
        let valid = get(&self.queue.some_finished) & !get(&self.pause);
        let valid = wire("word_there", valid);
        let goes = wire("word_goes", &valid & get(&self.out_ready));
        set(&self.out_valid, valid);
        let ends = &to.last & &last;
        let word = match &third {
            Some(third) => {
                let writes = wire("word_is_written", third | destination.msb());
                let mask = &to.mask & &writes.repeat(d.lanes);
                To { entry, last: ends, mask, flags: third.clone(), ..to.clone() }
            }
            None => To { entry, last: ends, ..to.clone() },
        };
        word.check(d);
        set(&self.out_to, word.pack());
        for (out, result) in self.out_data.iter().zip(&self.results) {
            let value = result.read(0, &head).called("result");
            let word = second.mux(&value.bits(32, 32), &value.bits(0, 32));
            match &third {
                Some(third) => set(out, third.mux(&value.bits(64, 4).zext(32), &word)),
                None => set(out, word),
            }
        }
        set(&self.pause, &goes & &!clear);
        match (self.third.get(), &third) {
            (Some(register), Some(third)) => {
                let more = !any_of(&[second.clone(), third.clone(), !&wide]);
                set(&self.second, goes.mux(&more, &second) & !clear);
                let flags = all_of(&[to.flags.clone(), !third, &second | !&wide]);
                set(register, goes.mux(&flags, third) & !clear);
            }
            _ => {
                let kept = goes.mux(&!&last, &second);
                set(&self.second, kept & !clear);
            }
        }
        wire("leaves", goes & last)
    }
}

impl Rtl for Double {
    fn rtl(&self) {
        let clear = get(&self.clear);
        let [low, last] = self.take();
        let (served, valid, stage) = self.serve(&clear);
        let complete = self.keep(&valid, &stage);
        let leaves = self.leave(&clear);
        next(&self.tail_high, &last, &clear);
        self.queue.step(&Events {
            reserve: &get(&self.reserve),
            begins: &low,
            comes: &last,
            served: &served,
            complete: &complete,
            leaves: &leaves,
            clear: &clear,
        });
        set(&self.ready, self.queue.ready());
        set(&self.busy, self.queue.busy());
    }
}

rtl_block!(Double, "double");
