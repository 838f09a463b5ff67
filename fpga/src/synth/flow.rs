//! Runs tools in sequence in a folder: a log of each, times, and errors.

use super::ecp5::Part;
use super::tools::{Missing, Program, Tool};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;
use warpsmith_cache::tools;

/// Options of a synthesis.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Clock in MHz instead of the target's own.
    pub clock_mhz: Option<f64>,
    /// ECP5 instead of the target's own; the pins stay those of the board.
    pub part: Option<Part>,
    /// First seed of place and route.
    pub seed: u64,
    /// How many seeds are tried, from the first on; the one with the fastest clock counts.
    pub seeds: u64,
    /// Whether to place and route after synthesis.
    pub route: bool,
}

/// Why a synthesis ended.
#[derive(Debug, thiserror::Error)]
pub enum SynthError {
    /// A tool is not there.
    #[error(transparent)]
    Missing(#[from] Missing),
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A tool failed.
    #[error("{stage} failed; {log} ends:\n{tail}")]
    Failed {
        /// Stage of the flow.
        stage: String,
        /// File with its output.
        log: PathBuf,
        /// Its last lines.
        tail: String,
    },
    /// The device is too small.
    #[error("the chip does not fit on {device}: {why}; see {log}")]
    DoesNotFit {
        /// The device.
        device: String,
        /// The tool's message.
        why: String,
        /// File with its output.
        log: PathBuf,
    },
    /// Copies of protected registers are not all in the netlist.
    #[error(
        "{path}: {unprotected} unprotected bits of {all}: {names}; each copy of a protected register was expected as a \
         flip-flop of its own that something reads, each block that is there twice as two instances; keep the attribute keep_hierarchy"
    )]
    Unprotected {
        /// The netlist.
        path: PathBuf,
        /// Bits that lack a copy.
        unprotected: u64,
        /// Bits of all registers in copies.
        all: u64,
        /// Their registers, the first of them.
        names: String,
    },
    /// The link cannot keep its rate.
    #[error("--clock: no whole number of cycles of {mhz} MHz makes a bit of {baud} baud within 2 %; choose a whole number of MHz, 4 or more")]
    Baud {
        /// Clock of the chip.
        mhz: f64,
        /// Rate of the link.
        baud: u32,
    },
    /// No setting of the PLL.
    #[error("--clock {mhz}: the PLL of {board} makes no clock within 5 % of it")]
    Clock {
        /// Requested value.
        mhz: f64,
        /// The board.
        board: &'static str,
    },
    /// The manifest is of no use.
    #[error(transparent)]
    Chip(#[from] crate::chip::ChipError),
    /// A wrapper cannot be made.
    #[error(transparent)]
    Wrap(#[from] crate::wrap::WrapError),
    /// A tool's output is not what it is known to write.
    #[error("{path}: {what}")]
    Output {
        /// The file.
        path: PathBuf,
        /// Expected contents.
        what: String,
    },
}

/// Progress of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step<'a> {
    /// A stage begins.
    Begin(&'a str),
    /// It ended, after so many seconds.
    End(&'a str, f64),
}

/// The folder of one synthesis.
pub struct Workshop<'a> {
    /// The folder; tools run in it and see names below it alone.
    pub out: PathBuf,
    /// Receives the progress.
    pub say: &'a mut dyn FnMut(Step),
    /// Versions of the tools used.
    pub tools: BTreeMap<String, String>,
    /// Seconds of each stage, in order.
    pub seconds: Vec<(String, f64)>,
}

/// Lines of a failed tool's log that an error shows.
const TAIL: usize = 12;

impl<'a> Workshop<'a> {
    /// Begins in `out`, which is made.
    ///
    /// # Errors
    /// It cannot be.
    pub fn new(out: &Path, say: &'a mut dyn FnMut(Step)) -> Result<Self, SynthError> {
        std::fs::create_dir_all(out).map_err(|source| SynthError::File { path: out.into(), source })?;
        Ok(Self { out: out.into(), say, tools: BTreeMap::new(), seconds: vec![] })
    }

    /// Finds a tool and notes its version.
    ///
    /// # Errors
    /// It is missing.
    pub fn tool(&mut self, tool: Tool) -> Result<Program, SynthError> {
        let program = tool.find()?;
        self.tools.insert(program.name.into(), program.version.clone());
        Ok(program)
    }

    /// Writes a file: all of it, or nothing.
    ///
    /// # Errors
    /// Names the path.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> Result<(), SynthError> {
        let path = self.out.join(name);
        warpsmith_cache::whole::write(&path, text).map_err(|source| SynthError::File { path, source })
    }

    /// Reads a file that a tool wrote.
    ///
    /// # Errors
    /// Names the path.
    pub fn read(&self, name: &str) -> Result<String, SynthError> {
        let path = self.out.join(name);
        std::fs::read_to_string(&path).map_err(|source| SynthError::File { path, source })
    }

    /// Gives a file another name.
    ///
    /// # Errors
    /// Names the path.
    pub fn rename(&self, from: &str, to: &str) -> Result<(), SynthError> {
        let path = self.out.join(from);
        std::fs::rename(&path, self.out.join(to)).map_err(|source| SynthError::File { path, source })
    }

    /// Removes a file, if it is there.
    ///
    /// # Errors
    /// Names the path.
    pub fn remove(&self, name: &str) -> Result<(), SynthError> {
        let path = self.out.join(name);
        match std::fs::remove_file(&path) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(SynthError::File { path, source }),
            _ => Ok(()),
        }
    }

    /// Runs a tool in the folder; all it says goes to `STAGE.log`.
    ///
    /// # Errors
    /// It cannot be started, or fails; the error holds the last lines and the log's path.
    pub fn run(&mut self, stage: &str, program: &Program, arguments: &[&str]) -> Result<(), SynthError> {
        self.timed(stage, |out| logged(out, stage, "", program, arguments))
    }

    /// Runs a tool once for each list of arguments, as many at a time as there are processors; what the run of name N
    /// says goes to `STAGE-N.log`. The results are in the order of the runs.
    ///
    /// # Errors
    /// Each has its own, as [`Workshop::run`].
    pub fn run_each(
        &mut self, stage: &str, program: &Program, runs: &[(String, Vec<&str>)],
    ) -> Vec<Result<(), SynthError>> {
        self.timed(stage, |out| runs.par_iter().map(|(name, list)| logged(out, stage, name, program, list)).collect())
    }

    /// Does a stage, which is said and timed.
    fn timed<T>(&mut self, stage: &str, work: impl FnOnce(&Path) -> T) -> T {
        (self.say)(Step::Begin(stage));
        let started = Instant::now();
        let result = work(&self.out);
        let seconds = started.elapsed().as_secs_f64();
        (self.say)(Step::End(stage, seconds));
        self.seconds.push((stage.into(), seconds));
        result
    }
}

