//! Output of clang: the place of the first error, and the files it read.

use crate::error::CompileError;
use std::path::{Path, PathBuf};

/// The error of a compilation that failed: place and text of clang's first error, then all it printed.
pub(super) fn error(source: &Path, printed: &str) -> CompileError {
    let first =
        printed.lines().find_map(|l| [": fatal error: ", ": error: "].iter().find_map(|kind| l.split_once(kind)));
    // Errors of its back end have no place, and a plea for a report behind them.
    let backend = printed.lines().find_map(|l| l.strip_prefix("fatal error: error in backend: "));
    if let Some(message) = backend {
        return CompileError {
            file: source.display().to_string(),
            line: None,
            message: format!("clang cannot compile this: {message}; another version of clang may (--clang PATH)"),
        };
    }
    let Some((place, message)) = first else {
        return CompileError {
            file: source.display().to_string(),
            line: None,
            message: format!("clang failed: {}", printed.trim()),
        };
    };
    // FILE:LINE:COLUMN, or the name of the program for errors of the command line.
    let mut parts = place.rsplitn(3, ':');
    let column = parts.next().and_then(|c| c.parse::<u32>().ok());
    let line = parts.next().and_then(|l| l.parse::<u32>().ok());
    let file = match (column, line, parts.next()) {
        (Some(_), Some(_), Some(file)) => file.to_string(),
        _ => source.display().to_string(),
    };
    let advice = advice(message).map_or_else(String::new, |a| format!(": {a}"));
    CompileError { file, line, message: format!("{message}{advice}\n{}", printed.trim_end()) }
}

/// Headers of libraries that come with CUDA, and of windows, as they begin.
const LIBRARIES: [&str; 17] = [
    "thrust/", "cub/", "cuda/", "cublas", "cufft", "curand", "cusparse", "cusolver", "cudnn", "npp", "nvml",
    "nvToolsExt", "cuda_fp16", "cuda_bf16", "mma.h", "GL/", "cudaGL",
];

/// Advice for a library that is not there.
const NO_LIBRARY: &str = "this library is not there for SM 1.0: write out what the kernels take from it";

/// Advice for a header that was not found.
pub(super) fn missing_header(name: &str) -> &'static str {
    match LIBRARIES.iter().any(|l| name.starts_with(l)) {
        true => NO_LIBRARY,
        false => "-I names a folder with headers",
    }
}

/// Advice for clang's errors on programs for newer GPUs.
pub(super) fn advice(message: &str) -> Option<&'static str> {
    let quoted = message.split('\'').nth(1).unwrap_or("");
    if message.contains("file not found") {
        Some(missing_header(quoted))
    } else if message.contains("reference to __global__ function") {
        Some("a kernel cannot launch another one on SM 1.0: let the launch do it")
    } else if message.contains("variable-length array") {
        Some("give the array a constant length")
    } else if message.contains("undeclared identifier") && ["cuda", "thrust", "cub"].contains(&quoted) {
        Some(NO_LIBRARY)
    } else if message.contains("undeclared identifier 'cuda") {
        Some("CUDA's functions are there for the host side; kernels have none of this name")
    } else {
        None
    }
}

/// Files of a make rule that clang wrote with `-MD`, without those in `headers` and clang's own.
pub(super) fn dependencies(source: &Path, rule: &str, headers: &Path) -> Vec<PathBuf> {
    let mut files = vec![source.to_path_buf()];
    let list = rule.split_once(": ").map_or("", |(_, list)| list);
    for path in words(list).into_iter().map(PathBuf::from) {
        if path != source && !path.starts_with(headers) && !files.contains(&path) {
            files.push(path);
        }
    }
    files
}

/// Words of a make rule: separated by blanks, `\` in front of a blank or `#` taken away, `$$` a dollar.
fn words(list: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut word = String::new();
    let mut chars = list.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some('\n')) => {
                chars.next();
            }
            ('\\', Some(&(' ' | '#'))) | ('$', Some('$')) => word.extend(chars.next()),
            (' ' | '\t' | '\n', _) => {
                if !word.is_empty() {
                    out.push(std::mem::take(&mut word));
                }
            }
            _ => word.push(c),
        }
    }
    if !word.is_empty() {
        out.push(word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_of_the_first_error() {
        let e = error(
            Path::new("k.cu"),
            "In file included from k.cu:1:\n./a.h:7:3: error: expected ';'\n  x\n  ^\n1 error generated.\n",
        );
        assert_eq!((e.file.as_str(), e.line), ("./a.h", Some(7)));
        assert!(e.message.starts_with("expected ';'\nIn file"));
        let e = error(Path::new("k.cu"), "clang: error: unsupported option\n");
        assert_eq!((e.file.as_str(), e.line), ("k.cu", None));
        let e = error(
            Path::new("k.cu"),
            "clang: error: failed with exit code 70\nfatal error: error in backend: no such thing\nPLEASE submit\n",
        );
        assert!(e.message.contains("no such thing") && !e.message.contains("PLEASE"));
        let e = error(Path::new("k.cu"), "Segmentation fault");
        assert!(e.message.contains("Segmentation fault"));
    }

    #[test]
    fn what_newer_gpus_have_gets_advice() {
        for (printed, says) in [
            ("k.cu:1:10: fatal error: 'thrust/sort.h' file not found", "write out"),
            ("k.cu:1:10: fatal error: 'my.h' file not found", "-I names"),
            ("k.cu:2:3: error: reference to __global__ function 'c' in __global__ function", "let the launch do it"),
            ("k.cu:9:3: error: use of undeclared identifier 'cudaNew'", "the host side"),
            ("k.cu:9:3: error: use of undeclared identifier 'cuda'", "write out"),
            ("k.cu:9:3: error: variable-length array in a kernel", "a constant length"),
        ] {
            let e = error(Path::new("k.cu"), printed);
            let first = e.message.lines().next().unwrap_or("");
            assert!(first.contains(says), "{e}");
        }
        let e = error(Path::new("k.cu"), "k.cu:1:1: error: expected ';'");
        assert!(e.message.starts_with("expected ';'\n"));
    }

    #[test]
    fn dependencies_of_a_make_rule() {
        let rule = "-: my\\ k.cu \\\n  /h/cuda/x.h a.h \\\n a.h b$$c.h\n";
        let files = dependencies(Path::new("my k.cu"), rule, Path::new("/h"));
        let names: Vec<_> = files.iter().map(|f| f.to_str().unwrap()).collect();
        assert_eq!(names, ["my k.cu", "a.h", "b$c.h"]);
        assert_eq!(dependencies(Path::new("k"), "", Path::new("/h")).len(), 1);
    }
}
