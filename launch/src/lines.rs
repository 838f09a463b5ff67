//! Source lines of instructions.

use std::path::{Path, PathBuf};

/// Lines of a program by byte address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceLines {
    files: Vec<PathBuf>,
    /// First byte address, index of the file, line from 1 or 0 for unknown; ascending addresses.
    entries: Vec<(u32, usize, u32)>,
}

impl SourceLines {
    /// A table of `entries`: byte address, index in `files`, line from 1 or 0 for unknown. An entry
    /// holds up to the next.
    pub fn new(files: Vec<PathBuf>, mut entries: Vec<(u32, usize, u32)>) -> Self {
        entries.sort_by_key(|e| e.0);
        SourceLines { files, entries }
    }

    /// File and line of the instruction at a byte address.
    pub fn at(&self, address: u32) -> Option<(&Path, u32)> {
        let n = self.entries.partition_point(|e| e.0 <= address);
        let (_, file, line) = *self.entries.get(n.checked_sub(1)?)?;
        let file = self.files.get(file)?;
        (line > 0).then_some((file, line))
    }

    /// [`at`](Self::at) as `saxpy.cu:12`.
    pub fn place(&self, address: u32) -> Option<String> {
        let (file, line) = self.at(address)?;
        let name = file.file_name().map_or_else(|| file.to_string_lossy(), |n| n.to_string_lossy());
        Some(format!("{name}:{line}"))
    }

    /// Files, each with the lines of its instructions: (byte address, line).
    pub fn by_file(&self) -> impl Iterator<Item = (&Path, Vec<(u32, u32)>)> {
        self.files.iter().enumerate().map(|(n, file)| {
            let mine = self.entries.iter().filter(move |e| e.1 == n);
            (file.as_path(), mine.map(|e| (e.0, e.2)).collect())
        })
    }

    /// No instruction's line is known.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_holds_up_to_the_next() {
        let lines = SourceLines::new(vec!["a/k.cu".into()], vec![(8, 0, 3), (4, 0, 2), (16, 0, 0), (24, 7, 1)]);
        let place = |a| lines.place(a);
        assert_eq!(place(0), None);
        assert_eq!(place(4), Some("k.cu:2".into()));
        assert_eq!(place(12), Some("k.cu:3".into()));
        assert_eq!(place(16), None);
        assert_eq!(place(24), None);
    }
}
