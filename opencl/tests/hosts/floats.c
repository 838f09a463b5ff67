// Floats: arithmetic, conversions, comparisons, built-ins; within the distance that each line states.
#include "host.h"

enum { N = 256 };
static const char *SOURCE =
    "__kernel void arithmetic(__global const float *a, __global const float *b, __global float *o) {\n"
    "  uint i = get_global_id(0), n = get_global_size(0); float x = a[i], y = b[i];\n"
    "  o[i] = x + y; o[n + i] = x * y; o[2 * n + i] = x / y; o[3 * n + i] = sqrt(fabs(x));\n"
    "}\n"
    "__kernel void exact(__global const float *a, __global const float *b, __global int *o) {\n"
    "  uint i = get_global_id(0), n = get_global_size(0); float x = a[i], y = b[i];\n"
    "  o[i] = (int)x; o[n + i] = convert_int_rte(x); o[2 * n + i] = as_int(floor(x)) ^ as_int(ceil(y)); o[3 * n + i] = as_int(fmin(x, y)) + as_int(fmax(x, y));\n"
    "  o[4 * n + i] = (x < y) + 2 * (x == y) + 4 * isnan(x) + 8 * signbit(y); o[5 * n + i] = as_int(trunc(x)); o[6 * n + i] = convert_uchar_sat(x);\n"
    "  int q; float r = remquo(x, y, &q);\n"
    "  o[7 * n + i] = as_int(copysign(x, y)) ^ as_int(rint(x)) ^ as_int(r) ^ (q & 7) ^ as_int(nextafter(x, y));\n"
    "}\n"
    "__kernel void functions(__global const float *a, __global float *o) {\n"
    "  uint i = get_global_id(0), n = get_global_size(0); float x = a[i];\n"
    "  o[i] = exp(x * 0.1f); o[n + i] = log(fabs(x) + 2.0f); o[2 * n + i] = pow(fabs(x) + 1.0f, 1.5f); o[3 * n + i] = hypot(x, 3.0f);\n"
    "  o[4 * n + i] = lgamma(fabs(x) + 0.3f); int sign; o[5 * n + i] = lgamma_r(x / 16, &sign); o[6 * n + i] = sign;\n"
    "}\n";

int main(void) {
  open_host(0);
  if (!has_float()) return close_host();
  float a[N], b[N], got[8 * N];
  uint32_t seed = 31;
  for (int i = 0; i < N; i++) {
    a[i] = ((float)(next_random(&seed) % 2000000) - 1000000) / 4096;
    b[i] = ((float)(next_random(&seed) % 2000000) - 1000001) / 2048;
  }
  cl_program p = build(SOURCE);
  cl_kernel arithmetic = kernel_of(p, "arithmetic"), exact = kernel_of(p, "exact"), functions = kernel_of(p, "functions");
  cl_mem ma = buffer_of(sizeof a, a), mb = buffer_of(sizeof b, b), mo = buffer_of(sizeof got, NULL);
  set_buffer(arithmetic, 0, ma);
  set_buffer(arithmetic, 1, mb);
  set_buffer(arithmetic, 2, mo);
  run1(arithmetic, N, 64);
  read_all(mo, got, 16 * N);
  for (int i = 0; i < N; i++) CHECK(got[i] == a[i] + b[i] && got[N + i] == a[i] * b[i]);
  print_floats("sum", got, N, 0);
  print_floats("product", got + N, N, 0);
  print_floats("quotient", got + 2 * N, N, 3);
  print_floats("root", got + 3 * N, N, 3);
  set_buffer(exact, 0, ma);
  set_buffer(exact, 1, mb);
  set_buffer(exact, 2, mo);
  run1(exact, N, 64);
  read_all(mo, got, sizeof got);
  print_ints("exact", got, 8 * N);
  set_buffer(functions, 0, ma);
  set_buffer(functions, 1, mo);
  run1(functions, N, 64);
  read_all(mo, got, 28 * N);
  for (int i = 0; i < N; i++) {
    double want = lgamma(fabsf(a[i]) + 0.3f), want_r = lgamma(a[i] / 16);
    CHECK(fabs(got[4 * N + i] - want) <= 1e-5 * fmax(1, fabs(want)));
    CHECK(fabs(got[5 * N + i] - want_r) <= 1e-4 * fmax(1, fabs(want_r)));
    CHECK(got[6 * N + i] == (a[i] < 0 && ((int)floorf(a[i] / 16) & 1) ? -1 : 1));
  }
  print_floats("exp", got, N, 4);
  print_floats("log", got + N, N, 5);
  print_floats("pow", got + 2 * N, N, 33);
  print_floats("hypot", got + 3 * N, N, 5);
  OK(clReleaseMemObject(ma));
  OK(clReleaseMemObject(mb));
  OK(clReleaseMemObject(mo));
  OK(clReleaseKernel(arithmetic));
  OK(clReleaseKernel(exact));
  OK(clReleaseKernel(functions));
  OK(clReleaseProgram(p));
  return close_host();
}
