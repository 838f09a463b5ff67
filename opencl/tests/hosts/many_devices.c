// A context of all devices: one program, one buffer that goes from device to device.
#include "host.h"

static const char *SOURCE = "__kernel void add(__global uint *a, uint v) { uint i = get_global_id(0); a[i] = a[i] * 3 + v; }";

int main(void) {
  open_device();
  cl_device_id all[16];
  cl_uint n = 0;
  OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, all, &n));
  if (n > 16) n = 16;
  context = clCreateContext(NULL, n, all, on_context_error, NULL, &err);
  MADE(context);
  cl_program p = clCreateProgramWithSource(context, 1, &SOURCE, NULL, &err);
  MADE(p);
  OK(clBuildProgram(p, 0, NULL, "", NULL, NULL));
  cl_kernel k = kernel_of(p, "add");
  uint32_t data[32] = {0}, want = 0, value = 0;
  cl_mem b = buffer_of(sizeof data, data);
  set_buffer(k, 0, b);
  size_t size = 32;
  for (cl_uint d = 0; d < n; d++) {
    queue = clCreateCommandQueue(context, all[d], 0, &err);
    MADE(queue);
    set_int(k, 1, (cl_int)d + 1);
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &size, &size, 0, NULL, NULL));
    OK(clFinish(queue));
    want = want * 3 + d + 1;
    read_all(b, &value, 4);
    CHECK(value == want);
    OK(clReleaseCommandQueue(queue));
  }
  size_t sizes[16], bytes = 0;
  OK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, &bytes));
  CHECK(bytes == n * sizeof sizes[0]);
  for (cl_uint d = 0; d < n; d++) CHECK(sizes[d] > 0);
  OK(clReleaseMemObject(b));
  OK(clReleaseKernel(k));
  OK(clReleaseProgram(p));
  OK(clReleaseContext(context));
  return finish();
}
