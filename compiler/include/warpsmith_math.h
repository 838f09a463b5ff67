// Float functions of CUDA C. What has two underscores is one instruction of the special function
// unit and what brings its operand there; the others add what that unit cannot do: see docs/compiler.md.
#pragma once
#pragma clang system_header

#define __WS_F1(n, e) __WS_DEVICE float n(float x) { return e; }
#define __WS_F2(n, e) __WS_DEVICE float n(float x, float y) { return e; }
#define __WS_F3(n, e) __WS_DEVICE float n(float x, float y, float z) { return e; }

#define __WS_BITS(x) __builtin_bit_cast(unsigned, (x))
#define __WS_FLOAT(u) __builtin_bit_cast(float, (u))
#define __WS_FN __WS_DEVICE
#include "warpsmith_float.h"

// Plain arithmetic with a rounding.
__WS_F2(__fadd_rn, __nvvm_add_rn_ftz_f(x, y))
__WS_F2(__fsub_rn, __nvvm_add_rn_ftz_f(x, -y))
__WS_F2(__fmul_rn, __nvvm_mul_rn_ftz_f(x, y))
__WS_F2(__fadd_rz, __nvvm_add_rz_ftz_f(x, y))
__WS_F2(__fsub_rz, __nvvm_add_rz_ftz_f(x, -y))
__WS_F2(__fmul_rz, __nvvm_mul_rz_ftz_f(x, y))
// Rounded down and up: by doubles.
#define __WS_DIRECTED(c, p)                                                                        \
  __WS_F2(__fadd_##c, __nvvm_add_##p##_ftz_f(x, y))                                                \
  __WS_F2(__fsub_##c, __nvvm_add_##p##_ftz_f(x, -y))                                               \
  __WS_F2(__fmul_##c, __nvvm_mul_##p##_ftz_f(x, y))                                                \
  __WS_F2(__fdiv_##c, __nvvm_div_##p##_ftz_f(x, y))                                                \
  __WS_F1(__fsqrt_##c, __nvvm_sqrt_##p##_ftz_f(x))                                                 \
  __WS_F1(__frcp_##c, __nvvm_rcp_##p##_ftz_f(x))                                                   \
  __WS_F3(__fmaf_##c, __nvvm_fma_##p##_ftz_f(x, y, z))
__WS_DIRECTED(rd, rm)
__WS_DIRECTED(ru, rp)
#undef __WS_DIRECTED
__WS_F3(fmaf, __ws_fma(x, y, z))
__WS_F3(__fmaf_rn, __ws_fma(x, y, z))
__WS_F2(__fdividef, __nvvm_div_approx_ftz_f(x, y))
__WS_DEVICE float __fdiv_rn(float x, float y) {
  float r;
  __asm__("div.full.ftz.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
  return r;
}
__WS_F2(fdividef, __ws_divide(x, y))
__WS_F1(__frcp_rn, __WS_RCP(x))
__WS_F1(__fsqrt_rn, __nvvm_sqrt_approx_ftz_f(x))
__WS_F1(__frsqrt_rn, __nvvm_rsqrt_approx_ftz_f(x))
__WS_F1(__saturatef, __nvvm_saturate_ftz_f(x))

// Rounding, sign, order.
__WS_F1(fabsf, __builtin_fabsf(x))
__WS_F1(floorf, __builtin_floorf(x))
__WS_F1(ceilf, __builtin_ceilf(x))
__WS_F1(truncf, __builtin_truncf(x))
__WS_F1(rintf, __builtin_rintf(x))
__WS_F1(nearbyintf, __builtin_rintf(x))
__WS_F2(copysignf, __ws_copysign(x, y))
__WS_F1(roundf, __ws_round(x))
__WS_F2(fminf, __builtin_fminf(x, y))
__WS_F2(fmaxf, __builtin_fmaxf(x, y))
__WS_F2(fdimf, x > y ? x - y : (x != x || y != y) ? x + y : 0.0f)
__WS_DEVICE int lrintf(float x) { return __nvvm_f2i_rn_ftz(x); }
__WS_DEVICE int lroundf(float x) { return (int)roundf(x); }
__WS_DEVICE long long llrintf(float x) { return (long long)__builtin_rintf(x); }
__WS_DEVICE long long llroundf(float x) { return (long long)roundf(x); }
__WS_DEVICE bool __ws_isnan(float x) { return x != x; }
__WS_DEVICE bool __ws_isinf(float x) { return __builtin_fabsf(x) == __builtin_inff(); }
__WS_DEVICE bool __ws_isfinite(float x) { return __builtin_fabsf(x) < __builtin_inff(); }
__WS_DEVICE float nanf(const char *) { return __builtin_nanf(""); }
__WS_DEVICE double nan(const char *) { return __builtin_nan(""); }
__WS_DEVICE int __isnanf(float x) { return x != x; }
__WS_DEVICE int __isinff(float x) { return __ws_isinf(x); }
__WS_DEVICE int __finitef(float x) { return __ws_isfinite(x); }
__WS_DEVICE int __signbitf(float x) { return __WS_BITS(x) >> 31; }

// One special function each.
__WS_F1(exp2f, __nvvm_ex2_approx_ftz_f(x))
__WS_F1(__exp2f, __nvvm_ex2_approx_ftz_f(x))
__WS_F1(__log2f, __nvvm_lg2_approx_ftz_f(x))
__WS_F1(rsqrtf, __nvvm_rsqrt_approx_ftz_f(x))
__WS_F1(sqrtf, __nvvm_sqrt_approx_ftz_f(x))
__WS_F1(__sinf, __nvvm_sin_approx_ftz_f(x))
__WS_F1(__cosf, __nvvm_cos_approx_ftz_f(x))
__WS_F1(__tanf, __sinf(x) * __WS_RCP(__cosf(x)))
__WS_F1(__expf, __nvvm_ex2_approx_ftz_f(x * 1.4426950408889634f))
__WS_F1(__exp10f, __nvvm_ex2_approx_ftz_f(x * 3.3219280948873623f))
__WS_F1(__logf, __nvvm_lg2_approx_ftz_f(x) * 0.6931471805599453f)
__WS_F1(__log10f, __nvvm_lg2_approx_ftz_f(x) * 0.3010299956639812f)
__WS_F2(__powf, __nvvm_ex2_approx_ftz_f(y *__nvvm_lg2_approx_ftz_f(x)))
__WS_DEVICE void __sincosf(float x, float *s, float *c) { *s = __sinf(x); *c = __cosf(x); }

// The whole range of operands.
__WS_F1(sinf, __ws_sin(x))
__WS_F1(cosf, __ws_cos(x))
__WS_F1(tanf, __ws_tan(x))
__WS_DEVICE void sincosf(float x, float *s, float *c) { *s = __ws_sin(x); *c = __ws_cos(x); }
__WS_F1(sinpif, __ws_sinpi(x))
__WS_F1(cospif, __ws_cospi(x))
__WS_DEVICE void sincospif(float x, float *s, float *c) { *s = __ws_sinpi(x); *c = __ws_cospi(x); }
__WS_F1(expf, __ws_exp(x))
__WS_F1(exp10f, __ws_exp10(x))
__WS_F1(expm1f, __ws_expm1(x))
__WS_F1(logf, __ws_log(x))
__WS_F1(log2f, __ws_log2(x))
__WS_F1(log10f, __ws_log10(x))
__WS_F1(log1pf, __ws_log1p(x))
__WS_F2(powf, __ws_pow(x, y))
__WS_DEVICE float powif(float x, int n) { return __ws_pown(x, n); }
__WS_F1(cbrtf, __ws_cbrt(x))
__WS_F1(rcbrtf, __WS_RCP(__ws_cbrt(x)))
__WS_F2(hypotf, __ws_hypot(x, y))
__WS_F2(rhypotf, __WS_RCP(__ws_hypot(x, y)))
__WS_F3(norm3df, __ws_hypot3(x, y, z))
__WS_F3(rnorm3df, __WS_RCP(__ws_hypot3(x, y, z)))
__WS_F1(sinhf, __ws_sinh(x))
__WS_F1(coshf, __ws_cosh(x))
__WS_F1(tanhf, __ws_tanh(x))
__WS_F1(asinhf, __ws_asinh(x))
__WS_F1(acoshf, __ws_acosh(x))
__WS_F1(atanhf, __ws_atanh(x))
__WS_F1(atanf, __ws_atan(x))
__WS_F2(atan2f, __ws_atan2(x, y))
__WS_F1(acosf, __ws_acos(x))
__WS_F1(asinf, __ws_asin(x))
__WS_F1(erff, __ws_erf(x))
__WS_F1(erfcf, __ws_erfc(x))
__WS_F1(normcdff, 0.5f * __ws_erfc(-0.70710678f * x))
__WS_F1(tgammaf, __ws_tgamma(x))
__WS_F1(lgammaf, __ws_lgamma(x))
__WS_F2(fmodf, __ws_fmod(x, y))
__WS_F2(remainderf, __ws_remainder(x, y))
__WS_DEVICE float remquof(float x, float y, int *n) { return __ws_remquo(x, y, n); }
__WS_F2(nextafterf, __ws_nextafter(x, y))
__WS_DEVICE float modff(float x, float *whole) { return __ws_modf(x, whole); }
__WS_DEVICE float ldexpf(float x, int n) { return __ws_ldexp(x, n); }
__WS_DEVICE float scalbnf(float x, int n) { return __ws_ldexp(x, n); }
__WS_DEVICE float frexpf(float x, int *n) { return __ws_frexp(x, n); }
// CUDA's number for NaN is that for zero.
__WS_DEVICE int ilogbf(float x) { return __ws_ilogb(x != x ? 0.0f : x); }
__WS_F1(logbf, __ws_logb(x))

#include "warpsmith_cmath.h"
