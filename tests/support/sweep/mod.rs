//! Sweeps of one operation over all its inputs, or very many: Verilog against the golden model.
//!
//! A sweep is cut into shards of 2^26 operations; as many run at once as there are cores (or
//! `WARPSMITH_SWEEP_JOBS`). A finished shard is a line of `target/exhaustive/OPERATION.txt` (or
//! below `WARPSMITH_SWEEP_DIR`), and is not run again as long as the first line of that file still
//! describes the leaf's Verilog, the control word, the operands and the model.

pub mod leaf;
pub mod operands;
pub mod operations;
pub mod vector;

use leaf::{Built, Range, Stream, CHUNK};
use operations::Operation;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Mismatches that are named before a sweep gives up.
const NAMED: usize = 5;
/// Time between lines of progress.
const PAUSE: Duration = Duration::from_secs(10);

/// Compares a range; `done` hears how many operations each chunk had. With `fast` the simulation
/// runs on vectors where that can be.
pub fn check(op: &Operation, built: &Built, range: Range, fast: bool, done: impl Fn(u64)) -> Result<(), String> {
    let stream = built.start(op, range, fast);
    let mut wrong = vec![];
    let mut at = 0;
    while at < range.count {
        let n = (range.count - at).min(CHUNK);
        let Some(chunk) = stream.next() else {
            return Err(format!("{}: the simulation ended after {at}", op.name));
        };
        let (words, flags) = chunk.split_at(4 * n as usize);
        for (k, w) in words.chunks_exact(4).enumerate() {
            let got = (u32::from_le_bytes([w[0], w[1], w[2], w[3]]), if op.flags { flags[k] } else { 0 });
            let x = op.operands(range.first + at + k as u64, range.stride);
            let want = (op.model)(x);
            if got != want && wrong.len() < NAMED {
                wrong.push(describe(op, x, got, want));
            }
        }
        if !wrong.is_empty() {
            return Err(wrong.join("\n"));
        }
        at += n;
        done(n);
    }
    Ok(())
}

fn describe(op: &Operation, x: [u32; 3], got: (u32, u8), want: (u32, u8)) -> String {
    let operands: Vec<String> = x[..op.shape.operands()].iter().map(|x| format!("{x:08x}")).collect();
    let value = |(y, flags): (u32, u8)| match op.flags {
        true => format!("{y:08x} flags {flags:x}"),
        false => format!("{y:08x}"),
    };
    format!("{} of {}: Verilog {}, model {}", op.name, operands.join(" "), value(got), value(want))
}

/// How a sweep is cut, and where its progress is kept.
pub struct Plan {
    pub shards: u64,
    /// Operations of a shard.
    pub shard: u64,
    pub jobs: usize,
    /// On vectors where that can be.
    pub fast: bool,
    pub folder: PathBuf,
}

impl Plan {
    /// The whole sweep of an operation.
    pub fn whole(op: &Operation) -> Self {
        let shard = 1 << 26;
        let jobs = std::env::var("WARPSMITH_SWEEP_JOBS").map_or_else(
            |_| std::thread::available_parallelism().map_or(1, usize::from),
            |n| n.parse().expect("WARPSMITH_SWEEP_JOBS is a number"),
        );
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("exhaustive");
        Self {
            shards: op.count() / shard,
            shard,
            jobs,
            fast: true,
            folder: std::env::var_os("WARPSMITH_SWEEP_DIR").map_or(target, PathBuf::from),
        }
    }
}

/// The file of finished shards.
struct Progress {
    file: Mutex<File>,
    finished: Vec<u64>,
}

impl Progress {
    /// Reads what is finished; starts over when the file is about something else.
    fn open(path: &Path, head: &str, shards: u64) -> Self {
        let old = std::fs::read_to_string(path).unwrap_or_default();
        // A line without its end was being written when the machine stopped.
        let mut lines = old.split_inclusive('\n').filter_map(|l| l.strip_suffix('\n'));
        let mut text = format!("{head}\n");
        let mut finished = vec![];
        if lines.next() == Some(head) {
            let number = |l: &str| l.strip_prefix("done ")?.parse().ok();
            finished = lines.filter_map(number).filter(|n| *n < shards).collect();
            finished.sort_unstable();
            finished.dedup();
            finished.iter().for_each(|n| text += &format!("done {n}\n"));
        } else if !old.is_empty() {
            eprintln!("{}: of something else, starts over", path.display());
        }
        if text != old {
            std::fs::write(path, text).expect("a writable progress file");
        }
        let file = File::options().append(true).open(path);
        Self { file: Mutex::new(file.expect("a writable progress file")), finished }
    }

