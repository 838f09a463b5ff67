//! `sites.json`: every word of state of a chip and, in an injecting build, every output of its blocks.

use serde::{Deserialize, Serialize};

/// Instances of a block that is there twice, for protection; in a path behind `u_`.
pub const TWICE: [&str; 2] = ["original", "duplicate"];

/// What a site is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SiteKind {
    /// A register.
    Reg,
    /// A memory of several words.
    Ram,
    /// An output of a block: combinational.
    Out,
}

impl SiteKind {
    /// All of them.
    pub const ALL: [SiteKind; 3] = [SiteKind::Reg, SiteKind::Ram, SiteKind::Out];

    /// Name in files and tables.
    pub const fn name(self) -> &'static str {
        match self {
            SiteKind::Reg => "reg",
            SiteKind::Ram => "ram",
            SiteKind::Out => "out",
        }
    }
}

/// A register, a memory or a block's output. Its position in `sites.json` is its number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// Hierarchical name below the top, joined by dots.
    pub path: String,
    /// Module (block type) that holds it.
    pub block: String,
    /// Kind.
    pub kind: SiteKind,
    /// Bits of a word.
    pub width: u32,
    /// Words; 1 except in memories.
    pub depth: u32,
    /// No seed draws its power-on value: a memory with check bits is 0, a copy of a register has its reset value or 0.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub zeroed: bool,
}

impl Site {
    /// Bits in all.
    pub fn bits(&self) -> u64 {
        u64::from(self.width) * u64::from(self.depth)
    }

    /// 32-bit words that hold one word of the site.
    pub fn words32(&self) -> usize {
        self.width.div_ceil(32) as usize
    }
}
