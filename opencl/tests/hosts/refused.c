// What a device lacks is answered as the standard demands: images, samplers, sub-devices, doubles, atomics.
#include "host.h"

static void refused_source(const char *source, const char *reason) {
  cl_program p = clCreateProgramWithSource(context, 1, &source, NULL, &err);
  MADE(p);
  static char log[1 << 14];
  CODE(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(p, 1, &device, "", NULL, NULL));
  OK(clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
  if (!strstr(log, reason)) FAIL("the log does not name `%s`:\n%s", reason, log);
  OK(clReleaseProgram(p));
}

int main(void) {
  open_host(0);
  cl_uint n = 99;
  if (!uint_info(CL_DEVICE_IMAGE_SUPPORT)) {
    cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16};
    REFUSED(CL_INVALID_OPERATION, clCreateImage(context, CL_MEM_READ_ONLY, &format, &desc, NULL, &err));
    REFUSED(CL_INVALID_OPERATION, clCreateImage2D(context, CL_MEM_READ_ONLY, &format, 16, 16, 0, NULL, &err));
    REFUSED(CL_INVALID_OPERATION, clCreateImage3D(context, CL_MEM_READ_ONLY, &format, 16, 16, 16, 0, 0, NULL, &err));
    REFUSED(CL_INVALID_OPERATION, clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err));
    REFUSED(CL_INVALID_CONTEXT, clCreateImage(NULL, CL_MEM_READ_ONLY, &format, &desc, NULL, &err));
    REFUSED(CL_INVALID_CONTEXT, clCreateSampler(NULL, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err));
    OK(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &n));
    CHECK(n == 0);
    CODE(CL_INVALID_CONTEXT, clGetSupportedImageFormats(NULL, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &n));
    cl_mem b = buffer_of(64, NULL);
    size_t at[3] = {0, 0, 0}, region[3] = {1, 1, 1}, pitch = 0;
    char room[64] = {0};
    CODE(CL_INVALID_OPERATION, clEnqueueReadImage(queue, b, CL_TRUE, at, region, 0, 0, room, 0, NULL, NULL));
    CODE(CL_INVALID_OPERATION, clEnqueueWriteImage(queue, b, CL_TRUE, at, region, 0, 0, room, 0, NULL, NULL));
    CODE(CL_INVALID_OPERATION, clEnqueueCopyImage(queue, b, b, at, at, region, 0, NULL, NULL));
    CODE(CL_INVALID_OPERATION, clEnqueueCopyImageToBuffer(queue, b, b, at, region, 0, 0, NULL, NULL));
    CODE(CL_INVALID_OPERATION, clEnqueueCopyBufferToImage(queue, b, b, 0, at, region, 0, NULL, NULL));
    CODE(CL_INVALID_OPERATION, clEnqueueFillImage(queue, b, room, at, region, 0, NULL, NULL));
    REFUSED(CL_INVALID_OPERATION, clEnqueueMapImage(queue, b, CL_TRUE, CL_MAP_READ, at, region, &pitch, NULL, 0, NULL, NULL, &err));
    CODE(CL_INVALID_MEM_OBJECT, clGetImageInfo(b, CL_IMAGE_WIDTH, 0, NULL, NULL));
    CODE(CL_INVALID_SAMPLER, clRetainSampler(NULL));
    CODE(CL_INVALID_SAMPLER, clReleaseSampler(NULL));
    CODE(CL_INVALID_SAMPLER, clGetSamplerInfo(NULL, CL_SAMPLER_CONTEXT, 0, NULL, NULL));
    OK(clReleaseMemObject(b));
  }

  cl_uint most = uint_info(CL_DEVICE_PARTITION_MAX_SUB_DEVICES);
  cl_device_id sub[4];
  const cl_device_partition_property strange[] = {0x4242, 1, 0};
  CODE(CL_INVALID_VALUE, clCreateSubDevices(device, strange, 4, sub, &n));
  if (most <= 1) {
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_int code = clCreateSubDevices(device, equally, 4, sub, &n);
    CHECK(code == CL_DEVICE_PARTITION_FAILED || code == CL_INVALID_VALUE);
    CODE(CL_INVALID_VALUE, clCreateSubDevices(device, NULL, 4, sub, &n));
  }
  CODE(CL_INVALID_DEVICE, clCreateSubDevices(NULL, strange, 4, sub, &n));

  if (warpsmith) {
    cl_device_fp_config f64 = 1;
    OK(clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof f64, &f64, NULL));
    CHECK(f64 == 0);
    refused_source("__kernel void d(__global double *a) { a[0] = a[1] * 2.0; }", "double");
    refused_source("__kernel void a(__global int *a) { atomic_add(a, 1); }", "atomic");
    refused_source("__kernel void i(__read_only image2d_t a, __global int *o) { o[0] = get_image_width(a); }", "image");
    refused_source("int f(int n) { return n < 2 ? 1 : f(n - 1) * n + f(n - 2); } __kernel void r(__global int *a) { a[0] = f(a[0]); }", "recurs");
    const char *name = "no_such_kernel";
    REFUSED(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(context, 1, &device, name, &err));
  }
  // The context still works.
  cl_program p = build("__kernel void ok(__global uint *a) { a[0] = 3; }");
  OK(clReleaseProgram(p));
  return close_host();
}
