// 64-bit integers: arithmetic, division, shifts, comparisons, conversions, vectors.
#include "host.h"

enum { N = 64 };
static const char *SOURCE =
    "__kernel void wide(__global const long *a, __global const long *b, __global long *o) {\n"
    "  uint i = get_global_id(0); long x = a[i], y = b[i]; ulong ux = x, uy = y; __global long *p = o + 12 * i;\n"
    "  p[0] = x + y; p[1] = x - y; p[2] = x * y; p[3] = y ? x / (y | 1) : 0; p[4] = uy ? ux % (uy | 1) : 0;\n"
    "  p[5] = x >> (y & 63); p[6] = ux << (y & 63); p[7] = (x < y) + 2 * (ux < uy) + 4 * (x == y);\n"
    "  p[8] = mul_hi(x, y); p[9] = popcount(x) + 100 * clz(y); p[10] = min(x, y) ^ max(ux, uy); p[11] = (long)(int)x + (long)(short)y;\n"
    "}\n"
    "__kernel void vector(__global const long4 *a, __global long4 *o) { uint i = get_global_id(0); long4 v = a[i]; o[i] = v.wzyx * 3L - v; }\n";

int main(void) {
  open_host(0);
  int64_t a[N], b[N], got[12 * N];
  uint32_t seed = 5;
  for (int i = 0; i < N; i++) {
    a[i] = (int64_t)((uint64_t)next_random(&seed) << 42 ^ (uint64_t)next_random(&seed) << 21 ^ next_random(&seed));
    b[i] = (int64_t)((uint64_t)next_random(&seed) << 42 ^ (uint64_t)next_random(&seed) << 21 ^ next_random(&seed));
    if (i % 4 == 1) b[i] >>= 40;
    if (i % 4 == 2) a[i] = -(a[i] >> 30);
  }
  b[7] = 0;
  a[8] = b[8];
  cl_program p = build(SOURCE);
  cl_kernel wide = kernel_of(p, "wide"), vector = kernel_of(p, "vector");
  cl_mem ma = buffer_of(sizeof a, a), mb = buffer_of(sizeof b, b), mo = buffer_of(sizeof got, NULL);
  set_buffer(wide, 0, ma);
  set_buffer(wide, 1, mb);
  set_buffer(wide, 2, mo);
  run1(wide, N, 32);
  read_all(mo, got, sizeof got);
  for (int i = 0; i < N; i++) {
    int64_t x = a[i], y = b[i], *o = got + 12 * i;
    uint64_t ux = (uint64_t)x, uy = (uint64_t)y;
    CHECK(o[0] == (int64_t)(ux + uy) && o[1] == (int64_t)(ux - uy) && o[2] == (int64_t)(ux * uy));
    CHECK(o[3] == (y ? x / (y | 1) : 0) && o[4] == (int64_t)(y ? ux % (uy | 1) : 0));
    CHECK(o[5] == x >> (y & 63) && o[6] == (int64_t)(ux << (y & 63)) && o[7] == (x < y) + 2 * (ux < uy) + 4 * (x == y));
    CHECK(o[11] == (int64_t)(int32_t)x + (int16_t)y);
  }
  print_ints("wide", got, 24 * N);
  set_buffer(vector, 0, ma);
  set_buffer(vector, 1, mo);
  run1(vector, N / 4, 0);
  read_all(mo, got, 8 * N);
  for (int i = 0; i < N; i++) CHECK(got[i] == (int64_t)((uint64_t)a[i / 4 * 4 + 3 - i % 4] * 3 - (uint64_t)a[i]));
  OK(clReleaseMemObject(ma));
  OK(clReleaseMemObject(mb));
  OK(clReleaseMemObject(mo));
  OK(clReleaseKernel(wide));
  OK(clReleaseKernel(vector));
  OK(clReleaseProgram(p));
  return close_host();
}
