//! Events of addition, multiplication and multiply-add.

use super::*;
use warpsmith_model::num::float;

impl Events {
    pub(super) fn add(&mut self, x: u32, y: u32, round: Round, sat: bool) {
        let r = float::add(x, y, round);
        self.note(Event::AddDenormal, denormal(x) || denormal(y));
        self.note(Event::AddNan, is_nan(x) || is_nan(y));
        self.note(Event::AddZeros, x == SIGN && y == SIGN);
        self.note(Event::AddInfinities, is_inf(x) && x ^ y == SIGN);
        if sat {
            self.saturation(r, [Event::AddLow, Event::AddHigh, Event::AddSatNan]);
        }
        if !finite(x) || !finite(y) || zero(flush(x)) || zero(flush(y)) {
            return;
        }
        let apart = (exponent(x) - exponent(y)).abs();
        self.note(Event::AddSticky, apart >= 26);
        if apart >= 29 {
            return;
        }
        let v = wide(x) + wide(y);
        self.note(Event::AddCancel, v == 0.0);
        let lost = exponent(x).max(exponent(y)) - split(v).0;
        self.note(Event::AddNearly, v != 0.0 && lost >= 12);
        self.rounding(
            v,
            r,
            round,
            [Event::AddTie, Event::AddCarry, Event::AddOverflow, Event::AddLargest, Event::AddFlush],
        );
    }

    pub(super) fn mul(&mut self, x: u32, y: u32, r: u32, round: Round) {
        let (fx, fy) = (flush(x), flush(y));
        self.note(Event::MulDenormal, denormal(x) || denormal(y));
        self.note(Event::MulNan, is_nan(x) || is_nan(y));
        self.note(Event::MulInfZero, is_inf(x) && zero(fy) || zero(fx) && is_inf(y));
        if finite(x) && finite(y) {
            self.rounding(
                wide(x) * wide(y),
                r,
                round,
                [Event::MulTie, Event::MulCarry, Event::MulOverflow, Event::MulLargest, Event::MulFlush],
            );
        }
    }

    pub(super) fn mad(&mut self, x: u32, y: u32, z: u32, sat: bool) {
        let r = float::mad(x, y, z);
        let nan = is_nan(x) || is_nan(y) || is_nan(z);
        self.note(Event::MadNan, nan);
        self.note(Event::MadInvalid, !nan && is_nan(r));
        if sat {
            self.saturation(r, [Event::MadLow, Event::MadHigh, Event::MadSatNan]);
        }
        if !finite(x) || !finite(y) || !finite(z) {
            return;
        }
        let product = wide(x) * wide(y);
        let (e, low) = split(product);
        self.note(Event::MadProductZero, product == 0.0 && !zero(flush(z)));
        self.note(Event::MadAddendZero, product != 0.0 && zero(flush(z)));
        if product == 0.0 || zero(flush(z)) {
            return;
        }
        self.note(Event::MadLost, low != 0);
        self.note(Event::MadTiny, e < 1 && !zero(r));
        self.note(Event::MadHuge, e > 254 && finite(r));
        self.note(Event::MadOverflow, is_inf(r));
        let rounded = float::add(float::mul(x, y, Round::Nearest), z, Round::Nearest);
        self.note(Event::MadTruncated, rounded != r);
        let truncated = f64::from_bits(product.to_bits() & !0x1fff_ffff);
        self.note(Event::MadCancel, truncated + wide(z) == 0.0);
        self.note(Event::MadFlush, zero(r) && truncated + wide(z) != 0.0);
    }
}
