//! The flat netlist is the design: random designs, and every operation at every width, evaluated node by
//! node and read bit by bit.

use crate::support;
use rand::Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_chacha::ChaCha8Rng;
use support::interpreter::{bits, Bits, Machine};
use warpsmith_netlist::flat::{Evaluator, Flat, Options};
use warpsmith_netlist::{pass, Binary, Description, Design, ExprId, Kind, Signal, SignalId, SignalKind, Stmt, Tree};
use warpsmith_testkit::netlist::{design, value};

/// Designs that are tried; more in `make soak`.
fn cases() -> u64 {
    warpsmith_testkit::cases(200, 20_000)
}

/// Drives both with the same random inputs and compares every output in every cycle.
fn compared(design: &Design, name: &str, cycles: usize, rng: &mut ChaCha8Rng) {
    let flats = [false, true].map(|taps| Flat::new(design, Options { taps }).unwrap_or_else(|e| panic!("{name}: {e}")));
    let mut plain = Machine::new(design);
    let mut machines = flats.each_ref().map(|f| (f, Evaluator::new(f)));
    for cycle in 0..cycles {
        let reset = cycle == 0 || rng.gen_range(0..16) == 0;
        for (i, port) in flats[0].ports.iter().enumerate() {
            let words: Bits = match port.name.as_str() {
                _ if !port.is_input() => continue,
                "clock" => continue,
                "reset" => vec![reset],
                _ => {
                    let chunks = (0..port.width.div_ceil(128)).flat_map(|_| bits(value(rng), 128));
                    chunks.take(port.width).collect()
                }
            };
            for (_, machine) in &mut machines {
                for (word, chunk) in words.chunks(64).enumerate() {
                    let ones = chunk.iter().enumerate().filter(|(_, b)| **b);
                    machine.drive(i, word, ones.map(|(i, _)| 1u64 << i).sum());
                }
            }
            if port.name != "reset" {
                plain.drive(&port.name, words);
            }
        }
        plain.settle();
        for (flat, machine) in &mut machines {
            machine.settle();
            for (port, nodes) in &flat.outputs {
                let port = &flat.ports[*port as usize];
                let words = nodes.iter().map(|n| machine.value(*n));
                let found: Bits = words.flat_map(|w| bits(w.into(), 64)).take(port.width).collect();
                let expected = plain.value(&port.name);
                assert_eq!(&found, expected, "{name}, cycle {cycle}, output {}", port.name);
            }
            machine.edge();
        }
        plain.edge(reset);
    }
}

#[test]
fn random_designs_are_their_flat_form() {
    let mut memories = 0;
    for seed in 0..cases() {
        let design = design(seed);
        memories += usize::from(design.modules.iter().any(|m| m.body.memory.is_some()));
        let mut rng = ChaCha8Rng::seed_from_u64(!seed);
        compared(&design, &format!("seed {seed}"), 24, &mut rng);
    }
    assert!(memories > 50, "{memories} designs with a memory");
}

/// A block with inputs `a`, `b`, `c` of one bit, an index of 8 bits and one of 70, and an output for every
/// expression that `make` gives.
fn block(width: u32, make: impl Fn(&mut Description, [ExprId; 5]) -> Vec<(ExprId, u32)>) -> Design {
    let signal = |name: &str, width: u32, kind: SignalKind| Signal { name: name.into(), width, kind };
    let widths = [("a", width), ("b", width), ("c", 1), ("near", 8), ("far", 70)];
    let mut d = Description {
        name: "block".into(),
        source: "none".into(),
        signals: widths.map(|(n, w)| signal(n, w, SignalKind::Input)).into(),
        ..Description::default()
    };
    let mut i = 0;
    let inputs = widths.map(|(_, width)| {
        i += 1;
        d.exprs.intern(Kind::Signal(SignalId(i - 1)), width)
    });
    for (e, width) in make(&mut d, inputs) {
        let s = SignalId(d.signals.len() as u32);
        d.signals.push(signal(&format!("y_{}", s.0), width, SignalKind::Output));
        d.statements.push(Stmt::Set(s, e));
    }
    let module = d.finish().unwrap_or_else(|e| panic!("{width} bits: {e}"));
    Design::new(Tree { instance: "top".into(), module, children: vec![] })
}

