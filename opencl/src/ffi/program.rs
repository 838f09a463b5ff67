//! Programs.

use super::args::{address, answer, both, code, counted, list, object, put, text, Handle};
use super::context::context;
use super::device::device;
use crate::build::binary::Binary;
use crate::build::is_plain_name;
use crate::build::options::BuildOptions;
use crate::cl;
use crate::device::Device;
use crate::error::{need, Error, Result};
use crate::program::Program;
use crate::registry::{publish, Object};
use std::ffi::{c_char, c_void};
use std::sync::Arc;

/// Called when a build is over.
pub type BuiltFn = unsafe extern "C" fn(Handle, *mut c_void);

/// The program behind a handle.
///
/// # Errors
/// `CL_INVALID_PROGRAM`.
pub fn program(handle: Handle) -> Result<Arc<Program>> {
    object(handle, cl::INVALID_PROGRAM)
}

/// `clCreateProgramWithSource`.
pub unsafe extern "C" fn create_program_with_source(
    of: Handle, count: u32, strings: *const *const c_char, lengths: *const usize, errcode: *mut i32,
) -> Handle {
    let body = || {
        let context = context(of)?;
        let pieces = unsafe { both(count, strings, cl::INVALID_VALUE) }?;
        let bad = pieces.is_empty() || pieces.iter().any(|p| p.is_null());
        need(!bad, cl::INVALID_VALUE, "no source")?;
        let lengths = unsafe { list(lengths, pieces.len()) };
        let mut source = String::new();
        for (n, piece) in pieces.into_iter().enumerate() {
            match lengths.get(n) {
                // A length of 0 says that the text ends with a zero.
                None | Some(0) => source += &unsafe { text(piece) },
                Some(bytes) => {
                    let bytes = unsafe { list(piece.cast::<u8>(), *bytes) };
                    source += String::from_utf8_lossy(&bytes).trim_end_matches('\0');
                }
            }
        }
        let made = publish(|handle| Program::of_source(handle, context, source));
        Ok(made.handle().address())
    };
    unsafe { address("clCreateProgramWithSource", errcode, body) }
}

/// Devices of a call, all of the context's; none named: all of `otherwise`.
unsafe fn devices_of(count: u32, handles: *const Handle, otherwise: &[Arc<Device>]) -> Result<Vec<Arc<Device>>> {
    let handles = unsafe { both(count, handles, cl::INVALID_VALUE) }?;
    if handles.is_empty() {
        return Ok(otherwise.to_vec());
    }
    let mut out = Vec::new();
    for h in handles {
        let d = device(h)?;
        let own = otherwise.iter().any(|o| o.index == d.index);
        need(own, cl::INVALID_DEVICE, "a device that does not belong here")?;
        out.push(d);
    }
    Ok(out)
}

/// `clCreateProgramWithBinary`.
pub unsafe extern "C" fn create_program_with_binary(
    of: Handle, count: u32, handles: *const Handle, lengths: *const usize, binaries: *const *const u8,
    status: *mut i32, errcode: *mut i32,
) -> Handle {
    let body = || {
        let context = context(of)?;
        let given = count > 0 && !handles.is_null() && !lengths.is_null() && !binaries.is_null();
        need(given, cl::INVALID_VALUE, "no devices or no binaries")?;
        let devices = unsafe { devices_of(count, handles, &context.devices) }?;
        let mut read = Vec::new();
        let mut result = Ok(());
        for n in 0..count as usize {
            let (bytes, length) = unsafe { (binaries.add(n).read(), lengths.add(n).read()) };
            let code = match bytes.is_null() || length == 0 {
                true => cl::INVALID_VALUE,
                false => match Binary::read(&unsafe { list(bytes, length) }) {
                    Some(b) => {
                        read.push(b);
                        cl::SUCCESS
                    }
                    None => cl::INVALID_BINARY,
                },
            };
            if !status.is_null() {
                unsafe { status.add(n).write(code) };
            }
            if code != cl::SUCCESS {
                result = Err(Error::new(code, "not a binary of this driver"));
            }
        }
        result?;
        let made = publish(|handle| Program::of_binaries(handle, context, devices, read));
        Ok(made.handle().address())
    };
    unsafe { address("clCreateProgramWithBinary", errcode, body) }
}

/// `clCreateProgramWithBuiltInKernels`.
pub unsafe extern "C" fn create_program_with_built_in_kernels(
    of: Handle, _count: u32, _devices: *const Handle, _names: *const c_char, errcode: *mut i32,
) -> Handle {
    let body = || {
        context(of)?;
        Err(Error::new(cl::INVALID_VALUE, "the devices have no built-in kernels"))
    };
    unsafe { address("clCreateProgramWithBuiltInKernels", errcode, body) }
}

counted!(Program, cl::INVALID_PROGRAM, retain_program "clRetainProgram", release_program "clReleaseProgram");

/// Tells the program that a build is over, as it asked.
unsafe fn built(handle: Handle, call: Option<BuiltFn>, user: *mut c_void) {
    if let Some(call) = call {
        // SAFETY: a callback of the program with what the standard says.
        unsafe { call(handle, user) }
    }
}

fn check_callback(call: Option<BuiltFn>, user: *mut c_void) -> Result<()> {
    need(call.is_some() || user.is_null(), cl::INVALID_VALUE, "user data without a callback")
}

