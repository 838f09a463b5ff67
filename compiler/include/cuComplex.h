// Complex numbers of CUDA, of floats and doubles.
#pragma once
#pragma clang system_header
#include <math.h>

#define __WS_COMPLEX(C, V, T, n)                                                                   \
  typedef V C;                                                                                     \
  __WS_HD C make_##C(T x, T y) { return make_##V(x, y); }                                          \
  __WS_HD T cuCreal##n(C a) { return a.x; }                                                        \
  __WS_HD T cuCimag##n(C a) { return a.y; }                                                        \
  __WS_HD C cuConj##n(C a) { return make_##V(a.x, -a.y); }                                         \
  __WS_HD C cuCadd##n(C a, C b) { return make_##V(a.x + b.x, a.y + b.y); }                         \
  __WS_HD C cuCsub##n(C a, C b) { return make_##V(a.x - b.x, a.y - b.y); }                         \
  __WS_HD C cuCmul##n(C a, C b) { return make_##V(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); } \
  __WS_HD C cuCdiv##n(C a, C b) {                                                                  \
    T d = b.x * b.x + b.y * b.y;                                                                   \
    return make_##V((a.x * b.x + a.y * b.y) / d, (a.y * b.x - a.x * b.y) / d);                     \
  }                                                                                                \
  __WS_HD C cuCfma##n(C a, C b, C c) { return cuCadd##n(cuCmul##n(a, b), c); }                     \
  static inline __attribute__((device, unused)) T cuCabs##n(C a) { return sqrt(a.x * a.x + a.y * a.y); } \
  static inline __attribute__((host, unused)) T cuCabs##n(C a) { return sqrt(a.x * a.x + a.y * a.y); }
__WS_COMPLEX(cuFloatComplex, float2, float, f)
__WS_COMPLEX(cuDoubleComplex, double2, double, )
#undef __WS_COMPLEX
typedef cuFloatComplex cuComplex;
__WS_HD cuComplex make_cuComplex(float x, float y) { return make_float2(x, y); }
