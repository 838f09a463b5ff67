// Math functions that CUDA C has beside those of C.
#pragma once

// glibc has functions of the same names.
#define __expf fibre_expf
#define __exp10f fibre_exp10f
#define __logf fibre_logf
#define __log2f fibre_log2f
#define __log10f fibre_log10f
#define __powf fibre_powf
#define __sinf fibre_sinf
#define __cosf fibre_cosf
#define __tanf fibre_tanf
#define __sincosf fibre_sincosf

#define FIBRE_1(type, name, value) static inline type name(type x) { return (type)(value); }
#define FIBRE_2(type, name, value) static inline type name(type x, type y) { return (type)(value); }
#define FIBRE_3(type, name, value) static inline type name(type x, type y, type z) { return (type)(value); }
FIBRE_1(float, __expf, expf(x))
FIBRE_1(float, __exp10f, powf(10, x))
FIBRE_1(float, __logf, logf(x))
FIBRE_1(float, __log2f, log2f(x))
FIBRE_1(float, __log10f, log10f(x))
FIBRE_1(float, __sinf, sinf(x))
FIBRE_1(float, __cosf, cosf(x))
FIBRE_1(float, __tanf, tanf(x))
FIBRE_2(float, __powf, powf(x, y))
FIBRE_1(float, __saturatef, x > 0 ? x < 1 ? x : 1 : 0)
FIBRE_2(float, __fdividef, x / y)
FIBRE_2(float, fdividef, x / y)
FIBRE_1(float, rsqrtf, 1 / sqrtf(x))
FIBRE_1(float, rcbrtf, 1 / cbrtf(x))
FIBRE_1(float, sinpif, sin(M_PI * fmod(x, 2)))
FIBRE_1(float, cospif, cos(M_PI * fmod(x, 2)))
FIBRE_1(float, normcdff, 0.5 * erfc(-x * M_SQRT1_2))
FIBRE_1(float, erfcxf, exp((double)x * x) * erfc(x))
FIBRE_2(float, rhypotf, 1 / hypot(x, y))
FIBRE_3(float, norm3df, sqrt((double)x * x + (double)y * y + (double)z * z))
FIBRE_3(float, rnorm3df, 1 / sqrt((double)x * x + (double)y * y + (double)z * z))
FIBRE_1(double, rsqrt, 1 / sqrt(x))
FIBRE_1(double, rcbrt, 1 / cbrt(x))
FIBRE_1(double, sinpi, sin(M_PI * fmod(x, 2)))
FIBRE_1(double, cospi, cos(M_PI * fmod(x, 2)))
FIBRE_1(double, normcdf, 0.5 * erfc(-x * M_SQRT1_2))
FIBRE_2(double, rhypot, 1 / hypot(x, y))
FIBRE_3(double, norm3d, sqrt(x * x + y * y + z * z))
FIBRE_3(double, rnorm3d, 1 / sqrt(x * x + y * y + z * z))
// Roundings other than the nearest are within the tolerance of the comparison.
#define FIBRE_ROUNDED(mode)                                                                           \
  FIBRE_2(float, __fadd_##mode, x + y) FIBRE_2(float, __fsub_##mode, x - y)                           \
  FIBRE_2(float, __fmul_##mode, x * y) FIBRE_2(float, __fdiv_##mode, x / y)                           \
  FIBRE_1(float, __frcp_##mode, 1 / x) FIBRE_1(float, __fsqrt_##mode, sqrtf(x))                       \
  FIBRE_3(float, __fmaf_##mode, fmaf(x, y, z))                                                        \
  FIBRE_2(double, __dadd_##mode, x + y) FIBRE_2(double, __dsub_##mode, x - y)                         \
  FIBRE_2(double, __dmul_##mode, x * y) FIBRE_2(double, __ddiv_##mode, x / y)                         \
  FIBRE_1(double, __drcp_##mode, 1 / x) FIBRE_1(double, __dsqrt_##mode, sqrt(x))                      \
  FIBRE_3(double, __fma_##mode, fma(x, y, z))
FIBRE_ROUNDED(rn)
FIBRE_ROUNDED(rz)
FIBRE_ROUNDED(ru)
FIBRE_ROUNDED(rd)
FIBRE_1(float, __frsqrt_rn, 1 / sqrtf(x))
#undef FIBRE_ROUNDED
#undef FIBRE_1
#undef FIBRE_2
#undef FIBRE_3

static inline void __sincosf(float x, float *s, float *c) { *s = sinf(x), *c = cosf(x); }
static inline void sincospif(float x, float *s, float *c) { *s = sinpif(x), *c = cospif(x); }
static inline void sincospi(double x, double *s, double *c) { *s = sinpi(x), *c = cospi(x); }

// Extremes of any two numbers.
template <class A, class B> auto max(A a, B b) -> std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>, std::common_type_t<A, B>> {
  using C = std::common_type_t<A, B>;
  return (C)a > (C)b ? (C)a : (C)b;
}
template <class A, class B> auto min(A a, B b) -> std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>, std::common_type_t<A, B>> {
  using C = std::common_type_t<A, B>;
  return (C)a < (C)b ? (C)a : (C)b;
}
// Programs have their own.
template <class = void> unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
template <class = void> unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
static inline long long llmin(long long a, long long b) { return a < b ? a : b; }
static inline long long llmax(long long a, long long b) { return a > b ? a : b; }
