// Integer functions of OpenCL C.
#pragma once
#pragma clang system_header

#define __WS_SCALAR1(R, n, T, e) __WS_F R n(T x) { return (R)(e); } __WS_EACH1(R, n, T)
#define __WS_SCALAR2(R, n, T, e) __WS_F R n(T x, T y) { return (R)(e); } __WS_EACH2(R, n, T, T)
#define __WS_SCALAR3(R, n, T, e) __WS_F R n(T x, T y, T z) { return (R)(e); } __WS_EACH3(R, n, T, T, T)
// With a scalar second operand (and third) beside a vector.
#define __WS_SPLAT2(n, T, N) __WS_F T##N n(T##N x, T y) { return n(x, (T##N)(y)); }
#define __WS_SPLAT3(n, T, N) __WS_F T##N n(T##N x, T y, T z) { return n(x, (T##N)(y), (T##N)(z)); }
#define __WS_SPLATS2(n, T) __WS_SPLAT2(n, T, 2) __WS_SPLAT2(n, T, 3) __WS_SPLAT2(n, T, 4) __WS_SPLAT2(n, T, 8) __WS_SPLAT2(n, T, 16)
#define __WS_SPLATS3(n, T) __WS_SPLAT3(n, T, 2) __WS_SPLAT3(n, T, 3) __WS_SPLAT3(n, T, 4) __WS_SPLAT3(n, T, 8) __WS_SPLAT3(n, T, 16)

#define __WS_ORDER(T)                                                                              \
  __WS_SCALAR2(T, min, T, y < x ? y : x) __WS_SPLATS2(min, T)                                      \
  __WS_SCALAR2(T, max, T, x < y ? y : x) __WS_SPLATS2(max, T)                                      \
  __WS_SCALAR3(T, clamp, T, min(max(x, y), z)) __WS_SPLATS3(clamp, T)
__WS_INTEGERS(__WS_ORDER)

#define __WS_ABS(S, U)                                                                             \
  __WS_SCALAR1(U, abs, S, x < 0 ? -(U)x : (U)x)                                                    \
  __WS_SCALAR1(U, abs, U, x)                                                                       \
  __WS_SCALAR2(U, abs_diff, S, x < y ? (U)y - (U)x : (U)x - (U)y)                                  \
  __WS_SCALAR2(U, abs_diff, U, x < y ? y - x : x - y)
__WS_ABS(char, uchar)
__WS_ABS(short, ushort)
__WS_ABS(int, uint)
__WS_ABS(long, ulong)

// Sums that would overflow, and counts.
#define __WS_BITS_OF(T, U, B)                                                                      \
  __WS_SCALAR2(T, hadd, T, (x & y) + ((x ^ y) >> 1))                                               \
  __WS_SCALAR2(T, rhadd, T, (x | y) - ((x ^ y) >> 1))                                              \
  __WS_SCALAR2(T, rotate, T, (U)x << ((U)y & (B - 1)) | (U)x >> ((B - ((U)y & (B - 1))) & (B - 1)))
__WS_BITS_OF(char, uchar, 8)
__WS_BITS_OF(uchar, uchar, 8)
__WS_BITS_OF(short, ushort, 16)
__WS_BITS_OF(ushort, ushort, 16)
__WS_BITS_OF(int, uint, 32)
__WS_BITS_OF(uint, uint, 32)
__WS_BITS_OF(long, ulong, 64)
__WS_BITS_OF(ulong, ulong, 64)

#define __WS_COUNT(T, U, B)                                                                        \
  __WS_SCALAR1(T, popcount, T, __builtin_popcount((U)x))                                           \
  __WS_SCALAR1(T, clz, T, (U)x == 0 ? B : __builtin_clz((uint)(U)x) - (32 - B))
__WS_COUNT(char, uchar, 8)
__WS_COUNT(uchar, uchar, 8)
__WS_COUNT(short, ushort, 16)
__WS_COUNT(ushort, ushort, 16)
__WS_COUNT(int, uint, 32)
__WS_COUNT(uint, uint, 32)
#define __WS_COUNT64(T)                                                                            \
  __WS_SCALAR1(T, popcount, T, __builtin_popcountl((ulong)x))                                      \
  __WS_SCALAR1(T, clz, T, (ulong)x == 0 ? 64 : __builtin_clzl((ulong)x))
