// Float functions of OpenCL C. native_ and half_ are one instruction of the special function unit and
// what brings its operand there; accuracy of all: docs/compiler.md.
#pragma once

#if __clang_major__ < 15
#define __WS_RCP(x) (1.0f / (x))
#else
#define __WS_RCP(x) __nvvm_rcp_approx_ftz_f(x)
#endif
#define __WS_M1(n, e) __WS_F float n(float x) { return e; }
#define __WS_M2(n, e) __WS_F float n(float x, float y) { return e; }
#define __WS_M3(n, e) __WS_F float n(float x, float y, float z) { return e; }

__WS_M1(fabs, __builtin_fabsf(x))
__WS_M1(floor, __builtin_floorf(x))
__WS_M1(ceil, __builtin_ceilf(x))
__WS_M1(trunc, __builtin_truncf(x))
__WS_M1(rint, __builtin_rintf(x))
__WS_M2(copysign, as_float((as_uint(x) & 0x7fffffffu) | (as_uint(y) & 0x80000000u)))
__WS_M1(round, __builtin_truncf(__nvvm_add_rz_ftz_f(x, copysign(0.5f, x))))
__WS_M2(fmin, __builtin_fminf(x, y))
__WS_M2(fmax, __builtin_fmaxf(x, y))
__WS_M2(min, __builtin_fminf(x, y))
__WS_M2(max, __builtin_fmaxf(x, y))
__WS_M3(clamp, __builtin_fminf(__builtin_fmaxf(x, y), z))
__WS_M2(fdim, x > y ? x - y : (x != x || y != y) ? x + y : 0.0f)
__WS_M2(maxmag, __builtin_fabsf(x) > __builtin_fabsf(y) ? x : __builtin_fabsf(y) > __builtin_fabsf(x) ? y : __builtin_fmaxf(x, y))
__WS_M2(minmag, __builtin_fabsf(x) < __builtin_fabsf(y) ? x : __builtin_fabsf(y) < __builtin_fabsf(x) ? y : __builtin_fminf(x, y))
__WS_M3(fma, __builtin_fmaf(x, y, z))
__WS_M3(mad, __builtin_fmaf(x, y, z))
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

// x less its multiple of 2 pi, in two steps whose first product is exact.
__WS_F float __ws_turn(float x) {
  float k = __builtin_rintf(x * 0.15915494309189535f);
  float r = __builtin_fmaf(k, -6.28125f, x);
  return __builtin_fmaf(k, -1.9353071795864769e-3f, r);
}
__WS_M1(sin, native_sin(__ws_turn(x)))
__WS_M1(cos, native_cos(__ws_turn(x)))
__WS_M1(tan, native_tan(__ws_turn(x)))
__WS_M1(sinpi, native_sin(3.14159265358979f * (x - 2.0f * __builtin_rintf(0.5f * x))))
__WS_M1(cospi, native_cos(3.14159265358979f * (x - 2.0f * __builtin_rintf(0.5f * x))))
__WS_M1(tanpi, sinpi(x) * __WS_RCP(cospi(x)))

// 2^t of the whole part and of the rest: the error does not grow with |x|.
__WS_F float __ws_exp(float x) {
  float t = __builtin_truncf(x * 1.4426950408889634f);
  float r = __builtin_fmaf(t, -0.693359375f, x);
  r = __builtin_fmaf(t, 2.12194440e-4f, r);
  return native_exp2(r * 1.4426950408889634f) * native_exp2(t);
}
__WS_F float __ws_exp10(float x) {
  float t = __builtin_truncf(x * 3.3219280948873623f);
  float r = __builtin_fmaf(t, -0.30078125f, x);
  r = __builtin_fmaf(t, -2.4874566e-4f, r);
  return native_exp2(r * 3.3219280948873623f) * native_exp2(t);
}
__WS_M1(exp, __ws_exp(x))
__WS_M1(exp10, __ws_exp10(x))
__WS_M1(exp2, native_exp2(x))
__WS_M1(expm1, __builtin_fabsf(x) < 0.0625f ? x * (1.0f + x * (0.5f + x * (0.16666667f + x * 0.041666667f))) : __ws_exp(x) - 1.0f)
__WS_M1(log, native_log(x))
__WS_M1(log2, native_log2(x))
__WS_M1(log10, native_log10(x))
__WS_M1(log1p, __builtin_fabsf(x) < 0.00390625f ? x * (1.0f - x * (0.5f - x * 0.33333333f)) : native_log(1.0f + x))
__WS_M1(sqrt, native_sqrt(x))
__WS_M1(rsqrt, native_rsqrt(x))
__WS_F float __ws_pow(float x, float y) {
  float p = native_exp2(y * native_log2(__builtin_fabsf(x)));
  float whole = __builtin_truncf(y), half_of = 0.5f * whole;
  if (x < 0.0f) p = whole != y ? as_float(0x7fc00000) : half_of != __builtin_truncf(half_of) ? -p : p;
  return y == 0.0f || x == 1.0f ? 1.0f : p;
}
__WS_M2(pow, __ws_pow(x, y))
__WS_M2(powr, native_powr(x, y))
__WS_F float pown(float x, int n) {
  float p = native_exp2((float)n * native_log2(__builtin_fabsf(x)));
  return n == 0 ? 1.0f : x < 0.0f && (n & 1) ? -p : p;
}
__WS_F float rootn(float x, int n) {
  float p = native_exp2(native_log2(__builtin_fabsf(x)) * __WS_RCP((float)n));
  return x < 0.0f ? (n & 1 ? -p : as_float(0x7fc00000)) : p;
}
__WS_M1(cbrt, x == 0.0f ? x : copysign(native_powr(__builtin_fabsf(x), 0.33333333f), x))
__WS_M2(hypot, native_sqrt(x *x + y * y))
__WS_M1(sinh, __builtin_fabsf(x) < 0.0625f ? x * (1.0f + x * x * 0.16666667f) : 0.5f * (__ws_exp(x) - __ws_exp(-x)))
__WS_M1(cosh, 0.5f * (__ws_exp(x) + __ws_exp(-x)))
__WS_M1(tanh, __builtin_fabsf(x) < 0.0625f ? x * (1.0f - x * x * 0.33333333f) : 1.0f - 2.0f * __WS_RCP(__ws_exp(2.0f * x) + 1.0f))
__WS_M1(asinh, copysign(native_log(__builtin_fabsf(x) + native_sqrt(x * x + 1.0f)), x))
__WS_M1(acosh, native_log(x + native_sqrt(x * x - 1.0f)))
__WS_M1(atanh, 0.5f * native_log((1.0f + x) * __WS_RCP(1.0f - x)))

