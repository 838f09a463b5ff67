// Keywords, vector types and macros of CUDA C.
#pragma once
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <assert.h>
#include <chrono>
#include <climits>
#include <cfloat>
#include <cstddef>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

static_assert(sizeof(void *) == 4, "compile with -m32: pointers of the kernels have 32 bits");

#define __CUDACC__ 1
#define __NVCC__ 1
#define CUDART_VERSION 11000
#define CUDA_VERSION 11000
#define __CUDACC_VER_MAJOR__ 11
#define __CUDACC_VER_MINOR__ 0

// A kernel stays one function of its own: the record names it by an address within it.
#define __global__ __attribute__((noinline, noclone))
#define __device__
#define __host__
#define __constant__ static
#define __shared__ static
#define __managed__
#define __grid_constant__
#define __noinline__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __restrict__ __restrict
#define __builtin_assume(x)

typedef unsigned char uchar;

// Vectors of one to four members, with the alignment that device code has, and their `make_` functions.
#define FIBRE_VECTORS(type, name, align2, align4)                                                     \
  struct name##1 { type x; };                                                                         \
  struct __attribute__((aligned(align2))) name##2 { type x, y; };                                     \
  struct name##3 { type x, y, z; };                                                                   \
  struct __attribute__((aligned(align4))) name##4 { type x, y, z, w; };                               \
  static inline name##1 make_##name##1(type x) { return {x}; }                                        \
  static inline name##2 make_##name##2(type x, type y) { return {x, y}; }                             \
  static inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                  \
  static inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
FIBRE_VECTORS(signed char, char, 2, 4)
FIBRE_VECTORS(unsigned char, uchar, 2, 4)
FIBRE_VECTORS(short, short, 4, 8)
FIBRE_VECTORS(unsigned short, ushort, 4, 8)
FIBRE_VECTORS(int, int, 8, 16)
FIBRE_VECTORS(unsigned, uint, 8, 16)
FIBRE_VECTORS(long, long, 8, 16)
FIBRE_VECTORS(unsigned long, ulong, 8, 16)
FIBRE_VECTORS(float, float, 8, 16)
FIBRE_VECTORS(long long, longlong, 16, 16)
FIBRE_VECTORS(unsigned long long, ulonglong, 16, 16)
FIBRE_VECTORS(double, double, 16, 16)
#undef FIBRE_VECTORS

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  operator uint3() const { return {x, y, z}; }
};

#define CUDART_INF_F __builtin_inff()
#define CUDART_INF __builtin_inf()
#define CUDART_NAN_F __builtin_nanf("")
#define CUDART_NAN __builtin_nan("")
#define CUDART_PI_F 3.141592654f
#define CUDART_PI 3.1415926535897931
#define CUDART_MAX_NORMAL_F 3.402823466e38f
