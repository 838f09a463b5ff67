//! The barriers of a block.
//!
//! Each warp has an `arrived` bit for each barrier and may wait on one. A barrier releases when as many threads as a
//! waiting warp expects have arrived or wait, each warp counting 32; or, where nobody there named a number, when every
//! warp that has not finished has arrived or waits. Then all its arrived bits clear and its waiters run.

/// Barrier state of one warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WarpBarriers {
    /// Bit k: the warp has arrived at barrier k.
    arrived: u32,
    /// Barriers among `arrived` for which the warp gave the number of expected threads.
    counted: u32,
    /// The barrier the warp waits on, and the threads expected there; 0: all.
    waits: Option<(u8, u16)>,
    /// Byte address of the last barrier instruction it executed: where it waits.
    pub at: u32,
}

impl WarpBarriers {
    /// The instruction at byte address `pc` on barrier `id` (0..=31), where so many threads are expected; 0: all.
    pub fn bar(&mut self, id: u8, arrive: bool, wait: bool, threads: u16, pc: u32) {
        self.at = pc;
        if arrive {
            self.arrived |= 1 << id;
            self.counted |= u32::from(threads != 0) << id;
        }
        if wait {
            self.waits = Some((id, threads));
        }
    }

    /// The barrier the warp waits on.
    #[inline(always)]
    pub fn waiting(&self) -> Option<u8> {
        self.waits.map(|w| w.0)
    }

    /// The barriers of the mask `released` release.
    pub fn release(&mut self, released: u32) {
        self.arrived &= !released;
        self.counted &= !released;
        self.waits = self.waits.filter(|(id, _)| released >> id & 1 == 0);
    }

    fn is_there(&self, id: u8) -> bool {
        self.arrived >> id & 1 == 1 || self.waiting() == Some(id)
    }
}

/// The barriers that release, a bit each; of each warp whether it has finished, and its state.
pub fn releasable<'a>(warps: impl Iterator<Item = (bool, &'a WarpBarriers)> + Clone) -> u32 {
    let mut left = warps.clone().fold(0, |m, (_, w)| m | w.arrived | w.waiting().map_or(0, |id| 1 << id));
    let mut released = 0;
    while left != 0 {
        let id = left.trailing_zeros() as u8;
        left &= left - 1;
        let all = warps.clone().all(|(finished, w)| finished || w.is_there(id));
        let mut waits = warps.clone().filter_map(|(_, w)| w.waits.filter(|w| w.0 == id)).peekable();
        let enough = match waits.peek() {
            None => all && warps.clone().all(|(_, w)| w.counted >> id & 1 == 0),
            Some(_) => waits.any(|(_, threads)| match threads {
                0 => all,
                n => 32 * warps.clone().filter(|(_, w)| w.is_there(id)).count() >= usize::from(n),
            }),
        };
        released |= u32::from(enough) << id;
    }
    released
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Releases what can be.
    fn release(warps: &mut [(bool, &mut WarpBarriers)]) -> u32 {
        let released = releasable(warps.iter().map(|(finished, w)| (*finished, &**w)));
        warps.iter_mut().for_each(|(_, w)| w.release(released));
        released
    }

    #[test]
    fn barrier_releases_only_when_all_warps_are_there() {
        let (mut a, mut b) = (WarpBarriers::default(), WarpBarriers::default());
        a.bar(0, true, true, 0, 0);
        assert_eq!(release(&mut [(false, &mut a), (false, &mut b)]), 0);
        assert_eq!(a.waiting(), Some(0));
        b.bar(0, true, false, 0, 0);
        assert_eq!(release(&mut [(false, &mut a), (false, &mut b)]), 1);
        assert_eq!((a, b), Default::default());
    }

    #[test]
    fn a_finished_warp_is_not_waited_for() {
        let (mut a, mut b) = (WarpBarriers::default(), WarpBarriers::default());
        a.bar(3, false, true, 0, 0);
        assert_eq!(release(&mut [(false, &mut a), (true, &mut b)]), 1 << 3);
    }

    #[test]
    fn warps_at_different_barriers_stay() {
        let (mut a, mut b) = (WarpBarriers::default(), WarpBarriers::default());
        a.bar(0, true, true, 0, 0);
        b.bar(1, true, true, 0, 0);
        assert_eq!(release(&mut [(false, &mut a), (false, &mut b)]), 0);
    }
}
