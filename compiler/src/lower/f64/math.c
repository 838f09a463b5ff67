// Functions of floats of 64 bits by integers of 64: logarithms, powers, angles. Polynomials are in fixed point with 64 bits
// behind the point, their coefficients fitted to the functions on the intervals named (Chebyshev). clang writes math.ptx from
// this file; lower/f64/mod.rs says how.
#include "parts.h"

#define ONE ((u64)BIAS << 52)

// Other routines.
u64 __ws_f64_add_rn(u64, u64);
u64 __ws_f64_mul_rn(u64, u64);
u64 __ws_f64_fma_rn(u64, u64, u64);
u64 __ws_f64_div_rn(u64, u64);
u64 __ws_f64_sqrt_rn(u64);

HELPER u64 high(u64 a, u64 b) { return (u128)a * b >> 64; }

// Steps of Horner's scheme: c + a z, c - a z.
ROUTINE u64 __ws_f64_plus(u64 a, u64 z, u64 c) { return c + high(a, z); }
ROUTINE u64 __ws_f64_minus(u64 a, u64 z, u64 c) { return c - high(a, z); }
#define PLUS(a, z, c) __ws_f64_plus(a, z, c)
#define MINUS(a, z, c) __ws_f64_minus(a, z, c)
#define HIGH(a, b) __ws_f64_plus(a, b, 0)

// n / d with 64 bits behind the point; n < d, and bit 63 of d is set. The lowest bits of d count little.
ROUTINE u64 __ws_f64_ratio(u64 n, u64 d) {
  u64 x = n >> 3, divisor = d >> 3;
  u32 y = reciprocal(divisor);
  if (x >= divisor) return ~0ull;
  u64 q = (u64)digit(&x, divisor, y) << 37;
  q |= (u64)digit(&x, divisor, y) << 10;
  return q | digit(&x, divisor, y) >> 17;
}

// x * 2^(e - 63) with bit 63 of x set, or 0.
typedef struct { u64 x; s32 e; u32 negative; } Wide;

HELPER Wide normal(u64 x, s32 e, u32 negative) {
  if (!x) return (Wide){0, 0, negative};
  u32 n = __builtin_clzll(x);
  return (Wide){x << n, e - (s32)n, negative};
}

HELPER u64 rounded(Wide w) {
  u64 sign = w.negative ? SIGN : 0;
  if (!w.x) return sign;
  return pack(sign, w.e + BIAS, w.x >> 1 | (w.x & 1), RN);
}

ROUTINE u64 __ws_f64_rounded(u64 x, s32 e, u32 negative) { return rounded(normal(x, e, negative)); }

HELPER Wide wide(u64 magnitude, u32 negative) {
  Parts p = parts(magnitude);
  return (Wide){p.x << 11, p.e - BIAS, negative};
}

HELPER int is_nan(u64 a) { return (a & ~SIGN) > INFINITE; }

// Logarithm of m * 2^(e - 63), bit 63 of m set: `unit` is the base's logarithm of 2, `scale` that of e, both * 2^63.
// log m = 2 atanh s, s = (m - 1) / (m + 1), for m between the roots of 1/2 and 2.
ROUTINE Wide __ws_f64_log_of(u64 m, s32 e, u64 unit, u64 scale) {
  u32 below = m > 0xb504f333f9de6484ull;
  u64 n = m << 1, d = (m >> 1) + (1ull << 62);
  if (below) {
    e += 1;
    n = -m;
    d = (m >> 1) + (1ull << 63);
  } else {
    // m - 1 with 63 bits behind the point.
    n = m - (1ull << 63);
  }
  Wide f = {0, 0, below};
  if (n) {
    u32 z0 = __builtin_clzll(n);
    s32 es = -(s32)z0 - 2;
    n <<= z0;
    if (n >= d) {
      n >>= 1;
      es += 1;
    }
    u64 q = __ws_f64_ratio(n, d);
    s32 down = -(es + 1);
    u64 s = down < 64 ? q >> down : 0;
    u64 z = HIGH(s, s);
    u64 p = PLUS(0xf358a5fc9235404ull, z, 0xef5f5872ecba51aull);
    p = PLUS(p, z, 0x1111d2832da631bcull);
    p = PLUS(p, z, 0x13b137b2ece4bb95ull);
    p = PLUS(p, z, 0x1745d17d365b4643ull);
    p = PLUS(p, z, 0x1c71c71c64c6c320ull);
    p = PLUS(p, z, 0x249249249252b3d5ull);
    p = PLUS(p, z, 0x333333333333307full);
    p = PLUS(p, z, 0x5555555555555555ull);
    p = HIGH(p, z);
    // q (1 + p), then the base.
    u64 more = HIGH(q, p), x = q + more;
    es += 1;
    if (x < q) {
      x = x >> 1 | 1ull << 63;
      es += 1;
    }
    if (scale >> 63 && !(scale << 1)) {
      f = (Wide){x, es, below};
    } else {
      f = normal(HIGH(x, scale), es + 1, below);
    }
  }
  if (!e) return f;
  // e * unit and the rest, with 64 bits behind the point.
  u32 negative = e < 0, steps = negative ? -e : e;
  u128 sum = (u128)unit * steps << 1;
  s32 right = -1 - f.e;
  u64 rest = f.x && right < 64 ? f.x >> right : 0;
  sum = f.negative == negative ? sum + rest : sum - rest;
  u64 h = sum >> 64, l = (u64)sum;
  if (!h) return normal(l, -1, negative);
  u32 c = __builtin_clzll(h);
  return (Wide){c ? h << c | l >> (64 - c) : h, 63 - (s32)c, negative};
}

HELPER u64 logarithm(u64 a, u64 unit, u64 scale) {
  u64 ma = a & ~SIGN;
  if (!ma) return SIGN | INFINITE;
  if (is_nan(a) || a & SIGN) return NO_NUMBER;
  if (ma == INFINITE) return INFINITE;
  Wide w = wide(ma, 0);
  w = __ws_f64_log_of(w.x, w.e, unit, scale);
  return __ws_f64_rounded(w.x, w.e, w.x ? w.negative : 0);
}
#define LN2 0x58b90bfbe8e7bcd6ull
#define LOG2_E 0xb8aa3b295c17f0bcull
#define UNIT 0x8000000000000000ull
ROUTINE u64 __ws_f64_log(u64 a) { return logarithm(a, LN2, UNIT); }
ROUTINE u64 __ws_f64_log2(u64 a) { return logarithm(a, UNIT, LOG2_E); }
ROUTINE u64 __ws_f64_log10(u64 a) { return logarithm(a, 0x268826a13ef3fde6ull, 0x3796f62a4dca1c65ull); }

