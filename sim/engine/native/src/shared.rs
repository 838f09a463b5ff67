//! What all devices of an engine share.

use crate::bytecode::{Program, Roots};
use crate::code::Code;
use crate::layout::Layout;
use std::sync::OnceLock;
use warpsmith_contract::Port;
use warpsmith_engine::Storage;
use warpsmith_netlist::flat::Flat;

/// What all devices of an engine share.
pub(crate) struct Shared {
    pub flat: Flat,
    pub layout: Layout,
    pub program: Program,
    /// Machine code, made when the first device is where it is not there yet.
    pub code: OnceLock<Option<Code>>,
    /// The input under which the program runs instead.
    pub reset: Option<usize>,
    /// Programs for one output port each, made when they are first asked for.
    pub outputs: Vec<OnceLock<Program>>,
    /// What a device offers as sites, and the number of each in the flat netlist.
    pub sites: Vec<Storage>,
    pub site_numbers: Vec<usize>,
    /// Outputs of blocks are sites: the logic settles behind the edge too.
    pub taps: bool,
}

impl Shared {
    /// Machine code, where it can be made.
    pub fn code(&self) -> Option<&Code> {
        self.code.get_or_init(|| Code::new(&self.flat, &self.layout).ok()).as_ref()
    }

    /// The program for one output port.
    pub fn output(&self, port: usize) -> &Program {
        let make = || Program::new(&self.flat, &self.layout, Roots::Output(port as u32));
        self.outputs[port].get_or_init(make)
    }

    /// Ports.
    pub fn ports(&self) -> &[Port] {
        &self.flat.ports
    }
}
