// Types, roundings and steps that the routines share.
#pragma once
typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned __int128 u128;
typedef int s32;
typedef long long s64;

// A function that is called, not inlined.
#define ROUTINE __attribute__((noinline, const))
#define HELPER static inline __attribute__((always_inline))

#define SIGN 0x8000000000000000ull
#define INFINITE 0x7ff0000000000000ull
#define NO_NUMBER 0x7ff8000000000000ull
#define HIDDEN 0x0010000000000000ull
#define FRACTION 0x000fffffffffffffull
#define BIAS 1023

// Roundings by their names in PTX: to nearest, ties to even; to zero; down; up.
typedef enum { RN, RZ, RM, RP } Round;

// x >> n, with the lowest bit set where a bit is lost; n is below 64.
HELPER u64 shift_right(u64 x, u32 n) {
  u64 y = x >> n;
  return y | ((y << n) != x);
}

// What is added below the last place kept: `half` is half a unit there, `odd` its lowest bit.
HELPER u64 up(u64 negative, u64 half, u64 odd, Round r) {
  switch (r) {
    case RN: return half - 1 + odd;
    case RM: return negative ? 2 * half - 1 : 0;
    case RP: return negative ? 0 : 2 * half - 1;
    default: return 0;
  }
}

// True where a number beyond the largest becomes infinite.
HELPER int overflows(u64 negative, Round r) {
  return r == RN || (r == RM && negative) || (r == RP && !negative);
}

// The float of a significand whose leading bit is bit 62, with biased exponent `e`; ten bits are below the last place.
HELPER u64 pack(u64 sign, s32 e, u64 x, Round r) {
  if (e >= 0x7ff) return sign | (INFINITE - !overflows(sign, r));
  if (e <= 0) {
    u32 n = 1 - e;
    x = shift_right(x, n < 63 ? n : 63);
    e = 1;
  }
  x = (x + up(sign, 0x200, x >> 10 & 1, r)) >> 10;
  return sign | (((u64)(e - 1) << 52) + x);
}

// A finite number that is not 0: its significand with bit 52 set, and its biased exponent.
typedef struct { u64 x; s32 e; } Parts;

HELPER Parts parts(u64 magnitude) {
  Parts p = {(magnitude & FRACTION) | HIDDEN, (s32)(magnitude >> 52)};
  if (p.e == 0) {
    u32 n = __builtin_clzll(magnitude) - 11;
    p.x = magnitude << n;
    p.e = 1 - (s32)n;
  }
  return p;
}

HELPER u32 high_product(u32 a, u32 b) { return (u64)a * b >> 32; }

// 27 bits of a quotient below 2^27, and what is left of the dividend. `inverse` is at most 2^63 over the upper 32 of the
// divisor's 61 bits, and so little less that the first guess is 1 too small at most.
HELPER u32 digit(u64 *x, u64 divisor, u32 inverse) {
  u32 q = high_product(*x >> 29, inverse) >> 4;
  u64 left = (*x << 27) - q * divisor;
  if (left >= divisor) {
    left -= divisor;
    q += 1;
  }
  *x = left;
  return q;
}

// At most 2^63 over the divisor's upper 32 bits, by Newton's iteration from 48/17 - 32/17 d for d in 1/2..1, from below.
HELPER u32 reciprocal(u64 divisor) {
  u32 d = divisor >> 29;
  u32 y = 0x69696969u - high_product(d, 0xf0f0f0f0u);
  for (int i = 0; i < 3; i++) y = high_product(y, ~high_product(d, y)) << 1;
  return y - 2;
}
