//! Interference of words and the merging of registers that copies connect.
//!
//! A *group* is a set of virtual registers that get one place: its size and alignment are those of
//! its largest register, and every word of it has an offset. Merging two words makes them one unit.

use super::color::Limits;
use super::equal::Equal;
use super::live::Live;
use crate::flow::bits::BitSet;
use crate::mir::{Class, Function, How, Reg, Units};

/// Registers that share a place.
#[derive(Clone, Debug)]
pub struct Group {
    /// 32-bit registers it takes, also its alignment; 1 for addresses and flags.
    pub size: u8,
    /// Has a 16-bit operand: R0 to R63.
    pub half: bool,
    /// The place it has from the start: that of the entry's R0, or of a register that passes values.
    pub fixed: Option<u8>,
    /// The unit at every offset.
    pub slots: Vec<u32>,
    /// The virtual registers in it and their offsets.
    pub regs: Vec<(Reg, u8)>,
}

/// A copy that merging may remove.
#[derive(Clone, Copy, Debug)]
struct Copy {
    to: u32,
    from: u32,
    weight: f32,
}

/// Words, what lives at the same time, and groups.
pub struct Web<'a> {
    f: &'a Function,
    /// Numbering of words.
    pub units: Units,
    /// Groups by the first register's number; `None` where it was merged into another.
    pub groups: Vec<Option<Group>>,
    /// Group of every unit and the offset in it.
    pub home: Vec<(u32, u8)>,
    /// Cost of keeping a group in memory, weighted by loops, by group.
    pub cost: Vec<f32>,
    neighbours: Vec<Vec<u32>>,
    copies: Vec<Copy>,
}

/// Weight of an instruction by the loops around it.
pub fn weight(loop_depth: u32) -> f32 {
    8f32.powi(loop_depth.min(8) as i32)
}

/// Whether two classes share registers.
fn same_kind(a: Class, b: Class) -> bool {
    matches!((a, b), (Class::Gpr(_), Class::Gpr(_)) | (Class::Addr, Class::Addr) | (Class::Flag, Class::Flag))
}

