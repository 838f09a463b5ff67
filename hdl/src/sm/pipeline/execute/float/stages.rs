//! What travels from stage to stage beside exponents and significands: control, kinds and signs.
//!
//! The control of a stage holds that of the stages behind it.

use crate::packed;

packed! {
    /// Control in stage E1.
    pub struct FloatE1(_d: ()) {
        i2f: 1,
        /// There is an addend.
        adds: 1,
        fmad: 1,
        /// The addend is negated.
        neg_c: 1,
        /// The result is rounded to an integral value first.
        integral: 1,
        second: FloatE2::width(()),
    }
}

packed! {
    /// Control in stage E2 that follows from the instruction.
    pub struct FloatE2(_d: ()) {
        rro_sin: 1,
        i2f: 1,
        /// Round to an integral value: nearest.
        nearest: 1,
        integral: 1,
        third: FloatE3::width(()),
    }
}

packed! {
    /// Control in stage E3.
    pub struct FloatE3(_d: ()) {
        /// The value is rotated by a number known from its exponent.
        fixed: 1,
        /// The result is the integer, or fixed-point number, above the point.
        whole: 1,
        rro_sin: 1,
        mode: 2,
        last: FloatE4::width(()),
    }
}

packed! {
    /// Control in stage E4.
    pub struct FloatE4(_d: ()) {
        f2i: 1,
        /// A range reduction.
        rro: 1,
        /// The result has 16 bits.
        half: 1,
        /// F2I: to a signed integer.
        signed: 1,
        sat: 1,
    }
}

packed! {
    /// Stage E1: what the product is.
    pub struct Factors(_d: ()) {
        negative: 1,
        nan: 1,
        /// Infinite, or beyond every integer or fixed-point number.
        over: 1,
        zero: 1,
    }
}

packed! {
    /// Stage E2: how product and addend meet.
    pub struct Meeting(_d: ()) {
        product_negative: 1,
        addend_negative: 1,
        /// Sign of the sum of two zeros.
        zero_negative: 1,
        subtract: 1,
        product_moves: 1,
        places: 5,
        /// The product is cut off: of a multiply-add with an addend, whose last rounding below the
        /// normal range is done one place higher (`early`).
        truncate: 1,
        addend_zero: 1,
        nan: 1,
        over: 1,
    }
}

packed! {
    /// Stage E3: what is known of the result besides its bits.
    pub struct FloatE3Status(_d: ()) {
        negative: 1,
        /// Sign if it is zero before rounding.
        negative_zero: 1,
        /// There is no addend: if only rounding makes it zero, its sign is that of a zero.
        addend_zero: 1,
        nan: 1,
        over: 1,
        /// `round::Raw::complete`.
        complete: 1,
        early: 1,
    }
}

packed! {
    /// Stage E4: the same.
    pub struct FloatE4Status(_d: ()) {
        negative: 1,
        /// Sign if it turns out to be zero.
        negative_zero: 1,
        nan: 1,
        over: 1,
        /// Zero before rounding.
        zero: 1,
        /// What is lost rounds to nearest, or away from zero.
        nearest: 1,
        away: 1,
        complete: 1,
        early: 1,
        /// A negative integer.
        negate: 1,
        /// The exponent stands in the body of a float of 32, or 16 bits.
        single: 1,
        small: 1,
    }
}
