//! The functions of chapter 6.12 of the standard.

use super::{Function, Type};

/// How the forms of a row get their bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// They are written in C.
    Own,
    /// The scalar form is; vectors call it for each element.
    Each,
    /// Scalars beside vectors are widened; the form for vectors alone is another row.
    Wide,
    /// As [`Body::Each`], with a second result through the pointer of the last argument.
    Result,
}
use Body::{Each, Own, Result, Wide};

/// Functions whose types have one form.
struct Row {
    /// Types that G stands for.
    types: &'static [&'static str],
    /// Elements of G.
    widths: &'static [u32],
    /// Names; `#` stands for the width, which scalars leave away.
    names: &'static str,
    /// Result and arguments. G: the type; g: its scalar; S, U: the type of the same size with and without sign; I: `int`;
    /// R: that of a relation, S of vectors and `int` of scalars;
    /// W: that of twice the size; M: G of every width of two or more but 3. A space in front of `:` makes a pointer, `c`
    /// before it one to constant contents; `*`: every space that can be written, `&`: constant contents in every space.
    form: &'static str,
    body: Body,
}

const fn row(
    types: &'static [&'static str], widths: &'static [u32], names: &'static str, form: &'static str, body: Body,
) -> Row {
    Row { types, widths, names, form, body }
}

pub(super) const INTEGERS: &[&str] = &["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"];
pub(super) const TYPES: &[&str] =
    &["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double"];
pub(super) const WIDTHS: &[u32] = &[1, 2, 3, 4, 8, 16];
const FLOAT: &[&str] = &["float"];
const FLOATS: &[&str] = &["float", "double"];
const NONE: &[&str] = &["void"];
const SCALAR: &[u32] = &[1];
const VECTORS: &[u32] = &[2, 3, 4, 8, 16];
const EVEN: &[u32] = &[2, 4, 8, 16];
const SPACE: &[u32] = &[1, 2, 3, 4];
const MODES: [&str; 5] = ["", "_rte", "_rtz", "_rtp", "_rtn"];

