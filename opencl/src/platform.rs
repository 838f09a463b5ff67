//! The platform: its name, and its devices as the settings list them.

use crate::answer::text;
use crate::chip::Machine;
use crate::cl;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::registry::{publish_forever, Handle, Object};
use crate::report;
use crate::settings::{Settings, DEVICE, PROFILE};
use std::sync::{Arc, OnceLock};

/// The platform.
pub struct Platform {
    handle: Handle,
    devices: OnceLock<Vec<Arc<Device>>>,
}

impl Object for Platform {
    fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Platform {
    /// The one platform; the first call reads the settings.
    pub fn get() -> &'static Arc<Platform> {
        static PLATFORM: OnceLock<Arc<Platform>> = OnceLock::new();
        PLATFORM.get_or_init(|| {
            let platform = publish_forever(|handle| Platform { handle, devices: OnceLock::new() });
            let devices = devices(platform.handle.address());
            let _ = platform.devices.set(devices);
            platform
        })
    }

    /// Its devices.
    pub fn devices(&self) -> &[Arc<Device>] {
        self.devices.get().map_or(&[], |d| d)
    }

    /// A value of `clGetPlatformInfo`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for a name that 1.2 does not have.
    pub fn info(&self, name: u32) -> Result<Vec<u8>> {
        Ok(text(match name {
            cl::PLATFORM_PROFILE => "FULL_PROFILE",
            cl::PLATFORM_VERSION => "OpenCL 1.2 Warpsmith",
            cl::PLATFORM_NAME | cl::PLATFORM_VENDOR => "Warpsmith",
            cl::PLATFORM_EXTENSIONS => "cl_khr_icd cl_khr_byte_addressable_store",
            cl::PLATFORM_ICD_SUFFIX_KHR => "WARPSMITH",
            _ => return Err(Error::new(cl::INVALID_VALUE, "no such value of a platform")),
        }))
    }
}

/// The devices of the settings. What cannot be used is said on stderr and left out.
fn devices(platform: usize) -> Vec<Arc<Device>> {
    let settings = match Settings::from_environment() {
        Ok(s) => Arc::new(s),
        Err(e) => {
            report::line(&e);
            return Vec::new();
        }
    };
    report::set_verbose(settings.verbose);
    let mut out: Vec<Arc<Device>> = Vec::new();
    for name in settings.devices() {
        match Machine::of(name, &settings) {
            Ok(machine) => {
                let index = out.len();
                out.push(publish_forever(|handle| Device::new(handle, index, machine, settings.clone(), platform)));
            }
            Err(e) => report::line(&format!("{}: `{name}`: {e}", DEVICE)),
        }
    }
    let simulated = |d: &&Arc<Device>| matches!(d.machine, Machine::Rtl(_));
    if settings.profile.is_some() && !settings.cosim && !out.iter().any(|d| simulated(&d)) {
        report::line(&format!(
            "{PROFILE} counts cycles of the chip: add an RTL device to {DEVICE}, such as rtl:default"
        ));
    }
    out
}