/// `clBuildProgram`.
pub unsafe extern "C" fn build_program(
    handle: Handle, count: u32, devices: *const Handle, options: *const c_char, call: Option<BuiltFn>,
    user: *mut c_void,
) -> i32 {
    code("clBuildProgram", || {
        let program = program(handle)?;
        check_callback(call, user)?;
        let devices = unsafe { devices_of(count, devices, &program.devices) }?;
        let result = program.build(&devices, &unsafe { text(options) });
        let tried = result.is_ok() || result.as_ref().is_err_and(|e| e.code == cl::BUILD_PROGRAM_FAILURE);
        if tried {
            unsafe { built(handle, call, user) };
        }
        result
    })
}

/// `clCompileProgram`.
pub unsafe extern "C" fn compile_program(
    handle: Handle, count: u32, devices: *const Handle, options: *const c_char, header_count: u32,
    headers: *const Handle, names: *const *const c_char, call: Option<BuiltFn>, user: *mut c_void,
) -> i32 {
    code("clCompileProgram", || {
        let program = program(handle)?;
        check_callback(call, user)?;
        let devices = unsafe { devices_of(count, devices, &program.devices) }?;
        let handles = unsafe { both(header_count, headers, cl::INVALID_VALUE) }?;
        let names = unsafe { both(header_count, names, cl::INVALID_VALUE) }?;
        let mut texts = Vec::new();
        for (h, name) in handles.into_iter().zip(names) {
            let header: Arc<Program> = object(h, cl::INVALID_PROGRAM)?;
            let name = unsafe { text(name) };
            need(is_plain_name(&name), cl::INVALID_VALUE, "a header's name is a relative path")?;
            let source = header.source().ok_or(Error::new(cl::INVALID_PROGRAM, "a header is a program with source"))?;
            // Of two with a name the last one counts.
            texts.retain(|(other, _)| *other != name);
            texts.push((name, source));
        }
        let result = program.compile(&devices, &unsafe { text(options) }, texts);
        let tried = result.is_ok() || result.as_ref().is_err_and(|e| e.code == cl::COMPILE_PROGRAM_FAILURE);
        if tried {
            unsafe { built(handle, call, user) };
        }
        result
    })
}

/// `clLinkProgram`.
pub unsafe extern "C" fn link_program(
    of: Handle, count: u32, handles: *const Handle, options: *const c_char, inputs: u32, programs: *const Handle,
    call: Option<BuiltFn>, user: *mut c_void, errcode: *mut i32,
) -> Handle {
    let mut failure = None;
    let body = || {
        let context = context(of)?;
        check_callback(call, user)?;
        need(inputs > 0 && !programs.is_null(), cl::INVALID_VALUE, "no programs to link")?;
        let devices = unsafe { devices_of(count, handles, &context.devices) }?;
        let programs = unsafe { both(inputs, programs, cl::INVALID_VALUE) }?;
        let programs: Vec<_> = programs.into_iter().map(program).collect::<Result<_>>()?;
        let options = unsafe { text(options) };
        let library = BuildOptions::parse_link(&options).map_err(|e| Error::new(cl::INVALID_LINKER_OPTIONS, e))?;
        let compiled = devices.iter().all(|d| programs.iter().all(|p| p.is_object(d)));
        need(compiled, cl::INVALID_OPERATION, "a program has not been compiled by clCompileProgram")?;
        let made = publish(|handle| Program::link(handle, context.clone(), devices, &options, library, &programs));
        if let Some(log) = made.failure() {
            context.tell(&format!("the programs cannot be linked:\n{}", log.trim_end()));
            failure = Some(cl::LINK_PROGRAM_FAILURE);
        }
        let address = made.handle().address();
        unsafe { built(address as Handle, call, user) };
        Ok(address)
    };
    let linked = unsafe { address("clLinkProgram", errcode, body) };
    if let Some(code) = failure {
        // The program with its log is there all the same.
        unsafe { put(errcode, code) };
    }
    linked
}

/// `clGetProgramInfo`.
pub unsafe extern "C" fn get_program_info(
    handle: Handle, name: u32, size: usize, value: *mut c_void, size_ret: *mut usize,
) -> i32 {
    code("clGetProgramInfo", || {
        let program = program(handle)?;
        if name != cl::PROGRAM_BINARIES {
            return unsafe { answer(&program.info(name)?, size, value, size_ret) };
        }
        let binaries = program.binaries();
        let bytes = size_of::<usize>() * binaries.len();
        if !value.is_null() {
            need(size >= bytes, cl::INVALID_VALUE, "the place for the value is too small")?;
            let places = unsafe { list(value.cast::<*mut u8>(), binaries.len()) };
            for (place, binary) in places.into_iter().zip(&binaries) {
                if !place.is_null() {
                    // SAFETY: the standard demands as many bytes as CL_PROGRAM_BINARY_SIZES says.
                    unsafe { std::ptr::copy_nonoverlapping(binary.as_ptr(), place, binary.len()) };
                }
            }
        }
        unsafe { put(size_ret, bytes) };
        Ok(())
    })
}

/// `clGetProgramBuildInfo`.
pub unsafe extern "C" fn get_program_build_info(
    handle: Handle, on: Handle, name: u32, size: usize, value: *mut c_void, size_ret: *mut usize,
) -> i32 {
    code("clGetProgramBuildInfo", || {
        let program = program(handle)?;
        let device = device(on)?;
        need(program.has(&device), cl::INVALID_DEVICE, "a device that the program does not have")?;
        let bytes = program.build_info(&device, name)?;
        unsafe { answer(&bytes, size, value, size_ret) }
    })
}
