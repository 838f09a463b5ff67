//! Kernels by the names of their sources: C++ compilers write `saxpy(int, float)` as `_Z5saxpyif`.

use crate::error::{CompileError, NO_KERNEL};
use cpp_demangle::{DemangleOptions, Symbol};

/// The name as the source has it, with namespaces and template arguments, without parameters.
pub fn readable(symbol: &str) -> String {
    demangled(symbol).map_or_else(|| symbol.to_string(), |s| without_types(&s))
}

/// Name and template arguments as the demangler writes them.
fn demangled(symbol: &str) -> Option<String> {
    let options = DemangleOptions::new().no_params().no_return_type();
    Some(symbol)
        .filter(|s| s.starts_with("_Z"))
        .and_then(|s| Symbol::new(s).ok())
        .and_then(|s| s.demangle(&options).ok())
}

/// Template arguments that are numbers as one writes them: `f<(unsigned int)8, (bool)1>` as `f<8, true>`.
fn without_types(name: &str) -> String {
    let mut out = name.replace("(bool)1", "true").replace("(bool)0", "false");
    for t in [
        "unsigned int", "unsigned long", "unsigned long long", "unsigned short", "unsigned char", "int", "long",
        "long long", "short", "char", "signed char",
    ] {
        out = out.replace(&format!("({t})"), "");
    }
    out
}

/// Types of the parameters as C++ writes them into a symbol: `int`, `float const*`; `None` where the
/// symbol says nothing about them, as in C.
pub fn parameter_types(symbol: &str) -> Option<Vec<String>> {
    let options = DemangleOptions::new().no_return_type();
    let full = Symbol::new(symbol).ok()?.demangle(&options).ok()?;
    let list = full.strip_prefix(demangled(symbol)?.as_str())?;
    let list = list.strip_prefix('(')?.strip_suffix(')')?;
    let mut types = vec![String::new()];
    let mut depth = 0i32;
    for c in list.chars() {
        match c {
            '(' | '<' | '[' => depth += 1,
            ')' | '>' | ']' => depth -= 1,
            _ => {}
        }
        match types.last_mut() {
            Some(last) if c != ',' || depth > 0 => last.push(c),
            _ => types.push(String::new()),
        }
    }
    let types: Vec<String> = types.iter().map(|t| t.trim().to_string()).collect();
    Some(match &types[..] {
        [only] if only.is_empty() || only == "void" => Vec::new(),
        _ => types,
    })
}

/// Picks a kernel: by its symbol, or by its source name in full, without namespaces, without template
/// arguments; without a wish the only one.
///
/// # Errors
/// No kernel has the name: the message lists the nearest name and all kernels. Several have it: the message lists all.
pub fn choose<'a>(symbols: &'a [String], wanted: Option<&str>, file: &str) -> Result<&'a str, CompileError> {
    let fail = |message: String| CompileError { file: file.to_string(), line: None, message };
    let list = |names: &[&String]| {
        let mut names: Vec<String> = names.iter().map(|s| readable(s)).collect();
        names.sort();
        names.join(", ")
    };
    let all: Vec<&String> = symbols.iter().collect();
    let Some(wanted) = wanted else {
        return match symbols {
            [one] => Ok(one),
            [] if file.ends_with(".ptx") => Err(fail(NO_KERNEL.into())),
            [] => Err(fail(
                "there is no kernel in it: a kernel is a `__global__ void` function (CUDA C; a template only where something calls it) or a `__kernel void` function (OpenCL C)"
                    .into(),
            )),
            _ => Err(fail(format!(
                "it holds several kernels, name one: {}",
                list(&all)
            ))),
        };
    };
    let wanted = wanted.trim();
    if let Some(s) = symbols.iter().find(|s| *s == wanted) {
        return Ok(s);
    }
    let compact = |s: &str| s.replace(' ', "");
    let found: Vec<&String> = symbols
        .iter()
        .filter(|s| {
            let full = compact(&readable(s));
            let base = without_arguments(&full);
            let inner = |s: &str| without_namespaces(s).to_string();
            [inner(&full), inner(&base), full, base].contains(&compact(wanted))
        })
        .collect();
    match found[..] {
        [one] => Ok(one),
        [] if symbols.is_empty() => Err(fail(format!("there is no kernel `{wanted}` in it, and no other"))),
        [] => {
            let near = symbols
                .iter()
                .map(|s| readable(s))
                .max_by(|a, b| {
                    let near = |s: &str| strsim::jaro_winkler(&without_arguments(s), wanted);
                    near(a).total_cmp(&near(b))
                })
                .unwrap_or_default();
            Err(fail(format!("there is no kernel `{wanted}` in it; the nearest is `{near}`; it holds: {}", list(&all))))
        }
        _ => Err(fail(format!("`{wanted}` is the name of several kernels, say which: {}", list(&found)))),
    }
}

