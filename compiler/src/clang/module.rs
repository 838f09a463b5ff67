//! OpenCL C compiled without linking, and programs made of several such modules.
//!
//! A module is LLVM's text form as clang's front end writes it, with the built-in functions that it calls: its macros,
//! types, options and `static` names are its own. clang links modules by itself.

use super::{
    builtins, dependencies, doubles, flags, internal, library, names, of_whole, rule, signature, without_dots,
};
use super::{Clang, ClangOptions, Language, Ptx};
use crate::error::CompileError;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

/// Linkages of definitions that others do not see, or that may be there more than once.
const OWN: [&str; 8] =
    ["internal", "private", "available_externally", "linkonce", "linkonce_odr", "weak", "weak_odr", "appending"];

/// Functions and variables of a module that others see.
#[derive(Debug, Default, PartialEq, Eq)]
struct Symbols {
    defined: Vec<String>,
    missing: Vec<String>,
}

/// `@name` or `@"name"` at the first `@` of a line.
fn symbol(line: &str) -> Option<String> {
    let behind = line.split_once('@')?.1;
    match behind.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => behind.split(['(', ' ', ',']).next(),
    }
    .map(String::from)
}

fn symbols(module: &str) -> Symbols {
    let mut s = Symbols::default();
    for line in module.lines() {
        let own = |words: &str| words.split(' ').any(|w| OWN.contains(&w));
        let (words, defined) = if let Some(function) = line.strip_prefix("define ") {
            (function.split('@').next().unwrap_or(""), true)
        } else if line.starts_with("declare ") {
            ("", false)
        } else if let Some((_, value)) = line.strip_prefix('@').and_then(|l| l.split_once(" = ")) {
            let head = value.split(" addrspace").next().unwrap_or("");
            (head, !head.split(' ').any(|w| w == "external"))
        } else {
            continue;
        };
        let Some(name) = symbol(line).filter(|n| !n.starts_with("llvm.")) else { continue };
        match defined {
            true if !own(words) => s.defined.push(name),
            false => s.missing.push(name),
            _ => {}
        }
    }
    s
}

/// Checks that modules define every symbol once, and, of a `whole` program, that none is missing.
///
/// # Errors
/// A line for each symbol.
pub fn check(modules: &[&str], whole: bool) -> Result<(), String> {
    let all: Vec<Symbols> = modules.iter().map(|m| symbols(m)).collect();
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for name in all.iter().flat_map(|s| &s.defined) {
        *counts.entry(name).or_default() += 1;
    }
    let twice = counts.iter().filter(|(_, n)| **n > 1);
    let mut wrong: Vec<String> =
        twice.map(|(name, n)| format!("`{}` is defined in {n} of the programs", names::readable(name))).collect();
    // What the device lacks is refused with its line where a kernel calls it.
    let refused = |name: &str| {
        let name = names::readable(name);
        let name = name.split('(').next().unwrap_or("");
        name.starts_with("__ws_") || builtins::is_refused(name)
    };
    let mut missing: Vec<&String> = all.iter().flat_map(|s| &s.missing).collect();
    missing.sort();
    missing.dedup();
    missing.retain(|n| whole && !counts.contains_key(n.as_str()) && !refused(n));
    wrong.extend(missing.iter().map(|name| {
        let name = names::readable(name);
        format!("`{name}` is used and defined in none of the programs")
    }));
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("\n")),
    }
}

impl Clang {
    /// Compiles a `.cl` file without linking: its module in the place of PTX.
    ///
    /// # Errors
    /// As [`Clang::compile`].
    pub fn module(&self, source: &Path, options: &ClangOptions) -> Result<Ptx, CompileError> {
        let ptx = match self.module_once(source, options) {
            Ok(ptx) => ptx,
            Err(first) => {
                let again = options.again(&Err(first.clone()), source, Language::OpenCl).ok_or(first.clone())?;
                return self.module_once(source, &again).map_err(|_| first);
            }
        };
        if options.doubles || !doubles::are_in_module(&ptx.text) {
            return Ok(ptx);
        }
        self.module_once(source, &ClangOptions { doubles: true, ..options.clone() })
    }

