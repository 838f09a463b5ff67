//! Integer unit of a lane of micro-operations: bits, sums, comparisons, choices, predicates.
//!
//! | port      | width | meaning                                                           |
//! |-----------|-------|-------------------------------------------------------------------|
//! | `ctl`     | 56    | operation, `UopControl`                                           |
//! | `a`       | 32    | first operand; a float is one of single precision, its signs done |
//! | `b`       | 32    | second operand, likewise                                          |
//! | `c`       | 32    | third operand, likewise                                           |
//! | `p`       | 3     | predicates p1, p2, p3                                             |
//! | `product` | 32    | the word of the product that MUL names, three cycles later        |
//! | `value`   | 34    | result, two's complement, five cycles later                       |
//! | `q`       | 2     | predicate results, seven cycles later                             |
//!
//! ```text
//!  inputs   | E2: funnel,   | E3: word,    | E4: word,   | E5: sum  | E6: value
//!  logic,   |     order     |     other,   |     addend  | extend   |
//!  compare  | shift, choose |     mask     | add product |          |
//! ```
//! A shift, a bit field, a choice: the word where the mask has ones, else the other word. Everything
//! ends in the one adder.
//!
//! Timing: `ctl` to `p` of cycle t are registered at its end (E2). Free running.
//! Reset: none, results mean nothing until inputs did. Errors: none.

use super::bits::{self, FUNNEL};
use super::count::{leading_zeros, ones_of};
use super::mask;
use crate::rtl::prelude::*;
use crate::sm::control::uop::{op, UopControl};

/// Bits of a result: exact sums of two signed or unsigned words.
pub const VALUE: usize = 34;

/// Truth table of a and b.
const A: u64 = 0b1010;
const B: u64 = 0b1100;
const AND: u64 = 0b1000;

packed! {
    /// Control in stage E2.
    pub struct IntegerE2(_d: ()) {
        /// Outcomes that are true.
        cond: 5,
        /// The outcome comes from the comparison; else it is `outcome`.
        compare: 1,
        outcome: 1,
        /// Bit (outcome + 2 `with`) of it is a predicate result.
        table: 4,
        with: 1,
        /// The mask is the choice, of a float's NaN where both are.
        choose: 1,
        minmax: 1,
        /// MINMAX: the minimum. SELECT: a.
        first: 1,
        float: 1,
        less: 1,
        equal: 1,
        nan_left: 1,
        nan_right: 1,
        /// A bit field: from `start` up to `end`.
        field: 1,
        start: 6,
        end: 6,
        last: IntegerE3::width(()),
    }
}

packed! {
    /// Control in stage E3.
    pub struct IntegerE3(_d: ()) {
        extract: 1,
        signed: 1,
        count: 1,
        find: 1,
        from_top: 1,
        add: IntegerE4::width(()),
    }
}

packed! {
    /// Control in stage E4: of the sum.
    pub struct IntegerE4(_d: ()) {
        /// There is an addend.
        adds: 1,
        not_word: 1,
        not_addend: 1,
        carry: 1,
        word_signed: 1,
        addend_signed: 1,
        extend: IntegerE5::width(()),
    }
}

packed! {
    /// Control in stage E5: the low 8 or 16 bits are extended.
    pub struct IntegerE5(_d: ()) {
        byte: 1,
        half: 1,
        signed: 1,
    }
}

packed! {
    /// Control of G13's sums from stage E2 on.
    pub struct Sums(_d: ()) {
        /// The product takes the place of the addend.
        mul: 1,
        /// … and is signed.
        product_signed: 1,
        /// The sum is clamped.
        sat: 1,
    }
}

