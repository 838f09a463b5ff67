//! Proofs against all patterns of small circuits, and histories that are counted by hand.

use crate::agreement::random_cells;
use crate::spliced::tree;
use crate::support::circuit;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;
use warpsmith_gates::prove::{bits_of_site, of_site, Bounds, Differing, Prover, Reach, Stuck, Verdict};
use warpsmith_gates::{brute, splice, Circuit, Collapsed, Fault, Model, ObservedKind, PinId, SourceKind, Spliced};
use warpsmith_netlist::flat::{Flat, Options};
use warpsmith_netlist::{Body, Design, Kind, Pool, Signal, SignalId, SignalKind, Tree};

/// A chip of a unit alone, with these ports, all of one bit.
fn chip(inputs: &[&str], outputs: &[&str]) -> Tree {
    let (mut unit, mut pool) = (Body::default(), Pool::default());
    for name in inputs {
        unit.add_signal((*name).into(), 1, SignalKind::Input);
    }
    for name in outputs {
        let y = unit.add_signal((*name).into(), 1, SignalKind::Output);
        unit.assigns.push((y, pool.intern(Kind::Lit(0), 1)));
    }
    unit.exprs = pool.into_list();
    let unit = tree("unit", "unit", unit, vec![]);
    let (mut body, mut pool) = (Body::default(), Pool::default());
    let own = |body: &mut Body, names: &[&str], kind: SignalKind| -> Vec<_> {
        names.iter().map(|n| body.add_signal((*n).into(), 1, kind)).collect()
    };
    let ins = own(&mut body, inputs, SignalKind::Input);
    let outs = own(&mut body, outputs, SignalKind::Output);
    let nets: Vec<Signal> = unit.module.body.ports().map(|(_, p)| Signal::at_port(0, "unit", p)).collect();
    let nets: Vec<_> = nets.into_iter().map(|s| body.add_signal(s.name, s.width, s.kind)).collect();
    for (net, input) in nets.iter().zip(&ins) {
        body.assigns.push((*net, pool.intern(Kind::Signal(*input), 1)));
    }
    for (output, net) in outs.iter().zip(&nets[ins.len()..]) {
        body.assigns.push((*output, pool.intern(Kind::Signal(*net), 1)));
    }
    body.exprs = pool.into_list();
    tree("chip", "chip", body, vec![unit])
}

/// A circuit in its chip, with a place for a fault at every pin.
fn placed(c: &Circuit) -> (Spliced, Flat) {
    let inputs: Vec<&str> =
        c.sources.iter().filter(|s| s.kind == SourceKind::Port && s.name != "reset").map(|s| &s.name[..]).collect();
    let outputs: Vec<&str> = c.observed.iter().filter(|o| o.kind == ObservedKind::Port).map(|o| &o.name[..]).collect();
    let pins: Vec<PinId> = (0..c.pins().len() as u32).map(PinId).collect();
    let spliced = splice(chip(&inputs, &outputs), "u_unit", c, Model::StuckAt, &pins).unwrap_or_else(|e| panic!("{e}"));
    let flat = Flat::new(&Design::new(spliced.tree.clone()), Options { taps: true }).unwrap_or_else(|e| panic!("{e}"));
    (spliced, flat)
}

fn bounds(depth: u32, rounds: u32) -> Bounds {
    Bounds { reach: Reach { depth, variables: 10_000 }, conflicts: 10_000, most: 20_000, rounds, differing: 8 }
}

/// What the prover says of each fault, by its number.
fn verdicts(c: &Circuit, depth: u32, rounds: u32, always: bool) -> Vec<Verdict> {
    let (spliced, flat) = placed(c);
    let mut prover = Prover::new(&flat, bounds(depth, rounds), &|_| false, Differing::new());
    (0..2 * c.pins().len() as u32)
        .map(|n| {
            let (path, value) = spliced.force(Fault::of(n));
            let tap = of_site(&flat, &path);
            assert_eq!(tap.len(), 1, "{path}");
            prover.stuck(Stuck { tap: tap[0], value, always }, &[])
        })
        .collect()
}

/// The verdict of a pin by its name.
fn of(c: &Circuit, depth: u32, name: &str, value: bool) -> bool {
    let pin = (0..c.pins().len() as u32).map(PinId).find(|p| c.pin_name(*p) == name);
    let fault = Fault { pin: pin.unwrap_or_else(|| panic!("no pin {name}")), value };
    verdicts(c, depth, 0, true)[fault.number() as usize] == Verdict::Impossible
}

#[test]
fn a_redundant_gate_is_proved_and_no_other_is() {
    // y is a, by two terms: the input b of each can be 1, and nothing changes.
    let c = circuit("a b", "y", "n = NOT b\np = AND a b\nq = AND a n\ny = OR p q");
    assert!(of(&c, 0, "p.B", true) && of(&c, 0, "q.B", true));
    for (pin, value) in [("p.A", true), ("p.Y", false), ("p.B", false), ("n.Y", false), ("y.Y", true), ("q.A", false)] {
        assert!(!of(&c, 0, pin, value), "{pin} {value}");
    }
}

