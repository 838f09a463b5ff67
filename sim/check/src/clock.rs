//! What a warp knows of the past of others: vector clocks over the warps of its block, and over those of other
//! blocks that it has met at atomic accesses.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

/// When and where a lane did something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The warp's own clock.
    pub clock: NonZeroU32,
    /// Number of the block in the grid, x first.
    pub block: u32,
    /// Byte address of the instruction.
    pub pc: u32,
    /// Warp within the block.
    pub warp: u16,
    /// Lane.
    pub lane: u8,
}

/// Clocks of the warps of a block: all up to them lies in the past.
type Clocks = Vec<u32>;

/// What a warp knows.
#[derive(Clone, Debug)]
pub struct Time {
    /// Of its own block, itself included.
    own: Clocks,
    /// Of other blocks.
    others: Arc<BTreeMap<u32, Clocks>>,
}

impl Time {
    /// Warp `warp` of a block of `warps` warps, at its start: it knows of nobody.
    pub fn start(warps: usize, warp: usize) -> Self {
        let mut own = vec![0; warps];
        own[warp] = 1;
        Time { own, others: Arc::default() }
    }

    /// Nothing, of a block of `warps` warps.
    pub fn nothing(warps: usize) -> Self {
        Time { own: vec![0; warps], others: Arc::default() }
    }

    /// Its own clock, of warp `warp`.
    pub fn now(&self, warp: usize) -> NonZeroU32 {
        NonZeroU32::new(self.own[warp]).unwrap_or(NonZeroU32::MIN)
    }

    /// What follows is later than all that others were told up to here.
    pub fn tick(&mut self, warp: usize) {
        self.own[warp] = self.own[warp].saturating_add(1);
    }

    /// Whether what warp `warp` of `block` did at `clock` lies in the past of this warp, which is of block `mine`.
    #[inline(always)]
    pub fn knows(&self, mine: u32, (block, warp, clock): (u32, u16, u32)) -> bool {
        let clocks = match block == mine {
            true => Some(&self.own),
            false => self.others.get(&block),
        };
        clocks.is_some_and(|c| c[usize::from(warp)] >= clock)
    }

    /// Whether a stamp lies in the past.
    #[inline(always)]
    pub fn is_after(&self, mine: u32, s: &Stamp) -> bool {
        self.knows(mine, (s.block, s.warp, s.clock.get()))
    }

    /// Learns all that a warp of block `block` knew; this warp is of block `mine`.
    pub fn join(&mut self, mine: u32, block: u32, other: &Time) {
        if block == mine {
            raise(&mut self.own, &other.own);
        } else {
            raise_in(&mut self.others, block, &other.own);
        }
        if Arc::ptr_eq(&self.others, &other.others) {
            return;
        }
        for (b, clocks) in other.others.iter() {
            match *b == mine {
                true => raise(&mut self.own, clocks),
                false => raise_in(&mut self.others, *b, clocks),
            }
        }
    }
}

fn raise(to: &mut [u32], from: &[u32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = (*to).max(*from);
    }
}

fn raise_in(to: &mut Arc<BTreeMap<u32, Clocks>>, block: u32, from: &[u32]) {
    let known = to.get(&block).is_some_and(|c| c.iter().zip(from).all(|(c, f)| c >= f));
    if !known {
        let clocks = Arc::make_mut(to).entry(block).or_insert_with(|| vec![0; from.len()]);
        raise(clocks, from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_warp_was_told_lies_in_its_past() {
        let (mut a, mut b) = (Time::start(2, 0), Time::start(2, 1));
        let mut far = Time::start(2, 0);
        let stamp = |block, warp: u16, t: &Time| (block, warp, t.now(warp.into()).get());
        let before = stamp(0, 0, &a);
        assert!(a.knows(0, before) && !b.knows(0, before) && !far.knows(7, before));
        let told = a.clone();
        a.tick(0);
        far.join(7, 0, &told);
        assert!(far.knows(7, before) && !far.knows(7, stamp(0, 0, &a)));
        // What it heard from another block it passes on.
        b.join(0, 7, &far);
        assert!(b.knows(0, before) && b.knows(0, (7, 0, 1)) && !b.knows(0, stamp(0, 0, &a)));
    }
}
