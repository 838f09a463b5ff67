//! The programs of Slurm: `sbatch` submits, `squeue` tells what is queued, `scancel` cancels.

use super::part;
use crate::error::FaultError;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Program, and the environment variable that names another one.
pub type Program = (&'static str, &'static str);
const SBATCH: Program = ("sbatch", "WARPSMITH_SBATCH");
const SQUEUE: Program = ("squeue", "WARPSMITH_SQUEUE");
const SCANCEL: Program = ("scancel", "WARPSMITH_SCANCEL");

/// States of a task that will not run any more.
const ENDED: [&str; 11] = [
    "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED",
    "SPECIAL_EXIT", "TIMEOUT",
];
/// How long the cluster may give no answer.
const SILENCE: Duration = Duration::from_secs(300);

/// A job to submit.
pub struct Cluster<'a> {
    /// Program of a task, by its full path, and its arguments; those of a task are added.
    pub command: &'a [String],
    /// Seconds of work of a task.
    pub task_seconds: u64,
    /// Further arguments of `sbatch`.
    pub sbatch: &'a [String],
}

fn program(p: Program) -> Command {
    let name = std::env::var_os(p.1).filter(|v| !v.is_empty()).unwrap_or_else(|| p.0.into());
    let mut command = Command::new(name);
    command.stdin(Stdio::null());
    command
}

/// Runs a program; a missing one is an error that says how to get it.
fn output(p: Program, command: &mut Command) -> Result<Output, FaultError> {
    command.output().map_err(|e| {
        let name = command.get_program().to_string_lossy();
        if e.kind() == ErrorKind::NotFound {
            FaultError::Ask(format!("{name} is missing, --engine slurm needs it: sudo apt-get install slurm-client, on a machine of the cluster, or name another program with {}", p.1))
        } else {
            FaultError::Ask(format!("{name} cannot be started ({e}); name another program with {}", p.1))
        }
    })
}

/// Error output of a program, on one line.
fn complaint(out: &Output) -> String {
    let text = String::from_utf8_lossy(&out.stderr);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    if lines.is_empty() {
        format!("it ended with {}", out.status)
    } else {
        lines.join("; ")
    }
}

/// Whether there is a cluster to ask.
///
/// # Errors
/// A program is missing, or knows of no cluster.
pub fn check() -> Result<(), FaultError> {
    for p in [SBATCH, SQUEUE, SCANCEL] {
        let out = output(p, program(p).arg("--version"))?;
        if !out.status.success() {
            return Err(FaultError::Ask(format!("{} finds no cluster: {}; run on a machine of the cluster (there `sinfo` lists its nodes), or set SLURM_CONF", p.0, complaint(&out))));
        }
    }
    Ok(())
}

/// An array job by its name, which is unlike any other's: it is known before the cluster gives a
/// number, so that a process killed in between loses nothing.
pub struct Queue {
    name: String,
    folder: PathBuf,
    silent_since: Option<Instant>,
}

impl Queue {
    pub fn new(name: &str, folder: &Path) -> Self {
        Queue { name: name.to_string(), folder: folder.to_path_buf(), silent_since: None }
    }

    /// Tasks that wait or run; `None` when the cluster did not answer this time.
    ///
    /// # Errors
    /// It has not for minutes.
    pub fn active(&mut self) -> Result<Option<BTreeSet<usize>>, FaultError> {
        let out = output(SQUEUE, program(SQUEUE).args(["-h", "-r", "-t", "all", "-o", "%K %T", "-n", &self.name]))?;
        if !out.status.success() {
            let since = *self.silent_since.get_or_insert_with(Instant::now);
            if since.elapsed() > SILENCE {
                return Err(FaultError::Ask(format!(
                    "the cluster has not answered for {} s: {}; tasks that run go on, and running again finds them",
                    SILENCE.as_secs(),
                    complaint(&out)
                )));
            }
            return Ok(None);
        }
        self.silent_since = None;
        let text = String::from_utf8_lossy(&out.stdout);
        let tasks = text.lines().filter_map(|line| {
            let (number, state) = line.trim().split_once(' ')?;
            let active = !ENDED.contains(&state.trim());
            active.then(|| number.parse().ok()).flatten()
        });
        Ok(Some(tasks.collect()))
    }

    /// Submits tasks.
    ///
    /// # Errors
    /// The cluster refuses.
    pub fn submit(&self, tasks: &[usize], cluster: &Cluster) -> Result<(), FaultError> {
        let script = self.folder.join("job.sh");
        part::replace(&script, &self.script(cluster)?)?;
        let rows: Vec<u64> = tasks.iter().map(|&n| n as u64).collect();
        let mut command = program(SBATCH);
        command
            .args(["--parsable", "--export=NONE", "--requeue", "--open-mode=append"])
            .arg(format!("--job-name={}", self.name))
            .arg(format!("--array={}", part::ranges(&rows, 1)))
            .arg(format!("--chdir={}", self.folder.display()))
            .arg("--output=log.%a.txt")
            .args(cluster.sbatch)
            .arg(&script);
        let out = output(SBATCH, &mut command)?;
        if !out.status.success() {
            return Err(FaultError::Ask(format!("the cluster refuses the job: {}; `sinfo` shows its partitions and nodes, --sbatch passes further arguments such as --partition=NAME", complaint(&out))));
        }
        Ok(())
    }

    /// Cancels what waits or runs. The caller has a better error to report than one of this.
    pub fn cancel(&self) {
        let _ = output(SCANCEL, program(SCANCEL).args(["-n", &self.name]));
    }

    /// The job script. Tasks get nothing of our environment but what they need.
    fn script(&self, cluster: &Cluster) -> Result<String, FaultError> {
        let here = std::env::current_dir().map_err(|e| FaultError::Ask(format!("the working folder is gone ({e})")))?;
        let mut text = format!("#!/bin/sh\n# A task of {}.\nset -eu\n", self.name);
        for (name, value) in std::env::vars_os() {
            let (Ok(name), Ok(value)) = (name.into_string(), value.into_string()) else { continue };
            let ours = name
                .strip_prefix("WARPSMITH_")
                .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'));
            if ours || ["PATH", "HOME", "XDG_CACHE_HOME", "TMPDIR"].contains(&name.as_str()) {
                text += &format!("export {name}={}\n", quoted(&value));
            }
        }
        text += &format!("cd {}\nexec", quoted(&here.display().to_string()));
        for argument in cluster.command {
            text += &format!(" {}", quoted(argument));
        }
        let folder = quoted(&self.folder.display().to_string());
        text += &format!(
            " --jobs \"${{SLURM_CPUS_PER_TASK:-1}}\" --rows @{folder}/rows.\"$SLURM_ARRAY_TASK_ID\" --results {folder}/part.\"$SLURM_ARRAY_TASK_ID\".db\n"
        );
        Ok(text)
    }
}

/// A text as one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_shell_come_back() {
        for text in ["", "a b", "it's", "$HOME `x` \"y\" \\", "*\n?"] {
            let out =
                Command::new("sh").args(["-c", &format!("printf %s {}", quoted(text))]).output().expect("sh starts");
            assert_eq!(String::from_utf8_lossy(&out.stdout), text);
        }
    }
}
