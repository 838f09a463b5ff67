//! The symbols of the library: what the ICD loader looks for. Every use of the driver begins here.
//!
//! Nothing here is called by name from within: a program that is linked with the loader has functions
//! of these names itself, and the dynamic linker would take those.

use super::args::Handle;
use super::dispatch;
use super::export::extension_function;
use super::platform::{get_platform_ids, get_platform_info};
use crate::registry::set_dispatch;
use std::ffi::{c_char, c_void};

/// What the loader asks for first.
#[no_mangle]
pub unsafe extern "C" fn clGetExtensionFunctionAddress(name: *const c_char) -> *mut c_void {
    set_dispatch(dispatch::address());
    unsafe { extension_function(name) }
}

/// The platforms of this driver.
#[no_mangle]
pub unsafe extern "C" fn clIcdGetPlatformIDsKHR(entries: u32, platforms: *mut Handle, count: *mut u32) -> i32 {
    set_dispatch(dispatch::address());
    unsafe { get_platform_ids(entries, platforms, count) }
}

/// What a platform is, for the loader.
#[no_mangle]
pub unsafe extern "C" fn clGetPlatformInfo(
    platform: Handle, name: u32, size: usize, value: *mut c_void, size_ret: *mut usize,
) -> i32 {
    set_dispatch(dispatch::address());
    unsafe { get_platform_info(platform, name, size, value, size_ret) }
}
