// What conversions of scalars are made of; the functions themselves are generated.
#pragma once

// A float clamped to the values of an integer type, towards zero; NaN gives 0.
#define __WS_SAT_NARROW(T, lo, hi)                                                                 \
  __WS_F T __ws_sat_##T(float x) {                                                                 \
    int n = x != x ? 0 : (int)__builtin_fminf(__builtin_fmaxf(x, -65536.0f), 65536.0f);            \
    return (T)(n < lo ? lo : n > hi ? hi : n);                                                     \
  }
__WS_SAT_NARROW(char, -128, 127)
__WS_SAT_NARROW(uchar, 0, 255)
__WS_SAT_NARROW(short, -32768, 32767)
__WS_SAT_NARROW(ushort, 0, 65535)
// The chip's own conversions clamp.
__WS_F int __ws_sat_int(float x) { return __nvvm_f2i_rz_ftz(x); }
__WS_F uint __ws_sat_uint(float x) { return __nvvm_f2ui_rz_ftz(x); }
__WS_F long __ws_sat_long(float x) {
  return x != x ? 0 : x >= 9.2233720e18f ? LONG_MAX : x <= -9.2233720e18f ? LONG_MIN : (long)x;
}
__WS_F ulong __ws_sat_ulong(float x) { return x >= 1.8446744e19f ? ULONG_MAX : x > 0.0f ? (ulong)x : 0; }

// A magnitude as a float: its 24 highest bits, and one more in the last place where it lies above and is rounded up.
#define __WS_MAGNITUDE(T, B)                                                                       \
  __WS_F float __ws_magnitude(T m, int up) {                                                       \
    int drop = B - 24 - (int)clz(m);                                                               \
    if (drop <= 0) return (float)(int)m;                                                           \
    T k = m >> drop;                                                                               \
    if (up && k << drop != m) k++;                                                                 \
    return (float)(int)k * as_float((uint)(drop + 127) << 23);                                     \
  }
__WS_MAGNITUDE(uint, 32)
__WS_MAGNITUDE(ulong, 64)
#define __WS_TO_FLOAT(S, U)                                                                        \
  __WS_F float __ws_float_rtz(S x) { return x < 0 ? -__ws_magnitude(-(U)x, 0) : __ws_magnitude((U)x, 0); } \
  __WS_F float __ws_float_rtp(S x) { return x < 0 ? -__ws_magnitude(-(U)x, 0) : __ws_magnitude((U)x, 1); } \
  __WS_F float __ws_float_rtn(S x) { return x < 0 ? -__ws_magnitude(-(U)x, 1) : __ws_magnitude((U)x, 0); } \
  __WS_F float __ws_float_rtz(U x) { return __ws_magnitude(x, 0); }                                \
  __WS_F float __ws_float_rtp(U x) { return __ws_magnitude(x, 1); }                                \
  __WS_F float __ws_float_rtn(U x) { return __ws_magnitude(x, 0); }
__WS_TO_FLOAT(int, uint)
__WS_TO_FLOAT(long, ulong)
