// Floats of 16 bits, each operation rounded.
#pragma once

struct __half {
  _Float16 value;
  __half() = default;
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>> __half(T v) : value((_Float16)v) {}
  operator float() const { return (float)value; }
};
typedef __half half;
struct __attribute__((aligned(4))) __half2 {
  __half x, y;
  __half2() = default;
  __half2(__half x, __half y) : x(x), y(y) {}
};
typedef __half2 half2;

#define FIBRE_HALF(sign, name)                                                                        \
  static inline __half operator sign(__half a, __half b) { return (float)a sign(float) b; }           \
  static inline __half &operator sign##=(__half &a, __half b) { return a = a sign b; }                \
  static inline __half2 operator sign(__half2 a, __half2 b) { return {a.x sign b.x, a.y sign b.y}; }  \
  static inline __half name(__half a, __half b) { return a sign b; }                                  \
  static inline __half2 name##2(__half2 a, __half2 b) { return a sign b; }
FIBRE_HALF(+, __hadd)
FIBRE_HALF(-, __hsub)
FIBRE_HALF(*, __hmul)
FIBRE_HALF(/, __hdiv)
#undef FIBRE_HALF
static inline __half2 __h2div(__half2 a, __half2 b) { return a / b; }
static inline __half __hfma(__half a, __half b, __half c) { return (double)a * (double)b + (double)c; }
static inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
static inline bool __hgt(__half a, __half b) { return (float)a > (float)b; }
static inline bool __hge(__half a, __half b) { return (float)a >= (float)b; }
static inline bool __hlt(__half a, __half b) { return (float)a < (float)b; }
static inline bool __hle(__half a, __half b) { return (float)a <= (float)b; }
static inline bool __heq(__half a, __half b) { return (float)a == (float)b; }
static inline __half __hneg(__half a) { return -(float)a; }
static inline __half __float2half(float x) { return x; }
static inline __half __float2half_rn(float x) { return x; }
static inline __half __double2half(double x) { return x; }
static inline float __half2float(__half x) { return x; }
static inline __half __int2half_rn(int x) { return x; }
static inline __half2 make_half2(__half x, __half y) { return {x, y}; }
static inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
static inline __half2 __half2half2(__half x) { return {x, x}; }
static inline __half2 __float2half2_rn(float x) { return {x, x}; }
static inline __half2 __floats2half2_rn(float x, float y) { return {x, y}; }
static inline __half2 __float22half2_rn(float2 v) { return {v.x, v.y}; }
static inline float2 __half22float2(__half2 v) { return {v.x, v.y}; }
static inline __half __low2half(__half2 v) { return v.x; }
static inline __half __high2half(__half2 v) { return v.y; }
static inline float __low2float(__half2 v) { return v.x; }
static inline float __high2float(__half2 v) { return v.y; }
