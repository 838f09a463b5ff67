// Mapped buffers: read, written, invalidated, several at once, over the host's own memory.
#include "host.h"

static const char *SOURCE = "__kernel void twice(__global uint *a) { a[get_global_id(0)] *= 2; }";

static cl_uint maps_of(cl_mem b) {
  cl_uint n = 0;
  OK(clGetMemObjectInfo(b, CL_MEM_MAP_COUNT, sizeof n, &n, NULL));
  return n;
}

int main(void) {
  open_host(0);
  uint32_t data[128], back[128];
  for (uint32_t i = 0; i < 128; i++) data[i] = i * i;
  cl_mem b = buffer_of(sizeof data, data);
  cl_program program = build(SOURCE);
  cl_kernel twice = kernel_of(program, "twice");

  // Read.
  uint32_t *m = clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_READ, 0, sizeof data, 0, NULL, NULL, &err);
  MADE(m);
  CHECK(memcmp(m, data, sizeof data) == 0);
  CHECK(maps_of(b) == 1);
  // A second map of a part.
  uint32_t *part = clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_READ, 64, 16, 0, NULL, NULL, &err);
  MADE(part);
  CHECK(part[0] == 256 && maps_of(b) == 2);
  OK(clEnqueueUnmapMemObject(queue, b, part, 0, NULL, NULL));
  OK(clEnqueueUnmapMemObject(queue, b, m, 0, NULL, NULL));
  OK(clFinish(queue));
  CHECK(maps_of(b) == 0);

  // Written: the kernel sees it after the unmap.
  m = clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 256, 256, 0, NULL, NULL, &err);
  MADE(m);
  for (uint32_t i = 0; i < 64; i++) m[i] += 1;
  cl_event unmapped;
  OK(clEnqueueUnmapMemObject(queue, b, m, 0, NULL, &unmapped));
  cl_command_type type = 0;
  OK(clGetEventInfo(unmapped, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
  CHECK(type == CL_COMMAND_UNMAP_MEM_OBJECT);
  OK(clReleaseEvent(unmapped));
  set_buffer(twice, 0, b);
  run1(twice, 128, 32);
  read_all(b, back, sizeof back);
  for (uint32_t i = 0; i < 128; i++) CHECK(back[i] == 2 * (i * i + (i >= 64)));
  print_ints("mapped", back, 128);

  // Invalidated: every byte written anew.
  cl_event mapped;
  m = clEnqueueMapBuffer(queue, b, CL_FALSE, CL_MAP_WRITE_INVALIDATE_REGION, 0, sizeof data, 0, NULL, &mapped, &err);
  MADE(m);
  OK(clWaitForEvents(1, &mapped));
  OK(clGetEventInfo(mapped, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
  CHECK(type == CL_COMMAND_MAP_BUFFER);
  OK(clReleaseEvent(mapped));
  memset(m, 0x5a, sizeof data);
  OK(clEnqueueUnmapMemObject(queue, b, m, 0, NULL, NULL));
  read_all(b, back, sizeof back);
  CHECK(back[0] == 0x5a5a5a5a && back[127] == 0x5a5a5a5a);

  // The host's memory: a map gives the place in it, with the kernel's results.
  _Alignas(128) static uint32_t own[64];
  for (uint32_t i = 0; i < 64; i++) own[i] = i;
  cl_mem in_place = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof own, own, &err);
  MADE(in_place);
  set_buffer(twice, 0, in_place);
  run1(twice, 64, 32);
  m = clEnqueueMapBuffer(queue, in_place, CL_TRUE, CL_MAP_READ, 16, 64, 0, NULL, NULL, &err);
  MADE(m);
  CHECK(m == own + 4);
  for (uint32_t i = 0; i < 16; i++) CHECK(m[i] == 2 * (i + 4));
  OK(clEnqueueUnmapMemObject(queue, in_place, m, 0, NULL, NULL));
  OK(clFinish(queue));
  OK(clReleaseMemObject(in_place));

  // Mistakes.
  REFUSED(CL_INVALID_VALUE, clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_READ, 0, sizeof data + 1, 0, NULL, NULL, &err));
  STRICT_REFUSED(CL_INVALID_VALUE, clEnqueueMapBuffer(queue, b, CL_TRUE, 1 << 10, 0, 16, 0, NULL, NULL, &err));
  STRICT_REFUSED(CL_INVALID_VALUE,
                 clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 16, 0, NULL, NULL, &err));
  REFUSED(CL_INVALID_MEM_OBJECT, clEnqueueMapBuffer(queue, NULL, CL_TRUE, CL_MAP_READ, 0, 16, 0, NULL, NULL, &err));
  REFUSED(CL_INVALID_COMMAND_QUEUE, clEnqueueMapBuffer(NULL, b, CL_TRUE, CL_MAP_READ, 0, 16, 0, NULL, NULL, &err));
  REFUSED(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_READ, 0, 16, 1, NULL, NULL, &err));
  CODE(CL_INVALID_VALUE, clEnqueueUnmapMemObject(queue, b, data, 0, NULL, NULL));
  CODE(CL_INVALID_MEM_OBJECT, clEnqueueUnmapMemObject(queue, NULL, data, 0, NULL, NULL));
  CODE(CL_INVALID_COMMAND_QUEUE, clEnqueueUnmapMemObject(NULL, b, data, 0, NULL, NULL));
  cl_mem hidden = clCreateBuffer(context, CL_MEM_HOST_READ_ONLY, 64, NULL, &err);
  MADE(hidden);
  REFUSED(CL_INVALID_OPERATION, clEnqueueMapBuffer(queue, hidden, CL_TRUE, CL_MAP_WRITE, 0, 16, 0, NULL, NULL, &err));
  OK(clReleaseMemObject(hidden));

  OK(clReleaseKernel(twice));
  OK(clReleaseProgram(program));
  OK(clReleaseMemObject(b));
  return close_host();
}
