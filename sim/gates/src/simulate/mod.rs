//! Parallel-pattern fault simulation: 256 patterns at once, critical-path tracing within fan-out-free regions, and
//! propagation from the stem of a region alone.
//!
//! A region is a tree of gates whose nets have one reader each; its root drives the stem, which has several readers or
//! leaves the circuit. Within a region, the patterns in which a pin reaches the stem follow from the fault-free values,
//! from the root backwards ([`regions`]). The stem is then inverted in the patterns in which some fault of the region
//! inverts it, and what differs is followed through its cone, level by level ([`cone`]). A pattern that shows the stem
//! shows every fault that inverts the stem in it.

mod cone;
mod regions;

use crate::circuit::{Circuit, FIRST, ONE};
use crate::collapse::Collapsed;
use crate::fault::{Fault, Model, Place};
use crate::pattern::Patterns;
use crate::word::{Word, PATTERNS};
use cone::Cone;
use regions::Regions;

/// How faults are simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Leave a fault out once a pattern has shown it.
    pub drop: bool,
}

/// What is known of a class of faults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Detection {
    /// First pattern that shows it.
    pub first: Option<usize>,
    /// Patterns that show it; with dropping those of the 256 patterns of the first alone.
    pub patterns: u64,
    /// Outputs, by number, at which the first pattern shows it.
    pub outputs: Vec<u32>,
}

/// The result of a simulation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Of each class.
    pub detections: Vec<Detection>,
    /// Classes times patterns that were considered: with dropping, of those classes alone that were open.
    pub evaluations: u64,
}

/// Simulates the classes of a fault list over patterns.
///
/// # Panics
/// Patterns of another circuit; transition faults over patterns without pairs.
pub fn run(circuit: &Circuit, faults: &Collapsed, patterns: &Patterns, options: Options) -> Outcome {
    run_some(circuit, faults, patterns, options, &|_| true)
}

/// [`run`] for the classes that are `wanted`; nothing is found of the others.
///
/// # Panics
/// As [`run`].
pub fn run_some(
    circuit: &Circuit, faults: &Collapsed, patterns: &Patterns, options: Options, wanted: &dyn Fn(usize) -> bool,
) -> Outcome {
    assert_eq!(circuit.bits(), patterns.bits(), "patterns are of this circuit");
    let pairs = faults.model() == Model::Transition;
    assert!(!pairs || patterns.pairs(), "transition faults take pairs of patterns");
    let regions = Regions::of(circuit);
    let mut live = regions.faults(circuit, faults.representatives());
    live.iter_mut().for_each(|open| open.retain(|class| wanted(*class as usize)));
    let mut cone = Cone::new(circuit);
    let mut out = Outcome { detections: vec![Detection::default(); faults.classes()], evaluations: 0 };
    let mut values = vec![Word::ZERO; circuit.nets.len()];
    let mut before = vec![Word::ZERO; if pairs { circuit.nets.len() } else { 0 }];
    let mut reach = vec![Word::ZERO; circuit.cells.len()];
    let mut local: Vec<(u32, Word)> = vec![];
    for start in (0..patterns.len()).step_by(PATTERNS) {
        let count = PATTERNS.min(patterns.len() - start);
        let valid = Word::first(count);
        settle(circuit, &mut values, (0..count).map(|i| patterns.pattern(start + i)));
        if pairs {
            settle(circuit, &mut before, (0..count).filter_map(|i| patterns.before(start + i)));
        }
        cone.begin(&values);
        for (region, open) in regions.list.iter().zip(&mut live) {
            if open.is_empty() {
                continue;
            }
            out.evaluations += (open.len() * count) as u64;
            regions.trace(circuit, region, &values, &mut reach);
            local.clear();
            let mut need = Word::ZERO;
            for &class in open.iter() {
                let fault = faults.representatives()[class as usize];
                let word = acts(circuit, fault, &values, &before, pairs) & reached(circuit, fault, &values, &reach);
                let word = word & valid;
                if !word.is_zero() {
                    need = need | word;
                    local.push((class, word));
                }
            }
            if local.is_empty() {
                continue;
            }
            // The outputs are asked for at the first pattern alone.
            let enough = local.iter().all(|(class, _)| out.detections[*class as usize].first.is_some());
            let seen = cone.follow(&values, region.stem, need, enough);
            if seen.is_zero() {
                continue;
            }
            for &(class, word) in &local {
                let shown = word & seen;
                let Some(i) = shown.lowest() else { continue };
                let d = &mut out.detections[class as usize];
                d.patterns += u64::from(shown.0.iter().map(|w| w.count_ones()).sum::<u32>());
                if d.first.is_none() {
                    d.first = Some(start + i);
                    d.outputs = cone.outputs(i);
                }
            }
            if options.drop {
                open.retain(|class| out.detections[*class as usize].first.is_none());
            }
        }
    }
    out
}

/// Fault-free values of all nets for up to 256 patterns.
fn settle<'a>(circuit: &Circuit, values: &mut [Word], patterns: impl Iterator<Item = &'a [u64]>) {
    let bits = circuit.bits();
    let inputs = FIRST as usize..FIRST as usize + bits;
    values[inputs.clone()].fill(Word::ZERO);
    for (i, pattern) in patterns.enumerate() {
        for (word, mut x) in pattern.iter().copied().enumerate() {
            while x != 0 {
                let bit = 64 * word + x.trailing_zeros() as usize;
                x &= x - 1;
                if bit < bits {
                    values[FIRST as usize + bit].set(i);
                }
            }
        }
    }
    values[ONE as usize] = Word::ONES;
    for cell in &circuit.cells {
        values[cell.output as usize] = cell.gate.value(cell.inputs.map(|n| values[n as usize]));
    }
}

/// Patterns in which the fault changes the value at its pin.
#[inline(always)]
fn acts(circuit: &Circuit, fault: Fault, values: &[Word], before: &[Word], pairs: bool) -> Word {
    let net = circuit.net_at(fault.pin) as usize;
    let (now, was) = match fault.value {
        true => (!values[net], if pairs { before[net] } else { Word::ONES }),
        false => (values[net], if pairs { !before[net] } else { Word::ONES }),
    };
    now & was
}

/// Patterns in which a change at the pin reaches the stem of its region.
#[inline(always)]
fn reached(circuit: &Circuit, fault: Fault, values: &[Word], reach: &[Word]) -> Word {
    let pin = &circuit.pins()[fault.pin.0 as usize];
    let cell = &circuit.cells[pin.cell as usize];
    let out = reach[pin.cell as usize];
    match pin.place {
        Place::Output => out,
        Place::Input(i) => out & cell.gate.follows(i as usize, cell.inputs.map(|n| values[n as usize])),
    }
}
