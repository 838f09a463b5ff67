// The functions of doubles (src/lower/f64) on the host beside the C library's of long double. `measure N`: the largest error of
// each over N operands, as `name ulp allowed x y`. `values N`: N operands of each and the result, as `name x y result` of bits.
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "routines.c"
#include "math.c"

typedef long double real;
static const real PI_L = 3.14159265358979323846264338327950288L;

static double number(u64 x) {
  double d;
  memcpy(&d, &x, 8);
  return d;
}

// Quarter turns of 2 x, exactly, and what is left.
static real turns(real x, int *quarter) {
  real r = fmodl(x, 2), q = roundl(2 * r);
  *quarter = (int)q & 3;
  return PI_L * (r - q / 2);
}
static real sinpi_l(real x) {
  int q;
  real r = turns(x, &q);
  return q == 0 ? sinl(r) : q == 1 ? cosl(r) : q == 2 ? -sinl(r) : -cosl(r);
}
static real cospi_l(real x) {
  int q;
  real r = turns(x, &q);
  // A zero has no sign.
  return (q == 0 ? cosl(r) : q == 1 ? -sinl(r) : q == 2 ? -cosl(r) : sinl(r)) + 0.0L;
}

#define INVERSE_PI 0x3fd45f306dc9c883ull
#define CALL(n, ...) __ws_f64_##n(__VA_ARGS__)
// Name, operands, allowed error in ulp, exponents of the operands, whether they are above 0; the function of bits x, y
// and n (y as a whole number); the exact value of a, b and n.
#define ROWS(R)                                                                                    \
  R(add, 0.5, -60, 60, 0, CALL(add_rn, x, y), a + b)                                               \
  R(mul, 0.5, -600, 500, 0, CALL(mul_rn, x, y), a * b)                                             \
  R(div, 0.5, -500, 500, 0, CALL(div_rn, x, y), a / b)                                             \
  R(sqrt, 0.5, -1022, 1023, 1, CALL(sqrt_rn, x), sqrtl(a))                                         \
  R(rsqrt, 2, -1022, 1023, 1, CALL(div_rn, ONE, CALL(sqrt_rn, x)), 1 / sqrtl(a))                   \
  R(sin, 4, -40, 1000, 0, CALL(sin, x), sinl(a))                                                   \
  R(cos, 4, -40, 60, 0, CALL(cos, x), cosl(a))                                                     \
  R(tan, 5, -40, 60, 0, CALL(tan, x), tanl(a))                                                     \
  R(asin, 4, -40, -1, 0, CALL(asin, x), asinl(a))                                                  \
  R(acos, 4, -40, -1, 0, CALL(acos, x), acosl(a))                                                  \
  R(atan, 5, -60, 60, 0, CALL(atan, x), atanl(a))                                                  \
  R(atan2, 6, -20, 20, 0, CALL(atan2, x, y), atan2l(a, b))                                         \
  R(asinpi, 5, -40, -1, 0, CALL(mul_rn, CALL(asin, x), INVERSE_PI), asinl(a) / PI_L)               \
  R(acospi, 5, -40, -1, 0, CALL(mul_rn, CALL(acos, x), INVERSE_PI), acosl(a) / PI_L)               \
  R(atanpi, 5, -60, 60, 0, CALL(mul_rn, CALL(atan, x), INVERSE_PI), atanl(a) / PI_L)               \
  R(atan2pi, 6, -20, 20, 0, CALL(mul_rn, CALL(atan2, x, y), INVERSE_PI), atan2l(a, b) / PI_L)      \
  R(sinpi, 4, -40, 60, 0, CALL(sinpi, x), sinpi_l(a))                                              \
  R(cospi, 4, -40, 60, 0, CALL(cospi, x), cospi_l(a))                                              \
  R(tanpi, 6, -40, 40, 0, CALL(div_rn, CALL(sinpi, x), CALL(cospi, x)), sinpi_l(a) / cospi_l(a))   \
  R(sinh, 4, -40, 9, 0, CALL(sinh, x), sinhl(a))                                                   \
  R(cosh, 4, -40, 9, 0, CALL(cosh, x), coshl(a))                                                   \
  R(tanh, 5, -40, 6, 0, CALL(tanh, x), tanhl(a))                                                   \
  R(asinh, 4, -40, 60, 0, CALL(asinh, x), asinhl(a))                                               \
  R(acosh, 4, 0, 60, 1, CALL(acosh, x), acoshl(a))                                                 \
  R(atanh, 5, -40, -1, 0, CALL(atanh, x), atanhl(a))                                               \
  R(exp, 3, -40, 9, 0, CALL(exp, x), expl(a))                                                      \
  R(exp2, 3, -40, 9, 0, CALL(exp2, x), exp2l(a))                                                   \
  R(exp10, 3, -40, 8, 0, CALL(exp10, x), exp10l(a))                                                \
  R(expm1, 3, -40, 9, 0, CALL(expm1, x), expm1l(a))                                                \
  R(log, 3, -1022, 1023, 1, CALL(log, x), logl(a))                                                 \
  R(log_near, 3, -1, 1, 1, CALL(log, x), logl(a))                                                  \
  R(log2, 3, -100, 100, 1, CALL(log2, x), log2l(a))                                                \
  R(log10, 3, -100, 100, 1, CALL(log10, x), log10l(a))                                             \
  R(log1p, 2, -60, 60, 1, CALL(log1p, x), log1pl(a))                                               \
  R(log1p_near, 2, -60, -1, 0, CALL(log1p, x), log1pl(a))                                          \
  R(cbrt, 2, -1022, 1023, 0, CALL(cbrt, x), cbrtl(a))                                              \
  R(hypot, 4, -300, 300, 0, CALL(hypot, x, y), hypotl(a, b))                                       \
  R(pow, 16, -8, 8, 1, CALL(pow, x, y), powl(a, b))                                                \
  R(rootn, 16, -1000, 1000, 1, CALL(rootn, x, n), powl(a, 1.0L / n))                               \
  R(fmod, 0, -20, 40, 0, CALL(fmod, x, y), fmodl(a, b))                                            \
  R(remainder, 0, -20, 40, 0, CALL(remainder, x, y), remainderl(a, b))                             \
  R(round, 0, -3, 55, 0, CALL(round, x), roundl(a))                                                \
  R(nextafter, 0, -3, 3, 0, CALL(nextafter, x, y), nextafter(a, b))                                \
  R(erf, 16, -1000, 3, 0, CALL(erf, x), erfl(a))                                                   \
  R(erfc, 16, -40, 4, 0, CALL(erfc, x), erfcl(a))                                                  \
  R(tgamma, 16, -1000, 7, 0, CALL(tgamma, x), tgammal(a))                                          \
  R(lgamma, 3, 2, 1000, 1, CALL(lgamma, x), lgammal(a))

