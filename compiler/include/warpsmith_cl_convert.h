// convert_TYPE, with _sat and rounding: floats to integers by _rtz unless said otherwise, integers to floats by _rte.
#pragma once
#pragma clang system_header

#define __WS_CONVERT_N(T, S, N) __WS_F T##N convert_##T##N(S##N x) { return __builtin_convertvector(x, T##N); }
#define __WS_CONVERT(T, S)                                                                         \
  __WS_F T convert_##T(S x) { return (T)x; }                                                       \
  __WS_CONVERT_N(T, S, 2) __WS_CONVERT_N(T, S, 3) __WS_CONVERT_N(T, S, 4) __WS_CONVERT_N(T, S, 8) __WS_CONVERT_N(T, S, 16)
#define __WS_CONVERT_TO(T)                                                                         \
  __WS_CONVERT(T, char) __WS_CONVERT(T, uchar) __WS_CONVERT(T, short) __WS_CONVERT(T, ushort)      \
  __WS_CONVERT(T, int) __WS_CONVERT(T, uint) __WS_CONVERT(T, long) __WS_CONVERT(T, ulong) __WS_CONVERT(T, float)
__WS_TYPES(__WS_CONVERT_TO)

// A rounding of float arguments in front of the conversion to integers.
#define __WS_MODE_N(T, N, m, round)                                                                \
  __WS_F T##N convert_##T##N##m(float##N x) { return convert_##T##N(round(x)); }
#define __WS_MODE(T, m, round)                                                                     \
  __WS_MODE_N(T, , m, round) __WS_MODE_N(T, 2, m, round) __WS_MODE_N(T, 3, m, round)               \
  __WS_MODE_N(T, 4, m, round) __WS_MODE_N(T, 8, m, round) __WS_MODE_N(T, 16, m, round)
#define __WS_MODES(T) __WS_MODE(T, _rte, rint) __WS_MODE(T, _rtz, trunc) __WS_MODE(T, _rtp, ceil) __WS_MODE(T, _rtn, floor)
__WS_INTEGERS(__WS_MODES)

// Integers to float: to nearest, or towards zero.
#define __WS_TO_FLOAT(S, f)                                                                        \
  __WS_F float convert_float_rte(S x) { return (float)x; }                                         \
  __WS_EACH_NAMED(float, convert_float, _rte, S)                                                   \
  __WS_F float convert_float_rtz(S x) { return f(x); }                                             \
  __WS_EACH_NAMED(float, convert_float, _rtz, S)
#define __WS_EACH_NAMED(R, n, m, T)                                                                \
  __WS_F R##2 n##2##m(T##2 x) { return (R##2)(n##m(x.x), n##m(x.y)); }                             \
  __WS_F R##3 n##3##m(T##3 x) { return (R##3)(n##m(x.x), n##m(x.y), n##m(x.z)); }                  \
  __WS_F R##4 n##4##m(T##4 x) { return (R##4)(n##2##m(x.lo), n##2##m(x.hi)); }                     \
  __WS_F R##8 n##8##m(T##8 x) { return (R##8)(n##4##m(x.lo), n##4##m(x.hi)); }                     \
  __WS_F R##16 n##16##m(T##16 x) { return (R##16)(n##8##m(x.lo), n##8##m(x.hi)); }
// The compiler takes its own built-ins for these as roundings to nearest.
__WS_F float __ws_int_rz(int x) {
  float r;
  __asm__("cvt.rz.f32.s32 %0, %1;" : "=f"(r) : "r"(x));
  return r;
}
__WS_F float __ws_uint_rz(uint x) {
  float r;
  __asm__("cvt.rz.f32.u32 %0, %1;" : "=f"(r) : "r"(x));
  return r;
}
__WS_TO_FLOAT(int, __ws_int_rz)
__WS_TO_FLOAT(uint, __ws_uint_rz)

