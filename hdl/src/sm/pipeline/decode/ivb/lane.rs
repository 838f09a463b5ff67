//! What the lane does.

use super::super::row_field::RowField;
use super::parts::{Parts, ROUNDINGS};
use super::region::{third_types, ThirdSource};
use crate::rtl::prelude::*;
use crate::sm::control::encode::Want;
use crate::sm::control::uop::{count, format, op, tiny, UopControl};
use crate::sm::control::{function, round};
use warpsmith_isa::ivb::table::names::FUNCTIONS;
use warpsmith_isa::ivb::table::Format;
use warpsmith_isa::uop::Cond;

/// Outcomes of a comparison by the condition of the instruction word.
const OUTCOMES: [(u64, u8); 7] = [
    (1, Cond::EQUAL),
    (2, Cond::LESS | Cond::GREATER | Cond::UNORDERED),
    (3, Cond::GREATER),
    (4, Cond::GREATER | Cond::EQUAL),
    (5, Cond::LESS),
    (6, Cond::LESS | Cond::EQUAL),
    (9, Cond::UNORDERED),
];

/// Functions of `math`, what the special-function units call them, and what the lane does before.
const SPECIAL: [(&str, u64, u64); 6] = [
    ("inv", function::RCP, op::MOVE),
    ("log", function::LG2, op::MOVE),
    ("exp", function::EX2, op::RRO_EX2),
    ("rsq", function::RSQ, op::MOVE),
    ("sin", function::SIN, op::RRO_SIN),
    ("cos", function::COS, op::RRO_SIN),
];

