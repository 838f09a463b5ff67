// Rectangles in two and three dimensions: read, written, copied, with pitches given and derived.
#include "host.h"

enum { X = 16, Y = 8, Z = 4, ALL = X * Y * Z };

static uint8_t at(const uint8_t *m, size_t x, size_t y, size_t z) { return m[x + X * (y + Y * z)]; }

int main(void) {
  open_host(0);
  uint8_t data[ALL], back[ALL], want[ALL];
  uint32_t seed = 3;
  for (int i = 0; i < ALL; i++) data[i] = (uint8_t)next_random(&seed);
  cl_mem a = buffer_of(ALL, data), b = buffer_of(ALL, data);

  // A box of 5 x 3 x 2 bytes out of the buffer, packed in the host's memory.
  const size_t zero[3] = {0, 0, 0}, from[3] = {2, 1, 1}, region[3] = {5, 3, 2};
  memset(back, 0xee, ALL);
  OK(clEnqueueReadBufferRect(queue, a, CL_TRUE, from, zero, region, X, X * Y, 0, 0, back, 0, NULL, NULL));
  for (size_t z = 0; z < 2; z++)
    for (size_t y = 0; y < 3; y++)
      for (size_t x = 0; x < 5; x++) CHECK(back[x + 5 * (y + 3 * z)] == at(data, 2 + x, 1 + y, 1 + z));
  CHECK(back[30] == 0xee);

  // The same box to another place.
  const size_t to[3] = {9, 4, 2};
  memcpy(want, data, ALL);
  for (size_t z = 0; z < 2; z++)
    for (size_t y = 0; y < 3; y++)
      for (size_t x = 0; x < 5; x++) want[9 + x + X * (4 + y + Y * (2 + z))] = back[x + 5 * (y + 3 * z)];
  OK(clEnqueueWriteBufferRect(queue, b, CL_TRUE, to, zero, region, X, X * Y, 5, 15, back, 0, NULL, NULL));
  uint8_t whole[ALL];
  read_all(b, whole, ALL);
  CHECK(memcmp(whole, want, ALL) == 0);

  // By a copy on the device.
  OK(clEnqueueWriteBuffer(queue, b, CL_TRUE, 0, ALL, data, 0, NULL, NULL));
  OK(clEnqueueCopyBufferRect(queue, a, b, from, to, region, X, X * Y, X, X * Y, 0, NULL, NULL));
  read_all(b, whole, ALL);
  CHECK(memcmp(whole, want, ALL) == 0);
  print_ints("copied", whole, ALL / 4);

  // Within one buffer, apart.
  OK(clEnqueueCopyBufferRect(queue, b, b, zero, (size_t[]){0, 4, 0}, (size_t[]){X, 4, 1}, X, X * Y, X, X * Y, 0, NULL, NULL));
  memcpy(want + 4 * X, want, 4 * X);
  read_all(b, whole, ALL);
  CHECK(memcmp(whole, want, ALL) == 0);
  STRICT(CL_MEM_COPY_OVERLAP,
         clEnqueueCopyBufferRect(queue, b, b, zero, (size_t[]){4, 1, 0}, (size_t[]){8, 4, 1}, X, X * Y, X, X * Y, 0, NULL, NULL));

  // Mistakes.
  CODE(CL_INVALID_VALUE, clEnqueueReadBufferRect(queue, a, CL_TRUE, (size_t[]){12, 0, 3}, zero, (size_t[]){5, 8, 1}, X, X * Y, 0, 0, back, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueReadBufferRect(queue, a, CL_TRUE, zero, zero, (size_t[]){5, 0, 1}, X, X * Y, 0, 0, back, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueReadBufferRect(queue, a, CL_TRUE, zero, zero, region, 4, 0, 0, 0, back, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueReadBufferRect(queue, a, CL_TRUE, zero, zero, region, X, X + 1, 0, 0, back, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueReadBufferRect(queue, a, CL_TRUE, zero, zero, region, X, X * Y, 0, 0, NULL, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueWriteBufferRect(queue, a, CL_TRUE, zero, zero, region, X, X * Y, 4, 0, back, 0, NULL, NULL));
  STRICT(CL_INVALID_VALUE, clEnqueueCopyBufferRect(queue, b, b, zero, to, region, X, X * Y, X, 0, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueCopyBufferRect(queue, a, b, zero, (size_t[]){0, 0, 4}, region, X, X * Y, X, X * Y, 0, NULL, NULL));
  CODE(CL_INVALID_MEM_OBJECT, clEnqueueReadBufferRect(queue, NULL, CL_TRUE, zero, zero, region, 0, 0, 0, 0, back, 0, NULL, NULL));
  STRICT(CL_INVALID_MEM_OBJECT, clEnqueueCopyBufferRect(queue, a, NULL, zero, zero, region, 0, 0, 0, 0, 0, NULL, NULL));
  CODE(CL_INVALID_COMMAND_QUEUE, clEnqueueWriteBufferRect(NULL, a, CL_TRUE, zero, zero, region, 0, 0, 0, 0, back, 0, NULL, NULL));

  OK(clReleaseMemObject(a));
  OK(clReleaseMemObject(b));
  return close_host();
}