block! {
    /// See the module.
    /// `half`: SHIFT_PAIR, INTERLEAVE, CHOOSE, MASK and counts modulo 128. `quiet_nan`: see the lane.
    /// `pairs`: sums of 64 bits.
    pub struct UopInteger(half: bool, quiet_nan: bool, pairs: bool) {
        in ctl(UopControl::width(())),
        in a(32),
        in b(32),
        in c(32),
        /// Of CHOOSE.
        in d(if half; 32),
        in p(3),
        in product(32),
        /// The high word of the product of MUL.
        in product_high(if half; 32),
        out value(VALUE),
        out q(2),
        data e2_control(IntegerE2::width(())),
        data e2_funnel(FUNNEL),
        data e2_amount(5),
        data e2_other(32),
        data e3_control(IntegerE3::width(())),
        data e3_word(32),
        data e3_other(32),
        data e3_mask(32),
        data e4_control(IntegerE4::width(())),
        data e4_word(32),
        data e4_addend(32),
        data e5_control(IntegerE5::width(())),
        data e5_sum(VALUE),
        /// Of the sum, in E2 to E4.
        data sums([3 * usize::from(half)] Sums::width(())),
        /// A sum of 64 bits, its second pass, in E2 to E4; the carry of the first pass.
        data wide([3 * usize::from(pairs)] 2),
        data first_carry(if pairs; 1),
        /// The sum does not fit in a value; its sign.
        data e5_beyond(if half; 1),
        data e5_negative(if half; 1),
        data e6_value(VALUE),
        data held_q([6] 2 => "held_q"),
        keep _half(bool = half),
        keep _quiet_nan(bool = quiet_nan),
    }
}

/// Order of two words.
struct Order {
    less: Expr,
    equal: Expr,
    nan_left: Expr,
    nan_right: Expr,
}

/// Compares integers, signed or not, or floats, of which -0 is less than +0 and equal to it.
fn order(left: &Expr, right: &Expr, signed: &Expr, float: &Expr) -> Order {
    let (left, right) = (left.named(), right.named());
    let signed = wire("order_signed", signed | float);
    // A negative float is the greater the less its magnitude is.
    let key = |x: &Expr| {
        let turned = (float & &x.bit(31)).repeat(31);
        cat([&(&signed & &x.bit(31)), &x.bit(31), &(x.bits(0, 31) ^ turned)])
    };
    let difference = wire("difference", key(&left) - key(&right));
    let nan = |x: &Expr| x.bits(23, 8).all() & x.bits(0, 23).any();
    let zeros = !(left.bits(0, 31).any() | right.bits(0, 31).any());
    Order {
        less: difference.bit(32),
        equal: left.eq(&right) | (float & &zeros),
        nan_left: nan(&left),
        nan_right: nan(&right),
    }
}

