// Floats of 64 bits by integers, as IEEE 754 says: subnormal numbers, infinities, four roundings. Every NaN that is made is
// 0x7ff8000000000000. clang writes routines.ptx from this file; lower/f64/mod.rs says how.
#include "parts.h"

// Sign of an exact zero sum of numbers with different signs.
HELPER u64 zero_sum(Round r) { return r == RM ? SIGN : 0; }

HELPER u64 add(u64 a, u64 b, Round r) {
  u64 ma = a & ~SIGN, mb = b & ~SIGN;
  if (ma < mb) {
    u64 t = a;
    a = b;
    b = t;
    t = ma;
    ma = mb;
    mb = t;
  }
  u64 sign = a & SIGN, differ = (a ^ b) & SIGN;
  if (ma >= INFINITE) return ma > INFINITE || (differ && mb == INFINITE) ? NO_NUMBER : a;
  s32 ea = ma >> 52, eb = mb >> 52;
  u64 xa = ma & FRACTION, xb = mb & FRACTION;
  if (ea) xa |= HIDDEN; else ea = 1;
  if (eb) xb |= HIDDEN; else eb = 1;
  u32 d = ea - eb;
  xa <<= 9;
  xb = shift_right(xb << 9, d < 63 ? d : 63);
  u64 x = differ ? xa - xb : xa + xb;
  if (!x) return differ ? zero_sum(r) : sign;
  u32 n = __builtin_clzll(x) - 1;
  return pack(sign, ea + 1 - (s32)n, x << n, r);
}

HELPER u64 multiply(u64 a, u64 b, Round r) {
  u64 sign = (a ^ b) & SIGN, ma = a & ~SIGN, mb = b & ~SIGN;
  if (ma >= INFINITE || mb >= INFINITE)
    return ma > INFINITE || mb > INFINITE || !ma || !mb ? NO_NUMBER : sign | INFINITE;
  if (!ma || !mb) return sign;
  Parts p = parts(ma), q = parts(mb);
  u128 product = (u128)(p.x << 11) * (q.x << 10);
  u64 x = (u64)(product >> 64) | ((u64)product != 0);
  s32 e = p.e + q.e - BIAS;
  if (x >> 62) e += 1; else x <<= 1;
  return pack(sign, e, x, r);
}

HELPER u128 shift_right_128(u128 x, u32 n) {
  u64 high = x >> 64, low = (u64)x;
  if (n >= 64) {
    low = high | (low != 0);
    high = 0;
    n -= 64;
    if (n > 63) n = 63;
  }
  if (!n) return (u128)high << 64 | low;
  u64 lost = low << (64 - n) != 0;
  return (u128)(high >> n) << 64 | (high << (64 - n) | low >> n | lost);
}

HELPER u64 multiply_add(u64 a, u64 b, u64 c, Round r) {
  u64 sign = (a ^ b) & SIGN, ma = a & ~SIGN, mb = b & ~SIGN, mc = c & ~SIGN;
  u64 differ = (sign ^ c) & SIGN;
  if (ma >= INFINITE || mb >= INFINITE || mc >= INFINITE) {
    if (ma > INFINITE || mb > INFINITE || mc > INFINITE) return NO_NUMBER;
    if (ma < INFINITE && mb < INFINITE) return c;
    return !ma || !mb || (differ && mc == INFINITE) ? NO_NUMBER : sign | INFINITE;
  }
  if (!ma || !mb) return mc ? c : differ ? zero_sum(r) : sign;
  Parts p = parts(ma), q = parts(mb);
  // Leading bits at bit 125 at most: room for the sum.
  u128 x = (u128)(p.x << 10) * (q.x << 10);
  s32 e = p.e + q.e - BIAS + 2;
  u128 y = 0;
  if (mc) {
    Parts s = parts(mc);
    y = (u128)(s.x << 9) << 64;
    s32 d = e - (s.e + 1);
    if (d >= 0) {
      y = shift_right_128(y, d);
    } else {
      x = shift_right_128(x, -d);
      e = s.e + 1;
    }
  }
  if (differ) {
    if (x < y) {
      u128 t = x;
      x = y;
      y = t;
      sign ^= SIGN;
    }
    x -= y;
    if (!x) return zero_sum(r);
  } else {
    x += y;
  }
  u64 high = x >> 64, low = (u64)x;
  if (!high) {
    high = low;
    low = 0;
    e -= 64;
  }
  if (high >> 63) {
    high = high >> 1 | (high & 1);
    e += 1;
  }
  u32 n = __builtin_clzll(high) - 1;
  if (n) high = high << n | low >> (64 - n);
  low <<= n;
  return pack(sign, e - (s32)n, high | (low != 0), r);
}

