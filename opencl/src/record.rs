//! Launches as launch files: program, buffers before, buffers after as expectations.

use std::fmt::Write as _;
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use warpsmith_model::{GlobalMemory, Launch};

/// A new folder `NNNN-NAME` in `folder`, numbered behind those that are there.
pub fn numbered(folder: &Path, name: &str) -> Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let number = |e: std::fs::DirEntry| {
        let name = e.file_name().into_string().ok()?;
        name.split_once('-')?.0.parse::<u32>().ok()
    };
    let entries = std::fs::read_dir(folder)?.filter_map(|e| e.ok());
    let mut n = entries.filter_map(number).max().unwrap_or(0);
    // Another thread or process may take the same number: the folder is made by one of them.
    for _ in 0..10_000 {
        n += 1;
        let path = folder.join(format!("{n:04}-{name}"));
        let taken = std::fs::read_dir(folder)?
            .filter_map(|e| e.ok())
            .filter_map(number)
            .any(|m| m == n);
        if taken {
            continue;
        }
        match std::fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
    Err(Error::other(format!(
        "{}: no number is free",
        folder.display()
    )))
}

/// A launch being recorded.
pub struct Recorder {
    folder: PathBuf,
}

impl Recorder {
    /// Writes what is known before the launch.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn begin(folder: &Path, launch: &Launch) -> Result<Recorder> {
        let folder = numbered(folder, &launch.name)?;
        let words = launch.program.iter().fold(String::new(), |mut s, w| {
            let _ = writeln!(s, "{w:08x}");
            s
        });
        std::fs::write(folder.join("program.hex"), words)?;
        for (n, g) in launch.globals.iter().enumerate() {
            std::fs::write(folder.join(format!("before{n}.bin")), whole_words(&g.bytes))?;
        }
        for c in &launch.constants {
            std::fs::write(
                folder.join(format!("constant{}.bin", c.bank)),
                whole_words(&c.bytes),
            )?;
        }
        Ok(Recorder { folder })
    }

    /// Writes results and the launch file.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn finish(self, launch: &Launch, after: &GlobalMemory) -> Result<()> {
        let l = launch;
        let mut s = String::from("# A launch of an OpenCL program, recorded by the driver.\n");
        let list = |words: &[u32]| {
            let words: Vec<String> = words.iter().map(|w| format!("{w:#x}")).collect();
            words.join(", ")
        };
        let text = |s: &str| toml::Value::String(s.into()).to_string();
        let _ = writeln!(s, "name = {}", text(&l.name));
        let _ = writeln!(s, "program = \"program.hex\"");
        let _ = writeln!(s, "grid = [{}, {}]", l.grid[0], l.grid[1]);
        let [x, y, z] = l.block;
        let _ = writeln!(s, "block = [{x}, {y}, {z}]");
        let _ = writeln!(s, "registers = {}", l.registers);
        let _ = writeln!(s, "shared_bytes = {}", l.shared_bytes);
        let _ = writeln!(s, "local_bytes = {}", l.local_bytes);
        let _ = writeln!(s, "params = [{}]", list(&l.params));
        let _ = writeln!(s, "global_bytes = {}", l.global_bytes);
        for c in &l.constants {
            let file = format!("constant{}.bin", c.bank);
            let _ = writeln!(
                s,
                "\n[[constant]]\nbank = {}\noffset = {}\nfile = \"{file}\"",
                c.bank, c.offset
            );
        }
        for (n, g) in l.globals.iter().enumerate() {
            if g.bytes.is_empty() {
                continue;
            }
            let name = match l.buffer_at(g.offset) {
                Some((name, _)) => format!("# {name}\n"),
                None => String::new(),
            };
            let _ = writeln!(
                s,
                "\n{name}[[global]]\noffset = {}\nfile = \"before{n}.bin\"",
                g.offset
            );
            let bytes = whole_words(&after.read(g.offset, g.bytes.len()));
            std::fs::write(self.folder.join(format!("after{n}.bin")), bytes)?;
            let _ = writeln!(
                s,
                "[[expect]]\noffset = {}\nfile = \"after{n}.bin\"",
                g.offset
            );
        }
        std::fs::write(self.folder.join("launch.toml"), s)
    }
}

/// Data files hold whole words; buffers begin at multiples of 256, so that zeros may follow them.
fn whole_words(bytes: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    out.resize(bytes.len().next_multiple_of(4), 0);
    out
}
