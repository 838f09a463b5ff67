//! Command queues: a thread each, commands in order or as soon as they can.

use crate::answer::{size, uint, ulong};
use crate::cl;
use crate::completion::Completion;
use crate::context::Context;
use crate::device::Device;
use crate::error::{need, Error, Result};
use crate::registry::{Handle, Object};
use crate::signal::Signal;
use std::collections::VecDeque;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a command does. Returns its nanoseconds on the device, where they are not those of this process.
pub type Work = Box<dyn FnOnce() -> Result<Option<u64>> + Send>;

/// Which other commands of its queue a command regards; in an in-order queue it follows all anyway.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// Waits for all before it.
    pub after_all: bool,
    /// All behind it wait for it.
    pub before_all: bool,
}

/// A command in a queue.
struct Command {
    what: String,
    work: Work,
    waits: Vec<Arc<Completion>>,
    order: Order,
    completion: Arc<Completion>,
}

/// What the queue's thread shares with it.
struct Shared {
    pending: Mutex<VecDeque<Command>>,
    signal: Arc<Signal>,
    in_order: bool,
    closed: AtomicBool,
    /// When the last command ended, in nanoseconds: the next begins no earlier.
    free: AtomicU64,
    context: Arc<Context>,
}

impl Shared {
    fn pending(&self) -> MutexGuard<'_, VecDeque<Command>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A command that can run now.
    fn ready(&self) -> Option<Command> {
        let mut pending = self.pending();
        for n in 0..pending.len() {
            let c = &pending[n];
            let free = n == 0 || !c.order.after_all;
            if free && c.waits.iter().all(|w| w.is_over()) {
                return pending.remove(n);
            }
            if self.in_order || c.order.before_all {
                return None;
            }
        }
        None
    }

    /// Runs commands until the queue is closed and empty.
    fn serve(&self) {
        loop {
            let seen = self.signal.now();
            match self.ready() {
                Some(command) => self.execute(command),
                None if self.closed.load(Ordering::SeqCst) && self.pending().is_empty() => return,
                None => self.signal.wait_past(seen),
            }
        }
    }

    fn execute(&self, c: Command) {
        c.completion.submit();
        if c.waits.iter().any(|w| w.status() < 0) {
            let code = cl::EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
            c.completion.end(Err(Error::from(code)));
            return;
        }
        c.completion.begin(self.free.load(Ordering::SeqCst));
        let work = c.work;
        let result = catch_unwind(AssertUnwindSafe(work))
            .unwrap_or_else(|_| Err(Error::resources("internal error of the driver, please report it")));
        if let Err(e) = &result {
            self.context.tell(&format!("{}: {}", c.what, e.message));
        }
        c.completion.end(result);
        let ended = c.completion.times().ended;
        self.free.store(ended, Ordering::SeqCst);
    }
}

/// A command queue.
pub struct Queue {
    handle: Handle,
    /// Its context.
    pub context: Arc<Context>,
    /// Its device.
    pub device: Arc<Device>,
    properties: u64,
    shared: Arc<Shared>,
    /// Commands that may have failed without the program knowing.
    recent: Mutex<Vec<Arc<Completion>>>,
}

impl Object for Queue {
    fn handle(&self) -> &Handle {
        &self.handle
    }
}

/// Properties that queues can have.
const PROPERTIES: u64 = cl::QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | cl::QUEUE_PROFILING_ENABLE;

impl Queue {
    /// Checks device and properties.
    ///
    /// # Errors
    /// Those of `clCreateCommandQueue`.
    pub fn check_new(context: &Context, device: &Device, properties: u64) -> Result<()> {
        need(context.has(device), cl::INVALID_DEVICE, "the device is none of the context's")?;
        need(properties & !PROPERTIES == 0, cl::INVALID_VALUE, "no such property of a queue")
    }

    /// A queue and its thread.
    pub fn new(handle: Handle, context: Arc<Context>, device: Arc<Device>, properties: u64) -> Queue {
        let shared = Arc::new(Shared {
            pending: Mutex::default(),
            signal: Arc::default(),
            in_order: properties & cl::QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0,
            closed: AtomicBool::new(false),
            free: AtomicU64::new(0),
            context: context.clone(),
        });
        let serving = shared.clone();
        std::thread::spawn(move || serving.serve());
        Queue { handle, context, device, properties, shared, recent: Mutex::default() }
    }

    /// As given when it was made.
    pub fn properties(&self) -> u64 {
        self.properties
    }

    /// Whether its commands have times.
    pub fn is_profiled(&self) -> bool {
        self.properties & cl::QUEUE_PROFILING_ENABLE != 0
    }