HELPER u64 divide(u64 a, u64 b, Round r) {
  u64 sign = (a ^ b) & SIGN, ma = a & ~SIGN, mb = b & ~SIGN;
  if (ma >= INFINITE || mb >= INFINITE) {
    if (ma > INFINITE || mb > INFINITE || ma == mb) return NO_NUMBER;
    return ma == INFINITE ? sign | INFINITE : sign;
  }
  if (!mb) return ma ? sign | INFINITE : NO_NUMBER;
  if (!ma) return sign;
  Parts p = parts(ma), q = parts(mb);
  s32 e = p.e - q.e + BIAS;
  u64 divisor = q.x << 8, x = p.x << 7;
  if (p.x < q.x) {
    x <<= 1;
    e -= 1;
  }
  u32 y = reciprocal(divisor);
  u64 quotient = (u64)digit(&x, divisor, y) << 27;
  quotient |= digit(&x, divisor, y);
  return pack(sign, e, quotient << 9 | (x != 0), r);
}

HELPER u64 square_root(u64 a, Round r) {
  u64 ma = a & ~SIGN;
  if (!ma) return a;
  if (ma > INFINITE || a & SIGN) return NO_NUMBER;
  if (ma == INFINITE) return a;
  Parts p = parts(ma);
  u32 odd = (p.e - BIAS) & 1;
  u64 m = p.x << odd;
  // v = m / 2^54 between 1/4 and 1; y * 2^31 for y = 1 / sqrt v, by Newton's iteration from 2.2 - 1.2 v, from below.
  u32 v = m >> 22;
  u32 y = 0x19999999u - high_product(v, 0x99999999u);
  for (int i = 0; i < 4; i++) y = high_product(y, 0xbfffffffu - high_product(v, high_product(y, y))) << 1;
  y -= 4;
  // The root of m 2^56: 27 bits, then what the rest over twice them gives; some units off, which the remainder tells.
  u32 first = high_product(v, y) >> 4;
  u32 rest = (u32)m - first * first;
  u64 root = ((u64)first << 28) + (((u64)rest * y) >> 31);
  s64 left = (s64)((m << 56) - root * root);
#pragma clang loop unroll(disable)
  while (left < 0) {
    root -= 1;
    left += (s64)(2 * root + 1);
  }
#pragma clang loop unroll(disable)
  while (left > (s64)(2 * root)) {
    left -= (s64)(2 * root + 1);
    root += 1;
  }
  s32 e = ((p.e - (s32)odd - BIAS) >> 1) + BIAS;
  return pack(0, e, root << 8 | (left != 0), r);
}

// Less 1, equal 2, greater 4, unordered 8: as the bits of a relation.
HELPER u32 compare(u64 a, u64 b) {
  u64 ma = a & ~SIGN, mb = b & ~SIGN;
  if (ma > INFINITE || mb > INFINITE) return 8;
  s64 x = a & SIGN ? -(s64)ma : (s64)ma, y = b & SIGN ? -(s64)mb : (s64)mb;
  return x < y ? 1 : x == y ? 2 : 4;
}

