//! OpenCL 1.2 on the chip: a driver that the ICD loader opens, for programs as they are.
//!
//! [`ffi`] is the C side: one file a group of calls, pointers to values, errors to codes, panics to
//! errors. Behind it: [`registry`] handles → [`platform`], [`device`], [`context`], [`queue`],
//! [`event`], [`buffer`], [`program`], [`kernel`] objects → [`ndrange`] a kernel's command →
//! [`layout`] launches of the chip → [`run`] on the model, the Verilog or a board.
#![warn(missing_docs)]

pub mod answer;
pub mod buffer;
pub mod build;
pub mod chip;
pub mod cl;
pub mod completion;
pub mod context;
pub mod device;
pub mod error;
pub mod event;
pub mod ffi;
pub mod image;
pub mod kernel;
pub mod layout;
pub mod ndrange;
pub mod platform;
pub mod process;
pub mod program;
pub mod queue;
pub mod record;
pub mod rect;
pub mod registry;
pub mod report;
pub mod run;
pub mod settings;
pub mod signal;
