//! What is known of each byte of a memory: who wrote it last, and who has read it since.

use crate::clock::{Stamp, Time};
use std::collections::HashMap;
use std::sync::Arc;

/// Who accesses, and what is in its past.
#[derive(Clone, Copy)]
pub struct Me<'a> {
    /// Warp, lane and instruction.
    pub stamp: Stamp,
    /// What the warp knows.
    pub time: &'a Time,
}

impl Me<'_> {
    #[inline(always)]
    fn is_after(&self, s: &Stamp) -> bool {
        self.time.is_after(self.stamp.block, s)
    }
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Reads.
    Read,
    /// Writes this value.
    Write(u64),
    /// Reads and writes at once, or under a lock.
    Atomic,
}

/// How the earlier of two unordered accesses touched the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// It read.
    Read,
    /// It wrote.
    Write,
    /// Atomically.
    Atomic,
}

/// An access that no order binds to the present one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clash {
    /// Whose.
    pub other: Stamp,
    /// What it did.
    pub earlier: Earlier,
    /// First byte address of what both touch.
    pub address: u32,
}

/// Reads since the last write, none of which lies in the past of another.
#[derive(Clone, Debug, Default)]
enum Reads {
    #[default]
    None,
    One(Stamp),
    Many(Vec<Stamp>),
}

impl Reads {
    fn list(&self) -> &[Stamp] {
        match self {
            Reads::None => &[],
            Reads::One(s) => std::slice::from_ref(s),
            Reads::Many(list) => list,
        }
    }

    /// Adds one. With `few` two other blocks stand for all: no write is behind both, because blocks never meet.
    #[inline(always)]
    fn add(&mut self, me: &Me<'_>, few: bool) {
        match self {
            Reads::None => *self = Reads::One(me.stamp),
            Reads::One(s) if me.is_after(s) => *s = me.stamp,
            _ => self.add_to_many(me, few),
        }
    }

    fn add_to_many(&mut self, me: &Me<'_>, few: bool) {
        if let Reads::One(s) = self {
            *self = Reads::Many(vec![*s]);
        }
        let Reads::Many(list) = self else { return };
        if few {
            let mut others = list.iter().map(|s| s.block).filter(|b| *b != me.stamp.block);
            let first = others.next();
            if first.is_some() && others.any(|b| Some(b) != first) {
                return;
            }
        }
        list.retain(|s| !me.is_after(s));
        list.push(me.stamp);
    }
}

/// What is known of a word, or of a byte.
#[derive(Clone, Debug, Default)]
struct Cell {
    /// Last plain write, and what it wrote.
    write: Option<(Stamp, u32)>,
    reads: Reads,
}

impl Cell {
    fn clash(&mut self, me: &Me<'_>, act: Act, value: u32, few: bool) -> Option<(Stamp, Earlier)> {
        let write = self.write.filter(|(s, _)| !me.is_after(s));
        // Writes of one value leave the same memory in either order.
        let write = write.filter(|(_, v)| !matches!(act, Act::Write(_)) || *v != value);
        let mut found = write.map(|(s, _)| (s, Earlier::Write));
        if act == Act::Read {
            self.reads.add(me, few);
            return found;
        }
        if found.is_none() {
            let read = self.reads.list().iter().find(|s| !me.is_after(s));
            found = read.map(|s| (*s, Earlier::Read));
        }
        if let Act::Write(_) = act {
            (self.write, self.reads) = (Some((me.stamp, value)), Reads::None);
        }
        found
    }

    /// The cells of its bytes.
    fn split(&self) -> Box<[Cell; 4]> {
        let byte =
            |n: usize| Cell { write: self.write.map(|(s, v)| (s, v >> (8 * n) & 0xff)), reads: self.reads.clone() };
        Box::new(std::array::from_fn(byte))
    }
}

/// A word of memory: whole as long as nobody touches a part of it.
#[derive(Clone, Debug)]
enum Word {
    Whole(Cell),
    Bytes(Box<[Cell; 4]>),
}

/// Words of a page.
const WORDS: usize = 1024;
/// Bytes of a page.
const PAGE: u32 = 4 * WORDS as u32;

/// Atomic accesses to a word.
#[derive(Clone, Debug, Default)]
struct Meeting {
    /// Those that do not lie in the past of a later one.
    stamps: Vec<Stamp>,
    /// What the warps knew that came here, of those that no later one knew.
    told: Vec<Told>,
}

/// What a warp knew when it left a word behind.
#[derive(Clone, Debug)]
pub struct Told {
    stamp: Stamp,
    /// Several warps' knowledge: the stamp is one of theirs.
    mixed: bool,
    time: Arc<Time>,
}

/// Atomic accesses and their warps kept of a word at most.
const KEPT: usize = 64;

/// What is known of a memory.
#[derive(Clone, Debug, Default)]
pub struct Shadow {
    pages: Vec<Option<Box<[Word]>>>,
    /// By word address.
    meetings: HashMap<u32, Meeting>,
    /// Blocks may meet: every read is kept.
    pub meets: bool,
}

impl Shadow {
    /// A memory that nobody has touched.
    pub fn new(meets: bool) -> Self {
        Shadow { meets, ..Shadow::default() }
    }

    /// An access of `bytes` bytes. Gives the first other one that no order binds to it.
    #[inline(always)]
    pub fn access(&mut self, me: &Me<'_>, act: Act, address: u32, bytes: u32) -> Option<Clash> {
        let mut clash = None;
        let end = u64::from(address) + u64::from(bytes);
        let mut at = address & !3;
        loop {
            let from = address.max(at) - at;
            let to = (end - u64::from(at)).min(4) as u32;
            let value = match act {
                Act::Write(v) if at >= address => v.checked_shr(8 * (at - address)).unwrap_or(0) as u32,
                Act::Write(v) => (v << (8 * (address - at))) as u32,
                _ => 0,
            };
            let found = self.word(me, act, at, from..to, value);
            clash = clash.or(found);
            match at.checked_add(4) {
                Some(next) if u64::from(next) < end => at = next,
                _ => return clash,
            }
        }
    }

