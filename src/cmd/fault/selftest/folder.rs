//! The folder of results: each program as assembly with its launch file, a report, a table of all faults.

use super::findings::{Findings, Program};
use anyhow::{bail, Context, Result};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use warpsmith_cache::temporary::Temporary;
use warpsmith_cosim::random::write_launch;
use warpsmith_isa::disassemble_in;

/// A folder that is to be made.
pub struct Folder {
    path: PathBuf,
    work: Temporary,
}

impl Folder {
    /// Refuses one that holds something, and one that cannot be made.
    ///
    /// # Errors
    /// What is there, and what to do.
    pub fn new(path: &Path) -> Result<Self> {
        let entries = std::fs::read_dir(path).map(|mut e| e.next().is_some());
        match entries {
            Ok(false) => {}
            Ok(true) => {
                bail!(
                    "--out {}: the folder holds files, which would be replaced: name a new or empty folder",
                    path.display()
                )
            }
            Err(_) if path.exists() => {
                bail!("--out {}: a file has this name: name a new or empty folder", path.display())
            }
            Err(_) => {}
        }
        let name = path.file_name().with_context(|| format!("--out {}: this names no folder", path.display()))?;
        let beside = format!(".{}.{}", name.to_string_lossy(), std::process::id());
        let work = Temporary::new(path.with_file_name(beside));
        std::fs::create_dir_all(work.path())
            .with_context(|| format!("--out {}: its parent folder cannot be written", path.display()))?;
        Ok(Folder { path: path.into(), work })
    }

    /// Writes all of it beside the folder, and gives it its name.
    ///
    /// # Errors
    /// No room, or something came in its place.
    pub fn write(self, findings: &Findings, report: &str, json: &str, csv: &str) -> Result<()> {
        let root = self.work.path();
        let put = |path: PathBuf, text: &str| std::fs::write(&path, text).with_context(|| path.display().to_string());
        for (i, program) in findings.programs.iter().enumerate() {
            test(program, &root.join(name(i)))?;
        }
        put(root.join("report.txt"), report)?;
        put(root.join("report.json"), json)?;
        put(root.join("faults.csv"), csv)?;
        // An empty folder may be there; one that holds something is not replaced.
        std::fs::rename(root, &self.path)
            .with_context(|| format!("--out {}: the folder cannot take its place", self.path.display()))?;
        self.work.keep();
        Ok(())
    }
}

/// Folder of a program of the set.
pub fn name(program: usize) -> String {
    format!("t{:02}", program + 1)
}

/// A program with its launch file.
fn test(program: &Program, folder: &Path) -> Result<()> {
    let launch = &program.launch;
    let file = write_launch(launch, folder)?;
    let mut text = format!("// {}: written by `warpsmith fault selftest`.\n", launch.name);
    for line in disassemble_in(launch.program.semantics, &launch.program.words()) {
        writeln!(text, "    {};", line.text)?;
    }
    let write = |path: &Path, text: &str| std::fs::write(path, text).with_context(|| path.display().to_string());
    write(&folder.join("program.sass"), &text)?;
    std::fs::remove_file(folder.join("program.hex")).with_context(|| folder.display().to_string())?;
    let toml = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    write(&file, &toml.replacen("\"program.hex\"", "\"program.sass\"", 1))
}
