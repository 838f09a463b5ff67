//! Both backends are the flat netlist: random designs, run beside the plain reading of every node, from the same
//! random state.

use rand::Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_chacha::ChaCha8Rng;
use warpsmith_contract::{bits, SiteKind};
use warpsmith_engine::{Device, Engine, Image, State, Storage};
use warpsmith_engine_native::{Backend, BuildOptions, Native, NativeError, Sites};
use warpsmith_netlist::flat::{Evaluator, Flat, MemId, Options, RegId};
use warpsmith_netlist::{Description, Design, Kind, Signal, SignalId, SignalKind, Stmt, Tree};
use warpsmith_testkit::netlist::{design, value};

/// Designs that are tried; more in `make soak`.
pub fn cases() -> u64 {
    warpsmith_testkit::cases(300, 20_000)
}

fn build(design: &Design, backend: Backend, sites: Sites) -> Native {
    let options = BuildOptions { backend, sites };
    Native::of_design(design, options).unwrap_or_else(|e| panic!("{backend:?}: {e}"))
}

/// All ways to run a design; machine code where this program has it.
fn engines(design: &Design) -> Vec<Native> {
    let mut list = vec![build(design, Backend::Bytecode, Sites::State), build(design, Backend::Bytecode, Sites::All)];
    if cfg!(feature = "cranelift") {
        list.push(build(design, Backend::Code, Sites::State));
        list.push(build(design, Backend::Code, Sites::All));
    }
    list
}

/// Gives the plain reading the state of a device.
fn begin(flat: &Flat, machine: &mut Evaluator<&Flat>, device: &dyn Device) {
    let word = |bytes: &[u8], lo: usize| {
        let words = Storage::unpack(bytes);
        let at = |i: usize| u64::from(words.get(i).copied().unwrap_or(0));
        at(lo / 32) | at(lo / 32 + 1) << 32
    };
    let number = |site: u32| {
        let path = &flat.sites[site as usize].path;
        let same = device.sites().iter().position(|s| s.site.path == *path);
        same.expect("state is a site")
    };
    for (i, reg) in (0..).zip(&flat.regs) {
        let value = word(device.site(number(reg.site)), reg.lo as usize);
        machine.set_reg(RegId(i), value);
    }
    for (i, mem) in (0..).zip(&flat.mems) {
        let Some(site) = mem.site.map(number) else { continue };
        for address in 0..mem.depth {
            let bytes = &device.site(site)[device.sites()[site].range(address)];
            for piece in 0..mem.width.div_ceil(64) as usize {
                machine.set_mem(MemId(i), address as usize, piece, word(bytes, 64 * piece));
            }
        }
    }
}

/// Outputs of the plain reading, 32 bits at a time.
fn outputs(flat: &Flat, machine: &Evaluator<&Flat>) -> Vec<(usize, usize, u32)> {
    let mut list = vec![];
    for (port, nodes) in &flat.outputs {
        for (i, node) in nodes.iter().enumerate() {
            let value = machine.value(*node);
            list.push((*port as usize, 2 * i, value as u32));
            list.push((*port as usize, 2 * i + 1, (value >> 32) as u32));
        }
    }
    list
}

#[test]
fn random_designs_are_their_plain_reading() {
    for seed in 0..cases() {
        let design = design(seed);
        let flat = Flat::new(&design, Options::default()).unwrap_or_else(|e| panic!("{e}"));
        for engine in engines(&design) {
            let mut rng = ChaCha8Rng::seed_from_u64(!seed);
            let mut device = engine.device(seed + 1);
            let mut machine = Evaluator::new(&flat);
            begin(&flat, &mut machine, &*device);
            let same = |device: &dyn Device, machine: &Evaluator<&Flat>, when: &str| {
                for (port, word, value) in outputs(&flat, machine) {
                    let (found, name) = (device.get(port, word), &flat.ports[port].name);
                    let what = format!("seed {seed}, {}, {when}, {name} {word}", engine.name());
                    assert_eq!(found, value, "{what}");
                }
            };
            for cycle in 0..24 {
                for (i, port) in flat.ports.iter().enumerate().filter(|(_, p)| p.is_input()) {
                    if port.name == "clock" {
                        continue;
                    }
                    for word in 0..port.words() {
                        let value = match port.name.as_str() {
                            "reset" => u32::from(rng.gen_range(0..8) == 0),
                            _ => value(&mut rng) as u32 & bits::mask(port.width, word),
                        };
                        device.set(i, word, value);
                    }
                    for piece in 0..port.width.div_ceil(64) {
                        let at = |w: usize| u64::from(device.get(i, w));
                        machine.drive(i, piece, at(2 * piece) | at(2 * piece + 1) << 32);
                    }
                }
                device.eval();
                machine.settle();
                same(&*device, &machine, &format!("cycle {cycle}"));
                device.edge();
                machine.edge();
                machine.settle();
                same(&*device, &machine, &format!("behind the edge of cycle {cycle}"));
            }
        }
    }
}

