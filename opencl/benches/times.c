// Times of builds and launches on the first platform, a line each: processor time of the process in milliseconds, what.
#include "../tests/hosts/host.h"

enum { N = 256, ROUNDS = 15 };
static const char *SOURCE =
    "__kernel void plain(int n, __global const float *a, __global const float *b, __global float *c) {\n"
    "  int x = get_global_id(0), y = get_global_id(1);\n"
    "  float sum = 0;\n"
    "  for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];\n"
    "  c[y * n + x] = sum;\n"
    "}\n"
    "#define TILE 16\n"
    "__kernel void tiled(int n, __global const float *a, __global const float *b, __global float *c) {\n"
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
    "}\n"
    "__kernel void first(__global const int *large, __global int *small) { small[get_global_id(0)] = 1; }\n";

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

// The least of some rounds of a launch.
static double launch(cl_kernel k, size_t n, size_t tile) {
  double least = 1e9;
  for (int r = 0; r < ROUNDS; r++) {
    double from = now();
    OK(clEnqueueNDRangeKernel(queue, k, 2, NULL, (size_t[]){n, n}, (size_t[]){tile, tile}, 0, NULL, NULL));
    OK(clFinish(queue));
    double took = now() - from;
    if (took < least) least = took;
  }
  return least;
}

int main(void) {
  open_host(0);
  double from = now();
  cl_program p = build(SOURCE);
  cl_kernel k[3] = {kernel_of(p, "plain"), kernel_of(p, "tiled"), kernel_of(p, "first")};
  printf("%.3f build of the source\n", now() - from);
  static float a[N * N], b[N * N], c[N * N];
  uint32_t seed = 21;
  for (int i = 0; i < N * N; i++) {
    a[i] = (float)(next_random(&seed) % 1000) / 500;
    b[i] = (float)(next_random(&seed) % 1000) / 500;
  }
  cl_mem m[3] = {buffer_of(sizeof a, a), buffer_of(sizeof b, b), buffer_of(sizeof c, NULL)};
  for (int j = 0; j < 2; j++) {
    set_int(k[j], 0, N);
    for (cl_uint i = 0; i < 3; i++) set_buffer(k[j], i + 1, m[i]);
    printf("%.3f product of 256 x 256 floats, %s\n", launch(k[j], N, 16), j ? "tiled" : "plain");
    read_all(m[2], c, sizeof c);
    for (int i = 0; i < N * N; i += 977) {
      double sum = 0;
      for (int l = 0; l < N; l++) sum += (double)a[i / N * N + l] * b[l * N + i % N];
      if (fabs(c[i] - sum) > sum * 512 * 6e-8) FAIL("element %d: %g, expected %g", i, c[i], sum);
    }
  }
  cl_mem large = buffer_of(64 << 20, NULL), small = buffer_of(4 * 64, NULL);
  set_buffer(k[2], 0, large);
  set_buffer(k[2], 1, small);
  printf("%.3f launch beside 64 MiB that it does not touch\n", launch(k[2], 8, 8));
  for (int i = 0; i < 3; i++) {
    OK(clReleaseKernel(k[i]));
    OK(clReleaseMemObject(m[i]));
  }
  OK(clReleaseMemObject(large));
  OK(clReleaseMemObject(small));
  OK(clReleaseProgram(p));
  return close_host();
}
