//! Kernels as commands.

use super::args::{code, list_or_none, wait_list, Enqueue, Handle};
use super::kernel::kernel;
use super::queue::queue;
use crate::cl;
use crate::error::{Error, Result};
use crate::ndrange::{code as code_of, command, range, Asked};
use std::ffi::c_void;

unsafe fn launch(
    call: &'static str, kind: u32, on: Handle, of: Handle, asked: Asked, (count, events): (u32, *const Handle),
    event: *mut Handle,
) -> Result<()> {
    let queue = queue(on)?;
    let kernel = kernel(of)?;
    let code = code_of(&queue, &kernel)?;
    kernel.arguments()?;
    let range = range(&queue.device, &kernel, &code, &asked)?;
    let waits = unsafe { wait_list(&queue.context, count, events) }?;
    let work = command(&queue.device, &kernel, code, range)?;
    let what = format!("kernel {}", kernel.name);
    unsafe { Enqueue::new(call, kind).run(&what, &queue, waits, event, work) }
}

/// `clEnqueueNDRangeKernel`.
pub unsafe extern "C" fn enqueue_nd_range_kernel(
    on: Handle, of: Handle, dimensions: u32, offset: *const usize, global: *const usize, local: *const usize,
    count: u32, events: *const Handle, event: *mut Handle,
) -> i32 {
    const CALL: &str = "clEnqueueNDRangeKernel";
    code(CALL, || {
        let n = dimensions.min(3) as usize;
        let asked = unsafe {
            Asked {
                dimensions,
                offset: list_or_none(offset, n),
                global: list_or_none(global, n),
                local: list_or_none(local, n),
            }
        };
        let kind = cl::COMMAND_NDRANGE_KERNEL;
        unsafe { launch(CALL, kind, on, of, asked, (count, events), event) }
    })
}

/// `clEnqueueTask`.
pub unsafe extern "C" fn enqueue_task(
    on: Handle, of: Handle, count: u32, events: *const Handle, event: *mut Handle,
) -> i32 {
    const CALL: &str = "clEnqueueTask";
    code(CALL, || {
        let asked = Asked { dimensions: 1, offset: None, global: Some(vec![1]), local: Some(vec![1]) };
        unsafe { launch(CALL, cl::COMMAND_TASK, on, of, asked, (count, events), event) }
    })
}

/// `clEnqueueNativeKernel`.
pub unsafe extern "C" fn enqueue_native_kernel(
    on: Handle, _function: *const c_void, _args: *mut c_void, _bytes: usize, _objects: u32, _handles: *const Handle,
    _places: *const *const c_void, _count: u32, _events: *const Handle, _event: *mut Handle,
) -> i32 {
    code("clEnqueueNativeKernel", || {
        queue(on)?;
        Err(Error::new(cl::INVALID_OPERATION, "the device runs no functions of the host"))
    })
}
