//! Lines of preprocessed text and the lines of files that they come from.

/// A marker `# LINE "FILE" FLAGS`.
struct Marker {
    /// Its own line, from 1.
    at: usize,
    line: u32,
    file: usize,
    /// The lines behind it are those of a header of the system.
    system: bool,
}

/// From lines of the text to lines of files.
pub(super) struct Lines {
    files: Vec<String>,
    markers: Vec<Marker>,
}

/// Name of the text in messages of [`numbered`].
pub(super) const NAME: &str = "warpsmith-preprocessed";

/// True for a line that says where the next one comes from.
pub(super) fn is_marker(line: &str) -> bool {
    parts(line).is_some()
}

/// Line, quoted name with its quotes, and flags of a marker.
fn parts(line: &str) -> Option<(u32, &str, &str)> {
    let (number, behind) = line.strip_prefix("# ")?.split_once(' ')?;
    let end = behind.rfind('"')?;
    (behind.starts_with('"') && end > 0).then_some(())?;
    Some((number.parse().ok()?, &behind[..=end], &behind[end + 1..]))
}

impl Lines {
    /// The lines of a text.
    pub fn new(text: &str) -> Lines {
        let mut lines = Lines { files: Vec::new(), markers: Vec::new() };
        for (n, line) in text.split('\n').enumerate() {
            let Some((line, name, flags)) = parts(line) else { continue };
            let name = name[1..name.len() - 1].replace("\\\\", "\\").replace("\\\"", "\"");
            let known = lines.files.iter().rposition(|f| *f == name);
            let file = known.unwrap_or_else(|| {
                lines.files.push(name);
                lines.files.len() - 1
            });
            lines.markers.push(Marker { at: n + 1, line, file, system: is_system(flags) });
        }
        lines
    }

    /// The marker that a line of the text, from 1, stands behind.
    fn marker(&self, line: usize) -> Option<&Marker> {
        self.markers.get(self.markers.partition_point(|m| m.at < line).checked_sub(1)?)
    }

    /// File and line of a line of the text, from 1.
    pub fn place(&self, line: usize) -> Option<(&str, u32)> {
        let marker = self.marker(line)?;
        Some((&self.files[marker.file], marker.line + u32::try_from(line - marker.at - 1).ok()?))
    }

    /// True for a line of the text, from 1, that is one of a header of the system.
    pub fn is_system(&self, line: usize) -> bool {
        self.marker(line).is_some_and(|m| m.system)
    }
}

/// True for flags of a header of the system.
fn is_system(flags: &str) -> bool {
    flags.split(' ').any(|f| f == "3")
}

/// The text with markers that give each line its own number under [`NAME`]; headers of the system stay such.
pub(super) fn numbered(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (n, line) in text.split('\n').enumerate() {
        if n > 0 {
            out.push('\n');
        }
        match parts(line) {
            Some((_, _, flags)) => {
                let system = if is_system(flags) { " 3" } else { "" };
                out.push_str(&format!("# {} \"{NAME}\"{system}", n + 2));
            }
            None => out.push_str(line),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{is_marker, numbered, Lines};

    const TEXT: &str = "# 1 \"a b.cu\"\nx\n# 4 \"/usr/h.h\" 1 3 4\ny\nz\n# 3 \"a b.cu\" 2\nw";

    #[test]
    fn lines_come_from_files() {
        let lines = Lines::new(TEXT);
        assert_eq!(lines.place(2), Some(("a b.cu", 1)));
        assert_eq!(lines.place(5), Some(("/usr/h.h", 5)));
        assert_eq!(lines.place(7), Some(("a b.cu", 3)));
        assert_eq!(lines.place(1), None);
        // A marker stands behind the one above it.
        assert_eq!((1..=7).filter(|l| lines.is_system(*l)).collect::<Vec<_>>(), [4, 5, 6]);
        assert!(
            is_marker("# 1 \"x\"") && !is_marker("#pragma once") && !is_marker("# x \"y\"") && !is_marker("# 1 \"")
        );
    }

    #[test]
    fn numbered_lines_name_themselves() {
        let n = numbered(TEXT);
        let lines: Vec<_> = n.lines().collect();
        assert_eq!(lines[2], "# 4 \"warpsmith-preprocessed\" 3");
        assert_eq!((lines[3], lines[5]), ("y", "# 7 \"warpsmith-preprocessed\""));
    }
}