    /// Bytes `part` of the word at `at`; `value`: what is written, in its place in the word.
    fn word(&mut self, me: &Me<'_>, act: Act, at: u32, part: std::ops::Range<u32>, value: u32) -> Option<Clash> {
        let few = !self.meets;
        let word = self.slot(at);
        let clash = |byte: u32, found: (Stamp, Earlier)| Clash { other: found.0, earlier: found.1, address: at + byte };
        if part != (0..4) {
            if let Word::Whole(cell) = word {
                *word = Word::Bytes(cell.split());
            }
        }
        let mut first = match word {
            Word::Whole(cell) => cell.clash(me, act, value, few).map(|f| clash(0, f)),
            Word::Bytes(cells) => {
                let mut first = None;
                for b in part {
                    let found = cells[b as usize].clash(me, act, value >> (8 * b) & 0xff, few);
                    first = first.or(found.map(|f| clash(b, f)));
                }
                first
            }
        };
        if !self.meetings.is_empty() && act != Act::Atomic {
            if let Some(m) = self.meetings.get_mut(&at) {
                let other = m.stamps.iter().find(|s| !me.is_after(s));
                first = first.or(other.map(|s| clash(0, (*s, Earlier::Atomic))));
                if let Act::Write(_) = act {
                    m.stamps.clear();
                }
            }
        }
        first
    }

    fn slot(&mut self, at: u32) -> &mut Word {
        let page = (at / PAGE) as usize;
        if page >= self.pages.len() {
            self.pages.resize(page + 1, None);
        }
        let page = self.pages[page].get_or_insert_with(|| vec![Word::Whole(Cell::default()); WORDS].into());
        &mut page[(at % PAGE / 4) as usize]
    }

    /// What the warps knew that came to a word with an atomic access, as far as `time` of a warp of block `mine` does
    /// not.
    pub fn told(&self, mine: u32, time: &Time, address: u32) -> Vec<Told> {
        let told = self.meetings.get(&(address & !3)).map_or(&[][..], |m| &m.told);
        told.iter().filter(|t| !t.is_known(mine, time)).cloned().collect()
    }

    /// A warp leaves what it knows at a word.
    pub fn tell(&mut self, me: &Me<'_>, time: &Arc<Time>, address: u32) {
        let m = self.meetings.entry(address & !3).or_default();
        m.stamps.retain(|s| !me.is_after(s));
        m.stamps.push(me.stamp);
        m.told.retain(|t| !t.is_known(me.stamp.block, me.time));
        if m.stamps.len() > KEPT {
            m.stamps.remove(0);
        }
        if m.told.len() >= KEPT {
            m.mix();
        }
        m.told.push(Told { stamp: me.stamp, mixed: false, time: time.clone() });
    }
}

impl Meeting {
    /// Makes one of all that was told.
    fn mix(&mut self) {
        let Some(first) = self.told.first() else { return };
        let (stamp, mut time) = (first.stamp, (*first.time).clone());
        self.told.iter().for_each(|t| time.join(stamp.block, t.stamp.block, &t.time));
        self.told = vec![Told { stamp, mixed: true, time: Arc::new(time) }];
    }
}

impl Told {
    fn is_known(&self, mine: u32, time: &Time) -> bool {
        !self.mixed && time.is_after(mine, &self.stamp)
    }

    /// A warp of block `mine` learns it.
    pub fn learn(&self, mine: u32, time: &mut Time) {
        time.join(mine, self.stamp.block, &self.time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU32;

    fn stamp(block: u32, warp: u16) -> Stamp {
        Stamp { clock: NonZeroU32::MIN, block, pc: 8 * u32::from(warp), warp, lane: 0 }
    }

    #[test]
    fn only_bytes_that_both_touch_clash() {
        let times = [Time::start(2, 0), Time::start(2, 1)];
        let me = |w: u16| Me { stamp: stamp(0, w), time: &times[usize::from(w)] };
        let mut s = Shadow::new(false);
        assert_eq!(s.access(&me(0), Act::Write(1), 0x10, 1), None);
        assert_eq!(s.access(&me(1), Act::Write(2), 0x11, 1), None);
        assert_eq!(s.access(&me(1), Act::Read, 0x12, 2), None);
        let clash = s.access(&me(0), Act::Read, 0x10, 4);
        assert_eq!(clash, Some(Clash { other: stamp(0, 1), earlier: Earlier::Write, address: 0x11 }));
        // The same value twice is no difference.
        assert_eq!(s.access(&me(1), Act::Write(5), 0x20, 8), None);
        assert_eq!(s.access(&me(0), Act::Write(5), 0x20, 8), None);
        assert_eq!(s.access(&me(1), Act::Write(7 << 32 | 5), 0x20, 8).map(|c| c.address), Some(0x24));
    }

    #[test]
    fn two_blocks_that_read_stand_for_all() {
        let time = Time::start(1, 0);
        let me = |b: u32| Me { stamp: stamp(b, 0), time: &time };
        for (meets, kept) in [(false, 2), (true, 5)] {
            let mut s = Shadow::new(meets);
            (0..5).for_each(|b| assert_eq!(s.access(&me(b), Act::Read, 0, 4), None));
            let Word::Whole(cell) = s.slot(0) else { panic!("it is whole") };
            assert_eq!(cell.reads.list().len(), kept);
            assert!(s.access(&me(0), Act::Write(1), 0, 4).is_some());
        }
    }
}
