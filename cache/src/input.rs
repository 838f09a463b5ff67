//! Files of the user, read with a bound: what is named by mistake may have no end.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// Most bytes of a text: a source, a configuration, a launch file.
pub const TEXT: u64 = 256 << 20;

/// Refuses what is no plain file, or is too long, before it is opened: a pipe may never be written to.
///
/// # Errors
/// Those of the system; kind or size, and what is needed.
pub fn check(path: &Path, most: u64) -> io::Result<()> {
    let m = std::fs::metadata(path)?;
    if !m.is_file() {
        return Err(io::Error::other(format!("it is {}; a file is needed", kind(&m.file_type()))));
    }
    match m.len() > most {
        true => Err(too_long(most)),
        false => Ok(()),
    }
}

/// Contents of a plain file of at most `most` bytes.
///
/// # Errors
/// As [`check`].
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    check(path, most)?;
    read_any(path, most)
}

/// The same of what may be a pipe too, as the shell makes it.
///
/// # Errors
/// Those of the system; the size.
pub fn read_any(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![];
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::Error::other("it is a folder; a file is needed"));
    }
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => Err(too_long(most)),
        false => Ok(bytes),
    }
}

fn too_long(most: u64) -> io::Error {
    let text = match most >> 20 {
        0 => format!("{most} bytes"),
        mib => format!("{mib} MiB"),
    };
    io::Error::other(format!("it is longer than {text}, the most there is room for"))
}

/// What a path names, for a message.
pub fn kind(t: &std::fs::FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    match () {
        () if t.is_dir() => "a folder",
        () if t.is_fifo() => "a pipe",
        () if t.is_socket() => "a socket",
        () if t.is_char_device() || t.is_block_device() => "a device",
        () => "no plain file",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_and_size_are_checked_before_reading() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("a");
        std::fs::write(&file, "four").expect("written");
        assert_eq!(read(&file, 4).expect("read"), b"four");
        let said = |path: &Path, most| read(path, most).expect_err("refused").to_string();
        assert!(said(&file, 3).contains("longer than 3 bytes"));
        assert!(said(dir.path(), 4).contains("a folder"));
        assert!(said(Path::new("/dev/zero"), 4).contains("a device"));
        let pipe = dir.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("mkfifo starts").success());
        assert!(said(&pipe, 4).contains("a pipe"));
        let endless = read_any(Path::new("/dev/zero"), 1 << 20).expect_err("refused");
        assert!(endless.to_string().contains("longer than 1 MiB"), "{endless}");
    }
}
