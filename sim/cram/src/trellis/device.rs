//! The tiles of a device.

use super::globals::Globals;
use super::tile::{Bit, TileType};
use super::wire::{Local, Names, Place, Wire, RIGHT};
use crate::error::{text, CramError};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// A tile, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TileId(pub(crate) u32);

/// A tile of the device.
#[derive(Debug)]
pub(crate) struct Tile {
    /// As in `R10C39:PLC2`.
    pub(crate) name: String,
    pub(crate) place: Place,
    pub(crate) kind: usize,
    /// Where its first bit is in the configuration memory.
    pub(crate) first: (u32, u32),
    pub(crate) frames: u16,
    pub(crate) bits: u16,
}

/// A device of the ECP5 family.
pub struct Device {
    /// Its name, as in `LFE5U-85F`.
    pub name: String,
    pub(crate) tiles: Vec<Tile>,
    kinds: Vec<TileType>,
    by_name: HashMap<String, TileId>,
    globals: Globals,
    /// Wires by their names in the databases: left, and from column [`RIGHT`] on.
    local: [HashMap<String, Local>; 2],
    /// As wires of one size are marked: `85K`.
    size: &'static str,
    /// Frames of the configuration memory, and bits of each.
    memory: (u64, u64),
}

#[derive(Deserialize)]
struct RawTile {
    cols: u16,
    rows: u16,
    start_bit: u32,
    start_frame: u32,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct RawDevices {
    families: BTreeMap<String, RawFamily>,
}

#[derive(Deserialize)]
struct RawFamily {
    devices: BTreeMap<String, RawDevice>,
}

#[derive(Deserialize)]
struct RawDevice {
    #[serde(default)]
    frames: u64,
    #[serde(default)]
    bits_per_frame: u64,
}

const FAMILY: &str = "ECP5";

impl Device {
    /// Reads a device of the database of Project Trellis in a folder.
    ///
    /// # Errors
    /// A file is missing or of another form; the folder has no such device.
    pub(crate) fn read(database: &Path, name: &str) -> Result<Self, CramError> {
        let json = |path: &Path, e: serde_json::Error| {
            CramError::new(path, format!("Project Trellis' JSON was expected ({e})"))
        };
        let path = database.join("devices.json");
        let devices: RawDevices = serde_json::from_str(&text(&path)?).map_err(|e| json(&path, e))?;
        let known = devices.families.get(FAMILY).and_then(|f| f.devices.get(name));
        let known = known.ok_or_else(|| CramError::new(&path, format!("it has no {FAMILY} named {name}")))?;
        let family = database.join(FAMILY);
        let path = family.join(name).join("globals.json");
        let globals = serde_json::from_str(&text(&path)?).map_err(|e| json(&path, e))?;
        let path = family.join(name).join("tilegrid.json");
        let grid: BTreeMap<String, RawTile> = serde_json::from_str(&text(&path)?).map_err(|e| json(&path, e))?;
        let mut device = Device {
            name: name.into(),
            tiles: vec![],
            kinds: vec![],
            by_name: HashMap::new(),
            globals,
            local: Default::default(),
            size: ["85", "45"].into_iter().find(|s| name.contains(*s)).map_or("25K", |s| match s {
                "85" => "85K",
                _ => "45K",
            }),
            memory: (known.frames, known.bits_per_frame),
        };
        let mut kinds = HashMap::new();
        for (name, raw) in grid {
            let place = place_of(&name)
                .ok_or_else(|| CramError::new(&path, format!("{name}: a name with row and column was expected")))?;
            let kind = match kinds.get(&raw.kind) {
                Some(kind) => *kind,
                None => {
                    let path: PathBuf = family.join("tiledata").join(&raw.kind).join("bits.db");
                    let kind = TileType::read(&text(&path)?).map_err(|e| CramError::new(&path, e))?;
                    device.kinds.push(kind);
                    kinds.insert(raw.kind, device.kinds.len() - 1);
                    device.kinds.len() - 1
                }
            };
            device.by_name.insert(name.clone(), TileId(device.tiles.len() as u32));
            device.tiles.push(Tile {
                name,
                place,
                kind,
                first: (raw.start_frame, raw.start_bit),
                frames: raw.cols,
                bits: raw.rows,
            });
        }
        Ok(device)
    }

    /// All tiles.
    pub fn tiles(&self) -> impl Iterator<Item = TileId> {
        (0..self.tiles.len() as u32).map(TileId)
    }

    /// Bits of the configuration memory, those of no tile among them.
    pub fn bits(&self) -> u64 {
        self.memory.0 * self.memory.1
    }

    /// The tile of a name, as in `R10C39:PLC2`.
    pub fn find(&self, name: &str) -> Option<TileId> {
        self.by_name.get(name).copied()
    }

    /// The name of a tile.
    pub fn name_of(&self, tile: TileId) -> &str {
        &self.tile(tile).name
    }

    /// Frame and bit of the configuration memory at which a bit of a tile is.
    pub fn address(&self, tile: TileId, bit: Bit) -> (u32, u32) {
        let first = self.tile(tile).first;
        (first.0 + u32::from(bit.frame), first.1 + u32::from(bit.bit))
    }

    /// Frames of a tile, and bits in each.
    pub fn size(&self, tile: TileId) -> (u16, u16) {
        let tile = self.tile(tile);
        (tile.frames, tile.bits)
    }

    /// Bits of a tile that the database names, in order.
    pub fn named(&self, tile: TileId) -> Vec<Bit> {
        let mut bits: Vec<Bit> = self.kind(tile).named().collect();
        bits.sort_unstable();
        bits
    }

    pub(crate) fn tile(&self, tile: TileId) -> &Tile {
        &self.tiles[tile.0 as usize]
    }

    pub(crate) fn kind(&self, tile: TileId) -> &TileType {
        &self.kinds[self.tile(tile).kind]
    }

    /// Adds the names of all wires, before [`Device::wire`] is asked.
    pub(crate) fn name_all(&mut self, names: &mut Names) {
        for kind in &self.kinds {
            let ends = kind.muxes.iter().flat_map(|m| m.sources.iter().map(|s| &s.0).chain([&m.sink]));
            for name in ends.chain(kind.fixed.iter().flat_map(|f| [&f.0, &f.1])) {
                for right in [false, true] {
                    if let Some(wire) = Local::of(names, self.size, right, name) {
                        self.local[usize::from(right)].insert(name.clone(), wire);
                    }
                }
            }
        }
    }

    /// The wire that a wire of a clock network is a branch of.
    pub(crate) fn above(&self, names: &Names, wire: Wire) -> Option<Wire> {
        let (place, name) = self.globals.above(wire.place, names.name(wire))?;
        names.find(place, &name)
    }

    /// The wire that a tile's database calls so; none for one of another size of the device.
    pub(crate) fn wire(&self, tile: TileId, name: &str) -> Option<Wire> {
        let tile = self.tile(tile).place;
        Some(self.local[usize::from(tile.x >= RIGHT)].get(name)?.from(tile))
    }
}

/// Row and column of `MIB_R13C42:MIB_DSP0`.
fn place_of(tile: &str) -> Option<Place> {
    let (name, _) = tile.split_once(':')?;
    let at = name.rfind('R')?;
    let (row, column) = name[at + 1..].split_once('C')?;
    Some(Place { x: column.parse().ok()?, y: row.parse().ok()? })
}
