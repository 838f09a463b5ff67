//! Coverage of the sets beside SM 1.0: for each form its modifiers, signs, zero registers and guards, its
//! results, and how deep in divergence it executed.

mod fermi;
mod g13;
mod item;
mod ivb;

use super::family::Family;
pub use item::{Expected, Item};
use std::collections::BTreeMap;
use std::num::FpCategory;
use warpsmith_isa::uop::{Flow, Format, Op, Place, Type, Uop};
use warpsmith_isa::{Isa, Options};
use warpsmith_model::num::float::{exponent, is_inf, is_nan};
use warpsmith_model::uop::Slot;
use warpsmith_model::{AccessKind, Retired, RetiredDst, Space};

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
    /// Row, what control flow did.
    Flow(usize, &'static str),
    Active(&'static str),
}

/// Classes of depth.
const DEPTHS: [&str; 4] = ["0", "1", "2-3", "4 and more"];
/// Numbers of active threads: one, some, all of a warp, none.
const ACTIVE: [&str; 4] = ["1", "2-31", "32", "0"];
/// The same of 16 channels.
const ACTIVE_CHANNELS: [&str; 4] = ["1", "2-15", "16", "0"];

/// The names of numbers of active threads of a set.
fn active(isa: Isa) -> &'static [&'static str; 4] {
    match isa {
        Isa::Ivb => &ACTIVE_CHANNELS,
        _ => &ACTIVE,
    }
}

/// Counts of retired warp instructions of one set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetCoverage {
    isa: Isa,
    expected: &'static [Expected],
    counts: BTreeMap<Point, u64>,
    accesses: BTreeMap<String, u64>,
    depths: BTreeMap<u32, u64>,
    /// Warp instructions counted, those nobody executed included.
    pub instructions: u64,
}

impl SetCoverage {
    /// Nothing counted of chips with these options; `None` for SM 1.0.
    pub fn new(isa: Isa, options: Options) -> Option<SetCoverage> {
        let expected = match isa {
            Isa::Fermi => fermi::expected(options),
            Isa::G13 => g13::expected(options),
            Isa::Ivb => &ivb::EXPECTED[..],
            Isa::Sm10 => return None,
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
        self.isa.name()
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
        let Some(n) = self.expected.iter().position(|e| e.row == row) else { return };
        let reader = (self.isa == Isa::Ivb).then(|| ivb::Reader::of(&slot.instr));
        for i in 0..self.expected[n].items.len() {
            let item = &self.expected[n].items[i];
            if !executed && !item.guard {
                continue;
            }
            let value = match &reader {
                Some(reader) => reader.value(item.field),
                None => Some(item.field.get(bits)),
            };
            if let Some(v) = value.and_then(|v| item.of(v)) {
                self.count(Point::Item(n, i, v));
            }
        }
        self.flow(n, slot, r);
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
        let [one, some, all, none] = *active(self.isa);
        self.count(Point::Active(match r.active_mask.count_ones() {
            0 => none,
            1 => one,
            n if n == self.isa.warp_threads() => all,
            _ => some,
        }));
        if r.dst != RetiredDst::None {
            let result = slot.lowered.uops.iter().rev().find(|u| u.ty != Type::Bool);
            let ty = result.map_or(Type::U32, |u| u.ty);
            let mut met: Vec<&str> = vec![];
            for l in (0..32).filter(|l| r.write_mask >> l & 1 == 1) {
                let class = match ty {
                    Type::F64 => class_of_double(u64::from(r.values[1][l]) << 32 | u64::from(r.values[0][l])),
                    _ => class_of(r.values[0][l], ty.is_float()),
                };
                if !met.contains(&class) {
                    met.push(class);
                    self.count(Point::Result(n, class));
                }
            }
        }
        self.access(slot, r);
    }

    /// What control flow did with the threads.
    fn flow(&mut self, n: usize, slot: &Slot, r: &Retired) {
        let counts = |u: &Uop| matches!(u.op, Op::Flow(Flow::Mask(f)) if f.counts());
        let met: &[(&str, bool)] = match slot.lowered.uops.iter().any(counts) {
            true => {
                let [was, is, not] = [r.active_mask, r.next_mask, r.exec_mask];
                &[
                    ("stays active", was & is != 0),
                    ("becomes active", !was & is != 0),
                    ("becomes inactive", was & !is != 0),
                    ("stays inactive", not & !(was | is) != 0),
                ]
            }
            false => {
                let taken = r.next_pc != r.pc + slot.instr.code.len() as u32;
                &[("taken", taken), ("not taken", !taken)]
            }
        };
        for &flow in self.expected[n].flows {
            if met.contains(&(flow, true)) {
                self.count(Point::Flow(n, flow));
            }
        }
    }

    fn access(&mut self, slot: &Slot, r: &Retired) {
        let accesses = || {
            slot.lowered.uops.iter().filter_map(|u| match u.op {
                Op::Load(a) => Some(("load", a)),
                Op::Store(a) => Some(("store", a)),
                Op::Atomic(a, _) => Some((if u.dst[0] == Place::None { "reduction" } else { "atomic" }, a)),
                _ => None,
            })
        };
        let Some((kind, access)) = accesses().next() else { return };
        let space = match r.mem {
            Some(m) if m.kind == AccessKind::Load && m.space == Space::Global => "global".into(),
            _ => format!("{:?}", access.space).to_lowercase(),
        };
        let space = space.split('(').next().unwrap_or_default();
        let n: u32 = accesses().map(|(_, a)| a.count()).sum();
        let ty = access.element;
        let format = match access.format {
            Format::Plain => String::new(),
            format => format!(", {format:?}"),
        };
        let key = format!("{space} {kind} {n} x {ty:?}{format}");
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
                list.push(Family { name: e.family, items: vec![], closed: true });
            }
            let family = list.iter_mut().find(|f| f.name == e.family);
            let met = self.of(Point::Form(n));
            family.into_iter().for_each(|f| f.items.push((e.name.into(), met)));
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
        let flows = all().flat_map(|(n, e)| {
            e.flows.iter().map(move |f| {
                let met = self.of(Point::Flow(n, f));
                (format!("{} {f}", e.name), met)
            })
        });
        // Where warps go on without threads.
        let empty = self.expected.iter().any(|e| !e.flows.is_empty());
        let active =
            active(self.isa).iter().filter(|a| empty || **a != "0").map(|a| (a.to_string(), self.of(Point::Active(a))));
        let named = |t: &BTreeMap<String, u64>| t.iter().map(|(k, n)| (k.clone(), *n)).collect();
        let numbered = self.depths.iter().map(|(k, n)| (k.to_string(), *n));
        for (name, items, closed) in [
            ("modifiers, operands", values.collect(), true),
            ("forms by depth", depths.collect(), true),
            ("control flow", flows.collect(), true),
            ("results by form", results.collect(), false),
            ("active threads", active.collect(), true),
            ("memory accesses", named(&self.accesses), false),
            ("stack depths", numbered.collect(), false),
        ] {
            list.push(Family { name, items, closed });
        }
        list.retain(|f| !f.items.is_empty());
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

/// The same of a result of 64 bits.
fn class_of_double(x: u64) -> &'static str {
    let value = f64::from_bits(x);
    match value.classify() {
        FpCategory::Zero if value.is_sign_negative() => "-0",
        FpCategory::Zero => "+0",
        FpCategory::Nan => "NaN",
        FpCategory::Infinite => "infinity",
        FpCategory::Subnormal => "denormal",
        FpCategory::Normal => "number",
    }
}
