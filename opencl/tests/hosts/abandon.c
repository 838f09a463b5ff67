// A program that ends with commands under way and releases nothing: it ends at once and cleanly.
#include "host.h"

static const char *SOURCE = "__kernel void slow(__global volatile uint *a) { for (uint i = 0; i < 1000000; i++) a[get_global_id(0)] += i; }";

int main(void) {
  open_host(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl_program p = build(SOURCE);
  cl_kernel slow = kernel_of(p, "slow");
  cl_mem b = buffer_of(4096, NULL);
  size_t n = 32;
  set_buffer(slow, 0, b);
  cl_event never = clCreateUserEvent(context, &err), e;
  MADE(never);
  OK(clEnqueueBarrierWithWaitList(queue, 1, &never, &e));
  if (warpsmith) {
    cl_command_queue other = clCreateCommandQueue(context, device, 0, &err);
    MADE(other);
    OK(clEnqueueNDRangeKernel(other, slow, 1, NULL, &n, &n, 0, NULL, NULL));
    OK(clFlush(other));
  }
  return failures != 0;
}
