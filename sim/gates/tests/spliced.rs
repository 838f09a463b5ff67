//! Gates in the place of a block: the same values, a site for each pin, the reset of the chip.

use crate::support::circuit;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use warpsmith_contract::Direction;
use warpsmith_gates::splice::{instances, SpliceError};
use warpsmith_gates::{splice, Circuit, Fault, Model, PinId};
use warpsmith_netlist::flat::{Evaluator, Flat, Options};
use warpsmith_netlist::{check, Body, Design, Kind, Module, Pool, Signal, SignalKind, Stmt, Tree};

/// A block without a header.
pub fn tree(instance: &str, name: &str, body: Body, children: Vec<Tree>) -> Tree {
    let module = Module {
        name: name.into(),
        source: String::new(),
        header: vec![],
        body,
        instances: 1,
        clock: false,
        reset: false,
    };
    Tree { instance: instance.into(), module, children }
}

/// A block: `q` takes `a`, is 1 after a reset, and `y` is its inverse.
fn block() -> Tree {
    let (mut body, mut pool) = (Body::default(), Pool::default());
    let a = body.add_signal("a".into(), 1, SignalKind::Input);
    let y = body.add_signal("y".into(), 1, SignalKind::Output);
    let q = body.add_signal("q".into(), 1, SignalKind::Reg { reset: Some(1) });
    let [a, now] = [a, q].map(|s| pool.intern(Kind::Signal(s), 1));
    let inverse = pool.intern(Kind::Not(now), 1);
    body.assigns.push((y, inverse));
    body.clocked.push(Stmt::Set(q, a));
    body.exprs = pool.into_list();
    tree("unit", "unit", body, vec![])
}

/// A chip with that block in it, its ports passed through.
fn chip() -> Tree {
    let (mut body, mut pool) = (Body::default(), Pool::default());
    let a = body.add_signal("a".into(), 1, SignalKind::Input);
    let y = body.add_signal("y".into(), 1, SignalKind::Output);
    let unit = block();
    let nets: Vec<_> = unit
        .module
        .body
        .ports()
        .map(|(_, p)| Signal::at_port(0, "unit", p))
        .map(|s| body.add_signal(s.name, s.width, s.kind))
        .collect();
    let [a, out] = [a, nets[1]].map(|s| pool.intern(Kind::Signal(s), 1));
    body.assigns.extend([(nets[0], a), (y, out)]);
    assert!(matches!(body.signal(nets[0]).kind, SignalKind::Child { direction: Direction::Input, .. }));
    body.exprs = pool.into_list();
    tree("chip", "chip", body, vec![unit])
}

fn gates() -> Circuit {
    circuit("clock reset a", "y", "q = SDFF_PP1 clock a reset\ny = NOT q")
}

fn flat(tree: Tree) -> Flat {
    let design = Design::new(tree);
    check::design(&design).unwrap_or_else(|e| panic!("{e}"));
    Flat::new(&design, Options { taps: true }).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn the_chip_does_the_same_with_gates() {
    let c = gates();
    let pins: Vec<PinId> = (0..c.pins().len() as u32).map(PinId).collect();
    for model in [Model::StuckAt, Model::Transition] {
        let spliced = splice(chip(), "u_unit", &c, model, &pins).unwrap_or_else(|e| panic!("{e}"));
        let (plain, with) = (flat(chip()), flat(spliced.tree.clone()));
        // A site for every source but the reset, and for every fault.
        let has = |path: &str| with.sites.iter().any(|s| s.path == path);
        assert_eq!(spliced.sources.iter().filter(|s| s.is_none()).count(), 1);
        assert!(spliced.sources.iter().flatten().all(|p| has(p)), "{:?}", spliced.sources);
        for number in 0..2 * pins.len() as u32 {
            let (path, value) = spliced.force(Fault::of(number));
            assert!(has(&path), "{path}");
            assert!(value || model == Model::StuckAt);
        }
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut machines = [Evaluator::new(&plain), Evaluator::new(&with)];
        for cycle in 0..200 {
            let [a, reset] = [rng.gen_range(0..2), u64::from(cycle == 0 || rng.gen_bool(0.1))];
            for (m, flat) in machines.iter_mut().zip([&plain, &with]) {
                let port = |name: &str| flat.ports.iter().position(|p| p.name == name).expect(name);
                m.drive(port("a"), 0, a);
                m.drive(port("reset"), 0, reset);
                m.settle();
            }
            let [x, y] = &mut machines;
            if cycle > 0 {
                assert_eq!(x.value(plain.outputs[0].1[0]), y.value(with.outputs[0].1[0]), "{model}, cycle {cycle}");
            }
            x.edge();
            y.edge();
        }
    }
}

#[test]
fn instances_are_named_as_sites_are() {
    let list = instances(&chip());
    assert_eq!(list.len(), 1);
    assert_eq!((&list[0].path[..], &list[0].block[..]), ("u_unit", "unit"));
}

#[test]
fn gates_of_other_ports_are_refused() {
    let error = |c: &Circuit, path: &str| splice(chip(), path, c, Model::StuckAt, &[]).err().expect("an error");
    assert!(matches!(error(&gates(), "u_other"), SpliceError::Path { .. }));
    let more = circuit("clock reset a b", "y", "q = SDFF_PP1 clock a reset\ny = XOR q b");
    let said = error(&more, "u_unit").to_string();
    assert!(said.contains("input b of 1 bits") && said.contains("make them anew"), "{said}");
    let fewer = circuit("a", "z", "z = NOT a");
    assert!(error(&fewer, "u_unit").to_string().contains("output y"), "{}", error(&fewer, "u_unit"));
}
