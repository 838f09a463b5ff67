//! Events, markers and barriers.

use super::args::{address, answer, both, code, counted, info, object, wait_list, Enqueue, Handle};
use super::context::context;
use super::queue::queue;
use crate::cl;
use crate::error::{need, Error, Result};
use crate::event::Event;
use crate::queue::Order;
use crate::registry::{publish, Object};
use std::ffi::c_void;
use std::sync::Arc;

/// Called when a command reaches a state.
pub type EventFn = unsafe extern "C" fn(Handle, i32, *mut c_void);

/// The event behind a handle.
///
/// # Errors
/// `CL_INVALID_EVENT`.
pub fn event(handle: Handle) -> Result<Arc<Event>> {
    object(handle, cl::INVALID_EVENT)
}

/// `clWaitForEvents`.
pub unsafe extern "C" fn wait_for_events(count: u32, events: *const Handle) -> i32 {
    code("clWaitForEvents", || {
        need(count > 0 && !events.is_null(), cl::INVALID_VALUE, "no events to wait for")?;
        let handles = unsafe { both(count, events, cl::INVALID_VALUE) }?;
        let list: Vec<Arc<Event>> = handles.into_iter().map(event).collect::<Result<_>>()?;
        let one = list.iter().all(|e| Arc::ptr_eq(&e.context, &list[0].context));
        need(one, cl::INVALID_CONTEXT, "events of different contexts")?;
        let mut failed = false;
        for e in &list {
            failed |= e.completion.wait() < 0;
            e.completion.tell();
        }
        let code = cl::EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        need(!failed, code, "a command has failed")
    })
}

info!(get_event_info, "clGetEventInfo", |handle, name| event(handle)?.info(name));

info!(get_event_profiling_info, "clGetEventProfilingInfo", |handle, name| event(handle)?.times(name));

counted!(Event, cl::INVALID_EVENT, retain_event "clRetainEvent", release_event "clReleaseEvent");

/// `clCreateUserEvent`.
pub unsafe extern "C" fn create_user_event(of: Handle, errcode: *mut i32) -> Handle {
    let body = || {
        let context = context(of)?;
        let made = publish(|handle| Event::of_user(handle, context));
        Ok(made.handle().address())
    };
    unsafe { address("clCreateUserEvent", errcode, body) }
}

/// `clSetUserEventStatus`.
pub unsafe extern "C" fn set_user_event_status(handle: Handle, status: i32) -> i32 {
    code("clSetUserEventStatus", || event(handle)?.set_status(status))
}

/// `clSetEventCallback`.
pub unsafe extern "C" fn set_event_callback(
    handle: Handle, status: i32, call: Option<EventFn>, user: *mut c_void,
) -> i32 {
    code("clSetEventCallback", || {
        let event = event(handle)?;
        let call = call.ok_or(Error::new(cl::INVALID_VALUE, "no callback"))?;
        let known = [cl::SUBMITTED, cl::RUNNING, cl::COMPLETE].contains(&status);
        need(known, cl::INVALID_VALUE, "a callback is for submitted, running or complete")?;
        let user = user as usize;
        // The event lives until its callbacks have run.
        let kept = event.clone();
        let callback = Box::new(move |reached| {
            // SAFETY: a callback of the program with what the standard says.
            unsafe { call(kept.handle().address() as Handle, reached, user as *mut c_void) }
        });
        event.completion.on(status, callback);
        Ok(())
    })
}

/// A command that does nothing but have an order.
unsafe fn ordered(
    call: &'static str, kind: u32, on: Handle, (count, events): (u32, *const Handle), before_all: bool,
    event: *mut Handle,
) -> Result<()> {
    let queue = queue(on)?;
    let waits = unsafe { wait_list(&queue.context, count, events) }?;
    let order = Order { after_all: waits.is_empty(), before_all };
    let enqueue = Enqueue { order, ..Enqueue::new(call, kind) };
    unsafe { enqueue.run(call, &queue, waits, event, Box::new(|| Ok(None))) }
}

/// `clEnqueueMarkerWithWaitList`.
pub unsafe extern "C" fn enqueue_marker_with_wait_list(
    on: Handle, count: u32, events: *const Handle, event: *mut Handle,
) -> i32 {
    const CALL: &str = "clEnqueueMarkerWithWaitList";
    code(CALL, || unsafe { ordered(CALL, cl::COMMAND_MARKER, on, (count, events), false, event) })
}

/// `clEnqueueBarrierWithWaitList`.
pub unsafe extern "C" fn enqueue_barrier_with_wait_list(
    on: Handle, count: u32, events: *const Handle, event: *mut Handle,
) -> i32 {
    const CALL: &str = "clEnqueueBarrierWithWaitList";
    code(CALL, || unsafe { ordered(CALL, cl::COMMAND_BARRIER, on, (count, events), true, event) })
}

/// `clEnqueueMarker`.
pub unsafe extern "C" fn enqueue_marker(on: Handle, event: *mut Handle) -> i32 {
    const CALL: &str = "clEnqueueMarker";
    code(CALL, || {
        need(!event.is_null(), cl::INVALID_VALUE, "a marker is known by its event")?;
        let none = (0, std::ptr::null());
        unsafe { ordered(CALL, cl::COMMAND_MARKER, on, none, false, event) }
    })
}

/// `clEnqueueBarrier`.
pub unsafe extern "C" fn enqueue_barrier(on: Handle) -> i32 {
    const CALL: &str = "clEnqueueBarrier";
    let none = (0, std::ptr::null());
    code(CALL, || unsafe { ordered(CALL, cl::COMMAND_BARRIER, on, none, true, std::ptr::null_mut()) })
}

/// `clEnqueueWaitForEvents`.
pub unsafe extern "C" fn enqueue_wait_for_events(on: Handle, count: u32, events: *const Handle) -> i32 {
    const CALL: &str = "clEnqueueWaitForEvents";
    code(CALL, || {
        need(count > 0 && !events.is_null(), cl::INVALID_VALUE, "no events to wait for")?;
        queue(on)?;
        for h in unsafe { both(count, events, cl::INVALID_VALUE) }? {
            event(h)?;
        }
        let list = (count, events);
        unsafe { ordered(CALL, cl::COMMAND_BARRIER, on, list, true, std::ptr::null_mut()) }
    })
}
