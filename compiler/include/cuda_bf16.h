// The upper half of a float.
#pragma once
#pragma clang system_header
#include "warpsmith_half.h"

struct __nv_bfloat16_raw { unsigned short x; };
struct __nv_bfloat16 {
  unsigned short __x;
  __nv_bfloat16() = default;
  __WS_METHOD constexpr __nv_bfloat16(const __nv_bfloat16_raw &r) : __x(r.x) {}
  __WS_METHOD __nv_bfloat16(float x) {
    unsigned bits = __builtin_bit_cast(unsigned, x);
    __x = (bits & 0x7fffffff) > 0x7f800000 ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  }
  __WS_METHOD operator float() const { return __builtin_bit_cast(float, (unsigned)__x << 16); }
  __WS_METHOD operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
};
typedef __nv_bfloat16 nv_bfloat16;
struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __WS_METHOD __nv_bfloat162(const __nv_bfloat16 &a, const __nv_bfloat16 &b) : x(a), y(b) {}
};
typedef __nv_bfloat162 nv_bfloat162;
// The middle between a number and the next larger one.
__WS_DEVICE float __ws_middle(__nv_bfloat16 low) { return __uint_as_float((unsigned)low.__x << 16 | 0x8000); }
__WS_HALF(__nv_bfloat16)
__WS_HALVES(__nv_bfloat16, bfloat16, bfloat162)

// Cut off, and one place on where the rest points there.
__WS_DEVICE __nv_bfloat16 __ws_cut(float x, bool away) {
  unsigned bits = __float_as_uint(x);
  bool nan = (bits & 0x7fffffff) > 0x7f800000, inexact = (bits & 0xffff) != 0;
  unsigned short cut = nan ? 0x7fff : (bits >> 16) + (away && inexact);
  return __builtin_bit_cast(__nv_bfloat16, cut);
}
__WS_DEVICE __nv_bfloat16 __float2bfloat16_rz(float x) { return __ws_cut(x, false); }
__WS_DEVICE __nv_bfloat16 __float2bfloat16_ru(float x) { return __ws_cut(x, x > 0.0f); }
__WS_DEVICE __nv_bfloat16 __float2bfloat16_rd(float x) { return __ws_cut(x, x < 0.0f); }
