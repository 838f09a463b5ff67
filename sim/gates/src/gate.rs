//! The gates: what they compute, and when an input decides.

use crate::word::Word;

/// A gate of at most three inputs; those of a multiplexer are the value without and with the choice, then the choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gate {
    /// The input.
    Buf,
    /// Its inverse.
    Not,
    /// Both.
    And,
    /// Not both.
    Nand,
    /// One at least.
    Or,
    /// None.
    Nor,
    /// One alone.
    Xor,
    /// Both or none.
    Xnor,
    /// `S ? B : A`.
    Mux,
}

impl Gate {
    /// Number of inputs.
    pub const fn inputs(self) -> usize {
        match self {
            Gate::Buf | Gate::Not => 1,
            Gate::Mux => 3,
            _ => 2,
        }
    }

    /// The output, for all patterns of the inputs.
    #[inline(always)]
    pub fn value(self, [a, b, s]: [Word; 3]) -> Word {
        match self {
            Gate::Buf => a,
            Gate::Not => !a,
            Gate::And => a & b,
            Gate::Nand => !(a & b),
            Gate::Or => a | b,
            Gate::Nor => !(a | b),
            Gate::Xor => a ^ b,
            Gate::Xnor => !(a ^ b),
            Gate::Mux => a ^ ((a ^ b) & s),
        }
    }

    /// The patterns in which the output follows a change of input `pin` (0, 1 or 2), the others as they are.
    #[inline(always)]
    pub fn follows(self, pin: usize, [a, b, s]: [Word; 3]) -> Word {
        let other = if pin == 0 { b } else { a };
        match self {
            Gate::Buf | Gate::Not | Gate::Xor | Gate::Xnor => Word::ONES,
            Gate::And | Gate::Nand => other,
            Gate::Or | Gate::Nor => !other,
            Gate::Mux => match pin {
                0 => !s,
                1 => s,
                _ => a ^ b,
            },
        }
    }

    /// The value of an input that decides alone, and the output it gives; none for gates without one.
    pub const fn controlled(self) -> Option<(bool, bool)> {
        match self {
            Gate::And => Some((false, false)),
            Gate::Nand => Some((false, true)),
            Gate::Or => Some((true, true)),
            Gate::Nor => Some((true, false)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Gate; 9] =
        [Gate::Buf, Gate::Not, Gate::And, Gate::Nand, Gate::Or, Gate::Nor, Gate::Xor, Gate::Xnor, Gate::Mux];

    /// All eight combinations of three inputs, in the first eight patterns.
    fn all() -> [Word; 3] {
        [Word([0xaa, 0, 0, 0]), Word([0xcc, 0, 0, 0]), Word([0xf0, 0, 0, 0])]
    }

    #[test]
    fn an_input_decides_where_inverting_it_inverts_the_output() {
        for gate in ALL {
            for pin in 0..gate.inputs() {
                let mut flipped = all();
                flipped[pin] = !flipped[pin];
                let changed = gate.value(all()) ^ gate.value(flipped);
                assert_eq!(changed.0[0] & 0xff, gate.follows(pin, all()).0[0] & 0xff, "{gate:?} {pin}");
            }
        }
    }

    #[test]
    fn a_controlling_value_decides_alone() {
        for gate in ALL {
            let Some((input, output)) = gate.controlled() else { continue };
            for pin in 0..gate.inputs() {
                let mut x = all();
                x[pin] = if input { Word::ONES } else { Word::ZERO };
                let expected = if output { 0xff } else { 0 };
                assert_eq!(gate.value(x).0[0] & 0xff, expected, "{gate:?} {pin}");
            }
        }
    }
}
