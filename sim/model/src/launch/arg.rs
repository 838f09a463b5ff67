//! One argument of a kernel, as the launch file gives it.

use serde::Deserialize;
use std::fmt;

/// A value of `args`.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged)]
pub(super) enum Arg {
    Bool(bool),
    Int(i64),
    Float(f64),
    /// Name of a buffer.
    Name(String),
    /// Words of a struct.
    Words(Vec<Arg>),
}

impl fmt::Display for Arg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Arg::Bool(b) => write!(f, "{b}"),
            Arg::Int(n) => write!(f, "{n}"),
            Arg::Float(x) => write!(f, "{x:?}"),
            Arg::Name(s) => write!(f, "\"{s}\""),
            Arg::Words(w) if w.len() == 1 => write!(f, "a list of 1 word"),
            Arg::Words(w) => write!(f, "a list of {} words", w.len()),
        }
    }
}

impl Arg {
    /// A number as one 32-bit word: integers of either sign, floats rounded to single precision.
    pub fn word(&self) -> Option<u32> {
        match self {
            Arg::Bool(b) => Some(u32::from(*b)),
            Arg::Int(n) => i32::try_from(*n).map(|n| n as u32).or_else(|_| u32::try_from(*n)).ok(),
            Arg::Float(x) => single(*x).map(f32::to_bits),
            Arg::Name(_) | Arg::Words(_) => None,
        }
    }
}

/// A number in single precision; `None` when it is finite and beyond its range.
fn single(x: f64) -> Option<f32> {
    let y = x as f32;
    (y.is_finite() || !x.is_finite()).then_some(y)
}
