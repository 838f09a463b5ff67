//! Wires of the clock networks, which cross many tiles and have no wire in each: spines feed taps, taps feed rows.

use super::wire::Place;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Where the clock networks of a device branch: Project Trellis' `globals.json`.
#[derive(Debug, Deserialize)]
pub(crate) struct Globals {
    quadrants: BTreeMap<String, Quadrant>,
    /// By `C` and the column.
    taps: BTreeMap<String, Tap>,
    /// By quadrant and column of the tap.
    spines: BTreeMap<String, Spine>,
}

#[derive(Debug, Deserialize)]
struct Quadrant {
    x0: i16,
    x1: i16,
    y0: i16,
    y1: i16,
}

/// Columns left and right of a tap that it feeds.
#[derive(Debug, Deserialize)]
struct Tap {
    lx0: i16,
    lx1: i16,
    rx0: i16,
    rx1: i16,
}

#[derive(Debug, Deserialize)]
struct Spine {
    x: i16,
    y: i16,
}

impl Globals {
    /// The wire that a wire of a clock network is a branch of.
    pub(crate) fn above(&self, place: Place, name: &str) -> Option<(Place, String)> {
        if let Some(number) = name.strip_prefix("G_HPBX") {
            return self.taps.iter().find_map(|(column, tap)| {
                let at =
                    |side| Some((Place { x: column.get(1..)?.parse().ok()?, ..place }, format!("{side}_HPBX{number}")));
                if (tap.lx0..=tap.lx1).contains(&place.x) {
                    return at('L');
                }
                (tap.rx0..=tap.rx1).contains(&place.x).then(|| at('R'))?
            });
        }
        let (quadrant, _) = self
            .quadrants
            .iter()
            .find(|(_, q)| (q.x0..=q.x1).contains(&place.x) && (q.y0..=q.y1).contains(&place.y))?;
        if name.starts_with("G_VPTX") {
            let spine = self.spines.get(&format!("{quadrant}{}", place.x))?;
            return Some((Place { x: spine.x, y: spine.y }, name.into()));
        }
        let number: u32 = name.strip_prefix("G_HPRX")?.parse().ok()?;
        Some((Place::WHOLE, format!("G_{quadrant}PCLK{}", number / 100)))
    }
}
