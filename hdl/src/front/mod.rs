//! What differs between instruction sets, a file a part: each is one of several blocks behind one interface.
//!
//! A stage of [`crate::sm::pipeline`] drives such a part without asking which set the chip serves. [`features`] names the
//! parts and fields that a chip has; [`passes`] and [`limits`], and functions beside the parts, are what differs as an
//! expression.

pub mod address_lane;
pub mod conditions;
pub mod decode;
pub mod divergence;
pub mod features;
pub mod fetch;
pub mod lane;
pub mod limits;
pub mod passes;
pub mod registers;
