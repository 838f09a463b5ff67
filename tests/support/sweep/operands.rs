//! Operands of the random sweeps: the same numbers made here and in the C++ that drives the leaf.
//!
//! Operands number i depend on the seed and i only, so any range can be made again. Eight classes
//! take turns, each an eighth of all:
//!
//! | i mod 8 | class     | what                                                                     |
//! |---------|-----------|--------------------------------------------------------------------------|
//! | 0       | any       | random words: every exponent, NaN and infinity now and then              |
//! | 1       | special   | all from [`SPECIAL`]                                                     |
//! | 2       | mixed     | each from [`SPECIAL`] or random                                          |
//! | 3       | near      | addend within 32 binary orders of the other term                         |
//! | 4       | cancel    | addend of the other sign, 0 or 1 orders apart, equal down to a random bit |
//! | 5       | overflow  | terms of 2^119 to 2^134 (as far as they exist)                           |
//! | 6       | underflow | terms of 2^-154 to 2^-123, denormal operands among them                  |
//! | 7       | ties      | as near, significands of one or two runs of bits                         |
//!
//! A sum's first term is `a`, its addend `b`. A product has `a` and `b` with exponents that give the
//! term; a multiply-add has that term as the first and `c` as the addend.

/// What the operands belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `a` counts up; `b` and `c` are its complement, which no result may depend on.
    Unary = 0,
    /// `a + b`.
    Sum = 1,
    /// `a * b`.
    Product = 2,
    /// `a * b + c`.
    MultiplyAdd = 3,
}

impl Shape {
    /// Number of operands.
    pub fn operands(self) -> usize {
        match self {
            Shape::Unary => 1,
            Shape::Sum | Shape::Product => 2,
            Shape::MultiplyAdd => 3,
        }
    }
}

/// Zeros, denormals, ends of the range, ones and their neighbours, infinities, NaNs.
const SPECIAL: [u32; 16] = [
    0x0000_0000, 0x8000_0000, 0x0000_0001, 0x807f_ffff, 0x0080_0000, 0x8080_0000, 0x7f7f_ffff, 0xff7f_ffff,
    0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0x7f80_0001, 0x3f80_0000, 0xbf80_0000, 0x3f7f_ffff, 0x3f80_0001,
];

const FRACTION: u32 = 0x7f_ffff;

