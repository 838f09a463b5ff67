// Sub-buffers: windows into a buffer, for the host and for kernels.
#include "host.h"

static const char *SOURCE = "__kernel void add(__global uint *a, uint v) { a[get_global_id(0)] += v; }\n"
                            "__kernel void slow(__global volatile uint *a, uint n) { for (uint i = 0; i < n; i++) a[get_global_id(0)] += i; }";

int main(void) {
  open_host(0);
  size_t step = uint_info(CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
  size_t all = 4 * step;
  uint32_t *data = calloc(1, all), *back = calloc(1, all);
  for (size_t i = 0; i < all / 4; i++) data[i] = (uint32_t)i;
  cl_mem b = buffer_of(all, data);
  cl_buffer_region middle = {step, 2 * step};
  cl_mem sub = clCreateSubBuffer(b, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &middle, &err);
  MADE(sub);

  size_t offset = 0, size = 0;
  cl_mem parent = NULL;
  cl_uint n = 0;
  OK(clGetMemObjectInfo(sub, CL_MEM_OFFSET, sizeof offset, &offset, NULL));
  OK(clGetMemObjectInfo(sub, CL_MEM_SIZE, sizeof size, &size, NULL));
  OK(clGetMemObjectInfo(sub, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL));
  CHECK(offset == step && size == 2 * step && parent == b);
  OK(clGetMemObjectInfo(sub, CL_MEM_REFERENCE_COUNT, sizeof n, &n, NULL));
  CHECK(n == 1);

  // The kernel changes the window alone.
  cl_program program = build(SOURCE);
  cl_kernel add = kernel_of(program, "add");
  set_buffer(add, 0, sub);
  set_int(add, 1, 1000);
  run1(add, 2 * step / 4, 0);
  read_all(b, back, all);
  for (size_t i = 0; i < all / 4; i++) CHECK(back[i] == i + (i >= step / 4 && i < 3 * step / 4 ? 1000 : 0));

  // Reads, writes and copies are relative to the window; the parent sees them.
  uint32_t four[4] = {1, 2, 3, 4};
  OK(clEnqueueWriteBuffer(queue, sub, CL_TRUE, 8, sizeof four, four, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(queue, b, CL_TRUE, step + 8, sizeof four, back, 0, NULL, NULL));
  CHECK(memcmp(back, four, sizeof four) == 0);
  print_ints("window", back, 4);
  cl_buffer_region tail = {3 * step, step};
  cl_mem last = clCreateSubBuffer(b, 0, CL_BUFFER_CREATE_TYPE_REGION, &tail, &err);
  MADE(last);
  cl_mem_flags flags = 0;
  OK(clGetMemObjectInfo(last, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
  CHECK(flags & CL_MEM_READ_WRITE); // taken from the parent
  OK(clEnqueueCopyBuffer(queue, sub, last, 0, 0, step, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(queue, last, CL_TRUE, 8, sizeof four, back, 0, NULL, NULL));
  CHECK(memcmp(back, four, sizeof four) == 0);
  // Two windows that overlap in the parent.
  cl_buffer_region first = {0, 2 * step};
  cl_mem front = clCreateSubBuffer(b, 0, CL_BUFFER_CREATE_TYPE_REGION, &first, &err);
  MADE(front);
  STRICT(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(queue, front, sub, step, 0, 16, 0, NULL, NULL));

  STRICT(CL_MEM_COPY_OVERLAP, clEnqueueCopyBufferRect(queue, front, sub, (size_t[]){step, 0, 0}, (size_t[]){8, 0, 0}, (size_t[]){16, 1, 1}, 0, 0, 0, 0, 0, NULL, NULL));

  // Kernels of two queues at the same time, each in a window of its own: neither undoes what the other wrote.
  cl_command_queue second = clCreateCommandQueue(context, device, 0, &err);
  MADE(second);
  cl_kernel slow = kernel_of(program, "slow");
  size_t items = 32;
  cl_event running;
  cl_int status = CL_QUEUED;
  uint32_t before[32], after[32];
  OK(clEnqueueReadBuffer(queue, last, CL_TRUE, 0, sizeof before, before, 0, NULL, NULL));
  set_buffer(slow, 0, front);
  set_int(slow, 1, 5000);
  set_buffer(add, 0, last);
  OK(clEnqueueNDRangeKernel(queue, slow, 1, NULL, &items, NULL, 0, NULL, &running));
  OK(clFlush(queue));
  while (status > CL_RUNNING) OK(clGetEventInfo(running, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
  OK(clEnqueueNDRangeKernel(second, add, 1, NULL, &items, NULL, 0, NULL, NULL));
  OK(clFinish(second));
  OK(clFinish(queue));
  OK(clEnqueueReadBuffer(queue, last, CL_TRUE, 0, sizeof after, after, 0, NULL, NULL));
  for (size_t i = 0; i < items; i++) CHECK(after[i] == before[i] + 1000);
  OK(clReleaseEvent(running));
  OK(clReleaseKernel(slow));
  OK(clReleaseCommandQueue(second));

  // Mistakes.
  cl_buffer_region crooked = {step + 1, 4}, beyond = {3 * step, 2 * step}, empty = {0, 0};
  REFUSED(CL_MISALIGNED_SUB_BUFFER_OFFSET, clCreateSubBuffer(b, 0, CL_BUFFER_CREATE_TYPE_REGION, &crooked, &err));
  REFUSED(CL_INVALID_VALUE, clCreateSubBuffer(b, 0, CL_BUFFER_CREATE_TYPE_REGION, &beyond, &err));
  REFUSED(CL_INVALID_BUFFER_SIZE, clCreateSubBuffer(b, 0, CL_BUFFER_CREATE_TYPE_REGION, &empty, &err));
  REFUSED(CL_INVALID_VALUE, clCreateSubBuffer(b, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, &err));
  REFUSED(CL_INVALID_VALUE, clCreateSubBuffer(b, 0, 0x9999, &middle, &err));
  REFUSED(CL_INVALID_VALUE, clCreateSubBuffer(b, CL_MEM_USE_HOST_PTR, CL_BUFFER_CREATE_TYPE_REGION, &middle, &err));
  REFUSED(CL_INVALID_MEM_OBJECT, clCreateSubBuffer(NULL, 0, CL_BUFFER_CREATE_TYPE_REGION, &middle, &err));
  REFUSED(CL_INVALID_MEM_OBJECT, clCreateSubBuffer(sub, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){0, step}, &err));
  cl_mem constant = clCreateBuffer(context, CL_MEM_READ_ONLY, all, NULL, &err);
  MADE(constant);
  REFUSED(CL_INVALID_VALUE, clCreateSubBuffer(constant, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &middle, &err));
  OK(clReleaseMemObject(constant));

  // The window keeps its parent.
  OK(clReleaseMemObject(b));
  OK(clEnqueueReadBuffer(queue, sub, CL_TRUE, 8, sizeof four, back, 0, NULL, NULL));
  CHECK(memcmp(back, four, sizeof four) == 0);
  OK(clReleaseMemObject(front));
  OK(clReleaseMemObject(last));
  OK(clReleaseMemObject(sub));
  OK(clReleaseKernel(add));
  OK(clReleaseProgram(program));
  free(data);
  free(back);
  return close_host();
}
