//! No file of the chip's source imports itself through others.

#[path = "../../tests/support/imports.rs"]
mod imports;

use std::path::Path;

/// Edges that may close a circle, each with its reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[(
    "sm/stalls.rs",
    "sm/mod.rs",
    "the stall cause is a method of the SM: it looks at the state of every child",
)];

#[test]
fn no_file_of_the_source_imports_itself_through_others() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let edges = imports::check(&root, EXCEPTIONS).unwrap_or_else(|e| panic!("hdl/src: {e}"));
    assert!(edges > 150, "{edges} imports");
}
