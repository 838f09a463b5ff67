//! The suite: launches, data and targets.
//!
//! A [`Case`] is a launch with expectations; those of the FlexGrip papers and the small ones are made
//! here from a fixed seed, results by plain Rust. Integers are bit patterns of 32 bits, addresses
//! bytes, memory words little endian.

mod case;
mod flexgrip;
mod flexgripplus;
mod kernels;
mod launch;
mod micro;
mod programs;
mod scale;

pub use case::{Case, Suite, Target};
pub use flexgripplus::{cases as flexgripplus, measured as flexgripplus_cycles};
pub use programs::{cases as programs, files as program_files};

use crate::error::BenchError;
use std::path::Path;

/// All cases of ours; `root` is the folder that holds `kernels/`.
///
/// # Errors
/// A launch file that cannot be read.
pub fn cases(root: &Path) -> Result<Vec<Case>, BenchError> {
    let mut all = kernels::cases(root)?;
    all.extend(built_in());
    Ok(all)
}

/// The cases whose programs are in this crate: they need no checkout of the project.
pub fn built_in() -> Vec<Case> {
    let mut all = flexgrip::cases();
    all.extend(micro::cases());
    all.extend(scale::cases());
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use warpsmith_model::{Machine, ModelConfig};

    fn ours() -> Vec<Case> {
        cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap()
    }

    #[test]
    fn keys_are_unique_and_targets_name_cases() {
        let cases = ours();
        let keys: BTreeSet<String> = cases.iter().map(Case::key).collect();
        assert_eq!(keys.len(), cases.len());
        for c in &cases {
            let (Some(Target::Against(other, _)) | Some(Target::Conflict { free: other, .. })) = c.target else {
                continue;
            };
            assert!(keys.contains(other), "{}: no case {other}", c.key());
        }
    }

    /// Every program computes what the reference code of this crate computes, whatever state that
    /// starts undefined holds.
    #[test]
    fn every_case_meets_its_expectations_on_the_model() {
        for case in ours().iter().filter(|c| !c.long && c.suite != Suite::Scale) {
            for fill in [None, Some(7)] {
                let mut machine = Machine::new(&case.launch, ModelConfig { fill, ..ModelConfig::default() });
                machine.run(1 << 32).unwrap_or_else(|e| panic!("{}: {e}", case.key()));
                assert!(!case.launch.expects.is_empty(), "{}", case.key());
                let differences = case.launch.compare(machine.global());
                assert!(
                    differences.is_empty(),
                    "{}: {} words, first {}",
                    case.key(),
                    differences.len(),
                    differences[0]
                );
            }
        }
    }
}
