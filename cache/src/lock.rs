//! Lock files: one process at a time. The file is there while the lock is held.

use crate::temporary::Temporary;
use fs2::FileExt;
use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// A held lock. The file goes with it; a process that is killed leaves the file, and no lock.
#[derive(Debug)]
pub struct Lock {
    // In this order: the name goes while the lock is held, so that nobody removes another's.
    _name: Temporary,
    _file: File,
}

/// Why there is no lock.
#[derive(Debug)]
pub enum Refused {
    /// The process of this number holds it.
    Held(String),
    /// The file cannot be made or locked.
    Io(io::Error),
}

impl Lock {
    /// The lock of the file `path`, once nobody else holds it.
    ///
    /// # Errors
    /// The file cannot be made or locked.
    pub fn wait(path: &Path) -> io::Result<Self> {
        loop {
            let file = open(path)?;
            file.lock_exclusive()?;
            if let Some(lock) = Self::of(path, file)? {
                return Ok(lock);
            }
        }
    }

    /// The same, at once or not at all.
    ///
    /// # Errors
    /// [`Refused`].
    pub fn now(path: &Path) -> Result<Self, Refused> {
        loop {
            let mut file = open(path).map_err(Refused::Io)?;
            match file.try_lock_exclusive() {
                Ok(()) => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock => {
                    let mut holder = String::new();
                    let _ = file.read_to_string(&mut holder);
                    return Err(Refused::Held(holder.trim().to_string()));
                }
                Err(e) => return Err(Refused::Io(e)),
            }
            if let Some(lock) = Self::of(path, file).map_err(Refused::Io)? {
                return Ok(lock);
            }
        }
    }

    /// `None` when the holder before removed the name that this file was opened by.
    fn of(path: &Path, mut file: File) -> io::Result<Option<Self>> {
        let own = file.metadata()?;
        let named = match std::fs::metadata(path) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        if (own.dev(), own.ino()) != (named.dev(), named.ino()) {
            return Ok(None);
        }
        file.set_len(0)?;
        writeln!(file, "{}", std::process::id())?;
        Ok(Some(Lock { _name: Temporary::new(path.to_path_buf()), _file: file }))
    }
}

fn open(path: &Path) -> io::Result<File> {
    File::options().read(true).write(true).create(true).truncate(false).open(path)
}

#[cfg(test)]
mod tests {
    use super::{Lock, Refused};
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn one_holds_it_and_the_file_goes_with_it() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("a.lock");
        let held = Lock::now(&path).expect("a lock");
        match Lock::now(&path) {
            Err(Refused::Held(by)) => assert_eq!(by, std::process::id().to_string()),
            other => panic!("{other:?}"),
        }
        drop(held);
        assert!(!path.exists());
        drop(Lock::now(&path).expect("a lock again"));
        // What a killed process leaves holds nothing.
        std::fs::write(&path, "1\n").expect("written");
        drop(Lock::now(&path).expect("the lock of a file that was left"));
        assert!(!path.exists());
    }

    #[test]
    fn names_that_go_let_two_in_at_no_time() {
        let dir = tempfile::tempdir().expect("a folder");
        let (path, inside) = (dir.path().join("a.lock"), AtomicU64::new(0));
        std::thread::scope(|s| {
            for _ in 0..4 {
                s.spawn(|| {
                    for _ in 0..200 {
                        let lock = Lock::wait(&path).expect("a lock");
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        inside.fetch_sub(1, Ordering::SeqCst);
                        drop(lock);
                    }
                });
            }
        });
        assert!(!path.exists());
    }
}
