// Every operand of a function, or some: the result of the compiler's header against the exact value.
//   sweep unary NAME FIRST COUNT STRIDE   largest error over words FIRST, FIRST + STRIDE, ...
//   sweep pair NAME FIRST COUNT           largest error over random operands number FIRST and more
//   sweep special NAME                    the same over all pairs or triples of special operands
//   sweep words NAME                      results of the words of the standard input, of pairs x, y, z and n
//   sweep operands NAME FIRST COUNT       x, y, z and n of random operands
//   sweep specials NAME                   those of all special ones
#include "chip.h"
#include "block.h"
#define INFINITY __builtin_inff()
#include <stdio.h>
#include <stdlib.h>
#include <xmmintrin.h>

uint32_t SQUARE[1 << 17];
#define FUNCTION CHIP
#include "calls.h"

#define UNARY(n, call, value, ulp, limit)                                                          \
  static void call_##n(const float *restrict in, float *restrict out) {                            \
    _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < BLOCK; i++) {                                                              \
      float x = in[i], second;                                                                     \
      int number;                                                                                  \
      (void)second, (void)number;                                                                  \
      out[i] = call;                                                                               \
    }                                                                                              \
  }                                                                                                \
  Exact exact_##n;
#include "functions.h"
#define UNARY(n, call, value, ulp, limit) {#n, call_##n, exact_##n, ulp, limit},
static const struct Row { const char *name; Evaluate *call; Exact *exact; double ulp, limit; } ROWS[] = {
#include "functions.h"
};

enum { FLOAT, WHOLE };
#define PAIR(n_, call, value, ulp, kind)                                                           \
  static void call_##n_(const float *a, const float *b, const float *c, const int *w, float *out) { \
    for (int i = 0; i < BLOCK; i++) {                                                              \
      float x = a[i], y = b[i], z = c[i];                                                          \
      int n = w[i], number;                                                                        \
      (void)y, (void)z, (void)n, (void)number;                                                     \
      out[i] = call;                                                                               \
    }                                                                                              \
  }                                                                                                \
  ExactPair exact_##n_;
#include "pairs.h"
#define PAIR(n, call, value, ulp, kind) {#n, call_##n, exact_##n, ulp, kind},
static const struct Pair { const char *name; EvaluatePair *call; ExactPair *exact; double ulp; int kind; } PAIRS[] = {
#include "pairs.h"
};

// Errors in units of the last place of the exact value. A result may be zero where the exact one is, but for the allowed
// error, denormal; infinity stands for 2^128.
static void judge(const float *found, const double *exact, double allowed, double *error) {
  double flushed = 0x1p-126 + allowed * 0x1p-149;
  for (int i = 0; i < BLOCK; i++) {
    double e = exact[i], f = found[i], a = __builtin_fabs(e);
    bool same = (e != e && f != f) || (float)e == found[i] || (f == 0.0 && a < flushed);
    bool wild = e != e || f != f || a == INFINITY;
    f = __builtin_fabs(f) == INFINITY ? __builtin_copysign(0x1p128, f) : f;
    uint64_t w = chip_wide(a);
    int64_t ex = (int64_t)(w >> 52) - ((w << 12) == 0);
    ex = ex < 1023 - 126 ? 1023 - 126 : ex;
    double per = chip_double((uint64_t)(2 * 1023 + 23 - ex) << 52);
    double far = __builtin_fabs(f - e) * per;
    // What rounds to the exact value's float counts as it is, but not at infinity.
    error[i] = same && (wild || f == 0.0 || a > 0x1.fffffep127) ? 0.0 : wild ? INFINITY : far;
  }
}

static int unary(const struct Row *row, uint64_t first, uint64_t count, uint64_t stride) {
  static float x[BLOCK], found[BLOCK];
  static double exact[BLOCK], error[BLOCK];
  double worst = -1, absolute = 0;
  float at = 0, got = 0;
  double want = 0;
  for (uint64_t done = 0; done < count; done += BLOCK) {
    for (int i = 0; i < BLOCK; i++) x[i] = as_float((uint)(first + (done + i) * stride));
    if (row->limit < INFINITY)
      for (int i = 0; i < BLOCK; i++) x[i] = __builtin_fabsf(x[i]) <= (float)row->limit ? x[i] : 0.0f;
    row->call(x, found);
    row->exact(x, exact);
    judge(found, exact, row->ulp < INFINITY ? row->ulp : 0, error);
    double most = 0;
    for (int i = 0; i < BLOCK; i++) most = error[i] > most ? error[i] : most;
    if (most > worst)
      for (int i = 0; i < BLOCK; i++)
        if (error[i] > worst) worst = error[i], at = x[i], got = found[i], want = exact[i];
  }
  printf("%s %.4f at %08x %.9g found %.9g exact %.12g allowed %g%s\n", row->name, worst, as_uint(at), at, got, want, row->ulp, worst > row->ulp ? " EXCEEDED" : "");
  return 0;
}

