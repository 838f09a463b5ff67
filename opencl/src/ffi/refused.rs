//! What the devices lack: sharing with graphics, sub-devices of extensions, and everything newer than 1.2. Each call has the answer of the standard.

use super::args::{address, code, Handle};
use super::buffer::buffer;
use super::context::context;
use super::queue::queue;
use crate::cl;
use crate::error::{Error, Result};
use std::ffi::c_void;

const NO_GRAPHICS: &str = "the devices share nothing with graphics and have no calls of later versions";

fn refuse<T>(code: i32, why: &str) -> Result<T> {
    Err(Error::new(code, why))
}

/// Calls that would make an object of a context; the last argument takes the code.
macro_rules! of_context {
    ($($name:ident($($ty:ty),*) $code:ident;)*) => {$(
        /// Refused for every context.
        pub unsafe extern "C" fn $name(of: Handle, $(_: $ty,)* errcode: *mut i32) -> Handle {
            let body = || {
                context(of)?;
                refuse(cl::$code, NO_GRAPHICS)
            };
            unsafe { address(stringify!($name), errcode, body) }
        }
    )*};
}

of_context! {
    create_pipe(u64, u32, u32, *const c_void) INVALID_OPERATION;
    create_program_with_il(*const c_void, usize) INVALID_OPERATION;
    // No context of ours is made from one of OpenGL's or EGL's.
    create_from_gl_buffer(u64, u32) INVALID_CONTEXT;
    create_from_gl_texture(u64, u32, i32, u32) INVALID_CONTEXT;
    create_from_gl_renderbuffer(u64, u32) INVALID_CONTEXT;
    create_event_from_gl_sync(*mut c_void) INVALID_CONTEXT;
    create_from_egl_image(*mut c_void, *mut c_void, u64, *const isize) INVALID_OPERATION;
    create_event_from_egl_sync(*mut c_void, *mut c_void) INVALID_OPERATION;
}

/// Commands: the queue is checked, then the code is the answer. Further arguments are not looked at.
macro_rules! of_queue {
    ($($name:ident $code:ident;)*) => {$(
        /// Refused for every queue.
        pub unsafe extern "C" fn $name(on: Handle) -> i32 {
            code(stringify!($name), || {
                queue(on)?;
                refuse(cl::$code, NO_GRAPHICS)
            })
        }
    )*};
}

of_queue! {
    enqueue_graphics_objects INVALID_CONTEXT;
}

/// `clGetGLObjectInfo`, `clGetGLTextureInfo`.
pub unsafe extern "C" fn no_graphics_object(of: Handle) -> i32 {
    code("clGetGLObjectInfo", || {
        buffer(of)?;
        refuse(cl::INVALID_GL_OBJECT, "no buffer comes from OpenGL")
    })
}

/// Calls with a code that belong to extensions or later versions.
pub unsafe extern "C" fn no_operation() -> i32 {
    cl::INVALID_OPERATION
}

/// Memory of later versions: there is none.
pub unsafe extern "C" fn no_memory() -> *mut c_void {
    std::ptr::null_mut()
}

/// `clCloneKernel`.
pub unsafe extern "C" fn clone_kernel(_kernel: Handle, errcode: *mut i32) -> Handle {
    let body = || refuse(cl::INVALID_OPERATION, "kernels are cloned from 2.1 on");
    unsafe { address("clCloneKernel", errcode, body) }
}
