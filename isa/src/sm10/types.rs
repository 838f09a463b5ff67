//! Types of what operations and instructions say of themselves.

/// Width in bits of an integer operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// 16 bits, half registers.
    W16,
    /// 32 bits, full registers.
    W32,
}

impl Width {
    /// The width in bits.
    pub const fn bits(self) -> u32 {
        match self {
            Width::W16 => 16,
            Width::W32 => 32,
        }
    }
}

/// Marker of a long instruction, word 1 bits 1:0 (0 none, 1 exit, 2 join; 3 names the immediate class).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Marker {
    /// No marker.
    #[default]
    None,
    /// The active threads end after this instruction.
    Exit,
    /// `.S`: after this instruction the divergence stack is popped.
    Join,
}

/// The four adders of IADD and IMAD; `r = a + b`, `a - b`, `b - a`, `a + b + carry`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddKind {
    /// `a + b`.
    Add,
    /// `a + ~b + 1`.
    Sub,
    /// `~a + b + 1`.
    Subr,
    /// `a + b + C` of the flag register [`Pred::creg`](crate::sm10::Pred::creg) (short and immediate forms: `$c0`).
    Addc,
}

/// Multiplier of IMAD.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MulKind {
    /// 16 x 16 bits, unsigned.
    U16,
    /// 16 x 16 bits, signed.
    S16,
    /// 24 x 24 bits unsigned, low 32 bits.
    U24,
    /// 24 x 24 bits signed, low 32 bits.
    S24,
    /// 24 x 24 bits unsigned, bits 47:16.
    HiU24,
    /// 24 x 24 bits signed, bits 47:16.
    HiS24,
}

/// Integer type of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum IntType {
    U8,
    S8,
    U16,
    S16,
    U32,
    S32,
}

impl IntType {
    /// Width in bits.
    pub const fn bits(self) -> u32 {
        match self {
            IntType::U8 | IntType::S8 => 8,
            IntType::U16 | IntType::S16 => 16,
            IntType::U32 | IntType::S32 => 32,
        }
    }

    /// True for the signed types.
    pub const fn is_signed(self) -> bool {
        matches!(self, IntType::S8 | IntType::S16 | IntType::S32)
    }
}

/// Float type of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatType {
    /// IEEE half precision in a half register.
    F16,
    /// IEEE single precision.
    F32,
}

/// Type of a number that a conversion with 64 bits on one side takes or gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Number {
    F32,
    F64,
    U32,
    S32,
    U64,
    S64,
}

impl Number {
    /// Width in bits.
    pub const fn bits(self) -> u32 {
        match self {
            Number::F32 | Number::U32 | Number::S32 => 32,
            Number::F64 | Number::U64 | Number::S64 => 64,
        }
    }

    /// Consecutive registers it is in.
    pub const fn registers(self) -> u8 {
        (self.bits() / 32) as u8
    }

    /// Whether it is a float.
    pub const fn is_float(self) -> bool {
        matches!(self, Number::F32 | Number::F64)
    }

    /// True for signed integers.
    pub const fn is_signed(self) -> bool {
        matches!(self, Number::S32 | Number::S64)
    }
}

/// Rounding mode (field value 0, 1, 2, 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Round {
    /// To nearest, ties to even.
    #[default]
    Nearest,
    /// Towards minus infinity.
    Down,
    /// Towards plus infinity.
    Up,
    /// Towards zero.
    Zero,
}

/// Bitwise operation of LOP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LogicOp {
    /// `a & b`.
    And,
    /// `a | b`.
    Or,
    /// `a ^ b`.
    Xor,
    /// `b`.
    PassB,
}

/// Function of the special function unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SfuFn {
    /// `1 / x`.
    Rcp,
    /// `1 / sqrt(x)`.
    Rsq,
    /// Base-2 logarithm.
    Lg2,
    /// Sine of an RRO.SIN result.
    Sin,
    /// Cosine of an RRO.SIN result.
    Cos,
    /// `2^x` of an RRO.EX2 result.
    Ex2,
}
