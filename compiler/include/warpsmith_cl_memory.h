// Loads and stores of vectors, prefetch, copies of a work-group, and functions with a second result.
#pragma once

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

// Half precision, which lives in memory only. The chip rounds to nearest; the other roundings of the bits of a float are made
// by hand: up where its magnitude is rounded up.
__WS_F ushort __ws_half(uint b, int up) {
  uint sign = b >> 16 & 0x8000, m = b & 0x7fffffff, k = (m - 0x38000000) >> 13, lost = m & 0x1fff;
  if (m > 0x7f800000) return sign | 0x7e00;
  if (m == 0x7f800000) return sign | 0x7c00;
  if (m >= 0x47800000) return sign | (up ? 0x7c00 : 0x7bff);
  if (m < 0x38800000) {
    // A multiple of 2^-24.
    uint drop = 126 - (m >> 23), whole = (m & 0x7fffff) | 0x800000;
    k = drop < 25 ? whole >> drop : 0;
    lost = drop < 25 ? whole & ((1u << drop) - 1) : m;
  }
  return sign | (k + (up && lost != 0));
}
#define __WS_PUT(A, v, p) __builtin_store_halff(v, p)
#define __WS_PUT_rte(A, v, p) __builtin_store_halff(v, p)
#define __WS_PUT_rtz(A, v, p) (*(A ushort *)(p) = __ws_half(as_uint(v), 0))
#define __WS_PUT_rtp(A, v, p) (*(A ushort *)(p) = __ws_half(as_uint(v), as_int(v) >= 0))
#define __WS_PUT_rtn(A, v, p) (*(A ushort *)(p) = __ws_half(as_uint(v), as_int(v) < 0))
// Vectors at a pointer, and the functions: those with `a` step by vectors, of which three elements fill the place of four.
#define __WS_HALF_LOAD(A, N, step)                                                                 \
  __WS_F float##N vload_half##N(size_t i, const A half *p) { return __ws_half##N(p + N * i); }     \
  __WS_F float##N vloada_half##N(size_t i, const A half *p) { return __ws_half##N(p + step * i); }
#define __WS_HALF_LOADS(A)                                                                         \
  __WS_F float vload_half(size_t i, const A half *p) { return __builtin_load_halff((A half *)p + i); } \
  __WS_F float2 __ws_half2(const A half *p) { return (float2)(vload_half(0, p), vload_half(1, p)); } \
  __WS_F float3 __ws_half3(const A half *p) { return (float3)(__ws_half2(p), vload_half(2, p)); }  \
  __WS_F float4 __ws_half4(const A half *p) { return (float4)(__ws_half2(p), __ws_half2(p + 2)); } \
  __WS_F float8 __ws_half8(const A half *p) { return (float8)(__ws_half4(p), __ws_half4(p + 4)); } \
  __WS_F float16 __ws_half16(const A half *p) { return (float16)(__ws_half8(p), __ws_half8(p + 8)); } \
  __WS_HALF_LOAD(A, 2, 2) __WS_HALF_LOAD(A, 3, 4) __WS_HALF_LOAD(A, 4, 4) __WS_HALF_LOAD(A, 8, 8) __WS_HALF_LOAD(A, 16, 16)
#define __WS_HALF_STORE(A, m, N, step)                                                             \
  __WS_F void vstore_half##N##m(float##N v, size_t i, A half *p) { __ws_put##N##m(v, p + N * i); } \
  __WS_F void vstorea_half##N##m(float##N v, size_t i, A half *p) { __ws_put##N##m(v, p + step * i); }
