// printf of kernels: formats, vectors, its value, more kernels of one program, groups one after the other.
#include "host.h"

// Small chips hold a call or two a kernel.
static const char *SOURCE =
    "__kernel void t0(__global int *a) { a[0] = printf(\"no argument, 100%%\\n\"); }\n"
    "__kernel void t1(__global int *a) {\n"
    "  a[1] = printf(\"int %d %5i|%-5d|%05d %+d %u %x %#X %o %c\\n\", a[2], -3, 4, 5, 6, 7u, 255, 255, 8, 'c');\n"
    "}\n"
    "__kernel void t2(__global int *a) { printf(\"narrow %d %d %hd %hhu\\n\", (char)-1, (uchar)200, (short)-2, (uchar)7); }\n"
    "__kernel void t3(__global int *a) { printf(\"long %ld %lu %lx\\n\", (long)a[2] << 40, (ulong)1 << 63, (long)-1); }\n"
    "__kernel void t4(__global int *a) { printf(\"float %f %.2f %8.3e %g %a\\n\", 1.5f, -2.25f, 12345.678f, 0.0001f, 1.0f); }\n"
    "__kernel void t5(__global int *a) { printf(\"text %s [%6s] [%-6s] [%.2s]\\n\", \"abc\", \"de\", \"fg\", \"hijk\"); }\n"
    "__kernel void t6(__global int *a) {\n"
    "  printf(\"vector %v4hld %v2hlu %v3hd %v4hhx %5.1v4hlf\\n\", (int4)(1, -2, 3, a[2]), (uint2)(5, 6), (short3)(7, 8, -9),\n"
    "         (uchar4)(10, 11, 12, 13), (float4)(1.0f, 2.5f, -3.0f, 4.0f));\n"
    "}\n"
    "__kernel void each(void) { if (get_local_id(0) == 0) printf(\"group %d\\n\", (int)get_group_id(0)); }\n"
    "__kernel void count(__global int *a, int n) {\n"
    "  ulong16 v = (ulong16)(n);\n"
    "  for (int i = 0; i < n; i++) a[get_global_id(0)] += printf(\"\", v, v, v, v) + 1;\n"
    "}\n";

int main(void) {
  open_host(0);
  cl_program p = build(SOURCE);
  int32_t a[64] = {1, 1, 42};
  cl_mem buffer = buffer_of(sizeof a, a);
  cl_kernel each = kernel_of(p, "each"), count = kernel_of(p, "count");
  for (int i = 0; i < 7; i++) {
    char name[] = "t0";
    name[1] += i;
    cl_kernel one = kernel_of(p, name);
    set_buffer(one, 0, buffer);
    run1(one, 1, 1);
    OK(clReleaseKernel(one));
  }
  read_all(buffer, a, sizeof a);
  CHECK(a[0] == 0 && a[1] == 0);
  printf("between\n");
  for (int i = 0; i < 3; i++) run1(each, 4, 4);
  OK(clFinish(queue));
  if (warpsmith) {
    size_t bytes = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_PRINTF_BUFFER_SIZE, sizeof bytes, &bytes, NULL));
    CHECK(bytes >= 1 << 20);
    // More than the buffer holds: the rest of the calls says so.
    memset(a, 0, sizeof a);
    OK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof a, a, 0, NULL, NULL));
    set_buffer(count, 0, buffer);
    set_int(count, 1, 40);
    run1(count, 64, 32);
    read_all(buffer, a, sizeof a);
    int printed = 0;
    for (int i = 0; i < 64; i++) printed += a[i];
    CHECK(printed > 0 && printed <= (1 << 20) / 536);
  }
  OK(clReleaseMemObject(buffer));
  OK(clReleaseKernel(each));
  OK(clReleaseKernel(count));
  OK(clReleaseProgram(p));
  return close_host();
}
