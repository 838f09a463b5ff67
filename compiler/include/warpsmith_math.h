// Float functions of CUDA C. What has two underscores is one instruction of the special function
// unit and what brings its operand there; the others add what that unit cannot do: see docs/compiler.md.
#pragma once
#pragma clang system_header

#if __clang_major__ < 15
#define __WS_RCP(x) (1.0f / (x))
#else
#define __WS_RCP(x) __nvvm_rcp_approx_ftz_f(x)
#endif
#define __WS_F1(n, e) __WS_DEVICE float n(float x) { return e; }
#define __WS_F2(n, e) __WS_DEVICE float n(float x, float y) { return e; }
#define __WS_F3(n, e) __WS_DEVICE float n(float x, float y, float z) { return e; }

#define __WS_BITS(x) __builtin_bit_cast(unsigned, (x))
#define __WS_FLOAT(u) __builtin_bit_cast(float, (u))

// Plain arithmetic with a rounding.
__WS_F2(__fadd_rn, __nvvm_add_rn_ftz_f(x, y))
__WS_F2(__fsub_rn, __nvvm_add_rn_ftz_f(x, -y))
__WS_F2(__fmul_rn, __nvvm_mul_rn_ftz_f(x, y))
__WS_F2(__fadd_rz, __nvvm_add_rz_ftz_f(x, y))
__WS_F2(__fsub_rz, __nvvm_add_rz_ftz_f(x, -y))
__WS_F2(__fmul_rz, __nvvm_mul_rz_ftz_f(x, y))
__WS_F3(fmaf, __builtin_fmaf(x, y, z))
__WS_F3(__fmaf_rn, __builtin_fmaf(x, y, z))
__WS_F2(__fdividef, __nvvm_div_approx_ftz_f(x, y))
__WS_DEVICE float __fdiv_rn(float x, float y) {
  float r;
  __asm__("div.full.ftz.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
  return r;
}
__WS_F2(fdividef, __nvvm_div_approx_ftz_f(x, y))
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
__WS_F2(copysignf, __WS_FLOAT((__WS_BITS(x) & 0x7fffffffu) | (__WS_BITS(y) & 0x80000000u)))
// Halves away from zero; 0.49999997 stays below.
__WS_F1(roundf, __builtin_truncf(__nvvm_add_rz_ftz_f(x, copysignf(0.5f, x))))
__WS_F2(fminf, __builtin_fminf(x, y))
__WS_F2(fmaxf, __builtin_fmaxf(x, y))
__WS_F2(fdimf, x > y ? x - y : (x != x || y != y) ? x + y : 0.0f)
__WS_DEVICE int lrintf(float x) { return __nvvm_f2i_rn_ftz(x); }
__WS_DEVICE int lroundf(float x) { return (int)roundf(x); }
__WS_DEVICE bool __ws_isnan(float x) { return x != x; }
__WS_DEVICE bool __ws_isinf(float x) { return __builtin_fabsf(x) == __builtin_inff(); }
__WS_DEVICE bool __ws_isfinite(float x) { return __builtin_fabsf(x) < __builtin_inff(); }
__WS_DEVICE int __isnanf(float x) { return x != x; }
__WS_DEVICE int __isinff(float x) { return __ws_isinf(x); }
__WS_DEVICE int __finitef(float x) { return __ws_isfinite(x); }
__WS_DEVICE int __signbitf(float x) { return __WS_BITS(x) >> 31; }

// One special function each.
__WS_F1(exp2f, __nvvm_ex2_approx_ftz_f(x))
__WS_F1(__exp2f, __nvvm_ex2_approx_ftz_f(x))
__WS_F1(log2f, __nvvm_lg2_approx_ftz_f(x))
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

// x less its multiple of 2 pi, in two steps whose first product is exact; within 2^-20 up to |x| = 10^4.
__WS_DEVICE float __ws_turn(float x) {
  float k = __builtin_rintf(x * 0.15915494309189535f);
  float r = __builtin_fmaf(k, -6.28125f, x);
  return __builtin_fmaf(k, -1.9353071795864769e-3f, r);
}
__WS_F1(sinf, __sinf(__ws_turn(x)))
__WS_F1(cosf, __cosf(__ws_turn(x)))
__WS_F1(tanf, __tanf(__ws_turn(x)))
__WS_DEVICE void sincosf(float x, float *s, float *c) { float r = __ws_turn(x); *s = __sinf(r); *c = __cosf(r); }
__WS_F1(sinpif, __sinf(3.14159265358979f * (x - 2.0f * __builtin_rintf(0.5f * x))))
__WS_F1(cospif, __cosf(3.14159265358979f * (x - 2.0f * __builtin_rintf(0.5f * x))))

// 2^t of the whole part and of the rest: the error does not grow with |x|.
__WS_DEVICE float expf(float x) {
  float t = __builtin_truncf(x * 1.4426950408889634f);
  float r = __builtin_fmaf(t, -0.693359375f, x);
  r = __builtin_fmaf(t, 2.12194440e-4f, r);
  return __nvvm_ex2_approx_ftz_f(r * 1.4426950408889634f) * __nvvm_ex2_approx_ftz_f(t);
}
__WS_DEVICE float exp10f(float x) {
  float t = __builtin_truncf(x * 3.3219280948873623f);
  float r = __builtin_fmaf(t, -0.30078125f, x);
  r = __builtin_fmaf(t, -2.4874566e-4f, r);
  return __nvvm_ex2_approx_ftz_f(r * 3.3219280948873623f) * __nvvm_ex2_approx_ftz_f(t);
}
__WS_F1(logf, __logf(x))
__WS_F1(log10f, __log10f(x))
__WS_F1(log1pf, __builtin_fabsf(x) < 0.00390625f ? x * (1.0f - x * (0.5f - x * 0.33333333f)) : __logf(1.0f + x))
__WS_F1(expm1f, __builtin_fabsf(x) < 0.0625f ? x * (1.0f + x * (0.5f + x * (0.16666667f + x * 0.041666667f))) : expf(x) - 1.0f)

// Negative bases have powers where y is whole; 1 to any power and any base to 0 are 1.
__WS_DEVICE float powf(float x, float y) {
  float p = __nvvm_ex2_approx_ftz_f(y * __nvvm_lg2_approx_ftz_f(__builtin_fabsf(x)));
  float whole = __builtin_truncf(y);
  float half = 0.5f * whole;
  if (x < 0.0f) p = whole != y ? __builtin_nanf("") : half != __builtin_truncf(half) ? -p : p;
  return y == 0.0f || x == 1.0f ? 1.0f : p;
}
__WS_DEVICE float powif(float x, int n) {
  float p = __nvvm_ex2_approx_ftz_f((float)n * __nvvm_lg2_approx_ftz_f(__builtin_fabsf(x)));
  return n == 0 ? 1.0f : x < 0.0f && (n & 1) ? -p : p;
}
__WS_F1(cbrtf, copysignf(x == 0.0f ? 0.0f : __powf(__builtin_fabsf(x), 0.33333333f), x))
__WS_F1(rcbrtf, __WS_RCP(cbrtf(x)))
__WS_F2(hypotf, sqrtf(x *x + y * y))
__WS_F2(rhypotf, rsqrtf(x *x + y * y))
__WS_F3(norm3df, sqrtf(x *x + y * y + z * z))
__WS_F3(rnorm3df, rsqrtf(x *x + y * y + z * z))
__WS_F1(sinhf, __builtin_fabsf(x) < 0.0625f ? x * (1.0f + x * x * 0.16666667f) : 0.5f * (expf(x) - expf(-x)))
__WS_F1(coshf, 0.5f * (expf(x) + expf(-x)))
__WS_F1(tanhf, __builtin_fabsf(x) < 0.0625f ? x * (1.0f - x * x * 0.33333333f) : 1.0f - 2.0f * __WS_RCP(expf(2.0f * x) + 1.0f))
__WS_F1(asinhf, copysignf(logf(__builtin_fabsf(x) + sqrtf(x * x + 1.0f)), x))
__WS_F1(acoshf, logf(x + sqrtf(x * x - 1.0f)))
__WS_F1(atanhf, 0.5f * logf((1.0f + x) * __WS_RCP(1.0f - x)))

// Arc tangent of 0 to 1 by a polynomial, odd; within 2^-21.
__WS_DEVICE float __ws_atan01(float z) {
  float s = z * z;
  float p = 0.0028662257f;
  p = p * s - 0.016165737f;
  p = p * s + 0.042909613f;
  p = p * s - 0.075289639f;
  p = p * s + 0.10656264f;
  p = p * s - 0.14208899f;
  p = p * s + 0.19993551f;
  p = p * s - 0.33333147f;
  return p * s * z + z;
}
__WS_DEVICE float atanf(float x) {
  float a = __builtin_fabsf(x);
  float p = __ws_atan01(a > 1.0f ? __WS_RCP(a) : a);
  return copysignf(a > 1.0f ? 1.57079633f - p : p, x);
}
__WS_DEVICE float atan2f(float y, float x) {
  float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
  float large = a < b ? b : a, small = a < b ? a : b;
  float p = large == 0.0f ? 0.0f : __ws_atan01(a == b ? 1.0f : small * __WS_RCP(large));
  if (a < b) p = 1.57079633f - p;
  if (__WS_BITS(x) >> 31) p = 3.14159265f - p;
  return copysignf(p, y);
}
__WS_DEVICE float acosf(float x) {
  float a = __builtin_fabsf(x);
  float s = sqrtf((1.0f - a) * (1.0f + a));
  float p = a > s ? __ws_atan01(s * __WS_RCP(a)) : 1.57079633f - __ws_atan01(a * __WS_RCP(s));
  return x < 0.0f ? 3.14159265f - p : p;
}
__WS_DEVICE float asinf(float x) {
  float a = __builtin_fabsf(x);
  float s = sqrtf((1.0f - a) * (1.0f + a));
  float p = a > s ? 1.57079633f - __ws_atan01(s * __WS_RCP(a)) : __ws_atan01(a * __WS_RCP(s));
  return copysignf(p, x);
}

// Error function by a rational of the exponential; within 2^-20 absolute.
__WS_DEVICE float __ws_erfc_positive(float a) {
  float t = __WS_RCP(1.0f + 0.3275911f * a);
  float p = t * (0.254829592f + t * (-0.284496736f + t * (1.421413741f + t * (-1.453152027f + t * 1.061405429f))));
  return p * expf(-a * a);
}
__WS_F1(erff, copysignf(1.0f - __ws_erfc_positive(__builtin_fabsf(x)), x))
__WS_F1(erfcf, x < 0.0f ? 2.0f - __ws_erfc_positive(-x) : __ws_erfc_positive(x))
__WS_F1(normcdff, 0.5f * erfcf(-0.70710678f * x))

// Exact: halves of y are taken away as long as they fit.
__WS_DEVICE float fmodf(float x, float y) {
  float r = __builtin_fabsf(x), d = __builtin_fabsf(y);
  if (!(r < __builtin_inff()) || !(d > 0.0f)) return __builtin_nanf("");
  if (!(d <= __builtin_inff())) return y;
  int n = (int)(__WS_BITS(r) >> 23) - (int)(__WS_BITS(d) >> 23);
  if (d < __builtin_inff()) {
    for (; n >= 0; n--) {
      float t = __WS_FLOAT(__WS_BITS(d) + ((unsigned)n << 23));
      if (t <= r) r -= t;
    }
  }
  return copysignf(r, x);
}
__WS_DEVICE float remainderf(float x, float y) {
  float d = __builtin_fabsf(y), r = fmodf(x, d + d);
  float a = __builtin_fabsf(r);
  if (a + a > d) { a -= d; if (a + a >= d) a -= d; }
  return r < 0.0f ? -a : a;
}
__WS_DEVICE float modff(float x, float *whole) { float t = __builtin_truncf(x); *whole = t; return copysignf(x - t, x); }
__WS_DEVICE float ldexpf(float x, int n) {
  int h = n / 2, m = n - h;
  h = h < -126 ? -126 : h > 127 ? 127 : h;
  m = m < -126 ? -126 : m > 127 ? 127 : m;
  return x * __WS_FLOAT((unsigned)(h + 127) << 23) * __WS_FLOAT((unsigned)(m + 127) << 23);
}
__WS_DEVICE float scalbnf(float x, int n) { return ldexpf(x, n); }
__WS_DEVICE float frexpf(float x, int *n) {
  unsigned b = __WS_BITS(x), e = b >> 23 & 255;
  *n = e == 0 || e == 255 ? 0 : (int)e - 126;
  return e == 0 || e == 255 ? x : __WS_FLOAT((b & 0x807fffffu) | 0x3f000000u);
}
__WS_DEVICE int ilogbf(float x) { return (int)(__WS_BITS(x) >> 23 & 255) - 127; }
__WS_F1(logbf, (float)ilogbf(x))

#include "warpsmith_cmath.h"
