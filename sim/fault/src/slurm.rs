//! Runs the faults of a campaign as array tasks of a Slurm cluster, and merges their results.
//!
//! The open rows are cut into tasks of some seconds of work, by the rate of a short run on this
//! machine. A task runs `COMMAND --jobs N --rows @LIST --results PART.db`; it writes under a name of
//! its own and renames, so that it may run twice ([`part`]). This process submits, polls the queue,
//! merges each part as it appears, and resubmits tasks that ended without one. It may be killed: the
//! tasks go on, and the next call finds them by the name of the job.
//!
//! Beside the database `RESULTS.db` lies `RESULTS.db.slurm/` until all is merged: `state.json` with
//! the job's name, and in a folder of that name the job script, `rows.N`, `part.N.db` and `log.N.txt`
//! of task N. It has to be on a file system that the nodes share.

mod part;
mod queue;

pub use part::{part, select};
pub use queue::Cluster;

use crate::campaign::Row;
use crate::error::FaultError;
use crate::record::Record;
use crate::run::{self, Progress, Work};
use crate::store::{Meta, Store};
use queue::Queue;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Tasks of an array; clusters allow 1001 unless they are told otherwise.
const TASKS: usize = 1000;
/// How often a task is submitted before its failure is reported.
const TRIES: u32 = 3;
/// Looks at the queue that must miss a task before it counts as gone: its part may become visible
/// later than its end.
const MISSED: u32 = 2;
/// Rows and time of the run that measures the rate.
const SAMPLE: (usize, Duration) = (256, Duration::from_secs(2));
/// Time between two looks at the queue: grows while nothing happens.
const POLL: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(5));

/// A submitted job; a file that outlives this process.
#[derive(Serialize, Deserialize)]
struct Submission {
    meta: Meta,
    name: String,
    tasks: usize,
}

/// Some rows, for one task.
struct Task {
    rows: Vec<u64>,
    tries: u32,
    missed: u32,
}

