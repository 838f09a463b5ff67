// Product of two float matrices through tiles in local memory.
#include "host.h"

enum { N = 32, TILE = 8 };
static const char *SOURCE =
    "#define TILE 8\n"
    "__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))\n"
    "void multiply(__global const float *a, __global const float *b, __global float *c, int n) {\n"
    "  __local float ta[TILE][TILE], tb[TILE][TILE];\n"
    "  int x = get_local_id(0), y = get_local_id(1), col = get_global_id(0), row = get_global_id(1);\n"
    "  float sum = 0;\n"
    "  for (int t = 0; t < n; t += TILE) {\n"
    "    ta[y][x] = a[row * n + t + x]; tb[y][x] = b[(t + y) * n + col];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int k = 0; k < TILE; k++) sum += ta[y][k] * tb[k][x];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  }\n"
    "  c[row * n + col] = sum;\n"
    "}\n";

int main(void) {
  open_host(CL_QUEUE_PROFILING_ENABLE);
  if (!has_float()) return close_host();
  float a[N * N], b[N * N], c[N * N];
  uint32_t seed = 21;
  for (int i = 0; i < N * N; i++) {
    a[i] = (float)(next_random(&seed) % 1000) / 500;
    b[i] = (float)(next_random(&seed) % 1000) / 500;
  }
  cl_program p = build(SOURCE);
  cl_kernel k = kernel_of(p, "multiply");
  cl_mem ma = buffer_of(sizeof a, a), mb = buffer_of(sizeof b, b), mc = buffer_of(sizeof c, NULL);
  set_buffer(k, 0, ma);
  set_buffer(k, 1, mb);
  set_buffer(k, 2, mc);
  set_int(k, 3, N);
  cl_event e;
  OK(clEnqueueNDRangeKernel(queue, k, 2, NULL, (size_t[]){N, N}, (size_t[]){TILE, TILE}, 0, NULL, &e));
  read_all(mc, c, sizeof c);
  for (int y = 0; y < N; y++)
    for (int x = 0; x < N; x++) {
      double s = 0;
      for (int i = 0; i < N; i++) s += (double)a[y * N + i] * b[i * N + x];
      // 32 products, each truncated, 32 sums, each rounded, all of one sign
      if (fabs(c[y * N + x] - s) > s * 64 * 6e-8) FAIL("row %d, column %d: %g, expected %g", y, x, c[y * N + x], s);
    }
  print_floats("product", c, N * N, 64);
  OK(clReleaseEvent(e));
  OK(clReleaseMemObject(ma));
  OK(clReleaseMemObject(mb));
  OK(clReleaseMemObject(mc));
  OK(clReleaseKernel(k));
  OK(clReleaseProgram(p));
  return close_host();
}