/// A prover that says so of a fault that some pattern shows, or does not of one that none shows, is found out.
#[test]
fn proofs_are_those_of_all_patterns() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let (mut proved, mut shown) = (0, 0);
    for round in 0..warpsmith_testkit::cases(25, 1000) {
        let size = rng.gen_range(2..40);
        let cells = random_cells(&mut rng, size);
        let states = cells.lines().filter(|l| l.starts_with('q')).count();
        // All registers are outputs: one that nothing reads would not be compared.
        let mut outputs = vec![format!("w{}", size - 1)];
        outputs.extend((0..states).map(|i| format!("q{i}")));
        let c = circuit("clock a b c d", &outputs.join(" "), &cells);
        let list = Collapsed::new(&c, Model::StuckAt);
        for (n, verdict) in verdicts(&c, 0, 0, true).into_iter().enumerate() {
            let fault = Fault::of(n as u32);
            let any = (0..1u64 << c.bits()).any(|x| !brute::shows(&c, Model::StuckAt, fault, &[x], None).is_empty());
            let name =
                format!("{round}: {} {} of {} classes\n{cells}", c.pin_name(fault.pin), fault.value, list.classes());
            match verdict {
                Verdict::Impossible => assert!(!any, "{name}"),
                Verdict::Shows(_) => assert!(any, "{name}"),
                Verdict::Unknown => panic!("{name}"),
            }
            proved += usize::from(!any);
            shown += usize::from(any);
        }
    }
    assert!(proved > 50 && shown > 500, "{proved} {shown}");
}

#[test]
fn what_a_decoder_never_gives_is_proved_by_history_alone() {
    // A register holds w and its inverse: both at once never come.
    let never = "d1 = NOT w\nq0 = DFFE_PP clock w e\nq1 = DFFE_PP clock d1 e\ny = AND q0 q1";
    let c = circuit("clock w e", "y", never);
    assert!(!of(&c, 0, "y.Y", false) && of(&c, 1, "y.Y", false));
    // Stuck at 1 shows whatever they hold; the register of w stuck shows at the other's term.
    assert!(!of(&c, 1, "y.Y", true));
    // A second bit of the word makes it come.
    let comes = "n = NOT w\nd1 = OR n v\nq0 = DFFE_PP clock w e\nq1 = DFFE_PP clock d1 e\ny = AND q0 q1";
    assert!(!of(&circuit("clock w v e", "y", comes), 3, "y.Y", false));
    // Registers of two enables were written in two cycles.
    let apart = "d1 = NOT w\nq0 = DFFE_PP clock w e\nq1 = DFFE_PP clock d1 f\ny = AND q0 q1";
    assert!(!of(&circuit("clock w e f", "y", apart), 3, "y.Y", false));
    // A reset is a write too: both are 1 after it.
    let reset = "d1 = NOT w\nq0 = SDFFE_PP1P clock w reset e\nq1 = SDFFE_PP1P clock d1 reset e\ny = AND q0 q1";
    assert!(!of(&circuit("clock reset w e", "y", reset), 3, "y.Y", false));
}

#[test]
fn a_history_goes_through_stages() {
    // Two stages that wait for each other; the second one sees what the first took some time before.
    let stages = "n = NOT w\na0 = DFFE_PP clock w e\na1 = DFFE_PP clock n e\nb0 = DFFE_PP clock a0 f\nb1 = DFFE_PP clock a1 f\ny = AND b0 b1";
    let c = circuit("clock w e f", "y", stages);
    assert!(!of(&c, 1, "y.Y", false) && of(&c, 2, "y.Y", false));
}

/// All runs of a small circuit.
struct Runs<'a> {
    c: &'a Circuit,
    /// Flip-flops: signal and bit of the pattern.
    states: Vec<(SignalId, u64)>,
}

impl<'a> Runs<'a> {
    fn of(c: &'a Circuit) -> Self {
        let first = c.sources.iter().map(|s| s.first).min().unwrap_or(0);
        let states = c.sources.iter().filter(|s| s.kind == SourceKind::Register);
        Runs { c, states: states.map(|s| (s.signal, 1 << (s.first - first))).collect() }
    }

    fn mask(&self) -> u64 {
        self.states.iter().map(|s| s.1).sum()
    }

    fn inputs(&self) -> impl Iterator<Item = u64> {
        let mask = self.mask();
        (0..1u64 << self.c.bits()).filter(move |x| x & mask == 0)
    }

    /// State after a cycle, and the outputs in it.
    fn step(&self, pattern: u64, fault: Option<Fault>) -> (u64, Vec<bool>) {
        let values = brute::values(self.c, &[pattern], fault);
        let (mut next, mut ports) = (0, vec![]);
        for o in &self.c.observed {
            let value = values[o.net as usize];
            match o.kind {
                ObservedKind::Port => ports.push(value),
                _ => next |= self.states.iter().find(|s| value && s.0 == o.signal).map_or(0, |s| s.1),
            }
        }
        (next, ports)
    }

