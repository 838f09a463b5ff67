//! Lane of micro-operations: one thread's operation a cycle, of every set beside SM 1.0.
//!
//! | port  | width | meaning                                                    |
//! |-------|-------|------------------------------------------------------------|
//! | `ctl` | 56    | operation, `UopControl`; same for every lane               |
//! | `a`   | 32    | first operand; 16-bit floats use the low half only         |
//! | `b`   | 32    | second operand, shift count                                |
//! | `c`   | 32    | third operand                                              |
//! | `p`   | 3     | predicates p1, p2, p3, p1 in bit 0                         |
//! | `y`   | 32    | result                                                     |
//! | `q`   | 2     | predicate results q1, q2, q1 in bit 0                      |
//!
//! Timing: inputs of cycle t are registered at its end; `y` and `q` are valid in cycle
//! t + `UOP_STAGES`. Fully pipelined, free running: no enable, no stall.
//! Reset: none, results mean nothing until inputs did. Errors: none.

use crate::rtl::prelude::*;
use crate::sm::control::uop::UopControl;
use crate::sm::pipeline::timing::UOP_STAGES;

block! {
    /// See the module.
    /// `half`: half precision sources, SHIFT_PAIR, INTERLEAVE and shift counts modulo 128.
    /// `quiet_nan`: NaN results are 0x7fc00000 and 0x7e00, else 0x7fffffff and 0x7fff.
    pub struct UopLane(half: bool, quiet_nan: bool) {
        in ctl(UopControl::width(())),
        in a(32),
        in b(32),
        in c(32),
        in p(3),
        out y(32),
        out q(2),
        data held([UOP_STAGES] 34),
        keep _half(bool = half),
        keep _quiet_nan(bool = quiet_nan),
    }
}

impl Rtl for UopLane {
    fn rtl(&self) {
        let op = UopControl::unpack((), "op", &get(&self.ctl));
        let y = op.float.mux(&get(&self.c), &(get(&self.a) ^ get(&self.b)));
        let mut held = cat([&get(&self.p).bits(0, 2), &y]);
        for register in &self.held {
            set(register, held);
            held = get(register);
        }
        set(&self.y, held.bits(0, 32));
        set(&self.q, held.bits(32, 2));
    }
}

rtl_block!(UopLane, "uop_lane");
