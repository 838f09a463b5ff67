//! Files that are written completely or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A file being written under a temporary name beside its own: a reader sees all of it or nothing.
/// Without [`Whole::finish`] nothing is left. What is no plain file (a device, a pipe) is written
/// directly; a link stays one.
#[derive(Debug)]
pub struct Whole {
    part: PathBuf,
    path: PathBuf,
}

impl Whole {
    /// For the file `path`; nothing is written yet.
    pub fn new(path: &Path) -> Self {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.into());
        if fs::metadata(&path).is_ok_and(|m| !m.is_file()) {
            let part = path.clone();
            return Self { part, path };
        }
        // Threads and processes may write the same file at the same time.
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".part{}.{number}", std::process::id()));
        let part = path.with_file_name(name);
        Self { part, path }
    }

    /// Where to write.
    pub fn part(&self) -> &Path {
        &self.part
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// Those of the system; the temporary file is gone then.
    pub fn finish(self) -> io::Result<()> {
        if self.part == self.path {
            return Ok(());
        }
        fs::rename(&self.part, &self.path)
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        if self.part != self.path {
            // It is gone when it has its name.
            let _ = fs::remove_file(&self.part);
        }
    }
}

/// Writes a file whole.
///
/// # Errors
/// Those of the system and of `write`; the file is as it was then.
pub fn write_with(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let whole = Whole::new(path);
    let mut out = io::BufWriter::new(fs::File::create(whole.part())?);
    write(&mut out)?;
    let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    if file.metadata()?.is_file() {
        file.sync_all()?;
    }
    whole.finish()
}

/// Writes `contents` to a file whole.
///
/// # Errors
/// As [`write_with`].
pub fn write(path: &Path, contents: impl AsRef<[u8]>) -> io::Result<()> {
    write_with(path, |out| out.write_all(contents.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{symlink, FileTypeExt as _};

    #[test]
    fn a_file_is_whole_or_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        write(&path, "old").unwrap();
        let failed = write_with(&path, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("no more"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "no more");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        write(&path, "new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_link_stays_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let (file, link) = (dir.path().join("file"), dir.path().join("link"));
        write(&file, "old").unwrap();
        symlink("file", &link).unwrap();
        write(&link, "new").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn a_pipe_stays_a_pipe() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("mkfifo starts").success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).unwrap()
        });
        write(&pipe, "through").unwrap();
        assert_eq!(reader.join().unwrap(), b"through");
        assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
    }
}
