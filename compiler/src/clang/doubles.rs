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

/// True where a module of LLVM's intermediate language has doubles beside declarations and notes.
pub(super) fn are_in_module(text: &str) -> bool {
    text.lines().any(|l| !l.starts_with(['!', '@']) && !l.starts_with("declare") && l.contains("double"))
}

#[cfg(test)]
mod tests {
    use super::{are_in, are_in_module};

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