    /// On the disk when it returns.
    fn finish(&self, shard: u64) {
        let mut file = self.file.lock().expect("no writer panicked");
        writeln!(file, "done {shard}").expect("a writable progress file");
        file.sync_data().expect("a writable progress file");
    }
}

/// What the results depend on: Verilog, control word, cut, operands and a sample of the model.
fn head(op: &Operation, built: &Built, plan: &Plan) -> String {
    let sum = (0..4096).fold(0u64, |sum, i| {
        let x = op.operands(i, 0x10_0401);
        let (y, flags) = (op.model)(x);
        let all = [x[0], x[1], x[2], y, flags.into()];
        all.iter().fold(sum, |s, w| (s ^ u64::from(*w)).wrapping_mul(0x100_0000_01b3))
    });
    format!("{} verilog {} control {:x} shards of {} model {sum:016x}", op.name, built.digest, op.control, plan.shard)
}

/// The simulation on vectors is the plain one: the same results for a sample of the first shard.
fn alike(op: &Operation, built: &Built, plan: &Plan) -> Result<(), String> {
    let range = Range { first: 0, count: plan.shard.min(1 << 20), stride: 4097 };
    let (plain, fast) = (built.start(op, range, false), built.start(op, range, true));
    same(&plain, &fast, range.count)
        .map_err(|at| format!("{}: the simulation on vectors differs from the plain one after operand {at}", op.name))
}

/// Whether both streams give the same `count` results, else the number of results before the
/// chunk that differs.
pub fn same(a: &Stream, b: &Stream, count: u64) -> Result<(), u64> {
    for at in (0..count).step_by(CHUNK as usize) {
        let (a, b) = (a.next(), b.next());
        if a.is_none() || a != b {
            return Err(at);
        }
    }
    Ok(())
}

/// Runs the shards that are not finished; gives the number of operations compared now.
pub fn sweep(op: &Operation, built: &Built, plan: &Plan) -> Result<u64, String> {
    if plan.fast {
        alike(op, built, plan)?;
    }
    std::fs::create_dir_all(&plan.folder).expect("a writable folder for progress");
    let path = plan.folder.join(format!("{}.txt", op.name));
    let progress = Progress::open(&path, &head(op, built, plan), plan.shards);
    let open: Vec<u64> = (0..plan.shards).filter(|n| !progress.finished.contains(n)).collect();
    let total = plan.shards * plan.shard;
    let before = total - open.len() as u64 * plan.shard;
    let (begin, now) = (Instant::now(), AtomicU64::new(0));
    let (next, said) = (AtomicUsize::new(0), Mutex::new(Instant::now()));
    let failed = Mutex::new(vec![]);
    let tick = |n: u64| {
        let now = now.fetch_add(n, Ordering::Relaxed) + n;
        // A thread that finds another one at it has nothing to say.
        let Ok(mut said) = said.try_lock() else { return };
        if said.elapsed() >= PAUSE {
            *said = Instant::now();
            let rate = now as f64 / begin.elapsed().as_secs_f64();
            let left = (total - before - now) as f64 / rate / 60.0;
            let share = 100.0 * (before + now) as f64 / total as f64;
            let name = op.name;
            let rate = rate / 1e6;
            eprintln!("{name}: {share:.1} %, {rate:.1} million a second, {left:.1} minutes left");
        }
    };
    let work = || {
        while let Some(shard) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
            let range = Range { first: shard * plan.shard, count: plan.shard, stride: 1 };
            match check(op, built, range, plan.fast, tick) {
                Ok(()) => progress.finish(*shard),
                Err(e) => {
                    failed.lock().expect("no writer panicked").push(e);
                    // The others end their shards and begin none.
                    next.store(open.len(), Ordering::Relaxed);
                }
            }
        }
    };
    std::thread::scope(|s| {
        for _ in 0..plan.jobs.max(1) {
            s.spawn(work);
        }
    });
    let failed = failed.into_inner().expect("no writer panicked");
    if !failed.is_empty() {
        return Err(failed.join("\n"));
    }
    let now = now.into_inner();
    eprintln!(
        "{}: all {total} agree, {now} compared now in {:.1} minutes; {}",
        op.name,
        begin.elapsed().as_secs_f64() / 60.0,
        path.display()
    );
    Ok(now)
}
