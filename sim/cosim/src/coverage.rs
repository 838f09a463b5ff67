//! What a lockstep run exercised.

mod family;
mod float;
mod page;
pub mod set;

use crate::random::sm10::tier::implemented;
use serde::Serialize;
use set::SetCoverage;
use std::collections::BTreeMap;
use warpsmith_isa::{Dst, Instr, Marker, MemRef, Op, Src, Tier, ROWS};
use warpsmith_isa::{Isa, Options};
use warpsmith_model::uop::Slot;
use warpsmith_model::{AccessKind, Retired, Space};

/// Counts of retired warp instructions with at least one thread executing, by what they exercise.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// By row of the instruction table.
    pub forms: BTreeMap<u8, u64>,
    /// By operand kind: `src register`, `src shared post-increment`, `dst half`, …
    pub operands: BTreeMap<String, u64>,
    /// By condition code, all-true excluded.
    pub conditions: BTreeMap<u8, u64>,
    /// By stack depth when the instruction issued.
    pub depths: BTreeMap<u32, u64>,
    /// By marker.
    pub markers: BTreeMap<String, u64>,
    /// Loads and stores by space, direction and size.
    pub accesses: BTreeMap<String, u64>,
    /// Shared accesses by the most threads of a half warp (16) that want different words of one of
    /// 16 banks.
    pub conflicts: BTreeMap<u32, u64>,
    /// By number of active threads: `1`, `2-31`, `32`.
    pub active: BTreeMap<String, u64>,
    /// Warp instructions by what their float operands and results met.
    pub floats: BTreeMap<&'static str, u64>,
    /// Counts of a set beside SM 1.0, in place of all the others.
    #[serde(skip)]
    pub set: Option<SetCoverage>,
    /// Warp instructions counted, those nobody executed included.
    pub instructions: u64,
}

impl Coverage {
    /// Counts one instruction of a set beside SM 1.0 that the model of a chip with these options executed, with the depth of its
    /// divergence before.
    pub fn add_of_set(&mut self, (isa, options): (Isa, Options), slot: &Slot, r: &Retired, depth: u32) {
        self.instructions += 1;
        if self.set.is_none() {
            self.set = SetCoverage::new(isa, options);
        }
        if let Some(set) = &mut self.set {
            set.add(slot, r, depth);
        }
    }

    /// Counts one instruction the model executed.
    pub fn add(&mut self, i: &Instr, r: &Retired, depth: u32) {
        self.instructions += 1;
        *self.forms.entry(i.form).or_default() += 1;
        *self.depths.entry(depth).or_default() += 1;
        if !i.pred.is_always() {
            *self.conditions.entry(i.pred.code).or_default() += 1;
        }
        if i.marker != Marker::None {
            count(&mut self.markers, if i.marker == Marker::Exit { "exit" } else { "join" });
        }
        count(
            &mut self.active,
            match r.active_mask.count_ones() {
                32 => "32",
                1 => "1",
                _ => "2-31",
            },
        );
        self.float_events(i, r);
        for s in &i.src {
            match s {
                Src::None => {}
                Src::Reg(_) => count(&mut self.operands, "src register"),
                Src::Half(_) => count(&mut self.operands, "src half"),
                Src::Imm(_) => count(&mut self.operands, "src immediate"),
                Src::Shared(at) => self.reference("src shared", at),
                Src::Const { at, .. } => self.reference("src constant", at),
                Src::Addr(_) => count(&mut self.operands, "src address register"),
                Src::Cc(_) => count(&mut self.operands, "src flags"),
                Src::Special(_) => count(&mut self.operands, "src special"),
            }
        }
        let dst = match i.dst {
            Dst::None => None,
            Dst::Reg(_) => Some("dst register"),
            Dst::Half(_) => Some("dst half"),
            Dst::Pair(_) => Some("dst pair"),
            Dst::Quad(_) => Some("dst quad"),
            Dst::Addr(_) => Some("dst address register"),
            Dst::Cc(_) => Some("dst flags"),
            Dst::Discard => Some("dst discard"),
            Dst::Out(_) => Some("dst output"),
        };
        if let Some(d) = dst {
            count(&mut self.operands, d);
        }
        if i.cdst.is_some() {
            count(&mut self.operands, "dst flags beside");
        }
        if let Op::StShared { at, .. } | Op::LdShared { at, .. } | Op::LdLocal { at } | Op::StLocal { at } = i.op {
            self.reference("memory", &at);
        }
        if let Some(m) = r.mem {
            let kind = match m.kind {
                AccessKind::Load => "load",
                AccessKind::Store => "store",
                AccessKind::Atomic => "atomic",
                AccessKind::Reduction => "reduction",
            };
            let space = match m.space {
                Space::Shared => "shared",
                Space::Global => "global",
                Space::Local => "local",
                Space::Constant(_) => "constant",
            };
            count(&mut self.accesses, &format!("{space} {kind} {:?}", m.size));
            if m.space == Space::Shared {
                *self.conflicts.entry(conflict_degree(&r.address, r.exec_mask)).or_default() += 1;
            }
        }
    }