impl UopInteger {
    /// Makes the funnel and compares, up to the registers of E2.
    fn accept(&self) {
        let ctl = UopControl::unpack((), "op", &get(&self.ctl));
        let (a, b, c) = (get(&self.a), get(&self.b), get(&self.c));
        let p = get(&self.p);
        let is = |code: u64, name: &str| wire(&format!("is_{name}"), ctl.op.is(code));
        let (add, mul, convert) = (is(op::ADD, "add"), is(op::MUL, "mul"), is(op::CONVERT, "convert"));
        let (left, right) = (is(op::SHIFT_LEFT, "left"), is(op::SHIFT_RIGHT, "right"));
        let (extract, insert) = (is(op::EXTRACT, "extract"), is(op::INSERT, "insert"));
        let (count, find) = (is(op::COUNT, "count"), is(op::FIND, "find"));
        let (compare, select) = (is(op::COMPARE, "compare"), is(op::SELECT, "select"));
        let compare_select = is(op::COMPARE_SELECT, "compare_select");
        let (minmax, vote) = (is(op::MINMAX, "minmax"), is(op::VOTE, "vote"));
        let (predicates, logic) = (is(op::PREDICATES, "predicates"), is(op::LOGIC, "logic"));
        let [pair, chooses, masks] = match self._half {
            true => [is(op::SHIFT_PAIR, "pair"), is(op::CHOOSE, "choose"), is(op::MASK, "mask")],
            false => [zero(1), zero(1), zero(1)],
        };

        // The word: a function of a and b.
        let find_not = &ctl.neg_a ^ &(&ctl.signed_a & &(a.bit(31) ^ &ctl.neg_a));
        let base = logic.mux(&ctl.table, &count.mux(&lit(4, AND), &lit(4, A)));
        let base = vote.mux(&lit(4, B), &base);
        let bitwise = wire("bitwise", &logic | &count);
        let not_a = (&bitwise & &ctl.neg_a) | (&find & &find_not);
        let table = bits::inverted(&base, &not_a, &(&bitwise & &ctl.neg_b));
        let turned = wire("turned", &extract & &ctl.reverse);
        let x = wire("first", turned.mux(&bits::reversed(&a), &a));
        let word = wire("own_word", bits::logic(&table, &x, &b));
        let word = match self._half {
            true => is(op::INTERLEAVE, "interleave").mux(&bits::interleaved(&a, &b), &word),
            false => word,
        };
        // CHOOSE and MASK: the values of a comparison that holds, and of one that does not.
        let (word, otherwise) = match self.d.get() {
            Some(d) => {
                let counter = mask::next(&ctl.table, &ctl.shift, &c.bits(0, 16));
                let holds = masks.mux(&counter.holds.zext(32), &c);
                let fails = masks.mux(&counter.fails.zext(32), &get(d));
                let either = wire("either", &chooses | &masks);
                // What is added to a product is shifted.
                ((&either | &mul).mux(&holds, &word), Some((either, fails)))
            }
            None => (word, None),
        };
        let [high_left, high_right, merges] = match self._half {
            true => [
                wire("high_left", &insert & &ctl.high),
                wire("high_right", &right & &ctl.high),
                wire("merges", &right & &ctl.accumulate),
            ],
            false => [zero(1), zero(1), zero(1)],
        };
        // Its place.
        let byte = wire("count_byte", &extract | &insert);
        let by = match self._half {
            true => b.clone(),
            false => pair.mux(&c, &b).called("by"),
        };
        let by = bits::shift_count(&by, &ctl.count, &byte, self._half);
        let adds = match self._half {
            true => wire("adds_shifted", &add | &mul),
            false => add.clone(),
        };
        let to_left = wire("to_left", any_of(&[adds.clone(), left.clone(), insert.clone()]));
        let down = wire("down", &right | &extract);
        let shifts = wire("shifts", any_of(&[down.clone(), left.clone(), insert.clone(), pair.clone()]));
        let beyond = match self._half {
            true => (&high_left | &high_right).mux(&by.far, &by.beyond),
            false => by.beyond.clone(),
        };
        let beyond = wire("beyond", &shifts & &beyond);
        let fill = wire("fill", &down & &ctl.signed_a & x.bit(31));
        // Of two words the one that is shifted out of, or into.
        let [down_high, up_high] = match self._half {
            true => [wire("down_high", &high_right & !&by.beyond), wire("up_high", &high_left & !&by.beyond)],
            false => [zero(1), zero(1)],
        };
        // Of the high word of a sum what is shifted out of a single word, below copies of its sign; the other one is
        // its sign alone.
        let word_signed = (&add & &ctl.signed_a) | (&mul & &ctl.from.bit(2));
        let (up_high, raised, sign, alone) = match self.wide.first() {
            Some(wide) => {
                let sum = wire("wide_sum", &adds & &ctl.reverse);
                let second = wire("second_of_sum", &sum & &ctl.high);
                set(wide, cat([&second, &sum]));
                let single = wire("shifted_single", &second & &ctl.from.bit(0));
                let sign = wire("shifted_sign", all_of(&[single.clone(), word_signed, word.bit(31)]));
                let alone = wire("other_single", all_of(&[second, add.clone(), ctl.from.bit(1)]));
                (wire("shifted_in", up_high | single), word.named(), sign, alone)
            }
            None => (up_high, x.clone(), zero(1), zero(1)),
        };
        let none = match self._half {
            true => wire("none", any_of(&[&beyond & !&fill, down_high.clone(), up_high.clone()])),
            false => wire("none", &beyond & !&fill | &mul),
        };
        let filled = match self.wide.is_empty() {
            true => &beyond & &fill,
            false => wire("filled", (&beyond & &fill) | sign),
        };
        let low = (word.named() & (!&none).repeat(32)) | filled.repeat(32);
        let low = match self._half {
            true => {
                let high = wire("from_high", &pair & &by.beyond);
                let high = high.repeat(32) & &c & (!&by.far).repeat(32);
                low | high
            }
            false => low,
        };
        let low = wire("low", low);
        let funnel = match self._half {
            true => {
                let high = (fill & !&down_high).repeat(31)
                    | (c.bits(0, 31) & (&pair & !&by.beyond).repeat(31))
                    | (x.bits(0, 31) & down_high.repeat(31));
                let raised = cat([&low, &(raised.bits(1, 31) & up_high.repeat(31))]);
                to_left.mux(&raised, &cat([&high, &low]))
            }
            false => {
                let high = fill.repeat(31) | (b.bits(0, 31) & (&pair & !&by.beyond).repeat(31));
                to_left.mux(&cat([&low, &zero(31)]), &cat([&high, &low]))
            }
        };
        set(&self.e2_funnel, funnel);
        let amount = adds.mux(&ctl.shift, &(&by.low & &shifts.repeat(5)));
        set(&self.e2_amount, amount ^ to_left.repeat(5));

        // The other word.
        let third = match self._half {
            true => wire("third", &insert | &merges),
            false => wire("third", &insert | &mul),
        };
        let other = third.mux(&c, &b);
        let other = match self._half {
            true => other & (!&pair).repeat(32),
            false => other,
        };
        let other = match otherwise {
            Some((either, fails)) => either.mux(&fails, &other),
            None => other,
        };
        set(&self.e2_other, other);

        // The order.
        let against_zero = wire("against_zero", compare_select.clone());
        let o = order(&against_zero.mux(&c, &a), &(&b & &(!&against_zero).repeat(32)), &ctl.signed_a, &ctl.float);

        // The sum.
        let minus_c = wire("minus_c", &mul & &ctl.accumulate & &ctl.neg_c);
        let minus_addend = match self._half {
            true => wire("minus_addend", &add & &ctl.neg_b),
            false => wire("minus_addend", (&add & &ctl.neg_b) | &minus_c),
        };
        let sums = wire("sums", &add | &mul);
        let from_signed = ctl.from.bit(2);
        let turn = &ctl.neg_a ^ &(&ctl.abs_a & &from_signed & a.bit(31));
        let turn = wire("turn", &convert & &turn);
        let minus_word = match self._half {
            true => wire("minus_word", (&add & &ctl.neg_a) | minus_c),
            false => wire("minus_word", &sums & &ctl.neg_a),
        };
        let cut = wire("cut", &convert & !&ctl.sat);
        let extend = IntegerE5 {
            byte: &cut & &ctl.to.bits(0, 2).is(0),
            half: &cut & &ctl.to.bits(0, 2).is(1),
            signed: ctl.to.bit(2),
        };
        extend.check(());
        let not_addend = &minus_addend & !&minus_word;
        let (adds, not_addend) = match (self.wide.is_empty(), self._half) {
            (false, _) => (&add & !&alone, not_addend ^ all_of(&[alone, ctl.signed_b.clone(), b.bit(31)])),
            (true, true) => (add.clone(), not_addend),
            (true, false) => (&add | &(&mul & &ctl.accumulate), not_addend),
        };
        let sum = IntegerE4 {
            adds,
            not_word: (&minus_word & !&minus_addend) | &turn,
            not_addend,
            carry: any_of(&[minus_word, minus_addend, turn]),
            word_signed: match self._half {
                true => (&add & &ctl.signed_a) | ((&mul | &convert) & &from_signed),
                false => (&add & &ctl.signed_a) | &mul | (&convert & &from_signed),
            },
            addend_signed: match self._half {
                true => ctl.signed_b.clone(),
                false => &mul | &ctl.signed_a,
            },
            extend: extend.pack(),
        };
        sum.check(());
        let third = IntegerE3 {
            extract: extract.clone(),
            signed: match self._half {
                true => &ctl.signed_a & &extract,
                false => ctl.signed_a.clone(),
            },
            count,
            find,
            from_top: ctl.reverse.clone(),
            add: sum.pack(),
        };
        third.check(());

        // Predicates: of PREDICATES the first function is the outcome.
        let first = bits::look_up(&ctl.table, &p.bit(0), &p.bit(1));
        let start = b.bits(0, 8) & insert.repeat(8);
        let start = match self._half {
            true => {
                let low = wire("places_low", by.low.zext(8));
                let above = (&by.beyond & &by.far).mux(&lit(8, 32), &low) & by.beyond.repeat(8);
                let missing = (lit(8, 32) - &low) & (!&by.beyond).repeat(8);
                high_left.mux(&above, &start) | (missing & high_right.repeat(8))
            }
            false => start,
        };
        let start = if self._half { wire("field_start", start) } else { start };
        let from = match self._half {
            true => start.clone(),
            false => b.bits(0, 8) & insert.repeat(8),
        };
        let end = wire("field_end", b.bits(8, 8).zext(9) + from.zext(9));
        let second = IntegerE2 {
            cond: ctl.cond.clone(),
            compare: any_of(&[compare.clone(), compare_select.clone(), chooses.clone(), masks.clone()]),
            outcome: predicates.mux(&first, &p.bit(0)),
            table: predicates.mux(&ctl.table_2, &vote.mux(&lit(4, A), &ctl.table)),
            with: predicates.mux(&p.bit(2), &(&compare & &p.bit(0))),
            choose: any_of(&[select, compare_select, minmax.clone(), chooses, masks]),
            first: p.bit(0),
            minmax,
            float: ctl.float.clone(),
            less: o.less,
            equal: o.equal,
            nan_left: &ctl.float & &o.nan_left,
            nan_right: &ctl.float & &o.nan_right,
            field: match self._half {
                true => any_of(&[byte, pair, merges]),
                false => byte,
            },
            start: bits::at_most_32(&start),
            end: bits::at_most_32(&end),
            last: third.pack(),
        };
        second.check(());
        set(&self.e2_control, second.pack());
        if let Some(first) = self.sums.first() {
            let of_sum = Sums { mul, product_signed: &ctl.signed_a | &ctl.signed_b, sat: &sums & &ctl.sat };
            of_sum.check(());
            set(first, of_sum.pack());
        }
    }

