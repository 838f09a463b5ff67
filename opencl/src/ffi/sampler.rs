//! Samplers.

use super::args::{address, answer, code, counted, info, object, properties, Handle};
use super::context::context;
use crate::cl;
use crate::error::{Error, Result};
use crate::image::sampler::Sampler;
use crate::registry::{publish, Object};
use std::sync::Arc;

/// The sampler behind a handle.
///
/// # Errors
/// `CL_INVALID_SAMPLER`.
pub fn sampler(handle: Handle) -> Result<Arc<Sampler>> {
    object(handle, cl::INVALID_SAMPLER)
}

fn create(of: Handle, given: [u32; 3]) -> Result<usize> {
    let context = context(of)?;
    let [normalized, address, filter] = given;
    let word = Sampler::word(normalized, address, filter)?;
    Ok(publish(|handle| Sampler::new(handle, context, given, word)).handle().address())
}

/// `clCreateSampler`.
pub unsafe extern "C" fn create_sampler(
    of: Handle, normalized: u32, mode: u32, filter: u32, errcode: *mut i32,
) -> Handle {
    unsafe { address("clCreateSampler", errcode, || create(of, [normalized, mode, filter])) }
}

/// `clCreateSamplerWithProperties`.
pub unsafe extern "C" fn create_sampler_with_properties(of: Handle, list: *const u64, errcode: *mut i32) -> Handle {
    let body = || {
        let mut given = [1, cl::ADDRESS_CLAMP, cl::FILTER_NEAREST];
        for pair in unsafe { properties(list) }.chunks_exact(2) {
            let place = match pair[0] as u32 {
                cl::SAMPLER_NORMALIZED_COORDS => 0,
                cl::SAMPLER_ADDRESSING_MODE => 1,
                cl::SAMPLER_FILTER_MODE => 2,
                _ => return Err(Error::new(cl::INVALID_VALUE, "no such property of a sampler")),
            };
            given[place] = pair[1] as u32;
        }
        create(of, given)
    };
    unsafe { address("clCreateSamplerWithProperties", errcode, body) }
}

counted!(Sampler, cl::INVALID_SAMPLER, retain_sampler "clRetainSampler", release_sampler "clReleaseSampler");

info!(get_sampler_info, "clGetSamplerInfo", |handle, name| sampler(handle)?.info(name));