ROUTINE u64 __ws_f64_log1p(u64 a) {
  u64 ma = a & ~SIGN;
  if (is_nan(a)) return NO_NUMBER;
  if (a == INFINITE || ma < (u64)(BIAS - 60) << 52) return a;
  if (a & SIGN && ma >= ONE) return ma == ONE ? SIGN | INFINITE : NO_NUMBER;
  Wide w = wide(ma, 0);
  if (w.e >= 0) {
    // 1 + a, a of 1 at least.
    u64 one = w.e < 64 ? UNIT >> w.e : 0, m = w.x + one;
    if (m < w.x) {
      m = m >> 1 | UNIT;
      w.e += 1;
    }
    Wide r = __ws_f64_log_of(m, w.e, LN2, UNIT);
    return __ws_f64_rounded(r.x, r.e, r.negative);
  }
  // With 64 bits behind the point: between 0 and 2 the sum is exact enough where it is not near 1.
  u64 x = w.x >> (-1 - w.e);
  if (ma > 0x3fd0000000000000ull) {
    Wide r;
    if (a & SIGN) {
      u64 m = -x;
      u32 n = __builtin_clzll(m);
      r = __ws_f64_log_of(m << n, -1 - (s32)n, LN2, UNIT);
    } else {
      r = __ws_f64_log_of(UNIT | x >> 1, 0, LN2, UNIT);
    }
    return __ws_f64_rounded(r.x, r.e, r.negative);
  }
  // atanh of a / (2 + a).
  u64 d = a & SIGN ? -(x >> 2) + UNIT : (x >> 2) + UNIT;
  if (a & SIGN) d = UNIT - (x >> 2);
  s32 es = w.e - 1;
  u64 n = w.x;
  // d is (2 + a) / 4 * 2^64, between 7/16 and 9/16.
  u32 c = __builtin_clzll(d);
  d <<= c;
  es += (s32)c;
  if (n >= d) {
    n >>= 1;
    es += 1;
  }
  u64 q = __ws_f64_ratio(n, d);
  es -= 1;
  s32 down = -(es + 1);
  u64 s = down < 64 ? q >> down : 0;
  u64 z = HIGH(s, s);
  u64 p = PLUS(0xf358a5fc9235404ull, z, 0xef5f5872ecba51aull);
  p = PLUS(p, z, 0x1111d2832da631bcull);
  p = PLUS(p, z, 0x13b137b2ece4bb95ull);
  p = PLUS(p, z, 0x1745d17d365b4643ull);
  p = PLUS(p, z, 0x1c71c71c64c6c320ull);
  p = PLUS(p, z, 0x249249249252b3d5ull);
  p = PLUS(p, z, 0x333333333333307full);
  p = PLUS(p, z, 0x5555555555555555ull);
  p = HIGH(p, z);
  u64 y = q + HIGH(q, p);
  es += 1;
  if (y < q) {
    y = y >> 1 | UNIT;
    es += 1;
  }
  return __ws_f64_rounded(y, es, a >> 63);
}

// 2^f - 1 for f in 0..1, all with 64 bits behind the point.
ROUTINE u64 __ws_f64_power_of(u64 f) {
  u64 p = PLUS(0x26f79788ull, f, 0x1cb0d4a04ull);
  p = PLUS(p, f, 0x1e7b024355ull);
  p = PLUS(p, f, 0x1b4f8826156ull);
  p = PLUS(p, f, 0x162c1ead717dull);
  p = PLUS(p, f, 0xffe5f210e196ull);
  p = PLUS(p, f, 0xa18489b231e71ull);
  p = PLUS(p, f, 0x5761ff9d9140e9ull);
  p = PLUS(p, f, 0x276556df759a597ull);
  p = PLUS(p, f, 0xe35846b824f8636ull);
  p = PLUS(p, f, 0x3d7f7bff058b21e2ull);
  p = PLUS(p, f, 0xb17217f7d1cf79a8ull);
  return HIGH(p, f);
}

// Whole part k and fraction f of y, or of -y: y = (x * 2^64 + low) * 2^(e - 127), below 2^11.
typedef struct { s32 k; u64 f; } Split;
HELPER Split split(u64 x, u64 low, s32 e, u32 negative) {
  Split s = {0, 0};
  if (e >= 0) {
    s.k = x >> (63 - e);
    s.f = x << (e + 1) | low >> (63 - e);
  } else if (e >= -64) {
    s.f = x >> (-1 - e);
  }
  if (negative) {
    s.k = -s.k;
    if (s.f) {
      s.k -= 1;
      s.f = -s.f;
    }
  }
  return s;
}

// 2^y or 2^-y with a sign; y = (x * 2^64 + low) * 2^(e - 127).
ROUTINE u64 __ws_f64_exp_of(u64 x, u64 low, s32 e, u32 negative, u64 sign) {
  if (!(x >> 63)) {
    x = x << 1 | low >> 63;
    low <<= 1;
    e -= 1;
  }
  if (e > 10) return negative ? sign : sign | INFINITE;
  Split s = split(x, low, e, negative);
  u64 v = __ws_f64_power_of(s.f);
  return pack(sign, s.k + BIAS, 1ull << 62 | v >> 2 | ((v & 3) != 0), RN);
}

// 2^(a * m), m = (m1 * 2^64 + m0) * 2^(em - 127).
HELPER u64 exponential(u64 a, u64 m1, u64 m0, s32 em) {
  u64 ma = a & ~SIGN;
  if (ma > INFINITE) return NO_NUMBER;
  if (ma == INFINITE) return a & SIGN ? 0 : INFINITE;
  if (ma < (u64)(BIAS - 60) << 52) return ONE;
  Wide w = wide(ma, a >> 63);
  if (w.e > 11) return w.negative ? 0 : INFINITE;
  u128 p = (u128)w.x * m1 + high(w.x, m0);
  return __ws_f64_exp_of(p >> 64, (u64)p, w.e + em + 1, w.negative, 0);
}
ROUTINE u64 __ws_f64_exp(u64 a) { return exponential(a, 0xb8aa3b295c17f0bbull, 0xbe87fed0691d3e89ull, 0); }
ROUTINE u64 __ws_f64_exp10(u64 a) { return exponential(a, 0xd49a784bcd1b8afeull, 0x492bf6ff4dafdb4dull, 1); }
ROUTINE u64 __ws_f64_exp2(u64 a) { return exponential(a, UNIT, 0, 0); }

