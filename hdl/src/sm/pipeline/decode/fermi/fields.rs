//! The fields of the control word that the rows of Fermi's table choose.

use super::super::row_field::{row_fields, RowField};

row_fields! {
    // What the lane does, see `UopControl`.
    op: 5,
    signed_a: 1,
    signed_b: 1,
    high: 1,
    accumulate: 1,
    sat: 1,
    neg_a: 1,
    abs_a: 1,
    neg_b: 1,
    abs_b: 1,
    neg_c: 1,
    shift: 5,
    count: 2,
    reverse: 1,
    table: 4,
    table_2: 4,
    cond: 5,
    float: 1,
    flush: 1,
    /// Results below the normal range are flushed, too.
    flush_result: 1,
    round: 2,
    zero_product: 1,
    format: 2,
    integral: 1,
    from: 3,
    to: 3,
    /// The special-function units compute the result.
    sfu: 1,

    // Operands.
    /// Field A is a register.
    has_a: 1,
    s1_kind: 3,
    s1_half: 1,
    s1_hi: 1,
    /// First register, where the word does not have it.
    r1: 7,
    s1_size: 3,
    /// The second operand is a register.
    has_b: 1,
    /// … that of field C.
    b_is_c: 1,
    s2_kind: 2,
    /// Field C is the third register.
    has_c: 1,
    /// Field D is the third register: data of a store.
    data: 1,
    s3_kind: 1,
    c_size: 3,
    c_bank: 5,
    imm: 32,

    // Destination and memory.
    /// Field D is the destination.
    d_gpr: 1,
    mem: 3,
    /// The size of the access stands in the word.
    sized: 1,
    /// Field A is the base of an address.
    base: 1,
    far: 1,
    indexed: 1,
    header: 1,

    // Predicates.
    /// The form has no guard.
    unguarded: 1,
    has_p1: 1,
    p1: 3,
    p1_not: 1,
    has_p2: 1,
    p2: 3,
    p2_not: 1,
    has_p3: 1,
    p3: 3,
    p3_not: 1,
    has_q1: 1,
    q1: 3,
    has_q2: 1,
    q2: 3,
    vote: 2,

    // Control flow and traps.
    flow: 4,
    bar: 1,
    bar_wait: 1,
    /// The word is no instruction for what the form leaves free.
    illegal: 1,
    /// The chip lacks what the instruction asks for.
    missing: 1,
}