    /// States in which every flip-flop took another value so many times since power-on: as often as a history asks.
    fn starts(&self, times: u32) -> BTreeSet<u64> {
        let mask = self.mask();
        let mut reached = BTreeSet::new();
        let mut open: Vec<(u64, u64, u32)> = (0..=mask).filter(|s| s & !mask == 0).map(|s| (s, 0, 0)).collect();
        while let Some((state, written, count)) = open.pop() {
            if !reached.insert((state, written, count)) {
                continue;
            }
            for inputs in self.inputs() {
                let next = self.step(inputs | state, None).0;
                let written = written | next ^ state;
                open.push(match written == mask {
                    true => (next, 0, times.min(count + 1)),
                    false => (next, written, count),
                });
            }
        }
        reached.into_iter().filter(|r| r.2 == times).map(|r| r.0).collect()
    }

    /// Whether some inputs, in any number of cycles, make an output of a faulty copy another than that of a copy that began
    /// in the same state: all pairs of states that the two can reach.
    fn show(&self, starts: &BTreeSet<u64>, fault: Fault, always: bool) -> bool {
        let mut reached = BTreeSet::new();
        let mut open: Vec<(u64, u64)> = starts.iter().map(|s| (*s, *s)).collect();
        while let Some(pair) = open.pop() {
            if !reached.insert(pair) {
                continue;
            }
            for inputs in self.inputs() {
                let good = self.step(inputs | pair.0, None);
                for fault in [Some(fault), None].into_iter().take(if always { 1 } else { 2 }) {
                    let bad = self.step(inputs | pair.1, fault);
                    if good.1 != bad.1 {
                        return true;
                    }
                    open.push((good.0, bad.0));
                }
            }
        }
        false
    }
}

/// A prover that says that no run shows a fault, and one does, is found out; and it says so of more faults than by comparing
/// all registers.
#[test]
fn faults_that_stay_in_registers_are_proved() {
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    let (mut proved, mut more, mut never) = (0, 0, 0);
    for round in 0..warpsmith_testkit::cases(60, 3000) {
        let size = rng.gen_range(2..30);
        let cells = random_cells(&mut rng, size);
        let c = circuit("clock a b c d", &format!("w{}", size - 1), &cells);
        // Faults of all cycles, and of some.
        let always = round % 2 == 0;
        let (plain, runs) = (verdicts(&c, 2, 0, always), Runs::of(&c));
        let starts = runs.starts(3);
        if starts.is_empty() {
            continue;
        }
        for (n, verdict) in verdicts(&c, 2, 6, always).into_iter().enumerate() {
            let fault = Fault::of(n as u32);
            let shows = runs.show(&starts, fault, always);
            let name = format!("{round}: {} {}\n{cells}", c.pin_name(fault.pin), fault.value);
            assert!(verdict != Verdict::Impossible || !shows, "{name}");
            proved += usize::from(verdict == Verdict::Impossible);
            more += usize::from(verdict == Verdict::Impossible && plain[n] != Verdict::Impossible);
            never += usize::from(!shows);
        }
    }
    assert!(more > 10 && 10 * proved > 7 * never, "{proved} of {never}, {more} of them by registers that may differ");
}

#[test]
fn a_stage_that_ignores_a_bit_hides_its_fault() {
    // `use` says in the second stage whether `x` counts; the fault is in `x` where `use` is 0.
    let stages = "n = NOT k\nm = AND x n\nd = OR m z\na0 = DFFE_PP clock d e\na1 = DFFE_PP clock k e\nb0 = DFFE_PP clock a0 f\nb1 = DFFE_PP clock a1 f\ny = AND b0 b1";
    let c = circuit("clock x k z e f", "y", stages);
    let pin = (0..c.pins().len() as u32).map(PinId).find(|p| c.pin_name(*p) == "m.Y").expect("a pin");
    let stuck =
        |value, depth, rounds| verdicts(&c, depth, rounds, true)[Fault { pin, value }.number() as usize].clone();
    assert_ne!(stuck(false, 2, 0), Verdict::Impossible);
    assert_eq!(stuck(false, 2, 6), Verdict::Impossible);
    // Without the history of the second stage its bits have nothing in common; the other value shows.
    assert_ne!(stuck(false, 1, 6), Verdict::Impossible);
    assert_ne!(stuck(true, 2, 6), Verdict::Impossible);
}

#[test]
fn bits_that_are_zero_in_all_cycles_are_believed() {
    let c = circuit("clock w x", "y", "q = DFF_P clock w\ny = AND q x");
    let (spliced, flat) = placed(&c);
    let zero = bits_of_site(&flat, "u_unit.q", 0, 1);
    assert_eq!(zero.values().copied().collect::<Vec<_>>(), [1]);
    let pin = (0..c.pins().len() as u32).map(PinId).find(|p| c.pin_name(*p) == "y.B").expect("a pin");
    let (path, _) = spliced.force(Fault { pin, value: true });
    for (zeros, impossible) in [(Differing::new(), false), (zero, true)] {
        let mut prover = Prover::new(&flat, bounds(1, 2), &|_| false, zeros);
        assert_eq!(
            prover.stuck(Stuck { tap: of_site(&flat, &path)[0], value: true, always: true }, &[])
                == Verdict::Impossible,
            impossible
        );
    }
}
