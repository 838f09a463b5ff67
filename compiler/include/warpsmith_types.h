// Vector types of CUDA C, their constructors, and dim3.
#pragma once
#pragma clang system_header

#define __WS_HD static inline __attribute__((host, device, always_inline, nodebug, unused))

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef __SIZE_TYPE__ size_t;

#define __WS_VECTOR(t, n, a1, a2, a4)                                                              \
  struct n##1 { t x; };                                                                            \
  struct __attribute__((aligned(a2))) n##2 { t x, y; };                                            \
  struct n##3 { t x, y, z; };                                                                      \
  struct __attribute__((aligned(a4))) n##4 { t x, y, z, w; };                                      \
  __WS_HD n##1 make_##n##1(t x) { n##1 r = {x}; return r; }                                        \
  __WS_HD n##2 make_##n##2(t x, t y) { n##2 r = {x, y}; return r; }                                \
  __WS_HD n##3 make_##n##3(t x, t y, t z) { n##3 r = {x, y, z}; return r; }                        \
  __WS_HD n##4 make_##n##4(t x, t y, t z, t w) { n##4 r = {x, y, z, w}; return r; }

__WS_VECTOR(signed char, char, 1, 2, 4)
__WS_VECTOR(unsigned char, uchar, 1, 2, 4)
__WS_VECTOR(short, short, 2, 4, 8)
__WS_VECTOR(unsigned short, ushort, 2, 4, 8)
__WS_VECTOR(int, int, 4, 8, 16)
__WS_VECTOR(unsigned int, uint, 4, 8, 16)
__WS_VECTOR(long, long, 4, 8, 16)
__WS_VECTOR(unsigned long, ulong, 4, 8, 16)
__WS_VECTOR(float, float, 4, 8, 16)
__WS_VECTOR(long long, longlong, 8, 16, 16)
__WS_VECTOR(unsigned long long, ulonglong, 8, 16, 16)
__WS_VECTOR(double, double, 8, 16, 16)
#undef __WS_VECTOR

struct dim3 {
  unsigned x, y, z;
  __attribute__((host, device, always_inline, nodebug)) constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1)
      : x(a), y(b), z(c) {}
  __attribute__((host, device, always_inline, nodebug)) constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __attribute__((host, device, always_inline, nodebug)) constexpr operator uint3() const { return uint3{x, y, z}; }
};
