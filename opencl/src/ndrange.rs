//! A kernel over a range of work-items: what can be wrong with it, and its command.

use crate::buffer::Buffer;
use crate::cl;
use crate::device::Device;
use crate::error::{need, Error, Result};
use crate::kernel::{locals, Argument, Kernel};
use crate::layout::{choose_local, shared_bytes, Contents, Loaded, Memory, Range, Value};
use crate::queue::{Queue, Work};
use crate::run::{nanoseconds, needs_contents, run};
use std::sync::{Arc, Weak};
use warpsmith_compiler::Compiled;

/// Sizes as the program gives them.
pub struct Asked {
    /// 1 to 3.
    pub dimensions: u32,
    /// First work-item; `None`: 0.
    pub offset: Option<Vec<usize>>,
    /// Work-items; `None` is an error.
    pub global: Option<Vec<usize>>,
    /// Work-items of a group; `None`: any.
    pub local: Option<Vec<usize>>,
}

/// The code of a kernel on the device of a queue.
///
/// # Errors
/// `CL_INVALID_CONTEXT`, `CL_INVALID_PROGRAM_EXECUTABLE`.
pub fn code(queue: &Queue, kernel: &Kernel) -> Result<Arc<Compiled>> {
    need(
        Arc::ptr_eq(&queue.context, &kernel.program.context),
        cl::INVALID_CONTEXT,
        "queue and kernel are of different contexts",
    )?;
    let code = kernel.code(&queue.device);
    code.cloned()
        .ok_or(Error::new(cl::INVALID_PROGRAM_EXECUTABLE, "the program has not been built for the device of the queue"))
}

/// Checks sizes.
///
/// # Errors
/// Those of `clEnqueueNDRangeKernel`.
pub fn range(device: &Device, kernel: &Kernel, code: &Compiled, asked: &Asked) -> Result<Range> {
    need((1..=3).contains(&asked.dimensions), cl::INVALID_WORK_DIMENSION, "1 to 3 dimensions are possible")?;
    let sizes = asked.global.as_ref().ok_or(Error::from(cl::INVALID_GLOBAL_WORK_SIZE))?;
    let whole = |list: &[usize], rest: u64| {
        let mut out = [rest; 3];
        for (to, from) in out.iter_mut().zip(list) {
            *to = *from as u64;
        }
        out
    };
    let global = whole(sizes, 1);
    let offset = whole(asked.offset.as_deref().unwrap_or(&[]), 0);
    for d in 0..3 {
        need(
            (1..1 << 32).contains(&global[d]),
            cl::INVALID_GLOBAL_WORK_SIZE,
            "each dimension has 1 to 2^32 - 1 work-items",
        )?;
        need(
            offset[d].checked_add(global[d]).is_some_and(|end| end <= 1 << 32),
            cl::INVALID_GLOBAL_OFFSET,
            "offset and size together exceed 2^32",
        )?;
    }
    let (_, each) = device.group_sizes();
    let most = kernel.most_items(device).unwrap_or(0);
    let local = match (&asked.local, code.kernel.required_block) {
        (None, Some(required)) => required,
        (None, None) => choose_local(global, most, each),
        (Some(list), required) => {
            let local = whole(list, 1);
            for d in 0..3 {
                need(
                    local[d] <= u64::from(each[d]),
                    cl::INVALID_WORK_ITEM_SIZE,
                    "more work-items in a dimension than CL_DEVICE_MAX_WORK_ITEM_SIZES",
                )?;
                need(local[d] > 0, cl::INVALID_WORK_GROUP_SIZE, "a group of no work-items")?;
            }
            let local = local.map(|n| n as u32);
            need(
                required.is_none_or(|r| r == local),
                cl::INVALID_WORK_GROUP_SIZE,
                "the source has another reqd_work_group_size",
            )?;
            local
        }
    };
    need(
        (0..3).all(|d| global[d] % u64::from(local[d]) == 0),
        cl::INVALID_WORK_GROUP_SIZE,
        "the group size does not divide the range",
    )?;
    let items: u64 = local.iter().map(|n| u64::from(*n)).product();
    // Registers are given to whole warps.
    need(
        items <= u64::from(most),
        cl::INVALID_WORK_GROUP_SIZE,
        &format!("a group of {items} work-items; the kernel allows {most} (CL_KERNEL_WORK_GROUP_SIZE)"),
    )?;
    Ok(Range { dimensions: asked.dimensions, offset, global, local })
}

/// The command of a kernel: arguments as they are now.
///
/// # Errors
/// Those of `clEnqueueNDRangeKernel` about arguments and memory.
pub fn command(device: &Arc<Device>, kernel: &Kernel, code: Arc<Compiled>, range: Range) -> Result<Work> {
    let arguments = kernel.arguments()?;
    let locals = locals(code.kernel.params.iter().zip(&arguments));
    let needed = shared_bytes(code.kernel.shared_bytes, locals);
    let has = device.machine.info().shared_bytes;
    need(
        needed <= u64::from(has),
        cl::OUT_OF_RESOURCES,
        &format!(
            "{}: a group needs {needed} bytes of local memory with header and parameters, the device has {has}",
            kernel.name
        ),
    )?;
    // Buffers and their parts share storage: each is there once.
    let mut buffers: Vec<Arc<Buffer>> = Vec::new();
    let mut memory = Memory { apart: device.settings.check, ..Memory::default() };
    let limit = device.global_bytes();
    let mut values = Vec::new();
    for (n, argument) in arguments.iter().enumerate() {
        let mut place = |b: &Weak<Buffer>| {
            let b = b.upgrade().ok_or_else(|| {
                let what = format!("argument {n} of {} has been released", kernel.name);
                Error::new(cl::INVALID_KERNEL_ARGS, what)
            })?;
            let known = buffers.iter().position(|o| o.shares_storage(&b));
            let at = match known {
                Some(at) => at,
                None => {
                    memory.place(format!("argument {n}"), b.whole_bytes() as u64, limit)?;
                    buffers.push(b.clone());
                    buffers.len() - 1
                }
            };
            Ok::<_, Error>((at, b))
        };
        values.push(match argument {
            Argument::Local(bytes) => Value::Local(*bytes),
            Argument::Bytes(bytes) => Value::Bytes(bytes.clone()),
            Argument::Buffer(None) => Value::Buffer(None),
            Argument::Buffer(Some(b)) => {
                let (at, b) = place(b)?;
                Value::Buffer(Some((at, b.origin as u64)))
            }
            Argument::Image(b) => {
                let (at, b) = place(b)?;
                let shape = b.image.ok_or(Error::from(cl::INVALID_KERNEL_ARGS))?;
                Value::Image(at, b.origin as u32, shape)
            }
        });
    }
    let loaded = Loaded::new(code, &values, memory, limit)?;
    let device = device.clone();
    Ok(Box::new(move || {
        let mut cycles = 0;
        for part in range.parts() {
            let contents = match needs_contents(&device) {
                true => Contents::Whole(buffers.iter().map(|b| b.whole()).collect()),
                false => Contents::Behind(buffers.iter().map(|b| b.reader()).collect()),
            };
            let launch = loaded.launch(&range, part, contents);
            let ran = run(&device, &launch)?;
            cycles += ran.cycles;
            for change in loaded.changes(&launch, &ran.global) {
                buffers[change.buffer].merge(change.offset, change.before, change.after);
            }
        }
        Ok(Some(nanoseconds(&device, cycles)))
    }))
}