    /// Shifts, makes the mask and the predicates, in stage E2.
    fn shift(&self) {
        let e2 = IntegerE2::unpack((), "e2", &get(&self.e2_control));
        let word = bits::funnel(&get(&self.e2_funnel), &get(&self.e2_amount));
        set(&self.e3_word, word);

        let ordered = !(&e2.nan_left | &e2.nan_right);
        let hits = [
            all_of(&[e2.cond.bit(0), ordered.clone(), &e2.less & !&e2.equal]),
            all_of(&[e2.cond.bit(1), ordered.clone(), e2.equal.clone()]),
            all_of(&[e2.cond.bit(2), ordered, !(&e2.less | &e2.equal)]),
            e2.cond.bit(3) & &e2.nan_left,
            all_of(&[e2.cond.bit(4), e2.nan_right.clone(), !&e2.nan_left]),
        ];
        let hit = wire("hit", any_of(&hits));
        let outcome = wire("outcome_is", e2.compare.mux(&hit, &e2.outcome));
        let q1 = bits::look_up(&e2.table, &outcome, &e2.with);
        let q2 = bits::look_up(&e2.table, &!&outcome, &e2.with);
        set(&self.held_q[0], cat([&q2, &q1]));

        // The first where it is the number, or the less or greater one.
        let preferred = &e2.nan_right | &!(&e2.first ^ &e2.less);
        let extreme = !&e2.nan_left & preferred;
        let pick = e2.minmax.mux(&extreme, &outcome);
        let field = bits::low_mask(&e2.end) & !bits::low_mask(&e2.start);
        let mask = e2.choose.mux(&pick.repeat(32), &(field | (!&e2.field).repeat(32)));
        set(&self.e3_mask, mask);
        let nan = wire("no_number", all_of(&[e2.minmax.clone(), e2.nan_left.clone(), e2.nan_right.clone()]));
        let word = match self._quiet_nan {
            true => 0x7fc0_0000,
            false => 0x7fff_ffff,
        };
        set(&self.e3_other, nan.mux(&lit(32, word), &get(&self.e2_other)));
        set(&self.e3_control, &e2.last);
    }