const TABLE: &[Row] = &[
    // 6.12.1 Work-items.
    row(NONE, SCALAR, "get_work_dim", "uint", Own),
    row(
        NONE,
        SCALAR,
        "get_global_size get_global_id get_local_size get_local_id get_num_groups get_group_id get_global_offset",
        "size_t uint",
        Own,
    ),
    // 6.12.2 Mathematics.
    row(
        FLOATS,
        WIDTHS,
        "acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erf erfc exp exp2 exp10 expm1 fabs floor \
         lgamma log log2 log10 log1p logb rint round rsqrt sin sinh sinpi sqrt tan tanh tanpi tgamma trunc",
        "G G",
        Each,
    ),
    row(
        FLOAT,
        WIDTHS,
        "half_cos half_exp half_exp2 half_exp10 half_log half_log2 half_log10 half_recip half_rsqrt half_sin half_sqrt half_tan \
         native_cos native_exp native_exp2 native_exp10 native_log native_log2 native_log10 native_recip native_rsqrt native_sin \
         native_sqrt native_tan",
        "G G",
        Each,
    ),
    row(
        FLOATS,
        WIDTHS,
        "atan2 atan2pi copysign fdim fmax fmin fmod hypot maxmag minmag nextafter pow powr remainder",
        "G G G",
        Each,
    ),
    row(FLOAT, WIDTHS, "half_divide half_powr native_divide native_powr", "G G G", Each),
    row(FLOATS, WIDTHS, "fma mad", "G G G G", Each),
    row(FLOATS, VECTORS, "fmax fmin", "G G g", Wide),
    row(FLOATS, WIDTHS, "ilogb", "I G", Each),
    row(FLOATS, WIDTHS, "ldexp pown rootn", "G G I", Each),
    row(FLOATS, VECTORS, "ldexp", "G G int", Wide),
    row(FLOATS, WIDTHS, "nan", "G U", Each),
    row(FLOATS, WIDTHS, "fract modf sincos", "G G *:G", Result),
    row(FLOATS, WIDTHS, "frexp lgamma_r", "G G *:I", Result),
    row(FLOATS, WIDTHS, "remquo", "G G G *:I", Result),
    // 6.12.3 Integers.
    row(INTEGERS, WIDTHS, "abs", "U G", Each),
    row(INTEGERS, WIDTHS, "abs_diff", "U G G", Each),
    row(
        INTEGERS,
        WIDTHS,
        "add_sat hadd max min mul_hi rhadd rotate sub_sat",
        "G G G",
        Each,
    ),
    row(INTEGERS, WIDTHS, "clamp mad_hi mad_sat", "G G G G", Each),
    row(INTEGERS, WIDTHS, "clz popcount", "G G", Each),
    row(INTEGERS, VECTORS, "max min", "G G g", Wide),
    row(INTEGERS, VECTORS, "clamp", "G G g g", Wide),
    row(
        &["char", "uchar", "short", "ushort", "int", "uint"],
        WIDTHS,
        "upsample",
        "W G U",
        Each,
    ),
    row(&["int", "uint"], WIDTHS, "mul24", "G G G", Each),
    row(&["int", "uint"], WIDTHS, "mad24", "G G G G", Each),
    // 6.12.4 Common functions.
    row(FLOATS, WIDTHS, "degrees radians sign", "G G", Each),
    row(FLOATS, WIDTHS, "max min step", "G G G", Each),
    row(FLOATS, WIDTHS, "clamp mix smoothstep", "G G G G", Each),
    row(FLOATS, VECTORS, "max min", "G G g", Wide),
    row(FLOATS, VECTORS, "clamp", "G G g g", Wide),
    row(FLOATS, VECTORS, "mix", "G G G g", Wide),
    row(FLOATS, VECTORS, "step", "G g G", Wide),
    row(FLOATS, VECTORS, "smoothstep", "G g g G", Wide),
    // 6.12.5 Geometry.
    row(FLOATS, &[3, 4], "cross", "G G G", Own),
    row(FLOATS, SPACE, "dot distance", "g G G", Own),
    row(FLOATS, SPACE, "length", "g G", Own),
    row(FLOATS, SPACE, "normalize", "G G", Own),
    row(FLOAT, SPACE, "fast_distance", "g G G", Own),
    row(FLOAT, SPACE, "fast_length", "g G", Own),
    row(FLOAT, SPACE, "fast_normalize", "G G", Own),
    // 6.12.6 Relations.
    row(
        FLOATS,
        WIDTHS,
        "isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isordered isunordered",
        "R G G",
        Own,
    ),
    row(
        FLOATS,
        WIDTHS,
        "isfinite isinf isnan isnormal signbit",
        "R G",
        Own,
    ),
    row(
        &["char", "short", "int", "long"],
        WIDTHS,
        "any all",
        "int G",
        Own,
    ),
    row(TYPES, WIDTHS, "bitselect", "G G G G", Own),
    row(TYPES, WIDTHS, "select", "G G G S", Own),
    row(TYPES, WIDTHS, "select", "G G G U", Own),
    // 6.12.7 Loads and stores of vectors.
    row(TYPES, VECTORS, "vload#", "G size_t &:g", Own),
    row(TYPES, VECTORS, "vstore#", "void G size_t *:g", Own),
    row(FLOAT, WIDTHS, "vload_half#", "G size_t &:half", Own),
    row(FLOAT, VECTORS, "vloada_half#", "G size_t &:half", Own),
    row(FLOATS, WIDTHS, "vstore_half#~", "void G size_t *:half", Own),
    row(FLOATS, VECTORS, "vstorea_half#~", "void G size_t *:half", Own),
    // 6.12.8, 6.12.9 Barriers and fences.
    row(
        NONE,
        SCALAR,
        "barrier mem_fence read_mem_fence write_mem_fence",
        "void uint",
        Own,
    ),
    // 6.12.10 Copies of a group.
    row(
        TYPES,
        WIDTHS,
        "async_work_group_copy",
        "event_t __local:G c__global:G size_t event_t",
        Own,
    ),
    row(
        TYPES,
        WIDTHS,
        "async_work_group_copy",
        "event_t __global:G c__local:G size_t event_t",
        Own,
    ),
    row(
        TYPES,
        WIDTHS,
        "async_work_group_strided_copy",
        "event_t __local:G c__global:G size_t size_t event_t",
        Own,
    ),
    row(
        TYPES,
        WIDTHS,
        "async_work_group_strided_copy",
        "event_t __global:G c__local:G size_t size_t event_t",
        Own,
    ),
    row(
        NONE,
        SCALAR,
        "wait_group_events",
        "void int __private:event_t",
        Own,
    ),
    row(TYPES, WIDTHS, "prefetch", "void c__global:G size_t", Own),
    // 6.12.12 Elements in another order.
    row(TYPES, EVEN, "shuffle", "G M U", Own),
    row(TYPES, EVEN, "shuffle2", "G M M U", Own),
];

