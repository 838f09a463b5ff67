// Copies between buffers and within one, fills with patterns of every size.
#include "host.h"

int main(void) {
  open_host(0);
  uint8_t data[512], want[512], back[512];
  uint32_t seed = 2;
  for (int i = 0; i < 512; i++) data[i] = (uint8_t)next_random(&seed);
  cl_mem a = buffer_of(512, data), b = buffer_of(512, NULL);

  OK(clEnqueueCopyBuffer(queue, a, b, 0, 0, 512, 0, NULL, NULL));
  read_all(b, back, 512);
  CHECK(memcmp(back, data, 512) == 0);
  memcpy(want, data, 512);
  OK(clEnqueueCopyBuffer(queue, a, b, 3, 200, 99, 0, NULL, NULL));
  memcpy(want + 200, data + 3, 99);
  OK(clEnqueueCopyBuffer(queue, b, b, 0, 256, 256, 0, NULL, NULL));
  memcpy(want + 256, want, 256);
  read_all(b, back, 512);
  CHECK(memcmp(back, want, 512) == 0);
  print_ints("copied", back, 128);

  CODE(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(queue, b, b, 0, 255, 256, 0, NULL, NULL));
  CODE(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(queue, b, b, 100, 0, 101, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueCopyBuffer(queue, a, b, 1, 0, 512, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueCopyBuffer(queue, a, b, 0, 1, 512, 0, NULL, NULL));
  STRICT(CL_INVALID_VALUE, clEnqueueCopyBuffer(queue, a, b, 0, 0, 0, 0, NULL, NULL));
  CODE(CL_INVALID_MEM_OBJECT, clEnqueueCopyBuffer(queue, NULL, b, 0, 0, 1, 0, NULL, NULL));
  CODE(CL_INVALID_MEM_OBJECT, clEnqueueCopyBuffer(queue, a, NULL, 0, 0, 1, 0, NULL, NULL));
  CODE(CL_INVALID_COMMAND_QUEUE, clEnqueueCopyBuffer(NULL, a, b, 0, 0, 1, 0, NULL, NULL));
  CODE(CL_INVALID_EVENT_WAIT_LIST, clEnqueueCopyBuffer(queue, a, b, 0, 0, 1, 2, NULL, NULL));

  for (size_t size = 1; size <= 128; size *= 2) {
    OK(clEnqueueFillBuffer(queue, b, data, size, 128, 256, 0, NULL, NULL));
    for (size_t i = 0; i < 256; i++) want[128 + i] = data[i % size];
    read_all(b, back, 512);
    CHECK(memcmp(back, want, 512) == 0);
  }
  print_ints("filled", back, 128);
  // The pattern is read when the command is given.
  uint32_t pattern = 0x11223344;
  OK(clEnqueueFillBuffer(queue, b, &pattern, 4, 0, 512, 0, NULL, NULL));
  pattern = 0;
  read_all(b, back, 512);
  CHECK(back[0] == 0x44 && back[511] == 0x11);

  CODE(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, b, NULL, 4, 0, 16, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, b, data, 0, 0, 16, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, b, data, 3, 0, 15, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, b, data, 256, 0, 256, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, b, data, 4, 2, 16, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, b, data, 4, 0, 18, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, b, data, 4, 508, 8, 0, NULL, NULL));
  CODE(CL_INVALID_MEM_OBJECT, clEnqueueFillBuffer(queue, NULL, data, 4, 0, 16, 0, NULL, NULL));
  CODE(CL_INVALID_COMMAND_QUEUE, clEnqueueFillBuffer(NULL, b, data, 4, 0, 16, 0, NULL, NULL));

  OK(clReleaseMemObject(a));
  OK(clReleaseMemObject(b));
  return close_host();
}
