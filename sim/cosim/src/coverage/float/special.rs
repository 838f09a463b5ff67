//! Events of the special functions and of range reduction.

use super::*;
use warpsmith_model::num::rro::{CODE_INF, CODE_NAN};
use warpsmith_model::num::sfu;

/// The bit that marks a code among range-reduced arguments.
const CODE: u32 = 0x4000_0000;

impl Events {
    pub(super) fn sfu(&mut self, func: SfuFn, x: u32, r: u32, sat: bool) {
        let negative = x & SIGN != 0 && !zero(flush(x)) && !is_nan(x);
        match func {
            SfuFn::Rcp => {
                self.note(Event::RcpZero, zero(x));
                self.note(Event::RcpInfinite, is_inf(x));
                self.note(Event::RcpNan, is_nan(x));
                self.note(Event::RcpDenormal, denormal(x));
                self.note(Event::RcpFlush, finite(x) && zero(r));
            }
            SfuFn::Rsq => {
                self.note(Event::RsqNegativeZero, x == SIGN);
                self.note(Event::RsqNegative, negative);
                self.note(Event::RsqInfinite, x == INF);
                self.note(Event::RsqNan, is_nan(x));
                let plain = !negative && finite(x) && exponent(x) > 0;
                let odd = exponent(x) & 1 == 0;
                self.note(Event::RsqPower, plain && !odd && x & 0x7f_ffff == 0);
                self.note(Event::RsqOdd, plain && odd);
            }
            SfuFn::Lg2 => {
                self.note(Event::Lg2One, x == 0x3f80_0000);
                self.note(Event::Lg2Below, !negative && (1..127).contains(&exponent(x)));
                self.note(Event::Lg2Zero, zero(flush(x)));
                self.note(Event::Lg2Negative, negative);
                self.note(Event::Lg2Infinite, x == INF);
                self.note(Event::Lg2Nan, is_nan(x));
            }
            SfuFn::Sin => {
                let quadrants = [Event::Sin0, Event::Sin1, Event::Sin2, Event::Sin3];
                self.note(quadrants[(x >> 23 & 3) as usize], x & CODE == 0);
                self.note(Event::SinNegative, x & CODE == 0 && x & SIGN != 0);
                self.note(Event::SinCode, x & CODE != 0);
            }
            SfuFn::Cos => {
                let quadrants = [Event::Cos0, Event::Cos1, Event::Cos2, Event::Cos3];
                self.note(quadrants[(x >> 23 & 3) as usize], x & CODE == 0);
                self.note(Event::CosCode, x & CODE != 0);
            }
            SfuFn::Ex2 => {
                let code = x & !SIGN & 0x4080_0000;
                self.note(Event::Ex2Nan, code == CODE_NAN);
                self.note(Event::Ex2Infinite, code == CODE_INF && x & SIGN == 0);
                self.note(Event::Ex2Zero, code == CODE_INF && x & SIGN != 0);
                let number = x & CODE == 0;
                let below = number && x & SIGN != 0;
                self.note(Event::Ex2Under, number && zero(r));
                self.note(Event::Ex2Integer, below && x & 0x7f_ffff == 0 && x & !SIGN != 0);
                self.note(Event::Ex2Fraction, below && x & 0x7f_ffff != 0);
                self.note(Event::Ex2High, sat && number && exponent(sfu::ex2(x)) > 127);
            }
        }
    }

    pub(super) fn rro(&mut self, ex2: bool, x: u32, r: u32) {
        let number = finite(x) && exponent(x) > 0;
        if ex2 {
            self.note(Event::RroEx2Nan, is_nan(x));
            self.note(Event::RroEx2Infinite, is_inf(x));
            self.note(Event::RroEx2Range, finite(x) && exponent(x) >= 134);
            let lost =
                number && (104..127).contains(&exponent(x)) && { x & ((1 << (127 - exponent(x)).min(23)) - 1) != 0 };
            self.note(Event::RroEx2Lost, lost);
            self.note(Event::RroEx2Denormal, denormal(x));
        } else {
            self.note(Event::RroSinNan, is_nan(x));
            self.note(Event::RroSinInfinite, is_inf(x));
            self.note(Event::RroSinWraps, number && exponent(x) >= 130);
            self.note(Event::RroSinHuge, number && exponent(x) >= 167);
            self.note(Event::RroSinSmall, number && exponent(x) < 127 && zero(r));
            self.note(Event::RroSinDenormal, denormal(x));
        }
    }
}
