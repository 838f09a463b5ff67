// Float functions of OpenCL C. native_ functions are one instruction of the special function unit and what brings its
// operand there; accuracy of all: docs/opencl-accuracy.md.
#pragma once

#define __WS_FN __WS_F
#define __WS_BITS(x) as_uint(x)
#define __WS_FLOAT(u) as_float(u)
#include "warpsmith_float.h"

#define __WS_M1(n, e) __WS_F float n(float x) { return e; }
#define __WS_M2(n, e) __WS_F float n(float x, float y) { return e; }
#define __WS_M3(n, e) __WS_F float n(float x, float y, float z) { return e; }

__WS_M1(fabs, __builtin_fabsf(x))
__WS_M1(floor, __builtin_floorf(x))
__WS_M1(ceil, __builtin_ceilf(x))
__WS_M1(trunc, __builtin_truncf(x))
__WS_M1(rint, __builtin_rintf(x))
__WS_M2(copysign, __ws_copysign(x, y))
__WS_M1(round, __ws_round(x))
__WS_M2(fmin, __builtin_fminf(x, y))
__WS_M2(fmax, __builtin_fmaxf(x, y))
__WS_M2(min, __builtin_fminf(x, y))
__WS_M2(max, __builtin_fmaxf(x, y))
__WS_M3(clamp, __builtin_fminf(__builtin_fmaxf(x, y), z))
__WS_M2(fdim, x > y ? x - y : (x != x || y != y) ? x + y : 0.0f)
__WS_M2(maxmag, __builtin_fabsf(x) > __builtin_fabsf(y) ? x : __builtin_fabsf(y) > __builtin_fabsf(x) ? y : __builtin_fmaxf(x, y))
__WS_M2(minmag, __builtin_fabsf(x) < __builtin_fabsf(y) ? x : __builtin_fabsf(y) < __builtin_fabsf(x) ? y : __builtin_fminf(x, y))
__WS_M3(fma, __ws_fma(x, y, z))
__WS_M3(mad, __WS_MAD(x, y, z))
__WS_F float nan(uint x) { return as_float(0x7fc00000 | (x & 0x3fffff)); }

// The special function unit.
__WS_M1(native_sin, __nvvm_sin_approx_ftz_f(x))
__WS_M1(native_cos, __nvvm_cos_approx_ftz_f(x))
__WS_M1(native_tan, native_sin(x) * __WS_RCP(native_cos(x)))
__WS_M1(native_exp2, __nvvm_ex2_approx_ftz_f(x))
__WS_M1(native_exp, __nvvm_ex2_approx_ftz_f(x * 1.4426950408889634f))
__WS_M1(native_exp10, __nvvm_ex2_approx_ftz_f(x * 3.3219280948873623f))
__WS_M1(native_log2, __nvvm_lg2_approx_ftz_f(x))
__WS_M1(native_log, __nvvm_lg2_approx_ftz_f(x) * 0.6931471805599453f)
__WS_M1(native_log10, __nvvm_lg2_approx_ftz_f(x) * 0.3010299956639812f)
__WS_M1(native_sqrt, __nvvm_sqrt_approx_ftz_f(x))
__WS_M1(native_rsqrt, __nvvm_rsqrt_approx_ftz_f(x))
__WS_M1(native_recip, __WS_RCP(x))
__WS_M2(native_divide, __nvvm_div_approx_ftz_f(x, y))
__WS_M2(native_powr, __nvvm_ex2_approx_ftz_f(y *__nvvm_lg2_approx_ftz_f(x)))

// The whole range of operands.
__WS_M1(exp2, __WS_EX2(x))
__WS_M1(sqrt, __WS_SQRT(x))
__WS_M1(rsqrt, __WS_RSQ(x))
__WS_M1(sin, __ws_sin(x))
__WS_M1(cos, __ws_cos(x))
__WS_M1(tan, __ws_tan(x))
__WS_M1(sinpi, __ws_sinpi(x))
__WS_M1(cospi, __ws_cospi(x))
__WS_M1(tanpi, __ws_tanpi(x))
__WS_M1(exp, __ws_exp(x))
__WS_M1(exp10, __ws_exp10(x))
__WS_M1(expm1, __ws_expm1(x))
__WS_M1(log, __ws_log(x))
__WS_M1(log2, __ws_log2(x))
__WS_M1(log10, __ws_log10(x))
__WS_M1(log1p, __ws_log1p(x))
__WS_M1(cbrt, __ws_cbrt(x))
__WS_M1(sinh, __ws_sinh(x))
__WS_M1(cosh, __ws_cosh(x))
__WS_M1(tanh, __ws_tanh(x))
__WS_M1(asinh, __ws_asinh(x))
__WS_M1(acosh, __ws_acosh(x))
__WS_M1(atanh, __ws_atanh(x))
__WS_M1(atan, __ws_atan(x))
__WS_M1(asin, __ws_asin(x))
__WS_M1(acos, __ws_acos(x))
__WS_M1(erf, __ws_erf(x))
__WS_M1(erfc, __ws_erfc(x))
__WS_M1(tgamma, __ws_tgamma(x))
__WS_M1(lgamma, __ws_lgamma(x))
__WS_M1(logb, __ws_logb(x))
__WS_M1(atanpi, __WS_MUL(__ws_atan(x), 0.318309886f))
__WS_M1(asinpi, __WS_MUL(__ws_asin(x), 0.318309886f))
__WS_M1(acospi, __WS_MUL(__ws_acos(x), 0.318309886f))
__WS_M2(pow, __ws_pow(x, y))
__WS_M2(powr, __ws_powr(x, y))
__WS_M2(hypot, __ws_hypot(x, y))
__WS_M2(atan2, __ws_atan2(x, y))
__WS_M2(atan2pi, __WS_MUL(__ws_atan2(x, y), 0.318309886f))
__WS_M2(fmod, __ws_fmod(x, y))
__WS_M2(remainder, __ws_remainder(x, y))
__WS_M2(nextafter, __ws_nextafter(x, y))
__WS_F float pown(float x, int n) { return __ws_pown(x, n); }
__WS_F float rootn(float x, int n) { return __ws_rootn(x, n); }
__WS_F float ldexp(float x, int n) { return __ws_ldexp(x, n); }
__WS_F int ilogb(float x) { return __ws_ilogb(x); }

// half_ functions are precise where native_ ones are not within 8192 units in the last place.
#define __WS_HALF1(n) __WS_M1(half_##n, native_##n(x))
__WS_M1(half_sin, __ws_sin(x))
__WS_M1(half_cos, __ws_cos(x))
__WS_M1(half_tan, __ws_tan(x))
__WS_HALF1(exp)
__WS_HALF1(exp2)
__WS_HALF1(exp10)
__WS_M1(half_log, __WS_MUL(__ws_half_log2(x), 0.693147182f))
__WS_M1(half_log2, __ws_half_log2(x))
__WS_M1(half_log10, __WS_MUL(__ws_half_log2(x), 0.301029996f))
__WS_HALF1(sqrt)
__WS_HALF1(rsqrt)
__WS_HALF1(recip)
__WS_M2(half_divide, __ws_divide(x, y))
__WS_M2(half_powr, __WS_EX2(y *__ws_log2(x)))
