// Floats of 16 bits, __half and __nv_bfloat16: arithmetic in single precision, rounded once.
#pragma once
#pragma clang system_header

#define __WS_METHOD inline __attribute__((host, device, always_inline, nodebug))

// A sum whose last bit says whether it is inexact: rounded again to fewer bits it is right.
__WS_DEVICE float __ws_odd_sum(float a, float b) {
  float sum = __fadd_rn(a, b), of_b = __fadd_rn(sum, -a);
  float rest = __fadd_rn(__fadd_rn(a, -__fadd_rn(sum, -of_b)), __fadd_rn(b, -of_b));
  int bits = __float_as_int(sum);
  bool finite = (bits & 0x7f800000) != 0x7f800000;
  if (finite && rest != 0.0f && !(bits & 1)) bits += (rest > 0.0f) == (sum > 0.0f) ? 1 : -1;
  return __int_as_float(bits);
}
// An integer as a float whose last bit says whether it is inexact.
__WS_DEVICE float __ws_odd_float(unsigned x) {
  float f = __uint2float_rz(x);
  unsigned lost = x & (0xffffffu >> __clz(x) ? 0xffu >> __clz(x) : 0u);
  return __int_as_float(__float_as_int(f) | (lost != 0));
}
__WS_DEVICE float __ws_odd_float(int x) {
  float f = __ws_odd_float(x < 0 ? 0u - (unsigned)x : (unsigned)x);
  return x < 0 ? -f : f;
}
// The nearest number of 16 bits to a quotient or a root, from one that may be a place away: the exact value lies
// above the middle between two neighbours where `beyond` says so of the middle. `low` is not above it, in size.
template <class H, class F> __WS_DEVICE H __ws_nearest(H low, F beyond) {
  unsigned short bits = __builtin_bit_cast(unsigned short, low);
  H high = __builtin_bit_cast(H, (unsigned short)(bits + 1));
  float middle = __ws_middle(low);
  int side = beyond(middle);
  return side > 0 || (side == 0 && (bits & 1)) ? high : low;
}
template <class H> __WS_DEVICE H __ws_quotient(H x, H y) {
  float a = fabsf((float)x), b = fabsf((float)y), q = a / b;
  unsigned short sign = (__builtin_bit_cast(unsigned short, x) ^ __builtin_bit_cast(unsigned short, y)) & 0x8000;
  H result(q);
  unsigned short bits = __builtin_bit_cast(unsigned short, result);
  // Not for zeros, infinities and NaN.
  if (q > 0.0f && q < __builtin_inff() && a < __builtin_inff() && b < __builtin_inff()) {
    auto beyond = [=](float m) { float p = __fmul_rn(m, b); return a > p ? 1 : a == p ? 0 : -1; };
    bits -= bits != 0;
    H low = __builtin_bit_cast(H, bits);
    low = __ws_nearest(low, beyond);
    // A second step, where the first neighbour was still below.
    bits = __builtin_bit_cast(unsigned short, __ws_nearest(low, beyond));
  }
  return __builtin_bit_cast(H, (unsigned short)(q == q ? bits | sign : bits));
}
template <class H> __WS_DEVICE H __ws_root(H x) {
  float a = (float)x, r = sqrtf(a);
  H result(r);
  if (!(r > 0.0f && r < __builtin_inff())) return result;
  auto beyond = [=](float m) { float p = __fmul_rn(m, m); return a > p ? 1 : a == p ? 0 : -1; };
  unsigned short bits = __builtin_bit_cast(unsigned short, result);
  H low = __builtin_bit_cast(H, (unsigned short)(bits - 1));
  return __ws_nearest(__ws_nearest(low, beyond), beyond);
}

template <class T> struct __ws_narrow {};
template <class T> struct __ws_narrow2 {};
#define __WS_OPERATOR(sign, one, two)                                                              \
  template <class T, class = typename __ws_narrow<T>::type> __WS_DEVICE T operator sign(T a, T b) { return one(a, b); } \
  template <class T, class = typename __ws_narrow<T>::type> __WS_DEVICE T &operator sign##=(T &a, T b) { return a = one(a, b); } \
  template <class T, class = typename __ws_narrow2<T>::type, class = void> __WS_DEVICE T operator sign(T a, T b) { return two(a, b); } \
  template <class T, class = typename __ws_narrow2<T>::type, class = void> __WS_DEVICE T &operator sign##=(T &a, T b) { return a = two(a, b); }
