//! Files that are written completely or not at all.

use crate::temporary::Temporary;
use std::fs;
use std::io::{self, Write};
use std::os::fd::AsFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A file being written under a temporary name beside its own: a reader sees all of it or nothing.
/// Without [`Whole::finish`] nothing is left. What is no plain file (a device, a pipe) is written
/// directly, and so is the file that standard output or error goes to; a link stays one.
#[derive(Debug)]
pub struct Whole {
    /// `None`: written directly.
    part: Option<Temporary>,
    path: PathBuf,
}

impl Whole {
    /// For the file `path`; nothing is written yet.
    pub fn new(path: &Path) -> Self {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.into());
        let there = fs::metadata(&path);
        if there.is_ok_and(|m| !m.is_file() || stream(&m).is_some()) {
            return Self { part: None, path };
        }
        // Threads and processes may write the same file at the same time.
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".part{}.{number}", std::process::id()));
        let part = Some(Temporary::new(path.with_file_name(name)));
        Self { part, path }
    }

    /// Where to write.
    pub fn part(&self) -> &Path {
        self.part.as_ref().map_or(&self.path, Temporary::path)
    }

    /// The file to write to, empty.
    ///
    /// # Errors
    /// An error of the system.
    pub fn open(&self) -> io::Result<fs::File> {
        let there = fs::metadata(self.part()).ok();
        match there.and_then(|m| stream(&m)) {
            Some(same) => Ok(same),
            None => fs::File::create(self.part()),
        }
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// Those of the system; the temporary file is gone then.
    pub fn finish(self) -> io::Result<()> {
        match &self.part {
            None => Ok(()),
            Some(part) => fs::rename(part.path(), &self.path),
        }
    }
}

/// Standard output or error, if it goes to this file: what was said before stays, and what is said later
/// follows.
fn stream(there: &fs::Metadata) -> Option<fs::File> {
    let copies = [io::stdout().as_fd().try_clone_to_owned(), io::stderr().as_fd().try_clone_to_owned()];
    copies.into_iter().find_map(|copy| {
        let file = fs::File::from(copy.ok()?);
        let m = file.metadata().ok()?;
        let same = (m.dev(), m.ino()) == (there.dev(), there.ino());
        (m.is_file() && same).then_some(file)
    })
}

/// Writes a file whole.
///
/// # Errors
/// Those of the system and of `write`; the file is as it was then.
pub fn write_with(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let whole = Whole::new(path);
    let mut out = io::BufWriter::new(whole.open()?);
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
