//! A counter to wait on: something may have changed.

use std::sync::{Condvar, Mutex, PoisonError};

/// Counts changes; threads wait for the next one.
#[derive(Debug, Default)]
pub struct Signal {
    changes: Mutex<u64>,
    changed: Condvar,
}

impl Signal {
    /// Changes so far.
    pub fn now(&self) -> u64 {
        *self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a change and wakes all that wait.
    pub fn raise(&self) {
        *self.changes.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.changed.notify_all();
    }

    /// Returns once there have been more changes than `seen`.
    pub fn wait_past(&self, seen: u64) {
        let mut n = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        while *n <= seen {
            n = self.changed.wait(n).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
