//! Runs the faults of a campaign that have no result yet, on several threads, into a [`Store`].
//!
//! Each worker has a fault simulator of its own and takes rows in batches, ordered by the cycle of the
//! fault: runs start from a checkpoint near it. The result of a row depends on its fault alone. One thread
//! writes: it commits after 16,384 results or 200 ms. Killed at any moment, the runs since the last
//! commit alone are lost; the next call resumes with the missing rows.

use crate::campaign::Row;
use crate::engine::RanOn;
use crate::error::FaultError;
use crate::fault::Fault;
use crate::record::{FaultOutcome, Record};
use crate::simulator::{Counts, FaultSimulator};
use crate::site::Sites;
use crate::store::Store;
use std::any::Any;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{sync_channel, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Results of one transaction, at most.
const COMMIT_ROWS: usize = 16_384;
/// Time from one transaction to the next, at most, and between two looks at the progress.
const COMMIT_TIME: Duration = Duration::from_millis(200);
/// Rows a worker takes at once, at most.
const BATCH: usize = 256;
/// The same where faults run side by side: least and most. Each batch follows the fault-free run anew.
const WIDE_BATCH: [usize; 2] = [4096, 65536];

/// Makes the fault simulator of a worker, in its thread.
pub type Factory<'a> = dyn Fn() -> Result<Box<dyn FaultSimulator + 'a>, FaultError> + Sync + 'a;

/// The faults and what runs them.
pub struct Work<'a, 'e> {
    /// Faults to run, all of one campaign; those with a result are left out.
    pub rows: &'a [Row],
    /// Sites of the chip.
    pub sites: &'a Sites,
    /// Makes a fault simulator for each worker.
    pub simulator: &'a Factory<'e>,
    /// What runs the chip, for the results.
    pub ran_on: RanOn,
    /// The simulator runs faults side by side: it takes many rows at once.
    pub side_by_side: bool,
    /// Threads, at least one.
    pub workers: usize,
    /// A worker begins no row after this time; `None`: all rows are run.
    pub time: Option<Duration>,
    /// Asked before each row: true ends the run.
    pub stop: fn() -> bool,
}

/// How far a run is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Rows to do in all.
    pub rows: u64,
    /// Rows that had a result before.
    pub before: u64,
    /// Rows done by this run and committed.
    pub ran: u64,
    /// Classes of all rows with a result.
    pub classes: BTreeMap<FaultOutcome, u64>,
    /// Time since the first worker was started.
    pub time: Duration,
    /// What the simulators did, once all are done; `None` when they run one fault at a time.
    pub counts: Option<Counts>,
}

impl Progress {
    /// Before the first row is run.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn begin(rows: &[Row], store: &Store) -> Result<Self, FaultError> {
        let mut progress = Progress { rows: rows.len() as u64, ..Progress::default() };
        progress.recount(rows, store)?;
        progress.before = std::mem::take(&mut progress.ran);
        Ok(progress)
    }

    /// Counts the database again.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn recount(&mut self, rows: &[Row], store: &Store) -> Result<(), FaultError> {
        let outcomes = store.outcomes()?;
        self.classes.clear();
        for outcome in rows.iter().filter_map(|r| outcomes.get(&r.row)) {
            *self.classes.entry(*outcome).or_default() += 1;
        }
        self.ran = self.classes.values().sum::<u64>() - self.before;
        Ok(())
    }

    /// Rows with a result.
    pub fn done(&self) -> u64 {
        self.before + self.ran
    }

    /// Faults a second of this run.
    pub fn rate(&self) -> f64 {
        self.ran as f64 / self.time.as_secs_f64().max(1e-9)
    }
}

/// Runs what is missing. The fault-free control run is stored first; if it failed, nothing is run.
///
/// # Errors
/// The control run's error, or the first of a simulator or of the database; what was done by then is
/// kept.
pub fn run(
    work: &Work, control: Result<Record, FaultError>, store: &mut Store, progress: &mut dyn FnMut(&Progress),
) -> Result<Progress, FaultError> {
    store.set_control(&control?)?;
    let done = store.done()?;
    let mut open: Vec<&Row> = work.rows.iter().filter(|r| !done.contains(&r.row)).collect();
    drop(done);
    open.sort_by_key(|r| (r.fault.cycle, r.row));
    let mut state = Progress::begin(work.rows, store)?;
    progress(&state);
    let queue = Queue {
        open: &open,
        next: Mutex::new(0),
        workers: work.workers.max(1),
        side_by_side: work.side_by_side,
        stop: AtomicBool::new(false),
        counts: Mutex::new(None),
    };
    let start = Instant::now();
    let result = std::thread::scope(|scope| {
        let (send, receive) = sync_channel(4 * COMMIT_ROWS);
        for _ in 0..queue.workers.min(open.len()) {
            let (send, queue) = (send.clone(), &queue);
            scope.spawn(move || worker(queue, work, &send));
        }
        drop(send);
        let mut writer =
            Writer { store, sites: work.sites, ran_on: work.ran_on, state: &mut state, pending: vec![], start };
        let result = writer.collect(&receive, progress, &queue.stop);
        // Workers that still run see this, or the closed channel.
        queue.stop.store(true, Ordering::Relaxed);
        drop(receive);
        result
    });
    let counts = queue.counts.into_inner();
    state.counts = counts.unwrap_or_else(PoisonError::into_inner);
    result.map(|()| state)
}

