//! The saboteur of a register: it holds the register, between which and its next value the fault acts.

use super::build::{merged, Tap, SOURCE};
use crate::design::Tree;
use crate::expr::Binary;
use crate::module::SignalKind;
use crate::pass::build::Build;

/// A register of `width` bits with its saboteur, as an instance. Ports: value `q`, next value `d`, those of the chain.
pub fn saboteur(register: &str, width: u32, reset: Option<u64>) -> Tree {
    let mut b = Build::new(
        SOURCE,
        format!("saboteur_{width}"),
        "Register with a saboteur: bits under the mask, which the chain holds, become at the edge what the control says.",
    );
    let q = b.signal("q", width, SignalKind::Output);
    let d = b.signal("d", width, SignalKind::Input);
    let mut tap = Tap::new(&mut b);
    let state = b.signal("r", width, SignalKind::Reg { reset });
    let mask = tap.bits(&mut b, "mask", width);
    tap.close(&mut b);
    let acts = tap.acts(&mut b);
    let acts = b.repeat(width, acts);
    let under = b.get(mask);
    let under = b.binary(Binary::And, acts, under);
    let under = b.wire("under", under);
    let (now, next) = (b.get(state), b.get(d));
    let (flips, inverse) = (tap.flips(&mut b), b.not(next));
    let forced = tap.forced(&mut b, now);
    let becomes = b.mux(flips, inverse, forced);
    let becomes = b.wire("becomes", becomes);
    let (under, becomes) = (b.get(under), b.get(becomes));
    let value = merged(&mut b, under, becomes, next);
    b.set(state, value);
    b.set(q, now);
    let differs = b.binary(Binary::Xor, becomes, next);
    let differs = b.binary(Binary::And, under, differs);
    let differs = b.any(differs);
    let changed = b.signal("changed", 1, SignalKind::Reg { reset: Some(0) });
    b.set(changed, differs);
    let told = b.get(changed);
    b.set(tap.changed, told);
    Tree { instance: format!("{register}_saboteur"), module: b.finish(), children: vec![] }
}
