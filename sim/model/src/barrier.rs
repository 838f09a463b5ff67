//! The 16 barriers of a block.
//!
//! Each warp has an `arrived` bit for each barrier and may wait on one. Barrier k releases when
//! some warp has arrived at it or waits on it, and every warp that has not finished has arrived
//! or waits: then all its arrived bits clear and its waiters run. Finished warps do not count.

/// Barrier state of one warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WarpBarriers {
    /// Bit k: the warp has arrived at barrier k.
    pub arrived: u16,
    /// The barrier the warp waits on.
    pub waiting: Option<u8>,
    /// Byte address of the last BAR it executed: where it waits.
    pub at: u32,
}

impl WarpBarriers {
    /// BAR at byte address `pc` executed by this warp on barrier `id` (0..=15).
    pub fn bar(&mut self, id: u8, arrive: bool, wait: bool, pc: u32) {
        self.at = pc;
        if arrive {
            self.arrived |= 1 << id;
        }
        if wait {
            self.waiting = Some(id);
        }
    }

    fn is_there(&self, id: u8) -> bool {
        self.arrived & (1 << id) != 0 || self.waiting == Some(id)
    }
}

/// Releases every barrier that can be; `warps` yields the state of the warps not finished.
/// Returns the mask of the barriers released.
pub fn release(warps: &mut [&mut WarpBarriers]) -> u16 {
    let mut released = 0;
    for id in 0..16 {
        if !warps.is_empty() && warps.iter().all(|w| w.is_there(id)) {
            released |= 1 << id;
            for w in warps.iter_mut() {
                w.arrived &= !(1 << id);
                if w.waiting == Some(id) {
                    w.waiting = None;
                }
            }
        }
    }
    released
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn barrier_releases_only_when_all_warps_are_there() {
        let (mut a, mut b) = (WarpBarriers::default(), WarpBarriers::default());
        a.bar(0, true, true, 0);
        assert_eq!(release(&mut [&mut a, &mut b]), 0);
        assert_eq!(a.waiting, Some(0));
        b.bar(0, true, false, 0);
        assert_eq!(release(&mut [&mut a, &mut b]), 1);
        assert_eq!((a, b), Default::default());
    }

    #[test]
    fn a_finished_warp_is_not_waited_for() {
        let mut a = WarpBarriers::default();
        a.bar(3, false, true, 0);
        assert_eq!(release(&mut [&mut a]), 1 << 3);
    }

    #[test]
    fn warps_at_different_barriers_stay() {
        let (mut a, mut b) = (WarpBarriers::default(), WarpBarriers::default());
        a.bar(0, true, true, 0);
        b.bar(1, true, true, 0);
        assert_eq!(release(&mut [&mut a, &mut b]), 0);
    }
}
