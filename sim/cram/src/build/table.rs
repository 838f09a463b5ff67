//! Tables as expressions.

use warpsmith_netlist::{Binary, ExprId, Kind, Pool};

/// The value of a table of one bit; `inputs[0]` is bit 0 of the number of an entry.
pub(super) fn table(pool: &mut Pool, entries: u64, inputs: &[ExprId]) -> ExprId {
    let all = mask(inputs.len());
    let entries = entries & all;
    if entries == 0 || entries == all {
        return pool.intern(Kind::Lit(u128::from(entries != 0)), 1);
    }
    let (last, rest) = inputs.split_last().expect("a table without inputs is a constant");
    let half = 1 << rest.len();
    let (zero, one) = (entries & mask(rest.len()), entries >> half);
    if zero == one {
        return table(pool, zero, rest);
    }
    let of = mask(rest.len());
    let mut two = |op, other: u64| {
        let other = table(pool, other, rest);
        pool.intern(Kind::Binary(op, *last, other), 1)
    };
    if zero == 0 && one == of {
        return *last;
    }
    if zero == of && one == 0 {
        return pool.intern(Kind::Not(*last), 1);
    }
    if zero == 0 {
        return two(Binary::And, one);
    }
    if one == of {
        return two(Binary::Or, zero);
    }
    if zero == !one & of {
        return two(Binary::Xor, zero);
    }
    let (one, zero) = (table(pool, one, rest), table(pool, zero, rest));
    pool.intern(Kind::Mux(*last, one, zero), 1)
}

fn mask(inputs: usize) -> u64 {
    match 1u32 << inputs {
        64 => u64::MAX,
        bits => (1 << bits) - 1,
    }
}

/// The value of a table of which some inputs are known; none where it depends on the others.
pub(super) fn known(entries: u16, inputs: [Option<bool>; 4]) -> Option<bool> {
    let fits = |entry: &usize| inputs.iter().enumerate().all(|(i, v)| v.is_none_or(|v| (entry >> i & 1 != 0) == v));
    let mut values = (0..16).filter(fits).map(|entry| entries >> entry & 1 != 0);
    let first = values.next()?;
    values.all(|v| v == first).then_some(first)
}