static const uint SPECIAL[] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, 0xff7fffff, 0x7f7ffffe, 0x00800000,
    0x80800000, 0x00800001, 0x3f800001, 0x3f7fffff, 0xbf800001, 0xbf7fffff, 0x3f000000, 0xbf000000, 0x3fc00000, 0xbfc00000, 0x40000000,
    0xc0000000, 0x40400000, 0xc0400000, 0x40800000, 0x40a00000, 0x3f400000, 0x3eaaaaab, 0x402df854, 0x40490fdb, 0xc0490fdb, 0x3fc90fdb,
    0x4b000000, 0x4b000001, 0xcb7fffff, 0x4b800000, 0x4b800001, 0x4f000000, 0xcf000000, 0x4effffff, 0x5f000000, 0xdf000000, 0x5effffff,
    0x60000000, 0x7e800000, 0xfe800000, 0x7e800001, 0x7f000000, 0xff000000, 0x7e7fffff, 0x01000000, 0x81000000, 0x0c800000, 0x20000000,
    0x33800000, 0x34000000, 0xb3800000, 0x42fe0000, 0xc2fc0000, 0x43000000, 0xc3000000, 0x42b17218, 0xc2aeac50, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff,
};
#define SPECIALS (int)(sizeof SPECIAL / sizeof *SPECIAL)
static const int WHOLES[] = {0, 1, -1, 2, -2, 3, -3, 4, 5, 7, -7, 8, 9, 13, 22, 23, 24, 25, 31, 32, 33, 63, 64, 100, 101, -101, 126, -126, 127, -127, 128,
    -128, 129, 148, -148, 149, -149, 150, -150, 151, 191, 192, 252, -252, 253, -253, 254, -254, 255, -255, 256, 275, 276, -276, 277, -277, 278, -278, 300, -300, 1023,
    1025, -1024, 4095, 4096, 4097, 16777215, 16777216, 16777217, -16777217, 1073741824, 2147483583, 2147483646, 2147483647, -2147483647, -2147483647 - 1};
#define NUMBERS (int)(sizeof WHOLES / sizeof *WHOLES)

static uint64_t random_word(uint64_t i) {
  i = (i + 1) * 0x9e3779b97f4a7c15;
  i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9;
  i = (i ^ i >> 27) * 0x94d049bb133111eb;
  return i ^ i >> 31;
}
// Any words; exponents that are near; exponents near that of 1; a first operand near 1 and a large second one. The third
// operand is near the product, cancels it, or is below a product of few bits, which may lie between two floats.
static void pick(uint64_t i, float *x, float *y, float *z, int *n) {
  uint64_t r = random_word(3 * i), s = random_word(3 * i + 1), t = random_word(3 * i + 2);
  uint a = (uint)r, b = (uint)(r >> 32), c = (uint)s, k = (uint)(s >> 32);
  int ea = a >> 23 & 255, near = ea + (int)(k % 33) - 16;
  near = near < 0 ? 0 : near > 255 ? 255 : near;
  switch (i & 3) {
  case 1: b = (b & 0x807fffff) | (uint)near << 23; break;
  case 2: a = (a & 0x807fffff) | (117 + k % 20) << 23, b = (b & 0x807fffff) | (117 + (k >> 8) % 20) << 23; break;
  case 3: a = (a & (0x807fffff >> k % 24 | 0x80000000)) + 0x3f800000 - (k & 0x80 ? 0 : (k >> 8 & 0xffff)), b = (b & 0x807fffff) | (100 + (k >> 24) % 56) << 23; break;
  }
  bool few = (t >> 24 & 7) == 0;
  if (few) a &= 0xfffff800, b &= 0xfffff000;
  *x = as_float(a), *y = as_float(b);
  int ex = (int)(a >> 23 & 255) + (int)(b >> 23 & 255) - 127, ez = ex + (int)(t >> 8 & 63) - (few ? 88 : 32);
  ez = ez < 0 ? 0 : ez > 255 ? 255 : ez;
  *z = as_float((c & 0x807fffff) | (uint)ez << 23);
  if ((t & 3) == 1) *z = as_float(c);
  if ((t & 3) == 2) *z = as_float(as_uint(-(*x * *y)) + ((t >> 16 & 7) - 3));
  int w = (int)(t >> 32);
  *n = (t & 12) == 0 ? w : (t & 12) == 4 ? w % 64 : (t & 12) == 8 ? w % 300 : w >> (t >> 4 & 31);
}
// The i-th of the special operands.
static void special(uint64_t i, float *x, float *y, float *z, int *n) {
  *x = as_float(SPECIAL[i % SPECIALS]), i /= SPECIALS;
  *n = WHOLES[i % NUMBERS];
  *y = as_float(SPECIAL[i % SPECIALS]), i /= SPECIALS;
  *z = as_float(SPECIAL[i % SPECIALS]);
}