/// Runs what is missing on the cluster. The rate is measured with the simulator of `work`.
///
/// # Errors
/// The control run failed, there is no cluster, it refuses, or a task fails again and again; what was
/// merged by then is kept.
pub fn run(
    cluster: &Cluster, work: &Work, control: Result<Record, FaultError>, store: &mut Store,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Progress, FaultError> {
    store.set_control(&control?)?;
    queue::check()?;
    let start = Instant::now();
    let mut state = Progress::begin(work.rows, store)?;
    progress(&state);
    let base = beside(store.path())?;
    let mut array = match Array::resume(&base, store)? {
        Some(array) => array,
        None => Array::cut(&base, work, store, cluster)?,
    };
    // The measurement has run some rows.
    state.recount(work.rows, store)?;
    let mut wait = POLL.0;
    loop {
        let active = array.queue.active()?;
        if array.collect(store)? {
            state.recount(work.rows, store)?;
            wait = POLL.0;
        }
        state.time = start.elapsed();
        progress(&state);
        if array.open.is_empty() {
            break;
        }
        if (work.stop)() {
            // The tasks stay queued: the next call takes up what they give.
            return Ok(state);
        }
        if let Some(active) = active {
            if array.submit_lost(&active, cluster, store)? {
                wait = POLL.0;
            }
        }
        std::thread::sleep(wait);
        wait = wait.mul_f64(1.3).min(POLL.1);
    }
    fs::remove_dir_all(&base).map_err(|e| FaultError::file(&base, e))?;
    Ok(state)
}

/// Folder of the submission of a database.
fn beside(results: &Path) -> Result<PathBuf, FaultError> {
    let full = std::path::absolute(results).map_err(|e| FaultError::file(results, e))?;
    let mut name = full.into_os_string();
    name.push(".slurm");
    // The name goes into a shell script.
    name.into_string()
        .map(PathBuf::from)
        .map_err(|_| FaultError::file(results, "the name is no text; name another with --results"))
}

/// The tasks that have not been merged yet.
struct Array {
    folder: PathBuf,
    queue: Queue,
    open: BTreeMap<usize, Task>,
}

impl Array {
    /// The array of an earlier call, when some of it is still of use.
    fn resume(base: &Path, store: &Store) -> Result<Option<Self>, FaultError> {
        let Ok(text) = fs::read_to_string(base.join("state.json")) else { return Ok(None) };
        let Ok(submission) = serde_json::from_str::<Submission>(&text) else { return Ok(None) };
        if submission.meta != *store.meta() {
            return Ok(None);
        }
        let folder = base.join(&submission.name);
        let done = store.done()?;
        let mut open = BTreeMap::new();
        for n in 0..submission.tasks {
            let Ok(rows) = part::read_list(&folder.join(format!("rows.{n}"))) else { return Ok(None) };
            if !rows.iter().all(|r| done.contains(r)) {
                open.insert(n, Task::new(rows));
            }
        }
        let mut array = Array { queue: Queue::new(&submission.name, &folder), folder, open };
        let active = loop {
            match array.queue.active()? {
                Some(active) => break active,
                None => std::thread::sleep(POLL.1),
            }
        };
        let useful = !active.is_empty() || array.parts()?.iter().any(|n| array.open.contains_key(n));
        Ok(useful.then_some(array))
    }

    /// Measures the rate and cuts the rows that are still open into tasks.
    fn cut(base: &Path, work: &Work, store: &mut Store, cluster: &Cluster) -> Result<Self, FaultError> {
        let seconds = seconds_a_row(work, store)?;
        let done = store.done()?;
        let open: Vec<u64> = work.rows.iter().map(|r| r.row).filter(|r| !done.contains(r)).collect();
        let wanted = (cluster.task_seconds as f64 / seconds).max(1.0) as usize;
        let size = wanted.max(open.len().div_ceil(TASKS)).min(open.len().max(1));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
        let name = format!("warpsmith-fault-{now:x}-{:x}", std::process::id());
        let folder = base.join(&name);
        // An array of other rows may still be queued; without its folder it does nothing.
        if base.exists() {
            fs::remove_dir_all(base).map_err(|e| FaultError::file(base, e))?;
        }
        fs::create_dir_all(&folder).map_err(|e| FaultError::file(&folder, e))?;
        let mut tasks = BTreeMap::new();
        for (n, rows) in open.chunks(size).enumerate() {
            part::write_list(&folder.join(format!("rows.{n}")), rows)?;
            tasks.insert(n, Task::new(rows.to_vec()));
        }
        let submission = Submission { meta: store.meta().clone(), name, tasks: tasks.len() };
        let state = base.join("state.json");
        let text = serde_json::to_string_pretty(&submission).map_err(|e| FaultError::file(&state, e))?;
        part::replace(&state, &(text + "\n"))?;
        Ok(Array { queue: Queue::new(&submission.name, &folder), folder, open: tasks })
    }

    /// Tasks with a finished part. The folder is listed: asking for each name may be answered from a
    /// memory of what was not there.
    fn parts(&self) -> Result<Vec<usize>, FaultError> {
        let fail = |e: std::io::Error| FaultError::file(&self.folder, e);
        let mut found = vec![];
        for entry in fs::read_dir(&self.folder).map_err(fail)? {
            let name = entry.map_err(fail)?.file_name();
            let number: Option<usize> =
                name.to_str().and_then(|n| n.strip_prefix("part.")?.strip_suffix(".db")?.parse().ok());
            found.extend(number);
        }
        Ok(found)
    }

    /// Merges finished parts; whether there were any.
    fn collect(&mut self, store: &mut Store) -> Result<bool, FaultError> {
        let parts = self.parts()?;
        let path = |n: usize| self.folder.join(format!("part.{n}.db"));
        for &n in &parts {
            store.merge(&path(n))?;
        }
        if parts.is_empty() {
            return Ok(false);
        }
        let done = store.done()?;
        for n in parts {
            let path = path(n);
            if let Some(task) = self.open.get(&n) {
                if let Some(row) = task.rows.iter().find(|r| !done.contains(r)) {
                    return Err(FaultError::file(
                        &path,
                        format!("task {n} gave no result for row {row}; delete the file and run again"),
                    ));
                }
            }
            self.open.remove(&n);
            // A task that runs twice puts it there again: merged again, equal again.
            fs::remove_file(&path).map_err(|e| FaultError::file(&path, e))?;
        }
        Ok(true)
    }

    /// Submits tasks that are neither queued nor finished; whether there were any.
    fn submit_lost(
        &mut self, active: &BTreeSet<usize>, cluster: &Cluster, store: &mut Store,
    ) -> Result<bool, FaultError> {
        let mut lost = vec![];
        let mut failed = None;
        for (&n, task) in &mut self.open {
            if active.contains(&n) {
                task.missed = 0;
                continue;
            }
            task.missed += 1;
            if task.tries > 0 && task.missed < MISSED {
                continue;
            }
            if task.tries == TRIES {
                failed = Some(n);
                break;
            }
            lost.push(n);
        }
        if let Some(n) = failed {
            self.queue.cancel();
            self.collect(store)?;
            return Err(self.failure(n));
        }
        if lost.is_empty() {
            return Ok(false);
        }
        self.queue.submit(&lost, cluster)?;
        for n in &lost {
            if let Some(task) = self.open.get_mut(n) {
                task.tries += 1;
                task.missed = 0;
            }
        }
        Ok(true)
    }

    fn failure(&self, n: usize) -> FaultError {
        let log = self.folder.join(format!("log.{n}.txt"));
        let text = fs::read(&log).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let said = match text.lines().rev().find(|l| !l.trim().is_empty()) {
            Some(line) => format!("its log ends `{}`", line.trim()),
            None => "it wrote nothing; look at the cluster's own logs".to_string(),
        };
        FaultError::file(&log, format!("task {n} failed {TRIES} times: {said}; the other tasks were cancelled, what had finished is kept, and running again goes on from there"))
    }
}

impl Task {
    fn new(rows: Vec<u64>) -> Self {
        Task { rows, tries: 0, missed: 0 }
    }
}

/// Seconds a row takes on this machine, of rows spread over the open ones; their results are kept.
fn seconds_a_row(work: &Work, store: &mut Store) -> Result<f64, FaultError> {
    let done = store.done()?;
    let open: Vec<&Row> = work.rows.iter().filter(|r| !done.contains(&r.row)).collect();
    let sample: Vec<Row> = open.iter().step_by(open.len().div_ceil(SAMPLE.0).max(1)).map(|r| (*r).clone()).collect();
    let control =
        store.control()?.ok_or_else(|| FaultError::Control("it is not in the database; run the campaign again".into()));
    let sampled = run::run(
        &Work {
            rows: &sample,
            sites: work.sites,
            simulator: work.simulator,
            ran_on: work.ran_on,
            side_by_side: work.side_by_side,
            workers: 1,
            time: Some(SAMPLE.1),
            stop: work.stop,
        },
        control,
        store,
        &mut |_| {},
    )?;
    Ok(sampled.time.as_secs_f64().max(1e-6) / sampled.ran.max(1) as f64)
}
