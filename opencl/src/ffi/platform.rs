//! Platform.

use super::args::{answer, code, info, object, put, Handle};
use crate::cl;
use crate::error::{need, Result};
use crate::platform::Platform;
use crate::registry::Object;
use std::sync::Arc;

/// The platform behind a handle; null is ours, as the standard leaves it to the driver.
///
/// # Errors
/// `CL_INVALID_PLATFORM`.
pub fn platform(handle: Handle) -> Result<Arc<Platform>> {
    match handle.is_null() {
        true => Ok(Platform::get().clone()),
        false => object(handle, cl::INVALID_PLATFORM),
    }
}

/// `clGetPlatformIDs`.
pub unsafe extern "C" fn get_platform_ids(entries: u32, platforms: *mut Handle, count: *mut u32) -> i32 {
    code("clGetPlatformIDs", || {
        need(
            (entries > 0 || platforms.is_null()) && !(platforms.is_null() && count.is_null()),
            cl::INVALID_VALUE,
            "a list of platforms needs a length",
        )?;
        let address = Platform::get().handle().address();
        unsafe {
            put(platforms, address as Handle);
            put(count, 1);
        }
        Ok(())
    })
}

info!(get_platform_info, "clGetPlatformInfo", |handle, name| platform(handle)?.info(name));

/// `clUnloadPlatformCompiler`.
pub unsafe extern "C" fn unload_platform_compiler(handle: Handle) -> i32 {
    code("clUnloadPlatformCompiler", || platform(handle).map(|_| ()))
}

/// `clUnloadCompiler`.
pub unsafe extern "C" fn unload_compiler() -> i32 {
    cl::SUCCESS
}
