//! The cache folder for builds kept between runs; files of the user, read with a bound and written as a whole; lock
//! files; programs from outside.
//!
//! It holds simulations, compiled programs, verdicts of tools and Python packages, all of which may be deleted.
#![warn(missing_docs)]

pub mod input;
pub mod lock;
pub mod temporary;
pub mod tools;
pub mod verdict;
pub mod whole;

use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Folder of the build cache: `WARPSMITH_CACHE`, else the first of `$XDG_CACHE_HOME/warpsmith` and
/// `~/.cache/warpsmith` that can be written, else a folder of this user in the system's temporary one.
pub fn cache_dir() -> PathBuf {
    let var = |n: &str| {
        std::env::var_os(n)
            .filter(|v| !v.is_empty())
            .map(PathBuf::from)
    };
    if let Some(named) = var("WARPSMITH_CACHE") {
        return named;
    }
    static FOUND: OnceLock<PathBuf> = OnceLock::new();
    let find = || {
        let homes = [var("XDG_CACHE_HOME"), var("HOME").map(|d| d.join(".cache"))];
        let mut homes = homes.into_iter().flatten().map(|d| d.join("warpsmith"));
        homes.find(|d| writable(d)).unwrap_or_else(temporary)
    };
    FOUND.get_or_init(find).clone()
}

/// Whether a folder, there or not, can take a file: a home may be absent or read-only.
pub fn writable(dir: &Path) -> bool {
    let Some(there) = dir.ancestors().find(|d| d.exists()) else {
        return false;
    };
    let probe = there.join(format!(".warpsmith.{}", std::process::id()));
    let made = std::fs::File::create(&probe).is_ok();
    made && std::fs::remove_file(&probe).is_ok()
}

/// A folder for programs that are run must belong to this user alone.
fn temporary() -> PathBuf {
    let user = std::fs::metadata("/proc/self").map_or(0, |m| m.uid());
    let dir = std::env::temp_dir().join(format!("warpsmith-{user}"));
    let _ = std::fs::DirBuilder::new().mode(0o700).create(&dir);
    match std::fs::symlink_metadata(&dir) {
        Ok(m) if !m.is_dir() || m.uid() != user => {
            std::env::temp_dir().join(format!("warpsmith-{user}.{}", std::process::id()))
        }
        _ => dir,
    }
}

/// The name of a folder of the cache for what is built from these parts.
pub fn key<T: AsRef<[u8]>>(parts: impl IntoIterator<Item = T>) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        let part = part.as_ref();
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    digest.finalize()[..16]
        .iter()
        .fold(String::new(), |mut s, b| {
            let _ = write!(s, "{b:02x}");
            s
        })
}

#[cfg(test)]
mod tests {
    use super::writable;
    use std::path::Path;

    #[test]
    fn a_home_that_cannot_be_written_is_passed_over() {
        let dir = std::env::temp_dir();
        assert!(writable(&dir) && writable(&dir.join("warpsmith-not-there/cache")));
        assert!(!writable(Path::new("/proc/warpsmith")));
        assert!(!writable(Path::new("/dev/null/.cache/warpsmith")));
    }
}