/// The integer type of the same size.
pub(super) fn integer(ty: &str, signed: bool) -> &'static str {
    let pairs = [("char", "uchar"), ("short", "ushort"), ("int", "uint"), ("long", "ulong")];
    let found = pairs.iter().find(|(s, u)| ty == *s || ty == *u);
    let (s, u) = found.unwrap_or(&pairs[if ty == "double" { 3 } else { 2 }]);
    match signed {
        true => s,
        false => u,
    }
}

/// The integer type of twice the size.
fn twice(ty: &str) -> &'static str {
    let at = INTEGERS.iter().position(|t| *t == ty).unwrap_or(0);
    INTEGERS[(at + 2).min(INTEGERS.len() - 1)]
}

/// A type of a form; `other` is the width of M.
fn value(token: &'static str, ty: &'static str, width: u32, other: u32) -> Type {
    let (element, width) = match token {
        "G" => (ty, width),
        "g" => (ty, 1),
        "M" => (ty, other),
        "R" if width == 1 => ("int", 1),
        "I" => ("int", width),
        "S" | "R" => (integer(ty, true), width),
        "U" => (integer(ty, false), width),
        "W" => (twice(ty), width),
        word => (word, 1),
    };
    Type { element, width, space: None, constant: false }
}

/// All forms of a row's types with their bodies.
fn expand(row: &'static Row) -> Vec<(Function, Body)> {
    let tokens: Vec<&'static str> = row.form.split(' ').collect();
    let spaces: &[&'static str] = match row.form {
        f if f.contains('&') => &["__global", "__local", "__private", "__constant"],
        f if f.contains('*') => &["__global", "__local", "__private"],
        _ => &[""],
    };
    let others = if row.form.contains('M') { EVEN } else { SCALAR };
    let mut out = Vec::new();
    for name in row.names.split_whitespace() {
        let modes = if name.ends_with('~') { &MODES[..] } else { &MODES[..1] };
        for ty in row.types {
            for &width in row.widths {
                for &space in spaces {
                    for &other in others {
                        for mode in modes {
                            let of = |token: &&'static str| match token.split_once(':') {
                                None => value(token, ty, width, other),
                                Some((at, token)) => Type {
                                    space: Some(match at.trim_start_matches('c') {
                                        "*" | "&" => space,
                                        named => named,
                                    }),
                                    constant: at.starts_with(['c', '&']),
                                    ..value(token, ty, width, other)
                                },
                            };
                            let number = match width {
                                1 => String::new(),
                                n => n.to_string(),
                            };
                            let function = Function {
                                name: name.replace('#', &number).replace('~', mode),
                                result: of(&tokens[0]),
                                args: tokens[1..].iter().map(of).collect(),
                                scalar: (row.body != Own).then(|| name.to_string()),
                            };
                            // Their scalar forms are C.
                            let body = match (row.body, width) {
                                (Each | Result, 1) => Own,
                                (body, _) => body,
                            };
                            out.push((function, body));
                        }
                    }
                }
            }
        }
    }
    out
}

/// Every form of every function but the conversions, in the order of the table.
pub(super) fn forms() -> impl Iterator<Item = (Function, Body)> {
    TABLE.iter().flat_map(expand)
}