    /// Adds a command; `what` names it in messages.
    pub fn add(&self, what: &str, waits: Vec<Arc<Completion>>, order: Order, work: Work) -> Arc<Completion> {
        let completion = Completion::new(cl::QUEUED);
        {
            let mut recent = self.recent();
            recent.retain(|c| !c.is_over() || c.status() < 0);
            recent.push(completion.clone());
        }
        for w in &waits {
            w.raise_at_end(&self.shared.signal);
        }
        self.shared.pending().push_back(Command {
            what: what.into(),
            work,
            waits,
            order,
            completion: completion.clone(),
        });
        self.shared.signal.raise();
        completion
    }

    fn recent(&self) -> MutexGuard<'_, Vec<Arc<Completion>>> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for all commands.
    ///
    /// # Errors
    /// `CL_OUT_OF_RESOURCES` when one has failed and the program has not been told before.
    pub fn finish(&self) -> Result<()> {
        let order = Order { after_all: true, before_all: false };
        self.add("clFinish", Vec::new(), order, Box::new(|| Ok(None))).wait();
        self.check()
    }

    /// Fails when a command has, and the program has not been told before.
    ///
    /// # Errors
    /// `CL_OUT_OF_RESOURCES`.
    pub fn check(&self) -> Result<()> {
        let mut failed = false;
        self.recent().retain(|c| {
            failed |= c.tell();
            !c.is_over()
        });
        need(!failed, cl::OUT_OF_RESOURCES, "a command of this queue has failed")
    }

    /// A value of `clGetCommandQueueInfo`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for a name that 1.2 does not have.
    pub fn info(&self, name: u32) -> Result<Vec<u8>> {
        Ok(match name {
            cl::QUEUE_CONTEXT => size(self.context.handle().address()),
            cl::QUEUE_DEVICE => size(self.device.handle().address()),
            cl::QUEUE_REFERENCE_COUNT => uint(self.handle.count()),
            cl::QUEUE_PROPERTIES => ulong(self.properties),
            _ => return Err(Error::new(cl::INVALID_VALUE, "no such value of a queue")),
        })
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::SeqCst);
        self.shared.signal.raise();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::Machine;
    use crate::registry::publish_forever;
    use crate::settings::Settings;
    use std::sync::mpsc::{channel, Receiver, Sender};

    fn queue(properties: u64) -> Arc<Queue> {
        let settings = Arc::new(Settings::default());
        let machine = Machine::of("model:tiny", &settings).unwrap();
        let device = publish_forever(|h| Device::new(h, 0, machine, settings, 0));
        let devices = vec![device.clone()];
        let context = publish_forever(|h| Context::new(h, devices, Vec::new(), None));
        publish_forever(|h| Queue::new(h, context, device, properties))
    }

    fn say(to: &Sender<u32>, n: u32) -> Work {
        let to = to.clone();
        Box::new(move || {
            to.send(n).unwrap();
            Ok(None)
        })
    }

    fn all(from: &Receiver<u32>) -> Vec<u32> {
        from.try_iter().collect()
    }

    #[test]
    fn in_order_commands_follow_each_other() {
        let q = queue(0);
        let (to, from) = channel();
        let gate = Completion::new(cl::SUBMITTED);
        q.add("a", vec![gate.clone()], Order::default(), say(&to, 1));
        q.add("b", vec![], Order::default(), say(&to, 2));
        gate.end(Ok(None));
        q.finish().unwrap();
        assert_eq!(all(&from), [1, 2]);
    }

    #[test]
    fn out_of_order_commands_wait_for_events_and_barriers_alone() {
        let q = queue(cl::QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        let (to, from) = channel();
        let gate = Completion::new(cl::SUBMITTED);
        q.add("late", vec![gate.clone()], Order::default(), say(&to, 1));
        q.add("early", vec![], Order::default(), say(&to, 2)).wait();
        let barrier = Order { after_all: true, before_all: true };
        q.add("barrier", vec![], barrier, say(&to, 3));
        q.add("behind", vec![], Order::default(), say(&to, 4));
        assert_eq!(all(&from), [2]);
        gate.end(Ok(None));
        q.finish().unwrap();
        assert_eq!(all(&from), [1, 3, 4]);
    }

    #[test]
    fn failures_are_told_once_and_stop_only_what_waits_for_them() {
        let q = queue(0);
        let (to, from) = channel();
        let bad = q.add("bad", vec![], Order::default(), Box::new(|| Err(Error::resources("on purpose"))));
        let waits = q.add("waits", vec![bad.clone()], Order::default(), say(&to, 1));
        q.add("other", vec![], Order::default(), say(&to, 2));
        let panics = q.add("panics", vec![], Order::default(), Box::new(|| panic!("on purpose")));
        assert_eq!(q.finish().unwrap_err().code, cl::OUT_OF_RESOURCES);
        assert_eq!(q.finish(), Ok(()));
        assert_eq!(bad.wait(), cl::OUT_OF_RESOURCES);
        assert_eq!(waits.wait(), cl::EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        assert_eq!(panics.wait(), cl::OUT_OF_RESOURCES);
        assert_eq!(all(&from), [2]);
    }
}
