//! Devices.

use super::args::{answer, code, info, object, put, Handle};
use super::platform::platform;
use crate::cl;
use crate::device::Device;
use crate::error::{need, Error, Result};
use crate::registry::Object;
use std::sync::Arc;

const KINDS: u64 = cl::DEVICE_TYPE_DEFAULT
    | cl::DEVICE_TYPE_CPU
    | cl::DEVICE_TYPE_GPU
    | cl::DEVICE_TYPE_ACCELERATOR
    | cl::DEVICE_TYPE_CUSTOM;

/// The device behind a handle.
///
/// # Errors
/// `CL_INVALID_DEVICE`.
pub fn device(handle: Handle) -> Result<Arc<Device>> {
    object(handle, cl::INVALID_DEVICE)
}

/// The devices of a type.
///
/// # Errors
/// `CL_INVALID_DEVICE_TYPE`, `CL_DEVICE_NOT_FOUND`.
pub fn of_type(all: &[Arc<Device>], kinds: u64) -> Result<Vec<Arc<Device>>> {
    let known = kinds == cl::DEVICE_TYPE_ALL || kinds != 0 && kinds & !KINDS == 0;
    need(known, cl::INVALID_DEVICE_TYPE, "no such type of device")?;
    let found: Vec<_> = all.iter().filter(|d| d.is_of(kinds)).cloned().collect();
    need(!found.is_empty(), cl::DEVICE_NOT_FOUND, "no device of this type")?;
    Ok(found)
}

/// `clGetDeviceIDs`.
pub unsafe extern "C" fn get_device_ids(
    handle: Handle, kinds: u64, entries: u32, devices: *mut Handle, count: *mut u32,
) -> i32 {
    code("clGetDeviceIDs", || {
        let platform = platform(handle)?;
        need(
            (entries > 0 || devices.is_null()) && !(devices.is_null() && count.is_null()),
            cl::INVALID_VALUE,
            "a list of devices needs a length",
        )?;
        let found = of_type(platform.devices(), kinds)?;
        unsafe { put(count, found.len() as u32) };
        if !devices.is_null() {
            for (n, d) in found.iter().take(entries as usize).enumerate() {
                unsafe { devices.add(n).write(d.handle().address() as Handle) };
            }
        }
        Ok(())
    })
}

info!(get_device_info, "clGetDeviceInfo", |handle, name| device(handle)?.info(name));

/// `clRetainDeviceEXT`, `clRetainDevice`.
pub unsafe extern "C" fn retain_device(handle: Handle) -> i32 {
    code("clRetainDevice", || device(handle).map(|_| ()))
}

/// `clReleaseDeviceEXT`, `clReleaseDevice`.
pub unsafe extern "C" fn release_device(handle: Handle) -> i32 {
    code("clReleaseDevice", || device(handle).map(|_| ()))
}

/// `clCreateSubDevicesEXT`, `clCreateSubDevices`.
pub unsafe extern "C" fn create_sub_devices(
    handle: Handle, properties: *const isize, _entries: u32, _devices: *mut Handle, _count: *mut u32,
) -> i32 {
    code("clCreateSubDevices", || {
        device(handle)?;
        need(!properties.is_null(), cl::INVALID_VALUE, "no properties")?;
        Err(Error::new(cl::INVALID_VALUE, "the device cannot be divided"))
    })
}