    fn float_events(&mut self, i: &Instr, r: &Retired) {
        if !i.op.is_float() {
            return;
        }
        let mut met = float::events(&i.op, r);
        while met != 0 {
            let name = float::EVENTS[met.trailing_zeros() as usize].1;
            *self.floats.entry(name).or_default() += 1;
            met &= met - 1;
        }
    }

    fn reference(&mut self, what: &str, at: &MemRef) {
        let how = match (at.areg, at.post_inc) {
            (0, _) => "",
            (_, false) => " indexed",
            (_, true) => " post-increment",
        };
        count(&mut self.operands, &format!("{what}{how} {:?}", at.size));
    }

    /// Adds another run's counts.
    pub fn merge(&mut self, other: &Coverage) {
        fn add<K: Ord + Clone>(to: &mut BTreeMap<K, u64>, from: &BTreeMap<K, u64>) {
            for (k, n) in from {
                *to.entry(k.clone()).or_default() += n;
            }
        }
        add(&mut self.forms, &other.forms);
        add(&mut self.operands, &other.operands);
        add(&mut self.conditions, &other.conditions);
        add(&mut self.depths, &other.depths);
        add(&mut self.markers, &other.markers);
        add(&mut self.accesses, &other.accesses);
        add(&mut self.conflicts, &other.conflicts);
        add(&mut self.active, &other.active);
        add(&mut self.floats, &other.floats);
        match (&mut self.set, &other.set) {
            (Some(set), Some(other)) => set.merge(other),
            (set @ None, other) => set.clone_from(other),
            _ => {}
        }
        self.instructions += other.instructions;
    }

    /// Rows that a chip of this tier implements, that can be executed without trapping, and that
    /// were never hit.
    pub fn never_hit(&self, tier: Tier) -> Vec<u8> {
        (0..ROWS.len() as u8).filter(|f| implemented(*f, tier) && !self.forms.contains_key(f)).collect()
    }

    /// Hit rows, and all rows that could be hit.
    pub fn forms_hit(&self, tier: Tier) -> (usize, usize) {
        let all = (0..ROWS.len() as u8).filter(|f| implemented(*f, tier)).count();
        (all - self.never_hit(tier).len(), all)
    }

    /// Float events that a chip of this tier can show and that were never met.
    pub fn never_met(&self, tier: Tier) -> Vec<&'static str> {
        float_events(tier).filter(|name| !self.floats.contains_key(name)).collect()
    }
}

/// Names of the float events that a chip of this tier can show.
fn float_events(tier: Tier) -> impl Iterator<Item = &'static str> {
    let has = move |op: &Op| ROWS.iter().zip(0..).any(|(f, row)| implemented(row, tier) && float::shows(&f.op, op));
    float::EVENTS.iter().filter(move |(op, _)| has(op)).map(|e| e.1)
}

fn count(table: &mut BTreeMap<String, u64>, key: &str) {
    match table.get_mut(key) {
        Some(n) => *n += 1,
        None => {
            table.insert(key.to_string(), 1);
        }
    }
}

/// Most different words wanted of one bank by a half warp.
fn conflict_degree(address: &[u32; 32], mask: u32) -> u32 {
    let mut worst = 0;
    for half in 0..2 {
        let mut words: Vec<u32> =
            (16 * half..16 * half + 16).filter(|l| mask >> l & 1 != 0).map(|l| address[l] / 4).collect();
        words.sort_unstable();
        words.dedup();
        let mut banks = [0; 16];
        for w in words {
            banks[w as usize % 16] += 1;
        }
        worst = worst.max(*banks.iter().max().unwrap_or(&0));
    }
    worst
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conflict_degree_counts_different_words_of_a_bank() {
        let mut a = [0; 32];
        assert_eq!(conflict_degree(&a, u32::MAX), 1);
        a.iter_mut().enumerate().for_each(|(l, a)| *a = 4 * l as u32);
        assert_eq!(conflict_degree(&a, u32::MAX), 1);
        a.iter_mut().enumerate().for_each(|(l, a)| *a = 64 * l as u32);
        assert_eq!(conflict_degree(&a, u32::MAX), 16);
        assert_eq!(conflict_degree(&a, 0), 0);
    }
}
