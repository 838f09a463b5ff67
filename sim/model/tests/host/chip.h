// The chip's float operations for the host, so that the compiler's headers run there: the arithmetic of
// sim/model/src/num. Sums and products are the host's own with denormals flushed (main sets that mode).
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "tables.h"

#define CHIP static inline __attribute__((always_inline, unused))
typedef unsigned uint;

CHIP uint as_uint(float x) { uint u; __builtin_memcpy(&u, &x, 4); return u; }
CHIP int as_int(float x) { return (int)as_uint(x); }
CHIP float as_float(uint u) { float x; __builtin_memcpy(&x, &u, 4); return x; }
CHIP uint64_t chip_wide(double x) { uint64_t u; __builtin_memcpy(&u, &x, 8); return u; }
CHIP double chip_double(uint64_t u) { double x; __builtin_memcpy(&x, &u, 8); return x; }

// The product is cut to 24 bits; beside a zero it is rounded. A sum next below the least normal number becomes that.
CHIP float chip_fmad(float x, float y, float z) {
  double p = chip_double(chip_wide((double)x * (double)y) & ~(uint64_t)0x1fffffff), s = p + (double)z, a = __builtin_fabs(s);
  s = a >= 0x1.fffffep-127 && a < 0x1p-126 ? __builtin_copysign(0x1p-126, s) : s;
  float plain = x * y + z;
  return z == 0.0f ? plain : (float)s;
}
CHIP float chip_flush(float x) { return as_float((as_uint(x) & 0x7f800000) == 0 ? as_uint(x) & 0x80000000 : as_uint(x)); }
CHIP float chip_fmin(float x, float y) {
  bool first = x < y || (x == y && as_uint(x) >> 31) || y != y;
  return chip_flush(first && x == x ? x : y);
}
CHIP float chip_fmax(float x, float y) {
  bool first = x > y || (x == y && !(as_uint(x) >> 31)) || y != y;
  return chip_flush(first && x == x ? x : y);
}
// Toward zero: a sum that was rounded away from it goes one unit back.
CHIP float chip_add_zero(float x, float y) {
  float s = x + y;
  double far = (double)x + (double)y, b = far - (double)x, low = ((double)x - (far - b)) + ((double)y - b);
  double over = (double)s - far;
  over = over == 0.0 ? -low : over;
  bool finite = __builtin_fabsf(x) < __builtin_inff() && __builtin_fabsf(y) < __builtin_inff();
  return finite && ((over > 0.0 && s > 0.0f) || (over < 0.0 && s < 0.0f)) ? as_float(as_uint(s) - 1) : s;
}
CHIP int chip_int(float x) {
  double d = x;
  d = d > 2147483647.0 ? 2147483647.0 : d < -2147483648.0 ? -2147483648.0 : d;
  return x == x ? (int)(x == x ? d : 0.0) : 0;
}

