//! The fields of the control word that the rows of G13's table choose.

use super::super::row_field::{row_fields, RowField};

row_fields! {
    // What the lane does, see `UopControl`.
    op: 5,
    signed_a: 1,
    accumulate: 1,
    sat: 1,
    neg_a: 1,
    abs_a: 1,
    neg_b: 1,
    abs_b: 1,
    neg_c: 1,
    abs_c: 1,
    shift: 5,
    /// Counts of places are taken modulo 128.
    mod_128: 1,
    reverse: 1,
    table: 4,
    cond: 5,
    float: 1,
    /// Sources of 16 bits are floats.
    halves: 1,
    /// The result is a float of 32 bits,
    single: 1,
    /// … or of 16 bits, rounded once,
    once: 1,
    /// … or one that a form rounds to the destination from an integer.
    from_int: 1,
    round: 2,
    integral: 1,
    from: 3,
    to: 3,
    /// The special-function units compute the result.
    sfu: 1,

    // Sources: value and mode as an `ALUSrc` of 4 bits has them; absent ones are the number 0.
    v1: 8,
    t1: 4,
    /// The number is a float.
    mini1: 1,
    /// 16 bits are extended by their sign.
    extend1: 1,
    v2: 8,
    t2: 4,
    mini2: 1,
    extend2: 1,
    v3: 8,
    t3: 4,
    mini3: 1,
    extend3: 1,
    v4: 8,
    t4: 4,
    /// `s1_kind` and `s2_kind` say where the first two come from.
    by_kind: 1,
    s1_kind: 3,
    s1_size: 3,
    s2_kind: 2,
    /// The low half of source 1 alone.
    low_half: 1,
    /// Sources 1 and 3 are the number 0, whatever they are.
    drop1: 1,
    drop3: 1,
    /// What `SourceControl::from2` is, where it is not 0.
    from2: 3,
    field: 6,
    imm: 32,

    // Destination and memory.
    /// Number in halves.
    d: 8,
    d_gpr: 1,
    /// 32 bits.
    d_wide: 1,
    mem: 3,
    mem_size: 3,
    passes: 2,
    /// Source 1 is the base of an address.
    base: 1,
    /// The base has 64 bits.
    far: 1,
    index: 1,
    index_signed: 1,
    scale: 3,
    header: 1,

    /// The machine's registers are read.
    machine: 1,
    // Control flow and traps.
    mask: 1,
    flow: 4,
    target: 32,
    bar: 1,
    /// The trap instruction.
    stop: 1,
    /// The chip lacks what the instruction asks for.
    missing: 1,
}
