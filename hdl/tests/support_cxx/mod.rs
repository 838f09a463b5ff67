//! Builds the program of a test: an emitted block under Verilator with a C++ main.

use std::path::PathBuf;
use warpsmith_contract::Manifest;
use warpsmith_cxx::{program, CxxError, Program};
use warpsmith_hdl::emit::Emitted;

/// The program of the block `leaf` (from `emit_leaf`) and `main`, C++ after `#include "model.h"`,
/// where the block is class `Model`. `None`, and a line that says so, when a tool is missing and
/// `WARPSMITH_REQUIRE_TOOLS` is not set.
pub fn build(
    leaf: &Emitted,
    verilator: &[&str],
    optimise: (&str, &str),
    main: &str,
) -> Option<PathBuf> {
    let manifest: Manifest =
        serde_json::from_str(&leaf.files["manifest.json"]).expect("the manifest parses");
    let text = &leaf.files["warpsmith.v"];
    let built = program(&Program {
        sources: &[("warpsmith.v", text)],
        top: &manifest.top,
        parameters: &[],
        ports: &manifest.ports,
        verilator,
        optimise,
        main: &format!("#include \"model.h\"\n{main}"),
    });
    match built {
        Ok(path) => Some(path),
        Err(e @ CxxError::Tool { .. }) => {
            assert!(std::env::var_os("WARPSMITH_REQUIRE_TOOLS").is_none(), "{e}");
            println!("skipped: {}: {e}", manifest.top);
            None
        }
        Err(e) => panic!("{}: {e}", manifest.top),
    }
}
