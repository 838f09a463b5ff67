//! Buffers.

use super::args::{address, answer, code, counted, info, object, properties, Handle};
use super::context::context;
use super::host::HostPtr;
use crate::buffer::Buffer;
use crate::cl;
use crate::error::{need, Error, Result};
use crate::registry::{publish, Object};
use std::ffi::c_void;
use std::sync::Arc;

/// Called when a buffer dies.
pub type DestructorFn = unsafe extern "C" fn(Handle, *mut c_void);

/// The buffer behind a handle, which is no image's.
///
/// # Errors
/// `CL_INVALID_MEM_OBJECT`.
pub fn buffer(handle: Handle) -> Result<Arc<Buffer>> {
    let found = memory_object(handle)?;
    need(found.image.is_none(), cl::INVALID_MEM_OBJECT, "an image is no buffer")?;
    Ok(found)
}

/// The buffer or image behind a handle.
///
/// # Errors
/// `CL_INVALID_MEM_OBJECT`.
pub fn memory_object(handle: Handle) -> Result<Arc<Buffer>> {
    object(handle, cl::INVALID_MEM_OBJECT)
}

unsafe fn create(of: Handle, flags: u64, bytes: usize, host: *mut c_void) -> Result<usize> {
    let context = context(of)?;
    // SAFETY: the standard demands `bytes` bytes there, for as long as the flags need them.
    let host = (!host.is_null()).then(|| unsafe { HostPtr::new(host.cast()) });
    Buffer::check(&context, flags, bytes, host)?;
    let storage = Buffer::storage(flags, bytes, host)?;
    let made = publish(|handle| Buffer::new(handle, context, flags, bytes, storage));
    Ok(made.handle().address())
}

/// `clCreateBuffer`.
pub unsafe extern "C" fn create_buffer(
    context: Handle, flags: u64, bytes: usize, host: *mut c_void, errcode: *mut i32,
) -> Handle {
    let body = || unsafe { create(context, flags, bytes, host) };
    unsafe { address("clCreateBuffer", errcode, body) }
}

/// `clCreateBufferWithProperties`.
pub unsafe extern "C" fn create_buffer_with_properties(
    context: Handle, list: *const u64, flags: u64, bytes: usize, host: *mut c_void, errcode: *mut i32,
) -> Handle {
    let body = || {
        let none = unsafe { properties(list) }.len() < 2;
        need(none, cl::INVALID_PROPERTY, "no such property of a buffer")?;
        unsafe { create(context, flags, bytes, host) }
    };
    unsafe { address("clCreateBufferWithProperties", errcode, body) }
}

/// `clCreateSubBuffer`.
pub unsafe extern "C" fn create_sub_buffer(
    of: Handle, flags: u64, kind: u32, info: *const c_void, errcode: *mut i32,
) -> Handle {
    let body = || {
        let parent = buffer(of)?;
        need(
            kind == cl::BUFFER_CREATE_TYPE_REGION && !info.is_null(),
            cl::INVALID_VALUE,
            "CL_BUFFER_CREATE_TYPE_REGION and a region are needed",
        )?;
        // SAFETY: a region is two numbers: origin and size.
        let [origin, bytes] = unsafe { info.cast::<[usize; 2]>().read_unaligned() };
        let flags = parent.check_part(flags, origin, bytes)?;
        let made = publish(|handle| Buffer::part(handle, parent, flags, origin, bytes));
        Ok(made.handle().address())
    };
    unsafe { address("clCreateSubBuffer", errcode, body) }
}

counted!(Buffer, cl::INVALID_MEM_OBJECT, retain_mem_object "clRetainMemObject", release_mem_object "clReleaseMemObject");

info!(get_mem_object_info, "clGetMemObjectInfo", |handle, name| memory_object(handle)?.info(name));

/// `clSetMemObjectDestructorCallback`.
pub unsafe extern "C" fn set_mem_object_destructor_callback(
    handle: Handle, call: Option<DestructorFn>, user: *mut c_void,
) -> i32 {
    code("clSetMemObjectDestructorCallback", || {
        let buffer = memory_object(handle)?;
        let call = call.ok_or(Error::new(cl::INVALID_VALUE, "no callback"))?;
        let (address, user) = (handle as usize, user as usize);
        buffer.at_end(Box::new(move || {
            // SAFETY: a callback of the program with what the standard says.
            unsafe { call(address as Handle, user as *mut c_void) }
        }));
        Ok(())
    })
}
