//! Functions that programs ask for by name: those of the ICD extension, and one of our own.

use super::args::{text, Handle};
use super::platform::{get_platform_ids, get_platform_info};
use crate::registry::living;
use std::ffi::{c_char, c_void};

/// Objects alive; 0 when a program has released all it made.
pub unsafe extern "C" fn live_objects() -> u32 {
    living() as u32
}

/// The function of an extension; null for others.
pub unsafe extern "C" fn extension_function(name: *const c_char) -> *mut c_void {
    match unsafe { text(name) }.as_str() {
        "clIcdGetPlatformIDsKHR" => get_platform_ids as *mut c_void,
        "clGetPlatformInfo" => get_platform_info as *mut c_void,
        "clLiveObjectsWARPSMITH" => live_objects as *mut c_void,
        _ => std::ptr::null_mut(),
    }
}

/// The same for a platform.
pub unsafe extern "C" fn extension_function_for_platform(_platform: Handle, name: *const c_char) -> *mut c_void {
    unsafe { extension_function(name) }
}
