// Floats of 64 bits of CUDA C, by routines (lower/f64): the functions of math.h, and intrinsics. Read where a program has
// doubles; constants without suffix are doubles then.
#pragma once
#pragma clang system_header

#define __WS_D1(n)                                                                                 \
  extern "C" __device__ __attribute__((const)) double __ws_f64_##n(double);                        \
  __WS_DEVICE double n(double x) { return __ws_f64_##n(x); }                                       \
  __WS_OF_INTEGERS(n)
#define __WS_D2(n)                                                                                 \
  extern "C" __device__ __attribute__((const)) double __ws_f64_##n(double, double);                \
  __WS_DEVICE double n(double x, double y) { return __ws_f64_##n(x, y); }                          \
  __WS_OF_TWO(n)
// What is an instruction, or a few.
#define __WS_E1(n, e)                                                                              \
  __WS_DEVICE double n(double x) { return e; }                                                     \
  __WS_OF_INTEGERS(n)
#define __WS_E2(n, e)                                                                              \
  __WS_DEVICE double n(double x, double y) { return e; }                                           \
  __WS_OF_TWO(n)
// An integer argument means its double.
#define __WS_OF_INTEGERS(n)                                                                        \
  __WS_OF_INTEGER(n, int)                                                                          \
  __WS_OF_INTEGER(n, unsigned)                                                                     \
  __WS_OF_INTEGER(n, long)                                                                         \
  __WS_OF_INTEGER(n, unsigned long)                                                                \
  __WS_OF_INTEGER(n, long long)                                                                    \
  __WS_OF_INTEGER(n, unsigned long long)
#define __WS_OF_INTEGER(n, T) __WS_DEVICE double n(T i) { return n((double)i); }
// Two arguments of different types, or of integers.
#define __WS_OF_TWO(n)                                                                             \
  template <class A, class B> __WS_DEVICE __ws_wider<A, B> n(A a, B b) { return n((double)a, (double)b); }

__WS_D1(sin)
__WS_D1(cos)
__WS_D1(tan)
__WS_D1(asin)
__WS_D1(acos)
__WS_D1(atan)
__WS_D2(atan2)
__WS_D1(sinh)
__WS_D1(cosh)
__WS_D1(tanh)
__WS_D1(asinh)
__WS_D1(acosh)
__WS_D1(atanh)
__WS_D1(exp)
__WS_D1(exp2)
__WS_D1(exp10)
__WS_D1(expm1)
__WS_D1(log)
__WS_D1(log2)
__WS_D1(log10)
__WS_D1(log1p)
__WS_D1(cbrt)
__WS_D1(round)
__WS_D1(sinpi)
__WS_D1(cospi)
__WS_D1(erf)
__WS_D1(erfc)
__WS_D1(tgamma)
__WS_D1(lgamma)
__WS_D2(pow)
__WS_D2(hypot)
__WS_D2(fmod)
__WS_D2(remainder)
__WS_D2(nextafter)
__WS_E1(sqrt, __builtin_sqrt(x))
__WS_E1(rsqrt, 1.0 / __builtin_sqrt(x))
__WS_E1(rcbrt, 1.0 / cbrt(x))
__WS_E1(fabs, __builtin_fabs(x))
__WS_E1(floor, __builtin_floor(x))
__WS_E1(ceil, __builtin_ceil(x))
__WS_E1(trunc, __builtin_trunc(x))
__WS_E1(rint, __builtin_rint(x))
__WS_E1(nearbyint, __builtin_rint(x))
__WS_E2(fmin, __builtin_fmin(x, y))
__WS_E2(fmax, __builtin_fmax(x, y))
__WS_E2(fdim, x > y ? x - y : (x != x || y != y) ? x + y : 0.0)
__WS_E2(copysign, __builtin_copysign(x, y))
__WS_DEVICE double abs(double x) { return __builtin_fabs(x); }
__WS_DEVICE double pow(double x, int n) { return pow(x, (double)n); }
__WS_DEVICE double powi(double x, int n) { return pow(x, (double)n); }
__WS_DEVICE double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
__WS_DEVICE void sincos(double x, double *s, double *c) { *s = sin(x), *c = cos(x); }
extern "C" __device__ __attribute__((const)) double __ws_f64_ldexp(double, int);
extern "C" __device__ __attribute__((const)) double __ws_f64_fraction(double);
extern "C" __device__ __attribute__((const)) int __ws_f64_exponent(double);
extern "C" __device__ __attribute__((const)) int __ws_f64_quotient(double, double);
__WS_DEVICE double remquo(double x, double y, int *n) { return *n = __ws_f64_quotient(x, y), remainder(x, y); }
__WS_DEVICE double ldexp(double x, int n) { return __ws_f64_ldexp(x, n); }
__WS_DEVICE double scalbn(double x, int n) { return __ws_f64_ldexp(x, n); }
__WS_DEVICE double frexp(double x, int *n) { return *n = __ws_f64_exponent(x), __ws_f64_fraction(x); }
__WS_DEVICE double modf(double x, double *whole) {
  *whole = trunc(x);
  return copysign(__builtin_isinf(x) ? 0.0 : x - *whole, x);
}
__WS_DEVICE int ilogb(double x) {
  return x == 0 || x != x ? -2147483647 - 1 : __builtin_isinf(x) ? 2147483647 : __ws_f64_exponent(x) - 1;
}
__WS_DEVICE double logb(double x) {
  return x == 0 ? -__builtin_inf() : __builtin_isinf(x) ? __builtin_inf() : x != x ? x : __ws_f64_exponent(x) - 1.0;
}
__WS_DEVICE int lrint(double x) { return (int)__builtin_rint(x); }
__WS_DEVICE int lround(double x) { return (int)round(x); }
__WS_DEVICE long long llrint(double x) { return (long long)__builtin_rint(x); }
__WS_DEVICE long long llround(double x) { return (long long)round(x); }
__WS_DEVICE bool isnan(double x) { return x != x; }
__WS_DEVICE bool isinf(double x) { return __builtin_fabs(x) == __builtin_inf(); }
__WS_DEVICE bool isfinite(double x) { return __builtin_fabs(x) < __builtin_inf(); }
__WS_DEVICE bool signbit(double x) { return __builtin_bit_cast(unsigned long long, x) >> 63; }
#undef __WS_D1
#undef __WS_D2
#undef __WS_E1
#undef __WS_E2

// Bits.
__WS_DEVICE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
__WS_DEVICE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
__WS_DEVICE int __double2hiint(double x) { return (int)(__builtin_bit_cast(unsigned long long, x) >> 32); }
__WS_DEVICE int __double2loint(double x) { return (int)__builtin_bit_cast(unsigned long long, x); }
__WS_DEVICE double __hiloint2double(int high, int low) {
  return __builtin_bit_cast(double, (unsigned long long)(unsigned)high << 32 | (unsigned)low);
}

// Arithmetic and conversions with a rounding: rn, rz, rd and ru are rn, rz, rm and rp of PTX.
#define __WS_PTX1(n, op, R, r, A, a)                                                               \
  __WS_DEVICE R n(A x) {                                                                           \
    R y;                                                                                           \
    __asm__(op " %0, %1;" : r(y) : a(x));                                                          \
    return y;                                                                                      \
  }
#define __WS_PTX2(n, op)                                                                           \
  __WS_DEVICE double n(double x, double y) {                                                       \
    double z;                                                                                      \
    __asm__(op ".f64 %0, %1, %2;" : "=d"(z) : "d"(x), "d"(y));                                     \
    return z;                                                                                      \
  }
#define __WS_ROUNDINGS(c, p, i)                                                                    \
  __WS_PTX2(__dadd_##c, "add." p)                                                                  \
  __WS_PTX2(__dsub_##c, "sub." p)                                                                  \
  __WS_PTX2(__dmul_##c, "mul." p)                                                                  \
  __WS_PTX2(__ddiv_##c, "div." p)                                                                  \
  __WS_PTX1(__dsqrt_##c, "sqrt." p ".f64", double, "=d", double, "d")                              \
  __WS_PTX1(__drcp_##c, "rcp." p ".f64", double, "=d", double, "d")                                \
  __WS_DEVICE double __fma_##c(double x, double y, double z) {                                     \
    double w;                                                                                      \
    __asm__("fma." p ".f64 %0, %1, %2, %3;" : "=d"(w) : "d"(x), "d"(y), "d"(z));                   \
    return w;                                                                                      \
  }                                                                                                \
  __WS_PTX1(__double2float_##c, "cvt." p ".f32.f64", float, "=f", double, "d")                     \
  __WS_PTX1(__double2int_##c, "cvt." i ".s32.f64", int, "=r", double, "d")                         \
  __WS_PTX1(__double2uint_##c, "cvt." i ".u32.f64", unsigned, "=r", double, "d")                   \
  __WS_PTX1(__double2ll_##c, "cvt." i ".s64.f64", long long, "=l", double, "d")                    \
  __WS_PTX1(__double2ull_##c, "cvt." i ".u64.f64", unsigned long long, "=l", double, "d")          \
  __WS_PTX1(__ll2double_##c, "cvt." p ".f64.s64", double, "=d", long long, "l")                    \
  __WS_PTX1(__ull2double_##c, "cvt." p ".f64.u64", double, "=d", unsigned long long, "l")
__WS_ROUNDINGS(rn, "rn", "rni")
__WS_ROUNDINGS(rz, "rz", "rzi")
__WS_ROUNDINGS(rd, "rm", "rmi")
__WS_ROUNDINGS(ru, "rp", "rpi")
__WS_DEVICE double __int2double_rn(int x) { return x; }
__WS_DEVICE double __uint2double_rn(unsigned x) { return x; }
#undef __WS_ROUNDINGS
#undef __WS_PTX1
#undef __WS_PTX2