/// The finalizer of splitmix64.
fn mix(z: u64) -> u64 {
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

fn number(sign: u32, exponent: i32, fraction: u32) -> u32 {
    sign << 31 | (exponent.clamp(0, 254) as u32) << 23 | fraction
}

/// One or two runs of bits.
fn sparse(r: u32) -> u32 {
    let k = 1 << (r % 23);
    let f = match r >> 30 {
        0 => k,
        1 => k - 1,
        2 => !(k - 1),
        _ => k | 1 << ((r >> 8) % 23),
    };
    f & FRACTION
}

/// Operands number `i`.
pub fn operands(shape: Shape, seed: u64, i: u64) -> [u32; 3] {
    let r = |n: u64| {
        let z = i.wrapping_mul(8).wrapping_add(n).wrapping_add(seed << 48);
        (mix(z.wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 32) as u32
    };
    let (r0, r1, r2, r3) = (r(0), r(1), r(2), r(3));
    let special = |r: u32| SPECIAL[(r >> 28) as usize];
    let class = i % 8;
    match class {
        0 => return [r0, r1, r2],
        1 => return [special(r0), special(r1), special(r2)],
        2 => {
            let one = |n: u32, r: u32| if r3 >> n & 1 == 1 { special(r) } else { r };
            return [one(0, r0), one(1, r1), one(2, r2)];
        }
        _ => {}
    }
    let fraction = |r: u32| if class == 7 { sparse(r) } else { r & FRACTION };
    let target = match class {
        5 => 246 + (r3 % 16) as i32,
        6 => (r3 % 32) as i32 - 27,
        _ => 1 + (r3 % 254) as i32,
    };
    let (fa, fb) = (fraction(r0), fraction(r1));
    // The first term: sign, exponent and the upper 23 bits of the fraction.
    let (a, b, sign, exponent, upper) = if shape == Shape::Sum {
        (number(r0 >> 31, target, fa), 0, r0 >> 31, target, fa)
    } else {
        let ea = target.div_euclid(2) + (r(4) % 127) as i32;
        let product = u64::from(fa | 1 << 23) * u64::from(fb | 1 << 23);
        let carry = (product >> 47) as u32;
        (
            number(r0 >> 31, ea, fa),
            number(r1 >> 31, target - ea + 127, fb),
            (r0 ^ r1) >> 31,
            target + carry as i32,
            (product >> (23 + carry)) as u32 & FRACTION,
        )
    };
    if shape == Shape::Product {
        return [a, b, r2];
    }
    let r5 = r(5);
    let addend = match class {
        4 => {
            let apart = [-1, 0, 0, 1][(r5 % 4) as usize];
            let low = (1 << ((r5 >> 8) % 24)) - 1;
            number(1 - sign, exponent + apart, upper ^ r2 & low)
        }
        5 => number(r2 >> 31, 246 + (r5 % 9) as i32, fraction(r2)),
        6 => number(r2 >> 31, (r5 % 5) as i32, fraction(r2)),
        _ => number(r2 >> 31, exponent + (r5 % 65) as i32 - 32, fraction(r2)),
    };
    if shape == Shape::Sum {
        [a, addend, r2]
    } else {
        [a, b, addend]
    }
}

/// The same in C++: `operands(shape, seed, i, o)`.
pub const CPP: &str = r#"
static const uint32_t SPECIAL[16] = {
    0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff,
    0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001};
static const uint32_t FRACTION = 0x7fffff;
static uint64_t mix(uint64_t z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}
static uint32_t random_word(uint64_t seed, uint64_t i, uint64_t n) {
    return mix((i * 8 + n + (seed << 48)) * 0x9e3779b97f4a7c15ull) >> 32;
}
static uint32_t number(uint32_t sign, int e, uint32_t fraction) {
    return sign << 31 | (uint32_t)(e < 0 ? 0 : e > 254 ? 254 : e) << 23 | fraction;
}
static uint32_t sparse(uint32_t r) {
    uint32_t k = 1u << r % 23, f;
    switch (r >> 30) {
        case 0: f = k; break;
        case 1: f = k - 1; break;
        case 2: f = ~(k - 1); break;
        default: f = k | 1u << (r >> 8) % 23;
    }
    return f & FRACTION;
}
static void operands(int shape, uint64_t seed, uint64_t i, uint32_t* o) {
    uint32_t r0 = random_word(seed, i, 0), r1 = random_word(seed, i, 1);
    uint32_t r2 = random_word(seed, i, 2), r3 = random_word(seed, i, 3);
    int kind = i % 8;
    o[0] = r0; o[1] = r1; o[2] = r2;
    if (kind < 3) {
        for (int n = 0; n < 3; n++)
            if (kind == 1 || (kind == 2 && r3 >> n & 1)) o[n] = SPECIAL[o[n] >> 28];
        return;
    }
    bool ties = kind == 7;
    uint32_t fa = ties ? sparse(r0) : r0 & FRACTION, fb = ties ? sparse(r1) : r1 & FRACTION;
    uint32_t fc = ties ? sparse(r2) : r2 & FRACTION;
    int target = kind == 5 ? 246 + (int)(r3 % 16) : kind == 6 ? (int)(r3 % 32) - 27 : 1 + (int)(r3 % 254);
    uint32_t sign = r0 >> 31, upper = fa;
    int exponent = target;
    if (shape == 1) {
        o[0] = number(sign, target, fa);
    } else {
        int ea = (target >> 1) + (int)(random_word(seed, i, 4) % 127);
        uint64_t product = (uint64_t)(fa | 1u << 23) * (fb | 1u << 23);
        int carry = product >> 47;
        o[0] = number(r0 >> 31, ea, fa);
        o[1] = number(r1 >> 31, target - ea + 127, fb);
        sign = (r0 ^ r1) >> 31;
        exponent = target + carry;
        upper = (uint32_t)(product >> (23 + carry)) & FRACTION;
    }
    if (shape == 2) return;
    uint32_t r5 = random_word(seed, i, 5), addend;
    if (kind == 4) {
        static const int APART[4] = {-1, 0, 0, 1};
        uint32_t low = (1u << (r5 >> 8) % 24) - 1;
        addend = number(1 - sign, exponent + APART[r5 % 4], upper ^ (r2 & low));
    } else if (kind == 5) {
        addend = number(r2 >> 31, 246 + (int)(r5 % 9), fc);
    } else if (kind == 6) {
        addend = number(r2 >> 31, (int)(r5 % 5), fc);
    } else {
        addend = number(r2 >> 31, exponent + (int)(r5 % 65) - 32, fc);
    }
    o[shape == 1 ? 1 : 2] = addend;
}
"#;