/// The lane's part of the control word. `shared_load`: it loads from shared memory.
pub(super) fn lane(p: &Parts, shared_load: &Expr) -> UopControl {
    let (w, [a, b], dst) = (&p.w, &p.s, &p.dst);
    let float = p.float();
    let integer = wire("of_integers", !float);
    let both = |x: &Expr, y: &Expr| x & y;

    // What `mov` is: the bits, or a conversion between integers and floats.
    let moves = w.is("mov");
    let same = a.kind.code.eq(&dst.kind.code);
    let bits = wire("moves_bits", all_of(&[moves.clone(), same, !&a.neg, !&a.abs, !&p.saturate]));
    let converts = wire("moves_number", &moves & &!&bits);
    let to = |from: &Expr, to: &Expr| all_of(&[converts.clone(), from.clone(), to.clone()]);
    let (to_float, to_integer) = (dst.kind.float.clone(), !&dst.kind.float);
    let truncates = wire("truncates", to(float, &to_integer));

    let steps = &p.steps;
    let mut operation = RowField::new("op", 5);
    let mut table = RowField::new("table", 4);
    let rounds = w.any(&ROUNDINGS);
    let (adds, multiplies) = (w.is("add"), w.is("mul"));
    let compares = &p.compares;
    let chooses = p.chooses();
    let finds = w.any(&["lzd", "fbh", "fbl"]);
    for (hit, code) in [
        (bits, op::MOVE),
        (w.is("bfrev"), op::MOVE),
        (&p.send & shared_load, op::MOVE),
        (to(float, &to_float), op::F2F),
        (truncates.clone(), op::F2I),
        (to(&integer, &to_float), op::I2F),
        (to(&integer, &to_integer), op::CONVERT),
        (rounds.clone(), op::F2F),
        (w.is("f16to32"), op::F2F),
        (w.is("f32to16"), op::F2F),
        (both(&adds, float), op::FADD),
        (both(&adds, &integer), op::ADD),
        (both(&multiplies, float), op::FMUL),
        (both(&multiplies, &integer), op::MUL),
        (w.is("mad"), op::FMA),
        (w.is("shl"), op::SHIFT_LEFT),
        (w.any(&["shr", "asr"]), op::SHIFT_RIGHT),
        (w.is("bfe"), op::EXTRACT),
        (w.is("bfi1"), op::INSERT),
        (compares.clone(), op::CHOOSE),
        (&chooses & steps.none(), op::CHOOSE),
        (w.is("sel") & !&p.conditional, op::SELECT),
        (finds.clone(), op::FIND),
        (w.is("cbit"), op::COUNT),
    ] {
        operation.constant(&hit, code);
    }
    steps.tell(&mut operation, |s| s.word.alu.op);
    steps.tell(&mut table, |s| s.word.alu.table);
    for (name, truth) in [("not", 0b0101), ("and", 0b1000), ("or", 0b1110), ("xor", 0b0110), ("bfi2", 0b1100)] {
        operation.constant(&w.is(name), op::LOGIC);
        table.constant(&w.is(name), truth);
    }
    for (name, code, reduced) in SPECIAL {
        let number = FUNCTIONS.iter().position(|f| *f == name).unwrap_or_else(|| panic!("a function {name}"));
        let hit = wire(&format!("f_is_{name}"), &p.math & p.condition.is(number as u64));
        operation.constant(&hit, reduced);
        table.constant(&hit, code);
    }

    // Outcomes that are true; `cmpn` prefers the number.
    let mut cond = RowField::new("cond", 5);
    let best = steps.that(|s| s.is_last_of("sel"));
    for (code, outcomes) in OUTCOMES {
        let hit = wire("condition_is", p.condition.is(code) & !&p.math);
        cond.constant(&hit, outcomes.into());
        if matches!(code, 4 | 5) {
            cond.constant(&(hit & &best), Cond::NAN_B.into());
        }
    }
    // The condition of `sel` is the instruction's.
    steps.tell(&mut cond, |s| if s.name == "sel" { Want::default() } else { s.word.alu.cond });

    let mut rounding = RowField::new("round", 2);
    for (hit, mode) in
        [(w.is("rndu"), round::UP), (w.is("rndd"), round::DOWN), (w.is("rndz") | &truncates, round::ZERO)]
    {
        rounding.constant(&hit, mode);
    }
    steps.tell(&mut rounding, |s| s.word.alu.round);

    let orders = wire("order_of_two", compares | &chooses);
    let order_signed = &a.kind.signed | (!a.kind.is_ud() & &b.kind.signed);
    let [_, _, field_signed] = third_types(w);
    let signed_a = any_of(&[
        w.any(&["asr", "fbh", "add", "mul"]) & &a.kind.signed,
        orders & &order_signed,
        w.is("bfe") & field_signed,
        steps.that(|s| s.word.alu.op.value == op::SHIFT_RIGHT) & order_signed,
    ]);
    // Signs of operands of steps: none of those that have been kept, but for minus.
    let kept = wire("signless_a", p.steps.a_is_kept());
    let own_second = steps.that(|s| s.format == Format::Two && s.a() == Some(1));
    let one_of_three = steps.that(|s| s.format == Format::Three && s.a() == Some(0));
    let sign_a = |of: fn(&ThirdSource) -> &Expr, own: [&Expr; 2]| {
        let [first, second] = own;
        let other = own_second.mux(second, first);
        let third = one_of_three.mux(of(&p.t[0]), of(&p.t[1]));
        p.three.mux(&third, &other) & !&kept
    };
    // A sign that a step has by itself; it inverts that of a source of the instruction.
    let negative = steps.that(|s| s.word.alu.neg_a.value != 0 && s.a().is_none());
    let inverse = steps.that(|s| s.word.alu.neg_a.value != 0 && s.a().is_some());
    let neg_a = (sign_a(|t| &t.neg, [&a.neg, &b.neg]) | negative) ^ inverse;
    let abs_a = sign_a(|t| &t.abs, [&a.abs, &b.abs]) | steps.that(|s| s.word.alu.abs_a.value != 0);
    let no_sign = steps.that(|s| matches!(s.format, Format::Two | Format::Three) && s.b().is_none());
    let y_of_three = steps.that(|s| s.format == Format::Three && s.b() == Some(1));
    let sign_b = |of: fn(&ThirdSource) -> &Expr, own: &Expr| {
        p.three.mux(&y_of_three.mux(of(&p.t[1]), of(&p.t[2])), &(&p.two & own)) & !&no_sign
    };
    let subtracts = steps.that(|s| s.word.alu.neg_b.value != 0);
    let counts = w.is("cbit") & !&a.number;
    let wide = wire("wide_product", p.wide_product());
    let to_half = w.is("f32to16");
    let denormals = wire("denormals_count", steps.that(|s| s.word.alu.flush == Want::is(0u64)));
    UopControl {
        op: operation.take(),
        signed_a,
        signed_b: all_of(&[b.kind.signed.clone(), !wide, !steps.that(|s| s.word.alu.op.value == op::ADD)]),
        high: zero(1),
        accumulate: zero(1),
        sat: (&p.saturate & !truncates) | w.is("lzd"),
        neg_a,
        abs_a,
        neg_b: any_of(&[sign_b(|t| &t.neg, &b.neg), counts, subtracts]),
        abs_b: sign_b(|t| &t.abs, &b.abs),
        neg_c: &p.three & &p.t[0].neg,
        abs_c: &p.three & &p.t[0].abs,
        shift: zero(5),
        count: lit(2, count::MOD_32),
        reverse: finds,
        table: table.take(),
        table_2: zero(4),
        cond: cond.take() ^ cat([&w.is("cmpn"), &zero(4)]),
        float: (compares & float) | steps.that(|s| s.word.alu.float.value != 0),
        half_a: w.is("f16to32"),
        half_b: zero(1),
        half_c: zero(1),
        flush: !&denormals,
        tiny: lit(2, tiny::FLUSH_ROUNDED) & (!&denormals).repeat(2),
        round: rounding.take(),
        zero_product: zero(1),
        format: lit(2, format::F16) & to_half.repeat(2),
        integral: rounds | steps.that(|s| s.word.alu.integral.value != 0),
        from: cat([&(&moves & &a.kind.signed), &lit(2, 2)]),
        to: cat([&dst.kind.signed, &!&dst.kind.word, &dst.kind.word]),
    }
}
