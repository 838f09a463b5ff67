//! The symbols of the library: what the ICD loader looks for, and one function of our own.
//!
//! Nothing here is called by name from within: a program that is linked with the loader has functions
//! of these names itself, and the dynamic linker would take those.

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
pub unsafe extern "C" fn extension_function_for_platform(
    _platform: Handle,
    name: *const c_char,
) -> *mut c_void {
    unsafe { extension_function(name) }
}

/// What the loader asks for first.
#[no_mangle]
pub unsafe extern "C" fn clGetExtensionFunctionAddress(name: *const c_char) -> *mut c_void {
    unsafe { extension_function(name) }
}

/// The platforms of this driver.
#[no_mangle]
pub unsafe extern "C" fn clIcdGetPlatformIDsKHR(
    entries: u32,
    platforms: *mut Handle,
    count: *mut u32,
) -> i32 {
    unsafe { get_platform_ids(entries, platforms, count) }
}

/// What a platform is, for the loader.
#[no_mangle]
pub unsafe extern "C" fn clGetPlatformInfo(
    platform: Handle,
    name: u32,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> i32 {
    unsafe { get_platform_info(platform, name, size, value, size_ret) }
}
