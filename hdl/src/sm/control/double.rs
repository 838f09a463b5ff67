//! Floats of 64 bits in the control word, of chips of Fermi that have them.

use crate::packed;

packed! {
    /// What the control word says of floats of 64 bits. The operation is that of `UopControl`.
    pub struct DoubleControl(_d: ()) {
        /// An operand or the result is one, or an integer of 64 bits. A comparison is the lanes', anything else goes to the
        /// unit as a special function does (`Control::sfu`).
        is_double: 1,
        /// The operands are pairs of registers, 8 bytes of constants, or the high word of a number: they are read in two
        /// passes, low words first. Else they have 32 bits.
        wide: 1,
        /// The result is a pair of registers.
        wide_result: 1,
    }
}
