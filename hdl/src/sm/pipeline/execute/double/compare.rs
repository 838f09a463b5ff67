//! Comparison of floats of 64 bits in a lane: the low words come with a first beat, the high words with a later one.
//!
//! | port    | width | meaning                                                             |
//! |---------|-------|---------------------------------------------------------------------|
//! | `ctl`   | 56    | `UopControl`: signs of a and b, `cond`, `table`                      |
//! | `high`  | 1     | these are the high words                                            |
//! | `beat`  | beat  | number of the beat                                                  |
//! | `store` | 1     | low words of a comparison stand here: they are kept                  |
//! | `a`, `b`| 32    | words of the operands                                               |
//! | `p`     | 1     | predicate p1                                                        |
//! | `q`     | 2     | predicate results q1, q2, q1 in bit 0                                |
//!
//! Timing: the high words of cycle t give `q` in cycle t + `UOP_STAGES`, as in the lane; they come a cycle behind the low
//! words of their beat or later. Free running.
//! Reset: none, results mean nothing until inputs did. Errors: none.

use crate::rtl::prelude::*;
use crate::sm::control::uop::UopControl;
use crate::sm::dims::Dims;
use crate::sm::pipeline::timing::UOP_STAGES;

packed! {
    /// What is kept of low words.
    pub struct Low(_d: ()) {
        less: 1,
        equal: 1,
        a_some: 1,
        b_some: 1,
    }
}

packed! {
    /// What is known of high words in the next cycle.
    pub struct High(_d: ()) {
        less: 1,
        equal: 1,
        /// The exponent is the largest, the bits below the sign, and those of the fraction, are not all 0.
        a_full: 1,
        a_some: 1,
        a_fraction: 1,
        b_full: 1,
        b_some: 1,
        b_fraction: 1,
        a_negative: 1,
        b_negative: 1,
        cond: 5,
        table: 4,
        p: 1,
    }
}

block! {
    /// See the module.
    pub struct DoubleCompare(d: &Dims) {
        in ctl(UopControl::width(())),
        in high(1),
        in beat(d.beat),
        in store(1),
        in a(32),
        in b(32),
        in p(1),
        out q(2),
        /// Of each beat.
        part kept(Ram: RamKind::Lut, d.beats.max(2), Low::width(()), 1),
        data low(Low::width(())),
        reg low_there(1),
        data at(d.beat),
        data words(High::width(())),
        data result([UOP_STAGES - 1] 2),
    }
}

impl Rtl for DoubleCompare {
    fn rtl(&self) {
        let ctl = UopControl::unpack((), "op", &get(&self.ctl));
        let (a, b) = (get(&self.a), get(&self.b));
        let high = get(&self.high);
        // Magnitudes of high words have no sign.
        let [x, y] = [&a, &b].map(|w| cat([&(w.bit(31) & !&high), &w.bits(0, 31)]).called("word"));
        let (less, equal) = (wire("less", x.lt(&y)), wire("equal", x.eq(&y)));
        let low = Low { less: less.clone(), equal: equal.clone(), a_some: x.any(), b_some: y.any() };
        set(&self.low, low.pack());
        set(&self.low_there, get(&self.store));
        set(&self.at, get(&self.beat));
        let words = High {
            less,
            equal,
            a_full: a.bits(20, 11).all(),
            a_some: x.any(),
            a_fraction: a.bits(0, 20).any(),
            b_full: b.bits(20, 11).all(),
            b_some: y.any(),
            b_fraction: b.bits(0, 20).any(),
            a_negative: (a.bit(31) & !&ctl.abs_a) ^ &ctl.neg_a,
            b_negative: (b.bit(31) & !&ctl.abs_b) ^ &ctl.neg_b,
            cond: ctl.cond.clone(),
            table: ctl.table.clone(),
            p: get(&self.p),
        };
        words.check(());
        set(&self.words, words.pack());

        let at = get(&self.at);
        self.kept.write(&at, &get(&self.low), &get(&self.low_there));
        let low = Low::unpack((), "low", &self.kept.read(0, &at));
        let w = High::unpack((), "high", &get(&self.words));
        let smaller = wire("smaller", &w.less | &(&w.equal & &low.less));
        let same = wire("same", &w.equal & &low.equal);
        let zeros = wire("zeros", !any_of(&[w.a_some, w.b_some, low.a_some.clone(), low.b_some.clone()]));
        let a_nan = wire("a_nan", &w.a_full & &(&w.a_fraction | &low.a_some));
        let b_nan = wire("b_nan", &w.b_full & &(&w.b_fraction | &low.b_some));
        let number = wire("numbers", !(&a_nan | &b_nan));
        let equal = &zeros | &(&same & !(&w.a_negative ^ &w.b_negative));
        let equal = wire("are_equal", equal);
        let below = w.a_negative.mux(&(!&w.b_negative | !&smaller), &(!&w.b_negative & &smaller));
        let less = wire("is_less", below & !&equal);
        let greater = !(&less | &equal);
        let outcome =
            cat([&(&b_nan & &!&a_nan), &a_nan, &(&number & &greater), &(&number & &equal), &(&number & &less)]);
        let holds = wire("holds", (w.cond & outcome).any());
        let bit = |o: &Expr| w.table.bit_at(&cat([&w.p, o]));
        set(&self.result[0], cat([&bit(&!&holds), &bit(&holds)]));
        for pair in self.result.windows(2) {
            set(&pair[1], get(&pair[0]));
        }
        set(&self.q, get(&self.result[UOP_STAGES - 2]));
    }
}

rtl_block!(DoubleCompare, "double_compare");
