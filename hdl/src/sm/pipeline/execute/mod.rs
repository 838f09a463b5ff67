//! Stages O and E1 to E4: operands stand before the lanes, the lanes and the special-function units compute.

pub mod float;
pub mod int;
pub mod lane;
pub mod sfu;
pub mod special;
pub mod uop;

use super::bundles::{BeatTag, Operands};
use super::timing::depth;
use crate::rtl::prelude::*;
use crate::sm::control::uop::UopControl;
use crate::sm::control::{alu_width, AluControl};
use crate::sm::dims::Dims;
use lane::Lane;
use special::{How, Special, To};
use uop::UopLane;

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

    /// What stands in W.
    pub fn last(&self) -> Beside {
        self.stage(self.valid.len() - 1)
    }
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

/// What the stages read and drive.
pub struct ExecuteStages<'a> {
    pub d: &'a Dims,
    pub clear: &'a Input,
    /// [`BeatTag`] of the beat in D.
    pub tag: &'a Reg,
    pub o: &'a LaneRegisters,
    pub x: &'a ResultRegisters,
    /// Lanes of SM 1.0, or of micro-operations.
    pub lanes: &'a [Lane],
    pub uop_lanes: &'a [UopLane],
    pub special: Option<&'a Special>,
}

impl ExecuteStages<'_> {
    /// What the lanes do: `alu` of the beat in D, or what O holds of it.
    pub fn control(&self, alu: Expr) -> Expr {
        match self.o.alu.get() {
            Some(o) => {
                set(o, alu);
                get(o)
            }
            None => alu,
        }
    }

    /// Operands of lane `i` from D, through O. Returns the first as the lane gets it.
    pub fn lane(&self, i: usize, alu: &Expr, operands: Operands) -> Expr {
        let operands = match self.o.operands.get(i) {
            Some(o) => {
                set(o, operands.pack());
                Operands::unpack(self.d, &format!("o{i}"), &get(o))
            }
            None => operands,
        };
        if let Some(lane) = self.lanes.get(i) {
            set(&lane.ctl, alu);
            set(&lane.a, &operands.a);
            set(&lane.b, operands.b);
            set(&lane.c, operands.c);
            set(&lane.cin, operands.carry);
        } else {
            let lane = &self.uop_lanes[i];
            set(&lane.ctl, alu);
            set(&lane.a, &operands.a);
            set(&lane.b, operands.b);
            set(&lane.c, operands.c);
            if let Some(d) = lane.d.get() {
                set(d, operands.fourth);
            }
            set(&lane.p, operands.p);
        }
        operands.a
    }

    /// Operands of special functions into their queue. `leaves`: the beat in D goes on.
    pub fn special(&self, leaves: &Expr, operands: &[Expr]) {
        if let Some(special) = self.special {
            self.special_functions(special, leaves, operands);
        }
    }

    /// Operands of special functions into their queue, from where the lanes have them.
    fn special_functions(&self, s: &Special, leaves: &Expr, operands: &[Expr]) {
        let d = self.d;
        let (valid, tag) = match d.forward {
            true => (leaves.clone(), self.tag),
            false => (get(&self.x.valid[0]), &self.x.tag[0]),
        };
        let tag = BeatTag::unpack(d, "s", &get(tag));
        let how = match d.has_uops() {
            true => {
                let alu = UopControl::unpack((), "s", &tag.alu);
                How { func: alu.table.bits(0, 3), neg: alu.neg_a, abs: alu.abs_a, sat: alu.sat }
            }
            false => {
                let alu = AluControl::unpack((), "s", &tag.alu);
                How { func: alu.cond, neg: alu.neg, abs: alu.abs, sat: alu.sat }
            }
        };
        how.check(());
        let to = To { mask: in_quad(&tag), warp: tag.warp, slot: tag.slot, entry: tag.entry, last: tag.last };
        to.check(d);
        set(&s.clear, get(self.clear));
        set(&s.in_valid, valid & &tag.special);
        set(&s.in_how, how.pack());
        set(&s.in_to, to.pack());
        for (to, x) in s.in_x.iter().zip(operands) {
            set(to, x);
        }
    }
}
