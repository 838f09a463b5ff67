//! The programs in CUDA C and OpenCL C of `kernels/`: the kernels once more, and applications.

use super::case::{Case, Suite};
use crate::error::BenchError;
use std::path::{Path, PathBuf};

/// Endings of the launch files of compiled programs.
const ENDINGS: [&str; 2] = ["_cu.toml", "_cl.toml"];

/// Launch files of compiled programs below `kernels/`, in order.
///
/// # Errors
/// A folder that cannot be read.
pub fn files(root: &Path) -> Result<Vec<PathBuf>, BenchError> {
    let folder = root.join("kernels");
    let list = |dir: &Path| -> Result<Vec<PathBuf>, BenchError> {
        let entries = std::fs::read_dir(dir).map_err(|source| BenchError::File { path: dir.to_path_buf(), source })?;
        Ok(entries.flatten().map(|e| e.path()).collect())
    };
    let mut files = vec![];
    for dir in list(&folder)?.iter().filter(|d| d.is_dir()) {
        files.extend(list(dir)?.into_iter().filter(|f| {
            let name = f.file_name().and_then(|n| n.to_str()).unwrap_or("");
            ENDINGS.iter().any(|e| name.ends_with(e))
        }));
    }
    files.sort();
    Ok(files)
}

/// One case a launch file. Their cycles are in no baseline: they depend on the version of clang.
///
/// # Errors
/// A launch file that cannot be read, or a program that does not compile: clang is needed.
pub fn cases(root: &Path) -> Result<Vec<Case>, BenchError> {
    let case = |file: &PathBuf| {
        let launch = warpsmith_launch_file::load(file)?;
        Ok(Case { suite: Suite::Programs, name: launch.name.clone(), size: None, launch, target: None, long: false })
    };
    files(root)?.iter().map(case).collect()
}
