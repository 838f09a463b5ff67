//! Reads the shared reference data in place.
#![allow(dead_code)]

use std::path::PathBuf;

/// Text of a shared reference file, or `None` (with a message) when the shared data is absent.
pub fn reference(name: &str, test: &str) -> Option<String> {
    let base = std::env::var_os("WARPSMITH_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
        PathBuf::from,
    );
    let text = std::fs::read_to_string(base.join("reference").join(name)).ok();
    if text.is_none() {
        println!("skipped: {test}: shared data absent");
    }
    text
}

/// Hexadecimal words separated by white space.
pub fn words(t: &str) -> Vec<u32> {
    t.split_whitespace()
        .map(|w| u32::from_str_radix(w, 16).expect("a hexadecimal word"))
        .collect()
}
