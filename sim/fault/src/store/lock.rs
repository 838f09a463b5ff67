//! One writer at a time.

use crate::error::FaultError;
use fs2::FileExt;
use std::fs::File;
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// The lock file of a database, held until it is dropped or the process ends, however that happens.
pub fn lock(path: &Path) -> Result<File, FaultError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let name = PathBuf::from(name);
    let fail =
        |e: std::io::Error| FaultError::file(&name, format!("cannot be made and locked ({e})"));
    let mut file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&name)
        .map_err(fail)?;
    match file.try_lock_exclusive() {
        Ok(()) => {}
        Err(e) if e.kind() == ErrorKind::WouldBlock => {
            let mut holder = String::new();
            let _ = file.read_to_string(&mut holder);
            return Err(FaultError::file(
                path,
                format!(
                    "another `warpsmith fault run` writes to it (process {}); wait for it or stop it",
                    holder.trim()
                ),
            ));
        }
        Err(e) => return Err(fail(e)),
    }
    file.set_len(0)
        .and_then(|()| writeln!(file, "{}", std::process::id()))
        .map_err(fail)?;
    Ok(file)
}