    /// Merges and counts, in stage E3.
    fn merge(&self) {
        let e3 = IntegerE3::unpack((), "e3", &get(&self.e3_control));
        let (word, mask, other) = (get(&self.e3_word), get(&self.e3_mask), get(&self.e3_other));
        let top = &mask & &!cat([&zero(1), &mask.bits(1, 31)]);
        let negative = wire("field_negative", &e3.signed & (&word & &top).any());
        let below = e3.extract.mux(&negative.repeat(32), &other);
        let merged = (&word & &mask) | (below & !&mask);

        let halves = [word.bits(16, 16), word.bits(0, 16)];
        let in_high = wire("in_high", halves[0].any());
        let [high, low] = halves.map(|h| leading_zeros(&h));
        let zeros = cat([&!&in_high, &in_high.mux(&high, &low)]);
        let found = &zeros ^ &(!&e3.from_top).repeat(5);
        let nothing = !word.any();
        let found = found.zext(32) | nothing.repeat(32);
        let counted = e3.count.mux(&ones_of(&word).zext(32), &e3.find.mux(&found, &merged));
        set(&self.e4_word, counted);
        set(&self.e4_addend, other);
        set(&self.e4_control, &e3.add);
    }

    /// Adds, in stage E4, and extends a conversion's result, in stage E5.
    fn add(&self) {
        let e4 = IntegerE4::unpack((), "e4", &get(&self.e4_control));
        let addend = get(&self.e4_addend) & e4.adds.repeat(32);
        let width = VALUE + usize::from(self._half);
        let extended = |x: &Expr, signed: &Expr, not: &Expr| {
            let top = (signed & &x.bit(31)).repeat(width - 32);
            cat([&top, x]) ^ not.repeat(width)
        };
        let (word, addend) = match self.product_high.get() {
            Some(high) => {
                let high = get(high);
                let sums = Sums::unpack((), "e4_sums", &get(&self.sums[2]));
                let negative = wire("product_negative", &sums.product_signed & &high.msb());
                // The product fits in a value, or the sum with a word lies beyond every format.
                let inside = !(high.bits(1, 31) ^ negative.repeat(31)).any();
                let whole = cat([&negative.repeat(width - 33), &high.bit(0), &get(&self.product)]);
                let addend = extended(&addend.named(), &e4.addend_signed, &e4.not_addend);
                let addend = sums.mul.mux(&whole, &addend);
                (get(&self.e4_word), (addend, Some((sums.mul & !inside, negative, sums.sat))))
            }
            None => {
                let word = wire("word", get(&self.e4_word) | get(&self.product));
                (word, (extended(&addend.named(), &e4.addend_signed, &e4.not_addend), None))
            }
        };
        let (addend, beyond) = addend;
        let word = extended(&word, &e4.word_signed, &e4.not_word);
        let carry = match (self.wide.last(), self.first_carry.get()) {
            (Some(wide), Some(first)) => get(wide).bit(1).mux(&get(first), &e4.carry),
            _ => e4.carry.clone(),
        };
        let sum = cat([&word, &lit(1, 1)]) + cat([&addend, &carry]);
        let sum = wire("sum", sum).bits(1, width);
        if let (Some(wide), Some(first)) = (self.wide.last(), self.first_carry.get()) {
            let out = sum.bit(32) ^ word.bit(32) ^ addend.bit(32);
            when(&get(wide).bit(0), || set(first, out));
        }
        set(&self.e5_sum, sum.bits(0, VALUE));
        set(&self.e5_control, &e4.extend);
        if let (Some((outside, product_negative, sat)), Some(to), Some(to_negative)) =
            (beyond, self.e5_beyond.get(), self.e5_negative.get())
        {
            let carried = sum.msb() ^ sum.bit(VALUE - 1);
            set(to, sat & (&outside | &carried));
            set(to_negative, outside.mux(&product_negative, &sum.msb()));
        }

        let e5 = IntegerE5::unpack((), "e5", &get(&self.e5_control));
        let sum = get(&self.e5_sum);
        let sum = match (self.e5_beyond.get(), self.e5_negative.get()) {
            (Some(beyond), Some(negative)) => {
                // Beyond every format on its side.
                let limit = cat([&get(negative), &!get(negative)]);
                let top = get(beyond).mux(&limit, &sum.bits(32, VALUE - 32));
                wire("limited", cat([&top, &sum.bits(0, 32)]))
            }
            _ => sum,
        };
        let byte = cat([&(&e5.signed & &sum.bit(7)).repeat(VALUE - 8), &sum.bits(0, 8)]);
        let half = cat([&(&e5.signed & &sum.bit(15)).repeat(VALUE - 16), &sum.bits(0, 16)]);
        set(&self.e6_value, e5.byte.mux(&byte, &e5.half.mux(&half, &sum)));
        set(&self.value, get(&self.e6_value));
    }
}

impl Rtl for UopInteger {
    fn rtl(&self) {
        self.accept();
        self.shift();
        self.merge();
        self.add();
        for i in 1..self.sums.len() {
            set(&self.sums[i], get(&self.sums[i - 1]));
        }
        for i in 1..self.wide.len() {
            set(&self.wide[i], get(&self.wide[i - 1]));
        }
        for i in 1..self.held_q.len() {
            set(&self.held_q[i], get(&self.held_q[i - 1]));
        }
        set(&self.q, get(&self.held_q[self.held_q.len() - 1]));
    }
}

rtl_block!(UopInteger, "uop_integer");
