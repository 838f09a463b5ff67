//! In place of machine code, where there is none: the feature `cranelift` is off.

use crate::layout::Layout;
use std::convert::Infallible;
use warpsmith_netlist::flat::Flat;

/// There is none.
pub struct Code(Infallible);

impl Code {
    /// No code.
    ///
    /// # Errors
    /// Always.
    pub fn new(_: &Flat, _: &Layout) -> Result<Self, String> {
        Err("this program was built without the feature `cranelift`".into())
    }

    /// Bytes of a device.
    pub fn len(&self) -> usize {
        match self.0 {}
    }

    /// Never called.
    pub fn drive(&self, _: &mut [u8], _: &[u8]) {
        match self.0 {}
    }

    /// Never called.
    pub fn forget(&self, _: &mut [u8]) {
        match self.0 {}
    }

    /// Never called.
    pub fn settle(&self, _: &mut [u8]) {
        match self.0 {}
    }

    /// Never called.
    pub fn edge(&self, _: &mut [u8]) {
        match self.0 {}
    }
}

/// None is held low.
pub fn reset(_: &Flat) -> Option<usize> {
    None
}
