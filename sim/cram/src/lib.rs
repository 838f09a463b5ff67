//! Upsets of an ECP5's configuration memory (CRAM): what each bit turns into in a placed and routed chip, and that chip
//! as a netlist with the changed places in it.
//!
//! [`Device`] is the device as Project Trellis describes it: tiles, and what their bits mean. [`Image`] is the contents
//! of the configuration memory, [`Routed`] the netlist that nextpnr placed and routed. [`Fabric`] joins the three and says
//! what a bit turns into ([`Upset`]); [`Netlist::of`] makes the chip of what is placed, with a switch for every upset.
//!
//! The crate reads files alone: it starts no tool and runs no chip.

#![warn(missing_docs)]

mod build;
mod draw;
mod effect;
mod error;
mod routed;
mod trellis;

pub use build::{Batches, Boundary, Netlist, Port};
pub use draw::Drawn;
pub use effect::{Change, Contention, Driver, Fabric, Kind, Upset, Value};
pub use error::CramError;
pub use routed::{CellId, NetId, Pin, Routed};
pub use trellis::{Bit, Device, Image, TileId};
