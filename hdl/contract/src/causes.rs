//! Numbered causes: why an SM issued nothing in a cycle, and why a kernel stopped.

macro_rules! causes {
    ($(#[$doc:meta])* $name:ident:
     $($cause:ident = $number:literal, $label:literal, $explain:literal;)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $name {
            $(
                #[doc = concat!("Number ", $number, ", `", $label, "`: ", $explain, ".")]
                $cause = $number,
            )*
        }

        impl $name {
            /// How many there are.
            pub const COUNT: usize = Self::ALL.len();

            /// All causes in the order of their numbers.
            pub const ALL: [Self; [$($number),*].len()] = [$(Self::$cause),*];

            /// Their names in the same order.
            pub const NAMES: [&'static str; Self::COUNT] = [$($label),*];

            /// Number.
            pub const fn number(self) -> u8 {
                self as u8
            }

            /// The cause with this number, `None` for 0 and for unused numbers.
            pub fn from_number(n: u8) -> Option<Self> {
                match n {
                    $($number => Some(Self::$cause),)*
                    _ => None,
                }
            }

            /// Name in tables and files: one word.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$cause => $label,)*
                }
            }

            /// The cause of this name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($label => Some(Self::$cause),)*
                    _ => None,
                }
            }

            /// One sentence without its full stop: what happened.
            pub const fn explain(self) -> &'static str {
                match self {
                    $(Self::$cause => $explain,)*
                }
            }
        }
    };
}

causes! {
    /// Why an SM issued nothing in a cycle although its issue stage was free; the number is that of
    /// the performance counter that counts such cycles.
    StallCause:
    Launch = 3, "launch", "no warp is resident";
    Fetch = 4, "fetch", "no warp has its next instruction";
    Hazard = 5, "hazard", "the next instruction waits for an earlier one";
    Control = 6, "control", "a branch is pending";
    Barrier = 7, "barrier", "every warp waits at a barrier";
    Memory = 8, "memory", "the load/store unit is full";
    SharedConflict = 9, "shared_conflict", "an access to shared memory takes several cycles";
    ConstantConflict = 10, "constant_conflict", "an access to constant memory takes several cycles";
    Operand = 11, "operand", "the issue stage waits for late results";
    Load = 13, "load", "a register waits for memory";
    Sfu = 14, "sfu", "a register waits for a special-function unit, or their queue is full";
    Select = 15, "select", "the only ready warps are on their way into decode";
}

impl StallCause {
    /// Position among [`StallCause::ALL`].
    pub fn index(self) -> usize {
        // Counter 12, between operand and load, counts requests.
        usize::from(self.number() - 3) - usize::from(self.number() > 12)
    }
}

causes! {
    /// Why a kernel stopped: the cause field of the register TRAP.
    TrapCause:
    Illegal = 1, "illegal", "the word is no defined instruction, its condition code is undefined, or it writes an o[] output";
    Unimplemented = 2, "unimplemented", "the instruction is defined but this machine does not execute it";
    MisalignedLong = 3, "misaligned-long", "an 8-byte instruction lies at an address that is not a multiple of 8";
    MisalignedAccess = 4, "misaligned-access", "a memory address is not a multiple of the size of the access";
    OutOfRange = 5, "out-of-range", "a memory access lies beyond the space allocated to it";
    StackOverflow = 6, "stack-overflow", "a push found the divergence stack full";
    StackUnderflow = 7, "stack-underflow", "a .S instruction found the divergence stack empty";
    Trap = 8, "trap", "the program executed TRAP or BPT";
    Register = 9, "register", "the instruction writes a register beyond those the kernel allocated";
    Fetch = 10, "fetch", "the program counter is beyond the end of the program";
    BarrierDeadlock = 11, "barrier-deadlock", "every live warp of the block waits at a barrier that cannot be released";
    Memory = 12, "memory-error", "the memory behind the port answered an access with an error; it is not known which, so block, warp and pc are 0";
    Null = 13, "null", "a memory access through a NULL pointer: it lies in the first 4096 bytes of global memory, which hold no buffer";
    Fault = 14, "detected-fault", "a protected register or memory held a wrong value that cannot be corrected; it is not known which instruction had to do with it, so block, warp and pc are 0; FAULTS says which scheme";
    Watchdog = 15, "watchdog", "no instruction retired for as many cycles as the key watchdog of the configuration says; it is not known why, so block, warp and pc are 0";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_lead_back_to_their_cause() {
        for (i, c) in StallCause::ALL.into_iter().enumerate() {
            assert_eq!(c.index(), i, "{}", c.name());
            assert_eq!(StallCause::from_number(c.number()), Some(c));
            assert_eq!(StallCause::from_name(c.name()), Some(c));
            assert_eq!(StallCause::NAMES[i], c.name());
        }
        for (i, c) in TrapCause::ALL.into_iter().enumerate() {
            assert_eq!(usize::from(c.number()), i + 1, "{}", c.name());
            assert_eq!(TrapCause::from_number(c.number()), Some(c));
        }
        for n in [0, 1, 2, 12, 16] {
            assert_eq!(StallCause::from_number(n), None);
        }
        assert_eq!(TrapCause::from_number(0), None);
    }
}
