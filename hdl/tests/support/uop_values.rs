//! Rows of conformance/fermi/values.txt as micro-operations: mnemonic and modifiers of the text, registers of both sides.

use super::uop_reference::{Operands, Uop};
use std::collections::HashMap;
use warpsmith_conformance as conformance;
use warpsmith_hdl::sm::control::int_format;
use warpsmith_hdl::sm::control::uop::{count, format, op, tiny};

/// What a row says.
pub struct Row {
    pub uop: Uop,
    pub operands: Operands,
    pub y: Option<u32>,
    pub q: Option<u32>,
}

/// A source as the text writes it.
struct Source<'a> {
    name: &'a str,
    minus: bool,
    abs: bool,
}

impl<'a> Source<'a> {
    fn of(text: &'a str) -> Self {
        let minus = text.starts_with(['-', '~', '!']);
        let rest = text.trim_start_matches(['-', '~', '!']);
        let abs = rest.starts_with('|');
        let name = rest.trim_matches('|');
        Source { name, minus, abs }
    }
}

/// `R2=1 P0=1` as numbers; `None` where a register is a pair.
fn values(text: &str) -> Option<HashMap<&str, u32>> {
    let pair = |(name, hex)| Some((name, u32::from_str_radix(hex, 16).ok()?));
    conformance::values(text).map(pair).collect()
}

/// Outcomes of a condition by its name.
fn condition(name: &str) -> Option<u64> {
    let plain = ["F", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM"];
    let at = |n: &str| plain.iter().position(|p| *p == n).map(|i| i as u64);
    match name {
        "T" => Some(31),
        "NAN" => Some(24),
        _ => at(name).or_else(|| Some(at(name.strip_suffix('U')?)? | 24)),
    }
}

/// The truth table of a logic function.
fn logic(name: &str) -> Option<u64> {
    let tables = [("AND", 8), ("OR", 14), ("XOR", 6), ("PASS_B", 12)];
    tables.iter().find(|t| t.0 == name).map(|t| t.1)
}

/// An integer format by its name.
fn integer(name: &str) -> Option<u64> {
    let bits: usize = name.strip_prefix(['U', 'S'])?.parse().ok()?;
    (bits <= 32).then(|| int_format::code(name.starts_with('S'), bits))
}

/// The micro-operation of a row; `None` for a form that the lane has not, or without registers.
pub fn row(form: &str, text: &str, before: &str, after: &str) -> Option<Row> {
    if !(form.ends_with("_R") || form.ends_with("_RR")) || form.contains("64") {
        return None;
    }
    let (instruction, list) = text.split_once(' ')?;
    let mut modifiers: Vec<&str> = instruction.split('.').collect();
    let mnemonic = modifiers.remove(0);
    let has = |name: &str| modifiers.contains(&name);
    let (before, after) = (values(before)?, values(after)?);

    let listed: Vec<Source> = list.split(", ").map(Source::of).collect();
    let results = listed.iter().take_while(|s| matches!(s.name, "R0" | "P0" | "P1"));
    let sources = &listed[results.count()..];
    let none = Source::of("RZ");
    let src = |n: usize| sources.get(n).unwrap_or(&none);
    let value = |s: &Source| before.get(s.name).copied().unwrap_or(0);

    let round = ["", "RM", "RP", "RZ"];
    let to_integral = ["", "FLOOR", "CEIL", "TRUNC"];
    let mode = (1..4).find(|i| has(round[*i]) || has(to_integral[*i]));
    let flush = has("FTZ") || has("FMZ");
    let types: Vec<u64> = modifiers.iter().filter_map(|m| integer(m)).collect();
    let signed = |n: usize| types.get(n).is_none_or(|t| t & 4 != 0);
    let code = match mnemonic {
        "FADD" => op::FADD,
        "FMUL" => op::FMUL,
        "FFMA" => op::FMA,
        "FCMP" | "ICMP" => op::COMPARE_SELECT,
        "FSETP" | "ISETP" => op::COMPARE,
        "FMNMX" | "IMNMX" => op::MINMAX,
        "F2F" => op::F2F,
        "F2I" => op::F2I,
        "I2F" => op::I2F,
        "I2I" => op::CONVERT,
        "IADD" | "ISCADD" => op::ADD,
        "IMUL" | "IMAD" => op::MUL,
        "SHL" => op::SHIFT_LEFT,
        "SHR" => op::SHIFT_RIGHT,
        "LOP" => op::LOGIC,
        "BFE" => op::EXTRACT,
        "BFI" => op::INSERT,
        "POPC" => op::COUNT,
        "FLO" => op::FIND,
        "SEL" => op::SELECT,
        _ => return None,
    };
    let float = mnemonic.starts_with('F');
    let conversion = matches!(code, op::F2F | op::F2I | op::I2F | op::CONVERT);
    let uop = Uop {
        op: code,
        signed_a: signed(0),
        signed_b: signed(1),
        high: has("HI"),
        accumulate: mnemonic == "IMAD",
        sat: has("SAT"),
        neg_a: src(0).minus || has("PO"),
        abs_a: src(0).abs,
        neg_b: src(1).minus || has("PO"),
        abs_b: src(1).abs,
        neg_c: src(2).minus || has("PO"),
        abs_c: src(2).abs,
        shift: match mnemonic {
            "ISCADD" => u64::from_str_radix(src(2).name.trim_start_matches("0x"), 16).ok()?,
            _ => 0,
        },
        count: if has("W") { count::MOD_32 } else { count::ALL },
        reverse: has("BREV") || has("SH"),
        table: modifiers.iter().find_map(|m| logic(m)).unwrap_or(0),
        cond: modifiers.iter().find_map(|m| condition(m)).unwrap_or(0),
        float,
        flush,
        tiny: if flush { tiny::FLUSH_ROUNDED } else { tiny::KEEP },
        round: mode.unwrap_or(0) as u64,
        zero_product: has("FMZ"),
        format: if has("F16") { format::F16 } else { format::F32 },
        integral: has("ROUND"),
        from: if conversion { *types.last().unwrap_or(&0) } else { 0 },
        to: *types.first().unwrap_or(&0),
        ..Uop::default()
    };
    // A predicate source stands behind the others.
    let p1 = match sources.last() {
        Some(s) if s.name == "PT" => !s.minus,
        Some(s) if s.name.starts_with('P') => (value(s) == 1) != s.minus,
        _ => false,
    };
    let operands = Operands { a: value(src(0)), b: value(src(1)), c: value(src(2)), d: 0, p: p1.into() };
    let q = after.get("P0").map(|q1| q1 | after.get("P1").unwrap_or(&0) << 1);
    Some(Row { uop, operands, y: after.get("R0").copied(), q })
}
