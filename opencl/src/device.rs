//! A device: a chip on the model, as RTL, or on a board.

use crate::answer::{size, sizes, text, truth, uint, ulong};
use crate::build::binary;
use crate::chip::Machine;
use crate::cl;
use crate::error::{Error, Result};
use crate::image;
use crate::registry::{Handle, Object};
use crate::settings::Settings;
use std::sync::Arc;
use warpsmith_compiler::environment::REGISTERS;
use warpsmith_cosim::ChipInfo;
use warpsmith_isa::arch::{PARAM_BASE, PARAM_BYTES};
use warpsmith_isa::Level;

/// Bytes of global memory of a simulated chip.
const GLOBAL_BYTES: u64 = 2 << 30;
/// Threads a block may have in y and z: the bits of R0 that number them.
const MOST_Y: u32 = 1024;
const MOST_Z: u32 = 64;
/// Bytes of a kernel's arguments that pass with a launch: its parameters, less those that describe the launch.
const LAUNCH_ARGUMENTS: u32 = PARAM_BYTES - 4 * REGISTERS as u32;
/// Bytes of a kernel's arguments where they may lie in constant memory.
const CONSTANT_ARGUMENTS: u32 = 1024;
/// Bytes of constant memory from which on they may: descriptors of 128 images and literals lie beside them.
const LARGE_CONSTANTS: u32 = 16384;

/// A device.
pub struct Device {
    handle: Handle,
    /// Place in the platform's list.
    pub index: usize,
    /// What runs its kernels.
    pub machine: Machine,
    /// How.
    pub settings: Arc<Settings>,
    platform: usize,
}

impl Object for Device {
    fn handle(&self) -> &Handle {
        &self.handle
    }
}

/// Extensions of a chip of a level.
fn extensions(level: Level) -> String {
    let of_levels = [
        (Level::Sm10, "cl_khr_byte_addressable_store cl_khr_fp64 cl_khr_3d_image_writes"),
        (Level::Sm11, "cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics"),
        (Level::Sm12, "cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics"),
    ];
    let names: Vec<&str> = of_levels.iter().filter(|(from, _)| *from <= level).map(|(_, names)| *names).collect();
    names.join(" ")
}

impl Device {
    /// A device of the platform with the handle `platform`.
    pub fn new(handle: Handle, index: usize, machine: Machine, settings: Arc<Settings>, platform: usize) -> Device {
        Device { handle, index, machine, settings, platform }
    }

    fn info_of_chip(&self) -> &ChipInfo {
        self.machine.info()
    }

    /// Name that programs see.
    pub fn name(&self) -> String {
        self.machine.name()
    }

    /// Work-items of a group at most, in all and in each dimension.
    pub fn group_sizes(&self) -> (u32, [u32; 3]) {
        let all = 32 * self.info_of_chip().warps;
        (all, [all, all.min(MOST_Y), all.min(MOST_Z)])
    }

    /// Bytes of global memory.
    pub fn global_bytes(&self) -> u64 {
        self.machine.memory_bytes().unwrap_or(GLOBAL_BYTES)
    }

    /// Bytes of a buffer at most.
    pub fn most_alloc(&self) -> u64 {
        match self.machine.memory_bytes() {
            None => GLOBAL_BYTES / 4,
            Some(bytes) => bytes.saturating_sub(crate::layout::FIRST),
        }
    }

    /// Bytes of local memory that kernels may use.
    pub fn local_bytes(&self) -> u32 {
        self.info_of_chip().shared_bytes - PARAM_BASE - PARAM_BYTES
    }

    /// Bytes of a kernel's arguments at most.
    fn argument_bytes(&self) -> u32 {
        match self.info_of_chip().constant_bytes >= LARGE_CONSTANTS {
            true => CONSTANT_ARGUMENTS,
            false => LAUNCH_ARGUMENTS,
        }
    }

