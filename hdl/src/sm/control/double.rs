//! Floats of 64 bits in the control word, of chips of Fermi and SM 1.3 that have them.

use crate::packed;
use crate::rtl::Bits;

packed! {
    /// What the control word says of floats of 64 bits. The operation is that of `UopControl`.
    pub struct DoubleControl(sm13: bool) {
        /// An operand or the result is one, or an integer of 64 bits. A comparison of Fermi is the lanes', anything else goes to the
        /// unit as a special function does (`Control::sfu`).
        is_double: 1,
        /// The operands are pairs of registers, 8 bytes of constants, or the high word of a number: they are read in two
        /// passes, low words first. Else they have 32 bits.
        wide: 1,
        /// The result is a pair of registers.
        wide_result: 1,
        /// The unit writes flags, too; of SM 1.3.
        flags: sm13.bits(1),
        /// … and a register; of SM 1.3.
        writes: sm13.bits(1),
    }
}
