//! Programs from outside that end with this one.
//!
//! Once [`lead`] was called, each runs in a process group of its own, and [`end`] ends it with all that it
//! started itself. Without, they run as any program does: a library leaves the signals of its host alone.

use rustix::process::{kill_process_group, Pid, Signal};
use std::collections::BTreeSet;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Mutex, PoisonError};

/// What runs now.
struct Running {
    led: bool,
    ended: bool,
    groups: BTreeSet<u32>,
}

static RUNNING: Mutex<Running> = Mutex::new(Running { led: false, ended: false, groups: BTreeSet::new() });

fn running<T>(f: impl FnOnce(&mut Running) -> T) -> T {
    f(&mut RUNNING.lock().unwrap_or_else(PoisonError::into_inner))
}

/// From here on programs run in groups of their own.
pub fn lead() {
    running(|r| r.led = true);
}

/// Ends all programs; none starts any more.
pub fn end() {
    running(|r| {
        r.ended = true;
        for group in &r.groups {
            let pid = i32::try_from(*group).ok().and_then(Pid::from_raw);
            // One that has ended by itself is no error.
            let _ = pid.map(|p| kill_process_group(p, Signal::TERM));
        }
    });
}

/// Whether [`end`] was called.
pub fn ended() -> bool {
    running(|r| r.ended)
}

/// Runs a program to its end: what it wrote.
///
/// # Errors
/// It cannot be started; [`stopped`] when [`end`] ended it.
pub fn output(command: &mut Command) -> io::Result<Output> {
    // As the standard library has it: nothing to read, all that is written is kept.
    command.stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    watched(command, Child::wait_with_output)
}

/// The same of a program whose output goes where the command says: how it ended.
///
/// # Errors
/// As [`output`].
pub fn status(command: &mut Command) -> io::Result<ExitStatus> {
    watched(command, |mut child| child.wait())
}

/// Starts a program, waits for it with `wait`, and knows it as long as it runs.
///
/// # Errors
/// As [`output`].
pub fn watched<T>(command: &mut Command, wait: impl FnOnce(Child) -> io::Result<T>) -> io::Result<T> {
    let child = running(|r| {
        if r.ended {
            return Err(stopped());
        }
        if r.led {
            command.process_group(0);
        }
        let child = command.spawn()?;
        if r.led {
            r.groups.insert(child.id());
        }
        Ok(child)
    })?;
    let id = child.id();
    let result = wait(child);
    let ended = running(|r| {
        r.groups.remove(&id);
        r.ended
    });
    match ended {
        true => Err(stopped()),
        false => result,
    }
}

/// The error of a program that [`end`] ended, or kept from starting.
fn stopped() -> io::Error {
    io::Error::new(io::ErrorKind::Interrupted, "stopped")
}