// The smaller or the larger: a number beside a NaN, -0 below 0.
HELPER u64 extreme(u64 a, u64 b, u64 larger) {
  u64 ma = a & ~SIGN, mb = b & ~SIGN;
  if (ma > INFINITE) return mb > INFINITE ? NO_NUMBER : b;
  if (mb > INFINITE) return a;
  s64 x = a ^ ((s64)a >> 63 & ~SIGN), y = b ^ ((s64)b >> 63 & ~SIGN);
  return (x < y) != larger ? a : b;
}

// An integral float.
HELPER u64 integral(u64 a, Round r) {
  u64 sign = a & SIGN, ma = a & ~SIGN;
  if (ma > INFINITE) return NO_NUMBER;
  u32 e = ma >> 52;
  if (e >= BIAS + 52) return a;
  if (e < BIAS) {
    u64 one = (u64)BIAS << 52;
    if (!ma) return a;
    switch (r) {
      case RN: return sign | (ma > one - HIDDEN ? one : 0);
      case RM: return sign ? sign | one : 0;
      case RP: return sign ? sign : one;
      default: return sign;
    }
  }
  u64 unit = 1ull << (BIAS + 52 - e), rest = unit - 1;
  return (a + up(sign, unit >> 1, (ma & unit) != 0, r)) & ~rest;
}

// The magnitude of an integer, 2^64 - 1 and a flag where it is larger.
HELPER u64 magnitude(u64 a, Round r, u32 *beyond) {
  u64 ma = a & ~SIGN;
  s32 e = (s32)(ma >> 52) - BIAS;
  *beyond = e >= 64;
  if (e >= 64) return ~0ull;
  if (e < -1) return r == RN || !ma ? 0 : up(a & SIGN, 1, 0, r) & 1;
  u64 x = ((ma & FRACTION) | HIDDEN) << 11;
  if (e == 63) return x;
  // One bit above the point, then the rest.
  u64 whole = e < 0 ? 0 : x >> (63 - e), rest = x << (e + 1);
  return whole + (r == RN ? rest > SIGN || (rest == SIGN && (whole & 1)) : rest && (up(a & SIGN, 1, 0, r) & 1));
}

HELPER u64 to_signed(u64 a, Round r, u32 bits) {
  u64 low = 1ull << (bits - 1);
  if ((a & ~SIGN) > INFINITE) return -low;
  u32 beyond;
  u64 x = magnitude(a, r, &beyond);
  if (a & SIGN) return x > low ? -low : -x;
  return x >= low ? low - 1 : x;
}

HELPER u64 to_unsigned(u64 a, Round r, u32 bits) {
  if ((a & ~SIGN) > INFINITE) return 1ull << (bits - 1);
  u32 beyond;
  u64 x = magnitude(a, r, &beyond), top = ~0ull >> (64 - bits);
  if (a & SIGN) return 0;
  return x > top ? top : x;
}

HELPER u64 of_magnitude(u64 sign, u64 x, Round r) {
  if (!x) return 0;
  u32 n = __builtin_clzll(x);
  x <<= n;
  return pack(sign, BIAS + 63 - (s32)n, x >> 1 | (x & 1), r);
}

HELPER u64 of_signed(s64 x, Round r) {
  u64 sign = (u64)x & SIGN;
  return of_magnitude(sign, sign ? -(u64)x : (u64)x, r);
}

HELPER u64 of_word(u64 sign, u32 x) {
  if (!x) return 0;
  u32 n = __builtin_clz(x);
  return sign | (((u64)(BIAS + 30 - n) << 52) + ((u64)(x << n) << 21));
}

// A float of 32 bits.
HELPER u64 of_single(u32 a) {
  u64 sign = (u64)(a >> 31) << 63;
  u32 ma = a & 0x7fffffff;
  if (ma > 0x7f800000) return NO_NUMBER;
  if (ma == 0x7f800000) return sign | INFINITE;
  if (!ma) return sign;
  u32 e = ma >> 23;
  if (!e) {
    u32 n = __builtin_clz(ma) - 8;
    ma <<= n;
    e = 1 - n;
    ma &= 0x7fffff;
  }
  return sign | (((u64)(e + (BIAS - 127)) << 52) + ((u64)(ma & 0x7fffff) << 29));
}

