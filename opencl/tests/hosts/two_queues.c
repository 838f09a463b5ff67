// Two queues and two contexts on one device: a producer and a consumer tied by events.
#include "host.h"

static const char *SOURCE = "__kernel void produce(__global uint *a, uint r) { a[get_global_id(0)] = r * 100 + get_global_id(0); }\n"
                            "__kernel void consume(__global const uint *a, __global uint *s) { s[get_global_id(0)] += a[63 - get_global_id(0)]; }";

int main(void) {
  open_host(0);
  cl_command_queue second = clCreateCommandQueue(context, device, 0, &err);
  MADE(second);
  cl_program p = build(SOURCE);
  cl_kernel produce = kernel_of(p, "produce"), consume = kernel_of(p, "consume");
  uint32_t sums[64] = {0}, want[64] = {0};
  cl_mem a = buffer_of(256, NULL), s = buffer_of(256, sums);
  set_buffer(produce, 0, a);
  set_buffer(consume, 0, a);
  set_buffer(consume, 1, s);
  size_t n = 64, group = 32;
  cl_event produced, consumed = NULL;
  for (uint32_t r = 0; r < 10; r++) {
    set_int(produce, 1, (cl_int)r);
    OK(clEnqueueNDRangeKernel(queue, produce, 1, NULL, &n, &group, consumed != NULL, consumed ? &consumed : NULL, &produced));
    OK(clFlush(queue));
    if (consumed) OK(clReleaseEvent(consumed));
    OK(clEnqueueNDRangeKernel(second, consume, 1, NULL, &n, &group, 1, &produced, &consumed));
    OK(clFlush(second));
    OK(clReleaseEvent(produced));
    for (uint32_t i = 0; i < 64; i++) want[i] += r * 100 + 63 - i;
  }
  OK(clEnqueueReadBuffer(queue, s, CL_TRUE, 0, 256, sums, 1, &consumed, NULL));
  OK(clReleaseEvent(consumed));
  CHECK(memcmp(sums, want, sizeof sums) == 0);
  print_ints("sums", sums, 64);

  // Another context has memory of its own.
  cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
  MADE(other);
  cl_command_queue third = clCreateCommandQueue(other, device, 0, &err);
  MADE(third);
  cl_mem c = clCreateBuffer(other, CL_MEM_COPY_HOST_PTR, 256, sums, &err);
  MADE(c);
  cl_program p2 = clCreateProgramWithSource(other, 1, &SOURCE, NULL, &err);
  MADE(p2);
  OK(clBuildProgram(p2, 1, &device, NULL, NULL, NULL));
  cl_kernel k2 = kernel_of(p2, "produce");
  set_buffer(k2, 0, c);
  set_int(k2, 1, 7);
  OK(clEnqueueNDRangeKernel(third, k2, 1, NULL, &n, &group, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(third, c, CL_TRUE, 0, 256, sums, 0, NULL, NULL));
  CHECK(sums[5] == 705);
  read_all(s, sums, 256);
  CHECK(memcmp(sums, want, sizeof sums) == 0);
  if (warpsmith) {
    set_buffer(k2, 0, c);
    CODE(CL_INVALID_CONTEXT, clEnqueueCopyBuffer(queue, a, c, 0, 0, 4, 0, NULL, NULL));
    CODE(CL_INVALID_CONTEXT, clEnqueueNDRangeKernel(queue, k2, 1, NULL, &n, &group, 0, NULL, NULL));
  }
  OK(clReleaseKernel(k2));
  OK(clReleaseProgram(p2));
  OK(clReleaseMemObject(c));
  OK(clReleaseCommandQueue(third));
  OK(clReleaseContext(other));

  OK(clReleaseKernel(produce));
  OK(clReleaseKernel(consume));
  OK(clReleaseProgram(p));
  OK(clReleaseMemObject(a));
  OK(clReleaseMemObject(s));
  OK(clReleaseCommandQueue(second));
  return close_host();
}