// x^n, by the logarithm of 64 bits.
HELPER u64 power(u64 a, u64 b) {
  u64 ma = a & ~SIGN, mb = b & ~SIGN;
  if (!mb || a == ONE) return ONE;
  if (ma > INFINITE || mb > INFINITE) return NO_NUMBER;
  // Whether b is an odd integer, an even one, or none.
  u32 eb = mb >> 52;
  u32 whole = 0, odd = 0;
  if (eb >= BIAS + 53) {
    whole = 1;
  } else if (eb >= BIAS) {
    u32 below = BIAS + 52 - eb;
    u64 x = (mb & FRACTION) | HIDDEN;
    whole = (x >> below) << below == x;
    odd = whole && (x >> below & 1);
  }
  u64 sign = odd ? a & SIGN : 0;
  u32 down = b >> 63;
  if (mb == INFINITE) {
    if (ma == ONE) return ONE;
    return (ma > ONE) != down ? INFINITE : 0;
  }
  if (!ma) return down ? sign | INFINITE : sign;
  if (ma == INFINITE) return down ? sign : sign | INFINITE;
  if (a & SIGN && !whole) return NO_NUMBER;
  if (ma == ONE) return sign | ONE;
  Wide x = wide(ma, 0), y = wide(mb, down);
  x = __ws_f64_log_of(x.x, x.e, UNIT, LOG2_E);
  u128 p = (u128)x.x * y.x;
  s32 e = x.e + y.e + 1;
  if (e < -64) return sign | ONE;
  return __ws_f64_exp_of(p >> 64, (u64)p, e, x.negative ^ down, sign);
}
ROUTINE u64 __ws_f64_pow(u64 a, u64 b) { return power(a, b); }

ROUTINE u64 __ws_f64_cbrt(u64 a) {
  u64 ma = a & ~SIGN;
  if (ma > INFINITE) return NO_NUMBER;
  if (!ma || ma == INFINITE) return a;
  Wide w = wide(ma, 0);
  s32 k = (w.e + 1200) / 3 - 400, r = w.e - 3 * k;
  // A third of the logarithm of a number between 1 and 8.
  Wide l = __ws_f64_log_of(w.x, r, UNIT, LOG2_E);
  u64 third = HIGH(l.x, 0xaaaaaaaaaaaaaaabull);
  // The fraction: third * 2^(l.e - 64).
  s32 down = -l.e;
  u64 f = !l.x ? 0 : down <= 0 ? third << -down : down < 64 ? third >> down : 0;
  u64 v = __ws_f64_power_of(f);
  return pack(a & SIGN, k + BIAS, 1ull << 62 | v >> 2 | ((v & 3) != 0), RN);
}

// (e^x - 1) / x for |x| of 1/2 at most by a series, else by 2^y - 1.
ROUTINE u64 __ws_f64_expm1(u64 a) {
  u64 ma = a & ~SIGN;
  if (ma > INFINITE) return NO_NUMBER;
  if (a == INFINITE || ma < (u64)(BIAS - 60) << 52) return a;
  u32 negative = a >> 63;
  if (ma >= 0x4050000000000000ull) return negative ? SIGN | ONE : __ws_f64_exp(a);
  Wide w = wide(ma, 0);
  if (ma <= 0x3fe0000000000000ull) {
    u64 x = w.x >> (-1 - w.e);
    u64 p, more;
    if (negative) {
      p = MINUS(0x743fca6bdull, x, 0x69a6df99e8ull);
      p = MINUS(p, x, 0x49e4baad622ull);
      p = MINUS(p, x, 0x2e3b3ff6957aull);
      p = MINUS(p, x, 0x1a019dda62544ull);
      p = MINUS(p, x, 0xd00d006d8f37dull);
      p = MINUS(p, x, 0x5b05b05a5d5baeull);
      p = MINUS(p, x, 0x22222222217a23cull);
      p = MINUS(p, x, 0xaaaaaaaaaaa549full);
      p = MINUS(p, x, 0x2aaaaaaaaaaaa997ull);
      p = MINUS(p, x, 0x7fffffffffffffffull);
      more = HIGH(w.x, HIGH(p, x));
      return __ws_f64_rounded(w.x - more, w.e, 1);
    }
    p = PLUS(0xb17af8fcdull, x, 0x68fad4e56eull);
    p = PLUS(p, x, 0x4a15dcc5af9ull);
    p = PLUS(p, x, 0x2e3b06821ae3ull);
    p = PLUS(p, x, 0x1a01a3592563full);
    p = PLUS(p, x, 0xd00d00408bf35ull);
    p = PLUS(p, x, 0x5b05b05bfc787aull);
    p = PLUS(p, x, 0x22222222212ad24ull);
    p = PLUS(p, x, 0xaaaaaaaaaab29abull);
    p = PLUS(p, x, 0x2aaaaaaaaaaaa914ull);
    p = PLUS(p, x, 0x8000000000000001ull);
    more = HIGH(w.x, HIGH(p, x));
    u64 y = w.x + more;
    if (y < w.x) return __ws_f64_rounded(y >> 1 | UNIT, w.e + 1, 0);
    return __ws_f64_rounded(y, w.e, 0);
  }
  u128 t = (u128)w.x * 0xb8aa3b295c17f0bbull + high(w.x, 0xbe87fed0691d3e89ull);
  Split s = split(t >> 64, (u64)t, w.e + 1, negative);
  u64 v = __ws_f64_power_of(s.f);
  // (1 + v) 2^k - 1, with bit 63 as the unit of 2^k.
  u64 x = UNIT | v >> 1;
  if (negative) {
    // 1 - x 2^k, k is negative.
    u64 y = s.k > -64 ? x >> -s.k : 0;
    return __ws_f64_rounded(UNIT - y, 0, 1);
  }
  u64 y = s.k < 64 ? x - (UNIT >> s.k) : x;
  return __ws_f64_rounded(y, s.k, 0);
}

// 64 bits of 2 / pi, from bit 64 (i - 2) + 1 behind the point on; 0 in front of it.
ROUTINE u64 __ws_f64_two_over_pi(u32 i) {
  switch (i) {
    case 2: return 0xa2f9836e4e441529ull;
    case 3: return 0xfc2757d1f534ddc0ull;
    case 4: return 0xdb6295993c439041ull;
    case 5: return 0xfe5163abdebbc561ull;
    case 6: return 0xb7246e3a424dd2e0ull;
    case 7: return 0x06492eea09d1921cull;
    case 8: return 0xfe1deb1cb129a73eull;
    case 9: return 0xe88235f52ebb4484ull;
    case 10: return 0xe99c7026b45f7e41ull;
    case 11: return 0x3991d639835339f4ull;
    case 12: return 0x9c845f8bbdf9283bull;
    case 13: return 0x1ff897ffde05980full;
    case 14: return 0xef2f118b5a0a6d1full;
    case 15: return 0x6d367ecf27cb09b7ull;
    case 16: return 0x4f463f669e5fea2dull;
    case 17: return 0x7527bac7ebe5f17bull;
    case 18: return 0x3d0739f78a5292eaull;
    case 19: return 0x6bfb5fb11f8d5d08ull;
    default: return 0;
  }
}