// Saturation. Wider sources are clamped in their own type; floats clamp in the conversion of the chip, NaN gives 0.
#define __WS_SAT_OF(T, S, e)                                                                       \
  __WS_F T convert_##T##_sat(S x) { return (T)(e); }                                               \
  __WS_EACH_NAMED(T, convert_##T, _sat, S)
#define __WS_LOW(x, lo) (x < (lo) ? (lo) : x)
#define __WS_HIGH_OF(x, hi) (x > (hi) ? (hi) : x)
#define __WS_BOTH(x, lo, hi) (x < (lo) ? (lo) : x > (hi) ? (hi) : x)
#define __WS_SAT_NARROW(T, lo, hi)                                                                 \
  __WS_SAT_OF(T, char, __WS_BOTH((int)x, lo, hi)) __WS_SAT_OF(T, uchar, __WS_BOTH((int)x, lo, hi)) \
  __WS_SAT_OF(T, short, __WS_BOTH((int)x, lo, hi)) __WS_SAT_OF(T, ushort, __WS_BOTH((int)x, lo, hi)) \
  __WS_SAT_OF(T, int, __WS_BOTH(x, lo, hi)) __WS_SAT_OF(T, uint, __WS_HIGH_OF(x, (uint)(hi)))      \
  __WS_SAT_OF(T, long, __WS_BOTH(x, lo, hi)) __WS_SAT_OF(T, ulong, __WS_HIGH_OF(x, (ulong)(hi)))   \
  __WS_SAT_OF(T, float, x != x ? 0 : __WS_BOTH((int)fmin(fmax(x, -65536.0f), 65536.0f), lo, hi))
__WS_SAT_NARROW(char, -128, 127)
__WS_SAT_NARROW(uchar, 0, 255)
__WS_SAT_NARROW(short, -32768, 32767)
__WS_SAT_NARROW(ushort, 0, 65535)
#define __WS_SAT_SMALL(T, e)                                                                       \
  __WS_SAT_OF(T, char, e) __WS_SAT_OF(T, uchar, x) __WS_SAT_OF(T, short, e) __WS_SAT_OF(T, ushort, x)
__WS_SAT_SMALL(int, x)
__WS_SAT_SMALL(uint, __WS_LOW(x, 0))
__WS_SAT_SMALL(long, x)
__WS_SAT_SMALL(ulong, __WS_LOW(x, 0))
__WS_SAT_OF(int, int, x)
__WS_SAT_OF(int, uint, __WS_HIGH_OF(x, 0x7fffffffu))
__WS_SAT_OF(int, long, __WS_BOTH(x, -0x7fffffffL - 1, 0x7fffffffL))
__WS_SAT_OF(int, ulong, __WS_HIGH_OF(x, 0x7fffffffUL))
__WS_SAT_OF(int, float, __nvvm_f2i_rz_ftz(x))
__WS_SAT_OF(uint, int, __WS_LOW(x, 0))
__WS_SAT_OF(uint, uint, x)
__WS_SAT_OF(uint, long, __WS_BOTH(x, 0L, 0xffffffffL))
__WS_SAT_OF(uint, ulong, __WS_HIGH_OF(x, 0xffffffffUL))
__WS_SAT_OF(uint, float, __nvvm_f2ui_rz_ftz(x))
__WS_SAT_OF(long, int, x)
__WS_SAT_OF(long, uint, x)
__WS_SAT_OF(long, long, x)
__WS_SAT_OF(long, ulong, __WS_HIGH_OF(x, 0x7fffffffffffffffUL))
__WS_SAT_OF(ulong, int, __WS_LOW(x, 0))
__WS_SAT_OF(ulong, uint, x)
__WS_SAT_OF(ulong, long, __WS_LOW(x, 0L))
__WS_SAT_OF(ulong, ulong, x)
__WS_SAT_OF(long, float, x != x ? 0 : x >= 9.2233720e18f ? 0x7fffffffffffffffL : x <= -9.2233720e18f ? -0x7fffffffffffffffL - 1 : (long)x)
__WS_SAT_OF(ulong, float, x >= 1.8446744e19f ? ~0UL : x > 0.0f ? (ulong)x : 0UL)
#define __WS_SAT_MODE_N(T, N, m, round)                                                            \
  __WS_F T##N convert_##T##N##_sat##m(float##N x) { return convert_##T##N##_sat(round(x)); }
#define __WS_SAT_MODE(T, m, round)                                                                 \
  __WS_SAT_MODE_N(T, , m, round) __WS_SAT_MODE_N(T, 2, m, round) __WS_SAT_MODE_N(T, 3, m, round)   \
  __WS_SAT_MODE_N(T, 4, m, round) __WS_SAT_MODE_N(T, 8, m, round) __WS_SAT_MODE_N(T, 16, m, round)
#define __WS_SAT_MODES(T)                                                                          \
  __WS_SAT_MODE(T, _rte, rint) __WS_SAT_MODE(T, _rtz, trunc) __WS_SAT_MODE(T, _rtp, ceil) __WS_SAT_MODE(T, _rtn, floor)
__WS_INTEGERS(__WS_SAT_MODES)
