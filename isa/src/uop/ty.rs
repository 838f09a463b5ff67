//! Types of values, rounding, denormals, NaNs.

/// Type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// One bit.
    Bool,
    /// Unsigned, 8 bits.
    U8,
    /// Unsigned, 16 bits.
    U16,
    /// Unsigned, 32 bits.
    U32,
    /// Unsigned, 64 bits.
    U64,
    /// Two's complement, 8 bits.
    S8,
    /// Two's complement, 16 bits.
    S16,
    /// Two's complement, 32 bits.
    S32,
    /// Two's complement, 64 bits.
    S64,
    /// IEEE binary16.
    F16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
}

impl Type {
    /// Bits as an integer of the type.
    pub fn integer(self, bits: u64) -> i128 {
        let bits = bits & self.mask();
        let unused = 64 - self.bits();
        match self.is_signed() {
            true => i128::from(((bits << unused) as i64) >> unused),
            false => i128::from(bits),
        }
    }

    /// Every type, for tests and tables.
    pub const ALL: [Type; 12] = [
        Type::Bool,
        Type::U8,
        Type::U16,
        Type::U32,
        Type::U64,
        Type::S8,
        Type::S16,
        Type::S32,
        Type::S64,
        Type::F16,
        Type::F32,
        Type::F64,
    ];

    /// Width in bits.
    pub const fn bits(self) -> u32 {
        match self {
            Type::Bool => 1,
            Type::U8 | Type::S8 => 8,
            Type::U16 | Type::S16 | Type::F16 => 16,
            Type::U32 | Type::S32 | Type::F32 => 32,
            Type::U64 | Type::S64 | Type::F64 => 64,
        }
    }

    /// Width in bytes, 1 for [`Type::Bool`].
    pub const fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// The low bits of a 64-bit word that a value of the type has.
    pub const fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// True for floats.
    pub const fn is_float(self) -> bool {
        matches!(self, Type::F16 | Type::F32 | Type::F64)
    }

    /// True for two's complement.
    pub const fn is_signed(self) -> bool {
        matches!(self, Type::S8 | Type::S16 | Type::S32 | Type::S64)
    }

    /// The integer type of a width of 8, 16, 32 or 64 bits, the next wider one for other widths.
    pub const fn int(bits: u32, signed: bool) -> Type {
        match (bits, signed) {
            (0..=8, false) => Type::U8,
            (0..=8, true) => Type::S8,
            (9..=16, false) => Type::U16,
            (9..=16, true) => Type::S16,
            (17..=32, false) => Type::U32,
            (17..=32, true) => Type::S32,
            (_, false) => Type::U64,
            (_, true) => Type::S64,
        }
    }
}

/// Rounding of a float result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Round {
    /// To nearest, ties to even.
    #[default]
    Nearest,
    /// Toward minus infinity.
    Down,
    /// Toward plus infinity.
    Up,
    /// Toward zero.
    Zero,
}

/// What a float result below the normal range becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tiny {
    /// A denormal.
    #[default]
    Keep,
    /// A zero of its sign, if the rounded result is a denormal.
    FlushRounded,
    /// A zero of its sign, if the exact result lies below the normal range.
    FlushExact,
    /// A zero of its sign, if the result, rounded as if exponents had no lower end, lies below it.
    FlushUnbounded,
}

/// What a multiply-add adds to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Product {
    /// The exact product.
    #[default]
    Exact,
    /// The product cut off to the precision of the result, its exponent without limits.
    CutOff,
}

/// The NaN that an operation gives; its sign is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Nan {
    /// Every bit of the fraction is 1.
    #[default]
    AllOnes,
    /// The highest bit of the fraction is 1.
    Quiet,
}

/// How a float result is formed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FloatMode {
    /// Rounding; of a conversion to an integer and of [`super::Op::RoundToIntegral`], too.
    pub round: Round,
    /// Results below the normal range.
    pub tiny: Tiny,
    /// NaN results.
    pub nan: Nan,
    /// A product with a zero factor is +0, whatever the other factor.
    pub zero_product: bool,
    /// The product of a multiply-add.
    pub product: Product,
}
