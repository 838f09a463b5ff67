//! Contents of the configuration memory: nextpnr's `--textcfg`.

use super::device::{Device, TileId};
use super::tile::{word, Bit, Code};
use crate::error::{text, CramError};
use std::collections::HashSet;
use std::path::Path;

/// The bits of all tiles.
pub struct Image {
    tiles: Vec<Vec<bool>>,
}

/// What the file says of a tile or of a group of tiles.
#[derive(Default)]
struct Part {
    arcs: Vec<(String, String)>,
    words: Vec<(String, Vec<bool>)>,
    choices: Vec<(String, String)>,
    unknown: Vec<Bit>,
}

impl Image {
    /// Reads a configuration, and of the database in a folder the device that it is for.
    ///
    /// # Errors
    /// A file cannot be read; the configuration names no device, or has a line that the device does not know.
    pub fn read(path: &Path, database: &Path) -> Result<(Device, Self), CramError> {
        let content = text(path)?;
        let name = content
            .lines()
            .find_map(|l| l.strip_prefix(".device "))
            .ok_or_else(|| CramError::new(path, "a line `.device` was expected; nextpnr-ecp5 --textcfg writes one"))?;
        let device = Device::read(database, name.trim())?;
        let image = Image::of(path, &content, &device)?;
        Ok((device, image))
    }

    fn of(path: &Path, content: &str, device: &Device) -> Result<Self, CramError> {
        let mut image = Image { tiles: vec![] };
        for tile in &device.tiles {
            image.tiles.push(vec![false; usize::from(tile.frames) * usize::from(tile.bits)]);
        }
        let (mut set, mut groups) = (HashSet::new(), vec![]);
        let mut lines = (1..).zip(content.lines()).peekable();
        while let Some((number, line)) = lines.next() {
            let at = |what: String| CramError::new(path, format!("line {number}: {what}"));
            let (what, rest) = line.split_once(' ').unwrap_or((line, ""));
            let group = what == ".tile_group";
            if what != ".tile" && !group {
                continue;
            }
            let mut part = Part::default();
            while let Some((number, line)) = lines.next_if(|l| !l.1.is_empty() && !l.1.starts_with('.')) {
                let wrong =
                    || CramError::new(path, format!("line {number}: `{line}`: arc, word, enum or unknown expected"));
                part.line(line).ok_or_else(wrong)?;
            }
            let tile = |name: &str| device.find(name).ok_or_else(|| at(format!("{} has no tile {name}", device.name)));
            let tiles: Vec<TileId> = rest.split_whitespace().map(tile).collect::<Result<_, _>>()?;
            if group {
                groups.push((number, tiles, part));
                continue;
            }
            for tile in tiles {
                image.apply(device, tile, &part, false).map_err(at)?;
                set.insert(tile);
            }
        }
        // What no line sets has its default; groups stand on top of that.
        for tile in device.tiles().filter(|t| !set.contains(t)) {
            image.apply(device, tile, &Part::default(), false).map_err(|e| CramError::new(path, e))?;
        }
        for (number, tiles, part) in groups {
            for tile in tiles {
                let at = |what: String| CramError::new(path, format!("line {number}: {what}"));
                image.apply(device, tile, &part, true).map_err(at)?;
            }
        }
        Ok(image)
    }

    fn apply(&mut self, device: &Device, tile: TileId, part: &Part, group: bool) -> Result<(), String> {
        let kind = device.kind(tile);
        let unknown = |what: &str, name: &str| Err(format!("{} has no {what} {name}", device.name_of(tile)));
        for (sink, source) in &part.arcs {
            let mux = kind.muxes.iter().find(|m| m.sink == *sink);
            match mux.and_then(|m| m.sources.iter().find(|s| s.0 == *source)) {
                Some((_, code)) => self.set(device, tile, code, true),
                None => return unknown("wire", &format!("{source} to {sink}")),
            }
        }
        // Kinds of pins come first: other settings stand on top of them.
        let base = |name: &str| name.contains("BASE_");
        for first in [true, false] {
            for (name, value) in part.choices.iter().filter(|c| base(&c.0) == first) {
                let Some(choice) = kind.choices.iter().find(|c| c.name == *name) else {
                    if group {
                        continue;
                    }
                    return unknown("setting", name);
                };
                match choice.options.iter().find(|o| o.0 == *value) {
                    Some((_, code)) => self.set(device, tile, code, true),
                    None if group || value == "_NONE_" => {}
                    None => return unknown("setting", &format!("{name} {value}")),
                }
            }
            for (name, value) in part.words.iter().filter(|_| first) {
                match kind.words.iter().find(|w| w.name == *name) {
                    Some(w) if w.bits.len() == value.len() => {
                        w.bits.iter().zip(value).for_each(|(code, v)| self.set(device, tile, code, *v));
                    }
                    None if group => {}
                    _ => return unknown("word", name),
                }
            }
        }
        for bit in &part.unknown {
            let (frames, bits) = device.size(tile);
            if bit.frame >= frames || bit.bit >= bits {
                return unknown("bit", &bit.to_string());
            }
            *self.bit(device, tile, *bit) = true;
        }
        if group {
            return Ok(());
        }
        for w in kind.words.iter().filter(|w| part.words.iter().all(|p| p.0 != w.name)) {
            w.bits.iter().zip(&w.default).for_each(|(code, v)| self.set(device, tile, code, *v));
        }
        for c in kind.choices.iter().filter(|c| part.choices.iter().all(|p| p.0 != c.name)) {
            let default = c.default.as_ref().and_then(|d| c.options.iter().find(|o| o.0 == *d));
            if let Some((_, code)) = default {
                self.set(device, tile, code, true);
            }
        }
        Ok(())
    }

    /// Gives bits the values of a code, or the opposite.
    fn set(&mut self, device: &Device, tile: TileId, code: &Code, on: bool) {
        for (bit, value) in &code.0 {
            *self.bit(device, tile, *bit) = *value == on;
        }
    }

    fn bit(&mut self, device: &Device, tile: TileId, bit: Bit) -> &mut bool {
        let bits = usize::from(device.tile(tile).bits);
        &mut self.tiles[tile.0 as usize][usize::from(bit.frame) * bits + usize::from(bit.bit)]
    }

    /// A bit of a tile.
    pub(crate) fn at(&self, device: &Device, tile: TileId, bit: Bit) -> bool {
        let bits = usize::from(device.tile(tile).bits);
        self.tiles[tile.0 as usize][usize::from(bit.frame) * bits + usize::from(bit.bit)]
    }
}

impl Part {
    fn line(&mut self, line: &str) -> Option<()> {
        let mut items = line.split_whitespace();
        let (what, name, value) = (items.next()?, items.next()?, items.next());
        match what {
            "arc:" => self.arcs.push((name.into(), value?.into())),
            "word:" => self.words.push((name.into(), word(value?)?)),
            "enum:" => self.choices.push((name.into(), value?.into())),
            "unknown:" => self.unknown.push(name.parse().ok()?),
            _ => return None,
        }
        Some(())
    }
}