// Arc tangent of 0 to 1 by a polynomial, odd.
__WS_F float __ws_atan01(float z) {
  float s = z * z, p = 0.0028662257f;
  p = p * s - 0.016165737f;
  p = p * s + 0.042909613f;
  p = p * s - 0.075289639f;
  p = p * s + 0.10656264f;
  p = p * s - 0.14208899f;
  p = p * s + 0.19993551f;
  p = p * s - 0.33333147f;
  return p * s * z + z;
}
__WS_F float __ws_atan(float x) {
  float a = __builtin_fabsf(x), p = __ws_atan01(a > 1.0f ? __WS_RCP(a) : a);
  return copysign(a > 1.0f ? 1.57079633f - p : p, x);
}
__WS_F float __ws_atan2(float y, float x) {
  float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
  float large = a < b ? b : a, small = a < b ? a : b;
  float p = large == 0.0f ? 0.0f : __ws_atan01(a == b ? 1.0f : small * __WS_RCP(large));
  if (a < b) p = 1.57079633f - p;
  if (as_uint(x) >> 31) p = 3.14159265f - p;
  return copysign(p, y);
}
__WS_F float __ws_acos(float x) {
  float a = __builtin_fabsf(x), s = native_sqrt((1.0f - a) * (1.0f + a));
  float p = a > s ? __ws_atan01(s * __WS_RCP(a)) : 1.57079633f - __ws_atan01(a * __WS_RCP(s));
  return x < 0.0f ? 3.14159265f - p : p;
}
__WS_F float __ws_asin(float x) {
  float a = __builtin_fabsf(x), s = native_sqrt((1.0f - a) * (1.0f + a));
  return copysign(a > s ? 1.57079633f - __ws_atan01(s * __WS_RCP(a)) : __ws_atan01(a * __WS_RCP(s)), x);
}
__WS_M1(atan, __ws_atan(x))
__WS_M2(atan2, __ws_atan2(x, y))
__WS_M1(asin, __ws_asin(x))
__WS_M1(acos, __ws_acos(x))
__WS_M1(atanpi, __ws_atan(x) * 0.31830988618f)
__WS_M1(asinpi, __ws_asin(x) * 0.31830988618f)
__WS_M1(acospi, __ws_acos(x) * 0.31830988618f)
__WS_M2(atan2pi, __ws_atan2(x, y) * 0.31830988618f)

__WS_F float __ws_erfc_positive(float a) {
  float t = __WS_RCP(1.0f + 0.3275911f * a);
  return t * (0.254829592f + t * (-0.284496736f + t * (1.421413741f + t * (-1.453152027f + t * 1.061405429f)))) * __ws_exp(-a * a);
}
__WS_M1(erf, copysign(1.0f - __ws_erfc_positive(__builtin_fabsf(x)), x))
__WS_M1(erfc, x < 0.0f ? 2.0f - __ws_erfc_positive(-x) : __ws_erfc_positive(x))

