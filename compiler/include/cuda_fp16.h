// Half precision.
#pragma once
#pragma clang system_header
#include "warpsmith_half.h"

// Without this header it gives the bits.
#define __float2half_rn __ws_float2half_rn

struct __half_raw { unsigned short x; };
struct __half {
  unsigned short __x;
  __half() = default;
  __WS_METHOD constexpr __half(const __half_raw &r) : __x(r.x) {}
  __WS_METHOD __half(float x) : __x(__builtin_bit_cast(unsigned short, (__fp16)x)) {}
  __WS_METHOD operator float() const { return (float)__builtin_bit_cast(__fp16, __x); }
  __WS_METHOD operator __half_raw() const { return __half_raw{__x}; }
};
typedef __half half;
typedef __half __nv_half;
struct __attribute__((aligned(4))) __half2 {
  __half x, y;
  __half2() = default;
  __WS_METHOD __half2(const __half &a, const __half &b) : x(a), y(b) {}
};
typedef __half2 half2;
typedef __half2 __nv_half2;
// The middle between a number and the next larger one; above the largest as far away as below it.
__WS_DEVICE float __ws_middle(__half low) {
  unsigned short other = low.__x == 0x7bff ? low.__x - 1 : low.__x + 1;
  float step = (float)__builtin_bit_cast(__half, other) - (float)low;
  return (float)low + 0.5f * fabsf(step);
}
__WS_HALF(__half)
__WS_HALVES(__half, half, half2)

// The chip's conversion gives zero for what is far below the least half; 2^-30 is rounded as that is.
__WS_DEVICE float __ws_not_too_small(float x) {
  return x != 0.0f && fabsf(x) < 0x1p-30f ? copysignf(0x1p-30f, x) : x;
}
#define __WS_ROUNDED(mode, ptx)                                                                    \
  __WS_DEVICE __half __float2half_##mode(float x) {                                                \
    unsigned short bits;                                                                           \
    __asm__("cvt." #ptx ".f16.f32 %0, %1;" : "=h"(bits) : "f"(__ws_not_too_small(x)));             \
    return __builtin_bit_cast(__half, bits);                                                       \
  }                                                                                                \
  __WS_DEVICE __half __int2half_##mode(int x) { return __float2half_##mode(__ws_odd_float(x)); }   \
  __WS_DEVICE __half __uint2half_##mode(unsigned x) { return __float2half_##mode(__ws_odd_float(x)); }
__WS_ROUNDED(rz, rz)
__WS_ROUNDED(rd, rm)
__WS_ROUNDED(ru, rp)
#undef __WS_ROUNDED
