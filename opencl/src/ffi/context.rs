//! Contexts.

use super::args::{address, answer, both, code, counted, info, object, properties, Handle};
use super::device::{device, of_type};
use crate::cl;
use crate::context::{check_properties, Context, Notify};
use crate::device::Device;
use crate::error::{need, Result};
use crate::platform::Platform;
use crate::process;
use crate::registry::{publish, Object};
use std::ffi::{c_char, c_void, CString};
use std::sync::Arc;

/// Takes messages about errors.
pub type NotifyFn = unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void);

/// The context behind a handle.
///
/// # Errors
/// `CL_INVALID_CONTEXT`.
pub fn context(handle: Handle) -> Result<Arc<Context>> {
    object(handle, cl::INVALID_CONTEXT)
}

fn notifier(call: Option<NotifyFn>, user: *mut c_void) -> Result<Option<Notify>> {
    need(call.is_some() || user.is_null(), cl::INVALID_VALUE, "user data without a callback")?;
    // The number is handed back as it came.
    let user = user as usize;
    Ok(call.map(|call| -> Notify {
        Box::new(move |message| {
            let text = CString::new(message.replace('\0', " ")).unwrap_or_default();
            // SAFETY: a callback of the program with what the standard says.
            unsafe { call(text.as_ptr(), std::ptr::null(), 0, user as *mut c_void) }
        })
    }))
}

fn create(devices: Vec<Arc<Device>>, properties: Vec<usize>, notify: Option<Notify>) -> usize {
    process::enter();
    let made = publish(|handle| Context::new(handle, devices, properties, notify));
    made.handle().address()
}

/// `clCreateContext`.
pub unsafe extern "C" fn create_context(
    list: *const isize, count: u32, devices: *const Handle, notify: Option<NotifyFn>, user: *mut c_void,
    errcode: *mut i32,
) -> Handle {
    let body = || {
        let properties = properties_of(list)?;
        let handles = unsafe { both(count, devices, cl::INVALID_VALUE) }?;
        need(count > 0, cl::INVALID_VALUE, "a context needs a device")?;
        let mut found: Vec<Arc<Device>> = Vec::new();
        for h in handles {
            let d = device(h)?;
            if !found.iter().any(|f| f.index == d.index) {
                found.push(d);
            }
        }
        Ok(create(found, properties, notifier(notify, user)?))
    };
    unsafe { address("clCreateContext", errcode, body) }
}

/// Checked properties of a new context.
fn properties_of(list: *const isize) -> Result<Vec<usize>> {
    // SAFETY: as the standard demands of the program; every call here passes its own argument.
    let list: Vec<usize> = unsafe { properties(list.cast()) };
    check_properties(&list, Platform::get().handle().address())?;
    Ok(list)
}

/// `clCreateContextFromType`.
pub unsafe extern "C" fn create_context_from_type(
    list: *const isize, kinds: u64, notify: Option<NotifyFn>, user: *mut c_void, errcode: *mut i32,
) -> Handle {
    let body = || {
        let properties = properties_of(list)?;
        let found = of_type(Platform::get().devices(), kinds)?;
        Ok(create(found, properties, notifier(notify, user)?))
    };
    unsafe { address("clCreateContextFromType", errcode, body) }
}

counted!(Context, cl::INVALID_CONTEXT, retain_context "clRetainContext", release_context "clReleaseContext");

info!(get_context_info, "clGetContextInfo", |handle, name| context(handle)?.info(name));
