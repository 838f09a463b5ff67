//! Where the shared data lies, for every integration test of this crate.

pub mod accuracy;
pub mod build;
pub mod reference;

use std::path::PathBuf;

/// `name` under the shared folder (`WARPSMITH_SHARED`, else `shared` beside the workspace), or
/// `None` after a line on stderr when it is absent.
pub fn shared(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("WARPSMITH_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")),
        PathBuf::from,
    );
    let path = root.join(name);
    if path.exists() {
        Some(path)
    } else {
        eprintln!("skipped: {name}: shared data absent");
        None
    }
}
