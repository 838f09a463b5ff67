// Integer functions of OpenCL C.
#pragma once

#define __WS_SCALAR1(R, n, T, e) __WS_F R n(T x) { return (R)(e); }
#define __WS_SCALAR2(R, n, T, e) __WS_F R n(T x, T y) { return (R)(e); }
#define __WS_SCALAR3(R, n, T, e) __WS_F R n(T x, T y, T z) { return (R)(e); }

#define __WS_ORDER(T)                                                                              \
  __WS_SCALAR2(T, min, T, y < x ? y : x)                                                           \
  __WS_SCALAR2(T, max, T, x < y ? y : x)                                                           \
  __WS_SCALAR3(T, clamp, T, min(max(x, y), z))
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
// clang's built-ins for these take 128 bits in OpenCL C.
#define __WS_HIGH64(T, type)                                                                       \
  __WS_F T mul_hi(T x, T y) {                                                                      \
    T r;                                                                                           \
    __asm__("mul.hi." type " %0, %1, %2;" : "=l"(r) : "l"(x), "l"(y));                             \
    return r;                                                                                      \
  }
__WS_HIGH64(long, "s64")
__WS_HIGH64(ulong, "u64")
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
  __WS_F U sub_sat(U x, U y) { return x < y ? 0 : x - y; }
__WS_WIDE_SAT(int, uint, 32)
__WS_WIDE_SAT(long, ulong, 64)

#define __WS_UPSAMPLE(R, T, U, B) __WS_F R upsample(T x, U y) { return (R)((R)x << B | y); }
__WS_UPSAMPLE(short, char, uchar, 8)
__WS_UPSAMPLE(ushort, uchar, uchar, 8)
__WS_UPSAMPLE(int, short, ushort, 16)
__WS_UPSAMPLE(uint, ushort, ushort, 16)
__WS_UPSAMPLE(long, int, uint, 32)
__WS_UPSAMPLE(ulong, uint, uint, 32)

// Products and sums that saturate: exact in a type of twice the size.
#define __WS_MAD_SAT(T, W, lo, hi) __WS_SCALAR3(T, mad_sat, T, min(max((W)x * (W)y + (W)z, (W)(lo)), (W)(hi)))
__WS_MAD_SAT(char, int, SCHAR_MIN, SCHAR_MAX)
__WS_MAD_SAT(uchar, uint, 0, UCHAR_MAX)
__WS_MAD_SAT(short, long, SHRT_MIN, SHRT_MAX)
__WS_MAD_SAT(ushort, ulong, 0, USHRT_MAX)
__WS_MAD_SAT(int, long, INT_MIN, INT_MAX)
__WS_MAD_SAT(uint, ulong, 0, UINT_MAX)
__WS_SCALAR3(ulong, mad_sat, ulong, mul_hi(x, y) != 0 ? ULONG_MAX : add_sat(x * y, z))
// The sum of the 128 bits of the product and z fits 64 bits when its high half is the sign of its low half.
__WS_F long mad_sat(long x, long y, long z) {
  ulong low = (ulong)x * (ulong)y, sum = low + (ulong)z;
  long high = mul_hi(x, y) + (z >> 63) + (sum < low);
  return high == (long)sum >> 63 ? (long)sum : __ws_limit(high);
}
