//! Places of the operands and their signs in a word, each once.

use crate::fermi::operand::{constant, constant64, Operand, Sign};
use crate::set::Field;

pub const GUARD: Field = Field::new("P", &[(10, 3)]);
pub const GUARD_NOT: Field = Field::new("PN", &[(13, 1)]);
pub const JOIN: Field = Field::new("J", &[(4, 1)]);
pub const DST: Field = Field::new("D", &[(14, 6)]);
pub const A: Field = Field::new("A", &[(20, 6)]);
pub const B: Field = Field::new("B", &[(26, 6)]);
pub const BANK: Field = Field::new("cb", &[(42, 4), (26, 1)]);
pub const OFFSET: Field = Field::new("co", &[(28, 14)]);
pub const IMM20: Field = Field::new("i", &[(26, 20)]);
pub const IMM32: Field = Field::new("i", &[(26, 32)]);
pub const C: Field = Field::new("C", &[(49, 6)]);
pub const PDST_17: Field = Field::new("PD", &[(17, 3)]);
pub const PDST2: Field = Field::new("PN2", &[(14, 3)]);
pub const PC: Field = Field::new("PC", &[(49, 3)]);
pub const SPECIAL: Field = Field::new("sr", &[(26, 8)]);
pub const SHIFT: Field = Field::new("sh", &[(5, 5)]);
pub const PA: Field = Field::new("PA", &[(20, 3)]);
pub const PB: Field = Field::new("PB", &[(26, 3)]);
pub const ADDR32: Field = Field::new("o", &[(26, 32)]);
pub const ADDR24: Field = Field::new("o", &[(26, 24)]);
pub const LOAD_BANK: Field = Field::new("b", &[(42, 5)]);
pub const ADDR16: Field = Field::new("o", &[(26, 16)]);
pub const DST2: Field = Field::new("D2", &[(43, 6)]);
pub const ADDR20: Field = Field::new("o", &[(26, 17), (55, 3)]);
pub const TARGET: Field = Field::new("t", &[(26, 24)]);
pub const BARRIER: Field = Field::new("b", &[(20, 4)]);
pub const COUNT: Field = Field::new("n", &[(26, 12)]);
pub const PDST_54: Field = Field::new("PD", &[(54, 3)]);

pub const NEG_9: Sign = Sign::Neg(Field::new("na", &[(9, 1)]));
pub const ABS_7: Sign = Sign::Abs(Field::new("aa", &[(7, 1)]));
pub const NEG_8: Sign = Sign::Neg(Field::new("nb", &[(8, 1)]));
pub const ABS_6: Sign = Sign::Abs(Field::new("ab", &[(6, 1)]));
pub const NEG_57: Sign = Sign::Neg(Field::new("nb", &[(57, 1)]));
pub const NEG_PRODUCT_9: Sign = Sign::Neg(Field::new("nb", &[(9, 1)]));
pub const NEG_C_8: Sign = Sign::Neg(Field::new("nc", &[(8, 1)]));
pub const NOT_52: Sign = Sign::Not(Field::new("PCN", &[(52, 1)]));
pub const NEG_56: Sign = Sign::Neg(Field::new("na", &[(56, 1)]));
pub const NEG_55: Sign = Sign::Neg(Field::new("nb", &[(55, 1)]));
pub const INV_9: Sign = Sign::Not(Field::new("ia", &[(9, 1)]));
pub const INV_8: Sign = Sign::Not(Field::new("ib", &[(8, 1)]));
pub const NOT_23: Sign = Sign::Not(Field::new("PAN", &[(23, 1)]));
pub const NOT_29: Sign = Sign::Not(Field::new("PBN", &[(29, 1)]));

/// Fields of most forms: the guard and the mark `.S`.
pub const GUARD_JOIN: &[Field] = &[GUARD, GUARD_NOT, JOIN];
/// Fields of control flow without `.S`.
pub const GUARD_ONLY: &[Field] = &[GUARD, GUARD_NOT];

/// Constant of 4 bytes.
pub const CONST: Operand = constant(&[BANK, OFFSET]);
/// Constant of 8 bytes.
pub const CONST64: Operand = constant64(&[BANK, OFFSET]);
