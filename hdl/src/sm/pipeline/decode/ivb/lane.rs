//! What the lane does.

use super::super::row_field::RowField;
use super::parts::{Parts, ROUNDINGS};
use super::region::{third_types, ThirdSource};
use crate::rtl::prelude::*;
use crate::sm::control::uop::{count, format, op, tiny, UopControl, ROOT};
use crate::sm::control::{function, round};
use warpsmith_isa::ivb::table::names::FUNCTIONS;
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
    let of = |those: &[(&str, &[usize])]| steps.any(those);
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
        (of(&[("sqrt", &[1, 3, 4]), ("fdiv", &[1]), ("lrp", &[1, 2])]), op::FMUL),
        (of(&[("sqrt", &[2, 5]), ("pow", &[4])]), op::FMA),
        (of(&[("sqrt", &[6])]), op::COMPARE_SELECT),
        (of(&[("pow", &[0, 1]), ("best", &[2])]), op::CHOOSE),
        (of(&[("pow", &[2]), ("avg", &[0, 2])]), op::LOGIC),
        (of(&[("pow", &[5])]), op::RRO_EX2),
        (of(&[("frc", &[0]), ("best", &[0, 1])]), op::F2F),
        (of(&[("frc", &[1]), ("lrp", &[0, 3])]), op::FADD),
        (of(&[("avg", &[1])]), op::SHIFT_RIGHT),
        (of(&[("avg", &[3])]), op::ADD),
        (w.is("sel") & !&p.conditional, op::SELECT),
        (finds.clone(), op::FIND),
        (w.is("cbit"), op::COUNT),
    ] {
        operation.constant(&hit, code);
    }
    for (name, truth) in [("not", 0b0101), ("and", 0b1000), ("or", 0b1110), ("xor", 0b0110), ("bfi2", 0b1100)] {
        operation.constant(&w.is(name), op::LOGIC);
        table.constant(&w.is(name), truth);
    }
    for (hit, value) in [
        (of(&[("sqrt", &[0])]), function::RSQ | ROOT),
        (of(&[("fdiv", &[0])]), function::RCP),
        (of(&[("pow", &[3])]), function::LG2),
        (of(&[("pow", &[5])]), function::EX2),
        (of(&[("pow", &[2])]), 0b1000),
        (of(&[("avg", &[0])]), 0b0110),
        (of(&[("avg", &[2])]), 0b1110),
    ] {
        table.constant(&hit, value);
    }
    for (name, code, reduced) in SPECIAL {
        let number = FUNCTIONS.iter().position(|f| *f == name).unwrap_or_else(|| panic!("a function {name}"));
        let hit = wire(&format!("f_is_{name}"), &p.math & p.condition.is(number as u64));
        operation.constant(&hit, reduced);
        table.constant(&hit, code);
    }

    // Outcomes that are true; `cmpn` prefers the number.
    let mut cond = RowField::new("cond", 5);
    for (code, outcomes) in OUTCOMES {
        let hit = wire("condition_is", p.condition.is(code) & !&p.math);
        cond.constant(&hit, outcomes.into());
        if matches!(code, 4 | 5) {
            cond.constant(&(hit & of(&[("best", &[2])])), Cond::NAN_B.into());
        }
    }
    for (hit, outcomes) in [
        (of(&[("pow", &[0])]), Cond::LESS),
        (of(&[("pow", &[1])]), Cond::EQUAL),
        (of(&[("sqrt", &[6])]), Cond::LESS | Cond::EQUAL | Cond::GREATER),
    ] {
        cond.constant(&hit, outcomes.into());
    }

    let mut rounding = RowField::new("round", 2);
    for (hit, mode) in [
        (w.is("rndu"), round::UP),
        (w.is("rndd") | of(&[("frc", &[0])]), round::DOWN),
        (any_of(&[w.is("rndz"), truncates.clone(), of(&[("frc", &[1])])]), round::ZERO),
    ] {
        rounding.constant(&hit, mode);
    }

    let orders = wire("order_of_two", compares | &chooses);
    let order_signed = &a.kind.signed | (!a.kind.is_ud() & &b.kind.signed);
    let [_, _, field_signed] = third_types(w);
    let signed_a = any_of(&[
        w.any(&["asr", "fbh", "add", "mul"]) & &a.kind.signed,
        orders & &order_signed,
        w.is("bfe") & field_signed,
        of(&[("avg", &[1])]) & order_signed,
    ]);
    // Signs of operands of steps: none of those that have been kept, but for minus.
    let kept = wire("signless_a", p.steps.a_is_kept());
    let own_second = of(&[("best", &[1])]);
    let one_of_three = of(&[("lrp", &[0, 2])]);
    let sign_a = |of: fn(&ThirdSource) -> &Expr, own: [&Expr; 2]| {
        let [first, second] = own;
        let other = own_second.mux(second, first);
        let third = one_of_three.mux(of(&p.t[0]), of(&p.t[1]));
        p.three.mux(&third, &other) & !&kept
    };
    let negative = of(&[("sqrt", &[2])]);
    let less = of(&[("lrp", &[0])]);
    let neg_a = (sign_a(|t| &t.neg, [&a.neg, &b.neg]) | negative) ^ less;
    let abs_a = sign_a(|t| &t.abs, [&a.abs, &b.abs]) | of(&[("pow", &[3])]);
    let no_sign = of(&[("frc", &[1]), ("lrp", &[0, 3]), ("avg", &[1, 3]), ("best", &[2])]);
    let y_of_blend = of(&[("lrp", &[2])]);
    let sign_b = |of: fn(&ThirdSource) -> &Expr, own: &Expr| {
        p.three.mux(&y_of_blend.mux(of(&p.t[1]), of(&p.t[2])), &(&p.two & own)) & !&no_sign
    };
    let subtracts = of(&[("frc", &[1]), ("avg", &[3])]);
    let counts = w.is("cbit") & !&a.number;
    let wide = wire("wide_product", p.wide_product());
    let to_half = w.is("f32to16");
    let denormals = wire("denormals_count", of(&[("sqrt", &[2, 3])]));
    UopControl {
        op: operation.take(),
        signed_a,
        signed_b: all_of(&[b.kind.signed.clone(), !wide, !of(&[("avg", &[3])])]),
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
        float: (compares & float) | of(&[("sqrt", &[6]), ("best", &[2])]),
        half_a: w.is("f16to32"),
        half_b: zero(1),
        half_c: zero(1),
        flush: !&denormals,
        tiny: lit(2, tiny::FLUSH_ROUNDED) & (!&denormals).repeat(2),
        round: rounding.take(),
        zero_product: zero(1),
        format: lit(2, format::F16) & to_half.repeat(2),
        integral: rounds | of(&[("frc", &[0])]),
        from: cat([&(&moves & &a.kind.signed), &lit(2, 2)]),
        to: cat([&dst.kind.signed, &!&dst.kind.word, &dst.kind.word]),
    }
}
