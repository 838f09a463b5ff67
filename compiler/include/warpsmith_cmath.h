// The names without f: floats where a program has no doubles, as constants without suffix are then.
#pragma once
#pragma clang system_header

#ifdef __WS_DOUBLES
#define __WS_INTEGER_AS double
// A float argument; a double's and an integer's are in warpsmith_double.h.
#define __WS_N1(n, e) __WS_DEVICE float n(float x) { return e; }
#define __WS_N2(n, e) __WS_DEVICE float n(float x, float y) { return e; }
#else
#define __WS_INTEGER_AS float

// An integer argument means its float: the host's templates would make it a double.
#define __WS_AS_FLOAT(n, e, T)                                                                     \
  __WS_DEVICE float n(T i) { float x = (float)i; return e; }
#define __WS_N1(n, e)                                                                              \
  __WS_DEVICE float n(float x) { return e; }                                                       \
  __WS_DEVICE double n(double d) { float x = (float)d; return (double)(e); }                       \
  __WS_AS_FLOAT(n, e, int)                                                                         \
  __WS_AS_FLOAT(n, e, unsigned)                                                                    \
  __WS_AS_FLOAT(n, e, long)                                                                        \
  __WS_AS_FLOAT(n, e, unsigned long)                                                               \
  __WS_AS_FLOAT(n, e, long long)                                                                   \
  __WS_AS_FLOAT(n, e, unsigned long long)
#endif

// Two arguments, one of them no float: a double where one is, else a float.
template <class T> struct __ws_number {};
template <> struct __ws_number<float> { typedef float type; };
template <> struct __ws_number<double> { typedef double type; };
#define __WS_NUMBER(T) template <> struct __ws_number<T> { typedef __WS_INTEGER_AS type; };
__WS_NUMBER(char)
__WS_NUMBER(signed char)
__WS_NUMBER(unsigned char)
__WS_NUMBER(short)
__WS_NUMBER(unsigned short)
__WS_NUMBER(int)
__WS_NUMBER(unsigned)
__WS_NUMBER(long)
__WS_NUMBER(unsigned long)
__WS_NUMBER(long long)
__WS_NUMBER(unsigned long long)
__WS_NUMBER(bool)
#undef __WS_NUMBER
template <class A, class B>
using __ws_wider = decltype(typename __ws_number<A>::type() + typename __ws_number<B>::type());
#ifndef __WS_DOUBLES
#define __WS_N2(n, e)                                                                              \
  __WS_DEVICE float n(float x, float y) { return e; }                                              \
  __WS_DEVICE double n(double a, double b) { float x = (float)a, y = (float)b; return (double)(e); } \
  template <class A, class B> __WS_DEVICE __ws_wider<A, B> n(A a, B b) {                           \
    float x = (float)a, y = (float)b;                                                              \
    return (__ws_wider<A, B>)(e);                                                                  \
  }
#endif

__WS_N1(sin, sinf(x))
__WS_N1(cos, cosf(x))
__WS_N1(tan, tanf(x))
__WS_N1(asin, asinf(x))
__WS_N1(acos, acosf(x))
__WS_N1(atan, atanf(x))
__WS_N2(atan2, atan2f(x, y))
__WS_N1(sinh, sinhf(x))
__WS_N1(cosh, coshf(x))
__WS_N1(tanh, tanhf(x))
__WS_N1(exp, expf(x))
__WS_N1(exp2, exp2f(x))
__WS_N1(exp10, exp10f(x))
__WS_N1(expm1, expm1f(x))
__WS_N1(log, logf(x))
__WS_N1(log2, log2f(x))
__WS_N1(log10, log10f(x))
__WS_N1(log1p, log1pf(x))
__WS_N1(sqrt, sqrtf(x))
__WS_N1(rsqrt, rsqrtf(x))
__WS_N1(cbrt, cbrtf(x))
__WS_N1(fabs, __builtin_fabsf(x))
__WS_F1(abs, __builtin_fabsf(x))
__WS_N1(floor, __builtin_floorf(x))
__WS_N1(ceil, __builtin_ceilf(x))
__WS_N1(trunc, __builtin_truncf(x))
__WS_N1(rint, __builtin_rintf(x))
__WS_N1(nearbyint, __builtin_rintf(x))
__WS_N1(round, roundf(x))
__WS_N1(erf, erff(x))
__WS_N1(erfc, erfcf(x))
__WS_N2(fmin, fminf(x, y))
__WS_N2(fmax, fmaxf(x, y))
__WS_N2(fdim, fdimf(x, y))
__WS_N2(fmod, fmodf(x, y))
__WS_N2(remainder, remainderf(x, y))
__WS_N2(hypot, hypotf(x, y))
__WS_N2(copysign, copysignf(x, y))
__WS_N2(pow, powf(x, y))
__WS_DEVICE float pow(float x, int n) { return powif(x, n); }
__WS_F3(fma, __ws_fma(x, y, z))
__WS_DEVICE float ldexp(float x, int n) { return ldexpf(x, n); }
__WS_DEVICE float frexp(float x, int *n) { return frexpf(x, n); }
__WS_DEVICE float modf(float x, float *whole) { return modff(x, whole); }
__WS_DEVICE void sincos(float x, float *s, float *c) { sincosf(x, s, c); }
#ifndef __WS_DOUBLES
__WS_DEVICE double abs(double x) { return (double)__builtin_fabsf((float)x); }
__WS_DEVICE float pow(int x, int n) { return powif((float)x, n); }
__WS_DEVICE double pow(double x, int n) { return (double)powif((float)x, n); }
__WS_DEVICE double fma(double x, double y, double z) { return x * y + z; }
__WS_DEVICE void sincos(double x, double *s, double *c) { *s = sin(x), *c = cos(x); }
__WS_DEVICE bool isnan(double x) { return x != x; }
__WS_DEVICE bool isinf(double x) { return __ws_isinf((float)x); }
__WS_DEVICE bool isfinite(double x) { return __ws_isfinite((float)x); }
#endif
__WS_DEVICE bool isnan(float x) { return __ws_isnan(x); }
__WS_DEVICE bool isinf(float x) { return __ws_isinf(x); }
__WS_DEVICE bool isfinite(float x) { return __ws_isfinite(x); }
__WS_DEVICE bool signbit(float x) { return __WS_BITS(x) >> 31; }

#ifdef __WS_DOUBLES
#include "warpsmith_double.h"
#endif
