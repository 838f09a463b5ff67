//! How registers and memories are protected, and how a configuration says it.

use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// Rust file of the modules that the pass adds.
pub const SOURCE: &str = "hdl/netlist/src/pass/harden/mod.rs";

/// Output of one protected register or memory: a wrong bit was corrected.
pub(crate) const CORRECTED: &str = "corrected";
/// The same: wrong bits were detected that cannot be corrected.
pub(crate) const DETECTED: &str = "detected";

/// Copies of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copies {
    /// Two, compared.
    Dmr,
    /// Three, of which the majority counts.
    Tmr,
}

impl Copies {
    /// How many.
    pub(super) fn count(self) -> usize {
        match self {
            Copies::Dmr => 2,
            Copies::Tmr => 3,
        }
    }
}

/// Check bits of memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checks {
    /// One for each granule: a wrong bit is detected.
    Parity,
    /// Hsiao's: a wrong bit is corrected, two are detected.
    Secded,
}

/// How a block is protected: `dmr` or `tmr` for its registers, `parity` or `secded` for its memories, or one of each with
/// `+` between them; or `duplicate`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Scheme {
    /// Of its registers.
    pub registers: Option<Copies>,
    /// Of its memories.
    pub memories: Option<Checks>,
    /// The block is there twice, and its outputs are compared.
    pub duplicate: bool,
}

const DUPLICATE: &str = "duplicate";

const REGISTERS: [(&str, Copies); 2] = [("dmr", Copies::Dmr), ("tmr", Copies::Tmr)];
const MEMORIES: [(&str, Checks); 2] = [("parity", Checks::Parity), ("secded", Checks::Secded)];

impl FromStr for Scheme {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut scheme = Scheme::default();
        if text == DUPLICATE {
            return Ok(Scheme { duplicate: true, ..scheme });
        }
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
                    "a scheme is dmr or tmr for registers, parity or secded for memories, or one of each as in tmr+secded, or duplicate, not `{text}`"
                ));
            }
        }
        Ok(scheme)
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
        if self.duplicate {
            return f.write_str(DUPLICATE);
        }
        let registers = REGISTERS.iter().find(|(_, c)| Some(*c) == self.registers);
        let memories = MEMORIES.iter().find(|(_, c)| Some(*c) == self.memories);
        let names: Vec<&str> = registers.map(|r| r.0).into_iter().chain(memories.map(|m| m.0)).collect();
        f.write_str(&names.join("+"))
    }
}

#[cfg(test)]
mod tests {
    use super::Scheme;

    #[test]
    fn schemes_are_read_as_they_are_written() {
        for text in ["dmr", "tmr", "parity", "secded", "tmr+secded", "dmr+parity", "duplicate"] {
            assert_eq!(text.parse::<Scheme>().map(|s| s.to_string()), Ok(text.to_string()));
        }
        assert_eq!("secded+tmr".parse::<Scheme>().map(|s| s.to_string()), Ok("tmr+secded".to_string()));
        for wrong in ["", "none", "tmr+dmr", "parity+parity", "tmr+", "TMR", "duplicate+tmr"] {
            assert!(wrong.parse::<Scheme>().is_err_and(|e| e.contains("tmr+secded")), "{wrong}");
        }
    }
}