// x = r + q pi / 2 for a finite |x|, |r| of pi / 4 at most: r as a Wide, q modulo 4 in bits 2:1 of `negative`.
ROUTINE Wide __ws_f64_reduced(u64 magnitude) {
  Wide w = wide(magnitude, 0);
  if (magnitude <= 0x3fe921fb54442d18ull) return w;
  // w.x * 2^E: the bits of 2 / pi from bit E - 1 on make what counts modulo 4.
  u32 at = w.e - 63 + 126, i = at >> 6, n = at & 63;
  u64 w3 = __ws_f64_two_over_pi(i), w2 = __ws_f64_two_over_pi(i + 1), w1 = __ws_f64_two_over_pi(i + 2),
      w0 = __ws_f64_two_over_pi(i + 3);
  if (n) {
    w3 = w3 << n | w2 >> (64 - n);
    w2 = w2 << n | w1 >> (64 - n);
    w1 = w1 << n | w0 >> (64 - n);
  }
  u128 middle = (u128)w.x * w2 + HIGH(w.x, w1);
  u64 f1 = (u64)middle, f2 = (u64)(middle >> 64) + w.x * w3;
  u32 q = f2 >> 62, negative = 0;
  f2 = f2 << 2 | f1 >> 62;
  f1 <<= 2;
  if (f2 >> 63) {
    q += 1;
    negative = 1;
    f1 = -f1;
    f2 = ~f2 + !f1;
  }
  s32 e = 0;
  if (!f2) {
    f2 = f1;
    f1 = 0;
    e = -64;
  }
  u32 c = __builtin_clzll(f2);
  if (c) f2 = f2 << c | f1 >> (64 - c);
  Wide r = normal(HIGH(f2, 0xc90fdaa22168c235ull), e - (s32)c, 0);
  r.negative = negative | (q & 3) << 1;
  return r;
}

// The square of r with 64 bits behind the point.
HELPER u64 square(u64 x, s32 e) {
  u64 s = e >= -64 ? x >> (-1 - e) : 0;
  return HIGH(s, s);
}

// Sine and cosine of r, |r| of pi / 4 at most, rounded.
ROUTINE u64 __ws_f64_sine_of(u64 x, s32 e, u32 negative) {
  u64 z = square(x, e);
  u64 p = MINUS(0xd58bdfull, z, 0xb090bf73ull);
  p = MINUS(p, z, 0x6b991504a5ull);
  p = MINUS(p, z, 0x2e3bc74a8c0full);
  p = MINUS(p, z, 0xd00d00d00cc9bull);
  p = MINUS(p, z, 0x222222222222200ull);
  p = MINUS(p, z, 0x2aaaaaaaaaaaaaaaull);
  return __ws_f64_rounded(x - HIGH(x, HIGH(p, z)), e, negative);
}

ROUTINE u64 __ws_f64_cosine_of(u64 x, s32 e, u32 negative) {
  u64 z = square(x, e);
  u64 p = MINUS(0xc7fcde5ull, z, 0x8f753f7edull);
  p = MINUS(p, z, 0x49f93e391c2ull);
  p = MINUS(p, z, 0x1a01a019de0f8ull);
  p = MINUS(p, z, 0x5b05b05b0575dcull);
  p = MINUS(p, z, 0xaaaaaaaaaaaa869ull);
  p = MINUS(p, z, 0x7ffffffffffffffcull);
  u64 less = HIGH(p, z);
  return less ? __ws_f64_rounded(-less, -1, negative) : (u64)negative << 63 | ONE;
}

// sin (x + turns pi / 2).
HELPER u64 circular(u64 a, u32 turns) {
  u64 ma = a & ~SIGN;
  if (ma >= INFINITE) return NO_NUMBER;
  if (!ma) return turns ? ONE : a;
  Wide r = __ws_f64_reduced(ma);
  u32 q = (r.negative >> 1) + turns, negative = r.negative & 1;
  // The sine is odd, the cosine even.
  u32 sign = (q >> 1 & 1) ^ (turns ? 0 : a >> 63);
  return q & 1 ? __ws_f64_cosine_of(r.x, r.e, sign) : __ws_f64_sine_of(r.x, r.e, sign ^ negative);
}
ROUTINE u64 __ws_f64_sin(u64 a) { return circular(a, 0); }
ROUTINE u64 __ws_f64_cos(u64 a) { return circular(a, 1); }
ROUTINE u64 __ws_f64_tan(u64 a) { return __ws_f64_div_rn(__ws_f64_sin(a), __ws_f64_cos(a)); }

// The angle of a point in the first quadrant: the smaller and the larger coordinate, both above 0.
// pi / 4 less the angle of (larger - smaller, larger + smaller) where that is the smaller one.
HELPER Wide angle(Wide s, Wide l) {
  s32 apart = l.e - s.e;
  u32 far = 0;
  u64 n = s.x, d = l.x;
  s32 es = s.e - l.e;
  if (apart <= 2) {
    u64 t = n >> apart;
    if (t >= high(d, 0x6a09e667f3bcc909ull)) {
      far = 1;
      u64 less = d - t;
      if (!less) return (Wide){0xc90fdaa22168c235ull, -1, 0};
      u128 sum = (u128)d + t;
      Wide m = normal(less, 0, 0);
      n = m.x;
      es = m.e;
      d = (u64)(sum >> 1);
      es -= 1;
      if (sum >> 64) {
        d = sum >> 1;
      } else {
        d = (u64)sum;
        es += 1;
      }
    }
  }
  if (n >= d) n >>= 1; else es -= 1;
  // q * 2^(es - 63), of 64 bits.
  u64 q = __ws_f64_ratio(n, d);
  if (!(q >> 63)) {
    Wide m = normal(q, es, 0);
    q = m.x;
    es = m.e;
  }
  u64 z = square(q, es);
  u64 p = MINUS(0x3900f8ffb120384ull, z, 0x7d7a880e49fc21aull);
  p = MINUS(p, z, 0xa81d8ef99128e6bull);
  p = MINUS(p, z, 0xc14e4d230a95ab1ull);
  p = MINUS(p, z, 0xd75e8a1e2ad1aebull);
  p = MINUS(p, z, 0xf0ec744948d97b4ull);
  p = MINUS(p, z, 0x11110ceddb22d5adull);
  p = MINUS(p, z, 0x13b13aea970e587bull);
  p = MINUS(p, z, 0x1745d173561adfffull);
  p = MINUS(p, z, 0x1c71c71c6ddb132bull);
  p = MINUS(p, z, 0x24924924924158a6ull);
  p = MINUS(p, z, 0x3333333333332d19ull);
  p = MINUS(p, z, 0x5555555555555555ull);
  Wide r = normal(q - HIGH(q, HIGH(p, z)), es, 0);
  if (!far) return r;
  u64 part = r.e >= -64 ? r.x >> (-1 - r.e) : 0;
  return normal(0xc90fdaa22168c235ull - part, -1, 0);
}