__WS_COUNT64(long)
__WS_COUNT64(ulong)

// Products: the high half, 24 bits, with a sum; sums and differences that saturate.
#define __WS_HIGH(T, W, B) __WS_SCALAR2(T, mul_hi, T, ((W)x * (W)y) >> B) __WS_SCALAR3(T, mad_hi, T, mul_hi(x, y) + z)
__WS_HIGH(char, int, 8)
__WS_HIGH(uchar, uint, 8)
__WS_HIGH(short, int, 16)
__WS_HIGH(ushort, uint, 16)
__WS_HIGH(int, long, 32)
__WS_HIGH(uint, ulong, 32)
__WS_SCALAR2(long, mul_hi, long, __nvvm_mulhi_ll(x, y))
// The builtin without sign takes 128 bits here: a negative factor of the signed product lacks the other factor.
__WS_SCALAR2(ulong, mul_hi, ulong, (ulong)__nvvm_mulhi_ll((long)x, (long)y) + ((long)x < 0 ? y : 0) + ((long)y < 0 ? x : 0))
__WS_SCALAR3(long, mad_hi, long, mul_hi(x, y) + z)
__WS_SCALAR3(ulong, mad_hi, ulong, mul_hi(x, y) + z)
__WS_SCALAR2(int, mul24, int, __nvvm_mul24_i(x, y))
__WS_SCALAR2(uint, mul24, uint, __nvvm_mul24_ui(x, y))
__WS_SCALAR3(int, mad24, int, __nvvm_mul24_i(x, y) + z)
__WS_SCALAR3(uint, mad24, uint, __nvvm_mul24_ui(x, y) + z)

#define __WS_NARROW_SAT(T, lo, hi)                                                                 \
  __WS_SCALAR2(T, add_sat, T, min(max((int)x + (int)y, lo), hi))                                   \
  __WS_SCALAR2(T, sub_sat, T, min(max((int)x - (int)y, lo), hi))
__WS_NARROW_SAT(char, -128, 127)
__WS_NARROW_SAT(uchar, 0, 255)
__WS_NARROW_SAT(short, -32768, 32767)
__WS_NARROW_SAT(ushort, 0, 65535)
#define __WS_WIDE_SAT(T, U, B)                                                                     \
  __WS_F T __ws_limit(T x) { return (T)(((U)x >> (B - 1)) + (((U)1 << (B - 1)) - 1)); }            \
  __WS_F T add_sat(T x, T y) { T r = (T)((U)x + (U)y); return ((x ^ r) & (y ^ r)) < 0 ? __ws_limit(x) : r; } \
  __WS_F T sub_sat(T x, T y) { T r = (T)((U)x - (U)y); return ((x ^ y) & (x ^ r)) < 0 ? __ws_limit(x) : r; } \
  __WS_F U add_sat(U x, U y) { U r = x + y; return r < x ? ~(U)0 : r; }                            \
  __WS_F U sub_sat(U x, U y) { return x < y ? 0 : x - y; }                                         \
  __WS_EACH2(T, add_sat, T, T) __WS_EACH2(T, sub_sat, T, T) __WS_EACH2(U, add_sat, U, U) __WS_EACH2(U, sub_sat, U, U)
__WS_WIDE_SAT(int, uint, 32)
__WS_WIDE_SAT(long, ulong, 64)

#define __WS_UPSAMPLE(R, T, U, B) __WS_F R upsample(T x, U y) { return (R)((R)x << B | y); } __WS_EACH2(R, upsample, T, U)
__WS_UPSAMPLE(short, char, uchar, 8)
__WS_UPSAMPLE(ushort, uchar, uchar, 8)
__WS_UPSAMPLE(int, short, ushort, 16)
__WS_UPSAMPLE(uint, ushort, ushort, 16)
__WS_UPSAMPLE(long, int, uint, 32)
__WS_UPSAMPLE(ulong, uint, uint, 32)
