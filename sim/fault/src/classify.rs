//! Classifies the result of a run.

use crate::fault::Fault;
use crate::golden::Golden;
use crate::hardened::Told;
use crate::record::{FaultOutcome, How, Pattern, Record};
use crate::site::SiteKind;
use warpsmith_model::launch::GlobalSection;

/// Remainder of a fault in the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    /// Nothing, and no other state was ever seen to differ.
    Gone,
    /// Only the faulty word differs.
    Unused,
    /// Other state differed at some time.
    Spread,
}

impl Left {
    /// How a masked fault was masked. An output holds nothing: what no register took was masked by
    /// the logic behind it.
    pub fn of(self, fault: &Fault, golden: &Golden) -> How {
        let out = golden.sites().site(fault.site).kind == SiteKind::Out;
        match self {
            Left::Unused => How::Unused,
            // A fault that never ends is not written over.
            Left::Gone if !out && fault.kind.is_stuck() => How::Unused,
            Left::Gone if !out => How::Overwritten,
            Left::Gone | Left::Spread => How::Logical,
        }
    }
}

/// A word of memory that differs from the fault-free run's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WrongWord {
    /// Byte address.
    pub address: u32,
    /// The fault-free run's word.
    pub right: u32,
    /// The word found.
    pub found: u32,
}

impl WrongWord {
    /// Bits that differ of those that are expected to be right.
    fn wrong_bits(&self, golden: &Golden) -> u32 {
        let launch = golden.launch();
        let expected = match launch.expects.is_empty() {
            true if u64::from(self.address) < launch.global_bytes => u32::MAX,
            true => 0,
            false => expected_bits(&launch.expects, self.address),
        };
        (self.right ^ self.found) & expected
    }
}

/// Whether any of the words is expected to be right.
pub(crate) fn corrupts(golden: &Golden, wrong: &[WrongWord]) -> bool {
    wrong.iter().any(|w| w.wrong_bits(golden) != 0)
}

/// How a run ended.
pub(crate) struct End<'a> {
    pub cycles: u64,
    /// Of the trap, if there was one.
    pub cause: Option<u8>,
    /// Words of memory that differ from the fault-free run's, ascending.
    pub wrong: &'a [WrongWord],
    /// First cycle in which the fault changed a bit.
    pub activated: Option<u64>,
    /// What is left of it in the state; `None`: nobody looked.
    pub left: Option<Left>,
    pub told: Told,
}

/// Record of a run.
pub(crate) fn classify(golden: &Golden, end: &End<'_>, fault: Option<&Fault>) -> Record {
    let End { cycles, cause, wrong, activated, left, told } = *end;
    let launch = golden.launch();
    let wrong_bits = |w: &WrongWord| w.wrong_bits(golden);
    let (expected, outside): (Vec<WrongWord>, Vec<WrongWord>) = wrong.iter().partition(|w| wrong_bits(w) != 0);
    let outcome = match cause {
        Some(cause) if told.is_detection(cause) => FaultOutcome::Detected,
        Some(_) => FaultOutcome::Due,
        None if !expected.is_empty() => FaultOutcome::Sdc,
        None if cycles != golden.cycles() => FaultOutcome::Timing,
        None if activated.is_none() => FaultOutcome::NotActivated,
        None if told.corrected => FaultOutcome::Corrected,
        None => FaultOutcome::Masked,
    };
    let mut r = Record::of(outcome, cycles);
    r.cause = cause;
    r.activated = activated;
    r.words_outside = outside.len() as u64;
    r.wrong_words = expected.len() as u64;
    r.wrong_bits = expected.iter().map(|w| u64::from(wrong_bits(w).count_ones())).sum();
    r.first_wrong = expected.first().map(|w| w.address);
    if outcome == FaultOutcome::Sdc {
        let addresses: Vec<u32> = expected.iter().map(|w| w.address).collect();
        r.pattern = Some(pattern(&addresses));
        r.relative_error = expected
            .iter()
            .filter(|w| {
                let floats = |e: &GlobalSection| e.max_ulp.is_some() && bits_in(e, w.address) != 0;
                launch.expects.iter().any(floats)
            })
            .map(|w| relative_error(w.right, w.found))
            .fold(None, |m: Option<f64>, e| Some(m.map_or(e, |m| m.max(e))));
    }
    if let (FaultOutcome::Masked, Some(fault)) = (outcome, fault) {
        r.how = match outside.is_empty() {
            true => left.map(|left| left.of(fault, golden)),
            false => Some(How::Outside),
        };
    }
    r
}

/// Bits of a word that a section holds.
fn bits_in(section: &GlobalSection, address: u32) -> u32 {
    let end = section.offset + section.bytes.len() as u64;
    (0..4)
        .filter(|b| (section.offset..end).contains(&(u64::from(address) + b)))
        .fold(0, |bits, b| bits | 0xff << (8 * b))
}

/// Bits of a word that any of the sections holds.
fn expected_bits(sections: &[GlobalSection], address: u32) -> u32 {
    sections.iter().fold(0, |bits, s| bits | bits_in(s, address))
}

/// Shape of word addresses, ascending and at least one.
fn pattern(addresses: &[u32]) -> Pattern {
    let mut steps = addresses.windows(2).map(|w| w[1] - w[0]);
    let Some(first) = steps.next() else { return Pattern::Single };
    match (steps.all(|s| s == first), first) {
        (true, 4) => Pattern::Run,
        (true, _) if addresses.len() > 2 => Pattern::Stride,
        _ => Pattern::Scattered,
    }
}

/// Relative error of a float; infinite when one of the two is not finite and they are not the same.
fn relative_error(right: u32, found: u32) -> f64 {
    let (a, b) = (f64::from(f32::from_bits(right)), f64::from(f32::from_bits(found)));
    match (a.is_finite() && b.is_finite(), a == 0.0) {
        (false, _) => f64::INFINITY,
        (true, true) if b == 0.0 => 0.0,
        (true, true) => f64::INFINITY,
        (true, false) => ((b - a) / a).abs(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_of_wrong_words() {
        for (addresses, shape) in [
            (&[8][..], Pattern::Single),
            (&[8, 12], Pattern::Run),
            (&[8, 12, 16, 20], Pattern::Run),
            (&[0, 32, 64], Pattern::Stride),
            (&[0, 32], Pattern::Scattered),
            (&[0, 4, 12], Pattern::Scattered),
        ] {
            assert_eq!(pattern(addresses), shape, "{addresses:?}");
        }
    }

    #[test]
    fn errors_of_floats() {
        let e = |a: f32, b: f32| relative_error(a.to_bits(), b.to_bits());
        assert_eq!(e(2.0, 3.0), 0.5);
        assert_eq!(e(-2.0, 2.0), 2.0);
        assert_eq!(e(0.0, -0.0), 0.0);
        assert_eq!(e(0.0, 1.0), f64::INFINITY);
        assert_eq!(e(1.0, f32::NAN), f64::INFINITY);
    }
}