#define __WS_RELATION(sign, one, two)                                                              \
  template <class T, class = typename __ws_narrow<T>::type> __WS_DEVICE bool operator sign(T a, T b) { return one(a, b); } \
  template <class T, class = typename __ws_narrow2<T>::type, class = void> __WS_DEVICE bool operator sign(T a, T b) { return two(a, b); }
__WS_OPERATOR(+, __hadd, __hadd2)
__WS_OPERATOR(-, __hsub, __hsub2)
__WS_OPERATOR(*, __hmul, __hmul2)
__WS_OPERATOR(/, __hdiv, __h2div)
__WS_RELATION(==, __heq, __hbeq2)
__WS_RELATION(!=, __hneu, __hbneu2)
__WS_RELATION(<, __hlt, __hblt2)
__WS_RELATION(<=, __hle, __hble2)
__WS_RELATION(>, __hgt, __hbgt2)
__WS_RELATION(>=, __hge, __hbge2)
#undef __WS_OPERATOR
#undef __WS_RELATION
template <class T, class = typename __ws_narrow<T>::type> __WS_DEVICE T operator-(T a) { return __hneg(a); }
template <class T, class = typename __ws_narrow<T>::type> __WS_DEVICE T operator+(T a) { return a; }
template <class T, class = typename __ws_narrow2<T>::type, class = void> __WS_DEVICE T operator-(T a) { return __hneg2(a); }
template <class T, class = typename __ws_narrow<T>::type> __WS_DEVICE T &operator++(T &a) { return a = T((float)a + 1.0f); }
template <class T, class = typename __ws_narrow<T>::type> __WS_DEVICE T &operator--(T &a) { return a = T((float)a - 1.0f); }

// Functions of one, two and three numbers of a type, with the forms of two of them.
#define __WS_H1(H, n, n2, e)                                                                       \
  __WS_DEVICE H n(H a) { float x = a; (void)x; return e; }                                         \
  __WS_DEVICE H##2 n2(H##2 a) { return {n(a.x), n(a.y)}; }
#define __WS_H2(H, n, n2, e)                                                                       \
  __WS_DEVICE H n(H a, H b) { float x = a, y = b; (void)x; (void)y; return e; }                    \
  __WS_DEVICE H##2 n2(H##2 a, H##2 b) { return {n(a.x, b.x), n(a.y, b.y)}; }
#define __WS_H3(H, n, n2, e)                                                                       \
  __WS_DEVICE H n(H a, H b, H c) { float x = a, y = b, z = c; (void)x; (void)y; (void)z; return e; } \
  __WS_DEVICE H##2 n2(H##2 a, H##2 b, H##2 c) { return {n(a.x, b.x, c.x), n(a.y, b.y, c.y)}; }