#define __WS_HALF_STORES(A, m)                                                                     \
  __WS_F void vstore_half##m(float v, size_t i, A half *p) { __WS_PUT##m(A, v, p + i); }           \
  __WS_F void __ws_put2##m(float2 v, A half *p) { vstore_half##m(v.x, 0, p); vstore_half##m(v.y, 1, p); } \
  __WS_F void __ws_put3##m(float3 v, A half *p) { __ws_put2##m(v.xy, p); vstore_half##m(v.z, 2, p); } \
  __WS_F void __ws_put4##m(float4 v, A half *p) { __ws_put2##m(v.lo, p); __ws_put2##m(v.hi, p + 2); } \
  __WS_F void __ws_put8##m(float8 v, A half *p) { __ws_put4##m(v.lo, p); __ws_put4##m(v.hi, p + 4); } \
  __WS_F void __ws_put16##m(float16 v, A half *p) { __ws_put8##m(v.lo, p); __ws_put8##m(v.hi, p + 8); } \
  __WS_HALF_STORE(A, m, 2, 2) __WS_HALF_STORE(A, m, 3, 4) __WS_HALF_STORE(A, m, 4, 4) __WS_HALF_STORE(A, m, 8, 8)      \
  __WS_HALF_STORE(A, m, 16, 16)
#define __WS_HALVES(A)                                                                             \
  __WS_HALF_STORES(A, ) __WS_HALF_STORES(A, _rte) __WS_HALF_STORES(A, _rtz) __WS_HALF_STORES(A, _rtp) __WS_HALF_STORES(A, _rtn)
__WS_HALF_LOADS(__global)
__WS_HALF_LOADS(__local)
__WS_HALF_LOADS(__private)
__WS_HALF_LOADS(__constant)
__WS_HALVES(__global)
__WS_HALVES(__local)
__WS_HALVES(__private)

// A second result through a pointer.
#define __WS_POINTERS(A)                                                                           \
  __WS_F float sincos(float x, A float *c) { *c = cos(x); return sin(x); }                         \
  __WS_F float fract(float x, A float *whole) { float w, f = __ws_fract(x, &w); *whole = w; return f; } \
  __WS_F float modf(float x, A float *whole) { float w, f = __ws_modf(x, &w); *whole = w; return f; } \
  __WS_F float frexp(float x, A int *n) { int e; float f = __ws_frexp(x, &e); *n = e; return f; }  \
  __WS_F float remquo(float x, float y, A int *n) { int q; float r = __ws_remquo(x, y, &q); *n = q; return r; } \
  __WS_F float lgamma_r(float x, A int *sign) { *sign = __ws_gamma_sign(x); return lgamma(x); }
__WS_POINTERS(__global)
__WS_POINTERS(__local)
__WS_POINTERS(__private)

// Copies by all work-items of a group; complete at the barrier in wait_group_events.
#define __WS_COPY(T, D, S)                                                                         \
  __WS_F event_t async_work_group_copy(D T *d, const S T *s, size_t n, event_t e) {                \
    size_t step = __ws_items();                                                                    \
    for (size_t i = __ws_item(); i < n; i += step) d[i] = s[i];                                    \
    return e;                                                                                      \
  }
#define __WS_COPIES(T, N)                                                                          \
  __WS_COPY(T##N, __local, __global) __WS_COPY(T##N, __global, __local)                            \
  __WS_F event_t async_work_group_strided_copy(__local T##N *d, const __global T##N *s, size_t n, size_t stride, event_t e) { \
    size_t step = __ws_items();                                                                    \
    for (size_t i = __ws_item(); i < n; i += step) d[i] = s[i * stride];                           \
    return e;                                                                                      \
  }                                                                                                \
  __WS_F event_t async_work_group_strided_copy(__global T##N *d, const __local T##N *s, size_t n, size_t stride, event_t e) { \
    size_t step = __ws_items();                                                                    \
    for (size_t i = __ws_item(); i < n; i += step) d[i * stride] = s[i];                           \
    return e;                                                                                      \
  }                                                                                                \
  __WS_F void prefetch(const __global T##N *p, size_t n) {}
#define __WS_ALL_COPIES(T) __WS_COPIES(T, ) __WS_WIDTHS(__WS_COPIES, T)
__WS_F size_t __ws_items(void) { return get_local_size(0) * get_local_size(1) * get_local_size(2); }
__WS_F size_t __ws_item(void) {
  return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
}
__WS_TYPES(__WS_ALL_COPIES)
__WS_F void wait_group_events(int n, __private event_t *events) { barrier(0); }
