// Half precision: 16 bits in memory, arithmetic in single precision.
#pragma once
#pragma clang system_header

struct __half {
  unsigned short bits;
  __half() = default;
  __attribute__((host, device, always_inline, nodebug)) __half(float x) : bits(__builtin_bit_cast(unsigned short, (__fp16)x)) {}
  __attribute__((host, device, always_inline, nodebug)) operator float() const { return (float)__builtin_bit_cast(__fp16, bits); }
};
typedef __half half;
struct __half2 { __half x, y; };
typedef __half2 half2;
__WS_HD __half __float2half(float x) { return __half(x); }
__WS_HD float __half2float(__half x) { return x; }
__WS_HD __half __hadd(__half a, __half b) { return __half((float)a + (float)b); }
__WS_HD __half __hsub(__half a, __half b) { return __half((float)a - (float)b); }
__WS_HD __half __hmul(__half a, __half b) { return __half((float)a * (float)b); }
__WS_HD __half __hdiv(__half a, __half b) { return __half((float)a / (float)b); }
__WS_HD __half __hfma(__half a, __half b, __half c) { return __half((float)a * (float)b + (float)c); }
__WS_HD bool __hlt(__half a, __half b) { return (float)a < (float)b; }
__WS_HD bool __hgt(__half a, __half b) { return (float)a > (float)b; }
__WS_HD __half2 __floats2half2_rn(float a, float b) { return {__half(a), __half(b)}; }
__WS_HD float __low2float(__half2 a) { return a.x; }
__WS_HD float __high2float(__half2 a) { return a.y; }
