//! Special-function units of an SM, beside the pipeline: beats wait in a queue, results go to the
//! registers when their write port is free.
//!
//! A special function takes lanes / units cycles a beat here and one cycle in the pipeline, so other
//! instructions run on meanwhile. L lanes, U units; lane i is served by unit i mod U in pass i / U.
//!
//! | port         | width | meaning                                                              |
//! |--------------|-------|----------------------------------------------------------------------|
//! | `clear`      | 1     | forget everything                                                    |
//! | `reserve`    | 1     | a beat in stage M will come: a place is kept                         |
//! | `ready`      | 1     | there is a place; from registers only                                |
//! | `in_valid`   | 1     | the beat, as it stands before the lanes                              |
//! | `in_how`     | 6     | [`How`]: the function and its modifiers                              |
//! | `in_x`       | [L][32] | operands                                                           |
//! | `in_to`      | To    | [`To`]: where results go                                             |
//! | `out_valid`  | 1     | a beat of results, kept until `out_ready`                            |
//! | `out_ready`  | 1     | the register file takes it                                           |
//! | `out_to`     | To    | its destination                                                      |
//! | `out_data`   | [L][32] | results; undefined in lanes that do not write                      |
//! | `busy`       | 1     | a place is taken                                                     |
//!
//! ```text
//! in ─► operands ─► pass, lanes of the pass ─► units ─► results ─► out
//!   └─► destinations ─────────────────────────────────────┘
//! ```
//!
//! Timing: a beat that finds the units free begins in the cycle after `in_valid`; its results
//! stand at `out` lanes / U + 5 cycles later. Beats leave in the order they came.
//! Reset or `clear`: empty; passes under way are lost. Errors: none.
//! Source: ours. FlexGripPlus waits for its special-function units with the whole pipeline.
// The header, which the Verilog shows, has widths such as [L][32]: they are no links.
#![allow(rustdoc::broken_intra_doc_links)]

use super::queue::{next, shifted, Events, Queue, To, QUEUE};
use super::sfu::sine_ratio::SineRatio;
use super::sfu::{halves, Sfu};
use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::control::function;
use crate::sm::dims::Dims;
use crate::sm::pipeline::timing::STAGES;

packed! {
    /// What the units do.
    pub struct How(d: &Dims) {
        /// Function code, as the units take it.
        func: 3,
        neg: 1,
        abs: 1,
        sat: 1,
        /// The operand is half precision; the result is. Of G13 alone.
        half: d.has.late_halves.bits(1),
        to_half: d.has.late_halves.bits(1),
        /// RSQ: infinity and a zero change places. Of G13 and Ivy Bridge.
        root: d.has.fourth_operand.bits(1),
    }
}

packed! {
    /// What becomes of a result of G13.
    pub struct Ending(_d: ()) {
        to_half: 1,
        root: 1,
        /// It is the second half of a sine.
        ratio: 1,
    }
}

block! {
    /// See the module.
    pub struct Special(cfg: &GpuConfig) {
        in clear(1),
        in reserve(1),
        out ready(1),
        in in_valid(1),
        in in_how(How::width(&d)),
        in in_x([d.lanes] 32),
        in in_to(To::width(&d)),
        out out_valid(1),
        in out_ready(1),
        out out_to(To::width(&d)),
        out out_data([d.lanes] 32),
        out busy(1),
        part queue(Queue:),
        reg pass(clog2(d.lanes / d.sfus)),
        reg stage_valid([STAGES + d.has.late_halves.bits(1)] 1),
        /// Place in the queue, pass; not of SM 1.0: on top of them, the result is clamped; above it of G13 [`Ending`], of Ivy
        /// Bridge `How::root`.
        data stage([STAGES + d.has.late_halves.bits(1)] index + clog2(d.lanes / d.sfus) + d.has.uops.bits(1) + ending),
        /// Operands of G13, with what the units do: results come a cycle later.
        data ahead([d.has.late_halves.bits(d.sfus)] 32 + How::width(&d)),
        part ratio([d.has.late_halves.bits(d.sfus)] SineRatio:),
        part operands(Ram: RamKind::Lut, QUEUE, How::width(&d) + words, 1),
        part destinations(Ram: RamKind::Lut, QUEUE, To::width(&d), 1),
        /// One a lane.
        part results([d.lanes] Ram: RamKind::Lut, QUEUE, 32, 1),
        part unit([d.sfus] Sfu:),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
        let (index, words) = (clog2(QUEUE), 32 * d.lanes);
        let ending = d.has.late_halves.bits(Ending::width(())) + d.has.special_behind.bits(1);
    }
}

/// The result of G13 and Ivy Bridge where `y` is NaN.
fn quiet(y: &Expr) -> Expr {
    let nan = y.bits(23, 8).all() & y.bits(0, 23).any();
    wire("is_nan", nan).mux(&lit(32, 0x7fc0_0000), y)
}

/// A float clamped to 0 … 1 where `on`; NaN becomes 0.
pub(super) fn clamped(y: &Expr, on: &Expr) -> Expr {
    let exponent = y.bits(23, 8);
    let nan = exponent.all() & y.bits(0, 23).any();
    let none = wire("clamps_to_0", on & (y.bit(31) | nan));
    let one = wire("clamps_to_1", on & exponent.ge(&lit(8, 127)));
    none.mux(&zero(32), &one.mux(&lit(32, 0x3f80_0000), y))
}

