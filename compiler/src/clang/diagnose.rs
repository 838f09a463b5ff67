//! What clang prints: the place of the first error, and the files it read.

use crate::error::CompileError;
use std::path::{Path, PathBuf};

/// The error of a compilation that failed: place and text of clang's first error, then all it printed.
pub(super) fn error(source: &Path, printed: &str) -> CompileError {
    let first = printed.lines().find_map(|l| {
        [": fatal error: ", ": error: "]
            .iter()
            .find_map(|kind| l.split_once(kind))
    });
    // Errors of its back end have no place, and a plea for a report behind them.
    let backend = printed
        .lines()
        .find_map(|l| l.strip_prefix("fatal error: error in backend: "));
    if let Some(message) = backend {
        return CompileError {
            file: source.display().to_string(),
            line: None,
            message: format!(
                "clang cannot compile this: {message}; another version of clang may (--clang PATH)"
            ),
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
    CompileError {
        file,
        line,
        message: format!("{message}\n{}", printed.trim_end()),
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
    fn dependencies_of_a_make_rule() {
        let rule = "-: my\\ k.cu \\\n  /h/cuda/x.h a.h \\\n a.h b$$c.h\n";
        let files = dependencies(Path::new("my k.cu"), rule, Path::new("/h"));
        let names: Vec<_> = files.iter().map(|f| f.to_str().unwrap()).collect();
        assert_eq!(names, ["my k.cu", "a.h", "b$c.h"]);
        assert_eq!(dependencies(Path::new("k"), "", Path::new("/h")).len(), 1);
    }
}