impl<'a> Web<'a> {
    /// Computes liveness and interference; no registers are merged yet.
    pub fn new(f: &'a Function) -> Web<'a> {
        let units = Units::new(f);
        let live = Live::new(f, &units);
        let mut web = Web {
            f,
            groups: Vec::with_capacity(f.regs.len()),
            home: vec![(0, 0); units.len()],
            cost: vec![0.0; f.regs.len()],
            neighbours: vec![Vec::new(); units.len()],
            copies: Vec::new(),
            units,
        };
        for (i, class) in f.regs.iter().enumerate() {
            let reg = Reg(i as u32);
            let first = web.units.reg(reg);
            let size = class.words();
            for k in 0..size {
                web.home[first as usize + usize::from(k)] = (i as u32, k);
            }
            web.groups.push(Some(Group {
                size,
                half: false,
                fixed: f.fixed_place(reg),
                slots: (first..first + u32::from(size)).collect(),
                regs: vec![(reg, 0)],
            }));
        }
        web.interference(&live);
        for list in &mut web.neighbours {
            list.sort_unstable();
            list.dedup();
        }
        web
    }

    fn interference(&mut self, live: &Live) {
        let f = self.f;
        let class = |u: u32, units: &Units| f.regs[units.of[u as usize].reg.0 as usize];
        let mut kinds = [Class::Gpr(1), Class::Addr, Class::Flag].map(|kind| {
            let mut set = BitSet::new(self.units.len());
            for u in 0..self.units.len() as u32 {
                if same_kind(class(u, &self.units), kind) {
                    set.insert(u);
                }
            }
            (kind, set)
        });
        for (b, block) in f.blocks.iter().enumerate() {
            if live.written_before(b).is_none() {
                continue;
            }
            let w = weight(block.loop_depth);
            let equal = Equal::new(f, &self.units, block);
            let mut set = live.after(b).clone();
            if let Some(flag) = block.term.flag() {
                self.cost[flag.0 as usize] += w;
            }
            for (i, inst) in block.insts.iter().enumerate().rev() {
                let copy = match (inst.copy(), inst.address_copy()) {
                    (Some((to, from)), _) => Some((self.units.word(to), self.units.word(from))),
                    (_, Some((to, from))) => Some((self.units.reg(to), self.units.reg(from))),
                    _ => None,
                };
                if let Some((to, from)) = copy.filter(|(to, from)| to != from) {
                    self.copies.push(Copy { to, from, weight: w });
                }
                inst.accesses(|a| {
                    self.cost[a.reg.0 as usize] += w;
                    if a.half {
                        if let Some(g) = &mut self.groups[a.reg.0 as usize] {
                            g.half = true;
                        }
                    }
                    if a.how == How::Read {
                        return;
                    }
                    let range = self.units.access(f, a);
                    let wanted = f.regs[a.reg.0 as usize];
                    let Some((_, kind)) = kinds.iter_mut().find(|(k, _)| same_kind(*k, wanted)) else { return };
                    for v in set.both(kind) {
                        if equal.at(i).contains(&v) {
                            continue;
                        }
                        for u in range.clone() {
                            if u != v && !range.contains(&v) {
                                self.neighbours[u as usize].push(v);
                                self.neighbours[v as usize].push(u);
                            }
                        }
                    }
                });
                if let Some((to, address)) = inst.wide_load() {
                    let first = self.units.reg(to);
                    let from = self.units.word(address);
                    for u in first..first + u32::from(f.regs[to.0 as usize].words()) {
                        if u != from {
                            self.neighbours[u as usize].push(from);
                            self.neighbours[from as usize].push(u);
                        }
                    }
                }
                live.step(f, &self.units, b, i, &mut set);
            }
            if b == 0 {
                let entry = self.units.reg(f.entry);
                for v in set.both(&kinds[0].1) {
                    if v != entry {
                        self.neighbours[entry as usize].push(v);
                        self.neighbours[v as usize].push(entry);
                    }
                }
            }
        }
    }

    fn group(&self, u: u32) -> Option<&Group> {
        self.groups[self.home[u as usize].0 as usize].as_ref()
    }

    /// The unit that stands for `u` after merging.
    fn unit(&self, u: u32) -> u32 {
        let (_, offset) = self.home[u as usize];
        self.group(u).map_or(u, |g| g.slots[usize::from(offset)])
    }

    fn interferes(&self, a: u32, b: u32) -> bool {
        let (a, b) =
            if self.neighbours[a as usize].len() <= self.neighbours[b as usize].len() { (a, b) } else { (b, a) };
        self.neighbours[a as usize].binary_search(&b).is_ok()
    }

    /// The groups that cannot share a register with group `g`, and where: (offset in `g`, other
    /// group, offset there).
    pub fn clashes(&self, g: &Group) -> impl Iterator<Item = (u8, u32, u8)> + '_ {
        let slots: Vec<(u8, u32)> = (0..).zip(g.slots.iter().copied()).collect();
        slots.into_iter().flat_map(move |(offset, u)| {
            // A unit merged into another is still listed; the other is too.
            self.neighbours[u as usize]
                .iter()
                .filter(|&&v| self.unit(v) == v)
                .map(move |&v| (offset, self.home[v as usize].0, self.home[v as usize].1))
        })
    }

    /// The groups that copies connect with group `id`: (own offset, other group, its offset).
    pub fn friends(&self) -> Vec<Vec<(u8, u32, u8)>> {
        let mut list = vec![Vec::new(); self.groups.len()];
        for c in &self.copies {
            let (to, from) = (self.home[c.to as usize], self.home[c.from as usize]);
            if to.0 != from.0 {
                list[to.0 as usize].push((to.1, from.0, from.1));
                list[from.0 as usize].push((from.1, to.0, to.1));
            }
        }
        list
    }