CHIP float chip_rcp(float x) {
  uint u = as_uint(x), sign = u & 0x80000000, a = u & 0x7fffffff, i = u >> 16 & 0x7f, r = u & 0xffff;
  int64_t sum = ((int64_t)TABLE_RCP[0][i] << 13) + (int64_t)TABLE_RCP[1][i] * r + (int64_t)TABLE_RCP[2][i] * SQUARE[2 * r] + 0x47e7;
  int word = ((253 - (int)(a >> 23)) << 23) + (int)(sum >> 15) - 0x800000;
  word = word < 0x800000 ? 0 : word;
  word = a < 0x800000 ? 0x7f800000 : a == 0x7f800000 ? 0 : word;
  return as_float(a > 0x7f800000 ? 0x7fffffff : sign | (uint)word);
}
CHIP float chip_rsq(float x) {
  uint u = as_uint(x), a = u & 0x7fffffff;
  int e = (int)(a >> 23) - 127, half = e >> 1;
  uint g = (u & 0x7fffff) | ((uint)e & 1) << 23, i = g >> 17, r = g & 0x1ffff;
  int64_t sum = ((int64_t)TABLE_RSQ[0][i] << 14) + (int64_t)TABLE_RSQ[1][i] * r + (int64_t)TABLE_RSQ[2][i] * SQUARE[r] * 4 + 0x7fff;
  int word = ((126 - half) << 23) + (int)(sum >> 16) - 0x800000;
  word = g == 0 ? (127 - half) << 23 : word;
  uint v = (uint)word;
  v = u >> 31 ? 0x7fffffff : u == 0x7f800000 ? 0 : v;
  v = a < 0x800000 ? (u & 0x80000000) | 0x7f800000 : v;
  return as_float(a > 0x7f800000 ? 0x7fffffff : v);
}
// The leading bit of v goes to the place `top`, which has exponent `exp`; `low` bits are cut.
CHIP uint chip_normal(uint sign, int64_t v, int top, int exp, int low) {
  int up = top - (63 - __builtin_clzll((uint64_t)v | 1));
  uint64_t w = up >= 0 ? (uint64_t)v << (up & 63) : (uint64_t)v >> (-up & 63);
  uint word = ((uint)(exp - up) << 23) + (uint)(w >> low) - 0x800000;
  return sign | (v == 0 ? 0 : word);
}
CHIP float chip_lg2(float x) {
  uint u = as_uint(x), a = u & 0x7fffffff, i = u >> 17 & 0x3f, r = u & 0x1ffff;
  int64_t f = (((int64_t)TABLE_LG2[0][i] << 12) + (int64_t)TABLE_LG2[1][i] * r + (int64_t)TABLE_LG2[2][i] * SQUARE[r] * 2 + 0x3345) >> 2;
  f = u == 0x3f800000 ? 0 : f;
  int64_t v = f + (int64_t)((int)(a >> 23) - 127) * ((int64_t)1 << 36), neg = v >> 63;
  uint w = chip_normal((uint)neg & 0x80000000, v ^ neg, 42, 133, 19);
  w = u == 0x7f800000 ? 0x7f800000 : u >> 31 ? 0x7fffffff : w;
  w = a < 0x800000 ? 0xff800000 : w;
  return as_float(a > 0x7f800000 ? 0x7fffffff : w);
}
// Fixed point of SIN and COS; bit 30 is set for what is no number.
CHIP uint chip_rro_sin(float x) {
  uint u = as_uint(x), a = u & 0x7fffffff;
  uint64_t p = ((uint64_t)((u & 0x7fffff) | 0x800000) * 0xa2f983) >> 16;
  int shift = (int)(a >> 23) - 127 - 8;
  uint64_t v = shift >= 32 ? 0 : shift >= 0 ? p << (shift & 63) : shift > -64 ? p >> (-shift & 63) : 0;
  uint w = a < 0x800000 ? 0 : (uint)v & 0x1ffffff;
  return (u & 0x80000000) | (a >= 0x7f800000 ? 0x40000000 : w);
}
CHIP float chip_wave(uint sign, uint q, uint f, bool none) {
  f = q & 1 ? ~f & 0x7fffff : f;
  sign ^= q << 30 & 0x80000000;
  uint i = f >> 17, r = f & 0x1ffff;
  int64_t v = ((int64_t)TABLE_SIN[0][i] << 11) + (int64_t)TABLE_SIN[1][i] * r + (int64_t)TABLE_SIN[2][i] * SQUARE[r];
  return as_float(none ? 0x7fffffff : chip_normal(sign, v, 37, 127, 14));
}
CHIP float chip_sin(float x) {
  uint w = chip_rro_sin(x);
  return chip_wave(w & 0x80000000, w >> 23 & 0x7f, w & 0x7fffff, w & 0x40000000);
}
CHIP float chip_cos(float x) {
  uint w = chip_rro_sin(x);
  return chip_wave(0, (w >> 23 & 0x7f) + 1, w & 0x7fffff, w & 0x40000000);
}
CHIP float chip_ex2(float x) {
  uint u = as_uint(x), a = u & 0x7fffffff, m = (u & 0x7fffff) | 0x800000;
  int shift = (int)(a >> 23) - 127;
  uint w = a < 0x800000 || shift <= -32 ? 0 : shift >= 0 ? m << (shift & 7) : m >> (-shift & 31);
  int q = (int)(w >> 23 & 0x7f);
  uint f = w & 0x7fffff;
  bool neg = u >> 31;
  q = neg ? f ? -q - 1 : -q : q;
  f = neg && f ? ~f & 0x7fffff : f;
  uint i = f >> 17, r = f & 0x1ffff;
  int64_t sum = ((int64_t)TABLE_EX2[0][i] << 13) + (int64_t)TABLE_EX2[1][i] * r + (int64_t)TABLE_EX2[2][i] * SQUARE[r] + 0x77e2;
  int word = ((q + 127) << 23) + (int)(sum >> 15) - 0x800000;
  word = word < 0x800000 ? 0 : word;
  word = shift >= 7 ? neg ? 0 : 0x7f800000 : word;
  return as_float(a > 0x7f800000 ? 0x7fffffff : (uint)word);
}

#define __WS_MAD chip_fmad
#define __builtin_fminf chip_fmin
#define __builtin_fmaxf chip_fmax
#define __nvvm_mul_rn_ftz_f(x, y) ((x) * (y))
#define __nvvm_add_rn_ftz_f(x, y) ((x) + (y))
#define __nvvm_add_rz_ftz_f chip_add_zero
#define __nvvm_rcp_approx_ftz_f chip_rcp
#define __nvvm_rsqrt_approx_ftz_f chip_rsq
#define __nvvm_sqrt_approx_ftz_f(x) chip_rcp(chip_rsq(x))
#define __nvvm_lg2_approx_ftz_f chip_lg2
#define __nvvm_ex2_approx_ftz_f chip_ex2
#define __nvvm_sin_approx_ftz_f chip_sin
#define __nvvm_cos_approx_ftz_f chip_cos
#define __nvvm_mulhi_ui(x, y) ((uint)((uint64_t)(x) * (y) >> 32))
#define __nvvm_div_approx_ftz_f(x, y) ((x) * chip_rcp(y))
#define __nvvm_f2i_rn_ftz(x) chip_int(__builtin_rintf(x))
#define __nvvm_f2i_rz_ftz(x) chip_int(__builtin_truncf(x))

// The OpenCL headers without their vector forms.
#define __WS_F static inline __attribute__((overloadable, always_inline, unused))
#define __WS_EACH1(R, n, T)
#define __WS_EACH2(R, n, T, U)
#define __WS_EACH3(R, n, T, U, V)
#define __WS_SPLATS2(n, T)
#define __WS_SPLATS3(n, T)
#include "warpsmith_cl_math.h"
#define recip(x) __WS_RCP(x)
#define quotient(x, y) __ws_divide(x, y)
#define fract(x, p) __ws_fract(x, p)
#define modf(x, p) __ws_modf(x, p)
#define frexp(x, p) __ws_frexp(x, p)
#define remquo(x, y, p) __ws_remquo(x, y, p)
