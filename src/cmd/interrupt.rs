//! Ctrl-C and SIGTERM: a command that has results stops at its next step and shows them, any other ends at once.
//! Programs it started end with it, temporary files are removed, and the exit code is 130.

use anyhow::{Context, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::{exit, signal_name};
use std::ffi::c_int;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use warpsmith_cache::{temporary, tools};

/// Exit code of everything that was stopped.
pub const INTERRUPTED: u8 = 130;

/// Whether a signal came.
static ASKED: AtomicBool = AtomicBool::new(false);
/// Whether the command looks at [`asked`] and ends by itself.
static STEPWISE: AtomicBool = AtomicBool::new(false);

/// Listens from here on.
///
/// # Errors
/// The system refuses it.
pub fn listen() -> Result<()> {
    let all = [SIGINT, SIGTERM, SIGHUP].into_iter();
    let mut signals = Signals::new(all.filter(|s| !ignored(*s))).context("signals")?;
    tools::lead();
    std::thread::Builder::new()
        .name("signals".into())
        .spawn(move || signals.forever().for_each(came))
        .context("signals")?;
    Ok(())
}

/// From here on the command looks at [`asked`] and ends by itself, at the second signal at once.
pub fn stepwise() {
    STEPWISE.store(true, SeqCst);
}

/// Whether a signal came.
pub fn asked() -> bool {
    ASKED.load(SeqCst)
}

fn came(signal: c_int) {
    let again = ASKED.swap(true, SeqCst);
    tools::end();
    if STEPWISE.load(SeqCst) && !again {
        return;
    }
    temporary::remove_all();
    let name = signal_name(signal).unwrap_or("a signal");
    // Whoever reads it may be gone.
    let _ = writeln!(std::io::stderr(), "warpsmith: stopped by {name}");
    exit(c_int::from(INTERRUPTED));
}

/// Whether this program was started to ignore a signal, as `nohup` and shell scripts start others.
fn ignored(signal: c_int) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|l| l.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|m| u64::from_str_radix(m.trim(), 16).ok());
    mask.is_some_and(|m| m >> (signal - 1) & 1 == 1)
}