    /// [`Clang::module`], with doubles or without.
    pub(super) fn module_once(&self, source: &Path, options: &ClangOptions) -> Result<Ptx, CompileError> {
        let headers = self.prepared(source, Language::OpenCl, options)?;
        let mut arguments = flags::flags(self, Language::OpenCl, options, headers.path());
        arguments.extend(library::linked(self, &headers, options)?);
        arguments.extend(internal::FRONT.map(OsString::from));
        arguments.push(signature::ARGUMENTS.into());
        let depends = headers.path().join("depends");
        arguments.extend(rule(&depends));
        let (text, warnings) = self.run(source, &headers, &arguments, source)?;
        let files = dependencies(source, &depends, &headers);
        Ok(Ptx { text, warnings, files, ..Ptx::default() })
    }

    /// PTX of a program made of modules; `name`: the program's in messages. Rounding and effort of the code are those of
    /// `options`.
    ///
    /// # Errors
    /// A symbol that is defined twice or not at all, and what clang says of a module that is none.
    pub fn link(&self, name: &str, modules: &[&str], options: &ClangOptions) -> Result<String, CompileError> {
        let name = Path::new(name);
        let fail = |message: String| of_whole(name, message);
        check(modules, true).map_err(fail)?;
        let headers = self.prepared(name, Language::OpenCl, options)?;
        let write = |file: &str, bytes: &[u8]| {
            let path = headers.path().join(file);
            std::fs::write(&path, bytes).map_err(|e| fail(format!("cannot write {}: {e}", path.display())))?;
            Ok(path)
        };
        let mut arguments = [flags::module(), flags::back(options)].concat();
        let mut first = None;
        for (n, module) in modules.iter().enumerate() {
            let text = write(&format!("{n}.ll"), module.as_bytes())?;
            if n == 0 {
                first = Some(text);
                continue;
            }
            // Only bitcode is linked.
            let mut to_bitcode = flags::module();
            to_bitcode.extend(internal::FRONT[1..].iter().map(OsString::from));
            to_bitcode.push("-c".into());
            let bitcode = self.output(name, &headers, &to_bitcode, &text)?.0;
            let file = write(&format!("{n}.bc"), &bitcode)?;
            arguments.extend(["-Xclang", "-mlink-bitcode-file", "-Xclang"].map(OsString::from));
            arguments.push(file.into());
        }
        let first = first.ok_or_else(|| fail("nothing to link".into()))?;
        let (text, _) = self.selected(name, &headers, &arguments, &first, options)?;
        Ok(without_dots(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::{check, symbols, Symbols};

    const ONE: &str = "\
@table = dso_local addrspace(4) constant [2 x i32] [i32 1, i32 2], align 4
@hidden = internal addrspace(4) constant i32 3
@far = external dso_local addrspace(4) constant i32
define dso_local i32 @f(i32 %0) #0 {
  %2 = call i32 @g(i32 %0)
}
define internal i32 @own(i32 %0) {
declare dso_local i32 @g(i32) #1
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @_Z10atomic_addPU3AS1Vii(ptr addrspace(1), i32)
";

    #[test]
    fn symbols_that_others_see() {
        let list = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let found = symbols(ONE);
        let atomic = "_Z10atomic_addPU3AS1Vii";
        assert_eq!(found, Symbols { defined: list(&["table", "f"]), missing: list(&["far", "g", atomic]) });
    }

    #[test]
    fn symbols_are_defined_once() {
        let other = "define i32 @g(i32 %0) {\n@far = addrspace(4) constant i32 1\n";
        assert_eq!(check(&[ONE, other], true), Ok(()));
        assert_eq!(check(&[ONE], false), Ok(()));
        let e = check(&[ONE], true).unwrap_err();
        assert!(e.contains("`far` is used") && e.contains("`g` is used"), "{e}");
        let e = check(&[ONE, other, other], true).unwrap_err();
        assert!(e.contains("`g` is defined in 2"), "{e}");
    }
}
