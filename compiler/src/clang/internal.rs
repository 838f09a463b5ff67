//! Variables with internal linkage that the host sets: clang takes `static` variables and those of
//! namespaces without a name for zeros where no kernel writes to them; nvcc does not.
//!
//! Their linkage is changed in clang's own intermediate text, between its front and its back end.

use std::ffi::OsString;
use std::path::PathBuf;

/// True where one of the files may declare such a variable.
pub(super) fn may_be_in<'a>(files: impl Iterator<Item = &'a PathBuf>) -> bool {
    let texts = files.filter_map(|f| std::fs::read(f).ok());
    texts.map(|t| String::from_utf8_lossy(&t).into_owned()).fold((false, false), |(declared, hidden), t| {
        (declared || declares(&t), hidden || t.contains("static") || t.contains("namespace"))
    }) == (true, true)
}

/// True where a text marks something for the device that is no function.
fn declares(text: &str) -> bool {
    let variable = |behind: &str| {
        let end = behind.find([';', '{', '}', '(', '=', '[']);
        let (front, at) = end.map_or((behind, ""), |e| behind.split_at(e));
        // Attributes of variables have parentheses too.
        !at.starts_with('(') || front.trim_end().ends_with("__") || front.contains("alignas")
    };
    text.contains("__constant__") || text.contains("__managed__") || text.split("__device__").skip(1).any(variable)
}

/// Clang's intermediate text with such variables visible and set from outside; `None` where there
/// are none.
///
/// `constants`: variables in constant memory are marked as constants whether or not the source
/// says `const`.
pub(super) fn made_visible(text: &str, constants: bool) -> Option<String> {
    let mut found = false;
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match visible(line, constants) {
            Some(new) => {
                found = true;
                out.push_str(&new);
            }
            None => out.push_str(line),
        }
    }
    found.then_some(out)
}

fn visible(line: &str, constants: bool) -> Option<String> {
    let (name, behind) = line.strip_prefix('@')?.split_once(" = internal ")?;
    // Variables of functions are out of the host's reach, and initial values of arrays are none.
    let own = ["_ZZ", "__const", ".", "llvm.", "\""];
    if own.iter().any(|p| name.starts_with(p)) {
        return None;
    }
    let space = ["addrspace(1) ", "addrspace(4) "].into_iter().find(|s| behind.starts_with(s))?;
    let kind = &behind[space.len()..];
    if !(kind.starts_with("global ") || constants && kind.starts_with("constant ")) {
        return None;
    }
    Some(format!("@{name} = {space}externally_initialized {kind}"))
}

/// Options that make clang stop behind its front end.
pub(super) const FRONT: [&str; 4] = ["-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes"];

/// Options that make clang go on from there.
pub(super) fn back(strict_fp: bool) -> Vec<OsString> {
    // Options of the language do not count any more: products and sums may become one operation.
    let fused = if strict_fp { "0" } else { "2" };
    let mut f = vec!["-mllvm".into(), format!("-nvptx-fma-level={fused}").into()];
    let machine = [
        "-x", "ir", "-target", "nvptx-nvidia-cuda", "-Xclang", "-target-cpu", "-Xclang", "sm_20",
        "-Wno-override-module", "-Wno-unused-command-line-argument", "-Wno-unknown-cuda-version",
    ];
    f.extend(machine.map(OsString::from));
    f
}

#[cfg(test)]
mod tests {
    use super::{declares, made_visible};

    #[test]
    fn variables_are_told_from_functions() {
        for text in [
            "static __constant__ float t[4];",
            "static __device__ int n;",
            "static __device__ S s = {1};",
            "__device__ static __align__(8) float2 v;",
            "__device__ alignas(16) int v[4];",
        ] {
            assert!(declares(text), "{text}");
        }
        for text in [
            "static __device__ inline int f(int x) { return x; }",
            "__host__ __device__ V operator+(V a, V b);",
            "static __shared__ int s[4];",
            "",
        ] {
            assert!(!declares(text), "{text}");
        }
    }

    #[test]
    fn only_what_the_host_may_set_becomes_visible() {
        let text = "@_ZL1a = internal addrspace(4) global [4 x float] zeroinitializer, align 4\n\
            @_ZZ1kvE1s = internal addrspace(3) global i32 undef\n\
            @_ZZ1kvE1c = internal addrspace(4) global i32 3\n\
            @_ZL1t = internal addrspace(4) constant i32 3\n\
            @_ZL1n = internal addrspace(1) global i32 0\n\
            define internal void @f()\n";
        let new = made_visible(text, false).unwrap();
        let lines: Vec<_> = new.lines().collect();
        assert_eq!(
            lines[0],
            "@_ZL1a = addrspace(4) externally_initialized global [4 x float] zeroinitializer, align 4"
        );
        assert_eq!(lines[4], "@_ZL1n = addrspace(1) externally_initialized global i32 0");
        for n in [1, 2, 3, 5] {
            assert_eq!(lines[n], text.lines().nth(n).unwrap());
        }
        assert!(made_visible(text, true).unwrap().contains("@_ZL1t = addrspace(4) externally_initialized constant"));
        assert_eq!(made_visible("@x = global i32 0\n", true), None);
    }
}
