//! Modules around the chip, from templates.

pub mod axi;
pub mod uart;

/// Why a wrapper cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum WrapError {
    /// An option that no wrapper of this chip can have.
    #[error("{key} = {value} is impossible: {why}")]
    Option {
        /// The option.
        key: &'static str,
        /// What was asked for.
        value: usize,
        /// What it would have to be.
        why: String,
    },
    /// A parameter of the chip that the wrapper tells the host.
    #[error(
        "manifest.json: config.{key} is missing or no number; write it anew with `warpsmith emit`"
    )]
    Parameter {
        /// The parameter.
        key: &'static str,
    },
    /// The template could not be filled in.
    #[error("the wrapper's template: {0}")]
    Template(#[from] askama::Error),
}