#define __WS_HCOMPARE(H, r, e)                                                                     \
  __WS_DEVICE bool __h##r(H a, H b) { float x = a, y = b; return e; }                              \
  __WS_DEVICE bool __h##r##u(H a, H b) { float x = a, y = b; return x != x || y != y || e; }       \
  __WS_HCOMPARE2(H, r)                                                                             \
  __WS_HCOMPARE2(H, r##u)
#define __WS_HCOMPARE2(H, r)                                                                       \
  __WS_DEVICE H##2 __h##r##2(H##2 a, H##2 b) { return {H(__h##r(a.x, b.x)), H(__h##r(a.y, b.y))}; } \
  __WS_DEVICE bool __hb##r##2(H##2 a, H##2 b) { return __h##r(a.x, b.x) && __h##r(a.y, b.y); }     \
  __WS_DEVICE unsigned __h##r##2_mask(H##2 a, H##2 b) {                                            \
    return (__h##r(a.x, b.x) ? 0xffffu : 0u) | (__h##r(a.y, b.y) ? 0xffff0000u : 0u);              \
  }
// The bits of a number with some taken away, or turned over.
#define __WS_HBITS(H, e) __builtin_bit_cast(H, (unsigned short)(__builtin_bit_cast(unsigned short, a) e))
#define __WS_HALF(H)                                                                               \
  template <> struct __ws_narrow<H> { typedef int type; };                                         \
  template <> struct __ws_narrow2<H##2> { typedef int type; };                                     \
  __WS_H1(H, __hneg, __hneg2, __WS_HBITS(H, ^ 0x8000))                                             \
  __WS_H1(H, __habs, __habs2, __WS_HBITS(H, & 0x7fff))                                             \
  __WS_H2(H, __hadd, __hadd2, H(__fadd_rn(x, y)))                                                  \
  __WS_H2(H, __hsub, __hsub2, H(__fadd_rn(x, -y)))                                                 \
  __WS_H2(H, __hmul, __hmul2, H(__fmul_rn(x, y)))                                                  \
  __WS_H2(H, __hadd_rn, __hadd2_rn, H(__fadd_rn(x, y)))                                            \
  __WS_H2(H, __hsub_rn, __hsub2_rn, H(__fadd_rn(x, -y)))                                           \
  __WS_H2(H, __hmul_rn, __hmul2_rn, H(__fmul_rn(x, y)))                                            \
  __WS_H2(H, __hdiv, __h2div, __ws_quotient(a, b))                                                 \
  __WS_H3(H, __hfma, __hfma2, H(__ws_odd_sum(__fmul_rn(x, y), z)))                                 \
  __WS_H2(H, __hadd_sat, __hadd2_sat, H(__saturatef(__fadd_rn(x, y))))                             \
  __WS_H2(H, __hsub_sat, __hsub2_sat, H(__saturatef(__fadd_rn(x, -y))))                            \
  __WS_H2(H, __hmul_sat, __hmul2_sat, H(__saturatef(__fmul_rn(x, y))))                             \
  __WS_H3(H, __hfma_sat, __hfma2_sat, H(__saturatef(__ws_odd_sum(__fmul_rn(x, y), z))))            \
  __WS_H3(H, __hfma_relu, __hfma2_relu, H(fmaxf(__ws_odd_sum(__fmul_rn(x, y), z), 0.0f)))          \
  __WS_H2(H, __hmax, __hmax2, H(fmaxf(x, y)))                                                      \
  __WS_H2(H, __hmin, __hmin2, H(fminf(x, y)))                                                      \
  __WS_H2(H, __hmax_nan, __hmax2_nan, x != x ? a : y != y ? b : H(fmaxf(x, y)))                    \
  __WS_H2(H, __hmin_nan, __hmin2_nan, x != x ? a : y != y ? b : H(fminf(x, y)))                    \
  __WS_HCOMPARE(H, eq, x == y)                                                                     \
  __WS_HCOMPARE(H, ne, (x < y || x > y))                                                           \
  __WS_HCOMPARE(H, lt, x < y)                                                                      \
  __WS_HCOMPARE(H, le, x <= y)                                                                     \
  __WS_HCOMPARE(H, gt, x > y)                                                                      \
  __WS_HCOMPARE(H, ge, x >= y)                                                                     \
  __WS_DEVICE bool __hisnan(H a) { return (float)a != (float)a; }                                  \
  __WS_DEVICE int __hisinf(H a) {                                                                  \
    float x = a;                                                                                   \
    return x == __builtin_inff() ? 1 : x == -__builtin_inff() ? -1 : 0;                            \
  }                                                                                                \
  __WS_DEVICE H##2 __hisnan2(H##2 a) { return {H(__hisnan(a.x)), H(__hisnan(a.y))}; }              \
  __WS_H1(H, hsqrt, h2sqrt, __ws_root(a))                                                          \
  __WS_H1(H, hrsqrt, h2rsqrt, H(rsqrtf(x)))                                                        \
  __WS_H1(H, hrcp, h2rcp, __ws_quotient(H(1.0f), a))                                               \
  __WS_H1(H, hexp, h2exp, H(expf(x)))                                                              \
  __WS_H1(H, hexp2, h2exp2, H(exp2f(x)))                                                           \
  __WS_H1(H, hexp10, h2exp10, H(exp10f(x)))                                                        \
  __WS_H1(H, hlog, h2log, H(logf(x)))                                                              \
  __WS_H1(H, hlog2, h2log2, H(log2f(x)))                                                           \
  __WS_H1(H, hlog10, h2log10, H(log10f(x)))                                                        \
  __WS_H1(H, hsin, h2sin, H(sinf(x)))                                                              \
  __WS_H1(H, hcos, h2cos, H(cosf(x)))                                                              \
  __WS_H1(H, htanh, h2tanh, H(tanhf(x)))                                                           \
  __WS_H1(H, hfloor, h2floor, H(floorf(x)))                                                        \
  __WS_H1(H, hceil, h2ceil, H(ceilf(x)))                                                           \
  __WS_H1(H, htrunc, h2trunc, H(truncf(x)))                                                        \
  __WS_H1(H, hrint, h2rint, H(rintf(x)))
// Two of them, under the names of a type: how it is written in conversions, H, and with two, H2.
#define __WS_HALVES(H, one, two)                                                                   \
  __WS_DEVICE H##2 __halves2##two(H a, H b) { return {a, b}; }                                     \
  __WS_DEVICE H##2 __##one##2##two(H a) { return {a, a}; }                                         \
  __WS_DEVICE H __low2##one(H##2 a) { return a.x; }                                                \
  __WS_DEVICE H __high2##one(H##2 a) { return a.y; }                                               \
  __WS_DEVICE H##2 __low2##two(H##2 a) { return {a.x, a.x}; }                                      \
  __WS_DEVICE H##2 __high2##two(H##2 a) { return {a.y, a.y}; }                                     \
  __WS_DEVICE H##2 __lows2##two(H##2 a, H##2 b) { return {a.x, b.x}; }                             \
  __WS_DEVICE H##2 __highs2##two(H##2 a, H##2 b) { return {a.y, b.y}; }                            \
  __WS_DEVICE H##2 __lowhigh2highlow(H##2 a) { return {a.y, a.x}; }                                \
  __WS_HD H##2 __float2##two##_rn(float a) { return {H(a), H(a)}; }                                \
  __WS_HD H##2 __floats2##two##_rn(float a, float b) { return {H(a), H(b)}; }                      \
  __WS_HD H##2 __float22##two##_rn(float2 a) { return {H(a.x), H(a.y)}; }                          \
  __WS_HD float2 __##two##2float2(H##2 a) { return make_float2(a.x, a.y); }                        \
  __WS_HD float __low2float(H##2 a) { return a.x; }                                                \
  __WS_HD float __high2float(H##2 a) { return a.y; }                                               \
  __WS_HD H##2 make_##two(H a, H b) { return {a, b}; }                                             \
  __WS_DEVICE short __##one##_as_short(H a) { return __builtin_bit_cast(short, a); }               \
  __WS_DEVICE unsigned short __##one##_as_ushort(H a) { return __builtin_bit_cast(unsigned short, a); } \
  __WS_DEVICE H __short_as_##one(short a) { return __builtin_bit_cast(H, a); }                     \
  __WS_DEVICE H __ushort_as_##one(unsigned short a) { return __builtin_bit_cast(H, a); }           \
  __WS_DEVICE int __##one##2int_rn(H a) { return __float2int_rn(a); }                              \
  __WS_DEVICE int __##one##2int_rz(H a) { return __float2int_rz(a); }                              \
  __WS_DEVICE int __##one##2int_rd(H a) { return __float2int_rd(a); }                              \
  __WS_DEVICE int __##one##2int_ru(H a) { return __float2int_ru(a); }                              \
  __WS_DEVICE unsigned __##one##2uint_rn(H a) { return __float2uint_rn(a); }                       \
  __WS_DEVICE unsigned __##one##2uint_rz(H a) { return __float2uint_rz(a); }                       \
  __WS_DEVICE unsigned __##one##2uint_rd(H a) { return __float2uint_rd(a); }                       \
  __WS_DEVICE unsigned __##one##2uint_ru(H a) { return __float2uint_ru(a); }                       \
  __WS_DEVICE short __##one##2short_rz(H a) { return __ws_clamp(__float2int_rz(a), -32768, 32767); } \
  __WS_DEVICE short __##one##2short_rn(H a) { return __ws_clamp(__float2int_rn(a), -32768, 32767); } \
  __WS_DEVICE unsigned short __##one##2ushort_rz(H a) { return __ws_clamp(__float2int_rz(a), 0, 65535); } \
  __WS_DEVICE unsigned short __##one##2ushort_rn(H a) { return __ws_clamp(__float2int_rn(a), 0, 65535); } \
  __WS_DEVICE H __int2##one##_rn(int a) { return H(__ws_odd_float(a)); }                           \
  __WS_DEVICE H __uint2##one##_rn(unsigned a) { return H(__ws_odd_float(a)); }                     \
  __WS_DEVICE H __short2##one##_rn(short a) { return H((float)a); }                                \
  __WS_DEVICE H __ushort2##one##_rn(unsigned short a) { return H((float)a); }                      \
  __WS_DEVICE H __float2##one##_rn(float a) { return H(a); }                                       \
  __WS_HD H __float2##one(float a) { return H(a); }                                                \
  __WS_HD H __double2##one(double a) { return H((float)a); }                                       \
  __WS_HD float __##one##2float(H a) { return a; }