HELPER u32 to_single(u64 a, Round r) {
  u64 ma = a & ~SIGN;
  u32 sign = a >> 32 & 0x80000000;
  if (ma > INFINITE) return 0x7fffffff;
  if (ma == INFINITE) return sign | 0x7f800000;
  s32 e = (s32)(ma >> 52) - (BIAS - 127);
  if (e >= 255) return sign | (0x7f800000 - !overflows(sign, r));
  // 23 bits, then 29 below the last place; a subnormal float of 64 bits is far below the smallest.
  u64 x = ma & FRACTION;
  if (e > 0) {
    x |= (u64)e << 52;
  } else {
    if (!ma) return sign;
    u32 n = 1 - e;
    x = shift_right(x | HIDDEN, n < 60 ? n : 60);
  }
  return sign | (u32)((x + up(sign, 0x10000000, x >> 29 & 1, r)) >> 29);
}

// To nearest, and with the rounding as last argument, which is smaller than three copies.
#define ARITHMETIC(n, r, ...)                                                                      \
  ROUTINE u64 __ws_f64_add_##n(u64 a, u64 b __VA_ARGS__) { return add(a, b, r); }                  \
  ROUTINE u64 __ws_f64_mul_##n(u64 a, u64 b __VA_ARGS__) { return multiply(a, b, r); }             \
  ROUTINE u64 __ws_f64_fma_##n(u64 a, u64 b, u64 c __VA_ARGS__) { return multiply_add(a, b, c, r); } \
  ROUTINE u64 __ws_f64_div_##n(u64 a, u64 b __VA_ARGS__) { return divide(a, b, r); }               \
  ROUTINE u64 __ws_f64_sqrt_##n(u64 a __VA_ARGS__) { return square_root(a, r); }                   \
  ROUTINE u64 __ws_f64_integral_##n(u64 a __VA_ARGS__) { return integral(a, r); }                  \
  ROUTINE u32 __ws_f64_to_f32_##n(u64 a __VA_ARGS__) { return to_single(a, r); }                   \
  ROUTINE u64 __ws_f64_of_s64_##n(s64 a __VA_ARGS__) { return of_signed(a, r); }                   \
  ROUTINE u64 __ws_f64_of_u64_##n(u64 a __VA_ARGS__) { return of_magnitude(0, a, r); }
#define INTEGERS(n, r, ...)                                                                        \
  ROUTINE s64 __ws_f64_to_s64_##n(u64 a __VA_ARGS__) { return to_signed(a, r, 64); }               \
  ROUTINE u64 __ws_f64_to_u64_##n(u64 a __VA_ARGS__) { return to_unsigned(a, r, 64); }             \
  ROUTINE s32 __ws_f64_to_s32_##n(u64 a __VA_ARGS__) { return to_signed(a, r, 32); }               \
  ROUTINE u32 __ws_f64_to_u32_##n(u64 a __VA_ARGS__) { return to_unsigned(a, r, 32); }
ARITHMETIC(rn, RN)
ARITHMETIC(by, mode, , Round mode)
// A cast rounds to zero.
INTEGERS(rz, RZ)
INTEGERS(by, mode, , Round mode)

ROUTINE u64 __ws_f64_of_s32(s32 a) { return of_word(a < 0 ? SIGN : 0, a < 0 ? -(u32)a : (u32)a); }
ROUTINE u64 __ws_f64_of_u32(u32 a) { return of_word(0, a); }
ROUTINE u64 __ws_f64_of_f32(u32 a) { return of_single(a); }
ROUTINE u32 __ws_f64_compare(u64 a, u64 b) { return compare(a, b); }
ROUTINE u64 __ws_f64_min(u64 a, u64 b) { return extreme(a, b, 0); }
ROUTINE u64 __ws_f64_max(u64 a, u64 b) { return extreme(a, b, 1); }
