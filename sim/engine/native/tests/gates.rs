//! A gate runs when something that it reads changed, whoever changed it: several instances of one block with inputs of their
//! own, that change seldom; and state that is written from outside while they rest.

use rand::Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_chacha::ChaCha8Rng;
use warpsmith_contract::{bits, Direction};
use warpsmith_engine::{Device, Engine, Image, State};
use warpsmith_engine_native::{Backend, BuildOptions, Native, Sites};
use warpsmith_netlist::{Description, Design, Kind, Signal, SignalId, SignalKind, Stmt, Tree};
use warpsmith_testkit::netlist::{tree, value};

/// Instances of the block; each second one has the inputs of the first.
const INSTANCES: u32 = 4;

/// Several instances of a random chip below one top, whose ports are theirs.
fn several(seed: u64) -> Design {
    let part = tree(seed);
    let mut d = Description { name: "several".into(), source: "none".into(), ..Description::default() };
    let mut signal = |name: String, width: u32, kind: SignalKind| {
        d.signals.push(Signal { name, width, kind });
        SignalId(d.signals.len() as u32 - 1)
    };
    let mut joined = vec![];
    let mut first = vec![];
    for child in 0..INSTANCES {
        for (i, (_, port)) in part.module.body.ports().enumerate() {
            let (name, width) = (format!("p{child}_{}", port.name), port.width);
            let inward = port.kind == SignalKind::Input;
            let direction = match inward {
                true => Direction::Input,
                false => Direction::Output,
            };
            let kind = SignalKind::Child { child, direction };
            let net = signal(format!("{name}_net"), width, kind);
            match inward {
                true if child % 2 == 1 && i < first.len() => joined.push((net, first[i], width)),
                true => {
                    let input = signal(name, width, SignalKind::Input);
                    joined.push((net, input, width));
                    if child == 0 {
                        first.push(input);
                    }
                }
                false => {
                    let output = signal(name, width, SignalKind::Output);
                    joined.push((output, net, width));
                }
            }
        }
    }
    for (to, from, width) in joined {
        let from = d.exprs.intern(Kind::Signal(from), width);
        d.statements.push(Stmt::Set(to, from));
    }
    let child =
        |i: u32| Tree { instance: format!("part_{i}"), module: part.module.clone(), children: part.children.clone() };
    Design::new(Tree {
        instance: "top".into(),
        module: d.finish().unwrap_or_else(|e| panic!("{e}")),
        children: (0..INSTANCES).map(child).collect(),
    })
}

/// Two devices of different backends that shall do the same.
struct Both {
    list: [Box<dyn Device>; 2],
    seed: u64,
}

impl Both {
    fn new(seed: u64) -> Self {
        let design = several(seed);
        let device = |backend| {
            let sites = Sites::State;
            let engine = Native::of_design(&design, BuildOptions { backend, sites });
            engine.unwrap_or_else(|e| panic!("{e}")).device(seed)
        };
        let list = [device(Backend::Bytecode), device(Backend::Best)];
        Both { list, seed }
    }

    fn all(&mut self, f: impl Fn(&mut dyn Device)) {
        self.list.iter_mut().for_each(|d| f(&mut **d));
    }

    /// Everything that can be seen.
    #[track_caller]
    fn same(&self, when: &str) {
        let [a, b] = &self.list;
        for (i, port) in a.ports().iter().enumerate() {
            for word in 0..port.words() {
                let what = format!("seed {}, {when}, {} {word}", self.seed, port.name);
                assert_eq!(a.get(i, word), b.get(i, word), "{what}");
            }
        }
        for (i, s) in a.sites().iter().enumerate() {
            let what = format!("seed {}, {when}, {}", self.seed, s.site.path);
            assert_eq!(a.site(i), b.site(i), "{what}");
        }
    }

    /// Gives one word of an input another value; reset seldom.
    fn drive(&mut self, rng: &mut ChaCha8Rng) {
        let ports = self.list[0].ports().to_vec();
        let i = rng.gen_range(0..ports.len());
        let port = &ports[i];
        if !port.is_input() || port.name == "clock" {
            return;
        }
        let word = rng.gen_range(0..port.words());
        let new = match port.name.as_str() {
            "reset" => u32::from(rng.gen_range(0..6) == 0),
            _ => value(rng) as u32 & bits::mask(port.width, word),
        };
        self.all(|d| d.set(i, word, new));
    }

    /// Writes one word of state, of a register or a memory.
    fn deposit(&mut self, rng: &mut ChaCha8Rng) {
        let sites = self.list[0].sites().to_vec();
        if sites.is_empty() {
            return;
        }
        let site = rng.gen_range(0..sites.len());
        let s = &sites[site];
        let range = s.range(rng.gen_range(0..s.site.depth));
        let words = (0..s.site.words32()).map(|i| value(rng) as u32 & bits::mask(s.site.width as usize, i));
        let new = s.pack(&words.collect::<Vec<_>>());
        self.all(|d| {
            d.site_mut(site)[range.clone()].copy_from_slice(&new);
            d.settle();
        });
    }

    fn reset(&mut self, level: u32) {
        let mut ports = self.list[0].ports().iter();
        if let Some(port) = ports.position(|p| p.name == "reset") {
            self.all(|d| d.set(port, 0, level));
        }
    }

    fn cycle(&mut self, when: &str) {
        self.all(|d| d.eval());
        self.same(&format!("{when}, before the edge"));
        self.all(|d| d.edge());
        self.same(&format!("{when}, behind the edge"));
    }
}

#[test]
fn instances_rest_and_wake() {
    for seed in 0..super::random::cases() / 6 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x9a7e);
        let mut both = Both::new(seed);
        for cycle in 0..60 {
            if rng.gen_range(0..3) == 0 {
                both.drive(&mut rng);
            }
            both.cycle(&format!("cycle {cycle}"));
        }
    }
}

#[test]
fn what_others_write_is_seen() {
    for seed in 0..super::random::cases() / 6 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0xdeb0);
        let mut both = Both::new(seed);
        let state = State::of(&*both.list[0]);
        let mut image = Image::default();
        state.save(&*both.list[0], &mut image);
        for cycle in 0..60 {
            let when = format!("cycle {cycle}");
            match rng.gen_range(0..12) {
                0..=2 => both.drive(&mut rng),
                3 => both.deposit(&mut rng),
                // Between the logic and the edge.
                4 => {
                    both.all(|d| d.eval());
                    both.deposit(&mut rng);
                }
                // A reset that no edge sees.
                5 => {
                    both.reset(1);
                    both.all(|d| d.eval());
                    both.same(&format!("{when}, under reset"));
                    both.reset(0);
                    both.all(|d| d.eval());
                    both.same(&format!("{when}, behind reset"));
                }
                6 => state.save(&*both.list[1], &mut image),
                7 => {
                    for device in &mut both.list {
                        state.restore(&mut **device, &image);
                    }
                }
                _ => {}
            }
            both.cycle(&when);
        }
    }
}