    /// Whether `kinds` (a `cl_device_type`) asks for it.
    pub fn is_of(&self, kinds: u64) -> bool {
        kinds == cl::DEVICE_TYPE_ALL
            || kinds & cl::DEVICE_TYPE_GPU != 0
            || kinds & cl::DEVICE_TYPE_DEFAULT != 0 && self.index == 0
    }

    /// A value of `clGetDeviceInfo`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for a name that 1.2 does not have.
    pub fn info(&self, name: u32) -> Result<Vec<u8>> {
        let chip = self.info_of_chip();
        let (group, items) = self.group_sizes();
        let rounded = cl::FP_ROUND_TO_NEAREST | cl::FP_INF_NAN | cl::FP_ROUND_TO_ZERO;
        Ok(match name {
            cl::DEVICE_TYPE => ulong(cl::DEVICE_TYPE_GPU),
            cl::DEVICE_VENDOR_ID => uint(0),
            cl::DEVICE_MAX_COMPUTE_UNITS => uint(chip.sms),
            cl::DEVICE_MAX_WORK_ITEM_DIMENSIONS => uint(3),
            cl::DEVICE_MAX_WORK_GROUP_SIZE => size(group as usize),
            cl::DEVICE_MAX_WORK_ITEM_SIZES => sizes(&items.map(|n| n as usize)),
            cl::DEVICE_PREFERRED_VECTOR_WIDTH_CHAR
            | cl::DEVICE_PREFERRED_VECTOR_WIDTH_SHORT
            | cl::DEVICE_PREFERRED_VECTOR_WIDTH_INT
            | cl::DEVICE_PREFERRED_VECTOR_WIDTH_LONG
            | cl::DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT
            | cl::DEVICE_NATIVE_VECTOR_WIDTH_CHAR
            | cl::DEVICE_NATIVE_VECTOR_WIDTH_SHORT
            | cl::DEVICE_NATIVE_VECTOR_WIDTH_INT
            | cl::DEVICE_NATIVE_VECTOR_WIDTH_LONG
            | cl::DEVICE_NATIVE_VECTOR_WIDTH_FLOAT
            | cl::DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE
            | cl::DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE => uint(1),
            cl::DEVICE_PREFERRED_VECTOR_WIDTH_HALF | cl::DEVICE_NATIVE_VECTOR_WIDTH_HALF => uint(0),
            cl::DEVICE_MAX_CLOCK_FREQUENCY => uint(self.settings.clock()),
            cl::DEVICE_ADDRESS_BITS => uint(32),
            cl::DEVICE_MAX_MEM_ALLOC_SIZE => ulong(self.most_alloc()),
            cl::DEVICE_IMAGE_SUPPORT => truth(true),
            cl::DEVICE_MAX_READ_IMAGE_ARGS => uint(image::READ_ARGUMENTS.min(self.argument_bytes() / 4)),
            cl::DEVICE_MAX_WRITE_IMAGE_ARGS => uint(image::WRITE_ARGUMENTS),
            cl::DEVICE_MAX_SAMPLERS => uint(image::SAMPLERS),
            cl::DEVICE_IMAGE2D_MAX_WIDTH | cl::DEVICE_IMAGE2D_MAX_HEIGHT => size(image::MOST_2D),
            cl::DEVICE_IMAGE3D_MAX_WIDTH | cl::DEVICE_IMAGE3D_MAX_HEIGHT | cl::DEVICE_IMAGE3D_MAX_DEPTH => {
                size(image::MOST_3D)
            }
            cl::DEVICE_IMAGE_MAX_BUFFER_SIZE => size(image::MOST_BUFFER),
            cl::DEVICE_IMAGE_MAX_ARRAY_SIZE => size(image::MOST_LAYERS),
            cl::DEVICE_MAX_PARAMETER_SIZE => size(self.argument_bytes() as usize),
            cl::DEVICE_MEM_BASE_ADDR_ALIGN => uint(8 * crate::layout::ALIGN as u32),
            cl::DEVICE_MIN_DATA_TYPE_ALIGN_SIZE => uint(128),
            cl::DEVICE_SINGLE_FP_CONFIG => ulong(if chip.float() { rounded } else { 0 }),
            cl::DEVICE_DOUBLE_FP_CONFIG => {
                ulong(rounded | cl::FP_DENORM | cl::FP_ROUND_TO_INF | cl::FP_FMA | cl::FP_SOFT_FLOAT)
            }
            cl::DEVICE_GLOBAL_MEM_CACHE_TYPE => uint(if chip.cache_bytes > 0 { cl::READ_ONLY_CACHE } else { cl::NONE }),
            cl::DEVICE_GLOBAL_MEM_CACHELINE_SIZE => uint(if chip.cache_bytes > 0 { 4 * chip.port_words } else { 0 }),
            cl::DEVICE_GLOBAL_MEM_CACHE_SIZE => ulong(chip.cache_bytes.into()),
            cl::DEVICE_GLOBAL_MEM_SIZE => ulong(self.global_bytes()),
            // `__constant` arguments are read from global memory.
            cl::DEVICE_MAX_CONSTANT_BUFFER_SIZE => ulong(self.most_alloc()),
            cl::DEVICE_MAX_CONSTANT_ARGS => uint(self.argument_bytes() / 4),
            cl::DEVICE_LOCAL_MEM_TYPE => uint(cl::LOCAL),
            cl::DEVICE_LOCAL_MEM_SIZE => ulong(u64::from(self.local_bytes())),
            cl::DEVICE_ERROR_CORRECTION_SUPPORT | cl::DEVICE_HOST_UNIFIED_MEMORY => truth(false),
            cl::DEVICE_PROFILING_TIMER_RESOLUTION => size(1000usize.div_ceil(self.settings.clock() as usize)),
            cl::DEVICE_ENDIAN_LITTLE
            | cl::DEVICE_AVAILABLE
            | cl::DEVICE_COMPILER_AVAILABLE
            | cl::DEVICE_LINKER_AVAILABLE
            | cl::DEVICE_PREFERRED_INTEROP_USER_SYNC => truth(true),
            cl::DEVICE_EXECUTION_CAPABILITIES => ulong(cl::EXEC_KERNEL),
            cl::DEVICE_QUEUE_PROPERTIES => ulong(cl::QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | cl::QUEUE_PROFILING_ENABLE),
            cl::DEVICE_NAME => text(&self.name()),
            cl::DEVICE_VENDOR => text("Warpsmith"),
            cl::DRIVER_VERSION => text(&format!("{} {}", env!("CARGO_PKG_VERSION"), binary::version())),
            cl::DEVICE_PROFILE => text("FULL_PROFILE"),
            cl::DEVICE_VERSION => text("OpenCL 1.2 Warpsmith"),
            cl::DEVICE_OPENCL_C_VERSION => text("OpenCL C 1.2 Warpsmith"),
            cl::DEVICE_EXTENSIONS => text(&extensions(self.machine.info().tier.level())),
            cl::DEVICE_BUILT_IN_KERNELS => text(""),
            cl::DEVICE_PLATFORM => size(self.platform),
            cl::DEVICE_PARENT_DEVICE => size(0),
            cl::DEVICE_PARTITION_MAX_SUB_DEVICES => uint(0),
            cl::DEVICE_PARTITION_PROPERTIES | cl::DEVICE_PARTITION_TYPE => size(0),
            cl::DEVICE_PARTITION_AFFINITY_DOMAIN => ulong(0),
            cl::DEVICE_REFERENCE_COUNT => uint(1),
            cl::DEVICE_PRINTF_BUFFER_SIZE => size(warpsmith_isa::print::REGION_BYTES as usize),
            _ => return Err(Error::new(cl::INVALID_VALUE, "no such value of a device")),
        })
    }
}
