// Doubles: exact operations bit for bit, functions within their bounds, conversions, vectors, constants, calls with integers.
#include "host.h"
#include <float.h>

enum { N = 128, EXACT = 12, NEAR = 22 };
static const char *SOURCE =
    "#ifndef cl_khr_fp64\n#error cl_khr_fp64\n#endif\n"
    "__kernel void exact(__global const double *a, __global const double *b, __global double *o) {\n"
    "  uint i = get_global_id(0), n = get_global_size(0); double x = a[i], y = b[i]; int q, e; double w;\n"
    "  o[i] = x + y * 0.1; o[n + i] = x / y; o[2 * n + i] = sqrt(fabs(x)); o[3 * n + i] = fma(x, y, -0.3);\n"
    "  o[4 * n + i] = remquo(x, y, &q) + 1024 * (q & 7); o[5 * n + i] = frexp(x, &e) + e; o[6 * n + i] = modf(x, &w) * 4 + w;\n"
    "  o[7 * n + i] = fmod(x, y) + rint(x) + round(y); o[8 * n + i] = nextafter(x, y); o[9 * n + i] = fmax(x, y) - fmin(x, (double)q);\n"
    "  o[10 * n + i] = convert_double_rtz(convert_long_rtp(x * 1e12)) + convert_float_rtn(y);\n"
    "  o[11 * n + i] = ilogb(x) + logb(y) + ldexp(x, -1060) * 0x1p1000 + convert_uchar_sat(x);\n"
    "}\n"
    "__kernel void near(__global const double *a, __global const double *b, __global double *o) {\n"
    "  uint i = get_global_id(0), n = get_global_size(0); double x = a[i], y = fabs(b[i]) + 1, c;\n"
    "  __global double *r = o + i; double u = x / 512;\n"
    "  r[0] = exp(u * 50); r[n] = log(y); r[2 * n] = pow(y, u); r[3 * n] = sin(x); r[4 * n] = sincos(x, &c); r[5 * n] = c;\n"
    "  r[6 * n] = tan(x); r[7 * n] = asin(u); r[8 * n] = atan2(x, y); r[9 * n] = sinh(u); r[10 * n] = tanh(u); r[11 * n] = cbrt(x);\n"
    "  r[12 * n] = erf(u); r[13 * n] = erfc(u * 8); r[14 * n] = tgamma(u * 20); r[15 * n] = expm1(u); r[16 * n] = hypot(x, y);\n"
    "  r[17 * n] = exp10(u); r[18 * n] = rootn(y, 3); r[19 * n] = length((double3)(x, y, 3.0)); r[20 * n] = lgamma(y); r[21 * n] = sinpi(u);\n"
    "}\n"
    "__kernel void vectors(__global const double *a, __global long *o) {\n"
    "  uint i = get_global_id(0); double4 v = vload4(i, a), w = vload4(i + 1, a);\n"
    "  long4 less = isless(v, w); double4 s = select(v, w, less);\n"
    "  vstore4(as_long4(s) ^ (long4)(isnan(v.x), signbit(w.y), isequal(v.z, w.z), any(less)), i, o);\n"
    "  vstore_half4_rtp(w, i, (__global half *)(o + 64)); vstore_half_rtz(v.x, i, (__global half *)(o + 96));\n"
    "}\n";
// Nothing here is a double: an integer means a float where the functions of both fit.
static const char *FLOATS =
    "__kernel void floats(__global float *o, int n) { o[0] = sqrt(n) + o[1] * 0.5 + pow(o[2], 2); }\n";

static double reference(int f, double x, double b) {
  double y = fabs(b) + 1, u = x / 512;
  switch (f) {
    case 0: return exp(u * 50);
    case 1: return log(y);
    case 2: return pow(y, u);
    case 3: case 4: return sin(x);
    case 5: return cos(x);
    case 6: return tan(x);
    case 7: return asin(u);
    case 8: return atan2(x, y);
    case 9: return sinh(u);
    case 10: return tanh(u);
    case 11: return cbrt(x);
    case 12: return erf(u);
    case 13: return erfc(u * 8);
    case 14: return tgamma(u * 20);
    case 15: return expm1(u);
    case 16: return hypot(x, y);
    case 17: return pow(10, u);
    case 18: return cbrt(y);
    case 19: return sqrt(x * x + y * y + 9);
    case 20: return lgamma(y);
    default: return sin(3.14159265358979323846 * u);
  }
}

