//! A campaign: chip, launch and the list of faults.
//!
//! The file (docs/fault-campaigns.md) is text: comment lines `# key = value` name chip, launch
//! and plan, a CSV table holds a fault a line. Reading it takes two steps, because the names of
//! the sites belong to the chip the header names: [`Header::read`], then [`Campaign::read`].

mod digest;
mod read;
mod rows;
mod types;
mod write;

pub use digest::{chip_digest, launch_digest};
pub use types::{Campaign, Collapsed, Header, Row, DEF_USE};
pub use write::relative;
