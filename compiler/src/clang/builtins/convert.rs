//! `convert_TYPE`: every pair of types, every width, with and without saturation, every rounding.
//!
//! Floats become integers by `_rtz`, other conversions to floats are by `_rte`, unless the name says otherwise.

use super::table::{INTEGERS, TYPES, WIDTHS};
use super::vectors::each;
use super::{Function, Type};
use std::fmt::Write as _;

const MODES: [&str; 5] = ["", "_rte", "_rtz", "_rtp", "_rtn"];

/// A conversion: result, source, saturation, rounding, width.
type Conversion = (&'static str, &'static str, &'static str, &'static str, u32);

fn all() -> impl Iterator<Item = Conversion> {
    TYPES.iter().flat_map(|to| {
        // Floats hold the value of every integer as it is rounded.
        let sats: &[&str] = if is_float(to) { &[""] } else { &["", "_sat"] };
        TYPES.iter().flat_map(move |from| {
            sats.iter().flat_map(move |sat| {
                MODES.iter().flat_map(move |mode| WIDTHS.iter().map(move |n| (*to, *from, *sat, *mode, *n)))
            })
        })
    })
}

/// Whether a type is one of floats.
fn is_float(ty: &str) -> bool {
    matches!(ty, "float" | "double")
}

fn function((to, from, sat, mode, width): Conversion) -> Function {
    let of = |element| Type { element, width, space: None, constant: false };
    let (result, source) = (of(to), of(from));
    Function {
        name: format!("convert_{result}{sat}{mode}"),
        result,
        args: vec![source],
        scalar: Some(format!("convert_{to}{sat}{mode}")),
    }
}

/// All conversions.
pub(super) fn functions() -> impl Iterator<Item = Function> {
    all().map(function)
}

/// Whether a type has negative values, and the bits of its values.
fn range(ty: &str) -> (bool, u32) {
    let at = INTEGERS.iter().position(|t| *t == ty).unwrap_or(0);
    (at % 2 == 0, 8 << (at / 2))
}

/// Smallest or largest value of an integer type, as C.
fn limit(ty: &str, largest: bool) -> String {
    let word = match ty {
        "char" => "SCHAR",
        "uchar" => "UCHAR",
        "short" => "SHRT",
        "ushort" => "USHRT",
        "int" => "INT",
        "uint" => "UINT",
        "long" => "LONG",
        _ => "ULONG",
    };
    match (largest, range(ty).0) {
        (true, _) => format!("{word}_MAX"),
        (false, true) => format!("{word}_MIN"),
        (false, false) => "0".into(),
    }
}

/// A scalar `x` converted, from or to a double.
fn scalar_double(to: &str, from: &str, sat: bool, mode: &str) -> String {
    let nearest = matches!(mode, "" | "_rte");
    match (to, from) {
        ("double", "double") => "x".into(),
        ("float", _) if !nearest => format!("__ws_float{mode}(x)"),
        ("double", "long" | "ulong") if !nearest => format!("__ws_double{mode}(x)"),
        ("double" | "float", _) => format!("({to})x"),
        _ => {
            let mode = if mode.is_empty() { "_rtz" } else { mode };
            match (sat, mode) {
                (true, _) => format!("x != x ? 0 : __ws_{to}{mode}(x)"),
                (false, "_rtz") => format!("({to})x"),
                (false, _) => format!("__ws_{to}{mode}(x)"),
            }
        }
    }
}

/// A scalar `x` converted.
fn scalar(to: &str, from: &str, sat: bool, mode: &str) -> String {
    if to == "double" || from == "double" {
        return scalar_double(to, from, sat, mode);
    }
    if from == "float" {
        if to == "float" {
            return "x".into();
        }
        let whole = match mode {
            "_rte" => "rint(x)",
            "_rtp" => "ceil(x)",
            "_rtn" => "floor(x)",
            _ => "x",
        };
        return match sat {
            true => format!("__ws_sat_{to}({whole})"),
            false => format!("({to}){whole}"),
        };
    }
    let (signed, bits) = range(from);
    if to == "float" {
        return match mode {
            "_rtz" | "_rtp" | "_rtn" if bits >= 32 => format!("__ws_float{mode}(x)"),
            _ => "(float)x".into(),
        };
    }
    let (to_signed, to_bits) = range(to);
    let mut value = format!("({to})x");
    // Bits of the largest values.
    let (own, wanted) = (bits - u32::from(signed), to_bits - u32::from(to_signed));
    if sat && own > wanted {
        let most = limit(to, true);
        value = format!("x > {most} ? {most} : {value}");
    }
    if sat && signed && (!to_signed || bits > to_bits) {
        let least = limit(to, false);
        value = format!("x < {least} ? {least} : {value}");
    }
    value
}

/// Whether C converts whole vectors so.
fn is_plain(to: &str, from: &str, sat: &str, mode: &str) -> bool {
    sat.is_empty()
        && match (to, from) {
            ("float", "float") | ("double", "double" | "float") => true,
            ("float", "double") => matches!(mode, "" | "_rte"),
            ("double", from) => range(from).1 < 64 || matches!(mode, "" | "_rte"),
            ("float", from) => range(from).1 < 32 || matches!(mode, "" | "_rte"),
            (_, "float" | "double") => matches!(mode, "" | "_rtz"),
            _ => true,
        }
}

/// Their bodies.
pub(super) fn text(out: &mut String) {
    for c in all() {
        let (to, from, sat, mode, width) = c;
        let f = function(c);
        let head = format!("__WS_F {} {}({} x) ", f.result, f.name, f.args[0]);
        if width == 1 {
            let value = scalar(to, from, !sat.is_empty(), mode);
            let _ = writeln!(out, "{head}{{ return {value}; }}");
        } else if is_plain(to, from, sat, mode) {
            let _ = writeln!(out, "{head}{{ return __builtin_convertvector(x, {}); }}", f.result);
        } else {
            elements(out, &f, to, sat, mode);
        }
    }
}

/// Element by element: the names of the parts have the parts' widths.
fn elements(out: &mut String, f: &Function, to: &str, sat: &str, mode: &str) {
    let name = |n: u32| match n {
        1 => format!("convert_{to}{sat}{mode}"),
        n => format!("convert_{to}{n}{sat}{mode}"),
    };
    let part = match f.result.width {
        n @ (8 | 16) => name(n / 2),
        _ => name(1),
    };
    let mut body = String::new();
    each(&mut body, &Function { name: part.clone(), ..f.clone() });
    // Its own name, and the calls of the parts'.
    out.push_str(&body.replacen(&format!(" {part}("), &format!(" {}(", f.name), 1));
}
