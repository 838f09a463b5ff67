//! Comparisons of vectors of 16-bit integers, which clang 19's back end cannot select: done with 32 bits an element.

use super::flags;
use super::ClangOptions;
use std::ffi::OsString;

/// True for the message of that back end.
pub(super) fn is_needed(message: &str) -> bool {
    message.contains("Cannot select") && message.contains("i16 = setcc")
}

/// Options that make clang stop behind its optimiser.
pub(super) const FRONT: [&str; 2] = ["-S", "-emit-llvm"];

/// Options that make clang's back end go on from there.
pub(super) fn back(options: &ClangOptions) -> Vec<OsString> {
    let mut f = flags::module();
    f.extend(flags::back(options));
    f.extend(["-Xclang", "-disable-llvm-passes"].map(OsString::from));
    f
}

/// Clang's intermediate text with both sides of each such comparison extended, by its sign or by zeros.
pub(super) fn widened(text: &str) -> String {
    let lines = text.lines().enumerate().map(|(n, line)| wide(line, n).unwrap_or_else(|| format!("{line}\n")));
    lines.collect()
}

/// `  %r = icmp PREDICATE <N x i16> A, B`, with metadata behind it.
fn wide(line: &str, n: usize) -> Option<String> {
    let (result, comparison) = line.trim_start().split_once(" = icmp ")?;
    let (predicate, rest) = comparison.split_once(" <")?;
    let (elements, rest) = rest.split_once(" x i16> ")?;
    elements.parse::<u32>().ok()?;
    let (a, rest) = operand(rest)?;
    let (b, behind) = operand(rest.strip_prefix(", ")?)?;
    let extend = if predicate.starts_with('s') { "sext" } else { "zext" };
    let side = |name: &str, value: &str| {
        format!("  %wide.{name}{n} = {extend} <{elements} x i16> {value} to <{elements} x i32>\n")
    };
    let compared = format!("  {result} = icmp {predicate} <{elements} x i32> %wide.a{n}, %wide.b{n}{behind}\n");
    Some(side("a", a) + &side("b", b) + &compared)
}

/// The value in front: a name, a word, or a vector or call in brackets.
fn operand(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0_i32;
    let end = text.char_indices().find(|(_, c)| {
        depth += match c {
            '<' | '(' => 1,
            '>' | ')' => -1,
            _ => 0,
        };
        depth == 0 && *c == ','
    });
    let at = end.map_or(text.len(), |(at, _)| at);
    (depth == 0).then(|| text.split_at(at))
}

#[cfg(test)]
mod tests {
    use super::widened;

    #[test]
    fn both_sides_are_extended() {
        assert_eq!(
            widened("  %c = icmp slt <2 x i16> %0, <i16 1, i16 -2>, !dbg !3\n"),
            "  %wide.a0 = sext <2 x i16> %0 to <2 x i32>\n  \
             %wide.b0 = sext <2 x i16> <i16 1, i16 -2> to <2 x i32>\n  \
             %c = icmp slt <2 x i32> %wide.a0, %wide.b0, !dbg !3\n"
        );
        let others = "  %c = icmp eq <2 x i32> %0, zeroinitializer\n  %d = icmp ult i16 %1, 4\n";
        assert_eq!(widened(others), others);
    }
}