// atan (y / x) of the quadrant.
ROUTINE u64 __ws_f64_atan2(u64 y, u64 x) {
  u64 my = y & ~SIGN, mx = x & ~SIGN, sign = y & SIGN;
  u32 left = x >> 63;
  if (mx > INFINITE || my > INFINITE) return NO_NUMBER;
  if (mx == INFINITE && my == INFINITE) {
    mx = my = ONE;
  } else if (my == INFINITE || !mx) {
    // On an axis; both 0 are as the positive axis of x, or the negative one.
    if (my) return sign | 0x3ff921fb54442d18ull;
  }
  if (!my || mx == INFINITE) return left ? sign | 0x400921fb54442d18ull : sign;
  u32 steep = my > mx;
  Wide a = wide(steep ? mx : my, 0), b = wide(steep ? my : mx, 0);
  Wide r = angle(a, b);
  if (steep || left) {
    // With 62 bits behind the point: pi / 2 less or more, pi less.
    u64 t = r.e >= -62 ? r.x >> (1 - r.e) : 0;
    u64 half = 0x6487ed5110b4611aull;
    u64 v = steep ? (left ? half + t : half - t) : 2 * half - t;
    r = normal(v, 1, 0);
  }
  r.negative = sign != 0;
  return __ws_f64_rounded(r.x, r.e, r.negative);
}
ROUTINE u64 __ws_f64_atan(u64 a) { return __ws_f64_atan2(a, ONE); }

// The root of 1 - x^2.
HELPER u64 other_side(u64 a) {
  return __ws_f64_sqrt_rn(__ws_f64_mul_rn(__ws_f64_add_rn(ONE, a ^ SIGN), __ws_f64_add_rn(ONE, a)));
}
ROUTINE u64 __ws_f64_asin(u64 a) {
  if ((a & ~SIGN) > ONE) return NO_NUMBER;
  return __ws_f64_atan2(a, other_side(a));
}
ROUTINE u64 __ws_f64_acos(u64 a) {
  if ((a & ~SIGN) > ONE) return NO_NUMBER;
  return __ws_f64_atan2(other_side(a), a);
}

HELPER u64 halved(u64 a) { return __ws_f64_mul_rn(a, ONE - HIDDEN); }
HELPER u64 ratio_rn(u64 a, u64 b) { return __ws_f64_div_rn(a, b); }

ROUTINE u64 __ws_f64_sinh(u64 a) {
  u64 ma = a & ~SIGN, sign = a & SIGN;
  if (ma > INFINITE) return NO_NUMBER;
  if (ma >= 0x4086000000000000ull) {
    // e^(x/2) e^(x/2) / 2: e^x alone may be too large.
    u64 r = __ws_f64_exp(halved(ma));
    return sign | __ws_f64_mul_rn(halved(r), r);
  }
  u64 t = __ws_f64_expm1(ma);
  return sign | halved(__ws_f64_add_rn(t, ratio_rn(t, __ws_f64_add_rn(t, ONE))));
}
ROUTINE u64 __ws_f64_cosh(u64 a) {
  u64 ma = a & ~SIGN;
  if (ma > INFINITE) return NO_NUMBER;
  if (ma >= 0x4086000000000000ull) {
    u64 r = __ws_f64_exp(halved(ma));
    return __ws_f64_mul_rn(halved(r), r);
  }
  u64 t = __ws_f64_exp(ma);
  return halved(__ws_f64_add_rn(t, ratio_rn(ONE, t)));
}
ROUTINE u64 __ws_f64_tanh(u64 a) {
  u64 ma = a & ~SIGN, sign = a & SIGN;
  if (ma > INFINITE) return NO_NUMBER;
  if (ma >= 0x4036000000000000ull) return sign | ONE;
  u64 t = __ws_f64_expm1(__ws_f64_add_rn(ma, ma));
  return sign | ratio_rn(t, __ws_f64_add_rn(t, ONE + HIDDEN));
}
ROUTINE u64 __ws_f64_asinh(u64 a) {
  u64 ma = a & ~SIGN, sign = a & SIGN;
  if (ma > INFINITE) return NO_NUMBER;
  if (ma >= 0x41b0000000000000ull) return sign | __ws_f64_add_rn(__ws_f64_log(ma), 0x3fe62e42fefa39efull);
  u64 s = __ws_f64_mul_rn(ma, ma);
  u64 d = __ws_f64_add_rn(ONE, __ws_f64_sqrt_rn(__ws_f64_add_rn(ONE, s)));
  return sign | __ws_f64_log1p(__ws_f64_add_rn(ma, ratio_rn(s, d)));
}
ROUTINE u64 __ws_f64_acosh(u64 a) {
  if (is_nan(a) || a & SIGN || a < ONE) return NO_NUMBER;
  if (a >= 0x41b0000000000000ull) return __ws_f64_add_rn(__ws_f64_log(a), 0x3fe62e42fefa39efull);
  u64 t = __ws_f64_add_rn(a, SIGN | ONE);
  u64 s = __ws_f64_sqrt_rn(__ws_f64_fma_rn(t, t, __ws_f64_add_rn(t, t)));
  return __ws_f64_log1p(__ws_f64_add_rn(t, s));
}
ROUTINE u64 __ws_f64_atanh(u64 a) {
  u64 ma = a & ~SIGN, sign = a & SIGN;
  if (ma > ONE) return NO_NUMBER;
  u64 t = ratio_rn(__ws_f64_add_rn(ma, ma), __ws_f64_add_rn(ONE, ma ^ SIGN));
  return sign | halved(__ws_f64_log1p(t));
}

ROUTINE u64 __ws_f64_ldexp(u64 a, s32 n) {
  u64 ma = a & ~SIGN;
  if (ma > INFINITE) return NO_NUMBER;
  if (!ma || ma == INFINITE) return a;
  Wide w = wide(ma, a >> 63);
  n = n > 5000 ? 5000 : n < -5000 ? -5000 : n;
  return __ws_f64_rounded(w.x, w.e + n, w.negative);
}

ROUTINE u64 __ws_f64_hypot(u64 a, u64 b) {
  u64 ma = a & ~SIGN, mb = b & ~SIGN;
  if (ma == INFINITE || mb == INFINITE) return INFINITE;
  if (ma > INFINITE || mb > INFINITE) return NO_NUMBER;
  if (ma < mb) {
    u64 t = ma;
    ma = mb;
    mb = t;
  }
  if (!mb) return ma;
  // Scaled so that the larger is between 1 and 2.
  s32 e = wide(ma, 0).e;
  u64 x = __ws_f64_ldexp(ma, -e), y = __ws_f64_ldexp(mb, -e);
  u64 s = __ws_f64_fma_rn(x, x, __ws_f64_mul_rn(y, y));
  return __ws_f64_ldexp(__ws_f64_sqrt_rn(s), e);
}

