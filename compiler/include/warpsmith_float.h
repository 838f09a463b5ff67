// Float functions that CUDA C and OpenCL C share, in the chip's arithmetic: sums and products are rounded, a
// multiply-add truncates its product, denormals are zeros. __WS_FN begins a function; __WS_BITS and __WS_FLOAT give a
// float's word and back. docs/opencl-accuracy.md has the error of each.
#pragma once
#pragma clang system_header

#if __clang_major__ < 15
#define __WS_RCP(x) (1.0f / (x))
#else
#define __WS_RCP(x) __nvvm_rcp_approx_ftz_f(x)
#endif
#define __WS_RSQ(x) __nvvm_rsqrt_approx_ftz_f(x)
#define __WS_SQRT(x) __nvvm_sqrt_approx_ftz_f(x)
#define __WS_EX2(x) __nvvm_ex2_approx_ftz_f(x)
#define __WS_LG2(x) __nvvm_lg2_approx_ftz_f(x)
// The chip's multiply-add, with strict arithmetic too.
#ifndef __WS_MAD
__WS_FN float __ws_mad(float x, float y, float z) {
  float r;
  __asm__("mad.rn.ftz.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(x), "f"(y), "f"(z));
  return r;
}
#define __WS_MAD(x, y, z) __ws_mad(x, y, z)
#endif
// A product that no sum takes in.
#define __WS_MUL(x, y) __nvvm_mul_rn_ftz_f(x, y)
// A sum that takes no product in.
#define __WS_ADD(x, y) __nvvm_add_rn_ftz_f(x, y)
#define __WS_ABS(x) __builtin_fabsf(x)
#define __WS_INF __builtin_inff()
#define __WS_NAN __WS_FLOAT(0x7fc00000u)
// The upper 12 bits of a significand: products of two such are exact.
#define __WS_UPPER(x) __WS_FLOAT(__WS_BITS(x) & 0xfffff000u)
// Neither zero nor denormal, infinite, NaN or negative.
#define __WS_POSITIVE(x) (__WS_BITS(x) - 0x00800000u < 0x7f000000u)

__WS_FN float __ws_copysign(float x, float y) {
  return __WS_FLOAT((__WS_BITS(x) & 0x7fffffffu) | (__WS_BITS(y) & 0x80000000u));
}
// Halves away from zero; 0.49999997 stays below.
__WS_FN float __ws_round(float x) { return __builtin_truncf(__nvvm_add_rz_ftz_f(x, __ws_copysign(0.5f, x))); }
// The scale that a finite magnitude's square needs; a power of two.
__WS_FN float __ws_scale(float a) { return a > 1.1529215e18f ? 8.2718061e-25f : a < 9.0949470e-13f ? 1.2089258e24f : 1.0f; }
// Square root of 0 or of 2^-100 and more, corrected once.
__WS_FN float __ws_root(float x) {
  float r = __WS_RSQ(__WS_ADD(x, 1.17549435e-38f)), s = __WS_MUL(x, r);
  return __WS_MAD(__WS_MAD(-s, s, x), 0.5f * r, s);
}
// A quotient of any magnitudes: the reciprocal of more than 2^126 is zero.
__WS_FN float __ws_divide(float x, float y) {
  float k = __WS_ABS(y) > 8.5070592e37f ? 0.25f : 1.0f;
  return __WS_MUL(x * k, __WS_RCP(y * k));
}

// x y + z, rounded once. With the exponents of x and y taken out, the product is p + q exactly and z scaled the same
// way is not below 2^-80, which rounds the same; the two low parts are added with a sticky last bit.
__WS_FN float __ws_fma(float x, float y, float z) {
  unsigned bx = __WS_BITS(x), by = __WS_BITS(y), ex = bx & 0x7f800000u, ey = by & 0x7f800000u, ez = __WS_BITS(z) & 0x7f800000u;
  int e = (int)(ex + ey - 0x7f000000u), h = e >> 1 & (int)0xff800000u, m = e - h;
  float a = __WS_FLOAT((bx & 0x807fffffu) | 0x3f800000u), b = __WS_FLOAT((by & 0x807fffffu) | 0x3f800000u);
  float c = z * __WS_FLOAT(0x3f800000 - h) * __WS_FLOAT(0x3f800000 - m);
  bool far = __WS_ABS(c) > 1.1529215e18f;
  c = __ws_copysign(__builtin_fmaxf(__WS_ABS(c), 8.2718061e-25f), z);
  float a1 = __WS_UPPER(a), a2 = a - a1, b1 = __WS_UPPER(b), b2 = b - b1;
  float p = __WS_MUL(a, b);
  float q = __WS_MAD(a2, b2, __WS_MAD(a2, b1, __WS_MAD(a1, b2, __WS_MAD(a1, b1, -p))));
  float t = c + q, v = t - c, u = (c - (t - v)) + (q - v);
  float s = p + t, w = s - p, r = (p - (s - w)) + (t - w);
  float low = __nvvm_add_rz_ftz_f(u, r);
  unsigned sticky = low - u != r || low - r != u ? 1 : 0;
  float f = s + __WS_FLOAT(__WS_BITS(low) | sticky);
  f = f * __WS_FLOAT(0x3f800000 + h) * __WS_FLOAT(0x3f800000 + m);
  f = far ? z : f;
  unsigned least = ex < ey ? ex : ey, most = ex < ey ? ey : ex;
  least = least < ez ? least : ez;
  most = most < ez ? ez : most;
  return least == 0 || most == 0x7f800000u ? __WS_MAD(x, y, z) : f;
}

// e^x 2^d and 10^x as 2^t of the whole part and of the rest: the error does not grow with |x|. The rest is bounded,
// because it is no number where t is infinite.
__WS_FN float __ws_exp_scaled(float x, float d) {
  float t = __builtin_truncf(x * 1.4426950408889634f);
  // The product may be rounded up to 128 - d where e^x 2^d still is finite; for d = 0 it never is.
  t = d != 0.0f && t > 127.0f - d ? 127.0f - d : t;
  float r = __WS_MAD(t, 2.12194440e-4f, __WS_MAD(t, -0.693359375f, x));
  r = __builtin_fminf(__builtin_fmaxf(r, -1.0f), 1.0f);
  return __WS_MUL(__WS_EX2(r * 1.4426950408889634f), __WS_EX2(t + d));
}
__WS_FN float __ws_exp(float x) { return __ws_exp_scaled(x, 0.0f); }
__WS_FN float __ws_exp10(float x) {
  float t = __builtin_truncf(x * 3.3219280948873623f);
  float r = __WS_MAD(t, -2.4874566e-4f, __WS_MAD(t, -0.30078125f, x));
  r = __builtin_fminf(__builtin_fmaxf(r, -1.0f), 1.0f);
  return __WS_MUL(__WS_EX2(r * 3.3219280948873623f), __WS_EX2(t));
}
__WS_FN float __ws_expm1(float x) {
  float t = __builtin_fminf(__builtin_rintf(x * 1.4426950408889634f), 127.0f);
  float r = __WS_MAD(t, 2.12194440e-4f, __WS_MAD(t, -0.693359375f, x));
  float q = __WS_MAD(2.2953963e-4f, r, 1.3865393e-3f);
  q = __WS_MAD(q, r, 8.3270967e-3f);
  q = __WS_MAD(q, r, 0.04166754f);
  q = __WS_MAD(q, r, 0.166666985f);
  q = __WS_MAD(q, r, 0.49999997f);
  q = __WS_MAD(q, r * r, r);
  float s = __WS_EX2(t);
  return x < -18.0f ? -1.0f : t == 0.0f ? __ws_copysign(q, x) : __WS_MAD(s, q, s - 1.0f);
}
__WS_FN float __ws_sinh(float x) {
  float a = __WS_ABS(x), s = a * a, e = __ws_exp_scaled(a, -1.0f);
  float p = __WS_MAD(__WS_MAD(2.0372199e-4f, s, 8.3302837e-3f), s, 0.166667163f);
  return __ws_copysign(a < 1.0f ? __WS_MAD(p, s * a, a) : __WS_MAD(-0.25f, __WS_RCP(e), e), x);
}
__WS_FN float __ws_cosh(float x) {
  float e = __ws_exp_scaled(__WS_ABS(x), -1.0f);
  return __WS_MAD(0.25f, __WS_RCP(e), e);
}
__WS_FN float __ws_tanh(float x) {
  float a = __WS_ABS(x), s = a * a;
  float p = __WS_MAD(__WS_MAD(0.0164375603f, s, -0.052671805f), s, 0.133207247f);
  p = __WS_MAD(__WS_MAD(p, s, -0.333329469f), s * a, a);
  return __ws_copysign(a < 0.55f ? p : __WS_MAD(-2.0f, __WS_RCP(__ws_exp(a + a) + 1.0f), 1.0f), x);
}

// Logarithm of 1 + f, f from -1/3 to 1/3.
__WS_FN float __ws_log_near(float f) {
  float p = __WS_MAD(-0.128918216f, f, 0.139844432f);
  p = __WS_MAD(p, f, -0.121842295f);
  p = __WS_MAD(p, f, 0.140058681f);
  p = __WS_MAD(p, f, -0.166804895f);
  p = __WS_MAD(p, f, 0.200104058f);
  p = __WS_MAD(p, f, -0.249997973f);
  p = __WS_MAD(p, f, 0.333332151f);
  p = __WS_MAD(p, f, -0.5f);
  return __WS_MAD(p, f * f, f);
}
// x is 2^e m, m from 2/3 to 4/3: e in the place of an exponent.
__WS_FN unsigned __ws_exponent(float x) { return (__WS_BITS(x) - 0x3f2aaaabu) & 0xff800000u; }
__WS_FN float __ws_log(float x) {
  unsigned e = __ws_exponent(x);
  float r = __ws_log_near(__WS_FLOAT(__WS_BITS(x) - e) - 1.0f);
  r = __WS_MAD((float)(int)e, 8.26295832e-8f, r);
  return __WS_POSITIVE(x) ? r : __WS_LG2(x);
}
__WS_FN float __ws_log2(float x) {
  unsigned e = __ws_exponent(x);
  float r = __ws_log_near(__WS_FLOAT(__WS_BITS(x) - e) - 1.0f);
  r = __WS_ADD(__WS_MUL(r, 1.44269504f), (float)(int)e * 1.1920929e-7f);
  return __WS_POSITIVE(x) ? r : __WS_LG2(x);
}
__WS_FN float __ws_log10(float x) {
  unsigned e = __ws_exponent(x);
  float r = __ws_log_near(__WS_FLOAT(__WS_BITS(x) - e) - 1.0f);
  float n = (float)(int)e;
  r = __WS_MAD(n, 3.588502295e-08f, __WS_MAD(n, 5.489634253e-13f, __WS_MUL(r, 0.434294482f)));
  return __WS_POSITIVE(x) ? r : __WS_LG2(x);
}
__WS_FN float __ws_log1p(float x) {
  float u = 1.0f + x;
  unsigned e = __ws_exponent(u);
  int s = 0x3f800000 - (int)e;
  float f = __WS_FLOAT(__WS_BITS(x) - e) - (1.0f - __WS_FLOAT(s < 0 ? 0 : s));
  float r = __WS_MAD((float)(int)(0u - e), -8.26295832e-8f, __ws_log_near(f));
  return __WS_POSITIVE(u) ? r : __WS_LG2(u);
}
// Logarithms of at most 2^12 units in the last place.
__WS_FN float __ws_half_log2(float x) {
  float f = x - 1.0f;
  return __WS_ABS(f) < 0.00390625f ? f * __WS_MAD(f, -0.72134752f, 1.44269504f) : __WS_LG2(x);
}
__WS_FN float __ws_asinh(float x) {
  float a = __WS_ABS(x), s = a * a;
  bool far = a > 4096.0f;
  float r = far ? __ws_log(a) + 0.693147182f : __ws_log1p(__WS_MAD(s, __WS_RCP(1.0f + __WS_SQRT(__WS_MAD(a, a, 1.0f))), a));
  return __ws_copysign(r, x);
}
__WS_FN float __ws_acosh(float x) {
  float t = x - 1.0f;
  float r = x > 4096.0f ? __ws_log(x) + 0.693147182f : __ws_log1p(t + __ws_root(t * (x + 1.0f)));
  return x < 1.0f ? __WS_NAN : r;
}
__WS_FN float __ws_atanh(float x) {
  float a = __WS_ABS(x), w = a * __WS_RCP(1.0f - a);
  return a > 1.0f ? __WS_NAN : __ws_copysign(0.5f * __ws_log1p(__WS_MAD(a + a, w, a + a)), x);
}

// The binary logarithm of a positive number in two parts, the first of 12 bits: 2 atanh(f / (2 + f)) / ln 2.
__WS_FN float __ws_log2_parts(float a, float *low) {
  unsigned e = __ws_exponent(a);
  float m = __WS_FLOAT(__WS_BITS(a) - e), n = __WS_MUL((float)(int)e, 1.1920929e-7f), f = m - 1.0f, d = m + 1.0f;
  float c = __WS_RCP(d), d1 = __WS_UPPER(d), d2 = m - (d1 - 1.0f);
  float s1 = __WS_UPPER(f * c), s2 = __WS_MUL(__WS_MAD(-s1, d2, __WS_MAD(-s1, d1, f)), c), s = s1 + s2, u = s * s;
  float q = __WS_MAD(__WS_MAD(__WS_MAD(0.347649306f, u, 0.411272377f), u, 0.577090383f), u, 0.961796641f);
  float w = __WS_MAD(6.2445678e-4f, s, __WS_MAD(2.88476562f, s2, __WS_MUL(s * u, q)));
  float k = __WS_MUL(2.88476562f, s1), h = n + k;
  w = w + ((n - h) + k);
  float r = __WS_UPPER(h + w);
  *low = (h - r) + w;
  return r;
}
// 2 to the power of (h + l)(y1 + y2), h and y1 of 12 bits.
__WS_FN float __ws_power(float h, float l, float y1, float y2) {
  float p = __WS_MUL(h, y1), q = __WS_MAD(h, y2, __WS_MUL(l, y1 + y2));
  float t = __builtin_fminf(__builtin_fmaxf(__builtin_rintf(p + q), -126.0f), 127.0f);
  return __WS_MUL(__WS_EX2((p - t) + q), __WS_EX2(t));
}
// |x|^y; more than 2^40 as y has no further effect.
__WS_FN float __ws_pow_positive(float x, float y) {
  float l, h = __ws_log2_parts(__WS_ABS(x), &l);
  y = __builtin_fminf(__builtin_fmaxf(y, -1.0995116e12f), 1.0995116e12f);
  float y1 = __WS_UPPER(y);
  return __ws_power(h, l, y1, y - y1);
}
__WS_FN float __ws_pow(float x, float y) {
  float a = __WS_ABS(x), p = __ws_pow_positive(x, y), whole = __builtin_truncf(y), half_of = 0.5f * whole;
  if (a == 0.0f || a == __WS_INF) p = (a == 0.0f) == (y < 0.0f) ? __WS_INF : 0.0f;
  if (__WS_BITS(x) >> 31) {
    p = whole == y && half_of != __builtin_truncf(half_of) ? -p : p;
    p = whole != y && a > 0.0f && a < __WS_INF ? __WS_NAN : p;
  }
  p = x != x || y != y ? __WS_NAN : p;
  return y == 0.0f || x == 1.0f ? 1.0f : p;
}
__WS_FN float __ws_powr(float x, float y) {
  float p = __ws_pow_positive(x, y);
  if (x == 0.0f || x == __WS_INF) p = y == 0.0f ? __WS_NAN : (x == 0.0f) == (y < 0.0f) ? __WS_INF : 0.0f;
  p = x == 1.0f && __WS_ABS(y) == __WS_INF ? __WS_NAN : p;
  return x < 0.0f || x != x || y != y ? __WS_NAN : p;
}
__WS_FN float __ws_pown(float x, int n) {
  float l, h = __ws_log2_parts(__WS_ABS(x), &l), a = __WS_ABS(x);
  float y1 = __WS_FLOAT(__WS_BITS((float)n) & 0xfffff000u), y2 = (float)(n - __nvvm_f2i_rz_ftz(y1));
  float p = __ws_power(h, l, y1, y2);
  if (!__WS_POSITIVE(a)) p = x != x ? x : (a == 0.0f) == (n < 0) ? __WS_INF : 0.0f;
  return n == 0 ? 1.0f : n & 1 ? __ws_copysign(p, x) : p;
}
__WS_FN float __ws_rootn(float x, int n) {
  float l, h = __ws_log2_parts(__WS_ABS(x), &l), a = __WS_ABS(x), d = (float)n, c = __WS_RCP(d);
  float y1 = __WS_UPPER(c), y2 = __WS_MAD(-y1, d, 1.0f) * c;
  float p = __ws_power(h, l, y1, y2);
  if (!__WS_POSITIVE(a)) p = x != x ? x : (a == 0.0f) == (n < 0) ? __WS_INF : 0.0f;
  p = n & 1 ? __ws_copysign(p, x) : x < 0.0f ? __WS_NAN : p;
  return n == 0 ? __WS_NAN : p;
}
// The root of the special functions, corrected once.
__WS_FN float __ws_cbrt(float x) {
  float a = __WS_ABS(x), y = __WS_EX2(__WS_LG2(a) * 0.333333343f);
  y = __WS_MAD(__WS_MAD(a, __WS_RCP(y * y), -y), 0.333333343f, y);
  return __WS_POSITIVE(a) ? __ws_copysign(y, x) : x + x;
}
__WS_FN float __ws_hypot3(float x, float y, float z) {
  float a = __builtin_fmaxf(__builtin_fmaxf(__WS_ABS(x), __WS_ABS(y)), __WS_ABS(z)), k = __ws_scale(a);
  float u = x * k, v = y * k, w = z * k;
  float r = __WS_MUL(__ws_root(__WS_MAD(u, u, __WS_MAD(v, v, w * w))), __WS_RCP(k));
  return a == __WS_INF ? a : r;
}
__WS_FN float __ws_hypot(float x, float y) { return __ws_hypot3(x, y, 0.0f); }

// |x| less k pi, k a multiple of 1/2 up to 2^15: products of 16 bits with 8 are exact.
__WS_FN float __ws_less_turns(float a, float k) {
  a = __WS_MAD(k, -3.140625f, a);
  a = __WS_MAD(k, -9.6893310546875e-4f, a);
  a = __WS_MAD(k, 1.2814998626708984e-6f, a);
  a = __WS_MAD(k, -1.979060471057892e-9f, a);
  return __WS_MAD(k, -5.12668830e-12f, a);
}
// Sine of -pi/2 to pi/2.
__WS_FN float __ws_sin_near(float r) {
  float s = r * r, p = __WS_MAD(2.60578008e-6f, s, -1.98096022e-4f);
  p = __WS_MAD(__WS_MAD(p, s, 8.33306648e-3f), s, -0.166666597f);
  return __WS_MAD(p, s * r, r);
}
// The turns of x of 2^16 and more, a fraction of 2^-64 in two words: M 2^E by the 96 bits of 1 / (2 pi) from 2^-E on,
// which one finds in words of 32 bits.
__WS_FN unsigned __ws_turns(float a, unsigned *low) {
  unsigned s = (__WS_BITS(a) >> 23) - 118u, i = s >> 5, m = (__WS_BITS(a) & 0x007fffffu) | 0x00800000u;
  unsigned w0 = 0x00000000u, w1 = 0x28be60dbu, w2 = 0x9391054au, w3 = 0x7f09d5f4u;
  if (i > 0) w0 = w1, w1 = w2, w2 = w3, w3 = 0x7d4d3770u;
  if (i > 1) w0 = w1, w1 = w2, w2 = w3, w3 = 0x36d8a566u;
  if (i > 2) w0 = w1, w1 = w2, w2 = w3, w3 = 0x4f10e410u;
  if (i > 3) w0 = w1, w1 = w2, w2 = w3, w3 = 0x7f9458eau;
  s &= 31u;
  // Two shifts, because one by 32 is none.
  w0 = w0 << s | w1 >> 1 >> (31u - s);
  w1 = w1 << s | w2 >> 1 >> (31u - s);
  w2 = w2 << s | w3 >> 1 >> (31u - s);
  unsigned p = w1 * m, q = p + __nvvm_mulhi_ui(w2, m);
  *low = q;
  return w0 * m + __nvvm_mulhi_ui(w1, m) + (q < p ? 1u : 0u);
}
// Radians of a signed fraction of a turn.
__WS_FN float __ws_radians(unsigned high, unsigned low) {
  return __WS_MAD((float)(int)high, 4294967296.0f, (float)low) * 3.40612158e-19f;
}
#define __WS_LARGE 65536.0f
__WS_FN float __ws_sine(float a, unsigned sign, float quarter) {
  float k = __builtin_rintf(__WS_MAD(a, 0.318309886f, -quarter)), r;
  if (a > __WS_LARGE && a < __WS_INF) {
    unsigned low, high = __ws_turns(a, &low) + (quarter > 0.0f ? 0x40000000u : 0u), half_turn = (high + 0x40000000u) & 0x80000000u;
    r = __ws_radians(high - half_turn, low);
    sign ^= half_turn;
  } else {
    r = __ws_less_turns(a, k + quarter);
    sign ^= (unsigned)(__nvvm_f2i_rn_ftz(k) + (quarter > 0.0f ? 1 : 0)) << 31;
  }
  return __WS_FLOAT(__WS_BITS(__ws_sin_near(r)) ^ sign);
}
__WS_FN float __ws_sin(float x) { return __ws_sine(__WS_ABS(x), __WS_BITS(x) & 0x80000000u, 0.0f); }
__WS_FN float __ws_cos(float x) { return __ws_sine(__WS_ABS(x), 0u, 0.5f); }
__WS_FN float __ws_tan(float x) {
  float a = __WS_ABS(x), k = __builtin_rintf(a * 0.636619772f), r;
  unsigned odd;
  if (a > __WS_LARGE && a < __WS_INF) {
    unsigned low, high = __ws_turns(a, &low), quarter = (high + 0x20000000u) & 0xc0000000u;
    r = __ws_radians(high - quarter, low);
    odd = quarter & 0x40000000u;
  } else {
    r = __ws_less_turns(a, 0.5f * k);
    odd = (unsigned)__nvvm_f2i_rn_ftz(k) & 1u;
  }
  float s = r * r, p = __WS_MAD(9.38562863e-3f, s, 3.11953878e-3f);
  p = __WS_MAD(p, s, 0.0244303737f);
  p = __WS_MAD(p, s, 0.0534112155f);
  p = __WS_MAD(p, s, 0.133387998f);
  p = __WS_MAD(p, s, 0.333331555f);
  p = __WS_MAD(p, s * r, r);
  p = odd ? -__WS_RCP(p) : p;
  return __WS_FLOAT(__WS_BITS(p) ^ (__WS_BITS(x) & 0x80000000u));
}
// x less the nearest even number: exact.
__WS_FN float __ws_less_even(float x) { return __WS_MAD(__builtin_rintf(0.5f * x), -2.0f, x); }
__WS_FN float __ws_sinpi(float x) {
  float r = __ws_less_even(x), a = __WS_ABS(r);
  float v = __ws_sin_near(3.14159265f * __builtin_fminf(a, 1.0f - a));
  return __ws_copysign(r == r ? v : r, v == 0.0f ? x : r);
}
__WS_FN float __ws_cospi(float x) { return __ws_sin_near(3.14159265f * (0.5f - __WS_ABS(__ws_less_even(x)))); }
__WS_FN float __ws_tanpi(float x) { return __ws_divide(__ws_sinpi(x), __ws_cospi(x)); }

// Arc tangent of 0 to 1.
__WS_FN float __ws_atan01(float z) {
  float s = z * z, p = __WS_MAD(2.92072973e-3f, s, -0.0163680799f);
  p = __WS_MAD(p, s, 0.0432121083f);
  p = __WS_MAD(p, s, -0.0755223483f);
  p = __WS_MAD(p, s, 0.106660143f);
  p = __WS_MAD(p, s, -0.142110571f);
  p = __WS_MAD(p, s, 0.199937731f);
  p = __WS_MAD(p, s, -0.333331525f);
  return __WS_MAD(p, s * z, z);
}
__WS_FN float __ws_atan(float x) {
  float a = __WS_ABS(x), p = __ws_atan01(a > 1.0f ? __WS_RCP(a) : a);
  return __ws_copysign(a > 1.0f ? 1.57079633f - p : p, x);
}
__WS_FN float __ws_atan2(float y, float x) {
  float a = __WS_ABS(x), b = __WS_ABS(y), large = a < b ? b : a, small = a < b ? a : b;
  float p = __ws_atan01(a != b ? __ws_divide(small, large) : a == 0.0f ? 0.0f : 1.0f);
  p = a < b ? 1.57079633f - p : p;
  p = __WS_BITS(x) >> 31 ? 3.14159265f - p : p;
  return __ws_copysign(p, y);
}
// Arc sine of 0 to 1/2.
__WS_FN float __ws_asin_near(float a) {
  float s = a * a, p = __WS_MAD(0.0421660915f, s, 0.0241796505f);
  p = __WS_MAD(p, s, 0.0454703458f);
  p = __WS_MAD(p, s, 0.0749529824f);
  p = __WS_MAD(p, s, 0.166667521f);
  return __WS_MAD(p, s * a, a);
}
__WS_FN float __ws_asin(float x) {
  float a = __WS_ABS(x), p = __ws_asin_near(a > 0.5f ? __ws_root(__WS_MAD(-0.5f, a, 0.5f)) : a);
  return __ws_copysign(a > 0.5f ? __WS_MAD(-2.0f, p, 1.57079633f) : p, x);
}
__WS_FN float __ws_acos(float x) {
  float a = __WS_ABS(x), p = __ws_asin_near(a > 0.5f ? __ws_root(__WS_MAD(-0.5f, a, 0.5f)) : a);
  if (a > 0.5f) return x < 0.0f ? __WS_MAD(-2.0f, p, 3.14159265f) : p + p;
  return 1.57079633f - __ws_copysign(p, x);
}

// e^(x x) erfc(x) by a polynomial in 1 / (1 + 0.35 x); the square is taken apart, so that its rounding does not count.
__WS_FN float __ws_erfc_positive(float a) {
  float t = __WS_RCP(__WS_MAD(0.35f, a, 1.0f)), p = __WS_MAD(0.0374335535f, t, -0.153486356f);
  p = __WS_MAD(p, t, 0.16815953f);
  p = __WS_MAD(p, t, -9.19117872e-3f);
  p = __WS_MAD(p, t, 0.0708736554f);
  p = __WS_MAD(p, t, 0.155174136f);
  p = __WS_MAD(p, t, 0.147841334f);
  p = __WS_MAD(p, t, 0.188666314f);
  p = __WS_MAD(p, t, 0.197039768f);
  p = __WS_MAD(p, t, 0.197489247f);
  float b = __builtin_fminf(a, 16.0f), h = __WS_UPPER(b);
  return __WS_MUL(p * t, __ws_exp(-h * h) * __WS_EX2((h - b) * (h + b) * 1.44269504f));
}
__WS_FN float __ws_erf(float x) {
  float a = __WS_ABS(x), s = a * a, p = __WS_MAD(7.00004821e-5f, s, -7.11181434e-4f);
  p = __WS_MAD(p, s, 4.59966203e-3f);
  p = __WS_MAD(p, s, -0.0237995498f);
  p = __WS_MAD(p, s, 0.0999984518f);
  p = __WS_MAD(p, s, -0.333333254f);
  p = __WS_MAD(p, s * a, a) * 1.12837917f;
  return __ws_copysign(a < 1.0f ? p : 1.0f - __ws_erfc_positive(a), x);
}
__WS_FN float __ws_erfc(float x) {
  float p = __ws_erfc_positive(__WS_ABS(x));
  return x < 0.0f ? 2.0f - p : p;
}

// Remainder of the quotient cut to a whole number, or of the nearest one, even of two; and the quotient's low bits.
__WS_FN float __ws_divided(float x, float y, bool nearest, unsigned *quotient) {
  unsigned a = __WS_BITS(x) & 0x7fffffffu, b = __WS_BITS(y) & 0x7fffffffu, q = 0;
  int e = (int)(a >> 23), d = (int)(b >> 23), n = e - d;
  *quotient = 0;
  if (a >= 0x7f800000u || b > 0x7f800000u || d == 0) return __WS_NAN;
  if (e == 0 || n < -1 || b == 0x7f800000u) return x;
  // Whole numbers in the unit of the lesser exponent.
  int r = (int)((a & 0x007fffffu) | 0x00800000u), m = (int)((b & 0x007fffffu) | 0x00800000u);
  m = n < 0 ? m + m : m;
  for (; n >= 0; n--) {
    q += q;
    if (r >= m) {
      r -= m;
      q++;
    }
    r = n > 0 ? r + r : r;
  }
  if (nearest && (r + r > m || (r + r == m && (q & 1)))) {
    r -= m;
    q++;
  }
  *quotient = q;
  float v = (float)r * 1.1920929e-7f * __WS_FLOAT((unsigned)(e < d ? e : d) << 23);
  return __WS_FLOAT(__WS_BITS(v) ^ (__WS_BITS(x) & 0x80000000u));
}
__WS_FN float __ws_fmod(float x, float y) {
  unsigned q;
  return __ws_divided(x, y, false, &q);
}
__WS_FN float __ws_remainder(float x, float y) {
  unsigned q;
  return __ws_divided(x, y, true, &q);
}
// The low seven bits of the quotient have its sign.
__WS_FN float __ws_remquo(float x, float y, int *quotient) {
  unsigned q;
  float r = __ws_divided(x, y, true, &q);
  int n = (int)(q & 127u);
  *quotient = (int)(__WS_BITS(x) ^ __WS_BITS(y)) < 0 ? -n : n;
  return r;
}
// The next float towards y: floats in their order are integers.
__WS_FN float __ws_nextafter(float x, float y) {
  int a = (int)__WS_BITS(x), b = (int)__WS_BITS(y);
  a = a < 0 ? (int)(0x80000000u - (unsigned)a) : a;
  b = b < 0 ? (int)(0x80000000u - (unsigned)b) : b;
  if (x != x || y != y) return __WS_NAN;
  if (a == b) return y;
  a += a < b ? 1 : -1;
  return __WS_FLOAT(a < 0 ? 0x80000000u - (unsigned)a : (unsigned)a);
}

// Gamma function of 1 to 2.
__WS_FN float __ws_gamma_near(float x) {
  float t = x - 1.0f, g = __WS_MAD(0.0172133241f, t, -0.109848335f);
  g = __WS_MAD(g, t, 0.324527293f);
  g = __WS_MAD(g, t, -0.603918374f);
  g = __WS_MAD(g, t, 0.828421295f);
  g = __WS_MAD(g, t, -0.934604585f);
  g = __WS_MAD(g, t, 0.972938538f);
  g = __WS_MAD(g, t, -0.906517506f);
  g = __WS_MAD(g, t, 0.989003003f);
  g = __WS_MAD(g, t, -0.577214658f);
  return __WS_MAD(g, t, 1.0f);
}
// From there by x gamma(x) = gamma(x + 1), upwards and downwards; scaled where the product is large.
__WS_FN float __ws_tgamma(float x) {
  if (x > 36.0f) return __WS_INF;
  if (x == 0.0f) return __ws_copysign(__WS_INF, x);
  if (x < 0.0f && x == __builtin_floorf(x)) return __WS_NAN;
  if (x < -46.0f) return 0.0f;
  bool up = !(x < 1.0f);
  float k = __WS_ABS(x) > 16.0f ? 8.6736174e-19f : 1.0f, p = k;
  while (x >= 2.0f) {
    x -= 1.0f;
    p *= x;
  }
  while (x < 1.0f) {
    p *= x;
    x += 1.0f;
  }
  float g = __ws_gamma_near(x);
  return __WS_MUL(g * (up ? p : __WS_RCP(p)), up ? __WS_RCP(k) : k);
}
// Logarithm of the gamma function: of the function itself below 8, Stirling's series above.
__WS_FN float __ws_lgamma_positive(float x) {
  if (x < 8.0f) return __ws_log(__ws_tgamma(x));
  float r = __WS_RCP(x);
  return __WS_MAD(x - 0.5f, __ws_log(x) - 1.0f, __WS_MAD(r, __WS_MAD(r * r, -0.0027777778f, 0.083333333f), 0.41893853f));
}
__WS_FN float __ws_lgamma(float x) {
  if (__WS_ABS(x) == __WS_INF || (x <= 0.0f && x == __builtin_floorf(x))) return __WS_INF;
  if (!(x < 0.0f)) return __ws_lgamma_positive(x);
  return 1.1447299f - __ws_log(__WS_ABS(__ws_sinpi(x))) - __ws_lgamma_positive(1.0f - x);
}
// -1 where the gamma function is negative.
__WS_FN int __ws_gamma_sign(float x) { return x < 0.0f && ((int)__builtin_floorf(x) & 1) ? -1 : 1; }

__WS_FN float __ws_ldexp(float x, int n) {
  unsigned b = __WS_BITS(x);
  n = n < -300 ? -300 : n > 300 ? 300 : n;
  int e = (int)(b >> 23 & 255) + n;
  float r = e < 1 ? 0.0f : e > 254 ? __WS_INF : __WS_FLOAT(b + ((unsigned)n << 23));
  return __WS_POSITIVE(__WS_ABS(x)) ? __ws_copysign(r, x) : x + x;
}
// Denormals are zeros.
__WS_FN float __ws_frexp(float x, int *n) {
  unsigned b = __WS_BITS(x), e = b & 0x7f800000u;
  bool normal = __WS_POSITIVE(__WS_ABS(x));
  *n = normal ? (int)(e >> 23) - 126 : 0;
  return normal ? __WS_FLOAT((b & 0x807fffffu) | 0x3f000000u) : x + x;
}
__WS_FN int __ws_ilogb(float x) {
  unsigned e = __WS_BITS(x) >> 23 & 255;
  return e == 0 ? -2147483647 - 1 : e == 255 ? 2147483647 : (int)e - 127;
}
__WS_FN float __ws_logb(float x) {
  float a = __WS_ABS(x);
  return __WS_POSITIVE(a) ? (float)__ws_ilogb(x) : a == 0.0f ? -__WS_INF : a;
}
__WS_FN float __ws_modf(float x, float *whole) {
  float t = __builtin_truncf(x);
  *whole = t;
  return __ws_copysign(__WS_ABS(x) == __WS_INF ? 0.0f : x - t, x);
}
__WS_FN float __ws_fract(float x, float *whole) {
  float f = __builtin_floorf(x), r = x - f;
  *whole = f;
  r = r < 1.0f ? r : 0.99999994f;
  return x != x ? x : __WS_ABS(x) == __WS_INF ? __ws_copysign(0.0f, x) : r;
}
