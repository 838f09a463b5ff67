//! Events: a program's view of a command, or of something it does itself.

use crate::answer::{size, uint, ulong};
use crate::cl;
use crate::completion::Completion;
use crate::context::Context;
use crate::error::{need, Error, Result};
use crate::registry::{Handle, Object};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// An event.
pub struct Event {
    handle: Handle,
    /// Its context.
    pub context: Arc<Context>,
    /// Queue of the command; `None` for a user event.
    queue: Option<Arc<dyn Object>>,
    kind: u32,
    /// State of the command.
    pub completion: Arc<Completion>,
    profiled: bool,
    /// A user event whose status was set.
    set: AtomicBool,
}

impl Object for Event {
    fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Event {
    /// The event of a command of `kind` in a queue.
    pub fn of_command(
        handle: Handle, context: Arc<Context>, queue: Arc<dyn Object>, kind: u32, completion: Arc<Completion>,
        profiled: bool,
    ) -> Event {
        Event { handle, context, queue: Some(queue), kind, completion, profiled, set: AtomicBool::new(false) }
    }

    /// A user event.
    pub fn of_user(handle: Handle, context: Arc<Context>) -> Event {
        Event {
            handle,
            context,
            queue: None,
            kind: cl::COMMAND_USER,
            completion: Completion::new(cl::SUBMITTED),
            profiled: false,
            set: AtomicBool::new(false),
        }
    }

    /// Sets the status of a user event.
    ///
    /// # Errors
    /// Those of `clSetUserEventStatus`.
    pub fn set_status(&self, status: i32) -> Result<()> {
        need(self.kind == cl::COMMAND_USER, cl::INVALID_EVENT, "not a user event")?;
        need(status <= cl::COMPLETE, cl::INVALID_VALUE, "CL_COMPLETE or a negative status is needed")?;
        let again = self.set.swap(true, Ordering::SeqCst);
        need(!again, cl::INVALID_OPERATION, "the status of a user event is set once")?;
        self.completion.end(match status {
            cl::COMPLETE => Ok(None),
            code => Err(Error::from(code)),
        });
        Ok(())
    }

    /// A value of `clGetEventInfo`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for a name that 1.2 does not have.
    pub fn info(&self, name: u32) -> Result<Vec<u8>> {
        Ok(match name {
            cl::EVENT_COMMAND_QUEUE => size(self.queue.as_ref().map_or(0, |q| q.handle().address())),
            cl::EVENT_CONTEXT => size(self.context.handle().address()),
            cl::EVENT_COMMAND_TYPE => uint(self.kind),
            cl::EVENT_COMMAND_EXECUTION_STATUS => uint(self.completion.status_told() as u32),
            cl::EVENT_REFERENCE_COUNT => uint(self.handle.count()),
            _ => return Err(Error::new(cl::INVALID_VALUE, "no such value of an event")),
        })
    }

    /// A value of `clGetEventProfilingInfo`.
    ///
    /// # Errors
    /// `CL_PROFILING_INFO_NOT_AVAILABLE`, `CL_INVALID_VALUE`.
    pub fn times(&self, name: u32) -> Result<Vec<u8>> {
        let t = self.completion.times();
        let time = match name {
            cl::PROFILING_COMMAND_QUEUED => t.queued,
            cl::PROFILING_COMMAND_SUBMIT => t.submitted,
            cl::PROFILING_COMMAND_START => t.started,
            cl::PROFILING_COMMAND_END => t.ended,
            _ => return Err(Error::new(cl::INVALID_VALUE, "no such time of an event")),
        };
        need(
            self.profiled && self.completion.status() == cl::COMPLETE,
            cl::PROFILING_INFO_NOT_AVAILABLE,
            "times need a queue with CL_QUEUE_PROFILING_ENABLE and a complete command",
        )?;
        Ok(ulong(time))
    }
}