// x - n y for the whole n towards zero, exactly.
ROUTINE u64 __ws_f64_fmod(u64 a, u64 b) {
  u64 ma = a & ~SIGN, mb = b & ~SIGN, sign = a & SIGN;
  if (ma >= INFINITE || mb > INFINITE || !mb) return NO_NUMBER;
  if (ma < mb) return a;
  if (ma == mb) return sign;
  Parts p = parts(ma), q = parts(mb);
  u64 x = p.x;
#pragma clang loop unroll(disable)
  for (s32 n = p.e - q.e; n > 0; n--) {
    if (x >= q.x) x -= q.x;
    x <<= 1;
  }
  if (x >= q.x) x -= q.x;
  return __ws_f64_rounded(x, q.e - BIAS + 11, a >> 63);
}

// The remainder of the nearest whole quotient.
ROUTINE u64 __ws_f64_remainder(u64 a, u64 b) {
  u64 ma = a & ~SIGN, mb = b & ~SIGN, sign = a & SIGN;
  if (ma >= INFINITE || mb > INFINITE || !mb) return NO_NUMBER;
  if (mb == INFINITE) return a;
  // Twice the divisor, or the dividend itself where that is beyond the largest number.
  u64 twice = __ws_f64_add_rn(mb, mb);
  u64 x = twice >= INFINITE ? ma : __ws_f64_fmod(ma, twice);
  u64 half = __ws_f64_add_rn(x, x);
  // x > mb / 2, then x > 3 mb / 2, exactly: differences of neighbours lose nothing.
  if (half > mb && half < INFINITE || half >= INFINITE) {
    x = __ws_f64_add_rn(x, mb ^ SIGN);
    u64 m = x & ~SIGN;
    if (!(x & SIGN)) {
      u64 again = __ws_f64_add_rn(m, m);
      if (again >= mb) x = __ws_f64_add_rn(x, mb ^ SIGN);
    }
  }
  return x ? x ^ sign : sign;
}

// To nearest, halves away from zero.
ROUTINE u64 __ws_f64_round(u64 a) {
  u64 ma = a & ~SIGN, sign = a & SIGN;
  if (ma > INFINITE) return NO_NUMBER;
  u32 e = ma >> 52;
  if (e >= BIAS + 52) return a;
  if (e < BIAS) return e == BIAS - 1 ? sign | ONE : sign;
  u64 unit = 1ull << (BIAS + 52 - e);
  return (a + (unit >> 1)) & ~(unit - 1);
}

// The fraction between 1/2 and 1, and the exponent.
ROUTINE u64 __ws_f64_fraction(u64 a) {
  u64 ma = a & ~SIGN;
  if (ma > INFINITE) return NO_NUMBER;
  if (!ma || ma == INFINITE) return a;
  return (a & SIGN) | (parts(ma).x & FRACTION) | (u64)(BIAS - 1) << 52;
}
ROUTINE s32 __ws_f64_exponent(u64 a) {
  u64 ma = a & ~SIGN;
  if (!ma || ma >= INFINITE) return 0;
  return parts(ma).e - (BIAS - 1);
}

ROUTINE u64 __ws_f64_nextafter(u64 a, u64 b) {
  u64 ma = a & ~SIGN, mb = b & ~SIGN;
  if (ma > INFINITE || mb > INFINITE) return NO_NUMBER;
  if (a == b || !(ma | mb)) return b;
  if (!ma) return (b & SIGN) | 1;
  u32 up = a & SIGN ? !(b & SIGN) || mb < ma : !(b & SIGN) && mb > ma;
  return up == (u32)(a >> 63) ? a - 1 : a + 1;
}

// A Wide times c / 2^64.
HELPER Wide scaled(Wide w, u64 c) { return normal(HIGH(w.x, c), w.e, w.negative); }

// n / d of two that are not 0.
HELPER Wide divided(Wide n, Wide d) {
  s32 e = n.e - d.e - 1;
  if (n.x >= d.x) {
    n.x >>= 1;
    e += 1;
  }
  return normal(__ws_f64_ratio(n.x, d.x), e, n.negative ^ d.negative);
}

#define PI_64 0xc90fdaa22168c235ull

// sin (pi (x + turns / 2)).
HELPER u64 half_turns(u64 a, u32 turns) {
  u64 ma = a & ~SIGN;
  if (ma >= INFINITE) return NO_NUMBER;
  if (!ma) return turns ? ONE : a;
  Wide r = wide(ma, 0);
  u32 q = 0, negative = 0;
  if (ma > 0x3fd0000000000000ull) {
    // 2 x modulo 8 with 61 bits behind the point, exactly; multiples of 8 are 0.
    u64 t = r.e >= 65 ? 0 : r.e > 1 ? r.x << (r.e - 1) : r.x >> (1 - r.e);
    q = (t + (1ull << 60)) >> 61;
    u64 f = t - ((u64)q << 61);
    negative = f >> 63;
    r = normal(negative ? -f : f, 1, 0);
  }
  q += turns;
  // The sine is odd, the cosine even.
  u32 sign = (q >> 1 & 1) ^ (turns ? 0 : a >> 63);
  if (!r.x) return q & 1 ? (u64)sign << 63 | ONE : turns ? 0 : a & SIGN;
  r = scaled(r, PI_64);
  r.e += 2;
  return q & 1 ? __ws_f64_cosine_of(r.x, r.e, sign) : __ws_f64_sine_of(r.x, r.e, sign ^ negative);
}
ROUTINE u64 __ws_f64_sinpi(u64 a) { return half_turns(a, 0); }
ROUTINE u64 __ws_f64_cospi(u64 a) { return half_turns(a, 1); }

// |x|^(1/n) with the sign of an odd root.
ROUTINE u64 __ws_f64_rootn(u64 a, s32 n) {
  u64 ma = a & ~SIGN;
  u32 down = n < 0, odd = n & 1;
  if (ma > INFINITE || !n || (a & SIGN && ma && !odd)) return NO_NUMBER;
  u64 sign = odd ? a & SIGN : 0;
  if (!ma) return down ? sign | INFINITE : sign;
  if (ma == INFINITE) return down ? sign : sign | INFINITE;
  Wide w = wide(ma, 0);
  Wide l = __ws_f64_log_of(w.x, w.e, UNIT, LOG2_E);
  if (!l.x) return sign | ONE;
  l = divided(l, normal(down ? -(u64)(s64)n : (u64)n, 63, down));
  return __ws_f64_exp_of(l.x, 0, l.e, l.negative, sign);
}

