// Buffers: flags, host pointers, questions, reads and writes with offsets, mistakes.
#include "host.h"

static cl_uint count_of(cl_mem b) {
  cl_uint n = 0;
  OK(clGetMemObjectInfo(b, CL_MEM_REFERENCE_COUNT, sizeof n, &n, NULL));
  return n;
}

int main(void) {
  open_host(0);
  uint32_t data[256], back[256], seed = 1;
  for (int i = 0; i < 256; i++) data[i] = next_random(&seed);

  cl_mem b = buffer_of(sizeof data, data);
  read_all(b, back, sizeof back);
  CHECK(memcmp(data, back, sizeof data) == 0);

  // The copy is a copy.
  uint32_t first = data[0];
  data[0] ^= 1;
  read_all(b, back, 4);
  CHECK(back[0] == first);
  data[0] = first;

  cl_mem_object_type type = 0;
  cl_mem_flags flags = 0;
  size_t bytes = 0, size = 0;
  cl_context in = NULL;
  void *host = data;
  OK(clGetMemObjectInfo(b, CL_MEM_TYPE, sizeof type, &type, NULL));
  OK(clGetMemObjectInfo(b, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
  OK(clGetMemObjectInfo(b, CL_MEM_SIZE, sizeof size, &size, &bytes));
  OK(clGetMemObjectInfo(b, CL_MEM_CONTEXT, sizeof in, &in, NULL));
  OK(clGetMemObjectInfo(b, CL_MEM_HOST_PTR, sizeof host, &host, NULL));
  CHECK(type == CL_MEM_OBJECT_BUFFER && size == sizeof data && bytes == sizeof size && in == context && host == NULL);
  CHECK(flags == (CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR));
  cl_mem parent = b;
  size_t offset = 1;
  OK(clGetMemObjectInfo(b, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL));
  OK(clGetMemObjectInfo(b, CL_MEM_OFFSET, sizeof offset, &offset, NULL));
  CHECK(parent == NULL && offset == 0);
  cl_uint maps = 9;
  OK(clGetMemObjectInfo(b, CL_MEM_MAP_COUNT, sizeof maps, &maps, NULL));
  CHECK(maps == 0);
  CODE(CL_INVALID_VALUE, clGetMemObjectInfo(b, CL_MEM_SIZE, 4, &size, NULL));
  CODE(CL_INVALID_VALUE, clGetMemObjectInfo(b, 0x7777, 0, NULL, NULL));
  CODE(CL_INVALID_MEM_OBJECT, clGetMemObjectInfo(NULL, CL_MEM_SIZE, 0, NULL, NULL));
  CHECK(count_of(b) == 1);
  OK(clRetainMemObject(b));
  CHECK(count_of(b) == 2);
  OK(clReleaseMemObject(b));
  CODE(CL_INVALID_MEM_OBJECT, clRetainMemObject(NULL));
  CODE(CL_INVALID_MEM_OBJECT, clReleaseMemObject(NULL));

  // Odd offsets and sizes.
  uint8_t bytes13[13];
  OK(clEnqueueReadBuffer(queue, b, CL_TRUE, 7, 13, bytes13, 0, NULL, NULL));
  CHECK(memcmp(bytes13, (uint8_t *)data + 7, 13) == 0);
  for (int i = 0; i < 13; i++) bytes13[i] = (uint8_t)i;
  OK(clEnqueueWriteBuffer(queue, b, CL_FALSE, 101, 13, bytes13, 0, NULL, NULL));
  OK(clFinish(queue));
  memcpy((uint8_t *)data + 101, bytes13, 13);
  cl_event read;
  memset(back, 0, sizeof back);
  OK(clEnqueueReadBuffer(queue, b, CL_FALSE, 0, sizeof back, back, 0, NULL, &read));
  OK(clWaitForEvents(1, &read));
  OK(clReleaseEvent(read));
  CHECK(memcmp(data, back, sizeof data) == 0);
  print_ints("read", back, 64);

  // Mistakes of reads and writes.
  CODE(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, b, CL_TRUE, 0, sizeof data + 1, back, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, b, CL_TRUE, sizeof data, 1, back, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, b, CL_TRUE, SIZE_MAX, 2, back, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, b, CL_TRUE, 0, 4, NULL, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueWriteBuffer(queue, b, CL_TRUE, 1, sizeof data, data, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueWriteBuffer(queue, b, CL_TRUE, 0, 4, NULL, 0, NULL, NULL));
  CODE(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(queue, NULL, CL_TRUE, 0, 4, back, 0, NULL, NULL));
  CODE(CL_INVALID_COMMAND_QUEUE, clEnqueueReadBuffer(NULL, b, CL_TRUE, 0, 4, back, 0, NULL, NULL));
  CODE(CL_INVALID_EVENT_WAIT_LIST, clEnqueueReadBuffer(queue, b, CL_TRUE, 0, 4, back, 1, NULL, NULL));
  cl_event none = NULL;
  CODE(CL_INVALID_EVENT_WAIT_LIST, clEnqueueReadBuffer(queue, b, CL_TRUE, 0, 4, back, 1, &none, NULL));
  CODE(CL_INVALID_EVENT_WAIT_LIST, clEnqueueWriteBuffer(queue, b, CL_TRUE, 0, 4, back, 0, &none, NULL));
  cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
  MADE(other);
  cl_mem foreign = clCreateBuffer(other, 0, 16, NULL, &err);
  MADE(foreign);
  CODE(CL_INVALID_CONTEXT, clEnqueueReadBuffer(queue, foreign, CL_TRUE, 0, 4, back, 0, NULL, NULL));
  OK(clReleaseMemObject(foreign));
  OK(clReleaseContext(other));

  // Host access flags.
  cl_mem writable = clCreateBuffer(context, CL_MEM_HOST_WRITE_ONLY, 64, NULL, &err);
  MADE(writable);
  CODE(CL_INVALID_OPERATION, clEnqueueReadBuffer(queue, writable, CL_TRUE, 0, 4, back, 0, NULL, NULL));
  OK(clEnqueueWriteBuffer(queue, writable, CL_TRUE, 0, 4, back, 0, NULL, NULL));
  OK(clReleaseMemObject(writable));
  cl_mem hidden = clCreateBuffer(context, CL_MEM_HOST_NO_ACCESS | CL_MEM_READ_ONLY, 64, NULL, &err);
  MADE(hidden);
  CODE(CL_INVALID_OPERATION, clEnqueueReadBuffer(queue, hidden, CL_TRUE, 0, 4, back, 0, NULL, NULL));
  CODE(CL_INVALID_OPERATION, clEnqueueWriteBuffer(queue, hidden, CL_TRUE, 0, 4, back, 0, NULL, NULL));
  OK(clReleaseMemObject(hidden));

  // The host's memory used as it is.
  _Alignas(128) static uint32_t used[64];
  for (int i = 0; i < 64; i++) used[i] = 1000u + (uint32_t)i;
  cl_mem in_place = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof used, used, &err);
  MADE(in_place);
  OK(clGetMemObjectInfo(in_place, CL_MEM_HOST_PTR, sizeof host, &host, NULL));
  CHECK(host == used);
  OK(clEnqueueReadBuffer(queue, in_place, CL_TRUE, 4, 8, back, 0, NULL, NULL));
  CHECK(back[0] == 1001 && back[1] == 1002);
  OK(clReleaseMemObject(in_place));
  cl_mem alloc = clCreateBuffer(context, CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR, sizeof used, used, &err);
  MADE(alloc);
  read_all(alloc, back, sizeof used);
  CHECK(memcmp(back, used, sizeof used) == 0);
  OK(clReleaseMemObject(alloc));

  // Mistakes of creation.
  REFUSED(CL_INVALID_CONTEXT, clCreateBuffer(NULL, 0, 16, NULL, &err));
  REFUSED(CL_INVALID_BUFFER_SIZE, clCreateBuffer(context, 0, 0, NULL, &err));
  REFUSED(CL_INVALID_VALUE, clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 16, NULL, &err));
  REFUSED(CL_INVALID_VALUE, clCreateBuffer(context, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 16, data, &err));
  REFUSED(CL_INVALID_VALUE, clCreateBuffer(context, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 16, NULL, &err));
  REFUSED(CL_INVALID_VALUE, clCreateBuffer(context, 1ull << 40, 16, NULL, &err));
  REFUSED(CL_INVALID_HOST_PTR, clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 16, NULL, &err));
  REFUSED(CL_INVALID_HOST_PTR, clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 16, NULL, &err));
  REFUSED(CL_INVALID_HOST_PTR, clCreateBuffer(context, 0, 16, data, &err));
  cl_ulong most = 0;
  OK(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
  REFUSED(CL_INVALID_BUFFER_SIZE, clCreateBuffer(context, 0, most + 1, NULL, &err));

  // A buffer that is used is kept until the command is done.
  cl_mem dropped = buffer_of(sizeof data, data);
  OK(clEnqueueReadBuffer(queue, dropped, CL_FALSE, 0, sizeof back, back, 0, NULL, NULL));
  OK(clReleaseMemObject(dropped));
  OK(clFinish(queue));
  CHECK(memcmp(data, back, sizeof data) == 0);

  OK(clReleaseMemObject(b));
  return close_host();
}
