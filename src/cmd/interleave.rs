//! Source lines as comments between instructions.

use std::path::Path;

/// Lines of a program by byte address, and the texts of their files.
pub struct Interleaved {
    files: Vec<String>,
    /// Byte address, index of the file, line from 1 or 0 for unknown; ascending addresses.
    entries: Vec<(u32, usize, u32)>,
    texts: Vec<Vec<String>>,
    last: Option<(usize, u32)>,
}

impl Interleaved {
    /// Reads the files; of one that is gone only the numbers are shown.
    pub fn new(files: Vec<String>, mut entries: Vec<(u32, usize, u32)>) -> Self {
        entries.sort_by_key(|e| e.0);
        let read = |f: &String| {
            let text = std::fs::read_to_string(f).unwrap_or_default();
            text.lines().map(String::from).collect()
        };
        Interleaved { texts: files.iter().map(read).collect(), files, entries, last: None }
    }

    /// No instruction's line is known.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// `// saxpy.cu:12: y[i] = a * x[i] + y[i];` where the line is not that of the instruction before.
    pub fn above(&mut self, address: u32) -> String {
        let n = self.entries.partition_point(|e| e.0 <= address);
        let place = n.checked_sub(1).and_then(|n| self.entries.get(n)).filter(|e| e.2 > 0).map(|e| (e.1, e.2));
        let seen = std::mem::replace(&mut self.last, place);
        match place.filter(|p| seen != Some(*p)) {
            Some((file, line)) => format!("// {}\n", self.text(file, line)),
            None => String::new(),
        }
    }

    fn text(&self, file: usize, line: u32) -> String {
        let name = self.files.get(file).map_or("?", String::as_str);
        let name = Path::new(name).file_name().map_or(name.into(), |n| n.to_string_lossy());
        let lines = self.texts.get(file);
        match lines.and_then(|t| t.get(line as usize - 1)) {
            Some(text) => format!("{name}:{line}: {}", text.trim()),
            None => format!("{name}:{line}"),
        }
    }
}
