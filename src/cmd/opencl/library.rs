//! The driver's library, and the files and variables by which loaders find drivers.

use crate::cmd::output::write_all;
use anyhow::{bail, Context, Result};
use std::path::{Path, PathBuf};

/// Folder of the loader's files, as a variable.
pub const VENDORS: &str = "OCL_ICD_VENDORS";
/// The loader's folder without it.
pub const SYSTEM: &str = "/etc/OpenCL/vendors";
/// The loader's file of this driver.
pub const ICD: &str = "warpsmith.icd";
/// Variables that other loaders, or other versions, read in place of [`VENDORS`].
pub const OTHERS: [&str; 2] = ["OPENCL_VENDOR_PATH", "OCL_ICD_FILENAMES"];

/// The library.
const LIBRARY: &str = "libwarpsmith_opencl.so";

/// The library: where cargo builds it (`deps`, which is never older than the copy beside the program), beside this program, or
/// in the `lib` beside its `bin`.
///
/// # Errors
/// It is in none of them.
pub fn library() -> Result<PathBuf> {
    let program = std::env::current_exe().context("the path of this program")?;
    let folder = program.parent().unwrap_or(Path::new("/"));
    let places = ["deps", "", "../lib"].map(|p| folder.join(p).join(LIBRARY));
    match places.iter().find(|p| p.is_file()) {
        Some(found) => Ok(std::fs::canonicalize(found)?),
        None => bail!(
            "{LIBRARY} is neither beside {} nor in deps/ or ../lib/; build it: cargo build --release -p warpsmith-opencl",
            program.display()
        ),
    }
}

/// A folder for the loader that holds this driver alone. It is kept in the cache, one for each place of the library.
///
/// # Errors
/// The cache cannot be written.
pub fn vendors(library: &Path) -> Result<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    let key = warpsmith_cache::key([library.as_os_str().as_bytes()]);
    let folder = warpsmith_cache::cache_dir().join("opencl").join(key);
    let file = folder.join(ICD);
    let contents = format!("{}\n", library.display());
    if std::fs::read_to_string(&file).ok().as_ref() != Some(&contents) {
        std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        write_all(&file, contents)?;
    }
    Ok(folder)
}
