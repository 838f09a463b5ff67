//! Integer rows: arithmetic, shifts, comparisons, conversions, bit fields.

use super::{cut, integers, value, Row};

/// All integer types.
pub const TYPES: [&str; 8] = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"];

fn row(
    name: String, operand: &'static str, result: &'static str, text: impl Into<String>,
    expected: impl Fn(i128, i128) -> i128 + 'static,
) -> Row {
    let seed = name.bytes().fold(7, |s: u64, b| s.wrapping_mul(31).wrapping_add(b.into()));
    Row {
        operands: integers(operand, seed),
        name,
        operand,
        result,
        text: text.into(),
        expected: Box::new(move |a, b| expected(value(operand, a), value(operand, b)) as u64),
        max_ulp: 0,
    }
}

fn wide(ty: &str) -> &'static str {
    if ty.ends_with("64") {
        "u64"
    } else {
        "u32"
    }
}

fn bits(ty: &str) -> u32 {
    ty[1..].parse().unwrap_or(32)
}

/// The rows of one type.
pub fn rows(ty: &'static str) -> Vec<Row> {
    let w = wide(ty);
    let mask = i128::from(bits(ty) - 1);
    let b = bits(ty);
    let mut rows = vec![
        row(format!("add_{ty}"), ty, ty, format!("({w})a + ({w})b"), |a, b| a.wrapping_add(b)),
        row(format!("sub_{ty}"), ty, ty, format!("({w})a - ({w})b"), |a, b| a.wrapping_sub(b)),
        row(format!("mul_{ty}"), ty, ty, format!("({w})a * ({w})b"), |a, b| a.wrapping_mul(b)),
        row(format!("mad_{ty}"), ty, ty, format!("({w})a * ({w})b + ({w})a"), |a, b| a.wrapping_mul(b).wrapping_add(a)),
        row(format!("and_{ty}"), ty, ty, "a & b", |a, b| a & b),
        row(format!("or_{ty}"), ty, ty, "a | b", |a, b| a | b),
        row(format!("xor_{ty}"), ty, ty, "a ^ b", |a, b| a ^ b),
        row(format!("not_{ty}"), ty, ty, "~a", |a, _| !a),
        row(format!("neg_{ty}"), ty, ty, format!("0 - ({w})a"), |a, _| -a),
        row(format!("div_{ty}"), ty, ty, format!("div_{ty}(a, b)"), |a, b| if b == 0 { a } else { a / b }),
        row(format!("rem_{ty}"), ty, ty, format!("rem_{ty}(a, b)"), |a, b| if b == 0 { 7 } else { a % b }),
        row(format!("shl_{ty}"), ty, ty, format!("({w})a << ((u32)b & {mask})"), move |a, b| a << (b & mask)),
        row(format!("shr_{ty}"), ty, ty, format!("a >> ((u32)b & {mask})"), move |a, b| a >> (b & mask)),
        row(format!("min_{ty}"), ty, ty, "a < b ? a : b", |a, b| a.min(b)),
        row(format!("max_{ty}"), ty, ty, "a > b ? a : b", |a, b| a.max(b)),
        row(format!("select_{ty}"), ty, ty, "a == b ? (a) : a < b ? b : ~a", |a, b| match a.cmp(&b) {
            std::cmp::Ordering::Equal => a,
            std::cmp::Ordering::Less => b,
            std::cmp::Ordering::Greater => !a,
        }),
        row(format!("upper_{ty}"), ty, ty, upper(ty), move |a, c| match b {
            64 => ((a as u128).wrapping_mul(c as u128) >> 64) as i128,
            _ => (a * c) >> b,
        }),
    ];
    for (name, op) in [("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">="), ("eq", "=="), ("ne", "!=")] {
        let holds = move |a: i128, b: i128| {
            i128::from(match op {
                "<" => a < b,
                "<=" => a <= b,
                ">" => a > b,
                ">=" => a >= b,
                "==" => a == b,
                _ => a != b,
            })
        };
        rows.push(row(format!("{name}_{ty}"), ty, "i32", format!("a {op} b"), holds));
        rows.push(row(
            format!("if_{name}_{ty}"),
            ty,
            "u32",
            format!("a {op} b ? 3u : left[i] {op} 5 ? 10u : 20u"),
            move |a, b| match (holds(a, b), holds(a, 5)) {
                (1, _) => 3,
                (_, 1) => 10,
                _ => 20,
            },
        ));
    }
    for d in [3u64, 7, 10, 25, 100, 127] {
        let d2 = i128::from(d);
        rows.push(row(format!("div_{ty}_by_{d}"), ty, ty, format!("a / {d}"), move |a, _| a / d2));
        rows.push(row(format!("rem_{ty}_by_{d}"), ty, ty, format!("a % {d}"), move |a, _| a % d2));
    }
    for d in [2i128, 16, 64] {
        rows.push(row(format!("div_{ty}_by_{d}"), ty, ty, format!("a / {d}"), move |a, _| a / d));
        rows.push(row(format!("rem_{ty}_by_{d}"), ty, ty, format!("a % {d}"), move |a, _| a % d));
        rows.push(row(format!("mul_{ty}_by_{d}"), ty, ty, format!("({w})a * {}", d * 5 + 1), move |a, _| {
            a * (d * 5 + 1)
        }));
    }
    for k in [1, b / 2 - 1, b / 2, b - 1] {
        rows.push(row(format!("shl_{ty}_{k}"), ty, ty, format!("({w})a << {k}"), move |a, _| a << k));
        rows.push(row(format!("shr_{ty}_{k}"), ty, ty, format!("a >> {k}"), move |a, _| a >> k));
    }
    for to in TYPES {
        rows.push(row(format!("{ty}_to_{to}"), ty, to, format!("({to})a"), |a, _| a));
        // The value is used at both widths: what conversions share must not spoil either.
        rows.push(row(format!("{ty}_through_{to}"), ty, "i64", format!("(i64)({to})a + (i64)a"), move |a, _| {
            value(to, cut(to, a as u64)) + a
        }));
    }
    rows
}

/// The upper half of a product.
fn upper(ty: &str) -> String {
    match ty {
        "i64" => "__mul64hi(a, b)".into(),
        "u64" => "__umul64hi(a, b)".into(),
        _ => {
            let double = if ty.starts_with('i') { "i64" } else { "u64" };
            format!("(({double})a * ({double})b) >> {}", bits(ty))
        }
    }
}

/// Rows of 32 bits alone: 24-bit products, rotations, counts, bytes, bit fields.
pub fn words() -> Vec<Row> {
    let low = |x: i128| (x << 104) >> 104;
    let word = |x: i128| x as u32;
    let mut rows = vec![
        row("mul24".into(), "i32", "i32", "__mul24(a, b)", move |a, b| low(a) * low(b)),
        row("umul24".into(), "u32", "u32", "__umul24(a, b)", |a, b| (a & 0xff_ffff) * (b & 0xff_ffff)),
        row("mad24".into(), "u32", "u32", "__umul24(a, b) + b", |a, b| (a & 0xff_ffff) * (b & 0xff_ffff) + b),
        row("mulhi".into(), "i32", "i32", "__mulhi(a, b)", |a, b| (a * b) >> 32),
        row("umulhi".into(), "u32", "u32", "__umulhi(a, b)", |a, b| (a * b) >> 32),
        row("wide_i32".into(), "i32", "i64", "(i64)a * b", |a, b| a * b),
        row("wide_u32".into(), "u32", "u64", "(u64)a * b", |a, b| a * b),
        row("wide_i16".into(), "i16", "i32", "a * b", |a, b| a * b),
        row("wide_u16".into(), "u16", "u32", "(u32)a * b", |a, b| a * b),
        row("wide_mad".into(), "i32", "i64", "(i64)a * b + (i64)a", |a, b| a * b + a),
        row("turn".into(), "u32", "u32", "turn(a, b)", move |a, b| word(a).rotate_left(word(b) & 31).into()),
        row("turn_7".into(), "u32", "u32", "a << 7 | a >> 25", move |a, _| word(a).rotate_left(7).into()),
        row("swap".into(), "u32", "u32", "swap(a)", move |a, _| word(a).swap_bytes().into()),
        row("ones".into(), "u32", "u32", "ones(a)", move |a, _| word(a).count_ones().into()),
        row("zeros".into(), "u32", "u32", "__clz(a)", move |a, _| word(a).leading_zeros().into()),
        row("first".into(), "u32", "u32", "__ffs(a)", move |a, _| match word(a) {
            0 => 0,
            w => (w.trailing_zeros() + 1).into(),
        }),
        row("reverse".into(), "u32", "u32", "__brev(a)", move |a, _| word(a).reverse_bits().into()),
        row("distance".into(), "i32", "i32", "distance(a)", |a, _| a.abs()),
        row("sad".into(), "u32", "u32", "a < b ? b - a : a - b", |a, b| (a - b).abs()),
        row("logic".into(), "u32", "u32", "(a & b) | (~a & 0x55aa55aau)", |a, b| (a & b) | (!a & 0x55aa_55aa)),
        row("avg".into(), "u32", "u32", "(a & b) + ((a ^ b) >> 1)", |a, b| (a & b) + ((a ^ b) >> 1)),
        row("short_circuit".into(), "i32", "i32", "(a > 3 && b < 9) || (a == b && b)", |a, b| {
            i128::from((a > 3 && b < 9) || (a == b && b != 0))
        }),
        row("ones_64".into(), "u64", "i32", "__popcll(a)", |a, _| (a as u64).count_ones().into()),
        row("zeros_64".into(), "u64", "i32", "__clzll(a)", |a, _| (a as u64).leading_zeros().into()),
        row("reverse_64".into(), "u64", "u64", "__brevll(a)", |a, _| (a as u64).reverse_bits().into()),
        row("permute".into(), "u32", "u32", "__byte_perm(a, b, 0x5240)", move |a, b| {
            let bytes = [word(a).to_le_bytes(), word(b).to_le_bytes()].concat();
            u32::from_le_bytes([bytes[0], bytes[4], bytes[2], bytes[5]]).into()
        }),
    ];
    for (at, width) in [(0u32, 1u32), (3, 5), (7, 9), (8, 8), (16, 16), (11, 21), (0, 31), (31, 1)] {
        let mask = (1i128 << width) - 1;
        let name = format!("{at}_{width}");
        let layout = |ty: &str| {
            let before = if at > 0 { format!("u32 before : {at};") } else { String::new() };
            let after = match 32 - at - width {
                0 => String::new(),
                rest => format!("u32 after : {rest};"),
            };
            format!("struct {{ {before} {ty} field : {width}; {after} }}")
        };
        let get = |ty: &str| {
            format!("[&] {{ union {{ u32 word; {} bits; }} x; x.word = a; return x.bits.field; }}()", layout(ty))
        };
        rows.push(row(format!("extract_u_{name}"), "u32", "u32", get("u32"), move |a, _| (a >> at) & mask));
        rows.push(row(format!("extract_i_{name}"), "u32", "i32", get("i32"), move |a, _| {
            (((a >> at) & mask) << (128 - width)) >> (128 - width)
        }));
        rows.push(row(
            format!("insert_{name}"),
            "u32",
            "u32",
            format!(
                "[&] {{ union {{ u32 word; {} bits; }} x; x.word = a; x.bits.field = b; return x.word; }}()",
                layout("u32")
            ),
            move |a, b| (a & !(mask << at)) | ((b & mask) << at),
        ));
    }
    rows
}
