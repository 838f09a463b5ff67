// CUDA C on SM 1.0: what a kernel may use. Included in front of every .cu file.
#pragma once
#pragma clang system_header

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __grid_constant__
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __restrict__ __restrict
#define __inline_hint__
#define __CUDACC__ 1
#define __NVCC__ 1
#define CUDART_VERSION 8000
#define CUDA_VERSION 8000
#define CUDARTAPI
#define CUDART_CB

// A keyword of clang from 15 on; the host's <memory> writes it in attributes of its own.
#if __clang_major__ < 15
#if __has_include(<memory>) && __has_include(<functional>)
#include <memory>
#include <functional>
#endif
#define __noinline__ __attribute__((noinline))
#endif

#ifndef NULL
#define NULL __null
#endif

// What the compiler replaces by the code of the function, without a source line of its own.
#define __WS_DEVICE static inline __attribute__((device, always_inline, nodebug, unused))
// What SM 1.0 has no instructions for: declared without a body, so that only the kernels that call it are
// refused, each with the line of the call.
#define __WS_REFUSED __attribute__((device))
// Called in the place of the n-th body that clang refuses.
template <int n> __attribute__((host, device)) void __ws_left_out();

__attribute__((host, device)) void *__ws_alloca(__SIZE_TYPE__ bytes);
#define __builtin_alloca(bytes) ::__ws_alloca(bytes)

#include "warpsmith_types.h"
#include "warpsmith_index.h"
#include "warpsmith_math.h"
#include "warpsmith_bits.h"
#include "warpsmith_atomic.h"
#include "warpsmith_warp.h"
#include "warpsmith_print.h"
#include "warpsmith_heap.h"
#include "warpsmith_video.h"
#include "warpsmith_texture.h"
#include "warpsmith_host.h"
