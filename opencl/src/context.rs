//! A context: devices that share buffers, and whom to tell of errors.

use crate::answer::{sizes, uint};
use crate::cl;
use crate::device::Device;
use crate::error::{need, Error, Result};
use crate::registry::{Handle, Object};
use crate::report;
use std::sync::Arc;

/// Takes messages about errors.
pub type Notify = Box<dyn Fn(&str) + Send + Sync>;

/// A context.
pub struct Context {
    handle: Handle,
    /// Its devices, at least one.
    pub devices: Vec<Arc<Device>>,
    /// Properties as given, with the final 0; empty when none were.
    properties: Vec<usize>,
    notify: Option<Notify>,
}

impl Object for Context {
    fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Context {
    /// A context of devices; `properties` checked by [`check_properties`].
    pub fn new(handle: Handle, devices: Vec<Arc<Device>>, properties: Vec<usize>, notify: Option<Notify>) -> Context {
        Context { handle, devices, properties, notify }
    }

    /// Tells of an error: on stderr, and the program where it asked for it.
    pub fn tell(&self, message: &str) {
        report::line(message);
        if let Some(notify) = &self.notify {
            notify(message);
        }
    }

    /// Whether a device is one of its own.
    pub fn has(&self, device: &Device) -> bool {
        self.devices.iter().any(|d| d.index == device.index)
    }

    /// A value of `clGetContextInfo`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for a name that 1.2 does not have.
    pub fn info(&self, name: u32) -> Result<Vec<u8>> {
        let handles: Vec<usize> = self.devices.iter().map(|d| d.handle().address()).collect();
        Ok(match name {
            cl::CONTEXT_REFERENCE_COUNT => uint(self.handle.count()),
            cl::CONTEXT_NUM_DEVICES => uint(handles.len() as u32),
            cl::CONTEXT_DEVICES => sizes(&handles),
            cl::CONTEXT_PROPERTIES => sizes(&self.properties),
            _ => return Err(Error::new(cl::INVALID_VALUE, "no such value of a context")),
        })
    }
}

/// Checks a list of properties that ends with 0.
///
/// # Errors
/// `CL_INVALID_PROPERTY`, or `CL_INVALID_PLATFORM` for another platform than ours.
pub fn check_properties(list: &[usize], platform: usize) -> Result<()> {
    let mut seen = Vec::new();
    for pair in list.chunks_exact(2) {
        // Names have 32 bits; anything beyond them is none of ours.
        let name = u32::try_from(pair[0]).unwrap_or(0);
        need(!seen.contains(&name), cl::INVALID_PROPERTY, "a property is given twice")?;
        seen.push(name);
        match name {
            cl::CONTEXT_PLATFORM => {
                need(pair[1] == platform, cl::INVALID_PLATFORM, "CL_CONTEXT_PLATFORM names another platform")?
            }
            cl::CONTEXT_INTEROP_USER_SYNC => {
                need(pair[1] <= 1, cl::INVALID_PROPERTY, "CL_CONTEXT_INTEROP_USER_SYNC is CL_TRUE or CL_FALSE")?
            }
            _ => {
                return Err(Error::new(
                    cl::INVALID_PROPERTY,
                    format!("property {:#x} of a context is not known", pair[0]),
                ))
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_and_repeated_properties_are_refused() {
        let platform = cl::CONTEXT_PLATFORM as usize;
        assert!(check_properties(&[platform, 7, 0], 7).is_ok());
        assert_eq!(check_properties(&[platform, 8, 0], 7).unwrap_err().code, cl::INVALID_PLATFORM);
        assert_eq!(check_properties(&[5, 8, 0], 7).unwrap_err().code, cl::INVALID_PROPERTY);
        let sync = cl::CONTEXT_INTEROP_USER_SYNC as usize;
        for (pair, fits) in [([sync, 1], true), ([sync, 2], false), ([platform | 1 << 32, 7], false)] {
            assert_eq!(check_properties(&[pair[0], pair[1], 0], 7).is_ok(), fits);
        }
        let twice = [platform, 7, platform, 7, 0];
        assert_eq!(check_properties(&twice, 7).unwrap_err().code, cl::INVALID_PROPERTY);
    }
}
