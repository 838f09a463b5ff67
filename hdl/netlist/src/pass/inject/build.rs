//! Ports of what is on the chain, and its shift registers.

use crate::expr::Binary;
use crate::id::{ExprId, SignalId};
use crate::module::SignalKind;
use crate::pass::build::Build;
use warpsmith_contract::inject::ShotBecomes;

/// Rust file of the modules that the pass adds.
pub const SOURCE: &str = "hdl/netlist/src/pass/inject/mod.rs";

/// Input: what the controller says. See the bits below.
pub const CONTROL: &str = "inject_control";
/// Its width.
pub const CONTROL_BITS: u32 = 4;
/// Input: the chain before.
pub const IN: &str = "inject_in";
/// Output: the chain behind.
pub const OUT: &str = "inject_out";
/// Output: a bit changed at the last edge.
pub const CHANGED: &str = "inject_changed";

/// Bit of [`CONTROL`]: the chain shifts.
const SHIFT: u32 = 0;
/// Bit: bits under the mask change at the coming edge.
const ACT: u32 = 1;
/// Two bits: to what.
const BECOMES: u32 = 2;

/// They are inverted.
pub const FLIP: u64 = ShotBecomes::Inverse as u64;
/// They stay as they are.
pub const HOLD: u64 = 1;
/// They are 0; with bit 0, 1.
pub const CONSTANT: u64 = ShotBecomes::Zero as u64;

/// Ports of a module on the chain.
pub struct Tap {
    control: SignalId,
    tail: ExprId,
    output: SignalId,
    /// The event.
    pub changed: SignalId,
}

impl Tap {
    /// Adds the ports.
    pub fn new(b: &mut Build) -> Self {
        let control = b.signal(CONTROL, CONTROL_BITS, SignalKind::Input);
        let input = b.signal(IN, 1, SignalKind::Input);
        let output = b.signal(OUT, 1, SignalKind::Output);
        let changed = b.signal(CHANGED, 1, SignalKind::Output);
        Tap { control, tail: b.get(input), output, changed }
    }

    /// The next bits of the chain.
    pub fn bits(&mut self, b: &mut Build, name: &str, width: u32) -> SignalId {
        let register = b.signal(name, width, SignalKind::Reg { reset: None });
        let shift = b.slice(self.control, SHIFT, 1);
        let mut parts = vec![self.tail];
        if width > 1 {
            parts.push(b.slice(register, 0, width - 1));
        }
        let next = b.cat(parts);
        b.when(shift, |b| b.set(register, next));
        self.tail = b.slice(register, width - 1, 1);
        register
    }

    /// Ends the chain of the module.
    pub fn close(&self, b: &mut Build) {
        b.set(self.output, self.tail);
    }

    /// Bits change at the coming edge.
    pub fn acts(&self, b: &mut Build) -> ExprId {
        b.slice(self.control, ACT, 1)
    }

    /// They are inverted.
    pub fn flips(&self, b: &mut Build) -> ExprId {
        let becomes = b.slice(self.control, BECOMES, 2);
        let flip = b.lit(2, FLIP);
        b.binary(Binary::Eq, becomes, flip)
    }

    /// What bits become that are not inverted: a constant, or what they are, `held`.
    pub fn forced(&self, b: &mut Build, held: ExprId) -> ExprId {
        let constant = b.slice(self.control, BECOMES + 1, 1);
        let bit = b.slice(self.control, BECOMES, 1);
        let bits = b.repeat(b.width(held), bit);
        b.mux(constant, bits, held)
    }
}

/// `yes` where the mask is 1, `no` elsewhere.
pub fn merged(b: &mut Build, mask: ExprId, yes: ExprId, no: ExprId) -> ExprId {
    let outside = b.not(mask);
    let (yes, no) = (b.binary(Binary::And, mask, yes), b.binary(Binary::And, outside, no));
    b.binary(Binary::Or, yes, no)
}
