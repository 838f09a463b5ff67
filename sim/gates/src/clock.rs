//! Processor time of a piece of work.

use std::time::{Duration, Instant};

/// Processor time below which the clock counts instead: Linux brings it up to date every few milliseconds.
const SHORT: Duration = Duration::from_millis(50);

/// Measures the work of one thread.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    clock: Instant,
    processor: Option<Duration>,
}

impl Stopwatch {
    /// Begins now.
    pub fn start() -> Self {
        Stopwatch { clock: Instant::now(), processor: processor() }
    }

    /// Seconds that a processor has spent on this thread, so that a rate does not depend on what else runs; those of the
    /// clock, which are no fewer, for short work and where Linux does not tell.
    pub fn seconds(self) -> f64 {
        let clock = self.clock.elapsed();
        let spent = processor().zip(self.processor).map(|(now, then)| now.saturating_sub(then));
        spent.filter(|s| *s >= SHORT).unwrap_or(clock).as_secs_f64()
    }
}

/// Processor time of this thread.
fn processor() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split_whitespace().next()?.parse().ok()?))
}
