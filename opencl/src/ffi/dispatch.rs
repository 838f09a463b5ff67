//! The dispatch table: every call in the order of the ICD extension, `cl_icd.h`.

use super::{
    buffer, context, device, event, export, image, kernel, ndrange, platform, program, queue, refused, sampler,
    transfer,
};
use std::ffi::c_void;

/// Calls of the table.
pub const CALLS: usize = 149;

/// A table of functions.
#[repr(C)]
struct Table([*const c_void; CALLS]);

// SAFETY: addresses of functions, never changed.
unsafe impl Sync for Table {}

macro_rules! table {
    ($($name:literal => $function:expr,)*) => {
        /// Names of all calls in the order of the table.
        pub const NAMES: [&str; CALLS] = [$($name),*];
        static TABLE: Table = Table([$($function as *const c_void),*]);
    };
}

/// In the table's places for Windows.
const NOTHING: *const c_void = std::ptr::null();

table! {
    "clGetPlatformIDs" => platform::get_platform_ids,
    "clGetPlatformInfo" => platform::get_platform_info,
    "clGetDeviceIDs" => device::get_device_ids,
    "clGetDeviceInfo" => device::get_device_info,
    "clCreateContext" => context::create_context,
    "clCreateContextFromType" => context::create_context_from_type,
    "clRetainContext" => context::retain_context,
    "clReleaseContext" => context::release_context,
    "clGetContextInfo" => context::get_context_info,
    "clCreateCommandQueue" => queue::create_command_queue,
    "clRetainCommandQueue" => queue::retain_command_queue,
    "clReleaseCommandQueue" => queue::release_command_queue,
    "clGetCommandQueueInfo" => queue::get_command_queue_info,
    "clSetCommandQueueProperty" => queue::set_command_queue_property,
    "clCreateBuffer" => buffer::create_buffer,
    "clCreateImage2D" => image::create_image_2d,
    "clCreateImage3D" => image::create_image_3d,
    "clRetainMemObject" => buffer::retain_mem_object,
    "clReleaseMemObject" => buffer::release_mem_object,
    "clGetSupportedImageFormats" => image::get_supported_image_formats,
    "clGetMemObjectInfo" => buffer::get_mem_object_info,
    "clGetImageInfo" => image::get_image_info,
    "clCreateSampler" => sampler::create_sampler,
    "clRetainSampler" => sampler::retain_sampler,
    "clReleaseSampler" => sampler::release_sampler,
    "clGetSamplerInfo" => sampler::get_sampler_info,
    "clCreateProgramWithSource" => program::create_program_with_source,
    "clCreateProgramWithBinary" => program::create_program_with_binary,
    "clRetainProgram" => program::retain_program,
    "clReleaseProgram" => program::release_program,
    "clBuildProgram" => program::build_program,
    "clUnloadCompiler" => platform::unload_compiler,
    "clGetProgramInfo" => program::get_program_info,
    "clGetProgramBuildInfo" => program::get_program_build_info,
    "clCreateKernel" => kernel::create_kernel,
    "clCreateKernelsInProgram" => kernel::create_kernels_in_program,
    "clRetainKernel" => kernel::retain_kernel,
    "clReleaseKernel" => kernel::release_kernel,
    "clSetKernelArg" => kernel::set_kernel_arg,
    "clGetKernelInfo" => kernel::get_kernel_info,
    "clGetKernelWorkGroupInfo" => kernel::get_kernel_work_group_info,
    "clWaitForEvents" => event::wait_for_events,
    "clGetEventInfo" => event::get_event_info,
    "clRetainEvent" => event::retain_event,
    "clReleaseEvent" => event::release_event,
    "clGetEventProfilingInfo" => event::get_event_profiling_info,
    "clFlush" => queue::flush,
    "clFinish" => queue::finish,
    "clEnqueueReadBuffer" => transfer::enqueue_read_buffer,
    "clEnqueueWriteBuffer" => transfer::enqueue_write_buffer,
    "clEnqueueCopyBuffer" => transfer::enqueue_copy_buffer,
    "clEnqueueReadImage" => image::enqueue_read_image,
    "clEnqueueWriteImage" => image::enqueue_write_image,
    "clEnqueueCopyImage" => image::enqueue_copy_image,
    "clEnqueueCopyImageToBuffer" => image::enqueue_copy_image_to_buffer,
    "clEnqueueCopyBufferToImage" => image::enqueue_copy_buffer_to_image,
    "clEnqueueMapBuffer" => transfer::enqueue_map_buffer,
    "clEnqueueMapImage" => image::enqueue_map_image,
    "clEnqueueUnmapMemObject" => transfer::enqueue_unmap_mem_object,
    "clEnqueueNDRangeKernel" => ndrange::enqueue_nd_range_kernel,
    "clEnqueueTask" => ndrange::enqueue_task,
    "clEnqueueNativeKernel" => ndrange::enqueue_native_kernel,
    "clEnqueueMarker" => event::enqueue_marker,
    "clEnqueueWaitForEvents" => event::enqueue_wait_for_events,
    "clEnqueueBarrier" => event::enqueue_barrier,
    "clGetExtensionFunctionAddress" => export::extension_function,
    "clCreateFromGLBuffer" => refused::create_from_gl_buffer,
    "clCreateFromGLTexture2D" => refused::create_from_gl_texture,
    "clCreateFromGLTexture3D" => refused::create_from_gl_texture,
    "clCreateFromGLRenderbuffer" => refused::create_from_gl_renderbuffer,
    "clGetGLObjectInfo" => refused::no_graphics_object,
    "clGetGLTextureInfo" => refused::no_graphics_object,
    "clEnqueueAcquireGLObjects" => refused::enqueue_graphics_objects,
    "clEnqueueReleaseGLObjects" => refused::enqueue_graphics_objects,
    "clGetGLContextInfoKHR" => refused::no_operation,
    "clGetDeviceIDsFromD3D10KHR" => NOTHING,
    "clCreateFromD3D10BufferKHR" => NOTHING,
    "clCreateFromD3D10Texture2DKHR" => NOTHING,
    "clCreateFromD3D10Texture3DKHR" => NOTHING,
    "clEnqueueAcquireD3D10ObjectsKHR" => NOTHING,
    "clEnqueueReleaseD3D10ObjectsKHR" => NOTHING,
    "clSetEventCallback" => event::set_event_callback,
    "clCreateSubBuffer" => buffer::create_sub_buffer,
    "clSetMemObjectDestructorCallback" => buffer::set_mem_object_destructor_callback,
    "clCreateUserEvent" => event::create_user_event,
    "clSetUserEventStatus" => event::set_user_event_status,
    "clEnqueueReadBufferRect" => transfer::enqueue_read_buffer_rect,
    "clEnqueueWriteBufferRect" => transfer::enqueue_write_buffer_rect,
    "clEnqueueCopyBufferRect" => transfer::enqueue_copy_buffer_rect,
    "clCreateSubDevicesEXT" => device::create_sub_devices,
    "clRetainDeviceEXT" => device::retain_device,
    "clReleaseDeviceEXT" => device::release_device,
    "clCreateEventFromGLsyncKHR" => refused::create_event_from_gl_sync,
    "clCreateSubDevices" => device::create_sub_devices,
    "clRetainDevice" => device::retain_device,
    "clReleaseDevice" => device::release_device,
    "clCreateImage" => image::create_image,
    "clCreateProgramWithBuiltInKernels" => program::create_program_with_built_in_kernels,
    "clCompileProgram" => program::compile_program,
    "clLinkProgram" => program::link_program,
    "clUnloadPlatformCompiler" => platform::unload_platform_compiler,
    "clGetKernelArgInfo" => kernel::get_kernel_arg_info,
    "clEnqueueFillBuffer" => transfer::enqueue_fill_buffer,
    "clEnqueueFillImage" => image::enqueue_fill_image,
    "clEnqueueMigrateMemObjects" => transfer::enqueue_migrate_mem_objects,
    "clEnqueueMarkerWithWaitList" => event::enqueue_marker_with_wait_list,
    "clEnqueueBarrierWithWaitList" => event::enqueue_barrier_with_wait_list,
    "clGetExtensionFunctionAddressForPlatform" => export::extension_function_for_platform,
    "clCreateFromGLTexture" => refused::create_from_gl_texture,
    "clGetDeviceIDsFromD3D11KHR" => NOTHING,
    "clCreateFromD3D11BufferKHR" => NOTHING,
    "clCreateFromD3D11Texture2DKHR" => NOTHING,
    "clCreateFromD3D11Texture3DKHR" => NOTHING,
    "clCreateFromDX9MediaSurfaceKHR" => NOTHING,
    "clEnqueueAcquireD3D11ObjectsKHR" => NOTHING,
    "clEnqueueReleaseD3D11ObjectsKHR" => NOTHING,
    "clGetDeviceIDsFromDX9MediaAdapterKHR" => NOTHING,
    "clEnqueueAcquireDX9MediaSurfacesKHR" => NOTHING,
    "clEnqueueReleaseDX9MediaSurfacesKHR" => NOTHING,
    "clCreateFromEGLImageKHR" => refused::create_from_egl_image,
    "clEnqueueAcquireEGLObjectsKHR" => refused::enqueue_graphics_objects,
    "clEnqueueReleaseEGLObjectsKHR" => refused::enqueue_graphics_objects,
    "clCreateEventFromEGLSyncKHR" => refused::create_event_from_egl_sync,
    "clCreateCommandQueueWithProperties" => queue::create_command_queue_with_properties,
    "clCreatePipe" => refused::create_pipe,
    "clGetPipeInfo" => refused::no_operation,
    "clSVMAlloc" => refused::no_memory,
    "clSVMFree" => refused::no_memory,
    "clEnqueueSVMFree" => refused::no_operation,
    "clEnqueueSVMMemcpy" => refused::no_operation,
    "clEnqueueSVMMemFill" => refused::no_operation,
    "clEnqueueSVMMap" => refused::no_operation,
    "clEnqueueSVMUnmap" => refused::no_operation,
    "clCreateSamplerWithProperties" => sampler::create_sampler_with_properties,
    "clSetKernelArgSVMPointer" => refused::no_operation,
    "clSetKernelExecInfo" => refused::no_operation,
    "clGetKernelSubGroupInfoKHR" => refused::no_operation,
    "clCloneKernel" => refused::clone_kernel,
    "clCreateProgramWithIL" => refused::create_program_with_il,
    "clEnqueueSVMMigrateMem" => refused::no_operation,
    "clGetDeviceAndHostTimer" => refused::no_operation,
    "clGetHostTimer" => refused::no_operation,
    "clGetKernelSubGroupInfo" => refused::no_operation,
    "clSetDefaultDeviceCommandQueue" => refused::no_operation,
    "clSetProgramReleaseCallback" => refused::no_operation,
    "clSetProgramSpecializationConstant" => refused::no_operation,
    "clCreateBufferWithProperties" => buffer::create_buffer_with_properties,
    "clCreateImageWithProperties" => image::create_image_with_properties,
    "clSetContextDestructorCallback" => refused::no_operation,
}

/// Address of the table, for the first word of every object.
pub fn address() -> usize {
    std::ptr::from_ref(&TABLE) as usize
}

/// Whether a call has a function.
pub fn is_there(call: usize) -> bool {
    TABLE.0.get(call).is_some_and(|f| !f.is_null())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_windows_calls_are_missing() {
        for (n, name) in NAMES.iter().enumerate() {
            let windows = name.contains("D3D") || name.contains("DX9");
            assert_eq!(is_there(n), !windows, "{name}");
        }
    }
}