#[test]
fn every_operation_at_every_width_is_its_flat_form() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    // Carries go through a whole word from three words on.
    for width in (1..=128).chain([129, 160, 191, 192, 193, 256, 300]) {
        let (lo, part) = (rng.gen_range(0..width), rng.gen_range(1..=3));
        let design = block(width, |d, [a, b, c, near, far]| {
            let mut list = vec![];
            let mut put = |kind, width| list.push((d.exprs.intern(kind, width), width));
            for op in Binary::ALL {
                match op {
                    Binary::Mul | Binary::MulSigned if width > 64 => {}
                    Binary::Shl | Binary::Shr => {
                        put(Kind::Binary(op, a, near), width);
                        put(Kind::Binary(op, a, far), width);
                        put(Kind::Binary(op, a, b), width);
                    }
                    _ if op.is_comparison() => put(Kind::Binary(op, a, b), 1),
                    _ => put(Kind::Binary(op, a, b), width),
                }
            }
            put(Kind::Not(a), width);
            put(Kind::Any(a), 1);
            put(Kind::All(a), 1);
            put(Kind::Mux(c, a, b), width);
            put(Kind::Cat(vec![a, c, b]), 2 * width + 1);
            put(Kind::Repeat(part, a), part * width);
            put(Kind::Repeat(width, c), width);
            put(Kind::Slice(a, lo), width - lo);
            put(Kind::Select(a, near), (width - lo).min(5));
            put(Kind::Select(a, far), width);
            list
        });
        compared(&design, &format!("{width} bits"), 24, &mut rng);
    }
}

#[test]
fn what_has_no_flat_form_is_refused() {
    for op in [Binary::Mul, Binary::MulSigned] {
        let product =
            |d: &mut Description, [a, b, ..]: [ExprId; 5]| vec![(d.exprs.intern(Kind::Binary(op, a, b), 65), 65)];
        let e = Flat::new(&block(65, product), Options::default()).expect_err("too wide");
        assert_eq!(e.to_string(), ": * of 65 bits is wider than 64 bits");
    }
}

/// A build for fault injection has the flat form of the plain design.
#[test]
fn taps_are_at_rest() {
    let trees = (0..200).map(warpsmith_testkit::netlist::tree);
    for tree in trees.filter(|t| !t.children.is_empty()).take(20) {
        let plain = Design::new(tree.clone());
        let open = Design::new(warpsmith_netlist::pass::open(tree));
        for taps in [false, true] {
            let flat = |d| Flat::new(d, Options { taps }).expect("a flat form");
            let (plain, open) = (flat(&plain), flat(&open));
            assert_eq!(plain.graph.nodes(), open.graph.nodes());
            assert_eq!((plain.regs, plain.mems), (open.regs, open.mems));
            assert_eq!((plain.outputs, plain.sites), (open.outputs, open.sites));
        }
    }
}

/// Folding keeps what a design computes: some inputs of the top become constants.
#[test]
fn a_folded_design_computes_the_same() {
    let (mut before, mut after) = (0, 0);
    for seed in 0..cases() {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let whole = design(seed);
        let mut fixed = whole.clone();
        let body = &mut fixed.modules.last_mut().expect("a top").body;
        let inputs: Vec<(SignalId, String, u32)> = body
            .ports()
            .filter(|(_, s)| s.kind == SignalKind::Input && s.width <= 128)
            .map(|(id, s)| (id, s.name.clone(), s.width))
            .collect();
        let mut constants = vec![];
        for (id, name, width) in inputs {
            if rng.gen_range(0..3) == 0 {
                continue;
            }
            let value = value(&mut rng) & (u128::MAX >> (128 - width));
            let named = body.add_signal(format!("{name}_fixed"), width, SignalKind::Wire);
            for e in &mut body.exprs {
                if e.kind == Kind::Signal(id) {
                    e.kind = Kind::Signal(named);
                }
            }
            body.exprs.push(warpsmith_netlist::Expr { kind: Kind::Lit(value), width });
            body.wires.insert(0, (named, ExprId(body.exprs.len() as u32 - 1)));
            constants.push((name, bits(value, width as usize)));
        }
        before += body.exprs.len();
        *body = pass::fold(body);
        after += body.exprs.len();
        let (mut plain, mut folded) = (Machine::new(&whole), Machine::new(&fixed));
        let ports: Vec<(String, u32, SignalKind)> =
            whole.top().body.ports().map(|(_, s)| (s.name.clone(), s.width, s.kind)).collect();
        for cycle in 0..6 {
            for (name, width, kind) in &ports {
                if *kind != SignalKind::Input {
                    continue;
                }
                let chunks = (0..width.div_ceil(128)).flat_map(|_| bits(value(&mut rng), 128));
                let random: Bits = chunks.take(*width as usize).collect();
                let constant = constants.iter().find(|c| c.0 == *name);
                plain.drive(name, constant.map_or(random.clone(), |c| c.1.clone()));
                folded.drive(name, random);
            }
            plain.settle();
            folded.settle();
            for (name, ..) in ports.iter().filter(|p| p.2 == SignalKind::Output) {
                assert_eq!(folded.value(name), plain.value(name), "seed {seed}, cycle {cycle}, {name}");
            }
            plain.edge(cycle == 0);
            folded.edge(cycle == 0);
        }
    }
    assert!(after * 10 < before * 9, "{before} expressions, folded {after}: next to nothing was folded");
}