impl Special {
    /// What unit `u` gets: of G13 a cycle later, halves made single and EX2's operand reduced.
    fn ahead(&self, u: usize, how: &How, x: Expr) -> (How, Expr) {
        let d = &self._d;
        let Some(register) = self.ahead.get(u) else {
            return (how.clone(), x);
        };
        let operand = halves::operand(&x, &how.half, &how.func.is(function::EX2));
        set(register, cat([&how.pack(), &operand]));
        let now = get(register);
        let x = now.bits(0, 32);
        set(&self.ratio[u].x, &x);
        (How::unpack(d, "ahead", &now.bits(32, How::width(d))), x)
    }

    /// Results of the units of G13; `stage`: what comes out with them.
    fn ends(&self, stage: &Expr) -> Vec<Expr> {
        let width = Ending::width(());
        if self.ratio.is_empty() {
            return vec![];
        }
        let below = stage.width() - width;
        let ending = Ending::unpack((), "ending", &stage.bits(below, width));
        let sat = stage.bit(below - 1);
        let of_unit = |(unit, ratio): (&Sfu, &SineRatio)| {
            let y = halves::of_root(&get(&unit.y), &ending.root);
            let y = wire("unit_result", ending.ratio.mux(&get(&ratio.y), &y));
            let y = quiet(&clamped(&y, &sat));
            wire("ended", ending.to_half.mux(&halves::rounded(&y), &y))
        };
        self.unit.iter().zip(&self.ratio).map(of_unit).collect()
    }
}

impl Rtl for Special {
    fn rtl(&self) {
        let d = &self._d;
        let index = clog2(QUEUE);
        let passes = d.lanes / d.sfus;
        let clear = get(&self.clear);

        let come = get(&self.in_valid);
        let tail = get(&self.queue.tail);
        let mut word: Vec<Expr> = get_all(&self.in_x);
        word.push(get(&self.in_how));
        self.operands.write(&tail, &pack(word.iter()), &come);
        self.destinations.write(&tail, &get(&self.in_to), &come);

        // The beat at `serving`, one pass a cycle.
        let serving = get(&self.queue.serving);
        let pass = get(&self.pass);
        let starts = wire("starts", get(&self.queue.waiting).any());
        let served = wire("served", &starts & &pass.is(passes as u64 - 1));
        if passes > 1 {
            next(&self.pass, &starts, &clear);
        } else {
            set(&self.pass, zero(1));
        }
        let word = self.operands.read(0, &serving).called("word");
        let how = How::unpack(d, "how", &word.bits(32 * d.lanes, How::width(d)));
        let x = word.bits(0, 32 * d.lanes).each_word(32);
        for (u, unit) in self.unit.iter().enumerate() {
            let shared_by: Vec<Expr> = x.iter().skip(u).step_by(d.sfus).cloned().collect();
            let (how, x) = self.ahead(u, &how, select(&pass, &shared_by));
            set(&unit.func, &how.func);
            set(&unit.neg, &how.neg);
            set(&unit.abs, &how.abs);
            set(&unit.sat, &how.sat);
            set(&unit.x, x);
        }
        let mut stage = match d.has.uops {
            true => cat([&how.sat, &serving, &pass]),
            false => cat([&serving, &pass]),
        };
        if d.has.special_behind {
            stage = cat([&how.root, &stage]);
        }
        if d.has.late_halves {
            let ratio = how.func.is(function::SIN);
            let ending = Ending { to_half: how.to_half.clone(), root: how.root.clone(), ratio };
            ending.check(());
            stage = cat([&ending.pack(), &stage]);
        }
        let (valid, stage) = shifted(starts, stage, [&self.stage_valid, &self.stage], &clear);

        // Results of a pass into their lanes.
        let pass_bits = pass.width();
        let (place, pass) = (stage.bits(pass_bits, index), stage.bits(0, pass_bits));
        let ends = self.ends(&stage);
        for (i, result) in self.results.iter().enumerate() {
            let turn = &valid & &pass.is((i / d.sfus) as u64);
            let y = get(&self.unit[i % d.sfus].y);
            let y = match ends.get(i % d.sfus) {
                Some(ended) => ended.clone(),
                None if d.has.special_behind => {
                    let sat = stage.bit(stage.width() - 2);
                    quiet(&clamped(&halves::of_root(&y, &stage.msb()), &sat))
                }
                None if d.has.uops => clamped(&y, &stage.msb()),
                None => y,
            };
            result.write(&place, &y, &turn);
        }
        let complete = wire("complete", &valid & &pass.is(passes as u64 - 1));

        let head = get(&self.queue.head);
        let finished = get(&self.queue.some_finished);
        let leaves = wire("leaves", &finished & get(&self.out_ready));
        set(&self.out_valid, finished);
        set(&self.out_to, self.destinations.read(0, &head));
        for (out, result) in self.out_data.iter().zip(&self.results) {
            set(out, result.read(0, &head));
        }

        self.queue.step(&Events {
            reserve: &get(&self.reserve),
            begins: &come,
            comes: &come,
            served: &served,
            complete: &complete,
            leaves: &leaves,
            clear: &clear,
        });
        set(&self.ready, self.queue.ready());
        set(&self.busy, self.queue.busy());
    }
}

rtl_block!(Special, "special");
