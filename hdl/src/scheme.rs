//! Schemes of hardening: how a block of a chip is protected against upsets, as configurations say it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;
use warpsmith_netlist::pass::harden::{Checks, Copies};

/// Schemes of a chip, by the names of blocks in its diagram: those of instances, without number. At most 32.
pub type Harden = BTreeMap<String, Scheme>;

/// How a block is protected: `dmr` or `tmr` for its registers, `parity` or `secded` for its memories, or one of each with
/// `+` between them. It covers what is below the block, too, but for blocks with a scheme of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Scheme(warpsmith_netlist::pass::harden::Scheme);

/// Most schemes of a chip: FAULTS has a bit for each.
pub const MOST: usize = 32;

const REGISTERS: [(&str, Copies); 2] = [("dmr", Copies::Dmr), ("tmr", Copies::Tmr)];
const MEMORIES: [(&str, Checks); 2] = [("parity", Checks::Parity), ("secded", Checks::Secded)];

impl Scheme {
    /// As the pass takes it.
    pub fn into_inner(self) -> warpsmith_netlist::pass::harden::Scheme {
        self.0
    }
}

impl FromStr for Scheme {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut scheme = warpsmith_netlist::pass::harden::Scheme::default();
        for word in text.split('+') {
            let registers = REGISTERS.iter().find(|(name, _)| *name == word).map(|(_, c)| *c);
            let memories = MEMORIES.iter().find(|(name, _)| *name == word).map(|(_, c)| *c);
            let taken = match (registers, memories) {
                (Some(copies), _) => scheme.registers.replace(copies).is_some(),
                (_, Some(checks)) => scheme.memories.replace(checks).is_some(),
                (None, None) => true,
            };
            if taken {
                return Err(format!(
                    "a scheme is dmr or tmr for registers, parity or secded for memories, or one of each as in tmr+secded, not `{text}`"
                ));
            }
        }
        Ok(Scheme(scheme))
    }
}

impl TryFrom<String> for Scheme {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Scheme> for String {
    fn from(scheme: Scheme) -> String {
        scheme.to_string()
    }
}

impl Display for Scheme {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let registers = REGISTERS.iter().find(|(_, c)| Some(*c) == self.0.registers);
        let memories = MEMORIES.iter().find(|(_, c)| Some(*c) == self.0.memories);
        let names: Vec<&str> = registers.map(|r| r.0).into_iter().chain(memories.map(|m| m.0)).collect();
        f.write_str(&names.join("+"))
    }
}

#[cfg(test)]
mod tests {
    use super::Scheme;

    #[test]
    fn schemes_are_read_as_they_are_written() {
        for text in ["dmr", "tmr", "parity", "secded", "tmr+secded", "dmr+parity"] {
            assert_eq!(text.parse::<Scheme>().map(|s| s.to_string()), Ok(text.to_string()));
        }
        assert_eq!("secded+tmr".parse::<Scheme>().map(|s| s.to_string()), Ok("tmr+secded".to_string()));
        for wrong in ["", "none", "tmr+dmr", "parity+parity", "tmr+", "TMR"] {
            assert!(wrong.parse::<Scheme>().is_err_and(|e| e.contains("tmr+secded")), "{wrong}");
        }
    }
}
