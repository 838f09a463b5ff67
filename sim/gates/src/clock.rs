//! Processor time.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The time that a processor has spent on this thread, so that a rate does not depend on what else runs. Where Linux does
/// not tell it, the time of the clock since the first call.
pub fn processor_time() -> Duration {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|t| t.split_whitespace().next()?.parse().ok());
    match nanoseconds {
        Some(n) => Duration::from_nanos(n),
        None => FIRST.get_or_init(Instant::now).elapsed(),
    }
}
