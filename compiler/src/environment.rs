//! What a launch tells an OpenCL kernel beyond the block's header: numbers of `%envreg` registers.
//!
//! With [`Options::environment`](crate::Options::environment) each register that a kernel reads is a
//! parameter word ([`Kernel::environment`](crate::Kernel::environment)). A grid has two dimensions of
//! at most 65,535 blocks: a larger range of work-items is several launches, and these words tell each
//! which part it is. `include/warpsmith_cl.h` reads them.

/// Global number of the first work-item of the launch in x; y and z follow: offset of the range plus
/// first group times group size.
pub const FIRST_ITEM: u8 = 0;
/// Number of the first group of the launch in x; y and z follow.
pub const FIRST_GROUP: u8 = 3;
/// Groups of the whole range in x; y and z follow.
pub const GROUPS: u8 = 6;
/// Offset of the range in x; y and z follow.
pub const OFFSET: u8 = 9;
/// Dimensions of the range, 1 to 3.
pub const DIMENSIONS: u8 = 12;
/// Registers.
pub const REGISTERS: u8 = 13;