enum {
#define NUMBER(name, ...) ROW_##name,
  ROWS(NUMBER) COUNT
};
static const char *NAMES[] = {
#define NAME(name, ...) #name,
    ROWS(NAME)};
static const double ALLOWED[] = {
#define LIMIT(name, allowed, ...) allowed,
    ROWS(LIMIT)};
static const struct {
  int low, high, positive;
} RANGES[] = {
#define RANGE(name, allowed, low, high, positive, ...) {low, high, positive},
    ROWS(RANGE)};

// A whole number of a double's bits, none of them 0.
static int whole(u64 y) {
  int n = (int)(y >> 20) % 64;
  return n ? n : 1 + (int)(y & 0x7fffffff);
}
static u64 value(int row, u64 x, u64 y) {
  int n = whole(y);
  switch (row) {
#define VALUE(name, allowed, low, high, positive, call, exact) case ROW_##name: return call;
    ROWS(VALUE)
  }
  return n;
}
static real exact(int row, real a, real b, int n) {
  switch (row) {
#define EXACT(name, allowed, low, high, positive, call, exact) case ROW_##name: return exact;
    ROWS(EXACT)
  }
  return 0;
}

// Distance in units in the last place of the nearest double; 10^9 where one is no number, or infinite.
static double ulps(double got, real want) {
  double nearest = want;
  if (isnan(nearest) || isnan(got)) return isnan(nearest) && isnan(got) ? 0 : 1e9;
  if (isinf(nearest) || isinf(got)) return nearest == got ? 0 : fabs(got) == 0x1.fffffffffffffp1023 ? fabsl(want) / 0x1p1023L - 2 : 1e9;
  if (want == 0) return got == 0 ? 0 : 1e9;
  int e;
  frexpl(want, &e);
  return fabsl(got - want) / ldexpl(1, (e < -1021 ? -1021 : e) - 53);
}

static u64 state = 88172645463325252ull;
static u64 random_bits(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}
static u64 operand(int row) {
  u64 x = random_bits(), e = 1023 + RANGES[row].low + random_bits() % (RANGES[row].high - RANGES[row].low + 1);
  x = (x & (SIGN | FRACTION)) | e << 52;
  return RANGES[row].positive ? x & ~SIGN : x;
}

int main(int count, char **words) {
  if (count > 2 && !strcmp(words[1], "measure")) {
    for (int row = 0; row < COUNT; row++) {
      double most = 0, at = 0, beside = 0;
      for (long k = atol(words[2]); k > 0; k--) {
        u64 x = operand(row), y = operand(row);
        double u = ulps(number(value(row, x, y)), exact(row, number(x), number(y), whole(y)));
        if (u > most) most = u, at = number(x), beside = number(y);
      }
      printf("%s %.4f %g %.17g %.17g\n", NAMES[row], most, ALLOWED[row], at, beside);
    }
    return 0;
  }
  // Operands, and what the routines make of them.
  for (int row = 0; row < COUNT; row++) {
    for (int k = count > 2 ? atoi(words[2]) : 24; k-- > 0;) {
      u64 x = operand(row), y = operand(row);
      static const u64 special[] = {0, SIGN, INFINITE, SIGN | INFINITE, NO_NUMBER, 1, SIGN | 1, ONE, SIGN | ONE, ONE / 2 + (1ull << 61)};
      if (k < 10) x = special[k];
      printf("%s %llx %llx %llx\n", NAMES[row], x, y, value(row, x, y));
    }
  }
}
