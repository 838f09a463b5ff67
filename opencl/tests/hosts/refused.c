// What a device lacks is answered as the standard demands: sub-devices, built-in kernels.
#include "host.h"

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
    const char *name = "no_such_kernel";
    REFUSED(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(context, 1, &device, name, &err));
  }
  // The context still works.
  cl_program p = build("__kernel void ok(__global uint *a) { a[0] = 3; }");
  OK(clReleaseProgram(p));
  return close_host();
}
