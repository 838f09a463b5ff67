//! The barriers of a block: what its warps tell each other there, and who is missing.

use crate::clock::Time;
use std::collections::BTreeMap;
use warpsmith_model::watch::{Came, Observed};

/// Who has come to a barrier since it was released last.
#[derive(Clone, Debug)]
struct Gathered {
    /// What those knew that have come.
    time: Time,
    /// Warps, each with the byte address of its instruction.
    warps: BTreeMap<u32, u32>,
    /// One of them did not wait: such a barrier tells others, and not all need to come.
    tells: bool,
}

/// A barrier that was released although not all warps came to one and the same.
pub struct Uneven {
    /// Byte address of its instruction.
    pub pc: u32,
    /// A warp that came.
    pub warp: u32,
    /// Who did not.
    pub why: String,
}

/// The barriers of a block.
#[derive(Clone, Debug)]
pub struct Barriers {
    gathered: BTreeMap<u8, Gathered>,
    /// The barrier that each warp waits at.
    waiting: Vec<Option<u8>>,
    ended: Vec<bool>,
}

impl Barriers {
    /// Of a block of `warps` warps.
    pub fn new(warps: usize) -> Self {
        Barriers { gathered: BTreeMap::new(), waiting: vec![None; warps], ended: vec![false; warps] }
    }

    /// A warp of block `number` comes to a barrier.
    pub fn come(&mut self, b: Came, i: &Observed<'_>, time: &mut Time, number: u32) {
        let warps = self.waiting.len();
        let nobody = || Gathered { time: Time::nothing(warps), warps: BTreeMap::new(), tells: false };
        let g = self.gathered.entry(b.id).or_insert_with(nobody);
        // One that had arrived earlier told then what it knew.
        if !g.warps.contains_key(&i.warp) {
            g.time.join(number, number, time);
            g.warps.insert(i.warp, i.pc);
            time.tick(i.warp as usize);
        }
        g.tells |= !b.wait;
        if b.wait {
            self.waiting[i.warp as usize] = Some(b.id);
        }
    }

    /// A warp has ended.
    pub fn end(&mut self, warp: usize) {
        self.ended[warp] = true;
    }

    /// Whether all warps have.
    pub fn all_ended(&self) -> bool {
        self.ended.iter().all(|e| *e)
    }

    /// Barriers of the mask `released` let their warps go on, which learn what all knew that came.
    pub fn release(&mut self, released: u32, times: &mut [Time], number: u32) -> Vec<Uneven> {
        let mut uneven = vec![];
        for id in (0..32u8).filter(|id| released >> id & 1 == 1) {
            let Some(g) = self.gathered.remove(&id) else { continue };
            for (w, waits) in self.waiting.iter_mut().enumerate() {
                if *waits == Some(id) {
                    times[w].join(number, number, &g.time);
                    *waits = None;
                }
            }
            uneven.extend(self.uneven(&g));
        }
        uneven
    }

    /// What is wrong with a barrier that was released.
    fn uneven(&self, g: &Gathered) -> Option<Uneven> {
        let (first, pc) = g.warps.iter().next().map(|(w, pc)| (*w, *pc))?;
        let missing: Vec<u32> = (0..self.ended.len() as u32).filter(|w| !g.warps.contains_key(w)).collect();
        let all_ended = !g.tells && !missing.is_empty() && missing.iter().all(|w| self.ended[*w as usize]);
        all_ended.then(|| Uneven {
            pc,
            warp: first,
            why: format!(
                "{} of {} warps come to the barrier, warp {} has ended without it",
                g.warps.len(),
                self.ended.len(),
                missing[0]
            ),
        })
    }
}
