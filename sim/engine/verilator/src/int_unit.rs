//! The integer unit of the committed chip, as the crate `verilated` runs it: the build script makes the
//! methods of this struct from its fields, which are the ports of the Verilog.

use verilated_module::module;

/// A lane's integer unit.
#[module(int_unit)]
pub struct IntUnit {
    #[port(clock)]
    pub clock: bool,
    #[port(input)]
    pub ctl: [bool; 35],
    #[port(input)]
    pub a: [bool; 32],
    #[port(input)]
    pub b: [bool; 32],
    #[port(input)]
    pub c: [bool; 32],
    #[port(input)]
    pub cin: bool,
    #[port(input)]
    pub product: [bool; 48],
    #[port(output)]
    pub negative: bool,
    #[port(output)]
    pub addend: [bool; 32],
    #[port(output)]
    pub magnitude: [bool; 32],
    #[port(output)]
    pub y: [bool; 32],
    #[port(output)]
    pub flags: [bool; 4],
}
