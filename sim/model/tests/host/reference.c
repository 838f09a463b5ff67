// Exact values in double precision: the functions of the host's libraries, eight at once where it has them and PLAIN is
// not defined.
#define _GNU_SOURCE
#include "block.h"
#include <math.h>
#include <string.h>

typedef double v8 __attribute__((vector_size(64)));
typedef int64_t i8 __attribute__((vector_size(64)));
typedef float f8 __attribute__((vector_size(32)));
#define PI 3.14159265358979323846

#if defined __AVX512F__ && !defined PLAIN
#define VECTOR(n) v8 _ZGVeN8v_##n(v8); static inline v8 v_##n(v8 x) { return _ZGVeN8v_##n(x); }
#else
#define VECTOR(n) SCALAR(n)
#endif
#define SCALAR(n) static inline v8 v_##n(v8 x) { v8 r; for (int i = 0; i < 8; i++) r[i] = n(x[i]); return r; }
VECTOR(acos) VECTOR(acosh) VECTOR(asin) VECTOR(asinh) VECTOR(atan) VECTOR(atanh) VECTOR(cbrt) VECTOR(cos) VECTOR(cosh)
VECTOR(erf) VECTOR(erfc) VECTOR(exp) VECTOR(exp2) VECTOR(exp10) VECTOR(expm1) VECTOR(log) VECTOR(log2) VECTOR(log10)
VECTOR(log1p) VECTOR(sin) VECTOR(sinh) VECTOR(tan) VECTOR(tanh)
#define BUILTIN(n) static inline v8 v_##n(v8 x) { return __builtin_elementwise_##n(x); }
BUILTIN(ceil) BUILTIN(floor) BUILTIN(trunc)
#if __clang_major__ < 17
SCALAR(rint) SCALAR(sqrt)
#else
BUILTIN(rint) BUILTIN(sqrt)
#endif
static inline v8 v_fabs(v8 x) { return (v8)((i8)x & INT64_MAX); }

static inline v8 choose(i8 c, v8 a, v8 b) { return (v8)((c & (i8)a) | (~c & (i8)b)); }
static inline v8 copysigns(double a, v8 x) { return (v8)((i8)((v8){} + a) | ((i8)x & INT64_MIN)); }
static inline v8 minimum(v8 a, v8 b) { return choose(a < b, a, b); }
// Exact at whole numbers and halves; x is a float.
static v8 sinpi(v8 x) {
  v8 r = x - 2.0 * v_rint(x * 0.5), a = v_fabs(r);
  v8 s = v_sin(minimum(a, 1.0 - a) * PI);
  return choose(r < 0.0, -s, s);
}
static v8 cospi(v8 x) { return v_sin((0.5 - v_fabs(x - 2.0 * v_rint(x * 0.5))) * PI); }
static v8 infinite(v8 x) { return (v8)(v_fabs(x) == (v8){} + INFINITY); }
static v8 fract(v8 x) {
  v8 f = minimum(x - v_floor(x), (v8){} + 0x1.fffffep-1);
  return choose(x != x, x, choose((i8)infinite(x), copysigns(0.0, x), f));
}
static v8 modf_of(v8 x) { return choose((i8)infinite(x), copysigns(0.0, x), x - v_trunc(x)); }
static v8 frexp_of(v8 x) { v8 r; int n; for (int i = 0; i < 8; i++) r[i] = frexp(x[i], &n); return r; }
static v8 exponent_of(v8 x) { v8 r; for (int i = 0, n; i < 8; i++) frexp(x[i], &n), r[i] = isfinite(x[i]) ? n : 0; return r; }
static v8 logb_of(v8 x) { v8 r; for (int i = 0; i < 8; i++) r[i] = logb(x[i]); return r; }
static v8 ilogb_of(v8 x) {
  v8 l = logb_of(x);
  return choose(l == -INFINITY, (v8){} - 0x1p31, choose((i8)infinite(l) | (l != l), (v8){} + 0x1p31, l));
}
// Near zero 1 / x less Euler's constant, which leaves out 0.99 x.
static v8 gammas(v8 x) {
  v8 r;
  for (int i = 0; i < 8; i++) {
    double a = x[i];
    r[i] = fabs(a) < 0x1p-30 ? 1 / a - 0.57721566490153286 : a > 40 ? INFINITY : a < -60 && a != floor(a) ? 0.0 : a <= 0 && a == floor(a) ? NAN : tgamma(a);
  }
  return r;
}

#define UNARY(n, call, value, ulp, limit)                                                          \
  void exact_##n(const float *in, double *out) {                                                   \
    for (int i = 0; i < BLOCK; i += 8) {                                                           \
      f8 narrow;                                                                                   \
      memcpy(&narrow, in + i, sizeof narrow);                                                      \
      v8 x = __builtin_convertvector(narrow, v8), y = value;                                       \
      memcpy(out + i, &y, sizeof y);                                                               \
    }                                                                                              \
  }
#include "functions.h"

// Rounded once; the host's own instruction.
static double true_fma(double x, double y, double z) { return __builtin_fmaf((float)x, (float)y, (float)z); }
static double true_nextafter(double x, double y) {
  if (x != x || y != y) return NAN;
  return nextafterf((float)x, (float)y);
}
static double true_powr(double x, double y) {
  if (x != x || y != y || x < 0) return NAN;
  if ((x == 0 || isinf(x)) && y == 0) return NAN;
  if (x == 1 && isinf(y)) return NAN;
  return pow(fabs(x), y);
}
static double true_rootn(double x, double n) {
  int odd = (int64_t)n & 1;
  if (x != x || n == 0 || (x < 0 && !odd)) return NAN;
  double r = pow(fabs(x), 1 / n);
  return odd ? copysign(r, x) : r;
}
// The low seven bits of the whole quotient nearest to x / y, with its sign; 0 where there is none.
static double true_quotient(double x, double y) {
  int n = 0;
  if (!isfinite(x) || y == 0 || y != y) return 0;
  double r = fmod(fabs(x), 128 * fabs(y)), m = fabs(y);
  if (isfinite(y)) n = (int)rint(r / m);
  // The quotient is rounded; the remainder is not.
  if (isfinite(y) && fabs(r - n * m) * 2 > m) n += r > n * m ? 1 : -1;
  if (isfinite(y) && fabs(r - n * m) * 2 == m && n % 2) n += r > n * m ? 1 : -1;
  return (signbit(x) != signbit(y) ? -1 : 1) * (n & 127);
}
#define PAIR(n_, call, value, ulp, kind)                                                           \
  void exact_##n_(const float *a, const float *b, const float *c, const int *w, double *out) {      \
    for (int i = 0; i < BLOCK; i++) {                                                              \
      double x = a[i], y = b[i], z = c[i];                                                         \
      int n = w[i];                                                                                \
      (void)y, (void)z, (void)n;                                                                   \
      out[i] = value;                                                                              \
    }                                                                                              \
  }
#include "pairs.h"
