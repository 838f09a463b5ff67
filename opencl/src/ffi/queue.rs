//! Command queues.

use super::args::{address, answer, code, counted, info, object, properties, put, Handle};
use super::context::context;
use super::device::device;
use crate::cl;
use crate::error::{need, Error, Result};
use crate::queue::Queue;
use crate::registry::{publish, Object};
use std::sync::Arc;

/// The queue behind a handle.
///
/// # Errors
/// `CL_INVALID_COMMAND_QUEUE`.
pub fn queue(handle: Handle) -> Result<Arc<Queue>> {
    object(handle, cl::INVALID_COMMAND_QUEUE)
}

fn create(of: Handle, on: Handle, properties: u64) -> Result<usize> {
    let context = context(of)?;
    let device = device(on)?;
    Queue::check_new(&context, &device, properties)?;
    let made = publish(|handle| Queue::new(handle, context, device, properties));
    Ok(made.handle().address())
}

/// `clCreateCommandQueue`.
pub unsafe extern "C" fn create_command_queue(
    context: Handle, device: Handle, properties: u64, errcode: *mut i32,
) -> Handle {
    let body = || create(context, device, properties);
    unsafe { address("clCreateCommandQueue", errcode, body) }
}

/// `clCreateCommandQueueWithProperties`.
pub unsafe extern "C" fn create_command_queue_with_properties(
    context: Handle, device: Handle, list: *const u64, errcode: *mut i32,
) -> Handle {
    let body = || {
        let mut flags = 0;
        for pair in unsafe { properties(list) }.chunks_exact(2) {
            let known = pair[0] == u64::from(cl::QUEUE_PROPERTIES);
            need(known, cl::INVALID_VALUE, "no such property of a queue")?;
            flags = pair[1];
        }
        create(context, device, flags)
    };
    unsafe { address("clCreateCommandQueueWithProperties", errcode, body) }
}

counted!(Queue, cl::INVALID_COMMAND_QUEUE, retain_command_queue "clRetainCommandQueue", release_command_queue "clReleaseCommandQueue");

info!(get_command_queue_info, "clGetCommandQueueInfo", |handle, name| queue(handle)?.info(name));

/// `clSetCommandQueueProperty`.
pub unsafe extern "C" fn set_command_queue_property(
    handle: Handle, _properties: u64, _enable: u32, old: *mut u64,
) -> i32 {
    code("clSetCommandQueueProperty", || {
        let queue = queue(handle)?;
        unsafe { put(old, queue.properties()) };
        Err(Error::new(cl::INVALID_OPERATION, "deprecated since 1.1: properties are set when a queue is made"))
    })
}

/// `clFlush`.
pub unsafe extern "C" fn flush(handle: Handle) -> i32 {
    // Commands begin as soon as they can.
    code("clFlush", || queue(handle).map(|_| ()))
}

/// `clFinish`.
pub unsafe extern "C" fn finish(handle: Handle) -> i32 {
    code("clFinish", || queue(handle)?.finish())
}
