// What a device lacks is answered as the standard demands: sub-devices, recursion.
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
    refused_source("int f(int n) { return n < 2 ? 1 : f(n - 1) * n + f(n - 2); } __kernel void r(__global int *a) { a[0] = f(a[0]); }", "recurs");
    const char *name = "no_such_kernel";
    REFUSED(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(context, 1, &device, name, &err));
  }
  // The context still works.
  cl_program p = build("__kernel void ok(__global uint *a) { a[0] = 3; }");
  OK(clReleaseProgram(p));
  return close_host();
}