/// Runs a tool in the folder `out`; what it says goes to the log of the stage, or of its run `name`.
fn logged(out: &Path, stage: &str, name: &str, program: &Program, arguments: &[&str]) -> Result<(), SynthError> {
    let dash = if name.is_empty() { "" } else { "-" };
    let log = out.join(format!("{}{dash}{name}.log", stage.replace(' ', "-")));
    let file = |source| SynthError::File { path: log.clone(), source };
    let sink = File::create(&log).map_err(file)?;
    let errors = sink.try_clone().map_err(file)?;
    let mut command = program.command();
    command.args(arguments).current_dir(out);
    command.stdin(Stdio::null()).stdout(sink).stderr(errors);
    let status =
        tools::status(&mut command).map_err(|source| SynthError::File { path: program.path.clone(), source })?;
    if status.success() {
        return Ok(());
    }
    let bytes = std::fs::read(&log).map_err(file)?;
    Err(SynthError::Failed { stage: stage.into(), tail: tail(&String::from_utf8_lossy(&bytes)), log })
}

/// Last lines that say something.
pub(crate) fn tail(log: &str) -> String {
    let lines: Vec<&str> = log.lines().filter(|l| !l.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(TAIL)..].join("\n")
}

/// A place-and-route failure for want of room, as such.
pub(super) fn fits(device: &str, result: Result<(), SynthError>) -> Result<(), SynthError> {
    match result {
        Err(SynthError::Failed { stage, log, tail }) => {
            let full = tail.lines().find(|l| {
                l.starts_with("ERROR")
                    && (l.contains("nable to place cell")
                        || l.contains("nable to find legal placement")
                        || l.contains("no BELs remaining")
                        || l.contains("no Bels remaining")
                        || l.contains("failed to place"))
            });
            Err(match full {
                Some(line) => SynthError::DoesNotFit {
                    device: device.into(),
                    why: line.trim_start_matches("ERROR: ").into(),
                    log,
                },
                None => SynthError::Failed { stage, log, tail },
            })
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell() -> Program {
        Program { name: "sh", path: "/bin/sh".into(), first: vec!["-c".into()], version: String::new() }
    }

    #[test]
    fn a_failing_tool_leaves_its_log_and_last_lines() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut steps = vec![];
        let mut say = |s: Step| steps.push(format!("{s:?}").split('"').nth(1).map(str::to_string));
        let mut shop = Workshop::new(dir.path(), &mut say).expect("a workshop");
        shop.run("first stage", &shell(), &["echo fine"]).expect("it succeeds");
        let script = "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do echo line $i; done; echo ERROR: unable to place cell x >&2; exit 1";
        let result = shop.run("place", &shell(), &[script]);
        let Err(SynthError::Failed { log, tail, .. }) = &result else { panic!("{result:?}") };
        assert!(log.ends_with("place.log") && log.is_file());
        assert!(tail.ends_with("unable to place cell x") && !tail.contains("line 3\n"), "{tail}");
        assert_eq!(shop.seconds.len(), 2);
        assert_eq!(shop.read("first-stage.log").expect("the log"), "fine\n");
        let fit = fits("a chip", result);
        assert!(matches!(fit, Err(SynthError::DoesNotFit { .. })), "{fit:?}");
        assert_eq!(steps.len(), 4);
    }

    #[test]
    fn another_failure_is_no_want_of_room() {
        let failed =
            SynthError::Failed { stage: "place".into(), log: "place.log".into(), tail: "ERROR: no such device".into() };
        let result = fits("a chip", Err(failed));
        assert!(matches!(result, Err(SynthError::Failed { .. })), "{result:?}");
    }
}
