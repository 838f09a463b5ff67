//! Verdicts of tools on texts: a check that passed is not made again while text and tool are the same.

use crate::{cache_dir, key};
use std::io;
use std::path::Path;
use std::process::Command;

/// Makes a check of `tool` unless it has passed on the same `inputs`, which are all it depends on, with the
/// tool of the same version (`flag` prints it). With `WARPSMITH_SOAK` set it is made in any case. A check
/// fails by a panic, which leaves nothing behind.
///
/// # Errors
/// The tool does not start, or the cache cannot be written.
pub fn verdict(tool: &mut Command, flag: &str, inputs: &[&[u8]], check: impl FnOnce()) -> io::Result<()> {
    let out = tool.arg(flag).output()?;
    let version = [out.stdout, out.stderr].concat();
    let parts = inputs.iter().copied().chain([&version[..]]);
    let stamp = cache_dir().join("passed").join(key(parts));
    once(&stamp, std::env::var_os("WARPSMITH_SOAK").is_some(), check)
}

fn once(stamp: &Path, again: bool, check: impl FnOnce()) -> io::Result<()> {
    if stamp.exists() && !again {
        println!("unchanged since it passed: {}", stamp.display());
        return Ok(());
    }
    check();
    std::fs::create_dir_all(stamp.parent().unwrap_or(Path::new("")))?;
    std::fs::write(stamp, "")
}

#[cfg(test)]
mod tests {
    use super::once;
    use std::panic::{catch_unwind, AssertUnwindSafe};

    #[test]
    fn a_check_is_made_again_only_when_it_failed_or_is_asked_for() {
        let dir = tempfile::tempdir().expect("a folder");
        let stamp = dir.path().join("passed").join("key");
        let mut made = 0;
        let failing = AssertUnwindSafe(|| once(&stamp, false, || panic!("it fails")));
        assert!(catch_unwind(failing).is_err());
        assert!(!stamp.exists(), "a check that fails leaves nothing behind");
        once(&stamp, false, || made += 1).expect("the folder can be written");
        once(&stamp, false, || panic!("it has passed")).expect("nothing is written");
        once(&stamp, true, || made += 1).expect("the folder can be written");
        assert_eq!(made, 2);
    }
}