/// The image of one backend is a state of another, and the run goes on as it did.
#[test]
fn images_go_from_backend_to_backend() {
    for seed in 0..40 {
        let design = design(seed);
        let engines = [Backend::Bytecode, Backend::Best].map(|b| build(&design, b, Sites::State));
        let [mut a, mut b] = engines.map(|e| e.device(seed));
        let state = State::of(&*a);
        for _ in 0..5 {
            a.eval();
            a.edge();
        }
        let mut image = Image::default();
        state.save(&*a, &mut image);
        state.restore(&mut *b, &image);
        for _ in 0..20 {
            let differs = |d: &dyn Device, image: &Image| {
                let mut found = vec![];
                state.differs(d, image, None, |site| {
                    found.push(site);
                    true
                });
                found
            };
            state.save(&*a, &mut image);
            assert_eq!(differs(&*b, &image), [0usize; 0], "seed {seed}");
            for d in [&mut a, &mut b] {
                d.eval();
                d.edge();
            }
        }
    }
}

/// The same seed gives the same state, seed 0 zeros, others not; bits above a site's width stay 0.
#[test]
fn seeds_decide_the_state() {
    let mut ones = 0u32;
    for seed in 0..40 {
        let engine = build(&design(seed), Backend::Bytecode, Sites::State);
        let [zero, one, again] = [0, 1, 1].map(|s| engine.device(s));
        for (i, s) in one.sites().iter().enumerate() {
            assert!(zero.site(i).iter().all(|b| *b == 0));
            assert_eq!(one.site(i), again.site(i));
            for word in 0..s.site.depth {
                let words = Storage::unpack(&one.site(i)[s.range(word)]);
                let fit = |(i, w): (usize, &u32)| bits::fits(s.site.width as usize, i, *w);
                assert!(words.iter().enumerate().all(fit), "{words:x?}");
                ones += words.iter().map(|w| w.count_ones()).sum::<u32>();
            }
        }
    }
    assert!(ones > 1000, "{ones} bits are set");
}

/// What a saboteur does is what the neighbours see, and the output itself is untouched.
#[test]
fn saboteurs_change_what_the_neighbours_see() {
    let mut changed = 0;
    let engines = (0..100).flat_map(|seed| engines(&design(seed)).into_iter().map(move |engine| (seed, engine)));
    for (seed, engine) in engines {
        let (mut right, mut wrong) = (engine.device(1), engine.device(1));
        let outs: Vec<usize> =
            (0..right.sites().len()).filter(|i| right.sites()[*i].site.kind == SiteKind::Out).collect();
        for out in outs {
            let width = wrong.sites()[out].site.width as usize;
            let all = |i: usize| (bits::mask(width, i / 4) >> (8 * (i % 4))) as u8;
            let flip = |d: &mut dyn Device, on: bool| {
                let s = d.saboteur(out);
                for (i, byte) in s.flip.iter_mut().enumerate() {
                    *byte = if on { all(i) } else { 0 };
                }
                d.settle();
            };
            right.eval();
            let raw = right.site(out).to_vec();
            flip(&mut *wrong, true);
            wrong.eval();
            assert_eq!(wrong.site(out), raw, "seed {seed}");
            let ports = 0..right.ports().len();
            changed += usize::from(ports.clone().any(|p| right.get(p, 0) != wrong.get(p, 0)));
            flip(&mut *wrong, false);
            wrong.eval();
            for p in ports.filter(|p| right.ports()[*p].name != "clock") {
                assert_eq!(right.get(p, 0), wrong.get(p, 0), "seed {seed}");
            }
        }
    }
    assert!(changed > 10, "{changed} outputs of blocks are seen");
}

#[test]
#[should_panic(expected = "site 0 is state")]
fn state_has_no_saboteur() {
    let designs = (0..).map(design);
    let engines = designs.map(|d| build(&d, Backend::Bytecode, Sites::State));
    let mut some = engines.map(|e| e.device(0)).filter(|d| !d.sites().is_empty());
    some.next().expect("a design with state").saboteur(0);
}

#[test]
fn a_loop_is_an_error_with_the_signal_in_it() {
    let signal = |name: &str, kind: SignalKind| Signal { name: name.into(), width: 1, kind };
    let mut d = Description {
        name: "ring".into(),
        source: "none".into(),
        signals: vec![signal("a", SignalKind::Input), signal("y", SignalKind::Output), signal("z", SignalKind::Output)],
        ..Description::default()
    };
    let [y, z] = [1, 2].map(|i| d.exprs.intern(Kind::Signal(SignalId(i)), 1));
    d.statements.push(Stmt::Set(SignalId(1), z));
    d.statements.push(Stmt::Set(SignalId(2), y));
    let module = d.finish().unwrap_or_else(|e| panic!("{e}"));
    let design = Design::new(Tree { instance: "top".into(), module, children: vec![] });
    let e = Native::of_design(&design, BuildOptions::default()).err();
    let e = e.expect("a loop").to_string();
    assert!(e.contains("y depends on itself within a cycle"), "{e}");
}

#[test]
fn outputs_are_no_sites_without_taps() {
    let designs = (0..).map(design);
    let flats = designs.map(|d| Flat::new(&d, Options::default()).expect("flat"));
    let mut flats = flats.filter(|f| f.sites.iter().any(|s| s.kind == SiteKind::Out));
    let options = BuildOptions { sites: Sites::All, ..BuildOptions::default() };
    let e = Native::build(flats.next().expect("some seed"), options).err();
    assert!(matches!(e, Some(NativeError::NoTaps)));
}
