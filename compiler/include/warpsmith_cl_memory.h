// Loads and stores of vectors, prefetch, copies of a work-group, and functions with a second result.
#pragma once
#pragma clang system_header

#define __WS_LOADS(T, A)                                                                           \
  __WS_F T##2 vload2(size_t i, const A T *p) { p += 2 * i; return (T##2)(p[0], p[1]); }            \
  __WS_F T##3 vload3(size_t i, const A T *p) { p += 3 * i; return (T##3)(p[0], p[1], p[2]); }      \
  __WS_F T##4 vload4(size_t i, const A T *p) { p += 4 * i; return (T##4)(p[0], p[1], p[2], p[3]); } \
  __WS_F T##8 vload8(size_t i, const A T *p) { p += 8 * i; return (T##8)(vload4(0, p), vload4(1, p)); } \
  __WS_F T##16 vload16(size_t i, const A T *p) { p += 16 * i; return (T##16)(vload8(0, p), vload8(1, p)); }
#define __WS_STORES(T, A)                                                                          \
  __WS_F void vstore2(T##2 v, size_t i, A T *p) { p += 2 * i; p[0] = v.x; p[1] = v.y; }            \
  __WS_F void vstore3(T##3 v, size_t i, A T *p) { p += 3 * i; p[0] = v.x; p[1] = v.y; p[2] = v.z; } \
  __WS_F void vstore4(T##4 v, size_t i, A T *p) { p += 4 * i; p[0] = v.x; p[1] = v.y; p[2] = v.z; p[3] = v.w; } \
  __WS_F void vstore8(T##8 v, size_t i, A T *p) { p += 8 * i; vstore4(v.lo, 0, p); vstore4(v.hi, 1, p); } \
  __WS_F void vstore16(T##16 v, size_t i, A T *p) { p += 16 * i; vstore8(v.lo, 0, p); vstore8(v.hi, 1, p); }
#define __WS_MEMORY(T)                                                                             \
  __WS_LOADS(T, __global) __WS_LOADS(T, __local) __WS_LOADS(T, __private) __WS_LOADS(T, __constant) \
  __WS_STORES(T, __global) __WS_STORES(T, __local) __WS_STORES(T, __private)
__WS_TYPES(__WS_MEMORY)

// Half precision, which lives in memory only.
#define __WS_HALF_LOADS(A)                                                                         \
  __WS_F float vload_half(size_t i, const A half *p) { return __builtin_load_halff((A half *)p + i); } \
  __WS_F float2 vload_half2(size_t i, const A half *p) { p += 2 * i; return (float2)(vload_half(0, p), vload_half(1, p)); } \
  __WS_F float3 vload_half3(size_t i, const A half *p) {                                           \
    p += 3 * i;                                                                                    \
    return (float3)(vload_half(0, p), vload_half(1, p), vload_half(2, p));                         \
  }                                                                                                \
  __WS_F float4 vload_half4(size_t i, const A half *p) { p += 4 * i; return (float4)(vload_half2(0, p), vload_half2(1, p)); }
#define __WS_HALF_STORES(A)                                                                        \
  __WS_F void vstore_half(float v, size_t i, A half *p) { __builtin_store_halff(v, p + i); }       \
  __WS_F void vstore_half2(float2 v, size_t i, A half *p) { p += 2 * i; vstore_half(v.x, 0, p); vstore_half(v.y, 1, p); } \
  __WS_F void vstore_half3(float3 v, size_t i, A half *p) { p += 3 * i; vstore_half2(v.xy, 0, p); vstore_half(v.z, 2, p); } \
  __WS_F void vstore_half4(float4 v, size_t i, A half *p) { p += 4 * i; vstore_half2(v.lo, 0, p); vstore_half2(v.hi, 1, p); }
__WS_HALF_LOADS(__global)
__WS_HALF_LOADS(__local)
__WS_HALF_LOADS(__private)
__WS_HALF_LOADS(__constant)
__WS_HALF_STORES(__global)
__WS_HALF_STORES(__local)
__WS_HALF_STORES(__private)

// A second result through a pointer.
#define __WS_POINTERS(A)                                                                           \
  __WS_F float sincos(float x, A float *c) { *c = cos(x); return sin(x); }                         \
  __WS_F float fract(float x, A float *whole) { float w, f = __ws_fract(x, &w); *whole = w; return f; } \
  __WS_F float modf(float x, A float *whole) { float w, f = __ws_modf(x, &w); *whole = w; return f; } \
  __WS_F float frexp(float x, A int *n) { int e; float f = __ws_frexp(x, &e); *n = e; return f; }  \
  __WS_F float remquo(float x, float y, A int *n) { int q; float r = __ws_remquo(x, y, &q); *n = q; return r; } \
  __WS_F float lgamma_r(float x, A int *sign) { *sign = __ws_gamma_sign(x); return lgamma(x); }   \
  __WS_F float2 sincos(float2 x, A float2 *c) { *c = cos(x); return sin(x); }                      \
  __WS_F float4 sincos(float4 x, A float4 *c) { *c = cos(x); return sin(x); }                      \
  __WS_F float2 fract(float2 x, A float2 *w) { float a, b; float2 f = (float2)(__ws_fract(x.x, &a), __ws_fract(x.y, &b)); *w = (float2)(a, b); return f; } \
  __WS_F float4 fract(float4 x, A float4 *w) { float2 a, b; float4 f = (float4)(fract(x.lo, &a), fract(x.hi, &b)); *w = (float4)(a, b); return f; }
__WS_POINTERS(__private)
__WS_POINTERS(__global)
__WS_POINTERS(__local)

// Copies by all work-items of a group; complete at the barrier in wait_group_events.
#define __WS_COPY(T, D, S)                                                                         \
  __WS_F event_t async_work_group_copy(D T *d, const S T *s, size_t n, event_t e) {                \
    size_t step = get_local_size(0) * get_local_size(1) * get_local_size(2);                       \
    size_t i = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0); \
    for (; i < n; i += step) d[i] = s[i];                                                          \
    return e;                                                                                      \
  }
#define __WS_COPIES(T) __WS_COPY(T, __local, __global) __WS_COPY(T, __global, __local)
__WS_TYPES(__WS_COPIES)
__WS_COPIES(float2)
__WS_COPIES(float4)
__WS_COPIES(int2)
__WS_COPIES(int4)
__WS_COPIES(uint2)
__WS_COPIES(uint4)
#define wait_group_events(n, events) ((void)(events), barrier(0))
#define prefetch(p, n) ((void)(p))
