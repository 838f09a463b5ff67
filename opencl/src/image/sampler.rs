//! Samplers of the host.

use crate::answer::{size, truth, uint};
use crate::cl;
use crate::context::Context;
use crate::error::{need, Error, Result};
use crate::registry::{Handle, Object};
use std::sync::Arc;
use warpsmith_compiler::texture::{self, Address};

/// A sampler.
pub struct Sampler {
    handle: Handle,
    /// Its context.
    pub context: Arc<Context>,
    normalized: bool,
    address: u32,
    filter: u32,
    /// What a kernel gets.
    pub word: u32,
}

impl Object for Sampler {
    fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Sampler {
    /// The word of a sampler.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`.
    pub fn word(normalized: u32, address: u32, filter: u32) -> Result<u32> {
        let bad = || Error::new(cl::INVALID_VALUE, "no such address mode, filter or kind of coordinates");
        let mode = match address {
            cl::ADDRESS_NONE => Address::None,
            cl::ADDRESS_CLAMP_TO_EDGE => Address::ClampToEdge,
            cl::ADDRESS_CLAMP => Address::Border,
            cl::ADDRESS_REPEAT => Address::Repeat,
            cl::ADDRESS_MIRRORED_REPEAT => Address::MirroredRepeat,
            _ => return Err(bad()),
        };
        let linear = match filter {
            cl::FILTER_NEAREST => false,
            cl::FILTER_LINEAR => true,
            _ => return Err(bad()),
        };
        let wraps = matches!(mode, Address::Repeat | Address::MirroredRepeat);
        need(normalized <= 1, cl::INVALID_VALUE, "normalised coordinates are CL_TRUE or CL_FALSE")?;
        need(normalized == 1 || !wraps, cl::INVALID_VALUE, "repetition is of normalised coordinates")?;
        let sampler = texture::Sampler { address: [mode; 3], linear, normalized: normalized == 1 };
        // A kernel reads the mode of all axes from the first.
        Ok(sampler.word() & 0xff)
    }

    /// A sampler of a checked word.
    pub fn new(handle: Handle, context: Arc<Context>, given: [u32; 3], word: u32) -> Sampler {
        let [normalized, address, filter] = given;
        Sampler { handle, context, normalized: normalized == 1, address, filter, word }
    }

    /// A value of `clGetSamplerInfo`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for a name that 1.2 does not have.
    pub fn info(&self, name: u32) -> Result<Vec<u8>> {
        Ok(match name {
            cl::SAMPLER_REFERENCE_COUNT => uint(self.handle.count()),
            cl::SAMPLER_CONTEXT => size(self.context.handle().address()),
            cl::SAMPLER_NORMALIZED_COORDS => truth(self.normalized),
            cl::SAMPLER_ADDRESSING_MODE => uint(self.address),
            cl::SAMPLER_FILTER_MODE => uint(self.filter),
            _ => return Err(Error::new(cl::INVALID_VALUE, "no such value of a sampler")),
        })
    }
}
