//! Wires of the device by place and name.

use indexmap::IndexSet;
use std::borrow::Cow;

/// Column and row of a tile, from 0 at the upper left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    pub(crate) x: i16,
    pub(crate) y: i16,
}

impl Place {
    /// Where wires of the whole device are.
    pub(crate) const WHOLE: Place = Place { x: 0, y: 0 };
}

/// A wire: where it begins, and the number of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Wire {
    pub(crate) place: Place,
    name: u32,
}

/// Names of wires.
#[derive(Default)]
pub(crate) struct Names {
    all: IndexSet<String>,
}

impl Names {
    /// The wire of a name.
    pub(crate) fn wire(&mut self, place: Place, name: &str) -> Wire {
        let name = match self.all.get_index_of(name) {
            Some(i) => i,
            None => self.all.insert_full(name.into()).0,
        };
        Wire { place, name: name as u32 }
    }

    /// The wire of a name that is known already.
    pub(crate) fn find(&self, place: Place, name: &str) -> Option<Wire> {
        Some(Wire { place, name: self.all.get_index_of(name)? as u32 })
    }

    /// The name of a wire in its tile.
    pub(crate) fn name(&self, wire: Wire) -> &str {
        &self.all[wire.name as usize]
    }

    /// A wire for people, as nextpnr writes it.
    pub(crate) fn shown(&self, wire: Wire) -> String {
        format!("X{}/Y{}/{}", wire.place.x, wire.place.y, self.name(wire))
    }
}

/// A wire as a tile's database names it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Local {
    offset: Offset,
    name: u32,
}

/// Columns and rows from a tile to where a wire begins; none for wires of the whole device.
type Offset = Option<(i16, i16)>;

impl Local {
    /// The wire of a name in tiles of one size of the device; none for wires of another size. `right`: in columns from
    /// [`RIGHT`] on.
    pub(crate) fn of(names: &mut Names, size: &str, right: bool, name: &str) -> Option<Self> {
        let (offset, name) = local(size, right, name)?;
        Some(Local { offset, name: names.wire(Place::WHOLE, &name).name })
    }

    /// The wire, seen from a tile.
    pub(crate) fn from(self, tile: Place) -> Wire {
        let place = self.offset.map_or(Place::WHOLE, |(x, y)| Place { x: tile.x + x, y: tile.y + y });
        Wire { place, name: self.name }
    }
}

/// The first column whose tiles call the right one of two quarters as the left ones call theirs.
pub(crate) const RIGHT: i16 = 69;

/// Offset and name of a wire: `N1_V02S0501` begins a tile further up.
fn local<'a>(size: &str, right: bool, name: &'a str) -> Option<(Offset, Cow<'a, str>)> {
    const HERE: Offset = Some((0, 0));
    let name = match name.split_once('_') {
        Some((k, rest)) if k.len() == 3 && k.ends_with('K') && k.starts_with(|c: char| c.is_ascii_digit()) => {
            (k == size).then_some(rest)?
        }
        _ => name,
    };
    if name.starts_with("G_") {
        let own = ["VPTX", "HPBX", "HPRX"].iter().any(|n| name.contains(n));
        return Some((HERE.filter(|_| own), name.into()));
    }
    let prefix = name.split_once('_').filter(|_| !name.starts_with("L_") && !name.starts_with("R_"));
    let (offset, name) = match prefix.and_then(|(prefix, rest)| Some((offset(prefix)?, rest))) {
        Some((offset, rest)) => (Some(offset), rest),
        None => (HERE, name),
    };
    Some(match right && name.contains("PCSA") {
        true => (offset, name.replacen("PCSA", "PCSB", 1).into()),
        false => (offset, name.into()),
    })
}

/// Columns and rows of a prefix such as `N1`, `S3E2`.
fn offset(prefix: &str) -> Option<(i16, i16)> {
    let (mut x, mut y, mut rest) = (0, 0, prefix);
    while !rest.is_empty() {
        let digits = rest[1..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |n| n + 1);
        let n: i16 = rest.get(1..digits)?.parse().ok()?;
        match rest.as_bytes()[0] {
            b'N' => y -= n,
            b'S' => y += n,
            b'W' => x -= n,
            b'E' => x += n,
            _ => return None,
        }
        rest = &rest[digits..];
    }
    (!prefix.is_empty()).then_some((x, y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wires_of_other_tiles_are_found() {
        let at = |name| local("85K", false, name).map(|(o, n)| (o, n.into_owned()));
        assert_eq!(at("N1_V02S0501"), Some((Some((0, -1)), "V02S0501".into())));
        assert_eq!(at("S3E2_X"), Some((Some((2, 3)), "X".into())));
        assert_eq!(at("A0_SLICE"), Some((Some((0, 0)), "A0_SLICE".into())));
        assert_eq!(at("G_HPBX0100"), Some((Some((0, 0)), "G_HPBX0100".into())));
        assert_eq!(at("G_CLKI_LDCC0"), Some((None, "G_CLKI_LDCC0".into())));
        assert_eq!(at("85K_W1_Q"), Some((Some((-1, 0)), "Q".into())));
        assert_eq!(at("25K_W1_Q"), None);
        assert_eq!(local("85K", true, "PCSA_X").map(|l| l.1.into_owned()), Some("PCSB_X".into()));
    }
}
