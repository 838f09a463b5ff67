//! The kernels of `kernels/`, as they are.

use super::case::{Case, Suite, KERNEL};
use crate::error::BenchError;
use std::path::Path;

/// One case a folder, in order of names.
pub fn cases(root: &Path) -> Result<Vec<Case>, BenchError> {
    let folder = root.join("kernels");
    let entries = std::fs::read_dir(&folder).map_err(|source| BenchError::File { path: folder.clone(), source })?;
    let mut files: Vec<_> = entries.flatten().map(|e| e.path().join("launch.toml")).filter(|f| f.is_file()).collect();
    files.sort();
    files
        .iter()
        .map(|file| {
            let launch = warpsmith_launch_file::load(file)?;
            Ok(Case {
                suite: Suite::Kernels,
                name: launch.name.clone(),
                size: None,
                launch,
                target: Some(KERNEL),
                long: false,
            })
        })
        .collect()
}
