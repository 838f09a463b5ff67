//! The device as Project Trellis describes it, and its configuration memory.

mod device;
mod globals;
mod image;
mod tie;
mod tile;
mod wire;

pub use device::{Device, TileId};
pub use image::Image;
pub use tile::Bit;

pub(crate) use tie::tied;
pub(crate) use tile::{word, Choice, Mux, Setting, Word};
pub(crate) use wire::{Names, Place, Wire};