static int pairs(const struct Pair *row, uint64_t first, uint64_t count, bool specials) {
  static float x[BLOCK], y[BLOCK], z[BLOCK], found[BLOCK];
  static int n[BLOCK];
  static double exact[BLOCK], error[BLOCK];
  double worst = -1;
  char text[300] = "";
  for (uint64_t done = 0; done < count; done += BLOCK) {
    for (int i = 0; i < BLOCK; i++) (specials ? special : pick)((first + done + i) % (specials ? count : UINT64_MAX), x + i, y + i, z + i, n + i);
    row->call(x, y, z, n, found);
    row->exact(x, y, z, n, exact);
    judge(found, exact, row->ulp, error);
    for (int i = 0; i < BLOCK; i++)
      if (error[i] > worst) {
        worst = error[i];
        snprintf(text, sizeof text, "%08x %08x %08x %d (%.9g %.9g %.9g) found %.9g exact %.12g", as_uint(x[i]), as_uint(y[i]), as_uint(z[i]), n[i], x[i], y[i], z[i], found[i], exact[i]);
      }
  }
  printf("%s %.4f at %s allowed %g%s\n", row->name, worst, text, row->ulp, worst > row->ulp ? " EXCEEDED" : "");
  return 0;
}

int main(int count, char **arg) {
  for (uint x = 0; x < 1 << 17; x++) {
    uint sum = 0;
    for (int k = 0; k < 17; k++) sum += x >> k & 1 ? x >> (18 - k) : 0;
    SQUARE[x] = sum >> 1;
  }
  // Denormal operands and results are zeros.
  _mm_setcsr(_mm_getcsr() | 0x8040);
  for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
    const struct Row *row = ROWS + i;
    if (count == 2) puts(row->name);
    if (count < 3 || strcmp(arg[2], row->name)) continue;
    if (!strcmp(arg[1], "unary") && count == 6) return unary(row, strtoull(arg[3], 0, 0), strtoull(arg[4], 0, 0), strtoull(arg[5], 0, 0));
    if (!strcmp(arg[1], "words")) {
      static float x[BLOCK], y[BLOCK];
      for (size_t n; (n = fread(x, 4, BLOCK, stdin));) {
        row->call(x, y);
        fwrite(y, 4, n, stdout);
      }
      return 0;
    }
  }
  for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++) {
    const struct Pair *row = PAIRS + i;
    if (count == 2) puts(row->name);
    if (count < 3 || strcmp(arg[2], row->name)) continue;
    if (!strcmp(arg[1], "pair") && count == 5) return pairs(row, strtoull(arg[3], 0, 0), strtoull(arg[4], 0, 0), false);
    bool specials = !strcmp(arg[1], "specials");
    if (!strcmp(arg[1], "words")) {
      static float x[BLOCK], y[BLOCK], z[BLOCK], found[BLOCK];
      static int n[BLOCK];
      uint record[4];
      for (bool more = true; more;) {
        int k = 0;
        for (; k < BLOCK && (more = fread(record, sizeof record, 1, stdin)); k++)
          x[k] = as_float(record[0]), y[k] = as_float(record[1]), z[k] = as_float(record[2]), n[k] = (int)record[3];
        row->call(x, y, z, n, found);
        fwrite(found, 4, (size_t)k, stdout);
      }
      return 0;
    }
    if ((!strcmp(arg[1], "operands") && count == 5) || specials) {
      uint64_t first = specials ? 0 : strtoull(arg[3], 0, 0), end = first + (specials ? SPECIALS * (row->kind == WHOLE ? NUMBERS : SPECIALS) : strtoull(arg[4], 0, 0));
      for (uint64_t k = first; k < end; k++) {
        float x, y, z;
        int n;
        (specials ? special : pick)(k, &x, &y, &z, &n);
        uint record[4] = {as_uint(x), as_uint(y), as_uint(z), (uint)n};
        fwrite(record, sizeof record, 1, stdout);
      }
      return 0;
    }
    if (!strcmp(arg[1], "special")) {
      uint64_t all = (uint64_t)SPECIALS * (row->kind == WHOLE ? NUMBERS : SPECIALS) * (strcmp(row->name, "fma") ? 1 : SPECIALS);
      return pairs(row, 0, all, true);
    }
  }
  return count == 2 ? 0 : 2;
}
