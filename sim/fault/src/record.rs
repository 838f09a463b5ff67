//! Result of one fault.

use std::fmt;
use std::str::FromStr;

macro_rules! names {
    ($(#[$doc:meta])* $type:ident { $($(#[$vdoc:meta])* $variant:ident = $name:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $type { $($(#[$vdoc])* $variant),+ }

        impl $type {
            /// All of them, in the order of tables.
            pub const ALL: &'static [$type] = &[$($type::$variant),+];

            /// Name in databases, files and tables.
            pub const fn name(self) -> &'static str {
                match self { $($type::$variant => $name),+ }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }

        impl FromStr for $type {
            type Err = String;
            fn from_str(s: &str) -> Result<Self, String> {
                $type::ALL.iter().copied().find(|x| x.name() == s)
                    .ok_or_else(|| format!("`{s}` is none of {}", [$($name),+].join(", ")))
            }
        }
    };
}

names! {
    /// Class of a fault (docs/fault-engine.md).
    FaultOutcome {
        /// Results and cycles are those of the fault-free run.
        Masked = "masked",
        /// The same, and a hardened chip corrected something.
        Corrected = "corrected",
        /// Silent data corruption: the kernel ended and results differ.
        Sdc = "sdc",
        /// Detected unrecoverable error: the chip trapped.
        Due = "due",
        /// The same of a hardened chip: the trap is that of what it detects.
        Detected = "detected",
        /// No end within the limit of cycles.
        Hang = "hang",
        /// Results as without the fault, in another number of cycles.
        Timing = "timing",
        /// The fault never changed a bit.
        NotActivated = "not-activated",
    }
}

names! {
    /// How a fault was masked.
    How {
        /// The faulty bits were written over and no other state had changed.
        Overwritten = "overwritten",
        /// Other state had changed; all of it met the fault-free run again, or never mattered.
        Logical = "logical",
        /// At the end only the faulty bits differ: nothing used them.
        Unused = "unused",
        /// Memory differs, but only where nothing is expected.
        Outside = "outside",
    }
}

names! {
    /// Shape of the wrong words of a silent corruption, by their addresses.
    Pattern {
        /// One word.
        Single = "single",
        /// Neighbouring words.
        Run = "run",
        /// Words at one distance of more than a word.
        Stride = "stride",
        /// Anything else.
        Scattered = "scattered",
    }
}

impl FaultOutcome {
    /// Whether a hardened chip alone has it.
    pub const fn is_of_hardened(self) -> bool {
        matches!(self, FaultOutcome::Corrected | FaultOutcome::Detected)
    }

    /// What it says, for people.
    pub const fn meaning(self) -> &'static str {
        match self {
            FaultOutcome::Masked => "results and cycles as without the fault",
            FaultOutcome::Corrected => "the same; the hardened chip corrected something",
            FaultOutcome::Sdc => "silent data corruption: the kernel ended, results are wrong",
            FaultOutcome::Due => "detected unrecoverable error: the chip trapped",
            FaultOutcome::Detected => "the hardened chip detected the fault and stopped",
            FaultOutcome::Hang => "no end within the limit of cycles",
            FaultOutcome::Timing => "right results in another number of cycles",
            FaultOutcome::NotActivated => "the fault never changed a bit",
        }
    }
}

/// Result of one fault. Cycles count from the start of the kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Class.
    pub outcome: FaultOutcome,
    /// How, of a masked fault.
    pub how: Option<How>,
    /// Cause of the trap, of a detected error.
    pub cause: Option<u8>,
    /// Cycles from start to the end; the limit for a hang.
    pub cycles: u64,
    /// First cycle in which the fault changed a bit.
    pub activated: Option<u64>,
    /// Cycle of the comparison that found all state equal to the fault-free run's again.
    pub converged: Option<u64>,
    /// Site that differed first apart from the faulty one, and the cycle of that comparison.
    pub spread: Option<(u64, usize)>,
    /// Expected words of global memory (all of it without expectations) that differ from the
    /// fault-free run's.
    pub wrong_words: u64,
    /// Expected bits of them that differ.
    pub wrong_bits: u64,
    /// Byte address of the first.
    pub first_wrong: Option<u32>,
    /// Their shape.
    pub pattern: Option<Pattern>,
    /// Greatest relative error of the wrong words read as floats, where floats are expected;
    /// infinite when one of the two is not finite.
    pub relative_error: Option<f64>,
    /// Words that differ outside the expectations.
    pub words_outside: u64,
    /// Cycles simulated for this fault.
    pub simulated: u64,
}

impl Record {
    /// A record of a class, everything else as in a run without effect.
    pub fn of(outcome: FaultOutcome, cycles: u64) -> Self {
        Record {
            outcome,
            how: None,
            cause: None,
            cycles,
            activated: None,
            converged: None,
            spread: None,
            wrong_words: 0,
            wrong_bits: 0,
            first_wrong: None,
            pattern: None,
            relative_error: None,
            words_outside: 0,
            simulated: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for o in FaultOutcome::ALL {
            assert_eq!(o.name().parse(), Ok(*o));
        }
        for h in How::ALL {
            assert_eq!(h.name().parse(), Ok(*h));
        }
        for p in Pattern::ALL {
            assert_eq!(p.name().parse(), Ok(*p));
        }
        assert!("gone".parse::<FaultOutcome>().unwrap_err().contains("masked"));
    }
}
