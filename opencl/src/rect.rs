//! Boxes of bytes within linear memory: rows, slices, pitches.

use crate::cl;
use crate::error::{need, Error, Result};

/// Where a box lies: its first byte, bytes from row to row and from slice to slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    start: usize,
    row: usize,
    slice: usize,
}

/// Bytes in a row, rows, slices.
pub type Region = [usize; 3];

impl Place {
    /// From a call's origin and pitches; a pitch of 0 is the least.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`.
    pub fn new(origin: [usize; 3], region: Region, row: usize, slice: usize) -> Result<Place> {
        let bad = |what: &str| Error::new(cl::INVALID_VALUE, what);
        need(!region.contains(&0), cl::INVALID_VALUE, "a region has no bytes")?;
        let row = if row == 0 { region[0] } else { row };
        need(row >= region[0], cl::INVALID_VALUE, "the row pitch is smaller than a row")?;
        let least = region[1].checked_mul(row).ok_or(bad("the region is too large"))?;
        let slice = if slice == 0 { least } else { slice };
        need(
            slice >= least && slice % row == 0,
            cl::INVALID_VALUE,
            "the slice pitch is smaller than a slice, or no multiple of the row pitch",
        )?;
        let start = origin[2].checked_mul(slice).and_then(|z| {
            let y = origin[1].checked_mul(row)?;
            z.checked_add(y)?.checked_add(origin[0])
        });
        Ok(Place { start: start.ok_or(bad("the origin is too large"))?, row, slice })
    }

    /// The same place in a buffer of which this one's is a part that begins at byte `origin`.
    pub fn from_whole(self, origin: usize) -> Place {
        Place { start: self.start + origin, ..self }
    }

    /// Bytes one after the other.
    pub fn linear(start: usize, bytes: usize) -> Place {
        Place { start, row: bytes, slice: bytes }
    }

    /// Whether another place has the same pitches.
    pub fn is_alike(&self, other: &Place) -> bool {
        (self.row, self.slice) == (other.row, other.slice)
    }

    /// First byte behind the box.
    pub fn end(&self, region: Region) -> Option<usize> {
        let z = self.slice.checked_mul(region[2] - 1)?;
        let y = self.row.checked_mul(region[1] - 1)?;
        self.start.checked_add(z)?.checked_add(y)?.checked_add(region[0])
    }

    /// First bytes of all rows.
    pub fn rows(self, region: Region) -> impl Iterator<Item = usize> {
        (0..region[2]).flat_map(move |z| (0..region[1]).map(move |y| self.start + z * self.slice + y * self.row))
    }
}

/// Whether two boxes of one buffer, of any pitches, share a byte.
pub fn overlap(a: Place, b: Place, region: Region) -> bool {
    let mut starts: Vec<(usize, bool)> = a.rows(region).map(|s| (s, true)).collect();
    starts.extend(b.rows(region).map(|s| (s, false)));
    starts.sort_unstable();
    // Rows of one box never overlap: neighbours of different boxes decide.
    starts.windows(2).any(|w| w[0].1 != w[1].1 && w[1].0 < w[0].0 + region[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_box() {
        let region = [4, 2, 2];
        let place = Place::new([1, 1, 0], region, 8, 32).unwrap();
        assert_eq!(place.rows(region).collect::<Vec<_>>(), [9, 17, 41, 49]);
        assert_eq!(place.end(region), Some(53));
        assert!(Place::new([0; 3], region, 3, 0).is_err());
        assert!(Place::new([0; 3], region, 8, 15).is_err());
        assert!(Place::new([0; 3], [4, 0, 1], 0, 0).is_err());
    }

    #[test]
    fn boxes_beside_each_other_do_not_overlap() {
        let region = [4, 2, 1];
        let at = |x| Place::new([x, 0, 0], region, 8, 0).unwrap();
        assert!(!overlap(at(0), at(4), region));
        assert!(overlap(at(0), at(3), region));
        assert!(overlap(at(2), at(2), region));
    }
}