/// Rows that are not taken yet.
struct Queue<'a> {
    open: &'a [&'a Row],
    next: Mutex<usize>,
    workers: usize,
    side_by_side: bool,
    stop: AtomicBool,
    /// Of the workers that are done.
    counts: Mutex<Option<Counts>>,
}

impl<'a> Queue<'a> {
    /// The next batch: smaller ones towards the end, so that all workers end together.
    fn take(&self) -> &'a [&'a Row] {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let left = self.open.len() - *next;
        let [least, most] = WIDE_BATCH;
        let size = match self.side_by_side {
            true => left.div_ceil(2 * self.workers).clamp(least, most).min(left),
            false => left.div_ceil(4 * self.workers).min(BATCH),
        };
        let batch = &self.open[*next..*next + size];
        *next += size;
        batch
    }
}

type Message<'a> = Result<(&'a Row, Record), FaultError>;

/// Runs batches until there are none, one fails, or the receiver is gone.
fn worker<'a>(queue: &Queue<'a>, work: &Work, send: &SyncSender<Message<'a>>) {
    let made = guarded(work.simulator, || "a fault simulator is made".into());
    let mut simulator = match made {
        Ok(simulator) => simulator,
        Err(e) => return drop(send.send(Err(e))),
    };
    batches(queue, work, &mut *simulator, send);
    if let Some(counts) = simulator.counts() {
        let mut all = queue.counts.lock().unwrap_or_else(PoisonError::into_inner);
        *all.get_or_insert_default() += counts;
    }
}

/// Runs batches until there is none to be run.
fn batches<'a>(queue: &Queue<'a>, work: &Work, simulator: &mut dyn FaultSimulator, send: &SyncSender<Message<'a>>) {
    let until = work.time.map(|t| Instant::now() + t);
    loop {
        let batch = queue.take();
        if batch.is_empty() {
            return;
        }
        let over = || {
            let late = until.is_some_and(|t| Instant::now() >= t);
            late || queue.stop.load(Ordering::Relaxed) || (work.stop)()
        };
        if over() {
            return;
        }
        let faults: Vec<&Fault> = batch.iter().map(|r| &r.fault).collect();
        // Places in the batch that have no record yet.
        let open: RefCell<BTreeSet<usize>> = RefCell::new((0..batch.len()).collect());
        let mut left = false;
        let result = guarded(
            || {
                simulator.run(&faults, &mut |i, record| {
                    open.borrow_mut().remove(&i);
                    let gone = send.send(Ok((batch[i], record))).is_err();
                    left = gone || !open.borrow().is_empty() && over();
                    !left
                })
            },
            || {
                let open = open.borrow();
                let first = open.first().map_or(0, |i| batch[*i].row);
                format!("row {first} runs, or one of {} taken with it", open.len())
            },
        );
        match result {
            Ok(()) if left => return,
            Ok(()) => {}
            // The receiver is gone when another worker has failed.
            Err(e) => return drop(send.send(Err(e))),
        }
    }
}

/// A panic as an error.
fn guarded<T>(f: impl FnOnce() -> Result<T, FaultError>, when: impl FnOnce() -> String) -> Result<T, FaultError> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|panic| {
        Err(FaultError::Ask(format!("internal error while {}, please report it: {}", when(), text(panic.as_ref()))))
    })
}

fn text(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no reason given")
}

/// Takes results and commits them.
struct Writer<'a, 'r> {
    store: &'a mut Store,
    sites: &'a Sites,
    ran_on: RanOn,
    state: &'a mut Progress,
    pending: Vec<(&'r Row, Record)>,
    start: Instant,
}

impl<'r> Writer<'_, 'r> {
    /// Until all workers are gone. The first error stops them; what they had done is kept.
    fn collect(
        &mut self, receive: &Receiver<Message<'r>>, progress: &mut dyn FnMut(&Progress), stop: &AtomicBool,
    ) -> Result<(), FaultError> {
        let mut first = None;
        let mut due = Instant::now() + COMMIT_TIME;
        loop {
            match receive.recv_timeout(due.saturating_duration_since(Instant::now())) {
                Ok(Ok(result)) => self.pending.push(result),
                Ok(Err(e)) => {
                    stop.store(true, Ordering::Relaxed);
                    first.get_or_insert(e);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if self.pending.len() >= COMMIT_ROWS || Instant::now() >= due {
                self.commit()?;
                progress(self.state);
                due = Instant::now() + COMMIT_TIME;
            }
        }
        self.commit()?;
        progress(self.state);
        first.map_or(Ok(()), Err)
    }

    fn commit(&mut self) -> Result<(), FaultError> {
        if !self.pending.is_empty() {
            // Neighbours in the table go into the same page.
            self.pending.sort_unstable_by_key(|(row, _)| row.row);
            self.store.insert(self.sites, self.ran_on, &self.pending)?;
        }
        self.state.ran += self.pending.len() as u64;
        for (_, record) in self.pending.drain(..) {
            *self.state.classes.entry(record.outcome).or_default() += 1;
        }
        self.state.time = self.start.elapsed();
        Ok(())
    }
}
