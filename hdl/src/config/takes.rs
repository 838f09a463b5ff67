//! What the keys of a configuration take, and how that is said.

use std::fmt::{self, Display, Formatter};
use toml::Value;
use warpsmith_isa::{Isa, Level, Semantics};
use warpsmith_netlist::pass::harden::Scheme;

/// What a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    Truth,
    Schemes,
    Blocks,
    Set,
    Semantics,
    Level,
    OneOf(&'static [usize]),
    Number(usize, usize),
    Power(usize, usize),
    /// 0 too.
    ZeroOrPower(usize, usize),
}

impl Takes {
    pub fn holds(self, v: usize) -> bool {
        match self {
            Takes::Truth | Takes::Schemes | Takes::Blocks | Takes::Set | Takes::Semantics | Takes::Level => false,
            Takes::OneOf(list) => list.contains(&v),
            Takes::Number(lo, hi) => (lo..=hi).contains(&v),
            Takes::Power(lo, hi) => (lo..=hi).contains(&v) && v.is_power_of_two(),
            Takes::ZeroOrPower(lo, hi) => v == 0 || Takes::Power(lo, hi).holds(v),
        }
    }

    /// Whether the value is of the kind, whatever its size.
    pub fn kind(self, v: &Value) -> bool {
        match self {
            Takes::Truth => v.is_bool(),
            Takes::Schemes => v
                .as_table()
                .is_some_and(|t| t.values().all(|s| s.as_str().is_some_and(|s| s.parse::<Scheme>().is_ok()))),
            Takes::Blocks => v.as_array().is_some_and(|l| l.iter().all(Value::is_str)),
            Takes::Set => v.as_str().is_some_and(|s| Isa::by_name(s).is_some()),
            Takes::Semantics => v.as_str().is_some_and(|s| Semantics::by_name(s).is_some()),
            Takes::Level => v.as_str().is_some_and(|s| Level::by_name(s).is_some()),
            _ => v.as_integer().is_some_and(|n| u32::try_from(n).is_ok()),
        }
    }
}

impl Display for Takes {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self {
            Takes::Truth => f.write_str("true or false"),
            Takes::Schemes => {
                f.write_str("a table of blocks and schemes, as in { scoreboard = \"tmr\", file = \"secded\" }")
            }
            Takes::Blocks => f.write_str("a list of blocks, as in [\"warps\", \"scoreboard\"]"),
            Takes::Set => {
                let [rest @ .., last] = Isa::ALL.map(|i| format!("\"{i}\""));
                write!(f, "{} or {last}", rest.join(", "))
            }
            Takes::Semantics => f.write_str("\"g80\" or \"flexgripplus\""),
            Takes::Level => {
                let names: Vec<String> = Level::on_chips().map(|l| format!("\"{l}\"")).collect();
                f.write_str(&names.join(" or "))
            }
            Takes::OneOf(list) => {
                let (last, rest) = list.split_last().unwrap_or((&0, &[]));
                let rest: Vec<String> = rest.iter().map(usize::to_string).collect();
                write!(f, "{} or {last}", rest.join(", "))
            }
            Takes::Number(lo, hi) => write!(f, "a number from {lo} to {hi}"),
            Takes::Power(lo, hi) => write!(f, "a power of two from {lo} to {hi}"),
            Takes::ZeroOrPower(lo, hi) => write!(f, "0 or a power of two from {lo} to {hi}"),
        }
    }
}
