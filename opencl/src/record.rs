//! Launches as launch files: program, buffers before, buffers after as expectations.

use std::fmt::Write as _;
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use warpsmith_isa::cubin::{ConstSegment, Cubin, Kernel, SourceLines};
use warpsmith_isa::print;
use warpsmith_model::launch::{ConstantSection, GlobalSection};
use warpsmith_model::{GlobalMemory, Launch};

/// Name of the program in a record.
const PROGRAM: &str = "kernel.cubin";

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
        let taken = std::fs::read_dir(folder)?.filter_map(|e| e.ok()).filter_map(number).any(|m| m == n);
        if taken {
            continue;
        }
        match std::fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
    Err(Error::other(format!("{}: no number is free", folder.display())))
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
        std::fs::write(folder.join(PROGRAM), cubin(launch, &folder)?)?;
        for (n, g) in launch.globals.iter().enumerate().filter(|(_, g)| !prints_into(launch, g)) {
            std::fs::write(folder.join(format!("before{n}.bin")), whole_words(&g.bytes))?;
        }
        Ok(Recorder { folder })
    }

    /// Writes results and the launch file; without results, of a launch that failed, it expects nothing.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn finish(self, launch: &Launch, after: Option<&GlobalMemory>) -> Result<()> {
        let l = launch;
        let mut s = String::from("# A launch of an OpenCL program, recorded by the driver.\n");
        let list = |words: &[u32]| {
            let words: Vec<String> = words.iter().map(|w| format!("{w:#x}")).collect();
            words.join(", ")
        };
        let text = |s: &str| toml::Value::String(s.into()).to_string();
        let _ = writeln!(s, "name = {}", text(&l.name));
        let _ = writeln!(s, "program = \"{PROGRAM}\"");
        let _ = writeln!(s, "grid = [{}, {}]", l.grid[0], l.grid[1]);
        let [x, y, z] = l.block;
        let _ = writeln!(s, "block = [{x}, {y}, {z}]");
        let _ = writeln!(s, "shared_bytes = {}", l.shared_bytes);
        let _ = writeln!(s, "params = [{}]", list(&l.params));
        let _ = writeln!(s, "global_bytes = {}", l.global_bytes);
        let _ = writeln!(s, "guard = {}", l.guard);
        for b in l.buffers.iter().filter(|b| b.name == print::BUFFER) {
            let _ = writeln!(
                s,
                "\n# What the kernel prints is read from here.\n[[global]]\nname = {}\noffset = {}\nbytes = {}",
                text(&b.name),
                b.address,
                b.bytes
            );
        }
        for (n, g) in l.globals.iter().enumerate() {
            if g.bytes.is_empty() {
                continue;
            }
            if prints_into(l, g) {
                continue;
            }
            let name = match l.buffer_at(g.offset) {
                Some((name, _)) => format!("# {name}\n"),
                None => String::new(),
            };
            let _ = writeln!(s, "\n{name}[[global]]\noffset = {}\nfile = \"before{n}.bin\"", g.offset);
            let Some(after) = after else { continue };
            let bytes = after.read(g.offset, g.bytes.len().next_multiple_of(4));
            std::fs::write(self.folder.join(format!("after{n}.bin")), bytes)?;
            let _ = writeln!(s, "[[expect]]\noffset = {}\nfile = \"after{n}.bin\"", g.offset);
        }
        std::fs::write(self.folder.join("launch.toml"), s)
    }
}

/// Whether a part of memory is the buffer of `printf`. What it holds in the end depends on the order of the threads,
/// where they take their places one by one: nothing is expected of it.
fn prints_into(launch: &Launch, part: &GlobalSection) -> bool {
    launch.buffer_at(part.offset).is_some_and(|(name, _)| name == print::BUFFER)
}

/// The program as a cubin with the lines of its source, which is copied beside it.
fn cubin(launch: &Launch, folder: &Path) -> Result<String> {
    let segments = |module: bool| {
        let mine = launch.constants.iter().filter(|c| (c.bank == 0) == module);
        let of = |c: &ConstantSection| {
            let bytes = whole_words(&c.bytes);
            let words = bytes.chunks_exact(4);
            ConstSegment {
                name: if module { "constants".into() } else { String::new() },
                bank: c.bank,
                offset: c.offset,
                bytes: bytes.len() as u32,
                words: Some(words.map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect()),
            }
        };
        mine.map(of).collect()
    };
    let mut sources = Vec::new();
    let used = launch.source.by_file().filter(|(_, lines)| !lines.is_empty());
    for (file, lines) in used {
        let copy = folder.join(file.file_name().unwrap_or(file.as_os_str()));
        // Headers of the driver are in no file.
        let copied = std::fs::copy(file, &copy).is_ok();
        let file = if copied { copy.as_path() } else { file };
        sources.push(SourceLines { file: file.to_string_lossy().into_owned(), lines });
    }
    Ok(Cubin {
        kernels: vec![Kernel {
            name: launch.name.clone(),
            lmem: launch.local_bytes,
            smem: launch.shared_bytes,
            reg: launch.registers,
            bar: 0,
            words: launch.program.words(),
            consts: segments(false),
            sources,
        }],
        consts: segments(true),
        ..Cubin::default()
    }
    .write())
}

/// Data files hold whole words; buffers begin at multiples of 256, so that zeros may follow them.
fn whole_words(bytes: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    out.resize(bytes.len().next_multiple_of(4), 0);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsmith_model::launch::{Buffer, Printed};

    #[test]
    fn a_record_is_a_launch_file() {
        let folder = std::env::temp_dir().join(format!("warpsmith-record-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let section = |offset, bytes: &[u8]| warpsmith_model::launch::GlobalSection::new(offset, bytes.to_vec());
        let printing = Buffer { name: print::BUFFER.into(), address: 0x1000, bytes: print::BYTES.into() };
        // A record that says "%u\n" of the word 7.
        let mut written = vec![0; 64];
        for (at, word) in [(0, 1 << 20), (8, 16), (12, 16), (16, 0x108), (20, 4), (24, 7)] {
            written[at..at + 4].copy_from_slice(&u32::to_le_bytes(word));
        }
        let launch = Launch {
            global_bytes: 0x20_0000,
            params: vec![0x100],
            shared_bytes: 20,
            globals: vec![section(256, &[1, 2, 3, 4, 5, 0, 0, 0, b'%', b'u', b'\n']), section(0x1000, &[0; 64])],
            buffers: vec![printing.clone()],
            ..Launch::from_words("one", vec![0x3000_0003, 0x0000_0780])
        };
        let mut after = GlobalMemory::new(launch.global_bytes);
        after.write(256, &[9, 9, 9, 9, 9, 0, 0, 0, b'%', b'u', b'\n']);
        after.write(0x1000, &written);
        for number in ["0001-one", "0002-one"] {
            let recorder = Recorder::begin(&folder, &launch).unwrap();
            recorder.finish(&launch, Some(&after)).unwrap();
            let read = warpsmith_launch_file::load(folder.join(number).join("launch.toml")).unwrap();
            assert_eq!((read.grid, read.block, &read.params), (launch.grid, launch.block, &launch.params));
            assert_eq!((&read.program, read.registers), (&launch.program, launch.registers));
            assert_eq!(read.expects[0].bytes, [9, 9, 9, 9, 9, 0, 0, 0, b'%', b'u', b'\n', 0]);
            // What it prints is found, and nothing is expected of where that lies.
            assert_eq!((&read.buffers, read.expects.len()), (&vec![printing.clone()], 1));
            assert_eq!(Printed::of(&read, &after).text, "7\n");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