    /// Merges what copies connect, the most executed ones first. `may` decides about pairs of
    /// groups that do not interfere.
    pub fn coalesce(&mut self, may: impl Fn(&Web, &Group, &Group, u8) -> bool) {
        let mut copies = std::mem::take(&mut self.copies);
        copies.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        for c in &copies {
            self.merge(c.to, c.from, &may);
        }
        self.copies = copies;
    }

    /// Puts the groups of two words together so that the words fall on each other.
    fn merge(&mut self, a: u32, b: u32, may: &impl Fn(&Web, &Group, &Group, u8) -> bool) {
        let (mut a, mut b) = (a, b);
        if self.home[a as usize].0 == self.home[b as usize].0 {
            return;
        }
        let size = |u: u32| self.group(u).map_or(0, |g| g.size);
        if size(a) < size(b) {
            (a, b) = (b, a);
        }
        let ((big, to), (small, from)) = (self.home[a as usize], self.home[b as usize]);
        let (Some(x), Some(y)) = (self.groups[big as usize].as_ref(), self.groups[small as usize].as_ref()) else {
            return;
        };
        let Some(shift) = to.checked_sub(from) else { return };
        let fits = shift % y.size == 0 && shift + y.size <= x.size;
        let entry = (x.fixed.is_some() || y.fixed.is_some()) && (x.size > 1 || self.f.fixed.is_some());
        let at = usize::from(shift);
        let clash = || y.slots.iter().zip(&x.slots[at..]).any(|(&u, &v)| self.interferes(u, v));
        if !fits || entry || clash() || !may(self, x, y, shift) {
            return;
        }
        let Some(y) = self.groups[small as usize].take() else { return };
        let mut pairs = Vec::new();
        if let Some(x) = self.groups[big as usize].as_mut() {
            x.half |= y.half;
            x.fixed = x.fixed.or(y.fixed);
            x.regs.extend(y.regs.iter().map(|&(r, o)| (r, o + shift)));
            pairs.extend(y.slots.iter().copied().zip(x.slots[at..].iter().copied()));
        }
        self.cost[big as usize] += self.cost[small as usize];
        for &(r, o) in &y.regs {
            let first = self.units.reg(r);
            for k in 0..self.f.regs[r.0 as usize].words() {
                self.home[first as usize + usize::from(k)] = (big, o + shift + k);
            }
        }
        for (gone, kept) in pairs {
            let list = std::mem::take(&mut self.neighbours[gone as usize]);
            for &v in &list {
                let other = &mut self.neighbours[v as usize];
                if let Err(place) = other.binary_search(&kept) {
                    other.insert(place, kept);
                }
            }
            let mine = &mut self.neighbours[kept as usize];
            mine.extend(list);
            mine.sort_unstable();
            mine.dedup();
        }
    }

    /// True where a group made of `a` and `b` would surely get a place: fewer of its neighbours
    /// than registers are hard to place themselves (Briggs).
    pub fn stays_easy(&self, a: &Group, b: &Group, limits: Limits) -> bool {
        let kind = a.regs.first().map_or(Class::Gpr(1), |r| self.kind(r.0 .0));
        let limit = limits.of(kind, a).min(limits.of(kind, b)) as usize;
        let mut hard = Vec::new();
        for &u in a.slots.iter().chain(&b.slots) {
            let list = self.neighbours[u as usize].iter().copied();
            hard.extend(list.filter(|&v| self.neighbours[v as usize].len() >= limit));
        }
        hard.sort_unstable();
        hard.dedup();
        hard.len() + usize::from(a.size.max(b.size)) <= limit
    }

    /// Class of a group's registers, wide ones as [`Class::Gpr`] of 1.
    pub fn kind(&self, id: u32) -> Class {
        match self.f.regs[id as usize] {
            Class::Gpr(_) => Class::Gpr(1),
            c => c,
        }
    }
}
