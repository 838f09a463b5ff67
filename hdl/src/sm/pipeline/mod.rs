//! The pipeline, a file a stage, in the order an instruction passes them.
//!
//! | stage | file          | what happens                                                              |
//! |-------|---------------|---------------------------------------------------------------------------|
//! | SEL   | [`select`]    | one ready warp is selected                                                |
//! | R     | [`fetch`]     | its line is read; lines are fetched as addresses are set                  |
//! | DEC   | [`decode`]    | the word becomes a control word                                           |
//! | H     | [`hazard`]    | it is held against the [`scoreboard`]: it goes, waits or is refused       |
//! | Q, I  | [`issue`]     | one instruction waits; beats; registers are read ([`read`])               |
//! | A     | [`address`]   | guard, effective addresses; control operations leave ([`flow`])           |
//! | M     | [`memory`]    | access checks, shared and constant memory; loads and stores leave         |
//! | D     | [`operand`]   | operands are selected                                                     |
//! | O, E1 to E4 | [`execute`] | the lanes and the special-function units                              |
//! | W     | [`write_back`] | [`registers`], flags, address registers; [`forward`] hands results to A   |
//!
//! Ivy Bridge has [`channel_registers`] in place of [`registers`].
//!
//! Each stage from I to W is a block, which [`datapath`] wires. Two blocks hold the state of several stages: [`warps`]
//! SEL and the fetch requests of R, [`dispatch`] DEC and H. [`timing`] has every number of cycles that more than one stage
//! relies on, [`bundles`] what travels from stage to stage.

pub mod access_check;
pub mod address;
pub mod bundles;
pub mod channel_fetch;
pub mod channel_flags;
pub mod channel_registers;
pub mod datapath;
pub mod decode;
pub mod dispatch;
pub mod execute;
pub mod fetch;
pub mod flags;
pub mod flow;
pub mod forward;
pub mod g13_fetch;
pub mod hazard;
pub mod issue;
pub mod memory;
pub mod operand;
pub mod predicates;
pub mod read;
pub mod registers;
pub mod scoreboard;
pub mod select;
pub mod timing;
pub mod warps;
pub mod write_back;
