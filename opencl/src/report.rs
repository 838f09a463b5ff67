//! Messages on stderr, one line each in front of what follows from them.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

static VERBOSE: AtomicBool = AtomicBool::new(false);

/// Whether [`detail`] prints.
pub fn set_verbose(on: bool) {
    VERBOSE.store(on, Ordering::Relaxed);
}

/// A message that everybody needs.
pub fn line(message: &str) {
    // `eprintln!` panics where nobody reads stderr.
    let message = warpsmith_isa::message::plain(message);
    let _ = writeln!(std::io::stderr(), "warpsmith: {message}");
}

/// A message about a failing call: programs ask for things to learn that they are not there.
pub fn detail(message: &str) {
    if VERBOSE.load(Ordering::Relaxed) {
        line(message);
    }
}
