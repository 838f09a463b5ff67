//! Modules around the chip, from templates.

pub mod axi;
pub mod port;
pub mod uart;

/// Why a wrapper cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum WrapError {
    /// An option that no wrapper of this chip can have.
    #[error("{key} = {value} is impossible: {why}")]
    Option {
        /// The option.
        key: &'static str,
        /// Requested value.
        value: usize,
        /// Accepted values.
        why: String,
    },
    /// The chip lacks what the wrapper tells the host.
    #[error(transparent)]
    Chip(#[from] crate::chip::ChipError),
    /// The template could not be filled in.
    #[error("the wrapper's template: {0}")]
    Template(#[from] askama::Error),
}
