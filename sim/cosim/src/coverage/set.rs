//! Coverage of the sets beside SM 1.0: for each form its modifiers, signs, zero registers and guards, its
//! results, and how deep in divergence it executed.

mod fermi;

use super::page::Family;
use std::collections::BTreeMap;
use warpsmith_isa::set::Field;
use warpsmith_isa::uop::Op;
use warpsmith_model::num::float::{exponent, is_inf, is_nan};
use warpsmith_model::uop::Slot;
use warpsmith_model::{AccessKind, Retired, RetiredDst, Space};

/// One way in which instructions of a form differ: a field, and what its values are called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The field.
    pub field: Field,
    /// Part of the guard, which counts where nobody executes, too.
    pub guard: bool,
    /// Values that are told apart, `None` all others, and their names.
    pub values: Vec<(Option<u64>, String)>,
}

/// A form that a chip executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Row of the table.
    pub row: usize,
    /// Name of the form.
    pub name: &'static str,
    /// Family of forms.
    pub family: &'static str,
    /// Whether it may stand anywhere in straight-line code.
    pub plain: bool,
    /// How its instructions differ.
    pub items: Vec<Item>,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Point {
    Form(usize),
    /// Row, item, value.
    Item(usize, usize, usize),
    /// Row, class of a result.
    Result(usize, &'static str),
    /// Row, class of depth.
    Depth(usize, usize),
    Active(&'static str),
}

/// Classes of depth.
const DEPTHS: [&str; 4] = ["0", "1", "2-3", "4 and more"];
/// Numbers of active threads.
const ACTIVE: [&str; 3] = ["1", "2-31", "32"];

/// Counts of retired warp instructions of one set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetCoverage {
    isa: &'static str,
    expected: &'static [Expected],
    counts: BTreeMap<Point, u64>,
    accesses: BTreeMap<String, u64>,
    depths: BTreeMap<u32, u64>,
    /// Warp instructions counted, those nobody executed included.
    pub instructions: u64,
}

impl SetCoverage {
    /// Nothing counted; `None` for a set that no chip executes, and for SM 1.0.
    pub fn new(isa: &str) -> Option<SetCoverage> {
        let (isa, expected) = match isa {
            "fermi" => ("fermi", &fermi::EXPECTED[..]),
            _ => return None,
        };
        Some(SetCoverage {
            isa,
            expected,
            counts: BTreeMap::new(),
            accesses: BTreeMap::new(),
            depths: BTreeMap::new(),
            instructions: 0,
        })
    }

    /// Name of the set.
    pub fn isa(&self) -> &'static str {
        self.isa
    }

    fn count(&mut self, point: Point) {
        *self.counts.entry(point).or_default() += 1;
    }

    /// Counts one instruction the model executed, with the stack's depth before it.
    pub fn add(&mut self, slot: &Slot, r: &Retired, depth: u32) {
        self.instructions += 1;
        *self.depths.entry(depth).or_default() += 1;
        let (row, bits) = (slot.instr.row, slot.instr.code.bits());
        let executed = r.exec_mask != 0;
        let Some(n) = self.expected.iter().position(|e| e.row == row) else {
            return;
        };
        for i in 0..self.expected[n].items.len() {
            let item = &self.expected[n].items[i];
            if !executed && !item.guard {
                continue;
            }
            let value = item.field.get(bits);
            let named = |v: &(Option<u64>, String)| v.0.is_none_or(|v| v == value);
            if let Some(v) = item.values.iter().position(named) {
                self.count(Point::Item(n, i, v));
            }
        }
        if !executed {
            return;
        }
        self.count(Point::Form(n));
        let class = match depth {
            0..=1 => depth as usize,
            2..=3 => 2,
            _ => 3,
        };
        self.count(Point::Depth(n, class));
        self.count(Point::Active(match r.active_mask.count_ones() {
            1 => ACTIVE[0],
            32 => ACTIVE[2],
            _ => ACTIVE[1],
        }));
        if r.dst != RetiredDst::None {
            let float = slot.lowered.uops.last().is_some_and(|u| u.ty.is_float());
            let mut met: Vec<&str> = vec![];
            for l in (0..32).filter(|l| r.write_mask >> l & 1 == 1) {
                let class = class_of(r.values[0][l], float);
                if !met.contains(&class) {
                    met.push(class);
                    self.count(Point::Result(n, class));
                }
            }
        }
        self.access(slot, r);
    }

    fn access(&mut self, slot: &Slot, r: &Retired) {
        let access = slot.lowered.uops.iter().find_map(|u| match u.op {
            Op::Load(a) => Some(("load", a)),
            Op::Store(a) => Some(("store", a)),
            _ => None,
        });
        let Some((kind, access)) = access else { return };
        let space = match r.mem {
            Some(m) if m.kind == AccessKind::Load && m.space == Space::Global => "global".into(),
            _ => format!("{:?}", access.space).to_lowercase(),
        };
        let space = space.split('(').next().unwrap_or_default();
        let (n, ty) = (access.elements.count_ones(), access.element);
        let key = format!("{space} {kind} {n} x {ty:?}");
        *self.accesses.entry(key).or_default() += 1;
    }

    /// Adds another run's counts.
    pub fn merge(&mut self, other: &SetCoverage) {
        fn add<K: Ord + Clone>(to: &mut BTreeMap<K, u64>, from: &BTreeMap<K, u64>) {
            for (k, n) in from {
                *to.entry(k.clone()).or_default() += n;
            }
        }
        add(&mut self.counts, &other.counts);
        add(&mut self.accesses, &other.accesses);
        add(&mut self.depths, &other.depths);
        self.instructions += other.instructions;
    }

    fn of(&self, point: Point) -> u64 {
        self.counts.get(&point).copied().unwrap_or(0)
    }

    /// Forms, modifiers, results and depths by form, and what counts for all forms.
    pub fn families(&self) -> Vec<Family> {
        let mut list: Vec<Family> = vec![];
        for (n, e) in self.expected.iter().enumerate() {
            if list.iter().all(|f| f.name != e.family) {
                list.push(Family {
                    name: e.family,
                    items: vec![],
                    closed: true,
                });
            }
            let family = list.iter_mut().find(|f| f.name == e.family);
            let met = self.of(Point::Form(n));
            family
                .into_iter()
                .for_each(|f| f.items.push((e.name.into(), met)));
        }
        let all = || self.expected.iter().enumerate();
        let values = all().flat_map(|(n, e)| {
            e.items.iter().enumerate().flat_map(move |(i, item)| {
                item.values.iter().enumerate().map(move |(v, (_, name))| {
                    let met = self.of(Point::Item(n, i, v));
                    (format!("{} {name}", e.name), met)
                })
            })
        });
        let depths = all().filter(|(_, e)| e.plain).flat_map(|(n, e)| {
            DEPTHS.iter().enumerate().map(move |(d, name)| {
                let met = self.of(Point::Depth(n, d));
                (format!("{} at depth {name}", e.name), met)
            })
        });
        let results = self.counts.iter().filter_map(|(p, met)| match p {
            Point::Result(n, class) => Some((format!("{} {class}", self.expected[*n].name), *met)),
            _ => None,
        });
        let active = ACTIVE
            .iter()
            .map(|a| (a.to_string(), self.of(Point::Active(a))));
        let named = |t: &BTreeMap<String, u64>| t.iter().map(|(k, n)| (k.clone(), *n)).collect();
        let numbered = self.depths.iter().map(|(k, n)| (k.to_string(), *n));
        for (name, items, closed) in [
            ("modifiers, operands", values.collect(), true),
            ("forms by depth", depths.collect(), true),
            ("results by form", results.collect(), false),
            ("active threads", active.collect(), true),
            ("memory accesses", named(&self.accesses), false),
            ("stack depths", numbered.collect(), false),
        ] {
            list.push(Family {
                name,
                items,
                closed,
            });
        }
        list
    }
}

/// Class of a lane's result.
fn class_of(x: u32, float: bool) -> &'static str {
    match (float, x) {
        (true, 0) => "+0",
        (true, 0x8000_0000) => "-0",
        (true, x) if is_nan(x) => "NaN",
        (true, x) if is_inf(x) => "infinity",
        (true, x) if exponent(x) == 0 => "denormal",
        (true, _) => "number",
        (false, 0) => "0",
        (false, u32::MAX) => "-1",
        (false, 0x8000_0000) => "least",
        (false, 0x7fff_ffff) => "greatest",
        (false, x) if x >> 31 == 1 => "negative",
        (false, _) => "positive",
    }
}