// Exact remainder: halves of y are taken away as long as they fit.
__WS_F float __ws_fmod(float x, float y) {
  float r = __builtin_fabsf(x), d = __builtin_fabsf(y);
  if (!(r < __builtin_inff()) || !(d > 0.0f)) return as_float(0x7fc00000);
  if (d < __builtin_inff()) {
    for (int n = (int)(as_uint(r) >> 23) - (int)(as_uint(d) >> 23); n >= 0; n--) {
      float t = as_float(as_uint(d) + ((uint)n << 23));
      if (t <= r) r -= t;
    }
  }
  return copysign(r, x);
}
__WS_F float __ws_remainder(float x, float y) {
  float d = __builtin_fabsf(y), r = __ws_fmod(x, d + d), a = __builtin_fabsf(r);
  if (a + a > d) { a -= d; if (a + a >= d) a -= d; }
  return r < 0.0f ? -a : a;
}
__WS_M2(fmod, __ws_fmod(x, y))
__WS_M2(remainder, __ws_remainder(x, y))
// Remainder of the nearest quotient, and the low seven bits of the quotient.
__WS_F float __ws_remquo(float x, float y, int *quotient) {
  float d = __builtin_fabsf(y), a = __builtin_fabsf(__ws_fmod(x, 128.0f * d));
  int n = 0;
  for (float m = 64.0f; m >= 2.0f; m *= 0.5f) {
    if (a >= m * d) { a -= m * d; n += (int)m; }
  }
  if (a + a > d) {
    a -= d;
    n++;
    if (a + a >= d) { a -= d; n++; }
  }
  n &= 127;
  *quotient = (as_int(x) ^ as_int(y)) < 0 ? -n : n;
  return x < 0.0f ? -a : a;
}
// The next float towards y: floats in their order are integers.
__WS_F float __ws_nextafter(float x, float y) {
  int a = as_int(x), b = as_int(y);
  a = a < 0 ? (int)(0x80000000u - (uint)a) : a;
  b = b < 0 ? (int)(0x80000000u - (uint)b) : b;
  if (x != x || y != y) return as_float(0x7fc00000);
  if (a == b) return y;
  a += a < b ? 1 : -1;
  return as_float(a < 0 ? 0x80000000u - (uint)a : (uint)a);
}
__WS_M2(nextafter, __ws_nextafter(x, y))

// Gamma function of 1 to 2 by a polynomial, from there by x gamma(x) = gamma(x + 1).
__WS_F float __ws_tgamma_positive(float x) {
  float p = 1.0f;
  if (x < 1.0f) {
    p = __WS_RCP(x);
    x += 1.0f;
  }
  if (x > 36.0f) return __builtin_inff();
  while (x >= 2.0f) {
    x -= 1.0f;
    p *= x;
  }
  float t = x - 1.0f, g = 0.016345859f;
  g = g * t - 0.10547911f;
  g = g * t + 0.31514636f;
  g = g * t - 0.59271902f;
  g = g * t + 0.82028925f;
  g = g * t - 0.93091333f;
  g = g * t + 0.97190183f;
  g = g * t - 0.90634543f;
  g = g * t + 0.98898768f;
  g = g * t - 0.57721406f;
  return p * (g * t + 1.0f);
}
__WS_F float __ws_tgamma(float x) {
  if (x > 0.0f) return __ws_tgamma_positive(x);
  if (x == 0.0f) return copysign(__builtin_inff(), x);
  if (x == __builtin_floorf(x)) return as_float(0x7fc00000);
  return 3.14159265358979f * __WS_RCP(sinpi(x) * __ws_tgamma_positive(1.0f - x));
}
__WS_M1(tgamma, __ws_tgamma(x))

// Logarithm of the gamma function: of the function itself below 8, Stirling's series above.
__WS_F float __ws_lgamma_positive(float x) {
  if (x < 8.0f) return native_log(__ws_tgamma_positive(x));
  float r = __WS_RCP(x);
  return (x - 0.5f) * (native_log(x) - 1.0f) + 0.41893853f + r * (0.083333333f - r * r * 0.0027777778f);
}
__WS_F float __ws_lgamma(float x) {
  if (x > 0.0f) return __ws_lgamma_positive(x);
  if (x == __builtin_floorf(x)) return __builtin_inff();
  return 1.1447299f - native_log(__builtin_fabsf(sinpi(x))) - __ws_lgamma_positive(1.0f - x);
}
__WS_M1(lgamma, __ws_lgamma(x))
// -1 where the gamma function is negative.
__WS_F int __ws_gamma_sign(float x) { return x < 0.0f && ((int)__builtin_floorf(x) & 1) ? -1 : 1; }

__WS_F float ldexp(float x, int n) {
  int h = n / 2, m = n - h;
  h = h < -126 ? -126 : h > 127 ? 127 : h;
  m = m < -126 ? -126 : m > 127 ? 127 : m;
  return x * as_float((uint)(h + 127) << 23) * as_float((uint)(m + 127) << 23);
}
__WS_F int ilogb(float x) { return (int)(as_uint(x) >> 23 & 255) - 127; }
__WS_M1(logb, (float)ilogb(x))

#define __WS_HALF1(n) __WS_M1(half_##n, native_##n(x))
__WS_HALF1(sin)
__WS_HALF1(cos)
__WS_HALF1(tan)
__WS_HALF1(exp)
__WS_HALF1(exp2)
__WS_HALF1(exp10)
__WS_HALF1(log)
__WS_HALF1(log2)
__WS_HALF1(log10)
__WS_HALF1(sqrt)
__WS_HALF1(rsqrt)
__WS_HALF1(recip)
__WS_M2(half_divide, native_divide(x, y))
__WS_M2(half_powr, native_powr(x, y))
