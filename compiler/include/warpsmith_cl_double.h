// Functions of doubles of OpenCL C, by routines that are called (lower/f64); vectors are generated. Accuracy: docs/opencl-accuracy.md.
#pragma once

#define __WS_R1(n)                                                                                 \
  double __ws_f64_##n(double) __attribute__((const));                                              \
  __WS_F double n(double x) { return __ws_f64_##n(x); }
#define __WS_R2(n)                                                                                 \
  double __ws_f64_##n(double, double) __attribute__((const));                                      \
  __WS_F double n(double x, double y) { return __ws_f64_##n(x, y); }
__WS_R1(sin)
__WS_R1(cos)
__WS_R1(tan)
__WS_R1(asin)
__WS_R1(acos)
__WS_R1(atan)
__WS_R1(sinh)
__WS_R1(cosh)
__WS_R1(tanh)
__WS_R1(asinh)
__WS_R1(acosh)
__WS_R1(atanh)
__WS_R1(exp)
__WS_R1(exp2)
__WS_R1(exp10)
__WS_R1(expm1)
__WS_R1(log)
__WS_R1(log2)
__WS_R1(log10)
__WS_R1(log1p)
__WS_R1(cbrt)
__WS_R1(round)
__WS_R1(sinpi)
__WS_R1(cospi)
__WS_R1(erf)
__WS_R1(erfc)
__WS_R1(tgamma)
__WS_R1(lgamma)
__WS_R2(atan2)
__WS_R2(pow)
__WS_R2(hypot)
__WS_R2(fmod)
__WS_R2(remainder)
__WS_R2(nextafter)
#undef __WS_R1
#undef __WS_R2
double __ws_f64_ldexp(double, int) __attribute__((const));
double __ws_f64_rootn(double, int) __attribute__((const));
double __ws_f64_fraction(double) __attribute__((const));
int __ws_f64_exponent(double) __attribute__((const));
int __ws_f64_quotient(double, double) __attribute__((const));
int __ws_f64_gamma_sign(double) __attribute__((const));

#define __WS_E1(n, e) __WS_F double n(double x) { return e; }
#define __WS_E2(n, e) __WS_F double n(double x, double y) { return e; }
#define __WS_E3(n, e) __WS_F double n(double x, double y, double z) { return e; }
#define __WS_INFINITE __builtin_inf()
#define __WS_NO_NUMBER as_double(0x7ff8000000000000ul)
__WS_E1(fabs, __builtin_fabs(x))
__WS_E1(floor, __builtin_floor(x))
__WS_E1(ceil, __builtin_ceil(x))
__WS_E1(trunc, __builtin_trunc(x))
__WS_E1(rint, __builtin_rint(x))
__WS_E1(sqrt, __builtin_sqrt(x))
__WS_E1(rsqrt, 1.0 / __builtin_sqrt(x))
__WS_E1(tanpi, sinpi(x) / cospi(x))
__WS_E1(asinpi, asin(x) * 0.31830988618379067)
__WS_E1(acospi, acos(x) * 0.31830988618379067)
__WS_E1(atanpi, atan(x) * 0.31830988618379067)
__WS_E2(atan2pi, atan2(x, y) * 0.31830988618379067)
__WS_E2(copysign, as_double((as_ulong(x) & (ulong)LONG_MAX) | (as_ulong(y) & (ulong)LONG_MIN)))
__WS_E2(fmin, __builtin_fmin(x, y))
__WS_E2(fmax, __builtin_fmax(x, y))
__WS_E2(min, __builtin_fmin(x, y))
__WS_E2(max, __builtin_fmax(x, y))
__WS_E3(clamp, __builtin_fmin(__builtin_fmax(x, y), z))
__WS_E2(fdim, x > y ? x - y : (x != x || y != y) ? x + y : 0.0)
__WS_E2(maxmag, fabs(x) > fabs(y) ? x : fabs(y) > fabs(x) ? y : fmax(x, y))
__WS_E2(minmag, fabs(x) < fabs(y) ? x : fabs(y) < fabs(x) ? y : fmin(x, y))
__WS_E3(fma, __builtin_fma(x, y, z))
__WS_E3(mad, __builtin_fma(x, y, z))
// What pow makes 1 although its logarithm is none.
__WS_E2(powr, !(x >= 0.0) || y != y || (y == 0.0 && (x == 0.0 || x == __WS_INFINITE)) || (x == 1.0 && fabs(y) == __WS_INFINITE)
                ? __WS_NO_NUMBER : pow(fabs(x), y))
__WS_F double pown(double x, int n) { return pow(x, (double)n); }
__WS_F double rootn(double x, int n) { return __ws_f64_rootn(x, n); }
__WS_F double ldexp(double x, int n) { return __ws_f64_ldexp(x, n); }
__WS_F int ilogb(double x) {
  return x == 0.0 ? INT_MIN : !(fabs(x) < __WS_INFINITE) ? INT_MAX : __ws_f64_exponent(x) - 1;
}
__WS_E1(logb, x == 0.0 ? -__WS_INFINITE : !(fabs(x) < __WS_INFINITE) ? fabs(x) : __ws_f64_exponent(x) - 1.0)
__WS_F double nan(ulong x) { return as_double(0x7ff8000000000000ul | (x & 0x7fffffffffffful)); }

// A second result through a pointer.
#define __WS_DOUBLE_POINTERS(A)                                                                    \
  __WS_F double sincos(double x, A double *c) { *c = cos(x); return sin(x); }                      \
  __WS_F double fract(double x, A double *whole) {                                                 \
    double w = floor(x);                                                                           \
    *whole = w;                                                                                    \
    return fabs(x) == __WS_INFINITE ? copysign(0.0, x) : x != x ? x : copysign(fmin(x - w, 0x1.fffffffffffffp-1), x == 0.0 ? x : 1.0); \
  }                                                                                                \
  __WS_F double modf(double x, A double *whole) {                                                  \
    double w = trunc(x);                                                                           \
    *whole = w;                                                                                    \
    return copysign(fabs(x) == __WS_INFINITE ? 0.0 : x - w, x);                                    \
  }                                                                                                \
  __WS_F double frexp(double x, A int *n) { *n = __ws_f64_exponent(x); return __ws_f64_fraction(x); } \
  __WS_F double remquo(double x, double y, A int *n) { *n = __ws_f64_quotient(x, y); return remainder(x, y); } \
  __WS_F double lgamma_r(double x, A int *sign) { *sign = __ws_f64_gamma_sign(x); return lgamma(x); }
__WS_DOUBLE_POINTERS(__global)
__WS_DOUBLE_POINTERS(__local)
__WS_DOUBLE_POINTERS(__private)

// Common and geometric functions.
__WS_E1(degrees, x * 57.295779513082321)
__WS_E1(radians, x * 0.017453292519943295)
__WS_E1(sign, x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x == x ? x : 0.0)
__WS_E3(mix, x + (y - x) * z)
__WS_E2(step, y < x ? 0.0 : 1.0)
__WS_F double __ws_smooth(double a, double b, double x) {
  double t = fmin(fmax((x - a) / (b - a), 0.0), 1.0);
  return t * t * (3.0 - 2.0 * t);
}
__WS_E3(smoothstep, __ws_smooth(x, y, z))
__WS_F double dot(double a, double b) { return a * b; }
__WS_F double dot(double2 a, double2 b) { return a.x * b.x + a.y * b.y; }
__WS_F double dot(double3 a, double3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__WS_F double dot(double4 a, double4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__WS_F double3 cross(double3 a, double3 b) { return (double3)(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
__WS_F double4 cross(double4 a, double4 b) {
  return (double4)(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x, 0.0);
}
// The largest magnitude, infinite beside NaN.
__WS_F double __ws_most(double a) { return fabs(a); }
__WS_F double __ws_most(double2 a) { return fmax(fabs(a.x), fabs(a.y)); }
__WS_F double __ws_most(double3 a) { return fmax(__ws_most(a.xy), fabs(a.z)); }
__WS_F double __ws_most(double4 a) { return fmax(__ws_most(a.lo), __ws_most(a.hi)); }
// 1 of its sign where a number is infinite, else 0 or NaN.
__WS_F double __ws_infinite(double x) { return fabs(x) == __WS_INFINITE ? copysign(1.0, x) : 0.0 * x; }
__WS_F double2 __ws_infinite(double2 a) { return (double2)(__ws_infinite(a.x), __ws_infinite(a.y)); }
__WS_F double3 __ws_infinite(double3 a) { return (double3)(__ws_infinite(a.xy), __ws_infinite(a.z)); }
__WS_F double4 __ws_infinite(double4 a) { return (double4)(__ws_infinite(a.lo), __ws_infinite(a.hi)); }
// Scaled in two steps: the factor of the least numbers is beyond the largest.
__WS_F double __ws_half_scale(int e) { return __ws_f64_ldexp(1.0, e / 2); }
#define __WS_DOUBLE_LENGTH(T)                                                                      \
  __WS_F T __ws_scaled(T a, int e) { return a * __ws_half_scale(-e) * __ws_f64_ldexp(1.0, e / 2 - e); } \
  __WS_F double length(T a) {                                                                      \
    double m = __ws_most(a);                                                                       \
    int e = __ws_f64_exponent(m);                                                                  \
    T s = __ws_scaled(a, e);                                                                       \
    return m == __WS_INFINITE ? m : __ws_f64_ldexp(__builtin_sqrt(dot(s, s)), e);                  \
  }                                                                                                \
  __WS_F double distance(T a, T b) { return length(a - b); }                                       \
  __WS_F T normalize(T a) {                                                                        \
    double m = __ws_most(a);                                                                       \
    T s = m == __WS_INFINITE ? __ws_infinite(a) : __ws_scaled(a, __ws_f64_exponent(m));            \
    double d = dot(s, s);                                                                          \
    return d == 0.0 ? a : s / __builtin_sqrt(d);                                                   \
  }
__WS_DOUBLE_LENGTH(double)
__WS_DOUBLE_LENGTH(double2)
__WS_DOUBLE_LENGTH(double3)
__WS_DOUBLE_LENGTH(double4)

// Relations: 1 or 0 of scalars, -1 or 0 of vectors.
#define __WS_DREL_N(n, N) __WS_F long##N n(double##N x, double##N y) { return __ws_##n(x, y); }
#define __WS_DRELATION(n) __WS_F int n(double x, double y) { return __ws_##n(x, y); } __WS_WIDTHS(__WS_DREL_N, n)
__WS_DRELATION(isequal)
__WS_DRELATION(isnotequal)
__WS_DRELATION(isgreater)
__WS_DRELATION(isgreaterequal)
__WS_DRELATION(isless)
__WS_DRELATION(islessequal)
__WS_DRELATION(islessgreater)
__WS_DRELATION(isordered)
__WS_DRELATION(isunordered)
#define __WS_DCLASS_N(n, N) __WS_F long##N n(double##N x) { return __ws_double_##n(x, N); }
#define __WS_DCLASS(n) __WS_F int n(double x) { return __ws_double_##n(x, ); } __WS_WIDTHS(__WS_DCLASS_N, n)
#define __ws_double_isnan(x, N) ((as_ulong##N(x) & 0x7ffffffffffffffful) > 0x7ff0000000000000ul)
#define __ws_double_isinf(x, N) ((as_ulong##N(x) & 0x7ffffffffffffffful) == 0x7ff0000000000000ul)
#define __ws_double_isfinite(x, N) ((as_ulong##N(x) & 0x7ff0000000000000ul) != 0x7ff0000000000000ul)
#define __ws_double_isnormal(x, N) ((as_ulong##N(x) & 0x7ffffffffffffffful) - 0x10000000000000ul < 0x7fe0000000000000ul)
__WS_DCLASS(isnan)
__WS_DCLASS(isinf)
__WS_DCLASS(isfinite)
__WS_DCLASS(isnormal)
__WS_F int signbit(double x) { return as_ulong(x) >> 63; }
#define __WS_DSIGN_N(a, N) __WS_F long##N signbit(double##N x) { return as_long##N(x) >> 63; }
__WS_WIDTHS(__WS_DSIGN_N, )
__WS_SELECT(double, long)
__WS_SELECT(double, ulong)
__WS_F double bitselect(double a, double b, double c) { return as_double(bitselect(as_ulong(a), as_ulong(b), as_ulong(c))); }
#define __WS_BITSELECT_DOUBLE(a, N)                                                                \
  __WS_F double##N bitselect(double##N x, double##N y, double##N z) {                              \
    return as_double##N(bitselect(as_ulong##N(x), as_ulong##N(y), as_ulong##N(z)));                \
  }
__WS_WIDTHS(__WS_BITSELECT_DOUBLE, )
__WS_SHUFFLES(double, ulong)

// Conversions with a rounding; integers are clamped, NaN apart.
#define __WS_PTX(n, op, R, r, A, a)                                                                \
  __WS_F R n(A x) {                                                                                \
    R y;                                                                                           \
    __asm__(op " %0, %1;" : r(y) : a(x));                                                          \
    return y;                                                                                      \
  }
#define __WS_DOUBLE_ROUNDING(m, p, i)                                                              \
  __WS_PTX(__ws_int##m, "cvt." i ".s32.f64", int, "=r", double, "d")                               \
  __WS_PTX(__ws_uint##m, "cvt." i ".u32.f64", uint, "=r", double, "d")                             \
  __WS_PTX(__ws_long##m, "cvt." i ".s64.f64", long, "=l", double, "d")                             \
  __WS_PTX(__ws_ulong##m, "cvt." i ".u64.f64", ulong, "=l", double, "d")                           \
  __WS_PTX(__ws_float##m, "cvt." p ".f32.f64", float, "=f", double, "d")                           \
  __WS_PTX(__ws_double##m, "cvt." p ".f64.s64", double, "=d", long, "l")                           \
  __WS_PTX(__ws_double##m, "cvt." p ".f64.u64", double, "=d", ulong, "l")                          \
  __WS_F char __ws_char##m(double x) { return (char)clamp(__ws_int##m(x), -128, 127); }            \
  __WS_F uchar __ws_uchar##m(double x) { return (uchar)clamp(__ws_int##m(x), 0, 255); }            \
  __WS_F short __ws_short##m(double x) { return (short)clamp(__ws_int##m(x), -32768, 32767); }     \
  __WS_F ushort __ws_ushort##m(double x) { return (ushort)clamp(__ws_int##m(x), 0, 65535); }
__WS_DOUBLE_ROUNDING(_rte, "rn", "rni")
__WS_DOUBLE_ROUNDING(_rtz, "rz", "rzi")
__WS_DOUBLE_ROUNDING(_rtp, "rp", "rpi")
__WS_DOUBLE_ROUNDING(_rtn, "rm", "rmi")

// Halves by floats whose last bit says that something was lost: any rounding of them is that of the double.
__WS_F float __ws_odd(double x) {
  float y = __ws_float_rtz(x);
  return x == x && (double)y != x ? as_float(as_uint(y) | 1) : y;
}
__WS_F float2 __ws_odd(double2 v) { return (float2)(__ws_odd(v.x), __ws_odd(v.y)); }
__WS_F float3 __ws_odd(double3 v) { return (float3)(__ws_odd(v.xy), __ws_odd(v.z)); }
__WS_F float4 __ws_odd(double4 v) { return (float4)(__ws_odd(v.lo), __ws_odd(v.hi)); }
__WS_F float8 __ws_odd(double8 v) { return (float8)(__ws_odd(v.lo), __ws_odd(v.hi)); }
__WS_F float16 __ws_odd(double16 v) { return (float16)(__ws_odd(v.lo), __ws_odd(v.hi)); }
#define __WS_DOUBLE_HALF_N(A, m, N)                                                                \
  __WS_F void vstore_half##N##m(double##N v, size_t i, A half *p) { vstore_half##N##m(__ws_odd(v), i, p); } \
  __WS_F void vstorea_half##N##m(double##N v, size_t i, A half *p) { vstorea_half##N##m(__ws_odd(v), i, p); }
#define __WS_DOUBLE_HALF(A, m)                                                                     \
  __WS_F void vstore_half##m(double v, size_t i, A half *p) { vstore_half##m(__ws_odd(v), i, p); } \
  __WS_DOUBLE_HALF_N(A, m, 2) __WS_DOUBLE_HALF_N(A, m, 3) __WS_DOUBLE_HALF_N(A, m, 4)              \
  __WS_DOUBLE_HALF_N(A, m, 8) __WS_DOUBLE_HALF_N(A, m, 16)
#define __WS_DOUBLE_HALVES(A)                                                                      \
  __WS_DOUBLE_HALF(A, ) __WS_DOUBLE_HALF(A, _rte) __WS_DOUBLE_HALF(A, _rtz) __WS_DOUBLE_HALF(A, _rtp) __WS_DOUBLE_HALF(A, _rtn)
__WS_DOUBLE_HALVES(__global)
__WS_DOUBLE_HALVES(__local)
__WS_DOUBLE_HALVES(__private)