// The lowest seven bits of the nearest whole quotient, with its sign.
ROUTINE s32 __ws_f64_quotient(u64 a, u64 b) {
  u64 ma = a & ~SIGN, mb = b & ~SIGN;
  if (ma >= INFINITE || mb >= INFINITE || !mb || !ma) return 0;
  Parts p = parts(ma), d = parts(mb);
  u64 x = p.x;
  u32 q = 0;
  s32 n = p.e - d.e;
  if (n < -1) return 0;
  if (n < 0) {
    // Half of it against the divisor.
    q = x > d.x;
  } else {
#pragma clang loop unroll(disable)
    for (; n > 0; n--) {
      u32 bit = x >= d.x;
      q = q << 1 | bit;
      if (bit) x -= d.x;
      x <<= 1;
    }
    u32 bit = x >= d.x;
    q = q << 1 | bit;
    if (bit) x -= d.x;
    x <<= 1;
    q += x > d.x || (x == d.x && (q & 1));
  }
  q &= 127;
  return (a ^ b) >> 63 ? -(s32)q : (s32)q;
}

// 1 - erf x for x from 1 to 28: e^(-x^2) s R(s), s = 3 / (x + 3), R of e^(x^2) erfc(x) / s.
ROUTINE u64 __ws_f64_signed(u64 a, u64 z, u64 c) { return c + high(a, z) - ((s64)a < 0 ? z : 0); }
#define STEP(a, z, c) __ws_f64_signed(a, z, c)
ROUTINE Wide __ws_f64_erf_tail(u64 magnitude) {
  Wide w = wide(magnitude, 0);
  // With 58 bits behind the point.
  u64 x = w.x >> (5 - w.e), d = x + (3ull << 58);
  u32 c = __builtin_clzll(d);
  u64 s = __ws_f64_ratio(3ull << (58 + c), d << c);
  u64 p = STEP(0x4116add109592eull, s, 0x185e924f349a37ull);
  p = STEP(p, s, 0xf6a5c71c1826ee69ull);
  p = STEP(p, s, 0x2a6412bf62e9054bull);
  p = STEP(p, s, 0xa0b893d9e6532b09ull);
  p = STEP(p, s, 0x83223cada2591da9ull);
  p = STEP(p, s, 0x85003e4bc4fc842cull);
  p = STEP(p, s, 0x57f217c0c2da54f6ull);
  p = STEP(p, s, 0xced4f8d224698162ull);
  p = STEP(p, s, 0x11e58193ecf424b2ull);
  p = STEP(p, s, 0xf73277bdc10df1c7ull);
  p = STEP(p, s, 0x2defaebbf25e6c8ull);
  p = STEP(p, s, 0x65306fdfa8b0baeull);
  p = PLUS(p, s, 0xea6ac50a058b7fcull);
  p = PLUS(p, s, 0x179e3abc79039a90ull);
  p = PLUS(p, s, 0x208aee087dd799dcull);
  p = PLUS(p, s, 0x281ebe58ce8a2bf0ull);
  p = PLUS(p, s, 0x2d78316981acba7full);
  p = PLUS(p, s, 0x3024e8d4adf83d14ull);
  p = PLUS(p, s, 0x3024e8d60ba4318full);
  // x^2 by the base's logarithm, then its power.
  u128 y = (u128)w.x * w.x;
  u64 square = y >> 64;
  y = (u128)square * 0xb8aa3b295c17f0bbull + (((u64)y >> 1) + high(square, 0xbe87fed0691d3e89ull));
  u32 n = __builtin_clzll(y >> 64);
  y <<= n;
  Split k = split(y >> 64, (u64)y, 2 * w.e + 2 - (s32)n, 1);
  u64 v = UNIT | __ws_f64_power_of(k.f) >> 1;
  return normal(HIGH(HIGH(v, s), p), k.k, 0);
}

// erf of a magnitude below 1, with its exponent.
ROUTINE Wide __ws_f64_erf_near(u64 magnitude) {
  Wide w = wide(magnitude, 0);
  u64 z = square(w.x, w.e);
  u64 p = MINUS(0x20bffae7ull, z, 0x2713a9e4dull);
  p = MINUS(p, z, 0x1f7b4bf3b1ull);
  p = MINUS(p, z, 0x15f1ecb6f07ull);
  p = MINUS(p, z, 0xdcef9126526ull);
  p = MINUS(p, z, 0x7d3478c60fdfull);
  p = MINUS(p, z, 0x3f34643ab71c4ull);
  p = MINUS(p, z, 0x1c02db3dac435full);
  p = MINUS(p, z, 0xab2de686dd51c0ull);
  p = MINUS(p, z, 0x37059c62509c009ull);
  p = MINUS(p, z, 0xe71790d021597d7ull);
  p = MINUS(p, z, 0x3024e8d606f3cbeeull);
  p = MINUS(p, z, 0x906eba8214db688cull);
  return normal(HIGH(w.x, p), w.e + 1, 0);
}

// With 64 bits behind the point, of a number below 1.
HELPER u64 fraction_of(Wide w) { return w.e >= -64 ? w.x >> (-1 - w.e) : 0; }

ROUTINE u64 __ws_f64_erf(u64 a) {
  u64 ma = a & ~SIGN, sign = a & SIGN;
  if (ma > INFINITE) return NO_NUMBER;
  if (!ma) return a;
  if (ma >= 0x4018000000000000ull) return sign | ONE;
  Wide w;
  if (ma < ONE) {
    w = __ws_f64_erf_near(ma);
  } else {
    u64 less = fraction_of(__ws_f64_erf_tail(ma));
    if (!less) return sign | ONE;
    w = (Wide){-less, -1, 0};
  }
  return __ws_f64_rounded(w.x, w.e, sign != 0);
}

ROUTINE u64 __ws_f64_erfc(u64 a) {
  u64 ma = a & ~SIGN;
  u32 left = a >> 63;
  if (ma > INFINITE) return NO_NUMBER;
  Wide w;
  if (ma < ONE) {
    if (ma < (u64)(BIAS - 60) << 52) return ONE;
    u64 part = fraction_of(__ws_f64_erf_near(ma));
    w = left ? (Wide){UNIT | part >> 1, 0, 0} : (Wide){-part, -1, 0};
  } else if (left) {
    if (ma >= 0x4018000000000000ull) return ONE + HIDDEN;
    u64 part = fraction_of(__ws_f64_erf_tail(ma)) >> 1;
    if (!part) return ONE + HIDDEN;
    w = (Wide){-part, 0, 0};
  } else {
    if (ma >= 0x403c000000000000ull) return 0;
    w = __ws_f64_erf_tail(ma);
  }
  return __ws_f64_rounded(w.x, w.e, 0);
}

// The logarithm to base 2 of a gamma function: whole and part, less that of x * 2^(e - 63).
typedef struct { u64 whole, part, x; s32 e; } Gamma;