int main(void) {
  open_host(0);
  static double a[N + 4], b[N], got[NEAR * N];
  uint32_t seed = 64;
  for (int i = 0; i < N; i++) {
    a[i] = ((double)(next_random(&seed) % 2000000) - 1000000) / 2048 + 0x1p-30;
    b[i] = ((double)(next_random(&seed) % 2000000) - 1000001) / 4096;
  }
  cl_program p = build(SOURCE);
  cl_kernel exact = kernel_of(p, "exact"), near = kernel_of(p, "near"), vectors = kernel_of(p, "vectors");
  cl_mem ma = buffer_of(sizeof a, a), mb = buffer_of(sizeof b, b), mo = buffer_of(sizeof got, NULL);
  set_buffer(exact, 0, ma);
  set_buffer(exact, 1, mb);
  set_buffer(exact, 2, mo);
  run1(exact, N, 64);
  read_all(mo, got, EXACT * N * 8);
  for (int i = 0; i < N; i++) {
    CHECK(got[N + i] == a[i] / b[i] && got[2 * N + i] == sqrt(fabs(a[i])) && got[3 * N + i] == fma(a[i], b[i], -0.3));
    int q;
    double r = remquo(a[i], b[i], &q);
    CHECK(got[4 * N + i] == r + 1024 * (q < 0 ? -(-q & 7) & 7 : q & 7));
    CHECK(got[8 * N + i] == nextafter(a[i], b[i]));
  }
  // Products and sums may be one operation in the first line.
  print_ints("exact", (uint32_t *)(got + N), 2 * 3 * N);
  print_ints("parts", (uint32_t *)(got + 5 * N), 2 * 4 * N);
  print_ints("conversions", (uint32_t *)(got + 10 * N), 2 * 2 * N);
  set_buffer(near, 0, ma);
  set_buffer(near, 1, mb);
  set_buffer(near, 2, mo);
  run1(near, N, 64);
  read_all(mo, got, sizeof got);
  for (int f = 0; f < NEAR; f++)
    for (int i = 0; i < N; i++) {
      double want = reference(f, a[i], b[i]), bound = 16 * DBL_EPSILON * fmax(fabs(want), f >= 20 ? 1 : 0);
      if (isnan(want)) {
        CHECK(isnan(got[f * N + i]));
      } else if (!(fabs(got[f * N + i] - want) <= bound)) {
        fprintf(stderr, "function %d of %.17g, %.17g: %.17g, not %.17g\n", f, a[i], b[i], got[f * N + i], want);
        CHECK(0);
      }
    }
  set_buffer(vectors, 0, ma);
  set_buffer(vectors, 1, mo);
  memset(got, 0, sizeof got);
  OK(clEnqueueWriteBuffer(queue, mo, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
  run1(vectors, 16, 16);
  read_all(mo, got, 8 * 100);
  print_ints("vectors", (uint32_t *)got, 200);
  if (warpsmith && has_float()) {
    cl_program q = build(FLOATS);
    cl_kernel k = kernel_of(q, "floats");
    float values[3] = {0, 7, 3};
    cl_int n = 16;
    cl_mem m = buffer_of(sizeof values, values);
    set_buffer(k, 0, m);
    OK(clSetKernelArg(k, 1, sizeof n, &n));
    run1(k, 1, 1);
    read_all(m, values, sizeof values);
    CHECK(fabsf(values[0] - 16.5f) < 1e-5f);
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(q));
  }
  OK(clReleaseMemObject(ma));
  OK(clReleaseMemObject(mb));
  OK(clReleaseMemObject(mo));
  OK(clReleaseKernel(exact));
  OK(clReleaseKernel(near));
  OK(clReleaseKernel(vectors));
  OK(clReleaseProgram(p));
  return close_host();
}
