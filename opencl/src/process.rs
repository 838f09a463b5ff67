//! The process that uses the driver: a child that it forks has none of its threads, and locks as they were.

use crate::error::{Error, Result};
use std::process::id;
use std::sync::atomic::{AtomicU32, Ordering};

/// Number of the process that made the first context; 0 before that.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// Notes that this process uses the driver from now on.
pub fn enter() {
    let _ = OWNER.compare_exchange(0, id(), Ordering::Relaxed, Ordering::Relaxed);
}

/// Checks that this is not a child of the process that uses the driver. Takes no lock.
///
/// # Errors
/// `CL_OUT_OF_RESOURCES`.
pub fn check() -> Result<()> {
    match OWNER.load(Ordering::Relaxed) {
        0 => Ok(()),
        owner if owner == id() => Ok(()),
        owner => Err(Error::resources(format!(
            "process {owner} made a context and forked this one: make contexts after fork(), or call exec()"
        ))),
    }
}
