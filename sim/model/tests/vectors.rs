//! The arithmetic of the G80 bit for bit: 84 operations, 300 results each, and flags (conformance/sm10/arithmetic.txt).

use warpsmith_isa::{AddKind, FloatType, IntType, LogicOp, MulKind, Round, SfuFn, Width};
use warpsmith_model::num::{convert, float, int, rro, sfu};

/// Result and, where the row's flag column means something, flags.
fn evaluate(op: &str, x: &[u32]) -> (u32, Option<u8>) {
    let parts: Vec<&str> = op.split('.').collect();
    let has = |p: &str| parts.contains(&p);
    let signed = parts.iter().any(|p| p.starts_with('S') && p[1..].parse::<u8>().is_ok());
    let width = if has("U16") || has("S16") || op == "SHL16" { Width::W16 } else { Width::W32 };
    let round = if has("rz") || has("rzi") {
        Round::Zero
    } else if has("rm") || has("rmi") {
        Round::Down
    } else if has("rp") || has("rpi") {
        Round::Up
    } else {
        Round::Nearest
    };
    let kind = if has("subr") {
        AddKind::Subr
    } else if has("sub") {
        AddKind::Sub
    } else if has("addc") {
        AddKind::Addc
    } else {
        AddKind::Add
    };
    let with = |(r, f): (u32, u8)| (r, Some(f));
    let f = |r: u32| (r, Some(float::flags(r)));
    let i = |r: u32| (r, Some(int::flags32(r)));
    let int_type = if signed { IntType::S32 } else { IntType::U32 };
    let mul = match (has("HI"), has("U16") || has("S16"), signed) {
        (true, _, false) => MulKind::HiU24,
        (true, _, true) => MulKind::HiS24,
        (false, true, false) => MulKind::U16,
        (false, true, true) => MulKind::S16,
        (false, false, false) => MulKind::U24,
        (false, false, true) => MulKind::S24,
    };
    match parts[0] {
        "FADD" => f(float::add(x[0], x[1], round)),
        "FMUL" => f(float::mul(x[0], x[1], round)),
        "FMAD" => f(float::mad(x[0], x[1], x[2])),
        "FMAX" => f(float::min_max(true, x[0], x[1])),
        "FMIN" => f(float::min_max(false, x[0], x[1])),
        // The column counts greater 0, equal 1, less 2, unordered 3.
        "FSET" => ([2, 1, 0, 3][float::relation(x[0], x[1]) as usize], None),
        "F2F" => f(convert::f2f(x[0], FloatType::F32, FloatType::F32, round, has("rint"), false, false, false)),
        "F2I" => (convert::f2i(x[0], FloatType::F32, int_type, round, false, false), None),
        "I2F" => (convert::i2f(x[0], int_type, FloatType::F32, round, false, false, false), None),
        "RCP" => (sfu::apply(SfuFn::Rcp, x[0]), None),
        "RSQ" => (sfu::apply(SfuFn::Rsq, x[0]), None),
        "LG2" => (sfu::apply(SfuFn::Lg2, x[0]), None),
        "SIN" => (sfu::apply(SfuFn::Sin, x[0]), None),
        "COS" => (sfu::apply(SfuFn::Cos, x[0]), None),
        "EX2" => (sfu::apply(SfuFn::Ex2, x[0]), None),
        "RRO" if has("SIN") => (rro::sin(x[0]), None),
        "RRO" => (rro::ex2(x[0]), None),
        "IADD" if width == Width::W16 => with(int::add16(kind, x[0], x[1], x[2] != 0, has("sat"))),
        "IADD" => with(int::add32(kind, x[0], x[1], x[2] != 0, has("sat"))),
        "IMUL" => i(int::mul_kind(mul, x[0], x[1])),
        "IMAD" => with(int::add32(AddKind::Add, int::mul_kind(mul, x[0], x[1]), x[2], false, false)),
        "ISAD" => with(int::sad(width, signed, x[0], x[1], x[2])),
        "ISET" => with(int::set(1, width, signed, x[0], x[1])),
        "IMAX" => with(int::min_max(true, width, signed, x[0], x[1])),
        "IMIN" => with(int::min_max(false, width, signed, x[0], x[1])),
        "SHL32" | "SHL16" => with(int::shift(false, false, width, x[0], x[1])),
        "SHR" => with(int::shift(true, signed, width, x[0], x[1])),
        "LOP" => {
            let op = match parts[1] {
                "AND" => LogicOp::And,
                "OR" => LogicOp::Or,
                "XOR" => LogicOp::Xor,
                _ => LogicOp::PassB,
            };
            with(int::logic(op, false, has("not2"), Width::W32, x[0], x[1]))
        }
        other => panic!("no evaluation for {other}"),
    }
}

#[test]
fn every_vector_gives_the_hardware_result_and_flags() {
    let mut checked = 0;
    let mut wrong = Vec::new();
    for op in warpsmith_conformance::arithmetic() {
        for want in op.results {
            let x = &want.operands;
            let (r, flags) = evaluate(&op.name, x);
            checked += 1;
            let found = flags.map(u32::from);
            let flags_differ = found.is_some() && want.flags.is_some() && found != want.flags;
            if r != want.result || flags_differ {
                wrong.push(format!(
                    "{} {x:08x?}: model {r:08x} {flags:x?}, hardware {:08x} {:x?}",
                    op.name, want.result, want.flags
                ));
            }
        }
    }
    let first: Vec<&String> = wrong.iter().take(20).collect();
    assert!(wrong.is_empty(), "{} of {checked} differ, first: {first:#?}", wrong.len());
    assert_eq!(checked, 25_200, "the file has 84 operations of 300 rows");
}
