//! Whether a program has doubles: constants without suffix are floats in one that has none.

use std::path::Path;

/// True where PTX computes with floats of 64 bits, or loads or stores them. A float is a double also where it is an
/// argument of a function with a variable number of them: it is converted, and stored in local memory.
pub(super) fn are_in(ptx: &str) -> bool {
    ptx.lines().any(|line| {
        let code = line.split("//").next().unwrap_or("");
        let words = code.split_whitespace().find(|w| !w.starts_with('@')).unwrap_or("");
        let passed = ["st.local", "st.param", "ld.param", "mov", ".reg", ".param", ".func"];
        let f64 = words.split('.').any(|p| p == "f64");
        f64 && !passed.iter().any(|p| words.starts_with(p)) && words != "cvt.f64.f32" && words != "cvt.ftz.f64.f32"
            || code.contains("__ws_f64_")
    })
}

/// True where a source has the word `double`.
pub(super) fn are_named_in(source: &Path) -> bool {
    std::fs::read(source).is_ok_and(|text| String::from_utf8_lossy(&text).contains("double"))
}

/// True where a source prints a constant without suffix that no float has.
pub(super) fn are_printed_by(source: &Path) -> bool {
    std::fs::read(source).is_ok_and(|text| are_printed(&String::from_utf8_lossy(&text)))
}

fn are_printed(text: &str) -> bool {
    text.match_indices("printf").any(|(at, name)| {
        let behind = text[at + name.len()..].trim_start();
        behind.starts_with('(') && words_of_call(behind).iter().any(|w| is_wide(w))
    })
}

/// Numbers and names between the parentheses that a text begins with, but in strings.
fn words_of_call(text: &str) -> Vec<String> {
    let (mut words, mut depth, mut quote, mut previous) = (vec![String::new()], 0, None, ' ');
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let word = words.last_mut().expect("there is one");
        match (quote, c) {
            (Some(_), '\\') => drop(chars.next()),
            (Some(q), c) if c == q => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') if depth == 1 => break,
            (None, ')') => depth -= 1,
            (None, c) if c.is_ascii_alphanumeric() || c == '.' || c == '_' => word.push(c),
            (None, '+' | '-') if previous.eq_ignore_ascii_case(&'e') && word.starts_with(is_digit) => word.push(c),
            _ if !word.is_empty() => words.push(String::new()),
            _ => {}
        }
        previous = c;
        if quote.is_some() || c == '(' || c == ')' {
            words.push(String::new());
        }
    }
    words
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || c == '.'
}

/// A floating constant without suffix whose value is none of a float.
fn is_wide(word: &str) -> bool {
    let is_float = word.starts_with(is_digit) && word.contains(['.', 'e', 'E']) && !word.starts_with("0x");
    is_float && word.parse::<f64>().is_ok_and(|v| f64::from(v as f32) != v)
}

/// True where a module of LLVM's intermediate language has doubles beside declarations and notes.
pub(super) fn are_in_module(text: &str) -> bool {
    text.lines().any(|l| !l.starts_with(['!', '@']) && !l.starts_with("declare") && l.contains("double"))
}

#[cfg(test)]
mod tests {
    use super::{are_in, are_in_module, are_printed};

    #[test]
    fn a_printed_constant_that_is_no_float_is_a_double() {
        for call in [
            "printf(\"%e\\n\", 789456123.0)", "printf (\"(\", f(1), .1)", "printf(\"%g\", -1e-300)",
            "printf(\"\\\"%g\", 1e+99)",
        ] {
            assert!(are_printed(call), "{call}");
        }
        for call in [
            "printf(\"0.1\"); x = 0.1;", "printf(\"%g\", 0.5)", "printf(\"%g\", 0.1f)",
            "printf(\"%g\", a0.1e, 17, 0x1e5)", "printf = 0.1", "printf(\"%d\", (1))", "printf(\"%c\", '\\'', 1.0)",
        ] {
            assert!(!are_printed(call), "{call}");
        }
    }

    #[test]
    fn declarations_are_no_doubles_of_a_module() {
        assert!(!are_in_module("declare double @llvm.fabs.f64(double)\n!3 = !{!\"double\"}\n"));
        assert!(are_in_module("  %3 = fmul double %1, %2\n"));
    }

    #[test]
    fn a_float_passed_to_printf_is_none() {
        assert!(!are_in("\t.reg .f64 %fd<2>;\n\tcvt.f64.f32 %fd1, %f1;\n\tst.local.f64 [%SP], %fd1;\n"));
        for ptx in
            ["\tadd.rn.f64 %fd1, %fd2, %fd3;", "\t@%p1 st.global.f64 [%r1], %fd1;", "call.uni (r), __ws_f64_sin,"]
        {
            assert!(are_in(ptx), "{ptx}");
        }
    }
}
