//! Options of `clBuildProgram` as options of clang and of the compiler.

use std::path::Path;
use warpsmith_compiler::{OptLevel, Options};

/// What the options of a program ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildOptions {
    /// `-D`, `-I`, `-W` and `-cl-std=`, each in one piece.
    pub arguments: Vec<String>,
    /// How to compile.
    pub compiler: Options,
    /// `-cl-kernel-arg-info`.
    pub argument_info: bool,
}

/// Options that allow what is not done, or say what is done anyway.
const WITHOUT_EFFECT: [&str; 8] = [
    "-cl-denorms-are-zero", "-cl-strict-aliasing", "-cl-no-signed-zeros", "-cl-finite-math-only",
    "-cl-uniform-work-group-size", "-g", "-cl-nv-verbose", "-Werror=implicit-function-declaration",
];

/// Options of `clLinkProgram`.
const LINKER: [&str; 8] = [
    "-create-library", "-enable-link-options", "-cl-denorms-are-zero", "-cl-no-signed-zeros", "-cl-no-signed-zeroes",
    "-cl-unsafe-math-optimizations", "-cl-finite-math-only", "-cl-fast-relaxed-math",
];

/// Options with which products and sums become one operation with a truncated product.
const FUSED: [&str; 3] = ["-cl-mad-enable", "-cl-fast-relaxed-math", "-cl-unsafe-math-optimizations"];

impl BuildOptions {
    /// Reads the text of a call.
    ///
    /// # Errors
    /// The option that is not known, or what is wrong with it.
    pub fn parse(text: &str) -> Result<BuildOptions, String> {
        let mut o = BuildOptions::default();
        let mut fused = false;
        let mut words = split(text)?.into_iter();
        while let Some(word) = words.next() {
            let mut separate = || words.next().ok_or(format!("`{word}` needs a value"));
            match word.as_str() {
                "-D" | "-I" | "-U" => {
                    let value = separate()?;
                    o.add(format!("{word}{value}"))?;
                }
                "-w" => o.arguments.push("-Wno-everything".into()),
                "-Werror" | "-cl-single-precision-constant" => o.arguments.push(word),
                "-cl-opt-disable" => o.compiler.level = OptLevel::O0,
                "-cl-kernel-arg-info" => o.argument_info = true,
                w if FUSED.contains(&w) => {
                    fused = true;
                    if w == "-cl-fast-relaxed-math" {
                        o.arguments.push("-D__FAST_RELAXED_MATH__=1".into());
                    }
                }
                w if WITHOUT_EFFECT.contains(&w) => {}
                "-cl-fp32-correctly-rounded-divide-sqrt" => {
                    return Err(format!("`{word}`: division and square root of the chip are not rounded correctly (CL_DEVICE_SINGLE_FP_CONFIG)"));
                }
                w if w.starts_with("-cl-std=") => {
                    if !["CL1.0", "CL1.1", "CL1.2"].contains(&&w[8..]) {
                        return Err(format!("`{word}`: the device has OpenCL C 1.2"));
                    }
                    o.arguments.push(word);
                }
                w if ["-D", "-I", "-U"].iter().any(|p| w.starts_with(p)) => o.add(word)?,
                _ => return Err(format!("`{word}` is no option of OpenCL 1.2")),
            }
        }
        o.compiler.strict_fp = !fused;
        o.compiler.environment = true;
        Ok(o)
    }

    /// Reads the text of `clLinkProgram`: whether it makes a library.
    ///
    /// # Errors
    /// The option that is none of the linker's.
    pub fn parse_link(text: &str) -> Result<bool, String> {
        let words = split(text)?;
        let library = words.iter().any(|w| w == "-create-library");
        for word in &words {
            if !LINKER.contains(&word.as_str()) {
                return Err(format!("`{word}` is no option of clLinkProgram; there are: {}", LINKER.join(", ")));
            }
            if word == "-enable-link-options" && !library {
                return Err(format!("`{word}` goes with -create-library"));
            }
        }
        Ok(library)
    }

    /// A definition or a folder; a folder that is not there is passed over, as compilers do.
    fn add(&mut self, argument: String) -> Result<(), String> {
        if let Some(folder) = argument.strip_prefix("-I") {
            if !Path::new(folder).is_dir() {
                return Ok(());
            }
        }
        match argument.len() > 2 {
            true => self.arguments.push(argument),
            false => return Err(format!("`{argument}` needs a value")),
        }
        Ok(())
    }
}

/// Words between blanks; quotes and backslashes as a shell reads them.
fn split(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(q), _) if c == q => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => {
                let next = chars.next().unwrap_or('\\');
                word.get_or_insert_default().push(next);
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err("a quote is not closed".into());
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_host_programs() {
        let o = BuildOptions::parse(" -D N=4 -DS=\"a b\" -I . -I/nowhere -cl-fast-relaxed-math -w");
        let o = o.unwrap();
        assert_eq!(o.arguments[..3], ["-DN=4", "-DS=a b", "-I."]);
        assert_eq!(o.arguments[4], "-Wno-everything");
        assert!(!o.compiler.strict_fp && o.compiler.environment);
        assert!(o.arguments.len() == 5 && o.arguments[3] == "-D__FAST_RELAXED_MATH__=1");
        assert!(BuildOptions::parse("").unwrap().compiler.strict_fp);
    }

    #[test]
    fn unknown_options_are_refused() {
        for bad in [
            "-foo", "-D", "-cl-std=CL2.0", "-D 'x", "x.cl", "-cl-fp32-correctly-rounded-divide-sqrt", "-create-library",
        ] {
            assert!(BuildOptions::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(BuildOptions::parse_link(""), Ok(false));
        let library = "-create-library -enable-link-options -cl-finite-math-only";
        assert_eq!(BuildOptions::parse_link(library), Ok(true));
        for bad in ["-DN=1", "-cl-std=CL1.2", "-enable-link-options", "\"x"] {
            assert!(BuildOptions::parse_link(bad).is_err(), "{bad}");
        }
    }
}
