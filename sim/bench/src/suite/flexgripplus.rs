//! Programs of NVIDIA's compiler whose cycles on FlexGripPlus have been measured.
//!
//! The programs are read in place from outside the project (tests/README.md). The figures were measured on
//! FlexGripPlus 4.4 with 8 scalar processors in GHDL, from enabling its scheduler to `kernel_done`.

use super::case::{Case, Suite};
use crate::error::BenchError;
use std::path::Path;

/// Folder, and cycles of FlexGripPlus on 8 lanes.
const MEASURED: [(&str, u64); 6] = [
    ("VectorAdd_integer", 1_993),
    ("VectorAdd_float", 2_039),
    ("Reduction", 33_704),
    ("cos_soft", 4_722),
    ("sin_soft", 3_803),
    ("exp_small", 2_884),
];

/// Cycles of FlexGripPlus for a case of [`cases`].
pub fn measured(name: &str) -> Option<u64> {
    MEASURED.iter().find(|m| m.0 == name).map(|m| m.1)
}

/// The programs in `shared`; none when the folder is absent.
///
/// # Errors
/// A launch file that cannot be read.
pub fn cases(shared: &Path) -> Result<Vec<Case>, BenchError> {
    let mut cases = vec![];
    for (name, _) in MEASURED {
        let file = shared.join("kernels").join(name).join("launch.toml");
        if !file.is_file() {
            continue;
        }
        let mut launch = warpsmith_launch_file::load(&file)?;
        if name == "sin_soft" {
            // Measured with one warp and the output at 0x100.
            launch.block = [32, 1, 1];
            launch.params[0] = 0x100;
        }
        cases.push(Case {
            suite: Suite::FlexGripPlus,
            name: name.to_string(),
            size: None,
            launch,
            target: None,
            long: false,
        });
    }
    Ok(cases)
}
