//! Kernels.

use super::args::{address, answer, code, counted, info, list, object, put, text, Handle};
use super::buffer::buffer;
use super::device::device;
use super::image::image;
use super::program::program;
use super::sampler::sampler;
use crate::cl;
use crate::context::Context;
use crate::error::{need, Error, Result};
use crate::kernel::{Given, Kernel, Wanted};
use crate::program::Program;
use crate::registry::{publish, Object};
use std::ffi::{c_char, c_void};
use std::sync::Arc;

/// The kernel behind a handle.
///
/// # Errors
/// `CL_INVALID_KERNEL`.
pub fn kernel(handle: Handle) -> Result<Arc<Kernel>> {
    object(handle, cl::INVALID_KERNEL)
}

fn create(program: &Arc<Program>, name: &str) -> Result<usize> {
    let code = program.kernel(name)?;
    let made = publish(|handle| Kernel::new(handle, program.clone(), name.into(), code));
    Ok(made.handle().address())
}

/// `clCreateKernel`.
pub unsafe extern "C" fn create_kernel(of: Handle, name: *const c_char, errcode: *mut i32) -> Handle {
    let body = || {
        let program = program(of)?;
        need(!name.is_null(), cl::INVALID_VALUE, "no name")?;
        create(&program, &unsafe { text(name) })
    };
    unsafe { address("clCreateKernel", errcode, body) }
}

/// `clCreateKernelsInProgram`.
pub unsafe extern "C" fn create_kernels_in_program(
    of: Handle, entries: u32, kernels: *mut Handle, count: *mut u32,
) -> i32 {
    code("clCreateKernelsInProgram", || {
        let program = program(of)?;
        let names = program.kernel_names()?;
        if !kernels.is_null() {
            let room = entries as usize >= names.len();
            need(room, cl::INVALID_VALUE, "the list is too short for all kernels")?;
            for (n, name) in names.iter().enumerate() {
                let made = create(&program, name)?;
                unsafe { kernels.add(n).write(made as Handle) };
            }
        }
        unsafe { put(count, names.len() as u32) };
        Ok(())
    })
}

counted!(Kernel, cl::INVALID_KERNEL, retain_kernel "clRetainKernel", release_kernel "clReleaseKernel");

/// `clSetKernelArg`.
pub unsafe extern "C" fn set_kernel_arg(handle: Handle, index: u32, bytes: usize, value: *const c_void) -> i32 {
    code("clSetKernelArg", || {
        let kernel = kernel(handle)?;
        // A wrong size is refused before anything is read.
        let sane = kernel.argument_bytes(index) == Some(bytes);
        let read = unsafe { list(value.cast::<u8>(), if sane { bytes } else { 0 }) };
        let given = (!value.is_null()).then_some(&read[..]);
        let context = kernel.program.context.clone();
        kernel.set(index, bytes, given, |h, wanted| {
            let h = h as Handle;
            let own = |of: &Arc<Context>, code| need(Arc::ptr_eq(of, &context), code, "an object of another context");
            match wanted {
                Wanted::Buffer => {
                    let buffer = buffer(h)?;
                    own(&buffer.context, cl::INVALID_MEM_OBJECT)?;
                    Ok(Given::Memory(buffer))
                }
                Wanted::Image(ty, written) => {
                    let (image, shape) = image(h)?;
                    own(&image.context, cl::INVALID_MEM_OBJECT)?;
                    let found = shape.kind.type_name();
                    need(found == ty, cl::INVALID_ARG_VALUE, &format!("an {found}, the argument is an {ty}"))?;
                    let what = "an image made for reading alone or writing alone, and a kernel that does the other";
                    need(image.allows_kernel(*written), cl::INVALID_ARG_VALUE, what)?;
                    Ok(Given::Memory(image))
                }
                Wanted::Sampler => {
                    let sampler = sampler(h)?;
                    own(&sampler.context, cl::INVALID_SAMPLER)?;
                    Ok(Given::Sampler(sampler.word))
                }
            }
        })
    })
}

info!(get_kernel_info, "clGetKernelInfo", |handle, name| kernel(handle)?.info(name));

/// `clGetKernelArgInfo`.
pub unsafe extern "C" fn get_kernel_arg_info(
    handle: Handle, index: u32, name: u32, size: usize, value: *mut c_void, size_ret: *mut usize,
) -> i32 {
    code("clGetKernelArgInfo", || unsafe {
        let bytes = kernel(handle)?.argument_info(index, name)?;
        answer(&bytes, size, value, size_ret)
    })
}

/// `clGetKernelWorkGroupInfo`.
pub unsafe extern "C" fn get_kernel_work_group_info(
    handle: Handle, on: Handle, name: u32, size: usize, value: *mut c_void, size_ret: *mut usize,
) -> i32 {
    code("clGetKernelWorkGroupInfo", || {
        let kernel = kernel(handle)?;
        let device = match (on.is_null(), &kernel.program.devices[..]) {
            (true, [only]) => only.clone(),
            (true, _) => return Err(Error::new(cl::INVALID_DEVICE, "the program has several devices: name one")),
            (false, _) => device(on)?,
        };
        let bytes = kernel.group_info(&device, name)?;
        unsafe { answer(&bytes, size, value, size_ret) }
    })
}
