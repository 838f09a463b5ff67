//! The cache folder for builds kept between runs; files of the user, read with a bound and written as a whole; lock
//! files; programs from outside.
//!
//! It holds simulations, compiled programs, verdicts of tools and Python packages, all of which may be deleted.
#![warn(missing_docs)]

pub mod entries;
pub mod input;
pub mod lock;
pub mod temporary;
pub mod tools;
pub mod verdict;
pub mod whole;

use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs::Metadata;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Folder of the build cache: `WARPSMITH_CACHE`, else the first of `$XDG_CACHE_HOME/warpsmith` and
/// `~/.cache/warpsmith` that can be written, else a folder of this user in the system's temporary one.
pub fn cache_dir() -> PathBuf {
    let var = |n: &str| std::env::var_os(n).filter(|v| !v.is_empty()).map(PathBuf::from);
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
    private(&std::env::temp_dir(), user)
}

/// The first folder of the user in `temp` that nobody else can enter; those of others are passed over.
fn private(temp: &Path, user: u32) -> PathBuf {
    let process = std::process::id();
    let first = format!("warpsmith-{user}");
    let others = (0..).map(|n| format!("warpsmith-{user}.{process}.{n}"));
    let names = std::iter::once(first).chain(others.take(100));
    let mut dirs = names.map(|n| temp.join(n));
    let alone = |dir: &PathBuf| {
        let _ = std::fs::DirBuilder::new().mode(0o700).create(dir);
        let closed = std::fs::Permissions::from_mode(0o700);
        let own = |m: &Metadata| m.is_dir() && m.uid() == user;
        std::fs::symlink_metadata(dir)
            .is_ok_and(|m| own(&m) && (m.mode() & 0o077 == 0 || std::fs::set_permissions(dir, closed).is_ok()))
    };
    let none = temp.join(format!("warpsmith-{user}.{process}"));
    dirs.find(alone).unwrap_or(none)
}

/// The name of a folder of the cache for what is built from these parts.
pub fn key<T: AsRef<[u8]>>(parts: impl IntoIterator<Item = T>) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        let part = part.as_ref();
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    digest.finalize()[..16].iter().fold(String::new(), |mut s, b| {
        let _ = write!(s, "{b:02x}");
        s
    })
}

#[cfg(test)]
mod tests {
    use super::{private, writable};
    use std::fs;
    use std::os::unix::fs::{symlink, MetadataExt as _, PermissionsExt as _};
    use std::path::Path;

    #[test]
    fn the_temporary_folder_is_of_this_user_alone() {
        let temp = tempfile::tempdir().expect("a folder");
        let user = fs::metadata(temp.path()).expect("there").uid();
        let mode = |p: &Path| fs::metadata(p).expect("there").mode() & 0o777;
        let own = temp.path().join(format!("warpsmith-{user}"));
        assert_eq!(private(temp.path(), user), own);
        assert_eq!(mode(&own), 0o700);
        // One that others may enter is closed.
        fs::set_permissions(&own, fs::Permissions::from_mode(0o777)).expect("opened");
        assert_eq!(private(temp.path(), user), own);
        assert_eq!(mode(&own), 0o700);
        // A link may lead anywhere.
        fs::remove_dir(&own).expect("removed");
        symlink(temp.path(), &own).expect("a link");
        let other = private(temp.path(), user);
        assert!(other != own && mode(&other) == 0o700, "{}", other.display());
        // The folder of another user.
        let theirs = private(temp.path(), user + 1);
        assert!(!theirs.exists() || fs::metadata(&theirs).expect("there").uid() == user + 1);
    }

    #[test]
    fn a_home_that_cannot_be_written_is_passed_over() {
        let dir = std::env::temp_dir();
        assert!(writable(&dir) && writable(&dir.join("warpsmith-not-there/cache")));
        assert!(!writable(Path::new("/proc/warpsmith")));
        assert!(!writable(Path::new("/dev/null/.cache/warpsmith")));
    }
}