/// True where a wish, as [`choose`] takes it, names an instance of the function `name`, whatever its namespace.
pub(crate) fn means(wanted: &str, name: &str) -> bool {
    without_namespaces(&without_arguments(&readable(wanted.trim()))) == name
}

/// `foo::bar<int>` as `foo::bar`.
fn without_arguments(name: &str) -> String {
    let mut depth = 0u32;
    let mut out = String::new();
    for c in name.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out.trim_end().to_string()
}

/// `foo::bar<a::b>` as `bar<a::b>`.
fn without_namespaces(name: &str) -> &str {
    let end = name.find('<').unwrap_or(name.len());
    match name[..end].rfind("::") {
        Some(at) => &name[at + 2..],
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_template_arguments_have_no_types() {
        assert_eq!(readable("_Z7reduce6IiLj512ELb1EEvPT_S1_j"), "reduce6<int, 512, true>");
        assert_eq!(parameter_types("_Z7reduce6IiLj512ELb1EEvPT_S1_j").map(|t| t.len()), Some(3));
    }

    fn symbols() -> Vec<String> {
        ["_Z5saxpyifPfS_", "_ZN3foo3barEP6float4", "_Z5scaleIfEvPT_S0_", "_Z5scaleIiEvPT_S0_", "plain"]
            .map(String::from)
            .to_vec()
    }

    #[test]
    fn source_names_find_symbols() {
        let s = symbols();
        for (wanted, symbol) in [
            ("saxpy", 0),
            ("_Z5saxpyifPfS_", 0),
            ("foo::bar", 1),
            ("bar", 1),
            ("scale<float>", 2),
            ("scale< int >", 3),
            ("plain", 4),
        ] {
            assert_eq!(choose(&s, Some(wanted), "k.cu").unwrap(), s[symbol]);
        }
        assert_eq!(choose(&s[..1], None, "k.cu").unwrap(), s[0]);
    }

    #[test]
    fn wrong_names_are_answered_with_names() {
        let s = symbols();
        let say = |wanted| choose(&s, wanted, "k.cu").unwrap_err().to_string();
        assert!(say(Some("saxby")).contains("the nearest is `saxpy`"));
        assert!(say(Some("scale")).contains("say which: scale<float>, scale<int>"));
        assert!(say(None).contains("name one: foo::bar, plain, saxpy"));
        let none = choose(&[], None, "k.cu").unwrap_err().to_string();
        assert!(none.contains("__global__"), "{none}");
        assert!(choose(&[], Some("x"), "k.cu").is_err());
    }

    #[test]
    fn symbols_say_what_parameters_are() {
        let types = |s| parameter_types(s).map(|t| t.join("; "));
        let of = |t: &str| Some(t.to_string());
        assert_eq!(types("_Z5saxpyifPKfPf"), of("int; float; float const*; float*"));
        assert_eq!(types("_ZN3foo3barEP6float4"), of("float4*"));
        assert_eq!(types("_Z5scaleIfEvPT_S0_"), of("float*; float"));
        assert_eq!(types("_Z1kv"), of(""));
        assert_eq!(types("_Z1k4PairIiiE"), of("Pair<int, int>"));
        assert_eq!(types("plain"), None);
    }

    #[test]
    fn wishes_name_functions() {
        for wanted in ["scale", "foo::scale", " scale<a::b> ", "_Z5scaleIfEvPT_S0_"] {
            assert!(means(wanted, "scale"), "{wanted}");
        }
        assert!(!means("scaled", "scale") && !means("scale::bar", "scale"));
    }

    #[test]
    fn odd_symbols_stay_as_they_are() {
        for s in ["", "_Z", "_Z99x", "$f", "_ZN", "é"] {
            assert_eq!(readable(s), s);
        }
    }
}