// Of x * 2^(e - 63) above 0 and below 190: Stirling's series from 12 on, a product of steps below.
ROUTINE Gamma __ws_f64_gamma_of(u64 x, s32 e) {
  // With 56 bits behind the point.
  u64 m = 7 - e < 64 ? x >> (7 - e) : 0;
  Wide factor = {x, e, 0}, product = {UNIT, 0, 0};
#pragma clang loop unroll(disable)
  while (m < 12ull << 56) {
    product = normal(HIGH(product.x, factor.x), product.e + factor.e + 1, 0);
    m += 1ull << 56;
    factor = normal(m, 7, 0);
  }
  Wide l = __ws_f64_log_of(factor.x, factor.e, UNIT, LOG2_E);
  u128 y = (u128)(m - (1ull << 55)) * (l.x >> (2 - l.e)) >> 53;
  y -= (u128)m * LOG2_E >> 55;
  y += (u128)1 << 64 | 0x536439a4c6efbad8ull;
  u64 r = __ws_f64_ratio(1ull << (63 - factor.e), factor.x), z = HIGH(r, r);
  u64 p = MINUS(0x1a41a41a41a41a4ull, z, 0x7daac36664f1f2ull);
  p = MINUS(p, z, 0x372a3c5631fe47ull);
  p = MINUS(p, z, 0x27027027027027ull);
  p = MINUS(p, z, 0x34034034034034ull);
  p = MINUS(p, z, 0xb60b60b60b60b6ull);
  p = MINUS(p, z, 0x1555555555555555ull);
  y += HIGH(HIGH(r, p), LOG2_E) << 1;
  return (Gamma){y >> 64, (u64)y, product.x, product.e};
}

// 1 + x of a magnitude from 2^-60 to 190.
HELPER Wide one_more(u64 magnitude) {
  Wide w = wide(magnitude, 0);
  if (w.e < 0) return (Wide){UNIT | w.x >> -w.e, 0, 0};
  return normal((w.x >> 1) + (1ull << (62 - w.e)), w.e + 1, 0);
}

// True of whole numbers.
HELPER int is_whole(u64 magnitude) {
  s32 e = (s32)(magnitude >> 52) - BIAS;
  return e >= 52 || (e >= 0 && !(magnitude << (12 + e)));
}

// True where the gamma function of a negative number that is not whole is negative.
HELPER u32 is_negative_gamma(u64 magnitude) {
  s32 e = (s32)(magnitude >> 52) - BIAS;
  return e < 0 || !(((magnitude & FRACTION) | HIDDEN) >> (52 - e) & 1);
}

ROUTINE u64 __ws_f64_tgamma(u64 a) {
  u64 ma = a & ~SIGN, sign = a & SIGN;
  if (ma > INFINITE || a == (SIGN | INFINITE)) return NO_NUMBER;
  if (!ma) return sign | INFINITE;
  if (ma < (u64)(BIAS - 60) << 52) return __ws_f64_div_rn(ONE, a);
  if (sign) {
    if (is_whole(ma)) return NO_NUMBER;
    sign = is_negative_gamma(ma) ? SIGN : 0;
    if (ma >= 0x4067200000000000ull) return sign;
  } else if (ma >= 0x4065800000000000ull) {
    return INFINITE;
  }
  Wide w = a & SIGN ? one_more(ma) : wide(ma, 0);
  Gamma g = __ws_f64_gamma_of(w.x, w.e);
  w = (Wide){UNIT | __ws_f64_power_of(g.part) >> 1, (s32)g.whole, 0};
  Wide product = {g.x, g.e, 0};
  if (a & SIGN) {
    // pi / (sin(pi x) gamma(1 + x))
    Wide s = wide(__ws_f64_sinpi(ma) & ~SIGN, 0);
    w = normal(HIGH(w.x, s.x), w.e + s.e + 1, 0);
    product = scaled(product, PI_64);
    product.e += 2;
    w = divided(product, w);
  } else {
    w = divided(w, product);
  }
  return __ws_f64_rounded(w.x, w.e, sign != 0);
}

// The logarithm of the gamma function of a number above 0.
ROUTINE u64 __ws_f64_lgamma_of(u64 a) {
  if (a >= 0x4067000000000000ull) {
    if (a == INFINITE) return a;
    u64 l = __ws_f64_add_rn(__ws_f64_log(a), SIGN | ONE);
    u64 r = __ws_f64_div_rn(ONE, a), z = __ws_f64_mul_rn(r, r);
    u64 rest = __ws_f64_fma_rn(r, __ws_f64_fma_rn(z, 0xbf66c16c16c16c17ull, 0x3fb5555555555555ull), 0x3fdacfe390c97d69ull);
    return __ws_f64_fma_rn(__ws_f64_add_rn(a, SIGN | 0x3fe0000000000000ull), l, rest);
  }
  Wide w = wide(a, 0);
  Gamma g = __ws_f64_gamma_of(w.x, w.e);
  Wide l = __ws_f64_log_of(g.x, g.e, UNIT, LOG2_E);
  u128 y = (u128)g.whole << 64 | g.part;
  u128 less = l.e >= -1 ? (u128)l.x << (l.e + 1) : fraction_of(l);
  y = l.negative ? y + less : y - less;
  u32 negative = y >> 127;
  if (negative) y = -y;
  u64 h = y >> 64;
  u32 c = h ? __builtin_clzll(h) : 0;
  w = h ? (Wide){c ? h << c | (u64)y >> (64 - c) : h, 63 - (s32)c, negative} : normal((u64)y, -1, negative);
  w = scaled(w, 0xb17217f7d1cf79acull);
  return w.x ? __ws_f64_rounded(w.x, w.e, w.negative) : 0;
}

ROUTINE u64 __ws_f64_lgamma(u64 a) {
  u64 ma = a & ~SIGN;
  if (ma > INFINITE) return NO_NUMBER;
  if (ma == INFINITE || !ma || (a & SIGN && is_whole(ma))) return INFINITE;
  if (a == ONE || a == ONE + HIDDEN) return 0;
  if (ma < (u64)(BIAS - 60) << 52) return SIGN ^ __ws_f64_log(ma);
  if (!(a & SIGN)) return __ws_f64_lgamma_of(a);
  u64 s = __ws_f64_sinpi(ma) & ~SIGN;
  u64 l = __ws_f64_log(__ws_f64_div_rn(0x400921fb54442d18ull, s));
  return __ws_f64_add_rn(l, SIGN ^ __ws_f64_lgamma_of(__ws_f64_add_rn(ONE, ma)));
}

// The sign of the gamma function, 1 or -1.
ROUTINE s32 __ws_f64_gamma_sign(u64 a) {
  u64 ma = a & ~SIGN;
  if (!(a & SIGN) || ma > INFINITE) return 1;
  return !ma || (!is_whole(ma) && is_negative_gamma(ma)) ? -1 : 1;
}
