//! Places of the operands and their signs in a word, each once, and the operands of many rows.

use crate::fermi::operand::*;
use crate::set::Field;

/// Predicate of the guard.
pub const GUARD: Field = Field::new("P", &[(10, 3)]);
/// The guard is inverted.
pub const GUARD_NOT: Field = Field::new("PN", &[(13, 1)]);
/// `.S`.
pub const JOIN: Field = Field::new("J", &[(4, 1)]);
/// Destination register; data of stores.
pub const DST: Field = Field::new("D", &[(14, 6)]);
/// First register.
pub const A: Field = Field::new("A", &[(20, 6)]);
/// Second register.
pub const B: Field = Field::new("B", &[(26, 6)]);
/// Bank of a constant.
pub const BANK: Field = Field::new("cb", &[(42, 4), (26, 1)]);
/// Word of a constant in its bank.
pub const OFFSET: Field = Field::new("co", &[(28, 14)]);
/// Immediate of 20 bits.
pub const IMM20: Field = Field::new("i", &[(26, 20)]);
/// Immediate of 32 bits.
pub const IMM32: Field = Field::new("i", &[(26, 32)]);
/// Third register.
pub const C: Field = Field::new("C", &[(49, 6)]);
/// First predicate written by comparisons.
pub const PDST_17: Field = Field::new("PD", &[(17, 3)]);
/// Second predicate written.
pub const PDST2: Field = Field::new("PN2", &[(14, 3)]);
/// Third predicate read.
pub const PC: Field = Field::new("PC", &[(49, 3)]);
/// Special register.
pub const SPECIAL: Field = Field::new("sr", &[(26, 8)]);
/// Shift of ISCADD.
pub const SHIFT: Field = Field::new("sh", &[(5, 5)]);
/// First predicate read.
pub const PA: Field = Field::new("PA", &[(20, 3)]);
/// Second predicate read.
pub const PB: Field = Field::new("PB", &[(26, 3)]);
/// Offset of an address, 32 bits.
pub const ADDR32: Field = Field::new("o", &[(26, 32)]);
/// The same of 24 bits.
pub const ADDR24: Field = Field::new("o", &[(26, 24)]);
/// Bank of LDC.
pub const LOAD_BANK: Field = Field::new("b", &[(42, 5)]);
/// Offset of LDC.
pub const ADDR16: Field = Field::new("o", &[(26, 16)]);
/// Destination register of ATOM.
pub const DST2: Field = Field::new("D2", &[(43, 6)]);
/// Offset of ATOM.
pub const ADDR20: Field = Field::new("o", &[(26, 17), (55, 3)]);
/// Bytes from the next instruction to the target.
pub const TARGET: Field = Field::new("t", &[(26, 24)]);
/// Barrier.
pub const BARRIER: Field = Field::new("b", &[(20, 4)]);
/// Threads that a barrier expects.
pub const COUNT: Field = Field::new("n", &[(26, 12)]);
/// Predicate written by VOTE.
pub const PDST_54: Field = Field::new("PD", &[(54, 3)]);

/// Minus of the first operand.
pub const NEG_9: Sign = Sign::Neg(Field::new("na", &[(9, 1)]));
/// Magnitude of the first operand.
pub const ABS_7: Sign = Sign::Abs(Field::new("aa", &[(7, 1)]));
/// Minus of the second operand.
pub const NEG_8: Sign = Sign::Neg(Field::new("nb", &[(8, 1)]));
/// Magnitude of the second operand.
pub const ABS_6: Sign = Sign::Abs(Field::new("ab", &[(6, 1)]));
/// Minus of FMUL.
pub const NEG_57: Sign = Sign::Neg(Field::new("nb", &[(57, 1)]));
/// Minus of a product.
pub const NEG_PRODUCT_9: Sign = Sign::Neg(Field::new("nb", &[(9, 1)]));
/// Minus of the third operand.
pub const NEG_C_8: Sign = Sign::Neg(Field::new("nc", &[(8, 1)]));
/// Not of [`PC`].
pub const NOT_52: Sign = Sign::Not(Field::new("PCN", &[(52, 1)]));
/// Minus of the first operand of ISCADD.
pub const NEG_56: Sign = Sign::Neg(Field::new("na", &[(56, 1)]));
/// Minus of its second.
pub const NEG_55: Sign = Sign::Neg(Field::new("nb", &[(55, 1)]));
/// Inverts the first operand.
pub const INV_9: Sign = Sign::Not(Field::new("ia", &[(9, 1)]));
/// Inverts the second operand.
pub const INV_8: Sign = Sign::Not(Field::new("ib", &[(8, 1)]));
/// Not of [`PA`].
pub const NOT_23: Sign = Sign::Not(Field::new("PAN", &[(23, 1)]));
/// Not of [`PB`].
pub const NOT_29: Sign = Sign::Not(Field::new("PBN", &[(29, 1)]));

/// Fields of most forms: the guard and the mark `.S`.
pub const GUARD_JOIN: &[Field] = &[GUARD, GUARD_NOT, JOIN];
/// Fields of control flow without `.S`.
pub const GUARD_ONLY: &[Field] = &[GUARD, GUARD_NOT];
/// Fields of control flow that is not guarded.
pub const NO_GUARD: &[Field] = &[];

/// Constant of 4 bytes.
pub const CONST: Operand = constant(&[BANK, OFFSET]);
/// Constant of 8 bytes.
pub const CONST64: Operand = constant64(&[BANK, OFFSET]);

/// Destination register.
pub const REG_D: Operand = reg(&[DST]);
/// First register.
pub const REG_A: Operand = reg(&[A]);
/// Third register.
pub const REG_C: Operand = reg(&[C]);
/// Destination pair.
pub const REG64_D: Operand = reg64(&[DST]);
/// First pair.
pub const REG64_A: Operand = reg64(&[A]);
/// Destination, a pair where its type has 64 bits.
pub const TYPED_D: Operand = reg_by_type(&[DST]);
/// Data of an access, as many registers as its size takes.
pub const SIZED_D: Operand = reg_by_size(&[DST]);
/// First predicate written by comparisons.
pub const PRED_D: Operand = pred(&[PDST_17]);
/// Second predicate written.
pub const PRED_N: Operand = pred(&[PDST2]);
/// Third predicate read.
pub const PRED_C: Operand = pred(&[PC]).signed(&[NOT_52]);

/// The operands that a place of a family has in its forms.
pub struct Family {
    /// Second register.
    pub register: Operand,
    /// Constant.
    pub constant: Operand,
    /// Immediate.
    pub immediate: Operand,
    /// Third register.
    pub third: Operand,
}

/// Family of integers.
pub const INT: Family = Family { register: reg(&[B]), constant: CONST, immediate: imm_int(&[IMM20]), third: reg(&[C]) };
/// Family of floats.
pub const F32: Family = Family { immediate: imm_f32(&[IMM20]), ..INT };
/// Family of doubles.
pub const F64: Family =
    Family { register: reg64(&[B]), constant: CONST64, immediate: imm_f64(&[IMM20]), third: reg64(&[C]) };
