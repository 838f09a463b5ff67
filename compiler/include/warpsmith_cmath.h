// The names without f: floats here, as double constants are; doubles are refused by the compiler.
#pragma once
#pragma clang system_header

// An integer argument means its float: the host's templates would make it a double.
#define __WS_N1(n, e)                                                                              \
  __WS_DEVICE float n(float x) { return e; }                                                       \
  __WS_DEVICE float n(int i) { float x = (float)i; return e; }                                     \
  __WS_DEVICE float n(unsigned i) { float x = (float)i; return e; }

__WS_N1(sin, sinf(x))
__WS_N1(cos, cosf(x))
__WS_N1(tan, tanf(x))
__WS_N1(asin, asinf(x))
__WS_N1(acos, acosf(x))
__WS_N1(atan, atanf(x))
__WS_F2(atan2, atan2f(x, y))
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
__WS_F2(fmin, fminf(x, y))
__WS_F2(fmax, fmaxf(x, y))
__WS_F2(fdim, fdimf(x, y))
__WS_F2(fmod, fmodf(x, y))
__WS_F2(remainder, remainderf(x, y))
__WS_F2(hypot, hypotf(x, y))
__WS_F2(copysign, copysignf(x, y))
__WS_F2(pow, powf(x, y))
__WS_DEVICE float pow(float x, int n) { return powif(x, n); }
__WS_DEVICE float pow(int x, int n) { return powif((float)x, n); }
__WS_DEVICE float pow(int x, float y) { return powf((float)x, y); }
__WS_F3(fma, __builtin_fmaf(x, y, z))
__WS_DEVICE float ldexp(float x, int n) { return ldexpf(x, n); }
__WS_DEVICE float frexp(float x, int *n) { return frexpf(x, n); }
__WS_DEVICE float modf(float x, float *whole) { return modff(x, whole); }
__WS_DEVICE void sincos(float x, float *s, float *c) { sincosf(x, s, c); }
__WS_DEVICE bool isnan(float x) { return __ws_isnan(x); }
__WS_DEVICE bool isinf(float x) { return __ws_isinf(x); }
__WS_DEVICE bool isfinite(float x) { return __ws_isfinite(x); }
__WS_DEVICE bool signbit(float x) { return __WS_BITS(x) >> 31; }
