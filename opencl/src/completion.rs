//! The state of a command: queued, submitted, running, complete or failed; its times; who waits for it.

use crate::cl;
use crate::error::Error;
use crate::signal::Signal;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;

/// Something to do when a command reaches a state; takes the state reached.
pub type Callback = Box<dyn FnOnce(i32) + Send>;

/// Nanoseconds of the four moments of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Entered a queue.
    pub queued: u64,
    /// All it waits for is complete.
    pub submitted: u64,
    /// Begun.
    pub started: u64,
    /// Ended.
    pub ended: u64,
}

/// Nanoseconds since the driver was first asked.
pub fn now() -> u64 {
    static BEGIN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let begin = BEGIN.get_or_init(Instant::now);
    // 0 would look like a time that was never set.
    1 + begin.elapsed().as_nanos() as u64
}

struct State {
    /// `CL_QUEUED` down to `CL_COMPLETE`, or a negative code.
    status: i32,
    times: Times,
    callbacks: Vec<(i32, Callback)>,
    waiting: Vec<Weak<Signal>>,
    /// Callbacks of the end have run: waiters go on.
    settled: bool,
    /// The program has been told of a failure.
    told: bool,
}

/// A command's state.
pub struct Completion {
    state: Mutex<State>,
    settled: Condvar,
}

impl Completion {
    /// A command that begins in `status`.
    pub fn new(status: i32) -> Arc<Completion> {
        let times = Times { queued: now(), ..Times::default() };
        Arc::new(Completion {
            state: Mutex::new(State {
                status,
                times,
                callbacks: Vec::new(),
                waiting: Vec::new(),
                settled: false,
                told: false,
            }),
            settled: Condvar::new(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Status as `CL_EVENT_COMMAND_EXECUTION_STATUS`.
    pub fn status(&self) -> i32 {
        self.state().status
    }

    /// Status, a failure counting as told to the program.
    pub fn status_told(&self) -> i32 {
        let mut s = self.state();
        s.told |= s.status < 0;
        s.status
    }

    /// Marks a failure as told; true when it had not been.
    pub fn tell(&self) -> bool {
        let mut s = self.state();
        let news = s.status < 0 && !s.told;
        s.told |= news;
        news
    }

    /// Whether it has ended, well or not.
    pub fn is_over(&self) -> bool {
        self.status() <= cl::COMPLETE
    }

    /// The four moments.
    pub fn times(&self) -> Times {
        self.state().times
    }

    /// All it waited for is complete.
    pub fn submit(&self) {
        let at = now();
        self.reach(cl::SUBMITTED, |t| t.submitted = at);
    }

    /// Begins, on the device not before `free`: time there is not the host's.
    pub fn begin(&self, free: u64) {
        let at = now().max(free);
        self.reach(cl::RUNNING, |t| t.started = at);
    }

    /// Ends the command. `length`: nanoseconds it took on the device; `None`: as long as here.
    pub fn end(&self, result: Result<Option<u64>, Error>) {
        let at = now();
        let (status, length) = match result {
            Ok(length) => (cl::COMPLETE, length),
            Err(e) => (e.code.min(-1), None),
        };
        self.reach(status, |t| {
            // A command that never ran has all its moments now.
            for moment in [&mut t.submitted, &mut t.started] {
                if *moment == 0 {
                    *moment = at;
                }
            }
            t.ended = length.map_or(at.max(t.started), |n| t.started + n);
        });
        let waiting = {
            let mut s = self.state();
            s.settled = true;
            std::mem::take(&mut s.waiting)
        };
        self.settled.notify_all();
        for signal in waiting.iter().filter_map(Weak::upgrade) {
            signal.raise();
        }
    }

    /// Enters a state and calls back whoever asked for it.
    fn reach(&self, status: i32, times: impl FnOnce(&mut Times)) {
        let due: Vec<(i32, Callback)> = {
            let mut s = self.state();
            if s.status <= cl::COMPLETE {
                return;
            }
            s.status = status;
            times(&mut s.times);
            let (due, later) = std::mem::take(&mut s.callbacks).into_iter().partition(|(at, _)| *at >= status);
            s.callbacks = later;
            due
        };
        for (at, callback) in due {
            callback(if status < 0 { status } else { at });
        }
    }

    /// Calls back when `status` is reached; at once when it has been.
    pub fn on(&self, status: i32, callback: Callback) {
        let now = {
            let mut s = self.state();
            if s.status > status {
                s.callbacks.push((status, callback));
                return;
            }
            s.status
        };
        callback(if now < 0 { now } else { status });
    }

    /// Raises a signal at the end; at once when it is over.
    pub fn raise_at_end(&self, signal: &Arc<Signal>) {
        let mut s = self.state();
        match s.settled {
            true => signal.raise(),
            false => s.waiting.push(Arc::downgrade(signal)),
        }
    }

    /// Waits for the end; the status then.
    pub fn wait(&self) -> i32 {
        let mut s = self.state();
        while !s.settled {
            s = self.settled.wait(s).unwrap_or_else(PoisonError::into_inner);
        }
        s.status
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn callbacks_come_in_order_and_once() {
        let (to, from) = channel();
        let c = Completion::new(cl::QUEUED);
        for status in [cl::COMPLETE, cl::RUNNING, cl::SUBMITTED] {
            let to = to.clone();
            c.on(status, Box::new(move |at| to.send(at).unwrap()));
        }
        c.submit();
        c.begin(0);
        c.end(Ok(Some(40)));
        c.end(Ok(None));
        c.on(cl::RUNNING, Box::new(move |at| to.send(10 + at).unwrap()));
        let got: Vec<i32> = from.iter().collect();
        assert_eq!(got, [cl::SUBMITTED, cl::RUNNING, cl::COMPLETE, 10 + cl::RUNNING]);
        let t = c.times();
        assert_eq!(t.ended, t.started + 40);
        assert!(t.queued <= t.submitted && t.submitted <= t.started);
    }

    #[test]
    fn a_failure_reaches_every_callback_and_is_told_once() {
        let (to, from) = channel();
        let c = Completion::new(cl::QUEUED);
        c.on(cl::COMPLETE, Box::new(move |at| to.send(at).unwrap()));
        c.end(Err(Error::from(-7)));
        assert_eq!((from.recv().unwrap(), c.wait()), (-7, -7));
        assert!(c.tell() && !c.tell());
        assert!(c.is_over());
    }
}
