//! Bodies of vectors that follow from those of scalars.

use super::{Function, Type};
use std::fmt::Write as _;

/// Names of the elements.
const ELEMENTS: [&str; 16] =
    ["s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "sa", "sb", "sc", "sd", "se", "sf"];

/// `__WS_F float2 fmin(float2 a0, float2 a1)`
fn head(out: &mut String, f: &Function) {
    let args = f.args.iter().enumerate().map(|(n, a)| format!("{a} a{n}"));
    let args = args.collect::<Vec<_>>().join(", ");
    let _ = write!(out, "__WS_F {} {}({args}) ", f.result, f.name);
}

/// `a0.lo, a1.lo`: a part of each argument.
fn parts(args: &[Type], part: &str) -> String {
    let list = (0..args.len()).map(|n| format!("a{n}.{part}"));
    list.collect::<Vec<_>>().join(", ")
}

/// Element by element; wide vectors by their halves.
pub(super) fn each(out: &mut String, f: &Function) {
    let width = f.result.width;
    let pieces: &[&str] = match width {
        8 | 16 => &["lo", "hi"],
        n => &ELEMENTS[..n as usize],
    };
    let calls = pieces.iter().map(|p| format!("{}({})", f.name, parts(&f.args, p)));
    head(out, f);
    let calls = calls.collect::<Vec<_>>().join(", ");
    let _ = writeln!(out, "{{ return ({})({calls}); }}", f.result);
}

/// Scalars widened.
pub(super) fn wide(out: &mut String, f: &Function) {
    let width = f.result.width;
    let args = f.args.iter().enumerate().map(|(n, a)| match a.width {
        1 => format!("({}{width})(a{n})", a.element),
        _ => format!("a{n}"),
    });
    let args = args.collect::<Vec<_>>().join(", ");
    head(out, f);
    let _ = writeln!(out, "{{ return {}({args}); }}", f.name);
}

/// Element by element, with a second result through the last argument.
pub(super) fn second_result(out: &mut String, f: &Function) {
    let Some((pointer, values)) = f.args.split_last() else { return };
    let (second, last) = (pointer.value(), values.len());
    head(out, f);
    let _ = write!(out, "{{ {} r; {second} s; {} t;", f.result, pointer.element);
    for e in &ELEMENTS[..f.result.width as usize] {
        let args = parts(values, e);
        let _ = write!(out, " r.{e} = {}({args}, &t); s.{e} = t;", f.name);
    }
    let _ = writeln!(out, " *a{last} = s; return r; }}");
}
